/* glide_queue.c - queues behind slots.
 *
 * The three most urgent packets of a queue stand side by side in it, so that a queue that is seldom
 * longer is one look at memory; from the third on they are a list through machine->next. Order as
 * in queue.c: the most urgent first, of equally urgent ones that which came first.
 * Cost: O(1) to take, and to put where nothing has an urgency; else the packets that stand before.
 */
#include "machine/glide_private.h"

static uint64_t urgency(uint64_t word)
{
    return word >> URGENCY_SHIFT;
}

/* The packet at the end of the list that begins with the third word. */
static uint32_t end_of_list(const struct glide_queue *queue)
{
    return queue->count > GLIDE_WORDS ? queue->last : (uint32_t)queue->word[GLIDE_WORDS - 1];
}

/* Into the list, behind its first packet. */
static void put_into_list(struct machine *machine, struct glide_queue *queue, uint64_t word)
{
    uint64_t *next = machine->next;
    uint32_t end = end_of_list(queue);
    uint32_t before = urgency(word) == 0 ? end : (uint32_t)queue->word[GLIDE_WORDS - 1];
    while (before != end && urgency(next[before]) >= urgency(word))
        before = (uint32_t)next[before];
    queue->last = before == end ? (uint32_t)word : end;
    if (before != end)
        next[(uint32_t)word] = next[before];
    next[before] = word;
}

/* The third packet becomes the second one of the list, behind the one that is named `first`. */
static void push_down(struct machine *machine, struct glide_queue *queue, uint32_t first)
{
    queue->last = end_of_list(queue);
    machine->next[first] = queue->word[GLIDE_WORDS - 1];
}

static void put_beside(struct machine *machine, struct glide_queue *queue, uint32_t place,
                       uint64_t word)
{
    uint32_t beside = queue->count < GLIDE_WORDS ? queue->count : GLIDE_WORDS;
    if (beside == GLIDE_WORDS)
        push_down(machine, queue,
                  (uint32_t)(place + 1 < GLIDE_WORDS ? queue->word[GLIDE_WORDS - 2] : word));
    for (uint32_t i = beside < GLIDE_WORDS ? beside : GLIDE_WORDS - 1; i > place; i--)
        queue->word[i] = queue->word[i - 1];
    queue->word[place] = word;
    queue->count++;
}

void glide_put_first(struct machine *machine, struct glide_queue *queue, uint64_t word)
{
    put_beside(machine, queue, 0, word);
}

void glide_put(struct machine *machine, struct glide_queue *queue, uint64_t word)
{
    uint32_t beside = queue->count < GLIDE_WORDS ? queue->count : GLIDE_WORDS;
    uint32_t place = urgency(word) == 0 ? beside : 0;
    while (place < beside && urgency(queue->word[place]) >= urgency(word))
        place++;
    if (place < GLIDE_WORDS) {
        put_beside(machine, queue, place, word);
        return;
    }
    put_into_list(machine, queue, word);
    queue->count++;
}

uint64_t glide_take(struct machine *machine, struct glide_queue *queue)
{
    uint64_t word = queue->word[0];
    for (uint32_t i = 1; i < GLIDE_WORDS; i++)
        queue->word[i - 1] = queue->word[i];
    if (queue->count > GLIDE_WORDS)
        queue->word[GLIDE_WORDS - 1] = machine->next[(uint32_t)queue->word[GLIDE_WORDS - 1]];
    queue->count--;
    return word;
}
