/* test_tree_use.c - tables, colours and busy links of a run, through the public headers, against
 * its events.
 *
 * The oracle keeps, for each node and message, the links by which the message arrives and leaves,
 * and its delivery there, in a plain table; it colours one message after the other by comparing all
 * pairs.
 */
#include "test/library_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 100, MOST_MESSAGES = 400 };
enum { NORTH, SOUTH, WEST, EAST };

struct oracle {
    uint32_t rows, cols, nodes, messages;
    uint32_t at[MOST_NODES * MOST_MESSAGES * 8]; /* packet: message + 1 */
    unsigned in[MOST_NODES][MOST_MESSAGES],
        out[MOST_NODES][MOST_MESSAGES]; /* bits; out 16: delivered */
    uint64_t load[MOST_NODES][MOST_NODES];
};

static unsigned bit_to(uint32_t cols, uint32_t from, uint32_t to)
{
    if (to / cols != from / cols)
        return to > from ? 1u << SOUTH : 1u << NORTH;
    return to > from ? 1u << EAST : 1u << WEST;
}

static void take_event(struct oracle *oracle, char kind, const uint32_t *field)
{
    if (kind == 'I')
        oracle->at[field[1]] = field[2] + 1;
    if (kind == 'C')
        oracle->at[field[2]] = oracle->at[field[1]];
    if (kind == 'D' || kind == 'E')
        oracle->out[field[0]][field[2]] |= 16;
    if (kind != 'M')
        return;
    uint32_t message = oracle->at[field[0]] - 1, from = field[1], to = field[2];
    oracle->out[from][message] |= bit_to(oracle->cols, from, to);
    oracle->in[to][message] |= bit_to(oracle->cols, from, to);
    oracle->load[from][to]++;
}

static void observe(void *context, uint64_t step, const struct meshcast_event *event, size_t count)
{
    (void)step;
    for (size_t i = 0; i < count; i++)
        take_event(context, event[i].kind, event[i].field);
}

static bool is_at(const struct oracle *oracle, uint32_t node, uint32_t message)
{
    return (oracle->in[node][message] | oracle->out[node][message]) != 0;
}

static void check_tables(const struct oracle *oracle, const struct meshcast_report *report,
                         uint32_t limit)
{
    uint64_t all = 0, all_merged = 0;
    uint32_t most = 0, most_merged = 0, over = 0, over_merged = 0, most_messages = 0;
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
    ck_assert_double_eq_tol(meshcast_report_figure(report, "tables.entries.mean"),
                            (double)all / oracle->nodes, 1e-9);
    ck_assert_double_eq_tol(meshcast_report_figure(report, "tables.merged.mean"),
                            (double)all_merged / oracle->nodes, 1e-9);
    ck_assert_uint_eq(case_figure(report, "tables.entries.most"), most);
    ck_assert_uint_eq(case_figure(report, "tables.merged.most"), most_merged);
    ck_assert_uint_eq(case_figure(report, "tables.entries.nodes_over_limit"), over);
    ck_assert_uint_eq(case_figure(report, "tables.merged.nodes_over_limit"), over_merged);
    ck_assert_uint_eq(case_figure(report, "tables.messages_at_node"), most_messages);
}

static void check_colours(const struct oracle *oracle, const struct meshcast_report *report)
{
    uint32_t colour[MOST_MESSAGES], used = 0;
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
    ck_assert_uint_eq(case_figure(report, "tables.colours"), used);
}

/* Returns a figure of link `index`. */
static uint64_t link_figure(const struct meshcast_report *report, uint32_t index, const char *key)
{
    char path[128];
    snprintf(path, sizeof path, "top_links.%u.%s", index, key);
    return case_figure(report, path);
}

static void check_links(const struct oracle *oracle, const struct meshcast_report *report,
                        uint32_t count)
{
    uint32_t found = (uint32_t)meshcast_report_size(report, "top_links"), used = 0;
    static uint64_t is_listed[MOST_NODES][MOST_NODES];
    uint64_t last = UINT64_MAX;
    memset(is_listed, 0, sizeof is_listed);
    for (uint32_t i = 0; i < found; i++) {
        uint32_t from = (uint32_t)link_figure(report, i, "from"), messages = 0;
        uint32_t to = (uint32_t)link_figure(report, i, "to");
        char path[64];
        ck_assert_uint_eq(link_figure(report, i, "packets"), oracle->load[from][to]);
        ck_assert_uint_le(oracle->load[from][to], last);
        last = oracle->load[from][to];
        is_listed[from][to] = 1;
        for (uint32_t m = 0; m < oracle->messages; m++)
            if (oracle->out[from][m] & bit_to(oracle->cols, from, to)) {
                snprintf(path, sizeof path, "messages.%u", messages++);
                ck_assert_uint_eq(link_figure(report, i, path), m);
            }
        snprintf(path, sizeof path, "top_links.%u.messages", i);
        ck_assert_uint_eq(messages, meshcast_report_size(report, path));
    }
    for (uint32_t from = 0; from < oracle->nodes; from++)
        for (uint32_t to = 0; to < oracle->nodes; to++) {
            used += oracle->load[from][to] > 0;
            ck_assert(oracle->load[from][to] <= last || is_listed[from][to] || found < count);
        }
    ck_assert_uint_eq(found, used < count ? used : count);
}

static struct meshcast_report *route(const struct meshcast_set *set, const char *router,
                                     const char *options, struct oracle *oracle)
{
    struct meshcast_observer observer = {oracle, observe, NULL};
    struct meshcast_command *command = case_command("route", set, options);
    case_set_options(command, router, NULL);
    if (oracle != NULL)
        meshcast_command_set_observer(command, &observer);
    return case_run(command, NULL);
}

/* Routers on a square, an oblong, a row and a column, one message and several messages per node. */
START_TEST(agrees_with_the_trace)
{
    static const char *const ROUTERS[] = {"router=trees", "router=unicast", "router=circulate",
                                          "router=replicate", "router=stream"};
    static const uint32_t MESHES[][2] = {{8, 8}, {5, 9}, {1, 30}, {30, 1}, {3, 3}};
    for (size_t m = 0; m < 2 * sizeof MESHES / sizeof *MESHES; m++) {
        const uint32_t *mesh = MESHES[m / 2];
        char text[160];
        snprintf(text, sizeof text,
                 "pattern=uniform rows=%u cols=%u degree=4 congestion=6 seed=%zu per-node=%d",
                 mesh[0], mesh[1], m, m % 2 == 0 ? 1 : 2);
        struct meshcast_set *set = case_gen(text);
        struct oracle *oracle = calloc(1, sizeof *oracle);
        oracle->rows = mesh[0];
        oracle->cols = mesh[1];
        oracle->nodes = mesh[0] * mesh[1];
        oracle->messages = MOST_MESSAGES;
        ck_assert_uint_le(meshcast_set_messages(set), MOST_MESSAGES);
        struct meshcast_report *report =
            route(set, ROUTERS[_i], "tables table-limit=3 top-links=10 copy=free", oracle);
        check_tables(oracle, report, 3);
        check_colours(oracle, report);
        check_links(oracle, report, 10);
        meshcast_report_free(report);
        report = route(set, ROUTERS[_i], "top-links=600 copy=free", NULL);
        check_links(oracle, report, 600);
        meshcast_report_free(report);
        free(oracle);
        meshcast_set_free(set);
    }
}
END_TEST

/* Where more colours are needed than there were words for, and the list of uses is full several
 * times. */
START_TEST(many_messages_at_a_node)
{
    enum { MESSAGES = 9000 };
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fputs("mcast 2 mesh 1 3\n", file);
    for (int i = 0; i < MESSAGES; i++)
        fputs("0 2\n", file);
    fprintf(file, "end %d\n", MESSAGES);
    fclose(file);
    struct meshcast_set *set = meshcast_set_parse(text, size, "many", NULL);
    struct meshcast_report *report = route(set, "router=trees", "tables table-limit=8999", NULL);
    ck_assert_uint_eq(case_figure(report, "tables.colours"), MESSAGES);
    ck_assert_uint_eq(case_figure(report, "tables.messages_at_node"), MESSAGES);
    ck_assert_uint_eq(case_figure(report, "tables.entries.mean"),
                      2 * MESSAGES / 3); /* none in the middle */
    ck_assert_double_eq_tol(meshcast_report_figure(report, "tables.merged.mean"), 2.0 / 3, 1e-9);
    ck_assert_uint_eq(case_figure(report, "tables.entries.nodes_over_limit"), 2);
    ck_assert_uint_eq(case_figure(report, "tables.merged.nodes_over_limit"), 0);
    meshcast_report_free(report);
    meshcast_set_free(set);
    free(text);
}
END_TEST

void tree_use_suite(TCase *tests)
{
    tcase_add_loop_test(tests, agrees_with_the_trace, 0, 5);
    tcase_add_test(tests, many_messages_at_a_node);
}
