/* forward_fetch.c - what a step of machine_forward soon needs is fetched while others are done.
 *
 * A block in which not everything goes straight on looks at slots, queues and headers, which lie far
 * from each other and, in large meshes, out of cache. One needs the other: where bits of a block say
 * that something stands or stops there, its places are fetched; these name packets.
 * Cost: a look at what is fetched, some blocks ahead; nothing where all go straight on.
 */
#include "machine/forward/forward_step_private.h"

enum { CACHE_LINE = 64 };

/* Which queues are not empty, and how they stand. */
static void fetch_bits(const struct forward_worker *worker, const struct conveyor_line *line,
                       struct site first)
{
    (void)line;
    fetch_has_effect();
    __builtin_prefetch(forward_block(worker->queues, first), 1);
    for (enum direction d = 0; d < DIRECTIONS && worker->is_fifo; d++)
        __builtin_prefetch(forward_fifo(worker, first, d).link, 1);
}

/* What stands at a block where something is to be done. */
static void fetch_queues(const struct forward_worker *worker, const struct conveyor_line *line,
                         struct site first)
{
    const struct forward_block *block = forward_block(worker->queues, first);
    const uint32_t *occupancy = worker->machine->occupancy + first.index;
    fetch_has_effect();
    for (uint32_t i = 0; i < BLOCK; i += CACHE_LINE / sizeof *occupancy)
        __builtin_prefetch(occupancy + i, 1);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t left = block->queued[d];
        if ((line[d].stops[first.col >> BLOCK_SHIFT] | left) != 0)
            conveyor_fetch(&worker->view, line, first, d);
        if (worker->is_fifo && left != 0) {
            struct fifo_block fifo = forward_fifo(worker, first, d);
            fifo_fetch(&fifo);
        }
        for (; left != 0 && !worker->is_fifo; left &= left - 1)
            __builtin_prefetch(&link_queues_at(worker->queues, first, d)[__builtin_ctzll(left)], 1);
    }
}

static void fetch_lists(const struct forward_worker *worker, struct site first, enum direction d,
                        uint64_t queued)
{
    const struct machine *machine = worker->machine;
    fetch_has_effect();
    if (worker->is_fifo) {
        struct fifo_block fifo = forward_fifo(worker, first, d);
        fifo_fetch_lists(machine, &fifo);
        return;
    }
    for (; queued != 0; queued &= queued - 1) {
        struct link_queue *queue =
            &link_queues_at(worker->queues, first, d)[__builtin_ctzll(queued)];
        if (queue->count < LINK_QUEUE_WORDS)
            continue;
        __builtin_prefetch(&machine->next[(uint32_t)*link_queue_word(queue, LINK_QUEUE_WORDS - 1)],
                           1);
        __builtin_prefetch(&machine->next[queue->last], 1);
    }
}

/* Headers and lists lie far apart. */
static void fetch_packets(const struct forward_worker *worker, const struct conveyor_line *line,
                          struct site first)
{
    const struct machine *machine = worker->machine;
    const struct forward *forward = worker->forward;
    const struct forward_block *block = forward_block(worker->queues, first);
    fetch_has_effect();
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = line[d].stops[first.col >> BLOCK_SHIFT];
        for (; stops != 0; stops &= stops - 1) {
            struct site site = block_site(first, (unsigned)__builtin_ctzll(stops));
            uint32_t packet = (uint32_t)line[d].word[conveyor_place(&worker->view, d, site.col)];
            header_fetch(machine, packet);
            __builtin_prefetch(&machine->delivered_at[packet], 1);
        }
        if (block->queued[d] != 0)
            fetch_lists(worker, first, d, block->queued[d]);
    }
    if (!forward->has_copies[block_index(forward, first.row, first.col)])
        return;
    for (uint32_t i = 0; i < BLOCK && first.col + i < worker->queues->slots.cols; i++)
        if (forward->waiting[first.index + i])
            header_fetch(machine, forward->waiting_first[first.index + i]);
}

/* What the rule looks at, of all packets that stop at a block, at once. */
static void fetch_for_rule(const struct forward_worker *worker, struct site first)
{
    const struct routing_rule *rule = worker->rule;
    fetch_has_effect();
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = worker->line[d].stops[first.col >> BLOCK_SHIFT];
        for (; stops != 0; stops &= stops - 1) {
            struct site site = block_site(first, (unsigned)__builtin_ctzll(stops));
            for (enum direction e = 0; e < DIRECTIONS && !worker->is_fifo; e++)
                if (e != direction_opposite(d))
                    __builtin_prefetch(link_queue_of(worker->queues, site, e), 1);
            if (rule->fetch != NULL)
                rule->fetch(rule->context,
                            (uint32_t)conveyor_word(&worker->view, worker->line, site, d));
        }
    }
}

/* What blocks soon need is fetched while others are done: `ahead` blocks from `first`, in its row or
 * the next. */
static void fetch_ahead(const struct forward_worker *worker, struct site first, uint32_t ahead,
                        void (*fetch)(const struct forward_worker *worker,
                                      const struct conveyor_line *line, struct site first))
{
    uint32_t cols = worker->queues->slots.cols, block = (first.col >> BLOCK_SHIFT) + ahead;
    uint32_t behind = block - worker->queues->slots.blocks;
    if (block < worker->queues->slots.blocks)
        fetch(worker, worker->line, block_site(first, ahead * BLOCK));
    else if (worker->next_line != NULL && behind < worker->queues->slots.blocks)
        fetch(
            worker, worker->next_line,
            (struct site){(first.row + 1) * cols + behind * BLOCK, first.row + 1, behind * BLOCK});
}

void forward_fetch(const struct forward_worker *worker, struct site first)
{
    if (!worker->is_cached) {
        fetch_ahead(worker, first, 4, fetch_bits);
        fetch_ahead(worker, first, 3, fetch_queues);
    }
    fetch_ahead(worker, first, 2, fetch_packets);
    fetch_for_rule(worker, first);
}

void forward_fetch_first(const struct forward_worker *worker, struct site start)
{
    fetch_has_effect();
    fetch_packets(worker, worker->line, start);
    fetch_ahead(worker, start, 1, fetch_packets);
}
