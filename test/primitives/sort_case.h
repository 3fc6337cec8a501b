/* sort_case.h - a sort under test: input, plan, run, and whether what came out is sorted. */
#ifndef MESHCAST_TEST_PRIMITIVES_SORT_CASE_H
#define MESHCAST_TEST_PRIMITIVES_SORT_CASE_H

#include "machine/machine.h"
#include "primitives/sort.h"

#include <stdbool.h>
#include <stdint.h>

/* Input and plan. The packet that starts at a node bears the node's number. */
struct sort_case {
    struct tessellation tiles;
    struct sort_plan plan; /* its tiles are set by sort_case_run */
    uint32_t nodes, threads;
    uint32_t *key;  /* of the packet that starts at a node */
    bool *is_there; /* whether one does */
};

/* A packet of key 0 at each node of these tiles (taken over), or of a mesh cut into `tiles`; the
 * plan is all zero. One thread. */
void sort_case_make(struct sort_case *example, struct tessellation tiles);
void sort_case_cut(struct sort_case *example, struct mesh mesh, uint64_t tiles);
void sort_case_free(struct sort_case *example);

/* Injects the packets and sorts them on `machine`; the steps must be those of sort_steps. */
enum failure_kind sort_case_run(struct machine *machine, struct sort_case *example,
                                struct failure *failure);

/* What is on `machine` must be sorted as planned: packets of each tile in the order that qsort
 * finds, nodes without one last. */
void sort_case_check(const struct machine *machine, const struct sort_case *example);

/* The packets that a node must have room for. */
enum { SORT_CASE_CAPACITY = 2 };

/* Runs and checks in buffers of that capacity, without a trace, or with a trace, which is
 * audited. */
void sort_case_untraced(struct sort_case *example);
void sort_case_traced(struct sort_case *example);

#endif
