/* routing_check.c - what each node is to receive, and the check of what it got.
 *
 * The lists are made from the set, which no router touches; so a header that a router spoiled cannot hide a
 * missing or duplicated delivery. The machine looks each delivery up in them as it happens (machine/expected.h);
 * what is missing is counted at the end. Each thread makes and checks the lists of a band of the nodes.
 * On ranks each tells the others which of its messages go to their nodes.
 * Cost: O(deliveries) each; a thread reads the whole set twice.
 */
#include "base/parallel.h"
#include "machine/expected.h"
#include "routers/routing.h"

#include <stdlib.h>

struct lists_work {
    const struct message_set *set;
    int set_version;
    struct expected_messages *expected;
};

static void count_band(void *context, const struct team *team)
{
    const struct lists_work *work = context;
    const struct message_set *set = work->set;
    uint32_t nodes = mesh_nodes(set->mesh);
    node_index first = parallel_band_start(nodes, team->rank, team->size);
    uint32_t count = parallel_band_start(nodes, team->rank + 1, team->size) - first;
    for (uint64_t i = 0; i < set->deliveries; i++)
        if (set->destination[i] - first < count)
            expected_count(work->expected, set->destination[i]);
}

/* Numbers of messages ascend in the set's order. */
static void add_band(void *context, const struct team *team)
{
    const struct lists_work *work = context;
    const struct message_set *set = work->set;
    uint32_t nodes = mesh_nodes(set->mesh);
    node_index first = parallel_band_start(nodes, team->rank, team->size);
    uint32_t count = parallel_band_start(nodes, team->rank + 1, team->size) - first;
    for (uint32_t message = 0; message < set->messages; message++) {
        uint32_t name = message_set_name(set, work->set_version, message);
        for (uint64_t i = set->offset[message]; i < set->offset[message + 1]; i++)
            if (set->destination[i] - first < count)
                expected_add(work->expected, set->destination[i], name);
    }
}

/* ---- on ranks: who sends a message tells the rank of each of its destinations ---- */

struct arrival {
    node_index node;
    uint32_t message; /* its number */
};

/* Returns the arrivals of this rank's messages, by the ranks of their nodes; *bytes[rank]: how many. NULL: no memory. */
static struct arrival *arrivals_by_rank(const struct routing *routing, size_t *bytes)
{
    const struct message_set *set = routing->set;
    const struct ranks *ranks = routing->options->ranks;
    uint32_t rows = set->mesh.rows, cols = set->mesh.cols, size = ranks_size(ranks);
    struct arrival *arrival = memory_allocate(set->deliveries, sizeof *arrival);
    size_t *next = memory_allocate((size_t)size + 1, sizeof *next);
    if (arrival == NULL || next == NULL) {
        free(arrival);
        free(next);
        return NULL;
    }
    for (uint64_t i = 0; i < set->deliveries; i++)
        next[ranks_owner(ranks, rows, set->destination[i] / cols) + 1]++;
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = next[i + 1] * sizeof *arrival;
        next[i + 1] += next[i];
    }
    for (uint32_t message = 0; message < set->messages; message++) {
        uint32_t name = message_set_name(set, routing->set_version, message);
        for (uint64_t i = set->offset[message]; i < set->offset[message + 1]; i++)
            arrival[next[ranks_owner(ranks, rows, set->destination[i] / cols)]++] =
                (struct arrival){set->destination[i], name};
    }
    free(next);
    return arrival;
}

/* Makes the lists from the arrivals that all ranks tell. */
static enum failure_kind list_arrivals(struct routing *routing, size_t *bytes,
                                       struct failure *failure)
{
    struct expected_messages *expected = &routing->expected;
    struct arrival *own = arrivals_by_rank(routing, bytes);
    void *all = NULL;
    if (own == NULL)
        return fail_memory(failure, "what the nodes expect");
    enum failure_kind kind = ranks_swap(routing->options->ranks, own, bytes, &all, failure);
    free(own);
    if (kind != FAIL_NONE)
        return kind;
    size_t count = 0;
    for (uint32_t i = 0; i < ranks_size(routing->options->ranks); i++)
        count += bytes[i] / sizeof *own;
    const struct arrival *arrival = all;
    for (size_t i = 0; i < count; i++)
        expected_count(expected, arrival[i].node);
    if (!expected_make_room(expected))
        kind = fail_memory(failure, "what the nodes expect");
    for (size_t i = 0; i < count && kind == FAIL_NONE; i++)
        expected_add(expected, arrival[i].node, arrival[i].message);
    if (kind == FAIL_NONE)
        expected_sort(expected);
    free(all);
    return kind;
}

static enum failure_kind list_on_ranks(struct routing *routing, struct failure *failure)
{
    struct ranks *ranks = routing->options->ranks;
    struct mesh mesh = routing->set->mesh;
    size_t *bytes = memory_allocate(ranks_size(ranks), sizeof *bytes);
    bool whole = expected_begin(&routing->expected, ranks_start(ranks, mesh.rows) * mesh.cols,
                                ranks_end(ranks, mesh.rows) * mesh.cols);
    enum failure_kind kind = whole && bytes != NULL ? list_arrivals(routing, bytes, failure)
                                                    : fail_memory(failure, "what the nodes expect");
    free(bytes);
    return kind;
}

enum failure_kind routing_list_deliveries(struct routing *routing, struct failure *failure)
{
    struct lists_work work = {routing->set, routing->set_version, &routing->expected};
    if (ranks_size(routing->options->ranks) > 1)
        return list_on_ranks(routing, failure);
    if (!expected_begin(work.expected, 0, mesh_nodes(work.set->mesh)))
        return fail_memory(failure, "what the nodes expect");
    parallel_run(routing->crew, count_band, &work);
    if (!expected_make_room(work.expected))
        return fail_memory(failure, "what the nodes expect");
    parallel_run(routing->crew, add_band, &work);
    return FAIL_NONE;
}

/* The check of a band of the nodes; what it found. */
struct check_share {
    uint64_t missing;
    uint32_t first_missing; /* number of a message; UINT32_MAX: none */
};

struct check_work {
    const struct routing *routing;
    struct check_share *share; /* [threads] */
};

static void check_band(void *context, const struct team *team)
{
    const struct check_work *work = context;
    const struct expected_messages *expected = &work->routing->expected;
    uint32_t nodes = expected->end - expected->first;
    struct check_share share = {0, UINT32_MAX};
    share.missing = expected_missing(
        expected, expected->first + parallel_band_start(nodes, team->rank, team->size),
        expected->first + parallel_band_start(nodes, team->rank + 1, team->size),
        &share.first_missing);
    work->share[team->rank] = share;
}

/* Returns how many deliveries are missing; *first becomes the least number of a message that is wrong. */
static enum failure_kind count_missing(const struct routing *routing, uint64_t *missing,
                                       uint32_t *first, struct failure *failure)
{
    uint32_t threads = crew_size(routing->crew);
    struct check_work work = {routing, memory_allocate(threads, sizeof *work.share)};
    if (work.share == NULL)
        return fail_memory(failure, "the check of the deliveries");
    parallel_run(routing->crew, check_band, &work);
    *first = routing->expected.wrong > 0 ? routing->expected.first_wrong : UINT32_MAX;
    for (uint32_t i = 0; i < threads; i++) {
        *missing += work.share[i].missing;
        if (work.share[i].first_missing < *first)
            *first = work.share[i].first_missing;
    }
    free(work.share);
    return FAIL_NONE;
}

enum failure_kind routing_check(struct routing *routing, struct failure *failure)
{
    struct ranks *ranks = routing->options->ranks;
    uint64_t missing = 0, wrong = routing->expected.wrong;
    uint32_t first = UINT32_MAX;
    enum failure_kind kind = count_missing(routing, &missing, &first, failure);
    uint64_t sum[] = {missing, wrong}, least = first;
    if (kind == FAIL_NONE)
        kind = ranks_sum(ranks, sum, 2, failure);
    if (kind == FAIL_NONE)
        kind = ranks_least(ranks, &least, 1, failure);
    if (kind != FAIL_NONE)
        return kind;
    missing = sum[0];
    wrong = sum[1];
    first = (uint32_t)least;
    routing->result->missing = missing;
    routing->result->delivered = message_set_all_deliveries(routing->set) - missing;
    if (missing + wrong == 0)
        return FAIL_NONE;
    return fail(failure, FAIL_CHECK,
                "%llu deliveries are missing and %llu are duplicated or misdelivered; the first "
                "wrong message is %s%lu",
                (unsigned long long)missing, (unsigned long long)wrong,
                routing->set_version == 1 ? "that of node " : "message ", (unsigned long)first);
}
