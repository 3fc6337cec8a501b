/* link_fifo.c - queues behind slots of packets that leave in the order in which they came.
 *
 * A packet that goes straight on and finds others in its queue goes behind them, and the first one
 * leaves: most hops that are not free. The ring of a queue has as many places as words, so the packet
 * takes the place of the one that leaves, and the next place is first: the queue of one packet, the
 * most frequent one, is one word that changes places with that of the slot. Such words stand side by
 * side for the nodes of a block, link by link, place by place, and change places many at a time;
 * where the rings begin is counted in bits of words for 64 nodes.
 * From the eighth packet on a queue is a list through machine->next, node by node.
 * A ring that gets longer or shorter moves the words behind its first one by a place: this happens
 * where packets turn, or the stream has gaps.
 * Cost: O(1) for 64 nodes whose packets go behind others, and a move for each of FIFO_PLACES places
 * that is first somewhere; O(FIFO_PLACES) a packet to put and to take.
 */
#include "machine/transit/link_fifo.h"

#include "machine/footprint_private.h"

#include <stdlib.h>

enum { LINE = 64 };

static void *on_a_line(void *memory)
{
    return (void *)(((uintptr_t)memory + LINE - 1) / LINE * LINE);
}

bool fifos_allocate(const struct machine *machine, struct fifos *fifos)
{
    size_t links = (size_t)machine->nodes * DIRECTIONS;
    fifos->cols = machine->config.mesh.cols;
    fifos->blocks = blocks_of_row(machine);
    size_t blocks = (size_t)machine->config.mesh.rows * fifos->blocks;
    fifos->link_memory = memory_allocate(blocks * DIRECTIONS + 1, sizeof *fifos->link);
    fifos->word_memory =
        memory_allocate(links * FIFO_PLACES + LINE / sizeof *fifos->word, sizeof *fifos->word);
    fifos->last = memory_allocate(links, sizeof *fifos->last);
    if (fifos->link_memory == NULL || fifos->word_memory == NULL || fifos->last == NULL)
        return false;
    fifos->link = on_a_line(fifos->link_memory);
    fifos->word = on_a_line(fifos->word_memory);
    return true;
}

uint64_t fifo_footprint(struct mesh mesh)
{
    const struct fifos *fifos = NULL;
    uint64_t links = (uint64_t)mesh.rows * mesh.cols * DIRECTIONS;
    return blocks_of_mesh(mesh) * DIRECTIONS * sizeof *fifos->link +
           links * (FIFO_PLACES * sizeof *fifos->word + sizeof *fifos->last);
}

void fifos_free(struct fifos *fifos)
{
    free(fifos->link_memory);
    free(fifos->word_memory);
    free(fifos->last);
    *fifos = (struct fifos){0};
}

/* ---- one queue ---- */

static void set_number(uint64_t bits[static FIFO_BITS], unsigned i, uint32_t number)
{
    for (unsigned j = 0; j < FIFO_BITS; j++)
        bits[j] = (bits[j] & ~(UINT64_C(1) << i)) | (uint64_t)(number >> j & 1) << i;
}

static uint64_t *word_at(const struct fifo_block *block, unsigned i, uint32_t place)
{
    return &block->word[(size_t)place * block->nodes + i];
}

static bool is_longer(const struct fifo_block *block, unsigned i)
{
    return block->link->longer >> i & 1;
}

/* The place before `place` in a full ring. */
static uint32_t place_before(uint32_t place)
{
    return place == 0 ? FIFO_PLACES - 1 : place - 1;
}

/* Makes room at `place` of a ring of `size` words. */
static void open_place(const struct fifo_block *block, unsigned i, uint32_t place, uint32_t size)
{
    for (uint32_t j = size; j > place; j--)
        *word_at(block, i, j) = *word_at(block, i, j - 1);
    set_number(block->link->size, i, size + 1);
}

/* At the end of the list behind a full ring whose first place is `first`. */
static void put_into_list(struct machine *machine, const struct fifo_block *block, unsigned i,
                          uint32_t first, uint64_t word)
{
    uint32_t last =
        is_longer(block, i) ? block->last[i] : (uint32_t)*word_at(block, i, place_before(first));
    machine->next[last] = word;
    block->last[i] = (uint32_t)word;
    block->link->longer |= UINT64_C(1) << i;
}

/* The first word of the list takes the place of the first one of the ring. */
static void refill_ring(struct machine *machine, const struct fifo_block *block, unsigned i,
                        uint32_t first)
{
    uint64_t word = machine->next[(uint32_t)*word_at(block, i, place_before(first))];
    *word_at(block, i, first) = word;
    if ((uint32_t)word == block->last[i])
        block->link->longer &= ~(UINT64_C(1) << i);
}

void fifo_put(struct machine *machine, const struct fifo_block *block, unsigned i, uint64_t word)
{
    uint32_t first = fifo_number(block->link->first, i), size = fifo_size(block, i);
    if (size == FIFO_PLACES) {
        put_into_list(machine, block, i, first, word);
        return;
    }
    uint32_t place = first == 0 ? size : first;
    open_place(block, i, place, size);
    *word_at(block, i, place) = word;
    if (first != 0)
        set_number(block->link->first, i, first + 1);
}

void fifo_put_first(struct machine *machine, const struct fifo_block *block, unsigned i,
                    uint64_t word)
{
    uint32_t first = fifo_number(block->link->first, i), size = fifo_size(block, i);
    if (size < FIFO_PLACES) {
        open_place(block, i, first, size);
    } else { /* the ring's last word goes before the list */
        first = place_before(first);
        uint32_t last = (uint32_t)*word_at(block, i, first);
        uint32_t before = (uint32_t)*word_at(block, i, place_before(first));
        if (!is_longer(block, i))
            block->last[i] = last;
        block->link->longer |= UINT64_C(1) << i;
        machine->next[before] = *word_at(block, i, first);
        set_number(block->link->first, i, first);
    }
    *word_at(block, i, first) = word;
}

uint64_t fifo_take(struct machine *machine, const struct fifo_block *block, unsigned i)
{
    uint32_t first = fifo_number(block->link->first, i), size = fifo_size(block, i);
    uint64_t word = *word_at(block, i, first);
    if (is_longer(block, i)) {
        refill_ring(machine, block, i, first);
        set_number(block->link->first, i, (first + 1) % FIFO_PLACES);
        return word;
    }
    for (uint32_t j = first; j + 1 < size; j++)
        *word_at(block, i, j) = *word_at(block, i, j + 1);
    set_number(block->link->size, i, size - 1);
    if (first + 1 == size)
        set_number(block->link->first, i, 0);
    return word;
}

/* ---- many queues ---- */

/* Rings of a block's nodes, by the place of their first words: those in `bits[j]` begin at `word[j]`,
 * where the words of the first node are. */
struct ring_places {
    unsigned count;
    uint64_t *word[FIFO_PLACES];
    uint64_t bits[FIFO_PLACES];
};

/* The nodes `from` .. `from + count - 1` of the block, whose slots stand side by side. `here` is the
 * coordinate of the first one; `inc` is all bits where the i-th has i more, `back` where stops lie at
 * smaller coordinates; else they are 0. */
struct slot_run {
    uint32_t from, count;
    uint16_t here, inc, back, now;
};

/* Words of nodes side by side, one vector unit's work; arrays of words are loaded and stored so. */
enum { LANES = 8 };
typedef uint64_t lanes __attribute__((vector_size(LANES * sizeof(uint64_t))));
typedef lanes unaligned_lanes __attribute__((aligned(sizeof(uint64_t)), may_alias));

/* The words that are first in the rings, and those in the slots, change places; `stop` gets the stops
 * of what enters the slots, and `mask` all bits where any does. */
UNROLLED void exchange_words(const struct ring_places *places, uint64_t *restrict slot,
                             uint16_t *restrict stop, uint16_t *restrict mask,
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
            stop[i + k] = (uint16_t)(taken[k] >> STOP_SHIFT & STOP_MASK);
            mask[i + k] = (uint16_t)any[k];
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
        stop[i] = (uint16_t)(slot[i] >> STOP_SHIFT & STOP_MASK);
        mask[i] = (uint16_t)any;
    }
}

/* The same, and how far the stops are is added to `now` in `due`; the nearest is returned. UINT16_MAX:
 * there are none. */
VECTORISED static uint32_t change_places(const struct ring_places *places, uint64_t *restrict slot,
                                         uint16_t *restrict due, const struct slot_run *run)
{
    uint16_t stop[BLOCK], mask[BLOCK];
    exchange_words(places, slot, stop, mask, run);
    uint16_t here = run->here, inc = run->inc, back = run->back, now = run->now;
    uint16_t nearest = UINT16_MAX;
    for (uint32_t i = 0; i < run->count; i++) {
        uint16_t ahead = (uint16_t)(stop[i] - here - (i & inc));
        uint16_t distance = (uint16_t)((ahead ^ back) - back);
        uint16_t far = (uint16_t)(distance | ~mask[i]);
        due[i] = mask[i] ? (uint16_t)(now + distance) : due[i];
        nearest = far < nearest ? far : nearest;
    }
    return nearest;
}

/* The places from `at` on, which may lie in two blocks of places. Checking a block before its due step is
 * harmless: nothing is due yet. */
static void exchange_run(const struct conveyor_view *view, struct conveyor_line *line, uint32_t at,
                         const struct ring_places *places, const struct slot_run *run)
{
    uint32_t now = view->clock.now, last = at + run->count - 1;
    uint32_t nearest = change_places(places, line->word + at, line->due + at, run);
    if (nearest == UINT16_MAX)
        return;
    for (uint32_t block = at >> BLOCK_SHIFT; block <= last >> BLOCK_SHIFT; block++)
        if (nearest < line->first_due[block] - now)
            line->first_due[block] = now + nearest;
}

/* The first words of the rings, and the slots. */
static void exchange_rings(const struct ring_places *places, uint32_t nodes,
                           const struct conveyor_view *view, struct conveyor_line *line,
                           struct site first, enum direction d)
{
    bool is_vertical = direction_is_vertical(d);
    uint32_t at = conveyor_place(view, d, first.col), left = view->slots->cols - at;
    struct slot_run run = {.count = nodes < left ? nodes : left,
                           .here = (uint16_t)(is_vertical ? first.row : first.col),
                           .inc = is_vertical ? 0 : UINT16_MAX,
                           .back = d == NORTH || d == WEST ? UINT16_MAX : 0,
                           .now = (uint16_t)view->clock.now};
    exchange_run(view, &line[d], at, places, &run);
    if (run.count == nodes)
        return;
    run.from = run.count;
    run.here = (uint16_t)(run.here + (run.inc & run.from));
    run.count = nodes - run.from;
    exchange_run(view, &line[d], 0, places, &run);
}

/* The nodes whose first word is in `place`. */
static uint64_t first_in_place(const struct fifo_link *link, uint32_t place)
{
    uint64_t nodes = UINT64_MAX;
    for (unsigned j = 0; j < FIFO_BITS; j++)
        nodes &= place >> j & 1 ? link->first[j] : ~link->first[j];
    return nodes;
}

/* The rings of these nodes begin a place later: the last place is followed by the first. */
static void turn_rings(struct fifo_link *link, uint64_t nodes)
{
    uint64_t carry = nodes, differs = 0;
    for (unsigned j = 0; j < FIFO_BITS; j++) {
        uint64_t both = link->first[j] & carry;
        link->first[j] ^= carry;
        carry = both;
        differs |= link->first[j] ^ link->size[j];
    }
    for (unsigned j = 0; j < FIFO_BITS; j++)
        link->first[j] &= differs | ~nodes;
}

/* Whether there are so many nodes that they are better taken together. */
static bool are_many(uint64_t nodes)
{
    enum { FEW = 4 };
    for (int i = 0; i < FEW; i++)
        nodes &= nodes - 1;
    return nodes != 0;
}

/* One by one, where few nodes take part. */
static void exchange_few(const struct fifo_block *block, const struct conveyor_view *view,
                         const struct conveyor_line *line, struct site first, enum direction d,
                         uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        struct site site = block_site(first, i);
        uint64_t *queue = word_at(block, i, fifo_number(block->link->first, i)), taken = *queue;
        *queue = conveyor_word(view, line, site, d);
        conveyor_set(view, line, site, d, taken);
    }
}

/* What stands in the slots goes behind the lists, and the first words of these into the slots. */
static void exchange_lists(struct machine *machine, const struct fifo_block *block,
                           const struct conveyor_view *view, const struct conveyor_line *line,
                           struct site first, enum direction d, uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        uint64_t *slot = &line[d].word[conveyor_place(view, d, first.col + i)], word = *slot;
        uint32_t place = fifo_number(block->link->first, i);
        *slot = machine->next[(uint32_t)*word_at(block, i, place_before(place))];
        machine->next[block->last[i]] = word;
        block->last[i] = (uint32_t)word;
    }
}

void fifo_exchange(struct machine *machine, const struct fifo_block *block,
                   const struct conveyor_view *view, struct conveyor_line *line, struct site first,
                   enum direction d, uint64_t nodes)
{
    struct ring_places places = {0};
    uint64_t left = nodes, few = 0;
    exchange_lists(machine, block, view, line, first, d, nodes & block->link->longer);
    for (uint32_t place = 0; left != 0; place++) {
        uint64_t bits = left & first_in_place(block->link, place);
        left &= ~bits;
        if (are_many(bits)) {
            places.word[places.count] = word_at(block, 0, place);
            places.bits[places.count++] = bits;
        } else {
            few |= bits;
        }
    }
    if (places.count > 0)
        exchange_rings(&places, block->nodes, view, line, first, d);
    exchange_few(block, view, line, first, d, few);
    turn_rings(block->link, nodes);
}

/* ---- fetching ---- */

void fifo_fetch(const struct fifo_block *block)
{
    enum { WORDS = LINE / sizeof *block->word };
    uint64_t queued = block->link->size[0] | block->link->size[1] | block->link->size[2];
    fetch_has_effect();
    for (uint32_t place = 0; place < FIFO_PLACES; place++) {
        uint64_t bits = queued & first_in_place(block->link, place);
        for (uint32_t i = 0; bits != 0; i += WORDS, bits >>= WORDS)
            if (bits & ((1 << WORDS) - 1))
                __builtin_prefetch(word_at(block, i, place), 1);
    }
}

void fifo_fetch_lists(const struct machine *machine, const struct fifo_block *block)
{
    fetch_has_effect();
    for (uint64_t left = block->link->longer; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        uint32_t last = place_before(fifo_number(block->link->first, i));
        __builtin_prefetch(&machine->next[(uint32_t)*word_at(block, i, last)], 1);
        __builtin_prefetch(&machine->next[block->last[i]], 1);
    }
}
