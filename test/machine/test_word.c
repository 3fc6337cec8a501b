/* test_word.c - control words: one a link and step, heard in the next step, and never otherwise. */
#include "machine/word.h"

#include "test/machine/machine_run.h"
#include "test/tests_fork.h"

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *word_suite(void);

enum { ROWS = 3, COLS = 4, NODES = ROWS * COLS };

/* What the nodes do in a step, and what they have heard. */
struct talk {
    bool sends, sends_twice, sends_off_the_mesh;
    int64_t step;
    uint8_t heard[NODES][DIRECTIONS];
    struct word word[NODES][DIRECTIONS];
};

static bool has_neighbour(struct site site, enum direction side)
{
    switch (side) {
    case NORTH:
        return site.row > 0;
    case SOUTH:
        return site.row + 1 < ROWS;
    case WEST:
        return site.col > 0;
    default:
        return site.col + 1 < COLS;
    }
}

/* Every node hears all sides, then says its index, the side and the step on every side. */
static void talk_on_row(void *context, struct word_port *port, uint32_t row, uint64_t step)
{
    struct talk *talk = context;
    (void)step;
    for (uint32_t i = row * COLS; i < (row + 1) * COLS; i++) {
        struct site site = {i, i / COLS, i % COLS};
        for (int d = 0; d < DIRECTIONS; d++) {
            enum direction side = (enum direction)d;
            struct word word = {.value = i * 4 + side, .extra = talk->step};
            talk->heard[i][d] = word_received(port, site, side, &talk->word[i][d]);
            if (talk->sends && has_neighbour(site, side))
                word_send(port, site, side, word);
            if (talk->sends_twice && i == 5 && side == SOUTH)
                word_send(port, site, side, word);
            if (talk->sends_off_the_mesh && !has_neighbour(site, side))
                word_send(port, site, side, word);
        }
    }
}

static void start(struct machine_run *run, uint32_t threads)
{
    run_start(run, ROWS, COLS, (struct machine_config){.threads = threads});
    machine_begin_phase(run->machine, "talk");
    ck_assert_int_eq(machine_prepare_words(run->machine, NULL), FAIL_NONE);
}

/* Each node must have heard from every neighbour what it said in `step`; -1: nothing at all. */
static void check_heard(const struct talk *talk, int64_t step)
{
    static const int away[DIRECTIONS] = {-COLS, COLS, -1, 1};
    for (uint32_t i = 0; i < NODES; i++) {
        for (int d = 0; d < DIRECTIONS; d++) {
            struct site site = {i, i / COLS, i % COLS};
            bool expected = step >= 0 && has_neighbour(site, (enum direction)d);
            ck_assert_uint_eq(talk->heard[i][d], expected);
            if (!expected)
                continue;
            int64_t from = (int64_t)i + away[d];
            ck_assert_int_eq(talk->word[i][d].value,
                             from * 4 + (int)direction_opposite((enum direction)d));
            ck_assert_int_eq(talk->word[i][d].extra, step);
        }
    }
}

/* links of the mesh, both ways */
enum { LINKS = 2 * (ROWS * (COLS - 1) + (ROWS - 1) * COLS) };

/* a word is heard in the step after it was sent, by the neighbour on that side, once */
START_TEST(heard_a_step_later)
{
    struct machine_run run;
    struct talk talk = {.sends = true};
    start(&run, _i == 0 ? 1 : 3);
    for (talk.step = 0; talk.step < 5; talk.step++) {
        machine_word_steps(run.machine, 1, talk_on_row, &talk, NULL);
        check_heard(&talk, talk.step - 1);
    }
    talk.sends = false;
    machine_word_steps(run.machine, 1, talk_on_row, &talk, NULL);
    check_heard(&talk, 4);
    machine_word_steps(run.machine, 1, talk_on_row, &talk, NULL);
    check_heard(&talk, -1);
    ck_assert_uint_eq(machine_counts(run.machine)->steps, 7);
    ck_assert_uint_eq(machine_counts(run.machine)->word_hops, 5 * LINKS);
    run_audit(&run);
    run_end(&run);
}
END_TEST

/* reading after the last step costs no step and hears that step's words */
START_TEST(read_costs_nothing)
{
    struct machine_run run;
    struct talk talk = {.sends = true};
    start(&run, 1);
    machine_word_steps(run.machine, 1, talk_on_row, &talk, NULL);
    talk.sends = false;
    machine_word_read(run.machine, 1, talk_on_row, &talk);
    check_heard(&talk, 0);
    ck_assert_uint_eq(machine_counts(run.machine)->steps, 1);
    ck_assert_uint_eq(machine_counts(run.machine)->word_hops, LINKS);
    run_end(&run);
}
END_TEST

/* a new kernel does not hear the words of the one before */
START_TEST(forgotten_between_kernels)
{
    for (int steps = 1; steps <= 2; steps++) {
        struct machine_run run;
        struct talk talk = {.sends = true};
        start(&run, 1);
        for (int i = 0; i < steps; i++)
            machine_word_steps(run.machine, 1, talk_on_row, &talk, NULL);
        ck_assert_int_eq(machine_prepare_words(run.machine, NULL), FAIL_NONE);
        talk.sends = false;
        machine_word_steps(run.machine, 1, talk_on_row, &talk, NULL);
        check_heard(&talk, -1);
        run_end(&run);
    }
}
END_TEST

/* packets may be at rest while words cross, in a phase "sync" too: nothing of them changes */
START_TEST(words_beside_packets)
{
    struct machine_run run;
    struct talk talk = {.sends = true};
    run_start(&run, ROWS, COLS, (struct machine_config){.slots = 1, .buffer = 1});
    run_inject_target(&run, 5, 0, false);
    machine_begin_phase(run.machine, "sync");
    ck_assert_int_eq(machine_prepare_words(run.machine, NULL), FAIL_NONE);
    machine_word_steps(run.machine, 1, talk_on_row, &talk, NULL);
    ck_assert_uint_eq(machine_counts(run.machine)->sync_steps, 1);
    ck_assert_uint_eq(machine_counts(run.machine)->packet_hops, 0);
    ck_assert_uint_eq(machine_resting(run.machine), 1);
    ck_assert_uint_eq(machine_first_resting(run.machine, 5), 0);
    run_audit(&run);
    run_end(&run);
}
END_TEST

/* sending twice over a link, off the mesh, while reading, or unprepared stops the program */
START_TEST(refused)
{
    struct machine_run run;
    struct talk talk = {.sends = _i != 2, .sends_twice = _i == 0, .sends_off_the_mesh = _i == 1};
    start(&run, 1);
    unlink(run.path);
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    if (_i == 3) {
        machine_word_read(run.machine, 1, talk_on_row, &talk);
    } else if (_i == 2) {
        struct machine_config config = {.mesh = {ROWS, COLS}, .threads = 1};
        struct machine *unprepared = machine_create(&config, NULL);
        machine_begin_phase(unprepared, "talk");
        machine_word_steps(unprepared, 1, talk_on_row, &talk, NULL);
    } else {
        machine_word_steps(run.machine, 1, talk_on_row, &talk, NULL);
    }
}
END_TEST

/* ---- many steps at once ---- */

/* A game in which a node's register decides what it says and to whom, and what it hears the register;
 * nothing is forgotten, so one word too early or too late changes all that follows near it. */
struct game {
    struct mesh mesh;
    uint64_t *node;  /* a register each */
    uint64_t *heard; /* by arrays alone: [node][side], 0: nothing */
    uint64_t words;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
    return (a ^ a >> 29) | 1;
}

static bool says(const struct game *game, uint32_t row, uint32_t col, enum direction side)
{
    const bool is_edge[] = {row == 0, row + 1 == game->mesh.rows, col == 0,
                            col + 1 == game->mesh.cols};
    return !is_edge[side] && game->node[row * game->mesh.cols + col] >> (8 + side) & 1;
}

static void play_row(void *context, struct word_port *port, uint32_t row, uint64_t step)
{
    struct game *game = context;
    for (uint32_t col = 0; col < game->mesh.cols; col++) {
        struct site site = {row * game->mesh.cols + col, row, col};
        uint64_t *own = &game->node[site.index];
        struct word word;
        for (enum direction d = 0; d < DIRECTIONS; d++)
            *own = mix(*own, word_received(port, site, d, &word) ? (uint64_t)word.value : step);
        for (enum direction d = 0; d < DIRECTIONS; d++)
            if (says(game, row, col, d))
                word_send(port, site, d, (struct word){(int64_t)mix(*own, d), 0});
    }
}

/* The same without a machine: all registers, then all words. */
static void play_by_arrays(struct game *game, uint64_t step)
{
    const int away[] = {-(int)game->mesh.cols, (int)game->mesh.cols, -1, 1};
    uint32_t nodes = mesh_nodes(game->mesh);
    for (uint32_t i = 0; i < nodes; i++)
        for (int d = 0; d < DIRECTIONS; d++) {
            uint64_t *heard = &game->heard[i * DIRECTIONS + (uint32_t)d];
            game->node[i] = mix(game->node[i], *heard != 0 ? *heard : step);
            *heard = 0;
        }
    for (uint32_t i = 0; i < nodes; i++)
        for (enum direction d = 0; d < DIRECTIONS; d++)
            if (says(game, i / game->mesh.cols, i % game->mesh.cols, d)) {
                uint32_t to = (uint32_t)((int)i + away[d]);
                game->heard[to * DIRECTIONS + direction_opposite(d)] = mix(game->node[i], d);
                game->words++;
            }
}

/* however many steps rows go through at once, on however many threads, each hears what was said to it
 * in the step before */
START_TEST(many_steps)
{
    static const struct mesh meshes[] = {{1, 9}, {2, 5}, {7, 3}, {37, 4}, {70, 2}};
    static const uint64_t turns[] = {1, 3, 16, 40, 17};
    struct mesh mesh = meshes[_i / 4];
    uint32_t nodes = mesh_nodes(mesh), threads = 1 + (uint32_t)_i % 4;
    struct machine_config config = {.mesh = mesh, .threads = threads, .kernel = "test"};
    struct game game = {.mesh = mesh}, plain = {.mesh = mesh};
    struct machine *machine = machine_create(&config, NULL);
    game.node = calloc(nodes, sizeof *game.node);
    plain.node = calloc(nodes, sizeof *plain.node);
    plain.heard = calloc((size_t)nodes * DIRECTIONS, sizeof *plain.heard);
    for (uint32_t i = 0; i < nodes; i++)
        game.node[i] = plain.node[i] = mix(i, 7);
    ck_assert_ptr_nonnull(machine);
    for (int turn = 0; turn < 5; turn++) {
        machine_begin_phase(machine, "game");
        ck_assert_int_eq(machine_prepare_words(machine, NULL), FAIL_NONE);
        memset(plain.heard, 0, (size_t)nodes * DIRECTIONS * sizeof *plain.heard);
        machine_word_steps(machine, turns[turn], play_row, &game, NULL);
        for (uint64_t step = 1; step <= turns[turn]; step++)
            play_by_arrays(&plain, step);
        ck_assert_mem_eq(game.node, plain.node, nodes * sizeof *game.node);
        ck_assert_uint_eq(machine_counts(machine)->word_hops, plain.words);
    }
    ck_assert_uint_eq(machine_counts(machine)->steps, 1 + 3 + 16 + 40 + 17);
    machine_free(machine);
    free(game.node);
    free(plain.node);
    free(plain.heard);
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
    machine_word_steps(machine, 2, pass_wrongly, &wrong, NULL);
}
END_TEST

Suite *word_suite(void)
{
    Suite *suite = suite_create("word");
    TCase *tests = tcase_create("word");
    tcase_add_loop_test(tests, heard_a_step_later, 0, 2);
    tcase_add_test(tests, read_costs_nothing);
    tcase_add_test(tests, forgotten_between_kernels);
    tcase_add_test(tests, words_beside_packets);
    tcase_add_loop_test(tests, many_steps, 0, 5 * 4);
    if (tests_fork())
        tcase_add_loop_test_raise_signal(tests, refused, SIGABRT, 0, 4);
    if (tests_fork())
        tcase_add_loop_test_raise_signal(tests, not_passed_on, SIGABRT, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
