/* view_timeline.c - the rows of a run, as they come, and their picture.
 *
 * Method: a row is written when its step is over, so a long run needs no memory. For a picture the
 * rows go to a temporary file; when the run is over they are read back and put together, so many to
 * a point that no picture has more points than dots: a point keeps the fullest buffer of its rows,
 * the mean of what crossed links, and the state after its last step.
 *
 * The panels share their steps. Synchronisations, in which no packet moves, have a grey ground; thin lines separate the
 * phases, which are named where there is room.
 */
#include "library/view_timeline.h"

#include <errno.h>
#include <inttypes.h>
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

/* ---- the chart ---- */

enum { MOST_POINTS = 1200, FEW_POINTS = 60, FEW_PHASES = 40 };

/* The curves of the four panels. */
struct curves {
    struct chart_curve *packets, *delivered, *fullest, *busy, *words;
};

/* Adds a point of `steps` steps to each curve. */
static void add_point(const struct curves *curves, const struct view_row *sum, uint64_t steps)
{
    double over = steps > 0 ? (double)steps : 1, step = (double)sum->step;
    chart_point(curves->packets, step, (double)sum->packets);
    chart_point(curves->delivered, step, (double)sum->delivered);
    chart_point(curves->fullest, step, (double)sum->fullest);
    chart_point(curves->busy, step, (double)sum->packet_hops / over);
    chart_point(curves->words, step, (double)sum->word_hops / over);
}

/* Reads the rows back, and returns in *longest the steps of the longest point, in *words those that crossed links. */
static enum failure_kind add_points(struct timeline *timeline, const struct curves *curves,
                                    uint64_t *longest, uint64_t *words, struct failure *failure)
{
    uint64_t together = (timeline->rows + MOST_POINTS - 1) / MOST_POINTS, before = 0;
    struct view_row row, sum = {.step = 0};
    if (fflush(timeline->out) != 0 || fseek(timeline->out, 0, SEEK_SET) != 0)
        return fail(failure, FAIL_SYSTEM, "cannot write a temporary file: %s", strerror(errno));
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
        add_point(curves, &sum, row.step - before);
        *longest = row.step - before > *longest ? row.step - before : *longest;
        *words += sum.word_hops;
        before = row.step;
        sum = (struct view_row){.step = 0};
    }
    return FAIL_NONE;
}

/* Adds a ground for each synchronisation and a line before each phase, with names above the first panel. Phases beyond
 * what a result can hold are not told apart. */
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

enum failure_kind timeline_fill_chart(struct timeline *timeline, const char *title,
                                      const struct router_result *result, struct chart *chart,
                                      struct failure *failure)
{
    uint64_t longest = 0, words = 0;
    chart->title = title;
    chart->columns = 1;
    struct curves curves = {.packets = add_panel(result, "packets in network", chart)};
    curves.delivered = add_panel(result, "delivered", chart);
    curves.fullest = add_panel(result, "fullest buffer", chart);
    curves.busy = add_panel(result, "busy links", chart);
    curves.busy->panel->x.label = "step";
    curves.words = chart_curve(curves.busy->panel, CHART_LINE, CHART_INK_SECOND, NULL);
    if (add_points(timeline, &curves, &longest, &words, failure) != FAIL_NONE)
        return failure->kind;
    if (timeline->rows <= FEW_POINTS)
        curves.packets->draw = curves.delivered->draw = curves.fullest->draw = curves.busy->draw =
            CHART_LINE | CHART_MARKS;
    if (words > 0) {
        curves.busy->title = "packets";
        curves.words->title = "words";
    } else
        curves.words->points = 0;
    if (longest > 1)
        chart->note = chart_text(chart,
                                 "points of %" PRIu64
                                 " steps: busy links are their mean, the buffer is their fullest",
                                 longest);
    return FAIL_NONE;
}
