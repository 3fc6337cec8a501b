/* chart_layout.c - chooses the ends of axes, and places everything on the page.
 *
 * Method: panels row by row, a scale of colours on the right, one key under all of them. Letters
 * are estimated, as gnuplot does not report their sizes.
 */
#include "chart/chart.h"

#include <math.h>
#include <string.h>

/* Sizes in points: the room around a panel's axes, lines of text, the estimated width of a
 * letter. */
enum { LEFT = 76, BARE_LEFT = 24, RIGHT = 20, TOP = 10, TITLED = 18, BOTTOM = 52, BARE_BOTTOM = 8 };
enum { SAMPLE = 63, LEAST_WIDTH = 400, FAR = 12 };
static const double LETTER = 7.2, KEY_LETTER = 8.2;

/* ---- axes ---- */

struct span {
    double least, most; /* the least value above 0, and the largest */
};

static void widen(struct span *span, double value)
{
    if (!isfinite(value))
        return;
    if (value > 0)
        span->least = fmin(span->least, value);
    span->most = fmax(span->most, value);
}

static void span_panel(const struct chart_panel *panel, struct span span[2])
{
    for (const struct chart_curve *curve = panel->curves; curve != NULL; curve = curve->next)
        for (uint32_t i = 0; i < curve->points; i++) {
            const struct chart_point *point = &curve->point[i];
            widen(&span[0], point->x);
            if (curve->draw & CHART_BARS)
                widen(&span[0], point->low);
            if (!(curve->draw & CHART_AT_TOP))
                widen(&span[1], point->y);
            if (curve->draw & (CHART_ERRORS | CHART_ACROSS)) {
                int k = (curve->draw & CHART_ERRORS) != 0;
                widen(&span[k], point->low);
                widen(&span[k], point->high);
            }
        }
}

static void choose_ends(struct chart_axis *axis, const struct span *span)
{
    bool is_some = span->least <= span->most;
    if (axis->scale == CHART_LOG_IF_FAR)
        axis->scale = is_some && span->most > FAR * span->least ? CHART_LOG : CHART_LINEAR;
    if (axis->from != axis->to)
        return;
    if (axis->names > 0) { /* row 0 at the top */
        axis->from = axis->names - 0.4;
        axis->to = -0.6;
    } else if (axis->scale == CHART_LOG) {
        axis->from = is_some ? span->least / 1.35 : 1;
        axis->to = is_some ? span->most * 1.35 : 10;
    } else
        axis->to = 1.12 * (is_some ? fmax(span->most, axis->is_real && span->most > 0 ? 0 : 1) : 1);
}

static void choose_all_ends(struct chart *chart)
{
    const struct span nothing = {INFINITY, 0};
    struct span shared[2] = {nothing, nothing};
    for (struct chart_panel *panel = chart->panels; panel != NULL; panel = panel->next)
        if (panel->y.names == 0)
            span_panel(panel, shared);
    for (struct chart_panel *panel = chart->panels; panel != NULL; panel = panel->next) {
        struct span own[2] = {nothing, nothing};
        span_panel(panel, own);
        bool shares = chart->is_shared && panel->y.names == 0;
        choose_ends(&panel->x, shares ? &shared[0] : &own[0]);
        choose_ends(&panel->y, shares ? &shared[1] : &own[1]);
    }
}

double chart_place_of(const struct chart_axis *axis, double length, double value)
{
    bool is_log = axis->scale == CHART_LOG;
    double from = is_log ? log(axis->from) : axis->from, to = is_log ? log(axis->to) : axis->to;
    return ((is_log ? log(value) : value) - from) / (to - from) * length;
}

/* Returns the value at a place of an axis. */
static double value_at(const struct chart_axis *axis, double length, double place)
{
    double share = place / length;
    if (axis->scale == CHART_LOG)
        return axis->from * pow(axis->to / axis->from, share);
    return axis->from + share * (axis->to - axis->from);
}

/* ---- the page ---- */

static double longest_line(const char *text, uint32_t *lines)
{
    size_t longest = 0;
    for (*lines = 0; *text != '\0'; ++*lines) {
        size_t length = strcspn(text, "\n");
        longest = length > longest ? length : longest;
        text += length + (text[length] == '\n');
    }
    return LETTER * (double)longest;
}

static bool has_texts(const struct chart_panel *panel)
{
    for (const struct chart_band *band = panel->bands; band != NULL; band = band->next)
        if (band->text != NULL)
            return true;
    return false;
}

static void measure_panel(struct chart_panel *panel)
{
    double longest = 0;
    for (uint32_t i = 0; i < panel->y.names; i++)
        longest = fmax(longest, LETTER * (double)strlen(panel->y.name[i]));
    panel->room_left = panel->y.names > 0 ? fmax(longest + 16, BARE_LEFT) : LEFT;
    panel->room_top = TOP + (panel->title != NULL || has_texts(panel) ? TITLED : 0);
    panel->room_bottom = panel->x.label != NULL ? BOTTOM : BARE_BOTTOM;
}

bool chart_is_in_key(const struct chart *chart, const struct chart_curve *curve)
{
    if (curve->title == NULL || curve->points == 0)
        return curve->title != NULL;
    for (const struct chart_panel *panel = chart->panels;; panel = panel->next)
        for (const struct chart_curve *one = panel->curves; one != NULL; one = one->next)
            if (one->title != NULL && strcmp(one->title, curve->title) == 0)
                return one == curve;
}

static void measure_key(struct chart *chart)
{
    uint32_t entries = 0;
    double longest = 0;
    for (const struct chart_panel *panel = chart->panels; panel != NULL; panel = panel->next)
        for (const struct chart_curve *curve = panel->curves; curve != NULL; curve = curve->next)
            if (chart_is_in_key(chart, curve)) {
                entries++;
                longest = fmax(longest, KEY_LETTER * (double)strlen(curve->title));
            }
    chart->key_columns = (uint32_t)fmax(1, floor((chart->width - 40) / (SAMPLE + longest)));
    chart->key_columns = entries > 0 && entries < chart->key_columns ? entries : chart->key_columns;
    chart->key = entries == 0
                     ? 0
                     : (entries + chart->key_columns - 1) / chart->key_columns * CHART_LINE_HEIGHT +
                           CHART_LINE_HEIGHT / 2.0;
    chart->key += chart->note != NULL ? CHART_LINE_HEIGHT : 0;
}

/* Returns the first panel of the next row, and the size of the row. */
static struct chart_panel *measure_row(const struct chart *chart, struct chart_panel *first,
                                       double *width, double *above, double *below)
{
    struct chart_panel *panel = first;
    *width = *above = *below = 0;
    for (uint32_t i = 0; i < chart->columns && panel != NULL; i++, panel = panel->next) {
        if (i > 0 && (panel->is_wide || first->is_wide))
            break;
        *width += panel->room_left + panel->width + RIGHT;
        *above = fmax(*above, panel->room_top);
        *below = fmax(*below, panel->height + panel->room_bottom);
    }
    return panel;
}

static void lay_out(struct chart *chart)
{
    double width, above, below, at;
    uint32_t lines = 0;
    double title = chart->title == NULL ? 0 : longest_line(chart->title, &lines);
    for (struct chart_panel *panel = chart->panels; panel != NULL; panel = panel->next)
        measure_panel(panel);
    chart->head = CHART_EDGE / 2 + lines * (CHART_LINE_HEIGHT - 2) + (lines > 0 ? 4 : 0);
    chart->width = fmax(LEAST_WIDTH, title + 2 * CHART_EDGE);
    double scale = chart->colours.label != NULL ? CHART_SCALE : 0;
    for (struct chart_panel *panel = chart->panels; panel != NULL;) {
        panel = measure_row(chart, panel, &width, &above, &below);
        chart->width = fmax(chart->width, width + scale);
    }
    chart->width = ceil(chart->width);
    double top = chart->head;
    for (struct chart_panel *panel = chart->panels, *next; panel != NULL; panel = next) {
        next = measure_row(chart, panel, &width, &above, &below);
        if (panel->is_wide)
            panel->width += chart->width - scale - width, width = chart->width - scale;
        at = (chart->width - scale - width) / 2;
        for (; panel != next; panel = panel->next) {
            panel->left = at + panel->room_left;
            panel->top = top + above;
            at = panel->left + panel->width + RIGHT;
        }
        top += above + below;
    }
    measure_key(chart);
    if (scale > 0) /* room for its label */
        top = fmax(top, 200);
    chart->height = ceil(top + chart->key + CHART_EDGE / 2);
}

/* ---- names of points ---- */

enum { NAME_FONT = 9 };

/* Lets an axis begin so low that a value has `room` points before it, which are fewer than its
 * length. */
static void make_room(struct chart_axis *axis, double length, double value, double room)
{
    double share = room / length;
    axis->from = fmin(axis->from, exp((log(value) - share * log(axis->to)) / (1 - share)));
}

struct name_box {
    double left, right, middle;
};

/* Places the names of a curve on logarithmic axes: to the left of each point and below it. A name
 * that would cover an earlier one moves down below that. */
static void place_names(struct chart_panel *panel, const struct chart_curve *curve,
                        struct name_box *box)
{
    const double letter = 0.6 * NAME_FONT, line = 1.25 * NAME_FONT, beside = 7;
    for (uint32_t i = 0; i < curve->points; i++) {
        const struct chart_point *point = &curve->point[i];
        struct name_box *own = &box[i];
        own->right = chart_place_of(&panel->x, panel->width, point->x) - beside;
        own->left = own->right - letter * (double)strlen(point->text);
        own->middle = chart_place_of(&panel->y, panel->height, point->y) - (line + beside) / 2;
        for (uint32_t j = 0; j < i; j++)
            if (own->left < box[j].right && fabs(own->middle - box[j].middle) < 0.99 * line) {
                own->middle = box[j].middle - line;
                j = UINT32_MAX; /* once more from the first on */
            }
    }
}

/* Lets the axes begin so low that all names fit, and moves the curve's points to the right ends of
 * their names. */
static void move_to_names(struct chart_panel *panel, struct chart_curve *curve)
{
    enum { TRIES = 4 }; /* a longer axis brings names closer together, so more of them move down */
    struct name_box *box = chart_keep(panel->chart, (curve->points + (size_t)1) * sizeof *box);
    if (box == NULL)
        return;
    for (uint32_t i = 0; i < curve->points; i++)
        make_room(
            &panel->x, panel->width, curve->point[i].x,
            fmin(0.6 * panel->width, 0.6 * NAME_FONT * (double)strlen(curve->point[i].text) + 14));
    for (int try = 0; try < TRIES; try++) {
        place_names(panel, curve, box);
        for (uint32_t i = 0; i < curve->points; i++) {
            double y = curve->point[i].y;
            double depth = chart_place_of(&panel->y, panel->height, y) - box[i].middle + 12;
            make_room(&panel->y, panel->height, y, fmin(depth, 0.6 * panel->height));
        }
    }
    place_names(panel, curve, box);
    for (uint32_t i = 0; i < curve->points; i++) {
        curve->point[i].x = value_at(&panel->x, panel->width, box[i].right);
        curve->point[i].y = value_at(&panel->y, panel->height, box[i].middle);
    }
}

/* ---- the layout ---- */

void chart_lay_out(struct chart *chart)
{
    choose_all_ends(chart);
    for (struct chart_panel *panel = chart->panels; panel != NULL; panel = panel->next)
        for (struct chart_curve *curve = panel->curves; curve != NULL; curve = curve->next)
            if (curve->draw & CHART_NAMES)
                move_to_names(panel, curve);
    lay_out(chart);
}
