/* engine_draw.h - the random choices of trials of the machine (test/machine/engine_trial.h), and
 * the kinds of trials. */
#ifndef MESHCAST_TEST_MACHINE_ENGINE_DRAW_H
#define MESHCAST_TEST_MACHINE_ENGINE_DRAW_H

#include "test/machine/engine_trial.h"

uint32_t draw(struct trial *trial, uint32_t bound); /* Returns 0 .. bound - 1. */
bool draw_one_in(struct trial *trial, uint32_t n);

/* Draws a trial that has not begun: a mesh, a cost of copies, a number of threads. On ranks (else
 * NULL) each of them draws the same trial. */
void draw_trial(struct trial *trial, uint64_t seed, struct ranks *ranks, uint32_t slots_of_node);

/* Makes some trials attempts, with a budget or without, that discard or overflow, and with nodes
 * that hold messages. */
void draw_attempt(struct trial *trial);

/* Returns any node, but `crowd` more often. */
node_index draw_node(struct trial *trial, node_index crowd);

/* Draws up to `most` different destinations; returns their number. */
uint32_t draw_destinations(struct trial *trial, node_index crowd, uint32_t most, node_place *place);

/* Run whole trials, which depend only on the seed: programs of one instruction or several. On ranks
 * (else NULL) all of them call it, and the trial is of their machines. */
void forward_trial(uint64_t seed, struct ranks *ranks);
void channel_trial(uint64_t seed, struct ranks *ranks);
void plane_trial(uint64_t seed, struct ranks *ranks);
void march_trial(uint64_t seed, struct ranks *ranks);
void two_ways_trial(uint64_t seed, struct ranks *ranks);
void word_trial(uint64_t seed, struct ranks *ranks);
void gather_trial(uint64_t seed, struct ranks *ranks);

#endif
