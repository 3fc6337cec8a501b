/* sort_short.h - short lists of words in ascending order, within a node. */
#ifndef MESHCAST_PRIMITIVES_SORT_SHORT_H
#define MESHCAST_PRIMITIVES_SORT_SHORT_H

#include <stdint.h>

/* Puts word[0 .. count-1] into ascending order. */
void sort_short(uint32_t *word, uint32_t count);

#endif
