/* test_network_ranks.c - a network on several ranks does what it does alone.
 *
 * Method: random small networks (network_case.h), bursts of every scheme and open loops run alone and on ranks that are
 * threads. Each run writes what it tells as text: counts after each call, deliveries, deadlocks, failures, links, and
 * at rank 0 the trace. Texts must be the same at each rank. A serial build has no ranks to test.
 */
#include "network/burst.h"
#include "network/network_trace.h"
#include "network/open_loop.h"

#include "test/base/ranks_case.h"
#include "test/length.h"
#include "test/network/network_case.h"
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

static void account_begin(struct account *account)
{
    account->file = open_memstream(&account->text, &account->bytes);
    account->trace_file = open_memstream(&account->trace, &account->trace_bytes);
    if (account->file == NULL || account->trace_file == NULL)
        abort();
}

static void account_end(struct account *account)
{
    fclose(account->file);
    fclose(account->trace_file);
}

static void account_free(struct account *account)
{
    free(account->text);
    free(account->trace);
}

static void tell_counts(FILE *out, struct network_counts counts)
{
    fprintf(out,
            "cycle %" PRIu64 " messages %" PRIu64 " done %" PRIu64 " deliveries %" PRIu64
            " startups %" PRIu64 " crossings %" PRIu64 " last %" PRIu64 " peaks %" PRIu32
            " %" PRIu64 "\n",
            counts.cycle, counts.messages, counts.done, counts.deliveries, counts.startups,
            counts.crossings, counts.last_delivery, counts.buffer_peak, counts.unsent_peak);
}

static void tell_waits(FILE *out, const struct network_wait *wait, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out,
                "wait %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %d %" PRIu32 "\n",
                wait[i].message, wait[i].worm, wait[i].node, wait[i].waits_for, wait[i].source,
                (int)wait[i].need, wait[i].to);
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

static enum failure_kind run_rank(void *context, struct ranks *ranks, struct failure *failure)
{
    struct trial *trial = context;
    struct account *account = &trial->account[ranks_rank(ranks)];
    (void)failure;
    account_begin(account);
    trial->run(trial->context, ranks, trial->threads, trial->is_observed, account);
    account_end(account);
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

/* Runs it alone, and on ranks of each number that is no more than `rows`. */
static void try(trial_run *run, const void *context, uint32_t rows, bool is_observed,
                const char *what)
{
    static const uint32_t sizes[] = {2, 3, 5};
    struct trial trial = {.run = run, .context = context, .is_observed = is_observed};
    struct account alone;
    account_begin(&alone);
    run(context, NULL, 1, is_observed, &alone);
    account_end(&alone);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t threads = 1; threads <= 2; threads++)
            if (sizes[i] <= rows && sizes[i] <= MOST_RANKS)
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
            network_post_elsewhere(network);
        else if (network_post(network, m->created, &m->multicast, &m->plan, m->is_own_destination,
                              &failure) != FAIL_NONE)
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
        size_t count;
        const struct network_delivery *done = network_take_done(network, &count);
        for (size_t i = 0; i < count; i++)
            fprintf(account->file, "done %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", done[i].message,
                    done[i].created, done[i].delivered);
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

START_TEST(random_networks)
{
    static struct network_case c;
    uint32_t count = TEST_IS_SHORT ? 150 : 4000, deadlocks = 0;
    char what[64];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = (uint64_t)_i * count + i;
        network_case_random(&c, number);
        struct random_trial trial = {&c, number % 4 < 2 ? UINT64_MAX / 2 : 1 + number % 7};
        snprintf(what, sizeof what, "case %" PRIu64, number);
        try(run_case, &trial, rows_of(&c.topology), number % 2 == 0, what);
    }
    (void)deadlocks;
}
END_TEST

Suite *network_ranks_suite(void)
{
    Suite *suite = suite_create("network_ranks");
    TCase *tcase = tcase_create("ranks");
    tcase_add_loop_test(tcase, random_networks, 0, 4);
    suite_add_tcase(suite, tcase);
    return suite;
}
