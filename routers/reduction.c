/* reduction.c - the start and the check of a run with --reduce.
 *
 * Start: each destination of a message has a contribution to it, in its input queue: a packet of
 * one slot, which carries a number drawn from (seed, name). Ranks have the messages of their own
 * sources, so each sends contributions to the ranks whose nodes make them. Check, where sums end:
 * as many contributions as the message has must have reached its source, by a count that packets
 * carry beside their sums and that does not depend on the machine's; and the sum must be that of
 * the numbers, which is computed anew. So a contribution counted twice instead of another one would
 * be noticed, unless they carry the same number.
 * Cost: 12 bytes per contribution and 16 per message; O(1) each, O(log) of the messages per
 * delivery. On ranks 20 bytes per contribution more, twice, while they are sent.
 */
#include "routers/reduction.h"

#include "base/pcg.h"
#include "machine/pool.h"
#include "machine/ranks/outbox.h"

#include <stdlib.h>
#include <string.h>

/* Returns the number of a contribution: any 64 bits. */
static uint64_t number_of(const struct routing *routing, uint64_t name)
{
    enum { STREAM = 0x5ed };
    uint64_t high = routing_random(routing, STREAM, 2 * name);
    return high << 32 | routing_random(routing, STREAM, 2 * name + 1);
}

/* Adds the packet that reached `node`, one of this rank's, to the message of that name. */
static void receive(const struct reduction *reduction, node_index node, uint32_t message,
                    uint64_t sum, uint64_t contributions)
{
    const struct message_set *set = reduction->routing->set;
    uint32_t index = message_set_named(set, reduction->routing->set_version, message);
    if (index == set->messages || set->source[index] != node)
        return; /* it is missing then */
    reduction->reduced[index].sum += sum;
    reduction->reduced[index].contributions += contributions;
}

/* ---- start ---- */

/* The knowledge that a node needs to make a contribution. */
struct contribution {
    uint32_t name, message, order;
    node_index node, source;
};

static enum failure_kind contribute(struct reduction *reduction, const struct contribution *own,
                                    uint32_t slot, struct failure *failure)
{
    const struct routing *routing = reduction->routing;
    struct headers *header = reduction->header;
    header->packet[slot] = (struct header){.first = slot, .message = own->message};
    header->destination[slot] = mesh_place(routing->set->mesh, own->source);
    reduction->value[slot] = number_of(routing, own->name);
    reduction->parts[slot] = 1;
    if (reduction->prepare != NULL) {
        reduction->order[slot] = own->order;
        reduction->prepare(reduction, own->node, slot);
    }
    return machine_contribute(routing->machine, own->node, slot, failure);
}

/* A walk over the messages of the set, or of this rank's part, that lists their contributions. */
struct walk {
    struct reduction *reduction;
    uint32_t *sent; /* [node]: messages of the source so far; NULL: no `order` */
};

/* Lists the contributions to a message. Their names follow one another in the order of its
 * destinations. */
static void list_message(void *of_walk, uint32_t message, void *item)
{
    const struct walk *walk = of_walk;
    const struct routing *routing = walk->reduction->routing;
    const struct message_set *set = routing->set;
    struct contribution *own = item;
    node_index source = set->source[message];
    uint64_t begin = set->offset[message], end = set->offset[message + 1];
    for (uint64_t i = begin; i < end; i++)
        own[i - begin] = (struct contribution){
            .name = routing_first_name(routing, message) + (uint32_t)(i - begin),
            .message = message_set_name(set, routing->set_version, message),
            .order = walk->sent != NULL ? walk->sent[source] : 0,
            .node = set->destination[i],
            .source = source};
    if (walk->sent != NULL)
        walk->sent[source]++;
}

/* Makes contributions of this rank's nodes. */
static enum failure_kind contribute_all(void *of_walk, const void *item, size_t count,
                                        struct failure *failure)
{
    const struct walk *walk = of_walk;
    const struct contribution *own = item;
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = machine_take_slots(walk->reduction->routing->machine, own[i].name, 1);
        if (slot == MACHINE_NONE)
            return fail_memory(failure, "the contributions");
        if (contribute(walk->reduction, &own[i], slot, failure) != FAIL_NONE)
            return FAIL_SYSTEM;
    }
    return FAIL_NONE;
}

enum failure_kind reduction_begin(struct reduction *reduction, struct routing *routing,
                                  uint32_t buffer, reduction_prepare *prepare,
                                  struct failure *failure)
{
    const struct message_set *set = routing->set;
    enum failure_kind kind = routing_make_machine(routing, buffer, NULL, failure);
    *reduction = (struct reduction){.routing = routing, .prepare = prepare};
    if (kind != FAIL_NONE)
        return kind;
    struct walk walk = {.reduction = reduction};
    struct outbox outbox = {.what = "the contributions",
                            .item_bytes = sizeof(struct contribution),
                            .groups = set->messages,
                            .offset = set->offset,
                            .node = set->destination,
                            .context = &walk,
                            .list = list_message,
                            .take = contribute_all};
    reduction->header = machine_headers(routing->machine);
    reduction->value = machine_slot_field(routing->machine, sizeof *reduction->value);
    reduction->parts = machine_slot_field(routing->machine, sizeof *reduction->parts);
    reduction->reduced = memory_allocate(set->messages, sizeof *reduction->reduced);
    if (prepare != NULL) {
        reduction->order = memory_allocate(reduction->header->slots, sizeof *reduction->order);
        walk.sent = memory_allocate(mesh_nodes(set->mesh), sizeof *walk.sent);
    }
    if (reduction->value == NULL || reduction->parts == NULL || reduction->reduced == NULL ||
        (prepare != NULL && (reduction->order == NULL || walk.sent == NULL)))
        kind = fail_memory(failure, "the contributions");
    else
        kind = outbox_deliver(&outbox, routing->options->ranks, set->mesh, failure);
    free(walk.sent);
    return kind == FAIL_NONE ? machine_end_injection(routing->machine, failure) : kind;
}

void reduction_free(struct reduction *reduction)
{
    free(reduction->order);
    free(reduction->reduced);
}

/* ---- under way ---- */

void reduction_combine(void *context, uint32_t packet, uint32_t into)
{
    struct reduction *reduction = context;
    reduction->value[into] += reduction->value[packet];
    reduction->parts[into] += reduction->parts[packet];
}

void reduction_deliver(void *context, struct site site, uint32_t packet)
{
    const struct reduction *reduction = context;
    receive(reduction, site.index, reduction->header->packet[packet].message,
            reduction->value[packet], reduction->parts[packet]);
}

/* ---- check ---- */

/* Returns the number of the message's contributions that have not arrived; *is_wrong: all have, but
 * they or their sum are not those of the set. */
static uint64_t missing_of(const struct reduction *reduction, uint32_t message, bool *is_wrong)
{
    const struct routing *routing = reduction->routing;
    const struct reduced *reduced = &reduction->reduced[message];
    const uint64_t *offset = routing->set->offset + message;
    uint32_t degree = (uint32_t)(offset[1] - offset[0]);
    uint32_t name = routing_first_name(routing, message);
    uint64_t sum = 0;
    *is_wrong = false;
    if (reduced->contributions < degree)
        return degree - reduced->contributions;
    for (uint32_t i = 0; i < degree; i++)
        sum += number_of(routing, name + i);
    *is_wrong = reduced->contributions > degree || reduced->sum != sum;
    return 0;
}

static enum failure_kind check(struct reduction *reduction, struct failure *failure)
{
    struct routing *routing = reduction->routing;
    const struct message_set *set = routing->set;
    struct routing_found found = {.first_wrong = UINT32_MAX};
    for (uint32_t message = 0; message < set->messages; message++) {
        bool is_wrong;
        uint64_t own = missing_of(reduction, message, &is_wrong);
        found.missing += own;
        found.wrong += is_wrong;
        if ((own > 0 || is_wrong) && found.first_wrong == UINT32_MAX)
            found.first_wrong = message_set_name(set, routing->set_version, message);
    }
    if (routing_add_found(routing, &found, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    if (found.missing + found.wrong == 0)
        return FAIL_NONE;
    return fail(
        failure, FAIL_CHECK,
        "%llu contributions are missing and %llu sums are wrong; the first wrong message is "
        "%s%lu",
        (unsigned long long)found.missing, (unsigned long long)found.wrong,
        routing->set_version == 1 ? "that of node " : "message ", (unsigned long)found.first_wrong);
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
