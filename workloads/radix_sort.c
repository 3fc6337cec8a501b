/* radix_sort.c - least significant digit first, 11 bits per pass.
 *
 * Method: one reading pass counts every digit of every word, and notices words that ascend already
 * (matrix files mostly do). Then a pass for each digit moves the words to and fro between the array
 * and a copy, stably; digits that are the same in all words need no pass.
 * Invariant: after the pass of digit k the words ascend in their lowest k + 1 digits.
 * Source: Knuth, The Art of Computer Programming, volume 3, Section 5.2.5.
 * Cost: 1 + p passes, p <= 6 the digits that differ; a copy of the words and 96 KiB of counts. On
 * keys of 40 bits that is four passes for any distribution, and never a quadratic case.
 */
#include "workloads/radix_sort.h"

#include "base/failure.h"
#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

enum {
    DIGIT_BITS = 11,
    DIGIT_VALUES = 1 << DIGIT_BITS,
    DIGITS = (64 + DIGIT_BITS - 1) / DIGIT_BITS
};

static inline size_t digit_at(uint64_t word, unsigned bit)
{
    return word >> bit & (DIGIT_VALUES - 1);
}

/* Counts all digits from `bit` on into tally[DIGITS][DIGIT_VALUES]; true if the words ascend
 * already. */
static bool count_digits(const uint64_t *word, size_t count, unsigned bit, size_t *tally)
{
    bool ascending = true;
    for (size_t i = 0; i < count; i++) {
        ascending = ascending && (i == 0 || word[i - 1] >> bit <= word[i] >> bit);
        for (unsigned at = bit, digit = 0; at < 64; at += DIGIT_BITS, digit++)
            tally[digit * DIGIT_VALUES + digit_at(word[i], at)]++;
    }
    return ascending;
}

static void move_by_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned bit,
                          size_t *tally)
{
    size_t place = 0;
    for (size_t value = 0; value < DIGIT_VALUES; value++) {
        size_t words = tally[value];
        tally[value] = place;
        place += words;
    }
    for (size_t i = 0; i < count; i++)
        to[tally[digit_at(from[i], bit)]++] = from[i];
}

bool radix_sort_from(uint64_t *word, size_t count, unsigned first_bit)
{
    if (count < 2)
        return true;
    size_t *tally = memory_allocate(DIGITS * DIGIT_VALUES, sizeof *tally);
    if (tally == NULL)
        return false;
    if (count_digits(word, count, first_bit, tally)) {
        free(tally);
        return true;
    }
    uint64_t *copy = memory_allocate(count, sizeof *copy);
    uint64_t *from = word, *to = copy;
    size_t *digit_tally = tally;
    for (unsigned bit = first_bit; bit < 64 && copy != NULL; bit += DIGIT_BITS) {
        size_t *of_digit = digit_tally;
        digit_tally += DIGIT_VALUES;
        if (of_digit[digit_at(from[0], bit)] == count)
            continue;
        move_by_digit(from, to, count, bit, of_digit);
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (copy != NULL && from == copy)
        memcpy(word, copy, count * sizeof *word);
    bool done = copy != NULL;
    free(tally);
    free(copy);
    return done;
}

bool radix_sort(uint64_t *word, size_t count)
{
    /* number of words for which counting digits would last longer than the sort */
    enum { FEW = 1024 };
    if (count >= FEW)
        return radix_sort_from(word, count, 0);
    if (count > 1)
        qsort(word, count, sizeof *word, compare_u64);
    return true;
}

bool radix_sort_distinct(uint64_t *word, size_t *count)
{
    if (!radix_sort(word, *count))
        return false;
    size_t distinct = 0;
    for (size_t i = 0; i < *count; i++)
        if (i == 0 || word[i] != word[distinct - 1])
            word[distinct++] = word[i];
    *count = distinct;
    return true;
}
