/* reference.c - the golden model: the events of packets, and the steps.
 *
 * To be read after doc/model.md and reference.h. The rules of the model are assertions here. Each
 * instruction is a program of every node: those of packets that go to their stops are in
 * reference_route.c, of packets that neighbours exchange in reference_plane.c, of packets that go
 * round in reference_cycle.c, of contributions in reference_gather.c, and of words at the end of
 * this file. Nothing is fast: each step looks at each node.
 */
#include "test/reference/reference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct model *model_create(const struct machine_config *config, const struct model *before)
{
    struct model *m = calloc(1, sizeof *m);
    uint32_t rows = config->mesh.rows, cols = config->mesh.cols;
    assert(m != NULL && rows * cols <= MOST_NODES && config->slots <= MOST_SLOTS);
    m->config = *config;
    m->capacity = config->buffer;
    m->attempt = config->attempt != NULL ? *config->attempt : (struct machine_attempt){0};
    m->header = (struct headers){
        .slots = config->slots, .packet = m->packet_header, .destination = m->destination};
    m->end = m->node + rows * cols;
    for (uint32_t slot = 0; slot < config->slots; slot++)
        m->packet[slot] = (struct packet){.name = slot};
    for (struct node *node = m->node; node < m->end; node++) {
        uint32_t i = (uint32_t)(node - m->node), row = i / cols, col = i % cols;
        const int to[] = {-(int)cols, (int)cols, -1, 1};
        const bool is_edge[] = {row == 0, row + 1 == rows, col == 0, col + 1 == cols};
        node->site = (struct site){i, row, col};
        for (enum direction d = 0; d < DIRECTIONS; d++)
            if (!is_edge[d]) {
                node->link[d].to = node + to[d];
                node->link[d].back = &node[to[d]].link[direction_opposite(d)];
            }
    }
    if (before != NULL) {
        m->counts = before->counts;
        m->begun = before->counts.steps;
        m->phases = before->phases;
        memcpy(m->phase, before->phase, sizeof m->phase);
        m->expectation = before->expectation;
        m->messages = before->messages;
        m->wrong = before->wrong;
        m->first_wrong = before->first_wrong;
        for (uint32_t i = 0; m->expectation != NULL && i < rows * cols * m->messages; i++)
            if (m->expectation[i] == HAS_COME)
                m->expectation[i] = IS_HELD;
    }
    return m;
}

/* ---- events of packets ---- */

uint32_t model_count(const struct node *from, const struct node *to, unsigned first, unsigned last)
{
    uint32_t count = 0;
    for (; from < to; from++)
        for (unsigned list = first; list <= last; list++)
            for (const struct packet *p = from->at[list]; p != NULL; p = p->next)
                count++;
    return count;
}

void put(struct packet *p, struct node *node, unsigned list)
{
    struct packet **at;
    if (p->node != NULL) {
        for (at = &p->node->at[p->list]; *at != p;)
            at = &(*at)->next;
        *at = p->next;
    }
    p->node = node;
    p->list = list;
    p->next = NULL;
    if (node != NULL) {
        for (at = &node->at[list]; *at != NULL;)
            at = &(*at)->next;
        *at = p;
    }
}

static void tell(const struct model *m, char kind, uint32_t a, uint32_t b, uint32_t c)
{
    const struct machine_observer *observer = m->config.observer;
    struct machine_event event = {{a, b, c}, kind};
    if (observer != NULL)
        observer->events(observer->context, m->counts.steps, &event, 1);
}

/* Rules 1 and 2: a link carries one item a step, and a packet crosses one link. */
void cross(struct model *m, struct node *from, struct node *to, struct packet *p, unsigned list)
{
    uint64_t step = m->counts.steps,
             *hops = p == NULL ? &m->counts.word_hops : &m->counts.packet_hops;
    struct link *link = from->link;
    assert(to != NULL);
    while (link->to != to)
        link++;
    assert(link->used != step && (p == NULL || p->acted != step));
    link->used = step;
    ++*hops;
    if (p == NULL) {
        tell(m, 'X', from->site.index, to->site.index, 0);
        return;
    }
    tell(m, 'M', p->name, from->site.index, to->site.index);
    p->acted = step;
    put(p, to, list);
}

/* Rules 2 and 3: unless copies are free, being copied is all that a packet does in a step, and a
 * node makes one copy. */
static void spend_copy(const struct model *m, struct packet *p)
{
    uint64_t step = m->counts.steps;
    assert(m->config.copy_is_free || (p->node->copied != step && p->acted != step));
    if (!m->config.copy_is_free)
        p->node->copied = p->acted = step;
}

struct packet *copy(struct model *m, struct packet *p, uint32_t name, unsigned list)
{
    struct packet *made = &m->packet[name];
    assert(made->node == NULL);
    spend_copy(m, p);
    made->acted = p->acted;
    m->counts.copies++;
    tell(m, 'C', p->node->site.index, p->name, name);
    put(made, p->node, list);
    return made;
}

void discard(struct model *m, struct packet *p)
{
    tell(m, 'R', p->node->site.index, p->name, 0);
    put(p, NULL, 0);
}

/* A merged packet is of the same message and at the same node. */
void merge(struct model *m, struct packet *p, struct packet *into)
{
    assert(p != into && p->node == into->node);
    assert(m->packet_header[p->name].message == m->packet_header[into->name].message);
    tell(m, 'G', p->node->site.index, p->name, into->name);
    into->acted = p->acted > into->acted ? p->acted : into->acted;
    put(p, NULL, 0);
}

/* Rule 4: with its last slot a packet ends; another one is delivered by a copy of the message.
 * Where the node holds the message already the destination is only crossed out. */
void deliver(struct model *m, struct packet *p, uint32_t slot)
{
    struct site site = p->node->site;
    uint32_t message = m->header.packet[slot].message;
    bool ends = slot == p->name;
    if (!ends)
        spend_copy(m, p);
    uint8_t none = EXPECTED, *expectation = &none;
    if (m->expectation != NULL)
        expectation = &m->expectation[site.index * m->messages + message];
    if (*expectation == IS_HELD) {
        if (ends)
            discard(m, p);
        return;
    }
    if (*expectation == EXPECTED)
        *expectation = HAS_COME;
    else if (m->wrong++ == 0 || message < m->first_wrong)
        m->first_wrong = message;
    m->counts.delivered++;
    m->counts.copies += !ends;
    tell(m, ends ? 'E' : 'D', site.index, p->name, message);
    if (ends)
        put(p, NULL, 0);
}

/* ---- steps, phases, attempts ---- */

void model_begin_phase(struct model *m, const char *name)
{
    const char *attempt = strcmp(name, "sync") != 0 ? m->attempt.name : NULL;
    if (m->phases > 0 && m->phase[m->phases - 1].steps == 0)
        m->phases--; /* a phase without a step is forgotten */
    assert(m->phases < MOST_PHASES);
    m->now = &m->phase[m->phases++];
    snprintf(m->now->name, sizeof m->now->name, "%s%s%s", attempt == NULL ? "" : attempt,
             attempt == NULL ? "" : " ", name);
    m->now->steps = 0;
}

uint64_t model_steps_left(const struct model *m)
{
    uint64_t used = m->counts.steps - m->begun - m->sync_word_steps, budget = m->attempt.budget;
    return budget == 0 ? UINT64_MAX : used < budget ? budget - used : 0;
}

static void advance(struct model *m, uint64_t steps)
{
    m->counts.steps += steps;
    m->now->steps += steps;
    m->counts.sync_steps += strcmp(m->now->name, "sync") == 0 ? steps : 0;
}

void model_idle(struct model *m, uint64_t steps)
{
    uint64_t left = model_steps_left(m);
    advance(m, steps < left ? steps : left);
}

/* The end of a step: a node that has no room for its packets discards, in an attempt that does so,
 * those that rest and, under machine_forward, those in queues; then the fullest buffer counts, of
 * equally full ones that of the lowest node. */
static void end_step(struct model *m)
{
    struct machine_counts *counts = &m->counts;
    struct site site = m->node->site;
    uint32_t most = 0, room = m->attempt.discards ? m->config.buffer : 0;
    unsigned last = m->channel == NULL ? LINK_QUEUE + DIRECTIONS - 1 : RESTING;
    for (struct node *node = m->node; node < m->end; node++) {
        uint32_t held = model_count(node, node + 1, 0, LISTS - 1);
        bool discards = room > 0 && held > room;
        node->has_discarded |= discards;
        for (unsigned list = RESTING; discards && list <= last; list++)
            for (; node->at[list] != NULL; m->discarded++, held--)
                discard(m, node->at[list]);
        site = held > most ? node->site : site;
        most = held > most ? held : most;
    }
    bool is_same_step = most == counts->peak && counts->steps == counts->peak_step;
    if (most > counts->peak || (is_same_step && site.index < counts->peak_node)) {
        counts->peak = most;
        counts->peak_node = site.index;
        counts->peak_step = counts->steps;
        snprintf(counts->peak_phase, sizeof counts->peak_phase, "%s", m->now->name);
    }
    m->own_peak = most > m->own_peak ? most : m->own_peak;
    if (m->capacity > 0 && most > m->capacity)
        fail(&m->failure, FAIL_CHECK,
             "buffer overflow: node %u (row %u, col %u) holds %u packets, capacity %u, at "
             "the end of step %llu, phase \"%s\"",
             site.index, site.row, site.col, most, m->capacity, (unsigned long long)counts->steps,
             m->now->name);
}

static void judge(struct model *m)
{
    unsigned long long most = m->config.most_steps, steps = m->counts.steps;
    if (most > 0 && steps > most)
        fail(&m->failure, FAIL_CHECK,
             "no end after %llu steps, in phase \"%s\": no run of these sizes takes more than %llu",
             steps, m->now->name, most);
}

void each_node(struct model *m, node_act *act)
{
    for (struct node *node = m->node; act != NULL && node < m->end; node++)
        act(m, node);
}

void run(struct model *m, const struct instruction *instruction, uint64_t steps, enum bound bound)
{
    if (bound != FIXED && model_steps_left(m) == 0)
        m->failure.kind = FAIL_VOID; /* which comes before all else */
    for (m->step = 1;; m->step++, m->wakes = false) {
        bool may_start = m->wakes || m->channel != NULL || bound == WHILE_ANY;
        bool is_over = model_travelling(m) == 0 && !(may_start && model_resting(m) > 0);
        if (bound != FIXED)
            judge(m);
        if (bound != FIXED && m->failure.kind == FAIL_NONE && model_steps_left(m) == 0)
            m->failure.kind = FAIL_VOID;
        if (m->failure.kind != FAIL_NONE || m->step > steps || (bound >= UNTIL_DONE && is_over))
            break;
        advance(m, 1);
        each_node(m, instruction->leave);
        for (struct node *node = m->node; node < m->end; node++)
            for (unsigned list = ARRIVING; list < LISTS; list++)
                while (node->at[list] != NULL)
                    instruction->come(m, node, node->at[list]);
        each_node(m, instruction->note);
        end_step(m);
    }
    m->wakes = false;
}

/* ---- injections; packets that are set aside, or given up ---- */

static bool ends_at(const struct model *m, const struct node *node, uint32_t packet)
{
    return m->packet_header[packet].first == packet &&
           m->destination[packet] == site_place(node->site);
}

void begin_to_rest(struct model *m, struct node *node, struct packet *p)
{
    tell(m, 'I', node->site.index, p->name, m->packet_header[p->name].message);
    put(p, node, RESTING);
}

void model_inject(struct model *m, node_index node, uint32_t packet)
{
    struct packet *p = &m->packet[packet];
    begin_to_rest(m, &m->node[node], p);
    if (ends_at(m, p->node, packet))
        deliver(m, p, packet);
    end_step(m);
}

void model_queue(struct model *m, node_index node, uint32_t packet)
{
    struct node *at = &m->node[node];
    if ((at->at[RESTING] == NULL && at->at[INJECTION] == NULL) || ends_at(m, at, packet))
        model_inject(m, node, packet);
    else
        put(&m->packet[packet], at, INPUT);
}

void model_set_aside(struct model *m, bool (*stays)(void *context, uint32_t packet), void *context)
{
    for (struct node *node = m->node; node < m->end; node++)
        for (struct packet *next, *p = node->at[RESTING]; p != NULL; p = next) {
            next = p->next;
            if (stays(context, p->name))
                put(p, node, ASIDE + m->aside_levels);
        }
    m->aside_levels++;
}

/* Takes packets back, the last one of a node first. */
void model_take_back(struct model *m)
{
    unsigned level = ASIDE + --m->aside_levels;
    for (struct node *node = m->node; node < m->end; node++)
        while (node->at[level] != NULL) {
            struct packet *last = node->at[level];
            while (last->next != NULL)
                last = last->next;
            put(last, node, RESTING);
        }
}

void model_give_up(struct model *m)
{
    for (uint32_t slot = 0; slot < m->header.slots; slot++)
        if (m->packet[slot].node != NULL && m->packet[slot].list != INPUT)
            discard(m, &m->packet[slot]);
}

/* ---- words: those of the step before can be read while those of this step are sent ---- */

void model_prepare_words(struct model *m)
{
    m->word_step += 2;
    judge(m);
}

bool model_word_received(const struct model *m, struct site site, enum direction side,
                         struct word *word)
{
    const struct link *link = m->node[site.index].link[side].back;
    uint64_t before = m->word_step - 1;
    if (link != NULL)
        *word = link->word[before % 2];
    return link != NULL && link->said_in[before % 2] == before;
}

void model_word_send(struct model *m, struct site site, enum direction side, struct word word)
{
    struct node *node = &m->node[site.index];
    struct link *link = &node->link[side];
    cross(m, node, link->to, NULL, 0);
    link->word[m->word_step % 2] = word;
    link->said_in[m->word_step % 2] = m->word_step;
}

void model_word_steps(struct model *m, uint64_t steps, model_act *act, void *context)
{
    uint64_t sync_steps = m->counts.sync_steps;
    for (uint64_t step = 1; step <= steps; step++, m->word_step++) {
        advance(m, 1);
        for (uint32_t row = 0; row < m->config.mesh.rows; row++)
            act(context, m, row, step);
        end_step(m);
    }
    m->sync_word_steps += m->counts.sync_steps - sync_steps;
}
