/* test_forward_order.c - who leaves a queue of machine_forward first, against a plain model.
 *
 * The model keeps each link's packets as a bag with the time of their arrival, looks through all of
 * it for the most urgent and oldest, and writes the lines of the trace that it expects.
 */
#include "base/pcg.h"
#include "machine/forward.h"
#include "machine/machine.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *forward_order_suite(void);

enum { MOST_PACKETS = 400, MOST_TEXT = 1 << 20 };

/* Packets from[p] to to[p], along rows first. */
struct traffic {
    struct mesh mesh;
    uint32_t packets, levels; /* urgencies are 0 .. levels - 1 */
    uint64_t seed;
    node_index from[MOST_PACKETS], to[MOST_PACKETS];
    const struct headers *header;
};

/* The urgency of a packet on a leg: a number of its own for each direction. */
static uint32_t urgency_of(const struct traffic *traffic, uint32_t packet, enum direction d)
{
    return pcg32_at(traffic->seed, 80 + d, packet) % traffic->levels;
}

static int way(const struct traffic *traffic, node_index at, uint32_t packet)
{
    uint32_t cols = traffic->mesh.cols;
    node_index to = traffic->to[packet];
    if (at % cols != to % cols)
        return at % cols < to % cols ? EAST : WEST;
    return at == to ? -1 : at < to ? SOUTH : NORTH;
}

/* ---- the model ---- */

struct waiting {
    node_index at;
    int direction; /* -1: at its target */
    uint32_t urgency;
    uint64_t since;
    bool leaves;
};

static void queue_up(const struct traffic *traffic, struct waiting *waiting, uint32_t packet,
                     uint64_t since)
{
    int direction = way(traffic, waiting->at, packet);
    if (direction >= 0 && direction != waiting->direction)
        waiting->urgency = urgency_of(traffic, packet, (enum direction)direction);
    waiting->direction = direction;
    waiting->since = since;
}

/* The packet of that link that leaves, or MACHINE_NONE. */
static uint32_t first_of(const struct traffic *traffic, const struct waiting *waiting,
                         node_index node, int direction)
{
    uint32_t first = MACHINE_NONE;
    for (uint32_t p = 0; p < traffic->packets; p++) {
        if (waiting[p].at != node || waiting[p].direction != direction)
            continue;
        if (first == MACHINE_NONE || waiting[p].urgency > waiting[first].urgency ||
            (waiting[p].urgency == waiting[first].urgency &&
             waiting[p].since < waiting[first].since))
            first = p;
    }
    return first;
}

/* All links of one step: the lines of what leaves. False if nothing does. */
static bool depart(const struct traffic *traffic, struct waiting *waiting, unsigned step,
                   char *text, size_t *used)
{
    const int cols = (int)traffic->mesh.cols, offset[DIRECTIONS] = {-cols, cols, -1, 1};
    bool any = false;
    for (node_index node = 0; node < mesh_nodes(traffic->mesh); node++) {
        for (int d = 0; d < DIRECTIONS; d++) {
            uint32_t p = first_of(traffic, waiting, node, d);
            if (p == MACHINE_NONE)
                continue;
            waiting[p].leaves = any = true;
            *used += (size_t)snprintf(text + *used, MOST_TEXT - *used, "%u M %u %u %d\n", step, p,
                                      node, (int)node + offset[d]);
        }
    }
    for (uint32_t p = 0; p < traffic->packets; p++)
        if (waiting[p].leaves)
            waiting[p].at += (node_index)offset[waiting[p].direction];
    return any;
}

static char *model(const struct traffic *traffic)
{
    struct waiting waiting[MOST_PACKETS] = {0};
    char *text = calloc(1, MOST_TEXT);
    size_t used = 0;
    for (uint32_t p = 0; p < traffic->packets; p++) {
        waiting[p] = (struct waiting){.at = traffic->from[p], .direction = -1};
        queue_up(traffic, &waiting[p], p, p);
    }
    for (unsigned step = 1; depart(traffic, waiting, step, text, &used); step++)
        for (int d = 0; d < DIRECTIONS; d++)
            for (uint32_t p = 0; p < traffic->packets; p++)
                if (waiting[p].leaves && waiting[p].direction == d) {
                    waiting[p].leaves = false;
                    queue_up(traffic, &waiting[p], p, (uint64_t)step * 4 * MOST_PACKETS + d);
                }
    return text;
}

/* ---- the machine ---- */

static unsigned parts(void *context, struct site site, uint32_t packet)
{
    int direction = way(context, site.index, packet);
    return direction < 0 ? (unsigned)PART_PARK : 1u << direction;
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct traffic *traffic = context;
    node_place target = traffic->header->packet[packet].target;
    (void)site;
    return direction_is_vertical(direction) ? place_row(target) : place_col(target);
}

static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    (void)site;
    return urgency_of(context, packet, direction);
}

/* The lines of the machine's trace in which packets move. */
static char *machine_moves(struct traffic *traffic, uint32_t threads)
{
    struct machine_run run;
    struct mesh mesh = traffic->mesh;
    run_start(&run, mesh.rows, mesh.cols,
              (struct machine_config){.slots = traffic->packets, .threads = threads});
    for (uint32_t p = 0; p < traffic->packets; p++)
        run_inject_target(&run, traffic->from[p], traffic->to[p], false);
    traffic->header = machine_headers(run.machine);
    struct routing_rule rule = {.context = traffic, .parts = parts, .stop = stop};
    rule.urgency = traffic->levels > 1 ? urgency : NULL;
    machine_begin_phase(run.machine, "route");
    ck_assert_int_eq(machine_forward(run.machine, &rule, true, UINT64_MAX, NULL), FAIL_NONE);
    ck_assert_uint_eq(machine_resting(run.machine), traffic->packets);
    run_audit(&run);
    char *text = run_text(&run), *moves = calloc(1, strlen(text) + 1);
    for (char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        char letter = 0;
        if (sscanf(line, "%*u %c", &letter) == 1 && letter == 'M')
            strncat(moves, line, strcspn(line, "\n") + 1);
    }
    free(text);
    run_end(&run);
    return moves;
}

/* Packets in the order of their nodes, many of them through few nodes. */
static void make_traffic(struct traffic *traffic, uint64_t seed, uint32_t levels)
{
    struct pcg32 random = pcg32_seed(seed, 81);
    *traffic = (struct traffic){.seed = seed, .levels = levels};
    traffic->mesh = (struct mesh){1 + pcg32_below(&random, 9), 1 + pcg32_below(&random, 9)};
    uint32_t nodes = mesh_nodes(traffic->mesh), most = 1 + pcg32_below(&random, 6);
    node_index crowd = pcg32_below(&random, nodes);
    for (node_index node = 0; node < nodes; node++)
        for (uint32_t i = pcg32_below(&random, most); i > 0 && traffic->packets < MOST_PACKETS;
             i--) {
            bool crowds = pcg32_below(&random, 3) == 0;
            traffic->from[traffic->packets] = node;
            traffic->to[traffic->packets++] = crowds ? crowd : pcg32_below(&random, nodes);
        }
    if (traffic->packets == 0)
        traffic->to[traffic->packets++] = nodes - 1;
}

/* first come first served, few urgencies with many ties, and all urgencies that there are */
START_TEST(like_the_model)
{
    static const uint32_t levels[] = {1, 2, 5, MACHINE_MAX_URGENCY + 1};
    static struct traffic traffic;
    for (uint64_t seed = 0; seed < 120; seed++) {
        make_traffic(&traffic, seed, levels[_i]);
        char *expected = model(&traffic), *moves = machine_moves(&traffic, 1 + seed % 3);
        ck_assert_msg(strcmp(moves, expected) == 0, "seed %d: another order", (int)seed);
        free(expected);
        free(moves);
    }
}
END_TEST

Suite *forward_order_suite(void)
{
    Suite *suite = suite_create("forward_order");
    TCase *tests = tcase_create("forward_order");
    tcase_add_loop_test(tests, like_the_model, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
