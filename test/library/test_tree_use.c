/* test_tree_use.c - tables, colours and busy links of a run, against what the lines of its trace say.
 *
 * The oracle keeps, for each node and message, which links the message comes in by and leaves by, and whether it is delivered
 * there, in a plain table; colours it gives one message after the other by looking at all pairs.
 */
#include "library/tree_use.h"
#include "test/router_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *tree_use_suite(void);

enum { MOST_NODES = 100, MOST_MESSAGES = 400 };

struct oracle {
    struct mesh mesh;
    uint32_t nodes, messages;
    uint32_t at[MOST_NODES * MOST_MESSAGES * 8]; /* packet: message + 1 */
    unsigned in[MOST_NODES][MOST_MESSAGES],
        out[MOST_NODES][MOST_MESSAGES]; /* bits; out 16: delivered */
    uint64_t load[MOST_NODES][MOST_NODES];
};

static unsigned bit_to(struct mesh mesh, uint32_t from, uint32_t to)
{
    if (to / mesh.cols != from / mesh.cols)
        return to > from ? 1u << SOUTH : 1u << NORTH;
    return to > from ? 1u << EAST : 1u << WEST;
}

static void read_line(struct oracle *oracle, char kind, const unsigned long *field)
{
    if (kind == 'I')
        oracle->at[field[1]] = (uint32_t)field[2] + 1;
    if (kind == 'C')
        oracle->at[field[2]] = oracle->at[field[1]];
    if (kind == 'D' || kind == 'E')
        oracle->out[field[0]][field[2]] |= 16;
    if (kind != 'M')
        return;
    uint32_t message = oracle->at[field[0]] - 1, from = (uint32_t)field[1], to = (uint32_t)field[2];
    oracle->out[from][message] |= bit_to(oracle->mesh, from, to);
    oracle->in[to][message] |= bit_to(oracle->mesh, from, to);
    oracle->load[from][to]++;
}

static struct oracle *read_trace(const char *trace, struct mesh mesh)
{
    struct oracle *oracle = calloc(1, sizeof *oracle);
    ck_assert_ptr_nonnull(oracle);
    oracle->mesh = mesh;
    oracle->nodes = mesh_nodes(mesh);
    oracle->messages = MOST_MESSAGES;
    for (const char *line = strchr(trace, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        unsigned long field[3] = {0}, step;
        char kind;
        if (*line != '#' &&
            sscanf(line, "%lu %c %lu %lu %lu", &step, &kind, &field[0], &field[1], &field[2]) >= 4)
            read_line(oracle, kind, field);
    }
    return oracle;
}

static bool is_at(const struct oracle *oracle, uint32_t node, uint32_t message)
{
    return (oracle->in[node][message] | oracle->out[node][message]) != 0;
}

static void check_tables(const struct oracle *oracle, const struct tree_use *use, uint32_t limit)
{
    struct tree_tables tables;
    uint64_t all = 0, all_merged = 0;
    uint32_t most = 0, most_merged = 0, over = 0, over_merged = 0, most_messages = 0;
    ck_assert_int_eq(tree_use_tables(use, limit, &tables, NULL), FAIL_NONE);
    for (uint32_t node = 0; node < oracle->nodes; node++) {
        uint32_t entries = 0, merged = 0, messages = 0;
        bool has[32] = {false};
        for (uint32_t m = 0; m < oracle->messages; m++) {
            unsigned in = oracle->in[node][m], out = oracle->out[node][m];
            messages += is_at(oracle, node, m);
            bool is_straight = in == out && (in == 1 || in == 2 || in == 4 || in == 8);
            if (!is_at(oracle, node, m) || is_straight)
                continue;
            entries++;
            merged += !has[out];
            has[out] = true;
        }
        all += entries;
        all_merged += merged;
        over += entries > limit;
        over_merged += merged > limit;
        most = entries > most ? entries : most;
        most_merged = merged > most_merged ? merged : most_merged;
        most_messages = messages > most_messages ? messages : most_messages;
    }
    ck_assert_uint_eq(tables.entries, all);
    ck_assert_uint_eq(tables.merged, all_merged);
    ck_assert_uint_eq(tables.most, most);
    ck_assert_uint_eq(tables.most_merged, most_merged);
    ck_assert_uint_eq(tables.over, over);
    ck_assert_uint_eq(tables.over_merged, over_merged);
    ck_assert_uint_eq(tables.messages, most_messages);
    ck_assert_uint_ge(tables.colours, most_messages);
}

static void check_colours(const struct oracle *oracle, const struct tree_use *use)
{
    struct tree_tables tables;
    uint32_t colour[MOST_MESSAGES], used = 0;
    ck_assert_int_eq(tree_use_tables(use, 0, &tables, NULL), FAIL_NONE);
    for (uint32_t m = 0; m < oracle->messages; m++) {
        bool is_taken[MOST_MESSAGES + 1] = {false}, is_there = false;
        for (uint32_t node = 0; node < oracle->nodes; node++) {
            is_there |= is_at(oracle, node, m);
            for (uint32_t other = 0; other < m && is_at(oracle, node, m); other++)
                if (is_at(oracle, node, other))
                    is_taken[colour[other]] = true;
        }
        for (colour[m] = 0; is_taken[colour[m]];)
            colour[m]++;
        if (is_there && colour[m] + 1 > used)
            used = colour[m] + 1;
    }
    ck_assert_uint_eq(tables.colours, used);
    ck_assert_uint_eq(tables.over, 0);
}

static void check_links(const struct oracle *oracle, const struct tree_use *use, uint32_t count)
{
    struct tree_link link[600];
    uint32_t found, used = 0;
    ck_assert_int_eq(tree_use_links(use, count, link, &found, NULL), FAIL_NONE);
    for (uint32_t from = 0; from < oracle->nodes; from++)
        for (uint32_t to = 0; to < oracle->nodes; to++)
            used += oracle->load[from][to] > 0;
    ck_assert_uint_eq(found, used < count ? used : count);
    for (uint32_t i = 0; i < found; i++) {
        uint32_t messages = 0;
        ck_assert_uint_eq(link[i].packets, oracle->load[link[i].from][link[i].to]);
        if (i > 0)
            ck_assert_uint_le(link[i].packets, link[i - 1].packets);
        for (uint32_t m = 0; m < oracle->messages; m++)
            if (oracle->out[link[i].from][m] & bit_to(oracle->mesh, link[i].from, link[i].to)) {
                ck_assert_uint_lt(messages, link[i].messages);
                ck_assert_uint_eq(link[i].message[messages++], m);
            }
        ck_assert_uint_eq(messages, link[i].messages);
    }
    for (uint32_t from = 0; from < oracle->nodes; from++)
        for (uint32_t to = 0; to < oracle->nodes && found == count; to++)
            if (oracle->load[from][to] > link[found - 1].packets) {
                bool is_listed = false;
                for (uint32_t i = 0; i < found; i++)
                    is_listed |= link[i].from == from && link[i].to == to;
                ck_assert(is_listed);
            }
    tree_links_free(link, found);
}

/* Routers on a square, an oblong, a row and a column, one message and several messages per node. */
START_TEST(agrees_with_the_trace)
{
    static const char *const ROUTERS[] = {"trees", "unicast", "circulate", "replicate", "stream"};
    static const struct mesh MESHES[] = {{8, 8}, {5, 9}, {1, 30}, {30, 1}, {3, 3}};
    for (size_t m = 0; m < sizeof MESHES / sizeof *MESHES; m++) {
        struct router_case run = router_case_make(ROUTERS[_i], NULL);
        struct message_set set;
        struct tree_use use;
        ck_assert(router_case_pattern(&set, 3, MESHES[m], 6, 6, m));
        if (router_takes_many(run.router))
            for (uint32_t i = 0; i < set.messages; i++)
                set.source[i] = set.source[i] / 2;
        ck_assert_uint_le(set.messages, MOST_MESSAGES);
        ck_assert_int_eq(tree_use_make(&use, set.mesh, NULL), FAIL_NONE);
        run.observer = &use.observer;
        run.copy_is_free = m % 2 == 0;
        char *trace = router_case_trace(&run, &set, &(struct router_result){0}, NULL);
        ck_assert_int_eq(tree_use_finish(&use, NULL), FAIL_NONE);
        struct oracle *oracle = read_trace(trace, set.mesh);
        check_tables(oracle, &use, 3);
        check_colours(oracle, &use);
        check_links(oracle, &use, 10);
        check_links(oracle, &use, 600);
        free(oracle);
        free(trace);
        tree_use_free(&use);
        message_set_free(&set);
    }
}
END_TEST

/* Where more colours are needed than there were words for, and the list of uses is full several times. */
START_TEST(many_messages_at_a_node)
{
    struct tree_use use;
    struct tree_tables tables;
    ck_assert_int_eq(tree_use_make(&use, (struct mesh){1, 3}, NULL), FAIL_NONE);
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t m = 0; m < 9000; m++) {
            struct machine_event event[] = {
                {{0, m, m}, 'I'}, {{m, 0, 1}, 'M'}, {{m, 1, 2}, 'M'}, {{2, m, m}, 'E'}};
            use.observer.events(use.observer.context, 1, event, 4);
        }
    ck_assert_int_eq(tree_use_finish(&use, NULL), FAIL_NONE);
    ck_assert_int_eq(tree_use_tables(&use, 8999, &tables, NULL), FAIL_NONE);
    ck_assert_uint_eq(tables.colours, 9000);
    ck_assert_uint_eq(tables.messages, 9000);
    ck_assert_uint_eq(tables.entries, 18000); /* none in the middle */
    ck_assert_uint_eq(tables.merged, 2);
    ck_assert_uint_eq(tables.over, 2);
    ck_assert_uint_eq(tables.over_merged, 0);
    tree_use_free(&use);
}
END_TEST

Suite *tree_use_suite(void)
{
    Suite *suite = suite_create("tree_use");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, agrees_with_the_trace, 0, 5);
    tcase_add_test(tests, many_messages_at_a_node);
    suite_add_tcase(suite, tests);
    return suite;
}
