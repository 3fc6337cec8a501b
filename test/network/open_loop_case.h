/* open_loop_case.h - what suites of open loops share: a loop with short lengths, and its run. */
#ifndef MESHCAST_TEST_NETWORK_OPEN_LOOP_CASE_H
#define MESHCAST_TEST_NETWORK_OPEN_LOOP_CASE_H

#include "network/open_loop.h"

#include <stdio.h>

/* Single flits to one destination; 200 messages warm up, 2000 are measured, once. */
struct open_loop open_loop_case(const struct topology *topology, const char *scheme, double rate);

/* The result of a loop that must not fail. */
struct open_loop_result open_loop_case_run(const struct open_loop *loop);

/* Writes all figures of a result. */
void open_loop_case_tell(const struct open_loop_result *result, FILE *out);

#endif
