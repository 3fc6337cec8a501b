/* faults.h - nodes and links that fail at random, and message sets for the nodes that remain. */
#ifndef MESHCAST_WORKLOADS_FAULTS_H
#define MESHCAST_WORKLOADS_FAULTS_H

#include "workloads/message_set.h"

/* The shares of dead nodes, and of pairs of live neighbours without the links between them: each
 * 0 .. 1. */
struct fault_shares {
    double nodes, links;
};

/* The drawn faults. */
struct fault_counts {
    uint32_t dead, cut_off; /* nodes; those that no two-way links join with the main part */
    uint64_t pairs;         /* of neighbours */
};

/* Draws faults of a whole mesh or torus, to the nearest whole number of each kind, and writes them
 * to `out` in the form that topology_break() reads; nodes that are cut off are named as dead.
 * `comment` becomes # lines. FAIL_USAGE: nothing remains; else FAIL_SYSTEM. */
enum failure_kind faults_draw(const struct topology *whole, const struct fault_shares *shares,
                              uint64_t seed, const char *comment, FILE *out,
                              struct fault_counts *counts, struct failure *failure);

/* Returns the nearest node of the main part for each node of a broken topology; of several, the one
 * that a search from all of them reaches it from first. NULL: no memory. The caller frees it. */
node_index *faults_stand_ins(const struct topology *topology);

/* Turns a set on the shape mesh:M, where M is the number of nodes in the main part, into one on the
 * broken topology: its i-th node becomes the i-th of the main part. */
enum failure_kind message_set_deal_to_main(struct message_set *set, const struct topology *topology,
                                           struct failure *failure);

/* Removes messages that begin outside the main part from a set without waits. Destinations outside
 * it are removed too or, with `moves`, replaced by the nearest node of the main part, which each
 * message reaches once. */
enum failure_kind message_set_keep_main(struct message_set *set, const struct topology *topology,
                                        bool moves, struct failure *failure);

#endif
