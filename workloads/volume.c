/* volume.c - lengths of messages from bytes and weights, and messages that become one.
 *
 * Method: messages of one source are looked at together. Those with the same destinations are
 * neighbours when they are sorted by these; volumes per destination are added up in an array of all
 * nodes. Volumes are bytes until they have been added, so that a united message has one header.
 * Invariant: a united message replaces the first of its messages; pairs ascend by source and
 * destination.
 * Cost: PACK_DESTINATIONS sorts the messages, 32 bytes each. PACK_PAIRS needs O(deliveries), 20
 * bytes each, 8 bytes per message and per node, and a copy of the set while it is sorted by
 * sources.
 */
#include "workloads/volume.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const volume_weights_names[] = {"ignore", "flits", "bytes", NULL};
const char *const volume_pack_names[] = {"none", "destinations", "pairs", NULL};

uint32_t volume_most_weight(const struct volume_options *options)
{
    return options->weights == WEIGHTS_BYTES   ? UINT32_MAX
           : options->weights == WEIGHTS_FLITS ? MESSAGE_SET_MAX_LENGTH
                                               : 0;
}

enum failure_kind volume_check(const struct volume_options *options, struct failure *failure)
{
    bool has_bytes = options->bytes > 0 || options->weights == WEIGHTS_BYTES;
    if (options->bytes > 0 && options->weights != WEIGHTS_IGNORED)
        return fail(failure, FAIL_USAGE,
                    "--bytes and --weights both say how long messages are: give one");
    if (has_bytes && options->flit_bytes == 0)
        return fail(failure, FAIL_USAGE, "%s needs --flit-bytes B, the bytes per flit",
                    options->bytes > 0 ? "--bytes" : "--weights bytes");
    if (!has_bytes && options->flit_bytes > 0)
        return fail(failure, FAIL_USAGE,
                    "--flit-bytes needs bytes: --bytes N, or for files --weights bytes");
    if (options->bytes > 0 &&
        volume_flits(options->bytes, options->flit_bytes) > MESSAGE_SET_MAX_LENGTH)
        return fail(failure, FAIL_USAGE,
                    "--bytes %" PRIu32 " would be %" PRIu64
                    " flits; at most %d are possible: take a larger --flit-bytes",
                    options->bytes, volume_flits(options->bytes, options->flit_bytes),
                    MESSAGE_SET_MAX_LENGTH);
    return FAIL_NONE;
}

/* Gives message `message` the length of so many bytes or flits. */
static enum failure_kind set_length(struct message_set *set, uint32_t message, uint64_t volume,
                                    uint32_t flit_bytes, struct failure *failure)
{
    uint64_t flits = flit_bytes > 0 ? volume_flits(volume, flit_bytes) : volume;
    if (flits > MESSAGE_SET_MAX_LENGTH)
        return fail(failure, FAIL_USAGE,
                    "a message from node %" PRIu32 " would have %" PRIu64
                    " flits; at most %d are possible%s",
                    set->source[message], flits, MESSAGE_SET_MAX_LENGTH,
                    flit_bytes > 0 ? ": take a larger --flit-bytes" : "");
    set->length[message] = (uint32_t)flits;
    return FAIL_NONE;
}

/* Returns the volume in flits or bytes. */
static uint64_t volume_of(const struct message_set *set, const struct volume_options *options,
                          uint32_t message)
{
    uint32_t given = set->length != NULL ? set->length[message] : 0;
    return options->bytes > 0 ? options->bytes : given > 0 ? given : 1;
}

/* ---- the same destinations ---- */

struct candidate {
    const node_index *destination;
    node_index source;
    uint32_t destinations, message;
};

static int compare_destinations(const struct candidate *a, const struct candidate *b)
{
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->destinations != b->destinations)
        return a->destinations < b->destinations ? -1 : 1;
    return memcmp(a->destination, b->destination, a->destinations * sizeof *a->destination);
}

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = compare_destinations(a, b);
    return order != 0 ? order : (a->message > b->message) - (a->message < b->message);
}

/* Adds to volume[i], of the first message i of a united group, those of the others, whose own
 * become 0. */
static enum failure_kind add_volumes(const struct message_set *set, uint64_t *volume,
                                     struct failure *failure)
{
    struct candidate *candidate = memory_allocate(set->messages, sizeof *candidate);
    uint32_t first = 0;
    if (candidate == NULL)
        return fail_memory(failure, "the messages with the same destinations");
    for (uint32_t i = 0; i < set->messages; i++)
        candidate[i] =
            (struct candidate){.destination = set->destination + set->offset[i],
                               .source = set->source[i],
                               .destinations = (uint32_t)(set->offset[i + 1] - set->offset[i]),
                               .message = i};
    qsort(candidate, set->messages, sizeof *candidate, compare_candidates);
    for (uint32_t i = 1; i < set->messages; i++) {
        if (compare_destinations(&candidate[first], &candidate[i]) != 0) {
            first = i;
            continue;
        }
        volume[candidate[first].message] += volume[candidate[i].message];
        volume[candidate[i].message] = 0;
    }
    free(candidate);
    return FAIL_NONE;
}

/* Keeps the messages that have a volume, in place. */
static void keep_messages(struct message_set *set, uint64_t *volume)
{
    uint32_t kept = 0;
    uint64_t end = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t count = set->offset[i + 1] - set->offset[i];
        if (volume[i] == 0)
            continue;
        message_set_move(set, kept, i, end);
        volume[kept++] = volume[i];
        end += count;
    }
    set->offset[kept] = end;
    set->messages = kept;
    set->deliveries = end;
}

/* Unites messages with the same destinations; volume[messages] becomes the volumes of the rest. */
static enum failure_kind pack_destinations(struct message_set *set, uint64_t *volume,
                                           struct failure *failure)
{
    enum failure_kind kind = add_volumes(set, volume, failure);
    if (kind == FAIL_NONE)
        keep_messages(set, volume);
    return kind;
}

/* ---- pairs of nodes ---- */

struct pairs {
    struct message_set set; /* a message per pair; so far set.messages */
    uint64_t *volume;       /* [room], of each pair */
    uint64_t *sum;          /* [nodes]: volume from the current source; else 0 */
    uint64_t first;         /* the first pair of the current source */
};

static void close_source(struct pairs *pairs)
{
    struct message_set *set = &pairs->set;
    sort_u32(set->destination + pairs->first, set->messages - pairs->first);
    for (uint64_t i = pairs->first; i < set->messages; i++) {
        pairs->volume[i] = pairs->sum[set->destination[i]];
        pairs->sum[set->destination[i]] = 0;
        set->offset[i] = i;
    }
    pairs->first = set->messages;
}

/* Adds pairs; `volume` is that of each message of `from`, whose sources ascend. */
static void add_pairs(struct pairs *pairs, const struct message_set *from, const uint64_t *volume)
{
    struct message_set *set = &pairs->set;
    set->messages = 0;
    for (uint32_t i = 0; i < from->messages; i++) {
        if (i > 0 && from->source[i] != from->source[i - 1])
            close_source(pairs);
        for (uint64_t at = from->offset[i]; at < from->offset[i + 1]; at++) {
            node_index node = from->destination[at];
            if (pairs->sum[node] == 0) {
                set->source[set->messages] = from->source[i];
                set->destination[set->messages++] = node;
            }
            pairs->sum[node] += volume[i];
        }
    }
    close_source(pairs);
    set->deliveries = set->messages;
    set->offset[set->messages] = set->deliveries;
}

/* Unites messages by pairs of nodes; *volume becomes the volumes of the pairs. */
static enum failure_kind pack_pairs(struct message_set *set, uint64_t **volume,
                                    struct failure *failure)
{
    struct pairs pairs = {.first = 0};
    pairs.volume = memory_allocate(set->deliveries, sizeof *pairs.volume);
    pairs.sum = memory_allocate(shape_nodes(&set->shape), sizeof *pairs.sum);
    if (pairs.volume == NULL || pairs.sum == NULL)
        fail_memory(failure, "the pairs of nodes of a set");
    else if (message_set_allocate(&pairs.set, set->shape, (uint32_t)set->deliveries,
                                  set->deliveries, failure) == FAIL_NONE) {
        add_pairs(&pairs, set, *volume);
        message_set_free(set);
        *set = pairs.set;
        free(*volume);
        *volume = pairs.volume;
        pairs.volume = NULL;
    }
    free(pairs.volume);
    free(pairs.sum);
    return failure->kind;
}

/* ---- volumes ---- */

static enum failure_kind pack_messages(struct message_set *set,
                                       const struct volume_options *options,
                                       struct failure *failure)
{
    if (options->pack == PACK_PAIRS && message_set_sort_sources(set, NULL, failure) != FAIL_NONE)
        return failure->kind;
    uint64_t *volume = memory_allocate(set->messages, sizeof *volume);
    if (volume == NULL)
        return fail_memory(failure, "the volumes of messages");
    for (uint32_t i = 0; i < set->messages; i++)
        volume[i] = volume_of(set, options, i);
    enum failure_kind kind = options->pack == PACK_PAIRS ? pack_pairs(set, &volume, failure)
                                                         : pack_destinations(set, volume, failure);
    uint32_t *length = memory_resize(set->length, set->messages, sizeof *length);
    if (kind == FAIL_NONE && length == NULL)
        kind = fail_memory(failure, "the lengths of messages");
    if (length != NULL)
        set->length = length;
    for (uint32_t i = 0; i < set->messages && kind == FAIL_NONE; i++)
        kind = set_length(set, i, volume[i], options->flit_bytes, failure);
    free(volume);
    if (kind == FAIL_NONE)
        message_set_trim(set);
    return kind;
}

enum failure_kind volume_apply(struct message_set *set, const struct volume_options *options,
                               struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    if (options->pack != PACK_NONE) {
        assert(!set->is_part);
        if (message_set_is_timed(set))
            return fail(failure, FAIL_USAGE,
                        "packing unites messages, but those of this set have starts or waits");
        return pack_messages(set, options, failure);
    }
    if (options->flit_bytes == 0 && options->weights == WEIGHTS_IGNORED)
        return FAIL_NONE;
    if (set->length == NULL)
        set->length = memory_allocate(set->messages, sizeof *set->length);
    if (set->length == NULL)
        return fail_memory(failure, "the lengths of messages");
    for (uint32_t i = 0; i < set->messages && kind == FAIL_NONE; i++)
        kind = set_length(set, i, volume_of(set, options, i), options->flit_bytes, failure);
    if (set->is_part)
        set->whole.version = 2;
    return kind;
}
