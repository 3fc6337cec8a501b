/* report_load.c - the points of `load` as JSON, as a table, as a chart.
 *
 * A saturated point has no mean latency: it would grow with the time that is measured. A finite run has one, since
 * it ends. What was not measured is a dash, null, or an empty field.
 *
 * The chart has a curve for each scheme and each value of what varies beside the axis, with bars of 95 % confidence. A load
 * at which the network is saturated has no latency: a triangle near the upper edge marks it, below those of the curves
 * before, and a cross one that ended in a deadlock or failed another check. The axis is the rate; if all points have the
 * same rate it is the destinations or the lengths.
 */
#include "library/report_load.h"

#include "base/printable.h"
#include "library/load_traffic.h"
#include "library/meshcast.h"

#include <inttypes.h>
#include <math.h>

enum { LOAD_MIX_TEXT = 40 };

/* ---- JSON ---- */

/* True if the point has a latency that means something. */
static bool has_latency(const struct load_point *point)
{
    return point->result.messages > 0 && isfinite(point->result.latency.half_width) &&
           point->failure.kind == FAIL_NONE;
}

/* Writes ", 10 % multicasts", or nothing if all messages have as many destinations, and returns the text. */
static const char *mix_text(const struct load_report *report, char text[LOAD_MIX_TEXT])
{
    double share = report->multicast_share;
    *text = '\0';
    if (share > 0 && share < 1)
        snprintf(text, LOAD_MIX_TEXT, ", %.6g %% multicasts", 100 * share);
    return text;
}

/* Returns "measured", "saturated", "deadlock", "failed" (another check), or "-" if nothing was measured. */
static const char *outcome_of(const struct load_point *point)
{
    if (point->result.waits > 0)
        return "deadlock";
    if (point->failure.kind != FAIL_NONE)
        return "failed";
    if (point->result.is_saturated)
        return "saturated";
    if (point->result.is_partial)
        return "interrupted";
    return has_latency(point) ? "measured" : "-";
}

/* Whether a message was delivered while it counted: else the run ended while the network filled, and nothing is known of
 * what it accepts. */
static bool has_accepted(const struct open_loop_result *result)
{
    return result->accepted > 0;
}

static void set_latency(struct report_object *object, const struct load_point *point)
{
    const struct open_loop_result *result = &point->result;
    bool has = has_latency(point);
    report_set_real(object, "latency", has, result->latency.mean);
    report_set_real(object, "half_width", has, result->latency.half_width);
    report_set_if(object, "median", has, result->summary.median);
    report_set_if(object, "p95", has, result->summary.p95);
    report_set_if(object, "p99", has, result->summary.p99);
    report_set_if(object, "max", has, result->summary.max);
}

json_t *report_load_point_json(const struct load_point *point)
{
    const struct open_loop_result *result = &point->result;
    struct report_object object = report_object_open();
    report_set(&object, "scheme", json_string(point->scheme->name));
    report_set(&object, "parameters", report_scheme_parameters(point->scheme, &point->choices));
    report_set(&object, "rate", json_real(point->rate));
    report_set_nonzero(&object, "destinations", point->destinations);
    report_set(&object, "flits", report_flits_json(point->flits));
    set_latency(&object, point);
    report_set_real(&object, "accepted", has_accepted(result), result->accepted);
    report_set(&object, "capacity", json_real(point->capacity));
    report_set_real(&object, "routing_capacity", point->routing_capacity > 0,
                    point->routing_capacity);
    report_set(&object, "saturated", json_boolean(result->is_saturated));
    report_set(&object, "rising", json_boolean(result->is_rising));
    report_set(&object, "outcome", json_string(outcome_of(point)));
    report_set_word(&object, "best", *point->best ? point->best : NULL);
    report_set(&object, "partial", json_boolean(result->is_partial));
    report_set_count(&object, "warmup", point->warmup);
    report_set_count(&object, "measure", point->measured);
    report_set_count(&object, "runs", result->runs);
    report_set_count(&object, "cycles", result->cycles);
    report_set_count(&object, "messages", result->messages);
    report_set_count(&object, "startups", result->startups);
    report_set_count(&object, "channel_crossings", result->crossings);
    report_set_buffer_peak(&object, result->buffer_peak);
    report_set_count(&object, "unsent_peak", result->unsent_peak);
    report_set(&object, "deadlock", report_deadlock_json(result->deadlock, result->waits));
    report_set_error(&object, &point->failure);
    return report_object_close(&object);
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static uint64_t count_of(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* False: no memory. */
static bool read_deadlock(struct open_loop_result *result, const json_t *array)
{
    size_t waits = json_array_size(array);
    if (waits == 0)
        return true;
    result->deadlock = memory_allocate(waits, sizeof *result->deadlock);
    if (result->deadlock == NULL)
        return false;
    result->waits = waits;
    for (size_t i = 0; i < waits; i++)
        result->deadlock[i] = report_wait_read(json_array_get(array, i), waits);
    return true;
}

bool report_load_point_read(struct load_point *point, const json_t *object)
{
    const char *error = json_string_value(json_object_get(object, "error"));
    const char *best = json_string_value(json_object_get(object, "best"));
    const json_t *latency = json_object_get(object, "latency");
    struct open_loop_result *result = &point->result;
    *result = (struct open_loop_result){.latency = {0, INFINITY}};
    if (json_is_number(latency))
        result->latency =
            (struct latency_interval){json_number_value(latency), number_of(object, "half_width")};
    result->summary.median = count_of(object, "median");
    result->summary.p95 = count_of(object, "p95");
    result->summary.p99 = count_of(object, "p99");
    result->summary.max = count_of(object, "max");
    result->accepted = number_of(object, "accepted");
    result->is_saturated = json_is_true(json_object_get(object, "saturated"));
    result->is_rising = json_is_true(json_object_get(object, "rising"));
    result->runs = (uint32_t)count_of(object, "runs");
    result->cycles = count_of(object, "cycles");
    result->messages = count_of(object, "messages");
    result->startups = count_of(object, "startups");
    result->crossings = count_of(object, "channel_crossings");
    result->buffer_peak = (uint32_t)count_of(object, "buffer_peak");
    result->unsent_peak = count_of(object, "unsent_peak");
    snprintf(point->best, sizeof point->best, "%s", best == NULL ? "" : best);
    if (error != NULL)
        fail(&point->failure, FAIL_CHECK, "%s", error);
    return read_deadlock(result, json_object_get(object, "deadlock"));
}

static void set_settings(struct report_object *object, const struct load_report *report)
{
    report_set(object, "meshcast", json_string(MESHCAST_VERSION));
    report_set_network(object, &report->network);
    report_set(object, "traffic", report_json_text(report->traffic));
    report_set_real(object, "multicast_share", report->multicast_share > 0,
                    report->multicast_share);
    report_set(object, "arrivals", json_string(report->arrivals));
    report_set_count(object, "order", report->order);
    report_set_nonzero(object, "warmup", report->warmup);
    report_set_nonzero(object, "measure", report->measured);
    report_set(object, "finite", json_boolean(report->is_finite));
    report_set_seed(object, report->network.options->seed);
}

json_t *report_load_settings_json(const struct load_report *report)
{
    struct report_object object = report_object_open();
    set_settings(&object, report);
    return report_object_close(&object);
}

static json_t *points_json(const struct load_report *report)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < report->points; i++)
        report_append(&array, report_load_point_json(&report->point[i]));
    return array;
}

json_t *report_load_rows(const struct load_report *report)
{
    json_t *array = json_array();
    bool failed = array == NULL;
    for (uint32_t i = 0; i < report->points && !failed; i++) {
        json_t *row = report_load_settings_json(report);
        json_t *point = report_load_point_json(&report->point[i]);
        failed = json_object_update(row, point) != 0;
        json_decref(point);
        failed |= json_array_append_new(array, row) != 0;
    }
    if (!failed)
        return array;
    json_decref(array);
    return NULL;
}

json_t *report_load_json(const struct load_report *report)
{
    struct report_object object = report_object_open();
    set_settings(&object, report);
    report_set(&object, "points", points_json(report));
    report_set(&object, "partial", json_boolean(report->is_partial));
    report_set_count(&object, "threads", report->network.settings->threads);
    report_set(&object, "wall_seconds", json_real(report->seconds));
    return report_object_close(&object);
}

/* ---- the table ---- */

static void print_length(const char *before, uint64_t messages, int latencies, const char *behind,
                         FILE *out)
{
    if (messages > 0)
        fprintf(out, "%s%" PRIu64 " messages%s", before, messages, behind);
    else
        fprintf(out, "%smessages of %d zero-load latencies%s", before, latencies, behind);
}

void report_print_load_head(const struct load_report *report, FILE *out)
{
    char topology[TOPOLOGY_TEXT_SIZE], traffic[PRINTABLE_NAME], mix[LOAD_MIX_TEXT];
    shape_text(&report->network.topology->shape, topology);
    fprintf(out, "%s, %s traffic%s, %s arrivals", topology,
            printable_name(report->traffic, traffic), mix_text(report, mix), report->arrivals);
    if (report->order > 1)
        fprintf(out, " of order %u", report->order);
    print_length("; ", report->warmup, OPEN_LOOP_WARMUP, " warm up", out);
    print_length(", ", report->measured, OPEN_LOOP_BATCHES * OPEN_LOOP_BATCH, " are measured", out);
    fputs(report->is_finite ? " and are the last\n" : "\n", out);
    report_print_network(&report->network, out);
    fputc('\n', out);
    report_print_heading("scheme            rate  k      flits      latency        +-  accepted  "
                         "capacity   routing runs",
                         out);
}

/* Whether the runs ended before the mean was known well enough. */
static bool is_wide(const struct load_point *point)
{
    const struct latency_interval *latency = &point->result.latency;
    return has_latency(point) && latency->half_width > LOAD_PRECISION * latency->mean;
}

void report_print_load_row(const struct load_point *point, FILE *out)
{
    const struct open_loop_result *result = &point->result;
    char flits[FLITS_TEXT], destinations[16] = "-", latency[32], width[32] = "", accepted[32] = "-";
    char routing[32] = "", scheme[40];
    snprintf(scheme, sizeof scheme, "%s%s%s", point->scheme->name, *point->best ? ": " : "",
             point->best);
    if (has_accepted(result))
        snprintf(accepted, sizeof accepted, "%.6f", result->accepted);
    if (point->destinations > 0)
        snprintf(destinations, sizeof destinations, "%" PRIu32, point->destinations);
    snprintf(latency, sizeof latency, "%s", outcome_of(point));
    if (has_latency(point)) {
        snprintf(latency, sizeof latency, "%.2f", result->latency.mean);
        snprintf(width, sizeof width, "%.2f", result->latency.half_width);
    }
    if (point->routing_capacity > 0)
        snprintf(routing, sizeof routing, "%.6f", point->routing_capacity);
    fprintf(out, "%-12s %9.6g %2s %10s %12s %9s %9s %9.6f %9s %4" PRIu32 "%s%s%s\n", scheme,
            point->rate, destinations, flits_range_text(point->flits, flits), latency, width,
            accepted, point->capacity, routing, result->runs,
            result->is_saturated && has_latency(point) ? "  saturated"
            : result->is_rising                        ? "  rising"
                                                       : "",
            is_wide(point) && !result->is_saturated ? "  wide" : "",
            result->is_partial ? "  interrupted"
            : point->is_stored ? "  stored"
                               : "");
}

static bool has_deadlock(const struct load_report *report)
{
    for (uint32_t i = 0; i < report->points; i++)
        if (report->point[i].result.waits > 0)
            return true;
    return false;
}

void report_print_load_legend(const struct load_report *report, FILE *out)
{
    char mix[LOAD_MIX_TEXT];
    fprintf(out,
            "\nrate: messages per node and cycle; k: destinations of a %s; latency: cycles from a\n"
            "message's creation to its last delivery, with 95 %% confidence within +-; accepted: "
            "messages\n"
            "per node and cycle that were delivered, a dash where the run ended while the network "
            "warmed\n"
            "up; capacity: no scheme could carry a larger rate; routing: nor could this scheme, "
            "where its\n"
            "routing tells; saturated: more arrives than is carried; rising: messages piled up "
            "while they\n"
            "were measured, so the latency may be larger (--warmup, --measure); wide: +- is above "
            "5 %% of the\n"
            "latency (--runs); stored: the point was in the database; interrupted: it was not "
            "measured to\n"
            "its end.\n",
            *mix_text(report, mix) != '\0' ? "multicast" : "message");
    if (has_deadlock(report))
        fputs("deadlock: worms wait for one another in a cycle, which --json names.\n", out);
    if (report->is_partial)
        fputs("The run was interrupted: these are the points that were measured until then.\n",
              out);
}

/* ---- the chart ---- */

enum axis { AXIS_RATE, AXIS_DESTINATIONS, AXIS_FLITS };

static const char *const axis_names[] = {"messages per node and cycle", "destinations of a message",
                                         "flits of a message"};

/* What of the points varies. */
struct variety {
    bool rate, destinations, flits;
    enum axis axis;
};

static bool same_flits(const struct load_point *one, const struct load_point *other)
{
    return one->flits.least == other->flits.least && one->flits.most == other->flits.most;
}

static struct variety variety_of(const struct load_report *report)
{
    struct variety variety = {.axis = AXIS_RATE};
    for (uint32_t i = 1; i < report->points; i++) {
        const struct load_point *one = &report->point[0], *other = &report->point[i];
        variety.rate |= one->rate != other->rate;
        variety.destinations |= one->destinations != other->destinations;
        variety.flits |= !same_flits(one, other);
    }
    if (!variety.rate && (variety.destinations || variety.flits))
        variety.axis = variety.destinations ? AXIS_DESTINATIONS : AXIS_FLITS;
    return variety;
}

static double axis_value(const struct load_point *point, enum axis axis)
{
    if (axis == AXIS_RATE)
        return point->rate;
    return axis == AXIS_DESTINATIONS ? point->destinations
                                     : ((double)point->flits.least + point->flits.most) / 2;
}

static bool same_curve(const struct load_point *one, const struct load_point *other, enum axis axis)
{
    return one->scheme == other->scheme && (axis == AXIS_RATE || one->rate == other->rate) &&
           (axis == AXIS_DESTINATIONS || one->destinations == other->destinations) &&
           (axis == AXIS_FLITS || same_flits(one, other));
}

static bool begins_curve(const struct load_report *report, uint32_t index, enum axis axis)
{
    for (uint32_t i = 0; i < index; i++)
        if (same_curve(&report->point[i], &report->point[index], axis))
            return false;
    return true;
}

/* Returns the mark of a point that has no latency; 0: it has one, or did not run. */
static int mark_of(const struct load_point *point)
{
    if (has_latency(point))
        return 0;
    if (point->failure.kind != FAIL_NONE)
        return CHART_MARK_CROSS;
    return point->result.is_saturated ? CHART_MARK_OPEN_TRIANGLE : 0;
}

static bool has_mark(const struct load_report *report, int mark)
{
    for (uint32_t i = 0; i < report->points; i++)
        if (mark_of(&report->point[i]) == mark)
            return true;
    return false;
}

static const char *name_curve(const struct load_point *point, const struct variety *variety,
                              struct chart *chart)
{
    char flits[FLITS_TEXT];
    const char *name = point->scheme->name;
    if (variety->destinations && variety->axis != AXIS_DESTINATIONS)
        name = chart_text(chart, "%s, k = %" PRIu32, name, point->destinations);
    if (variety->flits && variety->axis != AXIS_FLITS)
        name = chart_text(chart, "%s, %s flits", name, flits_range_text(point->flits, flits));
    return name;
}

/* Adds the curve that the point `first` begins, as number `index` of all. */
static void add_curve(const struct load_report *report, uint32_t first, uint32_t index,
                      const struct variety *variety, struct chart_panel *panel)
{
    enum { ROWS = 6 }; /* of marks at the upper edge */
    const char *name = name_curve(&report->point[first], variety, panel->chart);
    struct chart_curve *curve =
        chart_subject(panel, CHART_LINE | CHART_MARKS | CHART_ERRORS, name, name);
    struct chart_curve *saturated = chart_subject(panel, CHART_MARKS | CHART_AT_TOP, name, NULL);
    struct chart_curve *failed = chart_subject(panel, CHART_MARKS | CHART_AT_TOP, name, NULL);
    saturated->mark = CHART_MARK_OPEN_TRIANGLE;
    failed->mark = CHART_MARK_CROSS;
    for (uint32_t i = first; i < report->points; i++) {
        const struct load_point *point = &report->point[i];
        const struct latency_interval *latency = &point->result.latency;
        if (!same_curve(point, &report->point[first], variety->axis))
            continue;
        double x = axis_value(point, variety->axis);
        int mark = mark_of(point);
        if (has_latency(point)) {
            struct chart_point *added = chart_point(curve, x, latency->mean);
            added->low = latency->mean - latency->half_width;
            added->high = latency->mean + latency->half_width;
        } else if (mark != 0)
            chart_point(mark == CHART_MARK_CROSS ? failed : saturated, x,
                        0.97 - 0.03 * (index % ROWS));
    }
}

void report_load_fill_chart(const struct load_report *report, struct chart *chart)
{
    struct variety variety = variety_of(report);
    char shape[TOPOLOGY_TEXT_SIZE], mix[LOAD_MIX_TEXT], traffic[41];
    bool has_saturated = has_mark(report, CHART_MARK_OPEN_TRIANGLE),
         has_failed = has_mark(report, CHART_MARK_CROSS);
    shape_text(&report->network.topology->shape, shape);
    chart->title =
        chart_text(chart, "%s, %s traffic%s%s", shape,
                   printable_copy(traffic, sizeof traffic, report->traffic), mix_text(report, mix),
                   has_saturated && has_failed
                       ? "\ntriangles: saturated; crosses: deadlock, or another failure"
                   : has_saturated ? "\ntriangles: saturated"
                   : has_failed    ? "\ncrosses: deadlock, or another failure"
                                   : "");
    struct chart_panel *panel = chart_panel(chart, 540, 320);
    panel->x = (struct chart_axis){.label = axis_names[variety.axis],
                                   .is_real = variety.axis == AXIS_RATE};
    panel->y = (struct chart_axis){.label = "latency  (cycles)"};
    for (uint32_t i = 0, curves = 0; i < report->points; i++)
        if (begins_curve(report, i, variety.axis))
            add_curve(report, i, curves++, &variety, panel);
}
