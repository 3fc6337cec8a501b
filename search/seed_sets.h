/* seed_sets.h - sets that are made to be bad: the starts of a search.
 *
 * Rows of one table (search/seed_sets.c), in this order: the patterns of `gen`, with one
 * destination per message and with many; a cell of a tile for each message; and, since the seed of
 * the run is known, the families made against the router's choices (below). If nodes send l
 * messages, patterns are made for that, and the others are l superposed copies with a congestion of
 * c / l.
 */
#ifndef MESHCAST_SEARCH_SEED_SETS_H
#define MESHCAST_SEARCH_SEED_SETS_H

#include "routers/choices.h"
#include "workloads/pattern.h"

enum { SEED_NAME_SIZE = 128 };

/* The parameters of sets. */
struct seed_plan {
    struct mesh mesh;
    uint32_t congestion;                  /* no set has more */
    uint32_t per_node;                    /* no node sends more; 0 counts as 1 */
    uint64_t seed;                        /* of the attacked run */
    const struct adversary *adversary;    /* the graph of the run; NULL: not known */
    uint32_t attempts;                    /* those whose choices are known; 0: none */
    const struct router_choices *choices; /* [attempts] */
};

/* Replaces a congestion and messages per node that are 0: by the most that given sets have, or, if
 * no set is given and the arguments are 0, by 16 and 1. The congestion becomes no less than the
 * messages per node, so that every node can send them all. The mesh is valid. FAIL_USAGE: the
 * congestion is less than the messages of a node, or these are too many. */
enum failure_kind seed_plan_complete(struct seed_plan *seeds, uint32_t given_congestion,
                                     uint32_t given_per_node, struct failure *failure);

/* Returns the most messages per node. */
uint32_t seed_plan_per_node(const struct seed_plan *seeds);

/* Returns the number of sets for this plan. With choices, sets of larger numbers are of drawn
 * families. */
uint32_t seed_sets_count(const struct seed_plan *seeds);

/* Makes set `index` and writes its description into name[]. FAIL_USAGE: it does not exist on that
 * mesh with that congestion. FAIL_SYSTEM: no memory. The caller frees the set, which may be
 * empty. */
enum failure_kind seed_set_make(const struct seed_plan *seeds, uint32_t index,
                                struct message_set *set, char name[SEED_NAME_SIZE],
                                struct failure *failure);

/* ---- families: search/family.c ---- */

/* Families of sets made against a router's choices before it sees a set (routers/choices.h). The
 * seed determines where and when each message hands over its copies. A family assigns messages to
 * nodes: those that hand over there at the first visit, for example, or those whose trees start
 * along a row. */
enum { FAMILY_NAME_SIZE = 112 };

/* Returns the number of known families. Families of larger numbers, up to any, are drawn: each
 * number has its own. */
uint32_t family_count(void);

/* Writes the family's name. */
void family_name(uint32_t family, char name[FAMILY_NAME_SIZE]);

/* Makes a set of that family against the plan's attempts, of which there is one at least, with the
 * congestion or less and one message per node. FAIL_SYSTEM: no memory. The caller frees the set. */
enum failure_kind family_make(uint32_t family, const struct seed_plan *against,
                              struct message_set *set, struct failure *failure);

#endif
