/* expert_load.h - how often each expert of a mixture-of-experts model is asked for. */
#ifndef MESHCAST_WORKLOADS_EXPERT_LOAD_H
#define MESHCAST_WORKLOADS_EXPERT_LOAD_H

#include "workloads/expert_place.h"

#include "base/failure.h"

#include <stddef.h>
#include <stdint.h>

/* What the pattern `moe` draws from. */
struct expert_load {
    uint32_t experts;        /* 0: one for each 8 x 8 nodes, but for one in sixteen */
    enum expert_order place; /* unless .. */
    struct node_lines nodes; /* .. a file places them; else none */
    double exponent;         /* chances fall as rank^-exponent, ranks being dealt at random .. */
    uint64_t *count;         /* .. or are as these counts [experts], if not NULL */
};

/* The exponent that is used where none is asked for: the busiest of 60 experts gets about 1.6 times the mean. */
#define EXPERT_EXPONENT 0.15

/* Reads the counts in line number `layer` (from 1; blank lines, and those that begin with # or %, are not counted) of
 * a text, into load->count and their number into load->experts. FAIL_INPUT names file, line and what
 * was expected. The caller frees load->count. */
enum failure_kind expert_counts_read(struct expert_load *load, const char *path, uint32_t layer,
                                     struct failure *failure);

/* The same over `length` bytes in memory. */
enum failure_kind expert_counts_read_memory(struct expert_load *load, const void *bytes,
                                            size_t length, const char *name, uint32_t layer,
                                            struct failure *failure);

#endif
