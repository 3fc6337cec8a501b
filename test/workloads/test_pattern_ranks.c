/* test_pattern_ranks.c - sets that ranks make, a part each: the text of the set that one alone makes, and its figures.
 *
 * Oracle: pattern_generate() alone.
 */
#include "test/base/ranks_case.h"
#include "test/base/ranks_threads.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

Suite *pattern_ranks_suite(void);

struct making {
    const struct pattern *pattern;
    struct pattern_options options;
    char *text; /* of the set that is made alone, or NULL: it cannot be made */
    size_t length;
    enum failure_kind kind;
    uint32_t degree, congestion, most_sent;
};

static enum failure_kind make_on(void *context, struct ranks *ranks, struct failure *failure)
{
    const struct making *making = context;
    struct pattern_options options = making->options;
    struct message_set set;
    char *text = NULL;
    size_t length = 0;
    options.ranks = ranks;
    enum failure_kind kind = pattern_generate(making->pattern, &options, &set, failure);
    HOLDS(kind == making->kind);
    if (kind != FAIL_NONE)
        return FAIL_NONE;
    HOLDS(message_set_degree(&set) == making->degree);
    HOLDS(message_set_congestion(&set) == making->congestion);
    HOLDS(message_set_most_sent(&set) == making->most_sent);
    FILE *out = ranks_rank(ranks) == 0 ? open_memstream(&text, &length) : NULL;
    MUST(message_set_write_parts(&set, "made", out, NULL, ranks, failure));
    if (out != NULL)
        fclose(out);
    if (out != NULL)
        HOLDS(length == making->length && memcmp(text, making->text, length) == 0);
    free(text);
    message_set_free(&set);
    return FAIL_NONE;
}

/* On so many ranks and on more. */
static void check_made(struct making *making, uint32_t least_ranks)
{
    struct message_set set;
    struct failure failure = {0};
    making->text = NULL;
    making->kind = pattern_generate(making->pattern, &making->options, &set, &failure);
    if (making->kind == FAIL_NONE) {
        FILE *out = open_memstream(&making->text, &making->length);
        message_set_write(&set, "made", out);
        fclose(out);
        making->degree = message_set_degree(&set);
        making->congestion = message_set_congestion(&set);
        making->most_sent = message_set_most_sent(&set);
    }
    for (uint32_t ranks = least_ranks; ranks <= MOST_RANKS; ranks += ranks > 2 ? 2 : 1) {
        failure = (struct failure){0};
        ck_assert_msg(ranks_run_threads(ranks, make_on, making, &failure) == FAIL_NONE,
                      "%s on %u ranks: %s", making->pattern->name, ranks, failure.text);
    }
    free(making->text);
    message_set_free(&set);
}

/* Ranks make the set that one alone makes, byte for byte, whatever d, c and l are. */
START_TEST(made)
{
    static const struct mesh meshes[] = {{1, 3}, {2, 2}, {9, 7}};
    static const uint32_t figures[][3] = {{0, 0, 0},  {1, 1, 1},     {4, 16, 1},
                                          {16, 4, 1}, {7, 7, 1},     {3, 20, 2},
                                          {5, 6, 3},  {200, 200, 1}, {2, 40, 20}};
    struct making making = {.pattern = pattern_at((uint32_t)_i)};
    if (!making.pattern->in_parts)
        return;
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        for (size_t j = 0; j < sizeof figures / sizeof *figures; j++) {
            making.options = (struct pattern_options){.mesh = meshes[i],
                                                      .degree = figures[j][0],
                                                      .congestion = figures[j][1],
                                                      .per_node = figures[j][2],
                                                      .seed = j};
            check_made(&making, 1);
        }
    making.options = (struct pattern_options){.mesh = {64, 64}, .degree = 4, .congestion = 16};
    check_made(&making, 1);
    making.options = (struct pattern_options){.shape = {TOPOLOGY_TORUS, 3, {4, 3, 5}}, .degree = 3};
    check_made(&making, 1);
}
END_TEST

/* A deal of so many slots that a rank foresees its draws in several batches, and that slots share seats of its table. */
START_TEST(large_deal)
{
    struct making making = {.pattern = pattern_find("uniform"),
                            .options = {.mesh = {64, 64}, .degree = 44, .congestion = 44}};
    check_made(&making, MOST_RANKS);
}
END_TEST

Suite *pattern_ranks_suite(void)
{
    Suite *suite = suite_create("pattern_ranks");
    TCase *parts = tcase_create("parts");
    tcase_add_loop_test(parts, made, 0, (int)pattern_count());
    tcase_add_test(parts, large_deal);
    suite_add_tcase(suite, parts);
    return suite;
}
