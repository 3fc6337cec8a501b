/* scheme_d_port.c - a tree of unicasts for nodes that send over all their ports at once, on every
 * topology.
 *
 * Method: source and destinations are in a chain, in the order of labels. In a step a holder of the
 * message hands the farther parts of its own part over, one over each port, towards larger labels
 * and towards smaller ones, and keeps the rest. A message names the port over which it leaves and
 * goes by labels from there. The parts that can be handed over, and their receivers, are found
 * backwards from the last step.
 *
 * Levels: with no steps a holder reaches itself. With s + 1 steps it reaches as far as with s, and
 * in its first step it hands over the parts after that, each as long as any receiver in it can
 * serve with s steps, as many as it has ports and ways that share no link.
 *   With one message per side this is exact, and nothing is ever refused: any receiver has a way. A
 * holder then reaches (3^s - 1) / 2 members on either side and a part has up to 3^s of them, with
 * its middle as the receiver. So far every member reaches at every level. Beyond it reaches are
 * computed only for samples, of which a part of that length has some SAMPLES at least: with long
 * parts it hardly matters which of many members the receiver is, and ways are long there.
 *
 * Receivers: a search with backtracking over the parts of a holder, the nearest one first.
 * Candidates of a part are its middle, then its samples from the middle outwards; of ports the one
 * with the nearest label comes first. The ways that are chosen are marked link by link. A single
 * part needs no walk: any receiver has a way, and nothing else is on it.
 *
 * Proven: (1) messages of one step share no link. A message keeps to labels between sender and
 * receiver, whatever its port: its first hop leads no farther than the receiver, and label routing
 * never leaves the interval. So it stays within its sender's part, and parts of holders at one step
 * are disjoint. Messages up and down use different links, as each link leads to a larger label or
 * to a smaller one. Those of one holder and side were walked, and a way over a link that is taken
 * is not chosen. (2) If two messages of different steps share a link, the later one's sender is the
 * earlier one's, or a node that got the message from this sender no earlier: parts only shrink, and
 * the later sender's part lies in the part that the earlier one's sender had. (3) Labels only grow
 * along a message, or only shrink, so multicasts at once cannot deadlock (route_label.c). (4) No
 * more steps than `two-port`, so at most ceil(log3(2 (k + 1))), since its plan replaces a plan with
 * more steps. (1) to (3) hold for it too.
 *   Measured, not proven: how near steps come to ceil(log_{d+1}(k + 1)), below which no tree of d
 * sends a step can be.
 * Cost: O(k) a level for k members, and at most TRIES walks for the parts of a sample or a holder;
 * 8 bytes a member and level, 8 a sample and level, 12 a member; a byte and 8 more a link, of which
 * only those on the ways are touched. Own work; the cut in three that it extends is that of
 * two-port (scheme_unicast.c).
 */
#include "network/schemes/scheme_private.h"

#include "base/numbers.h"

#include <assert.h>

enum { SIDES = 2, MOST_PARTS = CHAIN_PARTS / SIDES, LEVELS = 32, SAMPLES = 32, TRIES = 64 };
enum { NO_PLACE = UINT32_MAX };

/* The messages of a side that each word of `ports` allows; of all, half go up. */
static const uint32_t side_ports[] = {MOST_PARTS, 1, 2, 3};

/* Places are counted along a side, 0: towards larger labels, 1: towards smaller ones, from the
 * other end of the chain. */

/* Members first .. last of a side. They are handed over to `receiver`, over the neighbour
 * `over`. */
struct part {
    uint32_t first, last, receiver, over;
};

/* The reach of so many steps. Every member reaches `half` places on either side. Samples, which are
 * every `grid`-th member and the source, may reach farther. */
struct level {
    uint32_t half, grid; /* grid: a power of two; 0: only the source */
    uint32_t source[SIDES];
    uint32_t *reach[SIDES];  /* of samples, by their order in the chain: the farthest place */
    uint32_t *widest[SIDES]; /* of each place: the end of the longest part that begins there */
};

struct cutting {
    const struct topology *topology;
    const struct chain *chain;
    uint32_t most; /* messages of a side in a step */
    uint32_t levels;
    struct level level[LEVELS];
    uint8_t *is_taken; /* of each link */
    uint64_t *way;     /* taken links */
    uint32_t way_length, way_room;
};

/* The choice of receivers for parts of a holder, which they serve at a level. */
struct choosing {
    struct cutting *cutting;
    uint32_t level, side, holder;          /* the holder's place, */
    uint32_t node;                         /* its node, */
    uint32_t neighbour[MOST_PARTS], ports; /* and its ports of the side, the nearest label first */
    bool is_used[MOST_PARTS];
    uint32_t tries; /* walks that may still be tried */
    struct part part[MOST_PARTS];
    uint32_t count;
};

/* Returns a place counted from the other side. */
static uint32_t mirror(const struct cutting *cutting, uint32_t place)
{
    return cutting->chain->count - 1 - place;
}

/* Returns the place of a member of the chain on a side, or the member at a place. */
static uint32_t place_of(const struct cutting *cutting, uint32_t side, uint32_t member)
{
    return side == 0 ? member : mirror(cutting, member);
}

static uint32_t node_at(const struct cutting *cutting, uint32_t side, uint32_t place)
{
    return cutting->chain->node[place_of(cutting, side, place)];
}

/* Returns the reach of a holder on a side. */
static uint32_t reach_of(const struct cutting *cutting, uint32_t level, uint32_t side,
                         uint32_t place)
{
    const struct level *at = &cutting->level[level];
    uint32_t member = place_of(cutting, side, place), last = cutting->chain->count - 1;
    if (member == cutting->chain->source)
        return at->source[side];
    if (at->grid > 0 && (member & (at->grid - 1)) == 0)
        return at->reach[side][member / at->grid];
    return at->half < last - place ? place + at->half : last;
}

static struct choosing begin_choice(struct cutting *cutting, uint32_t level, uint32_t side,
                                    uint32_t holder)
{
    struct choosing choosing = {.cutting = cutting, .level = level, .side = side, .holder = holder};
    choosing.node = node_at(cutting, side, holder);
    choosing.ports = route_label_ports(cutting->topology, choosing.node, side == 0,
                                       choosing.neighbour, MOST_PARTS);
    return choosing;
}

/* Returns the most parts that a step of the holder can have. */
static uint32_t most_parts(const struct choosing *choosing)
{
    return min_u32(choosing->ports, choosing->cutting->most);
}

/* ---- ways ---- */

/* True if a port leads to a label beyond the target's. */
static bool leads_beyond(const struct choosing *choosing, uint32_t port, uint32_t target)
{
    const struct topology *topology = choosing->cutting->topology;
    uint32_t over = topology_label(topology, choosing->neighbour[port]);
    uint32_t end = topology_label(topology, target);
    return choosing->side == 0 ? over > end : over < end;
}

static bool take_link(struct cutting *cutting, uint32_t node, uint32_t port)
{
    uint64_t link = topology_link(cutting->topology, node, port);
    if (cutting->is_taken[link] || cutting->way_length == cutting->way_room)
        return false;
    cutting->is_taken[link] = 1;
    cutting->way[cutting->way_length++] = link;
    return true;
}

static void leave_way(struct cutting *cutting, uint32_t length)
{
    while (cutting->way_length > length)
        cutting->is_taken[cutting->way[--cutting->way_length]] = 0;
}

/* Takes the links from the holder over a port to the target. False: one of them is taken, or the
 * port leads beyond; nothing has changed. */
static bool take_way(struct choosing *choosing, uint32_t port, uint32_t target)
{
    struct cutting *cutting = choosing->cutting;
    const struct topology *topology = cutting->topology;
    uint32_t length = cutting->way_length, node = choosing->neighbour[port];
    if (leads_beyond(choosing, port, target) || choosing->tries == 0)
        return false;
    choosing->tries--;
    bool is_free =
        take_link(cutting, choosing->node, topology_port_to(topology, choosing->node, node));
    while (is_free && node != target) {
        struct routing_choice choice[ROUTING_CHOICES];
        routing_label.next(topology, node, target, choice);
        is_free = take_link(cutting, node, choice[0].port);
        node = topology_neighbour(topology, node, choice[0].port);
    }
    if (!is_free)
        leave_way(cutting, length);
    return is_free;
}

/* ---- receivers ---- */

static uint32_t receiver_node(const struct choosing *choosing, const struct part *part)
{
    return node_at(choosing->cutting, choosing->side, part->receiver);
}

/* Hands a part over by the port that label routing takes to its receiver. */
static void leave_naturally(const struct choosing *choosing, struct part *part)
{
    part->over = route_label_next(choosing->cutting->topology, choosing->node,
                                  receiver_node(choosing, part));
}

/* True if a member serves a part. */
static bool serves(const struct choosing *choosing, uint32_t member, const struct part *part)
{
    const struct cutting *cutting = choosing->cutting;
    uint32_t side = choosing->side;
    return reach_of(cutting, choosing->level, side, member) >= part->last &&
           reach_of(cutting, choosing->level, 1 - side, mirror(cutting, member)) >=
               mirror(cutting, part->first);
}

/* Places of a part that may be its receiver: the middle, then samples from it outwards, after it
 * and before it in turn. */
struct candidates {
    int64_t first, last, middle, grid;
    int64_t behind, before; /* the next ones */
    bool has_begun, goes_behind;
};

static struct candidates candidates_of(const struct choosing *choosing, const struct part *part)
{
    const struct cutting *cutting = choosing->cutting;
    uint32_t middle = part->first + (part->last - part->first) / 2;
    uint32_t grid = cutting->level[choosing->level].grid;
    uint32_t member = place_of(cutting, choosing->side, middle);
    struct candidates candidates = {.first = part->first,
                                    .last = part->last,
                                    .middle = middle,
                                    .grid = grid,
                                    .behind = INT64_MAX,
                                    .before = -1,
                                    .goes_behind = true};
    if (grid == 0)
        return candidates;
    uint32_t above = grid - member % grid, below = member % grid == 0 ? grid : member % grid;
    candidates.behind = (int64_t)middle + (choosing->side == 0 ? above : below);
    candidates.before = (int64_t)middle - (choosing->side == 0 ? below : above);
    return candidates;
}

/* Steps to the next candidate; false: there are no more. */
static bool next_candidate(struct candidates *candidates, uint32_t *member)
{
    bool has_behind = candidates->behind <= candidates->last;
    bool has_before = candidates->before >= candidates->first;
    if (!candidates->has_begun) {
        candidates->has_begun = true;
        *member = (uint32_t)candidates->middle;
        return true;
    }
    if (!has_behind && !has_before)
        return false;
    bool is_behind = has_behind && (candidates->goes_behind || !has_before);
    *member = (uint32_t)(is_behind ? candidates->behind : candidates->before);
    if (is_behind)
        candidates->behind += candidates->grid;
    else
        candidates->before -= candidates->grid;
    candidates->goes_behind = !is_behind;
    return true;
}

/* Chooses receivers and ports of parts `index` .. ; recursion is as deep as there are parts. */
static bool choose(struct choosing *choosing, uint32_t index)
{
    struct cutting *cutting = choosing->cutting;
    if (index == choosing->count)
        return true;
    struct part *part = &choosing->part[index];
    struct candidates candidates = candidates_of(choosing, part);
    while (choosing->tries > 0 && next_candidate(&candidates, &part->receiver)) {
        if (!serves(choosing, part->receiver, part))
            continue;
        uint32_t length = cutting->way_length;
        for (uint32_t port = 0; port < choosing->ports; port++) {
            if (choosing->is_used[port] || !take_way(choosing, port, receiver_node(choosing, part)))
                continue;
            choosing->is_used[port] = true;
            part->over = choosing->neighbour[port];
            if (choose(choosing, index + 1))
                return true;
            choosing->is_used[port] = false;
            leave_way(cutting, length);
        }
    }
    return false;
}

static bool find_one(struct choosing *choosing)
{
    struct part *part = &choosing->part[0];
    struct candidates candidates = candidates_of(choosing, part);
    while (next_candidate(&candidates, &part->receiver))
        if (serves(choosing, part->receiver, part)) {
            leave_naturally(choosing, part);
            return true;
        }
    return false;
}

/* True if each part can have a port of its own that does not lead beyond it. Nearer parts come
 * first. */
static bool has_ports(const struct choosing *choosing)
{
    for (uint32_t i = 0; i < choosing->count; i++) {
        uint32_t last = node_at(choosing->cutting, choosing->side, choosing->part[i].last);
        if (i >= choosing->ports || leads_beyond(choosing, i, last))
            return false;
    }
    return true;
}

/* Chooses receivers and ports of all parts so that their ways share no link. False: none were
 * found. */
static bool find_receivers(struct choosing *choosing)
{
    if (choosing->count <= 1)
        return choosing->count == 0 || find_one(choosing);
    if (!has_ports(choosing))
        return false;
    choosing->tries = TRIES;
    for (uint32_t i = 0; i < choosing->ports; i++)
        choosing->is_used[i] = false;
    bool is_found = choose(choosing, 0);
    leave_way(choosing->cutting, 0);
    return is_found;
}

/* ---- levels ---- */

/* Returns the reach of a holder with one step more. */
static uint32_t reach_more(struct cutting *cutting, uint32_t level, uint32_t side, uint32_t holder)
{
    struct choosing choosing = begin_choice(cutting, level, side, holder);
    uint32_t reached = reach_of(cutting, level, side, holder), most = most_parts(&choosing);
    while (choosing.count < most && reached < cutting->chain->count - 1) {
        uint32_t last = cutting->level[level].widest[side][reached + 1];
        choosing.part[choosing.count++] = (struct part){.first = reached + 1, .last = last};
        if (!find_receivers(&choosing))
            break;
        reached = last;
    }
    return reached;
}

/* Returns the first place from `place` on without an end: unset[] leads towards it. */
static uint32_t find_unset(uint32_t *unset, uint32_t place)
{
    while (unset[place] != place)
        place = unset[place] = unset[unset[place]];
    return place;
}

/* Sets the ends of the longest parts. To its reach a sample serves the parts that begin at places
 * from its reach on the other side up to itself. So the samples that reach farthest are first, and
 * places that have their end are passed over. Parts without a sample that serves them are as long
 * as with one message per side. `words`: room for three of each member, and one. Returns the sum of
 * all lengths. */
static uint64_t find_widest(struct cutting *cutting, uint32_t level, uint32_t side, uint32_t *words)
{
    const struct level *at = &cutting->level[level];
    uint32_t count = cutting->chain->count, *unset = words, *end = at->widest[side];
    uint32_t *with_reach = unset + count + 1, *other = with_reach + count;
    uint64_t sum = 0;
    unset[count] = count;
    for (uint32_t place = 0; place < count; place++) {
        unset[place] = end[place] = place;
        with_reach[place] = NO_PLACE;
    }
    for (uint32_t member = 0; at->grid > 0 && member < count; member += at->grid) {
        uint32_t place = place_of(cutting, side, member);
        uint32_t reach = reach_of(cutting, level, side, place);
        other[place] = with_reach[reach];
        with_reach[reach] = place;
    }
    for (uint32_t last = count; last-- > 0;)
        for (uint32_t sample = with_reach[last]; sample != NO_PLACE; sample = other[sample]) {
            uint32_t back = reach_of(cutting, level, 1 - side, mirror(cutting, sample));
            uint32_t place = find_unset(unset, mirror(cutting, back));
            for (; place <= sample; place = find_unset(unset, place)) {
                end[place] = last;
                unset[place] = place + 1;
            }
        }
    for (uint32_t place = 0; place < count; place++) {
        uint32_t least = 2 * at->half < count - 1 - place ? place + 2 * at->half : count - 1;
        end[place] = max_u32(end[place], least);
        sum += end[place] - place + 1;
    }
    return sum;
}

/* True if the source reaches both ends at the highest level. */
static bool is_complete(const struct cutting *cutting)
{
    const struct level *at = &cutting->level[cutting->levels - 1];
    uint32_t last = cutting->chain->count - 1;
    return at->source[0] == last && at->source[1] == last;
}

/* Finds the longest parts of the highest level, and the grid of the next one. */
static void finish_level(struct cutting *cutting, struct plan *plan, uint32_t *words,
                         uint32_t *grid)
{
    uint32_t count = cutting->chain->count, level = cutting->levels - 1;
    uint64_t sum = 0;
    for (uint32_t side = 0; side < SIDES; side++) {
        uint32_t *widest = plan_scratch(plan, count, sizeof *widest);
        if (widest == NULL)
            return;
        cutting->level[level].widest[side] = widest;
        sum += find_widest(cutting, level, side, words);
    }
    uint64_t length = sum / SIDES / count;
    while (2 * (uint64_t)*grid * SAMPLES <= length)
        *grid *= 2;
}

/* Adds the next level: if it is complete the source's reaches are enough. */
static void add_level(struct cutting *cutting, struct plan *plan, uint32_t grid)
{
    uint32_t count = cutting->chain->count, level = cutting->levels - 1;
    uint32_t half = cutting->level[level].half, source = cutting->chain->source;
    struct level *at = &cutting->level[cutting->levels++];
    assert(cutting->levels <= LEVELS);
    *at = (struct level){.half = half < count / 3 ? 3 * half + 1 : count};
    for (uint32_t side = 0; side < SIDES; side++)
        at->source[side] = reach_more(cutting, level, side, place_of(cutting, side, source));
    for (uint32_t side = 0; side < SIDES && !is_complete(cutting); side++) {
        uint32_t *reach = plan_scratch(plan, count / grid + 1, sizeof *reach);
        if (reach == NULL)
            return;
        at->reach[side] = reach;
        for (uint32_t member = 0; member < count; member += grid)
            reach[member / grid] =
                reach_more(cutting, level, side, place_of(cutting, side, member));
    }
    at->grid = is_complete(cutting) ? 0 : grid;
}

/* Makes the levels up to the one at which the chain's source reaches both ends. */
static void make_levels(struct cutting *cutting, struct plan *plan)
{
    uint32_t count = cutting->chain->count;
    uint32_t *words = plan_scratch(plan, 3 * (size_t)count + 1, sizeof *words);
    cutting->levels = 1;
    for (uint32_t side = 0; side < SIDES; side++)
        cutting->level[0].source[side] = place_of(cutting, side, cutting->chain->source);
    for (uint32_t grid = 1; !plan->lacks_memory && !is_complete(cutting);) {
        finish_level(cutting, plan, words, &grid);
        if (!plan->lacks_memory)
            add_level(cutting, plan, grid);
    }
}

/* ---- division ---- */

/* Makes the longest parts from the holder's reach on; returns their number, or more than
 * allowed. */
static uint32_t divide_from_near(struct choosing *choosing, uint32_t reached, uint32_t end)
{
    uint32_t count = 0, most = most_parts(choosing);
    const uint32_t *widest = choosing->cutting->level[choosing->level].widest[choosing->side];
    while (reached < end && count < most) {
        uint32_t last = min_u32(widest[reached + 1], end);
        choosing->part[count++] = (struct part){.first = reached + 1, .last = last};
        reached = last;
    }
    return reached < end ? count + 1 : count;
}

/* Makes `count` parts of about the same size. */
static void divide_evenly(struct choosing *choosing, uint32_t reached, uint32_t end, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = (end - reached + count - i - 1) / (count - i);
        choosing->part[i] = (struct part){.first = reached + 1, .last = reached + size};
        reached += size;
    }
    choosing->count = count;
}

/* Divides the members after the reach of the holder, up to `end`, into parts whose receivers serve
 * them at this level, the nearest part first. If no such parts are found there is one, with the
 * middle as its receiver. */
static void divide(struct choosing *choosing, uint32_t end)
{
    uint32_t reached =
        reach_of(choosing->cutting, choosing->level, choosing->side, choosing->holder);
    uint32_t most = most_parts(choosing);
    if (reached >= end)
        return;
    uint32_t least = choosing->count = divide_from_near(choosing, reached, end);
    if (least <= most && find_receivers(choosing))
        return;
    for (uint32_t count = least; count <= most && count <= end - reached; count++) {
        divide_evenly(choosing, reached, end, count);
        if (find_receivers(choosing))
            return;
    }
    divide_evenly(choosing, reached, end, 1);
    struct part *part = &choosing->part[0];
    part->receiver = part->first + (part->last - part->first) / 2;
    leave_naturally(choosing, part);
}

/* Returns the least level at which a holder reaches `end` on side 0 and `other_end` on side 1, both
 * places of their side; the highest one if there is none. */
static uint32_t level_for(const struct cutting *cutting, const struct subchain *mine)
{
    uint32_t level = 0, low = mirror(cutting, mine->low), holder = mirror(cutting, mine->holder);
    while (level + 1 < cutting->levels && (reach_of(cutting, level, 0, mine->holder) < mine->high ||
                                           reach_of(cutting, level, 1, holder) < low))
        level++;
    return level;
}

/* Cuts parts off on both sides, on each the farthest one first. */
static uint32_t cut(void *context, struct subchain *mine, struct subchain part[CHAIN_PARTS])
{
    struct cutting *cutting = context;
    uint32_t parts = 0, level = level_for(cutting, mine) - 1;
    uint32_t end[SIDES] = {mine->high, mirror(cutting, mine->low)};
    for (uint32_t side = 0; side < SIDES; side++) {
        struct choosing choosing =
            begin_choice(cutting, level, side, place_of(cutting, side, mine->holder));
        divide(&choosing, end[side]);
        if (choosing.count > 0)
            end[side] = choosing.part[0].first - 1;
        for (uint32_t i = choosing.count; i-- > 0;) {
            const struct part *from = &choosing.part[i];
            uint32_t first = place_of(cutting, side, from->first);
            uint32_t last = place_of(cutting, side, from->last);
            part[parts++] = (struct subchain){min_u32(first, last), max_u32(first, last),
                                              place_of(cutting, side, from->receiver), from->over};
        }
    }
    mine->high = end[0];
    mine->low = mirror(cutting, end[1]);
    return parts;
}

static void plan(const struct planning *planning)
{
    const struct topology *topology = planning->topology;
    struct plan *plan = planning->plan;
    struct chain chain = chain_make(planning, chain_label);
    struct cutting cutting = {.topology = topology,
                              .chain = &chain,
                              .most = side_ports[planning->choices->choice[0]],
                              .is_taken = plan_scratch(plan, topology->links, 1)};
    /* Labels grow along a way, and no link is on two of them */
    cutting.way_room = (uint32_t)min_u64(topology->links, MOST_PARTS * (uint64_t)topology->nodes);
    cutting.way = plan_scratch(plan, cutting.way_room, sizeof *cutting.way);
    if (!plan->lacks_memory)
        make_levels(&cutting, plan);
    if (plan->lacks_memory)
        return;
    uint32_t steps = chain_serve(planning, &chain, chain_whole(&chain), cut, &cutting);
    if (two_port_steps(chain_whole(&chain)) < steps) {
        plan_empty(plan);
        scheme_two_port.plan(planning);
    }
}

const struct scheme scheme_d_port = {
    .name = "d-port",
    .summary = "a tree of unicasts along a Hamiltonian path, over all ports of a node at once",
    .parameter = {{"ports", {"all", "2", "4", "6"}, "over how many ports a node sends at once"}},
    .routing = scheme_label_routing,
    .plan = plan,
    .is_stepwise = true,
};
