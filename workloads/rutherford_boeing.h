/* rutherford_boeing.h - reading of sparse matrices in Rutherford-Boeing format, and in Harwell-Boeing format. */
#ifndef MESHCAST_WORKLOADS_RUTHERFORD_BOEING_H
#define MESHCAST_WORKLOADS_RUTHERFORD_BOEING_H

#include "base/byte_source.h"
#include "workloads/entry_list.h"

/* Reads the pattern of `source` into the empty `list`, symmetry expanded. FAIL_INPUT names file, line and what was
 * expected. On failure the list may hold a part; the caller frees it anyway. */
enum failure_kind rutherford_boeing_read(struct byte_source *source, struct entry_list *list,
                                         struct failure *failure);

#endif
