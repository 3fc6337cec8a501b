/* engine_cycles.c - trials of machine_march: packets on closed walks, which visit their
 * destinations in the order of the walk.
 */
#include "network/topology/topology.h"
#include "primitives/circuits.h"
#include "test/machine/engine_draw.h"

#include <check.h>

enum { MOST_VISITS = 5 };

/* ---- marches: around blocks of nodes ---- */

struct march_call {
    struct side *side;
    struct mesh mesh;
    uint32_t width, height, hops; /* of a block */
    bool is_turned;               /* the last block is the first cycle */
};

/* The nodes of a block that are on its cycle: the first row east, then all columns but for that
 * row, from the last one back to the first, one down and the next up. So the cycle may cross a
 * border between ranks many times. */
struct block {
    uint32_t row, col, rows, cols;
};

static uint32_t blocks_across(const struct march_call *call)
{
    return (call->mesh.cols + call->width - 1) / call->width;
}

static uint32_t cycles_of(const struct march_call *call)
{
    return (call->mesh.rows + call->height - 1) / call->height * blocks_across(call);
}

/* With more than two rows the columns must be even in number, so an odd one is left out; so are all
 * rows after the second one of a single column. Of an odd last row a block has the first node, a
 * cycle of its own, and no other. */
static struct block block_at(const struct march_call *call, uint32_t number)
{
    uint32_t across = blocks_across(call);
    struct block block = {.row = number / across * call->height,
                          .col = number % across * call->width};
    uint32_t rows = call->mesh.rows - block.row, cols = call->mesh.cols - block.col;
    block.rows = rows < call->height ? rows : call->height;
    block.cols = cols < call->width ? cols : call->width;
    if (block.rows > 2 && block.cols == 1)
        block.rows = 2;
    if (block.rows > 2)
        block.cols -= block.cols % 2;
    if (block.rows == 1)
        block.cols = 1;
    return block;
}

/* Blocks row by row, or from the last one back, so that cycles need not be in the order of
 * columns. */
static struct block block_of_cycle(const struct march_call *call, uint32_t cycle)
{
    return block_at(call, call->is_turned ? cycles_of(call) - 1 - cycle : cycle);
}

static struct march_cycle cycle_at(void *context, uint32_t cycle)
{
    struct block block = block_of_cycle(context, cycle);
    return (struct march_cycle){block.rows * block.cols, block.row, block.row + block.rows};
}

/* A node that is on no cycle is followed by itself. */
static node_place next_place(void *context, node_place place)
{
    const struct march_call *call = context;
    uint32_t row = place_row(place), col = place_col(place);
    struct block block =
        block_at(call, row / call->height * blocks_across(call) + col / call->width);
    uint32_t down = row - block.row, across = col - block.col;
    if (block.rows == 1 || down >= block.rows || across >= block.cols)
        return place;
    if (down == 0)
        return across + 1 < block.cols ? place_of(row, col + 1) : place_of(row + 1, col);
    bool goes_down = (block.cols - 1 - across) % 2 == 0;
    if (goes_down && down + 1 < block.rows)
        return place_of(row + 1, col);
    return across == 0 || (!goes_down && down > 1) ? place_of(row - 1, col)
                                                   : place_of(row, col - 1);
}

static node_place place_on_cycle(void *context, uint32_t cycle, uint32_t number)
{
    struct block block = block_of_cycle(context, cycle);
    node_place place = place_of(block.row, block.col);
    while (number-- > 0)
        place = next_place(context, place);
    return place;
}

/* A packet that has delivered all it can looks around every third hop. */
static uint32_t hops_until_due(void *context, node_place place, uint32_t packet)
{
    const struct march_call *call = context;
    const struct headers *header = call->side->header;
    node_place next = header->destination[header->packet[packet].first];
    uint32_t hops = 0;
    if (next == MACHINE_NO_PLACE)
        return 3;
    for (; place != next; hops++)
        place = next_place(context, place);
    return hops;
}

static unsigned march_outputs(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = ((const struct march_call *)context)->side->header;
    uint32_t first = header->packet[packet].first;
    if (header->destination[first] != site_place(site))
        return OUT_HOLD;
    if (first < packet)
        return OUT_EJECT | OUT_HOLD;
    return header->packet[packet].state & VANISHES ? OUT_DISCARD : OUT_EJECT;
}

static uint32_t march_take(void *context, struct site site, uint32_t packet, enum output output)
{
    (void)site, (void)output;
    return ((const struct march_call *)context)->side->header->packet[packet].first++;
}

static enum failure_kind call_march(struct side *side, const void *how)
{
    struct march_call call = *(const struct march_call *)how;
    call.side = side;
    struct march march = {&call,          cycles_of(&call), cycle_at,   place_on_cycle,
                          hops_until_due, march_outputs,    march_take, NULL};
    if (side->machine == NULL) {
        model_march(side->model, &march, call.hops);
        return side->model->failure.kind;
    }
    return machine_march(side->machine, &march, call.hops, &side->failure);
}

/* A packet for nodes of its cycle, in their order; it may stay when all is delivered. */
static void inject_marcher(struct trial *trial, struct march_call *call, node_index node)
{
    node_place visit[MOST_VISITS + 1], start = trial_place(trial, node), place = start;
    uint32_t count = 0, most = 1 + draw(trial, MOST_VISITS);
    if (next_place(call, start) == start)
        return; /* on a cycle of one node nothing may be due later, and elsewhere it would rest */
    do {
        if (count < most && draw_one_in(trial, 3))
            visit[count++] = place;
        place = next_place(call, place);
    } while (place != start);
    if (count == 0 || draw_one_in(trial, 4))
        visit[count++] = MACHINE_NO_PLACE;
    trial_inject(trial, node, count, visit, start, draw_one_in(trial, 4) ? VANISHES : 0);
}

static void set_some_aside(struct trial *trial, uint32_t most)
{
    node_place nowhere = MACHINE_NO_PLACE;
    for (node_index node = 0; node < trial_nodes(trial) && !trial->is_over; node++)
        for (uint32_t left = draw(trial, most + 1); left > 0 && !trial->is_over; left--)
            trial_inject(trial, node, 1, &nowhere, 0, 0);
    if (!trial->is_over)
        trial_set_aside(trial, 1);
}

void march_trial(uint64_t seed, struct ranks *ranks)
{
    struct trial trial;
    draw_trial(&trial, seed, ranks, MOST_VISITS + 3);
    struct march_call call = {.mesh = trial.config.mesh,
                              .width = 1 + draw(&trial, 40),
                              .height = 2 + (draw(&trial, 2) ? draw(&trial, 6) : 0),
                              .is_turned = draw(&trial, 2) == 1};
    uint32_t load = draw_one_in(&trial, 3) ? 100 : 1 + draw(&trial, 99);
    trial.config.buffer = draw(&trial, 3) > 0 ? 0 : 1 + draw(&trial, 4);
    trial.config.most_steps = draw_one_in(&trial, 8) ? 1 + draw(&trial, 100) : 0;
    draw_attempt(&trial);
    if (trial.attempt.discards)
        trial.config.buffer = 1 + draw(&trial, 2);
    trial_begin(&trial);
    if (draw(&trial, 2))
        set_some_aside(&trial, 2);
    for (node_index node = 0; node < trial_nodes(&trial) && !trial.is_over; node++)
        if (draw(&trial, 100) < load)
            inject_marcher(&trial, &call, node);
    for (int i = 0; i < 4 && !trial.is_over; i++) {
        call.hops = draw_one_in(&trial, 4) ? 0 : draw(&trial, 3 * call.width + 3);
        trial_call(&trial, "march", call_march, &call);
        if (!trial.is_over && trial_model(&trial)->aside_levels > 0 && draw_one_in(&trial, 4))
            break;
    }
    trial_end(&trial);
}

/* ---- two ways: along all nodes, forward and back, or along each part of a broken mesh ---- */

enum { ON, BACK, BOTH_WAYS };

struct ways_call {
    struct side *side;
    const struct circuits *circuits;
    bool copies_nothing;
};

static node_index node_at(const struct ways_call *call, node_place place)
{
    return place_row(place) * call->circuits->all.mesh.cols + place_col(place);
}

static const struct mesh_circuit *circuit_of(const struct ways_call *call, uint32_t cycle)
{
    return circuits_of_part(call->circuits, cycle / 2);
}

static struct march_cycle way_at(void *context, uint32_t cycle)
{
    const struct mesh_circuit *circuit = circuit_of(context, cycle);
    struct march_cycle rows = {circuit->length, UINT32_MAX, 0};
    for (uint32_t i = 0; i < circuit->length; i++) {
        uint32_t row = place_row(mesh_circuit_place(circuit, i));
        rows.first_row = min_u32(rows.first_row, row);
        rows.end_row = max_u32(rows.end_row, row + 1);
    }
    return rows;
}

static node_place place_on_way(void *context, uint32_t cycle, uint32_t number)
{
    const struct mesh_circuit *circuit = circuit_of(context, cycle);
    return mesh_circuit_place(circuit, cycle % 2 * circuit->length + number);
}

static uint32_t begin(void *context, uint32_t cycle, struct site site, uint32_t packet)
{
    const struct ways_call *call = context;
    const struct mesh_circuit *circuit = circuit_of(call, cycle);
    uint8_t state = call->side->header->packet[packet].state;
    uint32_t way = cycle % 2;
    if (way != (state == BACK ? BACK : ON))
        return MARCH_NO_PLACE;
    return mesh_circuit_home(circuit, way, site_place(site)) - way * circuit->length;
}

/* header.target is the number of slots of the part that goes back. */
static uint32_t split(void *context, uint32_t packet)
{
    struct headers *header = ((const struct ways_call *)context)->side->header;
    if (header->packet[packet].state != BOTH_WAYS)
        return MACHINE_NONE;
    uint32_t part = packet - header->packet[packet].target;
    header->packet[part].first = header->packet[packet].first;
    header->packet[part].state = ON;
    header->packet[packet].first = part + 1;
    header->packet[packet].state = BACK;
    return part;
}

static uint32_t hops_on_way(void *context, node_place place, uint32_t packet)
{
    const struct ways_call *call = context;
    const struct headers *header = call->side->header;
    return mesh_circuit_hops(circuits_at(call->circuits, place), header->packet[packet].state,
                             place, header->destination[header->packet[packet].first]);
}

static unsigned way_outputs(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = ((const struct ways_call *)context)->side->header;
    uint32_t first = header->packet[packet].first;
    if (header->destination[first] != site_place(site))
        return OUT_HOLD;
    return first < packet ? OUT_EJECT | OUT_HOLD : OUT_EJECT;
}

static uint32_t way_take(void *context, struct site site, uint32_t packet, enum output output)
{
    (void)site, (void)output;
    return ((const struct ways_call *)context)->side->header->packet[packet].first++;
}

static enum failure_kind call_two_ways(struct side *side, const void *how)
{
    struct ways_call call = *(const struct ways_call *)how;
    struct march_paths paths = {begin, split, call.copies_nothing};
    call.side = side;
    uint32_t parts = call.circuits->parts, hops = 2 * mesh_nodes(call.circuits->all.mesh);
    struct march march = {
        &call, parts > 0 ? 2 * parts : 2, way_at, place_on_way, hops_on_way, way_outputs, way_take,
        &paths};
    if (side->machine != NULL)
        return machine_march(side->machine, &march, hops, &side->failure);
    model_march(side->model, &march, hops);
    return side->model->failure.kind;
}

/* Keeps the places in the part of a node, and returns how many. */
static uint32_t keep_part(const struct ways_call *call, node_index node, uint32_t count,
                          node_place *place)
{
    const uint32_t *part = call->circuits->part;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (part == NULL || part[node_at(call, place[i])] == part[node])
            place[kept++] = place[i];
    return part == NULL || part[node] < call->circuits->parts ? kept : 0;
}

/* A packet for some nodes, on one side of the circuit or on both, in the order of each. */
static void inject_on_ways(struct trial *trial, const struct ways_call *call, node_index node,
                           node_index crowd)
{
    node_place place[MOST_VISITS], ordered[MOST_VISITS];
    uint32_t most = call->copies_nothing ? 1 : MOST_VISITS;
    uint32_t drawn = draw_destinations(trial, crowd, most, place), on = 0, placed = 0;
    uint32_t way_of[MOST_VISITS], only = draw(trial, 4),
                                  count = keep_part(call, node, drawn, place);
    node_place here = trial_place(trial, node);
    if (count == 0)
        return;
    const struct mesh_circuit *circuit = circuits_at(call->circuits, here);
    for (uint32_t i = 0; i < count; i++) {
        way_of[i] = call->circuits->is_one_way ? ON : only < BOTH_WAYS ? only : draw(trial, 2);
        if (mesh_circuit_hops(circuit, way_of[i], here, place[i]) >= circuit->length)
            way_of[i] = ON + BACK - way_of[i]; /* the end of a row comes first */
        on += way_of[i] == ON;
    }
    for (uint32_t i = 0; i < count; i++)
        if (node_at(call, place[i]) == node && way_of[i] == ON && (on == 1 || on < count)) {
            way_of[i] = BACK; /* nothing is due to the part that goes on where it begins */
            on--;
        }
    for (unsigned way = ON; way <= BACK; way++)
        for (uint32_t distance = 0; distance < circuit->length; distance++)
            for (uint32_t i = 0; i < count; i++)
                if (way_of[i] == way && mesh_circuit_hops(circuit, way, here, place[i]) == distance)
                    ordered[placed++] = place[i];
    uint8_t state = on == count ? ON : on == 0 ? BACK : BOTH_WAYS;
    trial_inject(trial, node, count, ordered, count - on, state);
}

/* Makes the circuits of the mesh, or of what remains without some links in both directions. */
static void draw_circuits(struct trial *trial, bool at_once, struct circuits *circuits)
{
    struct mesh mesh = trial->config.mesh;
    struct shape shape = {TOPOLOGY_MESH, 2, {mesh.cols, mesh.rows}};
    struct topology topology = topology_of_shape(&shape);
    struct topology_faults faults;
    struct failure failure = {0};
    uint32_t chance = draw(trial, 2) == 0 ? 0 : 1 + draw(trial, 60);
    ck_assert(topology_faults_make(&faults, &topology));
    for (uint64_t link = 0; link < topology.links; link++)
        faults.is_missing[link] = draw(trial, 100) < chance;
    bool is_broken = topology_break_by(&topology, &faults, &failure) == FAIL_NONE &&
                     topology_is_broken(&topology);
    ck_assert_int_eq(circuits_make(circuits, mesh, is_broken ? &topology : NULL, at_once, &failure),
                     FAIL_NONE);
    topology_faults_free(&faults);
    topology_free(&topology);
}

void two_ways_trial(uint64_t seed, struct ranks *ranks)
{
    struct trial trial;
    struct circuits circuits;
    draw_trial(&trial, seed, ranks, MOST_VISITS);
    if (mesh_nodes(trial.config.mesh) < 2)
        return;
    bool copies_nothing = draw_one_in(&trial, 6);
    draw_circuits(&trial, trial.config.copy_is_free || copies_nothing, &circuits);
    trial.config.buffer = draw(&trial, 2) * circuits.all.capacity;
    trial.config.most_steps = draw_one_in(&trial, 8) ? 1 + draw(&trial, 100) : 0;
    draw_attempt(&trial);
    trial.attempt.discards = false;
    struct ways_call call = {.circuits = &circuits, .copies_nothing = copies_nothing};
    uint32_t load = draw_one_in(&trial, 3) ? 100 : 1 + draw(&trial, 99);
    node_index crowd = draw(&trial, trial_nodes(&trial));
    trial_begin(&trial);
    for (node_index node = 0; node < trial_nodes(&trial) && !trial.is_over; node++)
        if (draw(&trial, 100) < load)
            inject_on_ways(&trial, &call, node, crowd);
    if (!trial.is_over)
        trial_call(&trial, "march", call_two_ways, &call);
    trial_end(&trial);
    circuits_free(&circuits);
}
