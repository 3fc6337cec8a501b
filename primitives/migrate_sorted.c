/* migrate_sorted.c - a migration of a known length: Proposition 3 with routings that wait for nothing.
 *
 * A *group* of marks is those of one instance of one visit. All packets of a region stay together and in their
 * order while they visit one region after another. So their ranks in the blocks of all these regions can be
 * computed at once, pipelined (migrate_rank.c); and then, a word for each group, how many packets with marks in
 * it stand before a packet, and how many marks these have (migrate_group.c). A visit finds all that at the front
 * of the packets' ranges.
 *   Where a node has several packets (a surplus) they are ranked and numbered one behind the other, and their
 * carriers start together; all else is as with one a node.
 *   Up to two instances of a visit go together, a *batch* each. In each batch:
 *   Step 2. A packet with marks leaves a carrier beside itself, in one step for both batches; unit copies: one for
 * each packet of a node and batch. Carriers spread along the snake, and copies fill their segments: carriers.c, both
 * batches at once; with unit copies a segmented broadcast makes the copies, one batch after the other. A block takes
 * at most as many copies as it has nodes in an instance, so all segments fit, and a node has one copy of a batch.
 *   Step 3. Copies go to the nodes that their ranks in their blocks say, a partial permutation:
 * unicast_blocks.c, one batch after the other.
 *
 * Steps in regions of side s with t = s blocks, free copies: the ranks of v visits 2 s + v s / 4, the numbers
 * 2 s + v r; then each visit 3 s for the spreading of two batches, and for each batch what unicast_blocks takes
 * in plan->room packets: 4.3 s with 5, 4.1 s with 6, 3.3 s with 8 (powers of two). Unit copies: 2 s more for
 * each batch.
 * Buffer, proven, beside what rests: plan->room + 1 packets, 6 at least, or what a surplus's carriers take; for one
 * batch plan->room.
 * Source: Section 2.2 and Proposition 3 of the paper.
 * Cost: 14 bytes per slot.
 */
#include "base/extremes.h"
#include "primitives/carriers.h"
#include "primitives/migrate_private.h"
#include "primitives/multicast_tree.h"
#include "primitives/segmented_broadcast.h"
#include "primitives/synchronise.h"

#include <assert.h>

enum { STANDARD_ROOM = 5 };

/* ---- instances that go together ---- */

struct sending {
    struct migration *migration;
    uint32_t group; /* of batch 0 */
    uint32_t batches;
    uint32_t batch; /* the one at hand */
};

static uint32_t batch_of(void *context, uint32_t packet)
{
    const struct migration *migration = context;
    return migration->header->packet[packet].state & MIGRATE_SECOND_BATCH ? 1 : 0;
}

static bool is_copy(const struct migration *migration, uint32_t packet)
{
    return migration->header->packet[packet].state & MIGRATE_IS_COPY;
}

static void become_copy(const struct sending *sending, uint32_t packet)
{
    bool is_second = sending->migration->mark[packet] != sending->group;
    sending->migration->header->packet[packet].state =
        MIGRATE_IS_COPY | (is_second ? MIGRATE_SECOND_BATCH : 0);
}

/* Step 2(b): a packet leaves a carrier of each batch beside itself, or is the last of them. */
static unsigned carrier_outputs(void *context, struct site site, uint32_t packet)
{
    const struct sending *sending = context;
    const struct migration *migration = sending->migration;
    uint32_t first = migration->header->packet[packet].first;
    uint32_t group = migration->mark[first];
    (void)site;
    if (is_copy(migration, packet) || !migrate_is_selected(migration, first, packet))
        return OUT_HOLD;
    assert(group >= sending->group);
    if (group >= sending->group + sending->batches)
        return OUT_HOLD;
    if (migration->mark[packet] != group)
        return OUT_HOLD | OUT_AGAIN;
    become_copy(sending, packet);
    return OUT_HOLD;
}

static uint32_t take_carrier(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct sending *sending = context;
    const struct migration *migration = sending->migration;
    uint32_t marks;
    (void)site;
    (void)output;
    uint32_t end =
        migrate_group_end(migration, migration->header->packet[packet].first, packet, &marks);
    uint32_t taken = packet_split(migration->header, packet, end);
    become_copy(sending, taken);
    return taken;
}

/* Copies of earlier instances have no place any more. */
static bool is_no_carrier(void *context, uint32_t packet)
{
    const struct migration *migration = ((const struct sending *)context)->migration;
    return !is_copy(migration, packet) || migration->place[packet] == MACHINE_NO_PLACE;
}

static bool is_other_batch(void *context, uint32_t packet)
{
    const struct sending *sending = context;
    return batch_of(sending->migration, packet) != sending->batch;
}

static uint32_t column(void *context, uint32_t packet)
{
    return ((const struct migration *)context)->column[packet];
}

static uint32_t copies(void *context, uint32_t packet)
{
    uint32_t marks;
    const struct migration *migration = context;
    migrate_group_end(migration, migration->header->packet[packet].first, packet, &marks);
    return marks;
}

/* Calls `act` for every resting packet. */
static void for_packets(struct migration *migration,
                        void (*act)(struct migration *migration, struct site site, uint32_t packet))
{
    struct machine *machine = migration->machine;
    struct node_range nodes = machine_nodes(machine);
    for (node_index node = nodes.first; node < nodes.end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            act(migration, machine_site(machine, node), packet);
}

static void aim_at_segment(struct migration *migration, struct site site, uint32_t packet)
{
    (void)site;
    migration->header->packet[packet].target = migration->position[packet];
}

static void aim_at_node(struct migration *migration, struct site site, uint32_t packet)
{
    (void)site;
    migration->header->packet[packet].target = migration->place[packet];
}

static void arrive(struct migration *migration, struct site site, uint32_t packet)
{
    assert(migration->place[packet] == site_place(site));
    (void)site;
    migration->place[packet] = MACHINE_NO_PLACE;
}

static struct carriers carriers_of(const struct migration_plan *plan, void *migration,
                                   uint32_t batches)
{
    return (struct carriers){.tiles = plan->regions,
                             .batches = batches,
                             .surplus = plan->surplus,
                             .longest = migrate_blocks(plan),
                             .batch = batch_of,
                             .column = column,
                             .copies = copies,
                             .slots = migrate_slots,
                             .context = migration};
}

static struct unicast_plan route_plan(const struct migration_plan *plan)
{
    return (struct unicast_plan){.tiles = plan->regions, .k = 1};
}

static enum failure_kind broadcast(struct sending *sending, struct failure *failure)
{
    struct migration *migration = sending->migration;
    struct segments segments = migrate_segments(&migration->plan, copies, migration);
    return segmented_broadcast(migration->machine, &segments, NULL, failure);
}

static enum failure_kind route(struct sending *sending, struct failure *failure)
{
    struct migration *migration = sending->migration;
    struct unicast_plan plan = route_plan(&migration->plan);
    for_packets(migration, aim_at_node);
    return unicast_by_blocks(migration->machine, &plan, migration->route.blocks, failure);
}

/* For one batch after the other, the other one set aside. */
static enum failure_kind each_batch(struct sending *sending,
                                    enum failure_kind (*act)(struct sending *sending,
                                                             struct failure *failure),
                                    struct failure *failure)
{
    struct machine *machine = sending->migration->machine;
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t batch = 0; batch < sending->batches && kind == FAIL_NONE; batch++) {
        sending->batch = batch;
        kind = machine_set_aside(machine, is_other_batch, sending, failure);
        if (kind != FAIL_NONE)
            break;
        kind = act(sending, failure);
        machine_take_back(machine);
    }
    return kind;
}

static void begin_phase(const struct migration *migration, const char *name)
{
    if (!migration->plan.keeps_phase)
        machine_begin_phase(migration->machine, name);
}

/* Steps 2 and 3, for carriers, all else set aside. */
static enum failure_kind carriers_to_copies(struct sending *sending, struct failure *failure)
{
    struct migration *migration = sending->migration;
    struct machine *machine = migration->machine;
    struct carriers carriers = carriers_of(&migration->plan, migration, sending->batches);
    for_packets(migration, aim_at_segment);
    enum failure_kind kind = carriers_spread(machine, &carriers, failure);
    if (kind == FAIL_NONE && !machine_config(machine)->copy_is_free) {
        begin_phase(migration, "broadcast");
        kind = each_batch(sending, broadcast, failure);
    }
    if (kind == FAIL_NONE) {
        begin_phase(migration, "migrate");
        kind = each_batch(sending, route, failure);
    }
    if (kind == FAIL_NONE)
        for_packets(migration, arrive);
    return kind;
}

static uint32_t batches_from(const struct migration_plan *plan, uint32_t instance)
{
    uint32_t together = plan->together > 1 ? plan->together : 1;
    uint32_t instances = migrate_instances(plan);
    return instance >= instances             ? 0
           : together < instances - instance ? together
                                             : instances - instance;
}

static uint64_t carrier_steps(const struct migration_plan *plan, uint32_t batches,
                              bool copy_is_free)
{
    return copy_is_free ? 1 : (uint64_t)batches * (1 + plan->surplus.at_node);
}

enum failure_kind migrate_send_sorted(struct migration *migration, uint32_t visit,
                                      uint32_t instance, struct failure *failure)
{
    struct machine *machine = migration->machine;
    const struct migration_plan *plan = &migration->plan;
    struct sending sending = {.migration = migration,
                              .group = visit * migrate_instances(plan) + instance,
                              .batches = batches_from(plan, instance)};
    struct routing_rule rule = {
        .context = &sending, .outputs = carrier_outputs, .take = take_carrier};
    if (sending.batches == 0)
        return FAIL_NONE;
    begin_phase(migration, "spread");
    uint64_t steps = carrier_steps(plan, sending.batches, machine_config(machine)->copy_is_free);
    enum failure_kind kind = forward_wave(machine, &rule, steps, failure);
    if (kind == FAIL_NONE)
        kind = machine_set_aside(machine, is_no_carrier, &sending, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = carriers_to_copies(&sending, failure);
    machine_take_back(machine);
    return kind;
}

/* ---- what nodes know before ---- */

static uint32_t spreading_packets(const struct migration_plan *plan)
{
    struct carriers carriers = carriers_of(plan, NULL, batches_from(plan, 0));
    return carriers_packets(&carriers);
}

/* Of two batches one rests while the other is routed. */
static uint32_t room_of(const struct migration_plan *plan)
{
    uint32_t others = batches_from(plan, 0) - 1;
    return plan->room > 0 ? plan->room : larger(STANDARD_ROOM, spreading_packets(plan) - others);
}

uint32_t migrate_packets(const struct migration_plan *plan)
{
    uint32_t others = batches_from(plan, 0) - 1;
    return larger(room_of(plan) + others, spreading_packets(plan));
}

enum failure_kind migrate_choose_route(const struct migration_plan *plan,
                                       struct block_choice *choice, struct failure *failure)
{
    struct unicast_plan route = route_plan(plan);
    return unicast_blocks_choose(&route, room_of(plan), choice, failure);
}

enum failure_kind migrate_visit_steps(const struct migration_plan *plan, bool copy_is_free,
                                      uint64_t *steps, struct failure *failure)
{
    struct block_choice route;
    struct segments segments = migrate_segments(plan, copies, NULL);
    uint64_t broadcasting = copy_is_free ? 0 : segmented_broadcast_steps(&segments, false);
    uint32_t batches;
    enum failure_kind kind = migrate_choose_route(plan, &route, failure);
    *steps = 0;
    for (uint32_t i = 0; kind == FAIL_NONE && (batches = batches_from(plan, i)) > 0; i += batches) {
        struct carriers carriers = carriers_of(plan, NULL, batches);
        *steps += carrier_steps(plan, batches, copy_is_free) +
                  carriers_steps(&carriers, copy_is_free) + batches * (broadcasting + route.steps);
    }
    return kind;
}
