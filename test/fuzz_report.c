/* fuzz_report.c - `report`, and what `sweep` asks of its database, on databases that lie.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. Behind the head (test/fuzz_faults.h; see below) two bytes
 * choose what is done and where, and the rest is the database:
 *   - a file as it is, byte for byte, with a WAL beside it where the magic number of one comes; or
 *   - rows: a byte a column chooses what a right database would have there, or a value of any type.
 * Each table, format and plot of `report` comes, and opening to write, finding a run, adding one.
 *
 * What is printed must be what the format promises: JSON that a parser takes, CSV with as many fields
 * in each line, text without control characters. A failure is one printable line, of a kind that fits:
 * FAIL_SYSTEM needs a fault or a lock.
 *
 * FUZZ_READ, FUZZ_INTERRUPT and FUZZ_OPEN fail SQLite's reads, writes (a full disk) and opens;
 * FUZZ_ALLOCATION meshcast's allocations, or with FUZZ_OWN SQLite's, whose number is wished.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "cli/command.h"
#include "cli/results_database.h"
#include "cli/results_plot.h"
#include "cli/results_schema.h"
#include "test/fuzz_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { MOST_WORDS = 8, MOST_ROWS = 24, COLUMNS = 9 + RESULTS_FIGURES, MOST_OPTIONS = 1 << 16 };

/* What comes first in the input. */
enum {
    DEED_PLOT = 16,
    DEED_WRITE = 19,
    DEED_LOOK = 20,
    DEEDS = 21,
    DEED_RAW = 64,
    DEED_LOCK = 128
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

static const char *const words[DEED_PLOT][MOST_WORDS] = {
    {NULL},
    {"--csv", NULL},
    {"--json", NULL},
    {"--markdown", NULL},
    {"--table", "fits", NULL},
    {"--table", "fits", "--csv", NULL},
    {"--table", "workloads", "--markdown", NULL},
    {"--router", "trees,random", NULL},
    {"--pattern", "uniform", "--json", NULL},
    {"--copy", "free", "--csv", NULL},
    {"--router", "trees", "--pattern", "adversary", "--copy", "unit", NULL},
    {"--pattern", "set.mcast,uniform", "--table", "fits", NULL},
    {"--router", "tree", NULL},
    {"--csv", "--json", NULL},
    {"-o", "x.svg", NULL},
    {"--plot", "ratio", "--csv", NULL},
};

/* PLACE_WHOLE: from the root. */
static char whole_name[4128];
static const char *const places[PLACES] = {"r.db",   "a%23?b#",      whole_name,  "none.db",
                                           "folder", "none/none.db", "/dev/null", "/dev/null/none"};

static struct {
    int home, scratch; /* folders */
    sqlite3_vfs vfs;
    sqlite3_mem_methods memory;
    unsigned wished, left; /* allocations of SQLite's up to the one that fails */
    bool has_struck;
    int (*open)(const char *, int, int);
    sqlite3 *rows; /* in memory: the tables of results, empty */
} here;

/* ---- SQLite's calls ---- */

static bool sqlite_strikes(void)
{
    if (here.left == 0 || --here.left > 0)
        return false;
    here.has_struck = true;
    return true;
}

static void *allocate(int size)
{
    return sqlite_strikes() ? NULL : here.memory.xMalloc(size);
}

static void *resize(void *block, int size)
{
    return sqlite_strikes() ? NULL : here.memory.xRealloc(block, size);
}

static ssize_t read_at(int descriptor, void *bytes, size_t size, off_t at)
{
    errno = EIO;
    return fuzz_strikes(FUZZ_READ) ? -1 : pread(descriptor, bytes, size, at);
}

static ssize_t write_at(int descriptor, const void *bytes, size_t size, off_t at)
{
    errno = ENOSPC;
    return fuzz_strikes(FUZZ_INTERRUPT) ? -1 : pwrite(descriptor, bytes, size, at);
}

static int open_it(const char *path, int flags, int mode)
{
    errno = EACCES;
    return fuzz_strikes(FUZZ_OPEN) ? -1 : here.open(path, flags, mode);
}

/* Nobody waits for a lock here. */
static int do_not_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return microseconds;
}

static void take_calls(void)
{
    sqlite3_mem_methods memory;
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &here.memory);
    if (here.memory.xMalloc == NULL) {
        sqlite3_initialize();
        sqlite3_shutdown();
        sqlite3_config(SQLITE_CONFIG_GETMALLOC, &here.memory);
    }
    memory = here.memory;
    memory.xMalloc = allocate;
    memory.xRealloc = resize;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &memory);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* each allocation shows */
    sqlite3_initialize();
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    *(sqlite3_syscall_ptr *)&here.open = usual->xGetSystemCall(usual, "open");
    usual->xSetSystemCall(usual, "pread", (sqlite3_syscall_ptr)read_at);
    usual->xSetSystemCall(usual, "pread64", (sqlite3_syscall_ptr)read_at);
    usual->xSetSystemCall(usual, "pwrite", (sqlite3_syscall_ptr)write_at);
    usual->xSetSystemCall(usual, "pwrite64", (sqlite3_syscall_ptr)write_at);
    usual->xSetSystemCall(usual, "open", (sqlite3_syscall_ptr)open_it);
    here.vfs = *usual;
    here.vfs.zName = "fuzz";
    here.vfs.xSleep = do_not_sleep;
    sqlite3_vfs_register(&here.vfs, 1);
}

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
    take_calls();
    char *schema = results_schema_text();
    fuzz_require(schema != NULL && sqlite3_open(":memory:", &here.rows) == SQLITE_OK);
    fuzz_require(sqlite3_exec(here.rows, "PRAGMA page_size = 512", NULL, NULL, NULL) == SQLITE_OK);
    fuzz_require(sqlite3_exec(here.rows, schema, NULL, NULL, NULL) == SQLITE_OK);
    free(schema);
}

/* ---- the database ---- */

struct tape {
    const uint8_t *at, *end;
};

static uint8_t next(struct tape *tape)
{
    return tape->at < tape->end ? *tape->at++ : 0;
}

/* What a right database has in the column, of few kinds, so that groups have several runs. */
static void bind_right(sqlite3_stmt *row, int column, uint8_t choice, int number)
{
    static const char *const texts[][4] = {
        [1] = {"uniform", "adversary:g@1a2b", "set.mcast", "worst"},
        [3] = {"abcd", "abcd", "0123", "abcd"},
        [4] = {"", "r=3", "variant=rank", ""},
        [8] = {"0.1.0", "0.1.0", "0.1.0", "0.2.0"},
        [9] = {"trees", "random", "stream", "trees"},
        [10] = {"unit", "free", "unit", "unit"},
        [19] = {"", "unicast", "", ""},
        [RESULTS_FIGURES + 6] = {"", "overflow", "", "a check"},
        [RESULTS_FIGURES + 7] = {"done", "failed", "refused", "done"},
    };
    char identity[16];
    snprintf(identity, sizeof identity, "%d", number);
    if (column == 0)
        sqlite3_bind_text(row, column + 1, identity, -1, SQLITE_TRANSIENT);
    else if (column < (int)(sizeof texts / sizeof texts[0]) && texts[column][0] != NULL)
        sqlite3_bind_text(row, column + 1, texts[column][choice % 4], -1, SQLITE_STATIC);
    else
        sqlite3_bind_int(row, column + 1, 1 << choice % 8);
}

static void bind_lie(sqlite3_stmt *row, int column, uint8_t choice, struct tape *tape)
{
    static const double reals[] = {1e308, -1e308, 1e-320, 0.5, -0.0, 1e19, INFINITY, -INFINITY};
    static const sqlite3_int64 integers[] = {0,         -1,        INT64_MAX,       INT64_MIN,
                                             1LL << 32, 1LL << 31, (1LL << 32) + 8, 1000000007};
    int size = next(tape) % 48;
    if (size > tape->end - tape->at)
        size = (int)(tape->end - tape->at);
    switch (choice % 5) {
    case 0:
        sqlite3_bind_null(row, column + 1);
        break;
    case 1:
        sqlite3_bind_double(row, column + 1, reals[size % 8]);
        break;
    case 2:
        sqlite3_bind_int64(row, column + 1, integers[size % 8]);
        break;
    case 3:
        sqlite3_bind_text(row, column + 1, (const char *)tape->at, size, SQLITE_TRANSIENT);
        tape->at += size;
        break;
    default:
        sqlite3_bind_blob(row, column + 1, tape->at, size, SQLITE_TRANSIENT);
        tape->at += size;
    }
}

/* Fills the tables; a row that SQLite does not take is left out. */
static void write_rows(struct tape *tape)
{
    char sql[16 + 2 * COLUMNS + 64] = "INSERT OR IGNORE INTO run VALUES (NULL";
    sqlite3_stmt *row;
    for (int i = 0; i < COLUMNS - 1; i++)
        strcat(sql, ",?");
    strcat(sql, ")");
    fuzz_require(sqlite3_exec(here.rows, "DELETE FROM run", NULL, NULL, NULL) == SQLITE_OK);
    fuzz_require(sqlite3_prepare_v2(here.rows, sql, -1, &row, NULL) == SQLITE_OK);
    uint8_t usual = next(tape);
    for (int number = 0; number < MOST_ROWS && tape->at < tape->end; number++) {
        uint8_t lies = next(tape); /* so many columns are chosen by the tape */
        for (int column = 0; column < COLUMNS - 1; column++)
            bind_right(row, column, column >= 13 ? (uint8_t)(usual + number) : usual, number);
        for (int i = 0; i < lies % 8; i++) {
            int column = next(tape) % (COLUMNS - 1);
            uint8_t choice = next(tape);
            if (choice < 128)
                bind_right(row, column, choice, number);
            else
                bind_lie(row, column, choice, tape);
        }
        sqlite3_step(row);
        sqlite3_reset(row);
    }
    sqlite3_finalize(row);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    fuzz_require(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
}

static void make_file(const char *name, struct tape *tape, bool is_raw)
{
    static const uint8_t magic[] = {0x37, 0x7f, 0x06};
    char wal[4160];
    size_t size = (size_t)(tape->end - tape->at);
    snprintf(wal, sizeof wal, "%s-wal", name);
    if (!is_raw) {
        sqlite3_int64 whole;
        write_rows(tape);
        uint8_t *bytes = sqlite3_serialize(here.rows, "main", &whole, 0);
        fuzz_require(bytes != NULL);
        write_file(name, bytes, (size_t)whole);
        sqlite3_free(bytes);
        return;
    }
    for (size_t i = 0; i + sizeof magic <= size; i++)
        if (memcmp(tape->at + i, magic, sizeof magic) == 0) {
            write_file(wal, tape->at + i, size - i);
            size = i;
        }
    write_file(name, tape->at, size);
}

/* ---- what is done ---- */

static enum failure_kind report(const char *path, unsigned deed, struct failure *failure)
{
    static _Alignas(max_align_t) unsigned char options[MOST_OPTIONS];
    char word[MOST_WORDS][32], *argv[MOST_WORDS + 1];
    int argc = 0;
    struct operands operands;
    fuzz_require(command_report.options_size <= sizeof options);
    memset(options, 0, command_report.options_size);
    for (; words[deed][argc] != NULL; argc++) {
        snprintf(word[argc], sizeof word[argc], "%s", words[deed][argc]);
        argv[argc] = word[argc];
    }
    char name[4128];
    snprintf(name, sizeof name, "%s", path);
    argv[argc++] = name;
    fuzz_require(option_parse(argc, argv, command_report.options, options, &operands, failure) ==
                 FAIL_NONE);
    return command_report.run(options, &operands, failure);
}

static enum failure_kind plot(const char *path, enum plot_kind kind, struct failure *failure)
{
    static const struct results_selection all = {.routers = {0}};
    struct results_database database;
    struct results_groups groups;
    struct plot plot;
    if (results_open(&database, path, RESULTS_READ, failure) != FAIL_NONE)
        return failure->kind;
    results_groups_read(&groups, &database, &all, failure);
    results_close(&database);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    if (plot_make(&plot, &groups, kind, failure) == FAIL_NONE) {
        for (int format = 0; format <= PLOT_TERMINAL; format++)
            plot_write_script(&plot, (enum plot_format)format, stdout);
        plot_free(&plot);
    }
    results_groups_free(&groups);
    return failure->kind;
}

/* As a sweep does; `moves`: the file is taken away meanwhile. */
static enum failure_kind find_and_add(const char *path, enum results_mode mode, bool moves,
                                      struct failure *failure)
{
    struct results_database database;
    bool found = false;
    enum failure_kind outcome = FAIL_NONE;
    if (results_open(&database, path, mode, failure) != FAIL_NONE)
        return failure->kind;
    json_t *figures = json_pack("{s:s, s:i, s:f, s:[{s:s, s:i}], s:{s:s, s:i}}", "router", "trees",
                                "steps", 3, "sqrt_cn", 1.5, "phases", "name", "go", "steps", 3,
                                "parameters", "r", "3", "q", 4);
    fuzz_require(figures != NULL);
    struct results_run run = {.identity = "new",
                              .outcome = RESULTS_DONE,
                              .workload = "uniform",
                              .asked_parameters = "",
                              .asked_buffer = 3,
                              .figures = figures};
    if (!database.is_empty && results_find(&database, "3", &found, &outcome, failure) == FAIL_NONE)
        results_find(&database, "none", &found, &outcome, failure);
    if (moves)
        unlink(path);
    if (failure->kind == FAIL_NONE && mode == RESULTS_WRITE)
        results_add(&database, &run, failure);
    results_close(&database);
    json_decref(figures);
    return failure->kind;
}

/* ---- what was printed ---- */

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

static void check_text(const char *text, size_t size, unsigned deed)
{
    bool is_csv = deed == 1 || deed == 5 || deed == 9, is_json = deed == 2 || deed == 8;
    fuzz_require(strlen(text) == size);
    for (const char *c = text; *c != '\0'; c++)
        fuzz_require((unsigned char)*c >= ' ' || *c == '\n' || (is_csv && *c == '\r'));
    if (is_json) {
        json_t *value = json_loads(text, 0, NULL);
        fuzz_require(json_is_object(value));
        json_decref(value);
    }
    for (uint32_t fields = 0; is_csv && *text != '\0';) {
        uint32_t here_too = fields_of_line(&text);
        fuzz_require(fields == 0 || fields == here_too);
        fields = here_too;
    }
}

static enum failure_kind act(const char *path, unsigned deed, bool moves, struct failure *failure)
{
    if (deed < DEED_PLOT)
        return report(path, deed, failure);
    if (deed < DEED_WRITE)
        return plot(path, (enum plot_kind)(deed - DEED_PLOT), failure);
    return find_and_add(path, deed == DEED_WRITE ? RESULTS_WRITE : RESULTS_LOOK, moves, failure);
}

/* `locks`: another program has locked the file, or by FUZZ_STANDARD reads it. */
static void run(const char *path, unsigned deed, bool locks, unsigned flags)
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
    here.left = here.wished;
    enum failure_kind kind = act(path, deed, flags & FUZZ_FILE, &failure);
    here.left = 0;
    bool has_struck = fuzz_end() || here.has_struck || locks;
    char *text = fuzz_captured(&size);
    if (kind == FAIL_NONE && !has_struck)
        check_text(text, size, deed);
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
    unsigned flags;
    if (here.rows == NULL)
        prepare();
    if (!fuzz_begin(&bytes, &length, &flags))
        return 0;
    unsigned at = bytes[-2] & 63;
    struct tape tape = {bytes, bytes + length};
    uint8_t deed = next(&tape), where = next(&tape), place = where % PLACES;
    bool is_there = place <= PLACE_WHOLE;
    fuzz_require(fchdir(here.scratch) == 0);
    if (is_there)
        make_file(places[place], &tape, deed & DEED_RAW);
    here.has_struck = false;
    here.wished = flags & FUZZ_OWN ? at + 63u * (where / PLACES) : 0;
    if (flags & FUZZ_OWN)
        fuzz_end(); /* meshcast's calls do not fail then */
    run(places[place], (deed & 63u) % DEEDS, is_there && (deed & DEED_LOCK), flags);
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
