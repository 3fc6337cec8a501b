/* test_memory.c - what memory there is, by files that a test writes, and commands that need more.
 *
 * Method: a folder stands for the root of a system: its /proc and its control groups. Refusals are
 * seen where the shell limits the data of a process; the readers of /proc may then find nothing, and
 * the limit alone decides.
 */
#include "expanders/expander.h"
#include "library/available_memory.h"
#include "test/program_run.h"
#include "test/sanitized.h"
#include "workloads/import.h"
#include "workloads/instance.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef fail /* a macro of Check's */

Suite *memory_suite(void);

#define MB UINT64_C(1000000)

/* The available bytes of a system whose files `script` writes below $T/root. */
static uint64_t available_with(const char *script)
{
    char root[512];
    ck_assert_int_eq(program_run("rm -rf $T/root; mkdir $T/root && cd $T/root && "
                                 "mkdir -p proc/self sys/fs/cgroup/memory && %s && pwd",
                                 script)
                         ->status,
                     0);
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
    /* the system alone */
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

/* The path of a file in the test's own folder. */
static const char *in_folder(const char *name, char path[600])
{
    const struct outcome *where = program_run("cd $T && pwd");
    snprintf(path, 600, "%.*s/%s", (int)strcspn(where->out, "\n"), where->out, name);
    return path;
}

/* Files of the system and of control groups, of both versions, bound what is available. */
START_TEST(files)
{
    uint64_t bytes = available_with(systems[_i].script);
    ck_assert_msg(bytes == systems[_i].bytes, "%s: %" PRIu64 " bytes and not %" PRIu64,
                  systems[_i].script, bytes, systems[_i].bytes);
}
END_TEST

/* A number of bytes reads as people say it. */
START_TEST(texts)
{
    char text[32];
    ck_assert_str_eq(memory_text(12345, text), "12 kB");
    ck_assert_str_eq(memory_text(999949 * 1000, text), "999.9 MB");
    ck_assert_str_eq(memory_text(999950 * UINT64_C(1000), text), "1.0 GB");
    ck_assert_str_eq(memory_text(21300 * MB, text), "21.3 GB");
}
END_TEST

/* What fits goes on, what does not is refused with both figures, and a share is a bound. */
START_TEST(checks)
{
    struct failure failure = {0};
    struct memory_need need = {
        .what = "work", .bytes = 90 * MB, .limit = 89 * MB, .each = "runs at once"};
    ck_assert_int_eq(memory_need_check(&need, &failure), FAIL_SYSTEM);
    ck_assert_str_eq(failure.text, "work needs about 90.0 MB of memory, 89.0 MB are available to "
                                   "each of the runs at once");
    available_memory_name_force(&failure);
    ck_assert_ptr_nonnull(strstr(failure.text, " at once; --force runs it anyway"));
    need.limit = 90 * MB;
    ck_assert_int_eq(memory_need_check(&need, &failure), FAIL_NONE);
}
END_TEST

/* No memory is a limit like any other, also of a sweep's workers, and no limit stays none. */
START_TEST(nothing_available)
{
    struct failure failure = {0};
    struct memory_need need = {.what = "work", .bytes = 1};
    need.limit = available_memory_share(0, 4);
    ck_assert_int_eq(memory_need_check(&need, &failure), FAIL_SYSTEM);
    need.limit = available_memory_share(3, 4);
    ck_assert_int_eq(memory_need_check(&need, NULL), FAIL_SYSTEM);
    need.bytes = UINT64_MAX;
    need.limit = available_memory_share(available_memory_limit(true), 4);
    ck_assert_int_eq(memory_need_check(&need, NULL), FAIL_NONE);
    ck_assert_int_eq(memory_check_limit(1, 0, "work", NULL), FAIL_SYSTEM);

    struct message_set set;
    struct import_options none = {0};
    struct failure graph = {0}, reading = {0}, matrix = {0};
    ck_assert_int_eq(program_run("echo 'expander 1 permutation 4 2 1' >$T/graph && "
                                 "printf '0\\n1\\n2\\n3\\n' >>$T/graph && "
                                 "printf 'mcast 1 2 2\\n0 1\\n' >$T/set && echo 1 2 >$T/edges.txt")
                         ->status,
                     0);
    char path[600];
    ck_assert_int_eq(message_set_read_within(&set, in_folder("set", path), NULL, 0, &reading),
                     FAIL_SYSTEM);
    ck_assert_msg(reading.is_memory_limit, "%s", reading.text);
    ck_assert_int_eq(import_matrix(in_folder("edges.txt", path), &none, &set, NULL, &matrix),
                     FAIL_SYSTEM);
    ck_assert_msg(matrix.is_memory_limit, "%s", matrix.text);
    struct expander made;
    ck_assert_int_eq(expander_read_within(&made, in_folder("graph", path), 0, &graph), FAIL_SYSTEM);
    ck_assert_msg(graph.is_memory_limit, "%s", graph.text);
    ck_assert_int_eq(expander_read(&made, path, NULL), FAIL_NONE);
    expander_free(&made);
}
END_TEST

/* Within a limit of the shell's each command that needs more than it refuses, and does not begin. */
static const char *const refused[] = {
    "kernel route --side 1024 --k 16 --threads 1",
    "route $T/set --router expander --threads 1",
    "compare $T/set --threads 1",
    "stress $T/set --router expander --threads 1",
    "sweep --pattern uniform --side 512 --router trees --db $T/db",
    "sweep --pattern uniform --side 512 --router trees --jobs 2 --db $T/db2",
    "network $T/set --scheme unicast",
    "plan $T/second --scheme ocms",
    "load --topology mesh:512x512 --scheme unicast --rate 0.01",
};

static void make_set(void)
{
    ck_assert_int_eq(program_run("$M gen --side 128 --pattern uniform --degree 32 -o $T/set && "
                                 "$M gen --side 80 --pattern broadcast --congestion 1 -o $T/second")
                         ->status,
                     0);
}

START_TEST(refusals)
{
    make_set();
    const struct outcome *run = program_run("(ulimit -d 60000; $M %s)", refused[_i]);
    ck_assert_msg(run->status == 4, "%s: status %d, %s", refused[_i], run->status, run->err);
    ck_assert_ptr_nonnull(strstr(run->err, " MB are available"));
    ck_assert_ptr_nonnull(strstr(run->err, "; --force runs it anyway\n"));
    ck_assert_ptr_null(strstr(run->err, "out of memory"));
}
END_TEST

/* --force runs it anyway: to the end where the memory is there after all, else until it is out. */
START_TEST(forced)
{
    make_set();
    ck_assert_int_eq(program_run("$M route $T/set --router trees --threads 1 --force")->status, 0);
    const struct outcome *run = program_run("(ulimit -d 60000; $M route $T/set --router expander "
                                            "--param walk=0 --threads 1 --force --quiet)");
    ck_assert_int_eq(run->status, 4);
    ck_assert_ptr_nonnull(strstr(run->err, "out of memory"));
}
END_TEST

/* A reader stops where what it keeps would be more than there is: no header says so before. */
START_TEST(readers)
{
    const struct outcome *run =
        program_run("awk 'BEGIN { for (i = 1; i < 3000000; i++) print i, i * 7 %% 3000017 }' | "
                    "(ulimit -d 40000; $M import - --format edges -o $T/graph)");
    ck_assert_int_eq(run->status, 4);
    ck_assert_ptr_nonnull(strstr(run->err, "memory"));
}
END_TEST

/* A graph file is read only as far as there is memory. */
START_TEST(graphs)
{
    const struct outcome *run = program_run(
        "awk 'BEGIN { print \"expander 1 list 1048576 16 16\"; for (i = 0; i < 1048576; i++)"
        " print \"0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\" }' >$T/graph && "
        "(ulimit -d 40000; $M expander check $T/graph)");
    static const char *const readers_of_it[] = {
        "sweep --side 8 --pattern adversary --against $T/graph --db $T/db"};
    for (size_t i = 0;; run = program_run("(ulimit -d 40000; $M %s)", readers_of_it[i++])) {
        ck_assert_int_eq(run->status, 4);
        ck_assert_msg(strstr(run->err, "needs more than") != NULL, "%s", run->err);
        if (i == sizeof readers_of_it / sizeof *readers_of_it)
            break;
    }
}
END_TEST

/* An audit keeps what its trace has under way: half a million packets take more than 20 MB. */
START_TEST(audits)
{
    const struct outcome *run = program_run(
        "awk 'BEGIN { print \"meshcast-trace 1 4 4 copy=unit buffer=none kernel=route\";"
        " for (i = 0; i < 500000; i++) print 0, \"I\", i %% 16, 7 * i, 7 * i }' | "
        "(ulimit -d 30000; $M audit -)");
    ck_assert_int_eq(run->status, 4);
    ck_assert_msg(strstr(run->err, "the audit of this trace needs more than") != NULL, "%s",
                  run->err);
    ck_assert_ptr_nonnull(strstr(run->err, "--force"));
}
END_TEST

/* Edges that are repeated take memory once: 8 million lines, which would be 64 MB, in 30 MB. */
START_TEST(repeated_edges)
{
    const struct outcome *run = program_run(
        "awk 'BEGIN { for (i = 0; i < 1000000; i++) print i %% 997, i * 31 %% 1009 %% "
        "7 }' >$T/part &&"
        "cat $T/part $T/part $T/part $T/part $T/part $T/part $T/part $T/part | gzip -1 | "
        "(ulimit -d 30000; $M import - --format edges --force -o $T/graph)");
    ck_assert_msg(run->status == 0, "%s", run->err);
    ck_assert_msg(strstr(run->err, "8000000 entries, 6979 nonzeros") != NULL, "%s", run->err);
}
END_TEST

Suite *memory_suite(void)
{
    Suite *suite = suite_create("memory");
    TCase *tcase = tcase_create("memory");
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tcase, files, 0, sizeof systems / sizeof *systems);
    tcase_add_test(tcase, texts);
    tcase_add_test(tcase, checks);
    tcase_add_test(tcase, nothing_available);
    if (!SANITIZED) {
        tcase_add_loop_test(tcase, refusals, 0, sizeof refused / sizeof *refused);
        tcase_add_test(tcase, forced);
        tcase_add_test(tcase, readers);
        tcase_add_test(tcase, graphs);
        tcase_add_test(tcase, audits);
        tcase_add_test(tcase, repeated_edges);
    }
    suite_add_tcase(suite, tcase);
    return suite;
}
