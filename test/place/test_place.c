/* test_place.c - placements: costs against trees that are walked link by link, the improvement against all placements of tiny
 * sets, the same result for any number of threads, and the command.
 */
#include "place/place.h"
#include "place/tree_meter.h"
#include "test/program_run.h"
#include "test/random.h"

#include <check.h>
#include <stdlib.h>

enum { MOST_NODES = 128, MOST_LINKS = MOST_NODES * 8 };

/* ---- random cases ---- */

static const struct shape SHAPES[] = {
    {TOPOLOGY_MESH, 2, {5, 4}},       {TOPOLOGY_TORUS, 2, {5, 4}},    {TOPOLOGY_TORUS, 2, {4, 2}},
    {TOPOLOGY_MESH, 3, {3, 4, 2}},    {TOPOLOGY_TORUS, 3, {3, 4, 2}}, {TOPOLOGY_MESH, 1, {17}},
    {TOPOLOGY_TORUS, 2, {1, 6}},      {TOPOLOGY_MESH, 2, {1, 9}},     {TOPOLOGY_MESH, 2, {3, 2}},
    {TOPOLOGY_TORUS, 4, {2, 3, 2, 4}}};

enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES };

/* Items that send to random ones; or tokens on random nodes that go to items. */
struct scene {
    struct topology topology;
    struct item_traffic traffic;
    struct place_plan plan;
};

static void make_scene(struct scene *scene, const struct shape *shape, uint32_t items,
                       bool has_tokens, uint64_t *random)
{
    struct entry_list list = {.rows = items, .is_to_experts = has_tokens};
    struct failure failure = {0};
    node_index token_node[2 * MOST_NODES];
    scene->topology = topology_of_shape(shape);
    list.cols = has_tokens ? 2 * scene->topology.nodes : items;
    for (uint32_t col = 0; col < list.cols; col++) {
        uint32_t degree = test_random_below(random, 5);
        token_node[col] = test_random_below(random, scene->topology.nodes);
        for (uint32_t i = 0; i < degree; i++)
            ck_assert(entry_list_add(&list, entry_pack(col, test_random_below(random, items))));
    }
    ck_assert_int_eq(
        item_traffic_make(&scene->traffic, &list, has_tokens ? token_node : NULL, &failure),
        FAIL_NONE);
    entry_list_free(&list);
    scene->plan = (struct place_plan){.traffic = &scene->traffic,
                                      .topology = &scene->topology,
                                      .copies = items + (has_tokens ? items / 2 : 0),
                                      .threads = 1};
    scene->plan.per_node = (scene->plan.copies + scene->topology.nodes - 1) / scene->topology.nodes;
}

static void scatter(const struct scene *scene, struct assignment *assignment, uint64_t *random)
{
    struct failure failure = {0};
    ck_assert_int_eq(assignment_make(assignment, &scene->plan, &failure), FAIL_NONE);
    uint32_t seats = scene->topology.nodes * scene->plan.per_node, seat[4 * MOST_NODES];
    for (uint32_t i = 0; i < seats; i++)
        seat[i] = i;
    for (uint32_t c = 0; c < assignment->copies; c++) {
        uint32_t other = c + test_random_below(random, seats - c), taken = seat[other];
        seat[other] = seat[c];
        assignment->node[c] = taken / scene->plan.per_node;
    }
}

/* ---- the oracle ---- */

/* Returns the next node from `node` to `to`, dimension 0 first, by the topology's ports alone. */
static uint32_t next_node(const struct topology *topology, uint32_t node, uint32_t to,
                          uint64_t *link)
{
    for (uint32_t d = 0; d < topology->shape.dimensions; d++) {
        uint32_t size = topology->shape.size[d], stride = topology->stride[d];
        uint32_t here = node / stride % size, there = to / stride % size;
        uint32_t up = (there + size - here) % size;
        if (up == 0)
            continue;
        bool is_up = topology->shape.kind == TOPOLOGY_TORUS ? 2 * up <= size : there > here;
        uint32_t next = node - here * stride + (here + (is_up ? 1 : size - 1)) % size * stride;
        *link = topology_link(topology, node, topology_port_to(topology, node, next));
        return next;
    }
    return node;
}

static node_index nearest_copy(const struct scene *scene, const struct assignment *assignment,
                               uint32_t item, node_index source)
{
    node_index nearest = 0;
    uint32_t least = UINT32_MAX;
    for (uint32_t c = 0; c < assignment->copies; c++) {
        uint32_t distance = topology_distance(&scene->topology, source, assignment->node[c]);
        if (assignment->item[c] == item &&
            (distance < least || (distance == least && assignment->node[c] < nearest))) {
            nearest = assignment->node[c];
            least = distance;
        }
    }
    return nearest;
}

/* Walks every path of every message. */
static struct place_cost walk(const struct scene *scene, const struct assignment *assignment)
{
    const struct item_traffic *traffic = &scene->traffic;
    struct place_cost cost = {0};
    uint32_t load[MOST_LINKS] = {0};
    for (uint32_t m = 0; m < traffic->messages; m++) {
        bool is_crossed[MOST_LINKS] = {false};
        node_index source =
            traffic->has_tokens ? traffic->source[m] : assignment->node[traffic->source[m]];
        for (uint64_t j = traffic->offset[m]; j < traffic->offset[m + 1]; j++) {
            node_index to = nearest_copy(scene, assignment, traffic->destination[j], source);
            uint64_t link = 0;
            for (uint32_t node = source; node != to; is_crossed[link] = true)
                node = next_node(&scene->topology, node, to, &link);
        }
        for (uint64_t link = 0; link < scene->topology.links; link++) {
            cost.hops += is_crossed[link];
            load[link] += is_crossed[link];
        }
    }
    for (uint64_t link = 0; link < scene->topology.links; link++)
        cost.busiest_link = load[link] > cost.busiest_link ? load[link] : cost.busiest_link;
    return cost;
}

static void check_capacity(const struct scene *scene, const struct assignment *assignment)
{
    uint32_t count[MOST_NODES] = {0}, of_item[4 * MOST_NODES] = {0};
    for (uint32_t c = 0; c < assignment->copies; c++) {
        ck_assert_uint_lt(assignment->node[c], scene->topology.nodes);
        ck_assert_uint_le(++count[assignment->node[c]], scene->plan.per_node);
        of_item[assignment->item[c]]++;
    }
    for (uint32_t i = 0; i < scene->traffic.items; i++)
        ck_assert_uint_ge(of_item[i], 1);
}

/* The costs of random placements, on every shape, are those of trees that are walked. */
START_TEST(test_costs)
{
    uint64_t random = (uint64_t)_i + 1;
    struct failure failure = {0};
    struct scene scene;
    struct assignment assignment;
    struct place_cost cost;
    const struct shape *shape = &SHAPES[_i % SHAPE_COUNT];
    make_scene(&scene, shape, 1 + test_random_below(&random, 2 * shape_nodes(shape)), _i % 3 == 0,
               &random);
    scatter(&scene, &assignment, &random);
    struct place_cost walked = walk(&scene, &assignment);
    ck_assert_int_eq(place_measure(&scene.plan, &assignment, &cost, &failure), FAIL_NONE);
    ck_assert_uint_eq(cost.hops, walked.hops);
    ck_assert_uint_eq(cost.busiest_link, walked.busiest_link);
    ck_assert_uint_le(place_least_hops(&scene.plan), cost.hops);
    assignment_free(&assignment);
    item_traffic_free(&scene.traffic);
}
END_TEST

/* ---- moves ---- */

static double note_cost(void *context, uint64_t tried, const struct place_cost *least)
{
    (void)tried;
    *(struct place_cost *)context = *least;
    return 0;
}

/* The cost that moves lead to, figure by figure, is that of the placement at the end; no start is better, none breaks a
 * capacity, and threads change nothing. */
START_TEST(test_moves)
{
    uint64_t random = (uint64_t)_i + 77;
    struct failure failure = {0};
    struct scene scene;
    struct assignment assignment, other;
    struct place_cost noted, first;
    struct place_result result;
    const struct shape *shape = &SHAPES[_i % SHAPE_COUNT];
    make_scene(&scene, shape, 2 + test_random_below(&random, 2 * shape_nodes(shape)), _i % 3 == 0,
               &random);
    scene.plan.objective = _i % 2 == 0 ? PLACE_HOPS : PLACE_BUSIEST_LINK;
    scene.plan.moves = 3001;
    scene.plan.seed = (uint64_t)_i;
    scene.plan.time_used = note_cost;
    scene.plan.context = &noted;
    uint64_t same = random;
    scatter(&scene, &assignment, &random);
    scatter(&scene, &other, &same);
    first = walk(&scene, &assignment);
    ck_assert_int_eq(place_improve(&scene.plan, &assignment, &result, &failure), FAIL_NONE);
    ck_assert_uint_eq(result.tried, scene.plan.moves);
    struct place_cost walked = walk(&scene, &assignment);
    ck_assert_uint_eq(noted.hops, walked.hops);
    if (scene.plan.objective == PLACE_BUSIEST_LINK) {
        ck_assert_uint_eq(noted.busiest_link, walked.busiest_link);
        ck_assert_uint_le(walked.busiest_link, first.busiest_link);
    } else {
        ck_assert_uint_le(walked.hops, first.hops);
    }
    check_capacity(&scene, &assignment);
    scene.plan.threads = 2 + (uint32_t)_i % 3;
    ck_assert_int_eq(place_improve(&scene.plan, &other, &result, &failure), FAIL_NONE);
    ck_assert_mem_eq(assignment.node, other.node, assignment.copies * sizeof *other.node);
    ck_assert_mem_eq(assignment.item, other.item, assignment.copies * sizeof *other.item);
    assignment_free(&assignment);
    assignment_free(&other);
    item_traffic_free(&scene.traffic);
}
END_TEST

/* Every start keeps the capacity, and puts each item somewhere. */
START_TEST(test_starts)
{
    uint64_t random = (uint64_t)_i + 5;
    struct failure failure = {0};
    struct scene scene;
    struct assignment assignment;
    const struct place_start *start;
    const struct shape *shape = &SHAPES[_i % SHAPE_COUNT];
    make_scene(&scene, shape, 1 + test_random_below(&random, 3 * shape_nodes(shape)), _i % 3 == 0,
               &random);
    for (uint32_t i = 0; (start = place_start_at(&scene.plan, i)) != NULL; i++) {
        ck_assert_int_eq(assignment_make(&assignment, &scene.plan, &failure), FAIL_NONE);
        ck_assert_msg(start->fill(&scene.plan, &assignment, &failure) == FAIL_NONE, "%s: %s",
                      start->name, failure.text);
        check_capacity(&scene, &assignment);
        assignment_free(&assignment);
    }
    item_traffic_free(&scene.traffic);
}
END_TEST

/* The bound of steps falls to that of the placement at the end, and is no larger than at the start. */
START_TEST(test_bound)
{
    uint64_t random = (uint64_t)_i + 33, before, after;
    struct failure failure = {0};
    struct scene scene;
    struct assignment assignment;
    struct place_cost noted;
    struct place_result result;
    make_scene(&scene, &SHAPES[0], 30, _i % 2 == 0, &random);
    scene.plan.objective = PLACE_BOUND;
    scene.plan.moves = 300;
    scene.plan.threads = 1 + (uint32_t)_i % 3;
    scene.plan.time_used = note_cost;
    scene.plan.context = &noted;
    scatter(&scene, &assignment, &random);
    ck_assert_int_eq(place_bound(&scene.plan, &assignment, &before, &failure), FAIL_NONE);
    ck_assert_int_eq(place_improve(&scene.plan, &assignment, &result, &failure), FAIL_NONE);
    ck_assert_int_eq(place_bound(&scene.plan, &assignment, &after, &failure), FAIL_NONE);
    ck_assert_uint_le(after, before);
    ck_assert_uint_eq(after, noted.bound);
    ck_assert_uint_eq(walk(&scene, &assignment).hops, noted.hops);
    assignment_free(&assignment);
    item_traffic_free(&scene.traffic);
}
END_TEST

/* ---- all placements ---- */

/* Tries all orders of the nodes from place `at` on. */
static void try_all(const struct scene *scene, struct assignment *assignment, uint32_t at,
                    struct place_cost *least)
{
    if (at == assignment->copies) {
        struct place_cost cost = walk(scene, assignment);
        if (cost.hops < least->hops)
            least->hops = cost.hops;
        if (cost.busiest_link < least->busiest_link)
            least->busiest_link = cost.busiest_link;
        return;
    }
    for (uint32_t i = at; i < assignment->copies; i++) {
        node_index node = assignment->node[at];
        assignment->node[at] = assignment->node[i];
        assignment->node[i] = node;
        try_all(scene, assignment, at + 1, least);
        assignment->node[i] = assignment->node[at];
        assignment->node[at] = node;
    }
}

/* On six nodes the best of a few searches is as good as the best of all 720 placements. */
START_TEST(test_optimum)
{
    uint64_t random = (uint64_t)_i + 900;
    struct failure failure = {0};
    struct scene scene;
    struct assignment assignment;
    struct place_cost least = {UINT64_MAX, UINT64_MAX, 0};
    uint64_t found = UINT64_MAX;
    struct place_result result;
    make_scene(&scene, &(struct shape){TOPOLOGY_MESH, 2, {3, 2}}, 6, false, &random);
    scatter(&scene, &assignment, &random);
    try_all(&scene, &assignment, 0, &least);
    scene.plan.objective = _i % 2 == 0 ? PLACE_HOPS : PLACE_BUSIEST_LINK;
    scene.plan.moves = 2000;
    for (scene.plan.seed = 0; scene.plan.seed < 4; scene.plan.seed++) {
        ck_assert_int_eq(place_improve(&scene.plan, &assignment, &result, &failure), FAIL_NONE);
        struct place_cost cost = walk(&scene, &assignment);
        uint64_t figure = _i % 2 == 0 ? cost.hops : cost.busiest_link;
        found = figure < found ? figure : found;
    }
    ck_assert_uint_eq(found, _i % 2 == 0 ? least.hops : least.busiest_link);
    ck_assert_uint_le(place_least_hops(&scene.plan), least.hops);
    assignment_free(&assignment);
    item_traffic_free(&scene.traffic);
}
END_TEST

/* ---- the program ---- */

/* Checks the result of the last run against the set that import makes with it: the traffic of scheme vh is the hops. */
static void check_import(const char *options)
{
    json_t *placed = program_run_json();
    json_int_t hops = program_run_integer(placed, "hops");
    json_int_t bound = program_run_integer(placed, "lower_bound");
    const json_t *rows = json_object_get(placed, "placements");
    for (size_t i = 0; i < json_array_size(rows); i++)
        ck_assert_int_le(hops, program_run_integer(json_array_get(rows, i), "hops"));
    ck_assert_int_le(program_run_integer(placed, "least_hops"), hops);
    ck_assert_msg(program_run("$M import %s -q -o $T/set", options)->status == 0, "%s", options);
    program_run_ends(0, "$M plan $T/set --schemes vh --json");
    json_t *plans = program_run_json();
    ck_assert_int_eq(program_run_integer(json_array_get(plans, 0), "traffic"), hops);
    program_run_ends(0, "$M info $T/set --json");
    json_t *info = program_run_json();
    ck_assert_int_eq(program_run_integer(info, "lower_bound"), bound);
    json_decref(placed);
    json_decref(plans);
    json_decref(info);
}

static const char ROUTES[] = "{\"topk_ids\":[0,3]}\n{\"topk_ids\":[0,4]}\n{\"topk_ids\":[0,1]}\n"
                             "{\"topk_ids\":[2,3]}\n{\"topk_ids\":[0,5]}\n{\"topk_ids\":[1,0]}\n";

/* A placement of a matrix, of experts, and of a set, read back by import, costs what the report says. */
START_TEST(test_files)
{
    program_run("$M place test/data/west0479.mtx --moves 20000 -o $T/part --json");
    check_import("test/data/west0479.mtx --side 22 --part $T/part");
    program_run("$M place test/data/lp_e226.mtx --side 9x8 --moves 20000 -o $T/part --json");
    check_import("test/data/lp_e226.mtx --side 9x8 --part $T/part");
    program_run_file("routes.jsonl", ROUTES);
    program_run("$M place $T/routes.jsonl --side 5 --replicas 3 --moves 900 -o $T/place --json");
    check_import("$T/routes.jsonl --side 5 --place $T/place");
    program_run("$M gen --side 6 --pattern uniform --degree 3 --congestion 3 -o $T/uniform");
    program_run("$M place $T/uniform --side 4 --moves 9000 -o $T/part --json");
    check_import("$T/uniform --side 4 --part $T/part");
}
END_TEST

/* The same file comes out for every number of threads, and again. */
START_TEST(test_threads)
{
    program_run("$M place test/data/west0479.mtx --moves 9000 --threads 1 --seed 7 -o $T/one");
    for (int threads = 1; threads < 5; threads++)
        program_run_ends(0,
                         "$M place test/data/west0479.mtx --moves 9000 --threads %d "
                         "--seed 7 -o $T/other >$T/report && cmp $T/one $T/other",
                         threads);
    program_run_ends(1, "$M place test/data/west0479.mtx --moves 9000 --seed 8 -o "
                        "$T/other >$T/report && cmp $T/one $T/other");
    /* Copies of an expert are written in one order */
    program_run_file("routes.jsonl", ROUTES);
    for (int seed = 0; seed < 24; seed++)
        program_run_ends(0,
                         "for t in 1 2; do $M place $T/routes.jsonl --side 5 --replicas 6 --moves "
                         "500 --seed %d --threads $t -o $T/copies$t -q >$T/report || exit; done; "
                         "cmp $T/copies1 $T/copies2",
                         seed);
    program_run(
        "cd $T && cp one two && $M place $OLDPWD/test/data/west0479.mtx --moves 1 --parts two,one "
        "--json");
    json_t *placed = program_run_json();
    ck_assert_str_eq(program_run_text(placed, "best_start"), "two");
    json_decref(placed);
}
END_TEST

static const struct {
    const char *options;
    int status;
    const char *text;
} REFUSED[] = {
    {"test/data/west0479.mtx --replicas 2", 2, "--replicas"},
    {"$T/timed --experts 4", 2, "--experts, --place and --layer are for --format routes"},
    {"test/data/west0479.mtx --side 4 --per-node 2", 2, "room for 16"},
    {"test/data/west0479.mtx --topology graph:$T/ring", 2, "not on graphs"},
    {"test/data/west0479.mtx --objective bound --topology torus:22x22", 2, "two dimensions"},
    {"test/data/west0479.mtx --part $T/short", 3, "expected 479 node numbers"},
    {"test/data/west0479.mtx --part $T/crowd", 2, "more than 1 item on node 0"},
    {"test/data/west0479.mtx --part $T/far", 3, "far:479"},
    {"$T/short -q", 3, "expected"},
    {"$T/none", 4, "cannot open"},
    {"$T/short", 3, "expected"},
    {"test/data/west0479.mtx -o $T/none/part", 4, "cannot"},
};

/* What cannot be placed is refused with a reason. */
START_TEST(test_refused)
{
    program_run_file("ring", "0 1\n1 2\n2 0\n");
    program_run_file("short", "0\n1\n");
    program_run_file("timed", "mcast 3 mesh 2 2\n0@3 1\nend 1\n");
    program_run("yes 0 | head -479 >$T/crowd; (seq 0 477; echo 9999) >$T/far");
    program_run_fails(REFUSED[_i].status, REFUSED[_i].text, "$M place %s", REFUSED[_i].options);
}
END_TEST

void place_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, test_costs, 0, 6 * SHAPE_COUNT);
    tcase_add_loop_test(tests, test_moves, 0, 6 * SHAPE_COUNT);
    tcase_add_loop_test(tests, test_starts, 0, 3 * SHAPE_COUNT);
    tcase_add_loop_test(tests, test_bound, 0, 6);
    tcase_add_loop_test(tests, test_optimum, 0, 8);
    tcase_add_test(tests, test_files);
    tcase_add_test(tests, test_threads);
    tcase_add_loop_test(tests, test_refused, 0, sizeof REFUSED / sizeof *REFUSED);
    tcase_set_timeout(tests, 120);
}
