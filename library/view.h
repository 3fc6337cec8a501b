/* view.h - the picture of a run: each node's peak, each link's load, the network step by step.
 *
 * Ownership: the machine owns its buffers and counts, and sends a view, as its observer, the events
 * of a trace. The view follows the run by these only and owns all its figures; so its sums agree
 * with the run's counts or one of the two is wrong.
 */
#ifndef MESHCAST_LIBRARY_VIEW_H
#define MESHCAST_LIBRARY_VIEW_H

#include "base/failure.h"
#include "machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

/* The network at the end of step `step`, and the steps from the last row (exclusive) to it. */
struct view_row {
    uint64_t step;
    uint64_t packets;   /* in all buffers */
    uint64_t delivered; /* so far */
    uint64_t fullest;   /* packets in the fullest buffer at the end of one of those steps */
    uint64_t busy;      /* directed links in use in the busiest of those steps */
    uint64_t packet_hops, word_hops; /* in all of those steps; words are not packets */
    char phase[MACHINE_NAME_SIZE];   /* of step `step`; "start" for step 0 */
};

struct view {
    struct mesh mesh;
    uint32_t *peak;             /* [node]: packets, at the end of a step */
    uint64_t *load[DIRECTIONS]; /* [node]: packets sent over its link in that direction; or NULL */

    uint32_t *occupancy; /* [node]: at present */
    uint8_t *is_changed; /* [block of nodes]: changed in the current step */
    uint32_t *fullest;   /* [block]: the largest occupancy at the end of the last step */

    uint64_t step;      /* the current step */
    uint64_t hops;      /* packets and words in it */
    uint64_t last_step; /* of the last row; UINT64_MAX before the first */
    struct view_row row;
    char next_phase[MACHINE_NAME_SIZE]; /* of the steps after the current one */

    uint64_t contributions; /* of a reduction with rows; else 0 */
    uint32_t *combined;     /* [contributions]: number of others that were combined with a packet */

    uint32_t every;                                          /* 0: no rows */
    void (*take)(void *context, const struct view_row *row); /* the row is gone after the call */
    void *take_context;

    struct machine_observer observer; /* for the run's options */
};

/* The figures to keep. With `every` K above 0, `take` gets a row for step 0, for each step that K
 * divides, and for the last. */
struct view_plan {
    bool has_links;
    uint32_t every;
    void (*take)(void *context, const struct view_row *row);
    void *take_context;
    uint64_t contributions; /* of a reduction, which are its deliveries; else 0 */
};

/* Makes `view`, which must not be moved until view_free(): its observer points to it. Memory: 8
 * bytes per node, 40 with links, 4 per contribution; none per step. FAIL_SYSTEM: no memory. */
enum failure_kind view_make(struct view *view, struct mesh mesh, const struct view_plan *plan,
                            struct failure *failure);
void view_free(struct view *view);

/* Ends the view after `steps` steps: gives the remaining rows. */
void view_finish(struct view *view, uint64_t steps);

#endif
