/* report_expander.h - what `expander` reports. */
#ifndef MESHCAST_LIBRARY_REPORT_EXPANDER_H
#define MESHCAST_LIBRARY_REPORT_EXPANDER_H

#include "expanders/bracket.h"

#include <jansson.h>
#include <stdio.h>

enum { EXPANDER_MOST_SIZES = 16 };

/* One graph, or one permutation with several numbers of groups. */
struct expander_report {
    const char *name; /* of the file, or what the graph was made from */
    const struct expander *graph;
    uint32_t sizes;
    struct bracket bracket[EXPANDER_MOST_SIZES];
    double seconds[EXPANDER_MOST_SIZES];
};

/* The object of `expander make --json`: a graph that was made. */
json_t *report_graph_json(const char *name, const struct expander *graph);

/* The object of `expander check --json`. NULL: no memory. The caller owns it. */
json_t *report_expander_json(const struct expander_report *report);

/* The bracket of a single graph, or the table of a family, and the sets that were found. */
void report_print_expander(const struct expander_report *report, FILE *out);

/* An upper bound of lambda as it is shown: raised to the next of four decimals. */
double report_expander_up(double lambda);

enum { REPORT_SET_SIZE = 120 };

/* "16 inputs with 13 distinct neighbours of 64 edges": the set that was found. Returns `text`. */
const char *report_expander_set(const struct bracket *bracket, char text[REPORT_SET_SIZE]);

#endif
