/* link_exchange.c - packets that go behind others in the queues of a block, many at a time.
 *
 * A packet that goes straight on and finds others in its queue goes behind them, and the first one leaves: most
 * hops that cost anything are such. It takes the place of the one that leaves, and the next place of the ring
 * becomes the first. So in a queue of one packet, which is the most frequent, the word and that of the slot change
 * places. Such words stand side by side for the nodes of a block, link by link, place by place; the first places of
 * the rings are counted in bits of words for 64 nodes. Queues with lists exchange words node by node.
 * Cost: O(1) for 64 nodes whose packets go behind others, and a move for each of RING_PLACES places that is first
 * somewhere; O(1) a longer queue.
 */
#include "machine/transit/link_queue_private.h"

/* Rings of a block's nodes, by the place of their first words: those in `bits[j]` begin at `word[j]`,
 * where the words of the first node are. */
struct ring_places {
    unsigned count;
    uint64_t *word[RING_PLACES];
    uint64_t bits[RING_PLACES];
};

/* The nodes `from` .. `from + count - 1` of the block, whose slots stand side by side. `here` is the
 * coordinate of the first one; `inc` is all bits where the i-th has i more, `back` where stops lie at
 * smaller coordinates; else they are 0. */
struct slot_run {
    uint32_t from, count;
    uint32_t here, inc, back, now;
};

/* Words of nodes side by side, one vector unit's work; arrays of words are loaded and stored so. */
enum { LANES = 8 };
typedef uint64_t lanes __attribute__((vector_size(LANES * sizeof(uint64_t))));
typedef lanes unaligned_lanes __attribute__((aligned(sizeof(uint64_t)), may_alias));

/* Exchanges the first words of the rings and those in the slots; `stop` gets the stops
 * of what enters the slots, and `mask` all bits where a word does. */
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

/* Does the same, and fills `due` with the steps of the stops. Returns the distance of the nearest stop; UINT32_MAX:
 * there are none. */
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

/* Exchanges the slots in the places from `at` on, which may lie in two blocks of places. Checking a block before
 * its due step is harmless: nothing is due yet. */
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

/* Exchanges the first words of the rings with the slots of a block, which may be two runs of places. */
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

/* Lets the rings of these nodes begin a place later; behind the last place follows the first. */
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

/* Returns whether there are so many nodes that it is faster to take them together. */
static bool are_many(uint64_t nodes)
{
    enum { FEW = 4 };
    for (int i = 0; i < FEW; i++)
        nodes &= nodes - 1;
    return nodes != 0;
}

/* Exchanges words one by one, where few nodes take part. */
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

/* Puts the words of the slots behind the lists, and the lists' first words into the slots. */
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
