/* load_store.c - keeps the points of `load --db` in a database of results.
 *
 * The database is open for one use at a time, since no signal ends the program while it is; it must stay the same file.
 */
#include "lab/load_store.h"

#include "lab/results_database.h"

#include <sys/stat.h>

static enum failure_kind open_same(struct results_database *database, const char *path,
                                   struct failure *failure)
{
    static struct stat first;
    struct stat now;
    bool is_there = stat(path, &now) == 0;
    if (first.st_ino != 0 &&
        (!is_there || now.st_dev != first.st_dev || now.st_ino != first.st_ino))
        return fail(failure, FAIL_SYSTEM, "%.200s was removed, renamed or replaced", path);
    if (results_open(database, path, RESULTS_WRITE, failure) == FAIL_NONE)
        stat(path, &first);
    return failure->kind;
}

static int find_point(const char *path, const char *key, char **figures, struct failure *failure)
{
    struct results_database database;
    if (open_same(&database, path, failure) != FAIL_NONE)
        return failure->kind;
    results_find(&database, key, NULL, figures, failure);
    results_close(&database);
    return failure->kind;
}

static int add_point(const char *path, const char *key, const char *state, const char *figures,
                     struct failure *failure)
{
    struct results_database database;
    struct results_row row = {key, RESULTS_LOAD_POINT, state, key, figures};
    if (open_same(&database, path, failure) != FAIL_NONE)
        return failure->kind;
    results_add(&database, &row, failure);
    results_close(&database);
    return failure->kind;
}

const struct meshcast_store load_store = {find_point, add_point};
