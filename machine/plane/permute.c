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
 * Cost: a look at each cell of a pattern a step, and one at each cell of the mesh; 12 bytes a cell
 * of a pattern.
 */
#include "machine/plane/plane_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The cells of one pattern. */
struct network {
    uint32_t *target; /* of what is in each cell */
    uint32_t *from;   /* the cell where it was when words were last put in their places */
    uint32_t *links;  /* that it has crossed since */
};

struct permutation_work {
    struct machine *machine;
    const struct permute *permute;
    struct line_shape shape;
    uint32_t *room; /* of the networks */
};

/* The cells of a pattern. */
static uint32_t length_of(const struct permute *permute)
{
    return permute->cut[permute->segments];
}

static struct network network_of(const struct permutation_work *work, uint32_t pattern)
{
    uint32_t length = length_of(work->permute);
    uint32_t *first = work->room + (size_t)pattern * 3 * length;
    return (struct network){first, first + length, first + 2 * (size_t)length};
}

static void swap(uint32_t *array, uint32_t a)
{
    uint32_t held = array[a];
    array[a] = array[a + 1];
    array[a + 1] = held;
}

/* A round of comparisons: of the cells of each node, or `over_links` of the others. */
static void transpose_round(struct network network, const struct permute *permute, bool over_links)
{
    for (uint32_t s = 0; s < permute->segments; s++)
        for (uint32_t a = permute->cut[s] + over_links; a + 1 < permute->cut[s + 1]; a += 2) {
            if (network.target[a] < network.target[a + 1])
                continue;
            swap(network.target, a);
            swap(network.from, a);
            swap(network.links, a);
            network.links[a] += over_links;
            network.links[a + 1] += over_links;
        }
}

/* Runs all patterns through these rounds. */
static void run_networks(const struct permutation_work *work, uint32_t first, uint32_t rounds)
{
    uint32_t length = length_of(work->permute);
    for (uint32_t p = 0; p < work->permute->patterns; p++) {
        struct network network = network_of(work, p);
        for (uint32_t x = 0; x < length; x++) {
            network.from[x] = x;
            network.links[x] = 0;
        }
        for (uint32_t round = first; round < first + rounds; round++)
            transpose_round(network, work->permute, round % 2 == 1);
    }
}

/* Puts the contiguous words of a line where its network says; returns the hops. */
static uint64_t place_line(const struct permutation_work *work, uint32_t line, uint64_t *word,
                           uint64_t *copy)
{
    uint32_t length = length_of(work->permute);
    struct network network = network_of(work, work->permute->pattern[line]);
    uint64_t hops = 0;
    memcpy(copy, word, work->shape.length * sizeof *copy);
    for (uint32_t start = 0; start < work->shape.length; start += length)
        for (uint32_t x = 0; x < length; x++) {
            uint64_t moved = copy[start + network.from[x]];
            word[start + x] = moved;
            hops += moved == PLANE_EMPTY ? 0 : network.links[x];
        }
    return hops;
}

/* Columns first .. first + count - 1: each copied out of the plane and back. */
static uint64_t place_columns(const struct permutation_work *work, uint32_t first, uint32_t count,
                              uint64_t *buffer)
{
    uint64_t *word = work->machine->plane->word, hops = 0;
    struct plane_columns columns = {first, count, work->shape.length, work->shape.along};
    size_t stride = plane_column_stride(&columns);
    plane_gather(&columns, word, buffer);
    for (uint32_t l = 0; l < count; l++)
        hops += place_line(work, first + l, buffer + l * stride, buffer + PLANE_COLUMNS * stride);
    plane_scatter(&columns, buffer, word);
    return hops;
}

static void place_band(void *context, const struct team *team)
{
    const struct permutation_work *work = context;
    struct plane *plane = work->machine->plane;
    uint64_t *buffer = plane->scratch[team->rank], hops = 0;
    uint32_t count = work->shape.count, groups = (count + PLANE_COLUMNS - 1) / PLANE_COLUMNS;
    uint32_t end = parallel_band_start(groups, team->rank + 1, team->size);
    for (uint32_t g = parallel_band_start(groups, team->rank, team->size); g < end; g++) {
        uint32_t first = g * PLANE_COLUMNS, left = count - first;
        uint32_t lines = left < PLANE_COLUMNS ? left : PLANE_COLUMNS;
        if (plane->pairing.are_columns)
            hops += place_columns(work, first, lines, buffer);
        for (uint32_t l = 0; !plane->pairing.are_columns && l < lines; l++)
            hops += place_line(work, first + l,
                               plane->word + (size_t)(first + l) * work->shape.across, buffer);
    }
    work->machine->tally[team->rank].packet_hops += hops;
}

static void permute_rounds(void *of_call, uint32_t first, uint32_t rounds)
{
    const struct permutation_work *work = of_call;
    run_networks(work, first, rounds);
    parallel_run(plane_crew(work->machine, rounds), place_band, of_call);
}

enum failure_kind machine_permute(struct machine *machine, const struct permute *permute,
                                  struct failure *failure)
{
    assert(machine->has_open_plane && !machine->in_sync_phase);
    const struct pairing *pairing = &machine->plane->pairing;
    struct lines lines = {.are_columns = pairing->are_columns};
    struct permutation_work work = {machine, permute, line_shape(machine, &lines), NULL};
    uint32_t length = length_of(permute);
    assert(pairing->is_on && work.shape.length % length == 0);
    assert(length % 2 == 0 || length == work.shape.length);
    for (uint32_t at = 0; at < work.shape.length; at += length)
        for (uint32_t s = 0; s < permute->segments; s++)
            assert(permute->cut[s] == permute->cut[s + 1] ||
                   pairing->side[at + permute->cut[s]] == 0);
    work.room = memory_allocate((size_t)permute->patterns * length, 3 * sizeof *work.room);
    if (work.room == NULL)
        return fail_memory(failure, "the permutations of a plane");
    for (uint32_t p = 0; p < permute->patterns; p++)
        memcpy(network_of(&work, p).target, permute->target + (size_t)p * length,
               length * sizeof *work.room);
    struct plane_program program = {.work = &work,
                                    .steps = permute->steps,
                                    .most = PLANE_PAIR,
                                    .has_silent_rounds = true,
                                    .run = permute_rounds,
                                    .along = work.shape.along};
    enum failure_kind kind = plane_run(machine, &program, failure);
    for (uint32_t p = 0; p < permute->patterns && kind == FAIL_NONE; p++)
        for (uint32_t x = 0; x < length; x++)
            assert(network_of(&work, p).target[x] == x);
    free(work.room);
    return kind;
}
