/* word.h - instructions of the machine: control words cross links. */
#ifndef MESHCAST_MACHINE_WORD_H
#define MESHCAST_MACHINE_WORD_H

#include "machine/machine.h"

/* A control word: O(1) integers of O(log n) bits. */
struct word {
    int64_t value, extra;
};

/* The ports of a node in a word step. `word_received` reads the word that crossed the link from the
 * neighbour on `side` in the step before (false: none); `word_send` sends one over the link on that
 * side in this step. A link carries one word per step; sending twice, or off the mesh, breaks a
 * rule. */
struct word_port;
bool word_received(const struct word_port *port, struct site site, enum direction side,
                   struct word *word);
void word_send(struct word_port *port, struct site site, enum direction side, struct word word);

/* Prepares the links for words, at the start of each kernel that uses them: words of the previous
 * kernel are forgotten. FAIL_SYSTEM: no memory. FAIL_CHECK: config.most_steps are spent. */
enum failure_kind machine_prepare_words(struct machine *machine, struct failure *failure);

/* Does step `step` of an instruction, from 1, for the nodes of a row: visits those that act, and
 * may read and write the registers of those nodes only. Other rows may be some steps ahead or
 * behind. */
typedef void word_act(void *context, struct word_port *port, uint32_t row, uint64_t step);

/* Does `steps` steps in which words cross links: `act` is called once for each row and step, on
 * several threads for different rows. FAIL_SYSTEM, only on ranks: words of other ranks did not
 * arrive, and nodes have read wrong words. */
enum failure_kind machine_word_steps(struct machine *machine, uint64_t steps, word_act *act,
                                     void *context, struct failure *failure);

/* Lets nodes read the words of the last word step without another step (computing is free): `act`
 * is called with `step`, and may send nothing. */
void machine_word_read(struct machine *machine, uint64_t step, word_act *act, void *context);

/* Does word_received and word_send for `count` nodes of a row, from `site` eastward: each forwards
 * the word from its other side over its link on `side`, WEST or EAST. Each must have received a
 * word. */
void word_pass(struct word_port *port, struct site site, uint32_t count, enum direction side);

#endif
