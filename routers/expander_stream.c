/* expander_stream.c - the streaming walk with which a run of router `expander` begins.
 *
 * Most sets need no replicas. So a run begins with one pass of the walk of router `stream` (stream_walk.c),
 * with six channels per node, where that has eight, and a permutation that is fixed and public, of a length
 * that all nodes know: 2 S + 4 m steps, S = sqrt(c n); 1.6 times as many with unit copies. An OR over the
 * mesh reports whether anything is left. If so trees may drain for some rounds more, half as long, with an OR
 * after each: seven by default, 9 S + 18 m steps in all. What is to be done if something is left then is the business
 * of expander_route.c.
 *
 * Buffer: that of stream_walk.c.
 * Source: ours; stream.md, theorem4.md.
 */
#include "base/numbers.h"
#include "primitives/synchronise.h"
#include "routers/expander_private.h"

enum { OF_ROOT = 2, OF_SIDE = 4, PERCENT = 100, SLOTS = 1, SPARE = 1 };
enum { FURTHER = PERCENT / 2 }; /* of 2 S + 4 m steps, as each further round has */

/* ---- before the run ---- */

enum failure_kind expander_stream_make(struct expander_run *run, struct failure *failure)
{
    const struct routing *routing = run->routing;
    struct stream_walk *walk = &run->stream;
    if (run->percent == 0)
        return FAIL_NONE;
    *walk = (struct stream_walk){.channels = CHANNELS_SHARED,
                                 .slots = SLOTS,
                                 .spare = SPARE,
                                 .copy_is_free = routing->options->copy_is_free,
                                 .degree = routing->degree};
    enum failure_kind kind =
        stream_tiles_make(walk, routing->set->mesh, run->masters.congestion, failure);
    if (kind == FAIL_NONE)
        kind = stream_permute(walk, run->public_seed, failure);
    return kind;
}

/* Returns the steps of the first round; the walk itself fits in any case. */
static uint64_t first_round(const struct expander_run *run)
{
    struct routing batch = *run->routing;
    uint32_t percent = min_u32(run->percent, PERCENT);
    batch.most_sent = 1;
    batch.congestion = run->masters.congestion;
    uint64_t steps = routing_goal_steps(&batch, OF_ROOT, OF_SIDE) * percent / PERCENT;
    uint64_t least = run->stream.scatter.steps + stream_legs_steps(&run->stream);
    return max_u64(steps, least);
}

static uint32_t further_rounds(const struct expander_run *run)
{
    return run->percent < PERCENT ? 0 : (run->percent - PERCENT) / FURTHER;
}

uint64_t expander_stream_steps(const struct expander_run *run)
{
    uint64_t whole = synchronise_steps(run->routing->set->mesh), first;
    if (run->percent == 0)
        return 0;
    first = first_round(run);
    return first + whole + further_rounds(run) * (first / 2 + whole);
}

/* ---- the walk ---- */

/* Makes the rest of a round that ends at step `end`, and the OR after it. */
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
    uint64_t first = first_round(run), end = machine_counts(machine)->steps + first;
    walk->machine = machine;
    walk->header = run->masters.header;
    enum failure_kind kind = stream_scatter(walk, "scatter", failure);
    machine_begin_phase(machine, "walk past all tiles");
    if (kind == FAIL_NONE)
        kind = stream_legs(walk, failure);
    if (kind == FAIL_NONE)
        kind = end_round(run, end, held, failure);
    for (uint32_t i = 0; i < further_rounds(run) && kind == FAIL_NONE && *held != 0; i++) {
        machine_begin_phase(machine, "walk a further round");
        end = machine_counts(machine)->steps + first / 2;
        kind = end_round(run, end, held, failure);
    }
    return kind;
}
