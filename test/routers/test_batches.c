/* test_batches.c - batches of one message per node: what is in them, and the runs of `random` and `expander` that they
 * make.
 */
#include "routers/batches.h"

#include "base/pcg.h"
#include "test/router_case.h"
#include "test/routers/drawn_set.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *batches_suite(void);

/* Each message is in one batch, and a batch has one of a node at most; those of a node follow each other in the set's
 * order, round the batches. For each seed; without one all nodes begin with batch 0. */
START_TEST(a_message_of_a_node)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct message_set set;
        struct batches batches;
        const uint32_t l = 1 + 3 * (uint32_t)seed;
        drawn_set_make(&set, (struct mesh){7, 6}, SOME_MANY, l, 3, seed);
        ck_assert_int_eq(message_set_leave_home(&set, NULL), FAIL_NONE);
        struct routing routing = {.set = &set, .most_sent = message_set_most_sent(&set)};
        ck_assert_int_eq(batches_make(&batches, &routing, _i == 0 ? &seed : NULL, NULL), FAIL_NONE);
        ck_assert_uint_eq(batches.count, l);
        ck_assert(l == 1 || routing.injection == INJECT_LATER);
        uint32_t *batch_of = malloc((set.messages + 1) * sizeof *batch_of), last[42];
        bool has_others = false;
        memset(batch_of, 0xff, (set.messages + 1) * sizeof *batch_of);
        memset(last, 0xff, sizeof last);
        for (uint32_t batch = 0; l > 1 && batch < l; batch++)
            for (uint32_t k = batches.start[batch]; k < batches.start[batch + 1]; k++) {
                ck_assert_uint_eq(batch_of[batches.message[k]], UINT32_MAX);
                batch_of[batches.message[k]] = batch;
            }
        for (uint32_t i = 0; l > 1 && i < set.messages; i++) {
            uint32_t *before = &last[set.source[i]];
            ck_assert_uint_lt(batch_of[i], l);
            if (*before != UINT32_MAX)
                ck_assert_uint_eq(batch_of[i], (*before + 1) % l);
            else if (_i == 1)
                ck_assert_uint_eq(batch_of[i], 0);
            has_others |= batch_of[i] != 0 && *before == UINT32_MAX;
            *before = batch_of[i];
        }
        if (l > 1) {
            ck_assert_uint_eq(batches.start[l], set.messages);
            ck_assert(has_others == (_i == 0));
        }
        free(batch_of);
        batches_free(&batches);
        message_set_free(&set);
    }
}
END_TEST

/* Whoever made the set: where all nodes have l messages in the same order, each for another node of the same l, a batch
 * has few for each of them, where the set's order has one from everybody. */
START_TEST(shares_are_even)
{
    enum { L = 64, SIDE = 16, NODES = SIDE * SIDE, C = NODES };
    struct message_set set;
    struct batches batches;
    ck_assert_int_eq(message_set_allocate(&set, shape_of_mesh((struct mesh){SIDE, SIDE}), NODES * L,
                                          NODES * L, NULL),
                     FAIL_NONE);
    for (uint32_t i = 0; i < NODES * L; i++) {
        set.source[i] = i / L;
        set.offset[i + 1] = i + 1;
        set.destination[i] = i % L + (i % L == i / L ? NODES / 2 : 0);
    }
    struct routing routing = {.set = &set, .most_sent = L, .congestion = C};
    ck_assert_uint_eq(batches_congestion(&routing), C / L);
    for (uint64_t seed = 0; seed < 5; seed++) {
        ck_assert_int_eq(batches_make(&batches, &routing, &seed, NULL), FAIL_NONE);
        uint32_t most = 0;
        for (uint32_t batch = 0; batch < L; batch++) {
            uint32_t received[NODES] = {0};
            for (uint32_t k = batches.start[batch]; k < batches.start[batch + 1]; k++) {
                uint32_t count = ++received[set.destination[batches.message[k]]];
                most = count > most ? count : most;
            }
        }
        ck_assert_uint_le(most, 20); /* a mean of 4: 4096 tails of 10^-8 */
        batches_free(&batches);
    }
    message_set_free(&set);
}
END_TEST

/* Batches of one message per node for c / l tiles: within the goals of l = 1 with 10 m or 8 m for each batch, and in their
 * buffers, where destinations are drawn, with several seeds. */
START_TEST(batches_keep_the_goals)
{
    static const struct {
        const char *router, *parameters;
        double of_root, of_side;
        uint32_t capacity;
    } GOALS[] = {{"random", NULL, 4, 10, 12}, {"expander", NULL, 2.5, 8, 16}};
    static const struct mesh SIDES[] = {{24, 24}, {21, 35}, {33, 20}};
    struct router_case run = router_case_make(GOALS[_i].router, GOALS[_i].parameters);
    for (uint32_t i = 0; i < 3; i++)
        for (int copy = 0; copy < 2; copy++) {
            struct message_set set;
            struct router_result result;
            struct mesh mesh = SIDES[i];
            uint32_t l = 2 + 3 * i, side = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
            drawn_set_make(&set, mesh, (enum drawn_kind)i, l, _i == 0 ? 4 : 12, 11 + i);
            run.copy_is_free = copy == 1;
            run.seed = i;
            router_case_check(&run, &set, &result);
            ck_assert_str_eq(result.ran_as, "");
            if (mesh.rows == mesh.cols)
                ck_assert_uint_le(result.buffer_capacity, GOALS[_i].capacity + (copy ? 0 : 7));
            double root = sqrt((double)result.congestion * l * mesh_nodes(mesh));
            double goal = GOALS[_i].of_root * root + GOALS[_i].of_side * side * l;
            ck_assert_double_le((double)(result.steps - result.sync_steps),
                                copy == 1 ? goal : 1.6 * goal);
            message_set_free(&set);
        }
}
END_TEST

/* Each message as l packets: all batches of `expander`, which draws nothing, are the set of one, and take its steps. */
START_TEST(batches_of_one_set)
{
    static const char *const PARAMETERS[] = {NULL, "walk=0", "r=3 alpha=1 walk=0"};
    static const struct mesh SIDES[] = {{16, 16}, {9, 17}, {15, 14}};
    struct router_case run = router_case_make("expander", PARAMETERS[_i]);
    for (uint32_t i = 0; i < 3; i++) {
        struct message_set set, packets;
        struct router_result one, many;
        const uint32_t l = 2 + i;
        drawn_set_make(&set, SIDES[i], ALL_MANY, 1, 6, 20 + i);
        drawn_set_make(&packets, SIDES[i], ALL_MANY, 1, 6, 20 + i);
        ck_assert_int_eq(message_set_sort_sources(&set, (uint32_t[2]){0, 0}, NULL), FAIL_NONE);
        ck_assert_int_eq(message_set_sort_sources(&packets, (uint32_t[2]){0, 0}, NULL), FAIL_NONE);
        packets.length = malloc(packets.messages * sizeof *packets.length);
        ck_assert_ptr_nonnull(packets.length);
        for (uint32_t k = 0; k < packets.messages; k++)
            packets.length[k] = l;
        ck_assert_int_eq(message_set_fit_machine(&packets, "t", NULL), FAIL_NONE);
        run.copy_is_free = i % 2 == 0;
        router_case_check(&run, &set, &one);
        router_case_check(&run, &packets, &many);
        ck_assert_uint_eq(many.most_sent, l);
        ck_assert_uint_eq(many.congestion, l * one.congestion);
        ck_assert_uint_ge(one.congestion, 4);
        ck_assert_str_eq(many.ran_as, "");
        ck_assert_uint_eq(many.steps, l * one.steps);
        ck_assert_uint_eq(many.buffer_peak, one.buffer_peak);
        ck_assert_uint_eq(many.buffer_capacity, one.buffer_capacity);
        message_set_free(&set);
        message_set_free(&packets);
    }
}
END_TEST

/* The batch with which `node` begins, and the seed of attempt 1, 2, ..: batches.c, attempts.c. */
static uint32_t first_batch(uint64_t seed, node_index node, uint32_t l)
{
    return (uint32_t)((uint64_t)pcg32_at(seed, 0x62617463, node) * l >> 32);
}

/* A batch whose walk is in vain after one whose walk was not: it is injected again, the first is not, and the third does
 * without a walk. Node 0 has a message in each batch, all others have theirs in the last two. */
START_TEST(walk_in_vain)
{
    enum { SIDE = 16, NODES = SIDE * SIDE, L = 3, DEGREE = 16, SEED = 1 };
    char *text = malloc(NODES * (L + 1) * (DEGREE + 1) * 8), *at = text;
    struct message_set set;
    struct router_result result;
    struct router_case run = router_case_make("expander", "walk=1");
    ck_assert_ptr_nonnull(text);
    at += sprintf(at, "mcast 2 mesh %d %d\n0 1\n0 1\n0 1\n", SIDE, SIDE);
    for (uint32_t node = 1; node < NODES; node++) {
        uint32_t first = first_batch(SEED, node, L);
        for (uint32_t k = 0; k < 2 && first != 0 && first + k < L; k++) {
            at += sprintf(at, "%u", node);
            for (uint32_t i = 0; i < DEGREE; i++)
                at += sprintf(at, " %u", (node * 7 + i * 13 + k) % NODES);
            *at++ = '\n';
        }
    }
    *at = '\0';
    router_case_set(&set, text);
    free(text);
    for (int is_free = 0; is_free < 2; is_free++) {
        uint32_t walks = 0, injections = 0, replicas = 0;
        run.copy_is_free = is_free;
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.most_sent, L);
        for (uint32_t i = 0; i < result.phases; i++) {
            walks += strcmp(result.phase[i].name, "scatter") == 0;
            injections += strcmp(result.phase[i].name, "inject") == 0;
            replicas += strcmp(result.phase[i].name, "make replicas (class 1 phase 1)") == 0;
        }
        ck_assert_uint_eq(walks, 2);
        ck_assert_uint_eq(injections, 1);
        ck_assert_uint_eq(replicas, 2);
        ck_assert_uint_le(result.steps, result.proven_steps);
    }
    message_set_free(&set);
}
END_TEST

static uint64_t seed_of_attempt(uint64_t seed, uint32_t attempt)
{
    if (attempt == 1)
        return seed;
    return (uint64_t)pcg32_at(seed, 0x5eed, 2 * attempt) << 32 |
           pcg32_at(seed, 0x5eed, 2 * attempt + 1);
}

/* A set against the batches of the first `attempts` attempts with `seed`: in each of these all nodes have their messages
 * of the first batch for two nodes of a row, all others for anybody. */
static void crowd_set(struct message_set *set, struct mesh mesh, uint32_t l, uint64_t seed,
                      uint32_t attempts)
{
    enum { CROWDED = 2 };
    uint32_t nodes = mesh_nodes(mesh), messages = nodes * l;
    ck_assert_int_eq(message_set_allocate(set, shape_of_mesh(mesh), messages, messages, NULL),
                     FAIL_NONE);
    for (uint32_t i = 0; i < messages; i++) {
        node_index node = i / l;
        set->source[i] = node;
        set->offset[i + 1] = i + 1;
        set->destination[i] = (node + 1 + i % l * 7) % nodes;
        for (uint32_t attempt = 1; attempt <= attempts; attempt++)
            if ((first_batch(seed_of_attempt(seed, attempt), node, l) + i % l) % l == 0)
                set->destination[i] = (attempt * 3 + 1) * mesh.cols + node % CROWDED;
        if (set->destination[i] == node)
            set->destination[i] = nodes - 1 - node;
    }
}

/* Who knows the seed makes attempts void with l messages per node, too: the next one delivers what is left, or
 * after four one that circulates with l n for its guess. */
START_TEST(void_attempts)
{
    enum { L = 32, AGAIN = 4 };
    const struct mesh mesh = {32, 32};
    struct router_case run = router_case_make("random", NULL);
    struct message_set set;
    struct router_result result, other;
    uint32_t voids = _i == 0 ? 1 : AGAIN;
    run.copy_is_free = true;
    run.seed = 5;
    crowd_set(&set, mesh, L, run.seed, voids);
    router_case_check(&run, &set, &result);
    ck_assert_uint_eq(result.most_sent, L);
    ck_assert_uint_eq(result.attempts, voids + 1);
    ck_assert_str_eq(result.ran_as, voids == AGAIN ? "circulate" : "");
    if (voids == AGAIN)
        ck_assert_uint_eq(result.attempt[AGAIN].congestion, L * mesh_nodes(mesh));
    for (uint32_t i = 0; i < result.attempts; i++)
        ck_assert_uint_le(result.attempt[i].buffer_peak, result.attempt[i].buffer_capacity);
    run.threads = 3;
    char *trace = router_case_trace(&run, &set, &other, NULL);
    ck_assert(router_case_same(&result, &other));
    free(trace);
    message_set_free(&set);
}
END_TEST

Suite *batches_suite(void)
{
    Suite *suite = suite_create("batches");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, a_message_of_a_node, 0, 2);
    tcase_add_test(tests, shares_are_even);
    tcase_add_loop_test(tests, batches_keep_the_goals, 0, 2);
    tcase_add_loop_test(tests, batches_of_one_set, 0, 3);
    tcase_add_test(tests, walk_in_vain);
    tcase_add_loop_test(tests, void_attempts, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
