/* pattern_deal.c - random choices that several patterns share, above all the deal: distinct places
 * for every message, none too often.
 *
 * First every place gets a quota, together messages * degree: the congestion itself if all of it is
 * needed, otherwise drawn one by one among the places that have less. Then the messages are served
 * one after another. For a place with r of its quota left and k messages to come, r <= k must hold,
 * or it could not be met by distinct messages. Two ways keep that:
 *   - while k exceeds every quota: the quotas lie as slots in one array; a message takes random
 *     slots, drawing again when it has the place already (a lazy Fisher-Yates shuffle);
 *   - for the last k messages, as many as the largest quota: systematic sampling in a new random
 *     order each time. The places lie along a line, r long each, and those are taken that a comb
 *     of spacing k with a random offset hits. The line is k * degree long, so exactly `degree` are
 *     hit; a place with r = k is always hit, none twice; r <= k - 1 holds afterwards.
 * So the deal never fails and never needs repair, and a place is chosen with probability r / k.
 *
 * Cost: expected O(messages * degree + places * (largest quota)) time; four words per place.
 */
#include "workloads/pattern_private.h"

#include <assert.h>
#include <stdlib.h>

enum { SPARSE = 4 }; /* slots are drawn while a message takes at most 1/SPARSE of the places */

struct table {
    const struct deal *deal;
    struct pcg32 *random;
    uint32_t *left;  /* [places]: rest of the quota */
    uint32_t *order; /* [places] */
    uint32_t *stamp; /* [places]: 1 + the last message that took the place from the slots */
    uint32_t *place; /* [messages * degree]: dealt so far, then (in the first way) the slots */
};

void shuffle_front(struct pcg32 *random, uint32_t *number, uint32_t count, uint32_t chosen)
{
    for (uint32_t i = 0; i < chosen; i++) {
        uint32_t other = i + pcg32_below(random, count - i), moved = number[i];
        number[i] = number[other];
        number[other] = moved;
    }
}

uint32_t *shuffled_numbers(struct pcg32 *random, uint32_t count)
{
    uint32_t *number = memory_allocate(count, sizeof *number);
    if (number == NULL)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        number[i] = i;
    shuffle_front(random, number, count, count);
    return number;
}

uint32_t whole_root(uint64_t square)
{
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 31; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= square)
            root += bit;
    return (uint32_t)root;
}

/* Fills left[] with the quotas; returns the largest. */
static uint32_t draw_quotas(struct table *table)
{
    const struct deal *deal = table->deal;
    uint32_t cap = deal->congestion < deal->messages ? deal->congestion : deal->messages;
    uint64_t total = (uint64_t)deal->messages * deal->degree;
    uint32_t open = deal->places, largest = 0;
    assert(total <= (uint64_t)cap * deal->places && deal->degree <= deal->places);
    if (total == (uint64_t)cap * deal->places) {
        for (uint32_t v = 0; v < deal->places; v++)
            table->left[v] = cap;
        return cap;
    }
    for (uint32_t v = 0; v < deal->places; v++)
        table->order[v] = v; /* the first `open` ones have less than cap */
    for (uint64_t i = 0; i < total; i++) {
        uint32_t at = pcg32_below(table->random, open), v = table->order[at];
        uint32_t here = ++table->left[v];
        if (here > largest)
            largest = here;
        if (here == cap)
            table->order[at] = table->order[--open];
    }
    return largest;
}

/* Deals `messages` messages from the slots, the first way, and updates left[]. */
static void deal_slots(struct table *table, uint32_t messages)
{
    uint32_t total = table->deal->messages * table->deal->degree, dealt = 0;
    for (uint32_t v = 0; v < table->deal->places; v++)
        for (uint32_t i = 0; i < table->left[v]; i++)
            table->place[dealt++] = v;
    assert(dealt == total);
    dealt = 0;
    for (uint32_t i = 0; i < messages; i++)
        for (uint32_t j = 0; j < table->deal->degree; j++, dealt++) {
            uint32_t slot, v;
            do {
                slot = dealt + pcg32_below(table->random, total - dealt);
                v = table->place[slot];
            } while (table->stamp[v] == i + 1);
            table->stamp[v] = i + 1;
            table->left[v]--;
            table->place[slot] = table->place[dealt];
            table->place[dealt] = v;
        }
}

/* Deals one message in the second way; `to_come` are left, this one included. */
static void deal_comb(struct table *table, uint32_t to_come, uint32_t *place)
{
    uint32_t places = table->deal->places, dealt = 0;
    uint32_t along = pcg32_below(table->random, to_come);
    shuffle_front(table->random, table->order, places, places);
    for (uint32_t i = 0; i < places; i++) {
        uint32_t v = table->order[i];
        along += table->left[v];
        if (along >= to_come) {
            along -= to_come;
            table->left[v]--;
            place[dealt++] = v;
        }
    }
    assert(dealt == table->deal->degree);
}

/* Deals the messages from number `first` on, in the second way. */
static void deal_combs(struct table *table, uint32_t first)
{
    const struct deal *deal = table->deal;
    for (uint32_t v = 0; v < deal->places; v++)
        table->order[v] = v;
    for (uint32_t i = first; i < deal->messages; i++)
        deal_comb(table, deal->messages - i, table->place + (size_t)i * deal->degree);
}

enum failure_kind deal_places(const struct deal *deal, struct pcg32 *random, uint32_t *place,
                              struct failure *failure)
{
    struct table table = {.deal = deal,
                          .random = random,
                          .left = memory_allocate(deal->places, sizeof(uint32_t)),
                          .order = memory_allocate(deal->places, sizeof(uint32_t)),
                          .stamp = memory_allocate(deal->places, sizeof(uint32_t)),
                          .place = place};
    enum failure_kind kind = FAIL_NONE;
    if (table.left == NULL || table.order == NULL || table.stamp == NULL) {
        kind = fail_memory(failure, "dealing destinations");
        goto done;
    }
    uint32_t largest = draw_quotas(&table), from_slots = 0;
    if (deal->messages > largest && deal->degree <= deal->places / SPARSE) {
        from_slots = deal->messages - largest;
        deal_slots(&table, from_slots);
    }
    deal_combs(&table, from_slots);
done:
    free(table.left);
    free(table.order);
    free(table.stamp);
    return kind;
}

/* ---- pairs of a source and a destination ---- */

enum failure_kind pair_list_open(struct pair_list *list, uint64_t room, bool has_arrays,
                                 struct failure *failure)
{
    struct message_set none;
    *list = (struct pair_list){0};
    if (room >= UINT32_MAX) /* says so in the one place that knows the limit */
        return message_set_allocate(&none, (struct shape){0}, 0, room, failure);
    list->from = memory_allocate(room, sizeof *list->from);
    list->to = memory_allocate(room, sizeof *list->to);
    if (has_arrays && list->from != NULL && list->to != NULL)
        return FAIL_NONE;
    return fail_memory(failure, "the deliveries of a pattern");
}

enum failure_kind pair_list_close(struct pair_list *list, enum failure_kind kind,
                                  struct shape shape, struct message_set *set,
                                  struct failure *failure)
{
    if (kind == FAIL_NONE)
        kind = message_set_from_pairs(set, shape, list->pairs, list->from, list->to, failure);
    free(list->from);
    free(list->to);
    *list = (struct pair_list){0};
    return kind;
}
