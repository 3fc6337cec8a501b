/* rotate.c - rotation of segments of rows or columns: two streams, one link a step.
 *
 * A segment of length k is rotated by `shift`: the packets at distances 0 .. k-shift-1 from its
 * start do not wrap and walk forward over `shift` links, the others walk backward over k - shift
 * links, both streams at once. The packets of a stream walk in step and never meet, so a node
 * holds at most one of each stream (packets at their ends included): two packets.
 *
 * Along paired lines (fold_lines.c) the same is true of cells: in a stream the first cell of a node hands its packet
 * to the second, and the second over the link, or the other way round. A node holds four packets at most.
 *
 * The streams are two planes; before the first step and behind the last one all is in `word`.
 * Cost: that of move_lines.c.
 */

#include "machine/plane/plane_private.h"

#include <assert.h>

struct rotation {
    struct machine *machine;
    const struct rotate *rotate;
    uint32_t steps; /* of the call */
    struct plane_walk walk;
};

static void moves_of_line(const void *context, uint32_t line, const struct plane_part *part,
                          struct plane_move *move)
{
    const struct rotation *rotation = context;
    const struct rotate *rotate = rotation->rotate;
    struct plane_walk walk = walk_of_part(&rotation->walk, part);
    for (uint32_t s = 0; s < rotate->lines.segments; s++) {
        uint32_t start = rotate->lines.cut[s], length = rotate->lines.cut[s + 1] - start;
        if (start < part->start || start + length > part->end)
            continue;
        uint32_t shift = rotate->shift(rotate->context, line, s);
        assert(shift < length || shift == 0);
        start -= part->start;
        for (uint32_t x = 0; x < length; x++) {
            bool wraps = x + shift >= length;
            int32_t way = wraps ? (int32_t)shift - (int32_t)length : (int32_t)shift;
            plane_walk(&walk, start + x, way, wraps, move);
        }
    }
}

static void rotate_steps(void *of_call, uint32_t first, uint32_t steps)
{
    struct rotation *rotation = of_call;
    struct plane_walk *walk = &rotation->walk;
    walk->from = first;
    walk->to = first + steps;
    walk->is_apart[0] = first > 0;
    walk->is_apart[1] = walk->to < rotation->steps;
    plane_move_lines(rotation->machine, &rotation->rotate->lines, moves_of_line, rotation);
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
    assert(machine->has_open_plane && !machine->in_sync_phase);
    struct line_shape shape = line_shape(machine, rotate->lines.are_columns);
    const struct pairing *pairing = &machine->plane->pairing;
    assert(rotate->lines.cut[0] == 0 && rotate->lines.cut[rotate->lines.segments] == shape.length);
    assert(!pairing->is_on || plane_is_along(machine, &rotate->lines));
    struct rotation rotation = {.machine = machine,
                                .rotate = rotate,
                                .steps = machine_rotate_steps(rotate, shape.count),
                                .walk = {.place = pairing->is_on ? pairing->place : NULL}};
    struct plane_program program = {.work = &rotation,
                                    .steps = rotation.steps,
                                    .most = PLANE_STREAMS * (pairing->is_on ? PLANE_PAIR : 1),
                                    .run = rotate_steps,
                                    .along = shape.along};
    return plane_run(machine, &program, failure);
}
