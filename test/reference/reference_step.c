/* reference_step.c - the golden model's clock: steps and their ends, phases, attempts, words.
 *
 * A step ends with a look at every buffer. A step in which nothing moves is one all the same.
 */
#include "test/reference/reference_private.h"

#include <stdio.h>

struct reference *reference_create(const struct machine_config *config,
                                   const struct reference *before)
{
    struct reference *model = calloc(1, sizeof *model);
    uint32_t nodes = mesh_nodes(config->mesh), slots = config->slots;
    uint32_t longest =
        config->mesh.rows > config->mesh.cols ? config->mesh.rows : config->mesh.cols;
    assert(model != NULL);
    model->config = *config;
    model->attempt = config->attempt != NULL ? *config->attempt : (struct machine_attempt){0};
    model->nodes = nodes;
    model->header.slots = slots;
    model->header.packet = calloc(slots + 1, sizeof *model->header.packet);
    model->header.destination = calloc(slots + 1, sizeof *model->header.destination);
    model->packet = calloc(slots + 1, sizeof *model->packet);
    model->delivered_at = calloc(slots + 1, sizeof *model->delivered_at);
    model->node = calloc(nodes, sizeof *model->node);
    model->link = calloc(nodes, DIRECTIONS * sizeof *model->link);
    model->plane.packet = calloc(nodes, sizeof *model->plane.packet);
    model->plane.home = calloc(longest, sizeof *model->plane.home);
    model->plane.is_second = calloc(longest, sizeof *model->plane.is_second);
    assert(model->header.packet && model->header.destination && model->packet &&
           model->delivered_at && model->node && model->link && model->plane.packet &&
           model->plane.home && model->plane.is_second);
    for (uint32_t slot = 0; slot < slots; slot++) {
        model->packet[slot].node = MESH_NO_NODE;
        model->delivered_at[slot] = MACHINE_NO_PLACE;
    }
    for (node_index node = 0; node < nodes; node++)
        model->node[node].first = MACHINE_NONE;
    if (before != NULL) {
        model->counts = before->counts;
        model->phases = before->phases;
        memcpy(model->phase, before->phase, sizeof model->phase);
        model->begun = before->counts.steps;
    }
    return model;
}

void reference_free(struct reference *model)
{
    free(model->header.packet);
    free(model->header.destination);
    free(model->packet);
    free(model->delivered_at);
    free(model->node);
    free(model->link);
    free(model->plane.packet);
    free(model->plane.home);
    free(model->plane.is_second);
    free(model->event);
    free(model);
}

/* ---- steps, phases, attempts ---- */

uint64_t reference_steps_left(const struct reference *model)
{
    uint64_t used = model->counts.steps - model->begun - model->sync_word_steps;
    uint64_t budget = model->attempt.budget;
    return budget == 0 ? UINT64_MAX : used < budget ? budget - used : 0;
}

static struct machine_phase *current_phase(struct reference *model)
{
    static struct machine_phase start = {"start", 0};
    return model->phases > 0 ? &model->phase[model->phases - 1] : &start;
}

static bool is_synchronising(struct reference *model)
{
    return strcmp(current_phase(model)->name, "sync") == 0;
}

void reference_begin_phase(struct reference *model, const char *name)
{
    const char *attempt = model->attempt.name;
    if (model->phases > 0 && current_phase(model)->steps == 0)
        model->phases--; /* a phase without a step is forgotten */
    assert(model->phases < REFERENCE_PHASES);
    struct machine_phase *phase = &model->phase[model->phases++];
    bool is_named = attempt != NULL && strcmp(name, "sync") != 0;
    snprintf(phase->name, sizeof phase->name, "%s%s%s", is_named ? attempt : "",
             is_named ? " " : "", name);
    phase->steps = 0;
}

void model_advance(struct reference *model, uint64_t steps)
{
    assert(model->phases > 0);
    model->counts.steps += steps;
    current_phase(model)->steps += steps;
    model->counts.sync_steps += is_synchronising(model) ? steps : 0;
}

/* In an attempt that discards, a node with more packets than it has room for discards those that rest
 * and those in queues. */
static void make_room(struct reference *model, node_index node)
{
    static const enum reference_place places[] = {RESTING,        LINK_QUEUE,     LINK_QUEUE + 1,
                                                  LINK_QUEUE + 2, LINK_QUEUE + 3, COPYING};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        for (uint32_t packet;
             (packet = model_most_urgent(model, node, places[i])) != MACHINE_NONE;) {
            model_discard(model, packet);
            model->discarded++;
        }
    model->node[node].has_discarded = true;
}

/* The end of a step: the fullest buffer, of equally full ones that of the lowest node. */
enum failure_kind model_end_step(struct reference *model, struct failure *failure)
{
    struct machine_counts *counts = &model->counts;
    uint32_t capacity = model->config.buffer, proven = model->proven_capacity, most = 0;
    node_index fullest = 0;
    for (node_index node = 0; node < model->nodes; node++) {
        if (capacity > 0 && model->attempt.discards && model_occupancy(model, node) > capacity)
            make_room(model, node);
        if (model_occupancy(model, node) > most) {
            most = model_occupancy(model, node);
            fullest = node;
        }
    }
    model->own_peak = most > model->own_peak ? most : model->own_peak;
    if (most > counts->peak || (most > 0 && most == counts->peak && fullest < counts->peak_node &&
                                counts->peak_step == counts->steps)) {
        counts->peak = most;
        counts->peak_node = fullest;
        counts->peak_step = counts->steps;
        snprintf(counts->peak_phase, sizeof counts->peak_phase, "%s", current_phase(model)->name);
    }
    if (proven > 0 && (capacity == 0 || proven < capacity))
        capacity = proven;
    struct site site = reference_site(model, fullest);
    if (capacity == 0 || most <= capacity)
        return FAIL_NONE;
    return fail(failure, FAIL_CHECK,
                "buffer overflow: node %u (row %u, col %u) holds %u packets, capacity %u, at "
                "the end of step %llu, phase \"%s\"",
                fullest, site.row, site.col, most, capacity, (unsigned long long)counts->steps,
                current_phase(model)->name);
}

enum failure_kind model_judge(struct reference *model, struct failure *failure)
{
    uint64_t most = model->config.most_steps, steps = model->counts.steps;
    if (most == 0 || steps <= most)
        return FAIL_NONE;
    return fail(
        failure, FAIL_CHECK,
        "no end after %llu steps, in phase \"%s\": no run of these sizes takes more than %llu",
        (unsigned long long)steps, current_phase(model)->name, (unsigned long long)most);
}

/* Of the instructions that an attempt's budget and config.most_steps bound. */
enum failure_kind model_end_bounded_step(struct reference *model, struct failure *failure)
{
    enum failure_kind kind = model_end_step(model, failure);
    if (kind == FAIL_NONE)
        kind = model_judge(model, failure);
    return kind == FAIL_NONE && reference_steps_left(model) == 0 ? FAIL_VOID : kind;
}

void reference_idle(struct reference *model, uint64_t steps)
{
    uint64_t left = reference_steps_left(model);
    model_advance(model, steps < left ? steps : left);
}

enum failure_kind reference_inject(struct reference *model, node_index node, uint32_t packet,
                                   struct failure *failure)
{
    const struct headers *header = &model->header;
    model_tell(model, 'I', node, packet, header->packet[packet].message);
    model_enter(model, packet, node, RESTING);
    if (header->packet[packet].first == packet &&
        header->destination[packet] == site_place(reference_site(model, node)))
        model_deliver(model, packet, packet);
    return model_end_step(model, failure);
}

/* Level upon level; the last one is taken back first, and of a node's packets the last one, too. */
void reference_set_aside(struct reference *model, bool (*stays)(void *context, uint32_t packet),
                         void *context)
{
    enum reference_place level = ASIDE + model->aside_levels++;
    for (node_index node = 0; node < model->nodes; node++)
        for (uint32_t next, p = reference_first(model, node, RESTING); p != MACHINE_NONE;
             p = next) {
            next = reference_next(model, p);
            if (stays(context, p))
                model_move(model, p, level);
        }
}

void reference_take_back(struct reference *model)
{
    enum reference_place level = ASIDE + --model->aside_levels;
    for (node_index node = 0; node < model->nodes; node++)
        while (reference_first(model, node, level) != MACHINE_NONE) {
            uint32_t last = reference_first(model, node, level);
            while (reference_next(model, last) != MACHINE_NONE)
                last = reference_next(model, last);
            model_move(model, last, RESTING);
        }
}

void reference_give_up(struct reference *model)
{
    for (uint32_t packet = 0; packet < model->header.slots; packet++)
        if (model->packet[packet].node != MESH_NO_NODE)
            model_discard(model, packet);
}

/* ---- machine_word_steps ---- */

static void forget_words(struct reference *model)
{
    for (uint32_t i = 0; i < model->nodes * DIRECTIONS; i++) {
        model->link[i].has_come = model->link[i].is_coming;
        model->link[i].came = model->link[i].coming;
        model->link[i].is_coming = false;
    }
}

enum failure_kind reference_prepare_words(struct reference *model, struct failure *failure)
{
    forget_words(model);
    forget_words(model);
    return model_judge(model, failure);
}

bool reference_word_received(const struct reference *model, struct site site, enum direction side,
                             struct word *word)
{
    bool has_neighbour = side == NORTH   ? site.row > 0
                         : side == SOUTH ? site.row + 1 < model->config.mesh.rows
                         : side == WEST  ? site.col > 0
                                         : site.col + 1 < model->config.mesh.cols;
    if (!has_neighbour)
        return false;
    node_index from = model_neighbour(model, site.index, side);
    const struct reference_link *link = &model->link[from * DIRECTIONS + direction_opposite(side)];
    *word = link->came;
    return link->has_come;
}

void reference_word_send(struct reference *model, struct site site, enum direction side,
                         struct word word)
{
    node_index to = model_neighbour(model, site.index, side);
    struct reference_link *link = model_cross_word(model, site.index, to);
    link->is_coming = true;
    link->coming = word;
}

void reference_word_steps(struct reference *model, uint64_t steps, reference_act *act,
                          void *context)
{
    for (uint64_t step = 1; step <= steps; step++) {
        model_advance(model, 1);
        model->sync_word_steps += is_synchronising(model);
        for (uint32_t row = 0; row < model->config.mesh.rows; row++)
            act(context, model, row, step);
        model_end_step(model, NULL);
        forget_words(model);
    }
}
