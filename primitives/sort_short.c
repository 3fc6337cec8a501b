/* sort_short.c - the slots of one packet in order, by insertion: they are few as a rule, and a call of
 * the library's sort takes longer than the rest. Within a node, no communication.
 * Cost: O(count^2) up to 24 words, then qsort.
 */
#include "primitives/sort_short.h"

#include "base/numbers.h"

#include <stdlib.h>

void sort_short(uint32_t *word, uint32_t count)
{
    enum { SHORT = 24 };
    if (count > SHORT) {
        qsort(word, count, sizeof *word, compare_u32);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moving = word[i], j = i;
        for (; j > 0 && word[j - 1] > moving; j--)
            word[j] = word[j - 1];
        word[j] = moving;
    }
}
