/* engine_words.c - trials of control words: nodes that keep a sum of the words that they hear, say
 * random words, and pass on words from one side to the other.
 */
#include "machine/word.h"
#include "test/machine/engine_draw.h"

#include <check.h>
#include <stdlib.h>

struct word_call {
    uint64_t seed, steps;
    struct mesh mesh;
    bool is_first; /* of a kernel that uses words */
};

/* The same for model and machine. */
struct wires {
    struct word_call call;
    struct side *side;
    uint32_t *sum; /* [node] */
    bool passes_at_once;
};

static bool has_neighbour(struct mesh mesh, struct site site, enum direction side)
{
    return side == NORTH   ? site.row > 0
           : side == SOUTH ? site.row + 1 < mesh.rows
           : side == WEST  ? site.col > 0
                           : site.col + 1 < mesh.cols;
}

/* Either of these is NULL. */
struct port {
    struct word_port *machine;
    struct model *model;
};

static bool receive(struct port port, struct site site, enum direction side, struct word *word)
{
    return port.machine != NULL ? word_received(port.machine, site, side, word)
                                : model_word_received(port.model, site, side, word);
}

static void send(struct port port, struct site site, enum direction side, struct word word)
{
    if (port.machine != NULL)
        word_send(port.machine, site, side, word);
    else
        model_word_send(port.model, site, side, word);
}

/* The side to which the nodes of a row pass on words in a step; DIRECTIONS: none. */
static enum direction passing_side(const struct wires *wires, uint32_t row, uint64_t step)
{
    static const enum direction sides[] = {WEST, EAST, DIRECTIONS};
    return sides[pcg32_at(wires->call.seed, row, step / 4) % 3];
}

static void say(const struct wires *wires, struct port port, struct site site, uint64_t step,
                enum direction passing)
{
    uint32_t wish = pcg32_at(wires->call.seed, 100 + site.index, step);
    for (enum direction side = 0; side < DIRECTIONS; side++)
        if (has_neighbour(wires->call.mesh, site, side) && side != passing &&
            (wish >> 4 * side) % 4 == 0)
            send(port, site, side,
                 (struct word){wires->sum[site.index] + (int64_t)wish, (int64_t)step});
}

static bool passes_on(const struct wires *wires, struct port port, struct site site,
                      enum direction passing, struct word *word)
{
    return passing != DIRECTIONS && has_neighbour(wires->call.mesh, site, passing) &&
           receive(port, site, direction_opposite(passing), word);
}

/* Nodes that pass on and are side by side do so at once if that is allowed. */
static void act(const struct wires *wires, struct port port, uint32_t row, uint64_t step)
{
    uint32_t cols = wires->call.mesh.cols, run = 0;
    enum direction passing = passing_side(wires, row, step);
    for (uint32_t col = 0; col < cols; col++) {
        struct site site = {row * cols + col, row, col};
        struct word word;
        for (enum direction side = 0; side < DIRECTIONS; side++)
            if (receive(port, site, side, &word))
                wires->sum[site.index] =
                    wires->sum[site.index] * 31 + (uint32_t)word.value + (uint32_t)word.extra;
        bool passes = passes_on(wires, port, site, passing, &word);
        if (passes && !wires->passes_at_once)
            send(port, site, passing, word);
        say(wires, port, site, step, passes ? passing : DIRECTIONS);
        run = passes && wires->passes_at_once ? run + 1 : 0;
        struct site next = {site.index + 1, row, col + 1};
        bool goes_on = col + 1 < cols && passes_on(wires, port, next, passing, &word);
        if (run > 0 && !goes_on)
            word_pass(port.machine, (struct site){site.index - run + 1, row, col - run + 1}, run,
                      passing);
    }
}

static void machine_act(void *context, struct word_port *port, uint32_t row, uint64_t step)
{
    act(context, (struct port){port, NULL}, row, step);
}

static void act_on_model(void *context, struct model *model, uint32_t row, uint64_t step)
{
    act(context, (struct port){NULL, model}, row, step);
}

/* Between steps: words are heard, nothing is said. */
static void hear(const struct wires *wires, struct port port, uint32_t row)
{
    for (uint32_t col = 0; col < wires->call.mesh.cols; col++) {
        struct site site = {row * wires->call.mesh.cols + col, row, col};
        struct word word;
        for (enum direction side = 0; side < DIRECTIONS; side++)
            if (receive(port, site, side, &word))
                wires->sum[site.index] ^= (uint32_t)word.value;
    }
}

static void machine_hear(void *context, struct word_port *port, uint32_t row, uint64_t step)
{
    (void)step;
    hear(context, (struct port){port, NULL}, row);
}

/* The sums are compared as the headers' targets: each node has a packet, of its own number. */
static enum failure_kind call_words(struct side *side, const void *how)
{
    struct wires wires = {.call = *(const struct word_call *)how, .side = side};
    node_index nodes = mesh_nodes(wires.call.mesh);
    struct node_range own = {0, nodes};
    enum failure_kind kind = FAIL_NONE;
    if (side->machine != NULL)
        own = side->trial->own;
    wires.sum = calloc(nodes, sizeof *wires.sum);
    ck_assert_ptr_nonnull(wires.sum);
    for (node_index node = own.first; node < own.end; node++)
        wires.sum[node] = side->header->packet[trial_packet(side->header, node)].target;
    if (side->machine == NULL) {
        if (wires.call.is_first)
            model_prepare_words(side->model);
        kind = side->model->failure.kind;
        if (kind == FAIL_NONE)
            model_word_steps(side->model, wires.call.steps, act_on_model, &wires);
        for (uint32_t row = 0; row < wires.call.mesh.rows; row++)
            hear(&wires, (struct port){NULL, side->model}, row);
    } else {
        wires.passes_at_once = true;
        if (wires.call.is_first)
            kind = machine_prepare_words(side->machine, &side->failure);
        if (kind == FAIL_NONE)
            machine_word_steps(side->machine, wires.call.steps, machine_act, &wires, NULL);
        if (kind == FAIL_NONE)
            machine_word_read(side->machine, wires.call.steps + 1, machine_hear, &wires);
    }
    for (node_index node = own.first; node < own.end; node++)
        side->header->packet[trial_packet(side->header, node)].target = wires.sum[node];
    free(wires.sum);
    return kind;
}

void word_trial(uint64_t seed, struct ranks *ranks)
{
    struct trial trial;
    draw_trial(&trial, seed, ranks, 1);
    node_index nodes = mesh_nodes(trial.config.mesh);
    node_place nowhere = MACHINE_NO_PLACE;
    draw_attempt(&trial);
    trial_begin(&trial);
    for (node_index node = 0; node < nodes && !trial.is_over; node++)
        trial_inject(&trial, node, 1, &nowhere, 0, 0);
    trial.config.most_steps = 0;
    struct word_call call = {.seed = seed, .mesh = trial.config.mesh, .is_first = true};
    for (int i = 0; i < 6 && !trial.is_over; i++) {
        call.steps = draw_one_in(&trial, 4) ? 0 : draw(&trial, 30);
        trial_phase(&trial, draw(&trial, 2) ? "sync" : "words");
        trial_call(&trial, "words", call_words, &call);
        trial_idle(&trial, draw(&trial, 3));
        call.is_first = draw(&trial, 2);
    }
    trial_end(&trial);
}
