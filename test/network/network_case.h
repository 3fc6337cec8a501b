/* network_case.h - random small networks with random messages, for tests.
 *
 * A case is a plain value that depends only on its number: topology, routing, settings, and
 * messages with plans of all kinds (path worms, trees, several worms per message, senders that are
 * not the source, stops that are no destinations).
 */
#ifndef MESHCAST_TEST_NETWORK_NETWORK_CASE_H
#define MESHCAST_TEST_NETWORK_NETWORK_CASE_H

#include "base/pcg.h"
#include "network/network.h"

enum { CASE_NODES = 32, CASE_LINKS = 256, CASE_MESSAGES = 30, CASE_WORMS = 8, CASE_STOPS = 40 };

struct case_message {
    uint64_t posted, created; /* cycles */
    bool is_left_out;         /* set by a search for a smaller case */
    struct multicast multicast;
    uint32_t destination[CASE_NODES];
    struct plan plan;
    struct worm worm[CASE_WORMS];
    struct stop stop[CASE_STOPS];
};

struct network_case {
    struct topology topology;
    uint64_t offset[CASE_NODES + 1]; /* of a graph or a broken mesh */
    uint32_t neighbour[CASE_LINKS];
    uint32_t part[CASE_NODES]; /* of a broken mesh */
    const struct routing *routing;
    struct network_settings settings;
    uint32_t messages;
    struct case_message message[CASE_MESSAGES];
};

/* Lead to every neighbour that is nearer to the target, in an order that differs from node to node:
 * any virtual channel, one of two classes, or both classes one after the other. Deadlocks are
 * likely. */
extern const struct routing nearer_any, nearer_by_side, nearer_with_classes;

/* Makes a random graph with a Hamiltonian path 0, 1, 2, .. */
void network_case_graph(struct network_case *c, uint32_t nodes, uint32_t more_edges,
                        struct pcg32 *random);

/* Fills *c, which may be zeroed or filled. */
void network_case_random(struct network_case *c, uint64_t number);

/* Writes the case as text, for a person. */
void network_case_print(const struct network_case *c);

#endif
