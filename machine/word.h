/* word.h - instructions of the machine: control words cross links. */
#ifndef MESHCAST_MACHINE_WORD_H
#define MESHCAST_MACHINE_WORD_H

#include "machine/machine.h"

/* A control word: O(1) integers of O(log n) bits. */
struct word {
    int64_t value, extra;
};

/* The ports of a node in a word step. `word_received` gives the word that crossed the link from the
 * neighbour on `side` in the step before (false: none); `word_send` sends one over the link on
 * that side now. A link carries one word a step; sending twice or off the mesh is a broken rule. */
struct word_port;
bool word_received(const struct word_port *port, struct site site, enum direction side,
                   struct word *word);
void word_send(struct word_port *port, struct site site, enum direction side, struct word word);

/* Makes room for the words of all links; called at the start of each kernel that uses
 * words, it forgets the words of the kernel before. FAIL_SYSTEM: no memory. FAIL_CHECK:
 * config.most_steps are spent. */
enum failure_kind machine_prepare_words(struct machine *machine, struct failure *failure);

/* Does step `step` of an instruction, from 1, for the nodes of a row: visits those that act, and may
 * read and write the registers of those nodes only. Other rows may be some steps ahead or behind. */
typedef void word_act(void *context, struct word_port *port, uint32_t row, uint64_t step);

/* `steps` steps in which words cross links: `act` is called once for each row and step, on several
 * threads for different rows. */
void machine_word_steps(struct machine *machine, uint64_t steps, word_act *act, void *context);

/* Between steps: hands over the words of the last word step without a step, for nodes to read
 * (computing is free). Nothing may be sent. `act` is called with `step`. */
void machine_word_read(struct machine *machine, uint64_t step, word_act *act, void *context);

/* word_received and word_send of `count` nodes of a row, from `site` eastward: each passes on over
 * its link on `side`, WEST or EAST, the word that came from its other side. If none came, the
 * rule is broken, too. */
void word_pass(struct word_port *port, struct site site, uint32_t count, enum direction side);

#endif
