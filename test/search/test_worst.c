/* test_worst.c - the worst sets that searches found, against what the routers promise.
 *
 * test/worst/runs.txt has a line a set: its file, the router, the objective, the cost of copies, the
 * seed, and the figure of the day it was found, which is for people: routers may do better, and must
 * keep their promises (search/promise.h). doc/worst.md has the table of promises.
 */
#include "search/promise.h"
#include "test/router_case.h"
#include "workloads/import.h"

#include <check.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

Suite *worst_suite(void);

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

static void check_promise(const struct worst_row *row, const struct message_set *set,
                          const struct router_result *result, bool copy_is_free)
{
    uint32_t which = 0;
    const char *ran =
        result->ran_as[0] != '\0' && result->attempts < 2 ? result->ran_as : row->router;
    while (strcmp(objective_names[which], row->objective) != 0)
        ck_assert_msg(++which < OBJECTIVES, "%s: objective %s", row->file, row->objective);
    struct promise_case one = {.mesh = set->mesh,
                               .congestion = result->congestion,
                               .capacity = result->buffer_capacity,
                               .copy_is_free = copy_is_free,
                               .most_sent = result->most_sent};
    double bound = promise_bound(promise_find(ran, (enum objective)which), &one);
    uint64_t figure =
        which == OBJECTIVE_BUFFER ? result->buffer_peak : result->steps - result->sync_steps;
    ck_assert_uint_gt(figure, 0);
    ck_assert_msg(bound == 0 || (double)figure <= bound,
                  "%s: %s takes %" PRIu64 " (%s), %.1f is promised", row->file, ran, figure,
                  row->objective, bound);
}

/* On the worst sets routers deliver everything, and keep what they promise. */
START_TEST(promises_are_kept)
{
    struct worst_row row = {.figure = 0};
    struct message_set set;
    struct failure failure = {0};
    struct router_result result;
    char path[192];
    ck_assert(read_row(_i, &row) && row.router[0] != '\0');
    snprintf(path, sizeof path, "test/worst/%s", row.file);
    ck_assert_msg(set_file_read(&set, &(struct import_summary){0}, path, NULL, &failure) ==
                      FAIL_NONE,
                  "%s", failure.text);
    struct router_case run = router_case_make(row.router, NULL);
    run.copy_is_free = strcmp(row.copy, "free") == 0;
    run.seed = row.seed;
    router_case_check(&run, &set, &result);
    check_promise(&row, &set, &result, run.copy_is_free);
    message_set_free(&set);
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

/* The page says what the table of promises says; of every router that promises something there are sets. */
START_TEST(page)
{
    char *text = read_page(), line[LINE_SIZE];
    struct worst_row row;
    for (uint32_t i = 0; i < promise_count(); i++) {
        const struct promise *promise = promise_at(i);
        const char *objective = objective_names[promise->objective];
        snprintf(line, sizeof line, "\n| `%s` | %s | %s | %s |\n", promise->router, objective,
                 promise->formula, promise_kind_name(promise->kind));
        ck_assert_msg(strstr(text, line) != NULL, "doc/worst.md has no row %s", line + 1);
        bool is_there = false;
        for (int j = 0; read_row(j, &row); j++)
            is_there |=
                strcmp(row.router, promise->router) == 0 && strcmp(row.objective, objective) == 0;
        ck_assert_msg(is_there, "no worst set: %s, %s", promise->router, objective);
    }
    free(text);
}
END_TEST

Suite *worst_suite(void)
{
    Suite *suite = suite_create("worst");
    TCase *tests = tcase_create("worst");
    tcase_add_loop_test(tests, promises_are_kept, 0, count_rows());
    tcase_add_test(tests, all_are_run);
    tcase_add_test(tests, page);
    suite_add_tcase(suite, tests);
    return suite;
}
