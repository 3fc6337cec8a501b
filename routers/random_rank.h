/* random_rank.h - ranks select the copies for blocks (block_rank.c), and what variant=rank of
 * router `random` sends (random_rank.c, random_copies.c). */
#ifndef MESHCAST_ROUTERS_RANDOM_RANK_H
#define MESHCAST_ROUTERS_RANDOM_RANK_H

#include "primitives/prefix_sparse.h"
#include "routers/random_private.h"

/* The Hamiltonian cycle of all blocks of one size; one of odd sides has none, and a path instead.
 */
struct block_walk {
    uint32_t height, width, length;
    bool is_closed;
    node_place *place;  /* [length]: within the block */
    uint32_t *position; /* [height * width] */
};

struct rank_entry {
    uint64_t key;
    node_place destination, place;
};

struct rank_work;

/* A master with so many slots for this tile. */
struct rank_master {
    node_index node;
    uint32_t packet, count;
};

/* What a band of rows puts in, and whose it is, both by nodes. */
struct rank_words {
    struct prefix_entry *word;
    struct rank_master *master;
    uint32_t count, room;
    uint32_t masters, master_room;
    bool is_lost; /* no memory */
};

/* run->own where ranks select. Registers of nodes, and fields that travel with slots. */
struct ranking {
    node_place *place; /* [slot] of the tile of this visit: the node to which its copy goes */
    struct rank_words *words; /* [thread] */
    struct prefix_row *row;   /* [row]: of these words */
    struct rank_entry *entry; /* [thread][most]: room for the slots of one tile */
    uint32_t most, threads;
    /* What a master does whose first `count` slots are selected for this visit; NULL: nothing. */
    void (*start)(struct rank_work *work, struct site site, uint32_t packet, uint32_t count);
    struct block_walk walk[2][2]; /* [is a row lower][is a column narrower] */
};

/* One thread's part of the work between the instructions. */
struct rank_work {
    struct random_run *run;
    struct ranking *ranking;
    struct rank_entry *entry;
    struct rank_words *words;
    uint32_t first; /* of the words that are collected: the node's first one */
    bool is_whole;  /* all slots that the master has for this tile are selected */
};

/* ---- block_rank.c ---- */

/* Makes run->own for the run's tiles and blocks. FAIL_SYSTEM: no memory. rank_free frees it, whole
 * or not. */
enum failure_kind rank_make(struct random_run *run, struct failure *failure);
void rank_free(struct random_run *run);

/* Ranks the masters at home for each block of their tile, in prefix computations of the phase that
 * was begun. Then each master's slots for this tile that are selected are at the front of its
 * range, with the nodes of their copies in ranking->place, and the others, with MACHINE_NO_PLACE,
 * at its end. FAIL_SYSTEM: no memory. */
enum failure_kind rank_select(struct random_run *run, struct failure *failure);

/* In the order of their keys, then of destinations, which differ. */
void rank_sort_entries(struct rank_entry *entry, uint32_t count);

/* ---- random_rank.c ---- */

/* The bytes that ranks take in a run of `slots` slots: of a random_variant. */
uint64_t rank_footprint(const struct routing *routing, uint64_t slots);

/* ---- random_copies.c ---- */

enum failure_kind copies_make(struct random_run *run, struct failure *failure);
void copies_end(struct ranking *ranking);

/* The bits of header.state with which a master begins to send copies at `site`. */
uint8_t copies_begin(const struct random_run *run, struct site site, uint32_t packet);

/* Where `slot` stands in the order of the slots of a master that begins at `site`. */
uint64_t copies_key(const struct random_run *run, struct site site, uint32_t packet, uint32_t slot);

/* The rule of struct random_variant. */
unsigned copies_outputs(struct random_run *run, struct site site, uint32_t packet);
uint32_t copies_take(struct random_run *run, struct site site, uint32_t packet, enum output output);
uint32_t copies_stop(struct random_run *run, struct site site, uint32_t packet,
                     enum direction direction);
uint32_t copies_urgency(struct random_run *run, struct site site, uint32_t packet,
                        enum direction direction);
void copies_fetch(struct random_run *run, uint32_t packet);

#endif
