/* test_broken_circulate.c - router `circulate` on broken meshes: its walks, steps and packets.
 *
 * Oracle: a message to all of a part shows the walk, since it arrives at each node after as many
 * steps as that is links away. From these places the steps of any other set are computed. Parts and
 * whole blocks of 2 x 2 nodes, which bound the length of a walk (doc/broken.md), are searched here.
 */
#include "test/length.h"
#include "test/random.h"
#include "test/routers/router_case.h"
#include "test/temporary.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- broken meshes ---- */

enum { SIDES = 4, NOWHERE = UINT32_MAX };

struct broken {
    struct grid mesh;
    char file[TEMPORARY_PATH];
    bool *is_dead, (*is_missing)[SIDES]; /* [node]: links to the north, south, west, east */
    uint32_t *part, *queue;              /* [node]: the least node of its part; dead: NOWHERE */
    bool is_whole;
};

static uint32_t beside(const struct broken *broken, uint32_t node, int side)
{
    uint32_t row = node / broken->mesh.cols, col = node % broken->mesh.cols;
    uint32_t to_row = row + (side == 1) - (side == 0), to_col = col + (side == 3) - (side == 2);
    bool is_on = to_row < broken->mesh.rows && to_col < broken->mesh.cols;
    return is_on ? to_row * broken->mesh.cols + to_col : NOWHERE;
}

/* True if both directions of a link remain. */
static bool is_joined(const struct broken *broken, uint32_t node, int side)
{
    uint32_t to = node == NOWHERE ? NOWHERE : beside(broken, node, side);
    return to != NOWHERE && !broken->is_dead[node] && !broken->is_dead[to] &&
           !broken->is_missing[node][side] && !broken->is_missing[to][side ^ 1];
}

static void find_parts(struct broken *broken)
{
    uint32_t nodes = grid_nodes(broken->mesh);
    memset(broken->part, 0xff, nodes * sizeof *broken->part);
    for (uint32_t root = 0; root < nodes; root++) {
        uint32_t count = broken->part[root] == NOWHERE && !broken->is_dead[root];
        broken->queue[0] = root;
        broken->part[root] = count > 0 ? root : broken->part[root];
        for (uint32_t i = 0; i < count; i++)
            for (int side = 0; side < SIDES; side++) {
                uint32_t to = beside(broken, broken->queue[i], side);
                if (!is_joined(broken, broken->queue[i], side) || broken->part[to] != NOWHERE)
                    continue;
                broken->part[to] = root;
                broken->queue[count++] = to;
            }
    }
}

static void begin(struct broken *broken, struct grid mesh)
{
    uint32_t nodes = grid_nodes(mesh);
    *broken = (struct broken){.mesh = mesh,
                              .is_dead = calloc(nodes, sizeof *broken->is_dead),
                              .is_missing = calloc(nodes, sizeof *broken->is_missing),
                              .part = calloc(nodes, sizeof *broken->part),
                              .queue = calloc(nodes, sizeof *broken->queue)};
    ck_assert(broken->is_dead && broken->is_missing && broken->part && broken->queue);
}

/* Writes the file and finds the parts. */
static void finish(struct broken *broken)
{
    FILE *file = temporary_file(broken->file);
    for (uint32_t node = 0; node < grid_nodes(broken->mesh); node++) {
        if (broken->is_dead[node])
            fprintf(file, "node %" PRIu32 "\n", node);
        for (int side = 0; side < SIDES; side++)
            if (broken->is_missing[node][side])
                fprintf(file, "link %" PRIu32 ">%" PRIu32 "\n", node, beside(broken, node, side));
    }
    broken->is_whole = ftell(file) == 0;
    fclose(file);
    find_parts(broken);
}

static void end(struct broken *broken)
{
    unlink(broken->file);
    free(broken->is_dead);
    free(broken->is_missing);
    free(broken->part);
    free(broken->queue);
}

/* Draws so many nodes and links of a thousand; a third of the links lacks one direction only. */
static void draw(struct broken *broken, struct grid mesh, uint32_t dead, uint32_t missing,
                 uint64_t *random)
{
    begin(broken, mesh);
    for (uint32_t node = 0; node < grid_nodes(mesh); node++) {
        broken->is_dead[node] = test_random_below(random, 1000) < dead;
        for (int side = 1; side < SIDES; side += 2) {
            uint32_t to = beside(broken, node, side), which = test_random_below(random, 6);
            if (to == NOWHERE || test_random_below(random, 1000) >= missing)
                continue;
            broken->is_missing[node][side] = which != 0;
            broken->is_missing[to][side ^ 1] = which != 1;
        }
    }
    finish(broken);
}

/* ---- lengths of walks ---- */

/* True if the block of 2 x 2 nodes of which `node` is the first lacks nothing. */
static bool is_whole(const struct broken *broken, uint32_t node)
{
    uint32_t cols = broken->mesh.cols;
    return node != NOWHERE && node % cols % 2 == 0 && node / cols % 2 == 0 &&
           is_joined(broken, node, 3) && is_joined(broken, node, 1) &&
           is_joined(broken, node + 1, 1) && is_joined(broken, node + cols, 3);
}

/* Returns the first node of the whole block on that side if both links there remain, or NOWHERE. */
static uint32_t block_beside(const struct broken *broken, uint32_t block, int side)
{
    uint32_t cols = broken->mesh.cols, along = side < 2 ? 1 : cols;
    uint32_t edge = side % 2 == 0 ? block : side == 1 ? block + cols : block + 1;
    bool is_linked = is_joined(broken, edge, side) && is_joined(broken, edge + along, side);
    uint32_t to = !is_linked ? NOWHERE : beside(broken, beside(broken, block, side), side);
    return is_whole(broken, to) ? to : NOWHERE;
}

/* Returns the links of a part's walk at most. */
static uint32_t longest_walk(const struct broken *broken, uint32_t part)
{
    uint32_t nodes = grid_nodes(broken->mesh), live = 0, blocks = 0, groups = 0;
    bool *is_seen = calloc(nodes, sizeof *is_seen);
    ck_assert_ptr_nonnull(is_seen);
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t count = broken->part[node] == part && is_whole(broken, node) && !is_seen[node];
        live += broken->part[node] == part;
        groups += count;
        is_seen[node] |= count > 0;
        broken->queue[0] = node;
        for (uint32_t i = 0; i < count; i++, blocks++)
            for (int side = 0; side < SIDES; side++) {
                uint32_t to = block_beside(broken, broken->queue[i], side);
                if (to == NOWHERE || is_seen[to])
                    continue;
                is_seen[to] = true;
                broken->queue[count++] = to;
            }
    }
    free(is_seen);
    return 2 * (live - 1 - 2 * blocks + groups);
}

/* ---- the walks ---- */

struct walks {
    uint32_t *place;  /* [node]: links from its part's least node */
    uint32_t *length; /* [node]: links of its part's walk */
    uint32_t *live;   /* [node]: nodes of its part */
    uint32_t longest, visits;
    bool
        are_circuits; /* packets go both ways at once, and nothing else here is known but lengths */
};

static struct router_case case_of(const struct broken *broken, bool is_free)
{
    struct router_case run = router_case_make("circulate", NULL);
    run.copy_is_free = is_free;
    run.without = broken->file;
    return run;
}

/* Makes a set in which the least and the greatest node of each part send to all of it. */
static void show_walks(const struct broken *broken, struct plain_set *set)
{
    uint32_t nodes = grid_nodes(broken->mesh), pairs = 0;
    uint32_t *from = calloc(2 * (size_t)nodes, sizeof *from), *to = calloc(2 * (size_t)nodes, 4);
    uint32_t *greatest = broken->queue;
    ck_assert(from != NULL && to != NULL);
    for (uint32_t node = 0; node < nodes; node++)
        if (broken->part[node] != NOWHERE)
            greatest[broken->part[node]] = node;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t part = broken->part[node];
        if (part == NOWHERE)
            continue;
        if (part != node)
            from[pairs] = part, to[pairs++] = node;
        if (greatest[part] != node)
            from[pairs] = greatest[part], to[pairs++] = node;
    }
    plain_set_pairs(set, broken->mesh, pairs, from, to);
    free(from);
    free(to);
}

/* Reads where packets go and when they arrive from a trace of show_walks(). */
static void read_trace(const struct broken *broken, struct walks *walks, const char *trace)
{
    uint32_t nodes = grid_nodes(broken->mesh), step, numbers[3];
    bool(*is_used)[SIDES] = calloc(nodes, sizeof *is_used);
    char event;
    ck_assert_ptr_nonnull(is_used);
    for (const char *at = trace; at != NULL; at = strchr(at, '\n')) {
        char line[80];
        at += *at == '\n';
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        if (sscanf(line, "%" SCNu32 " %c %" SCNu32 " %" SCNu32 " %" SCNu32, &step, &event, numbers,
                   numbers + 1, numbers + 2) < 5)
            continue;
        for (int side = 0; side < SIDES && event == 'M'; side++)
            is_used[numbers[1]][side] |= beside(broken, numbers[1], side) == numbers[2];
        bool arrives = event == 'D' || event == 'E';
        if (arrives && numbers[2] == broken->part[numbers[0]])
            walks->place[numbers[0]] = step;
        else if (arrives && numbers[0] == broken->part[numbers[0]])
            walks->length[numbers[0]] = step; /* from the greatest node home */
    }
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t visits = 0;
        for (int side = 0; side < SIDES; side++)
            visits += is_used[node][side];
        walks->visits = visits > walks->visits ? visits : walks->visits;
    }
    free(is_used);
}

/* Finds the walks. Each has at least as many links as nodes, and as few as whole blocks promise. */
static void find_walks(const struct broken *broken, struct walks *walks)
{
    struct plain_set set;
    struct case_result result;
    struct router_case run = case_of(broken, true);
    uint32_t nodes = grid_nodes(broken->mesh), most = 0;
    uint32_t *greatest = broken->queue;
    *walks = (struct walks){.place = calloc(nodes, sizeof *walks->place),
                            .length = calloc(nodes, sizeof *walks->length),
                            .live = calloc(nodes, sizeof *walks->live)};
    ck_assert(walks->place && walks->length && walks->live);
    show_walks(broken, &set);
    router_case_check(&run, &set, NULL);
    char *trace = router_case_trace(&run, &set, &result, NULL);
    read_trace(broken, walks, trace);
    for (uint32_t node = 0; node < nodes; node++)
        if (broken->part[node] != NOWHERE) {
            walks->live[broken->part[node]]++;
            greatest[broken->part[node]] = node;
        }
    for (uint32_t node = 0; node < nodes; node++)
        most = walks->live[node] > most ? walks->live[node] : most;
    walks->are_circuits = result.proven_steps < most - 1;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t part = broken->part[node];
        if (part == node) {
            uint32_t length = walks->length[node] + walks->place[greatest[node]];
            walks->length[node] = walks->are_circuits ? walks->live[node] : length;
        } else if (part != NOWHERE) {
            walks->length[node] = walks->length[part];
            walks->live[node] = walks->live[part];
        }
        if (walks->length[node] > walks->longest)
            walks->longest = walks->length[node];
    }
    for (uint32_t node = 0; node < nodes; node++)
        if (broken->part[node] == node && walks->live[node] > 1) {
            ck_assert_uint_ge(walks->length[node], walks->live[node]);
            ck_assert_uint_le(walks->length[node], longest_walk(broken, node));
        }
    if (walks->are_circuits)
        walks->visits = 1;
    free(trace);
    plain_set_free(&set);
}

static void free_walks(struct walks *walks)
{
    free(walks->place);
    free(walks->length);
    free(walks->live);
}

/* ---- the steps of a set ---- */

/* Draws messages to some nodes of their parts, up to three from a node; on large meshes few nodes
 * send. */
static void draw_set(const struct broken *broken, struct plain_set *set, uint32_t degree,
                     uint64_t *random)
{
    enum { MOST_SENT = 3, FEW = 100 };
    uint32_t nodes = grid_nodes(broken->mesh), messages = 0, count = 0;
    size_t room = (size_t)nodes * MOST_SENT;
    uint32_t *source = calloc(room, 4), *destination = calloc(room * degree, 4);
    uint64_t *offset = calloc(room + 1, sizeof *offset);
    uint32_t most = 1 + test_random_below(random, MOST_SENT);
    ck_assert(source && destination && offset);
    for (uint32_t i = 0; i < nodes * most; i++) {
        uint32_t node = i % nodes, drawn = 1 + test_random_below(random, degree), first = count;
        uint32_t to = test_random_below(random, nodes);
        for (uint32_t tried = 0; tried < nodes && count < first + drawn; tried++) {
            if (to != node && broken->part[to] != NOWHERE && broken->part[to] == broken->part[node])
                destination[count++] = to;
            to = (to + 1) % nodes;
        }
        if (nodes > FEW && test_random_below(random, nodes) >= FEW)
            count = first;
        if (count == first)
            continue;
        source[messages++] = node;
        offset[messages] = count;
    }
    plain_set_make(set, broken->mesh, messages, source, offset, destination);
    free(source);
    free(destination);
    free(offset);
}

/* Returns the steps of a run, by the places of nodes; `tour` steps are between tours. */
static uint64_t steps_of(const struct walks *walks, const struct plain_set *set, bool is_free,
                         uint64_t tour)
{
    uint32_t nodes = grid_nodes(set->mesh), longest[2] = {0};
    uint32_t *sent = calloc(nodes, sizeof *sent);
    bool is_one_way = is_free || set->degree == 1;
    ck_assert_ptr_nonnull(sent);
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t source = set->source[i];
        if (++sent[source] < set->most_sent)
            continue;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            uint32_t node = set->destination[j], length = walks->length[node];
            uint32_t ahead = (walks->place[node] + length - walks->place[source]) % length;
            bool is_back =
                !is_one_way && (2 * ahead > length || (2 * ahead == length && node < source));
            uint32_t links = is_back ? length - ahead : ahead;
            longest[is_back] = links > longest[is_back] ? links : longest[is_back];
        }
    }
    free(sent);
    uint64_t before = (set->most_sent - 1) * tour;
    if (is_one_way)
        return before + longest[0];
    return before + (longest[0] > longest[1] ? 2 * longest[0] : 2 * longest[1] + 1);
}

/* Checks steps, promise and packets of a set. */
static void check_set(const struct broken *broken, const struct walks *walks,
                      const struct plain_set *set, bool is_free)
{
    struct case_result result;
    struct router_case run = case_of(broken, is_free);
    bool take_turns = !is_free && set->degree > 1;
    uint32_t hops = take_turns || walks->are_circuits ? walks->longest / 2 : walks->longest - 1;
    uint64_t tour = take_turns ? 2 * hops + 1 : hops;
    uint32_t ways = take_turns || walks->are_circuits ? 2 : 1;
    router_case_check(&run, set, &result);
    ck_assert_uint_eq(result.proven_steps, set->most_sent * tour);
    ck_assert_uint_le(result.steps, result.proven_steps);
    ck_assert_uint_eq(result.buffer_capacity, ways * walks->visits);
    ck_assert_uint_le(result.buffer_peak, result.buffer_capacity);
    if (!walks->are_circuits)
        ck_assert_uint_eq(result.steps, steps_of(walks, set, is_free, tour));
    run.buffer = result.buffer_capacity - 1;
    if (run.buffer > 0)
        ck_assert_int_eq(router_case_run(&run, set, NULL, &result, NULL), MESHCAST_USAGE);
}

/* True if the mesh is broken, and has a part of two nodes. */
static bool has_neighbours(const struct broken *broken)
{
    if (broken->is_whole)
        return false;
    for (uint32_t node = 0; node < grid_nodes(broken->mesh); node++)
        if (broken->part[node] < node)
            return true;
    return false;
}

/* Checks some sets on a mesh, and frees it. */
static void check_mesh(struct broken *broken, uint64_t *random)
{
    struct walks walks;
    if (has_neighbours(broken)) {
        find_walks(broken, &walks);
        for (int i = 0; i < 4; i++) {
            struct plain_set set;
            uint32_t nodes = grid_nodes(broken->mesh);
            draw_set(broken, &set, i < 2 ? 1 + 3 * (uint32_t)i : nodes < 100 ? nodes : 5, random);
            check_set(broken, &walks, &set, i % 2 == 0);
            check_set(broken, &walks, &set, i % 2 == 1);
            plain_set_free(&set);
        }
        free_walks(&walks);
    }
    end(broken);
}

/* Small meshes from almost whole to crumbled, and large ones. */
START_TEST(drawn)
{
    static const uint32_t faults[][2] = {{0, 20},   {20, 0},  {20, 10},
                                         {100, 50}, {0, 300}, {300, 200}};
    for (uint64_t number = 0; number < (TEST_IS_SHORT ? 12 : 200); number++) {
        uint64_t random = 100 * number + (uint64_t)_i;
        struct broken broken;
        struct grid mesh = {1 + test_random_below(&random, 9), 1 + test_random_below(&random, 9)};
        draw(&broken, mesh, faults[_i][0], faults[_i][1], &random);
        if (grid_nodes(mesh) > 1)
            check_mesh(&broken, &random);
        else
            end(&broken);
    }
}
END_TEST

START_TEST(large)
{
    uint64_t random = 7;
    struct broken broken;
    draw(&broken, (struct grid){64, 64}, 20, 10, &random);
    check_mesh(&broken, &random);
}
END_TEST

/* ---- known walks ---- */

/* Rows of a mesh, top to bottom: 'o' is a node, '-' and '|' are links, each missing where it is
 * blank; '>' and 'v' lack the opposite direction. */
static const struct {
    const char *rows[7];
    uint32_t length[3]; /* of the parts, by least nodes */
} SHAPES[] = {
    {{"o-o  "}, {2}},
    {{"o-o-o-o-o o"}, {8}},
    {{"o-o o-o-o o-o"}, {2, 4, 2}},
    {{"o-o>o-o"}, {2, 2}},
    /* a comb, whose teeth have no square */
    {{"o-o-o-o-o", "| | | | |", "o o o o o", "| | | | |", "o o o o o"}, {28}},
    /* a ring without a square is walked there and back */
    {{"o-o-o", "|   |", "o   o", "|   |", "o-o-o"}, {14}},
    /* circuits */
    {{"o-o", "| |", "o-o"}, {4}},
    {{"o-o o-o", "| | | |", "o-o-o-o", "| | | |", "o-o-o-o", "| | | |", "o-o-o-o"}, {16}},
    {{"o-o-o-o", "| | | |", "o-o-o-o", "v |    ", "o-o-o-o", "| | | |", "o-o-o-o"}, {18}},
    {{"o-o-o-o", "| | | |", "o-o-o-o", "v | | |", "o-o-o-o", "| | | |", "o-o-o-o"}, {16}},
    /* nodes aside */
    {{"  o-o-o", "  | | |", "o-o-o-o", "| | | |", "o-o-o-o", "| | | |", "o-o-o-o"}, {16}},
    {{"o-o-o", "| | |", "o-o-o", "| | |", "o-o-o", "    |", "    o"}, {12}},
    /* two squares, a link apart */
    {{"o-o-o-o", "| | | |", "o-o o-o"}, {10}},
};

static void read_shape(struct broken *broken, const char *const *rows)
{
    uint32_t lines = 0, wide = (uint32_t)strlen(rows[0]);
    while (lines < 7 && rows[lines] != NULL)
        lines++;
    begin(broken, (struct grid){(lines + 1) / 2, (wide + 1) / 2});
    for (uint32_t node = 0; node < grid_nodes(broken->mesh); node++) {
        uint32_t row = node / broken->mesh.cols * 2, col = node % broken->mesh.cols * 2;
        broken->is_dead[node] = rows[row][col] != 'o';
        for (int side = 1; side < SIDES; side += 2) {
            uint32_t to = beside(broken, node, side);
            if (to == NOWHERE)
                continue;
            char link = side == 1 ? rows[row + 1][col] : rows[row][col + 1];
            broken->is_missing[node][side] = link == ' ';
            broken->is_missing[to][side ^ 1] = link == ' ' || link == '>' || link == 'v';
        }
    }
    finish(broken);
}

START_TEST(shapes)
{
    struct broken broken;
    struct walks walks;
    uint64_t random = 1;
    uint32_t parts = 0;
    read_shape(&broken, SHAPES[_i].rows);
    find_walks(&broken, &walks);
    for (uint32_t node = 0; node < grid_nodes(broken.mesh); node++)
        if (broken.part[node] == node && walks.live[node] > 1)
            ck_assert_uint_eq(walks.length[node], SHAPES[_i].length[parts++]);
    ck_assert(parts == 3 || SHAPES[_i].length[parts] == 0);
    free_walks(&walks);
    check_mesh(&broken, &random);
}
END_TEST

/* Around a Hamiltonian circuit all send to all in half as many steps as there are nodes. */
START_TEST(circuit)
{
    struct broken broken;
    struct plain_set set;
    struct case_result result;
    enum { NODES = 16 };
    uint32_t from[NODES * NODES], to[NODES * NODES];
    read_shape(&broken, SHAPES[7].rows);
    for (uint32_t i = 0; i < NODES * NODES; i++) {
        from[i] = i / NODES;
        to[i] = i % NODES;
    }
    plain_set_pairs(&set, broken.mesh, NODES * NODES, from, to);
    for (int is_free = 0; is_free < 2; is_free++) {
        struct router_case run = case_of(&broken, is_free);
        router_case_check(&run, &set, &result);
        router_case_check_threads(run, &set);
        ck_assert_uint_eq(result.steps, is_free ? NODES / 2 : NODES + 1);
        ck_assert_uint_eq(result.buffer_peak, 2);
    }
    plain_set_free(&set);
    end(&broken);
}
END_TEST

void broken_circulate_suite(TCase *tests)
{
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, drawn, 0, 6);
    tcase_add_test(tests, large);
    tcase_add_loop_test(tests, shapes, 0, sizeof SHAPES / sizeof *SHAPES);
    tcase_add_test(tests, circuit);
}
