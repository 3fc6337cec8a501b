/* expander_stream.c - the streaming walk with which a run of router `expander` begins, and what it leaves.
 *
 * Most sets need no replicas. So a run begins with one pass of the walk of router `stream` (stream_walk.c),
 * with six channels a node, where that has eight, and a permutation that is fixed and public, of a length
 * that all nodes know: 2 S + 4 m steps, S = sqrt(c n); 1.6 times as many with unit copies. An OR over the
 * mesh tells whether anything is left. If so trees may drain for some rounds more, half as long, with an OR
 * behind each. What is left then goes to the replicas, numbered where it stands.
 *   Pieces. When the last round is over every packet comes to rest where it is (machine_channel_halt), with
 * the destinations that it has not delivered: it is a piece of its message. A delivery is owed by one piece
 * alone. A node holds no more pieces than its channels, its slot for injection and its masters at home had room
 * for.
 *   Layers. The first piece of every node, then the first that is left, and so on: each layer is a set of
 * at most one packet a node, in which no node receives more than c; so Theorem 4 holds for it, with the node
 * where a piece stands for the source of its message. An OR behind each layer tells whether there is another.
 *
 * Steps: as above, and those of the layers. Buffer: that of the walk; then that of the replicas and of the
 * pieces that wait.
 * Source: ours; stream.md, theorem4.md.
 * Cost: 8 bytes a delivery.
 */
#include "primitives/synchronise.h"
#include "routers/expander_private.h"

enum { OF_ROOT = 2, OF_SIDE = 4, PERCENT = 100, SPARE = 1 };

/* ---- before the run ---- */

enum failure_kind expander_stream_make(struct expander_run *run, struct failure *failure)
{
    const struct routing *routing = run->routing;
    struct stream_walk *walk = &run->stream;
    if (run->percent == 0)
        return FAIL_NONE;
    *walk = (struct stream_walk){.channels = CHANNELS_SHARED,
                                 .slots = EXPANDER_SLOTS,
                                 .spare = SPARE,
                                 .copy_is_free = routing->options->copy_is_free,
                                 .degree = routing->degree};
    enum failure_kind kind =
        stream_tiles_make(walk, routing->set->mesh, expander_congestion(routing), failure);
    if (kind == FAIL_NONE)
        kind = stream_permute(walk, run->public_seed, run->routing->options->ranks, failure);
    return kind;
}

uint32_t expander_most_pieces(const struct expander_run *run)
{
    return run->percent == 0 ? 1 : stream_pieces(&run->stream);
}

/* Of the first round; the walk itself fits in any case. */
static uint64_t budget(const struct expander_run *run)
{
    struct routing batch = *run->routing;
    batch.most_sent = 1;
    batch.congestion = expander_congestion(run->routing);
    uint64_t steps = routing_goal_steps(&batch, OF_ROOT, OF_SIDE) * run->percent / PERCENT;
    uint64_t least = run->stream.scatter.steps + stream_legs_steps(&run->stream);
    return steps > least ? steps : least;
}

static uint64_t further_round(const struct expander_run *run)
{
    return budget(run) / 2;
}

uint64_t expander_stream_steps(const struct expander_run *run)
{
    uint64_t whole = synchronise_steps(run->routing->set->mesh);
    if (run->percent == 0)
        return 0;
    return budget(run) + whole + run->rounds * (further_round(run) + whole);
}

/* ---- the walk ---- */

/* The rest of a round that ends at step `end`, and the OR behind it. */
static enum failure_kind end_round(struct expander_run *run, uint64_t end, unsigned *held,
                                   struct failure *failure)
{
    struct machine *machine = run->masters.machine;
    uint64_t steps = machine_counts(machine)->steps;
    enum failure_kind kind = FAIL_NONE;
    if (steps < end)
        kind = stream_drain(&run->stream, end - steps, failure);
    if (kind != FAIL_NONE)
        return kind;
    return synchronise_held(machine, end - machine_counts(machine)->steps, held, failure);
}

enum failure_kind expander_stream_run(struct expander_run *run, unsigned *held,
                                      struct failure *failure)
{
    struct machine *machine = run->masters.machine;
    struct stream_walk *walk = &run->stream;
    uint64_t end = machine_counts(machine)->steps + budget(run);
    walk->machine = machine;
    walk->header = run->masters.header;
    enum failure_kind kind = stream_scatter(walk, "scatter", failure);
    machine_begin_phase(machine, "walk past all tiles");
    if (kind == FAIL_NONE)
        kind = stream_legs(walk, failure);
    if (kind == FAIL_NONE)
        kind = end_round(run, end, held, failure);
    for (uint32_t i = 0; i < run->rounds && kind == FAIL_NONE && *held != 0; i++) {
        machine_begin_phase(machine, "walk a further round");
        end = machine_counts(machine)->steps + further_round(run);
        kind = end_round(run, end, held, failure);
    }
    if (kind == FAIL_NONE && *held != 0)
        machine_channel_halt(machine);
    return kind;
}

/* ---- layers ---- */

void expander_layer_begin(struct expander_run *run)
{
    struct machine *machine = run->masters.machine;
    struct node_range nodes = machine_nodes(machine);
    for (node_index node = nodes.first; node < nodes.end; node++) {
        node_index origin = node;
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet)) {
            expander_piece(run, packet)->origin = origin;
            origin = MACHINE_NONE;
        }
    }
}
