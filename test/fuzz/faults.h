/* faults.h - faults of memory and files that an input asks for, and files that hold an input.
 *
 * A fuzzer's input begins with a head of two bytes. The first says which call fails: '@' none, 'A'
 * the first, 'B' the second, and so on to 63. The second is '@' with bits of enum fuzz_flag: calls
 * of which kind (FUZZ_ALLOCATION .. FUZZ_OPEN), and where the text comes from. The linker hands the
 * calls of meshcast's objects here (test/fuzz/fuzz.mk, FUZZ_WRAPPED); libraries keep theirs.
 *
 * Invariant: no call fails but between fuzz_arm(), or fuzz_serve(), and fuzz_end().
 */
#ifndef MESHCAST_TEST_FUZZ_FAULTS_H
#define MESHCAST_TEST_FUZZ_FAULTS_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum fuzz_fault {
    FUZZ_ALLOCATION,            /* no memory */
    FUZZ_READ,                  /* EIO */
    FUZZ_INTERRUPT,             /* EINTR */
    FUZZ_OPEN,                  /* EACCES */
    FUZZ_FULL = FUZZ_INTERRUPT, /* of what writes: ENOSPC */
};

enum fuzz_flag {
    FUZZ_FAULTS = 3,   /* the bits of an enum fuzz_fault */
    FUZZ_FILE = 4,     /* the text comes from a file instead of memory */
    FUZZ_STANDARD = 8, /* that file is standard input */
    FUZZ_PIECES = 16,  /* a read gives a byte, then at most three */
    FUZZ_OWN = 32,     /* the fuzzer's own */
};

/* Aborts if a fuzzer's check does not hold. */
void fuzz_require(bool holds);

/* Takes the head off the input; false: there is no whole one. */
bool fuzz_begin(const uint8_t **bytes, size_t *length, unsigned *flags);

/* From now on the call fails that the head names. */
void fuzz_arm(void);

/* Makes `bytes` the text of the file `name` and of standard input, for streams and descriptors,
 * until fuzz_end(), and arms. Returns the path to open: the name, or "-" by FUZZ_STANDARD. */
const char *fuzz_serve(const char *name, const void *bytes, size_t length, unsigned flags);

/* Keeps the text written to standard output until fuzz_captured(), which returns it; the caller
 * frees it. */
void fuzz_capture(void);
char *fuzz_captured(size_t *size);

/* Ends the faults; returns true if a call failed. */
bool fuzz_end(void);

/* True if this call of the kind is the one that fails. */
bool fuzz_strikes(enum fuzz_fault kind);

/* Requires a failure of one printable line. FAIL_INPUT: it begins with the name of the served file.
 * FAIL_SYSTEM: only if a call failed. */
void fuzz_require_failure(enum failure_kind kind, const struct failure *failure, bool has_struck);

#endif
