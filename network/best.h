/* best.h - the scheme `best`: the candidate that is the fastest in a run.
 *
 * Every candidate that can run does run, so the choice depends on everything that a run depends on:
 * the messages and their lengths, the load, startups, ports, switching. A candidate that cannot
 * run, or deadlocks, is passed over.
 */
#ifndef MESHCAST_NETWORK_BEST_H
#define MESHCAST_NETWORK_BEST_H

#include "network/burst.h"
#include "network/open_loop.h"

/* If a burst's scheme is `best`, sets it to the candidate whose last delivery is the earliest, of
 * several the first. A run ends when it is slower than one before. If the watcher ends a run, the
 * fastest so far is chosen. FAIL_USAGE: no candidate can run there. FAIL_SYSTEM: no memory. */
enum failure_kind best_choose_for_burst(struct burst *burst, struct failure *failure);

/* If an open loop's scheme is `best`, sets it to the first candidate that can run, if any: for
 * checks, and for the lengths of runs before the fastest is known. */
void best_stand_in(struct open_loop *loop);

/* Runs an open loop as open_loop_run() does; with `best`, all candidates, of which the loop and the
 * result get the one with the least mean latency, or, if all are saturated, with the highest
 * accepted rate. */
enum failure_kind best_run_open_loop(struct open_loop *loop, struct open_loop_result *result,
                                     struct failure *failure);

#endif
