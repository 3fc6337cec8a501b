/* network_deadlock_private.h - the search for deadlocks: what is known of the parts. */
#ifndef MESHCAST_NETWORK_NETWORK_DEADLOCK_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_DEADLOCK_PRIVATE_H

#include "network/network_steps_private.h"

/* A part that keeps another one from going on, and what the other one lacks of it. */
struct blocker {
    uint32_t part;
    enum network_need need;
    uint32_t to;
};

struct blockers {
    struct blocker *item;
    uint32_t count, allocated;
};

/* Which parts that keep one from going on are named: of several that all must go on, one will do to look again when it
 * can. */
enum names_blockers { NAMES_NONE, NAMES_ONE_OF_EACH, NAMES_ALL };

/* Parts have a number for all bands. On ranks the band that stands for what is outside has some during a search
 * (network_deadlock_ranks.c). */
struct search {
    struct network *network;
    uint32_t base[MOST_BANDS]; /* the number of a band's first part */
    struct part **part;
    bool *can_go_on;  /* it is known that the part can */
    uint32_t *before; /* the part directly before it in its buffer, or NONE */
    uint32_t *open;   /* parts of which it is not known */
    uint32_t opens;
    uint32_t *bystanders;        /* those that stand by at a part: the first's place, or NONE */
    struct index_list bystander; /* a part, and the next one's place, or NONE; and so on */
    struct index_list found;     /* parts at which others may stand by */
    enum names_blockers names_blockers;
    struct blockers blockers; /* of one part, if they are to be named */
    struct blocker lack;      /* what is looked at now; its `part` is not used */
    struct index_list header; /* the walk along deadlocked headers */
    bool is_short;            /* no memory for a list */
};

static inline uint32_t search_number(const struct search *search, const struct band *band,
                                     uint32_t id)
{
    return search->base[band - search->network->band] + id;
}

static inline void search_block(struct search *search, struct blocker blocker)
{
    struct blockers *list = &search->blockers;
    if (list->count == list->allocated) {
        void *more = list_grow(list->item, &list->allocated, sizeof *list->item);
        search->is_short |= more == NULL;
        if (more == NULL)
            return;
        list->item = more;
    }
    list->item[list->count++] = blocker;
}

/* The band that has what is at a node. */
static inline struct band *search_band(const struct network *network, uint32_t node)
{
    return node_is_here(network, node) ? network_band(network, node)
                                       : &network->band[network->bands];
}

/* Begins a search in which nothing is known yet; false: no memory. search_end() in any case. */
bool search_begin(struct search *search, struct network *network);
void search_end(struct search *search);

/* Finds the parts that can go on, as far as that can be shown. */
void search_find(struct search *search);

/* The same, when it has become known of parts that they can, which are listed in `found`. */
void search_spread(struct search *search);

/* Keeps the parts that cannot go on as the open ones. */
void search_keep_deadlocked(struct search *search);

/* Whether a part and those of its worm behind it are known to be able to go on. */
bool search_rest_can(struct search *search, struct band *band, uint32_t id);

/* The part at the front of a channel's buffer, or NONE. */
uint32_t search_front(const struct search *search, uint32_t channel);

/* Whether it is known that the part can go on. If not, and blockers are to be named, they are those that it waits
 * for. */
bool search_part_can(struct search *search, uint32_t g);

#endif
