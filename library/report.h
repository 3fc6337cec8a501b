/* report.h - the results of runs, as JSON for programs and as tables for people.
 *
 * The keys of the JSON objects are a contract with other programs: keys may be added, never
 * renamed. What is not known is null.
 */
#ifndef MESHCAST_LIBRARY_REPORT_H
#define MESHCAST_LIBRARY_REPORT_H

#include "library/report_parts.h"
#include "library/run_options.h"
#include "routers/router.h"
#include "workloads/instance.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* One run of one router: what was asked, what came of it. */
struct run_report {
    const struct instance *instance;
    const struct run_options *options;
    const struct router *router;
    struct router_result result; /* says nothing if the router refused to start */
    struct failure failure;      /* of kind FAIL_NONE where all went well */
};

/* The object of `route --json`. A failed run has a key "error" besides; one without figures has
 * only what was asked and the error. NULL: no memory. The caller owns the object. */
json_t *report_route_json(const struct run_report *report);

/* Prints `value` and releases it; FAIL_SYSTEM if it is NULL (no memory). What goes wrong with
 * `out` is found when that is closed. */
enum failure_kind report_print_json(json_t *value, FILE *out, struct failure *failure);

/* messages_at_home, deliveries_at_home. */
void report_set_home(struct report_object *object, const struct home_count *home);

/* The set's mesh and figures. */
void report_set_instance(struct report_object *object, const struct instance *instance);
/* What was asked: the set, its mesh, its figures, the router, copies, the seed. */
void report_set_request(struct report_object *object, const struct run_report *report);
/* What ran: ran_as, parameters. */
void report_set_run(struct report_object *object, const struct run_report *report);
struct report_peak report_route_peak(const struct router_result *result);

/* The heading of a run: the router, what it ran as, copies, parameters. */
void report_print_title(const struct run_report *report, FILE *out);

/* Returns what sqrt_cn is: for l = 1 both forms agree. */
const char *report_root_name(const struct instance *instance);

/* The first lines of every table: the set, its mesh, d, c, the lower bound. */
void report_print_instance(const struct instance *instance, bool copy_is_free, FILE *out);

/* Says how many of so many messages and deliveries stay at home, if there are any. */
void report_print_home(const struct home_count *home, uint64_t messages, uint64_t deliveries,
                       FILE *out);

/* The table of one run. */
void report_print_route(const struct run_report *report, FILE *out);

#endif
