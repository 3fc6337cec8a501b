/* rows.c - a database of results whose rows an input chooses.
 *
 * Method: the tables are made once, in memory, with the smallest pages; SQLite gives them out as
 * the bytes of a file.
 */
#include "test/fuzz/rows.h"

#include "lab/results_database.h"
#include "test/fuzz/faults.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* The columns of a row: the key, the options, the figures. The last NEWER ones came later. */
/* clang-format off */
static const char *const names[] = {
    "key", "workload", "is_file", "input_hash", "asked_parameters", "asked_buffer", "asked_degree",
    "asked_congestion", "meshcast", "router", "copy", "rows", "cols", "nodes", "messages", "degree",
    "congestion", "deliveries", "seed", "ran_as", "steps", "sync_steps", "sqrt_cn",
    "steps_per_sqrt_cn", "lower_bound", "steps_per_lower_bound", "lower_bound_kind",
    "buffer_capacity", "buffer_peak", "buffer_peak_node", "buffer_peak_step", "buffer_peak_phase",
    "packet_hops", "word_hops", "copies", "delivered", "missing", "threads", "wall_seconds",
    "error", "state", "messages_per_node", "median", "p95", "p99", "asked_per_node",
};

/* The names of the columns from "meshcast" on in a point of load. */
static const char *const load_names[] = {
    "meshcast", "topology", "scheme", "sizes", "graph", "nodes", "destinations", "buffer", "vcs",
    "injection", "seed", "traffic", "latency", "half_width", "rate", "accepted", "capacity",
    "startup", "startup_mode", "consumption", "buffer_peak", "warmup", "measure", "deadlock",
    "median", "p95", "p99", "finite", "saturated", "rising", "runs", "error", "state", "cycles",
    "multicast_share", "flits", "header", "parameters",
};
/* clang-format on */

enum {
    MOST_ROWS = 24,
    COLUMNS = sizeof names / sizeof *names,
    NEWER = 5,
    FIGURES = COLUMNS - sizeof load_names / sizeof *load_names, /* the first of them */
    AT_ERROR = COLUMNS - NEWER - 2
};

struct tape {
    const uint8_t *at, *end;
};

static uint8_t next(struct tape *tape)
{
    return tape->at < tape->end ? *tape->at++ : 0;
}

/* Binds a value of a right database in the column, of few kinds, so that groups have several
 * runs. */
static void bind_right(sqlite3_stmt *row, int column, uint8_t choice, int number)
{
    static const char *const texts[][4] = {
        [1] = {"uniform", "adversary:g@1a2b", "set.mcast", "worst"},
        [3] = {"abcd", "abcd", "0123", "abcd"},
        [4] = {"", "r=3", "variant=paper", ""},
        [8] = {"0.1.0", "0.1.0", "0.1.0", "0.2.0"},
        [9] = {"trees", "random", "stream", "trees"},
        [10] = {"unit", "free", "unit", "unit"},
        [19] = {"", "unicast", "", ""},
        [AT_ERROR] = {"", "overflow", "", "a check"},
        [AT_ERROR + 1] = {"done", "failed", "refused", "done"},
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

/* The newer columns are the last, and few bytes choose them, so that inputs made before them mean
 * what they meant. */
static int some_column(uint8_t choice)
{
    enum { OLDER = COLUMNS - NEWER };
    int most = 256 / OLDER * OLDER;
    return choice < most ? choice % OLDER : OLDER + (choice - most) % NEWER;
}

static char statement[8192];

/* Fills the tables; a row that SQLite refuses is left out. */
static void write_rows(sqlite3 *tables, struct tape *tape, bool is_load)
{
    char sql[16 + 2 * COLUMNS + 64] = "INSERT INTO plain VALUES (?";
    sqlite3_stmt *row;
    for (int i = 1; i < COLUMNS; i++)
        strcat(sql, ",?");
    strcat(sql, ")");
    fuzz_require(sqlite3_exec(tables, "DELETE FROM plain; DELETE FROM result", NULL, NULL, NULL) ==
                 SQLITE_OK);
    fuzz_require(sqlite3_prepare_v2(tables, sql, -1, &row, NULL) == SQLITE_OK);
    uint8_t usual = next(tape);
    for (int number = 0; number < MOST_ROWS && tape->at < tape->end; number++) {
        uint8_t lies = next(tape); /* so many columns are chosen by the tape */
        for (int column = 0; column < COLUMNS; column++)
            bind_right(row, column, column >= 13 ? (uint8_t)(usual + number) : usual, number);
        for (int i = 0; i < lies % 8; i++) {
            int column = some_column(next(tape));
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
    /* JSON has no blobs; a number without an end makes a row that is no JSON */
    snprintf(statement, sizeof statement,
             "INSERT OR IGNORE INTO result SELECT NULL, key, '%s', state",
             is_load ? RESULTS_LOAD_POINT : RESULTS_RUN);
    for (int i = 1; i < COLUMNS; i++) {
        if (i == AT_ERROR + 1)
            continue;
        size_t used = strlen(statement);
        snprintf(statement + used, sizeof statement - used,
                 "%s'%s', CASE typeof(%s) WHEN 'blob' THEN CAST(%s AS TEXT) ELSE %s END",
                 i == 1         ? ", json_object("
                 : i == FIGURES ? "), json_object("
                                : ", ",
                 is_load && i >= FIGURES ? load_names[i - FIGURES] : names[i], names[i], names[i],
                 names[i]);
    }
    strcat(statement, ") FROM plain WHERE key IS NOT NULL AND state IS NOT NULL");
    sqlite3_exec(tables, statement, NULL, NULL, NULL);
    fuzz_require(sqlite3_exec(tables, "DELETE FROM plain", NULL, NULL, NULL) == SQLITE_OK);
}

static sqlite3 *make_tables(void)
{
    sqlite3 *tables = NULL;
    struct failure failure = {0};
    fuzz_require(sqlite3_open(":memory:", &tables) == SQLITE_OK);
    fuzz_require(sqlite3_exec(tables, "PRAGMA page_size = 512", NULL, NULL, NULL) == SQLITE_OK);
    struct results_database database = {.path = "rows", .handle = tables};
    fuzz_require(results_make_schema(&database, false, &failure) == FAIL_NONE);
    char plain[1024] = "CREATE TABLE plain (key";
    for (int i = 1; i < COLUMNS; i++)
        strcat(strcat(plain, ", "), names[i]);
    fuzz_require(sqlite3_exec(tables, strcat(plain, ")"), NULL, NULL, NULL) == SQLITE_OK);
    return tables;
}

uint8_t *fuzz_rows(const uint8_t *bytes, size_t length, bool is_load, size_t *size)
{
    static sqlite3 *tables;
    sqlite3_int64 whole;
    struct tape tape = {bytes, bytes + length};
    if (tables == NULL)
        tables = make_tables();
    write_rows(tables, &tape, is_load);
    uint8_t *database = sqlite3_serialize(tables, "main", &whole, 0);
    fuzz_require(database != NULL);
    *size = (size_t)whole;
    return database;
}
