/* available_memory.h - how much memory a process can get, and the refusal of a run that needs more.
 *
 * A command estimates its memory before it allocates. A run that the system would kill, or that would
 * make it swap, is refused with status 4 and both figures; --force runs it anyway.
 */
#ifndef MESHCAST_LIBRARY_AVAILABLE_MEMORY_H
#define MESHCAST_LIBRARY_AVAILABLE_MEMORY_H

#include "base/failure.h"
#include "library/option_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pattern; /* workloads/pattern.h */
struct pattern_options;

/* The row of --force, for the bool `member` of `structure`. */
#define AVAILABLE_MEMORY_FORCE_ROW(structure, member)                                              \
    {                                                                                              \
        .name = "force", .help = "go on although there may not be enough memory",                  \
        .type = MESHCAST_OPTION_FLAG, .offset = offsetof(structure, member)                        \
    }

/* What the system and the control groups leave, in bytes, from the files below `root` ("" for the real ones):
 * /proc/meminfo, /proc/self/cgroup and the files of control groups, version 1 or 2, below /sys/fs/cgroup. */
uint64_t available_memory_in(const char *root);

/* The bytes that a command may take from now on: the least of what the system has, what its control groups allow and
 * what its own limits leave. MEMORY_NO_LIMIT where none of them can be told, or if the command is forced. */
uint64_t available_memory_limit(bool is_forced);

/* The part of `limit` that each of `runs` at once may take. */
uint64_t available_memory_share(uint64_t limit, uint32_t runs);

/* Adds to a failure for want of memory what lifts the limit: "; --force runs it anyway". */
void available_memory_name_force(struct failure *failure);

/* What a command is about to do. */
struct memory_need {
    const char *what; /* "router trees on 512 x 512 nodes" */
    uint64_t bytes;   /* all that it takes since `limit` was computed */
    uint64_t limit;   /* of available_memory_limit() */
    const char *each; /* "runs at once": they share the memory; NULL: the run has all of it */
};

/* fail_memory_limit(), with both figures, if it needs more than its limit. */
enum failure_kind memory_need_check(const struct memory_need *need, struct failure *failure);

/* The same before pattern_generate(); of `need` its limit. */
enum failure_kind memory_need_check_pattern(const struct pattern *pattern,
                                            const struct pattern_options *options,
                                            struct memory_need need, struct failure *failure);

#endif
