/* network_trace.h - writes what happens in a network as a trace (doc/network.md, "The trace"). */
#ifndef MESHCAST_NETWORK_NETWORK_TRACE_H
#define MESHCAST_NETWORK_NETWORK_TRACE_H

#include "network/network.h"

#include <stdio.h>

enum { NETWORK_HEADER_SIZE = 512 };

/* Writes the first line, without its end, to `text`. */
void network_trace_header(char text[NETWORK_HEADER_SIZE], const struct topology *topology,
                          const struct routing *routing, const struct network_settings *settings);

/* Writes the first line. That something could not be written, here or by the observer, is told by
 * ferror(out). */
void network_trace_begin(FILE *out, const struct topology *topology, const struct routing *routing,
                         const struct network_settings *settings);

/* Returns an observer that writes a line per event to `out`. The last ones may come when the network is freed. */
struct network_observer network_trace_observer(FILE *out);

#endif
