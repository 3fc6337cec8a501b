/* galois.c - finite fields by tables of powers and logarithms.
 *
 * An element is a polynomial over F_p, written as a number to the base p. The candidates for the
 * modulus are tried in ascending order until one is found for which the powers of x are all the q -
 * 1 elements but 0: that proves at once that it is irreducible and that x generates. For e = 1 the
 * candidates are the generators themselves, 1, 2, 3, ...
 *
 * A node of the mesh would not keep tables: a product is e^2 operations on digits, for which it
 * needs only the least primitive polynomial.
 *
 * Cost: expected O(q log q) time to make a field; 12 bytes per element; O(1) per product, O(e) per
 * sum.
 */
#include "expanders/galois.h"

#include <stdlib.h>

bool galois_is_order(uint32_t q, uint32_t *p, uint32_t *e)
{
    if (q < 2 || q > GALOIS_MOST)
        return false;
    uint32_t least = 2;
    while (q % least != 0)
        least++;
    *p = least;
    for (*e = 0; q % least == 0; q /= least)
        ++*e;
    return q == 1;
}

uint32_t galois_add(const struct galois *field, uint32_t a, uint32_t b)
{
    if (field->p == 2)
        return a ^ b;
    if (field->e == 1)
        return (a + b) % field->p;
    uint32_t sum = 0;
    for (uint32_t place = 1; a != 0 || b != 0; place *= field->p) {
        sum += (a % field->p + b % field->p) % field->p * place;
        a /= field->p;
        b /= field->p;
    }
    return sum;
}

/* Returns a x modulo x^e + candidate, digit by digit; for e = 1, a times the candidate. */
static uint32_t step(const struct galois *field, uint32_t a, uint32_t candidate)
{
    if (field->e == 1)
        return (uint32_t)((uint64_t)a * candidate % field->p);
    uint32_t top = a / (field->q / field->p), shifted = a % (field->q / field->p) * field->p;
    uint32_t result = 0;
    for (uint32_t place = 1; place < field->q; place *= field->p) {
        uint32_t digit = shifted / place % field->p, taken = candidate / place % field->p;
        uint32_t product = (uint32_t)((uint64_t)top * taken % field->p);
        result += (digit + field->p - product) % field->p * place;
    }
    return result;
}

/* Fills the tables with the powers under `candidate`; false if they return to 1 too early. */
static bool fill(struct galois *field, uint32_t candidate)
{
    uint32_t a = 1;
    for (uint32_t i = 0; i < field->q - 1; i++) {
        if (a == 0 || (a == 1 && i > 0))
            return false;
        field->power[i] = field->power[i + field->q - 1] = a;
        field->log[a] = i;
        a = step(field, a, candidate);
    }
    return a == 1;
}

enum failure_kind galois_make(struct galois *field, uint32_t q, struct failure *failure)
{
    *field = (struct galois){.q = q};
    if (!galois_is_order(q, &field->p, &field->e))
        return fail(failure, FAIL_USAGE,
                    "no field has %lu elements; q must be a power of a prime, at most %d",
                    (unsigned long)q, GALOIS_MOST);
    field->power = memory_allocate(2 * (size_t)(q - 1), sizeof *field->power);
    field->log = memory_allocate(q, sizeof *field->log);
    if (field->power == NULL || field->log == NULL) {
        galois_free(field);
        return fail_memory(failure, "a finite field");
    }
    uint32_t candidate = 1;
    while (!fill(field, candidate))
        candidate++;
    return FAIL_NONE;
}

void galois_free(struct galois *field)
{
    free(field->power);
    free(field->log);
    *field = (struct galois){0};
}
