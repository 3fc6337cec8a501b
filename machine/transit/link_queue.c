/* link_queue.c - the queue of a link, the most urgent packet first.
 *
 * The seven most urgent packets of a queue stand side by side in it, so that a queue that is seldom
 * longer is one look at memory; from the seventh on they are a list through machine->next. Of equally urgent
 * packets that one is first which came first.
 * Cost: O(1) to take, and to put where nothing has an urgency; else the packets that stand before.
 */
#include "machine/transit/link_queue.h"

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
