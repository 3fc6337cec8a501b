/* link_queue.c - the queues of packets that wait for a link, behind its slot.
 *
 * The first words of a queue are a ring in as many places as it has words, so that a packet that goes
 * behind the others changes places with the first one, and nothing else moves (link_exchange.c, for many
 * queues at once). Packets for which the ring has no place form a list through machine->next, node by node.
 * A ring that gets longer or shorter moves the words behind its first one by a place: this happens
 * where packets turn, or where the stream of packets has gaps. Equally urgent packets stay in the order in which they
 * came.
 * Cost: O(RING_PLACES) a packet to put and to take; with urgencies also the packets of the list that stand before it.
 */
#include "machine/transit/link_queue_private.h"

#include <stdlib.h>

bool link_queues_allocate(const struct machine *machine, struct link_queues *queues,
                          uint32_t places)
{
    queues->cols = machine->config.mesh.cols;
    queues->blocks = blocks_of_row(machine);
    queues->places = places;
    queues->queued = machine_allocate_rows(machine, queues->blocks, 0, sizeof *queues->queued);
    queues->link_memory = machine_allocate_rows(machine, (size_t)queues->blocks * DIRECTIONS, 1,
                                                sizeof *queues->link);
    queues->word_memory =
        machine_allocate_rows(machine, (size_t)queues->cols * DIRECTIONS * places,
                              CACHE_LINE / sizeof *queues->word, sizeof *queues->word);
    queues->last = machine_allocate_nodes(machine, DIRECTIONS * sizeof *queues->last);
    if (!queues->queued || !queues->link_memory || !queues->word_memory || !queues->last)
        return false;
    queues->link = first_line(queues->link_memory);
    queues->word = first_line(queues->word_memory);
    return true;
}

void link_queues_free(struct link_queues *queues)
{
    free(queues->queued);
    free(queues->link_memory);
    free(queues->word_memory);
    free(queues->last);
    *queues = (struct link_queues){0};
}

/* ---- one queue ---- */

/* One queue: that of the i-th node of a block. */
struct link_queue {
    struct queue_block block;
    unsigned i;
};

static struct link_queue queue_at(const struct link_queues *queues, struct site site,
                                  enum direction d)
{
    unsigned i = site.col & (BLOCK - 1);
    struct site first = {site.index - i, site.row, site.col - i};
    return (struct link_queue){queue_block_at(queues, first, d), i};
}

static void set_number(uint64_t bits[static RING_BITS], unsigned i, uint32_t number)
{
    for (unsigned j = 0; j < RING_BITS; j++)
        bits[j] = (bits[j] & ~(UINT64_C(1) << i)) | (uint64_t)(number >> j & 1) << i;
}

static bool is_longer(const struct link_queue *queue)
{
    return queue->block.link->longer >> queue->i & 1;
}

/* Returns the k-th word of a ring of `size` words whose first place is `first`. */
static uint64_t *word_of_ring(const struct link_queue *queue, uint32_t first, uint32_t size,
                              uint32_t k)
{
    uint32_t place = first + k;
    return ring_word(&queue->block, queue->i, place < size ? place : place - size);
}

/* Puts `word` before the k-th of a ring of `size` words that has room for it. */
static void put_into_ring(const struct link_queue *queue, uint32_t first, uint32_t size, uint32_t k,
                          uint64_t word)
{
    uint32_t place = first + k;
    if (place > size) { /* before the first place, which moves */
        place -= size;
        set_number(queue->block.link->first, queue->i, first + 1);
    }
    for (uint32_t j = size; j > place; j--)
        *ring_word(&queue->block, queue->i, j) = *ring_word(&queue->block, queue->i, j - 1);
    *ring_word(&queue->block, queue->i, place) = word;
    set_number(queue->block.link->size, queue->i, size + 1);
}

/* Puts `word` before the k-th of a full ring, whose last word goes before the list. */
static void put_before_list(struct machine *machine, const struct link_queue *queue, uint32_t first,
                            uint32_t k, uint64_t word)
{
    uint32_t size = queue->block.places;
    uint64_t last = *word_of_ring(queue, first, size, size - 1);
    uint64_t before = k + 1 < size ? *word_of_ring(queue, first, size, size - 2) : word;
    if (!is_longer(queue))
        queue->block.last[queue->i] = (uint32_t)last;
    queue->block.link->longer |= UINT64_C(1) << queue->i;
    machine->next[(uint32_t)before] = last;
    for (uint32_t j = size - 1; j > k; j--)
        *word_of_ring(queue, first, size, j) = *word_of_ring(queue, first, size, j - 1);
    *word_of_ring(queue, first, size, k) = word;
}

/* Puts `word` into the list, behind all that are at least as urgent. */
static void put_into_list(struct machine *machine, const struct link_queue *queue, uint64_t word)
{
    uint64_t *next = machine->next;
    uint32_t before = ring_last(&queue->block, queue->i), *last = &queue->block.last[queue->i];
    uint32_t end = is_longer(queue) ? *last : before;
    if (word_urgency(word) == 0)
        before = end;
    while (before != end && word_urgency(next[before]) >= word_urgency(word))
        before = (uint32_t)next[before];
    if (before == end)
        *last = (uint32_t)word;
    else
        next[(uint32_t)word] = next[before];
    next[before] = word;
    queue->block.link->longer |= UINT64_C(1) << queue->i;
}

/* Puts `word` before the k-th of the ring, or into the list if it has no such place. */
static void put_before(struct machine *machine, const struct link_queue *queue, uint32_t first,
                       uint32_t size, uint32_t k, uint64_t word)
{
    *queue->block.queued |= UINT64_C(1) << queue->i;
    if (size < queue->block.places)
        put_into_ring(queue, first, size, k, word);
    else if (k < size)
        put_before_list(machine, queue, first, k, word);
    else
        put_into_list(machine, queue, word);
}

void link_queue_put(struct machine *machine, const struct link_queues *queues, struct site site,
                    enum direction d, uint64_t word)
{
    struct link_queue queue = queue_at(queues, site, d);
    uint32_t first = ring_number(queue.block.link->first, queue.i);
    uint32_t size = ring_number(queue.block.link->size, queue.i);
    uint32_t k = word_urgency(word) == 0 ? size : 0;
    while (k < size && word_urgency(*word_of_ring(&queue, first, size, k)) >= word_urgency(word))
        k++;
    put_before(machine, &queue, first, size, k, word);
}

void link_queue_put_first(struct machine *machine, const struct link_queues *queues,
                          struct site site, enum direction d, uint64_t word)
{
    struct link_queue queue = queue_at(queues, site, d);
    put_before(machine, &queue, ring_number(queue.block.link->first, queue.i),
               ring_number(queue.block.link->size, queue.i), 0, word);
}

/* Puts the first word of the list in the place of the first one of the ring. */
static void refill_ring(struct machine *machine, const struct link_queue *queue, uint32_t first)
{
    uint64_t word = machine->next[ring_last(&queue->block, queue->i)];
    *ring_word(&queue->block, queue->i, first) = word;
    if ((uint32_t)word == queue->block.last[queue->i])
        queue->block.link->longer &= ~(UINT64_C(1) << queue->i);
    set_number(queue->block.link->first, queue->i, first + 1 < queue->block.places ? first + 1 : 0);
}

static uint64_t take(struct machine *machine, const struct link_queue *queue)
{
    const struct queue_block *block = &queue->block;
    uint32_t first = ring_number(block->link->first, queue->i);
    uint32_t size = ring_number(block->link->size, queue->i);
    uint64_t word = *ring_word(block, queue->i, first);
    if (is_longer(queue)) {
        refill_ring(machine, queue, first);
        return word;
    }
    for (uint32_t j = first; j + 1 < size; j++)
        *ring_word(block, queue->i, j) = *ring_word(block, queue->i, j + 1);
    set_number(block->link->size, queue->i, size - 1);
    if (first + 1 == size)
        set_number(block->link->first, queue->i, 0);
    if (size == 1)
        *block->queued &= ~(UINT64_C(1) << queue->i);
    return word;
}

uint64_t link_queue_take(struct machine *machine, const struct link_queues *queues,
                         struct site site, enum direction d)
{
    struct link_queue queue = queue_at(queues, site, d);
    return take(machine, &queue);
}

/* ---- slots and queues ---- */

void link_queues_fill(struct machine *machine, const struct link_queues *queues,
                      const struct conveyor_view *view, const struct conveyor_line *line,
                      struct site first, enum direction d, uint64_t nodes)
{
    struct link_queue queue = {.block = queue_block_at(queues, first, d)};
    for (; nodes != 0; nodes &= nodes - 1) {
        queue.i = (unsigned)__builtin_ctzll(nodes);
        struct site site = block_site(first, queue.i);
        conveyor_set(view, line, site, d, take(machine, &queue));
        machine->occupancy[site.index]--;
    }
}

void link_queues_empty_slots(struct machine *machine, const struct link_queues *queues,
                             const struct conveyor_view *view, const struct conveyor_line *line,
                             struct site first, enum direction d, uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        link_queue_put(machine, queues, site, d, conveyor_clear(view, line, site, d));
        machine->occupancy[site.index]++;
    }
}

/* ---- fetching ---- */

void link_queues_fetch_lists(const struct machine *machine, const struct link_queues *queues,
                             struct site first, enum direction d)
{
    struct queue_block block = queue_block_at(queues, first, d);
    fetch_has_effect();
    for (uint64_t left = block.link->longer; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        __builtin_prefetch(&machine->next[ring_last(&block, i)], 1);
        __builtin_prefetch(&machine->next[block.last[i]], 1);
    }
}

void link_queues_fetch_bits(const struct link_queues *queues, struct site first)
{
    fetch_has_effect();
    __builtin_prefetch(link_queued(queues, first), 1);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        __builtin_prefetch(queue_block_at(queues, first, d).link, 1);
}

void link_queues_fetch_first(const struct link_queues *queues, struct site first, enum direction d,
                             uint64_t nodes)
{
    struct queue_block block = queue_block_at(queues, first, d);
    fetch_has_effect();
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        __builtin_prefetch(ring_word(&block, i, ring_number(block.link->first, i)), 1);
    }
}

void link_queues_fetch(const struct link_queues *queues, struct site first, enum direction d)
{
    enum { WORDS = CACHE_LINE / sizeof *queues->word };
    struct queue_block block = queue_block_at(queues, first, d);
    fetch_has_effect();
    for (uint32_t place = 0; place < queues->places; place++) {
        uint64_t bits = *block.queued & ring_first_in(block.link, place);
        for (uint32_t i = 0; bits != 0; i += WORDS, bits >>= WORDS)
            if (bits & ((1 << WORDS) - 1))
                __builtin_prefetch(ring_word(&block, i, place), 1);
    }
}
