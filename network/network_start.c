/* network_start.c - what begins in a cycle: messages, startups, worms that enter the network.
 *
 * A sender has two queues, both in the order (since when, message, worm): worms that are ready for its processor,
 * and worms that ask for an injection channel. Without startups, and where each port starts up by itself, worms go
 * straight to the second one.
 */
#include "network/network_pass_private.h"

static bool precedes(const struct sending *one, const struct sending *other)
{
    if (one->since != other->since)
        return one->since < other->since;
    if (one->message->number != other->message->number)
        return one->message->number < other->message->number;
    return one->number < other->number;
}

/* Most worms join the end. */
static void join(struct sending **first, struct sending **last, struct sending *sending)
{
    struct sending *before = *last;
    while (before != NULL && precedes(sending, before))
        before = before->before;
    sending->before = before;
    sending->next = before != NULL ? before->next : *first;
    *(before != NULL ? &before->next : first) = sending;
    *(sending->next != NULL ? &sending->next->before : last) = sending;
}

static struct sending *take_first(struct sending **first, struct sending **last)
{
    struct sending *taken = *first;
    *first = taken->next;
    *(taken->next != NULL ? &taken->next->before : last) = NULL;
    return taken;
}

/* Whether worms wait for the node's processor. */
static bool has_processor(const struct network *network)
{
    return network->settings.startup > 0 && !network->settings.startup_is_per_port;
}

/* Lets a worm stand in the queues of its sender from this cycle on. */
static void sender_ready(struct band *band, struct sending *sending)
{
    struct sender *sender = &band->network->sender[sending->sender];
    sending->since = band->cycle;
    sender->unsent++;
    if (has_processor(band->network))
        join(&sender->first, &sender->last, sending);
    else
        join(&sender->first_waiting, &sender->last_waiting, sending);
    touch(band, sending->sender);
    band->network->node[sending->sender].has_sendings = true;
}

static void startup_ended(struct band *band, struct sending *sending)
{
    struct sender *sender = &band->network->sender[sending->sender];
    sending->since = band->cycle;
    join(&sender->first_waiting, &sender->last_waiting, sending);
    sender->is_busy = false;
    touch(band, sending->sender);
    band->network->node[sending->sender].has_sendings = true;
}

static void create(struct band *band, struct message *message)
{
    band->counts.messages++;
    if (band->network->observation != NULL)
        observe_event(
            band, (struct network_event){'P', {message->number, message->source, message->flits}});
    if (message->left == 0) {
        band->counts.done++;
        band_keep(band, finished_push(&band->finished, (struct finished){message, band->cycle}));
    }
    for (uint32_t worm = message->sends; worm != NONE; worm = message->worm[worm].other)
        sender_ready(band, &message->worm[worm]);
}

/* Returns the worm's flits, with those that name its stops. */
static inline uint32_t flits_of(const struct network *network, const struct sending *sending)
{
    const struct message *message = sending->message;
    if (network->settings.header == STOPS_UNNAMED)
        return message->flits;
    return message->flits + (uint32_t)network_header_flits(&network->settings,
                                                           network->topology->nodes,
                                                           message->stop[sending->stop].span);
}

/* A worm passes its flits over an injection channel. */
static bool feed(struct band *band, const struct sending *sending, uint32_t flits, uint32_t channel)
{
    struct network *network = band->network;
    uint32_t id = part_make(band);
    if (id == NONE)
        return false;
    channel_at(network, channel)->owner = id;
    band->part[id] =
        (struct part){.message = sending->message,
                      .since = band->cycle,
                      .flits = flits,
                      .is_feeder = true,
                      .has_asked = true,
                      .in = network->is_circuit ? 1 : flits,
                      .inlet = NONE,
                      .node = sending->sender,
                      .stop = sending->stop,
                      .next = NONE,
                      .outputs = 1,
                      .way.one = {.channel = channel, .stop = sending->stop, .requests = NONE}};
    if (network->settings.startup_is_per_port && network->settings.startup > 0)
        schedule(band, band->cycle + network->settings.startup,
                 (struct event){.of.ask = {id, 0}, .kind = EVENT_FEED});
    else
        list_mover(band, id);
    return true;
}

/* A worm gets a free injection channel. Its buffer is empty, so a single flit that need not wait passes at once. */
static bool inject(struct band *band, const struct sending *sending)
{
    struct network *network = band->network;
    struct node *node = &network->node[sending->sender];
    uint32_t number = (uint32_t)__builtin_ctzll(node->free_injection);
    uint32_t flits = flits_of(network, sending);
    uint32_t channel = network->link_records + number +
                       channel_base(network->topology, network->injection, sending->sender);
    bool is_at_once =
        flits == 1 && !(network->settings.startup_is_per_port && network->settings.startup > 0);
    if (!is_at_once && !feed(band, sending, flits, channel))
        return false;
    if (network->observation != NULL)
        observe_event(band, (struct network_event){'W',
                                                   {sending->message->number, sending->number,
                                                    sending->sender, number,
                                                    flits > sending->message->flits ? flits : 0}});
    node->free_injection &= node->free_injection - 1;
    band->counts.taken++;
    if (is_at_once)
        pass_header(band, sending->sender,
                    (struct head){.message = sending->message,
                                  .channel = channel,
                                  .stop = sending->stop,
                                  .flits = 1,
                                  .bearing = {.link = NONE}});
    return true;
}

void ask_later(struct band *band, uint32_t id, uint64_t due, uint64_t next)
{
    band_keep(band, wheel_push(&band->wheel, next, due,
                               (struct event){.of.ask = {id, 0}, .kind = EVENT_ASK}));
}

void sender_serve(struct band *band, uint32_t place)
{
    struct network *network = band->network;
    struct node *node = &network->node[place];
    struct sender *sender = &network->sender[place];
    if (sender->first != NULL && !sender->is_busy) {
        struct sending *sending = take_first(&sender->first, &sender->last);
        sender->is_busy = true;
        schedule(band, band->cycle + network->settings.startup,
                 (struct event){.of.sending = sending, .kind = EVENT_STARTED});
    }
    while (sender->first_waiting != NULL && node->free_injection != 0) {
        if (!inject(band, sender->first_waiting))
            return;
        take_first(&sender->first_waiting, &sender->last_waiting);
        sender->unsent--;
    }
    node->has_sendings = sender->first != NULL || sender->first_waiting != NULL;
    if (band->counts.unsent_peak < sender->unsent)
        band->counts.unsent_peak = sender->unsent;
}

/* Passes the acknowledgement of a circuit on towards the sender, whose other flits may then leave. */
static void acknowledge(struct band *band, uint32_t id)
{
    struct part *part = &band->part[id];
    if (!part->is_feeder) {
        band_keep(band, index_push(&mail_to_channel(band, part->inlet)->credits, part->inlet));
        return;
    }
    part->in = part->flits;
    list_mover(band, id);
}

void band_start(struct band *band)
{
    struct event event;
    while (wheel_take(&band->wheel, band->cycle, &event)) {
        switch ((enum event_kind)event.kind) {
        case EVENT_CREATE:
            create(band, event.of.message);
            break;
        case EVENT_READY:
            sender_ready(band, event.of.sending);
            break;
        case EVENT_STARTED:
            startup_ended(band, event.of.sending);
            break;
        case EVENT_FEED:
            list_mover(band, event.of.ask.part);
            break;
        case EVENT_ASK:
            add_newcomer(band, event.of.ask.part);
            break;
        case EVENT_CHILD:
            grant_ask_again(band, event.of.ask.part, event.of.ask.output);
            break;
        case EVENT_ACKNOWLEDGE:
            acknowledge(band, event.of.ask.part);
            break;
        }
    }
}
