/* expander_options.h - the options of `meshcast expander`, and the graph that they describe. */
#ifndef MESHCAST_CLI_EXPANDER_OPTIONS_H
#define MESHCAST_CLI_EXPANDER_OPTIONS_H

#include "cli/report_expander.h"
#include "console/option_parser.h"
#include "expanders/expander.h"
#include "library/report_form.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    EXPANDER_DEFAULT_SEED = 1, /* the router's default too */
    EXPANDER_OPTION_ROWS = 14
};

struct size_list {
    uint32_t count, value[EXPANDER_MOST_SIZES];
};

struct given_seed {
    bool given;
    uint64_t value;
};

struct given_lambda {
    double value; /* 0: not given */
};

struct given_graph {
    bool given;
    bool is_reed_solomon;
};

struct expander_options {
    uint32_t inputs, degree, q, k, threads; /* 0: not given */
    struct given_graph graph;
    struct size_list groups;
    struct given_seed seed;
    struct given_lambda lambda;
    const char *output;
    struct report_form form;
    bool quiet, force;
};

/* The rows of a struct expander_options. */
extern const struct meshcast_option expander_option_row[EXPANDER_OPTION_ROWS];

/* The graph that the options describe; expander_free() when done. FAIL_USAGE: they describe none. */
enum failure_kind expander_options_make(const struct expander_options *options,
                                        struct expander *graph, struct failure *failure);

#endif
