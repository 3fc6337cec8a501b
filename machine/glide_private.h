/* glide_private.h - queues whose first packets glide, shared by glide.c (steps), glide_slot.c (slots
 * and stops) and glide_memory.c. What they are: glide.c. */
#ifndef MESHCAST_MACHINE_GLIDE_PRIVATE_H
#define MESHCAST_MACHINE_GLIDE_PRIVATE_H

#include "machine/forward_private.h"

/* The packets of a link's queue behind its slot: a line of the cache. */
enum { GLIDE_WORDS = 7 };
struct glide_queue {
    uint64_t word[GLIDE_WORDS]; /* a ring; the last of these begins a list through `next` .. */
    uint32_t last;              /* .. which ends with this packet, if it is longer than one */
    uint32_t count : 29, first : 3;
};

/* What the nodes of a block hold apart from slots, node i at bit i. */
struct glide_block {
    uint64_t queued[DIRECTIONS]; /* the queue of this link is not empty */
    uint32_t most;               /* no node holds more, slots apart */
};

struct glide {
    uint32_t rows, cols, blocks; /* blocks: of a row, as of a line */
    struct glide_block *block;   /* [row][block] */
    void *queue_memory;
    struct glide_queue *queue; /* [row][block][direction][column]: glide_queues */

    /* The slots of each direction of travel, in lines that stand still where packets go along rows,
     * and move with the packets where they go along columns; within lines that stand still it is
     * the places that move. */
    uint64_t *word[DIRECTIONS]; /* [line][place]: as in queues, without meaning where not held */
    uint16_t *due[DIRECTIONS];  /* [line][place]: the step of the stop, lowest bits */
    /* [line][places / BLOCK]: no packet stops before that step, modulo 2^32 */
    uint32_t *first_due[DIRECTIONS];
    uint64_t *held[DIRECTIONS]; /* [line][block]: the slot of column i of the block is taken */

    uint64_t *stops; /* [thread][this row, next row][direction][block]: packets that are to stop */
};

/* The slots of one direction that are at a row in this step. */
struct glide_line {
    uint64_t *word; /* [place] */
    uint16_t *due;
    uint32_t *first_due;
    uint64_t *held;  /* [block] */
    uint64_t *stops; /* [block]: packets that stop in this step */
};

/* One thread's part of a run. */
struct gliding {
    struct lane lane; /* first: forward_stop.c knows no more */
    struct glide *glide;
    uint32_t now;         /* the step of this run, modulo 2^32; 0: before the first */
    uint32_t row_turn;    /* now modulo rows */
    uint32_t col_turn;    /* now modulo cols */
    uint32_t peak_before; /* no node has held more at the end of a step */
    unsigned passed;      /* directions before this one: what goes straight on stands in its slot */
    struct glide_line rows[2][DIRECTIONS]; /* the row at hand, and the one after it */
    struct glide_line *line, *next_line;   /* [direction]; NULL: there is none after it */
};

static inline struct glide_block *glide_block(const struct glide *glide, struct site site)
{
    return &glide->block[(size_t)site.row * glide->blocks + (site.col >> BLOCK_SHIFT)];
}

static inline uint64_t glide_bit(struct site site)
{
    return UINT64_C(1) << (site.col & (BLOCK - 1));
}

/* ---- queues (glide_queue.c) ---- */

/* Those of a block's nodes stand together, link by link: of the node that is i columns from `first`,
 * where the block begins, the i-th. The last block of a row has fewer nodes. */
static inline struct glide_queue *glide_queues(const struct glide *glide, struct site first,
                                               enum direction d)
{
    uint32_t nodes = glide->cols - first.col < BLOCK ? glide->cols - first.col : BLOCK;
    return &glide->queue[(size_t)first.index * DIRECTIONS + d * nodes];
}

static inline struct glide_queue *glide_queue_of(const struct glide *glide, struct site site,
                                                 enum direction d)
{
    uint32_t i = site.col & (BLOCK - 1);
    return &glide_queues(glide, (struct site){site.index - i, site.row, site.col - i}, d)[i];
}

/* The i-th word, i below GLIDE_WORDS. */
static inline uint64_t *glide_word(struct glide_queue *queue, uint32_t i)
{
    uint32_t place = queue->first + i;
    return &queue->word[place < GLIDE_WORDS ? place : place - GLIDE_WORDS];
}

/* Puts `word` behind all that are at least as urgent. */
void glide_put(struct machine *machine, struct glide_queue *queue, uint64_t word);

/* Puts `word` before all others. */
void glide_put_first(struct machine *machine, struct glide_queue *queue, uint64_t word);

/* Takes the first word out of a queue that has one. */
uint64_t glide_take(struct machine *machine, struct glide_queue *queue);

/* Takes the first word and puts `word` last: the same, where nothing has an urgency. */
static inline uint64_t glide_exchange(struct machine *machine, struct glide_queue *queue,
                                      uint64_t word)
{
    uint64_t *first = glide_word(queue, 0), *list = glide_word(queue, GLIDE_WORDS - 1);
    uint64_t taken = *first;
    if (queue->count <= GLIDE_WORDS) {
        *glide_word(queue, queue->count % GLIDE_WORDS) = word;
    } else {
        machine->next[queue->last] = word;
        queue->last = (uint32_t)word;
        *first = machine->next[(uint32_t)*list];
    }
    queue->first = queue->first + 1 < GLIDE_WORDS ? queue->first + 1 : 0;
    return taken;
}

/* ---- slots (glide_slot.c) ---- */

/* Where the slots of `row` are in this step. */
void slots_at_row(const struct gliding *gliding, struct glide_line *line, uint32_t row);

/* Before the first step of a run: nothing is due in these slots. */
void slots_forget(const struct gliding *gliding, struct glide_line *line);

/* At the start of a step: what goes along `row`, whose slots are `line`, is one node further, and
 * `stops` tells which packets are at their stop. */
void slots_advance(const struct gliding *gliding, struct glide_line *line, uint32_t row);

/* Soon the slots of `line` at a block are needed. */
void slots_fetch(const struct gliding *gliding, const struct glide_line *line, struct site first,
                 enum direction d);

/* Where the slot of column `col` is in its line in this step. */
static inline uint32_t slot_place(const struct gliding *gliding, enum direction d, uint32_t col)
{
    uint32_t cols = gliding->glide->cols, turn = gliding->col_turn;
    if (d == WEST)
        return col + turn < cols ? col + turn : col + turn - cols;
    if (d == EAST)
        return col >= turn ? col - turn : col + cols - turn;
    return col;
}

/* Whether the slot of link `d` at `site`, in the row at hand, is taken. */
static inline bool slot_is_taken(const struct gliding *gliding, struct site site, enum direction d)
{
    return gliding->line[d].held[site.col >> BLOCK_SHIFT] & glide_bit(site);
}

/* Puts `word` into an empty slot. */
static inline void slot_set(const struct gliding *gliding, struct site site, enum direction d,
                            uint64_t word)
{
    const struct glide_line *line = &gliding->line[d];
    uint32_t place = slot_place(gliding, d, site.col);
    uint32_t stop = word_stop(word), here = direction_is_vertical(d) ? site.row : site.col;
    uint32_t distance = stop > here ? stop - here : here - stop;
    uint32_t *first_due = &line->first_due[place >> BLOCK_SHIFT];
    line->word[place] = word;
    line->due[place] = (uint16_t)(gliding->now + distance);
    line->held[site.col >> BLOCK_SHIFT] |= glide_bit(site);
    if (distance < *first_due - gliding->now)
        *first_due = gliding->now + distance;
}

/* The word that stands in a slot. */
static inline uint64_t slot_word(const struct gliding *gliding, struct site site, enum direction d)
{
    return gliding->line[d].word[slot_place(gliding, d, site.col)];
}

/* Takes it out. */
static inline uint64_t slot_clear(const struct gliding *gliding, struct site site, enum direction d)
{
    gliding->line[d].held[site.col >> BLOCK_SHIFT] &= ~glide_bit(site);
    return slot_word(gliding, site, d);
}

#endif
