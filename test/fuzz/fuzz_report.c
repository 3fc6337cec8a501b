/* fuzz_report.c - `report`, and the queries of `sweep`, on databases that lie.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. Behind the head (test/fuzz/faults.h; see below) two bytes
 * choose the action and the place, and the rest is the database:
 *   - a file as it is, byte for byte, with a WAL beside it where the magic number of one comes; or
 *   - rows (test/fuzz/rows.h), with values of any type where a right database has others.
 * Each table, format and plot of `report` comes, of runs and of points of load, the same file
 * twice, and opening to write, finding a run, adding one.
 *
 * The output must keep the promises of its format: JSON that a parser takes, CSV with as many
 * fields in each line, text without control characters. A failure is one printable line, of a kind
 * that fits: FAIL_SYSTEM needs a fault or a lock.
 *
 * FUZZ_READ, FUZZ_FULL and FUZZ_OPEN fail SQLite's reads, writes (a full disk) and opens;
 * FUZZ_ALLOCATION meshcast's allocations, or with FUZZ_OWN SQLite's, where what the second byte
 * holds beside the place adds 63 to the head's number each time.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "cli/command.h"
#include "lab/lab.h"
#include "lab/results_database.h"
#include "lab/results_plot.h"
#include "test/fuzz/faults.h"
#include "test/fuzz/rows.h"
#include "test/fuzz/sqlite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { MOST_WORDS = 8 };

/* The beginning of the input. */
enum {
    ACTION_PLOT = 16,
    ACTION_WRITE = 19,
    ACTION_LOOK = 20,
    ACTIONS = 21,
    ACTION_LOAD = ACTIONS, /* three: CSV, JSON, text */
    ACTION_JOIN = 24,
    ACTION_EXTRA = 59, /* chooses ACTION_LOAD and the actions after it */
    ACTION_PARETO = 63,
    ACTION_RAW = 64,
    ACTION_LOCK = 128
};
enum {
    PLACE_FILE,
    PLACE_STRANGE,
    PLACE_WHOLE,
    PLACE_NONE,
    PLACE_FOLDER,
    PLACE_NO_FOLDER,
    PLACE_DEVICE,
    PLACE_UNDER,
    PLACES
};

static const char *const words[][MOST_WORDS] = {
    {NULL},
    {"--csv", NULL},
    {"--json", NULL},
    {"--markdown", NULL},
    {"--table", "fits", NULL},
    {"--table", "fits", "--csv", NULL},
    {"--table", "workloads", "--markdown", NULL},
    {"--router", "trees,random", NULL},
    {"--side", "8,4x4", "--congestion", "4", "--json", NULL},
    {"--copy", "free", "--csv", NULL},
    {"--router", "trees", "--pattern", "adversary", "--copy", "unit", NULL},
    {"--pattern", "set.mcast,uniform", "--table", "fits", NULL},
    {"--router", "tree", NULL},
    {"--csv", "--json", NULL},
    {"-o", "x.svg", NULL},
    {"--plot", "ratio", "--csv", NULL},
    {"--table", "load", "--csv", NULL}, /* ACTION_LOAD */
    {"--table", "load", "--json", NULL},
    {"--table", "load", NULL},
    {"--csv", NULL}, /* ACTION_JOIN */
};

/* PLACE_WHOLE: from the root. */
static char whole_name[4128];
static const char *const places[PLACES] = {"r.db",   "a%23?b#",      whole_name,  "none.db",
                                           "folder", "none/none.db", "/dev/null", "/dev/null/none"};

static struct {
    int home, scratch; /* folders; scratch 0: not yet made */
} here;

/* ---- the folder ---- */

static char scratch_name[4096];

static void remove_scratch(void)
{
    fuzz_require(fchdir(here.scratch) == 0);
    for (int i = 0; i < PLACES; i++) {
        char name[4160];
        static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
        for (int e = 0; e < 4 && i < PLACE_FOLDER; e++) {
            snprintf(name, sizeof name, "%s%s", places[i], ends[e]);
            unlink(name);
        }
    }
    rmdir("folder");
    fuzz_require(fchdir(here.home) == 0);
    rmdir(scratch_name);
}

static void prepare(void)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(scratch_name, sizeof scratch_name, "%s/fuzz-report-XXXXXX",
             temporary == NULL ? "/tmp" : temporary);
    here.home = open(".", O_RDONLY);
    fuzz_require(mkdtemp(scratch_name) != NULL && here.home >= 0);
    here.scratch = open(scratch_name, O_RDONLY);
    snprintf(whole_name, sizeof whole_name, "%s/%s", scratch_name, places[PLACE_FILE]);
    fuzz_require(here.scratch >= 0 && mkdirat(here.scratch, "folder", 0700) == 0);
    atexit(remove_scratch);
    fuzz_sqlite_prepare();
    lab_begin(NULL);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    fuzz_require(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
}

static void make_file(const char *name, const uint8_t *bytes, size_t size, bool is_raw,
                      bool is_load)
{
    static const uint8_t magic[] = {0x37, 0x7f, 0x06};
    char wal[4160];
    snprintf(wal, sizeof wal, "%s-wal", name);
    if (!is_raw) {
        uint8_t *database = fuzz_rows(bytes, size, is_load, &size);
        write_file(name, database, size);
        sqlite3_free(database);
        return;
    }
    for (size_t i = 0; i + sizeof magic <= size; i++)
        if (memcmp(bytes + i, magic, sizeof magic) == 0) {
            write_file(wal, bytes + i, size - i);
            size = i;
        }
    write_file(name, bytes, size);
}

/* ---- actions ---- */

static enum failure_kind report(const char *path, unsigned action, struct failure *failure)
{
    struct client_options options = {.json = false};
    char word[MOST_WORDS][32], *argv[MOST_WORDS + 1];
    int argc = 0;
    struct operands operands = {.command = meshcast_command_new("report", NULL)};
    if (operands.command == NULL)
        return fail_memory(failure, "a command");
    meshcast_command_set_program(operands.command, NULL, NULL);
    unsigned row = action < ACTION_PLOT ? action : ACTION_PLOT + action - ACTION_LOAD;
    for (; words[row][argc] != NULL; argc++) {
        snprintf(word[argc], sizeof word[argc], "%s", words[row][argc]);
        argv[argc] = word[argc];
    }
    char name[2][4128];
    for (int i = 0; i <= (action == ACTION_JOIN); i++) {
        snprintf(name[i], sizeof name[i], "%s", path);
        argv[argc++] = name[i];
    }
    if (command_line_read(argc, argv, command_find("report"), &options, &operands, failure) ==
        FAIL_NONE)
        client_run(&options, &operands, failure);
    meshcast_command_free(operands.command);
    return failure->kind;
}

static enum failure_kind plot(const char *path, enum plot_kind kind, struct failure *failure)
{
    static const struct results_selection all = {.routers = {0}};
    struct results_database database;
    struct results_groups groups;
    if (results_open(&database, path, RESULTS_READ, failure) != FAIL_NONE)
        return failure->kind;
    results_groups_read(&groups, &database, &all, failure);
    results_close(&database);
    for (int format = 0; format <= PLOT_TERMINAL && failure->kind == FAIL_NONE; format++) {
        struct chart chart;
        chart_begin(&chart, 1);
        if (plot_fill_chart(&chart, &groups, kind, failure) == FAIL_NONE)
            chart_write_script(&chart, (enum plot_format)format, stdout);
        if (chart.is_short)
            fail_memory(failure, "a picture");
        chart_free(&chart);
    }
    results_groups_free(&groups);
    return failure->kind;
}

/* As a sweep does; `moves`: the file is taken away meanwhile. */
static enum failure_kind find_and_add(const char *path, enum results_mode mode, bool moves,
                                      struct failure *failure)
{
    struct results_database database;
    int outcome = RESULTS_MISSING;
    char *stored = NULL;
    if (results_open(&database, path, mode, failure) != FAIL_NONE)
        return failure->kind;
    static const char figures[] =
        "{\"router\": \"trees\", \"steps\": 3, \"sqrt_cn\": 1.5, \"phases\": [{\"name\": \"go\", "
        "\"steps\": 3}], \"parameters\": {\"r\": \"3\", \"q\": 4}}";
    struct results_row row = {.key = "new",
                              .kind = RESULTS_RUN,
                              .state = RESULTS_DONE,
                              .specification = figures,
                              .figures = figures};
    if (!database.is_empty && results_find(&database, "3", &outcome, NULL, failure) == FAIL_NONE)
        results_find(&database, "none", &outcome, NULL, failure);
    if (failure->kind == FAIL_NONE && !database.is_empty)
        results_find(&database, "3", NULL, &stored, failure);
    free(stored);
    if (moves)
        unlink(path);
    if (failure->kind == FAIL_NONE && mode == RESULTS_WRITE)
        results_add(&database, &row, failure);
    results_close(&database);
    return failure->kind;
}

/* ---- output ---- */

static uint32_t fields_of_line(const char **at)
{
    uint32_t fields = 1;
    bool quoted = false;
    for (; **at != '\0' && (quoted || **at != '\r'); ++*at) {
        quoted ^= **at == '"';
        fields += !quoted && **at == ',';
    }
    fuzz_require(!quoted && strncmp(*at, "\r\n", 2) == 0);
    *at += 2;
    return fields;
}

static void check_text(const char *text, size_t size, unsigned action)
{
    bool is_csv =
        action == 1 || action == 5 || action == 9 || action == ACTION_LOAD || action == ACTION_JOIN;
    bool is_json = action == 2 || action == 8 || action == ACTION_LOAD + 1;
    fuzz_require(strlen(text) == size);
    for (const char *c = text; *c != '\0'; c++)
        fuzz_require((unsigned char)*c >= ' ' || *c == '\n' || (is_csv && *c == '\r'));
    if (is_json) {
        json_t *value = json_loads(text, 0, NULL);
        fuzz_require(action == ACTION_LOAD + 1 ? json_is_array(value) : json_is_object(value));
        json_decref(value);
    }
    for (uint32_t fields = 0; is_csv && *text != '\0';) {
        uint32_t here_too = fields_of_line(&text);
        fuzz_require(fields == 0 || fields == here_too);
        fields = here_too;
    }
}

static enum failure_kind act(const char *path, unsigned action, bool moves, struct failure *failure)
{
    if (action < ACTION_PLOT || (action >= ACTION_LOAD && action <= ACTION_JOIN))
        return report(path, action, failure);
    if (action < ACTION_WRITE)
        return plot(path, (enum plot_kind)(action - ACTION_PLOT), failure);
    if (action == ACTION_PARETO)
        return plot(path, PLOT_PARETO, failure);
    return find_and_add(path, action == ACTION_WRITE ? RESULTS_WRITE : RESULTS_LOOK, moves,
                        failure);
}

/* `locks`: another program has locked the file, or by FUZZ_STANDARD reads it. `allocation` of
 * SQLite's fails. */
static void run(const char *path, unsigned action, bool locks, unsigned allocation, unsigned flags)
{
    struct failure failure = {0};
    size_t size;
    sqlite3 *other = NULL;
    if (locks) {
        sqlite3_open(path, &other);
        locks = sqlite3_exec(other,
                             flags & FUZZ_STANDARD ? "BEGIN; SELECT * FROM sqlite_schema"
                                                   : "BEGIN EXCLUSIVE",
                             NULL, NULL, NULL) == SQLITE_OK;
    }
    fuzz_capture();
    fuzz_arm();
    fuzz_sqlite_arm(allocation);
    enum failure_kind kind = act(path, action, flags & FUZZ_FILE, &failure);
    bool has_struck = fuzz_sqlite_end();
    has_struck = fuzz_end() || has_struck || locks;
    char *text = fuzz_captured(&size);
    if (kind == FAIL_NONE && !has_struck)
        check_text(text, size, action);
    free(text);
    sqlite3_close(other);
    fuzz_require(kind == failure.kind && kind != FAIL_CHECK);
    bool is_file =
        path == places[PLACE_FILE] || path == places[PLACE_STRANGE] || path == whole_name;
    if (kind != FAIL_NONE)
        fuzz_require_failure(kind, &failure, has_struck || !is_file || (flags & FUZZ_FILE));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    unsigned flags, allocation = 0;
    if (here.scratch == 0)
        prepare();
    if (!fuzz_begin(&bytes, &length, &flags))
        return 0;
    unsigned number = bytes[-2] & 63u, action = length > 0 ? bytes[0] : 0;
    unsigned where = length > 1 ? bytes[1] : 0, place = where % PLACES;
    size_t passed = length < 2 ? length : 2;
    bool is_there = place <= PLACE_WHOLE;
    fuzz_require(fchdir(here.scratch) == 0);
    unsigned choice = action & 63u;
    unsigned what = choice == ACTION_PARETO  ? ACTION_PARETO
                    : choice >= ACTION_EXTRA ? ACTION_LOAD + choice - ACTION_EXTRA
                                             : choice % ACTIONS;
    if (is_there)
        make_file(places[place], bytes + passed, length - passed, action & ACTION_RAW,
                  what >= ACTION_LOAD && what < ACTION_JOIN);
    if (flags & FUZZ_OWN) {
        allocation = number + 63 * (where / PLACES);
        fuzz_end(); /* meshcast's calls do not fail then */
    }
    run(places[place], what, is_there && (action & ACTION_LOCK), allocation, flags);
    for (int i = 0; i < 3; i++) {
        static const char *const ends[] = {"", "-wal", "-shm"};
        char name[4160];
        snprintf(name, sizeof name, "%s%s", places[place], ends[i]);
        if (place < PLACE_FOLDER)
            unlink(name);
    }
    fuzz_require(fchdir(here.home) == 0);
    return 0;
}
