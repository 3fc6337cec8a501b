/* conveyor.h - packets that are under way: their words, blocks of 64 nodes, slots that move with
 * their packets (conveyor.c): those of machine_forward's packets, and in machine_channel those of
 * packets that go straight on and of express packets; and the queues after slots (link_queue.c).
 * For machine/ only.
 *
 * A packet that holds a link's slot at the end of a step crosses the link in the next one. */
#ifndef MESHCAST_MACHINE_TRANSIT_CONVEYOR_H
#define MESHCAST_MACHINE_TRANSIT_CONVEYOR_H

#include "machine/machine_private.h"
#include "machine/rule.h"
#include "machine/transit/wavefront.h"

/* Nodes of a row are looked at in blocks, so that an idle block costs one look. */
enum { BLOCK_SHIFT = 6, BLOCK = 1 << BLOCK_SHIFT };

enum { CACHE_LINE = 64 }; /* bytes */

/* Returns the first place within `memory` at which a cache line begins. */
static inline void *first_line(void *memory)
{
    return (char *)memory + (CACHE_LINE - (uintptr_t)memory % CACHE_LINE) % CACHE_LINE;
}

/* A packet on its way is one word: urgency << 47 | stop << 32 | packet. */
enum { STOP_SHIFT = 32, STOP_MASK = MESH_MAX_SIDE - 1, URGENCY_SHIFT = 47 };

/* A row's nodes start.index .. start.index + count - 1, within a block. */
struct span {
    struct site start;
    uint32_t count;
};

static inline uint32_t word_stop(uint64_t word)
{
    return (uint32_t)(word >> STOP_SHIFT) & STOP_MASK;
}

static inline uint64_t word_urgency(uint64_t word)
{
    return word >> URGENCY_SHIFT;
}

/* Returns flags of 0 or 1 as bits. */
static inline uint64_t bits_of_flags(const uint8_t flag[static BLOCK])
{
    const uint64_t gather = UINT64_C(0x0102040810204080); /* byte k to bit 56 + k */
    uint64_t bits = 0;
    for (unsigned i = 0; i < BLOCK; i += 8) {
        const uint8_t *f = flag + i; /* written out, it is one load */
        uint64_t eight = f[0] | (uint64_t)f[1] << 8 | (uint64_t)f[2] << 16 | (uint64_t)f[3] << 24 |
                         (uint64_t)f[4] << 32 | (uint64_t)f[5] << 40 | (uint64_t)f[6] << 48 |
                         (uint64_t)f[7] << 56;
        bits |= (eight * gather >> 56) << i;
    }
    return bits;
}

/* Returns the i-th site from `first` on, in its row. */
static inline struct site block_site(struct site first, unsigned i)
{
    return (struct site){first.index + i, first.row, first.col + i};
}

/* Fetches a packet's header into the cache. Headers are far apart, so those of several packets
 * about which a rule is soon asked are fetched together. */
static inline void header_fetch(const struct machine *machine, uint32_t packet)
{
    __builtin_prefetch(&machine->header.packet[packet]);
    __builtin_prefetch(&machine->header.destination[packet]);
}

/* ---- blocks ---- */

static inline uint32_t blocks_across(uint32_t cols)
{
    return (cols + BLOCK - 1) >> BLOCK_SHIFT;
}

static inline uint32_t blocks_of_row(const struct machine *machine)
{
    return blocks_across(machine->config.mesh.cols);
}

uint32_t largest_of(const uint32_t *value, uint32_t count);

/* The calendar of packets on their way: each has a due step, or round, at which it acts; of BLOCK
 * of them only the earliest is checked before. Due steps are numbers modulo 2^32; none that counts
 * is DUE_FAR or more ahead, and a place with another number is empty. */
enum { DUE_FAR = INT32_MAX };

/* Returns the places, up to BLOCK, that are due at `now`, as bits; no other one is due before
 * `*first_due`. */
uint64_t due_now(const uint32_t *due, uint32_t count, uint32_t now, uint32_t *first_due);

/* Calls `tell` for each block of a row if the run is observed. */
void emit_blocks(const struct machine *machine, uint32_t row,
                 void (*tell)(void *worker, struct span span), void *worker);

/* Calls `act` for each block of a row. */
void for_blocks(const struct machine *machine, uint32_t row,
                void (*act)(void *worker, struct span span), void *worker);

/* ---- conveyors ---- */

/* The slots of each direction of travel, in lines. Where packets go along columns the lines move
 * with them; where they go along rows the lines stay, and the places within them move. */
struct conveyor {
    uint32_t first_row;    /* first of the machine's rows (machine_rows()); only these have lines */
    uint32_t cols, blocks; /* blocks: per row or line */
    uint32_t lines; /* along columns: some more than rows, as these may be some steps apart */
    uint64_t *word[DIRECTIONS]; /* [line][place]: as in queues, without meaning where not held */
    uint32_t *due[DIRECTIONS];  /* [line][place]: step of the stop */
    /* [line][places / BLOCK]: no packet stops before that step */
    uint32_t *first_due[DIRECTIONS];
    uint64_t *held[DIRECTIONS]; /* [line][block]: the slot of column i of the block is taken */
    uint64_t *mark[DIRECTIONS]; /* the same: a bit that goes with the slot's content; NULL: none */
    uint64_t *stops; /* [thread][CONVEYOR_ROWS][direction][block]: packets that are to stop */
    /* [place]: on ranks, the packets that cross a border, and the other halves of their words. */
    uint32_t *crossing_packet, *crossing_half;
};

/* A step: the positions of lines and of places in them. Initially all 0. */
struct conveyor_clock {
    uint32_t now;                  /* modulo 2^32 */
    uint32_t row_shift, col_shift; /* the step's number modulo lines, modulo cols */
};

/* The number of rows that a thread may use at once. */
enum { CONVEYOR_ROWS = 3 };

/* The slots of one direction that are at a row in a step. */
struct conveyor_line {
    uint64_t *word; /* [place] */
    uint32_t *due;
    uint32_t *first_due;
    uint64_t *held;  /* [block] */
    uint64_t *mark;  /* [block], or no meaning */
    uint64_t *stops; /* [block]: packets that stop in this step; a thread's own */
};

/* A thread's view of the slots in a step. */
struct conveyor_view {
    const struct conveyor *conveyor;
    struct conveyor_clock clock;
};

/* Makes empty slots for the machine's rows, in which nothing is due, with marks or without. False:
 * no memory; conveyor_free() frees what was made. */
bool conveyor_allocate(const struct machine *machine, struct conveyor *conveyor, bool with_marks);
void conveyor_free(struct conveyor *conveyor);

/* Gives line[DIRECTIONS] the memory for the stops of the `row`-th of CONVEYOR_ROWS rows of a
 * thread. */
void conveyor_take_stops(const struct conveyor *conveyor, struct conveyor_line *line,
                         uint32_t thread, uint32_t row);

/* Fills line[DIRECTIONS], except the stops, with the slots that are at `row` in this step. */
void conveyor_at_row(const struct conveyor_view *view, struct conveyor_line *line, uint32_t row);

/* Notes that nothing is due in these slots. */
void conveyor_forget(const struct conveyor_view *view, struct conveyor_line *line);

/* Moves the slots of `row` on at the start of a step, and notes in `stops` the packets that are at
 * their stop. `line` becomes the row's slots. */
void conveyor_advance(const struct conveyor_view *view, struct conveyor_line *line, uint32_t row);

/* ---- on ranks (machine/ranks/border.h) ---- Between two steps of a border row
 * conveyor_put_border(), border_exchange_together() and conveyor_get_border() let its slots move on
 * to the row beside it, which another rank has. All threads call them, each with its number, and do
 * some of the columns each; other rows may be some steps ahead. */

/* Removes the packets that leave the machine's rows with the next step from their slots, and puts
 * them into the messages to the ranks beside this one: northward from the first row, and southward
 * from the last. `view` is that of the step which these rows have done last, when only packets that
 * are to cross a link are in slots. */
void conveyor_put_border(struct machine *machine, const struct conveyor_view *view,
                         uint32_t thread);

/* Puts the packets that those ranks have sent into the slots in which they reach the first and the
 * last row in the step of `view`, the next one. As each word has its packet's stop, it is due there
 * in the same step as before. */
void conveyor_get_border(struct machine *machine, const struct conveyor_view *view,
                         uint32_t thread);

/* ---- counts and events ---- */

/* Returns the number of taken slots of the row: packets that have just crossed a link. */
uint64_t conveyor_count(const struct conveyor_view *view, const struct conveyor_line *line);

/* Reports to an observer that the packets in the slots at `site` cross its links, north first. */
void conveyor_emit(const struct machine *machine, struct tally *tally,
                   const struct conveyor_view *view, const struct conveyor_line *line,
                   struct site site);

/* Fetches the slots of `line` at a block into the cache. */
void conveyor_fetch(const struct conveyor_view *view, const struct conveyor_line *line,
                    struct site first, enum direction d);

/* Adds the packets in slots to the others that each node holds; returns the largest sum. */
uint32_t conveyor_add(const uint32_t *occupancy, const uint64_t held[static DIRECTIONS],
                      uint32_t *sum, uint32_t count);

/* Returns a bound on the taken slots of one node. */
static inline uint32_t conveyor_most(const uint64_t held[static DIRECTIONS])
{
    uint64_t two = (held[NORTH] & held[SOUTH]) | (held[WEST] & held[EAST]) |
                   ((held[NORTH] | held[SOUTH]) & (held[WEST] | held[EAST]));
    return two != 0 ? DIRECTIONS : 1;
}

/* Moves the clock on by one step. */
static inline void conveyor_clock_tick(struct conveyor_clock *clock,
                                       const struct conveyor *conveyor)
{
    clock->now++;
    clock->row_shift = clock->row_shift + 1 < conveyor->lines ? clock->row_shift + 1 : 0;
    clock->col_shift = clock->col_shift + 1 < conveyor->cols ? clock->col_shift + 1 : 0;
}

static inline uint64_t conveyor_bit(struct site site)
{
    return UINT64_C(1) << (site.col & (BLOCK - 1));
}

/* Returns the place in its line at which the slot of column `col` is in this step. */
static inline uint32_t conveyor_place(const struct conveyor_view *view, enum direction d,
                                      uint32_t col)
{
    uint32_t cols = view->conveyor->cols, shift = view->clock.col_shift;
    if (d == WEST)
        return col + shift < cols ? col + shift : col + shift - cols;
    if (d == EAST)
        return col >= shift ? col - shift : col + cols - shift;
    return col;
}

/* True if the slot of link `d` at `site`, in the row of `line`, is taken. */
static inline bool conveyor_is_taken(const struct conveyor_line *line, struct site site,
                                     enum direction d)
{
    return line[d].held[site.col >> BLOCK_SHIFT] & conveyor_bit(site);
}

/* Puts `word` into a slot; its former content is gone. */
static inline void conveyor_set(const struct conveyor_view *view, const struct conveyor_line *line,
                                struct site site, enum direction d, uint64_t word)
{
    uint32_t place = conveyor_place(view, d, site.col), now = view->clock.now;
    uint32_t stop = word_stop(word), here = direction_is_vertical(d) ? site.row : site.col;
    uint32_t distance = stop > here ? stop - here : here - stop;
    uint32_t *first_due = &line[d].first_due[place >> BLOCK_SHIFT];
    line[d].word[place] = word;
    line[d].due[place] = now + distance;
    line[d].held[site.col >> BLOCK_SHIFT] |= conveyor_bit(site);
    if (distance < *first_due - now)
        *first_due = now + distance;
}

/* Returns the word in a slot. */
static inline uint64_t conveyor_word(const struct conveyor_view *view,
                                     const struct conveyor_line *line, struct site site,
                                     enum direction d)
{
    return line[d].word[conveyor_place(view, d, site.col)];
}

/* Removes the word from a slot, and returns it. */
static inline uint64_t conveyor_clear(const struct conveyor_view *view,
                                      const struct conveyor_line *line, struct site site,
                                      enum direction d)
{
    line[d].held[site.col >> BLOCK_SHIFT] &= ~conveyor_bit(site);
    return conveyor_word(view, line, site, d);
}

/* ---- link queues ---- The queues of packets that wait for a link, the most urgent first
 * (link_queue.c): those after the slots of machine_forward, and those of the express packets of
 * machine_channel. For machine/ only.
 *
 * The first words of a queue are a ring in as many places as it has words, so that a packet that
 * joins the end changes places with the first one, and nothing else moves. The words of place j of
 * a block's nodes are contiguous, and the first places are in bits of words: 64 nodes at a time. */

/* Places of a ring at most, and the bits of their number. */
enum { RING_PLACES = 7, RING_BITS = 3 };

/* The queues of one link of a block's nodes, node i at bit i: a cache line. */
struct ring_bits {
    uint64_t first[RING_BITS]; /* the place of the first word, lowest bits first; 0 if none */
    uint64_t size[RING_BITS];  /* number of words in the ring */
    uint64_t longer;           /* a list through machine->next follows the full ring .. */
    uint64_t unused;
};

struct link_queues {
    uint32_t cols, blocks;
    uint32_t places; /* of a ring, 1 .. RING_PLACES */
    uint64_t (
        *queued)[DIRECTIONS]; /* [row][block]: the link's queue is not empty: node i at bit i */
    void *link_memory, *word_memory;
    struct ring_bits *link; /* [row][block][direction] */
    uint64_t *word;         /* [row][block][direction][place][column] */
    uint32_t *last;         /* [row][block][direction][column]: .. which ends with this packet */
};

/* Makes empty queues for the machine's mesh. False: no memory; link_queues_free() frees what was
 * made. */
bool link_queues_allocate(const struct machine *machine, struct link_queues *queues,
                          uint32_t places);
void link_queues_free(struct link_queues *queues);

/* Returns, for each link of the block in which `site` is, the nodes whose queue is not empty. */
static inline const uint64_t *link_queued(const struct link_queues *queues, struct site site)
{
    return queues->queued[(size_t)site.row * queues->blocks + (site.col >> BLOCK_SHIFT)];
}

/* link_queue_put puts `word` after all that are at least as urgent, link_queue_put_first before all
 * others; link_queue_take removes the first word of a queue that has one, and returns it. */
void link_queue_put(struct machine *machine, const struct link_queues *queues, struct site site,
                    enum direction d, uint64_t word);
void link_queue_put_first(struct machine *machine, const struct link_queues *queues,
                          struct site site, enum direction d, uint64_t word);
uint64_t link_queue_take(struct machine *machine, const struct link_queues *queues,
                         struct site site, enum direction d);

/* Moves the first packets of the queues at these `nodes` of a block into their slots, which are
 * empty. */
void link_queues_fill(struct machine *machine, const struct link_queues *queues,
                      const struct conveyor_view *view, const struct conveyor_line *line,
                      struct site first, enum direction d, uint64_t nodes);

/* Moves the packets in the slots at these `nodes` into the queues. */
void link_queues_empty_slots(struct machine *machine, const struct link_queues *queues,
                             const struct conveyor_view *view, const struct conveyor_line *line,
                             struct site first, enum direction d, uint64_t nodes);

/* Does both, the slots first, if queues are not empty and no packet has an urgency. */
void link_queues_exchange(struct machine *machine, const struct link_queues *queues,
                          const struct conveyor_view *view, struct conveyor_line *line,
                          struct site first, enum direction d, uint64_t nodes);

/* Fetch the bits of a block's queues into the cache, and the words of those of one link that are
 * not empty. */
void link_queues_fetch_bits(const struct link_queues *queues, struct site first);
void link_queues_fetch(const struct link_queues *queues, struct site first, enum direction d);

/* Fetches the first words of the queues of these nodes, or the places to which the first word of an
 * empty queue goes. */
void link_queues_fetch_first(const struct link_queues *queues, struct site first, enum direction d,
                             uint64_t nodes);

/* Fetches the ends of the lists of a block's queues. */
void link_queues_fetch_lists(const struct machine *machine, const struct link_queues *queues,
                             struct site first, enum direction d);

#endif
