/* network_deadlock_private.h - the search for deadlocks: what is known of the parts. */
#ifndef MESHCAST_NETWORK_NETWORK_DEADLOCK_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_DEADLOCK_PRIVATE_H

#include "network/network_steps_private.h"

/* Channels of which a header may take any one: those of one class on a link, or the consumption
 * channels of a node. */
struct group {
    uint32_t flits : 31;   /* the longest message that can have one of the channels; 0: none can */
    uint32_t is_known : 1; /* `flits` is set */
    uint32_t waiters;      /* the newest waiter's place in search->waiter plus 1; 0: nobody waits */
};

/* `flits` of a group of which a channel can be given back, or its buffer be emptied. */
#define GROUP_ANY_MESSAGE ((UINT32_C(1) << 31) - 1)

/* A part that keeps another one from going on, and the thing that the other one lacks. */
struct blocker {
    uint32_t part;
    enum network_need need;
    uint32_t to;
};

struct blockers {
    struct blocker *item;
    uint32_t count, allocated;
};

/* Parts have a number for all bands. On ranks the band that stands for other ranks has parts during
 * a search (network_deadlock_ranks.c); these have no message. */
struct search {
    struct network *network;
    uint32_t base[MOST_BANDS]; /* the number of a band's first part */
    struct part **part;
    bool *can_go_on;  /* the part is known to be able to go on */
    bool *clears;     /* so are all parts of its worm behind it: its tail will come and go */
    uint32_t *before; /* the part directly before it in its buffer, or NONE */
    uint32_t *open;   /* parts of which it is not known whether they can go on */
    uint32_t opens;
    uint32_t classes;          /* of the routing */
    struct group *group;       /* [links][classes], then [nodes] */
    struct index_list waiter;  /* a part, and the place plus 1 of the group's next one, or 0; .. */
    struct index_list found;   /* parts that can go on, whose dependents are to be looked at */
    struct index_list cleared; /* the same of `clears` */
    struct blockers blockers;  /* of one header */
    struct index_list header;  /* the walk along deadlocked headers */
    bool is_short;             /* a list has found no memory */
};

static inline uint32_t search_number(const struct search *search, const struct band *band,
                                     uint32_t id)
{
    return search->base[band - search->network->band] + id;
}

static inline void search_push(struct search *search, struct index_list *list, uint32_t item)
{
    search->is_short |= !index_push(list, item);
}

/* Begins a search in which nothing is known yet; false: no memory. search_end() in any case. */
bool search_begin(struct search *search, struct network *network);
void search_end(struct search *search);

/* Finds the parts that can go on, as far as that can be shown. */
void search_find(struct search *search);

/* The same, once the parts in `found` have become known to be able to go on. */
void search_spread(struct search *search);

/* Keeps the parts that cannot go on as the open ones. */
void search_keep_deadlocked(struct search *search);

/* The part that sends over a channel, the first and the last part in its buffer, or NONE. */
uint32_t search_owner(const struct search *search, uint32_t channel);
uint32_t search_front(const struct search *search, uint32_t channel);
uint32_t search_last(const struct search *search, uint32_t channel);

/* The part directly behind a part in the same worm, or NONE: its tail has come, or comes from a feeder. */
uint32_t search_behind(const struct search *search, const struct part *part);

/* The group of a class of channels on a link, and that of the consumption channels of a node. */
struct group *search_link_group(const struct search *search, uint32_t link, uint32_t class);
struct group *search_consumption_group(const struct search *search, uint32_t node);

/* True if a link's channel can be given back, or, under cut-through, its buffer be emptied. */
bool search_can_be_had(const struct search *search, uint32_t channel);

/* True if the part is now known to be able to go on. If not, it waits in the groups of its first output that cannot go on. */
bool search_look(struct search *search, uint32_t g);

/* Adds a part to `blockers`. */
void search_block(struct search *search, struct blocker blocker);

/* Lists what a part that cannot go on waits for in `blockers`. */
void search_name_blockers(struct search *search, uint32_t g);

#endif
