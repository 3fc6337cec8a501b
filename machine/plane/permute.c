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
 * Cost: a look at each cell of a pattern a step, and that of walk.c; 12 bytes a cell of a pattern.
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
    struct line_shape shape;
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
static void moves_of_line(const void *context, uint32_t line, struct plane_move *move)
{
    const struct permutation *work = context;
    const struct visitor *cell =
        work->visitor + (size_t)work->permute->pattern[line] * work->length;
    for (uint32_t start = 0; start < work->shape.length; start += work->length)
        for (uint32_t x = 0; x < work->length; x++)
            move[start + x] = (struct plane_move){start + cell[x].from, cell[x].links};
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
    plane_move_lines(work->machine, work->machine->plane->pairing.are_columns, moves_of_line, work);
}

enum failure_kind machine_permute(struct machine *machine, const struct permute *permute,
                                  struct failure *failure)
{
    assert(machine->has_open_plane && !machine->in_sync_phase);
    const struct pairing *pairing = &machine->plane->pairing;
    uint32_t length = permute->cut[permute->segments];
    struct permutation work = {machine, permute, line_shape(machine, pairing->are_columns), length,
                               NULL};
    assert(pairing->is_on && work.shape.length % length == 0);
    assert(length % 2 == 0 || length == work.shape.length);
    for (uint32_t at = 0; at < work.shape.length; at += length)
        for (uint32_t s = 0; s < permute->segments; s++)
            assert(permute->cut[s] == permute->cut[s + 1] ||
                   pairing->side[at + permute->cut[s]] == 0);
    size_t cells = (size_t)permute->patterns * length;
    work.visitor = memory_allocate(cells, sizeof *work.visitor);
    if (work.visitor == NULL)
        return fail_memory(failure, "the permutations of a plane");
    for (size_t i = 0; i < cells; i++)
        work.visitor[i].target = permute->target[i];
    struct plane_program program = {.work = &work,
                                    .steps = permute->steps,
                                    .most = PLANE_PAIR,
                                    .has_silent_rounds = true,
                                    .run = permute_rounds,
                                    .along = work.shape.along};
    enum failure_kind kind = plane_run(machine, &program, failure);
    for (size_t i = 0; i < cells && kind == FAIL_NONE; i++)
        assert(work.visitor[i].target == i % length);
    free(work.visitor);
    return kind;
}
