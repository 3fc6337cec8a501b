/* header_words.h - the number of words of a packet's header that names its destinations. */
#ifndef MESHCAST_WORKLOADS_HEADER_WORDS_H
#define MESHCAST_WORKLOADS_HEADER_WORDS_H

#include "workloads/message_set.h"

/* A word holds the number of a node. HEADER_LIST: a word per destination. HEADER_BITMAP: a bit per
 * node of the topology. HEADER_RANGES: the first and last of each run of consecutive nodes.
 * HEADER_RECTANGLE: two corners, of destinations that are all nodes of a box; not on a graph.
 * HEADER_MASKS: pairs of a mask and a value, each of which names the nodes whose numbers agree with
 * the value in all bits that are not in the mask; together they name the destinations and no other
 * node (few, not always the fewest). */
enum header_kind {
    HEADER_LIST,
    HEADER_BITMAP,
    HEADER_RANGES,
    HEADER_RECTANGLE,
    HEADER_MASKS,
    HEADER_KINDS
};

extern const char *const header_kind_names[HEADER_KINDS];

struct header_figures {
    uint32_t messages; /* that have such a header */
    uint32_t
        smallest;     /* of these, those for which it is the smallest, or the first of equal ones */
    uint64_t words;   /* of all of them */
    uint64_t largest; /* of one message */
};

struct header_words {
    uint32_t bits; /* per word */
    struct header_figures kind[HEADER_KINDS];
    struct header_figures best; /* of the smallest of each message; `smallest` is all of them */
};

/* Counts the words of each kind. FAIL_SYSTEM: no memory. */
enum failure_kind header_words_of(const struct message_set *set, struct header_words *words,
                                  struct failure *failure);

#endif
