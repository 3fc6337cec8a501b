/* network_observe.c - reports to an observer: events, runs of flits.
 *
 * Each channel has a run, ejection channels as well: flits of one worm, one per cycle. A run is
 * reported, with the cycle of its last flit, when the next flit has not followed. So the events of
 * a cycle are complete when the next cycle has passed; until then they are kept. An observed
 * network has one band.
 */
#include "network/network_private.h"

#include <stdlib.h>

struct run {
    uint64_t last; /* the cycle of its last flit */
    struct network_event event;
};

struct observation {
    const struct network_observer *observer;
    struct network *network;
    struct run *run; /* of each channel; after them, of each ejection channel; kind 0: none */
    struct index_list open;
    struct seen_list {
        struct network_event *item;
        uint32_t count, allocated;
    } now, before; /* events of this cycle, and of the one before it in which something happened */
    uint64_t cycle, cycle_before;
};

static void keep(struct band *band, struct seen_list *list, struct network_event event)
{
    band_keep(band, LIST_PUSH(list, event));
}

struct observation *observation_make(const struct network_observer *observer,
                                     struct network *network)
{
    const struct topology *topology = network->topology;
    struct observation *observation = memory_allocate(1, sizeof *observation);
    if (observation == NULL)
        return NULL;
    uint64_t consumers = channels_in(topology, network->consumption);
    observation->observer = observer;
    observation->network = network;
    observation->run = memory_allocate(network->entries + consumers, sizeof *observation->run);
    if (observation->run == NULL) {
        free(observation);
        return NULL;
    }
    return observation;
}

/* ---- reporting ---- */

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

static void report(struct observation *observation, uint64_t cycle, struct seen_list *list)
{
    const struct network_observer *observer = observation->observer;
    if (list->count > 1)
        qsort(list->item, list->count, sizeof *list->item, compare_events);
    if (list->count > 0)
        observer->events(observer->context, cycle, list->item, list->count);
    list->count = 0;
}

/* Reports the events of the cycle before, which are complete; those of `observation->cycle` become
 * those of the cycle before. */
static void turn(struct observation *observation)
{
    report(observation, observation->cycle_before, &observation->before);
    struct seen_list empty = observation->before;
    observation->before = observation->now;
    observation->now = empty;
    observation->cycle_before = observation->cycle;
}

/* Ends the runs whose last flit was not in `cycle`; it was in the cycle before. */
static void end_runs(struct observation *observation, struct band *band, uint64_t cycle)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < observation->open.count; i++) {
        uint32_t number = observation->open.item[i];
        struct run *run = &observation->run[number];
        if (run->last == cycle) {
            observation->open.item[open++] = number;
        } else {
            keep(band, &observation->before, run->event);
            run->event.kind = 0;
        }
    }
    observation->open.count = open;
}

/* Turns to the band's cycle, in which something happens. */
static void begin_cycle(struct observation *observation, struct band *band)
{
    if (observation->cycle == band->cycle)
        return;
    turn(observation);
    observation->cycle = band->cycle;
}

void observe_cycle(struct observation *observation, uint64_t cycle, bool is_over)
{
    struct band *band = observation->network->band;
    if (cycle == 0)
        return;
    begin_cycle(observation, band);
    end_runs(observation, band, cycle - 1);
    if (!is_over)
        return;
    turn(observation);
    end_runs(observation, band, cycle);
    turn(observation);
}

void observation_free(struct observation *observation)
{
    if (observation == NULL)
        return;
    free(observation->run);
    free(observation->open.item);
    free(observation->now.item);
    free(observation->before.item);
    free(observation);
}

/* ---- events ---- */

void observe_event(struct band *band, struct network_event event)
{
    struct observation *observation = band->network->observation;
    begin_cycle(observation, band);
    keep(band, &observation->now, event);
}

/* Adds a flit to a run; `event` is that of its first flit, and its field `count` counts. `begins`:
 * the flit begins a run even if one was in the cycle before. */
static void observe_run(struct band *band, uint32_t number, struct network_event event,
                        uint32_t count, bool begins)
{
    struct observation *observation = band->network->observation;
    struct run *run = &observation->run[number];
    begin_cycle(observation, band);
    if (run->event.kind != 0 && !begins && run->last + 1 == band->cycle) {
        run->event.field[count]++;
    } else {
        if (run->event.kind != 0)
            keep(band, &observation->before, run->event);
        else
            band_keep(band, LIST_PUSH(&observation->open, number));
        run->event = event;
        run->event.field[count] = 1;
    }
    run->last = band->cycle;
}

void observe_channel(struct band *band, uint32_t node, const struct message *message, uint32_t stop,
                     uint32_t channel, bool is_header)
{
    const struct network *network = band->network;
    uint32_t number = message->number, worm = message->stop[stop].worm;
    if (!is_link_channel(network, channel)) {
        uint32_t first =
            network->link_entries + channel_base(network->topology, network->injection, node);
        observe_run(band, channel,
                    (struct network_event){'I', {number, worm, node, channel - first}}, 4,
                    is_header);
        return;
    }
    struct network_event event = {'H',
                                  {number, worm, node, channel_at(network, channel)->to,
                                   channel - channel_link(network, channel) - 1}};
    if (is_header) {
        observe_event(band, event);
        return;
    }
    event.kind = 'F';
    observe_run(band, channel, event, 5, false);
}

void observe_ejection(struct band *band, uint32_t node, const struct message *message,
                      uint32_t stop, uint32_t channel, bool is_header)
{
    const struct network *network = band->network;
    uint32_t run =
        network->entries + channel + channel_base(network->topology, network->consumption, node);
    struct network_event event = {'A', {message->number, stop_worm(message, stop), node, channel}};
    observe_run(band, run, event, 4, is_header);
}
