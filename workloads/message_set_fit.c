/* message_set_fit.c - the order of sources, and what of a set the mesh machine or a topology takes.
 *
 * Cost: a sort of the messages, and a second copy of the set while it is put in order.
 */
#include "workloads/message_set.h"

#include <stdlib.h>
#include <string.h>

struct placed {
    node_index source;
    uint32_t message;
};

/* By source; messages of one source stay in their order. */
static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->message < b->message ? -1 : 1;
}

static void find_repeated(const struct placed *placed, uint32_t messages, uint32_t repeated[2])
{
    repeated[0] = repeated[1] = UINT32_MAX;
    for (uint32_t i = 1; i < messages; i++)
        if (placed[i].source == placed[i - 1].source && placed[i].message < repeated[1]) {
            repeated[0] = placed[i - 1].message;
            repeated[1] = placed[i].message;
        }
}

/* Copies the messages of `set` into `sorted`, which has room. */
static void copy_placed(const struct message_set *set, const struct placed *placed,
                        struct message_set *sorted)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t first = set->offset[placed[i].message];
        uint64_t count = set->offset[placed[i].message + 1] - first;
        sorted->source[i] = placed[i].source;
        sorted->offset[i] = end;
        if (set->length != NULL)
            sorted->length[i] = set->length[placed[i].message];
        memcpy(sorted->destination + end, set->destination + first, count * sizeof(node_index));
        end += count;
    }
}

enum failure_kind message_set_sort_sources(struct message_set *set, uint32_t repeated[2],
                                           struct failure *failure)
{
    struct message_set sorted = {0};
    struct placed *placed = memory_allocate(set->messages, sizeof *placed);
    if (placed == NULL)
        return fail_memory(failure, "sorting the messages of a set");
    for (uint32_t i = 0; i < set->messages; i++)
        placed[i] = (struct placed){set->source[i], i};
    qsort(placed, set->messages, sizeof *placed, compare_placed);
    find_repeated(placed, set->messages, repeated);
    enum failure_kind kind = FAIL_NONE;
    if (repeated[1] != UINT32_MAX)
        goto done;
    kind = message_set_allocate(&sorted, set->shape, set->messages, set->deliveries, failure);
    if (kind != FAIL_NONE)
        goto done;
    if (set->length != NULL) {
        sorted.length = memory_allocate(set->messages, sizeof *sorted.length);
        if (sorted.length == NULL) {
            message_set_free(&sorted);
            kind = fail_memory(failure, "sorting the messages of a set");
            goto done;
        }
    }
    sorted.lacks_end = set->lacks_end;
    copy_placed(set, placed, &sorted);
    message_set_free(set);
    *set = sorted;
done:
    free(placed);
    return kind;
}

enum failure_kind message_set_fit_machine(struct message_set *set, const char *name,
                                          struct failure *failure)
{
    static const char remedy[] = "'meshcast network' takes such sets";
    char shape[TOPOLOGY_TEXT_SIZE];
    uint32_t repeated[2];
    shape_text(&set->shape, shape);
    if (message_set_version(set) == 1)
        return FAIL_NONE;
    if (set->mesh.rows == 0)
        return fail(failure, FAIL_INPUT,
                    "%.200s: expected a mesh of two dimensions with sides of at most %d, which the "
                    "mesh machine has, found %s; %s",
                    name, MESH_MAX_SIDE, shape, remedy);
    for (uint32_t i = 0; set->length != NULL && i < set->messages; i++)
        if (set->length[i] > 1)
            return fail(failure, FAIL_INPUT,
                        "%.200s: expected messages of one packet on the mesh machine, found "
                        "message %lu of %lu; %s",
                        name, (unsigned long)i, (unsigned long)set->length[i], remedy);
    enum failure_kind kind = message_set_sort_sources(set, repeated, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (repeated[1] == UINT32_MAX) {
        free(set->length);
        set->length = NULL;
        return FAIL_NONE;
    }
    return fail(failure, FAIL_INPUT,
                "%.200s: expected at most one message a node on the mesh machine, found messages "
                "%lu and %lu from node %lu; %s",
                name, (unsigned long)repeated[0], (unsigned long)repeated[1],
                (unsigned long)set->source[repeated[1]], remedy);
}

enum failure_kind message_set_topology(const struct message_set *set, const char *given,
                                       struct topology *topology, struct failure *failure)
{
    char ours[TOPOLOGY_TEXT_SIZE], other[TOPOLOGY_TEXT_SIZE];
    *topology = (struct topology){0};
    shape_text(&set->shape, ours);
    if (given == NULL && set->shape.kind == TOPOLOGY_GRAPH)
        return fail(failure, FAIL_USAGE,
                    "the set is of a graph of %lu nodes; give its edges as topology graph:FILE",
                    (unsigned long)shape_nodes(&set->shape));
    if (given == NULL) {
        *topology = topology_of_shape(&set->shape);
        return FAIL_NONE;
    }
    enum failure_kind kind = topology_parse(topology, given, failure);
    if (kind != FAIL_NONE || shape_equals(&topology->shape, &set->shape))
        return kind;
    shape_text(&topology->shape, other);
    topology_free(topology);
    return fail(failure, FAIL_USAGE, "topology %.60s is %s, but the set is of %s", given, other,
                ours);
}
