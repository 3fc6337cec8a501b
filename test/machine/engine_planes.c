/* engine_planes.c - trials of the instructions on planes: paired lines of any cuts. */
#include "test/machine/engine_draw.h"
#include "test/machine/engine_rule.h"

enum { MOST_SIDE = 130, MOST_CUTS = MOST_SIDE + 2, MOST_PATTERNS = 3 };

/* An instruction on the open plane. */
struct plane_call {
    struct lines lines;
    uint32_t cut[MOST_CUTS], band_cut[MOST_CUTS];
    uint8_t line_flag[MOST_SIDE];
    struct compare compare;
    struct snakes snakes;
    struct permute permute;
    uint32_t target[MOST_PATTERNS * MOST_SIDE], pattern[MOST_SIDE];
    uint64_t seed; /* of keys */
};

/* ---- calls ---- */

struct keys {
    uint64_t seed;
    const struct headers *header;
};

static uint32_t few_keys(void *context, uint32_t packet)
{
    const struct keys *keys = context;
    return pcg32_at(keys->seed, 3, packet_name(keys->header, packet)) % 20;
}

static enum failure_kind call_open(struct side *side, const void *how)
{
    struct keys keys = {((const struct plane_call *)how)->seed, side->header};
    uint32_t (*key)(void *context, uint32_t packet) = keys.seed % 3 == 0 ? NULL : few_keys;
    if (side->machine != NULL)
        return machine_open_plane(side->machine, key, &keys, &side->failure);
    model_open_plane(side->model, key, &keys);
    return side->model->failure.kind;
}

static enum failure_kind call_close(struct side *side, const void *how)
{
    (void)how;
    if (side->machine == NULL)
        model_close_plane(side->model);
    else
        machine_close_plane(side->machine, NULL);
    return FAIL_NONE;
}

static enum failure_kind call_compare(struct side *side, const void *how)
{
    const struct compare *compare = &((const struct plane_call *)how)->compare;
    if (side->machine != NULL)
        return machine_compare(side->machine, compare, &side->failure);
    model_compare(side->model, compare);
    return side->model->failure.kind;
}

static enum failure_kind call_pair(struct side *side, const void *how)
{
    const struct lines *lines = &((const struct plane_call *)how)->lines;
    if (side->machine != NULL)
        return machine_pair(side->machine, lines, &side->failure);
    model_pair(side->model, lines);
    return side->model->failure.kind;
}

static enum failure_kind call_unpair(struct side *side, const void *how)
{
    (void)how;
    if (side->machine != NULL)
        return machine_unpair(side->machine, &side->failure);
    model_unpair(side->model);
    return side->model->failure.kind;
}

static enum failure_kind call_permute(struct side *side, const void *how)
{
    const struct permute *permute = &((const struct plane_call *)how)->permute;
    if (side->machine != NULL)
        return machine_permute(side->machine, permute, &side->failure);
    model_permute(side->model, permute);
    return side->model->failure.kind;
}

static enum failure_kind call_snakes(struct side *side, const void *how)
{
    const struct snakes *snakes = &((const struct plane_call *)how)->snakes;
    if (side->machine != NULL)
        return machine_compare_snakes(side->machine, snakes, &side->failure);
    model_compare_snakes(side->model, snakes);
    return side->model->failure.kind;
}

/* ---- drawing them ---- */

static uint32_t side_of(const struct trial *trial, bool of_columns)
{
    return of_columns ? trial->config.mesh.rows : trial->config.mesh.cols;
}

/* Cuts a line; all cuts of `outer`, unless it is NULL, are among them, and distances from these are
 * multiples of `unit`. */
static void draw_cuts(struct trial *trial, struct plane_call *call, const struct lines *outer,
                      uint32_t unit)
{
    uint32_t length = side_of(trial, call->lines.are_columns), share = draw(trial, 6);
    uint32_t segments = 0, start = 0;
    for (uint32_t at = 1; at <= length; at++) {
        bool is_outer = at == length;
        for (uint32_t s = 0; outer != NULL && s <= outer->segments; s++)
            is_outer |= outer->cut[s] == at;
        bool is_cut = draw(trial, 12) < share && (at - start) % unit == 0;
        if (is_cut || is_outer)
            call->cut[++segments] = at;
        if (is_outer)
            start = at;
    }
    if (draw_one_in(trial, 4)) { /* an empty segment at the end */
        call->cut[segments + 1] = length;
        segments++;
    }
    call->lines.segments = segments;
    call->lines.cut = call->cut;
}

static void draw_compare(struct trial *trial, struct plane_call *call)
{
    struct compare *compare = &call->compare;
    for (uint32_t i = 0; i < MOST_SIDE; i++)
        call->line_flag[i] = (uint8_t)draw(trial, 2);
    compare->lines = call->lines;
    compare->line_flag = draw(trial, 3) > 0 ? call->line_flag : NULL;
    compare->steps = draw_one_in(trial, 3) ? draw(trial, 3) : draw(trial, 24);
}

/* Patterns that permute each segment in some way; a line is one period or several. */
static void draw_permute(struct trial *trial, struct plane_call *call)
{
    struct permute *permute = &call->permute;
    uint32_t length = side_of(trial, call->lines.are_columns), longest = 0;
    *permute = (struct permute){.segments = call->lines.segments,
                                .cut = call->cut,
                                .patterns = 1 + draw(trial, MOST_PATTERNS),
                                .target = call->target,
                                .pattern = call->pattern};
    for (uint32_t p = 0; p < permute->patterns; p++)
        for (uint32_t s = 0; s < permute->segments; s++) {
            uint32_t start = call->cut[s], count = call->cut[s + 1] - start;
            uint32_t *target = call->target + p * length + start;
            longest = count > longest ? count : longest;
            for (uint32_t x = 0; x < count; x++) {
                uint32_t other = draw(trial, x + 1);
                target[x] = target[other];
                target[other] = start + x;
            }
        }
    for (uint32_t line = 0; line < side_of(trial, !call->lines.are_columns); line++)
        call->pattern[line] = draw(trial, permute->patterns);
    permute->steps = longest / 2 + draw(trial, 2);
}

/* The same within each of `periods` parts of a line of one pair of cells or more. */
static void repeat_pattern(struct trial *trial, struct plane_call *call)
{
    uint32_t length = side_of(trial, call->lines.are_columns), period = length / 2;
    struct permute *permute = &call->permute;
    if (length % 4 != 0 || draw(trial, 2))
        return;
    call->cut[1] = period;
    call->cut[2] = period;
    permute->segments = 1;
    for (uint32_t p = 0; p < permute->patterns; p++)
        for (uint32_t x = 0; x < period; x++) {
            uint32_t *target = call->target + p * period, other = draw(trial, x + 1);
            target[x] = target[other];
            target[other] = x;
        }
}

static void draw_snakes(struct trial *trial, struct plane_call *call)
{
    uint32_t lines = side_of(trial, !call->lines.are_columns), bands = 0;
    call->band_cut[0] = 0;
    for (uint32_t line = 1; line <= lines; line++)
        if (line == lines || draw_one_in(trial, 4))
            call->band_cut[++bands] = line;
    call->snakes = (struct snakes){call->lines, bands, call->band_cut,
                                   draw_one_in(trial, 3) ? 0 : draw(trial, 24)};
}

/* ---- programs ---- */

static void fill(struct trial *trial)
{
    node_index nodes = trial_nodes(trial);
    uint32_t load = draw_one_in(trial, 3) ? 100 : draw(trial, 100);
    node_place nowhere = MACHINE_NO_PLACE;
    if (draw_one_in(trial, 3)) { /* beside packets that are set aside */
        for (node_index node = 0; node < nodes && !trial->is_over; node++)
            if (draw_one_in(trial, 3))
                trial_inject(trial, node, 1, &nowhere, 0, 0);
        if (!trial->is_over)
            trial_set_aside(trial, 1);
        if (!trial->is_over && draw(trial, 2)) { /* a second level, empty, leaves the first one */
            trial_set_aside(trial, 1);
            trial_take_back(trial);
        }
    }
    node_index first =
        draw(trial, nodes); /* of equally full nodes the lowest need not come first */
    for (node_index i = 0; i < nodes && !trial->is_over; i++)
        if (draw(trial, 100) < load)
            trial_inject(trial, (first + i) % nodes, 1, &nowhere,
                         trial_place(trial, draw(trial, nodes)), (uint8_t)draw(trial, 2));
}

/* Acts while lines are paired: along them, or, only with comparisons, across them. */
static void act_paired(struct trial *trial, const struct lines *paired, bool is_even)
{
    struct plane_call call = {.seed = 0};
    uint32_t kind = draw(trial, 4);
    bool is_along = kind > 0;
    call.lines.are_columns = is_along == paired->are_columns;
    draw_cuts(trial, &call, is_along ? paired : NULL, kind >= 2 ? 2 : 1);
    if (kind == 3 && !is_even)
        kind = 2;
    switch (kind) {
    case 0:
    case 1:
        draw_compare(trial, &call);
        trial_call(trial, is_along ? "compare along pairs" : "compare across pairs", call_compare,
                   &call);
        break;
    case 2:
        draw_permute(trial, &call);
        if (is_even && paired->segments == 1)
            repeat_pattern(trial, &call);
        trial_call(trial, "permute", call_permute, &call);
        break;
    default:
        draw_snakes(trial, &call);
        trial_call(trial, "compare snakes", call_snakes, &call);
        break;
    }
}

static void pair_and_act(struct trial *trial)
{
    struct plane_call call = {.seed = 0};
    call.lines.are_columns = draw(trial, 2);
    bool is_even = side_of(trial, call.lines.are_columns) % 2 == 0 && draw(trial, 3) > 0;
    draw_cuts(trial, &call, NULL, is_even ? 2 : 1);
    trial_call(trial, "pair", call_pair, &call);
    for (uint32_t left = draw(trial, 6); left > 0 && !trial->is_over; left--)
        act_paired(trial, &call.lines, is_even);
    if (!trial->is_over && draw(trial, 2))
        trial_call(trial, "unpair", call_unpair, NULL);
}

static void open_and_act(struct trial *trial)
{
    struct plane_call call = {.seed = draw(trial, 1000)};
    enum failure_kind kind = trial_call(trial, "open_plane", call_open, &call);
    if (kind == FAIL_NONE && !trial->is_over && draw(trial, 6) > 0)
        pair_and_act(trial);
    if (kind == FAIL_NONE && !trial->is_over)
        trial_call(trial, "close_plane", call_close, NULL);
}

void plane_trial(uint64_t seed, struct ranks *ranks)
{
    struct trial trial;
    struct routing_call call = {.wakes = true, .limit = 200};
    draw_trial(&trial, seed, ranks, 2);
    trial.config.buffer = draw(&trial, 3) > 0 ? 0 : 1 + draw(&trial, 6);
    draw_attempt(&trial);
    trial.attempt.budget = trial.attempt.budget > 0 ? 10 + trial.attempt.budget : 0;
    trial_begin(&trial);
    fill(&trial);
    for (int i = 0; i < 3 && !trial.is_over && trial_is_plane(&trial); i++) {
        open_and_act(&trial);
        if (!trial.is_over && draw_one_in(&trial, 3))
            trial_call(&trial, "forward", call_forward, &call);
    }
    trial_end(&trial);
}
