/* directory.c - packets that follow their words to other ranks, when a plane is closed.
 *
 * While a plane is open a packet stays stored where it was, and its word, which bears its name, moves. In the end most
 * words are at other ranks than their packets, and neither rank knows the other. So they meet at the home of the
 * name, a rank that follows from it: ranks have blocks of names of equal size. Each rank tells the homes which packets it
 * needs, in the order of the cells, and which ones it has that are not at home; a home answers where these are to go.
 * Names run along rows, so as a rule a packet that has not moved yet is stored at home, and there is nothing to
 * answer. This is the host's work, and no step of the machine.
 *
 * A need is told from others by its number: the needs of a rank are counted through by homes. The number comes with the
 * packet, so nothing is looked up by names but in the home's own block. All lists are gone through in their order: packets
 * are packed and unpacked in the order in which they are stored.
 * Cost: some 40 bytes for each packet and one for each name of the block, for a while; O(1) a packet and name.
 */
#include "machine/plane/plane_private.h"
#include "machine/ranks/border.h"

#include <stdlib.h>
#include <string.h>

/* Names of a block that share a count of needed names before them; and the bits behind the point of homes_of_name. */
enum { GROUP = 128, SCALE = 40 };
#define NO_WAY UINT64_MAX

/* The names whose home is this rank. A needed name's place is its number among the needed names of its group. */
struct block {
    uint32_t first, names;
    uint8_t *place;   /* [names]: 1 .. GROUP; 0: nobody needs it */
    uint32_t *before; /* [groups]: how many of earlier groups are needed */
    uint64_t *way;    /* [needed]: of their packets: rank << 32 | number of the need */
};

struct homing {
    struct machine *machine;
    uint32_t ranks, rank;
    uint64_t homes_of_name; /* homes / names, times 1 << SCALE */
    size_t *bytes;          /* [ranks]: of messages to each, then from each */
    size_t *fill;           /* [3 * ranks]: while lists are written, and read */
    uint64_t *rest;         /* node << 32 | name of the packets that come to rest here */
    size_t rests;
    size_t *need;  /* [ranks + 1]: the number of the first need at each home; all needs */
    uint32_t *got; /* [needs]: the packet, MACHINE_NONE until it is here */
    /* From each rank: how many packets it offers, the number of its first need, both lists of names. */
    uint32_t *asked;
    struct block block;
    uint64_t *told; /* from each home: the ways of the packets that this rank has offered */
    /* The packets that leave, packet << 32 | number of the need: first in the order in which they are stored, with the
     * ranks to which they go, in memory of the plane's that is free now; then in the order of ranks. */
    uint64_t *listed, *leaver;
    uint32_t *listed_to;
    size_t leavers;
};

/* ---- memory, messages, homes ---- */

/* Returns memory for the homing, or NULL: the failure is kept. */
static void *take_memory(struct homing *homing, size_t count, size_t size)
{
    void *memory = memory_allocate(count + 1, size);
    if (memory == NULL)
        machine_rank_fails(homing->machine, "packets of other ranks");
    return memory;
}

/* Fails because of what other ranks have sent. */
static bool disagree(const struct homing *homing)
{
    fail(&homing->machine->rank_failure, FAIL_CHECK,
         "rank %u learned of packets that other ranks do not have", homing->rank);
    ranks_break(homing->machine->config.ranks, &homing->machine->rank_failure);
    return false;
}

/* Sends homing->bytes[r] bytes of the buffer, which it frees, to each rank r, and returns what comes; the caller frees that.
 * NULL: it failed. */
static void *send_and_receive(struct homing *homing, void *buffer)
{
    struct machine *machine = homing->machine;
    void *all = NULL;
    if (buffer != NULL && machine->rank_failure.kind == FAIL_NONE)
        ranks_swap(machine->config.ranks, buffer, homing->bytes, &all, &machine->rank_failure);
    free(buffer);
    return all;
}

static size_t count_words(const struct homing *homing, size_t size)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < homing->ranks; i++)
        bytes += homing->bytes[i];
    return bytes / size;
}

/* A division for each packet would take longer than all else here. */
static inline uint32_t home_of(const struct homing *homing, uint32_t name)
{
    uint32_t home = (uint32_t)(name * homing->homes_of_name >> SCALE);
    return home < homing->ranks ? home : homing->ranks - 1;
}

/* Returns whether the name's home is another rank. */
static inline bool is_away(const struct homing *homing, uint32_t name)
{
    return name - homing->block.first >= homing->block.names;
}

/* Returns the first name whose home is the rank. */
static uint32_t first_name(const struct homing *homing, uint32_t rank)
{
    uint64_t scaled = (uint64_t)rank << SCALE;
    return (uint32_t)((scaled + homing->homes_of_name - 1) / homing->homes_of_name);
}

/* ---- where packets come to rest ---- */

/* Sends the list to the ranks of the nodes, whose order is that of the cells. */
static void send_rests(struct homing *homing)
{
    const struct machine_config *config = &homing->machine->config;
    memset(homing->bytes, 0, homing->ranks * sizeof *homing->bytes);
    for (size_t i = 0; i < homing->rests; i++) {
        node_index node = (node_index)(homing->rest[i] >> 32);
        homing->bytes[ranks_owner(config->ranks, config->mesh.rows, node / config->mesh.cols)] +=
            sizeof *homing->rest;
    }
    homing->rest = send_and_receive(homing, homing->rest);
    homing->rests = count_words(homing, sizeof *homing->rest);
}

/* Lists what comes to rest at this rank's nodes. */
static bool list_rests(struct homing *homing)
{
    struct machine *machine = homing->machine;
    struct plane *plane = machine->plane;
    struct node_range own = machine_nodes(machine);
    size_t count = 0;
    for (node_index cell = own.first; cell < own.end; cell++)
        count += plane->word[cell] != PLANE_EMPTY;
    homing->rest = take_memory(homing, count, sizeof *homing->rest);
    for (node_index cell = own.first; homing->rest != NULL && cell < own.end; cell++) {
        if (plane->word[cell] != PLANE_EMPTY)
            homing->rest[homing->rests++] =
                (uint64_t)plane_node_of_cell(machine, cell) << 32 | (uint32_t)plane->word[cell];
    }
    if (homing->rest != NULL && plane->pairing.is_on && plane->pairing.lines.are_columns)
        send_rests(homing);
    return homing->rest != NULL;
}

/* ---- who needs a packet, who has it ---- */

/* Tells the homes which packets this rank needs and offers. */
static bool ask(struct homing *homing)
{
    const struct headers *header = &homing->machine->header;
    const struct plane *plane = homing->machine->plane;
    uint32_t ranks = homing->ranks;
    size_t *need = homing->fill, *offer = need + ranks, *offers = offer + ranks, words = 0;
    bool any = false; /* offers */
    memset(need, 0, 3 * ranks * sizeof *need);
    for (size_t i = 0; i < homing->rests; i++)
        need[home_of(homing, (uint32_t)homing->rest[i])]++;
    for (uint32_t i = 0; i < plane->own_packets; i++) {
        uint32_t name = packet_name(header, plane->opened[i]);
        if (is_away(homing, name)) {
            offers[home_of(homing, name)]++;
            any = true;
        }
    }
    for (uint32_t i = 0; i < ranks; i++) {
        size_t needs = need[i];
        homing->need[i + 1] = homing->need[i] + needs;
        homing->bytes[i] = (2 + offers[i] + needs) * sizeof *homing->asked;
        offer[i] = words + 2;
        need[i] = offer[i] + offers[i];
        words = need[i] + needs;
    }
    uint32_t *buffer = take_memory(homing, words, sizeof *buffer);
    for (uint32_t i = 0; buffer != NULL && i < ranks; i++) {
        buffer[offer[i] - 2] = (uint32_t)offers[i];
        buffer[offer[i] - 1] = (uint32_t)homing->need[i];
    }
    for (uint32_t i = 0; buffer != NULL && any && i < plane->own_packets; i++) {
        uint32_t name = packet_name(header, plane->opened[i]);
        if (is_away(homing, name))
            buffer[offer[home_of(homing, name)]++] = name;
    }
    for (size_t i = 0; buffer != NULL && i < homing->rests; i++) {
        uint32_t name = (uint32_t)homing->rest[i];
        buffer[need[home_of(homing, name)]++] = name;
    }
    homing->asked = send_and_receive(homing, buffer);
    return homing->asked != NULL;
}

/* What one rank has asked. */
struct question {
    uint32_t offers, needs, first_need;
    const uint32_t *offer, *need;
};

/* Returns what the next rank has asked, from *words on, and passes over it. */
static struct question next_question(const struct homing *homing, uint32_t rank,
                                     const uint32_t **words)
{
    uint32_t count = (uint32_t)(homing->bytes[rank] / sizeof **words);
    const uint32_t *word = *words;
    *words += count;
    if (count < 2 || word[0] > count - 2) {
        disagree(homing); /* it says more offers than there are words */
        return (struct question){0};
    }
    return (struct question){.offers = word[0],
                             .needs = count - 2 - word[0],
                             .first_need = word[1],
                             .offer = word + 2,
                             .need = word + 2 + word[0]};
}

/* Marks the names of the block that are needed. */
static bool mark_needed(const struct homing *homing)
{
    const struct block *block = &homing->block;
    const uint32_t *words = homing->asked;
    for (uint32_t rank = 0; rank < homing->ranks; rank++) {
        struct question question = next_question(homing, rank, &words);
        for (uint32_t i = 0; i < question.needs; i++) {
            uint32_t at = question.need[i] - block->first;
            if (at >= block->names || block->place[at] > 0)
                return disagree(homing);
            block->place[at] = 1;
        }
    }
    return homing->machine->rank_failure.kind == FAIL_NONE;
}

/* Gives the marked names their places; returns how many there are. */
static uint32_t count_needed(struct block *block)
{
    uint32_t count = 0;
    for (uint32_t group = 0; group * (uint64_t)GROUP < block->names; group++) {
        uint32_t first = group * GROUP, left = block->names - first, places = 0;
        block->before[group] = count;
        for (uint32_t i = 0; i < GROUP && i < left; i++) {
            places += block->place[first + i];
            block->place[first + i] = block->place[first + i] > 0 ? (uint8_t)places : 0;
        }
        count += places;
    }
    return count;
}

/* Returns where the way of the packet of that name is kept; NULL: nobody needs it. */
static inline uint64_t *way_of_name(const struct block *block, uint32_t name)
{
    uint32_t at = name - block->first;
    if (at >= block->names || block->place[at] == 0)
        return NULL;
    return &block->way[block->before[at / GROUP] + block->place[at] - 1];
}

/* Learns where the packets of the block are needed. */
static bool find_ways(struct homing *homing)
{
    struct block *block = &homing->block;
    block->place = take_memory(homing, block->names, sizeof *block->place);
    block->before = take_memory(homing, block->names / GROUP + 1, sizeof *block->before);
    if (block->place == NULL || block->before == NULL || !mark_needed(homing))
        return false;
    block->way = take_memory(homing, count_needed(block), sizeof *block->way);
    const uint32_t *words = homing->asked;
    for (uint32_t rank = 0; block->way != NULL && rank < homing->ranks; rank++) {
        struct question question = next_question(homing, rank, &words);
        for (uint32_t i = 0; i < question.needs; i++)
            *way_of_name(block, question.need[i]) =
                (uint64_t)rank << 32 | (question.first_need + i);
    }
    return block->way != NULL;
}

/* Tells each rank the ways of the packets that it offers. */
static bool answer(struct homing *homing)
{
    const uint32_t *words = homing->asked;
    size_t count = 0, *bytes = homing->fill;
    for (uint32_t rank = 0; rank < homing->ranks; rank++) {
        struct question question = next_question(homing, rank, &words);
        bytes[rank] = question.offers * sizeof *homing->told;
        count += question.offers;
    }
    uint64_t *buffer = take_memory(homing, count, sizeof *buffer), *to = buffer;
    words = homing->asked;
    for (uint32_t rank = 0; buffer != NULL && rank < homing->ranks; rank++) {
        struct question question = next_question(homing, rank, &words);
        for (uint32_t i = 0; i < question.offers; i++) {
            const uint64_t *way = way_of_name(&homing->block, question.offer[i]);
            *to++ = way != NULL ? *way : NO_WAY;
        }
    }
    memcpy(homing->bytes, bytes, homing->ranks * sizeof *bytes);
    homing->told = send_and_receive(homing, buffer);
    return homing->told != NULL;
}

/* ---- packets ---- */

/* Finds the ways of this rank's packets, keeps those that are needed here, and lists the others. */
static bool keep_own(struct homing *homing)
{
    struct plane *plane = homing->machine->plane;
    size_t *count = homing->fill, *next = count + homing->ranks, told = 0, leavers = 0;
    for (uint32_t i = 0; i < homing->ranks; i++) {
        count[i] = 0;
        next[i] = told;
        told += homing->bytes[i] / sizeof *homing->told;
    }
    for (uint32_t i = 0; i < plane->own_packets; i++) {
        uint32_t packet = plane->opened[i];
        uint32_t name = packet_name(&homing->machine->header, packet);
        const uint64_t *way;
        if (is_away(homing, name)) {
            size_t *answered = &next[home_of(homing, name)];
            way = *answered < told ? &homing->told[(*answered)++] : NULL;
        } else {
            way = way_of_name(&homing->block, name);
        }
        if (way == NULL || *way >> 32 >= homing->ranks)
            return disagree(homing);
        uint32_t to = (uint32_t)(*way >> 32), number = (uint32_t)*way;
        bool stays = to == homing->rank && number < homing->rests;
        homing->got[stays ? number : homing->rests] = packet; /* the last one is nobody's */
        homing->listed[leavers] = (uint64_t)packet << 32 | number;
        homing->listed_to[leavers] = to; /* of packets that have been read */
        leavers += to != homing->rank;
        count[to]++;
    }
    homing->leavers = leavers;
    return true;
}

/* Puts the packets that leave into the order of ranks to which they go, those of rank r before fill[r]. */
static bool order_leavers(struct homing *homing)
{
    size_t *next = homing->fill, before = 0;
    for (uint32_t i = 0; i < homing->ranks; i++) {
        size_t count = i == homing->rank ? 0 : next[i];
        next[i] = before;
        before += count;
    }
    homing->leaver = take_memory(homing, homing->leavers, sizeof *homing->leaver);
    for (size_t i = 0; homing->leaver != NULL && i < homing->leavers; i++)
        homing->leaver[next[homing->listed_to[i]]++] = homing->listed[i];
    return homing->leaver != NULL;
}

/* Packets that are packed at once. */
enum { BATCH = 256 };

/* Packs the packets that leave: of each batch how many, the numbers of the needs, and the packets. */
static void pack(struct homing *homing, struct parcel *parcel)
{
    struct machine *machine = homing->machine;
    uint32_t number[BATCH], packet[BATCH];
    size_t i = 0;
    parcel_reserve(machine, parcel, homing->leavers + 1, 2 * sizeof *number);
    for (uint32_t to = 0; to < homing->ranks; to++) {
        size_t before = parcel->bytes, end = homing->fill[to];
        while (i < end) {
            uint32_t count = 0;
            for (; i < end && count < BATCH; i++, count++) {
                number[count] = (uint32_t)homing->leaver[i];
                packet[count] = (uint32_t)(homing->leaver[i] >> 32);
            }
            parcel_put(machine, parcel, &count, sizeof count);
            parcel_put(machine, parcel, number, count * sizeof *number);
            parcel_put_packets(machine, parcel, 0, packet, count);
        }
        homing->bytes[to] = parcel->bytes - before;
    }
}

/* Takes in the packets that come. */
static bool unpack(struct homing *homing, struct parcel *parcel)
{
    struct machine *machine = homing->machine;
    uint32_t number[BATCH], packet[BATCH], count;
    /* what is too short is not passed over */
    while (parcel->bytes < parcel->room && machine->rank_failure.kind == FAIL_NONE) {
        parcel_get(machine, parcel, &count, sizeof count);
        if (count > BATCH)
            return disagree(homing);
        parcel_get(machine, parcel, number, count * sizeof *number);
        if (!parcel_get_packets(machine, parcel, 0, packet, count))
            return disagree(homing);
        for (uint32_t i = 0; i < count; i++) {
            if (number[i] >= homing->rests)
                return disagree(homing);
            homing->got[number[i]] = packet[i];
        }
    }
    return machine->rank_failure.kind == FAIL_NONE;
}

static bool exchange(struct homing *homing)
{
    struct parcel parcel = {0};
    pack(homing, &parcel);
    void *all = send_and_receive(homing, parcel.content);
    if (all == NULL)
        return false;
    parcel = (struct parcel){.content = all, .room = count_words(homing, 1)};
    bool whole = unpack(homing, &parcel);
    free(all);
    return whole;
}

/* Brings all packets that this rank needs to rest, in the order of cells. */
static bool put_down(struct homing *homing)
{
    enum { AHEAD = 16 }; /* packets that are prefetched before they are put down */
    struct machine *machine = homing->machine;
    size_t *next = homing->need;
    for (size_t i = 0; i < homing->rests; i++) {
        node_index node = (node_index)(homing->rest[i] >> 32);
        size_t number = next[home_of(homing, (uint32_t)homing->rest[i])]++;
        uint32_t packet = homing->got[number];
        if (number + AHEAD < homing->rests)
            __builtin_prefetch(&machine->next[homing->got[number + AHEAD]], 1);
        if (packet == MACHINE_NONE)
            return disagree(homing);
        machine_rest(machine, node, packet);
        machine->occupancy[node]++;
    }
    return true;
}

static bool bring_home(struct homing *homing)
{
    if (!list_rests(homing) || !ask(homing) || !find_ways(homing) || !answer(homing))
        return false;
    homing->got = take_memory(homing, homing->rests, sizeof *homing->got);
    if (homing->got == NULL)
        return false;
    memset(homing->got, 0xff, homing->rests * sizeof *homing->got);
    return keep_own(homing) && order_leavers(homing) && exchange(homing) && put_down(homing);
}

void plane_put_down(struct machine *machine)
{
    uint32_t ranks = ranks_size(machine->config.ranks);
    struct homing homing = {.machine = machine,
                            .ranks = ranks,
                            .rank = ranks_rank(machine->config.ranks),
                            .homes_of_name = ((uint64_t)ranks << SCALE) /
                                             (machine->config.slots + (machine->config.slots == 0)),
                            .listed = machine->plane->word + machine_nodes(machine).first,
                            .listed_to = machine->plane->opened};
    homing.block.first = first_name(&homing, homing.rank);
    homing.block.names = first_name(&homing, homing.rank + 1) - homing.block.first;
    homing.bytes = take_memory(&homing, ranks, sizeof *homing.bytes);
    homing.fill = take_memory(&homing, 3 * (size_t)ranks, sizeof *homing.fill);
    homing.need = take_memory(&homing, ranks, sizeof *homing.need);
    if (homing.bytes != NULL && homing.fill != NULL && homing.need != NULL)
        bring_home(&homing);
    free(homing.bytes);
    free(homing.fill);
    free(homing.need);
    free(homing.rest);
    free(homing.got);
    free(homing.asked);
    free(homing.block.place);
    free(homing.block.before);
    free(homing.block.way);
    free(homing.told);
    free(homing.leaver);
}
