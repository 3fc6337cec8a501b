/* random_set.h - random sources and destinations of experiments. */
#ifndef MESHCAST_PAPERS_RANDOM_SET_H
#define MESHCAST_PAPERS_RANDOM_SET_H

#include "base/pcg.h"

#include <stdint.h>

enum set_draw {
    DRAW_UNIFORM, /* each set is equally likely */
    DRAW_SCAN, /* as pattern `scan` of the program (workloads/pattern_scan.c): a walk over the nodes takes each with
                       * probability count / nodes until it has enough, and starts afresh if it ends with fewer */
    DRAW_REPLACEMENT, /* each draw takes any node, so that the same one may be drawn again and fewer remain */
    SET_DRAWS
};

extern const char *const set_draw_names[SET_DRAWS + 1]; /* "uniform", .., NULL */

/* Draws `count` of the nodes but the source, below `nodes`, into set[], ascending and distinct; returns how many there
 * are. */
uint32_t random_set_draw(struct pcg32 *random, uint32_t nodes, uint32_t source, uint32_t count,
                         enum set_draw draw, uint32_t *set);

/* Draws `count` distinct nodes into set[], ascending. */
void random_sources_draw(struct pcg32 *random, uint32_t nodes, uint32_t count, uint32_t *set);

#endif
