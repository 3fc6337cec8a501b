/* test_memory.c - the available memory, by files that a test writes; the limit of the allocator;
 * commands that need more.
 *
 * Method: a folder stands for the root of a system: its /proc and its control groups. Limits are of
 * megabytes, since the system counts pages and the heap grows in steps.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "test/program_run.h"
#include "test/sanitized.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

#define MB UINT64_C(1000000)

/* Returns the available bytes of a system whose files `script` writes below $T/root. */
static uint64_t available_with(const char *script)
{
    char root[512];
    program_run_ends(0,
                     "rm -rf $T/root; mkdir $T/root && cd $T/root && "
                     "mkdir -p proc/self sys/fs/cgroup/memory && %s && pwd",
                     script);
    const struct outcome *where = program_run("cd $T/root && pwd");
    snprintf(root, sizeof root, "%.*s", (int)strcspn(where->out, "\n"), where->out);
    return available_memory_in(root);
}

static const struct {
    const char *script;
    uint64_t bytes;
} systems[] = {
    /* nothing is known */
    {"true", MEMORY_NO_LIMIT},
    {"echo nonsense >proc/meminfo", MEMORY_NO_LIMIT},
    /* only the system */
    {"printf 'MemTotal: 9 kB\\nMemFree: 1 kB\\nMemAvailable:  7 kB\\n' >proc/meminfo", 7 * 1024},
    /* version 2: the group's caches can be dropped; a group above it leaves less */
    {"echo 0::/a/b >proc/self/cgroup; cd sys/fs/cgroup; mkdir -p a/b;"
     "echo 5000 >a/b/memory.max; echo 3000 >a/b/memory.current;"
     "printf 'anon 1\\ninactive_file 500\\n' >a/b/memory.stat",
     2500},
    {"echo 0::/a/b >proc/self/cgroup; cd sys/fs/cgroup; mkdir -p a/b;"
     "echo 5000 >a/b/memory.max; echo 3000 >a/b/memory.current;"
     "echo 9000 >a/memory.max; echo 8900 >a/memory.current",
     100},
    {"echo 0::/a >proc/self/cgroup; cd sys/fs/cgroup; mkdir -p a;"
     "echo max >a/memory.max; echo 3000 >a/memory.current",
     MEMORY_NO_LIMIT},
    {"echo 0::/ >proc/self/cgroup; cd sys/fs/cgroup;"
     "echo 5000 >memory.max; echo 4000 >memory.current",
     1000},
    /* more is used than allowed */
    {"echo 0::/a >proc/self/cgroup; cd sys/fs/cgroup; mkdir -p a;"
     "echo 10 >a/memory.max; echo 30 >a/memory.current",
     0},
    /* version 1, among others; in a container the name may be that of outside */
    {"printf '5:cpu,memory:/in/side\\n4:cpu:/x\\n0::/\\n' >proc/self/cgroup;"
     "cd sys/fs/cgroup/memory; echo 8000 >memory.limit_in_bytes; echo 3000 >memory.usage_in_bytes;"
     "printf 'total_inactive_file 1000\\n' >memory.stat",
     6000},
    {"printf '5:memory_of_another:/a\\n' >proc/self/cgroup; cd sys/fs/cgroup/memory;"
     "echo 8000 >memory.limit_in_bytes; echo 3000 >memory.usage_in_bytes",
     MEMORY_NO_LIMIT},
    /* the least of all */
    {"printf 'MemAvailable: 2 kB\\n' >proc/meminfo; echo 0::/a >proc/self/cgroup;"
     "cd sys/fs/cgroup; mkdir -p a; echo 9000 >a/memory.max; echo 1000 >a/memory.current",
     2048},
};

/* Files of the system and of control groups, of both versions, bound what is available. */
START_TEST(files)
{
    uint64_t bytes = available_with(systems[_i].script);
    ck_assert_msg(bytes == systems[_i].bytes, "%s: %" PRIu64 " bytes and not %" PRIu64,
                  systems[_i].script, bytes, systems[_i].bytes);
}
END_TEST

/* A number of bytes is read in the forms that people write. */
START_TEST(texts)
{
    char text[32];
    ck_assert_str_eq(memory_text(12345, text), "12 kB");
    ck_assert_str_eq(memory_text(999949 * 1000, text), "999.9 MB");
    ck_assert_str_eq(memory_text(999950 * UINT64_C(1000), text), "1.0 GB");
    ck_assert_str_eq(memory_text(21300 * MB, text), "21.3 GB");
}
END_TEST

/* Blocks count until they are freed, and a refusal has the figures. */
START_TEST(blocks)
{
    struct failure failure = {0};
    memory_limit(10 * MB);
    void *first = memory_allocate(6, MB);
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(memory_allocate(6, MB));
    ck_assert_int_eq(fail_memory(&failure, "work"), FAIL_SYSTEM);
    ck_assert(failure.is_memory_limit);
    /* earlier memory of the process may have gone back to the system in the meantime */
    ck_assert_ptr_nonnull(strstr(failure.text, "out of memory for work: "));
    ck_assert_ptr_nonnull(
        strstr(failure.text, " in use and 6.0 MB more asked for do not fit into 10.0 MB"));
    free(first);
    ck_assert_ptr_nonnull(first = memory_allocate(6, MB));
    void *grown = memory_resize(first, 9, MB); /* of which 3 MB are more */
    ck_assert_ptr_nonnull(grown);
    ck_assert_ptr_null(memory_resize(grown, 12, MB));
    memory_limit_default();
    ck_assert_ptr_nonnull(grown = memory_resize(grown, 12, MB));
    free(grown);
}
END_TEST

/* A refusal keeps its figures when the next request fits. */
START_TEST(refusal_stays)
{
    struct failure failure = {0};
    memory_limit(20 * MB);
    void *refused = memory_allocate(30, MB), *next = memory_allocate(10, MB);
    ck_assert_ptr_null(refused);
    ck_assert_ptr_nonnull(next);
    fail_memory(&failure, "work");
    ck_assert_str_eq(failure.text, "out of memory for work: 0 kB in use and 30.0 MB more asked for "
                                   "do not fit into 20.0 MB");
    free(next);
    memory_limit_default();
}
END_TEST

/* Small blocks count as large ones do. */
START_TEST(small_blocks)
{
    enum { MOST = 12000, SIZE = 1000 };
    void *block[MOST];
    uint32_t count = 0;
    memory_limit(10 * MB);
    while (count < MOST && (block[count] = memory_allocate(1, SIZE)) != NULL)
        count++;
    ck_assert_uint_lt(count, 10500);
    ck_assert_uint_gt(count, 9000);
    ck_assert(memory_refused(&(struct memory_refusal){0}));
    for (uint32_t i = 0; i < count; i++)
        free(block[i]);
    memory_limit(MEMORY_NO_LIMIT);
    void *large = memory_allocate(20, MB);
    ck_assert_ptr_nonnull(large);
    free(large);
}
END_TEST

/* A sparse block counts by its written part, until its use is expected. */
START_TEST(sparse_blocks)
{
    memory_limit(20 * MB);
    char *sparse = memory_allocate_sparse(1000, MB);
    void *block = memory_allocate(15, MB);
    ck_assert(sparse != NULL && block != NULL);
    free(block);
    memset(sparse + 500 * MB, 1, 10 * MB);
    ck_assert_ptr_null(memory_allocate(15, MB));
    ck_assert_ptr_nonnull(block = memory_allocate(5, MB));
    free(block);
    memory_free_sparse(sparse, 1000 * MB);
    ck_assert_ptr_nonnull(sparse = memory_allocate_sparse(1000, MB));
    ck_assert(memory_expect_use(sparse, 15 * MB));
    ck_assert_ptr_null(memory_allocate(10, MB));
    ck_assert(!memory_expect_use(sparse, 500 * MB));
    memory_free_sparse(sparse, 485 * MB);
    ck_assert_ptr_nonnull(block = memory_allocate(15, MB));
    free(block);
}
END_TEST

/* Processes of one machine share a limit; without a limit only the system refuses, which has no
 * figures. */
START_TEST(shares)
{
    struct failure failure = {0};
    memory_limit(20 * MB);
    memory_limit_share(1);
    void *block = memory_allocate(15, MB);
    ck_assert_ptr_nonnull(block);
    free(block);
    memory_limit_share(2);
    ck_assert_ptr_null(memory_allocate(15, MB));
    ck_assert_ptr_nonnull(block = memory_allocate(8, MB));
    free(block);
    memory_limit(MEMORY_NO_LIMIT);
    memory_limit_share(2);
    ck_assert_ptr_null(memory_allocate(SIZE_MAX, 2));
    fail_memory(&failure, "work");
    ck_assert_str_eq(failure.text, "out of memory for work");
    ck_assert(!failure.is_memory_limit);
}
END_TEST

/* Each command ends with status 4 and the figures where it needs more than it may use. */
static const char *const refused[] = {
    "kernel route --side 1024 --k 16 --threads 1",
    "gen --side 2048 --pattern uniform",
    "import $T/edges --format edges -o $T/graph",
    "info $T/large",
    "route $T/set --router expander --threads 1",
    "compare $T/set --threads 1",
    "stress $T/set --router expander --threads 1",
    "search --router expander --side 256 --congestion 64 --tries 1 --threads 1",
    "sweep --pattern uniform --side 512 --router trees --db $T/db",
    "sweep --pattern uniform --side 512 --router trees --jobs 2 --db $T/db2",
    "expander check --inputs 1048576 --c 16384 --r 16",
    "expander check $T/list",
    "gen --side 8 --pattern adversary --against $T/list",
    "network $T/large --scheme unicast",
    "plan $T/large --scheme ocms",
    "load --topology mesh:512x512 --scheme unicast --rate 0.01",
    "load --topology mesh:16x16 --scheme unicast --rate 1 --finite --measure 1000000",
    "audit $T/trace",
    "view $T/large $T/trace -o $T/page",
};

/* Half a million packets under way, two million edges, a graph of 64 MB. */
static void make_files(void)
{
    program_run_ends(
        0, "$M gen --side 128 --pattern uniform --degree 32 -o $T/set && "
           "$M gen --side 300 --pattern uniform --degree 64 -o $T/large && "
           "awk 'BEGIN { print \"meshcast-trace 1 4 4 copy=unit buffer=none kernel=route\";"
           " for (i = 0; i < 500000; i++) print 0, \"I\", i %% 16, 7 * i, 7 * i }' "
           ">$T/trace && "
           "awk 'BEGIN { for (i = 1; i < 3000000; i++) print i, i * 7 %% 3000017 }' "
           ">$T/edges && "
           "awk 'BEGIN { print \"expander 1 list 1048576 16 16\";"
           " for (i = 0; i < 1048576; i++)"
           " print \"0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\" }' >$T/list");
}

START_TEST(refusals)
{
    make_files();
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct outcome *run = program_run_ends(4, "$M %s --memory 12M", refused[i]);
        ck_assert_msg(strstr(run->err, "more asked for do not fit into ") != NULL &&
                          strstr(run->err, "; --memory SIZE sets another limit\n") != NULL,
                      "%s: %s", refused[i], run->err);
    }
}
END_TEST

/* Without the option the limit is the memory that the shell leaves. Without a limit a run goes on
 * until the system refuses. */
START_TEST(defaults)
{
    static const char run_it[] =
        "(ulimit -d 60000; $M route $T/set --router expander --param walk=0 "
        "--threads 1 --quiet %s)";
    program_run_ends(0, "$M gen --side 128 --pattern uniform --degree 32 -o $T/set");
    const struct outcome *run = program_run_ends(4, run_it, "");
    ck_assert_ptr_nonnull(strstr(run->err, "more asked for do not fit into "));
    run = program_run_ends(4, run_it, "--memory none");
    ck_assert_ptr_nonnull(strstr(run->err, "out of memory"));
    ck_assert_ptr_null(strstr(run->err, "--memory"));
    program_run_ends(0, "$M route $T/set --router trees --memory 1T");
}
END_TEST

START_TEST(sizes)
{
    static const char *const wrong[] = {"0M", "4", "4X", "4GB", "-1G", "G", "1.5G", "nothing"};
    static const char *const right[] = {"500000K", "500m", "1G", "4294967295T", "none"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        program_run_fails(2, "--memory takes a number of ",
                          "$M gen --side 8 --pattern uniform --memory %s", wrong[i]);
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        program_run_ends(0, "$M gen --side 8 --pattern uniform --memory %s", right[i]);
}
END_TEST

void memory_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tcase, files, 0, sizeof systems / sizeof *systems);
    tcase_add_test(tcase, texts);
    tcase_add_test(tcase, sizes);
    if (!SANITIZED) { /* whose allocator keeps what was freed */
        tcase_add_test(tcase, blocks);
        tcase_add_test(tcase, refusal_stays);
        tcase_add_test(tcase, small_blocks);
        tcase_add_test(tcase, sparse_blocks);
        tcase_add_test(tcase, shares);
        tcase_add_test(tcase, refusals);
        tcase_add_test(tcase, defaults);
    }
}
