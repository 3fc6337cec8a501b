/* workload_names.c - the patterns of `gen` as a family of names. */
#include "cli/workload_names.h"

static const char *pattern_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < pattern_count() ? pattern_at(index)->name : NULL;
}

const struct name_family workload_pattern_names = {"pattern", "patterns", "", pattern_name_at,
                                                   NULL};

enum failure_kind workload_find_pattern(const char *name, const struct pattern **pattern,
                                        struct failure *failure)
{
    *pattern = pattern_find(name);
    return *pattern != NULL ? FAIL_NONE : fail_unknown_name(failure, &workload_pattern_names, name);
}
