/* link_queue.c - queues behind slots: those of packets with urgencies, and what both kinds share.
 *
 * The seven most urgent packets of a queue stand side by side in it, so that a queue that is seldom
 * longer is one look at memory; from the seventh on they are a list through machine->next. Order as
 * in queue.c: the most urgent first, of equally urgent ones that which came first.
 * Cost: O(1) to take, and to put where nothing has an urgency; else the packets that stand before.
 */
#include "machine/forward/forward_step_private.h"

static uint64_t urgency(uint64_t word)
{
    return word >> URGENCY_SHIFT;
}

/* The packet at the end of the list. */
static uint32_t end_of_list(struct link_queue *queue)
{
    return queue->count > LINK_QUEUE_WORDS
               ? queue->last
               : (uint32_t)*link_queue_word(queue, LINK_QUEUE_WORDS - 1);
}

/* Into the list, behind its first packet. */
static void put_into_list(struct machine *machine, struct link_queue *queue, uint64_t word)
{
    uint64_t *next = machine->next;
    uint32_t end = end_of_list(queue),
             first = (uint32_t)*link_queue_word(queue, LINK_QUEUE_WORDS - 1);
    uint32_t before = urgency(word) == 0 ? end : first;
    while (before != end && urgency(next[before]) >= urgency(word))
        before = (uint32_t)next[before];
    queue->last = before == end ? (uint32_t)word : end;
    if (before != end)
        next[(uint32_t)word] = next[before];
    next[before] = word;
    queue->count++;
}

/* At place `place` of the ring; if that is full its last word becomes the second one of the list. */
static void put_beside(struct machine *machine, struct link_queue *queue, uint32_t place,
                       uint64_t word)
{
    uint32_t beside = queue->count < LINK_QUEUE_WORDS ? queue->count : LINK_QUEUE_WORDS - 1;
    if (queue->count >= LINK_QUEUE_WORDS) {
        uint64_t before = place < beside ? *link_queue_word(queue, beside - 1) : word;
        queue->last = end_of_list(queue);
        machine->next[(uint32_t)before] = *link_queue_word(queue, beside);
    }
    for (uint32_t i = beside; i > place; i--)
        *link_queue_word(queue, i) = *link_queue_word(queue, i - 1);
    *link_queue_word(queue, place) = word;
    queue->count++;
}

void link_queue_put_first(struct machine *machine, struct link_queue *queue, uint64_t word)
{
    put_beside(machine, queue, 0, word);
}

void link_queue_put(struct machine *machine, struct link_queue *queue, uint64_t word)
{
    uint32_t beside = queue->count < LINK_QUEUE_WORDS ? queue->count : LINK_QUEUE_WORDS;
    uint32_t place = urgency(word) == 0 ? beside : 0;
    while (place < beside && urgency(*link_queue_word(queue, place)) >= urgency(word))
        place++;
    if (place < LINK_QUEUE_WORDS)
        put_beside(machine, queue, place, word);
    else
        put_into_list(machine, queue, word);
}

uint64_t link_queue_take(struct machine *machine, struct link_queue *queue)
{
    uint64_t *first = link_queue_word(queue, 0), word = *first;
    if (queue->count > LINK_QUEUE_WORDS)
        *first = machine->next[(uint32_t)*link_queue_word(queue, LINK_QUEUE_WORDS - 1)];
    queue->first = queue->first + 1 < LINK_QUEUE_WORDS ? queue->first + 1 : 0;
    queue->count--;
    return word;
}

/* ---- queues of either kind ---- */

/* Puts `word` last, or behind all that are at least as urgent. */
void forward_put(struct forward_worker *worker, struct site site, enum direction d, uint64_t word)
{
    struct machine *machine = worker->machine;
    unsigned i = site.col & (BLOCK - 1);
    struct site first = {site.index - i, site.row, site.col - i};
    forward_block(worker->queues, site)->queued[d] |= conveyor_bit(site);
    if (worker->is_fifo) {
        struct fifo_block fifo = forward_fifo(worker, first, d);
        fifo_put(machine, &fifo, i, word);
    } else {
        link_queue_put(machine, link_queue_of(worker->queues, site, d), word);
    }
}

void forward_enqueue(struct forward_worker *worker, struct site site, enum direction d,
                     uint64_t word)
{
    struct forward_block *block = forward_block(worker->queues, site);
    bool is_open = d < worker->passed && !(block->queued[d] & conveyor_bit(site));
    bool is_taken = conveyor_is_taken(worker->line, site, d);
    if (is_open && !is_taken) {
        worker->machine->occupancy[site.index]--;
        conveyor_set(&worker->view, worker->line, site, d, word);
        return;
    }
    if (is_open && !worker->is_fifo) {
        worker->machine->occupancy[site.index]++;
        forward_put(worker, site, d, conveyor_clear(&worker->view, worker->line, site, d));
    }
    forward_put(worker, site, d, word);
}

/* Takes the first word of the queue of node `i` of a block. */
uint64_t forward_take(struct forward_worker *worker, struct site first, enum direction d,
                      unsigned i)
{
    struct machine *machine = worker->machine;
    uint64_t word;
    bool is_last;
    if (worker->is_fifo) {
        struct fifo_block fifo = forward_fifo(worker, first, d);
        word = fifo_take(machine, &fifo, i);
        is_last = fifo_size(&fifo, i) == 0;
    } else {
        struct link_queue *queue = &link_queues_at(worker->queues, first, d)[i];
        word = link_queue_take(machine, queue);
        is_last = queue->count == 0;
    }
    if (is_last)
        forward_block(worker->queues, first)->queued[d] &= ~(UINT64_C(1) << i);
    return word;
}

/* Puts `word` before all others. */
void forward_put_first(struct forward_worker *worker, struct site first, enum direction d,
                       unsigned i, uint64_t word)
{
    struct machine *machine = worker->machine;
    if (worker->is_fifo) {
        struct fifo_block fifo = forward_fifo(worker, first, d);
        fifo_put_first(machine, &fifo, i, word);
    } else {
        link_queue_put_first(machine, &link_queues_at(worker->queues, first, d)[i], word);
    }
}

/* The call before had a rule without urgencies, and this one has some. */
void forward_leave_fifos(void *of_band, struct span span)
{
    struct forward_worker *worker = of_band;
    struct machine *machine = worker->machine;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct link_queue *queues = link_queues_at(worker->queues, span.start, d);
        struct fifo_block fifo = forward_fifo(worker, span.start, d);
        uint64_t left = forward_block(worker->queues, span.start)->queued[d];
        for (; left != 0; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);
            while (fifo_size(&fifo, i) > 0)
                link_queue_put(machine, &queues[i], fifo_take(machine, &fifo, i));
        }
    }
}
