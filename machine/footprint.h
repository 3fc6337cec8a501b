/* footprint.h - how much memory a machine will allocate.
 *
 * A router says which instructions it uses; machine_footprint() adds up what they allocate. Each summand
 * is in the file of the allocation that it predicts; test/machine/test_footprint.c compares
 * both. The system may need less, because it provides only pages that are written (doc/growth.md has
 * figures).
 */
#ifndef MESHCAST_MACHINE_FOOTPRINT_H
#define MESHCAST_MACHINE_FOOTPRINT_H

#include "machine/mesh.h"

#include <stdbool.h>
#include <stdint.h>

/* Instructions as a run calls them, a bit each. */
enum machine_use {
    USE_FORWARD = 1 << 0,  /* machine_forward */
    USE_WAYS = 1 << 1,     /* .. machine_march goes two ways */
    USE_CHANNELS = 1 << 2, /* machine_channel */
    USE_EXPRESS = 1 << 3,  /* .. whose rule injects */
    USE_WORDS = 1 << 4,    /* machine_word_steps */
    USE_PLANE = 1 << 5,    /* machine_open_plane */
    USE_MARCH = 1 << 6,    /* machine_march */
    USE_GATHER = 1 << 7,   /* machine_gather */
};

struct machine_needs {
    struct mesh mesh;
    uint64_t slots;   /* destination slots */
    bool has_names;   /* of slots */
    bool is_on_ranks; /* slots and rows are those of one rank of several */
    uint32_t threads;
    unsigned uses;                         /* enum machine_use */
    uint32_t channel_slots, channel_spare; /* of the rule for machine_channel */
    uint32_t aside_levels;                 /* machine_set_aside */
    bool is_observed;                      /* a trace or an observer */
    bool discards;                         /* an attempt with a budget and a capacity */
    bool has_input;                        /* packets wait in input queues */
};

/* Returns the bytes that a machine with these needs allocates. */
uint64_t machine_footprint(const struct machine_needs *needs);

#endif
