/* march_lines.c - the lines of a march: cycles, or on ranks their parts in a rank's rows, and what crosses between these.
 *
 * Cost: on ranks a walk round each cycle that touches the rank's rows, twice; 16 bytes a line for the crossings.
 */
#include "machine/border.h"
#include "machine/cycle/march_private.h"
#include "machine/tally_private.h"

#include <assert.h>
#include <stdlib.h>

/* ---- lines ---- */

/* Adds a line of `nodes` own nodes of a cycle. Its first place is `start`, place `first` of the cycle; if the line is open
 * that is another rank's. Before the lines are allocated it only counts. */
static void add_line(struct march_call *call, const struct march_cycle *of, uint32_t cycle,
                     node_place start, uint32_t first, uint32_t nodes)
{
    bool is_open = nodes < of->length;
    uint32_t slots = nodes + is_open;
    if (call->line != NULL) {
        call->line[call->lines] = (struct march_line){
            .due = {slots, call->due + call->places, call->first_due + call->groups},
            .place = call->place + call->places,
            .packet = call->packet + call->places,
            .is_open = is_open,
            .cycle = cycle,
            .first = first,
            .length = of->length};
        call->line[call->lines].place[0] = start;
    }
    call->lines++;
    call->places += slots;
    call->groups += due_groups(slots);
}

static bool is_own(const struct march_call *call, node_place place)
{
    return place_row(place) >= call->machine->first_row &&
           place_row(place) < call->machine->end_row;
}

/* Adds the parts of a cycle that lie in the rank's rows. It begins at a place that does not. */
static void add_parts(struct march_call *call, const struct march_cycle *of, uint32_t cycle)
{
    const struct march *march = call->march;
    node_place at = of->start, before = at;
    uint32_t number = 0, nodes = 0;
    for (; is_own(call, at); number++)
        at = march->next(march->context, at);
    for (uint32_t i = 0; i < of->length; i++) {
        node_place next = march->next(march->context, at);
        if (!is_own(call, next)) {
            uint32_t first = (number + i + of->length - nodes) % of->length;
            if (nodes > 0)
                add_line(call, of, cycle, before, first, nodes);
            before = next;
            nodes = 0;
        } else {
            before = nodes == 0 ? at : before;
            nodes++;
        }
        at = next;
    }
}

static void add_cycle(struct march_call *call, uint32_t cycle)
{
    struct march_cycle of = call->march->cycle(call->march->context, cycle);
    const struct machine *machine = call->machine;
    assert(of.length > 0);
    if (of.first_row >= machine->first_row && of.end_row <= machine->end_row)
        add_line(call, &of, cycle, of.start, 0, of.length);
    else if (of.end_row > machine->first_row && of.first_row < machine->end_row)
        add_parts(call, &of, cycle);
}

static void add_cycles(struct march_call *call)
{
    call->lines = 0;
    call->places = call->groups = 0;
    for (uint32_t i = 0; i < call->march->cycles; i++)
        add_cycle(call, i);
}

bool march_prepare(struct march_call *call)
{
    struct machine *machine = call->machine;
    call->is_split = ranks_size(machine->config.ranks) > 1;
    add_cycles(call);
    call->line = memory_allocate(call->lines + (size_t)1, sizeof *call->line);
    call->place = memory_allocate(call->places + 1, sizeof *call->place);
    call->packet = memory_allocate(call->places + 1, sizeof *call->packet);
    call->due = memory_allocate(call->places + 1, sizeof *call->due);
    call->first_due = memory_allocate(call->groups + 1, sizeof *call->first_due);
    call->is_on = machine_allocate_nodes(machine, 1);
    if (call->is_split && !machine_observer_memory(machine, &call->orders, machine->config.threads,
                                                   sizeof *call->orders))
        return false;
    if (!call->line || !call->place || !call->packet || !call->due || !call->first_due ||
        !call->is_on)
        return false;
    add_cycles(call);
    return true;
}

void march_release(struct march_call *call)
{
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        free(call->border[side].out);
        free(call->border[side].in);
    }
    for (uint32_t i = 0; call->orders != NULL && i < call->machine->config.threads; i++)
        for (int group = 0; group < EVENT_GROUPS; group++)
            free(call->orders[i].order[group]);
    free(call->orders);
    free(call->line);
    free(call->place);
    free(call->packet);
    free(call->due);
    free(call->first_due);
    free(call->is_on);
}

/* ---- other ranks ---- */

static void send(struct march_call *call, enum rank_side side, struct march_line *line)
{
    uint32_t slots = line->due.slots, slot = (slots - (call->hop - 1) % slots + slots - 1) % slots;
    uint32_t due = line->due.at[slot];
    border_put(call->machine, side, &due, sizeof due);
    if (due == DUE_NEVER)
        return;
    border_put_packet(call->machine, side, line->packet[slot]);
    line->due.at[slot] = DUE_NEVER;
    line->packets--;
}

static void receive(struct march_call *call, enum rank_side side, struct march_line *line)
{
    uint32_t slots = line->due.slots, slot = (slots - (call->hop - 1) % slots) % slots, due;
    border_get(call->machine, side, &due, sizeof due);
    if (due == DUE_NEVER || call->machine->rank_failure.kind != FAIL_NONE)
        return;
    line->packet[slot] = border_get_packet(call->machine, side);
    if (line->packet[slot] == MACHINE_NONE)
        return;
    due_set(&line->due, slot, due);
    line->packets++;
}

void march_cross_border(struct march_call *call)
{
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        for (uint32_t i = 0; i < call->border[side].outs; i++)
            send(call, side, &call->line[call->border[side].out[i].line]);
    border_exchange(call->machine);
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        for (uint32_t i = 0; i < call->border[side].ins; i++)
            receive(call, side, &call->line[call->border[side].in[i].line]);
}

static int compare_crossings(const void *a, const void *b)
{
    const struct march_crossing *x = a, *y = b;
    return (x->col > y->col) - (x->col < y->col);
}

bool march_find_crossings(struct march_call *call)
{
    const struct march *march = call->march;
    uint32_t first_row = call->machine->first_row;
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        struct march_border *border = &call->border[side];
        border->out = memory_allocate(call->lines + (size_t)1, sizeof *border->out);
        border->in = memory_allocate(call->lines + (size_t)1, sizeof *border->in);
        if (border->out == NULL || border->in == NULL)
            return false;
    }
    for (uint32_t i = 0; i < call->lines; i++) {
        const struct march_line *line = &call->line[i];
        if (!line->is_open)
            continue;
        node_place from = line->place[0];
        node_place to = march->next(march->context, line->place[line->due.slots - 1]);
        struct march_border *in =
            &call->border[place_row(from) < first_row ? RANK_BEFORE : RANK_BEHIND];
        struct march_border *out =
            &call->border[place_row(to) < first_row ? RANK_BEFORE : RANK_BEHIND];
        in->in[in->ins++] = (struct march_crossing){place_col(from), i};
        out->out[out->outs++] = (struct march_crossing){place_col(to), i};
    }
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        struct march_border *border = &call->border[side];
        qsort(border->out, border->outs, sizeof *border->out, compare_crossings);
        qsort(border->in, border->ins, sizeof *border->in, compare_crossings);
    }
    return true;
}
