/* tessellation.c - the mesh cut into tiles: nested halvings, or any grid.
 *
 * Invariant: after every halving the intervals of an axis differ by at most one in length, because
 * halving lengths h and h+1 gives lengths floor(h/2) .. ceil((h+1)/2). An interval of length 1 is
 * not halved, so an axis has at most floor(log2 length) levels. The first half gets the odd one, so
 * the first interval is a longest and the last one a shortest. Grids, and tiles that are cut into
 * parts, keep that: a part is as long as a division by the number of all parts gives, rounded up or
 * down.
 * Cost: one number per row, column and interval.
 */
#include "primitives/tessellation.h"

#include <stdlib.h>

static enum failure_kind axis_allocate(struct axis *axis, struct failure *failure)
{
    axis->cut = memory_allocate((size_t)axis->intervals + 1, sizeof *axis->cut);
    axis->tile = memory_allocate(axis->length, sizeof *axis->tile);
    if (axis->cut != NULL && axis->tile != NULL)
        return FAIL_NONE;
    return fail_memory(failure, "a tessellation");
}

static void axis_halve(struct axis *axis)
{
    for (uint32_t width = axis->intervals; width > 1; width /= 2)
        for (uint32_t i = 0; i < axis->intervals; i += width) {
            uint32_t start = axis->cut[i], end = axis->cut[i + width];
            axis->cut[i + width / 2] = start + (end - start + 1) / 2;
        }
}

static void axis_divide(struct axis *axis)
{
    for (uint32_t i = 0; i < axis->intervals; i++)
        axis->cut[i] =
            (uint32_t)(((uint64_t)i * axis->length + axis->intervals - 1) / axis->intervals);
}

static void axis_number(struct axis *axis)
{
    for (uint32_t i = 0; i < axis->intervals; i++)
        for (uint32_t c = axis->cut[i]; c < axis->cut[i + 1]; c++)
            axis->tile[c] = i;
}

static enum failure_kind axis_make(struct axis *axis, void (*cut)(struct axis *axis),
                                   struct failure *failure)
{
    if (axis_allocate(axis, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    axis->cut[axis->intervals] = axis->length;
    cut(axis);
    axis_number(axis);
    return FAIL_NONE;
}

/* Cuts each interval of `whole` into so many parts, the longer ones first. */
static enum failure_kind axis_part(const struct axis *whole, uint32_t parts, struct axis *axis,
                                   struct failure *failure)
{
    *axis = (struct axis){.length = whole->length, .intervals = whole->intervals * parts};
    if (axis_allocate(axis, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    for (uint32_t i = 0; i < axis->intervals; i++) {
        uint32_t start = whole->cut[i / parts], length = whole->cut[i / parts + 1] - start;
        axis->cut[i] = start + (uint32_t)(((uint64_t)(i % parts) * length + parts - 1) / parts);
    }
    axis->cut[axis->intervals] = axis->length;
    axis_number(axis);
    return FAIL_NONE;
}

static bool axis_can_halve(const struct axis *axis)
{
    return axis->length >> axis->levels >= 2;
}

static enum failure_kind axes_make(struct tessellation *tessellation,
                                   void (*cut)(struct axis *axis), struct failure *failure)
{
    if (axis_make(&tessellation->row, cut, failure) == FAIL_NONE &&
        axis_make(&tessellation->col, cut, failure) == FAIL_NONE)
        return FAIL_NONE;
    tessellation_free(tessellation);
    return FAIL_SYSTEM;
}

static enum failure_kind halvings_make(struct tessellation *tessellation,
                                       struct tessellation numbers, struct failure *failure)
{
    *tessellation = numbers;
    tessellation->row.intervals = 1u << numbers.row.levels;
    tessellation->col.intervals = 1u << numbers.col.levels;
    return axes_make(tessellation, axis_halve, failure);
}

struct tessellation tessellation_numbers(struct mesh mesh, uint64_t tiles)
{
    struct axis row = {.length = mesh.rows}, col = {.length = mesh.cols};
    for (; tiles >= 2 && (axis_can_halve(&row) || axis_can_halve(&col)); tiles /= 2) {
        bool rows_are_longer = (uint64_t)row.length << col.levels >= (uint64_t)col.length
                                                                         << row.levels;
        bool halve_rows = axis_can_halve(&row) && (rows_are_longer || !axis_can_halve(&col));
        (halve_rows ? &row : &col)->levels++;
    }
    return (struct tessellation){row, col};
}

enum failure_kind tessellation_make(struct tessellation *tessellation, struct mesh mesh,
                                    uint64_t tiles, struct failure *failure)
{
    return halvings_make(tessellation, tessellation_numbers(mesh, tiles), failure);
}

enum failure_kind tessellation_grid(struct tessellation *tessellation, struct mesh mesh,
                                    struct mesh tiles, struct failure *failure)
{
    *tessellation = (struct tessellation){.row = {.length = mesh.rows, .intervals = tiles.rows},
                                          .col = {.length = mesh.cols, .intervals = tiles.cols}};
    return axes_make(tessellation, axis_divide, failure);
}

enum failure_kind tessellation_divide(const struct tessellation *tiles, struct mesh parts,
                                      struct tessellation *finer, struct failure *failure)
{
    *finer = (struct tessellation){0};
    if (axis_part(&tiles->row, parts.rows, &finer->row, failure) == FAIL_NONE &&
        axis_part(&tiles->col, parts.cols, &finer->col, failure) == FAIL_NONE)
        return FAIL_NONE;
    tessellation_free(finer);
    return FAIL_SYSTEM;
}

void tessellation_free(struct tessellation *tessellation)
{
    free(tessellation->row.cut);
    free(tessellation->row.tile);
    free(tessellation->col.cut);
    free(tessellation->col.tile);
    *tessellation = (struct tessellation){0};
}

uint64_t tessellation_tiles(const struct tessellation *tessellation)
{
    return (uint64_t)axis_intervals(&tessellation->row) * axis_intervals(&tessellation->col);
}
