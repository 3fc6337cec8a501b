/* network_border.c - what crosses between the nodes of two ranks.
 *
 * Neighbours of a mesh or torus exchange a message each per cycle (ranks_post()); of a graph any two ranks can have
 * links, and all swap (ranks_swap()). A message is numbers of 32 bits: how many words of heads, bodies and credits, then these.
 * A head brings what the next router needs; its message's number stands for the message.
 */
#include "network/network_ranks_private.h"

#include "network/network_pass_private.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTS = 3 /* words at the beginning of a message */, MOST_TOLD = 64 /* outboxes */ };

/* As words; if has_plan, the plan follows: its stops, then its worms. */
struct sent_head {
    uint32_t message, channel, stop, flits;
    struct bearing bearing;
    uint32_t has_plan;
};

struct sent_plan {
    uint32_t flits, source, stops, worms;
};

struct sent_worm {
    uint32_t sender, stop, other;
};

static_assert(sizeof(struct stop_copy) % sizeof(uint32_t) == 0, "a stop is sent as words");

/* ---- mail to other ranks ---- */

static uint32_t outbox_of(const struct network *network, uint32_t node)
{
    const struct network_ranks *own = network->ranks;
    if (own->is_graph)
        return ranks_owner(own->ranks, own->rows, node);
    /* A link leads to the next row, or around */
    if (node >= network->end)
        return node - network->end < own->row ? RANK_BEHIND : RANK_BEFORE;
    return network->first - node <= own->row ? RANK_BEFORE : RANK_BEHIND;
}

/* This rank has no memory: the others learn it when its user ends. */
static void rank_fails(struct network *network, const char *purpose)
{
    fail_memory(&network->failure, purpose);
    ranks_break(network->ranks->ranks, &network->failure);
}

struct border_mail *border_mail_to(struct network *network, uint32_t node)
{
    return &network->ranks->outbox[outbox_of(network, node)];
}

void border_mail_push(struct network *network, struct index_list *list, uint32_t word)
{
    if (!index_push(list, word))
        rank_fails(network, "a message to another rank");
}

static void push_words(struct network *network, struct index_list *list, const void *words,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        border_mail_push(network, list, ((const uint32_t *)words)[i]);
}

static void read_mail(const void *bytes,
                      void (*read)(void *context, const struct border_mail *mail), void *context)
{
    uint32_t counts[COUNTS];
    memcpy(counts, bytes, sizeof counts);
    uint32_t *heads = (uint32_t *)(uintptr_t)bytes + COUNTS;
    read(context, &(struct border_mail){{heads, counts[0], 0},
                                        {heads + counts[0], counts[1], 0},
                                        {heads + counts[0] + counts[1], counts[2], 0}});
}

static size_t mail_words(const struct border_mail *mail)
{
    return (size_t)COUNTS + mail->heads.count + mail->bodies.count + mail->credits.count;
}

/* Put or copy the lists of `mail`, one behind the other, and empty it. */
static bool put_mail(struct network *network, enum rank_side side, struct border_mail *mail)
{
    struct ranks *ranks = network->ranks->ranks;
    struct failure *failure = &network->failure;
    uint32_t counts[COUNTS] = {mail->heads.count, mail->bodies.count, mail->credits.count};
    const struct index_list *list[] = {&mail->heads, &mail->bodies, &mail->credits};
    if (ranks_put(ranks, side, counts, sizeof counts, failure) != FAIL_NONE)
        return false;
    for (int i = 0; i < COUNTS; i++)
        if (list[i]->count > 0 &&
            ranks_put(ranks, side, list[i]->item, list[i]->count * sizeof(uint32_t), failure) !=
                FAIL_NONE)
            return false;
    mail->heads.count = mail->bodies.count = mail->credits.count = 0;
    return true;
}

static char *copy_mail(char *to, struct border_mail *mail)
{
    uint32_t counts[COUNTS] = {mail->heads.count, mail->bodies.count, mail->credits.count};
    const struct index_list *list[] = {&mail->heads, &mail->bodies, &mail->credits};
    memcpy(to, counts, sizeof counts);
    to += sizeof counts;
    for (int i = 0; i < COUNTS; i++) {
        if (list[i]->count > 0)
            memcpy(to, list[i]->item, list[i]->count * sizeof(uint32_t));
        to += list[i]->count * sizeof(uint32_t);
    }
    mail->heads.count = mail->bodies.count = mail->credits.count = 0;
    return to;
}

static bool exchange_with_neighbours(struct network *network,
                                     void (*read)(void *context, const struct border_mail *mail),
                                     void *context)
{
    struct network_ranks *own = network->ranks;
    for (int side = 0; side < RANK_SIDES; side++)
        if (ranks_has(own->ranks, side, own->wraps) &&
            (!put_mail(network, side, &own->outbox[side]) ||
             ranks_post(own->ranks, side, &network->failure) != FAIL_NONE))
            return false;
    for (int side = 0; side < RANK_SIDES; side++) {
        const void *message;
        size_t bytes;
        if (!ranks_has(own->ranks, side, own->wraps))
            continue;
        if (ranks_wait(own->ranks, side, &message, &bytes, &network->failure) != FAIL_NONE)
            return false;
        read_mail(message, read, context);
    }
    return network->failure.kind == FAIL_NONE;
}

static bool swap_with_all(struct network *network,
                          void (*read)(void *context, const struct border_mail *mail),
                          void *context)
{
    struct network_ranks *own = network->ranks;
    size_t total = 0, *count = memory_allocate(own->outboxes, sizeof *count);
    for (uint32_t r = 0; r < own->outboxes && count != NULL; r++)
        total += count[r] = mail_words(&own->outbox[r]) * sizeof(uint32_t);
    char *words = count == NULL ? NULL : memory_allocate(total, 1), *to = words;
    void *came = NULL;
    if (words == NULL) {
        rank_fails(network, "a message to another rank");
    } else {
        for (uint32_t r = 0; r < own->outboxes; r++)
            to = copy_mail(to, &own->outbox[r]);
        if (ranks_swap(own->ranks, words, count, &came, &network->failure) == FAIL_NONE) {
            const char *from = came;
            for (uint32_t r = 0; r < own->outboxes; from += count[r++])
                read_mail(from, read, context);
        }
    }
    free(came);
    free(words);
    free(count);
    return network->failure.kind == FAIL_NONE;
}

bool border_mail_exchange(struct network *network,
                          void (*read)(void *context, const struct border_mail *mail),
                          void *context)
{
    if (network->failure.kind != FAIL_NONE)
        return false;
    return network->ranks->is_graph ? swap_with_all(network, read, context)
                                    : exchange_with_neighbours(network, read, context);
}

/* ---- out ---- */

static void push_plan(struct network *network, struct index_list *list,
                      const struct message *message)
{
    struct sent_plan plan = {message->flits, message->source, message_stops(message),
                             message->worms};
    push_words(network, list, &plan, WORDS(struct sent_plan));
    for (uint32_t s = 0; s < plan.stops; s++) {
        struct stop_copy stop = message->stop[s];
        stop.is_served = 0;
        push_words(network, list, &stop, WORDS(struct stop_copy));
    }
    for (uint32_t w = 0; w < plan.worms; w++) {
        const struct sending *sending = &message->worm[w];
        push_words(network, list,
                   &(struct sent_worm){sending->sender, sending->stop, sending->other},
                   WORDS(struct sent_worm));
    }
}

static void send_head(struct network *network, const struct head *head)
{
    uint32_t box = outbox_of(network, channel_at(network, head->channel)->to);
    struct resident *resident = resident_find(&network->ranks->residents, head->message->number);
    bool is_told = box < MOST_TOLD && (resident->told >> box & 1) != 0;
    struct index_list *list = &network->ranks->outbox[box].heads;
    push_words(network, list,
               &(struct sent_head){head->message->number, head->channel, head->stop, head->flits,
                                   head->bearing, !is_told},
               WORDS(struct sent_head));
    if (is_told)
        return;
    if (box < MOST_TOLD)
        resident->told |= UINT64_C(1) << box;
    push_plan(network, list, head->message);
}

/* The node that sends on a link's channel. */
static uint32_t sender_on(const struct network *network, uint32_t channel)
{
    return topology_link_from(network->topology, channel_link(network, channel) / network->stride);
}

static void send_mail(struct network *network, struct mail *mail)
{
    for (uint32_t i = 0; i < mail->heads.count; i++)
        send_head(network, &mail->heads.item[i]);
    for (uint32_t i = 0; i < mail->bodies.count; i++) {
        uint32_t channel = mail->bodies.item[i];
        border_mail_push(
            network, &border_mail_to(network, channel_at(network, channel)->to)->bodies, channel);
    }
    for (uint32_t i = 0; i < mail->credits.count; i++) {
        uint32_t credit = mail->credits.item[i];
        uint32_t from = sender_on(network, credit & ~CREDIT_RELEASES);
        border_mail_push(network, &border_mail_to(network, from)->credits, credit);
    }
    mail->heads.count = mail->bodies.count = mail->credits.count = 0;
}

/* ---- in ---- */

/* Makes a copy of the message's plan unless one is here; returns the first word behind it, or NULL: no memory. */
static const uint32_t *read_plan(struct network *network, uint32_t number, const uint32_t *word)
{
    struct sent_plan plan;
    memcpy(&plan, word, sizeof plan);
    word += WORDS(struct sent_plan);
    const uint32_t *worm = word + (size_t)plan.stops * WORDS(struct stop_copy);
    const uint32_t *end = worm + (size_t)plan.worms * WORDS(struct sent_worm);
    if (resident_find(&network->ranks->residents, number) != NULL)
        return end;
    struct message *message = message_make(network, plan.stops, plan.worms);
    if (message == NULL)
        return NULL;
    message->number = number;
    message->flits = plan.flits;
    message->source = plan.source;
    memcpy(message->stop, word, plan.stops * sizeof *message->stop);
    for (uint32_t w = 0; w < plan.worms; w++, worm += WORDS(struct sent_worm)) {
        struct sent_worm sent;
        memcpy(&sent, worm, sizeof sent);
        message->worm[w] = (struct sending){.message = message,
                                            .number = w,
                                            .sender = sent.sender,
                                            .stop = sent.stop,
                                            .other = sent.other};
    }
    message_set_left(network, message);
    return resident_add(&network->ranks->residents, message) == NULL ? NULL : end;
}

/* The band that sends on a channel. */
static struct band *band_of_channel(struct network *network, uint32_t channel)
{
    struct band *band = network->band;
    while (channel >= band->end_record)
        band++;
    return band;
}

/* What came is mail of the band `outside`. */
static void take_in(void *context, const struct border_mail *mail)
{
    struct network *network = context;
    struct band *outside = &network->band[network->bands];
    const uint32_t *word = mail->heads.item, *end = word + mail->heads.count;
    while (word < end) {
        struct sent_head sent;
        memcpy(&sent, word, sizeof sent);
        word += WORDS(struct sent_head);
        if (sent.has_plan && (word = read_plan(network, sent.message, word)) == NULL) {
            rank_fails(network, "messages of other ranks");
            return;
        }
        struct head head = {.message =
                                resident_find(&network->ranks->residents, sent.message)->message,
                            .channel = sent.channel,
                            .stop = sent.stop,
                            .flits = sent.flits,
                            .bearing = sent.bearing};
        struct band *to = network_band(network, channel_at(network, head.channel)->to);
        band_keep(outside, head_push(&mail_out(outside, to)->heads, head));
    }
    for (uint32_t i = 0; i < mail->bodies.count; i++) {
        uint32_t channel = mail->bodies.item[i];
        struct band *to = network_band(network, channel_at(network, channel)->to);
        band_keep(outside, index_push(&mail_out(outside, to)->bodies, channel));
    }
    for (uint32_t i = 0; i < mail->credits.count; i++) {
        uint32_t credit = mail->credits.item[i];
        struct band *to = band_of_channel(network, credit & ~CREDIT_RELEASES);
        band_keep(outside, index_push(&mail_out(outside, to)->credits, credit));
    }
}

void network_ranks_exchange(struct network *network, uint64_t cycle)
{
    struct band *outside = &network->band[network->bands];
    outside->cycle = cycle;
    outside->sent[cycle & 1] = 0;
    for (uint32_t b = 0; b < network->bands; b++) {
        if (network->band[b].is_out_of_memory)
            rank_fails(network, "flits in the network");
        if ((network->band[b].sent[cycle & 1] >> outside->number & 1) != 0)
            send_mail(network, &network->band[b].mail[cycle & 1][outside->number]);
    }
    if (border_mail_exchange(network, take_in, network) && outside->is_out_of_memory)
        rank_fails(network, "flits of other ranks");
}

/* ---- flits that follow ---- */

void network_ranks_pull(struct band *band, uint32_t channel)
{
    struct network *network = band->network;
    border_mail_push(network, &border_mail_to(network, sender_on(network, channel))->credits,
                     channel);
    network->ranks->pulls++;
}

static void let_follow(void *context, const struct border_mail *mail)
{
    struct band *band = context;
    for (uint32_t i = 0; i < mail->credits.count; i++)
        band_follow(band, mail->credits.item[i]);
}

void network_ranks_follow(struct band *band)
{
    struct network *network = band->network;
    struct network_ranks *own = network->ranks;
    bool is_pulled = own->pulls > 0;
    while (network->failure.kind == FAIL_NONE &&
           ranks_any(own->ranks, &is_pulled, &network->failure) == FAIL_NONE && is_pulled) {
        own->pulls = 0;
        border_mail_exchange(network, let_follow, band);
        is_pulled = own->pulls > 0;
    }
    own->pulls = 0;
}
