/* header_private.h - the memory of packets' headers (header.c). For machine/ only. */
#ifndef MESHCAST_MACHINE_HEADER_PRIVATE_H
#define MESHCAST_MACHINE_HEADER_PRIVATE_H

#include "machine/header.h"
#include "machine/pool.h"

#include <stdbool.h>

/* Makes headers of the slots of a pool, all zero; has_names: slots have names other than their indices; finds_names: slots are
 * found by these names. False: no memory; headers_free() frees what was made. */
bool headers_allocate(struct headers *header, const struct pool *pool, bool has_names,
                      bool finds_names);

/* Frees the arrays; their length stays. To call it twice does no harm. */
void headers_free(struct headers *header);

#endif
