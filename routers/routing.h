/* routing.h - the run under way, its parameters, its packets, for routers, also those of users
 * (library/own_router.c); other code includes router.h.
 */
#ifndef MESHCAST_ROUTERS_ROUTING_H
#define MESHCAST_ROUTERS_ROUTING_H

#include "base/parallel.h"
#include "base/starts.h"
#include "machine/attempt.h"
#include "machine/expected.h"
#include "machine/machine.h"
#include "machine/rule.h"
#include "routers/choices.h"
#include "routers/router.h"

/* A router's parameter: one of `choices` ("tree clone"), or with high > 0 a whole number
 * low .. high, or either. A last choice in capitals ("FILE") means any text. */
struct parameter_spec {
    const char *name, *standard; /* the value when none is given */
    uint32_t low, high;
    const char *choices; /* NULL: only numbers */
    /* Value of another parameter without which this one has no effect: "variant=paper". It is then
     * neither accepted nor reported. NULL: it always has one. */
    const char *needs;
};

/* True if `value` is one of the parameter's. */
bool parameter_takes(const struct parameter_spec *spec, const char *value);

/* The limits of an attempt, with its congestion. */
struct attempt_limits {
    uint64_t steps;    /* words of synchronisations not counted; 0: none, for it must succeed */
    uint32_t buffer;   /* packets per node; 0: the router's own capacity, which it keeps */
    bool may_overflow; /* the router's own capacity, which is enough only with high probability */
};

/* An attempt under way; attempts.c owns it. */
struct attempt {
    struct machine_attempt machine;
    uint32_t buffer; /* as in its limits */
};

/* The times at which the messages of a node that sends several enter the network; a router sets it
 * before routing_start(). */
enum routing_injection {
    INJECT_AT_ONCE, /* at step 0, into the buffer */
    INJECT_BY_NODE, /* machine_queue(): the others wait in the input queue */
    INJECT_LATER,   /* machine_inject(), called by the router */
};

struct channel_rule;

/* One run. No message of `set` is for its own source (message_set_leave_home()). On ranks it is the
 * part of messages that start in this rank's rows. Routers read set, options, degree, congestion
 * and most_sent, which every node knows, and work on the machine. */
struct routing {
    const struct message_set *set;
    const struct router_method *method; /* the router's */
    const struct router_options *options;
    struct router_result *result;
    uint32_t degree, congestion; /* d and c */
    uint32_t most_sent;          /* l: most messages per node */
    int set_version;             /* message_set_version(): how messages are named */
    enum routing_injection injection;
    struct machine *machine;       /* from routing_start on */
    uint64_t *slot_offset;         /* [messages + 1]: first of each message's destination slots */
    uint32_t *first_name;          /* [messages]: the name of each message's first slot */
    uint32_t names;                /* slots of all ranks' messages */
    struct starts starts;          /* of a set with times: starts of the messages that start here */
    uint64_t until;                /* no known message starts before this step */
    const struct attempt *attempt; /* NULL: the run is no attempt */
    struct expected_messages expected; /* expected deliveries of each node, of all attempts */
    uint64_t proven_steps;             /* a proven upper bound; 0: none */
    uint64_t expected_steps;           /* of parts whose length is known, beyond the usual */
    bool is_own;                       /* of a user's own router: its length is not known */
};

/* The sets that a router accepts besides those with one message per node, all of which start at
 * once. TAKES_TIMES: its run ends with one call of routing_forward() or routing_channel().
 * TAKES_BROKEN: it also runs on broken meshes. */
enum { TAKES_MANY = 1, TAKES_TIMES = 2, TAKES_BROKEN = 4 };

/* The private row of a router: the public part of router.h, its parameters, ended by a NULL name,
 * and its run: parameters checked, routing_start, phases of instructions. */
struct router_method {
    struct router shown;
    const struct parameter_spec *specs;
    enum failure_kind (*route)(struct routing *routing, struct failure *failure);
    /* Returns its limits with routing->congestion as the guess; NULL: it needs to know the
     * congestion. */
    struct attempt_limits (*limits)(const struct routing *routing);
    unsigned takes; /* bits of TAKES_MANY .. */
    /* Makes its run with --reduce (reduction.h), which checks the sums itself; NULL: it has
     * none. */
    enum failure_kind (*reduce)(struct routing *routing, struct failure *failure);
    /* Fills the choices of a run of routing->set->mesh, options, degree, congestion and most_sent,
     * or leaves them empty. Their contents after a failure are released. NULL: it chooses
     * nothing. */
    enum failure_kind (*choose)(const struct routing *routing, struct router_choices *choices,
                                struct failure *failure);
};

extern const struct router_method replicate_method, random_method, stream_method, circulate_method,
    unicast_method, expander_method, trees_method;

/* Chooses, for `choose`, one tile, where messages hand over at their sources. */
enum failure_kind choices_at_source(struct mesh mesh, struct router_choices *choices,
                                    struct handover (*handover)(const void *own, node_place source,
                                                                node_place destination),
                                    struct failure *failure);

/* ---- the parameters of a method, for router.c ---- */

/* Returns a name: the name_at() of the family of `specs`, a parameter_spec[] that ends with a NULL
 * name. */
const char *parameter_name_at(const void *specs, uint32_t index);

/* Writes word `index` of the parameter's choices; false after the last. */
bool parameter_choice(const struct parameter_spec *spec, uint32_t index,
                      char word[ROUTER_NAME_SIZE]);

/* Sets *found to the parameter. FAIL_USAGE: the method has none of that name, or it does not accept
 * the value. */
enum failure_kind parameter_value_check(const struct router_method *method, const char *name,
                                        const char *value, const struct parameter_spec **found,
                                        struct failure *failure);

/* FAIL_USAGE: a parameter of the options is none of the method's, has a value that it does not
 * accept, or has no effect. */
enum failure_kind parameters_check(const struct router_method *method,
                                   const struct router_options *options, struct failure *failure);

/* Sets the result's parameters to the given ones and the defaults. */
void routing_reset_parameters(const struct router_method *method, struct routing *routing);

/* ---- the parameters of a run ---- */

/* Returns the value of the parameter `name` of `specs` in this run: a number, or the index of a
 * choice, after the numbers (high + 1 + index) if both are accepted. The parameters have been
 * checked before the router runs. */
uint32_t routing_parameter(const struct routing *routing, const struct parameter_spec *specs,
                           const char *name);

/* Returns the text that was given for the parameter, or its default. */
const char *routing_text(const struct routing *routing, const struct parameter_spec *specs,
                         const char *name);

/* Reports `value` as the parameter's value in this run. */
void routing_use(const struct routing *routing, const char *name, const char *value);

/* Makes the run of router `unicast` in channels of `slots` packets; 0: one, or as many as fit into
 * the capacity that the user gave. *used becomes their number. FAIL_USAGE: they do not fit. */
enum failure_kind unicast_run(struct routing *routing, uint32_t slots, uint32_t *used,
                              struct failure *failure);

/* True if a router whose own run would last `schedule` steps runs as `circulate` instead: c / l is
 * more than n / 16, as in the paper, or circulate needs no more steps, or c is not known to a last
 * attempt. */
bool circulate_is_due(const struct routing *routing, uint64_t schedule);

/* Reports that the run is that of router `name`, for this c; the router's own parameters have no
 * effect in it. */
void routing_runs_as(const struct routing *routing, const char *name);

/* Promises, before routing_start, that this run needs at most `steps` steps, by a proof for `sets`:
 * every set of its mesh and c, or fewer. The user is informed, and a run that needs more fails. */
#define PROMISE_FOR_ALL "every set of this mesh and c"
#define PROMISE_FOR_MANY "every set of this mesh, c and messages per node"
void routing_promise(struct routing *routing, uint64_t steps, const char *sets);

/* Puts a figure that is known before routing_start into the result. */
void routing_predict(const struct routing *routing, const struct router_figure *figure);

/* Announces, before routing_start, that parts of known length need up to `steps` steps, beyond the
 * usual. The user is informed, and an endless run is stopped so much later. */
void routing_expect(struct routing *routing, uint64_t steps);

/* The slots that each message needs beside its destinations, and their contents. */
struct slot_plan {
    void *context;
    /* Returns the slots of a message of `degree` destinations; NULL: one per destination. */
    uint64_t (*count)(void *context, uint64_t degree);
    /* Fills slot[0 .. count-1] from the message's destinations; NULL: in the set's order. */
    void (*fill)(void *context, const node_place *destination, uint64_t degree, node_place *slot);
    /* The message's packet has only the last `degree` slots; those before them are for packets that
     * the router makes. */
    bool keeps_first;
};

/* Makes the machine (of buffer capacity `buffer`, 0: unbounded), lays out each message's slots and
 * injects each message that may start in step 0 as one packet at its source. `plan` may be NULL. */
enum failure_kind routing_start(struct routing *routing, uint32_t buffer,
                                const struct slot_plan *plan, struct failure *failure);

/* ---- to the end of a run ---- */

/* Carry all packets to their destinations by machine_forward() and machine_channel(), and inject
 * each message of a set with times in the step in which it may start, as routing_start() does. */
enum failure_kind routing_forward(struct routing *routing, const struct routing_rule *rule,
                                  struct failure *failure);
enum failure_kind routing_channel(struct routing *routing, const struct channel_rule *rule,
                                  struct failure *failure);

/* Injects the messages that may start in the machine's step. FAIL_CHECK: a buffer overflowed.
 * FAIL_SYSTEM: no memory. */
enum failure_kind routing_inject_due(struct routing *routing, struct failure *failure);

/* Notes a receipt, for struct machine_config: nodes wait for some. */
bool routing_receive(void *routing, node_index node, uint32_t message, uint64_t step);

/* Returns where the slots of a message are in the machine's headers: first .. end - 1. The packet
 * of the whole message is the last one. */
struct slot_range {
    uint32_t first, end;
};
struct slot_range routing_slots(const struct routing *routing, uint32_t message);

/* Returns the name of the first slot of a message; those of its other slots follow. */
static inline uint32_t routing_first_name(const struct routing *routing, uint32_t message)
{
    return routing->first_name[message];
}

/* Returns the nodes of the machine of one thread: the threads' ranges differ by at most one
 * node. */
static inline struct node_range routing_nodes(const struct machine *machine,
                                              const struct team *team)
{
    struct node_range own = machine_nodes(machine);
    uint32_t count = own.end - own.first;
    return (struct node_range){own.first + parallel_band_start(count, team->rank, team->size),
                               own.first + parallel_band_start(count, team->rank + 1, team->size)};
}

/* Sorts the destinations of each resting packet by `rank`, below 2^32, then by place, which several
 * threads call. FAIL_SYSTEM: no memory for 8 bytes per destination of the largest message and
 * thread. */
enum failure_kind routing_order_slots(struct machine *machine, uint32_t degree,
                                      uint64_t (*rank)(void *context, uint32_t packet,
                                                       node_place place),
                                      void *context, struct failure *failure);

/* Injects so many messages, given by their numbers in the set, with INJECT_LATER. FAIL_SYSTEM: no
 * memory. */
enum failure_kind routing_inject(const struct routing *routing, const uint32_t *message,
                                 uint32_t count, struct failure *failure);

/* Returns the packet of a message when it starts. */
uint32_t routing_packet(const struct routing *routing, uint32_t message);

/* Returns the configuration of an empty machine, with the user's options. */
struct machine_config routing_config(const struct routing *routing, uint32_t buffer);

/* Makes only the machine: slots are counted, but neither laid out nor injected. */
enum failure_kind routing_make_machine(struct routing *routing, uint32_t buffer,
                                       const struct slot_plan *plan, struct failure *failure);

/* Returns a pseudo-random number of (seed, stream, index), which nodes compute for themselves. */
uint32_t routing_random(const struct routing *routing, uint64_t stream, uint64_t index);

/* Returns the whole number at or above of_root sqrt(l c n) + of_side m, m the longer side: the
 * steps of a goal, with unit copies 1.6 times as many. */
uint64_t routing_goal_steps(const struct routing *routing, double of_root, double of_side);

/* Ends the attempt: its machine keeps only its counts (machine_give_up), and its packets have no
 * slots. */
void routing_give_up(struct routing *routing);

/* Returns the steps that no run of router `circulate` exceeds for this mesh, l, cost of copies, and
 * degrees up to d. */
uint64_t circulate_most_steps(const struct routing *routing);

/* True if a part of the run came before: the average's computation, or another attempt. */
bool routing_follows(const struct routing *routing);

/* True if the run is one in attempts: nodes guess the congestion, or the router has its own
 * capacity and may overflow it. */
bool routing_is_attempted(const struct routing *routing);

/* Runs `method` until an attempt succeeds, with guesses of the congestion if it is unknown: Section
 * 6. FAIL_USAGE: the method needs to know it. */
enum failure_kind attempts_run(const struct router_method *method, struct routing *routing,
                               struct failure *failure);

/* Returns the seed of attempt `number`, from 1, of a run with this seed. */
uint64_t attempts_seed(uint64_t seed, uint32_t number);

/* Lists the expected deliveries of each node, before the first machine. FAIL_SYSTEM: no memory. */
enum failure_kind routing_list_deliveries(struct routing *routing, struct failure *failure);

/* Checks that all listed deliveries were made, and no others: counts `delivered` and `missing` into
 * the result. FAIL_CHECK names the first wrong message. */
enum failure_kind routing_check(struct routing *routing, struct failure *failure);

/* Gives all ranks the failure of the first one that has one: ranks_agree(). */
enum failure_kind routing_agree(const struct routing *routing, enum failure_kind kind,
                                struct failure *failure);

/* The findings of a check. */
struct routing_found {
    uint64_t missing, wrong;
    uint32_t first_wrong; /* least number of a wrong or incomplete message; UINT32_MAX: none */
};
/* Adds up the findings of all ranks, and counts `delivered` and `missing` into the result. */
enum failure_kind routing_add_found(struct routing *routing, struct routing_found *found,
                                    struct failure *failure);

#endif
