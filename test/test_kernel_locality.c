/* test_kernel_locality.c - no kernel's node acts on what it cannot know.
 *
 * Method: two runs of one kernel whose inputs differ at few nodes, because load and pattern belong
 * to the input and no node knows them (primitives/kernel_row.h): loads of L and L + 1 percent
 * differ in the few nodes that only the greater one fills, and two fixed patterns in the nodes that
 * only one of them moves. Their traces must agree wherever no news of these nodes can have arrived.
 *
 * Oracle: the light cone (test/light_cone.h); the nodes that differ come from kernel_targets.
 */
#include "test/kernel_subject.h"
#include "test/light_cone.h"
#include "workloads/permutation.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 2048 };

/* Copy 0 of the input; an array to be freed. */
static node_index *targets_of(const struct kernel_options *options)
{
    struct failure failure = {0};
    struct kernel_case run = {.options = options, .nodes = mesh_nodes(options->mesh)};
    node_index *target = memory_allocate(run.nodes, sizeof *target);
    ck_assert_int_eq(tessellation_make(&run.tiles, options->mesh, options->tiles, &failure),
                     FAIL_NONE);
    ck_assert_int_eq(kernel_targets(&run, 0, target, &failure), FAIL_NONE);
    tessellation_free(&run.tiles);
    return target;
}

/* The nodes at which the two inputs differ. With random patterns the loads alone may differ, so
 * that all copies differ at the same nodes as the first. */
static size_t changed_nodes(const struct kernel_options *one, const struct kernel_options *other,
                            node_index changed[MOST_NODES])
{
    node_index *target = targets_of(one), *another = targets_of(other);
    size_t count = 0;
    for (node_index v = 0; v < mesh_nodes(one->mesh); v++)
        if (target[v] != another[v])
            changed[count++] = v;
    free(target);
    free(another);
    return count;
}

/* Runs both and compares; the number of events that were. */
static size_t compare(struct kernel_subject subject, const struct kernel_options *one,
                      const struct kernel_options *other, const node_index *changed, size_t count)
{
    struct kernel_result result;
    char *text = kernel_subject_trace(subject, *one, &result);
    char *another = kernel_subject_trace(subject, *other, &result);
    char difference[LIGHT_CONE_TEXT];
    size_t events = 0;
    ck_assert_msg(light_cone_agrees(text, another, one->mesh, changed, count, &events, difference),
                  "%s method=%s k=%u, %llu tiles, loads %u and %u, patterns %s and %s: %s",
                  subject.row->shown.name, one->method, one->k, (unsigned long long)one->tiles,
                  one->load, other->load, one->pattern->name, other->pattern->name, difference);
    free(text);
    free(another);
    return events;
}

static struct kernel_options options_for(struct kernel_subject subject, int k)
{
    uint32_t used = kernel_subject_k(subject, k);
    return kernel_subject_options(subject, (struct mesh){18, 22},
                                  used != 0 ? used : kernel_subject_k(subject, 0));
}

/* The first load from `load` on that one percent more makes one to four nodes hold more. */
static size_t next_pair(struct kernel_options *one, struct kernel_options *other,
                        node_index changed[MOST_NODES])
{
    size_t count = 0;
    for (; one->load < 100; one->load++) {
        *other = *one;
        other->load++;
        count = changed_nodes(one, other, changed);
        if (count >= 1 && count <= 4)
            break;
    }
    return one->load < 100 ? count : 0;
}

/* A packet more or less at a few nodes changes nothing outside their light cone. */
START_TEST(few_packets_more)
{
    static const uint64_t tiles[] = {1, 4, 16};
    struct kernel_subject subject = kernel_subject_at(_i);
    node_index changed[MOST_NODES];
    size_t pairs = 0, events = 0;
    if (!kernel_subject_takes_loads(subject))
        return;
    for (int k = 0; k <= 3; k += 3) {
        struct kernel_options one = options_for(subject, k), other;
        for (one.seed = 0; one.seed < 6; one.seed++) {
            one.tiles = tiles[one.seed % 3];
            one.copy_is_free = one.seed % 2 == 1;
            for (one.load = 20; one.load < 100; one.load += 20) {
                size_t count = next_pair(&one, &other, changed);
                if (count == 0)
                    break;
                events += compare(subject, &one, &other, changed, count);
                pairs++;
            }
        }
    }
    ck_assert_uint_ge(pairs, 6);
    ck_assert_uint_gt(events, 1000);
}
END_TEST

/* Pairs of patterns that agree on most nodes. */
static const char *const PAIRS[][2] = {{"identity", "hotcolumn"},
                                       {"identity", "rowtocolumn"},
                                       {"rowtocolumn", "hotcolumn"},
                                       {"identity", "diagonal"}};

/* Segments of the broadcast lie one behind the other, so another pattern moves all of them. */
static bool input_is_local(const struct kernel_row *row)
{
    return strcmp(row->shown.name, "broadcast") != 0;
}

/* Other targets at some nodes change nothing outside the light cone of these. */
START_TEST(other_targets)
{
    struct kernel_subject subject = kernel_subject_at(_i);
    node_index changed[MOST_NODES];
    size_t events = 0;
    if (!input_is_local(subject.row))
        return;
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        struct kernel_options one = options_for(subject, 2 * (i % 2)), other;
        one.load = i == 2 && kernel_subject_takes_loads(subject) ? 70 : 100;
        one.pattern = permutation_find(PAIRS[i][0]);
        other = one;
        other.pattern = permutation_find(PAIRS[i][1]);
        size_t count = changed_nodes(&one, &other, changed);
        ck_assert_uint_gt(count, 0);
        events += compare(subject, &one, &other, changed, count);
    }
    ck_assert_uint_gt(events, 100);
}
END_TEST

/* What differs does show: without a light cone some of the traces do not agree. */
START_TEST(differences_show)
{
    struct kernel_subject subject = kernel_subject_at(_i);
    struct kernel_options one = options_for(subject, 0), other;
    node_index changed[MOST_NODES];
    char difference[LIGHT_CONE_TEXT];
    struct kernel_result result = {.counts.peak = 1};
    bool agree = true;
    if (!kernel_subject_takes_loads(subject))
        return;
    for (one.load = 20; agree && result.counts.peak > 0; one.load++) {
        ck_assert_uint_gt(next_pair(&one, &other, changed), 0);
        char *text = kernel_subject_trace(subject, one, &result);
        char *another = kernel_subject_trace(subject, other, &result);
        agree = light_cone_agrees(text, another, one.mesh, NULL, 0, NULL, difference);
        free(text);
        free(another);
    }
    ck_assert(!agree || result.counts.peak == 0); /* words do not show what they hold */
}
END_TEST

Suite *kernel_locality_suite(void)
{
    Suite *suite = suite_create("kernel_locality");
    TCase *tests = tcase_create("kernel_locality");
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, few_packets_more, 0, kernel_subjects());
    tcase_add_loop_test(tests, other_targets, 0, kernel_subjects());
    tcase_add_loop_test(tests, differences_show, 0, kernel_subjects());
    suite_add_tcase(suite, tests);
    return suite;
}
