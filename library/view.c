/* view.c - follows a run by the events of its trace.
 *
 * Method: a packet is in the buffer of the node where it was injected or copied, or where it last
 * crossed to, until it ends (E), is discarded (R) or merged (G). Within a step a packet may arrive
 * at a node before another leaves it, so a node's peak and the fullest buffer are read when the
 * step is over: a later step is reported, or the run ends. Only blocks of nodes that packets
 * reached or left are read then.
 * Cost: O(1) per event; per step a look at each changed block and one number per block.
 */
#include "library/view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t NO_ROW = UINT64_MAX;

/* ---- buffers ---- */

/* Nodes of a block: 1 << BLOCK_BITS. */
enum { BLOCK_BITS = 6 };

static uint32_t blocks_of(struct mesh mesh)
{
    return ((mesh_nodes(mesh) - 1) >> BLOCK_BITS) + 1;
}

static void enter(struct view *view, node_index node)
{
    view->occupancy[node]++;
    view->is_changed[node >> BLOCK_BITS] = 1;
    view->row.packets++;
}

static void leave(struct view *view, node_index node)
{
    assert(view->occupancy[node] > 0);
    view->occupancy[node]--;
    view->is_changed[node >> BLOCK_BITS] = 1;
    view->row.packets--;
}

/* Measures, at the end of a step, the peaks of a block's nodes, and the block's fullest. */
static void measure_block(struct view *view, uint32_t block)
{
    uint32_t nodes = mesh_nodes(view->mesh), first = block << BLOCK_BITS, fullest = 0;
    uint32_t count = nodes - first < 1 << BLOCK_BITS ? nodes - first : 1 << BLOCK_BITS;
    const uint32_t *restrict occupancy = view->occupancy + first;
    uint32_t *restrict peak = view->peak + first;
    for (uint32_t i = 0; i < count; i++) {
        fullest = occupancy[i] > fullest ? occupancy[i] : fullest;
        peak[i] = occupancy[i] > peak[i] ? occupancy[i] : peak[i];
    }
    view->fullest[block] = fullest;
    view->is_changed[block] = 0;
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

/* Returns the contributions of a packet of a reduction besides its own. */
static uint32_t combined_with(const struct view *view, uint64_t packet)
{
    return packet < view->contributions ? view->combined[packet] : 0;
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
        view->row.delivered += 1 + combined_with(view, event->field[1]);
        leave(view, event->field[0]);
        break;
    case 'G':
        if (event->field[2] < view->contributions)
            view->combined[event->field[2]] += 1 + combined_with(view, event->field[1]);
        leave(view, event->field[0]);
        break;
    default: /* R */
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
    for (uint32_t block = 0, blocks = blocks_of(view->mesh); block < blocks; block++) {
        if (view->is_changed[block])
            measure_block(view, block);
        if (view->fullest[block] > view->row.fullest)
            view->row.fullest = view->fullest[block];
    }
    if (view->hops > view->row.busy)
        view->row.busy = view->hops;
    view->hops = 0;
    if (view->every > 0 && view->step % view->every == 0)
        give_row(view);
}

/* Opens step `step`; earlier ones are over, and nothing happened in those that were not
 * reported. */
static void open_step(struct view *view, uint64_t step)
{
    while (view->step < step) {
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
    for (size_t i = 0; i < count; i++)
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
                          .observer = {view, observe_events, observe_phase, NULL}};
    view->peak = memory_allocate(nodes, sizeof *view->peak);
    view->occupancy = memory_allocate(nodes, sizeof *view->occupancy);
    view->is_changed = memory_allocate(blocks_of(mesh), sizeof *view->is_changed);
    view->fullest = memory_allocate(blocks_of(mesh), sizeof *view->fullest);
    if (plan->every > 0 && plan->contributions > 0) {
        view->contributions = plan->contributions;
        view->combined = memory_allocate(plan->contributions, sizeof *view->combined);
    }
    bool whole = (view->combined || view->contributions == 0) && view->peak && view->occupancy &&
                 view->is_changed && view->fullest;
    for (int way = 0; plan->has_links && way < DIRECTIONS; way++)
        whole = (view->load[way] = memory_allocate(nodes, sizeof *view->load[way])) && whole;
    if (!whole) {
        view_free(view);
        return fail_memory(failure, "the view of the run");
    }
    return FAIL_NONE;
}

void view_free(struct view *view)
{
    free(view->peak);
    free(view->occupancy);
    free(view->is_changed);
    free(view->fullest);
    free(view->combined);
    for (int way = 0; way < DIRECTIONS; way++)
        free(view->load[way]);
    *view = (struct view){.every = 0};
}

void view_finish(struct view *view, uint64_t steps)
{
    open_step(view, steps);
    end_step(view);
    if (view->every > 0 && view->last_step != view->step)
        give_row(view);
}
