/* test_many_messages.c - sets in which nodes send several messages: every router that takes them, on square, oblong and
 * odd meshes, and what the others say.
 */
#include "base/pcg.h"
#include "test/length.h"
#include "test/machine/light_cone.h"
#include "test/router_case.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *many_messages_suite(void);

static const struct mesh MESHES[] = {{8, 8},  {5, 7},   {12, 9}, {6, 1},
                                     {1, 11}, {16, 16}, {2, 2},  {1, 1}};
enum { MESH_COUNT = sizeof MESHES / sizeof *MESHES };

static const struct {
    const char *router, *parameters;
    uint32_t buffer;
} RUNS[] = {{"trees", NULL, 0},
            {"trees", "slots=1", 0},
            {"trees", NULL, 24},
            {"trees", "tree=near", 0},
            {"unicast", NULL, 0},
            {"unicast", "slots=3", 0},
            {"circulate", NULL, 0},
            {"replicate", NULL, 0},
            {"replicate", "prune=0", 0},
            {"replicate", NULL, 30},
            {"stream", NULL, 0},
            {"stream", "slots=2 spare=0", 0},
            {"random", NULL, 0},
            {"random", "variant=direct", 0},
            {"random", "variant=direct groups=tentative", 0},
            {"random", "r=1 groups=tentative", 0},
            {"random", "variant=paper r=2", 0},
            {"expander", NULL, 0},
            {"expander", "walk=0", 0},
            {"expander", "r=2 kappa=3 alpha=1 walk=1 rounds=1", 0},
            {"expander", "r=2 alpha=1 visits=fast walk=0", 0},
            {"expander", "r=2 alpha=1 visits=fast walk=1 rounds=0", 0}};
enum { RUN_COUNT = sizeof RUNS / sizeof *RUNS };

static struct router_case case_at(int index)
{
    struct router_case run = router_case_make(RUNS[index].router, RUNS[index].parameters);
    run.buffer = RUNS[index].buffer;
    return run;
}

/* How nodes send: all l messages, any number up to l, or a few nodes l and the others one. */
enum { ALL_MANY, SOME_MANY, FEW_MANY, KINDS };

static uint32_t draw_messages(struct pcg32 *random, int kind, uint32_t l)
{
    if (kind == ALL_MANY)
        return l;
    if (kind == SOME_MANY)
        return pcg32_below(random, l + 1);
    return pcg32_below(random, 5) == 0 ? l : 1;
}

/* Draws up to `most` different destinations, ascending. */
static uint64_t draw_destinations(struct pcg32 *random, uint32_t nodes, uint32_t most,
                                  node_index *destination)
{
    uint32_t wanted = 1 + pcg32_below(random, most < nodes ? most : nodes);
    uint64_t count = 0;
    for (uint32_t i = 0; i < wanted; i++)
        destination[i] = pcg32_below(random, nodes);
    message_set_sort_nodes(destination, wanted);
    for (uint32_t i = 0; i < wanted; i++)
        if (count == 0 || destination[count - 1] != destination[i])
            destination[count++] = destination[i];
    return count;
}

/* Messages of nodes as `kind` says, in any order; to at most d destinations each. */
static void draw_set(struct message_set *set, struct mesh mesh, int kind, uint32_t l, uint32_t d,
                     uint64_t seed)
{
    struct pcg32 random = pcg32_seed(seed, 45);
    uint32_t nodes = mesh_nodes(mesh), messages = 0;
    node_index *source = malloc((size_t)nodes * l * sizeof *source);
    node_index *destination = malloc(((size_t)nodes * l + 1) * d * sizeof *destination);
    uint64_t *offset = malloc(((size_t)nodes * l + 1) * sizeof *offset);
    ck_assert(source != NULL && destination != NULL && offset != NULL);
    for (node_index node = 0; node < nodes; node++)
        for (uint32_t left = draw_messages(&random, kind, l); left > 0; left--)
            source[messages++] = node;
    offset[0] = 0;
    for (uint32_t i = 0; i < messages; i++) {
        uint32_t other = i + pcg32_below(&random, messages - i);
        node_index first = source[other];
        source[other] = source[i];
        source[i] = first;
        offset[i + 1] = offset[i] + draw_destinations(&random, nodes, d, destination + offset[i]);
    }
    ck_assert_int_eq(
        message_set_allocate(set, shape_of_mesh(mesh), messages, offset[messages], NULL),
        FAIL_NONE);
    memcpy(set->source, source, messages * sizeof *source);
    memcpy(set->offset, offset, (messages + (size_t)1) * sizeof *offset);
    memcpy(set->destination, destination, offset[messages] * sizeof *destination);
    ck_assert_int_eq(message_set_fit_machine(set, "drawn", MEMORY_NO_LIMIT, NULL), FAIL_NONE);
    free(source);
    free(destination);
    free(offset);
}

/* All is delivered, the audit is clean, the capacity holds: l = 4 and 16, with both costs of copies. */
START_TEST(routes)
{
    struct router_case run = case_at(_i % RUN_COUNT);
    int kind = TEST_IS_SHORT ? _i % KINDS : _i / RUN_COUNT;
    for (int m = TEST_IS_SHORT ? _i % 2 : 0; m < MESH_COUNT; m += 1 + TEST_IS_SHORT)
        for (int copy = 0; copy < 2; copy++) {
            struct message_set set;
            struct router_result result;
            uint32_t l = (m + copy + kind) % 2 == 0 ? 4 : 16;
            draw_set(&set, MESHES[m], kind, l, 1 + (uint32_t)m * 3, (uint64_t)(_i + m));
            run.copy_is_free = copy == 1;
            router_case_check(&run, &set, &result);
            ck_assert_uint_eq(result.most_sent, message_set_most_sent(&set));
            if (result.buffer_capacity > 0)
                ck_assert_uint_le(result.buffer_peak, result.buffer_capacity);
            message_set_free(&set);
        }
}
END_TEST

/* The same bytes for every number of threads. */
START_TEST(threads)
{
    struct router_case run = case_at(_i);
    struct message_set set;
    draw_set(&set, (struct mesh){17, 9}, SOME_MANY, 6, 9, 3);
    for (int copy = 0; copy < 2; copy++) {
        struct router_result result, other;
        run.copy_is_free = copy == 1;
        run.threads = 1;
        char *trace = router_case_trace(&run, &set, &result, NULL);
        for (run.threads = 2; run.threads < 6; run.threads += 3) {
            char *again = router_case_trace(&run, &set, &other, NULL);
            ck_assert_str_eq(trace, again);
            ck_assert(router_case_same(&result, &other));
            free(again);
        }
        free(trace);
    }
    message_set_free(&set);
}
END_TEST

/* Draws other destinations for the messages of `node`, until l, c and d are the same as before. False: they never
 * are. */
static bool change_node(const struct message_set *base, node_index node, uint64_t seed,
                        struct message_set *set)
{
    struct pcg32 random = pcg32_seed(seed, 46);
    uint32_t nodes = mesh_nodes(base->mesh), degree = message_set_degree(base);
    for (int tries = 0; tries < 200; tries++) {
        node_index *destination =
            malloc((base->deliveries + (uint64_t)degree * base->messages) * sizeof *destination);
        ck_assert_ptr_nonnull(destination);
        uint64_t end = 0;
        ck_assert_int_eq(
            message_set_allocate(set, base->shape, base->messages, base->deliveries, NULL),
            FAIL_NONE);
        for (uint32_t i = 0; i < base->messages; i++) {
            uint64_t count = base->offset[i + 1] - base->offset[i];
            set->source[i] = base->source[i];
            set->offset[i] = end;
            if (base->source[i] == node)
                count = draw_destinations(&random, nodes, degree, destination + end);
            else
                memcpy(destination + end, base->destination + base->offset[i],
                       count * sizeof *destination);
            end += count;
        }
        set->offset[base->messages] = set->deliveries = end;
        free(set->destination);
        set->destination = destination;
        if (message_set_congestion(set) == message_set_congestion(base) &&
            message_set_degree(set) == degree)
            return true;
        message_set_free(set);
    }
    return false;
}

/* Where news of other destinations of a node's messages cannot have come, nothing changes. */
START_TEST(locality)
{
    struct router_case run = case_at(_i);
    static const struct mesh SIDES[] = {{11, 12}, {9, 9}, {1, 30}};
    for (size_t m = (size_t)_i % (1 + TEST_IS_SHORT); m < sizeof SIDES / sizeof *SIDES;
         m += 1 + TEST_IS_SHORT)
        for (int copy = 0; copy < 2; copy++) {
            struct message_set base, changed;
            char text[LIGHT_CONE_TEXT];
            node_index node = copy == 0 ? 0 : mesh_nodes(SIDES[m]) / 2;
            uint64_t end = SIDES[m].rows + SIDES[m].cols;
            size_t events;
            run.copy_is_free = copy == 1;
            draw_set(&base, SIDES[m], ALL_MANY, 5, 4, 7 + m);
            ck_assert(change_node(&base, node, m, &changed));
            char *trace = router_case_trace_before(&run, &base, end);
            char *other = router_case_trace_before(&run, &changed, end);
            bool agrees = light_cone_agrees(trace, other, SIDES[m], &node, 1, &events, text);
            ck_assert_msg(agrees && events > 0, "%s: %s", RUNS[_i].router, text);
            free(trace);
            free(other);
            message_set_free(&base);
            message_set_free(&changed);
        }
}
END_TEST

/* A tour each: l times the bound of one, and no more. */
START_TEST(circulate_takes_a_tour_each)
{
    struct router_case run = router_case_make("circulate", NULL);
    run.copy_is_free = true;
    for (uint32_t l = 2; l <= 8; l += 3) {
        struct message_set set;
        struct router_result result;
        draw_set(&set, (struct mesh){6, 8}, ALL_MANY, l, 20, l);
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.proven_steps, l * 24);
        ck_assert_uint_gt(result.steps, (l - 1) * 24);
        ck_assert_uint_eq(result.buffer_peak, 2);
        message_set_free(&set);
    }
}
END_TEST

/* c / l tiles: within 2 c + 16 packets, 3 more with unit copies, and without synchronisation within 1.5 S + 8 m steps with free
 * copies, where destinations are drawn. */
START_TEST(replicate_takes_fewer_tiles)
{
    struct router_case run = router_case_make("replicate", _i % 2 == 0 ? NULL : "prune=0");
    static const uint32_t L[] = {3, 4, 16};
    for (int i = _i % 2 * TEST_IS_SHORT; i < 3; i += 1 + TEST_IS_SHORT)
        for (int copy = 0; copy < 2; copy++) {
            struct message_set set;
            struct router_result result;
            uint32_t side = 12 + 5 * (uint32_t)i;
            draw_set(&set, (struct mesh){side, side + (uint32_t)_i % 3}, ALL_MANY, L[i], 24, 5);
            run.copy_is_free = copy == 1;
            router_case_check(&run, &set, &result);
            uint32_t c = result.congestion;
            ck_assert_uint_le(result.buffer_capacity, 2 * c + (copy == 1 ? 16 : 19));
            double root = sqrt((double)c * L[i] * side * (side + (uint32_t)_i % 3));
            if (copy == 1)
                ck_assert_double_le((double)(result.steps - result.sync_steps),
                                    1.5 * root + 8 * (side + 2));
            message_set_free(&set);
        }
}
END_TEST

/* l walks past c / l tiles, each in the buffers of one: 1.6 S + 4 m l steps without synchronisation, with free copies and tiles of
 * a side of 4 at least, where destinations are drawn. */
START_TEST(stream_walks_l_times)
{
    struct router_case run = router_case_make("stream", NULL);
    static const uint32_t L[] = {2, 4, 9};
    for (int i = 0; i < 3; i++)
        for (int copy = 0; copy < 2; copy++) {
            struct message_set set;
            struct router_result result;
            const uint32_t side = 24;
            draw_set(&set, (struct mesh){side, side}, ALL_MANY, L[i], 12, 5);
            run.copy_is_free = copy == 1;
            router_case_check(&run, &set, &result);
            ck_assert_uint_le(result.buffer_capacity, copy == 1 ? 14 : 17);
            double root = sqrt((double)result.congestion * L[i]) * side;
            if (copy == 1)
                ck_assert_double_le((double)(result.steps - result.sync_steps),
                                    1.6 * root + 4 * side * L[i]);
            ck_assert_uint_gt(result.sync_steps, 0);
            message_set_free(&set);
        }
}
END_TEST

/* Batches of one message a node for c / l tiles: within the goals of l = 1 with 10 m or 8 m for each batch, and in their
 * buffers, where destinations are drawn, with several seeds. */
START_TEST(batches_keep_the_goals)
{
    static const struct {
        const char *router, *parameters;
        double of_root, of_side;
        uint32_t capacity;
    } GOALS[] = {{"random", NULL, 12, 10, 12},
                 {"random", "variant=direct", 4, 10, 12},
                 {"expander", NULL, 2.5, 8, 16}};
    static const struct mesh SIDES[] = {{24, 24}, {21, 35}, {33, 20}};
    struct router_case run = router_case_make(GOALS[_i].router, GOALS[_i].parameters);
    for (uint32_t i = 0; i < 3; i++)
        for (int copy = 0; copy < 2; copy++) {
            struct message_set set;
            struct router_result result;
            struct mesh mesh = SIDES[i];
            uint32_t l = 2 + 3 * i, side = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
            draw_set(&set, mesh, (int)i, l, 12, 11 + i);
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
    static const char *const PARAMETERS[] = {
        NULL, "walk=0", "visits=fast walk=1 rounds=0 r=2 alpha=1", "r=2 kappa=3 alpha=1 walk=0"};
    static const struct mesh SIDES[] = {{16, 16}, {9, 17}, {15, 14}};
    struct router_case run = router_case_make("expander", PARAMETERS[_i]);
    for (uint32_t i = 0; i < 3; i++) {
        struct message_set set, packets;
        struct router_result one, many;
        const uint32_t l = 2 + i;
        draw_set(&set, SIDES[i], ALL_MANY, 1, 6, 20 + i);
        draw_set(&packets, SIDES[i], ALL_MANY, 1, 6, 20 + i);
        ck_assert_int_eq(message_set_sort_sources(&set, (uint32_t[2]){0, 0}, NULL), FAIL_NONE);
        ck_assert_int_eq(message_set_sort_sources(&packets, (uint32_t[2]){0, 0}, NULL), FAIL_NONE);
        packets.length = malloc(packets.messages * sizeof *packets.length);
        ck_assert_ptr_nonnull(packets.length);
        for (uint32_t k = 0; k < packets.messages; k++)
            packets.length[k] = l;
        ck_assert_int_eq(message_set_fit_machine(&packets, "t", MEMORY_NO_LIMIT, NULL), FAIL_NONE);
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

/* Who knows the seed makes attempts void with l messages a node, too: the next one delivers what is left, or
 * after four one that circulates with l n for its guess. */
START_TEST(void_attempts)
{
    enum { L = 32, AGAIN = 4 };
    const struct mesh mesh = {16, 16};
    struct router_case run = router_case_make("random", "variant=direct");
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

/* No node can find the congestion out by what it sends, where it may send several messages. */
START_TEST(congestion_is_known)
{
    struct router_case run = router_case_make("replicate", NULL);
    struct message_set set;
    struct router_result result;
    struct failure failure = {0};
    router_case_set(&set, "mcast 2 mesh 4 4\n0 1\n0 2\nend 2\n");
    run.congestion_is_unknown = true;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_USAGE);
    ck_assert_ptr_nonnull(
        strstr(failure.text, "nodes can guess the congestion where each sends one"));
    message_set_free(&set);
}
END_TEST

/* Messages of their own sources are delivered at step 0, wherever they stand in the file. */
START_TEST(own_messages)
{
    for (int i = 0; i < RUN_COUNT; i++) {
        struct router_case run = case_at(i);
        struct message_set set;
        struct router_result result;
        router_case_set(&set, "mcast 2 mesh 2 3\n4 4\n4 0 4\n4 4\n2 2\n4 4\nend 5\n");
        char *trace = router_case_trace(&run, &set, &result, NULL);
        for (int message = 0; message < 5; message++) {
            char line[32];
            snprintf(line, sizeof line, " %d %d\n", message == 3 ? 2 : 4, message);
            bool is_own = message != 1;
            const char *end = strstr(trace, "0 E");
            for (; end != NULL; end = strstr(end + 1, "0 E")) {
                unsigned node, packet, named;
                if (sscanf(end, "0 E %u %u %u", &node, &packet, &named) == 3 &&
                    (int)named == message && (end == trace || end[-1] == '\n'))
                    break;
            }
            ck_assert_msg((end != NULL) == is_own, "%s: message %d", RUNS[i].router, message);
        }
        free(trace);
        router_case_check(&run, &set, NULL);
        message_set_free(&set);
    }
}
END_TEST

/* Packets of one message are messages. */
START_TEST(packets)
{
    for (int i = 0; i < RUN_COUNT; i++) {
        struct router_case run = case_at(i);
        struct message_set set;
        struct router_result result;
        router_case_set(&set, "mcast 2 mesh 3 3\n0:9 8 4\n8:2 0\nend 2\n");
        ck_assert_int_eq(message_set_fit_machine(&set, "t", MEMORY_NO_LIMIT, NULL), FAIL_NONE);
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.most_sent, 9);
        ck_assert_uint_eq(result.congestion, 9);
        ck_assert_uint_eq(result.delivered, 20);
        message_set_free(&set);
    }
}
END_TEST

/* Routers that take one message a node refuse, and name those that take more. */
START_TEST(others_refuse)
{
    struct message_set set;
    router_case_set(&set, "mcast 2 mesh 8 8\n0 1\n0 2\nend 2\n");
    for (uint32_t i = 0; i < router_count(); i++) {
        struct router_case run = {.router = router_at(i)};
        struct router_result result;
        struct failure failure = {0};
        enum failure_kind kind = router_case_run(&run, &set, NULL, &result, &failure);
        ck_assert_int_eq(kind, router_takes_many(run.router) ? FAIL_NONE : FAIL_USAGE);
        if (kind == FAIL_USAGE)
            ck_assert_ptr_nonnull(strstr(failure.text, "takes one message a node, and a node of "
                                                       "this set sends 2; these routers take any "
                                                       "number: "));
    }
    message_set_free(&set);
}
END_TEST

Suite *many_messages_suite(void)
{
    Suite *suite = suite_create("many_messages");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, routes, 0, RUN_COUNT * (TEST_IS_SHORT ? 1 : KINDS));
    tcase_add_loop_test(tests, threads, 0, RUN_COUNT);
    tcase_add_loop_test(tests, locality, 0, RUN_COUNT);
    tcase_add_test(tests, circulate_takes_a_tour_each);
    tcase_add_loop_test(tests, replicate_takes_fewer_tiles, 0, 4);
    tcase_add_test(tests, stream_walks_l_times);
    tcase_add_loop_test(tests, batches_keep_the_goals, 0, 3);
    tcase_add_loop_test(tests, batches_of_one_set, 0, 4);
    tcase_add_loop_test(tests, void_attempts, 0, 2);
    tcase_add_test(tests, congestion_is_known);
    tcase_add_test(tests, own_messages);
    tcase_add_test(tests, packets);
    tcase_add_test(tests, others_refuse);
    suite_add_tcase(suite, tests);
    return suite;
}
