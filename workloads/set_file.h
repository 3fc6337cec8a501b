/* set_file.h - the message set of any file: one that holds a set, or one of which import makes a set.
 *
 * A text whose first word, behind comments, is `mcast` is a set. What else import knows by its begin or by the end of its
 * name is imported with import's defaults: on the least square mesh, in row order, without weights. Any other text is read as
 * a set, which says what is wrong with it. */
#ifndef MESHCAST_WORKLOADS_SET_FILE_H
#define MESHCAST_WORKLOADS_SET_FILE_H

#include "workloads/import.h"

/* Reads the file `path` ("-": standard input). `summary` says what was imported, with the format IMPORT_BY_FILE if nothing was.
 * Failures are those of message_set_read_within() and of import_matrix(). The caller frees the set. */
enum failure_kind set_file_read(struct message_set *set, struct import_summary *summary,
                                const char *path, uint64_t limit, struct failure *failure);

/* The same for the mesh machine: message_set_fit_machine(). All ranks call it; several take message sets alone, as
 * message_set_read_machine(). */
enum failure_kind set_file_read_machine(struct message_set *set, struct import_summary *summary,
                                        const char *path, struct ranks *ranks, uint64_t limit,
                                        struct failure *failure);

#endif
