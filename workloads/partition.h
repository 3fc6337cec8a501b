/* partition.h - reading of a partition: which node each item is on. */
#ifndef MESHCAST_WORKLOADS_PARTITION_H
#define MESHCAST_WORKLOADS_PARTITION_H

#include "base/byte_source.h"
#include "machine/mesh.h"

/* Reads a node number a line, for items 0, 1, .. in turn, as METIS, KaHyPar and PaToH write them; blank lines, and those
 * that begin with # or %, count for nothing. *part [items] is the caller's to free, *largest the largest
 * number. FAIL_INPUT: there are not `items` numbers, or one is no node of the largest mesh; FAIL_SYSTEM:
 * no memory. */
enum failure_kind partition_read(struct byte_source *source, uint32_t items, uint32_t **part,
                                 uint32_t *largest, struct failure *failure);

#endif
