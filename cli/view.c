/* view.c - keeps the books of a run from the events of its trace.
 *
 * Method: a packet is in the buffer of the node where it was injected or copied, or where it last
 * crossed to, until it ends (E), is discarded (R) or merged (G). Within a step a packet may come to
 * a node before another leaves it, so a node's peak and the fullest buffer are taken when the step
 * is over: a later step is told, or the run ends. The nodes to look at are those that packets came
 * to. How many nodes hold k packets is counted for each k, so the largest k is found without a look
 * at the mesh: it rises by one an event at most, and falls no more than it rose.
 * Cost: O(1) an event, O(1) a step.
 */
#include "cli/view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t NO_ROW = UINT64_MAX;

/* ---- buffers ---- */

static bool make_room(struct view *view, uint32_t packets)
{
    if (packets < view->room)
        return true;
    size_t room = 2 * (size_t)packets + 16;
    uint64_t *grown = memory_resize(view->nodes_with, room, sizeof *grown);
    if (grown == NULL) {
        view->out_of_memory = true;
        return false;
    }
    memset(grown + view->room, 0, (room - view->room) * sizeof *grown);
    view->nodes_with = grown;
    view->room = room;
    return true;
}

static void enter(struct view *view, node_index node)
{
    uint32_t packets = ++view->occupancy[node];
    if (!make_room(view, packets))
        return;
    view->nodes_with[packets - 1]--;
    view->nodes_with[packets]++;
    if (packets > view->fullest)
        view->fullest = packets;
    if (!view->is_entered[node]) {
        view->is_entered[node] = 1;
        view->entered[view->entries++] = node;
    }
    view->row.packets++;
}

static void leave(struct view *view, node_index node)
{
    assert(view->occupancy[node] > 0);
    uint32_t packets = view->occupancy[node]--;
    view->nodes_with[packets]--;
    view->nodes_with[packets - 1]++;
    view->row.packets--;
}

static void cross(struct view *view, node_index from, node_index to)
{
    uint32_t cols = view->mesh.cols;
    enum direction way = to == from + cols   ? SOUTH
                         : from == to + cols ? NORTH
                         : to > from         ? EAST
                                             : WEST;
    leave(view, from);
    enter(view, to);
    view->row.packet_hops++;
    view->hops++;
    if (view->load[way] != NULL)
        view->load[way][from]++;
}

static void take_event(struct view *view, const struct machine_event *event)
{
    switch (event->kind) {
    case 'M':
        cross(view, event->field[1], event->field[2]);
        break;
    case 'X':
        view->row.word_hops++;
        view->hops++;
        break;
    case 'I':
    case 'C':
        enter(view, event->field[0]);
        break;
    case 'D':
        view->row.delivered++;
        break;
    case 'E':
        view->row.delivered++;
        leave(view, event->field[0]);
        break;
    default: /* R and G */
        leave(view, event->field[0]);
    }
}

/* ---- steps ---- */

static void give_row(struct view *view)
{
    view->row.step = view->step;
    view->take(view->take_context, &view->row);
    view->last_step = view->step;
    view->row.fullest = view->row.busy = view->row.packet_hops = view->row.word_hops = 0;
}

static void end_step(struct view *view)
{
    for (uint32_t i = 0; i < view->entries; i++) {
        node_index node = view->entered[i];
        view->is_entered[node] = 0;
        if (view->occupancy[node] > view->peak[node])
            view->peak[node] = view->occupancy[node];
    }
    view->entries = 0;
    while (view->fullest > 0 && view->nodes_with[view->fullest] == 0)
        view->fullest--;
    if (view->fullest > view->row.fullest)
        view->row.fullest = view->fullest;
    if (view->hops > view->row.busy)
        view->row.busy = view->hops;
    view->hops = 0;
    if (view->every > 0 && view->step % view->every == 0)
        give_row(view);
}

/* Opens step `step`; those before it are over, and nothing happened in those that nobody told of. */
static void open_step(struct view *view, uint64_t step)
{
    while (view->step < step && !view->out_of_memory) {
        end_step(view);
        view->step = view->every > 0 ? view->step + 1 : step;
        memcpy(view->row.phase, view->next_phase, sizeof view->row.phase);
    }
}

static void observe_events(void *context, uint64_t step, const struct machine_event *event,
                           size_t count)
{
    struct view *view = context;
    open_step(view, step);
    for (size_t i = 0; i < count && !view->out_of_memory; i++)
        take_event(view, &event[i]);
}

static void observe_phase(void *context, uint64_t step, const char *name)
{
    struct view *view = context;
    open_step(view, step);
    snprintf(view->next_phase, sizeof view->next_phase, "%s", name);
}

/* ---- life ---- */

enum failure_kind view_make(struct view *view, struct mesh mesh, const struct view_plan *plan,
                            struct failure *failure)
{
    uint32_t nodes = mesh_nodes(mesh);
    *view = (struct view){.mesh = mesh,
                          .last_step = NO_ROW,
                          .row = {.phase = "start"},
                          .next_phase = "start",
                          .every = plan->every,
                          .take = plan->take,
                          .take_context = plan->take_context,
                          .observer = {view, observe_events, observe_phase}};
    view->peak = memory_allocate(nodes, sizeof *view->peak);
    view->occupancy = memory_allocate(nodes, sizeof *view->occupancy);
    view->entered = memory_allocate(nodes, sizeof *view->entered);
    view->is_entered = memory_allocate(nodes, sizeof *view->is_entered);
    bool whole = view->peak && view->occupancy && view->entered && view->is_entered;
    for (int way = 0; plan->has_links && way < DIRECTIONS; way++)
        whole = (view->load[way] = memory_allocate(nodes, sizeof *view->load[way])) && whole;
    if (!whole || !make_room(view, 0)) {
        view_free(view);
        return fail_memory(failure, "the view of the run");
    }
    view->nodes_with[0] = nodes;
    return FAIL_NONE;
}

void view_free(struct view *view)
{
    free(view->peak);
    free(view->occupancy);
    free(view->entered);
    free(view->is_entered);
    free(view->nodes_with);
    for (int way = 0; way < DIRECTIONS; way++)
        free(view->load[way]);
    *view = (struct view){.every = 0};
}

enum failure_kind view_finish(struct view *view, uint64_t steps, struct failure *failure)
{
    open_step(view, steps);
    if (view->out_of_memory)
        return fail_memory(failure, "the view of the run");
    end_step(view);
    if (view->every > 0 && view->last_step != view->step)
        give_row(view);
    return FAIL_NONE;
}

bool view_has_link(struct mesh mesh, uint32_t row, uint32_t col, enum direction direction)
{
    return direction == NORTH   ? row > 0
           : direction == SOUTH ? row + 1 < mesh.rows
           : direction == WEST  ? col > 0
                                : col + 1 < mesh.cols;
}
