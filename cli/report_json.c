/* report_json.c - the JSON object of a run.
 *
 * Method: every key is set through set(), in the order of the contract, which jansson keeps. A
 * failed allocation shows as a NULL value; jansson refuses it, set() remembers that, and the whole
 * object is given up at the end.
 *
 * Numbers are JSON integers where they are counts. A seed beyond 2^63-1 is written as a string,
 * because readers of JSON do not agree on such integers.
 */
#include "cli/report.h"

#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct object {
    json_t *value;
    bool failed;
};

static void set(struct object *object, const char *key, json_t *value)
{
    if (json_object_set_new(object->value, key, value) != 0)
        object->failed = true;
}

static void set_count(struct object *object, const char *key, uint64_t count)
{
    set(object, key, json_integer((json_int_t)count));
}

static void set_ratio(struct object *object, const char *key, double dividend, double divisor)
{
    set(object, key, divisor == 0 ? json_null() : json_real(dividend / divisor));
}

json_t *report_json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    char *ascii = memory_allocate(strlen(text) + 1, 1);
    if (ascii == NULL)
        return NULL;
    for (size_t i = 0; text[i] != '\0'; i++)
        ascii[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
    value = json_string(ascii);
    free(ascii);
    return value;
}

static json_t *seed_json(uint64_t seed)
{
    return seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_sprintf("%" PRIu64, seed);
}

static json_t *phases_json(const struct router_result *result)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < result->phases; i++) {
        json_t *phase = json_pack("{s:o, s:I}", "name", report_json_text(result->phase[i].name),
                                  "steps", (json_int_t)result->phase[i].steps);
        if (json_array_append_new(array, phase) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *parameters_json(const struct router_result *result)
{
    struct object object = {json_object(), false};
    for (uint32_t i = 0; i < result->parameters; i++)
        set(&object, result->parameter[i].name, report_json_text(result->parameter[i].value));
    if (!object.failed)
        return object.value;
    json_decref(object.value);
    return NULL;
}

static void set_request(struct object *object, const struct run_report *report)
{
    const struct instance *instance = report->instance;
    const struct message_set *message_set = &instance->set;
    set(object, "meshcast", json_string(MESHCAST_VERSION));
    set(object, "set", report_json_text(instance->name));
    set(object, "router", json_string(report->router->name));
    set(object, "copy", json_string(run_copy_name(report->options)));
    set_count(object, "rows", message_set->mesh.rows);
    set_count(object, "cols", message_set->mesh.cols);
    set_count(object, "nodes", mesh_nodes(message_set->mesh));
    set_count(object, "messages", message_set->messages);
    set_count(object, "degree", instance->degree);
    set_count(object, "congestion", instance->congestion);
    set_count(object, "deliveries", message_set->deliveries);
    set(object, "seed", seed_json(report->options->seed));
}

static void set_steps(struct object *object, const struct run_report *report)
{
    const struct instance *instance = report->instance;
    const struct router_result *result = &report->result;
    uint64_t bound = instance_lower_bound(instance);
    set_count(object, "steps", result->steps);
    set_count(object, "sync_steps", result->sync_steps);
    set(object, "phases", phases_json(result));
    set(object, "sqrt_cn", json_real(instance->sqrt_cn));
    set_ratio(object, "steps_per_sqrt_cn", (double)result->steps, instance->sqrt_cn);
    set_count(object, "lower_bound", bound);
    /* the bound holds for a run that has delivered everything */
    set_ratio(object, "steps_per_lower_bound", (double)result->steps,
              result->missing == 0 ? (double)bound : 0);
    set(object, "lower_bound_kind", json_string(lower_bound_name(instance->bounds.best)));
}

static void set_counters(struct object *object, const struct router_result *result)
{
    uint32_t capacity = result->buffer_capacity;
    bool has_node = result->buffer_peak_node != MESH_NO_NODE;
    set(object, "buffer_capacity", capacity == 0 ? json_null() : json_integer(capacity));
    set_count(object, "buffer_peak", result->buffer_peak);
    set(object, "buffer_peak_node",
        has_node ? json_integer(result->buffer_peak_node) : json_null());
    set_count(object, "buffer_peak_step", result->buffer_peak_step);
    set(object, "buffer_peak_phase", report_json_text(result->buffer_peak_phase));
    set_count(object, "packet_hops", result->packet_hops);
    set_count(object, "word_hops", result->word_hops);
    set_count(object, "copies", result->copies);
    set_count(object, "delivered", result->delivered);
    set_count(object, "missing", result->missing);
    set_count(object, "threads", result->threads);
    set(object, "wall_seconds", json_real(result->wall_seconds));
}

bool run_report_has_figures(const struct run_report *report)
{
    return report->failure.kind == FAIL_NONE || report->failure.kind == FAIL_CHECK;
}

json_t *report_route_json(const struct run_report *report)
{
    struct object object = {json_object(), false};
    set_request(&object, report);
    if (run_report_has_figures(report)) {
        set(&object, "parameters", parameters_json(&report->result));
        set_steps(&object, report);
        set_counters(&object, &report->result);
    }
    if (report->failure.kind != FAIL_NONE)
        set(&object, "error", report_json_text(report->failure.text));
    if (!object.failed)
        return object.value;
    json_decref(object.value);
    return NULL;
}

static int write_chunk(const char *buffer, size_t size, void *data)
{
    return fwrite(buffer, 1, size, data) == size ? 0 : -1;
}

enum failure_kind report_print_json(json_t *value, FILE *out, struct failure *failure)
{
    if (value == NULL)
        return fail_memory(failure, "the JSON result");
    /* A write error stays in `out` and is told by whoever closes it. */
    if (json_dump_callback(value, write_chunk, out, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) == 0)
        fputc('\n', out);
    json_decref(value);
    return FAIL_NONE;
}
