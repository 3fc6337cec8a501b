/* seed_sets.c - the table of sets that are made to be bad.
 *
 * A row makes some variants, numbered from 0. Deliveries to a node that already has c messages are
 * left out (search/candidate.h), so all keep the congestion.
 *
 * Cost: O(n + deliveries) per set, and the cost of patterns and families.
 */
#include "search/seed_sets.h"

#include "base/numbers.h"
#include "search/candidate.h"

#include <inttypes.h>
#include <stdio.h>

/* A set in the making; `text` is the part of its name after the row's. */
struct made {
    const struct seed_plan *seeds;
    uint32_t variant;
    struct message_set *set;
    char *text;
    size_t size;
};

/* ---- patterns ---- */

/* Returns the number of patterns, twice each: the pattern's own degree, and as many destinations as
 * congestion. */
static uint32_t count_patterns(const struct seed_plan *seeds)
{
    (void)seeds;
    return 2 * pattern_count();
}

static enum failure_kind make_pattern(const struct made *made, struct failure *failure)
{
    const struct seed_plan *seeds = made->seeds;
    const struct pattern *pattern = pattern_at(made->variant / 2);
    struct pattern_options options = {.mesh = seeds->mesh,
                                      .degree = made->variant % 2 == 0 ? 1 : seeds->congestion,
                                      .congestion = seeds->congestion,
                                      .per_node = seed_plan_per_node(seeds),
                                      .seed = seeds->seed,
                                      .adversary = seeds->adversary};
    if ((pattern->needs & PATTERN_GRAPH) && seeds->adversary == NULL)
        return fail(failure, FAIL_USAGE, "no graph is known");
    if ((pattern->needs & ~(unsigned)PATTERN_GRAPH) || pattern->sends_many)
        return fail(failure, FAIL_USAGE, "pattern %s is none of a message per node", pattern->name);
    snprintf(made->text, made->size, "%s, d = %u", pattern->name, options.degree);
    return pattern_generate(pattern, &options, made->set, failure);
}

/* ---- cells ---- */

static const char *const cell_name[] = {"the same", "the mirrored", "the transposed", "one"};

enum { CELLS = sizeof cell_name / sizeof *cell_name };

static uint32_t count_cells(const struct seed_plan *seeds)
{
    (void)seeds;
    return CELLS;
}

static uint32_t root_of(uint32_t square)
{
    uint32_t root = 0;
    while ((uint64_t)(root + 1) * (root + 1) <= square)
        root++;
    return root;
}

/* Makes every node send to one cell of each tile of n / c nodes: its own cell there, or another. */
static void fill_cells(const struct made *made, struct candidate *candidate)
{
    struct mesh mesh = made->seeds->mesh;
    uint32_t nodes = mesh_nodes(mesh), side = root_of(nodes / candidate->congestion);
    side = min_u32(side > 0 ? side : 1, min_u32(mesh.rows, mesh.cols));
    for (node_index node = 0; node < nodes; node++) {
        uint32_t row = node / mesh.cols % side, col = node % mesh.cols % side;
        const uint32_t to_row[CELLS] = {row, side - 1 - row, col, 0};
        const uint32_t to_col[CELLS] = {col, side - 1 - col, row, 0};
        for (uint32_t y = to_row[made->variant]; y < mesh.rows; y += side)
            for (uint32_t x = to_col[made->variant]; x < mesh.cols; x += side)
                candidate_add(candidate, node, y * mesh.cols + x);
    }
}

static enum failure_kind make_cells(const struct made *made, struct failure *failure)
{
    struct candidate candidate;
    snprintf(made->text, made->size, "%s in every tile", cell_name[made->variant]);
    if (candidate_make(&candidate, made->seeds->mesh, made->seeds->congestion, 1, failure) ==
        FAIL_NONE) {
        fill_cells(made, &candidate);
        candidate_set(&candidate, made->set, failure);
    }
    candidate_free(&candidate);
    return failure->kind;
}

/* ---- families ---- */

/* Returns the number of families: the known ones, and some that are drawn. */
static uint32_t count_families(const struct seed_plan *seeds)
{
    enum { DRAWN = 20 };
    return seeds->attempts > 0 ? family_count() + DRAWN : 0;
}

static enum failure_kind make_family(const struct made *made, struct failure *failure)
{
    char name[FAMILY_NAME_SIZE];
    family_name(made->variant, name);
    snprintf(made->text, made->size, "%s", name);
    return family_make(made->variant, made->seeds, made->set, failure);
}

/* ---- the table ---- */

static const struct made_row {
    const char *name;
    uint32_t (*count)(const struct seed_plan *seeds);
    enum failure_kind (*make)(const struct made *made, struct failure *failure);
} TABLE[] = {
    {"pattern", count_patterns, make_pattern},
    {"cell", count_cells, make_cells},
    {"family", count_families, make_family},
};

enum { ROWS = sizeof TABLE / sizeof *TABLE };

enum failure_kind seed_plan_complete(struct seed_plan *seeds, uint32_t given_congestion,
                                     uint32_t given_per_node, struct failure *failure)
{
    enum { DEFAULT_CONGESTION = 16 };
    if (seeds->per_node == 0)
        seeds->per_node = max_u32(given_per_node, 1);
    if (seeds->congestion == 0)
        seeds->congestion =
            max_u32(given_congestion > 0 ? given_congestion : DEFAULT_CONGESTION, seeds->per_node);
    if ((uint64_t)seeds->per_node * mesh_nodes(seeds->mesh) >= UINT32_MAX)
        return fail(failure, FAIL_USAGE, "%" PRIu32 " messages of each node are too many",
                    seeds->per_node);
    if (seeds->congestion < seeds->per_node)
        return fail(failure, FAIL_USAGE,
                    "a congestion of %" PRIu32 " is less than the %" PRIu32
                    " messages that each node sends",
                    seeds->congestion, seeds->per_node);
    return FAIL_NONE;
}

uint32_t seed_plan_per_node(const struct seed_plan *seeds)
{
    return seeds->per_node > 0 ? seeds->per_node : 1;
}

uint32_t seed_sets_count(const struct seed_plan *seeds)
{
    uint32_t count = 0;
    for (int i = 0; i < ROWS; i++)
        count += TABLE[i].count(seeds);
    return count;
}

/* Repeats the set, so that a node sends it per_node times. */
static enum failure_kind repeat(const struct seed_plan *seeds, struct message_set *set,
                                struct failure *failure)
{
    struct candidate candidate;
    uint32_t per_node = seed_plan_per_node(seeds);
    struct message_set once = *set;
    *set = (struct message_set){0};
    if (candidate_make(&candidate, seeds->mesh, seeds->congestion, per_node, failure) ==
        FAIL_NONE) {
        for (uint32_t number = 0; number < per_node; number++)
            for (uint32_t i = 0; i < once.messages; i++)
                for (uint64_t j = once.offset[i]; j < once.offset[i + 1]; j++)
                    candidate_add(&candidate, once.source[i] * per_node + number,
                                  once.destination[j]);
        candidate_set(&candidate, set, failure);
    }
    candidate_free(&candidate);
    message_set_free(&once);
    return failure->kind;
}

enum failure_kind seed_set_make(const struct seed_plan *seeds, uint32_t index,
                                struct message_set *set, char name[SEED_NAME_SIZE],
                                struct failure *failure)
{
    const struct made_row *row = TABLE;
    struct seed_plan once = *seeds;
    *set = (struct message_set){0};
    for (; row < TABLE + ROWS - 1 && index >= row->count(seeds); row++)
        index -= row->count(seeds);
    int used = snprintf(name, SEED_NAME_SIZE, "%s: ", row->name);
    bool repeats = seed_plan_per_node(seeds) > 1 && row->make != make_pattern;
    if (repeats) {
        once.per_node = 1;
        once.congestion = max_u32(seeds->congestion / seed_plan_per_node(seeds), 1);
    }
    struct made made = {&once, index, set, name + used, SEED_NAME_SIZE - (size_t)used};
    enum failure_kind kind = row->make(&made, failure);
    return kind == FAIL_NONE && repeats ? repeat(seeds, set, failure) : kind;
}
