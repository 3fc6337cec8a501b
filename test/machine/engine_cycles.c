/* engine_cycles.c - trials of machine_march and machine_circulate: packets on closed walks, which visit their
 * destinations in the order of the walk.
 */
#include "primitives/mesh_circuit.h"
#include "test/machine/engine_draw.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VISITS = 5 };

/* ---- marches: around blocks of nodes ---- */

struct march_call {
    struct side *side;
    struct mesh mesh;
    uint32_t width, height, hops; /* of a block */
    bool is_turned;               /* the last block is the first cycle */
};

/* The nodes of a block that are on its cycle: the first row east, then all columns but for that row, from the last one
 * back to the first, one down and the next up. So the cycle may cross a border between ranks many times. */
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

/* With more than two rows the columns must be even in number, so an odd one is left out; so are all rows behind the second
 * one of a single column. Of an odd last row a block has the first node, a cycle of its own, and no other. */
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

/* Blocks row by row, or from the last one back, so that cycles need not be in the order of columns. */
static struct march_cycle cycle_at(void *context, uint32_t cycle)
{
    const struct march_call *call = context;
    struct block block = block_at(call, call->is_turned ? cycles_of(call) - 1 - cycle : cycle);
    return (struct march_cycle){place_of(block.row, block.col), block.rows * block.cols, block.row,
                                block.row + block.rows};
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
    struct march march = {&call,          cycles_of(&call), cycle_at,  next_place,
                          hops_until_due, march_outputs,    march_take};
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

/* ---- circuits: along all nodes, both ways ---- */

enum { ON, BACK, BOTH_WAYS };

struct circuit_call {
    struct side *side;
    const struct mesh_circuit *circuit;
};

static node_index node_at(const struct circuit_call *call, node_place place)
{
    return place_row(place) * call->circuit->mesh.cols + place_col(place);
}

static node_place place_at(void *context, uint32_t number)
{
    return mesh_circuit_place(((const struct circuit_call *)context)->circuit, number);
}

static uint32_t begin(void *context, struct site site, uint32_t packet, bool split)
{
    const struct circuit_call *call = context;
    uint8_t way = call->side->header->packet[packet].state;
    if (split && way != BOTH_WAYS)
        return CIRCUIT_NO_PLACE;
    return mesh_circuit_home(call->circuit, split || way == ON ? ON : BACK, site_place(site));
}

/* header.target is the number of slots of the part that goes back. */
static uint32_t take(void *context, uint32_t packet)
{
    struct headers *header = ((const struct circuit_call *)context)->side->header;
    uint32_t part = packet - header->packet[packet].target;
    header->packet[part].first = header->packet[packet].first;
    header->packet[part].state = ON;
    header->packet[packet].first = part + 1;
    header->packet[packet].state = BACK;
    return part;
}

static uint32_t hops(void *context, uint32_t place, uint32_t packet)
{
    const struct circuit_call *call = context;
    const struct headers *header = call->side->header;
    node_place next = header->destination[header->packet[packet].first];
    uint32_t home = mesh_circuit_home(call->circuit, header->packet[packet].state, next);
    return mesh_circuit_links(call->circuit, place, home);
}

static enum failure_kind call_circulate(struct side *side, const void *how)
{
    struct circuit_call call = *(const struct circuit_call *)how;
    call.side = side;
    struct circuit circuit = {
        &call, call.circuit->ways, call.circuit->length, place_at, begin, take, hops};
    if (side->machine != NULL)
        return machine_circulate(side->machine, &circuit, &side->failure);
    model_circulate(side->model, &circuit);
    return side->model->failure.kind;
}

/* A packet for some nodes, on one side of the circuit or on both, in the order of each. */
static void inject_circulating(struct trial *trial, const struct circuit_call *call,
                               node_index node, node_index crowd)
{
    node_place place[MOST_VISITS], ordered[MOST_VISITS];
    uint32_t count = draw_destinations(trial, crowd, MOST_VISITS, place), on = 0, placed = 0;
    uint32_t way_of[MOST_VISITS], only = draw(trial, 4);
    node_place here = trial_place(trial, node);
    if (mesh_circuit_home(call->circuit, ON, here) == mesh_circuit_home(call->circuit, BACK, here))
        only = ON; /* both ways leave from one place */
    for (uint32_t i = 0; i < count; i++) {
        way_of[i] = only < BOTH_WAYS ? only : draw(trial, 2);
        on += way_of[i] == ON;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (node_at(call, place[i]) != node)
            continue;
        /* its own node is the first of the part that goes on, and never all of it */
        on -= way_of[i] == ON;
        way_of[i] = on == 0 ? BACK : ON;
        on += way_of[i] == ON;
    }
    for (unsigned way = ON; way <= BACK; way++)
        for (uint32_t distance = 0; distance < call->circuit->length; distance++)
            for (uint32_t i = 0; i < count; i++)
                if (way_of[i] == way &&
                    mesh_circuit_hops(call->circuit, way, here, place[i]) == distance)
                    ordered[placed++] = place[i];
    uint8_t state = on == count ? ON : on == 0 ? BACK : BOTH_WAYS;
    trial_inject(trial, node, count, ordered, count - on, state);
}

void circuit_trial(uint64_t seed, struct ranks *ranks)
{
    struct trial trial;
    draw_trial(&trial, seed, ranks, MOST_VISITS);
    if (mesh_nodes(trial.config.mesh) < 2)
        return;
    struct mesh_circuit circuit = mesh_circuit_of(trial.config.mesh);
    trial.config.buffer = draw(&trial, 2) * circuit.capacity;
    draw_attempt(&trial);
    trial.attempt.budget = 0;
    trial.attempt.discards = false;
    struct circuit_call call = {.circuit = &circuit};
    uint32_t load = draw_one_in(&trial, 3) ? 100 : 1 + draw(&trial, 99);
    node_index crowd = draw(&trial, trial_nodes(&trial));
    trial_begin(&trial);
    for (node_index node = 0; node < trial_nodes(&trial) && !trial.is_over; node++)
        if (draw(&trial, 100) < load)
            inject_circulating(&trial, &call, node, crowd);
    if (!trial.is_over)
        trial_call(&trial, "circulate", call_circulate, &call);
    trial_end(&trial);
}

/* A packet that goes on, or back, for the nodes so many places further that way. */
static void inject_on(struct trial *trial, const struct circuit_call *call, uint8_t way,
                      uint32_t from, const uint32_t *far, uint32_t count)
{
    node_place ordered[2];
    uint32_t first = way * call->circuit->length;
    for (uint32_t i = 0; i < count; i++)
        ordered[i] =
            mesh_circuit_place(call->circuit, first + (from + far[i]) % call->circuit->length);
    trial_inject(trial, node_at(call, mesh_circuit_place(call->circuit, first + from)), count,
                 ordered, trial->slots + count, way);
}

/* One copy, and packets that all go one way and meet for the first time many rounds after it. */
void late_circuit_trial(uint64_t seed, struct ranks *ranks)
{
    struct trial trial;
    draw_trial(&trial, seed, ranks, 2);
    trial.config.mesh = (struct mesh){20, 20};
    trial.config.slots = 16;
    trial.config.copy_is_free = false;
    struct mesh_circuit circuit = mesh_circuit_of(trial.config.mesh);
    struct circuit_call call = {.circuit = &circuit};
    uint32_t leader[] = {150 + draw(&trial, 100), 395}, follower = 390;
    uint32_t behind = 400 - leader[0] - draw(&trial, 100), group = 2 + draw(&trial, 3);
    uint8_t way = (uint8_t)draw(&trial, 2);
    trial_begin(&trial);
    inject_on(&trial, &call, way, 0, leader, 2);
    for (uint32_t i = 0; i < group && !trial.is_over; i++)
        inject_on(&trial, &call, way, (behind + i) % 399 + 1, &follower, 1);
    if (!trial.is_over)
        trial_call(&trial, "circulate", call_circulate, &call);
    trial_end(&trial);
}
