/* routing.c - the start of every run: each message becomes one packet at its source, responsible
 * for the slots of its destinations; and its end, where messages start later.
 * Cost: O(deliveries).
 */
#include "routers/routing.h"

#include "base/numbers.h"
#include "base/parallel.h"
#include "base/pcg.h"
#include "machine/channel.h"
#include "machine/forward.h"
#include "primitives/synchronise.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Names the slots of all ranks' messages, in the order of the messages in the whole set. *slots:
 * those of all. */
static enum failure_kind names_count(struct routing *routing, uint64_t *slots,
                                     struct failure *failure)
{
    const struct message_set *set = routing->set;
    uint32_t all = message_set_all_messages(set), next = 0;
    uint32_t *count = memory_allocate(all, sizeof *count);
    routing->first_name = memory_allocate(set->messages, sizeof *routing->first_name);
    if (count == NULL || routing->first_name == NULL) {
        free(count);
        return fail_memory(failure, "the packets' names");
    }
    for (uint32_t i = 0; i < set->messages; i++)
        count[message_set_number(set, i)] =
            (uint32_t)(routing->slot_offset[i + 1] - routing->slot_offset[i]);
    enum failure_kind kind = ranks_sum_counts(routing->options->ranks, count, all, failure);
    *slots = 0;
    for (uint32_t number = 0; number < all && kind == FAIL_NONE; number++) {
        if (next < set->messages && message_set_number(set, next) == number)
            routing->first_name[next++] = (uint32_t)*slots;
        *slots += count[number];
    }
    free(count);
    return kind;
}

static enum failure_kind slots_count(struct routing *routing, const struct slot_plan *plan,
                                     struct failure *failure)
{
    const struct message_set *set = routing->set;
    routing->slot_offset = memory_allocate((size_t)set->messages + 1, sizeof(uint64_t));
    if (routing->slot_offset == NULL)
        return fail_memory(failure, "the packets");
    uint64_t slots = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t degree = set->offset[i + 1] - set->offset[i];
        slots += plan != NULL && plan->count != NULL ? plan->count(plan->context, degree) : degree;
        routing->slot_offset[i + 1] = slots;
    }
    if (names_count(routing, &slots, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    if (slots >= UINT32_MAX)
        return fail(failure, FAIL_USAGE,
                    "%llu destination slots are more than the %u that a run can hold",
                    (unsigned long long)slots, UINT32_MAX - 1);
    routing->names = (uint32_t)slots;
    return FAIL_NONE;
}

struct slot_range routing_slots(const struct routing *routing, uint32_t message)
{
    const uint64_t *offset = routing->slot_offset + message;
    return (struct slot_range){(uint32_t)offset[0], (uint32_t)offset[1]};
}

uint32_t routing_packet(const struct routing *routing, uint32_t message)
{
    return routing_slots(routing, message).end - 1;
}

static void slots_name(const struct routing *routing, uint32_t message)
{
    struct headers *header = machine_headers(routing->machine);
    struct slot_range slots = routing_slots(routing, message);
    uint32_t name = routing_first_name(routing, message);
    for (uint32_t slot = slots.first; slot < slots.end; slot++)
        header_name_slot(header, slot, name++);
}

static void slots_fill(const struct routing *routing, const struct slot_plan *plan,
                       uint32_t message)
{
    const struct message_set *set = routing->set;
    struct headers *header = machine_headers(routing->machine);
    struct slot_range slots = routing_slots(routing, message);
    uint64_t start = slots.first, end = slots.end;
    uint64_t degree = set->offset[message + 1] - set->offset[message];
    node_place *slot = header->destination + start;
    /* the message's places, in its last `degree` slots, are where a plan may read and write */
    node_place *place = slot + (end - start - degree);
    for (uint64_t i = 0; i < degree; i++)
        place[i] = mesh_place(set->mesh, set->destination[set->offset[message] + i]);
    if (plan != NULL && plan->fill != NULL)
        plan->fill(plan->context, place, degree, slot);
    for (uint64_t i = start; i < end; i++)
        header->packet[i].message = message_set_name(set, routing->set_version, message);
    header->packet[end - 1].first =
        (uint32_t)(plan != NULL && plan->keeps_first ? end - degree : start);
    if (header->name != NULL)
        slots_name(routing, message);
}

struct slots_work {
    const struct routing *routing;
    const struct slot_plan *plan;
};

static void fill_band(void *context, const struct team *team)
{
    const struct slots_work *work = context;
    uint32_t messages = work->routing->set->messages;
    uint32_t end = parallel_band_start(messages, team->rank + 1, team->size);
    for (uint32_t i = parallel_band_start(messages, team->rank, team->size); i < end; i++)
        slots_fill(work->routing, work->plan, i);
}

bool routing_follows(const struct routing *routing)
{
    return routing->attempt != NULL && routing->attempt->machine.before != NULL;
}

/* Injects all messages that may start. Injection is free, but takes a step where others were
 * before, so that a step never holds packets of two attempts. */
static enum failure_kind inject_all(struct routing *routing, const struct slot_plan *plan,
                                    struct failure *failure)
{
    const struct message_set *set = routing->set;
    enum failure_kind kind = FAIL_NONE;
    if (routing_follows(routing))
        pause_for_injection(routing->machine);
    parallel_run(routing->result->threads, fill_band, &(struct slots_work){routing, plan});
    if (message_set_is_timed(set))
        return routing_inject_due(routing, failure);
    for (uint32_t i = 0; kind == FAIL_NONE && i < set->messages; i++) {
        uint32_t packet = routing_packet(routing, i);
        if (routing->injection == INJECT_LATER) {
            if (routing->options->congestion_is_unknown)
                kind = machine_await(routing->machine, set->source[i], failure);
            continue;
        }
        if (routing->injection == INJECT_BY_NODE)
            kind = machine_queue(routing->machine, set->source[i], packet, failure);
        else
            machine_inject(routing->machine, set->source[i], packet);
    }
    return kind == FAIL_NONE ? machine_end_injection(routing->machine, failure) : kind;
}

enum failure_kind routing_inject(const struct routing *routing, const uint32_t *message,
                                 uint32_t count, struct failure *failure)
{
    for (uint32_t i = 0; i < count; i++)
        machine_inject(routing->machine, routing->set->source[message[i]],
                       routing_packet(routing, message[i]));
    return machine_end_injection(routing->machine, failure);
}

void routing_promise(struct routing *routing, uint64_t steps, const char *sets)
{
    const struct router_options *options = routing->options;
    routing->proven_steps = routing->result->proven_steps = steps;
    if (options->promised != NULL)
        options->promised(options->promised_context, steps, sets);
}

void routing_predict(const struct routing *routing, const struct router_figure *figure)
{
    struct router_result *result = routing->result;
    assert(result->figures < ROUTER_MAX_FIGURES);
    result->figure[result->figures++] = *figure;
}

void routing_expect(struct routing *routing, uint64_t steps)
{
    const struct router_options *options = routing->options;
    routing->expected_steps = steps;
    if (options->expected != NULL)
        options->expected(options->promised_context, steps);
}

/* Returns a step limit that no router of the table reaches, which ends endless runs: each is
 * promised, proven or measured to need some sqrt(c n), with a factor of up to 0.4 log2(n)^2
 * (`expander`), or some n (`circulate`), or as many as there are deliveries, if all cross one link.
 * The factors here are far above all these. */
static uint64_t most_steps(const struct routing *routing)
{
    enum { FACTOR = 1 << 14, OF_ALL = 16 };
    struct mesh mesh = routing->set->mesh;
    double nodes = mesh_nodes(mesh);
    double root = sqrt(nodes * routing->congestion * routing->most_sent);
    const struct attempt *attempt = routing->attempt;
    if (routing->proven_steps > 0)
        return routing->proven_steps;
    if (routing->is_own || message_set_is_timed(routing->set) ||
        (attempt != NULL && attempt->machine.budget > 0))
        return 0;
    uint64_t before = routing_follows(routing) ? machine_counts(attempt->machine.before)->steps : 0;
    double slots = (double)routing->names;
    return before + routing->expected_steps +
           (uint64_t)(FACTOR * (root + mesh.rows + mesh.cols) + OF_ALL * (nodes + slots));
}

bool routing_is_attempted(const struct routing *routing)
{
    const struct router_method *method = routing->method;
    return routing->options->congestion_is_unknown ||
           (routing->options->buffer == 0 && method->limits != NULL &&
            method->limits(routing).may_overflow);
}

/* Returns the slots of contributions at this rank's nodes. */
static uint32_t own_slots(const struct routing *routing)
{
    return routing->options->reduces ? 0 : (uint32_t)routing->slot_offset[routing->set->messages];
}

struct machine_config routing_config(const struct routing *routing, uint32_t buffer)
{
    const struct router_options *options = routing->options;
    return (struct machine_config){.mesh = routing->set->mesh,
                                   .ranks = options->ranks,
                                   .buffer = buffer,
                                   .copy_is_free = options->copy_is_free,
                                   .threads = routing->result->threads,
                                   .trace = options->trace,
                                   .observer = options->observer,
                                   .progress = options->progress,
                                   .progress_context = options->progress_context,
                                   .interrupt = options->interrupt};
}

enum failure_kind routing_make_machine(struct routing *routing, uint32_t buffer,
                                       const struct slot_plan *plan, struct failure *failure)
{
    const struct message_set *set = routing->set;
    const struct router_options *options = routing->options;
    const struct attempt *attempt = routing->attempt;
    enum failure_kind kind = slots_count(routing, plan, failure);
    if (kind == FAIL_NONE && !options->reduces && routing->expected.start == NULL)
        kind = routing_list_deliveries(routing, failure);
    if (kind != FAIL_NONE)
        return kind;
    const struct timings timings = message_set_timings(set);
    if (timings.at != NULL && starts_make(&routing->starts, &timings, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    uint32_t allotted = attempt == NULL ? 0 : attempt->buffer;
    if (allotted > 0 && (buffer == 0 || allotted < buffer))
        buffer = allotted;
    struct machine_config config = routing_config(routing, buffer);
    config.slots = routing->names;
    config.own_slots = own_slots(routing);
    config.reduces = options->reduces;
    config.deliveries = message_set_all_deliveries(set);
    config.most_steps = most_steps(routing);
    config.attempt = attempt == NULL ? NULL : &attempt->machine;
    config.expected = options->reduces ? NULL : &routing->expected;
    config.receive = message_set_all_waits(set) > 0 ? routing_receive : NULL;
    config.receive_context = routing;
    struct machine *machine = machine_create(&config, failure);
    if (machine == NULL)
        return FAIL_SYSTEM;
    machine_free(routing->machine); /* of the attempt before */
    routing->machine = machine;
    routing->result->buffer_capacity = buffer;
    return FAIL_NONE;
}

enum failure_kind routing_start(struct routing *routing, uint32_t buffer,
                                const struct slot_plan *plan, struct failure *failure)
{
    enum failure_kind kind = routing_make_machine(routing, buffer, plan, failure);
    return kind == FAIL_NONE ? inject_all(routing, plan, failure) : kind;
}

void routing_give_up(struct routing *routing)
{
    machine_give_up(routing->machine);
    free(routing->slot_offset);
    free(routing->first_name);
    routing->slot_offset = NULL;
    routing->first_name = NULL;
}

uint32_t routing_random(const struct routing *routing, uint64_t stream, uint64_t index)
{
    return pcg32_at(routing->options->seed, stream, index);
}

/* ---- the order of slots ---- */

struct slot_sorting {
    const struct machine *machine;
    uint32_t degree;
    uint64_t (*rank)(void *context, uint32_t packet, node_place place);
    void *context;
    uint64_t *key; /* [thread][degree] */
};

static void order_band(void *context, const struct team *team)
{
    const struct slot_sorting *sorting = context;
    const struct headers *header = machine_headers((struct machine *)sorting->machine);
    struct node_range nodes = routing_nodes(sorting->machine, team);
    uint64_t *key = sorting->key + (size_t)team->rank * sorting->degree;
    for (struct resting at = resting_at(sorting->machine, nodes); resting_next(&at);) {
        node_place *slot = header->destination + header->packet[at.packet].first;
        uint32_t count = at.packet - header->packet[at.packet].first + 1;
        for (uint32_t i = 0; i < count; i++)
            key[i] = sorting->rank(sorting->context, at.packet, slot[i]) << 32 | slot[i];
        sort_u64(key, count);
        for (uint32_t i = 0; i < count; i++)
            slot[i] = (node_place)key[i];
    }
}

enum failure_kind routing_order_slots(struct machine *machine, uint32_t degree,
                                      uint64_t (*rank)(void *context, uint32_t packet,
                                                       node_place place),
                                      void *context, struct failure *failure)
{
    uint32_t threads = machine_config(machine)->threads;
    struct slot_sorting sorting = {machine, degree, rank, context,
                                   memory_allocate((size_t)threads * degree, sizeof *sorting.key)};
    if (sorting.key == NULL)
        return fail_memory(failure, "the order of visits");
    parallel_run(threads, order_band, &sorting);
    free(sorting.key);
    return FAIL_NONE;
}

/* ---- to the end of a run, where messages may start later or wait for others ----
 *
 * Method: the instruction runs up to the next known step in which a message may start. A receipt
 * that lets a message start earlier ends it with that step. Then messages that may start are
 * injected, by ascending numbers, and it goes on; if nothing is under way the machine is idle until
 * the next start. On ranks all know the next step of any.
 * Knowledge: a node starts its own messages by the clock and by its receipts.
 * Cost: a call of the instruction for each step in which messages start, O(nodes) each. If messages
 * wait, rows do one step at a time, and each delivery costs O(log n).
 */

/* The instruction of a run. */
struct instruction {
    const struct routing_rule *forward;
    const struct channel_rule *channel; /* NULL: it is machine_forward */
};

bool routing_receive(void *of_routing, node_index node, uint32_t message, uint64_t step)
{
    struct routing *routing = of_routing;
    uint32_t first = message_set_first_packet(routing->set, message);
    if (starts_await(&routing->starts, first))
        starts_receive(&routing->starts, first, node, step);
    return starts_next(&routing->starts) < routing->until;
}

static enum failure_kind inject_message(struct routing *routing, uint32_t first,
                                        struct failure *failure)
{
    const struct message_set *set = routing->set;
    uint32_t packets = message_set_packets(set, message_set_number(set, first));
    for (uint32_t i = first; i < first + packets; i++) {
        uint32_t packet = routing_packet(routing, i);
        if (routing->injection == INJECT_AT_ONCE)
            machine_inject(routing->machine, set->source[i], packet);
        else if (machine_queue(routing->machine, set->source[i], packet, failure) != FAIL_NONE)
            return FAIL_SYSTEM;
    }
    return FAIL_NONE;
}

enum failure_kind routing_inject_due(struct routing *routing, struct failure *failure)
{
    uint64_t now = machine_counts(routing->machine)->steps;
    enum failure_kind kind = FAIL_NONE;
    while (kind == FAIL_NONE && starts_next(&routing->starts) <= now)
        kind = inject_message(routing, starts_take(&routing->starts), failure);
    return kind == FAIL_NONE ? machine_end_injection(routing->machine, failure) : kind;
}

static enum failure_kind run_instruction(struct routing *routing,
                                         const struct instruction *instruction, uint64_t limit,
                                         struct failure *failure)
{
    if (instruction->channel != NULL)
        return machine_channel(routing->machine, instruction->channel, false, limit, failure);
    return machine_forward(routing->machine, instruction->forward, true, limit, failure);
}

static enum failure_kind run_timed(struct routing *routing, const struct instruction *instruction,
                                   struct failure *failure)
{
    struct machine *machine = routing->machine;
    enum failure_kind kind = FAIL_NONE;
    while (kind == FAIL_NONE) {
        uint64_t now = machine_counts(machine)->steps, next = starts_next(&routing->starts);
        if (ranks_least(routing->options->ranks, &next, 1, failure) != FAIL_NONE)
            return FAIL_SYSTEM;
        bool is_empty = machine_travelling(machine) + machine_resting(machine) == 0;
        uint64_t limit = next == UINT64_MAX ? UINT64_MAX : next - now;
        routing->until = next;
        if (next <= now)
            kind = routing_inject_due(routing, failure);
        else if (is_empty && next == UINT64_MAX)
            break;
        else if (is_empty)
            machine_idle(machine, limit);
        else
            kind = run_instruction(routing, instruction, limit, failure);
    }
    return kind;
}

static enum failure_kind run_to_the_end(struct routing *routing,
                                        const struct instruction *instruction,
                                        struct failure *failure)
{
    if (message_set_is_timed(routing->set))
        return run_timed(routing, instruction, failure);
    return run_instruction(routing, instruction, UINT64_MAX, failure);
}

enum failure_kind routing_forward(struct routing *routing, const struct routing_rule *rule,
                                  struct failure *failure)
{
    return run_to_the_end(routing, &(struct instruction){.forward = rule}, failure);
}

enum failure_kind routing_channel(struct routing *routing, const struct channel_rule *rule,
                                  struct failure *failure)
{
    return run_to_the_end(routing, &(struct instruction){.channel = rule}, failure);
}
