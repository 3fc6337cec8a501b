/* engine_gather.c - trials of machine_gather: contributions to a few sums or many, with ways,
 * urgencies and steps that are drawn.
 *
 * A contribution carries a number, header.target, and so its sum is compared with the headers.
 */
#include "machine/gather.h"
#include "test/machine/engine_draw.h"

struct gather_call {
    struct side *side;
    uint64_t seed;
    uint32_t most_due;  /* 0: due at once */
    uint32_t urgencies; /* levels; 0: none */
    bool has_numbers;
    uint32_t slots; /* of a channel; 0: unbounded */
};

static bool is_rows_first(const struct gather_call *call, uint32_t packet)
{
    return pcg32_at(call->seed, 1, call->side->header->packet[packet].message) % 2;
}

static unsigned class_of(void *context, uint32_t packet)
{
    return is_rows_first(context, packet);
}

/* A message goes along rows first or along columns first: a node has one link for all its
 * packets. */
static enum output output(void *context, struct site site, uint32_t packet)
{
    const struct gather_call *call = context;
    const struct headers *header = call->side->header;
    node_place home = header->destination[packet];
    uint32_t row = place_row(home), col = place_col(home);
    bool is_along_row = row == site.row || (is_rows_first(call, packet) && col != site.col);
    if (home == site_place(site))
        return OUT_EJECT;
    if (is_along_row)
        return col < site.col ? OUT_WEST : OUT_EAST;
    return row < site.row ? OUT_NORTH : OUT_SOUTH;
}

static uint32_t urgency(void *context, struct site site, uint32_t packet)
{
    const struct gather_call *call = context;
    return pcg32_at(call->seed, site.index, packet_name(call->side->header, packet)) %
           call->urgencies;
}

static uint32_t due(void *context, struct site site, uint32_t packet)
{
    const struct gather_call *call = context;
    return 1 + pcg32_at(call->seed + 1, site.index, packet_name(call->side->header, packet)) %
                   call->most_due;
}

static void combine(void *context, uint32_t packet, uint32_t into)
{
    struct headers *header = ((const struct gather_call *)context)->side->header;
    header->packet[into].target += header->packet[packet].target;
}

static enum failure_kind call_gather(struct side *side, const void *how)
{
    struct gather_call call = *(const struct gather_call *)how;
    call.side = side;
    struct gather_rule rule = {.context = &call,
                               .output = output,
                               .urgency = call.urgencies > 0 ? urgency : NULL,
                               .due = call.most_due > 0 ? due : NULL,
                               .slots = call.slots,
                               .class_of = class_of,
                               .combine = call.has_numbers ? combine : NULL};
    if (side->machine != NULL)
        return machine_gather(side->machine, &rule, &side->failure);
    model_gather(side->model, &rule);
    return side->model->failure.kind;
}

/* Contributions of some nodes to a sum. */
static void contribute(struct trial *trial, node_index home, uint32_t share)
{
    node_place place = trial_place(trial, home);
    uint32_t message = draw(trial, 4) > 0 ? home : home + 7 * trial_nodes(trial);
    for (node_index node = 0; node < trial_nodes(trial) && !trial->is_over; node++)
        if (draw(trial, 100) < share)
            trial_inject(trial, node, 1, &place, message, 0);
}

void gather_trial(uint64_t seed, struct ranks *ranks)
{
    static const uint32_t urgencies[] = {0, 2, 5, MACHINE_MAX_URGENCY + 1};
    struct trial trial;
    draw_trial(&trial, seed, ranks, 12);
    trial.config.buffer = draw_one_in(&trial, 3) ? 3 + draw(&trial, 12) : 0;
    trial.config.most_steps = draw_one_in(&trial, 8) ? 1 + draw(&trial, 60) : 0;
    trial.contributes = true;
    trial.expects = false; /* sums are no messages that nodes expect */
    trial_begin(&trial);
    for (int i = 0; i < 3 && !trial.is_over; i++) {
        struct gather_call call = {.seed = seed,
                                   .most_due = draw(&trial, 2) * (1 + draw(&trial, 30)),
                                   .urgencies = urgencies[draw(&trial, 4)],
                                   .has_numbers = draw(&trial, 4) > 0,
                                   .slots = draw(&trial, 2) * (1 + draw(&trial, 3))};
        uint32_t sums = 1 + draw(&trial, 20), share = 1 + draw(&trial, 99);
        node_index nodes = trial_nodes(&trial), start = draw(&trial, nodes);
        for (uint32_t sum = 0; sum < sums && sum < nodes; sum++)
            contribute(&trial, (start + sum * (nodes / (sums < nodes ? sums : nodes))) % nodes,
                       share);
        if (!trial.is_over)
            trial_call(&trial, "gather", call_gather, &call);
    }
    trial_end(&trial);
}
