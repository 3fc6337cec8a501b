/* circulate.c - the baseline, which the paper uses for c > n/16: all packets tour the mesh.
 *
 * Each message becomes two packets on the mesh's Hamiltonian ring (Fact 1), one each way, each
 * responsible for the destinations that it reaches first, at most half of the ring away. All
 * packets of a way hop at once, and with unit copies the ways alternate: while the packets of one
 * hop, those of the other are copied (machine/cycle.h). On an odd x odd mesh both ways turn aside
 * to the corner that the ring leaves out. From (1, 1) to such a corner both ways are long: that
 * message goes there before the tour.
 *   Encoding: at its source a packet's range is sorted by way and distance, so that the next
 * destination is always first: the first way's, then the second way's. `state` is the way, or says
 * that the packet still has both; `target` then is the number of slots but those of the first way.
 *   On a broken mesh each part has a closed walk instead (primitives/circuits.h); messages begin
 * and are delivered at a node's first place. Both ways are that walk, forward and back. They share
 * links, so unless the ways alternate all packets go forward.
 *   Nodes that send several messages send the first ones on a tour, then all second ones, and so
 * on. A tour begins at the step by which the one before has ended on every set, by the bound below,
 * so that nodes need not inform one another. Later messages wait in the input queue.
 *
 * Steps, proven for every set (times l, the most messages per node): R = n / 2 hops (odd x odd
 * meshes (n + 3) / 2, a row or column n - 1; a walk of L links L / 2, one way L - 1). With unit
 * copies 2 R + 1 steps, as each hop needs a step for each way, and the message is split in a step
 * before them; R if no message has two destinations. With a corner 3 more before the tour, 2 with
 * free copies. Buffer, proven: 2 packets per node, one of each way, and one more at the two nodes
 * beside such a corner; on broken meshes one per visit of a way. Proofs: doc/circulate.md,
 * doc/broken.md.
 * Source: Section 4 of the paper, "all packets circulate along a Hamiltonian cycle of the mesh".
 */
#include "base/parallel.h"
#include "machine/cycle.h"
#include "primitives/circuits.h"
#include "primitives/multicast_tree.h"
#include "primitives/synchronise.h"
#include "routers/batches.h"
#include "routers/reduction.h"
#include "routers/routing.h"

#include <stdlib.h>

enum state { FIRST_WAY, SECOND_WAY, BOTH_WAYS, TO_CORNER };

enum { AND_CORNER = 1 << 4 }; /* a state with it: the corner is the range's first destination */

struct circulation {
    struct routing *routing;
    struct headers *header;
    struct circuits circuits;
    uint32_t capacity;      /* of a buffer */
    uint64_t tour_steps;    /* no tour exceeds them */
    struct batches batches; /* a tour each; none if nodes send one message */
};

static const struct parameter_spec SPECS[] = {{.name = NULL}};

/* ---- at the source ---- */

enum { SECOND = 1 << 30 }; /* above every distance */

struct visit {
    uint32_t key; /* distance, and SECOND for the second way */
    node_place place;
};

static int compare_visits(const void *a, const void *b)
{
    uint32_t x = ((const struct visit *)a)->key, y = ((const struct visit *)b)->key;
    return (x > y) - (x < y);
}

/* Where the packets of a message begin. */
struct homes {
    node_index node;
    uint32_t place[2]; /* [way] */
};

/* Returns the rank of a destination in the order of visits: the corner first, if neither way is
 * short. */
static uint32_t visit_key(const struct circulation *circulation, const struct homes *from,
                          node_place to)
{
    const struct mesh_circuit *circuit = circuits_at(&circulation->circuits, to);
    uint32_t home[2];
    mesh_circuit_homes(circuit, to, home);
    uint32_t first = mesh_circuit_links(circuit, from->place[FIRST_WAY], home[FIRST_WAY]);
    uint32_t second = mesh_circuit_links(circuit, from->place[SECOND_WAY], home[SECOND_WAY]);
    node_index node = mesh_index(circuit->mesh, to);
    bool is_first = circulation->circuits.is_one_way || first < second ||
                    (first == second && from->node <= node);
    if (from->node == circuit->apart[0] && node == circuit->apart[1])
        return 0;
    return 1 + (is_first ? first : SECOND | second);
}

/* Sorts the destinations of a message by way and distance from its source. */
static void sort_message(const struct circulation *circulation, uint32_t message,
                         struct visit *visit)
{
    const struct routing *routing = circulation->routing;
    struct slot_range slots = routing_slots(routing, message);
    uint32_t count = slots.end - slots.first, firsts = 0, corners = 0;
    node_place *destination = circulation->header->destination + slots.first;
    struct homes homes = {.node = routing->set->source[message]};
    node_place source = site_place(machine_site(routing->machine, homes.node));
    mesh_circuit_homes(circuits_at(&circulation->circuits, source), source, homes.place);
    for (uint32_t j = 0; j < count; j++) {
        visit[j].place = destination[j];
        visit[j].key = visit_key(circulation, &homes, destination[j]);
        corners += visit[j].key == 0;
        firsts += visit[j].key < SECOND;
    }
    bool has_both = firsts > corners && firsts < count;
    qsort(visit, count, sizeof *visit, compare_visits);
    for (uint32_t j = 0; j < count; j++)
        destination[j] = visit[j].place;
    struct header *packet = &circulation->header->packet[slots.end - 1];
    packet->state = has_both ? BOTH_WAYS : firsts == count ? FIRST_WAY : SECOND_WAY;
    packet->target = count - firsts;
    if (visit[0].key == 0)
        packet->state = count == 1 ? TO_CORNER : packet->state | AND_CORNER;
}

struct sort_work {
    const struct circulation *circulation;
    struct visit *visit; /* [threads][degree] */
};

static void sort_band(void *context, const struct team *team)
{
    const struct sort_work *work = context;
    const struct routing *routing = work->circulation->routing;
    uint32_t messages = routing->set->messages;
    uint32_t end = parallel_band_start(messages, team->rank + 1, team->size);
    for (uint32_t i = parallel_band_start(messages, team->rank, team->size); i < end; i++)
        sort_message(work->circulation, i, work->visit + (size_t)team->rank * routing->degree);
}

/* Sorts all messages, as each node does for its own before the first step. */
static enum failure_kind sort_all(const struct circulation *circulation, struct failure *failure)
{
    const struct routing *routing = circulation->routing;
    uint32_t threads = routing->result->threads;
    struct sort_work work = {
        circulation, memory_allocate((size_t)threads * routing->degree, sizeof *work.visit)};
    if (work.visit == NULL)
        return fail_memory(failure, "the order of visits");
    parallel_run(routing->result->threads, sort_band, &work);
    free(work.visit);
    return FAIL_NONE;
}

/* ---- under way ---- */

static struct march_cycle cycle(void *context, uint32_t cycle)
{
    const struct circulation *circulation = context;
    const struct mesh_circuit *circuit = circuits_of_part(&circulation->circuits, cycle / 2);
    return (struct march_cycle){circuit->length, 0, circuit->mesh.rows};
}

static node_place place(void *context, uint32_t cycle, uint32_t number)
{
    const struct circulation *circulation = context;
    const struct mesh_circuit *circuit = circuits_of_part(&circulation->circuits, cycle / 2);
    return mesh_circuit_place(circuit, cycle % 2 * circuit->length + number);
}

static uint32_t begin(void *context, uint32_t cycle, struct site site, uint32_t packet)
{
    const struct circulation *circulation = context;
    const struct mesh_circuit *circuit = circuits_of_part(&circulation->circuits, cycle / 2);
    uint32_t way = cycle % 2;
    enum state state = circulation->header->packet[packet].state;
    if (way != (state == SECOND_WAY ? SECOND_WAY : FIRST_WAY))
        return MARCH_NO_PLACE;
    return mesh_circuit_home(circuit, way, site_place(site)) - way * circuit->length;
}

static uint32_t split(void *context, uint32_t packet)
{
    struct headers *header = ((struct circulation *)context)->header;
    if (header->packet[packet].state != BOTH_WAYS)
        return MACHINE_NONE;
    uint32_t taken = packet_split(header, packet, packet + 1 - header->packet[packet].target);
    header->packet[taken].state = FIRST_WAY;
    header->packet[packet].state = SECOND_WAY;
    return taken;
}

static uint32_t due(void *context, node_place here, uint32_t packet)
{
    const struct circulation *circulation = context;
    const struct headers *header = circulation->header;
    return mesh_circuit_hops(circuits_at(&circulation->circuits, here),
                             header->packet[packet].state, here,
                             header->destination[header->packet[packet].first]);
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = ((const struct circulation *)context)->header;
    uint32_t first = header->packet[packet].first;
    if (header->destination[first] != site_place(site))
        return OUT_HOLD; /* the due deliveries are done */
    return first == packet ? OUT_EJECT : OUT_EJECT | OUT_HOLD;
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = ((struct circulation *)context)->header;
    (void)site, (void)output;
    return packet_split(header, packet, header->packet[packet].first + 1);
}

/* ---- the corner ---- */

/* Returns the outputs before a tour: only packets from (1, 1) to the corner move, west, then
 * north. */
static unsigned corner_outputs(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = ((struct circulation *)context)->header;
    uint32_t first = header->packet[packet].first, state = header->packet[packet].state;
    if (state & AND_CORNER)
        return OUT_WEST | OUT_HOLD;
    if (state != TO_CORNER)
        return header->destination[first] == site_place(site) && first == packet
                   ? (unsigned)OUT_EJECT
                   : (unsigned)OUT_HOLD;
    return site.col > 0 ? OUT_WEST : site.row > 0 ? OUT_NORTH : OUT_EJECT;
}

static uint32_t corner_take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = ((struct circulation *)context)->header;
    uint32_t taken = packet_split(header, packet, header->packet[packet].first + 1);
    (void)site, (void)output;
    header->packet[packet].state &= ~AND_CORNER;
    header->packet[taken].state = TO_CORNER;
    return taken;
}

static uint32_t corner_stop(void *context, struct site site, uint32_t packet,
                            enum direction direction)
{
    (void)context, (void)packet, (void)direction;
    return direction_is_vertical(direction) ? site.row - 1 : site.col - 1;
}

/* Visits the corner: neither way is short from (1, 1) to it. Two links, and a copy before, on every
 * odd x odd mesh, since no other node knows if (1, 1) sends there. */
static enum failure_kind visit_corner(struct circulation *circulation, struct failure *failure)
{
    struct machine *machine = circulation->routing->machine;
    struct routing_rule rule = {.context = circulation,
                                .outputs = corner_outputs,
                                .take = corner_take,
                                .stop = corner_stop};
    uint64_t steps = circulation->routing->options->copy_is_free ? 2 : 3;
    if (circulation->circuits.all.apart[0] == MESH_NO_NODE || machine_resting(machine) == 0)
        return FAIL_NONE;
    return forward_for(machine, &rule, "corner", steps, failure);
}

/* ---- the tour ---- */

/* Makes a tour. With `end` no node goes on before that step. */
static enum failure_kind tour_once(struct circulation *circulation, uint64_t end,
                                   struct failure *failure)
{
    struct march_paths paths = {
        .begin = begin, .split = split, .copies_nothing = circulation->routing->degree == 1};
    struct machine *machine = circulation->routing->machine;
    struct march march = {.context = circulation,
                          .cycles = 2 * max_u32(1, circulation->circuits.parts),
                          .cycle = cycle,
                          .place = place,
                          .due = due,
                          .outputs = outputs,
                          .take = take,
                          .paths = &paths};
    uint32_t hops = circulation->circuits.all.rounds;
    if (end == 0)
        return machine_march(machine, &march, hops, failure);
    return march_wave(machine, &march, hops, end - machine_counts(machine)->steps, failure);
}

/* Returns the most steps of one tour. */
static uint64_t tour_steps(const struct mesh_circuit *circuit, uint32_t degree, bool copy_is_free)
{
    bool has_corner = circuit->apart[0] != MESH_NO_NODE;
    uint64_t hops = circuit->rounds, corner = !has_corner ? 0 : copy_is_free ? 2 : 3;
    return corner + (copy_is_free || degree <= 1 ? hops : 2 * hops + 1);
}

uint64_t circulate_tour_steps(struct mesh mesh, uint32_t degree, bool copy_is_free)
{
    struct mesh_circuit circuit = mesh_circuit_of(mesh);
    return tour_steps(&circuit, degree, copy_is_free);
}

uint64_t circulate_most_steps(const struct routing *routing)
{
    return routing->most_sent * circulate_tour_steps(routing->set->mesh, routing->degree,
                                                     routing->options->copy_is_free);
}

bool circulate_is_due(const struct routing *routing, uint64_t schedule)
{
    uint32_t congestion = batches_congestion(routing);
    return routing->congestion == UINT32_MAX ||
           16ull * congestion > mesh_nodes(routing->set->mesh) ||
           circulate_most_steps(routing) <= schedule;
}

/* Makes one tour after the other. */
static enum failure_kind tour_all(struct circulation *circulation, struct failure *failure)
{
    const struct routing *routing = circulation->routing;
    bool has_corner = circulation->circuits.all.apart[0] != MESH_NO_NODE;
    enum failure_kind kind = FAIL_NONE;
    uint64_t start = machine_counts(routing->machine)->steps;
    uint32_t tours = circulation->batches.count;
    for (uint32_t tour = 0; tour < tours && kind == FAIL_NONE; tour++) {
        bool is_last = tour + 1 == tours;
        uint64_t end = is_last ? 0 : start + (tour + 1) * circulation->tour_steps;
        kind = batches_inject(&circulation->batches, routing, tour, failure);
        if (kind == FAIL_NONE)
            kind = visit_corner(circulation, failure);
        if (tour == 0 || has_corner)
            machine_begin_phase(routing->machine, "tour");
        if (kind == FAIL_NONE)
            kind = tour_once(circulation, end, failure);
    }
    return kind;
}

/* Makes the circuits, and finds the steps of a tour and the capacity of buffers: what is needed, or
 * what the user gives. */
static enum failure_kind circulation_make(struct circulation *circulation, struct failure *failure)
{
    const struct routing *routing = circulation->routing;
    uint32_t buffer = routing->options->buffer;
    bool at_once = routing->options->copy_is_free || routing->degree <= 1;
    if (circuits_make(&circulation->circuits, routing->set->mesh, routing->options->broken, at_once,
                      failure) != FAIL_NONE)
        return failure->kind;
    circulation->tour_steps =
        tour_steps(&circulation->circuits.all, routing->degree, routing->options->copy_is_free);
    circulation->capacity = buffer > 0 ? buffer : circulation->circuits.all.capacity;
    if (circulation->capacity >= circulation->circuits.all.capacity)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "router circulate cannot run with a buffer of %u; the least is %u packets", buffer,
                circulation->circuits.all.capacity);
}

static void promise(const struct circulation *circulation)
{
    struct routing *routing = circulation->routing;
    routing_promise(routing, routing->most_sent * circulation->tour_steps,
                    routing->most_sent == 1 ? PROMISE_FOR_ALL : PROMISE_FOR_MANY);
}

static enum failure_kind circulate_route(struct routing *routing, struct failure *failure)
{
    struct circulation circulation = {.routing = routing};
    enum failure_kind kind = circulation_make(&circulation, failure);
    if (kind == FAIL_NONE)
        kind = batches_make(&circulation.batches, routing, NULL, failure);
    if (kind == FAIL_NONE)
        kind = routing_start(routing, circulation.capacity, NULL, failure);
    if (kind == FAIL_NONE) {
        circulation.header = machine_headers(routing->machine);
        if (!routing_follows(routing))
            promise(&circulation);
        kind = sort_all(&circulation, failure);
    }
    if (kind == FAIL_NONE)
        kind = tour_all(&circulation, failure);
    batches_free(&circulation.batches);
    circuits_free(&circulation.circuits);
    return kind;
}

/* ---- the other way round ---- */

/* A reduction tours the same ways backwards, also in time: if a multicast would deliver at a node
 * after k hops, the node adds its contribution to the packet that passes when k hops are left. The
 * slot for it passes once per tour, so the clock alone keeps all nodes in step, and no link is
 * wanted by two packets. */
struct backward {
    struct reduction reduction; /* first: reduction_combine() */
    const struct mesh_circuit *circuit;
    uint64_t tour_steps;
    /* at the start of each tour, for contributions from the corner to (1, 1) */
    uint32_t corner_steps;
};

static bool is_from_corner(const struct backward *backward, node_place from, node_place home)
{
    bool has_corner = backward->circuit->apart[0] != MESH_NO_NODE;
    return has_corner && from == place_of(0, 0) && home == place_of(1, 1);
}

/* Finds the way and the place from which the contribution of a node goes back to its source. */
static void find_way(struct reduction *reduction, node_index node, uint32_t packet)
{
    const struct backward *backward = (const struct backward *)reduction;
    const struct mesh_circuit *circuit = backward->circuit;
    struct header *header = &reduction->header->packet[packet];
    node_place home = reduction->header->destination[packet];
    node_place here = mesh_place(circuit->mesh, node);
    uint32_t first = mesh_circuit_hops(circuit, FIRST_WAY, home, here);
    uint32_t second = mesh_circuit_hops(circuit, SECOND_WAY, home, here);
    header->state = first < second || (first == second && home <= here) ? FIRST_WAY : SECOND_WAY;
    header->target = mesh_circuit_home(circuit, header->state, here);
    if (is_from_corner(backward, here, home))
        header->state = TO_CORNER;
}

/* Returns the place before another one on the same way. */
static uint32_t place_before(const struct mesh_circuit *circuit, uint32_t place)
{
    return place % circuit->length > 0 ? place - 1 : place + circuit->length - 1;
}

/* Returns the output of a packet that is at place `target`, or has just come from there. */
static enum output backward_output(void *context, struct site site, uint32_t packet)
{
    const struct backward *backward = context;
    const struct mesh_circuit *circuit = backward->circuit;
    struct header *header = &backward->reduction.header->packet[packet];
    if (site_place(site) == backward->reduction.header->destination[packet])
        return OUT_EJECT;
    if (header->state == TO_CORNER)
        return site.row == 0 ? OUT_SOUTH : OUT_EAST;
    if (mesh_circuit_place(circuit, header->target) != site_place(site))
        header->target = place_before(circuit, header->target);
    node_place to = mesh_circuit_place(circuit, place_before(circuit, header->target));
    return link_towards(site, to, true);
}

/* Returns the due step; nodes know the number of a message among its source's. */
static uint32_t backward_due(void *context, struct site site, uint32_t packet)
{
    const struct backward *backward = context;
    const struct mesh_circuit *circuit = backward->circuit;
    const struct header *header = &backward->reduction.header->packet[packet];
    node_place home = backward->reduction.header->destination[packet];
    uint64_t start = backward->reduction.order[packet] * backward->tour_steps + 1;
    if (header->state == TO_CORNER)
        return (uint32_t)start;
    uint32_t hops = mesh_circuit_hops(circuit, header->state, home, site_place(site));
    return (uint32_t)(start + backward->corner_steps + circuit->rounds - hops);
}

static enum failure_kind circulate_reduce(struct routing *routing, struct failure *failure)
{
    struct circulation circulation = {.routing = routing};
    struct backward backward = {.circuit = &circulation.circuits.all};
    struct gather_rule rule = {.context = &backward,
                               .output = backward_output,
                               .due = backward_due,
                               .combine = reduction_combine,
                               .deliver = reduction_deliver};
    enum failure_kind kind = circulation_make(&circulation, failure);
    if (kind == FAIL_NONE)
        kind =
            reduction_begin(&backward.reduction, routing, circulation.capacity, find_way, failure);
    if (kind == FAIL_NONE) {
        backward.tour_steps = circulation.tour_steps;
        backward.corner_steps = (uint32_t)backward.tour_steps - circulation.circuits.all.rounds;
        promise(&circulation);
        kind = reduction_gather(&backward.reduction, &rule, "tour", failure);
    }
    reduction_free(&backward.reduction);
    return kind;
}

const struct router_method circulate_method = {
    {"circulate", "all packets tour the mesh, usually half of each message each way", ""},
    SPECS,
    circulate_route,
    NULL,
    TAKES_MANY | TAKES_BROKEN,
    circulate_reduce,
    NULL,
};
