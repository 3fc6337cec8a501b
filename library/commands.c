/* commands.c - the settings of a command, its run, its report.
 *
 * Values of options are copied, and live as long as the command, since rows keep pointers into
 * them. Messages name options as on the command line, "--buffer"; for programs the dashes are
 * dropped in one place, take_error().
 *   Inner functions keep the first of several failures in one struct; a public function begins with
 * an empty one each time, so that a caller may use one error for all calls.
 */
#include "library/commands.h"

#include "base/output_file.h"
#include "library/handle_private.h"
#include "library/option_table.h"
#include "library/report_parts.h"
#include "library/table.h"
#include "network/topology/topology.h"
#include "view/page_output.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct meshcast_option *meshcast_command_option(const struct meshcast_command_row *command,
                                                      uint32_t index)
{
    for (uint32_t t = 0; t < MESHCAST_OPTION_TABLES; t++) {
        if (index < command->options[t].rows)
            return &command->options[t].row[index];
        index -= command->options[t].rows;
    }
    return NULL;
}

/* ---- errors ---- */

static_assert(MESHCAST_OK == (int)FAIL_NONE && MESHCAST_CHECK == (int)FAIL_CHECK &&
                  MESHCAST_USAGE == (int)FAIL_USAGE && MESHCAST_INPUT == (int)FAIL_INPUT &&
                  MESHCAST_SYSTEM == (int)FAIL_SYSTEM &&
                  MESHCAST_INTERRUPTED == (int)FAIL_INTERRUPTED,
              "a status is a failure_kind");

enum meshcast_status error_give(struct meshcast_error *error, const struct failure *failure)
{
    static_assert(sizeof error->text == sizeof failure->text, "a text fits");
    enum meshcast_status status = (enum meshcast_status)failure->kind;
    if (status != MESHCAST_OK && error != NULL) {
        error->status = status;
        memcpy(error->topic, failure->topic, sizeof error->topic);
        if (failure->is_memory_limit)
            strcpy(error->topic, "memory");
        memcpy(error->text, failure->text, sizeof error->text);
    }
    return status;
}

/* Drops the dashes before names of options: "--buffer takes .." becomes "buffer takes ..". */
static void drop_dashes(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        bool begins = from == text || strchr(" '(,", from[-1]) != NULL;
        if (begins && from[0] == '-' && from[1] == '-' && from[2] >= 'a' && from[2] <= 'z')
            from += 2;
        *to++ = *from;
    }
    *to = '\0';
}

static enum meshcast_status take_error(const struct meshcast_command *command,
                                       struct failure *failure, struct meshcast_error *error)
{
    bool names_options = failure->kind == FAIL_USAGE || failure->kind == FAIL_CHECK;
    if (names_options && !command->names_dashes)
        drop_dashes(failure->text);
    return error_give(error, failure);
}

/* ---- commands ---- */

void meshcast_command_free(struct meshcast_command *command)
{
    if (command == NULL)
        return;
    for (size_t i = 0; i < command->givens; i++) {
        free(command->given[i].value);
        free(command->given[i].text);
    }
    for (int i = 0; command->operand != NULL && i < command->operands; i++)
        free(command->operand[i]);
    free(command->given);
    free(command->operand);
    free(command->options);
    free(command);
}

/* Keeps an option with copies of its value that live as long as the command; NULL: no memory. */
static struct given_option *keep_option(struct meshcast_command *command,
                                        const struct meshcast_option *row, const char *value)
{
    struct given_option *grown =
        memory_grow(command->given, &command->room, command->givens + 1, sizeof *grown);
    if (grown == NULL)
        return NULL;
    command->given = grown;
    struct given_option *given = &grown[command->givens];
    *given = (struct given_option){row, strdup(value), strdup(value)};
    if (given->value != NULL && given->text != NULL) {
        command->givens++;
        return given;
    }
    free(given->value);
    free(given->text);
    return NULL;
}

static enum failure_kind set_flag(const struct meshcast_option *row, const char *value, bool *field,
                                  struct failure *failure)
{
    *field = strcmp(value, "true") == 0;
    if (!*field && strcmp(value, "false") != 0)
        return fail(failure, FAIL_USAGE, "--%s takes no value, not '%.40s'", row->name, value);
    return FAIL_NONE;
}

static const char *option_name_at(const void *row, uint32_t index)
{
    const struct meshcast_option *option = meshcast_command_option(row, index);
    return option == NULL ? NULL : option->name;
}

static enum failure_kind set_option(struct meshcast_command *command, const char *name,
                                    const char *value, struct failure *failure)
{
    const struct meshcast_option_table *tables = command->row->options;
    size_t base;
    const struct meshcast_option *row = option_find(tables, name, strlen(name), &base);
    if (row == NULL) {
        struct name_family family = {"option", "options", "--", option_name_at, command->row};
        return fail_unknown_name(failure, &family, name);
    }
    bool is_flag = row->type == MESHCAST_OPTION_FLAG;
    void *field = (char *)command->options + base + row->offset;
    if (value == NULL && !is_flag)
        return fail(failure, FAIL_USAGE, "--%s needs a value: --%s %s", row->name, row->name,
                    row->value);
    const struct given_option *given = keep_option(command, row, value == NULL ? "true" : value);
    if (given == NULL)
        return fail_memory(failure, "an option");
    return is_flag ? set_flag(row, given->value, field, failure)
                   : option_take_value(row, given->value, field, failure);
}

/* Returns the option's value by its last setting; NULL: it was not set. */
static const char *value_of(const struct meshcast_command *command,
                            const struct meshcast_option *row)
{
    for (size_t i = command->givens; i-- > 0;)
        if (command->given[i].row == row)
            return command->given[i].text;
    return NULL;
}

/* True if no later setting of its option replaces it. */
static bool given_counts(const struct meshcast_command *command, const struct given_option *given)
{
    return given->row->is_parameter || given->text == value_of(command, given->row);
}

enum failure_kind command_set_default(struct meshcast_command *command, const char *option,
                                      const char *value, struct failure *failure)
{
    for (size_t i = 0; i < command->givens; i++)
        if (strcmp(command->given[i].row->name, option) == 0)
            return FAIL_NONE;
    return set_option(command, option, value, failure);
}

bool meshcast_command_takes(const struct meshcast_command *command, const char *option)
{
    size_t base;
    return option_find(command->row->options, option, strlen(option), &base) != NULL;
}

enum meshcast_status meshcast_command_set(struct meshcast_command *command, const char *option,
                                          const char *value, struct meshcast_error *error)
{
    struct failure failure = {0};
    set_option(command, option, value, &failure);
    return take_error(command, &failure, error);
}

static enum failure_kind add_operand(struct meshcast_command *command, const char *text,
                                     struct failure *failure)
{
    bool is_name = command->row->operand_names != NULL;
    if (command->operands == command->row->most || (text == NULL && is_name))
        return fail(failure, FAIL_USAGE, "unexpected '%.80s'; expected %s",
                    text == NULL ? "set" : text, command->row->operands);
    char *copy = text == NULL ? NULL : strdup(text);
    if (text != NULL && copy == NULL)
        return fail_memory(failure, "an operand");
    command->operand[command->operands++] = copy;
    return FAIL_NONE;
}

enum meshcast_status meshcast_command_add_operand(struct meshcast_command *command,
                                                  const char *operand, struct meshcast_error *error)
{
    struct failure failure = {0};
    add_operand(command, operand, &failure);
    return take_error(command, &failure, error);
}

enum meshcast_status meshcast_command_give_set(struct meshcast_command *command,
                                               const struct meshcast_set *set,
                                               struct meshcast_error *error)
{
    struct failure failure = {0};
    size_t base;
    bool is_option = command->row->most == 0 &&
                     option_find(command->row->options, "set", strlen("set"), &base) != NULL;
    int place = is_option ? 0 : command->operands;
    assert(command->row->most <= COMMAND_SETS);
    if (is_option || add_operand(command, NULL, &failure) == FAIL_NONE)
        command->set[place] = set;
    return take_error(command, &failure, error);
}

enum meshcast_status meshcast_command_give_entries(struct meshcast_command *command,
                                                   const struct meshcast_entries *entries,
                                                   struct meshcast_error *error)
{
    struct failure failure = {0};
    if (strcmp(command->row->name, "import") != 0)
        fail(&failure, FAIL_USAGE, "only import takes a matrix");
    else if (add_operand(command, NULL, &failure) == FAIL_NONE)
        command->entries = entries;
    return take_error(command, &failure, error);
}

void meshcast_command_give_topology(struct meshcast_command *command,
                                    const struct meshcast_topology *topology)
{
    command->topology = topology;
}

void meshcast_command_give_router(struct meshcast_command *command,
                                  const struct meshcast_router *router)
{
    if (command->routers < COMMAND_ROUTERS)
        command->router[command->routers++] = router;
}

void meshcast_command_set_progress(struct meshcast_command *command,
                                   void (*progress)(void *context, uint64_t done, uint64_t all,
                                                    const char *what),
                                   void *context)
{
    command->progress = progress;
    command->progress_context = context;
}

void meshcast_command_set_note(struct meshcast_command *command,
                               void (*note)(void *context, const char *line), void *context)
{
    command->note = note;
    command->note_context = context;
}

void meshcast_command_set_interrupt(struct meshcast_command *command,
                                    const struct meshcast_interrupt *interrupt)
{
    command->interrupt = interrupt == NULL ? NULL : &interrupt->interrupt;
}

void meshcast_command_set_observer(struct meshcast_command *command,
                                   const struct meshcast_observer *observer)
{
    command->observer = observer == NULL ? NULL : &command->observer_copy;
    if (observer != NULL)
        command->observer_copy = *observer;
}

void meshcast_command_set_table(struct meshcast_command *command, FILE *out)
{
    command->table = out;
}

void meshcast_command_set_program(struct meshcast_command *command, const char *line,
                                  struct ranks *ranks)
{
    command->line = line;
    command->ranks = ranks;
    command->names_dashes = true;
    command_share_cores(command);
}

/* ---- files ---- */

/* Returns option `index`; NULL: there are fewer. *text: its value, if it is a text that was given,
 * else NULL. */
static const struct meshcast_option *option_at(const struct meshcast_command *command,
                                               uint32_t index, const char **text)
{
    const struct meshcast_option *row = meshcast_command_option(command->row, index);
    *text = row != NULL && row->type == MESHCAST_OPTION_TEXT ? value_of(command, row) : NULL;
    return row;
}

/* Returns the file among the operands and options from which the command reads, and which `path`
 * would overwrite; NULL: none.
 */
static const char *overwritten(const struct meshcast_command *command, const char *path)
{
    const struct meshcast_option *row;
    const char *text;
    for (int i = 0; i < command->operands; i++)
        if (path_is_same_file(path, command->operand[i]))
            return command->operand[i];
    for (uint32_t i = 0; (row = option_at(command, i, &text)) != NULL; i++) {
        const char *file = row->is_topology ? topology_text_file(text) : text;
        if (!row->is_output && (row->is_file || row->is_topology) && path_is_same_file(path, file))
            return file;
    }
    return NULL;
}

/* Returns the option before `row` that writes the same file; NULL: none. */
static const struct meshcast_option *other_writer(const struct meshcast_command *command,
                                                  const struct meshcast_option *row,
                                                  const char *path)
{
    const struct meshcast_option *other;
    const char *text;
    for (uint32_t i = 0; (other = option_at(command, i, &text)) != row; i++)
        if (other->is_output && path_is_same_file(path, text))
            return other;
    return NULL;
}

/* Checks that one file has one writer, and that no file that is read is overwritten. */
static enum failure_kind check_output(const struct meshcast_command *command,
                                      const struct meshcast_option *row, const char *path,
                                      struct failure *failure)
{
    const struct meshcast_option *other = other_writer(command, row, path);
    if (other != NULL)
        return fail(failure, FAIL_USAGE, "--%s and --%s name one file", row->name, other->name);
    if (path_is_standard_output(path))
        return fail(failure, FAIL_USAGE, "standard output goes to %s; name another file", path);
    const char *file = overwritten(command, path);
    return file == NULL ? FAIL_NONE
                        : fail(failure, FAIL_USAGE, "--%s would overwrite %.300s", row->name, file);
}

const char *meshcast_command_output(const struct meshcast_command *command)
{
    const struct meshcast_option *row;
    const char *path;
    for (uint32_t i = 0; (row = option_at(command, i, &path)) != NULL; i++)
        if (row->is_output && path != NULL && strcmp(path, "-") == 0)
            return row->name;
    return NULL;
}

static enum failure_kind check_outputs(const struct meshcast_command *command,
                                       struct failure *failure)
{
    const char *standard = meshcast_command_output(command), *path;
    const struct meshcast_option *row;
    for (uint32_t i = 0; (row = option_at(command, i, &path)) != NULL; i++) {
        if (!row->is_output || path == NULL)
            continue;
        if (strcmp(path, "-") == 0 && strcmp(row->name, standard) != 0)
            return fail(failure, FAIL_USAGE, "only one of --%s and --%s can be standard output",
                        standard, row->name);
        if (check_output(command, row, path, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

void meshcast_watch_files(void (*made)(const char *name), void (*gone)(const char *name))
{
    output_file_set_watch(made, gone);
}

static const struct meshcast_store *store_of_program;

void meshcast_set_store(const struct meshcast_store *store)
{
    store_of_program = store;
}

const struct meshcast_store *command_store(void)
{
    return store_of_program;
}

/* ---- runs ---- */

/* Counts the "-" of an operand or a value: "-", "graph:-", "A,-"; 0 of NULL. */
static int standard_inputs(const char *text)
{
    int inputs = 0;
    for (; text != NULL; text = strpbrk(text, ",:=")) {
        text += strspn(text, ",:=");
        inputs += *text == '-' && strcspn(text, ",:=") == 1;
    }
    return inputs;
}

static enum failure_kind check_operands(const struct meshcast_command *command,
                                        struct failure *failure)
{
    int inputs = 0;
    for (int i = 0; i < command->operands; i++)
        inputs += standard_inputs(command->operand[i]);
    for (size_t i = 0; i < command->givens; i++)
        if (given_counts(command, &command->given[i]) && !command->given[i].row->is_output)
            inputs += standard_inputs(command->given[i].text);
    if (inputs > 1)
        return fail(failure, FAIL_USAGE, "only one file can be standard input");
    if (command->operands < command->row->least)
        return fail(failure, FAIL_USAGE, "missing %s", command->row->operands);
    return FAIL_NONE;
}

bool command_is_set(const struct meshcast_command *command, const char *name)
{
    size_t base;
    const struct meshcast_option *row =
        option_find(command->row->options, name, strlen(name), &base);
    return row != NULL && value_of(command, row) != NULL;
}

/* Checks that each given input replaces an option that the command has and that is not set. */
static enum failure_kind check_given(const struct meshcast_command *command,
                                     struct failure *failure)
{
    if (command->topology != NULL && !meshcast_command_takes(command, "topology"))
        return fail(failure, FAIL_USAGE, "%s takes no topology", command->row->name);
    if (command->topology != NULL && command_is_set(command, "topology"))
        return fail(failure, FAIL_USAGE, "a topology is given; leave --topology out");
    if (command->row->most == 0 && command->set[0] != NULL && command_is_set(command, "set"))
        return fail(failure, FAIL_USAGE, "a set is given; leave --set out");
    if (command->routers > 0 && !meshcast_command_takes(command, "router"))
        return fail(failure, FAIL_USAGE, "%s takes no router", command->row->name);
    return FAIL_NONE;
}

enum meshcast_status meshcast_command_run(struct meshcast_command *command,
                                          struct meshcast_report **report,
                                          struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_report *made = memory_allocate(1, sizeof *made);
    if (made != NULL) {
        made->command = command;
        made->table =
            command->table != NULL ? command->table : open_memstream(&made->text, &made->text_size);
    }
    if (made == NULL || made->table == NULL)
        fail_memory(&failure, "a report");
    else if (check_operands(command, &failure) == FAIL_NONE &&
             check_given(command, &failure) == FAIL_NONE &&
             check_outputs(command, &failure) == FAIL_NONE) {
        command_share_memory(command);
        table_is_short();
        command->row->run(command, made, &failure);
        if (table_is_short() && failure.kind == FAIL_NONE)
            fail_memory(&failure, "the table");
    }
    if (made != NULL && made->table != NULL && made->table != command->table) {
        fclose(made->table);
        made->table = NULL;
    }
    bool has_figures = made != NULL && made->json != NULL;
    if (!has_figures)
        meshcast_report_free(made);
    *report = has_figures ? made : NULL;
    return take_error(command, &failure, error);
}

bool run_has_figures(const struct failure *failure)
{
    return failure->kind == FAIL_NONE || failure->kind == FAIL_CHECK;
}

void command_note(const struct meshcast_command *command, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (command->note != NULL)
        command->note(command->note_context, line);
}

void command_note_threads(const struct meshcast_command *command, uint32_t threads,
                          uint32_t refused)
{
    if (refused > 0)
        command_note(command, "the system gave %u of %u threads; the run went on with %s", threads,
                     threads + refused, threads == 1 ? "one" : "these");
}

void command_progress(const struct meshcast_command *command, uint64_t done, uint64_t all,
                      const char *what)
{
    if (command->progress != NULL)
        command->progress(command->progress_context, done, all, what);
}

void command_progress_steps(void *command, uint64_t steps, const char *phase)
{
    command_progress(command, steps, 0, phase);
}

static void write_option(const struct meshcast_command *command, const struct meshcast_option *row,
                         bool has_folders, FILE *out)
{
    const char *value = value_of(command, row);
    bool is_flag = row->type == MESHCAST_OPTION_FLAG;
    for (size_t i = 0; i < command->givens && value != NULL; i++) {
        const char *text = command->given[i].text;
        if (command->given[i].row != row || !given_counts(command, &command->given[i]) ||
            (is_flag && strcmp(value, "true") != 0))
            continue;
        fprintf(out, " --%s%s%s", row->name, is_flag ? "" : " ",
                is_flag                        ? ""
                : row->is_file && !has_folders ? page_file_name(text)
                                               : text);
    }
}

char *command_comment(const struct meshcast_command *command, bool has_folders,
                      const char *const *left_out, const char *format, ...)
{
    char *text = NULL;
    size_t size;
    va_list arguments;
    const struct meshcast_option *row;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "meshcast %s", command->row->name);
    for (int i = 0; i < command->operands; i++) {
        const char *operand = command->operand[i] == NULL ? "given" : command->operand[i];
        fprintf(out, " %s", has_folders ? operand : page_file_name(operand));
    }
    for (uint32_t i = 0; i < command->routers; i++)
        fprintf(out, " --router %s", router_of(command->router[i])->name);
    if (command->topology != NULL)
        fprintf(out, " --topology %s", command->topology->text);
    for (uint32_t i = 0; (row = meshcast_command_option(command->row, i)) != NULL; i++) {
        const char *const *name = left_out;
        while (*name != NULL && strcmp(*name, row->name) != 0)
            name++;
        if (*name == NULL && !row->is_output && row->help != NULL)
            write_option(command, row, has_folders, out);
    }
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

const char *command_operand(const struct meshcast_command *command, int index)
{
    return index < command->operands ? command->operand[index] : NULL;
}

/* ---- reports ---- */

FILE *command_table(const struct meshcast_report *report)
{
    if (report->command->table != NULL)
        command_progress(report->command, 0, 0, NULL);
    return report->table;
}

enum failure_kind report_take_json(struct meshcast_report *report, json_t *json, const char *rows,
                                   struct failure *failure)
{
    report->json = json;
    report->rows = rows;
    return json != NULL ? FAIL_NONE : fail_memory(failure, "the result");
}

enum failure_kind report_take_csv(struct meshcast_report *report, json_t *rows,
                                  struct failure *failure)
{
    report->csv = rows;
    return rows != NULL ? FAIL_NONE : fail_memory(failure, "the result");
}

void report_take_array(struct meshcast_report *report, const char *name, void *value, size_t count,
                       bool is_wide)
{
    report->array[report->arrays++] = (struct report_array){name, value, count, is_wide};
}

void meshcast_report_free(struct meshcast_report *report)
{
    if (report == NULL)
        return;
    for (uint32_t i = 0; i < report->arrays; i++)
        free(report->array[i].value);
    json_decref(report->json);
    json_decref(report->csv);
    free(report->text);
    free(report->json_text);
    free(report->csv_text);
    if (report->set != NULL)
        meshcast_set_free(report->set);
    free(report);
}

double meshcast_report_figure(const struct meshcast_report *report, const char *path)
{
    const json_t *value = figures_find(report->json, path);
    if (json_is_boolean(value))
        return json_is_true(value);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *meshcast_report_word(const struct meshcast_report *report, const char *path)
{
    return json_string_value(figures_find(report->json, path));
}

size_t meshcast_report_size(const struct meshcast_report *report, const char *path)
{
    const json_t *value = figures_find(report->json, path);
    return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

/* Returns the output of `print` for `value`, which is the caller's; NULL: no memory. */
static char *written(const json_t *value, enum failure_kind (*print)(const json_t *value, FILE *out,
                                                                     struct failure *failure))
{
    char *text = NULL;
    size_t size;
    struct failure failure = {0};
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    print(value, out, &failure);
    if (fclose(out) != 0 || failure.kind != FAIL_NONE) {
        free(text);
        text = NULL;
    }
    return text;
}

const char *meshcast_report_json(struct meshcast_report *report)
{
    if (report->json_text == NULL)
        report->json_text = written(report->json, report_write_json);
    return report->json_text;
}

const json_t *report_rows(const struct meshcast_report *report)
{
    return report->csv != NULL    ? report->csv
           : report->rows == NULL ? report->json
                                  : json_object_get(report->json, report->rows);
}

const char *meshcast_report_csv(struct meshcast_report *report)
{
    if (report->csv_text == NULL)
        report->csv_text = written(report_rows(report), report_print_csv);
    return report->csv_text;
}

const char *meshcast_report_text(struct meshcast_report *report)
{
    return report->text;
}

static const struct report_array *find_array(const struct meshcast_report *report, const char *name,
                                             bool is_wide, size_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < report->arrays; i++)
        if (report->array[i].is_wide == is_wide && strcmp(report->array[i].name, name) == 0) {
            *count = report->array[i].count;
            return &report->array[i];
        }
    return NULL;
}

const uint32_t *meshcast_report_array32(const struct meshcast_report *report, const char *name,
                                        size_t *count)
{
    const struct report_array *array = find_array(report, name, false, count);
    return array == NULL ? NULL : array->value;
}

const uint64_t *meshcast_report_array64(const struct meshcast_report *report, const char *name,
                                        size_t *count)
{
    const struct report_array *array = find_array(report, name, true, count);
    return array == NULL ? NULL : array->value;
}

struct meshcast_set *meshcast_report_take_set(struct meshcast_report *report)
{
    struct meshcast_set *set = report->set;
    report->set = NULL;
    return set;
}
