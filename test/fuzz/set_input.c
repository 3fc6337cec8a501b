/* set_input.c - splits inputs of fuzzers into a message set and a text. */
#include "test/fuzz/set_input.h"

#include "test/fuzz/faults.h"

#include <string.h>

int fuzz_try_with_set(const uint8_t *bytes, size_t length,
                      void (*act)(const uint8_t *text, size_t length, unsigned flags,
                                  const struct message_set *set))
{
    struct message_set set;
    unsigned flags;
    if (!fuzz_begin(&bytes, &length, &flags))
        return 0;
    if (!(flags & FUZZ_OWN)) {
        act(bytes, length, flags, NULL);
        return 0;
    }
    const uint8_t *end = length == 0 ? NULL : memchr(bytes, 0, length);
    size_t before = end == NULL ? 0 : (size_t)(end - bytes);
    if (end == NULL || message_set_read_memory(&set, bytes, before, "set", NULL) != FAIL_NONE) {
        fuzz_end();
        return 0;
    }
    act(end + 1, length - before - 1, flags, &set);
    message_set_free(&set);
    return 0;
}
