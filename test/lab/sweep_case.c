/* sweep_case.c - looks into databases of sweeps. */
#include "test/lab/sweep_case.h"

#include "test/program_run.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sweep_case_make_set(void)
{
    program_run_ends(0, "$M gen --side 7 --pattern uniform --degree 3 --congestion 2 -o $T/s");
}

/* ---- looking into a database ---- */

static sqlite3 *open_database(const char *file)
{
    char path[512];
    sqlite3 *handle;
    snprintf(path, sizeof path, "%s/%s", getenv("T"), file);
    ck_assert_int_eq(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    return handle;
}

static int append_row(void *context, int columns, char **value, char **name)
{
    (void)name;
    for (int i = 0; i < columns; i++)
        fprintf(context, "%s|", value[i] == NULL ? "NULL" : value[i]);
    fputc('\n', context);
    return 0;
}

/* Returns the result of a query, a line per row; the caller frees it. */
char *sweep_case_query(const char *file, const char *sql)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    sqlite3 *handle = open_database(file);
    ck_assert_msg(sqlite3_exec(handle, sql, append_row, out, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(handle));
    sqlite3_close(handle);
    fclose(out);
    return text;
}

void sweep_case_check(const char *file, const char *sql, const char *expected)
{
    char *text = sweep_case_query(file, sql);
    ck_assert_msg(strcmp(text, expected) == 0, "%s: %s: %.500s", file, sql, text);
    free(text);
}

int sweep_case_count(const char *file, const char *sql)
{
    char *text = sweep_case_query(file, sql);
    int number = atoi(text);
    free(text);
    return number;
}

/* All tables of the two databases are the same but for seconds and the order of rows. */
void sweep_case_check_same(const char *one, const char *other)
{
    static const char *const queries[] = {
        "SELECT identity, workload, input_hash, asked_parameters, asked_buffer, asked_congestion, "
        "outcome, error, router, copy, rows, cols, messages, degree, congestion, deliveries, seed, "
        "steps, sync_steps, lower_bound, lower_bound_kind, buffer_peak, buffer_peak_node, "
        "buffer_peak_phase, packet_hops, word_hops, copies, delivered FROM run ORDER BY identity",
        "SELECT identity, position, name, phase.steps FROM phase JOIN run ON run = run.id "
        "ORDER BY identity, position",
        "SELECT identity, name, value FROM parameter JOIN run ON run = run.id "
        "ORDER BY identity, name",
        "SELECT count(*) FROM run",
        "SELECT count(*) FROM phase",
        "SELECT count(*) FROM parameter",
        "PRAGMA integrity_check",
    };
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        char *expected = sweep_case_query(one, queries[i]);
        sweep_case_check(other, queries[i], expected);
        free(expected);
    }
}
