/* expander_group.c - Steps 2, 3 and 5 of Theorem 4: groups by the graph, seats, the way home.
 *
 * Step 1(c). Replica j of the message that is input i goes to the node that has entry j of i; in
 * classes 0 .. r - 1, so in all if kappa = r, the default, it is made there.
 * Step 2. The paper sorts the replicas by group and ranks them. The entry says both at once, the group
 * and which of its seats the replica has (expander_seats.c). Nothing has to be sorted or counted.
 * Step 3. Replicas go to their seats, along rows first. Step 5. They go back to the entries, along columns
 * first, from where the last visit was.
 *
 * Steps 3 and 5 take what is counted for this graph and mesh before the run (public_traffic.c): 2 m - 2
 * steps where no two replicas share a node, and at most t + 2 packets per node, t the most of one row for
 * one column, as replicas that turn wait until all have; somewhat more where several sit at a node. Both
 * are enforced, and no synchronisation is needed.
 * Source: Section 5, Steps 2, 3, 5.
 * Cost: the graph's table, r entries for each input: a constant number a node, and as many seats.
 */
#include "routers/expander_private.h"

enum failure_kind expander_choose_seats(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind =
        expander_seats_make(&run->seats, &run->graph, &run->masters.cycle, run->classes, failure);
    run->masters.layers = run->seats.layers;
    run->masters.surplus = run->seats.surplus;
    run->masters.layers_are_one = true;
    return kind;
}

static void address_seat(struct expander_run *run, struct site site, uint32_t packet)
{
    struct headers *header = run->masters.header;
    struct segment segment = expander_segment_of(run, packet);
    uint32_t layer;
    (void)site;
    header->packet[packet].target =
        expander_seat(&run->seats, segment.input, expander_replica(run, packet), &layer);
    header->packet[packet].state = (uint8_t)(RANDOM_MASTER | layer << RANDOM_LAYER_SHIFT);
}

static void address_entry(struct expander_run *run, struct site site, uint32_t packet)
{
    struct headers *header = run->masters.header;
    struct segment segment = expander_segment_of(run, packet);
    (void)site;
    header->packet[packet].target =
        expander_entry(&run->seats, segment.input, expander_replica(run, packet));
}

/* Between entries and seats. */
static enum failure_kind route(struct expander_run *run, const char *step, bool is_back,
                               struct failure *failure)
{
    char name[MACHINE_NAME_SIZE];
    expander_name_step(run, step, name);
    return traffic_route(run->masters.machine, name, is_back ? &run->seats.home : &run->seats.there,
                         is_back, failure);
}

enum failure_kind expander_assign(struct expander_run *run, struct failure *failure)
{
    expander_begin(run, "go to entries");
    enum failure_kind kind = expander_walk(run, false, failure);
    if (kind != FAIL_NONE)
        return kind;
    expander_for_resting(run, address_seat);
    return route(run, "go to groups", false, failure);
}

enum failure_kind expander_return(struct expander_run *run, struct failure *failure)
{
    expander_for_resting(run, address_entry);
    enum failure_kind kind = route(run, "go home", true, failure);
    return kind == FAIL_NONE ? expander_walk(run, true, failure) : kind;
}
