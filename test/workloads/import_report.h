/* import_report.h - the result of the command `import` on a file, or on bytes. */
#ifndef MESHCAST_TEST_WORKLOADS_IMPORT_REPORT_H
#define MESHCAST_TEST_WORKLOADS_IMPORT_REPORT_H

#include "test/plain_set.h"

struct import_report {
    enum meshcast_status status;
    struct meshcast_error error;
    struct plain_set set; /* without a handle: the import failed */
    uint64_t rows, cols, entries, nonzeros;
    char notes[2048]; /* a line each */
};

/* Imports the file; options are words "NAME=VALUE". */
void import_file(struct import_report *report, const char *path, const char *options);

/* Imports bytes from a file of that name, in a folder of its own. */
void import_bytes(struct import_report *report, const void *bytes, size_t length, const char *name,
                  const char *options);

/* Returns the messages "SOURCE DEST .. ;SOURCE DEST .. ;" of a set. */
const char *import_messages(const struct plain_set *set);

void import_report_free(struct import_report *report);

#endif
