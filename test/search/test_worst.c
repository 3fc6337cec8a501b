/* test_worst.c - the worst sets that searches found, against what the routers promise.
 *
 * test/worst/runs.txt has a line per set: its file, the router, the objective, the cost of copies,
 * the seed, and the figure when it was last searched or run, which is for people: routers may do
 * better, and must keep their promises (search/promise.h). doc/worst.md has the table of promises.
 */
#include "library/meshcast_command.h"
#include "test/program_run.h"

#include <check.h>
#include <glob.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 512 };

struct worst_row {
    char file[128], router[32], objective[16], copy[8];
    uint64_t seed, figure;
};

/* Row `index` of the file, without a router where the line is none; false: there is none. */
static bool read_row(int index, struct worst_row *row)
{
    char line[LINE_SIZE];
    FILE *file = fopen("test/worst/runs.txt", "r");
    bool is_there = file != NULL;
    for (int i = 0; is_there && i <= index; i++)
        is_there = fgets(line, sizeof line, file) != NULL;
    if (file != NULL)
        fclose(file);
    if (is_there && sscanf(line, "%127s %31s %15s %7s %" SCNu64 " %" SCNu64, row->file, row->router,
                           row->objective, row->copy, &row->seed, &row->figure) != 6)
        row->router[0] = '\0';
    return is_there;
}

static int count_rows(void)
{
    struct worst_row row;
    int count = 0;
    while (read_row(count, &row))
        count++;
    return count;
}

static char *read_page(void)
{
    FILE *file = fopen("doc/worst.md", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(1, length + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, length, file), length);
    fclose(file);
    return text;
}

/* On the worst sets routers deliver everything, by the audit, and keep their promises; the page has
 * the promise. */
START_TEST(promises_are_kept)
{
    struct worst_row row = {.figure = 0};
    char line[LINE_SIZE], *page = read_page();
    ck_assert(read_row(_i, &row) && row.router[0] != '\0');
    program_run_ends(0,
                     "set=test/worst/%s; options='--router %s --copy %s --seed %" PRIu64 "'; "
                     "$M route $set $options -q --trace - | $M audit -q $set - && "
                     "$M search $set $options --objective %s --tries 1 --json -q",
                     row.file, row.router, row.copy, row.seed, row.objective);
    json_t *object = program_run_json(), *promise = json_object_get(object, "promise");
    ck_assert(json_is_false(json_object_get(object, "is_broken")));
    ck_assert_int_gt(program_run_integer(json_object_get(object, "worst"), "figure"), 0);
    snprintf(line, sizeof line, "\n| `%s` | %s | %s | ", row.router, row.objective,
             program_run_text(promise, "formula"));
    if (json_is_null(json_object_get(object, "ran_as")))
        ck_assert_msg(strstr(page, line) != NULL, "doc/worst.md has no row %s", line + 1);
    json_decref(object);
    free(page);
}
END_TEST

/* Every set of the folder is run. */
START_TEST(all_are_run)
{
    glob_t found;
    ck_assert_int_eq(glob("test/worst/*.mcast", 0, NULL, &found), 0);
    ck_assert_int_eq((int)found.gl_pathc, count_rows());
    globfree(&found);
}
END_TEST

/* Every router has sets for both objectives. */
START_TEST(all_have_sets)
{
    const char *router;
    struct worst_row row;
    for (uint32_t i = 0; (router = meshcast_command_value_at("route", "router", i)) != NULL; i++) {
        uint32_t of_steps = 0, of_buffer = 0;
        for (int j = 0; read_row(j, &row); j++)
            if (strcmp(row.router, router) == 0)
                *(strcmp(row.objective, "steps") == 0 ? &of_steps : &of_buffer) += 1;
        ck_assert_msg(of_steps > 0 && of_buffer > 0, "no worst set of %s", router);
    }
}
END_TEST

void worst_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, promises_are_kept, 0, count_rows());
    tcase_add_test(tests, all_are_run);
    tcase_add_test(tests, all_have_sets);
}
