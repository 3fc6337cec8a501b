/* item_traffic.h - the messages among items, before they have nodes; and an assignment of nodes to
 * them. */
#ifndef MESHCAST_PLACE_ITEM_TRAFFIC_H
#define MESHCAST_PLACE_ITEM_TRAFFIC_H

#include "workloads/import_formats.h"
#include "workloads/message_set.h"

#define PLACE_NONE UINT32_MAX

/* Message i goes from source[i] to the items destination[offset[i] .. offset[i + 1] - 1], which
 * ascend strictly. */
struct item_traffic {
    uint32_t items, messages;
    /* source[i] is a node, that of a token, whose experts are the items; else an item */
    bool has_tokens;
    uint32_t *source;      /* [messages] */
    uint64_t *offset;      /* [messages + 1] */
    uint32_t *destination; /* [offset[messages]] */
    uint64_t *first;       /* [items + 1]: item i has a part in messages .. */
    uint32_t *message;     /* .. message[first[i]] .. message[first[i + 1] - 1] */
};

/* Makes the traffic of a file's entries, which are spent. Entries of an item to itself are left
 * out. `token_node` has the nodes of the items that send to experts; NULL: there are none.
 * FAIL_SYSTEM: no memory. The caller frees the traffic. */
enum failure_kind item_traffic_make(struct item_traffic *traffic, struct entry_list *list,
                                    const node_index *token_node, struct failure *failure);
void item_traffic_free(struct item_traffic *traffic);

/* Copies of items, each on a node. The first copy of item i is copy i. */
struct assignment {
    uint32_t copies;
    bool has_several; /* of some item */
    node_index *node; /* [copies] */
    uint32_t *item;   /* [copies] */
    uint32_t *next;   /* [copies]: the next copy of the same item, or PLACE_NONE */
};

/* Returns the node that a message from `source` uses of an item: the nearest, of equally near ones
 * the lowest. */
static inline node_index assignment_node(const struct assignment *assignment,
                                         const struct topology *topology, uint32_t item,
                                         node_index source)
{
    node_index nearest = assignment->node[item];
    if (!assignment->has_several)
        return nearest;
    uint32_t copy = assignment->next[item];
    for (uint32_t least = topology_distance(topology, source, nearest); copy != PLACE_NONE;
         copy = assignment->next[copy]) {
        node_index node = assignment->node[copy];
        uint32_t distance = topology_distance(topology, source, node);
        if (distance < least || (distance == least && node < nearest)) {
            nearest = node;
            least = distance;
        }
    }
    return nearest;
}

/* Returns the node of a message's source. */
static inline node_index item_traffic_source(const struct item_traffic *traffic,
                                             const struct assignment *assignment, uint32_t message)
{
    uint32_t source = traffic->source[message];
    return traffic->has_tokens ? source : assignment->node[source];
}

/* Makes the message set of the traffic on the nodes of an assignment, without deliveries to the
 * source's own node. */
enum failure_kind item_traffic_set(const struct item_traffic *traffic,
                                   const struct topology *topology,
                                   const struct assignment *assignment, struct message_set *set,
                                   struct failure *failure);

#endif
