/* candidate.c - a message set in the making.
 *
 * Invariant: load[v] is the number of pairs that end at v, and at most the congestion. The
 * resulting set has one delivery for equal pairs, so its congestion is also at most that.
 * Cost: O(1) per change; the set O(n + pairs).
 */
#include "search/candidate.h"

#include <stdlib.h>
#include <string.h>

enum failure_kind candidate_make(struct candidate *candidate, struct mesh mesh, uint32_t congestion,
                                 uint32_t per_node, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(mesh), seats = nodes * per_node;
    *candidate = (struct candidate){.mesh = mesh,
                                    .congestion = congestion < seats ? congestion : seats,
                                    .per_node = per_node,
                                    .load = memory_allocate(nodes, sizeof *candidate->load)};
    if (per_node > 1)
        candidate->sent = memory_allocate(nodes, sizeof *candidate->sent);
    return candidate->load != NULL && (per_node == 1 || candidate->sent != NULL)
               ? FAIL_NONE
               : fail_memory(failure, "the loads of a set");
}

void candidate_free(struct candidate *candidate)
{
    free(candidate->from);
    free(candidate->to);
    free(candidate->load);
    free(candidate->sent);
    *candidate = (struct candidate){0};
}

void candidate_clear(struct candidate *candidate)
{
    candidate->pairs = 0;
    candidate->is_changed = candidate->is_short = false;
    memset(candidate->load, 0, mesh_nodes(candidate->mesh) * sizeof *candidate->load);
}

static bool make_room(struct candidate *candidate)
{
    size_t room = candidate->room;
    uint32_t *from = memory_grow(candidate->from, &room, candidate->pairs + 1, sizeof *from);
    candidate->from = from != NULL ? from : candidate->from;
    node_index *to = NULL; /* the room of both stays as it is, if the first one has not grown */
    if (from != NULL)
        to = memory_grow(candidate->to, &candidate->room, candidate->pairs + 1, sizeof *to);
    candidate->to = to != NULL ? to : candidate->to;
    candidate->is_short |= to == NULL;
    return to != NULL;
}

static bool put(struct candidate *candidate, uint32_t from, node_index to)
{
    if (!make_room(candidate))
        return false;
    bool fits = candidate->load[to] < candidate->congestion;
    candidate->from[candidate->pairs] = from;
    candidate->to[candidate->pairs++] = fits ? to : MESH_NO_NODE;
    candidate->load[to] += fits;
    return fits;
}

void candidate_take(struct candidate *candidate, const struct message_set *set)
{
    candidate_clear(candidate);
    if (candidate->sent != NULL)
        memset(candidate->sent, 0, mesh_nodes(candidate->mesh) * sizeof *candidate->sent);
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t number = candidate->sent == NULL ? 0 : candidate->sent[set->source[i]]++;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            put(candidate, set->source[i] * candidate->per_node + number, set->destination[j]);
    }
}

bool candidate_add(struct candidate *candidate, uint32_t from, node_index to)
{
    if (candidate->load[to] >= candidate->congestion || !put(candidate, from, to))
        return false;
    candidate->is_changed = true;
    return true;
}

bool candidate_redirect(struct candidate *candidate, uint64_t pair, node_index to)
{
    node_index now = candidate->to[pair];
    if (to == now || candidate->load[to] >= candidate->congestion)
        return false;
    if (now != MESH_NO_NODE)
        candidate->load[now]--;
    candidate->load[to]++;
    candidate->to[pair] = to;
    candidate->is_changed = true;
    return true;
}

void candidate_remove(struct candidate *candidate, uint64_t pair)
{
    if (candidate->to[pair] == MESH_NO_NODE)
        return;
    candidate->load[candidate->to[pair]]--;
    candidate->to[pair] = MESH_NO_NODE;
    candidate->is_changed = true;
}

void candidate_exchange(struct candidate *candidate, uint64_t one, uint64_t other)
{
    node_index to = candidate->to[one];
    candidate->is_changed |= to != candidate->to[other];
    candidate->to[one] = candidate->to[other];
    candidate->to[other] = to;
}

enum failure_kind candidate_set(struct candidate *candidate, struct message_set *set,
                                struct failure *failure)
{
    uint64_t kept = 0;
    *set = (struct message_set){0};
    if (candidate->is_short)
        return fail_memory(failure, "the deliveries of a set");
    for (uint64_t i = 0; i < candidate->pairs; i++)
        if (candidate->to[i] != MESH_NO_NODE) {
            candidate->from[kept] = candidate->from[i];
            candidate->to[kept++] = candidate->to[i];
        }
    candidate->pairs = kept;
    return message_set_from_seats(set, shape_of_mesh(candidate->mesh), candidate->per_node, kept,
                                  candidate->from, candidate->to, failure);
}
