/* nodes.c - the nodes of a replayed mesh: buffers at the ends of steps, links used.
 *
 * Method: one record of 8 bytes per node, in pages that are allocated when first touched, so that
 * memory follows what the trace does and not what its header declares. A step's marks are cleared
 * through the list of nodes that the step touched; a node that no event touched holds as many
 * packets as at the end of the step before, so only listed nodes can raise the peak.
 *
 * Invariant: is_touched holds exactly for the nodes on the list; others have no mark set.
 *
 * Source: rule 1 and "What is counted" of doc/model.md.
 * Cost: O(1) an event; a word a page of 512 nodes, 8 bytes per node of touched pages, 4 bytes per node
 * that one step touches.
 */
#include "audit/nodes.h"

#include "base/failure.h"

#include <stdlib.h>

static size_t page_count(const struct audit_nodes *nodes)
{
    return ((size_t)nodes->rows * nodes->cols + AUDIT_PAGE_NODES - 1) / AUDIT_PAGE_NODES;
}

bool nodes_init(struct audit_nodes *nodes, uint32_t rows, uint32_t cols)
{
    *nodes = (struct audit_nodes){.rows = rows, .cols = cols};
    nodes->page = memory_allocate(page_count(nodes), sizeof(struct audit_node *));
    return nodes->page != NULL;
}

static struct audit_node *get_page(struct audit_nodes *nodes, uint32_t index)
{
    struct audit_node **page = &nodes->page[index / AUDIT_PAGE_NODES];
    if (!*page) {
        *page = memory_allocate(AUDIT_PAGE_NODES, sizeof **page);
    }
    return *page;
}

static bool list_touched(struct audit_nodes *nodes, uint32_t index)
{
    uint32_t *touched = memory_grow(nodes->touched, &nodes->touched_room, nodes->touched_count + 1,
                                    sizeof *touched);
    if (!touched) {
        return false;
    }
    nodes->touched = touched;
    nodes->touched[nodes->touched_count++] = index;
    return true;
}

struct audit_node *nodes_touch(struct audit_nodes *nodes, uint32_t index)
{
    struct audit_node *page = get_page(nodes, index);
    if (!page) {
        return NULL;
    }
    struct audit_node *node = &page[index % AUDIT_PAGE_NODES];
    if (!node->is_touched) {
        if (!list_touched(nodes, index)) {
            return NULL;
        }
        node->is_touched = true;
    }
    return node;
}

int nodes_link(const struct audit_nodes *nodes, uint32_t from, uint32_t to)
{
    uint32_t low = from < to ? from : to, high = from < to ? to : from;
    if (high - low == nodes->cols) {
        return from < to ? 0 : 1;
    }
    /* One apart is across a row's end exactly if the higher index begins a row. */
    if (high - low == 1 && high % nodes->cols != 0) {
        return from < to ? 2 : 3;
    }
    return -1;
}

void nodes_end_step(struct audit_nodes *nodes, uint64_t step)
{
    for (size_t i = 0; i < nodes->touched_count; i++) {
        uint32_t index = nodes->touched[i];
        struct audit_node *node = &nodes->page[index / AUDIT_PAGE_NODES][index % AUDIT_PAGE_NODES];
        bool is_tie = node->packets == nodes->peak && nodes->peak_step == step &&
                      index < nodes->peak_node && nodes->peak > 0;
        if (node->packets > nodes->peak || is_tie) {
            nodes->peak = node->packets;
            nodes->peak_node = index;
            nodes->peak_step = step;
        }
        node->links_used = 0;
        node->has_copied = false;
        node->is_touched = false;
    }
    nodes->touched_count = 0;
}

void nodes_free(struct audit_nodes *nodes)
{
    for (size_t i = 0; nodes->page && i < page_count(nodes); i++) {
        free(nodes->page[i]);
    }
    free(nodes->page);
    free(nodes->touched);
    *nodes = (struct audit_nodes){0};
}
