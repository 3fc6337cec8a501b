/* mesh_permutation.c - a keyed permutation within each row, then one within each column.
 *
 * Node (y, x) goes to column x' = P_y(x), and there to row Q_x'(y): each P_y is a permutation of the
 * columns and each Q_x' one of the rows (keyed_permutation.h), with keys of their own, so the map is
 * a permutation of the nodes. Routed along rows first, the packets of a row turn in different columns,
 * at most one at each node, whichever of them are there (public_traffic.c).
 *
 * It is not uniformly random, but as good where a router counts how many of a set A of packets come
 * into a rectangle of R rows and C columns. Let p = R / rows and q = C / columns. The number of row
 * y's packets of A that come into the C columns is hypergeometric, and independent of other rows'; of
 * those of a column the number that come into the R rows is hypergeometric again. E exp(t h) of a
 * hypergeometric variable h is at most that of the binomial one (Hoeffding 1963, Theorem 4), so given
 * the columns it is at most (1 + p (e^t - 1))^N, N the packets in the C columns, and in all
 *     E exp(t X)  <=  (1 + p q (e^t - 1))^|A|:
 * bounds of binomial tails that rest on this, Chernoff's, hold as if each packet drew its node by
 * itself. (That P_y and Q_x are random permutations is what the keys stand for.)
 *
 * A node computes the two keys that it needs, O(1) words, from the seed and the line's number.
 * Cost: 72 bytes per row and per column.
 */
#include "primitives/mesh_permutation.h"

#include <stdlib.h>

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
