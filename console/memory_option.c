/* memory_option.c - reads the sizes of --memory. */
#include "console/memory_option.h"

#include <ctype.h>
#include <string.h>

int memory_option_accept(void *field, char *value, struct failure *failure)
{
    static const char units[] = "KMGT";
    const char *end, *unit;
    uint64_t bytes = option_scan_number(value, UINT32_MAX, &end);
    (void)field;
    if (strcmp(value, "none") == 0) {
        memory_limit(MEMORY_NO_LIMIT);
        return FAIL_NONE;
    }
    unit = *end == '\0' ? NULL : strchr(units, toupper((unsigned char)*end));
    if (bytes == 0 || unit == NULL || end[1] != '\0')
        return fail(failure, FAIL_USAGE,
                    "--memory takes a number of kilobytes, megabytes, gigabytes or terabytes, as "
                    "512M or 4G, or none, not '%.40s'",
                    value);
    for (ptrdiff_t i = unit - units; i >= 0; i--)
        bytes *= 1000;
    memory_limit(bytes);
    return FAIL_NONE;
}

void memory_option_name(struct failure *failure)
{
    static const char remedy[] = "; --memory SIZE sets another limit";
    size_t length = strlen(failure->text);
    if (!failure->is_memory_limit)
        return;
    if (length > sizeof failure->text - sizeof remedy)
        length = sizeof failure->text - sizeof remedy;
    strcpy(failure->text + length, remedy);
    failure->is_memory_limit = false; /* said once */
}
