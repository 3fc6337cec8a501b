/* set_file.h - the message set of any file: one that holds a set, or one of which import makes a set.
 *
 * A text whose first word, behind comments, is `mcast` is a set. What else import knows by its begin or by the end of its
 * name is imported with import's defaults: on the least square mesh, in row order, without weights. Any other text is read as
 * a set, which says what is wrong with it. */
#ifndef MESHCAST_WORKLOADS_SET_FILE_H
#define MESHCAST_WORKLOADS_SET_FILE_H

#include "base/byte_source.h"
#include "workloads/import.h"

/* Reads the file `path` ("-": standard input). `summary` says what was imported, with the format IMPORT_BY_FILE if nothing was.
 * Failures are those of message_set_read_source() and of import_matrix(); `sharing`: as of byte_source_open_shared(). The
 * caller frees the set. */
enum failure_kind set_file_read(struct message_set *set, struct import_summary *summary,
                                const char *path, const struct byte_sharing *sharing,
                                struct failure *failure);

/* Returns the path, or what messages call standard input. */
const char *set_file_name(const char *path);

#endif
