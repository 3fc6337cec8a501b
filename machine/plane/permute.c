/* permute.c - a fixed permutation of the cells of paired lines, by odd-even transposition by
 * target.
 *
 * Where each cell's packet goes is fixed before the run, so every node knows it. Neighbouring cells
 * change places if the one in front has the farther target: within nodes, which costs no step, and
 * over links, alternately, as in a comparison along paired lines (compare.c). So every cell holds
 * one packet at most, every node two, and a line of k cells is permuted in k / 2 steps, whatever
 * the permutation. A packet crosses a link only if it moves; nothing else crosses.
 *
 * Lines with the same permutation, of which there are few, do the same in every step. So a pattern
 * is run once, on the numbers of its cells. This gives for each cell the origin of its packet, and
 * the number of links that the packet crosses; then the words of all lines are put into their
 * places. Columns are copied out of the plane, a cache line of each row, and back.
 * Cost: a look at each cell of a pattern per step, and at each cell for any number of steps; 12
 * bytes per cell of a pattern.
 */
#include "machine/plane/plane_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The packet in a cell of a pattern. */
struct visitor {
    uint32_t target;
    uint32_t from;  /* its cell when words were last put in their places */
    uint32_t links; /* links crossed since */
};

struct permutation {
    struct machine *machine;
    const struct permute *permute;
    struct lines lines;      /* of the mesh: the stretches' segments, one after the other */
    uint32_t *cut;           /* of these lines */
    uint32_t length;         /* of a pattern */
    struct visitor *visitor; /* [pattern][cell] */
    const struct plane_part *part;
};

/* Does a round of comparisons: of the two cells of each node, or `over_links` of cells that a link
 * joins. */
static void transpose_round(struct visitor *cell, const struct permute *permute, bool over_links)
{
    for (uint32_t s = 0; s < permute->segments; s++)
        for (uint32_t a = permute->cut[s] + over_links; a + 1 < permute->cut[s + 1]; a += 2) {
            struct visitor before = cell[a];
            if (before.target < cell[a + 1].target)
                continue;
            cell[a] = cell[a + 1];
            cell[a + 1] = before;
            cell[a].links += over_links;
            cell[a + 1].links += over_links;
        }
}

/* ---- all lines ---- */

/* Moves the packets of a line, which repeats its pattern; returns the hops. `scratch` has room for
 * the line. */
static uint64_t move_line(const struct permutation *work, uint32_t line, uint64_t *word,
                          uint64_t *scratch)
{
    const struct visitor *cell =
        work->visitor + (size_t)work->permute->pattern[line] * work->length;
    uint32_t length = work->length, from = work->part->start, end = work->part->end;
    uint64_t hops = 0;
    memcpy(scratch, word, (end - from) * sizeof *scratch);
    for (uint32_t start = from / length * length; start < end; start += length) {
        uint32_t stop = end - start < length ? end - start : length;
        uint32_t base = start - from; /* modulo 2^32 */
        for (uint32_t x = start < from ? from - start : 0; x < stop; x++) {
            uint64_t moved = scratch[(uint32_t)(base + cell[x].from)];
            word[(uint32_t)(base + x)] = moved;
            hops += moved == PLANE_EMPTY ? 0 : cell[x].links;
        }
    }
    return hops;
}

/* Columns that are copied out of the plane and back together, and words of one that are copied in
 * one go: a cache line of a row, and of the buffer. */
enum { COLUMNS = 8, COLUMN_WORDS = 8 };

static uint64_t move_columns(const struct permutation *work, uint32_t first, uint32_t count,
                             uint64_t *buffer)
{
    const struct plane_part *part = work->part;
    uint32_t length = part->end - part->start;
    /* whole cache lines, and not a power of two of them, so that columns do not evict each other */
    size_t stride = (length + COLUMN_WORDS - 1) / COLUMN_WORDS * COLUMN_WORDS + COLUMN_WORDS;
    size_t along = part->along;
    uint64_t *plane = part->word + part_offset(part, first, part->start), hops = 0;
    for (uint32_t start = 0; start < length; start += COLUMN_WORDS) {
        uint32_t left = length - start, words = left < COLUMN_WORDS ? left : COLUMN_WORDS;
        for (uint32_t l = 0; l < count; l++)
            for (uint32_t i = 0; i < words; i++)
                buffer[l * stride + start + i] = plane[(start + i) * along + l];
    }
    for (uint32_t l = 0; l < count; l++)
        hops += move_line(work, first + l, buffer + l * stride, buffer + COLUMNS * stride);
    for (uint32_t i = 0; i < length; i++)
        for (uint32_t l = 0; l < count; l++)
            plane[i * along + l] = buffer[l * stride + i];
    return hops;
}

static void move_band(void *context, const struct team *team)
{
    const struct permutation *work = context;
    const struct plane_part *part = work->part;
    uint64_t *scratch = work->machine->plane->scratch[team->rank], hops = 0;
    uint32_t groups = (part->end_line - part->first_line + COLUMNS - 1) / COLUMNS;
    uint32_t end = parallel_band_start(groups, team->rank + 1, team->size);
    for (uint32_t g = parallel_band_start(groups, team->rank, team->size); g < end; g++) {
        uint32_t first = part->first_line + g * COLUMNS, left = part->end_line - first;
        uint32_t count = left < COLUMNS ? left : COLUMNS;
        if (part->across == 1)
            hops += move_columns(work, first, count, scratch);
        for (uint32_t line = first; part->across > 1 && line < first + count; line++)
            hops +=
                move_line(work, line, part->word + part_offset(part, line, part->start), scratch);
    }
    work->machine->tally[team->rank].packet_hops += hops;
}

static void move_part(void *of_call, const struct plane_part *part)
{
    struct permutation *work = of_call;
    work->part = part;
    parallel_run(plane_threads(work->machine, 1), move_band, work);
}

/* ---- rounds ---- */

/* Cuts all lines as each of their stretches is. */
static bool cut_lines(struct permutation *work, const struct line_shape *shape)
{
    const struct permute *permute = work->permute;
    uint32_t stretches = shape->length / work->length, segments = permute->segments;
    uint32_t *cut = work->cut = memory_allocate((size_t)stretches * segments + 1, sizeof *cut);
    for (uint32_t i = 0; cut != NULL && i < stretches; i++)
        for (uint32_t s = 0; s <= segments; s++)
            cut[i * segments + s] = i * work->length + permute->cut[s];
    work->lines =
        (struct lines){work->machine->plane->pairing.lines.are_columns, stretches * segments, cut};
    return cut != NULL;
}

static void permute_rounds(void *of_call, uint32_t first, uint32_t rounds)
{
    struct permutation *work = of_call;
    for (uint32_t p = 0; p < work->permute->patterns; p++) {
        struct visitor *cell = work->visitor + (size_t)p * work->length;
        for (uint32_t x = 0; x < work->length; x++) {
            cell[x].from = x;
            cell[x].links = 0;
        }
        for (uint32_t round = first; round < first + rounds; round++)
            transpose_round(cell, work->permute, round % 2 == 1);
    }
    plane_each_part(work->machine, &work->lines, 0, move_part, work);
}

/* Reports the packets that have moved by one cell along lines, and over a link. */
static void emit_moves(void *of_call)
{
    const struct permutation *work = of_call;
    struct machine *machine = work->machine;
    const struct plane *plane = machine->plane;
    uint32_t along = line_shape(machine, plane->pairing.lines.are_columns).along;
    for (uint32_t cell = 0; cell < machine->nodes; cell++) {
        uint64_t word = plane->after[cell];
        if (word == PLANE_EMPTY || plane->before[cell] == word)
            continue;
        bool is_forward = cell >= along && plane->before[cell - along] == word;
        plane_tell(machine, word,
                   plane_node_of_cell(machine, is_forward ? cell - along : cell + along),
                   plane_node_of_cell(machine, cell));
    }
}

enum failure_kind machine_permute(struct machine *machine, const struct permute *permute,
                                  struct failure *failure)
{
    assert(machine->has_open_plane && !machine->in_sync_phase);
    const struct pairing *pairing = &machine->plane->pairing;
    struct line_shape shape = line_shape(machine, pairing->lines.are_columns);
    uint32_t length = permute->cut[permute->segments];
    struct permutation work = {.machine = machine, .permute = permute, .length = length};
    assert(pairing->is_on && shape.length % length == 0);
    assert(length % 2 == 0 || length == shape.length);
    for (uint32_t at = 0; at < shape.length; at += length)
        for (uint32_t s = 0; s < permute->segments; s++)
            assert(permute->cut[s] == permute->cut[s + 1] ||
                   pairing->side[at + permute->cut[s]] == 0);
    size_t cells = (size_t)permute->patterns * length;
    work.visitor = memory_allocate(cells, sizeof *work.visitor);
    if (!cut_lines(&work, &shape) || work.visitor == NULL) {
        free(work.visitor);
        free(work.cut);
        return fail_memory(failure, "the permutations of a plane");
    }
    for (size_t i = 0; i < cells; i++)
        work.visitor[i].target = permute->target[i];
    struct plane_program program = {.work = &work,
                                    .steps = permute->steps,
                                    .most = PLANE_PAIR,
                                    .has_silent_rounds = true,
                                    .run = permute_rounds,
                                    .tell = emit_moves};
    enum failure_kind kind = plane_run(machine, &program, failure);
    for (size_t i = 0; i < cells && kind == FAIL_NONE; i++)
        assert(work.visitor[i].target == i % length);
    free(work.visitor);
    free(work.cut);
    return kind;
}
