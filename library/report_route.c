/* report_route.c - what a run of a router came to, as JSON and as a table.
 *
 * A run that failed has what is known of it, and why. Ratios whose divisor is 0 are null.
 */
#include "base/printable.h"
#include "library/commands.h"
#include "library/report.h"

#include <inttypes.h>
#include <string.h>

/* ---- JSON ---- */

static json_t *parameters_json(const struct router_result *result)
{
    struct report_object object = report_object_open();
    for (uint32_t i = 0; i < result->parameters; i++)
        report_set(&object, result->parameter[i].name,
                   report_json_text(result->parameter[i].value));
    return report_object_close(&object);
}

void report_set_home(struct report_object *object, const struct home_count *home)
{
    report_set_count(object, "messages_at_home", home->messages);
    report_set_count(object, "deliveries_at_home", home->deliveries);
}

void report_set_instance(struct report_object *object, const struct instance *instance)
{
    const struct message_set *message_set = &instance->set;
    report_set_count(object, "rows", message_set->mesh.rows);
    report_set_count(object, "cols", message_set->mesh.cols);
    report_set_count(object, "nodes", mesh_nodes(message_set->mesh));
    report_set_count(object, "messages", message_set_all_messages(message_set));
    report_set_count(object, "degree", instance->degree);
    report_set_count(object, "congestion", instance->congestion);
    report_set_count(object, "messages_per_node", instance->most_sent);
    report_set_count(object, "deliveries", message_set_all_deliveries(message_set));
    report_set_home(object, &message_set->home);
}

void report_set_request(struct report_object *object, const struct run_report *report)
{
    report_set(object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(object, "set", report_json_text(report->instance->name));
    report_set(object, "router", json_string(report->router->name));
    report_set(object, "copy", json_string(run_copy_name(report->options)));
    if (report->options->reduces)
        report_set(object, "reduce", json_string("sum"));
    report_set_instance(object, report->instance);
    report_set_seed(object, report->options->seed);
}

void report_set_run(struct report_object *object, const struct run_report *report)
{
    const char *ran_as = report->result.ran_as;
    report_set_word(object, "ran_as", ran_as[0] != '\0' ? ran_as : NULL);
    report_set(object, "parameters", parameters_json(&report->result));
}

static json_t *attempt_json(const struct router_attempt *attempt)
{
    struct report_object object = report_object_open();
    report_set_count(&object, "congestion", attempt->congestion);
    report_set_nonzero(&object, "budget", attempt->budget);
    report_set_buffer(&object, attempt->buffer_capacity, attempt->buffer_peak);
    report_set_steps(&object, attempt->steps, attempt->sync_steps);
    report_set_count(&object, "discarded", attempt->discarded);
    report_set(&object, "stands", json_boolean(attempt->stands));
    return report_object_close(&object);
}

static json_t *attempts_json(const struct router_result *result)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < result->attempts; i++)
        report_append(&array, attempt_json(&result->attempt[i]));
    return array;
}

static json_t *figures_json(const struct router_result *result)
{
    struct report_object object = report_object_open();
    for (uint32_t i = 0; i < result->figures; i++)
        report_set_count(&object, result->figure[i].key, result->figure[i].value);
    return report_object_close(&object);
}

static void set_steps(struct report_object *object, const struct run_report *report)
{
    const struct instance *instance = report->instance;
    const struct router_result *result = &report->result;
    bool copy_is_free = run_copy_is_free(report->options);
    uint64_t bound = instance_lower_bound(instance, copy_is_free);
    report_set_steps(object, result->steps, result->sync_steps);
    report_set_nonzero(object, "proven_steps", result->proven_steps);
    report_set(object, "foretold", figures_json(result));
    report_set_phases(object, result->phase, result->phases);
    report_set(object, "sqrt_cn", json_real(instance->sqrt_cn));
    /* ratios are of runs that have delivered everything */
    bool is_whole = result->missing == 0;
    report_set_ratio(object, "steps_per_sqrt_cn", (double)result->steps,
                     is_whole ? instance->sqrt_cn : 0);
    report_set_count(object, "lower_bound", bound);
    report_set_ratio(object, "steps_per_lower_bound", (double)result->steps,
                     is_whole ? (double)bound : 0);
    report_set(object, "lower_bound_kind",
               json_string(instance_lower_bound_name(instance, copy_is_free)));
}

/* The steps by which 50, 95 and 99 percent had been delivered, and of each percent from 0, which is the first
 * delivery. */
static void set_delivery_steps(struct report_object *object, const struct router_result *result)
{
    struct report_object steps = report_object_open();
    json_t *curve = json_array();
    for (uint32_t i = 0; i < DELIVERY_PERCENTS; i++)
        report_append(&curve, json_integer((json_int_t)result->delivery_step[i]));
    report_set_count(&steps, "median", result->delivery_step[50]);
    report_set_count(&steps, "p95", result->delivery_step[95]);
    report_set_count(&steps, "p99", result->delivery_step[99]);
    report_set(&steps, "curve", curve);
    report_set(object, "delivery_steps", report_object_close(&steps));
}

static void set_counters(struct report_object *object, const struct router_result *result)
{
    struct report_peak peak = report_route_peak(result);
    report_set_peak(object, &peak);
    report_set_hops(object, result->packet_hops, result->word_hops, result->copies);
    report_set_count(object, "delivered", result->delivered);
    report_set_count(object, "missing", result->missing);
    if (result->missing == 0 && result->delivered > 0)
        set_delivery_steps(object, result);
    else
        report_set(object, "delivery_steps", json_null());
    report_set_count(object, "threads", result->threads);
    report_set(object, "wall_seconds", json_real(result->wall_seconds));
}

json_t *report_route_json(const struct run_report *report)
{
    struct report_object object = report_object_open();
    report_set_request(&object, report);
    if (run_has_figures(&report->failure)) {
        report_set_run(&object, report);
        if (report->options->congestion_is_unknown || report->result.attempts > 0)
            report_set(&object, "attempts", attempts_json(&report->result));
        set_steps(&object, report);
        set_counters(&object, &report->result);
    }
    report_set_error(&object, &report->failure);
    return report_object_close(&object);
}

/* ---- the table ---- */

const char *report_root_name(const struct instance *instance)
{
    return instance->most_sent > 1 ? "sqrt(l c n)" : "sqrt(c n)";
}

void report_print_home(const struct home_count *home, uint64_t messages, uint64_t deliveries,
                       FILE *out)
{
    if (home->messages > 0)
        fprintf(out, "%" PRIu32 " of %" PRIu64 " messages and ", home->messages, messages);
    if (home->deliveries > 0)
        fprintf(out, "%" PRIu64 " of %" PRIu64 " deliveries stay on their node\n", home->deliveries,
                deliveries);
}

void report_print_instance(const struct instance *instance, bool copy_is_free, FILE *out)
{
    const struct message_set *set = &instance->set;
    uint32_t messages = message_set_all_messages(set);
    uint64_t deliveries = message_set_all_deliveries(set);
    char name[PRINTABLE_NAME];
    fprintf(out,
            "%s: %" PRIu32 " x %" PRIu32 " nodes, %" PRIu32 " message%s, %" PRIu64 " deliver%s\n",
            printable_name(instance->name, name), set->mesh.rows, set->mesh.cols, messages,
            messages == 1 ? "" : "s", deliveries, deliveries == 1 ? "y" : "ies");
    report_print_home(&set->home, message_set_given_messages(set),
                      message_set_given_deliveries(set), out);
    fprintf(out, "degree d = %" PRIu32 ", congestion c = %" PRIu32 ", ", instance->degree,
            instance->congestion);
    if (instance->most_sent > 1)
        fprintf(out, "l = %" PRIu32 " messages per node, ", instance->most_sent);
    uint64_t bound = instance_lower_bound(instance, copy_is_free);
    fprintf(out, "%s = %.1f, lower bound %" PRIu64 " step%s (%s)\n", report_root_name(instance),
            instance->sqrt_cn, bound, bound == 1 ? "" : "s",
            instance_lower_bound_name(instance, copy_is_free));
}

struct report_peak report_route_peak(const struct router_result *result)
{
    return (struct report_peak){.capacity = result->buffer_capacity,
                                .packets = result->buffer_peak,
                                .node = result->buffer_peak_node,
                                .step = result->buffer_peak_step,
                                .phase = result->buffer_peak_phase};
}

void report_print_title(const struct run_report *report, FILE *out)
{
    char title[256];
    const struct router_result *result = &report->result;
    bool is_unknown = report->options->congestion_is_unknown;
    const char *runs_as = result->ran_as[0] == '\0' ? ""
                          : result->attempts > 0    ? ", in the last attempt run as "
                                                    : ", for this c run as ";
    int used = snprintf(title, sizeof title, "router %s%s%s%s, %s", report->router->name,
                        is_unknown ? ", c unknown" : "", runs_as, result->ran_as,
                        run_copies_text(report->options));
    for (uint32_t i = 0; i < result->parameters && used < (int)sizeof title; i++)
        used += snprintf(title + used, sizeof title - (size_t)used, ", %s=%s",
                         result->parameter[i].name, result->parameter[i].value);
    report_print_heading(title, out);
}

static void print_steps(const struct report_table *table, const struct run_report *report)
{
    const struct router_result *result = &report->result;
    double bound =
        (double)instance_lower_bound(report->instance, run_copy_is_free(report->options));
    char note[80] = "", name[32];
    bool is_whole = result->missing == 0; /* ratios are of runs that have delivered everything */
    if (!is_whole)
        snprintf(note, sizeof note, "until it failed");
    else if (result->sync_steps != 0)
        snprintf(note, sizeof note, "of which %" PRIu64 " for synchronisation", result->sync_steps);
    report_print_count(table, "steps", result->steps, note);
    if (result->proven_steps > 0)
        report_print_count(table, "steps, at most", result->proven_steps,
                           "known before the run, for every set");
    for (uint32_t i = 0; i < result->figures; i++)
        report_print_count(table, result->figure[i].name, result->figure[i].value,
                           result->figure[i].note);
    snprintf(name, sizeof name, "steps / %s", report_root_name(report->instance));
    report_print_ratio(table, name, (double)result->steps, is_whole ? report->instance->sqrt_cn : 0,
                       "");
    report_print_ratio(table, "steps / lower bound", (double)result->steps, is_whole ? bound : 0,
                       "");
}

static void print_attempt(const struct router_attempt *attempt, uint32_t number, FILE *out)
{
    char limits[80] = "any number of steps allowed";
    if (attempt->budget > 0)
        snprintf(limits, sizeof limits, "%" PRIu64 " steps allowed", attempt->budget);
    fprintf(out, "    %" PRIu32 ": c = %" PRIu32 ", %s: %s", number, attempt->congestion, limits,
            attempt->stands ? "stands" : "void");
    fprintf(out, " after %" PRIu64 " steps, %" PRIu64 " of them for synchronisation",
            attempt->steps, attempt->sync_steps);
    if (attempt->discarded > 0)
        fprintf(out, "; no room for %" PRIu64 " packets", attempt->discarded);
    fputc('\n', out);
}

static void print_attempts(const struct report_table *table, const struct run_report *report)
{
    const struct router_result *result = &report->result;
    if (result->attempts == 0)
        return;
    report_print_count(table, "attempts", result->attempts,
                       report->options->congestion_is_unknown ? "with guesses of the congestion"
                                                              : "as nodes had no room");
    for (uint32_t i = 0; i < result->attempts; i++)
        print_attempt(&result->attempt[i], i + 1, table->out);
}

/* When the deliveries of a run that made all of them were made. */
static void print_delivery_steps(const struct report_table *table, const struct run_report *report)
{
    const struct router_result *result = &report->result;
    const char *name = report->options->reduces ? "half had come in" : "half delivered in";
    char note[80];
    if (result->missing > 0 || result->delivered == 0)
        return;
    snprintf(note, sizeof note, "steps; 95 %% in %" PRIu64 ", 99 %% in %" PRIu64,
             result->delivery_step[95], result->delivery_step[99]);
    report_print_count(table, name, result->delivery_step[50], note);
}

void report_print_route(const struct run_report *report, FILE *out)
{
    const struct router_result *result = &report->result;
    struct report_table table = report_table_for(result->phase, result->phases, out);
    struct report_peak peak = report_route_peak(result);
    char note[80];
    report_print_instance(report->instance, run_copy_is_free(report->options), out);
    fputc('\n', out);
    report_print_title(report, out);

    print_steps(&table, report);
    print_attempts(&table, report);
    report_print_peak(&table, &peak, report->instance->set.mesh.cols);
    report_print_hops(&table, result->packet_hops, result->word_hops, result->copies);
    snprintf(note, sizeof note, "%" PRIu64 " missing", result->missing);
    report_print_count(&table, report->options->reduces ? "contributions" : "delivered",
                       result->delivered, note);
    print_delivery_steps(&table, report);
    report_print_phases(&table, result->phase, result->phases, result->steps);
    report_print_time(&table, result->wall_seconds, result->threads);
    if (report->failure.kind != FAIL_NONE)
        fputs("  CHECK FAILED\n", out);
}
