/* sort_planes.c - a sort's instructions carried out on zeros and ones, 64 inputs a word. */
#include "test/primitives/sort_planes.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

void sort_planes_make(struct sort_planes *planes, uint32_t rows, uint32_t cols, uint32_t words)
{
    *planes = (struct sort_planes){.rows = rows, .cols = cols, .words = words};
    planes->bit = calloc((size_t)rows * cols * words, sizeof *planes->bit);
    planes->dealt_to = calloc((size_t)rows * cols, sizeof *planes->dealt_to);
    ck_assert(planes->bit != NULL && planes->dealt_to != NULL);
}

void sort_planes_free(struct sort_planes *planes)
{
    free(planes->bit);
    free(planes->dealt_to);
}

/* ---- what instructions do ---- */

/* The zeros of cell a and of cell b go to the first of them. */
static void exchange(struct sort_planes *planes, uint32_t a, uint32_t b)
{
    uint64_t *restrict x = sort_planes_at(planes, a), *restrict y = sort_planes_at(planes, b);
    for (uint32_t w = 0; w < planes->words; w++) {
        uint64_t least = x[w] & y[w], most = x[w] | y[w];
        x[w] = least;
        y[w] = most;
    }
}

static uint32_t cell_of(const struct sort_planes *planes, bool are_columns, uint32_t line,
                        uint32_t at)
{
    return are_columns ? at * planes->cols + line : line * planes->cols + at;
}

static uint32_t longest_of(const struct lines *lines)
{
    uint32_t longest = 0;
    for (uint32_t s = 0; s < lines->segments; s++)
        if (lines->cut[s + 1] - lines->cut[s] > longest)
            longest = lines->cut[s + 1] - lines->cut[s];
    return longest;
}

/* Paired lines are whole: even cells are the first of their nodes. */
static void compare(struct sort_planes *planes, const struct compare *compare)
{
    const struct lines *lines = &compare->lines;
    bool is_along = planes->is_paired && lines->are_columns == planes->are_columns;
    uint32_t count = lines->are_columns ? planes->cols : planes->rows, steps = compare->steps;
    if (!is_along && planes->is_paired && steps < longest_of(lines))
        steps -= planes->fewer_columns;
    for (uint32_t round = 0; round < (is_along ? 2 * steps + 1 : steps); round++)
        for (uint32_t line = 0; line < count; line++)
            for (uint32_t s = 0; s < lines->segments; s++) {
                bool descends = compare->line_flag != NULL && compare->line_flag[line];
                uint32_t odd = 0;
                if (planes->is_paired)
                    odd = (is_along ? lines->cut[s] : line) % 2;
                for (uint32_t at = lines->cut[s] + (round + odd) % 2; at + 1 < lines->cut[s + 1];
                     at += 2) {
                    uint32_t a = cell_of(planes, lines->are_columns, line, at);
                    uint32_t b = cell_of(planes, lines->are_columns, line, at + 1);
                    exchange(planes, descends ? b : a, descends ? a : b);
                }
            }
}

/* Where the packet of a cell goes. */
static uint32_t permuted(const struct sort_planes *planes, const struct permute *permute,
                         uint32_t line, uint32_t at)
{
    uint32_t length = permute->cut[permute->segments], x = at % length;
    uint32_t to = permute->target[permute->pattern[line] * length + x];
    return cell_of(planes, planes->are_columns, line, at - x + to);
}

/* The steps must be enough for odd-even transposition by target. */
static void check_steps(const struct permute *permute)
{
    uint32_t length = permute->cut[permute->segments];
    uint32_t *target = malloc(length * sizeof *target);
    ck_assert_ptr_nonnull(target);
    for (uint32_t p = 0; p < permute->patterns; p++) {
        memcpy(target, permute->target + p * length, length * sizeof *target);
        for (uint32_t round = 0; round < 2 * permute->steps + 1; round++)
            for (uint32_t x = round % 2; x + 1 < length; x += 2)
                if (target[x] > target[x + 1]) {
                    uint32_t held = target[x];
                    target[x] = target[x + 1];
                    target[x + 1] = held;
                }
        for (uint32_t x = 0; x < length; x++)
            ck_assert(target[x] == x);
    }
    free(target);
}

static void permute(struct sort_planes *planes, const struct permute *permute)
{
    uint32_t lines = planes->are_columns ? planes->cols : planes->rows;
    uint32_t length = planes->are_columns ? planes->rows : planes->cols;
    bool is_deal = permute->patterns > 1; /* else slices are interleaved */
    size_t size = planes->words * sizeof *planes->bit;
    uint64_t *copy = malloc(lines * length * size);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, planes->bit, lines * length * size);
    check_steps(permute);
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t at = 0; at < length; at++) {
            uint32_t from = cell_of(planes, planes->are_columns, line, at);
            uint32_t to = permuted(planes, permute, line, at);
            memcpy(sort_planes_at(planes, to), copy + (size_t)from * planes->words, size);
            if (is_deal)
                planes->dealt_to[from] = to;
        }
    free(copy);
}

/* The cell with this number along the snake of the rows first .. and columns start .. end - 1. */
static uint32_t snake_cell(const struct sort_planes *planes, uint32_t first, uint32_t start,
                           uint32_t end, uint32_t number)
{
    return sort_planes_snake(planes, first * planes->cols + start, end - start, number);
}

static void compare_snakes(struct sort_planes *planes, const struct snakes *snakes)
{
    uint32_t steps = snakes->steps;
    ck_assert(!planes->are_columns);
    if (steps > 0)
        steps -= planes->fewer_snakes;
    for (uint32_t round = 0; round < 2 * steps + 1; round++)
        for (uint32_t b = 0; b < snakes->bands; b++)
            for (uint32_t s = 0; s < snakes->lines.segments; s++) {
                uint32_t first = snakes->band_cut[b], rows = snakes->band_cut[b + 1] - first;
                uint32_t start = snakes->lines.cut[s], end = snakes->lines.cut[s + 1];
                ck_assert((end - start) % 2 == 0);
                for (uint32_t i = round % 2; i + 1 < rows * (end - start); i += 2)
                    exchange(planes, snake_cell(planes, first, start, end, i),
                             snake_cell(planes, first, start, end, i + 1));
            }
}

static enum failure_kind act_on_planes(void *context, const struct sort_act *act,
                                       struct failure *failure)
{
    struct sort_planes *planes = context;
    (void)failure;
    if (act->instruction == SORT_COMPARE)
        compare(planes, &act->compare);
    else if (act->instruction == SORT_PERMUTE)
        permute(planes, &act->permute);
    else if (act->instruction == SORT_COMPARE_SNAKES)
        compare_snakes(planes, &act->snakes);
    else
        ck_assert(act->instruction == SORT_PAIR || act->instruction == SORT_UNPAIR);
    if (act->instruction == SORT_PAIR)
        planes->are_columns = act->lines.are_columns;
    planes->is_paired = act->instruction != SORT_UNPAIR;
    return FAIL_NONE;
}

/* ---- the whole ---- */

uint64_t sort_planes_run(struct sort_planes *planes)
{
    struct tessellation tiles;
    uint64_t steps;
    ck_assert_int_eq(tessellation_make(&tiles, (struct mesh){planes->rows, planes->cols}, 1, NULL),
                     FAIL_NONE);
    struct sort_plan plan = {.tiles = &tiles};
    ck_assert(sort_instruct(&plan, act_on_planes, planes, NULL) == FAIL_NONE);
    ck_assert(sort_steps(&plan, &steps, NULL) == FAIL_NONE);
    tessellation_free(&tiles);
    return steps;
}

uint32_t sort_planes_snake(const struct sort_planes *planes, uint32_t corner, uint32_t cols,
                           uint32_t number)
{
    uint32_t row = number / cols, x = number % cols;
    return corner + row * planes->cols + (row % 2 == 0 ? x : cols - 1 - x);
}

uint64_t sort_planes_unsorted(const struct sort_planes *planes)
{
    uint64_t unsorted = 0;
    for (uint32_t w = 0; w < planes->words; w++) {
        uint64_t wrong = 0;
        for (uint32_t i = 0; i + 1 < planes->rows * planes->cols; i++) {
            uint32_t a = sort_planes_snake(planes, 0, planes->cols, i);
            uint32_t b = sort_planes_snake(planes, 0, planes->cols, i + 1);
            wrong |= sort_planes_at(planes, a)[w] & ~sort_planes_at(planes, b)[w];
        }
        for (; wrong != 0; wrong &= wrong - 1)
            unsorted++;
    }
    return unsorted;
}
