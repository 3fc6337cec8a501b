/* command_sweep.c - `meshcast sweep`: a cross product of runs, each a row in an SQLite file.
 *
 * Which runs: lab/sweep_plan.c. How they are shared among processes, and why nothing is lost when
 * one is killed: lab/sweep_run.c, lab/sweep_worker.c. What is stored: lab/results_schema.c.
 *
 * The status tells of all runs of the request, whenever they were stored: a sweep that is given
 * again ends as it ended before, as make's users expect of a target that is not right yet. 0 all
 * stored (runs that were refused too), 1 a run failed its check, 2 all runs were refused, 4 the
 * system failed; an interrupted sweep ends by its signal, as shells expect.
 */
#include "base/printable.h"
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/memory_option.h"
#include "lab/sweep_run.h"
#include "library/adversary_graph.h"
#include "library/report_parts.h"
#include "library/run_options.h"
#include "library/set_options.h"
#include "workloads/pattern.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

struct sweep_options {
    struct sweep_request request;
    const char *database;
    uint32_t jobs, threads;
    bool dry_run, csv, quiet;
};

enum { MOST_JOBS = 1024, MOST_SEEDS = 1000000, MOST_THREADS = 1024, MOST_PARTS = 1000000 };

/* Parses "K/N". */
static int accept_part(void *field, char *value, struct failure *failure)
{
    struct sweep_request *request = field;
    const char *end;
    uint32_t part = option_scan_number(value, MOST_PARTS, &end);
    request->parts = *end == '/' ? option_scan_number(end + 1, MOST_PARTS, &end) : 0;
    if (*end != '\0' || part == 0 || part > request->parts)
        return fail(failure, FAIL_USAGE,
                    "--share takes K/N with 1 <= K <= N <= %d, such as 3/16, not '%.40s'",
                    MOST_PARTS, value);
    request->part = part - 1;
    return FAIL_NONE;
}

#define REQUEST(field) offsetof(struct sweep_options, request.field)

static const struct meshcast_option rows[] = {
    {.name = "db",
     .value = "FILE",
     .is_common = true,
     .help = "the database; created, or continued if it exists",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct sweep_options, database),
     .is_file = true},
    {.name = "routers",
     .alias = "router",
     .value = "A,B,...",
     .is_common = true,
     .help = "which routers, or plugins (./FILE.so); the default is all of them",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(routers),
     .accept = accept_list_routers,
     .names = &router_names,
     .is_list = true},
    {.name = "pattern",
     .value = "P,...",
     .is_common = true,
     .help = "patterns of 'gen'",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(patterns),
     .accept = accept_list_patterns,
     .names = &pattern_names,
     .is_list = true},
    {.name = "side",
     .value = "M,...",
     .is_common = true,
     .help = "sides of the patterns' meshes; 20x31 is a mesh of 20 rows and 31 columns",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(meshes),
     .accept = accept_list_meshes},
    {.name = "degree",
     .value = "D,...",
     .help = "degrees of the patterns; each has a default",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(degrees),
     .accept = accept_list_degrees},
    {.name = "congestion",
     .value = "C,...",
     .is_common = true,
     .help = "congestions of the patterns; each has a default",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(congestions),
     .accept = accept_list_congestions},
    {.name = "per-node",
     .value = "L,...",
     .help = "messages per node of the patterns, see 'gen'; the default is the pattern's",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(per_nodes),
     .accept = accept_list_per_nodes},
    {.name = "against",
     .value = "GRAPH,...",
     .help = "pattern adversary: its graphs, files of 'meshcast expander make'",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(graphs),
     .accept = accept_list_graphs,
     .is_list = true,
     .is_file = true},
    {.name = "against-share",
     .value = "all,1/8,...",
     .help = "pattern adversary: its shares of a graph's groups, see --share of 'gen'",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(shares),
     .accept = accept_list_shares,
     .choices = adversary_share_names,
     .is_list = true},
    {.name = "set",
     .value = "FILE,...",
     .is_common = true,
     .help = "message sets, besides patterns or instead of them",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(files),
     .accept = accept_list_files,
     .is_list = true,
     .is_file = true},
    {.name = "seeds",
     .value = "N",
     .is_common = true,
     .help = "so many seeds, each for a pattern and the router on it; the default is 1",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = REQUEST(seeds),
     .least = 1,
     .most = MOST_SEEDS},
    {.name = "seed",
     .value = "S",
     .help = "the first seed, decimal or 0x...; the default is 0",
     .type = MESHCAST_OPTION_SEED,
     .offset = REQUEST(first_seed)},
    {.name = "copy",
     .value = "unit,free",
     .help = "what a copy costs; the default is unit",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(copies),
     .accept = accept_list_copies,
     .choices = run_copy_names,
     .is_list = true},
    {.name = "buffer",
     .value = "B,...",
     .is_common = true,
     .help = "packets that a node can hold; the default is the router's own bound",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(buffers),
     .accept = accept_list_buffers},
    {.name = "param",
     .value = "NAME=V,...",
     .help = "values of a constant of the routers that have it",
     .type = MESHCAST_OPTION_OTHER,
     .offset = REQUEST(constants),
     .accept = accept_list_constant,
     .is_list = true,
     .is_parameter = true},
    {.name = "jobs",
     .letter = 'j',
     .value = "J",
     .is_common = true,
     .help = "so many runs at once; the default is 1",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct sweep_options, jobs),
     .least = 1,
     .most = MOST_JOBS},
    {.name = "threads",
     .value = "T",
     .help = "of each run; the default is 1",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct sweep_options, threads),
     .least = 1,
     .most = MOST_THREADS},
    {.name = "share",
     .value = "K/N",
     .help = "only the K-th of N parts of the runs, K = 1 to N, for N jobs of a cluster",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct sweep_options, request),
     .accept = accept_part},
    {.name = "dry-run",
     .letter = 'n',
     .is_common = true,
     .help = "only list the runs, and which of them are stored",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct sweep_options, dry_run)},
    {.name = "csv",
     .help = "with --dry-run: the list as CSV, below a line with the columns' names",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct sweep_options, csv)},
    {.name = "quiet",
     .letter = 'q',
     .help = "nothing on standard error but errors",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct sweep_options, quiet)},
    MEMORY_OPTION_ROW,
};

static void print_run(const struct sweep_case *run, bool is_stored)
{
    char text[SWEEP_IDENTITY_SIZE];
    sweep_case_describe(run, text, sizeof text);
    printable_make(text);
    printf("%-8s%s\n", is_stored ? "stored" : "to do", text);
}

/* Prints a number that was asked for, or an empty field. */
static void print_asked(const char *value)
{
    printf(",%s", value == NULL ? "" : value);
}

/* A field a column of the database's table `run` that is known before the run. */
static void print_csv_run(const struct sweep_case *run, bool is_stored)
{
    printf("%s,", is_stored ? "stored" : "to do");
    report_print_csv_text(run->subject->name, stdout);
    printf(",%" PRIu32 ",%" PRIu32, run->mesh.rows, run->mesh.cols);
    print_asked(run->degree);
    print_asked(run->congestion);
    printf(",%s,", run->method->router->name);
    report_print_csv_text(run->method->text, stdout);
    print_asked(run->buffer);
    printf(",%s,%" PRIu64 "\r\n", run->copy, run->seed);
}

static enum failure_kind list_runs(const struct sweep_options *options,
                                   const struct sweep_plan *plan, struct failure *failure)
{
    uint64_t stored = 0;
    uint8_t *is_there = memory_allocate(plan->runs, sizeof *is_there);
    if (is_there == NULL)
        return fail_memory(failure, "the runs of the sweep");
    if (sweep_find_stored(plan, options->database, options->quiet, is_there, failure) ==
        FAIL_NONE) {
        if (options->csv)
            fputs("state,workload,rows,cols,asked_degree,asked_congestion,router,parameters,"
                  "buffer_capacity,copy,seed\r\n",
                  stdout);
        for (uint64_t i = 0; i < plan->runs; i++) {
            struct sweep_case run = sweep_plan_case(plan, i);
            (options->csv ? print_csv_run : print_run)(&run, is_there[i]);
            stored += is_there[i];
        }
        if (!options->quiet)
            fprintf(stderr, "%" PRIu64 " runs, %" PRIu64 " stored, %" PRIu64 " to do\n", plan->runs,
                    stored, plan->runs - stored);
    }
    free(is_there);
    return failure->kind;
}

static void print_outcome(const struct sweep_options *options, const struct sweep_plan *plan,
                          const struct sweep_outcome *outcome)
{
    uint64_t all = outcome->there + outcome->stored + outcome->others;
    char name[PRINTABLE_NAME];
    if (options->quiet)
        return;
    printable_name(options->database, name);
    fprintf(stderr,
            "%s: %" PRIu64 " of %" PRIu64 " runs stored: %" PRIu64 " before, %" PRIu64 " now", name,
            all, plan->runs, outcome->there, outcome->stored);
    if (outcome->others != 0)
        fprintf(stderr, ", %" PRIu64 " by other processes", outcome->others);
    if (outcome->failed + outcome->refused != 0)
        fprintf(stderr, " (%" PRIu64 " failed a check, %" PRIu64 " refused)", outcome->failed,
                outcome->refused);
    fputc('\n', stderr);
    if (outcome->interrupted != 0)
        fputs("interrupted; the same command goes on from here\n", stderr);
    else if (all == plan->runs)
        fprintf(stderr, "'meshcast report %s' shows them\n", name);
}

static enum failure_kind judge(const struct sweep_outcome *outcome, uint64_t runs, const char *path,
                               struct failure *failure)
{
    if (outcome->there + outcome->stored + outcome->others + outcome->undone < runs)
        return fail(failure, FAIL_SYSTEM,
                    "a process of the sweep ended early; the same command goes on from here");
    failure->is_memory_limit = outcome->undone != 0 && outcome->why_undone.is_memory_limit;
    if (outcome->undone != 0)
        return fail(failure, outcome->why_undone.kind,
                    "runs that could not be done and are not stored: %" PRIu64 "; %.300s",
                    outcome->undone, outcome->why_undone.text);
    if (outcome->failed != 0)
        return fail(failure, FAIL_CHECK,
                    "runs that failed a check: %" PRIu64 "; 'meshcast report %.200s' says why",
                    outcome->failed, path);
    if (runs > 0 && outcome->refused == runs)
        return fail(failure, FAIL_USAGE,
                    "no router runs with these options; the reasons are in the last table of "
                    "'meshcast report %.200s'",
                    path);
    return FAIL_NONE;
}

/* No more than there are runs. */
static uint32_t jobs_for(const struct sweep_options *options, const struct sweep_plan *plan)
{
    uint32_t jobs = options->jobs > 0 ? options->jobs : 1;
    return plan->runs > jobs ? jobs : plan->runs > 0 ? (uint32_t)plan->runs : 1;
}

static uint32_t threads_of(const struct sweep_options *options)
{
    return options->threads == 0 ? 1 : options->threads;
}

static enum failure_kind do_runs(const struct sweep_options *options, const struct sweep_plan *plan,
                                 struct failure *failure)
{
    struct sweep_outcome outcome;
    struct sweep_settings settings = {.path = options->database,
                                      .jobs = jobs_for(options, plan),
                                      .threads = threads_of(options),
                                      .quiet = options->quiet};
    sweep_run(plan, &settings, &outcome, failure);
    if (!outcome.lost && (failure->kind == FAIL_NONE || outcome.stored != 0))
        print_outcome(options, plan, &outcome);
    if (outcome.interrupted != 0 && failure->kind == FAIL_NONE)
        interruption_end(outcome.interrupted);
    return failure->kind == FAIL_NONE ? judge(&outcome, plan->runs, options->database, failure)
                                      : failure->kind;
}

enum failure_kind command_sweep_run(void *options, const struct operands *operands,
                                    struct failure *failure)
{
    struct sweep_options *sweep = options;
    struct sweep_plan plan;
    (void)operands;
    if (sweep->csv && !sweep->dry_run)
        return fail(failure, FAIL_USAGE,
                    "--csv is for the list of --dry-run; 'meshcast report --csv' prints results");
    if (sweep->database == NULL)
        return fail(failure, FAIL_USAGE, "missing --db FILE: where the results go");
    if (sweep_plan_make(&plan, &sweep->request, failure) != FAIL_NONE)
        return failure->kind;
    if (sweep->dry_run)
        list_runs(sweep, &plan, failure);
    else
        do_runs(sweep, &plan, failure);
    sweep_plan_free(&plan);
    return failure->kind;
}

static void print_more(FILE *out)
{
    fputs(
        "\nEvery combination is a run, and every run a row of the database, stored as it ends:\n"
        "views run, phase, parameter have the figures of 'route --json' as columns. A sweep\n"
        "that was interrupted, or killed in any way, goes on when the same command is given\n"
        "again; two sweeps may work on one database at once. A run that is refused (parameters\n"
        "that do not fit) or fails a check (an overflow) is a row with its reason. Jobs of a\n"
        "cluster take --share 1/N to N/N, each with a database of its own, and 'report' reads\n"
        "them together.\n"
        "\nA list that is given again is added to: --router trees --router stream is the same as\n"
        "--router trees,stream. Files count by name, without folders, and by contents: a file "
        "that\n"
        "has changed is another one, and its runs are done anew.\n"
        "\nInterrupted once (Ctrl-C), a sweep finishes the runs under way; twice, it drops them.\n"
        "\nExit status: 0 all runs are stored; 1 a run failed a check; 2 wrong usage, or all\n"
        "runs were refused; 3 FILE is no database of results; 4 the system failed (FILE cannot\n"
        "be written or was removed, disk full); what was stored before stays. The status is that\n"
        "of all runs asked for, those that were stored before included.\n",
        out);
}

const struct meshcast_command_row command_sweep = {
    .name = "sweep",
    .summary = "run every combination of parameters, results in a database",
    .examples =
        "  meshcast sweep --router replicate,stream --pattern uniform,worst \\\n"
        "                 --side 16,32 --congestion 4,16 --seeds 3 --db results.db -j 2\n"
        "  meshcast sweep --set west.mcast --copy unit,free --db results.db --dry-run\n"
        "  meshcast sweep --router random --param variant=paper --param r=2,3 \\\n"
        "                 --pattern uniform --side 32 --db results.db\n"
        "  meshcast expander make --inputs 256 --c 16 --r 4 -o g.expander\n"
        "  meshcast sweep --router expander,stream --pattern adversary --side 32 \\\n"
        "                 --congestion 16 --against g.expander --param graph=g.expander \\\n"
        "                 --db results.db\n"
        "  meshcast sweep --pattern moe,uniform --experts 60 --per-node 1,4,16 \\\n"
        "                 --side 16 --router trees,replicate --copy free --db results.db\n"
        "  meshcast report results.db\n",
    .synopsis = "--db FILE --pattern P,.. --side M,.. | --set FILE,.. [options]",
    .operands = "options alone, and commas within lists",
    .options_size = sizeof(struct sweep_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {pattern_input_rows + 1, PATTERN_INPUT_ROWS - 1, REQUEST(inputs)}},
    .offer_parameters = run_offer_parameters,
    .print_more = print_more,
    .topics = "'meshcast help routers'",
};
