/* network_deadlock_private.h - the state of a search for deadlocks, shared by its files. For network/ only. */
#ifndef MESHCAST_NETWORK_NETWORK_DEADLOCK_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_DEADLOCK_PRIVATE_H

#include "network/network_steps_private.h"

/* Channels of which a header takes any one: the channels of one class on a link, or the consumption channels of a node. */
struct group {
    uint32_t flits : 31;   /* the longest message that can get one of the channels; 0: none can */
    uint32_t is_known : 1; /* `flits` is set */
    uint32_t waiters;      /* 1 + the place in search->waiter of the newest waiter; 0: none */
};

/* `flits` of a group in which some channel can be given back, or its buffer be emptied. */
#define GROUP_ANY_MESSAGE ((UINT32_C(1) << 31) - 1)

/* A part that keeps another one from going on, and what the other one lacks. */
struct blocker {
    uint32_t part;
    enum network_need need;
    uint32_t to;
};

struct blockers {
    struct blocker *item;
    uint32_t count, allocated;
};

/* Parts are numbered across all bands. */
struct search {
    struct network *network;
    uint32_t base[MOST_BANDS]; /* the number of a band's first part */
    struct part **part;        /* [number] */
    bool *can_go_on;           /* [number]: the part is known to be able to go on */
    bool *clears;              /* [number]: it and all parts behind it in its worm can go on */
    uint32_t *before;          /* [number]: the part directly before it in its buffer, or NONE */
    uint32_t *open;            /* [opens]: parts in buffers, at the end the deadlocked ones */
    uint32_t opens;
    uint32_t classes;          /* of the routing */
    struct group *group;       /* [links][classes], then [nodes] */
    struct index_list waiter;  /* pairs: a part, then the group's next waiter as in struct group */
    struct index_list found;   /* parts that can go on, whose dependents are not looked at yet */
    struct index_list cleared; /* parts that clear, likewise */
    struct blockers blockers;  /* of one header */
    struct index_list header;  /* the walk along deadlocked headers */
    bool is_short;             /* a list has found no memory */
};

/* Returns the number of a band's part. */
static inline uint32_t search_number(const struct search *search, const struct band *band,
                                     uint32_t id)
{
    return search->base[band - search->network->band] + id;
}

static inline void search_push(struct search *search, struct index_list *list, uint32_t item)
{
    search->is_short |= !index_push(list, item);
}

/* Begins a search in which nothing is known yet. Returns false if there is no memory; search_end() in any case. */
bool search_begin(struct search *search, struct network *network);
void search_end(struct search *search);

/* Finds the parts that can go on. */
void search_find(struct search *search);

/* Finds the parts that can go on because those in `found` can. */
void search_spread(struct search *search);

/* Leaves only the parts that cannot go on in `open`. */
void search_keep_deadlocked(struct search *search);

/* Return the part that sends over a channel, the first part in its buffer, and the last one, or NONE. */
uint32_t search_owner(const struct search *search, uint32_t channel);
uint32_t search_front(const struct search *search, uint32_t channel);
uint32_t search_last(const struct search *search, uint32_t channel);

/* Returns the part directly behind a part in the same worm; NONE if its tail has come, or comes from a feeder. */
uint32_t search_behind(const struct search *search, const struct part *part);

/* Return the group of a class of channels on a link, and of the consumption channels of a node. */
struct group *search_link_group(const struct search *search, uint32_t link, uint32_t class);
struct group *search_consumption_group(const struct search *search, uint32_t node);

/* True if a link's channel can be given back, or, under cut-through, its buffer be emptied. */
bool search_can_be_had(const struct search *search, uint32_t channel);

/* Looks whether a part can go on, and notes it. If not, the part waits in the groups of its first output that cannot. */
bool search_look(struct search *search, uint32_t g);

/* Adds a part to `blockers`. */
void search_block(struct search *search, struct blocker blocker);

/* Lists in `blockers` what a part that cannot go on waits for. */
void search_name_blockers(struct search *search, uint32_t g);

#endif
