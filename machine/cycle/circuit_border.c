/* circuit_border.c - packets circulate on ranks: the stretches of ways in a rank's rows, and what crosses to the ranks
 * beside it.
 *
 * A way comes into a rank's rows and leaves them in several places; what lies between is a stretch. Its slots are a ring
 * that is one place longer than the stretch: a packet that comes takes the slot of the one that left a round ago.
 *   A round needs one message to each neighbour: for each link between them when its node is ready to pass it, by what
 * the rank knows, and the packet that leaves by it. A link is passed when both ends are ready, so the later of two
 * steps is the right one. Every few rounds the ranks add up how many packets are left, and when the clock moves they
 * agree how far.
 * Cost: 8 bytes a link to another rank in each message, beside the packets; 4 bytes for each group of places.
 */
#include "machine/border.h"
#include "machine/cycle/circuit_place.h"
#include "machine/tally_private.h"

#include <assert.h>
#include <stdlib.h>

/* ---- stretches ---- */

static bool is_own(const struct circuit_call *call, uint32_t number)
{
    const struct circuit *circuit = call->circuit;
    uint32_t row = place_row(circuit->place(circuit->context, number));
    return row >= call->machine->first_row && row < call->machine->end_row;
}

/* Adds a stretch of `length` own places of a way, the first of which is number `number` of the circuit. Before the list is
 * allocated it only counts. */
static void add_stretch(struct circuit_call *call, uint32_t way, uint32_t number, uint32_t length,
                        bool is_open)
{
    uint32_t first = call->places, begin = way * call->circuit->length;
    uint32_t before = number > begin ? number - 1 : number - 1 + call->circuit->length;
    call->places += length + is_open;
    if (call->stretch != NULL)
        call->stretch[call->stretches] = (struct circuit_stretch){
            first, length + is_open, is_open ? before : number, way, is_open};
    call->stretches++;
}

static void find_on_way(struct circuit_call *call, uint32_t way)
{
    uint32_t length = call->circuit->length, begin = way * length, gap = 0, own = 0;
    while (gap < length && is_own(call, begin + gap))
        gap++;
    if (gap == length)
        add_stretch(call, way, begin, length, false);
    for (uint32_t i = 1; gap < length && i <= length; i++) {
        uint32_t at = gap + i < length ? gap + i : gap + i - length;
        if (is_own(call, begin + at)) {
            own++;
            continue;
        }
        if (own > 0)
            add_stretch(call, way, begin + (at >= own ? at - own : at + length - own), own, true);
        own = 0;
    }
}

bool circuit_find_stretches(struct circuit_call *call)
{
    const struct circuit *circuit = call->circuit;
    for (uint32_t way = 0; way < circuit->ways; way++)
        find_on_way(call, way);
    call->stretch = memory_allocate(call->stretches + 1, sizeof *call->stretch);
    call->stretch_of = memory_allocate(call->places / CIRCUIT_GROUP + 1, sizeof *call->stretch_of);
    call->place = memory_allocate(call->places + 1, sizeof *call->place);
    if (call->stretch == NULL || call->stretch_of == NULL || call->place == NULL)
        return false;
    call->places = call->stretches = 0;
    for (uint32_t way = 0; way < circuit->ways; way++)
        find_on_way(call, way);
    for (uint32_t i = 0; i < call->stretches; i++)
        for (uint32_t place = call->stretch[i].first;
             place < call->stretch[i].first + call->stretch[i].size; place++) {
            if (place % CIRCUIT_GROUP == 0)
                call->stretch_of[place / CIRCUIT_GROUP] = i;
            call->place[place] = circuit->place(circuit->context, circuit_number(call, place));
        }
    return true;
}

bool circuit_find_crossings(struct circuit_call *call)
{
    const struct machine *machine = call->machine;
    uint32_t cols = machine->config.mesh.cols;
    for (enum rank_side side = 0; call->is_split && side < RANK_SIDES; side++) {
        uint32_t row = side == RANK_BEFORE ? machine->first_row : machine->end_row - 1;
        enum direction d = side == RANK_BEFORE ? NORTH : SOUTH;
        if (!border_has(machine, side))
            continue;
        call->crossing[side] = memory_allocate(cols, sizeof *call->crossing[side]);
        if (call->crossing[side] == NULL)
            return false;
        for (uint32_t col = 0; col < cols; col++) {
            uint32_t out = call->leaving[((size_t)row * cols + col) * DIRECTIONS + d];
            if (out != CIRCUIT_NO_PLACE)
                call->crossing[side][call->crossings[side]++] =
                    (struct circuit_crossing){out, call->ends[2 * (size_t)call->link[out] + 1]};
        }
    }
    return true;
}

void circuit_border_free(struct circuit_call *call)
{
    free(call->stretch_of);
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        free(call->crossing[side]);
}

/* ---- a round ---- */

/* What a message has for each link. */
struct hand_over {
    uint32_t step; /* in which it may be passed, by what this rank knows */
    /* The round in which the packet that leaves is due; DUE_NEVER: there is none. */
    uint32_t due;
};

static void send(struct circuit_call *call, enum rank_side side, uint32_t out)
{
    uint32_t slot = circuit_slot_at(call, out, call->round - 1);
    struct hand_over own = {circuit_step(call, call->link[out]), call->due.at[slot]};
    border_put(call->machine, side, &own, sizeof own);
    if (own.due == DUE_NEVER)
        return;
    border_put_packet(call->machine, side, call->packet[slot]);
    call->due.at[slot] = DUE_NEVER;
    call->gone[slot] = call->round;
    call->living[circuit_stretch_of(call, out)->way]--;
}

static void receive(struct circuit_call *call, enum rank_side side, uint32_t in)
{
    uint32_t slot = circuit_slot_at(call, in, call->round - 1);
    struct hand_over other;
    border_get(call->machine, side, &other, sizeof other);
    circuit_delay(call, call->link[in], other.step);
    if (other.due == DUE_NEVER || call->machine->rank_failure.kind != FAIL_NONE)
        return;
    uint32_t packet = border_get_packet(call->machine, side);
    if (packet == MACHINE_NONE)
        return;
    call->packet[slot] = packet;
    if (call->name != NULL)
        call->name[slot] = packet_name(&call->machine->header, packet);
    call->gone[slot] = DUE_NEVER;
    due_set(&call->due, slot, other.due);
    call->living[circuit_stretch_of(call, in)->way]++;
    if (call->peak[2].step >= call->round) /* else nobody looks at the list any more */
        call->alive[call->alive_slots++] = slot;
}

void circuit_cross_border(struct circuit_call *call)
{
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        for (uint32_t i = 0; i < call->crossings[side]; i++)
            send(call, side, call->crossing[side][i].out);
    border_exchange(call->machine);
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        for (uint32_t i = 0; i < call->crossings[side]; i++)
            receive(call, side, call->crossing[side][i].in);
}

/* ---- agreements ---- */

void circuit_agree_living(struct circuit_call *call)
{
    struct machine *machine = call->machine;
    call->living_anywhere = call->living[0] + call->living[1];
    ranks_sum(machine->config.ranks, &call->living_anywhere, 1, &machine->rank_failure);
    if (machine->rank_failure.kind != FAIL_NONE)
        call->living_anywhere = 0;
}

uint32_t circuit_agree_step(struct circuit_call *call, uint32_t step, bool is_latest)
{
    struct machine *machine = call->machine;
    uint64_t most[CIRCUIT_HELD + 2];
    for (uint32_t i = 0; i <= CIRCUIT_HELD; i++)
        most[i] = UINT64_MAX - ((uint64_t)call->peak[i].step << 32 | call->peak[i].node);
    most[CIRCUIT_HELD + 1] = is_latest ? step : UINT32_MAX - step;
    ranks_most(machine->config.ranks, most, CIRCUIT_HELD + 2, &machine->rank_failure);
    for (uint32_t i = 0; i <= CIRCUIT_HELD; i++) {
        uint64_t peak = UINT64_MAX - most[i];
        call->peak[i] = (struct peak){(uint32_t)(peak >> 32), (node_index)peak};
    }
    uint32_t agreed = (uint32_t)most[CIRCUIT_HELD + 1];
    return is_latest ? agreed : UINT32_MAX - agreed;
}
