/* migrate.c - the t-migration primitive (Section 2.2 and Proposition 3 of the paper).
 *
 * Ranks (migrate_rank.c) decide which packets are selected for a block, and for which of its nodes. How copies
 * get there is the method's (migrate_tree.c, migrate_literal.c, migrate_sorted.c).
 *   Responsibility goes with the copies: each takes the packet's destinations in its block, the packet keeps
 * the rest. Blocks of unequal sizes each go by their own number of nodes.
 *
 * Steps: the ranks, and for each instance what the method takes.
 * Cost: 8 bytes per slot, 14 with the sorted method, beside the machine's.
 */
#include "primitives/migrate.h"

#include "machine/pool.h"
#include "primitives/migrate_private.h"

#include <stdlib.h>

/* ---- instances ---- */

/* Where the packet's copies go in this instance. Copies of earlier ones have earlier ranks. */
static void place_copies(struct migration *migration, uint32_t instance, uint32_t packet)
{
    struct headers *header = migration->header;
    for (uint32_t slot = header->packet[packet].first; slot <= packet; slot++) {
        migration->place[slot] = MACHINE_NO_PLACE;
        uint32_t rank = migration->mark[slot];
        if (rank == MIGRATE_NO_RANK)
            continue;
        struct block_view block = migrate_block(migration, header->destination[slot]);
        if (rank / block.area == instance)
            migration->place[slot] = snake_place(block.rows, block.cols, rank % block.area);
    }
}

enum failure_kind migrate_send(struct migration *migration, uint32_t instance,
                               struct failure *failure)
{
    struct machine *machine = migration->machine;
    struct node_range nodes = machine_nodes(machine);
    if (migration->plan.method == MIGRATE_SORTED)
        return migrate_send_sorted(migration, 0, instance, failure);
    for (node_index node = nodes.first; node < nodes.end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            place_copies(migration, instance, packet);
    return migration->plan.method == MIGRATE_TREE ? migrate_by_tree(migration, failure)
                                                  : migrate_literally(migration, failure);
}

uint64_t migrate_around(const struct migration *migration)
{
    const struct tessellation *regions = migration->plan.regions;
    return (uint64_t)axis_longest(&regions->row) + axis_longest(&regions->col);
}

/* ---- life ---- */

enum failure_kind migrate_make(struct machine *machine, const struct migration_plan *plan,
                               struct migration **migration, struct failure *failure)
{
    struct migration *new = *migration = memory_allocate(1, sizeof *new);
    bool is_sorted = plan->method == MIGRATE_SORTED;
    if (new == NULL)
        return fail_memory(failure, "a migration");
    *new =
        (struct migration){.machine = machine, .header = machine_headers(machine), .plan = *plan};
    new->mark = machine_slot_field(machine, sizeof *new->mark);
    new->place = machine_slot_field(machine, sizeof *new->place);
    if (is_sorted) {
        new->position = machine_slot_field(machine, sizeof *new->position);
        new->column = machine_slot_field(machine, sizeof *new->column);
    }
    enum failure_kind kind = FAIL_NONE;
    if (new->mark == NULL || new->place == NULL ||
        (is_sorted && (new->position == NULL || new->column == NULL)))
        kind = fail_memory(failure, "a migration");
    if (kind == FAIL_NONE && is_sorted)
        kind = migrate_choose_route(plan, &new->route, failure);
    if (kind != FAIL_NONE) {
        migrate_end(new);
        *migration = NULL;
    }
    return kind;
}

enum failure_kind migrate_begin(struct machine *machine, const struct migration_plan *plan,
                                struct migration **migration, struct failure *failure)
{
    enum failure_kind kind = migrate_make(machine, plan, migration, failure);
    if (kind == FAIL_NONE)
        kind = migrate_rank(*migration, failure);
    if (kind != FAIL_NONE) {
        migrate_end(*migration);
        *migration = NULL;
    }
    return kind;
}

void migrate_end(struct migration *migration)
{
    if (migration == NULL)
        return;
    machine_end_field(migration->machine, migration->mark);
    machine_end_field(migration->machine, migration->place);
    machine_end_field(migration->machine, migration->position);
    machine_end_field(migration->machine, migration->column);
    free(migration->entry);
    free(migration->of_one);
    free(migration);
}

enum failure_kind migrate(struct machine *machine, const struct migration_plan *plan,
                          struct failure *failure)
{
    struct migration *migration;
    uint32_t together = plan->together > 1 ? plan->together : 1;
    enum failure_kind kind = migrate_begin(machine, plan, &migration, failure);
    for (uint32_t i = 0; i < migrate_instances(plan) && kind == FAIL_NONE; i += together)
        kind = migrate_send(migration, i, failure);
    migrate_end(migration);
    return kind;
}
