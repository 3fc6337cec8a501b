/* chart_write.c - the one writer of programs for gnuplot.
 *
 * Method: every margin and every label of an axis is written out, and the key is a plot of titles
 * only, so no layout depends on gnuplot's version. Data are in the program itself, a block per
 * curve. The syntax is that of gnuplot 5.4 and of 6.0.
 */
#include "chart/chart.h"

#include "base/printable.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Distances of labels on an axis, and the estimated width of a small letter. */
enum { LABEL_WIDE = 64, LABEL_HIGH = 30 };
static const double SMALL_LETTER = 5.6;

/* ---- texts ---- */

/* Writes the text in quotes, its characters of `doubled` twice. */
static void put_quoted(const char *text, char quote, const char *doubled, FILE *out)
{
    fputc(quote, out);
    while (*text != '\0') {
        size_t bytes = printable_bytes(text);
        if (bytes == 0)
            fputc('?', out);
        else if (*text == quote && strchr(doubled, quote) == NULL)
            fputc('\'', out);
        else
            fprintf(out, strchr(doubled, *text) != NULL ? "%.*s%c" : "%.*s", (int)bytes, text,
                    *text);
        text += bytes > 0 ? bytes : 1;
    }
    fputc(quote, out);
}

/* Writes a text in a command. */
static void put_string(const char *text, FILE *out)
{
    put_quoted(text, '\'', "'", out);
}

/* Writes the name of place `at` of an axis, for the list of 'set xtics (..)'. */
static void put_tic(const char *text, uint32_t at, FILE *out)
{
    put_quoted(text, '\'', "'%", out);
    fprintf(out, " %" PRIu32, at);
}

/* Writes a text as a column of data. */
static void put_datum(const char *text, FILE *out)
{
    put_quoted(text, '"', "\\", out);
}

/* Writes the line that chooses a page of so many points (a PNG has two dots per point); nothing for
 * the terminal. No text has markup there. */
static void put_terminal(enum plot_format format, uint32_t width, uint32_t height, FILE *out)
{
    if (format == PLOT_SVG)
        fprintf(out,
                "set terminal svg noenhanced size %u,%u font 'sans-serif,12' background 'white'\n",
                width, height);
    if (format == PLOT_PNG)
        fprintf(out,
                "set terminal pngcairo noenhanced size %u,%u font 'Sans,11' fontscale 1.5 "
                "linewidth 1.5 pointscale 1.5 background 'white'\n",
                2 * width, 2 * height);
    if (format == PLOT_PDF)
        fprintf(out,
                "set terminal pdfcairo noenhanced size %.2fin,%.2fin font 'Sans,11' background "
                "'white'\n",
                width / 72.0, height / 72.0);
}

/* ---- axes ---- */

/* Returns 1, 2 or 5 times a power of ten, so that `range` has at most about `most` of them. */
static double label_every(double range, double most, bool is_real)
{
    static const double factors[] = {1, 2, 5, 10};
    most = fmax(most, 2);
    double decade = pow(10, floor(log10(range / most)));
    decade = is_real ? decade : fmax(decade, 1);
    for (int i = 0;; i++)
        if (i == 3 || range / (factors[i] * decade) <= most * 1.0001)
            return factors[i] * decade;
}

/* Writes the labels of a logarithmic axis: at 1, 2 and 5 of every decade if there is room, else at
 * powers of ten. */
static void put_log_labels(const char *axis, double least, double most, double labels,
                           const char *more, FILE *out)
{
    double decades = log10(most) - log10(least);
    bool is_long = 3 * decades > labels;
    int every = 1 + (int)(decades / labels);
    fprintf(out, "set %stics (%s", axis, more);
    const char *gap = *more == '\0' ? "" : ", ";
    for (int decade = (int)floor(log10(least)); decade <= (int)ceil(log10(most)); decade++)
        for (int digit = 1; digit <= 9; digit++) {
            double at = digit * pow(10, decade);
            if (at < 0.999 * least || at > 1.001 * most)
                continue;
            bool is_named =
                is_long ? digit == 1 && decade % every == 0
                        : digit == 1 || digit == 2 || digit == 5 || 9 * decades < 0.8 * labels;
            if (is_named)
                fprintf(out, "%s'%.10g' %.10g", gap, at, at);
            else
                fprintf(out, "%s'' %.10g 1", gap, at); /* a small label */
            gap = ", ";
        }
    fputs(") nomirror scale 0.5\n", out);
}

static void put_labels(const char *axis, const struct chart_axis *of, double labels, bool is_bare,
                       FILE *out)
{
    double range = fabs(of->to - of->from);
    fprintf(out, "set %srange [%.10g:%.10g]\nset format %s '%s'\n", axis, of->from, of->to, axis,
            is_bare ? "" : "%.10g");
    if (of->names > 0) {
        fprintf(out, "set %stics (", axis);
        for (uint32_t i = 0; i < of->names; i++) {
            fputs(i > 0 ? ", " : "", out);
            put_tic(of->name[i], i, out);
        }
        fputs(") nomirror scale 0\n", out);
    } else if (of->scale == CHART_LOG) {
        fprintf(out, "set logscale %s 10\n", axis);
        put_log_labels(axis, of->from, of->to, labels, "", out);
    } else
        fprintf(out, "set %stics 0, %.10g nomirror scale 0.5\n", axis,
                label_every(range, labels, of->is_real));
}

/* ---- curves ---- */

static struct chart_look look_of(const struct chart_curve *curve)
{
    struct chart_look look = palette_ink(curve->ink);
    if (curve->subject != NULL) {
        struct chart_look own = palette_subject(curve->subject, curve->variant);
        look = curve->ink == CHART_INK_SUBJECT ? own : look;
        look.mark = own.mark;
    }
    look.mark = curve->mark != 0 ? curve->mark : look.mark;
    look.colour = curve->is_pale ? palette_pale(look.colour) : look.colour;
    return look;
}

/* Writes a curve's data: x, y, low, high, size, text. */
static void put_data(const struct chart_panel *panel, const struct chart_curve *curve,
                     uint32_t number, FILE *out)
{
    double begin = fmin(panel->x.from, panel->x.to), top = panel->y.to;
    fprintf(out, "$d%" PRIu32 " << END\n", number);
    for (uint32_t i = 0; i < curve->points; i++) {
        const struct chart_point *point = &curve->point[i];
        double y = curve->draw & CHART_AT_TOP ? point->y * top : point->y;
        double size = point->size > 0 ? point->size : 0.7;
        fprintf(out, "%s%.10g %.10g %.10g %.10g %.4g", point->breaks ? "\n" : "", point->x, y,
                curve->draw & CHART_BARS ? fmax(point->low, begin) : point->low, point->high, size);
        if (curve->draw & (CHART_TEXTS | CHART_NAMES)) {
            fputc(' ', out);
            put_datum(point->text == NULL ? "" : point->text, out);
        }
        fputc('\n', out);
    }
    fputs("END\n", out);
}

/* Writes the parts of a curve that are drawn, each after the gap. */
static void put_parts(const struct chart_curve *curve, uint32_t number, const char **gap, FILE *out)
{
    static const struct {
        unsigned draw;
        const char *style;
    } parts[] = {
        {CHART_BARS, "using 1:2:3:1:($2-$5):($2+$5) with boxxyerror fs solid noborder fc"},
        {CHART_LINE, "using 1:2 with lines lc"},
        {CHART_STAIRS, "using 1:2 with steps lc"},
        {CHART_RULES, "using 1:($2-$5):(0):(2*$5) with vectors nohead lc"},
        /* gnuplot 5.4 blanks what is behind the middle of an error bar */
        {CHART_ERRORS,
         "using 1:3:(0):($4-$3) with vectors heads size screen 0.005,90 fixed lw 1 lc"},
        {CHART_ACROSS,
         "using 3:2:($4-$3):(0) with vectors heads size screen 0.005,90 fixed lw 1 lc"},
        {CHART_MARKS, "using 1:2:5 with points ps variable lw 1.2 lc"},
        {CHART_TEXTS, "using 1:2:6 with labels left offset 0.6,0 textcolor"},
        {CHART_NAMES, "using 1:2:6 with labels right font ',9' textcolor"},
    };
    struct chart_look look = look_of(curve);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!(curve->draw & parts[i].draw))
            continue;
        fprintf(out, "%s$d%" PRIu32 " %s rgb '#%06X'", *gap, number, parts[i].style, look.colour);
        if (parts[i].draw & (CHART_LINE | CHART_STAIRS | CHART_RULES))
            fprintf(out, " dt %s lw %.3g", look.dashes, look.width);
        if (parts[i].draw & CHART_MARKS)
            fprintf(out, " pt %d", look.mark);
        fputs(" notitle", out);
        *gap = ", \\\n  ";
    }
}

/* Writes a curve's line of the key. */
static void put_sample(const struct chart_curve *curve, FILE *out)
{
    struct chart_look look = look_of(curve);
    bool has_line = curve->draw & (CHART_LINE | CHART_STAIRS | CHART_RULES),
         has_mark = curve->draw & CHART_MARKS;
    if (curve->draw & CHART_BARS)
        fprintf(out, "with lines lc rgb '#%06X' dt solid lw 8", look.colour);
    else if (has_line || has_mark)
        fprintf(out, "with %s lc rgb '#%06X' dt %s lw %.3g",
                !has_mark  ? "lines"
                : has_line ? "linespoints"
                           : "points",
                look.colour, look.dashes, look.width);
    else
        fputs("with points pt 0 lc rgb 'white'", out); /* only a text */
    if (has_mark)
        fprintf(out, " pt %d ps 0.8", look.mark);
    fputs(" title ", out);
    put_string(curve->title, out);
}

/* ---- panels ---- */

static void put_bands(const struct chart_panel *panel, FILE *out)
{
    double last = 0; /* end of the text before */
    for (const struct chart_band *band = panel->bands; band != NULL; band = band->next) {
        double begin = fmax(band->from, panel->x.from);
        if (band->to > band->from && !band->is_bare)
            fprintf(out,
                    "set object rectangle from first %.10g,graph 0 to first %.10g,graph 1 behind "
                    "fc rgb '#%06X' fs solid "
                    "noborder\n",
                    begin, band->to, palette_ink(CHART_INK_GROUND).colour);
        else if (!band->is_bare)
            fprintf(out,
                    "set arrow from first %.10g,graph 0 to first %.10g,graph 1 nohead back lc rgb "
                    "'#%06X' lw 0.6\n",
                    band->from, band->from, palette_ink(CHART_INK_FRONT).colour);
        if (band->text == NULL)
            continue;
        double from = chart_place_of(&panel->x, panel->width, band->from),
               to = chart_place_of(&panel->x, panel->width, band->to);
        double wide = SMALL_LETTER * (double)strlen(band->text), start = (from + to - wide) / 2;
        start = fmax(last, fmin(start, panel->width - wide));
        if ((to > from && to - from < 0.7 * wide) ||
            start + wide > fmax(to + 0.15 * wide, from + wide))
            continue;
        fputs("set label ", out);
        put_string(band->text, out);
        fprintf(out,
                " at screen %.5f,graph 1 center offset 0,0.6 font ',9' textcolor rgb '#%06X'\n",
                (panel->left + start + wide / 2) / panel->chart->width,
                palette_ink(CHART_INK_NOTE).colour);
        last = start + wide + SMALL_LETTER;
    }
}

/* Writes an image, each cell as several dots, so that cells have sharp edges in every format and
 * viewer. Numbers have the host's own form: as text gnuplot reads them twenty times slower. */
static void put_image(const struct chart_panel *panel, FILE *out)
{
    const struct chart_image *image = &panel->image;
    bool is_strip = image->down == 1 || image->across == 1; /* one line of dots is no image */
    double cells =
        image->across > image->down ? image->across / panel->width : image->down / panel->height;
    uint32_t dots = (uint32_t)fmax(2 / cells + 0.01, is_strip ? 2 : 1);
    double dot = image->cell / dots;
    fprintf(out,
            "plot '-' binary array=(%" PRIu32 ",%" PRIu32
            ") format='%%float32' dx=%.17g dy=%.17g origin=(%.17g,%.17g) "
            "using 1 with image\n",
            image->across * dots, image->down * dots, dot, dot, image->x - (image->cell - dot) / 2,
            image->y - (image->cell - dot) / 2);
    for (uint32_t row = 0; row < image->down * dots; row++)
        for (uint32_t col = 0; col < image->across; col++)
            for (uint32_t i = 0; i < dots; i++)
                fwrite(&image->value[(size_t)(row / dots) * image->across + col], sizeof(float), 1,
                       out);
}

static void put_axes(const struct chart_panel *panel, FILE *out)
{
    bool is_bare = panel->x.label == NULL;
    fputs("unset logscale xy\nset title ", out);
    put_string(panel->title == NULL ? "" : panel->title, out);
    fputs(" offset 0,-0.6\nset xlabel ", out);
    put_string(is_bare ? "" : panel->x.label, out);
    fputs("\nset ylabel ", out);
    put_string(panel->y.label == NULL ? "" : panel->y.label, out);
    fputc('\n', out);
    put_labels("x", &panel->x, panel->width / LABEL_WIDE, is_bare, out);
    put_labels("y", &panel->y, panel->height / LABEL_HIGH, false, out);
}

static void put_panel(const struct chart_panel *panel, uint32_t *number, FILE *out)
{
    const struct chart *chart = panel->chart;
    const char *gap = "plot ";
    uint32_t of_curve = *number;
    for (const struct chart_curve *curve = panel->curves; curve != NULL; curve = curve->next)
        if (curve->points > 0)
            put_data(panel, curve, (*number)++, out);
    fprintf(out, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n",
            panel->left / chart->width, (panel->left + panel->width) / chart->width);
    fprintf(out, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
            1 - panel->top / chart->height, 1 - (panel->top + panel->height) / chart->height);
    put_axes(panel, out);
    put_bands(panel, out);
    if (panel->image.down > 0)
        put_image(panel, out);
    else {
        fprintf(out,
                panel->y.names > 0 ? "unset grid\nset grid xtics back lt 1 lc rgb '#%06X' lw 0.6\n"
                                   : "set grid xtics ytics lt 1 lc rgb '#%06X' lw 0.6\n",
                palette_ink(CHART_INK_GRID).colour);
        for (const struct chart_curve *curve = panel->curves; curve != NULL; curve = curve->next)
            if (curve->points > 0)
                put_parts(curve, of_curve++, &gap, out);
        fprintf(out, "%s\n", *gap == 'p' ? "plot NaN notitle" : "");
    }
    fputs("unset object\nunset arrow\nunset label\nunset colorbox\n", out);
}

/* ---- the scale of colours ---- */

/* The value that is drawn for 0 on a logarithmic scale. */
static const double nothing = 0.7;

static void put_colours(const struct chart *chart, FILE *out)
{
    const struct chart_colours *colours = &chart->colours;
    const struct chart_panel *first = chart->panels;
    uint64_t top = colours->most > 0 ? colours->most : 1;
    uint32_t steps = top <= CHART_FEW_COLOURS ? 2 * ((uint32_t)top + 1) : PALETTE_HEATS;
    fputs("set palette defined (", out);
    for (uint32_t i = 0; i < steps; i++) /* a step at the end of each of few values */
        fprintf(out, "%s%" PRIu32 " '#%06x'", i > 0 ? ", " : "",
                top <= CHART_FEW_COLOURS ? (i + 1) / 2 : i,
                palette_heat(top <= CHART_FEW_COLOURS ? (double)(i / 2) / (double)top
                                                      : (double)i / (PALETTE_HEATS - 1)));
    double least = top <= CHART_FEW_COLOURS ? -0.5 : colours->is_log ? nothing : 0;
    fprintf(out, ")\n%sset cbrange [%g:%" PRIu64 "%s]\n",
            colours->is_log ? "set logscale cb\n" : "", least, top,
            top <= CHART_FEW_COLOURS ? ".5" : "");
    double below = chart->height - chart->head - 30, high = fmin(fmax(first->height, 120), below);
    double middle = first->top + first->height / 2;
    middle = fmax(chart->head + 15 + high / 2, fmin(middle, chart->height - 15 - high / 2));
    if (colours->is_log)
        put_log_labels("cb", 1, (double)top, high / LABEL_HIGH * 1.5, "'0' 0.7", out);
    else
        fprintf(out, "set cbtics 0, %.10g nomirror scale 0.5\n",
                label_every((double)top, high / CHART_LINE_HEIGHT, false));
    fputs("set cblabel ", out);
    put_string(colours->label, out);
    fprintf(out, " offset 1,0\nset colorbox user origin screen %.5f,%.5f size screen %.5f,%.5f\n",
            (chart->width - CHART_SCALE) / chart->width, 1 - (middle + high / 2) / chart->height,
            16 / chart->width, high / chart->height);
}

/* ---- the program ---- */

static void put_title(const struct chart *chart, FILE *out)
{
    const char *at = chart->title == NULL ? "" : chart->title;
    for (int line = 0; *at != '\0'; line++) {
        char text[512];
        size_t length = strcspn(at, "\n");
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        at += length + (at[length] == '\n');
        fputs("set label ", out);
        put_string(text, out);
        fprintf(out, " at screen 0.5,screen %.5f center\n",
                1 - (CHART_EDGE + 2 + line * (CHART_LINE_HEIGHT - 2.0)) / chart->height);
    }
}

static void put_key(const struct chart *chart, FILE *out)
{
    const char *gap = "plot ";
    if (chart->note != NULL) {
        fputs("set label ", out);
        put_string(chart->note, out);
        fprintf(out, " at screen 0.5,screen %.5f center font ',9' textcolor rgb '#%06X'\n",
                8.0 / chart->height, palette_ink(CHART_INK_NOTE).colour);
    }
    fputs("unset border\nunset tics\nunset xlabel\nunset ylabel\nunset title\nunset grid\nunset "
          "logscale\n"
          "set xrange [0:1]\nset yrange [0:1]\nset lmargin at screen 0.02\nset rmargin at screen "
          "0.98\n",
          out);
    fprintf(out, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
            chart->key / chart->height,
            chart->note != NULL ? CHART_LINE_HEIGHT / chart->height : 0.0);
    fprintf(out,
            "set key center center horizontal Left reverse maxcols %" PRIu32
            " samplen 3.5 width 1\n",
            chart->key_columns);
    for (const struct chart_panel *panel = chart->panels; panel != NULL; panel = panel->next)
        for (const struct chart_curve *curve = panel->curves; curve != NULL; curve = curve->next)
            if (chart_is_in_key(chart, curve)) {
                fprintf(out, "%sNaN ", gap);
                put_sample(curve, out);
                gap = ", \\\n  ";
            }
    fprintf(out, "%s\n", *gap == 'p' ? "plot NaN notitle" : "");
}

/* Writes a panel for the terminal, after the one before; a curve with a title is a letter, or a
 * line if it has no marks. */
static void put_terminal_panel(const struct chart_panel *panel, FILE *out)
{
    uint32_t number = 0, letter = 0;
    const char *gap = "plot ";
    for (const struct chart_curve *curve = panel->curves; curve != NULL; curve = curve->next)
        if (curve->points > 0 && curve->title != NULL)
            put_data(panel, curve, number++, out);
    fprintf(out, "set terminal dumb noenhanced mono size 79,%" PRIu32 "\n", 26 + number);
    fputs("set key outside below left vertical Left reverse maxrows 20\n", out);
    put_axes(panel, out);
    number = 0;
    for (const struct chart_curve *curve = panel->curves; curve != NULL; curve = curve->next) {
        if (curve->points == 0 || curve->title == NULL)
            continue;
        fprintf(out, "%s$d%" PRIu32 " using 1:2 with ", gap, number++);
        if (curve->draw & (CHART_MARKS | CHART_BARS) && curve->ink == CHART_INK_SUBJECT)
            fprintf(out, "points pt %" PRIu32, ++letter);
        else
            fputs(curve->draw & CHART_STAIRS      ? "steps lt 3"
                  : curve->draw & CHART_RULES     ? "points pt 21"
                  : curve->ink == CHART_INK_GUIDE ? "lines lt 4"
                                                  : "lines lt 2",
                  out);
        fputs(" title ", out);
        put_string(curve->title, out);
        gap = ", \\\n  ";
    }
    fprintf(out, "%s\n", *gap == 'p' ? "plot NaN notitle" : "");
}

void chart_write_script(struct chart *chart, enum plot_format format, FILE *out)
{
    uint32_t number = 0;
    if (chart->is_short)
        return;
    chart_lay_out(chart);
    fputs("set encoding utf8\n", out);
    for (const struct chart_panel *panel = chart->panels; panel != NULL && format == PLOT_TERMINAL;
         panel = panel->next)
        put_terminal_panel(panel, out);
    if (format == PLOT_TERMINAL)
        return;
    put_terminal(format, (uint32_t)chart->width, (uint32_t)chart->height, out);
    fputs("set multiplot\nunset key\nset tics out\n", out);
    put_title(chart, out);
    if (chart->colours.label != NULL)
        put_colours(chart, out);
    for (const struct chart_panel *panel = chart->panels; panel != NULL; panel = panel->next)
        put_panel(panel, &number, out);
    if (chart->key > 0)
        put_key(chart, out);
    fputs("unset multiplot\n", out);
}

/* Puts the style of dark pages after the first tag of an SVG. */
static enum failure_kind add_dark_style(struct drawing *drawing, struct failure *failure)
{
    const char *root = strstr(drawing->text, "<svg"), *end = root ? strchr(root, '>') : NULL;
    struct drawing styled = {.size = 0};
    if (end == NULL)
        return FAIL_NONE;
    int head = (int)(end + 1 - drawing->text);
    FILE *out = open_memstream(&styled.text, &styled.size);
    if (out != NULL)
        fprintf(out, "%.*s\n%s%s", head, drawing->text, PALETTE_DARK, end + 1);
    bool is_whole = out != NULL && fclose(out) == 0;
    free(drawing->text);
    *drawing = styled;
    return is_whole ? FAIL_NONE : fail_memory(failure, "a picture");
}

enum failure_kind chart_draw(struct chart *chart, enum plot_format format, const char *instead,
                             struct drawing *drawing, struct failure *failure)
{
    *drawing = (struct drawing){.size = 0};
    FILE *script = tmpfile();
    if (script == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot make a temporary file: %s", strerror(errno));
    chart_write_script(chart, format, script);
    if (chart->is_short)
        fail_memory(failure, "a picture");
    else if (gnuplot_draw(script, instead, drawing, failure) == FAIL_NONE && format == PLOT_SVG)
        add_dark_style(drawing, failure);
    fclose(script);
    return failure->kind;
}
