/* test_mpi.c - the program under mpirun: the bytes of a run alone, and how it ends when a rank
 * cannot go on. Only make MPI=1 test runs this suite.
 *
 * Oracle: the program without MPI. $P is the program with MPI, $R starts ranks: `$R 3 $P ...`. What
 * an mpirun writes of its own is no line that begins with "meshcast".
 */
#include "library/meshcast_command.h"
#include "test/length.h"
#include "test/program_run.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Any user, any number of ranks on any number of cores; the names that mpirun of OpenMPI knows,
 * others know none. */
static void set_up(void)
{
    program_run_setup();
    setenv("P", getenv("MESHCAST_MPI"), 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    setenv("OMPI_MCA_orte_execute_quiet", "1", 1);
    char ranks[512];
    snprintf(ranks, sizeof ranks, "%s -n", getenv("MPIRUN"));
    setenv("R", ranks, 1);
}

/* ---- the seam ---- */

static const uint32_t RANKS[] = {2, 3, 5};
enum { SIZES = sizeof RANKS / sizeof *RANKS };

/* every function of machine/ranks/ranks.h */
START_TEST(seam)
{
    char text[32];
    snprintf(text, sizeof text, "%u ranks\n", RANKS[_i]);
    const struct outcome *run = program_run("$R %u '%s'", RANKS[_i], getenv("MESHCAST_SEAM"));
    ck_assert_msg(run->status == 0 && strcmp(run->out, text) == 0, "%s%s", run->out, run->err);
}
END_TEST

/* ---- the same bytes ---- */

/* The output without times. */
#define WITHOUT_TIMES                                                                              \
    "sed -E '/wall time|\\/ s /d; s/\"(wall_seconds|[a-z_]*_per_second)\": [^,}]*//g'"

static void check_same(const char *command, uint32_t ranks, uint32_t threads)
{
    const struct outcome *run = program_run(
        "run() { \"$@\" --threads %u --json --trace $T/trace | " WITHOUT_TIMES "; }\n"
        "run $M %s >$T/1 && mv $T/trace $T/trace1 && run $R %u $P %s >$T/2 && test -s $T/1 && "
        "cmp $T/1 $T/2 && cmp $T/trace1 $T/trace",
        threads, command, ranks, command);
    ck_assert_msg(run->status == 0 && strcmp(run->err, "") == 0, "%s on %u ranks, %u threads: %s%s",
                  command, ranks, threads, run->out, run->err);
}

/* Short tests take one of the numbers of ranks and threads for each command. */
static void check_all(const char *command, int turn)
{
    for (int i = 0; i <= SIZES; i++)
        for (int threads = 1; threads <= 2; threads++)
            if (!TEST_IS_SHORT || (i == turn % SIZES && threads == 1 + turn / SIZES % 2))
                check_same(command, i == SIZES ? 1 : RANKS[i], (uint32_t)threads);
}

static void make_set(void)
{
    program_run_ends(0, "$M gen --rows 33 --cols 40 --pattern rmat --degree 6 "
                        "--congestion 8 --seed 3 -o $T/set");
}

START_TEST(routers)
{
    char command[128];
    make_set();
    snprintf(command, sizeof command, "route $T/set -q --seed 5 --router %s --copy %s",
             meshcast_command_value_at("route", "router", (uint32_t)_i),
             _i % 2 == 0 ? "unit" : "free");
    check_all(command, _i);
}
END_TEST

/* On the first rank alone a node sends several messages; of 3 or 5 ranks the last one has none that
 * leaves its node. */
static void make_home(void)
{
    program_run_file("home",
                     "mcast 2 mesh 14 4\n0 0\n0 55 1 0\n0 5\n0:2 9 11\n3 3 14\n11 11\n24 0 52 24\n"
                     "30 30\n30 2\n26:3 26\n52 52\n55 55\n52 52\n52 52\n52 52\nend 15\n");
}

START_TEST(homes)
{
    char command[128];
    make_home();
    snprintf(command, sizeof command, "route $T/home -q --router %s",
             meshcast_command_value_at("route", "router", (uint32_t)_i));
    check_all(command, _i);
}
END_TEST

/* slots of packets that have left are taken again by packets that split */
START_TEST(crowded)
{
    program_run_ends(0, "$M gen --side 16 --pattern hotspot -o $T/set");
    for (int i = 0; i < SIZES; i++)
        check_same("route $T/set -q --router replicate", RANKS[i], 1);
}
END_TEST

START_TEST(kernels)
{
    char command[128];
    snprintf(command, sizeof command, "kernel %s --side 33 --seed 5",
             meshcast_command_value_at("kernel", NULL, (uint32_t)_i));
    check_all(command, _i + 1);
}
END_TEST

/* tables for people, help, messages on standard error */
START_TEST(texts)
{
    static const char *const commands[] = {"route $T/set --router trees --heatmap $T/map.csv",
                                           "kernel sort --side 16",
                                           "route - --router trees <$T/set",
                                           "--help",
                                           "help",
                                           "help route",
                                           "route --help",
                                           "--version"};
    make_set();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        program_run_ends(0,
                         "$M %s 2>$T/3 | " WITHOUT_TIMES
                         " >$T/1; $R 3 $P %s 2>$T/4 | " WITHOUT_TIMES " >$T/2; "
                         "test -s $T/1 && cmp $T/1 $T/2 && cmp $T/3 $T/4",
                         commands[i], commands[i]);
    }
}
END_TEST

/* A user who gives no number of threads per rank gets no more than the cores, or one. */
START_TEST(threads)
{
    program_run_ends(0, "$R 2 $P kernel sort --side 256 --json | sed -n 's/.*\"threads\": "
                        "\\([0-9]*\\).*/\\1/p' >$T/1; "
                        "read t <$T/1 && { test $t = 1 || test $((2 * t)) -le $(nproc); }");
}
END_TEST

/* ---- ranks that cannot go on ---- */

#define ONE_RANK                                                                                   \
    "runs on one rank, not on 3: start it without mpirun; commands that run on several are "       \
    "route, kernel, help ("

static const struct wrong_case {
    const char *command;
    int ranks, status;
    const char *message; /* NULL: that of the program without MPI, whose status it also has */
} wrong_cases[] = {
    {"", 3, 2, "usage: meshcast COMMAND [options] [files]"},
    {"rout", 3, 2, NULL},
    {"route $T/set --router trees --threds 2", 2, 2, NULL},
    {"route $T/set --router tree", 3, 2, NULL},
    {"route $T/none --router trees", 3, 4, NULL},
    {"route $T/bad --router trees", 3, 3, NULL},
    {"route $T/set --router trees --buffer 1", 3, 1, NULL},
    {"kernel route --side 33 --k 4 --buffer 1", 3, 1, NULL},
    {"route $T/set --router trees --trace /dev/full", 3, 4, NULL},
    {"route $T/set --router trees --trace $T/none/trace", 3, 4, NULL},
    {"route $T/small --router trees", 3, 2, "more ranks (3) than rows of the mesh (2)"},
    {"kernel sort --side 2", 3, 2, "more ranks (3) than rows of the mesh (2)"},
    {"info $T/set", 3, 2, ONE_RANK},
    {"network $T/set --scheme dual", 3, 2, ONE_RANK},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1", 3, 2, ONE_RANK},
    {"gen --side 9 --pattern uniform", 3, 2, ONE_RANK},
    {"route $T/set --router trees --view $T/page", 3, 2, "--view needs one rank, not 3"},
    {"route $T/set --router trees --without $T/none", 3, 2, "--without needs one rank, not 3"},
    {"route $T --router trees", 3, 4, NULL},
    {"route $T/cut --router trees", 3, 3, NULL},
    {"route - --router trees </dev/null", 3, 3, NULL},
};
enum { WRONG_CASES = sizeof wrong_cases / sizeof *wrong_cases };

/* one message and the status, on all ranks: mpirun ends */
START_TEST(wrong)
{
    const struct wrong_case *row = &wrong_cases[_i];
    make_set();
    program_run_file("bad", "mcast 1 4 4\n0 16\n");
    program_run_file("small", "mcast 1 2 2\n0 3\n");
    program_run("gzip <$T/set | head -c 999 >$T/cut");
    const struct outcome *run =
        program_run_ends(0,
                         "$M %s 2>$T/1; s=$?; $R %d $P %s >/dev/null 2>$T/2; t=$?; grep "
                         "'^\\(meshcast\\|usage\\)' $T/2 >$T/3; "
                         "cat $T/3 >&2; test $(wc -l <$T/3) = 1 && test $t = %d && { %s; }",
                         row->command, row->ranks, row->command, row->status,
                         row->message == NULL ? "test $s = $t && cmp $T/1 $T/3" : "true");
    if (row->message != NULL)
        ck_assert_msg(strstr(run->err, row->message) != NULL, "%s: %s", row->command, run->err);
}
END_TEST

/* Tasks of Slurm's srun that do not know of each other say so; what a task starts, such as a shell,
 * runs alone, as does the one task of a step, and a batch script. OpenMPI looks at some of Slurm's
 * variables, which are therefore not given. */
START_TEST(tasks)
{
    static const struct {
        const char *variables, *start;
        int status;
    } row[] = {{"SLURM_STEP_NUM_TASKS=4", "exec", 2},
               {"SLURM_STEP_NUM_TASKS=4", "command", 0},
               {"SLURM_STEP_NUM_TASKS=1", "exec", 0},
               {"SLURM_NTASKS=4", "exec", 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct outcome *run = program_run_ends(
            row[i].status, "%s sh -c 'SLURM_TASK_PID=$$ %s \"$P\" --version; exit $?'",
            row[i].variables, row[i].start);
        ck_assert_int_eq(strstr(run->err, "srun started 4 programs that do not know") != NULL,
                         row[i].status == 2);
    }
}
END_TEST

/* Starts 3 ranks, of which rank 1 first executes `first`. */
static const struct outcome *run_after(const char *first, const char *command)
{
    program_run_file("rank", "test \"${PMI_RANK-$OMPI_COMM_WORLD_RANK}\" != 1 || eval \"$1\"\n"
                             "shift\nexec \"$P\" \"$@\"\n");
    return program_run("$R 3 sh $T/rank '%s' %s", first, command);
}

static const char *const large[] = {"kernel sort --side 4000", "route $T/set --router replicate"};
enum { LARGE = sizeof large / sizeof *large };

/* a rank without memory says so, and all end */
START_TEST(memory)
{
    const char *command = large[_i];
    if (strstr(command, "$T/set") != NULL)
        program_run_ends(0, "$M gen --side 1800 --pattern permutation -o $T/set");
    const struct outcome *run = run_after("ulimit -v 700000", command);
    ck_assert_msg(run->status == 4, "%s%s", run->out, run->err);
    ck_assert_msg(strstr(run->err, "memory") != NULL, "%s", run->err);
    const char *text = strstr(run->err, "meshcast ");
    ck_assert_msg(text != NULL && strstr(text + 1, "\nmeshcast ") == NULL, "%s", run->err);
}
END_TEST

/* A rank that is killed takes the others with it. All wait for rank 0, which writes into a pipe
 * that nobody reads any more once there is something in it. */
START_TEST(killed)
{
    program_run_ends(0, "mkfifo $T/pipe");
    const struct outcome *run = run_after(
        "echo $$ >$T/own; mv $T/own $T/pid",
        "kernel sort --side 200 --trace $T/pipe & s=$!; exec 3<$T/pipe; "
        "head -c 1 <&3 >$T/byte; until test -e $T/pid; do :; done; kill -9 $(cat $T/pid); "
        "wait $s; s=$?; exec 3<&-; exit $s");
    ck_assert_msg(run->status != 0, "%s%s", run->out, run->err);
}
END_TEST

void mpi_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, set_up, program_run_teardown);
    tcase_add_loop_test(tcase, seam, 0, SIZES);
    tcase_add_loop_test(tcase, routers, 0, program_run_values("route", "router"));
    tcase_add_loop_test(tcase, homes, 0, program_run_values("route", "router"));
    tcase_add_test(tcase, crowded);
    tcase_add_loop_test(tcase, kernels, 0, program_run_values("kernel", NULL));
    tcase_add_test(tcase, texts);
    tcase_add_test(tcase, threads);
    tcase_add_loop_test(tcase, wrong, 0, WRONG_CASES);
    tcase_add_test(tcase, tasks);
    tcase_add_loop_test(tcase, memory, 0, LARGE);
    tcase_add_test(tcase, killed);
}
