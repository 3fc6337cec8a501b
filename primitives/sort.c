/* sort.c - the frame of all methods of sorting: it cuts the axes, runs a method, and makes machine instructions of its acts. */
#include "primitives/sort_private.h"

#include <stdlib.h>

static enum failure_kind act_on_machine(void *context, const struct sort_act *act,
                                        struct failure *failure)
{
    struct machine *machine = context;
    switch (act->instruction) {
    case SORT_PAIR:
        return machine_pair(machine, &act->lines, failure);
    case SORT_UNPAIR:
        return machine_unpair(machine, failure);
    case SORT_COMPARE:
        return machine_compare(machine, &act->compare, failure);
    case SORT_ROTATE:
        return machine_rotate(machine, &act->rotate, failure);
    case SORT_PERMUTE:
        return machine_permute(machine, &act->permute, failure);
    case SORT_COMPARE_SNAKES:
        return machine_compare_snakes(machine, &act->snakes, failure);
    }
    return FAIL_NONE;
}

/* Each leaves the tiles in rough order. */
static void (*const METHODS[SORT_METHODS])(struct sorting *sorting) = {
    [SORT_DEAL] = sorting_by_deals,
    [SORT_MERGE] = sorting_by_merges,
    [SORT_SHEARSORT] = sorting_by_shears,
    [SORT_PAIRS] = sorting_by_pairs,
};

static bool cuts_make(struct cuts *cuts, uint32_t intervals)
{
    cuts->intervals = intervals;
    cuts->cut = memory_allocate((size_t)intervals + 1, sizeof *cuts->cut);
    return cuts->cut != NULL;
}

static void find_longest(struct cuts *cuts)
{
    for (uint32_t i = 0; i < cuts->intervals; i++)
        if (cuts->cut[i + 1] - cuts->cut[i] > cuts->longest)
            cuts->longest = cuts->cut[i + 1] - cuts->cut[i];
}

/* Halves the axis' tiles until single nodes are left; further levels only repeat those. */
static bool halvings_make(struct halvings *halvings, const struct axis *axis)
{
    halvings->length = axis->length;
    if (!cuts_make(&halvings->level[0], axis_intervals(axis)))
        return false;
    for (uint32_t i = 0; i <= halvings->level[0].intervals; i++)
        halvings->level[0].cut[i] = axis->cut[i];
    find_longest(&halvings->level[0]);
    for (uint32_t level = 1; level < SORT_LEVELS; level++) {
        const struct cuts *whole = &halvings->level[level - 1];
        struct cuts *cuts = &halvings->level[level];
        bool halve = whole->longest > 1;
        if (!cuts_make(cuts, halve ? 2 * whole->intervals : whole->intervals))
            return false;
        for (uint32_t i = 0; i < whole->intervals; i++) {
            uint32_t start = whole->cut[i], length = whole->cut[i + 1] - start;
            if (halve)
                cuts->cut[2 * i + 1] = start + first_half(length);
            cuts->cut[halve ? 2 * i : i] = start;
        }
        cuts->cut[cuts->intervals] = axis->length;
        find_longest(cuts);
    }
    return true;
}

static void sorting_free(struct sorting *sorting)
{
    for (uint32_t level = 0; level < SORT_LEVELS; level++) {
        free(sorting->down.level[level].cut);
        free(sorting->across.level[level].cut);
    }
    free(sorting->line_flag);
    free(sorting->segment_flag);
    free(sorting->odd);
    free(sorting->offset);
    free(sorting->target);
}

static enum failure_kind sorting_make(struct sorting *sorting)
{
    const struct tessellation *tiles = sorting->plan->tiles;
    bool column_major = sorting->plan->column_major;
    bool whole = halvings_make(&sorting->down, column_major ? &tiles->col : &tiles->row) &&
                 halvings_make(&sorting->across, column_major ? &tiles->row : &tiles->col);
    size_t segments = (size_t)sorting->across.level[SORT_LEVELS - 1].intervals + 1;
    sorting->line_flag = memory_allocate(sorting->down.length, sizeof *sorting->line_flag);
    sorting->segment_flag = memory_allocate(segments, sizeof *sorting->segment_flag);
    sorting->odd = memory_allocate(sorting->down.level[SORT_LEVELS - 1].intervals + (size_t)1,
                                   sizeof *sorting->odd);
    sorting->offset = memory_allocate(sorting->down.length, sizeof *sorting->offset);
    if (!whole || !sorting->line_flag || !sorting->segment_flag || !sorting->odd ||
        !sorting->offset)
        return fail_memory(sorting->failure, "sorting");
    for (size_t i = 0; i < segments; i++)
        sorting->segment_flag[i] = i % 2;
    return FAIL_NONE;
}

/* Sorts, or counts, by `method`. */
static enum failure_kind sort_by(struct sorting *sorting, enum sort_method method)
{
    sorting->kind = sorting_make(sorting);
    if (sorting->kind == FAIL_NONE) {
        METHODS[method](sorting);
        if (sorting->plan->order == SORT_SNAKE && !sorting->is_in_order)
            sorting_snake_rows(sorting, 0);
        if (sorting->is_paired)
            sorting_unpair(sorting);
    }
    sorting_free(sorting);
    return sorting->kind;
}

enum failure_kind sort_instruct(const struct sort_plan *plan, sort_actor *actor, void *context,
                                struct failure *failure)
{
    struct sorting sorting = {.actor = actor, .context = context, .plan = plan, .failure = failure};
    return sort_by(&sorting, plan->method);
}

enum failure_kind sort_steps(const struct sort_plan *plan, uint64_t *steps, struct failure *failure)
{
    struct sorting sorting = {.plan = plan, .failure = failure};
    enum failure_kind kind = sort_by(&sorting, plan->method);
    *steps = sorting.steps;
    return kind;
}

enum failure_kind sort_tiles(struct machine *machine, const struct sort_plan *plan,
                             struct failure *failure)
{
    enum failure_kind kind = machine_open_plane(machine, plan->key, plan->context, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = sort_instruct(plan, act_on_machine, machine, failure);
    if (kind == FAIL_SYSTEM) { /* perhaps at this rank alone: others do not close theirs */
        machine_drop_plane(machine);
        return kind;
    }
    enum failure_kind closed = machine_close_plane(machine, failure);
    return kind == FAIL_NONE ? closed : kind;
}
