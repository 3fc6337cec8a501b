/* pattern_workloads.c - patterns of applications: moe, populations, and collectives: allgather,
 * alltoall, reducescatter, allreduce. */
#include "workloads/pattern_private.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- `moe`: tokens of a mixture-of-experts model and their experts.
 *
 * Without a number of experts there is one per 8 x 8 nodes, except one in sixteen: 60 experts on 64
 * x 64 nodes. Their places are those of workloads/experts.h. A token, l at each node, draws its
 * experts one after the other, without repeating one, with chances proportional to given counts or
 * falling with an expert's rank as rank^-z (a Zipf distribution); ranks are dealt to the experts at
 * random. An expert that has c tokens gets no more. With z = 3/20 the busiest of 60 experts gets
 * about 1.6 times the mean, as in logged routes of such models.
 *
 * Method: the weights are in a binary indexed tree, from which a drawn expert is removed.
 * Cost: O(l n d log E) time, 24 bytes per expert, 4 per delivery, 12 per token.
 */

/* WEIGHT is the largest weight by ranks, WEIGHTS the most that all given ones add up to, about. */
enum { TILE = 8, TILES_WITHOUT = 16, WEIGHT = 1 << 12, WEIGHTS = 1 << 30 };

/* The experts that can be drawn, from 1. */
struct experts {
    uint32_t count, total; /* of the weights in the tree */
    uint32_t *sum;         /* [count + 1]: the binary indexed tree */
    uint32_t *weight, *tokens;
    struct node_lines own;         /* the nodes of experts that no file places .. */
    const struct node_lines *node; /* .. or of those that a file places; counted from 0 */
    struct topology topology;
};

static void add_weight(struct experts *experts, uint32_t expert, uint32_t weight)
{
    experts->total += weight; /* modulo 2^32, so that a negative one is subtracted */
    for (uint32_t i = expert; i <= experts->count; i += i & -i)
        experts->sum[i] += weight;
}

/* Returns the expert in whose part of the consecutive weights `at` is. */
static uint32_t expert_at(const struct experts *experts, uint32_t at)
{
    uint32_t expert = 0, step = 1;
    while (2 * step <= experts->count)
        step *= 2;
    for (; step > 0; step /= 2)
        if (expert + step <= experts->count && experts->sum[expert + step] <= at) {
            expert += step;
            at -= experts->sum[expert];
        }
    return expert + 1;
}

/* Returns the number of experts on the mesh. */
static uint32_t count_experts(const struct pattern_options *options)
{
    uint64_t tiles = divide_up(options->mesh.rows, TILE) * divide_up(options->mesh.cols, TILE);
    return options->experts != NULL && options->experts->experts > 0
               ? options->experts->experts
               : (uint32_t)(tiles - tiles / TILES_WITHOUT);
}

/* Finds the nodes of `count` experts. */
static enum failure_kind find_nodes(struct experts *experts, const struct pattern_options *options,
                                    uint32_t count, struct failure *failure)
{
    const struct expert_load *load = options->experts;
    experts->topology = topology_of_shape(&options->shape);
    experts->node = &experts->own;
    if (load != NULL && load->nodes.node != NULL) {
        experts->node = &load->nodes;
        return node_lines_check(experts->node, &options->shape, failure);
    }
    return expert_nodes_place(&experts->own, &options->shape,
                              load != NULL ? load->place : EXPERTS_SPREAD, count, failure);
}

/* Sets weight[1 ..] to shares of WEIGHTS, proportional to the counts; one that is not 0 has at
 * least 1. */
static void weigh_counts(struct experts *experts, const uint64_t *count)
{
    double sum = 0;
    for (uint32_t i = 0; i < experts->count; i++)
        sum += (double)count[i];
    for (uint32_t i = 0; i < experts->count; i++)
        experts->weight[i + 1] = (uint32_t)((double)count[i] * WEIGHTS / sum) + (count[i] > 0);
}

/* Does the same by ranks; with the default exponent in the units of old sets. */
static void weigh_ranks(struct experts *experts, const uint32_t *rank, const double *exponent)
{
    double most = exponent == NULL ? WEIGHT : (double)WEIGHTS / experts->count;
    double z = exponent == NULL ? EXPERT_EXPONENT : *exponent;
    for (uint32_t i = 0; i < experts->count; i++)
        experts->weight[i + 1] = max_u32((uint32_t)lround(most * pow(rank[i] + 1.0, -z)), 1);
}

static enum failure_kind experts_make(struct experts *experts,
                                      const struct pattern_options *options, struct pcg32 *random,
                                      struct failure *failure)
{
    const struct expert_load *load = options->experts;
    uint32_t count = count_experts(options);
    uint32_t *rank = shuffled_numbers(random, count);
    *experts =
        (struct experts){.count = count,
                         .sum = memory_allocate((size_t)count + 1, sizeof *experts->sum),
                         .weight = memory_allocate((size_t)count + 1, sizeof *experts->weight),
                         .tokens = memory_allocate((size_t)count + 1, sizeof *experts->tokens)};
    bool has_memory = rank && experts->sum && experts->weight && experts->tokens;
    enum failure_kind kind = has_memory ? find_nodes(experts, options, count, failure)
                                        : fail_memory(failure, "the experts of a pattern");
    if (kind != FAIL_NONE) {
        free(rank);
        return kind;
    }
    if (load != NULL && load->count != NULL)
        weigh_counts(experts, load->count);
    else
        weigh_ranks(experts, rank, load != NULL ? &load->exponent : NULL);
    for (uint32_t i = 1; i <= count; i++)
        add_weight(experts, i, experts->weight[i]);
    free(rank);
    return FAIL_NONE;
}

/* Chooses the experts of one token, in chosen[]; returns their number. */
static uint32_t choose(struct experts *experts, const struct pattern_options *options,
                       struct pcg32 *random, uint32_t *chosen)
{
    uint32_t count = 0;
    while (count < options->degree && experts->total > 0) {
        uint32_t expert = expert_at(experts, pcg32_below(random, experts->total));
        add_weight(experts, expert, 0 - experts->weight[expert]);
        chosen[count++] = expert;
    }
    for (uint32_t i = 0; i < count; i++)
        if (++experts->tokens[chosen[i]] < options->congestion)
            add_weight(experts, chosen[i], experts->weight[chosen[i]]);
    return count;
}

/* Returns the most possible deliveries. */
static uint64_t most_deliveries(const struct pattern_options *options)
{
    uint64_t experts = count_experts(options);
    uint64_t tokens = (uint64_t)mesh_nodes(options->mesh) * options->per_node;
    return min_u64(tokens * min_u64(options->degree, experts), experts * options->congestion);
}

/* Adds the message of a token, unless it has no expert; two experts on one node count once. */
static void add_token(struct message_set *set, const struct experts *experts, node_index source,
                      const uint32_t *chosen, uint32_t count)
{
    uint64_t first = set->deliveries;
    node_index *node = set->destination + first;
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < count; i++)
        node[i] = expert_nodes_nearest(experts->node, &experts->topology, chosen[i] - 1, source);
    sort_u32(node, count);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || node[i] != node[distinct - 1])
            node[distinct++] = node[i];
    set->deliveries += distinct;
    if (distinct > 0) {
        set->source[set->messages] = source;
        set->offset[set->messages++] = first;
    }
}

/* Draws the tokens of all nodes into a set that has room. */
static enum failure_kind draw_tokens(const struct pattern_options *options, struct experts *experts,
                                     struct pcg32 *random, struct message_set *set,
                                     struct failure *failure)
{
    uint32_t most = min_u32(options->degree, experts->count);
    uint32_t *chosen = memory_allocate(most, sizeof *chosen);
    if (chosen == NULL)
        return fail_memory(failure, "the experts of a token");
    set->messages = 0;
    set->deliveries = 0;
    for (node_index node = 0; node < mesh_nodes(options->mesh); node++)
        for (uint32_t token = 0; token < options->per_node && experts->total > 0; token++)
            add_token(set, experts, node, chosen, choose(experts, options, random, chosen));
    set->offset[set->messages] = set->deliveries;
    free(chosen);
    return FAIL_NONE;
}

enum failure_kind pattern_moe(const struct pattern_options *options, struct message_set *set,
                              struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_MOE);
    struct experts experts = {0};
    uint64_t tokens = (uint64_t)mesh_nodes(options->mesh) * options->per_node;
    uint64_t most = most_deliveries(options);
    enum failure_kind kind = FAIL_NONE;
    if (tokens >= UINT32_MAX)
        most = max_u64(most, tokens); /* the allocation reports that it is too much */
    kind = message_set_allocate(set, options->shape, (uint32_t)tokens, most, failure);
    if (kind == FAIL_NONE)
        kind = experts_make(&experts, options, &random, failure);
    if (kind == FAIL_NONE)
        kind = draw_tokens(options, &experts, &random, set, failure);
    if (kind != FAIL_NONE)
        message_set_free(set);
    free(experts.sum);
    free(experts.weight);
    free(experts.tokens);
    node_lines_free(&experts.own);
    return kind;
}

/* ---- `populations`: the spikes of neurons that are connected by chance.
 *
 * Neurons are numbered population by population, and node v holds l of them: v l .. v l + l - 1. A
 * neuron of population i has a connection to one of population j with probability p_ji,
 * independently (Bernoulli connectivity), and sends one message to the nodes with at least one
 * neuron to which it has a connection. So node v is a destination with probability 1 - prod_j (1 -
 * p_ji)^(neurons of j at v), and only this is drawn, per neuron and node. Neurons that are silent,
 * or have no connection, send nothing.
 * Source: Potjans and Diesmann, The Cell-Type Specific Cortical Microcircuit, Cerebral Cortex 24
 * (2014), for such tables.
 * Cost: a random value per message and node that holds neurons; 8 bytes per population and node, 4
 * per delivery.
 */

/* Chances are kept in units of 2^-32; certain ones do not fit and are 2^32 - 1, a difference of
 * 2^-32. */
static const double UNIT = 4294967296.0;

static uint32_t in_units(double chance)
{
    return chance * UNIT >= UNIT - 1 ? UINT32_MAX : (uint32_t)(chance * UNIT);
}

/* Returns x^k by squaring: only additions and products, which are the same on every machine. */
static double power(double x, uint32_t k)
{
    double result = 1;
    for (; k > 0; k >>= 1, x *= x)
        if (k & 1)
            result *= x;
    return result;
}

/* Returns the number of nodes that hold neurons. */
static uint32_t nodes_with_neurons(const struct pattern_options *options)
{
    return (options->populations->neurons + options->per_node - 1) / options->per_node;
}

/* Fills hit[i * nodes + v]: the probability that a neuron of population i has a connection to one
 * at node v. */
static void fill_hits(const struct pattern_options *options, uint32_t nodes, uint32_t *hit)
{
    const struct population_table *table = options->populations;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t j = 0, left = table->size[0];
        for (uint32_t v = 0; v < nodes; v++) {
            uint32_t room = options->per_node;
            double none = 1;
            while (room > 0 && j < table->count) {
                uint32_t here = left < room ? left : room;
                none *= power(1 - table->chance[(size_t)j * table->count + i], here);
                room -= here;
                left -= here;
                if (left == 0 && ++j < table->count)
                    left = table->size[j];
            }
            hit[(size_t)i * nodes + v] = in_units(1 - none);
        }
    }
}

/* Makes room for `more` deliveries after the `made` ones. */
static enum failure_kind grow_deliveries(struct message_set *set, uint64_t made, uint32_t more,
                                         struct failure *failure)
{
    struct message_set none;
    if (made + more >= UINT32_MAX) /* reports it in the one place that knows the limit */
        return message_set_allocate(&none, set->shape, 0, made + more, failure);
    if (made + more <= set->deliveries)
        return FAIL_NONE;
    uint64_t room = 2 * (made + more);
    node_index *grown = memory_resize(set->destination, room, sizeof *grown);
    if (grown == NULL)
        return fail_memory(failure, "the deliveries of a pattern");
    set->destination = grown;
    set->deliveries = room;
    return FAIL_NONE;
}

/* Draws the messages of all neurons; set->deliveries is the room until the end. */
static enum failure_kind draw_spikes(const struct pattern_options *options, uint32_t nodes,
                                     const uint32_t *hit, struct message_set *set,
                                     struct failure *failure)
{
    const struct population_table *table = options->populations;
    struct pcg32 random = pcg32_seed(options->seed, STREAM_POPULATIONS);
    uint32_t active = in_units(options->active), neuron = 0;
    uint64_t made = 0;
    set->messages = 0;
    for (uint32_t i = 0; i < table->count; i++)
        for (uint32_t k = 0; k < table->size[i]; k++, neuron++) {
            uint64_t first = made;
            if (active < UINT32_MAX && pcg32_next(&random) >= active)
                continue;
            if (grow_deliveries(set, made, nodes, failure) != FAIL_NONE)
                return failure->kind;
            for (uint32_t v = 0; v < nodes; v++) {
                set->destination[made] = v;
                made += pcg32_next(&random) < hit[(size_t)i * nodes + v];
            }
            if (made == first)
                continue;
            set->source[set->messages] = neuron / options->per_node;
            set->offset[set->messages++] = first;
        }
    set->offset[set->messages] = set->deliveries = made;
    return FAIL_NONE;
}

enum failure_kind pattern_populations(const struct pattern_options *options,
                                      struct message_set *set, struct failure *failure)
{
    uint32_t nodes = nodes_with_neurons(options), neurons = options->populations->neurons;
    if (nodes > mesh_nodes(options->mesh))
        return fail(failure, FAIL_USAGE,
                    "%u neurons, %u per node, need %u nodes, not %u: take a larger mesh or "
                    "--per-node",
                    neurons, options->per_node, nodes, mesh_nodes(options->mesh));
    uint32_t *hit = memory_allocate((size_t)options->populations->count * nodes, sizeof *hit);
    if (hit == NULL)
        return fail_memory(failure, "the chances of populations");
    fill_hits(options, nodes, hit);
    enum failure_kind kind = message_set_allocate(set, options->shape, neurons, 0, failure);
    if (kind == FAIL_NONE)
        kind = draw_spikes(options, nodes, hit, set, failure);
    if (kind != FAIL_NONE)
        message_set_free(set);
    free(hit);
    return kind;
}

/* ---- `allgather`, `alltoall`: collectives within groups of nodes.
 *
 * Of n nodes in G groups node v is in group floor(v G / n), so that groups are consecutive nodes.
 * With a stride S above 1 the n / G members of a group are S apart: S groups take turns on S n / G
 * consecutive nodes, as processes of a grid of ranks do; G must divide n and S divide G. Or a file
 * has the members of each group; a node in no group sends nothing. In an allgather each node sends
 * its block to all others of its group, one message; in an all-to-all it has a block for each of
 * them, a message each. A node's block for itself crosses no link and is left out; a node that is
 * alone in its group sends nothing. Without an algorithm the messages are those of `direct`, in the
 * order of their sources.
 * Cost: O(deliveries); 4 bytes per delivery, 24 per message, 8 per node and 4 per group.
 */

/* The groups of all nodes. */
struct grouping {
    uint32_t groups, *first; /* [groups + 1]: first place of group g in member[] */
    node_index *member;
    uint32_t *led; /* [nodes]: the group whose first member this is, and one; 0: none */
};

struct group {
    uint32_t size;
    const node_index *member;
};

/* Returns the number of groups without --groups: as few as keep `most` others in each. */
static uint32_t count_groups(const struct pattern_options *options, uint32_t most)
{
    uint32_t nodes = mesh_nodes(options->mesh);
    if (options->groups > 0)
        return options->groups;
    return (uint32_t)((nodes + (uint64_t)most) / ((uint64_t)most + 1));
}

/* Makes the groups by arithmetic; `stride` consecutive ones take turns. */
static enum failure_kind count_members(struct grouping *grouping, uint32_t nodes, uint32_t stride,
                                       struct failure *failure)
{
    uint32_t groups = grouping->groups;
    if (groups > nodes)
        return fail(failure, FAIL_USAGE, "%u groups are more than the %u nodes", groups, nodes);
    if (stride > 1 && (nodes % groups != 0 || groups % stride != 0))
        return fail(failure, FAIL_USAGE,
                    "members of a group are %u apart only if the number of groups, %u, divides "
                    "that of nodes, %u, and is divided by the stride",
                    stride, groups, nodes);
    for (uint32_t g = 0; g <= groups; g++)
        grouping->first[g] = (uint32_t)(((uint64_t)g * nodes + groups - 1) / groups);
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t node = grouping->first[g - g % stride] + g % stride;
        for (uint32_t i = grouping->first[g]; i < grouping->first[g + 1]; i++, node += stride)
            grouping->member[i] = node;
    }
    return FAIL_NONE;
}

/* Takes the groups of a file. */
static void take_lines(struct grouping *grouping, const struct node_lines *lines)
{
    memcpy(grouping->first, lines->first, ((size_t)lines->lines + 1) * sizeof *lines->first);
    memcpy(grouping->member, lines->node, lines->first[lines->lines] * sizeof *lines->node);
    for (uint32_t g = 0; g < lines->lines; g++)
        sort_u32(grouping->member + lines->first[g], lines->first[g + 1] - lines->first[g]);
}

static enum failure_kind find_groups(struct grouping *grouping,
                                     const struct pattern_options *options, uint32_t groups,
                                     struct failure *failure)
{
    const struct node_lines *lines = options->group_lines;
    uint32_t nodes = mesh_nodes(options->mesh);
    *grouping = (struct grouping){.groups = lines != NULL ? lines->lines : groups};
    if (lines != NULL && node_lines_check(lines, &options->shape, failure) != FAIL_NONE)
        return failure->kind;
    grouping->first = memory_allocate((size_t)grouping->groups + 1, sizeof *grouping->first);
    grouping->member = memory_allocate(nodes, sizeof *grouping->member);
    grouping->led = memory_allocate(nodes, sizeof *grouping->led);
    if (grouping->first == NULL || grouping->member == NULL || grouping->led == NULL)
        return fail_memory(failure, "the groups of a pattern");
    if (lines != NULL)
        take_lines(grouping, lines);
    else if (count_members(grouping, nodes, max_u32(options->stride, 1), failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t g = 0; g < grouping->groups; g++)
        grouping->led[grouping->member[grouping->first[g]]] = g + 1;
    return FAIL_NONE;
}

/* ---- algorithms of collectives: messages that wait for one another.
 *
 * A node has a block of N bytes (allgather; alltoall: for each of the others), or a vector of N
 * bytes that is reduced, of which 1 / g is a chunk in a group of g, rounded up. A node that reduces
 * or passes on waits for its inputs:
 *   ring     In each round member i sends to member i + 1 what it received in the round before: g -
 *            1 rounds of blocks (allgather) or chunks (reducescatter), and twice as many of chunks
 *            (allreduce). alltoall: in round r member i sends to i + r, after the round before.
 *   halving  log g rounds with partners g / 2, .., 1 apart, of N / 2, .., N / g bytes
 *            (reducescatter), 1, .., g / 2 apart, of 1, .., g / 2 blocks (allgather), or one after
 *            the other (allreduce); alltoall: of g / 2 blocks each.
 *   tree     Along a binomial tree to the first member, each after its children, which sends the
 *            result: one message to all others, or (reducescatter) one to each.
 *   direct   All at once; allreduce: each sends a chunk to each other, and its sum to all others in
 *            one message.
 * Cost: O(messages + deliveries + waits), twice: they are counted first.
 */

const char *const collective_algorithm_names[] = {"none",    "direct", "ring",
                                                  "halving", "tree",   NULL};

/* The messages so far. */
struct steps {
    struct message_set *set; /* NULL: they are counted */
    uint64_t messages, deliveries, waits;
    uint64_t most_bytes;
    bool has_bytes;
};

/* Begins a message; step_to() and step_after(), in ascending order, complete it. */
static void step(struct steps *steps, node_index from, uint64_t bytes)
{
    struct message_set *set = steps->set;
    if (set != NULL) {
        set->source[steps->messages] = from;
        set->offset[steps->messages] = steps->deliveries;
        set->wait_offset[steps->messages] = steps->waits;
        if (steps->has_bytes)
            set->length[steps->messages] = (uint32_t)bytes;
    }
    steps->most_bytes = max_u64(steps->most_bytes, bytes);
    steps->messages++;
}

static void step_to(struct steps *steps, node_index node)
{
    if (steps->set != NULL)
        steps->set->destination[steps->deliveries] = node;
    steps->deliveries++;
}

static void step_after(struct steps *steps, uint64_t message)
{
    if (steps->set != NULL)
        steps->set->wait_on[steps->waits] = (uint32_t)message;
    steps->waits++;
}

static void step_to_others(struct steps *steps, const struct group *group, uint32_t but)
{
    for (uint32_t i = 0; i < group->size; i++)
        if (i != but)
            step_to(steps, group->member[i]);
}

static uint64_t share(uint64_t bytes, uint32_t parts)
{
    return (bytes + parts - 1) / parts;
}

/* Adds a ring: in round r member i sends to i + 1, or (is_pairwise) to i + r + 1. */
static void add_ring(struct steps *steps, const struct group *group, uint32_t rounds,
                     bool is_pairwise, uint64_t bytes)
{
    uint32_t size = group->size;
    uint64_t first = steps->messages;
    for (uint32_t r = 0; r < rounds; r++)
        for (uint32_t i = 0; i < size; i++) {
            uint32_t apart = is_pairwise ? r + 1 : 1, before = is_pairwise ? r : 1;
            step(steps, group->member[i], bytes);
            step_to(steps, group->member[(i + apart) % size]);
            if (r > 0)
                step_after(steps, first + (uint64_t)(r - 1) * size + (i + size - before) % size);
        }
}

/* The rounds of halving so far. */
struct rounds {
    uint64_t first; /* first message */
    uint32_t count;
    uint32_t apart[2 * 32];
};

/* Adds a round in which members exchange with those `apart`, after all earlier rounds: a receipt
 * does not imply earlier ones. */
static void add_exchange(struct steps *steps, const struct group *group, struct rounds *rounds,
                         uint32_t apart, uint64_t bytes)
{
    for (uint32_t i = 0; i < group->size; i++) {
        step(steps, group->member[i], bytes);
        step_to(steps, group->member[i ^ apart]);
        for (uint32_t r = 0; r < rounds->count; r++)
            step_after(steps, rounds->first + (uint64_t)r * group->size + (i ^ rounds->apart[r]));
    }
    rounds->apart[rounds->count++] = apart;
}

/* Adds a message from each member i > 0 to its parent, which is i without its lowest bit, after
 * those of its children. */
static void add_tree(struct steps *steps, const struct group *group, bool is_gathered,
                     uint64_t bytes)
{
    uint64_t first = steps->messages - 1; /* and i: the message of member i */
    for (uint32_t i = 1; i < group->size; i++) {
        uint32_t lowest = i & -i, below = min_u32(lowest, group->size - i);
        step(steps, group->member[i], is_gathered ? below * bytes : bytes);
        step_to(steps, group->member[i - lowest]);
        for (uint32_t bit = 1; bit < below; bit *= 2)
            step_after(steps, first + i + bit);
    }
}

/* Makes a message of the first member wait for its children, whose messages end before `end`. */
static void after_children(struct steps *steps, const struct group *group, uint64_t end)
{
    for (uint32_t bit = 1; bit < group->size; bit *= 2)
        step_after(steps, end - group->size + bit);
}

/* Adds a message from each member to each other one. */
static void add_to_each(struct steps *steps, const struct group *group, uint64_t bytes)
{
    for (uint32_t i = 0; i < group->size; i++)
        for (uint32_t j = 0; j < group->size; j++)
            if (j != i) {
                step(steps, group->member[i], bytes);
                step_to(steps, group->member[j]);
            }
}

enum collective { ALLGATHER, ALLTOALL, REDUCESCATTER, ALLREDUCE };

static void add_halving(struct steps *steps, const struct group *group, enum collective what,
                        uint64_t bytes)
{
    uint32_t size = group->size;
    struct rounds rounds = {.first = steps->messages};
    bool reduces = what == REDUCESCATTER || what == ALLREDUCE;
    for (uint32_t apart = size / 2; reduces && apart > 0; apart /= 2)
        add_exchange(steps, group, &rounds, apart, share(bytes, size / apart));
    for (uint32_t apart = 1; what != REDUCESCATTER && apart < size; apart *= 2)
        add_exchange(steps, group, &rounds, apart,
                     what == ALLTOALL    ? size / 2 * bytes
                     : what == ALLGATHER ? apart * bytes
                                         : share(bytes, size / apart));
}

static void add_by_tree(struct steps *steps, const struct group *group, enum collective what,
                        uint64_t bytes)
{
    add_tree(steps, group, what == ALLGATHER, bytes);
    uint64_t end = steps->messages;
    for (uint32_t i = 1; what == REDUCESCATTER && i < group->size; i++) {
        step(steps, group->member[0], share(bytes, group->size));
        step_to(steps, group->member[i]);
        after_children(steps, group, end);
    }
    if (what == REDUCESCATTER)
        return;
    step(steps, group->member[0], what == ALLGATHER ? group->size * bytes : bytes);
    step_to_others(steps, group, 0);
    after_children(steps, group, end);
}

static void add_direct(struct steps *steps, const struct group *group, enum collective what,
                       uint64_t bytes)
{
    uint32_t size = group->size;
    uint64_t first = steps->messages, chunk = share(bytes, size);
    if (what != ALLGATHER)
        add_to_each(steps, group, what == ALLTOALL ? bytes : chunk);
    for (uint32_t i = 0; i < size && (what == ALLGATHER || what == ALLREDUCE); i++) {
        step(steps, group->member[i], what == ALLGATHER ? bytes : chunk);
        step_to_others(steps, group, i);
        for (uint32_t j = 0; what == ALLREDUCE && j < size; j++)
            if (j != i)
                step_after(steps, first + (uint64_t)j * (size - 1) + (i < j ? i : i - 1));
    }
}

static void add_collective(struct steps *steps, const struct group *group, enum collective what,
                           const struct pattern_options *options)
{
    uint32_t size = group->size;
    bool reduces = what == REDUCESCATTER || what == ALLREDUCE;
    bool is_halving_or_tree =
        options->algorithm == ALGORITHM_HALVING || options->algorithm == ALGORITHM_TREE;
    uint64_t pairs = (uint64_t)size * (size - 1) * (what == ALLREDUCE ? 2 : 1);
    if (!is_halving_or_tree && steps->deliveries + pairs >= UINT32_MAX)
        steps->deliveries += pairs; /* too many, so they are not counted one by one */
    else if (options->algorithm == ALGORITHM_RING)
        add_ring(steps, group, what == ALLREDUCE ? 2 * (size - 1) : size - 1, what == ALLTOALL,
                 reduces ? share(options->bytes, size) : options->bytes);
    else if (options->algorithm == ALGORITHM_HALVING)
        add_halving(steps, group, what, options->bytes);
    else if (options->algorithm == ALGORITHM_TREE)
        add_by_tree(steps, group, what, options->bytes);
    else
        add_direct(steps, group, what, options->bytes);
}

/* FAIL_USAGE: a group has a size that the algorithm does not accept. */
static enum failure_kind check_size(const struct pattern_options *options, uint32_t size,
                                    struct failure *failure)
{
    if (options->algorithm != ALGORITHM_HALVING || (size & (size - 1)) == 0)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "algorithm halving needs groups of a power of two nodes, found one of %lu",
                (unsigned long)size);
}

/* Adds the messages of all groups, in the order of their first members. */
static enum failure_kind add_groups(struct steps *steps, const struct grouping *grouping,
                                    enum collective what, const struct pattern_options *options,
                                    struct failure *failure)
{
    for (node_index v = 0; v < mesh_nodes(options->mesh); v++) {
        if (grouping->led[v] == 0)
            continue;
        const uint32_t *first = grouping->first + grouping->led[v];
        struct group group = {first[0] - first[-1], grouping->member + first[-1]};
        if (group.size < 2)
            continue;
        if (check_size(options, group.size, failure) != FAIL_NONE)
            return failure->kind;
        add_collective(steps, &group, what, options);
    }
    return FAIL_NONE;
}

/* Makes room for the messages that were counted. */
static enum failure_kind allocate_steps(const struct steps *counted, struct shape shape,
                                        struct message_set *set, struct failure *failure)
{
    if (counted->most_bytes > UINT32_MAX)
        return fail(failure, FAIL_USAGE,
                    "the collective has messages of up to %llu bytes; at most %lu fit",
                    (unsigned long long)counted->most_bytes, (unsigned long)UINT32_MAX);
    if (message_set_allocate(set, shape, (uint32_t)counted->messages, counted->deliveries,
                             failure) != FAIL_NONE)
        return failure->kind;
    set->wait_offset = memory_allocate((size_t)counted->messages + 1, sizeof *set->wait_offset);
    set->wait_on = memory_allocate(counted->waits, sizeof *set->wait_on);
    set->length = memory_allocate(counted->messages, sizeof *set->length);
    if (set->wait_offset != NULL && set->wait_on != NULL && set->length != NULL) {
        set->wait_offset[counted->messages] = counted->waits;
        return FAIL_NONE;
    }
    message_set_free(set);
    return fail_memory(failure, "the messages of a collective");
}

static enum failure_kind make_steps(const struct pattern_options *options,
                                    const struct grouping *grouping, enum collective what,
                                    struct message_set *set, struct failure *failure)
{
    struct steps counted = {.set = NULL};
    struct steps steps = {.set = set, .has_bytes = options->bytes > 0};
    if (options->algorithm == ALGORITHM_TREE && what == ALLTOALL)
        return fail(failure, FAIL_USAGE,
                    "pattern alltoall has algorithms direct, ring and halving, not tree");
    if (options->per_node > 1 && options->algorithm != ALGORITHM_NONE)
        return fail(failure, FAIL_USAGE,
                    "with an algorithm a node takes part once; --per-node is for other sets");
    if (add_groups(&counted, grouping, what, options, failure) == FAIL_NONE &&
        allocate_steps(&counted, options->shape, set, failure) == FAIL_NONE) {
        add_groups(&steps, grouping, what, options, failure);
        message_set_drop_unused(set);
    }
    if (failure->kind == FAIL_NONE && options->algorithm == ALGORITHM_NONE &&
        message_set_sort_sources(set, NULL, failure) != FAIL_NONE)
        message_set_free(set);
    return failure->kind;
}

static enum failure_kind make_collective(const struct pattern_options *options, uint32_t groups,
                                         enum collective what, struct message_set *set,
                                         struct failure *failure)
{
    struct grouping grouping;
    if (find_groups(&grouping, options, groups, failure) == FAIL_NONE)
        make_steps(options, &grouping, what, set, failure);
    free(grouping.first);
    free(grouping.member);
    free(grouping.led);
    return failure->kind;
}

enum failure_kind pattern_allgather(const struct pattern_options *options, struct message_set *set,
                                    struct failure *failure)
{
    uint32_t most = min_u32(options->degree, options->congestion);
    return make_collective(options, count_groups(options, most), ALLGATHER, set, failure);
}

enum failure_kind pattern_alltoall(const struct pattern_options *options, struct message_set *set,
                                   struct failure *failure)
{
    return make_collective(options, count_groups(options, options->congestion), ALLTOALL, set,
                           failure);
}

enum failure_kind pattern_reducescatter(const struct pattern_options *options,
                                        struct message_set *set, struct failure *failure)
{
    return make_collective(options, count_groups(options, options->congestion), REDUCESCATTER, set,
                           failure);
}

enum failure_kind pattern_allreduce(const struct pattern_options *options, struct message_set *set,
                                    struct failure *failure)
{
    return make_collective(options, count_groups(options, options->congestion), ALLREDUCE, set,
                           failure);
}
