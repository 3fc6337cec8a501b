/* test_view.c - what a view keeps of a run, against the run's result and against its trace.
 *
 * The oracle reads the trace and works another way than the view: it knows where every packet is,
 * and counts at the end of each step how many are at each node.
 */
#include "audit/trace_reader.h"
#include "library/view.h"
#include "library/view_timeline.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *view_suite(void);

enum { MOST_NODES = 100, MOST_STEPS = 20000, MOST_PACKETS = 1 << 20, NOWHERE = UINT16_MAX };

/* ---- the rows of a view ---- */

struct rows {
    size_t count;
    struct view_row row[MOST_STEPS];
};

static void keep_row(void *context, const struct view_row *row)
{
    struct rows *rows = context;
    ck_assert_uint_lt(rows->count, MOST_STEPS);
    rows->row[rows->count++] = *row;
}

static struct rows *rows_make(void)
{
    struct rows *rows = calloc(1, sizeof *rows);
    ck_assert_ptr_nonnull(rows);
    return rows;
}

/* Runs, and makes the view of the run; `trace` may be NULL. */
static void run_and_view(struct router_case run, const struct message_set *set,
                         const struct view_plan *plan, FILE *trace, struct view *view,
                         struct router_result *result)
{
    char text[ROUTER_CASE_TEXT];
    ck_assert_int_eq(view_make(view, set->mesh, plan, NULL), FAIL_NONE);
    run.observer = &view->observer;
    ck_assert_msg(router_case_run(&run, set, trace, result, NULL) == FAIL_NONE, "%s",
                  router_case_text(&run, set, text));
    view_finish(view, result->steps);
}

/* ---- the oracle ---- */

struct oracle {
    uint32_t nodes;
    uint16_t *place; /* [packet] */
    uint64_t most_packet;
    uint32_t peak[MOST_NODES];
    uint64_t load[MOST_NODES][MOST_NODES];
    struct rows *rows;
};

/* The state at the end of the open step becomes its row, and those of the idle steps behind it. */
static void oracle_end(struct oracle *oracle, struct view_row *row, uint64_t until)
{
    uint32_t count[MOST_NODES] = {0};
    for (uint64_t i = 0; i <= oracle->most_packet; i++)
        if (oracle->place[i] != NOWHERE)
            count[oracle->place[i]]++;
    row->packets = row->fullest = 0;
    for (uint32_t i = 0; i < oracle->nodes; i++) {
        oracle->peak[i] = count[i] > oracle->peak[i] ? count[i] : oracle->peak[i];
        row->fullest = count[i] > row->fullest ? count[i] : row->fullest;
        row->packets += count[i];
    }
    row->busy = row->packet_hops + row->word_hops;
    for (; row->step < until; row->step++) {
        keep_row(oracle->rows, row);
        row->busy = row->packet_hops = row->word_hops = 0;
    }
}

static void oracle_take(struct oracle *oracle, struct view_row *row,
                        const struct trace_event *event)
{
    const uint64_t *field = event->field;
    uint64_t packet = event->kind == TRACE_MOVE   ? field[0]
                      : event->kind == TRACE_COPY ? field[2]
                                                  : field[1];
    bool gone =
        event->kind == TRACE_END || event->kind == TRACE_DISCARD || event->kind == TRACE_MERGE;
    if (event->kind == TRACE_WORD) {
        row->word_hops++;
        return;
    }
    ck_assert_uint_lt(packet, MOST_PACKETS);
    oracle->most_packet = packet > oracle->most_packet ? packet : oracle->most_packet;
    if (event->kind == TRACE_DELIVER || event->kind == TRACE_END)
        row->delivered++;
    if (event->kind == TRACE_MOVE) {
        row->packet_hops++;
        oracle->load[field[1]][field[2]]++;
    }
    if (event->kind != TRACE_DELIVER)
        oracle->place[packet] = (uint16_t)(gone                        ? NOWHERE
                                           : event->kind == TRACE_MOVE ? field[2]
                                                                       : field[0]);
}

static struct oracle *oracle_read(const char *path, uint64_t steps)
{
    struct trace_reader reader;
    struct trace_header header;
    struct failure failure = {0};
    struct trace_event event;
    struct oracle *oracle = calloc(1, sizeof *oracle);
    struct view_row row = {.step = 0};
    ck_assert_ptr_nonnull(oracle);
    oracle->rows = rows_make();
    oracle->place = malloc(MOST_PACKETS * sizeof *oracle->place);
    memset(oracle->place, 0xff, MOST_PACKETS * sizeof *oracle->place);
    struct byte_source *source;
    ck_assert_int_eq(byte_source_open(&source, path, &failure), FAIL_NONE);
    ck_assert_int_eq(trace_reader_open(&reader, source, path, &header, &failure), FAIL_NONE);
    oracle->nodes = header.rows * header.cols;
    for (enum trace_item item;
         (item = trace_reader_next(&reader, &event, &failure)) != TRACE_ITEM_FINISH;) {
        ck_assert_msg(item != TRACE_ITEM_FAILED, "%s", failure.text);
        if (item != TRACE_ITEM_EVENT)
            continue;
        if (event.step > row.step)
            oracle_end(oracle, &row, event.step);
        oracle_take(oracle, &row, &event);
    }
    oracle_end(oracle, &row, steps + 1);
    trace_reader_close(&reader);
    byte_source_close(source);
    return oracle;
}

static void oracle_free(struct oracle *oracle)
{
    free(oracle->rows);
    free(oracle->place);
    free(oracle);
}

/* ---- comparisons ---- */

/* Rows agree in all but the phase. */
static void check_rows(const struct rows *rows, const struct rows *others, const char *text)
{
    ck_assert_msg(rows->count == others->count, "%s: %zu rows", text, rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        const struct view_row *a = &rows->row[i], *b = &others->row[i];
        ck_assert_msg(a->step == b->step && a->packets == b->packets &&
                          a->delivered == b->delivered && a->fullest == b->fullest &&
                          a->busy == b->busy && a->packet_hops == b->packet_hops &&
                          a->word_hops == b->word_hops,
                      "%s: step %zu", text, i);
    }
}

static void check_nodes(const struct view *view, const struct oracle *oracle, const char *text)
{
    struct mesh mesh = view->mesh;
    const uint32_t across[DIRECTIONS] = {-mesh.cols, mesh.cols, (uint32_t)-1, 1};
    for (node_index node = 0; node < mesh_nodes(mesh); node++) {
        ck_assert_msg(view->peak[node] == oracle->peak[node], "%s: node %u", text, node);
        for (int way = 0; way < DIRECTIONS; way++) {
            bool is_there =
                view_has_link(mesh, node / mesh.cols, node % mesh.cols, (enum direction)way);
            ck_assert_msg(view->load[way][node] ==
                              (is_there ? oracle->load[node][node + across[way]] : 0),
                          "%s: node %u, direction %d", text, node, way);
        }
    }
}

/* The phases of rows are those of the result, whose steps follow each other. */
static void check_phases(const struct rows *rows, const struct router_result *result)
{
    size_t at = 0;
    ck_assert_str_eq(rows->row[at++].phase, "start");
    for (uint32_t i = 0; i < result->phases; i++)
        for (uint64_t step = 0; step < result->phase[i].steps; step++)
            ck_assert_str_eq(rows->row[at++].phase, result->phase[i].name);
    ck_assert_uint_eq(at, rows->count);
}

/* What the issue promises: largest value, sums and last row are the result's. */
static void check_result(const struct view *view, const struct rows *rows,
                         const struct router_result *result, const char *text)
{
    uint64_t peak = 0, load = 0, packet_hops = 0, word_hops = 0, fullest = 0;
    for (node_index node = 0; node < mesh_nodes(view->mesh); node++) {
        peak = view->peak[node] > peak ? view->peak[node] : peak;
        for (int way = 0; way < DIRECTIONS; way++)
            load += view->load[way][node];
    }
    for (size_t i = 0; i < rows->count; i++) {
        packet_hops += rows->row[i].packet_hops;
        word_hops += rows->row[i].word_hops;
        fullest = rows->row[i].fullest > fullest ? rows->row[i].fullest : fullest;
    }
    const struct view_row *last = &rows->row[rows->count - 1];
    ck_assert_msg(peak == result->buffer_peak && fullest == peak, "%s: peak", text);
    ck_assert_msg(load == result->packet_hops && packet_hops == load, "%s: packet hops", text);
    ck_assert_msg(word_hops == result->word_hops, "%s: word hops", text);
    ck_assert_msg(last->step == result->steps && last->delivered == result->delivered &&
                      last->packets == 0,
                  "%s: the last row", text);
    ck_assert_uint_eq(view->peak[result->buffer_peak_node], peak);
    ck_assert_uint_eq(rows->row[result->buffer_peak_step].fullest, peak);
}

/* Of steps first .. last one row must be as the rows a step: the view of every K-th step. */
static void check_sparse(const struct rows *sparse, const struct rows *rows, uint32_t every)
{
    size_t at = 0;
    for (size_t i = 0; i < sparse->count; i++) {
        struct view_row sum = {.step = 0};
        const struct view_row *row = &sparse->row[i];
        for (; at <= row->step; at++) {
            sum.packet_hops += rows->row[at].packet_hops;
            sum.word_hops += rows->row[at].word_hops;
            sum.busy = rows->row[at].busy > sum.busy ? rows->row[at].busy : sum.busy;
            sum.fullest = rows->row[at].fullest > sum.fullest ? rows->row[at].fullest : sum.fullest;
        }
        ck_assert(row->step % every == 0 || i + 1 == sparse->count);
        ck_assert(row->packet_hops == sum.packet_hops && row->word_hops == sum.word_hops);
        ck_assert(row->busy == sum.busy && row->fullest == sum.fullest);
        ck_assert(row->packets == rows->row[at - 1].packets);
        ck_assert(row->delivered == rows->row[at - 1].delivered);
        ck_assert_str_eq(row->phase, rows->row[at - 1].phase);
    }
    ck_assert_uint_eq(at, rows->count);
    ck_assert_uint_eq(sparse->count, (rows->count - 1 + every - 1) / every + 1);
}

/* ---- the tests ---- */

/* With three threads, without a trace and without links: the same, every seventh step too. */
static void check_again(struct router_case run, const struct message_set *set,
                        const struct view *view, const struct rows *rows)
{
    enum { EVERY = 7 };
    struct rows *sparse = rows_make();
    struct view_plan plan = {.every = EVERY, .take = keep_row, .take_context = sparse};
    struct view other;
    struct router_result result;
    run.threads = 3;
    run_and_view(run, set, &plan, NULL, &other, &result);
    check_sparse(sparse, rows, EVERY);
    ck_assert_ptr_null(other.load[0]);
    ck_assert_int_eq(memcmp(view->peak, other.peak, mesh_nodes(set->mesh) * sizeof *view->peak), 0);
    view_free(&other);
    free(sparse);
}

static void check_view(struct router_case run, const struct message_set *set)
{
    char text[ROUTER_CASE_TEXT];
    struct rows *rows = rows_make();
    struct view_plan plan = {true, 1, keep_row, rows, 0};
    struct trace_store store;
    struct router_result result;
    struct view view;
    router_case_text(&run, set, text);
    trace_store_open(&store);
    run_and_view(run, set, &plan, store.file, &view, &result);
    struct oracle *oracle = oracle_read(store.path, result.steps);
    check_rows(rows, oracle->rows, text);
    check_nodes(&view, oracle, text);
    check_result(&view, rows, &result, text);
    check_phases(rows, &result);
    check_again(run, set, &view, rows);
    oracle_free(oracle);
    trace_store_close(&store);
    view_free(&view);
    free(rows);
}

/* Every router with all known parameters, on small meshes with odd sides and on lines, whatever a
 * copy costs: the view is what its result says, and what the oracle reads from its trace. */
START_TEST(test_routers)
{
    static const struct mesh meshes[] = {{5, 7}, {9, 9}, {1, 13}, {13, 1}};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        struct router_case run = router_case_at((uint32_t)_i);
        struct pattern_options options = {
            .mesh = meshes[i], .degree = 4, .congestion = 4, .seed = 3 + i};
        struct message_set set;
        ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, NULL),
                         FAIL_NONE);
        run.copy_is_free = i % 2 == 1;
        check_view(run, &set);
        message_set_free(&set);
    }
}
END_TEST

/* One node, and no message at all: a row for step 0 and nothing else. */
START_TEST(test_nothing)
{
    static const char *const sets[] = {"mcast 1 1 1\n0 0\n", "mcast 1 3 3\n"};
    for (size_t i = 0; i < 2; i++) {
        struct router_case run = router_case_make("trees", NULL);
        struct message_set set;
        router_case_set(&set, sets[i]);
        check_view(run, &set);
        message_set_free(&set);
    }
}
END_TEST

/* A run that overflows: the last row is the step that overflowed, with the buffer that did. */
START_TEST(test_overflow)
{
    struct router_case run = router_case_make("trees", "slots=0");
    struct rows *rows = rows_make();
    struct view_plan plan = {false, 1, keep_row, rows, 0};
    struct router_result result;
    struct message_set set;
    struct view view;
    router_case_set(&set, "mcast 1 3 3\n0 4 8\n1 4\n2 4\n3 4\n5 4\n6 4\n7 4\n");
    ck_assert_int_eq(view_make(&view, set.mesh, &plan, NULL), FAIL_NONE);
    run.buffer = 1;
    run.observer = &view.observer;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, NULL), FAIL_CHECK);
    view_finish(&view, result.steps);
    ck_assert_uint_eq(rows->row[rows->count - 1].step, result.buffer_peak_step);
    ck_assert_uint_gt(rows->row[rows->count - 1].fullest, 1);
    ck_assert_uint_eq(view.peak[result.buffer_peak_node], result.buffer_peak);
    view_free(&view);
    message_set_free(&set);
    free(rows);
}
END_TEST

/* A phase whose name has a comma or a quote stands in quotes, so that rows have eight fields. */
START_TEST(test_names)
{
    static const char *const names[][2] = {{"2(b) rank", "2(b) rank"},
                                           {"walk, wait", "\"walk, wait\""},
                                           {"a \"b\"", "\"a \"\"b\"\"\""}};
    for (size_t i = 0; i < 3; i++) {
        char *text = NULL, expected[128];
        size_t size = 0;
        struct timeline timeline = {.out = open_memstream(&text, &size)};
        struct view_row row = {1, 2, 3, 4, 5, 6, 7, ""};
        snprintf(row.phase, sizeof row.phase, "%s", names[i][0]);
        snprintf(expected, sizeof expected, "1,2,3,4,5,6,7,%s\n", names[i][1]);
        timeline_take(&timeline, &row);
        fclose(timeline.out);
        ck_assert_str_eq(text, expected);
        free(text);
    }
}
END_TEST

/* A node has the links that lead to its neighbours. */
START_TEST(test_links_of_nodes)
{
    struct mesh mesh = {3, 4};
    for (int row = 0; row < 3; row++)
        for (int col = 0; col < 4; col++)
            for (int way = 0; way < DIRECTIONS; way++) {
                int to_row = row + (way == SOUTH) - (way == NORTH);
                int to_col = col + (way == EAST) - (way == WEST);
                bool is_node = to_row >= 0 && to_row < 3 && to_col >= 0 && to_col < 4;
                ck_assert(is_node ==
                          view_has_link(mesh, (uint32_t)row, (uint32_t)col, (enum direction)way));
            }
}
END_TEST

Suite *view_suite(void)
{
    Suite *suite = suite_create("view");
    TCase *tests = tcase_create("view");
    tcase_add_loop_test(tests, test_routers, 0, (int)router_case_count());
    tcase_add_test(tests, test_nothing);
    tcase_add_test(tests, test_overflow);
    tcase_add_test(tests, test_names);
    tcase_add_test(tests, test_links_of_nodes);
    suite_add_tcase(suite, tests);
    return suite;
}
