/* network_part_case.h - a rank's part of a set for the network, for tests in a rank. */
#ifndef MESHCAST_TEST_WORKLOADS_NETWORK_PART_CASE_H
#define MESHCAST_TEST_WORKLOADS_NETWORK_PART_CASE_H

#include "base/ranks.h"

#include <stddef.h>

/* Reads the set from the file `path`, or if that is NULL from the text, alone and on ranks: each rank has the messages of
 * its nodes, with the numbers and figures of the whole set, and of them is sent what is sent alone. What is wrong fails
 * with the same text. FAIL_CHECK: it is not so. */
enum failure_kind network_part_check(const char *text, const char *path, size_t length,
                                     struct ranks *ranks, struct failure *failure);

#endif
