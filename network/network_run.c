/* network_run.c - the cycles of a network, on one thread or several.
 *
 * After a cycle in which nothing moves, the cycles before the next event are skipped. Cycles in
 * which flits move run in stretches. In a stretch each thread lets flits arrive in its bands and
 * begins the next cycle there at once; then all threads meet at a barrier. Outboxes of even and odd
 * cycles are kept apart, so one barrier per cycle is enough. A stretch ends when the whole network
 * must be examined (deadlocks, the end), and when the work becomes too little for several threads,
 * or enough for them.
 */
#include "network/network_private.h"

#include "base/numbers.h"

enum {
    MUCH_WORK = 2000,      /* flits in a cycle from which several threads share it */
    DEADLOCK_PERIOD = 256, /* cycles, of doc/network.md */
    NODES_PER_MESSAGE = 64 /* at most, where traffic is expected at most nodes */
};

/* ---- a stretch of cycles ---- */

struct stretch {
    struct network *network;
    uint64_t until;
    bool is_parallel;
};

static void band_cycle(struct band *band, uint64_t cycle)
{
    band->cycle = cycle;
    band->work = 0;
    band->own_outbox = &band->outbox[cycle & 1][band->number];
    band->receivers[cycle & 1] = 0;
    if (band->active.count > 0 || band->movers.count > 0 || band->sources.count > 0 ||
        wheel_is_due(&band->wheel, cycle)) {
        band_begin(band);
        band_allocate(band);
        band_inject(band);
        if (band->network->vcs > 1)
            band_switch(band);
        else
            band_traverse(band);
        band->requesters[cycle & 1].count = 0;
    }
    /* Without memory a header is lost, after which no flit may arrive: the stretch ends. */
    uint64_t done = band->is_out_of_memory ? UINT64_MAX / 256 : band->counts.done;
    band->report[cycle & 1] = (struct band_report){band->work, done, band->receipts.count > 0};
}

/* True if something of the band's own has crossed a link in this cycle, or a peak may have
 * risen. */
static bool has_arrivals(const struct band *band)
{
    const struct outbox *own = band->own_outbox;
    return own->headers.count > 0 || own->bodies.count > 0 || own->credits.count > 0 ||
           band->rising.count > 0;
}

/* Returns the bands to which others have sent something in a cycle, a bit each. */
static uint64_t receivers_in(const struct network *network, uint64_t cycle)
{
    uint64_t receivers = 0;
    for (uint32_t b = 0; b < network->bands; b++)
        receivers |= network->band[b].receivers[cycle & 1];
    return receivers;
}

/* True if the stretch has another cycle. All threads read the same, since the next report of this
 * parity is written after the next barrier. */
static bool has_next_cycle(const struct stretch *stretch, uint64_t cycle)
{
    const struct network *network = stretch->network;
    uint64_t work = 0, done = 0;
    bool has_receipts = false;
    for (uint32_t b = 0; b < network->bands; b++) {
        work += network->band[b].report[cycle & 1].work;
        done += network->band[b].report[cycle & 1].done;
        has_receipts |= network->band[b].report[cycle & 1].has_receipts;
    }
    bool is_much = work >= MUCH_WORK && network->threads > 1;
    return work > 0 && is_much == stretch->is_parallel && done < network->posted &&
           cycle + 1 < stretch->until && !has_receipts;
}

static void run_bands(void *context, const struct team *team)
{
    const struct stretch *stretch = context;
    struct network *network = stretch->network;
    uint32_t first = parallel_band_start(network->bands, team->rank, team->size);
    uint32_t end = parallel_band_start(network->bands, team->rank + 1, team->size);
    uint64_t cycle = network->cycle;
    for (uint32_t b = first; b < end; b++)
        band_cycle(&network->band[b], cycle);
    for (bool has_next = true; has_next; cycle++) {
        if (stretch->is_parallel)
            parallel_barrier(team);
        uint64_t receivers = receivers_in(network, cycle);
        has_next = has_next_cycle(stretch, cycle);
        for (uint32_t b = first; b < end; b++) {
            struct band *band = &network->band[b];
            bool receives = (receivers >> b & 1) != 0 || has_arrivals(band);
            if (receives && !band->is_out_of_memory)
                band_arrive(band);
            if (has_next)
                band_cycle(&network->band[b], cycle + 1);
        }
    }
}

/* ---- a cycle ---- */

/* Examines all bands; the time of the next event, only if it may be needed. */
static void look(struct network *network, bool may_be_idle)
{
    struct overview all = {.posted = network->posted, .overflow = NONE, .due = UINT64_MAX};
    for (uint32_t b = 0; b < network->bands; b++) {
        const struct band *band = &network->band[b];
        all.work += band->work;
        all.done += band->counts.done;
        all.taken += band->counts.taken;
        all.segments += band->live_segments;
        all.is_out_of_memory |= band->is_out_of_memory;
        all.is_broken |= band->is_broken;
        all.has_receipts |= band->receipts.count > 0;
        all.overflow = min_u32(band->overflow, all.overflow);
    }
    for (uint32_t b = 0; b < network->bands && (may_be_idle || all.work == 0); b++) {
        uint64_t due = wheel_next(&network->band[b].wheel, network->cycle);
        all.due = due < all.due ? due : all.due;
    }
    network->all = all;
}

static bool is_left(const struct network *network)
{
    return network->all.done < network->all.posted;
}

/* Runs one cycle or more, but not past one in which deadlocks are searched for. An overflow ends
 * the run in its cycle, and is seen only when flits have entered; an observer is called after each
 * cycle. */
static void run_cycles(struct network *network, uint64_t until)
{
    uint64_t search =
        (network->cycle + DEADLOCK_PERIOD - 1) / DEADLOCK_PERIOD * DEADLOCK_PERIOD + 1;
    bool is_much = network->threads > 1 && network->all.work >= MUCH_WORK;
    struct stretch stretch = {network, until < search ? until : search, is_much};
    if (network->observation != NULL ||
        (network->switching == SWITCHING_STORE_AND_FORWARD && network->settings.buffer > 0))
        stretch.until = network->cycle + 1;
    if (is_much)
        parallel_run(network->threads, run_bands, &stretch);
    else
        run_bands(&stretch, &(struct team){.size = 1});
    network->cycle = network->band->cycle + 1;
    look(network, false);
}

/* ---- the end of a run ---- */

static enum failure_kind check_bands(struct network *network)
{
    if (network->all.is_out_of_memory)
        return fail_memory(&network->failure, "flits in the network");
    if (network->all.is_broken)
        return fail(&network->failure, FAIL_CHECK,
                    "a destination was served twice, or a flit too many has come, in cycle %llu",
                    (unsigned long long)network->cycle - 1);
    if (network->all.overflow == NONE)
        return FAIL_NONE;
    return fail(
        &network->failure, FAIL_CHECK,
        "node %u holds more than %u messages in cycle %llu; a larger buffer, or none, would do",
        network->all.overflow, network->settings.buffer, (unsigned long long)network->cycle - 1);
}

static enum failure_kind check_deadlock(struct network *network, uint64_t cycle)
{
    if (network->switching == SWITCHING_STORE_AND_FORWARD || network->all.segments == 0)
        return FAIL_NONE;
    return network_find_deadlock(network, cycle);
}

/* Fails if something is left when all is delivered. */
static enum failure_kind check_end(struct network *network)
{
    network->has_moved = false;
    if (network->all.taken == 0 && network->all.segments == 0)
        return FAIL_NONE;
    return fail(&network->failure, FAIL_CHECK,
                "all is delivered, but %llu channels are not given back",
                (unsigned long long)network->all.taken);
}

/* Skips cycles in which nothing happens. The same headers wait in all of them, so one search
 * for deadlocks is enough. */
static enum failure_kind skip(struct network *network, uint64_t to)
{
    uint64_t search = (network->cycle + DEADLOCK_PERIOD - 1) / DEADLOCK_PERIOD * DEADLOCK_PERIOD;
    if (search < to && check_deadlock(network, search) != FAIL_NONE) {
        network->cycle = search + 1;
        return network->failure.kind;
    }
    network->cycle = to;
    return FAIL_NONE;
}

static enum failure_kind step(struct network *network, uint64_t until)
{
    uint64_t due = network->has_moved ? network->cycle : network->all.due;
    if (due > network->cycle && due != UINT64_MAX)
        return skip(network, due < until ? due : until);
    run_cycles(network, until);
    network->has_moved = network->all.work > 0;
    enum failure_kind kind = check_bands(network);
    if (network->observation != NULL)
        observe_cycle(network->observation, network->cycle, false);
    if (kind != FAIL_NONE)
        return kind;
    if (!is_left(network))
        return check_end(network);
    bool stands_still = !network->has_moved && network->all.due == UINT64_MAX;
    if (stands_still || (network->cycle - 1) % DEADLOCK_PERIOD == 0)
        kind = check_deadlock(network, network->cycle - 1);
    if (kind == FAIL_NONE && stands_still)
        kind = fail(&network->failure, FAIL_CHECK, "no flit can move in cycle %llu",
                    (unsigned long long)network->cycle - 1);
    return kind;
}

/* ---- the call ---- */

/* Lists a message that is done in the order of network_take_done(). False: no memory, and
 * network->failure is set. */
static bool add_done(struct network *network, struct network_delivery done)
{
    if (!LIST_PUSH(&network->done, done)) {
        fail_memory(&network->failure, "messages that are done");
        return false;
    }
    struct network_delivery *item = network->done.item;
    uint32_t place = network->done.count - 1;
    for (; place > 0; place--) {
        const struct network_delivery *before = &item[place - 1];
        if (before->delivered < done.delivered ||
            (before->delivered == done.delivered && before->message < done.message))
            break;
        item[place] = *before;
    }
    item[place] = done;
    return true;
}

static bool finish(struct network *network, struct finished item)
{
    struct network_delivery done = {item.message->number, item.message->created, item.delivered};
    if (!add_done(network, done))
        return false;
    block_give(&network->blocks, item.message, item.message->bytes);
    return true;
}

/* Lists finished messages, and frees their memory. The lists of the bands are in the order of
 * delivery, so almost all join the end. */
static void collect(struct network *network)
{
    uint32_t taken[MOST_BANDS] = {0};
    if (network->is_done_taken)
        network->done.count = 0;
    network->is_done_taken = false;
    for (;;) {
        struct finished *next = NULL;
        uint32_t from = 0;
        for (uint32_t b = 0; b < network->bands; b++) {
            const struct finished_list *list = &network->band[b].finished;
            if (taken[b] < list->count &&
                (next == NULL || list->item[taken[b]].delivered < next->delivered)) {
                next = &list->item[taken[b]];
                from = b;
            }
        }
        if (next == NULL)
            break;
        if (!finish(network, *next))
            return;
        taken[from]++;
    }
    for (uint32_t b = 0; b < network->bands; b++)
        network->band[b].finished.count = 0;
}

const struct network_receipt *network_take_receipts(struct network *network, size_t *count)
{
    network->receipts.count = 0;
    for (uint32_t b = 0; b < network->bands; b++) {
        struct receipt_list *list = &network->band[b].receipts;
        for (uint32_t i = 0; i < list->count; i++)
            if (!LIST_PUSH(&network->receipts, list->item[i]))
                fail_memory(&network->failure, "receipts of messages");
        list->count = 0;
    }
    *count = network->receipts.count;
    return network->receipts.item;
}

/* Asks for large pages after many messages were posted: they are faster in arrays that will be
 * filled. */
static void expect_traffic(struct network *network)
{
    const struct topology *topology = network->topology;
    const size_t consumers = channels_in(topology, network->consumption);
    if (network->expects_traffic || network->posted < topology->nodes / NODES_PER_MESSAGE)
        return;
    network->expects_traffic = true;
    bool fits = memory_expect_use(network->entry, network->entries * sizeof *network->entry);
    fits &= memory_expect_use(network->node, topology->nodes * sizeof *network->node);
    fits &= memory_expect_use(network->source, topology->nodes * sizeof *network->source);
    fits &= memory_expect_use(network->consumer, consumers * sizeof *network->consumer);
    if (!fits)
        fail_memory(&network->failure, "the network");
}

enum failure_kind network_run(struct network *network, uint64_t until, struct failure *failure)
{
    expect_traffic(network);
    look(network, !network->has_moved);
    while (network->failure.kind == FAIL_NONE && network->cycle < until && is_left(network) &&
           !network->all.has_receipts)
        step(network, until);
    for (uint32_t b = 0; b < network->bands; b++)
        requesters_stay(&network->band[b]);
    collect(network);
    if (network->failure.kind == FAIL_NONE)
        return FAIL_NONE;
    return fail_as(failure, &network->failure);
}
