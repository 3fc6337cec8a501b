/* search.c - made sets first, then local search from the worst of them.
 *
 * Method: the SEARCH_STARTS worst made sets are kept. The local search climbs from one of them at a
 * time, from the worst every other time, from the others in turn. A move changes the set; the probe
 * measures the result, which becomes the set if it is as bad as before or as bad as the climb was
 * HISTORY tries ago (late acceptance; Burke and Bykov 2017). So plateaus are crossed and small
 * losses accepted, without a temperature that would depend on the end of the search. A climb that
 * has found nothing worse for PATIENCE tries ends, and its worst set replaces the set from which it
 * came; then DRAWN sets of new families are tried, which join the starts if they are worse. Moves
 * that found something are drawn more often.
 *
 * Invariant: `worst` is the worst set that was ever measured.
 * Cost: one run of the probe per set, two if the first does not decide which of two sets is worse.
 * Source: E. K. Burke and Y. Bykov, The late acceptance hill-climbing heuristic, EJOR 258 (2017).
 */
#include "search/search.h"

#include "search/candidate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY = 40, PATIENCE = 400, DRAWN = 20, STREAM_SEARCH = 0x73656172 };

/* Chances of the moves: the minimum of each, and the reward for a new worst set of a climb. */
enum { LEAST_CHANCE = 8, REWARD = 6, MOST_CHANCE = 80 };

struct searching {
    struct search *search;
    const struct search_plan *plan;
    struct candidate candidate;
    struct mutation_scene scene;
    uint32_t chance[SEARCH_MOVES_MOST];
    uint64_t *mark; /* of the sets that were made or given */
    uint32_t marks, mark_room;
    bool is_over;
};

/* A climb: its present set, and the worst on its way. */
struct climb {
    struct search_find *start; /* becomes the worst on the way */
    struct search_find now;
    struct search_figure history[HISTORY];
    uint32_t idle;
};

/* True if `one` is worse for the router than `other`. */
static bool is_worse(const struct search_figure *one, const struct search_figure *other)
{
    if (one->fails != other->fails)
        return one->fails;
    if (one->figure != other->figure)
        return one->figure > other->figure;
    return one->finer > other->finer;
}

/* True if the two differ by more than `finer`, whose value need not be known. */
static bool is_clearly_less(const struct search_figure *one, const struct search_figure *other)
{
    return one->fails != other->fails ? other->fails : one->figure < other->figure;
}

/* ---- sets ---- */

static enum failure_kind copy_set(const struct message_set *from, struct message_set *to,
                                  struct failure *failure)
{
    if (message_set_allocate(to, from->shape, from->messages, from->deliveries, failure) !=
        FAIL_NONE)
        return failure->kind;
    memcpy(to->source, from->source, from->messages * sizeof *to->source);
    memcpy(to->offset, from->offset, (from->messages + (size_t)1) * sizeof *to->offset);
    memcpy(to->destination, from->destination, from->deliveries * sizeof *to->destination);
    return FAIL_NONE;
}

/* Makes `to` a copy of `from`, and frees its former content. */
static enum failure_kind replace(struct search_find *to, const struct search_find *from,
                                 struct failure *failure)
{
    struct message_set set;
    if (copy_set(&from->set, &set, failure) != FAIL_NONE)
        return failure->kind;
    message_set_free(&to->set);
    *to = *from;
    to->set = set;
    return FAIL_NONE;
}

/* Counts a set as tried, and measures it without `finer`. */
static enum failure_kind measure(struct searching *own, struct search_find *find,
                                 struct failure *failure)
{
    const struct search_plan *plan = own->plan;
    find->at = ++own->search->tried;
    find->figure = (struct search_figure){.peak = MESH_NO_NODE};
    return plan->probe(plan->context, &find->set, false, &find->figure, failure);
}

static enum failure_kind measure_finely(struct searching *own, struct search_find *find,
                                        struct failure *failure)
{
    return own->plan->probe(own->plan->context, &find->set, true, &find->figure, failure);
}

/* Takes note of a set: the worst so far, and the end of the search. */
static enum failure_kind note(struct searching *own, const struct search_find *find,
                              struct failure *failure)
{
    struct search *search = own->search;
    const struct search_plan *plan = own->plan;
    bool is_first = search->worst.at == 0;
    if ((is_first || is_worse(&find->figure, &search->worst.figure)) &&
        replace(&search->worst, find, failure) != FAIL_NONE)
        return failure->kind;
    own->is_over = plan->is_over(plan->context, search->tried, &search->worst) ||
                   (plan->tries > 0 && search->tried >= plan->tries);
    return FAIL_NONE;
}

/* ---- sets that were made ---- */

/* Keeps the set among the starts, the worst first, if it is one of the worst; else frees it. Takes
 * it over. */
static void keep_start(struct search *search, struct search_find *find)
{
    uint32_t place = search->starts;
    while (place > 0 && is_worse(&find->figure, &search->start[place - 1].figure))
        place--;
    if (place == SEARCH_STARTS) {
        message_set_free(&find->set);
        return;
    }
    if (search->starts == SEARCH_STARTS)
        message_set_free(&search->start[--search->starts].set);
    memmove(search->start + place + 1, search->start + place,
            (search->starts - place) * sizeof *search->start);
    search->start[place] = *find;
    search->starts++;
}

/* Returns a number that two different sets hardly ever share. */
static uint64_t mark_of(const struct message_set *set)
{
    uint64_t mark = set->messages;
    for (uint32_t i = 0; i < set->messages; i++)
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            mark ^= (uint64_t)set->source[i] << 32 | set->destination[j];
            mark = (mark ^ mark >> 31) * UINT64_C(0x9e3779b97f4a7c15);
        }
    return mark;
}

/* Makes a copy with the messages in the order of their sources, as moves need them. */
static enum failure_kind in_order(struct searching *own, const struct message_set *from,
                                  struct message_set *to, struct failure *failure)
{
    if (own->candidate.per_node == 1)
        return copy_set(from, to, failure);
    candidate_take(&own->candidate, from);
    return candidate_set(&own->candidate, to, failure);
}

/* True if the set was tried as a start before; from now on it was. */
static bool is_repeated(struct searching *own, const struct message_set *set)
{
    uint64_t mark = mark_of(set);
    for (uint32_t i = 0; i < own->marks; i++)
        if (own->mark[i] == mark)
            return true;
    if (own->marks < own->mark_room) /* drawn sets beyond are not remembered */
        own->mark[own->marks++] = mark;
    return false;
}

static enum failure_kind try_start(struct searching *own, struct search_find *find,
                                   struct failure *failure)
{
    if (measure(own, find, failure) == FAIL_NONE && measure_finely(own, find, failure) == FAIL_NONE)
        note(own, find, failure);
    own->search->made++;
    find->first = find->figure;
    if (failure->kind == FAIL_NONE)
        keep_start(own->search, find);
    else
        message_set_free(&find->set);
    return failure->kind;
}

static enum failure_kind try_given(struct searching *own, struct failure *failure)
{
    const struct search_plan *plan = own->plan;
    for (uint32_t i = 0; i < plan->givens && !own->is_over; i++) {
        struct search_find find = {.at = 0};
        const char *name = plan->given_name[i], *slash = strrchr(name, '/');
        size_t length = strlen(slash != NULL ? slash + 1 : name);
        length = length < sizeof find.name ? length : sizeof find.name - 1;
        memcpy(find.name, slash != NULL ? slash + 1 : name, length);
        if (plan->given[i].messages == 0 || is_repeated(own, &plan->given[i]))
            continue;
        if (in_order(own, &plan->given[i], &find.set, failure) != FAIL_NONE ||
            try_start(own, &find, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

/* Tries made set `number`, unless it cannot be made or was tried before. */
static enum failure_kind try_number(struct searching *own, uint32_t number, struct failure *failure)
{
    struct search_find find = {.at = 0};
    struct failure unfit = {0};
    struct message_set made;
    enum failure_kind kind = seed_set_make(&own->plan->seeds, number, &made, find.name, &unfit);
    if (kind != FAIL_NONE && kind != FAIL_USAGE)
        return fail_as(failure, &unfit);
    bool is_new = kind == FAIL_NONE && made.messages > 0 && !is_repeated(own, &made);
    kind = is_new ? in_order(own, &made, &find.set, failure) : FAIL_NONE;
    message_set_free(&made);
    return is_new && kind == FAIL_NONE ? try_start(own, &find, failure) : kind;
}

static enum failure_kind try_made(struct searching *own, struct failure *failure)
{
    uint32_t count = seed_sets_count(&own->plan->seeds);
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t i = 0; kind == FAIL_NONE && i < count && !own->is_over; i++)
        kind = try_number(own, i, failure);
    return kind;
}

/* ---- local search ---- */

static uint32_t draw_move(struct searching *own)
{
    uint32_t sum = 0, move = 0;
    for (uint32_t i = 0; i < mutation_count(); i++)
        sum += own->chance[i];
    uint32_t drawn = pcg32_below(&own->scene.random, sum);
    while (drawn >= own->chance[move])
        drawn -= own->chance[move++];
    return move;
}

/* Rewards a move that made something worse: it is drawn more often, and all others a little
 * less. */
static void reward(struct searching *own, uint32_t move)
{
    for (uint32_t i = 0; i < mutation_count(); i++)
        if (own->chance[i] > LEAST_CHANCE)
            own->chance[i] -= (own->chance[i] - LEAST_CHANCE + 15) / 16;
    own->chance[move] += own->chance[move] < MOST_CHANCE ? REWARD : 0;
}

/* Makes a changed set, never empty: moves are drawn until one changes something. */
static enum failure_kind change(struct searching *own, const struct search_find *now,
                                uint32_t *move, struct search_find *next, struct failure *failure)
{
    struct mutation_scene *scene = &own->scene;
    const struct search *search = own->search;
    *next = *now;
    next->set = (struct message_set){0};
    do {
        message_set_free(&next->set);
        *move = draw_move(own);
        candidate_take(&own->candidate, &now->set);
        scene->base = &now->set;
        scene->other = &search->start[pcg32_below(&scene->random, search->starts)].set;
        scene->peak = now->figure.peak;
        mutation_at(*move)->make(scene);
        if (own->candidate.is_changed &&
            candidate_set(&own->candidate, &next->set, failure) != FAIL_NONE)
            return failure->kind;
    } while (next->set.messages == 0);
    return FAIL_NONE;
}

/* Replaces the climb's present set by the one that was found. */
static enum failure_kind accept(struct searching *own, struct climb *climb, uint32_t move,
                                struct search_find *next, struct failure *failure)
{
    bool is_best = is_worse(&next->figure, &climb->start->figure);
    next->moves++;
    next->last = mutation_at(move)->name;
    own->search->move[move].kept++;
    message_set_free(&climb->now.set);
    climb->now = *next;
    next->set = (struct message_set){0};
    if (!is_best)
        return FAIL_NONE;
    own->search->move[move].best += is_worse(&climb->now.figure, &own->search->worst.figure);
    climb->idle = 0;
    reward(own, move);
    return replace(climb->start, &climb->now, failure);
}

/* Makes one change, measures it, and keeps it or not. */
static enum failure_kind climb_once(struct searching *own, struct climb *climb,
                                    struct failure *failure)
{
    uint32_t move;
    struct search_find next;
    struct search_figure *past = &climb->history[own->search->tried % HISTORY];
    const struct search_figure *least =
        is_worse(&climb->now.figure, past) ? past : &climb->now.figure;
    if (change(own, &climb->now, &move, &next, failure) != FAIL_NONE)
        return failure->kind;
    own->search->move[move].tried++;
    climb->idle++;
    enum failure_kind kind = measure(own, &next, failure);
    if (kind == FAIL_NONE && !is_clearly_less(&next.figure, least))
        kind = measure_finely(own, &next, failure);
    if (kind == FAIL_NONE && !is_worse(least, &next.figure))
        kind = accept(own, climb, move, &next, failure);
    message_set_free(&next.set);
    *past = climb->now.figure;
    return kind == FAIL_NONE ? note(own, &climb->now, failure) : kind;
}

static enum failure_kind climb_from(struct searching *own, struct search_find *start,
                                    struct failure *failure)
{
    struct climb climb = {.start = start, .now = *start};
    if (copy_set(&start->set, &climb.now.set, failure) != FAIL_NONE)
        return failure->kind;
    for (int i = 0; i < HISTORY; i++)
        climb.history[i] = start->figure;
    while (!own->is_over && climb.idle < PATIENCE && climb_once(own, &climb, failure) == FAIL_NONE)
        continue;
    message_set_free(&climb.now.set);
    return failure->kind;
}

/* Moves the start of the last climb to its new place among the others. */
static void keep_order(struct search *search, uint32_t from)
{
    struct search_find climbed = search->start[from];
    memmove(search->start + from, search->start + from + 1,
            (--search->starts - from) * sizeof *search->start);
    keep_start(search, &climbed);
}

static enum failure_kind climb_all(struct searching *own, struct failure *failure)
{
    struct search *search = own->search;
    uint32_t number = seed_sets_count(&own->plan->seeds);
    bool has_families = own->plan->seeds.attempts > 0;
    for (uint32_t turn = 0; !own->is_over; turn++) {
        uint32_t from = turn % 2 == 0 ? 0 : turn / 2 % search->starts;
        if (climb_from(own, &search->start[from], failure) != FAIL_NONE)
            return failure->kind;
        keep_order(search, from);
        for (uint32_t i = 0; i < DRAWN && has_families && !own->is_over; i++)
            if (try_number(own, number++, failure) != FAIL_NONE)
                return failure->kind;
    }
    return FAIL_NONE;
}

/* ---- the search ---- */

static uint32_t tile_side(struct mesh mesh, uint32_t congestion, uint32_t per_node)
{
    uint32_t side = 1, shorter = mesh.rows < mesh.cols ? mesh.rows : mesh.cols;
    while (side < shorter &&
           (uint64_t)(side + 1) * (side + 1) * congestion <= (uint64_t)mesh_nodes(mesh) * per_node)
        side++;
    return side;
}

enum failure_kind search_run(struct search *search, const struct search_plan *plan,
                             struct failure *failure)
{
    struct mesh mesh = plan->seeds.mesh;
    uint32_t per_node = seed_plan_per_node(&plan->seeds);
    struct searching own = {.search = search, .plan = plan};
    assert(mutation_count() <= SEARCH_MOVES_MOST);
    *search = (struct search){.tried = 0};
    for (uint32_t i = 0; i < mutation_count(); i++)
        own.chance[i] = LEAST_CHANCE;
    own.mark_room = plan->givens + seed_sets_count(&plan->seeds);
    own.mark = memory_allocate(own.mark_room, sizeof *own.mark);
    own.scene = (struct mutation_scene){.candidate = &own.candidate,
                                        .tile = tile_side(mesh, plan->seeds.congestion, per_node),
                                        .random = pcg32_seed(plan->seed, STREAM_SEARCH)};
    candidate_make(&own.candidate, mesh, plan->seeds.congestion, per_node, failure);
    if (failure->kind == FAIL_NONE && own.mark == NULL)
        fail_memory(failure, "the search");
    if (failure->kind == FAIL_NONE && try_given(&own, failure) == FAIL_NONE &&
        try_made(&own, failure) == FAIL_NONE && search->starts == 0)
        fail(failure, FAIL_USAGE, "no set with a message can be made on that mesh");
    if (failure->kind == FAIL_NONE)
        climb_all(&own, failure);
    candidate_free(&own.candidate);
    free(own.mark);
    return failure->kind;
}

void search_free(struct search *search)
{
    message_set_free(&search->worst.set);
    for (uint32_t i = 0; i < search->starts; i++)
        message_set_free(&search->start[i].set);
    *search = (struct search){.tried = 0};
}
