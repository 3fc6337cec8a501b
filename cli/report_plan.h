/* report_plan.h - what `plan` prints: the costs of schemes' plans as JSON, as tables, as CSV. */
#ifndef MESHCAST_CLI_REPORT_PLAN_H
#define MESHCAST_CLI_REPORT_PLAN_H

#include "cli/scheme_options.h"
#include "schemes/plan_cost.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The plans of one scheme: its costs over all messages. */
struct plan_row {
    const struct scheme *scheme;
    struct scheme_choices choices;
    uint64_t messages, deliveries; /* planned; less than the set's where the run was interrupted */
    uint64_t total[PLAN_COSTS],
        largest[PLAN_COSTS]; /* without meaning where there is no such cost */
    /* Of schemes that know a bound of the longest path: its sum; messages whose longest path is at the bound. */
    uint64_t bound_total, proven;
    uint64_t least_traffic; /* messages whose traffic is at the bound of any tree's */
};

struct plan_report {
    const char *name; /* of the set */
    const struct topology *topology;
    uint64_t messages, deliveries, seed;
    struct flits_range flits; /* of the shortest and the longest message */
    const struct plan_row *row;
    uint32_t rows;
    bool is_partial;
    /* Bounds of any tree's links: their sum over messages, their number, and how many of them a tree attains. */
    bool has_bounds;
    uint64_t traffic_bound, bounds, exact_bounds;
};

/* Adds the costs of a message's plan. */
void plan_row_add(struct plan_row *row, const struct plan_costs *costs, uint64_t deliveries);

/* The array of `plan --json`; NULL: no memory. The caller owns it. */
json_t *report_plan_json(const struct plan_report *report);

void report_print_plan(const struct plan_report *report, FILE *out);

/* --each: a line per message; `names_scheme`: with its scheme. `bound`: of any tree's links; NULL: not asked for. */
void report_plan_csv_head(bool names_scheme, bool has_bound, FILE *out);
void report_plan_csv_row(const struct plan_row *row, bool names_scheme, uint32_t message,
                         const struct multicast *multicast, const struct plan_costs *costs,
                         const uint64_t *bound, FILE *out);

#endif
