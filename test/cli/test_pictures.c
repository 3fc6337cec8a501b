/* test_pictures.c - no text of a picture leaves the picture or lies on another text.
 *
 * Method: gnuplot's SVG has each text with its place, its size and its anchor; widths are estimated from the count of
 * characters. A picture of each kind is drawn, of small and of wide values, and each of its texts is held against the
 * edges and against all others.
 */
#include "test/program_run.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *pictures_suite(void);

enum { MOST_TEXTS = 2000 };

struct text {
    char words[120];
    double left, right, top, bottom;
};

static int read_texts(const char *svg, struct text *text)
{
    int count = 0;
    for (const char *at = svg; (at = strstr(at, "<g transform=\"translate(")) != NULL; at++) {
        double x, y, angle = 0, size = 12, wide = 0;
        const char *end = strchr(at, '>'), *words = strstr(at, "<text>"), *stop, *to;
        if (end == NULL || words == NULL || words > end + 8 ||
            sscanf(at, "<g transform=\"translate(%lf,%lf", &x, &y) != 2)
            continue;
        if ((to = strstr(at, "rotate(")) != NULL && to < end)
            angle = atof(to + 7);
        if ((to = strstr(at, "font-size=\"")) != NULL && to < end)
            size = atof(to + 11);
        const char *anchor = strstr(at, "text-anchor=\"");
        ck_assert(anchor != NULL && anchor < end && count < MOST_TEXTS);
        stop = strstr(words, "</text>");
        ck_assert_ptr_nonnull(stop);
        struct text *one = &text[count];
        size_t length = 0;
        bool in_tag = false;
        for (const char *c = words; c < stop; c++) {
            if (*c == '<')
                in_tag = true;
            else if (*c == '>')
                in_tag = false;
            else if (!in_tag && length + 1 < sizeof one->words && (*c != ' ' || length > 0))
                one->words[length++] = *c;
        }
        one->words[length] = '\0';
        if (length == 0)
            continue;
        wide = 0.5 * size * (double)length;
        double begin = anchor[13] == 'm' ? wide / 2 : anchor[13] == 'e' ? wide : 0;
        bool is_upright = fabs(angle) > 45;
        one->left = is_upright ? x - 0.75 * size : x - begin;
        one->right = is_upright ? x + 0.2 * size : x - begin + wide;
        one->top = is_upright ? y - wide + begin : y - 0.75 * size;
        one->bottom = is_upright ? y + begin : y + 0.2 * size;
        count++;
    }
    return count;
}

/* How many texts file $T/p.svg has; fails if one is not whole. */
static int check_picture(const char *command)
{
    static struct text text[MOST_TEXTS];
    double width, height;
    const struct outcome *run = program_run("%s", command);
    ck_assert_msg(run->status == 0, "%s\n%s", command, run->err);
    const char *svg = program_run("cat $T/p.svg")->out;
    const char *box = strstr(svg, "viewBox=\"0 0 ");
    ck_assert(box != NULL && sscanf(box, "viewBox=\"0 0 %lf %lf", &width, &height) == 2);
    ck_assert_ptr_nonnull(strstr(svg, "fill=\"#ffffff\"")); /* a ground, for dark pages */
    int count = read_texts(svg, text);
    ck_assert_int_gt(count, 3);
    for (int i = 0; i < count; i++) {
        const struct text *a = &text[i];
        ck_assert_msg(a->left >= 0 && a->right <= width && a->top >= 0 && a->bottom <= height,
                      "%s\n'%s' leaves the picture of %g x %g: %g to %g, %g to %g", command,
                      a->words, width, height, a->left, a->right, a->top, a->bottom);
        for (int k = 0; k < i; k++) {
            const struct text *b = &text[k];
            double across = fmin(a->right, b->right) - fmax(a->left, b->left);
            double down = fmin(a->bottom, b->bottom) - fmax(a->top, b->top);
            ck_assert_msg(across < 3 || down < 3, "%s\n'%s' lies on '%s'", command, a->words,
                          b->words);
        }
    }
    return count;
}

static const char *const pictures[] = {
    "$M gen --side 24 --pattern uniform --degree 4 -o $T/set && $M route $T/set --router trees -q "
    "--heatmap $T/p.svg >$T/o",
    "$M gen --side 24 --pattern column -o $T/set && $M route $T/set --router unicast -q --heatmap "
    "$T/p.svg --heatmap-of links >$T/o",
    "$M gen --rows 1 --cols 40 --pattern uniform -o $T/set && $M route $T/set --router trees -q "
    "--heatmap $T/p.svg >$T/o",
    "$M gen --rows 40 --cols 1 --pattern uniform -o $T/set && $M route $T/set --router trees -q "
    "--heatmap $T/p.svg --heatmap-of links >$T/o",
    "$M gen --side 16 --pattern uniform --degree 4 -o $T/a-set-with-a-name-of-many-letters && $M "
    "route $T/a-set-with-a-name-of-many-letters --router replicate -q --timeline $T/p.svg >$T/o",
    "$M gen --side 16 --pattern uniform --degree 4 -o $T/set && $M compare $T/set --plot $T/p.svg "
    ">$T/o",
    "$M gen --side 16 --pattern uniform --degree 4 -o $T/set && $M stress $T/set --router trees "
    "--plot $T/p.svg >$T/o",
};

/* Pictures of a run, of routers beside each other, and of capacities. */
START_TEST(of_runs)
{
    check_picture(pictures[_i]);
}
END_TEST

/* The three pictures of a database, of several workloads and of one with one mesh. */
START_TEST(of_databases)
{
    static const char *const kinds[] = {"steps", "buffers", "ratio"};
    ck_assert_int_eq(
        program_run("$M sweep --router trees,stream --pattern uniform,transpose --side 8,12 "
                    "--congestion 2,4 --db $T/many.db -q >$T/o && $M sweep --router trees,stream "
                    "--pattern uniform --side 8 --congestion 4 --seeds 2 --db $T/one.db -q >$T/o")
            ->status,
        0);
    for (size_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
        char command[128];
        snprintf(command, sizeof command, "$M report $T/%s.db --plot %s -o $T/p.svg",
                 i % 2 == 0 ? "many" : "one", kinds[i / 2]);
        check_picture(command);
    }
}
END_TEST

/* A picture names its set, and the router whose algorithm ran. */
START_TEST(titles)
{
    check_picture("$M gen --side 8 --pattern uniform --degree 9 --congestion 9 -o $T/mine.mcast && "
                  "$M route $T/mine.mcast --router expander -q --heatmap $T/p.svg >$T/o");
    ck_assert_ptr_nonnull(
        strstr(program_run("cat $T/p.svg")->out, "expander (run as circulate) on mine.mcast"));
}
END_TEST

Suite *pictures_suite(void)
{
    Suite *suite = suite_create("pictures");
    TCase *tests = tcase_create("pictures");
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, of_runs, 0, sizeof pictures / sizeof *pictures);
    tcase_add_test(tests, of_databases);
    tcase_add_test(tests, titles);
    suite_add_tcase(suite, tests);
    return suite;
}
