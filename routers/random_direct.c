/* random_direct.c - router `random`, variant=direct: groups of exact size, and a tree from the
 * master to its destinations.
 *
 * Step 1. The paper draws each packet's group independently, and then spends sorting and prefixes
 * on making the groups equal. A random permutation of the nodes makes them equal at once: the
 * packet of node v goes to node p(v), so a tile gets at most one packet per node, independently of
 * the packets' destinations. With two packets per node (Lemma 1) each of the two layers has a
 * permutation of its own. A later phase permutes anew, by the nodes that named their seats, to
 * which packets have returned.
 *   Lemmas 2 and 3 hold as they do in the paper: the packets of a set that enter one group have the
 * moments' bound of independent ones (primitives/mesh_permutation.c), so the same bounds on tails
 * hold, without the factor 2 of the segments. (The exact tails of random_lemmas.c are those of the
 * paper's groups.)
 *   Step 2. At a visit each master hands a dimension-ordered multicast tree to its destinations in
 * the tile: it splits off the branches one by one and keeps the destinations in other tiles.
 * Masters at nodes of even row + column send trees that go along rows first, the others along
 * columns first. Trees that are late drain on while the masters walk to the next tile, after them
 * on every link, and during the next visits: with free copies no destination waits for another
 * round. With unit copies a master that is still copying when the others leave keeps the rest for
 * the next round or phase. A master whose last destinations are here becomes the tree itself.
 *
 * Nothing piles up, because a node receives at most c messages, and groups are random. So a tile of
 * s x s nodes gets about s^2 deliveries in a visit, for any set, and a link carries s / 4 of their
 * trees. Visit and shift leave it 3 s / 2 steps for them, without the masters' own walk.
 *
 * Steps. Step 1, proven for every set and seed (primitives/public_traffic.c): 2 m - 2 at most, or 2
 * m with two layers, less if the seed's own count allows, and no synchronisation. Then, s the side
 * of a tile: a visit s (3 s / 2 with unit copies), the shift s; so 2 S after Step 1 (2.5 S) and 2 s
 * at the end, S = sqrt(c n). A round of visits has a length given by the sizes, and so has
 * everything but the deliveries after a round: late copies deliver in at most three rounds of known
 * lengths, an OR after each. If some are still under way then, or if a master has slots left after
 * the last round of visits, the ORs have reported that to all nodes, and the attempt is void. So
 * every attempt ends in time, for every set; that one succeeds is another matter (attempts.c).
 * Buffer: Step 1, proven and enforced: 6 packets, 9 with two layers. Step 2: 9 packets per node
 * measured.
 * Source: Section 4, Step 1, of the paper; Luby and Rackoff 1988 for the permutations; the trees,
 * instead of its migration and tours, are ours.
 */
#include "primitives/mesh_permutation.h"
#include "primitives/multicast_tree.h"
#include "primitives/public_traffic.h"
#include "primitives/synchronise.h"
#include "routers/lemma.h"
#include "routers/random_private.h"

#include <stdlib.h>

/* ---- Step 1 ---- */

enum { STREAM_GROUPS = 0x67726f75, LAYERS = 4 };

/* Sets every packet's target: the image of the node that it names, by the permutation of its layer.
 * Counts all possible packets. */
static enum failure_kind draw_targets(struct random_run *run, struct traffic *traffic,
                                      struct failure *failure)
{
    struct mesh mesh = run->routing->set->mesh;
    enum failure_kind kind = traffic_make(traffic, mesh, (struct traffic_way){0},
                                          run->layers * mesh_nodes(mesh), failure);
    for (uint32_t layer = 0; kind == FAIL_NONE && layer < run->layers; layer++) {
        struct mesh_permutation permutation;
        uint64_t stream = STREAM_GROUPS + LAYERS * run->drawn + layer;
        kind =
            mesh_permutation_make(&permutation, run->routing->options->seed, stream, mesh, failure);
        for (node_index node = 0; kind == FAIL_NONE && node < mesh_nodes(mesh); node++) {
            node_place from = mesh_place(mesh, node);
            traffic_add(traffic, from, mesh_permutation_at(&permutation, from));
        }
        struct resting at = resting_of(run->machine);
        while (kind == FAIL_NONE && resting_next(&at)) {
            node_place *target = &run->header->packet[at.packet].target;
            if (random_layer(run->header, at.packet) == layer)
                *target = mesh_permutation_at(&permutation, *target);
        }
        mesh_permutation_free(&permutation);
    }
    return kind;
}

static enum failure_kind group_by_permutation(struct random_run *run, struct failure *failure)
{
    char name[MACHINE_NAME_SIZE];
    struct traffic traffic;
    struct traffic_bounds bounds;
    enum failure_kind kind = draw_targets(run, &traffic, failure);
    if (kind == FAIL_NONE)
        kind = traffic_bound(&traffic, &bounds, failure);
    traffic_free(&traffic);
    snprintf(name, sizeof name, "scatter (phase %u)", run->phase);
    if (kind == FAIL_NONE)
        kind = traffic_route(run->machine, name, &bounds, false, failure);
    if (kind != FAIL_NONE)
        return kind;
    snprintf(name, sizeof name, "take seats (phase %u)", run->phase);
    machine_begin_phase(run->machine, name);
    return random_settle(run, failure);
}

/* ---- Step 2 ---- */

/* header.state: the order of dimensions of a tree, and of a master that has put its slots for this
 * tile into the order of its tree. */
enum { COLUMN_FIRST = 16, STARTED = 32 };

static bool is_row_first(const struct headers *header, uint32_t packet)
{
    return !(header->packet[packet].state & COLUMN_FIRST);
}

static uint8_t tree_state(const struct random_run *run, struct site site, uint32_t packet)
{
    return (site.row + site.col + random_layer(run->header, packet)) % 2 == 0 ? 0 : COLUMN_FIRST;
}

/* Returns the master's slots for this tile as a packet of their own, named by the last of them. */
static uint32_t front_of(struct random_run *run, uint32_t packet, uint32_t count)
{
    struct headers *header = run->header;
    uint32_t first = header->packet[packet].first, front = first + count - 1;
    header->packet[front].first = first;
    return front;
}

static unsigned master_outputs(struct random_run *run, struct site site, uint32_t packet)
{
    struct headers *header = run->header;
    if (!random_may_send(run, site, packet))
        return OUT_HOLD;
    bool started = header->packet[packet].state & STARTED;
    uint32_t count =
        started ? random_slots_here(run, site, packet) : random_find_slots(run, site, packet);
    if (count == 0)
        return OUT_HOLD;
    uint8_t state = tree_state(run, site, packet);
    uint32_t front = front_of(run, packet, count);
    if (!started) {
        tree_start(header, site, front, !(state & COLUMN_FIRST));
        header->packet[packet].state |= STARTED | state;
    }
    unsigned outputs = tree_outputs(header, site, front, is_row_first(header, packet));
    if (front != packet)
        return outputs | OUT_AGAIN;
    header->packet[packet].state = state; /* no longer a master */
    return outputs;
}

static unsigned outputs(struct random_run *run, struct site site, uint32_t packet)
{
    if (random_is_master(run->header, packet))
        return master_outputs(run, site, packet);
    return tree_outputs(run->header, site, packet, is_row_first(run->header, packet));
}

static uint32_t take(struct random_run *run, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = run->header;
    bool row_first = is_row_first(header, packet);
    if (!random_is_master(header, packet))
        return tree_take(header, site, packet, output, row_first);
    uint32_t front = front_of(run, packet, random_slots_here(run, site, packet));
    uint32_t taken = front;
    header->packet[front].state = header->packet[packet].state & COLUMN_FIRST;
    if (tree_outputs(header, site, front, row_first) != (unsigned)output)
        taken = tree_take(header, site, front, output, row_first);
    header->packet[packet].first = taken + 1;
    return taken;
}

static uint32_t stop(struct random_run *run, struct site site, uint32_t packet,
                     enum direction direction)
{
    (void)site;
    return tree_stop(run->header, packet, direction);
}

static uint64_t visit_steps(const struct random_run *run)
{
    return (run->routing->options->copy_is_free ? 2 : 3) * random_around(run) / 4;
}

static enum failure_kind visit(struct random_run *run, struct failure *failure)
{
    return random_send(run, visit_steps(run), failure);
}

static uint64_t drain_steps(const struct random_run *run)
{
    return random_around(run);
}

const struct random_variant random_direct = {
    .group = group_by_permutation,
    .goes_both_ways = true,
    .visit = visit,
    .visit_steps = visit_steps,
    .drain_steps = drain_steps,
    .outputs = outputs,
    .take = take,
    .stop = stop,
};

/* ---- the length of an attempt ---- */

/* Adds the phase that the mesh is cut for. */
static void add_direct(const struct random_run *run, struct random_length *length)
{
    struct mesh mesh = run->routing->set->mesh;
    uint64_t shift = random_shift_steps(run), settle = random_settle_steps(run);
    uint64_t round = run->cycle.count * (run->variant->visit_steps(run) + shift), drain = 0;
    uint64_t rounds = run->phase == run->last_phase ? run->rounds : 1;
    uint32_t drains = random_drain_rounds(run);
    uint64_t once = mesh.rows + mesh.cols - (run->layers == 1 ? 2 : 0) + settle + round - shift;
    for (uint32_t i = 0; i < drains; i++)
        drain += random_drain_steps(run, i);
    if (run->phase == 0) {
        length->planned += once + random_drain_steps(run, 0);
        length->syncs++;
    }
    length->most += once + (rounds - 1) * round + rounds * drain;
    length->most_syncs += rounds * drains;
    if (run->phase < run->last_phase)
        length->most += shift + settle;
}

enum failure_kind random_direct_length(const struct random_run *run, struct random_length *length,
                                       struct failure *failure)
{
    struct random_run cut = *run;
    struct lemma_length lemma = {0};
    uint32_t batches = run->routing->most_sent;
    enum failure_kind kind = FAIL_NONE;
    if (run->layers > 1)
        kind = lemma_steps(run->routing, &lemma, failure);
    *length =
        (struct random_length){lemma.planned, lemma.most, lemma.most_syncs > 0, lemma.most_syncs};
    for (cut.phase = 0; kind == FAIL_NONE && cut.phase <= cut.last_phase; cut.phase++) {
        kind = random_cut(&cut, failure);
        if (kind == FAIL_NONE)
            add_direct(&cut, length);
        random_uncut(&cut);
    }
    length->planned *= batches;
    length->most *= batches;
    length->syncs *= batches;
    length->most_syncs *= batches;
    return kind;
}

/* ---- choices ---- */

/* The choices of a run's first phase. */
struct random_choices {
    struct random_run run; /* its tiles, cycle and variant */
    struct mesh_permutation groups;
};

static struct handover handover(const void *own, node_place source, node_place destination)
{
    const struct random_choices *choices = own;
    const struct tile_cycle *cycle = &choices->run.cycle;
    node_place start = mesh_permutation_at(&choices->groups, source);
    struct seat seat = tile_cycle_seat(cycle, start);
    bool goes_forward = seat.goes_forward || !choices->run.variant->goes_both_ways;
    uint32_t from = tile_cycle_position(cycle, start), to = tile_cycle_position(cycle, destination);
    node_place home = tile_cycle_home(cycle, to, seat.cell);
    return (struct handover){.home = home,
                             .visit = tile_cycle_distance(cycle, from, to, goes_forward),
                             .group = 2 * from + !goes_forward,
                             .row_first = (place_row(home) + place_col(home)) % 2 == 0};
}

static void release(void *own)
{
    struct random_choices *choices = own;
    random_uncut(&choices->run);
    mesh_permutation_free(&choices->groups);
    free(own);
}

enum failure_kind random_direct_choose(const struct random_run *run, struct router_choices *choices,
                                       struct failure *failure)
{
    struct random_choices *own = memory_allocate(1, sizeof *own);
    if (own == NULL)
        return fail_memory(failure, "the choices of a router");
    *choices = (struct router_choices){.handover = handover, .own = own, .release = release};
    own->run = *run;
    enum failure_kind kind = random_cut(&own->run, failure);
    if (kind == FAIL_NONE)
        kind = mesh_permutation_make(&own->groups, run->routing->options->seed, STREAM_GROUPS,
                                     run->routing->set->mesh, failure);
    if (kind != FAIL_NONE)
        return kind;
    choices->tiles = &own->run.tiles;
    choices->visits = own->run.cycle.count;
    choices->groups = 2 * own->run.cycle.count;
    return FAIL_NONE;
}
