/* info_headers.c - headers of each kind, mean and largest, as a table and as JSON. */
#include "cli/info_headers.h"

#include "library/report.h"
#include "library/report_parts.h"

#include <inttypes.h>
#include <stdio.h>

static double mean_of(const struct header_figures *figures)
{
    return figures->messages > 0 ? (double)figures->words / figures->messages : 0;
}

static void print_row(const char *name, const struct header_figures *figures, bool is_best)
{
    if (figures->messages == 0)
        printf("  %-10s %10s %10s %10s\n", name, "-", "-", "-");
    else if (is_best)
        printf("  %-10s %10.2f %10" PRIu64 "\n", name, mean_of(figures), figures->largest);
    else
        printf("  %-10s %10.2f %10" PRIu64 " %10" PRIu32 "\n", name, mean_of(figures),
               figures->largest, figures->smallest);
}

void info_headers_print(const struct header_words *words)
{
    char heading[120];
    if (words->best.messages == 0)
        return;
    snprintf(heading, sizeof heading,
             "headers that name a message's destinations, in words of %" PRIu32 " bit%s",
             words->bits, words->bits == 1 ? "" : "s");
    putchar('\n');
    report_print_heading(heading, stdout);
    printf("  %-10s %10s %10s %10s\n", "", "mean", "largest", "best for");
    for (int kind = 0; kind < HEADER_KINDS; kind++)
        print_row(header_kind_names[kind], &words->kind[kind], false);
    print_row("smallest", &words->best, true);
}

static json_t *figures_json(const struct header_figures *figures)
{
    struct report_object object = report_object_open();
    bool is_known = figures->messages > 0;
    report_set_count(&object, "messages", figures->messages);
    report_set(&object, "mean", is_known ? json_real(mean_of(figures)) : json_null());
    report_set(&object, "largest",
               is_known ? json_integer((json_int_t)figures->largest) : json_null());
    report_set_count(&object, "smallest_for", figures->smallest);
    return report_object_close(&object);
}

json_t *info_headers_json(const struct header_words *words)
{
    struct report_object object = report_object_open();
    report_set_count(&object, "bits_per_word", words->bits);
    for (int kind = 0; kind < HEADER_KINDS; kind++)
        report_set(&object, header_kind_names[kind], figures_json(&words->kind[kind]));
    report_set(&object, "smallest", figures_json(&words->best));
    return report_object_close(&object);
}
