/* network_watch.c - what an observer sees: events, runs of flits.
 *
 * Each lane and consumption channel has a run: flits of one worm, one a cycle. A run is told with the cycle of its
 * last flit when the next one has not followed, so the events of a cycle are complete when the
 * next one has passed; until then they are kept. An observed network has one band.
 */
#include "network/network_steps_private.h"

#include <stdlib.h>

struct run {
    uint64_t last; /* the cycle of its last flit */
    struct network_event event;
};

struct watch {
    const struct network_observer *observer;
    const struct network *network;
    struct run *run; /* of each lane; behind them, of each consumption channel; kind 0: none */
    struct index_list open;
    struct event_list {
        struct network_event *item;
        uint32_t count, room;
    } now, before; /* events of this cycle, and of the one before it in which something happened */
    uint64_t cycle, cycle_before;
};

static void keep(struct band *band, struct event_list *list, struct network_event event)
{
    if (list->count == list->room) {
        void *more = list_grow(list->item, &list->room, sizeof *list->item);
        if (more == NULL) {
            band->is_out_of_memory = true;
            return;
        }
        list->item = more;
    }
    list->item[list->count++] = event;
}

struct watch *watch_make(const struct network_observer *observer, const struct network *network)
{
    const struct topology *topology = network->topology;
    struct watch *watch = memory_allocate(1, sizeof *watch);
    if (watch == NULL)
        return NULL;
    uint64_t consumers = network->consumption > 0 ? (uint64_t)topology->nodes * network->consumption
                                                  : topology->links + 1;
    watch->observer = observer;
    watch->network = network;
    watch->run = memory_allocate(network->slots + consumers, sizeof *watch->run);
    if (watch->run == NULL) {
        free(watch);
        return NULL;
    }
    return watch;
}

/* ---- telling ---- */

static int compare_events(const void *one, const void *other)
{
    const struct network_event *a = one, *b = other;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 6; i++)
        if (a->field[i] != b->field[i])
            return a->field[i] < b->field[i] ? -1 : 1;
    return 0;
}

static void tell(struct watch *watch, uint64_t cycle, struct event_list *list)
{
    if (list->count > 1)
        qsort(list->item, list->count, sizeof *list->item, compare_events);
    if (list->count > 0)
        watch->observer->events(watch->observer->context, cycle, list->item, list->count);
    list->count = 0;
}

/* The events of the cycle before are complete; those of `watch->cycle` become those of the cycle before. */
static void turn(struct watch *watch)
{
    tell(watch, watch->cycle_before, &watch->before);
    struct event_list empty = watch->before;
    watch->before = watch->now;
    watch->now = empty;
    watch->cycle_before = watch->cycle;
}

/* Ends the runs whose last flit was not in `cycle`; it was in the cycle before. */
static void end_runs(struct watch *watch, struct band *band, uint64_t cycle)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < watch->open.count; i++) {
        uint32_t number = watch->open.item[i];
        struct run *run = &watch->run[number];
        if (run->last == cycle) {
            watch->open.item[open++] = number;
        } else {
            keep(band, &watch->before, run->event);
            run->event.kind = 0;
        }
    }
    watch->open.count = open;
}

/* Something happens in the band's cycle. */
static void begin_cycle(struct watch *watch, struct band *band)
{
    if (watch->cycle == band->cycle)
        return;
    turn(watch);
    watch->cycle = band->cycle;
}

void watch_cycle(struct watch *watch, uint64_t cycle, bool is_over)
{
    struct band *band = watch->network->band;
    if (cycle == 0)
        return;
    begin_cycle(watch, band);
    end_runs(watch, band, cycle - 1);
    if (!is_over)
        return;
    turn(watch);
    end_runs(watch, band, cycle);
    turn(watch);
}

void watch_free(struct watch *watch)
{
    watch_cycle(watch, watch->network->cycle, true);
    free(watch->run);
    free(watch->open.item);
    free(watch->now.item);
    free(watch->before.item);
    free(watch);
}

/* ---- what happens ---- */

void watch_event(struct band *band, struct network_event event)
{
    struct watch *watch = band->network->watch;
    begin_cycle(watch, band);
    keep(band, &watch->now, event);
}

/* A flit of a run; `event` is that of its first one, and its field `count` counts. `begins`: the flit begins a
 * run even where one was in the cycle before. */
static void watch_run(struct band *band, uint32_t number, struct network_event event,
                      uint32_t count, bool begins)
{
    struct watch *watch = band->network->watch;
    struct run *run = &watch->run[number];
    begin_cycle(watch, band);
    if (run->event.kind != 0 && !begins && run->last + 1 == band->cycle) {
        run->event.field[count]++;
    } else {
        if (run->event.kind != 0)
            keep(band, &watch->before, run->event);
        else
            band_keep(band, index_push(&watch->open, number));
        run->event = event;
        run->event.field[count] = 1;
    }
    run->last = band->cycle;
}

void watch_lane(struct band *band, uint32_t node, const struct message *message, uint32_t stop,
                uint32_t lane, bool is_header)
{
    const struct network *network = band->network;
    uint32_t number = message->number, worm = message->stop[stop].worm;
    if (!is_link_lane(network, lane)) {
        uint32_t first =
            network->link_slots + channel_base(network->topology, network->injection, node);
        watch_run(band, lane, (struct network_event){'I', {number, worm, node, lane - first}}, 4,
                  is_header);
        return;
    }
    struct network_event event = {
        'H', {number, worm, node, lane_at(network, lane)->to, lane - lane_link(network, lane) - 1}};
    if (is_header) {
        watch_event(band, event);
        return;
    }
    event.kind = 'F';
    watch_run(band, lane, event, 5, false);
}

void watch_consumption(struct band *band, const struct part *part, uint32_t channel, bool is_header)
{
    const struct network *network = band->network;
    uint32_t number = network->slots + channel +
                      channel_base(network->topology, network->consumption, part->node);
    struct network_event event = {'A',
                                  {part->message->number, part_worm(part), part->node, channel}};
    watch_run(band, number, event, 4, is_header);
}
