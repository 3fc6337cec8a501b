/* test_ring.c - the Hamiltonian ring on every small shape and some larger ones. */
#include "primitives/ring.h"

#include <check.h>
#include <stdlib.h>

Suite *ring_suite(void);

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

static uint32_t distance(node_place a, node_place b)
{
    return apart(place_row(a), place_row(b)) + apart(place_col(a), place_col(b));
}

/* The position after `p`; UINT32_MAX after the end of a path. */
static uint32_t next_of(struct mesh mesh, uint32_t length, uint32_t p)
{
    return p + 1 < length ? p + 1 : ring_is_closed(mesh) ? 0 : UINT32_MAX;
}

static void check_places(struct mesh mesh, uint32_t length)
{
    uint32_t nodes = mesh_nodes(mesh), *visits = calloc(nodes, sizeof *visits);
    for (uint32_t p = 0; p < length; p++) {
        node_place place = ring_place(mesh, p);
        uint32_t row = place_row(place), col = place_col(place);
        ck_assert(row < mesh.rows && col < mesh.cols);
        visits[row * mesh.cols + col]++;
        ck_assert_uint_eq(ring_position(mesh, place), p);
        uint32_t next = next_of(mesh, length, p);
        if (next != UINT32_MAX && length > 1)
            ck_assert_uint_eq(distance(place, ring_place(mesh, next)), 1);
    }
    for (uint32_t node = 0; node < nodes; node++)
        ck_assert_uint_eq(visits[node], node == 0 && length < nodes ? 0 : 1);
    free(visits);
}

static void check_ring(uint32_t rows, uint32_t cols)
{
    struct mesh mesh = {rows, cols};
    bool is_path = rows == 1 || cols == 1, has_corner = !is_path && rows % 2 == 1 && cols % 2 == 1;
    uint32_t length = rows * cols - has_corner;
    ck_assert(ring_is_closed(mesh) == !is_path);
    ck_assert(ring_leaves_out_corner(mesh) == has_corner);
    check_places(mesh, length);
    if (!has_corner)
        return;
    ck_assert_uint_eq(ring_position(mesh, place_of(0, 0)), UINT32_MAX);
    uint32_t before = ring_position(mesh, place_of(1, 0));
    ck_assert_uint_eq((before + 2) % length, ring_position(mesh, place_of(0, 1)));
}

/* every shape up to 9 x 9: neighbours follow one another, every node once, runs and gates right */
START_TEST(small_shapes)
{
    for (uint32_t rows = 1; rows <= 9; rows++)
        for (uint32_t cols = 1; cols <= 9; cols++)
            check_ring(rows, cols);
}
END_TEST

/* the same on larger and on narrow shapes */
START_TEST(large_shapes)
{
    static const uint32_t shapes[][2] = {{64, 64},  {65, 65}, {64, 65},   {65, 64}, {2, 200},
                                         {200, 2},  {3, 201}, {201, 3},   {2, 201}, {201, 2},
                                         {1, 1000}, {500, 1}, {127, 255}, {256, 31}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        check_ring(shapes[i][0], shapes[i][1]);
}
END_TEST

Suite *ring_suite(void)
{
    Suite *suite = suite_create("ring");
    TCase *tests = tcase_create("ring");
    tcase_add_test(tests, small_shapes);
    tcase_add_test(tests, large_shapes);
    suite_add_tcase(suite, tests);
    return suite;
}
