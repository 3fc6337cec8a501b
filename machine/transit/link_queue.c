/* link_queue.c - the queues of packets that wait for a link, behind its slot.
 *
 * The first words of a queue are a ring in as many places as it has words, so that a packet that
 * joins the end changes places with the first one, and nothing else moves (for many queues at
 * once). Packets for which the ring has no place form a list through machine->next, node by node. A
 * ring that gets longer or shorter moves the words after its first one by a place: this happens
 * where packets turn, or where the stream of packets has gaps. Equally urgent packets stay in the
 * order of their arrival.
 * Cost: O(RING_PLACES) per packet to put and to take; with urgencies also the packets of the list
 * before it.
 */
#include "machine/transit/conveyor.h"

#include <stdlib.h>

/* ---- the queues of a block ---- */

/* The queues of one link of a block. */
struct queue_block {
    struct ring_bits *link;
    uint64_t *word; /* [place][nodes] */
    uint32_t *last; /* [nodes] */
    uint64_t *queued;
    uint32_t nodes, places;
};

/* Returns the queues of link `d` at the block that begins at `first`. */
static inline struct queue_block queue_block_at(const struct link_queues *queues, struct site first,
                                                enum direction d)
{
    uint32_t nodes = queues->cols - first.col < BLOCK ? queues->cols - first.col : BLOCK;
    size_t block = (size_t)first.row * queues->blocks + (first.col >> BLOCK_SHIFT);
    size_t at = (size_t)first.index * DIRECTIONS + d * nodes;
    return (struct queue_block){.link = &queues->link[block * DIRECTIONS + d],
                                .word = &queues->word[at * queues->places],
                                .last = &queues->last[at],
                                .queued = &queues->queued[block][d],
                                .nodes = nodes,
                                .places = queues->places};
}

static inline uint32_t ring_number(const uint64_t bits[static RING_BITS], unsigned i)
{
    return (uint32_t)((bits[0] >> i & 1) | (bits[1] >> i & 1) << 1 | (bits[2] >> i & 1) << 2);
}

static inline uint64_t *ring_word(const struct queue_block *block, unsigned i, uint32_t place)
{
    return &block->word[(size_t)place * block->nodes + i];
}

/* Returns the packet after which the list of a full ring begins. */
static inline uint32_t ring_last(const struct queue_block *block, unsigned i)
{
    uint32_t first = ring_number(block->link->first, i);
    return (uint32_t)*ring_word(block, i, first == 0 ? block->places - 1 : first - 1);
}

/* Returns the nodes whose first word is in `place`. */
static inline uint64_t ring_first_in(const struct ring_bits *link, uint32_t place)
{
    uint64_t nodes = UINT64_MAX;
    for (unsigned j = 0; j < RING_BITS; j++)
        nodes &= place >> j & 1 ? link->first[j] : ~link->first[j];
    return nodes;
}

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

/* Puts `word` into the list, after all that are at least as urgent. */
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

/* ---- many queues at once ---- Packets that join the ends of a block's queues, many at a time.
 *
 * A packet that goes straight on and finds others in its queue joins the end, and the first one
 * leaves: most hops that cost anything are of this kind. It takes the place of the one that leaves,
 * and the next place of the ring becomes the first. So in a queue of one packet, which is the most
 * frequent, the word and that of the slot change places. Such words are contiguous for the nodes of
 * a block, link by link, place by place; the first places of the rings are counted in bits of words
 * for 64 nodes. Queues with lists exchange words node by node.
 * Cost: O(1) for 64 nodes whose packets join queues, and a move for each of RING_PLACES places that
 * is first somewhere; O(1) per longer queue.
 */

/* Rings of a block's nodes, by the place of their first words: those in `bits[j]` begin at
 * `word[j]`, where the words of the first node are. */
struct ring_places {
    unsigned count;
    uint64_t *word[RING_PLACES];
    uint64_t bits[RING_PLACES];
};

/* The nodes `from` .. `from + count - 1` of the block, whose slots are contiguous. `here` is the
 * coordinate of the first one; `inc` is all bits if the i-th has i more, `back` if stops are at
 * smaller coordinates; else they are 0. */
struct slot_run {
    uint32_t from, count;
    uint32_t here, inc, back, now;
};

/* Words of contiguous nodes, one vector unit's work; arrays of words are loaded and stored in such
 * groups. */
enum { LANES = 8 };
typedef uint64_t lanes __attribute__((vector_size(LANES * sizeof(uint64_t))));
typedef lanes unaligned_lanes __attribute__((aligned(sizeof(uint64_t)), may_alias));

/* Exchanges the first words of the rings and those in the slots; `stop` gets the stops of the words
 * that enter the slots, and `mask` all bits where a word does. */
UNROLLED void exchange_words(const struct ring_places *places, uint64_t *restrict slot,
                             uint32_t *restrict stop, uint32_t *restrict mask,
                             const struct slot_run *run)
{
    const lanes lane = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t i = 0;
    for (; i + LANES <= run->count; i += LANES) {
        lanes old = *(unaligned_lanes *)(slot + i), taken = old, any = {0};
        for (unsigned j = 0; j < places->count; j++) {
            unaligned_lanes *first = (unaligned_lanes *)(places->word[j] + run->from + i);
            lanes bits = (places->bits[j] >> (run->from + i)) - (lanes){0};
            lanes here = -(bits >> lane & 1);
            lanes change = (*first ^ old) & here;
            *first ^= change;
            taken ^= change;
            any |= here;
        }
        *(unaligned_lanes *)(slot + i) = taken;
        for (unsigned k = 0; k < LANES; k++) {
            stop[i + k] = (uint32_t)(taken[k] >> STOP_SHIFT & STOP_MASK);
            mask[i + k] = (uint32_t)any[k];
        }
    }
    for (; i < run->count; i++) {
        uint64_t old = slot[i], any = 0;
        for (unsigned j = 0; j < places->count; j++) {
            uint64_t *first = places->word[j] + run->from + i;
            uint64_t here = -(places->bits[j] >> (run->from + i) & 1);
            uint64_t change = (*first ^ old) & here;
            *first ^= change;
            slot[i] ^= change;
            any |= here;
        }
        stop[i] = (uint32_t)(slot[i] >> STOP_SHIFT & STOP_MASK);
        mask[i] = (uint32_t)any;
    }
}

/* Does the same, and fills `due` with the steps of the stops. Returns the distance of the nearest
 * stop; UINT32_MAX: none. */
VECTORISED static uint32_t change_places(const struct ring_places *places, uint64_t *restrict slot,
                                         uint32_t *restrict due, const struct slot_run *run)
{
    uint32_t stop[BLOCK], mask[BLOCK];
    exchange_words(places, slot, stop, mask, run);
    uint32_t here = run->here, inc = run->inc, back = run->back, now = run->now;
    uint32_t nearest = UINT32_MAX;
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t ahead = (uint32_t)(stop[i] - here - (i & inc));
        uint32_t distance = (uint32_t)((ahead ^ back) - back);
        uint32_t far = (uint32_t)(distance | ~mask[i]);
        due[i] = mask[i] ? (uint32_t)(now + distance) : due[i];
        nearest = far < nearest ? far : nearest;
    }
    return nearest;
}

/* Exchanges the slots in the places from `at` on, which may be in two blocks of places. Checking a
 * block before its due step is harmless: nothing is due yet. */
static void exchange_run(const struct conveyor_view *view, struct conveyor_line *line, uint32_t at,
                         const struct ring_places *places, const struct slot_run *run)
{
    uint32_t now = view->clock.now, last = at + run->count - 1;
    uint32_t nearest = change_places(places, line->word + at, line->due + at, run);
    if (nearest == UINT32_MAX)
        return;
    for (uint32_t block = at >> BLOCK_SHIFT; block <= last >> BLOCK_SHIFT; block++)
        if (nearest < line->first_due[block] - now)
            line->first_due[block] = now + nearest;
}

/* Exchanges the first words of the rings with the slots of a block, which may be two runs of
 * places. */
static void exchange_rings(const struct ring_places *places, uint32_t nodes,
                           const struct conveyor_view *view, struct conveyor_line *line,
                           struct site first, enum direction d)
{
    bool is_vertical = direction_is_vertical(d);
    uint32_t at = conveyor_place(view, d, first.col), left = view->conveyor->cols - at;
    struct slot_run run = {.count = nodes < left ? nodes : left,
                           .here = (uint32_t)(is_vertical ? first.row : first.col),
                           .inc = is_vertical ? 0 : UINT32_MAX,
                           .back = d == NORTH || d == WEST ? UINT32_MAX : 0,
                           .now = (uint32_t)view->clock.now};
    exchange_run(view, &line[d], at, places, &run);
    if (run.count == nodes)
        return;
    run.from = run.count;
    run.here = (uint32_t)(run.here + (run.inc & run.from));
    run.count = nodes - run.from;
    exchange_run(view, &line[d], 0, places, &run);
}

/* Lets the rings of these nodes begin a place later; the last place is followed by the first. */
static void advance_rings(struct ring_bits *link, uint64_t nodes)
{
    uint64_t carry = nodes, differs = 0;
    for (unsigned j = 0; j < RING_BITS; j++) {
        uint64_t both = link->first[j] & carry;
        link->first[j] ^= carry;
        carry = both;
        differs |= link->first[j] ^ link->size[j];
    }
    for (unsigned j = 0; j < RING_BITS; j++)
        link->first[j] &= differs | ~nodes;
}

/* True if there are so many nodes that it is faster to handle them together. */
static bool are_many(uint64_t nodes)
{
    enum { FEW = 4 };
    for (int i = 0; i < FEW; i++)
        nodes &= nodes - 1;
    return nodes != 0;
}

/* Exchanges words one by one, for few nodes. */
static void exchange_few(const struct queue_block *block, const struct conveyor_view *view,
                         const struct conveyor_line *line, struct site first, enum direction d,
                         uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        struct site site = block_site(first, i);
        uint64_t *queue = ring_word(block, i, ring_number(block->link->first, i)), taken = *queue;
        *queue = conveyor_word(view, line, site, d);
        conveyor_set(view, line, site, d, taken);
    }
}

/* Puts the words of the slots after the lists, and the lists' first words into the slots. */
static void exchange_lists(struct machine *machine, const struct queue_block *block,
                           const struct conveyor_view *view, const struct conveyor_line *line,
                           struct site first, enum direction d, uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        uint64_t *slot = &line[d].word[conveyor_place(view, d, first.col + i)], word = *slot;
        *slot = machine->next[ring_last(block, i)];
        machine->next[block->last[i]] = word;
        block->last[i] = (uint32_t)word;
    }
}

void link_queues_exchange(struct machine *machine, const struct link_queues *queues,
                          const struct conveyor_view *view, struct conveyor_line *line,
                          struct site first, enum direction d, uint64_t nodes)
{
    struct queue_block block = queue_block_at(queues, first, d);
    struct ring_places places = {0};
    uint64_t left = nodes, few = 0;
    exchange_lists(machine, &block, view, line, first, d, nodes & block.link->longer);
    for (uint32_t place = 0; left != 0; place++) {
        uint64_t bits = left & ring_first_in(block.link, place);
        left &= ~bits;
        if (are_many(bits)) {
            places.word[places.count] = ring_word(&block, 0, place);
            places.bits[places.count++] = bits;
        } else {
            few |= bits;
        }
    }
    if (places.count > 0)
        exchange_rings(&places, block.nodes, view, line, first, d);
    exchange_few(&block, view, line, first, d, few);
    advance_rings(block.link, nodes);
}

/* ---- fetching ---- */

void link_queues_fetch_lists(const struct machine *machine, const struct link_queues *queues,
                             struct site first, enum direction d)
{
    struct queue_block block = queue_block_at(queues, first, d);
    FETCH_HAS_EFFECT();
    for (uint64_t left = block.link->longer; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        __builtin_prefetch(&machine->next[ring_last(&block, i)], 1);
        __builtin_prefetch(&machine->next[block.last[i]], 1);
    }
}

void link_queues_fetch_bits(const struct link_queues *queues, struct site first)
{
    FETCH_HAS_EFFECT();
    __builtin_prefetch(link_queued(queues, first), 1);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        __builtin_prefetch(queue_block_at(queues, first, d).link, 1);
}

void link_queues_fetch_first(const struct link_queues *queues, struct site first, enum direction d,
                             uint64_t nodes)
{
    struct queue_block block = queue_block_at(queues, first, d);
    FETCH_HAS_EFFECT();
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        __builtin_prefetch(ring_word(&block, i, ring_number(block.link->first, i)), 1);
    }
}

void link_queues_fetch(const struct link_queues *queues, struct site first, enum direction d)
{
    enum { WORDS = CACHE_LINE / sizeof *queues->word };
    struct queue_block block = queue_block_at(queues, first, d);
    FETCH_HAS_EFFECT();
    for (uint32_t place = 0; place < queues->places; place++) {
        uint64_t bits = *block.queued & ring_first_in(block.link, place);
        for (uint32_t i = 0; bits != 0; i += WORDS, bits >>= WORDS)
            if (bits & ((1 << WORDS) - 1))
                __builtin_prefetch(ring_word(&block, i, place), 1);
    }
}
