/* allocation_count.h - the bytes that meshcast's own code has asked for, and has not given back.
 *
 * The linker sends the calls of calloc, realloc and free in our objects here (Makefile,
 * TEST_WRAPPED); those of other libraries go past. What they allocated and we free counts nowhere.
 */
#ifndef MESHCAST_TEST_MACHINE_ALLOCATION_COUNT_H
#define MESHCAST_TEST_MACHINE_ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Begins the count: the held bytes, and the most of them so far, are 0. */
void allocation_count_begin(void);

/* Returns the most bytes held at once since then. */
uint64_t allocation_count_most(void);

/* Lets the call of calloc or realloc fail before which `before` others come, once; INT64_MAX:
 * none. */
void allocation_count_fail(int64_t before);

/* True if that call has come. */
bool allocation_count_has_failed(void);

/* Does the same for the calls of this thread only. */
void allocation_count_fail_here(int64_t before);
bool allocation_count_has_failed_here(void);

#endif
