/* set_input.h - inputs of fuzzers that are a text, or a message set and a text. */
#ifndef MESHCAST_TEST_FUZZ_SET_INPUT_H
#define MESHCAST_TEST_FUZZ_SET_INPUT_H

#include "workloads/message_set.h"

/* Takes the head off the input (test/fuzz/faults.h), and calls act() with the text behind it, the
 * head's flags and no set. With FUZZ_OWN a message set and a zero byte come before the text: act()
 * gets the set, too, and is not called if that cannot be read. Returns 0, for
 * LLVMFuzzerTestOneInput. */
int fuzz_try_with_set(const uint8_t *bytes, size_t length,
                      void (*act)(const uint8_t *text, size_t length, unsigned flags,
                                  const struct message_set *set));

#endif
