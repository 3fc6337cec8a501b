/* directory.c - packets that follow their words to other ranks, when a plane is closed.
 *
 * While a plane is open a packet stays stored where it was, and its word, which bears its name,
 * moves. In the end most words are at other ranks than their packets, and neither rank knows the
 * other. So they meet at the home of the name, a rank that follows from it: ranks have blocks of
 * names of equal size. Each rank sends the homes the names of the packets that it needs, and of
 * those that it has away from home; a home answers with their destinations. Names run along rows,
 * so usually a packet that has not moved yet is stored at home, and there is nothing to answer.
 * This is the host's work, and no step of the machine.
 *
 * A need has a number, its place in the order of cells, which comes with the packet; so nothing is
 * looked up by names but in the home's own block. Packets are packed and unpacked in the order in
 * which they are stored.
 * Cost: some 50 bytes per packet and one per name of the block, temporarily; O(1) per packet and
 * name.
 */
#include "machine/plane/plane_private.h"
#include "machine/ranks/border.h"
#include "machine/ranks/outbox.h"

#include <stdlib.h>
#include <string.h>

/* Names of a block that share a count of needed names before them; and the bits behind the point of
 * homes_of_name. */
enum { GROUP = 128, SCALE = 40 };

/* To a home: the name of a packet, and the number of the need, or of an offer among the packets of
 * the plane. */
struct notice {
    uint32_t name, number;
};

/* From a home: the offered packet is to go to rank `to`, where the need has this number. */
struct answer {
    uint32_t offer, to, need;
};

/* A packet that is to leave, and the number of the need. */
struct leaver {
    uint32_t packet, need;
};

/* The names whose home is this rank. A needed name's place is its number among the needed names of
 * its group. */
struct block {
    uint32_t first, names;
    uint8_t *place;   /* [names]: 1 .. GROUP; 0: not needed */
    uint32_t *before; /* [groups]: number of needed names in earlier groups */
    uint64_t *route;  /* [needed]: routes of their packets: rank << 32 | number of the need */
};

struct homing {
    struct machine *machine;
    uint32_t ranks, rank;
    uint64_t homes_of_name; /* homes / names, times 1 << SCALE */
    /* [needs]: node << 32 | name of the packets that come to rest here, in the order of cells */
    struct items rests;
    struct items offers, answers; /* of and for other ranks */
    struct block block;
    uint32_t *got; /* [needs]: the packet, MACHINE_NONE until it is here */
};

/* ---- homes ---- */

/* Fails because of items that other ranks have sent. */
static bool disagree(const struct homing *homing)
{
    struct machine *machine = homing->machine;
    if (machine->rank_failure.kind == FAIL_NONE) {
        fail(&machine->rank_failure, FAIL_CHECK,
             "rank %u was told of packets that other ranks do not have", homing->rank);
        ranks_break(machine->config.ranks, &machine->rank_failure);
    }
    return false;
}

/* Returns memory for the homing, or NULL: the failure is kept. */
static void *take_memory(struct homing *homing, size_t count, size_t size)
{
    void *memory = memory_allocate(count + 1, size);
    if (memory == NULL)
        machine_rank_fails(homing->machine, "packets of other ranks");
    return memory;
}

static bool sort_items(struct homing *homing, struct items *items, size_t size,
                       void (*list)(void *homing, struct items *items))
{
    struct machine *machine = homing->machine;
    if (!items_sort(items, machine->config.ranks, size, list, homing))
        machine_rank_fails(machine, "packets of other ranks");
    return machine->rank_failure.kind == FAIL_NONE;
}

/* Sends the items that `list` puts, and gets those of other ranks. False: a rank has failed. */
static bool exchange_items(struct homing *homing, struct items *items, size_t size,
                           void (*list)(void *homing, struct items *items))
{
    return sort_items(homing, items, size, list) &&
           items_swap(items, &homing->machine->rank_failure) == FAIL_NONE;
}

/* Returns the home of a name. A division per packet would last longer than all other work here. */
static inline uint32_t home_of(const struct homing *homing, uint32_t name)
{
    uint32_t home = (uint32_t)(name * homing->homes_of_name >> SCALE);
    return home < homing->ranks ? home : homing->ranks - 1;
}

/* Returns the first name whose home is the rank. */
static uint32_t first_name(const struct homing *homing, uint32_t rank)
{
    uint64_t scaled = (uint64_t)rank << SCALE;
    return (uint32_t)((scaled + homing->homes_of_name - 1) / homing->homes_of_name);
}

/* ---- needs and offers of packets ---- */

/* Puts the packets that come to rest for the ranks of their nodes, whose order is that of the
 * cells. */
static void list_rests(void *of_homing, struct items *items)
{
    struct homing *homing = of_homing;
    struct machine *machine = homing->machine;
    const struct plane *plane = machine->plane;
    struct mesh mesh = machine->config.mesh;
    struct node_range own = machine_nodes(machine);
    bool stays = !(plane->pairing.is_on && plane->pairing.lines.are_columns);
    for (node_index cell = own.first; cell < own.end; cell++) {
        if (plane->word[cell] == PLANE_EMPTY)
            continue;
        node_index node = plane_node_of_cell(machine, cell);
        uint64_t rest = (uint64_t)node << 32 | (uint32_t)plane->word[cell];
        items_put(items,
                  stays ? homing->rank
                        : ranks_owner(machine->config.ranks, mesh.rows, node / mesh.cols),
                  &rest);
    }
}

static void list_needs(void *of_homing, struct items *items)
{
    const struct homing *homing = of_homing;
    const uint64_t *rest = (const uint64_t *)homing->rests.all;
    for (uint32_t i = 0; i < homing->rests.count; i++) {
        struct notice need = {(uint32_t)rest[i], i};
        items_put(items, home_of(homing, need.name), &need);
    }
}

static void list_offers(void *of_homing, struct items *items)
{
    const struct homing *homing = of_homing;
    const struct plane *plane = homing->machine->plane;
    for (uint32_t i = 0; i < plane->own_packets; i++) {
        struct notice offer = {packet_name(&homing->machine->header, plane->opened[i]), i};
        if (offer.name - homing->block.first >= homing->block.names)
            items_put(items, home_of(homing, offer.name), &offer);
    }
}

/* Marks the names of the block that are needed. */
static bool mark_needed(const struct homing *homing, const struct items *needs)
{
    const struct block *block = &homing->block;
    const struct notice *need = (const struct notice *)needs->all;
    for (size_t i = 0; i < needs->count; i++) {
        uint32_t at = need[i].name - block->first;
        if (at >= block->names || block->place[at] > 0)
            return disagree(homing);
        block->place[at] = 1;
    }
    return true;
}

/* Gives the marked names their places; returns their number. */
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

/* Returns the place of the route of the packet of that name; NULL: it is not needed. */
static inline uint64_t *route_of_name(const struct block *block, uint32_t name)
{
    uint32_t at = name - block->first;
    if (at >= block->names || block->place[at] == 0)
        return NULL;
    return &block->route[block->before[at / GROUP] + block->place[at] - 1];
}

/* Learns where the packets of the block are needed. */
static bool find_routes(struct homing *homing)
{
    struct block *block = &homing->block;
    struct items needs = {.size = 0};
    bool is_found = false;
    block->place = take_memory(homing, block->names, sizeof *block->place);
    block->before = take_memory(homing, block->names / GROUP + 1, sizeof *block->before);
    if (block->place != NULL && block->before != NULL &&
        exchange_items(homing, &needs, sizeof(struct notice), list_needs) &&
        mark_needed(homing, &needs)) {
        block->route = take_memory(homing, count_needed(block), sizeof *block->route);
        is_found = block->route != NULL;
    }
    const struct notice *need = (const struct notice *)needs.all;
    for (uint32_t rank = 0; is_found && rank < homing->ranks; rank++)
        for (size_t i = needs.bytes[rank] / sizeof *need; i > 0; i--, need++)
            *route_of_name(block, need->name) = (uint64_t)rank << 32 | need->number;
    items_free(&needs);
    return is_found;
}

/* Puts, for each rank, the destinations of the packets that it offers; none if a packet is not
 * needed. */
static void list_answers(void *of_homing, struct items *items)
{
    const struct homing *homing = of_homing;
    const struct notice *offer = (const struct notice *)homing->offers.all;
    for (uint32_t rank = 0; rank < homing->ranks; rank++)
        for (size_t i = homing->offers.bytes[rank] / sizeof *offer; i > 0; i--, offer++) {
            const uint64_t *route = route_of_name(&homing->block, offer->name);
            struct answer answer = {offer->number, homing->ranks, 0};
            if (route != NULL)
                answer = (struct answer){offer->number, (uint32_t)(*route >> 32), (uint32_t)*route};
            items_put(items, rank, &answer);
        }
}

/* ---- packets ---- */

/* Keeps packet `index` of the plane if it is needed here, and else puts it for the rank `to`. */
static void leave(struct homing *homing, struct items *items, uint32_t index, uint32_t to,
                  uint32_t need)
{
    const struct plane *plane = homing->machine->plane;
    bool is_known = index < plane->own_packets && to < homing->ranks &&
                    (to != homing->rank || need < homing->rests.count);
    if (!is_known)
        disagree(homing);
    else if (to == homing->rank)
        homing->got[need] = plane->opened[index];
    else
        items_put(items, to, &(struct leaver){plane->opened[index], need});
}

static void list_leavers(void *of_homing, struct items *items)
{
    struct homing *homing = of_homing;
    const struct plane *plane = homing->machine->plane;
    const struct answer *answer = (const struct answer *)homing->answers.all;
    for (uint32_t i = 0; i < plane->own_packets; i++) {
        uint32_t name = packet_name(&homing->machine->header, plane->opened[i]);
        const uint64_t *route = route_of_name(&homing->block, name);
        if (route != NULL)
            leave(homing, items, i, (uint32_t)(*route >> 32), (uint32_t)*route);
        else if (name - homing->block.first < homing->block.names)
            disagree(homing);
    }
    for (size_t i = 0; i < homing->answers.count; i++)
        leave(homing, items, answer[i].offer, answer[i].to, answer[i].need);
}

/* Packets that are packed at once. */
enum { BATCH = 256 };

/* Packs the packets that leave: per batch their number, the numbers of the needs, and the
 * packets. */
static void pack(struct homing *homing, struct items *leavers, struct parcel *parcel)
{
    struct machine *machine = homing->machine;
    const struct leaver *leaver = (const struct leaver *)leavers->all;
    uint32_t number[BATCH], packet[BATCH];
    parcel_reserve(machine, parcel, leavers->end[homing->ranks - 1] / sizeof *leaver + 1,
                   2 * sizeof *number);
    for (uint32_t to = 0; to < homing->ranks; to++) {
        size_t before = parcel->bytes, left = leavers->bytes[to] / sizeof *leaver;
        while (left > 0) {
            uint32_t count = 0;
            for (; left > 0 && count < BATCH; left--, count++, leaver++) {
                number[count] = leaver->need;
                packet[count] = leaver->packet;
            }
            parcel_put(machine, parcel, &count, sizeof count);
            parcel_put(machine, parcel, number, count * sizeof *number);
            parcel_put_packets(machine, parcel, 0, packet, count);
        }
        leavers->bytes[to] = parcel->bytes - before;
    }
}

/* Receives the packets that arrive. */
static bool unpack(struct homing *homing, struct parcel *parcel)
{
    struct machine *machine = homing->machine;
    uint32_t number[BATCH], packet[BATCH], count;
    /* a short parcel is not passed over */
    while (parcel->bytes < parcel->room && machine->rank_failure.kind == FAIL_NONE) {
        parcel_get(machine, parcel, &count, sizeof count);
        if (count > BATCH)
            return disagree(homing);
        parcel_get(machine, parcel, number, count * sizeof *number);
        if (!parcel_get_packets(machine, parcel, 0, packet, count))
            return disagree(homing);
        for (uint32_t i = 0; i < count; i++) {
            if (number[i] >= homing->rests.count)
                return disagree(homing);
            homing->got[number[i]] = packet[i];
        }
    }
    return machine->rank_failure.kind == FAIL_NONE;
}

/* Sends the packets that leave, and receives those that arrive. */
static bool exchange(struct homing *homing)
{
    struct machine *machine = homing->machine;
    struct items leavers = {.size = 0};
    struct parcel parcel = {0};
    bool is_whole = sort_items(homing, &leavers, sizeof(struct leaver), list_leavers);
    if (is_whole) {
        pack(homing, &leavers, &parcel);
        leavers.size = 1; /* bytes of the parcel */
        free(leavers.all);
        leavers.all = parcel.content;
        is_whole = machine->rank_failure.kind == FAIL_NONE &&
                   items_swap(&leavers, &machine->rank_failure) == FAIL_NONE;
    }
    if (is_whole) {
        parcel = (struct parcel){.content = leavers.all, .room = leavers.count};
        is_whole = unpack(homing, &parcel);
    }
    items_free(&leavers);
    return is_whole;
}

/* Brings all packets that this rank needs to rest, in the order of cells. */
static bool put_down(struct homing *homing)
{
    enum { AHEAD = 16 }; /* packets that are prefetched before they are put down */
    struct machine *machine = homing->machine;
    const uint64_t *rest = (const uint64_t *)homing->rests.all;
    for (size_t i = 0; i < homing->rests.count; i++) {
        node_index node = (node_index)(rest[i] >> 32);
        uint32_t packet = homing->got[i];
        if (i + AHEAD < homing->rests.count)
            __builtin_prefetch(&machine->next[homing->got[i + AHEAD]], 1);
        if (packet == MACHINE_NONE)
            return disagree(homing);
        machine_rest(machine, node, packet);
        machine->occupancy[node]++;
    }
    return true;
}

static bool bring_home(struct homing *homing)
{
    if (!exchange_items(homing, &homing->rests, sizeof(uint64_t), list_rests) ||
        !find_routes(homing) ||
        !exchange_items(homing, &homing->offers, sizeof(struct notice), list_offers) ||
        !exchange_items(homing, &homing->answers, sizeof(struct answer), list_answers))
        return false;
    homing->got = take_memory(homing, homing->rests.count, sizeof *homing->got);
    if (homing->got == NULL)
        return false;
    memset(homing->got, 0xff, homing->rests.count * sizeof *homing->got);
    return exchange(homing) && put_down(homing);
}

void plane_put_down(struct machine *machine)
{
    uint32_t ranks = ranks_size(machine->config.ranks);
    struct homing homing = {.machine = machine,
                            .ranks = ranks,
                            .rank = ranks_rank(machine->config.ranks),
                            .homes_of_name =
                                ((uint64_t)ranks << SCALE) /
                                (machine->config.slots + (machine->config.slots == 0))};
    homing.block.first = first_name(&homing, homing.rank);
    homing.block.names = first_name(&homing, homing.rank + 1) - homing.block.first;
    bring_home(&homing);
    items_free(&homing.rests);
    items_free(&homing.offers);
    items_free(&homing.answers);
    free(homing.got);
    free(homing.block.place);
    free(homing.block.before);
    free(homing.block.route);
}
