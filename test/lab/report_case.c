/* report_case.c - a database of made-up runs, whose medians and exponents are known. */
#include "test/lab/report_case.h"

#include "test/program_run.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static void execute(const char *const sql[], int count)
{
    char path[512];
    sqlite3 *handle;
    snprintf(path, sizeof path, "%s/db", getenv("T"));
    ck_assert_int_eq(sqlite3_open(path, &handle), SQLITE_OK);
    for (int i = 0; i < count; i++)
        ck_assert_msg(sqlite3_exec(handle, sql[i], NULL, NULL, NULL) == SQLITE_OK, "%s: %s", sql[i],
                      sqlite3_errmsg(handle));
    sqlite3_close(handle);
}

/* Runs the statements on a copy of the view `run` of that name, and writes the copy back as rows of
 * the one table. */
void report_case_execute(const char *sql)
{
    static const char into[] = "CREATE TEMP TABLE run AS SELECT * FROM main.run";
    static const char back[] =
        "DELETE FROM result WHERE kind = 'run'; "
        "INSERT INTO result SELECT id, identity, 'run', outcome, json_object('workload', workload, "
        "'is_file', is_file, 'input_hash', input_hash, 'asked_parameters', asked_parameters, "
        "'asked_buffer', asked_buffer, 'asked_degree', asked_degree, 'asked_congestion', "
        "asked_congestion), json_object('meshcast', meshcast, 'router', router, 'copy', copy, "
        "'rows', rows, 'cols', cols, 'messages', messages, 'degree', degree, 'congestion', "
        "congestion, 'messages_per_node', ifnull(messages_per_node, 1), 'deliveries', deliveries, "
        "'seed', seed, 'ran_as', ran_as, 'steps', steps, "
        "'sync_steps', sync_steps, 'sqrt_cn', sqrt_cn, 'steps_per_sqrt_cn', steps_per_sqrt_cn, "
        "'lower_bound', lower_bound, 'steps_per_lower_bound', steps_per_lower_bound, "
        "'buffer_peak', buffer_peak, 'wall_seconds', wall_seconds, 'error', error) FROM temp.run";
    execute((const char *const[]){into, sql, back}, 3);
}

void report_case_damage(const char *sql)
{
    execute(&sql, 1);
}

void report_case_make(void)
{
    program_run_ends(0, "$M sweep --router trees --pattern uniform --side 2 --db $T/db -q");
    report_case_execute(
        "DELETE FROM run; "
        "WITH side(m) AS (VALUES (16), (32), (64)), congestion(k) AS (VALUES (4), (16), (64)), "
        "number(s) AS (VALUES (0), (1), (2), (3), (4)) "
        "INSERT INTO run (identity, workload, asked_parameters, asked_congestion, meshcast, "
        "router, copy, rows, cols, nodes, messages, degree, congestion, deliveries, seed, "
        "steps, sync_steps, sqrt_cn, steps_per_sqrt_cn, lower_bound, steps_per_lower_bound, "
        "buffer_peak, wall_seconds, outcome) "
        "SELECT m || ' ' || k || ' ' || s, 'uniform', 'r=3', k, '0.1.0', 'random', 'unit', m, "
        "m, m * m, m * m, k, k, k * m * m, s, 2 * sqrt(k * m * m) + 5 * s - 10, 7, "
        "sqrt(k * m * m), (2 * sqrt(k * m * m) + 5 * s - 10) / sqrt(k * m * m), m, "
        "(2 * sqrt(k * m * m) + 5 * s - 10) / m, 3 + s, 0.5, 'done' "
        "FROM side, congestion, number; "
        "INSERT INTO run (identity, workload, asked_parameters, asked_congestion, meshcast, "
        "router, copy, rows, cols, seed, error, outcome) VALUES ('x', 'uniform', 'r=3', 4, "
        "'0.1.0', 'random', 'unit', 16, 16, 9, 'no, \"x\" | y', 'refused'); "
        "INSERT INTO run (identity, workload, asked_parameters, asked_congestion, meshcast, "
        "router, copy, rows, cols, seed, steps, error, outcome) VALUES ('y', 'uniform', "
        "'r=3', 4, '0.1.0', 'random', 'unit', 16, 16, 10, 1, 'overflow', 'failed')");
}
