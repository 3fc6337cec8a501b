/* lab.c - adds the laboratory to the library: its commands, and the store of `load --db`.
 *
 * The store's database is open for one use at a time, since no signal ends the program while it is;
 * it must stay the same file.
 */
#include "lab/lab.h"

#include "lab/results_database.h"
#include "library/meshcast_command.h"

#include <stddef.h>
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

extern const struct meshcast_command_row command_sweep, command_report;

void lab_begin(const struct lab_signals *signals)
{
    static const struct meshcast_command_row *const commands[] = {&command_sweep, &command_report,
                                                                  NULL};
    static const struct meshcast_store store = {find_point, add_point};
    if (signals != NULL)
        lab_signals = *signals;
    meshcast_set_commands(commands);
    meshcast_set_store(&store);
}
