/* unicast_credits.c - permutation routing held within small channels by credits.
 *
 * Packets go along their row to the target's column and then along that column, the farthest stop
 * first, and cross a link only where the input channel behind it was not full: two packets a
 * channel (machine/forward_credit.c). Nothing is sorted and nothing is dropped.
 *
 * Buffer, proven: 8 packets on their way and one at rest; no deadlock (forward_credit.c).
 * Steps, measured: at most 2 m on every pattern of `meshcast kernel route`, with at most 6 packets
 * a node, the one at rest included. No bound is proven, and 2 m is not one: where q columns are
 * crowded one after the other by the same rows, those for the nearest column stand in the way of
 * all others; 2.6 m were measured with q = 4 at m = 256 (test/test_credit.c makes such instances).
 * unicast_blocks is the method whose steps are proven.
 * Cost: no memory beyond the machine's queues.
 */
#include "primitives/unicast_route.h"

enum { SLOTS = 2 };

enum failure_kind unicast_credits(struct machine *machine, const struct unicast_plan *plan,
                                  struct failure *failure)
{
    uint64_t rows = plan->tiles->row.cut[1], cols = plan->tiles->col.cut[1]; /* a largest tile */
    struct routing_rule rule = unicast_rule(machine, false); /* header.state is 0: rows first */
    rule.slots = SLOTS;
    struct rounds rounds = {rows + cols, (rows + cols) / 2};
    return forward_in_rounds(machine, &rule, plan->name, rounds, failure);
}
