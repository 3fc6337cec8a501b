/* expander_replica.c - Steps 1 to 3, 5 and 6 of Theorem 4: one message, r replicas in r groups, one
 * message.
 *
 * Step 1. Replicas are copied along the segment of their message (expander_messages.c), node to
 * node, both ways from the source: the paper's segmented broadcast. Replica j of the message that
 * is input i is made at the node that has entry j of i. Step 2. The paper sorts the replicas by
 * group and ranks them. The entry gives both at once, the group and the replica's seat in it
 * (expander_seats.c). Nothing has to be sorted or counted. Step 3. Replicas go to their seats,
 * along rows first. Step 5. They go back to the entries, along columns first, from where the last
 * visit was.
 *   Step 6 is Step 1 backwards. A replica with nothing left has become the last of its clones, and
 * does not come home: then all is visited. Otherwise the rest is the intersection of all r
 * replicas' rests (a destination is unvisited if no replica has it marked), found as each meets the
 * source's own replica at the source.
 *
 * Steps: r - 1 each for Steps 1 and 6 with free copies; Step 1 twice that and one with unit copies;
 * twice as many if n is not a multiple of r; and Step 6 one more. The steps of Steps 3 and 5 are
 * counted for this graph and mesh before the run (public_traffic.c): 2 m - 2 if no two replicas
 * share a node. All are enforced, and no synchronisation is needed.
 * Buffer: two replicas at a node, and one more for an instant at the source; in Steps 3 and 5 at
 * most t + 2 packets per node, t the most of one row for one column, as replicas that turn wait
 * until all have; somewhat more if several sit at a node.
 * Source: Section 5, Steps 1, 2, 3, 5, 6.
 * Cost: that of expander_messages.c; the graph's table, r entries for each input, and as many
 * seats.
 */
#include "routers/expander_run.h"

#include "base/numbers.h"
#include "primitives/prefix.h"
#include "primitives/synchronise.h"
#include "routers/block_tour.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* header.state of a replica that still has to make the next one, along the snake or against it. */
enum { AHEAD = EXPANDER_AHEAD, BEHIND = EXPANDER_BEHIND };

/* ---- phases of the machine ---- */

void expander_name_step(const struct expander_run *run, const char *step,
                        char name[MACHINE_NAME_SIZE])
{
    snprintf(name, MACHINE_NAME_SIZE, "%s (class %u phase %u)", step, run->class + 1,
             run->phase + 1);
}

void expander_begin(const struct expander_run *run, const char *step)
{
    char name[MACHINE_NAME_SIZE];
    expander_name_step(run, step, name);
    machine_begin_phase(run->masters.machine, name);
}

/* ---- replicas ---- */

static uint32_t position_of(const struct expander_run *run, struct site site)
{
    return (uint32_t)snake_number(site.row, site.col, run->routing->set->mesh.cols);
}

/* Returns the packet that is replica `replica` of the packet's message. */
static uint32_t packet_of(const struct expander_run *run, uint32_t packet, uint32_t replica)
{
    return expander_packet_of_name(run, expander_name_of(run, packet, replica));
}

/* ---- along the snake ---- */

static unsigned link_along_snake(const struct expander_run *run, struct site site, bool is_ahead)
{
    struct interval rows = {0, run->routing->set->mesh.rows};
    struct interval cols = {0, run->routing->set->mesh.cols};
    uint32_t position = position_of(run, site);
    return link_towards(site, snake_place(rows, cols, is_ahead ? position + 1 : position - 1),
                        true);
}

/* Returns the next node along the snake, a neighbour on the mesh. */
static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    bool is_back = direction == NORTH || direction == WEST;
    (void)context, (void)packet;
    return (direction_is_vertical(direction) ? site.row : site.col) + (is_back ? UINT32_MAX : 1);
}

/* ---- Steps 1(a) and 1(b) ---- */

static unsigned replicate_outputs(void *context, struct site site, uint32_t packet)
{
    const struct expander_run *run = context;
    unsigned state = run->masters.header->packet[packet].state, outputs = OUT_HOLD;
    if (state & AHEAD)
        outputs |= link_along_snake(run, site, true);
    if (state & BEHIND)
        outputs |= link_along_snake(run, site, false);
    return outputs;
}

/* Splits off the next replica: a copy with the same destinations, under the next name. */
static uint32_t replicate_take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct expander_run *run = context;
    struct headers *header = run->masters.header;
    uint32_t replica = expander_replica(run, packet);
    bool is_ahead = (header->packet[packet].state & AHEAD) &&
                    (unsigned)output == link_along_snake(run, site, true);
    uint32_t next = is_ahead ? replica + 1 : replica - 1, copy = packet_of(run, packet, next);
    uint32_t count = packet - header->packet[packet].first + 1;
    header->packet[copy].first = copy + 1 - count;
    memcpy(header->destination + header->packet[copy].first,
           header->destination + header->packet[packet].first, count * sizeof *header->destination);
    header->packet[packet].state &= (uint8_t) ~(is_ahead ? AHEAD : BEHIND);
    header->packet[copy].state = RANDOM_MASTER;
    if (is_ahead && next + 1 < run->replicas)
        header->packet[copy].state |= AHEAD;
    if (!is_ahead && next > 0)
        header->packet[copy].state |= BEHIND;
    return copy;
}

/* Prepares a message's packet, which rests at its source, to make the other replicas. */
static void start_replicas(struct expander_run *run, uint32_t packet)
{
    uint32_t own = expander_segment_of(run, packet).own;
    uint8_t *state = &run->masters.header->packet[packet].state;
    expander_message_of(run, packet)->met = EXPANDER_ABSENT;
    *state = RANDOM_MASTER;
    if (own + 1 < run->replicas)
        *state |= AHEAD;
    if (own > 0)
        *state |= BEHIND;
}

/* Returns the most segments of a class that share a node: the last two if r does not divide n. */
static uint64_t sharing(const struct expander_run *run)
{
    return mesh_nodes(run->routing->set->mesh) % run->replicas == 0 ? 1 : 2;
}

/* Returns the steps. A link of a segment is crossed by a packet of each segment that shares it, so
 * a hop needs `sharing` steps at most; with unit copies its node makes as many copies before, and
 * one more at a source. */
uint64_t expander_replicate_steps(const struct expander_run *run)
{
    uint64_t links = run->replicas - 1;
    return sharing(run) * (run->routing->options->copy_is_free ? links : 2 * links + 1);
}

enum failure_kind expander_replicate(struct expander_run *run, struct failure *failure)
{
    struct routing_rule rule = {
        .context = run, .outputs = replicate_outputs, .take = replicate_take, .stop = stop};
    for (struct resting at = resting_of(run->masters.machine); resting_next(&at);)
        start_replicas(run, at.packet);
    if (!expander_reserve_all(run))
        return fail_memory(failure, "the replicas");
    expander_begin(run, "make replicas");
    run->is_replicating = true;
    enum failure_kind kind =
        forward_for(run->masters.machine, &rule, NULL, expander_replicate_steps(run), failure);
    run->is_replicating = false;
    enum failure_kind forgotten = expander_forget_names(run, failure);
    return kind == FAIL_NONE ? forgotten : kind;
}

/* ---- Step 6 ---- */

static uint32_t sort_range(struct headers *header, uint32_t packet)
{
    uint32_t first = header->packet[packet].first, count = packet + 1 - first;
    qsort(header->destination + first, count, sizeof *header->destination, compare_u32);
    return count;
}

/* Keeps in `kept` the destinations that `other` also has, at the end of its block. */
static void intersect(struct headers *header, uint32_t kept, uint32_t other)
{
    node_place *slot = header->destination;
    uint32_t mine = sort_range(header, kept), others = sort_range(header, other);
    uint32_t end = kept + 1, i = kept, j = other;
    while (mine > 0 && others > 0) {
        if (slot[i] == slot[j])
            slot[--end] = slot[i];
        bool ahead = slot[i] >= slot[j], behind = slot[j] >= slot[i];
        if (ahead) {
            i--;
            mine--;
        }
        if (behind) {
            j--;
            others--;
        }
    }
    header->packet[kept].first = end;
}

static uint32_t *met_of(struct expander_run *run, uint32_t packet)
{
    return &expander_message_of(run, packet)->met;
}

static bool is_all_visited(struct expander_run *run, uint32_t packet)
{
    return *met_of(run, packet) & EXPANDER_ABSENT;
}

static unsigned coalesce_outputs(void *context, struct site site, uint32_t packet)
{
    struct expander_run *run = context;
    struct segment segment = expander_segment_of(run, packet);
    uint32_t source = segment.first + segment.own, here = position_of(run, site);
    if (here != source)
        return link_along_snake(run, site, here < source);
    if (expander_replica(run, packet) == segment.own)
        return is_all_visited(run, packet) ? OUT_DISCARD : OUT_HOLD;
    uint32_t *met = met_of(run, packet), bit = 1u << expander_replica(run, packet);
    if (!(*met & (EXPANDER_ABSENT | bit))) {
        intersect(run->masters.header, packet_of(run, packet, segment.own), packet);
        *met |= bit;
    }
    return OUT_DISCARD;
}

static void begin_meeting(struct expander_run *run, uint32_t packet)
{
    uint32_t own = expander_segment_of(run, packet).own;
    if (expander_replica(run, packet) != own)
        return;
    *met_of(run, packet) = 1u << own;
    expander_note_name(run, packet);
}

/* Ends the meeting at the source, when all have arrived that will. */
static void end_meeting(struct expander_run *run, uint32_t packet)
{
    const struct headers *header = run->masters.header;
    uint32_t *met = met_of(run, packet), all = (uint32_t)((UINT64_C(1) << run->replicas) - 1);
    if (*met != all || header->packet[packet].first > packet)
        *met = EXPANDER_ABSENT;
}

/* Returns the steps in which the packets of a segment that go one way along its links reach its
 * source. */
static uint64_t meeting_steps(const struct expander_run *run)
{
    return sharing(run) * (run->replicas - 1);
}

uint64_t expander_coalesce_steps(const struct expander_run *run)
{
    return meeting_steps(run) + 1;
}

enum failure_kind expander_coalesce(struct expander_run *run, struct failure *failure)
{
    struct machine *machine = run->masters.machine;
    struct routing_rule rule = {.context = run, .outputs = coalesce_outputs, .stop = stop};
    for (struct resting at = resting_of(machine); resting_next(&at);)
        begin_meeting(run, at.packet);
    if (run->lacks_memory)
        return expander_forget_names(run, failure);
    expander_begin(run, "merge replicas");
    enum failure_kind kind = forward_for(machine, &rule, NULL, meeting_steps(run), failure);
    for (struct resting at = resting_of(machine); resting_next(&at);)
        end_meeting(run, at.packet);
    enum failure_kind forgotten = expander_forget_names(run, failure);
    kind = kind == FAIL_NONE ? forgotten : kind;
    return kind == FAIL_NONE ? forward_for(machine, &rule, NULL, 1, failure) : kind;
}

/* ---- Steps 2, 3 and 5: to the groups, and home ---- */

enum failure_kind expander_choose_seats(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind =
        expander_seats_make(&run->seats, &run->graph, &run->masters.cycle, failure);
    run->masters.layers = run->seats.layers;
    run->masters.excess = run->seats.excess;
    run->masters.layers_are_one = true;
    return kind;
}

/* Routes replicas between entries and seats. */
static enum failure_kind route(struct expander_run *run, const char *step, bool is_back,
                               struct failure *failure)
{
    char name[MACHINE_NAME_SIZE];
    expander_name_step(run, step, name);
    return traffic_route(run->masters.machine, name, is_back ? &run->seats.home : &run->seats.there,
                         is_back, failure);
}

enum failure_kind expander_assign(struct expander_run *run, struct failure *failure)
{
    for (struct resting at = resting_of(run->masters.machine); resting_next(&at);) {
        struct header *header = &run->masters.header->packet[at.packet];
        struct segment segment = expander_segment_of(run, at.packet);
        uint32_t layer, replica = expander_replica(run, at.packet);
        header->target = expander_seat(&run->seats, segment.input, replica, &layer);
        header->state = (uint8_t)(RANDOM_MASTER | layer << RANDOM_LAYER_SHIFT);
    }
    return route(run, "go to groups", false, failure);
}

enum failure_kind expander_return(struct expander_run *run, struct failure *failure)
{
    for (struct resting at = resting_of(run->masters.machine); resting_next(&at);)
        run->masters.header->packet[at.packet].target =
            expander_entry(&run->seats, expander_segment_of(run, at.packet).input,
                           expander_replica(run, at.packet));
    return route(run, "go home", true, failure);
}

/* ---- Step 4 ----
 *
 * Step 4 of Theorem 4: a group of replicas at the c tiles, one after the other.
 *
 * A visit is that of random_paper.c: alpha t-migrations by segmented broadcasts and routings of
 * known lengths, two at once (migrate.c), after each two a tour of the blocks' Hamiltonian cycles
 * (block_tour.c), then the shift. Everything has a length that nodes compute from the sizes;
 * nothing waits for the data, and all selected destinations are delivered or marked.
 *
 * Marks, Step 4(a).iii. All replicas of a message are responsible for all of its destinations, so
 * more than one may reach a node, where the message is to be delivered once. A node looks at its
 * output queue. A clone that arrives at a destination where its message already is drops it, as
 * visited. So does a clone that arrives while another packet of the message is at the node and
 * still has to make the copy for the output queue (unit copies). No packet leaves a node at which
 * it is to deliver, so the first to come delivers. A replica needs no other mark: it hands the
 * destinations for which it is selected to its copies, and each of these delivers, or meets the
 * message.
 *   Encoding: an output queue has an entry for each expected message, in the order of names, as the
 * lists of expected messages do (machine/expected.h): the slot that brought it.
 *
 * Steps in tiles of side s, free copies. Before the c visits of a phase 4 s, and for each visit s /
 * 4 + alpha. A visit with alpha = 2: 3 s for heads, twice 4 s for copies, s for the tours, and s
 * for the shift; with s / 4 that is 13 s. Unit copies: 6 s more. Buffer, proven: 10 packets per
 * node, 8 that move or have arrived, a replica, and a message of another class. On unequal tiles
 * some nodes have two replicas, and more packets may move.
 * Source: Section 5, Step 4(a) and (b); the paper marks by sorting and prefix computations.
 * Cost: the migration's, 14 bytes per slot; 4 bytes per delivery; O(log c) per look-up.
 */

/* ---- marks ---- */

/* Makes output queues for the expected messages of the nodes. FAIL_SYSTEM: no memory. */
static enum failure_kind make_queues(struct expander_run *run, struct failure *failure)
{
    const struct expected_messages *expected = &run->routing->expected;
    size_t deliveries = expected->start[expected->end - expected->first];
    run->holder = memory_allocate(deliveries, sizeof *run->holder);
    if (run->holder == NULL)
        return fail_memory(failure, "the output queues");
    memset(run->holder, 0xff, deliveries * sizeof *run->holder);
    return FAIL_NONE;
}

/* True if a packet that arrives at its destination `site` with `slot` finds its message there, or a
 * packet that delivers it: the slot is then visited without a delivery. False: it is the first, and
 * delivers. */
static bool is_held(void *context, struct site site, uint32_t slot)
{
    const struct expander_run *run = context;
    const struct headers *header = run->masters.header;
    uint32_t at = expected_find(&run->routing->expected, site.index, header->packet[slot].message);
    uint32_t name = packet_name(header, slot);
    assert(at != EXPECTED_NONE);
    if (run->holder[at] == MACHINE_NONE)
        run->holder[at] = name;
    return run->holder[at] != name;
}

/* ---- visits ---- */

enum failure_kind expander_visits(struct expander_run *run, unsigned *held, struct failure *failure)
{
    struct random_run *masters = &run->masters;
    enum failure_kind kind = FAIL_NONE;
    masters->visit = 0;
    for (uint32_t i = 0; kind == FAIL_NONE && i < masters->cycle.count; i++) {
        if (i > 0)
            kind = random_shift(masters, failure);
        if (kind == FAIL_NONE)
            kind = random_paper.visit(masters, failure);
    }
    return kind == FAIL_NONE ? synchronise_held(masters->machine, 0, held, failure) : kind;
}

enum failure_kind expander_visits_steps(const struct expander_run *run, uint64_t *steps,
                                        struct failure *failure)
{
    const struct random_run *masters = &run->masters;
    uint64_t round = 0, count = masters->cycle.count;
    enum failure_kind kind = random_paper_steps(masters, &round, failure);
    *steps = round + (count - 1) * random_shift_steps(masters) +
             synchronise_steps(run->routing->set->mesh);
    return kind;
}

/* Returns the most packets per node. During a visit replicas rest, one of each layer, each on its
 * seat, besides a message of another class. While replicas shift there are fewer: as many that set
 * out, in one queue, and as many that have arrived, and one that passes where ways cross. */
uint32_t expander_visits_packets(const struct expander_run *run)
{
    struct random_run last = run->masters;
    /* as many as in any phase: the first one of literal=1 has r times alpha */
    last.instances = run->is_literal ? run->alpha * run->replicas : run->alpha;
    return random_paper_packets(&last) + last.layers + 1;
}

enum failure_kind expander_visits_begin(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind = make_queues(run, failure);
    if (kind == FAIL_NONE)
        kind = random_paper.begin(&run->masters, failure);
    if (kind == FAIL_NONE) {
        struct block_tour *tour = random_paper_tour(&run->masters);
        tour->is_held = is_held;
        tour->context = run;
    }
    return kind;
}

void expander_visits_end(struct expander_run *run)
{
    random_paper.end(&run->masters);
    free(run->holder);
}
