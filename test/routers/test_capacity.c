/* test_capacity.c - buffers of limited capacity: enough runs, too little is reported.
 *
 * Routers without back-pressure are held against their own peak: that capacity changes nothing, one
 * less is an overflow at the very node and step of the peak. Routers with back-pressure are run
 * with every capacity from 1 to 40: below their least they refuse and name it, from there on they
 * live within it.
 */
#include "test/length.h"
#include "test/routers/router_case.h"
#include "test/temporary.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_random(const struct router_case *run)
{
    return strcmp(run->router, "random") == 0;
}

/* True if this case holds traffic back when it is given a capacity: trees do only with slots, and
 * no variant=paper. */
static bool has_back_pressure(const struct router_case *run)
{
    const char *parameters = run->parameters != NULL ? run->parameters : "";
    bool is_paper = strcmp(parameters, "variant=paper") == 0;
    bool has_slots = strstr(parameters, "slots=") != NULL;
    return !is_random(run) && !is_paper && (strcmp(run->router, "trees") != 0 || has_slots);
}

/* Router expander has back-pressure where it runs Theorem 4; on few nodes it is another router. Its
 * promises are tested in test_expander_route.c. */
static bool is_tested_elsewhere(const struct router_case *run)
{
    return strcmp(run->router, "expander") == 0 || run->congestion_is_unknown;
}

/* ---- without back-pressure ---- */

/* With a capacity of the peak the run is the same in every figure, and its audit is clean. */
static void check_peak_fits(struct router_case run, const struct plain_set *set,
                            const struct case_result *unbounded)
{
    struct case_result result;
    char text[ROUTER_CASE_TEXT];
    run.buffer = unbounded->buffer_peak;
    router_case_check(&run, set, &result);
    ck_assert_uint_eq(result.buffer_capacity, run.buffer);
    result.buffer_capacity = unbounded->buffer_capacity;
    ck_assert_msg(router_case_same(&result, unbounded), "%s: other figures",
                  router_case_text(&run, set, text));
}

/* With one less it overflows at the peak's node and step, in its phase, and the trace shows it. */
static void check_less_overflows(struct router_case run, const struct plain_set *set,
                                 const struct case_result *unbounded)
{
    struct case_result result;
    struct meshcast_error failure = {0}, audit_failure = {0};
    char trace[TEMPORARY_PATH], text[ROUTER_CASE_TEXT], node[64], step[64], phase[128];
    run.buffer = unbounded->buffer_peak - 1;
    router_case_text(&run, set, text);
    snprintf(node, sizeof node, "node %" PRIu32 " ", unbounded->buffer_peak_node);
    snprintf(step, sizeof step, "step %" PRIu64 ",", unbounded->buffer_peak_step);
    snprintf(phase, sizeof phase, "phase \"%s\"", unbounded->buffer_peak_phase);

    fclose(temporary_file(trace));
    enum meshcast_status kind = router_case_run(&run, set, trace, &result, &failure);
    ck_assert_msg(kind == MESHCAST_CHECK, "%s: no overflow", text);
    ck_assert_msg(strstr(failure.text, node) && strstr(failure.text, step) &&
                      strstr(failure.text, phase),
                  "%s: expected %s%s %s in: %s", text, node, step, phase, failure.text);
    ck_assert_uint_eq(result.steps, unbounded->buffer_peak_step);
    ck_assert_uint_eq(result.buffer_peak, unbounded->buffer_peak);
    kind = router_case_audit(trace, set, NULL, NULL, &audit_failure);
    ck_assert_msg(kind == MESHCAST_CHECK && strstr(audit_failure.text, "rule buffer"),
                  "%s: the audit sees no overflow: %s", text, audit_failure.text);
    unlink(trace);
}

static void check_peak(struct router_case run, const struct plain_set *set)
{
    struct case_result result;
    router_case_check(&run, set, &result);
    bool sets_capacity = is_random(&run) || strcmp(run.router, "replicate") == 0;
    if (!sets_capacity)
        ck_assert_uint_eq(result.buffer_capacity, 0);
    if (result.buffer_peak == 0)
        return; /* nothing was ever held */
    if (strcmp(result.ran_as, "circulate") == 0)
        return; /* it holds traffic back */
    check_peak_fits(run, set, &result);
    if (result.buffer_peak > 1) /* a capacity of 0 means none */
        check_less_overflows(run, set, &result);
}

/* Routers without back-pressure, on every pattern: the peak is enough, one less is not. In short
 * tests costs of copies take turns. */
START_TEST(test_peak)
{
    static const struct grid meshes[] = {{3, 3}, {1, 9}, {8, 8}, {7, 12}, {17, 17}, {24, 24}};
    struct router_case run = router_case_at((uint32_t)_i);
    if (has_back_pressure(&run) || is_tested_elsewhere(&run))
        return;
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        for (uint32_t pattern = 0; pattern < case_pattern_count(); pattern++) {
            struct plain_set set;
            if (!router_case_pattern(&set, pattern, meshes[i], 0, 6, i))
                continue;
            for (uint32_t copy = 0; copy < 2; copy++) {
                run.copy_is_free = copy;
                if (!TEST_IS_SHORT || (pattern + i) % 2 == copy)
                    check_peak(run, &set);
            }
            plain_set_free(&set);
        }
}
END_TEST

/* ---- with back-pressure ---- */

enum { MOST_CAPACITY = 40 };

/* Returns the least capacity that the router names when it gets one packet per node; 1 if it
 * accepts that. */
static uint32_t named_least(struct router_case run, const struct plain_set *set)
{
    static const char words[] = "the least is ";
    struct case_result result;
    struct meshcast_error failure = {0};
    char text[ROUTER_CASE_TEXT];
    run.buffer = 1;
    enum meshcast_status kind = router_case_run(&run, set, NULL, &result, &failure);
    if (kind == MESHCAST_OK)
        return 1;
    const char *least = strstr(failure.text, words);
    ck_assert_msg(kind == MESHCAST_USAGE && least != NULL, "%s: %s",
                  router_case_text(&run, set, text), failure.text);
    return (uint32_t)strtoul(least + strlen(words), NULL, 10);
}

static void check_refusal(const struct router_case *run, const struct plain_set *set,
                          uint32_t least)
{
    struct case_result result;
    struct meshcast_error failure = {0};
    char expected[64], text[ROUTER_CASE_TEXT];
    snprintf(expected, sizeof expected, "the least is %" PRIu32, least);
    enum meshcast_status kind = router_case_run(run, set, NULL, &result, &failure);
    ck_assert_msg(kind == MESHCAST_USAGE, "%s: not refused", router_case_text(run, set, text));
    ck_assert_msg(strstr(failure.text, expected) != NULL, "%s: expected: %s", failure.text,
                  expected);
}

/* Refused below the least, within the capacity from there on; in short tests not with each of the
 * larger ones. */
static void check_capacities(struct router_case run, const struct plain_set *set)
{
    uint32_t least = named_least(run, set);
    ck_assert_uint_le(least, MOST_CAPACITY);
    for (run.buffer = 1; run.buffer <= MOST_CAPACITY;
         run.buffer += TEST_IS_SHORT && run.buffer >= least + 3 ? 4 : 1) {
        struct case_result result;
        if (run.buffer < least) {
            check_refusal(&run, set, least);
            continue;
        }
        router_case_check(&run, set, &result);
        ck_assert_uint_eq(result.buffer_capacity, run.buffer);
        ck_assert_uint_le(result.buffer_peak, run.buffer);
    }
}

/* Routers with back-pressure live within every capacity from their least to 40, on every pattern,
 * and refuse less; in short tests costs of copies alternate. */
START_TEST(test_back_pressure)
{
    static const struct grid meshes[] = {{3, 3}, {1, 9}, {6, 7}};
    struct router_case run = router_case_at((uint32_t)_i);
    if (!has_back_pressure(&run) || is_tested_elsewhere(&run))
        return;
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        for (uint32_t pattern = 0; pattern < case_pattern_count(); pattern++) {
            struct plain_set set;
            if (!router_case_pattern(&set, pattern, meshes[i], 0, 8, i))
                continue;
            for (uint32_t copy = 0; copy < 2; copy++) {
                run.copy_is_free = copy;
                if (!TEST_IS_SHORT || (pattern + i) % 2 == copy)
                    check_capacities(run, &set);
            }
            plain_set_free(&set);
        }
}
END_TEST

/* Where traffic without bounds piles up above the least capacity, bounded channels hold it: d = c =
 * 64 on 24 x 24, with the least capacity and a few more. */
START_TEST(test_pressure)
{
    static const char *const patterns[] = {"uniform", "worst", "rmat"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct router_case run = router_case_make("trees", "tree=xy");
        struct case_result result;
        struct plain_set set;
        ck_assert(plain_set_gen(&set, patterns[i], (struct grid){24, 24}, 64, 64, 1, NULL));
        run.copy_is_free = _i;
        router_case_check(&run, &set, &result);
        ck_assert_uint_gt(result.buffer_peak, 12);
        run.parameters = "slots=auto";
        for (uint32_t more = 0; more < 20; more += 3) {
            run.buffer = 0;
            run.buffer = named_least(run, &set) + more;
            router_case_check(&run, &set, &result);
            ck_assert_uint_le(result.buffer_peak, run.buffer);
        }
        plain_set_free(&set);
    }
}
END_TEST

/* A run uses the slots of its option, or is refused; its least capacity is enough. */
static const struct slots_row {
    const char *router, *parameters;
    bool copy_is_free, reduces;
    uint32_t least;
} SLOTS[] = {
    {"trees", "slots=4", false, false, 36}, {"trees", "slots=4", true, false, 33},
    {"trees", "slots=4", true, true, 32},   {"unicast", "slots=4", false, false, 34},
    {"stream", "slots=4", true, false, 39},
};

START_TEST(test_slots)
{
    const struct slots_row *row = &SLOTS[_i];
    struct plain_set set;
    plain_set_parse(&set, "mcast 1 6 7\n0 41 40 6\n20 0 41 3\n7 0\n");
    struct router_case run = router_case_make(row->router, row->parameters);
    run.copy_is_free = row->copy_is_free;
    run.reduces = row->reduces;
    struct case_result result;
    run.buffer = row->least - 1;
    check_refusal(&run, &set, row->least);
    run.buffer = row->least;
    router_case_check(&run, &set, &result);
    ck_assert_ptr_eq(strstr(result.parameters, "slots=4 "), result.parameters);
    plain_set_free(&set);
}
END_TEST

void capacity_suite(TCase *tests)
{
    int cases = (int)router_case_count();
    tcase_add_loop_test(tests, test_peak, 0, cases);
    tcase_add_loop_test(tests, test_back_pressure, 0, cases);
    tcase_add_loop_test(tests, test_pressure, 0, 2);
    tcase_add_loop_test(tests, test_slots, 0, (int)(sizeof SLOTS / sizeof *SLOTS));
}
