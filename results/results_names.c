/* results_names.c - finds names in a selection that the database does not know.
 *
 * A list of names is a wish for each of them: one that matches nothing is a slip of the pen, even
 * where the others match. The names that exist are read from the database, since it may hold files'
 * names and routers of other versions, and are what the message suggests.
 */
#include "results/results_names.h"

#include "base/suggestion.h"

#include <stdlib.h>
#include <string.h>

struct names {
    uint32_t count;
    size_t room;
    char **name; /* [count] */
};

static const char *name_at(const void *context, uint32_t index)
{
    const struct names *names = context;
    return index < names->count ? names->name[index] : NULL;
}

static enum failure_kind add_name(struct names *names, sqlite3_stmt *row, struct failure *failure)
{
    char text[512];
    char **name = memory_grow(names->name, &names->room, names->count + (size_t)1, sizeof *name);
    if (name == NULL)
        return fail_memory(failure, "the names of the database");
    names->name = name;
    results_copy_text(text, sizeof text, row, 0);
    size_t size = strlen(text) + 1;
    char *copy = memory_allocate(size, 1);
    if (copy == NULL)
        return fail_memory(failure, "the names of the database");
    memcpy(copy, text, size);
    names->name[names->count++] = copy;
    return FAIL_NONE;
}

/* The names that a statement yields. */
static enum failure_kind read_names(struct results_database *database, const char *sql,
                                    struct names *names, struct failure *failure)
{
    sqlite3_stmt *row;
    int status = SQLITE_ROW;
    if (results_prepare(database, sql, &row, failure) != FAIL_NONE)
        return failure->kind;
    while (failure->kind == FAIL_NONE && (status = sqlite3_step(row)) == SQLITE_ROW)
        add_name(names, row, failure);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        results_fail(database, failure);
    sqlite3_finalize(row);
    return failure->kind;
}

/* A family of names and the statement that yields it. */
struct family {
    const char *singular, *plural, *sql;
};

static enum failure_kind check_words(struct results_database *database,
                                     const struct word_list *words, const struct family *family,
                                     struct failure *failure)
{
    struct names names = {0};
    if (words->count != 0)
        read_names(database, family->sql, &names, failure);
    const struct name_family known = {family->singular, family->plural, "", name_at, &names};
    for (uint32_t i = 0; i < words->count && names.count != 0 && failure->kind == FAIL_NONE; i++) {
        uint32_t place;
        name_family_find(&known, words->value[i], &place, failure);
    }
    for (uint32_t i = 0; i < names.count; i++)
        free(names.name[i]);
    free(names.name);
    return failure->kind;
}

enum failure_kind results_check_names(struct results_database *database,
                                      const struct results_selection *selection,
                                      struct failure *failure)
{
    static const struct family routers = {"router", "routers of the database",
                                          "SELECT DISTINCT router FROM run ORDER BY 1"};
    /* a pattern against a graph goes by its own name too */
    static const struct family workloads = {
        "pattern or set", "patterns and sets of the database",
        "SELECT substr(workload, 1, instr(workload, ':') - 1) FROM run "
        "WHERE instr(workload, ':') > 0 AND NOT is_file UNION SELECT workload FROM run ORDER BY 1"};
    if (check_words(database, &selection->routers, &routers, failure) == FAIL_NONE)
        check_words(database, &selection->workloads, &workloads, failure);
    return failure->kind;
}
