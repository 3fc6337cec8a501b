/* test_sweep_runs.c - the runs of a sweep: files and their contents, lists; and its continuation.
 *
 * Oracles: the sweep's counts of runs stored before and now, `gen` for the set of a pattern, and
 * the report's groups.
 */
#include "test/program_run.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sweep ends with `status` and says that it found and stored so many runs. */
static void check_sweep(const char *options, int status, int before, int now)
{
    char said[64];
    const struct outcome *run = program_run("$M sweep --db $T/db %s", options);
    snprintf(said, sizeof said, ": %d before, %d now", before, now);
    ck_assert_msg(run->status == status, "%s: status %d: %s", options, run->status, run->err);
    ck_assert_msg(strstr(run->err, said) != NULL, "%s: not%s: %s", options, said, run->err);
}

/* Graphs of 64 groups for a mesh of 8 x 8 under c = 16: 16 inputs. */
static void make_graphs(void)
{
    program_run_ends(0, "for s in 1 2; do $M expander make --inputs 16 --c 16 --r 2 --seed $s "
                        "-o $T/g$s || exit; done; cp $T/g1 $T/g; mkdir $T/f");
}

/* ---- files ---- */

/* Pattern adversary against a graph is the set that `gen` makes; every graph and share is a
 * workload of its own, a graph that has changed another one, one in another folder the same. */
START_TEST(test_against)
{
    const char *sweep = "--router trees --pattern adversary,uniform --side 8 --congestion 16 "
                        "--against $T/g --against-share all,1/4";
    make_graphs();
    check_sweep(sweep, 0, 0, 3);
    check_sweep(sweep, 0, 3, 0);
    program_run("mv $T/g $T/f/g");
    check_sweep("--router trees --pattern adversary --side 8 --congestion 16 --against $T/f/g", 0,
                1, 0);
    program_run("cp $T/g2 $T/f/g");
    check_sweep("--router trees --pattern adversary --side 8 --congestion 16 --against "
                "$T/f/g,$T/g1 --seeds 2",
                0, 0, 4);

    program_run("$M gen --side 8 --congestion 16 --pattern adversary --against $T/g1 --share 1/4 "
                "-o $T/adversary; $M sweep --db $T/other --router trees --set $T/adversary -q");
    const struct outcome *run =
        program_run("for d in db other; do $M report $T/$d --csv --pattern adversary | "
                    "grep -e :1/4 -e ^adversary,8 | cut -d, -f6-24; done");
    size_t length = strlen(run->out) / 2;
    ck_assert_uint_gt(length, 20);
    ck_assert_msg(strncmp(run->out, run->out + length, length) == 0, "%s", run->out);
    program_run_fails(3, "adversary:1: expected the header 'expander",
                      "$M sweep --db $T/none --router trees --pattern adversary --side 8 "
                      "--against $T/adversary");
    ck_assert(!program_run_left("none"));
    /* the first part of a workload's name selects all graphs and shares */
    program_run("$M report $T/db --pattern adversary --json");
    json_t *report = program_run_json();
    ck_assert_uint_eq(json_array_size(json_object_get(report, "workloads")), 4);
    json_decref(report);
}
END_TEST

/* Every algorithm of a collective is a workload of its own, other patterns have none; the set is
 * the one that `gen` makes. */
START_TEST(test_algorithms)
{
    const struct outcome *run =
        program_run("$M sweep --router trees --pattern alltoall,reducescatter,uniform --side 4 "
                    "--algorithm ring,direct --db $T/none -n -q");
    ck_assert_str_eq(run->out, "to do   trees, copies unit, alltoall:ring 4 x 4, seed 0\n"
                               "to do   trees, copies unit, alltoall:direct 4 x 4, seed 0\n"
                               "to do   trees, copies unit, reducescatter:ring 4 x 4, seed 0\n"
                               "to do   trees, copies unit, reducescatter:direct 4 x 4, seed 0\n"
                               "to do   trees, copies unit, uniform 4 x 4, seed 0\n");
    check_sweep("--router trees --pattern reducescatter,uniform --side 4 --algorithm direct", 0, 0,
                2);
    program_run("$M gen --side 4 --pattern reducescatter --algorithm direct -o $T/direct; "
                "$M sweep --db $T/other --router trees --set $T/direct -q");
    run = program_run("$M report $T/db --csv --pattern reducescatter | tail -1 | cut -d, -f6-24; "
                      "$M report $T/other --csv | tail -1 | cut -d, -f6-24");
    size_t length = strlen(run->out) / 2;
    ck_assert_uint_gt(length, 20);
    ck_assert_msg(strncmp(run->out, run->out + length, length) == 0, "%s", run->out);
}
END_TEST

/* A broken mesh is a workload of its own, by the contents of its file; the run is that of `gen` and
 * `route`. Routers that need a whole mesh are refused rows; files that do not fit all meshes or
 * sets are refused before the first run. */
START_TEST(test_broken)
{
    const char *sweep = "--router trees,stream --pattern uniform --side 8 --without none,$T/a,$T/b";
    program_run("mkdir $T/f; echo node 17 >$T/a; cp $T/a $T/f/a; echo link 20 21 >$T/b; "
                "$M gen --side 8 --pattern uniform --without $T/b --seed 1 -o $T/s -q");
    check_sweep(sweep, 0, 0, 6);
    check_sweep(sweep, 0, 6, 0);
    check_sweep("--router trees --pattern uniform --side 8 --without $T/f/a,$T/a", 0, 1, 0);
    check_sweep("--router trees --pattern uniform --side 8 --without $T/b --seed 1", 0, 0, 1);
    check_sweep("--router trees --set $T/s --without none,$T/b", 0, 0, 2);
    check_sweep("--router stream --set $T/s --without $T/b", 2, 0, 1);
    const struct outcome *run =
        program_run("$M report $T/db --csv | grep trees | tr -d '\\r' | sed 's/@[0-9a-f]*//' | "
                    "cut -d, -f1-3,16,34-35");
    ck_assert_str_eq(run->out, "s,8,8,1,,\n"
                               "s:without=b,8,8,1,0,2\n"
                               "uniform,8,8,1,,\n"
                               "uniform:without=a,8,8,1,1,8\n"
                               "uniform:without=b,8,8,2,0,2\n");
    run = program_run("$M report $T/db --csv | grep ^s:without=b.*trees | tail -1 | "
                      "cut -d, -f19; $M route $T/s --router trees --seed 0 --without $T/b "
                      "--csv | tail -1 | cut -d, -f19");
    ck_assert_int_eq(atoi(run->out), atoi(strchr(run->out, '\n')));
    ck_assert_int_gt(atoi(run->out), 0);
    program_run("echo node 18 >>$T/a");
    check_sweep(sweep, 0, 4, 2);

    run = program_run("$M sweep --db $T/none --pattern uniform --side 8,4 --without $T/a");
    ck_assert_int_eq(run->status, 3);
    ck_assert_ptr_nonnull(strstr(run->err, "/a:1: expected a node of mesh:4x4, from 0 to 15"));
    run = program_run("$M sweep --db $T/none --set $T/s --without $T/a");
    ck_assert_int_eq(run->status, 3);
    ck_assert_ptr_nonnull(strstr(run->err, " is dead in "));
    run = program_run("$M sweep --db $T/none --pattern uniform --side 8 --without -");
    ck_assert_ptr_nonnull(strstr(run->err, "a sweep takes files"));
    ck_assert(!program_run_left("none"));
}
END_TEST

/* A file that a router's constant names counts by its contents; words that name none do not. */
START_TEST(test_constant_file)
{
    const char *sweep = "--router expander,trees --pattern uniform --side 8 --congestion 16 "
                        "--param graph=random,$T/g";
    make_graphs();
    check_sweep(sweep, 0, 0, 3);
    check_sweep("--router expander --pattern uniform --side 8 --congestion 16 "
                "--param graph=$T/g1,$T/g",
                0, 1, 1);
    program_run("cp $T/g2 $T/g");
    check_sweep(sweep, 0, 2, 1);
    const struct outcome *run = program_run("$M report $T/db --csv | grep -c expander");
    ck_assert_str_eq(run->out, "4\n");
    program_run_fails(4, "none",
                      "$M sweep --db $T/db --router expander --pattern uniform --side 8 "
                      "--param graph=$T/none");
}
END_TEST

/* ---- lists ---- */

/* A list that is given again is added to; what is there already counts once, 01 as 1. */
START_TEST(test_lists_add_up)
{
    check_sweep("--router trees --router replicate --router trees,unicast --pattern uniform "
                "--pattern worst --side 4 --side 5 --side 4x4 --degree 2 --degree 02,1",
                0, 0, 3 * 2 * 2 * 2);
    check_sweep("--router random --param r=2,02 --param r=3,002 --param variant=paper --pattern "
                "uniform --side 8x08",
                0, 0, 2);
    check_sweep("--router random --param r=0003 --param variant=paper --pattern uniform --side 8",
                0, 1, 0);
    program_run("$M report $T/db --router trees --router unicast --pattern worst --json");
    json_t *report = program_run_json();
    ck_assert_int_eq(program_run_integer(report, "runs"), 2 * 2 * 2);
    json_decref(report);
}
END_TEST

/* ---- a file that goes ---- */

/* A database that goes during a sweep, or is replaced by another file, is told and no success. */
START_TEST(test_lost_database)
{
    const struct outcome *run = program_run_ends(
        4,
        "$M sweep --router trees --pattern uniform --side 40 --seeds 3000 --db $T/db & "
        "p=$!; while ! test -s $T/db-wal; do sleep 0.02; done; mv $T/db $T/gone; %s wait $p",
        _i == 0 ? "" : "cp $T/gone $T/db;");
    ck_assert_ptr_nonnull(strstr(run->err, "db was removed, renamed or replaced during the sweep"));
    ck_assert_ptr_null(strstr(run->err, "runs stored:"));
    long long lost = -1, kept;
    const char *told = strstr(run->err, "and the ");
    ck_assert(told != NULL && sscanf(told, "and the %lld runs", &lost) == 1);
    program_run_ends(0, "$M report $T/gone --json");
    json_t *report = program_run_json();
    kept = program_run_integer(report, "runs");
    ck_assert(kept == lost || kept == lost + 1); /* the last one was not told of */
    json_decref(report);
}
END_TEST

void sweep_runs_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_test(tcase, test_against);
    tcase_add_test(tcase, test_algorithms);
    tcase_add_test(tcase, test_broken);
    tcase_add_test(tcase, test_constant_file);
    tcase_add_test(tcase, test_lists_add_up);
    tcase_add_loop_test(tcase, test_lost_database, 0, 2);
}
