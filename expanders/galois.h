/* galois.h - arithmetic in the finite field of q elements, q a prime power. */
#ifndef MESHCAST_EXPANDERS_GALOIS_H
#define MESHCAST_EXPANDERS_GALOIS_H

#include "base/failure.h"

#include <stdbool.h>
#include <stdint.h>

enum { GALOIS_MOST = 1 << 16 };

/* F_q, q = p^e. Element a is the polynomial whose coefficients are a's digits to the base p, so
 * that 0 .. p-1 are the integers modulo p; products are taken modulo the primitive polynomial
 * x^e + ... whose lower coefficients, read as such a number, are least (for e = 1: modulo p). */
struct galois {
    uint32_t q, p, e;
    uint32_t *power; /* [2 (q - 1)]: powers of a generator, twice over */
    uint32_t *log;   /* [q]: their inverse; log[0] is not used */
};

/* True if q = p^e with p prime and 2 <= q <= GALOIS_MOST; then sets *p and *e. */
bool galois_is_order(uint32_t q, uint32_t *p, uint32_t *e);

/* Makes the field. FAIL_USAGE: no field has q elements, or q > GALOIS_MOST; FAIL_SYSTEM: no memory.
 * The caller frees. */
enum failure_kind galois_make(struct galois *field, uint32_t q, struct failure *failure);

/* Frees; a zeroed field is fine. */
void galois_free(struct galois *field);

/* Return the sum and the product of two elements. */
uint32_t galois_add(const struct galois *field, uint32_t a, uint32_t b);

static inline uint32_t galois_multiply(const struct galois *field, uint32_t a, uint32_t b)
{
    return a == 0 || b == 0 ? 0 : field->power[field->log[a] + field->log[b]];
}

#endif
