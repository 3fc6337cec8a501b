/* startup_formulas.c - the worms of all-to-all broadcasts on n x n nodes, n >= 2, as polynomials of n. */
#include "papers/startup_formulas.h"

#include "bench/must.h"

static struct startups of_dual(uint64_t n)
{
    return (struct startups){2, 2 * n * n - 2};
}

static struct startups of_column(uint64_t n)
{
    return (struct startups){n == 2 ? 2 : 2 * n, 2 * (n - 1) * n * n};
}

static struct startups of_pure(uint64_t n)
{
    uint64_t h = (n + 1) / 2;
    return (struct startups){n,
                             n * n * (n - 1) / 2 + (n * n * n - n) / 3 + h * (h + 1) * (h + 2) / 6};
}

static struct startups of_minimal_printed(uint64_t n)
{
    return (struct startups){3 * n - 3,
                             n * (n - 1) * (n - 1) + n * (n - 1) * (2 * n - 1) / 3 + 2 * n * n - 2};
}

static struct startups of_minimal(uint64_t n)
{
    return (struct startups){3 * n - 4,
                             n * (n - 1) * (n - 1) + n * (n - 1) * (2 * n - 1) / 3 + n * n};
}

static struct startups of_schl(uint64_t n)
{
    return (struct startups){n == 2   ? 3
                             : n == 3 ? 8
                                      : 2 * n + 7,
                             n * n * (2 * n - 3) + (3 * n - 4) * (2 * n - 1) + n * (n - 1)};
}

const struct startup_formula startup_formulas[STARTUP_FORMULAS] = {
    {{"pure", "pure", {NULL}},
     "n",
     "(n-1)/2 + (n^2-1)/(3n) + h(h+1)(h+2)/(6n^2), h = ceil(n/2)",
     of_pure},
    {{"minimal", "minimal", {"variant=absorb", NULL}},
     "3n-4",
     "(n-1)^2/n + (n-1)(2n-1)/(3n) + 1",
     of_minimal},
    {{"minimal, printed", "minimal", {"variant=printed", NULL}},
     "3n-3",
     "(n-1)^2/n + (n-1)(2n-1)/(3n) + 2 - 2/n^2",
     of_minimal_printed},
    {{"dual", "dual", {NULL}}, "2", "2 - 2/n^2", of_dual},
    {{"column", "column", {NULL}}, "2n (2 if n = 2)", "2(n-1)", of_column},
    {{"schl", "schl", {NULL}},
     "2n+7 (3, 8 if n = 2, 3)",
     "2n-3 + (3n-4)(2n-1)/n^2 + (n-1)/n",
     of_schl},
};

struct startups count_startups(const struct contender *contender, uint32_t side)
{
    struct topology topology = paper_mesh(side);
    struct scheme_choices choices;
    const struct scheme *scheme = contender_scheme(contender, &choices);
    struct startups startups = {0};
    struct plan plan = {0};
    struct failure failure = {0};
    uint32_t *node = memory_allocate(topology.nodes, sizeof *node);
    if (node == NULL)
        bench_must(fail_memory(&failure, "the nodes of a mesh"), &failure);
    for (uint32_t source = 0; source < topology.nodes; source++) {
        for (uint32_t i = 0; i + 1 < topology.nodes; i++)
            node[i] = i + (i >= source);
        struct multicast multicast = {source, topology.nodes - 1, node, 1};
        bench_must(scheme_plan(scheme, &topology, &multicast, &choices, &plan, &failure), &failure);
        startups.sum += plan.worms;
        startups.most = plan.worms > startups.most ? plan.worms : startups.most;
    }
    plan_free(&plan);
    free(node);
    return startups;
}
