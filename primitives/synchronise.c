/* synchronise.c - OR over the mesh and its broadcast, by words.
 *
 * Rows send their OR to the middle column, the middle column sends its OR to the centre; the
 * centre's answer goes out along the middle column and from there along the rows. The time of each
 * word follows from the sizes, so every link carries one word inward or outward and the length is 2
 * (floor(rows / 2) + floor(cols / 2)) steps: the centre is that far from the corners.
 * Cost: one byte per node.
 */
#include "primitives/synchronise.h"
#include "machine/attempt.h"
#include "machine/forward.h"
#include "machine/word.h"

#include <assert.h>
#include <stdlib.h>

struct synchronisation {
    struct machine *machine;
    struct mesh mesh;
    uint32_t middle_row, middle_col, row_arm, col_arm;
    uint8_t *flag; /* [node]: the OR of what it has heard, a bit per kind of packet */
};

static void hear(struct synchronisation *sync, struct word_port *port, struct site site,
                 enum direction side)
{
    struct word word;
    if (word_received(port, site, side, &word))
        sync->flag[site.index] |= (uint8_t)word.value;
}

static void say(struct synchronisation *sync, struct word_port *port, struct site site,
                enum direction side)
{
    word_send(port, site, side, (struct word){sync->flag[site.index], 0});
}

static uint32_t distance_to(uint32_t from, uint32_t middle)
{
    return from < middle ? middle - from : from - middle;
}

/* Acts at a node of a row, off the middle column. */
static void act_in_row(struct synchronisation *sync, struct word_port *port, struct site site,
                       uint64_t step)
{
    bool is_west = site.col < sync->middle_col;
    enum direction inward = is_west ? EAST : WEST, outward = direction_opposite(inward);
    uint64_t from_end = is_west ? site.col : sync->mesh.cols - 1 - site.col;
    uint64_t informed = (uint64_t)sync->col_arm + sync->row_arm +
                        distance_to(site.row, sync->middle_row) +
                        distance_to(site.col, sync->middle_col);
    if (step == from_end + 1) {
        hear(sync, port, site, outward);
        say(sync, port, site, inward);
    } else if (step == informed + 1) {
        hear(sync, port, site, inward);
        if (from_end > 0)
            say(sync, port, site, outward);
    }
}

/* Acts at a node of the middle column. */
static void act_in_column(struct synchronisation *sync, struct word_port *port, struct site site,
                          uint64_t step)
{
    uint32_t distance = distance_to(site.row, sync->middle_row);
    bool is_north = site.row < sync->middle_row;
    enum direction inward = is_north ? SOUTH : NORTH, outward = direction_opposite(inward);
    uint64_t from_end = is_north ? site.row : sync->mesh.rows - 1 - site.row;
    uint64_t informed = (uint64_t)sync->col_arm + sync->row_arm + distance;
    hear(sync, port, site, WEST);
    hear(sync, port, site, EAST);
    hear(sync, port, site, NORTH);
    hear(sync, port, site, SOUTH);
    if (distance > 0 && step == sync->col_arm + from_end + 1)
        say(sync, port, site, inward);
    if (step != informed + 1)
        return;
    if (site.row > 0 && (distance == 0 || outward == NORTH))
        say(sync, port, site, NORTH);
    if (site.row + 1 < sync->mesh.rows && (distance == 0 || outward == SOUTH))
        say(sync, port, site, SOUTH);
    if (site.col > 0)
        say(sync, port, site, WEST);
    if (site.col + 1 < sync->mesh.cols)
        say(sync, port, site, EAST);
}

/* True if a word can have reached the row's node of the middle column: from an end of its row, from
 * an end of the column, or from the centre. */
static bool may_hear(const struct synchronisation *sync, uint32_t row, uint64_t step,
                     uint64_t informed)
{
    return step == (uint64_t)sync->middle_col + 1 || step == sync->mesh.cols - sync->middle_col ||
           step == (uint64_t)sync->col_arm + row + 1 ||
           step == (uint64_t)sync->col_arm + sync->mesh.rows - row || step == informed;
}

/* Acts on a row, in which words are at four nodes at most: one on each side on its way inward, and
 * outward. */
static void act_on_row(void *context, struct word_port *port, uint32_t row, uint64_t step)
{
    struct synchronisation *sync = context;
    uint32_t cols = sync->mesh.cols, middle = sync->middle_col;
    uint64_t informed =
        (uint64_t)sync->col_arm + sync->row_arm + distance_to(row, sync->middle_row) + 1;
    uint64_t out = step > informed ? step - informed : 0; /* distance from the middle column */
    const uint64_t col[] = {step - 1, cols - step, middle - out, middle + out};
    const bool is_there[] = {step <= middle, step<cols - middle, out> 0 && out <= middle,
                             out > 0 && out < cols - middle};
    for (int i = 0; i < 4; i++)
        if (is_there[i])
            act_in_row(sync, port,
                       (struct site){row * cols + (uint32_t)col[i], row, (uint32_t)col[i]}, step);
    if (may_hear(sync, row, step, informed))
        act_in_column(sync, port, (struct site){row * cols + middle, row, middle}, step);
}

/* Besides the kinds of packets. */
enum { DISCARDED = 4 };

static unsigned held_at(const struct machine *machine, node_index node)
{
    bool rests = machine_first_resting(machine, node) != MACHINE_NONE;
    return (machine_node_is_busy(machine, node) ? SYNCHRONISE_TRAVELLING : 0u) |
           (rests ? SYNCHRONISE_RESTING : 0u) |
           (machine_node_has_discarded(machine, node) ? DISCARDED : 0u);
}

static unsigned void_at(const struct machine *machine, node_index node)
{
    return machine_node_is_void(machine, node);
}

uint64_t synchronise_steps(struct mesh mesh)
{
    return 2ull * (mesh.rows / 2 + mesh.cols / 2);
}

/* Finds the OR of flag_at() of all nodes. */
static enum failure_kind or_over_mesh(struct machine *machine, uint64_t idle,
                                      unsigned (*flag_at)(const struct machine *machine,
                                                          node_index node),
                                      unsigned *flags, struct failure *failure)
{
    struct mesh mesh = machine_config(machine)->mesh;
    struct synchronisation sync = {.machine = machine,
                                   .mesh = mesh,
                                   .middle_row = (mesh.rows - 1) / 2,
                                   .middle_col = (mesh.cols - 1) / 2,
                                   .row_arm = mesh.rows / 2,
                                   .col_arm = mesh.cols / 2};
    sync.flag = memory_allocate(mesh_nodes(mesh), sizeof *sync.flag);
    if (sync.flag == NULL)
        return fail_memory(failure, "a synchronisation");
    machine_begin_phase(machine, "sync");
    machine_idle(machine, idle);
    enum failure_kind kind = machine_prepare_words(machine, failure);
    if (kind == FAIL_NONE && flag_at != void_at && machine_steps_left(machine) == 0)
        kind = FAIL_VOID; /* the OR that ends the attempt replaces it */
    if (kind == FAIL_NONE) {
        struct row_range rows = machine_rows(machine);
        node_index own = rows.first * mesh.cols; /* the first of these nodes; all hear the answer */
        for (node_index node = own; node < rows.end * mesh.cols; node++)
            sync.flag[node] = (uint8_t)flag_at(machine, node);
        uint64_t steps = synchronise_steps(mesh);
        kind = machine_word_steps(machine, steps, act_on_row, &sync, failure);
        machine_word_read(machine, steps + 1, act_on_row, &sync);
        *flags = sync.flag[own];
    }
    free(sync.flag);
    return kind;
}

enum failure_kind synchronise_held(struct machine *machine, uint64_t idle, unsigned *held,
                                   struct failure *failure)
{
    enum failure_kind kind = or_over_mesh(machine, idle, held_at, held, failure);
    return kind == FAIL_NONE && *held & DISCARDED ? FAIL_VOID : kind;
}

enum failure_kind synchronise_void(struct machine *machine, uint64_t idle, bool *is_void,
                                   struct failure *failure)
{
    unsigned flags = 0;
    enum failure_kind kind = or_over_mesh(machine, idle, void_at, &flags, failure);
    *is_void = flags != 0;
    return kind;
}

enum failure_kind synchronise(struct machine *machine, uint64_t idle, bool *busy,
                              struct failure *failure)
{
    unsigned held = 0;
    enum failure_kind kind = synchronise_held(machine, idle, &held, failure);
    *busy = held & SYNCHRONISE_TRAVELLING;
    return kind;
}

void pause_for_injection(struct machine *machine)
{
    machine_begin_phase(machine, "inject");
    machine_idle(machine, 1);
}

enum failure_kind forward_in_rounds(struct machine *machine, const struct routing_rule *rule,
                                    const char *name, struct rounds rounds, struct failure *failure)
{
    bool busy = true, wake = true;
    uint64_t length = rounds.first;
    while (busy) {
        machine_begin_phase(machine, name);
        uint64_t before = machine_counts(machine)->steps;
        enum failure_kind kind = machine_forward(machine, rule, wake, length, failure);
        uint64_t used = machine_counts(machine)->steps - before;
        if (kind == FAIL_NONE)
            kind = synchronise(machine, length - used, &busy, failure);
        if (kind != FAIL_NONE)
            return kind;
        wake = false;
        length = rounds.further;
    }
    return FAIL_NONE;
}

enum failure_kind forward_wave(struct machine *machine, const struct routing_rule *rule,
                               uint64_t steps, struct failure *failure)
{
    uint64_t end = machine_counts(machine)->steps + steps;
    enum failure_kind kind = machine_forward(machine, rule, true, steps, failure);
    if (kind == FAIL_NONE)
        machine_idle(machine, end - machine_counts(machine)->steps);
    if (kind == FAIL_NONE && machine_steps_left(machine) == 0)
        kind = FAIL_VOID;
    return kind;
}

enum failure_kind march_wave(struct machine *machine, const struct march *march, uint32_t hops,
                             uint64_t steps, struct failure *failure)
{
    uint64_t end = machine_counts(machine)->steps + steps;
    enum failure_kind kind = machine_march(machine, march, hops, failure);
    assert(machine_counts(machine)->steps <= end);
    if (kind == FAIL_NONE)
        machine_idle(machine, end - machine_counts(machine)->steps);
    return kind;
}

enum failure_kind forward_for(struct machine *machine, const struct routing_rule *rule,
                              const char *name, uint64_t steps, struct failure *failure)
{
    if (name != NULL)
        machine_begin_phase(machine, name);
    enum failure_kind kind = forward_wave(machine, rule, steps, failure);
    if (kind != FAIL_NONE || machine_travelling(machine) == 0)
        return kind;
    return fail(failure, FAIL_CHECK,
                "phase \"%s\": %llu packets have not arrived after %llu steps, which are proven to "
                "be enough",
                machine_phase(machine, machine_phases(machine) - 1)->name,
                (unsigned long long)machine_travelling(machine), (unsigned long long)steps);
}
