/* expert_routes.h - reading of logged expert routes of a mixture-of-experts model. */
#ifndef MESHCAST_WORKLOADS_EXPERT_ROUTES_H
#define MESHCAST_WORKLOADS_EXPERT_ROUTES_H

#include "base/byte_source.h"
#include "workloads/entry_list.h"

/* Reads the whole of `source` into the empty `list`: each token of one layer is a column and an item, in the order of the
 * file; its experts are the rows. list->rows, if it is not 0, is their number; else it becomes the largest that occurs,
 * and one. The layer is that of list->reading, or the only one. FAIL_INPUT names file, line and what was
 * expected; FAIL_USAGE names the layers that there are, where none is asked for and there are several, or another one is.
 * On failure the list may hold a part; the caller frees it anyway. */
enum failure_kind expert_routes_read(struct byte_source *source, struct entry_list *list,
                                     struct failure *failure);

#endif
