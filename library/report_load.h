/* report_load.h - what `load` reports: JSON, a table, CSV, a picture of latency against load. */
#ifndef MESHCAST_LIBRARY_REPORT_LOAD_H
#define MESHCAST_LIBRARY_REPORT_LOAD_H

#include "chart/chart.h"
#include "library/report_network.h"
#include "network/open_loop.h"

#include <jansson.h>
#include <stdio.h>

/* A point of a curve: what was asked, and what came of it. */
struct load_point {
    const struct scheme *scheme;
    struct scheme_choices choices;
    double rate, capacity;   /* capacity: an upper bound of the rate */
    double routing_capacity; /* one by the routing in use; 0: not known */
    char best[24];           /* the scheme that `best` took; empty: another scheme, or none */
    uint32_t destinations;   /* 0: by lists */
    struct flits_range flits;
    struct open_loop_pace pace;
    uint64_t warmup, measured;      /* messages of a run */
    struct open_loop_result result; /* its deadlock is the caller's to free */
    struct failure failure;
    bool is_stored; /* it was in the database */
};

struct load_report {
    struct network_report network;
    const char *traffic;    /* "uniform", a pattern, a set */
    double multicast_share; /* of uniform traffic; 0 of other traffic */
    const char *arrivals;   /* "geometric", "negative-binomial" */
    uint32_t order;
    uint64_t warmup, measured; /* messages of a run, as asked; 0: by the pace of each point */
    bool is_finite;
    const struct load_point *point;
    uint32_t points;
    bool is_partial;
    double seconds;
};

/* A point as an object of `points`. NULL: no memory. */
json_t *report_load_point_json(const struct load_point *point);

/* Fills the results of a point from such an object, or from a row of the database. False: no memory. */
bool report_load_point_read(struct load_point *point, const json_t *object);

/* The object of `load --json`; NULL: no memory. The caller owns it. */
json_t *report_load_json(const struct load_report *report);

/* Returns the rows of `load --csv` and --plot FILE.csv: the points, each with the settings of all. The caller owns the array;
 * NULL: no memory. */
json_t *report_load_rows(const struct load_report *report);

/* What was asked of all points, an object: with report_load_point_json() a row of the database. */
json_t *report_load_settings_json(const struct load_report *report);

void report_print_load_head(const struct load_report *report, FILE *out);
void report_print_load_row(const struct load_point *point, FILE *out);
void report_print_load_legend(const struct load_report *report, FILE *out);

/* Fills the picture of --plot. */
void report_load_fill_chart(const struct load_report *report, struct chart *chart);

#endif
