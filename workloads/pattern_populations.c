/* pattern_populations.c - `populations`: the spikes of neurons that are connected by chance.
 *
 * Neurons are numbered population by population, and node v holds l of them: v l .. v l + l - 1. A neuron of population
 * i has a connection to one of population j with chance p_ji, each by itself (Bernoulli connectivity), and sends
 * one message to the nodes with at least one neuron that it has a connection to. So node v is a destination with chance
 * 1 - prod_j (1 - p_ji)^(neurons of j at v), which is all that is drawn: a neuron and a node. Neurons that are
 * silent, or have no connection, send nothing.
 * Source: Potjans and Diesmann, The Cell-Type Specific Cortical Microcircuit, Cerebral Cortex 24 (2014), for such tables.
 * Cost: a random value a message and node that holds neurons; 8 bytes a population and node, 4 a delivery.
 */
#include "workloads/pattern_private.h"

#include <stdlib.h>

/* Chances are kept in units of 2^-32; certain ones do not fit and are 2^32 - 1, a draw in 2^32 apart. */
static const double UNIT = 4294967296.0;

static uint32_t in_units(double chance)
{
    return chance * UNIT >= UNIT - 1 ? UINT32_MAX : (uint32_t)(chance * UNIT);
}

/* x^k by squaring: of additions and products alone, which are the same on every machine. */
static double power(double x, uint32_t k)
{
    double result = 1;
    for (; k > 0; k >>= 1, x *= x)
        if (k & 1)
            result *= x;
    return result;
}

/* Nodes that hold neurons. */
static uint32_t nodes_with_neurons(const struct pattern_options *options)
{
    return (options->populations->neurons + options->per_node - 1) / options->per_node;
}

/* hit[i * nodes + v]: the chance that a neuron of population i has a connection to one at node v. */
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

/* Makes room for `more` deliveries behind the `made` ones. */
static enum failure_kind grow(struct message_set *set, uint64_t made, uint32_t more,
                              struct failure *failure)
{
    struct message_set none;
    if (made + more >= UINT32_MAX) /* says so in the one place that knows the limit */
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
static enum failure_kind draw(const struct pattern_options *options, uint32_t nodes,
                              const uint32_t *hit, struct message_set *set, struct failure *failure)
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
            if (grow(set, made, nodes, failure) != FAIL_NONE)
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
                    "%lu neurons, %lu a node, need %lu nodes, not %lu: take a larger mesh or "
                    "--per-node",
                    (unsigned long)neurons, (unsigned long)options->per_node, (unsigned long)nodes,
                    (unsigned long)mesh_nodes(options->mesh));
    uint32_t *hit = memory_allocate((size_t)options->populations->count * nodes, sizeof *hit);
    if (hit == NULL)
        return fail_memory(failure, "the chances of populations");
    fill_hits(options, nodes, hit);
    enum failure_kind kind = message_set_allocate(set, options->shape, neurons, 0, failure);
    if (kind == FAIL_NONE)
        kind = draw(options, nodes, hit, set, failure);
    if (kind != FAIL_NONE)
        message_set_free(set);
    free(hit);
    return kind;
}
