/* view_files.c - from a run to the files that show it.
 *
 * Method: files are opened before the run, so that one that cannot be written costs no run; whoever
 * runs closes them, together with the run's other files (base/output_file.c). The numbers of a
 * timeline are written as they come; all else is written when the run is over. The end of a file's name
 * says what goes into it: numbers, or a picture of one of gnuplot's formats. Of a run that fails a check
 * the files show how far it went.
 */
#include "library/view_files.h"

#include "chart/chart.h"
#include "library/plot_file.h"
#include "library/view_heatmap.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool is_picture(const char *path)
{
    enum plot_format format;
    return path != NULL && plot_format_find(path, &format);
}

static enum failure_kind check_name(const char *what, const char *path, struct failure *failure)
{
    if (path == NULL || plot_file_is_csv(path) || is_picture(path))
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "a %s is a FILE.png, FILE.svg, FILE.pdf, or FILE.csv for the numbers, not '%.200s'",
                what, path);
}

enum failure_kind view_request_check(const struct view_request *request, struct failure *failure)
{
    if (check_name("heatmap", request->heatmap, failure) != FAIL_NONE ||
        check_name("timeline", request->timeline, failure) != FAIL_NONE)
        return failure->kind;
    if (is_picture(request->heatmap) || is_picture(request->timeline))
        return gnuplot_look("a FILE.csv", failure);
    return FAIL_NONE;
}

static bool is_any(const struct view_request *request)
{
    return request->heatmap != NULL || request->timeline != NULL || request->keeps_peaks ||
           request->keeps_loads || request->keeps_timeline;
}

/* ---- kept rows ---- */

static const struct {
    const char *name;
    size_t offset;
} COLUMNS[TIMELINE_NUMBERS] = {
    {"timeline.step", offsetof(struct view_row, step)},
    {"timeline.packets", offsetof(struct view_row, packets)},
    {"timeline.delivered", offsetof(struct view_row, delivered)},
    {"timeline.fullest", offsetof(struct view_row, fullest)},
    {"timeline.busy_links", offsetof(struct view_row, busy)},
    {"timeline.packet_hops", offsetof(struct view_row, packet_hops)},
    {"timeline.word_hops", offsetof(struct view_row, word_hops)},
};

static void keep_row(struct view_files *files, const struct view_row *row)
{
    size_t room = files->room;
    for (int i = 0; i < TIMELINE_NUMBERS && !files->is_short; i++) {
        room = files->room;
        uint64_t *grown = memory_grow(files->column[i], &room, files->rows_kept + 1, sizeof *grown);
        files->is_short = grown == NULL;
        if (files->is_short)
            return;
        files->column[i] = grown;
        memcpy(&grown[files->rows_kept], (const char *)row + COLUMNS[i].offset, sizeof *grown);
    }
    files->room = room;
    files->rows_kept++;
}

static void take_row(void *context, const struct view_row *row)
{
    struct view_files *files = context;
    if (files->request->timeline != NULL)
        timeline_take(&files->line, row);
    if (files->request->keeps_timeline)
        keep_row(files, row);
}

/* ---- before the run ---- */

static enum failure_kind open_files(struct view_files *files, struct failure *failure)
{
    const struct view_request *request = files->request;
    if (output_file_open(&files->heatmap, request->heatmap, failure) != FAIL_NONE ||
        output_file_open(&files->timeline, request->timeline, failure) != FAIL_NONE)
        return failure->kind;
    if (is_picture(request->timeline) && (files->rows = tmpfile()) == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot make a temporary file: %s", strerror(errno));
    return FAIL_NONE;
}

static enum failure_kind make_view(struct view_files *files, struct mesh mesh,
                                   uint64_t contributions, struct failure *failure)
{
    const struct view_request *request = files->request;
    bool shows_links = request->heatmap_of == HEATMAP_OF_LINKS;
    struct view_plan plan = {.has_links = shows_links || request->keeps_loads,
                             .take = take_row,
                             .take_context = files,
                             .contributions = contributions};
    if (shows_links && mesh_nodes(mesh) == 1)
        return fail(failure, FAIL_USAGE, "a mesh of one node has no links to show");
    if (request->timeline != NULL || request->keeps_timeline)
        plan.every = request->timeline_every > 0 ? request->timeline_every : 1;
    if (request->timeline != NULL) {
        files->line =
            (struct timeline){.out = files->rows != NULL ? files->rows : files->timeline.file,
                              .is_picture = files->rows != NULL};
        timeline_begin(&files->line);
    }
    return view_make(&files->view, mesh, &plan, failure);
}

/* Gives up what is open, after a failure. */
static void abandon(struct view_files *files)
{
    struct output_file *const all[] = {&files->heatmap, &files->timeline};
    if (files->rows != NULL)
        fclose(files->rows);
    files->rows = NULL;
    output_files_close(all, 2, false, &(struct failure){0}); /* why is known */
}

enum failure_kind view_files_open(struct view_files *files, const struct view_request *request,
                                  struct mesh mesh, uint64_t contributions, struct failure *failure)
{
    *files = (struct view_files){.request = request};
    if (!is_any(request))
        return FAIL_NONE;
    if (open_files(files, failure) != FAIL_NONE ||
        make_view(files, mesh, contributions, failure) != FAIL_NONE)
        abandon(files);
    else
        files->is_open = true;
    return failure->kind;
}

/* ---- after it ---- */

/* Draws the chart into the file, and frees it. */
static enum failure_kind draw(struct chart *chart, enum plot_format format, FILE *out,
                              struct failure *failure)
{
    struct drawing drawing = {0};
    if (failure->kind == FAIL_NONE &&
        chart_draw(chart, format, "a FILE.csv", &drawing, failure) == FAIL_NONE)
        fwrite(drawing.text, 1, drawing.size, out); /* the close reports what went wrong */
    free(drawing.text);
    chart_free(chart);
    return failure->kind;
}

static enum failure_kind write_heatmap(struct view_files *files, const char *title,
                                       struct failure *failure)
{
    struct chart chart;
    enum plot_format format;
    struct heatmap heatmap = {&files->view, files->request->heatmap_of == HEATMAP_OF_LINKS, title};
    if (!plot_format_find(files->request->heatmap, &format)) {
        heatmap_write_csv(&heatmap, files->heatmap.file);
        return FAIL_NONE;
    }
    chart_begin(&chart, 1);
    heatmap_fill_chart(&heatmap, &chart);
    return draw(&chart, format, files->heatmap.file, failure);
}

static enum failure_kind write_timeline(struct view_files *files, const char *title,
                                        const struct router_result *result, struct failure *failure)
{
    struct chart chart;
    enum plot_format format;
    if (!plot_format_find(files->request->timeline, &format))
        return FAIL_NONE; /* its lines are written */
    chart_begin(&chart, 1);
    timeline_fill_chart(&files->line, title, result, &chart, failure);
    return draw(&chart, format, files->timeline.file, failure);
}

/* Copies the loads of all links; NULL: no memory. */
static uint64_t *copy_loads(const struct view *view, size_t nodes)
{
    uint64_t *load = memory_allocate(DIRECTIONS * nodes, sizeof *load);
    for (size_t d = 0; load != NULL && d < DIRECTIONS; d++)
        memcpy(load + d * nodes, view->load[d], nodes * sizeof *load);
    return load;
}

/* Gives the report the arrays that are to be kept. */
static enum failure_kind give_arrays(struct view_files *files, struct failure *failure)
{
    const struct view_request *request = files->request;
    struct meshcast_report *report = request->report;
    size_t nodes = mesh_nodes(files->view.mesh);
    uint64_t *load = request->keeps_loads ? copy_loads(&files->view, nodes) : NULL;
    if (files->is_short || (request->keeps_loads && load == NULL)) {
        free(load);
        return fail_memory(failure, "what is kept of a run");
    }
    if (request->keeps_loads)
        report_take_array(report, "link-loads", load, DIRECTIONS * nodes, true);
    for (int i = 0; request->keeps_timeline && i < TIMELINE_NUMBERS; i++) {
        report_take_array(report, COLUMNS[i].name, files->column[i], files->rows_kept, true);
        files->column[i] = NULL;
    }
    if (request->keeps_peaks) {
        report_take_array(report, "node-peaks", files->view.peak, nodes, false);
        files->view.peak = NULL;
    }
    return FAIL_NONE;
}

enum failure_kind view_files_write(struct view_files *files, const char *title,
                                   const struct router_result *result, struct failure *failure)
{
    struct failure writing = {0};
    if (!files->is_open)
        return FAIL_NONE;
    view_finish(&files->view, result->steps);
    if ((files->heatmap.file == NULL || write_heatmap(files, title, &writing) == FAIL_NONE) &&
        files->timeline.file != NULL)
        write_timeline(files, title, result, &writing);
    if (writing.kind == FAIL_NONE && files->request->report != NULL)
        give_arrays(files, &writing);
    if (writing.kind != FAIL_NONE && failure->kind == FAIL_NONE)
        *failure = writing;
    return writing.kind;
}

void view_files_free(struct view_files *files)
{
    if (!files->is_open)
        return;
    if (files->rows != NULL)
        fclose(files->rows);
    view_free(&files->view);
    for (int i = 0; i < TIMELINE_NUMBERS; i++)
        free(files->column[i]);
    files->is_open = false;
}
