/* permute.c - a fixed permutation of the cells of paired lines, by odd-even transposition by target.
 *
 * Where each cell's packet goes is fixed before the run, so every node knows it. Neighbouring cells
 * change places if the one in front has the farther target: within nodes, which takes no step, and
 * over links, alternately, as in a comparison along paired lines (compare.c). So every cell holds one
 * packet at most, every node two, and a line of k cells is permuted in k / 2 steps, whatever the
 * permutation. A packet crosses a link only if it moves; nothing else crosses.
 *
 * Lines with the same permutation, of which there are few, do the same in every step. So a pattern
 * is run once, on the numbers of its cells: it says for each cell whose packet it gets, and how many
 * links that packet crosses; then the words of all lines are put where they belong.
 * Cost: a look at each cell of a pattern per step, and that of move_lines.c; 12 bytes per cell of a pattern.
 */
#include "machine/plane/plane_private.h"

#include <assert.h>
#include <stdlib.h>

/* The packet in a cell of a pattern. */
struct visitor {
    uint32_t target;
    uint32_t from;  /* the cell where it was when words were last put in their places */
    uint32_t links; /* that it has crossed since */
};

struct permutation {
    struct machine *machine;
    const struct permute *permute;
    struct lines lines;      /* of the mesh: the stretches' segments, one behind the other */
    uint32_t *cut;           /* of these */
    uint32_t length;         /* of a pattern */
    struct visitor *visitor; /* [pattern][cell] */
};

/* Does a round of comparisons: of the two cells of each node, or `over_links` of cells that a link joins. */
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

/* Fills in the moves of a line, which repeats its pattern. */
static void moves_of_line(const void *context, uint32_t line, const struct plane_part *part,
                          struct plane_move *move)
{
    const struct permutation *work = context;
    const struct visitor *cell =
        work->visitor + (size_t)work->permute->pattern[line] * work->length;
    uint32_t length = work->length, from = part->start;
    for (uint32_t start = from / length * length; start < part->end; start += length) {
        uint32_t end = part->end - start < length ? part->end - start : length;
        uint32_t x = start < from ? from - start : 0, count = end - x;
        uint32_t base = start - from; /* modulo 2^32 */
        const struct visitor *visitor = cell + x;
        struct plane_move *to = move + (uint32_t)(base + x);
        for (uint32_t i = 0; i < count; i++)
            to[i] = (struct plane_move){base + visitor[i].from, visitor[i].links};
    }
}

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
    const struct permutation *work = of_call;
    for (uint32_t p = 0; p < work->permute->patterns; p++) {
        struct visitor *cell = work->visitor + (size_t)p * work->length;
        for (uint32_t x = 0; x < work->length; x++) {
            cell[x].from = x;
            cell[x].links = 0;
        }
        for (uint32_t round = first; round < first + rounds; round++)
            transpose_round(cell, work->permute, round % 2 == 1);
    }
    plane_move_lines(work->machine, &work->lines, moves_of_line, work);
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
                                    .along = shape.along};
    enum failure_kind kind = plane_run(machine, &program, failure);
    for (size_t i = 0; i < cells && kind == FAIL_NONE; i++)
        assert(work.visitor[i].target == i % length);
    free(work.visitor);
    free(work.cut);
    return kind;
}
