/* memory.h - how much memory is to be had, and the word to a user whose run needs more.
 *
 * A command tells its need before it asks for it: a run that would be killed half way, or make the
 * machine swap, is refused with status 4 and the figures; --force does it all the same.
 */
#ifndef MESHCAST_CLI_MEMORY_H
#define MESHCAST_CLI_MEMORY_H

#include "cli/option_parser.h"
#include "machine/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_UNKNOWN UINT64_MAX

struct pattern; /* workloads/pattern.h */
struct pattern_options;

/* The row of --force, for the bool `member` of `structure`. */
#define MEMORY_FORCE_ROW(structure, member)                                                        \
    {                                                                                              \
        .name = "force", .help = "go on although there may not be enough memory",                  \
        .type = OPTION_FLAG, .offset = offsetof(structure, member)                                 \
    }

/* What a process may still ask for, in bytes: the least of what the system has, what its control
 * groups allow and what its own limits leave; MEMORY_UNKNOWN where none of them can be told. */
uint64_t memory_available(void);

/* The same of a system whose files stand below `root` ("" for the real one): /proc/meminfo,
 * /proc/self/cgroup and the files of control groups, version 1 or 2, below /sys/fs/cgroup. */
uint64_t memory_available_in(const char *root);

/* "21.3 GB", "4.0 MB", "12 kB". */
const char *memory_text(uint64_t bytes, char text[32]);

/* What a command is about to do. */
struct memory_need {
    const char *what; /* "router trees on 512 x 512 nodes" */
    uint64_t bytes;   /* in all */
    uint64_t held;    /* of these, what the process has already */
    uint64_t share;   /* what it may have of what is available; 0: all */
    bool is_forced;
};

/* The bytes that reading may take, 0 for any: the limit of readers. */
uint64_t memory_limit(bool is_forced);

/* FAIL_SYSTEM if `bytes` are more than `limit`, which is of memory_limit(); `what` takes them. */
enum failure_kind memory_within(uint64_t limit, uint64_t bytes, const char *what,
                                struct failure *failure);

/* FAIL_SYSTEM, with the figures, if there is not as much. */
enum failure_kind memory_check(const struct memory_need *need, struct failure *failure);

/* The same before pattern_generate(); of `need` its share and whether it is forced. */
enum failure_kind memory_check_pattern(const struct pattern *pattern,
                                       const struct pattern_options *options,
                                       struct memory_need need, struct failure *failure);

#endif
