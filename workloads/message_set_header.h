/* message_set_header.h - the first line of a message set (private to the reader of message sets). */
#ifndef MESHCAST_WORKLOADS_MESSAGE_SET_HEADER_H
#define MESHCAST_WORKLOADS_MESSAGE_SET_HEADER_H

#include "base/text_scan.h"
#include "network/topology/topology.h"

struct message_set_header {
    int version; /* 1 or 2 */
    struct shape shape;
};

/* Reads the header, the first line that holds something, and passes its end. */
enum failure_kind message_set_header_read(struct text_scan *scan,
                                          struct message_set_header *header);

#endif
