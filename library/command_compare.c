/* command_compare.c - the command `compare`: several routers on one set, a row each.
 *
 * The rows come in the order in which the routers were named, each as soon as its run is over. A
 * router that refuses its options (a buffer that is too small, a value that it does not accept)
 * gets a row with the reason, and the others go on. The status is 1 if a router failed a check, 2
 * if all of them refused; if the system fails (4) the comparison ends. An interrupt ends it with
 * the rows that are there. With --best the rows are ranges of buffer capacities with one fastest
 * router, and the last one is the fastest without a capacity; the runs are those of
 * search/stress.c. Several sets are compared one after the other, and at the end side by side.
 */
#include "base/numbers.h"
#include "base/printable.h"
#include "library/command_run.h"
#include "library/command_set.h"
#include "library/each_set.h"
#include "library/handle_private.h"
#include "library/network_options.h"
#include "library/plot_file.h"
#include "library/report.h"
#include "library/report_use.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARE_MOST = 32 };

/* A row of a comparison. The parameters' texts are the option's. */
struct compared_router {
    const struct router *router;
    char label[ROUTER_NAME_SIZE]; /* as given, cut to fit */
    struct parameter_list own;
};

/* `count` 0: all routers of the table, without parameters of their own. */
struct compared_routers {
    uint32_t count;
    struct compared_router row[COMPARE_MOST];
};

struct comparison {
    const struct meshcast_command *command;
    const struct instance *instance; /* with its bounds */
    const struct run_options *run;   /* of all routers */
    bool is_of_all;                  /* no router was asked for by name */
    struct compared_routers list;    /* the routers that take part */
    int width;                       /* width of the column with their labels, at least 10 */
};

struct compare_command {
    struct compared_routers routers;
    struct scheme_list schemes;     /* count 0: routers are compared; else .. */
    struct network_options network; /* .. on this network, but for what `run` has */
    struct flits_range flits;
    const char *plot;
    bool best;
    struct use_options use;
    struct run_options run;
    struct part_list parts;
    struct mesh_options mesh; /* of the sets that the parts make */
};

/* The format of the object of --json. Format 1, before 0.1, was only the array of rows. */
enum { COMPARE_FORMAT = 2 };

/* A run that is over. */
struct compare_row {
    const char *label;
    json_t *json; /* the object of `route --json` */
    struct failure failure;
    uint64_t steps, sync_steps, buffer_peak; /* 0 if the router refused to run */
};

/* The rows of a comparison; all of them when it is over. */
struct compare_rows {
    const struct comparison *comparison;
    uint32_t count;
    struct compare_row *row; /* [comparison->list.count] */
};

/* ---- the list of routers ---- */

/* Cuts the text at the next `mark`, in place; returns the text after it, NULL if there is none. */
static char *cut(char *text, char mark)
{
    char *at = strchr(text, mark);
    if (at == NULL)
        return NULL;
    *at = '\0';
    return at + 1;
}

static enum failure_kind parse_own_parameter(struct compared_router *row, char *text,
                                             struct failure *failure)
{
    char *value = strchr(text, '=');
    if (value == NULL || value == text || value[1] == '\0')
        return fail(failure, FAIL_USAGE, "--routers takes ROUTER:NAME=VALUE, not '%.40s'",
                    row->label);
    if (row->own.count == ROUTER_MAX_PARAMETERS)
        return fail(failure, FAIL_USAGE, "a router takes %d parameters at most",
                    ROUTER_MAX_PARAMETERS);
    *value++ = '\0';
    if (run_check_parameter(&row->router, 1, text, failure) != FAIL_NONE)
        return failure->kind;
    row->own.parameter[row->own.count++] = (struct router_parameter){text, value};
    return FAIL_NONE;
}

/* Parses ROUTER[:NAME=VALUE]..,ROUTER.. into a list, which it replaces. The texts are the option's.
 * FAIL_USAGE: there is no such router or parameter, or too many. */
static int parse_routers(void *field, char *value, struct failure *failure)
{
    struct compared_routers *list = field;
    list->count = 0;
    for (char *next, *word = value; word != NULL; word = next) {
        struct compared_router *row = &list->row[list->count];
        next = cut(word, ',');
        if (list->count == COMPARE_MOST)
            return fail(failure, FAIL_USAGE, "--routers takes %d names at most", COMPARE_MOST);
        *row = (struct compared_router){0};
        snprintf(row->label, sizeof row->label, "%s", word);
        char *own = cut(word, ':');
        if (run_find_router(word, &row->router, failure) != FAIL_NONE)
            return failure->kind;
        list->count++;
        for (char *rest; own != NULL; own = rest) {
            rest = cut(own, ':');
            if (parse_own_parameter(row, own, failure) != FAIL_NONE)
                return failure->kind;
        }
    }
    return FAIL_NONE;
}

/* ---- options ---- */

static const struct meshcast_option option_rows[] = {
    OPTION_LIST(
        "routers", "router", "A,B,...", COMMON, struct compare_command, routers, parse_routers,
        &router_names,
        "which routers, in this order; the default is all of them, or all that can\n"
        "do what other options ask for. trees:tree=xy:slots=1 is one with parameters of its own,\n"
        "./FILE.so a plugin"),
    OPTION_LIST("schemes", "scheme", "A,B,...", COMMON, struct compare_command, schemes,
                accept_schemes, &scheme_names,
                "instead of routers: schemes on the network of flits, as 'meshcast network' sends\n"
                "them; options of it, such as --vcs, go with this one only"),
    FLITS_ROW(RARE, struct compare_command, flits),
    OPTION_PARTS(RARE, struct compare_command, parts,
                 "instead of several sets one file, as 'import --part' reads it with each of\n"
                 "these, on the mesh of --side or --topology"),
    OPTION_WITHOUT(RARE, struct compare_command, run.without),
    OPTION_FLAG(
        "best", RARE, struct compare_command, best,
        "the fastest router for each buffer capacity: from 1 packet up, instead of a row a\n"
        "router"),
    OPTION_FLAG("tables", RARE, struct compare_command, use.tables,
                "for each router how many entries routing tables need, were the run's trees\n"
                "static, and how many colours messages need"),
    USE_LIMIT_ROW(struct compare_command, use),
    OPTION_OUTPUT(
        "plot", "FILE", 0, RARE, struct compare_command, plot,
        "a picture of steps and packets: a bar per router, or with --best steps against\nthe "
        "buffer (.png, .svg, .pdf), or the rows of --csv (.csv)"),
};

/* ---- JSON ---- */

static json_t *parameters_json(const struct parameter_list *list)
{
    struct report_object object = report_object_open();
    for (uint32_t i = 0; i < list->count; i++)
        report_set(&object, list->parameter[i].name, report_json_text(list->parameter[i].value));
    return report_object_close(&object);
}

static json_t *options_json(const struct run_options *run)
{
    struct report_object object = report_object_open();
    report_set(&object, "copy", json_string(run_copy_name(run)));
    report_set_nonzero(&object, "buffer", run->buffer);
    report_set_seed(&object, run->seed);
    report_set(&object, "unknown_congestion", json_boolean(run->congestion_is_unknown));
    report_set(&object, "parameters", parameters_json(&run->parameters));
    return report_object_close(&object);
}

/* Returns the rows of --csv; NULL: no memory. */
static json_t *rows_json(const void *context)
{
    const struct compare_rows *rows = context;
    json_t *array = json_array();
    for (uint32_t i = 0; array != NULL && i < rows->count; i++)
        report_append(&array, json_incref(rows->row[i].json));
    return array;
}

/* Returns the object of --json: the settings of all routers, and a row per router. */
static json_t *comparison_json(const struct compare_rows *rows)
{
    const struct comparison *comparison = rows->comparison;
    const struct run_options *run = comparison->run;
    struct report_object object = report_result_open();
    report_set_count(&object, "format", COMPARE_FORMAT);
    report_set(&object, "set", report_json_text(comparison->instance->name));
    report_set_instance(&object, comparison->instance);
    report_set_count(&object, KEY_LOWER_BOUND,
                     instance_lower_bound(comparison->instance, run_copy_is_free(run)));
    report_set(&object, "options", options_json(run));
    report_set(&object, "runs", rows_json(rows));
    return report_object_close(&object);
}

/* ---- conditions ---- */

/* Returns the options that are not the defaults and change a run: ", c unknown, buffer 40, seed 5,
 * variant=direct", or ""; the caller's. NULL: no memory. */
static json_t *changes_text(const struct run_options *run)
{
    json_t *options = options_json(run);
    json_t *text = figures_text(
        options,
        "[{?unknown_congestion}, c unknown][, buffer {buffer}][, seed {seed}][, {parameters}]");
    json_decref(options);
    return text;
}

enum { COMPARE_TITLE_SIZE = 320 };

/* Writes the title of the picture, a line. */
static void comparison_title(const struct comparison *comparison, char title[COMPARE_TITLE_SIZE])
{
    char many[32] = "";
    const struct instance *instance = comparison->instance;
    const char *slash = strrchr(instance->name, '/');
    json_t *changes = changes_text(comparison->run);
    if (instance->most_sent > 1)
        snprintf(many, sizeof many, ", l = %" PRIu32, instance->most_sent);
    snprintf(title, COMPARE_TITLE_SIZE, "%.40s: %u x %u nodes, c = %u%s, %s%s",
             slash != NULL ? slash + 1 : instance->name, instance->set.mesh.rows,
             instance->set.mesh.cols, instance->congestion, many, run_copies_text(comparison->run),
             changes == NULL ? "" : json_string_value(changes));
    printable_make(title);
    json_decref(changes);
}

/* Reasons, as flags, for the absence of a router that was not asked for by name. */
enum absence {
    ABSENCE_NEEDS_CONGESTION = 1, /* c is not known, and it cannot guess it */
    /* some node sends several messages, and it accepts one per node */
    ABSENCE_TAKES_ONE = 2,
    ABSENCE_CANNOT_REDUCE = 4, /* the run is a reduction */
    ABSENCE_STARTS_ALL = 8,    /* messages start later or wait, and it needs all at the start */
    ABSENCE_NEEDS_WHOLE = 16,  /* the mesh is broken */
};

/* Returns all reasons that hold; 0: the router takes part. */
static unsigned absence_of(const struct comparison *comparison, const struct router *router)
{
    const struct run_options *run = comparison->run;
    unsigned absence = 0;
    if (run->congestion_is_unknown && !router_guesses_congestion(router))
        absence |= ABSENCE_NEEDS_CONGESTION;
    if (comparison->instance->most_sent > 1 && !router_takes_many(router))
        absence |= ABSENCE_TAKES_ONE;
    if (run->reduces && !router_reduces(router))
        absence |= ABSENCE_CANNOT_REDUCE;
    if (message_set_is_timed(&comparison->instance->set) && !router_takes_times(router))
        absence |= ABSENCE_STARTS_ALL;
    if (comparison->instance->broken != NULL && !router_takes_broken(router))
        absence |= ABSENCE_NEEDS_WHOLE;
    return absence;
}

static void print_absent(const struct comparison *comparison, const char *reason,
                         enum absence absence, FILE *out)
{
    uint32_t absent = 0;
    for (uint32_t i = 0; i < router_count() && comparison->is_of_all; i++)
        if (absence_of(comparison, router_at(i)) & absence)
            fprintf(out, "%s%s", absent++ == 0 ? reason : ", ", router_at(i)->name);
    if (absent > 0)
        fputc('\n', out);
}

/* Prints the set, the options, and the routers left out. */
static void print_conditions(const struct comparison *comparison, FILE *out)
{
    json_t *changes = changes_text(comparison->run);
    report_print_instance(comparison->instance, run_copy_is_free(comparison->run), out);
    if (changes != NULL && json_string_length(changes) > 0)
        fprintf(out, "with %s\n", json_string_value(changes) + strlen(", "));
    json_decref(changes);
    print_absent(comparison, "left out, as they need to know c: ", ABSENCE_NEEDS_CONGESTION, out);
    print_absent(comparison, "left out, as they do not reduce: ", ABSENCE_CANNOT_REDUCE, out);
    print_absent(comparison, "left out, as they take one message per node: ", ABSENCE_TAKES_ONE,
                 out);
    print_absent(comparison,
                 "left out, as they need all messages at the start: ", ABSENCE_STARTS_ALL, out);
    print_absent(comparison, "left out, as they need a whole mesh: ", ABSENCE_NEEDS_WHOLE, out);
    fputc('\n', out);
}

/* ---- tables ---- */

static const struct figure label_column[] = {{"label", "router", FIGURE_TEXT, FIGURE_PEOPLE, NULL},
                                             {0}};
static const struct figure note_column[] = {{"note", "", FIGURE_TEXT, FIGURE_PEOPLE, NULL}, {0}};

/* Returns the figures of a run after its label and, at the end, its outcome. */
static struct figures run_columns(void)
{
    struct figures columns = {{label_column}};
    uint32_t parts = 0;
    for (; route_figures.part[parts] != NULL; parts++) {
        assert(parts + 2 < FIGURE_PARTS);
        columns.part[parts + 1] = route_figures.part[parts];
    }
    columns.part[parts + 1] = note_column;
    return columns;
}

static void print_row(const struct table_stream *table, const struct compare_row *row)
{
    struct report_object people = report_object_copy(row->json);
    report_set(&people, "label", json_string(row->label));
    if (row->failure.kind != FAIL_NONE) {
        json_object_clear(people.value);
        report_set(&people, "label", json_string(row->label));
        report_set(&people, "note",
                   json_sprintf("%s: %s",
                                row->failure.kind == FAIL_CHECK ? "check failed" : "did not run",
                                row->failure.text));
    } else
        report_set(&people, "note", figures_text(row->json, "[as {ran_as}]"));
    json_t *line = report_object_close(&people);
    table_add(table, line);
    json_decref(line);
}

static void print_legend(const struct comparison *comparison, FILE *out)
{
    bool is_several = comparison->instance->most_sent > 1;
    fprintf(out,
            "\nsteps include sync, the synchronisation; %s and /bound: steps / %s and\n"
            "steps / lower bound; buffer peak: the most packets that a node ever held; %s.\n",
            is_several ? "/S" : "/sqrt(cn)", is_several ? "sqrt(l c n)" : "sqrt(c n)",
            run_copies_text(comparison->run));
}

/* Prints the demands of the rows' trees on routing tables, if any row has them. */
static void print_uses(const struct compare_rows *rows, const struct use_options *wanted, FILE *out)
{
    static const struct figure label[] = {{"label", "tables", FIGURE_TEXT, FIGURE_PEOPLE, NULL},
                                          {0}};
    const struct figures figures = {
        {label, use_columns, wanted->table_limit > 0 ? use_limit_columns : NULL}};
    json_t *array = json_array();
    for (uint32_t i = 0; i < rows->count; i++) {
        struct report_object row = report_object_copy(rows->row[i].json);
        report_set(&row, "label", json_string(rows->row[i].label));
        json_t *line = report_object_close(&row);
        if (line == NULL || json_object_get(line, "tables") != NULL)
            report_append(&array, line);
        else
            json_decref(line);
    }
    if (array == NULL || json_array_size(array) > 0) {
        fputc('\n', out);
        table_print_text(&(struct table){&figures, array, false}, out);
    }
    json_decref(array);
}

/* ---- the picture ---- */

/* Adds a bar from `from` to `to` in row `index`. */
static void add_bar(struct chart_panel *panel, const char *router, uint32_t index, uint64_t from,
                    uint64_t to, bool is_pale)
{
    static const double half = 0.3; /* of a bar's height */
    struct chart_curve *curve = chart_subject(panel, CHART_BARS, router, NULL);
    curve->is_pale = is_pale;
    struct chart_point *point = chart_point(curve, (double)to, index);
    point->low = (double)from;
    point->size = half;
}

/* Adds the figure beside a bar, or the outcome of a run that did not deliver. */
static void add_figure(struct chart_curve *figures, const struct compare_row *row, uint32_t index,
                       uint64_t value)
{
    enum failure_kind kind = row->failure.kind;
    chart_point(figures, (double)value, index)->text =
        kind == FAIL_NONE ? chart_text(figures->panel->chart, "%" PRIu64, value)
                          : (kind == FAIL_CHECK ? "fails" : "refuses");
}

/* Adds a panel with room for the figures on the right. */
static struct chart_panel *add_panel(struct chart *chart, uint32_t rows, double width,
                                     const char *const *name, uint64_t most, const char *label)
{
    struct chart_panel *panel = chart_panel(chart, width, 28.0 * rows + 6);
    panel->y = (struct chart_axis){.name = name, .names = rows};
    panel->x = (struct chart_axis){.label = label, .to = 1.25 * (most > 0 ? (double)most : 1)};
    return panel;
}

/* Fills two panels of bars, a row for each router in the order of the table and in its colour: on
 * the left its steps, of which synchronisation is paler, at the end; on the right the packets of
 * its fullest node. */
static void fill_chart(const void *context, struct chart *chart)
{
    enum { LONGEST_NAME = 26 }; /* letters that are shown */
    const struct compare_rows *rows = context;
    char title[COMPARE_TITLE_SIZE];
    const char **name = chart_keep(chart, 2 * rows->count * sizeof *name);
    uint64_t steps = 0, sync = 0, buffer = 0;
    if (name == NULL)
        return;
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct compare_row *row = &rows->row[i];
        steps = max_u64(steps, row->steps);
        sync = max_u64(sync, row->sync_steps);
        buffer = max_u64(buffer, row->buffer_peak);
        name[i] = chart_text(chart, "%.*s", LONGEST_NAME, row->label);
        name[rows->count + i] = "";
    }
    comparison_title(rows->comparison, title);
    chart->title = chart_text(chart, "%s", title);
    chart->columns = 2;
    struct chart_panel *left = add_panel(chart, rows->count, 270, name, steps,
                                         sync > 0 ? "steps  (paler: synchronisation)" : "steps");
    struct chart_panel *right = add_panel(chart, rows->count, 190, name + rows->count, buffer,
                                          "packets in the fullest node");
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct compare_row *row = &rows->row[i];
        const char *label = row->label;
        uint64_t busy = row->steps - row->sync_steps;
        add_bar(left, label, i, 0, busy, false);
        add_bar(left, label, i, busy, row->steps, true);
        add_bar(right, label, i, 0, row->buffer_peak, false);
    }
    struct chart_curve *of_steps = chart_curve(left, CHART_TEXTS, CHART_INK_NOTE, NULL);
    struct chart_curve *of_buffer = chart_curve(right, CHART_TEXTS, CHART_INK_NOTE, NULL);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct compare_row *row = &rows->row[i];
        add_figure(of_steps, row, i, row->steps);
        add_figure(of_buffer, row, i, row->buffer_peak);
    }
}

/* ---- the runs ---- */

static bool has_parameter(const struct parameter_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->parameter[i].name, name) == 0)
            return true;
    return false;
}

/* Returns the options of a row: its own parameters come first; then those of the command that its
 * router accepts and that are not among its own. */
static struct router_options compared_router_options(const struct compared_router *row,
                                                     const struct comparison *comparison)
{
    const struct run_options *run = comparison->run;
    struct router_options options = run_options_for_router(run, comparison->instance->broken);
    memcpy(options.parameter, row->own.parameter, sizeof options.parameter);
    options.parameters = row->own.count;
    for (uint32_t i = 0; i < run->parameters.count && options.parameters < ROUTER_MAX_PARAMETERS;
         i++) {
        const struct router_parameter *common = &run->parameters.parameter[i];
        if (router_takes_parameter(row->router, common->name) &&
            !has_parameter(&row->own, common->name))
            options.parameter[options.parameters++] = *common;
    }
    return options;
}

static enum failure_kind run_row(const struct comparison *comparison,
                                 const struct compared_router *router,
                                 const struct use_options *wanted, struct compare_row *row,
                                 struct failure *failure)
{
    const struct message_set *set = &comparison->instance->set;
    struct router_options options = compared_router_options(router, comparison);
    struct run_report run = {
        .instance = comparison->instance, .options = comparison->run, .router = router->router};
    struct use_report use;
    struct command_run own;
    row->label = router->label;
    if (use_report_begin(&use, wanted, set->mesh, failure) == FAIL_NONE) {
        command_run_begin(&own, comparison->command, row->label, &options);
        command_run_observe(&own, use_report_observer(&use));
        router_run(router->router, set, &own.options, &run.result, &run.failure);
        command_note_threads(comparison->command, run.result.threads, run.result.threads_refused);
        if (use_report_end(&use, run_has_figures(&run.failure), failure) == FAIL_NONE)
            row->json = use_report_add(&use, report_route_json(&run));
        row->failure = run.failure;
        if (run.failure.kind != FAIL_USAGE) {
            row->steps = run.result.steps;
            row->sync_steps = run.result.sync_steps;
            row->buffer_peak = run.result.buffer_peak;
        }
    }
    use_report_free(&use);
    if (failure->kind == FAIL_NONE && row->json == NULL)
        fail_memory(failure, "a row of the comparison");
    return failure->kind;
}

/* Finds the meaning of all rows for the status: the first check that failed, or the first refusal
 * if none ran. */
static enum failure_kind judge(const struct compare_rows *rows, struct failure *failure)
{
    struct failure refusal = {0};
    uint32_t refusals = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct failure *ended = &rows->row[i].failure;
        refusals += ended->kind == FAIL_USAGE;
        if (ended->kind == FAIL_CHECK)
            fail(failure, FAIL_CHECK, "%s failed a check; its row says why", rows->row[i].label);
        if (ended->kind == FAIL_USAGE)
            fail(&refusal, FAIL_USAGE, "no router runs with these options; %s: %.400s",
                 rows->row[i].label, ended->text);
    }
    if (failure->kind == FAIL_NONE && refusals == rows->count)
        *failure = refusal;
    return failure->kind;
}

static enum failure_kind fail_with_label(struct failure *failure, const struct failure *of_run,
                                         const char *label)
{
    failure->is_memory_limit = of_run->is_memory_limit;
    return fail(failure, of_run->kind, "%s: %.400s", label, of_run->text);
}

static enum failure_kind run_rows(struct compare_rows *rows, const struct compare_command *options,
                                  struct meshcast_report *report, struct failure *failure)
{
    const struct comparison *comparison = rows->comparison;
    struct plot_file plot = {options->plot, fill_chart, rows_json, rows};
    struct figures columns = run_columns();
    struct table table = {&columns, NULL, comparison->instance->most_sent > 1};
    struct table_stream stream;
    FILE *out = command_table(report);
    print_conditions(comparison, out);
    table_begin(&stream, &table, comparison->width, out);
    for (uint32_t i = 0; i < comparison->list.count; i++) {
        struct compare_row *row = &rows->row[rows->count++];
        if (run_row(comparison, &comparison->list.row[i], &options->use, row, failure) != FAIL_NONE)
            return failure->kind;
        enum failure_kind kind = row->failure.kind;
        if (kind != FAIL_NONE && kind != FAIL_CHECK && kind != FAIL_USAGE) {
            fail_with_label(failure, &row->failure, row->label);
            json_decref(row->json);
            rows->count--;
            break;
        }
        command_table(report); /* a row replaces the progress line */
        print_row(&stream, row);
    }
    if (failure->kind != FAIL_NONE && (failure->kind != FAIL_INTERRUPTED || rows->count == 0))
        return failure->kind;
    print_uses(rows, &options->use, out);
    print_legend(comparison, out);
    if (report_take_json(report, comparison_json(rows), "runs", failure) == FAIL_NONE &&
        failure->kind == FAIL_NONE && plot_file_write(&plot, failure) == FAIL_NONE)
        judge(rows, failure);
    return failure->kind;
}

/* ---- the fastest router for each capacity ---- */

/* The result. */
struct finding {
    const struct comparison *comparison;
    const struct stress *race;
};

static const struct stress_run *run_of(const struct stress *race, uint32_t index, uint32_t router)
{
    return &race->run[(size_t)index * race->routers + router];
}

static const char *label_of(const struct finding *found, uint32_t router)
{
    return found->comparison->list.row[router].label;
}

static uint64_t race_bound(const struct finding *found)
{
    const struct comparison *comparison = found->comparison;
    return instance_lower_bound(comparison->instance, run_copy_is_free(comparison->run));
}

/* ---- its table ---- */

static void put_range(uint64_t first, uint64_t last, char text[48])
{
    if (first == last)
        snprintf(text, 48, "%" PRIu64, first);
    else
        snprintf(text, 48, "%" PRIu64 " .. %" PRIu64, first, last);
}

static const struct figure best_columns[] = {
    {"buffer", "buffer", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"fastest", "fastest", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"range", "steps", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"per_bound", "/bound", FIGURE_RATIO, FIGURE_ALL, NULL},
    {"next", "next", FIGURE_TEXT, FIGURE_ALL, NULL},
    {0}};

/* Returns the row of the capacities from `first` to `last`, which have one winner. */
static json_t *range_row(const struct finding *found, const char *buffer, uint32_t first,
                         uint32_t last)
{
    char steps[48];
    const struct stress *race = found->race;
    struct report_object row = report_object_open();
    uint32_t winner = stress_winner(race, first, STRESS_NOBODY);
    report_set(&row, "buffer", json_string(buffer));
    if (winner == STRESS_NOBODY) {
        report_set(&row, "fastest", json_string("none delivers"));
        return report_object_close(&row);
    }
    uint64_t at_last = run_of(race, last, winner)->steps;
    uint32_t other = stress_winner(race, first, winner);
    put_range(run_of(race, first, winner)->steps, at_last, steps);
    report_set(&row, "fastest", json_string(label_of(found, winner)));
    report_set(&row, "range", json_string(steps));
    report_set_ratio(&row, "per_bound", (double)at_last, (double)race_bound(found));
    if (other != STRESS_NOBODY)
        report_set(&row, "next",
                   json_sprintf("%s, %" PRIu64, label_of(found, other),
                                run_of(race, first, other)->steps));
    return report_object_close(&row);
}

/* Returns the last capacity of the same winner from `first` on. */
static uint32_t last_of_winner(const struct stress *race, uint32_t first)
{
    uint32_t winner = stress_winner(race, first, STRESS_NOBODY);
    while (first + 1 < race->capacities && stress_winner(race, first + 1, STRESS_NOBODY) == winner)
        first++;
    return first;
}

static void print_best(const struct finding *found, FILE *out)
{
    static const struct figures figures = {{best_columns}};
    char range[48];
    const struct stress *race = found->race;
    json_t *rows = json_array();
    bool is_free = run_copy_is_free(found->comparison->run);
    report_print_instance(found->comparison->instance, is_free, out);
    for (uint32_t i = 0; i < race->routers; i++)
        if (race->run[i].outcome == STRESS_REFUSED)
            fprintf(out, "%s takes no part: %s\n", label_of(found, i), race->run[i].reason);
    fputc('\n', out);
    for (uint32_t first = 1, last; first < race->capacities; first = last + 1) {
        last = last_of_winner(race, first);
        put_range(run_of(race, first, 0)->capacity, run_of(race, last, 0)->capacity, range);
        report_append(&rows, range_row(found, range, first, last));
    }
    report_append(&rows, range_row(found, "not limited", 0, 0));
    table_print_text(&(struct table){&figures, rows, false}, out);
    json_decref(rows);
    fprintf(out,
            "\nbuffer: packets that a node can hold; steps: with the least and the largest such "
            "buffer; /bound:\n"
            "steps with the largest / lower bound; next: the next fastest with the least one; "
            "copies %s.\n"
            "%" PRIu32 " capacities were run; more than the last one was not.\n",
            is_free ? "are free" : "cost a step", race->capacities - 1);
}

/* ---- its JSON ---- */

static void set_best_run(struct report_object *object, const struct stress_run *run)
{
    report_set(object, "outcome", json_string(stress_outcome_names[run->outcome]));
    if (run->outcome == STRESS_REFUSED) {
        report_set(object, "error", report_json_text(run->reason));
    } else {
        report_set_steps(object, run->steps, run->sync_steps);
        report_set_count(object, KEY_BUFFER_PEAK, run->peak);
    }
}

static json_t *capacity_json(const struct finding *found, uint32_t index)
{
    struct report_object object = report_object_open(), runs = report_object_open();
    uint32_t winner = stress_winner(found->race, index, STRESS_NOBODY);
    report_set_nonzero(&object, "capacity", run_of(found->race, index, 0)->capacity);
    report_set_word(&object, "fastest", winner == STRESS_NOBODY ? NULL : label_of(found, winner));
    for (uint32_t i = 0; i < found->race->routers; i++) {
        struct report_object run = report_object_open();
        set_best_run(&run, run_of(found->race, index, i));
        report_set(&runs, label_of(found, i), report_object_close(&run));
    }
    report_set(&object, "routers", report_object_close(&runs));
    return report_object_close(&object);
}

static json_t *race_json(const struct finding *found)
{
    const struct comparison *comparison = found->comparison;
    struct report_object object = report_result_open();
    json_t *capacities = json_array();
    for (uint32_t i = 1; i < found->race->capacities; i++)
        report_append(&capacities, capacity_json(found, i));
    report_set(&object, "set", report_json_text(comparison->instance->name));
    report_set(&object, "copy", json_string(run_copy_name(comparison->run)));
    report_set_count(&object, KEY_LOWER_BOUND, race_bound(found));
    report_set(&object, "capacities", capacities);
    report_set(&object, "not_limited", capacity_json(found, 0));
    return report_object_close(&object);
}

/* Returns the rows of --csv and --plot FILE.csv, one for each capacity and router; those without a
 * capacity are last. NULL: no memory. */
static json_t *best_rows_json(const void *context)
{
    const struct finding *found = context;
    const struct stress *race = found->race;
    json_t *rows = json_array();
    for (uint32_t i = 0; i < race->capacities * race->routers; i++) {
        uint32_t index = (i / race->routers + 1) % race->capacities, router = i % race->routers;
        const struct stress_run *run = run_of(race, index, router);
        struct report_object row = report_object_open();
        report_set_nonzero(&row, "capacity", run->capacity);
        report_set(&row, "router", json_string(label_of(found, router)));
        report_set(&row, "is_fastest",
                   json_boolean(stress_winner(race, index, STRESS_NOBODY) == router));
        set_best_run(&row, run);
        report_append(&rows, report_object_close(&row));
    }
    return rows;
}

/* ---- its picture ---- */

/* Adds a curve through the capacities with which a router delivers. */
static void add_router_curve(const struct finding *found, uint32_t router,
                             struct chart_panel *panel)
{
    const char *label = label_of(found, router);
    struct chart_curve *curve = chart_subject(panel, CHART_LINE | CHART_MARKS, label, NULL);
    for (uint32_t i = 1; i < found->race->capacities; i++) {
        const struct stress_run *run = run_of(found->race, i, router);
        if (run->outcome == STRESS_DELIVERS) {
            chart_point(curve, run->capacity, (double)run->steps);
            curve->title = label;
        }
    }
}

/* Fills the chart: steps against capacity, both logarithmic, with a ring around the mark of the
 * fastest router. */
static void fill_best_chart(const void *context, struct chart *chart)
{
    char title[COMPARE_TITLE_SIZE];
    const struct finding *found = context;
    const struct stress *race = found->race;
    double bound = (double)race_bound(found);
    struct chart_panel *panel = chart_panel(chart, 540, 330);
    comparison_title(found->comparison, title);
    chart->title = chart_text(chart, "%s", title);
    panel->x =
        (struct chart_axis){.label = "buffer capacity B  (packets per node)", .scale = CHART_LOG};
    panel->y = (struct chart_axis){.label = "steps", .scale = CHART_LOG};
    for (uint32_t i = 0; i < race->routers; i++)
        add_router_curve(found, i, panel);
    if (bound > 0) {
        struct chart_curve *curve = chart_curve(panel, CHART_LINE, CHART_INK_BOUND, "lower bound");
        chart_point(curve, run_of(race, 1, 0)->capacity, bound);
        chart_point(curve, run_of(race, race->capacities - 1, 0)->capacity, bound);
    }
    struct chart_curve *fastest = chart_curve(panel, CHART_MARKS, CHART_INK_NOTE, "fastest");
    for (uint32_t i = 1; i < race->capacities; i++) {
        uint32_t winner = stress_winner(race, i, STRESS_NOBODY);
        if (winner == STRESS_NOBODY)
            continue;
        const struct stress_run *run = run_of(race, i, winner);
        chart_point(fastest, run->capacity, (double)run->steps)->size = 1.4;
    }
}

/* ---- its runs ---- */

/* Runs all routers with each capacity of interest, fills the report, and writes the picture to
 * `plot`, if that is not NULL. FAIL_USAGE: no router runs with the options. */
static enum failure_kind run_best(const struct comparison *comparison, const char *plot,
                                  struct meshcast_report *report, struct failure *failure)
{
    struct stress race;
    struct finding found = {comparison, &race};
    struct plot_file file = {plot, fill_best_chart, best_rows_json, &found};
    uint32_t routers = comparison->list.count;
    struct router_probe *probe = memory_allocate(routers, sizeof *probe);
    if (probe == NULL)
        return fail_memory(failure, "the routers");
    for (uint32_t i = 0; i < routers; i++) {
        const struct compared_router *row = &comparison->list.row[i];
        probe[i] = (struct router_probe){.command = comparison->command,
                                         .label = row->label,
                                         .router = row->router,
                                         .set = &comparison->instance->set,
                                         .options = compared_router_options(row, comparison)};
    }
    struct stress_plan plan = {.probe = router_probe, .context = probe, .routers = routers};
    if (fastest_by_buffer(&race, &plan, failure) == FAIL_NONE) {
        if (report_take_json(report, race_json(&found), NULL, failure) == FAIL_NONE &&
            report_take_csv(report, best_rows_json(&found), failure) == FAIL_NONE) {
            print_best(&found, command_table(report));
            plot_file_write(&file, failure);
        }
        stress_free(&race);
    }
    free(probe);
    return failure->kind;
}

/* ---- the command ---- */

/* Reports mistakes that can be found before the set is read. */
static enum failure_kind check_options(const struct meshcast_command *command,
                                       const struct compared_routers *asked,
                                       struct failure *failure)
{
    const struct compare_command *options = command->options;
    const struct router *router[COMPARE_MOST];
    const struct parameter_list *given = &options->run.parameters;
    if (options->best && options->use.tables)
        return fail(failure, FAIL_USAGE, "--tables is for rows of routers, without --best");
    if (options->best && options->run.buffer > 0)
        return fail(failure, FAIL_USAGE, "--best runs every buffer; leave --buffer out");
    if (options->best && options->run.reduces)
        return fail(failure, FAIL_USAGE, "--best is for multicasts, without --reduce");
    if (options->routers.count + command->routers > COMPARE_MOST)
        return fail(failure, FAIL_USAGE, "--routers takes %d at most", COMPARE_MOST);
    for (uint32_t i = 0; i < asked->count; i++)
        router[i] = asked->row[i].router;
    for (uint32_t i = 0; i < given->count; i++)
        if (run_check_parameter(router, asked->count, given->parameter[i].name, failure) !=
            FAIL_NONE)
            return failure->kind;
    if (use_options_check(&options->use, options->run.reduces, failure) == FAIL_NONE &&
        run_options_check_output(&options->run, options->plot, failure) == FAIL_NONE)
        plot_file_check(options->plot, failure);
    return failure->kind;
}

/* Returns the routers that were asked for by name or given; none: all of them. */
static struct compared_routers asked_routers(const struct meshcast_command *command)
{
    struct compared_routers list = ((const struct compare_command *)command->options)->routers;
    for (uint32_t i = 0; i < command->routers && list.count < COMPARE_MOST; i++) {
        struct compared_router *row = &list.row[list.count++];
        *row = (struct compared_router){.router = router_of(command->router[i])};
        snprintf(row->label, sizeof row->label, "%s", row->router->name);
    }
    return list;
}

/* Parameters with which routers hold packets back, which by themselves they do not. */
static const struct {
    const char *router;
    struct router_parameter parameter;
} HELD[] = {{"trees", {"slots", "auto"}}};

/* Adds a router to the list, with a parameter unless its name is NULL. */
static void add_router(struct compared_routers *list, const struct router *router,
                       struct router_parameter own)
{
    struct compared_router *row = &list->row[list->count++];
    *row = (struct compared_router){.router = router,
                                    .own = {.count = own.name != NULL, .parameter = {own}}};
    if (own.name == NULL)
        snprintf(row->label, sizeof row->label, "%s", router->name);
    else
        snprintf(row->label, sizeof row->label, "%s:%s=%s", router->name, own.name, own.value);
}

/* Lists all routers of the table. With --best, which limits buffers, routers that hold packets back
 * only with a parameter also run with it. */
static void list_all_routers(struct compared_routers *list, bool is_best)
{
    list->count = 0;
    for (uint32_t i = 0; i < router_count(); i++)
        add_router(list, router_at(i), (struct router_parameter){.name = NULL});
    for (size_t i = 0; is_best && i < sizeof HELD / sizeof *HELD; i++)
        add_router(list, router_find(HELD[i].router), HELD[i].parameter);
}

/* Chooses the routers to compare: those that were asked for, or all that can take part. */
static void choose_routers(struct comparison *comparison, const struct compared_routers *asked,
                           bool is_best)
{
    struct compared_routers all = *asked;
    comparison->is_of_all = asked->count == 0;
    if (comparison->is_of_all)
        list_all_routers(&all, is_best);
    comparison->width = 10;
    for (uint32_t i = 0; i < all.count; i++) {
        int length = (int)strlen(all.row[i].label);
        if (comparison->is_of_all && absence_of(comparison, all.row[i].router) != 0)
            continue;
        comparison->list.row[comparison->list.count++] = all.row[i];
        comparison->width = length > comparison->width ? length : comparison->width;
    }
}

/* ---- schemes ---- */

static enum failure_kind check_schemes(const struct compare_command *options, bool names_routers,
                                       struct failure *failure)
{
    const struct run_options *run = &options->run;
    if (names_routers)
        return fail(failure, FAIL_USAGE,
                    "--routers run on the mesh machine, --schemes on the network; give one");
    if (options->best || options->use.tables || options->plot != NULL || run->copy > 0 ||
        run->congestion_is_unknown || run->reduces)
        return fail(failure, FAIL_USAGE,
                    "--best, --tables, --plot, --copy, --unknown-congestion and --reduce are for "
                    "routers, not for --schemes");
    if (run->buffer > NETWORK_MAX_BUFFER)
        return fail(failure, FAIL_USAGE,
                    "--buffer takes a whole number from 1 to %d with --schemes",
                    NETWORK_MAX_BUFFER);
    return FAIL_NONE;
}

/* Runs the schemes on the network, with the options that apply to it. */
static enum failure_kind compare_schemes(struct meshcast_command *command,
                                         const struct compare_command *options,
                                         struct meshcast_report *report, struct failure *failure)
{
    const struct parameter_list *given = &options->run.parameters;
    struct network_options network = options->network;
    struct scheme_parameters *taken = &network.parameters;
    network.buffer = options->run.buffer;
    network.seed = options->run.seed;
    network.threads = options->run.threads;
    for (uint32_t i = 0; i < given->count && taken->count < SCHEME_PARAMETERS_GIVEN; i++)
        snprintf(taken->text[taken->count++], sizeof taken->text[0], "%s=%s",
                 given->parameter[i].name, given->parameter[i].value);
    bool names_routers = options->routers.count + command->routers > 0;
    if (check_schemes(options, names_routers, failure) != FAIL_NONE)
        return failure->kind;
    return network_compare(command, &options->schemes, options->run.without, options->flits,
                           &network, report, failure);
}

/* FAIL_USAGE: an option is for schemes, and none is asked for. */
static enum failure_kind check_network(const struct meshcast_command *command,
                                       struct failure *failure)
{
    const struct meshcast_option *row = &network_option_row[NETWORK_OWN_ROW];
    for (uint32_t i = 0; i <= NETWORK_OWN_ROWS; i++) {
        const char *name = i < NETWORK_OWN_ROWS ? row[i].name : "flits";
        if (command_is_set(command, name))
            return fail(failure, FAIL_USAGE, "--%s is for --schemes, which run on the network",
                        name);
    }
    return FAIL_NONE;
}

/* Compares on the only operand. */
static int run_one(struct meshcast_command *command, struct meshcast_report *report,
                   struct failure *failure)
{
    const struct compare_command *options = command->options;
    struct command_instance set;
    struct comparison comparison = {
        .command = command, .instance = &set.instance, .run = &options->run};
    struct compared_routers asked = asked_routers(command);
    struct compare_rows rows = {.comparison = &comparison};
    if (options->schemes.count > 0)
        return compare_schemes(command, options, report, failure);
    if (check_network(command, failure) != FAIL_NONE ||
        check_options(command, &asked, failure) != FAIL_NONE ||
        command_read_instance(command, 0, &set, failure) != FAIL_NONE)
        return failure->kind;
    command_break_instance(command, &set, options->run.without, failure);
    choose_routers(&comparison, &asked, options->best);
    rows.row = memory_allocate(comparison.list.count, sizeof *rows.row);
    if (rows.row == NULL)
        fail_memory(failure, "the rows of a comparison");
    else if (failure->kind == FAIL_NONE &&
             command_bound_instance(command, 0, &set, failure) == FAIL_NONE) {
        if (options->best)
            run_best(&comparison, options->plot, report, failure);
        else
            run_rows(&rows, options, report, failure);
    }
    for (uint32_t i = 0; i < rows.count; i++)
        json_decref(rows.row[i].json);
    free(rows.row);
    command_instance_free(&set);
    return failure->kind;
}

/* The rows of several sets, side by side. */
static const struct figure side_by_side[] = {
    {"set", "set", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"part", "part", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {"router", "router", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"scheme", "scheme", FIGURE_TEXT, FIGURE_ALL, NULL},
    {KEY_LOWER_BOUND, "lower bound", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"steps", "steps", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"cycles", "cycles", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"with", "", FIGURE_TEXT, FIGURE_VARIED, NULL},
    {0}};

static void print_side_by_side(const json_t *rows, FILE *out)
{
    static const struct figures figures = {{side_by_side}};
    static const char with[] = "{parameters}[{?error}{?lower_bound}: check failed]"
                               "[{?error}{!lower_bound}did not run]";
    json_t *people = json_array();
    for (size_t i = 0; i < json_array_size(rows); i++) {
        struct report_object row = report_object_copy(json_array_get(rows, i));
        report_set(&row, "with", figures_text(row.value, with));
        report_append(&people, report_object_close(&row));
    }
    fputc('\n', out);
    table_print_text(&(struct table){&figures, people, false}, out);
    json_decref(people);
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    const struct compare_command *options = command->options;
    struct each_set sets = {&options->parts, &options->mesh, options->run.without, run_one};
    uint32_t count = each_set_count(command, &sets);
    if (options->plot != NULL && count > 1)
        return fail(failure, FAIL_USAGE, "--plot is of one set");
    each_set_run(command, &sets, report, failure);
    if (count > 1 && report->csv != NULL && !options->best)
        print_side_by_side(report->csv, command_table(report));
    return failure->kind;
}

const struct meshcast_command_row command_compare = {
    .name = "compare",
    .summary = "run several routers or schemes on message sets, a row each",
    .examples = "  meshcast compare west.mcast\n"
                "  meshcast compare west.mcast --best --plot buffers.svg\n"
                "  meshcast compare west.mcast --routers replicate,trees --copy free\n"
                "  meshcast compare west.mcast --routers trees,trees:tree=xy,trees:tree=dds\n"
                "  meshcast compare west.mcast --schemes unicast,dual,best\n"
                "  meshcast compare west.mcast --plot west.svg\n"
                "  meshcast compare west.mcast --json\n"
                "  meshcast compare ring.mcast tree.mcast --routers trees,unicast\n"
                "  meshcast compare west0479.mtx --parts west.part,busy.part --schemes dual\n",
    .synopsis = "SET ... [--routers A,.. | --schemes A,..] [options]",
    .operands = "SET, the message set to route ('-' is standard input)",
    .least = 1,
    .most = COMMAND_SETS,
    .options_size = sizeof(struct compare_command),
    .options = {{option_rows, sizeof option_rows / sizeof *option_rows, 0},
                {mesh_option_rows, MESH_OPTION_ROWS, offsetof(struct compare_command, mesh)},
                {run_congestion_row, 1, offsetof(struct compare_command, run)},
                {run_reduce_row, 1, offsetof(struct compare_command, run)},
                {run_option_row, RUN_OPTION_ROWS, offsetof(struct compare_command, run)},
                {&network_option_row[NETWORK_OWN_ROW], NETWORK_OWN_ROWS,
                 offsetof(struct compare_command, network)}},
    .offer_parameters = run_offer_parameters,
    .topics = "'meshcast help routers'",
    .ends_early = true,
    .run = run,
};
