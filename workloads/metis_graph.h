/* metis_graph.h - reading of graphs in the format of METIS. */
#ifndef MESHCAST_WORKLOADS_METIS_GRAPH_H
#define MESHCAST_WORKLOADS_METIS_GRAPH_H

#include "base/byte_source.h"
#include "workloads/entry_list.h"

/* Reads the whole of `source` into the empty `list`: vertex j is column j and row j, and its neighbours are the rows of
 * its column. FAIL_INPUT names file, line and what was expected. On failure the list may hold a part; the
 * caller frees it anyway. */
enum failure_kind metis_graph_read(struct byte_source *source, struct entry_list *list,
                                   struct failure *failure);

#endif
