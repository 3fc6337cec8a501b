/* family.h - families of sets made against what a router chooses before it sees a set (routers/choices.h).
 *
 * Somebody who knows the seed knows where and when each message hands over its copies. A family says which messages
 * send to which nodes: those that hand over there at the first visit, say, or those whose trees start along a row.
 */
#ifndef MESHCAST_SEARCH_FAMILY_H
#define MESHCAST_SEARCH_FAMILY_H

#include "routers/choices.h"
#include "workloads/message_set.h"

enum { FAMILY_NAME_SIZE = 112 };

/* The run that is to suffer. */
struct family_target {
    struct mesh mesh;
    uint32_t congestion;                  /* the most messages for a node */
    uint64_t seed;                        /* of what the families draw */
    uint32_t attempts;                    /* that have choices; 0: no family can be made */
    const struct router_choices *choices; /* [attempts] */
};

/* Returns how many families are known. Families of larger numbers, up to any, are drawn: each number has its own. */
uint32_t family_count(void);

/* Writes the family's name. */
void family_name(uint32_t family, char name[FAMILY_NAME_SIZE]);

/* Makes a set of that family, with the congestion or less. FAIL_SYSTEM: no memory. The caller frees the set. */
enum failure_kind family_make(uint32_t family, const struct family_target *target,
                              struct message_set *set, struct failure *failure);

#endif
