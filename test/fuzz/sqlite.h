/* sqlite.h - faults of SQLite's own calls, as test/fuzz/faults.h has them for meshcast's. */
#ifndef MESHCAST_TEST_FUZZ_SQLITE_H
#define MESHCAST_TEST_FUZZ_SQLITE_H

#include <stdbool.h>

/* Once, before SQLite is used: its reads fail by FUZZ_READ, its writes (a full disk) by FUZZ_FULL,
 * its opens by FUZZ_OPEN, and it does not sleep while it waits for a lock. */
void fuzz_sqlite_prepare(void);

/* From now on SQLite's allocation of that number fails, counted from 1; 0: none. */
void fuzz_sqlite_arm(unsigned allocation);

/* Ends the faults of SQLite's allocations; returns true if one failed. */
bool fuzz_sqlite_end(void);

#endif
