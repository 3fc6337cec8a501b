/* view_heatmap.c - the mesh, coloured by the peaks of its nodes or the loads of its links.
 *
 * Method: gnuplot's images, one dot of data being a whole number of dots of the picture, so that
 * cells have sharp edges in every format and viewer: small meshes are enlarged here, large ones
 * shrunk to the largest value of each square of nodes (nothing that was hot gets lost). All
 * panels share one scale of colours, from pale to dark, so greys tell the same. Scales of few values
 * have a colour each.
 *
 * Of links there is a panel for each direction, because the two links between two nodes are two:
 * each node shows what it sent over its link that way.
 */
#include "library/view_heatmap.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

/* Whether nearly all that is not 0 is far below the largest value, so that a linear scale would show a dot or two, and
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

/* ---- the page ---- */

/* Sizes in points. A strip of nodes is drawn STRIP wide at least. */
enum { LEFT = 66, RIGHT = 18, TOP = 30, BOTTOM = 64, TITLE = 50 };
enum { SCALE = 96, STRIP = 28, LINE = 20, LEAST_HIGH = 200, LEAST_WIDE = 400, LETTER = 7 };

enum { FEW = 12 }; /* so many values have a colour each */

struct sheet {
    uint32_t block;           /* so many nodes a side are a cell */
    uint32_t down, across;    /* cells */
    uint32_t enlarged;        /* dots of data a cell and side */
    uint32_t panels, columns; /* panels, of which so many side by side */
    enum direction way[DIRECTIONS];
    double wide, high;    /* of a panel's mesh */
    double width, height; /* of the page */
    double title;         /* the height of its title */
    bool is_logarithmic;  /* its scale */
};

/* What stands for none on a logarithmic scale. */
static const double nothing = 0.7;

static void choose_panels(const struct heatmap *heatmap, struct sheet *sheet)
{
    struct mesh mesh = heatmap->view->mesh;
    if (!heatmap->of_links)
        sheet->way[sheet->panels++] = NORTH;
    for (int way = 0; heatmap->of_links && way < DIRECTIONS; way++)
        if (direction_is_vertical((enum direction)way) ? mesh.rows > 1 : mesh.cols > 1)
            sheet->way[sheet->panels++] = (enum direction)way;
    /* two strips go beside each other or under each other, as they are long */
    sheet->columns = sheet->panels == 1 || mesh.rows == 1 ? 1 : 2;
}

static struct sheet sheet_of(const struct heatmap *heatmap)
{
    struct mesh mesh = heatmap->view->mesh;
    struct sheet sheet = {.panels = 0};
    uint64_t largest = find_hottest(heatmap).value;
    choose_panels(heatmap, &sheet);
    sheet.is_logarithmic = largest > FEW && is_skewed(heatmap, largest);
    uint32_t longest = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    uint32_t points = sheet.columns == 1 ? 480 : 300, most = 2 * points;
    sheet.block = (longest + most - 1) / most;
    sheet.down = (mesh.rows + sheet.block - 1) / sheet.block;
    sheet.across = (mesh.cols + sheet.block - 1) / sheet.block;
    uint32_t cells = sheet.down > sheet.across ? sheet.down : sheet.across;
    sheet.enlarged = most / cells;
    double cell = sheet.enlarged / 2.0;
    if (sheet.down == 1 || sheet.across == 1)
        sheet.enlarged = sheet.enlarged < 2 ? 2 : sheet.enlarged; /* one line of dots is no image */
    if (longest <= 4)
        cell = points / 8.0; /* a few nodes need no large picture */
    sheet.wide = cell * sheet.across > STRIP ? cell * sheet.across : STRIP;
    sheet.high = cell * sheet.down > STRIP ? cell * sheet.down : STRIP;
    uint32_t lines = (sheet.panels + sheet.columns - 1) / sheet.columns;
    sheet.width = sheet.columns * (LEFT + sheet.wide + RIGHT) + SCALE;
    sheet.width =
        fmax(sheet.width, fmax(LEAST_WIDE, LETTER * (double)strlen(heatmap->title) + RIGHT));
    sheet.title = TITLE + (sheet.block > 1 ? LINE : 0);
    sheet.height = lines * (TOP + sheet.high + BOTTOM) + sheet.title;
    sheet.height = sheet.height < LEAST_HIGH ? LEAST_HIGH : sheet.height;
    return sheet;
}

/* ---- the program ---- */

static uint64_t cell_value(const struct heatmap *heatmap, const struct sheet *sheet,
                           enum direction way, uint32_t cell_row, uint32_t cell_col)
{
    struct mesh mesh = heatmap->view->mesh;
    uint64_t most = 0;
    for (uint32_t i = 0; i < sheet->block * sheet->block; i++) {
        uint32_t row = cell_row * sheet->block + i / sheet->block;
        uint32_t col = cell_col * sheet->block + i % sheet->block;
        if (row >= mesh.rows || col >= mesh.cols)
            continue;
        uint64_t value = value_at(heatmap, way, row, col);
        most = value > most ? value : most;
    }
    return most;
}

/* The cells of a panel that have a value: all, but for the border from which no link leads that
 * way. */
struct piece {
    uint32_t first_row, end_row, first_col, end_col;
};

static struct piece piece_of(const struct heatmap *heatmap, const struct sheet *sheet,
                             enum direction way)
{
    struct piece piece = {0, sheet->down, 0, sheet->across};
    if (!heatmap->of_links || sheet->block > 1)
        return piece;
    piece.first_row += way == NORTH;
    piece.end_row -= way == SOUTH;
    piece.first_col += way == WEST;
    piece.end_col -= way == EAST;
    return piece;
}

/* Numbers of the host's own form: as text gnuplot takes twenty times as long to read them. */
static void put_data(const struct heatmap *heatmap, const struct sheet *sheet, enum direction way,
                     FILE *out)
{
    struct piece piece = piece_of(heatmap, sheet, way);
    for (uint32_t row = piece.first_row; row < piece.end_row; row++)
        for (uint32_t copy = 0; copy < sheet->enlarged; copy++)
            for (uint32_t col = piece.first_col; col < piece.end_col; col++) {
                float value = (float)cell_value(heatmap, sheet, way, row, col);
                if (value == 0 && sheet->is_logarithmic)
                    value = (float)nothing;
                for (uint32_t i = 0; i < sheet->enlarged; i++)
                    fwrite(&value, sizeof value, 1, out);
            }
}

/* From pale to dark: the luminance falls all the way. */
static const uint8_t colours[][3] = {{255, 249, 220}, {254, 227, 145}, {253, 184, 99},
                                     {238, 125, 75},  {200, 67, 79},   {134, 42, 99},
                                     {51, 18, 74}};
enum { COLOURS = sizeof colours / sizeof colours[0] };

/* The colour of `part` of the scale, 0 .. 1. */
static void put_colour(double part, FILE *out)
{
    double place = part * (COLOURS - 1);
    int i = place >= COLOURS - 1 ? COLOURS - 2 : (int)place;
    fputs(" '#", out);
    for (int c = 0; c < 3; c++) {
        double low = colours[i][c], high = colours[i + 1][c];
        fprintf(out, "%02x", (unsigned)(low + (high - low) * (place - i) + 0.5));
    }
    fputs("'", out);
}

/* A colour each for the values 0 .. top, if they are few; else all between. */
static void put_palette(uint64_t top, bool is_logarithmic, FILE *out)
{
    const char *gap = "";
    fputs("set palette defined (", out);
    for (uint64_t i = 0; top <= FEW && i < 2 * (top + 1); i++, gap = ", ") {
        fprintf(out, "%s%" PRIu64, gap, (i + 1) / 2);
        put_colour((double)(i / 2) / (double)top, out);
    }
    for (int i = 0; top > FEW && i < COLOURS; i++, gap = ", ") {
        fprintf(out, "%s%d", gap, i);
        put_colour((double)i / (COLOURS - 1), out);
    }
    fputs(")\n", out);
    if (top <= FEW)
        fprintf(out, "set cbrange [-0.5:%" PRIu64 ".5]\n", top);
    else if (is_logarithmic)
        fprintf(out, "set logscale cb\nset cbrange [%g:%" PRIu64 "]\n", nothing, top);
    else
        fprintf(out, "set cbrange [0:%" PRIu64 "]\n", top);
}

/* Marks at 1, 2, 5 of every decade, and one for none. */
static void put_logarithmic_marks(uint64_t top, FILE *out)
{
    static const uint64_t digits[] = {1, 2, 5};
    fprintf(out, "set cbtics ('0' %g", nothing);
    for (uint64_t decade = 1; decade <= top; decade *= 10)
        for (int i = 0; i < 3 && digits[i] * decade <= top; i++)
            fprintf(out, ", '%" PRIu64 "' %" PRIu64, digits[i] * decade, digits[i] * decade);
    fputs(") nomirror scale 0.5\n", out);
}

static void put_scale(const struct heatmap *heatmap, const struct sheet *sheet, FILE *out)
{
    uint64_t most = find_hottest(heatmap).value, top = most > 0 ? most : 1;
    put_palette(top, sheet->is_logarithmic, out);
    double right = sheet->columns * (LEFT + sheet->wide + RIGHT), middle = sheet->height / 2;
    double high = sheet->high > 120 ? sheet->high : 120,
           most_high = sheet->height - sheet->title - 20;
    if (sheet->panels == 1)
        middle = BOTTOM + sheet->high / 2;
    if (high > most_high) {
        high = most_high;
        middle = most_high / 2 + 10;
    }
    if (sheet->is_logarithmic)
        put_logarithmic_marks(top, out);
    else
        fprintf(out, "set cbtics %" PRIu64 " nomirror scale 0.5\n",
                gnuplot_mark_every(top, (uint64_t)(high / LINE)));
    fprintf(out, "set cblabel '%s%s' offset 1,0\n",
            heatmap->of_links ? "packets over a link" : "packets at a node",
            sheet->is_logarithmic ? ", logarithmic" : "");
    fprintf(out, "set colorbox user origin screen %.5f,%.5f size screen %.5f,%.5f\n",
            right / sheet->width, (middle - high / 2) / sheet->height, 16 / sheet->width,
            high / sheet->height);
}

/* Lines of a label: the strings of gnuplot() take no line ends. */
static void put_title(const struct heatmap *heatmap, const struct sheet *sheet, FILE *out)
{
    struct hottest hottest = find_hottest(heatmap);
    fputs("set label 1 ", out);
    gnuplot_put_string(heatmap->title, out);
    fprintf(out, ".\"\\n%s: %" PRIu64 " packet%s at most",
            heatmap->of_links ? "load of each directed link" : "peak of each node", hottest.value,
            hottest.value == 1 ? "" : "s");
    if (hottest.value > 0)
        fprintf(out, ", at %" PRIu64 " %s%s", hottest.count, heatmap->of_links ? "link" : "node",
                hottest.count == 1 ? "" : "s");
    if (sheet->block > 1)
        fprintf(out, "\\na dot shows the largest of %" PRIu32 " x %" PRIu32, sheet->block,
                sheet->block);
    fprintf(out, "\" at screen 0.5,%.5f center\n", 1 - 20 / sheet->height);
}

static void put_margins(const struct sheet *sheet, uint32_t panel, FILE *out)
{
    double left = LEFT + panel % sheet->columns * (LEFT + sheet->wide + RIGHT);
    double top =
        sheet->height - sheet->title - TOP - panel / sheet->columns * (TOP + sheet->high + BOTTOM);
    fprintf(out, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n", left / sheet->width,
            (left + sheet->wide) / sheet->width);
    fprintf(out, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n", top / sheet->height,
            (top - sheet->high) / sheet->height);
}

static void put_panel(const struct heatmap *heatmap, const struct sheet *sheet, uint32_t panel,
                      FILE *out)
{
    static const char *const titles[DIRECTIONS] = {"links to the north", "links to the south",
                                                   "links to the west", "links to the east"};
    enum direction way = sheet->way[panel];
    struct piece piece = piece_of(heatmap, sheet, way);
    double unit = (double)sheet->block / sheet->enlarged; /* nodes a dot of data */
    put_margins(sheet, panel, out);
    if (heatmap->of_links)
        fprintf(out,
                "set title '%s' offset 0,-0.6\nset object 1 rectangle from graph 0,0 to graph 1,1 "
                "behind fc rgb '#d9d9d9' fs solid noborder\n",
                titles[way]);
    fprintf(out,
            "plot '-' binary array=(%" PRIu32 ",%" PRIu32 ") format='%%float32' dx=%.17g dy=%.17g "
            "origin=(%.17g,%.17g) using 1 with image\n",
            (piece.end_col - piece.first_col) * sheet->enlarged,
            (piece.end_row - piece.first_row) * sheet->enlarged, unit, unit,
            piece.first_col - 0.5 + unit / 2, piece.first_row - 0.5 + unit / 2);
    put_data(heatmap, sheet, way, out);
    fputs("unset label\nunset colorbox\n", out);
}

void heatmap_write_script(const struct heatmap *heatmap, enum plot_format format, FILE *out)
{
    enum { MARK_WIDE = 40, MARK_HIGH = 28 };
    struct sheet sheet = sheet_of(heatmap);
    fputs("set encoding utf8\n", out);
    gnuplot_put_terminal(format, (uint32_t)sheet.width, (uint32_t)sheet.height, out);
    fputs("set multiplot\nunset key\nset tics out nomirror scale 0.5\nset xlabel 'column'\n"
          "set ylabel 'row'\n",
          out);
    fprintf(out, "set xrange [-0.5:%" PRIu32 ".5]\nset yrange [%" PRIu32 ".5:-0.5]\n",
            sheet.across * sheet.block - 1, sheet.down * sheet.block - 1);
    fprintf(out, "set xtics 0,%" PRIu64 "\nset ytics 0,%" PRIu64 "\n",
            gnuplot_mark_every(heatmap->view->mesh.cols, (uint64_t)(sheet.wide / MARK_WIDE)),
            gnuplot_mark_every(heatmap->view->mesh.rows, (uint64_t)(sheet.high / MARK_HIGH)));
    put_title(heatmap, &sheet, out);
    put_scale(heatmap, &sheet, out);
    for (uint32_t i = 0; i < sheet.panels; i++)
        put_panel(heatmap, &sheet, i, out);
    fputs("unset multiplot\n", out);
}
