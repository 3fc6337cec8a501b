/* word.h - control words of many nodes of a row at once. */
#ifndef MESHCAST_MACHINE_WORD_H
#define MESHCAST_MACHINE_WORD_H

#include "machine/machine.h"

/* word_received and word_send of `count` nodes of a row, from `site` eastward: each passes on over
 * its link on `side`, WEST or EAST, the word that came from its other side. That none came is a
 * broken rule, too. */
void word_pass(struct word_port *port, struct site site, uint32_t count, enum direction side);

#endif
