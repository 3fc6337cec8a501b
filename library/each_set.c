/* each_set.c - a command on each of several sets.
 *
 * Method: each run gets a copy of the command with one operand and fills the report as if it were
 * the only one; its content is then moved into the arrays of all.
 */
#include "library/each_set.h"

#include "base/printable.h"
#include "library/command_set.h"
#include "library/handle_private.h"
#include "workloads/experts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The results of the sets so far. */
struct each_result {
    json_t *json, *rows;            /* arrays */
    struct failure broken, refusal; /* the first ones */
    uint32_t refused;
};

uint32_t each_set_count(const struct meshcast_command *command, const struct each_set *sets)
{
    return sets->parts->count > 0 ? sets->parts->count : (uint32_t)command->operands;
}

/* Fails if a file cannot be read, before the sets named first take their time; NULL and "-" are
 * none. */
static void check_file(const char *path, struct failure *failure)
{
    if (path != NULL && strcmp(path, "-") != 0 && access(path, R_OK) != 0)
        fail(failure, FAIL_SYSTEM, "cannot open %.300s: %s", path, strerror(errno));
}

static enum failure_kind check_sets(const struct meshcast_command *command,
                                    const struct each_set *sets, struct failure *failure)
{
    const struct mesh_options *mesh = sets->mesh;
    const char *path = command->operand[0];
    bool has_mesh = command->topology != NULL || mesh->topology != NULL || mesh->rows > 0 ||
                    mesh->cols > 0 || mesh->side.rows > 0;
    if (sets->parts->count == 0)
        return !has_mesh ? FAIL_NONE
                         : fail(failure, FAIL_USAGE,
                                "a set has its own mesh; --side, --rows, --cols and --topology are "
                                "for --parts");
    if (command->operands > 1)
        return fail(failure, FAIL_USAGE, "--parts are of one file, not of %d", command->operands);
    if (path == NULL || (sets->parts->count > 1 && strcmp(path, "-") == 0))
        return fail(failure, FAIL_USAGE, "--parts are of a file, which is read for each of them");
    return FAIL_NONE;
}

/* Fails if a part file, read once more now that the shape is known, names a node that is not in
 * the main part. */
static enum failure_kind check_part(const struct shape *shape, const char *part,
                                    const char *without, struct failure *failure)
{
    struct topology topology = topology_of_shape(shape);
    const struct node_lines_format format = {
        .what = "item", .most = UINT32_MAX, .broken = &topology};
    struct node_lines lines = {0};
    struct byte_source *source;
    if (command_break_topology(without, false, &topology, failure) == FAIL_NONE &&
        byte_source_open(&source, part, failure) == FAIL_NONE)
        node_lines_read_source(&lines, &format, source, part, failure);
    node_lines_free(&lines);
    topology_free(&topology);
    return failure->kind;
}

/* Makes a set as `import --part` does; NULL: failure. */
static struct meshcast_set *import_part(const struct meshcast_command *command,
                                        const struct each_set *sets, const char *part,
                                        struct failure *failure)
{
    char note[SET_NOTE_SIZE];
    struct import_options options = {.part = part};
    struct import_summary summary;
    struct meshcast_set *set = set_new(failure);
    if (set == NULL)
        return NULL;
    struct message_set *made = &set->instance.set;
    if (command_shape(command, sets->mesh, &options.shape, failure) == FAIL_NONE &&
        import_matrix(command->operand[0], &options, made, &summary, failure) == FAIL_NONE &&
        set_file_note(made, &summary, command->operand[0], note))
        command_note(command, "%s", note);
    if (failure->kind == FAIL_NONE && sets->without != NULL && made->shape.kind != TOPOLOGY_GRAPH &&
        strcmp(part, "-") != 0)
        check_part(&made->shape, part, sets->without, failure);
    if (failure->kind == FAIL_NONE)
        set_fit(made, failure);
    return set_measure(set, failure, NULL);
}

/* Runs the command on set `index`, which is called `name`; NULL: it is the only one, and given. */
static enum failure_kind run_one(const struct meshcast_command *command,
                                 const struct each_set *sets, uint32_t index, char *name,
                                 struct meshcast_report *report, struct failure *failure)
{
    struct meshcast_command one = *command;
    struct meshcast_set *made = NULL;
    const char *part = sets->parts->count > 0 ? sets->parts->file[index] : NULL;
    one.operand = &name;
    one.operands = 1;
    one.topology = NULL;
    one.set[0] = command->set[index];
    if (part != NULL)
        one.set[0] = made = import_part(command, sets, part, failure);
    if (failure->kind == FAIL_NONE)
        sets->run(&one, report, failure);
    if (made != NULL)
        meshcast_set_free(made);
    return failure->kind;
}

/* Appends copies of the rows, an array or one object, that begin with the set and its part. */
static void append_rows(json_t **array, const json_t *rows, const char *set, const char *part)
{
    size_t count = json_is_array(rows) ? json_array_size(rows) : 1;
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_is_array(rows) ? json_array_get(rows, i) : rows;
        struct report_object object = report_object_open();
        report_set(&object, "set", report_json_text(set));
        if (part != NULL)
            report_set(&object, "part", report_json_text(part));
        object.failed |= json_object_update_missing(object.value, (json_t *)row) != 0;
        report_append(array, report_object_close(&object));
    }
}

/* Runs the command on set `index` of several. False: the run ends all, for the reason in
 * `failure`. */
static bool run_next(const struct meshcast_command *command, const struct each_set *sets,
                     uint32_t index, struct each_result *all, struct meshcast_report *report,
                     struct failure *failure)
{
    char number[24], shown[PRINTABLE_NAME],
        *name = command->operand[sets->parts->count > 0 ? 0 : index];
    const char *part = sets->parts->count > 0 ? sets->parts->file[index] : NULL;
    struct failure own = {0};
    FILE *out = command_table(report);
    snprintf(number, sizeof number, "set %u", (unsigned)(index + 1));
    name = name == NULL ? number : name;
    if (index > 0)
        fputc('\n', out);
    if (part != NULL)
        fprintf(out, "part %s\n", printable_name(part, shown));
    run_one(command, sets, index, name, report, &own);
    const char *label = part != NULL ? part : name;
    bool has_figures = report->json != NULL;
    if (has_figures) {
        append_rows(&all->rows, report_rows(report), name, part);
        append_rows(&all->json, report->json, name, part);
    }
    json_decref(report->json);
    json_decref(report->csv);
    report->json = report->csv = NULL;
    if (has_figures && own.kind == FAIL_CHECK)
        fail(&all->broken, FAIL_CHECK, "%.80s: %.400s", label, own.text);
    else if (has_figures && own.kind == FAIL_USAGE && ++all->refused > 0)
        fail(&all->refusal, FAIL_USAGE, "%.80s: %.400s", label, own.text);
    else
        *failure = own;
    return failure->kind == FAIL_NONE;
}

enum failure_kind each_set_run(struct meshcast_command *command, const struct each_set *sets,
                               struct meshcast_report *report, struct failure *failure)
{
    struct each_result all = {.json = json_array(), .rows = json_array()};
    uint32_t count = each_set_count(command, sets), done = 0;
    if (check_sets(command, sets, failure) == FAIL_NONE && count == 1)
        run_one(command, sets, 0, command->operand[0], report, failure);
    for (uint32_t i = 1; i < count; i++)
        check_file(sets->parts->count > 0 ? sets->parts->file[i] : command->operand[i], failure);
    while (count > 1 && failure->kind == FAIL_NONE && done < count &&
           run_next(command, sets, done, &all, report, failure))
        done++;
    bool is_told =
        json_array_size(all.json) > 0 && (done == count || failure->kind == FAIL_INTERRUPTED);
    if (is_told && report_take_json(report, all.json, NULL, failure) == FAIL_NONE &&
        report_take_csv(report, all.rows, failure) == FAIL_NONE && done == count)
        *failure = all.refused == count ? all.refusal : all.broken;
    if (!is_told) {
        json_decref(all.json);
        json_decref(all.rows);
    }
    return failure->kind;
}
