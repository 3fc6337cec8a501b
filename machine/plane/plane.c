/* plane.c - the resting packets as a plane of words: opening and closing it, and peaks.
 *
 * A word is key << 32 | name, so that one comparison of words orders packets by key and equal keys
 * by the packets' names; a node without a packet has all bits set, which is greater than every
 * packet (names are below 2^32 - 1). The packet's header stays where headers are: the word stands
 * for the packet, and moves only by the instructions on planes (plane.h).
 *
 * While the plane is open nothing rests and nothing is under way, so no other instruction finds a
 * packet to move; the packets still count as resting. `occupancy` is free for counting then.
 * Cost: 8 bytes per node, 13 bytes per position of a line, and 256 bytes per thread and position of
 * a line while the machine lives; O(1) per node to open and to close.
 */
#include "machine/plane/plane_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void plane_free(struct machine *machine)
{
    struct plane *plane = machine->plane;
    if (plane == NULL)
        return;
    for (uint32_t i = 0; plane->scratch != NULL && i < machine->config.threads; i++)
        free(plane->scratch[i]);
    free(plane->scratch);
    free(plane->pairing.target);
    free(plane->pairing.place);
    free(plane->pairing.side);
    free(plane->pairing.order);
    free(plane->pairing.cut);
    free(plane->opened);
    free(plane->before);
    if (plane->after != plane->word)
        free(plane->after);
    free(plane->word);
    free(plane->band);
    free(plane);
    machine->plane = NULL;
}

static const struct machine_part PLANE_PART = {.free = plane_free};

/* Allocates the memory of an observed run. Only rank 0 uses it, but memory uses room only where it
 * is written. */
static bool make_for_observer(struct machine *machine)
{
    struct plane *plane = machine->plane;
    plane->after = plane->word;
    return machine_observer_memory(machine, &plane->before, machine->nodes,
                                   sizeof *plane->before) &&
           (plane->band == NULL ||
            machine_observer_memory(machine, &plane->after, machine->nodes, sizeof *plane->after));
}

static enum failure_kind plane_make(struct machine *machine, struct failure *failure)
{
    struct plane *plane = memory_allocate(1, sizeof *plane);
    machine->plane = plane;
    if (plane != NULL) {
        plane->word = machine_allocate_nodes(machine, sizeof *plane->word);
        plane->scratch = memory_allocate(machine->config.threads, sizeof *plane->scratch);
    }
    bool whole = plane != NULL && plane->word && plane->scratch;
    if (!whole || !plane_make_parts(machine) || !make_for_observer(machine)) {
        plane_free(machine);
        return fail_memory(failure, "a plane of the nodes");
    }
    machine_register(machine, &PLANE_PART);
    return FAIL_NONE;
}

enum failure_kind plane_prepare_scratch(struct machine *machine, struct failure *failure)
{
    struct mesh mesh = machine->config.mesh;
    size_t longest = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    size_t size = PLANE_LANES * sizeof(uint64_t), count = 2 * (longest + 2 * PLANE_MARGIN + 1);
    for (uint32_t i = 0; i < machine->config.threads; i++) {
        void **scratch = &machine->plane->scratch[i];
        if (*scratch == NULL)
            *scratch = memory_allocate(count, size);
        if (*scratch == NULL)
            return fail_memory(failure, "the lines that a thread works on");
    }
    return FAIL_NONE;
}

enum failure_kind machine_open_plane(struct machine *machine,
                                     uint32_t (*key)(void *context, uint32_t packet), void *context,
                                     struct failure *failure)
{
    if (machine_steps_left(machine) == 0)
        return FAIL_VOID;
    assert(machine->travelling == 0);
    if (machine->plane == NULL && plane_make(machine, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct plane *plane = machine->plane;
    assert(!machine->has_open_plane);
    machine->has_open_plane = true;
    plane->pairing.is_on = false;
    plane->packets = plane->own_packets = 0;
    struct node_range nodes = machine_nodes(machine);
    for (node_index node = nodes.first; node < nodes.end; node++) {
        uint32_t packet = machine->resting_first[node];
        plane->word[node] = PLANE_EMPTY;
        if (packet == MACHINE_NONE)
            continue;
        assert(machine->next[packet] == MACHINE_NONE);
        uint32_t own = key != NULL ? key(context, packet) : machine->header.packet[packet].target;
        plane->word[node] = (uint64_t)own << 32 | packet_name(&machine->header, packet);
        if (plane->opened != NULL)
            plane->opened[plane->own_packets++] = packet;
        plane->packets++;
        machine->resting_first[node] = MACHINE_NONE;
    }
    enum failure_kind kind = machine_add_up(machine, &plane->packets, failure);
    machine->has_open_plane = kind == FAIL_NONE;
    return kind;
}

/* Sets the occupancy of the machine's nodes to their parked packets. */
static void count_aside(struct machine *machine)
{
    struct node_range own = machine_nodes(machine);
    size_t size = (own.end - own.first) * sizeof *machine->occupancy;
    if (machine->parked.most > 0)
        memcpy(machine->occupancy + own.first, machine->parked.count + own.first, size);
    else
        memset(machine->occupancy + own.first, 0, size);
}

enum failure_kind machine_close_plane(struct machine *machine, struct failure *failure)
{
    struct plane *plane = machine->plane;
    assert(plane != NULL && machine->has_open_plane);
    count_aside(machine);
    if (plane->band != NULL)
        plane_put_down(machine);
    for (uint32_t cell = 0; plane->band == NULL && cell < machine->nodes; cell++) {
        uint64_t word = plane->word[cell];
        if (word == PLANE_EMPTY)
            continue;
        /* not the cell itself where an instruction has failed */
        node_index node = plane_node_of_cell(machine, cell);
        machine_rest(machine, node, packet_of_name(&machine->header, (uint32_t)word));
        machine->occupancy[node]++;
    }
    machine->has_open_plane = false;
    return machine_rank_kept(machine, failure);
}

void machine_drop_plane(struct machine *machine)
{
    assert(machine->has_open_plane);
    machine->has_open_plane = false;
}

/* ---- rounds ---- */

/* True if a node may come to hold more packets than any did before: `most` of the plane, and the
 * parked ones. */
static bool may_be_new_peak(const struct machine *machine, uint32_t most)
{
    return machine->attempt.peak < most + machine->parked.most;
}

/* Takes the fullest buffer into the first tally if it may be a new peak: at the end of a step after
 * which no node holds more than `most` packets of the plane. */
static void look_for_peak(struct machine *machine, uint32_t most)
{
    if (!may_be_new_peak(machine, most))
        return;
    const struct plane *plane = machine->plane;
    const struct pairing *pairing = &plane->pairing;
    struct node_range own = machine_nodes(machine);
    bool crosses = plane->band != NULL && pairing->is_on && pairing->lines.are_columns;
    count_aside(machine);
    if (crosses)
        plane_begin_crossing(machine);
    for (uint32_t cell = own.first; cell < own.end; cell++)
        machine->occupancy[plane_node_of_cell(machine, cell)] += plane->word[cell] != PLANE_EMPTY;
    if (crosses)
        plane_end_crossing(machine);
    for (node_index node = own.first; node < own.end; node++)
        tally_occupancy(machine, &machine->tally[0], node);
}

/* ---- events ---- */

void plane_tell(struct machine *machine, uint64_t word, node_index from, node_index to)
{
    struct machine_event event = {{(uint32_t)word, from, to}, 'M'}; /* the word has the name */
    if (word == PLANE_EMPTY)
        event = (struct machine_event){{from, to, 0}, 'X'};
    tally_event(machine, &machine->tally[0], DEPARTURES, event);
}

void plane_tell_pair(struct machine *machine, uint32_t a, uint32_t b)
{
    const struct plane *plane = machine->plane;
    bool swaps = plane->after[a] != plane->before[a];
    node_index first = plane_node_of_cell(machine, a), second = plane_node_of_cell(machine, b);
    plane_tell(machine, swaps ? plane->before[a] : PLANE_EMPTY, first, second);
    plane_tell(machine, swaps ? plane->before[b] : PLANE_EMPTY, second, first);
}

/* ---- a run of rounds ---- */

/* Copies the words before a step; on several ranks those of all to rank 0, which reports the
 * step. */
static void note_plane(struct machine *machine)
{
    struct plane *plane = machine->plane;
    if (plane->band != NULL)
        plane_collect(machine, plane->word, plane->before);
    else
        memcpy(plane->before, plane->word, machine->nodes * sizeof *plane->word);
}

static void emit_step(struct machine *machine, const struct plane_program *program)
{
    struct plane *plane = machine->plane;
    if (plane->band != NULL)
        plane_collect(machine, plane->word, plane->after);
    if (machine->first_row == 0)
        program->tell(program->work);
}

enum failure_kind plane_run(struct machine *machine, const struct plane_program *program,
                            struct failure *failure)
{
    bool is_observed = machine->plane->before != NULL, is_silent = program->has_silent_rounds;
    uint32_t rounds = is_silent ? 2 : 1, done = 0; /* of a step; steps that are done */
    enum failure_kind kind = plane_prepare_scratch(machine, failure);
    while (kind == FAIL_NONE && done < program->steps &&
           (is_observed || may_be_new_peak(machine, program->most))) {
        if (is_silent)
            program->run(program->work, rounds * done, 1);
        if (is_observed)
            note_plane(machine);
        program->run(program->work, rounds * done + is_silent, 1);
        if (is_observed)
            emit_step(machine, program);
        look_for_peak(machine, program->most);
        kind = machine_end_step(machine, failure);
        done++;
    }
    uint32_t left = program->steps - done;
    if (kind == FAIL_NONE && (left > 0 || is_silent))
        program->run(program->work, rounds * done, rounds * left + is_silent);
    if (kind == FAIL_NONE && left > 0)
        kind = machine_end_steps(machine, left, failure);
    return kind;
}
