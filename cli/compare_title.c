/* compare_title.c - under which options a comparison was made, for its table and its picture. */
#include "cli/compare_title.h"

#include "base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *compare_changes_text(const struct run_options *options, char *text, size_t size)
{
    size_t used = 0;
    const struct parameter_list *list = &options->parameters;
    char item[2][32] = {"", ""};
    if (options->buffer > 0)
        snprintf(item[0], sizeof item[0], "buffer %" PRIu32, options->buffer);
    if (options->seed != 0)
        snprintf(item[1], sizeof item[1], "seed %" PRIu64, options->seed);
    const char *const items[] = {options->congestion_is_unknown ? "c unknown" : "", item[0],
                                 item[1]};
    *text = '\0';
    for (size_t i = 0; i < 3 && used < size; i++)
        if (*items[i] != '\0')
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", items[i]);
    for (uint32_t i = 0; i < list->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%.40s=%.40s", used > 0 ? ", " : "",
                                 list->parameter[i].name, list->parameter[i].value);
    printable_make(text);
    return text;
}

const char *compare_title_text(const struct instance *instance, const struct run_options *options,
                               char title[COMPARE_TITLE_SIZE])
{
    char changes[160], many[32] = "";
    const char *slash = strrchr(instance->name, '/');
    compare_changes_text(options, changes, sizeof changes);
    if (instance->most_sent > 1)
        snprintf(many, sizeof many, ", l = %" PRIu32, instance->most_sent);
    snprintf(title, COMPARE_TITLE_SIZE, "%.40s: %u x %u nodes, c = %u%s, %s%s%s",
             slash != NULL ? slash + 1 : instance->name, instance->set.mesh.rows,
             instance->set.mesh.cols, instance->congestion, many, run_copies_text(options),
             *changes == '\0' ? "" : ", ", changes);
    printable_make(title);
    return title;
}
