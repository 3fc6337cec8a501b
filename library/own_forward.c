/* own_forward.c - the instructions by which a router of the user's own forwards packets.
 *
 * Method: the user's rule is asked through a rule of the machine's, which checks every answer. The
 * machine's own checks are assertions, for routers of this tree; a user's mistake must be a status.
 * From the first wrong answer on every packet that is asked about rests where it is, so the
 * instruction comes to its end, and the run fails with what was wrong.
 * Cost: a few comparisons a stop.
 */
#include "library/own_router_private.h"
#include "machine/forward.h"
#include "primitives/multicast_tree.h"
#include "primitives/synchronise.h"

#include <assert.h>

static_assert(MESHCAST_NORTH == (int)OUT_NORTH && MESHCAST_SOUTH == (int)OUT_SOUTH &&
                  MESHCAST_WEST == (int)OUT_WEST && MESHCAST_EAST == (int)OUT_EAST &&
                  MESHCAST_DELIVER == (int)OUT_EJECT && MESHCAST_AGAIN == (int)OUT_AGAIN &&
                  MESHCAST_PARK == (int)OUT_HOLD,
              "a part is the machine's");

enum { ALL_PARTS = OUT_LINKS | OUT_EJECT | OUT_AGAIN | OUT_HOLD };

/* An instruction under way. */
struct own_call {
    struct meshcast_routing *routing;
    const struct meshcast_rule *rule;
    struct headers *header;
    struct mesh mesh;
};

static struct meshcast_site site_given(struct site site)
{
    return (struct meshcast_site){site.index, site.row, site.col};
}

/* ---- the parts of a packet ---- */

static unsigned links_of(struct mesh mesh, struct site site)
{
    return (site.row > 0 ? (unsigned)OUT_NORTH : 0u) |
           (site.row + 1 < mesh.rows ? (unsigned)OUT_SOUTH : 0u) |
           (site.col > 0 ? (unsigned)OUT_WEST : 0u) |
           (site.col + 1 < mesh.cols ? (unsigned)OUT_EAST : 0u);
}

static bool is_for(const struct headers *header, uint32_t packet, struct site site)
{
    for (uint32_t slot = header->packet[packet].first; slot <= packet; slot++)
        if (header->destination[slot] == site_place(site))
            return true;
    return false;
}

/* Returns what is wrong with the answer; NULL: nothing. */
static const char *parts_fault(const struct own_call *call, struct site site, uint32_t packet,
                               unsigned parts)
{
    uint32_t slots = packet - call->header->packet[packet].first + 1;
    uint32_t count = (uint32_t)__builtin_popcount(parts);
    if (parts == 0 || (parts & ~(unsigned)ALL_PARTS) != 0)
        return "parts that are none of enum meshcast_part";
    if ((parts & OUT_LINKS & ~links_of(call->mesh, site)) != 0)
        return "a link that leaves the mesh";
    if (parts == OUT_AGAIN)
        return "MESHCAST_AGAIN alone";
    if (count > slots)
        return "more parts than the packet has slots";
    if (count > 1 && call->rule->take == NULL)
        return "several parts, and no function that takes them";
    if (parts & OUT_EJECT && !is_for(call->header, packet, site))
        return "a delivery that the packet does not have";
    if (parts == OUT_EJECT && slots > 1)
        return "a delivery alone, of a packet with more slots";
    return NULL;
}

static unsigned ask_parts(void *context, struct site site, uint32_t packet)
{
    const struct own_call *call = context;
    const struct meshcast_rule *rule = call->rule;
    if (own_is_broken(call->routing))
        return OUT_HOLD;
    uint32_t first = call->header->packet[packet].first;
    unsigned parts = rule->parts(rule->context, call->routing, site_given(site), packet);
    const char *fault = call->header->packet[packet].first != first
                            ? "it was split where only its parts were asked for"
                            : parts_fault(call, site, packet, parts);
    call->header->packet[packet].first = first;
    if (fault == NULL)
        return parts;
    own_break(call->routing, "at node %u packet %u has parts %#x: %s", site.index, packet, parts,
              fault);
    return OUT_HOLD;
}

/* ---- splitting ---- */

/* Returns what is wrong with `taken`, split off a packet whose first slot was `first`. */
static const char *take_fault(const struct headers *header, uint32_t packet, uint32_t first,
                              uint32_t taken)
{
    if (taken < first || taken >= packet || header->packet[taken].first != first ||
        header->packet[packet].first != taken + 1)
        return "is not what one split of the packet gives";
    return NULL;
}

static uint32_t ask_take(void *context, struct site site, uint32_t packet, enum output part)
{
    const struct own_call *call = context;
    const struct meshcast_rule *rule = call->rule;
    struct headers *header = call->header;
    uint32_t first = header->packet[packet].first;
    uint32_t taken = rule->take(rule->context, call->routing, site_given(site), packet,
                                (enum meshcast_part)part);
    const char *fault = take_fault(header, packet, first, taken);
    if (fault == NULL && part == OUT_EJECT &&
        (taken != first || header->destination[taken] != site_place(site)))
        fault = "is not the one slot for this node";
    if (fault == NULL)
        return taken;
    own_break(call->routing, "at node %u packet %u splits off packet %u, which %s", site.index,
              packet, taken, fault);
    header->packet[packet].first = first; /* any packet will do: the run has failed */
    return own_split(call->routing, packet, first + 1);
}

/* ---- the way ---- */

static bool is_ahead(struct mesh mesh, struct site site, enum direction direction, uint32_t stop)
{
    switch (direction) {
    case NORTH:
        return stop < site.row;
    case SOUTH:
        return stop > site.row && stop < mesh.rows;
    case WEST:
        return stop < site.col;
    default:
        return stop > site.col && stop < mesh.cols;
    }
}

static uint32_t ask_stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct own_call *call = context;
    const struct meshcast_rule *rule = call->rule;
    uint32_t first = call->header->packet[packet].first;
    uint32_t stop = rule->stop(rule->context, call->routing, site_given(site), packet,
                               (enum meshcast_part)(1 << direction));
    if (call->header->packet[packet].first == first && is_ahead(call->mesh, site, direction, stop))
        return stop;
    call->header->packet[packet].first = first;
    own_break(call->routing, "at node %u packet %u over link %#x stops at %u, which is not ahead",
              site.index, packet, 1u << direction, stop);
    uint32_t here = direction_is_vertical(direction) ? site.row : site.col;
    return direction == NORTH || direction == WEST ? here - 1 : here + 1;
}

static uint32_t ask_urgency(void *context, struct site site, uint32_t packet,
                            enum direction direction)
{
    const struct own_call *call = context;
    const struct meshcast_rule *rule = call->rule;
    uint32_t urgency = rule->urgency(rule->context, call->routing, site_given(site), packet,
                                     (enum meshcast_part)(1 << direction));
    if (urgency <= MACHINE_MAX_URGENCY)
        return urgency;
    own_break(call->routing, "at node %u packet %u has urgency %u; the most is %u", site.index,
              packet, urgency, MACHINE_MAX_URGENCY);
    return MACHINE_MAX_URGENCY;
}

/* ---- instructions ---- */

/* Far beyond what can be waited for, and far below what a clock can count. */
static const uint64_t LONGEST_PHASE = UINT64_C(1) << 40, LONGEST_RUN = UINT64_C(1) << 60;

/* Makes the rule that asks the user's, until is_asking is false again; `longest`: how many steps
 * were asked for. false: the run has failed already, or fails now. */
static bool begin(struct own_call *call, struct meshcast_routing *routing,
                  const struct meshcast_rule *rule, const char *name, uint64_t longest)
{
    if (own_ready(routing) != MESHCAST_OK || !own_name_is_good(routing, name))
        return false;
    uint64_t steps = machine_counts(routing->routing->machine)->steps;
    if (longest > LONGEST_PHASE || steps > LONGEST_RUN) {
        own_break(routing, "a phase of %llu steps behind %llu; the most are 2^40 behind 2^60",
                  (unsigned long long)longest, (unsigned long long)steps);
        return false;
    }
    if (rule == NULL || rule->parts == NULL || rule->stop == NULL) {
        own_break(routing, "a rule without parts() or stop()");
        return false;
    }
    routing->is_asking = true;
    *call = (struct own_call){routing, rule, machine_headers(routing->routing->machine),
                              routing->routing->set->mesh};
    return true;
}

static struct routing_rule rule_of(struct own_call *call)
{
    return (struct routing_rule){.context = call,
                                 .outputs = ask_parts,
                                 .take = ask_take,
                                 .stop = ask_stop,
                                 .urgency = call->rule->urgency == NULL ? NULL : ask_urgency,
                                 .by_steps = true};
}

enum meshcast_status meshcast_forward_for(struct meshcast_routing *routing,
                                          const struct meshcast_rule *rule, const char *name,
                                          uint64_t steps)
{
    struct own_call call;
    if (begin(&call, routing, rule, name, steps)) {
        struct routing_rule inner = rule_of(&call);
        machine_begin_phase(routing->routing->machine, name);
        forward_wave(routing->routing->machine, &inner, steps, &routing->failure);
        routing->is_asking = false;
        own_agree(routing);
    }
    return own_status(routing);
}

enum meshcast_status meshcast_forward_in_rounds(struct meshcast_routing *routing,
                                                const struct meshcast_rule *rule, const char *name,
                                                uint64_t first, uint64_t further)
{
    struct own_call call;
    if (begin(&call, routing, rule, name, first > further ? first : further)) {
        struct routing_rule inner = rule_of(&call);
        if (first == 0 || further == 0)
            own_break(routing, "a round of no steps");
        else
            forward_in_rounds(routing->routing->machine, &inner, name,
                              (struct rounds){first, further}, &routing->failure);
        routing->is_asking = false;
        own_agree(routing);
    }
    return own_status(routing);
}

enum meshcast_status meshcast_forward_last(struct meshcast_routing *routing,
                                           const struct meshcast_rule *rule, const char *name,
                                           uint64_t limit)
{
    struct own_call call;
    if (begin(&call, routing, rule, name, 0)) {
        struct routing_rule inner = rule_of(&call);
        machine_begin_phase(routing->routing->machine, name);
        machine_forward(routing->routing->machine, &inner, true, limit, &routing->failure);
        routing->is_over = true;
        routing->is_asking = false;
        own_agree(routing);
    }
    return own_status(routing);
}
