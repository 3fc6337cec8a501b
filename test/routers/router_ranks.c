/* router_ranks.c - the same bytes on several ranks. */
#include "test/routers/router_ranks.h"

#include "machine/ranks/ranks.h"
#include "routers/router.h"
#include "test/ranks/ranks_threads.h"
#include "test/temporary.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Runs router_run() with the case's options, without ranks if `ranks` is NULL. */
static enum failure_kind run_case(const struct router_case *run, const struct message_set *set,
                                  struct ranks *ranks, FILE *trace, struct router_result *result,
                                  struct failure *failure)
{
    char list[256];
    struct router_options options = router_options_default();
    options.seed = run->seed;
    options.threads = run->threads == 0 ? 1 : run->threads;
    options.buffer = run->buffer;
    options.copy_is_free = run->copy_is_free;
    options.reduces = run->reduces;
    options.congestion_is_unknown = run->congestion_is_unknown;
    options.trace = trace;
    options.ranks = ranks;
    snprintf(list, sizeof list, "%s", run->parameters == NULL ? "" : run->parameters);
    for (char *rest, *name = strtok_r(list, " =", &rest); name != NULL;
         name = strtok_r(NULL, " =", &rest))
        options.parameter[options.parameters++] =
            (struct router_parameter){name, strtok_r(NULL, " =", &rest)};
    const struct router *router =
        run->own != NULL ? (const struct router *)run->own : router_find(run->router);
    ck_assert_ptr_nonnull(router);
    return router_run(router, set, &options, result, failure);
}

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
    uint32_t rank = ranks_rank(ranks);
    FILE *trace = NULL;
    if (all->has_trace && rank == 0)
        trace = open_memstream(&all->trace, &all->length);
    enum failure_kind kind = own_part(all, ranks, &set, failure);
    if (kind == FAIL_NONE)
        kind = run_case(&all->run, &set, ranks, trace, &all->result[rank], failure);
    if (trace != NULL)
        fclose(trace);
    message_set_free(&set);
    return kind;
}

/* Runs without ranks, with a trace in memory. */
static enum failure_kind run_alone(const struct router_ranks *all, struct router_result *result,
                                   char **trace, struct failure *failure)
{
    struct message_set set;
    size_t length = 0;
    FILE *stream = open_memstream(trace, &length);
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_eq(message_set_read_memory(&set, all->set, all->set_length, "set", failure),
                     FAIL_NONE);
    ck_assert_int_eq(message_set_fit_machine(&set, "set", failure), FAIL_NONE);
    enum failure_kind kind = run_case(&all->run, &set, NULL, stream, result, failure);
    fclose(stream);
    message_set_free(&set);
    return kind;
}

static bool is_same(const struct router_result *a, const struct router_result *b)
{
    bool same = a->phases == b->phases && a->attempts == b->attempts;
    for (uint32_t i = 0; same && i < a->phases; i++)
        same = a->phase[i].steps == b->phase[i].steps &&
               strcmp(a->phase[i].name, b->phase[i].name) == 0;
    return same && a->degree == b->degree && a->congestion == b->congestion &&
           a->steps == b->steps && a->sync_steps == b->sync_steps &&
           a->buffer_capacity == b->buffer_capacity && a->buffer_peak == b->buffer_peak &&
           a->buffer_peak_node == b->buffer_peak_node &&
           a->buffer_peak_step == b->buffer_peak_step &&
           strcmp(a->buffer_peak_phase, b->buffer_peak_phase) == 0 &&
           a->packet_hops == b->packet_hops && a->word_hops == b->word_hops &&
           a->copies == b->copies && a->delivered == b->delivered && a->missing == b->missing &&
           memcmp(a->delivery_step, b->delivery_step, sizeof a->delivery_step) == 0;
}

static void check_results(const struct router_ranks *all, const struct router_result *alone,
                          uint32_t ranks, const char *text)
{
    for (uint32_t i = 0; i < ranks; i++)
        ck_assert_msg(is_same(alone, &all->result[i]), "%s: another result at rank %u", text, i);
}

static char *text_of(const struct plain_set *set, size_t *length)
{
    char path[TEMPORARY_PATH];
    FILE *file = temporary_file(path);
    ck_assert_int_eq(meshcast_set_write(set->handle, path, NULL, NULL), MESHCAST_OK);
    fclose(file);
    file = fopen(path, "r");
    ck_assert(file != NULL && fseek(file, 0, SEEK_END) == 0);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    ck_assert(text != NULL && fread(text, 1, *length, file) == *length);
    fclose(file);
    unlink(path);
    return text;
}

void router_ranks_fail(struct router_case run, const struct plain_set *set, uint32_t ranks,
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

void router_ranks_case(struct router_case run, const struct plain_set *set, uint32_t ranks)
{
    static struct router_result alone;
    static struct router_ranks all;
    struct failure failure = {0}, other = {0};
    char text[ROUTER_CASE_TEXT], what[ROUTER_CASE_TEXT + 64], *trace = NULL, *set_text;
    size_t length = 0;
    set_text = text_of(set, &length);
    snprintf(what, sizeof what, "%s on %u ranks of %u threads", router_case_text(&run, set, text),
             ranks, run.threads == 0 ? 1 : run.threads);
    all =
        (struct router_ranks){.run = run, .set = set_text, .set_length = length, .has_trace = true};
    enum failure_kind kind = run_alone(&all, &alone, &trace, &failure);
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
    free(set_text);
    free(trace);
}
