/* report_stress.c - what a search for the least buffer prints: JSON, a table, numbers.
 *
 * Method: the first line of the table is the run without a capacity; under it one line a capacity
 * that was tried, ascending. Runs that deliver show their steps, and their ratio to those without a
 * capacity; runs that overflow show where and when, as that is where a design has to be mended;
 * capacities that are refused side by side are a line with the reason. The last lines give the
 * answer and how sure it is.
 */
#include "cli/report_stress.h"

#include "library/report_parts.h"

#include <inttypes.h>
#include <string.h>

static const char *const outcome_names[] = {
    [STRESS_DELIVERS] = "delivers", [STRESS_OVERFLOWS] = "overflow", [STRESS_REFUSED] = "refused"};

static uint32_t cols_of(const struct stress_report *report)
{
    return report->route->instance->set.mesh.cols;
}

/* ---- JSON ---- */

static void set_figures(struct report_object *object, const struct stress_run *run)
{
    struct report_peak peak = {run->in_force, run->peak, run->peak_node, run->peak_step,
                               run->peak_phase};
    report_set_count(object, "steps", run->steps);
    report_set_count(object, "sync_steps", run->sync_steps);
    report_set_peak(object, &peak);
    report_set_count(object, "missing", run->missing);
    if (run->attempts > 0) {
        report_set_count(object, "attempts", run->attempts);
        report_set_count(object, "void_attempts", run->void_attempts);
    }
}

static json_t *run_json(const struct stress_run *run)
{
    struct report_object object = report_object_open();
    report_set(&object, "capacity", run->capacity > 0 ? json_integer(run->capacity) : json_null());
    report_set(&object, "outcome", json_string(outcome_names[run->outcome]));
    if (run->outcome == STRESS_REFUSED)
        report_set(&object, "error", report_json_text(run->reason));
    else
        set_figures(&object, run);
    return report_object_close(&object);
}

static json_t *runs_json(const struct stress *stress)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < stress->runs; i++)
        if (json_array_append_new(array, run_json(&stress->run[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

json_t *report_stress_rows(const struct stress_report *report)
{
    json_t *array = runs_json(report->stress);
    if (json_array_append_new(array, run_json(&report->stress->without)) == 0)
        return array;
    json_decref(array);
    return NULL;
}

json_t *report_stress_json(const struct stress_report *report)
{
    const struct stress *stress = report->stress;
    const struct stress_run *fastest = stress_fastest(stress);
    struct report_object object = report_object_open();
    report_set_request(&object, report->route);
    report_set_run(&object, report->route);
    report_set_count(&object, "least_capacity", stress->least);
    report_set(&object, "search", json_string(stress->is_exhaustive ? "exhaustive" : "bisection"));
    report_set_count(&object, "setbacks", stress_setbacks(stress));
    report_set(&object, "too_large_capacity",
               stress->too_large > 0 ? json_integer(stress->too_large) : json_null());
    report_set_count(&object, "fewest_steps", fastest->steps);
    report_set_count(&object, "fewest_steps_capacity", fastest->capacity);
    report_set(&object, "without_capacity", run_json(&stress->without));
    report_set(&object, "runs", runs_json(stress));
    report_set_count(&object, "threads", report->route->result.threads);
    report_set(&object, "wall_seconds", json_real(report->seconds));
    return report_object_close(&object);
}

/* ---- the table ---- */

static void print_outcome(const struct stress_report *report, const struct stress_run *run,
                          FILE *out)
{
    uint32_t cols = cols_of(report);
    fprintf(out, "  %s", run->outcome == STRESS_OVERFLOWS ? "overflows" : "delivers");
    if (run->outcome == STRESS_OVERFLOWS)
        fprintf(out, " at step %" PRIu64 ", row %" PRIu32 ", column %" PRIu32 ", %s",
                run->peak_step, run->peak_node / cols, run->peak_node % cols, run->peak_phase);
    if (run->capacity == 0 && run->in_force > 0 && run->attempts == 0)
        fprintf(out, ", bound to %" PRIu32 " by itself", run->in_force);
    if (run->attempts > 0)
        fprintf(out, ", %" PRIu32 " attempt%s, %" PRIu32 " void", run->attempts,
                run->attempts == 1 ? "" : "s", run->void_attempts);
    fputc('\n', out);
}

static void print_run(const struct stress_report *report, const struct stress_run *run, FILE *out)
{
    char capacity[16] = "none", ratio[32] = "-";
    if (run->capacity > 0)
        snprintf(capacity, sizeof capacity, "%" PRIu32, run->capacity);
    fprintf(out, "%10s", capacity);
    if (run->outcome == STRESS_DELIVERS) {
        const struct stress_run *without = &report->stress->without;
        double steps = without->outcome == STRESS_DELIVERS ? (double)without->steps : 0;
        fprintf(out, " %10" PRIu64 " %8" PRIu64 " %8s %8" PRIu32, run->steps, run->sync_steps,
                report_ratio_text((double)run->steps, steps, ratio), run->peak);
    } else {
        fprintf(out, " %10s %8s %8s %8" PRIu32, "-", "-", "-", run->peak);
    }
    print_outcome(report, run, out);
}

static void print_title(const struct run_report *route, FILE *out)
{
    report_print_instance(route->instance, run_copy_is_free(route->options), out);
    fputc('\n', out);
    report_print_title(route, out);
}

/* How sure the answer is. The run of one packet less is beside that of the answer. */
static void print_proof(const struct stress *stress, FILE *out)
{
    uint32_t setbacks = stress_setbacks(stress), i = 0;
    while (stress->run[i].capacity + 1 < stress->least)
        i++;
    if (stress->least == 1)
        fputs("  there is no smaller one\n", out);
    else if (stress->is_exhaustive)
        fputs("  every smaller one was run: none delivers\n", out);
    else
        fprintf(out,
                "  %" PRIu32 " was run and %s; below it those that are shown were run "
                "(--exhaustive: all)\n",
                stress->least - 1,
                stress->run[i].outcome == STRESS_REFUSED ? "is refused" : "overflows");
    if (setbacks > 0)
        fprintf(out,
                "  more buffer does not always help: of the larger ones that were run %" PRIu32
                " fail%s\n",
                setbacks, setbacks == 1 ? "s" : "");
}

static void print_answer(const struct stress_report *report, FILE *out)
{
    char text[96];
    const struct stress *stress = report->stress;
    const struct stress_run *fastest = stress_fastest(stress), *without = &stress->without;
    snprintf(text, sizeof text, "least capacity that delivers: %" PRIu32 " packet%s a node",
             stress->least, stress->least == 1 ? "" : "s");
    report_print_heading(text, out);
    print_proof(stress, out);
    const struct stress_run *least = stress->run;
    while (least->capacity < stress->least)
        least++;
    if (least->peak < stress->least)
        fprintf(out, "  in its run no node held more than %" PRIu32 ": the rest is reserved\n",
                least->peak);
    if (without->outcome == STRESS_DELIVERS && without->steps < fastest->steps)
        fprintf(out, "  fewest steps: %" PRIu64 ", without --buffer\n", without->steps);
    else if (fastest->capacity > stress->least)
        fprintf(out, "  fewest steps: %" PRIu64 ", with %" PRIu32 "\n", fastest->steps,
                fastest->capacity);
    else
        fputs("  of the larger ones that were run none takes fewer steps\n", out);
    if (stress->too_large > 0)
        fprintf(out,
                "  there is not enough memory for %" PRIu32 ", so nothing larger was run "
                "(--force runs it anyway)\n",
                stress->too_large);
    if (without->outcome == STRESS_DELIVERS && without->peak < stress->least && without->peak > 0)
        fprintf(out, "  without --buffer no node held more than %" PRIu32 ": %s\n", without->peak,
                without->in_force > 0
                    ? "the router provides for more than it meets here"
                    : "buffers that may not overflow reserve room for what may come");
}

enum { MOST_LISTED = 8 };

/* The refusals from run `first` on as a line; returns the run behind them. */
static uint32_t print_refused(const struct stress *stress, uint32_t first, FILE *out)
{
    uint32_t last = first;
    while (last + 1 < stress->runs && stress->run[last + 1].outcome == STRESS_REFUSED)
        last++;
    char capacity[32];
    snprintf(capacity, sizeof capacity, "%" PRIu32, stress->run[first].capacity);
    if (last > first)
        snprintf(capacity, sizeof capacity, "%" PRIu32 "..%" PRIu32, stress->run[first].capacity,
                 stress->run[last].capacity);
    fprintf(out, "%10s %10s %8s %8s %8s  refused", capacity, "-", "-", "-", "-");
    if (last - first > MOST_LISTED)
        fprintf(out, " (%" PRIu32 " of them were tried)", last - first + 1);
    else if (last > first)
        for (uint32_t i = first; i <= last; i++)
            fprintf(out, "%s%" PRIu32 "%s",
                    i == first ? " (tried "
                    : i < last ? ", "
                               : " and ",
                    stress->run[i].capacity, i == last ? ")" : "");
    fprintf(out, ": %s\n", stress->run[last].reason);
    return last + 1;
}

void report_print_stress(const struct stress_report *report, FILE *out)
{
    char head[128];
    const struct stress *stress = report->stress;
    print_title(report->route, out);
    snprintf(head, sizeof head, "%10s %10s %8s %8s %8s  %s", "capacity", "steps", "sync", "/none",
             "peak", "outcome");
    fprintf(out, "%s\n", head);
    print_run(report, &stress->without, out);
    for (uint32_t i = 0; i < stress->runs;)
        if (stress->run[i].outcome == STRESS_REFUSED)
            i = print_refused(stress, i, out);
        else
            print_run(report, &stress->run[i++], out);
    fputc('\n', out);
    print_answer(report, out);
    fprintf(out, "  %" PRIu32 " runs in %.3f s\n", stress->runs + 1, report->seconds);
}
