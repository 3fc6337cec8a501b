/* view_files.c - from a run to the files that show it.
 *
 * Method: files are opened before the run, so that one that cannot be written costs no run, and take
 * their places when they are whole (cli/output_file.c). The numbers of a timeline are written as they
 * come; all else is written when the run is over. The end of a file's name says what goes into it:
 * numbers, or a picture of one of gnuplot's formats. Of a run that fails a check the files show how
 * far it went.
 */
#include "cli/view_files.h"

#include "cli/gnuplot.h"
#include "cli/interruption.h"
#include "cli/view_heatmap.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static const char *const heatmap_names[] = {"nodes", "links", NULL};

/* `heatmap_of` is the index of the name, from 1, so that 0 is "not given". */
enum { OF_NODES = 1, OF_LINKS };

static enum failure_kind accept_heatmap_of(void *field, char *value, struct failure *failure)
{
    uint32_t *of = field;
    for (uint32_t i = 0; heatmap_names[i] != NULL; i++)
        if (strcmp(value, heatmap_names[i]) == 0) {
            *of = i + OF_NODES;
            return FAIL_NONE;
        }
    return fail(failure, FAIL_USAGE, "--heatmap-of takes nodes or links, not '%.40s'", value);
}

const struct option_row view_option_row[VIEW_OPTION_ROWS] = {
    {.name = "heatmap",
     .value = "FILE",
     .help = "a picture of the mesh (.png, .svg, .pdf) or its numbers (.csv): the most\n"
             "packets that each node held",
     .type = OPTION_TEXT,
     .offset = offsetof(struct view_options, heatmap)},
    {.name = "heatmap-of",
     .value = "WHAT",
     .help = "nodes (the default), or links: how many packets crossed each directed one",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct view_options, heatmap_of),
     .accept = accept_heatmap_of},
    {.name = "timeline",
     .value = "FILE",
     .help = "step by step (.csv, or a picture): packets in the network, deliveries so\n"
             "far, the fullest buffer, busy links, the phase",
     .type = OPTION_TEXT,
     .offset = offsetof(struct view_options, timeline)},
    {.name = "timeline-every",
     .value = "K",
     .help = "a row for every K steps, 1 by default",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct view_options, timeline_every),
     .least = 1,
     .most = UINT32_MAX},
};

static bool is_csv(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".csv") == 0;
}

static bool is_picture(const char *path)
{
    enum plot_format format;
    return path != NULL && plot_format_find(path, &format);
}

static enum failure_kind check_name(const char *option, const char *path, struct failure *failure)
{
    if (path == NULL || is_csv(path) || is_picture(path))
        return FAIL_NONE;
    return fail(
        failure, FAIL_USAGE,
        "--%s takes FILE.png, FILE.svg, FILE.pdf, or FILE.csv for the numbers, not '%.200s'",
        option, path);
}

enum failure_kind view_options_check(const struct view_options *options, struct failure *failure)
{
    if (check_name("heatmap", options->heatmap, failure) != FAIL_NONE ||
        check_name("timeline", options->timeline, failure) != FAIL_NONE)
        return failure->kind;
    if (options->heatmap == NULL && options->heatmap_of != 0)
        return fail(failure, FAIL_USAGE, "--heatmap-of goes with --heatmap FILE");
    if (options->timeline == NULL && options->timeline_every != 0)
        return fail(failure, FAIL_USAGE, "--timeline-every goes with --timeline FILE");
    if (is_picture(options->heatmap) || is_picture(options->timeline))
        return gnuplot_look("a FILE.csv", failure);
    return FAIL_NONE;
}

/* ---- before the run ---- */

static enum failure_kind open_files(struct view_files *files, const struct output_file *trace,
                                    struct failure *failure)
{
    const struct view_options *options = files->options;
    if (output_file_open(&files->heatmap, options->heatmap, &interruption_watch, failure) !=
            FAIL_NONE ||
        output_file_open(&files->timeline, options->timeline, &interruption_watch, failure) !=
            FAIL_NONE)
        return failure->kind;
    if (output_file_is_same(&files->heatmap, &files->timeline) ||
        output_file_is_same(&files->heatmap, trace) || output_file_is_same(&files->timeline, trace))
        return fail(failure, FAIL_USAGE,
                    "--trace, --heatmap and --timeline must name different files");
    if (is_picture(options->timeline) && (files->rows = tmpfile()) == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot make a temporary file: %s", strerror(errno));
    return FAIL_NONE;
}

static enum failure_kind make_view(struct view_files *files, struct mesh mesh,
                                   struct failure *failure)
{
    const struct view_options *options = files->options;
    struct view_plan plan = {.has_links = options->heatmap_of == OF_LINKS};
    if (plan.has_links && mesh_nodes(mesh) == 1)
        return fail(failure, FAIL_USAGE, "a mesh of one node has no links to show");
    if (options->timeline != NULL) {
        plan.every = options->timeline_every > 0 ? options->timeline_every : 1;
        plan.take = timeline_take;
        plan.take_context = &files->line;
        files->line =
            (struct timeline){.out = files->rows != NULL ? files->rows : files->timeline.file,
                              .is_picture = files->rows != NULL};
        timeline_begin(&files->line);
    }
    return view_make(&files->view, mesh, &plan, failure);
}

/* Closes what is open; the files take their places if they are whole. */
static enum failure_kind close_files(struct view_files *files, bool keep, struct failure *failure)
{
    struct failure closing = {0};
    if (files->rows != NULL)
        fclose(files->rows);
    files->rows = NULL;
    output_file_close(&files->heatmap, keep, &closing);
    output_file_close(&files->timeline, keep && closing.kind == FAIL_NONE, &closing);
    if (failure->kind == FAIL_NONE)
        *failure = closing;
    return failure->kind;
}

enum failure_kind view_files_open(struct view_files *files, const struct view_options *options,
                                  const struct output_file *trace, struct mesh mesh,
                                  struct router_options *router, struct failure *failure)
{
    *files = (struct view_files){.options = options};
    if (options->heatmap == NULL && options->timeline == NULL)
        return FAIL_NONE;
    if (open_files(files, trace, failure) != FAIL_NONE ||
        make_view(files, mesh, failure) != FAIL_NONE)
        return close_files(files, false, failure);
    files->is_open = true;
    router->observer = &files->view.observer;
    return FAIL_NONE;
}

/* ---- after it ---- */

/* Draws what the script says, and closes it. */
static enum failure_kind draw(FILE *script, FILE *out, struct failure *failure)
{
    struct drawing drawing = {0};
    if (failure->kind == FAIL_NONE &&
        gnuplot_draw(script, "a FILE.csv", &drawing, failure) == FAIL_NONE)
        fwrite(drawing.text, 1, drawing.size, out); /* the close tells what went wrong */
    free(drawing.text);
    fclose(script);
    return failure->kind;
}

static enum failure_kind open_script(FILE **script, struct failure *failure)
{
    *script = tmpfile();
    if (*script == NULL)
        fail(failure, FAIL_SYSTEM, "cannot make a temporary file: %s", strerror(errno));
    return failure->kind;
}

static enum failure_kind write_heatmap(struct view_files *files, const char *title,
                                       struct failure *failure)
{
    FILE *script, *out = files->heatmap.file;
    enum plot_format format;
    struct heatmap heatmap = {&files->view, files->options->heatmap_of == OF_LINKS, title};
    if (!plot_format_find(files->options->heatmap, &format)) {
        heatmap_write_csv(&heatmap, out);
        return FAIL_NONE;
    }
    if (open_script(&script, failure) != FAIL_NONE)
        return failure->kind;
    heatmap_write_script(&heatmap, format, script);
    return draw(script, out, failure);
}

static enum failure_kind write_timeline(struct view_files *files, const char *title,
                                        const struct router_result *result, struct failure *failure)
{
    FILE *script;
    enum plot_format format;
    if (!plot_format_find(files->options->timeline, &format))
        return FAIL_NONE; /* its lines are written */
    if (open_script(&script, failure) != FAIL_NONE)
        return failure->kind;
    timeline_write_script(&files->line, format, title, result, script, failure);
    return draw(script, files->timeline.file, failure);
}

enum failure_kind view_files_close(struct view_files *files, bool keep, const char *title,
                                   const struct router_result *result, struct failure *failure)
{
    struct failure writing = {0};
    if (!files->is_open)
        return FAIL_NONE;
    if (keep)
        view_finish(&files->view, result->steps);
    if (keep &&
        (files->heatmap.file == NULL || write_heatmap(files, title, &writing) == FAIL_NONE) &&
        files->timeline.file != NULL)
        write_timeline(files, title, result, &writing);
    close_files(files, keep && writing.kind == FAIL_NONE, &writing);
    view_free(&files->view);
    files->is_open = false;
    if (writing.kind != FAIL_NONE)
        *failure = writing;
    return writing.kind;
}
