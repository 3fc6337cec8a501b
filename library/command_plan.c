/* command_plan.c - the command `plan`: the costs of the plans of a set's messages, scheme by
 * scheme; nothing runs.
 *
 * Method: a plan is made, measured and forgotten before the next one, so that memory does not grow
 * with the messages. An interrupt ends the work and reports the results so far, marked as partial,
 * without the file of --each.
 *
 * A cost that a scheme does not have is a dash, null, or an empty field; so is a mean over no
 * messages.
 */
#include "base/output_file.h"
#include "base/printable.h"
#include "library/command_set.h"
#include "library/commands.h"
#include "library/network_options.h"
#include "library/option_table.h"
#include "library/report_network.h"
#include "library/report_parts.h"
#include "library/table.h"
#include "network/schemes/plan_cost.h"
#include "network/schemes/steiner.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

struct plan_command {
    struct scheme_list schemes;
    struct scheme_parameters parameters;
    const char *topology, *without, *each;
    struct message_choice messages;
    bool bound, keeps_costs;
};

static const struct meshcast_option option_rows[] = {
    OPTION_LIST("schemes", "scheme", "A,B,...", COMMON, struct plan_command, schemes,
                accept_schemes, &scheme_names, "which schemes plan: 'meshcast help schemes'"),
    SCHEME_PARAMETER_ROWS(struct plan_command, parameters),
    SET_TOPOLOGY_ROW(struct plan_command, topology),
    OPTION_WITHOUT(RARE, struct plan_command, without),
    FLITS_ROW(COMMON, struct plan_command, messages.flits),
    OPTION_NUMBER("sources", "K", COMMON, struct plan_command, messages.sources, 1,
                  TOPOLOGY_MAX_NODES,
                  "only the messages of K sources (drawn by the seed, as 'meshcast network' does)"),
    OPTION_SEED(RARE, struct plan_command, messages.seed,
                "of random choices, decimal or 0x...; the default is 0"),
    OPTION_OUTPUT(
        "each", "FILE.csv", 0, COMMON, struct plan_command, each,
        "the costs of every message, to FILE.csv; with '-' the report goes to standard\nerror"),
    OPTION_FLAG(
        "bound", RARE, struct plan_command, bound,
        "how few links any tree to a message's destinations has, beside each plan's traffic"),
    OPTION_FLAG("keep-costs", RARE, struct plan_command, keeps_costs, NULL),
};

/* The plans of one scheme: its costs over all messages. */
struct plan_row {
    const struct scheme *scheme;
    struct scheme_choices choices;
    uint64_t messages, deliveries; /* planned; fewer than the set's if the run was interrupted */
    uint64_t total[PLAN_COSTS], largest[PLAN_COSTS]; /* without meaning if there is no such cost */
    /* For schemes that know a bound of the longest path: its sum; messages whose longest path is at
     * the bound. */
    uint64_t bound_total, proven;
    uint64_t least_traffic; /* messages whose traffic is at the bound of any tree's */
};

struct plan_report {
    const char *name; /* of the set */
    const struct topology *topology;
    uint64_t messages, deliveries, seed;
    struct flits_range flits; /* of the shortest and the longest message */
    const struct plan_row *row;
    uint32_t rows;
    bool is_partial;
    /* Bounds of any tree's links: their sum over messages, their number, and the number of those
     * that a tree attains. */
    bool has_bounds;
    uint64_t traffic_bound, bounds, exact_bounds;
};

/* The state of a run. */
struct plan_run {
    struct meshcast_command *command;
    const struct plan_command *options;
    const char *name; /* of the set */
    struct topology topology;
    struct chosen_messages chosen;
    uint64_t *bound; /* of each message's traffic; NULL: not requested */
    struct output_file each;
    struct plan_row row[NETWORK_LIST_MAX];
    uint64_t *kept[PLAN_COSTS + 1]; /* of --keep-costs; the report's */
    struct plan_report report;
};

/* ---- costs ---- */

static bool has_cost(const struct plan_row *row, enum plan_cost cost)
{
    return plan_has_cost(row->scheme, &row->choices, cost);
}

static void add_costs(struct plan_row *row, const struct plan_costs *costs, uint64_t deliveries)
{
    row->messages++;
    row->deliveries += deliveries;
    row->bound_total += costs->longest_bound;
    row->proven += costs->longest_bound == costs->of[COST_LONGEST_PATH];
    for (int i = 0; i < PLAN_COSTS; i++) {
        row->total[i] += costs->of[i];
        row->largest[i] = costs->of[i] > row->largest[i] ? costs->of[i] : row->largest[i];
    }
}

/* ---- JSON ---- */

/* True for costs of which the whole set's are reported; for the others it is the maximum of any
 * message. */
static bool is_total(enum plan_cost cost)
{
    return cost == COST_TRAFFIC || cost == COST_ADDITIONAL_TRAFFIC || cost == COST_STARTUPS ||
           cost == COST_SHARED_LINKS;
}

static void set_costs(struct report_object *object, const struct plan_row *row)
{
    for (int i = 0; i < PLAN_COSTS; i++) {
        enum plan_cost cost = (enum plan_cost)i;
        uint64_t value = is_total(cost) ? row->total[i] : row->largest[i];
        report_set_if(object, plan_cost_names[i], has_cost(row, cost), value);
        if (cost == COST_STARTUPS)
            report_set_count(object, "startups_max", row->largest[i]);
    }
}

static json_t *means_json(const struct plan_report *report, const struct plan_row *row)
{
    struct report_object object = report_object_open();
    for (int i = 0; i < PLAN_COSTS; i++)
        report_set_ratio(&object, plan_cost_names[i], (double)row->total[i],
                         has_cost(row, (enum plan_cost)i) ? (double)row->messages : 0);
    report_set_ratio(&object, "longest_path_bound", (double)row->bound_total,
                     row->scheme->bounds_longest ? (double)row->messages : 0);
    if (report->has_bounds)
        report_set_ratio(&object, "traffic_bound", (double)report->traffic_bound,
                         (double)report->bounds);
    return report_object_close(&object);
}

static json_t *row_json(const struct plan_report *report, const struct plan_row *row)
{
    struct report_object object = report_result_open();
    report_set(&object, "scheme", json_string(row->scheme->name));
    report_set(&object, "parameters", report_scheme_parameters(row->scheme, &row->choices));
    report_set_topology(&object, report->topology);
    report_set_count(&object, "messages", row->messages);
    report_set_count(&object, "deliveries", row->deliveries);
    report_set(&object, "flits", report_flits_json(report->flits));
    set_costs(&object, row);
    report_set_if(&object, "longest_path_proven", row->scheme->bounds_longest, row->proven);
    report_set(&object, "mean", means_json(report, row));
    if (report->has_bounds) {
        report_set_count(&object, "traffic_bound", report->traffic_bound);
        report_set_count(&object, "traffic_bound_exact", report->exact_bounds);
        report_set_count(&object, "traffic_least", row->least_traffic);
    }
    report_set(&object, "partial", json_boolean(row->messages < report->messages));
    report_set_seed(&object, report->seed);
    return report_object_close(&object);
}

static json_t *report_json(const struct plan_report *report)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < report->rows; i++)
        report_append(&array, row_json(report, &report->row[i]));
    return array;
}

/* ---- tables ---- */

static const char *const titles[PLAN_COSTS] = {"traffic",      "additional", "startups",
                                               "longest path", "all-port",   "one-port",
                                               "steps",        "on a link",  "shared links"};

static bool is_shown(const json_t *rows, const char *key)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *value = figures_find(json_array_get(rows, i), key);
        if (value != NULL && !json_is_null(value))
            return true;
    }
    return false;
}

/* Prints a row per scheme of the costs under `prefix` and their names; costs that no scheme has,
 * have no column. `totals` and `others` select the costs. */
static void print_block(const json_t *rows, const char *title, const char *prefix, bool totals,
                        bool others, FILE *out)
{
    char key[PLAN_COSTS][48];
    bool are_means = totals && others;
    uint32_t columns = 1;
    struct figure column[PLAN_COSTS + 3] = {{"scheme", title, FIGURE_TEXT, FIGURE_ALL, NULL}};
    if (!totals)
        column[columns++] =
            (struct figure){"startups_max", "startups", FIGURE_COUNT, FIGURE_ALL, NULL};
    for (int i = 0; i < PLAN_COSTS; i++) {
        snprintf(key[i], sizeof key[i], "%s%s", prefix, plan_cost_names[i]);
        if ((is_total((enum plan_cost)i) ? totals : others) && is_shown(rows, key[i]))
            column[columns++] = (struct figure){
                key[i], titles[i], are_means ? FIGURE_RATIO : FIGURE_COUNT, FIGURE_ALL, NULL};
    }
    table_print_text(&(struct table){&(struct figures){{column}}, rows, false}, out);
    fputc('\n', out);
}

/* Prints a text for each row. */
static void print_each_scheme(const json_t *rows, const char *first, const char *text, FILE *out)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        figures_print_text(json_array_get(rows, i), i == 0 ? first : text, out);
}

static void print_legend(const json_t *rows, FILE *out)
{
    fputs(
        "traffic: links that worms cross; additional: those beyond one per destination; startups:\n"
        "worms that are sent; longest path: links of the longest worm",
        out);
    if (is_shown(rows, plan_cost_names[COST_ALL_PORT]))
        fputs(";\nall-port, one-port: hops until the last destination has the message, if a node "
              "sends\n"
              "to all children at once, or to one after the other",
              out);
    if (is_shown(rows, plan_cost_names[COST_STEPS]))
        fputs(
            ";\nsteps: in each, each holder of the message sends one worm, or one over each of its "
            "ports",
            out);
    fputs(";\non a link: the most worms that cross one link; shared links: links that several "
          "cross.\n",
          out);
}

/* Returns the rows for people: a scheme without a plan, because of an interruption, has no
 * figures. */
static json_t *rows_for_people(const struct plan_report *report, const json_t *rows)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < report->rows; i++) {
        json_t *row = json_array_get(rows, i);
        report_append(&array,
                      report->is_partial && report->row[i].messages == 0
                          ? json_pack("{s:O, s:O}", "scheme", json_object_get(row, "scheme"),
                                      "messages", json_object_get(row, "messages"))
                          : json_incref(row));
    }
    return array;
}

static void print_table(const struct plan_report *report, const json_t *json, FILE *out)
{
    static const char
        parameters[] = "[{scheme}, {parameters}\n]",
        proven[] = "[{scheme}: of {longest_path_proven} of {messages} messages no star has a "
                   "shorter longest path; the bound's mean is {mean.longest_path_bound:.2}\n]";
    char topology[TOPOLOGY_LONG_TEXT_SIZE], name[PRINTABLE_NAME];
    json_t *rows = rows_for_people(report, json);
    topology_text(report->topology, topology);
    fprintf(out, "%s: %s, %" PRIu64 " message%s, %" PRIu64 " deliver%s\n",
            printable_name(report->name, name), topology, report->messages,
            report->messages == 1 ? "" : "s", report->deliveries,
            report->deliveries == 1 ? "y" : "ies");
    print_each_scheme(rows, parameters, parameters, out);
    fputc('\n', out);
    print_block(rows, "in all", "", true, false, out);
    print_block(rows, "mean", "mean.", true, true, out);
    print_block(rows, "largest", "", false, true, out);
    print_each_scheme(rows, proven, proven, out);
    if (report->has_bounds) {
        fprintf(out, "least traffic of any plan: at least %" PRIu64 " in all",
                report->traffic_bound);
        figures_print_text(json_array_get(rows, 0), "[, mean {mean.traffic_bound:.2}]", out);
        fprintf(out, "; exactly known of %" PRIu64 " of %" PRIu64 " messages\n",
                report->exact_bounds, report->bounds);
        print_each_scheme(rows, "messages with no more: {scheme} {traffic_least}",
                          ", {scheme} {traffic_least}", out);
        fputs("\n\n", out);
    }
    print_legend(rows, out);
    if (report->is_partial) { /* figures of different messages cannot be compared */
        print_each_scheme(
            rows,
            "The run was interrupted: these are the plans that were made until then,\n"
            "{scheme} {messages}",
            ", {scheme} {messages}", out);
        fprintf(out, " of %" PRIu64 " messages.\n", report->messages);
    }
    json_decref(rows);
}

/* ---- the file of --each ---- */

static void print_each_head(bool names_scheme, bool has_bound, FILE *out)
{
    fprintf(out, "%smessage,source,destinations", names_scheme ? "scheme," : "");
    for (int i = 0; i < PLAN_COSTS; i++)
        fprintf(out, ",%s", plan_cost_names[i]);
    if (has_bound)
        fputs(",traffic_bound", out);
    fputc('\n', out);
}

static void print_each_row(const struct plan_row *row, bool names_scheme, uint32_t message,
                           const struct multicast *multicast, const struct plan_costs *costs,
                           const uint64_t *bound, FILE *out)
{
    if (names_scheme)
        fprintf(out, "%s,", row->scheme->name);
    fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, message, multicast->source,
            multicast->destinations);
    for (int i = 0; i < PLAN_COSTS; i++)
        if (costs->of[i] == PLAN_NO_COST)
            fputc(',', out);
        else
            fprintf(out, ",%" PRIu64, costs->of[i]);
    if (bound != NULL)
        fprintf(out, ",%" PRIu64, *bound);
    fputc('\n', out);
}

/* ---- before the first plan ---- */

static enum failure_kind check_options(const struct plan_command *options, struct failure *failure)
{
    if (options->schemes.count == 0)
        return scheme_missing(failure);
    return scheme_parameters_check(&options->parameters, options->schemes.value,
                                   options->schemes.count, failure);
}

/* Chooses the words of each scheme's parameters, and checks that it can run there. Virtual channels
 * are checked by the network. */
static enum failure_kind check_schemes(struct plan_run *run, struct failure *failure)
{
    const struct plan_command *options = run->options;
    for (uint32_t i = 0; i < options->schemes.count; i++) {
        struct plan_row *row = &run->row[i];
        row->scheme = options->schemes.value[i];
        if (scheme_parameters_choose(&options->parameters, row->scheme, &row->choices, failure) !=
                FAIL_NONE ||
            scheme_check(row->scheme, &run->topology, &row->choices, UINT32_MAX, failure) !=
                FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

/* ---- the plans ---- */

/* State kept from plan to plan. */
struct planner {
    struct plan plan;
    struct plan_meter meter;
};

/* Keeps the costs of a message of the row's scheme for the program that requested them. */
static void keep_costs(struct plan_run *run, const struct plan_row *row, uint32_t index,
                       const struct plan_costs *costs)
{
    size_t place = (size_t)(row - run->row) * run->chosen.count + index;
    if (!run->options->keeps_costs)
        return;
    for (int i = 0; i < PLAN_COSTS; i++)
        run->kept[i][place] = costs->of[i];
    run->kept[PLAN_COSTS][place] = costs->longest_bound;
}

static enum failure_kind plan_message(struct plan_run *run, struct planner *planner,
                                      struct plan_row *row, uint32_t index, struct failure *failure)
{
    bool names_scheme = run->options->schemes.count > 1;
    struct plan_costs costs;
    struct multicast multicast = chosen_messages_at(&run->chosen, index);
    if (scheme_plan(row->scheme, &run->topology, &multicast, &row->choices, &planner->plan,
                    failure) != FAIL_NONE ||
        plan_measure(&planner->meter, row->scheme, &run->topology, &multicast, &planner->plan,
                     &costs, failure) != FAIL_NONE ||
        plan_measure_links(&planner->meter, &run->topology, &planner->plan, &costs, failure) !=
            FAIL_NONE)
        return failure->kind;
    add_costs(row, &costs, multicast.destinations);
    keep_costs(run, row, index, &costs);
    if (run->bound != NULL)
        row->least_traffic += costs.of[COST_TRAFFIC] == run->bound[index];
    if (run->each.file != NULL)
        print_each_row(row, names_scheme, chosen_messages_number(&run->chosen, index), &multicast,
                       &costs, run->bound == NULL ? NULL : &run->bound[index], run->each.file);
    return FAIL_NONE;
}

/* True if the rest is not wanted: an interrupt came, or the file cannot be written, which its
 * closing reports. */
static bool ends_early(const struct plan_run *run)
{
    return interrupt_is_sent(run->command->interrupt) ||
           (run->each.file != NULL && ferror(run->each.file));
}

/* Finds the bounds of all messages' traffic, or of those until the rest is not wanted. */
static enum failure_kind bound_messages(struct plan_run *run, struct failure *failure)
{
    if (!run->options->bound)
        return FAIL_NONE;
    run->bound = memory_allocate(run->chosen.count, sizeof *run->bound);
    if (run->bound == NULL)
        return fail_memory(failure, "the bounds of trees");
    for (uint32_t i = 0; i < run->chosen.count && !ends_early(run); i++) {
        struct multicast multicast = chosen_messages_at(&run->chosen, i);
        bool is_exact;
        command_progress(run->command, i, run->chosen.count, "bound");
        if (steiner_bound(&run->topology, &multicast, &run->bound[i], &is_exact, failure) !=
            FAIL_NONE)
            break;
        run->report.traffic_bound += run->bound[i];
        run->report.bounds++;
        run->report.exact_bounds += is_exact;
    }
    return failure->kind;
}

static enum failure_kind plan_scheme(struct plan_run *run, struct planner *planner,
                                     struct plan_row *row, struct failure *failure)
{
    for (uint32_t i = 0; i < run->chosen.count && !ends_early(run); i++) {
        command_progress(run->command, i, run->chosen.count, row->scheme->name);
        if (plan_message(run, planner, row, i, failure) != FAIL_NONE)
            break;
    }
    return failure->kind;
}

static uint64_t deliveries_of(const struct plan_run *run)
{
    const struct message_set *set = run->chosen.set;
    uint64_t deliveries = 0;
    for (uint32_t i = 0; i < run->chosen.count; i++)
        deliveries += set->offset[run->chosen.message[i] + 1] - set->offset[run->chosen.message[i]];
    return deliveries;
}

static void fill_report(struct plan_run *run)
{
    struct plan_report *report = &run->report;
    report->name = run->name;
    report->topology = &run->topology;
    report->messages = run->chosen.count;
    report->deliveries = deliveries_of(run);
    report->flits = run->chosen.flits;
    report->seed = run->options->messages.seed;
    report->row = run->row;
    report->rows = run->options->schemes.count;
    report->has_bounds = run->options->bound;
    for (uint32_t i = 0; i < report->rows; i++)
        report->is_partial |= run->row[i].messages < report->messages;
}

/* Makes the arrays of --keep-costs: the costs of all messages by the first scheme, by the next one,
 * ..; and the numbers of the messages in the set. */
static enum failure_kind make_arrays(struct plan_run *run, struct meshcast_report *report,
                                     struct failure *failure)
{
    size_t messages = run->chosen.count, count = messages * run->options->schemes.count;
    if (!run->options->keeps_costs)
        return FAIL_NONE;
    for (int i = 0; i <= PLAN_COSTS; i++) {
        run->kept[i] = memory_allocate(count, sizeof *run->kept[i]);
        if (run->kept[i] == NULL)
            return fail_memory(failure, "the costs of plans");
        report_take_array(report, i < PLAN_COSTS ? plan_cost_names[i] : "longest_path_bound",
                          run->kept[i], count, true);
    }
    uint32_t *number = memory_allocate(messages, sizeof *number);
    if (number == NULL)
        return fail_memory(failure, "the costs of plans");
    for (uint32_t i = 0; i < messages; i++)
        number[i] = chosen_messages_number(&run->chosen, i);
    report_take_array(report, "messages", number, messages, false);
    return FAIL_NONE;
}

static enum failure_kind plan_all(struct plan_run *run, struct failure *failure)
{
    struct planner planner = {.plan = {0}};
    const struct plan_command *options = run->options;
    if (output_file_open_held(&run->each, options->each, failure) != FAIL_NONE)
        return failure->kind;
    if (run->each.file != NULL)
        print_each_head(options->schemes.count > 1, options->bound, run->each.file);
    bound_messages(run, failure);
    for (uint32_t i = 0; i < options->schemes.count && failure->kind == FAIL_NONE; i++)
        plan_scheme(run, &planner, &run->row[i], failure);
    plan_free(&planner.plan);
    plan_meter_free(&planner.meter);
    free(run->bound);
    fill_report(run);
    bool keep = failure->kind == FAIL_NONE && !run->report.is_partial;
    output_file_close(&run->each, keep, failure);
    return failure->kind;
}

/* ---- the command ---- */

static enum failure_kind plan_set(struct plan_run *run, const struct message_set *set,
                                  struct meshcast_report *report, struct failure *failure)
{
    if (chosen_messages_make(&run->chosen, set, &run->options->messages, failure) != FAIL_NONE)
        return failure->kind;
    if (check_schemes(run, failure) == FAIL_NONE &&
        make_arrays(run, report, failure) == FAIL_NONE && plan_all(run, failure) == FAIL_NONE &&
        report_take_json(report, report_json(&run->report), NULL, failure) == FAIL_NONE) {
        print_table(&run->report, report->json, command_table(report));
        interrupt_check(run->command->interrupt, failure);
    }
    chosen_messages_free(&run->chosen);
    return failure->kind;
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    struct plan_run plans = {.command = command, .options = command->options};
    struct command_traffic traffic;
    if (check_options(plans.options, failure) != FAIL_NONE ||
        command_read_traffic(command, 0, &traffic, failure) != FAIL_NONE)
        return failure->kind;
    plans.name = traffic.name;
    if (command_set_topology(command, &traffic.set, plans.options->topology, &plans.topology,
                             failure) == FAIL_NONE &&
        command_break_set_topology(command, &traffic.set, traffic.name, plans.options->without,
                                   true, &plans.topology, failure) == FAIL_NONE) {
        plan_set(&plans, &traffic.set, report, failure);
        command_topology_free(command, &plans.topology);
    }
    command_traffic_free(&traffic);
    return failure->kind;
}

const struct meshcast_command_row command_plan = {
    .name = "plan",
    .summary = "what sending a set's messages costs, scheme by scheme; nothing runs",
    .examples = "  meshcast plan west.mcast --scheme dual,multi,ocms,otms\n"
                "  meshcast plan west.mcast --scheme ocms --param port=strict --json\n"
                "  meshcast plan west.mcast --scheme u-mesh,two-port --each costs.csv\n",
    .synopsis = "SET --schemes A,B,... [options]",
    .operands = "SET, the message set to plan ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct plan_command),
    .options = {{option_rows, sizeof option_rows / sizeof *option_rows, 0}},
    .offer_parameters = scheme_offer_parameters,
    .topics = "'meshcast help schemes'",
    .ends_early = true,
    .run = run,
};
