/* edge_list.h - reading of edge lists, one edge a line, and adjacency lists, one vertex a line. */
#ifndef MESHCAST_WORKLOADS_EDGE_LIST_H
#define MESHCAST_WORKLOADS_EDGE_LIST_H

#include "base/byte_source.h"
#include "workloads/entry_list.h"

/* Reads the whole of `source` into the empty `list`: an edge `u v` is an entry in column u and row v, ids compacted in
 * increasing order over all that occur; rows and cols are their number. A header's number of vertices is kept, and the two
 * sides of a bipartite graph have numbers of their own: list->reading and the file decide. FAIL_USAGE: --symmetric for a
 * bipartite graph. FAIL_INPUT names file, line and what was expected. On failure the list may hold a part; the caller frees
 * it anyway. */
enum failure_kind edge_list_read(struct byte_source *source, struct entry_list *list,
                                 struct failure *failure);

/* The same of lists `u v w ..`: an entry for each id after the first, in column u. */
enum failure_kind adjacency_list_read(struct byte_source *source, struct entry_list *list,
                                      struct failure *failure);

#endif
