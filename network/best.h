/* best.h - the scheme `best`: the candidate that is the fastest in a run.
 *
 * Every candidate that can run does, so the choice depends on all that a run depends on: the messages and their lengths, the
 * load, startups, ports, switching. A candidate that comes to a deadlock, or refuses a source, is passed over.
 */
#ifndef MESHCAST_NETWORK_BEST_H
#define MESHCAST_NETWORK_BEST_H

#include "network/burst.h"
#include "network/open_loop.h"

/* Sets the scheme of a burst to the candidate whose last delivery is the earliest, of several the first, if it is `best`; else
 * leaves it as it is. A candidate's run ends when it is slower than one before. If the watcher ends a run, the fastest so far is
 * taken. On ranks all call it. FAIL_USAGE: no candidate can run there. FAIL_SYSTEM: no memory. */
enum failure_kind best_choose_for_burst(struct burst *burst, struct failure *failure);

/* Sets the scheme of an open loop to the first candidate that can run, if it is `best` and there is one: for checks and lengths
 * of runs before it is known which is the fastest. */
void best_stand_in(struct open_loop *loop);

/* open_loop_run(), but with `best` the result of the candidate with the least mean latency, of saturated ones with the
 * highest accepted rate; the scheme of the loop becomes that candidate. */
enum failure_kind best_run_open_loop(struct open_loop *loop, struct open_loop_result *result,
                                     struct failure *failure);

#endif
