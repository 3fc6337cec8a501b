/* import_case.h - imports a text in memory. */
#ifndef MESHCAST_TEST_WORKLOADS_IMPORT_CASE_H
#define MESHCAST_TEST_WORKLOADS_IMPORT_CASE_H

#include "workloads/import.h"

/* Imports `length` bytes; `name` stands for the path. */
static inline enum failure_kind import_memory(const void *bytes, size_t length, const char *name,
                                              const struct import_options *options,
                                              struct message_set *set,
                                              struct import_summary *summary,
                                              struct failure *failure)
{
    struct byte_source *source;
    *set = (struct message_set){0};
    enum failure_kind kind = byte_source_open_memory(&source, bytes, length, name, failure);
    return kind == FAIL_NONE ? import_source(source, name, options, set, summary, failure) : kind;
}

#endif
