/* test_network_ranks.c - a network on several ranks does what it does alone.
 *
 * Method: random networks, bursts of every scheme and open loops run alone and on ranks that are threads. Each run writes as
 * text its counts, deliveries, deadlocks, failures, links, and at rank 0 the trace: the same at each rank.
 */
#include "network/burst.h"
#include "network/network_trace.h"
#include "network/open_loop.h"

#include "test/base/ranks_case.h"
#include "test/base/ranks_threads.h"
#include "test/length.h"
#include "test/network/burst_case.h"
#include "test/network/network_case.h"
#include "test/network/network_tell.h"
#include "test/network/open_loop_case.h"
#include "test/schemes/route_walk.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

Suite *network_ranks_suite(void);

enum { MOST_CYCLES = 20000 };

/* ---- what a run tells ---- */

/* Of one rank. */
struct account {
    FILE *file, *trace_file;
    char *text, *trace;
    size_t bytes, trace_bytes;
};

static void account_free(struct account *account)
{
    free(account->text);
    free(account->trace);
}

/* ---- a run on ranks ---- */

/* Something that is run with settings that have ranks and threads; `context` is the trial's. */
typedef void trial_run(const void *context, struct ranks *ranks, uint32_t threads, bool is_observed,
                       struct account *account);

struct trial {
    trial_run *run;
    const void *context;
    uint32_t threads;
    bool is_observed;
    struct account account[MOST_RANKS];
};

static void run_told(const struct trial *trial, struct ranks *ranks, uint32_t threads,
                     struct account *account)
{
    account->file = open_memstream(&account->text, &account->bytes);
    account->trace_file = open_memstream(&account->trace, &account->trace_bytes);
    if (account->file == NULL || account->trace_file == NULL)
        abort();
    trial->run(trial->context, ranks, threads, trial->is_observed, account);
    fclose(account->file);
    fclose(account->trace_file);
}

static enum failure_kind run_rank(void *context, struct ranks *ranks, struct failure *failure)
{
    struct trial *trial = context;
    (void)failure;
    run_told(trial, ranks, trial->threads, &trial->account[ranks_rank(ranks)]);
    return FAIL_NONE;
}

/* Fails with the first line in which two texts differ. */
static void compare_texts(const char *what, const char *alone, const char *ranks)
{
    if (strcmp(alone, ranks) == 0)
        return;
    while (*alone == *ranks) {
        const char *line = strchr(alone, '\n');
        if (line == NULL || strncmp(alone, ranks, (size_t)(line - alone) + 1) != 0)
            break;
        ranks += line + 1 - alone;
        alone = line + 1;
    }
    ck_abort_msg("%s: alone '%.*s', on ranks '%.*s'", what, (int)strcspn(alone, "\n"), alone,
                 (int)strcspn(ranks, "\n"), ranks);
}

static void try_ranks(struct trial *trial, const struct account *alone, uint32_t ranks,
                      uint32_t threads, const char *what)
{
    struct failure failure = {0};
    char where[256];
    trial->threads = threads;
    ck_assert_msg(ranks_run_threads(ranks, run_rank, trial, &failure) == FAIL_NONE, "%s: %s", what,
                  failure.text);
    for (uint32_t r = 0; r < ranks; r++) {
        snprintf(where, sizeof where, "%s, rank %" PRIu32 " of %" PRIu32 ", %" PRIu32 " threads",
                 what, r, ranks, threads);
        compare_texts(where, alone->text, trial->account[r].text);
        compare_texts(where, r == 0 ? alone->trace : "", trial->account[r].trace);
        account_free(&trial->account[r]);
    }
}

/* Runs it alone, and on ranks of each number that is no more than `rows`, with one thread and with two; short tests take
 * turns. */
static void try(trial_run *run, const void *context, uint32_t rows, bool is_observed,
                const char *what)
{
    static const uint32_t sizes[] = {2, 3, 5};
    static uint32_t turn;
    turn++;
    struct trial trial = {.run = run, .context = context, .is_observed = is_observed};
    struct account alone;
    run_told(&trial, NULL, 1, &alone);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t threads = 1; threads <= 2; threads++)
            if (sizes[i] <= rows && sizes[i] <= MOST_RANKS &&
                (!TEST_IS_SHORT || (turn + i + threads) % 2 == 0))
                try_ranks(&trial, &alone, sizes[i], threads, what);
    account_free(&alone);
}

static uint32_t rows_of(const struct topology *topology)
{
    return topology->shape.size[topology->shape.dimensions - 1];
}

/* ---- random networks ---- */

struct random_trial {
    const struct network_case *c;
    uint64_t stride; /* cycles a call */
};

/* Posts what is posted now; if nothing is left to do, what is posted next. */
static uint32_t post(const struct network_case *c, struct network *network, uint32_t posted,
                     FILE *out)
{
    struct network_counts counts = network_counts(network);
    bool is_idle = counts.done == posted;
    for (; posted < c->messages; posted++) {
        const struct case_message *m = &c->message[posted];
        struct failure failure = {0};
        if (m->posted > counts.cycle && !is_idle)
            return posted;
        is_idle = false;
        if (!network_is_here(network, m->multicast.source))
            network_post_elsewhere(network, 1);
        else if (network_post(network, m->created, &m->multicast, &m->plan, &failure) != FAIL_NONE)
            fprintf(out, "post: %s\n", failure.text);
    }
    return posted;
}

static void tell_links(const struct network *network, struct ranks *ranks,
                       const struct topology *topology, FILE *out)
{
    uint64_t flits[CASE_LINKS] = {0}, most;
    uint32_t from = 0, to = 0;
    for (uint64_t l = 0; l < topology->links; l++)
        flits[l] = network_link_flits(network, l);
    ranks_sum(ranks, flits, topology->links, NULL);
    for (uint64_t l = 0; l < topology->links; l++)
        fprintf(out, "link %" PRIu64 " %" PRIu64 "\n", l, flits[l]);
    network_busiest_link(network, &most, &from, &to, NULL);
    fprintf(out, "busiest %" PRIu64 " %" PRIu32 " %" PRIu32 "\n", most, from, to);
}

/* What was done at all ranks, each of which knows it of its own sources, in order. */
static void tell_done(struct network *network, struct ranks *ranks, FILE *out)
{
    uint64_t of[CASE_MESSAGES][2] = {{0}}; /* when created, and 1, and delivered */
    size_t count;
    const struct network_delivery *done = network_take_done(network, &count);
    for (size_t i = 0; i < count; i++) {
        of[done[i].message][0] = done[i].created + 1;
        of[done[i].message][1] = done[i].delivered;
        if (i > 0 && done[i - 1].delivered > done[i].delivered)
            fprintf(out, "done in no order\n");
    }
    ranks_sum(ranks, of[0], sizeof of / sizeof of[0][0], NULL);
    for (uint32_t m = 0; m < CASE_MESSAGES; m++)
        if (of[m][0] > 0)
            fprintf(out, "done %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", m, of[m][0], of[m][1]);
}

static void run_case(const void *context, struct ranks *ranks, uint32_t threads, bool is_observed,
                     struct account *account)
{
    const struct random_trial *trial = context;
    const struct network_case *c = trial->c;
    struct network_settings settings = c->settings;
    struct network_observer observer = network_trace_observer(account->trace_file);
    struct network *network;
    struct failure failure = {0};
    uint32_t posted = 0;
    settings.ranks = ranks;
    settings.threads = threads;
    if (network_make(&network, &c->topology, c->routing, &settings, is_observed ? &observer : NULL,
                     &failure) != FAIL_NONE) {
        fprintf(account->file, "make: %s\n", failure.text);
        return;
    }
    while (failure.kind == FAIL_NONE &&
           (posted < c->messages || network_counts(network).done < posted)) {
        posted = post(c, network, posted, account->file);
        uint64_t now = network_counts(network).cycle, until = now + trial->stride;
        if (posted < c->messages && c->message[posted].posted < until)
            until = c->message[posted].posted;
        network_run(network, until, &failure);
        tell_counts(account->file, network_counts(network));
        tell_done(network, ranks, account->file);
        if (now > MOST_CYCLES)
            abort();
    }
    size_t count;
    const struct network_wait *wait = network_deadlock(network, &count);
    fprintf(account->file, "%d %s\n", (int)failure.kind, failure.text);
    tell_waits(account->file, wait, count);
    tell_links(network, ranks, &c->topology, account->file);
    network_end_events(network, NULL);
    network_free(network);
}

static void try_case(uint64_t number)
{
    static struct network_case c;
    char what[64];
    network_case_random(&c, number);
    c.settings.switching %= SWITCHING_CIRCUIT; /* ranks refuse circuits, and stops in headers */
    c.settings.header = STOPS_UNNAMED;
    struct random_trial trial = {&c, number % 4 < 2 ? UINT64_MAX / 2 : 1 + number % 7};
    snprintf(what, sizeof what, "case %" PRIu64, number);
    try(run_case, &trial, rows_of(&c.topology), number % 2 == 0, what);
}

/* Among them are deadlocks, while flits move too, overflows, and graphs. */
START_TEST(random_networks)
{
    uint32_t count = TEST_IS_SHORT ? 20 : 100;
    for (uint32_t i = 0; i < count; i++)
        try_case((uint64_t)_i * count + i);
}
END_TEST

/* Only rare networks show that a rank learns when all of a worm behind its border can go on, and rank 0 buffers' ends. */
START_TEST(rare_networks)
{
    static const uint64_t numbers[] = {213, 373, 44118};
    for (int turn = 0; turn < 2; turn++) /* short tests take turns */
        try_case(numbers[_i]);
}
END_TEST

/* ---- bursts ---- */

struct burst_trial {
    struct burst burst;
    uint32_t most_destinations, most_flits;
};

static bool never_ends(void *context, uint64_t done, uint64_t all, uint64_t cycle)
{
    (void)context, (void)done, (void)all, (void)cycle;
    return false;
}

static void tell_burst(const struct burst *burst, const struct burst_result *result, FILE *out)
{
    tell_counts(out, result->counts);
    fprintf(out, "latency %.17g %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
            result->latency.mean, result->latency.median, result->latency.p95, result->latency.p99,
            result->latency.max);
    fprintf(out, "expected %" PRIu64 " bound %" PRIu64 " partial %d\n", result->expected,
            result->bounds.lower_bound, (int)result->is_partial);
    fprintf(out, "busiest %" PRIu32 " %" PRIu32 " %" PRIu64 "\n", result->busiest_from,
            result->busiest_to, result->busiest_flits);
    tell_waits(out, result->deadlock, result->waits);
    for (uint32_t i = 0; i < burst->messages; i++)
        fprintf(out, "delivered %" PRIu32 " %" PRIu64 "\n", i, burst->delivered[i]);
    for (uint64_t l = 0; l < burst->topology->links; l++)
        fprintf(out, "link %" PRIu64 " %" PRIu64 "\n", l, burst->link_flits[l]);
}

static void run_burst(const void *context, struct ranks *ranks, uint32_t threads, bool is_observed,
                      struct account *account)
{
    const struct burst_trial *trial = context;
    struct burst burst = trial->burst;
    struct random_messages *messages = calloc(1, sizeof *messages);
    struct network_observer observer = network_trace_observer(account->trace_file);
    struct burst_result result;
    struct failure failure = {0};
    *messages = (struct random_messages){.topology = burst.topology,
                                         .seed = 5,
                                         .most_destinations = trial->most_destinations,
                                         .most_flits = trial->most_flits};
    burst.settings.ranks = ranks;
    burst.settings.threads = threads;
    random_messages_choose(messages, trial->burst.messages, &burst);
    burst.watcher = never_ends;
    burst.observer = is_observed ? &observer : NULL;
    burst.delivered = calloc(burst.messages, sizeof *burst.delivered);
    burst.link_flits = calloc(burst.topology->links, sizeof *burst.link_flits);
    enum failure_kind kind = burst_run(&burst, &result, &failure);
    fprintf(account->file, "%d %s\n", (int)kind, failure.text);
    tell_burst(&burst, &result, account->file);
    burst_free(&result);
    free(burst.delivered);
    free(burst.link_flits);
    free((void *)messages->number);
    free(messages);
}

/* Every scheme, with each kind of switching, where it can run. */
START_TEST(bursts)
{
    static const struct {
        const char *topology;
        uint32_t messages, vcs, buffer, startup;
    } place[] = {{"mesh:11x4", 60, 1, 1, 0},   {"torus:7x5", 50, 2, 1, 3},
                 {"mesh:5x3x3", 50, 2, 4, 0},  {"torus:6x2x2x2", 40, 3, 2, 0},
                 {"torus:9", 30, 2, 3, 5},     {"mesh:33x4", 80, 1, 5, 1},
                 {"mesh:7x2x2x2", 40, 2, 2, 2}};
    struct topology topology = route_walk_topology(place[_i].topology);
    char what[128];
    for (uint32_t s = 0; s < scheme_count(); s++) {
        struct burst_trial trial = {{.topology = &topology,
                                     .scheme = scheme_at(s),
                                     .settings = network_settings_default(),
                                     .messages = place[_i].messages},
                                    topology.nodes < 20 ? 3 : 6,
                                    4};
        struct network_settings *settings = &trial.burst.settings;
        uint32_t switching = (s + (uint32_t)_i) % 3;
        settings->switching = (enum switching)switching;
        settings->vcs = place[_i].vcs;
        settings->startup = place[_i].startup;
        settings->consumption = s % 3;
        settings->releases_when_left = switching != SWITCHING_STORE_AND_FORWARD && s % 2 == 1;
        settings->buffer = switching == SWITCHING_WORMHOLE      ? place[_i].buffer
                           : switching == SWITCHING_CUT_THROUGH ? 4
                                                                : s % 2 * 9;
        snprintf(what, sizeof what, "%s, %s, switching %" PRIu32, place[_i].topology,
                 scheme_at(s)->name, switching);
        try(run_burst, &trial, rows_of(&topology), s % 2 == 0, what);
    }
    topology_free(&topology);
}
END_TEST

/* So much moves at once that each rank's threads share it. */
START_TEST(much_traffic)
{
    struct topology topology = route_walk_topology("mesh:120x90");
    struct burst_trial trial = {
        {.topology = &topology, .settings = network_settings_default(), .messages = 10000}, 1, 12};
    struct failure failure = {0};
    ck_assert_int_eq(scheme_find("unicast", &trial.burst.scheme, &failure), FAIL_NONE);
    try(run_burst, &trial, 2, false, "much traffic");
    topology_free(&topology);
}
END_TEST

/* ---- what is refused ---- */

static void check_refused(const void *context, struct ranks *ranks, uint32_t threads,
                          bool is_observed, struct account *account)
{
    const struct topology *topology = context;
    struct network_settings settings = network_settings_default();
    struct failure failure = {0};
    (void)threads, (void)is_observed;
    settings.ranks = ranks;
    enum failure_kind kind =
        network_check_settings(&settings, topology, &routing_x_first, 1, &failure);
    fprintf(account->file, "%d %s\n", (int)kind, failure.text);
}

/* Of several messages that the network refuses all ranks name the first: few have branches, for which a node needs all ports. */
static void refuse_plans(const void *context, struct ranks *ranks, uint32_t threads,
                         bool is_observed, struct account *account)
{
    struct burst burst = {.topology = context, .settings = network_settings_default()};
    struct random_messages messages = {
        .topology = context, .seed = 5, .most_destinations = 3, .most_flits = 4};
    struct failure failure = {0};
    struct burst_result result;
    (void)threads, (void)is_observed;
    burst.settings.ranks = ranks;
    scheme_find("vh", &burst.scheme, &failure);
    burst.settings.is_one_port = true;
    random_messages_choose(&messages, 4, &burst);
    burst_run(&burst, &result, &failure);
    fprintf(account->file, "%d %s\n", (int)failure.kind, failure.text);
    free((void *)messages.number);
}

START_TEST(refusals)
{
    struct topology narrow = route_walk_topology("mesh:2x9"),
                    topology = route_walk_topology("mesh:9x5");
    struct trial trial = {.run = check_refused, .context = &narrow};
    struct account account = {.text = "2 more ranks (3) than nodes along the slowest dimension "
                                      "(2); each rank must have one\n",
                              .trace = ""};
    if (MOST_RANKS >= 3)
        try_ranks(&trial, &account, 3, 1, "more ranks than rows");
    try(refuse_plans, &topology, 5, false, "refused plans");
    topology_free(&narrow);
    topology_free(&topology);
}
END_TEST

/* ---- open loops ---- */

static void run_loop(const void *context, struct ranks *ranks, uint32_t threads, bool is_observed,
                     struct account *account)
{
    struct open_loop loop = *(const struct open_loop *)context;
    struct open_loop_result result;
    struct failure failure = {0};
    (void)is_observed;
    loop.settings.ranks = ranks;
    loop.settings.threads = threads;
    enum failure_kind kind = open_loop_run(&loop, &result, &failure);
    FILE *out = account->file;
    fprintf(out, "%d %s\n", (int)kind, failure.text);
    open_loop_case_tell(&result, out);
    tell_waits(out, result.deadlock, result.waits);
    open_loop_free(&result);
}

/* Little load, much, and more than is carried; a run that is finite, and one that deadlocks. Without destinations only rank 0 has long plans, so no other
 * rank knows how much may be unsent. */
START_TEST(open_loops)
{
    static struct uneven_lists uneven;
    static const struct {
        const char *topology, *scheme;
        double rate;
        uint32_t destinations, flits, vcs, runs;
        bool is_finite;
    } place[] = {{"mesh:8x8", "unicast", 0.1, 1, 1, 1, 1, false},
                 {"torus:7x6", "unicast", 0.04, 2, 3, 2, 2, false},
                 {"mesh:6x6", "dual", 0.2, 4, 3, 1, 1, false},
                 {"mesh:5x4x3", "u-mesh", 0.01, 3, 2, 1, 1, true},
                 {"mesh:7x7", "vh", 0.05, 5, 6, 1, 1, false},
                 {"mesh:9x5", "xy-path", 0.01, 1, 1, 1, 1, false},
                 {"mesh:7x5", "unicast", 0.21, 1, 3, 1, 1, false}, /* hardly more than is carried */
                 {"mesh:6x6", "unicast", 0.9, 8, 1, 1, 1, false},  /* too much is unsent */
                 {"mesh:4x33", "xy-path", 0.02, 3, 2, 1, 1, false},
                 {"mesh:5x3", "unicast", 0.5, 0, 16, 1, 1, false}};
    struct topology topology = route_walk_topology(place[_i].topology);
    struct open_loop loop = open_loop_case(&topology, place[_i].scheme, place[_i].rate);
    loop.destinations = place[_i].destinations;
    if (loop.destinations == 0)
        loop.lists = open_loop_case_uneven(&uneven, topology.nodes);
    loop.most_flits = place[_i].flits;
    loop.settings.vcs = place[_i].vcs;
    loop.most_runs = place[_i].runs;
    loop.precision = 0.001;
    loop.is_finite = place[_i].is_finite;
    loop.warmup = 100;
    loop.measured = TEST_IS_SHORT ? 300 : 3000;
    try(run_loop, &loop, rows_of(&topology), false, place[_i].topology);
    topology_free(&topology);
}
END_TEST

Suite *network_ranks_suite(void)
{
    Suite *suite = suite_create("network_ranks");
    TCase *tcase = tcase_create("ranks");
    tcase_add_loop_test(tcase, random_networks, 0, 4);
    tcase_add_loop_test(tcase, rare_networks, 0, 3);
    tcase_add_loop_test(tcase, bursts, 0, 7);
    tcase_add_test(tcase, much_traffic);
    tcase_add_test(tcase, refusals);
    tcase_add_loop_test(tcase, open_loops, 0, 10);
    suite_add_tcase(suite, tcase);
    return suite;
}
