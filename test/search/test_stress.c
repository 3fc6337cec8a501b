/* test_stress.c - the search for the least buffer, against a search that runs every capacity.
 *
 * The oracle is linear: every capacity from 1 to the largest that the search tried, each run by
 * router_run() alone. The search has to name the least that delivers (an exhaustive one in any case,
 * bisection wherever more buffer never does harm), and to tell of each capacity what its run tells.
 */
#include "library/router_probe.h"
#include "test/length.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

Suite *stress_suite(void);

/* ---- made-up probes ---- */

enum { MOST_B = 40 };

/* What becomes of each capacity; larger ones are as MOST_B. */
struct script {
    uint32_t peak; /* of the run without a capacity */
    enum stress_outcome outcome[MOST_B + 1];
    uint32_t times[MOST_B + 1]; /* that each was run */
    uint32_t fails_at;          /* the probe fails there; 0: never */
    uint32_t too_large;         /* there is no memory from there on; 0: always enough */
    bool only_peaks_differ;     /* runs have the same steps, and peaks of up to MOST_B */
};

static enum failure_kind fail_by_limit(struct failure *failure)
{
    failure->is_memory_limit = true;
    return fail(failure, FAIL_SYSTEM, "made up");
}

static enum failure_kind play(void *context, struct stress_run *run, struct failure *failure)
{
    struct script *script = context;
    uint32_t capacity = run->capacity < MOST_B ? run->capacity : MOST_B;
    if (script->fails_at > 0 && capacity == script->fails_at)
        return fail(failure, FAIL_CHECK, "made up");
    if (script->too_large > 0 && run->capacity >= script->too_large)
        return fail_by_limit(failure);
    script->times[capacity] += run->capacity <= MOST_B;
    run->outcome = script->outcome[capacity];
    run->peak = run->capacity == 0 ? script->peak : script->only_peaks_differ ? capacity : 1;
    run->steps = script->only_peaks_differ ? 100 : 100 + 1000 / (capacity + 1);
    return FAIL_NONE;
}

static struct script threshold(uint32_t peak, uint32_t least, enum stress_outcome below)
{
    struct script script = {.peak = peak};
    for (uint32_t i = 1; i < least; i++)
        script.outcome[i] = below;
    return script;
}

/* Ascending, no capacity run twice, the answer delivers, its predecessor was run and does not. */
static void check_shape(const struct stress *stress, const struct script *script)
{
    for (uint32_t i = 0; i < stress->runs; i++) {
        const struct stress_run *run = &stress->run[i];
        ck_assert(i == 0 || run->capacity > run[-1].capacity);
        if (run->capacity == stress->least) {
            ck_assert_int_eq(run->outcome, STRESS_DELIVERS);
            ck_assert(i > 0 ? run[-1].capacity == run->capacity - 1 : run->capacity == 1);
        }
        ck_assert(run->capacity >= stress->least || run->outcome != STRESS_DELIVERS);
    }
    for (uint32_t i = 0; i <= MOST_B; i++)
        ck_assert_uint_le(script->times[i], 1);
}

/* Wherever the threshold is, and whatever was held without a capacity, it is found; what is below
 * may overflow or be refused. */
START_TEST(test_threshold)
{
    for (uint32_t peak = 0; peak <= 2 * MOST_B; peak++)
        for (uint32_t least = 1; least <= MOST_B; least++)
            for (int refused = 0; refused < 2; refused++) {
                struct stress stress;
                struct failure failure = {0};
                struct script script =
                    threshold(peak, least, refused ? STRESS_REFUSED : STRESS_OVERFLOWS);
                struct stress_plan plan = {.probe = play, .context = &script};
                ck_assert_int_eq(stress_search(&stress, &plan, &failure), FAIL_NONE);
                ck_assert_msg(stress.least == least, "peak %u: %u, not %u", peak, stress.least,
                              least);
                ck_assert_uint_eq(stress_setbacks(&stress), 0);
                check_shape(&stress, &script);
                stress_free(&stress);
            }
}
END_TEST

/* Where some capacities above the least fail, bisection finds one whose predecessor fails and tells
 * of the setbacks that it saw; an exhaustive search finds the least. */
START_TEST(test_setbacks)
{
    for (uint32_t least = 2; least < MOST_B - 8; least++)
        for (uint32_t hole = least + 1; hole < MOST_B - 4; hole++) {
            struct stress stress;
            struct failure failure = {0};
            struct script script = threshold(hole + 3, least, STRESS_OVERFLOWS);
            script.outcome[hole] = script.outcome[hole + 1] = STRESS_OVERFLOWS;
            struct stress_plan plan = {.probe = play, .context = &script};
            ck_assert_int_eq(stress_search(&stress, &plan, &failure), FAIL_NONE);
            ck_assert(stress.least == least || stress.least == hole + 2);
            if (stress.least == least)
                ck_assert_uint_eq(stress_setbacks(&stress),
                                  script.times[hole] + script.times[hole + 1]);
            check_shape(&stress, &script);
            stress_free(&stress);
            memset(script.times, 0, sizeof script.times);
            plan.is_exhaustive = true;
            ck_assert_int_eq(stress_search(&stress, &plan, &failure), FAIL_NONE);
            ck_assert_uint_eq(stress.least, least);
            ck_assert(stress.is_exhaustive);
            ck_assert_uint_eq(stress_setbacks(&stress),
                              script.times[hole] + script.times[hole + 1]);
            check_shape(&stress, &script);
            stress_free(&stress);
        }
}
END_TEST

/* With points every capacity that they name is run, from 1 to the largest; without any capacity that
 * delivers, and where a run fails, the search does. */
START_TEST(test_points_and_failures)
{
    struct stress stress;
    struct failure failure = {0};
    struct script script = threshold(8, 5, STRESS_OVERFLOWS);
    struct stress_plan plan = {.probe = play, .context = &script, .points = 200};
    ck_assert_int_eq(stress_search(&stress, &plan, &failure), FAIL_NONE);
    for (uint32_t i = 0; i < MOST_B / 4; i++)
        ck_assert_uint_eq(stress.run[i].capacity, i + 1);
    ck_assert(stress.is_exhaustive);
    ck_assert_uint_eq(stress_fastest(&stress)->steps, 100 + 1000 / (MOST_B + 1));
    ck_assert_uint_eq(stress_fastest(&stress)->capacity, MOST_B);
    stress_free(&stress);

    /* steps fall with the capacity to MOST_B, so doubles end at 80; three points: 1, its root, 80 */
    script = threshold(5, 5, STRESS_OVERFLOWS);
    plan.points = 3;
    ck_assert_int_eq(stress_search(&stress, &plan, &failure), FAIL_NONE);
    ck_assert_uint_eq(stress.run[stress.runs - 1].capacity, 2 * MOST_B);
    ck_assert_uint_eq(script.times[9], 1);
    stress_free(&stress);

    script = threshold(8, MOST_B + 1, STRESS_REFUSED);
    plan.points = 0;
    ck_assert_int_eq(stress_search(&stress, &plan, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, "no buffer capacity"));

    script = threshold(8, 5, STRESS_OVERFLOWS);
    script.fails_at = 7;
    failure = (struct failure){0};
    ck_assert_int_eq(stress_search(&stress, &plan, &failure), FAIL_CHECK);
    ck_assert_str_eq(failure.text, "made up");
    ck_assert_uint_eq(stress.runs, 0);
}
END_TEST

/* ---- routers ---- */

static struct router_probe subject(const struct router_case *run, const struct message_set *set,
                                   char list[128])
{
    struct router_probe own = {
        .router = run->router, .set = set, .options = router_options_default()};
    own.options.threads = 1;
    own.options.copy_is_free = run->copy_is_free;
    own.options.congestion_is_unknown = run->congestion_is_unknown;
    snprintf(list, 128, "%s", run->parameters == NULL ? "" : run->parameters);
    char *rest;
    for (char *name = strtok_r(list, " =", &rest); name != NULL; name = strtok_r(NULL, " =", &rest))
        own.options.parameter[own.options.parameters++] =
            (struct router_parameter){name, strtok_r(NULL, " =", &rest)};
    return own;
}

/* What a run by itself tells, against what the search has of it. Returns whether it delivers. */
static bool check_run(struct router_case run, const struct message_set *set,
                      const struct stress_run *told)
{
    struct router_result result;
    struct failure failure = {0};
    char text[ROUTER_CASE_TEXT];
    enum failure_kind kind = router_case_run(&run, set, NULL, &result, &failure);
    router_case_text(&run, set, text);
    ck_assert_msg(kind == FAIL_NONE || kind == FAIL_USAGE ||
                      strstr(failure.text, "buffer overflow") != NULL,
                  "%s: %s", text, failure.text);
    if (told == NULL)
        return kind == FAIL_NONE;
    enum stress_outcome outcome = kind == FAIL_NONE    ? STRESS_DELIVERS
                                  : kind == FAIL_USAGE ? STRESS_REFUSED
                                                       : STRESS_OVERFLOWS;
    ck_assert_msg(told->outcome == outcome, "%s: outcome %d, %s", text, told->outcome,
                  failure.text);
    if (outcome == STRESS_REFUSED) {
        ck_assert_ptr_nonnull(strstr(failure.text, told->reason));
        return false;
    }
    ck_assert_uint_eq(told->steps, result.steps);
    ck_assert_uint_eq(told->peak, result.buffer_peak);
    ck_assert_uint_eq(told->peak_node, result.buffer_peak_node);
    ck_assert_uint_eq(told->peak_step, result.buffer_peak_step);
    ck_assert_str_eq(told->peak_phase, result.buffer_peak_phase);
    ck_assert_uint_eq(told->missing, result.missing);
    if (outcome == STRESS_OVERFLOWS) { /* that is where it stopped */
        char node[32];
        snprintf(node, sizeof node, "node %" PRIu32 " ", told->peak_node);
        ck_assert_msg(strstr(failure.text, node) != NULL, "%s: %s", node, failure.text);
        ck_assert_uint_gt(told->peak, told->in_force);
        ck_assert_uint_eq(told->peak_step, told->steps);
    }
    return outcome == STRESS_DELIVERS;
}

static bool schedule_ignores_buffer(const struct router_case *run)
{
    return !run->congestion_is_unknown && strcmp(run->router->name, "random") == 0;
}

/* Every capacity up to the largest tried; returns the least that delivers. */
static uint32_t linear_search(struct router_case run, const struct message_set *set,
                              const struct stress *stress, bool *is_monotone)
{
    uint32_t least = 0, at = 0;
    *is_monotone = true;
    for (run.buffer = 1; run.buffer <= stress->run[stress->runs - 1].capacity; run.buffer++) {
        bool was_tried = stress->run[at].capacity == run.buffer;
        if (!was_tried && run.buffer > stress->least + 4)
            continue; /* the least is below */
        bool delivers = check_run(run, set, was_tried ? &stress->run[at] : NULL);
        at += was_tried;
        if (delivers && least == 0)
            least = run.buffer;
        *is_monotone &= delivers || least == 0;
    }
    return least;
}

static void check_router(struct router_case run, const struct message_set *set)
{
    char list[128], text[ROUTER_CASE_TEXT];
    struct stress stress;
    struct failure failure = {0};
    struct router_probe own = subject(&run, set, list);
    struct stress_plan plan = {.probe = router_probe, .context = &own};
    router_case_text(&run, set, text);
    ck_assert_msg(stress_search(&stress, &plan, &failure) == FAIL_NONE, "%s: %s", text,
                  failure.text);
    bool is_monotone;
    uint32_t least = linear_search(run, set, &stress, &is_monotone);
    if (is_monotone)
        ck_assert_msg(stress.least == least, "%s: %" PRIu32 ", not %" PRIu32, text, stress.least,
                      least);
    ck_assert_uint_ge(stress.least, least);
    ck_assert_uint_eq(own.runs, stress.runs + 1);
    ck_assert_uint_eq(stress.without.peak, own.result.buffer_peak);
    check_run(run, set, &stress.without);
    if (schedule_ignores_buffer(&run) && own.result.ran_as[0] == '\0') {
        ck_assert(is_monotone);
        ck_assert_uint_eq(stress.least, stress.without.peak > 1 ? stress.without.peak : 1);
    }
    stress_free(&stress);

    plan.is_exhaustive = true;
    ck_assert_int_eq(stress_search(&stress, &plan, &failure), FAIL_NONE);
    ck_assert_msg(stress.least == least, "%s: exhaustive: %" PRIu32 ", not %" PRIu32, text,
                  stress.least, least);
    stress_free(&stress);
}

/* Every router, with every row of parameters and with an unknown congestion, on odd meshes, both
 * copy costs: the answer is that of the linear search, each row that of a run by itself. */
START_TEST(test_routers)
{
    static const struct mesh meshes[] = {{3, 3}, {1, 9}, {7, 5}, {9, 9}};
    static const char *const patterns[] = {"uniform", "worst", "hotspot", "rmat"};
    struct router_case run = router_case_at((uint32_t)_i);
    uint32_t all = sizeof meshes / sizeof *meshes;
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? all - 1 : all); i++)
        for (uint32_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
            struct message_set set;
            struct pattern_options options = {
                .mesh = meshes[i], .degree = 0, .congestion = 4, .seed = p};
            if (pattern_generate(pattern_find(patterns[p]), &options, &set, NULL) != FAIL_NONE)
                continue;
            run.copy_is_free = p % 2 == i % 2;
            check_router(run, &set);
            run.copy_is_free = !run.copy_is_free;
            if (!TEST_IS_SHORT)
                check_router(run, &set);
            message_set_free(&set);
        }
}
END_TEST

/* A run that fails for another reason than its buffer ends the search: an option that the router
 * does not take at all is no refusal of a capacity. */
START_TEST(test_other_failures)
{
    char list[128];
    struct stress stress;
    struct message_set set;
    struct failure failure = {0};
    router_case_set(&set, "mcast 1 3 3\n0 1 2\n");
    struct router_case run = router_case_make("unicast", "slots=999");
    struct router_probe own = subject(&run, &set, list);
    struct stress_plan plan = {.probe = router_probe, .context = &own};
    ck_assert_int_eq(stress_search(&stress, &plan, &failure), FAIL_USAGE);
    ck_assert_uint_eq(own.runs, 1);
    ck_assert_ptr_nonnull(strstr(failure.text, "slots"));
    message_set_free(&set);
}
END_TEST

/* A capacity that there is no memory for ends the search above it alone, and is named. Where nothing
 * delivers below it the search has failed. */
START_TEST(test_too_large)
{
    struct stress stress;
    struct failure failure = {0};
    for (uint32_t too_large = 9; too_large <= 2 * MOST_B; too_large++) {
        struct script script = threshold(5, 8, STRESS_OVERFLOWS);
        struct stress_plan plan = {.probe = play, .context = &script, .points = 4};
        script.too_large = too_large;
        enum failure_kind kind = stress_search(&stress, &plan, &failure);
        if (too_large <= 10) { /* after the peak, 5, its double was due */
            ck_assert_int_eq(kind, FAIL_SYSTEM);
            failure = (struct failure){0};
            continue;
        }
        ck_assert_int_eq(kind, FAIL_NONE);
        ck_assert_int_eq(failure.kind, FAIL_NONE);
        ck_assert_uint_eq(stress.least, 8);
        /* doubles of 8, and what is between two of them */
        static const uint32_t tried[] = {16, 12, 32, 24, 64, 48, 128};
        uint32_t i = 0;
        while (tried[i] < too_large)
            i++;
        ck_assert_uint_eq(stress.too_large, tried[i]);
        check_shape(&stress, &script);
        stress_free(&stress);
    }
}
END_TEST

/* A double that holds more has bought something, though it takes as many steps. */
START_TEST(test_peaks_differ)
{
    struct stress stress;
    struct failure failure = {0};
    struct script script = threshold(5, 5, STRESS_OVERFLOWS);
    struct stress_plan plan = {.probe = play, .context = &script};
    script.only_peaks_differ = true;
    ck_assert_int_eq(stress_search(&stress, &plan, &failure), FAIL_NONE);
    ck_assert_uint_eq(stress.run[stress.runs - 1].capacity, 2 * MOST_B);
    ck_assert_uint_eq(stress.too_large, 0);
    stress_free(&stress);
}
END_TEST

Suite *stress_suite(void)
{
    Suite *suite = suite_create("stress");
    TCase *search = tcase_create("search");
    tcase_add_test(search, test_threshold);
    tcase_add_test(search, test_setbacks);
    tcase_add_test(search, test_points_and_failures);
    tcase_add_test(search, test_too_large);
    tcase_add_test(search, test_peaks_differ);
    suite_add_tcase(suite, search);

    TCase *routers = tcase_create("routers");
    tcase_add_loop_test(routers, test_routers, 0, (int)router_case_count());
    tcase_add_test(routers, test_other_failures);
    suite_add_tcase(suite, routers);
    return suite;
}
