/* kernel_spoiling.h - kernels whose results are spoiled before they are checked: for tests of
 * checks.
 */
#ifndef MESHCAST_TEST_PRIMITIVES_KERNEL_SPOILING_H
#define MESHCAST_TEST_PRIMITIVES_KERNEL_SPOILING_H

#include "primitives/kernel_row.h"

enum { SPOILED_SIDE = 4, SPOILED_NODES = SPOILED_SIDE * SPOILED_SIDE };

/* The damage to a packet behind the kernel's back: it goes to another node, is discarded, or hands
 * its first slot to a copy that rests beside it. */
enum spoiling { SPOIL_MOVE, SPOIL_LOSE, SPOIL_DIVIDE };

/* Spoils a packet, by an instruction of the machine; `to` is for SPOIL_MOVE. */
void spoil(struct kernel_case *run, uint32_t packet, enum spoiling act, node_index to);

/* Returns the packet that rests at `node`, number `number` of those there; MACHINE_NONE: there is
 * none. */
uint32_t spoil_packet_at(const struct kernel_case *run, node_index node, uint32_t number);

/* Returns options for a mesh of SPOILED_SIDE x SPOILED_SIDE, free copies and one thread. */
struct kernel_options spoil_options(const char *pattern, uint32_t k);

/* Runs `row`, calls `act` after it, and then its check; tests run in processes of their own. */
enum failure_kind spoil_run(const struct kernel_row *row, const struct kernel_options *options,
                            void (*act)(struct kernel_case *run), struct failure *failure);

/* Does the same, and requires a failed check whose text has `expected`. */
void spoil_expect(const struct kernel_row *row, struct kernel_options options,
                  void (*act)(struct kernel_case *run), const char *expected);

#endif
