/* network.h - a network of routers, cycle by cycle: flits, virtual channels, ports.
 *
 * The events of a cycle are defined in doc/network.md ("The rules of a cycle"). Messages are posted
 * with their plans (network/schemes/scheme.h); the network carries them, and reports the delivered
 * ones with their cycles, and its counts. It checks itself: every destination is served once, every
 * flit arrives in order, every channel is released.
 *
 * Thread rule: a network belongs to the thread that made it; it may use others of its own within a
 * call. The same calls give the same results for any number of threads.
 */
#ifndef MESHCAST_NETWORK_NETWORK_H
#define MESHCAST_NETWORK_NETWORK_H

#include "base/failure.h"
#include "network/schemes/scheme.h"
#include "network/topology/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum switching {
    SWITCHING_WORMHOLE,
    SWITCHING_CUT_THROUGH,
    SWITCHING_STORE_AND_FORWARD,
    SWITCHING_CIRCUIT
};

/* The encoding of a worm's stops in its first flits: within the header flit that every worm has, by
 * a list of node numbers, or by a bit per node of the network. */
enum header_form { STOPS_UNNAMED, STOPS_LISTED, STOPS_MARKED };

enum {
    NETWORK_MAX_VCS = 64,
    NETWORK_MAX_BUFFER = 1 << 20,
    NETWORK_MAX_CHANNELS = 64, /* injection or ejection channels per node */
    NETWORK_MAX_FLITS = 1 << 24,
    NETWORK_MAX_FLIT_BITS = 1 << 16,
    NETWORK_MAX_DELAY = 1 << 20 /* startup, router delay: cycles */
};

/* network_settings_default() fills every field. */
struct network_settings {
    enum switching switching;
    uint32_t vcs; /* V: virtual channels per link, 1 .. */
    /* B: flits per virtual channel, 1 ..; under store-and-forward messages per node, 0: any */
    uint32_t buffer;
    uint32_t injection;       /* I: channels per node; 0: as many as it has links (at least 1) */
    uint32_t consumption;     /* C: the same */
    uint32_t startup;         /* cycles per worm */
    bool startup_is_per_port; /* false: serial, by the node's processor */
    uint32_t router_delay;    /* cycles before a header asks */
    bool is_one_port;         /* one injection channel, and branches leave one after the other */
    /* a virtual channel is free when the tail has left its buffer, not when it has entered it */
    bool releases_when_left;
    enum header_form header;
    uint32_t flit_bits; /* of a flit that names stops, 1 .. */
    uint32_t threads;   /* 1 .. */
};

/* An event of a trace. A run of flits is one event, in the cycle of its last flit. Events come in
 * the order of the trace; since a run ends when the next flit does not follow, events of a cycle
 * may come in a later call, at the latest when the network is freed. */
struct network_event {
    uint32_t kind; /* the letter of the trace, doc/network.md */
    uint32_t field[6];
};

struct network_observer {
    void *context;
    void (*events)(void *context, uint64_t cycle, const struct network_event *event, size_t count);
};

/* A need of a header that waits. */
enum network_need {
    NEED_CONSUMPTION, /* an ejection channel of its node */
    NEED_LINK,        /* a virtual channel of a link, with room for the message under cut-through */
    NEED_ROOM,        /* room in the buffer at the end of a channel that it has */
    NEED_FRONT,       /* the worm before it must leave the buffer */
    NETWORK_NEEDS
};

/* "consumption channel", "virtual channel", "room", "front of the buffer", NULL */
extern const char *const network_need_names[NETWORK_NEEDS + 1];

/* A header that waits in a deadlock, and one for which it waits. */
struct network_wait {
    uint32_t message, worm; /* the message's number, and which worm of its plan, from 0 */
    uint32_t node;          /* the header's node */
    uint32_t waits_for;     /* place in the list */
    uint32_t source;        /* of the message */
    enum network_need need;
    uint32_t to; /* NEED_LINK, NEED_ROOM: the node at the link's end; else `node` */
};

/* A message that is done: delivered to its last destination at `delivered`. */
struct network_delivery {
    uint32_t message;
    uint64_t created, delivered; /* cycles; their difference is the latency */
};

/* A destination of an awaited message that has all of it after `cycle` cycles. */
struct network_receipt {
    uint32_t message, node;
    uint64_t cycle;
};

/* Peaks are taken at the ends of cycles. */
struct network_counts {
    uint64_t cycle;          /* cycles that have ended */
    uint64_t messages, done; /* created so far; delivered to their last destination */
    uint64_t deliveries;     /* destinations served; a source that is its own destination counts */
    uint64_t startups;       /* worms whose headers have passed an injection channel */
    uint64_t crossings;      /* flits over links; injection and consumption do not count */
    uint64_t last_delivery;  /* the cycle count when it was complete */
    /* flits in a buffer of a link; messages per node under store-and-forward */
    uint32_t buffer_peak;
    uint64_t unsent_peak; /* worms of a node that wait to be sent, startups included */
};

/* One virtual channel between two cycles, for tests and pictures: a channel that is free again in
 * the next cycle has no owner. */
struct network_channel {
    uint32_t message, worm; /* of its owner; UINT32_MAX: none */
    uint32_t flits;         /* in its buffer */
};

struct network;

/* Watches an experiment: called from time to time, when `done` messages of `all` are delivered and
 * `cycle` cycles have ended. True: the experiment ends here, with its results so far. */
typedef bool network_watcher(void *context, uint64_t done, uint64_t all, uint64_t cycle);

struct network_settings network_settings_default(void);

/* FAIL_USAGE: a setting is out of range, or two exclude each other; the text names the remedy.
 * `flits` is the longest message. */
enum failure_kind network_check_settings(const struct network_settings *settings,
                                         const struct topology *topology,
                                         const struct routing *routing, uint32_t flits,
                                         struct failure *failure);

/* Returns the flits by which the names of so many stops lengthen a worm, on a network of `nodes`
 * nodes. The first flit that they need is the header, which every message has. */
uint64_t network_header_flits(const struct network_settings *settings, uint32_t nodes,
                              uint32_t stops);

/* Makes an empty network at cycle 0. `topology` and `observer` (may be NULL) must outlive it. All
 * worms follow `routing`. FAIL_USAGE as network_check_settings(); FAIL_SYSTEM: no memory. */
enum failure_kind network_make(struct network **network, const struct topology *topology,
                               const struct routing *routing,
                               const struct network_settings *settings,
                               const struct network_observer *observer, struct failure *failure);
void network_free(struct network *network);

/* Creates a message at `cycle`, which is not in the past; messages are numbered as they are posted.
 * `plan` is copied; one without worms is delivered at once. FAIL_SYSTEM: no memory. */
enum failure_kind network_post(struct network *network, uint64_t cycle,
                               const struct multicast *multicast, const struct plan *plan,
                               struct failure *failure);

/* The number, start and receipts of a message to be posted; no other message has its number. */
struct network_posting {
    uint32_t number;
    uint64_t cycle; /* not in the past */
    /* network_run() ends with the cycle in which a destination has it, and keeps a receipt */
    bool is_awaited;
};

/* Does the same; the order in which messages are posted changes nothing. All messages of a network
 * are posted in one way. */
enum failure_kind network_post_as(struct network *network, const struct network_posting *posting,
                                  const struct multicast *multicast, const struct plan *plan,
                                  struct failure *failure);

/* Runs until `until` cycles have ended, a destination has an awaited message, or nothing is left to
 * do, whichever is first. Idle cycles cost nothing. FAIL_CHECK: a deadlock (network_deadlock()
 * names it), an overflow under store-and-forward (the text says node and cycle), or a check that
 * failed. FAIL_SYSTEM: no memory. */
enum failure_kind network_run(struct network *network, uint64_t until, struct failure *failure);

struct network_counts network_counts(const struct network *network);

/* Returns the messages that were done since the last call, ordered by (delivered, message). The
 * array is the network's, valid until the next call of any function that changes it. */
const struct network_delivery *network_take_done(struct network *network, size_t *count);

/* Returns the receipts since the last call, in any order. The array is the network's, valid as long
 * as that of network_take_done(). */
const struct network_receipt *network_take_receipts(struct network *network, size_t *count);

/* Returns the cycle of waiting worms, waits_for of each being the next one's place; count 0: no
 * deadlock. */
const struct network_wait *network_deadlock(const struct network *network, size_t *count);

/* If a deadlock ended the run, and the scheme has a parameter that avoids deadlocks under
 * cut-through, adds that to the failure's text. */
void network_advise(const struct network *network, const struct scheme *scheme,
                    struct failure *failure);

/* Copies network_deadlock(), which is freed with the network: sets *wait, which the caller frees,
 * and *waits; leaves both unchanged if there is no deadlock. FAIL_SYSTEM: no memory. */
enum failure_kind network_keep_deadlock(const struct network *network, struct network_wait **wait,
                                        size_t *waits, struct failure *failure);

/* Returns the flits that crossed a link so far. */
uint64_t network_link_flits(const struct network *network, uint64_t link);

/* Returns the flits that crossed the busiest link, and sets *from and *to to the nodes at its ends;
 * of several such links it is the first one. Returns 0, and sets neither, if no flit crossed a
 * link. O(links), in the order of memory. */
uint64_t network_busiest_link(const struct network *network, uint32_t *from, uint32_t *to);

struct network_channel network_channel_at(const struct network *network, uint64_t link,
                                          uint32_t vc);

/* Returns the worms of a node that are ready and have not been granted an injection channel: those
 * that wait for the processor, the one in its startup, those that wait for a channel. */
uint64_t network_unsent(const struct network *network, uint32_t node);

/* Returns their number at all nodes together. O(nodes) */
uint64_t network_all_unsent(const struct network *network);

#endif
