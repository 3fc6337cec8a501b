/* sweep_ranks.c - rank 0 deals out runs, one to each rank that is idle, and stores what comes back.
 *
 * An order is the number of a run and its identity, so that a rank whose files are others finds that out. An answer
 * is a sweep_message, the hash of the set, and the figures as a text of JSON.
 *
 * A rank passes orders on to its deputy (sweep/deputy.h), whose worker does the runs. A run whose worker died is dealt out
 * once more, after all others; if it kills a worker again, it stays undone, so a run that takes more memory than there
 * is costs two processes. A sweep alone gives such a run to its other processes, and does not replace those that died.
 *
 * Rank 0 claims a run (sweep/claim.h) before it deals it out, as the workers of other sweeps do, so several sweeps can
 * work on one database. A run that another process does is looked at again whenever an answer comes, and every PAUSE
 * if none is awaited. Rows are stored by rank 0 alone, as they come; whatever kills the ranks leaves those.
 */
#include "sweep/sweep_ranks.h"

#include "base/stopwatch.h"
#include "console/available_memory.h"
#include "console/interruption.h"
#include "sweep/claim.h"
#include "sweep/sweep_hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE = 100 }; /* milliseconds */

#define NO_RUN UINT64_MAX

struct order {
    uint64_t run; /* NO_RUN: there are no more */
    /* The rank that gets the order sets these for the process that does the run. */
    uint64_t memory;
    uint32_t rank;
    bool shares_memory;
    char identity[SWEEP_IDENTITY_SIZE];
};

/* The figures follow, without a zero at their end; none if the run is not to be stored. */
struct answer {
    struct sweep_message message;
    char hash[SWEEP_HASH_SIZE];
};

/* ---- rank 0 ---- */

struct dealer {
    const struct sweep_dealing *dealing;
    struct claim_file claims;
    struct results_database database;
    uint64_t *run;  /* [ranks]: what a rank is doing, or NO_RUN */
    bool *is_dealt; /* [runs]: under way, or it could not be done */
    bool *is_lost;  /* [runs]: the process that did it died */
    uint32_t busy;  /* ranks */
};

static void tell(const struct dealer *dealer, uint32_t rank, struct sweep_message message)
{
    message.worker = rank - 1;
    dealer->dealing->tell(dealer->dealing->context, &message);
}

static enum failure_kind send_order(struct ranks *ranks, uint32_t rank, const struct order *order,
                                    struct failure *failure)
{
    return ranks_send(ranks, rank, order, sizeof *order, failure);
}

enum failure_kind sweep_dismiss(struct ranks *ranks, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t rank = 1; rank < ranks_size(ranks) && kind == FAIL_NONE; rank++)
        kind = send_order(ranks, rank, &(struct order){.run = NO_RUN}, failure);
    return kind;
}

/* Finds whether run `index` is to be done by this sweep, by `rank`, and then claims it; *is_elsewhere: another process
 * does it. */
static enum failure_kind claim_run(struct dealer *dealer, uint32_t rank, uint64_t index,
                                   const char *identity, bool *is_claimed, bool *is_elsewhere,
                                   struct failure *failure)
{
    uint64_t hash = sweep_hash_text(identity);
    enum failure_kind outcome = FAIL_NONE;
    bool is_found = false;
    *is_claimed = *is_elsewhere = false;
    if (results_check_place(&dealer->database, failure) != FAIL_NONE ||
        results_find(&dealer->database, identity, &is_found, &outcome, failure) != FAIL_NONE)
        return failure->kind;
    if (!is_found) {
        if (claim_try(&dealer->claims, hash, is_claimed, failure) != FAIL_NONE)
            return failure->kind;
        *is_elsewhere = !*is_claimed;
        /* its row may have come before the claim was free */
        if (*is_claimed)
            results_find(&dealer->database, identity, &is_found, &outcome, failure);
        if (*is_claimed && (is_found || failure->kind != FAIL_NONE)) {
            claim_release(&dealer->claims, hash);
            *is_claimed = false;
        }
    }
    if (is_found)
        tell(dealer, rank,
             (struct sweep_message){.run = index, .event = SWEEP_FOUND, .kind = outcome});
    return failure->kind;
}

/* Gives an idle rank run `index`, unless it is done or another process does it, which *elsewhere counts. */
static enum failure_kind deal_run(struct dealer *dealer, uint32_t rank, uint64_t index,
                                  uint64_t *elsewhere, struct failure *failure)
{
    struct order order = {.run = index};
    struct sweep_case run = sweep_plan_case(dealer->dealing->plan, index);
    bool is_claimed, is_elsewhere;
    sweep_case_identity(&run, order.identity);
    claim_run(dealer, rank, index, order.identity, &is_claimed, &is_elsewhere, failure);
    *elsewhere += is_elsewhere;
    if (!is_claimed)
        return failure->kind;
    if (send_order(dealer->dealing->ranks, rank, &order, failure) != FAIL_NONE) {
        claim_release(&dealer->claims, sweep_hash_text(order.identity));
        return failure->kind;
    }
    dealer->is_dealt[index] = true;
    dealer->run[rank] = index;
    dealer->busy++;
    tell(dealer, rank, (struct sweep_message){.run = index, .event = SWEEP_BEGUN});
    return FAIL_NONE;
}

/* Gives each idle rank a run, from the plan's first one on, and lost runs after all others; *elsewhere counts the runs that
 * other processes do. */
static enum failure_kind deal_runs(struct dealer *dealer, uint64_t *elsewhere,
                                   struct failure *failure)
{
    const struct sweep_dealing *dealing = dealer->dealing;
    uint32_t rank = 1, ranks = ranks_size(dealing->ranks);
    uint64_t runs = dealing->plan->runs;
    *elsewhere = 0;
    for (uint64_t i = 0; i < 2 * runs && failure->kind == FAIL_NONE; i++) {
        uint64_t run = i % runs;
        if (dealing->is_there[run] || dealer->is_dealt[run] || dealer->is_lost[run] != (i >= runs))
            continue;
        while (rank < ranks && dealer->run[rank] != NO_RUN)
            rank++;
        if (rank == ranks)
            return FAIL_NONE;
        deal_run(dealer, rank, run, elsewhere, failure);
    }
    return failure->kind;
}

/* Takes note that a run's process died: the first time the run will be dealt out once more, the second time it is undone. */
static void take_loss(struct dealer *dealer, struct sweep_message *message)
{
    if (dealer->is_lost[message->run])
        message->event = SWEEP_UNDONE;
    else
        dealer->is_dealt[message->run] = false;
    dealer->is_lost[message->run] = true;
}

/* Stores an answer's row, if it has one. */
static enum failure_kind take_answer(struct dealer *dealer, uint32_t rank,
                                     const struct answer *answer, const char *text, size_t length,
                                     struct failure *failure)
{
    const struct sweep_dealing *dealing = dealer->dealing;
    char identity[SWEEP_IDENTITY_SIZE];
    struct sweep_case run = sweep_plan_case(dealing->plan, answer->message.run);
    sweep_case_identity(&run, identity);
    if (answer->message.event == SWEEP_STORED) {
        json_t *figures = json_loadb(text, length, 0, NULL);
        sweep_store(&dealer->database, &run, answer->message.kind, answer->hash, figures, failure);
        json_decref(figures);
    }
    claim_release(&dealer->claims, sweep_hash_text(identity));
    struct sweep_message message = answer->message;
    if (message.event == SWEEP_LOST)
        take_loss(dealer, &message);
    if (failure->kind == FAIL_NONE)
        tell(dealer, rank, message);
    return failure->kind;
}

/* Waits for the next answer. What comes after a failure is passed over. */
static enum failure_kind await_answer(struct dealer *dealer, struct failure *failure)
{
    void *bytes = NULL;
    size_t length;
    uint32_t rank = UINT32_MAX;
    struct failure of_ranks = {0};
    if (ranks_receive(dealer->dealing->ranks, &rank, &bytes, &length, &of_ranks) != FAIL_NONE)
        return fail(failure, of_ranks.kind, "%s", of_ranks.text);
    const struct answer *answer = bytes;
    if (failure->kind == FAIL_NONE)
        take_answer(dealer, rank, answer, (const char *)(answer + 1), length - sizeof *answer,
                    failure);
    dealer->run[rank] = NO_RUN;
    dealer->busy--;
    free(bytes);
    return FAIL_NONE;
}

static void deal_all(struct dealer *dealer, struct failure *failure)
{
    uint64_t elsewhere = 1;
    while (failure->kind == FAIL_NONE && !interruption_is_due() &&
           deal_runs(dealer, &elsewhere, failure) == FAIL_NONE &&
           (dealer->busy > 0 || elsewhere > 0)) {
        if (dealer->busy > 0) {
            await_answer(dealer, failure);
            continue;
        }
        for (uint32_t rank = 1; rank < ranks_size(dealer->dealing->ranks); rank++)
            tell(dealer, rank, (struct sweep_message){.event = SWEEP_WAITS});
        nanosleep(&(struct timespec){.tv_nsec = PAUSE * 1000000L}, NULL);
    }
}

enum failure_kind sweep_deal(const struct sweep_dealing *dealing, struct failure *failure)
{
    uint32_t ranks = ranks_size(dealing->ranks);
    struct dealer dealer = {
        .dealing = dealing,
        .run = memory_allocate(ranks, sizeof *dealer.run),
        .is_dealt = memory_allocate(dealing->plan->runs, sizeof *dealer.is_dealt),
        .is_lost = memory_allocate(dealing->plan->runs, sizeof *dealer.is_lost)};
    struct failure of_ranks = {0};
    if (dealer.run == NULL || dealer.is_dealt == NULL || dealer.is_lost == NULL) {
        fail_memory(failure, "the runs of the sweep");
    } else {
        for (uint32_t rank = 0; rank < ranks; rank++)
            dealer.run[rank] = NO_RUN;
        if (claim_open(&dealer.claims, dealing->path, failure) == FAIL_NONE) {
            if (results_open(&dealer.database, dealing->path, RESULTS_WRITE, failure) == FAIL_NONE)
                deal_all(&dealer, failure);
            while (dealer.busy > 0 && await_answer(&dealer, failure) == FAIL_NONE)
                continue;
            results_close(&dealer.database);
            claim_close(&dealer.claims); /* after the database, see sweep/claim.h */
        }
    }
    if (sweep_dismiss(dealing->ranks, &of_ranks) != FAIL_NONE)
        fail(failure, of_ranks.kind, "%s", of_ranks.text);
    free(dealer.run);
    free(dealer.is_dealt);
    free(dealer.is_lost);
    return failure->kind;
}

/* ---- the other ranks ---- */

static void explain(struct answer *answer, const struct failure *failure)
{
    struct failure whole = *failure;
    available_memory_name_force(&whole);
    answer->message.kind = whole.kind;
    snprintf(answer->message.text, sizeof answer->message.text, "%.*s",
             (int)sizeof answer->message.text - 1, whole.text);
}

/* Does the run; returns its figures, or NULL where it has no row. */
static char *do_run(struct sweep_runner *runner, const struct order *order, struct answer *answer)
{
    struct failure failure = {0};
    char identity[SWEEP_IDENTITY_SIZE] = "", *text = NULL;
    double begun = stopwatch_seconds();
    answer->message.event = SWEEP_UNDONE;
    if (order->run < runner->plan->runs) {
        struct sweep_case run = sweep_plan_case(runner->plan, order->run);
        sweep_case_identity(&run, identity);
        if (strcmp(identity, order->identity) == 0) {
            sweep_runner_do(runner, &run);
            failure = runner->report.failure;
            json_t *figures = sweep_runner_has_row(runner)
                                  ? sweep_runner_figures(runner, &run, answer->hash)
                                  : NULL;
            text = figures != NULL ? json_dumps(figures, JSON_COMPACT) : NULL;
            json_decref(figures);
            if (text != NULL)
                answer->message.event = SWEEP_STORED;
            else if (sweep_runner_has_row(runner))
                fail_memory(&failure, "the figures of a run");
        }
    }
    if (strcmp(identity, order->identity) != 0)
        fail(
            &failure, FAIL_INPUT,
            "rank %u has other files than rank 0: sets and graphs must be the same on all machines",
            order->rank);
    explain(answer, &failure);
    answer->message.seconds = stopwatch_seconds() - begun;
    return text;
}

void sweep_answer(void *context, const void *task, size_t bytes, void **whole, size_t *length)
{
    struct sweep_runner *runner = context;
    const struct order *order = task;
    assert(bytes == sizeof *order);
    struct answer answer = {.message = {.run = order->run}};
    runner->memory = order->memory;
    runner->shares_memory = order->shares_memory;
    char *text = do_run(runner, order, &answer);
    size_t figures = text != NULL ? strlen(text) : 0;
    *length = sizeof answer + figures;
    *whole = malloc(*length);
    if (*whole != NULL) {
        memcpy(*whole, &answer, sizeof answer);
        if (figures > 0)
            memcpy((char *)*whole + sizeof answer, text, figures);
    }
    free(text);
}

/* Makes the answer for a run whose worker died; `how` says how. */
static void answer_loss(const struct sweep_plan *plan, const struct order *order, const char *how,
                        struct answer *answer)
{
    char words[SWEEP_IDENTITY_SIZE] = "a run that rank 0 alone knows";
    struct failure failure = {0};
    if (order->run < plan->runs) {
        struct sweep_case run = sweep_plan_case(plan, order->run);
        sweep_case_describe(&run, words, sizeof words);
    }
    fail(&failure, FAIL_SYSTEM, "a process of rank %u %.100s, and one before it, during: %.200s",
         order->rank, how, words);
    *answer = (struct answer){.message = {.run = order->run, .event = SWEEP_LOST}};
    explain(answer, &failure);
}

/* Has the run done and sends what came of it. */
static enum failure_kind serve_order(struct sweep_runner *runner, struct ranks *ranks,
                                     struct deputy *deputy, const struct order *order,
                                     struct failure *failure)
{
    void *whole;
    struct answer loss;
    size_t length;
    bool is_lost = false;
    if (deputy == NULL)
        sweep_answer(runner, order, sizeof *order, &whole, &length);
    else if (deputy_ask(deputy, order, sizeof *order, &whole, &length, &is_lost, failure) !=
             FAIL_NONE)
        return failure->kind;
    if (is_lost)
        answer_loss(runner->plan, order, whole, &loss);
    enum failure_kind kind = whole == NULL ? fail_memory(failure, "the figures of a run")
                             : is_lost     ? ranks_send(ranks, 0, &loss, sizeof loss, failure)
                                           : ranks_send(ranks, 0, whole, length, failure);
    free(whole);
    return kind;
}

enum failure_kind sweep_serve(struct sweep_runner *runner, struct ranks *ranks,
                              struct deputy *deputy, uint64_t memory, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    for (bool is_over = false; kind == FAIL_NONE && !is_over;) {
        void *bytes = NULL;
        size_t length;
        uint32_t dealer = 0;
        kind = ranks_receive(ranks, &dealer, &bytes, &length, failure);
        struct order *order = bytes;
        is_over = kind == FAIL_NONE && order->run == NO_RUN;
        if (kind == FAIL_NONE && !is_over) {
            order->rank = ranks_rank(ranks);
            order->memory = memory;
            order->shares_memory = ranks_size(ranks) > 2;
            kind = serve_order(runner, ranks, deputy, order, failure);
        }
        free(bytes);
    }
    return kind;
}

enum failure_kind sweep_memory_of_rank(struct ranks *ranks, bool is_forced, uint64_t *memory,
                                       struct failure *failure)
{
    char name[256] = "";
    uint32_t size = ranks_size(ranks), here = 0;
    uint64_t *machine = memory_allocate(size, sizeof *machine);
    if (machine == NULL)
        return fail_memory(failure, "the ranks of the sweep");
    gethostname(name, sizeof name - 1);
    uint64_t own = sweep_hash_text(name);
    machine[ranks_rank(ranks)] = own;
    enum failure_kind kind = ranks_sum(ranks, machine, size, failure);
    for (uint32_t rank = 1; rank < size; rank++)
        here += machine[rank] == own;
    *memory = available_memory_share(available_memory_limit(is_forced), here > 0 ? here : 1);
    free(machine);
    return kind;
}
