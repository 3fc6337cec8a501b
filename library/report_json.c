/* report_json.c - the JSON object of a run.
 *
 * Every key of the contract is set in its order; a run that failed has what is known of it, and
 * why. Ratios whose divisor is 0 are null. How objects are made: report_object.c.
 */
#include "library/report.h"

#include "library/commands.h"
#include "library/meshcast.h" /* MESHCAST_VERSION */
#include "library/report_parts.h"

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
    report_set(object, "ran_as", ran_as[0] != '\0' ? json_string(ran_as) : json_null());
    report_set(object, "parameters", parameters_json(&report->result));
}

static json_t *attempt_json(const struct router_attempt *attempt)
{
    struct report_object object = report_object_open();
    report_set_count(&object, "congestion", attempt->congestion);
    report_set(&object, "budget",
               attempt->budget == 0 ? json_null() : json_integer((json_int_t)attempt->budget));
    report_set(&object, "buffer_capacity",
               attempt->buffer_capacity == 0 ? json_null()
                                             : json_integer(attempt->buffer_capacity));
    report_set_count(&object, "buffer_peak", attempt->buffer_peak);
    report_set_count(&object, "steps", attempt->steps);
    report_set_count(&object, "sync_steps", attempt->sync_steps);
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
    report_set_count(object, "steps", result->steps);
    report_set_count(object, "sync_steps", result->sync_steps);
    report_set(object, "proven_steps",
               result->proven_steps == 0 ? json_null()
                                         : json_integer((json_int_t)result->proven_steps));
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
    report_set_count(object, "packet_hops", result->packet_hops);
    report_set_count(object, "word_hops", result->word_hops);
    report_set_count(object, "copies", result->copies);
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
    if (report->failure.kind != FAIL_NONE)
        report_set(&object, "error", report_json_text(report->failure.text));
    return report_object_close(&object);
}
