/* stream_family.c - the table of families of sets against the streaming router.
 *
 * Those without maps were thought of. The maps were found: a search changed up to four maps of small
 * coefficients, and the visit, from the worst set on, for `stream` and `expander` from 16 x 16 with c = 4
 * to 64 x 64 with c = 256; each that stands here was the worst somewhere.
 */
#include "search/stream_family.h"

static const struct cell_map LINEAR[] = {
    [MIRROR] = {{.rows = -1}, {.cols = -1}},
    [TURN] = {{.cols = 1}, {.rows = -1}},
    [TURN_AND_SHIFT] = {{.cols = 1, .quarters = 1}, {.rows = -1, .quarters = 2}},
    [HALF_SHIFT] = {{.rows = 1, .quarters = 2}, {.cols = 1, .quarters = 2}},
    [TO_ROW] = {{.quarters = 2}, {.cols = 1, .quarters = 2}},
    [TO_COLUMN] = {{.rows = 1, .quarters = 2}, {.quarters = 2}},
    [ROWS_TO_COLUMN] = {{.cols = 3, .quarters = 2}, {.quarters = 1}},
    [TO_NODE] = {{.visits = -1}, {0}},
    [SHEAR] = {{.rows = -1, .cols = 1, .quarters = 1}, {.rows = -1, .quarters = 3}},
    [MOVING_SHEAR] = {{.rows = -1, .cols = 1, .visits = -2},
                      {.rows = -1, .cols = -1, .visits = -1}},
};

static const struct stream_family FAMILIES[] = {
    {"first visit", FIRST_VISIT, ALL_CELLS, ANYBODY, false, false, {NO_MAP}},
    {"half way", HALF_WAY, ALL_CELLS, ANYBODY, false, false, {NO_MAP}},
    {"last visit", LAST_VISIT, ALL_CELLS, ANYBODY, false, false, {NO_MAP}},
    {"from one tile", FROM_ONE_TILE, ALL_CELLS, ANYBODY, false, false, {NO_MAP}},
    {"first visit in order", FIRST_VISIT, ALL_CELLS, IN_ORDER, false, false, {NO_MAP}},
    {"from one tile in order", FROM_ONE_TILE, ALL_CELLS, IN_ORDER, false, false, {NO_MAP}},
    {"first visit across columns", FIRST_VISIT, ALL_CELLS, ACROSS_COLUMNS, false, false, {NO_MAP}},
    {"half way across rows", HALF_WAY, ALL_CELLS, ACROSS_ROWS, false, false, {NO_MAP}},
    {"half way across columns, one half",
     HALF_WAY,
     HALF_OF_COLUMNS,
     ACROSS_COLUMNS,
     false,
     false,
     {NO_MAP}},
    {"first visit rows first", FIRST_VISIT, ALL_CELLS, ROW_FIRST, false, false, {NO_MAP}},
    {"half way forward", HALF_WAY, ALL_CELLS, FORWARD, false, false, {NO_MAP}},
    {"from one tile forward", FROM_ONE_TILE, ALL_CELLS, FORWARD, false, false, {NO_MAP}},
    {"one line", FIRST_VISIT, ALL_CELLS, ONE_LINE, false, false, {NO_MAP}},
    {"point mirrors of cells", FIRST_VISIT, ALL_CELLS, ANYBODY, false, false, {MIRROR}},
    {"half way, mirrored, turned, to lines",
     HALF_WAY,
     ALL_CELLS,
     ANYBODY,
     false,
     false,
     {MIRROR, TURN, TO_COLUMN, TO_ROW}},
    {"half way, mirrored, shifted, to a column",
     HALF_WAY,
     ALL_CELLS,
     ANYBODY,
     false,
     false,
     {MIRROR, HALF_SHIFT, TO_COLUMN}},
    {"half way, mirrored, turned, to a column",
     HALF_WAY,
     ALL_CELLS,
     ANYBODY,
     false,
     false,
     {MIRROR, SHEAR, TO_COLUMN, TURN_AND_SHIFT}},
    {"half way, mirrored, sheared, to a column",
     HALF_WAY,
     ALL_CELLS,
     ANYBODY,
     false,
     false,
     {MIRROR, MOVING_SHEAR, TO_COLUMN}},
    {"last visit, mirrored, sheared, to a column",
     LAST_VISIT,
     ALL_CELLS,
     ANYBODY,
     false,
     false,
     {MIRROR, MOVING_SHEAR, TO_COLUMN}},
    {"late, shifted, to columns and a node",
     LATE,
     ALL_CELLS,
     ANYBODY,
     false,
     false,
     {HALF_SHIFT, TO_COLUMN, ROWS_TO_COLUMN, TO_NODE}},
    {"half way to a row", HALF_WAY, ONE_ROW, ANYBODY, false, false, {NO_MAP}},
    {"half way to a column", HALF_WAY, ONE_COLUMN, ANYBODY, false, false, {NO_MAP}},
    {"half way to a corner", HALF_WAY, ONE_CORNER, ANYBODY, false, false, {NO_MAP}},
    {"first visit to a node", FIRST_VISIT, ONE_NODE, ANYBODY, false, false, {NO_MAP}},
    {"half way to a corner across", HALF_WAY, ONE_CORNER, ACROSS_COLUMNS, false, false, {NO_MAP}},
    {"one to a row, first visit", FIRST_VISIT, ONE_ROW, ANYBODY, true, false, {NO_MAP}},
    {"one to a row, half way", HALF_WAY, ONE_ROW, ROW_FIRST, true, false, {NO_MAP}},
    {"one to a column, first visit", FIRST_VISIT, ONE_COLUMN, ANYBODY, true, false, {NO_MAP}},
    {"one to a column, half way", HALF_WAY, ONE_COLUMN, ACROSS_ROWS, true, false, {NO_MAP}},
    {"one to a node, first visit", FIRST_VISIT, ONE_NODE, ANYBODY, true, false, {NO_MAP}},
    {"one to a node, half way", HALF_WAY, ONE_NODE, ANYBODY, true, false, {NO_MAP}},
    {"one to a node, last visit", LAST_VISIT, ONE_NODE, ANYBODY, true, false, {NO_MAP}},
    {"one to a corner, first visit", FIRST_VISIT, ONE_CORNER, ANYBODY, true, false, {NO_MAP}},
    {"one to a corner, last visit", LAST_VISIT, ONE_CORNER, FORWARD, true, false, {NO_MAP}},
    {"one to all, from one tile", FROM_ONE_TILE, ALL_CELLS, ANYBODY, true, false, {NO_MAP}},
    {"one to a column, by columns", FIRST_VISIT, ONE_COLUMN, ANYBODY, true, true, {NO_MAP}},
    {"one to all, by columns", FROM_ONE_TILE, ALL_CELLS, ANYBODY, true, true, {NO_MAP}},
};

uint32_t stream_family_count(void)
{
    return sizeof FAMILIES / sizeof *FAMILIES;
}

const struct stream_family *stream_family_at(uint32_t index)
{
    return &FAMILIES[index];
}

const struct cell_map *linear_map(enum linear map)
{
    return &LINEAR[map];
}
