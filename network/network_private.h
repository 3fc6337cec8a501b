/* network_private.h - the state of a network; what the files of network/ share.
 *
 * A **channel** is a virtual channel of a link, or an injection channel, with the buffer at its receiving end; a
 * consumption channel has no buffer and is a bit of its node. A **part** is a worm in a buffer, from its header's entry
 * until its tail has left; it counts flits, which never overtake one another, instead of storing them. Of a worm that has
 * an injection channel, the **feeder** is a part without a buffer: it holds all flits and sends them over the injection
 * channel.
 *
 * Cost goes with events. A part whose next flit may move is listed as a mover; one that lacks a flit, room or a
 * channel is on no list, and is listed by the event that it waits for. A node is touched when a header
 * begins to ask there or something that is asked for is given back; only touched nodes grant.
 *
 * Nodes are shared out among **bands**, and bands among threads. A band owns its nodes, the sending side of their links
 * and the buffers at them; what crosses a link goes by mail. Within a cycle the order in which nodes, parts and mail are
 * handled changes nothing, so the number of bands does not either.
 */
#ifndef MESHCAST_NETWORK_NETWORK_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_PRIVATE_H

#include "base/parallel.h"
#include "network/network.h"
#include "network/network_lists_private.h"
#include "network/network_part_private.h"

#include <assert.h>

/* A bit of a credit: the channel's owner has left its buffer, and gives it back. */
#define CREDIT_RELEASES (UINT32_C(1) << 31)

enum { MOST_BANDS = 64 };

struct queue {
    uint32_t first, last; /* requests, in the order in which they are served */
};

/* The sender owns the first half, the receiver the second one, the buffer. A worm that owns the channel and has no `owner`
 * is in the buffer (release=left). */
struct channel {
    uint64_t crossings;
    uint32_t owner;       /* the part that sends over it, NONE when its tail is sent */
    uint32_t used;        /* slots of its buffer, as far as the sender knows */
    uint32_t to;          /* the receiving node */
    uint32_t first, last; /* parts in the buffer */
    uint32_t flits;
};

struct link {
    uint64_t free;  /* virtual channels, a bit each */
    uint64_t ready; /* those that would send in this cycle */
    struct queue requests;
    uint32_t pending; /* the node's next link where something was given back */
    uint8_t pointer;  /* of the round robin */
    bool is_pending, is_taken;
};

/* A link and its channels stand in one array: one line of the cache where V = 1. Links and channels are named by their
 * places in it. */
union record {
    struct link link;
    struct channel channel;
};

struct node {
    uint64_t free_consumption, free_injection;
    uint32_t newcomers; /* parts that begin to ask in the coming grants */
    uint32_t pending;   /* the first link at which something was given back, or NONE */
    bool is_touched, is_consumption_pending;
    bool is_asked_to_consume; /* the queue for consumption has requests */
    bool has_sendings;        /* worms in a queue of the sender */
};

/* What of a node is seldom looked at. */
struct sender {
    struct sending *first, *last;                 /* for the processor */
    struct sending *first_waiting, *last_waiting; /* for an injection channel */
    uint64_t unsent;
    struct queue requests; /* for consumption */
    uint32_t held;         /* messages, under store-and-forward */
    bool is_busy;          /* its processor */
};

/* What crosses the border of two bands in a cycle; even and odd cycles have their own, so that one barrier a
 * cycle is enough. */
struct mail {
    struct head_list heads;
    struct index_list bodies, credits;
};

struct band_counts {
    uint64_t messages, done, deliveries, startups, crossings, last_delivery, unsent_peak;
    uint64_t taken; /* channels that are not given back */
    uint32_t buffer_peak;
};

/* What all threads know of a band's cycle after the barrier; of even and odd cycles. */
struct band_report {
    uint64_t work, done;
};

/* What all bands know together. */
struct overview {
    uint64_t work;         /* flits that moved in the last cycle */
    uint64_t done, posted; /* messages */
    uint64_t taken, parts; /* channels that are not given back; parts in use */
    bool is_out_of_memory, is_broken;
    uint32_t overflow; /* the least node that holds too many messages, or NONE */
    uint64_t due;      /* the cycle of the next event; UINT64_MAX: there is none */
};

struct band {
    struct network *network;
    uint32_t number;
    uint32_t first, end;               /* nodes */
    uint32_t first_record, end_record; /* of the links that its nodes send on */
    uint64_t cycle;
    struct wheel wheel;
    struct part *part;
    void *part_block; /* in which the parts stand, from the first line of the cache on */
    uint32_t parts, parts_allocated, free_part, live_parts;
    struct request *request;
    uint32_t requests, requests_allocated, free_request;
    struct index_list touched, served, movers, next_movers;
    struct index_list
        contested;          /* links with several virtual channels that have something to send */
    struct index_list wide; /* parts that need several links at once */
    struct index_list
        passed;            /* channels that single flits have passed at the node that is served */
    struct mail *mail[2];  /* a mail for each band */
    struct mail *own_mail; /* of this cycle, to itself */
    uint64_t sent[2];      /* the other bands that get mail, a bit each */
    struct finished_list finished;
    struct band_counts counts;
    struct band_report report[2];
    uint64_t work;     /* flits that moved in this cycle */
    uint32_t overflow; /* the least node that holds too many messages, or NONE */
    bool has_choices;  /* a routing has offered several outputs */
    bool is_out_of_memory, is_broken;
    char apart[128]; /* keeps two bands' fields off one cache line */
};

struct network {
    const struct topology *topology;
    const struct routing *routing;
    struct network_settings settings;
    uint32_t vcs, depth, delay;
    uint32_t injection, consumption; /* channels a node; 0: as many as links */
    bool is_lockstep, is_circuit, is_cut_through, is_stored;
    bool follows;  /* a flit moves into the one slot of a buffer when the one before it leaves */
    bool is_eager; /* what is granted at a node moves at once */
    bool goes_on;  /* so does a header, with nothing but one slot behind its link */
    bool fetches;  /* the arrays are larger than a cache, so that what is needed soon is fetched */
    uint64_t class_channels[NETWORK_MAX_VCS];
    uint32_t stride;                 /* records of a link */
    uint32_t node_records;           /* of the links of a node, on meshes and tori */
    uint32_t link_records, records;  /* of links; and of injection channels, behind them */
    void *record_block, *node_block; /* in which the arrays stand, on lines of the cache */
    union record *record;
    struct node *node;
    struct sender *sender;
    _Atomic uint64_t
        *begun;         /* a bit for each node; 0: the node, its links and channels are all zero */
    uint32_t *consumer; /* the part that has a consumption channel */
    uint32_t bands;
    struct band *band;
    uint32_t threads; /* 1: it has no more, or is too small for them */
    struct observation *observation;
    uint64_t cycle, posted;
    struct overview all;
    bool is_dense;  /* so many messages were posted that most nodes will have something to do */
    bool is_moving; /* flits have moved in the cycle before */
    struct block_pool blocks;
    struct index_list table; /* of network_post() */
    struct network_delivery *done;
    uint32_t done_count, done_allocated;
    bool is_done_taken;
    struct network_searches searches;
    struct network_wait *wait;
    size_t waits;
    struct failure failure; /* which ended the network */
};

/* A message, its stops and its worms in one block, to be filled; NULL: no memory. */
struct message *message_make(struct network *network, uint32_t stops, uint32_t worms);

/* FAIL_USAGE: under cut-through no buffer has room for a message of so many flits. */
enum failure_kind check_cut_through(const struct network_settings *settings, uint32_t flits,
                                    struct failure *failure);

/* The injection or consumption channels of all nodes, of which settings say `count`; 0: one for each link. The
 * node of a graph without links has one, too. */
static inline uint64_t channels_in(const struct topology *topology, uint32_t count)
{
    return count > 0 ? (uint64_t)topology->nodes * count : topology->links + 1;
}

/* The injection channels of a node, as channels_in() wants them: one port has one. */
static inline uint32_t injection_setting(const struct network_settings *settings)
{
    return settings->is_one_port ? 1 : settings->injection;
}

/* The first of a node's injection or consumption channels, of which settings say `count`. Where they say 0, a node
 * has one for each link, and these stand as its ports do. */
static inline uint32_t channel_base(const struct topology *topology, uint32_t count, uint32_t node)
{
    return count > 0 ? node * count : (uint32_t)topology_link(topology, node, 0);
}

/* How many of them a node has. */
static inline uint32_t channels_of(const struct topology *topology, uint32_t count, uint32_t node)
{
    uint32_t channels = count > 0 ? count : topology_degree(topology, node);
    return channels < 1 ? 1 : channels < NETWORK_MAX_CHANNELS ? channels : NETWORK_MAX_CHANNELS;
}

/* The bits of the nodes 64 i .. 64 i + 63 in which something was. */
static inline uint64_t begun_word(const struct network *network, uint32_t i)
{
    return atomic_load_explicit(&network->begun[i], memory_order_relaxed);
}

static inline bool node_is_begun(const struct network *network, uint32_t node)
{
    return (begun_word(network, node / 64) >> node % 64 & 1) != 0;
}

/* Returns the band of a node. */
static inline struct band *network_band(const struct network *network, uint32_t node)
{
    struct band *band = network->band;
    while (node >= band->end)
        band++;
    return band;
}

#endif
