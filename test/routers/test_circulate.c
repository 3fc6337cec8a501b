/* test_circulate.c - the steps and packets of router `circulate`, which follow only from the set
 * (doc/circulate.md).
 *
 * Oracle: the two walks as lists of nodes, drawn here by coordinates; a packet ends at the farthest
 * destination of its side.
 */
#include "test/length.h"
#include "test/random.h"
#include "test/routers/router_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Walks shorter than a group of 64 places, of whole groups, and of groups and a part; corners;
 * rows. */
static const struct grid MESHES[] = {{2, 2},  {2, 3},   {3, 2},   {4, 4}, {6, 5}, {5, 6},
                                     {8, 8},  {2, 64},  {65, 2},  {3, 3}, {5, 3}, {7, 9},
                                     {11, 9}, {10, 19}, {13, 12}, {1, 2}, {9, 1}, {1, 70}};

/* ---- the walks ---- */

struct walks {
    struct grid mesh;
    bool is_closed, has_corner;
    uint32_t length, *node[2], *first[2]; /* first[side][node]: the first place of that node */
};

static void append(struct walks *walks, uint32_t row, uint32_t col)
{
    bool is_turned = walks->is_closed && walks->mesh.rows % 2 == 1 && walks->mesh.cols % 2 == 0;
    uint32_t node = is_turned ? col * walks->mesh.cols + row : row * walks->mesh.cols + col;
    walks->node[0][walks->length++] = node;
}

/* Along the first row, back and forth over all columns but the first, home through that one. */
static void draw_even(struct walks *walks, uint32_t rows, uint32_t cols)
{
    append(walks, 0, 0);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t col = 1; col < cols; col++)
            append(walks, row, row % 2 == 0 ? col : cols - col);
    for (uint32_t row = rows; --row > 0;)
        append(walks, row, 0);
}

/* Along the first row without the corner, up and down the columns as far as the third, and home in
 * a zigzag through the first two. */
static void draw_odd(struct walks *walks, uint32_t rows, uint32_t cols)
{
    for (uint32_t col = 1; col < cols; col++)
        append(walks, 0, col);
    for (uint32_t col = cols; --col > 1;)
        for (uint32_t row = 1; row < rows; row++)
            append(walks, col % 2 == 0 ? row : rows - row, col);
    for (uint32_t row = rows; --row > 0;) {
        append(walks, row, row % 2 == 0);
        append(walks, row, row % 2 == 1);
    }
}

/* Makes the walk back, and turns both aside to the corner: (1, 0), (0, 0), (1, 0) there and
 * (0, 1), (0, 0), (0, 1) back. */
static void turn_back(struct walks *walks)
{
    uint32_t length = walks->length, *there = walks->node[0], *back = walks->node[1];
    for (uint32_t i = 0; i < length; i++) /* a closed walk back begins at the same node */
        back[i] = there[walks->is_closed ? (length - i) % length : length - 1 - i];
    if (walks->has_corner) {
        there[length + 1] = there[length - 1];
        there[length] = there[length - 2];
        there[length - 1] = 0;
        memmove(back + 3, back + 1, (length - 1) * sizeof *back);
        back[1] = 0;
        back[2] = back[0];
        walks->length += 2;
    }
}

static void draw(struct walks *walks, struct grid mesh)
{
    uint32_t nodes = grid_nodes(mesh);
    *walks = (struct walks){.mesh = mesh, .is_closed = mesh.rows > 1 && mesh.cols > 1};
    walks->has_corner = walks->is_closed && mesh.rows % 2 == 1 && mesh.cols % 2 == 1;
    for (int side = 0; side < 2; side++) {
        walks->node[side] = calloc(nodes + 2, sizeof(uint32_t));
        walks->first[side] = calloc(nodes, sizeof(uint32_t));
        ck_assert(walks->node[side] != NULL && walks->first[side] != NULL);
    }
    if (!walks->is_closed)
        for (uint32_t i = 0; i < nodes; i++)
            append(walks, mesh.cols == 1 ? i : 0, mesh.cols == 1 ? 0 : i);
    else if (walks->has_corner)
        draw_odd(walks, mesh.rows, mesh.cols);
    else if (mesh.rows % 2 == 0)
        draw_even(walks, mesh.rows, mesh.cols);
    else
        draw_even(walks, mesh.cols, mesh.rows);
    turn_back(walks);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = walks->length; i-- > 0;)
            walks->first[side][walks->node[side][i]] = i;
}

static void free_walks(struct walks *walks)
{
    for (int side = 0; side < 2; side++) {
        free(walks->node[side]);
        free(walks->first[side]);
    }
}

/* Returns the links from one node to another on that side; UINT32_MAX if there is no way. */
static uint32_t links_of(const struct walks *walks, int side, uint32_t from, uint32_t to)
{
    uint32_t start = walks->first[side][from], end = walks->first[side][to];
    if (end >= start)
        return end - start;
    return walks->is_closed ? end + walks->length - start : UINT32_MAX;
}

/* Each step of a walk crosses a link, and each link is used at most once in each direction. */
START_TEST(walks_cross_links)
{
    struct walks walks;
    struct grid mesh = MESHES[_i];
    uint32_t nodes = grid_nodes(mesh);
    uint8_t *uses = calloc((size_t)nodes * nodes, 1);
    ck_assert_ptr_nonnull(uses);
    draw(&walks, mesh);
    ck_assert_uint_eq(walks.length, nodes + walks.has_corner);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i + !walks.is_closed < walks.length; i++) {
            uint32_t a = walks.node[side][i], b = walks.node[side][(i + 1) % walks.length];
            uint32_t apart = a > b ? a - b : b - a;
            ck_assert(apart == mesh.cols || (apart == 1 && a / mesh.cols == b / mesh.cols));
            ck_assert_uint_eq(uses[(size_t)a * nodes + b]++, 0);
        }
    free_walks(&walks);
    free(uses);
}
END_TEST

/* ---- the steps ---- */

/* The most links that a packet crosses on each side. */
struct longest {
    uint32_t links[2];
    bool any, copies; /* some message has a destination, several */
};

static struct longest follow(const struct walks *walks, const struct plain_set *set)
{
    struct longest longest = {{0}, false, false};
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t source = set->source[i];
        longest.copies |= set->offset[i + 1] - set->offset[i] > 1;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            uint32_t node = set->destination[j], links[2];
            longest.any = true;
            if (walks->has_corner && source == walks->mesh.cols + 1 && node == 0)
                continue; /* before the tour */
            for (int side = 0; side < 2; side++)
                links[side] = links_of(walks, side, source, node);
            int side = links[1] < links[0] || (links[1] == links[0] && node < source);
            if (links[side] > longest.links[side])
                longest.links[side] = links[side];
        }
    }
    return longest;
}

/* With unit copies the first side hops in even steps, the other in odd ones from the third on. */
static uint64_t steps_of(const struct longest *longest, bool is_free)
{
    uint32_t first = longest->links[0], second = longest->links[1];
    if (is_free || !longest->copies)
        return first > second ? first : second;
    return first > second ? 2 * first : second > 0 ? 2 * second + 1 : 0;
}

/* Checks steps and packets for both costs of copies, and frees the set. */
static void check_steps(struct plain_set *set)
{
    struct walks walks;
    struct case_result result;
    struct router_case run = router_case_make("circulate", NULL);
    plain_set_leave_home(set);
    draw(&walks, set->mesh);
    struct longest longest = follow(&walks, set);
    uint32_t nodes = grid_nodes(set->mesh);
    uint32_t capacity = walks.has_corner ? 3 : nodes > 2 ? 2 : 1;
    uint32_t rounds = !walks.is_closed ? nodes - 1 : walks.has_corner ? (nodes + 3) / 2 : nodes / 2;
    for (int is_free = 0; is_free < 2; is_free++) {
        uint64_t corner = walks.has_corner && longest.any ? 3 - is_free : 0;
        run.copy_is_free = is_free;
        ck_assert_int_eq(router_case_run(&run, set, NULL, &result, NULL), MESHCAST_OK);
        ck_assert_uint_eq(result.steps, corner + steps_of(&longest, is_free));
        ck_assert_uint_le(result.steps, corner + (is_free ? rounds : 2 * rounds + 1));
        ck_assert_uint_le(result.buffer_peak, capacity);
        ck_assert_uint_eq(result.buffer_capacity, capacity);
    }
    free_walks(&walks);
    plain_set_free(set);
}

START_TEST(patterns)
{
    static const uint32_t congestion[] = {1, 3, 16, 200};
    struct plain_set set;
    for (uint32_t pattern = 0; pattern < case_pattern_count(); pattern++)
        for (uint32_t c = 0; c < sizeof congestion / sizeof *congestion; c++)
            if (router_case_pattern(&set, pattern, MESHES[_i], 0, congestion[c], pattern + c))
                check_steps(&set);
}
END_TEST

/* Many packets end at once, where each node makes one copy per step, both ways. */
START_TEST(crowds)
{
    struct plain_set set;
    for (uint32_t c = 2; c <= 130; c *= 3) {
        struct grid mesh = {c % 4 == 2 ? 12 : 11, 11};
        ck_assert(plain_set_gen(&set, "broadcast", mesh, 0, c < 121 ? c : 121, c, NULL));
        check_steps(&set);
    }
}
END_TEST

/* One message alone: to itself, to a neighbour, across, to all these; and none at all. */
START_TEST(alone)
{
    static const char *const sets[] = {"mcast 1 10 20\n", "mcast 1 10 20\n43 43\n",
                                       "mcast 1 10 20\n43 44\n", "mcast 1 10 20\n43 131\n",
                                       "mcast 1 10 20\n43 0 19 42 43 44 131 199\n"};
    struct plain_set set;
    for (uint32_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        plain_set_parse(&set, sets[i]);
        check_steps(&set);
    }
}
END_TEST

/* A run of several tours ends with its last packet, also where other messages, for their own
 * sources only, take no tour: the second tour starts 4 * 4 / 2 steps later and goes three links. */
START_TEST(own_messages_take_no_tour)
{
    struct router_case run = router_case_make("circulate", NULL);
    struct case_result result;
    struct plain_set set;
    plain_set_parse(&set, "mcast 2 mesh 4 4\n5 5\n5 5\n5 5\n5 5\n0 0\n0 1\n0 12\nend 7\n");
    for (int is_free = 0; is_free < 2; is_free++) {
        run.copy_is_free = is_free;
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, NULL), MESHCAST_OK);
        ck_assert_uint_eq(result.steps, 8 + 3);
    }
    plain_set_free(&set);
}
END_TEST

/* All nodes send to a row, of which two packets meet at each node in every hop. */
START_TEST(crowded_rows)
{
    static const struct grid meshes[] = {{16, 16}, {15, 16}, {15, 15}, {1, 40}, {2, 30}};
    struct grid mesh = meshes[_i];
    uint32_t nodes = grid_nodes(mesh);
    uint64_t pairs = (uint64_t)nodes * mesh.cols;
    uint32_t *from = calloc(pairs, sizeof *from), *to = calloc(pairs, sizeof *to);
    struct plain_set set;
    ck_assert(from != NULL && to != NULL);
    for (uint32_t row = 0; row < mesh.rows; row += 1 + mesh.rows / 3) {
        for (uint32_t i = 0; i < pairs; i++) {
            from[i] = i / mesh.cols;
            to[i] = row * mesh.cols + i % mesh.cols;
        }
        plain_set_pairs(&set, mesh, pairs, from, to);
        check_steps(&set);
    }
    free(from);
    free(to);
}
END_TEST

/* Draws a few messages to a few nodes each, some of which are the destinations of many. */
static void draw_few(struct plain_set *set, struct grid mesh, uint64_t seed)
{
    enum { MESSAGES = 40, CROWDS = 12, MOST_SENT = 6 };
    uint32_t from[MESSAGES * MOST_SENT], to[MESSAGES * MOST_SENT], crowd[CROWDS], pairs = 0;
    uint32_t nodes = grid_nodes(mesh), every = nodes / MESSAGES, apart = nodes / CROWDS;
    for (uint32_t i = 0; i < CROWDS; i++)
        crowd[i] = i * apart + test_random_below(&seed, apart);
    for (uint32_t message = 0; message < MESSAGES; message++) {
        uint32_t source = message * every + test_random_below(&seed, every);
        uint32_t sent = 1 + test_random_below(&seed, MOST_SENT);
        uint32_t start = test_random_below(&seed, CROWDS);
        for (uint32_t i = 0; i < sent; i++) {
            from[pairs] = source;
            to[pairs++] = crowd[(start + i) % CROWDS];
        }
    }
    plain_set_pairs(set, mesh, pairs, from, to);
}

/* Few packets on many links: a run that nobody observes advances several steps at once, one with a
 * trace does not. Both must be the same, and as long as the walks say. */
START_TEST(few)
{
    static const struct grid meshes[] = {{72, 73}, {71, 73}, {1, 3000}};
    for (uint64_t seed = 0; seed < (TEST_IS_SHORT ? 2 : 20); seed++) {
        struct plain_set set;
        struct router_case run = router_case_make("circulate", NULL);
        draw_few(&set, meshes[_i], seed);
        router_case_check(&run, &set, NULL);
        check_steps(&set);
    }
}
END_TEST

void circulate_suite(TCase *tests)
{
    tcase_add_loop_test(tests, walks_cross_links, 0, sizeof MESHES / sizeof *MESHES);
    tcase_add_loop_test(tests, patterns, 0, sizeof MESHES / sizeof *MESHES);
    tcase_add_test(tests, crowds);
    tcase_add_test(tests, alone);
    tcase_add_test(tests, own_messages_take_no_tour);
    tcase_add_loop_test(tests, crowded_rows, 0, 5);
    tcase_add_loop_test(tests, few, 0, 3);
}
