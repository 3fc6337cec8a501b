/* drawn_set.h - drawn sets in which nodes send several messages, for tests of routers. */
#ifndef MESHCAST_TEST_ROUTERS_DRAWN_SET_H
#define MESHCAST_TEST_ROUTERS_DRAWN_SET_H

#include "test/plain_set.h"
#include "test/random.h"

/* The messages of nodes: all l messages, any number up to l, or a few nodes l and the others
 * one. */
enum drawn_kind { ALL_MANY, SOME_MANY, FEW_MANY, KINDS };

/* Draws up to `most` different destinations, ascending; returns their number. */
uint64_t drawn_set_destinations(uint64_t *random, uint32_t nodes, uint32_t most,
                                uint32_t *destination);

/* Draws messages of nodes by `kind`, in any order; to at most d destinations each. The caller
 * frees. */
void drawn_set_make(struct plain_set *set, struct grid mesh, enum drawn_kind kind, uint32_t l,
                    uint32_t d, uint64_t seed);

#endif
