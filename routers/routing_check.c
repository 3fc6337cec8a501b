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
#include "machine/ranks/ranks_outbox.h"
#include "routers/routing.h"

#include <stdlib.h>

static const char WHAT[] = "what the nodes expect";

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

/* Sends the arrivals of this rank's messages to the ranks of their nodes. *came, which the caller frees, gets the *count
 * ones at nodes of this rank. */
static enum failure_kind swap_arrivals(const struct routing *routing, struct ranks_outbox *outbox,
                                       void **came, size_t *count, struct failure *failure)
{
    const struct message_set *set = routing->set;
    const struct ranks *ranks = routing->options->ranks;
    for (uint64_t i = 0; i < set->deliveries; i++)
        ranks_outbox_count(outbox, mesh_owner(set->mesh, ranks, set->destination[i]));
    if (ranks_outbox_make_room(outbox, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    for (uint32_t message = 0; message < set->messages; message++) {
        uint32_t name = message_set_name(set, routing->set_version, message);
        for (uint64_t i = set->offset[message]; i < set->offset[message + 1]; i++) {
            struct arrival arrival = {set->destination[i], name};
            ranks_outbox_put(outbox, mesh_owner(set->mesh, ranks, arrival.node), &arrival);
        }
    }
    return ranks_outbox_swap(outbox, came, count, failure);
}

/* Makes the lists from the arrivals that came. False: no memory. */
static bool list_arrivals(struct expected_messages *expected, const struct arrival *arrival,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        expected_count(expected, arrival[i].node);
    if (!expected_make_room(expected))
        return false;
    for (size_t i = 0; i < count; i++)
        expected_add(expected, arrival[i].node, arrival[i].message);
    expected_sort(expected);
    return true;
}

static enum failure_kind list_on_ranks(struct routing *routing, struct failure *failure)
{
    struct ranks *ranks = routing->options->ranks;
    struct mesh mesh = routing->set->mesh;
    struct ranks_outbox outbox;
    void *came = NULL;
    size_t count;
    enum failure_kind kind =
        ranks_outbox_open(&outbox, ranks, sizeof(struct arrival), WHAT, failure);
    if (kind == FAIL_NONE &&
        !expected_begin(&routing->expected, ranks_start(ranks, mesh.rows) * mesh.cols,
                        ranks_end(ranks, mesh.rows) * mesh.cols))
        kind = fail_memory(failure, WHAT);
    if (kind == FAIL_NONE)
        kind = swap_arrivals(routing, &outbox, &came, &count, failure);
    if (kind == FAIL_NONE && !list_arrivals(&routing->expected, came, count))
        kind = fail_memory(failure, WHAT);
    free(came);
    ranks_outbox_close(&outbox);
    return kind;
}

enum failure_kind routing_list_deliveries(struct routing *routing, struct failure *failure)
{
    struct lists_work work = {routing->set, routing->set_version, &routing->expected};
    if (ranks_size(routing->options->ranks) > 1)
        return list_on_ranks(routing, failure);
    if (!expected_begin(work.expected, 0, mesh_nodes(work.set->mesh)))
        return fail_memory(failure, WHAT);
    parallel_run(routing->result->threads, count_band, &work);
    if (!expected_make_room(work.expected))
        return fail_memory(failure, WHAT);
    parallel_run(routing->result->threads, add_band, &work);
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
    uint32_t threads = routing->result->threads;
    struct check_work work = {routing, memory_allocate(threads, sizeof *work.share)};
    if (work.share == NULL)
        return fail_memory(failure, "the check of the deliveries");
    parallel_run(threads, check_band, &work);
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
