/* report_plan.c - the costs of schemes' plans as JSON, as tables, as CSV.
 *
 * What a scheme does not have is a dash, null, or an empty field; so is a mean over no messages.
 */
#include "cli/report_plan.h"

#include "base/printable.h"
#include "cli/report_network.h"
#include "library/meshcast.h"
#include "library/report_parts.h"

#include <inttypes.h>

enum { COLUMN = 13, NAME = 10 };

static bool has_cost(const struct plan_row *row, enum plan_cost cost)
{
    return plan_has_cost(row->scheme, &row->choices, cost);
}

void plan_row_add(struct plan_row *row, const struct plan_costs *costs, uint64_t deliveries)
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

/* Costs of which the whole set's are asked for; of the others, those of any message at most. */
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
        report_set(object, plan_cost_names[i],
                   has_cost(row, cost) ? json_integer((json_int_t)value) : json_null());
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
    struct report_object object = report_object_open();
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(&object, "scheme", json_string(row->scheme->name));
    report_set(&object, "parameters", report_scheme_parameters(row->scheme, &row->choices));
    report_set_topology(&object, report->topology);
    report_set_count(&object, "messages", row->messages);
    report_set_count(&object, "deliveries", row->deliveries);
    report_set(&object, "flits", report_flits_json(report->flits));
    set_costs(&object, row);
    report_set(&object, "longest_path_proven",
               row->scheme->bounds_longest ? json_integer((json_int_t)row->proven) : json_null());
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

json_t *report_plan_json(const struct plan_report *report)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < report->rows; i++)
        if (json_array_append_new(array, row_json(report, &report->row[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

/* ---- tables ---- */

static const char *const titles[PLAN_COSTS] = {"traffic",      "additional", "startups",
                                               "longest path", "all-port",   "one-port",
                                               "steps",        "on a link",  "shared links"};

/* Whether a scheme has the cost: else it has no column. */
static bool is_shown(const struct plan_report *report, enum plan_cost cost)
{
    for (uint32_t i = 0; i < report->rows; i++)
        if (has_cost(&report->row[i], cost))
            return true;
    return false;
}

enum block { IN_ALL, MEAN, LARGEST, BLOCKS };

/* Whether an interruption came before the scheme's first plan. */
static bool is_left_out(const struct plan_report *report, const struct plan_row *row)
{
    return report->is_partial && row->messages == 0;
}

static const char *figure_text(const struct plan_report *report, const struct plan_row *row,
                               enum plan_cost cost, enum block block, char text[32])
{
    if (!has_cost(row, cost) || is_left_out(report, row))
        return "-";
    if (block == MEAN)
        return report_ratio_text((double)row->total[cost], (double)row->messages, text);
    if (block == IN_ALL && !is_total(cost))
        return "";
    snprintf(text, 32, "%" PRIu64, block == IN_ALL ? row->total[cost] : row->largest[cost]);
    return text;
}

/* A row a scheme; costs that no scheme has, or that have no total, have no column. */
static void print_block(const struct plan_report *report, enum block block, FILE *out)
{
    static const char *const names[BLOCKS] = {"in all", "mean", "largest"};
    char line[NAME + PLAN_COSTS * COLUMN + 2], text[32];
    for (uint32_t i = 0; i <= report->rows; i++) {
        const struct plan_row *row = i > 0 ? &report->row[i - 1] : NULL;
        int used = snprintf(line, sizeof line, "%-*s", NAME,
                            row == NULL ? names[block] : row->scheme->name);
        for (int c = 0; c < PLAN_COSTS; c++) {
            enum plan_cost cost = (enum plan_cost)c;
            if (!is_shown(report, cost) || (block == IN_ALL && !is_total(cost)))
                continue;
            used += snprintf(line + used, sizeof line - (size_t)used, "%*s", COLUMN,
                             row == NULL ? titles[c] : figure_text(report, row, cost, block, text));
        }
        if (row == NULL)
            report_print_heading(line, out);
        else
            fprintf(out, "%s\n", line);
    }
    fputc('\n', out);
}

static void print_parameters(const struct plan_report *report, FILE *out)
{
    for (uint32_t i = 0; i < report->rows; i++)
        if (report->row[i].scheme->parameter[0].name != NULL) {
            report_print_scheme(report->row[i].scheme, &report->row[i].choices, out);
            fputc('\n', out);
        }
}

/* How many longest paths are known to be the shortest that the scheme's kind of plan can have. */
static void print_bounds(const struct plan_report *report, FILE *out)
{
    bool has_bounds = false;
    char text[32];
    for (uint32_t i = 0; i < report->rows; i++) {
        const struct plan_row *row = &report->row[i];
        if (!row->scheme->bounds_longest || is_left_out(report, row))
            continue;
        has_bounds = true;
        fprintf(out,
                "%s: of %" PRIu64 " of %" PRIu64
                " messages no star has a shorter longest path; the bound's mean is %s\n",
                row->scheme->name, row->proven, row->messages,
                report_ratio_text((double)row->bound_total, (double)row->messages, text));
    }
    if (has_bounds)
        fputc('\n', out);
}

/* How few links any tree has, and of how many messages a scheme's plans have no more. */
static void print_traffic_bound(const struct plan_report *report, FILE *out)
{
    char text[32];
    if (!report->has_bounds)
        return;
    fprintf(out,
            "least traffic of any plan: at least %" PRIu64
            " in all, mean %s; exactly known of %" PRIu64 " of %" PRIu64 " messages",
            report->traffic_bound,
            report_ratio_text((double)report->traffic_bound, (double)report->bounds, text),
            report->exact_bounds, report->bounds);
    fputs("\nmessages with no more:", out);
    for (uint32_t i = 0; i < report->rows; i++)
        fprintf(out, "%s %s %" PRIu64, i > 0 ? "," : "", report->row[i].scheme->name,
                report->row[i].least_traffic);
    fputs("\n\n", out);
}

static void print_legend(const struct plan_report *report, FILE *out)
{
    fputs("traffic: links that worms cross; additional: those beyond one a destination; startups:\n"
          "worms that are sent; longest path: links of the longest worm",
          out);
    if (is_shown(report, COST_ALL_PORT))
        fputs(";\nall-port, one-port: hops until the last destination has the message, if a node "
              "sends\n"
              "to all children at once, or to one after the other",
              out);
    if (is_shown(report, COST_STEPS))
        fputs(";\nsteps: in each, whoever has the message sends one worm, or one over each of its "
              "ports",
              out);
    fputs(";\non a link: the most worms that cross one link; shared links: links that several "
          "cross.\n",
          out);
}

/* How far an interrupted run came, since figures of different messages are not to be compared. */
static void print_made(const struct plan_report *report, FILE *out)
{
    fputs("The run was interrupted: these are the plans that were made until then,\n", out);
    for (uint32_t i = 0; i < report->rows; i++)
        fprintf(out, "%s%s %" PRIu64, i > 0 ? ", " : "", report->row[i].scheme->name,
                report->row[i].messages);
    fprintf(out, " of %" PRIu64 " messages.\n", report->messages);
}

void report_print_plan(const struct plan_report *report, FILE *out)
{
    char topology[TOPOLOGY_TEXT_SIZE], name[PRINTABLE_NAME];
    shape_text(&report->topology->shape, topology);
    fprintf(out, "%s: %s, %" PRIu64 " message%s, %" PRIu64 " deliver%s\n",
            printable_name(report->name, name), topology, report->messages,
            report->messages == 1 ? "" : "s", report->deliveries,
            report->deliveries == 1 ? "y" : "ies");
    print_parameters(report, out);
    fputc('\n', out);
    for (int block = 0; block < BLOCKS; block++)
        print_block(report, (enum block)block, out);
    print_bounds(report, out);
    print_traffic_bound(report, out);
    print_legend(report, out);
    if (report->is_partial)
        print_made(report, out);
}

/* ---- CSV ---- */

void report_plan_csv_head(bool names_scheme, bool has_bound, FILE *out)
{
    fprintf(out, "%smessage,source,destinations", names_scheme ? "scheme," : "");
    for (int i = 0; i < PLAN_COSTS; i++)
        fprintf(out, ",%s", plan_cost_names[i]);
    if (has_bound)
        fputs(",traffic_bound", out);
    fputc('\n', out);
}

void report_plan_csv_row(const struct plan_row *row, bool names_scheme, uint32_t message,
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
