/* mesh_permutation.c - permutations that every node computes: a Feistel network on pairs, with
 * cycle walking; and of a mesh's nodes, one within each row, then one within each column.
 *
 * An index is a pair (x, y) of numbers below w = ceil(sqrt(size)). A round adds a keyed hash of one
 * to the other, modulo w, and the two take turns: each round is a bijection of the w * w pairs,
 * whatever the hash. An image that is no index, size or more, is mapped again until it is one
 * (cycle walking), which keeps the map a bijection; as w * w <= size + 2 w, that is rarely needed
 * beyond sizes of a few hundred.
 *   The hash is the finaliser of SplitMix64 (Steele, Lea and Flood 2014) on the key and the number.
 * A table shuffled by one place would be knowledge that no node has (doc/model.md); these are
 * KEYED_ROUNDS words that each node makes from the seed.
 * Source: Luby and Rackoff 1988 (Feistel rounds); Black and Rogaway 2002 (cycle walking).
 *   Of a mesh. Node (y, x) goes to column x' = P_y(x), and there to row Q_x'(y): each P_y is a
 * permutation of the columns and each Q_x' one of the rows, with keys of their own, so the map is a
 * permutation of the nodes. Routed along rows first, the packets of a row turn in different
 * columns, at most one at each node, whichever of them are there (public_traffic.c).
 *
 * It is not uniformly random, but as good if a router counts how many of a set A of packets enter a
 * rectangle of R rows and C columns. Let p = R / rows and q = C / columns. The number of row y's
 * packets of A that enter the C columns is hypergeometric, and independent of other rows'; of a
 * column's packets the number that enter the R rows is hypergeometric again. E exp(t h) of a
 * hypergeometric variable h is at most that of the binomial one (Hoeffding 1963, Theorem 4), so
 * given the columns it is at most (1 + p (e^t - 1))^N, N the packets in the C columns, and in all
 *     E exp(t X)  <=  (1 + p q (e^t - 1))^|A|:
 * bounds of binomial tails that rest on this, Chernoff's, hold as if each packet drew its node by
 * itself. (The keys are assumed to make P_y and Q_x random permutations.)
 *
 * A node computes the two keys that it needs, O(1) words, from the seed and the line's number.
 * Cost: 72 bytes per row and per column.
 */
#include "primitives/mesh_permutation.h"

#include "base/pcg.h"

#include <stdlib.h>

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* Returns the number that round `round` adds, below the width. */
static uint32_t addend(const struct keyed_permutation *permutation, int round, uint32_t value)
{
    uint64_t hash = mix(permutation->key[round] + (value + 1) * UINT64_C(0x9e3779b97f4a7c15));
    return (uint32_t)((hash >> 32) * permutation->width >> 32);
}

struct keyed_permutation keyed_permutation_make(uint64_t seed, uint64_t stream, uint32_t size)
{
    struct keyed_permutation permutation = {.size = size, .width = 1};
    struct pcg32 random = pcg32_seed(seed, stream);
    while ((uint64_t)permutation.width * permutation.width < size)
        permutation.width++;
    for (int round = 0; round < KEYED_ROUNDS; round++) {
        uint64_t high = pcg32_next(&random);
        permutation.key[round] = high << 32 | pcg32_next(&random);
    }
    return permutation;
}

uint32_t keyed_permutation_at(const struct keyed_permutation *permutation, uint32_t index)
{
    uint32_t width = permutation->width;
    do {
        uint32_t half[2] = {index / width, index % width};
        for (int round = 0; round < KEYED_ROUNDS; round++) {
            uint32_t *changed = &half[round % 2];
            *changed = (*changed + addend(permutation, round, half[1 - round % 2])) % width;
        }
        index = half[0] * width + half[1];
    } while (index >= permutation->size);
    return index;
}

/* ---- of a mesh ---- */

enum { COLUMN_STREAMS = 1 << 17, LINE_BITS = 18 };

enum failure_kind mesh_permutation_make(struct mesh_permutation *permutation, uint64_t seed,
                                        uint64_t stream, struct mesh mesh, struct failure *failure)
{
    *permutation = (struct mesh_permutation){
        .mesh = mesh,
        .row = memory_allocate(mesh.rows, sizeof *permutation->row),
        .col = memory_allocate(mesh.cols, sizeof *permutation->col),
    };
    if (permutation->row == NULL || permutation->col == NULL)
        return fail_memory(failure, "the keys of a permutation");
    uint64_t first = stream << LINE_BITS;
    for (uint32_t row = 0; row < mesh.rows; row++)
        permutation->row[row] = keyed_permutation_make(seed, first + row, mesh.cols);
    for (uint32_t col = 0; col < mesh.cols; col++)
        permutation->col[col] =
            keyed_permutation_make(seed, first + COLUMN_STREAMS + col, mesh.rows);
    return FAIL_NONE;
}

void mesh_permutation_free(struct mesh_permutation *permutation)
{
    free(permutation->row);
    free(permutation->col);
    *permutation = (struct mesh_permutation){0};
}

node_place mesh_permutation_at(const struct mesh_permutation *permutation, node_place node)
{
    uint32_t col = keyed_permutation_at(&permutation->row[place_row(node)], place_col(node));
    return place_of(keyed_permutation_at(&permutation->col[col], place_row(node)), col);
}
