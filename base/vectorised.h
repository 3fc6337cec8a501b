/* vectorised.h - VECTORISED marks a function whose loops gain from newer vector units: it is
 * compiled in several versions, and the program chooses one when it starts. UNROLLED marks a
 * function that must be inlined into a VECTORISED one, to be compiled with it. A VECTORISED
 * function calls no others: gcc 12 was seen to end one that did without vzeroupper, and the code
 * after it waited for some hundred nanoseconds.
 */
#ifndef MESHCAST_BASE_VECTORISED_H
#define MESHCAST_BASE_VECTORISED_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define VECTORISED __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#define UNROLLED static inline __attribute__((always_inline))
#else
#define VECTORISED
#define UNROLLED static inline
#endif

#endif
