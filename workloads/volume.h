/* volume.h - the volumes of a set's messages: bytes, flits, and united messages.
 *
 * A message's volume is a number of bytes or of flits. Bytes become flits only by volume_flits().
 */
#ifndef MESHCAST_WORKLOADS_VOLUME_H
#define MESHCAST_WORKLOADS_VOLUME_H

#include "workloads/message_set.h"

/* The meaning of a file's weights. */
enum volume_weights { WEIGHTS_IGNORED, WEIGHTS_FLITS, WEIGHTS_BYTES };

/* The messages of one node that are united; volumes add up. PACK_DESTINATIONS: those with the same
 * destinations become one. PACK_PAIRS: all messages from one node to another become one message
 * with that destination. */
enum volume_pack { PACK_NONE, PACK_DESTINATIONS, PACK_PAIRS };

/* ignore, flits, bytes; and none, destinations, pairs; each ended by NULL. */
extern const char *const volume_weights_names[], *const volume_pack_names[];

/* The words of --weights and --pack, and the numbers of --bytes and --flit-bytes; a zeroed one
 * changes nothing. */
struct volume_options {
    uint32_t weights, pack; /* an enum volume_weights, an enum volume_pack */
    uint32_t bytes;         /* of each message; 0: not given */
    uint32_t flit_bytes;    /* bytes per flit; 0: not given */
};

/* Returns the largest weight that a file may have; 0: weights are left out. */
uint32_t volume_most_weight(const struct volume_options *options);

/* Returns the flits of a message of so many bytes: a header, and as many as the bytes fill. */
static inline uint64_t volume_flits(uint64_t bytes, uint32_t flit_bytes)
{
    return 1 + bytes / flit_bytes + (bytes % flit_bytes != 0);
}

/* FAIL_USAGE: the options exclude each other. */
enum failure_kind volume_check(const struct volume_options *options, struct failure *failure);

/* Gives the messages of a set their lengths, and unites those selected by the options. With
 * weights, set->length holds these at first, in flits or bytes. Without weights or bytes a message
 * counts as one flit, or as the flits that it has. A part of a set is not packed. FAIL_USAGE: a
 * message gets too long. FAIL_SYSTEM: no memory. */
enum failure_kind volume_apply(struct message_set *set, const struct volume_options *options,
                               struct failure *failure);

#endif
