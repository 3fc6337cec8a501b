/* load_options.c - the options of `load`: which there are, and what goes together. */
#include "cli/load_options.h"

#include "base/output_file.h"
#include "library/load_traffic.h"
#include "network/open_loop.h"
#include "topology/topology.h"

#include <stddef.h>
#include <string.h>

const char *const load_arrivals_names[] = {"geometric", "negative-binomial", NULL};

const struct meshcast_option load_option_row[LOAD_OPTION_ROWS] = {
    {.name = "topology",
     .value = "T",
     .is_common = true,
     .help = "mesh:16x16, torus:8x8x8 (1 to 8 dimensions, the slowest first), or\n"
             "graph:FILE (an edge list in which i and i + 1 are joined)",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct load_options, topology),
     .is_topology = true},
    {.name = "scheme",
     .value = "A,B,...",
     .is_common = true,
     .help = "how messages are sent: 'meshcast help schemes'",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct load_options, schemes),
     .accept = accept_schemes,
     .names = &scheme_names,
     .is_list = true},
    {.name = "rate",
     .value = "R,R,...",
     .is_common = true,
     .help = "messages that a node makes per cycle; above 0 and up to 1",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct load_options, rates),
     .accept = accept_rates},
    {.name = "destinations",
     .value = "K,K,...",
     .is_common = true,
     .help = "destinations per message; the default is 1",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct load_options, destinations),
     .accept = accept_destinations},
    {.name = "multicast-share",
     .value = "P",
     .is_common = true,
     .help = "the share of messages that are multicasts; these have --destinations, the\nothers "
             "one; the default is 1",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct load_options, multicast_share),
     .accept = accept_share},
    {.name = "flits",
     .value = "L|A:B,...",
     .is_common = true,
     .help = "lengths of messages (header included), or ranges from which each is drawn;\nthe "
             "default is 1",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct load_options, flits),
     .accept = accept_flits_list},
    {.name = "pattern",
     .value = "P",
     .help = "uniform (the default: all other nodes are as likely), or a permutation of\n"
             "'meshcast kernel': random, transpose, ..; 'meshcast kernel --help' has them all",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct load_options, pattern),
     .names = &load_pattern_names},
    {.name = "set",
     .value = "SET",
     .is_common = true,
     .help = "nodes draw each message from their own in this set",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct load_options, set),
     .is_file = true},
    {.name = "arrivals",
     .value = "NAME",
     .help = "times between a node's messages: geometric (the default), or\n"
             "negative-binomial, the sum of several geometric ones, which is steadier",
     .type = MESHCAST_OPTION_CHOICE,
     .offset = offsetof(struct load_options, arrivals),
     .choices = load_arrivals_names},
    {.name = "order",
     .value = "R",
     .help = "of negative-binomial arrivals, how many; the default is 2",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct load_options, order),
     .least = 1,
     .most = OPEN_LOOP_MAX_ORDER},
    {.name = "warmup",
     .value = "W",
     .help = "messages before those that are measured; the default is those of 50 zero-load\n"
             "latencies, and at least 4 per node and 1000",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct load_options, warmup),
     .least = 1,
     .most = OPEN_LOOP_MAX_MESSAGES},
    {.name = "measure",
     .value = "M",
     .help = "messages that are measured in a run; the default is those of 400 zero-load\n"
             "latencies, and at least 16 per node and 10000",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct load_options, measured),
     .least = OPEN_LOOP_BATCHES,
     .most = OPEN_LOOP_MAX_MESSAGES},
    {.name = "runs",
     .value = "N",
     .help = "runs repeat until the mean is known within 5 %, but N times at most; the\n"
             "default is 20",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct load_options, runs),
     .least = 1,
     .most = 1000},
    {.name = "finite",
     .help = "no messages arrive behind the measured ones; so a run ends at any load",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct load_options, is_finite)},
    {.name = "until-done",
     .help = "do not stop a run that is saturated; it ends when all measured messages are\n"
             "delivered, which may never happen: some can wait forever behind newer ones",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct load_options, is_patient)},
    {.name = "plot",
     .value = "FILE",
     .help = "latency against what varies, with its confidence: a picture (.png, .svg,\n"
             ".pdf) or the rows of --csv (.csv)",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct load_options, plot),
     .is_file = true},
    {.name = "db",
     .value = "FILE",
     .help = "store the points in this database, and take from it those that are there",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct load_options, database),
     .is_file = true},
};

enum failure_kind load_options_check(const struct load_options *options, struct failure *failure)
{
    char names[320];
    name_family_list(&scheme_names, names, sizeof names);
    if (options->topology == NULL)
        return fail(failure, FAIL_USAGE, "missing --topology, such as mesh:16x16");
    if (options->schemes.count == 0)
        return fail(failure, FAIL_USAGE, "missing --scheme NAME; the schemes are: %s", names);
    if (options->rates.count == 0)
        return fail(failure, FAIL_USAGE,
                    "missing --rate R,R,..: messages per node and cycle, such as 0.01,0.02");
    if (options->pattern != NULL && options->set != NULL)
        return fail(failure, FAIL_USAGE, "--pattern and --set exclude each other");
    if (options->destinations.count > 0 &&
        (options->set != NULL ||
         (options->pattern != NULL && strcmp(options->pattern, "uniform") != 0)))
        return fail(
            failure, FAIL_USAGE,
            "--destinations goes with uniform traffic; the pattern or set says them already");
    if (options->multicast_share > 0 && options->destinations.count == 0)
        return fail(failure, FAIL_USAGE,
                    "--multicast-share goes with --destinations, how many a multicast has");
    if (options->order > 0 && options->arrivals == ARRIVALS_GEOMETRIC)
        return fail(failure, FAIL_USAGE, "--order goes with --arrivals negative-binomial");
    if (network_options_check(&options->network, failure) != FAIL_NONE)
        return FAIL_USAGE;
    if (options->is_finite && options->is_patient)
        return fail(failure, FAIL_USAGE, "--finite and --until-done exclude each other");
    return scheme_parameters_check(&options->network.parameters, options->schemes.value,
                                   options->schemes.count, failure);
}

uint32_t load_options_order(const struct load_options *options)
{
    if (options->arrivals == ARRIVALS_GEOMETRIC)
        return 1;
    return options->order > 0 ? options->order : LOAD_DEFAULT_ORDER;
}

/* The database may not be there before it is opened; its name is. */
enum failure_kind load_options_check_plot(const struct load_options *command,
                                          struct failure *failure)
{
    const char *plot = command->plot, *database = command->database;
    if (plot == NULL)
        return FAIL_NONE;
    if (path_is_same_file(topology_text_file(command->topology), plot))
        return fail(failure, FAIL_USAGE, "the plot would overwrite the graph %s", plot);
    if (database != NULL && (strcmp(database, plot) == 0 || path_is_same_file(database, plot)))
        return fail(failure, FAIL_USAGE, "the plot would overwrite the database %s", plot);
    return FAIL_NONE;
}
