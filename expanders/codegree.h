/* codegree.h - the bound of a graph's expansion that shared neighbours certify. */
#ifndef MESHCAST_EXPANDERS_CODEGREE_H
#define MESHCAST_EXPANDERS_CODEGREE_H

#include "expanders/adjacency.h"

enum { CODEGREE_SUSPECTS = 64 };

struct codegree {
    bool done;         /* false: left out, since it would take too many steps */
    double lambda;     /* the certified bound, rounded down */
    uint32_t largest;  /* the most groups that two inputs share */
    uint32_t suspects; /* inputs that share the most, for the search */
    uint32_t suspect[CODEGREE_SUSPECTS];
};

/* Certifies. FAIL_SYSTEM: no memory. The same result for any number of `threads`. */
enum failure_kind codegree_certify(struct codegree *codegree, const struct adjacency *adjacency,
                                   uint32_t threads, struct failure *failure);

/* Returns the bound that follows for a Reed-Solomon graph from k alone, rounded down. */
double codegree_of_polynomials(const struct expander *graph);

#endif
