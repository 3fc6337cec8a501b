/* dimacs.h - reading of graphs in the formats of DIMACS's challenges. */
#ifndef MESHCAST_WORKLOADS_DIMACS_H
#define MESHCAST_WORKLOADS_DIMACS_H

#include "base/byte_source.h"
#include "workloads/entry_list.h"

/* Reads the whole of `source` into the empty `list`: vertex v is column v - 1, whose rows are its neighbours. FAIL_INPUT
 * names file, line and what was expected. On failure the list may hold a part; the caller frees it anyway. */
enum failure_kind dimacs_read(struct byte_source *source, struct entry_list *list,
                              struct failure *failure);

/* True if the line is one of DIMACS that says what a file is about: "p sp", "p edge", .. */
bool dimacs_begins(const struct byte_line *line);

#endif
