/* own_router_case.h - a right router of a user's own, to be made wrong, and checks of its runs.
 */
#ifndef MESHCAST_TEST_LIBRARY_OWN_ROUTER_CASE_H
#define MESHCAST_TEST_LIBRARY_OWN_ROUTER_CASE_H

#include "library/meshcast_command.h"
#include "library/meshcast_own_router.h"

enum { OWN_SIDE = 6, OWN_NODES = OWN_SIDE * OWN_SIDE };

/* One packet after another goes along its row, then its column. */
unsigned right_parts(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet);
uint32_t right_take(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                    uint32_t packet, enum meshcast_part part);
uint32_t right_stop(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                    uint32_t packet, enum meshcast_part part);
extern const struct meshcast_rule right_rule;

/* Runs the router on the set; the caller frees the report, which may be NULL. */
struct meshcast_report *own_router_run(const struct meshcast_router *router,
                                       const struct meshcast_set *set, const char *options,
                                       struct meshcast_error *error);

/* Runs the plan's router on a mesh of OWN_SIDE x OWN_SIDE, with both costs of a copy and on one
 * thread and two: each run must end with the status, and with a text that holds `expected`. */
void own_router_expect(const struct meshcast_router_plan *plan, enum meshcast_status status,
                       const char *expected);

#endif
