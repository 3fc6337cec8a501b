/* command_report.c - `meshcast report`: tables, fits and pictures of a database of results.
 *
 * The database is only read (lab/results_database.c), and closed before anything is printed. Groups
 * and medians: lab/results_group.c; fits: lab/results_fit.c; columns of the tables:
 * lab/results_tables.c; pictures: lab/results_plot.c.
 */
#include "base/output_file.h"
#include "base/printable.h"
#include "lab/results_plot.h"
#include "lab/results_tables.h"
#include "library/commands.h"
#include "library/report.h"
#include "library/run_options.h"
#include "workloads/pattern.h"

#include <inttypes.h>
#include <string.h>

enum { PATHS_SIZE = 4096, MOST_DATABASES = 100000 };

enum table_choice { TABLE_ALL, TABLE_WORKLOADS, TABLE_FITS, TABLE_LOAD };

struct report_options {
    struct results_selection selection;
    const char *output;
    uint32_t plot, table; /* plot: 1 + a plot_kind, 0 if none was asked for */
    bool markdown;
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

static int accept_copies(void *field, char *value, struct failure *failure)
{
    const struct word_list *list = field;
    uint32_t index;
    accept_words(field, value, failure);
    for (uint32_t i = 0; i < list->count && failure->kind == FAIL_NONE; i++)
        option_take_choice("copy", run_copy_names, list->value[i], &index, failure);
    return failure->kind;
}

#define SELECTION(option, word, shown, place, reader, text)                                        \
    OPTION_ROW(option, word, shown, struct report_options, selection.place, OTHER, text),          \
        .accept = reader

/* Patterns and files have names alike, and so may routers of another version. */
static const struct meshcast_option rows[] = {
    OPTION_LIST("routers", "router", "A,B,...", COMMON, struct report_options, selection.routers,
                accept_words, &router_names, "only these routers"),
    OPTION_LIST("pattern", NULL, "P,...", COMMON, struct report_options, selection.workloads,
                accept_words, &pattern_names, "only these patterns, or sets by their files' names"),
    {SELECTION("side", "M,...", COMMON, meshes, accept_numbers,
               "only runs on these meshes; 20x31 is a mesh of 20 rows and 31 columns")},
    {SELECTION("congestion", "C,...", RARE, congestions, accept_numbers,
               "only runs on patterns with these requested congestions")},
    {SELECTION("copy", "unit|free", RARE, copies, accept_copies,
               "only runs with this cost of copies"),
     .choices = run_copy_names, .is_list = true},
    OPTION_CHOICE("table", "NAME", COMMON, struct report_options, table, table_names,
                  "workloads, fits, load or all, the default; load has the points of 'meshcast\n"
                  "load', and all is all but load with --csv and --json"),
    OPTION_FLAG("markdown", COMMON, struct report_options, markdown, "the tables as Markdown"),
    {OPTION_ROW(
         "plot", "WHAT", COMMON, struct report_options, plot, OTHER,
         "steps, ratio, buffers or pareto: steps or ratio (steps / lower bound) over c n,\n"
         "buffers over c, or steps over buffers, a panel per set, with the runs that no other\n"
         "run beats"),
     .accept = accept_plot, .choices = plot_names},
    OPTION_OUTPUT("output", "FILE", 'o', COMMON, struct report_options, output,
                  "where the picture goes: FILE.svg, FILE.png, FILE.pdf, or - for the\n"
                  "terminal, the default"),
};

/* ---- tables ---- */

static void print_rows(const struct table *table, bool is_markdown, FILE *out)
{
    (is_markdown ? table_print_markdown : table_print_text)(table, out);
}

static void print_head(const char *path, const struct results_groups *groups, bool is_markdown,
                       FILE *out)
{
    const json_t *head = groups->head;
    const char *name = strrchr(path, '/');
    char text[PRINTABLE_NAME];
    double runs = results_number(head, "runs");
    fprintf(out, "%s: %.0f run%s, %.0f refused, %.0f failed a check; meshcast %s%s%s\n\n",
            printable_name(name == NULL ? path : name + 1, text), runs, runs == 1 ? "" : "s",
            results_number(head, "refused"), results_number(head, "failed"),
            results_text(head, "version"), results_copy_text(groups), is_markdown ? "." : "");
}

static void print_title(const char *title, bool is_markdown, FILE *out)
{
    fprintf(out, is_markdown ? "### %s\n\n" : "%s\n", title);
}

static void print_tables(const struct report_options *options, const struct table *tables,
                         FILE *out)
{
    bool is_markdown = options->markdown, is_several = tables->is_several;
    if (options->table != TABLE_FITS) {
        print_title("By workload and router: medians over seeds, with min and max", is_markdown,
                    out);
        print_rows(&tables[RESULTS_GROUPS], is_markdown, out);
        fputs(
            is_several
                ? "\nsteps include sync, the synchronisation; half, 95 %, 99 %: of the deliveries "
                  "were made in so\nmany; /S and /bound: steps / sqrt(l c n) and steps / lower "
                  "bound; buffer: the fullest node's\npackets, and the most over all seeds; l, d "
                  "and c are medians too.\n"
                : "\nsteps include sync, the synchronisation; /sqrt(cn) and /bound: steps / "
                  "sqrt(c n) and steps /\nlower bound; buffer: the fullest node's packets, and "
                  "the most over all seeds; d and c are\nmedians too.\n",
            out);
    }
    if (options->table == TABLE_ALL)
        fputc('\n', out);
    if (options->table != TABLE_WORKLOADS && json_array_size(tables[RESULTS_FITS].rows) == 0)
        fputs("No router has workloads that differ in c or n: no fit.\n", out);
    else if (options->table != TABLE_WORKLOADS) {
        const char *load = is_several ? "l c" : "c";
        char title[80];
        snprintf(title, sizeof title, "Fit: log steps = a + x log %s + y log n, a point a workload",
                 is_several ? "(l c)" : "c");
        print_title(title, is_markdown, out);
        print_rows(&tables[RESULTS_FITS], is_markdown, out);
        fprintf(
            out,
            "\n+-: standard errors; scatter: standard deviation of log steps about the fit (0.05 "
            "is 5 %%);\na dash is shown where %s or n does not vary, or the two not independently, "
            "or points are too\nfew; %s: least and greatest constant steps / sqrt(%s n) of the "
            "points.\n\n",
            load, is_several ? "/S" : "/sqrt(cn)", load);
        print_title("Fit: steps = c1 S + c2 m, of the same points", is_markdown, out);
        print_rows(&tables[RESULTS_SUMS], is_markdown, out);
        fputs(
            "\nS = sqrt(l c n), l being the most messages of a node; m: the side, or half of rows "
            "and columns;\nc1 and c2 are least squares of relative residuals, and not below 0; "
            "scatter: standard deviation\nof these residuals, to be held against that of the power "
            "law; a dash is shown where c is the same\nin all points: S and m are then "
            "proportional.\n",
            out);
    }
    if (options->table != TABLE_FITS && json_array_size(tables[RESULTS_ERRORS].rows) != 0) {
        fputc('\n', out);
        print_title("Failed runs", is_markdown, out);
        print_rows(&tables[RESULTS_ERRORS], is_markdown, out);
    }
}

/* Keeps the table for --csv, which has its heading even if there are no rows. */
static enum failure_kind take_csv(struct meshcast_report *report, const struct table *table,
                                  struct failure *failure)
{
    size_t size;
    FILE *out = open_memstream(&report->csv_text, &size);
    if (out != NULL)
        table_print_csv(table, out);
    return out == NULL || fclose(out) != 0 ? fail_memory(failure, "the result") : failure->kind;
}

/* ---- latency against load ---- */

static enum failure_kind take_points(const struct report_options *options, const json_t *points,
                                     struct meshcast_report *report, bool is_for_people,
                                     struct failure *failure)
{
    struct table table = results_tables[RESULTS_POINTS];
    table.rows = points;
    if (!is_for_people) {
        report_take_json(report, results_points_json(points), NULL, failure);
        return take_csv(report, &table, failure);
    }
    print_title("Latency against load (messages per node and cycle; cycles)", options->markdown,
                command_table(report));
    print_rows(&table, options->markdown, command_table(report));
    return FAIL_NONE;
}

/* Reads the points; *is_all: there is nothing else to show. */
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

static enum failure_kind take_json(const struct report_options *options, const char *path,
                                   const json_t *head, const struct table *tables,
                                   struct meshcast_report *report, struct failure *failure)
{
    json_t *value = json_pack(
        "{s:s, s:o, s:O, s:O, s:O, s:o, s:o, s:o}", "meshcast", MESHCAST_VERSION, "database",
        report_json_text(path), "runs", json_object_get(head, "runs"), "refused",
        json_object_get(head, "refused"), "failed", json_object_get(head, "failed"), "workloads",
        table_json(&tables[RESULTS_GROUPS]), "fits", table_json(&tables[RESULTS_FITS]), "errors",
        table_json(&tables[RESULTS_ERRORS]));
    report_take_json(report, value, NULL, failure);
    return take_csv(report, &tables[options->table == TABLE_FITS ? RESULTS_FITS : RESULTS_GROUPS],
                    failure);
}

/* Prints the tables for people, or reports them to programs. */
static enum failure_kind take_tables(const struct report_options *options, const char *path,
                                     const struct results_groups *groups,
                                     struct meshcast_report *report, bool is_for_people,
                                     struct failure *failure)
{
    struct table table[RESULTS_POINTS];
    json_t *fits = NULL;
    const json_t *of[RESULTS_POINTS] = {groups->group, NULL, NULL, groups->error};
    if (results_fits_make(&fits, groups, failure) == FAIL_NONE)
        of[RESULTS_FITS] = of[RESULTS_SUMS] = fits;
    for (int i = 0; i < RESULTS_POINTS; i++) {
        table[i] = results_tables[i];
        table[i].rows = of[i];
        table[i].is_several = results_number(groups->head, "several") > 0;
    }
    if (failure->kind == FAIL_NONE && !is_for_people)
        take_json(options, path, groups->head, table, report, failure);
    else if (failure->kind == FAIL_NONE) {
        if (options->table == TABLE_ALL)
            print_head(path, groups, options->markdown, command_table(report));
        print_tables(options, table, command_table(report));
    }
    json_decref(fits);
    return failure->kind;
}

/* Reports runs, after closing the database. */
static enum failure_kind report_runs(const struct report_options *options, const char *path,
                                     struct results_database *database, const json_t *points,
                                     struct meshcast_report *report, bool is_for_people,
                                     struct failure *failure)
{
    struct results_groups groups;
    bool has_points = is_for_people && options->table == TABLE_ALL &&
                      !results_selects(&options->selection) && json_array_size(points) > 0;
    results_groups_read(&groups, database, &options->selection, failure);
    results_close(database);
    if (failure->kind == FAIL_NONE && options->plot != 0)
        plot_draw(&groups, (enum plot_kind)(options->plot - 1), options->output,
                  command_table(report), failure);
    if (failure->kind == FAIL_NONE && (options->plot == 0 || !is_for_people) &&
        take_tables(options, path, &groups, report, is_for_people, failure) == FAIL_NONE &&
        has_points) {
        fputc('\n', command_table(report));
        take_points(options, points, report, true, failure);
    }
    results_groups_free(&groups);
    return failure->kind;
}

/* ---- the command ---- */

/* Writes the path of a single database, or the names of several without their folders, cut to the
 * size. */
static void name_all(const struct meshcast_command *command, char name[PATHS_SIZE])
{
    size_t used = 0;
    for (int i = 0; i < command->operands && used < PATHS_SIZE; i++) {
        const char *path = command->operand[i], *slash = strrchr(path, '/');
        used += (size_t)snprintf(name + used, PATHS_SIZE - used, "%s%s", i == 0 ? "" : ", ",
                                 slash == NULL || command->operands == 1 ? path : slash + 1);
    }
}

static enum failure_kind check_options(const struct meshcast_command *command,
                                       const struct report_options *options,
                                       struct failure *failure)
{
    enum plot_format format;
    for (int i = 0; i < command->operands; i++)
        if (command->operand[i] == NULL)
            return fail(failure, FAIL_USAGE, "expected a database, not a set");
    if (options->plot == 0 && options->output != NULL)
        return fail(failure, FAIL_USAGE, "--output is for --plot; tables go to standard output");
    if (options->plot != 0 && options->markdown)
        return fail(failure, FAIL_USAGE, "--plot draws a picture; give --markdown without it");
    if (options->plot != 0 && options->output == NULL && command->table == NULL)
        return fail(failure, FAIL_USAGE,
                    "--plot draws on the terminal; give --csv and --json without it, or name a "
                    "file for --output");
    if (options->output != NULL)
        return plot_format_of(options->output, &format, failure);
    return FAIL_NONE;
}

static int run_report(struct meshcast_command *command, struct meshcast_report *report,
                      struct failure *failure)
{
    const struct report_options *options = command->options;
    bool is_for_people = command->table != NULL, is_all = false;
    char path[PATHS_SIZE];
    struct results_database database;
    json_t *points = NULL;
    if (check_options(command, options, failure) != FAIL_NONE)
        return failure->kind;
    name_all(command, path);
    if (results_open_all(&database, path, command->operand, command->operands, failure) !=
        FAIL_NONE)
        return failure->kind;
    if (read_points(options, &database, &points, &is_all, failure) == FAIL_NONE) {
        if (is_all) {
            results_close(&database);
            take_points(options, points, report, is_for_people, failure);
        } else {
            report_runs(options, path, &database, points, report, is_for_people, failure);
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
    .most = MOST_DATABASES,
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .print_more = print_more,
    .options_size = sizeof(struct report_options),
    .run = run_report,
};
