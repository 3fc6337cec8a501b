/* test_sweep_ranks.c - a sweep on ranks: it stores what a sweep alone stores, but for the times.
 *
 * Oracle: the sweep alone, whose rows, phases and parameters are read with SQLite.
 */
#include "routers/routing.h"
#include "sweep/sweep_ranks.h"
#include "sweep/sweep_run.h"
#include "test/base/ranks_case.h"
#include "test/base/ranks_threads.h"
#include "test/temporary.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef fail /* a macro of Check's */

Suite *sweep_ranks_suite(void);

struct sweeping {
    const struct sweep_plan *plan;
    const struct sweep_plan *other; /* of the last rank; NULL: the same */
    const char *path;
    struct deputy *deputy; /* [ranks], of each but rank 0; NULL: the ranks do the runs themselves */
    struct sweep_outcome outcome; /* of rank 0 */
};

static enum failure_kind run_rank(void *context, struct ranks *ranks, struct failure *failure)
{
    struct sweeping *sweeping = context;
    struct sweep_outcome outcome;
    struct sweep_settings settings = {
        .path = sweeping->path, .jobs = 1, .threads = 1, .ranks = ranks, .quiet = true};
    if (sweeping->deputy != NULL && ranks_rank(ranks) > 0)
        settings.deputy = &sweeping->deputy[ranks_rank(ranks)];
    bool is_other = sweeping->other != NULL && ranks_rank(ranks) + 1 == ranks_size(ranks);
    enum failure_kind kind =
        sweep_run(is_other ? sweeping->other : sweeping->plan, &settings, &outcome, failure);
    if (ranks_rank(ranks) == 0)
        sweeping->outcome = outcome;
    return kind == FAIL_NONE ? kind : ranks_fail(ranks, kind, failure);
}

static void run_on(struct sweeping *sweeping, uint32_t ranks)
{
    struct failure failure = {0};
    ck_assert_msg(ranks_run_threads(ranks, run_rank, sweeping, &failure) == FAIL_NONE,
                  "%u ranks: %s", ranks, failure.text);
}

/* ---- what is stored ---- */

static void dump(sqlite3 *database, const char *query, FILE *out)
{
    sqlite3_stmt *rows;
    ck_assert_int_eq(sqlite3_prepare_v2(database, query, -1, &rows, NULL), SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(rows); i++) {
            const char *name = sqlite3_column_name(rows, i);
            const unsigned char *value = sqlite3_column_text(rows, i);
            if (strcmp(name, "id") != 0 && strcmp(name, "wall_seconds") != 0)
                fprintf(out, "%s=%s\t", name, value == NULL ? "NULL" : (const char *)value);
        }
        fputc('\n', out);
    }
    sqlite3_finalize(rows);
}

/* All that the database holds, which the caller frees. */
static char *contents(const char *path)
{
    sqlite3 *database;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_int_eq(sqlite3_open(path, &database), SQLITE_OK);
    dump(database, "SELECT * FROM run ORDER BY identity", out);
    dump(database,
         "SELECT identity, position, name, phase.steps FROM phase JOIN run ON run = id "
         "ORDER BY identity, position",
         out);
    dump(database,
         "SELECT identity, name, value FROM parameter JOIN run ON run = id ORDER BY identity, name",
         out);
    sqlite3_close(database);
    fclose(out);
    return text;
}

static void remove_database(const char *folder, const char *name)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[TEMPORARY_PATH + 32];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s%s", folder, name, ends[i]);
        unlink(path);
    }
}

/* ---- plans ---- */

static void write_set(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Runs that end well, that overflow, and that are refused; of patterns and of a file. */
static void make_plan(struct sweep_plan *plan, struct sweep_request *request, const char *set)
{
    struct failure failure = {0};
    *request =
        (struct sweep_request){.routers = {2, {router_find("trees"), router_find("unicast")}},
                               .buffers = {2, {0, 1}},
                               .copies = {2, {0, 1}},
                               .meshes = {2, {{6, 6}, {3, 7}}},
                               .patterns = {2, {pattern_find("uniform"), pattern_find("worst")}},
                               .degrees = {1, {3}},
                               .congestions = {1, {3}},
                               .per_nodes = {2, {1, 2}},
                               .files = {set != NULL ? 1 : 0, {set}},
                               .seeds = 2};
    ck_assert_msg(sweep_plan_make(plan, request, &failure) == FAIL_NONE, "%s", failure.text);
}

static char folder[TEMPORARY_PATH], set_path[TEMPORARY_PATH + 16];

static void setup(void)
{
    temporary_folder(folder);
    snprintf(set_path, sizeof set_path, "%s/set", folder);
    write_set(set_path, "mcast 1 5 5\n0 3 4\n7 9 24\n23 1 0\n");
}

static void teardown(void)
{
    unlink(set_path);
    remove_database(folder, "alone");
    remove_database(folder, "ranks");
    rmdir(folder);
}

/* On 2, 3 and 5 ranks the same is stored; a second start finds all of it. */
START_TEST(same_rows)
{
    struct sweep_request request;
    struct sweep_plan plan;
    char alone_path[TEMPORARY_PATH + 16], path[TEMPORARY_PATH + 16];
    snprintf(alone_path, sizeof alone_path, "%s/alone", folder);
    snprintf(path, sizeof path, "%s/ranks", folder);
    make_plan(&plan, &request, set_path);
    struct sweeping alone = {.plan = &plan, .path = alone_path};
    run_on(&alone, 1);
    char *expected = contents(alone_path);
    ck_assert_uint_gt(alone.outcome.failed, 0);
    ck_assert_uint_gt(alone.outcome.refused, 0);
    ck_assert_uint_eq(alone.outcome.stored, plan.runs);
    for (uint32_t ranks = 2; ranks <= MOST_RANKS; ranks += ranks - 1) {
        struct sweeping sweeping = {.plan = &plan, .path = path};
        run_on(&sweeping, ranks);
        char *stored = contents(path);
        ck_assert_uint_eq(sweeping.outcome.stored, plan.runs);
        ck_assert_uint_eq(sweeping.outcome.failed, alone.outcome.failed);
        ck_assert_uint_eq(sweeping.outcome.refused, alone.outcome.refused);
        ck_assert_str_eq(stored, expected);
        free(stored);
        run_on(&sweeping, ranks);
        ck_assert_uint_eq(sweeping.outcome.there, plan.runs);
        ck_assert_uint_eq(sweeping.outcome.stored, 0);
        remove_database(folder, "ranks");
    }
    free(expected);
    sweep_plan_free(&plan);
}
END_TEST

/* What another sweep has stored is not done again. */
START_TEST(goes_on)
{
    struct sweep_request request, first_request;
    struct sweep_plan plan, first;
    char path[TEMPORARY_PATH + 16];
    snprintf(path, sizeof path, "%s/ranks", folder);
    make_plan(&plan, &request, set_path);
    make_plan(&first, &first_request, NULL);
    struct sweeping before = {.plan = &first, .path = path};
    struct sweeping sweeping = {.plan = &plan, .path = path};
    run_on(&before, 1);
    run_on(&sweeping, MOST_RANKS);
    ck_assert_uint_eq(sweeping.outcome.there, first.runs);
    ck_assert_uint_eq(sweeping.outcome.stored, plan.runs - first.runs);
    sweep_plan_free(&plan);
    sweep_plan_free(&first);
}
END_TEST

/* A set that has changed, or is another one at the only rank that does runs: these are not stored, and it is told why. */
START_TEST(other_files)
{
    struct sweep_request request, other_request;
    struct sweep_plan plan, other;
    char path[TEMPORARY_PATH + 16];
    snprintf(path, sizeof path, "%s/ranks", folder);
    make_plan(&plan, &request, set_path);
    write_set(set_path, "mcast 1 5 5\n0 3 4\n7 9 23\n23 1 0\n");
    make_plan(&other, &other_request, set_path);
    for (int is_other = 0; is_other < 2; is_other++) {
        struct sweeping sweeping = {.plan = &plan, .other = is_other ? &other : NULL, .path = path};
        if (MOST_RANKS > 1)
            run_on(&sweeping, 2);
        else
            continue;
        ck_assert_uint_gt(sweeping.outcome.undone, 0);
        ck_assert_uint_eq(sweeping.outcome.stored + sweeping.outcome.undone, plan.runs);
        ck_assert_msg(strstr(sweeping.outcome.why_undone.text,
                             is_other ? "rank 1 has other files than rank 0"
                                      : "has changed since the sweep began") != NULL,
                      "%s", sweeping.outcome.why_undone.text);
        remove_database(folder, "ranks");
    }
    sweep_plan_free(&plan);
    sweep_plan_free(&other);
}
END_TEST

/* A database that cannot be had is told, and no rank is left waiting. */
START_TEST(no_database)
{
    struct sweep_request request;
    struct sweep_plan plan;
    make_plan(&plan, &request, NULL);
    for (uint32_t ranks = 1; ranks <= MOST_RANKS; ranks += 2) {
        struct failure failure = {0};
        struct sweeping sweeping = {.plan = &plan, .path = set_path};
        ck_assert_int_eq(ranks_run_threads(ranks, run_rank, &sweeping, &failure), FAIL_INPUT);
        ck_assert_ptr_nonnull(strstr(failure.text, set_path));
        sweeping.path = folder;
        failure = (struct failure){0};
        ck_assert_int_ne(ranks_run_threads(ranks, run_rank, &sweeping, &failure), FAIL_NONE);
    }
    sweep_plan_free(&plan);
}
END_TEST

/* ---- deputies ---- */

/* So many times a worker dies, each time in the same run. */
static int deaths;

/* Adds a letter to file `order`: 'd' for the run in which workers die, '-' for another one. */
static void note_order(bool is_deadly)
{
    char path[TEMPORARY_PATH + 16];
    snprintf(path, sizeof path, "%s/order", folder);
    FILE *file = fopen(path, "a");
    ck_assert_ptr_nonnull(file);
    fputc(is_deadly ? 'd' : '-', file);
    fclose(file);
}

/* Returns the last letter of file `order`, which it removes; 0: there is none. */
static char last_in_order(void)
{
    char path[TEMPORARY_PATH + 16], text[64] = "";
    snprintf(path, sizeof path, "%s/order", folder);
    FILE *file = fopen(path, "r");
    size_t length = file == NULL ? 0 : fread(text, 1, sizeof text, file);
    if (file != NULL)
        fclose(file);
    unlink(path);
    return length == 0 ? '\0' : text[length - 1];
}

/* Dies as a process does for which there is no memory, if it has not done so often enough. */
static enum failure_kind die_or_route(struct routing *routing, struct failure *failure)
{
    bool is_deadly = routing->set->mesh.cols == 8 && routing->options->seed == 1;
    for (int i = 0; i < deaths && is_deadly; i++) {
        char mark[TEMPORARY_PATH + 24];
        snprintf(mark, sizeof mark, "%s/death%d", folder, i);
        int file = open(mark, O_CREAT | O_EXCL, 0600);
        if (file >= 0)
            raise(SIGKILL);
    }
    note_order(is_deadly);
    return trees_method.route(routing, failure);
}

static void begin_deputies(const struct sweep_plan *plan, struct deputy *deputy, uint32_t ranks)
{
    struct failure failure = {0};
    for (uint32_t rank = 1; rank < ranks; rank++) {
        ck_assert_int_eq(deputy_begin(&deputy[rank], &failure), FAIL_NONE);
        if (!deputy[rank].is_deputy)
            continue;
        sweep_do_for_rank(plan, 1, &deputy[rank]);
        _exit(0);
    }
}

/* Sweeps on so many ranks, with deputies, and returns how many marks of deaths there are, which it removes. */
static int sweep_with_deputies(struct sweeping *sweeping, uint32_t ranks)
{
    struct deputy deputy[MOST_RANKS] = {{0}};
    char mark[TEMPORARY_PATH + 24];
    int died = 0;
    begin_deputies(sweeping->plan, deputy, ranks);
    sweeping->deputy = deputy;
    run_on(sweeping, ranks);
    sweeping->deputy = NULL;
    for (uint32_t rank = 1; rank < ranks; rank++)
        deputy_end(&deputy[rank]);
    for (int i = 0; i < 2; i++) {
        snprintf(mark, sizeof mark, "%s/death%d", folder, i);
        died += unlink(mark) == 0;
    }
    return died;
}

/* A worker that dies loses its run and no more: the run is done once more, by it or by another rank, and stored. If it dies
 * again, all other runs are stored, and the next sweep does this one. */
START_TEST(deaths_of_workers)
{
    struct failure failure = {0};
    struct sweep_plan plan;
    char path[TEMPORARY_PATH + 16], alone_path[TEMPORARY_PATH + 16];
    snprintf(path, sizeof path, "%s/ranks", folder);
    snprintf(alone_path, sizeof alone_path, "%s/alone", folder);
    struct router_method dying = trees_method;
    dying.route = die_or_route;
    struct sweep_request request = {.routers = {1, {&dying.shown}},
                                    .meshes = {3, {{6, 6}, {8, 8}, {3, 7}}},
                                    .patterns = {1, {pattern_find("uniform")}},
                                    .seeds = 3};
    ck_assert_int_eq(sweep_plan_make(&plan, &request, &failure), FAIL_NONE);
    struct sweeping alone = {.plan = &plan, .path = alone_path};
    deaths = 0;
    run_on(&alone, 1);
    char *expected = contents(alone_path);
    for (uint32_t ranks = 2; ranks <= MOST_RANKS; ranks++)
        for (int times = 0; times <= 2; times++) {
            deaths = times;
            struct sweeping sweeping = {.plan = &plan, .path = path};
            last_in_order();
            ck_assert_int_eq(sweep_with_deputies(&sweeping, ranks), deaths);
            char last = last_in_order();
            if (ranks == 2 && deaths == 1) /* a lost run is dealt out behind all others */
                ck_assert_int_eq(last, 'd');
            uint64_t undone = sweeping.outcome.undone;
            ck_assert_uint_eq(undone, deaths == 2);
            ck_assert_uint_eq(sweeping.outcome.stored + undone, plan.runs);
            if (undone > 0)
                ck_assert_ptr_nonnull(
                    strstr(sweeping.outcome.why_undone.text, "died (signal 9, Killed), and one"));
            deaths = 0;
            run_on(&sweeping, ranks);
            ck_assert_uint_eq(sweeping.outcome.stored, undone);
            char *stored = contents(path);
            ck_assert_str_eq(stored, expected);
            free(stored);
            remove_database(folder, "ranks");
        }
    last_in_order();
    free(expected);
    sweep_plan_free(&plan);
}
END_TEST

Suite *sweep_ranks_suite(void)
{
    Suite *suite = suite_create("sweep_ranks");
    TCase *sweeps = tcase_create("sweeps");
    tcase_add_checked_fixture(sweeps, setup, teardown);
    tcase_add_test(sweeps, same_rows);
    tcase_add_test(sweeps, goes_on);
    tcase_add_test(sweeps, other_files);
    tcase_add_test(sweeps, no_database);
    tcase_add_test(sweeps, deaths_of_workers);
    suite_add_tcase(suite, sweeps);
    return suite;
}
