/* results_group.c - groups runs and takes medians, by SQL.
 *
 * Method: one statement makes a temporary table of groups out of the view `run`. Runs that failed a
 * check or were refused are counted and their first reason is kept; their figures are left out.
 *
 * SQLite keeps a value of any type in any column, and a damaged file may hold any value. Functions
 * of our own end the statement if a run has a value that no run can have, so that medians, fits and
 * pictures need not look again: counts are whole numbers that fit, figures are finite, not
 * negative, and exact as numbers of JSON, names are UTF-8.
 */
#include "lab/results_group.h"

#include "base/printable.h"
#include "base/suggestion.h"
#include "lab/results_tables.h"
#include "library/report_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The keys of a group, and the numbers among them that were requested of a pattern. */
#define KEYS                                                                                       \
    "workload, rows, cols, asked_congestion, asked_degree, asked_per_node, file_hash, copy, "      \
    "asked_buffer, router, ran_as, asked_parameters, meshcast"
static const char ASKED[] = "asked_congestion asked_degree asked_per_node asked_buffer";
static const char TEXTS[] = "copy router ran_as asked_parameters meshcast";

/* Figures of groups that no table shows. */
static const struct figure UNSHOWN[] = {{.key = "congestion_min"},
                                        {.key = "lower_bound_min"},
                                        {.key = "steps_per_lower_bound_min"},
                                        {.key = "steps_per_lower_bound_max"},
                                        {0}};

/* Writes `pattern` for each measured figure of groups: "#" is the figure of runs. */
static void write_medians(FILE *out)
{
    const struct figures all = {{results_measured[0], results_measured[1], UNSHOWN}};
    const struct figure *figure;
    for (uint32_t i = 0; (figure = figures_at(&all, i)) != NULL; i++) {
        size_t length = strlen(figure->key);
        const char *end = length > 4 ? figure->key + length - 4 : figure->key;
        bool is_least = strcmp(end, "_min") == 0, is_most = strcmp(end, "_max") == 0;
        fprintf(out, ", %s(%.*s) AS %s",
                is_least  ? "min"
                : is_most ? "max"
                          : "median",
                (int)(is_least || is_most ? length - 4 : length), figure->key, figure->key);
    }
}

/* Writes the figures of the runs that were done. */
static void write_figures(FILE *out)
{
    const struct figures all = {{results_measured[0], results_measured[1]}};
    const struct figure *figure;
    for (uint32_t i = 0; (figure = figures_at(&all, i)) != NULL; i++) {
        size_t length = strlen(figure->key);
        const char *end = length > 4 ? figure->key + length - 4 : figure->key;
        if (strcmp(end, "_min") != 0 && strcmp(end, "_max") != 0)
            results_write_each(out, figure->key,
                               ", CASE outcome WHEN 'done' THEN "
                               "checked(#, id, '#', 9007199254740992.0, 0) END AS #");
    }
}

/* Writes the condition that the column has one of the words, if there are any; `end` follows the
 * list. */
static void write_selected(FILE *out, const struct word_list *words, const char *column,
                           const char *end)
{
    for (uint32_t i = 0; i < words->count; i++) {
        char *quoted = sqlite3_mprintf("%Q", words->value[i]);
        fprintf(out, "%s%s%s", i == 0 ? column : ", ", i == 0 ? " IN (" : "",
                quoted == NULL ? "NULL" : quoted);
        sqlite3_free(quoted);
    }
    fputs(words->count == 0 ? "" : end, out);
}

/* Writes the statement that makes the groups. A name of a file may have any bytes. A subquery with
 * a LIMIT is not merged with the outer one, which would keep the JSON of every run until all are
 * sorted. */
static void write_group(const struct results_selection *selection, FILE *out)
{
    fputs("CREATE TEMP TABLE grouped AS SELECT *, asked_parameters AS parameters, asked_buffer AS "
          "buffer_capacity, router || iif(ran_as = '', '', ' as ' || ran_as) || "
          "iif(asked_parameters = '', '', ' ' || asked_parameters) || "
          "ifnull(', buffer ' || asked_buffer, '') || "
          "iif(min(meshcast) OVER () = max(meshcast) OVER (), '', ', ' || meshcast) || "
          "iif(copy = 'free' AND max(copy) OVER () <> min(copy) OVER (), ', free copies', '') AS "
          "method, shown((SELECT json_extract(figures, '$.error') FROM result WHERE id = bad), 0, "
          "NULL) AS error FROM (SELECT " KEYS ", count(*) FILTER (WHERE outcome = 'done') AS runs, "
          "count(*) FILTER (WHERE outcome = 'failed') AS failed, "
          "count(*) FILTER (WHERE outcome NOT IN ('done', 'failed')) AS refused, "
          "min(id) FILTER (WHERE outcome <> 'done') AS bad",
          out);
    write_medians(out);
    fputs(" FROM (SELECT id, outcome, shown(workload, id, NULL) AS workload", out);
    results_write_each(out, "rows cols",
                       ", ifnull(checked(#, id, '#', 32768, outcome = 'done'), 0) AS #");
    results_write_each(out, ASKED, ", nullif(checked(#, id, '#', 4294967295, 0), 0) AS #");
    results_write_each(out, TEXTS, ", shown(#, id, '#') AS #");
    fputs(", shown(CASE WHEN is_file THEN input_hash END, id, 'file_hash') AS file_hash", out);
    write_figures(out);
    fputs(" FROM run WHERE 1", out);
    write_selected(out, &selection->routers, " AND router", ")");
    write_selected(out, &selection->meshes, " AND iif(rows = cols, '', rows || 'x') || cols", ")");
    write_selected(out, &selection->congestions, " AND asked_congestion || ''", ")");
    write_selected(out, &selection->copies, " AND copy", ")");
    write_selected(out, &selection->workloads, " AND (workload",
                   ") OR NOT ifnull(is_file, 0) AND ");
    write_selected(out, &selection->workloads,
                   "substr(workload, 1, instr(workload || ':', ':') - 1)", "))");
    fputs(" LIMIT -1) GROUP BY " KEYS ") ORDER BY workload, rows * cols, rows, asked_congestion, "
          "asked_degree, asked_per_node, file_hash, copy DESC, asked_buffer, router, ran_as, "
          "asked_parameters, meshcast",
          out);
}

static const char HEAD[] =
    "SELECT count(*) AS groups, ifnull(sum(runs + failed + refused), 0) AS runs, "
    "ifnull(sum(failed), 0) AS failed, ifnull(sum(refused), 0) AS refused, "
    "iif(min(meshcast) = max(meshcast), meshcast, 'of several versions') AS version, "
    "iif(min(copy) = max(copy), copy, '') AS copy, "
    "ifnull(max(messages_per_node > 1), 0) AS several FROM grouped";

/* The groups, and texts that are the same for those of one line of a plot, of one file, of one set;
 * file names have no '/'. */
#define GROUPS                                                                                     \
    "SELECT *, rowid AS place, workload || '/' || method || '/' || copy AS line, "                 \
    "workload || '/' || file_hash || ' ' || rows || 'x' || cols AS file, "                         \
    "workload || '/' || file_hash || ' ' || rows || 'x' || cols || ' ' || copy || "                \
    "ifnull(', c ' || asked_congestion, '') || ifnull(', l ' || asked_per_node, '') || "           \
    "ifnull(', d ' || asked_degree, '') AS setting FROM grouped"

static const char POINTS[] =
    "SELECT * FROM (SELECT *, min(place) OVER (PARTITION BY line) AS first FROM (" GROUPS ")) "
    "WHERE steps > 0 AND congestion > 0 ORDER BY first, place";

/* ---- functions of the statement ---- */

static void refuse(sqlite3_context *context, char *text)
{
    sqlite3_result_error(context, text == NULL ? "no memory" : text, -1);
    sqlite3_result_error_code(context, text == NULL ? SQLITE_NOMEM : SQLITE_MISMATCH);
    sqlite3_free(text);
}

/* Returns the text, fit to be shown, for shown(text, id, name); NULL is "". An error if it is not
 * UTF-8, unless the name is NULL. */
static void show(sqlite3_context *context, int count, sqlite3_value **value)
{
    const char *text = (const char *)sqlite3_value_text(value[0]);
    const char *name = (const char *)sqlite3_value_text(value[count - 1]);
    char *copy = sqlite3_mprintf("%s", text == NULL ? "" : text);
    if (text != NULL && name != NULL && !text_is_utf8(text)) {
        refuse(context,
               sqlite3_mprintf(RESULTS_NOT_UTF8, sqlite3_value_int64(value[1]), "run", name));
        sqlite3_free(copy);
        return;
    }
    if (copy == NULL || (text == NULL && sqlite3_value_type(value[0]) != SQLITE_NULL)) {
        sqlite3_free(copy);
        sqlite3_result_error_nomem(context);
        return;
    }
    printable_make(copy);
    sqlite3_result_text(context, copy, -1, sqlite3_free);
}

/* Returns the value, for checked(value, id, name, most, least). An error unless it is a number from
 * `least` to `most`, a whole one if `most` is; NULL counts as 0. */
static void check(sqlite3_context *context, int count, sqlite3_value **value)
{
    int type = sqlite3_value_type(value[0]);
    bool is_whole = sqlite3_value_type(value[3]) == SQLITE_INTEGER;
    double number = sqlite3_value_double(value[0]);
    bool is_number =
        type == SQLITE_NULL || type == SQLITE_INTEGER || (type == SQLITE_FLOAT && !is_whole);
    if (is_number && number >= sqlite3_value_double(value[count - 1]) &&
        number <= sqlite3_value_double(value[3])) {
        sqlite3_result_value(context, value[0]);
        return;
    }
    char text[48];
    const char *given = (const char *)sqlite3_value_text(value[0]);
    printable_copy(text, sizeof text, given == NULL ? "" : given);
    refuse(context,
           sqlite3_mprintf("run %lld cannot have '%s' as its %s", sqlite3_value_int64(value[1]),
                           text, sqlite3_value_text(value[2])));
}

/* The numbers of a group under way. */
struct numbers {
    double *number;
    size_t count, room;
};

static void add_number(sqlite3_context *context, int count, sqlite3_value **value)
{
    struct numbers *numbers = sqlite3_aggregate_context(context, sizeof *numbers);
    if (numbers == NULL || sqlite3_value_type(value[count - 1]) == SQLITE_NULL)
        return;
    double *number =
        memory_grow(numbers->number, &numbers->room, numbers->count + 1, sizeof *number);
    if (number == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    numbers->number = number;
    number[numbers->count++] = sqlite3_value_double(value[0]);
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Returns median(value): of an even number of values the mean of the middle two; NULL: there are
 * none. */
static void take_median(sqlite3_context *context)
{
    struct numbers *numbers = sqlite3_aggregate_context(context, 0);
    if (numbers == NULL || numbers->count == 0)
        return;
    qsort(numbers->number, numbers->count, sizeof *numbers->number, compare_numbers);
    sqlite3_result_double(
        context,
        (numbers->number[(numbers->count - 1) / 2] + numbers->number[numbers->count / 2]) / 2);
    free(numbers->number);
}

/* ---- the selection ---- */

bool results_selects(const struct results_selection *selection)
{
    return selection->routers.count + selection->workloads.count + selection->meshes.count +
               selection->congestions.count + selection->copies.count !=
           0;
}

static const char *name_at(const void *rows, uint32_t index)
{
    const json_t *row = json_array_get(rows, index);
    return row == NULL ? NULL : results_text(row, "name");
}

/* FAIL_USAGE: a word is none of the names that the query yields. Each name of a list must match:
 * one that matches nothing is mistyped, even if the others match. A database may hold names of
 * files and of routers of other versions. */
static enum failure_kind check_words(struct results_database *database,
                                     const struct word_list *words, const char *const name[2],
                                     const char *sql, struct failure *failure)
{
    json_t *rows = NULL;
    if (words->count != 0 && failure->kind == FAIL_NONE)
        results_query(database, NULL, sql, &rows, failure);
    const struct name_family known = {name[0], name[1], "", name_at, rows};
    for (uint32_t i = 0; i < words->count && json_array_size(rows) > 0; i++) {
        uint32_t place;
        name_family_find(&known, words->value[i], &place, failure);
    }
    json_decref(rows);
    return failure->kind;
}

/* ---- reading ---- */

static enum failure_kind make_groups(struct results_database *database,
                                     const struct results_selection *selection,
                                     struct failure *failure)
{
    enum { FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC };
    sqlite3 *handle = database->handle;
    json_t *none = NULL;
    char *sql = NULL;
    size_t length;
    FILE *out = open_memstream(&sql, &length);
    errno = 0; /* a stream in memory that cannot grow loses text, and sets nothing else */
    if (out != NULL)
        write_group(selection, out);
    if (out == NULL || fclose(out) != 0 || errno == ENOMEM)
        fail_memory(failure, "the selection");
    else if (sqlite3_create_function_v2(handle, "shown", 3, FLAGS, NULL, show, NULL, NULL, NULL) ||
             sqlite3_create_function_v2(handle, "checked", 5, FLAGS, NULL, check, NULL, NULL,
                                        NULL) ||
             sqlite3_create_function_v2(handle, "median", 1, FLAGS, NULL, NULL, add_number,
                                        take_median, NULL))
        results_fail(database, failure);
    else
        results_query(database, NULL, sql, &none, failure);
    json_decref(none);
    free(sql);
    return failure->kind;
}

static enum failure_kind check_count(double count, const struct results_selection *selection,
                                     struct failure *failure)
{
    if (count > 0)
        return FAIL_NONE;
    if (results_selects(selection))
        return fail(failure, FAIL_USAGE,
                    "the database has no runs that are of these routers, patterns, sides, "
                    "congestions and copies at once");
    return fail(failure, FAIL_INPUT,
                "the database has no runs yet; 'meshcast sweep' makes them, and 'meshcast load "
                "--db' makes points of latency");
}

enum failure_kind results_groups_read(struct results_groups *groups,
                                      struct results_database *database,
                                      const struct results_selection *selection,
                                      struct failure *failure)
{
    static const char *const routers[] = {"router", "routers of the database"};
    static const char *const workloads[] = {"pattern or set", "patterns and sets of the database"};
    static const char *const copies[] = {"cost of copies", "costs of copies in the database"};
    json_t *rows = NULL;
    *groups = (struct results_groups){0};
    check_words(database, &selection->routers, routers,
                "SELECT DISTINCT router AS name FROM run ORDER BY 1", failure);
    check_words(database, &selection->copies, copies,
                "SELECT DISTINCT copy AS name FROM run ORDER BY 1 DESC", failure);
    /* a pattern against a graph also has its own name */
    check_words(
        database, &selection->workloads, workloads,
        "SELECT substr(workload, 1, instr(workload, ':') - 1) AS name FROM run WHERE "
        "instr(workload, ':') > 0 AND NOT is_file UNION SELECT workload FROM run ORDER BY 1",
        failure);
    if (failure->kind != FAIL_NONE || make_groups(database, selection, failure) != FAIL_NONE ||
        results_query(database, NULL, HEAD, &rows, failure) != FAIL_NONE)
        return failure->kind;
    groups->head = json_incref(json_array_get(rows, 0));
    json_decref(rows);
    if (check_count(results_number(groups->head, "groups"), selection, failure) == FAIL_NONE &&
        results_query(database, NULL, GROUPS, &groups->group, failure) == FAIL_NONE &&
        results_query(database, NULL, GROUPS " WHERE failed + refused > 0", &groups->error,
                      failure) == FAIL_NONE)
        results_query(database, NULL, POINTS, &groups->point, failure);
    return failure->kind;
}

void results_groups_free(struct results_groups *groups)
{
    json_decref(groups->group);
    json_decref(groups->error);
    json_decref(groups->point);
    json_decref(groups->head);
    *groups = (struct results_groups){0};
}

double results_number(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *results_text(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text == NULL ? "" : text;
}

const char *results_copy_text(const struct results_groups *groups)
{
    const char *copy = results_text(groups->head, "copy");
    return *copy == '\0'               ? ""
           : strcmp(copy, "free") == 0 ? "; copies are free"
                                       : "; copies cost a step";
}

double results_group_load(const json_t *group)
{
    double c = results_number(group, "congestion"), l = results_number(group, "messages_per_node");
    return l > 1 ? l * c : c;
}

double results_group_nodes(const json_t *group)
{
    return results_number(group, "rows") * results_number(group, "cols");
}
