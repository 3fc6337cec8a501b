/* test_view.c - the heatmap and timeline of a run through the public headers.
 *
 * The oracle reads the events of the run and works another way than the view: it knows where every
 * packet is, and counts at the end of each step how many are at each node.
 */
#include "test/library/own_router_case.h"
#include "test/library_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 100, MOST_STEPS = 20000, MOST_PACKETS = 1 << 20, NOWHERE = UINT16_MAX };

/* The columns of a timeline. */
enum { STEP, PACKETS, DELIVERED, FULLEST, BUSY, PACKET_HOPS, WORD_HOPS, COLUMNS };

static const char *const column_name[COLUMNS] = {
    "timeline.step",       "timeline.packets",     "timeline.delivered", "timeline.fullest",
    "timeline.busy_links", "timeline.packet_hops", "timeline.word_hops"};

/* ---- the oracle ---- */

struct oracle {
    uint32_t nodes;
    uint64_t most_packet, row[COLUMNS]; /* row: of the open step */
    uint16_t place[MOST_PACKETS];
    uint32_t carried[MOST_PACKETS]; /* contributions of a packet beside its own */
    uint32_t peak[MOST_NODES];
    uint64_t load[MOST_NODES][MOST_NODES];
    size_t rows;
    uint64_t kept[MOST_STEPS][COLUMNS];
};

/* The state at the end of the open step becomes its row, and those of the idle steps after it. */
static void end_steps(struct oracle *oracle, uint64_t until)
{
    uint32_t count[MOST_NODES] = {0};
    uint64_t *row = oracle->row;
    for (uint64_t i = 0; i <= oracle->most_packet; i++)
        if (oracle->place[i] != NOWHERE)
            count[oracle->place[i]]++;
    row[PACKETS] = row[FULLEST] = 0;
    for (uint32_t i = 0; i < oracle->nodes; i++) {
        oracle->peak[i] = count[i] > oracle->peak[i] ? count[i] : oracle->peak[i];
        row[FULLEST] = count[i] > row[FULLEST] ? count[i] : row[FULLEST];
        row[PACKETS] += count[i];
    }
    row[BUSY] = row[PACKET_HOPS] + row[WORD_HOPS];
    for (; row[STEP] < until; row[STEP]++) {
        ck_assert_uint_lt(oracle->rows, MOST_STEPS);
        memcpy(oracle->kept[oracle->rows++], row, sizeof oracle->row);
        row[BUSY] = row[PACKET_HOPS] = row[WORD_HOPS] = 0;
    }
}

static void take_event(struct oracle *oracle, const struct meshcast_event *event)
{
    const uint32_t *field = event->field;
    uint32_t packet = event->kind == 'M' ? field[0] : event->kind == 'C' ? field[2] : field[1];
    bool is_gone = strchr("ERG", event->kind) != NULL;
    if (event->kind == 'X') {
        oracle->row[WORD_HOPS]++;
        return;
    }
    ck_assert_uint_lt(packet, MOST_PACKETS);
    oracle->most_packet = packet > oracle->most_packet ? packet : oracle->most_packet;
    if (event->kind == 'D' || event->kind == 'E')
        oracle->row[DELIVERED] += 1 + oracle->carried[packet];
    if (event->kind == 'G')
        oracle->carried[field[2]] += 1 + oracle->carried[packet];
    if (event->kind == 'M') {
        oracle->row[PACKET_HOPS]++;
        oracle->load[field[1]][field[2]]++;
    }
    if (event->kind != 'D')
        oracle->place[packet] = (uint16_t)(is_gone              ? NOWHERE
                                           : event->kind == 'M' ? field[2]
                                                                : field[0]);
}

static void observe(void *context, uint64_t step, const struct meshcast_event *event, size_t count)
{
    struct oracle *oracle = context;
    if (step > oracle->row[STEP])
        end_steps(oracle, step);
    for (size_t i = 0; i < count; i++)
        take_event(oracle, &event[i]);
}

/* ---- comparisons ---- */

static struct meshcast_report *run_with(const struct meshcast_set *set, const char *options,
                                        struct oracle *oracle, struct meshcast_error *error)
{
    struct meshcast_command *command = case_command("route", set, options);
    struct meshcast_observer observer = {oracle, observe, NULL};
    case_set_options(command, "keep-node-peaks keep-link-loads keep-timeline", NULL);
    if (oracle != NULL) {
        oracle->nodes = meshcast_set_nodes(set);
        memset(oracle->place, 0xff, sizeof oracle->place);
        meshcast_command_set_observer(command, &observer);
    }
    return case_run(command, error);
}

static const uint64_t *column_of(const struct meshcast_report *report, int column, size_t *rows)
{
    const uint64_t *number = meshcast_report_array64(report, column_name[column], rows);
    ck_assert_ptr_nonnull(number);
    return number;
}

/* Checks that rows, peaks and loads are the oracle's, and that the largest, the sums and the last
 * row are the result's. */
static void check_arrays(const struct meshcast_report *report, const struct oracle *oracle,
                         uint32_t cols, const char *what)
{
    size_t rows, nodes, links;
    const uint32_t *peak = meshcast_report_array32(report, "node-peaks", &nodes);
    const uint64_t *load = meshcast_report_array64(report, "link-loads", &links);
    const uint32_t across[] = {-cols, cols, (uint32_t)-1, 1}; /* north, south, west, east */
    uint64_t most = 0, loads = 0;
    ck_assert_uint_eq(nodes, oracle->nodes);
    ck_assert_uint_eq(links, 4 * nodes);
    for (int column = 0; column < COLUMNS; column++) {
        const uint64_t *number = column_of(report, column, &rows);
        ck_assert_uint_eq(rows, oracle->rows);
        for (size_t i = 0; i < rows; i++)
            ck_assert_msg(number[i] == oracle->kept[i][column], "%s: %s, step %zu", what,
                          column_name[column], i);
    }
    for (uint32_t node = 0; node < nodes; node++) {
        ck_assert_msg(peak[node] == oracle->peak[node], "%s: node %u", what, node);
        most = peak[node] > most ? peak[node] : most;
        for (int way = 0; way < 4; way++) {
            uint32_t to = node + across[way];
            uint64_t expected = to < nodes ? oracle->load[node][to] : 0;
            if (way >= 2 && to < nodes && to / cols != node / cols)
                expected = 0;
            ck_assert_msg(load[way * nodes + node] == expected, "%s: node %u, way %d", what, node,
                          way);
            loads += load[way * nodes + node];
        }
    }
    ck_assert_uint_eq(most, case_figure(report, "buffer_peak"));
    ck_assert_uint_eq(loads, case_figure(report, "packet_hops"));
    ck_assert_uint_eq(column_of(report, STEP, &rows)[rows - 1], case_figure(report, "steps"));
    ck_assert_uint_eq(column_of(report, DELIVERED, &rows)[rows - 1],
                      case_figure(report, "delivered"));
}

/* Checks that each row of a timeline of every K-th step is made of the rows of all steps. */
static void check_sparse(const struct meshcast_report *report, const struct oracle *oracle,
                         uint32_t every)
{
    size_t rows, at = 0;
    const uint64_t *number[COLUMNS];
    for (int column = 0; column < COLUMNS; column++)
        number[column] = column_of(report, column, &rows);
    for (size_t i = 0; i < rows; i++) {
        uint64_t sum[COLUMNS] = {0};
        ck_assert(number[STEP][i] % every == 0 || i + 1 == rows);
        for (; at <= number[STEP][i]; at++) {
            const uint64_t *row = oracle->kept[at];
            sum[PACKET_HOPS] += row[PACKET_HOPS];
            sum[WORD_HOPS] += row[WORD_HOPS];
            sum[BUSY] = row[BUSY] > sum[BUSY] ? row[BUSY] : sum[BUSY];
            sum[FULLEST] = row[FULLEST] > sum[FULLEST] ? row[FULLEST] : sum[FULLEST];
        }
        for (int column = FULLEST; column < COLUMNS; column++)
            ck_assert_uint_eq(number[column][i], sum[column]);
        ck_assert_uint_eq(number[PACKETS][i], oracle->kept[at - 1][PACKETS]);
        ck_assert_uint_eq(number[DELIVERED][i], oracle->kept[at - 1][DELIVERED]);
    }
    ck_assert_uint_eq(at, oracle->rows);
}

/* Checks the files of a run: the heatmaps' and the timeline's numbers are the arrays, and the
 * phases of rows are those of the result, whose steps follow each other. */
static void check_files(const struct meshcast_report *report, uint32_t cols)
{
    char line[256];
    size_t nodes, links, rows, seen = 0;
    const uint32_t *peak = meshcast_report_array32(report, "node-peaks", &nodes);
    FILE *file = fopen(case_file("h.csv"), "r");
    ck_assert(file != NULL && fgets(line, sizeof line, file) != NULL);
    ck_assert_str_eq(line, "row,col,peak\n");
    for (uint32_t row, col, value; fscanf(file, "%u,%u,%u\n", &row, &col, &value) == 3; seen++)
        ck_assert_uint_eq(value, peak[row * cols + col]);
    ck_assert_uint_eq(seen, nodes);
    fclose(file);

    (void)meshcast_report_array64(report, "link-loads", &links);
    file = fopen(case_file("t.csv"), "r");
    ck_assert(file != NULL && fgets(line, sizeof line, file) != NULL);
    ck_assert_str_eq(line,
                     "step,packets,delivered,fullest,busy_links,packet_hops,word_hops,phase\n");
    const uint64_t *step = column_of(report, STEP, &rows);
    uint64_t left = 1;
    char phase[64] = "start", path[48];
    for (size_t i = 0, index = 0; i < rows; i++, left--) {
        while (left == 0) {
            snprintf(path, sizeof path, "phases.%zu.name", index);
            snprintf(phase, sizeof phase, "%s", meshcast_report_word(report, path));
            snprintf(path, sizeof path, "phases.%zu.steps", index++);
            left = case_figure(report, path);
        }
        ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        ck_assert_uint_eq(strtoull(line, NULL, 10), step[i]);
        line[strcspn(line, "\n")] = '\0';
        ck_assert_str_eq(strrchr(line, ',') + 1, phase);
    }
    ck_assert_ptr_null(fgets(line, sizeof line, file));
    fclose(file);
}

/* ---- the tests ---- */

static const char *const routers[] = {
    "router=replicate",    "router=replicate param=variant=paper",
    "router=random",       "router=random unknown-congestion",
    "router=stream",       "router=circulate",
    "router=unicast",      "router=expander",
    "router=trees",        "router=trees param=slots=1",
    "router=trees reduce", "router=circulate reduce",
};

static void check_set(const struct meshcast_set *set, uint32_t cols, const char *router,
                      bool is_free)
{
    enum { EVERY = 7 };
    char options[400];
    struct oracle *oracle = calloc(1, sizeof *oracle);
    snprintf(options, sizeof options, "%s copy=%s heatmap=%s", router, is_free ? "free" : "unit",
             case_file("h.csv"));
    snprintf(options + strlen(options), sizeof options - strlen(options), " timeline=%s",
             case_file("t.csv"));
    struct meshcast_report *report = run_with(set, options, oracle, NULL);
    end_steps(oracle, case_figure(report, "steps") + 1);
    check_arrays(report, oracle, cols, options);
    check_files(report, cols);
    meshcast_report_free(report);
    snprintf(options, sizeof options, "%s copy=%s timeline-every=%d threads=3", router,
             is_free ? "free" : "unit", EVERY);
    report = run_with(set, options, NULL, NULL);
    check_sparse(report, oracle, EVERY);
    meshcast_report_free(report);
    free(oracle);
}

/* Routers on small meshes with odd sides and on lines, whatever a copy costs. */
START_TEST(test_routers)
{
    static const uint32_t meshes[][2] = {{5, 7}, {9, 9}, {1, 13}, {13, 1}};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        char options[96];
        snprintf(options, sizeof options,
                 "pattern=uniform rows=%u cols=%u degree=4 congestion=4 seed=%zu", meshes[i][0],
                 meshes[i][1], 3 + i);
        struct meshcast_set *set = case_gen(options);
        check_set(set, meshes[i][1], routers[_i], i % 2 == 1);
        meshcast_set_free(set);
    }
}
END_TEST

/* One node, and no message at all: a row for step 0 and nothing else. */
START_TEST(test_nothing)
{
    static const char *const texts[] = {"mcast 1 1 1\n0 0\n", "mcast 1 3 3\n"};
    for (uint32_t i = 0; i < 2; i++) {
        struct meshcast_set *set = meshcast_set_parse(texts[i], strlen(texts[i]), "none", NULL);
        check_set(set, 1 + 2 * i, "router=trees", false);
        meshcast_set_free(set);
    }
}
END_TEST

/* A run that overflows: the last row is the step that overflowed, with the buffer that did. */
START_TEST(test_overflow)
{
    static const char text[] = "mcast 1 3 3\n0 4 8\n1 4\n2 4\n3 4\n5 4\n6 4\n7 4\n";
    size_t rows, nodes;
    struct meshcast_error error = {0};
    struct meshcast_set *set = meshcast_set_parse(text, sizeof text - 1, "full", NULL);
    struct meshcast_report *report =
        run_with(set, "router=trees param=slots=0 buffer=1", NULL, &error);
    ck_assert_int_eq(error.status, MESHCAST_CHECK);
    const uint64_t *step = column_of(report, STEP, &rows);
    ck_assert_uint_eq(step[rows - 1], case_figure(report, "buffer_peak_step"));
    ck_assert_uint_gt(column_of(report, FULLEST, &rows)[rows - 1], 1);
    ck_assert_uint_eq(meshcast_report_array32(report, "node-peaks",
                                              &nodes)[case_figure(report, "buffer_peak_node")],
                      case_figure(report, "buffer_peak"));
    meshcast_report_free(report);
    meshcast_set_free(set);
}
END_TEST

static enum meshcast_status route_named(void *context, struct meshcast_routing *routing)
{
    meshcast_start(routing, 0);
    return meshcast_forward_last(routing, &right_rule, context, UINT64_MAX);
}

/* A phase whose name has a comma or a quote is in quotes, so that rows have eight fields. */
START_TEST(test_names)
{
    static char names[][16] = {"2(b) rank", "walk, wait", "a \"b\""};
    static const char *const shown[] = {",2(b) rank\n", ",\"walk, wait\"\n", ",\"a \"\"b\"\"\"\n"};
    struct meshcast_set *set = case_gen("pattern=uniform side=6 degree=3 seed=4");
    for (size_t i = 0; i < 3; i++) {
        char options[300];
        struct meshcast_router_plan plan = {
            .name = "own", .route = route_named, .context = names[i]};
        struct meshcast_router *router = meshcast_router_new(&plan, NULL);
        snprintf(options, sizeof options, "timeline=%s", case_file("t.csv"));
        meshcast_report_free(own_router_run(router, set, options, NULL));
        ck_assert_ptr_nonnull(strstr(program_run("cat $T/t.csv")->out, shown[i]));
        meshcast_router_free(router);
    }
    meshcast_set_free(set);
}
END_TEST

/* A heatmap of links has the loads of all directed links. */
START_TEST(test_links)
{
    size_t links, seen = 0, nodes = 12;
    char options[300], line[64];
    struct meshcast_set *set = case_gen("pattern=uniform rows=3 cols=4 degree=3 seed=4");
    snprintf(options, sizeof options, "router=trees heatmap-of=links heatmap=%s",
             case_file("l.csv"));
    struct meshcast_report *report = run_with(set, options, NULL, NULL);
    const uint64_t *load = meshcast_report_array64(report, "link-loads", &links);
    FILE *file = fopen(case_file("l.csv"), "r");
    ck_assert(file != NULL && fgets(line, sizeof line, file) != NULL);
    ck_assert_str_eq(line, "row,col,to_row,to_col,packets\n");
    for (uint32_t row, col, to_row, to_col, packets;
         fscanf(file, "%u,%u,%u,%u,%u\n", &row, &col, &to_row, &to_col, &packets) == 5; seen++) {
        size_t way = to_row + 1 == row ? 0 : to_row == row + 1 ? 1 : to_col + 1 == col ? 2 : 3;
        ck_assert(to_row < 3 && to_col < 4);
        ck_assert_uint_eq((to_row > row ? to_row - row : row - to_row) +
                              (to_col > col ? to_col - col : col - to_col),
                          1);
        ck_assert_uint_eq(packets, load[way * nodes + row * 4 + col]);
    }
    ck_assert_uint_eq(seen, 2 * (3 * 3 + 2 * 4));
    fclose(file);
    meshcast_report_free(report);
    meshcast_set_free(set);
}
END_TEST

void view_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, test_routers, 0, (int)(sizeof routers / sizeof *routers));
    tcase_add_test(tests, test_nothing);
    tcase_add_test(tests, test_overflow);
    tcase_add_test(tests, test_names);
    tcase_add_test(tests, test_links);
}
