/* foreign_format.h - names what import does not read. */
#ifndef MESHCAST_WORKLOADS_FOREIGN_FORMAT_H
#define MESHCAST_WORKLOADS_FOREIGN_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes at the begin of a file that are looked at. */
enum { FOREIGN_FORMAT_BYTES = 2048 };

/* Returns what a file is that begins with these bytes, such as "GraphML", and what helps (NULL: nothing) in
 * *help; NULL if it may be something that is read. JSON counts only if `may_be_json` is false. */
const char *foreign_format(const char *text, size_t length, bool may_be_json, const char **help);

#endif
