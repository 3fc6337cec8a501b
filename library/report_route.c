/* report_route.c - the result of a run on the mesh machine: its figures, as JSON and for people.
 *
 * A failed run has its known figures, and the reason. Ratios whose divisor is 0 are null. The
 * figures that runs of routers, kernels and searches share are set and described here, once.
 */
#include "base/printable.h"
#include "library/commands.h"
#include "library/report.h"
#include "library/report_network.h"

#include <inttypes.h>

/* ---- the figures, in the order of the JSON ---- */

const struct figure figures_of_steps[] = {
    {"steps", "steps", FIGURE_COUNT, FIGURE_ALL,
     "[{missing>0}until it failed][{!missing}of which {sync_steps} for synchronisation]"},
    {KEY_SYNC_STEPS, "sync", FIGURE_COUNT, FIGURE_COLUMN, NULL},
    {0}};

const struct figure figures_of_phases[] = {{"phases", "phases", FIGURE_PHASES, FIGURE_LINE, NULL},
                                           {0}};

const struct figure figures_of_buffer[] = {
    {KEY_BUFFER_CAPACITY, "buffer capacity", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {KEY_BUFFER_PEAK, "buffer peak", FIGURE_COUNT, FIGURE_ALL,
     "packets per node[, which can hold {buffer_capacity}]"},
    {"buffer_peak_node", NULL, FIGURE_COUNT, FIGURE_LINE,
     "at node {buffer_peak_node} (row {buffer_peak_node/cols}, column {buffer_peak_node%cols}), "
     "step "
     "{buffer_peak_step}[, {buffer_peak_phase}]"},
    {"buffer_peak_step", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"buffer_peak_phase", NULL, FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
    {0}};

const struct figure figures_of_hops[] = {
    {"packet_hops", "packet hops", FIGURE_COUNT, FIGURE_ALL, "links crossed by packets"},
    {"word_hops", "word hops", FIGURE_COUNT, FIGURE_LINE, "links crossed by control words"},
    {"copies", "copies", FIGURE_COUNT, FIGURE_LINE, NULL},
    {0}};

const struct figure figures_of_time[] = {
    {KEY_WALL_SECONDS, "wall time", FIGURE_EXPONENT, FIGURE_LINE, "s, {threads:thread}"},
    {KEY_WALL_SECONDS, "seconds", FIGURE_EXPONENT, FIGURE_COLUMN, NULL},
    {0}};

static const struct figure request[] = {{"meshcast", NULL, FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
                                        {"set", NULL, FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
                                        {"router", NULL, FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
                                        {"copy", "copies cost", FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
                                        {"reduce", NULL, FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
                                        {0}};

static const struct figure figures_of_instance[] = {
    {"rows", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"cols", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"nodes", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"messages", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"degree", "degree d", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"congestion", "congestion c", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"messages_per_node", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"deliveries", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {0}};

static const struct figure figures_of_home[] = {
    {"messages_at_home", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"deliveries_at_home", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {0}};

static const struct figure ran[] = {
    {"missing_nodes", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"missing_links", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"seed", NULL, FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
    {"ran_as", NULL, FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
    {"attempts", "attempts", FIGURE_EACH, FIGURE_LINE,
     "c = {congestion}, [{budget} steps allowed][{!budget}any number of steps allowed]: "
     "[{?stands}stands][{!stands}void] after {steps} steps, {sync_steps} of them for "
     "synchronisation[; no room for {discarded} packets]"},
    {0}};

static const struct figure proven[] = {{"proven_steps", "steps, at most", FIGURE_COUNT, FIGURE_LINE,
                                        "known before the run, for every set"},
                                       {0}};

/* Replaced by the router's predictions. */
static const struct figure predicted_none[] = {{0}};
enum { PREDICTED_PART = 6, KEY_SIZE = 64 };

static const struct figure ratios[] = {
    {"sqrt_cn", NULL, FIGURE_RATIO, FIGURE_PROGRAMS, NULL},
    {"steps_per_sqrt_cn", "steps / sqrt([{messages_per_node>1}l ]c n)", FIGURE_RATIO, FIGURE_LINE,
     NULL},
    {"steps_per_sqrt_cn", "/sqrt(cn)", FIGURE_RATIO, FIGURE_SINGLE, NULL},
    {"steps_per_sqrt_cn", "/S", FIGURE_RATIO, FIGURE_SEVERAL, NULL},
    {KEY_LOWER_BOUND, NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {KEY_STEPS_PER_LOWER_BOUND, "steps / lower bound", FIGURE_RATIO, FIGURE_LINE, NULL},
    {KEY_STEPS_PER_LOWER_BOUND, "/bound", FIGURE_RATIO, FIGURE_COLUMN, NULL},
    {"lower_bound_kind", NULL, FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
    {0}};

static const struct figure delivered[] = {
    {"delivered", "[{!reduce}delivered][{?reduce}contributions]", FIGURE_COUNT, FIGURE_LINE,
     "{missing} missing"},
    {KEY_MISSING, KEY_MISSING, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"delivery_steps.median", "half [{!reduce}delivered][{?reduce}had come] in", FIGURE_COUNT,
     FIGURE_LINE, "steps; 95 % in {delivery_steps.p95}, 99 % in {delivery_steps.p99}"},
    {"delivery_steps.p95", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"delivery_steps.p99", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"threads", NULL, FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {0}};

static const struct figure failed[] = {{"error", NULL, FIGURE_TEXT, FIGURE_LINE, "CHECK FAILED"},
                                       {0}};

const struct figures route_figures = {{request, figures_of_instance, figures_of_home, ran,
                                       figures_of_steps, proven, predicted_none, figures_of_phases,
                                       ratios, figures_of_buffer, figures_of_hops, delivered,
                                       figures_of_time, failed}};

/* ---- parts of the JSON ---- */

/* Sets whole numbers under the keys of a list of figures, in its order. */
static void set_counts(struct report_object *object, const struct figure *figures,
                       const uint64_t *value)
{
    for (; figures->key != NULL; figures++)
        report_set_count(object, figures->key, *value++);
}

/* Does the same, with as many numbers as there are keys. */
#define SET_COUNTS(object, figures, ...)                                                           \
    do {                                                                                           \
        const uint64_t values[] = {__VA_ARGS__};                                                   \
        _Static_assert(sizeof values / sizeof *values == sizeof figures / sizeof *figures - 1,     \
                       "a number for each key");                                                   \
        set_counts(object, figures, values);                                                       \
    } while (0)

void report_set_steps(struct report_object *object, uint64_t steps, uint64_t sync_steps)
{
    SET_COUNTS(object, figures_of_steps, steps, sync_steps);
}

void report_set_phases(struct report_object *object, const struct machine_phase *phase,
                       uint32_t phases)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < phases; i++)
        report_append(&array, json_pack("{s:o, s:I}", "name", report_json_text(phase[i].name),
                                        "steps", (json_int_t)phase[i].steps));
    report_set(object, "phases", array);
}

void report_set_peak(struct report_object *object, uint32_t capacity, uint32_t peak,
                     const struct report_place *place)
{
    report_set_nonzero(object, KEY_BUFFER_CAPACITY, capacity);
    report_set_count(object, KEY_BUFFER_PEAK, peak);
    report_set_if(object, "buffer_peak_node", place->node != MESH_NO_NODE, place->node);
    report_set_count(object, "buffer_peak_step", place->step);
    report_set(object, "buffer_peak_phase", report_json_text(place->phase));
}

void report_set_hops(struct report_object *object, uint64_t packet_hops, uint64_t word_hops,
                     uint64_t copies)
{
    SET_COUNTS(object, figures_of_hops, packet_hops, word_hops, copies);
}

/* ---- the JSON of a run ---- */

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
    SET_COUNTS(object, figures_of_home, home->messages, home->deliveries);
}

void report_set_instance(struct report_object *object, const struct instance *instance)
{
    const struct message_set *message_set = &instance->set;
    SET_COUNTS(object, figures_of_instance, message_set->mesh.rows, message_set->mesh.cols,
               mesh_nodes(message_set->mesh), message_set_all_messages(message_set),
               instance->degree, instance->congestion, instance->most_sent,
               message_set_all_deliveries(message_set));
    report_set_home(object, &message_set->home);
    if (instance->broken != NULL)
        report_set_missing(object, instance->broken);
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
    report_set_nonzero(&object, KEY_BUFFER_CAPACITY, attempt->buffer_capacity);
    report_set_count(&object, KEY_BUFFER_PEAK, attempt->buffer_peak);
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

/* Sets the values that the set implies by itself, and the ratios of a run that has delivered
 * everything; `result` may be NULL. */
static void set_bounds(struct report_object *object, const struct instance *instance,
                       bool copy_is_free, const struct router_result *result)
{
    bool is_whole = result != NULL && result->missing == 0;
    double steps = is_whole ? (double)result->steps : 0;
    double bound = (double)instance_lower_bound(instance, copy_is_free);
    report_set(object, "sqrt_cn", json_real(instance->sqrt_cn));
    report_set_ratio(object, "steps_per_sqrt_cn", steps, is_whole ? instance->sqrt_cn : 0);
    report_set_count(object, KEY_LOWER_BOUND, instance_lower_bound(instance, copy_is_free));
    report_set_ratio(object, KEY_STEPS_PER_LOWER_BOUND, steps, is_whole ? bound : 0);
    report_set(object, "lower_bound_kind",
               json_string(instance_lower_bound_name(instance, copy_is_free)));
}

static void set_steps(struct report_object *object, const struct run_report *report)
{
    const struct router_result *result = &report->result;
    report_set_steps(object, result->steps, result->sync_steps);
    report_set_nonzero(object, "proven_steps", result->proven_steps);
    report_set(object, "foretold", figures_json(result));
    report_set_phases(object, result->phase, result->phases);
    set_bounds(object, report->instance, run_copy_is_free(report->options), result);
}

/* Sets the steps by which 50, 95 and 99 percent had been delivered, and those of each percent from
 * 0, which is the first delivery. */
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
    report_set_peak(object, result->buffer_capacity, result->buffer_peak,
                    &(struct report_place){result->buffer_peak_node, result->buffer_peak_step,
                                           result->buffer_peak_phase});
    report_set_hops(object, result->packet_hops, result->word_hops, result->copies);
    report_set_count(object, "delivered", result->delivered);
    report_set_count(object, KEY_MISSING, result->missing);
    if (result->missing == 0 && result->delivered > 0)
        set_delivery_steps(object, result);
    else
        report_set(object, "delivery_steps", json_null());
    report_set_count(object, "threads", result->threads);
    report_set(object, KEY_WALL_SECONDS, json_real(result->wall_seconds));
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

/* ---- for people ---- */

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
    struct report_object object = report_object_open();
    char name[PRINTABLE_NAME];
    report_set(&object, "set", json_string(printable_name(instance->name, name)));
    report_set_instance(&object, instance);
    set_bounds(&object, instance, copy_is_free, NULL);
    json_t *json = report_object_close(&object);
    figures_print_text(json,
                       "{set}: {rows} x {cols} nodes" MISSING_TEXT
                       ", {messages:message}, {deliveries:delivery}\n",
                       out);
    report_print_home(&set->home, message_set_given_messages(set),
                      message_set_given_deliveries(set), out);
    figures_print_text(json,
                       "degree d = {degree}, congestion c = {congestion}, "
                       "[{messages_per_node>1}l = {messages_per_node} messages per node, ]"
                       "sqrt([{messages_per_node>1}l ]c n) = {sqrt_cn:.1}, lower bound "
                       "{lower_bound:step} ({lower_bound_kind})\n",
                       out);
    json_decref(json);
}

json_t *report_for_people(const struct run_report *report, const json_t *json)
{
    struct report_object people = report_object_copy(json);
    report_set(&people, "copies_text", json_string(run_copies_text(report->options)));
    report_set(&people, "c_is_unknown", json_boolean(report->options->congestion_is_unknown));
    return report_object_close(&people);
}

void report_print_title(const json_t *people, FILE *out)
{
    figures_print_heading(
        people,
        "router {router}[{?c_is_unknown}, c unknown]"
        "[{?attempts}, in the last attempt run as {ran_as}]"
        "[{!attempts}, for this c run as {ran_as}], {copies_text}[, {parameters}]",
        out);
}

/* Lists the router's predictions; the texts are those of `result`. */
static void describe_predicted(const struct router_result *result,
                               struct figure figure[ROUTER_MAX_FIGURES + 1],
                               char key[ROUTER_MAX_FIGURES][KEY_SIZE])
{
    for (uint32_t i = 0; i < result->figures; i++) {
        const struct router_figure *predicted = &result->figure[i];
        snprintf(key[i], KEY_SIZE, "foretold.%s", predicted->key);
        figure[i] =
            (struct figure){key[i], predicted->name, FIGURE_COUNT, FIGURE_LINE, predicted->note};
    }
}

void report_print_route(const struct run_report *report, const json_t *json, FILE *out)
{
    char key[ROUTER_MAX_FIGURES][KEY_SIZE];
    struct figure predicted[ROUTER_MAX_FIGURES + 1] = {{0}};
    struct figures figures = route_figures;
    json_t *people = report_for_people(report, json);
    figures.part[PREDICTED_PART] = predicted;
    describe_predicted(&report->result, predicted, key);
    report_print_instance(report->instance, run_copy_is_free(report->options), out);
    fputc('\n', out);
    report_print_title(people, out);
    figures_print(&figures, people, out);
    json_decref(people);
}
