/* report.h - the results of runs, as JSON for programs and as tables for people.
 *
 * The keys of the JSON objects are a contract with other programs: keys may be added, never
 * renamed. Unknown values are null.
 */
#ifndef MESHCAST_LIBRARY_REPORT_H
#define MESHCAST_LIBRARY_REPORT_H

#include "library/report_parts.h"
#include "library/run_options.h"
#include "library/table.h"
#include "routers/router.h"
#include "workloads/instance.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* One run of one router: its settings, its result. */
struct run_report {
    const struct instance *instance;
    const struct run_options *options;
    const struct router *router;
    struct router_result result; /* without meaning if the router refused to start */
    struct failure failure;      /* of kind FAIL_NONE if all went well */
};

/* Returns the object of `route --json`. A failed run also has a key "error"; one without figures
 * has only its settings and the error. NULL: no memory. The caller owns the object. */
json_t *report_route_json(const struct run_report *report);

/* ---- parts that results share: figures, and their setters ---- */

extern const struct figures route_figures;

extern const struct figure figures_of_steps[], figures_of_phases[], figures_of_buffer[],
    figures_of_hops[], figures_of_time[];

/* Place and time of the fullest buffer; no node: MESH_NO_NODE. */
struct report_place {
    node_index node;
    uint64_t step;
    const char *phase;
};

void report_set_steps(struct report_object *object, uint64_t steps, uint64_t sync_steps);
void report_set_phases(struct report_object *object, const struct machine_phase *phase,
                       uint32_t phases);
void report_set_peak(struct report_object *object, uint32_t capacity, uint32_t peak,
                     const struct report_place *place);
void report_set_hops(struct report_object *object, uint64_t packet_hops, uint64_t word_hops,
                     uint64_t copies);
void report_set_home(struct report_object *object, const struct home_count *home);

/* Set the set's mesh and figures; the settings: the set, the router, copies, the seed; the run:
 * ran_as, parameters. */
void report_set_instance(struct report_object *object, const struct instance *instance);
void report_set_request(struct report_object *object, const struct run_report *report);
void report_set_run(struct report_object *object, const struct run_report *report);

/* ---- for people ---- */

/* Returns a copy of `json`, a result with the keys of report_set_request() and report_set_run(),
 * with keys only for people: copies_text, c_is_unknown. The caller owns it. */
json_t *report_for_people(const struct run_report *report, const json_t *json);

/* Prints the heading of such a result: the router, what it ran as, copies, parameters. */
void report_print_title(const json_t *people, FILE *out);

/* Prints the first lines of a table: the set, its mesh, d, c, the lower bound. */
void report_print_instance(const struct instance *instance, bool copy_is_free, FILE *out);

/* Reports how many of so many messages and deliveries are from nodes to themselves, if any. */
void report_print_home(const struct home_count *home, uint64_t messages, uint64_t deliveries,
                       FILE *out);

/* Prints the table of one run, whose JSON is `json`. */
void report_print_route(const struct run_report *report, const json_t *json, FILE *out);

#endif
