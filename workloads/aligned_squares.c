/* aligned_squares.c - how many messages must enter each aligned square, and leave it.
 *
 * The squares of side 2^j whose corners are multiples of 2^j are the prefixes of the nodes' Morton
 * codes (row and column bits interleaved), 2j bits cut off. A square cut by the mesh's edge is a
 * rectangle. Level 0 has what each node receives from elsewhere.
 *
 * Method: sort a message's destinations and its source by their codes. At level j they lie in as many
 * squares as there are different prefixes, and the message enters all of these but its source's. So
 * it counts one at the node of each destination other than its source, and minus one in the square in
 * which two neighbours of the order meet first; each square's count is then the sum of those within
 * it. It leaves its source's squares below the one that holds all: plus one at the source, minus one
 * there.
 *
 * On ranks each counts strips of 2^STRIP rows: all squares of side 2^STRIP and less are within one. Ranks send one
 * another what their messages count in the strips of others. Of the larger squares, which are few, all ranks count all,
 * and add up.
 *
 * Cost: O(deliveries log degree + n) time; the sort is by insertion or quicksort. Memory: 11 bytes a
 * node; on ranks 11 a node of the rank, and 11 for each 2^(2 STRIP + 2) nodes of the mesh.
 */
#include "workloads/aligned_squares.h"

#include "base/extremes.h"
#include "workloads/crossing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Puts a zero bit above each of the 16 low bits. */
static inline uint32_t spread_bits(uint32_t bits)
{
    bits = (bits | bits << 8) & 0x00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f;
    bits = (bits | bits << 2) & 0x33333333;
    return (bits | bits << 1) & 0x55555555;
}

/* The inverse: drops every second bit. */
static inline uint32_t gather_bits(uint32_t bits)
{
    bits &= 0x55555555;
    bits = (bits | bits >> 1) & 0x33333333;
    bits = (bits | bits >> 2) & 0x0f0f0f0f;
    bits = (bits | bits >> 4) & 0x00ff00ff;
    return (bits | bits >> 8) & 0x0000ffff;
}

static inline uint32_t morton_of(uint32_t place)
{
    return spread_bits(row_of_place(place)) << 1 | spread_bits(col_of_place(place));
}

/* The square of a level that holds the node with this code. */
static inline uint32_t square_of(const struct square_level *level, uint32_t j, uint32_t code)
{
    return (gather_bits(code >> 1) >> j) * level->cols + (gather_bits(code) >> j);
}

/* The level at which two different nodes lie in one square. */
static inline uint32_t level_of(uint32_t code, uint32_t other)
{
    return (31 - (uint32_t)__builtin_clz(code ^ other)) / 2 + 1;
}

/* ---- counts of other ranks ---- */

enum { STRIP = 4 };

static uint32_t strips_of(struct mesh mesh)
{
    return ((mesh.rows - 1) >> STRIP) + 1;
}

/* Changes a count that this rank has for another one: an item is twice the count's index in memory[], and 1 more if the
 * count falls. */
static void take_change(void *context, const void *item)
{
    struct aligned_squares *squares = context;
    uint32_t change = *(const uint32_t *)item;
    squares->memory[change >> 1] += change & 1 ? UINT32_MAX : 1;
}

static void send_change(struct aligned_squares *squares, const uint32_t *at, uint32_t row,
                        bool falls)
{
    uint32_t change = (uint32_t)(at - squares->memory) << 1 | falls;
    uint32_t to = ranks_owner(squares->batch.ranks, strips_of(squares->mesh), row >> STRIP);
    ranks_batch_put(&squares->batch, to, &change, squares->failure);
}

/* Changes a count of level j by 1 or -1; `row` is a row of nodes in its square. */
static inline void change_count(struct aligned_squares *squares, uint32_t j, uint32_t *at,
                                uint32_t row, bool falls)
{
    uint32_t rows = squares->end_row - squares->first_row;
    if (squares->is_split && j <= STRIP && row - squares->first_row >= rows)
        send_change(squares, at, row, falls);
    else
        *at += falls ? UINT32_MAX : 1;
}

/* The same for the square that holds the node with this code. */
static inline void change_square(struct aligned_squares *squares, uint32_t j, uint32_t *counts,
                                 uint32_t code, bool falls)
{
    uint32_t *at = &counts[square_of(&squares->level[j], j, code)];
    change_count(squares, j, at, gather_bits(code >> 1), falls);
}

/* ---- life ---- */

enum failure_kind aligned_squares_open(struct aligned_squares *squares, struct mesh mesh,
                                       struct ranks *ranks, struct failure *failure)
{
    uint32_t longer = mesh.rows > mesh.cols ? mesh.rows : mesh.cols, strips = strips_of(mesh);
    size_t total = 0, at = 0;
    *squares = (struct aligned_squares){
        .mesh = mesh,
        .is_split = ranks_size(ranks) > 1,
        .first_row = lesser(ranks_start(ranks, strips) << STRIP, mesh.rows),
        .end_row = lesser(ranks_end(ranks, strips) << STRIP, mesh.rows),
        .failure = failure,
    };
    while ((1u << squares->levels) < longer || squares->levels == 0) {
        struct square_level *level = &squares->level[squares->levels];
        uint32_t last = (1u << squares->levels) - 1;
        assert(squares->levels < ALIGNED_LEVELS);
        level->rows = (mesh.rows + last) >> squares->levels;
        level->cols = (mesh.cols + last) >> squares->levels;
        total += (size_t)level->rows * level->cols;
        squares->levels++;
    }
    squares->memory = squares->is_split ? memory_allocate_sparse(total, 2 * sizeof *squares->memory)
                                        : memory_allocate(total, 2 * sizeof *squares->memory);
    if (squares->memory == NULL)
        return fail_memory(failure, "the lower bounds");
    for (uint32_t j = 0; j < squares->levels; j++) {
        struct square_level *level = &squares->level[j];
        level->enter = squares->memory + at;
        level->leave = level->enter + (size_t)level->rows * level->cols;
        at += 2 * (size_t)level->rows * level->cols;
    }
    ranks_batch_open(&squares->batch, ranks, sizeof(uint32_t), take_change, squares);
    return FAIL_NONE;
}

void aligned_squares_close(struct aligned_squares *squares)
{
    ranks_batch_close(&squares->batch);
    free(squares->memory);
}

/* ---- counting ---- */

enum { RISES = false, FALLS = true };

void aligned_squares_add(struct aligned_squares *squares, uint32_t source, uint32_t *place,
                         uint32_t count)
{
    struct square_level *level = squares->level;
    uint32_t from = morton_of(source);
    bool is_met = false; /* whether the source is among its destinations */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = row_of_place(place[i]);
        change_count(squares, 0, &level->enter[row * level->cols + col_of_place(place[i])], row,
                     RISES);
        place[i] = morton_of(place[i]);
        is_met |= place[i] == from;
    }
    if (is_met)
        change_square(squares, 0, level->enter, from, FALLS);
    else
        place[count++] = from;
    if (count < 2)
        return;
    message_set_sort_nodes(place, count);
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t j = level_of(place[i], place[i + 1]);
        if (j < squares->levels)
            change_square(squares, j, level[j].enter, place[i], FALLS);
    }
    uint32_t top = level_of(place[0], place[count - 1]);
    change_square(squares, 0, level->leave, from, RISES);
    if (top < squares->levels)
        change_square(squares, top, level[top].leave, from, FALLS);
}

bool aligned_squares_next(struct aligned_squares *squares, bool is_left)
{
    return ranks_batch_next(&squares->batch, is_left, squares->failure);
}

/* ---- bounds ---- */

/* The rows of squares of level j that this rank counts: first .. end - 1. */
static void find_rows(const struct aligned_squares *squares, uint32_t j, uint32_t *first,
                      uint32_t *end)
{
    bool has_all = j > STRIP;
    uint32_t last = (1u << j) - 1;
    *first = has_all ? 0 : squares->first_row >> j;
    *end = has_all ? squares->level[j].rows : (squares->end_row + last) >> j;
}

/* Adds what is in each square of level j to the square of the next level that holds it. */
static void sum_level(const struct aligned_squares *squares, uint32_t j)
{
    const struct square_level *level = &squares->level[j], *above = level + 1;
    uint32_t first, end;
    find_rows(squares, j, &first, &end);
    for (uint32_t row = first, i = first * level->cols; row < end; row++)
        for (uint32_t col = 0; col < level->cols; col++, i++) {
            above->enter[row / 2 * above->cols + col / 2] += level->enter[i];
            above->leave[row / 2 * above->cols + col / 2] += level->leave[i];
        }
}

static void raise_square(struct lower_bounds *bounds, enum lower_bound_kind kind, struct mesh mesh,
                         const struct rectangle *square, uint32_t messages)
{
    struct bound_reason reason = {
        .rectangle = *square, .messages = messages, .links = rectangle_links(mesh, square)};
    if (messages > 0)
        lower_bound_raise(bounds, kind, &reason);
}

/* Turns the counts of level j into bounds. */
static void raise_level(const struct aligned_squares *squares, uint32_t j,
                        struct lower_bounds *bounds)
{
    const struct square_level *level = &squares->level[j];
    struct mesh mesh = squares->mesh;
    uint32_t side = 1u << j, first, end;
    find_rows(squares, j, &first, &end);
    for (uint32_t r = first, i = first * level->cols; r < end; r++)
        for (uint32_t c = 0; c < level->cols; c++, i++) {
            struct rectangle square = {.row = r << j, .col = c << j};
            if (level->enter[i] == 0 && level->leave[i] == 0)
                continue;
            square.rows = mesh.rows - square.row < side ? mesh.rows - square.row : side;
            square.cols = mesh.cols - square.col < side ? mesh.cols - square.col : side;
            raise_square(bounds, BOUND_ENTER, mesh, &square, level->enter[i]);
            raise_square(bounds, BOUND_LEAVE, mesh, &square, level->leave[i]);
            if (j == 0)
                raise_square(bounds, BOUND_NODE, mesh, &square, level->enter[i]);
        }
}

/* Gives all ranks the largest bound of each kind, and its reason: of equal ones that of the least level, found[kind],
 * and of these that of the first rank, which has the first rows. So it is the one that comes first alone, too. */
static enum failure_kind join_bounds(const struct aligned_squares *squares,
                                     const uint32_t found[BOUND_KINDS], struct ranks *ranks,
                                     struct lower_bounds *bounds)
{
    enum { WORDS = sizeof(struct bound_reason) / sizeof(uint64_t), RANK_BITS = 24 };
    static_assert(WORDS * sizeof(uint64_t) == sizeof(struct bound_reason), "it is sent as words");
    uint64_t own[BOUND_KINDS], most[BOUND_KINDS], reason[BOUND_KINDS][WORDS] = {{0}};
    for (uint32_t kind = 0; kind < BOUND_KINDS; kind++)
        own[kind] = most[kind] =
            (bounds->steps[kind] * ALIGNED_LEVELS + (ALIGNED_LEVELS - 1 - found[kind]))
                << RANK_BITS |
            (ranks_size(ranks) - 1 - ranks_rank(ranks));
    enum failure_kind failed = ranks_most(ranks, most, BOUND_KINDS, squares->failure);
    for (uint32_t kind = 0; kind < BOUND_KINDS; kind++)
        if (own[kind] == most[kind])
            memcpy(reason[kind], &bounds->reason[kind], sizeof reason[kind]);
    if (failed == FAIL_NONE)
        failed = ranks_sum(ranks, &reason[0][0], BOUND_KINDS * WORDS, squares->failure);
    for (uint32_t kind = 0; kind < BOUND_KINDS && failed == FAIL_NONE; kind++) {
        bounds->steps[kind] = (most[kind] >> RANK_BITS) / ALIGNED_LEVELS;
        memcpy(&bounds->reason[kind], reason[kind], sizeof reason[kind]);
    }
    return failed;
}

/* Adds up counts over ranks. What a rank's messages and strips add to a count may be less than 0, so two counts cannot
 * share a word as in ranks_sum_counts(). */
static enum failure_kind sum_changes(struct ranks *ranks, uint32_t *count, size_t counts,
                                     struct failure *failure)
{
    enum { AT_ONCE = 1 << 10 };
    uint64_t word[AT_ONCE];
    enum failure_kind kind = FAIL_NONE;
    for (size_t at = 0, here; at < counts && kind == FAIL_NONE; at += here) {
        here = counts - at < AT_ONCE ? counts - at : AT_ONCE;
        for (size_t i = 0; i < here; i++)
            word[i] = count[at + i];
        kind = ranks_sum(ranks, word, here, failure);
        for (size_t i = 0; i < here; i++)
            count[at + i] = (uint32_t)word[i];
    }
    return kind;
}

enum failure_kind aligned_squares_raise(struct aligned_squares *squares, struct ranks *ranks,
                                        struct lower_bounds *bounds)
{
    const struct square_level *last = &squares->level[squares->levels - 1];
    const uint32_t *end = last->leave + (size_t)last->rows * last->cols;
    uint32_t found[BOUND_KINDS] = {0};
    enum failure_kind kind = squares->batch.kind;
    if (kind != FAIL_NONE)
        return kind;
    for (uint32_t j = 0; j + 1 < squares->levels; j++)
        sum_level(squares, j);
    if (squares->is_split && squares->levels > STRIP + 1) {
        uint32_t *first = squares->level[STRIP + 1].enter;
        kind = sum_changes(ranks, first, (size_t)(end - first), squares->failure);
    }
    for (uint32_t j = 0; j < squares->levels && kind == FAIL_NONE; j++) {
        struct lower_bounds before = *bounds;
        raise_level(squares, j, bounds);
        for (uint32_t i = 0; i < BOUND_KINDS; i++)
            if (bounds->steps[i] > before.steps[i])
                found[i] = j;
    }
    return kind == FAIL_NONE ? join_bounds(squares, found, ranks, bounds) : kind;
}
