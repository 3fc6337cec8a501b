/* random_rank.c - router `random`, variant=rank: Section 4 with ranks for its sorts.
 *
 * Step 2(a), the t-migration: ranks select the copies, at most r A for a block of A nodes, and give
 * each its node of the block (block_rank.c). The copies go there by a tree from the master.
 * Step 2(b): each copy tours the block's Hamiltonian cycle, half of its destinations each way, and
 * ends with its last delivery; there is nothing to discard (random_copies.c has trees and tours).
 *   Everything has a length that nodes compute from the sizes. Copies that are early tour at once,
 * late ones go on during the shift and the next visits, behind the masters. A master that is still
 * busy when the others leave (unit copies) keeps what it has not handed over for the next round.
 *   What is not selected waits for the next phase, as in the paper: with r = 3 that was never
 * needed for s >= 16 (doc/theorem3.md has the shares).
 *
 * Masters send in two waves, every other one of a row in each: all at once they pile up where trees
 * turn, 10 packets a node at s = 64 and 13 at s = 128, in two waves 8.
 *
 * Steps of a visit, in tiles of side s: prefixes 2 s + s / 4, copies and tours 2 s (5 s / 2 with
 * unit copies), the shift s: measured 5.2 S after Step 1 (5.7 S). Buffer: 8 packets a node
 * measured.
 * Source: Section 4, Step 2 of the paper; Theorem 3, Lemmas 2 and 3.
 * Cost: that of the ranks, 4 bytes a destination slot.
 */
#include "routers/random_rank.h"

/* Puts `count` slots from `first` on into the order of the keys in work->entry. */
static void order_slots(struct rank_work *work, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        work->entry[i].destination = work->run->header->destination[first + i];
        work->entry[i].place = work->ranking->place[first + i];
    }
    rank_sort_entries(work->entry, count);
    for (uint32_t i = 0; i < count; i++) {
        work->run->header->destination[first + i] = work->entry[i].destination;
        work->ranking->place[first + i] = work->entry[i].place;
    }
}

/* Puts the selected slots of a master into the order of its tree. */
static void start_tree(struct rank_work *work, struct site site, uint32_t packet, uint32_t count)
{
    struct random_run *run = work->run;
    uint32_t first = run->header->packet[packet].first;
    run->header->packet[packet].state |= copies_begin(run, site, packet);
    for (uint32_t slot = first; slot < first + count; slot++)
        work->entry[slot - first].key = copies_key(run, site, packet, slot);
    order_slots(work, first, count);
}

static enum failure_kind visit(struct random_run *run, struct failure *failure)
{
    enum failure_kind kind = rank_select(run, failure);
    if (kind != FAIL_NONE)
        return kind;
    uint64_t around = random_around(run);
    uint64_t steps = machine_config(run->machine)->copy_is_free ? around : 5 * around / 4;
    return random_send(run, steps, failure);
}

static uint64_t drain_steps(const struct random_run *run)
{
    return 2 * random_around(run);
}

static void end(struct random_run *run)
{
    if (run->own == NULL)
        return;
    copies_end(run->own);
    rank_free(run);
}

static enum failure_kind begin(struct random_run *run, struct failure *failure)
{
    enum failure_kind kind = rank_make(run, failure);
    if (kind != FAIL_NONE)
        return kind;
    ((struct ranking *)run->own)->start = start_tree;
    return copies_make(run, failure);
}

/* At a visit about one slot a node is wanted, or fewer; lists grow by half. */
uint64_t rank_footprint(const struct routing *routing, uint64_t slots)
{
    const struct ranking *ranking = NULL;
    const struct rank_words *words = NULL;
    uint64_t nodes = mesh_nodes(routing->set->mesh), wanted = slots < nodes ? slots : nodes;
    uint64_t of_entry = sizeof *words->word + sizeof *words->master;
    return slots * sizeof *ranking->place + wanted * of_entry / 4 * 5;
}

const struct random_variant random_rank = {
    .footprint = rank_footprint,
    .goes_both_ways = true,
    .begin = begin,
    .visit = visit,
    .drain_steps = drain_steps,
    .end = end,
    .outputs = copies_outputs,
    .take = copies_take,
    .stop = copies_stop,
    .urgency = copies_urgency,
    .fetch = copies_fetch,
};
