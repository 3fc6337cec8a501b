/* results_group.c - reads runs in the order of their groups and takes medians.
 *
 * Method: one query yields the runs, sorted by all that tells groups apart; a group ends where that
 * changes. The figures of its good runs are kept until then and sorted, a figure at a time. The
 * median of an even number is the mean of the middle two.
 *
 * Runs that failed a check or were refused are counted and their first reason is kept; their
 * figures are left out.
 *
 * SQLite keeps a value of any type in any column, and a damaged file may hold any value. What no run
 * can have ends the reading, so the medians, fits and pictures need not look again: counts are whole
 * numbers that fit, figures are finite, not negative, and exact as numbers of JSON.
 */
#include "results/results_group.h"

#include "base/printable.h"
#include "library/run_options.h"
#include "results/results_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char QUERY[] =
    "SELECT workload, rows, cols, asked_congestion, asked_degree, copy, asked_buffer, router, "
    "asked_parameters, meshcast, CASE WHEN is_file THEN input_hash END AS file_hash, outcome, "
    "error, degree, congestion, steps, sync_steps, sqrt_cn, steps_per_sqrt_cn, lower_bound, "
    "steps_per_lower_bound, buffer_peak, wall_seconds, messages_per_node, delivery_steps_median, "
    "delivery_steps_p95, delivery_steps_p99, asked_per_node, ifnull(ran_as, '') AS as_router, id "
    "FROM run ORDER BY workload, rows * cols, rows, asked_congestion, asked_degree, "
    "asked_per_node, file_hash, copy DESC, asked_buffer, router, as_router, asked_parameters, "
    "meshcast, id";

enum query_column {
    AT_WORKLOAD,
    AT_ROWS,
    AT_COLS,
    AT_CONGESTION,
    AT_DEGREE,
    AT_COPY,
    AT_BUFFER,
    AT_ROUTER,
    AT_PARAMETERS,
    AT_VERSION,
    AT_FILE_HASH,
    AT_OUTCOME,
    AT_ERROR,
    AT_MEASURES,
    AT_PER_NODE = AT_MEASURES + MEASURES,
    AT_RAN_AS,
    AT_ID
};

/* What a group's rows in the tables take, with their text as JSON. */
enum { TABLE_BYTES = 4096 };

static const double MOST_FIGURE = 9007199254740992.0; /* 2^53 */

/* What has been read of the group under way. */
struct reading {
    struct results_groups *groups;
    const struct results_selection *selection;
    const struct results_database *database;
    uint64_t limit;  /* bytes that all may take */
    uint32_t room;   /* groups that `groups` has room for */
    double *figures; /* [figures_room * MEASURES] of the runs of the last group */
    uint32_t figures_room;
};

void results_copy_text(char *to, size_t size, sqlite3_stmt *row, int column)
{
    const unsigned char *text = sqlite3_column_text(row, column);
    printable_copy(to, size, text == NULL ? "" : (const char *)text);
}

double results_group_load(const struct results_group *group)
{
    double c = group->measure[MEASURE_CONGESTION].median;
    double l = group->measure[MEASURE_PER_NODE].median;
    return l > 1 ? l * c : c;
}

static enum failure_kind fail_damaged(const struct reading *reading, sqlite3_stmt *row, int column,
                                      struct failure *failure)
{
    char value[48];
    results_copy_text(value, sizeof value, row, column);
    return fail(failure, FAIL_INPUT, "%.200s is damaged: run %lld cannot have '%s' as its %s",
                reading->database->path, (long long)sqlite3_column_int64(row, AT_ID), value,
                sqlite3_column_name(row, column));
}

/* A whole number from 0 to `most`; NULL is 0. */
static enum failure_kind read_count(const struct reading *reading, sqlite3_stmt *row, int column,
                                    uint32_t most, uint32_t *count, struct failure *failure)
{
    int type = sqlite3_column_type(row, column);
    sqlite3_int64 value = sqlite3_column_int64(row, column);
    if (type != SQLITE_NULL && (type != SQLITE_INTEGER || value < 0 || value > most))
        return fail_damaged(reading, row, column, failure);
    *count = (uint32_t)value;
    return FAIL_NONE;
}

/* NULL is NAN. */
static enum failure_kind read_figure(const struct reading *reading, sqlite3_stmt *row, int column,
                                     double *figure, struct failure *failure)
{
    int type = sqlite3_column_type(row, column);
    double value = sqlite3_column_double(row, column);
    bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    if (type != SQLITE_NULL && !(is_number && value >= 0 && value <= MOST_FIGURE))
        return fail_damaged(reading, row, column, failure);
    *figure = type == SQLITE_NULL ? NAN : value;
    return FAIL_NONE;
}

static enum failure_kind read_key(const struct reading *reading, sqlite3_stmt *row,
                                  struct results_group *group, struct failure *failure)
{
    const struct {
        int column;
        uint32_t most, *count;
    } counts[] = {{AT_ROWS, MESH_MAX_SIDE, &group->rows},
                  {AT_COLS, MESH_MAX_SIDE, &group->cols},
                  {AT_CONGESTION, UINT32_MAX, &group->asked_congestion},
                  {AT_DEGREE, UINT32_MAX, &group->asked_degree},
                  {AT_PER_NODE, UINT32_MAX, &group->asked_per_node},
                  {AT_BUFFER, UINT32_MAX, &group->asked_buffer}};
    const struct {
        int column;
        char *text;
        size_t size;
    } texts[] = {{AT_WORKLOAD, group->workload, sizeof group->workload},
                 {AT_COPY, group->copy, sizeof group->copy},
                 {AT_ROUTER, group->router, sizeof group->router},
                 {AT_RAN_AS, group->ran_as, sizeof group->ran_as},
                 {AT_PARAMETERS, group->parameters, sizeof group->parameters},
                 {AT_VERSION, group->version, sizeof group->version},
                 {AT_FILE_HASH, group->file_hash, sizeof group->file_hash}};
    *group = (struct results_group){0};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int column = texts[i].column; /* the name of a file may be no UTF-8 */
        if (column != AT_WORKLOAD &&
            results_check_text(reading->database, "run", row, AT_ID, column, failure) != FAIL_NONE)
            return failure->kind;
        results_copy_text(texts[i].text, texts[i].size, row, column);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (read_count(reading, row, counts[i].column, counts[i].most, counts[i].count, failure) !=
            FAIL_NONE)
            break;
    return failure->kind;
}

static bool is_same_group(const struct results_group *a, const struct results_group *b)
{
    return strcmp(a->workload, b->workload) == 0 && strcmp(a->copy, b->copy) == 0 &&
           strcmp(a->router, b->router) == 0 && strcmp(a->ran_as, b->ran_as) == 0 &&
           strcmp(a->parameters, b->parameters) == 0 && strcmp(a->version, b->version) == 0 &&
           strcmp(a->file_hash, b->file_hash) == 0 && a->rows == b->rows && a->cols == b->cols &&
           a->asked_congestion == b->asked_congestion && a->asked_degree == b->asked_degree &&
           a->asked_per_node == b->asked_per_node && a->asked_buffer == b->asked_buffer;
}

static bool has_word(const struct word_list *list, const char *word)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->value[i], word) == 0)
            return true;
    return list->count == 0;
}

/* A pattern's name stands for it against every graph, "adversary" for "adversary:g@1a2b3c4d". */
static bool has_workload(const struct word_list *list, const struct results_group *group)
{
    for (uint32_t i = 0; i < list->count && *group->file_hash == '\0'; i++)
        if (strcspn(group->workload, ":") == strlen(list->value[i]) &&
            strncmp(group->workload, list->value[i], strlen(list->value[i])) == 0)
            return true;
    return has_word(list, group->workload);
}

static bool has_copy(const struct number_list *list, const char *copy)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(run_copy_name(&(struct run_options){.copy = list->value[i]}), copy) == 0)
            return true;
    return list->count == 0;
}

static bool has_mesh(const struct mesh_list *list, const struct results_group *key)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i].rows == key->rows && list->value[i].cols == key->cols)
            return true;
    return list->count == 0;
}

static bool has_number(const struct number_list *list, uint32_t number)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == number)
            return true;
    return list->count == 0;
}

bool results_selects(const struct results_selection *selection)
{
    return selection->routers.count + selection->workloads.count + selection->meshes.count +
               selection->congestions.count + selection->copies.count !=
           0;
}

static bool is_selected(const struct results_selection *selection, const struct results_group *key)
{
    return has_word(&selection->routers, key->router) && has_workload(&selection->workloads, key) &&
           has_mesh(&selection->meshes, key) &&
           has_number(&selection->congestions, key->asked_congestion) &&
           has_copy(&selection->copies, key->copy);
}

/* ---- medians ---- */

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Sorts the figures in place; those that are NAN do not count. */
static struct results_spread spread_of(double *figure, uint32_t count)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(figure[i]))
            figure[known++] = figure[i];
    if (known == 0)
        return (struct results_spread){NAN, NAN, NAN};
    qsort(figure, known, sizeof *figure, compare_numbers);
    return (struct results_spread){(figure[(known - 1) / 2] + figure[known / 2]) / 2, figure[0],
                                   figure[known - 1]};
}

static void end_group(struct reading *reading)
{
    if (reading->groups->count == 0)
        return;
    struct results_group *group = &reading->groups->group[reading->groups->count - 1];
    for (int i = 0; i < MEASURES; i++)
        group->measure[i] =
            group->runs == 0
                ? (struct results_spread){NAN, NAN, NAN}
                : spread_of(reading->figures + (size_t)i * reading->figures_room, group->runs);
}

/* ---- reading ---- */

static enum failure_kind begin_group(struct reading *reading, const struct results_group *key,
                                     struct failure *failure)
{
    struct results_groups *groups = reading->groups;
    end_group(reading);
    if (groups->count == reading->room) {
        uint32_t room = reading->room == 0 ? 64 : 2 * reading->room;
        uint64_t bytes = (uint64_t)room * (sizeof *groups->group + TABLE_BYTES) +
                         (uint64_t)reading->room * sizeof *groups->group;
        if (memory_check_limit(bytes, reading->limit, "a report of so many groups of runs",
                               failure) != FAIL_NONE)
            return failure->kind;
        struct results_group *group = memory_resize(groups->group, room, sizeof *group);
        if (group == NULL)
            return fail_memory(failure, "the groups of runs");
        groups->group = group;
        reading->room = room;
    }
    groups->group[groups->count++] = *key;
    return FAIL_NONE;
}

/* Makes room for another run of the group, keeping those that are there. */
static enum failure_kind grow_figures(struct reading *reading, uint32_t runs,
                                      struct failure *failure)
{
    if (runs < reading->figures_room)
        return FAIL_NONE;
    uint32_t room = runs < 16 ? 16 : 2 * runs;
    double *figures = memory_allocate((size_t)room * MEASURES, sizeof *figures);
    if (figures == NULL)
        return fail_memory(failure, "the figures of a group");
    for (uint32_t i = 0; i < MEASURES && runs != 0; i++)
        memcpy(figures + (size_t)i * room, reading->figures + (size_t)i * reading->figures_room,
               runs * sizeof *figures);
    free(reading->figures);
    reading->figures = figures;
    reading->figures_room = room;
    return FAIL_NONE;
}

static enum failure_kind take_figures(struct reading *reading, sqlite3_stmt *row,
                                      struct failure *failure)
{
    struct results_groups *groups = reading->groups;
    struct results_group *group = &groups->group[groups->count - 1];
    char outcome[16];
    results_copy_text(outcome, sizeof outcome, row, AT_OUTCOME);
    groups->runs++;
    if (strcmp(outcome, RESULTS_DONE) != 0) {
        bool failed = strcmp(outcome, RESULTS_FAILED) == 0;
        group->failed += failed;
        group->refused += !failed;
        groups->failed += failed;
        groups->refused += !failed;
        if (*group->error == '\0')
            results_copy_text(group->error, sizeof group->error, row, AT_ERROR);
        return FAIL_NONE;
    }
    if (group->rows == 0 || group->cols == 0)
        return fail_damaged(reading, row, group->rows == 0 ? AT_ROWS : AT_COLS, failure);
    if (grow_figures(reading, group->runs, failure) != FAIL_NONE)
        return failure->kind;
    for (size_t i = 0; i < MEASURES; i++) {
        double *figure = &reading->figures[i * reading->figures_room + group->runs];
        if (read_figure(reading, row, AT_MEASURES + (int)i, figure, failure) != FAIL_NONE)
            return failure->kind;
    }
    group->runs++;
    return FAIL_NONE;
}

static enum failure_kind take_row(struct reading *reading, sqlite3_stmt *row,
                                  struct failure *failure)
{
    struct results_groups *groups = reading->groups;
    struct results_group key;
    if (read_key(reading, row, &key, failure) != FAIL_NONE)
        return failure->kind;
    if (!is_selected(reading->selection, &key))
        return FAIL_NONE;
    if ((groups->count == 0 || !is_same_group(&key, &groups->group[groups->count - 1])) &&
        begin_group(reading, &key, failure) != FAIL_NONE)
        return failure->kind;
    return take_figures(reading, row, failure);
}

/* ---- names ---- */

/* What differs among the groups is said in their names. */
static void name_methods(struct results_groups *groups)
{
    bool copies_differ = false;
    groups->versions = groups->count == 0 ? 0 : 1;
    for (uint32_t i = 1; i < groups->count; i++) {
        if (strcmp(groups->group[i].version, groups->group[0].version) != 0)
            groups->versions = 2;
        copies_differ |= strcmp(groups->group[i].copy, groups->group[0].copy) != 0;
    }
    for (uint32_t i = 0; i < groups->count; i++) {
        struct results_group *group = &groups->group[i];
        char buffer[32] = "", version[48] = "";
        if (group->asked_buffer != 0)
            snprintf(buffer, sizeof buffer, ", buffer %" PRIu32, group->asked_buffer);
        if (groups->versions > 1)
            snprintf(version, sizeof version, ", %s", group->version);
        snprintf(group->method, sizeof group->method, "%s%s%s%s%.400s%s%s%s", group->router,
                 *group->ran_as == '\0' ? "" : " as ", group->ran_as,
                 *group->parameters == '\0' ? "" : " ", group->parameters, buffer, version,
                 copies_differ && strcmp(group->copy, "free") == 0 ? ", free copies" : "");
        printable_make(group->method); /* its parameters may be cut */
    }
}

static enum failure_kind check_selection(const struct results_groups *groups,
                                         const struct results_selection *selection,
                                         struct failure *failure)
{
    if (groups->count != 0)
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
                                      const struct results_selection *selection, uint64_t limit,
                                      struct failure *failure)
{
    struct reading reading = {
        .groups = groups, .selection = selection, .database = database, .limit = limit};
    sqlite3_stmt *row;
    int status = SQLITE_ROW;
    *groups = (struct results_groups){0};
    if (results_check_names(database, selection, failure) != FAIL_NONE ||
        results_prepare(database, QUERY, &row, failure) != FAIL_NONE)
        return failure->kind;
    while (failure->kind == FAIL_NONE && (status = sqlite3_step(row)) == SQLITE_ROW)
        take_row(&reading, row, failure);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        results_fail(database, failure);
    sqlite3_finalize(row);
    if (failure->kind == FAIL_NONE && check_selection(groups, selection, failure) == FAIL_NONE) {
        end_group(&reading);
        name_methods(groups);
    }
    free(reading.figures);
    if (failure->kind != FAIL_NONE)
        results_groups_free(groups);
    return failure->kind;
}

void results_groups_free(struct results_groups *groups)
{
    free(groups->group);
    *groups = (struct results_groups){0};
}
