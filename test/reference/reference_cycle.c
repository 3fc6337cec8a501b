/* reference_cycle.c - the golden models of machine_march and machine_circulate: packets on closed walks.
 */
#include "test/reference/reference_private.h"

/* ---- machine_march: one node on, all at once ---- */

/* Each hop is a call of machine_forward, in which packets first cross a link and then do what is due. */
struct marching {
    const struct march *march;
    uint32_t hop;
    uint32_t *hopped, *due; /* [packet]: the hop in which it crossed a link last; is due next */
    bool *is_on;            /* [node]: some cycle goes through it */
};

static unsigned march_parts(void *context, struct site site, uint32_t packet)
{
    struct marching *marching = context;
    const struct march *march = marching->march;
    node_place here = site_place(site), next = here;
    if (!marching->is_on[site.index])
        return PART_PARK;
    next = march->next(march->context, here);
    if (marching->hopped[packet] < marching->hop && next != here)
        return place_row(next) != site.row ? LINK_PART[place_row(next) < site.row ? NORTH : SOUTH]
                                           : LINK_PART[place_col(next) < site.col ? WEST : EAST];
    if (marching->due[packet] != marching->hop)
        return PART_PARK;
    unsigned parts = march->parts(march->context, site, packet);
    if (parts == PART_PARK)
        marching->due[packet] += march->due(march->context, here, packet);
    return parts;
}

static uint32_t march_take(void *context, struct site site, uint32_t packet, enum part part)
{
    const struct march *march = ((struct marching *)context)->march;
    return march->take(march->context, site, packet, part);
}

static uint32_t march_stop(void *context, struct site site, uint32_t packet, enum direction d)
{
    struct marching *marching = context;
    node_place next = marching->march->next(marching->march->context, site_place(site));
    marching->hopped[packet] = marching->hop;
    return direction_is_vertical(d) ? place_row(next) : place_col(next);
}

/* Marks the nodes of all cycles, and asks their packets when they have something to do. */
static void begin_march(struct reference *model, struct marching *marching)
{
    const struct march *march = marching->march;
    for (uint32_t i = 0; i < march->cycles; i++) {
        struct march_cycle cycle = march->cycle(march->context, i);
        node_place here = cycle.start;
        for (uint32_t k = 0; k < cycle.length; k++, here = march->next(march->context, here)) {
            node_index node = place_row(here) * model->config.mesh.cols + place_col(here);
            uint32_t packet = reference_first(model, node, RESTING);
            marching->is_on[node] = true;
            if (packet != MACHINE_NONE)
                marching->due[packet] = march->due(march->context, here, packet);
        }
    }
}

enum failure_kind reference_march(struct reference *model, const struct march *march, uint32_t hops,
                                  struct failure *failure)
{
    uint32_t slots = model->header.slots;
    struct marching marching = {.march = march,
                                .hopped = calloc(slots + 1, sizeof *marching.hopped),
                                .due = calloc(slots + 1, sizeof *marching.due),
                                .is_on = calloc(model->nodes, sizeof *marching.is_on)};
    struct routing_rule rule = {
        .context = &marching, .parts = march_parts, .take = march_take, .stop = march_stop};
    uint64_t start = model->counts.steps, of_hop = model->config.copy_is_free ? 1 : 2;
    enum failure_kind kind = FAIL_NONE;
    assert(marching.hopped != NULL && marching.due != NULL && marching.is_on != NULL);
    begin_march(model, &marching);
    for (; kind == FAIL_NONE && marching.hop <= hops; marching.hop++) {
        uint64_t end = start + 1 + marching.hop * of_hop;
        kind = reference_forward(model, &rule, true, end - model->counts.steps, failure);
        if (kind == FAIL_NONE) /* a hop takes as long where nothing is copied */
            model_advance(model, end - model->counts.steps);
    }
    free(marching.hopped);
    free(marching.due);
    free(marching.is_on);
    return kind;
}

/* ---- machine_circulate: in step with the neighbours ---- */

/* What a node knows of a packet that circulates. */
struct walker {
    uint32_t place, round; /* of the circuit; that have taken it here */
    uint64_t came;         /* the step */
    uint32_t due;          /* the round in which it comes to its first destination */
    bool waits, splits;    /* for a copy; for that of the part that begins elsewhere */
};

struct circling {
    struct reference *model;
    const struct circuit *circuit;
    uint32_t places;
    struct walker *walker; /* [packet] */
    uint32_t *rounds;      /* [place]: that have gone from it to the next place */
    uint32_t *leaving;     /* [node * DIRECTIONS + d]: the place that leaves by that link */
    uint32_t *opposite;    /* [place]: that leaves by the other direction of its link */
    bool *is_kept;         /* [place]: for a part that is still to be split off */
    bool *goes;            /* [place]: in this step */
};

static uint32_t place_behind(const struct circling *circling, uint32_t place)
{
    uint32_t length = circling->circuit->length;
    return place % length + 1 < length ? place + 1 : place + 1 - length;
}

static node_index node_at(const struct circling *circling, uint32_t place)
{
    node_place at = circling->circuit->place[place];
    return place_row(at) * circling->model->config.mesh.cols + place_col(at);
}

/* The link by which a place leaves its node, among those of all nodes. */
static uint32_t link_of(const struct circling *circling, node_index node, uint32_t next)
{
    enum direction d = NORTH;
    while (model_neighbour(circling->model, node, d) != next)
        d++;
    return node * DIRECTIONS + d;
}

static void find_links(const struct circling *circling)
{
    for (uint32_t link = 0; link < circling->model->nodes * DIRECTIONS; link++)
        circling->leaving[link] = CIRCUIT_NO_PLACE;
    for (uint32_t place = 0; place < circling->places; place++) {
        node_index here = node_at(circling, place);
        node_index there = node_at(circling, place_behind(circling, place));
        circling->leaving[link_of(circling, here, there)] = place;
    }
    for (uint32_t place = 0; place < circling->places; place++) {
        node_index here = node_at(circling, place);
        node_index there = node_at(circling, place_behind(circling, place));
        circling->opposite[place] = circling->leaving[link_of(circling, there, here)];
        assert(circling->opposite[place] != CIRCUIT_NO_PLACE);
    }
}

/* The packet at a place that so many rounds have taken there. */
static uint32_t packet_at(const struct circling *circling, uint32_t place, uint32_t round)
{
    const struct walker *walker = circling->walker;
    uint32_t packet = reference_first(circling->model, node_at(circling, place), CIRCULATING);
    while (packet != MACHINE_NONE &&
           (walker[packet].place != place || walker[packet].round != round))
        packet = reference_next(circling->model, packet);
    return packet;
}

static uint32_t hops_of(const struct circling *circling, uint32_t packet)
{
    const struct circuit *circuit = circling->circuit;
    return circuit->hops(circuit->context, circling->walker[packet].place, packet);
}

static void deliver_first(const struct circling *circling, uint32_t packet)
{
    struct header *header = &circling->model->header.packet[packet];
    uint32_t slot = header->first;
    header->first += slot != packet;
    model_deliver(circling->model, packet, slot);
}

/* The packet is where its round has taken it. */
static void look_at(const struct circling *circling, uint32_t packet)
{
    struct walker *walker = &circling->walker[packet];
    bool ends = circling->model->header.packet[packet].first == packet;
    if (walker->due != walker->round)
        return;
    walker->waits = !ends && !circling->model->config.copy_is_free;
    if (walker->waits)
        return;
    deliver_first(circling, packet);
    if (!ends)
        walker->due += hops_of(circling, packet);
}

static void begin_at(const struct circling *circling, uint32_t packet, uint32_t place)
{
    circling->walker[packet] = (struct walker){.place = place};
    circling->walker[packet].due = hops_of(circling, packet);
    circling->is_kept[place] = false;
    look_at(circling, packet);
}

static void split(const struct circling *circling, uint32_t packet)
{
    struct reference *model = circling->model;
    const struct circuit *circuit = circling->circuit;
    struct site site = reference_site(model, model->packet[packet].node);
    uint32_t place = circuit->begin(circuit->context, site, packet, true);
    uint32_t part = circuit->take(circuit->context, packet);
    model_copy(model, packet, part, CIRCULATING);
    begin_at(circling, part, place);
}

static void begin(const struct circling *circling, node_index node)
{
    struct reference *model = circling->model;
    const struct circuit *circuit = circling->circuit;
    struct site site = reference_site(model, node);
    uint32_t packet = reference_first(model, node, RESTING);
    if (packet == MACHINE_NONE)
        return;
    model_move(model, packet, CIRCULATING);
    uint32_t place = circuit->begin(circuit->context, site, packet, false);
    uint32_t other = circuit->begin(circuit->context, site, packet, true);
    if (other != CIRCUIT_NO_PLACE && !model->config.copy_is_free) {
        circling->walker[packet] =
            (struct walker){.place = place, .due = UINT32_MAX, .waits = true, .splits = true};
        circling->is_kept[other] = true;
        return;
    }
    if (other != CIRCUIT_NO_PLACE)
        split(circling, packet);
    begin_at(circling, packet, place);
}

/* All links at its node have done the rounds that this one has, and what leaves next waits for nothing. */
static bool may_leave(const struct circling *circling, uint32_t place)
{
    uint32_t round = circling->rounds[place];
    const uint32_t *leaving = circling->leaving + node_at(circling, place) * DIRECTIONS;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        if (leaving[d] != CIRCUIT_NO_PLACE && circling->rounds[leaving[d]] < round)
            return false;
    uint32_t packet = packet_at(circling, place, round);
    return !circling->is_kept[place] && (packet == MACHINE_NONE || !circling->walker[packet].waits);
}

/* Unit copies: the node makes one, for the packet that came first; of two that came at once, the lower place
 * goes first where row + col is even, else the higher one. */
static void copy_for_first(const struct circling *circling, node_index node)
{
    struct reference *model = circling->model;
    struct walker *walker = circling->walker;
    struct site site = reference_site(model, node);
    bool lower_first = (site.row + site.col) % 2 == 0;
    uint32_t first = MACHINE_NONE, packet = reference_first(model, node, CIRCULATING);
    for (; packet != MACHINE_NONE; packet = reference_next(model, packet)) {
        const struct walker *one = &walker[packet];
        if (one->waits && (first == MACHINE_NONE || one->came < walker[first].came ||
                           (one->came == walker[first].came &&
                            (one->place < walker[first].place) == lower_first)))
            first = packet;
    }
    if (first == MACHINE_NONE)
        return;
    walker[first].waits = false;
    if (walker[first].splits) {
        split(circling, first);
        walker[first].splits = false;
        walker[first].due = hops_of(circling, first);
    } else {
        deliver_first(circling, first);
        walker[first].due += hops_of(circling, first);
    }
}

/* The packet at a place, if there is one, goes to the next. */
static void leave(const struct circling *circling, uint32_t place)
{
    uint32_t packet = packet_at(circling, place, circling->rounds[place]);
    uint32_t behind = place_behind(circling, place);
    if (packet == MACHINE_NONE)
        return;
    circling->walker[packet].place = behind;
    circling->walker[packet].round++;
    circling->walker[packet].came = circling->model->counts.steps;
    model_cross(circling->model, packet, node_at(circling, behind), CIRCULATING);
}

static void arrive(const struct circling *circling, uint32_t place)
{
    uint32_t behind = place_behind(circling, place);
    uint32_t packet = packet_at(circling, behind, ++circling->rounds[place]);
    if (packet != MACHINE_NONE)
        look_at(circling, packet);
}

/* Links are gone through by their lower places, both directions of each. */
static void for_links(const struct circling *circling,
                      void (*act)(const struct circling *circling, uint32_t place))
{
    for (uint32_t place = 0; place < circling->places; place++)
        if (circling->goes[place] && place < circling->opposite[place]) {
            act(circling, place);
            act(circling, circling->opposite[place]);
        }
}

static void circulate_step(const struct circling *circling, bool is_first)
{
    struct reference *model = circling->model;
    for (node_index node = 0; is_first && node < model->nodes; node++)
        begin(circling, node);
    for (uint32_t place = 0; place < circling->places; place++)
        circling->goes[place] =
            may_leave(circling, place) && may_leave(circling, circling->opposite[place]);
    for (node_index node = 0; !model->config.copy_is_free && node < model->nodes; node++)
        copy_for_first(circling, node);
    for_links(circling, leave);
    for_links(circling, arrive);
}

enum failure_kind reference_circulate(struct reference *model, const struct circuit *circuit,
                                      struct failure *failure)
{
    uint32_t places = circuit->ways * circuit->length;
    struct circling circling = {.model = model, .circuit = circuit, .places = places};
    enum failure_kind kind = model_judge(model, failure);
    circling.walker = calloc(model->header.slots + 1, sizeof *circling.walker);
    circling.rounds = calloc(places, sizeof *circling.rounds);
    circling.is_kept = calloc(places, sizeof *circling.is_kept);
    circling.goes = calloc(places, sizeof *circling.goes);
    circling.leaving = calloc(model->nodes, DIRECTIONS * sizeof *circling.leaving);
    circling.opposite = calloc(places, sizeof *circling.opposite);
    assert(circling.walker && circling.rounds && circling.leaving && circling.opposite &&
           circling.is_kept && circling.goes);
    find_links(&circling);
    for (bool is_first = true; kind == FAIL_NONE; is_first = false) {
        if ((is_first ? reference_resting(model) : reference_travelling(model)) == 0)
            break;
        model_advance(model, 1);
        circulate_step(&circling, is_first);
        kind = model_end_bounded_step(model, failure);
    }
    free(circling.walker);
    free(circling.rounds);
    free(circling.leaving);
    free(circling.opposite);
    free(circling.is_kept);
    free(circling.goes);
    return kind;
}
