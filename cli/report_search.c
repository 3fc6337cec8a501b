/* report_search.c - what a search for bad sets prints: a table, JSON, the comment of the set's file.
 *
 * Method: the worst figure stands beside what is promised; below it how it was found, what the set
 * is, the sets from which the local search began, and what each move came to.
 */
#include "cli/report_search.h"

#include "base/printable.h"
#include "cli/command.h"
#include "library/report_parts.h"
#include "search/move.h"

#include <inttypes.h>
#include <string.h>

static const char *unit_of(const struct search_report *report)
{
    return report->runs->probe.objective == OBJECTIVE_BUFFER ? "packets at a node" : "steps";
}

/* True if the worst set takes more than is promised, or made the run fail. */
static bool is_broken(const struct search_report *report)
{
    return set_probe_is_broken(report->worst, &report->search->worst.figure);
}

/* "pattern: column, d = 1; 12 moves, the last: exchange" */
static const char *origin_text(const struct search_find *find, char text[160])
{
    char moves[80] = "";
    if (find->moves > 0)
        snprintf(moves, sizeof moves, "; %" PRIu32 " move%s, the last: %s", find->moves,
                 find->moves == 1 ? "" : "s", find->last);
    printable_copy(text, 160 - strlen(moves), find->name);
    strcat(text, moves);
    return text;
}

/* ---- JSON ---- */

static json_t *promise_json(const struct set_probe_run *worst)
{
    struct report_object object = report_object_open();
    const struct promise *promise = worst->promise;
    enum promise_kind kind = promise == NULL || worst->bound == 0 ? PROMISE_NONE : promise->kind;
    report_set(&object, "bound", worst->bound > 0 ? json_real(worst->bound) : json_null());
    report_set(&object, "formula", promise == NULL ? json_null() : json_string(promise->formula));
    report_set(&object, "kind", json_string(promise_kind_name(kind)));
    return report_object_close(&object);
}

static void set_origin(struct report_object *object, const struct search_find *find)
{
    report_set(object, "from", report_json_text(find->name));
    report_set_count(object, "moves", find->moves);
    report_set(object, "last_move", find->last == NULL ? json_null() : json_string(find->last));
}

static json_t *worst_json(const struct search_report *report)
{
    struct report_object object = report_object_open();
    const struct search_find *find = &report->search->worst;
    const struct set_probe_run *worst = report->worst;
    struct report_peak peak = {worst->run.in_force, worst->run.peak, worst->run.peak_node,
                               worst->run.peak_step, worst->run.peak_phase};
    report_set_count(&object, "figure", worst->figure);
    report_set_count(&object, "steps", worst->run.steps);
    report_set_count(&object, "sync_steps", worst->run.sync_steps);
    report_set_peak(&object, &peak);
    report_set_count(&object, "messages", find->set.messages);
    report_set_count(&object, "deliveries", find->set.deliveries);
    report_set_count(&object, "degree", worst->degree);
    report_set_count(&object, "congestion", worst->congestion);
    report_set_count(&object, "messages_per_node", worst->most_sent);
    set_origin(&object, find);
    report_set_count(&object, "tried_as", find->at);
    report_set(&object, "error",
               find->figure.fails ? report_json_text(report->runs->probe.failed.text)
                                  : json_null());
    return report_object_close(&object);
}

static json_t *starts_json(const struct search *search)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < search->starts; i++) {
        struct report_object object = report_object_open();
        report_set_count(&object, "first", search->start[i].first.figure);
        report_set_count(&object, "figure", search->start[i].figure.figure);
        set_origin(&object, &search->start[i]);
        json_t *value = report_object_close(&object);
        if (json_array_append_new(array, value) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *moves_json(const struct search *search)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < move_count(); i++) {
        const struct search_move_count *count = &search->move[i];
        json_t *value = json_pack("{s:s, s:I, s:I, s:I}", "name", move_at(i)->name, "tried",
                                  (json_int_t)count->tried, "kept", (json_int_t)count->kept,
                                  "worst", (json_int_t)count->best);
        if (json_array_append_new(array, value) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *report_search_json(const struct search_report *report)
{
    const struct mesh mesh = report->plan->making.mesh;
    struct instance nobody = {.name = ""};
    struct run_report run = {.instance = &nobody,
                             .options = report->options,
                             .router = report->router,
                             .result = report->worst->result};
    struct report_object object = report_object_open();
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(&object, "router", json_string(report->router->name));
    report_set(&object, "copy", json_string(run_copy_name(report->options)));
    report_set(&object, "objective", json_string(objective_names[report->runs->probe.objective]));
    report_set_count(&object, "rows", mesh.rows);
    report_set_count(&object, "cols", mesh.cols);
    report_set_count(&object, "nodes", mesh_nodes(mesh));
    report_set_count(&object, "congestion", report->plan->making.congestion);
    report_set_count(&object, "messages_per_node", made_per_node(&report->plan->making));
    report_set_seed(&object, report->options->seed);
    report_set_run(&object, &run);
    report_set_count(&object, "tried", report->search->tried);
    report_set_count(&object, "made", report->search->made);
    report_set(&object, "promise", promise_json(report->worst));
    report_set(&object, "is_broken", json_boolean(is_broken(report)));
    report_set(&object, "worst", worst_json(report));
    report_set(&object, "starts", starts_json(report->search));
    report_set(&object, "moves", moves_json(report->search));
    report_set(&object, "is_interrupted", json_boolean(report->is_interrupted));
    report_set_count(&object, "threads", report->worst->result.threads);
    report_set(&object, "wall_seconds", json_real(report->seconds));
    return report_object_close(&object);
}

/* l, or nothing where a node sends one message. */
static void write_several(char *text, size_t size, const char *before, uint32_t per_node,
                          const char *behind)
{
    text[0] = '\0';
    if (per_node > 1)
        snprintf(text, size, "%s%" PRIu32 "%s", before, per_node, behind);
}

/* ---- the table ---- */

static void print_promise(const struct search_report *report, FILE *out)
{
    const struct set_probe_run *worst = report->worst;
    if (report->search->worst.figure.fails)
        fprintf(out, "  THE RUN FAILS: %s\n", report->runs->probe.failed.text);
    if (worst->bound > 0)
        fprintf(out, "  %-12s %12.0f   %s, %s%s\n", "promised", worst->bound,
                promise_kind_name(worst->promise->kind), worst->promise->formula,
                is_broken(report) ? ": BROKEN" : "");
    else
        fprintf(out, "  %-12s %12s   nothing is promised for such a run\n", "promised", "-");
}

static void print_worst(const struct search_report *report, FILE *out)
{
    char text[160], several[64];
    const struct search_find *find = &report->search->worst;
    const struct set_probe_run *worst = report->worst;
    write_several(several, sizeof several, ", l = ", worst->most_sent, " messages per node");
    fprintf(out, "  %-12s %12" PRIu64 "   %s\n", "worst found", worst->figure, unit_of(report));
    print_promise(report, out);
    fprintf(out, "  %-12s %s\n", "by", origin_text(find, text));
    fprintf(out,
            "  %-12s %" PRIu32 " message%s, %" PRIu64 " deliver%s, degree d = %" PRIu32
            ", congestion c = %" PRIu32 "%s\n",
            "the set", find->set.messages, find->set.messages == 1 ? "" : "s", find->set.deliveries,
            find->set.deliveries == 1 ? "y" : "ies", worst->degree, worst->congestion, several);
    fprintf(out,
            "  %-12s %" PRIu64 " steps, %" PRIu64 " of them for synchronisation, %" PRIu32
            " packets at a node\n",
            "its run", worst->run.steps, worst->run.sync_steps, worst->run.peak);
}

static void print_starts(const struct search *search, FILE *out)
{
    char text[160];
    if (search->tried == search->made)
        return;
    fputs("\n     first      worst  the local search began with\n", out);
    for (uint32_t i = 0; i < search->starts; i++)
        fprintf(out, "%10" PRIu64 " %10" PRIu64 "  %s\n", search->start[i].first.figure,
                search->start[i].figure.figure, origin_text(&search->start[i], text));
    fputs("\n     tried       kept      worst  move\n", out);
    for (uint32_t i = 0; i < move_count(); i++)
        fprintf(out, "%10" PRIu64 " %10" PRIu64 " %10" PRIu64 "  %s\n", search->move[i].tried,
                search->move[i].kept, search->move[i].best, move_at(i)->name);
}

void report_print_search(const struct search_report *report, FILE *out)
{
    const struct mesh mesh = report->plan->making.mesh;
    const struct search *search = report->search;
    char several[64];
    struct instance nobody = {.name = ""};
    struct run_report run = {.instance = &nobody,
                             .options = report->options,
                             .router = report->router,
                             .result = report->worst->result};
    write_several(several, sizeof several, " and ", made_per_node(&report->plan->making),
                  " messages from a node");
    report_print_title(&run, out);
    fprintf(out,
            "%" PRIu32 " x %" PRIu32 " nodes, congestion %" PRIu32 "%s at most, seed %" PRIu64
            ": %" PRIu64 " sets, %" PRIu64 " of them made\n\n",
            mesh.rows, mesh.cols, report->plan->making.congestion, several, report->options->seed,
            search->tried, search->made);
    print_worst(report, out);
    print_starts(search, out);
    fprintf(out, "\n%" PRIu64 " runs in %.3f s%s\n", report->runs->probe.runs, report->seconds,
            report->is_interrupted ? ", interrupted" : "");
}

/* ---- the comment ---- */

void report_search_comment(const struct search_report *report, FILE *out)
{
    char origin[160], asked[64], several[64], name[PRINTABLE_NAME];
    const struct search_plan *plan = report->plan;
    const struct run_options *options = report->options;
    const struct set_probe_run *worst = report->worst;
    write_several(asked, sizeof asked, " --per-node ", made_per_node(&plan->making), "");
    write_several(several, sizeof several, ", l = ", worst->most_sent, "");
    fputs("meshcast search", out);
    for (uint32_t i = 0; i < plan->givens; i++)
        fprintf(out, " %s", printable_copy(name, sizeof name, plan->given_name[i]));
    fprintf(out,
            " --router %s --side %" PRIu32 "x%" PRIu32 " --congestion %" PRIu32
            "%s --objective %s --copy %s --seed %" PRIu64 " --tries %" PRIu64 "%s",
            report->router->name, plan->making.mesh.rows, plan->making.mesh.cols,
            plan->making.congestion, asked, objective_names[report->runs->probe.objective],
            run_copy_name(options), options->seed, report->search->tried,
            options->congestion_is_unknown ? " --unknown-congestion" : "");
    for (uint32_t i = 0; i < options->parameters.count; i++)
        fprintf(out, " --param %s=%s", options->parameters.parameter[i].name,
                options->parameters.parameter[i].value);
    fprintf(out,
            "\n%" PRIu64 " %s, found by %s\ndegree d = %" PRIu32 ", congestion c = %" PRIu32 "%s",
            worst->figure, unit_of(report), origin_text(&report->search->worst, origin),
            worst->degree, worst->congestion, several);
}
