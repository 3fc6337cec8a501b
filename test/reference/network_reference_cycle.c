/* network_reference_cycle.c - the golden model of the network: the rules of a cycle.
 *
 * Their order is that of doc/network.md: startups, grants, moves, giving back. All moves of a cycle
 * are decided before the first flit moves, so each decision sees the state at the beginning of the
 * cycle.
 */
#include "test/reference/network_reference.h"

#include <assert.h>
#include <stdlib.h>

/* ---- 1. startups ---- */

/* Returns the worm of the node that has been ready longest and on which no processor has worked. */
static struct golden_worm *next_to_start(const struct golden *g, uint32_t node)
{
    struct golden_worm *best = NULL;
    for (uint32_t i = 0; i < g->worms; i++) {
        struct golden_worm *worm = g->worm[i];
        if (worm->plan->sender == node && worm->ready <= g->counts.cycle &&
            worm->startup_end == GOLDEN_NEVER && (best == NULL || worm->ready < best->ready))
            best = worm; /* worms are in the order of message and worm */
    }
    return best;
}

void golden_start_worms(struct golden *g)
{
    uint64_t now = g->counts.cycle;
    for (uint32_t i = 0; i < g->worms && g->settings.startup_is_per_port; i++)
        if (g->worm[i]->ready == now)
            g->worm[i]->asks = now;
    for (uint32_t i = 0; i < g->topology->nodes && !g->settings.startup_is_per_port; i++)
        for (struct golden_node *node = &g->node[i];;) {
            if (node->starting != NULL && node->starting->startup_end == now) {
                node->starting->asks = now;
                node->starting = NULL;
            }
            if (node->starting != NULL || (node->starting = next_to_start(g, i)) == NULL)
                break;
            node->starting->startup_end = now + g->settings.startup;
        }
}

/* ---- 2. grants ---- */

uint32_t golden_choices(struct golden *g, const struct golden_part *part,
                        const struct golden_output *output,
                        struct golden_channel *choice[GOLDEN_CHOICES])
{
    uint32_t count = 0;
    if (output->stop == GOLDEN_NOWHERE) {
        struct golden_node *node = &g->node[part->node];
        for (uint32_t c = 0; c < node->consumptions; c++)
            choice[count++] = &node->consumption[c];
        return count;
    }
    struct routing_choice next[ROUTING_CHOICES];
    const struct stop *target = &part->worm->message->plan.stop[output->stop];
    uint32_t all =
        routing_next_stop(g->routing, g->topology, part->node, target->node, target->class, next);
    for (uint32_t i = 0; i < all; i++) {
        struct golden_link *link = &g->link[topology_link(g->topology, part->node, next[i].port)];
        for (uint32_t v = 0; v < g->settings.vcs; v++)
            if (v * g->classes / g->settings.vcs == next[i].class)
                choice[count++] = &link->channel[v];
    }
    return count;
}

/* True if the channel is free; under cut-through it also has room for the whole message. */
static bool may_take(const struct golden *g, const struct golden_part *part,
                     const struct golden_channel *channel)
{
    return channel->owner == NULL &&
           (channel->kind != GOLDEN_VIRTUAL || g->settings.switching != SWITCHING_CUT_THROUGH ||
            golden_flits(channel) + part->worm->flits <= g->settings.buffer);
}

/* True if it is the output's turn. One port: where a header branches under cut-through or
 * store-and-forward, the child before has got all. */
static bool is_its_turn(const struct golden *g, const struct golden_part *part,
                        const struct golden_output *output)
{
    if (!g->settings.is_one_port || golden_is_wormhole(g) || output == part->output ||
        output->stop == GOLDEN_NOWHERE || output[-1].stop == GOLDEN_NOWHERE)
        return true;
    return output[-1].sent == part->worm->flits;
}

static void grant_outputs(struct golden *g, struct golden_part *part)
{
    for (struct golden_output *o = part->output; o < part->output + part->outputs; o++) {
        struct golden_channel *choice[GOLDEN_CHOICES];
        uint32_t choices = golden_choices(g, part, o, choice);
        for (uint32_t i = 0; i < choices && o->channel == NULL && is_its_turn(g, part, o); i++)
            if (may_take(g, part, choice[i])) {
                o->channel = choice[i];
                o->channel->owner = part->worm;
                o->channel->sender = part;
                o->channel->over = o;
            }
    }
}

static void grant_injection(struct golden *g, struct golden_worm *worm)
{
    struct golden_node *node = &g->node[worm->plan->sender];
    struct golden_channel *channel = node->injection, *end = channel + node->injections;
    while (channel < end && channel->owner != NULL)
        channel++;
    if (channel == end)
        return;
    channel->owner = worm;
    worm->part = golden_make_part(g, worm, worm->plan->first, channel, NULL);
    worm->enters = g->counts.cycle + (g->settings.startup_is_per_port ? g->settings.startup : 0);
    golden_add_event(g, 'W',
                     (uint32_t[6]){worm->message->number, worm->number, worm->plan->sender,
                                   channel->number,
                                   worm->flits > worm->message->flits ? worm->flits : 0});
}

/* True if the header asks from this cycle on, if it has not asked before. */
static bool begins_to_ask(const struct golden *g, const struct golden_part *part)
{
    uint64_t came = golden_is_stored(g) ? part->tail_came : part->header_came;
    return came != GOLDEN_NEVER && g->counts.cycle >= came + 1 + g->settings.router_delay &&
           (golden_is_stored(g) || part->before == NULL);
}

/* Either a worm that asks for an injection channel, or a part. */
struct request {
    uint64_t asks;
    struct golden_worm *worm;
    struct golden_part *part;
};

static int compare_requests(const void *one, const void *other)
{
    const struct request *a = one, *b = other;
    if (a->asks != b->asks)
        return a->asks < b->asks ? -1 : 1;
    if (a->part != NULL && b->part != NULL)
        return golden_compare(a->part, b->part);
    if (a->worm->message != b->worm->message)
        return a->worm->message->number < b->worm->message->number ? -1 : 1;
    return a->worm->number < b->worm->number ? -1 : a->worm->number > b->worm->number;
}

void golden_grant_requests(struct golden *g)
{
    struct request *request = calloc(g->worms + g->parts, sizeof *request);
    assert(request != NULL);
    size_t requests = 0;
    for (uint32_t i = 0; i < g->worms; i++)
        if (g->worm[i]->part == NULL && g->worm[i]->asks <= g->counts.cycle)
            request[requests++] = (struct request){g->worm[i]->asks, g->worm[i], NULL};
    for (uint32_t i = 0; i < g->parts; i++) {
        struct golden_part *part = g->part[i];
        if (part->asks == GOLDEN_NEVER && begins_to_ask(g, part))
            part->asks = g->counts.cycle;
        if (part->asks != GOLDEN_NEVER)
            request[requests++] = (struct request){part->asks, part->worm, part};
    }
    qsort(request, requests, sizeof *request, compare_requests);
    for (size_t i = 0; i < requests; i++) {
        if (request[i].part != NULL)
            grant_outputs(g, request[i].part);
        else
            grant_injection(g, request[i].worm);
    }
    free(request);
}

/* ---- 3. moves ---- */

static bool all_could_move(const struct golden *g, const struct golden_part *part);

/* True if the buffer accepts a flit; `inside` is the same worm's part in it, if there is one. */
static bool has_room(const struct golden *g, const struct golden_channel *channel,
                     const struct golden_part *inside)
{
    if (channel->kind == GOLDEN_CONSUMPTION || golden_is_stored(g) ||
        golden_flits(channel) < g->settings.buffer)
        return true;
    bool may_follow = g->settings.vcs == 1 && g->settings.buffer == 1;
    return may_follow && inside != NULL && all_could_move(g, inside);
}

static bool could_move(const struct golden *g, const struct golden_part *part,
                       const struct golden_output *output)
{
    return output->channel != NULL && output->sent < part->entered &&
           has_room(g, output->channel, output->next);
}

static bool all_could_move(const struct golden *g, const struct golden_part *part)
{
    for (uint32_t i = 0; i < part->outputs; i++)
        if (!could_move(g, part, &part->output[i]))
            return false;
    return true;
}

static uint32_t links_of(const struct golden_part *part)
{
    uint32_t links = 0;
    for (uint32_t i = 0; i < part->outputs; i++)
        links += part->output[i].stop != GOLDEN_NOWHERE;
    return links;
}

static void use_link(struct golden_channel *channel, uint32_t vcs)
{
    channel->link->is_used = true;
    channel->link->pointer = (channel->number + 1) % vcs;
}

/* Lockstep: over all outputs of the part. */
static void move_all(struct golden *g, struct golden_part *part)
{
    for (struct golden_output *o = part->output; o < part->output + part->outputs; o++) {
        o->moves = true;
        if (o->stop != GOLDEN_NOWHERE)
            use_link(o->channel, g->settings.vcs);
    }
}

static bool links_are_unused(const struct golden_part *part)
{
    for (uint32_t i = 0; i < part->outputs; i++)
        if (part->output[i].stop != GOLDEN_NOWHERE && part->output[i].channel->link->is_used)
            return false;
    return true;
}

/* Worms that need several links in lockstep choose first, in their order. */
static void move_over_several_links(struct golden *g)
{
    struct golden_part *last = NULL;
    for (;;) {
        struct golden_part *next = NULL;
        for (uint32_t i = 0; i < g->parts; i++) {
            struct golden_part *part = g->part[i];
            if (links_of(part) > 1 && (last == NULL || golden_compare(part, last) > 0) &&
                (next == NULL || golden_compare(part, next) < 0))
                next = part;
        }
        if ((last = next) == NULL)
            return;
        if (all_could_move(g, next) && links_are_unused(next))
            move_all(g, next);
    }
}

/* Sends from the first of the link's virtual channels that can, from the pointer on. */
static void move_over_link(struct golden *g, struct golden_link *link)
{
    uint32_t vcs = g->settings.vcs, pointer = link->pointer;
    for (uint32_t i = 0; i < vcs && !link->is_used; i++) {
        struct golden_channel *channel = &link->channel[(pointer + i) % vcs];
        struct golden_part *part = channel->sender;
        if (channel->owner == NULL)
            continue;
        if (!golden_is_wormhole(g) && could_move(g, part, channel->over)) {
            channel->over->moves = true;
            use_link(channel, vcs);
        } else if (golden_is_wormhole(g) && links_of(part) == 1 && all_could_move(g, part)) {
            move_all(g, part);
        }
    }
}

static void choose_moves(struct golden *g)
{
    for (uint64_t l = 0; l < g->topology->links; l++)
        g->link[l].is_used = false;
    if (golden_is_wormhole(g))
        move_over_several_links(g);
    for (uint64_t l = 0; l < g->topology->links; l++)
        if (g->link[l].to != GOLDEN_NOWHERE)
            move_over_link(g, &g->link[l]);
    for (uint32_t i = 0; i < g->parts; i++)
        for (struct golden_output *o = g->part[i]->output;
             o < g->part[i]->output + g->part[i]->outputs; o++)
            if (o->stop == GOLDEN_NOWHERE && (!golden_is_wormhole(g) || links_of(g->part[i]) == 0))
                o->moves = could_move(g, g->part[i], o);
    for (uint32_t i = 0; i < g->worms; i++) {
        struct golden_worm *worm = g->worm[i];
        worm->moves =
            worm->part != NULL && worm->enters <= g->counts.cycle &&
            worm->part->entered < worm->flits &&
            (!golden_is_circuit(g) || worm->part->entered == 0 || worm->opens <= g->counts.cycle) &&
            has_room(g, worm->part->in, worm->part);
    }
}

static void inject(struct golden *g, struct golden_worm *worm)
{
    golden_add_to_run(g, &worm->run, 'I',
                      (uint32_t[6]){worm->message->number, worm->number, worm->part->node,
                                    worm->part->in->number},
                      4);
    g->counts.startups += worm->part->entered == 0;
    golden_enter(g, worm->part);
}

/* The header has come to the end of its path: the acknowledgement goes back in a cycle for each
 * link. */
static void open_circuit(struct golden *g, const struct golden_part *last)
{
    uint64_t opens = g->counts.cycle + 1;
    for (const struct golden_part *part = last; part->behind != NULL; part = part->behind)
        opens++;
    if (golden_is_circuit(g))
        last->worm->opens = opens;
}

static void consume(struct golden *g, struct golden_part *part, struct golden_output *output)
{
    struct golden_message *message = part->worm->message;
    golden_add_to_run(
        g, &output->run, 'A',
        (uint32_t[6]){message->number, part->worm->number, part->node, output->channel->number}, 4);
    if (++output->sent == 1 && links_of(part) == 0 && part->worm->flits > 1)
        open_circuit(g, part);
    if (output->sent < part->worm->flits)
        return;
    golden_absorb(g, message, part->node);
    output->channel->owner = NULL;
}

static void cross(struct golden *g, struct golden_part *part, struct golden_output *output)
{
    struct golden_channel *channel = output->channel;
    uint32_t field[6] = {part->worm->message->number, part->worm->number, part->node, channel->node,
                         channel->number};
    g->counts.crossings++;
    channel->link->flits++;
    if (output->sent++ == 0) {
        output->next = golden_make_part(g, part->worm, output->stop, channel, part);
        golden_add_event(g, 'H', field);
    } else {
        golden_add_to_run(g, &output->run, 'F', field, 5);
    }
    golden_enter(g, output->next);
    if (output->sent == part->worm->flits && !g->settings.releases_when_left)
        channel->owner = NULL;
}

/* The tail has left the buffer: the part is none any more. */
static void end_part(struct golden *g, struct golden_part *part)
{
    if (part->in->kind == GOLDEN_INJECTION || g->settings.releases_when_left)
        part->in->owner = NULL;
    if (part->in->last == part)
        part->in->last = part->before;
    for (uint32_t i = 0; i < g->parts; i++)
        if (g->part[i]->before == part)
            g->part[i]->before = part->before;
}

/* Moves a flit over each output that was chosen. */
static void move_part(struct golden *g, struct golden_part *part)
{
    uint32_t left = part->worm->flits;
    for (struct golden_output *o = part->output; o < part->output + part->outputs; o++) {
        if (o->moves && o->stop == GOLDEN_NOWHERE)
            consume(g, part, o);
        else if (o->moves)
            cross(g, part, o);
        g->has_moved |= o->moves;
        o->moves = false;
        left = o->sent < left ? o->sent : left;
    }
    part->left = left;
}

void golden_move_flits(struct golden *g)
{
    uint32_t parts = g->parts, living = 0;
    choose_moves(g);
    g->has_moved = false;
    for (uint32_t i = 0; i < g->worms; i++)
        if (g->worm[i]->moves) {
            inject(g, g->worm[i]);
            g->has_moved = true;
        }
    for (uint32_t i = 0; i < parts; i++)
        move_part(g, g->part[i]);
    for (uint32_t i = 0; i < g->parts; i++)
        if (g->part[i]->left == g->part[i]->worm->flits)
            end_part(g, g->part[i]);
    for (uint32_t i = 0; i < g->parts; i++)
        if (g->part[i]->left < g->part[i]->worm->flits)
            g->part[living++] = g->part[i];
    g->parts = living;
}
