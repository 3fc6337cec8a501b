/* pattern_deal_ranks.c - the slots of a deal, shared out among ranks.
 *
 * The deal of pattern_deal.c exchanges slots of one array, whose front becomes what is dealt. Here each rank has the
 * slots that its messages get in the end. The ranks deal one after another, from rank 0 on. While a rank deals its messages,
 * the ranks behind it tell it what their slots hold, and store what it moves there; the ranks before it are done.
 *   Method: a rank foresees which slots a batch of draws takes if no draw is repeated, and fetches them together. It then
 * deals until it draws a slot that it has not fetched, gives back what the slots hold now, and foresees anew. So it draws
 * the values that a run alone draws, and deals the same. What lies behind a repeated draw was foreseen for nothing: a batch
 * has twice as many draws as the one before it has dealt, so that little is, where messages have many destinations.
 * Cost: that of the deal alone, and two messages a batch to each rank behind; 4 bytes per slot of this rank's, 8 a place.
 */
#include "workloads/pattern_private.h"

#include "base/extremes.h"

#include <stdlib.h>
#include <string.h>

/* How many draws are foreseen at once, at least and at most, and the size of the table of slots of other ranks: at least
 * twice as many. */
enum { LEAST_BATCH = 64, BATCH = 1 << 16, TABLE = 1 << 17 };

/* What a letter to a rank behind asks for: the values of slots; that slots get values; that the next rank deals. */
enum request { FETCH, KEEP, NEXT };

/* An entry of that table: a slot of another rank, and what it holds. */
struct fetched_slot {
    bool is_used;
    uint32_t slot, value;
};

struct shared_deal {
    const struct deal *deal;
    struct pcg32 *random;
    uint32_t *place; /* slots first .. end - 1 */
    uint32_t first, end, total;
    uint32_t *stamp;                  /* [places]: 1 + the last message that took the place */
    struct fetched_slot *table;       /* [TABLE] */
    uint32_t batch;                   /* how many draws are foreseen next */
    uint32_t fetched, *slot, *letter; /* [fetched], [BATCH + 1] */
};

/* Returns how many slots the messages of earlier ranks have: the first slot of the rank's. */
static uint32_t slots_before(const struct deal *deal, uint32_t rank)
{
    return deal->start[rank] * deal->degree;
}

/* ---- the slots of others ---- */

static struct fetched_slot *entry_of(const struct shared_deal *shared, uint32_t slot)
{
    uint32_t at = slot * UINT32_C(2654435769) % TABLE;
    while (shared->table[at].is_used && shared->table[at].slot != slot)
        at = (at + 1) % TABLE;
    return &shared->table[at];
}

/* Returns where this rank keeps the slot's value; NULL: it must be fetched first. */
static uint32_t *value_of(const struct shared_deal *shared, uint32_t slot)
{
    if (slot < shared->end)
        return &shared->place[slot - shared->first];
    struct fetched_slot *entry = entry_of(shared, slot);
    return entry->is_used ? &entry->value : NULL;
}

/* Finds which slots of other ranks the next draws take. */
static void foresee(struct shared_deal *shared, uint32_t dealt, uint32_t end)
{
    struct pcg32 random = *shared->random;
    /* in the opposite order, so that the probing for each still finds it */
    while (shared->fetched > 0)
        entry_of(shared, shared->slot[--shared->fetched])->is_used = false;
    for (uint32_t t = dealt; t < end && t - dealt < shared->batch; t++) {
        uint32_t slot = t + pcg32_below(&random, shared->total - t);
        struct fetched_slot *entry = slot < shared->end ? NULL : entry_of(shared, slot);
        if (entry == NULL || entry->is_used)
            continue;
        *entry = (struct fetched_slot){true, slot, 0};
        shared->slot[shared->fetched++] = slot;
    }
}

/* Sends the rank those of its slots that are foreseen (FETCH), or what they are to hold (KEEP); returns how many they are. */
static uint32_t send_slots(struct shared_deal *shared, uint32_t rank, enum request kind,
                           struct failure *failure)
{
    uint32_t first = slots_before(shared->deal, rank), end = slots_before(shared->deal, rank + 1);
    uint32_t count = 0;
    shared->letter[0] = kind;
    for (uint32_t i = 0; i < shared->fetched; i++) {
        uint32_t slot = shared->slot[i];
        if (slot >= first && slot < end)
            shared->letter[++count] = kind == FETCH ? slot : *value_of(shared, slot);
    }
    if (count > 0)
        ranks_send(shared->deal->ranks, rank, shared->letter,
                   (count + (size_t)1) * sizeof *shared->letter, failure);
    return count;
}

static void take_values(struct shared_deal *shared, uint32_t rank, struct failure *failure)
{
    uint32_t first = slots_before(shared->deal, rank), end = slots_before(shared->deal, rank + 1);
    void *values;
    size_t bytes;
    if (ranks_receive(shared->deal->ranks, &rank, &values, &bytes, failure) != FAIL_NONE)
        return;
    const uint32_t *value = values;
    for (uint32_t i = 0; i < shared->fetched; i++)
        if (shared->slot[i] >= first && shared->slot[i] < end)
            *value_of(shared, shared->slot[i]) = *value++;
    free(values);
}

static enum failure_kind fetch(struct shared_deal *shared, struct failure *failure)
{
    uint32_t ranks = ranks_size(shared->deal->ranks);
    for (uint32_t rank = ranks_rank(shared->deal->ranks) + 1; rank < ranks; rank++)
        if (send_slots(shared, rank, FETCH, failure) > 0 && failure->kind == FAIL_NONE)
            take_values(shared, rank, failure);
    return failure->kind;
}

static enum failure_kind give_back(struct shared_deal *shared, struct failure *failure)
{
    uint32_t ranks = ranks_size(shared->deal->ranks);
    for (uint32_t rank = ranks_rank(shared->deal->ranks) + 1; rank < ranks; rank++)
        send_slots(shared, rank, KEEP, failure);
    return failure->kind;
}

/* ---- a turn ---- */

/* Deals slots from `dealt` on until `end`, or until a slot is drawn that was not foreseen; returns the first that is not
 * dealt. */
static uint32_t deal_foreseen(struct shared_deal *shared, uint32_t dealt, uint32_t end)
{
    while (dealt < end) {
        uint32_t message = dealt / shared->deal->degree + 1;
        struct pcg32 before = *shared->random;
        uint32_t *at = value_of(shared, dealt + pcg32_below(shared->random, shared->total - dealt));
        if (at == NULL) {
            *shared->random = before;
            return dealt;
        }
        if (shared->stamp[*at] == message)
            continue;
        uint32_t *front = &shared->place[dealt - shared->first], v = *at;
        shared->stamp[v] = message;
        *at = *front;
        *front = v;
        dealt++;
    }
    return dealt;
}

/* Deals this rank's messages below number `messages`, and tells the ranks behind that the next one deals, and with which
 * random values. */
static enum failure_kind take_turn(struct shared_deal *shared, uint32_t messages,
                                   struct failure *failure)
{
    struct ranks *ranks = shared->deal->ranks;
    uint32_t end = lesser(shared->end, messages * shared->deal->degree), dealt = shared->first;
    while (dealt < end && failure->kind == FAIL_NONE) {
        foresee(shared, dealt, end);
        if (fetch(shared, failure) != FAIL_NONE)
            break;
        uint32_t before = dealt;
        dealt = deal_foreseen(shared, dealt, end);
        shared->batch = lesser(BATCH, larger(LEAST_BATCH, 2 * (dealt - before)));
        give_back(shared, failure);
    }
    uint32_t letter[] = {NEXT, (uint32_t)shared->random->state,
                         (uint32_t)(shared->random->state >> 32)};
    for (uint32_t rank = ranks_rank(ranks) + 1; rank < ranks_size(ranks); rank++)
        if (failure->kind == FAIL_NONE)
            ranks_send(ranks, rank, letter, sizeof letter, failure);
    return failure->kind;
}

/* Answers the rank that deals until it has dealt. */
static enum failure_kind wait_turn(struct shared_deal *shared, uint32_t dealer,
                                   struct failure *failure)
{
    struct ranks *ranks = shared->deal->ranks;
    for (bool is_over = false; !is_over && failure->kind == FAIL_NONE;) {
        void *letter;
        size_t bytes;
        if (ranks_receive(ranks, &dealer, &letter, &bytes, failure) != FAIL_NONE)
            break;
        uint32_t *word = letter, count = (uint32_t)(bytes / sizeof *word) - 1;
        enum request kind = (enum request)word[0];
        is_over = kind == NEXT;
        if (is_over)
            shared->random->state = word[1] | (uint64_t)word[2] << 32;
        if (kind == FETCH) {
            memcpy(shared->slot, word + 1, count * sizeof *word);
            for (uint32_t i = 0; i < count; i++)
                word[i] = shared->place[shared->slot[i] - shared->first];
            ranks_send(ranks, dealer, word, count * sizeof *word, failure);
        }
        for (uint32_t i = 0; kind == KEEP && i < count; i++)
            shared->place[shared->slot[i] - shared->first] = word[i + 1];
        free(letter);
    }
    return failure->kind;
}

/* ---- the whole ---- */

static void fill_slots(struct shared_deal *shared, const uint32_t *left)
{
    uint64_t slot = 0;
    for (uint32_t v = 0; v < shared->deal->places && slot < shared->end; slot += left[v++])
        for (uint64_t at = larger_wide(slot, shared->first);
             at < lesser_wide(slot + left[v], shared->end); at++)
            shared->place[at - shared->first] = v;
}

/* Gives all ranks the state of the generator after the last rank's draws, and takes what all have dealt off left[]. */
static enum failure_kind settle(struct shared_deal *shared, uint32_t messages, uint32_t *left,
                                struct failure *failure)
{
    struct ranks *ranks = shared->deal->ranks;
    uint32_t end = lesser(shared->end, messages * shared->deal->degree), *dealt = shared->stamp;
    uint64_t state = ranks_rank(ranks) + 1 == ranks_size(ranks) ? shared->random->state : 0;
    memset(dealt, 0, shared->deal->places * sizeof *dealt);
    for (uint32_t slot = shared->first; slot < end; slot++)
        dealt[shared->place[slot - shared->first]]++;
    if (ranks_sum(ranks, &state, 1, failure) == FAIL_NONE)
        ranks_sum_counts(ranks, dealt, shared->deal->places, failure);
    for (uint32_t v = 0; v < shared->deal->places; v++)
        left[v] -= dealt[v];
    shared->random->state = state;
    return failure->kind;
}

enum failure_kind deal_slots_on_ranks(const struct deal *deal, struct pcg32 *random,
                                      uint32_t messages, uint32_t *left, uint32_t *stamp,
                                      uint32_t *place, struct failure *failure)
{
    uint32_t own = ranks_rank(deal->ranks);
    struct failure wrong = {0};
    struct shared_deal shared = {.deal = deal,
                                 .random = random,
                                 .place = place,
                                 .first = slots_before(deal, own),
                                 .end = slots_before(deal, own + 1),
                                 .total = deal->messages * deal->degree,
                                 .stamp = stamp,
                                 .batch = LEAST_BATCH,
                                 .table = memory_allocate(TABLE, sizeof *shared.table),
                                 .slot = memory_allocate(BATCH, sizeof *shared.slot),
                                 .letter = memory_allocate(BATCH + 1, sizeof *shared.letter)};
    if (shared.table == NULL || shared.slot == NULL || shared.letter == NULL)
        fail_memory(&wrong, "dealing destinations");
    if (ranks_agree(deal->ranks, wrong.kind, &wrong) == FAIL_NONE) {
        fill_slots(&shared, left);
        memset(stamp, 0, deal->places * sizeof *stamp);
        for (uint32_t dealer = 0; dealer < own && wrong.kind == FAIL_NONE; dealer++)
            wait_turn(&shared, dealer, &wrong);
        if (wrong.kind == FAIL_NONE && take_turn(&shared, messages, &wrong) == FAIL_NONE)
            settle(&shared, messages, left, &wrong);
    }
    free(shared.table);
    free(shared.slot);
    free(shared.letter);
    return wrong.kind == FAIL_NONE ? FAIL_NONE : fail_as(failure, &wrong);
}
