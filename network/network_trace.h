/* network_trace.h - writes the events of a network as a trace (doc/network.md, "The trace"). */
#ifndef MESHCAST_NETWORK_NETWORK_TRACE_H
#define MESHCAST_NETWORK_NETWORK_TRACE_H

#include "network/network.h"

#include <stdio.h>

enum { NETWORK_HEADER_SIZE = 512 };

/* Writes the first line, without its end, to `text`. */
void network_trace_header(char text[NETWORK_HEADER_SIZE], const struct topology *topology,
                          const struct routing *routing, const struct network_settings *settings);

/* Writes the first line. ferror(out) reports failed writing, here and by the observer. */
void network_trace_begin(FILE *out, const struct topology *topology, const struct routing *routing,
                         const struct network_settings *settings);

/* Returns an observer that writes a line per event to `out`. The last lines may be written when the
 * network is freed. */
struct network_observer network_trace_observer(FILE *out);

#endif
