/* workload_names.h - the patterns of `gen` as a family of names. */
#ifndef MESHCAST_CLI_WORKLOAD_NAMES_H
#define MESHCAST_CLI_WORKLOAD_NAMES_H

#include "machine/suggestion.h"
#include "workloads/pattern.h"

extern const struct name_family workload_pattern_names;

/* Finds the pattern; FAIL_USAGE: the text names the nearest, and all. */
enum failure_kind workload_find_pattern(const char *name, const struct pattern **pattern,
                                        struct failure *failure);

#endif
