/* network_reference.c - the golden model of the network: messages, worms, counts, events.
 *
 * Read doc/network.md and network_reference.h first. This file has messages, worms and their parts,
 * and the end of a cycle; the rules of a cycle are in network_reference_cycle.c, deadlocks in
 * network_reference_deadlock.c. Nothing is fast: each cycle examines each node, link, worm and
 * part.
 */
#include "test/reference/network_reference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *zeroed(size_t size)
{
    void *block = calloc(1, size);
    assert(block != NULL);
    return block;
}

/* ---- the parts of a network ---- */

struct golden *golden_make(const struct topology *topology, const struct routing *routing,
                           const struct network_settings *settings)
{
    struct golden *g = zeroed(sizeof *g);
    g->topology = topology;
    g->routing = routing;
    g->settings = *settings;
    g->classes = routing->classes(topology);
    assert(topology->nodes <= GOLDEN_NODES && topology->links <= GOLDEN_LINKS);
    assert(settings->vcs <= GOLDEN_CHANNELS);
    for (uint32_t l = 0; l < topology->links; l++)
        g->link[l].from = g->link[l].to = GOLDEN_NOWHERE;
    for (uint32_t i = 0; i < topology->nodes; i++) {
        struct golden_node *node = &g->node[i];
        uint32_t degree = 0;
        for (uint32_t port = 0; port < topology_node_ports(topology, i); port++) {
            struct golden_link *link = &g->link[topology_link(topology, i, port)];
            link->from = i;
            link->to = topology_neighbour(topology, i, port);
            degree += link->to != TOPOLOGY_NO_NODE;
            for (uint32_t v = 0; v < settings->vcs; v++)
                link->channel[v] = (struct golden_channel){
                    .kind = GOLDEN_VIRTUAL, .link = link, .number = v, .node = link->to};
        }
        uint32_t all = degree == 0 ? 1 : degree;
        node->injections = settings->is_one_port      ? 1
                           : settings->injection == 0 ? all
                                                      : settings->injection;
        node->consumptions = settings->consumption == 0 ? all : settings->consumption;
        assert(node->injections <= GOLDEN_CHANNELS && node->consumptions <= GOLDEN_CHANNELS);
        for (uint32_t c = 0; c < GOLDEN_CHANNELS; c++) {
            node->injection[c] =
                (struct golden_channel){.kind = GOLDEN_INJECTION, .number = c, .node = i};
            node->consumption[c] =
                (struct golden_channel){.kind = GOLDEN_CONSUMPTION, .number = c, .node = i};
        }
    }
    return g;
}

void golden_free(struct golden *g)
{
    for (uint32_t i = 0; i < g->parts_made; i++)
        free(g->part_made[i]);
    for (uint32_t i = 0; i < g->worms; i++)
        free(g->worm[i]);
    for (uint32_t i = 0; i < g->messages; i++) {
        free(g->message[i]->plan.worm);
        free(g->message[i]->plan.stop);
        free(g->message[i]->times_at_node);
        free(g->message[i]);
    }
    free(g->part_made);
    free(g->message);
    free(g->event);
    free(g);
}

struct golden_event *golden_add_event(struct golden *g, char kind, const uint32_t field[6])
{
    g->event = realloc(g->event, (g->events + 1) * sizeof *g->event);
    assert(g->event != NULL);
    struct golden_event *event = &g->event[g->events++];
    event->cycle = g->counts.cycle;
    event->event.kind = kind;
    memcpy(event->event.field, field, sizeof event->event.field);
    return event;
}

/* One more flit of a run, or the first of a new one; field[count] is the number of flits. */
void golden_add_to_run(struct golden *g, size_t *run, char kind, const uint32_t field[6], int count)
{
    if (*run != 0 && g->event[*run - 1].cycle + 1 == g->counts.cycle) {
        g->event[*run - 1].cycle++;
        g->event[*run - 1].event.field[count]++;
        return;
    }
    golden_add_event(g, kind, field)->event.field[count] = 1;
    *run = g->events;
}

/* ---- messages ---- */

static void copy_plan(struct plan *to, const struct plan *from)
{
    *to = *from;
    to->worm = zeroed((from->worms + 1) * sizeof *to->worm);
    to->stop = zeroed((from->stops + 1) * sizeof *to->stop);
    for (uint32_t i = 0; i < from->worms; i++)
        to->worm[i] = from->worm[i];
    for (uint32_t i = 0; i < from->stops; i++)
        to->stop[i] = from->stop[i];
}

/* Returns the flits of a worm: the message's, and one for each flit full of names that is not its
 * header. */
static uint32_t flits_of_worm(const struct golden *g, uint32_t flits, const struct worm *worm)
{
    uint32_t filled = 0, address = 1;
    while (UINT64_C(1) << address < g->topology->nodes)
        address++;
    uint32_t names = g->settings.header == STOPS_LISTED ? worm->stops : g->topology->nodes;
    for (uint32_t i = 0; i < names && g->settings.header != STOPS_UNNAMED; i++)
        for (uint32_t b = 0; b < (g->settings.header == STOPS_LISTED ? address : 1); b++) {
            if (filled == g->settings.flit_bits) {
                flits++;
                filled = 0;
            }
            filled++;
        }
    return flits;
}

void golden_post(struct golden *g, uint64_t cycle, const struct multicast *multicast,
                 const struct plan *plan)
{
    struct golden_message *message = zeroed(sizeof *message);
    g->message = realloc(g->message, (g->messages + 1) * sizeof(struct golden_message *));
    assert(g->message != NULL && cycle >= g->counts.cycle);
    message->number = g->messages;
    g->message[g->messages++] = message;
    message->source = multicast->source;
    message->flits = multicast->flits;
    message->created = cycle;
    message->delivered = GOLDEN_NEVER;
    message->first_worm = g->worms;
    message->times_at_node = zeroed(g->topology->nodes * sizeof *message->times_at_node);
    copy_plan(&message->plan, plan);
    for (uint32_t s = 0; s < plan->stops; s++)
        message->left += plan->stop[s].is_destination;
    for (uint32_t w = 0; w < plan->worms; w++) {
        struct golden_worm *worm = zeroed(sizeof *worm);
        assert(g->worms < GOLDEN_WORMS);
        g->worm[g->worms++] = worm;
        worm->message = message;
        worm->number = w;
        worm->plan = &message->plan.worm[w];
        worm->flits = flits_of_worm(g, message->flits, worm->plan);
        worm->ready = worm->plan->sender == message->source ? cycle : GOLDEN_NEVER;
        worm->startup_end = worm->asks = worm->enters = worm->opens = GOLDEN_NEVER;
    }
}

static void count_delivery(struct golden *g, uint64_t at)
{
    g->counts.deliveries++;
    if (at > g->counts.last_delivery)
        g->counts.last_delivery = at;
}

static void finish(struct golden *g, struct golden_message *message, uint64_t at)
{
    assert(message->delivered == GOLDEN_NEVER);
    message->delivered = at;
    g->counts.done++;
}

static void create_messages(struct golden *g)
{
    for (uint32_t i = 0; i < g->messages; i++) {
        struct golden_message *message = g->message[i];
        if (message->created != g->counts.cycle)
            continue;
        golden_add_event(g, 'P', (uint32_t[6]){i, message->source, message->flits});
        g->counts.messages++;
        if (message->left == 0)
            finish(g, message, message->created);
    }
}

/* The tail has passed a consumption channel: the node holds the message from the next cycle on, and
 * may send. */
void golden_absorb(struct golden *g, struct golden_message *message, uint32_t node)
{
    assert(message->times_at_node[node]++ == 0);
    count_delivery(g, g->counts.cycle + 1);
    if (--message->left == 0)
        finish(g, message, g->counts.cycle + 1);
    for (uint32_t w = 0; w < message->plan.worms; w++)
        if (message->plan.worm[w].sender == node)
            g->worm[message->first_worm + w]->ready = g->counts.cycle + 1;
}

/* ---- parts ---- */

static uint32_t add_output(struct golden_part *part, uint32_t stop)
{
    assert(part->outputs < GOLDEN_OUTPUTS);
    part->output[part->outputs].stop = stop;
    return part->outputs++;
}

/* The worm gets into the channel's buffer, on its way to a stop or just there. */
struct golden_part *golden_make_part(struct golden *g, struct golden_worm *worm, uint32_t stop,
                                     struct golden_channel *in, struct golden_part *behind)
{
    struct golden_part *part = zeroed(sizeof *part);
    const struct stop *all = worm->message->plan.stop;
    assert(g->parts < GOLDEN_PARTS);
    g->part[g->parts++] = part;
    g->part_made = realloc(g->part_made, (g->parts_made + 1) * sizeof(struct golden_part *));
    assert(g->part_made != NULL);
    g->part_made[g->parts_made++] = part;
    part->worm = worm;
    part->in = in;
    part->before = in->last;
    in->last = part;
    part->behind = behind;
    part->node = in->node;
    part->stop = stop;
    part->header_came = part->tail_came = part->asks = GOLDEN_NEVER;
    if (all[stop].node != part->node) {
        add_output(part, stop);
        return part;
    }
    if (all[stop].is_destination)
        add_output(part, GOLDEN_NOWHERE);
    for (uint32_t child = stop + 1; child < stop + all[stop].span; child += all[child].span)
        add_output(part, child);
    assert(part->outputs > 0);
    return part;
}

void golden_enter(struct golden *g, struct golden_part *part)
{
    if (part->entered++ == 0)
        part->header_came = g->counts.cycle;
    if (part->entered == part->worm->flits)
        part->tail_came = g->counts.cycle;
}

uint32_t golden_flits(const struct golden_channel *channel)
{
    uint32_t flits = 0;
    for (const struct golden_part *p = channel->last; p != NULL; p = p->before)
        flits += p->entered - p->left;
    return flits;
}

int golden_compare(const struct golden_part *one, const struct golden_part *other)
{
    const struct golden_worm *a = one->worm, *b = other->worm;
    if (a->message != b->message)
        return a->message->number < b->message->number ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return one->stop < other->stop ? -1 : one->stop > other->stop;
}

/* ---- the end of a cycle ---- */

uint64_t golden_unsent(const struct golden *g, uint32_t node)
{
    uint64_t unsent = 0;
    for (uint32_t i = 0; i < g->worms; i++)
        unsent += g->worm[i]->plan->sender == node && g->worm[i]->ready < g->counts.cycle &&
                  g->worm[i]->part == NULL;
    return unsent;
}

struct network_channel golden_channel_at(const struct golden *g, uint64_t link, uint32_t vc)
{
    const struct golden_channel *channel = &g->link[link].channel[vc];
    const struct golden_worm *owner = channel->owner;
    return (struct network_channel){.message = owner ? owner->message->number : UINT32_MAX,
                                    .worm = owner ? owner->number : UINT32_MAX,
                                    .flits = golden_flits(channel)};
}

static void take_peaks(struct golden *g)
{
    uint32_t held[GOLDEN_NODES] = {0};
    for (uint32_t i = 0; i < g->parts; i++) {
        const struct golden_part *part = g->part[i];
        uint32_t amount = golden_is_stored(g) ? (held[part->node] += part->entered > 0)
                          : part->in->kind == GOLDEN_VIRTUAL ? golden_flits(part->in)
                                                             : 0;
        if (amount > g->counts.buffer_peak)
            g->counts.buffer_peak = amount;
        if (golden_is_stored(g) && g->settings.buffer > 0 && amount > g->settings.buffer)
            g->failed = FAIL_CHECK;
    }
    for (uint32_t i = 0; i < g->topology->nodes; i++)
        if (golden_unsent(g, i) > g->counts.unsent_peak)
            g->counts.unsent_peak = golden_unsent(g, i);
}

/* True if something will happen by itself in a later cycle. */
static bool is_due_later(const struct golden *g)
{
    uint64_t now = g->counts.cycle;
    for (uint32_t i = 0; i < g->messages; i++)
        if (g->message[i]->created > now)
            return true;
    for (uint32_t i = 0; i < g->worms; i++) {
        const struct golden_worm *worm = g->worm[i];
        if ((worm->startup_end != GOLDEN_NEVER && worm->startup_end > now) ||
            (worm->enters != GOLDEN_NEVER && worm->enters > now) ||
            (worm->opens != GOLDEN_NEVER && worm->opens > now))
            return true;
    }
    for (uint32_t i = 0; i < g->parts; i++)
        if (g->part[i]->before == NULL && g->part[i]->header_came != GOLDEN_NEVER &&
            g->part[i]->header_came + 1 + g->settings.router_delay > now)
            return true;
    return false;
}

bool golden_cycle(struct golden *g)
{
    if (g->failed != FAIL_NONE || g->counts.done == g->messages)
        return false;
    create_messages(g);
    golden_start_worms(g);
    golden_grant_requests(g);
    golden_move_flits(g);
    bool may_be_stuck = !g->has_moved && !is_due_later(g);
    if (!golden_is_stored(g) && (may_be_stuck || g->counts.cycle % 256 == 0) && golden_search(g))
        g->failed = FAIL_CHECK;
    g->counts.cycle++;
    take_peaks(g);
    return true;
}

static int compare_events(const void *one, const void *other)
{
    const struct golden_event *a = one, *b = other;
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle ? -1 : 1;
    if (a->event.kind != b->event.kind)
        return a->event.kind < b->event.kind ? -1 : 1;
    for (int i = 0; i < 6; i++)
        if (a->event.field[i] != b->event.field[i])
            return a->event.field[i] < b->event.field[i] ? -1 : 1;
    return 0;
}

void golden_sort_events(struct golden *g)
{
    if (g->events > 0)
        qsort(g->event, g->events, sizeof *g->event, compare_events);
}
