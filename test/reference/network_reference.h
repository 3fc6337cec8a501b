/* network_reference.h - the golden model of the network: doc/network.md in its plainest form.
 *
 * golden_X does what network_X does (network/network.h); it shares types with network/, and no
 * code. Its whole state is open for comparisons.
 */
#ifndef MESHCAST_TEST_REFERENCE_NETWORK_REFERENCE_H
#define MESHCAST_TEST_REFERENCE_NETWORK_REFERENCE_H

#include "network/network.h"

/* The most of each kind: nodes, links, channels of a link or node, outputs of a header, worms,
 * living parts. */
enum { GOLDEN_NODES = 256, GOLDEN_LINKS = 1024, GOLDEN_CHANNELS = 16, GOLDEN_OUTPUTS = 20 };
enum { GOLDEN_WORMS = 1024, GOLDEN_PARTS = 1024 };

#define GOLDEN_NEVER UINT64_MAX /* a cycle that is not known yet */
#define GOLDEN_NOWHERE UINT32_MAX

struct golden_message {
    uint32_t number, source, flits;
    uint64_t created, delivered; /* cycles, or GOLDEN_NEVER */
    struct plan plan;
    uint32_t first_worm;     /* its worms are golden->worm[first_worm ..] */
    uint32_t left;           /* destinations that have not got it yet */
    uint32_t *times_at_node; /* [nodes]: the times that each node has absorbed it */
};

/* A worm of a plan. */
struct golden_worm {
    struct golden_message *message;
    uint32_t number, flits;
    const struct worm *plan;
    uint64_t ready, startup_end; /* cycles, or GOLDEN_NEVER */
    uint64_t asks;               /* for an injection channel, from this cycle on */
    uint64_t enters;             /* its header passes that channel in this cycle */
    uint64_t opens;              /* circuit: from this cycle on the other flits may follow */
    struct golden_part *part;    /* in the injection buffer, from the grant on */
    bool moves;                  /* a flit passes the injection channel in this cycle */
    size_t run;                  /* the event of the last flits that did, plus 1 */
};

/* The next place of a header in a buffer: a consumption channel, or a next stop. */
struct golden_output {
    uint32_t stop;                  /* GOLDEN_NOWHERE: a consumption channel */
    struct golden_channel *channel; /* NULL: not granted yet */
    struct golden_part *next;       /* in the channel's buffer, when the header has got there */
    uint32_t sent;                  /* flits that have moved over it */
    bool moves;                     /* one does in this cycle */
    size_t run;                     /* the event of the last ones, plus 1 */
};

/* A worm in a buffer, from its header's entry (or from the grant of an injection channel) until its
 * tail has left. */
struct golden_part {
    struct golden_worm *worm;
    struct golden_channel *in;  /* whose buffer it is */
    struct golden_part *before; /* in that buffer, directly; NULL: none */
    struct golden_part
        *behind;         /* the same worm's, towards its tail; NULL: this is the injection buffer */
    uint32_t node, stop; /* where it is; the stop where it is, or for which it is bound */
    uint64_t header_came, tail_came; /* in which cycles, or GOLDEN_NEVER */
    uint64_t asks;                   /* since this cycle, or GOLDEN_NEVER */
    uint32_t entered, left;          /* flits that have */
    uint32_t outputs;
    struct golden_output output[GOLDEN_OUTPUTS];
    bool can_go_on; /* of the search for deadlocks */
};

struct golden_channel {
    enum { GOLDEN_INJECTION, GOLDEN_VIRTUAL, GOLDEN_CONSUMPTION } kind;
    struct golden_link *link; /* of a virtual channel */
    uint32_t number;          /* on the link, or at the node */
    uint32_t node;            /* at the receiving end */
    struct golden_worm *owner;
    struct golden_part *sender; /* the owner's part that sends over it .. */
    struct golden_output *over; /* .. by this output */
    struct golden_part *last;   /* in its buffer, behind all others */
};

struct golden_link {
    uint32_t from, to; /* GOLDEN_NOWHERE: there is no such link */
    struct golden_channel channel[GOLDEN_CHANNELS];
    uint32_t pointer; /* the virtual channel that comes first */
    bool is_used;     /* in this cycle */
    uint64_t flits;
};

struct golden_node {
    uint32_t injections, consumptions;
    struct golden_channel injection[GOLDEN_CHANNELS], consumption[GOLDEN_CHANNELS];
    struct golden_worm *starting; /* on which its processor works */
};

struct golden_event {
    uint64_t cycle;
    struct network_event event;
};

struct golden {
    const struct topology *topology;
    const struct routing *routing;
    struct network_settings settings;
    uint32_t classes;
    struct golden_node node[GOLDEN_NODES];
    struct golden_link link[GOLDEN_LINKS];
    uint32_t messages, worms, parts, parts_made;
    struct golden_message **message;
    struct golden_worm *worm[GOLDEN_WORMS];
    struct golden_part *part[GOLDEN_PARTS]; /* the living ones, .. */
    struct golden_part **part_made;         /* .. and all */
    struct network_counts counts;
    bool has_moved; /* a flit, in this cycle */
    size_t events;
    struct golden_event *event;
    enum failure_kind failed; /* FAIL_CHECK: by a deadlock or an overflow */
    uint32_t waits;
    struct network_wait wait[GOLDEN_PARTS];
};

/* Settings must be valid. To be freed. */
struct golden *golden_make(const struct topology *topology, const struct routing *routing,
                           const struct network_settings *settings);
void golden_free(struct golden *g);
void golden_post(struct golden *g, uint64_t cycle, const struct multicast *multicast,
                 const struct plan *plan);

/* Runs one cycle; false, and nothing done, if nothing is left to do or the run has failed. */
bool golden_cycle(struct golden *g);

struct network_channel golden_channel_at(const struct golden *g, uint64_t link, uint32_t vc);
uint64_t golden_unsent(const struct golden *g, uint32_t node);

/* Sorts the events so far as the trace shows them. No cycle may follow. */
void golden_sort_events(struct golden *g);

/* ---- between the files of the model ---- */

static inline bool golden_is_circuit(const struct golden *g)
{
    return g->settings.switching == SWITCHING_CIRCUIT;
}

/* Circuits are worms, too. */
static inline bool golden_is_wormhole(const struct golden *g)
{
    return g->settings.switching == SWITCHING_WORMHOLE || golden_is_circuit(g);
}

static inline bool golden_is_stored(const struct golden *g)
{
    return g->settings.switching == SWITCHING_STORE_AND_FORWARD;
}

/* The three parts of a cycle. */
void golden_start_worms(struct golden *g);
void golden_grant_requests(struct golden *g);
void golden_move_flits(struct golden *g);

/* Adds an event of this cycle. */
struct golden_event *golden_add_event(struct golden *g, char kind, const uint32_t field[6]);

/* Adds a flit to a run, or begins a new one; field[count] is the number of flits. */
void golden_add_to_run(struct golden *g, size_t *run, char kind, const uint32_t field[6],
                       int count);

/* A worm gets into a channel's buffer, at a stop or bound for it. */
struct golden_part *golden_make_part(struct golden *g, struct golden_worm *worm, uint32_t stop,
                                     struct golden_channel *in, struct golden_part *behind);

/* A flit enters the part's buffer. */
void golden_enter(struct golden *g, struct golden_part *part);

/* The tail has passed a consumption channel: the node holds the message from the next cycle on. */
void golden_absorb(struct golden *g, struct golden_message *message, uint32_t node);

uint32_t golden_flits(const struct golden_channel *channel);

/* The virtual or consumption channels among which an output chooses, in its order of preference. */
enum { GOLDEN_CHOICES = ROUTING_CHOICES * GOLDEN_CHANNELS };
uint32_t golden_choices(struct golden *g, const struct golden_part *part,
                        const struct golden_output *output,
                        struct golden_channel *choice[GOLDEN_CHOICES]);

/* Order by message, worm, and stop. */
int golden_compare(const struct golden_part *one, const struct golden_part *other);

/* Searches for a deadlock and fills `wait`; false: there is none. */
bool golden_search(struct golden *g);

#endif
