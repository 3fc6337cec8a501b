/* memory.c - the one place where memory is asked for, and the limit.
 *
 * Method: each request is charged to a credit. When that is spent, and for each large request, the
 * process's use is read from the system, after freed memory has been given back. The credit becomes
 * the rest of the limit. So no single block is accounted for.
 *
 * Memory in use is the larger of two figures of /proc/self/status: the resident memory (RssAnon),
 * and the requested memory (VmData) less the reserves of sparse blocks and threads' stacks. Without
 * such a file nothing is in use, and the limit holds for each request by itself.
 *
 * The memory available to the process is the least of three figures:
 * - system: MemAvailable of /proc/meminfo, which includes caches that can be dropped; without /proc
 *   the free pages;
 * - control groups, from the process's own up to the root: each one's limit minus its present use,
 *   without caches of files, which are dropped first;
 * - process: RLIMIT_AS and RLIMIT_DATA minus its present use.
 * A figure that cannot be read sets no limit.
 *
 * Cost: an addition per request; about 30 microseconds per reading of the system.
 */
#define _DEFAULT_SOURCE /* madvise */

#include "base/memory.h"

#include "base/numbers.h"

#include <inttypes.h>
#ifdef __linux__
#include <malloc.h> /* malloc_usable_size, malloc_trim */
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The first credit, for runs so small that they never read the system. */
enum { HUGE_PAGE = 1 << 21, LARGE = 2 * HUGE_PAGE, FIRST_CREDIT = 4 * LARGE };

static uint64_t left_of(uint64_t whole, uint64_t part)
{
    return whole > part ? whole - part : 0;
}

/* ---- what is available: files of numbers ---- */

enum { PATH_SIZE = 1024, LINE_SIZE = 1024 };

/* Reads the number after `key` at the start of a line ("" for the first line); false: no such
 * line. */
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

/* The names of a version's files. "max" is no limit in version 2, a number beyond all memory in
 * version 1. */
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

/* Returns the least memory that the group `name` ("/a/b") and its ancestors leave. In a container
 * the name may be the host's; a missing folder sets no limit. */
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

/* True if "memory" is among the controllers between two colons. */
static bool has_memory(const char *controllers)
{
    size_t length = strcspn(controllers, ":");
    for (const char *at = controllers; at < controllers + length; at += strcspn(at, ",:") + 1)
        if (strncmp(at, "memory", 6) == 0 && strcspn(at, ",:") == 6)
            return true;
    return false;
}

/* Returns the least memory of all groups. Lines are NUMBER:CONTROLLERS:NAME; version 2 names no
 * controllers. */
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

/* Returns the memory that the process's own limits leave. The first number of /proc/self/statm is
 * mapped pages, the sixth those that hold data. If it cannot be read the process counts as empty,
 * which allows too much. */
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

/* Returns the bytes of free pages, without caches, for systems without /proc. */
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

/* ---- in use ---- */

static atomic_int_least64_t reserved; /* bytes of sparse blocks whose use is not expected */

static uint64_t stack_bytes(void)
{
    struct rlimit limit;
    bool is_known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_known ? limit.rlim_cur : HUGE_PAGE; /* glibc's own choice without a limit */
}

/* Bytes of the process: requested, without those that are only reserved, and of these the touched
 * ones. */
struct usage {
    uint64_t asked, resident;
};

static struct usage usage_now(void)
{
    uint64_t asked = 0, resident = 0, threads = 1;
    char line[128];
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmData: %" SCNu64, &asked) == 1 ||
            sscanf(line, "RssAnon: %" SCNu64, &resident) == 1)
            continue;
        if (sscanf(line, "Threads: %" SCNu64, &threads) == 1)
            break;
    }
    if (file != NULL)
        fclose(file);
    uint64_t uncounted = (threads - 1) * stack_bytes() +
                         (uint64_t)atomic_load_explicit(&reserved, memory_order_relaxed);
    return (struct usage){left_of(asked * 1024, uncounted), resident * 1024};
}

/* ---- the limit ---- */

static struct {
    pthread_mutex_t lock;
    bool is_given; /* set by the caller; else it is renewed when a request does not fit */
    bool has_base;
    struct usage base; /* the use when the limit was set, which does not count */
    uint64_t limit;
    struct memory_refusal refusal;
} account = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_int_least64_t credit = FIRST_CREDIT;
static atomic_bool was_refused;

/* Returns the bytes in use since the limit was set; *untouched is the part of them that still
 * counts as available. */
static uint64_t bytes_in_use(uint64_t *untouched)
{
    struct usage now = usage_now();
    if (!account.has_base)
        account.base = now;
    account.has_base = true;
    uint64_t asked = left_of(now.asked, account.base.asked);
    uint64_t resident = left_of(now.resident, account.base.resident);
    *untouched = left_of(asked, resident);
    return max_u64(asked, resident);
}

static void set_limit(bool is_given, uint64_t limit)
{
    uint64_t untouched;
    account.has_base = false;
    if (is_given)
        bytes_in_use(&untouched);
    account.is_given = is_given;
    account.limit = limit;
    atomic_store(&credit, 0);
}

void memory_limit(uint64_t bytes)
{
    pthread_mutex_lock(&account.lock);
    set_limit(true, bytes);
    pthread_mutex_unlock(&account.lock);
}

void memory_limit_default(void)
{
    pthread_mutex_lock(&account.lock);
    set_limit(false, 0);
    pthread_mutex_unlock(&account.lock);
}

void memory_limit_share(uint32_t processes)
{
    pthread_mutex_lock(&account.lock);
    uint64_t whole = account.is_given ? account.limit : available_memory();
    if (processes > 1)
        set_limit(true, whole == MEMORY_NO_LIMIT ? whole : whole / processes);
    pthread_mutex_unlock(&account.lock);
}

/* Gives the system the memory that was freed and is kept for later requests. */
static void give_back(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* True if the limit allows `bytes` more; the credit is then the rest of it. */
static bool is_within(uint64_t bytes)
{
    uint64_t untouched, in_use = bytes_in_use(&untouched), left = left_of(account.limit, in_use);
    if (bytes > left) {
        give_back();
        in_use = bytes_in_use(&untouched);
        left = left_of(account.limit, in_use);
    }
    if (bytes > left && !account.is_given) {
        uint64_t available = available_memory();
        left = available == MEMORY_NO_LIMIT ? available - in_use : left_of(available, untouched);
        account.limit = in_use + left;
    }
    bool fits = bytes <= left;
    /* a later request that fits, before the failure is reported, would change the figures */
    if (!fits)
        account.refusal = (struct memory_refusal){account.limit, in_use, bytes};
    atomic_store(&credit, (int_least64_t)min_u64(fits ? left - bytes : left, INT64_MAX));
    return fits;
}

/* True if `bytes` may be requested. */
static bool request(uint64_t bytes)
{
    bool is_small = bytes < LARGE;
    if (is_small && atomic_fetch_sub_explicit(&credit, (int_least64_t)bytes,
                                              memory_order_relaxed) >= (int_least64_t)bytes)
        return true;
    pthread_mutex_lock(&account.lock);
    bool fits = account.is_given && account.limit == MEMORY_NO_LIMIT;
    if (fits)
        atomic_store(&credit, INT64_MAX);
    else
        fits = is_within(bytes);
    pthread_mutex_unlock(&account.lock);
    if (!fits)
        atomic_store(&was_refused, true);
    return fits;
}

bool memory_refused(struct memory_refusal *refusal)
{
    pthread_mutex_lock(&account.lock);
    *refusal = account.refusal;
    pthread_mutex_unlock(&account.lock);
    return atomic_load(&was_refused);
}

const char *memory_text(uint64_t bytes, char text[32])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    double value = (double)bytes / 1000;
    unsigned unit = 0;
    for (; value >= 999.95 && unit < 3; unit++)
        value /= 1000;
    snprintf(text, 32, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

/* ---- blocks ---- */

static bool product(size_t count, size_t size, size_t *bytes)
{
    if (size != 0 && count > SIZE_MAX / size)
        return false;
    *bytes = count * size == 0 ? 1 : count * size;
    return true;
}

/* Returns `block`; if it is NULL, the system has no memory. */
static void *given(void *block)
{
    if (block == NULL)
        atomic_store(&was_refused, false);
    return block;
}

/* Advises large pages, on which no result depends. Packets are looked up by number all over arrays
 * of many megabytes: with pages of 4 KB most look-ups would also miss the processor's page table
 * cache. */
void memory_prefer_large_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t first = ((uintptr_t)block + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = ((uintptr_t)block + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (block != NULL && bytes >= LARGE && first < end)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

void *memory_allocate(size_t count, size_t size)
{
    size_t bytes;
    if (!product(count, size, &bytes))
        return given(NULL);
    if (!request(bytes))
        return NULL;
    void *block = given(calloc(1, bytes));
    memory_prefer_large_pages(block, bytes);
    return block;
}

void *memory_allocate_sparse(size_t count, size_t size)
{
    size_t bytes;
    void *block = product(count, size, &bytes) ? given(calloc(1, bytes)) : given(NULL);
    if (block != NULL)
        atomic_fetch_add(&reserved, (int_least64_t)(count * size));
    return block;
}

bool memory_expect_use(void *block, size_t bytes)
{
    bool fits = request(bytes);
    atomic_fetch_sub(&reserved, (int_least64_t)bytes);
    memory_prefer_large_pages(block, bytes);
    return fits;
}

void memory_free_sparse(void *block, size_t bytes)
{
    if (block != NULL)
        atomic_fetch_sub(&reserved, (int_least64_t)bytes);
    free(block);
}

void *memory_resize(void *block, size_t count, size_t size)
{
    size_t bytes, had = 0;
    if (!product(count, size, &bytes))
        return given(NULL);
#ifdef __linux__
    had = malloc_usable_size(block);
#endif
    if (bytes > had && !request(bytes - had))
        return NULL;
    return given(realloc(block, bytes));
}

void *memory_grow(void *block, size_t *room, size_t count, size_t size)
{
    enum { LEAST = 64 }; /* elements; most small arrays then never grow */
    if (count <= *room && block != NULL)
        return block;
    size_t wanted = *room <= SIZE_MAX / 2 ? 2 * *room : SIZE_MAX;
    wanted = wanted < LEAST ? LEAST : wanted;
    wanted = wanted < count ? count : wanted;
    void *grown = memory_resize(block, wanted, size);
    if (grown != NULL)
        *room = wanted;
    return grown;
}

bool memory_make_room(void *array, size_t *room, size_t count, size_t size)
{
    void *block;
    memcpy(&block, array, sizeof block);
    block = memory_grow(block, room, count, size);
    if (block != NULL)
        memcpy(array, &block, sizeof block);
    return block != NULL;
}
