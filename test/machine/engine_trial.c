/* engine_trial.c - a program on three sides: its beginning, its calls, and the part after an
 * attempt. */
#include "test/machine/engine_trial.h"

#include "machine/ranks/ranks.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

const struct model *trial_model(const struct trial *trial)
{
    return trial->side[MODEL].model;
}

node_index trial_nodes(const struct trial *trial)
{
    return mesh_nodes(trial->config.mesh);
}

node_place trial_place(const struct trial *trial, node_index node)
{
    return site_place(trial_model(trial)->node[node].site);
}

bool trial_is_plane(const struct trial *trial)
{
    const struct model *model = trial_model(trial);
    for (const struct node *node = model->node; node < model->end; node++)
        if (model_count(node, node + 1, RESTING, RESTING) > 1)
            return false;
    return model_travelling(model) == 0;
}

/* ---- events for an observer ---- */

static void note_events(void *context, uint64_t step, const struct machine_event *event,
                        size_t count)
{
    struct event_log *log = context;
    for (size_t i = 0; i < count; i++) {
        if (log->count == log->room) {
            log->room = 2 * log->room + 1024;
            log->event = realloc(log->event, log->room * sizeof *log->event);
            ck_assert_ptr_nonnull(log->event);
        }
        log->event[log->count++] = (struct told_event){step, event[i]};
    }
}

static void note_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

/* ---- expected messages ---- */

/* Numbers of messages are below this; so some packets have the same, and their deliveries at one
 * node are wrong. */

static enum expectation draw_expectation(const struct trial *trial, node_index node,
                                         uint32_t message)
{
    uint32_t chance = pcg32_at(trial->seed, message, node) % 8;
    return chance == 0 ? UNEXPECTED : chance < 3 && trial->holds ? IS_HELD : EXPECTED;
}

/* Machines are in their second attempt where nodes hold messages of a first one. */
static void list_messages(struct trial *trial, struct expected_messages *expected)
{
    const struct model *model = trial_model(trial);
    uint32_t size = trial_nodes(trial) * MESSAGES, at = 0;
    ck_assert(expected_begin(expected, 0, trial_nodes(trial)));
    for (uint32_t i = 0; i < size; i++)
        if (model->expectation[i] != UNEXPECTED)
            expected_count(expected, i / MESSAGES);
    ck_assert(expected_make_room(expected));
    for (uint32_t i = size; i-- > 0;) /* in descending order */
        if (model->expectation[i] != UNEXPECTED)
            expected_add(expected, i / MESSAGES, i % MESSAGES);
    expected_sort(expected);
    expected->attempt = 2;
    for (uint32_t i = 0; i < size; i++)
        if (model->expectation[i] != UNEXPECTED)
            expected->arrived[at++] = model->expectation[i] == IS_HELD;
}

static void begin_expecting(struct trial *trial)
{
    struct model *model = trial->side[MODEL].model;
    model->messages = MESSAGES;
    model->expectation = calloc(trial_nodes(trial), MESSAGES);
    ck_assert_ptr_nonnull(model->expectation);
    for (uint32_t i = 0; i < trial_nodes(trial) * MESSAGES; i++)
        model->expectation[i] = (uint8_t)draw_expectation(trial, i / MESSAGES, i % MESSAGES);
    for (int i = MODEL + 1; i < SIDES; i++)
        list_messages(trial, &trial->side[i].expected);
}

/* ---- a trial ---- */

static struct machine *make_machine(struct trial *trial, int side)
{
    struct machine_config config = trial->config;
    struct machine_attempt attempt = trial->attempt;
    struct failure failure = {0};
    config.kernel = "test";
    bool is_told = side == OBSERVED && ranks_rank(config.ranks) == 0;
    config.has_names = trial->stores_elsewhere || config.ranks != NULL;
    config.own_slots = config.slots;
    config.threads = 1 + (config.threads - 1 + (uint32_t)side) % 3;
    config.observer = is_told ? &trial->side[side].observer : NULL;
    attempt.before = trial->side[side].machine;
    config.attempt = trial->config.attempt == NULL ? NULL : &attempt;
    config.expected = trial->expects ? &trial->side[side].expected : NULL;
    struct machine *machine = machine_create(&config, &failure);
    ck_assert_msg(machine != NULL, "%s", failure.text);
    trial->own = machine_nodes(machine);
    struct headers *header = machine_headers(machine);
    if (config.ranks != NULL) { /* a machine finds no slots by names on ranks, but a test does */
        header->slot_of_name = calloc(config.slots, sizeof *header->slot_of_name);
        ck_assert_ptr_nonnull(header->slot_of_name);
    }
    return machine;
}

/* Makes machines and a model that go on from the end of those before them, if there are any. */
static void make_sides(struct trial *trial)
{
    struct model *before = trial->side[MODEL].model;
    struct machine_config config = trial->config;
    config.observer = &trial->side[MODEL].observer;
    struct model *model = model_create(&config, before);
    trial->side[MODEL].model = model;
    if (before == NULL && trial->expects)
        begin_expecting(trial);
    for (int i = 0; i < SIDES; i++) {
        struct side *side = &trial->side[i];
        struct machine *machine = i == MODEL ? NULL : make_machine(trial, i);
        machine_free(side->machine);
        side->trial = trial;
        side->log.count = 0;
        side->machine = machine;
        side->model = model;
        side->header = machine == NULL ? &model->header : machine_headers(machine);
        if (side->header->name != NULL && side->header->slot_of_name == NULL)
            memset(side->header->name, 0xff, side->header->slots * sizeof *side->header->name);
    }
    free(before);
    trial->slots = 0;
    trial->events = 0;
}

void trial_begin(struct trial *trial)
{
    for (int i = 0; i < SIDES; i++)
        trial->side[i].observer =
            (struct machine_observer){&trial->side[i].log, note_events, note_phase, NULL};
    make_sides(trial);
    trial_phase(trial, "first");
}

void trial_end(struct trial *trial)
{
    for (int i = 0; i < SIDES; i++) {
        machine_free(trial->side[i].machine);
        expected_free(&trial->side[i].expected);
        free(trial->side[i].log.event);
    }
    free(trial->side[MODEL].model->expectation);
    free(trial->side[MODEL].model);
}

bool trial_is_own(const struct trial *trial, node_index node)
{
    return trial->own.first <= node && node < trial->own.end;
}

/* ---- calls ---- */

enum failure_kind trial_call(struct trial *trial, const char *name,
                             enum failure_kind (*call)(struct side *side, const void *how),
                             const void *how)
{
    trial->call = name;
    trial->calls++;
    trial->side[MODEL].model->failure = (struct failure){0};
    for (int i = 0; i < SIDES; i++) {
        trial->side[i].failure = (struct failure){0};
        trial->side[i].kind = call(&trial->side[i], how);
    }
    trial_compare(trial);
    return trial->side[MODEL].kind;
}

struct injection {
    node_index node;
    uint32_t first, count;
    const node_place *destination;
    node_place target;
    uint8_t state;
    bool queues, contributes;
};

/* Places the slots of packets, each in its order, from the last slot on down. */
static uint32_t place_slots(struct side *side, const struct injection *injection)
{
    struct headers *header = side->header;
    uint32_t first = side->trial->config.slots - injection->first - injection->count;
    for (uint32_t i = 0; i < injection->count; i++)
        header_name_slot(header, first + i, injection->first + i);
    return first;
}

static enum failure_kind inject_now(struct machine *machine, node_index node, uint32_t packet,
                                    struct failure *failure)
{
    (void)failure; /* the end of the injection tells */
    machine_inject(machine, node, packet);
    return FAIL_NONE;
}

static enum failure_kind inject(struct side *side, const void *how)
{
    const struct injection *injection = how;
    struct headers *header = side->header;
    if (side->machine != NULL && !trial_is_own(side->trial, injection->node))
        return machine_end_injection(side->machine, &side->failure);
    uint32_t first = header->name != NULL ? place_slots(side, injection) : injection->first;
    uint32_t packet = first + injection->count - 1;
    for (uint32_t slot = first; slot <= packet; slot++) {
        header->destination[slot] = injection->destination[slot - first];
        header->packet[slot].message =
            injection->contributes ? injection->target : packet_name(header, packet) % MESSAGES;
    }
    header->packet[packet].first = first;
    header->packet[packet].target = injection->target;
    header->packet[packet].state = injection->state;
    bool queues = injection->queues, contributes = injection->contributes;
    enum failure_kind (*machine)(struct machine *, node_index, uint32_t, struct failure *) =
        contributes ? machine_contribute
        : queues    ? machine_queue
                    : inject_now;
    void (*model)(struct model *, node_index, uint32_t) = contributes ? model_contribute
                                                          : queues    ? model_queue
                                                                      : model_inject;
    if (side->machine != NULL) {
        enum failure_kind kind = machine(side->machine, injection->node, packet, &side->failure);
        return kind == FAIL_NONE ? machine_end_injection(side->machine, &side->failure) : kind;
    }
    model(side->model, injection->node, packet);
    return side->model->failure.kind;
}

bool trial_inject(struct trial *trial, node_index node, uint32_t count,
                  const node_place *destination, node_place target, uint8_t state)
{
    struct injection injection = {node,   trial->slots, count,         destination,
                                  target, state,        trial->queues, trial->contributes};
    if (trial->slots + count > trial->config.slots)
        return false;
    trial->call = "inject";
    trial->slots += count;
    trial->side[MODEL].model->failure = (struct failure){0};
    for (int i = 0; i < SIDES; i++) {
        trial->side[i].failure = (struct failure){0};
        trial->side[i].kind = inject(&trial->side[i], &injection);
    }
    if (trial->side[MODEL].kind != FAIL_NONE)
        trial_compare(trial);
    return trial->side[MODEL].kind == FAIL_NONE;
}

static enum failure_kind begin_phase(struct side *side, const void *how)
{
    if (side->machine == NULL)
        model_begin_phase(side->model, how);
    else
        machine_begin_phase(side->machine, how);
    return FAIL_NONE;
}

void trial_phase(struct trial *trial, const char *name)
{
    trial_call(trial, "begin_phase", begin_phase, name);
}

static enum failure_kind idle(struct side *side, const void *how)
{
    const uint32_t *steps = how;
    if (side->machine == NULL)
        model_idle(side->model, *steps);
    else
        machine_idle(side->machine, *steps);
    return FAIL_NONE;
}

void trial_idle(struct trial *trial, uint32_t steps)
{
    trial_call(trial, "idle", idle, &steps);
}

struct staying {
    const struct headers *header;
    uint32_t one_in;
};

static bool stays(void *context, uint32_t packet)
{
    const struct staying *staying = context;
    return pcg32_at(11, 1, packet_name(staying->header, packet)) % staying->one_in == 0;
}

static enum failure_kind set_aside(struct side *side, const void *how)
{
    struct staying staying = {side->header, *(const uint32_t *)how};
    if (side->machine != NULL)
        return machine_park(side->machine, stays, &staying, NULL);
    model_set_aside(side->model, stays, &staying);
    return FAIL_NONE;
}

void trial_set_aside(struct trial *trial, uint32_t one_in)
{
    trial_call(trial, "set_aside", set_aside, &one_in);
}

static enum failure_kind take_back(struct side *side, const void *how)
{
    (void)how;
    if (side->machine == NULL)
        model_take_back(side->model);
    else
        machine_unpark(side->machine);
    return FAIL_NONE;
}

void trial_take_back(struct trial *trial)
{
    trial_call(trial, "take_back", take_back, NULL);
}

void trial_next_attempt(struct trial *trial, const char *name)
{
    trial->call = "give_up";
    for (int i = 0; i < SIDES; i++) {
        if (i == MODEL)
            model_give_up(trial->side[i].model);
        else
            machine_give_up(trial->side[i].machine);
    }
    trial_same_events(trial);
    trial->attempt.name = name;
    trial->config.attempt = &trial->attempt;
    make_sides(trial);
    trial_phase(trial, "again");
}
