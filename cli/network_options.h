/* network_options.h - the options that `network` and `load` share: the network's settings, a scheme's parameters. */
#ifndef MESHCAST_CLI_NETWORK_OPTIONS_H
#define MESHCAST_CLI_NETWORK_OPTIONS_H

#include "cli/scheme_options.h"
#include "console/option_parser.h"
#include "library/report_form.h"
#include "network/network.h"
#include "schemes/scheme.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NETWORK_OPTION_ROWS = 19, FLITS_TEXT = 24 };

/* A zeroed one holds every default. */
struct network_options {
    struct scheme_parameters parameters;
    uint32_t switching, ports, release, startup_mode, header; /* indices of the names below */
    uint32_t vcs, buffer, injection, consumption;             /* 0: not given */
    uint32_t startup, router_delay;
    uint32_t flit_bits; /* 0: not given */
    uint64_t seed;
    uint32_t threads;
    struct report_form form;
    bool quiet, force;
};

extern const char *const switching_names[], *const ports_names[], *const release_names[];
extern const char *const startup_mode_names[], *const header_names[];

extern const struct meshcast_option network_option_row[NETWORK_OPTION_ROWS];

/* Refuses options that have no effect beside the others. */
enum failure_kind network_options_check(const struct network_options *options,
                                        struct failure *failure);

struct network_settings network_options_settings(const struct network_options *options,
                                                 const struct topology *topology);

/* A network_watcher: shows progress, and ends the run when a signal was noted. `context` is a struct progress. */
bool network_options_watch(void *context, uint64_t done, uint64_t all, uint64_t cycle);

/* Reads "L" or "A:B". FAIL_USAGE: it is neither. */
enum failure_kind flits_range_read(const char *text, struct flits_range *range,
                                   struct failure *failure);

/* An accept function: `field` is a struct flits_range. */
int accept_flits(void *field, char *value, struct failure *failure);

/* The row of --flits, for the struct flits_range `member` of `structure`. */
#define FLITS_ROW(structure, member)                                                               \
    {                                                                                              \
        .name = "flits", .value = "L|A:B", .is_common = true,                                      \
        .help = "flits of a message to which the set gives none (header included), or a range\n"   \
                "from which each is drawn; the default is 1",                                      \
        .type = MESHCAST_OPTION_OTHER, .offset = offsetof(structure, member),                      \
        .accept = accept_flits                                                                     \
    }

/* An accept function: `field` is a double, a clock in GHz, above 0. */
int accept_clock(void *field, char *value, struct failure *failure);

/* "10" or "10:100". */
const char *flits_range_text(struct flits_range range, char text[FLITS_TEXT]);

#endif
