/* router_ranks.h - a run of a router on several ranks, compared with the same run without ranks. */
#ifndef MESHCAST_TEST_ROUTERS_ROUTER_RANKS_H
#define MESHCAST_TEST_ROUTERS_ROUTER_RANKS_H

#include "test/routers/router_case.h"

/* Runs on so many ranks, threads of this process, with run.threads threads each; fails unless trace
 * and result are those of a run without ranks, at all ranks and with and without a trace. A run
 * that fails must fail with the same text. */
void router_ranks_case(struct router_case run, const struct plain_set *set, uint32_t ranks);

/* Runs on so many ranks; the test fails unless the run fails a check with a text that holds
 * `expected`. */
void router_ranks_fail(struct router_case run, const struct plain_set *set, uint32_t ranks,
                       const char *expected);

#endif
