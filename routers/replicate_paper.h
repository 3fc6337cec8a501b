/* replicate_paper.h - router `replicate`, variant=paper: Theorem 2 as it is printed. */
#ifndef MESHCAST_ROUTERS_REPLICATE_PAPER_H
#define MESHCAST_ROUTERS_REPLICATE_PAPER_H

#include "routers/routing.h"

/* The members of a router_method for the variant. FAIL_USAGE: Lemma 1 is needed, and nodes send too many messages for
 * it. */
enum failure_kind replicate_paper_route(struct routing *routing, struct failure *failure);
struct attempt_limits replicate_paper_limits(const struct routing *routing);
/* Returns how many tiles the run's mesh has: the largest power of two up to c / l that it can be halved into. */
uint64_t replicate_paper_tiles(const struct routing *routing);

#endif
