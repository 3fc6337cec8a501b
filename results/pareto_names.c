/* pareto_names.c - where the names of runs are in a picture of steps against buffers.
 *
 * Method: nothing is drawn to the left of a run in front and below it, so its name goes there and hides no mark and no
 * line. A name that would cover the name of an earlier run moves down below that one, and so stays to the left of its run
 * and below it. The axes begin so low that all names fit. Sizes of letters are estimated, as gnuplot does not tell them.
 */
#include "results/plot_pareto.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LETTER (0.6 * PARETO_NAME_FONT) /* a letter's width */
#define LINE (1.25 * PARETO_NAME_FONT)  /* a line's height */
#define BESIDE 7.0                      /* from a mark's middle to the end of its name */

double pareto_axes_place(const struct pareto_axes *axes, int k, double value)
{
    return (log(value) - axes->from[k]) / (axes->to[k] - axes->from[k]) * axes->points[k];
}

double pareto_axes_value(const struct pareto_axes *axes, int k, double place)
{
    return exp(axes->from[k] + place / axes->points[k] * (axes->to[k] - axes->from[k]));
}

struct pareto_axes pareto_axes_of(const struct pareto *pareto, uint32_t panel, double width,
                                  double height)
{
    struct pareto_axes axes = {
        .from = {INFINITY, INFINITY}, .to = {-INFINITY, -INFINITY}, .points = {width, height}};
    for (uint32_t i = pareto->panel[panel].first; i < pareto->panel[panel].end; i++) {
        const double value[2] = {pareto->run[i].buffer, pareto->run[i].steps};
        for (int k = 0; k < 2; k++) {
            axes.from[k] = fmin(axes.from[k], log(value[k] / 1.25));
            axes.to[k] = fmax(axes.to[k], log(value[k] * 1.25));
        }
    }
    return axes;
}

/* Lets the axis begin so low that the value has `room` points before it, which are fewer than its length. */
static void make_room(struct pareto_axes *axes, int k, double value, double room)
{
    double part = room / axes->points[k];
    axes->from[k] = fmin(axes->from[k], (log(value) - part * axes->to[k]) / (1 - part));
}

/* Writes what tells a run from the others of its router, cut to `most` characters. */
static void write_name(const struct pareto *pareto, const struct pareto_run *run, size_t most,
                       char name[PARETO_NAME_SIZE])
{
    char buffer[32] = "", whole[sizeof run->group->parameters + 64];
    const struct results_group *group = run->group;
    if (group->asked_buffer > 0)
        snprintf(buffer, sizeof buffer, "%sbuffer %" PRIu32, *group->parameters == '\0' ? "" : ", ",
                 group->asked_buffer);
    snprintf(whole, sizeof whole, "%s%s", group->parameters, buffer);
    if (*whole == '\0')
        snprintf(whole, sizeof whole, "%s", pareto->router[run->router]);
    if (strlen(whole) > most)
        memcpy(whole + most - 2, "..", sizeof "..");
    memcpy(name, whole, strlen(whole) + 1);
}

static void place(struct pareto *pareto, const struct pareto_axes *axes)
{
    for (uint32_t i = 0; i < pareto->names; i++) {
        struct pareto_name *own = &pareto->name[i];
        own->right = pareto_axes_place(axes, 0, own->run->buffer) - BESIDE;
        own->left = own->right - LETTER * (double)strlen(own->text);
        own->middle = pareto_axes_place(axes, 1, own->run->steps) - (LINE + BESIDE) / 2;
        for (uint32_t j = 0; j < i; j++) {
            const struct pareto_name *before = &pareto->name[j];
            if (own->left < before->right && fabs(own->middle - before->middle) < 0.99 * LINE) {
                own->middle = before->middle - LINE;
                j = UINT32_MAX; /* once more from the first on */
            }
        }
    }
}

void pareto_place_names(struct pareto *pareto, uint32_t panel, struct pareto_axes *axes)
{
    enum { TRIES = 4 }; /* a longer axis brings names closer together, so more of them move down */
    const double widest = 0.45 * axes->points[0], deepest = 0.6 * axes->points[1];
    pareto->names = 0;
    for (uint32_t i = pareto->panel[panel].first; i < pareto->panel[panel].end; i++) {
        if (!pareto->run[i].is_in_front)
            continue;
        struct pareto_name *own = &pareto->name[pareto->names++];
        own->run = &pareto->run[i];
        write_name(pareto, own->run, (size_t)fmin(PARETO_NAME_SIZE - 1, widest / LETTER),
                   own->text);
        make_room(axes, 0, own->run->buffer, LETTER * (double)strlen(own->text) + 2 * BESIDE);
    }
    for (int try = 0; try < TRIES; try++) {
        place(pareto, axes);
        for (uint32_t i = 0; i < pareto->names; i++) {
            double steps = pareto->name[i].run->steps;
            double depth = pareto_axes_place(axes, 1, steps) - pareto->name[i].middle + LINE;
            make_room(axes, 1, steps, fmin(depth, deepest));
        }
    }
    place(pareto, axes);
}
