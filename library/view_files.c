/* view_files.c - from a run to the files that show it.
 *
 * Method: files are opened before the run, so that one that cannot be written costs no run; the
 * caller closes them, together with the run's other files (base/output_file.c). The numbers of a
 * timeline are written at once, so that a long run needs no memory; all else is written when the
 * run is over. The end of a file's name chooses its content: numbers, or a picture of one of
 * gnuplot's formats. After a failed check the files show the run up to there.
 *   A heatmap is a panel of cells, each a node, or on large meshes a square of nodes that shows its
 * largest value, so that no hot node gets lost. Links have a panel for each direction, because two
 * links join two nodes: each node shows the packets that it sent over its link in that direction.
 * All panels share one scale of colours.
 */
#include "library/view_files.h"

#include "base/numbers.h"
#include "library/plot_file.h"
#include "library/report_parts.h"

#include <inttypes.h>
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

/* ---- rows of a timeline ---- */

enum { STEP, PACKETS, DELIVERED, FULLEST, BUSY, PACKET_HOPS, WORD_HOPS };

static const struct {
    const char *name;
    size_t offset;
} COLUMNS[TIMELINE_NUMBERS] = {
    [STEP] = {"timeline.step", offsetof(struct view_row, step)},
    [PACKETS] = {"timeline.packets", offsetof(struct view_row, packets)},
    [DELIVERED] = {"timeline.delivered", offsetof(struct view_row, delivered)},
    [FULLEST] = {"timeline.fullest", offsetof(struct view_row, fullest)},
    [BUSY] = {"timeline.busy_links", offsetof(struct view_row, busy)},
    [PACKET_HOPS] = {"timeline.packet_hops", offsetof(struct view_row, packet_hops)},
    [WORD_HOPS] = {"timeline.word_hops", offsetof(struct view_row, word_hops)},
};

static uint64_t number_of(const struct view_row *row, int column)
{
    uint64_t number;
    memcpy(&number, (const char *)row + COLUMNS[column].offset, sizeof number);
    return number;
}

static void keep_row(struct view_files *files, const struct view_row *row)
{
    size_t room = files->room;
    for (int i = 0; i < TIMELINE_NUMBERS && !files->is_short; i++) {
        room = files->room;
        uint64_t *grown = memory_grow(files->column[i], &room, files->rows + 1, sizeof *grown);
        files->is_short = grown == NULL;
        if (files->is_short)
            return;
        files->column[i] = grown;
        grown[files->rows] = number_of(row, i);
    }
    files->room = room;
    files->rows++;
}

static void take_row(void *context, const struct view_row *row)
{
    struct view_files *files = context;
    if (plot_file_is_csv(files->request->timeline)) {
        for (int i = 0; i < TIMELINE_NUMBERS; i++)
            fprintf(files->timeline.file, "%" PRIu64 ",", number_of(row, i));
        report_print_csv_text(row->phase, files->timeline.file);
        fputc('\n', files->timeline.file);
    }
    if (files->request->keeps_timeline || is_picture(files->request->timeline))
        keep_row(files, row);
}

/* ---- a heatmap: values ---- */

/* A heatmap. */
struct heatmap {
    const struct view *view;
    bool of_links;     /* the view and the mesh then have links */
    const char *title; /* a line: the run */
};

static uint64_t value_at(const struct heatmap *heatmap, enum direction way, uint32_t row,
                         uint32_t col)
{
    const struct view *view = heatmap->view;
    size_t node = (size_t)row * view->mesh.cols + col;
    return heatmap->of_links ? view->load[way][node] : view->peak[node];
}

/* The largest value of all, and the number of nodes or links that have it. */
struct hottest {
    uint64_t value, count;
};

static struct hottest find_hottest(const struct heatmap *heatmap)
{
    struct hottest hottest = {.value = 0};
    struct mesh mesh = heatmap->view->mesh;
    for (uint32_t row = 0; row < mesh.rows; row++)
        for (uint32_t col = 0; col < mesh.cols; col++)
            for (int way = 0; way < (heatmap->of_links ? DIRECTIONS : 1); way++) {
                uint64_t value = value_at(heatmap, (enum direction)way, row, col);
                if (value > hottest.value)
                    hottest = (struct hottest){value, 0};
                hottest.count += value == hottest.value;
            }
    return hottest;
}

/* ---- its numbers ---- */

/* True if node (row, col) has a link in that direction. */
static bool has_link(struct mesh mesh, uint32_t row, uint32_t col, enum direction direction)
{
    return direction == NORTH   ? row > 0
           : direction == SOUTH ? row + 1 < mesh.rows
           : direction == WEST  ? col > 0
                                : col + 1 < mesh.cols;
}

static void put_links(const struct heatmap *heatmap, uint32_t row, uint32_t col, FILE *out)
{
    static const int down[DIRECTIONS] = {-1, 1, 0, 0}, right[DIRECTIONS] = {0, 0, -1, 1};
    for (int way = 0; way < DIRECTIONS; way++)
        if (has_link(heatmap->view->mesh, row, col, (enum direction)way))
            fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 "\n", row, col,
                    row + (uint32_t)down[way], col + (uint32_t)right[way],
                    value_at(heatmap, (enum direction)way, row, col));
}

/* Writes a line per node, or per directed link; rows and columns count from 0. */
static void write_heatmap_numbers(const struct heatmap *heatmap, FILE *out)
{
    struct mesh mesh = heatmap->view->mesh;
    fputs(heatmap->of_links ? "row,col,to_row,to_col,packets\n" : "row,col,peak\n", out);
    for (uint32_t row = 0; row < mesh.rows; row++)
        for (uint32_t col = 0; col < mesh.cols; col++)
            if (heatmap->of_links)
                put_links(heatmap, row, col, out);
            else
                fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 "\n", row, col,
                        value_at(heatmap, NORTH, row, col));
}

/* True if nearly all values but 0 are far below the largest, so that a linear scale would show only
 * a dot or two. */
static bool is_skewed(const struct heatmap *heatmap, uint64_t largest)
{
    enum { FAR = 8, MOST_SHARE = 20 };
    struct mesh mesh = heatmap->view->mesh;
    uint64_t low = 0, high = 0;
    for (uint32_t row = 0; row < mesh.rows; row++)
        for (uint32_t col = 0; col < mesh.cols; col++)
            for (int way = 0; way < (heatmap->of_links ? DIRECTIONS : 1); way++) {
                uint64_t value = value_at(heatmap, (enum direction)way, row, col);
                low += value > 0 && value < largest / FAR;
                high += value >= largest / FAR;
            }
    return low > MOST_SHARE * high;
}

/* ---- its chart ---- */

/* Sizes in points: a mesh, one of several meshes; a strip of nodes is STRIP wide at least. */
enum { ONE = 480, ONE_OF_SEVERAL = 300, STRIP = 28 };

/* The cells of a panel: so many nodes on a side are a cell; links in that direction start in the
 * cells of a part of the mesh. */
struct cells {
    uint32_t block, first_row, end_row, first_col, end_col;
};

static struct cells cells_of(const struct heatmap *heatmap, uint32_t block, enum direction way)
{
    struct mesh mesh = heatmap->view->mesh;
    struct cells cells = {block, 0, (mesh.rows + block - 1) / block, 0,
                          (mesh.cols + block - 1) / block};
    if (!heatmap->of_links || block > 1)
        return cells;
    cells.first_row += way == NORTH;
    cells.end_row -= way == SOUTH;
    cells.first_col += way == WEST;
    cells.end_col -= way == EAST;
    return cells;
}

/* Returns the largest value of a cell's nodes. */
static uint64_t cell_value(const struct heatmap *heatmap, uint32_t block, enum direction way,
                           uint32_t cell_row, uint32_t cell_col)
{
    struct mesh mesh = heatmap->view->mesh;
    uint64_t most = 0;
    for (uint32_t i = 0; i < block * block; i++) {
        uint32_t row = cell_row * block + i / block, col = cell_col * block + i % block;
        if (row >= mesh.rows || col >= mesh.cols)
            continue;
        uint64_t value = value_at(heatmap, way, row, col);
        most = value > most ? value : most;
    }
    return most;
}

static void add_mesh(const struct heatmap *heatmap, uint32_t points, enum direction way,
                     struct chart *chart)
{
    static const char *const titles[DIRECTIONS] = {"links to the north", "links to the south",
                                                   "links to the west", "links to the east"};
    struct mesh mesh = heatmap->view->mesh;
    uint32_t longest = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    uint32_t block = (longest + 2 * points - 1) / (2 * points),
             across = (longest + block - 1) / block;
    /* a cell is a whole number of half points, and a few nodes need no large picture */
    double node = (longest <= 4 ? points / 8.0 : 2 * points / across / 2.0) / block;
    struct cells cells = cells_of(heatmap, block, way);
    struct chart_panel *panel =
        chart_panel(chart, node * (double)block * ((mesh.cols + block - 1) / block),
                    node * (double)block * ((mesh.rows + block - 1) / block));
    panel->width = panel->width > STRIP ? panel->width : STRIP;
    panel->height = panel->height > STRIP ? panel->height : STRIP;
    panel->x = (struct chart_axis){"column", .from = -0.5,
                                   .to = ((mesh.cols + block - 1) / block * block) - 0.5};
    panel->y = (struct chart_axis){"row", .from = ((mesh.rows + block - 1) / block * block) - 0.5,
                                   .to = -0.5};
    if (heatmap->of_links) /* without a link the ground is visible */
        chart_band(panel, -0.5, panel->x.to, NULL);
    panel->title = heatmap->of_links ? titles[way] : NULL;
    panel->image = (struct chart_image){.down = cells.end_row - cells.first_row,
                                        .across = cells.end_col - cells.first_col,
                                        .x = cells.first_col + (block - 1) / 2.0,
                                        .y = cells.first_row + (block - 1) / 2.0,
                                        .cell = block};
    panel->image.value =
        chart_keep(chart, (size_t)panel->image.down * panel->image.across * sizeof(float));
    float *value = panel->image.value;
    for (uint32_t row = cells.first_row; row < cells.end_row && value != NULL; row++)
        for (uint32_t col = cells.first_col; col < cells.end_col; col++)
            *value++ = (float)cell_value(heatmap, block, way, row, col);
    if (block > 1 && chart->note == NULL)
        chart->note =
            chart_text(chart, "a dot shows the largest of %" PRIu32 " x %" PRIu32, block, block);
}

/* Fills an empty chart: the mesh, row 0 at the top; of links a mesh for each direction, a link's
 * load at the node that sends over it. */
static void heatmap_fill_chart(const struct heatmap *heatmap, struct chart *chart)
{
    struct mesh mesh = heatmap->view->mesh;
    struct hottest hottest = find_hottest(heatmap);
    const char *where = "";
    if (hottest.value > 0)
        where = chart_text(chart, ", at %" PRIu64 " %s%s", hottest.count,
                           heatmap->of_links ? "link" : "node", hottest.count == 1 ? "" : "s");
    chart->title =
        chart_text(chart, "%s\n%s: %" PRIu64 " packet%s at most%s", heatmap->title,
                   heatmap->of_links ? "load of each directed link" : "peak of each node",
                   hottest.value, hottest.value == 1 ? "" : "s", where);
    chart->colours = (struct chart_colours){
        .label = heatmap->of_links ? "packets over a link" : "packets at a node",
        .most = hottest.value,
        .is_log = hottest.value > CHART_FEW_COLOURS && is_skewed(heatmap, hottest.value)};
    bool has_panel[DIRECTIONS] = {!heatmap->of_links};
    uint32_t panels = 0;
    for (int way = 0; way < DIRECTIONS; way++) {
        if (heatmap->of_links)
            has_panel[way] =
                direction_is_vertical((enum direction)way) ? mesh.rows > 1 : mesh.cols > 1;
        panels += has_panel[way];
    }
    /* two strips are beside each other or under each other, by their length */
    chart->columns = panels == 1 || mesh.rows == 1 ? 1 : 2;
    for (int way = 0; way < DIRECTIONS; way++)
        if (has_panel[way])
            add_mesh(heatmap, chart->columns == 1 ? ONE : ONE_OF_SEVERAL, (enum direction)way,
                     chart);
}

/* ---- the chart of a timeline ---- */

enum { MOST_POINTS = 1200, FEW_POINTS = 60, FEW_PHASES = 40 };

/* The curves of the four panels. */
struct curves {
    struct chart_curve *packets, *delivered, *fullest, *busy, *words;
};

/* Adds the points, and returns the steps of the longest one. So many rows are a point that no
 * picture has more points than dots: a point has the fullest buffer of its rows, the mean of the
 * packets that crossed links, and the state after its last step. */
static uint64_t add_points(const struct view_files *files, const struct curves *curves)
{
    uint64_t *const *column = files->column;
    size_t together = (files->rows + MOST_POINTS - 1) / MOST_POINTS;
    uint64_t longest = 0, before = 0, fullest = 0, packets = 0, words = 0;
    for (size_t i = 0; i < files->rows; i++) {
        fullest = max_u64(fullest, column[FULLEST][i]);
        packets += column[PACKET_HOPS][i];
        words += column[WORD_HOPS][i];
        /* step 0 is a point of its own: the state before the first step */
        if (i != 0 && i % together != 0 && i + 1 != files->rows)
            continue;
        uint64_t step = column[STEP][i], steps = step - before;
        double over = steps > 0 ? (double)steps : 1;
        chart_point(curves->packets, (double)step, (double)column[PACKETS][i]);
        chart_point(curves->delivered, (double)step, (double)column[DELIVERED][i]);
        chart_point(curves->fullest, (double)step, (double)fullest);
        chart_point(curves->busy, (double)step, (double)packets / over);
        chart_point(curves->words, (double)step, (double)words / over);
        longest = max_u64(longest, steps);
        before = step;
        fullest = packets = words = 0;
    }
    return longest;
}

/* Adds a ground for each synchronisation and a line before each phase, with names above the first
 * panel. Phases beyond the capacity of a result are not distinguished. */
static void add_phases(const struct router_result *result, bool is_first, struct chart_panel *panel)
{
    uint64_t step = 0;
    bool is_whole = result->phases < MACHINE_MAX_PHASES - 2;
    for (uint32_t i = 0; is_whole && i < result->phases; i++) {
        const struct machine_phase *phase = &result->phase[i];
        uint64_t end = step + phase->steps;
        bool is_sync = strcmp(phase->name, "sync") == 0;
        if (i > 0 && result->phases <= FEW_PHASES)
            chart_band(panel, (double)step, (double)step, NULL);
        if (is_sync || is_first)
            chart_band(panel, (double)step, (double)end, is_first ? phase->name : NULL)->is_bare =
                !is_sync;
        step = end;
    }
}

static struct chart_curve *add_panel(const struct router_result *result, const char *label,
                                     struct chart *chart)
{
    bool is_first = chart->panels == NULL;
    struct chart_panel *panel = chart_panel(chart, 540, 126);
    panel->x = (struct chart_axis){.to = result->steps > 0 ? (double)result->steps : 1};
    panel->y = (struct chart_axis){.label = label};
    add_phases(result, is_first, panel);
    return chart_curve(panel, CHART_LINE, CHART_INK_FIRST, NULL);
}

/* Fills an empty chart with four panels over the steps. They share their steps; synchronisations,
 * in which no packet moves, have a grey ground; thin lines separate the phases, which are named if
 * there is room. */
static void fill_timeline(const struct view_files *files, const char *title,
                          const struct router_result *result, struct chart *chart)
{
    chart->title = title;
    chart->columns = 1;
    struct curves curves = {.packets = add_panel(result, "packets in network", chart)};
    curves.delivered = add_panel(result, "delivered", chart);
    curves.fullest = add_panel(result, "fullest buffer", chart);
    curves.busy = add_panel(result, "busy links", chart);
    curves.busy->panel->x.label = "step";
    curves.words = chart_curve(curves.busy->panel, CHART_LINE, CHART_INK_SECOND, NULL);
    uint64_t longest = add_points(files, &curves);
    if (files->rows <= FEW_POINTS)
        curves.packets->draw = curves.delivered->draw = curves.fullest->draw = curves.busy->draw =
            CHART_LINE | CHART_MARKS;
    if (result->word_hops > 0) {
        curves.busy->title = "packets";
        curves.words->title = "words";
    } else
        curves.words->points = 0;
    if (longest > 1)
        chart->note = chart_text(chart,
                                 "points of %" PRIu64
                                 " steps: busy links are their mean, the buffer is their fullest",
                                 longest);
}

/* ---- before the run ---- */

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
    if (plot_file_is_csv(request->timeline))
        fputs("step,packets,delivered,fullest,busy_links,packet_hops,word_hops,phase\n",
              files->timeline.file);
    return view_make(&files->view, mesh, &plan, failure);
}

/* Gives up the open files, after a failure. */
static void abandon(struct view_files *files)
{
    struct output_file *const all[] = {&files->heatmap, &files->timeline};
    output_files_close(all, 2, false, &(struct failure){0}); /* the reason is known */
}

enum failure_kind view_files_open(struct view_files *files, const struct view_request *request,
                                  struct mesh mesh, uint64_t contributions, struct failure *failure)
{
    *files = (struct view_files){.request = request};
    if (output_file_open(&files->heatmap, request->heatmap, failure) != FAIL_NONE ||
        output_file_open(&files->timeline, request->timeline, failure) != FAIL_NONE ||
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
        fwrite(drawing.text, 1, drawing.size, out); /* the close reports errors */
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
        write_heatmap_numbers(&heatmap, files->heatmap.file);
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
    if (files->is_short)
        return fail_memory(failure, "the steps of a picture");
    chart_begin(&chart, 1);
    fill_timeline(files, title, result, &chart);
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

/* Gives the report the arrays that it is to keep. */
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
        report_take_array(report, COLUMNS[i].name, files->column[i], files->rows, true);
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
    view_free(&files->view);
    for (int i = 0; i < TIMELINE_NUMBERS; i++)
        free(files->column[i]);
    files->is_open = false;
}
