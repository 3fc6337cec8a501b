/* network_private.h - the state of a network, shared by the stages of its router and the functions
 * around them.
 *
 * The stages of a router, a file each:
 *
 *     network_inject.c     messages are created, startups end, worms get injection channels
 *     network_route.c      the next link of a header (called when it arrives), its outputs
 *     network_allocate.c   headers ask for virtual channels and ejection channels, and wait
 *     network_switch.c     the flits that cross the router, on links with several virtual channels
 *     network_traverse.c   a flit leaves its buffer over its outputs
 *     network_eject.c      a flit leaves the network at a destination
 *     network_arrive.c     flits and credits reach the other end of their links
 *
 * band_cycle() in network_run.c calls them. All allocation of a cycle is over before any flit
 * moves, so a channel that a flit releases may be free at once.
 *
 * A **channel** is a virtual channel of a link, or an injection channel, with the buffer at its
 * receiving end. An **ejection channel** (in options and older papers a consumption channel) has no
 * buffer and is a bit of its node. A **segment** is a worm in one buffer, from its header's arrival
 * until its tail has left; it counts flits, which never overtake one another, instead of storing
 * them. A header that asks in the cycle after it arrived gets a segment only if it has to stay, or
 * if flits follow it. Of a worm that has an injection channel, the **feeder** is a segment without
 * a buffer: it holds all flits and sends them over the injection channel.
 *
 * Cost grows with events. A segment whose next flit may move is listed as a mover; one that lacks a
 * flit, room or a channel is on no list, and is listed by the event that it waits for. A node is
 * active when a header begins to ask there or a channel that is asked for was released; only active
 * nodes allocate.
 *
 * Nodes are divided among **bands**, and bands among threads. A band owns its nodes, the sending
 * side of their links and the buffers at them; flits and credits that cross a link pass through an
 * outbox. Within a cycle the order in which nodes, segments and outboxes are handled changes
 * nothing, so the number of bands does not either.
 */
#ifndef MESHCAST_NETWORK_NETWORK_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_PRIVATE_H

#include "base/parallel.h"
#include "network/network.h"

#include <assert.h>
#include <stdatomic.h>

#define NONE UINT32_MAX

/* The innermost steps are inlined in the loops that call them; rare code does not use up their
 * registers. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))

/* The channel of an output that does not have one yet. */
#define LACKING UINT32_MAX     /* it asks for one */
#define LATER (UINT32_MAX - 1) /* it asks when the output before it is done (one port) */

/* A bit of a credit: the channel's owner has left its buffer, and releases it. */
#define CREDIT_RELEASES (UINT32_C(1) << 31)

enum { MOST_BANDS = 64 };

/* ---- lists ---- */

struct index_list {
    uint32_t *item;
    uint32_t count, allocated;
};

/* Makes a list with members item, count and allocated, in this order, longer; false: no memory, and
 * nothing changed. */
bool list_grow(void *list, size_t item_size);

/* Adds an item to a list; false: no memory, and nothing changed. */
#define LIST_PUSH(list, ...)                                                                       \
    (((list)->count < (list)->allocated || list_grow(list, sizeof *(list)->item)) &&               \
     ((list)->item[(list)->count++] = __VA_ARGS__, true))

/* ---- messages ---- */

struct stop_copy {
    uint32_t node;
    uint32_t span : 30, is_destination : 1, is_served : 1;
    uint32_t worm : 26, class : 6; /* a plan has fewer worms than a topology nodes */
    uint32_t sends;                /* the first worm that this destination is to send, or NONE */
};

/* A worm until it has an injection channel. */
struct queued_worm {
    struct message *message;
    struct queued_worm *before, *next; /* in a queue of its source */
    uint64_t since;                    /* ready; then: asking for a channel */
    uint32_t number, sender, stop;
    uint32_t other; /* the sender's next worm, or NONE */
};

/* A message and its copy of the plan: one block, the worms after the stops. */
struct message {
    uint64_t created;
    uint32_t number, flits;
    _Atomic uint32_t left;  /* destinations that are still to be served */
    uint32_t source, sends; /* `sends`: the source's first worm, or NONE */
    uint32_t worms : 31, is_awaited : 1;
    struct queued_worm *worm;
    size_t bytes;
    struct stop_copy stop[];
};

/* A message that has reached its last destination. */
struct finished_list {
    struct finished {
        struct message *message;
        uint64_t delivered;
    } * item;
    uint32_t count, allocated;
};

struct receipt_list {
    struct network_receipt *item;
    uint32_t count, allocated;
};

/* ---- worms in buffers ---- */

/* The only output that the routing allows a header at its next node (link NONE: there are several,
 * or it is not known), and the number of nodes after that one with the same output. */
struct lookahead_route {
    uint32_t link;
    uint32_t run_class; /* 64 run + class */
};

/* A header that crosses a channel, or that asks for outputs at the front of the channel's
 * buffer. */
struct header {
    struct message *message;
    uint32_t channel, stop, flits;
    struct lookahead_route route;
    uint32_t segment; /* NONE: it has none so far */
    uint32_t next;    /* the next requester of its node */
    /* the channel or ejection channel over which it leaves in the cycle in which it asks */
    uint32_t output;
};

struct header_list {
    struct header *item;
    uint32_t count, allocated;
};

struct output {
    uint32_t channel;  /* or ejection channel; LACKING, LATER */
    uint32_t stop;     /* to which it leads; NONE: an ejection channel */
    uint32_t moved;    /* flits that have passed it */
    uint32_t requests; /* the first request that waits, or NONE */
};

struct segment {
    struct message *message; /* NULL: not in use */
    /* the cycle after the header's arrival; once it asks, the first cycle of asking */
    uint64_t since;
    uint32_t flits : 25, is_listed : 1, is_feeder : 1, has_asked : 1, has_moved : 1;
    uint32_t in, out; /* flits that have entered the buffer and left it */
    uint32_t inlet;   /* its channel; NONE for a feeder */
    uint32_t node;
    uint32_t stop; /* that the header is at or bound for */
    uint32_t next; /* after it in the buffer; of unused segments, the next one */
    uint16_t outputs, lacking;
    union {
        struct output one; /* outputs <= 1 */
        struct output *many;
        struct lookahead_route route; /* before it asks */
    } way;
};

/* A request that waits in the queue of a link, or of a node's ejection channels. */
struct request {
    uint64_t since;
    uint32_t message, worm, stop;
    uint32_t segment, output;
    uint32_t link; /* NONE: ejection */
    uint32_t before, next, sibling;
};

struct request_list {
    struct request *item;
    uint32_t count, allocated;
};

struct queue {
    uint32_t first, last; /* requests, in the order in which they are served */
};

/* ---- nodes and links ---- */

/* The sender owns the first half, the receiver the second one, the buffer. A worm that owns the
 * channel without an `owner` is in the buffer (release=left). */
struct channel {
    uint64_t crossings;
    uint32_t owner;       /* the segment that sends over it, NONE when its tail is sent */
    uint32_t used;        /* places of its buffer, as known to the sender */
    uint32_t to;          /* the receiving node */
    uint32_t first, last; /* segments in the buffer */
    uint32_t flits;
};

struct link {
    uint64_t free;  /* virtual channels, a bit each */
    uint64_t ready; /* those that would send in this cycle */
    struct queue requests;
    uint32_t next_released; /* the node's next link where something was released */
    uint8_t pointer;        /* of the round robin */
    bool is_released, is_taken;
};

/* An output port, a link and then its channels, is a section of one array: one cache line if V = 1.
 * Links and channels are named by their places in it. */
union port_entry {
    struct link link;
    struct channel channel;
};

struct node {
    uint64_t free_ejection, free_injection;
    uint32_t requesters; /* the first header that begins to ask in the coming allocation, or NONE */
    uint32_t released;   /* the first link at which something was released, or NONE */
    bool is_active, is_source_active; /* listed for the coming allocation, the coming injection */
    bool has_waiting_worms;           /* they wait for injection channels */
    bool is_begun;                    /* no longer all zero */
    bool is_ejection_released, is_ejection_asked;
};

/* Fields of a node that are rarely used. */
struct source {
    struct queued_worm *first, *last;                 /* for the processor */
    struct queued_worm *first_waiting, *last_waiting; /* for an injection channel */
    uint64_t unsent;
    struct queue requests; /* for ejection */
    uint32_t held;         /* messages, under store-and-forward */
    bool is_busy;          /* its processor */
};

/* ---- events that are due later ---- */

enum event_kind {
    EVENT_CREATE,     /* a message */
    EVENT_READY,      /* a worm, at its sender */
    EVENT_STARTED,    /* a worm's startup by the processor has ended */
    EVENT_FEED,       /* a feeder's startup has ended */
    EVENT_ASK,        /* a segment's header begins to ask */
    EVENT_CHILD,      /* a segment asks for its next output (one port) */
    EVENT_ACKNOWLEDGE /* the acknowledgement of a circuit is at a segment */
};

struct event {
    union {
        struct message *message;
        struct queued_worm *worm;
        struct {
            uint32_t segment, output;
        } ask;
    } of;
    uint32_t kind;
};

struct event_list {
    struct event *item;
    uint32_t count, allocated;
};

enum { WHEEL_BUCKETS = 256 };

/* Events by the cycle in which they are due: a bucket per cycle of the next ones, a heap for later
 * events. */
struct wheel {
    struct event_list bucket[WHEEL_BUCKETS];
    uint64_t used[WHEEL_BUCKETS / 64]; /* buckets with events */
    uint32_t taken;                    /* of the bucket of the present cycle */
    struct far_event_list {
        struct far_event {
            uint64_t due;
            struct event event;
        } * item;
        uint32_t count, allocated;
    } far;
};

/* Adds an event that is due at `due` >= `now`; false: no memory. */
bool wheel_push(struct wheel *wheel, uint64_t now, uint64_t due, struct event event);

/* True if an event is due at `now`. */
bool wheel_is_due(const struct wheel *wheel, uint64_t now);

/* Takes an event that is due at `now`; false: there are no more. It must be called until then
 * before the next cycle. */
bool wheel_take(struct wheel *wheel, uint64_t now, struct event *event);

/* Returns the first cycle at or after `now` at which an event is due, or UINT64_MAX. */
uint64_t wheel_next(const struct wheel *wheel, uint64_t now);

void wheel_free(struct wheel *wheel);

/* ---- memory of messages ---- */

enum { BLOCK_CLASSES = 56 };

/* Blocks of 64, 128, .. bytes, kept until the network ends. */
struct block_pool {
    struct block *free[BLOCK_CLASSES];
    struct block *newest;
};

/* Returns a block that is not cleared; NULL: no memory. The same `bytes` must be given back. */
void *block_take(struct block_pool *pool, size_t bytes);
void block_give(struct block_pool *pool, void *block, size_t bytes);
void block_pool_free(struct block_pool *pool);

/* ---- bands ---- */

/* Flits and credits that cross links in a cycle, to a band; even and odd cycles have their own, so
 * that one barrier per cycle is enough. */
struct outbox {
    struct header_list headers;
    struct index_list bodies, credits; /* the channels that they cross */
};

struct band_counts {
    uint64_t messages, done, deliveries, startups, crossings, last_delivery, unsent_peak;
    uint64_t taken; /* channels that are not released */
    uint32_t buffer_peak;
};

/* The facts of a band's cycle that all threads know after the barrier; for even and odd cycles. */
struct band_report {
    uint64_t work, done;
    bool has_receipts;
};

struct band {
    struct network *network;
    uint32_t number;
    uint32_t first, end;             /* nodes */
    uint32_t first_entry, end_entry; /* of the links that its nodes send on */
    uint64_t cycle;
    struct wheel wheel;
    struct segment *segment;
    void *segment_block; /* in which the segments are, from the first line of the cache on */
    uint32_t segments, segments_allocated, free_segment, live_segments;
    struct request_list request;
    uint32_t free_request;
    struct header_list requesters[2]; /* of even and odd cycles */
    struct index_list active;         /* nodes of the coming allocation */
    struct index_list bypassing;      /* requesters that leave in the cycle in which they ask */
    struct index_list sources;        /* nodes at which worms may get injection channels */
    struct index_list movers, next_movers;
    struct index_list
        contested;             /* links with several virtual channels that have something to send */
    struct index_list wide;    /* segments that need several links at once */
    struct index_list rising;  /* channels whose flits may be a new peak at the end of the cycle */
    struct outbox *outbox[2];  /* one per band */
    struct outbox *own_outbox; /* of this cycle, to itself */
    uint64_t receivers[2];     /* the other bands that get something, a bit each */
    struct finished_list finished;
    struct receipt_list receipts;
    struct band_report report[2];
    struct band_counts counts;
    uint64_t work;    /* flits that moved in this cycle */
    bool has_choices; /* a header had several links to choose from */
    bool is_out_of_memory, is_broken;
    uint32_t overflow; /* the least node that holds too many messages, or NONE */
};

/* The facts that all bands know together. */
struct overview {
    uint64_t work;            /* flits that moved in the last cycle */
    uint64_t done, posted;    /* messages */
    uint64_t taken, segments; /* channels that are not released; segments in use */
    bool is_out_of_memory, is_broken, has_receipts;
    uint32_t overflow; /* the least node that holds too many messages, or NONE */
    uint64_t due;      /* the cycle of the next event; UINT64_MAX: there is none */
};

struct network {
    const struct topology *topology;
    const struct routing *routing;
    struct network_settings settings;
    enum switching switching;
    uint32_t vcs, depth, delay;
    uint32_t injection, consumption; /* channels per node; 0: as many as links */
    bool is_lockstep; /* a flit crosses all outputs in one cycle: wormhole and circuit switching */
    /* V = B = 1: a flit moves into the place that the flit before it leaves */
    bool follows_at_once;
    bool bypasses; /* a header may be granted a channel and cross it in one cycle's allocation */
    bool is_prefetched; /* the arrays are larger than a cache */
    uint64_t class_channels[NETWORK_MAX_VCS];
    uint32_t stride;                /* entries of a port */
    uint32_t node_entries;          /* of the ports of a node, on meshes and tori */
    uint32_t link_entries, entries; /* of links; and of injection channels, after them */
    void *entry_block, *node_block; /* in which the arrays are, on lines of the cache */
    union port_entry *entry;
    struct node *node;
    struct source *source;
    _Atomic uint64_t *begun; /* a bit per node; 0: the node, its links and channels are all zero */
    uint32_t *consumer;      /* the segment that has an ejection channel */
    uint32_t bands;
    struct band *band;
    uint32_t threads; /* 1: it has no more, or is too small for them */
    struct observation *observation;
    uint64_t cycle, posted;
    struct overview all;
    /* so many messages were posted that most nodes will have something to do */
    bool expects_traffic;
    bool has_moved; /* flits moved in the cycle before */
    struct block_pool blocks;
    struct index_list table; /* of network_post() */
    struct delivery_list {
        struct network_delivery *item;
        uint32_t count, allocated;
    } done;
    bool is_done_taken;
    struct receipt_list receipts;
    struct network_wait *wait;
    size_t waits;
    struct failure failure; /* which ended the network */
};

/* ---- the stages ---- */

/* Takes the events that are due: messages are created, startups end, headers begin to ask. */
void band_begin(struct band *band);

/* Grants injection channels and starts startups. */
void band_inject(struct band *band);

/* Returns the next output of a header that is at `node`, and at a stop or bound for it, if the
 * routing leaves no choice. */
struct lookahead_route find_route(const struct network *network, uint32_t node,
                                  const struct message *message, uint32_t stop);

/* Lets a segment that is at the front of its buffer begin to ask at `due`, or in the allocation of
 * cycle `next` if that is later. */
void segment_ask_from(struct band *band, uint32_t id, uint64_t due, uint64_t next);

/* Adds the segment of a header that arrives at `node` to the end of its buffer; returns it, or
 * NONE: no memory. */
uint32_t join_buffer(struct band *band, uint32_t node, const struct header *header);

/* Gives a header that asks at the front of its buffer a segment there; returns it, or NONE: no
 * memory. */
uint32_t header_stays(struct band *band, uint32_t node, const struct header *header);

/* Gives all headers that are about to ask segments, so that all worms in buffers are seen as
 * segments. */
void requesters_stay(struct band *band);

/* Lists what a header needs at its node. False: no memory. */
bool find_outputs(const struct network *network, struct segment *segment);

/* Grants outputs at the active nodes: to waiting requests first, then to headers that begin to
 * ask. */
void band_allocate(struct band *band);

/* Lets a segment ask for its next output, from this cycle on, as long as it has asked already (one
 * port). */
void ask_next_output(struct band *band, uint32_t id, uint32_t output);

/* Moves the flits that win the switch, where links have several virtual channels. */
void band_switch(struct band *band);

/* Moves all flits that may move, where links have one virtual channel. */
void band_traverse(struct band *band);

/* Sends the header of a worm from its source over an injection channel. */
void send_header(struct band *band, uint32_t node, const struct header *header);

/* Moves the next flit of a segment over all outputs. Returns a segment that may follow into its
 * place, or NONE. */
uint32_t traverse_all(struct band *band, uint32_t id);

/* Moves a flit of a segment over one output, which sends into a channel. */
void traverse_output(struct band *band, struct segment *segment, struct output *output);

/* Lets a flit leave its buffer that has passed all outputs, each by itself. */
void leave_if_passed(struct band *band, uint32_t id);

/* Passes a flit over an ejection channel. */
void eject_flit(struct band *band, struct segment *segment, struct output *output);

/* Serves the stop and frees the channel after a worm's tail has passed an ejection channel of a
 * node. */
void eject_tail(struct band *band, uint32_t node, struct message *message, uint32_t stop,
                uint32_t channel);

/* Releases a channel if its owner has left the buffer, and lets those that wait for its link try
 * again. */
void credit_frees(struct band *band, uint32_t channel, bool releases);

/* Lets credits, headers, and other flits that crossed links arrive. */
void band_arrive(struct band *band);

/* ---- around the stages ---- */

/* Makes a node, its links and channels, out of zeros; nothing has been there yet. */
void node_begin(struct network *network, uint32_t node);

/* Returns a segment that is new to the pool, or NONE: no memory. Pointers to segments may become
 * invalid. */
uint32_t segment_add(struct band *band);

/* Ends the network with a failure if segments are deadlocked at the end of `cycle`; then its list
 * of waits names them. */
enum failure_kind network_find_deadlock(struct network *network, uint64_t cycle);

/* Checks buffers. FAIL_USAGE: under cut-through none has room for a message of so many flits. */
enum failure_kind check_cut_through(const struct network_settings *settings, uint32_t flits,
                                    struct failure *failure);

struct observation *observation_make(const struct network_observer *observer,
                                     struct network *network);
void observation_free(struct observation *observation);
void observe_event(struct band *band, struct network_event event);

/* Reports that a flit of the worm to which a stop belongs leaves `node` over a channel, or passes
 * an ejection channel of it. */
void observe_channel(struct band *band, uint32_t node, const struct message *message, uint32_t stop,
                     uint32_t channel, bool is_header);
void observe_ejection(struct band *band, uint32_t node, const struct message *message,
                      uint32_t stop, uint32_t channel, bool is_header);

/* Reports the events of the cycles before `cycle`, the last of which has just passed; `is_over`:
 * and all others. */
void observe_cycle(struct observation *observation, uint64_t cycle, bool is_over);

/* ---- places of nodes, links and channels ---- */

/* Returns the injection or ejection channels of all nodes, for the setting `count`; 0: one per
 * link. The node of a graph without links has one as well. */
static inline uint64_t channels_in(const struct topology *topology, uint32_t count)
{
    return count > 0 ? (uint64_t)topology->nodes * count : topology->links + 1;
}

/* Returns the injection channels of a node, in the form of channels_in(): one port has one. */
static inline uint32_t injection_setting(const struct network_settings *settings)
{
    return settings->is_one_port ? 1 : settings->injection;
}

/* Returns the first of a node's injection or ejection channels, for the setting `count`. If it is
 * 0, a node has one per link, in the order of its ports. */
static inline uint32_t channel_base(const struct topology *topology, uint32_t count, uint32_t node)
{
    return count > 0 ? node * count : (uint32_t)topology_link(topology, node, 0);
}

/* Returns the number of them at a node. */
static inline uint32_t channels_of(const struct topology *topology, uint32_t count, uint32_t node)
{
    uint32_t channels = count > 0 ? count : topology_degree(topology, node);
    return channels < 1 ? 1 : channels < NETWORK_MAX_CHANNELS ? channels : NETWORK_MAX_CHANNELS;
}

/* Returns the bits of the nodes 64 i .. 64 i + 63 in which something was. */
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

static inline struct channel *channel_at(const struct network *network, uint32_t channel)
{
    return &network->entry[channel].channel;
}

static inline struct link *link_at(const struct network *network, uint32_t link)
{
    return &network->entry[link].link;
}

static inline bool is_link_channel(const struct network *network, uint32_t channel)
{
    return channel < network->link_entries;
}

/* Returns the link of a channel. */
static inline uint32_t channel_link(const struct network *network, uint32_t channel)
{
    return network->vcs == 1 ? channel - 1 : channel - channel % network->stride;
}

/* Returns the link at a port. */
static inline uint32_t port_link(const struct network *network, uint32_t node, uint32_t port)
{
    return (uint32_t)topology_link(network->topology, node, port) * network->stride;
}

/* Returns the outbox for the node, or for the sending side of the channel. */
static inline struct outbox *outbox_to_band(struct band *band, const struct band *to)
{
    band->receivers[band->cycle & 1] |= UINT64_C(1) << to->number;
    return &band->outbox[band->cycle & 1][to->number];
}

static inline bool is_of_band(const struct band *band, uint32_t node)
{
    return node - band->first < band->end - band->first;
}

static inline struct outbox *outbox_to_node(struct band *band, uint32_t node)
{
    if (is_of_band(band, node))
        return band->own_outbox;
    return outbox_to_band(band, network_band(band->network, node));
}

static inline struct outbox *outbox_to_channel(struct band *band, uint32_t channel)
{
    if (channel - band->first_entry < band->end_entry - band->first_entry ||
        !is_link_channel(band->network, channel))
        return band->own_outbox;
    const struct band *to = band->network->band;
    while (channel >= to->end_entry)
        to++;
    return outbox_to_band(band, to);
}

/* ---- segments ---- */

static inline uint32_t stop_worm(const struct message *message, uint32_t stop)
{
    return message->stop[stop].worm;
}

/* True if (message, worm, stop) of one header are before those of another. */
static inline bool stop_precedes(const struct message *one, uint32_t one_stop,
                                 const struct message *other, uint32_t other_stop)
{
    if (one->number != other->number)
        return one->number < other->number;
    uint32_t worm = stop_worm(one, one_stop), other_worm = stop_worm(other, other_stop);
    return worm != other_worm ? worm < other_worm : one_stop < other_stop;
}

static inline bool segment_precedes(const struct segment *one, const struct segment *other)
{
    return stop_precedes(one->message, one->stop, other->message, other->stop);
}

static inline struct output *segment_outputs(struct segment *segment)
{
    return segment->outputs <= 1 ? &segment->way.one : segment->way.many;
}

/* Returns the output that sends over a channel. One that is done may have had it before. */
static inline struct output *output_over(struct segment *segment, uint32_t channel)
{
    struct output *output = segment_outputs(segment);
    while (output->stop == NONE || output->channel != channel || output->moved == segment->flits)
        output++;
    return output;
}

static inline uint32_t segment_make(struct band *band)
{
    uint32_t id = band->free_segment;
    if (id == NONE)
        id = segment_add(band);
    else
        band->free_segment = band->segment[id].next;
    band->live_segments += id != NONE;
    return id;
}

/* ---- lists of the stages ---- */

static inline void band_keep(struct band *band, bool has_memory)
{
    if (!has_memory)
        band->is_out_of_memory = true;
}

static inline void schedule(struct band *band, uint64_t due, struct event event)
{
    band_keep(band, wheel_push(&band->wheel, band->cycle, due, event));
}

/* Lets a node take part in the coming allocation. */
static inline void activate(struct band *band, uint32_t place)
{
    struct node *node = &band->network->node[place];
    if (node->is_active)
        return;
    if (!node->is_begun)
        node_begin(band->network, place);
    node->is_active = true;
    band_keep(band, LIST_PUSH(&band->active, place));
}

/* Lets a node's waiting worms try to get injection channels in the coming injection. */
static inline void activate_source(struct band *band, uint32_t place)
{
    struct node *node = &band->network->node[place];
    if (node->is_source_active)
        return;
    if (!node->is_begun)
        node_begin(band->network, place);
    node->is_source_active = true;
    band_keep(band, LIST_PUSH(&band->sources, place));
}

/* Lets a segment try to move its next flit in the coming switch. */
static inline void list_mover(struct band *band, uint32_t id)
{
    struct segment *segment = &band->segment[id];
    if (segment->is_listed)
        return;
    segment->is_listed = true;
    band_keep(band, LIST_PUSH(&band->movers, id));
}

/* Notes that a channel of a link may have become free for the headers that wait for it. */
static inline void link_release(struct band *band, uint32_t node, uint32_t link)
{
    struct link *released = link_at(band->network, link);
    if (released->requests.first == NONE || released->is_released)
        return;
    released->is_released = true;
    released->next_released = band->network->node[node].released;
    band->network->node[node].released = link;
    activate(band, node);
}

/* Lists the movers of the next cycle. */
static inline void swap_movers(struct band *band)
{
    struct index_list moved = band->movers;
    band->movers = band->next_movers;
    band->next_movers = moved;
    band->next_movers.count = 0;
}

/* True if the next flit over an output may cross it: it is there, and the next buffer has room. */
static inline bool may_cross(const struct network *network, const struct segment *segment,
                             const struct output *output)
{
    return output->channel < LATER && output->moved < segment->in &&
           (output->stop == NONE || channel_at(network, output->channel)->used < network->depth);
}

/* True if the next flit of a segment may cross all its outputs in one cycle. */
static inline bool may_cross_all(const struct network *network, struct segment *segment)
{
    const struct output *output = segment_outputs(segment);
    for (uint32_t i = 0; i < segment->outputs; i++)
        if (!may_cross(network, segment, &output[i]))
            return false;
    return segment->outputs > 0;
}

/* Adds a header to those that begin to ask at its node in the allocation of a cycle, and returns
 * it, to be filled but for `next`; NULL: no memory. They are in the order of service: message,
 * worm, stop. */
static inline struct header *add_requester(struct band *band, uint32_t node, uint64_t cycle,
                                           const struct message *message, uint32_t stop)
{
    struct header_list *list = &band->requesters[cycle & 1];
    if (list->count == list->allocated && !list_grow(list, sizeof *list->item)) {
        band->is_out_of_memory = true;
        return NULL;
    }
    activate(band, node);
    struct header *added = &list->item[list->count];
    uint32_t *place = &band->network->node[node].requesters;
    while (*place != NONE &&
           stop_precedes(list->item[*place].message, list->item[*place].stop, message, stop))
        place = &list->item[*place].next;
    added->next = *place;
    *place = list->count++;
    return added;
}

/* Lets a header into the buffer at the end of its channel, unless messages are stored. At the front
 * it begins to ask, in the next cycle at the earliest. Nothing depends on the order of this and of
 * flits that leave the buffer in this cycle. */
static inline void enter_buffer(struct band *band, struct message *message, uint32_t number,
                                uint32_t stop, uint32_t flits, struct lookahead_route route)
{
    const struct network *network = band->network;
    struct channel *channel = channel_at(network, number);
    uint32_t node = channel->to, in_buffer = ++channel->flits;
    if (route.link == NONE)
        route = find_route(network, node, message, stop);
    if (in_buffer > band->counts.buffer_peak && is_link_channel(network, number))
        band_keep(band, LIST_PUSH(&band->rising, number));
    if (in_buffer == 1 && network->delay == 0) {
        struct header *header = add_requester(band, node, band->cycle + 1, message, stop);
        if (header == NULL)
            return;
        header->message = message;
        header->channel = number;
        header->stop = stop;
        header->flits = flits;
        header->route = route;
        header->segment = NONE;
        return;
    }
    uint32_t id = join_buffer(
        band, node,
        &(struct header){
            .message = message, .channel = number, .stop = stop, .flits = flits, .route = route});
    if (id != NONE && in_buffer == 1)
        segment_ask_from(band, id, band->cycle + 1 + network->delay, band->cycle + 1);
}

/* Gives a channel the place of a flit that has left its buffer. */
static inline void return_credit(struct band *band, uint32_t number, bool releases)
{
    struct network *network = band->network;
    struct channel *channel = channel_at(network, number);
    /* Only a full buffer makes its sender wait */
    if (channel->used-- >= network->depth && channel->owner != NONE) {
        struct segment *segment = &band->segment[channel->owner];
        if (segment->out < segment->in && (segment->lacking == 0 || !network->is_lockstep))
            list_mover(band, channel->owner);
    }
    /* Under cut-through a free channel may have room now */
    if (releases || network->switching == SWITCHING_CUT_THROUGH)
        credit_frees(band, number, releases);
}

#endif
