/* draft.c - a message set in the making.
 *
 * Invariant: load[v] is the number of pairs that end at v, and at most the congestion. The set that
 * is made has one delivery for pairs that are alike, so its congestion is at most that, too.
 * Cost: O(1) a change; the maps and the set O(n + pairs).
 */
#include "search/draft.h"

#include <stdlib.h>
#include <string.h>

enum failure_kind draft_make(struct draft *draft, struct mesh mesh, uint32_t congestion,
                             uint32_t per_node, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(mesh), seats = nodes * per_node;
    *draft = (struct draft){.mesh = mesh,
                            .congestion = congestion < seats ? congestion : seats,
                            .per_node = per_node,
                            .load = memory_allocate(nodes, sizeof *draft->load)};
    if (per_node > 1)
        draft->sent = memory_allocate(nodes, sizeof *draft->sent);
    return draft->load != NULL && (per_node == 1 || draft->sent != NULL)
               ? FAIL_NONE
               : fail_memory(failure, "the loads of a set");
}

void draft_free(struct draft *draft)
{
    free(draft->from);
    free(draft->to);
    free(draft->load);
    free(draft->sent);
    *draft = (struct draft){0};
}

void draft_clear(struct draft *draft)
{
    draft->pairs = 0;
    draft->is_changed = draft->is_short = false;
    memset(draft->load, 0, mesh_nodes(draft->mesh) * sizeof *draft->load);
}

static bool make_room(struct draft *draft)
{
    size_t room = draft->room;
    uint32_t *from = memory_grow(draft->from, &room, draft->pairs + 1, sizeof *from);
    draft->from = from != NULL ? from : draft->from;
    node_index *to = memory_grow(draft->to, &draft->room, draft->pairs + 1, sizeof *to);
    draft->to = to != NULL ? to : draft->to;
    draft->is_short |= from == NULL || to == NULL;
    return !draft->is_short;
}

static bool put(struct draft *draft, uint32_t from, node_index to)
{
    if (!make_room(draft))
        return false;
    bool fits = draft->load[to] < draft->congestion;
    draft->from[draft->pairs] = from;
    draft->to[draft->pairs++] = fits ? to : MESH_NO_NODE;
    draft->load[to] += fits;
    return fits;
}

void draft_take(struct draft *draft, const struct message_set *set)
{
    draft_clear(draft);
    if (draft->sent != NULL)
        memset(draft->sent, 0, mesh_nodes(draft->mesh) * sizeof *draft->sent);
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t number = draft->sent == NULL ? 0 : draft->sent[set->source[i]]++;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            put(draft, set->source[i] * draft->per_node + number, set->destination[j]);
    }
}

bool draft_add(struct draft *draft, uint32_t from, node_index to)
{
    if (draft->load[to] >= draft->congestion || !put(draft, from, to))
        return false;
    draft->is_changed = true;
    return true;
}

bool draft_redirect(struct draft *draft, uint64_t pair, node_index to)
{
    node_index now = draft->to[pair];
    if (to == now || draft->load[to] >= draft->congestion)
        return false;
    if (now != MESH_NO_NODE)
        draft->load[now]--;
    draft->load[to]++;
    draft->to[pair] = to;
    draft->is_changed = true;
    return true;
}

void draft_remove(struct draft *draft, uint64_t pair)
{
    if (draft->to[pair] == MESH_NO_NODE)
        return;
    draft->load[draft->to[pair]]--;
    draft->to[pair] = MESH_NO_NODE;
    draft->is_changed = true;
}

void draft_exchange(struct draft *draft, uint64_t one, uint64_t other)
{
    node_index to = draft->to[one];
    draft->is_changed |= to != draft->to[other];
    draft->to[one] = draft->to[other];
    draft->to[other] = to;
}

void draft_map_sources(struct draft *draft, draft_map *map, const void *context)
{
    uint32_t per_node = draft->per_node;
    for (uint64_t i = 0; i < draft->pairs; i++)
        draft->from[i] = map(context, draft->mesh, draft->from[i] / per_node) * per_node +
                         draft->from[i] % per_node;
    draft->is_changed = true;
}

void draft_map_destinations(struct draft *draft, draft_map *map, const void *context)
{
    memset(draft->load, 0, mesh_nodes(draft->mesh) * sizeof *draft->load);
    for (uint64_t i = 0; i < draft->pairs; i++)
        if (draft->to[i] != MESH_NO_NODE) {
            draft->to[i] = map(context, draft->mesh, draft->to[i]);
            draft->load[draft->to[i]]++;
        }
    draft->is_changed = true;
}

enum failure_kind draft_set(struct draft *draft, struct message_set *set, struct failure *failure)
{
    uint64_t kept = 0;
    *set = (struct message_set){0};
    if (draft->is_short)
        return fail_memory(failure, "the deliveries of a set");
    for (uint64_t i = 0; i < draft->pairs; i++)
        if (draft->to[i] != MESH_NO_NODE) {
            draft->from[kept] = draft->from[i];
            draft->to[kept++] = draft->to[i];
        }
    draft->pairs = kept;
    return message_set_from_seats(set, shape_of_mesh(draft->mesh), draft->per_node, kept,
                                  draft->from, draft->to, failure);
}
