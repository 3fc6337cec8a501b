/* network_part_private.h - messages, and what becomes of their worms in the network. */
#ifndef MESHCAST_NETWORK_NETWORK_PART_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_PART_PRIVATE_H

#include "network/network_lists_private.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NONE UINT32_MAX

/* What stands for a channel in an output that has none. */
#define LACKING UINT32_MAX /* it is asked for */
#define LATER                                                                                      \
    (UINT32_MAX - 1) /* it will be asked for when the output before it is done (one port) */

struct stop_copy {
    uint32_t node;
    uint32_t span : 30, is_destination : 1, is_served : 1;
    uint32_t worm : 26, class : 6; /* a plan has fewer worms than a topology nodes */
    uint32_t sends;                /* the first worm that this destination is to send, or NONE */
};

/* A worm until it has an injection channel. */
struct sending {
    struct message *message;
    struct sending *before, *next; /* in a queue of its sender */
    uint64_t since;                /* ready; then: asking for a channel */
    uint32_t number, sender, stop;
    uint32_t other; /* the sender's next worm, or NONE */
};

/* A message and its copy of the plan: one block, the worms behind the stops. */
struct message {
    uint64_t created;
    uint32_t number, flits;
    _Atomic uint32_t left;  /* destinations that are still to be served */
    uint32_t source, sends; /* `sends`: the source's first worm, or NONE */
    uint32_t worms;
    struct sending *worm;
    size_t bytes;
    struct stop_copy stop[];
};

struct output {
    uint32_t channel;  /* or consumption channel; LACKING, LATER */
    uint32_t stop;     /* for which it is; NONE: a consumption channel */
    uint32_t moved;    /* flits that went over it */
    uint32_t requests; /* requests in queues */
};

/* A part whose header is about to ask. */
struct coming {
    struct bearing bearing;
    uint32_t newcomer; /* the next part that begins to ask at the node */
};

struct part {
    struct message *message; /* NULL: not in use */
    uint64_t since;          /* the cycle after the header's entry; once it asks, since when */
    uint32_t flits : 25, is_listed : 1, is_feeder : 1, has_asked : 1, has_moved : 1;
    uint32_t in, out; /* flits that have entered the buffer and left it */
    uint32_t inlet;   /* its channel; NONE of a feeder */
    uint32_t node;
    uint32_t stop; /* that the header is at or bound for */
    uint32_t next; /* behind it in the buffer; of unused parts, the next one */
    uint16_t outputs, lacking;
    union {
        struct output one; /* outputs <= 1 */
        struct output *many;
        struct coming coming; /* before it asks */
    } way;
};

/* A request in the queue of a link, or of a node's consumption channels. */
struct request {
    uint64_t since;
    uint32_t message, worm, stop;
    uint32_t part, output;
    uint32_t link; /* NONE: consumption */
    uint32_t before, next, sibling;
};

#endif
