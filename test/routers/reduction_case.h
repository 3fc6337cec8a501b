/* reduction_case.h - sets and runs for the tests of --reduce. */
#ifndef MESHCAST_TEST_ROUTERS_REDUCTION_CASE_H
#define MESHCAST_TEST_ROUTERS_REDUCTION_CASE_H

#include "test/routers/router_case.h"

enum { REDUCTION_MESH_COUNT = 14 };
extern const struct grid REDUCTION_MESHES[REDUCTION_MESH_COUNT];

/* Returns a run of that router with --reduce. */
struct router_case reduction_case(const char *router);

/* Draws up to l messages per node, node 0 has l; of up to d destinations each, sources among them.
 * The caller frees. */
void reduction_draw(struct plain_set *set, struct grid mesh, uint32_t l, uint32_t d, uint64_t seed);

/* Returns the index of the message of that name in traces, which must be there. */
uint32_t reduction_message(const struct plain_set *set, uint32_t name);

#endif
