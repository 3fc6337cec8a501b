/* nodes.h - the nodes of a replayed mesh: what is in their buffers at the end of each step,
 * and what of them the running step has used: links, copies.
 */
#ifndef MESHCAST_AUDIT_NODES_H
#define MESHCAST_AUDIT_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct audit_node {
    uint32_t packets;   /* in its buffer now */
    uint8_t links_used; /* in this step: a bit an outgoing link */
    bool has_copied;    /* in this step */
    bool is_touched;    /* in this step: it is on the list */
};

enum { AUDIT_PAGE_NODES = 512 };

struct audit_nodes {
    uint32_t rows, cols;
    struct audit_node **page; /* of AUDIT_PAGE_NODES nodes each, NULL where nothing happened yet */
    uint32_t *touched;        /* the nodes that this step looked at */
    size_t touched_count, touched_room;
    uint32_t peak, peak_node; /* the fullest buffer so far, the least node in the first step */
    uint64_t peak_step;
};

/* False if there is no memory; then nothing is held. */
bool nodes_init(struct audit_nodes *nodes, uint32_t rows, uint32_t cols);

/* The node (index below rows * cols), noted as one that this step may change; NULL: no memory. The
 * pointer holds until nodes_free(). */
struct audit_node *nodes_touch(struct audit_nodes *nodes, uint32_t index);

/* The number 0..3 of the link from node `from` to node `to`, -1 if they are not neighbours. */
int nodes_link(const struct audit_nodes *nodes, uint32_t from, uint32_t to);

/* Ends step `step`: moves the peak on, forgets what the step used. */
void nodes_end_step(struct audit_nodes *nodes, uint64_t step);

void nodes_free(struct audit_nodes *nodes);

#endif
