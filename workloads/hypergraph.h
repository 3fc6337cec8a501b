/* hypergraph.h - reading of hypergraphs in the formats of hMETIS and PaToH. */
#ifndef MESHCAST_WORKLOADS_HYPERGRAPH_H
#define MESHCAST_WORKLOADS_HYPERGRAPH_H

#include "base/byte_source.h"
#include "workloads/entry_list.h"

/* Reads the whole of `source` into the empty `list`: hyperedge j is column j, sent by its first vertex to the others, which
 * are rows. FAIL_INPUT names file, line and what was expected. On failure the list may hold a part; the
 * caller frees it anyway. */
enum failure_kind hypergraph_read(struct byte_source *source, struct entry_list *list,
                                  struct failure *failure);

/* The same of PaToH's format. */
enum failure_kind patoh_read(struct byte_source *source, struct entry_list *list,
                             struct failure *failure);

#endif
