/* network_ranks_private.h - a network whose nodes are shared out among ranks (base/ranks.h).
 *
 * Each rank has the nodes of some rows of the slowest dimension (of a graph, some nodes), with all that bands own of
 * them. What crosses to a node of another rank goes by mail, as between bands, to a band `outside`, which stands for all
 * other ranks; once a cycle the mail is sent, and what came is mail of `outside`. A head names its message; the first head over a
 * border brings the message's plan along, of which the other rank keeps a copy until the message is done.
 *
 * A message is done when each rank that has destinations of it, and that of its source, have had their **shares** of
 * it; `left` of a copy counts the destinations that are here. The rank of the source adds up.
 *
 * All functions are called by all ranks together, unless they say otherwise; network->failure says when
 * one has failed.
 */
#ifndef MESHCAST_NETWORK_NETWORK_RANKS_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_RANKS_PRIVATE_H

#include "base/number_table.h"
#include "base/ranks.h"
#include "network/network_private.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message that is here, or is of a source that is. */
struct resident {
    struct message *message;
    uint64_t told; /* the outboxes in which its plan has been, a bit each */
    /* Of a source that is here: */
    uint64_t delivered; /* the latest of the shares that have been had */
    uint32_t shares;    /* that have not */
};

/* The messages that are at a rank. */
struct residents {
    struct number_table index; /* in item[], by the numbers of messages */
    struct resident *item;     /* [count], in any order */
    uint32_t count;
    size_t room; /* for items */
};

/* The mail for one neighbour. Only heads are longer than a word. */
struct border_mail {
    struct index_list heads, bodies, credits;
};

/* A link between a node that is here and one that is not. */
struct border_link {
    uint32_t link, from, to;
};

struct network_ranks {
    struct ranks *ranks;
    uint32_t rows, row; /* of the slowest dimension; nodes of one */
    bool wraps, is_graph;
    struct residents residents;
    struct border_mail *outbox; /* for each side; of a graph, for each rank */
    uint32_t outboxes;
    struct border_link *border; /* out of here, and into here */
    uint32_t borders;
    bool *told;      /* [borders][vcs]: of a search for deadlocks, see network_deadlock_ranks.c */
    uint64_t shares; /* of the messages of sources that are here */
    uint32_t *mark;  /* [ranks]: the message + 1 that was counted last */
    struct trail trail; /* of all ranks, as of the last look */
    uint64_t stretch;   /* cycles until the next one */
    uint32_t pulls;     /* in this round of flits that follow */
    struct network_counts counts;
};

/* How many words of a message between ranks something takes. */
#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

static inline uint32_t message_stops(const struct message *message)
{
    return (uint32_t)(((const char *)message->worm - (const char *)message->stop) /
                      (ptrdiff_t)sizeof *message->stop);
}

/* ---- life: network_ranks.c ---- */

/* After the network's arrays and bands. False: no memory. Without the others. */
bool network_ranks_make(struct network *network);
void network_ranks_free(struct network *network);

/* A message of a source that is here is posted. False: no memory. Without the others. */
bool network_ranks_post(struct network *network, struct message *message);

/* Counts the destinations of a copy that are here. */
void message_set_left(const struct network *network, struct message *message);

/* Returns the message of this number, until the next call of one of these functions; NULL: it is not there. */
struct resident *resident_find(const struct residents *residents, uint32_t number);
/* Adds a message that is not there. NULL: no memory. */
struct resident *resident_add(struct residents *residents, struct message *message);
void residents_free(struct residents *residents);

/* Makes of what the bands of this rank know together what all do, and finds the trail of all. */
void network_ranks_look(struct network *network, struct overview *all);

/* Lists what is done of the messages of sources that are here, and adds up the counts. */
void network_ranks_collect(struct network *network);

/* ---- what crosses: network_border.c ---- */

/* Sends the mail to the outside of a cycle, and takes in what comes. */
void network_ranks_exchange(struct network *network, uint64_t cycle);

/* Lets flits follow over borders until none does (network_ranks_pull()). */
void network_ranks_follow(struct band *band);

/* Adds to what is bound for the rank of `node`. Without the others. */
struct border_mail *border_mail_to(struct network *network, uint32_t node);
void border_mail_push(struct network *network, struct index_list *list, uint32_t word);

/* Sends all outboxes, which are then empty, and calls read(context, mail) with what comes from each neighbour; the lists
 * of `mail` last until it returns. False: network->failure says why. */
bool border_mail_exchange(struct network *network,
                          void (*read)(void *context, const struct border_mail *mail),
                          void *context);

/* ---- deadlocks: network_deadlock_ranks.c, network_gather.c ---- */

/* As network_search_alone(), for the parts of all ranks. */
bool network_ranks_search(struct network *network);

/* The same, by a search for all at rank 0. */
bool network_gather_search(struct network *network);

#endif
