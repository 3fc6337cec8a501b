/* test_replicate_paper.c - router `replicate` as the paper prints Theorem 2: variant=paper.
 *
 * Other suites run it on ranks, on threads, with several messages per node and with an unknown congestion. Here: seats,
 * ranks and intermediate nodes, computed anew from the set and held against the trace; buffers and steps on the sets that
 * fill nodes most.
 */
#include "primitives/tessellation.h"
#include "routers/sibling.h"
#include "test/length.h"
#include "test/router_case.h"
#include "test/routers/drawn_set.h"
#include "workloads/pattern.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *replicate_paper_suite(void);

static const char PARAMETERS[] = "variant=paper";

static void make_pattern(struct message_set *set, const char *name, struct mesh mesh, uint32_t d,
                         uint32_t c)
{
    struct pattern_options options = {.mesh = mesh, .degree = d, .congestion = c, .seed = 7};
    ck_assert_int_eq(pattern_generate(pattern_find(name), &options, set, NULL), FAIL_NONE);
}

/* ---- ranks and intermediate nodes ---- */

enum { MOST_PACKETS = 1 << 16, MOST_TILES = 64, MOST_CLASSES = 10 };

/* Where packets are, as the trace says, and whose they are. */
struct packets {
    node_index home[MOST_PACKETS]; /* MESH_NO_NODE: there is no such packet */
    uint32_t source[MOST_PACKETS];
};

/* Replays the events before that phase. */
static void replay(const char *trace, const char *phase, struct packets *packets)
{
    char line_of_phase[64];
    snprintf(line_of_phase, sizeof line_of_phase, "# phase %s\n", phase);
    memset(packets, 0xff, sizeof *packets);
    for (const char *line = trace; *line != '\0'; line = strchr(line, '\n') + 1) {
        uint32_t field[3] = {0};
        char *at;
        (void)strtoul(line, &at, 10);
        if (strncmp(line, line_of_phase, strlen(line_of_phase)) == 0)
            return;
        if (at == line || strchr("ICMER", at[1]) == NULL)
            continue;
        char kind = at[1];
        at += 2;
        for (int i = 0; i < 3 && *at == ' '; i++)
            field[i] = (uint32_t)strtoul(at, &at, 10);
        uint32_t packet = kind == 'M' ? field[0] : kind == 'C' ? field[2] : field[1];
        ck_assert_uint_lt(packet, MOST_PACKETS);
        packets->home[packet] = kind == 'M'                  ? field[2]
                                : kind == 'E' || kind == 'R' ? MESH_NO_NODE
                                                             : field[0];
        if (kind == 'I' || kind == 'C')
            packets->source[packet] = kind == 'I' ? field[0] : packets->source[field[1]];
    }
    ck_abort_msg("there is no phase %s", phase);
}

struct tile {
    uint32_t top, left, height, width;
};

static struct tile tile_at(const struct tessellation *tiles, node_index node)
{
    struct interval rows = axis_interval_at(&tiles->row, node / tiles->col.length);
    struct interval cols = axis_interval_at(&tiles->col, node % tiles->col.length);
    return (struct tile){rows.start, cols.start, rows.end - rows.start, cols.end - cols.start};
}

/* The number of a node along the snake of its tile. */
static uint32_t along(const struct tessellation *tiles, node_index node)
{
    struct tile tile = tile_at(tiles, node);
    uint32_t row = node / tiles->col.length - tile.top, col = node % tiles->col.length - tile.left;
    return row * tile.width + (row % 2 == 0 ? col : tile.width - 1 - col);
}

static uint32_t tile_number(const struct tessellation *tiles, node_index node)
{
    return tiles->row.tile[node / tiles->col.length] * axis_intervals(&tiles->col) +
           tiles->col.tile[node % tiles->col.length];
}

/* A packet that a tile must have, by the set alone. */
struct wanted {
    uint32_t source, tile, class, seat; /* seat: the number of its node along the snake */
};

static int by_rank(const void *a, const void *b)
{
    const struct wanted *x = a, *y = b;
    if (x->tile != y->tile)
        return x->tile < y->tile ? -1 : 1;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return x->seat < y->seat ? -1 : x->seat > y->seat;
}

/* All packets of Step 2, in the order of tiles, classes and ranks; ranks of those with one seat are in any order. What
 * is for its seat alone was delivered there. */
static uint32_t list_wanted(const struct message_set *set, const struct tessellation *tiles,
                            struct wanted *wanted)
{
    struct seats seats = seats_make(tiles);
    uint32_t count = 0, cols = set->mesh.cols;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t in_tile[MOST_TILES] = {0};
        node_index last[MOST_TILES] = {0};
        node_index source = set->source[i];
        node_place seat = seat_of(&seats, place_of(source / cols, source % cols));
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            uint32_t tile = tile_number(tiles, set->destination[j]);
            if (set->destination[j] == source)
                continue; /* it stays at home */
            in_tile[tile]++;
            last[tile] = set->destination[j];
        }
        for (uint32_t t = 0; t < MOST_TILES; t++) {
            if (in_tile[t] == 0)
                continue;
            struct tile tile = tile_at(tiles, last[t]);
            node_index node = (tile.top + place_row(seat)) * cols + tile.left + place_col(seat);
            uint32_t class = 0;
            while (in_tile[t] >> (class + 1) > 0)
                class ++;
            if (in_tile[t] > 1 || last[t] != node)
                wanted[count++] = (struct wanted){source, t, class, along(tiles, node)};
        }
    }
    qsort(wanted, count, sizeof *wanted, by_rank);
    return count;
}

/* The node, along its tile's snake, at which the packet of this source is in this tile. */
static uint32_t find(const struct packets *packets, const struct tessellation *tiles,
                     const struct wanted *wanted)
{
    for (uint32_t packet = 0; packet < MOST_PACKETS; packet++)
        if (packets->home[packet] != MESH_NO_NODE && packets->source[packet] == wanted->source &&
            tile_number(tiles, packets->home[packet]) == wanted->tile)
            return along(tiles, packets->home[packet]);
    ck_abort_msg("tile %u has no packet of node %u", wanted->tile, wanted->source);
    return 0;
}

static uint32_t live(const struct packets *packets)
{
    uint32_t count = 0;
    for (uint32_t packet = 0; packet < MOST_PACKETS; packet++)
        count += packets->home[packet] != MESH_NO_NODE;
    return count;
}

/* The packets first .. end - 1 of `wanted` have one seat, and the ranks `rank`, rank + 1, ..: they are at the nodes of
 * these ranks, in any order. */
static void check_group(const struct wanted *wanted, uint32_t first, uint32_t end, uint32_t rank,
                        uint32_t area, const uint32_t *node)
{
    for (uint32_t i = first; i < end; i++) {
        uint32_t expected = (rank + i - first) % area, times = 0, found = 0;
        for (uint32_t j = first; j < end; j++) {
            times += (rank + j - first) % area == expected;
            found += node[j] == expected;
        }
        ck_assert_msg(found == times, "tile %u, class %u: node %u has %u of %u packets",
                      wanted[i].tile, wanted[i].class, expected, found, times);
    }
}

static void check_nodes(const struct message_set *set, uint32_t c, const char *trace)
{
    static struct packets seated, spread;
    static struct wanted wanted[MOST_PACKETS];
    static uint32_t node[MOST_PACKETS], area[MOST_TILES];
    struct tessellation tiles;
    ck_assert_int_eq(tessellation_make(&tiles, set->mesh, c, NULL), FAIL_NONE);
    ck_assert_uint_le(tessellation_tiles(&tiles), MOST_TILES);
    replay(trace, "rank in classes", &seated);
    replay(trace, "count clones", &spread);
    memset(area, 0, sizeof area);
    for (node_index n = 0; n < mesh_nodes(set->mesh); n++)
        area[tile_number(&tiles, n)]++;
    uint32_t count = list_wanted(set, &tiles, wanted), first_of_class = 0;
    ck_assert_uint_eq(live(&seated), count);
    ck_assert_uint_eq(live(&spread), count);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_uint_eq(find(&seated, &tiles, &wanted[i]), wanted[i].seat);
        node[i] = find(&spread, &tiles, &wanted[i]);
    }
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && by_rank(&wanted[first], &wanted[end]) == 0;)
            end++;
        if (wanted[first].tile != wanted[first_of_class].tile ||
            wanted[first].class != wanted[first_of_class].class)
            first_of_class = first;
        check_group(wanted, first, end, first - first_of_class, area[wanted[first].tile], node);
    }
    tessellation_free(&tiles);
}

/* In every tile the packet with rank r in its class is at node r mod A of the snake when clones are made; ranks are
 * those of seats along the snake. Equal tiles, unequal ones, a line of tiles, one tile. */
START_TEST(intermediate_nodes)
{
    static const struct {
        const char *pattern;
        struct mesh mesh;
        uint32_t d, c;
    } cases[] = {{"uniform", {16, 16}, 8, 16}, {"uniform", {13, 10}, 5, 8},
                 {"worst", {16, 16}, 1, 16},   {"rmat", {15, 17}, 16, 16},
                 {"uniform", {2, 40}, 4, 8},   {"uniform", {9, 9}, 3, 3},
                 {"uniform", {8, 8}, 1, 1},    {"block", {24, 16}, 12, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct router_case run = router_case_make("replicate", PARAMETERS);
        struct router_result result;
        struct message_set set;
        make_pattern(&set, cases[i].pattern, cases[i].mesh, cases[i].d, cases[i].c);
        run.copy_is_free = i % 2;
        run.seed = i;
        char *trace = router_case_trace(&run, &set, &result, NULL);
        ck_assert_uint_le(result.degree, result.congestion);
        check_nodes(&set, result.congestion, trace);
        free(trace);
        message_set_free(&set);
    }
}
END_TEST

/* ---- buffers and steps ---- */

/* Each message goes to `d` nodes beside each other, at the same place in each of so many tiles: with d one below a power
 * of two a class has nearly twice the clones that its least member has, and with all at one place nodes get c of them. */
static void make_crowd(struct message_set *set, uint32_t side, uint32_t c, uint32_t d)
{
    uint32_t nodes = side * side, messages = nodes, s = side;
    for (uint32_t tiles = c; tiles >= 4; tiles /= 4)
        s /= 2;
    node_index *from = malloc((size_t)nodes * c * sizeof *from);
    node_index *to = malloc((size_t)nodes * c * sizeof *to);
    uint32_t *received = calloc(nodes, sizeof *received);
    uint64_t pairs = 0;
    ck_assert(from && to && received);
    for (uint32_t i = 0; i < messages; i++) {
        uint32_t tile = i / d % ((side / s) * (side / s)), at = i * d % (s * s);
        for (uint32_t j = 0; j < d; j++) {
            uint32_t place = (at + j) % (s * s);
            node_index node =
                (tile / (side / s) * s + place / s) * side + tile % (side / s) * s + place % s;
            if (received[node] == c || node == i)
                continue;
            received[node]++;
            from[pairs] = i;
            to[pairs++] = node;
        }
    }
    struct mesh mesh = {side, side};
    ck_assert_int_eq(message_set_from_pairs(set, shape_of_mesh(mesh), pairs, from, to, NULL),
                     FAIL_NONE);
    free(from);
    free(to);
    free(received);
}

/* On equal tiles no node can hold more than 6 c packets and those that move, none does, so no attempt is void; and the
 * steps are within 4 S + 16 m. */
static void check_promises(const struct message_set *set, uint64_t seed)
{
    for (int copy = 0; copy < 2; copy++) {
        struct router_case run = router_case_make("replicate", PARAMETERS);
        struct router_result result;
        struct failure failure = {0};
        char text[ROUTER_CASE_TEXT];
        run.copy_is_free = copy;
        run.seed = seed;
        router_case_text(&run, set, text);
        ck_assert_msg(router_case_run(&run, set, NULL, &result, &failure) == FAIL_NONE, "%s: %s",
                      text, failure.text);
        ck_assert_msg(result.attempts == 0, "%s: a void attempt", text);
        ck_assert_uint_gt(result.buffer_capacity, 0);
        ck_assert_uint_le(result.buffer_capacity, 6 * result.congestion + 17);
        ck_assert_uint_le(result.buffer_peak, result.buffer_capacity);
        double root = sqrt((double)result.congestion * mesh_nodes(set->mesh));
        double most = (copy ? 1 : 1.6) * (4 * root + 16 * set->mesh.rows);
        ck_assert_msg((double)(result.steps - result.sync_steps) <= most, "%s: %llu steps", text,
                      (unsigned long long)(result.steps - result.sync_steps));
    }
}

START_TEST(crowds)
{
    static const struct {
        uint32_t side, c, d;
    } cases[] = {{32, 16, 15}, {32, 16, 16}, {64, 16, 3},  {32, 64, 63},
                 {64, 64, 31}, {64, 16, 15}, {32, 16, 64}, {128, 16, 15}};
    for (size_t i = 0; i < (TEST_IS_SHORT ? 6 : sizeof cases / sizeof *cases); i++) {
        struct message_set set;
        make_crowd(&set, cases[i].side, cases[i].c, cases[i].d);
        check_promises(&set, i);
        message_set_free(&set);
    }
}
END_TEST

/* Patterns of which all packets of a row turn at one node, or come over one line; d > c too. */
START_TEST(patterns)
{
    static const char *const names[] = {"turning", "worst", "hotspot", "column", "uniform"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (uint32_t c = 4; c <= (TEST_IS_SHORT ? 16 : 64); c *= 4) {
            struct message_set set;
            bool splits = i == 4 && c == 4;
            make_pattern(&set, names[i], (struct mesh){64, 64}, splits ? 4 * c : 0, c);
            check_promises(&set, c);
            message_set_free(&set);
        }
}
END_TEST

/* ---- what it refuses ---- */

/* With d > c Lemma 1 numbers at most 128 packets per node, so a node sends at most 127 messages; and no sums. */
START_TEST(refusals)
{
    struct router_case run = router_case_make("replicate", PARAMETERS);
    struct router_result result;
    struct failure failure = {0}, other = {0};
    for (uint32_t l = 127; l <= 128; l++) {
        struct message_set set;
        ck_assert_int_eq(
            message_set_allocate(&set, shape_of_mesh((struct mesh){16, 16}), l, l + 1, NULL),
            FAIL_NONE);
        for (uint32_t i = 0; i <= l; i++) {
            if (i < l) {
                set.source[i] = 0;
                set.offset[i] = i;
            }
            set.destination[i] = 1 + i;
        }
        set.offset[l] = l + 1;
        enum failure_kind kind = router_case_run(&run, &set, NULL, &result, &failure);
        ck_assert_int_eq(kind, l == 127 ? FAIL_NONE : FAIL_USAGE);
        message_set_free(&set);
    }
    ck_assert_ptr_nonnull(strstr(failure.text, "at most 127 messages per node where d > c"));
    struct message_set set;
    make_pattern(&set, "uniform", (struct mesh){8, 8}, 2, 2);
    run.reduces = true;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &other), FAIL_USAGE);
    ck_assert_ptr_nonnull(strstr(other.text, "variant=paper is for multicasts"));
    message_set_free(&set);
}
END_TEST

Suite *replicate_paper_suite(void)
{
    Suite *suite = suite_create("replicate_paper");
    TCase *tests = tcase_create("replicate_paper");
    tcase_add_test(tests, intermediate_nodes);
    tcase_add_test(tests, crowds);
    tcase_add_test(tests, patterns);
    tcase_add_test(tests, refusals);
    suite_add_tcase(suite, tests);
    return suite;
}
