/* seed_sets.h - sets that somebody made to be bad: where a search begins.
 *
 * Rows of one table (search/seed_sets.c), in this order: the patterns of `gen`, with one destination a
 * message and with many; a cell of a tile for each message; and, as the seed of the run is known, the families made
 * against the router's choices (search/seed_sets.h). Where nodes send l messages, patterns are made for that, and of
 * the others l copies with a congestion of c / l lie one over the other.
 */
#ifndef MESHCAST_SEARCH_SEED_SETS_H
#define MESHCAST_SEARCH_SEED_SETS_H

#include "routers/choices.h"
#include "workloads/pattern.h"

enum { SEED_NAME_SIZE = 128 };

/* What sets are made for. */
struct seed_plan {
    struct mesh mesh;
    uint32_t congestion;                  /* no set has more */
    uint32_t per_node;                    /* no node sends more; 0 counts as 1 */
    uint64_t seed;                        /* of the run that is to suffer */
    const struct adversary *adversary;    /* the graph of the run; NULL: none is known */
    uint32_t attempts;                    /* whose choices are known; 0: none are */
    const struct router_choices *choices; /* [attempts] */
};

/* Replaces a congestion and messages of a node that are 0: by the most that given sets have, or, if no set is given and
 * the arguments are 0, by 16 and 1; but the congestion becomes no less than the messages of a node, so that every node
 * can send them all. The mesh is valid. FAIL_USAGE: the congestion is less than the messages of a node, or these are
 * too many. */
enum failure_kind seed_plan_complete(struct seed_plan *seeds, uint32_t given_congestion,
                                     uint32_t given_per_node, struct failure *failure);

/* At most so many messages per node. */
uint32_t seed_plan_per_node(const struct seed_plan *seeds);

/* How many sets there are for this. With choices, sets of larger numbers are of drawn families. */
uint32_t seed_sets_count(const struct seed_plan *seeds);

/* Makes set `index` and writes what it is into name[]. FAIL_USAGE: it cannot be had on that mesh with
 * that congestion. FAIL_SYSTEM: no memory. The caller frees the set, which may be empty. */
enum failure_kind seed_set_make(const struct seed_plan *seeds, uint32_t index,
                                struct message_set *set, char name[SEED_NAME_SIZE],
                                struct failure *failure);

/* ---- families: search/family.c ---- */

/* Families of sets made against what a router chooses before it sees a set (routers/choices.h). Whoever knows the seed knows
 * where and when each message hands over its copies. A family says which messages send to which nodes: those that hand over
 * there at the first visit, say, or those whose trees start along a row. */
enum { FAMILY_NAME_SIZE = 112 };

/* Returns how many families are known. Families of larger numbers, up to any, are drawn: each number has its own. */
uint32_t family_count(void);

/* Writes the family's name. */
void family_name(uint32_t family, char name[FAMILY_NAME_SIZE]);

/* Makes a set of that family against the plan's attempts, of which there is one at least, with the congestion or less and one
 * message per node. FAIL_SYSTEM: no memory. The caller frees the set. */
enum failure_kind family_make(uint32_t family, const struct seed_plan *against,
                              struct message_set *set, struct failure *failure);

#endif
