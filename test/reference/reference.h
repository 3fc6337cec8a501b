/* reference.h - the golden model: the mesh machine of doc/model.md in its plainest form.
 *
 * model_X does what machine_X does, or word_X; the contracts are in machine/. The model shares
 * types with machine/, and no code. Its whole state is open for comparisons.
 */
#ifndef MESHCAST_TEST_REFERENCE_REFERENCE_H
#define MESHCAST_TEST_REFERENCE_REFERENCE_H

#include "machine/attempt.h"
#include "machine/channel.h"
#include "machine/cycle.h"
#include "machine/gather.h"
#include "machine/plane.h"
#include "machine/word.h"

/* The largest mesh, the most slots and phases, and other limits. */
enum { MOST_NODES = 400, MOST_SLOTS = 4800, MOST_PHASES = 64 };
enum { PARKED_LEVELS = 4, VIRTUAL_CHANNELS = 8 };

/* The packets of a node are in lists, in the order in which they came. "+ d": there is one list for
 * each direction. */
enum list {
    ASIDE, /* + level */
    ON_PLANE = ASIDE + PARKED_LEVELS,
    RESTING,
    MARCHING,                               /* around their cycle */
    COPYING,                                /* wait for the node to copy them */
    LINK_QUEUE,                             /* + d: wait for the link, and for nothing else */
    INPUT_BUFFER = LINK_QUEUE + DIRECTIONS, /* + 4 * class + d: a virtual channel */
    INJECTION = INPUT_BUFFER + VIRTUAL_CHANNELS,
    REGISTER_ROWS,     /* a copy that turns off into a row waits here, .. */
    REGISTER_COLS,     /* .. one that turns off into a column, .. */
    REGISTER_INJECTED, /* .. or one of the injected packet */
    ARRIVING,          /* + d: have crossed the link in this step */
    LISTS = ARRIVING + DIRECTIONS,
    INPUT = LISTS, /* the input queue, which is no part of the buffer */
    ALL_LISTS,
};

struct packet {
    uint32_t name;
    struct node *node; /* NULL: there is no such packet */
    unsigned list;
    struct packet *next;    /* of the list */
    uint64_t acted;         /* the last step in which it crossed a link or was copied (rule 2) */
    enum direction heading; /* over the link that it takes next, .. */
    uint32_t stop;          /* .. to the row or column where the rule is asked again */
    uint32_t urgency;       /* in a queue the most urgent packet goes first */
    unsigned class;         /* of its virtual channel, or CHANNEL_EXPRESS */
    unsigned wanted;        /* in channels: the outputs that are left */
    uint64_t rank;          /* on a plane: by key, then by name */
    uint32_t hops;          /* on a cycle: until it has something to do */
    uint32_t cycle, number; /* on a cycle: which, and at which of its places */
    bool has_begun;         /* to march: else it may be split */
    uint32_t due,
        parts; /* of a contribution: the step in which it may leave; the number of combined ones */
};

/* A directed link. */
struct link {
    struct node *to;     /* NULL: the mesh ends here, or the link is missing */
    struct link *back;   /* the other direction */
    uint64_t used;       /* the last step in which it carried an item (rule 1) */
    struct word word[2]; /* the last ones of even and of odd word steps, .. */
    uint64_t said_in[2]; /* .. and the steps */
};

struct node {
    struct site site;
    struct link link[DIRECTIONS];
    struct packet *at[ALL_LISTS]; /* the first packet of each list */
    uint64_t copied;              /* the last step in which it made a copy (rule 3) */
    bool has_discarded;           /* for want of room, in an attempt */
    bool may_inject;              /* some packet that rests has not declined to inject */
    bool full[VIRTUAL_CHANNELS];  /* the credits: full at the end of the last step */
};

/* A cell of the open plane, each of which lives at its own node while no lines are paired. */
struct cell {
    struct packet *packet; /* NULL: none */
    struct node *home;
    bool is_second; /* of the two cells at its home */
    /* For the instruction: */
    uint32_t line, segment, at; /* where it is; `at`: counted from where the cuts repeat */
    int x, length;              /* where it is in its segment, and how long that is */
    uint64_t rank;              /* of two that are compared the later cell gets the larger one */
    struct cell *later;         /* NULL: it is compared with none; .. */
    bool is_odd;                /* .. in odd rounds, or in even ones */
    int way;                    /* cells that its packet walks */
};

/* The state of a message that a node may expect; in an earlier attempt: it holds it. */
enum expectation { UNEXPECTED, EXPECTED, HAS_COME, IS_HELD };

struct model {
    struct machine_config config;
    struct machine_attempt attempt; /* all 0 where there is none */
    struct headers header;
    struct header packet_header[MOST_SLOTS];
    node_place destination[MOST_SLOTS];
    struct packet packet[MOST_SLOTS];
    struct node node[MOST_NODES], *end; /* behind the last one */
    struct cell cell[MOST_NODES];

    struct machine_counts counts;
    struct machine_phase phase[MOST_PHASES], *now;
    uint32_t phases, own_peak, aside_levels;
    uint8_t *expectation; /* [node * messages + message]; NULL: not known. The caller's */
    uint32_t messages, first_wrong;
    uint64_t wrong, discarded, begun, sync_word_steps, word_step;
    struct failure failure; /* of the last call; its kind may be FAIL_VOID */

    /* The call under way: */
    uint64_t step; /* from 1 */
    uint32_t capacity;
    bool wakes;
    const void *how;                    /* the march */
    const struct routing_rule *rule;    /* of packets that go to their stops */
    const struct channel_rule *channel; /* NULL: it is not machine_channel */

    /* The open plane: */
    bool plane_is_open, is_paired, columns_are_paired;
    bool is_along_pairs, is_silent; /* the instruction; it needs no words */
    int stride;                     /* from a cell to the next one of its line */
};

/* An instruction is a program that every node does in every step. NULL: nothing. */
typedef void node_act(struct model *m, struct node *node);
struct instruction {
    /* the packets that leave it; nodes act by their contents when the step began .. */
    node_act *leave;
    void (*come)(struct model *m, struct node *node,
                 struct packet *p); /* each packet that has come */
    /* .. and by the notes of all when the last one ended: credits */
    node_act *note;
};

/* A call lasts so many steps. A failure ends it before. */
enum bound {
    FIXED,
    BOUNDED,    /* it also ends when the steps of the attempt or of the run are spent, .. */
    UNTIL_DONE, /* .. and when nothing is under way, .. */
    WHILE_ANY,  /* .. or else when there is no packet at all */
};
void run(struct model *m, const struct instruction *instruction, uint64_t steps, enum bound bound);
void each_node(struct model *m, node_act *act);

/* Events of a packet: it goes to the end of a list, or nowhere if `node` is NULL; is injected;
 * crosses a link (NULL: a word crosses it) to a neighbour; is copied; is delivered to one of its
 * destinations; is discarded; is merged into another one. */
void put(struct packet *p, struct node *node, unsigned list);
void begin_to_rest(struct model *m, struct node *node, struct packet *p);
void cross(struct model *m, struct node *from, struct node *to, struct packet *p, unsigned list);
struct packet *copy(struct model *m, struct packet *p, uint32_t name, unsigned list);
void deliver(struct model *m, struct packet *p, uint32_t slot);
void discard(struct model *m, struct packet *p);
void merge(struct model *m, struct packet *p, struct packet *into);

/* Makes a model, which the caller frees. `before` corresponds to a machine's attempt->before, or is
 * NULL. Of `config` threads, trace, kernel, attempt->before and expected are not read. */
struct model *model_create(const struct machine_config *config, const struct model *before);

/* Returns the number of packets in the lists first .. last of the nodes from .. to - 1. */
uint32_t model_count(const struct node *from, const struct node *to, unsigned first, unsigned last);
static inline uint32_t model_resting(const struct model *m)
{
    return model_count(m->node, m->end, ON_PLANE, MARCHING) +
           model_count(m->node, m->end, INPUT, INPUT);
}
static inline uint32_t model_travelling(const struct model *m)
{
    return model_count(m->node, m->end, COPYING, LISTS - 1);
}

uint64_t model_steps_left(const struct model *m);
void model_begin_phase(struct model *m, const char *name);
void model_inject(struct model *m, node_index node, uint32_t packet);
void model_queue(struct model *m, node_index node, uint32_t packet);
void model_idle(struct model *m, uint64_t steps);
void model_set_aside(struct model *m, bool (*stays)(void *context, uint32_t packet), void *context);
void model_take_back(struct model *m);
void model_give_up(struct model *m);

typedef void model_act(void *context, struct model *m, uint32_t row, uint64_t step);
void model_prepare_words(struct model *m);
bool model_word_received(const struct model *m, struct site site, enum direction side,
                         struct word *word);
void model_word_send(struct model *m, struct site site, enum direction side, struct word word);
void model_word_steps(struct model *m, uint64_t steps, model_act *act, void *context);

void model_forward(struct model *m, const struct routing_rule *rule, bool wake, uint64_t limit);
void model_channel(struct model *m, const struct channel_rule *rule, bool wake, uint64_t limit);
void model_march(struct model *m, const struct march *march, uint32_t hops);

void model_contribute(struct model *m, node_index node, uint32_t packet);
void model_gather(struct model *m, const struct gather_rule *rule);

void model_open_plane(struct model *m, uint32_t (*key)(void *context, uint32_t packet),
                      void *context);
void model_close_plane(struct model *m);
void model_compare(struct model *m, const struct compare *compare);
void model_compare_snakes(struct model *m, const struct snakes *snakes);
void model_permute(struct model *m, const struct permute *permute);
void model_pair(struct model *m, const struct lines *lines);
void model_unpair(struct model *m);

#endif
