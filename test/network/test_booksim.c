/* test_booksim.c - the open loop against figures of BookSim2 (doc/network.md, "Against BookSim2").
 *
 * An 8 x 8 mesh, x-first, uniform traffic, 3 cycles per hop. Differences by construction: a packet
 * of H hops takes a cycle less here, and H is 5.333 instead of 5.25 in the mean, because no node
 * sends to itself.
 */
#include "network/open_loop.h"

#include "test/length.h"
#include "test/schemes/route_walk.h"

#include <check.h>

static const double EXPLAINED = -1 + 3 * (16 / 3.0 - 21 / 4.0);

struct figure {
    double rate, latency; /* messages per node and cycle; BookSim2's mean */
};

static struct open_loop loop_of(const struct topology *topology, uint32_t flits, uint32_t vcs,
                                uint32_t buffer)
{
    struct failure failure = {0};
    struct open_loop loop = {.topology = topology,
                             .settings = network_settings_default(),
                             .order = 1,
                             .mix = destination_mix_of(1, 1),
                             .least_flits = flits,
                             .most_flits = flits,
                             .warmup = 1000,
                             .measured = TEST_IS_SHORT ? 10000 : 80000,
                             .precision = 0.05,
                             .most_runs = 1,
                             .seed = 1};
    loop.settings.vcs = vcs;
    loop.settings.buffer = buffer;
    loop.settings.router_delay = 2;
    ck_assert_int_eq(scheme_find("unicast", &loop.scheme, &failure), FAIL_NONE);
    return loop;
}

/* The mean latency is within `tolerance` of the figure, and of the 95 % interval. */
static void check_figures(struct open_loop loop, const struct figure *figure, int figures,
                          double tolerance)
{
    for (int i = 0; i < figures; i++) {
        struct open_loop_result result;
        struct failure failure = {0};
        loop.rate = figure[i].rate;
        ck_assert_int_eq(open_loop_run(&loop, &result, &failure), FAIL_NONE);
        ck_assert(!result.is_saturated);
        ck_assert_double_eq_tol(result.latency.mean, figure[i].latency + EXPLAINED,
                                tolerance + result.latency.half_width);
        open_loop_free(&result);
    }
}

/* Checks that the network carries `below`, and not `above`: latency passes 100 cycles, or it is
 * saturated. This needs a long run. */
static void check_saturation(struct open_loop loop, double below, double above)
{
    struct open_loop_result result;
    struct failure failure = {0};
    if (TEST_IS_SHORT)
        return;
    loop.rate = below;
    ck_assert_int_eq(open_loop_run(&loop, &result, &failure), FAIL_NONE);
    ck_assert(!result.is_saturated && result.latency.mean < 100);
    open_loop_free(&result);
    loop.rate = above;
    ck_assert_int_eq(open_loop_run(&loop, &result, &failure), FAIL_NONE);
    ck_assert(result.is_saturated || result.latency.mean > 100);
    open_loop_free(&result);
}

/* Single flits, one virtual channel of 8 flits: within 0.1 cycles of what the differences explain;
 * saturation within 10 % of 0.75 of the capacity, which is 0.5 flits per node and cycle. */
START_TEST(single_flits)
{
    static const struct figure figures[] = {{0.025, 20.84}, {0.05, 20.90}, {0.1, 20.98},
                                            {0.15, 21.25},  {0.2, 21.53},  {0.25, 22.09}};
    struct topology topology = route_walk_topology("mesh:8x8");
    struct open_loop loop = loop_of(&topology, 1, 1, 8);
    check_figures(loop, figures, 6, 0.1);
    check_saturation(loop, 0.5 * 0.75 * 0.95, 0.5 * 0.75 * 1.1);
}
END_TEST

/* Packets of 5 flits, one and two virtual channels of 4 flits, against BookSim2's of 5, which cover
 * its longer loop of credits as 4 do ours: latency at low load within 1.5 cycles, saturation within
 * 10 % of 0.53 and 0.69. */
START_TEST(five_flits)
{
    static const struct figure one[] = {
        {0.005, 24.99}, {0.01, 25.42}, {0.02, 26.33}, {0.03, 27.63}};
    static const struct figure two[] = {{0.005, 25.21}, {0.01, 25.87}};
    struct topology topology = route_walk_topology("mesh:8x8");
    check_figures(loop_of(&topology, 5, 1, 4), one, 4, 0.2);
    check_figures(loop_of(&topology, 5, 2, 4), two, 2, 1.5);
    check_saturation(loop_of(&topology, 5, 1, 4), 0.1 * 0.53 * 0.9, 0.1 * 0.53 * 1.1);
    check_saturation(loop_of(&topology, 5, 2, 4), 0.1 * 0.69 * 0.9, 0.1 * 0.69 * 1.1);
}
END_TEST

void booksim_suite(TCase *tests)
{
    tcase_add_test(tests, single_flits);
    tcase_add_test(tests, five_flits);
}
