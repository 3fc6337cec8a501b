/* suggestion.h - what to say about a name that nobody knows. */
#ifndef MESHCAST_CLI_SUGGESTION_H
#define MESHCAST_CLI_SUGGESTION_H

#include "machine/failure.h"

#include <stddef.h>
#include <stdint.h>

/* A family of names: name_at(context, i) for i in 0 .. count-1. `singular` and `plural` are what
 * a message calls it: "router", "routers"; `prefix` stands before each name: "--" or "". */
struct name_family {
    const char *singular, *plural, *prefix;
    uint32_t count;
    const char *(*name_at)(const void *context, uint32_t index);
    const void *context;
};

/* Writes every name of the family into text[size], with commas; cut off if there is no room. */
void name_family_list(const struct name_family *family, char *text, size_t size);

/* Fails with FAIL_USAGE and one line that tells `word`, the name nearest to it if one is near, and
 * every name of the family. The word may begin with the prefix. */
enum failure_kind fail_unknown_name(struct failure *failure, const struct name_family *family,
                                    const char *word);

#endif
