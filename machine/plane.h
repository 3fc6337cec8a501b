/* plane.h - instructions on planes: the resting packets, at most one per node, as one word each
 * that neighbours compare and exchange (rule 5 of the model). While a plane is open only these run:
 * first machine_pair, last machine_unpair, and any of the others between.
 */
#ifndef MESHCAST_MACHINE_PLANE_H
#define MESHCAST_MACHINE_PLANE_H

#include "machine/machine.h"

/* machine_open_plane collects the resting packets; key(context, packet) is the key that a node
 * reads in its packet's header (NULL: header.target). Packets are ordered by key, then by their id;
 * a node without a packet counts as greater than all. machine_close_plane brings the packets to
 * rest where they are. Neither costs a step. FAIL_SYSTEM: no memory. FAIL_VOID: the steps of an
 * attempt are spent.
 *
 * A plane has as many cells as nodes, and instructions name cells. At first each node is a cell;
 * while lines are paired, two neighbouring cells of a line are at each node of the middle half of
 * their segment. */
enum failure_kind machine_open_plane(struct machine *machine,
                                     uint32_t (*key)(void *context, uint32_t packet), void *context,
                                     struct failure *failure);
enum failure_kind machine_close_plane(struct machine *machine, struct failure *failure);

/* Closes the plane of a run that ends with FAIL_SYSTEM, on ranks perhaps only this one's. Its
 * packets are lost. */
void machine_drop_plane(struct machine *machine);

/* The lines of nodes on which an instruction works, all at once: every row, or every column, cut
 * into segments cut[i] .. cut[i+1]-1 (cut[0] = 0, cut[segments] = the line's length). Empty
 * segments are allowed. */
struct lines {
    bool are_columns;
    uint32_t segments;
    const uint32_t *cut;
};

/* machine_pair pairs the lines: in a segment of k nodes the packet at distance x from the start
 * walks to distance floor(k / 2) / 2 + x / 2, all divisions rounded down: into the middle half, two
 * per node, their order kept. While lines are paired, segments along them must lie within those
 * given here. machine_unpair: each cell's packet walks back to the node where the cell was before.
 * Both need machine_pair_steps steps, in which a node holds at most two packets. FAIL_CHECK: a
 * buffer overflowed (a capacity of 1). FAIL_SYSTEM: no memory. */
enum failure_kind machine_pair(struct machine *machine, const struct lines *lines,
                               struct failure *failure);
enum failure_kind machine_unpair(struct machine *machine, struct failure *failure);
uint32_t machine_pair_steps(const struct lines *lines);

/* Odd-even transposition. The smaller of two cells goes towards the start of its segment, or
 * towards its end where the line's flag is set. NULL: all 0. */
struct compare {
    struct lines lines;
    uint32_t steps;
    const uint8_t *line_flag; /* [lines]: 0 or 1 */
};

/* Does the comparisons, in compare->steps steps. Each compared pair uses both of its links: a
 * packet that changes hands crosses a link, and otherwise a word does.
 *
 * Along paired lines, 2 steps + 1 rounds: the two cells of each node, then the cells that a link
 * joins (a step), the two cells of each node again, .., as cells are in their nodes. Across them,
 * step t = 0, 1, .. compares two neighbours if the distance of the first from its segment's start
 * is even and t is, or if both are odd; lines of second cells begin with the other parity, so that
 * the two lines of a node never want one link. FAIL_CHECK: a buffer overflowed (a capacity of
 * 1). */
enum failure_kind machine_compare(struct machine *machine, const struct compare *compare,
                                  struct failure *failure);

/* A permutation of the cells of paired lines that is known before the run. A line consists of
 * stretches of cut[segments] cells. In each stretch of a line with pattern p, the packet of cell x
 * goes to cell target[p][x], which is in its segment. Segments begin with the first cell of a
 * node. */
struct permute {
    uint32_t segments;
    const uint32_t *cut; /* [segments + 1], from 0; its end is even or the line's length */
    uint32_t patterns;
    const uint32_t *target;  /* [patterns][cut[segments]] */
    const uint32_t *pattern; /* [lines] */
    uint32_t steps;          /* number of steps: half the longest segment is always enough */
};

/* Permutes, in permute->steps steps. The packets of neighbouring cells change places by their
 * targets, so a node holds two packets at most. FAIL_CHECK: a buffer overflowed (a capacity of 1).
 * FAIL_SYSTEM: no memory. */
enum failure_kind machine_permute(struct machine *machine, const struct permute *permute,
                                  struct failure *failure);

/* Odd-even transposition along the snakes of tiles, where `lines` are paired: a tile is a segment
 * of the lines band_cut[i] .. band_cut[i+1]-1, its snake goes forward along the first of them, back
 * along the second, .., and the smaller goes to its start. Segments have an even number of cells,
 * the first of which is the first of its node. */
struct snakes {
    struct lines lines;
    uint32_t bands;
    const uint32_t *band_cut; /* [bands + 1], from 0 to the number of lines */
    uint32_t steps;
};

/* Does the comparisons, in snakes->steps steps. First the two cells of each node are compared,
 * without a step. A step compares the cells that follow each other over a link, along the line or
 * where the snake turns across it, and then the two cells of each node again. Links carry the same
 * as in machine_compare. FAIL_CHECK: a buffer overflowed (a capacity of 1). FAIL_SYSTEM: no
 * memory. */
enum failure_kind machine_compare_snakes(struct machine *machine, const struct snakes *snakes,
                                         struct failure *failure);

#endif
