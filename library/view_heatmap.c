/* view_heatmap.c - the mesh, coloured by the peaks of its nodes or the loads of its links.
 *
 * Method: a panel of cells, each a node, or on large meshes a square of nodes that shows its largest value, so that
 * nothing that was hot gets lost. Of links there is a panel for each direction, because the two links between two nodes
 * are two: each node shows what it sent over its link that way. All panels share one scale of colours.
 */
#include "library/view_heatmap.h"

#include <inttypes.h>

/* ---- values ---- */

static uint64_t value_at(const struct heatmap *heatmap, enum direction way, uint32_t row,
                         uint32_t col)
{
    const struct view *view = heatmap->view;
    size_t node = (size_t)row * view->mesh.cols + col;
    return heatmap->of_links ? view->load[way][node] : view->peak[node];
}

/* The largest value of all, and how many nodes or links have it. */
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

/* ---- numbers ---- */

static void put_links(const struct heatmap *heatmap, uint32_t row, uint32_t col, FILE *out)
{
    static const int down[DIRECTIONS] = {-1, 1, 0, 0}, right[DIRECTIONS] = {0, 0, -1, 1};
    for (int way = 0; way < DIRECTIONS; way++)
        if (view_has_link(heatmap->view->mesh, row, col, (enum direction)way))
            fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 "\n", row, col,
                    row + (uint32_t)down[way], col + (uint32_t)right[way],
                    value_at(heatmap, (enum direction)way, row, col));
}

void heatmap_write_csv(const struct heatmap *heatmap, FILE *out)
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

/* True if nearly all that is not 0 is far below the largest value, so that a linear scale would show a dot or two, and
 * nothing else. */
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

/* ---- the chart ---- */

/* Sizes in points: a mesh, one of several meshes; a strip of nodes is STRIP wide at least. */
enum { ONE = 480, ONE_OF_SEVERAL = 300, STRIP = 28 };

/* The cells of a panel: so many nodes on a side are a cell; links that way leave the cells of a part of the mesh. */
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

/* The largest value of a cell's nodes. */
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

static void add_panel(const struct heatmap *heatmap, uint32_t points, enum direction way,
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
    if (heatmap->of_links) /* where there is no link, the ground is seen */
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

void heatmap_fill_chart(const struct heatmap *heatmap, struct chart *chart)
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
    /* two strips go beside each other or under each other, as they are long */
    chart->columns = panels == 1 || mesh.rows == 1 ? 1 : 2;
    for (int way = 0; way < DIRECTIONS; way++)
        if (has_panel[way])
            add_panel(heatmap, chart->columns == 1 ? ONE : ONE_OF_SEVERAL, (enum direction)way,
                      chart);
}
