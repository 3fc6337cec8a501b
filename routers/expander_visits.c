/* expander_visits.c - Step 4 of Theorem 4: a group of replicas at the c tiles, one after the other.
 *
 * A visit is that of random_paper.c: alpha t-migrations by segmented broadcasts and routings of known lengths, two
 * at once (migrate.c), after each two a tour of the blocks' Hamiltonian cycles (block_tour.c), then the
 * shift. Everything has a length that nodes compute from the sizes; nothing waits for the data, and all that is
 * selected is delivered or marked.
 *
 * Marks, Step 4(a).iii. All replicas of a message answer for all of its destinations, so more than one may come to a
 * node, where the message is to be delivered once. A node looks at its output queue. A clone that comes to a
 * destination where its message already is drops it, as visited. So does a clone that comes while another packet of the
 * message is at the node and still has to make the copy for the output queue (unit copies). No packet leaves a node at
 * which it is to deliver, so the first to come delivers. A replica needs no other mark: it hands the destinations for
 * which it is selected to its copies, and each of these delivers, or meets the message.
 *   Encoding: an output queue has an entry for each message that is to come, in the order of names, as the lists of
 * expected messages do (machine/expected.h): the slot that brought it.
 *
 * Steps in tiles of side s, free copies. Before the c visits of a phase 4 s, and for each visit s / 4 + alpha. A visit
 * with alpha = 2: 3 s for heads, twice 4 s for copies, s for the tours, and s for the shift; with s / 4 that is 13
 * s. Unit copies: 6 s more.
 * Buffer, proven: 10 packets per node, 8 that move or have come, a replica, and a message of another class. On unequal
 * tiles some nodes have two replicas, and more packets may move.
 * Source: Section 5, Step 4(a) and (b); the paper marks by sorting and prefix computations.
 * Cost: the migration's, 14 bytes per slot; 4 bytes per delivery; O(log c) per look-up.
 */
#include "primitives/synchronise.h"
#include "routers/block_tour.h"
#include "routers/expander_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- marks ---- */

/* Output queues for what the nodes expect. FAIL_SYSTEM: no memory. */
static enum failure_kind make_queues(struct expander_run *run, struct failure *failure)
{
    const struct expected_messages *expected = &run->routing->expected;
    size_t deliveries = expected->start[expected->end - expected->first];
    run->holder = memory_allocate(deliveries, sizeof *run->holder);
    if (run->holder == NULL)
        return fail_memory(failure, "the output queues");
    memset(run->holder, 0xff, deliveries * sizeof *run->holder);
    return FAIL_NONE;
}

/* True if a packet that has come to its destination `site` with `slot` finds its message there, or a packet that
 * delivers it: the slot is then visited without a delivery. False: it is the first, and delivers. */
static bool is_held(void *context, struct site site, uint32_t slot)
{
    const struct expander_run *run = context;
    const struct headers *header = run->masters.header;
    uint32_t at = expected_find(&run->routing->expected, site.index, header->packet[slot].message);
    uint32_t name = packet_name(header, slot);
    assert(at != EXPECTED_NONE);
    if (run->holder[at] == MACHINE_NONE)
        run->holder[at] = name;
    return run->holder[at] != name;
}

/* ---- visits ---- */

enum failure_kind expander_visits(struct expander_run *run, unsigned *held, struct failure *failure)
{
    struct random_run *masters = &run->masters;
    enum failure_kind kind = FAIL_NONE;
    masters->visit = 0;
    for (uint32_t i = 0; kind == FAIL_NONE && i < masters->cycle.count; i++) {
        if (i > 0)
            kind = random_shift(masters, failure);
        if (kind == FAIL_NONE)
            kind = random_paper.visit(masters, failure);
    }
    return kind == FAIL_NONE ? synchronise_held(masters->machine, 0, held, failure) : kind;
}

enum failure_kind expander_visits_steps(const struct expander_run *run, uint64_t *steps,
                                        struct failure *failure)
{
    const struct random_run *masters = &run->masters;
    uint64_t round = 0, count = masters->cycle.count;
    enum failure_kind kind = random_paper_steps(masters, &round, failure);
    *steps = round + (count - 1) * random_shift_steps(masters) +
             synchronise_steps(run->routing->set->mesh);
    return kind;
}

/* During a visit replicas rest, one of each layer, each on its seat. Beside all that another class's message rests.
 * While replicas shift there are fewer: as many that set out, in one queue, and as many that have come, and one that
 * passes where ways cross. */
uint32_t expander_visits_packets(const struct expander_run *run)
{
    struct random_run last = run->masters;
    /* as many as any phase has: the first one of literal=1 has r times alpha */
    last.instances = run->is_literal ? run->alpha * run->replicas : run->alpha;
    return random_paper_packets(&last) + last.layers + 1;
}

enum failure_kind expander_visits_begin(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind = make_queues(run, failure);
    if (kind == FAIL_NONE)
        kind = random_paper.begin(&run->masters, failure);
    if (kind == FAIL_NONE) {
        struct block_tour *tour = random_paper_tour(&run->masters);
        tour->is_held = is_held;
        tour->context = run;
    }
    return kind;
}

void expander_visits_end(struct expander_run *run)
{
    random_paper.end(&run->masters);
    free(run->holder);
}
