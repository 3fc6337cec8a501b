/* command_sweep.c - `meshcast sweep`: a cross product of runs, each a row in an SQLite file.
 *
 * The runs are in lab/sweep_plan.c; their distribution among processes, and the reason why nothing
 * is lost when one is killed, in lab/sweep_run.c; the stored rows in lab/results_database.c.
 *
 * The status is that of all runs of the request, whenever they were stored: a sweep that is given
 * again ends as it ended before, as make's users expect of a target that is not right yet. 0 all
 * stored (runs that were refused too), 1 a run failed its check, 2 all runs were refused, 4 the
 * system failed; an interrupted sweep ends by its signal, as shells expect.
 */
#include "base/printable.h"
#include "lab/lab.h"
#include "lab/results_database.h"
#include "lab/sweep.h"
#include "library/adversary_graph.h"
#include "library/report_parts.h"
#include "library/run_options.h"
#include "library/set_options.h"

#include <inttypes.h>
#include <stdlib.h>

struct sweep_options {
    struct sweep_request request;
    const char *database;
    uint32_t jobs, threads;
    bool dry_run;
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

/* A row of a list. */
#define LIST(option, word, shown, place, reader, text)                                             \
    OPTION_ROW(option, word, shown, struct sweep_options, request.list[place], OTHER, text),       \
        .accept = reader

static const struct meshcast_option rows[] = {
    OPTION_INPUT("db", "FILE", COMMON, struct sweep_options, database,
                 "the database; created, or continued if it exists"),
    OPTION_LIST("routers", "router", "A,B,...", COMMON, struct sweep_options,
                request.list[SWEEP_ROUTERS], accept_words, &router_names,
                "which routers, or plugins (./FILE.so); the default is all of them"),
    OPTION_LIST("pattern", NULL, "P,...", COMMON, struct sweep_options,
                request.list[SWEEP_PATTERNS], accept_words, &pattern_names, "patterns of 'gen'"),
    {LIST("side", "M,...", COMMON, SWEEP_MESHES, accept_numbers,
          "sides of the patterns' meshes; 20x31 is a mesh of 20 rows and 31 columns")},
    {LIST("degree", "D,...", RARE, SWEEP_DEGREES, accept_numbers,
          "degrees of the patterns; each has a default")},
    {LIST("congestion", "C,...", COMMON, SWEEP_CONGESTIONS, accept_numbers,
          "congestions of the patterns; each has a default")},
    {LIST("per-node", "L,...", RARE, SWEEP_PER_NODES, accept_numbers,
          "messages per node of the patterns, see 'gen'; the default is the pattern's")},
    {LIST("against", "GRAPH,...", RARE, SWEEP_GRAPHS, accept_words,
          "pattern adversary: its graphs, files of 'meshcast expander make'"),
     .is_list = true, .is_file = true},
    {LIST("against-share", "all,1/8,...", RARE, SWEEP_SHARES, accept_words,
          "pattern adversary: its shares of a graph's groups, see --share of 'gen'"),
     .is_list = true, .choices = adversary_share_names},
    {LIST("algorithm", "ring,tree,...", RARE, SWEEP_ALGORITHMS, accept_words,
          "collectives: their algorithms, see 'gen'"),
     .is_list = true, .choices = collective_algorithm_names + 1},
    {LIST("set", "FILE,...", COMMON, SWEEP_FILES, accept_words,
          "message sets, besides patterns or instead of them"),
     .is_list = true, .is_file = true},
    {LIST("without", "none,FILE,...", RARE, SWEEP_BROKEN, accept_words,
          "broken meshes, of patterns and sets: what each lacks, see 'gen'; none: nothing"),
     .is_list = true, .is_file = true},
    OPTION_NUMBER("seeds", "N", COMMON, struct sweep_options, request.seeds, 1, MOST_SEEDS,
                  "N seeds, each for a pattern and the router on it; the default is 1"),
    OPTION_SEED(RARE, struct sweep_options, request.first_seed,
                "the first seed, decimal or 0x...; the default is 0"),
    {LIST("copy", "unit,free", RARE, SWEEP_COPIES, accept_words,
          "what a copy costs; the default is unit"),
     .is_list = true, .choices = run_copy_names},
    {LIST("buffer", "B,...", RARE, SWEEP_BUFFERS, accept_numbers,
          "packets that a node can hold; the default is the router's own bound")},
    {OPTION_ROW("param", "NAME=V,...", RARE, struct sweep_options, request.constants, OTHER,
                "values of a constant of the routers that have it"),
     .accept = accept_constant, .is_list = true, .is_parameter = true},
    {OPTION_ROW("jobs", "J", COMMON, struct sweep_options, jobs, NUMBER,
                "J runs at once; the default is 1"),
     .letter = 'j', .least = 1, .most = MOST_JOBS},
    OPTION_NUMBER("threads", "T", RARE, struct sweep_options, threads, 1, MOST_THREADS,
                  "of each run; the default is 1"),
    OPTION_OTHER("share", "K/N", RARE, struct sweep_options, request, accept_part,
                 "only the K-th of N parts of the runs, K = 1 to N, for N jobs of a cluster"),
    {OPTION_ROW("dry-run", NULL, COMMON, struct sweep_options, dry_run, FLAG,
                "only list the runs, and which of them are stored"),
     .letter = 'n'},
};

/* ---- the list of a dry run ---- */

/* Appends the run to the rows for programs: the columns of the view `run` that are known before the
 * run. */
static void append_run(json_t **list, const struct sweep_case *run, const char *state)
{
    static const struct {
        const char *key;
        enum sweep_list axis;
    } numbers[] = {{"asked_degree", SWEEP_DEGREES},
                   {"asked_congestion", SWEEP_CONGESTIONS},
                   {KEY_BUFFER_CAPACITY, SWEEP_BUFFERS}};
    struct report_object row = report_object_open();
    report_set_word(&row, "state", state);
    report_set(&row, "workload", report_json_text(run->subject->name));
    report_set_count(&row, "rows", run->mesh.rows);
    report_set_count(&row, "cols", run->mesh.cols);
    for (int i = 0; i < 3; i++) {
        const char *value = run->value[numbers[i].axis];
        if (i == 2) {
            report_set_word(&row, "router", run->method->router->name);
            report_set(&row, "parameters", report_json_text(run->method->text));
        }
        report_set_nonzero(&row, numbers[i].key, value == NULL ? 0 : strtoull(value, NULL, 10));
    }
    report_set_word(&row, "copy", run->value[SWEEP_COPIES]);
    report_set_seed(&row, run->seed);
    report_append(list, report_object_close(&row));
}

static enum failure_kind list_runs(const struct sweep_settings *settings,
                                   const struct sweep_plan *plan, struct meshcast_report *report,
                                   struct failure *failure)
{
    uint64_t stored = 0;
    bool is_for_people = settings->command->table != NULL;
    uint8_t *is_there = memory_allocate(plan->runs, sizeof *is_there);
    json_t *list = json_array();
    char text[SWEEP_IDENTITY_SIZE];
    if (is_there == NULL)
        fail_memory(failure, "the runs of the sweep");
    else
        sweep_find_stored(plan, settings, is_there, failure);
    for (uint64_t i = 0; i < plan->runs && failure->kind == FAIL_NONE; i++) {
        struct sweep_case run = sweep_plan_case(plan, i);
        const char *state = is_there[i] ? "stored" : "to do";
        stored += is_there[i];
        if (!is_for_people) {
            append_run(&list, &run, state);
            continue;
        }
        sweep_case_describe(&run, text, sizeof text);
        printable_make(text);
        fprintf(command_table(report), "%-8s%s\n", state, text);
    }
    free(is_there);
    if (failure->kind != FAIL_NONE || is_for_people)
        json_decref(list);
    else
        report_take_json(report, list, NULL, failure);
    if (failure->kind == FAIL_NONE)
        command_note(settings->command, "%" PRIu64 " run%s, %" PRIu64 " stored, %" PRIu64 " to do",
                     plan->runs, plan->runs == 1 ? "" : "s", stored, plan->runs - stored);
    return failure->kind;
}

/* ---- the runs ---- */

static void note_outcome(const struct sweep_settings *settings, const struct sweep_plan *plan,
                         const struct sweep_outcome *outcome)
{
    uint64_t all = outcome->there + outcome->stored + outcome->others;
    char name[PRINTABLE_NAME], others[64] = "", bad[96] = "";
    printable_name(settings->path, name);
    if (outcome->others != 0)
        snprintf(others, sizeof others, ", %" PRIu64 " by other processes", outcome->others);
    if (outcome->failed + outcome->refused != 0)
        snprintf(bad, sizeof bad, " (%" PRIu64 " failed a check, %" PRIu64 " refused)",
                 outcome->failed, outcome->refused);
    command_note(settings->command,
                 "%s: %" PRIu64 " of %" PRIu64 " run%s stored: %" PRIu64 " before, %" PRIu64
                 " now%s%s",
                 name, all, plan->runs, plan->runs == 1 ? "" : "s", outcome->there, outcome->stored,
                 others, bad);
    if (outcome->is_interrupted)
        command_note(settings->command, "interrupted; the same command goes on from here");
    else if (all == plan->runs)
        command_note(settings->command, "'meshcast report %s' shows them", name);
}

/* Reports the counts to programs. */
static enum failure_kind take_outcome(const struct sweep_settings *settings,
                                      const struct sweep_plan *plan,
                                      const struct sweep_outcome *outcome,
                                      struct meshcast_report *report, struct failure *failure)
{
    struct report_object object = report_object_open();
    report_set(&object, "database", report_json_text(settings->path));
    report_set_count(&object, "runs", plan->runs);
    report_set_count(&object, "before", outcome->there);
    report_set_count(&object, "now", outcome->stored);
    report_set_count(&object, "others", outcome->others);
    report_set_count(&object, "failed", outcome->failed);
    report_set_count(&object, "refused", outcome->refused);
    return report_take_json(report, report_object_close(&object), NULL, failure);
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

static enum failure_kind do_runs(const struct sweep_settings *settings,
                                 const struct sweep_plan *plan, struct meshcast_report *report,
                                 struct failure *failure)
{
    struct sweep_outcome outcome;
    lab_signals.hold();
    sweep_run(plan, settings, &outcome, failure);
    if (!outcome.is_lost && (failure->kind == FAIL_NONE || outcome.stored != 0))
        note_outcome(settings, plan, &outcome);
    lab_signals.release();
    if (failure->kind == FAIL_NONE &&
        take_outcome(settings, plan, &outcome, report, failure) == FAIL_NONE &&
        !outcome.is_interrupted)
        judge(&outcome, plan->runs, settings->path, failure);
    return failure->kind;
}

static int run_sweep(struct meshcast_command *command, struct meshcast_report *report,
                     struct failure *failure)
{
    const struct sweep_options *options = command->options;
    struct sweep_plan plan;
    struct sweep_settings settings = {.command = command,
                                      .path = options->database,
                                      .threads = options->threads == 0 ? 1 : options->threads};
    if (options->database == NULL)
        return fail(failure, FAIL_USAGE, "missing --db FILE: where the results go");
    if (sweep_plan_make(&plan, &options->request, command, failure) != FAIL_NONE)
        return failure->kind;
    settings.jobs = options->jobs == 0 ? 1 : options->jobs;
    if (plan.runs < settings.jobs)
        settings.jobs = plan.runs == 0 ? 1 : (uint32_t)plan.runs;
    (options->dry_run ? list_runs : do_runs)(&settings, &plan, report, failure);
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
        "\n--csv and --json print how many runs were stored before and now; with --dry-run, the "
        "list.\n"
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
    .operands = "only options, and commas within lists",
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {pattern_input_rows + 1, PATTERN_INPUT_ROWS - 2,
                 offsetof(struct sweep_options, request.inputs)}},
    .offer_parameters = run_offer_parameters,
    .print_more = print_more,
    .topics = "'meshcast help routers'",
    .ends_early = true,
    .options_size = sizeof(struct sweep_options),
    .run = run_sweep,
};
