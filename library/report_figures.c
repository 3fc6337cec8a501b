/* report_figures.c - the tables of single runs: lines of a name, a figure and what it means.
 *
 * Method: plain text, 80 columns where the names allow it, figures right-aligned under each other,
 * what they mean beside them. Phases of one name are shown as one line with the number of times
 * that they ran, in the order in which the names first occur.
 *
 * Only a heading is ever bold, and that on a terminal alone.
 */
#include "library/report.h"
#include "library/report_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIGURE_WIDTH = 12, LEAST_NAME_WIDTH = 20 };

struct report_table report_table_for(const struct machine_phase *phase, uint32_t phases, FILE *out)
{
    struct report_table table = {out, LEAST_NAME_WIDTH};
    for (uint32_t i = 0; i < phases; i++) {
        int needed = (int)strlen(phase[i].name) + 2;
        table.width = needed > table.width ? needed : table.width;
    }
    return table;
}

void report_print_count(const struct report_table *table, const char *name, uint64_t count,
                        const char *note)
{
    fprintf(table->out, "  %-*s %*" PRIu64 "%s%s\n", table->width, name, FIGURE_WIDTH, count,
            *note == '\0' ? "" : "   ", note);
}

const char *report_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

const char *report_plural_y(uint64_t count)
{
    return count == 1 ? "y" : "ies";
}

const char *report_ratio_text(double dividend, double divisor, char text[32])
{
    if (divisor == 0)
        return "-";
    snprintf(text, 32, "%.2f", dividend / divisor);
    return text;
}

void report_print_ratio(const struct report_table *table, const char *name, double dividend,
                        double divisor, const char *note)
{
    char text[32];
    fprintf(table->out, "  %-*s %*s%s%s\n", table->width, name, FIGURE_WIDTH,
            report_ratio_text(dividend, divisor, text), *note == '\0' ? "" : "   ", note);
}

/* All phases of the name of phase `first`. */
static void print_phase(const struct report_table *table, const struct machine_phase *phase,
                        uint32_t phases, uint32_t first, uint64_t all)
{
    uint64_t steps = 0;
    uint32_t times = 0;
    for (uint32_t i = first; i < phases; i++) {
        if (strcmp(phase[i].name, phase[first].name) == 0) {
            steps += phase[i].steps;
            times++;
        }
    }
    double share = all == 0 ? 0 : 100.0 * (double)steps / (double)all;
    fprintf(table->out, "    %-*s %*" PRIu64 "   %5.1f %%", table->width - 2, phase[first].name,
            FIGURE_WIDTH, steps, share);
    if (times > 1)
        fprintf(table->out, "   %" PRIu32 " times", times);
    fputc('\n', table->out);
}

static bool is_first_of_name(const struct machine_phase *phase, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(phase[i].name, phase[index].name) == 0)
            return false;
    return true;
}

void report_print_phases(const struct report_table *table, const struct machine_phase *phase,
                         uint32_t phases, uint64_t steps)
{
    if (phases == 0)
        return;
    fputs("  phases\n", table->out);
    for (uint32_t i = 0; i < phases; i++)
        if (is_first_of_name(phase, i))
            print_phase(table, phase, phases, i, steps);
}

void report_print_time(const struct report_table *table, double seconds, uint32_t threads)
{
    fprintf(table->out, "  %-*s %*.3f   s, %" PRIu32 " thread%s\n", table->width, "wall time",
            FIGURE_WIDTH, seconds, threads, threads == 1 ? "" : "s");
}
