/* netrace.c - packets of Netrace, version 1.0: a binary file, usually packed with bzip2.
 *
 * Layout, little endian: a header of 72 bytes (magic 0x484a5455, the float 1.0, 30 bytes of the
 * benchmark's name, the number of nodes in a byte, one of padding, 8 bytes each of cycles and
 * packets, 4 bytes each of the notes' length and the number of regions, 8 of padding), the notes,
 * 24 bytes per region, then packets up to the end. A packet: cycle (8 bytes), id, address (4 each),
 * type, source, destination, types of the two, number of dependencies (1 each), and 4 bytes for
 * each id of a packet that waits for this one. The type gives the size, 8 or 72 bytes. In the
 * published traces a packet usually follows the one that it waits for by 24, 150 or 198 cycles, at
 * any distance: the cycles contain service, and no time in a network. So the difference is the
 * delay after the receipt.
 * Source: the header file and the reader of github.com/booksim/netrace (facts of the format only).
 * Cost: one look at each packet.
 */
#include "workloads/timed_list.h"

#include "base/byte_source.h"
#include "base/text_scan.h"
#include "workloads/placement.h"

#include <inttypes.h>
#include <string.h>

enum {
    HEADER_BYTES = 72,
    REGION_BYTES = 24,
    PACKET_BYTES = 21,
    NOTES_MOST = 8191,
    REGIONS_MOST = 100,
    SHORT_BYTES = 8, /* of a request */
    LONG_BYTES = 72  /* of one with a cache line */
};

/* The types of packets that carry a cache line, and those without, a bit each. */
static const uint32_t LONG_TYPES = 1U << 2 | 1U << 3 | 1U << 4 | 1U << 6 | 1U << 16 | 1U << 30;
static const uint32_t SHORT_TYPES =
    1U << 1 | 1U << 5 | 1U << 13 | 1U << 14 | 1U << 15 | 1U << 25 | 1U << 27 | 1U << 28 | 1U << 29;

enum { MAGIC_BYTES = 4, VERSION_1 = 0x3f800000 /* 1.0 */ };

bool netrace_begins(const char *text, size_t length)
{
    return length >= MAGIC_BYTES && memcmp(text, "UTJH", MAGIC_BYTES) == 0;
}

struct trace {
    struct byte_source *source;
    struct timed_list *list;
    struct failure *failure;
    uint32_t nodes;
    uint64_t packets; /* by the header */
};

static enum failure_kind refuse(const struct trace *trace, const char *expected, uint64_t found)
{
    struct byte_line line = {.name = trace->list->name, .number = 1};
    return scan_refuse(&line, trace->failure, "expected %s, found %" PRIu64 " (packet %u)",
                       expected, found, trace->list->messages);
}

static uint64_t number_at(const unsigned char *bytes, unsigned size)
{
    uint64_t value = 0;
    while (size-- > 0)
        value = value << 8 | bytes[size];
    return value;
}

/* Reads `size` bytes; *ends: there are none, which is then allowed. */
static enum failure_kind read_bytes(struct trace *trace, unsigned char *bytes, size_t size,
                                    bool *ends)
{
    size_t got = 1, all = 0;
    while (all < size && got > 0) {
        if (byte_source_read(trace->source, bytes + all, size - all, &got, trace->failure) !=
            FAIL_NONE)
            return trace->failure->kind;
        all += got;
    }
    if (ends != NULL)
        *ends = all == 0;
    return all == size || (ends != NULL && all == 0)
               ? FAIL_NONE
               : refuse(trace, "the rest of a packet or header, in bytes", all);
}

static enum failure_kind read_header(struct trace *trace)
{
    unsigned char header[HEADER_BYTES], skipped[NOTES_MOST];
    if (read_bytes(trace, header, sizeof header, NULL) != FAIL_NONE)
        return trace->failure->kind;
    if (!netrace_begins((const char *)header, sizeof header) ||
        number_at(header + MAGIC_BYTES, 4) != VERSION_1)
        return refuse(trace, "a trace of Netrace of version 1.0, whose float is 1065353216",
                      number_at(header + MAGIC_BYTES, 4));
    uint64_t notes = number_at(header + 56, 4), regions = number_at(header + 60, 4);
    trace->nodes = header[38];
    trace->packets = number_at(header + 48, 8);
    if (trace->nodes == 0)
        return refuse(trace, "a number of nodes from 1", 0);
    if (notes > NOTES_MOST)
        return refuse(trace, "notes of fewer than 8192 bytes", notes);
    if (regions > REGIONS_MOST)
        return refuse(trace, "at most 100 regions", regions);
    if (trace->list->shape.dimensions == 0)
        trace->list->shape = least_square(trace->nodes);
    if (read_bytes(trace, skipped, notes, NULL) != FAIL_NONE)
        return trace->failure->kind;
    return read_bytes(trace, skipped, regions * REGION_BYTES, NULL);
}

/* Finds the bytes of a packet by its type; 0: there is no such type. */
static uint32_t bytes_of_type(unsigned type)
{
    bool is_long = type < 32 && (LONG_TYPES >> type & 1) != 0;
    bool is_short = type < 32 && (SHORT_TYPES >> type & 1) != 0;
    return is_long ? LONG_BYTES : is_short ? SHORT_BYTES : 0;
}

static enum failure_kind read_packet(struct trace *trace, bool *ends)
{
    unsigned char packet[PACKET_BYTES], waiters[4 * UINT8_MAX];
    struct timed_list *list = trace->list;
    uint32_t last = timed_list_last_node(list);
    if (read_bytes(trace, packet, sizeof packet, ends) != FAIL_NONE || *ends)
        return trace->failure->kind;
    struct timed_message message = {.id = number_at(packet + 8, 4),
                                    .line = 1,
                                    .start = number_at(packet, 8),
                                    .source = packet[17]};
    uint32_t bytes = bytes_of_type(packet[16]), to = packet[18];
    if (message.start > MESSAGE_SET_MAX_START)
        return refuse(trace, "a cycle up to 2^48", message.start);
    if (bytes == 0)
        return refuse(trace, "a type of packet that has a size", packet[16]);
    if (message.source >= trace->nodes || to >= trace->nodes)
        return refuse(trace, "nodes below the header's number",
                      message.source > to ? packet[17] : to);
    if (message.source > last || to > last)
        return refuse(trace, "nodes of the topology", message.source > to ? packet[17] : to);
    message.flits = (uint32_t)timed_list_flits(list, bytes);
    if (timed_list_add(list, message, trace->failure) != FAIL_NONE ||
        timed_list_add_destination(list, to, trace->failure) != FAIL_NONE ||
        read_bytes(trace, waiters, 4 * (size_t)packet[20], NULL) != FAIL_NONE)
        return trace->failure->kind;
    for (unsigned i = 0; i < packet[20] && trace->failure->kind == FAIL_NONE; i++)
        timed_list_add_wait(list, number_at(waiters + 4 * (size_t)i, 4), message.id,
                            trace->failure);
    return trace->failure->kind;
}

enum failure_kind netrace_read(struct byte_source *source, struct timed_list *list,
                               struct failure *failure)
{
    struct trace trace = {.source = source, .list = list, .failure = failure};
    bool ends = false;
    list->waits_have_cycles = true;
    timed_list_use_bytes(list, 16);
    enum failure_kind kind = read_header(&trace);
    while (kind == FAIL_NONE && !ends)
        kind = read_packet(&trace, &ends);
    if (kind == FAIL_NONE && trace.packets != list->messages)
        import_note(&list->notes, "header says %" PRIu64 " packets, %u follow", trace.packets,
                    list->messages);
    return kind;
}
