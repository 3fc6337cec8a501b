/* rotate_lines.c - rotation, fast: a few lines through all steps while in cache.
 *
 * Lines do not touch each other in a rotation. A thread copies PLANE_LANES of them, one after
 * another, into its own buffer, and moves the two streams of a segment (rotate.c) one node a step.
 * The packets of a stream keep their distances, so a step of a stream is a move of a block by one
 * position, and costs as many hops as the block has packets: along paired lines (pair.c), as it has
 * packets that leave their node.
 * Cost: one word moved a node and step, in whole blocks.
 */
#include "machine/plane_private.h"

#include <string.h>

struct line_work {
    struct machine *machine;
    const struct rotate *rotate;
    struct line_shape shape;
};

/* The packets of a block at even positions, and at odd ones. */
struct packets {
    uint64_t at[2];
};

static struct packets count_packets(const uint64_t *word, uint32_t first, uint32_t end)
{
    struct packets packets = {{0, 0}};
    for (uint32_t i = first; i < end; i++)
        packets.at[i % 2] += word[i] != PLANE_EMPTY;
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
    uint64_t *word;
    uint32_t length, shift;
    uint32_t second; /* parity of the positions of second cells in their nodes; 2: none is paired */
};

/* Rotates a segment; `stream` has room for twice its words. Returns the hops. */
static uint64_t rotate_segment(struct segment segment, uint64_t *stream)
{
    uint64_t *word = segment.word;
    uint32_t length = segment.length, shift = segment.shift, second = segment.second;
    uint32_t first = second == 2 ? 2 : 1 - second;
    uint32_t wrapped = length - shift; /* the first that wraps, and the hops of those that do */
    uint64_t *forward = stream, *backward = stream + length;
    memcpy(forward, word, wrapped * sizeof *word);
    memcpy(backward + wrapped, word + wrapped, shift * sizeof *word);
    struct packets ahead = count_packets(word, 0, wrapped);
    struct packets back = count_packets(word, wrapped, length);
    uint64_t hops = 0;
    for (uint32_t step = 0; step < shift; step++) {
        memmove(forward + step + 1, forward + step, wrapped * sizeof *word);
        hops += block_hops(ahead, step, second);
    }
    for (uint32_t step = 0; step < wrapped; step++) {
        memmove(backward + wrapped - step - 1, backward + wrapped - step, shift * sizeof *word);
        hops += block_hops(back, step, first);
    }
    memcpy(word, backward, shift * sizeof *word);
    memcpy(word + shift, forward + shift, wrapped * sizeof *word);
    return hops;
}

/* All segments of one line whose words are contiguous. */
static uint64_t rotate_line(const struct line_work *work, uint32_t line, uint64_t *word,
                            uint64_t *stream)
{
    const struct rotate *rotate = work->rotate;
    const struct pairing *pairing = &work->machine->plane->pairing;
    uint64_t hops = 0;
    for (uint32_t s = 0; s < rotate->lines.segments; s++) {
        uint32_t start = rotate->lines.cut[s], length = rotate->lines.cut[s + 1] - start;
        struct segment segment = {word + start, length, rotate->shift(rotate->context, line, s), 2};
        if (segment.shift == 0)
            continue;
        if (pairing->is_on)
            segment.second = 1u ^ pairing->side[start];
        hops += rotate_segment(segment, stream);
    }
    return hops;
}

/* Columns first .. first + count - 1: each copied out of the plane and back. */
static uint64_t rotate_columns(const struct line_work *work, uint32_t first, uint32_t count,
                               uint64_t *buffer)
{
    struct line_shape shape = work->shape;
    uint64_t *plane = work->machine->plane->word, *stream = buffer + PLANE_LANES * shape.length;
    uint64_t hops = 0;
    for (uint32_t i = 0; i < shape.length; i++)
        for (uint32_t l = 0; l < count; l++)
            buffer[(size_t)l * shape.length + i] = plane[i * shape.along + first + l];
    for (uint32_t l = 0; l < count; l++)
        hops += rotate_line(work, first + l, buffer + (size_t)l * shape.length, stream);
    for (uint32_t i = 0; i < shape.length; i++)
        for (uint32_t l = 0; l < count; l++)
            plane[i * shape.along + first + l] = buffer[(size_t)l * shape.length + i];
    return hops;
}

static void rotate_band(void *context, const struct team *team)
{
    const struct line_work *work = context;
    struct line_shape shape = work->shape;
    uint64_t *buffer = work->machine->plane->scratch[team->rank];
    uint64_t hops = 0;
    uint32_t groups = (shape.count + PLANE_LANES - 1) / PLANE_LANES;
    uint32_t end = parallel_band_start(groups, team->rank + 1, team->size);
    for (uint32_t g = parallel_band_start(groups, team->rank, team->size); g < end; g++) {
        uint32_t first = g * PLANE_LANES, count = shape.count - first;
        count = count < PLANE_LANES ? count : PLANE_LANES;
        if (work->rotate->lines.are_columns)
            hops += rotate_columns(work, first, count, buffer);
        for (uint32_t l = 0; !work->rotate->lines.are_columns && l < count; l++)
            hops += rotate_line(work, first + l,
                                work->machine->plane->word + (size_t)(first + l) * shape.across,
                                buffer);
    }
    work->machine->band[team->rank].packet_hops += hops;
}

void rotate_by_lines(struct machine *machine, const struct rotate *rotate, uint32_t steps)
{
    struct line_work work = {machine, rotate, line_shape(machine, &rotate->lines)};
    parallel_run(plane_threads(machine, steps), rotate_band, &work);
}
