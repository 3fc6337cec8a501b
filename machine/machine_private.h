/* machine_private.h - what the instructions share: the machine's state. For machine/ only. */
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

/* The events of a step are told group after group, each by rows. DEPARTURES: what leaves its node,
 * and copies that must be made before. COPIES: those that stay where they were made, with unit
 * copies. ARRIVALS: deliveries, rests and discards of packets that have come. */
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
    uint64_t wrong;     /* deliveries of what was not expected, or had come; .. */
    uint64_t discarded; /* packets for which a node had no room */
    uint64_t stops;     /* calls of config.receive that returned true */
    uint64_t marked;    /* destinations found to hold their message already */
    int64_t travelling; /* change */
    int64_t resting;    /* change */
    uint32_t peak;      /* largest occupancy seen at the end of this step */
    node_index peak_node;
    uint32_t first_wrong; /* .. the least number of a message of these */
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

/* The sums of steps that all rows have done, but that have not ended yet; each of MOST_AHEAD at
 * most. */
enum { MOST_AHEAD = 8 };
struct sums_ahead {
    uint32_t next, count; /* the first step that has not ended, and the one behind the last */
    uint64_t number[MOST_AHEAD][STEP_NUMBERS];
    uint64_t peak[MOST_AHEAD]; /* the fullest buffer << 32 | UINT32_MAX - its node, the least one */
};

/* Sums the tallies into the machine at the end of a step and writes the step's events. FAIL_CHECK:
 * the fullest buffer overflowed. For one thread, while the others wait. */
enum failure_kind machine_end_step(struct machine *machine, struct failure *failure);

/* On ranks, adds up over all threads and ranks the tallies of 1 .. MOST_AHEAD steps that
 * machine_end_step() is to end one after another: tally[thread * stride + step]. So ranks meet once
 * for all of them. Steps that will not end are forgotten. Both have no effect alone. */
void machine_sum_ahead(struct machine *machine, struct tally *tally, uint32_t stride,
                       uint32_t steps);
void machine_forget_ahead(struct machine *machine);

/* The same for `steps` steps at once; in an observed run one at a time. Only the last of them may
 * make a new peak. */
enum failure_kind machine_end_steps(struct machine *machine, uint64_t steps,
                                    struct failure *failure);

/* Returns how many of `limit` steps an instruction may do under config.most_steps and an attempt's
 * budget. */
uint64_t machine_limit_steps(const struct machine *machine, uint64_t limit);

/* Returns FAIL_CHECK if config.most_steps are spent. Called at the start of the instructions that
 * every endless loop of a broken router repeats, and at the end of those that can be long. */
enum failure_kind machine_judge_steps(const struct machine *machine, struct failure *failure);

/* Returns what an instruction returns that ended with `kind` (when it begins, FAIL_NONE): `kind`
 * itself if it is a failure, else that of machine_judge_steps(), else FAIL_VOID if the budget is
 * spent, whatever packets are left. */
enum failure_kind machine_judge_call(const struct machine *machine, enum failure_kind kind,
                                     struct failure *failure);

/* ---- the machine ---- */

/* Packets that take no part: for each node a list through `next`, of each level. */
enum { PARKED_LEVELS = 4 };
struct parked {
    uint32_t depth, most;                /* levels in use; packets set aside at a node, at most */
    uint32_t most_before[PARKED_LEVELS]; /* before the level was in use */
    uint64_t packets[PARKED_LEVELS];     /* of the level */
    uint32_t *first[PARKED_LEVELS];
    uint32_t *count; /* [node]: of all levels; NULL before the first */
};

/* The state of an attempt (attempt.c). */
struct attempt_state {
    struct machine_attempt given;
    char name[MACHINE_NAME_SIZE];
    uint64_t begun;             /* the clock at its start */
    uint64_t sync_word_steps;   /* in which words of synchronisations crossed links */
    uint32_t peak;              /* of this machine alone */
    uint64_t discarded;         /* packets for which there was no room */
    uint8_t *has_discarded;     /* [node]; NULL: there is always room */
    uint32_t *awaited;          /* [node]: machine_await(); NULL: no node waits for any */
    struct number_table living; /* the nodes of the packets that are alive, where events are told */
    uint64_t first_number;      /* of its packets in the trace */
};

/* The deliveries so far, and in which step each percent of them was reached. */
struct delivery_curve {
    uint64_t made;
    uint32_t known; /* of step[] */
    uint64_t step[DELIVERY_PERCENTS];
};

/* The treatment of what an instruction keeps between calls; it registers this when it first
 * allocates. A function that is NULL has nothing to do. */
struct machine_part {
    void (*free)(struct machine *machine);
    /* Returns, between calls, whether packets that are under way wait at the node. */
    bool (*is_busy)(const struct machine *machine, node_index node);
};
enum { MACHINE_PARTS = 8 };

struct machine {
    struct machine_config config;
    const struct machine_part *part[MACHINE_PARTS];
    uint32_t parts;
    uint32_t nodes;
    uint32_t first_row, end_row; /* of this machine: all, or those of its rank */
    uint32_t fewest_rows;        /* of any rank */
    uint32_t most_threads;       /* of any rank: some may have been refused threads */
    bool is_split;               /* among several ranks */
    bool is_observed;            /* here or at another rank */
    bool is_injecting;           /* the step collected now is an injection */
    bool is_stopped;             /* config.receive has ended the call with the last step */
    bool is_interrupted;         /* on ranks: one of them was */
    struct failure rank_failure; /* of machine/ranks/ranks.h, until the end of the step */
    atomic_flag rank_has_failed; /* rank_failure is set, or being set */
    struct border *border;       /* border.h; NULL: alone */
    struct pool pool;
    struct headers header;
    struct machine_counts counts;
    struct delivery_curve curve;
    uint32_t phases, current_phase;
    struct machine_phase phase[MACHINE_MAX_PHASES];
    bool in_sync_phase;
    uint32_t proven_capacity; /* of this call of machine_forward; 0: none */

    uint32_t *occupancy;     /* of each node */
    uint64_t *next;          /* of packet p: the word behind it in whatever queue it stands */
    uint32_t *resting_first; /* of each node: the resting packets as a list through `next` */
    uint32_t *resting_last;
    uint32_t *input_first; /* of each node: the packets of its input queue, through `next`, .. */
    uint32_t *input_last;  /* .. which are counted in `resting`; NULL: none ever waited */
    uint64_t resting, travelling;
    uint64_t marked;

    struct tally *tally;     /* [config.threads] */
    struct sums_ahead ahead; /* empty, but on ranks */
    struct forward *forward;
    struct words *words;
    struct plane *plane;
    bool has_open_plane;
    struct parked parked;
    struct channels *channels;
    struct attempt_state attempt;
    struct number_table discards; /* how many packets of a name were discarded in the trace */
    struct trace *trace;          /* NULL: none is written */
    bool trace_failed;
};

/* Returns a new array, all zero, of `of_row` elements for each row of the mesh and `beside` more,
 * of which only those of this machine's rows will be written, but for a few: so the others take no
 * memory, not even a part of a large page. The caller frees it. NULL: no memory. */
void *machine_allocate_rows(const struct machine *machine, size_t of_row, size_t beside,
                            size_t size);
/* The same with an element for each node. */
void *machine_allocate_nodes(const struct machine *machine, size_t size);

/* ---- on several ranks (machine/ranks/together.c) ---- */

/* On ranks, finds what the machine must know of its own and of the others; border_free() frees what
 * was made. FAIL_SYSTEM: a rank has failed, or there is no memory. */
enum failure_kind machine_join_ranks(struct machine *machine, struct failure *failure);

/* On ranks, adds up over all of them what `steps` steps have added to each, and finds the largest
 * of their peaks. */
void machine_add_up_steps(struct machine *machine, uint64_t *number, uint64_t *peak,
                          uint32_t steps);

/* Events are told by ascending `major`, and where that is equal by ascending `minor`. */
struct event_order {
    uint64_t major, minor;
};

struct ordered_event {
    struct machine_event event;
    uint64_t group; /* an enum event_group; of such a size that no byte is without a value */
    /* Events of equal order are all of one rank, and stay as that rank has them. */
    struct event_order order;
    size_t place; /* among those of all ranks */
};

/* Brings the events of all ranks, each of which gives *count of its own, to rank 0, sorted by their
 * order. Returns them there, *count of them, which the caller frees; elsewhere NULL. */
struct ordered_event *events_collect(struct machine *machine, const struct ordered_event *own,
                                     size_t *count);

typedef void events_emit(struct machine *machine, const struct event_list *list);
/* At rank 0 calls `tell` for the events of a group of all ranks, which their first threads' lists
 * have. */
void events_emit_ranks(struct machine *machine, int group, events_emit *tell);

/* Notes that this rank has no memory for `purpose`; the others learn it when its machine's user
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

/* Returns, at the end of a step, whether a node has room for so many packets; it always has, except
 * in an attempt in which nodes discard. If it has none, the instruction takes the packets out of
 * its queues and discards each, and those that rest. Only for nodes of the row at hand, as other
 * rows may be some steps ahead or behind. */
static inline bool attempt_has_room(const struct machine *machine, uint32_t packets)
{
    return machine->attempt.has_discarded == NULL || packets <= machine->config.buffer;
}

void attempt_discard(struct machine *machine, struct tally *tally, enum event_group group,
                     node_index node, uint32_t packet);
void attempt_discard_resting(struct machine *machine, struct tally *tally, enum event_group group,
                             node_index node);

/* Returns the number behind the last one that the machine's packets have in the trace. */
uint64_t trace_next_number(const struct machine *machine);

static inline bool is_single_output(unsigned outputs)
{
    return (outputs & (outputs - 1)) == 0;
}

/* Returns whether `stop` lies ahead of `site` on link `d`, within the mesh. A rule with another
 * stop would send its packet off the mesh. */
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

/* ---- what happens in a step: a thread's counts, and the events that observers are told ---- */

/* Returns whether events are collected: for a trace, or for an observer. What an instruction does
 * may not depend on it; only in which order (machine_steps_at_once), and what it tells. */
static inline bool machine_is_observed(const struct machine *machine)
{
    return machine->is_observed;
}

/* Returns how many steps a row may take at once: `most`, or one in an observed run, because the
 * events of a step are told together, and one where any step may be the last. */
static inline uint32_t machine_steps_at_once(const struct machine *machine, uint32_t most)
{
    return machine_is_observed(machine) || machine->config.receive != NULL ? 1 : most;
}

/* Allocates what only an observed run needs; in other runs *pointer becomes NULL. False: no
 * memory. */
bool machine_observer_memory(const struct machine *machine, void *pointer, size_t count,
                             size_t size);

/* Makes room for `count` more events. False: no memory. */
bool event_list_grow(struct event_list *list, size_t count);
/* Writes and tells the events of all tallies as those of the machine's step, and empties the
 * lists. */
void trace_end_step(struct machine *machine);
/* Tells of a phase that begins. */
void trace_emit_phase(struct machine *machine, const char *name);
/* Tells, when an attempt ends, that all packets which live are discarded. */
void trace_give_up(struct machine *machine);
/* Makes what a trace is written with, if there is one, and writes its first line. False: no
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

/* Returns the packet's name, for an event; it is not read where none are told, as it lies far from
 * all else. */
static inline uint32_t event_name(const struct machine *machine, uint32_t packet)
{
    return machine_is_observed(machine) ? packet_name(&machine->header, packet) : MACHINE_NONE;
}

/* Tells that `packet` crosses the link between two neighbours. */
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

/* Tells that `packet` is discarded at `node`. */
static inline void tally_discard(struct machine *machine, struct tally *tally,
                                 enum event_group group, node_index node, uint32_t packet)
{
    uint32_t name = event_name(machine, packet);
    tally_drop(machine, tally, machine->header.packet[packet].first, packet);
    tally_event(machine, tally, group, (struct machine_event){{node, name, 0}, 'R'});
}

/* Notes in the lists of what nodes expect that `message` comes to `node`. Returns false if an
 * earlier attempt delivered it there. */
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
 * the packet keep_parked (D). If an earlier attempt delivered the message here, nothing is
 * delivered. */
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

/* Tells that `copy` was made of `packet` at `node`. */
static inline void tally_copy_event(const struct machine *machine, struct tally *tally,
                                    enum event_group group, node_index node, uint32_t packet,
                                    uint32_t copy)
{
    uint32_t name = event_name(machine, packet), name_of_copy = event_name(machine, copy);
    tally_event(machine, tally, group, (struct machine_event){{node, name, name_of_copy}, 'C'});
}

/* Counts and tells that `copy` was made of `packet` at `node`; it is under way. */
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
