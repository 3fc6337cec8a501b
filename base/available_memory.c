/* available_memory.c - what is available, from the system's own files.
 *
 * Three things bound what a process gets. The system: MemAvailable of /proc/meminfo, which counts
 * caches that can be dropped. Control groups, from the process's own up to the root: a limit less what
 * the group uses now, its caches of files not counted, since they are dropped first. The process:
 * RLIMIT_AS and RLIMIT_DATA less what it has. Where there is no /proc the system's free pages stand for
 * the first. A figure that cannot be read sets no limit.
 */
#include "base/available_memory.h"

#include "base/memory.h"
#include "base/numbers.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_SIZE = 1024, LINE_SIZE = 1024 };

static uint64_t left_of(uint64_t limit, uint64_t used)
{
    return limit > used ? limit - used : 0;
}

/* ---- files of numbers ---- */

/* The number behind `key` at the start of a line ("" for the first line); false: not there. */
static bool read_number(const char *path, const char *key, uint64_t *number)
{
    char line[LINE_SIZE];
    bool found = false;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            found = sscanf(line + strlen(key), "%" SCNu64, number) == 1;
    fclose(file);
    return found;
}

static bool number_in(const char *folder, const char *name, const char *key, uint64_t *number)
{
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_number(path, key, number);
}

/* ---- control groups ---- */

/* The names of a version's files. Version 2 says "max" for no limit, version 1 a number beyond all
 * memory. */
struct group_files {
    const char *limit, *used, *cache;
};

static const struct group_files VERSION_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                             "total_inactive_file "};
static const struct group_files VERSION_2 = {"memory.max", "memory.current", "inactive_file "};

static uint64_t group_available(const char *folder, const struct group_files *files)
{
    uint64_t limit, used, cache = 0;
    if (!number_in(folder, files->limit, "", &limit) || !number_in(folder, files->used, "", &used))
        return MEMORY_NO_LIMIT;
    number_in(folder, "memory.stat", files->cache, &cache);
    return left_of(limit, used - min_u64(used, cache));
}

/* The least that the group `name` ("/a/b") and its ancestors leave. In a container the name may be the
 * host's; a folder that is missing sets no limit. */
static uint64_t groups_available(const char *mount, const char *name,
                                 const struct group_files *files)
{
    char folder[PATH_SIZE];
    uint64_t available = MEMORY_NO_LIMIT;
    size_t length = strlen(mount);
    if ((size_t)snprintf(folder, sizeof folder, "%s%s", mount, name) >= sizeof folder)
        return MEMORY_NO_LIMIT;
    for (;;) {
        available = min_u64(available, group_available(folder, files));
        char *slash = strrchr(folder, '/');
        if (slash < folder + length)
            return available;
        *slash = '\0';
    }
}

/* Whether "memory" is among the controllers between two colons. */
static bool has_memory(const char *controllers)
{
    size_t length = strcspn(controllers, ":");
    for (const char *at = controllers; at < controllers + length; at += strcspn(at, ",:") + 1)
        if (strncmp(at, "memory", 6) == 0 && strcspn(at, ",:") == 6)
            return true;
    return false;
}

/* Lines are NUMBER:CONTROLLERS:NAME; version 2 names no controllers. */
static uint64_t all_groups_available(const char *root)
{
    char path[PATH_SIZE], line[LINE_SIZE];
    uint64_t available = MEMORY_NO_LIMIT;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *name = controllers == NULL ? NULL : strchr(controllers + 1, ':');
        if (name == NULL)
            continue;
        bool is_second = name == controllers + 1;
        snprintf(path, sizeof path, "%s/sys/fs/cgroup%s", root, is_second ? "" : "/memory");
        if (is_second || has_memory(controllers + 1))
            available = min_u64(available, groups_available(path, name[2] == '\0' ? "" : name + 1,
                                                            is_second ? &VERSION_2 : &VERSION_1));
    }
    if (file != NULL)
        fclose(file);
    return available;
}

/* ---- the system and the process ---- */

static uint64_t system_available(const char *root)
{
    char path[PATH_SIZE];
    uint64_t kilobytes;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    return read_number(path, "MemAvailable:", &kilobytes) ? kilobytes * 1024 : MEMORY_NO_LIMIT;
}

uint64_t available_memory_in(const char *root)
{
    return min_u64(system_available(root), all_groups_available(root));
}

/* The first number of /proc/self/statm is of pages that are mapped, the sixth of those that hold data.
 * Where it cannot be read the process is taken to have none, which allows too much. */
static uint64_t limits_available(void)
{
    uint64_t mapped = 0, data = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t available = MEMORY_NO_LIMIT;
    struct rlimit limit;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fscanf(file, "%" SCNu64 " %*u %*u %*u %*u %" SCNu64, &mapped, &data) != 2)
        mapped = data = 0;
    if (file != NULL)
        fclose(file);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        available = left_of(limit.rlim_cur, mapped * page);
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        available = min_u64(available, left_of(limit.rlim_cur, data * page));
    return available;
}

/* Without /proc: free pages, caches not counted. */
static uint64_t pages_available(void)
{
#ifdef _SC_AVPHYS_PAGES
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0)
        return (uint64_t)pages * (uint64_t)page;
#endif
    return MEMORY_NO_LIMIT;
}

uint64_t available_memory(void)
{
    uint64_t available = available_memory_in("");
    if (available == MEMORY_NO_LIMIT)
        available = pages_available();
    return min_u64(available, limits_available());
}
