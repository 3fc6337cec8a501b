/* reference.h - the golden model: the mesh machine of doc/model.md in its plainest form.
 *
 * model_X does what machine_X does, or word_X; the contracts stand in machine/. The model shares types with
 * machine/, and no code. Its whole state is open to whoever compares.
 */
#ifndef MESHCAST_TEST_REFERENCE_REFERENCE_H
#define MESHCAST_TEST_REFERENCE_REFERENCE_H

#include "machine/attempt.h"
#include "machine/channel.h"
#include "machine/cycle.h"
#include "machine/plane.h"
#include "machine/word.h"

/* The largest mesh, the most slots and phases, and what else there is at most. */
enum { MOST_NODES = 400, MOST_SLOTS = 4800, MOST_PHASES = 64 };
enum { ASIDE_LEVELS = 4, VIRTUAL_CHANNELS = 8 };

/* The packets of a node are in lists, in the order in which they came. "+ d": there is one list for each
 * direction. */
enum list {
    ASIDE, /* + level */
    ON_PLANE = ASIDE + ASIDE_LEVELS,
    RESTING,
    MARCHING,                               /* around their cycle */
    COPYING,                                /* wait for the node to copy them */
    LINK_QUEUE,                             /* + d: wait for the link, and for nothing else */
    INPUT_BUFFER = LINK_QUEUE + DIRECTIONS, /* + 4 * class + d: a virtual channel */
    INJECTION = INPUT_BUFFER + VIRTUAL_CHANNELS,
    REGISTER,          /* a copy that turns off into a row waits here, .. */
    REGISTER_VERTICAL, /* .. into a column, .. */
    REGISTER_INJECTED, /* .. or that of the injected packet */
    CIRCULATING,       /* and not waiting for a copy */
    ARRIVING,          /* + d: have crossed the link in this step */
    LISTS = ARRIVING + DIRECTIONS,
};

struct packet {
    uint32_t name;
    struct node *node; /* NULL: there is no such packet */
    unsigned list;
    struct packet *next;     /* of the list */
    uint64_t acted;          /* the last step in which it crossed a link or was copied (rule 2) */
    enum direction heading;  /* over the link that it takes next, .. */
    uint32_t stop;           /* .. to the row or column where the rule is asked again */
    uint32_t urgency;        /* in a queue the most urgent packet goes first */
    unsigned class;          /* of its virtual channel, or CHANNEL_EXPRESS */
    unsigned wanted;         /* in channels: the outputs that are left */
    uint64_t rank;           /* on a plane */
    uint32_t hops;           /* on a cycle: until it has something to do */
    struct link *on;         /* on a circuit: leaves by this link */
    uint32_t split_at;       /* on a circuit: the place where a part of it is to begin */
    node_place delivered_at; /* of the slot of this name */
};

/* A directed link. */
struct link {
    struct node *to;     /* NULL: the mesh ends here */
    struct link *back;   /* the other direction */
    uint64_t used;       /* the last step in which it carried an item (rule 1) */
    struct word word[2]; /* the last ones of even and of odd word steps, .. */
    uint64_t said_in[2]; /* .. and the steps */
    /* Of the circuit of which it is a part: */
    uint32_t place, next_place; /* from one of its places to the other */
    uint64_t rounds;            /* that have been done over it */
    struct packet *held[2];     /* those that leave by it in rounds of even and of odd number */
    bool goes;                  /* it does a round in this step */
};

/* What a cell of the open plane has, and where it lives. */
struct cell {
    struct packet *packet; /* NULL: none */
    uint64_t rank;         /* of two that are compared the smaller one goes to the start */
    struct node *home;     /* its own node while no lines are paired */
    bool is_second;        /* of the two cells at its home */
};

/* What an instruction on planes tells a cell. */
struct duty {
    uint32_t line, segment;
    uint32_t at;           /* where it is on its line, counted from where the cuts repeat */
    int x, length;         /* where it is in its segment, and how long that is */
    bool is_odd;           /* is compared with the next one in odd steps first */
    bool descends;         /* the smaller one goes to the end */
    bool turns;            /* a snake turns here into the next line */
    int way;               /* how many cells its packet walks */
    struct packet *coming; /* to this cell */
};

struct node {
    struct site site;
    struct link link[DIRECTIONS];
    struct packet *at[LISTS]; /* the first packet of each list */
    struct cell cell;
    struct duty duty;
    uint64_t copied;             /* the last step in which it made a copy (rule 3) */
    bool has_discarded;          /* for want of room, in an attempt */
    bool may_inject;             /* some packet that rests has not declined to inject */
    bool full[VIRTUAL_CHANNELS]; /* the credits: full at the end of the last step */
};

struct model {
    struct machine_config config;
    struct machine_attempt attempt; /* all 0 where there is none */
    struct headers header;
    struct header packet_header[MOST_SLOTS];
    node_place destination[MOST_SLOTS];
    struct packet packet[MOST_SLOTS];
    struct node node[MOST_NODES], *end; /* behind the last one */

    struct machine_counts counts;
    struct machine_phase phase[MOST_PHASES], *now;
    uint32_t phases, own_peak, aside_levels;
    uint64_t duplicated, discarded, begun, sync_word_steps, word_step;
    struct failure failure; /* of the last call; its kind may be FAIL_VOID */

    /* Of the call under way. */
    uint32_t capacity;
    bool wakes;
    const struct routing_rule *rule;
    const struct channel_rule *channel; /* NULL: it is not machine_channel */
    const struct circuit *circuit;
    struct link *place[MOST_NODES * DIRECTIONS]; /* of the circuit: by which one leaves it */

    /* Of the open plane. */
    bool plane_is_open, is_paired, columns_are_paired;
    bool is_along_pairs, is_silent; /* the instruction; it needs no words */
    int stride;                     /* from a cell to the next one of its line */
};

/* To be freed. `before` is what attempt->before is to a machine, or NULL. Of `config` crew, threads, trace,
 * kernel and attempt->before are not read. */
struct model *model_create(const struct machine_config *config, const struct model *before);

/* How many packets are in the lists first .. last of the nodes from .. to - 1. */
uint32_t model_count(const struct node *from, const struct node *to, unsigned first, unsigned last);
static inline uint32_t model_resting(const struct model *m)
{
    return model_count(m->node, m->end, ON_PLANE, MARCHING);
}
static inline uint32_t model_travelling(const struct model *m)
{
    return model_count(m->node, m->end, COPYING, LISTS - 1);
}

uint64_t model_steps_left(const struct model *m);
void model_begin_phase(struct model *m, const char *name);
void model_inject(struct model *m, node_index node, uint32_t packet);
void model_idle(struct model *m, uint64_t steps);
void model_set_aside(struct model *m, bool (*stays)(void *context, uint32_t packet), void *context);
void model_take_back(struct model *m);
void model_give_up(struct model *m);

void model_prepare_words(struct model *m);
bool model_word_received(const struct model *m, struct site site, enum direction side,
                         struct word *word);
void model_word_send(struct model *m, struct site site, enum direction side, struct word word);
typedef void model_act(void *context, struct model *m, uint32_t row, uint64_t step);
void model_word_steps(struct model *m, uint64_t steps, model_act *act, void *context);

void model_forward(struct model *m, const struct routing_rule *rule, bool wake, uint64_t limit);
void model_channel(struct model *m, const struct channel_rule *rule, bool wake, uint64_t limit);
void model_channel_halt(struct model *m);
void model_march(struct model *m, const struct march *march, uint32_t hops);
void model_circulate(struct model *m, const struct circuit *circuit);

void model_open_plane(struct model *m, uint32_t (*key)(void *context, uint32_t packet),
                      void *context);
void model_close_plane(struct model *m);
void model_compare(struct model *m, const struct compare *compare);
void model_compare_snakes(struct model *m, const struct snakes *snakes);
void model_permute(struct model *m, const struct permute *permute);
void model_rotate(struct model *m, const struct rotate *rotate);
void model_pair(struct model *m, const struct lines *lines);
void model_unpair(struct model *m);

#endif
