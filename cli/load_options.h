/* load_options.h - the options of `load` beside those of the network. */
#ifndef MESHCAST_CLI_LOAD_OPTIONS_H
#define MESHCAST_CLI_LOAD_OPTIONS_H

#include "cli/load_lists.h"
#include "cli/network_options.h"

#include <stdbool.h>
#include <stdint.h>

enum { LOAD_OPTION_ROWS = 17, LOAD_DEFAULT_ORDER = 2 };

/* Indices of load_arrivals_names. */
enum { ARRIVALS_GEOMETRIC, ARRIVALS_NEGATIVE_BINOMIAL };

/* A zeroed one holds every default. */
struct load_options {
    const char *topology, *pattern, *set, *plot, *database;
    struct scheme_list schemes;
    struct rate_list rates;
    struct destinations_list destinations;
    struct flits_list flits;
    double multicast_share; /* 0: not given */
    uint32_t arrivals, order;
    uint32_t warmup, measured, runs; /* 0: the default */
    bool is_finite, is_patient;
    struct network_options network;
};

extern const char *const load_arrivals_names[];
extern const struct meshcast_option load_option_row[LOAD_OPTION_ROWS];

/* FAIL_USAGE: an option is missing, or two exclude each other. */
enum failure_kind load_options_check(const struct load_options *options, struct failure *failure);

/* How many geometric times make one between messages. */
uint32_t load_options_order(const struct load_options *options);

/* FAIL_USAGE: the plot would overwrite the graph or the database. */
enum failure_kind load_options_check_plot(const struct load_options *options,
                                          struct failure *failure);

#endif
