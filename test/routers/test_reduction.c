/* test_reduction.c - runs with --reduce: sums that are combined on their way.
 *
 * Oracle: only the trace is replayed here, with numbers of the test's own in the packets, and the
 * number that ends at each source must be the sum of the numbers of its message's contributions,
 * which is added up from the set. The audit, which router_case_check() asks, has code of its own
 * for the same.
 *
 * Faults that were seeded, one at a time, each caught: a sum is replaced by what comes; the audit
 * counts a merged packet as one contribution.
 */
#include "test/length.h"
#include "test/machine/light_cone.h"
#include "test/random.h"
#include "test/routers/reduction_case.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns the contribution of node `node` to the message of that name. */
static uint64_t number_of(uint32_t node, uint32_t message)
{
    uint64_t state = (uint64_t)node << 32 | message;
    return test_random(&state);
}

static void check_sums(const struct plain_set *set, const char *trace)
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
            expected += number_of(set->destination[j], plain_set_name(set, i));
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
            struct plain_set set;
            struct case_result result;
            reduction_draw(&set, REDUCTION_MESHES[trial % REDUCTION_MESH_COUNT], l, 1 + trial % 30,
                           trial);
            plain_set_leave_home(&set);
            router_case_check(&run, &set, &result);
            ck_assert_uint_eq(result.copies, 0);
            ck_assert_uint_eq(result.sync_steps, 0);
            if (result.buffer_capacity > 0)
                ck_assert_uint_le(result.buffer_peak, result.buffer_capacity);
            char *trace = router_case_trace(&run, &set, &result, NULL);
            check_sums(&set, trace);
            free(trace);
            plain_set_free(&set);
        }
}
END_TEST

/* The same bytes for every number of threads. */
START_TEST(threads)
{
    struct router_case run = case_at(_i);
    struct plain_set set;
    reduction_draw(&set, (struct grid){17, 9}, 3, 12, 3);
    router_case_check_threads(run, &set);
    plain_set_free(&set);
}
END_TEST

/* Other nodes contribute to one of the sums: nothing changes where news of that cannot have
 * come. */
START_TEST(locality)
{
    struct router_case run = case_at(_i);
    struct plain_set base, changed;
    struct case_result result;
    const struct grid mesh = {12, 11};
    reduction_draw(&base, mesh, 2, 5, 8);
    uint32_t message = 0;
    while (base.offset[message + 1] - base.offset[message] != 3)
        message++;
    uint64_t first = base.offset[message], size = 3 * sizeof(uint32_t);
    uint32_t others[6] = {[3] = 40, 41, 42};
    memcpy(others, base.destination + first, size);
    memcpy(base.destination + first, others + 3, size);
    plain_set_make(&changed, mesh, base.messages, base.source, base.offset, base.destination);
    ck_assert_uint_eq(changed.congestion, base.congestion);
    char *trace = router_case_trace(&run, &base, &result, NULL), text[LIGHT_CONE_TEXT];
    char *other = router_case_trace(&run, &changed, &result, NULL);
    size_t events;
    ck_assert_str_ne(trace, other);
    bool agrees = light_cone_agrees(trace, other, mesh, others, 6, &events, text);
    ck_assert_msg(agrees && events > 0, "%s", text);
    free(trace);
    free(other);
    plain_set_free(&base);
    plain_set_free(&changed);
}
END_TEST

/* ---- refusals and faults ---- */

static void check_failure(const struct router_case *run, const char *text,
                          enum meshcast_status expected, const char *message)
{
    struct plain_set set;
    struct case_result result;
    struct meshcast_error failure = {0};
    plain_set_parse(&set, text);
    ck_assert_int_eq(router_case_run(run, &set, NULL, &result, &failure), expected);
    ck_assert_msg(strstr(failure.text, message) != NULL, "%s", failure.text);
    plain_set_free(&set);
}

START_TEST(refusals)
{
    struct router_case run = reduction_case("stream");
    const char *set = "mcast 1 3 3\n4 0 1 2 3 5 6 7 8\n0 1 2 8\n";
    check_failure(&run, set, MESHCAST_USAGE, "router stream does not reduce; these do: ");
    run = reduction_case("trees");
    run.parameters = "tree=spread";
    check_failure(&run, set, MESHCAST_USAGE, "no other tree is known to the nodes that contribute");
    run.parameters = "slots=auto";
    run.congestion_is_unknown = true;
    check_failure(&run, set, MESHCAST_USAGE, "no node guesses");
    run.congestion_is_unknown = false;
    run.buffer = 7;
    check_failure(&run, set, MESHCAST_USAGE, "the least is 8");
    run.parameters = "slots=0";
    run.buffer = 1;
    check_failure(&run, "mcast 1 2 3\n0 1 2 3 4 5\n1 0 2 3 4 5\n2 0 1 3 4 5\n3 0 1 2 4 5\n",
                  MESHCAST_CHECK, "buffer overflow: node");
    run = reduction_case("replicate");
    run.parameters = "variant=paper";
    check_failure(&run, set, MESHCAST_USAGE, "variant=paper is for multicasts");
    run = reduction_case("circulate");
    run.buffer = 1;
    check_failure(&run, set, MESHCAST_USAGE, "the least is 3");
}
END_TEST

void reduction_suite(TCase *tests)
{
    tcase_add_loop_test(tests, sums, 0, RUN_COUNT);
    tcase_add_loop_test(tests, threads, 0, RUN_COUNT);
    tcase_add_loop_test(tests, locality, 0, RUN_COUNT);
    tcase_add_test(tests, refusals);
}
