/* home.c - packets that follow their words to other ranks, when a plane is closed.
 *
 * While a plane is open a packet stays stored where it was, and its word, which bears its name, moves. In the end
 * most words are at other ranks than their packets, and neither rank knows the other. So they meet at a third one,
 * rank name mod ranks: it is told by which rank a packet is offered and by which one it is needed, and tells the
 * first one to send it to the second. This is the host's work, and no step of the machine.
 * Cost: some 50 bytes for each packet that moves, for a while; O(1) a packet.
 */
#include "machine/border.h"
#include "machine/plane/plane_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* In machine->next: this rank put the packet into the plane, and has it still. A packet under way has none. */
#define OPENED (UINT64_MAX - 1)

/* How many packets before it is looked at what is known of one is on its way to the processor. */
enum { AHEAD = 16 };

static const uint64_t LOW = UINT32_MAX; /* of a word: a name, or a packet */

struct homing {
    struct machine *machine;
    uint32_t ranks;
    /* node << 32 | name, in the order of the cells; the packet in the place of the name once it is here. */
    uint64_t *rest;
    size_t rests;
    uint32_t *absent; /* places in that list of packets that are elsewhere */
    size_t absents;
    size_t *bytes; /* [ranks]: of messages to each, then from each */
    size_t *fill;  /* [2 * ranks]: while messages are written */
    uint32_t *
        asked; /* from each rank: how many packets it offers, their names, and those that it needs */
    uint64_t
        *told; /* from each rank, in the order of ranks to which packets go: rank << 32 | name */
    size_t tolds;
};

void plane_list_opened(struct machine *machine)
{
    struct plane *plane = machine->plane;
    struct node_range own = machine_nodes(machine);
    plane->own_packets = 0;
    for (node_index node = own.first; node < own.end; node++)
        if (machine->resting_first[node] != MACHINE_NONE)
            plane->opened[plane->own_packets++] = machine->resting_first[node];
}

void plane_mark_opened(struct machine *machine)
{
    const struct plane *plane = machine->plane;
    for (uint32_t i = 0; i < plane->own_packets; i++)
        machine->next[plane->opened[i]] = OPENED;
}

/* Returns memory for the homing, or NULL: the failure is kept. */
static void *take_memory(struct homing *homing, size_t count, size_t size)
{
    void *memory = memory_allocate(count + 1, size);
    if (memory == NULL)
        machine_rank_fails(homing->machine, "packets of other ranks");
    return memory;
}

/* Sends a buffer, which it frees, homing->bytes[] to each rank, and returns what comes. NULL: it failed. */
static void *swap(struct homing *homing, void *buffer)
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

/* Writes the fill[] of messages of so many words to each rank, and their bytes; returns all words. */
static size_t begin_filling(struct homing *homing, size_t size)
{
    size_t before = 0;
    for (uint32_t i = 0; i < homing->ranks; i++) {
        size_t words = homing->fill[i];
        homing->bytes[i] = words * size;
        homing->fill[i] = before;
        before += words;
    }
    return before;
}

/* ---- where packets come to rest ---- */

static void add_rest(struct homing *homing, node_index node, uint64_t *word)
{
    const struct machine_config *config = &homing->machine->config;
    if (*word == PLANE_EMPTY)
        return;
    uint32_t owner = ranks_owner(config->ranks, config->mesh.rows, node / config->mesh.cols);
    homing->bytes[owner] += sizeof *homing->rest;
    homing->rest[homing->rests++] = (uint64_t)node << 32 | (uint32_t)*word;
    *word = PLANE_EMPTY;
}

/* Empties the plane, and lists what comes to rest at this rank's nodes. */
static bool list_rests(struct homing *homing)
{
    struct machine *machine = homing->machine;
    struct plane *plane = machine->plane;
    struct node_range own = machine_nodes(machine);
    size_t count = 0;
    for (node_index cell = own.first; cell < own.end; cell++)
        count +=
            (plane->word[cell] != PLANE_EMPTY) + (size_t)(plane->backward[cell] != PLANE_EMPTY);
    homing->rest = take_memory(homing, count, sizeof *homing->rest);
    for (node_index cell = own.first; homing->rest != NULL && cell < own.end; cell++) {
        node_index node = plane_node_of_cell(machine, cell);
        add_rest(homing, node, &plane->word[cell]);
        add_rest(homing, node, &plane->backward[cell]);
    }
    if (homing->rest != NULL && plane->pairing.is_on && plane->pairing.lines.are_columns) {
        /* cells of paired columns may be at nodes of other ranks; their order is that of the ranks */
        homing->rest = swap(homing, homing->rest);
        homing->rests = count_words(homing, sizeof *homing->rest);
    }
    return homing->rest != NULL;
}

/* Returns the packet of that name if this rank has it, for the plane; else MACHINE_NONE. */
static uint32_t find_here(const struct machine *machine, uint32_t name)
{
    uint32_t packet = packet_of_name(&machine->header, name);
    bool is_here = packet < machine->pool.room && machine->next[packet] == OPENED &&
                   packet_name(&machine->header, packet) == name;
    return is_here ? packet : MACHINE_NONE;
}

/* Lets what is known of packets that come later in the list be on its way. */
static inline void fetch(const struct machine *machine, const uint64_t *list, size_t i,
                         size_t count)
{
    if (i + 2 * AHEAD < count)
        __builtin_prefetch(&machine->header.slot_of_name[(uint32_t)list[i + 2 * AHEAD]]);
    if (i + AHEAD >= count)
        return;
    uint32_t packet = packet_of_name(&machine->header, (uint32_t)list[i + AHEAD]);
    __builtin_prefetch(&machine->next[packet]);
    __builtin_prefetch(&machine->header.name[packet]);
}

/* Finds the packets that are here, which stay, and those that are not. */
static bool find_all(struct homing *homing)
{
    struct machine *machine = homing->machine;
    homing->absent = take_memory(homing, homing->rests, sizeof *homing->absent);
    for (size_t i = 0; homing->absent != NULL && i < homing->rests; i++) {
        fetch(machine, homing->rest, i, homing->rests);
        uint32_t packet = find_here(machine, (uint32_t)homing->rest[i]);
        if (packet == MACHINE_NONE) {
            homing->absent[homing->absents++] = (uint32_t)i;
            continue;
        }
        machine->next[packet] = MACHINE_NONE;
        homing->rest[i] = (homing->rest[i] & ~LOW) | packet;
    }
    return homing->absent != NULL;
}

static void put_down(struct homing *homing)
{
    struct machine *machine = homing->machine;
    for (size_t i = 0; i < homing->absents; i++) {
        uint64_t *word = &homing->rest[homing->absent[i]];
        *word = (*word & ~LOW) | packet_of_name(&machine->header, (uint32_t)*word);
    }
    for (size_t i = 0; i < homing->rests; i++) {
        node_index node = (node_index)(homing->rest[i] >> 32);
        if (i + AHEAD < homing->rests)
            __builtin_prefetch(&machine->next[(uint32_t)homing->rest[i + AHEAD]]);
        machine_rest(machine, node, (uint32_t)homing->rest[i]);
        machine->occupancy[node]++;
    }
}

/* ---- who has a packet, who needs it ---- */

/* Tells the third ranks which packets this rank offers and needs. */
static bool ask(struct homing *homing)
{
    const struct machine *machine = homing->machine;
    const struct plane *plane = machine->plane;
    uint32_t ranks = homing->ranks;
    size_t *count = homing->fill, *offers = homing->fill + ranks;
    memset(count, 0, 2 * ranks * sizeof *count);
    for (uint32_t i = 0; i < plane->own_packets; i++)
        if (machine->next[plane->opened[i]] == OPENED)
            offers[packet_name(&machine->header, plane->opened[i]) % ranks]++;
    for (size_t i = 0; i < homing->absents; i++)
        count[(uint32_t)homing->rest[homing->absent[i]] % ranks]++;
    for (uint32_t i = 0; i < ranks; i++)
        count[i] += offers[i] + 1;
    size_t words = begin_filling(homing, sizeof *homing->asked);
    uint32_t *buffer = take_memory(homing, words, sizeof *buffer);
    for (uint32_t i = 0; buffer != NULL && i < ranks; i++)
        buffer[count[i]++] = (uint32_t)offers[i];
    for (uint32_t i = 0; buffer != NULL && i < plane->own_packets; i++) {
        uint32_t name = packet_name(&machine->header, plane->opened[i]);
        if (machine->next[plane->opened[i]] == OPENED)
            buffer[count[name % ranks]++] = name;
    }
    for (size_t i = 0; buffer != NULL && i < homing->absents; i++) {
        uint32_t name = (uint32_t)homing->rest[homing->absent[i]];
        buffer[count[name % ranks]++] = name;
    }
    homing->asked = swap(homing, buffer);
    return homing->asked != NULL;
}

/* A name and the rank that offers its packet. */
struct offer {
    uint32_t name, rank;
};

/* The offers by names: open addressing. */
struct offers {
    struct offer *offer;
    size_t size;
};

static inline size_t hash_of(const struct offers *offers, uint32_t name)
{
    return (size_t)((uint64_t)(name * UINT32_C(0x9e3779b1)) * offers->size >> 32);
}

static size_t place_of_offer(const struct offers *offers, uint32_t name)
{
    size_t at = hash_of(offers, name);
    while (offers->offer[at].name != name && offers->offer[at].name != MACHINE_NONE)
        at = at + 1 < offers->size ? at + 1 : 0;
    return at;
}

static bool make_offers(struct homing *homing, struct offers *offers)
{
    const uint32_t *words = homing->asked;
    size_t count = 0;
    for (uint32_t i = 0; i < homing->ranks; i++) {
        count += words[0];
        words += homing->bytes[i] / sizeof *words;
    }
    offers->size = count + count / 2 + 1;
    offers->offer = take_memory(homing, offers->size, sizeof *offers->offer);
    if (offers->offer == NULL)
        return false;
    memset(offers->offer, 0xff, offers->size * sizeof *offers->offer);
    words = homing->asked;
    for (uint32_t rank = 0; rank < homing->ranks; rank++) {
        for (uint32_t i = 1; i <= words[0]; i++) {
            if (i + AHEAD <= words[0])
                __builtin_prefetch(&offers->offer[hash_of(offers, words[i + AHEAD])]);
            offers->offer[place_of_offer(offers, words[i])] = (struct offer){words[i], rank};
        }
        words += homing->bytes[rank] / sizeof *words;
    }
    return true;
}

/* Finds the rank that has each packet needed, in the order in which they are; counts them in fill[]. */
static uint32_t *find_holders(struct homing *homing, const struct offers *offers)
{
    const uint32_t *words = homing->asked;
    uint32_t *holders = take_memory(homing, count_words(homing, sizeof *words), sizeof *holders);
    uint32_t *holder = holders;
    memset(homing->fill, 0, homing->ranks * sizeof *homing->fill);
    for (uint32_t rank = 0; holders != NULL && rank < homing->ranks; rank++) {
        size_t end = homing->bytes[rank] / sizeof *words;
        for (size_t i = 1 + (size_t)words[0]; i < end; i++) {
            if (i + AHEAD < end)
                __builtin_prefetch(&offers->offer[hash_of(offers, words[i + AHEAD])]);
            const struct offer *offer = &offers->offer[place_of_offer(offers, words[i])];
            assert(offer->name == words[i]);
            homing->fill[ *holder++ = offer->rank]++;
        }
        words += end;
    }
    return holders;
}

/* Tells those that offer packets, as the third rank, where to send them. */
static bool answer(struct homing *homing)
{
    struct offers offers;
    if (!make_offers(homing, &offers))
        return false;
    uint32_t *holders = find_holders(homing, &offers);
    free(offers.offer);
    if (holders == NULL)
        return false;
    const uint32_t *words = homing->asked, *holder = holders;
    size_t count = 0;
    for (uint32_t i = 0; i < homing->ranks; i++)
        count += homing->fill[i];
    uint64_t *buffer = take_memory(homing, count, sizeof *buffer);
    size_t *ends =
        homing->fill + homing->ranks; /* of what comes from each rank, as bytes[] changes */
    for (uint32_t i = 0; i < homing->ranks; i++)
        ends[i] = homing->bytes[i] / sizeof *words;
    begin_filling(homing, sizeof *buffer);
    for (uint32_t rank = 0; buffer != NULL && rank < homing->ranks; rank++) {
        for (size_t i = 1 + (size_t)words[0]; i < ends[rank]; i++)
            buffer[homing->fill[*holder++]++] = (uint64_t)rank << 32 | words[i];
        words += ends[rank];
    }
    free(holders);
    homing->told = swap(homing, buffer);
    homing->tolds = count_words(homing, sizeof *homing->told);
    return homing->told != NULL;
}

/* ---- packets ---- */

/* Packs the packets for rank `to` that the words from `word` on tell; returns what is behind them. The words become
 * the packets that have gone. */
static uint64_t *pack(struct homing *homing, uint32_t to, uint64_t *word, const uint64_t *end,
                      struct parcel *parcel)
{
    struct machine *machine = homing->machine;
    for (; word < end && *word >> 32 == to; word++) {
        fetch(machine, word, 0, (size_t)(end - word));
        uint32_t packet = packet_of_name(&machine->header, (uint32_t)*word);
        if (word + AHEAD / 2 < end)
            __builtin_prefetch(&machine->header.packet[packet_of_name(&machine->header,
                                                                      (uint32_t)word[AHEAD / 2])]);
        machine->next[packet] = MACHINE_NONE;
        border_pack(machine, parcel, packet);
        *word = packet;
    }
    return word;
}

static void send(struct homing *homing, struct parcel *parcel)
{
    size_t *next = homing->fill, *ends = homing->fill + homing->ranks, before = 0;
    for (uint32_t i = 0; i < homing->ranks; i++) {
        next[i] = before;
        before = ends[i] = before + homing->bytes[i] / sizeof *homing->told;
    }
    parcel_reserve(homing->machine, parcel, homing->tolds + 1);
    for (uint32_t to = 0; to < homing->ranks; to++) {
        size_t packed = parcel->bytes;
        for (uint32_t i = 0; i < homing->ranks; i++)
            next[i] =
                (size_t)(pack(homing, to, homing->told + next[i], homing->told + ends[i], parcel) -
                         homing->told);
        homing->bytes[to] = parcel->bytes - packed;
    }
}

/* Takes in the packets that come, in the place of those that have gone. */
static void receive(struct homing *homing, struct parcel *parcel)
{
    struct machine *machine = homing->machine;
    size_t gone = 0;
    while (parcel->bytes < parcel->room) {
        uint32_t place = gone < homing->tolds ? (uint32_t)homing->told[gone++] : MACHINE_NONE;
        if (gone + AHEAD < homing->tolds) {
            uint32_t later = (uint32_t)homing->told[gone + AHEAD];
            __builtin_prefetch(&machine->header.packet[later], 1);
            __builtin_prefetch(&machine->header.destination[later], 1);
            __builtin_prefetch(&machine->header.name[later], 1);
        }
        if (border_unpack(machine, parcel, place) == MACHINE_NONE)
            return;
    }
    for (; gone < homing->tolds; gone++) {
        uint32_t packet = (uint32_t)homing->told[gone];
        pool_drop(&machine->pool, machine->pool.gone[0], machine->header.packet[packet].first,
                  packet);
    }
}

static bool exchange(struct homing *homing)
{
    struct parcel parcel = {NULL, 0, 0};
    send(homing, &parcel);
    void *all = swap(homing, parcel.content);
    if (all == NULL)
        return false;
    parcel = (struct parcel){all, 0, count_words(homing, 1)};
    receive(homing, &parcel);
    free(all);
    return homing->machine->rank_failure.kind == FAIL_NONE;
}

void plane_put_down(struct machine *machine)
{
    uint32_t ranks = ranks_size(machine->config.ranks);
    struct homing homing = {.machine = machine, .ranks = ranks};
    homing.bytes = take_memory(&homing, ranks, sizeof *homing.bytes);
    homing.fill = take_memory(&homing, 2 * (size_t)ranks, sizeof *homing.fill);
    if (homing.bytes != NULL && homing.fill != NULL && list_rests(&homing) && find_all(&homing) &&
        ask(&homing) && answer(&homing) && exchange(&homing))
        put_down(&homing);
    free(homing.bytes);
    free(homing.fill);
    free(homing.rest);
    free(homing.absent);
    free(homing.asked);
    free(homing.told);
}
