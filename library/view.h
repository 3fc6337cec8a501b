/* view.h - what a run looks like: each node's peak, each link's load, the network step by step.
 *
 * Who owns what: the machine owns its buffers and counts, and tells a view, as its observer, what a
 * trace would show. The view keeps books of its own from that alone and owns all of them; nobody
 * gives it a figure, so its sums agree with the run's counts or one of the two is wrong.
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
    uint64_t busy;      /* directed links that carried something in the busiest of them */
    uint64_t packet_hops, word_hops; /* in all of them; words are no packets */
    char phase[MACHINE_NAME_SIZE];   /* of step `step`; "start" of step 0 */
};

struct view {
    struct mesh mesh;
    uint32_t *peak;             /* [node]: packets, at the end of a step */
    uint64_t *load[DIRECTIONS]; /* [node]: packets sent over its link that way; or NULL */

    uint32_t *occupancy; /* [node]: now */
    uint8_t *is_changed; /* [block of nodes]: in the step that is open */
    uint32_t *fullest;   /* [block]: the largest occupancy at the end of the last step */

    uint64_t step;      /* the step that is open */
    uint64_t hops;      /* packets and words in it */
    uint64_t last_step; /* of the last row; UINT64_MAX before the first */
    struct view_row row;
    char next_phase[MACHINE_NAME_SIZE]; /* of the steps behind the open one */

    uint64_t contributions; /* of a reduction with rows; else 0 */
    uint32_t *combined;     /* [contributions]: how many others were combined with a packet */

    uint32_t every;                                          /* 0: no rows */
    void (*take)(void *context, const struct view_row *row); /* the row is gone after the call */
    void *take_context;

    struct machine_observer observer; /* for the run's options */
};

/* What is to be kept. With `every` K above 0, `take` is given a row for step 0, for each step that
 * K divides, and for the last. */
struct view_plan {
    bool has_links;
    uint32_t every;
    void (*take)(void *context, const struct view_row *row);
    void *take_context;
    uint64_t contributions; /* of a reduction, which are its deliveries; else 0 */
};

/* Makes `view`, which must not be moved until view_free(): its observer points to it. Memory: 8
 * bytes per node, 40 with links, 4 a contribution; nothing a step. FAIL_SYSTEM: no memory. */
enum failure_kind view_make(struct view *view, struct mesh mesh, const struct view_plan *plan,
                            struct failure *failure);
void view_free(struct view *view);

/* The run is over after `steps` steps: gives the rows that are left. */
void view_finish(struct view *view, uint64_t steps);

#endif
