/* glide_fetch.c - what a step of packets that glide soon needs is fetched while others are done.
 *
 * A block in which not everything goes straight on looks at slots, queues and headers, which lie far
 * from each other and, in large meshes, out of cache. One needs the other: where bits of a block say
 * that something stands or stops there, its places are fetched; these name packets.
 * Cost: a look at what is fetched, some blocks ahead; nothing where all go straight on.
 */
#include "machine/glide_private.h"

enum { CACHE_LINE = 64 };

/* Which queues are not empty, and how they stand. */
static void fetch_bits(const struct gliding *gliding, const struct slot_line *line,
                       struct site first)
{
    (void)line;
    fetch_has_effect();
    __builtin_prefetch(glide_block(gliding->glide, first), 1);
    for (enum direction d = 0; d < DIRECTIONS && gliding->is_fifo; d++)
        __builtin_prefetch(glide_fifo(gliding, first, d).link, 1);
}

/* What stands at a block where something is to be done. */
static void fetch_queues(const struct gliding *gliding, const struct slot_line *line,
                         struct site first)
{
    const struct glide_block *block = glide_block(gliding->glide, first);
    const uint32_t *occupancy = gliding->lane.machine->occupancy + first.index;
    fetch_has_effect();
    for (uint32_t i = 0; i < BLOCK; i += CACHE_LINE / sizeof *occupancy)
        __builtin_prefetch(occupancy + i, 1);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t left = block->queued[d];
        if ((line[d].stops[first.col >> BLOCK_SHIFT] | left) != 0)
            slots_fetch(&gliding->view, line, first, d);
        if (gliding->is_fifo && left != 0) {
            struct fifo_block fifo = glide_fifo(gliding, first, d);
            fifo_fetch(&fifo);
        }
        for (; left != 0 && !gliding->is_fifo; left &= left - 1)
            __builtin_prefetch(&glide_queues(gliding->glide, first, d)[__builtin_ctzll(left)], 1);
    }
}

static void fetch_lists(const struct gliding *gliding, struct site first, enum direction d,
                        uint64_t queued)
{
    const struct machine *machine = gliding->lane.machine;
    fetch_has_effect();
    if (gliding->is_fifo) {
        struct fifo_block fifo = glide_fifo(gliding, first, d);
        fifo_fetch_lists(machine, &fifo);
        return;
    }
    for (; queued != 0; queued &= queued - 1) {
        struct glide_queue *queue =
            &glide_queues(gliding->glide, first, d)[__builtin_ctzll(queued)];
        if (queue->count < GLIDE_WORDS)
            continue;
        __builtin_prefetch(&machine->next[(uint32_t)*glide_word(queue, GLIDE_WORDS - 1)], 1);
        __builtin_prefetch(&machine->next[queue->last], 1);
    }
}

/* Headers and lists lie far apart. */
static void fetch_packets(const struct gliding *gliding, const struct slot_line *line,
                          struct site first)
{
    const struct machine *machine = gliding->lane.machine;
    const struct forward *forward = gliding->lane.forward;
    const struct glide_block *block = glide_block(gliding->glide, first);
    fetch_has_effect();
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = line[d].stops[first.col >> BLOCK_SHIFT];
        for (; stops != 0; stops &= stops - 1) {
            struct site site = block_site(first, (unsigned)__builtin_ctzll(stops));
            uint32_t packet = (uint32_t)line[d].word[slot_place(&gliding->view, d, site.col)];
            header_fetch(machine, packet);
            __builtin_prefetch(&machine->delivered_at[packet], 1);
        }
        if (block->queued[d] != 0)
            fetch_lists(gliding, first, d, block->queued[d]);
    }
    if (!forward->busy[block_index(forward, first.row, first.col)])
        return;
    for (uint32_t i = 0; i < BLOCK && first.col + i < gliding->glide->slots.cols; i++)
        if (forward->waiting[first.index + i])
            header_fetch(machine, forward->waiting_first[first.index + i]);
}

/* What the rule looks at, of all packets that stop at a block, at once. */
static void fetch_for_rule(const struct gliding *gliding, struct site first)
{
    const struct routing_rule *rule = gliding->lane.rule;
    fetch_has_effect();
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = gliding->line[d].stops[first.col >> BLOCK_SHIFT];
        for (; stops != 0; stops &= stops - 1) {
            struct site site = block_site(first, (unsigned)__builtin_ctzll(stops));
            for (enum direction e = 0; e < DIRECTIONS && !gliding->is_fifo; e++)
                if (e != direction_opposite(d))
                    __builtin_prefetch(glide_queue_of(gliding->glide, site, e), 1);
            if (rule->fetch != NULL)
                rule->fetch(rule->context,
                            (uint32_t)slot_word(&gliding->view, gliding->line, site, d));
        }
    }
}

/* What blocks soon need is fetched while others are done: `ahead` blocks from `first`, in its row or
 * the next. */
static void fetch_ahead(const struct gliding *gliding, struct site first, uint32_t ahead,
                        void (*fetch)(const struct gliding *gliding, const struct slot_line *line,
                                      struct site first))
{
    uint32_t cols = gliding->glide->slots.cols, block = (first.col >> BLOCK_SHIFT) + ahead;
    uint32_t behind = block - gliding->glide->slots.blocks;
    if (block < gliding->glide->slots.blocks)
        fetch(gliding, gliding->line, block_site(first, ahead * BLOCK));
    else if (gliding->next_line != NULL && behind < gliding->glide->slots.blocks)
        fetch(
            gliding, gliding->next_line,
            (struct site){(first.row + 1) * cols + behind * BLOCK, first.row + 1, behind * BLOCK});
}

void glide_fetch(const struct gliding *gliding, struct site first)
{
    if (!gliding->is_cached) {
        fetch_ahead(gliding, first, 4, fetch_bits);
        fetch_ahead(gliding, first, 3, fetch_queues);
    }
    fetch_ahead(gliding, first, 2, fetch_packets);
    fetch_for_rule(gliding, first);
}

void glide_fetch_first(const struct gliding *gliding, struct site start)
{
    fetch_has_effect();
    fetch_packets(gliding, gliding->line, start);
    fetch_ahead(gliding, start, 1, fetch_packets);
}
