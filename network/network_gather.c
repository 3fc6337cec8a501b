/* network_gather.c - a deadlock over several ranks is named at rank 0.
 *
 * Each rank writes its parts, what holds them, and their messages as numbers of 32 bits; rank 0 makes of all a network
 * that is alone, searches it, and shares what it found.
 */
#include "network/network_ranks_private.h"

#include "network/network_steps_private.h"

#include <stdlib.h>
#include <string.h>

/* What a rank writes: its messages, its parts (each with its outputs), its nodes (each with its links). */
struct gathered {
    uint32_t messages, parts, nodes;
};

/* Its stops follow. */
struct gathered_message {
    uint32_t number, flits, source, stops;
};

/* Parts are numbered through for each rank. Outputs follow. */
struct gathered_part {
    uint32_t message, is_feeder, has_asked, flits, in, out, inlet, node, stop, next;
    uint32_t outputs, lacking;
    uint32_t first, flits_in_buffer; /* of the inlet */
};

struct gathered_output {
    uint32_t channel, stop, moved;
};

/* Of each link its free channels, and of each channel its owner and slots in use follow; of each consumption channel the part that
 * has it. */
struct gathered_node {
    uint32_t node, free_consumption[2];
};

/* ---- at each rank ---- */

struct writer {
    struct network *network;
    struct index_list words;
    uint32_t *number[MOST_BANDS]; /* of a band's parts; NONE: not in use */
    struct residents written;     /* messages */
    struct gathered count;
    bool is_short;
};

static void put(struct writer *writer, const void *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        writer->is_short |= !index_push(&writer->words, ((const uint32_t *)words)[i]);
}

static void put_wide(struct writer *writer, uint64_t number)
{
    put(writer, &(uint32_t[]){(uint32_t)number, (uint32_t)(number >> 32)}, 2);
}

static void number_parts(struct writer *writer)
{
    for (uint32_t b = 0; b < writer->network->bands; b++) {
        const struct band *band = &writer->network->band[b];
        uint32_t *number = memory_allocate(band->parts, sizeof *number);
        writer->number[b] = number;
        writer->is_short |= number == NULL;
        for (uint32_t id = 0; id < band->parts && number != NULL; id++)
            number[id] = band->part[id].message != NULL ? writer->count.parts++ : NONE;
    }
}

static uint32_t number_of(const struct writer *writer, const struct band *band, uint32_t id)
{
    return id == NONE ? NONE : writer->number[band->number][id];
}

static void put_message(struct writer *writer, struct message *message)
{
    if (resident_find(&writer->written, message->number) != NULL)
        return;
    writer->is_short |= resident_add(&writer->written, message) == NULL;
    uint32_t stops = message_stops(message);
    put(writer, &(struct gathered_message){message->number, message->flits, message->source, stops},
        WORDS(struct gathered_message));
    put(writer, message->stop, stops * WORDS(struct stop_copy));
    writer->count.messages++;
}

static void put_part(struct writer *writer, const struct band *band, uint32_t id)
{
    struct part *part = &band->part[id];
    struct gathered_part gathered = {.message = part->message->number,
                                     .is_feeder = part->is_feeder,
                                     .has_asked = part->has_asked,
                                     .flits = part->flits,
                                     .in = part->in,
                                     .out = part->out,
                                     .inlet = part->inlet,
                                     .node = part->node,
                                     .stop = part->stop,
                                     .next = number_of(writer, band, part->next),
                                     .outputs = part->has_asked ? part->outputs : 0,
                                     .lacking = part->lacking};
    if (!part->is_feeder) {
        const struct channel *inlet = channel_at(writer->network, part->inlet);
        gathered.first = number_of(writer, band, inlet->first);
        gathered.flits_in_buffer = inlet->flits;
    }
    put(writer, &gathered, WORDS(struct gathered_part));
    for (uint32_t i = 0; i < gathered.outputs; i++) {
        const struct output *output = &part_outputs(part)[i];
        put(writer, &(struct gathered_output){output->channel, output->stop, output->moved},
            WORDS(struct gathered_output));
    }
}

static void put_node(struct writer *writer, uint32_t v)
{
    struct network *network = writer->network;
    const struct topology *topology = network->topology;
    const struct band *band = network_band(network, v);
    uint64_t free = network->node[v].free_consumption;
    put(writer, &(struct gathered_node){v, {(uint32_t)free, (uint32_t)(free >> 32)}},
        WORDS(struct gathered_node));
    for (uint32_t port = 0; port < topology_node_ports(topology, v); port++) {
        uint32_t link = port_link(network, v, port);
        put_wide(writer, link_at(network, link)->free);
        for (uint32_t vc = 0; vc < network->vcs; vc++) {
            const struct channel *channel = channel_at(network, link + 1 + vc);
            put(writer, &(uint32_t[]){number_of(writer, band, channel->owner), channel->used}, 2);
        }
    }
    uint32_t first = channel_base(topology, network->consumption, v);
    for (uint32_t c = 0; c < channels_of(topology, network->consumption, v); c++) {
        uint32_t consumer = (free >> c & 1) == 0 ? network->consumer[first + c] : NONE;
        put(writer, &(uint32_t[]){number_of(writer, band, consumer)}, 1);
    }
}

/* Writes all, and then how much there is of each in front of it. */
static void write_all(struct writer *writer)
{
    struct network *network = writer->network;
    put(writer, &writer->count, WORDS(struct gathered));
    number_parts(writer);
    for (uint32_t b = 0; b < network->bands && !writer->is_short; b++)
        for (uint32_t id = 0; id < network->band[b].parts; id++)
            if (writer->number[b][id] != NONE)
                put_message(writer, network->band[b].part[id].message);
    for (uint32_t b = 0; b < network->bands && !writer->is_short; b++)
        for (uint32_t id = 0; id < network->band[b].parts; id++)
            if (writer->number[b][id] != NONE)
                put_part(writer, &network->band[b], id);
    for (uint32_t v = network->first; v < network->end && !writer->is_short; v++)
        if (node_is_begun(network, v)) {
            put_node(writer, v);
            writer->count.nodes++;
        }
    if (!writer->is_short)
        memcpy(writer->words.item, &writer->count, sizeof writer->count);
}

/* ---- at rank 0 ---- */

struct reader {
    struct network *copy;
    struct residents messages;
    const uint32_t *word;
    uint32_t *id; /* of the parts of a rank */
    bool is_short;
};

static const uint32_t *get(struct reader *reader, uint32_t words)
{
    reader->word += words;
    return reader->word - words;
}

static void get_message(struct reader *reader)
{
    struct gathered_message gathered;
    memcpy(&gathered, get(reader, WORDS(struct gathered_message)), sizeof gathered);
    const uint32_t *stops = get(reader, gathered.stops * WORDS(struct stop_copy));
    if (resident_find(&reader->messages, gathered.number) != NULL)
        return;
    struct message *message = message_make(reader->copy, gathered.stops, 0);
    if (message == NULL) {
        reader->is_short = true;
        return;
    }
    message->number = gathered.number;
    message->flits = gathered.flits;
    message->source = gathered.source;
    memcpy(message->stop, stops, gathered.stops * sizeof *message->stop);
    reader->is_short |= resident_add(&reader->messages, message) == NULL;
}

static uint32_t id_of(const struct reader *reader, uint32_t number)
{
    return number == NONE ? NONE : reader->id[number];
}

/* Gives the parts of a rank places, so that they can name one another. */
static void place_parts(struct reader *reader, uint32_t parts)
{
    const uint32_t *word = reader->word;
    for (uint32_t i = 0; i < parts && !reader->is_short; i++) {
        struct gathered_part gathered;
        memcpy(&gathered, word, sizeof gathered);
        word += WORDS(struct gathered_part) + gathered.outputs * WORDS(struct gathered_output);
        reader->id[i] = part_make(network_band(reader->copy, gathered.node));
        reader->is_short |= reader->id[i] == NONE;
    }
}

static void get_part(struct reader *reader, uint32_t number)
{
    struct gathered_part gathered;
    memcpy(&gathered, get(reader, WORDS(struct gathered_part)), sizeof gathered);
    const uint32_t *outputs = get(reader, gathered.outputs * WORDS(struct gathered_output));
    struct part *part = &network_band(reader->copy, gathered.node)->part[reader->id[number]];
    *part = (struct part){.message = resident_find(&reader->messages, gathered.message)->message,
                          .flits = gathered.flits,
                          .is_feeder = gathered.is_feeder,
                          .has_asked = gathered.has_asked,
                          .in = gathered.in,
                          .out = gathered.out,
                          .inlet = gathered.inlet,
                          .node = gathered.node,
                          .stop = gathered.stop,
                          .next = id_of(reader, gathered.next),
                          .lacking = (uint16_t)gathered.lacking};
    if (!part_make_outputs(part, gathered.outputs)) {
        part->outputs = 0;
        reader->is_short = true;
        return;
    }
    for (uint32_t i = 0; i < gathered.outputs; i++) {
        struct gathered_output output;
        memcpy(&output, outputs + i * WORDS(struct gathered_output), sizeof output);
        part_outputs(part)[i] =
            (struct output){output.channel, output.stop, output.moved, .requests = NONE};
    }
    if (gathered.is_feeder)
        return;
    struct channel *inlet = channel_at(reader->copy, gathered.inlet);
    inlet->first = id_of(reader, gathered.first);
    if (gathered.next == NONE)
        inlet->last = reader->id[number];
    inlet->flits = gathered.flits_in_buffer;
}

static void get_node(struct reader *reader)
{
    struct network *copy = reader->copy;
    const struct topology *topology = copy->topology;
    struct gathered_node gathered;
    memcpy(&gathered, get(reader, WORDS(struct gathered_node)), sizeof gathered);
    uint32_t v = gathered.node;
    copy->node[v].free_consumption =
        gathered.free_consumption[0] | (uint64_t)gathered.free_consumption[1] << 32;
    for (uint32_t port = 0; port < topology_node_ports(topology, v); port++) {
        uint32_t link = port_link(copy, v, port);
        const uint32_t *free = get(reader, 2);
        link_at(copy, link)->free = free[0] | (uint64_t)free[1] << 32;
        for (uint32_t vc = 0; vc < copy->vcs; vc++) {
            const uint32_t *channel = get(reader, 2);
            channel_at(copy, link + 1 + vc)->owner = id_of(reader, channel[0]);
            channel_at(copy, link + 1 + vc)->used = channel[1];
        }
    }
    uint32_t first = channel_base(topology, copy->consumption, v);
    for (uint32_t c = 0; c < channels_of(topology, copy->consumption, v); c++)
        copy->consumer[first + c] = id_of(reader, *get(reader, 1));
}

static void get_rank(struct reader *reader)
{
    struct gathered count;
    memcpy(&count, get(reader, WORDS(struct gathered)), sizeof count);
    for (uint32_t i = 0; i < count.messages && !reader->is_short; i++)
        get_message(reader);
    reader->id = memory_allocate(count.parts, sizeof *reader->id);
    reader->is_short |= reader->id == NULL;
    place_parts(reader, count.parts);
    for (uint32_t i = 0; i < count.parts && !reader->is_short; i++)
        get_part(reader, i);
    for (uint32_t i = 0; i < count.nodes && !reader->is_short; i++)
        get_node(reader);
    free(reader->id);
}

/* Searches what all ranks have written, one behind the other; false: no memory. */
static bool search_all(struct network *network, const uint32_t *words, const size_t *bytes)
{
    struct network_settings alone = network->settings;
    struct reader reader = {.word = words};
    alone.ranks = NULL;
    alone.threads = 1;
    if (network_make(&reader.copy, network->topology, network->routing, &alone, NULL, NULL) !=
        FAIL_NONE)
        return false;
    for (uint32_t v = 0; v < network->topology->nodes; v++)
        node_begin(reader.copy, v);
    for (uint32_t r = 0; r < ranks_size(network->settings.ranks) && !reader.is_short; r++) {
        reader.word = words;
        get_rank(&reader);
        words += bytes[r] / sizeof *words;
    }
    bool has_memory = !reader.is_short && network_search_alone(reader.copy);
    network->wait = reader.copy->wait;
    network->waits = reader.copy->waits;
    reader.copy->wait = NULL;
    residents_free(&reader.messages);
    network_free(reader.copy);
    return has_memory;
}

/* ---- at all ranks ---- */

/* Gives all ranks the list of waits; false: no memory. */
static bool share_waits(struct network *network, bool has_memory)
{
    struct ranks *ranks = network->settings.ranks;
    uint64_t result[] = {has_memory, network->waits};
    if (ranks_broadcast(ranks, result, sizeof result, &network->failure) != FAIL_NONE)
        return false;
    if (result[0] == 0)
        return false;
    if (result[1] == 0)
        return true;
    if (ranks_rank(ranks) > 0)
        network->wait = memory_allocate(result[1], sizeof *network->wait);
    if (network->wait == NULL)
        return false;
    network->waits = result[1];
    return ranks_broadcast(ranks, network->wait, result[1] * sizeof *network->wait,
                           &network->failure) == FAIL_NONE;
}

bool network_gather_search(struct network *network)
{
    struct ranks *ranks = network->settings.ranks;
    struct writer writer = {.network = network};
    size_t *bytes = memory_allocate(ranks_size(ranks), sizeof *bytes);
    void *all = NULL;
    write_all(&writer);
    bool has_memory = bytes != NULL && !writer.is_short;
    if (has_memory && ranks_collect(ranks, writer.words.item, writer.words.count * sizeof(uint32_t),
                                    &all, bytes, &network->failure) == FAIL_NONE) {
        if (ranks_rank(ranks) == 0)
            has_memory = search_all(network, all, bytes);
        has_memory = share_waits(network, has_memory);
    }
    for (uint32_t b = 0; b < network->bands; b++)
        free(writer.number[b]);
    free(writer.words.item);
    residents_free(&writer.written);
    free(all);
    free(bytes);
    return has_memory;
}
