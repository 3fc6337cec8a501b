/* test_pcg.c - pcg32 against the outputs of the C++ PCG library, and jump-ahead against draws.
 *
 * test/base/pcg_known.txt is the output of test/base/pcg_reference.cpp; where g++ and the library
 * are there the program is compiled and run again, and must print the same bytes.
 */
#include "base/pcg.h"
#include "test/temporary.h"

#include <check.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KNOWN "test/base/pcg_known.txt"

static struct pcg32 known_generator(const char *operation, uint64_t seed, uint64_t stream,
                                    uint64_t argument)
{
    struct pcg32 random = pcg32_seed(seed, stream);
    if (strcmp(operation, "skip") == 0)
        pcg32_advance(&random, argument);
    if (strcmp(operation, "back") == 0)
        pcg32_advance(&random, 100 - argument);
    return random;
}

/* pcg32 gives the C++ library's values: after jumps forward and back, and within bounds */
START_TEST(known_outputs)
{
    FILE *known = fopen(KNOWN, "r");
    ck_assert_ptr_nonnull(known);
    char line[512], operation[16];
    uint64_t seed, stream, argument;
    int lines = 0;
    for (; fgets(line, sizeof line, known) != NULL; lines++) {
        int used;
        ck_assert_int_eq(sscanf(line, "%15s %" SCNu64 " %" SCNu64 " %" SCNu64 "%n", operation,
                                &seed, &stream, &argument, &used),
                         4);
        struct pcg32 random = known_generator(operation, seed, stream, argument);
        bool is_bounded = strcmp(operation, "below") == 0;
        char *next = line + used;
        for (int i = 0; i < 8; i++) {
            uint32_t expected = (uint32_t)strtoul(next, &next, 10);
            uint32_t value =
                is_bounded ? pcg32_below(&random, (uint32_t)argument) : pcg32_next(&random);
            ck_assert_msg(value == expected, "%s value %d: %u", line, i, value);
        }
    }
    fclose(known);
    ck_assert_int_eq(lines, 5 * 5 * (8 + 5 + 10));
}
END_TEST

static bool files_are_equal(const char *a, const char *b)
{
    FILE *first = fopen(a, "r"), *second = fopen(b, "r");
    bool equal = first != NULL && second != NULL;
    for (int c = 0; equal && c != EOF;) {
        c = getc(first);
        equal = c == getc(second);
    }
    if (first != NULL)
        fclose(first);
    if (second != NULL)
        fclose(second);
    return equal;
}

/* the library itself, compiled here, prints the known outputs */
START_TEST(library_prints_known_outputs)
{
    char folder[TEMPORARY_PATH], command[1024], output[300], program[300];
    temporary_folder(folder);
    snprintf(output, sizeof output, "%s/output", folder);
    snprintf(program, sizeof program, "%s/program", folder);
    snprintf(command, sizeof command, "g++ -o '%s' test/base/pcg_reference.cpp && '%s' >'%s'",
             program, program, output);
    int status = system(command);
    bool equal = files_are_equal(output, KNOWN);
    unlink(output);
    unlink(program);
    rmdir(folder);
    ck_assert_int_eq(status, 0);
    ck_assert_msg(equal, "the library prints other values than " KNOWN);
}
END_TEST

/* a jump of k equals k draws, and a jump of 2^64 - k takes them back */
START_TEST(jumps_equal_draws)
{
    for (uint64_t stream = 0; stream < 4; stream++) {
        struct pcg32 drawn = pcg32_seed(99, stream);
        for (uint64_t k = 0; k < 300; k++) {
            struct pcg32 jumped = pcg32_seed(99, stream);
            pcg32_advance(&jumped, k);
            ck_assert_uint_eq(jumped.state, drawn.state);
            pcg32_advance(&jumped, 0 - k);
            ck_assert_uint_eq(jumped.state, pcg32_seed(99, stream).state);
            pcg32_next(&drawn);
        }
    }
}
END_TEST

/* pcg32_at is the value with that index, of the seed's and stream's own sequence */
START_TEST(value_at_an_index)
{
    for (uint64_t stream = 0; stream < 3; stream++) {
        struct pcg32 drawn = pcg32_seed(7, stream);
        for (uint64_t index = 0; index < 200; index++)
            ck_assert_uint_eq(pcg32_at(7, stream, index), pcg32_next(&drawn));
    }
    uint64_t far = UINT64_C(1) << 40;
    ck_assert_uint_eq(pcg32_at(7, 1, far), pcg32_at(7, 1, far));
    struct pcg32 back = pcg32_seed(7, 1);
    pcg32_advance(&back, far);
    ck_assert_uint_eq(pcg32_at(7, 1, far), pcg32_next(&back));
}
END_TEST

/* seeds and streams next to each other share no values at equal indices beyond chance */
START_TEST(streams_differ)
{
    int equal = 0;
    for (uint64_t index = 0; index < 10000; index++) {
        equal += pcg32_at(1, 2, index) == pcg32_at(1, 3, index);
        equal += pcg32_at(1, 2, index) == pcg32_at(2, 2, index);
    }
    ck_assert_int_le(equal, 1);
}
END_TEST

/* a bound that does not divide 2^32 is reached evenly: the modulo would favour low values */
START_TEST(bounded_values_are_even)
{
    enum { DRAWS = 300000, PARTS = 3 };
    const uint32_t bound = 3u << 30;
    uint32_t count[PARTS] = {0};
    struct pcg32 random = pcg32_seed(5, 5);
    for (int i = 0; i < DRAWS; i++) {
        uint32_t value = pcg32_below(&random, bound);
        ck_assert_uint_lt(value, bound);
        count[value >> 30]++;
    }
    for (int part = 0; part < PARTS; part++) {
        ck_assert_uint_gt(count[part], DRAWS / PARTS - 1500); /* over five deviations */
        ck_assert_uint_lt(count[part], DRAWS / PARTS + 1500);
    }
    for (uint32_t small = 1; small <= 40; small++)
        for (int i = 0; i < 200; i++)
            ck_assert_uint_lt(pcg32_below(&random, small), small);
}
END_TEST

void pcg_suite(TCase *tests)
{
    tcase_add_test(tests, known_outputs);
    tcase_add_test(tests, library_prints_known_outputs);
    tcase_add_test(tests, jumps_equal_draws);
    tcase_add_test(tests, value_at_an_index);
    tcase_add_test(tests, streams_differ);
    tcase_add_test(tests, bounded_values_are_even);
}
