/* test_symmetries.c - plans of a set, and of the same set on the reflected, moved or turned network.
 *
 * Method: coordinates of source and destinations are mapped; all costs of both plans must be the same. Trees choose their
 * positive sides by the set, so reflections of a mesh change nothing; on tori they are defined with fixed sides, and only
 * translations are symmetries. Their rules take dimensions in order, so exchanging dimensions is none.
 */
#include "network/schemes/plan_cost.h"

#include "test/length.h"
#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *symmetries_suite(void);

/* A node's coordinate i becomes that of dimension turned[i], reflected, then moved. */
struct symmetry {
    uint32_t reflected, moved[TOPOLOGY_DIMENSIONS], turned[TOPOLOGY_DIMENSIONS];
};

static uint32_t image_of(const struct topology *topology, const struct symmetry *symmetry,
                         uint32_t node)
{
    uint32_t image = 0;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        uint32_t size = topology->shape.size[i];
        uint32_t at = topology_coordinate(topology, node, symmetry->turned[i]);
        at = symmetry->reflected >> i & 1 ? size - 1 - at : at;
        image += (at + symmetry->moved[i]) % size * topology->stride[i];
    }
    return image;
}

static int compare(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

static struct plan_costs costs_of(const struct scheme *scheme, const struct scheme_choices *choices,
                                  const struct topology *topology,
                                  const struct multicast *multicast)
{
    static struct plan_meter meter;
    struct plan_costs costs;
    struct failure failure = {0};
    struct plan plan = scheme_case_plan(scheme->name, choices, topology, multicast);
    ck_assert_int_eq(plan_measure(&meter, scheme, topology, multicast, &plan, &costs, &failure),
                     FAIL_NONE);
    plan_free(&plan);
    return costs;
}

static void check_same(const char *name, const struct scheme_choices *choices,
                       const struct topology *topology, const struct multicast *multicast,
                       const struct symmetry *symmetry)
{
    uint32_t destination[SCHEME_CASE_NODES];
    struct multicast image = {image_of(topology, symmetry, multicast->source),
                              multicast->destinations, destination, 1};
    const struct scheme *scheme = NULL;
    struct failure failure = {0};
    for (uint32_t i = 0; i < image.destinations; i++)
        destination[i] = image_of(topology, symmetry, multicast->destination[i]);
    qsort(destination, image.destinations, sizeof *destination, compare);
    ck_assert_int_eq(scheme_find(name, &scheme, &failure), FAIL_NONE);
    struct plan_costs one = costs_of(scheme, choices, topology, multicast);
    struct plan_costs other = costs_of(scheme, choices, topology, &image);
    for (uint32_t cost = 0; cost < PLAN_COSTS; cost++)
        ck_assert_msg(one.of[cost] == other.of[cost], "%s, %s from %u: %llu, from %u: %llu", name,
                      plan_cost_names[cost], multicast->source, (unsigned long long)one.of[cost],
                      image.source, (unsigned long long)other.of[cost]);
}

/* Draws a set; a third of them are small, and half of the others crowd the source's own rows. */
static struct multicast draw(const struct topology *topology, struct pcg32 *random,
                             uint32_t *destination)
{
    uint32_t nodes = topology->nodes, kind = pcg32_below(random, 3), kept = 0;
    struct multicast multicast = {pcg32_below(random, nodes), 0, destination, 1};
    uint32_t k = 1 + pcg32_below(random, kind == 0 ? 8 : nodes - 1);
    multicast.destinations =
        route_walk_destinations(random, nodes, multicast.source, k, destination);
    for (uint32_t i = 0; i < multicast.destinations; i++) {
        bool is_on_cut = kind < 2 || i == 0;
        for (uint32_t d = 0; d < topology->shape.dimensions; d++)
            is_on_cut |= topology_coordinate(topology, destination[i], d) ==
                         topology_coordinate(topology, multicast.source, d);
        if (is_on_cut)
            destination[kept++] = destination[i];
    }
    multicast.destinations = kept;
    return multicast;
}

/* Checks all words of all parameters. */
static void check_all_words(const char *name, const struct topology *topology,
                            const struct multicast *multicast, const struct symmetry *symmetry)
{
    const struct scheme *scheme = NULL;
    struct failure failure = {0};
    struct scheme_choices choices = {{0}};
    ck_assert_int_eq(scheme_find(name, &scheme, &failure), FAIL_NONE);
    do {
        check_same(name, &choices, topology, multicast, symmetry);
    } while (scheme_case_next_choices(scheme, &choices));
}

/* Reflected meshes, from all sources: trees with all words, column, and x-first unicasts cost the same. */
START_TEST(reflections)
{
    static const char *const meshes[] = {"mesh:9",     "mesh:4x4",     "mesh:5x7",
                                         "mesh:3x4x5", "mesh:2x3x3x4", "mesh:10x10"};
    static const char *const schemes[] = {"vh", "diag", "dds", "min"};
    struct topology topology = route_walk_topology(meshes[_i]);
    uint32_t destination[SCHEME_CASE_NODES], n = topology.shape.dimensions;
    for (uint32_t number = 0; number < (TEST_IS_SHORT ? 100 : 3000); number++) {
        struct pcg32 random = pcg32_seed(41, number);
        struct multicast multicast = draw(&topology, &random, destination);
        struct symmetry symmetry = {.reflected = 1 + number % ((1u << n) - 1),
                                    .turned = {0, 1, 2, 3}};
        struct scheme_choices first = {{0}};
        for (int t = 0; t < 4; t++)
            check_all_words(schemes[t], &topology, &multicast, &symmetry);
        check_same("unicast", &first, &topology, &multicast, &symmetry);
        if (n == 2)
            check_same("column", &first, &topology, &multicast, &symmetry);
    }
}
END_TEST

/* Tori that are moved round their rings, by any distances: trees with all words and x-first unicasts cost the same. */
START_TEST(translations)
{
    static const char *const tori[] = {"torus:9", "torus:4x6", "torus:5x8", "torus:3x4x5"};
    static const char *const schemes[] = {"vh", "diag", "dds", "min"};
    struct topology topology = route_walk_topology(tori[_i]);
    uint32_t destination[SCHEME_CASE_NODES];
    for (uint32_t number = 0; number < (TEST_IS_SHORT ? 60 : 3000); number++) {
        struct pcg32 random = pcg32_seed(42, number);
        struct multicast multicast = draw(&topology, &random, destination);
        struct symmetry symmetry = {.turned = {0, 1, 2}};
        struct scheme_choices first = {{0}};
        for (uint32_t i = 0; i < topology.shape.dimensions; i++)
            symmetry.moved[i] = pcg32_below(&random, topology.shape.size[i]);
        for (int t = 0; t < 4; t++) {
            struct scheme_choices choices = {{number % 2, number / 2 % 2, t > 0 ? number % 3 : 0}};
            check_same(schemes[t], &choices, &topology, &multicast, &symmetry);
        }
        check_same("unicast", &first, &topology, &multicast, &symmetry);
        check_same("u-mesh", &first, &topology, &multicast, &symmetry);
    }
}
END_TEST

/* Dimensions exchanged: unicasts cost the same. */
START_TEST(exchanges)
{
    struct topology topology = route_walk_topology("mesh:7x7");
    uint32_t destination[SCHEME_CASE_NODES];
    for (uint32_t number = 0; number < (TEST_IS_SHORT ? 100 : 3000); number++) {
        struct pcg32 random = pcg32_seed(43, number);
        struct multicast multicast = draw(&topology, &random, destination);
        struct symmetry symmetry = {.reflected = number % 4, .turned = {1, 0}};
        struct scheme_choices first = {{0}};
        check_same("unicast", &first, &topology, &multicast, &symmetry);
    }
}
END_TEST

/* The smallest set for which a fixed positive side cost more links, from a corner and from the opposite one; links by hand. */
START_TEST(corner_and_far_corner)
{
    static const char *const schemes[] = {"vh", "diag", "dds", "min"};
    static const uint64_t links[] = {7, 6, 4, 4};
    struct topology topology = route_walk_topology("mesh:4x4");
    uint32_t up[] = {12, 13}, down[] = {2, 3};
    struct multicast near = {0, 2, up, 1}, far = {15, 2, down, 1};
    struct scheme_choices first = {{0}};
    for (int i = 0; i < 4; i++) {
        const struct scheme *scheme = NULL;
        struct failure failure = {0};
        ck_assert_int_eq(scheme_find(schemes[i], &scheme, &failure), FAIL_NONE);
        ck_assert_uint_eq(costs_of(scheme, &first, &topology, &near).of[COST_TRAFFIC], links[i]);
        ck_assert_uint_eq(costs_of(scheme, &first, &topology, &far).of[COST_TRAFFIC], links[i]);
    }
}
END_TEST

Suite *symmetries_suite(void)
{
    Suite *suite = suite_create("symmetries");
    TCase *tests = tcase_create("symmetries");
    tcase_add_loop_test(tests, reflections, 0, 6);
    tcase_add_loop_test(tests, translations, 0, 4);
    tcase_add_test(tests, exchanges);
    tcase_add_test(tests, corner_and_far_corner);
    suite_add_tcase(suite, tests);
    return suite;
}
