/* routing_check.c - the expected deliveries of each node, and the check of the actual ones.
 *
 * The lists are made from the set, which no router touches; so a header that a router spoiled
 * cannot hide a missing or duplicated delivery. The machine looks each delivery up in them as it
 * happens (machine/expected.h); missing ones are counted at the end. Each thread makes and checks
 * the lists of a band of the nodes. On ranks each informs the others of its messages to their
 * nodes.
 * Cost: O(deliveries) each; a thread reads the whole set twice.
 */
#include "base/parallel.h"
#include "machine/expected.h"
#include "machine/ranks/outbox.h"
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

/* ---- on ranks: the source's rank informs the rank of each destination ---- */

struct arrival {
    node_index node;
    uint32_t message; /* its number */
};

static void list_message(void *of_routing, uint32_t message, void *item)
{
    const struct routing *routing = of_routing;
    const struct message_set *set = routing->set;
    struct arrival *arrival = item;
    uint32_t name = message_set_name(set, routing->set_version, message);
    for (uint64_t i = set->offset[message]; i < set->offset[message + 1]; i++)
        *arrival++ = (struct arrival){set->destination[i], name};
}

/* Makes the lists from the arrivals at this rank's nodes. */
static enum failure_kind take_arrivals(void *of_routing, const void *item, size_t count,
                                       struct failure *failure)
{
    struct routing *routing = of_routing;
    struct expected_messages *expected = &routing->expected;
    const struct arrival *arrival = item;
    for (size_t i = 0; i < count; i++)
        expected_count(expected, arrival[i].node);
    if (!expected_make_room(expected))
        return fail_memory(failure, WHAT);
    for (size_t i = 0; i < count; i++)
        expected_add(expected, arrival[i].node, arrival[i].message);
    expected_sort(expected);
    return FAIL_NONE;
}

enum failure_kind routing_list_deliveries(struct routing *routing, struct failure *failure)
{
    const struct message_set *set = routing->set;
    struct ranks *ranks = routing->options->ranks;
    struct lists_work work = {set, routing->set_version, &routing->expected};
    struct row_range own = ranks_rows(ranks, set->mesh.rows);
    if (!expected_begin(work.expected, own.first * set->mesh.cols, own.end * set->mesh.cols))
        return fail_memory(failure, WHAT);
    struct outbox outbox = {.what = WHAT,
                            .item_bytes = sizeof(struct arrival),
                            .groups = set->messages,
                            .offset = set->offset,
                            .node = set->destination,
                            .context = routing,
                            .list = list_message,
                            .take = take_arrivals};
    if (ranks_size(ranks) > 1)
        return outbox_deliver(&outbox, ranks, set->mesh, failure);
    parallel_run(routing->result->threads, count_band, &work);
    if (!expected_make_room(work.expected))
        return fail_memory(failure, WHAT);
    parallel_run(routing->result->threads, add_band, &work);
    return FAIL_NONE;
}

/* The check of a band of the nodes; its findings. */
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

/* Counts missing deliveries; *first becomes the least number of a wrong message. */
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

enum failure_kind routing_agree(const struct routing *routing, enum failure_kind kind,
                                struct failure *failure)
{
    return ranks_agree(routing->options->ranks, kind, failure);
}

enum failure_kind routing_add_found(struct routing *routing, struct routing_found *found,
                                    struct failure *failure)
{
    struct ranks *ranks = routing->options->ranks;
    uint64_t sum[] = {found->missing, found->wrong}, first = found->first_wrong;
    enum failure_kind kind = ranks_sum(ranks, sum, 2, failure);
    if (kind == FAIL_NONE)
        kind = ranks_least(ranks, &first, 1, failure);
    *found = (struct routing_found){sum[0], sum[1], (uint32_t)first};
    if (kind != FAIL_NONE)
        return kind;
    routing->result->missing = found->missing;
    routing->result->delivered = message_set_all_deliveries(routing->set) - found->missing;
    return FAIL_NONE;
}

enum failure_kind routing_check(struct routing *routing, struct failure *failure)
{
    struct routing_found found = {.wrong = routing->expected.wrong};
    enum failure_kind kind = count_missing(routing, &found.missing, &found.first_wrong, failure);
    if (kind == FAIL_NONE)
        kind = routing_add_found(routing, &found, failure);
    if (kind != FAIL_NONE || found.missing + found.wrong == 0)
        return kind;
    return fail(failure, FAIL_CHECK,
                "%llu deliveries are missing and %llu are duplicated or misdelivered; the first "
                "wrong message is %s%lu",
                (unsigned long long)found.missing, (unsigned long long)found.wrong,
                routing->set_version == 1 ? "that of node " : "message ",
                (unsigned long)found.first_wrong);
}
