/* arrivals.c - messages at random times.
 *
 * Method: each node has random values of its own, from which it draws the message's length, its
 * destinations, and the time to its next message. Nodes are in a heap, by the cycles of their next
 * messages. A time between messages is the sum of `order` geometric ones, each the number of trials
 * until one succeeds; its mean is 1 / rate cycles.
 * Cost: O(log nodes + destinations) per message; 36 bytes per node.
 */
#include "network/open_loop.h"

#include "base/numbers.h"
#include "base/pcg.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct due {
    uint64_t cycle;
    uint32_t node;
};

struct arrivals {
    const struct open_loop *loop;
    struct pcg32 *random;    /* of each node */
    struct due *heap;        /* heap[0] is the next one */
    uint32_t senders, nodes; /* nodes that make messages; nodes that can be drawn */
    uint32_t *live;          /* these, of a broken mesh; NULL: all */
    uint32_t *mark; /* of each node: the message, counted from 1, that has it as a destination */
    uint32_t *destination;
    uint32_t made;
};

static uint64_t geometric(struct pcg32 *random, double success)
{
    uint64_t high = pcg32_next(random), low = pcg32_next(random);
    double uniform = ((double)((high << 32 | low) >> 11) + 1) / 9007199254740992.0; /* 2^53 */
    double failures = floor(log(uniform) / log1p(-success));
    return failures < 1e15 ? 1 + (uint64_t)failures : UINT64_C(1000000000000000);
}

static uint64_t time_to_next(struct arrivals *arrivals, uint32_t node)
{
    const struct open_loop *loop = arrivals->loop;
    uint64_t time = 0;
    for (uint32_t i = 0; i < loop->order; i++)
        time += geometric(&arrivals->random[node], loop->rate * loop->order);
    return time;
}

/* ---- the heap ---- */

static bool comes_before(const struct due *one, const struct due *other)
{
    return one->cycle < other->cycle || (one->cycle == other->cycle && one->node < other->node);
}

static void sift_down(struct arrivals *arrivals, uint32_t place)
{
    struct due *heap = arrivals->heap, moved = heap[place];
    for (uint64_t child; (child = 2 * (uint64_t)place + 1) < arrivals->senders;) {
        if (child + 1 < arrivals->senders && comes_before(&heap[child + 1], &heap[child]))
            child++;
        if (!comes_before(&heap[child], &moved))
            break;
        heap[place] = heap[child];
        place = (uint32_t)child;
    }
    heap[place] = moved;
}

static bool sends(const struct open_loop *loop, uint32_t node)
{
    if (loop->lists == NULL)
        return topology_is_main(loop->topology, node);
    return loop->lists->first[node] < loop->lists->first[node + 1];
}

/* Lists the nodes of the main part of a broken mesh. False: no memory. */
static bool list_live(struct arrivals *arrivals)
{
    const struct topology *topology = arrivals->loop->topology;
    uint32_t count = 0;
    if (!topology_is_broken(topology))
        return true;
    arrivals->live = memory_allocate(arrivals->nodes, sizeof *arrivals->live);
    for (uint32_t node = 0; arrivals->live != NULL && node < topology->nodes; node++)
        if (topology_is_main(topology, node))
            arrivals->live[count++] = node;
    return arrivals->live != NULL;
}

enum failure_kind arrivals_make(struct arrivals **made, const struct open_loop *loop, uint32_t run,
                                struct failure *failure)
{
    struct arrivals *arrivals = memory_allocate(1, sizeof *arrivals);
    uint32_t nodes = loop->topology->nodes;
    *made = arrivals;
    if (arrivals == NULL)
        return fail_memory(failure, "the arrivals of messages");
    *arrivals = (struct arrivals){
        .loop = loop,
        .nodes = topology_main_nodes(loop->topology),
        .random = memory_allocate(nodes, sizeof *arrivals->random),
        .heap = memory_allocate(nodes, sizeof *arrivals->heap),
        .mark = memory_allocate(nodes, sizeof *arrivals->mark),
        .destination = memory_allocate(nodes, sizeof *arrivals->destination),
    };
    if (arrivals->random == NULL || arrivals->heap == NULL || arrivals->mark == NULL ||
        arrivals->destination == NULL || !list_live(arrivals)) {
        arrivals_free(arrivals);
        *made = NULL;
        return fail_memory(failure, "the arrivals of messages");
    }
    for (uint32_t node = 0; node < nodes; node++) {
        if (!sends(loop, node))
            continue;
        arrivals->random[node] = pcg32_seed(loop->seed, (uint64_t)run << 32 | node);
        uint64_t cycle = time_to_next(arrivals, node) - 1;
        arrivals->heap[arrivals->senders++] = (struct due){cycle, node};
    }
    for (uint32_t i = arrivals->senders / 2; i > 0; i--)
        sift_down(arrivals, i - 1);
    return FAIL_NONE;
}

void arrivals_free(struct arrivals *arrivals)
{
    if (arrivals == NULL)
        return;
    free(arrivals->random);
    free(arrivals->heap);
    free(arrivals->live);
    free(arrivals->mark);
    free(arrivals->destination);
    free(arrivals);
}

uint32_t arrivals_senders(const struct arrivals *arrivals)
{
    return arrivals->senders;
}

uint64_t arrivals_cycle(const struct arrivals *arrivals)
{
    return arrivals->senders == 0 ? UINT64_MAX : arrivals->heap[0].cycle;
}

/* ---- a message ---- */

/* Returns the number of destinations of a message. Only a mix uses a random value, so all other
 * draws are the same as without one. */
static uint32_t draw_count(const struct open_loop *loop, struct pcg32 *random)
{
    const struct destination_mix *mix = &loop->mix;
    uint32_t last = mix->kinds - 1, drawn = last > 0 ? pcg32_next(random) : 0, kind = 0;
    double end = 0;
    while (kind < last && drawn >= (end += mix->kind[kind].share * 4294967296.0)) /* 2^32 */
        kind++;
    return mix->kind[kind].destinations;
}

/* Returns the place of a node among those that can be drawn. */
static uint32_t place_of(const struct arrivals *arrivals, uint32_t node)
{
    uint32_t low = 0, high = arrivals->nodes;
    if (arrivals->live == NULL)
        return node;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (arrivals->live[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t node_at(const struct arrivals *arrivals, uint32_t place)
{
    return arrivals->live == NULL ? place : arrivals->live[place];
}

/* Floyd's sampling: of the nodes but the source, numbered without it, node j or an earlier one
 * joins the sample of nodes below j. */
static uint32_t draw_uniform(struct arrivals *arrivals, uint32_t source)
{
    uint32_t wanted = draw_count(arrivals->loop, &arrivals->random[source]);
    uint32_t others = arrivals->nodes - 1, count = 0, own = place_of(arrivals, source);
    for (uint32_t j = others - wanted; j < others; j++) {
        uint32_t drawn = pcg32_below(&arrivals->random[source], j + 1);
        uint32_t node = node_at(arrivals, drawn + (drawn >= own));
        uint32_t last = node_at(arrivals, j + (j >= own));
        if (arrivals->mark[node] == arrivals->made)
            node = last;
        arrivals->mark[node] = arrivals->made;
        arrivals->destination[count++] = node;
    }
    if (count > 1)
        qsort(arrivals->destination, count, sizeof *arrivals->destination, compare_u32);
    return count;
}

/* Draws one of the lists of the source of `multicast`. */
static void draw_list(struct arrivals *arrivals, struct multicast *multicast)
{
    const struct destination_lists *lists = arrivals->loop->lists;
    uint32_t source = multicast->source;
    uint64_t first = lists->first[source], end = lists->first[source + 1];
    uint64_t list = first + pcg32_below(&arrivals->random[source], (uint32_t)(end - first));
    multicast->destination = lists->destination + lists->offset[list];
    multicast->destinations = (uint32_t)(lists->offset[list + 1] - lists->offset[list]);
}

struct multicast arrivals_take(struct arrivals *arrivals)
{
    const struct open_loop *loop = arrivals->loop;
    uint32_t source = arrivals->heap[0].node, spread = loop->most_flits - loop->least_flits;
    struct multicast multicast = {.source = source, .destination = arrivals->destination};
    assert(arrivals->senders > 0);
    arrivals->made++;
    multicast.flits = loop->least_flits;
    if (spread > 0)
        multicast.flits += pcg32_below(&arrivals->random[source], spread + 1);
    if (loop->lists == NULL)
        multicast.destinations = draw_uniform(arrivals, source);
    else
        draw_list(arrivals, &multicast);
    arrivals->heap[0].cycle += time_to_next(arrivals, source);
    sift_down(arrivals, 0);
    return multicast;
}
