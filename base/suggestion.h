/* suggestion.h - families of names, and the message for a word that is none of them.
 *
 * Everything that the user names (a command, an option, a router, a method, a value) is looked up
 * here, so that every mistyped name gets the same answer: the name nearest to it, and all names of
 * the family.
 */
#ifndef MESHCAST_BASE_SUGGESTION_H
#define MESHCAST_BASE_SUGGESTION_H

#include "base/failure.h"

#include <stddef.h>
#include <stdint.h>

/* A family of names. name_at(context, i) returns name i, and NULL after the last one; callers ask
 * for i = 0, 1, .. in this order and stop at NULL. `singular` and `plural` are its words in
 * messages: "router", "routers"; `prefix` precedes each name: "--" or "". */
struct name_family {
    const char *singular, *plural, *prefix;
    const char *(*name_at)(const void *context, uint32_t index);
    const void *context;
};

/* A name_at() whose context is a const char *const[] that ends with NULL. */
const char *name_of_array(const void *context, uint32_t index);

/* Returns the index of `word` in the family; UINT32_MAX: it is not in it. */
uint32_t name_family_index(const struct name_family *family, const char *word);

/* Finds the index of `word` in the family. If it is not in it, fails by fail_unknown_name() and
 * leaves *index unchanged. */
enum failure_kind name_family_find(const struct name_family *family, const char *word,
                                   uint32_t *index, struct failure *failure);

/* Writes the names of the family into text[size], with commas: as many as fit, and ".." for the
 * rest. */
void name_family_list(const struct name_family *family, char *text, size_t size);

/* Fails with FAIL_USAGE and one line that names `word` and the name nearest to it, or if none is
 * near all names of the family. The word may begin with the prefix. A word "NAME:PARAMETERS" gets
 * the name of the option for parameters instead. */
enum failure_kind fail_unknown_name(struct failure *failure, const struct name_family *family,
                                    const char *word);

#endif
