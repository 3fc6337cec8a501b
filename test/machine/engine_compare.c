/* engine_compare.c - compares all sides of a trial after each call. */
#include "machine/ranks/ranks.h"
#include "test/machine/engine_trial.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void same(const struct side *side, const char *what, uint64_t expected, uint64_t actual)
{
    const struct trial *trial = side->trial;
    if (expected == actual)
        return;
    ck_abort_msg("seed %llu: after call %u (%s, step %llu), %s: %s is %llu instead of %llu",
                 (unsigned long long)trial->seed, trial->calls, trial->call,
                 (unsigned long long)trial_model(trial)->counts.steps,
                 side == &trial->side[OBSERVED] ? "observed" : "not observed", what,
                 (unsigned long long)actual, (unsigned long long)expected);
}

static void same_text(const struct side *side, const char *what, const char *expected,
                      const char *actual)
{
    if (strcmp(expected, actual) != 0)
        fprintf(stderr, "%s: \"%s\" instead of \"%s\"\n", what, actual, expected);
    same(side, what, 0, (uint64_t)(strcmp(expected, actual) != 0));
}

static void same_deliveries(const struct side *side)
{
    const struct model *model = side->model;
    const struct expected_messages *expected = &side->expected;
    uint32_t at = 0;
    bool is_alone = side->trial->config.ranks == NULL;
    if (is_alone)
        same(side, "wrong deliveries", model->wrong, expected->wrong);
    if (is_alone && model->wrong > 0)
        same(side, "the first wrong message", model->first_wrong, expected->first_wrong);
    for (uint32_t i = 0; i < trial_nodes(side->trial) * MESSAGES; i++) {
        if (model->expectation[i] == UNEXPECTED)
            continue;
        uint8_t came = expected->arrived[at++];
        if (!trial_is_own(side->trial, i / MESSAGES))
            continue;
        same(side, "a delivery", model->expectation[i],
             came == 0                   ? EXPECTED
             : came == expected->attempt ? HAS_COME
                                         : IS_HELD);
    }
}

static void same_counts(const struct side *side)
{
    const struct model *model = side->model;
    const struct machine_counts *a = &model->counts, *b = machine_counts(side->machine);
    same(side, "steps", a->steps, b->steps);
    same(side, "sync_steps", a->sync_steps, b->sync_steps);
    same(side, "packet_hops", a->packet_hops, b->packet_hops);
    same(side, "word_hops", a->word_hops, b->word_hops);
    same(side, "copies", a->copies, b->copies);
    same(side, "delivered", a->delivered, b->delivered);
    same(side, "the peak", a->peak, b->peak);
    same(side, "the peak's node", a->peak_node, b->peak_node);
    same(side, "the peak's step", a->peak_step, b->peak_step);
    same_text(side, "the peak's phase", a->peak_phase, b->peak_phase);
    same(side, "the attempt's peak", model->own_peak, machine_own_peak(side->machine));
    same(side, "discarded", model->discarded, machine_discarded(side->machine));
    same(side, "steps_left", model_steps_left(model), machine_steps_left(side->machine));
    same(side, "phases", model->phases, machine_phases(side->machine));
    for (uint32_t i = 0; i < model->phases; i++) {
        same_text(side, "a phase", model->phase[i].name, machine_phase(side->machine, i)->name);
        same(side, "a phase's steps", model->phase[i].steps,
             machine_phase(side->machine, i)->steps);
    }
    if (side->trial->expects)
        same_deliveries(side);
}

static void same_slot(const struct side *side, uint32_t name)
{
    const struct headers *expected = &side->model->header;
    uint32_t slot = trial_packet(side->header, name);
    same(side, "header.message", expected->packet[name].message,
         side->header->packet[slot].message);
    same(side, "a destination", expected->destination[name], side->header->destination[slot]);
}

static void same_header(const struct side *side, uint32_t name)
{
    uint32_t slot = trial_packet(side->header, name);
    const struct header *a = &side->model->header.packet[name], *b = &side->header->packet[slot];
    if (a->first + b->first > 0) /* else it may be no packet, and never have been one */
        same(side, "header.first", name - a->first, slot - b->first);
    same(side, "header.target", a->target, b->target);
    same(side, "header.state", a->state, b->state);
}

/* Compares the packets at the rank's nodes if there are ranks; while a plane is open they are
 * stored elsewhere. */
static void same_headers(const struct side *side)
{
    const struct model *model = side->model;
    if (side->trial->config.ranks == NULL) {
        for (uint32_t name = 0; name < side->trial->slots; name++) {
            same_header(side, name);
            same_slot(side, name);
        }
        return;
    }
    for (const struct node *node = model->node; node < model->end; node++)
        for (int list = 0; trial_is_own(side->trial, node->site.index) && list < LISTS; list++)
            for (const struct packet *p = list == ON_PLANE ? NULL : node->at[list]; p != NULL;
                 p = p->next) {
                same_header(side, p->name);
                for (uint32_t i = model->header.packet[p->name].first; i <= p->name; i++)
                    same_slot(side, i);
            }
}

static void same_places(const struct side *side)
{
    const struct model *model = side->model;
    const struct machine *machine = side->machine;
    same(side, "resting", model_resting(model), machine_resting(machine));
    same(side, "travelling", model_travelling(model), machine_travelling(machine));
    for (const struct node *node = model->node; node < model->end; node++) {
        node_index i = node->site.index;
        if (!trial_is_own(side->trial, i))
            continue;
        uint32_t packet = machine_first_resting(machine, i);
        for (const struct packet *p = node->at[RESTING]; p != NULL; p = p->next) {
            same(side, "a packet that rests", trial_packet(side->header, p->name), packet);
            packet = machine_next_resting(machine, packet);
        }
        same(side, "the packet behind the last one that rests", MACHINE_NONE, packet);
        bool is_busy = model_count(node, node + 1, COPYING, LISTS - 1) > 0;
        bool is_void = node->has_discarded || model_count(node, node + 1, 0, INPUT) > 0;
        same(side, "node_is_busy", is_busy, machine_node_is_busy(machine, i));
        if (!model->plane_is_open)
            same(side, "node_is_void", is_void, machine_node_is_void(machine, i));
    }
}

static int compare_events(const void *one, const void *other)
{
    const struct told_event *a = one, *b = other;
    int order = a->step < b->step ? -1 : a->step > b->step;
    order = order != 0 ? order : (int)a->event.kind - (int)b->event.kind;
    for (int i = 0; order == 0 && i < 3; i++)
        order = a->event.field[i] < b->event.field[i] ? -1 : a->event.field[i] > b->event.field[i];
    return order;
}

/* Compares events step by step, in any order: the machine chooses the order, and the audit of
 * traces checks that it is possible. */
void trial_same_events(const struct trial *trial)
{
    const struct side *side = &trial->side[OBSERVED];
    const struct event_log *expected = &trial->side[MODEL].log, *told = &side->log;
    if (ranks_rank(trial->config.ranks) > 0)
        return;
    same(side, "the number of events", expected->count, told->count);
    if (told->count == trial->events)
        return; /* perhaps there is no list yet */
    for (int i = MODEL; i <= OBSERVED; i++)
        qsort(trial->side[i].log.event + trial->events, told->count - trial->events,
              sizeof *told->event, compare_events);
    for (size_t i = trial->events; i < told->count; i++) {
        const struct told_event *a = &expected->event[i], *b = &told->event[i];
        bool is_same = a->step == b->step && a->event.kind == b->event.kind;
        for (int k = 0; k < 3; k++)
            is_same &= a->event.field[k] == b->event.field[k];
        if (is_same)
            continue;
        fprintf(stderr, "expected %llu %c %u %u %u, was told %llu %c %u %u %u\n",
                (unsigned long long)a->step, a->event.kind, a->event.field[0], a->event.field[1],
                a->event.field[2], (unsigned long long)b->step, b->event.kind, b->event.field[0],
                b->event.field[1], b->event.field[2]);
        same(side, "an event", 1, 0);
    }
}

/* After a failed check the places of packets are undefined. Headers show the steps for which the
 * rule was called. */
void trial_compare(struct trial *trial)
{
    enum failure_kind kind = trial->side[MODEL].kind;
    for (int i = MODEL + 1; i < SIDES; i++) {
        const struct side *side = &trial->side[i];
        same(side, "the failure", kind, side->kind);
        same_text(side, "its text", trial_model(trial)->failure.text, side->failure.text);
        same_counts(side);
        if (kind != FAIL_CHECK)
            same_places(side);
        if (kind != FAIL_CHECK || trial->in_lockstep)
            same_headers(side);
    }
    trial_same_events(trial);
    trial->events = trial->side[MODEL].log.count;
    trial->is_over = kind == FAIL_CHECK;
}
