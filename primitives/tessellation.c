/* tessellation.c - nested halvings of the mesh into tiles.
 *
 * Invariant: after every halving the intervals of an axis differ by at most one in length, because
 * halving lengths h and h+1 gives lengths floor(h/2) .. ceil((h+1)/2). An interval of length 1 is
 * not halved, so an axis has at most floor(log2 length) levels.
 * Cost: one number a row, a column and an interval.
 */
#include "primitives/tessellation.h"

#include <stdlib.h>

static enum failure_kind axis_make(struct axis *axis, struct failure *failure)
{
    uint32_t intervals = axis_intervals(axis);
    axis->cut = memory_allocate((size_t)intervals + 1, sizeof *axis->cut);
    axis->tile = memory_allocate(axis->length, sizeof *axis->tile);
    if (axis->cut == NULL || axis->tile == NULL)
        return fail_memory(failure, "a tessellation");
    axis->cut[intervals] = axis->length;
    for (uint32_t width = intervals; width > 1; width /= 2)
        for (uint32_t i = 0; i < intervals; i += width) {
            uint32_t start = axis->cut[i], end = axis->cut[i + width];
            axis->cut[i + width / 2] = start + (end - start + 1) / 2;
        }
    for (uint32_t i = 0; i < intervals; i++)
        for (uint32_t c = axis->cut[i]; c < axis->cut[i + 1]; c++)
            axis->tile[c] = i;
    return FAIL_NONE;
}

static bool axis_can_halve(const struct axis *axis)
{
    return axis->length >> axis->levels >= 2;
}

static enum failure_kind axes_make(struct tessellation *tessellation, struct axis row,
                                   struct axis col, struct failure *failure)
{
    *tessellation = (struct tessellation){row, col};
    if (axis_make(&tessellation->row, failure) == FAIL_NONE &&
        axis_make(&tessellation->col, failure) == FAIL_NONE)
        return FAIL_NONE;
    tessellation_free(tessellation);
    return FAIL_SYSTEM;
}

enum failure_kind tessellation_make(struct tessellation *tessellation, struct mesh mesh,
                                    uint64_t tiles, struct failure *failure)
{
    struct axis row = {.length = mesh.rows}, col = {.length = mesh.cols};
    for (; tiles >= 2 && (axis_can_halve(&row) || axis_can_halve(&col)); tiles /= 2) {
        bool rows_are_longer = (uint64_t)row.length << col.levels >= (uint64_t)col.length
                                                                         << row.levels;
        bool halve_rows = axis_can_halve(&row) && (rows_are_longer || !axis_can_halve(&col));
        (halve_rows ? &row : &col)->levels++;
    }
    return axes_make(tessellation, row, col, failure);
}

enum failure_kind tessellation_refine(const struct tessellation *tiles, uint32_t levels,
                                      struct tessellation *finer, struct failure *failure)
{
    struct axis row = {.length = tiles->row.length, .levels = tiles->row.levels};
    struct axis col = {.length = tiles->col.length, .levels = tiles->col.levels};
    for (uint32_t level = 0; level < levels; level++) {
        row.levels += axis_can_halve(&row);
        col.levels += axis_can_halve(&col);
    }
    return axes_make(finer, row, col, failure);
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
