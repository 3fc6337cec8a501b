/* test_word_pass.c - control words that many nodes of a row pass on at once. */
#include "machine/word.h"

#include "test/machine/machine_run.h"
#include "test/tests_fork.h"

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *word_pass_suite(void);

/* Both ends of a row say something in the first `says` steps; the others pass it on. */
struct passing {
    struct mesh mesh;
    uint64_t says;
    uint32_t heard, wrong; /* at the ends of this row */
};

/* The word that sets out in `step`. */
static struct word said(uint32_t row, enum direction side, uint64_t step)
{
    return (struct word){(int64_t)(row * 1000 + step), side};
}

static void pass_on_row(void *context, struct word_port *port, uint32_t row, uint64_t step)
{
    struct passing *passing = (struct passing *)context + row;
    uint32_t cols = passing->mesh.cols, last = cols - 1;
    for (enum direction side = WEST; side <= EAST; side++) {
        uint32_t from = side == EAST ? 0 : last, to = last - from;
        struct word word, expected = said(row, side, step - last);
        if (step <= passing->says)
            word_send(port, (struct site){row * cols + from, row, from}, side,
                      said(row, side, step));
        uint64_t far = step - 1 < last - 1 ? step - 1 : last - 1; /* of words, on their way */
        uint64_t near = step > passing->says ? step - passing->says : 1;
        if (near <= far) {
            uint32_t first = side == EAST ? (uint32_t)near : last - (uint32_t)far;
            word_pass(port, (struct site){row * cols + first, row, first},
                      (uint32_t)(far - near + 1), side);
        }
        if (!word_received(port, (struct site){row * cols + to, row, to}, direction_opposite(side),
                           &word))
            continue;
        passing->heard++;
        passing->wrong += word.value != expected.value || word.extra != expected.extra;
    }
}

/* what a row passes on comes to its other end in its time, as it was, and each hop of it is counted */
START_TEST(passed_on)
{
    static const struct mesh meshes[] = {{1, 2}, {3, 3}, {5, 40}, {40, 19}, {2, 150}};
    struct mesh mesh = meshes[_i];
    for (uint32_t says = 1; says <= 40; says += 13) {
        struct machine_config config = {
            .mesh = mesh, .threads = mesh.rows < 3 ? 1 : 3, .kernel = "test"};
        struct machine *machine = machine_create(&config, NULL);
        struct passing *passing = calloc(mesh.rows, sizeof *passing);
        ck_assert(machine != NULL && passing != NULL);
        for (uint32_t row = 0; row < mesh.rows; row++)
            passing[row] = (struct passing){.mesh = mesh, .says = says};
        machine_begin_phase(machine, "pass");
        ck_assert_int_eq(machine_prepare_words(machine, NULL), FAIL_NONE);
        machine_word_steps(machine, says + mesh.cols, pass_on_row, passing);
        for (uint32_t row = 0; row < mesh.rows; row++) {
            ck_assert_uint_eq(passing[row].heard, 2 * says);
            ck_assert_uint_eq(passing[row].wrong, 0);
        }
        ck_assert_uint_eq(machine_counts(machine)->word_hops,
                          2ull * says * mesh.rows * (mesh.cols - 1));
        machine_free(machine);
        free(passing);
    }
}
END_TEST

static void pass_wrongly(void *context, struct word_port *port, uint32_t row, uint64_t step)
{
    const int *wrong = context;
    uint32_t count = *wrong == 1 ? 3 : 2; /* 1: the last one is at the mesh's end */
    if (row > 0)
        return;
    if (step == 1)
        for (uint32_t col = 0; col < (*wrong == 0 ? 1 : 3); col++) /* 0: nothing came to one */
            word_send(port, (struct site){col, 0, col}, EAST, (struct word){1, 1});
    if (step == 2)
        word_pass(port, (struct site){1, 0, 1}, count, EAST);
    if (step == 2 && *wrong == 2) /* a word is passed on twice */
        word_pass(port, (struct site){1, 0, 1}, 1, EAST);
}

/* passing on what has not come, off the mesh, or twice stops the program */
START_TEST(not_passed_on)
{
    int wrong = _i;
    struct machine_config config = {.mesh = {1, 4}, .threads = 1, .kernel = "test"};
    struct machine *machine = machine_create(&config, NULL);
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    machine_begin_phase(machine, "pass");
    ck_assert_int_eq(machine_prepare_words(machine, NULL), FAIL_NONE);
    machine_word_steps(machine, 2, pass_wrongly, &wrong);
}
END_TEST

Suite *word_pass_suite(void)
{
    Suite *suite = suite_create("word_pass");
    TCase *tests = tcase_create("word_pass");
    tcase_add_loop_test(tests, passed_on, 0, 5);
    if (tests_fork())
        tcase_add_loop_test_raise_signal(tests, not_passed_on, SIGABRT, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
