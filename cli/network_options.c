/* network_options.c - the one place that knows the options of the network. */
#include "cli/network_options.h"

#include "base/line_scan.h"
#include "base/parallel.h"
#include "console/interruption.h"
#include "console/progress.h"
#include "library/available_memory.h"

#include <stddef.h>
#include <string.h>

const char *const switching_names[] = {"wormhole", "cut-through", "store-and-forward", "circuit",
                                       NULL};
const char *const ports_names[] = {"all", "one", NULL};
const char *const release_names[] = {"entered", "left", NULL};
const char *const header_names[] = {"none", "list", "bitmap", NULL};
const char *const startup_mode_names[] = {"serial", "per-port", NULL};

#define NUMBER_ROW(option, letters, common, text, member, low, high)                               \
    {                                                                                              \
        .name = option, .value = letters, .is_common = common, .help = text,                       \
        .type = MESHCAST_OPTION_NUMBER, .offset = offsetof(struct network_options, member),        \
        .least = low, .most = high                                                                 \
    }
#define CHOICE_ROW(option, words, common, text, member, names)                                     \
    {                                                                                              \
        .name = option, .value = words, .is_common = common, .help = text,                         \
        .type = MESHCAST_OPTION_CHOICE, .offset = offsetof(struct network_options, member),        \
        .choices = names                                                                           \
    }

const struct meshcast_option network_option_row[NETWORK_OPTION_ROWS] = {
    SCHEME_PARAMETER_ROW(struct network_options, parameters),
    CHOICE_ROW("switching", "NAME", true,
               "wormhole (the default: a blocked worm keeps its channels), cut-through (a\n"
               "header goes where its whole message has room), store-and-forward, or circuit\n"
               "(the header reserves the whole path; alone a worm of 2 flits or more takes\n"
               "startup + (hops + 1)(3 + router delay) + flits - 1 cycles,\n"
               "and flits - 2 more with V > 1 and B = 1)",
               switching, switching_names),
    NUMBER_ROW("vcs", "V", true, "virtual channels per link; the default is 1", vcs, 1,
               NETWORK_MAX_VCS),
    NUMBER_ROW("buffer", "B", true,
               "flits that a virtual channel holds; the default is 4. Under\n"
               "store-and-forward: messages that a node holds; the default is any number",
               buffer, 1, NETWORK_MAX_BUFFER),
    NUMBER_ROW("injection", "I", false,
               "channels by which a node sends; the default is as many as it has links", injection,
               1, NETWORK_MAX_CHANNELS),
    NUMBER_ROW("consumption", "C", false,
               "channels by which it takes in; the default is as many as it has links", consumption,
               1, NETWORK_MAX_CHANNELS),
    NUMBER_ROW("startup", "N", true,
               "cycles that a node works on each worm that it sends; the default is 0", startup, 0,
               NETWORK_MAX_DELAY),
    CHOICE_ROW("startup-mode", "NAME", false,
               "serial (the default: one worm after the other), or per-port (each\n"
               "injection channel by itself)",
               startup_mode, startup_mode_names),
    NUMBER_ROW("router-delay", "N", false,
               "cycles that a header waits in each router before it asks for an output;\n"
               "the default is 0",
               router_delay, 0, NETWORK_MAX_DELAY),
    CHOICE_ROW("ports", "all|one", false,
               "whether a node sends to all children at once, or to one at a time", ports,
               ports_names),
    CHOICE_ROW("release", "entered|left", false,
               "when a virtual channel is free again: when the worm's tail has entered its\n"
               "buffer (the default), or when it has left it",
               release, release_names),
    CHOICE_ROW("header", "NAME", false,
               "list or bitmap: a worm is longer by the flits that the numbers of its stops\n"
               "need, or a bit for each node, beyond its first flit; the default is none",
               header, header_names),
    NUMBER_ROW("flit-bits", "B", false, "bits of a flit of such a header; the default is 64",
               flit_bits, 1, NETWORK_MAX_FLIT_BITS),
    {.name = "seed",
     .value = "S",
     .help = "of random choices, decimal or 0x...; the default is 0",
     .type = MESHCAST_OPTION_SEED,
     .offset = offsetof(struct network_options, seed)},
    NUMBER_ROW("threads", "T", false,
               "the default is a thread per free core on large networks; results are the same\n"
               "for all T",
               threads, 1, 1024),
    REPORT_FORM_ROWS(struct network_options, form),
    {.name = "quiet",
     .letter = 'q',
     .help = "nothing on standard error but errors",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct network_options, quiet)},
    AVAILABLE_MEMORY_FORCE_ROW(struct network_options, force),
};

enum failure_kind network_options_check(const struct network_options *options,
                                        struct failure *failure)
{
    if (options->flit_bits > 0 && options->header == STOPS_UNNAMED)
        return fail(failure, FAIL_USAGE, "--flit-bits goes with --header list and bitmap");
    return FAIL_NONE;
}

struct network_settings network_options_settings(const struct network_options *options,
                                                 const struct topology *topology)
{
    struct network_settings settings = network_settings_default();
    uint32_t lines = topology->nodes / topology->shape.size[0];
    settings.switching = (enum switching)options->switching;
    settings.is_one_port = options->ports == 1;
    settings.releases_when_left = options->release == 1;
    settings.startup_is_per_port = options->startup_mode == 1;
    if (options->vcs > 0)
        settings.vcs = options->vcs;
    if (options->buffer > 0 || settings.switching == SWITCHING_STORE_AND_FORWARD)
        settings.buffer = options->buffer;
    settings.header = (enum header_form)options->header;
    if (options->flit_bits > 0)
        settings.flit_bits = options->flit_bits;
    settings.injection = options->injection;
    settings.consumption = options->consumption;
    settings.startup = options->startup;
    settings.router_delay = options->router_delay;
    settings.threads = parallel_threads_for(NULL, topology->nodes, lines, options->threads);
    return settings;
}

bool network_options_watch(void *context, uint64_t done, uint64_t all, uint64_t cycle)
{
    (void)cycle;
    progress_count(context, done, all);
    return interruption_noted() != 0;
}

/* ---- lengths ---- */

static bool read_flits(const char **text, uint32_t *flits)
{
    *flits = option_scan_number(*text, NETWORK_MAX_FLITS, text);
    return *flits > 0;
}

enum failure_kind flits_range_read(const char *text, struct flits_range *range,
                                   struct failure *failure)
{
    const char *at = text;
    bool is_read = read_flits(&at, &range->least);
    range->most = range->least;
    if (is_read && *at == ':') {
        at++;
        is_read = read_flits(&at, &range->most);
    }
    if (!is_read || *at != '\0' || range->most < range->least)
        return fail(failure, FAIL_USAGE,
                    "--flits takes a length L or a range A:B of lengths, 1 .. %d, not '%.40s'",
                    NETWORK_MAX_FLITS, text);
    return FAIL_NONE;
}

int accept_flits(void *field, char *value, struct failure *failure)
{
    return flits_range_read(value, field, failure);
}

int accept_clock(void *field, char *value, struct failure *failure)
{
    const char *at = value;
    double *clock = field;
    if (scan_fraction(&at, value + strlen(value), clock) && *at == '\0' && *clock > 0)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--clock takes a number of GHz above 0, such as 1.5, not '%.40s'", value);
}

const char *flits_range_text(struct flits_range range, char text[FLITS_TEXT])
{
    if (range.least == range.most)
        snprintf(text, FLITS_TEXT, "%u", range.least);
    else
        snprintf(text, FLITS_TEXT, "%u:%u", range.least, range.most);
    return text;
}
