/* test_express_unwatched.c - express packets where nobody watches, who glide, beside the plain way
 * through the same calls, which is taken where somebody does: after each call both must stand alike.
 */
#include "base/pcg.h"
#include "machine/attempt.h"
#include "test/length.h"
#include "test/machine/express_scene.h"

#include <check.h>

Suite *express_unwatched_suite(void);

/* The same packets twice: watched, and not. */
struct both {
    struct express_scene *plain, *fast;
    struct mesh mesh;
};

static struct both both_make(struct mesh mesh, struct machine_config config, uint32_t slots)
{
    struct both both = {express_make(mesh.rows, mesh.cols, config),
                        express_make_unwatched(mesh.rows, mesh.cols, config), mesh};
    both.plain->slots = both.fast->slots = slots;
    return both;
}

static void both_end(struct both *both)
{
    for (uint32_t slot = 0; slot < both->plain->run.slots; slot++)
        ck_assert_uint_eq(machine_delivered_at(both->plain->run.machine, slot),
                          machine_delivered_at(both->fast->run.machine, slot));
    express_end(both->plain);
    express_end(both->fast);
}

static uint32_t both_add(struct both *both, node_index source, node_index target, uint32_t count,
                         const node_index *to)
{
    uint32_t packet = express_add(both->plain, source, target, count, to);
    ck_assert_uint_eq(express_add(both->fast, source, target, count, to), packet);
    return packet;
}

static void both_go(struct both *both, bool wake, uint64_t limit)
{
    express_must_go(both->plain, wake, limit);
    express_must_go(both->fast, wake, limit);
    const struct machine *plain = both->plain->run.machine, *fast = both->fast->run.machine;
    run_check_same(plain, fast);
    ck_assert_uint_eq(machine_own_peak(plain), machine_own_peak(fast));
    ck_assert_uint_eq(machine_resting(plain), machine_resting(fast));
    ck_assert_uint_eq(machine_travelling(plain), machine_travelling(fast));
    ck_assert_uint_eq(machine_counts(plain)->copies, machine_counts(fast)->copies);
    ck_assert_uint_eq(machine_counts(plain)->delivered, machine_counts(fast)->delivered);
    uint32_t different = 0;
    for (node_index node = 0; node < mesh_nodes(both->mesh); node++)
        different += machine_node_is_busy(plain, node) != machine_node_is_busy(fast, node) ||
                     machine_node_is_void(plain, node) != machine_node_is_void(fast, node);
    ck_assert_uint_eq(different, 0);
}

static node_index random_in_line(const struct both *both, struct pcg32 *random, node_index node)
{
    struct mesh mesh = both->mesh;
    struct site site = machine_site(both->plain->run.machine, node);
    if (pcg32_below(random, 2))
        return site.row * mesh.cols + pcg32_below(random, mesh.cols);
    return pcg32_below(random, mesh.rows) * mesh.cols + site.col;
}

/* Up to `most` express packets a node, of which some hand over a tree. */
static void add_random(struct both *both, uint32_t most, struct pcg32 *random)
{
    uint32_t nodes = mesh_nodes(both->mesh);
    for (node_index node = 0; node < nodes; node++)
        for (uint32_t i = pcg32_below(random, most + 1); i > 0; i--) {
            node_index to[4];
            uint32_t count = pcg32_below(random, nodes < 8 ? 2 : 5);
            for (uint32_t k = 0, from = pcg32_below(random, nodes); k < count; k++)
                to[k] = (from + k * (nodes / 4 + 1)) % nodes;
            uint32_t target = random_in_line(both, random, node),
                     rows_first = pcg32_below(random, 2);
            uint32_t packet = both_add(both, node, target, count, to);
            express_headers(both->plain)->packet[packet].state ^= (uint8_t)rows_first;
            express_headers(both->fast)->packet[packet].state ^= (uint8_t)rows_first;
        }
}

/* Who rests is to go elsewhere. */
static void turn_all(struct both *both, struct pcg32 *random)
{
    const struct machine *plain = both->plain->run.machine;
    for (node_index node = 0; node < mesh_nodes(both->mesh); node++)
        for (uint32_t packet = machine_first_resting(plain, node); packet != MACHINE_NONE;
             packet = machine_next_resting(plain, packet)) {
            node_place to = site_place(machine_site(plain, random_in_line(both, random, node)));
            express_headers(both->plain)->packet[packet].target = to;
            express_headers(both->fast)->packet[packet].target = to;
        }
}

/* random walks and trees, on meshes of less than a block, a block and more, in calls of any length,
 * woken while others are under way, for both costs of copies and any number of threads */
START_TEST(as_if_watched)
{
    static const struct mesh meshes[] = {{7, 7},  {1, 70}, {70, 1}, {5, 65}, {3, 130},
                                         {64, 3}, {2, 2},  {1, 2},  {9, 64}, {1, 1}};
    struct mesh mesh = meshes[_i];
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 2 : 6); i++) {
        struct pcg32 random = pcg32_seed(i, 130 + (uint64_t)_i);
        struct machine_config config = {.copy_is_free = i / 2 % 2, .threads = 1 + i % 3};
        config.threads = config.threads < mesh.rows ? config.threads : mesh.rows;
        struct both both = both_make(mesh, config, 1 + i / 3 % 2);
        add_random(&both, mesh_nodes(mesh) > 200 ? 2 : 6, &random);
        for (uint32_t leg = 0; leg < 8; leg++) {
            both_go(&both, true, 1 + pcg32_below(&random, leg % 3 == 0 ? 60 : 9));
            turn_all(&both, &random);
        }
        both_go(&both, false, 500);
        ck_assert_uint_eq(machine_travelling(both.fast->run.machine), 0);
        both_end(&both);
    }
}
END_TEST

/* of packets for the same link that with the farther stop goes first: those that set out behind
 * others that are under way, and those that come by */
START_TEST(farthest_first)
{
    struct both both = both_make((struct mesh){1, 100}, (struct machine_config){.threads = 1}, 1);
    static const uint32_t stops[] = {30, 40, 99};
    uint32_t packet[3];
    both_add(&both, 0, 40, 0, NULL);
    for (int i = 0; i < 3; i++)
        packet[i] = both_add(&both, 10, 10, 0, NULL);
    both_go(&both, true, 10); /* the first one leaves node 10 with the next step */
    for (int i = 0; i < 3; i++)
        express_headers(both.plain)->packet[packet[i]].target =
            express_headers(both.fast)->packet[packet[i]].target = stops[i];
    both_go(&both, true, 1);
    ck_assert(machine_node_is_busy(both.fast->run.machine, 10));
    ck_assert(machine_node_is_busy(both.fast->run.machine, 11));
    for (uint32_t i = 0; i < 4; i++)
        both_go(&both, false, 1);
    ck_assert(!machine_node_is_busy(both.fast->run.machine, 10));
    both_go(&both, false, 100);
    ck_assert_uint_eq(machine_resting(both.fast->run.machine), 4);
    both_end(&both);
}
END_TEST

/* packets that meet in a node are counted, also where none of them stops, and where they meet others
 * that rest */
START_TEST(peaks)
{
    for (node_index resting = 0; resting < 3; resting++) {
        struct both both = both_make((struct mesh){9, 9}, (struct machine_config){.threads = 2}, 1);
        for (node_index i = 0; i < resting; i++)
            both_add(&both, 40, 40, 0, NULL);
        both_add(&both, 4, 76, 0, NULL);
        both_add(&both, 76, 4, 0, NULL);
        both_add(&both, 36, 44, 0, NULL);
        both_add(&both, 44, 36, 0, NULL);
        both_go(&both, true, 20);
        ck_assert_uint_eq(machine_counts(both.fast->run.machine)->peak, 4 + resting);
        ck_assert_uint_eq(machine_counts(both.fast->run.machine)->peak_node, 40);
        ck_assert_uint_eq(machine_counts(both.fast->run.machine)->peak_step, 4);
        both_end(&both);
    }
}
END_TEST

/* the capacity holds for packets that glide, in the step in which they meet */
START_TEST(overflow)
{
    struct failure failure = {0};
    struct express_scene *scene =
        express_make_unwatched(3, 3, (struct machine_config){.buffer = 2, .threads = 1});
    express_add(scene, 1, 7, 0, NULL);
    express_add(scene, 3, 5, 0, NULL);
    express_add(scene, 5, 3, 0, NULL);
    ck_assert_int_eq(express_go(scene, true, 2, &failure), FAIL_CHECK);
    ck_assert_uint_eq(machine_counts(scene->run.machine)->steps, 1);
    ck_assert_uint_eq(machine_counts(scene->run.machine)->peak_node, 4);
    express_end(scene);
}
END_TEST

Suite *express_unwatched_suite(void)
{
    Suite *suite = suite_create("express_unwatched");
    TCase *tests = tcase_create("express_unwatched");
    tcase_add_loop_test(tests, as_if_watched, 0, 10);
    tcase_add_test(tests, farthest_first);
    tcase_add_test(tests, peaks);
    tcase_add_test(tests, overflow);
    suite_add_tcase(suite, tests);
    return suite;
}
