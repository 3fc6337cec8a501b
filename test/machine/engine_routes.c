/* engine_routes.c - trials of machine_forward and machine_channel, of attempts, and of packets that
 * are set aside.
 */
#include "test/machine/engine_draw.h"
#include "test/machine/engine_rule.h"

/* ---- queues ---- */

enum { MOST_DESTINATIONS = 5 };

/* Trees, packets that rest or vanish at their targets, and trees whose rest does. */
static void inject_some(struct trial *trial, uint32_t most_a_node, bool keepers_only)
{
    node_index nodes = trial_nodes(trial), crowd = draw(trial, nodes);
    bool is_injected = true;
    for (node_index node = 0; node < nodes && !trial->is_over; node++)
        for (uint32_t left = draw(trial, most_a_node + 1); left > 0 && is_injected; left--) {
            node_place place[MOST_DESTINATIONS + 1];
            node_place target = trial_place(trial, draw_node(trial, crowd));
            uint32_t count = draw_destinations(trial, crowd, MOST_DESTINATIONS, place);
            uint8_t state = (uint8_t)draw(trial, 32) & (uint8_t)~IS_EXPRESS;
            if (count < MOST_DESTINATIONS && draw_one_in(trial, 4))
                place[count++] = place[0]; /* which takes two deliveries */
            if (keepers_only)
                count = 0;
            if (keepers_only || draw_one_in(trial, 3))
                place[count++] = MACHINE_NO_PLACE;
            is_injected = trial_inject(trial, node, count, place, target, state);
        }
}

/* Some of the packets that rest are to go somewhere else. */
static void send_on(struct trial *trial)
{
    const struct model *model = trial_model(trial);
    for (const struct node *node = model->node; node < model->end; node++)
        for (const struct packet *p = node->at[RESTING]; p != NULL; p = p->next) {
            node_place target = trial_place(trial, draw(trial, trial_nodes(trial)));
            bool goes = draw(trial, 3) > 0;
            for (int i = 0; i < SIDES && goes; i++)
                if (i == MODEL || trial_is_own(trial, node->site.index)) {
                    struct headers *header = trial->side[i].header;
                    header->packet[trial_packet(header, p->name)].target = target;
                }
        }
}

static uint64_t draw_limit(struct trial *trial)
{
    return draw_one_in(trial, 4) ? 8 + draw(trial, 40) : 1 + draw(trial, 10);
}

static uint32_t fullest_node(const struct trial *trial)
{
    const struct model *model = trial_model(trial);
    uint32_t most = 1;
    for (const struct node *node = model->node; node < model->end; node++) {
        uint32_t held = model_count(node, node + 1, 0, LISTS - 1);
        most = held > most ? held : most;
    }
    return most;
}

static void forward_once(struct trial *trial, bool keepers_only)
{
    static const uint32_t urgencies[] = {0, 0, 3, MACHINE_MAX_URGENCY + 1};
    struct routing_call call = {.wakes = draw(trial, 2),
                                .by_steps = draw_one_in(trial, 4),
                                .limit = draw_limit(trial),
                                .urgencies = urgencies[draw(trial, 4)]};
    if (keepers_only && draw_one_in(trial, 3))
        call.capacity = fullest_node(trial) + draw(trial, 4);
    trial->in_lockstep = call.by_steps && trial->config.buffer > 0;
    trial_call(trial, "forward", call_forward, &call);
    trial->in_lockstep = false;
}

/* Acts between calls: phases, steps in which nothing moves, packets that take no part. */
static void do_something_else(struct trial *trial)
{
    switch (draw(trial, 5)) {
    case 0:
        trial_phase(trial, draw(trial, 2) ? "other" : "more");
        break;
    case 1:
        trial_idle(trial, draw(trial, 4));
        break;
    case 2:
        if (trial_model(trial)->aside_levels < PARKED_LEVELS)
            trial_set_aside(trial, 1 + draw(trial, 3));
        break;
    case 3:
        if (trial_model(trial)->aside_levels > 0)
            trial_take_back(trial);
        break;
    default:
        break;
    }
}

/* True if another attempt may follow after an attempt whose steps are spent, of packets that
 * `inject` makes. */
static bool may_go_on(struct trial *trial,
                      void (*inject)(struct trial *trial, struct routing_call *call),
                      struct routing_call *call)
{
    if (trial->is_over || model_steps_left(trial_model(trial)) > 0)
        return !trial->is_over;
    if (trial->calls >= 40)
        return false;
    trial->attempt.budget = draw(trial, 30);
    trial_next_attempt(trial, "try 2");
    inject(trial, call);
    return !trial->is_over && model_steps_left(trial_model(trial)) > 0;
}

static bool is_empty(const struct trial *trial)
{
    const struct model *model = trial_model(trial);
    return model_resting(model) + model_travelling(model) == 0;
}

/* True if another batch of packets may follow without a new attempt, since nothing is left or set
 * aside. */
static bool wants_batch(struct trial *trial)
{
    bool is_over = trial->is_over || trial_model(trial)->aside_levels > 0 || !is_empty(trial);
    return !is_over && draw(trial, 4) > 0;
}

static void inject_keepers(struct trial *trial, struct routing_call *call)
{
    (void)call;
    inject_some(trial, 1, true);
}

void forward_trial(uint64_t seed, struct ranks *ranks)
{
    struct trial trial;
    draw_trial(&trial, seed, ranks, 12);
    bool keepers_only = draw_one_in(&trial, 3);
    trial.config.buffer = draw(&trial, 2) ? 0 : 3 + draw(&trial, 12);
    trial.config.most_steps = draw_one_in(&trial, 8) ? 1 + draw(&trial, 60) : 0;
    draw_attempt(&trial);
    trial_begin(&trial);
    inject_some(&trial, 1 + draw(&trial, 3), keepers_only);
    for (int i = 0; i < 16 && may_go_on(&trial, inject_keepers, NULL); i++) {
        forward_once(&trial, keepers_only);
        if (trial.is_over)
            break;
        if (draw(&trial, 2))
            send_on(&trial);
        do_something_else(&trial);
        if (wants_batch(&trial))
            inject_some(&trial, 1 + draw(&trial, 3), keepers_only);
    }
    trial_end(&trial);
}

/* ---- channels ---- */

static const uint32_t CHANNELS[] = {CHANNELS_SHARED, CHANNELS_OF_BOTH};

/* Trees and packets that vanish, or express packets that hand on trees. */
static void inject_for_channels(struct trial *trial, struct routing_call *call)
{
    node_index nodes = trial_nodes(trial), crowd = draw(trial, nodes);
    uint32_t most = 1 + draw(trial, 3);
    bool is_injected = true;
    for (node_index node = 0; node < nodes && !trial->is_over; node++)
        for (uint32_t left = draw(trial, most + 1); left > 0 && is_injected; left--) {
            node_place place[MOST_DESTINATIONS + 1];
            node_place target = trial_place(trial, draw_node(trial, crowd));
            uint32_t count = draw_destinations(trial, crowd, MOST_DESTINATIONS, place);
            uint8_t state = draw(trial, 2) ? ROWS_FIRST : 0;
            state |= draw_one_in(trial, 3) ? STOPS_HALF_WAY : 0;
            if (call->spreads && draw(trial, 2))
                state |= IS_EXPRESS | SPREADS;
            if (call->injects) {
                state |= IS_EXPRESS;
                count = draw(trial, 3) > 0 ? count : 0;
                place[count++] = MACHINE_NO_PLACE;
            } else if (draw_one_in(trial, 4)) {
                state |= VANISHES;
                count = 1;
                place[0] = MACHINE_NO_PLACE;
            }
            is_injected = trial_inject(trial, node, count, place, target, state);
        }
}

/* Another batch, with other channels of as many slots. */
static void inject_other_channels(struct trial *trial, struct routing_call *call)
{
    call->channels = CHANNELS[draw(trial, 2)];
    inject_for_channels(trial, call);
}

void channel_trial(uint64_t seed, struct ranks *ranks)
{
    struct trial trial;
    draw_trial(&trial, seed, ranks, 10);
    struct routing_call call = {.channels = CHANNELS[draw(&trial, 2)],
                                .slots = 1 + draw(&trial, 3),
                                .injects = draw(&trial, 2)};
    call.spreads = !call.injects && draw(&trial, 2);
    trial.config.buffer = draw(&trial, 3) > 0 ? 0 : 3 + draw(&trial, 12);
    trial.config.most_steps = draw_one_in(&trial, 8) ? 1 + draw(&trial, 60) : 0;
    draw_attempt(&trial);
    trial.queues = seed % 3 == 0;
    trial_begin(&trial);
    inject_for_channels(&trial, &call);
    for (int i = 0; i < 16 && may_go_on(&trial, inject_for_channels, &call); i++) {
        call.wakes = draw(&trial, 2);
        call.limit = draw_limit(&trial);
        call.switches = draw(&trial, 2);
        call.switch_every = draw(&trial, 4);
        call.straight_first = call.channels == CHANNELS_OF_BOTH && draw(&trial, 2);
        call.by_steps = draw_one_in(&trial, 4);
        trial_call(&trial, "channel", call_channel, &call);
        if (trial.is_over)
            break;
        if (call.injects)
            send_on(&trial);
        do_something_else(&trial);
        if (wants_batch(&trial))
            inject_other_channels(&trial, &call);
    }
    trial_end(&trial);
}
