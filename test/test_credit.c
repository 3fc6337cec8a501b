/* test_credit.c - packets held within input channels by credits: against a plain model, node by
 * node.
 *
 * The model below keeps each node's packets in plain lists and knows no words, blocks or bands: it
 * moves the same packets by the rules of doc/model.md and forward_credit.c's banner, and the
 * machine must agree with it in steps, hops, and the place and moment of the fullest buffer.
 * Capacity: the machine runs with 4 K + 1 packets a node as its limit, so that a channel of more
 * than K packets is an overflow.
 */
#include "machine/pcg.h"
#include "primitives/unicast_route.h"
#include "test/machine_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *credit_suite(void);

enum { MOST = 64 }; /* packets of a queue in the model */

/* Packets to route, one a node: to[v], MESH_NO_NODE for none. */
struct instance {
    struct mesh mesh;
    node_index *to;
};

static void instance_make(struct instance *instance, uint32_t rows, uint32_t cols)
{
    instance->mesh = (struct mesh){rows, cols};
    instance->to = calloc(rows * cols, sizeof *instance->to);
    for (node_index v = 0; v < rows * cols; v++)
        instance->to[v] = v;
}

static void shuffle(struct instance *instance, struct pcg32 *random, uint32_t percent)
{
    for (uint32_t i = mesh_nodes(instance->mesh) - 1; i > 0; i--) {
        uint32_t j = pcg32_below(random, i + 1);
        node_index other = instance->to[i];
        instance->to[i] = instance->to[j];
        instance->to[j] = other;
    }
    for (node_index v = 0; v < mesh_nodes(instance->mesh); v++)
        if (pcg32_below(random, 100) >= percent)
            instance->to[v] = MESH_NO_NODE;
}

/* The packets of 2 q rows all go to q columns, those for the nearest column first, and far down:
 * each column's stream stands in the way of the next one's. */
static void crowd(struct instance *instance, uint32_t q)
{
    uint32_t m = instance->mesh.cols, used[MOST] = {0};
    for (node_index v = 0; v < m * m; v++)
        instance->to[v] = MESH_NO_NODE;
    for (uint32_t x = 0; x < m / 2; x++) {
        for (uint32_t row = 0; row < 2 * q; row++) {
            uint32_t i = x / (m / 2 / q), col = m / 2 + i;
            if (i < q && used[i] < m)
                instance->to[row * m + m / 2 - 1 - x] = (m - 1 - used[i]++) * m + col;
        }
    }
}

/* ---- the plain model ---- */

struct packet {
    uint32_t row, col, to_row, to_col;
    unsigned channel;
};

struct model {
    struct mesh mesh;
    uint32_t slots;
    struct packet *packet;
    uint32_t (*queue)[DIRECTIONS][MOST]; /* [node][link] */
    uint32_t (*length)[DIRECTIONS];
    uint32_t (*held)[DIRECTIONS];
    bool (*full)[DIRECTIONS];
    uint32_t *occupancy;
    uint64_t steps, hops, under_way;
    uint32_t peak;
    node_index peak_node;
    uint64_t peak_step;
};

static unsigned link_of(const struct packet *packet)
{
    if (packet->to_col != packet->col)
        return packet->to_col > packet->col ? EAST : WEST;
    if (packet->to_row != packet->row)
        return packet->to_row > packet->row ? SOUTH : NORTH;
    return DIRECTIONS;
}

static uint32_t leg_of(const struct packet *packet)
{
    uint32_t across = (uint32_t)abs((int)packet->to_col - (int)packet->col);
    return across > 0 ? across : (uint32_t)abs((int)packet->to_row - (int)packet->row);
}

/* In a queue: the longest leg first, then the larger channel, then first come. */
static bool goes_before(const struct packet *a, const struct packet *b)
{
    uint32_t x = leg_of(a), y = leg_of(b);
    return x != y ? x > y : a->channel > b->channel;
}

static void model_enter(struct model *model, uint32_t index, unsigned arriving)
{
    struct packet *packet = &model->packet[index];
    node_index node = packet->row * model->mesh.cols + packet->col;
    unsigned link = link_of(packet);
    if (link == DIRECTIONS) {
        model->under_way--;
        return;
    }
    packet->channel = arriving < DIRECTIONS ? arriving : link;
    model->held[node][packet->channel]++;
    uint32_t *queue = model->queue[node][link], at = model->length[node][link]++;
    ck_assert_uint_lt(at, MOST);
    while (at > 0 && goes_before(packet, &model->packet[queue[at - 1]])) {
        queue[at] = queue[at - 1];
        at--;
    }
    queue[at] = index;
}

static void model_measure(struct model *model)
{
    for (node_index node = 0; node < mesh_nodes(model->mesh); node++) {
        if (model->occupancy[node] > model->peak) {
            model->peak = model->occupancy[node];
            model->peak_node = node;
            model->peak_step = model->steps;
        }
        for (unsigned d = 0; d < DIRECTIONS; d++)
            model->full[node][d] = model->held[node][d] >= model->slots;
    }
}

/* One step: first all departures, by what nodes knew, then all arrivals, by direction. */
static void model_step(struct model *model)
{
    const int cols = (int)model->mesh.cols, beyond[] = {-cols, cols, -1, 1};
    uint32_t nodes = mesh_nodes(model->mesh);
    uint32_t *crossing = malloc(nodes * DIRECTIONS * sizeof *crossing);
    memset(crossing, 0xff, nodes * DIRECTIONS * sizeof *crossing);
    for (node_index node = 0; node < nodes; node++) {
        for (unsigned d = 0; d < DIRECTIONS; d++) {
            if (model->length[node][d] == 0 || model->full[node + (uint32_t)beyond[d]][d])
                continue;
            uint32_t index = model->queue[node][d][0];
            memmove(model->queue[node][d], model->queue[node][d] + 1,
                    --model->length[node][d] * sizeof index);
            model->held[node][model->packet[index].channel]--;
            model->occupancy[node]--;
            crossing[(node + (uint32_t)beyond[d]) * DIRECTIONS + d] = index;
        }
    }
    model->steps++;
    for (node_index node = 0; node < nodes; node++) {
        for (unsigned d = 0; d < DIRECTIONS; d++) {
            uint32_t index = crossing[node * DIRECTIONS + d];
            if (index == UINT32_MAX)
                continue;
            model->packet[index].row = node / model->mesh.cols;
            model->packet[index].col = node % model->mesh.cols;
            model->occupancy[node]++;
            model->hops++;
            model_enter(model, index, d);
        }
    }
    free(crossing);
    model_measure(model);
}

static void model_run(struct model *model, const struct instance *instance, uint32_t slots)
{
    uint32_t nodes = mesh_nodes(instance->mesh), cols = instance->mesh.cols;
    *model = (struct model){.mesh = instance->mesh, .slots = slots};
    model->packet = calloc(nodes, sizeof *model->packet);
    model->queue = calloc(nodes, sizeof *model->queue);
    model->length = calloc(nodes, sizeof *model->length);
    model->held = calloc(nodes, sizeof *model->held);
    model->full = calloc(nodes, sizeof *model->full);
    model->occupancy = calloc(nodes, sizeof *model->occupancy);
    for (node_index v = 0; v < nodes; v++) {
        if (instance->to[v] == MESH_NO_NODE)
            continue;
        node_index to = instance->to[v];
        model->packet[v] = (struct packet){v / cols, v % cols, to / cols, to % cols, 0};
        model->occupancy[v]++;
        model->under_way++;
    }
    model_measure(model);
    for (node_index v = 0; v < nodes; v++)
        if (instance->to[v] != MESH_NO_NODE)
            model_enter(model, v, DIRECTIONS);
    while (model->under_way > 0)
        model_step(model);
    free(model->packet);
    free(model->queue);
    free(model->length);
    free(model->held);
    free(model->full);
    free(model->occupancy);
}

/* ---- the machine ---- */

static void machine_start(struct machine_run *run, const struct instance *instance, uint32_t slots,
                          uint32_t threads)
{
    uint32_t nodes = mesh_nodes(instance->mesh);
    struct machine_config config = {
        .slots = nodes, .buffer = 4 * slots + 1, .threads = threads, .copy_is_free = true};
    run_start(run, instance->mesh.rows, instance->mesh.cols, config);
    for (node_index v = 0; v < nodes; v++)
        if (instance->to[v] != MESH_NO_NODE)
            run_inject_target(run, v, instance->to[v], false);
}

/* Runs to the end, in pieces of at most `piece` steps. */
static void machine_go(struct machine_run *run, uint32_t slots, uint64_t piece)
{
    struct routing_rule rule = unicast_rule(run->machine, false);
    struct failure failure = {0};
    rule.slots = slots;
    machine_begin_phase(run->machine, "route");
    bool wake = true;
    do {
        ck_assert_msg(machine_forward(run->machine, &rule, wake, piece, &failure) == FAIL_NONE,
                      "%s", failure.text);
        wake = false;
    } while (machine_travelling(run->machine) > 0);
}

static void expect_arrived(struct machine_run *run, const struct instance *instance)
{
    const struct headers *header = machine_headers(run->machine);
    uint32_t found = 0, packets = 0;
    for (node_index v = 0; v < mesh_nodes(instance->mesh); v++) {
        packets += instance->to[v] != MESH_NO_NODE;
        uint32_t packet = machine_first_resting(run->machine, v);
        if (packet == MACHINE_NONE)
            continue;
        found++;
        ck_assert_uint_eq(header->packet[packet].target, site_place(machine_site(run->machine, v)));
        ck_assert_uint_eq(machine_next_resting(run->machine, packet), MACHINE_NONE);
    }
    ck_assert_uint_eq(found, packets);
}

static void compare_with_model(const struct instance *instance, uint32_t slots, uint32_t threads)
{
    struct machine_run run;
    struct model model;
    model_run(&model, instance, slots);
    machine_start(&run, instance, slots, threads);
    if (machine_resting(run.machine) == 0) {
        run_end(&run);
        return;
    }
    machine_go(&run, slots, threads == 3 ? 1 : UINT64_MAX);
    const struct machine_counts *counts = machine_counts(run.machine);
    ck_assert_uint_eq(counts->steps, model.steps > 0 ? model.steps : 1);
    ck_assert_uint_eq(counts->packet_hops, model.hops);
    ck_assert_uint_eq(counts->peak, model.peak);
    ck_assert_uint_eq(counts->peak_node, model.peak_node);
    ck_assert_uint_eq(counts->peak_step, model.peak_step);
    expect_arrived(&run, instance);
    run_audit(&run);
    run_end(&run);
}

/* ---- tests ---- */

/* random partial permutations on meshes of any sides: the machine does what the model does, within
 * 4 K + 1 packets, for any number of threads, in one piece or step by step, and the audit agrees */
START_TEST(as_the_model)
{
    struct pcg32 random = pcg32_seed(7, (uint64_t)_i);
    for (int round = 0; round < 12; round++) {
        struct instance instance;
        instance_make(&instance, 1 + pcg32_below(&random, 24),
                      1 + pcg32_below(&random, round % 3 == 0 ? 140 : 24));
        shuffle(&instance, &random, 30 + pcg32_below(&random, 71));
        compare_with_model(&instance, 1 + pcg32_below(&random, 3), 1 + (uint32_t)round % 4);
        free(instance.to);
    }
}
END_TEST

/* crowded columns, one behind the other: held back well beyond their distance, delivered all the
 * same and within the buffer; the model agrees. Without credits the queues grow to about m / 8 here */
START_TEST(crowded_columns)
{
    struct instance instance;
    instance_make(&instance, 64, 64);
    crowd(&instance, 4);
    compare_with_model(&instance, 2, 2);
    struct model model;
    model_run(&model, &instance, 2);
    ck_assert_uint_gt(model.steps, 96);
    ck_assert_uint_le(model.peak, 9);
    free(instance.to);
}
END_TEST

/* all packets of a row turn south at one node: greedy queues grow with the side, channels do not */
START_TEST(one_turning_node)
{
    for (uint32_t side = 16; side <= 64; side *= 2) {
        struct instance instance;
        instance_make(&instance, side, side);
        for (node_index v = 0; v < side * side; v++)
            instance.to[v] = v < side ? v * side + side / 2 : MESH_NO_NODE;
        compare_with_model(&instance, 2, 1);
        struct machine_run run;
        machine_start(&run, &instance, side, 1); /* unbounded queues */
        machine_go(&run, 0, UINT64_MAX);
        ck_assert_uint_ge(machine_counts(run.machine)->peak, side / 2 - 1);
        run_end(&run);
        free(instance.to);
    }
}
END_TEST

Suite *credit_suite(void)
{
    Suite *suite = suite_create("credit");
    TCase *tests = tcase_create("credit");
    tcase_add_loop_test(tests, as_the_model, 0, 8);
    tcase_add_test(tests, crowded_columns);
    tcase_add_test(tests, one_turning_node);
    suite_add_tcase(suite, tests);
    return suite;
}
