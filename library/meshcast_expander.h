/* meshcast_expander.h - expander graphs, and between which values their expansion lies, for programs.
 *
 * A graph has p inputs with r edges each, to c groups. It expands by lambda if any k <= c / r inputs have
 * at least lambda r k distinct neighbours. `meshcast expander` prints the same figures; doc/expanders.md
 * has the theorems and the format of files. The error rule, ownership and threads are those of meshcast.h.
 */
#ifndef MESHCAST_EXPANDER_H
#define MESHCAST_EXPANDER_H

#include "meshcast.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

struct meshcast_expander;

/* The graph of a random permutation of p r entries. MESHCAST_USAGE: not 1 <= r <= c <= p, or too large. */
struct meshcast_expander *meshcast_expander_random(uint32_t p, uint32_t c, uint32_t r,
                                                   uint64_t seed, struct meshcast_error *error);

/* The Reed-Solomon graph of p polynomials of degree < k over the field of q elements at r points; c = r q.
 * k 0: the least with p <= q^k. MESHCAST_USAGE: q is no prime power, r > q, or q does not divide p. */
struct meshcast_expander *meshcast_expander_reed_solomon(uint32_t p, uint32_t r, uint32_t q,
                                                         uint32_t k, struct meshcast_error *error);

/* Reads a file of a graph ("-": standard input). */
struct meshcast_expander *meshcast_expander_read(const char *path, struct meshcast_error *error);

/* Writes the graph to `path` ("-": standard output, which the program flushes); the file takes its place
 * when it is whole. `comment` (may be NULL) becomes a line with a `#`. */
enum meshcast_status meshcast_expander_write(const struct meshcast_expander *graph,
                                             const char *path, const char *comment,
                                             struct meshcast_error *error);
void meshcast_expander_free(struct meshcast_expander *graph);

enum meshcast_expander_figure {
    MESHCAST_EXPANDER_P, /* inputs */
    MESHCAST_EXPANDER_C, /* groups */
    MESHCAST_EXPANDER_R, /* edges of an input */
    MESHCAST_EXPANDER_Q, /* of a Reed-Solomon graph, else 0 */
    MESHCAST_EXPANDER_K, /* the same */
};
uint64_t meshcast_expander_figure(const struct meshcast_expander *graph,
                                  enum meshcast_expander_figure figure);

/* "permutation", "rs" or "list" (of neighbours, as a file has them). */
const char *meshcast_expander_kind(const struct meshcast_expander *graph);

/* Fills neighbour[p r] with groups, 0 .. c - 1: of input i those at i r .. i r + r - 1. */
void meshcast_expander_neighbours(const struct meshcast_expander *graph, uint32_t *neighbour);

/* ---- how much it expands ---- */

struct meshcast_bracket;

/* Brackets lambda with `c` groups; 0: the graph's own. Of the options count the threads, the progress
 * (steps out of 1000 for what is being done) and the interrupt; `options` may be NULL. Unless MESHCAST_OK
 * *bracket is NULL. MESHCAST_USAGE: a graph that is no permutation's has its own number of groups, or not r
 * <= c <= p. */
enum meshcast_status meshcast_expander_check(const struct meshcast_expander *graph, uint32_t c,
                                             const struct meshcast_options *options,
                                             struct meshcast_bracket **bracket,
                                             struct meshcast_error *error);
void meshcast_bracket_free(struct meshcast_bracket *bracket);

/* The largest certified bound, rounded down, 0 if there is none: lambda is at least this. */
double meshcast_bracket_certified(const struct meshcast_bracket *bracket);

/* lambda is at most this, by a set that was found: *inputs of them, ascending, the bracket's. Either
 * pointer may be NULL. */
double meshcast_bracket_found(const struct meshcast_bracket *bracket, const uint32_t **input,
                              uint32_t *inputs);

/* The certificates: how many kinds there are; the name of one, the theorem from which it follows (a line),
 * its bound, and where it was left out why, *lambda being 0 (else ""). The pointers may be NULL. */
uint32_t meshcast_bracket_certificates(const struct meshcast_bracket *bracket);
const char *meshcast_bracket_certificate(const struct meshcast_bracket *bracket, uint32_t index,
                                         const char **theorem, double *lambda, const char **why);

enum meshcast_bracket_figure {
    MESHCAST_BRACKET_C,
    MESHCAST_BRACKET_LARGEST_SET, /* floor(c / r): sets up to it count */
    MESHCAST_BRACKET_LEAST_LOAD,  /* edges of a group */
    MESHCAST_BRACKET_MOST_LOAD,
    MESHCAST_BRACKET_IS_REGULAR, /* 1: the two differ by one at most; 0: it is no expander by definition */
    MESHCAST_BRACKET_MULTI_EDGES,
    MESHCAST_BRACKET_MULTI_INPUTS,
    MESHCAST_BRACKET_FOUND_NEIGHBOURS, /* of the set that was found */
    MESHCAST_BRACKET_BEST,             /* the index of the largest certificate; UINT64_MAX: none */
};
uint64_t meshcast_bracket_figure(const struct meshcast_bracket *bracket,
                                 enum meshcast_bracket_figure figure);

/* An upper bound of a regular graph's second singular value, 0 if unknown; what a random graph of these
 * sizes expands by with probability 1 - 1e-6, which says nothing of this one. */
double meshcast_bracket_second_value(const struct meshcast_bracket *bracket);
double meshcast_bracket_random(const struct meshcast_bracket *bracket);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
