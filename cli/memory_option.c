/* memory_option.c - reads the sizes of --memory. */
#include "cli/memory_option.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int memory_option_accept(void *field, char *value, struct failure *failure)
{
    static const char units[] = "KMGT";
    char *end = value;
    uint64_t bytes = isdigit((unsigned char)*value) ? strtoull(value, &end, 10) : 0;
    (void)field;
    if (strcmp(value, "none") == 0) {
        meshcast_memory_limit(MESHCAST_NO_LIMIT);
        return FAIL_NONE;
    }
    const char *unit = *end == '\0' ? NULL : strchr(units, toupper((unsigned char)*end));
    if (bytes == 0 || bytes > UINT32_MAX || unit == NULL || end[1] != '\0')
        return fail(failure, FAIL_USAGE,
                    "--memory takes a number of kilobytes, megabytes, gigabytes or terabytes, as "
                    "512M or 4G, or none, not '%.40s'",
                    value);
    for (ptrdiff_t i = unit - units; i >= 0; i--)
        bytes *= 1000;
    meshcast_memory_limit(bytes);
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
