/* command_plan.c - `meshcast plan`: what the plans of a set's messages cost, scheme by scheme; nothing runs.
 *
 * Method: a plan is made, measured and forgotten before the next one, so that memory does not grow with the
 * messages. The first Ctrl-C ends the work and reports what there is, marked as partial, without the file of --each;
 * the program then dies of the signal.
 *
 * With `--each -` standard output is that file's, and the report goes to standard error.
 */
#include "base/output_file.h"
#include "cli/command.h"
#include "cli/load_lists.h"
#include "cli/report_plan.h"
#include "cli/scheme_options.h"
#include "console/interruption.h"
#include "console/progress.h"
#include "library/available_memory.h"
#include "library/report.h"
#include "schemes/steiner.h"
#include "workloads/message_set.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct plan_command {
    struct scheme_list schemes;
    struct scheme_parameters parameters;
    const char *topology, *each;
    struct message_choice messages;
    struct report_form form;
    bool bound, quiet, force;
};

static const struct meshcast_option rows[] = {
    {.name = "scheme",
     .value = "NAME,..",
     .is_common = true,
     .help = "which schemes plan: 'meshcast help schemes'",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct plan_command, schemes),
     .accept = accept_schemes,
     .names = &scheme_names,
     .is_list = true},
    SCHEME_PARAMETER_ROW(struct plan_command, parameters),
    {.name = "topology",
     .value = "T",
     .help = "graph:FILE, an edge list, for a set on a graph; else the set says it",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct plan_command, topology),
     .is_topology = true},
    FLITS_ROW(struct plan_command, messages.flits),
    {.name = "sources",
     .value = "K",
     .is_common = true,
     .help = "only the messages of K sources (drawn by the seed, as 'meshcast network' does)",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct plan_command, messages.sources),
     .least = 1,
     .most = TOPOLOGY_MAX_NODES},
    {.name = "seed",
     .value = "S",
     .help = "of random choices, decimal or 0x...; the default is 0",
     .type = MESHCAST_OPTION_SEED,
     .offset = offsetof(struct plan_command, messages.seed)},
    {.name = "each",
     .value = "FILE.csv",
     .is_common = true,
     .help = "the costs of every message, to FILE.csv; with '-' the report goes to standard\nerror",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct plan_command, each),
     .is_file = true},
    {.name = "bound",
     .help = "how few links any tree to a message's destinations has, beside each plan's traffic",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct plan_command, bound)},
    REPORT_FORM_ROWS(struct plan_command, form),
    {.name = "quiet",
     .letter = 'q',
     .help = "nothing on standard error but errors",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct plan_command, quiet)},
    AVAILABLE_MEMORY_FORCE_ROW(struct plan_command, force),
};

/* All that a run of the command needs. */
struct plan_run {
    const struct plan_command *command;
    const char *name; /* of the set */
    struct topology topology;
    struct chosen_messages chosen;
    uint64_t *bound; /* of each message's traffic; NULL: not asked for */
    struct output_file each;
    struct plan_row row[LOAD_LIST_MAX];
    struct plan_report report;
};

/* ---- before the first plan ---- */

static bool each_is_output(const struct plan_command *command)
{
    return command->each != NULL && strcmp(command->each, "-") == 0;
}

static enum failure_kind check_options(const struct plan_command *command, const char *set,
                                       struct failure *failure)
{
    char names[320];
    name_family_list(&scheme_names, names, sizeof names);
    if (report_form_check(command->form, each_is_output(command) ? "--each" : NULL, "the costs",
                          failure) != FAIL_NONE)
        return failure->kind;
    if (path_is_standard_output(command->each))
        return fail(failure, FAIL_USAGE,
                    "standard output goes to that file; --each must name another");
    if (path_is_same_file(set, command->each))
        return fail(failure, FAIL_USAGE, "the costs would overwrite the set %s", set);
    if (path_is_same_file(topology_text_file(command->topology), command->each))
        return fail(failure, FAIL_USAGE, "the costs would overwrite the graph %s", command->each);
    if (command->schemes.count == 0)
        return fail(failure, FAIL_USAGE, "missing --scheme NAME[,NAME..]; the schemes are: %s",
                    names);
    return scheme_parameters_check(&command->parameters, command->schemes.value,
                                   command->schemes.count, failure);
}

/* Chooses the words of each scheme's parameters, and checks that it can run there, and its memory beside `held`
 * bytes. Virtual channels are the network's affair. */
static enum failure_kind check_schemes(struct plan_run *run, struct memory_need need, uint64_t held,
                                       struct failure *failure)
{
    uint32_t degree = message_set_degree(run->chosen.set);
    for (uint32_t i = 0; i < run->command->schemes.count; i++) {
        struct plan_row *row = &run->row[i];
        row->scheme = run->command->schemes.value[i];
        if (scheme_parameters_choose(&run->command->parameters, row->scheme, &row->choices,
                                     failure) != FAIL_NONE ||
            scheme_check(row->scheme, &run->topology, &row->choices, UINT32_MAX, failure) !=
                FAIL_NONE)
            return failure->kind;
        uint64_t bytes = held + scheme_footprint(row->scheme, &run->topology, degree);
        if (scheme_check_memory(row->scheme, &run->topology, bytes, need, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

/* ---- the plans ---- */

/* What is kept from plan to plan. */
struct planner {
    struct plan plan;
    struct plan_meter meter;
    struct progress progress;
};

static enum failure_kind plan_message(struct plan_run *run, struct planner *planner,
                                      struct plan_row *row, uint32_t index, struct failure *failure)
{
    bool names_scheme = run->command->schemes.count > 1;
    struct plan_costs costs;
    struct multicast multicast = chosen_messages_at(&run->chosen, index);
    if (scheme_plan(row->scheme, &run->topology, &multicast, &row->choices, &planner->plan,
                    failure) != FAIL_NONE ||
        plan_measure(&planner->meter, row->scheme, &run->topology, &multicast, &planner->plan,
                     &costs, failure) != FAIL_NONE ||
        plan_measure_links(&planner->meter, &run->topology, &planner->plan, &costs, failure) !=
            FAIL_NONE)
        return failure->kind;
    plan_row_add(row, &costs, multicast.destinations);
    if (run->bound != NULL)
        row->least_traffic += costs.of[COST_TRAFFIC] == run->bound[index];
    if (run->each.file != NULL)
        report_plan_csv_row(row, names_scheme, chosen_messages_number(&run->chosen, index),
                            &multicast, &costs, run->bound == NULL ? NULL : &run->bound[index],
                            run->each.file);
    return FAIL_NONE;
}

/* Whether the rest is not wanted: a signal came, or the file cannot be written, which its closing will tell. */
static bool ends_early(const struct plan_run *run)
{
    return interruption_noted() != 0 || (run->each.file != NULL && ferror(run->each.file));
}

/* Finds the bounds of all messages' traffic, or of those until the rest is not wanted. */
static enum failure_kind bound_messages(struct plan_run *run, struct planner *planner,
                                        struct failure *failure)
{
    if (!run->command->bound)
        return FAIL_NONE;
    run->bound = memory_allocate(run->chosen.count, sizeof *run->bound);
    if (run->bound == NULL)
        return fail_memory(failure, "the bounds of trees");
    progress_begin(&planner->progress, "bound", run->command->quiet);
    for (uint32_t i = 0; i < run->chosen.count && !ends_early(run); i++) {
        struct multicast multicast = chosen_messages_at(&run->chosen, i);
        bool is_exact;
        if (steiner_bound(&run->topology, &multicast, &run->bound[i], &is_exact, failure) !=
            FAIL_NONE)
            break;
        run->report.traffic_bound += run->bound[i];
        run->report.bounds++;
        run->report.exact_bounds += is_exact;
        progress_count(&planner->progress, i + 1, run->chosen.count);
    }
    progress_end(&planner->progress);
    return failure->kind;
}

static enum failure_kind plan_scheme(struct plan_run *run, struct planner *planner,
                                     struct plan_row *row, struct failure *failure)
{
    progress_begin(&planner->progress, row->scheme->name, run->command->quiet);
    for (uint32_t i = 0; i < run->chosen.count && !ends_early(run); i++) {
        if (plan_message(run, planner, row, i, failure) != FAIL_NONE)
            break;
        progress_count(&planner->progress, i + 1, run->chosen.count);
    }
    progress_end(&planner->progress);
    return failure->kind;
}

static uint64_t deliveries_of(struct plan_run *run)
{
    const struct message_set *set = run->chosen.set;
    uint64_t deliveries = 0;
    for (uint32_t i = 0; i < run->chosen.count; i++)
        deliveries += set->offset[run->chosen.message[i] + 1] - set->offset[run->chosen.message[i]];
    return deliveries;
}

static void fill_report(struct plan_run *run)
{
    const struct plan_command *command = run->command;
    struct plan_report *report = &run->report;
    report->name = run->name;
    report->topology = &run->topology;
    report->messages = run->chosen.count;
    report->deliveries = deliveries_of(run);
    report->flits = run->chosen.flits;
    report->seed = command->messages.seed;
    report->row = run->row;
    report->rows = command->schemes.count;
    report->has_bounds = command->bound;
    for (uint32_t i = 0; i < report->rows; i++)
        report->is_partial |= run->row[i].messages < report->messages;
}

static enum failure_kind print_report(const struct plan_run *run, struct failure *failure)
{
    if (report_form_is_data(run->command->form))
        return report_print_data(run->command->form, report_plan_json(&run->report), NULL, failure);
    if (!each_is_output(run->command))
        report_print_plan(&run->report, stdout);
    else if (!run->command->quiet)
        report_print_plan(&run->report, stderr);
    return FAIL_NONE;
}

static enum failure_kind plan_all(struct plan_run *run, struct failure *failure)
{
    struct planner planner = {.plan = {0}};
    interruption_defer();
    if (output_file_open_held(&run->each, run->command->each, failure) != FAIL_NONE)
        return failure->kind;
    if (run->each.file != NULL)
        report_plan_csv_head(run->command->schemes.count > 1, run->command->bound, run->each.file);
    bound_messages(run, &planner, failure);
    for (uint32_t i = 0; i < run->command->schemes.count && failure->kind == FAIL_NONE; i++)
        plan_scheme(run, &planner, &run->row[i], failure);
    plan_free(&planner.plan);
    plan_meter_free(&planner.meter);
    free(run->bound);
    fill_report(run);
    bool keep = failure->kind == FAIL_NONE && !run->report.is_partial;
    struct failure own = {0};
    if (output_file_close(&run->each, keep, &own) != FAIL_NONE && failure->kind == FAIL_NONE)
        *failure = own;
    return failure->kind == FAIL_NONE ? print_report(run, failure) : failure->kind;
}

/* ---- the command ---- */

static enum failure_kind plan_set(struct plan_run *run, const struct message_set *set,
                                  struct memory_need need, struct failure *failure)
{
    const struct plan_command *command = run->command;
    uint64_t chosen = 4 * ((uint64_t)set->messages + message_set_degree(set)) + run->topology.nodes;
    if (chosen_messages_make(&run->chosen, set, &command->messages, failure) != FAIL_NONE)
        return failure->kind;
    if (check_schemes(run, need, message_set_footprint(set) + chosen, failure) == FAIL_NONE)
        plan_all(run, failure);
    chosen_messages_free(&run->chosen);
    return failure->kind;
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const struct plan_command *command = options;
    struct plan_run run = {.command = command, .name = operands->operand[0]};
    struct memory_need need = memory_need_of_run(NULL, command->force);
    struct message_set set = {0};
    if (check_options(command, run.name, failure) != FAIL_NONE ||
        message_set_read_network(&set, run.name, need.limit, failure) != FAIL_NONE)
        return failure->kind;
    report_cut_set(&set, run.name);
    if (message_set_topology(&set, command->topology, &run.topology, failure) == FAIL_NONE) {
        plan_set(&run, &set, need, failure);
        topology_free(&run.topology);
    }
    message_set_free(&set);
    return failure->kind;
}

const struct command command_plan = {
    .name = "plan",
    .summary = "what sending a set's messages costs, scheme by scheme; nothing runs",
    .examples = "  meshcast plan west.mcast --scheme dual,multi,ocms,otms\n"
                "  meshcast plan west.mcast --scheme ocms --param port=strict --json\n"
                "  meshcast plan west.mcast --scheme u-mesh,two-port --each costs.csv\n",
    .synopsis = "SET --scheme NAME[,NAME..] [options]",
    .operands = "SET, the message set to plan ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct plan_command),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .offer_parameters = completion_offer_scheme_parameters,
    .topics = "'meshcast help schemes'",
    .run = run,
};
