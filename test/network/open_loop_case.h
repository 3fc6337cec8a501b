/* open_loop_case.h - common code of suites of open loops: a loop with short lengths, and its
 * run. */
#ifndef MESHCAST_TEST_NETWORK_OPEN_LOOP_CASE_H
#define MESHCAST_TEST_NETWORK_OPEN_LOOP_CASE_H

#include "network/open_loop.h"

#include <stdio.h>

/* Returns a loop of single flits to one destination; 200 messages warm up, 2000 are measured,
 * once. */
struct open_loop open_loop_case(const struct topology *topology, const char *scheme, double rate);

/* Returns the result of a loop that must not fail. */
struct open_loop_result open_loop_case_run(const struct open_loop *loop);

/* Writes all figures of a result. */
void open_loop_case_tell(const struct open_loop_result *result, FILE *out);

/* A set in which node 0 sends to all others, and every other node to the next one. */
enum { UNEVEN_NODES = 64 };
struct uneven_lists {
    struct destination_lists lists;
    uint64_t first[UNEVEN_NODES + 1], offset[UNEVEN_NODES + 1];
    uint32_t destination[2 * UNEVEN_NODES];
};
const struct destination_lists *open_loop_case_uneven(struct uneven_lists *uneven, uint32_t nodes);

#endif
