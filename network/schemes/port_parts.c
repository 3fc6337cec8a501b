/* port_parts.c - the parts of a chain that a holder hands over in one step.
 *
 * Levels: with no steps a holder reaches itself. With s + 1 steps it reaches as far as with s, and in its first step it
 * hands over the parts behind, each as long as any receiver in it can serve with s steps, as many as it has ports and
 * ways that share no link.
 * With one message a side this is exact, and nothing is ever refused: any receiver has a way. A holder then reaches
 * (3^s - 1) / 2 members on either side and a part has up to 3^s of them, with its middle as the receiver. So far
 * every member reaches at every level. Beyond it reaches are computed for samples alone, of which a part of that
 * length has some SAMPLES at least: with long parts it hardly matters which of many members the receiver is, and ways
 * are long there. Cost: O(k) a level for k members, beside some walks of each sample; 8 bytes a member and level, 8 a
 * sample and level, 12 a member while levels are made; a byte and 8 more a link, of which only those on the ways are
 * touched.
 */
#include "network/schemes/port_parts.h"

#include <assert.h>
#include <stdlib.h>

enum { SAMPLES = 32, NO_PLACE = UINT32_MAX };

/* ---- levels ---- */

/* The end of the longest part that begins at a place. */
static uint32_t widest(const struct port_parts *parts, uint32_t level, uint32_t side,
                       uint32_t place)
{
    return parts->level[level].widest[side][place];
}

/* How far a holder reaches with one step more. */
static uint32_t reach_more(struct port_parts *parts, uint32_t level, uint32_t side, uint32_t holder)
{
    struct port_part part[PORT_PARTS_MOST];
    struct choosing choosing = port_receivers_begin(parts, level, side, holder, part);
    uint32_t reached = port_parts_reach(parts, level, side, holder);
    uint32_t most = port_receivers_most(&choosing);
    while (choosing.count < most && reached < parts->chain->count - 1) {
        uint32_t last = widest(parts, level, side, reached + 1);
        part[choosing.count++] = (struct port_part){.first = reached + 1, .last = last};
        if (!port_receivers_find(&choosing))
            break;
        reached = last;
    }
    return reached;
}

/* The first place from `place` on without an end: unset[] leads towards it. */
static uint32_t find_unset(uint32_t *unset, uint32_t place)
{
    while (unset[place] != place)
        place = unset[place] = unset[unset[place]];
    return place;
}

/* Sets the ends of the longest parts. To its reach a sample serves the parts that begin at places from its reach on the
 * other side up to itself. So the samples that reach farthest go first, and places that have their end are passed over.
 * Parts without a sample that serves them are as long as with one message a side. Returns the sum of all lengths. */
static uint64_t find_widest(struct port_parts *parts, uint32_t level, uint32_t side)
{
    const struct port_level *at = &parts->level[level];
    uint32_t count = parts->chain->count, *unset = parts->words, *end = at->widest[side];
    uint32_t *with_reach = unset + count + 1, *other = with_reach + count;
    uint64_t sum = 0;
    unset[count] = count;
    for (uint32_t place = 0; place < count; place++) {
        unset[place] = end[place] = place;
        with_reach[place] = NO_PLACE;
    }
    for (uint32_t member = 0; at->grid > 0 && member < count; member += at->grid) {
        uint32_t place = side == 0 ? member : port_parts_mirror(parts, member);
        uint32_t reach = port_parts_reach(parts, level, side, place);
        other[place] = with_reach[reach];
        with_reach[reach] = place;
    }
    for (uint32_t last = count; last-- > 0;)
        for (uint32_t sample = with_reach[last]; sample != NO_PLACE; sample = other[sample]) {
            uint32_t back =
                port_parts_reach(parts, level, 1 - side, port_parts_mirror(parts, sample));
            uint32_t place = find_unset(unset, port_parts_mirror(parts, back));
            for (; place <= sample; place = find_unset(unset, place)) {
                end[place] = last;
                unset[place] = place + 1;
            }
        }
    for (uint32_t place = 0; place < count; place++) {
        uint32_t least = 2 * at->half < count - 1 - place ? place + 2 * at->half : count - 1;
        end[place] = end[place] > least ? end[place] : least;
        sum += end[place] - place + 1;
    }
    return sum;
}

/* On the ways of a step and side: labels grow along a way, and no link is on two of them. */
static uint32_t most_links(const struct topology *topology)
{
    uint64_t ways = PORT_PARTS_MOST * (uint64_t)topology->nodes;
    return (uint32_t)(topology->links < ways ? topology->links : ways);
}

/* The longest parts of the highest level, and the grid of the next one. False: no memory. */
static bool finish_level(struct port_parts *parts, uint32_t *grid)
{
    uint32_t count = parts->chain->count, level = parts->levels - 1;
    struct port_level *at = &parts->level[level];
    uint64_t sum = 0;
    for (uint32_t side = 0; side < PORT_PARTS_SIDES; side++) {
        at->widest[side] = memory_allocate(count, sizeof *at->widest[side]);
        if (at->widest[side] == NULL)
            return false;
        sum += find_widest(parts, level, side);
    }
    uint64_t length = sum / PORT_PARTS_SIDES / count;
    while (2 * (uint64_t)*grid * SAMPLES <= length)
        *grid *= 2;
    return true;
}

/* Whether the source reaches both ends at the highest level. */
static bool is_complete(const struct port_parts *parts)
{
    const struct port_level *at = &parts->level[parts->levels - 1];
    uint32_t last = parts->chain->count - 1;
    return at->source[0] == last && at->source[1] == last;
}

/* Adds the next level: if it is complete the source's reaches are enough. False: no memory. */
static bool add_level(struct port_parts *parts, uint32_t grid)
{
    uint32_t count = parts->chain->count, level = parts->levels - 1;
    uint32_t half = parts->level[level].half, source = parts->chain->source;
    struct port_level *at = &parts->level[parts->levels++];
    assert(parts->levels <= PORT_PARTS_LEVELS);
    *at = (struct port_level){.half = half < count / 3 ? 3 * half + 1 : count};
    at->source[0] = reach_more(parts, level, 0, source);
    at->source[1] = reach_more(parts, level, 1, port_parts_mirror(parts, source));
    if (is_complete(parts))
        return true;
    for (uint32_t side = 0; side < PORT_PARTS_SIDES; side++) {
        at->reach[side] = memory_allocate(count / grid + 1, sizeof *at->reach[side]);
        if (at->reach[side] == NULL)
            return false;
        for (uint32_t member = 0; member < count; member += grid) {
            uint32_t place = side == 0 ? member : port_parts_mirror(parts, member);
            at->reach[side][member / grid] = reach_more(parts, level, side, place);
        }
    }
    at->grid = grid;
    return true;
}

enum failure_kind port_parts_make(struct port_parts *parts, const struct topology *topology,
                                  const struct chain *chain, uint32_t most, struct failure *failure)
{
    *parts = (struct port_parts){.topology = topology, .chain = chain, .most = most, .levels = 1};
    parts->level[0].source[0] = chain->source;
    parts->level[0].source[1] = port_parts_mirror(parts, chain->source);
    parts->way_room = most_links(topology);
    parts->taken = calloc(topology->links, 1);
    parts->way = memory_allocate(parts->way_room, sizeof *parts->way);
    parts->words = memory_allocate(3 * (size_t)chain->count + 1, sizeof *parts->words);
    bool is_made = parts->taken != NULL && parts->way != NULL && parts->words != NULL;
    for (uint32_t grid = 1; is_made && !is_complete(parts);)
        is_made = finish_level(parts, &grid) && add_level(parts, grid);
    free(parts->words);
    parts->words = NULL;
    if (is_made)
        return FAIL_NONE;
    port_parts_free(parts);
    return fail_memory(failure, "the parts of a multicast");
}

void port_parts_free(struct port_parts *parts)
{
    for (uint32_t level = 0; level < parts->levels; level++)
        for (uint32_t side = 0; side < PORT_PARTS_SIDES; side++) {
            free(parts->level[level].reach[side]);
            free(parts->level[level].widest[side]);
        }
    free(parts->taken);
    free(parts->way);
    free(parts->words);
    *parts = (struct port_parts){0};
}

uint32_t port_parts_level(const struct port_parts *parts, uint32_t place, uint32_t end,
                          uint32_t other_end)
{
    uint32_t level = 0, mirror = port_parts_mirror(parts, place);
    while (level + 1 < parts->levels && (port_parts_reach(parts, level, 0, place) < end ||
                                         port_parts_reach(parts, level, 1, mirror) < other_end))
        level++;
    return level;
}

/* ---- division ---- */

/* The longest parts from the holder's reach on; returns how many, or more than allowed. */
static uint32_t divide_from_near(const struct choosing *choosing, uint32_t reached, uint32_t end)
{
    uint32_t count = 0, most = port_receivers_most(choosing);
    while (reached < end && count < most) {
        count++;
        uint32_t last = widest(choosing->parts, choosing->level, choosing->side, reached + 1);
        last = last < end ? last : end;
        choosing->part[count - 1] = (struct port_part){.first = reached + 1, .last = last};
        reached = last;
    }
    return reached < end ? count + 1 : count;
}

/* `count` parts of about the same size. */
static void divide_evenly(struct choosing *choosing, uint32_t reached, uint32_t end, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = (end - reached + count - i - 1) / (count - i);
        choosing->part[i] = (struct port_part){.first = reached + 1, .last = reached + size};
        reached += size;
    }
    choosing->count = count;
}

uint32_t port_parts_divide(struct port_parts *parts, uint32_t level, uint32_t side, uint32_t holder,
                           uint32_t end, struct port_part part[PORT_PARTS_MOST])
{
    struct choosing choosing = port_receivers_begin(parts, level, side, holder, part);
    uint32_t reached = port_parts_reach(parts, level, side, holder),
             most = port_receivers_most(&choosing);
    if (reached >= end)
        return 0;
    uint32_t least = choosing.count = divide_from_near(&choosing, reached, end);
    if (least <= most && port_receivers_find(&choosing))
        return choosing.count;
    for (uint32_t count = least; count <= most && count <= end - reached; count++) {
        divide_evenly(&choosing, reached, end, count);
        if (port_receivers_find(&choosing))
            return count;
    }
    part[0] = (struct port_part){.first = reached + 1, .last = end};
    part[0].receiver = part[0].first + (end - reached - 1) / 2;
    port_receivers_natural(&choosing, &part[0]);
    return 1;
}
