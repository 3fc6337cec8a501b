/* expert_routes.h - reading of logged expert routes of a mixture-of-experts model. */
#ifndef MESHCAST_WORKLOADS_EXPERT_ROUTES_H
#define MESHCAST_WORKLOADS_EXPERT_ROUTES_H

#include "base/byte_source.h"
#include "workloads/entry_list.h"

/* Reads the whole of `source` into the empty `list`: line j is token j, a column and an item; the experts that
 * its "topk_ids" names are the rows. list->rows, if it is not 0, is their number; else it becomes the largest
 * that occurs, and one. FAIL_INPUT names file, line and what was expected. On failure the list may hold
 * a part; the caller frees it anyway. */
enum failure_kind expert_routes_read(struct byte_source *source, struct entry_list *list,
                                     struct failure *failure);

#endif
