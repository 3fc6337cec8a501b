/* test_engines.c - the machine against its golden model (test/reference/): random programs of every
 * instruction, each on the model, on an observed machine and on one that nobody observes, with other numbers
 * of threads; all three are compared after each call.
 */
#include "test/engine_draw.h"
#include "test/length.h"

#include <check.h>

Suite *engines_suite(void);

static void run_trials(void (*trial)(uint64_t seed), uint64_t in_short_tests)
{
    uint64_t trials = in_short_tests * (TEST_IS_SHORT ? 1 : 10);
    for (uint64_t seed = 0; seed < trials; seed++)
        trial(seed);
}

/* queues: wake and limits, urgencies, parts of every kind, capacities, attempts, packets set aside */
START_TEST(forward)
{
    run_trials(forward_trial, 100);
}
END_TEST

/* channels: every number of them, slots, spare ones, express packets, classes that are switched */
START_TEST(channel)
{
    run_trials(channel_trial, 100);
}
END_TEST

/* comparisons, rotations, pairs, permutations and snakes, in any order */
START_TEST(plane)
{
    run_trials(plane_trial, 100);
}
END_TEST

/* packets that march along cycles */
START_TEST(march)
{
    run_trials(march_trial, 60);
}
END_TEST

/* packets that circulate in step with their neighbours */
START_TEST(circuit)
{
    run_trials(circuit_trial, 50);
}
END_TEST

/* words that nodes say, hear and pass on */
START_TEST(word)
{
    run_trials(word_trial, 40);
}
END_TEST

Suite *engines_suite(void)
{
    Suite *suite = suite_create("engines");
    TCase *tests = tcase_create("engines");
    tcase_add_test(tests, forward);
    tcase_add_test(tests, channel);
    tcase_add_test(tests, plane);
    tcase_add_test(tests, march);
    tcase_add_test(tests, circuit);
    tcase_add_test(tests, word);
    suite_add_tcase(suite, tests);
    return suite;
}
