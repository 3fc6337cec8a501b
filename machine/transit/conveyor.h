/* conveyor.h - slots that move with their packets (conveyor.c): those of
 * machine_forward's packets (forward_step.c), and those of the express packets of machine_channel
 * (channel_express.c). For machine/ only.
 *
 * A link's slot is held by the packet that crosses the link in the next step, come what may. */
#ifndef MESHCAST_MACHINE_TRANSIT_CONVEYOR_H
#define MESHCAST_MACHINE_TRANSIT_CONVEYOR_H

#include "machine/transit/block.h"
#include "machine/transit/wavefront.h"

/* The slots of each direction of travel, in lines that stand still where packets go along rows, and
 * move with the packets where they go along columns; within lines that stand still it is the places
 * that move. */
struct conveyor {
    uint32_t cols, blocks; /* blocks: of a row, as of a line */
    uint32_t lines; /* along columns: some more than rows, as these may be some steps apart */
    uint64_t *word[DIRECTIONS]; /* [line][place]: as in queues, without meaning where not held */
    uint32_t *due[DIRECTIONS];  /* [line][place]: the step of the stop */
    /* [line][places / BLOCK]: no packet stops before that step */
    uint32_t *first_due[DIRECTIONS];
    uint64_t *held[DIRECTIONS]; /* [line][block]: the slot of column i of the block is taken */
    uint64_t *mark[DIRECTIONS]; /* the same: a bit that goes with what is in the slot; NULL: none */
    uint64_t *stops; /* [thread][CONVEYOR_ROWS][direction][block]: packets that are to stop */
};

/* A step: which line is at which row, and which place at which column. All 0 at first. */
struct conveyor_clock {
    uint32_t now;                  /* modulo 2^32 */
    uint32_t row_shift, col_shift; /* the number of the step modulo lines, modulo cols */
};

/* The rows at which a thread may look at once. */
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
    const struct conveyor *slots;
    struct conveyor_clock clock;
};

/* Empty slots for the machine's mesh, in which nothing is due, with marks or without. False: no
 * memory, what was made is left to slots_free. */
bool conveyor_allocate(const struct machine *machine, struct conveyor *slots, bool with_marks);
uint64_t conveyor_footprint(const struct machine_needs *needs,
                            bool with_marks); /* of what that allocates */
void conveyor_free(struct conveyor *slots);

/* Room for the stops of the `row`-th of CONVEYOR_ROWS rows of a thread, in line[DIRECTIONS]. */
void conveyor_take_stops(const struct conveyor *slots, struct conveyor_line *line, uint32_t thread,
                         uint32_t row);

/* Where the slots of `row` are in this step: fills line[DIRECTIONS] but for the stops. */
void conveyor_at_row(const struct conveyor_view *view, struct conveyor_line *line, uint32_t row);

/* Notes that nothing is due in these slots. */
void conveyor_forget(const struct conveyor_view *view, struct conveyor_line *line);

/* At the start of a step: packets that go along `row`, whose slots are `line`, are one node further, and
 * `stops` tells which packets are at their stop. */
void conveyor_advance(const struct conveyor_view *view, struct conveyor_line *line, uint32_t row);

/* Returns how many slots of the row are taken: packets that have just crossed a link. */
uint64_t conveyor_count(const struct conveyor_view *view, const struct conveyor_line *line);

/* Observed: tells that what stands in the slots at `site` crosses its links, north first. */
void conveyor_tell(const struct machine *machine, struct tally *tally,
                   const struct conveyor_view *view, const struct conveyor_line *line,
                   struct site site);

/* Soon the slots of `line` at a block are needed. */
void conveyor_fetch(const struct conveyor_view *view, const struct conveyor_line *line,
                    struct site first, enum direction d);

/* Adds to what nodes hold apart from slots what stands in those; the largest sum. */
uint32_t conveyor_add(const uint32_t *occupancy, const uint64_t held[static DIRECTIONS],
                      uint32_t *sum, uint32_t count);

/* Of nodes with these slots taken, at most so many slots are taken at one. */
static inline uint32_t conveyor_most(const uint64_t held[static DIRECTIONS])
{
    uint64_t two = (held[NORTH] & held[SOUTH]) | (held[WEST] & held[EAST]) |
                   ((held[NORTH] | held[SOUTH]) & (held[WEST] | held[EAST]));
    return two != 0 ? DIRECTIONS : 1;
}

/* One step later. */
static inline void conveyor_clock_tick(struct conveyor_clock *clock, const struct conveyor *slots)
{
    clock->now++;
    clock->row_shift = clock->row_shift + 1 < slots->lines ? clock->row_shift + 1 : 0;
    clock->col_shift = clock->col_shift + 1 < slots->cols ? clock->col_shift + 1 : 0;
}

static inline uint64_t conveyor_bit(struct site site)
{
    return UINT64_C(1) << (site.col & (BLOCK - 1));
}

/* Where the slot of column `col` is in its line in this step. */
static inline uint32_t conveyor_place(const struct conveyor_view *view, enum direction d,
                                      uint32_t col)
{
    uint32_t cols = view->slots->cols, shift = view->clock.col_shift;
    if (d == WEST)
        return col + shift < cols ? col + shift : col + shift - cols;
    if (d == EAST)
        return col >= shift ? col - shift : col + cols - shift;
    return col;
}

/* Whether the slot of link `d` at `site`, in the row of `line`, is taken. */
static inline bool conveyor_is_taken(const struct conveyor_line *line, struct site site,
                                     enum direction d)
{
    return line[d].held[site.col >> BLOCK_SHIFT] & conveyor_bit(site);
}

/* Puts `word` into a slot, instead of what is there. */
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

/* The word that stands in a slot. */
static inline uint64_t conveyor_word(const struct conveyor_view *view,
                                     const struct conveyor_line *line, struct site site,
                                     enum direction d)
{
    return line[d].word[conveyor_place(view, d, site.col)];
}

/* Takes it out. */
static inline uint64_t conveyor_clear(const struct conveyor_view *view,
                                      const struct conveyor_line *line, struct site site,
                                      enum direction d)
{
    line[d].held[site.col >> BLOCK_SHIFT] &= ~conveyor_bit(site);
    return conveyor_word(view, line, site, d);
}

#endif
