/* test_reduction.c - runs with --reduce: sums that are combined on their way.
 *
 * Oracle: the trace alone is replayed here, with numbers of the test's own in the packets, and what ends at each source
 * must be the sum of the numbers of its message's contributions, which is added up from the set. The audit, which
 * router_case_check() asks, has code of its own for the same.
 *
 * Faults that were seeded, one at a time, each caught: a sum is replaced by what comes; the audit counts a merged
 * packet as one contribution.
 */
#include "base/pcg.h"
#include "routers/reduction.h"
#include "test/length.h"
#include "test/machine/light_cone.h"
#include "test/routers/reduction_case.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

Suite *reduction_suite(void);

static const struct {
    const char *router, *parameters;
    uint32_t buffer;
} RUNS[] = {{"trees", NULL, 0},
            {"trees", "slots=1", 0},
            {"trees", "slots=auto", 30},
            {"circulate", NULL, 0},
            {"replicate", NULL, 0}};
enum { RUN_COUNT = sizeof RUNS / sizeof *RUNS };

static struct router_case case_at(int index)
{
    struct router_case run = reduction_case(RUNS[index].router);
    run.parameters = RUNS[index].parameters;
    run.buffer = RUNS[index].buffer;
    return run;
}

/* ---- the oracle ---- */

/* What node `node` contributes to the message of that name. */
static uint64_t number_of(uint32_t node, uint32_t message)
{
    return (uint64_t)pcg32_at(3, node, message) << 32 | pcg32_at(4, node, message);
}

static void check_sums(const struct message_set *set, const char *trace)
{
    uint64_t *carried = calloc(set->deliveries + 1, sizeof *carried);
    uint64_t *sum = calloc(set->messages + 1, sizeof *sum);
    ck_assert(carried != NULL && sum != NULL);
    for (const char *line = trace; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1) {
        uint64_t step;
        uint32_t a, b, c;
        char kind;
        if (sscanf(line, "%" SCNu64 " %c %" SCNu32 " %" SCNu32 " %" SCNu32, &step, &kind, &a, &b,
                   &c) != 5)
            continue;
        if (kind == 'I') {
            ck_assert_uint_lt(b, set->deliveries);
            carried[b] = number_of(a, c);
        } else if (kind == 'G') {
            carried[c] += carried[b];
        } else if (kind == 'E') {
            ck_assert_uint_eq(a, set->source[reduction_message(set, c)]);
            sum[reduction_message(set, c)] += carried[b];
        }
    }
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t expected = 0;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            expected +=
                number_of(set->destination[j], message_set_name(set, message_set_version(set), i));
        ck_assert_uint_eq(sum[i], expected);
    }
    free(carried);
    free(sum);
}

/* ---- runs ---- */

/* Each router on every mesh, with one message per node at most and with several. */
START_TEST(sums)
{
    struct router_case run = case_at(_i);
    uint32_t trials = TEST_IS_SHORT ? 1 : 6;
    for (uint32_t trial = 0; trial < trials * REDUCTION_MESH_COUNT; trial++)
        for (uint32_t l = 1; l <= 4; l += 3) {
            struct message_set set;
            struct router_result result;
            reduction_draw(&set, REDUCTION_MESHES[trial % REDUCTION_MESH_COUNT], l, 1 + trial % 30,
                           trial);
            ck_assert_int_eq(message_set_leave_home(&set, NULL), FAIL_NONE);
            router_case_check(&run, &set, &result);
            ck_assert_uint_eq(result.copies, 0);
            ck_assert_uint_eq(result.sync_steps, 0);
            if (result.buffer_capacity > 0)
                ck_assert_uint_le(result.buffer_peak, result.buffer_capacity);
            char *trace = router_case_trace(&run, &set, &result, NULL);
            check_sums(&set, trace);
            free(trace);
            message_set_free(&set);
        }
}
END_TEST

/* The same bytes for every number of threads. */
START_TEST(threads)
{
    struct router_case run = case_at(_i);
    struct message_set set;
    reduction_draw(&set, (struct mesh){17, 9}, 3, 12, 3);
    router_case_check_threads(run, &set);
    message_set_free(&set);
}
END_TEST

/* Other nodes contribute to one of the sums: nothing changes where news of that cannot have come. */
START_TEST(locality)
{
    struct router_case run = case_at(_i);
    struct message_set base, changed;
    struct router_result result;
    const struct mesh mesh = {12, 11};
    reduction_draw(&base, mesh, 2, 5, 8);
    reduction_draw(&changed, mesh, 2, 5, 8);
    uint32_t message = 0, congestion = message_set_congestion(&base);
    while (base.offset[message + 1] - base.offset[message] != 3)
        message++;
    node_index others[6];
    for (uint32_t i = 0; i < 3; i++) {
        others[i] = base.destination[base.offset[message] + i];
        others[3 + i] = changed.destination[changed.offset[message] + i] = 40 + i;
    }
    ck_assert_uint_eq(message_set_congestion(&changed), congestion);
    char *trace = router_case_trace(&run, &base, &result, NULL), text[LIGHT_CONE_TEXT];
    char *other = router_case_trace(&run, &changed, &result, NULL);
    size_t events;
    ck_assert_str_ne(trace, other);
    bool agrees = light_cone_agrees(trace, other, mesh, others, 6, &events, text);
    ck_assert_msg(agrees && events > 0, "%s", text);
    free(trace);
    free(other);
    message_set_free(&base);
    message_set_free(&changed);
}
END_TEST

/* ---- what is refused, and what is found ---- */

static void check_failure(const struct router_case *run, const char *text,
                          enum failure_kind expected, const char *message)
{
    struct message_set set;
    struct router_result result;
    struct failure failure = {0};
    router_case_set(&set, text);
    ck_assert_int_eq(router_case_run(run, &set, NULL, &result, &failure), expected);
    ck_assert_msg(strstr(failure.text, message) != NULL, "%s", failure.text);
    message_set_free(&set);
}

START_TEST(refusals)
{
    struct router_case run = reduction_case("stream");
    const char *set = "mcast 1 3 3\n4 0 1 2 3 5 6 7 8\n0 1 2 8\n";
    check_failure(&run, set, FAIL_USAGE, "router stream does not reduce; these do: ");
    run = reduction_case("trees");
    run.parameters = "tree=spread";
    check_failure(&run, set, FAIL_USAGE, "no other tree is known to the nodes that contribute");
    run.parameters = "slots=auto";
    run.congestion_is_unknown = true;
    check_failure(&run, set, FAIL_USAGE, "no node guesses");
    run.congestion_is_unknown = false;
    run.buffer = 7;
    check_failure(&run, set, FAIL_USAGE, "the least is 8");
    run.parameters = "slots=0";
    run.buffer = 1;
    check_failure(&run, "mcast 1 2 3\n0 1 2 3 4 5\n1 0 2 3 4 5\n2 0 1 3 4 5\n3 0 1 2 4 5\n",
                  FAIL_CHECK, "buffer overflow: node");
    run = reduction_case("replicate");
    run.parameters = "variant=paper";
    check_failure(&run, set, FAIL_USAGE, "variant=paper is for multicasts");
    run = reduction_case("circulate");
    run.buffer = 1;
    check_failure(&run, set, FAIL_USAGE, "the least is 3");
}
END_TEST

/* What is combined is not the sum, or nobody knows with what. */
static void lose(void *context, uint32_t packet, uint32_t into)
{
    struct reduction *reduction = context;
    reduction_combine(context, packet, into);
    reduction->value[into]--;
}

static void forget(void *context, uint32_t packet, uint32_t into)
{
    (void)context, (void)packet, (void)into;
}

static enum output along_the_row(void *context, struct site site, uint32_t packet)
{
    const struct reduction *reduction = context;
    uint32_t col = place_col(reduction->header->destination[packet]);
    return site.col == col ? OUT_EJECT : site.col > col ? OUT_WEST : OUT_EAST;
}

static enum failure_kind reduce_by(struct routing *routing,
                                   void (*combine)(void *context, uint32_t packet, uint32_t into),
                                   struct failure *failure)
{
    struct reduction reduction;
    struct gather_rule rule = {.context = &reduction,
                               .output = along_the_row,
                               .combine = combine,
                               .deliver = reduction_deliver};
    enum failure_kind kind = reduction_begin(&reduction, routing, 0, NULL, failure);
    if (kind == FAIL_NONE)
        kind = reduction_gather(&reduction, &rule, "row", failure);
    reduction_free(&reduction);
    return kind;
}

static enum failure_kind reduce_well(struct routing *routing, struct failure *failure)
{
    return reduce_by(routing, reduction_combine, failure);
}

static enum failure_kind reduce_lossily(struct routing *routing, struct failure *failure)
{
    return reduce_by(routing, lose, failure);
}

static enum failure_kind reduce_forgetfully(struct routing *routing, struct failure *failure)
{
    return reduce_by(routing, forget, failure);
}

/* The check of a run finds sums that are wrong and contributions that have not come. */
START_TEST(check_finds)
{
    static const struct parameter_spec NO_SPECS[] = {{.name = NULL}};
    static const struct {
        enum failure_kind (*reduce)(struct routing *routing, struct failure *failure);
        enum failure_kind kind;
        const char *text;
    } ROWS[] = {
        {reduce_well, FAIL_NONE, ""},
        {reduce_lossily, FAIL_CHECK, "0 contributions are missing and 1 sums are wrong; the first"},
        {reduce_forgetfully, FAIL_CHECK, "3 contributions are missing and"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct router_method method = {
            {"row", "along a row", ""}, NO_SPECS, NULL, NULL, true, ROWS[i].reduce, NULL};
        struct router_case run = {.router = &method.shown, .reduces = true, .copy_is_free = true};
        check_failure(&run, "mcast 1 1 6\n0 2 3 4 5\n1 2 3 4 5\n3 1\n", ROWS[i].kind, ROWS[i].text);
    }
}
END_TEST

Suite *reduction_suite(void)
{
    Suite *suite = suite_create("reduction");
    TCase *tests = tcase_create("reduction");
    tcase_add_loop_test(tests, sums, 0, RUN_COUNT);
    tcase_add_loop_test(tests, threads, 0, RUN_COUNT);
    tcase_add_loop_test(tests, locality, 0, RUN_COUNT);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, check_finds);
    suite_add_tcase(suite, tests);
    return suite;
}
