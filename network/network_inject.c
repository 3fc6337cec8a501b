/* network_inject.c - events at the beginning of a cycle: messages, startups, worms that enter the
 * network.
 *
 * A source has two queues, both in the order (first cycle of waiting, message, worm): worms that
 * are ready for its processor, and worms that ask for an injection channel. Without startups, and
 * with startups per port, worms go straight to the second one.
 */
#include "network/network_private.h"

static bool precedes(const struct queued_worm *one, const struct queued_worm *other)
{
    if (one->since != other->since)
        return one->since < other->since;
    if (one->message->number != other->message->number)
        return one->message->number < other->message->number;
    return one->number < other->number;
}

/* Adds a worm to a queue; most join the end. */
static void join(struct queued_worm **first, struct queued_worm **last, struct queued_worm *worm)
{
    struct queued_worm *before = *last;
    while (before != NULL && precedes(worm, before))
        before = before->before;
    worm->before = before;
    worm->next = before != NULL ? before->next : *first;
    *(before != NULL ? &before->next : first) = worm;
    *(worm->next != NULL ? &worm->next->before : last) = worm;
}

static struct queued_worm *take_first(struct queued_worm **first, struct queued_worm **last)
{
    struct queued_worm *taken = *first;
    *first = taken->next;
    *(taken->next != NULL ? &taken->next->before : last) = NULL;
    return taken;
}

/* True if worms wait for the processors of their nodes. */
static bool has_processors(const struct network *network)
{
    return network->settings.startup > 0 && !network->settings.startup_is_per_port;
}

/* True if a worm that has an injection channel starts up before it uses it. */
static bool has_port_startups(const struct network *network)
{
    return network->settings.startup > 0 && network->settings.startup_is_per_port;
}

/* Lets a worm wait at its source from this cycle on: for an injection channel, or first for the
 * processor. */
static void join_source(struct band *band, struct queued_worm *worm, bool is_for_processor)
{
    struct source *source = &band->network->source[worm->sender];
    worm->since = band->cycle;
    if (is_for_processor)
        join(&source->first, &source->last, worm);
    else
        join(&source->first_waiting, &source->last_waiting, worm);
    activate_source(band, worm->sender);
}

static void worm_ready(struct band *band, struct queued_worm *worm)
{
    join_source(band, worm, has_processors(band->network));
    band->network->source[worm->sender].unsent++;
}

static void create(struct band *band, struct message *message)
{
    band->counts.messages++;
    if (band->network->observation != NULL)
        observe_event(
            band, (struct network_event){'P', {message->number, message->source, message->flits}});
    if (message->left == 0) {
        band->counts.done++;
        band_keep(band, LIST_PUSH(&band->finished, (struct finished){message, band->cycle}));
    }
    for (uint32_t worm = message->sends; worm != NONE; worm = message->worm[worm].other)
        worm_ready(band, &message->worm[worm]);
}

/* ---- injection channels ---- */

/* Returns the worm's flits, with those that name its stops. */
static uint32_t flits_of(const struct network *network, const struct queued_worm *worm)
{
    const struct message *message = worm->message;
    if (network->settings.header == STOPS_UNNAMED)
        return message->flits;
    return message->flits + (uint32_t)network_header_flits(&network->settings,
                                                           network->topology->nodes,
                                                           message->stop[worm->stop].span);
}

/* Makes the feeder that sends a worm's flits over an injection channel. False: no memory. */
static bool feed(struct band *band, const struct queued_worm *worm, uint32_t flits,
                 uint32_t channel)
{
    struct network *network = band->network;
    uint32_t id = segment_make(band);
    if (id == NONE)
        return false;
    channel_at(network, channel)->owner = id;
    band->segment[id] =
        (struct segment){.message = worm->message,
                         .since = band->cycle,
                         .flits = flits,
                         .is_feeder = true,
                         .has_asked = true,
                         .in = network->switching == SWITCHING_CIRCUIT ? 1 : flits,
                         .inlet = NONE,
                         .node = worm->sender,
                         .stop = worm->stop,
                         .next = NONE,
                         .outputs = 1,
                         .way.one = {.channel = channel, .stop = worm->stop, .requests = NONE}};
    if (has_port_startups(network))
        schedule(band, band->cycle + network->settings.startup,
                 (struct event){.of.ask = {id, 0}, .kind = EVENT_FEED});
    else
        list_mover(band, id);
    return true;
}

/* Gives a worm a free injection channel. Its buffer is empty, so a single flit that need not wait
 * passes at once. */
static bool inject(struct band *band, const struct queued_worm *worm)
{
    struct network *network = band->network;
    struct node *node = &network->node[worm->sender];
    uint32_t number = (uint32_t)__builtin_ctzll(node->free_injection);
    uint32_t flits = flits_of(network, worm);
    uint32_t channel = network->link_entries + number +
                       channel_base(network->topology, network->injection, worm->sender);
    bool is_at_once = flits == 1 && !has_port_startups(network);
    if (!is_at_once && !feed(band, worm, flits, channel))
        return false;
    if (network->observation != NULL)
        observe_event(band,
                      (struct network_event){'W',
                                             {worm->message->number, worm->number, worm->sender,
                                              number, flits > worm->message->flits ? flits : 0}});
    node->free_injection &= node->free_injection - 1;
    band->counts.taken++;
    if (is_at_once)
        send_header(band, worm->sender,
                    &(struct header){.message = worm->message,
                                     .channel = channel,
                                     .stop = worm->stop,
                                     .flits = 1,
                                     .route = {.link = NONE}});
    return true;
}

/* Starts the next startup of a source and grants its free injection channels. */
static void serve_source(struct band *band, uint32_t place)
{
    struct network *network = band->network;
    struct node *node = &network->node[place];
    struct source *source = &network->source[place];
    if (source->first != NULL && !source->is_busy) {
        struct queued_worm *worm = take_first(&source->first, &source->last);
        source->is_busy = true;
        schedule(band, band->cycle + network->settings.startup,
                 (struct event){.of.worm = worm, .kind = EVENT_STARTED});
    }
    while (source->first_waiting != NULL && node->free_injection != 0) {
        if (!inject(band, source->first_waiting))
            return;
        take_first(&source->first_waiting, &source->last_waiting);
        source->unsent--;
    }
    node->has_waiting_worms = source->first_waiting != NULL;
    if (band->counts.unsent_peak < source->unsent)
        band->counts.unsent_peak = source->unsent;
}

/* Passes the acknowledgement of a circuit on towards its source, whose other flits may then
 * leave. */
static void acknowledge(struct band *band, uint32_t id)
{
    struct segment *segment = &band->segment[id];
    if (!segment->is_feeder) {
        band_keep(band,
                  LIST_PUSH(&outbox_to_channel(band, segment->inlet)->credits, segment->inlet));
        return;
    }
    segment->in = segment->flits;
    list_mover(band, id);
}

static void take_event(struct band *band, struct event event)
{
    switch ((enum event_kind)event.kind) {
    case EVENT_CREATE:
        create(band, event.of.message);
        break;
    case EVENT_READY:
        worm_ready(band, event.of.worm);
        break;
    case EVENT_STARTED:
        band->network->source[event.of.worm->sender].is_busy = false;
        join_source(band, event.of.worm, false);
        break;
    case EVENT_FEED:
        list_mover(band, event.of.ask.segment);
        break;
    case EVENT_ASK:
        segment_ask_from(band, event.of.ask.segment, band->cycle, band->cycle);
        break;
    case EVENT_CHILD:
        ask_next_output(band, event.of.ask.segment, event.of.ask.output);
        break;
    case EVENT_ACKNOWLEDGE:
        acknowledge(band, event.of.ask.segment);
        break;
    }
}

void band_begin(struct band *band)
{
    struct event event;
    while (wheel_take(&band->wheel, band->cycle, &event))
        take_event(band, event);
}

void band_inject(struct band *band)
{
    for (uint32_t i = 0; i < band->sources.count; i++) {
        uint32_t place = band->sources.item[i];
        band->network->node[place].is_source_active = false;
        serve_source(band, place);
    }
    band->sources.count = 0;
}
