/* test_place.c - placements: costs against trees that are walked link by link, paths against a
 * search of their own, the improvement against all placements of tiny sets, the same result for any
 * number of threads, and the command. */
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

enum damage { WHOLE, BROKEN, GRAPH, DAMAGES };

/* Items that send to random ones; or tokens on random nodes that go to items. */
struct scene {
    struct topology whole, topology;
    struct path_table paths;
    struct item_traffic traffic;
    struct place_plan plan;
};

/* Takes some nodes and links away, unless nothing would remain. */
static void break_randomly(struct topology *topology, uint64_t *random)
{
    struct topology_faults faults;
    struct failure failure = {0};
    bool has_cut_links = test_random_below(random, 2) == 1;
    ck_assert(topology_faults_make(&faults, topology));
    for (uint32_t node = 0; node < topology->nodes; node++)
        faults.is_dead[node] = test_random_below(random, 12) == 0;
    for (uint64_t link = 0; link < topology->links; link++)
        faults.is_missing[link] = has_cut_links && test_random_below(random, 12) == 0;
    topology_break_by(topology, &faults, &failure);
    topology_faults_free(&faults);
}

/* Makes a graph of a path and random edges. */
static struct topology random_graph(uint32_t nodes, uint64_t *random)
{
    struct topology topology;
    struct failure failure = {0};
    char text[MOST_NODES * 40];
    size_t length = 0;
    for (uint32_t i = 0; i + 1 < 2 * nodes; i++) {
        uint32_t from = i < nodes - 1 ? i : test_random_below(random, nodes);
        uint32_t to = i < nodes - 1 ? i + 1 : test_random_below(random, nodes);
        if (from != to)
            length += (size_t)snprintf(text + length, sizeof text - length, "%u %u\n", from, to);
    }
    ck_assert_int_eq(topology_read_graph_memory(&topology, text, length, "graph", &failure),
                     FAIL_NONE);
    return topology;
}

static void make_topology(struct scene *scene, const struct shape *shape, enum damage damage,
                          uint64_t *random)
{
    struct failure failure = {0};
    scene->whole =
        damage == GRAPH ? random_graph(shape_nodes(shape), random) : topology_of_shape(shape);
    scene->topology = scene->whole;
    if (damage == BROKEN)
        break_randomly(&scene->topology, random);
    ck_assert_int_eq(path_table_make(&scene->paths, &scene->topology, 2, NULL, &failure),
                     FAIL_NONE);
}

/* `items` 0: as many as there are nodes. */
static void make_scene(struct scene *scene, const struct shape *shape, enum damage damage,
                       uint32_t items, bool has_tokens, uint64_t *random)
{
    struct entry_list list = {.is_to_experts = has_tokens};
    struct failure failure = {0};
    node_index token_node[2 * MOST_NODES];
    make_topology(scene, shape, damage, random);
    uint32_t nodes = topology_main_nodes(&scene->topology);
    items = items == 0 ? nodes : items;
    list.rows = items;
    list.cols = has_tokens ? 2 * scene->topology.nodes : items;
    for (uint32_t col = 0; col < list.cols; col++) {
        uint32_t degree = test_random_below(random, 5);
        do
            token_node[col] = test_random_below(random, scene->topology.nodes);
        while (!topology_is_main(&scene->topology, token_node[col]));
        for (uint32_t i = 0; i < degree; i++)
            ck_assert(entry_list_add(&list, entry_pack(col, test_random_below(random, items))));
    }
    ck_assert_int_eq(
        item_traffic_make(&scene->traffic, &list, has_tokens ? token_node : NULL, &failure),
        FAIL_NONE);
    entry_list_free(&list);
    scene->plan = (struct place_plan){.traffic = &scene->traffic,
                                      .topology = &scene->topology,
                                      .whole = &scene->whole,
                                      .paths = &scene->paths,
                                      .copies = items,
                                      .threads = 1};
    if (has_tokens && damage != GRAPH && nodes > 1)
        scene->plan.copies += items / 2;
    scene->plan.per_node = (scene->plan.copies + nodes - 1) / nodes;
}

static void free_scene(struct scene *scene)
{
    item_traffic_free(&scene->traffic);
    path_table_free(&scene->paths);
    if (scene->topology.offset != scene->whole.offset)
        topology_free(&scene->whole);
    topology_free(&scene->topology);
}

/* True if a copy with a lower number of the same item is on the node. */
static bool has_twin(const struct assignment *assignment, uint32_t copy, node_index node)
{
    for (uint32_t c = 0; c < copy; c++)
        if (assignment->item[c] == assignment->item[copy] && assignment->node[c] == node)
            return true;
    return false;
}

/* Puts copies on random seats, each on the first of a random order that may have it. False: one has
 * none. */
static bool seat_randomly(const struct scene *scene, struct assignment *assignment,
                          uint64_t *random)
{
    uint32_t seat[4 * MOST_NODES], seats = 0;
    for (uint32_t node = 0; node < scene->topology.nodes; node++)
        for (uint32_t i = 0; i < scene->plan.per_node; i++)
            if (topology_is_main(&scene->topology, node))
                seat[seats++] = node;
    for (uint32_t c = 0; c < assignment->copies; c++) {
        uint32_t begin = test_random_below(random, seats), tried = 0;
        while (tried < seats && has_twin(assignment, c, seat[(begin + tried) % seats]))
            tried++;
        if (tried == seats)
            return false;
        assignment->node[c] = seat[(begin + tried) % seats];
        seat[(begin + tried) % seats] = seat[seats - 1];
        seats--;
    }
    return true;
}

static void scatter(const struct scene *scene, struct assignment *assignment, uint64_t *random)
{
    struct failure failure = {0};
    ck_assert_int_eq(assignment_make(assignment, &scene->plan, &failure), FAIL_NONE);
    while (!seat_randomly(scene, assignment, random))
        continue;
}

/* ---- the oracle ---- */

/* Returns the next node from `node` to `to`, dimension 0 first, only by the topology's ports. */
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
        if (assignment->item[c] != item)
            continue;
        uint32_t distance = scene->plan.copies > scene->traffic.items
                                ? topology_distance(&scene->whole, source, assignment->node[c])
                                : 0;
        if ((distance < least || (distance == least && assignment->node[c] < nearest))) {
            nearest = assignment->node[c];
            least = distance;
        }
    }
    return nearest;
}

/* Walks a path of the table back. */
static void walk_back(const struct scene *scene, uint32_t source, uint32_t to, bool *is_crossed)
{
    for (uint32_t node = to, link; node != source; is_crossed[link] = true)
        node = path_before(&scene->paths, source, node, &link);
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
            if (scene->paths.nodes > 0)
                walk_back(scene, source, to, is_crossed);
            else
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
        ck_assert(topology_is_main(&scene->topology, assignment->node[c]));
        ck_assert(!has_twin(assignment, c, assignment->node[c]));
        ck_assert_uint_le(++count[assignment->node[c]], scene->plan.per_node);
        of_item[assignment->item[c]]++;
    }
    for (uint32_t i = 0; i < scene->traffic.items; i++)
        ck_assert_uint_ge(of_item[i], 1);
}

static enum damage damage_of(int case_number)
{
    return (enum damage)(case_number / SHAPE_COUNT % DAMAGES);
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
    make_scene(&scene, shape, damage_of(_i), 1 + test_random_below(&random, 2 * shape_nodes(shape)),
               _i % 3 == 0, &random);
    scatter(&scene, &assignment, &random);
    struct place_cost walked = walk(&scene, &assignment);
    ck_assert_int_eq(place_measure(&scene.plan, &assignment, &cost, &failure), FAIL_NONE);
    ck_assert_uint_eq(cost.hops, walked.hops);
    ck_assert_uint_eq(cost.busiest_link, walked.busiest_link);
    ck_assert_uint_le(place_least_hops(&scene.plan), cost.hops);
    assignment_free(&assignment);
    free_scene(&scene);
}
END_TEST

/* Fills hops[] with those of shortest paths over links up, then down: hops[1] over links up alone,
 * hops[0] over all. */
static void search_paths(const struct topology *topology, uint32_t source,
                         uint32_t hops[2][MOST_NODES])
{
    for (uint32_t node = 0; node < topology->nodes; node++)
        hops[0][node] = hops[1][node] = node == source ? 0 : MOST_NODES;
    for (uint32_t round = 0; round < topology->nodes; round++)
        for (uint32_t node = 0; node < topology->nodes; node++)
            for (uint32_t p = 0; p < topology_node_ports(topology, node); p++) {
                uint32_t to = topology_neighbour(topology, node, p);
                bool is_up = topology_height(topology, TOPOLOGY_LEAST_NODE, to) <
                             topology_height(topology, TOPOLOGY_LEAST_NODE, node);
                uint32_t reached = hops[is_up][node] + 1;
                if (reached < hops[is_up][to])
                    hops[is_up][to] = reached;
                if (reached < hops[0][to])
                    hops[0][to] = reached;
            }
}

/* Paths of the table lead over links of the topology, up, then down. On meshes they are shortest
 * among such paths if no link lacks the opposite one. */
START_TEST(test_paths)
{
    uint64_t random = (uint64_t)_i + 313;
    struct scene scene = {0};
    uint32_t hops[2][MOST_NODES];
    const struct shape *shape = &SHAPES[_i % SHAPE_COUNT];
    make_topology(&scene, shape, _i % 2 == 0 ? BROKEN : GRAPH, &random);
    const struct topology *topology = &scene.topology;
    for (uint32_t from = 0; from < scene.paths.nodes; from++) {
        if (!topology_is_main(topology, from))
            continue;
        search_paths(topology, from, hops);
        for (uint32_t to = 0; to < topology->nodes; to++) {
            uint32_t count = 0, node = to, link;
            bool is_up = false;
            for (; topology_is_main(topology, to) && node != from; count++) {
                uint32_t before = path_before(&scene.paths, from, node, &link);
                ck_assert_uint_eq(
                    topology_port_to(topology, before, node) + topology->offset[before], link);
                bool leads_up = topology_height(topology, TOPOLOGY_LEAST_NODE, node) <
                                topology_height(topology, TOPOLOGY_LEAST_NODE, before);
                ck_assert(leads_up || !is_up);
                is_up = leads_up;
                node = before;
            }
            if (node == from && topology_is_main(topology, to)) {
                ck_assert_uint_ge(count, hops[0][to]);
                if (shape->kind == TOPOLOGY_MESH && _i % 2 == 0 && !topology->has_one_way)
                    ck_assert_uint_eq(count, hops[0][to]);
            }
        }
    }
    free_scene(&scene);
}
END_TEST

/* ---- moves ---- */

static double note_cost(void *context, uint64_t tried, const struct place_cost *least)
{
    (void)tried;
    *(struct place_cost *)context = *least;
    return 0;
}

/* The cost that moves lead to, figure by figure, is that of the placement at the end; no start is
 * better, none breaks a capacity, and threads change nothing. */
START_TEST(test_moves)
{
    uint64_t random = (uint64_t)_i + 77;
    struct failure failure = {0};
    struct scene scene;
    struct assignment assignment, other;
    struct place_cost noted, first;
    struct place_result result;
    const struct shape *shape = &SHAPES[_i % SHAPE_COUNT];
    make_scene(&scene, shape, damage_of(_i), 2 + test_random_below(&random, 2 * shape_nodes(shape)),
               _i % 3 == 0, &random);
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
    free_scene(&scene);
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
    make_scene(&scene, shape, damage_of(_i), 1 + test_random_below(&random, 3 * shape_nodes(shape)),
               _i % 3 == 0, &random);
    for (uint32_t i = 0; (start = place_start_at(&scene.plan, i)) != NULL; i++) {
        ck_assert_int_eq(assignment_make(&assignment, &scene.plan, &failure), FAIL_NONE);
        ck_assert_msg(start->fill(&scene.plan, &assignment, &failure) == FAIL_NONE, "%s: %s",
                      start->name, failure.text);
        check_capacity(&scene, &assignment);
        assignment_free(&assignment);
    }
    free_scene(&scene);
}
END_TEST

/* The bound of steps falls to that of the placement at the end, and is no larger than at the
 * start. */
START_TEST(test_bound)
{
    uint64_t random = (uint64_t)_i + 33, before, after;
    struct failure failure = {0};
    struct scene scene;
    struct assignment assignment;
    struct place_cost noted;
    struct place_result result;
    make_scene(&scene, &SHAPES[0], _i % 3 == 0 ? WHOLE : BROKEN, 30, _i % 2 == 0, &random);
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
    free_scene(&scene);
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

/* On at most six nodes the best of a few searches is as good as the best of all placements. */
START_TEST(test_optimum)
{
    uint64_t random = (uint64_t)_i + 900;
    struct failure failure = {0};
    struct scene scene;
    struct assignment assignment;
    struct place_cost least = {UINT64_MAX, UINT64_MAX, 0};
    uint64_t found = UINT64_MAX;
    struct place_result result;
    make_scene(&scene, &(struct shape){TOPOLOGY_MESH, 2, {3, 2}}, (enum damage)(_i / 2 % DAMAGES),
               0, false, &random);
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
    free_scene(&scene);
}
END_TEST

/* ---- the program ---- */

/* Checks the result of the last run against the set that import makes with it: the traffic of
 * scheme vh is the hops. */
static void check_import(const char *options, const char *plan, const char *info)
{
    json_t *placed = program_run_json();
    json_int_t hops = program_run_integer(placed, "hops");
    const json_t *rows = json_object_get(placed, "placements");
    for (size_t i = 0; i < json_array_size(rows); i++)
        ck_assert_int_le(hops, program_run_integer(json_array_get(rows, i), "hops"));
    ck_assert_int_le(program_run_integer(placed, "least_hops"), hops);
    program_run_ends(0, "$M import %s -q -o $T/set", options);
    program_run_ends(0, "$M plan $T/set --schemes vh %s --json", plan);
    json_t *plans = program_run_json();
    ck_assert_int_eq(program_run_integer(json_array_get(plans, 0), "traffic"), hops);
    program_run_ends(0, "$M info $T/set %s --json", info);
    json_t *figures = program_run_json();
    const json_t *bound = json_object_get(placed, "lower_bound");
    ck_assert(json_is_null(bound) || json_equal(bound, json_object_get(figures, "lower_bound")));
    json_decref(placed);
    json_decref(plans);
    json_decref(figures);
}

static const char ROUTES[] = "{\"topk_ids\":[0,3]}\n{\"topk_ids\":[0,4]}\n{\"topk_ids\":[0,1]}\n"
                             "{\"topk_ids\":[2,3]}\n{\"topk_ids\":[0,5]}\n{\"topk_ids\":[1,0]}\n";

/* A placement of a matrix, of experts, and of a set, read back by import, costs what the report
 * says. */
START_TEST(test_files)
{
    program_run("$M place test/data/west0479.mtx --moves 20000 -o $T/part --json");
    check_import("test/data/west0479.mtx --side 22 --part $T/part", "", "");
    program_run("$M place test/data/lp_e226.mtx --side 9x8 --moves 20000 -o $T/part --json");
    check_import("test/data/lp_e226.mtx --side 9x8 --part $T/part", "", "");
    program_run_file("routes.jsonl", ROUTES);
    program_run("$M place $T/routes.jsonl --side 5 --replicas 3 --moves 900 -o $T/place --json");
    check_import("$T/routes.jsonl --side 5 --place $T/place", "", "");
    program_run("$M gen --side 6 --pattern uniform --degree 3 --congestion 3 -o $T/uniform");
    program_run("$M place $T/uniform --side 4 --moves 9000 -o $T/part --json");
    check_import("$T/uniform --side 4 --part $T/part", "", "");
}
END_TEST

#define UP_DOWN "--param paths=up-down"
#define BROKEN_BY "--without $T/broken"

/* The same on broken meshes and tori, and on a graph. */
START_TEST(test_broken_files)
{
    static const char UP[] = UP_DOWN " " BROKEN_BY;
    program_run("$M gen --side 23 --faults nodes=0.05,links=0.04 --seed 3 -o $T/broken");
    program_run("$M place test/data/west0479.mtx --side 23 " BROKEN_BY
                " --moves 9000 -o $T/part --json");
    check_import("test/data/west0479.mtx --side 23 --part $T/part " BROKEN_BY, UP, BROKEN_BY);
    program_run_file("routes.jsonl", ROUTES);
    program_run_file("broken", "node 0\nnode 12\nlink 7 8\nlink 3>4\nlink 23 24\nlink 19 24\n");
    program_run("$M place $T/routes.jsonl --side 5 " BROKEN_BY
                " --replicas 9 --moves 900 -o $T/place --json");
    check_import("$T/routes.jsonl --side 5 --place $T/place " BROKEN_BY, UP, BROKEN_BY);
    program_run_ends(0, "$M network $T/set --schemes vh " UP_DOWN " " BROKEN_BY
                        " --switching cut-through && $M route $T/set --router trees " BROKEN_BY);
    program_run("$M gen --side 6 --pattern uniform --degree 3 --congestion 3 -o $T/uniform");
    program_run("$M place $T/uniform --topology torus:5x5 " BROKEN_BY
                " --moves 9000 -o $T/part --json");
    check_import("$T/uniform --topology torus:5x5 --part $T/part " BROKEN_BY, UP, BROKEN_BY);
    program_run("(seq 0 49; seq 0 30) >$T/from; (seq 1 50; seq 20 50) >$T/to; "
                "paste $T/from $T/to >$T/graph");
    program_run("$M place $T/uniform --topology graph:$T/graph --objective busiest-link --moves "
                "9000 -o $T/part --json");
    check_import("$T/uniform --topology graph:$T/graph --part $T/part",
                 UP_DOWN " --topology graph:$T/graph", "--topology graph:$T/graph");
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

/* Without moves the result is the best start; a trace's messages are placed as those of a set,
 * several items per node too. */
START_TEST(test_no_moves)
{
    program_run_file("t.csv", "cycle,source,destination\n0,1,2\n2,3,1\n5,2,1\n");
    program_run("cd $T && $M import t.csv -o t.mcast && for f in t.csv t.mcast; do $M place $f "
                "--per-node 2 --moves 0 -o $f.part -q >report || exit; done");
    program_run_ends(0, "cmp $T/t.csv.part $T/t.mcast.part");
    program_run("$M place $T/t.csv --moves 0 --seconds 9 --json");
    json_t *placed = program_run_json();
    const json_t *all = json_object_get(placed, "placements");
    int64_t least = INT64_MAX;
    for (size_t i = 0; i + 1 < json_array_size(all); i++)
        if (program_run_integer(json_array_get(all, i), "hops") < least)
            least = program_run_integer(json_array_get(all, i), "hops");
    ck_assert_int_eq(program_run_integer(placed, "hops"), least);
    ck_assert_int_eq(program_run_integer(placed, "moves"), 0);
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
    {"$T/onring", 2, "give its edges as topology graph:FILE"},
    {"$T/onring --topology graph:$T/ring --objective bound", 2, "meshes of two dimensions"},
    {"$T/onring --topology graph:$T/ring --without $T/dead", 2,
     "leave edges out of a graph's file"},
    {"$T/routes.jsonl --topology graph:$T/ring --replicas 1", 2,
     "--replicas is for meshes and tori"},
    {"$T/routes.jsonl --side 2 --replicas 19", 2, "19 replicas of 6 experts are more than one"},
    {"$T/routes.jsonl --side 3 --without $T/dead --per-node 1 --replicas 37", 2,
     "37 replicas of 6 experts"},
    {"test/data/west0479.mtx --side 22 --without $T/dead --per-node 1 --parts $T/own", 3,
     "own:2: node 1 is dead in"},
    {"test/data/west0479.mtx --without $T/dead --topology mesh:3x160 --per-node 1", 2,
     "mesh:3x160 without 2 nodes, 12 links has room for 478 of 479"},
    {"test/data/west0479.mtx --objective bound --topology torus:22x22", 2, "two dimensions"},
    {"test/data/west0479.mtx --part $T/short", 3, "expected 479 node numbers"},
    {"test/data/west0479.mtx --part $T/crowd", 2, "more than 1 item on node 0"},
    {"test/data/west0479.mtx --part $T/far", 3, "far:479"},
    {"$T/short -q", 3, "expected"},
    {"$T/none", 4, "cannot open"},
    {"$T/short", 3, "expected"},
    {"test/data/west0479.mtx -o $T/none/part", 4, "cannot"},
};

/* Impossible placements are refused with a reason. */
START_TEST(test_refused)
{
    program_run_file("ring", "0 1\n1 2\n2 0\n");
    program_run_file("onring", "mcast 2 graph 3\n0 1\nend 1\n");
    program_run_file("routes.jsonl", ROUTES);
    program_run_file("dead", "node 1\nnode 7\n");
    program_run_file("short", "0\n1\n");
    program_run_file("timed", "mcast 3 mesh 2 2\n0@3 1\nend 1\n");
    program_run("yes 0 | head -479 >$T/crowd; (seq 0 477; echo 9999) >$T/far; seq 0 478 >$T/own");
    program_run_fails(REFUSED[_i].status, REFUSED[_i].text, "$M place %s", REFUSED[_i].options);
}
END_TEST

/* So is what import cannot put on a broken mesh, with the line of the file that names the node. */
START_TEST(test_import_refused)
{
    program_run_file("dead", "node 1\n");
    program_run_ends(0, "seq 0 478 >$T/own");
    program_run_fails(2, "--without needs a mesh or torus",
                      "$M import test/data/west0479.mtx --without $T/dead");
    program_run_fails(3, "own:2: node 1 is dead in",
                      "$M import test/data/west0479.mtx --side 22 --part $T/own --without $T/dead");
    program_run_fails(3, "own:2: node 1 is dead in",
                      "$M compare test/data/west0479.mtx --parts $T/own --without $T/dead");
    program_run_file("routes.jsonl", ROUTES);
    program_run_file("corner", "node 1\nnode 3\n");
    program_run_file("experts", "# nodes of six\n2\n4 0\n5\n6\n7\n8\n");
    program_run_fails(3, "experts:3: node 0 is cut off from the main part in",
                      "$M import $T/routes.jsonl --side 3 --place $T/experts --without $T/corner "
                      "--per-node 99");
    program_run_fails(2, "of 479 indices; a larger mesh, or --per-node larger",
                      "yes | sed 's/.*/node 9/;5q' >$T/nine; seq 20 25 | sed 's/^/node /' "
                      ">>$T/nine; $M import test/data/west0479.mtx --side 22 --without $T/nine");
}
END_TEST

/* Commands that use the largest part of a broken mesh alone say so, once. */
START_TEST(test_parts_noted)
{
    static const char *const COMMANDS[] = {
        "gen --side 4 --pattern uniform --degree 2",
        "gen --side 4 --pattern transpose",
        "load --topology mesh:4x4 --schemes unicast --rate 0.01 --routing up-down --measure 10",
        "import $T/graph.txt --side 4",
        "place $T/graph.txt --side 4 --moves 0",
    };
    program_run_file("graph.txt", "0 1\n1 2\n");
    program_run_file("wall", "node 4\nnode 5\nnode 6\nnode 7\n");
    program_run_file("top", "node 0\nnode 1\nnode 2\nnode 3\n");
    const char *note = "note: 8 of 12 nodes are joined; the others are not used\n";
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        const struct outcome *run = program_run("$M %s --without $T/wall", COMMANDS[i]);
        const char *found = strstr(run->err, note);
        ck_assert_msg(run->status == 0 && found != NULL, "%s: %s", COMMANDS[i], run->err);
        ck_assert_ptr_null(strstr(found + 1, note));
        run = program_run("$M %s --without $T/top", COMMANDS[i]);
        ck_assert_msg(run->status == 0 && strstr(run->err, "joined") == NULL, "%s", run->err);
        run = program_run("$M %s --without $T/wall -q", COMMANDS[i]);
        ck_assert_msg(run->status == 0 && run->err[0] == '\0', "%s: %s", COMMANDS[i], run->err);
    }
}
END_TEST

void place_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, test_costs, 0, 6 * SHAPE_COUNT);
    tcase_add_loop_test(tests, test_paths, 0, 3 * SHAPE_COUNT);
    tcase_add_loop_test(tests, test_moves, 0, 6 * SHAPE_COUNT);
    tcase_add_loop_test(tests, test_starts, 0, 3 * SHAPE_COUNT);
    tcase_add_loop_test(tests, test_bound, 0, 6);
    tcase_add_loop_test(tests, test_optimum, 0, 12);
    tcase_add_test(tests, test_files);
    tcase_add_test(tests, test_broken_files);
    tcase_add_test(tests, test_threads);
    tcase_add_test(tests, test_no_moves);
    tcase_add_loop_test(tests, test_refused, 0, sizeof REFUSED / sizeof *REFUSED);
    tcase_add_test(tests, test_import_refused);
    tcase_add_test(tests, test_parts_noted);
    tcase_set_timeout(tests, 120);
}
