/* machine_private.h - the machine's state, which the instructions share. For machine/ only. */
#ifndef MESHCAST_MACHINE_MACHINE_PRIVATE_H
#define MESHCAST_MACHINE_MACHINE_PRIVATE_H

#include "base/number_table.h"
#include "base/parallel.h"
#include "base/vectorised.h"
#include "machine/attempt.h"
#include "machine/expected.h"
#include "machine/machine.h"
#include "machine/pool.h"
#include "machine/ranks/ranks.h"

#include <stdatomic.h>

/* ---- steps (step.c) ---- */

/* The groups of a step's events, in the order of the trace, each by rows. DEPARTURES: packets that
 * leave their node, and copies that must be made before. COPIES: with unit copies, those that stay
 * where they were made. ARRIVALS: deliveries, rests and discards of packets that have arrived. */
enum event_group { DEPARTURES, COPIES, ARRIVALS, EVENT_GROUPS };

struct delivery_list; /* expected.h */

struct event_list {
    struct machine_event *event;
    size_t count, room;
};

/* The counts of one thread in a step. The machine adds up the tallies after each step, so no count
 * is shared while threads work. */
struct tally {
    uint64_t packet_hops, word_hops, copies, delivered;
    uint64_t wrong;     /* deliveries of messages that were not expected, or had arrived; .. */
    uint64_t discarded; /* packets for which a node had no room */
    uint64_t stops;     /* calls of config.receive that returned true */
    uint64_t marked;    /* destinations found to hold their message already */
    int64_t travelling; /* change */
    int64_t resting;    /* change */
    uint32_t peak;      /* largest occupancy seen at the end of this step */
    node_index peak_node;
    uint32_t first_wrong; /* .. the least number of such a message */
    struct event_list events[EVENT_GROUPS];
    bool lost_events;               /* no memory for an event */
    struct delivery_list *delivery; /* keeps expected deliveries; NULL: they are not kept */
    struct pool_gone *gone;         /* the thread's, for pool_drop() */
    char padding[64];
};

/* The sums that a step adds to the counters, over all threads and ranks. */
enum step_number {
    SUM_PACKET_HOPS,
    SUM_WORD_HOPS,
    SUM_COPIES,
    SUM_DELIVERED,
    SUM_MARKED,
    SUM_DISCARDED,
    SUM_TRAVELLING, /* change, modulo 2^64, .. */
    SUM_RESTING,    /* .. as this */
    SUM_LOST_EVENTS,
    SUM_STOPS,
    SUM_INTERRUPTS,
    STEP_NUMBERS
};

/* The sums of steps that all rows have done, but that have not ended yet; at most MOST_AHEAD. */
enum { MOST_AHEAD = 8 };
struct sums_ahead {
    uint32_t next, count; /* the first step that has not ended, and the one after the last */
    uint64_t number[MOST_AHEAD][STEP_NUMBERS];
    uint64_t peak[MOST_AHEAD]; /* the fullest buffer << 32 | UINT32_MAX - its node, the least one */
};

/* Sums the tallies into the machine at the end of a step and writes the step's events, in one
 * thread, while the others wait. FAIL_CHECK: the fullest buffer overflowed. */
enum failure_kind machine_end_step(struct machine *machine, struct failure *failure);

/* On ranks, adds up over all threads and ranks the tallies of 1 .. MOST_AHEAD steps that
 * machine_end_step() is to end one after another: tally[thread * stride + step]. So ranks meet once
 * for all of them. Steps that will not end are forgotten. Without ranks both have no effect. */
void machine_sum_ahead(struct machine *machine, struct tally *tally, uint32_t stride,
                       uint32_t steps);
void machine_forget_ahead(struct machine *machine);

/* Does the same for `steps` steps at once; in an observed run one at a time. Only the last of them
 * may make a new peak. */
enum failure_kind machine_end_steps(struct machine *machine, uint64_t steps,
                                    struct failure *failure);

/* Returns how many of `limit` steps an instruction may do under config.most_steps and an attempt's
 * budget. */
uint64_t machine_limit_steps(const struct machine *machine, uint64_t limit);

/* Returns FAIL_CHECK if config.most_steps are spent. Called at the start of the instructions that
 * every endless loop of a broken router repeats, and at the end of those that can be long. */
enum failure_kind machine_judge_steps(const struct machine *machine, struct failure *failure);

/* Returns the result of an instruction that ended with `kind` (when it begins, FAIL_NONE): `kind`
 * itself if it is a failure, else that of machine_judge_steps(), else FAIL_VOID if the budget is
 * spent, with or without packets left. */
enum failure_kind machine_judge_call(const struct machine *machine, enum failure_kind kind,
                                     struct failure *failure);

/* ---- the machine ---- */

/* Parked packets: for each node a list through `next`, per level. */
enum { PARKED_LEVELS = 4 };
struct parked {
    uint32_t depth, most;                /* levels in use; the most parked packets at a node */
    uint32_t most_before[PARKED_LEVELS]; /* `most` before the level was in use */
    uint64_t packets[PARKED_LEVELS];     /* of the level */
    uint32_t *first[PARKED_LEVELS];
    uint32_t *count; /* [node]: of all levels; NULL before the first */
};

/* The state of an attempt (attempt.c). */
struct attempt_state {
    struct machine_attempt given;
    char name[MACHINE_NAME_SIZE];
    uint64_t begun;             /* the clock at its start */
    uint64_t sync_word_steps;   /* steps in which words of synchronisations crossed links */
    uint32_t peak;              /* this machine's only */
    uint64_t discarded;         /* packets for which there was no room */
    uint8_t *has_discarded;     /* [node]; NULL: there is always room */
    uint32_t *awaited;          /* [node]: machine_await(); NULL: no node waits for any */
    struct number_table living; /* nodes of the packets that are alive, if events are collected */
    uint64_t first_number;      /* first of its packets' numbers in the trace */
};

/* The deliveries so far, and the step in which each percent of them was reached. */
struct delivery_curve {
    uint64_t made;
    uint32_t known; /* of step[] */
    uint64_t step[DELIVERY_PERCENTS];
};

/* The functions for the state that an instruction keeps between calls; it registers them when it
 * first allocates. A NULL function has nothing to do. */
struct machine_part {
    void (*free)(struct machine *machine);
    /* True, between calls, if packets that are under way wait at the node. */
    bool (*is_busy)(const struct machine *machine, node_index node);
    /* True, between calls, if a packet is in the node's slot for injection. */
    bool (*has_injected)(const struct machine *machine, node_index node);
};
enum { MACHINE_PARTS = 8 };

struct machine {
    struct machine_config config;
    const struct machine_part *part[MACHINE_PARTS];
    uint32_t parts;
    uint32_t nodes;
    uint32_t first_row, end_row; /* this machine's: all rows, or those of its rank */
    uint32_t fewest_rows;        /* fewest rows of any rank */
    uint32_t most_threads;       /* most threads of any rank: some may have been refused threads */
    bool is_split;               /* among several ranks */
    bool is_observed;            /* here or at another rank */
    bool is_injecting;           /* the current step is an injection */
    bool is_stopped;             /* config.receive has ended the call with the last step */
    bool is_interrupted;         /* on ranks: one of them was */
    struct failure rank_failure; /* of machine/ranks/ranks.h, until the end of the step */
    atomic_flag rank_has_failed; /* rank_failure is set, or being set */
    struct border *border;       /* border.h; NULL without ranks */
    struct pool pool;
    struct headers header;
    struct machine_counts counts;
    struct delivery_curve curve;
    uint32_t phases, current_phase;
    struct machine_phase phase[MACHINE_MAX_PHASES];
    bool in_sync_phase;
    uint32_t proven_capacity; /* of this call of machine_forward; 0: none */

    uint32_t *occupancy;     /* [node] */
    uint64_t *next;          /* [packet]: the word after it in its queue */
    uint32_t *resting_first; /* [node]: the resting packets as a list through `next` */
    uint32_t *resting_last;
    uint32_t *input_first; /* [node]: the packets of its input queue, through `next`, .. */
    uint32_t *input_last;  /* .. which are counted in `resting`; NULL: none ever waited */
    uint64_t resting, travelling;
    uint64_t marked;

    struct tally *tally;     /* [config.threads] */
    struct sums_ahead ahead; /* empty, except on ranks */
    struct forward *forward;
    struct words *words;
    struct plane *plane;
    bool has_open_plane;
    struct parked parked;
    struct channels *channels;
    struct attempt_state attempt;
    struct number_table discards; /* discarded packets of a name in the trace */
    struct trace *trace;          /* NULL: none is written */
    bool trace_failed;
};

/* Returns a new array, all zero, of `of_row` elements per row of the mesh and `beside` more. Apart
 * from a few, only those of this machine's rows will be written: the rest use no memory, not even a
 * part of a large page. The caller frees it. NULL: no memory. */
void *machine_allocate_rows(const struct machine *machine, size_t of_row, size_t beside,
                            size_t size);
/* Returns such an array with an element per node. */
void *machine_allocate_nodes(const struct machine *machine, size_t size);

/* ---- on several ranks (machine/ranks/together.c) ---- */

/* On ranks, finds what the machine must know about itself and other ranks; border_free() frees it.
 * FAIL_SYSTEM: a rank has failed, or there is no memory. */
enum failure_kind machine_join_ranks(struct machine *machine, struct failure *failure);

/* On ranks, adds up over all of them what `steps` steps have added to each, and finds the largest
 * of their peaks. */
void machine_add_up_steps(struct machine *machine, uint64_t *number, uint64_t *peak,
                          uint32_t steps);

/* Events are ordered by ascending `major`, and if that is equal by ascending `minor`. */
struct event_order {
    uint64_t major, minor;
};

struct ordered_event {
    struct machine_event event;
    uint64_t group; /* an enum event_group; of a size that leaves no padding */
    /* Events of equal order are all of one rank, and keep their order there. */
    struct event_order order;
    size_t place; /* among the events of all ranks */
};

/* Brings the events of all ranks, each of which gives *count of its own, to rank 0, sorted by their
 * order. Returns them there, *count of them, which the caller frees; elsewhere NULL. */
struct ordered_event *events_collect(struct machine *machine, const struct ordered_event *own,
                                     size_t *count);

typedef void events_emit(struct machine *machine, const struct event_list *list);
/* At rank 0 calls `tell` for the events of a group of all ranks, which their first threads' lists
 * have. */
void events_emit_ranks(struct machine *machine, int group, events_emit *tell);

/* Notes that this rank has no memory for `purpose`; other ranks learn it when the machine's user
 * ends. */
void machine_rank_fails(struct machine *machine, const char *purpose);

/* Returns the failure of this rank, or of what it exchanged with others, that is kept. */
static inline enum failure_kind machine_rank_kept(const struct machine *machine,
                                                  struct failure *failure)
{
    const struct failure *own = &machine->rank_failure;
    return own->kind == FAIL_NONE ? FAIL_NONE : fail(failure, own->kind, "%s", own->text);
}

/* Replaces a number by the largest of all ranks. */
void machine_agree_most(struct machine *machine, uint32_t *number);

/* Returns the rows of a thread. */
static inline struct row_range machine_band(const struct machine *machine, const struct team *team)
{
    uint32_t rows = machine->end_row - machine->first_row;
    return (struct row_range){
        machine->first_row + parallel_band_start(rows, team->rank, team->size),
        machine->first_row + parallel_band_start(rows, team->rank + 1, team->size)};
}

void delivery_curve_begin(struct machine *machine);
void delivery_curve_add(struct machine *machine, uint64_t step, uint64_t count);

void machine_register(struct machine *machine, const struct machine_part *part);
/* Lets the machine continue where config.attempt->before ended. False: no memory. */
bool attempt_begin(struct machine *machine);

/* True if a node has room for so many packets at the end of a step; it always has, except in an
 * attempt in which nodes discard. If it has none, the instruction takes the packets out of its
 * queues and discards each, and those that rest. Only for nodes of the row at hand, as other rows
 * may be some steps ahead or behind. */
static inline bool attempt_has_room(const struct machine *machine, uint32_t packets)
{
    return machine->attempt.has_discarded == NULL || packets <= machine->config.buffer;
}

void attempt_discard(struct machine *machine, struct tally *tally, enum event_group group,
                     node_index node, uint32_t packet);
void attempt_discard_resting(struct machine *machine, struct tally *tally, enum event_group group,
                             node_index node);

/* Returns the number after the last one that the machine's packets have in the trace. */
uint64_t trace_next_number(const struct machine *machine);

static inline bool is_single_output(unsigned outputs)
{
    return (outputs & (outputs - 1)) == 0;
}

/* True if `stop` is ahead of `site` on link `d`, within the mesh. A rule with another stop would
 * send its packet off the mesh. */
static inline bool is_ahead(const struct machine *machine, struct site site, enum direction d,
                            uint32_t stop)
{
    struct mesh mesh = machine->config.mesh;
    uint32_t here = direction_is_vertical(d) ? site.row : site.col;
    uint32_t side = direction_is_vertical(d) ? mesh.rows : mesh.cols;
    return d == NORTH || d == WEST ? stop < here : stop > here && stop < side;
}

/* True if packets wait in the node's input queue. */
static inline bool machine_has_input(const struct machine *machine, node_index node)
{
    return machine->input_first != NULL && machine->input_first[node] != MACHINE_NONE;
}

/* Injects the first packet of the node's input queue, which becomes its only one that rests. */
void machine_inject_input(struct machine *machine, struct tally *tally, node_index node);

/* Puts `packet` at the end of the node's resting list. */
static inline void machine_rest(struct machine *machine, node_index node, uint32_t packet)
{
    if (machine->resting_first[node] == MACHINE_NONE)
        machine->resting_first[node] = packet;
    else
        machine->next[machine->resting_last[node]] = packet;
    machine->resting_last[node] = packet;
    machine->next[packet] = MACHINE_NONE;
}

/* ---- a step: a thread's counts, and the events for observers ---- */

/* True if events are collected: for a trace, or for an observer. An instruction may depend on it
 * only in its order (machine_steps_at_once) and in its events. */
static inline bool machine_is_observed(const struct machine *machine)
{
    return machine->is_observed;
}

/* Returns the number of steps that a row may do at once: one in an observed run, because the events
 * of a step are reported together; one where any step may be the last; else `most`. */
static inline uint32_t machine_steps_at_once(const struct machine *machine, uint32_t most)
{
    return machine_is_observed(machine) || machine->config.receive != NULL ? 1 : most;
}

/* Allocates an array that only an observed run needs; in other runs *pointer becomes NULL. False:
 * no memory. */
bool machine_observer_memory(const struct machine *machine, void *pointer, size_t count,
                             size_t size);

/* Makes room for `count` more events. False: no memory. */
bool event_list_grow(struct event_list *list, size_t count);
/* Writes and reports the events of all tallies as those of the machine's step, and empties the
 * lists. */
void trace_end_step(struct machine *machine);
/* Reports a phase that begins. */
void trace_emit_phase(struct machine *machine, const char *name);
/* Reports, when an attempt ends, that all living packets are discarded. */
void trace_give_up(struct machine *machine);
/* Makes the state for writing a trace, if there is one, and writes its first line. False: no
 * memory. */
bool trace_begin(struct machine *machine);
void trace_free(struct machine *machine);

/* Adds an event in which packets are named. */
static inline void tally_event(const struct machine *machine, struct tally *tally,
                               enum event_group group, struct machine_event event)
{
    struct event_list *list = &tally->events[group];
    if (!machine_is_observed(machine))
        return;
    if (list->count < list->room || event_list_grow(list, 1))
        list->event[list->count++] = event;
    else
        tally->lost_events = true;
}

/* Returns the packet's name, for an event; it is not read without an observer, as it is far from
 * all other data. */
static inline uint32_t event_name(const struct machine *machine, uint32_t packet)
{
    return machine_is_observed(machine) ? packet_name(&machine->header, packet) : MACHINE_NONE;
}

/* Reports that `packet` crosses the link between two neighbours. */
static inline void tally_move(const struct machine *machine, struct tally *tally, uint32_t packet,
                              node_index from, node_index to)
{
    uint32_t name = event_name(machine, packet);
    tally_event(machine, tally, DEPARTURES, (struct machine_event){{name, from, to}, 'M'});
}

/* Gives up the slots first .. last, of a packet that has ended or been discarded. */
static inline void tally_drop(struct machine *machine, const struct tally *tally, uint32_t first,
                              uint32_t last)
{
    if (tally->gone != NULL)
        pool_drop(&machine->pool, tally->gone, first, last);
}

/* Reports that `packet` is discarded at `node`. */
static inline void tally_discard(struct machine *machine, struct tally *tally,
                                 enum event_group group, node_index node, uint32_t packet)
{
    uint32_t name = event_name(machine, packet);
    tally_drop(machine, tally, machine->header.packet[packet].first, packet);
    tally_event(machine, tally, group, (struct machine_event){{node, name, 0}, 'R'});
}

/* Notes in the lists of expected messages that `message` arrives at `node`. False if an earlier
 * attempt delivered it there. */
static inline bool tally_expect(struct expected_messages *expected, struct tally *tally,
                                node_index node, uint32_t message)
{
    uint32_t at = expected_find(expected, node, message);
    if (expected_is_held(expected, at)) {
        tally->marked++;
        return false;
    }
    if (at == EXPECTED_NONE || expected->arrived[at] != 0) {
        if (tally->wrong++ == 0 || message < tally->first_wrong)
            tally->first_wrong = message;
        return true;
    }
    if (tally->delivery != NULL)
        delivery_list_add(tally->delivery, at);
    expected->arrived[at] = expected->attempt;
    return true;
}

/* Ends packet `packet` at `site` with the delivery of its last slot (E), or delivers `slot` while
 * the packet stays (D). If an earlier attempt delivered the message here, nothing is delivered. */
static inline void tally_deliver(struct machine *machine, struct tally *tally,
                                 enum event_group group, struct site site, uint32_t packet,
                                 uint32_t slot)
{
    char kind = packet == slot ? 'E' : 'D';
    uint32_t message = machine->header.packet[slot].message;
    struct expected_messages *expected = machine->config.expected;
    if (expected != NULL && !tally_expect(expected, tally, site.index, message)) {
        if (kind == 'E')
            tally_discard(machine, tally, group, site.index, packet);
        return;
    }
    tally->delivered++;
    tally_drop(machine, tally, slot, slot);
    if (kind == 'D')
        tally->copies++;
    uint32_t name = event_name(machine, packet);
    tally_event(machine, tally, group, (struct machine_event){{site.index, name, message}, kind});
}

/* True if packet `packet` has no destination but `site`. */
static inline bool packet_ends_at(const struct machine *machine, struct site site, uint32_t packet)
{
    const struct headers *header = &machine->header;
    return header->packet[packet].first == packet &&
           header->destination[packet] == site_place(site);
}

static inline void tally_injection(const struct machine *machine, struct tally *tally,
                                   node_index node, uint32_t packet)
{
    uint32_t name = event_name(machine, packet);
    tally_event(machine, tally, DEPARTURES,
                (struct machine_event){{node, name, machine->header.packet[packet].message}, 'I'});
}

/* Reports that `copy` was made of `packet` at `node`. */
static inline void tally_copy_event(const struct machine *machine, struct tally *tally,
                                    enum event_group group, node_index node, uint32_t packet,
                                    uint32_t copy)
{
    uint32_t name = event_name(machine, packet), name_of_copy = event_name(machine, copy);
    tally_event(machine, tally, group, (struct machine_event){{node, name, name_of_copy}, 'C'});
}

/* Counts and reports that `copy` was made of `packet` at `node`; it is under way. */
static inline void tally_copy(struct machine *machine, struct tally *tally, enum event_group group,
                              node_index node, uint32_t packet, uint32_t copy)
{
    tally->copies++;
    tally->travelling++;
    machine->occupancy[node]++;
    tally_copy_event(machine, tally, group, node, packet, copy);
}

/* Counts that a packet that rested is under way, .. */
static inline void tally_wake(struct tally *tally)
{
    tally->resting--;
    tally->travelling++;
}

/* .. and brings one that was under way to rest at `node`. */
static inline void tally_rest(struct machine *machine, struct tally *tally, node_index node,
                              uint32_t packet)
{
    machine_rest(machine, node, packet);
    tally->travelling--;
    tally->resting++;
}

/* Takes into account that `node` ends the step with so many packets. */
static inline void tally_holds(struct tally *tally, node_index node, uint32_t occupancy)
{
    if (occupancy > tally->peak || (occupancy == tally->peak && node < tally->peak_node)) {
        tally->peak = occupancy;
        tally->peak_node = node;
    }
}

static inline void tally_occupancy(struct machine *machine, struct tally *tally, node_index node)
{
    tally_holds(tally, node, machine->occupancy[node]);
}

#endif
