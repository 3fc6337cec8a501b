/* test_report_form.c - --csv of all commands: the figures of --json, a line with names above them.
 *
 * Oracle: a parser of RFC 4180, written here, and the objects that --json prints of the same run; figures that are
 * times differ and are left out.
 */
#include "library/report_form.h"
#include "library/report_parts.h"
#include "test/program_run.h"

#include <check.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 64, MOST_COLUMNS = 128 };

struct csv {
    int rows, columns; /* rows: the head is the first */
    char *field[MOST_ROWS][MOST_COLUMNS];
};

/* Reads a field at `at`; returns what is behind it. */
static const char *read_field(const char *at, char **field)
{
    size_t size = 0;
    *field = calloc(strlen(at) + 1, 1);
    if (*at != '"') {
        size = strcspn(at, ",\r\n");
        ck_assert_ptr_null(memchr(at, '"', size));
        memcpy(*field, at, size);
        return at + size;
    }
    for (at++; *at != '"' || at[1] == '"'; at++) {
        ck_assert_int_ne(*at, '\0');
        (*field)[size++] = *at;
        at += *at == '"';
    }
    return at + 1;
}

static struct csv *read_csv(const char *at)
{
    struct csv *csv = calloc(1, sizeof *csv);
    while (*at != '\0') {
        int column = 0;
        ck_assert_int_lt(csv->rows, MOST_ROWS);
        do {
            ck_assert_int_lt(column, MOST_COLUMNS);
            at = read_field(at, &csv->field[csv->rows][column++]);
        } while (*at++ == ',');
        ck_assert_int_eq(at[-1], '\r');
        ck_assert_int_eq(*at++, '\n');
        csv->columns = csv->rows++ == 0 ? column : csv->columns;
        ck_assert_int_eq(column, csv->columns);
    }
    return csv;
}

static void free_csv(struct csv *csv)
{
    for (int row = 0; row < csv->rows; row++)
        for (int column = 0; column < csv->columns; column++)
            free(csv->field[row][column]);
    free(csv);
}

/* The field of a row, from 1, in the column of that name. */
static const char *field_of(const struct csv *csv, int row, const char *name)
{
    for (int column = 0; column < csv->columns; column++)
        if (strcmp(csv->field[0][column], name) == 0)
            return csv->field[row][column];
    ck_abort_msg("no column %s", name);
}

/* ---- made-up rows ---- */

static const struct {
    const char *rows, *expected;
} made_up[] = {
    {"{\"a\": 1, \"b\": 2.5, \"c\": \"x\"}", "a,b,c\r\n1,2.5,x\r\n"},
    {"{\"a\": true, \"b\": false, \"c\": null}", "a,b,c\r\n1,0,\r\n"},
    {"{\"a\": \"1, 2\", \"b\": \"say \\\"no\\\"\", \"c\": \"x\\ny\"}",
     "a,b,c\r\n\"1, 2\",\"say \"\"no\"\"\",\"x\ny\"\r\n"},
    {"{\"a\": {\"b\": {\"c\": 3}, \"d\": 4}, \"e,f\": 5}", "\"e,f\",a.d,a.b.c\r\n5,4,3\r\n"},
    {"{\"a\": [4, 5, 0.5], \"b\": [], \"c\": [{\"d\": 1}, {}], \"e\": [\"x\"]}",
     "a,b,c,e\r\n4 5 0.5,0,2,1\r\n"},
    {"[{\"a\": 1, \"b\": 2}, {\"b\": 3, \"c\": 4}, {}]", "a,b,c\r\n1,2,\r\n,3,4\r\n,,\r\n"},
    {"[{\"a\": 1, \"o\": {\"x\": 2}, \"b\": 3}, {\"a\": 4, \"o\": {\"y\": 5, \"x\": 6}, \"p\": "
     "{\"z\": 7}, "
     "\"c\": 8, \"b\": 9}, {\"o\": {\"w\": 1}}]",
     "a,c,b,o.y,o.x,o.w,p.z\r\n1,,3,,2,,\r\n4,8,9,5,6,,7\r\n,,,,,1,\r\n"},
    {"[{\"a\": 1, \"e\": 2}, {\"a\": 3, \"b\": 4, \"o\": {\"x\": 5}}, {\"a\": 6, \"b\": 7, \"o\": "
     "null, \"e\": 8}]",
     "a,b,e,o.x\r\n1,,2,\r\n3,4,,5\r\n6,7,8,\r\n"},
    {"{\"a\": 18014398509481985, \"b\": 0.1234567890123}",
     "a,b\r\n18014398509481985,0.123456789\r\n"},
    {"[]", "\r\n"},
};

/* What becomes of each kind of value, and of rows with other keys. */
START_TEST(values)
{
    char *text = NULL;
    size_t size;
    struct failure failure = {0};
    json_t *rows = json_loads(made_up[_i].rows, 0, NULL);
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(rows);
    ck_assert_int_eq(report_print_csv(rows, out, &failure), FAIL_NONE);
    fclose(out);
    ck_assert_str_eq(text, made_up[_i].expected);
    free(text);
    json_decref(rows);
}
END_TEST

/* ---- commands ---- */

static const struct {
    const char *command,
        *rows; /* rows: the key of the rows in the object; NULL: the object, or an array */
    int more;  /* rows of CSV beyond those */
} commands[] = {
    {"route $T/s --router replicate", NULL, 0},
    {"route $T/s --router stream --unknown-congestion", NULL, 0},
    {"compare $T/s", "runs", 0},
    {"compare $T/s --buffer 5 --routers trees:slots=auto,circulate", "runs", 0},
    {"stress $T/s --router trees", "runs", 1},
    {"search --router trees --side 4 --congestion 2 --tries 3", NULL, 0},
    {"kernel sort --side 8", NULL, 0},
    {"expander check --inputs 64 --c 8,16 --r 4", "brackets", 0},
    {"info $T/s", NULL, 0},
    {"info $T/torus", NULL, 0},
    {"plan $T/torus --scheme unicast,dual", NULL, 0},
    {"network $T/s --scheme unicast", NULL, 0},
    {"network $T/torus --scheme vh --flits 20", NULL, 0}, /* a deadlock */
    {"load --topology mesh:4x4 --scheme unicast --rate 0.01,0.02 --measure 200", "points", 0},
    {"audit $T/s $T/run.trace", NULL, 0},
    {"audit $T/torus $T/burst.trace", NULL, 0},
};

static bool is_time(const char *name)
{
    return strstr(name, "seconds") != NULL || strstr(name, "per_second") != NULL;
}

/* Holds the figures of an object against the fields of a row. */
static void check_row(const struct csv *csv, int row, json_t *object, const char *prefix)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        char name[256];
        snprintf(name, sizeof name, "%s%s", prefix, key);
        if (json_is_object(value)) {
            strcat(name, ".");
            check_row(csv, row, value, name);
            continue;
        }
        const char *field = field_of(csv, row, name);
        if (json_is_null(value))
            ck_assert_str_eq(field, "");
        else if (json_is_string(value))
            ck_assert_str_eq(field, json_string_value(value));
        else if (json_is_boolean(value))
            ck_assert_str_eq(field, json_is_true(value) ? "1" : "0");
        else if (json_is_number(value) && !is_time(name))
            ck_assert_double_eq_tol(strtod(field, NULL), json_number_value(value), 1e-6);
    }
}

/* Every figure of --json is a field of --csv, in rows of one length below a line of names. */
START_TEST(of_commands)
{
    ck_assert_int_eq(program_run("$M gen --side 8 --pattern uniform --degree 4 --congestion 4 "
                                 "-o $T/s && $M gen --topology torus:4x4x4 --pattern uniform "
                                 "--degree 8 -o $T/torus")
                         ->status,
                     0);
    if (strncmp(commands[_i].command, "audit", 5) == 0)
        program_run("$M route $T/s --router trees --trace $T/run.trace && "
                    "$M network $T/torus --scheme dual --trace $T/burst.trace");
    const struct outcome *run = program_run("$M %s --csv", commands[_i].command);
    struct csv *csv = read_csv(run->out);
    program_run("$M %s --json", commands[_i].command);
    json_t *json = program_run_json(), *rows = json;
    if (commands[_i].rows != NULL)
        rows = json_object_get(json, commands[_i].rows);
    int count = json_is_array(rows) ? (int)json_array_size(rows) : 1;
    ck_assert_int_eq(csv->rows, 1 + count + commands[_i].more);
    for (int row = 0; row < count; row++)
        check_row(csv, row + 1, json_is_array(rows) ? json_array_get(rows, (size_t)row) : rows, "");
    json_decref(json);
    free_csv(csv);
}
END_TEST

/* The list of a sweep says which runs are stored; the figures of points have what was asked beside them. */
START_TEST(of_lists)
{
    const struct outcome *run = program_run(
        "$M sweep --router trees --param tree=xy,spread --pattern uniform --side 4,8 --degree 2 "
        "--db $T/db -q && $M sweep --router trees --param tree=xy,spread --pattern uniform --side "
        "4,8 --degree 2 --seeds 2 --copy unit,free --db $T/db -n --csv");
    ck_assert_int_eq(run->status, 0);
    struct csv *csv = read_csv(run->out);
    int stored = 0;
    ck_assert_int_eq(csv->rows, 1 + 16);
    for (int row = 1; row < csv->rows; row++) {
        stored += strcmp(field_of(csv, row, "state"), "stored") == 0;
        ck_assert_str_eq(field_of(csv, row, "workload"), "uniform");
        ck_assert_str_eq(field_of(csv, row, "asked_degree"), "2");
        ck_assert_str_eq(field_of(csv, row, "asked_congestion"), "");
        ck_assert_int_eq(strncmp(field_of(csv, row, "parameters"), "tree=", 5), 0);
    }
    ck_assert_int_eq(stored, 4);
    free_csv(csv);
    run = program_run("$M load --topology mesh:4x4 --scheme unicast --rate 0.01 --measure 200 "
                      "--csv");
    csv = read_csv(run->out);
    ck_assert_str_eq(field_of(csv, 1, "sizes"), "4 4");
    ck_assert_str_eq(field_of(csv, 1, "measure"), "200");
    free_csv(csv);
}
END_TEST

static const struct {
    const char *command, *expected;
} refused[] = {
    {"route $T/s --router trees --csv --json", "--json and --csv exclude each other"},
    {"compare $T/s --csv --json", "--json and --csv exclude each other"},
    {"stress $T/s --router trees --csv --json", "--json and --csv exclude each other"},
    {"search --router trees --side 4 --csv --json", "--json and --csv exclude each other"},
    {"kernel sort --side 4 --csv --json", "--json and --csv exclude each other"},
    {"expander check --inputs 64 --c 8 --r 4 --csv --json", "--json and --csv exclude each other"},
    {"expander make --inputs 64 --c 8 --r 4 --csv", "--csv"},
    {"info $T/s --csv --json", "--json and --csv exclude each other"},
    {"audit $T/s --csv --json", "--json and --csv exclude each other"},
    {"plan $T/s --scheme dual --csv --json", "--json and --csv exclude each other"},
    {"network $T/s --scheme dual --csv --json", "--json and --csv exclude each other"},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1 --csv --json",
     "--json and --csv exclude each other"},
    {"route $T/s --router trees --csv --trace -", "--trace - and --csv both want standard output"},
    {"kernel sort --side 4 --csv --trace -", "--trace - and --csv both want standard output"},
    {"network $T/s --scheme dual --json --trace -",
     "--trace - and --json both want standard output"},
    {"plan $T/s --scheme dual --csv --each -", "--each - and --csv both want standard output"},
    {"sweep --pattern uniform --side 4 --db $T/db --csv", "--csv is for the list of --dry-run"},
};

/* What cannot be is told. */
START_TEST(refusals)
{
    program_run("$M gen --side 4 --pattern uniform -o $T/s");
    const struct outcome *run = program_run("$M %s", refused[_i].command);
    ck_assert_int_eq(run->status, 2);
    ck_assert_str_eq(run->out, "");
    ck_assert_msg(strstr(run->err, refused[_i].expected) != NULL, "%s", run->err);
}
END_TEST

Suite *report_form_suite(void);

Suite *report_form_suite(void)
{
    Suite *suite = suite_create("report_form");
    TCase *tests = tcase_create("report_form");
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, values, 0, sizeof made_up / sizeof made_up[0]);
    tcase_add_loop_test(tests, of_commands, 0, sizeof commands / sizeof commands[0]);
    tcase_add_test(tests, of_lists);
    tcase_add_loop_test(tests, refusals, 0, sizeof refused / sizeof refused[0]);
    suite_add_tcase(suite, tests);
    return suite;
}
