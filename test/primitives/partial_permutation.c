/* partial_permutation.c - sets against routing along rows and columns, and random ones. */
#include "test/primitives/partial_permutation.h"

#include "base/numbers.h"

void partial_clear(struct partial *partial, struct mesh mesh)
{
    partial->mesh = mesh;
    for (node_index node = 0; node < mesh_nodes(mesh); node++)
        partial->target[node] = MESH_NO_NODE;
}

void partial_shuffle(struct partial *partial, struct pcg32 *random, uint32_t percent)
{
    uint32_t nodes = mesh_nodes(partial->mesh);
    for (node_index node = 0; node < nodes; node++)
        partial->target[node] = node;
    for (uint32_t i = nodes - 1; i > 0; i--) {
        uint32_t j = pcg32_below(random, i + 1);
        node_index other = partial->target[i];
        partial->target[i] = partial->target[j];
        partial->target[j] = other;
    }
    for (node_index node = 0; node < nodes; node++)
        if (pcg32_below(random, 100) >= percent)
            partial->target[node] = MESH_NO_NODE;
}

/* Far columns first: packets of 2 q rows go to q columns, those for the nearest first, and far down. */
static void far_columns(struct partial *partial, uint32_t variant)
{
    struct mesh mesh = partial->mesh;
    uint32_t q = 1u << variant % 4, half = mesh.cols / 2, used[8] = {0};
    for (uint32_t x = 0; x < half; x++)
        for (uint32_t row = 0; row < min_u32(2 * q, mesh.rows); row++) {
            uint32_t group = (uint32_t)((uint64_t)x * q / half);
            if (variant / 4 == 1)
                group = q - 1 - group;
            if (used[group] < mesh.rows && half + group < mesh.cols)
                partial->target[row * mesh.cols + half - 1 - x] =
                    (mesh.rows - 1 - used[group]++) * mesh.cols + half + group;
        }
}

/* Chinn, Leighton and Tompa's exchange: a quarter sends to the opposite one, each row to the same few
 * columns, nodes ahead to the farthest or the nearest. */
static void exchange(struct partial *partial, uint32_t variant)
{
    struct mesh mesh = partial->mesh;
    uint32_t top = mesh.rows / 2, left = mesh.cols / 2, columns = 1 + variant / 2;
    for (uint32_t i = 0; i < top * left; i++) {
        uint32_t row = top + i / left, col = left - 1 - i % left, group = i % left / columns;
        uint32_t to_col = variant % 2 == 0 ? mesh.cols - 1 - group : left + group;
        uint32_t to_row = (row - top + i % left % columns * (top / columns)) % top;
        node_index to = to_row * mesh.cols + to_col;
        bool is_taken = false;
        for (node_index node = 0; node < mesh_nodes(mesh); node++)
            is_taken = is_taken || partial->target[node] == to;
        if (!is_taken && to_col >= left)
            partial->target[row * mesh.cols + col] = to;
    }
}

/* Columns that get all their packets from one strip of rows, or from one corner. */
static void crowded_columns(struct partial *partial, uint32_t variant)
{
    struct mesh mesh = partial->mesh;
    uint32_t columns = 1 + variant % 4, strip = mesh.rows / (1 + variant % 3), next = 0;
    for (uint32_t i = 0; i < columns * mesh.rows && next < strip * mesh.cols; i++, next++) {
        uint32_t col = (mesh.cols / columns * (i / mesh.rows) + variant) % mesh.cols;
        node_index from = variant < 8 ? next % strip * mesh.cols + next / strip
                                      : next / mesh.cols * mesh.cols + next % mesh.cols;
        partial->target[from] = (i % mesh.rows + variant) % mesh.rows * mesh.cols + col;
    }
}

/* Whole rows to whole columns, each column to a row, or through the centre, or bits reversed. */
static void structured(struct partial *partial, uint32_t variant)
{
    struct mesh mesh = partial->mesh;
    uint32_t side = min_u32(mesh.rows, mesh.cols), bits = 0;
    while (2u << bits <= side)
        bits++;
    for (uint32_t row = 0; row < (variant < 2 ? side : mesh.rows); row++)
        for (uint32_t col = 0; col < (variant < 2 ? side : mesh.cols); col++) {
            uint32_t to_row = col, to_col = row, reversed[2] = {0, 0};
            if (variant == 1) {
                to_row = side - 1 - col;
            } else if (variant >= 2) {
                to_row = mesh.rows - 1 - row;
                to_col = mesh.cols - 1 - col;
            }
            for (uint32_t bit = 0; bit < bits; bit++) {
                reversed[0] |= (row >> bit & 1) << (bits - 1 - bit);
                reversed[1] |= (col >> bit & 1) << (bits - 1 - bit);
            }
            if (variant == 3 && row < 1u << bits && col < 1u << bits) {
                to_row = reversed[0];
                to_col = reversed[1];
            } else if (variant == 3) {
                to_row = row;
                to_col = col;
            }
            partial->target[row * mesh.cols + col] = to_row * mesh.cols + to_col;
        }
}

const struct partial_set PARTIAL_SETS[PARTIAL_SET_COUNT] = {
    {far_columns, 8}, {exchange, 6}, {crowded_columns, 12}, {structured, 4}};
