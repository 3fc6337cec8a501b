/* own_router.c - a router of the user's own: its row, the frame of its runs, its packets, and the
 * instructions that it gives.
 *
 * Method: the row has the same head as those of the table of routers/, so a run of it is
 * router_run() as for any other: parameters are checked before it, deliveries after it. In between
 * own_route() calls the user's function with a handle through which all instructions go. A user's
 * function that ignores a failure cannot hide it: the run has the first one.
 *   A packet is named by its last slot; its header is the inner one (machine/machine.h). Places are
 * nodes here and coordinates there. A caller's mistake about a present packet is found and ends the
 * run (break_run()); that the packet is at the site in question cannot be checked here and is the
 * router's duty.
 *   In forwarding the user's rule is asked through a rule of the machine's, which checks every
 * answer: the machine's own checks are assertions, for routers of this tree; a user's mistake must
 * be a status. From the first wrong answer on every packet that is asked about rests where it is,
 * so the instruction ends, and the run fails with that fault.
 *   A kernel's conditions on the packets are checked here, on the host, before it runs: inner
 * kernels assume them. Tiles are made for each call: a tessellation is arithmetic that every node
 * could do.
 * Cost: a few comparisons per stop; for a kernel its own steps, and a look at every resting packet.
 */
#include "library/handle_private.h"
#include "library/meshcast_own_router.h"
#include "machine/forward.h"
#include "machine/pool.h"
#include "primitives/multicast_tree.h"
#include "primitives/prefix.h"
#include "primitives/sort.h"
#include "primitives/synchronise.h"
#include "primitives/unicast_route.h"
#include "routers/routing.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The row begins as those of the table, so that router_run() sees no difference. */
struct own_router {
    struct router_method method;
    struct parameter_spec spec[ROUTER_MAX_PARAMETERS + 1]; /* ended by one with a NULL name */
    enum meshcast_status (*route)(void *context, struct meshcast_routing *routing);
    void *context;
    void *object; /* of a plugin, which is unloaded with the router; else NULL */
};

/* A run under way. */
struct meshcast_routing {
    struct routing *routing;
    const struct own_router *router;
    struct failure failure; /* the first, of an instruction or of the router itself */
    bool is_agreed;         /* all ranks have that failure */
    bool is_over;           /* the last phase is over */
    bool is_asking;         /* an instruction that asks the router is under way */
    uint8_t *is_packet;     /* [slot]: it names a packet, or did until that was delivered */
    /* The first fault that a thread found in a rule; later ones are dropped. */
    atomic_bool is_broken;
    struct failure broken;
};

/* ---- the end of a run ---- */

static void break_run(struct meshcast_routing *routing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Notes that the router broke a rule of meshcast_own_router.h. May be called by any thread. */
static void break_run(struct meshcast_routing *routing, const char *format, ...)
{
    char text[sizeof routing->broken.text];
    va_list arguments;
    if (atomic_exchange(&routing->is_broken, true))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bool has_begun = routing->routing->machine != NULL;
    fail(&routing->broken, has_begun ? FAIL_CHECK : FAIL_USAGE, "router %.60s: %.400s",
         routing->router->method.shown.name, text);
}

/* True if a rule was broken. May be called by any thread. */
static inline bool run_is_broken(struct meshcast_routing *routing)
{
    return atomic_load_explicit(&routing->is_broken, memory_order_relaxed);
}

/* True if a phase may have that name: "sync" is only for synchronisations, and a trace has a line
 * for it. If not, the rule is broken. */
static bool phase_name_is_good(struct meshcast_routing *routing, const char *name)
{
    bool is_good = name != NULL && *name != '\0' && strcmp(name, "sync") != 0;
    for (const char *at = name; is_good && *at != '\0'; at++)
        is_good = *at >= ' ' && *at <= '~';
    if (!is_good)
        break_run(routing,
                  "a phase needs a name of printable ASCII, and \"sync\" is for synchronisations");
    return is_good;
}

/* Returns the status of the run so far, as every instruction does. An instruction that finds it not
 * MESHCAST_OK at its start does nothing. */
static enum meshcast_status status_of(struct meshcast_routing *routing)
{
    if (routing->failure.kind == FAIL_NONE)
        routing->failure = routing->broken;
    return (enum meshcast_status)routing->failure.kind;
}

/* Agrees on the status before and after an instruction, by all ranks together: if one of them has
 * found a fault, all end with that; if several have, with that of the first of these ranks. */
static enum meshcast_status agree(struct meshcast_routing *routing)
{
    enum failure_kind kind = (enum failure_kind)status_of(routing);
    if (!routing->is_agreed)
        kind = routing_agree(routing->routing, kind, &routing->failure);
    routing->is_agreed = kind != FAIL_NONE;
    return status_of(routing);
}

/* Agrees before an instruction: it needs a machine, and no last phase before it. */
static enum meshcast_status ready(struct meshcast_routing *routing)
{
    if (agree(routing) != MESHCAST_OK)
        return status_of(routing);
    if (routing->routing->machine == NULL)
        break_run(routing, "an instruction before meshcast_start()");
    else if (routing->is_asking)
        break_run(routing, "an instruction inside of a rule");
    else if (routing->is_over)
        break_run(routing, "an instruction after meshcast_forward_last(), whose end no node knows");
    return status_of(routing);
}

/* ---- the row ---- */

static struct own_router *own_of(const struct router_method *method)
{
    static_assert(offsetof(struct own_router, method) == 0, "a row begins with its method");
    return (struct own_router *)method;
}

/* Runs a router of this row. */
static enum failure_kind own_route(struct routing *inner, struct failure *failure)
{
    const struct own_router *router = own_of(inner->method);
    struct meshcast_routing routing = {.routing = inner, .router = router};
    inner->is_own = true;
    enum meshcast_status status = router->route(router->context, &routing);
    if (status_of(&routing) == MESHCAST_OK && status != MESHCAST_OK)
        fail(&routing.failure, FAIL_USAGE, "router %s ended with status %d, which no call returned",
             router->method.shown.name, (int)status);
    if (routing.failure.kind == FAIL_NONE && inner->machine == NULL)
        fail(&routing.failure, FAIL_USAGE, "router %s did not call meshcast_start()",
             router->method.shown.name);
    if (routing.is_packet != NULL)
        machine_end_field(inner->machine, routing.is_packet);
    if (routing.failure.kind != FAIL_NONE)
        *failure = routing.failure;
    return routing.failure.kind;
}

/* Returns a copy of `text`, "" for NULL; NULL: no memory. */
static const char *text_copy(const char *text)
{
    return strdup(text == NULL ? "" : text);
}

/* True if titles, tables and the trace of phases can show the name. */
static bool name_is_good(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t length = name == NULL ? 0 : strlen(name);
    return length > 0 && length < ROUTER_NAME_SIZE && strspn(name, letters) == length;
}

static bool is_listed(const struct parameter_spec *spec, const char *name)
{
    while (spec->name != NULL && strcmp(spec->name, name) != 0)
        spec++;
    return spec->name != NULL;
}

/* True if each value of the parameter has one meaning. */
static bool values_are_good(const struct meshcast_parameter *given)
{
    const char *choices = given->choices;
    return given->high < UINT32_MAX / 2 && given->low <= given->high &&
           (choices == NULL || (*choices != ' ' && *choices != '\0'));
}

static enum failure_kind take_parameter(const struct meshcast_parameter *given,
                                        struct parameter_spec *spec, struct failure *failure)
{
    if (!name_is_good(given->name) || given->standard == NULL ||
        strlen(given->standard) >= ROUTER_NAME_SIZE)
        return fail(failure, FAIL_USAGE,
                    "a parameter needs a name of letters, digits, '-', '_' and '.', and a standard "
                    "value, of at most %d bytes each",
                    ROUTER_NAME_SIZE - 1);
    if (!values_are_good(given))
        return fail(failure, FAIL_USAGE,
                    "parameter %s: low is at most high, high is below 2^31, choices are words",
                    given->name);
    *spec = (struct parameter_spec){.name = text_copy(given->name),
                                    .standard = text_copy(given->standard),
                                    .low = given->low,
                                    .high = given->high,
                                    .choices =
                                        given->choices == NULL ? NULL : text_copy(given->choices)};
    if (spec->name == NULL || spec->standard == NULL ||
        (given->choices != NULL && spec->choices == NULL))
        return fail_memory(failure, "a router");
    if (!parameter_takes(spec, spec->standard))
        return fail(failure, FAIL_USAGE,
                    "the standard '%.40s' of parameter %.40s is not one of its values",
                    spec->standard, spec->name);
    return FAIL_NONE;
}

static enum failure_kind take_plan(const struct meshcast_router_plan *plan,
                                   struct own_router *router, struct failure *failure)
{
    if (!name_is_good(plan->name) || plan->route == NULL)
        return fail(
            failure, FAIL_USAGE,
            "a router needs a function that routes, and a name of at most %d letters, digits, "
            "'-', '_' and '.'",
            ROUTER_NAME_SIZE - 1);
    if (plan->parameters > ROUTER_MAX_PARAMETERS)
        return fail(failure, FAIL_USAGE, "%u parameters; a router has %d at most", plan->parameters,
                    ROUTER_MAX_PARAMETERS);
    router->method = (struct router_method){
        {text_copy(plan->name), text_copy(plan->summary), text_copy(plan->parameters_help)},
        router->spec,
        own_route,
        NULL,
        plan->takes_many ? TAKES_MANY : 0,
        NULL,
        NULL};
    router->route = plan->route;
    router->context = plan->context;
    const struct router *shown = &router->method.shown;
    if (shown->name == NULL || shown->summary == NULL || shown->parameters == NULL)
        return fail_memory(failure, "a router");
    enum failure_kind kind = FAIL_NONE;
    if (plan->parameters > 0 && plan->parameter == NULL)
        return fail(failure, FAIL_USAGE, "%u parameters, and none is given", plan->parameters);
    for (uint32_t i = 0; kind == FAIL_NONE && i < plan->parameters; i++) {
        const char *name = plan->parameter[i].name;
        if (name != NULL && is_listed(router->spec, name))
            kind = fail(failure, FAIL_USAGE, "two parameters are named %.60s", name);
        else
            kind = take_parameter(&plan->parameter[i], &router->spec[i], failure);
    }
    return kind;
}

struct meshcast_router *meshcast_router_new(const struct meshcast_router_plan *plan,
                                            struct meshcast_error *error)
{
    struct failure failure = {0};
    struct own_router *router = memory_allocate(1, sizeof *router);
    struct meshcast_router *handle = (struct meshcast_router *)router;
    if (router == NULL)
        fail_memory(&failure, "a router");
    else
        take_plan(plan, router, &failure);
    if (error_give(error, &failure) == MESHCAST_OK)
        return handle;
    meshcast_router_free(handle);
    return NULL;
}

/* the texts are copies of our own; rows of the table, whose texts are constant, are never freed
 * here */
void meshcast_router_free(struct meshcast_router *handle)
{
    struct own_router *router = (struct own_router *)handle;
    if (router == NULL)
        return;
    for (uint32_t i = 0; i < ROUTER_MAX_PARAMETERS; i++) {
        free((char *)router->spec[i].name);
        free((char *)router->spec[i].standard);
        free((char *)router->spec[i].choices);
    }
    free((char *)router->method.shown.name);
    free((char *)router->method.shown.summary);
    free((char *)router->method.shown.parameters);
    if (router->object != NULL)
        dlclose(router->object);
    free(router);
}

void router_keep_object(struct meshcast_router *router, void *object)
{
    ((struct own_router *)router)->object = object;
}

/* ---- questions of a router ---- */

struct meshcast_known meshcast_known(const struct meshcast_routing *routing)
{
    const struct routing *inner = routing->routing;
    return (struct meshcast_known){.rows = inner->set->mesh.rows,
                                   .cols = inner->set->mesh.cols,
                                   .degree = inner->degree,
                                   .congestion = inner->congestion,
                                   .seed = inner->options->seed,
                                   .buffer = inner->options->buffer,
                                   .copies_are_free = inner->options->copy_is_free,
                                   .messages_per_node = inner->most_sent};
}

uint32_t meshcast_parameter(const struct meshcast_routing *routing, const char *name)
{
    const struct own_router *router = routing->router;
    if (router_takes_parameter(&router->method.shown, name))
        return routing_parameter(routing->routing, router->spec, name);
    /* const promises that the run stays as it is, except that it is over */
    break_run((struct meshcast_routing *)routing,
              "asked for its parameter '%.40s', which is not in "
              "its plan",
              name);
    return 0;
}

uint32_t meshcast_random(const struct meshcast_routing *routing, uint64_t stream, uint64_t index)
{
    return routing_random(routing->routing, stream, index);
}

enum meshcast_status meshcast_refuse(struct meshcast_routing *routing, enum meshcast_status status,
                                     const char *text)
{
    bool is_check = status == MESHCAST_CHECK && routing->routing->machine != NULL;
    fail(&routing->failure, is_check ? FAIL_CHECK : FAIL_USAGE, "router %.60s: %.400s",
         routing->router->method.shown.name, text == NULL ? "gives up" : text);
    return status_of(routing);
}

/* Notes that each message is a packet, named by its last slot. */
static void note_packets(struct meshcast_routing *routing)
{
    const struct routing *inner = routing->routing;
    routing->is_packet = machine_slot_field(inner->machine, 1);
    if (routing->is_packet == NULL)
        fail_memory(&routing->failure, "the names of packets");
    for (uint32_t i = 0; routing->is_packet != NULL && i < inner->set->messages; i++)
        routing->is_packet[routing_packet(inner, i)] = 1;
}

enum meshcast_status meshcast_start(struct meshcast_routing *routing, uint32_t capacity)
{
    uint32_t wanted = routing->routing->options->buffer;
    if (status_of(routing) != MESHCAST_OK)
        return status_of(routing);
    if (routing->routing->machine != NULL) {
        break_run(routing, "meshcast_start() a second time");
        return status_of(routing);
    }
    if (capacity == 0 || (wanted > 0 && wanted < capacity))
        capacity = wanted;
    if (routing_start(routing->routing, capacity, NULL, &routing->failure) == FAIL_NONE)
        note_packets(routing);
    return status_of(routing);
}

/* ---- packets ---- */

/* Returns the headers, if meshcast_start() has succeeded: a router may go on after a failed one. A
 * constant handle promises that the run stays as it is, except that it is over. */
static struct headers *headers_of(const struct meshcast_routing *routing)
{
    if (routing->is_packet != NULL)
        return machine_headers(routing->routing->machine);
    break_run((struct meshcast_routing *)routing, "asks for packets before meshcast_start()");
    return NULL;
}

/* Returns the headers, if there is such a slot; NULL: the router broke the rule. */
static struct headers *headers_with_slot(const struct meshcast_routing *routing, uint32_t slot)
{
    struct headers *header = headers_of(routing);
    if (header == NULL || slot < header->slots)
        return header;
    break_run((struct meshcast_routing *)routing, "asks for slot %u; there are %u", slot,
              header->slots);
    return NULL;
}

/* Returns the headers, if there is such a packet; NULL: the router broke the rule. */
static struct headers *headers_with(const struct meshcast_routing *routing, uint32_t packet)
{
    struct headers *header = headers_of(routing);
    if (header == NULL || (packet < header->slots && routing->is_packet[packet]))
        return header;
    break_run((struct meshcast_routing *)routing, "asks for packet %u, and there is none", packet);
    return NULL;
}

static struct meshcast_site site_at(const struct meshcast_routing *routing, node_place place)
{
    uint32_t row = place_row(place), col = place_col(place);
    return (struct meshcast_site){row * routing->routing->set->mesh.cols + col, row, col};
}

uint32_t meshcast_packet_first(const struct meshcast_routing *routing, uint32_t packet)
{
    const struct headers *header = headers_with(routing, packet);
    return header == NULL ? packet : header->packet[packet].first;
}

struct meshcast_site meshcast_slot_destination(const struct meshcast_routing *routing,
                                               uint32_t slot)
{
    const struct headers *header = headers_with_slot(routing, slot);
    return site_at(routing, header == NULL ? 0 : header->destination[slot]);
}

void meshcast_slots_swap(struct meshcast_routing *routing, uint32_t packet, uint32_t slot,
                         uint32_t other)
{
    struct headers *header = headers_with(routing, packet);
    uint32_t first = header == NULL ? 0 : header->packet[packet].first;
    if (header == NULL || slot < first || slot > packet || other < first || other > packet) {
        break_run(routing, "exchanges slots %u and %u of packet %u, which has %u to %u", slot,
                  other, packet, first, packet);
        return;
    }
    node_place place = header->destination[slot];
    header->destination[slot] = header->destination[other];
    header->destination[other] = place;
}

/* Splits as packet_split() does, and updates the records. */
static uint32_t split(struct meshcast_routing *routing, uint32_t packet, uint32_t middle)
{
    uint32_t taken = packet_split(machine_headers(routing->routing->machine), packet, middle);
    routing->is_packet[taken] = 1;
    return taken;
}

uint32_t meshcast_packet_split(struct meshcast_routing *routing, uint32_t packet, uint32_t count)
{
    struct headers *header = headers_with(routing, packet);
    uint32_t slots = header == NULL ? 0 : packet - header->packet[packet].first + 1;
    if (!routing->is_asking)
        break_run(routing, "splits packet %u outside of a rule's take()", packet);
    else if (count == 0 || count >= slots)
        break_run(routing, "splits %u slots off packet %u, which has %u and must keep one", count,
                  packet, slots);
    else if (header != NULL)
        return split(routing, packet, header->packet[packet].first + count);
    return MESHCAST_NONE;
}

uint32_t meshcast_packet_target(const struct meshcast_routing *routing, uint32_t packet)
{
    const struct headers *header = headers_with(routing, packet);
    return header == NULL ? 0 : site_at(routing, header->packet[packet].target).node;
}

void meshcast_packet_set_target(struct meshcast_routing *routing, uint32_t packet, uint32_t node)
{
    struct mesh mesh = routing->routing->set->mesh;
    struct headers *header = headers_with(routing, packet);
    if (node >= mesh_nodes(mesh))
        break_run(routing, "packet %u has node %u as its target; the nodes are 0 to %u", packet,
                  node, mesh_nodes(mesh) - 1);
    else if (header != NULL)
        header->packet[packet].target = mesh_place(mesh, node);
}

uint8_t meshcast_packet_state(const struct meshcast_routing *routing, uint32_t packet)
{
    const struct headers *header = headers_with(routing, packet);
    return header == NULL ? 0 : header->packet[packet].state;
}

void meshcast_packet_set_state(struct meshcast_routing *routing, uint32_t packet, uint8_t state)
{
    struct headers *header = headers_with(routing, packet);
    if (header != NULL)
        header->packet[packet].state = state;
}

uint32_t meshcast_first_resting(const struct meshcast_routing *routing, uint32_t node)
{
    if (headers_of(routing) == NULL)
        return MESHCAST_NONE;
    struct node_range own = machine_nodes(routing->routing->machine);
    if (node >= own.first && node < own.end)
        return machine_first_resting(routing->routing->machine, node);
    if (node < mesh_nodes(routing->routing->set->mesh))
        return MESHCAST_NONE; /* of another rank, which looks there */
    break_run((struct meshcast_routing *)routing,
              "asks what rests at node %u; the nodes are 0 to %u", node,
              mesh_nodes(routing->routing->set->mesh) - 1);
    return MESHCAST_NONE;
}

uint32_t meshcast_next_resting(const struct meshcast_routing *routing, uint32_t packet)
{
    const struct headers *header = headers_with(routing, packet);
    return header == NULL ? MESHCAST_NONE : machine_next_resting(routing->routing->machine, packet);
}

/* ---- messages ---- */

/* A rank has the messages of its own nodes, and packets of other ranks carry only a name. So a rank
 * cannot answer every question here; one without an answer ends the run (break_run). */

uint32_t meshcast_slot_source(const struct meshcast_routing *routing, uint32_t slot)
{
    const struct message_set *set = routing->routing->set;
    const struct headers *header = headers_with_slot(routing, slot);
    if (header == NULL)
        return 0;
    uint32_t name = header->packet[slot].message;
    if (routing->routing->set_version == 1)
        return name;
    uint32_t message = message_set_named(set, routing->routing->set_version, name);
    if (message < set->messages)
        return set->source[message];
    break_run((struct meshcast_routing *)routing,
              "asks for the source of a message that starts in another rank, where nodes may send "
              "several");
    return 0;
}

uint32_t meshcast_slot_message(const struct meshcast_routing *routing, uint32_t slot)
{
    const struct routing *inner = routing->routing;
    const struct headers *header = headers_with_slot(routing, slot);
    if (header == NULL)
        return 0;
    uint32_t name = header->packet[slot].message;
    uint32_t message = message_set_named(inner->set, inner->set_version, name);
    if (message < inner->set->messages)
        return message_set_given_number(inner->set, message);
    if (inner->set_version != 1 && inner->set->home.messages == 0)
        return name; /* its number */
    break_run((struct meshcast_routing *)routing,
              "asks for the number of a message that starts in another rank");
    return 0;
}

/* ---- forwarding ---- */

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

/* Returns the fault of the answer; NULL: none. */
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
    if (run_is_broken(call->routing))
        return OUT_HOLD;
    uint32_t first = call->header->packet[packet].first;
    unsigned parts = rule->parts(rule->context, call->routing, site_given(site), packet);
    const char *fault = call->header->packet[packet].first != first
                            ? "it was split where only its parts were asked for"
                            : parts_fault(call, site, packet, parts);
    call->header->packet[packet].first = first;
    if (fault == NULL)
        return parts;
    break_run(call->routing, "at node %u packet %u has parts %#x: %s", site.index, packet, parts,
              fault);
    return OUT_HOLD;
}

/* ---- splitting ---- */

/* Returns the fault of `taken`, split off a packet whose first slot was `first`. */
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
    break_run(call->routing, "at node %u packet %u splits off packet %u, which %s", site.index,
              packet, taken, fault);
    header->packet[packet].first = first; /* any packet will do: the run has failed */
    return split(call->routing, packet, first + 1);
}

/* ---- stops ---- */

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
    break_run(call->routing, "at node %u packet %u over link %#x stops at %u, which is not ahead",
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
    break_run(call->routing, "at node %u packet %u has urgency %u; the most is %u", site.index,
              packet, urgency, MACHINE_MAX_URGENCY);
    return MACHINE_MAX_URGENCY;
}

/* ---- instructions ---- */

/* Far beyond any possible wait, and far below the limit of the clock. */
static const uint64_t LONGEST_PHASE = UINT64_C(1) << 40, LONGEST_RUN = UINT64_C(1) << 60;

/* Makes the rule that asks the user's, until is_asking is false again; `longest` is the requested
 * number of steps. False: the run has failed already, or fails now. */
static bool begin_forward(struct own_call *call, struct meshcast_routing *routing,
                          const struct meshcast_rule *rule, const char *name, uint64_t longest)
{
    if (ready(routing) != MESHCAST_OK || !phase_name_is_good(routing, name))
        return false;
    uint64_t steps = machine_counts(routing->routing->machine)->steps;
    if (longest > LONGEST_PHASE || steps > LONGEST_RUN) {
        break_run(routing, "a phase of %llu steps after %llu; the most are 2^40 after 2^60",
                  (unsigned long long)longest, (unsigned long long)steps);
        return false;
    }
    if (rule == NULL || rule->parts == NULL || rule->stop == NULL) {
        break_run(routing, "a rule without parts() or stop()");
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
    if (begin_forward(&call, routing, rule, name, steps)) {
        struct routing_rule inner = rule_of(&call);
        machine_begin_phase(routing->routing->machine, name);
        forward_wave(routing->routing->machine, &inner, steps, &routing->failure);
        routing->is_asking = false;
        agree(routing);
    }
    return status_of(routing);
}

enum meshcast_status meshcast_forward_in_rounds(struct meshcast_routing *routing,
                                                const struct meshcast_rule *rule, const char *name,
                                                uint64_t first, uint64_t further)
{
    struct own_call call;
    if (begin_forward(&call, routing, rule, name, first > further ? first : further)) {
        struct routing_rule inner = rule_of(&call);
        if (first == 0 || further == 0)
            break_run(routing, "a round of no steps");
        else
            forward_in_rounds(routing->routing->machine, &inner, name,
                              (struct rounds){first, further}, &routing->failure);
        routing->is_asking = false;
        agree(routing);
    }
    return status_of(routing);
}

enum meshcast_status meshcast_forward_last(struct meshcast_routing *routing,
                                           const struct meshcast_rule *rule, const char *name,
                                           uint64_t limit)
{
    struct own_call call;
    if (begin_forward(&call, routing, rule, name, 0)) {
        struct routing_rule inner = rule_of(&call);
        machine_begin_phase(routing->routing->machine, name);
        machine_forward(routing->routing->machine, &inner, true, limit, &routing->failure);
        routing->is_over = true;
        routing->is_asking = false;
        agree(routing);
    }
    return status_of(routing);
}

/* ---- conditions of kernels ---- */

/* The tiles of a kernel, and its limits on the packets that rest or have a target there. */
struct demand {
    const struct tessellation *tiles;
    uint32_t most;     /* packets per node */
    uint32_t *arrives; /* [node]: packets that have it as their target; NULL: targets are numbers */
};

static bool is_same_tile(const struct tessellation *tiles, struct site site, node_place target)
{
    return tiles->row.tile[site.row] == tiles->row.tile[place_row(target)] &&
           tiles->col.tile[site.col] == tiles->col.tile[place_col(target)];
}

static void look_at(struct meshcast_routing *routing, const struct demand *demand, struct site site,
                    uint32_t packet)
{
    struct headers *header = machine_headers(routing->routing->machine);
    node_place target = header->packet[packet].target;
    uint32_t node = mesh_index(routing->routing->set->mesh, target);
    if (demand->arrives == NULL)
        return;
    header->packet[packet].state = 0;
    if (!is_same_tile(demand->tiles, site, target))
        break_run(routing, "packet %u at node %u has target %u, which is in another tile", packet,
                  site.index, node);
    else if (++demand->arrives[node] > demand->most)
        break_run(routing, "node %u is the target of more than %u packets", node, demand->most);
}

static void look_at_all(struct meshcast_routing *routing, const struct demand *demand)
{
    struct machine *machine = routing->routing->machine;
    struct node_range own = machine_nodes(machine);
    for (node_index node = own.first; node < own.end; node++) {
        uint32_t count = 0, packet = machine_first_resting(machine, node);
        for (; packet != MACHINE_NONE; packet = machine_next_resting(machine, packet), count++)
            look_at(routing, demand, machine_site(machine, node), packet);
        if (count > demand->most)
            break_run(routing, "%u packets rest at node %u; the kernel takes %u", count, node,
                      demand->most);
    }
}

/* Makes the tiles of a kernel, until end_kernel(). False: the run has failed already, or fails
 * now. */
static bool begin_kernel(struct meshcast_routing *routing, const char *name, uint64_t tiles,
                         struct tessellation *tessellation)
{
    if (ready(routing) != MESHCAST_OK || !phase_name_is_good(routing, name))
        return false;
    if (tiles == 0)
        break_run(routing, "a kernel in no tiles");
    else if (machine_travelling(routing->routing->machine) > 0)
        break_run(routing, "a kernel begins while packets are under way");
    else
        tessellation_make(tessellation, routing->routing->set->mesh, tiles, &routing->failure);
    routing->is_asking = status_of(routing) == MESHCAST_OK;
    return routing->is_asking;
}

static enum meshcast_status end_kernel(struct meshcast_routing *routing,
                                       struct tessellation *tessellation, bool has_begun)
{
    tessellation_free(tessellation);
    if (!has_begun)
        return status_of(routing);
    routing->is_asking = false;
    return agree(routing);
}

/* ---- kernels ---- */

enum meshcast_status meshcast_sort(struct meshcast_routing *routing, const char *name,
                                   uint64_t tiles)
{
    struct tessellation tessellation = {0};
    bool has_begun = begin_kernel(routing, name, tiles, &tessellation);
    if (has_begun) {
        struct sort_plan plan = {.tiles = &tessellation};
        look_at_all(routing, &(struct demand){.tiles = &tessellation, .most = 1});
        if (agree(routing) == MESHCAST_OK) {
            machine_begin_phase(routing->routing->machine, name);
            sort_tiles(routing->routing->machine, &plan, &routing->failure);
        }
    }
    return end_kernel(routing, &tessellation, has_begun);
}

enum meshcast_status meshcast_prefix(struct meshcast_routing *routing, const char *name,
                                     uint64_t tiles, uint64_t *value, uint64_t identity,
                                     uint64_t (*combine)(uint64_t before, uint64_t after))
{
    struct tessellation tessellation = {0};
    bool has_begun = begin_kernel(routing, name, tiles, &tessellation);
    if (has_begun) {
        struct prefix_operator operation = {identity, combine};
        struct prefix_items items = {.operation = &operation, .count = 1, .value = value};
        if (value == NULL || combine == NULL) {
            break_run(routing, "a prefix computation without values or an operation");
        } else {
            machine_begin_phase(routing->routing->machine, name);
            prefix_snake(routing->routing->machine, &tessellation, &items, &routing->failure);
        }
    }
    return end_kernel(routing, &tessellation, has_begun);
}

enum { MOST_PACKETS = 12 }; /* per node, if packets have targets of their own */

static void route_packets(struct meshcast_routing *routing, const struct unicast_plan *plan)
{
    struct demand demand = {.tiles = plan->tiles, .most = plan->k};
    demand.arrives =
        memory_allocate(mesh_nodes(routing->routing->set->mesh), sizeof *demand.arrives);
    if (demand.arrives == NULL)
        fail_memory(&routing->failure, "the targets of packets");
    else
        look_at_all(routing, &demand);
    free(demand.arrives);
    if (status_of(routing) != MESHCAST_OK)
        return;
    if (plan->k == 1)
        unicast_blocks(routing->routing->machine, plan, MOST_PACKETS, &routing->failure);
    else
        unicast_spread(routing->routing->machine, plan, &routing->failure);
}

enum meshcast_status meshcast_route_packets(struct meshcast_routing *routing, const char *name,
                                            uint64_t tiles, uint32_t k)
{
    enum { MOST_WAVES = 1024 };
    struct tessellation tessellation = {0};
    bool has_begun = begin_kernel(routing, name, tiles, &tessellation);
    if (has_begun) {
        struct unicast_plan plan = {
            .tiles = &tessellation, .name = name, .k = k, .seed = routing->routing->options->seed};
        struct row_range rows = machine_rows(routing->routing->machine);
        if (rows.end - rows.first < routing->routing->set->mesh.rows)
            break_run(routing, "meshcast_route_packets() does not run on several ranks");
        else if (k == 0 || k > MOST_WAVES)
            break_run(routing, "packets are routed %u per node; expected 1 to %d", k, MOST_WAVES);
        else
            route_packets(routing, &plan);
    }
    return end_kernel(routing, &tessellation, has_begun);
}
