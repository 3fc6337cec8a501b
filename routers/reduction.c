/* reduction.c - the start and the check of a run with --reduce.
 *
 * Start: each destination of a message has a contribution to it, in its input queue: a packet of one slot, which
 * carries a number drawn from (seed, name). Ranks have the messages of their own sources, so each sends contributions
 * to the ranks whose nodes make them.
 * Check, where sums end: as many contributions as the message has must have come to its source, by a count that packets
 * carry beside their sums and that does not depend on the machine's; and the sum must be that of the numbers, which is
 * computed anew. A contribution that came twice in the place of another one would have to carry its number.
 * Cost: 12 bytes per contribution and 16 per message; O(1) each, O(log) of the messages per delivery. On ranks 20 bytes
 * per contribution more, twice, while they are sent.
 */
#include "routers/reduction.h"

#include "base/pcg.h"
#include "machine/pool.h"
#include "machine/ranks/ranks_outbox.h"

#include <stdlib.h>
#include <string.h>

/* The number that a contribution carries: any 64 bits. */
static uint64_t number_of(const struct routing *routing, uint64_t name)
{
    enum { STREAM = 0x5ed };
    uint64_t high = routing_random(routing, STREAM, 2 * name);
    return high << 32 | routing_random(routing, STREAM, 2 * name + 1);
}

/* Adds what has come to `node`, one of this rank's, to the message of that name. */
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

/* What a node needs to know to make a contribution. */
struct contribution {
    uint32_t name, message, order;
    node_index node, source;
};

static enum failure_kind contribute(struct reduction *reduction, const struct contribution *own,
                                    uint32_t slot, struct failure *failure)
{
    const struct routing *routing = reduction->routing;
    struct headers *header = reduction->header;
    uint32_t cols = routing->set->mesh.cols;
    header->packet[slot] = (struct header){.first = slot, .message = own->message};
    header->destination[slot] = place_of(own->source / cols, own->source % cols);
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
    const struct routing *routing;
    uint32_t *sent; /* [node]: messages of the source so far; NULL: there is no `order` */
};

/* Writes the contributions to a message to own[0 ..]. Their names follow one another in the order of its
 * destinations. */
static void list_message(const struct walk *walk, uint32_t message, struct contribution *own)
{
    const struct message_set *set = walk->routing->set;
    node_index source = set->source[message];
    uint64_t begin = set->offset[message], end = set->offset[message + 1];
    for (uint64_t i = begin; i < end; i++)
        own[i - begin] = (struct contribution){
            .name = routing_first_name(walk->routing, message) + (uint32_t)(i - begin),
            .message = message_set_name(set, walk->routing->set_version, message),
            .order = walk->sent != NULL ? walk->sent[source] : 0,
            .node = set->destination[i],
            .source = source};
    if (walk->sent != NULL)
        walk->sent[source]++;
}

static uint32_t message_degree(const struct message_set *set, uint32_t message)
{
    return (uint32_t)(set->offset[message + 1] - set->offset[message]);
}

/* Alone, a contribution's slot is its name. own[d]: room for the contributions to a message. */
static enum failure_kind contribute_alone(struct reduction *reduction, const struct walk *walk,
                                          struct contribution *own, struct failure *failure)
{
    const struct message_set *set = walk->routing->set;
    for (uint32_t message = 0; message < set->messages; message++) {
        list_message(walk, message, own);
        for (uint32_t i = 0; i < message_degree(set, message); i++)
            if (contribute(reduction, &own[i], own[i].name, failure) != FAIL_NONE)
                return FAIL_SYSTEM;
    }
    return FAIL_NONE;
}

/* Sends the contributions to all messages to the ranks whose nodes make them. *came, which the caller frees, gets the
 * *count ones of this rank's nodes. */
static enum failure_kind swap_contributions(const struct walk *walk, struct contribution *own,
                                            struct ranks_outbox *outbox, void **came, size_t *count,
                                            struct failure *failure)
{
    const struct message_set *set = walk->routing->set;
    const struct ranks *ranks = walk->routing->options->ranks;
    for (uint64_t i = 0; i < set->deliveries; i++)
        ranks_outbox_count(outbox, mesh_owner(set->mesh, ranks, set->destination[i]));
    if (ranks_outbox_make_room(outbox, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    for (uint32_t message = 0; message < set->messages; message++) {
        list_message(walk, message, own);
        for (uint32_t i = 0; i < message_degree(set, message); i++)
            ranks_outbox_put(outbox, mesh_owner(set->mesh, ranks, own[i].node), &own[i]);
    }
    return ranks_outbox_swap(outbox, came, count, failure);
}

/* Makes the contributions that came from all ranks. */
static enum failure_kind contribute_all(struct reduction *reduction,
                                        const struct contribution *came, size_t count,
                                        struct failure *failure)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = machine_take_slots(reduction->routing->machine, came[i].name, 1);
        if (slot == MACHINE_NONE)
            return fail_memory(failure, "the contributions");
        if (contribute(reduction, &came[i], slot, failure) != FAIL_NONE)
            return FAIL_SYSTEM;
    }
    return FAIL_NONE;
}

static enum failure_kind contribute_on_ranks(struct reduction *reduction, const struct walk *walk,
                                             struct contribution *own, struct failure *failure)
{
    struct ranks_outbox outbox;
    void *came = NULL;
    size_t count;
    enum failure_kind kind = ranks_outbox_open(&outbox, walk->routing->options->ranks, sizeof *own,
                                               "the contributions", failure);
    if (kind == FAIL_NONE)
        kind = swap_contributions(walk, own, &outbox, &came, &count, failure);
    if (kind == FAIL_NONE)
        kind = contribute_all(reduction, came, count, failure);
    free(came);
    ranks_outbox_close(&outbox);
    return kind;
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
    struct walk walk = {.routing = routing};
    struct contribution *own = memory_allocate(message_set_degree(set), sizeof *own);
    reduction->header = machine_headers(routing->machine);
    reduction->value = machine_slot_field(routing->machine, sizeof *reduction->value);
    reduction->parts = machine_slot_field(routing->machine, sizeof *reduction->parts);
    reduction->reduced = memory_allocate(set->messages, sizeof *reduction->reduced);
    if (prepare != NULL) {
        reduction->order = memory_allocate(reduction->header->slots, sizeof *reduction->order);
        walk.sent = memory_allocate(mesh_nodes(set->mesh), sizeof *walk.sent);
    }
    if (own == NULL || reduction->value == NULL || reduction->parts == NULL ||
        reduction->reduced == NULL ||
        (prepare != NULL && (reduction->order == NULL || walk.sent == NULL)))
        kind = fail_memory(failure, "the contributions");
    else if (ranks_size(routing->options->ranks) > 1)
        kind = contribute_on_ranks(reduction, &walk, own, failure);
    else
        kind = contribute_alone(reduction, &walk, own, failure);
    free(walk.sent);
    free(own);
    return kind == FAIL_NONE ? machine_end_injection(routing->machine, failure) : kind;
}

void reduction_free(struct reduction *reduction)
{
    free(reduction->order);
    free(reduction->reduced);
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
    reduction->parts[into] += reduction->parts[packet];
}

void reduction_deliver(void *context, struct site site, uint32_t packet)
{
    const struct reduction *reduction = context;
    receive(reduction, site.index, reduction->header->packet[packet].message,
            reduction->value[packet], reduction->parts[packet]);
}

/* ---- check ---- */

/* Returns how many contributions to the message have not come; *is_wrong: all have, but they or their sum are not those
 * of the set. */
static uint64_t missing_of(const struct reduction *reduction, uint32_t message, bool *is_wrong)
{
    const struct routing *routing = reduction->routing;
    const struct reduced *reduced = &reduction->reduced[message];
    uint32_t degree = message_degree(routing->set, message);
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
    struct ranks *ranks = routing->options->ranks;
    const struct message_set *set = routing->set;
    uint64_t missing = 0, wrong = 0, first = UINT64_MAX; /* the least number of a wrong message */
    for (uint32_t message = 0; message < set->messages; message++) {
        bool is_wrong;
        uint64_t own = missing_of(reduction, message, &is_wrong);
        missing += own;
        wrong += is_wrong;
        if ((own > 0 || is_wrong) && first == UINT64_MAX)
            first = message_set_name(set, routing->set_version, message);
    }
    uint64_t sum[] = {missing, wrong};
    if (ranks_sum(ranks, sum, 2, failure) != FAIL_NONE ||
        ranks_least(ranks, &first, 1, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    routing->result->missing = sum[0];
    routing->result->delivered = message_set_all_deliveries(set) - sum[0];
    if (sum[0] + sum[1] == 0)
        return FAIL_NONE;
    return fail(
        failure, FAIL_CHECK,
        "%llu contributions are missing and %llu sums are wrong; the first wrong message is "
        "%s%lu",
        (unsigned long long)sum[0], (unsigned long long)sum[1],
        routing->set_version == 1 ? "that of node " : "message ", (unsigned long)first);
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
