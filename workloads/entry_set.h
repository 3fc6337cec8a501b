/* entry_set.h - from the entries of a matrix to a message set. */
#ifndef MESHCAST_WORKLOADS_ENTRY_SET_H
#define MESHCAST_WORKLOADS_ENTRY_SET_H

#include "workloads/entry_list.h"
#include "workloads/message_set.h"
#include "workloads/placement.h"

/* Makes the set in which each column with entries is a message, in the order of its source and then of columns; rows on
 * one node count once, and entries of a column in its own sender are left out if the diagonal is dropped.
 * The entries are spent. The caller frees the set. */
enum failure_kind entry_set_make(struct message_set *set, struct entry_list *list,
                                 const struct placement *placement, bool drop_diagonal,
                                 struct failure *failure);

#endif
