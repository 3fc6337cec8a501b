/* test_papers.c - the experiments of the literature: closed forms, the frame, the page.
 *
 * Method: experiments run on tiny parameters; text, facts and the programs for gnuplot go into one string, which must be
 * the same each time and for any number of threads.
 */
#include "papers/page.h"
#include "papers/paper.h"
#include "papers/random_set.h"
#include "papers/startup_formulas.h"
#include "test/length.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *papers_suite(void);

/* ---- closed forms ---- */

/* the worms of all-to-all broadcasts, most and sum, are those of the closed forms */
START_TEST(formulas_are_counts)
{
    const struct startup_formula *formula = &startup_formulas[_i];
    for (uint32_t n = 2; n <= (TEST_IS_SHORT ? 9 : 20); n++) {
        struct startups counted = count_startups(&formula->contender, n), derived = formula->at(n);
        ck_assert_msg(counted.most == derived.most && counted.sum == derived.sum,
                      "%s, n = %u: most %llu, sum %llu, not %llu and %llu",
                      formula->contender.title, n, (unsigned long long)counted.most,
                      (unsigned long long)counted.sum, (unsigned long long)derived.most,
                      (unsigned long long)derived.sum);
    }
}
END_TEST

/* ---- the frame ---- */

static void draw_as_text(void *context, const char *name, FILE *script)
{
    int c;
    fprintf(context, "picture %s\n", name);
    rewind(script);
    while ((c = getc(script)) != EOF)
        putc(c, context);
}

/* Runs an experiment on tiny parameters: its facts, and all else that it writes. The caller frees both. */
static char *tiny_run(const struct experiment *experiment, uint32_t threads, char **facts)
{
    char *text;
    size_t size, facts_size;
    struct paper paper = {.size = PAPER_TINY,
                          .threads = threads,
                          .seed = 1,
                          .experiment = experiment,
                          .text = open_memstream(&text, &size),
                          .facts = open_memstream(facts, &facts_size),
                          .draw = draw_as_text};
    paper.draw_context = paper.text;
    paper_run(&paper);
    fclose(paper.text);
    fclose(paper.facts);
    return text;
}

/* an experiment gives the same bytes twice, and with one thread and two */
START_TEST(same_bytes)
{
    const struct experiment *experiment = experiment_at((uint32_t)_i);
    static const uint32_t threads[] = {1, 1, 2};
    char *text[3], *facts[3];
    for (int i = 0; i < 3; i++)
        text[i] = tiny_run(experiment, threads[i], &facts[i]);
    for (int i = 1; i < 3; i++) {
        ck_assert_str_eq(text[0], text[i]);
        ck_assert_str_eq(facts[0], facts[i]);
    }
    for (int i = 0; i < 3; i++) {
        free(text[i]);
        free(facts[i]);
    }
}
END_TEST

/* each experiment has a name of its own, and each choice a value and a meaning */
START_TEST(table_is_whole)
{
    for (uint32_t i = 0; i < experiment_count(); i++) {
        const struct experiment *experiment = experiment_at(i);
        ck_assert_ptr_eq(experiment_find(experiment->name), experiment);
        for (const struct choice *choice = experiment->choices; choice->name != NULL; choice++) {
            char setting[80];
            ck_assert_ptr_nonnull(choice->value);
            ck_assert_ptr_nonnull(choice->help);
            snprintf(setting, sizeof setting, "%s=1", choice->name);
            ck_assert(experiment_has_choice(experiment, setting));
        }
        ck_assert(!experiment_has_choice(experiment, "nonsense=1"));
    }
}
END_TEST

/* ---- draws ---- */

/* Each draw gives as many nodes as are wanted, but for those drawn twice, ascending, without the source; a walk meets large
 * numbers less often than small ones, the others do not. */
START_TEST(draws)
{
    enum { NODES = 400, COUNT = 190, SETS = 200 };
    uint32_t set[NODES], high = 0, all = 0;
    for (uint32_t i = 0; i < SETS; i++) {
        struct pcg32 random = pcg32_seed(1, i);
        uint32_t source = 7 * i % NODES, count = i == 0 ? 0 : COUNT;
        uint32_t drawn = random_set_draw(&random, NODES, source, count, (enum set_draw)_i, set);
        ck_assert(_i == DRAW_REPLACEMENT ? drawn <= count : drawn == count);
        for (uint32_t j = 0; j < drawn; j++) {
            ck_assert(set[j] < NODES && set[j] != source && (j == 0 || set[j] > set[j - 1]));
            high += set[j] >= NODES - NODES / 10;
        }
        all += drawn;
    }
    if (_i == DRAW_SCAN)
        ck_assert_uint_lt(high, all * 8 / 100);
    else
        ck_assert(high > all * 95 / 1000 && high < all * 105 / 1000);
}
END_TEST

/* ---- the page ---- */

/* The template's names: those that the experiments give, and no other. */
static void check_names(const char *template, const struct page_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        char name[80];
        snprintf(name, sizeof name, "{{%s}}", values->name[i]);
        ck_assert_msg(strstr(template, name) != NULL, "the template does not use %s", name);
    }
}

/* the template uses every experiment and every fact, and each of its names has a value */
START_TEST(template_fits)
{
    struct page_values values = {0};
    char *template = page_read_file("papers/page.md"), *page;
    size_t size;
    ck_assert_ptr_nonnull(template);
    for (uint32_t i = 0; i < experiment_count(); i++) {
        char *facts, *text = tiny_run(experiment_at(i), 1, &facts);
        page_values_add(&values, experiment_at(i)->name, text);
        page_values_add_facts(&values, facts);
        free(facts);
        free(text);
    }
    FILE *out = open_memstream(&page, &size);
    char *missing = page_fill(template, &values, out);
    fclose(out);
    ck_assert_msg(missing == NULL, "no experiment tells %s", missing);
    check_names(template, &values);
    free(page);
    free(template);
    page_values_free(&values);
}
END_TEST

/* doc/papers.md has the prose of the template, word by word: it was written from this one */
START_TEST(page_is_of_the_template)
{
    char *template = page_read_file("papers/page.md"), *page = page_read_file("doc/papers.md");
    ck_assert_ptr_nonnull(template);
    ck_assert_ptr_nonnull(page);
    const char *at = page;
    for (char *part = template; part != NULL;) {
        char *open = strstr(part, "{{"), *next = NULL;
        if (open != NULL) {
            *open = '\0';
            next = strstr(open + 2, "}}");
            ck_assert_ptr_nonnull(next);
            next += 2;
        }
        const char *found = strstr(at, part);
        ck_assert_msg(found != NULL, "doc/papers.md lacks this of papers/page.md: %s", part);
        at = found + strlen(part);
        part = next;
    }
    free(template);
    free(page);
}
END_TEST

/* a name without a value is told */
START_TEST(missing_value)
{
    struct page_values values = {0};
    char *page;
    size_t size;
    FILE *out = open_memstream(&page, &size);
    page_values_add(&values, "one", "1");
    char *none = page_fill("a {{one}} b", &values, out);
    char *missing = page_fill("; {{two}} c", &values, out);
    fclose(out);
    ck_assert_ptr_null(none);
    ck_assert_str_eq(missing, "two");
    ck_assert_str_eq(page, "a 1 b; ");
    free(missing);
    free(page);
    page_values_free(&values);
}
END_TEST

Suite *papers_suite(void)
{
    Suite *suite = suite_create("papers");
    TCase *tests = tcase_create("papers");
    tcase_add_loop_test(tests, formulas_are_counts, 0, STARTUP_FORMULAS);
    tcase_add_loop_test(tests, same_bytes, 0, (int)experiment_count());
    tcase_add_test(tests, table_is_whole);
    tcase_add_loop_test(tests, draws, 0, SET_DRAWS);
    tcase_add_test(tests, template_fits);
    tcase_add_test(tests, page_is_of_the_template);
    tcase_add_test(tests, missing_value);
    suite_add_tcase(suite, tests);
    return suite;
}
