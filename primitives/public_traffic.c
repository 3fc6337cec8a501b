/* public_traffic.c - greedy routing of public traffic, with bounds for every subset of it.
 *
 * A packet goes along its row to the target's column, turns there, and goes along that column; or
 * along columns first and then along rows. On each link the packet with the farthest stop goes
 * first. Below rows are first. For a node let s pairs start there and leave it along the row, t
 * pairs end their way along the row there (or start in their target's column), g of these go on
 * along the column, and e pairs have the node for their target.
 *   Legs can be apart: packets wait where they turn until so many steps are over that all have
 * turned, which every node can count, and then go along their columns (unicast_legs.c). That needs
 * a few more steps and fewer packets.
 *
 * Steps of a leg, by doc/kernels.md ("Traffic that all nodes know"): the packets that go one way
 * over link k, the one after node k, are a class, held up only by itself. Slot x of link k' is step
 * x + k'. A packet that arrives at node i in step T has release T + 1 - i. The class has crossed
 * link k by step F + k,
 *     F  =  max over x of x - 1 + (packets of the class with release x or more),
 * which is also the result if each takes the first free slot from its release on, in any order.
 * Fewer packets or earlier releases do not make F larger. Classes are nested but for packets that
 * start after link k; these may be counted too. So packets are given slots by farness of their
 * stops, and each stop k + 1 has F + k. In the second leg T is the bound of the first; where legs
 * are apart T = 0, and the steps of both are added.
 *
 * Packets at a node, by the same page: max(s, 1) + g + e + 3; with legs apart max(max(s, 1) + t,
 * max(g, 1) + e) + 1.
 *
 * Keyed permutations (mesh_permutation.h) send the packets of a row to different columns: t = 1, so
 * at most 6 packets, 3 with legs apart, and h + w - 2 steps; L of them together, L >= 2, at most 3
 * L + 3 packets, or 2 L + 1, and L (h + w) / 2 steps.
 *
 * Source: Leighton 1992, section 1.7 (farthest first; its queues are t + O(1)); slots are ours.
 * Cost: nearly O(1) per pair; 20 bytes per pair and 8 per node, on each rank.
 */
#include "primitives/public_traffic.h"

#include "base/numbers.h"
#include "primitives/unicast_route.h"

#include <stdlib.h>
#include <string.h>

/* ---- pairs ---- */

enum failure_kind traffic_make(struct traffic *traffic, struct mesh mesh, struct traffic_way way,
                               uint32_t most_pairs, struct failure *failure)
{
    *traffic = (struct traffic){.mesh = mesh, .way = way};
    if (way.columns_first)
        traffic->mesh = (struct mesh){mesh.cols, mesh.rows};
    traffic->pair = memory_allocate(most_pairs, sizeof *traffic->pair);
    return traffic->pair != NULL ? FAIL_NONE : fail_memory(failure, "the pairs of a permutation");
}

void traffic_free(struct traffic *traffic)
{
    free(traffic->pair);
    *traffic = (struct traffic){0};
}

static node_place transposed(node_place place)
{
    return place_of(place_col(place), place_row(place));
}

void traffic_add(struct traffic *traffic, node_place source, node_place target)
{
    struct traffic_pair pair = {source, target};
    if (traffic->way.columns_first)
        pair = (struct traffic_pair){transposed(source), transposed(target)};
    traffic->pair[traffic->pairs++] = pair;
}

/* ---- packets at a node ---- */

struct node_counts {
    uint16_t starting, turning, going_on, ending; /* s, t, g, e */
};

static uint32_t index_of(const struct traffic *traffic, uint32_t row, uint32_t col)
{
    return row * traffic->mesh.cols + col;
}

static void count_pair(const struct traffic *traffic, struct traffic_pair pair,
                       struct node_counts *counts)
{
    uint32_t start = index_of(traffic, place_row(pair.source), place_col(pair.source));
    uint32_t turn = index_of(traffic, place_row(pair.source), place_col(pair.target));
    uint32_t end = index_of(traffic, place_row(pair.target), place_col(pair.target));
    counts[start].starting += start != turn;
    counts[turn].turning++;
    counts[turn].going_on += turn != end;
    counts[end].ending++;
}

static uint32_t packets_at(struct node_counts node, bool apart)
{
    uint32_t starting = max_u32(node.starting, 1);
    if (!apart)
        return starting + node.going_on + node.ending + 3;
    return max_u32(starting + node.turning, max_u32(node.going_on, 1) + node.ending) + 1;
}

/* Finds bounds->packets; *most becomes the most packets that start at a node. */
static enum failure_kind bound_packets(const struct traffic *traffic, uint32_t *most,
                                       struct traffic_bounds *bounds, struct failure *failure)
{
    struct mesh mesh = traffic->mesh;
    struct node_counts *counts = memory_allocate(mesh_nodes(mesh), sizeof *counts);
    if (counts == NULL)
        return fail_memory(failure, "the bounds of a permutation");
    for (uint32_t i = 0; i < traffic->pairs; i++)
        count_pair(traffic, traffic->pair[i], counts);
    for (node_index node = 0; node < mesh_nodes(mesh); node++) {
        *most = max_u32(*most, counts[node].starting);
        bounds->turning = max_u32(bounds->turning, counts[node].turning);
        bounds->packets =
            max_u32(bounds->packets, packets_at(counts[node], traffic->way.legs_apart));
    }
    free(counts);
    return FAIL_NONE;
}

/* ---- steps ---- */

/* A pair's leg along its line, in the direction in which it goes. */
struct leg {
    uint32_t line, start, stop; /* start < stop; or start = stop: no leg */
    bool is_back;               /* positions are counted from the line's end */
};

struct counting {
    const struct traffic *traffic;
    bool is_second, is_alone; /* the current leg; in the first one no packet waits for others */
    uint32_t *turned;         /* [pair]: most steps after which its second leg begins */
    uint32_t *order;          /* [pair]: by lines */
    uint32_t *sorted;         /* [pair]: of the current line, farthest stop first */
    uint32_t *first;          /* [longest side + 1] */
    uint32_t *slot;           /* the first free slot from here on, or on the way to it; .. */
    uint32_t slots;           /* .. number of slots in use */
};

static struct leg leg_of(const struct counting *counting, uint32_t pair)
{
    struct mesh mesh = counting->traffic->mesh;
    struct traffic_pair way = counting->traffic->pair[pair];
    uint32_t length = counting->is_second ? mesh.rows : mesh.cols;
    struct leg leg = {place_row(way.source), place_col(way.source), place_col(way.target), false};
    if (counting->is_second)
        leg = (struct leg){place_col(way.target), place_row(way.source), place_row(way.target),
                           false};
    leg.is_back = leg.stop < leg.start;
    if (leg.is_back) {
        leg.start = length - 1 - leg.start;
        leg.stop = length - 1 - leg.stop;
    }
    return leg;
}

/* Takes the first free slot from `from` on. */
static uint32_t take_slot(struct counting *counting, uint32_t from)
{
    uint32_t *slot = counting->slot, found = from;
    for (; counting->slots <= from + 1; counting->slots++)
        slot[counting->slots] = counting->slots;
    while (slot[found] != found) {
        slot[found] = slot[slot[found]];
        found = slot[found];
        for (; counting->slots <= found + 1; counting->slots++)
            slot[counting->slots] = counting->slots;
    }
    slot[found] = found + 1;
    return found;
}

/* Returns the steps of the pairs `sorted` of one line and direction, farthest stop first. Slots are
 * numbered from the earliest release, that of step 1 at the last node: slot x has number x + length
 * - 2. */
static uint32_t steps_of_line(struct counting *counting, uint32_t count, uint32_t length)
{
    uint32_t last = 0, most = 0;
    counting->slots = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t stop = leg_of(counting, counting->sorted[i]).stop, end = i;
        for (; end < count; end++) {
            struct leg leg = leg_of(counting, counting->sorted[end]);
            uint32_t come = counting->is_second ? counting->turned[counting->sorted[end]] : 0;
            if (leg.stop != stop)
                break;
            uint32_t slot = take_slot(counting, come + length - 1 - leg.start);
            last = max_u32(last, slot);
        }
        uint32_t steps = last + stop + 1 - length; /* F + k, k = stop - 1 */
        most = max_u32(most, steps);
        for (; i < end && !counting->is_second && !counting->traffic->way.legs_apart; i++)
            counting->turned[counting->sorted[i]] =
                counting->is_alone ? stop - leg_of(counting, counting->sorted[i]).start : steps;
        i = end;
    }
    return most;
}

/* Sorts those of count pairs from `pair` that go this way by their stops, farthest first, into
 * counting->sorted; returns their number. */
static uint32_t sort_by_stop(struct counting *counting, const uint32_t *pair, uint32_t count,
                             bool is_back, uint32_t length)
{
    uint32_t found = 0;
    memset(counting->first, 0, (length + 1) * sizeof *counting->first);
    for (uint32_t i = 0; i < count; i++) {
        struct leg leg = leg_of(counting, pair[i]);
        if (leg.start < leg.stop && leg.is_back == is_back) {
            counting->first[length - leg.stop]++;
            found++;
        }
    }
    for (uint32_t i = 1; i <= length; i++)
        counting->first[i] += counting->first[i - 1];
    for (uint32_t i = 0; i < count; i++) {
        struct leg leg = leg_of(counting, pair[i]);
        if (leg.start < leg.stop && leg.is_back == is_back)
            counting->sorted[counting->first[length - 1 - leg.stop]++] = pair[i];
    }
    return found;
}

/* Makes room for the slots of a line: no release is later than `come` and the line's length. */
static bool slots_make(struct counting *counting, const uint32_t *end, uint32_t lines,
                       size_t latest)
{
    uint32_t longest = end[0];
    for (uint32_t i = 1; i < lines; i++)
        longest = max_u32(longest, end[i] - end[i - 1]);
    free(counting->slot);
    counting->slot = memory_allocate(latest + longest + 3, sizeof *counting->slot);
    return counting->slot != NULL;
}

/* Sets *steps to the number after which the leg is over; its former value is that after which the
 * last packet can begin it. False: no memory. */
static bool steps_of_leg(struct counting *counting, bool is_second, uint32_t *steps)
{
    struct mesh mesh = counting->traffic->mesh;
    uint32_t lines = is_second ? mesh.cols : mesh.rows, pairs = counting->traffic->pairs;
    uint32_t length = is_second ? mesh.rows : mesh.cols, most = 0;
    uint32_t *end = counting->first + length + 1; /* [lines]: of the line's pairs in `order` */
    counting->is_second = is_second;
    memset(end, 0, (lines + 1) * sizeof *end);
    for (uint32_t i = 0; i < pairs; i++)
        end[leg_of(counting, i).line + 1]++;
    for (uint32_t i = 0; i < lines; i++)
        end[i + 1] += end[i];
    for (uint32_t i = 0; i < pairs; i++)
        counting->order[end[leg_of(counting, i).line]++] = i;
    if (!slots_make(counting, end, lines, (size_t)length + *steps))
        return false;
    for (uint32_t i = 0, first = 0; i < lines; first = end[i++])
        for (int is_back = 0; is_back < 2; is_back++) {
            uint32_t count =
                sort_by_stop(counting, counting->order + first, end[i] - first, is_back, length);
            most = max_u32(most, steps_of_line(counting, count, length));
        }
    *steps = max_u32(*steps, most);
    return true;
}

/* ---- both legs ---- */

/* Sets *steps to the leg's, for pairs whose second legs begin, or will begin, at
 * counting->turned. */
static enum failure_kind count_leg(struct counting *counting, bool is_second, uint32_t *steps,
                                   struct failure *failure)
{
    const struct traffic *traffic = counting->traffic;
    size_t around = (size_t)traffic->mesh.rows + traffic->mesh.cols;
    counting->order = memory_allocate(traffic->pairs, sizeof *counting->order);
    counting->sorted = memory_allocate(traffic->pairs, sizeof *counting->sorted);
    counting->first = memory_allocate(around + 2, sizeof *counting->first);
    bool is_counted = counting->order && counting->sorted && counting->first &&
                      steps_of_leg(counting, is_second, steps);
    free(counting->order);
    free(counting->sorted);
    free(counting->first);
    free(counting->slot);
    counting->slot = NULL;
    return is_counted ? FAIL_NONE : fail_memory(failure, "the bounds of a permutation");
}

static enum failure_kind bound_steps(struct counting *counting, struct traffic_bounds *bounds,
                                     struct failure *failure)
{
    const struct traffic *traffic = counting->traffic;
    uint32_t first = 0;
    enum failure_kind kind = count_leg(counting, false, &first, failure);
    bounds->first_leg = traffic->way.legs_apart ? first : 0;
    uint32_t second = first - (uint32_t)bounds->first_leg;
    if (kind == FAIL_NONE)
        kind = count_leg(counting, true, &second, failure);
    bounds->steps = bounds->first_leg + second;
    return kind;
}

enum failure_kind traffic_bound(const struct traffic *traffic, struct traffic_bounds *bounds,
                                struct failure *failure)
{
    struct counting counting = {.traffic = traffic};
    uint32_t most = 0;
    *bounds = (struct traffic_bounds){.turning = 1};
    if (bound_packets(traffic, &most, bounds, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    counting.is_alone = most <= 1;
    counting.turned = memory_allocate(traffic->pairs, sizeof *counting.turned);
    enum failure_kind kind = counting.turned != NULL
                                 ? bound_steps(&counting, bounds, failure)
                                 : fail_memory(failure, "the bounds of a permutation");
    free(counting.turned);
    return kind;
}

/* ---- routing ---- */

enum failure_kind traffic_route(struct machine *machine, const char *name,
                                const struct traffic_bounds *bounds, bool columns_first,
                                struct failure *failure)
{
    uint64_t steps[2] = {bounds->first_leg, bounds->steps - bounds->first_leg};
    return unicast_in_legs(machine, name, columns_first, steps, bounds->packets, failure);
}
