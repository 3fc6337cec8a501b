/* report_parts.h - what the reports share: JSON objects and tables. For cli/report_*.c only. */
#ifndef MESHCAST_CONSOLE_REPORT_PARTS_H
#define MESHCAST_CONSOLE_REPORT_PARTS_H

#include "console/report.h"
#include "machine/machine.h"
#include "routers/router.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- JSON: report_object.c ---- */

/* An object under construction. What fails for want of memory is told at the end. */
struct report_object {
    json_t *value;
    bool failed;
};

struct report_object report_object_open(void);
/* The object, which is the caller's; NULL: no memory. */
json_t *report_object_close(struct report_object *object);

/* Takes over `value`, which may be NULL for want of memory. */
void report_set(struct report_object *object, const char *key, json_t *value);
void report_set_count(struct report_object *object, const char *key, uint64_t count);
/* null where the divisor is 0 */
void report_set_ratio(struct report_object *object, const char *key, double dividend,
                      double divisor);
void report_set_seed(struct report_object *object, uint64_t seed);
/* "topology", its kind, and "sizes", slowest dimension first */
void report_set_shape(struct report_object *object, const struct shape *shape);
void report_set_phases(struct report_object *object, const struct machine_phase *phase,
                       uint32_t phases);

/* The set's mesh and figures. */
/* messages_at_home, deliveries_at_home. */
void report_set_home(struct report_object *object, const struct home_count *home);

void report_set_instance(struct report_object *object, const struct instance *instance);
/* What was asked: the set, its mesh, its figures, the router, copies, the seed. */
void report_set_request(struct report_object *object, const struct run_report *report);
/* What ran: ran_as, parameters. */
void report_set_run(struct report_object *object, const struct run_report *report);

/* buffer_capacity, null for 0, and buffer_peak with its node (null: none), step and phase. */
struct report_peak {
    uint32_t capacity, packets;
    node_index node;
    uint64_t step;
    const char *phase;
};
struct report_peak report_route_peak(const struct router_result *result);
void report_set_peak(struct report_object *object, const struct report_peak *peak);

/* ---- tables: report_figures.c ---- */

/* The table of a run: where it goes and how wide its first column is. */
struct report_table {
    FILE *out;
    int width;
};

/* A table wide enough for these phases. */
struct report_table report_table_for(const struct machine_phase *phase, uint32_t phases, FILE *out);

/* The heading of a run: the router, what it ran as, copies, parameters. */
void report_print_title(const struct run_report *report, FILE *out);

/* A line of the table: a name, a figure, a note (may be ""). */
void report_print_count(const struct report_table *table, const char *name, uint64_t count,
                        const char *note);
void report_print_ratio(const struct report_table *table, const char *name, double dividend,
                        double divisor, const char *note);
void report_print_peak(const struct report_table *table, const struct report_peak *peak,
                       uint32_t cols);
/* A line a name of phases: their steps, and their part of `steps`. */
void report_print_phases(const struct report_table *table, const struct machine_phase *phase,
                         uint32_t phases, uint64_t steps);
void report_print_time(const struct report_table *table, double seconds, uint32_t threads);

/* A text of a ratio: two decimals, or a dash where the divisor is 0. */
const char *report_ratio_text(double dividend, double divisor, char text[32]);

#endif
