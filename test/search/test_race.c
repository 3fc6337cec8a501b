/* test_race.c - which router is the fastest with each capacity, against all capacities that were run one by one.
 *
 * Made-up routers: each delivers from a capacity of its own on, in steps that may fall with the capacity.
 */
#include "base/pcg.h"
#include "search/race.h"

#include <check.h>
#include <string.h>

#undef fail /* a macro of Check's */

Suite *race_suite(void);

enum { RUNNERS = 4 };

struct runner {
    uint32_t least, steps,
        gain;           /* delivers from `least` on; one step less for `gain` packets more */
    uint32_t peak;      /* without a capacity */
    uint32_t too_large; /* there is no memory from there on; 0: always enough */
    bool refuses, breaks;
    uint32_t runs;
};

static enum failure_kind fail_by_limit(struct failure *failure)
{
    if (failure != NULL)
        failure->is_memory_limit = true;
    return fail(failure, FAIL_SYSTEM, "made up");
}

static enum failure_kind play(void *context, struct stress_run *run, struct failure *failure)
{
    struct runner *runner = context;
    uint32_t capacity = run->capacity == 0 ? runner->peak : run->capacity;
    runner->runs++;
    if (runner->refuses)
        return fail(failure, FAIL_USAGE, "made up");
    if (runner->breaks && run->capacity > 2)
        return fail(failure, FAIL_CHECK, "broken");
    if (runner->too_large > 0 && run->capacity >= runner->too_large)
        return fail_by_limit(failure);
    run->outcome = capacity >= runner->least ? STRESS_DELIVERS : STRESS_OVERFLOWS;
    run->peak = capacity < runner->peak ? capacity : runner->peak;
    run->steps = runner->steps - (runner->gain > 0 ? capacity / runner->gain : 0);
    return FAIL_NONE;
}

static uint32_t winner_at(struct runner *runner, uint32_t capacity)
{
    uint32_t winner = RACE_NOBODY;
    struct stress_run best = {0};
    for (uint32_t i = 0; i < RUNNERS; i++) {
        struct stress_run run = {.capacity = capacity};
        if (play(&runner[i], &run, NULL) != FAIL_NONE || run.outcome != STRESS_DELIVERS)
            continue;
        bool is_faster =
            run.steps < best.steps || (run.steps == best.steps && run.peak < best.peak);
        if (winner == RACE_NOBODY || is_faster) {
            winner = i;
            best = run;
        }
    }
    return winner;
}

static enum failure_kind race_of(struct runner *runner, struct race *race, struct failure *failure)
{
    void *context[RUNNERS];
    for (uint32_t i = 0; i < RUNNERS; i++)
        context[i] = &runner[i];
    return race_run(race, &(struct race_plan){RUNNERS, play, context}, failure);
}

/* Every capacity that was run has the right winner, each change is found to a packet, nothing is run twice. */
static void check_race(struct runner *runner)
{
    struct race race;
    struct failure failure = {0};
    ck_assert_int_eq(race_of(runner, &race, &failure), FAIL_NONE);
    ck_assert_uint_eq(race.point[0].capacity, 1);
    ck_assert_uint_eq(runner[0].runs, race.points + 1);
    for (uint32_t i = 0; i < race.points; i++) {
        const struct race_point *point = &race.point[i], *next = point + 1;
        ck_assert_uint_eq(point->winner, winner_at(runner, point->capacity));
        if (i + 1 == race.points)
            break;
        ck_assert_uint_lt(point->capacity, next->capacity);
        if (point->winner != next->winner)
            ck_assert_uint_eq(point->capacity + 1, next->capacity);
    }
    uint32_t last = race_last_of_winner(&race, 0);
    ck_assert(last + 1 == race.points || race.point[last + 1].winner != race.point[0].winner);
    ck_assert_uint_eq(race.without.winner, winner_at(runner, 0));
    race_free(&race);
}

/* Routers that are drawn. */
START_TEST(random_routers)
{
    struct pcg32 random = pcg32_seed(5, (uint64_t)_i);
    struct runner runner[RUNNERS] = {{0}};
    for (uint32_t i = 0; i < RUNNERS; i++) {
        runner[i] = (struct runner){.least = 1 + pcg32_below(&random, 60),
                                    .steps = 1000 + pcg32_below(&random, 50),
                                    .gain = pcg32_below(&random, 4),
                                    .peak = 1 + pcg32_below(&random, 90)};
        if (runner[i].peak < runner[i].least)
            runner[i].peak = runner[i].least;
    }
    check_race(runner);
}
END_TEST

/* One that refuses its options takes no part; where there is no memory for a capacity that is refused. */
START_TEST(refusals)
{
    struct runner runner[RUNNERS] = {{.least = 5, .steps = 90, .peak = 20},
                                     {.least = 2, .steps = 80, .peak = 3, .too_large = 11},
                                     {.refuses = true},
                                     {.least = 30, .steps = 70, .peak = 30}};
    struct race race;
    struct failure failure = {0};
    ck_assert_int_eq(race_of(runner, &race, &failure), FAIL_NONE);
    ck_assert_int_eq(race.without.run[2].outcome, STRESS_REFUSED);
    ck_assert_str_eq(race.without.run[2].reason, "made up");
    ck_assert_uint_eq(runner[2].runs, 1);
    static const uint32_t CHANGES[][2] = {{1, RACE_NOBODY}, {2, 1}, {11, 0}, {30, 3}};
    uint32_t first = 0;
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++) {
        ck_assert_uint_lt(first, race.points);
        ck_assert_uint_eq(race.point[first].capacity, CHANGES[i][0]);
        ck_assert_uint_eq(race.point[first].winner, CHANGES[i][1]);
        first = race_last_of_winner(&race, first) + 1;
    }
    ck_assert_uint_eq(first, race.points);
    race_free(&race);
}
END_TEST

/* Where all refuse, or one breaks in another way, the race ends with that. */
START_TEST(failures)
{
    struct runner runner[RUNNERS] = {
        {.refuses = true}, {.refuses = true}, {.refuses = true}, {.refuses = true}};
    struct race race;
    struct failure failure = {0};
    ck_assert_int_eq(race_of(runner, &race, &failure), FAIL_USAGE);
    ck_assert_str_eq(failure.text, "no router runs with these options; the first says: made up");
    runner[1] = (struct runner){.least = 1, .steps = 9, .peak = 9, .breaks = true};
    failure = (struct failure){0};
    ck_assert_int_eq(race_of(runner, &race, &failure), FAIL_CHECK);
    ck_assert_str_eq(failure.text, "broken");
}
END_TEST

Suite *race_suite(void)
{
    Suite *suite = suite_create("race");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, random_routers, 0, 60);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, failures);
    suite_add_tcase(suite, tests);
    return suite;
}
