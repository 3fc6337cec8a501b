/* memory_option.h - the option --memory, which limits what the program uses. */
#ifndef MESHCAST_CLI_MEMORY_OPTION_H
#define MESHCAST_CLI_MEMORY_OPTION_H

#include "base/failure.h"
#include "library/meshcast_command.h"

#define MEMORY_OPTION_ROW                                                                          \
    {                                                                                              \
        .name = "memory", .value = "SIZE",                                                         \
        .help = "memory that may be used, as 512M or 4G, or none for no limit; the default is\n"   \
                "what is available",                                                               \
        .type = MESHCAST_OPTION_OTHER, .accept = memory_option_accept                              \
    }

/* Sets the limit of the process. FAIL_USAGE: `value` is no size. `field` is not used. */
int memory_option_accept(void *field, char *value, struct failure *failure);

/* Appends the option's name to a failure by the limit. */
void memory_option_name(struct failure *failure);

#endif
