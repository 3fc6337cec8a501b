/* test_open_loop_total.c - what the runs of an open loop say together: when a mean is believed, when latencies grow. */
#include "network/open_loop_total.h"

#include "base/pcg.h"

#include <check.h>

Suite *open_loop_total_suite(void);

enum { WARMUP = 100, MEASURED = 4000, GROWN = 5 };

/* The latency of message `index` of a run. */
typedef uint64_t latency_rule(struct pcg32 *random, uint32_t index);

/* Adds a run of such latencies, in which the backlog grows by a few messages. */
static void add_run(struct open_loop_total *total, latency_rule *rule, uint64_t backlog)
{
    const struct open_loop loop = {.warmup = WARMUP, .measured = MEASURED};
    struct pcg32 random = pcg32_seed(5, total->runs);
    struct open_loop_run run = {.latency = open_loop_total_room(total, &loop),
                                .begin = 1000,
                                .end = 2000,
                                .done_before = WARMUP,
                                .delivered = MEASURED - backlog};
    ck_assert_ptr_nonnull(run.latency);
    ck_assert_uint_eq(run.latency[MEASURED - 1], OPEN_LOOP_NOT_DONE);
    for (uint32_t i = 0; i < MEASURED; i++)
        run.latency[i] = rule(&random, i);
    open_loop_total_add(total, &loop, &run);
    ck_assert_uint_eq(total->count, (uint64_t)total->runs * MEASURED);
}

static bool has_grown(const struct open_loop_total *total)
{
    const struct open_loop loop = {.warmup = WARMUP, .measured = MEASURED};
    return open_loop_total_has_grown(total, &loop);
}

static uint64_t steady(struct pcg32 *random, uint32_t index)
{
    (void)index;
    return 100 + pcg32_below(random, 50);
}

static uint64_t swinging(struct pcg32 *random, uint32_t index)
{
    return steady(random, index) + (index / 500 % 2 == 0 ? 0 : 20);
}

static uint64_t growing(struct pcg32 *random, uint32_t index)
{
    return steady(random, index) + 80 * index / MEASURED;
}

/* From a fifth of the run on it is steady. */
static uint64_t filling(struct pcg32 *random, uint32_t index)
{
    return steady(random, index) - (index < MEASURED / 5 ? 90 : 0);
}

/* One run is enough where a message tells nothing of the next ones, five where latencies swing. */
START_TEST(likeness)
{
    struct open_loop_total even = {0}, uneven = {0};
    add_run(&even, steady, 0);
    ck_assert(open_loop_total_is_sure(&even));
    for (uint32_t run = 1; run <= OPEN_LOOP_LEAST_RUNS; run++) {
        add_run(&uneven, swinging, 0);
        ck_assert_int_eq(open_loop_total_is_sure(&uneven), run == OPEN_LOOP_LEAST_RUNS);
    }
    open_loop_total_free(&even);
    open_loop_total_free(&uneven);
}
END_TEST

/* Where latencies swing, what the warm-up has left at the beginning of a run is not part of the mean. */
START_TEST(settled)
{
    struct open_loop_total total = {0};
    add_run(&total, filling, 0);
    ck_assert_double_eq_tol(open_loop_total_interval(&total).mean, 124.5, 2);
    open_loop_total_free(&total);
}
END_TEST

/* Latencies that grow in five runs, while messages are left over, are those of a saturated load; what grows at the
 * beginning alone, or without a backlog, is not. */
START_TEST(growth)
{
    static const struct {
        latency_rule *rule;
        uint64_t backlog;
        bool has_grown;
    } cases[] = {{growing, GROWN, true},
                 {growing, 0, false},
                 {filling, GROWN, false},
                 {steady, GROWN, false}};
    struct open_loop_total total = {0};
    for (uint32_t run = 1; run <= OPEN_LOOP_LEAST_RUNS; run++) {
        ck_assert(!has_grown(&total));
        add_run(&total, cases[_i].rule, cases[_i].backlog);
    }
    ck_assert_int_eq(has_grown(&total), cases[_i].has_grown);
    open_loop_total_free(&total);
}
END_TEST

/* A backlog of its own tells in one run. */
START_TEST(backlog)
{
    struct open_loop_total total = {0};
    add_run(&total, steady, MEASURED / 50);
    ck_assert(!has_grown(&total));
    open_loop_total_free(&total);
    add_run(&total, steady, MEASURED / 50 + 5);
    ck_assert(has_grown(&total));
    open_loop_total_free(&total);
}
END_TEST

/* A warm-up shorter than a latency leaves an empty network, whose filling is no growth: 4000 messages in 1000 cycles at
 * latencies of about 125 cycles are 500 on their way. */
START_TEST(short_warmup)
{
    enum { CYCLES = 1000, LEFT = 450 };
    const struct open_loop loop = {.warmup = WARMUP, .measured = MEASURED};
    struct open_loop_total total = {0};
    struct pcg32 random = pcg32_seed(5, 0);
    struct open_loop_run run = {.latency = open_loop_total_room(&total, &loop),
                                .begin = 0,
                                .end = CYCLES,
                                .done_before = WARMUP,
                                .delivered = MEASURED - LEFT};
    ck_assert_ptr_nonnull(run.latency);
    for (uint32_t i = 0; i < MEASURED; i++)
        run.latency[i] = steady(&random, i);
    open_loop_total_add(&total, &loop, &run);
    ck_assert(!has_grown(&total));
    ck_assert(!open_loop_total_is_rising(&total, &loop));
    open_loop_total_free(&total);
}
END_TEST

Suite *open_loop_total_suite(void)
{
    Suite *suite = suite_create("open_loop_total");
    TCase *tests = tcase_create("total");
    tcase_add_test(tests, likeness);
    tcase_add_test(tests, settled);
    tcase_add_loop_test(tests, growth, 0, 4);
    tcase_add_test(tests, backlog);
    tcase_add_test(tests, short_warmup);
    suite_add_tcase(suite, tests);
    return suite;
}
