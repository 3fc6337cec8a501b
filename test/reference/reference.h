/* reference.h - the golden model: the mesh machine of doc/model.md in its slowest and plainest form.
 *
 * Every function does what the function of the same name in machine/ does, with the same arguments;
 * the contracts stand there (machine/machine.h, channel.h, circuit.h, march.h, plane.h). The model
 * shares public types with machine/, and no code. Its whole state is below, open to whoever compares.
 */
#ifndef MESHCAST_TEST_REFERENCE_REFERENCE_H
#define MESHCAST_TEST_REFERENCE_REFERENCE_H

#include "machine/channel.h"
#include "machine/circuit.h"
#include "machine/march.h"
#include "machine/plane.h"

enum { REFERENCE_ASIDE_LEVELS = 4, REFERENCE_CHANNELS = 8, REFERENCE_PHASES = 64 };

/* Where in its node a packet is. Places that come in several are an array: LINK_QUEUE + d is that of
 * link d, INPUT_BUFFER + 4 * class + d that of the virtual channel `class` in direction d. */
enum reference_place {
    RESTING,
    ASIDE,                                   /* + level */
    WAKING = ASIDE + REFERENCE_ASIDE_LEVELS, /* about to be looked at */
    COPYING,                                 /* waits for the node to copy it */
    LINK_QUEUE,                              /* + d: waits to cross the link (machine_forward) */
    EXPRESS_QUEUE = LINK_QUEUE + DIRECTIONS, /* + d: the same for express packets */
    INPUT_BUFFER =
        EXPRESS_QUEUE + DIRECTIONS, /* the sources of links, in the order of their rank */
    INJECTION = INPUT_BUFFER + REFERENCE_CHANNELS,
    REGISTER,          /* a copy that turns off into a row waits here, .. */
    REGISTER_VERTICAL, /* .. into a column, .. */
    REGISTER_INJECTED, /* .. or that of the injected packet */
    CIRCULATING,
    ON_PLANE,
    ARRIVING, /* + d: has crossed the link in this step */
};
enum { REFERENCE_SOURCES = REGISTER_INJECTED + 1 - INPUT_BUFFER };

/* A packet lives at one node until it ends; the packets of a node are a list in which the one that
 * came to its place last is the last. */
struct reference_packet {
    node_index node; /* MESH_NO_NODE: there is no such packet */
    enum reference_place place;
    uint32_t next;    /* of the node's list; MACHINE_NONE: it is the last */
    uint64_t acted;   /* the last step in which it crossed a link or was copied (rule 2) */
    uint32_t stop;    /* the row or column where the rule is asked next */
    uint32_t urgency; /* in a queue the most urgent packet goes first */
    unsigned class;   /* its virtual channel, or CHANNEL_EXPRESS */
    unsigned wanted;  /* in channels: the parts that are still to leave it here */
    uint32_t key;     /* on a plane */
};

struct reference_node {
    uint32_t first;                /* of its list of packets */
    uint64_t copied;               /* the last step in which it made a copy (rule 3) */
    bool has_discarded;            /* for want of room, in an attempt */
    bool may_inject;               /* some packet that rests has not declined to inject */
    bool full[REFERENCE_CHANNELS]; /* the credits: full at the end of the last step */
};

/* A directed link. */
struct reference_link {
    uint64_t used;            /* the last step in which it carried an item (rule 1) */
    bool has_come, is_coming; /* a word, in the step before and in this one */
    struct word came, coming;
};

/* The cells of the open plane. A cell has the index of the node where it lives while no lines are
 * paired. */
struct reference_plane {
    bool is_open, is_paired, columns_are_paired;
    uint32_t *packet;    /* [cell] */
    uint32_t *home;      /* [position]: where on its paired line the cell's node is */
    uint32_t *is_second; /* [position]: the cell is the second one of its node */
};

struct reference_event {
    uint64_t step;
    struct machine_event event;
};

struct reference {
    struct machine_config config;
    struct machine_attempt attempt; /* all 0 where there is none */
    uint32_t nodes;
    struct headers header;
    struct reference_node *node;
    struct reference_link *link; /* [node * DIRECTIONS + d] */
    struct reference_packet *packet;
    node_place *delivered_at;
    struct reference_plane plane;

    struct machine_counts counts;
    uint32_t phases;
    struct machine_phase phase[REFERENCE_PHASES];
    uint64_t duplicated, discarded;
    uint64_t begun,
        sync_word_steps; /* the clock when the attempt began; steps that its budget spares */
    uint32_t own_peak;   /* of this attempt alone */
    uint32_t aside_levels;
    uint32_t proven_capacity; /* of the call under way; 0: none */

    struct reference_event *event; /* all that has happened, in order */
    size_t events, event_room;
};

/* Of `config` crew, threads, trace, observer, kernel and attempt->before are not read. `before`: what
 * attempt->before is to a machine, or NULL. Without memory the program stops. */
struct reference *reference_create(const struct machine_config *config,
                                   const struct reference *before);
void reference_free(struct reference *model);

struct site reference_site(const struct reference *model, node_index node);
/* The first packet of a place at a node, and the one behind `packet`; MACHINE_NONE: none. */
uint32_t reference_first(const struct reference *model, node_index node,
                         enum reference_place place);
uint32_t reference_next(const struct reference *model, uint32_t packet);
uint64_t reference_resting(const struct reference *model);
uint64_t reference_travelling(const struct reference *model);
uint64_t reference_steps_left(const struct reference *model);

void reference_begin_phase(struct reference *model, const char *name);
enum failure_kind reference_inject(struct reference *model, node_index node, uint32_t packet,
                                   struct failure *failure);
void reference_idle(struct reference *model, uint64_t steps);
void reference_set_aside(struct reference *model, bool (*stays)(void *context, uint32_t packet),
                         void *context);
void reference_take_back(struct reference *model);
void reference_give_up(struct reference *model);

enum failure_kind reference_forward(struct reference *model, const struct routing_rule *rule,
                                    bool wake, uint64_t limit, struct failure *failure);
enum failure_kind reference_channel(struct reference *model, const struct channel_rule *rule,
                                    bool wake, uint64_t limit, struct failure *failure);
void reference_channel_halt(struct reference *model);
enum failure_kind reference_march(struct reference *model, const struct march *march, uint32_t hops,
                                  struct failure *failure);
enum failure_kind reference_circulate(struct reference *model, const struct circuit *circuit,
                                      struct failure *failure);

/* Words. */
typedef void reference_act(void *context, struct reference *model, uint32_t row, uint64_t step);
enum failure_kind reference_prepare_words(struct reference *model, struct failure *failure);
bool reference_word_received(const struct reference *model, struct site site, enum direction side,
                             struct word *word);
void reference_word_send(struct reference *model, struct site site, enum direction side,
                         struct word word);
void reference_word_steps(struct reference *model, uint64_t steps, reference_act *act,
                          void *context);

enum failure_kind reference_open_plane(struct reference *model,
                                       uint32_t (*key)(void *context, uint32_t packet),
                                       void *context);
void reference_close_plane(struct reference *model);
enum failure_kind reference_compare(struct reference *model, const struct compare *compare,
                                    struct failure *failure);
enum failure_kind reference_rotate(struct reference *model, const struct rotate *rotate,
                                   struct failure *failure);
enum failure_kind reference_pair(struct reference *model, const struct lines *lines,
                                 struct failure *failure);
enum failure_kind reference_unpair(struct reference *model, struct failure *failure);
enum failure_kind reference_permute(struct reference *model, const struct permute *permute,
                                    struct failure *failure);
enum failure_kind reference_compare_snakes(struct reference *model, const struct snakes *snakes,
                                           struct failure *failure);

#endif
