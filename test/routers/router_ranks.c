/* router_ranks.c - the same bytes on several ranks. */
#include "test/routers/router_ranks.h"

#include "machine/ranks/ranks.h"
#include "test/ranks/ranks_threads.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 8 };

struct router_ranks {
    struct router_case run;
    const char *set; /* as text */
    size_t set_length;
    bool has_trace;
    char *trace;
    size_t length;
    struct router_result result[MOST_RANKS];
};

/* Reads the set and keeps the messages of the rank's rows. */
static enum failure_kind own_part(const struct router_ranks *all, struct ranks *ranks,
                                  struct message_set *set, struct failure *failure)
{
    enum failure_kind kind =
        message_set_read_memory(set, all->set, all->set_length, "set", failure);
    if (kind == FAIL_NONE)
        kind = message_set_fit_machine(set, "set", failure);
    if (kind != FAIL_NONE)
        return kind;
    uint32_t rows = set->mesh.rows, cols = set->mesh.cols;
    return message_set_keep(set, ranks_rows(ranks, rows).first * cols,
                            ranks_rows(ranks, rows).end * cols, failure);
}

static enum failure_kind run_rank(void *context, struct ranks *ranks, struct failure *failure)
{
    struct router_ranks *all = context;
    struct message_set set = {0};
    struct router_case run = all->run;
    uint32_t rank = ranks_rank(ranks);
    FILE *trace = NULL;
    run.ranks = ranks;
    if (all->has_trace && rank == 0)
        trace = open_memstream(&all->trace, &all->length);
    enum failure_kind kind = own_part(all, ranks, &set, failure);
    if (kind == FAIL_NONE)
        kind = router_case_run(&run, &set, trace, &all->result[rank], failure);
    if (trace != NULL)
        fclose(trace);
    message_set_free(&set);
    return kind;
}

/* The run alone, with a trace in memory. */
static enum failure_kind run_alone(const struct router_case *run, const struct message_set *set,
                                   struct router_result *result, char **trace,
                                   struct failure *failure)
{
    size_t length = 0;
    FILE *stream = open_memstream(trace, &length);
    ck_assert_ptr_nonnull(stream);
    enum failure_kind kind = router_case_run(run, set, stream, result, failure);
    fclose(stream);
    return kind;
}

static void check_results(const struct router_ranks *all, const struct router_result *alone,
                          uint32_t ranks, const char *text)
{
    for (uint32_t i = 0; i < ranks; i++)
        ck_assert_msg(router_case_same(alone, &all->result[i]), "%s: another result at rank %u",
                      text, i);
}

static char *text_of(const struct message_set *set, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    ck_assert(stream != NULL && message_set_write(set, NULL, stream));
    fclose(stream);
    return text;
}

void router_ranks_fail(struct router_case run, const struct message_set *set, uint32_t ranks,
                       const char *expected)
{
    static struct router_ranks all;
    struct failure failure = {0};
    size_t length;
    char *text = text_of(set, &length);
    all = (struct router_ranks){.run = run, .set = text, .set_length = length};
    ck_assert_uint_le(ranks, MOST_RANKS);
    ck_assert_int_eq(ranks_run_threads(ranks, run_rank, &all, &failure), FAIL_CHECK);
    ck_assert_msg(strstr(failure.text, expected) != NULL, "%s", failure.text);
    free(text);
}

void router_ranks_case(struct router_case run, const struct message_set *set, uint32_t ranks)
{
    static struct router_result alone;
    static struct router_ranks all;
    struct failure failure = {0}, other = {0};
    char text[ROUTER_CASE_TEXT], what[ROUTER_CASE_TEXT + 64], *trace = NULL, *set_text;
    struct message_set fit;
    size_t length = 0;
    set_text = text_of(set, &length);
    router_case_set(&fit, set_text);
    ck_assert_int_eq(message_set_fit_machine(&fit, "set", NULL), FAIL_NONE);
    snprintf(what, sizeof what, "%s on %u ranks of %u threads", router_case_text(&run, set, text),
             ranks, run.threads == 0 ? 1 : run.threads);
    enum failure_kind kind = run_alone(&run, &fit, &alone, &trace, &failure);
    all =
        (struct router_ranks){.run = run, .set = set_text, .set_length = length, .has_trace = true};
    ck_assert_uint_le(ranks, MOST_RANKS);
    enum failure_kind together = ranks_run_threads(ranks, run_rank, &all, &other);
    ck_assert_msg(kind == together && strcmp(failure.text, other.text) == 0, "%s: \"%s\" is \"%s\"",
                  what, failure.text, other.text);
    ck_assert_msg(strcmp(trace, all.trace) == 0, "%s: another trace", what);
    if (kind == FAIL_NONE) {
        check_results(&all, &alone, ranks, what);
        all.has_trace = false;
        ck_assert_int_eq(ranks_run_threads(ranks, run_rank, &all, NULL), FAIL_NONE);
        check_results(&all, &alone, ranks, what);
    }
    free(all.trace);
    message_set_free(&fit);
    free(set_text);
    free(trace);
}
