/* circuit_clock.c - the steps of packets that circulate, and what happens in each.
 *
 * A round passes some links many steps before others. Nothing more can happen up to the earliest step in which the
 * last round passed a link, so the clock advances to there: at once, with a halt only where a node holds more than
 * ever before, or step by step in an observed run. There the steps ahead of the clock are kept: their deliveries
 * and copies as events, and for each link one bit, that it is passed; the number of rounds that have passed it
 * tells which packets cross.
 * On ranks the events ahead of the clock are kept with their order, hops too, as a rank forgets what has left it; rank
 * 0 then sorts those of a step.
 * Cost: a look at all links every 256 rounds; 4 bytes a step ahead of the clock. Observed: 20 bytes a link, a bit for
 * each link and step ahead of the clock, 32 bytes an event there; on ranks 64 bytes an event and hop.
 */
#include "base/extremes.h"
#include "machine/cycle/circuit_place.h"
#include "machine/tally_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_WINDOW = 8 }; /* steps; small, so that short tests see it grow */
#define NO_EVENT SIZE_MAX

struct event_ahead {
    struct machine_event event;
    enum event_group group;
    size_t next; /* of the same step, in the order in which they were noted */
};

/* The steps ahead of the clock, now + 1 .. now + window; step s is at s modulo window, a power of two. */
struct circuit_events {
    uint32_t window, words; /* words: of a step's links */
    uint64_t *passes;       /* [step][word]: a bit for each link that is passed */
    size_t *first, *last;   /* [step]: its events, or NO_EVENT */
    uint32_t *rounds;       /* [link]: that have passed it when the clock is at `now` */
    node_index *node;       /* [link][2]: from which its two places leave */
    uint32_t *slot;         /* [link][2]: the slots that leave there next */
    struct event_ahead *event;
    struct event_order *order;         /* [event]; only on ranks */
    size_t events, event_room, unused; /* unused: a list of those that were told */
};

/* ---- steps ahead of the clock ---- */

static inline uint32_t at_step(const struct circuit_events *events, uint32_t step)
{
    return step & (events->window - 1);
}

static bool allocate_steps(struct circuit_events *events, uint32_t window)
{
    events->window = window;
    events->passes = memory_allocate((size_t)window * events->words, sizeof *events->passes);
    events->first = memory_allocate(window, sizeof *events->first);
    events->last = memory_allocate(window, sizeof *events->last);
    if (events->passes == NULL || events->first == NULL || events->last == NULL)
        return false;
    for (uint32_t step = 0; step < window; step++)
        events->first[step] = NO_EVENT;
    return true;
}

static void free_steps(struct circuit_events *events)
{
    free(events->passes);
    free(events->first);
    free(events->last);
}

static bool grow(struct circuit_call *call, uint32_t window)
{
    struct circuit_events *events = call->events, before = *events;
    if (!allocate_steps(events, window)) {
        free_steps(events);
        *events = before;
        return false;
    }
    for (uint32_t i = 1; i <= before.window; i++) {
        uint32_t from = (call->now + i) % before.window, to = (call->now + i) % window;
        memcpy(events->passes + (size_t)to * events->words,
               before.passes + (size_t)from * events->words,
               events->words * sizeof *events->passes);
        events->first[to] = before.first[from];
        events->last[to] = before.last[from];
    }
    free_steps(&before);
    return true;
}

/* Makes the window reach a step ahead of the clock. False: no memory, and the trace is lost. */
static bool reach_step(struct circuit_call *call, uint32_t step)
{
    uint32_t ahead = step - call->now, window = call->events->window;
    while (window < ahead)
        window *= 2;
    if (window != call->events->window && !grow(call, window))
        call->tally->lost_events = true;
    return !call->tally->lost_events;
}

static size_t new_event(struct circuit_events *events, bool is_split)
{
    size_t index = events->unused;
    if (index != NO_EVENT) {
        events->unused = events->event[index].next;
        return index;
    }
    size_t count = events->events + 1, room = events->event_room;
    if (is_split) {
        struct event_order *order = memory_grow(events->order, &room, count, sizeof *order);
        if (order == NULL)
            return NO_EVENT;
        events->order = order;
    }
    struct event_ahead *event =
        memory_grow(events->event, &events->event_room, count, sizeof *event);
    if (event == NULL)
        return NO_EVENT;
    events->event = event;
    return events->events++;
}

static void note_event(struct circuit_call *call, uint32_t step, enum event_group group,
                       struct machine_event event)
{
    struct circuit_events *events = call->events;
    size_t index = reach_step(call, step) ? new_event(events, call->is_split) : NO_EVENT;
    if (index == NO_EVENT) {
        call->tally->lost_events = true;
        return;
    }
    uint32_t at = at_step(events, step);
    events->event[index] = (struct event_ahead){event, group, NO_EVENT};
    if (call->is_split)
        events->order[index] = call->order;
    if (events->first[at] == NO_EVENT)
        events->first[at] = index;
    else
        events->event[events->last[at]].next = index;
    events->last[at] = index;
}

/* On ranks: notes the hops of this round. They are told behind all else that leaves, by links, which are numbered by
 * their lower places. */
static void note_hops(struct circuit_call *call)
{
    for (uint32_t place = 0; place < call->places; place++) {
        uint32_t slot = circuit_slot_at(call, place, call->round - 1);
        if (circuit_is_foreign(call, place) || call->gone[slot] < call->round)
            continue;
        const uint32_t *ends = &call->ends[2 * (size_t)call->link[place]];
        uint64_t own = circuit_number(call, place);
        uint64_t other = circuit_number(call, ends[ends[0] == place]);
        node_place to = circuit_next_node(call, place);
        uint32_t step = call->copies_are_free ? call->round : circuit_step(call, call->link[place]);
        uint32_t cols = call->machine->config.mesh.cols;
        call->order =
            (struct event_order){UINT64_MAX, 2 * (own < other ? own : other) + (own > other)};
        note_event(call, step, DEPARTURES,
                   (struct machine_event){{call->name[slot], circuit_site(call, place).index,
                                           place_row(to) * cols + place_col(to)},
                                          'M'});
    }
}

void circuit_note_links(struct circuit_call *call)
{
    struct circuit_events *events = call->events;
    if (events == NULL)
        return;
    if (call->is_split) {
        note_hops(call);
        return;
    }
    bool all_at_once = call->copies_are_free;
    if (!reach_step(call, circuit_last_step(call)))
        return;
    const uint32_t *lag = circuit_lags_renew(call);
    uint64_t *passes = events->passes, words = events->words;
    for (uint32_t word = 0; all_at_once && word < words; word++) {
        uint32_t left = call->links - word * 64;
        passes[at_step(events, call->round) * words + word] =
            left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    }
    for (uint32_t link = 0; !all_at_once && link < call->links; link++)
        passes[at_step(events, call->round + lag[link]) * words + link / 64] |= UINT64_C(1)
                                                                                << link % 64;
}

void circuit_note_events(struct circuit_call *call, uint32_t step)
{
    for (int group = 0; group < EVENT_GROUPS; group++) {
        struct event_list *list = &call->tally->events[group];
        for (size_t i = 0; i < list->count; i++)
            note_event(call, step, (enum event_group)group, list->event[i]);
        list->count = 0;
    }
}

/* ---- deliveries ---- */

void circuit_note_deliveries(struct circuit_call *call, uint32_t step, uint64_t count)
{
    uint32_t ahead = step - call->now - 1;
    assert(step > call->now);
    if (call->machine->config.deliveries == 0)
        return;
    if (ahead >= call->made_room) {
        uint32_t room = ahead < 128 ? 256 : ahead > UINT32_MAX / 2 ? UINT32_MAX : 2 * ahead;
        uint32_t *grown = memory_resize(call->made, room, sizeof *grown);
        call->lacks_memory |= grown == NULL;
        if (grown == NULL)
            return;
        memset(grown + call->made_room, 0, (room - call->made_room) * sizeof *grown);
        call->made = grown;
        call->made_room = room;
    }
    call->made[ahead] += (uint32_t)count;
}

/* The clock goes on to step `until` of the call, and forgets the deliveries up to there. */
static void tell_deliveries(struct circuit_call *call, uint32_t until)
{
    enum { AT_ONCE = 256 };
    uint32_t steps = until - call->now;
    uint32_t told = steps < call->made_room ? steps : call->made_room;
    uint32_t all = call->is_split ? steps : told, left = call->made_room - told;
    uint64_t before = call->machine->counts.steps - steps, made[AT_ONCE];
    if (call->machine->config.deliveries == 0)
        return;
    for (uint32_t first = 0, count; first < all; first += count) {
        count = all - first < AT_ONCE ? all - first : AT_ONCE;
        for (uint32_t i = 0; i < count; i++)
            made[i] = first + i < told ? call->made[first + i] : 0;
        ranks_sum(call->machine->config.ranks, made, count, &call->machine->rank_failure);
        for (uint32_t i = 0; i < count; i++)
            delivery_curve_add(call->machine, before + first + i + 1, made[i]);
    }
    if (told == 0)
        return;
    memmove(call->made, call->made + told, left * sizeof *call->made);
    memset(call->made + left, 0, told * sizeof *call->made);
}

/* ---- the clock ---- */

/* Tells that those of 64 links in `passes` are passed: the packets in the slots at both ends cross, and the next
 * slots come there. */
static void tell_links(struct circuit_call *call, uint32_t first, uint64_t passes)
{
    struct circuit_events *events = call->events;
    struct event_list *list = &call->tally->events[DEPARTURES];
    uint32_t length = call->circuit->length;
    if (list->room - list->count < 2 * 64 && !event_list_grow(list, 2 * 64)) {
        call->tally->lost_events = true;
        return;
    }
    struct machine_event *event = list->event + list->count;
    for (; passes != 0; passes &= passes - 1) {
        size_t link = first + (uint32_t)__builtin_ctzll(passes);
        uint32_t round = events->rounds[link]++;
        for (unsigned end = 0; end < 2; end++) {
            uint32_t from = events->node[2 * link + end], to = events->node[2 * link + 1 - end];
            uint32_t slot = events->slot[2 * link + end];
            uint32_t name = packet_name(&call->machine->header, call->packet[slot]);
            *event = (struct machine_event){{name, from, to}, 'M'};
            event += call->gone[slot] > round; /* an empty slot's event is overwritten */
            events->slot[2 * link + end] =
                slot == 0 || slot == length ? slot + length - 1 : slot - 1;
        }
    }
    list->count = (size_t)(event - list->event);
}

/* Does what tell_step() does, on ranks: rank 0 gets the events of all, in order. */
static void tell_step_of_ranks(struct circuit_call *call)
{
    struct circuit_events *events = call->events;
    uint32_t at = at_step(events, call->now + 1);
    size_t count = 0;
    for (size_t index = events->first[at]; index != NO_EVENT; index = events->event[index].next)
        count++;
    struct ordered_event *told = memory_allocate(count + 1, sizeof *told);
    call->tally->lost_events |= told == NULL;
    count = 0;
    for (size_t index = events->first[at], next; index != NO_EVENT; index = next) {
        struct event_ahead *ahead = &events->event[index];
        next = ahead->next;
        if (told != NULL)
            told[count++] =
                (struct ordered_event){ahead->event, ahead->group, events->order[index], 0};
        ahead->next = events->unused;
        events->unused = index;
    }
    events->first[at] = NO_EVENT;
    events_take_sorted(call->machine, told, count);
    free(told);
}

/* Moves the events of the step after the clock to the tally, which is empty. */
static void tell_step(struct circuit_call *call)
{
    if (call->is_split) {
        tell_step_of_ranks(call);
        return;
    }
    struct circuit_events *events = call->events;
    uint32_t at = at_step(events, call->now + 1);
    uint64_t *passes = events->passes + (size_t)at * events->words;
    size_t index = events->first[at];
    while (index != NO_EVENT) {
        struct event_ahead *ahead = &events->event[index];
        size_t next = ahead->next;
        tally_event(call->machine, call->tally, ahead->group, ahead->event);
        ahead->next = events->unused;
        events->unused = index;
        index = next;
    }
    events->first[at] = NO_EVENT;
    for (uint32_t word = 0; word < events->words; word++)
        tell_links(call, word * 64, passes[word]);
    memset(passes, 0, events->words * sizeof *passes);
}

/* Returns the next step, at most `until`, at which the clock halts: where a node first holds more than ever before,
 * or in an observed run any step. */
static uint32_t next_stop(struct circuit_call *call, uint32_t until)
{
    uint32_t next = call->events != NULL && call->now < until ? call->now + 1 : until;
    for (uint32_t held = 1; held <= CIRCUIT_HELD; held++)
        if (call->peak[held].step > call->now && call->peak[held].step < next &&
            held > call->machine->attempt.peak)
            next = call->peak[held].step;
    for (uint32_t held = 1; held <= CIRCUIT_HELD; held++)
        if (call->peak[held].step == next)
            tally_holds(call->tally, call->peak[held].node, held);
    return next;
}

/* Returns the earliest step in which the last round passed a link here: nothing more can happen in it or before. */
static uint32_t last_known(struct circuit_call *call)
{
    const uint32_t *lag = circuit_lags_renew(call);
    uint32_t least = lag[0];
    for (uint32_t link = 1; link < call->links; link++)
        least = lesser(lag[link], least);
    return call->round + least;
}

enum failure_kind circuit_clock_advance(struct circuit_call *call, bool is_over,
                                        struct failure *failure)
{
    uint32_t until = is_over ? call->last : last_known(call);
    if (call->is_split)
        until = circuit_agree_step(call, until, is_over);
    until = until < call->most ? until : call->most;
    enum failure_kind kind = FAIL_NONE;
    while (kind == FAIL_NONE && call->now < until) {
        uint32_t next = next_stop(call, until);
        if (call->events != NULL)
            tell_step(call);
        kind = machine_end_steps(call->machine, next - call->now, failure);
        tell_deliveries(call, next);
        call->now = next;
    }
    return kind;
}

/* ---- memory ---- */

bool circuit_clock_make(struct circuit_call *call)
{
    if (!machine_observer_memory(call->machine, &call->events, 1, sizeof *call->events))
        return false;
    struct circuit_events *events = call->events;
    if (events == NULL)
        return true;
    events->words = call->is_split ? 1 : call->links / 64 + 1;
    events->unused = NO_EVENT;
    if (call->is_split) {
        call->name = memory_allocate(call->places, sizeof *call->name);
        call->stop_order = memory_allocate(call->places, sizeof *call->stop_order);
        return call->name != NULL && call->stop_order != NULL &&
               allocate_steps(events, FIRST_WINDOW);
    }
    events->rounds = memory_allocate(call->links, sizeof *events->rounds);
    events->node = memory_allocate(2 * (size_t)call->links, sizeof *events->node);
    events->slot = memory_allocate(2 * (size_t)call->links, sizeof *events->slot);
    if (!allocate_steps(events, FIRST_WINDOW) || !events->rounds || !events->node || !events->slot)
        return false;
    for (size_t i = 0; i < 2 * (size_t)call->links; i++) {
        events->node[i] = circuit_site(call, call->ends[i]).index;
        events->slot[i] = call->ends[i];
    }
    return true;
}

void circuit_clock_free(struct circuit_call *call)
{
    free(call->made);
    free(call->name);
    free(call->stop_order);
    if (call->events == NULL)
        return;
    free_steps(call->events);
    free(call->events->rounds);
    free(call->events->node);
    free(call->events->slot);
    free(call->events->event);
    free(call->events->order);
    free(call->events);
}

/* Returns the bytes for the first FIRST_WINDOW steps ahead of the clock. What a run keeps beyond them, and its
 * events, cannot be known before. */
uint64_t circuit_clock_footprint(uint64_t places)
{
    const struct circuit_events *events = NULL;
    uint64_t of_step = sizeof *events->first + sizeof *events->last;
    return sizeof *events +
           places * (sizeof *events->rounds + sizeof *events->node + sizeof *events->slot) +
           FIRST_WINDOW * (of_step + (places / 64 + 1) * sizeof *events->passes);
}
