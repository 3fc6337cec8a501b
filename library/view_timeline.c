/* view_timeline.c - the rows of a run, as they come, and their picture.
 *
 * Method: a row is written when its step is over, so a long run needs no memory. For a picture the
 * rows go to a temporary file; when the run is over they are read back and put together, so many to
 * a point that no picture has more points than dots: a point keeps the fullest buffer of its rows,
 * the mean of what crossed links, and the state after its last step.
 *
 * The panels share their steps. Synchronisations, in which no packet moves, have a grey ground;
 * other phases are parted by thin lines, and named where there is room.
 */
#include "library/view_timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- rows ---- */

void timeline_begin(struct timeline *timeline)
{
    if (!timeline->is_picture)
        fputs("step,packets,delivered,fullest,busy_links,packet_hops,word_hops,phase\n",
              timeline->out);
}

/* A name with a comma or a quote stands in quotes. */
static void put_name(const char *name, FILE *out)
{
    if (strpbrk(name, ",\"") == NULL) {
        fputs(name, out);
        return;
    }
    fputc('"', out);
    for (; *name != '\0'; name++)
        fprintf(out, *name == '"' ? "\"%c" : "%c", *name);
    fputc('"', out);
}

void timeline_take(void *context, const struct view_row *row)
{
    struct timeline *timeline = context;
    timeline->rows++;
    if (timeline->is_picture) {
        fwrite(row, sizeof *row, 1, timeline->out);
        return;
    }
    fprintf(timeline->out,
            "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
            row->step, row->packets, row->delivered, row->fullest, row->busy, row->packet_hops,
            row->word_hops);
    put_name(row->phase, timeline->out);
    fputc('\n', timeline->out);
}

/* ---- points ---- */

enum { MOST_POINTS = 1200, FEW_POINTS = 60 };

/* A line of data: step, packets, delivered, fullest, packets and words over links a step. */
static void put_point(const struct view_row *sum, uint64_t steps, FILE *script)
{
    double over = steps > 0 ? (double)steps : 1;
    fprintf(script, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.10g %.10g\n", sum->step,
            sum->packets, sum->delivered, sum->fullest, (double)sum->packet_hops / over,
            (double)sum->word_hops / over);
}

/* The largest of what a panel shows. */
struct extent {
    double packets, delivered, fullest, busy;
    uint64_t word_hops, points; /* of all rows */
    uint64_t steps;             /* of the longest point */
};

static void extend(struct extent *extent, const struct view_row *sum, uint64_t steps)
{
    double over = steps > 0 ? (double)steps : 1;
    extent->packets = fmax(extent->packets, (double)sum->packets);
    extent->delivered = fmax(extent->delivered, (double)sum->delivered);
    extent->fullest = fmax(extent->fullest, (double)sum->fullest);
    extent->busy =
        fmax(extent->busy, fmax((double)sum->packet_hops, (double)sum->word_hops) / over);
    extent->points++;
    extent->word_hops += sum->word_hops;
    extent->steps = steps > extent->steps ? steps : extent->steps;
}

static enum failure_kind put_points(struct timeline *timeline, FILE *script, struct extent *extent,
                                    struct failure *failure)
{
    uint64_t together = (timeline->rows + MOST_POINTS - 1) / MOST_POINTS, before = 0;
    struct view_row row, sum = {.step = 0};
    if (fflush(timeline->out) != 0 || fseek(timeline->out, 0, SEEK_SET) != 0)
        return fail(failure, FAIL_SYSTEM, "cannot write a temporary file: %s", strerror(errno));
    fputs("$rows << END\n", script);
    for (uint64_t i = 1; i <= timeline->rows; i++) {
        if (fread(&row, sizeof row, 1, timeline->out) != 1)
            return fail(failure, FAIL_SYSTEM, "cannot read a temporary file back");
        sum.step = row.step;
        sum.packets = row.packets;
        sum.delivered = row.delivered;
        sum.fullest = row.fullest > sum.fullest ? row.fullest : sum.fullest;
        sum.packet_hops += row.packet_hops;
        sum.word_hops += row.word_hops;
        /* step 0 is a point of its own: the state before the first step */
        if (i != 1 && (i - 1) % together != 0 && i != timeline->rows)
            continue;
        put_point(&sum, row.step - before, script);
        extend(extent, &sum, row.step - before);
        before = row.step;
        sum = (struct view_row){.step = 0};
    }
    fputs("END\n", script);
    return FAIL_NONE;
}

/* ---- phases ---- */

/* Sizes in points. */
enum { WIDTH = 640, PANEL = 126, PANELS = 4, GAP = 16, LEFT = 84, RIGHT = 20, TITLE = 30 };
enum { NAMES = 18, BOTTOM = 62, LETTER = 5, FEW_PHASES = 40, MARKS = 9 };
enum { HEIGHT = TITLE + NAMES + PANELS * PANEL + (PANELS - 1) * GAP + BOTTOM };

/* Grounds and lines for all panels; phases beyond what a result can hold are not told apart. */
static void put_phases(const struct router_result *result, FILE *script)
{
    uint64_t step = 0;
    bool is_whole = result->phases < MACHINE_MAX_PHASES - 2;
    for (uint32_t i = 0; is_whole && i < result->phases; i++) {
        const struct machine_phase *phase = &result->phase[i];
        if (strcmp(phase->name, "sync") == 0)
            fprintf(script,
                    "set object rectangle from first %" PRIu64 ",graph 0 to first %" PRIu64
                    ",graph 1 behind fc rgb '#ebebeb' fs solid noborder\n",
                    step, step + phase->steps);
        if (i > 0 && result->phases <= FEW_PHASES)
            fprintf(script,
                    "set arrow from first %" PRIu64 ",graph 0 to first %" PRIu64
                    ",graph 1 nohead back lc rgb 'gray50' lw 0.5\n",
                    step, step);
        step += phase->steps;
    }
}

/* Above the first panel: the names that fit over their phases, or nearly. */
static void put_names(const struct router_result *result, FILE *script)
{
    uint64_t step = 0;
    double last = LEFT; /* where the name before ends */
    double a_step = (double)(WIDTH - LEFT - RIGHT) / (double)result->steps;
    bool is_whole = result->phases < MACHINE_MAX_PHASES - 2;
    for (uint32_t i = 0; is_whole && i < result->phases; i++) {
        const struct machine_phase *phase = &result->phase[i];
        double wide = LETTER * (double)strlen(phase->name), room = (double)phase->steps * a_step;
        double start = LEFT + (double)step * a_step + (room - wide) / 2;
        start = start > WIDTH - RIGHT - wide ? WIDTH - RIGHT - wide : start;
        start = start < last ? last : start;
        step += phase->steps;
        if (room < 0.7 * wide || start + wide > LEFT + (double)step * a_step + 0.15 * wide)
            continue;
        fputs("set label ", script);
        gnuplot_put_string(phase->name, script);
        fprintf(script,
                " at screen %.5f,graph 1 center offset 0,0.6 font ',9' textcolor rgb "
                "'gray30'\n",
                (start + wide / 2) / WIDTH);
        last = start + wide + LETTER;
    }
}

/* ---- panels ---- */

static void put_margins(int panel, FILE *script)
{
    double high = HEIGHT, top = high - TITLE - NAMES - panel * (PANEL + GAP);
    fprintf(script, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n", top / high,
            (top - PANEL) / high);
}

static void put_panel(int panel, const char *label, double most, FILE *script)
{
    enum { LEVELS = 5 };
    uint64_t top = most > 1 ? (uint64_t)most : 1;
    put_margins(panel, script);
    fprintf(script, "set label '%s' at screen 0.025,graph 0.5 center rotate\n", label);
    fprintf(script, "set yrange [0:%.10g]\nset ytics %" PRIu64 "\nplot ", 1.08 * fmax(most, 1),
            gnuplot_mark_every(top, LEVELS));
}

static void put_panels(const struct router_result *result, const struct extent *extent,
                       FILE *script)
{
    char after[80];
    const char *style = extent->points <= FEW_POINTS ? "linespoints pt 7 ps 0.4" : "lines";
    snprintf(after, sizeof after, "with %s lc rgb '#0072B2' lw 1.5 notitle\nunset label\n", style);
    put_names(result, script);
    put_panel(0, "packets in network", extent->packets, script);
    fprintf(script, "$rows using 1:2 %s", after);
    put_panel(1, "delivered", extent->delivered, script);
    fprintf(script, "$rows using 1:3 %s", after);
    put_panel(2, "fullest buffer", extent->fullest, script);
    fprintf(script, "$rows using 1:4 %s", after);

    fputs(
        "set format x '%.0f'\nset xlabel 'step'\n"
        "set key at graph 1,graph 1.01 bottom right horizontal Left reverse samplen 2 font ',9'\n",
        script);
    if (extent->steps > 1)
        fprintf(
            script,
            "set label 'points of %" PRIu64
            " steps: busy links are their mean, the buffer is their fullest' at screen 0.5,%.5f "
            "center font ',9' textcolor rgb 'gray30'\n",
            extent->steps, 8.0 / HEIGHT);
    put_panel(3, "busy links", extent->busy, script);
    fprintf(script, "$rows using 1:5 with %s lc rgb '#0072B2' lw 1.5 title 'packets'", style);
    if (extent->word_hops > 0)
        fputs(", $rows using 1:6 with lines lc rgb '#D55E00' dt '-' lw 1.5 title 'words'", script);
    fputs("\n", script);
}

enum failure_kind timeline_write_script(struct timeline *timeline, enum plot_format format,
                                        const char *title, const struct router_result *result,
                                        FILE *script, struct failure *failure)
{
    fputs("set encoding utf8\n", script);
    gnuplot_put_terminal(format, WIDTH, HEIGHT, script);
    struct extent extent = {.steps = 0};
    if (put_points(timeline, script, &extent, failure) != FAIL_NONE)
        return failure->kind;
    fputs("set multiplot\nset label ", script);
    gnuplot_put_string(title, script);
    fprintf(script,
            " at screen 0.5,%.5f center\nset grid ytics lc rgb 'gray80' dt solid lw "
            "0.5\nset tics nomirror scale "
            "0.5\nset lmargin at screen %.6f\nset rmargin at screen %.6f\n",
            1 - 15.0 / HEIGHT, (double)LEFT / WIDTH, (double)(WIDTH - RIGHT) / WIDTH);
    uint64_t last = result->steps > 0 ? result->steps : 1;
    fprintf(script, "set xrange [0:%" PRIu64 "]\nset xtics %" PRIu64 "\nset format x ''\n", last,
            gnuplot_mark_every(last, MARKS));
    fputs("set format y '%.10g'\n", script);
    put_phases(result, script);
    put_panels(result, &extent, script);
    fputs("unset multiplot\n", script);
    return FAIL_NONE;
}
