/* import_report.c - imports by the public headers. */
#include "test/workloads/import_report.h"

#include "test/library_case.h"
#include "test/temporary.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Keeps a note about the file's form; other notes are the set's figures and the range of ids. */
static void keep_note(void *context, const char *line)
{
    struct import_report *report = context;
    size_t used = strlen(report->notes);
    if (strncmp(line, "its ", 4) == 0 && strstr(line, " ids, ") == NULL)
        snprintf(report->notes + used, sizeof report->notes - used, "%s\n", line);
}

static uint64_t figure(const struct meshcast_report *report, const char *name)
{
    double value = meshcast_report_figure(report, name);
    return isnan(value) ? 0 : (uint64_t)value;
}

void import_file(struct import_report *report, const char *path, const char *options)
{
    struct meshcast_report *made = NULL;
    *report = (struct import_report){.status = MESHCAST_OK};
    struct meshcast_command *command = case_command("import", NULL, options);
    meshcast_command_set_note(command, keep_note, report);
    report->status = meshcast_command_add_operand(command, path, &report->error);
    if (report->status == MESHCAST_OK)
        report->status = meshcast_command_run(command, &made, &report->error);
    meshcast_command_free(command);
    if (report->status == MESHCAST_OK) {
        report->rows = figure(made, "rows");
        report->cols = figure(made, "cols");
        report->entries = figure(made, "entries");
        report->nonzeros = figure(made, "nonzeros");
        plain_set_of(&report->set, meshcast_report_take_set(made));
    }
    meshcast_report_free(made);
}

void import_bytes(struct import_report *report, const void *bytes, size_t length, const char *name,
                  const char *options)
{
    char folder[TEMPORARY_PATH], path[TEMPORARY_PATH + 32];
    temporary_folder(folder);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
    import_file(report, path, options);
    unlink(path);
    rmdir(folder);
}

const char *import_messages(const struct plain_set *set)
{
    static char text[1 << 16];
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < set->messages; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%u", set->source[i]);
        for (uint64_t d = set->offset[i]; d < set->offset[i + 1]; d++)
            length +=
                (size_t)snprintf(text + length, sizeof text - length, " %u", set->destination[d]);
        length += (size_t)snprintf(text + length, sizeof text - length, ";");
        ck_assert_uint_lt(length, sizeof text);
    }
    return text;
}

void import_report_free(struct import_report *report)
{
    plain_set_free(&report->set);
}
