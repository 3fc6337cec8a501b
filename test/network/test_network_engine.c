/* test_network_engine.c - the network against its golden model: random small networks, compared
 * after every cycle, or after some.
 *
 * Compared are owner and flits of each virtual channel, flits over each link, worms that wait at
 * each node, all counts, deliveries, the deadlock's cycle of worms; at the end every event. If they
 * differ the case is made smaller first: messages are left out as long as a difference remains.
 */
#include "test/length.h"
#include "test/network/network_case.h"
#include "test/reference/network_reference.h"

#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CYCLES = 20000, MOST_EVENTS = 1 << 16 };

struct heard {
    size_t events;
    struct golden_event event[MOST_EVENTS];
};

/* A case under way: the network, the golden model, and the first difference. */
struct comparison {
    const struct network_case *c;
    struct golden *golden;
    struct network *network;
    uint32_t posted; /* posted messages of the case */
    uint64_t stride; /* cycles from one comparison to the next */
    char difference[256];
};

static void hear(void *context, uint64_t cycle, const struct network_event *event, size_t count)
{
    struct heard *heard = context;
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_lt(heard->events, MOST_EVENTS);
        heard->event[heard->events++] = (struct golden_event){cycle, event[i]};
    }
}

/* Notes the first difference. */
static void differ(struct comparison *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void differ(struct comparison *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (t->difference[0] == '\0') {
        int length = snprintf(t->difference, sizeof t->difference, "after cycle %" PRIu64 ": ",
                              t->golden->counts.cycle - 1);
        vsnprintf(t->difference + length, sizeof t->difference - (size_t)length, format, arguments);
    }
    va_end(arguments);
}

#define COMPARE(t, what, one, other)                                                               \
    do {                                                                                           \
        if ((one) != (other))                                                                      \
            differ(t, "%s: %" PRIu64 ", golden %" PRIu64, what, (uint64_t)(one),                   \
                   (uint64_t)(other));                                                             \
    } while (0)

static void compare_counts(struct comparison *t)
{
    struct network_counts is = network_counts(t->network), golden = t->golden->counts;
    COMPARE(t, "cycle", is.cycle, golden.cycle);
    COMPARE(t, "messages", is.messages, golden.messages);
    COMPARE(t, "done", is.done, golden.done);
    COMPARE(t, "deliveries", is.deliveries, golden.deliveries);
    COMPARE(t, "startups", is.startups, golden.startups);
    COMPARE(t, "crossings", is.crossings, golden.crossings);
    COMPARE(t, "last_delivery", is.last_delivery, golden.last_delivery);
    COMPARE(t, "buffer_peak", is.buffer_peak, golden.buffer_peak);
    COMPARE(t, "unsent_peak", is.unsent_peak, golden.unsent_peak);
}

static void compare_channels(struct comparison *t)
{
    for (uint64_t l = 0; l < t->c->topology.links; l++) {
        if (t->golden->link[l].to == GOLDEN_NOWHERE)
            continue;
        if (network_link_flits(t->network, l) != t->golden->link[l].flits)
            differ(t, "flits over link %" PRIu64 ": %" PRIu64 ", golden %" PRIu64, l,
                   network_link_flits(t->network, l), t->golden->link[l].flits);
        for (uint32_t v = 0; v < t->c->settings.vcs; v++) {
            struct network_channel is = network_channel_at(t->network, l, v);
            struct network_channel golden = golden_channel_at(t->golden, l, v);
            if (is.message != golden.message || is.worm != golden.worm || is.flits != golden.flits)
                differ(t,
                       "link %" PRIu32 " -> %" PRIu32 " vc %" PRIu32 ": %d.%d %" PRIu32
                       " flits, golden %d.%d %" PRIu32,
                       t->golden->link[l].from, t->golden->link[l].to, v, (int)is.message,
                       (int)is.worm, is.flits, (int)golden.message, (int)golden.worm, golden.flits);
        }
    }
    for (uint32_t i = 0; i < t->c->topology.nodes; i++)
        if (network_unsent(t->network, i) != golden_unsent(t->golden, i))
            differ(t, "unsent at node %" PRIu32 ": %" PRIu64 ", golden %" PRIu64, i,
                   network_unsent(t->network, i), golden_unsent(t->golden, i));
}

/* Deliveries since the last cycle, ordered by (delivered, message). */
static void compare_done(struct comparison *t, uint64_t done_before)
{
    size_t count;
    const struct network_delivery *done = network_take_done(t->network, &count);
    COMPARE(t, "messages done in this cycle", count, t->golden->counts.done - done_before);
    for (size_t i = 0; i < count; i++) {
        const struct network_delivery *d = &done[i], *before = d - 1;
        if (d->message >= t->golden->messages) {
            differ(t, "message %" PRIu32 " is done, which is none", d->message);
            continue;
        }
        const struct golden_message *golden = t->golden->message[d->message];
        COMPARE(t, "created", d->created, golden->created);
        COMPARE(t, "delivered", d->delivered, golden->delivered);
        if (i > 0 && (before->delivered > d->delivered ||
                      (before->delivered == d->delivered && before->message >= d->message)))
            differ(t, "deliveries are not in order");
    }
}

static void compare_deadlock(struct comparison *t)
{
    size_t count;
    const struct network_wait *wait = network_deadlock(t->network, &count);
    COMPARE(t, "worms in the deadlock", count, t->golden->waits);
    for (size_t i = 0; i < count && i < t->golden->waits; i++) {
        const struct network_wait *golden = &t->golden->wait[i];
        if (memcmp(&wait[i], golden, sizeof *golden) != 0)
            differ(t,
                   "deadlock, place %zu: %" PRIu32 ".%" PRIu32 " at %" PRIu32 ", golden %" PRIu32
                   ".%" PRIu32 " at %" PRIu32 "; needs %d of %" PRIu32 ", golden %d of %" PRIu32,
                   i, wait[i].message, wait[i].worm, wait[i].node, golden->message, golden->worm,
                   golden->node, (int)wait[i].need, wait[i].to, (int)golden->need, golden->to);
    }
}

static void compare_events(struct comparison *t, const struct heard *heard)
{
    golden_sort_events(t->golden);
    for (size_t i = 0; i < heard->events && i < t->golden->events; i++) {
        const struct golden_event *is = &heard->event[i], *golden = &t->golden->event[i];
        if (is->cycle != golden->cycle || is->event.kind != golden->event.kind ||
            memcmp(is->event.field, golden->event.field, sizeof is->event.field) != 0)
            differ(t,
                   "event %zu: %" PRIu64 " %c %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32
                   " %" PRIu32 " %" PRIu32 ", golden %" PRIu64 " %c %" PRIu32 " %" PRIu32
                   " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32,
                   i, is->cycle, is->event.kind, is->event.field[0], is->event.field[1],
                   is->event.field[2], is->event.field[3], is->event.field[4], is->event.field[5],
                   golden->cycle, golden->event.kind, golden->event.field[0],
                   golden->event.field[1], golden->event.field[2], golden->event.field[3],
                   golden->event.field[4], golden->event.field[5]);
    }
    COMPARE(t, "events", heard->events, t->golden->events);
}

/* Posts the messages that are posted now; if nothing is left to do, the ones posted next. */
static void post(struct comparison *t, uint64_t now)
{
    const struct network_case *c = t->c;
    bool is_idle = t->golden->counts.done == t->golden->messages;
    for (; t->posted < c->messages; t->posted++) {
        const struct case_message *m = &c->message[t->posted];
        struct failure failure = {0};
        if (m->is_left_out)
            continue;
        if (m->posted > now && !is_idle)
            return;
        is_idle = false;
        golden_post(t->golden, m->created, &m->multicast, &m->plan);
        if (network_post(t->network, m->created, &m->multicast, &m->plan, &failure) != FAIL_NONE)
            differ(t, "post: %s", failure.text);
    }
}

static void run_cycles(struct comparison *t)
{
    struct failure failure = {0};
    uint64_t now = t->golden->counts.cycle, until = now + t->stride, done = t->golden->counts.done;
    if (t->posted < t->c->messages && t->c->message[t->posted].posted < until)
        until = t->c->message[t->posted].posted; /* which is later than now */
    while (t->golden->counts.cycle < until && golden_cycle(t->golden))
        continue;
    enum failure_kind kind = network_run(t->network, until, &failure);
    if (kind != t->golden->failed)
        differ(t, "failure: %d, golden %d; %s", (int)kind, (int)t->golden->failed, failure.text);
    compare_counts(t);
    compare_channels(t);
    compare_done(t, done);
    compare_deadlock(t);
    if (until > MOST_CYCLES)
        differ(t, "no end");
}

/* Runs the case on both. False: they differ, and `difference` names the place. The network may work
 * in another way without an observer, and skips idle cycles if it may run for long. */
static bool compare_case(const struct network_case *c, uint64_t number, char difference[256])
{
    static struct heard heard;
    struct network_observer observer = {&heard, hear};
    bool is_observed = number % 2 == 0;
    struct comparison t = {.c = c, .stride = number % 4 < 3 ? 1 : 1 + number / 4 % 50};
    struct failure failure = {0};
    heard.events = 0;
    t.golden = golden_make(&c->topology, c->routing, &c->settings);
    if (network_make(&t.network, &c->topology, c->routing, &c->settings,
                     is_observed ? &observer : NULL, &failure) != FAIL_NONE) {
        differ(&t, "make: %s", failure.text);
    } else {
        do {
            post(&t, t.golden->counts.cycle);
            if (t.golden->counts.done < t.golden->messages)
                run_cycles(&t);
        } while (t.difference[0] == '\0' && t.golden->failed == FAIL_NONE &&
                 (t.posted < c->messages || t.golden->counts.done < t.golden->messages));
        network_free(t.network);
        if (t.difference[0] == '\0' && is_observed)
            compare_events(&t, &heard);
    }
    golden_free(t.golden);
    memcpy(difference, t.difference, sizeof t.difference);
    return difference[0] == '\0';
}

/* Leaves out messages as long as the case still fails, then prints the rest. */
static void fail_with_smallest(struct network_case *c, uint64_t number)
{
    char difference[256];
    bool is_smaller;
    do {
        is_smaller = false;
        for (uint32_t i = 0; i < c->messages; i++) {
            if (c->message[i].is_left_out)
                continue;
            c->message[i].is_left_out = true;
            if (compare_case(c, number, difference))
                c->message[i].is_left_out = false;
            else
                is_smaller = true;
        }
    } while (is_smaller);
    compare_case(c, number, difference);
    printf("case %" PRIu64 ", made smaller:\n", number);
    network_case_print(c);
    printf("%s\n", difference);
    fflush(stdout);
    ck_abort_msg("case %" PRIu64 ": %s", number, difference);
}

static void compare_cases(uint64_t first, uint64_t end)
{
    static struct network_case c;
    char difference[256];
    for (uint64_t number = first; number < end; number++) {
        network_case_random(&c, number);
        if (!compare_case(&c, number, difference))
            fail_with_smallest(&c, number);
    }
}

/* Random networks agree with the golden model in every cycle. */
START_TEST(test_random)
{
    uint64_t cases = TEST_IS_SHORT ? 250 : 2500;
    compare_cases((uint64_t)_i * cases, (uint64_t)(_i + 1) * cases);
}
END_TEST

void network_engine_suite(TCase *random)
{
    tcase_add_loop_test(random, test_random, 0, 8);
}
