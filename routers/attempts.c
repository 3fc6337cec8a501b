/* attempts.c - runs that may fail because they lack steps or room, and are tried again until an
 * attempt succeeds.
 *
 * Unknown congestion: guesses, each with a budget. The nodes sum the messages' degrees by a prefix
 * computation over the mesh: divided by n and rounded up that is the average congestion, the first
 * guess, and at least 1; each further guess is four times the one before, as sqrt(l c n) then
 * doubles, and l n at most. An attempt is a run of the router with the guess for c; one that the
 * router refuses is passed over. An attempt is cut short when it has used the steps that the
 * router's goal allows for the guess (without words of synchronisations, but with the idle steps
 * before them), and a node that would hold more packets than the goal allots discards. When the
 * budget is spent an OR over the mesh reports to all nodes whether some node still holds a packet
 * or has discarded one. If so, everything is discarded and the next attempt injects all messages
 * anew: a source does not know which messages were delivered, but a node knows which it holds, and
 * accepts none twice. A last attempt, with a guess that no congestion exceeds or for which the
 * router circulates, needs no limits. Later attempts draw other random numbers. An OR of the
 * router's own also reports discards, and an attempt ends there.
 *
 * Known congestion, if the router's own capacity is enough only with high probability (limits):
 * four attempts with c, and then one with l n, for which the router circulates. They have no
 * budget: such a router ends by the clock, after steps that it knows, and an OR of its own reports
 * to all nodes whether the attempt is void. So a run in which no node overflows is the router's,
 * step for step.
 *   That c' >= c is enough holds by the router's goal, a measured figure; if it fails, the next
 * guess serves. A smaller guess may also succeed.
 *
 * Steps: at most the sum of the budgets, which is 4 times that for the true c if sqrt(c n)
 * dominates it (the last guess is below 4 c: 2 + 1 + 1/2 + ..), 2 m for the average and one for
 * each injection; an OR of 2 m, counted as synchronisation, after each attempt.
 * Source: Section 6 of the paper.
 * Cost: a machine at a time.
 */
#include "base/pcg.h"
#include "primitives/prefix.h"
#include "primitives/synchronise.h"
#include "routers/routing.h"

#include <math.h>
#include <stdlib.h>

enum { GROWTH = 4, SEED_STREAM = 0x5eed };

uint64_t routing_goal_steps(const struct routing *routing, double of_root, double of_side)
{
    struct mesh mesh = routing->set->mesh;
    double root = sqrt((double)routing->most_sent * routing->congestion * mesh_nodes(mesh));
    double side = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    double goal = of_root * root + of_side * side;
    return (uint64_t)ceil(routing->options->copy_is_free ? goal : 1.6 * goal);
}

/* ---- the average ---- */

/* The machine's first phase: every node learns the sum of the degrees. */
static enum failure_kind average_phase(struct routing *routing, uint64_t *value, uint64_t *total,
                                       struct failure *failure)
{
    const struct message_set *set = routing->set;
    struct tessellation whole = {0};
    struct prefix_items degrees = {
        .operation = &prefix_sum, .count = 1, .value = value, .total = total};
    for (uint32_t i = 0; i < set->messages; i++)
        value[set->source[i]] += set->offset[i + 1] - set->offset[i];
    enum failure_kind kind = tessellation_make(&whole, set->mesh, 1, failure);
    if (kind == FAIL_NONE) {
        machine_begin_phase(routing->machine, "average congestion");
        kind = prefix_snake(routing->machine, &whole, &degrees, failure);
    }
    tessellation_free(&whole);
    return kind;
}

static enum failure_kind average_congestion(struct routing *routing, uint32_t *average,
                                            struct failure *failure)
{
    uint32_t nodes = mesh_nodes(routing->set->mesh);
    struct machine_config config = routing_config(routing, routing->options->buffer);
    uint64_t *value = memory_allocate(nodes, sizeof *value);
    uint64_t *total = memory_allocate(nodes, sizeof *total);
    enum failure_kind kind = FAIL_SYSTEM;
    routing->machine = machine_create(&config, failure);
    if (value == NULL || total == NULL)
        fail_memory(failure, "the average congestion");
    else if (routing->machine != NULL)
        kind = average_phase(routing, value, total, failure);
    if (kind == FAIL_NONE) { /* all nodes know */
        uint64_t sum = total[machine_nodes(routing->machine).first];
        *average = sum == 0 ? 1 : (uint32_t)((sum + nodes - 1) / nodes);
    }
    free(value);
    free(total);
    return kind;
}

/* ---- attempts ---- */

static struct router_attempt counted(const struct routing *routing,
                                     const struct router_attempt *start)
{
    const struct machine_counts *counts = machine_counts(routing->machine);
    struct router_attempt done = *start;
    done.steps = counts->steps - start->steps;
    done.sync_steps = counts->sync_steps - start->sync_steps;
    done.buffer_capacity = routing->result->buffer_capacity;
    done.buffer_peak = machine_own_peak(routing->machine);
    done.discarded = machine_discarded(routing->machine);
    return done;
}

/* Makes the router's run, and if it has a budget the OR after it, unless one of the router's own
 * has reported to all nodes that it is void. */
static enum failure_kind attempt_run(const struct router_method *method, struct routing *routing,
                                     bool *is_void, struct failure *failure)
{
    enum failure_kind kind = method->route(routing, failure);
    *is_void = kind == FAIL_VOID && machine_steps_left(routing->machine) > 0;
    if (*is_void)
        return FAIL_NONE;
    if ((kind == FAIL_NONE || kind == FAIL_VOID) && routing->attempt->machine.budget > 0)
        kind = synchronise_void(routing->machine, machine_steps_left(routing->machine), is_void,
                                failure);
    return kind;
}

/* Makes attempt `number` with routing->congestion. */
static enum failure_kind try_once(const struct router_method *method, struct routing *routing,
                                  uint32_t number, struct failure *failure)
{
    static const struct machine_counts none = {.steps = 0};
    struct machine *before = routing->machine;
    const struct machine_counts *counts = before == NULL ? &none : machine_counts(before);
    struct router_result *result = routing->result;
    struct attempt_limits limits = method->limits(routing);
    uint64_t budget = routing->options->congestion_is_unknown ? limits.steps : 0;
    struct router_attempt *record = &result->attempt[result->attempts++];
    char name[32];
    bool is_void;
    snprintf(name, sizeof name, "attempt %u", number);
    struct attempt attempt = {.machine = {.before = before,
                                          .name = before == NULL ? NULL : name,
                                          .budget = budget,
                                          .discards = limits.steps > 0},
                              .buffer = limits.buffer};
    routing->attempt = &attempt;
    *record = (struct router_attempt){.congestion = routing->congestion,
                                      .budget = budget,
                                      .steps = counts->steps,
                                      .sync_steps = counts->sync_steps};
    routing_reset_parameters(method, routing);
    enum failure_kind kind = attempt_run(method, routing, &is_void, failure);
    if (routing->machine == before) /* refused, or no memory */
        result->attempts--;
    else
        *record = counted(routing, record);
    record->stands = kind == FAIL_NONE && !is_void;
    if (kind == FAIL_NONE && is_void)
        routing_give_up(routing);
    routing->attempt = NULL;
    return kind;
}

/* The congestions of the attempts. */
struct guesses {
    uint32_t most; /* no congestion is above it: l n */
    uint32_t left; /* number of further attempts with c, if it is known */
    uint64_t next;
};

/* Returns a congestion that no set exceeds. */
static uint32_t most_congestion(const struct routing *routing)
{
    uint64_t messages = (uint64_t)mesh_nodes(routing->set->mesh) * routing->most_sent;
    return messages < UINT32_MAX ? (uint32_t)messages : UINT32_MAX;
}

static uint32_t next_guess(struct guesses *guesses, bool is_known)
{
    uint32_t congestion = guesses->next < guesses->most ? (uint32_t)guesses->next : guesses->most;
    if (!is_known)
        guesses->next *= GROWTH;
    else if (--guesses->left == 0)
        guesses->next = guesses->most;
    return congestion;
}

uint64_t attempts_seed(uint64_t seed, uint32_t number)
{
    return number == 1 ? seed
                       : (uint64_t)pcg32_at(seed, SEED_STREAM, 2 * number) << 32 |
                             pcg32_at(seed, SEED_STREAM, 2 * number + 1);
}

/* Makes attempts until one succeeds. A guess that the router refuses, as it has no such tiles, is
 * passed over: all nodes know, and no step is lost. */
static enum failure_kind try_all(const struct router_method *method, struct routing *routing,
                                 struct guesses guesses, struct failure *failure)
{
    const struct router_options *given = routing->options;
    struct router_options options = *given;
    enum failure_kind kind = FAIL_NONE;
    bool stands = false, is_known = !given->congestion_is_unknown;
    routing->options = &options;
    for (uint32_t number = 1; kind == FAIL_NONE && !stands;) {
        struct failure own = {0};
        routing->congestion = next_guess(&guesses, is_known);
        kind = try_once(method, routing, number, &own);
        bool is_passed_over = kind == FAIL_USAGE && routing->result->attempts < number;
        if (is_passed_over && !is_known && routing->congestion < guesses.most) {
            kind = FAIL_NONE;
            continue;
        }
        if (kind != FAIL_NONE)
            fail_as(failure, &own);
        stands = routing->result->attempt[number++ - 1].stands;
        options.seed = attempts_seed(given->seed, number);
    }
    routing->options = given;
    return kind;
}

/* Tries a known congestion ROUTER_KNOWN_ATTEMPTS times; each attempt has its capacity, and the
 * first one the largest. */
static enum failure_kind try_known(const struct router_method *method, struct routing *routing,
                                   struct failure *failure)
{
    struct router_result *result = routing->result;
    struct guesses guesses = {most_congestion(routing), ROUTER_KNOWN_ATTEMPTS, routing->congestion};
    enum failure_kind kind = try_all(method, routing, guesses, failure);
    if (result->attempts == 1)
        result->attempts = 0;
    if (result->attempts > 0)
        result->buffer_capacity = result->attempt[0].buffer_capacity;
    return kind;
}

static enum failure_kind try_guesses(const struct router_method *method, struct routing *routing,
                                     struct failure *failure)
{
    uint32_t average = 0;
    enum failure_kind kind = average_congestion(routing, &average, failure);
    if (kind == FAIL_NONE)
        kind = try_all(method, routing, (struct guesses){most_congestion(routing), 0, average},
                       failure);
    routing->result->buffer_capacity = routing->options->buffer; /* each attempt has its own */
    return kind;
}

enum failure_kind attempts_run(const struct router_method *method, struct routing *routing,
                               struct failure *failure)
{
    if (method->limits == NULL)
        return fail(failure, FAIL_USAGE,
                    "router %s does not run with an unknown congestion; replicate, random, stream "
                    "and expander do",
                    method->shown.name);
    return routing->options->congestion_is_unknown ? try_guesses(method, routing, failure)
                                                   : try_known(method, routing, failure);
}
