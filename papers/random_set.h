/* random_set.h - random sources and destinations of experiments. */
#ifndef MESHCAST_PAPERS_RANDOM_SET_H
#define MESHCAST_PAPERS_RANDOM_SET_H

#include "base/pcg.h"

#include <stdbool.h>
#include <stdint.h>

/* Draws `count` of the nodes but the source, below `nodes`, into set[], ascending and distinct; returns how many there
 * are. Each set is equally likely. `with_replacement`: each draw takes any node but the source, so that the same node
 * may be drawn again, and fewer may remain. */
uint32_t random_set_draw(struct pcg32 *random, uint32_t nodes, uint32_t source, uint32_t count,
                         bool with_replacement, uint32_t *set);

/* Draws `count` distinct nodes into set[], ascending. */
void random_sources_draw(struct pcg32 *random, uint32_t nodes, uint32_t count, uint32_t *set);

#endif
