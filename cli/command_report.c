/* command_report.c - `meshcast report`: tables, fits and pictures of a database of results.
 *
 * The database is only read (lab/results_database.c). Groups and medians: lab/results_group.c; fits: lab/results_fit.c;
 * columns of the tables: lab/results_tables.c; pictures: lab/results_plot.c.
 */
#include "base/printable.h"
#include "cli/command.h"
#include "cli/memory_option.h"
#include "lab/results_fit.h"
#include "lab/results_plot.h"
#include "lab/results_tables.h"
#include "library/report.h"
#include "library/run_options.h"
#include "workloads/pattern.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS_SIZE = 4096 };

enum table_choice { TABLE_ALL, TABLE_WORKLOADS, TABLE_FITS, TABLE_LOAD };

struct report_options {
    struct results_selection selection;
    const char *output;
    uint32_t plot, table; /* plot: 1 + a plot_kind, 0 where none was asked for */
    bool csv, json, markdown;
};

static const char *const table_names[] = {"all", "workloads", "fits", "load", NULL};

static int accept_plot(void *field, char *value, struct failure *failure)
{
    uint32_t kind = 0;
    if (option_take_choice("plot", plot_names, value, &kind, failure) != FAIL_NONE)
        return failure->kind;
    *(uint32_t *)field = kind + 1;
    return FAIL_NONE;
}

/* Patterns and files have names alike, and so may routers of another version. */
static int accept_names(void *field, char *value, struct failure *failure)
{
    return accept_list_files(field, value, failure);
}

static const struct meshcast_option rows[] = {
    {.name = "routers",
     .alias = "router",
     .value = "A,B,...",
     .is_common = true,
     .help = "only these routers",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct report_options, selection.routers),
     .accept = accept_names,
     .names = &router_names,
     .is_list = true},
    {.name = "pattern",
     .value = "P,...",
     .is_common = true,
     .help = "only these patterns, or sets by their files' names",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct report_options, selection.workloads),
     .accept = accept_names,
     .names = &pattern_names,
     .is_list = true},
    {.name = "side",
     .value = "M,...",
     .is_common = true,
     .help = "only runs on these meshes; 20x31 is a mesh of 20 rows and 31 columns",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct report_options, selection.meshes),
     .accept = accept_list_meshes},
    {.name = "congestion",
     .value = "C,...",
     .help = "only runs on patterns with these requested congestions",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct report_options, selection.congestions),
     .accept = accept_list_congestions},
    {.name = "copy",
     .value = "unit|free",
     .help = "runs with this cost of copies alone",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct report_options, selection.copies),
     .accept = accept_list_copies,
     .choices = run_copy_names,
     .is_list = true},
    {.name = "table",
     .value = "NAME",
     .is_common = true,
     .help = "workloads, fits, load or all, the default; load has the points of 'meshcast\nload', "
             "and all is all but load with --csv and --json",
     .type = MESHCAST_OPTION_CHOICE,
     .offset = offsetof(struct report_options, table),
     .choices = table_names},
    {.name = "csv",
     .help = "the table as CSV",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct report_options, csv)},
    {.name = "json",
     .help = "everything as JSON",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct report_options, json)},
    {.name = "markdown",
     .is_common = true,
     .help = "the tables as Markdown",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct report_options, markdown)},
    {.name = "plot",
     .value = "WHAT",
     .is_common = true,
     .help =
         "steps, ratio, buffers or pareto: steps or ratio (steps / lower bound) over c n,\nbuffers "
         "over c, or steps over buffers, a panel a set, with the runs that no other\nrun beats",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct report_options, plot),
     .accept = accept_plot,
     .choices = plot_names},
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .is_common = true,
     .help = "where the picture goes: FILE.svg, FILE.png, FILE.pdf, or - for the\n"
             "terminal, the default",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct report_options, output),
     .is_file = true},
    MEMORY_OPTION_ROW,
};

/* ---- tables ---- */

static void print_table_rows(const struct table *table, bool is_markdown)
{
    (is_markdown ? table_print_markdown : table_print_text)(table, stdout);
}

static void print_head(const char *path, const json_t *head, bool is_markdown)
{
    const char *name = strrchr(path, '/'), *copy = results_text(head, "copy");
    char text[PRINTABLE_NAME];
    printf("%s: %.0f runs, %.0f refused, %.0f failed a check; meshcast %s%s%s\n\n",
           printable_name(name == NULL ? path : name + 1, text), results_number(head, "runs"),
           results_number(head, "refused"), results_number(head, "failed"),
           results_text(head, "version"),
           *copy == '\0'               ? ""
           : strcmp(copy, "free") == 0 ? "; copies are free"
                                       : "; copies cost a step",
           is_markdown ? "." : "");
}

static void print_title(const char *title, bool is_markdown)
{
    printf(is_markdown ? "### %s\n\n" : "%s\n", title);
}

static void print_tables(const struct report_options *options, const struct table *tables)
{
    bool is_markdown = options->markdown, is_several = tables->is_several;
    if (options->table != TABLE_FITS) {
        print_title("By workload and router: medians over seeds, with min and max", is_markdown);
        print_table_rows(&tables[RESULTS_GROUPS], is_markdown);
        puts(is_several
                 ? "\nsteps include sync, the synchronisation; half, 95 %, 99 %: of the deliveries "
                   "were made in so\nmany; /S and /bound: steps / sqrt(l c n) and steps / lower "
                   "bound; buffer: the fullest node's\npackets, and the most over all seeds; l, d "
                   "and c are medians too."
                 : "\nsteps include sync, the synchronisation; /sqrt(cn) and /bound: steps / "
                   "sqrt(c n) and steps /\nlower bound; buffer: the fullest node's packets, and "
                   "the most over all seeds; d and c are\nmedians too.");
    }
    if (options->table == TABLE_ALL)
        putchar('\n');
    if (options->table != TABLE_WORKLOADS && json_array_size(tables[RESULTS_FITS].rows) == 0)
        puts("No router has workloads that differ in c or n: no fit.");
    else if (options->table != TABLE_WORKLOADS) {
        const char *load = is_several ? "l c" : "c";
        char title[80];
        snprintf(title, sizeof title, "Fit: log steps = a + x log %s + y log n, a point a workload",
                 is_several ? "(l c)" : "c");
        print_title(title, is_markdown);
        print_table_rows(&tables[RESULTS_FITS], is_markdown);
        printf(
            "\n+-: standard errors; scatter: standard deviation of log steps about the fit (0.05 "
            "is 5 %%);\na dash stands where %s or n does not vary, or the two not independently, "
            "or points are too\nfew; %s: least and greatest constant steps / sqrt(%s n) of the "
            "points.\n\n",
            load, is_several ? "/S" : "/sqrt(cn)", load);
        print_title("Fit: steps = c1 S + c2 m, of the same points", is_markdown);
        print_table_rows(&tables[RESULTS_SUMS], is_markdown);
        puts(
            "\nS = sqrt(l c n), l being the most messages of a node; m: the side, or half of rows "
            "and columns;\nc1 and c2 are least squares of relative residuals, and not below 0; "
            "scatter: standard deviation\nof these residuals, to be held against that of the power "
            "law; a dash stands where c is the same\nin all points: S and m are then "
            "proportional.");
    }
    if (options->table != TABLE_FITS && json_array_size(tables[RESULTS_ERRORS].rows) != 0) {
        putchar('\n');
        print_title("Failed runs", is_markdown);
        print_table_rows(&tables[RESULTS_ERRORS], is_markdown);
    }
}

static enum failure_kind print_json(const char *path, const json_t *head,
                                    const struct table *tables, struct failure *failure)
{
    json_t *value = json_pack(
        "{s:s, s:o, s:O, s:O, s:O, s:o, s:o, s:o}", "meshcast", MESHCAST_VERSION, "database",
        report_json_text(path), "runs", json_object_get(head, "runs"), "refused",
        json_object_get(head, "refused"), "failed", json_object_get(head, "failed"), "workloads",
        table_json(&tables[RESULTS_GROUPS]), "fits", table_json(&tables[RESULTS_FITS]), "errors",
        table_json(&tables[RESULTS_ERRORS]));
    return report_print_json(value, stdout, failure);
}

/* Returns the groups with runs that did not go well; NULL: no memory. */
static json_t *list_errors(const json_t *groups)
{
    json_t *found = json_array(), *group;
    size_t i;
    json_array_foreach(groups, i, group)
    {
        if (results_number(group, "failed") + results_number(group, "refused") != 0 &&
            json_array_append(found, group) != 0) {
            json_decref(found);
            return NULL;
        }
    }
    return found;
}

static enum failure_kind print_all(const struct report_options *options, const char *path,
                                   const struct results_groups *groups, struct failure *failure)
{
    struct table table[RESULTS_POINTS];
    json_t *fits = NULL, *errors = list_errors(groups->group);
    const json_t *of[RESULTS_POINTS] = {groups->group, NULL, NULL, errors};
    if (errors == NULL)
        fail_memory(failure, "the tables");
    else if (results_fits_make(&fits, groups, failure) == FAIL_NONE)
        of[RESULTS_FITS] = of[RESULTS_SUMS] = fits;
    for (int i = 0; i < RESULTS_POINTS; i++) {
        table[i] = results_tables[i];
        table[i].rows = of[i];
        table[i].is_several = results_number(groups->head, "several") > 0;
    }
    if (failure->kind == FAIL_NONE && options->json)
        print_json(path, groups->head, table, failure);
    else if (failure->kind == FAIL_NONE && options->csv)
        table_print_csv(&table[options->table == TABLE_FITS ? RESULTS_FITS : RESULTS_GROUPS],
                        stdout);
    else if (failure->kind == FAIL_NONE) {
        if (options->table == TABLE_ALL)
            print_head(path, groups->head, options->markdown);
        print_tables(options, table);
    }
    json_decref(fits);
    json_decref(errors);
    return failure->kind;
}

/* ---- the command ---- */

static enum failure_kind check_options(const struct report_options *options,
                                       struct failure *failure)
{
    enum plot_format format;
    if (options->csv + options->json + options->markdown > 1)
        return fail(failure, FAIL_USAGE, "--csv, --json and --markdown exclude each other");
    if (options->plot == 0 && options->output != NULL)
        return fail(failure, FAIL_USAGE, "--output is for --plot; tables go to standard output");
    if (options->plot != 0 && options->csv + options->json + options->markdown > 0)
        return fail(failure, FAIL_USAGE, "--plot draws a picture; give --csv and such without it");
    if (options->plot != 0 && options->output != NULL)
        return plot_format_of(options->output, &format, failure);
    return FAIL_NONE;
}

/* ---- latency against load ---- */

static enum failure_kind print_points(const struct report_options *options, const json_t *points,
                                      struct failure *failure)
{
    struct table table = results_tables[RESULTS_POINTS];
    table.rows = points;
    if (options->json)
        return report_print_json(results_points_json(points), stdout, failure);
    if (options->csv) {
        table_print_csv(&table, stdout);
        return FAIL_NONE;
    }
    print_title("Latency against load (messages per node and cycle; cycles)", options->markdown);
    print_table_rows(&table, options->markdown);
    return FAIL_NONE;
}

/* *is_all: there is nothing else to show. */
static enum failure_kind read_points(const struct report_options *options,
                                     struct results_database *database, json_t **points,
                                     bool *is_all, struct failure *failure)
{
    bool has_runs = true;
    if (results_points_read(database, points, failure) != FAIL_NONE ||
        results_has_runs(database, &has_runs, failure) != FAIL_NONE)
        return failure->kind;
    size_t count = json_array_size(*points);
    *is_all = options->table == TABLE_LOAD ||
              (options->table == TABLE_ALL && !has_runs && count > 0 && options->plot == 0);
    if (options->table == TABLE_LOAD && count == 0)
        return fail(failure, FAIL_INPUT,
                    "the database has no points of latency; 'meshcast load --db' makes them");
    if (*is_all && results_selects(&options->selection))
        return fail(failure, FAIL_USAGE,
                    "--router, --pattern, --side, --congestion and --copy choose runs of routers, "
                    "not points of 'meshcast "
                    "load'; --csv and --json show all points to other programs");
    if (!*is_all && !has_runs && count > 0)
        return fail(failure, FAIL_USAGE,
                    "the database has no runs of routers, only points of 'meshcast load'; --table "
                    "load shows them");
    return FAIL_NONE;
}

/* ---- runs ---- */

/* Closes the database before anything is printed. */
static enum failure_kind report_runs(const struct report_options *report, const char *path,
                                     struct results_database *database, const json_t *points,
                                     struct failure *failure)
{
    struct results_groups groups;
    bool is_for_people = !report->csv && !report->json && report->table == TABLE_ALL &&
                         !results_selects(&report->selection);
    results_groups_read(&groups, database, &report->selection, failure);
    results_close(database);
    if (failure->kind == FAIL_NONE && report->plot != 0)
        plot_draw(&groups, (enum plot_kind)(report->plot - 1),
                  report->output == NULL ? "-" : report->output, failure);
    else if (failure->kind == FAIL_NONE && print_all(report, path, &groups, failure) == FAIL_NONE &&
             is_for_people && json_array_size(points) > 0) {
        putchar('\n');
        print_points(report, points, failure);
    }
    results_groups_free(&groups);
    return failure->kind;
}

/* Writes the path of a single database, or the names of several without their folders, cut to the size. */
static void name_all(const struct operands *operands, char name[PATHS_SIZE])
{
    size_t used = 0;
    if (operands->count == 1) {
        snprintf(name, PATHS_SIZE, "%s", operands->operand[0]);
        return;
    }
    for (int i = 0; i < operands->count && used < PATHS_SIZE; i++) {
        const char *path = operands->operand[i], *slash = strrchr(path, '/');
        used += (size_t)snprintf(name + used, PATHS_SIZE - used, "%s%s", i == 0 ? "" : ", ",
                                 slash == NULL ? path : slash + 1);
    }
}

enum failure_kind command_report_run(void *options, const struct operands *operands,
                                     struct failure *failure)
{
    const struct report_options *report = options;
    char path[PATHS_SIZE];
    struct results_database database;
    json_t *points = NULL;
    bool is_all = false;
    name_all(operands, path);
    if (check_options(report, failure) != FAIL_NONE ||
        results_open_all(&database, path, (const char *const *)operands->operand, operands->count,
                         failure) != FAIL_NONE)
        return failure->kind;
    if (read_points(report, &database, &points, &is_all, failure) == FAIL_NONE) {
        if (is_all) {
            results_close(&database);
            print_points(report, points, failure);
        } else {
            report_runs(report, path, &database, points, failure);
        }
    }
    json_decref(points);
    results_close(&database);
    return failure->kind;
}

static void print_more(FILE *out)
{
    fputs(
        "\nThe tables: every workload and router with medians over seeds; the fit log steps = a +\n"
        "x log c + y log n of every router and pattern, with standard errors, and steps = c1 S +\n"
        "c2 m of the same points; the failed runs. A database may be read while a "
        "sweep writes to it; several are read as one, a result that is in several once. Any "
        "other question:\n"
        "the file is SQLite, its views are run, phase, parameter and load_point.\n"
        "\nPictures are drawn by gnuplot (Debian's package gnuplot-nox).\n",
        out);
}

const struct meshcast_command_row command_report = {
    .name = "report",
    .summary = "tables, fits and pictures of a database of results",
    .examples = "  meshcast report results.db\n"
                "  meshcast report results.db --plot steps\n"
                "  meshcast report results.db --plot steps --pattern uniform -o steps.svg\n"
                "  meshcast report results.db --plot pareto --side 32 --congestion 16\n"
                "  meshcast report results.db --router stream,random --csv >results.csv\n"
                "  meshcast report results.db --table fits --markdown\n",
    .synopsis = "FILE.. [options]",
    .operands = "FILE, a database that 'meshcast sweep' or 'meshcast load --db' made",
    .least = 1,
    .most = INT_MAX,
    .options_size = sizeof(struct report_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .print_more = print_more,
};
