/* open_loop_case.c - common code of suites of open loops. */
#include "test/network/open_loop_case.h"

#include <check.h>
#include <inttypes.h>

struct open_loop open_loop_case(const struct topology *topology, const char *scheme, double rate)
{
    struct failure failure = {0};
    struct open_loop loop = {.topology = topology,
                             .settings = network_settings_default(),
                             .rate = rate,
                             .order = 1,
                             .mix = destination_mix_of(1, 1),
                             .least_flits = 1,
                             .most_flits = 1,
                             .warmup = 200,
                             .measured = 2000,
                             .precision = 0.05,
                             .most_runs = 1,
                             .seed = 28};
    ck_assert_int_eq(scheme_find(scheme, &loop.scheme, &failure), FAIL_NONE);
    return loop;
}

struct open_loop_result open_loop_case_run(const struct open_loop *loop)
{
    struct open_loop_result result;
    struct failure failure = {0};
    ck_assert_msg(open_loop_run(loop, &result, &failure) == FAIL_NONE, "%s", failure.text);
    return result;
}

void open_loop_case_tell(const struct open_loop_result *result, FILE *out)
{
    fprintf(out, "mean %.17g %.17g accepted %.17g %d %d %d\n", result->latency.mean,
            result->latency.half_width, result->accepted, (int)result->is_saturated,
            (int)result->is_rising, (int)result->is_partial);
    fprintf(out, "summary %.17g %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
            result->summary.mean, result->summary.median, result->summary.p95, result->summary.p99,
            result->summary.max);
    fprintf(out,
            "runs %" PRIu32 " cycles %" PRIu64 " messages %" PRIu64 " crossings %" PRIu64
            " startups %" PRIu64 " peaks %" PRIu32 " %" PRIu64 "\n",
            result->runs, result->cycles, result->messages, result->crossings, result->startups,
            result->buffer_peak, result->unsent_peak);
}

const struct destination_lists *open_loop_case_uneven(struct uneven_lists *uneven, uint32_t nodes)
{
    uint64_t count = 0;
    ck_assert_uint_le(nodes, UNEVEN_NODES);
    for (uint32_t node = 0; node < nodes; node++) {
        uneven->first[node] = node;
        uneven->offset[node] = count;
        for (uint32_t i = 1; i < (node == 0 ? nodes : 2); i++)
            uneven->destination[count++] = (node + i) % nodes;
    }
    uneven->first[nodes] = nodes;
    uneven->offset[nodes] = count;
    uneven->lists = (struct destination_lists){uneven->first, uneven->offset, uneven->destination};
    return &uneven->lists;
}
