/* reduction.c - the start and the check of a run with --reduce.
 *
 * Start: each destination of a message has a contribution to it, in its input queue: a packet of one slot, which
 * carries a number drawn from (seed, slot). Check, by two ways that do not depend on the machine's counts: what was
 * combined forms trees of packets, in each of which the last one must have been delivered at the source of its message;
 * and what these packets carry in the end must add up to the sum of the numbers, which is computed anew.
 * Cost: 16 bytes a contribution; O(1) each, and for the trees of packets, whose ways are halved, O(log) at most.
 */
#include "routers/reduction.h"

#include "base/pcg.h"

#include <stdlib.h>
#include <string.h>

/* The number that a contribution carries: any 64 bits. */
static uint64_t number_of(const struct routing *routing, uint64_t slot)
{
    enum { STREAM = 0x5ed };
    uint64_t high = routing_random(routing, STREAM, 2 * slot);
    return high << 32 | routing_random(routing, STREAM, 2 * slot + 1);
}

/* ---- start ---- */

static void fill(const struct reduction *reduction, uint32_t message)
{
    const struct routing *routing = reduction->routing;
    const struct message_set *set = routing->set;
    uint32_t cols = set->mesh.cols;
    node_index source = set->source[message];
    for (uint64_t i = set->offset[message]; i < set->offset[message + 1]; i++) {
        reduction->header->packet[i] = (struct header){
            .first = (uint32_t)i, .message = message_set_name(set, routing->set_version, message)};
        reduction->header->destination[i] = place_of(source / cols, source % cols);
        reduction->value[i] = number_of(routing, i);
        reduction->into[i] = MACHINE_NONE;
        /* one that is for its own node does not go anywhere */
        reduction->came[i] =
            set->destination[i] == source ? reduction->header->destination[i] : MACHINE_NO_PLACE;
    }
}

enum failure_kind reduction_begin(struct reduction *reduction, struct routing *routing,
                                  uint32_t buffer, struct failure *failure)
{
    const struct message_set *set = routing->set;
    enum failure_kind kind = routing_make_machine(routing, buffer, NULL, failure);
    *reduction = (struct reduction){.routing = routing};
    if (kind != FAIL_NONE)
        return kind;
    reduction->header = machine_headers(routing->machine);
    reduction->value = memory_allocate(set->deliveries, sizeof *reduction->value);
    reduction->into = memory_allocate(set->deliveries, sizeof *reduction->into);
    reduction->came = memory_allocate(set->deliveries, sizeof *reduction->came);
    if (reduction->value == NULL || reduction->into == NULL || reduction->came == NULL)
        return fail_memory(failure, "the contributions");
    for (uint32_t message = 0; message < set->messages && kind == FAIL_NONE; message++) {
        fill(reduction, message);
        for (uint64_t i = set->offset[message]; i < set->offset[message + 1] && kind == FAIL_NONE;
             i++)
            kind = machine_contribute(routing->machine, set->destination[i], (uint32_t)i, failure);
    }
    return kind == FAIL_NONE ? machine_end_injection(routing->machine, failure) : kind;
}

void reduction_free(struct reduction *reduction)
{
    free(reduction->value);
    free(reduction->into);
    free(reduction->came);
}

uint64_t reduction_footprint(const struct routing *routing, uint32_t slots)
{
    const struct reduction *reduction = NULL;
    struct machine_needs needs = routing_needs(routing, routing->set->deliveries);
    needs.uses = USE_GATHER;
    needs.channel_slots = slots;
    needs.has_input = true;
    return machine_footprint(&needs) +
           routing->set->deliveries *
               (sizeof *reduction->value + sizeof *reduction->into + sizeof *reduction->came);
}

/* ---- under way ---- */

enum output reduction_output(struct site site, node_place to, bool is_vertical_first)
{
    uint32_t row = place_row(to), col = place_col(to);
    bool is_vertical = is_vertical_first ? site.row != row : site.col == col;
    if (is_vertical)
        return site.row > row ? OUT_NORTH : OUT_SOUTH;
    return site.col > col ? OUT_WEST : OUT_EAST;
}

void reduction_combine(void *context, uint32_t packet, uint32_t into)
{
    struct reduction *reduction = context;
    reduction->value[into] += reduction->value[packet];
    reduction->into[packet] = into;
}

void reduction_deliver(void *context, struct site site, uint32_t packet)
{
    struct reduction *reduction = context;
    bool is_first = reduction->came[packet] == MACHINE_NO_PLACE;
    reduction->came[packet] = is_first ? site_place(site) : MACHINE_NO_PLACE;
}

/* ---- check ---- */

/* Returns the packet as a part of which the contribution went on in the end. */
static uint32_t last_of(struct reduction *reduction, uint32_t slot)
{
    uint32_t *into = reduction->into;
    while (into[slot] != MACHINE_NONE) {
        uint32_t next = into[slot];
        if (into[next] != MACHINE_NONE)
            into[slot] = into[next];
        slot = next;
    }
    return slot;
}

/* Returns how many contributions to the message have not come; *is_sum: those that came add up to what was carried. */
static uint64_t missing_of(struct reduction *reduction, uint32_t message, bool *is_sum)
{
    const struct routing *routing = reduction->routing;
    const struct message_set *set = routing->set;
    uint32_t cols = set->mesh.cols;
    node_place home = place_of(set->source[message] / cols, set->source[message] % cols);
    uint64_t begin = set->offset[message], end = set->offset[message + 1], missing = 0;
    uint64_t sum = 0, carried = 0;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t last = last_of(reduction, (uint32_t)i);
        bool has_come = last >= begin && last < end && reduction->came[last] == home;
        missing += !has_come;
        sum += has_come ? number_of(routing, i) : 0;
        carried += has_come && last == i ? reduction->value[i] : 0;
    }
    *is_sum = sum == carried;
    return missing;
}

static enum failure_kind check(struct reduction *reduction, struct failure *failure)
{
    struct routing *routing = reduction->routing;
    const struct message_set *set = routing->set;
    uint64_t missing = 0, wrong = 0;
    uint32_t first_wrong = UINT32_MAX;
    for (uint32_t message = 0; message < set->messages; message++) {
        bool is_sum;
        uint64_t own = missing_of(reduction, message, &is_sum);
        missing += own;
        wrong += !is_sum;
        if ((own > 0 || !is_sum) && first_wrong == UINT32_MAX)
            first_wrong = message;
    }
    routing->result->missing = missing;
    routing->result->delivered = set->deliveries - missing;
    if (missing + wrong == 0)
        return FAIL_NONE;
    char name[MESSAGE_NAME_SIZE] = "not known";
    if (first_wrong != UINT32_MAX)
        message_set_name_text(set, first_wrong, name);
    return fail(
        failure, FAIL_CHECK,
        "%llu contributions are missing and %llu sums are wrong; the first wrong message is "
        "%s",
        (unsigned long long)missing, (unsigned long long)wrong, name);
}

enum failure_kind reduction_gather(struct reduction *reduction, const struct gather_rule *rule,
                                   const char *phase, struct failure *failure)
{
    struct machine *machine = reduction->routing->machine;
    machine_begin_phase(machine, phase);
    enum failure_kind kind = machine_gather(machine, rule, failure);
    if (kind != FAIL_NONE && kind != FAIL_CHECK)
        return kind;
    enum failure_kind checked = check(reduction, kind == FAIL_NONE ? failure : NULL);
    return kind == FAIL_NONE ? checked : kind;
}
