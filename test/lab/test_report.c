/* test_report.c - reports: medians, fits, formats, pictures.
 *
 * Oracles: databases whose runs were made up here, with steps that follow a known law, so that
 * exponents, medians and counts are known; and independent parsers of the formats.
 */
#include "test/lab/report_case.h"
#include "test/program_run.h"
#include "test/sanitized.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- fits ---- */

/* Returns the report of made-up runs whose steps are this expression of m, the side, and k, the
 * congestion; without failed runs. */
static json_t *report_of(const char *steps, const char *more)
{
    char sql[600];
    report_case_make();
    snprintf(sql, sizeof sql,
             "DELETE FROM run WHERE outcome <> 'done' OR seed > 0; UPDATE run SET steps = (SELECT "
             "%s FROM (SELECT 0.0 + rows AS m, 0.0 + congestion AS k, (rows / 16 * 5 + congestion) "
             "%% 7 / 3.0 - 1 AS noise)); %s",
             steps, more);
    report_case_execute(sql);
    program_run_ends(0, "$M report $T/db --json");
    return program_run_json();
}

static json_t *fit_of(json_t *report)
{
    return json_array_get(json_object_get(report, "fits"), 0);
}

static bool has(json_t *fit, const char *key)
{
    return json_is_number(json_object_get(fit, key));
}

static void check_figure(json_t *fit, const char *key, double expected, double tolerance)
{
    ck_assert_msg(has(fit, key), "%s is missing", key);
    double value = program_run_number(fit, key);
    ck_assert_msg(fabs(value - expected) <= tolerance, "%s: %.12g, not %.12g", key, value,
                  expected);
}

/* Writes the points of the report: 1, log c, log n, log steps, S / steps, m / steps. */
static uint32_t read_points(json_t *report, double point[16][6])
{
    json_t *groups = json_object_get(report, "workloads"), *group;
    size_t i;
    json_array_foreach(groups, i, group)
    {
        double c = program_run_number(group, "congestion"), m = program_run_number(group, "rows");
        double steps = program_run_number(group, "steps");
        const double row[] = {1, log(c), log(m * m), log(steps), sqrt(c) * m / steps, m / steps};
        memcpy(point[i], row, sizeof row);
    }
    return (uint32_t)json_array_size(groups);
}

/* Data of a known law give its exponents and its constant, with errors of nothing. */
START_TEST(test_known_exponents)
{
    json_t *report = report_of("3 * pow(k, 0.5) * pow(m, 1.2)", ""), *fit = fit_of(report);
    ck_assert_int_eq(program_run_integer(fit, "points"), 9);
    check_figure(fit, "exponent_c", 0.5, 1e-9);
    check_figure(fit, "exponent_n", 0.6, 1e-9);
    check_figure(fit, "constant", log(3), 1e-8);
    check_figure(fit, "exponent_c_error", 0, 1e-9);
    check_figure(fit, "scatter", 0, 1e-9);
    json_decref(report);
}
END_TEST

static const char *const FEWER[] = {"", "DELETE FROM run WHERE rows = 64 AND congestion = 64",
                                    "DELETE FROM run WHERE rows < 64 AND congestion = 64",
                                    "DELETE FROM run WHERE rows + congestion > 90"};

/* Standard errors are those of the normal equations, computed here by the inverse of a 3 x 3
 * matrix, and the truth lies within three of them. */
START_TEST(test_standard_errors)
{
    json_t *report = report_of("3 * pow(k, 0.5) * pow(m, 1.2) * (1 + 0.05 * noise)", FEWER[_i]);
    json_t *fit = fit_of(report);
    const char *const keys[] = {"constant", "exponent_c", "exponent_n"};
    double point[16][6], m[3][3] = {{0}}, squares = 0, value[3], determinant = 0;
    uint32_t points = read_points(report, point);
    for (int i = 0; i < 3; i++)
        value[i] = program_run_number(fit, keys[i]);
    for (uint32_t i = 0; i < points; i++) {
        const double *row = point[i];
        squares += pow(row[3] - value[0] - value[1] * row[1] - value[2] * row[2], 2);
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                m[j][k] += row[j] * row[k];
    }
    double variance = squares / (points - 3);
    for (int i = 0; i < 3; i++) {
        int p = (i + 1) % 3, q = (i + 2) % 3;
        determinant += m[0][i] * (m[1][p] * m[2][q] - m[1][q] * m[2][p]);
    }
    check_figure(fit, "scatter", sqrt(variance), 1e-8);
    for (int i = 0; i < 3; i++) {
        int p = (i + 1) % 3, q = (i + 2) % 3;
        char key[40];
        double cofactor = m[p][p] * m[q][q] - m[p][q] * m[q][p];
        snprintf(key, sizeof key, "%s_error", keys[i]);
        check_figure(fit, key, sqrt(variance * cofactor / determinant), 1e-7);
        double error = program_run_number(fit, key);
        const double truth[] = {log(3), 0.5, 0.6};
        ck_assert(error > 0.001 && fabs(value[i] - truth[i]) < 3 * error);
    }
    json_decref(report);
}
END_TEST

/* A constant quantity has no exponent; quantities that vary together have none either; too few
 * points none. */
START_TEST(test_degenerate_fits)
{
    static const struct {
        const char *runs;
        bool has_c, has_n, has_error, has_sum;
    } CASES[] = {
        {"congestion <> 4", false, true, true, false},
        {"congestion <> 4 OR rows = 64", false, true, false, false},
        {"rows <> 32", true, false, true, true},
        {"(rows, congestion) NOT IN (VALUES (16, 4), (32, 16), (64, 64))", false, false, false,
         true},
        {"(rows, congestion) NOT IN (VALUES (16, 4), (64, 16))", false, false, false, true},
        {"(rows, congestion) NOT IN (VALUES (16, 4), (32, 4), (32, 16))", true, true, false, true},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char more[120];
        snprintf(more, sizeof more, "DELETE FROM run WHERE %s", CASES[i].runs);
        json_t *report = report_of("sqrt(k) * m", more), *fit = fit_of(report);
        bool has_any = CASES[i].has_c || CASES[i].has_n;
        ck_assert_int_eq(has(fit, "exponent_c"), CASES[i].has_c);
        ck_assert_int_eq(has(fit, "exponent_n"), CASES[i].has_n);
        ck_assert_int_eq(has(fit, "constant"), has_any);
        ck_assert_int_eq(has(fit, "scatter"), CASES[i].has_error);
        ck_assert_int_eq(has(fit, "exponent_n_error"), CASES[i].has_n && CASES[i].has_error);
        ck_assert_int_eq(has(fit, "coefficient_s"), CASES[i].has_sum);
        if (CASES[i].has_n)
            check_figure(fit, "exponent_n", 0.5, 1e-9);
        if (CASES[i].has_c)
            check_figure(fit, "exponent_c", 0.5, 1e-9);
        json_decref(report);
    }
}
END_TEST

/* Steps that are a sum give its coefficients; one that would be negative is 0. */
START_TEST(test_known_sums)
{
    json_t *report = report_of("1.5 * sqrt(k) * m + 8 * m", ""), *fit = fit_of(report);
    check_figure(fit, "coefficient_s", 1.5, 1e-9);
    check_figure(fit, "coefficient_m", 8, 1e-9);
    check_figure(fit, "coefficients_scatter", 0, 1e-9);
    json_decref(report);
    report = report_of("2 * sqrt(k) * m - m", "");
    fit = fit_of(report);
    double s = program_run_number(fit, "coefficient_s");
    ck_assert(s > 1 && s < 2 && program_run_number(fit, "coefficients_scatter") > 0);
    check_figure(fit, "coefficient_m", 0, 0);
    json_decref(report);
    report = report_of("8 * m - 0.25 * sqrt(k) * m", "");
    fit = fit_of(report);
    double m = program_run_number(fit, "coefficient_m");
    ck_assert(m > 5 && m < 8);
    check_figure(fit, "coefficient_s", 0, 0);
    json_decref(report);
}
END_TEST

static double relative_squares(double point[16][6], uint32_t points, double s, double m)
{
    double squares = 0;
    for (uint32_t i = 0; i < points; i++)
        squares += pow(s * point[i][4] + m * point[i][5] - 1, 2);
    return squares;
}

/* Nothing near the coefficients has less squares: an oracle that knows no formula for them. */
START_TEST(test_least_sums)
{
    static const char *const laws[] = {"1.5 * sqrt(k) + 8", "2 * sqrt(k) - 1", "8 - 0.25 * sqrt(k)",
                                       "3 * sqrt(k)"};
    char steps[100];
    snprintf(steps, sizeof steps, "(%s) * m * (1 + 0.1 * noise)", laws[_i]);
    json_t *report = report_of(steps, ""), *fit = fit_of(report);
    double point[16][6], of_s = program_run_number(fit, "coefficient_s"),
                         of_m = program_run_number(fit, "coefficient_m");
    uint32_t points = read_points(report, point);
    double least = relative_squares(point, points, of_s, of_m);
    check_figure(fit, "coefficients_scatter", sqrt(least / (points - 2)), 1e-9);
    for (int i = -20; i <= 20; i++)
        for (int j = -20; j <= 20; j++) {
            double s = of_s + i * 0.01, m = of_m + j * 0.05;
            if (s >= 0 && m >= 0)
                ck_assert_double_ge(relative_squares(point, points, s, m), least - 1e-9);
        }
    json_decref(report);
}
END_TEST

/* ---- made-up databases ---- */

/* Medians, extremes, counts and exponents of made-up runs; runs that failed do not count. */
START_TEST(test_json)
{
    report_case_make();
    program_run_ends(0, "$M report $T/db --json");
    json_t *report = program_run_json();
    ck_assert_int_eq(program_run_integer(report, "runs"), 47);
    ck_assert_int_eq(program_run_integer(report, "refused"), 1);
    ck_assert_int_eq(program_run_integer(report, "failed"), 1);
    json_t *workloads = json_object_get(report, "workloads");
    ck_assert_uint_eq(json_array_size(workloads), 9);
    json_t *group = json_array_get(workloads, 0);
    ck_assert_str_eq(program_run_text(group, "router"), "random");
    ck_assert_str_eq(program_run_text(group, "parameters"), "r=3");
    ck_assert_int_eq(program_run_integer(group, "rows"), 16);
    ck_assert_int_eq(program_run_integer(group, "congestion"), 4);
    ck_assert_int_eq(program_run_integer(group, "runs"), 5);
    ck_assert_int_eq(program_run_integer(group, "failed"), 1);
    ck_assert_int_eq(program_run_integer(group, "refused"), 1);
    ck_assert_int_eq(program_run_integer(group, "steps"), 64);
    ck_assert_int_eq(program_run_integer(group, "steps_min"), 54);
    ck_assert_int_eq(program_run_integer(group, "steps_max"), 74);
    ck_assert_int_eq(program_run_integer(group, "buffer_peak"), 5);
    ck_assert_int_eq(program_run_integer(group, "buffer_peak_max"), 7);
    ck_assert_double_eq_tol(program_run_number(group, "steps_per_sqrt_cn"), 2, 1e-9);
    ck_assert_double_eq_tol(program_run_number(group, "steps_per_lower_bound"), 4, 1e-9);
    ck_assert(json_is_null(json_object_get(group, "asked_degree")));
    json_t *fit = json_array_get(json_object_get(report, "fits"), 0);
    ck_assert_int_eq(program_run_integer(fit, "points"), 9);
    ck_assert_double_eq_tol(program_run_number(fit, "exponent_c"), 0.5, 1e-6);
    ck_assert_double_eq_tol(program_run_number(fit, "exponent_n"), 0.5, 1e-6);
    ck_assert_double_eq_tol(program_run_number(fit, "constant"), log(2), 1e-6);
    ck_assert_double_eq_tol(program_run_number(fit, "coefficient_s"), 2, 1e-6);
    ck_assert_double_eq_tol(program_run_number(fit, "coefficient_m"), 0, 1e-6);
    ck_assert_double_eq_tol(program_run_number(fit, "coefficients_scatter"), 0, 1e-6);
    ck_assert_uint_eq(json_array_size(json_object_get(report, "errors")), 1);
    json_decref(report);
}
END_TEST

/* The tables show the same figures, in all three forms. */
START_TEST(test_tables)
{
    report_case_make();
    const struct outcome *run = program_run_ends(0, "$M report $T/db");
    ck_assert_ptr_nonnull(strstr(run->out, "db: 47 runs, 1 refused, 1 failed a check"));
    ck_assert_msg(strstr(run->out, "\nuniform     16    16   4   4  random r=3     5     64    54 "
                                   "   74     7       2.00    4.00       5    7\n") != NULL,
                  "%.900s", run->out);
    ck_assert_ptr_nonnull(strstr(run->out, "\nuniform   random r=3       9    0.500  0.000"));
    ck_assert_ptr_nonnull(strstr(run->out, "\nFit: steps = c1 S + c2 m, of the same points\n"));
    ck_assert_ptr_nonnull(
        strstr(run->out, "\nuniform   random r=3       9      2.00      0.00    0.000\n"));
    ck_assert_ptr_nonnull(strstr(run->out, "no, \"x\" | y"));
    run = program_run("$M report $T/db --markdown");
    ck_assert_ptr_nonnull(strstr(run->out, "\n| workload | rows | cols | d |"));
    ck_assert_ptr_nonnull(
        strstr(run->out, "\n| uniform | 16 | 16 | 4 | 4 | random r=3 | 5 | 64 |"));
    ck_assert_ptr_nonnull(strstr(run->out, "| no, \"x\" \\| y |"));
    run = program_run("$M report $T/db --csv");
    ck_assert_ptr_eq(strstr(run->out, "workload,rows,cols,asked_degree,"), run->out);
    ck_assert_ptr_nonnull(
        strstr(run->out, "\r\nuniform,16,16,,4,,1,4,4,random,,r=3,,unit,0.1.0,5,1,1,64,54,74,7,,,,"
                         "32,2,16,4,5,3,7,0.5,,\r\n"));
    run = program_run("$M report $T/db --csv --table fits");
    ck_assert_ptr_nonnull(strstr(run->out, "\r\nuniform,random,,r=3,,unit,0.1.0,9,0.5"));
}
END_TEST

/* Runs in which another router took a router's place are named after both, and are lines of a fit
 * of their own. */
START_TEST(test_other_router_ran)
{
    report_case_make();
    report_case_execute("UPDATE run SET ran_as = 'circulate' WHERE rows = 16");
    const struct outcome *run = program_run("$M report $T/db");
    ck_assert_ptr_nonnull(strstr(run->out, " random as circulate r=3 "));
    run = program_run("$M report $T/db --csv");
    ck_assert_ptr_nonnull(strstr(run->out, "4,,1,4,4,random,circulate,r=3,"));
    run = program_run("$M report $T/db --csv --table fits");
    ck_assert_ptr_nonnull(strstr(run->out, "\r\nuniform,random,circulate,r=3,,unit,0.1.0,3,"));
    ck_assert_ptr_nonnull(strstr(run->out, "\r\nuniform,random,,r=3,,unit,0.1.0,6,"));
}
END_TEST

/* Names with any characters keep the columns straight and the cells of Markdown apart. */
START_TEST(test_odd_names)
{
    report_case_make();
    report_case_execute("UPDATE run SET workload = CASE rows WHEN 16 THEN 'a\\|b' WHEN 32 THEN "
                        "'\xc3\xbc\xe2\x82\xac\xf0\x9d\x94\xb8' ELSE '<i>*[`' END");
    const struct outcome *run = program_run("$M report $T/db");
    ck_assert_ptr_nonnull(strstr(run->out, "\n\xc3\xbc\xe2\x82\xac\xf0\x9d\x94\xb8         32 "
                                           "   32 "));
    ck_assert_ptr_nonnull(strstr(run->out, "\na\\|b        16    16 "));
    run = program_run("$M report $T/db --markdown");
    ck_assert_ptr_nonnull(strstr(run->out, "\n| a\\\\\\|b | 16 |"));
    ck_assert_ptr_nonnull(strstr(run->out, "\n| \\<i>\\*\\[\\` | 64 |"));
}
END_TEST

/* A selection leaves the others out; one that leaves nothing is told. */
START_TEST(test_selection)
{
    program_run_ends(0, "$M sweep --router trees,replicate --pattern uniform,worst "
                        "--side 4,8 --copy unit,free --db $T/db -q");
    program_run("$M report $T/db --router trees --pattern worst --copy free --json");
    json_t *report = program_run_json();
    ck_assert_uint_eq(json_array_size(json_object_get(report, "workloads")), 2);
    json_decref(report);
    ck_assert_ptr_nonnull(strstr(program_run("$M report $T/db")->out, "trees, free copies"));
    ck_assert_ptr_null(strstr(program_run("$M report $T/db --copy free")->out, ", free copies"));
    static const char *const refused[][2] = {
        {"--router stream", "'stream'; the routers of the database are: replicate, trees"},
        {"--router trees,replicat", "'replicat'; did you mean 'replicate'?"},
        {"--pattern uniform,wurst", "'wurst'; did you mean 'worst'?"},
        {"--pattern adversary", "unknown pattern or set 'adversary'"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const struct outcome *run = program_run_ends(2, "$M report $T/db %s", refused[i][0]);
        ck_assert_msg(strstr(run->err, refused[i][1]) != NULL, "%s", run->err);
    }
    report_case_execute("DELETE FROM run WHERE router = 'trees' AND workload = 'worst'");
    program_run_fails(2, "at once", "$M report $T/db --router trees --pattern worst");
}
END_TEST

static const struct bad_case {
    const char *command, *expected;
    int status;
} bad_cases[] = {
    {"$M report", "missing FILE", 2},
    {"$M report $T/db --csv --json", "exclude each other", 2},
    {"$M report $T/db --plot lines", "the values of --plot are: ", 2},
    {"$M report $T/db --plot steps -o x.gif", "FILE.svg", 2},
    {"$M report $T/db --plot steps --json", "without it", 2},
    {"$M report $T/db -o x.svg", "is for --plot", 2},
    {"$M report $T/none", "cannot open", 4},
    {"echo x >$T/text; $M report $T/text", "is not an SQLite database", 3},
    {": >$T/empty; $M report $T/empty", "holds no results", 3},
    {"printf '\\377\\377' | dd of=$T/db bs=1 seek=4108 conv=notrunc 2>$T/dd; $M report $T/db",
     "is damaged (", 3},
    {"PATH=/nonexistent $M report $T/db --plot steps", "gnuplot-nox", 4},
    {"PATH=/nonexistent $M report $T/db --plot steps -o $T/left.svg", "gnuplot-nox", 4},
    {"$M report $T/db >/dev/full", "cannot write to standard output", 4},
};

enum { BAD_CASES = sizeof bad_cases / sizeof bad_cases[0] };

/* Impossible reports are refused in one line with their status, and leave no file. */
START_TEST(test_bad)
{
    const struct bad_case *row = &bad_cases[_i];
    report_case_make();
    program_run_fails(row->status, row->expected, "%s", row->command);
    ck_assert(!program_run_left("left.svg") && !program_run_left("left.svg.part"));
    ck_assert(!program_run_left("none"));
}
END_TEST

/* Values that no run can have, in any column of a damaged file, are refused with run, column and
 * value. */
START_TEST(test_values_of_no_run)
{
    static const char *const damaged[][2] = {
        {"steps = -1", "cannot have '-1' as its steps"},
        {"steps = 'many'", "cannot have 'many' as its steps"},
        {"congestion = char(10)", "cannot have '?' as its congestion"},
        {"rows = 0", "cannot have '0' as its rows"},
        {"cols = NULL", "cannot have '' as its cols"},
        {"asked_buffer = 4294967296", "cannot have '4294967296' as its asked_buffer"},
    };
    static const char *const ways[] = {"", "--json", "--plot steps -o $T/none.svg"};
    static const char *const statements[][2] = {
        {"UPDATE result SET figures = replace(figures, '\"steps\":54.0', '\"steps\":9e999')",
         "cannot have 'Inf' as its steps"},
        {"UPDATE result SET figures = substr(figures, 2)", "is damaged: "},
        {"ALTER TABLE result RENAME COLUMN figures TO numbers", "its tables are not those of "},
        {"DROP TABLE result; CREATE VIEW result AS SELECT * FROM run", "its tables are not those "},
    };
    report_case_make();
    program_run("cp $T/db $T/kept");
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        char sql[160];
        snprintf(sql, sizeof sql, "UPDATE run SET %s WHERE identity = '16 4 0'", damaged[i][0]);
        report_case_execute(sql);
        const struct outcome *run = program_run_ends(3, "$M report $T/db %s", ways[i % 3]);
        ck_assert_str_eq(run->out, "");
        ck_assert_msg(strstr(run->err, damaged[i][1]) != NULL, "%s", run->err);
        program_run("cp $T/kept $T/db");
    }
    program_run_ends(0, "$M report $T/db");
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        program_run("cp $T/kept $T/db");
        report_case_damage(statements[i][0]);
        program_run_fails(3, statements[i][1], "$M report $T/db");
    }
}
END_TEST

/* Pictures of every kind, and of every format: the file is of its format, and gnuplot has nothing
 * to say. */
START_TEST(test_pictures)
{
    static const char *const kinds[] = {"steps", "buffers", "ratio"};
    static const char *const formats[][2] = {{"svg", "<?xml"}, {"png", "PNG"}, {"pdf", "%PDF"}};
    report_case_make();
    for (size_t k = 0; k < 3; k++)
        for (size_t f = 0; f < (k == 0 ? 3 : 1); f++) {
            const struct outcome *run = program_run_ends(
                0, "$M report $T/db --plot %s -o $T/p.%s && head -c 5 $T/p.%s | tr -d '\\211'",
                kinds[k], formats[f][0], formats[f][0]);
            ck_assert_str_eq(run->err, "");
            ck_assert_ptr_nonnull(strstr(run->out, formats[f][1]));
        }
    ck_assert_ptr_nonnull(strstr(program_run("cat $T/p.svg")->out, ">random r=3<"));
    const struct outcome *run = program_run_ends(0, "$M report $T/db --plot steps");
    ck_assert_ptr_nonnull(strstr(run->out, "lower bound"));
    ck_assert_ptr_nonnull(strstr(run->out, "c n  (congestion times nodes)"));
    run = program_run_ends(
        0, "$M sweep --pattern uniform --side 8 --congestion 6 --per-node 1,2,3 --router "
           "trees --db $T/l.db -q && $M report $T/l.db --plot steps -o $T/l.svg && "
           "cat $T/l.svg");
    ck_assert_ptr_nonnull(strstr(run->out, "l c n  (l: most messages from a node)"));
    ck_assert_ptr_nonnull(strstr(run->out, "fit: (l c)^"));
    ck_assert_ptr_nonnull(strstr(run->out, "sqrt(l c n)"));
    /* one point, and a lower bound of 0 that has no place on the axes */
    report_case_execute(
        "DELETE FROM run WHERE identity <> '16 4 0'; UPDATE run SET lower_bound = 0");
    for (size_t k = 0; k < 2; k++) {
        run = program_run_ends(0,
                               "$M report $T/db --plot %s; $M report $T/db --plot %s -o $T/one.svg",
                               kinds[k], kinds[k]);
        ck_assert_str_eq(run->err, "");
    }
    program_run_fails(4, "full.svg",
                      "ln -s /dev/full $T/full.svg; $M report $T/db --plot steps -o $T/full.svg");
    program_run_ends(4, "$M report $T/db --plot steps -o - >/dev/full");
}
END_TEST

/* Twenty thousand groups of runs take time in proportion, and are refused where memory is short. */
START_TEST(test_many_groups)
{
    report_case_make();
    report_case_execute("WITH RECURSIVE number(i) AS "
                        "(SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 20000) "
                        "INSERT INTO run (identity, workload, asked_parameters, meshcast, router, "
                        "copy, rows, cols, steps, congestion, outcome) "
                        "SELECT 'made ' || i, 'set ' || i, asked_parameters, meshcast, router, "
                        "copy, rows, cols, steps, congestion, outcome FROM number, run "
                        "WHERE id = 1");
    const struct outcome *run = program_run("$M report $T/db --csv | grep -c '^set'");
    ck_assert_str_eq(run->out, "20000\n");
    if (!SANITIZED) { /* sanitizers have other memory than data */
        program_run_fails(4, "out of memory", "(ulimit -d 50000; $M report $T/db)");
    }
    program_run_ends(0, "$M report $T/db >$T/report");
}
END_TEST

void report_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, test_known_exponents);
    tcase_add_loop_test(tests, test_standard_errors, 0, 4);
    tcase_add_test(tests, test_degenerate_fits);
    tcase_add_test(tests, test_known_sums);
    tcase_add_loop_test(tests, test_least_sums, 0, 4);
    tcase_add_test(tests, test_other_router_ran);
    tcase_add_test(tests, test_json);
    tcase_add_test(tests, test_tables);
    tcase_add_test(tests, test_odd_names);
    tcase_add_test(tests, test_selection);
    tcase_add_loop_test(tests, test_bad, 0, BAD_CASES);
    tcase_add_test(tests, test_values_of_no_run);
    tcase_add_test(tests, test_pictures);
    tcase_add_test(tests, test_many_groups);
}
