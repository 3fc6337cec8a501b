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
 * The streams are two planes that move one cell a step; before the first all is in `word`.
 * Lines do not touch each other in a rotation. A thread moves the two streams of a segment
 * in its own buffer, one node a step; columns, a cache line of each row, are copied there first.
 * The packets of a stream keep their distances, so a step of a stream is a move of a block by one
 * position, and costs as many hops as the block has packets: along paired lines (pair.c), as it has
 * packets that leave their node.
 * Cost: one word moved a node and step, in whole blocks.
 */

#include "machine/plane/plane_private.h"

#include <assert.h>
#include <string.h>

struct line_work {
    struct machine *machine;
    const struct rotate *rotate;
    struct line_shape shape;
    uint32_t steps;      /* of the call */
    uint32_t done, last; /* steps that are done before, and behind this run */
};

enum { LANES = PLANE_COLUMNS };

/* The packets of a block that were at even positions before the first step, and at odd ones. */
struct packets {
    uint64_t at[2];
};

/* Of the block of `count` words that begins at position `first`, `moved` steps after the first. */
static struct packets count_packets(const uint64_t *word, uint32_t first, uint32_t count,
                                    uint32_t moved)
{
    struct packets packets = {{0, 0}};
    for (uint32_t i = first; i < first + count; i++)
        packets.at[(i + moved) % 2] += word[i] != PLANE_EMPTY;
    return packets;
}

/* The hops of a block that has moved by `moved` positions and moves by one more. Of cells of
 * paired lines those move over a link whose position is now of parity `leaving`; 2: all. */
static uint64_t block_hops(struct packets packets, uint32_t moved, uint32_t leaving)
{
    return leaving == 2 ? packets.at[0] + packets.at[1] : packets.at[(moved + leaving) % 2];
}

/* Contiguous words that are rotated. */
struct segment {
    uint64_t *word, *backward; /* the streams after `done` steps; after none all are in `word` */
    uint32_t length, shift;
    uint32_t done, last;
    bool is_whole;   /* all steps are done then: both streams stand in `word` */
    uint32_t second; /* parity of the positions of second cells in their nodes; 2: none is paired */
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The steps of the packets that do not wrap. `stream` has room for the segment. */
static uint64_t move_forward(const struct segment *segment, uint64_t *stream)
{
    uint32_t count = segment->length - segment->shift, moved = least(segment->done, segment->shift);
    uint64_t hops = 0;
    struct packets packets = count_packets(segment->word, moved, count, moved);
    memcpy(stream + moved, segment->word + moved, count * sizeof *stream);
    for (; moved < least(segment->last, segment->shift); moved++) {
        memmove(stream + moved + 1, stream + moved, count * sizeof *stream);
        hops += block_hops(packets, moved, segment->second);
    }
    return hops;
}

/* The steps of those that do. */
static uint64_t move_backward(const struct segment *segment, uint64_t *stream)
{
    uint32_t wrapped = segment->length - segment->shift, moved = least(segment->done, wrapped);
    uint32_t first = segment->second == 2 ? 2 : 1 - segment->second;
    const uint64_t *word = segment->done > 0 ? segment->backward : segment->word;
    uint64_t hops = 0;
    struct packets packets = count_packets(word, wrapped - moved, segment->shift, moved);
    memcpy(stream + wrapped - moved, word + wrapped - moved, segment->shift * sizeof *stream);
    for (; moved < least(segment->last, wrapped); moved++) {
        uint64_t *from = stream + wrapped - moved;
        memmove(from - 1, from, segment->shift * sizeof *stream);
        hops += block_hops(packets, moved, first);
    }
    return hops;
}

/* The steps of a segment; `stream` has room for twice its words. Returns the hops. */
static uint64_t rotate_segment(const struct segment *segment, uint64_t *stream)
{
    uint32_t length = segment->length, shift = segment->shift, wrapped = length - shift;
    uint32_t ahead = least(segment->last, shift), back = wrapped - least(segment->last, wrapped);
    uint64_t *forward = stream, *backward = stream + length;
    uint64_t hops = move_forward(segment, forward) + move_backward(segment, backward);
    uint64_t *wrap_to = segment->is_whole ? segment->word : segment->backward;
    memset(segment->word, 0xff, length * sizeof *stream);
    memset(segment->backward, 0xff, length * sizeof *stream);
    memcpy(segment->word + ahead, forward + ahead, wrapped * sizeof *stream);
    memcpy(wrap_to + back, backward + back, shift * sizeof *stream);
    return hops;
}

/* All segments of one line whose words are contiguous. */
static uint64_t rotate_line(const struct line_work *work, uint32_t line, uint64_t *word,
                            uint64_t *backward, uint64_t *stream)
{
    const struct rotate *rotate = work->rotate;
    const struct pairing *pairing = &work->machine->plane->pairing;
    uint64_t hops = 0;
    for (uint32_t s = 0; s < rotate->lines.segments; s++) {
        uint32_t start = rotate->lines.cut[s], length = rotate->lines.cut[s + 1] - start;
        uint32_t shift = rotate->shift(rotate->context, line, s);
        struct segment segment = {.word = word + start,
                                  .backward = backward + start,
                                  .length = length,
                                  .shift = shift,
                                  .done = work->done,
                                  .last = work->last,
                                  .is_whole = work->last == work->steps,
                                  .second = 2};
        assert(shift < length || shift == 0);
        if (shift == 0)
            continue;
        if (pairing->is_on)
            segment.second = 1u ^ pairing->side[start];
        hops += rotate_segment(&segment, stream);
    }
    return hops;
}

/* Columns first .. first + count - 1: each copied out of the planes and back. */
static uint64_t rotate_columns(const struct line_work *work, uint32_t first, uint32_t count,
                               uint64_t *buffer)
{
    const struct plane *plane = work->machine->plane;
    struct plane_columns columns = {first, count, work->shape.length, work->shape.along};
    size_t stride = plane_column_stride(&columns);
    uint64_t *back = buffer + LANES * stride, *stream = buffer + 2 * LANES * stride, hops = 0;
    plane_gather(&columns, plane->word, buffer);
    plane_gather(&columns, plane->backward, back);
    for (uint32_t l = 0; l < count; l++)
        hops += rotate_line(work, first + l, buffer + l * stride, back + l * stride, stream);
    plane_scatter(&columns, buffer, plane->word);
    plane_scatter(&columns, back, plane->backward);
    return hops;
}

static void rotate_band(void *context, const struct team *team)
{
    const struct line_work *work = context;
    struct line_shape shape = work->shape;
    const struct plane *plane = work->machine->plane;
    uint64_t *buffer = plane->scratch[team->rank], hops = 0;
    uint32_t groups = (shape.count + LANES - 1) / LANES;
    uint32_t end = parallel_band_start(groups, team->rank + 1, team->size);
    for (uint32_t g = parallel_band_start(groups, team->rank, team->size); g < end; g++) {
        uint32_t first = g * LANES, count = least(shape.count - first, LANES);
        if (work->rotate->lines.are_columns)
            hops += rotate_columns(work, first, count, buffer);
        for (uint32_t l = 0; !work->rotate->lines.are_columns && l < count; l++) {
            size_t line = (size_t)(first + l) * shape.across;
            hops +=
                rotate_line(work, first + l, plane->word + line, plane->backward + line, buffer);
        }
    }
    work->machine->tally[team->rank].packet_hops += hops;
}

static void rotate_steps(void *of_call, uint32_t first, uint32_t steps)
{
    struct line_work *work = of_call;
    work->done = first;
    work->last = first + steps;
    parallel_run(plane_crew(work->machine, steps), rotate_band, work);
}

/* ---- a call ---- */

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
    struct line_work work = {
        .machine = machine, .rotate = rotate, .shape = line_shape(machine, &rotate->lines)};
    bool is_paired = machine->plane->pairing.is_on;
    assert(rotate->lines.cut[0] == 0 &&
           rotate->lines.cut[rotate->lines.segments] == work.shape.length);
    assert(!is_paired || plane_is_along(machine, &rotate->lines));
    work.steps = machine_rotate_steps(rotate, work.shape.count);
    struct plane_program program = {.work = &work,
                                    .steps = work.steps,
                                    .most = PLANE_STREAMS * (is_paired ? PLANE_PAIR : 1),
                                    .run = rotate_steps,
                                    .along = work.shape.along};
    return plane_run(machine, &program, failure);
}
