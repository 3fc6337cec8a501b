/* test_pictures.c - no text of a picture leaves the picture or covers another text.
 *
 * Method: gnuplot's SVG has each text with its place, its size and its anchor; widths are estimated
 * from the count of characters. A picture of each kind is drawn, of small and of wide values, and
 * each of its texts is held against the edges and against all others.
 */
#include "test/program_run.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns the number of texts of file $T/p.svg; fails if one is not whole. */
static int check_picture(const char *command)
{
    static struct text text[MOST_TEXTS];
    double width, height;
    program_run_ends(0, "%s", command);
    const char *svg = program_run("cat $T/p.svg")->out;
    const char *box = strstr(svg, "viewBox=\"0 0 ");
    ck_assert(box != NULL && sscanf(box, "viewBox=\"0 0 %lf %lf", &width, &height) == 2);
    ck_assert_ptr_nonnull(strstr(svg, "fill=\"#ffffff\"")); /* a ground, which dark pages invert */
    const char *style = strstr(svg, "<style>@media (prefers-color-scheme: dark)");
    ck_assert(style != NULL && style < strstr(svg, "<title>") && style > box);
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

#define LOAD "$M load --topology mesh:4x4 --warmup 50 --measure 300 "

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
    "$M gen --side 16 --pattern uniform -o \"$T/a set with a rather long name, longer than a "
    "title.mcast\" "
    "&& $M compare $T/a* --routers trees:tree=dds,trees:tree=spread:slots=0 --copy free "
    "--plot $T/p.svg >$T/o",
    "$M gen --side 16 --pattern uniform --degree 4 -o $T/set && $M compare $T/set --routers "
    "unicast:slots=0000000000000000000000001,expander --plot $T/p.svg >$T/o",
    "$M gen --side 16 --pattern uniform --degree 4 -o $T/set && $M stress $T/set --router trees "
    "--plot $T/p.svg >$T/o",
    LOAD
    "--scheme dual,multi,unicast --rate 0.01,0.05,0.9 --destinations 3 --plot $T/p.svg -q >$T/o",
    LOAD "--scheme dual,multi,unicast,lin --rate 0.01 --destinations 3,5 --flits 2,9,2:9 --plot "
         "$T/p.svg -q >$T/o",
    LOAD
    "--scheme dual,multi --rate 0.01,0.02 --destinations 3,5 --flits 2,9,2:9 --plot $T/p.svg -q "
    ">$T/o",
};

/* Pictures of a run, of routers beside each other, and of capacities. */
START_TEST(of_runs)
{
    check_picture(pictures[_i]);
}
END_TEST

/* Returns the place of a text; fails if it is not there exactly once. */
static struct text text_of(const char *svg, const char *words)
{
    static struct text text[MOST_TEXTS];
    struct text found = {.words = ""};
    int count = read_texts(svg, text), times = 0;
    for (int i = 0; i < count; i++)
        if (strcmp(text[i].words, words) == 0) {
            found = text[i];
            times++;
        }
    ck_assert_msg(times == 1, "'%s' stands %d times in the picture", words, times);
    return found;
}

/* The key of a picture of latencies is under the axis, away from the curves. */
START_TEST(key_of_load)
{
    static const char *const schemes[] = {"dual", "multi", "unicast"};
    check_picture(pictures[sizeof pictures / sizeof *pictures - 3]);
    const char *svg = program_run("cat $T/p.svg")->out;
    struct text axis = text_of(svg, "messages per node and cycle");
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        ck_assert_double_ge(text_of(svg, schemes[i]).top, axis.bottom);
}
END_TEST

/* The exponents that the table prints stand in the key, and the fit's dashes are drawn for each
 * mesh. */
START_TEST(fits)
{
    double c = 0, n = 0;
    char words[64];
    check_picture(
        "$M sweep --router stream --pattern uniform --side 8,12,16 --congestion 2,4,8 --db "
        "$T/fit.db -q >$T/o && $M report $T/fit.db --plot steps -o $T/p.svg");
    const struct outcome *run =
        program_run("$M report $T/fit.db --table fits --csv | tail -1 | cut -d, -f9,11");
    ck_assert_msg(sscanf(run->out, "%lf,%lf", &c, &n) == 2, "%s", run->out);
    snprintf(words, sizeof words, "fit: c^%.2f n^%.2f", c, n);
    const char *svg = program_run("cat $T/p.svg")->out;
    ck_assert(text_of(svg, words).left > 0);
    /* a path has a part for each mesh; the sample in the key comes behind it, and has one */
    const char *path = strstr(svg, "stroke='rgb( 26,  26,  26)' stroke-dasharray");
    ck_assert_ptr_nonnull(path);
    int meshes = 0;
    for (const char *at = path; *at != '>'; at++)
        meshes += *at == 'M';
    ck_assert_int_eq(meshes, 3);
    ck_assert_ptr_null(strstr(program_run("$M report $T/fit.db --plot ratio -o $T/p.svg && cat "
                                          "$T/p.svg")
                                  ->out,
                              "fit:"));
}
END_TEST

/* Sets that are files have a row of bars each, with the lower bound through them, beside panels of
 * patterns or alone. */
START_TEST(bars_of_sets)
{
    static const char *const kinds[] = {"steps", "buffers", "ratio"};
    static const char *const names[] = {"one.mcast", "other.mcast", "a-set-with-..letters.mcast"};
    program_run_ends(
        0, "cd $T && for d in 2 3 4; do $M gen --side 1$d --pattern uniform --degree $d "
           "--congestion $d -o $d.set; done && mv 2.set one.mcast && mv 3.set other.mcast && mv "
           "4.set a-set-with-a-name-of-many-letters.mcast && "
           "$M sweep --router trees,stream --set one.mcast,other.mcast,"
           "a-set-with-a-name-of-many-letters.mcast --db $T/files.db -q >$T/o && cp files.db "
           "both.db && $M sweep --router trees,stream --pattern uniform --side 8 --congestion 4 "
           "--db $T/both.db -q >$T/o");
    for (size_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
        char command[128];
        snprintf(command, sizeof command, "$M report $T/%s.db --plot %s -o $T/p.svg",
                 i % 2 == 0 ? "files" : "both", kinds[i / 2]);
        check_picture(command);
        const char *svg = program_run("cat $T/p.svg")->out;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            ck_assert_double_ge(text_of(svg, names[k]).left, 0);
        if (i % 2 == 0)
            ck_assert_ptr_null(strstr(svg, "c n  (congestion"));
    }
    /* the first set's bar of its first router, and its mark: as long to each other as the table
     * says */
    double steps = 0, bound = 0, left = 0, bar = 0, mark = 0;
    const struct outcome *run =
        program_run("$M report $T/files.db --pattern one.mcast --csv | sed -n "
                    "2p | cut -d, -f19,28; $M report $T/files.db "
                    "--pattern one.mcast --plot steps -o $T/p.svg && cat $T/p.svg");
    const char *polygon = strstr(run->out, "<polygon fill = 'rgb(  0, 158, 115)' points = '");
    const char *path = strstr(run->out, "<path stroke='rgb(  0,   0,   0)'  d='M");
    ck_assert(polygon != NULL && path != NULL);
    ck_assert_int_eq(sscanf(run->out, "%lf,%lf", &steps, &bound), 2);
    ck_assert_int_eq(sscanf(strstr(polygon, "points"), "points = '%lf,%*f %lf", &left, &bar), 2);
    ck_assert_int_eq(sscanf(strstr(path, "d='M"), "d='M%lf", &mark), 1);
    ck_assert_double_eq_tol((mark - left) / (bar - left), bound / steps, 0.02);
}
END_TEST

/* The names of the runs that nothing beats hide no other name. */
START_TEST(names_of_runs)
{
    check_picture("$M gen --side 32 --pattern uniform --degree 8 --congestion 8 -o $T/set && "
                  "$M sweep --set $T/set --copy free --db $T/db -q >$T/o && $M sweep --set $T/set "
                  "--router trees --param slots=auto --buffer 12,14,17,20,24,30 --copy free --db "
                  "$T/db -q >$T/o; $M report $T/db --plot pareto -o $T/p.svg");
}
END_TEST

/* The three pictures of a database, of several workloads, with steps of five digits, and of one
 * with one mesh. */
START_TEST(of_databases)
{
    static const char *const kinds[] = {"steps", "buffers", "ratio"};
    program_run_ends(
        0, "$M sweep --router trees,circulate --pattern uniform,transpose --side 64,200 "
           "--congestion 2 --copy free --db $T/many.db -q >$T/o && $M sweep --router trees,stream "
           "--pattern uniform --side 8 --congestion 4 --seeds 2 --db $T/one.db -q >$T/o");
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

void pictures_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, of_runs, 0, sizeof pictures / sizeof *pictures);
    tcase_add_test(tests, of_databases);
    tcase_add_test(tests, names_of_runs);
    tcase_add_test(tests, titles);
    tcase_add_test(tests, key_of_load);
    tcase_add_test(tests, fits);
    tcase_add_test(tests, bars_of_sets);
}
