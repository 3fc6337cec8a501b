/* improve.c - swaps and moves with an exact, incremental objective.
 *
 * Method: simulated annealing on seats, of which each node has per_node. A move exchanges two
 * seats, of which one may be empty, or makes an additional copy one of another item. Most moves
 * bring an item near to another end of one of its messages. Moves are drawn in batches and measured
 * in parallel against the assignment at the batch's begin; those that were good enough are then
 * made one after the other, if they still are. Draws depend only on the seed and a move's number,
 * so nothing depends on the number of threads. The energy is the objective (hops), or stands for
 * it: of the busiest link the sum of fourth powers of all links' loads, which falls before the
 * figure does; of the lower bound the bound and, as less than a step, the hops. The best assignment
 * at the end of a batch is the result. Trees that a move touches are taken away before the move and
 * added after it; adding ends where the change is too large already. Of a tree whose source stays
 * only the links count that lead to nothing but items that move. Acceptance: change <= T e, e
 * exponential with base 2. T falls with the square of the time that is left, from a share of the
 * mean change by the first batch's moves.
 * Cost: the trees of the items' messages (place/tree_meter.h); 12 bytes per message and thread.
 */
#include "place/place.h"

#include "base/numbers.h"
#include "base/parallel.h"
#include "base/pcg.h"
#include "place/tree_meter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_LEAST = 32, BATCH_MOST = 1024, NEAR_STEPS = 3, CHANCE_FAR = 8, CHANCE_ITEM = 4 };

static const double HEAT = 0.2; /* of the mean change */

static const uint64_t STREAM_MOVES = 0x706c616365; /* "place" */

/* A move; drawn, then measured, then perhaps made. Made twice it is undone. */
struct move {
    uint32_t copy;           /* PLACE_NONE: there is no move */
    uint32_t seat;           /* its new seat; PLACE_NONE: it becomes a copy of another item */
    uint32_t other;          /* the copy that is there, or PLACE_NONE */
    uint32_t node, item;     /* received by the copy: from there, or as another item's copy */
    double patience, change; /* e; of the energy */
};

/* A thread's memory; its assignment has a move only while that is measured. */
struct worker {
    struct assignment assignment;
    struct tree_meter meter;
    uint32_t *seen, pass; /* [messages]: the last pass that touched each */
    uint32_t *touched;    /* [messages], those that the move at hand touches, .. */
    uint32_t *hops;       /* .. and their hops with it */
    uint32_t count;
    uint32_t moved[2]; /* the items of the move at hand, of which one may be PLACE_NONE */
    size_t removed;    /* crossings of the meter before those of trees that the move adds */
    uint64_t bound;    /* with the move, for PLACE_BOUND */
    struct failure failure;
};

struct improvement {
    const struct place_plan *plan;
    struct place_result *result;
    uint32_t threads;
    struct worker *worker; /* [threads]; the first one's assignment is the one that counts */
    uint32_t *copy_on;     /* [nodes * per_node]: the copy in each seat, or PLACE_NONE */
    uint32_t *seat_of;     /* [copies] */
    uint32_t *hops;        /* [messages] */
    uint32_t *load;        /* [links], for PLACE_BUSIEST_LINK; else NULL */
    struct move *move;     /* [BATCH_MOST] */
    struct move *made;     /* [BATCH_MOST], those that were made in this batch */
    uint32_t drawn, makes;
    double heat, temperature;
    double first_hops;
    struct place_cost cost, best;
    struct assignment *found; /* that cost `best` */
    bool is_over;
};

/* ---- moves ---- */

static void exchange(uint32_t *one, uint32_t *other)
{
    uint32_t was = *one;
    *one = *other;
    *other = was;
}

/* Keeps the copies of each item in descending order, so that a move that is undone leaves no
 * mark. */
static void become_copy_of(struct assignment *assignment, uint32_t copy, uint32_t item)
{
    uint32_t *next = &assignment->next[assignment->item[copy]];
    while (*next != copy)
        next = &assignment->next[*next];
    *next = assignment->next[copy];
    assignment->item[copy] = item;
    next = &assignment->next[item];
    while (*next != PLACE_NONE && *next > copy)
        next = &assignment->next[*next];
    assignment->next[copy] = *next;
    *next = copy;
}

static void make(struct assignment *assignment, struct move *move)
{
    uint32_t was = assignment->item[move->copy];
    if (move->seat == PLACE_NONE) {
        become_copy_of(assignment, move->copy, move->item);
        move->item = was;
    } else {
        exchange(&assignment->node[move->copy],
                 move->other == PLACE_NONE ? &move->node : &assignment->node[move->other]);
    }
}

/* ---- the cost of a move ---- */

static bool is_moved(const struct worker *worker, uint32_t item)
{
    return item == worker->moved[0] || item == worker->moved[1];
}

/* Adds a destination to the tree of a message from `source`. Returns the hops by which it has
 * grown. */
static inline __attribute__((always_inline)) uint32_t
reach(const struct improvement *own, struct worker *worker, node_index source, uint64_t destination)
{
    uint32_t item = own->plan->traffic->destination[destination];
    return tree_reach(&worker->meter,
                      assignment_node(&worker->assignment, own->plan->whole, item, source));
}

/* Returns a message's hops. Counts the links that its tree has because of the items that move: all
 * if its source does, or if no move is at hand. */
static uint32_t measure(const struct improvement *own, struct worker *worker, uint32_t message)
{
    const struct item_traffic *traffic = own->plan->traffic;
    node_index source = item_traffic_source(traffic, &worker->assignment, message);
    bool is_whole =
        worker->count == 0 || (!traffic->has_tokens && is_moved(worker, traffic->source[message]));
    uint64_t first = traffic->offset[message], end = traffic->offset[message + 1], moved[2];
    uint32_t hops = 0, count = 0;
    tree_begin(&worker->meter, source);
    worker->meter.counts = own->load != NULL && is_whole;
    if (own->load == NULL || is_whole) {
        for (uint64_t j = first; j < end; j++)
            hops += reach(own, worker, source, j);
        return hops;
    }
    for (uint64_t j = first; j < end; j++)
        if (is_moved(worker, traffic->destination[j]))
            moved[count++] = j;
        else
            hops += reach(own, worker, source, j);
    worker->meter.counts = true;
    for (uint32_t i = 0; i < count; i++)
        hops += reach(own, worker, source, moved[i]);
    return hops;
}

static void touch(const struct item_traffic *traffic, struct worker *worker, uint32_t item)
{
    for (uint64_t j = traffic->first[item]; j < traffic->first[item + 1]; j++) {
        uint32_t message = traffic->message[j];
        if (worker->seen[message] == worker->pass)
            continue;
        worker->seen[message] = worker->pass;
        worker->touched[worker->count++] = message;
    }
}

/* Lists the messages that a move touches. */
static void touch_all(const struct improvement *own, struct worker *worker, const struct move *move)
{
    const struct item_traffic *traffic = own->plan->traffic;
    const struct assignment *assignment = &worker->assignment;
    worker->count = 0;
    if (++worker->pass == 0) {
        memset(worker->seen, 0, traffic->messages * sizeof *worker->seen);
        worker->pass = 1;
    }
    worker->moved[0] = assignment->item[move->copy];
    worker->moved[1] = move->seat == PLACE_NONE    ? move->item
                       : move->other != PLACE_NONE ? assignment->item[move->other]
                                                   : PLACE_NONE;
    for (uint32_t i = 0; i < 2 && worker->moved[i] != PLACE_NONE; i++)
        touch(traffic, worker, worker->moved[i]);
}

/* Takes away the trees that a move touches. Returns the change of the energy. */
static double remove_trees(const struct improvement *own, struct worker *worker)
{
    struct tree_meter *meter = &worker->meter;
    double hops = 0;
    meter->crossings = 0;
    meter->energy = 0;
    meter->is_removing = true;
    for (uint32_t i = 0; i < worker->count; i++) {
        hops -= own->hops[worker->touched[i]];
        if (own->load != NULL)
            measure(own, worker, worker->touched[i]);
    }
    meter->is_removing = false;
    worker->removed = meter->crossings;
    return own->load != NULL ? meter->energy : hops;
}

/* Makes a move in the worker's assignment. Returns the change of the energy; one above `limit` may
 * be smaller than it is. */
static double try_move(const struct improvement *own, struct worker *worker, struct move *move,
                       double limit)
{
    bool is_bound = own->plan->objective == PLACE_BOUND;
    touch_all(own, worker, move);
    double change = remove_trees(own, worker);
    make(&worker->assignment, move);
    for (uint32_t i = 0; i < worker->count && (change <= limit || is_bound); i++) {
        worker->hops[i] = measure(own, worker, worker->touched[i]);
        change = own->load != NULL ? worker->meter.energy : change + worker->hops[i];
    }
    if (!is_bound)
        return change;
    place_bound(own->plan, &worker->assignment, &worker->bound, &worker->failure);
    return change / own->first_hops + (double)worker->bound - (double)own->cost.bound;
}

/* Undoes a move. */
static void undo(struct worker *worker, struct move *move)
{
    struct tree_meter *meter = &worker->meter;
    make(&worker->assignment, move);
    for (size_t i = 0; i < meter->crossings; i++)
        meter->load[meter->crossed[i]] += i < worker->removed ? 1 : -1;
}

/* ---- drawing ---- */

/* Returns a value of an exponential distribution with base 2: the zeros before a random word's
 * first one, and a straight line between them. A logarithm would depend on the system's library. */
static double draw_patience(struct pcg32 *random)
{
    uint32_t word = pcg32_next(random) | 1;
    int zeros = __builtin_clz(word);
    uint32_t rest = (uint32_t)((uint64_t)word << (zeros + 1));
    return zeros + 1 - rest / 4294967296.0;
}

/* Returns a random node near to an end of one of the item's messages. */
static node_index draw_near(const struct improvement *own, const struct assignment *assignment,
                            struct pcg32 *random, uint32_t item)
{
    const struct item_traffic *traffic = own->plan->traffic;
    const struct topology *topology = own->plan->topology;
    uint32_t messages = (uint32_t)(traffic->first[item + 1] - traffic->first[item]);
    uint32_t message = traffic->message[traffic->first[item] + pcg32_below(random, messages)];
    uint32_t ends = (uint32_t)(traffic->offset[message + 1] - traffic->offset[message]);
    uint32_t end = pcg32_below(random, ends + 1);
    node_index node = item_traffic_source(traffic, assignment, message);
    if (end < ends)
        node = assignment->node[traffic->destination[traffic->offset[message] + end]];
    for (uint32_t steps = pcg32_below(random, NEAR_STEPS + 1); steps > 0; steps--) {
        uint32_t ports = topology_node_ports(topology, node);
        node_index next =
            ports > 0 ? topology_neighbour(topology, node, pcg32_below(random, ports)) : node;
        node = next == TOPOLOGY_NO_NODE ? node : next;
    }
    return node;
}

static bool is_on(const struct assignment *assignment, uint32_t item, node_index node)
{
    for (uint32_t copy = item; copy != PLACE_NONE; copy = assignment->next[copy])
        if (assignment->node[copy] == node)
            return true;
    return false;
}

/* True if a move leads to a node that can have items, and no node gets two copies of one. */
static bool is_allowed(const struct improvement *own, const struct assignment *assignment,
                       const struct move *move)
{
    node_index node = assignment->node[move->copy];
    if (move->seat == PLACE_NONE)
        return !is_on(assignment, move->item, node);
    return topology_is_main(own->plan->topology, move->node) &&
           !is_on(assignment, assignment->item[move->copy], move->node) &&
           (move->other == PLACE_NONE || !is_on(assignment, assignment->item[move->other], node));
}

/* Draws a move, or none. */
static struct move draw(const struct improvement *own, const struct assignment *assignment,
                        uint64_t number)
{
    const struct place_plan *plan = own->plan;
    const struct item_traffic *traffic = plan->traffic;
    struct pcg32 random = pcg32_seed(plan->seed, STREAM_MOVES + number);
    struct move move = {.copy = pcg32_below(&random, plan->copies), .other = PLACE_NONE};
    uint32_t item = assignment->item[move.copy];
    move.seat = PLACE_NONE;
    move.patience = draw_patience(&random);
    if (move.copy >= traffic->items && pcg32_below(&random, CHANCE_ITEM) == 0) {
        move.item = pcg32_below(&random, traffic->items);
    } else {
        bool is_far = traffic->first[item] == traffic->first[item + 1] ||
                      pcg32_below(&random, CHANCE_FAR) == 0;
        move.node = is_far ? pcg32_below(&random, plan->topology->nodes)
                           : draw_near(own, assignment, &random, item);
        move.seat = move.node * plan->per_node + pcg32_below(&random, plan->per_node);
        move.other = own->copy_on[move.seat];
    }
    if (!is_allowed(own, assignment, &move))
        move.copy = PLACE_NONE;
    return move;
}

/* ---- batches ---- */

/* Returns the most by which a move may change the energy. */
static double limit_of(const struct improvement *own, const struct move *move)
{
    return own->temperature * move->patience;
}

/* Draws and measures a thread's share of a batch. */
static void measure_share(struct improvement *own, const struct team *team)
{
    struct worker *worker = &own->worker[team->rank];
    if (own->load != NULL)
        memcpy(worker->meter.load, own->load, own->plan->topology->links * sizeof *own->load);
    for (uint32_t i = team->rank; i < own->drawn; i += team->size) {
        struct move *move = &own->move[i];
        *move = draw(own, &worker->assignment, own->result->tried + i);
        if (move->copy == PLACE_NONE)
            continue;
        move->change = try_move(own, worker, move, limit_of(own, move));
        undo(worker, move);
    }
}

/* Takes over the costs of a move that the first worker's assignment has. */
static void keep(struct improvement *own, const struct move *move)
{
    struct worker *first = &own->worker[0];
    for (uint32_t i = 0; i < first->count; i++) {
        own->cost.hops += first->hops[i];
        own->cost.hops -= own->hops[first->touched[i]];
        own->hops[first->touched[i]] = first->hops[i];
    }
    own->cost.bound = first->bound;
    for (size_t i = 0; i < first->meter.crossings; i++)
        own->load[first->meter.crossed[i]] += i < first->removed ? -1 : 1;
    if (move->seat == PLACE_NONE)
        return;
    uint32_t seat = own->seat_of[move->copy];
    own->copy_on[seat] = move->other;
    own->copy_on[move->seat] = move->copy;
    own->seat_of[move->copy] = move->seat;
    if (move->other != PLACE_NONE)
        own->seat_of[move->other] = seat;
}

/* Makes a move that was good enough when it was measured, if it still is one. */
static void remake(struct improvement *own, struct move move)
{
    struct worker *first = &own->worker[0];
    double limit = limit_of(own, &move);
    if (move.seat != PLACE_NONE)
        move.other = own->copy_on[move.seat];
    if (!is_allowed(own, &first->assignment, &move))
        return;
    struct move tried = move;
    if (try_move(own, first, &tried, limit) <= limit) {
        keep(own, &move);
        own->made[own->makes++] = move;
    } else {
        undo(first, &tried);
    }
}

static void copy_assignment(struct assignment *to, const struct assignment *from)
{
    memcpy(to->node, from->node, from->copies * sizeof *to->node);
    memcpy(to->item, from->item, from->copies * sizeof *to->item);
    memcpy(to->next, from->next, from->copies * sizeof *to->next);
}

/* Keeps the assignment if it is the best so far. */
static void keep_best(struct improvement *own)
{
    struct place_cost *cost = &own->cost;
    uint64_t links = own->load != NULL ? own->plan->topology->links : 0;
    cost->busiest_link = 0;
    for (uint64_t link = 0; link < links; link++)
        cost->busiest_link = max_u64(cost->busiest_link, own->load[link]);
    uint64_t figure = place_figure(own->plan, cost), best = place_figure(own->plan, &own->best);
    bool is_better = figure != best ? figure < best : cost->hops < own->best.hops;
    if (!is_better)
        return;
    own->best = *cost;
    copy_assignment(own->found, &own->worker[0].assignment);
}

/* Sets the temperature for the time that is left, and the size of the next batch. */
static void cool(struct improvement *own)
{
    const struct place_plan *plan = own->plan;
    uint64_t tried = own->result->tried;
    double used = (double)tried / (double)plan->moves;
    if (plan->time_used != NULL)
        used = fmax(used, plan->time_used(plan->context, tried, &own->best));
    own->is_over = used >= 1 || interrupt_is_sent(plan->interrupt);
    for (uint32_t i = 0; i < own->threads; i++)
        own->is_over |= own->worker[i].failure.kind != FAIL_NONE;
    own->temperature = own->heat * HEAT * (1 - used) * (1 - used);
    own->drawn = (uint32_t)min_u64(own->drawn, plan->moves - tried);
}

/* Finds the mean change by the moves of the first batch, which had no limit. */
static void find_heat(struct improvement *own)
{
    for (uint32_t i = 0; i < own->drawn; i++)
        own->heat += own->move[i].copy == PLACE_NONE ? 0 : fabs(own->move[i].change) / own->drawn;
    own->temperature = 0;
}

/* Makes the good moves of a batch. */
static void end_batch(struct improvement *own)
{
    if (own->result->tried == 0)
        find_heat(own);
    own->makes = 0;
    for (uint32_t i = 0; i < own->drawn; i++)
        if (own->move[i].copy != PLACE_NONE && own->move[i].change <= limit_of(own, &own->move[i]))
            remake(own, own->move[i]);
    own->result->tried += own->drawn;
    own->result->kept += own->makes;
    keep_best(own);
    cool(own);
}

static void improve(void *context, const struct team *team)
{
    struct improvement *own = context;
    while (!own->is_over) {
        measure_share(own, team);
        parallel_barrier(team);
        if (team->rank == 0)
            end_batch(own);
        parallel_barrier(team);
        for (uint32_t i = 0; i < own->makes && team->rank > 0; i++) {
            struct move move = own->made[i];
            make(&own->worker[team->rank].assignment, &move);
        }
    }
}

/* ---- the improvement ---- */

static enum failure_kind make_worker(struct worker *worker, const struct place_plan *plan,
                                     const struct assignment *assignment, struct failure *failure)
{
    size_t messages = plan->traffic->messages;
    worker->seen = memory_allocate(messages, sizeof *worker->seen);
    worker->touched = memory_allocate(messages, sizeof *worker->touched);
    worker->hops = memory_allocate(messages, sizeof *worker->hops);
    if (worker->seen == NULL || worker->touched == NULL || worker->hops == NULL)
        return fail_memory(failure, "the messages that moves touch");
    if (assignment_make(&worker->assignment, plan, failure) != FAIL_NONE)
        return failure->kind;
    copy_assignment(&worker->assignment, assignment);
    return tree_meter_make(&worker->meter, plan->topology, plan->paths,
                           plan->objective == PLACE_BUSIEST_LINK, failure);
}

/* Gives each copy a seat of its node. */
static void take_seats(struct improvement *own, const struct assignment *assignment)
{
    uint32_t per_node = own->plan->per_node;
    for (size_t seat = 0; seat < (size_t)own->plan->topology->nodes * per_node; seat++)
        own->copy_on[seat] = PLACE_NONE;
    for (uint32_t c = 0; c < assignment->copies; c++) {
        uint32_t seat = assignment->node[c] * per_node;
        while (own->copy_on[seat] != PLACE_NONE)
            seat++;
        own->copy_on[seat] = c;
        own->seat_of[c] = seat;
    }
}

/* Measures all messages. */
static void begin(struct improvement *own)
{
    struct worker *first = &own->worker[0];
    for (uint32_t m = 0; m < own->plan->traffic->messages; m++) {
        first->meter.crossings = 0; /* all links are looked at below */
        own->hops[m] = measure(own, first, m);
        own->cost.hops += own->hops[m];
    }
    if (own->load != NULL)
        memcpy(own->load, first->meter.load, own->plan->topology->links * sizeof *own->load);
    own->first_hops = (double)own->cost.hops + 1;
    if (own->plan->objective == PLACE_BOUND)
        place_bound(own->plan, &first->assignment, &own->cost.bound, &first->failure);
    own->best = (struct place_cost){UINT64_MAX, UINT64_MAX, UINT64_MAX};
    keep_best(own);
}

static enum failure_kind make_arrays(struct improvement *own, const struct assignment *assignment,
                                     struct failure *failure)
{
    const struct place_plan *plan = own->plan;
    bool counts_links = plan->objective == PLACE_BUSIEST_LINK;
    size_t seats = (size_t)plan->topology->nodes * plan->per_node;
    own->worker = memory_allocate(own->threads, sizeof *own->worker);
    own->copy_on = memory_allocate(seats, sizeof *own->copy_on);
    own->seat_of = memory_allocate(plan->copies, sizeof *own->seat_of);
    own->hops = memory_allocate(plan->traffic->messages, sizeof *own->hops);
    own->move = memory_allocate(BATCH_MOST, sizeof *own->move);
    own->made = memory_allocate(BATCH_MOST, sizeof *own->made);
    own->load = counts_links ? memory_allocate(plan->topology->links, sizeof *own->load) : NULL;
    if (own->worker == NULL || own->copy_on == NULL || own->seat_of == NULL || own->hops == NULL ||
        own->move == NULL || own->made == NULL || (counts_links && own->load == NULL))
        return fail_memory(failure, "the moves of items");
    for (uint32_t i = 0; i < own->threads && failure->kind == FAIL_NONE; i++)
        make_worker(&own->worker[i], plan, assignment, failure);
    return failure->kind;
}

static void free_arrays(struct improvement *own)
{
    for (uint32_t i = 0; own->worker != NULL && i < own->threads; i++) {
        struct worker *worker = &own->worker[i];
        free(worker->seen);
        free(worker->touched);
        free(worker->hops);
        assignment_free(&worker->assignment);
        tree_meter_free(&worker->meter);
    }
    free(own->worker);
    free(own->copy_on);
    free(own->seat_of);
    free(own->hops);
    free(own->move);
    free(own->made);
    free(own->load);
}

enum failure_kind place_improve(const struct place_plan *plan, struct assignment *assignment,
                                struct place_result *result, struct failure *failure)
{
    struct improvement own = {.plan = plan,
                              .result = result,
                              .threads = plan->threads,
                              .found = assignment,
                              .is_over = plan->moves == 0,
                              .temperature = INFINITY};
    *result = (struct place_result){0};
    own.drawn = max_u32(BATCH_LEAST, min_u32(BATCH_MOST, plan->copies / 4));
    own.threads = parallel_begin(min_u32(plan->threads, own.drawn));
    own.drawn = (uint32_t)min_u64(own.drawn, plan->moves);
    if (make_arrays(&own, assignment, failure) == FAIL_NONE) {
        take_seats(&own, assignment);
        begin(&own);
        parallel_run(own.threads, improve, &own);
        for (uint32_t i = 0; i < own.threads; i++)
            if (own.worker[i].meter.is_short)
                fail_memory(failure, "the links of trees");
            else if (own.worker[i].failure.kind != FAIL_NONE)
                fail_as(failure, &own.worker[i].failure);
    }
    result->threads = own.threads;
    free_arrays(&own);
    return failure->kind;
}
