/* stream_seats.c - to which node Step 1 of router `stream` sends the packet of each message.
 *
 * A keyed permutation of the nodes gives each message a node (mesh_permutation.h). Where all tiles are
 * equal that is its seat. On other grids the nodes beyond the cells that all tiles have name second
 * seats (tile_cycle.h): two packets may go to a node, and more than one of a row to a column. What all
 * n of them take at most is counted, which any node can do that knows the sides, c and the seed.
 * Cost: the keys; while counting, 28 bytes per node of a rank.
 */
#include "routers/stream_seats.h"

enum failure_kind stream_seats_make(struct stream_seats *seats, const struct tile_cycle *cycle,
                                    uint64_t seed, struct failure *failure)
{
    struct mesh mesh = {cycle->tiles->row.length, cycle->tiles->col.length};
    seats->cycle = cycle;
    return mesh_permutation_make(&seats->permutation, seed, 0, mesh, failure);
}

void stream_seats_free(struct stream_seats *seats)
{
    mesh_permutation_free(&seats->permutation);
}

static node_place place_at(const struct stream_seats *seats, node_index node)
{
    uint32_t cols = seats->permutation.mesh.cols;
    return place_of(node / cols, node % cols);
}

struct stream_home stream_seats_home(const struct stream_seats *seats, node_index source)
{
    node_place node = mesh_permutation_at(&seats->permutation, place_at(seats, source));
    struct seat seat = tile_cycle_seat(seats->cycle, node);
    uint32_t position = tile_cycle_position(seats->cycle, node);
    return (struct stream_home){tile_cycle_home(seats->cycle, position, seat.cell), seat.is_second};
}

enum failure_kind stream_seats_bound(const struct stream_seats *seats,
                                     struct traffic_bounds *bounds, struct failure *failure)
{
    struct mesh mesh = seats->permutation.mesh;
    struct traffic traffic;
    enum failure_kind kind =
        traffic_make(&traffic, mesh, (struct traffic_way){0}, mesh_nodes(mesh), failure);
    for (node_index node = 0; kind == FAIL_NONE && node < mesh_nodes(mesh); node++)
        traffic_add(&traffic, place_at(seats, node), stream_seats_home(seats, node).node);
    if (kind == FAIL_NONE)
        kind = traffic_bound(&traffic, bounds, failure);
    traffic_free(&traffic);
    return kind;
}
