/* network_tell.h - what a network has counted, and a deadlock, as text, for tests that compare runs. */
#ifndef MESHCAST_TEST_NETWORK_NETWORK_TELL_H
#define MESHCAST_TEST_NETWORK_NETWORK_TELL_H

#include "network/network.h"

#include <stddef.h>
#include <stdio.h>

/* Writes the counts in one line. */
void tell_counts(FILE *out, struct network_counts counts);

/* Writes what each of `count` headers waits for, a line each. */
void tell_waits(FILE *out, const struct network_wait *wait, size_t count);

#endif
