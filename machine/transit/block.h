/* block.h - the words of packets that are under way, and how instructions go through a row in blocks
 * (block.c). For machine/ only. */
#ifndef MESHCAST_MACHINE_TRANSIT_BLOCK_H
#define MESHCAST_MACHINE_TRANSIT_BLOCK_H

#include "machine/fetch.h"
#include "machine/machine_private.h"

/* Nodes of a row are looked at in blocks, so that an idle block costs one look. */
enum { BLOCK_SHIFT = 6, BLOCK = 1 << BLOCK_SHIFT };

enum { CACHE_LINE = 64 }; /* bytes */

/* Returns the first place within `memory` at which a line of the cache begins. */
static inline void *first_line(void *memory)
{
    return (char *)memory + (CACHE_LINE - (uintptr_t)memory % CACHE_LINE) % CACHE_LINE;
}

/* A packet on its way is one word: urgency << 47 | stop << 32 | packet. */
enum { STOP_SHIFT = 32, STOP_MASK = MESH_MAX_SIDE - 1, URGENCY_SHIFT = 47 };

/* A row's nodes start.index .. start.index + count - 1, within a block. */
struct span {
    struct site start;
    uint32_t count;
};

static inline uint32_t word_stop(uint64_t word)
{
    return (uint32_t)(word >> STOP_SHIFT) & STOP_MASK;
}

static inline uint64_t word_urgency(uint64_t word)
{
    return word >> URGENCY_SHIFT;
}

/* Returns flags of 0 or 1 as bits. */
static inline uint64_t bits_of_flags(const uint8_t flag[static BLOCK])
{
    const uint64_t gather = UINT64_C(0x0102040810204080); /* byte k to bit 56 + k */
    uint64_t bits = 0;
    for (unsigned i = 0; i < BLOCK; i += 8) {
        const uint8_t *f = flag + i; /* written out, it is one load */
        uint64_t eight = f[0] | (uint64_t)f[1] << 8 | (uint64_t)f[2] << 16 | (uint64_t)f[3] << 24 |
                         (uint64_t)f[4] << 32 | (uint64_t)f[5] << 40 | (uint64_t)f[6] << 48 |
                         (uint64_t)f[7] << 56;
        bits |= (eight * gather >> 56) << i;
    }
    return bits;
}

/* Returns the i-th site from `first` on, in its row. */
static inline struct site block_site(struct site first, unsigned i)
{
    return (struct site){first.index + i, first.row, first.col + i};
}

/* Fetches a packet's header into the cache. Headers lie far apart, so those of several packets that a rule is soon
 * asked about are fetched together. */
static inline void header_fetch(const struct machine *machine, uint32_t packet)
{
    __builtin_prefetch(&machine->header.packet[packet]);
    __builtin_prefetch(&machine->header.destination[packet]);
}

/* ---- blocks (block.c) ---- */

static inline uint32_t blocks_across(uint32_t cols)
{
    return (cols + BLOCK - 1) >> BLOCK_SHIFT;
}

/* Returns how many blocks all rows have together. */
static inline uint64_t blocks_of_mesh(struct mesh mesh)
{
    return (uint64_t)mesh.rows * blocks_across(mesh.cols);
}

static inline uint32_t blocks_of_row(const struct machine *machine)
{
    return blocks_across(machine->config.mesh.cols);
}

uint32_t largest_of(const uint32_t *value, uint32_t count);

/* The calendar of packets on their way: each has a due step, or round, at which it has something to do; of BLOCK of
 * them only the earliest is looked at before. Due steps are numbers modulo 2^32; none that counts lies DUE_FAR or
 * more ahead, and a place with another number is empty. */
enum { DUE_FAR = INT32_MAX };
#define DUE_NEVER UINT32_MAX /* at an empty place, where steps are numbered from 0 */

/* Returns which of up to BLOCK places are due at `now`, as bits; no other one is due before `*first_due`. */
uint64_t due_now(const uint32_t *due, uint32_t count, uint32_t now, uint32_t *first_due);

/* Calls `tell` for each block of a row if the run is observed. */
void tell_blocks(const struct machine *machine, uint32_t row,
                 void (*tell)(void *worker, struct span span), void *worker);

/* Calls `act` for each block of a row. */
void for_blocks(const struct machine *machine, uint32_t row,
                void (*act)(void *worker, struct span span), void *worker);

#endif
