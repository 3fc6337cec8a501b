/* test_kernel_locality.c - no kernel's node acts on knowledge that it cannot have.
 *
 * Method: two runs of one kernel whose inputs differ at few nodes, because load and pattern belong
 * to the input and no node knows them (primitives/kernel_row.h). Loads of L and L + 1 percent
 * differ in the few nodes that only the greater one fills, and two fixed patterns in the nodes that
 * only one of them moves. Their traces must agree wherever no news of these nodes can have arrived.
 * Where the inputs differ is read from the packets' headers before the first step.
 *
 * Oracle: the light cone (test/machine/light_cone.h).
 */
#include "test/machine/light_cone.h"
#include "test/primitives/kernel_subject.h"
#include "workloads/permutation.h"

#include <check.h>
#include <stdlib.h>

enum { MOST_NODES = 2048 };

/* The input of each node: a digest of the target that the pattern gave it and of the headers of its
 * packets. Filled by record, which stands in for a kernel's `run`. */
static uint64_t *input;

static void digest_add(uint64_t *digest, uint64_t value)
{
    *digest = (*digest ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    *digest ^= *digest >> 29;
}

static enum failure_kind record(struct kernel_case *run, struct failure *failure)
{
    const struct headers *header = machine_headers(run->machine);
    node_index *target = memory_allocate(run->nodes, sizeof *target);
    ck_assert_int_eq(kernel_targets(run, 0, target, failure), FAIL_NONE);
    for (node_index v = 0; v < run->nodes; v++) {
        uint64_t digest = 1;
        digest_add(&digest, target[v]);
        for (uint32_t p = machine_first_resting(run->machine, v); p != MACHINE_NONE;
             p = machine_next_resting(run->machine, p)) {
            digest_add(&digest, header->packet[p].target);
            for (uint32_t slot = header->packet[p].first; slot <= p; slot++)
                digest_add(&digest, header->destination[slot]);
        }
        input[v] = digest;
    }
    free(target);
    return FAIL_NONE;
}

static uint64_t *input_of(struct kernel_subject subject, const struct kernel_options *options)
{
    struct kernel_row recorder = *subject.row;
    struct kernel_result result;
    struct failure failure = {0};
    input = memory_allocate(mesh_nodes(options->mesh), sizeof *input);
    recorder.run = record;
    enum failure_kind kind = kernel_run_row(&recorder, options, &result, &failure);
    ck_assert(kind == FAIL_NONE || kind == FAIL_CHECK);
    return input;
}

/* Lists the nodes at which the two inputs differ; returns their number. */
static size_t changed_nodes(struct kernel_subject subject, const struct kernel_options *one,
                            const struct kernel_options *other, node_index changed[MOST_NODES])
{
    uint64_t *first = input_of(subject, one), *second = input_of(subject, other);
    size_t count = 0;
    for (node_index v = 0; v < mesh_nodes(one->mesh); v++)
        if (first[v] != second[v])
            changed[count++] = v;
    free(first);
    free(second);
    return count;
}

/* Runs both and compares; returns the number of compared events. */
static size_t compare(struct kernel_subject subject, const struct kernel_options *one,
                      const struct kernel_options *other, const node_index *changed, size_t count)
{
    struct kernel_result result;
    char *text = kernel_subject_trace(subject, *one, &result);
    char *another = kernel_subject_trace(subject, *other, &result);
    char difference[LIGHT_CONE_TEXT];
    size_t events = 0;
    ck_assert_msg(light_cone_agrees(text, another, (struct grid){one->mesh.rows, one->mesh.cols},
                                    changed, count, &events, difference),
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

/* Returns the first load from `load` on for which one percent more makes one to four nodes hold
 * more. */
static size_t next_pair(struct kernel_subject subject, struct kernel_options *one,
                        struct kernel_options *other, node_index changed[MOST_NODES])
{
    size_t count = 0;
    for (; one->load < 100; one->load++) {
        *other = *one;
        other->load++;
        count = changed_nodes(subject, one, other, changed);
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
    for (int k = 0; k <= 2; k += 2) {
        struct kernel_options one = options_for(subject, k), other;
        for (one.seed = 0; one.seed < 4; one.seed++) {
            one.tiles = tiles[one.seed % 3];
            one.copy_is_free = one.seed % 2 == 1;
            for (one.load = 20; one.load < 100; one.load += 40) {
                size_t count = next_pair(subject, &one, &other, changed);
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

/* Other targets at some nodes change nothing outside the light cone of these. */
START_TEST(other_targets)
{
    struct kernel_subject subject = kernel_subject_at(_i);
    node_index changed[MOST_NODES];
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        struct kernel_options one = options_for(subject, 2 * (i % 2)), other;
        one.load = i == 2 ? 70 : 100;
        one.pattern = permutation_find(PAIRS[i][0]);
        other = one;
        other.pattern = permutation_find(PAIRS[i][1]);
        size_t count = changed_nodes(subject, &one, &other, changed);
        ck_assert_uint_gt(count, 0);
        compare(subject, &one, &other, changed, count);
    }
}
END_TEST

/* The row whose `run` the cheating one calls; a test runs in a process of its own. */
static const struct kernel_row *cheated;

/* Waits for a time that depends on the number of packets, which no node knows. */
static enum failure_kind cheat(struct kernel_case *run, struct failure *failure)
{
    machine_begin_phase(run->machine, "wait");
    machine_idle(run->machine, run->items % 16);
    return cheated->run(run, failure);
}

/* Kernels that know how many packets there are are found out. */
START_TEST(knowledge_is_found)
{
    struct kernel_subject subject = kernel_subject_at(_i);
    struct kernel_row cheating = *subject.row;
    struct kernel_options one = options_for(subject, 0), other;
    node_index changed[MOST_NODES];
    char difference[LIGHT_CONE_TEXT];
    struct kernel_result result;
    bool agree = true;
    cheated = subject.row;
    cheating.run = cheat;
    subject.row = &cheating;
    for (one.load = 20; agree; one.load++) {
        size_t count = next_pair(subject, &one, &other, changed);
        ck_assert_uint_gt(count, 0);
        char *text = kernel_subject_trace(subject, one, &result);
        char *another = kernel_subject_trace(subject, other, &result);
        agree = light_cone_agrees(text, another, (struct grid){one.mesh.rows, one.mesh.cols},
                                  changed, count, NULL, difference);
        free(text);
        free(another);
    }
}
END_TEST

void kernel_locality_suite(TCase *tests)
{
    tcase_add_loop_test(tests, few_packets_more, 0, kernel_subjects());
    tcase_add_loop_test(tests, other_targets, 0, kernel_subjects());
    tcase_add_loop_test(tests, knowledge_is_found, 0, kernel_subjects());
}
