/* rotate.c - rotation of segments of rows or columns: two streams, one link a step.
 *
 * A segment of length k is rotated by `shift`: the packets at distances 0 .. k-shift-1 from its
 * start do not wrap and walk forward over `shift` links, the others walk backward over k - shift
 * links, both streams at once and each in step: no two packets of a stream ever meet, so a node
 * holds at most one of each stream (the one that rests at its end included): two packets.
 *
 * Along paired lines (pair.c) the same goes for cells: of two cells of a node one hands its packet
 * of a stream to the other, the other over the link. A node holds four packets at most.
 *
 * The streams are two planes that move one cell a step. Step by step over the whole mesh, with the
 * fullest node looked up after every step, when there is a trace and as long as so many packets at a
 * node would be a new peak; what is left line by line (rotate_lines.c).
 * Cost: one look at each node a step.
 */
#include "machine/plane_private.h"

#include <assert.h>

/* A segment on the mesh. */
struct stretch {
    uint32_t start; /* a cell */
    uint32_t along, length, shift;
};

/* Calls `act` for each segment that is rotated. */
static void for_stretches(struct machine *machine, const struct rotate *rotate, uint32_t step,
                          void (*act)(struct machine *machine, struct stretch stretch,
                                      uint32_t step))
{
    struct line_shape shape = line_shape(machine, &rotate->lines);
    const uint32_t *cut = rotate->lines.cut;
    for (uint32_t line = 0; line < shape.count; line++) {
        for (uint32_t s = 0; s < rotate->lines.segments; s++) {
            struct stretch stretch = {line * shape.across + cut[s] * shape.along, shape.along,
                                      cut[s + 1] - cut[s], rotate->shift(rotate->context, line, s)};
            assert(stretch.shift < stretch.length || stretch.shift == 0);
            if (stretch.shift > 0)
                act(machine, stretch, step);
        }
    }
}

/* What wraps changes over to the backward stream. */
static void part_streams(struct machine *machine, struct stretch stretch, uint32_t step)
{
    (void)step;
    for (uint32_t x = stretch.length - stretch.shift; x < stretch.length; x++) {
        uint32_t cell = stretch.start + x * stretch.along;
        machine->plane->backward[cell] = machine->plane->word[cell];
        machine->plane->word[cell] = PLANE_EMPTY;
    }
}

/* Step `step`, from 1, of both streams; the packet in front hops first and makes room. */
static void move_streams(struct machine *machine, struct stretch stretch, uint32_t step)
{
    uint32_t along = stretch.along, last = stretch.length - 1;
    if (step <= stretch.shift)
        for (uint32_t x = last; x > 0; x--) {
            uint32_t to = stretch.start + x * along;
            plane_hop(machine, &machine->band[0], machine->plane->word, to - along, to);
        }
    if (step <= stretch.length - stretch.shift)
        for (uint32_t x = 0; x < last; x++) {
            uint32_t to = stretch.start + x * along;
            plane_hop(machine, &machine->band[0], machine->plane->backward, to + along, to);
        }
}

static void join_streams(struct machine *machine, struct stretch stretch, uint32_t step)
{
    (void)step;
    for (uint32_t x = 0; x < stretch.shift; x++) {
        uint32_t cell = stretch.start + x * stretch.along;
        assert(machine->plane->word[cell] == PLANE_EMPTY);
        machine->plane->word[cell] = machine->plane->backward[cell];
        machine->plane->backward[cell] = PLANE_EMPTY;
    }
}

/* Step by step as long as it must be; *done: the steps that were taken. With all of them, or a failure,
 * the rotation is over. */
static enum failure_kind rotate_by_steps(struct machine *machine, const struct rotate *rotate,
                                         uint32_t steps, uint32_t *done, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    uint32_t most = PLANE_STREAMS * (machine->plane->pairing.is_on ? PLANE_PAIR : 1);
    if (!plane_needs_steps(machine, most))
        return FAIL_NONE;
    for_stretches(machine, rotate, 0, part_streams);
    while (*done < steps && kind == FAIL_NONE && plane_needs_steps(machine, most)) {
        for_stretches(machine, rotate, ++*done, move_streams);
        plane_look_for_peak(machine, most);
        kind = machine_end_step(machine, failure);
    }
    if (kind == FAIL_NONE && *done == steps)
        for_stretches(machine, rotate, 0, join_streams);
    return kind;
}

uint32_t machine_rotate_steps(const struct rotate *rotate, uint32_t line_count)
{
    uint32_t most = 0;
    for (uint32_t line = 0; line < line_count; line++) {
        for (uint32_t s = 0; s < rotate->lines.segments; s++) {
            uint32_t shift = rotate->shift(rotate->context, line, s);
            uint32_t wrapped = rotate->lines.cut[s + 1] - rotate->lines.cut[s] - shift;
            if (shift > 0 && shift > most)
                most = shift;
            if (shift > 0 && wrapped > most)
                most = wrapped;
        }
    }
    return most;
}

enum failure_kind machine_rotate(struct machine *machine, const struct rotate *rotate,
                                 struct failure *failure)
{
    assert(machine->plane != NULL && machine->plane->is_open && !machine->in_sync_phase);
    struct line_shape shape = line_shape(machine, &rotate->lines);
    assert(rotate->lines.cut[0] == 0 && rotate->lines.cut[rotate->lines.segments] == shape.length);
    uint32_t steps = machine_rotate_steps(rotate, shape.count), done = 0;
    assert(!machine->plane->pairing.is_on || plane_is_along(machine, &rotate->lines));
    if (plane_prepare_scratch(machine, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    enum failure_kind kind = rotate_by_steps(machine, rotate, steps, &done, failure);
    if (kind != FAIL_NONE || done == steps)
        return kind;
    rotate_by_lines(machine, rotate, done, steps);
    return machine_end_steps(machine, steps - done, failure);
}
