/* prefix.c - prefix sums in snake order, pipelined (Proposition 1; Leighton 1992, section 1.2).
 *
 * In each tile the rows add up towards the tile's middle column, from both sides at once; the
 * middle column adds the rows from top to bottom, and the tile's total comes back up it; each row
 * then passes its base outwards, from which a node finds its prefix: what stands before it in its
 * row is the partial sum that passed it, or the row's sum less what passed it and itself.
 * `count` sums follow one another at a distance of one step. Every node knows from the sizes alone
 * which sum reaches it when, so a step visits only the nodes that a word has just reached.
 * A word is (sum, total): two integers of O(log n) bits.
 *
 * Steps with arms of length a (the longer half of the columns), h rows, t sums:
 *     rows inward a, column down h - 1, total up h - 1, rows outward a, t - 1 for the pipeline.
 * Cost: t words a node, 3 t in the middle column.
 */
#include "primitives/prefix.h"

#include <stdlib.h>

/* What a node of a tile's middle column keeps for one sum. */
struct middle {
    uint32_t left, right, base;
};

struct prefix {
    struct machine *machine;
    const struct tessellation *tessellation;
    uint32_t count;
    uint32_t *value, *total;
    uint32_t *partial;     /* [sum][node]: what passed the node inward, itself included */
    struct middle *middle; /* [row][tile column][sum] */
    uint64_t step;         /* the step that words are sent in, from 1 */
};

/* A row of one tile, and where sums are in this step. */
struct tile_row {
    uint32_t row, first_col, width,
        arm;               /* arm: the longer half; the middle is at (width - 1) / 2 */
    uint32_t y, height;    /* row `y` of the tile's `height` rows */
    struct middle *middle; /* [sum] */
};

static struct site site_at(const struct prefix *prefix, uint32_t row, uint32_t col)
{
    uint32_t cols = prefix->tessellation->col.length;
    return (struct site){row * cols + col, row, col};
}

static size_t plane(const struct prefix *prefix, uint32_t sum, struct site site)
{
    return (size_t)sum * mesh_nodes(machine_config(prefix->machine)->mesh) + site.index;
}

static uint32_t received(const struct word_port *port, struct site site, enum direction side,
                         uint32_t *extra)
{
    struct word word = {0};
    word_received(port, site, side, &word);
    if (extra != NULL)
        *extra = (uint32_t)word.extra;
    return (uint32_t)word.value;
}

/* Rows inward: the node at distance `position` from its end of the row adds itself. */
static void send_inward(struct prefix *prefix, struct word_port *port, const struct tile_row *tile,
                        uint32_t sum)
{
    if (prefix->step <= sum)
        return;
    uint64_t position = prefix->step - 1 - sum;
    uint32_t middle = (tile->width - 1) / 2, right_arm = tile->width - 1 - middle;
    if (position < middle) {
        struct site site = site_at(prefix, tile->row, tile->first_col + (uint32_t)position);
        uint32_t passed = position > 0 ? received(port, site, WEST, NULL) : 0;
        passed += prefix->value[plane(prefix, sum, site)];
        prefix->partial[plane(prefix, sum, site)] = passed;
        word_send(port, site, EAST, (struct word){passed, 0});
    }
    if (position < right_arm) {
        uint32_t col = tile->first_col + tile->width - 1 - (uint32_t)position;
        struct site site = site_at(prefix, tile->row, col);
        uint32_t passed = position > 0 ? received(port, site, EAST, NULL) : 0;
        passed += prefix->value[plane(prefix, sum, site)];
        prefix->partial[plane(prefix, sum, site)] = passed;
        word_send(port, site, WEST, (struct word){passed, 0});
    }
    struct site site = site_at(prefix, tile->row, tile->first_col + middle);
    if (position == middle && middle > 0)
        tile->middle[sum].left = received(port, site, WEST, NULL);
    if (position == right_arm && right_arm > 0)
        tile->middle[sum].right = received(port, site, EAST, NULL);
}

/* The middle column downward: each row adds its sum to what comes from above. */
static void send_down(struct prefix *prefix, struct word_port *port, const struct tile_row *tile,
                      uint32_t sum)
{
    if (prefix->step != (uint64_t)tile->arm + 1 + tile->y + sum)
        return;
    struct site site = site_at(prefix, tile->row, tile->first_col + (tile->width - 1) / 2);
    struct middle *middle = &tile->middle[sum];
    middle->base = tile->y > 0 ? received(port, site, NORTH, NULL) : 0;
    uint32_t below =
        middle->base + middle->left + middle->right + prefix->value[plane(prefix, sum, site)];
    if (tile->y + 1 < tile->height)
        word_send(port, site, SOUTH, (struct word){below, 0});
}

/* The total upward, and with it each row's base outward. Snake rows that run east have their west
 * half before the middle, the others their east half. */
static void send_up_and_out(struct prefix *prefix, struct word_port *port,
                            const struct tile_row *tile, uint32_t sum)
{
    if (prefix->step + 1 + tile->y != (uint64_t)tile->arm + sum + 2ull * tile->height)
        return;
    uint32_t position = (tile->width - 1) / 2;
    struct site site = site_at(prefix, tile->row, tile->first_col + position);
    struct middle *middle = &tile->middle[sum];
    uint32_t own = prefix->value[plane(prefix, sum, site)];
    uint32_t end = middle->base + middle->left + middle->right + own;
    uint32_t total = tile->y + 1 < tile->height ? received(port, site, SOUTH, NULL) : end;
    bool runs_east = tile->y % 2 == 0;
    prefix->value[plane(prefix, sum, site)] =
        middle->base + (runs_east ? middle->left : middle->right);
    prefix->total[plane(prefix, sum, site)] = total;
    if (tile->y > 0)
        word_send(port, site, NORTH, (struct word){total, 0});
    if (position > 0)
        word_send(port, site, WEST, (struct word){runs_east ? middle->base : end, total});
    if (position + 1 < tile->width)
        word_send(port, site, EAST, (struct word){runs_east ? end : middle->base, total});
}

/* A node that a row's base reaches, coming from `side`, finds its prefix and passes the base on. */
static void receive_outward(struct prefix *prefix, struct word_port *port,
                            const struct tile_row *tile, uint32_t sum)
{
    uint64_t before = (uint64_t)tile->arm + sum + 2ull * tile->height;
    if (prefix->step + 1 + tile->y <= before)
        return;
    uint64_t distance = prefix->step + 1 + tile->y - before;
    uint32_t middle = (tile->width - 1) / 2;
    bool runs_east = tile->y % 2 == 0;
    for (int east = 0; east < 2; east++) {
        uint32_t reach = east ? tile->width - 1 - middle : middle;
        if (distance > reach)
            continue;
        uint32_t position = east ? middle + (uint32_t)distance : middle - (uint32_t)distance;
        struct site site = site_at(prefix, tile->row, tile->first_col + position);
        size_t index = plane(prefix, sum, site);
        uint32_t total, base = received(port, site, east ? WEST : EAST, &total);
        bool before_middle = runs_east == (east == 0);
        uint32_t passed = prefix->partial[index];
        prefix->value[index] = before_middle ? base + passed - prefix->value[index] : base - passed;
        prefix->total[index] = total;
        if (distance < reach)
            word_send(port, site, east ? EAST : WEST, (struct word){base, total});
    }
}

static void act_on_rows(void *context, struct word_port *port, uint32_t first_row, uint32_t end_row)
{
    struct prefix *prefix = context;
    const struct axis *rows = &prefix->tessellation->row, *cols = &prefix->tessellation->col;
    uint32_t across = axis_intervals(cols);
    for (uint32_t row = first_row; row < end_row; row++) {
        uint32_t down = rows->tile[row];
        for (uint32_t t = 0; t < across; t++) {
            uint32_t width = cols->cut[t + 1] - cols->cut[t];
            struct tile_row tile = {.row = row,
                                    .first_col = cols->cut[t],
                                    .width = width,
                                    .arm = width / 2,
                                    .y = row - rows->cut[down],
                                    .height = rows->cut[down + 1] - rows->cut[down],
                                    .middle = prefix->middle +
                                              ((size_t)row * across + t) * prefix->count};
            for (uint32_t sum = 0; sum < prefix->count; sum++) {
                receive_outward(prefix, port, &tile, sum);
                send_inward(prefix, port, &tile, sum);
                send_down(prefix, port, &tile, sum);
                send_up_and_out(prefix, port, &tile, sum);
            }
        }
    }
}

static uint32_t longest_interval(const struct axis *axis)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < axis_intervals(axis); i++)
        if (axis->cut[i + 1] - axis->cut[i] > longest)
            longest = axis->cut[i + 1] - axis->cut[i];
    return longest;
}

static uint64_t prefix_steps(const struct prefix *prefix)
{
    uint64_t arm = longest_interval(&prefix->tessellation->col) / 2;
    uint64_t height = longest_interval(&prefix->tessellation->row);
    return 2 * arm + 2 * height - 2 + prefix->count - 1;
}

enum failure_kind prefix_snake(struct machine *machine, const struct tessellation *tessellation,
                               uint32_t count, uint32_t *value, uint32_t *total,
                               struct failure *failure)
{
    struct prefix prefix = {.machine = machine,
                            .tessellation = tessellation,
                            .count = count,
                            .value = value,
                            .total = total};
    size_t nodes = mesh_nodes(machine_config(machine)->mesh);
    size_t middles = (size_t)tessellation->row.length * axis_intervals(&tessellation->col);
    prefix.partial = memory_allocate(nodes * count, sizeof *prefix.partial);
    prefix.middle = memory_allocate(middles * count, sizeof *prefix.middle);
    enum failure_kind kind = FAIL_NONE;
    if (prefix.partial == NULL || prefix.middle == NULL)
        kind = fail_memory(failure, "prefix sums");
    if (kind == FAIL_NONE)
        kind = machine_prepare_words(machine, failure);
    if (kind == FAIL_NONE) {
        uint64_t steps = prefix_steps(&prefix);
        for (prefix.step = 1; prefix.step <= steps; prefix.step++)
            machine_word_step(machine, act_on_rows, &prefix);
        machine_word_read(machine, act_on_rows, &prefix);
    }
    free(prefix.partial);
    free(prefix.middle);
    return kind;
}

node_place snake_place(struct halves rows, struct halves cols, uint64_t rank)
{
    uint32_t width = cols.end - cols.start;
    uint32_t y = (uint32_t)(rank / width), x = (uint32_t)(rank % width);
    return place_of(rows.start + y, y % 2 == 0 ? cols.start + x : cols.end - 1 - x);
}
