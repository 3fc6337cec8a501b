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

/* The position behind `p`, forward (0) or backward (1); UINT32_MAX behind the end of a path. */
static uint32_t behind(const struct ring *ring, uint32_t p, int way)
{
    if (way == 0)
        return p + 1 < ring->length ? p + 1 : ring->is_closed ? 0 : UINT32_MAX;
    return p > 0 ? p - 1 : ring->is_closed ? ring->length - 1 : UINT32_MAX;
}

static void check_places(const struct ring *ring)
{
    struct mesh mesh = ring->mesh;
    uint32_t nodes = mesh_nodes(mesh), *visits = calloc(nodes, sizeof *visits);
    for (uint32_t p = 0; p < ring->length; p++) {
        uint32_t row = place_row(ring->place[p]), col = place_col(ring->place[p]);
        ck_assert(row < mesh.rows && col < mesh.cols);
        visits[row * mesh.cols + col]++;
        ck_assert_uint_eq(ring->position[row * mesh.cols + col], p);
        uint32_t next = behind(ring, p, 0);
        if (next != UINT32_MAX && ring->length > 1)
            ck_assert_uint_eq(distance(ring->place[p], ring->place[next]), 1);
    }
    for (uint32_t node = 0; node < nodes; node++)
        ck_assert_uint_eq(visits[node], node == 0 && ring->leaves_out_corner ? 0 : 1);
    free(visits);
}

static void check_shape(const struct ring *ring)
{
    uint32_t rows = ring->mesh.rows, cols = ring->mesh.cols;
    bool is_path = rows == 1 || cols == 1;
    ck_assert(ring->is_closed == !is_path);
    ck_assert(ring->leaves_out_corner == (!is_path && rows % 2 == 1 && cols % 2 == 1));
    ck_assert_uint_eq(ring->length, rows * cols - ring->leaves_out_corner);
    if (!ring->leaves_out_corner)
        return;
    ck_assert_uint_eq(ring->position[0], UINT32_MAX);
    node_place before = ring->place[ring->before_corner], after = ring->place[ring->after_corner];
    ck_assert_uint_eq(distance(before, place_of(0, 0)), 1);
    ck_assert_uint_eq(distance(after, place_of(0, 0)), 1);
    ck_assert_uint_ne(before, after);
    ck_assert_uint_eq((ring->before_corner + 2) % ring->length, ring->after_corner);
}

static void check_ring(uint32_t rows, uint32_t cols)
{
    struct ring ring;
    ck_assert_int_eq(ring_make(&ring, (struct mesh){rows, cols}, NULL), FAIL_NONE);
    check_shape(&ring);
    check_places(&ring);
    ring_free(&ring);
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

/* a zeroed ring may be freed, and a freed one again */
START_TEST(freeing)
{
    struct ring ring = {.length = 0};
    ring_free(&ring);
    ck_assert_int_eq(ring_make(&ring, (struct mesh){3, 3}, NULL), FAIL_NONE);
    ring_free(&ring);
    ring_free(&ring);
}
END_TEST

Suite *ring_suite(void)
{
    Suite *suite = suite_create("ring");
    TCase *tests = tcase_create("ring");
    tcase_add_test(tests, small_shapes);
    tcase_add_test(tests, large_shapes);
    tcase_add_test(tests, freeing);
    suite_add_tcase(suite, tests);
    return suite;
}
