/* matrix_market.h - reading of Matrix Market coordinate files. */
#ifndef MESHCAST_WORKLOADS_MATRIX_MARKET_H
#define MESHCAST_WORKLOADS_MATRIX_MARKET_H

#include "base/byte_source.h"
#include "workloads/entry_list.h"

/* The word that begins every Matrix Market file. */
#define MATRIX_MARKET_BANNER "%%MatrixMarket"

/* Reads the whole of `source` into the empty `list`, symmetry expanded. FAIL_INPUT names file,
 * line and what was expected. On failure the list may hold a part; the caller frees it anyway. */
enum failure_kind matrix_market_read(struct byte_source *source, struct entry_list *list,
                                     struct failure *failure);

#endif
