/* deal_plan.c - the merges of a sort by deals with the fewest steps.
 *
 * A table: for each possible height of blocks, and each depth, the best merge, from the best ones
 * of smaller blocks. Steps of a merge are those of sort.c, where they are proven. Heights are
 * ceil(H / p) for whole p, at most 2 sqrt(H) different ones; merges whose columns could differ by
 * more than DEAL_DIFFER zeros are left out.
 * Cost: per entry of the table, blocks down (2 sqrt(H) numbers at most) times depths.
 */
#include "primitives/deal_plan.h"

#include "base/memory.h"

#include "base/numbers.h"
#include <stdlib.h>

enum { NEVER = UINT32_MAX };

uint32_t deal_differ(uint32_t down, uint32_t across)
{
    return across == 0 ? (down + 1) / 2 : down << (across - 1);
}

/* ---- steps ---- */

uint32_t deal_deal_steps(const struct deal_plan *plan, uint32_t depth, uint32_t slices)
{
    const struct deal_depth *at = &plan->depth[depth];
    return deal_row_steps(at->cuts.longest) - (slices > 0 && at->halves_alike);
}

uint32_t deal_interleave_steps(const struct deal_plan *plan, uint32_t depth)
{
    return deal_left(plan->depth[depth].cuts.longest) / 2;
}

static uint32_t divisor(uint32_t a, uint32_t b)
{
    while (b > 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns the cells that are in disorder along a snake of `width` cells per row, interleaved from
 * slices whose columns differ by up to D: from the e-th cell of one half before the threshold to
 * the e-th of the other half after it. */
static uint32_t disorder(uint32_t width, uint32_t differ)
{
    uint32_t left = deal_left(width), right = width - left;
    uint32_t part = width / divisor(left, width);
    uint32_t e = (differ + 1) * (part - 1) / part;
    uint32_t turn_left =
        divide_up((uint64_t)(e + 1) * width, left) + divide_up((uint64_t)e * width, right);
    uint32_t turn_right =
        divide_up((uint64_t)e * width, left) + divide_up((uint64_t)(e + 1) * width, right);
    return turn_left > turn_right ? turn_left : turn_right;
}

/* Returns the `mend` of a struct deal_depth for this D; NEVER: its slices are not interleaved. */
static uint32_t mend_steps(const struct deal_depth *at, uint32_t differ)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < at->widths; i++) {
        uint32_t width = at->width[i], left = deal_left(width), steps;
        if (width < 3)
            return NEVER;
        uint32_t cells = disorder(width, differ);
        if (left == width - left && !at->has_odd)
            steps = differ / 2;
        else if (cells > width + 1)
            return NEVER;
        else if (at->has_odd)
            steps = (divide_up((uint64_t)(cells - 2) * left, width) + 2) / 2;
        else
            steps = (divide_up((uint64_t)(cells - 1) * left, width) + 3) / 2;
        most = steps > most ? steps : most;
    }
    return most;
}

/* Returns the steps after interleaving to intervals of a depth, including the interleaving. */
static uint64_t join_steps(const struct deal_plan *plan, uint32_t depth, uint32_t differ)
{
    const struct deal_depth *at = &plan->depth[depth];
    uint64_t mend = at->mend[differ];
    return deal_interleave_steps(plan, depth) + (at->has_odd ? 2 * mend + 2 : mend);
}

static uint64_t slice_steps(uint32_t width, uint32_t differ)
{
    uint64_t steps = deal_row_steps(width);
    if (width == 1)
        return 0;
    for (uint32_t d = differ; d > 1; d = (d + 1) / 2)
        steps += deal_row_steps(width) + (d + 1) / 2 + 1;
    return steps;
}

/* ---- the table ---- */

const struct deal_choice *deal_choice_of(const struct deal_plan *plan, uint32_t height,
                                         uint32_t depth)
{
    uint32_t low = 0, high = plan->heights;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (plan->height[middle] <= height)
            low = middle;
        else
            high = middle;
    }
    return &plan->choice[(size_t)low * plan->depths + depth];
}

/* Tries merges from down x 2^across blocks: better ones than `best` replace it. */
static void try_slices(const struct deal_plan *plan, uint32_t height, uint32_t depth,
                       struct deal_choice choice, struct deal_choice *best)
{
    uint32_t differ = deal_differ(choice.down, choice.across);
    uint32_t block = (height + choice.down - 1) / choice.down;
    uint64_t blocks = deal_choice_of(plan, block, depth + choice.across)->steps, joins = 0;
    if (differ > DEAL_DIFFER)
        return;
    for (uint32_t slices = 0; depth + slices < plan->depths; slices++) {
        uint32_t width = plan->depth[depth + slices].cuts.longest;
        choice.slices = slices;
        choice.steps = blocks + deal_deal_steps(plan, depth, slices) + height + joins +
                       slice_steps(width, differ);
        if (choice.steps < best->steps)
            *best = choice;
        if (depth + slices + 1 == plan->depths || plan->depth[depth + slices].mend[differ] == NEVER)
            break;
        joins += join_steps(plan, depth + slices, differ);
        if (blocks + height + joins >= best->steps)
            break;
    }
}

static struct deal_choice choose(const struct deal_plan *plan, uint32_t height, uint32_t depth)
{
    struct deal_choice best = {.steps = UINT64_MAX};
    bool are_alike = true; /* the blocks of `across` halvings */
    if (height == 1) {
        uint32_t width = plan->depth[depth].cuts.longest;
        return (struct deal_choice){.down = 1, .steps = deal_row_steps(width)};
    }
    for (uint32_t across = 0; depth + across < plan->depths; across++) {
        if (across >= 1)
            are_alike = are_alike && plan->depth[depth + across - 1].halves_alike;
        if (across >= 2 && !are_alike)
            break;
        for (uint32_t down = across == 0 ? 2 : 1; down <= height; down++) {
            uint32_t block = (height + down - 1) / down;
            if (deal_differ(down, across) > DEAL_DIFFER)
                break;
            if (down > 1 && (height + down - 2) / (down - 1) == block)
                continue; /* as many rows with fewer blocks */
            try_slices(plan, height, depth, (struct deal_choice){.down = down, .across = across},
                       &best);
        }
    }
    return best;
}

/* Lists the heights of nested cuts: ceil(most / p). */
static bool list_heights(struct deal_plan *plan, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t h = most; h > 1; h = divide_up(most, divide_up(most, h - 1)))
        count++;
    plan->heights = count + 1;
    plan->height = memory_allocate(plan->heights, sizeof *plan->height);
    if (plan->height == NULL)
        return false;
    uint32_t h = most;
    for (uint32_t i = plan->heights; i-- > 0;) {
        plan->height[i] = h;
        if (h > 1)
            h = divide_up(most, divide_up(most, h - 1));
    }
    return true;
}

/* ---- depths ---- */

static bool depth_make(struct deal_depth *at, uint32_t intervals)
{
    at->cuts.intervals = intervals;
    at->cuts.cut = memory_allocate((size_t)intervals + 1, sizeof *at->cuts.cut);
    at->width = memory_allocate(intervals, sizeof *at->width);
    return at->cuts.cut != NULL && at->width != NULL;
}

static bool is_known(const struct deal_depth *at, uint32_t width)
{
    for (uint32_t i = at->widths; i-- > 0;)
        if (at->width[i] == width)
            return true;
    return false;
}

/* Sets the remaining members, of intervals that are cut. */
static void describe(struct deal_depth *at)
{
    at->halves_alike = true;
    for (uint32_t i = 0; i < at->cuts.intervals; i++) {
        uint32_t width = at->cuts.cut[i + 1] - at->cuts.cut[i];
        if (!is_known(at, width))
            at->width[at->widths++] = width;
        at->has_odd |= width % 2 == 1;
        at->halves_alike &= width % 4 == 0;
        at->cuts.longest = width > at->cuts.longest ? width : at->cuts.longest;
    }
    for (uint32_t differ = 1; differ <= DEAL_DIFFER; differ++)
        at->mend[differ] = mend_steps(at, differ);
}

static bool can_halve(const struct deal_depth *at)
{
    for (uint32_t i = 0; i < at->widths; i++)
        if (at->width[i] < 3)
            return false;
    return true;
}

static bool list_depths(struct deal_plan *plan, const struct cuts *tiles)
{
    if (!depth_make(&plan->depth[0], tiles->intervals))
        return false;
    for (uint32_t i = 0; i <= tiles->intervals; i++)
        plan->depth[0].cuts.cut[i] = tiles->cut[i];
    describe(&plan->depth[0]);
    for (plan->depths = 1; plan->depths < DEAL_DEPTHS; plan->depths++) {
        const struct deal_depth *whole = &plan->depth[plan->depths - 1];
        struct deal_depth *halves = &plan->depth[plan->depths];
        if (!can_halve(whole))
            break;
        if (!depth_make(halves, 2 * whole->cuts.intervals))
            return false;
        for (uint32_t i = 0; i < whole->cuts.intervals; i++) {
            uint32_t start = whole->cuts.cut[i], width = whole->cuts.cut[i + 1] - start;
            halves->cuts.cut[2 * i] = start;
            halves->cuts.cut[2 * i + 1] = start + deal_left(width);
            halves->cuts.cut[2 * i + 2] = start + width;
        }
        describe(halves);
    }
    return true;
}

enum failure_kind deal_plan_make(struct deal_plan *plan, uint32_t height, const struct cuts *tiles,
                                 struct failure *failure)
{
    *plan = (struct deal_plan){0};
    if (!list_depths(plan, tiles) || !list_heights(plan, height))
        return fail_memory(failure, "sorting");
    plan->choice = memory_allocate((size_t)plan->heights * plan->depths, sizeof *plan->choice);
    if (plan->choice == NULL)
        return fail_memory(failure, "sorting");
    for (uint32_t h = 0; h < plan->heights; h++)
        for (uint32_t depth = plan->depths; depth-- > 0;)
            plan->choice[(size_t)h * plan->depths + depth] = choose(plan, plan->height[h], depth);
    return FAIL_NONE;
}

void deal_plan_free(struct deal_plan *plan)
{
    for (uint32_t depth = 0; depth < DEAL_DEPTHS; depth++) {
        free(plan->depth[depth].cuts.cut);
        free(plan->depth[depth].width);
    }
    free(plan->height);
    free(plan->choice);
}
