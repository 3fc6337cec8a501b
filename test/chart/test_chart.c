/* test_chart.c - the palette, and what the writer of charts says of ranges, labels and images that are set by hand.
 *
 * Oracle: figures counted by hand, and gnuplot itself.
 */
#include "chart/chart.h"
#include "library/view_files.h"
#include "network/schemes/scheme.h"
#include "routers/router.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *chart_suite(void);

static char *script_of(struct chart *chart)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    chart_write_script(chart, PLOT_SVG, out);
    fclose(out);
    chart_free(chart);
    return text;
}

static bool is_same_look(const char *one, const char *other)
{
    struct chart_look a = palette_subject(one, 0), b = palette_subject(other, 0);
    return a.colour == b.colour && a.mark == b.mark;
}

static const char *name_of(const struct name_family *family, uint32_t index)
{
    return family->name_at(family->context, index);
}

/* No two routers look the same, nor two schemes; parameters do not change a colour. */
START_TEST(palette)
{
    const struct name_family *const families[] = {&router_names, &scheme_names};
    for (int f = 0; f < 2; f++)
        for (uint32_t i = 0; name_of(families[f], i) != NULL; i++) {
            const char *name = name_of(families[f], i);
            char variant[80];
            for (uint32_t k = 0; k < i; k++)
                ck_assert_msg(!is_same_look(name, name_of(families[f], k)), "%s and %s", name,
                              name_of(families[f], k));
            snprintf(variant, sizeof variant, "%s:x=1", name);
            ck_assert_uint_eq(palette_subject(variant, 1).colour, palette_subject(name, 0).colour);
            ck_assert_int_ne(palette_subject(variant, 1).mark, palette_subject(name, 0).mark);
        }
}
END_TEST

static const struct {
    double least, most;
    enum chart_scale scale;
    const char *range;
} ranges[] = {
    {0, 100, CHART_LINEAR, "set xrange [0:112]\nset format x '%.10g'\nset xtics 0, 20 "},
    {0, 0.02, CHART_LINEAR, "set xrange [0:0.0224]\nset format x '%.10g'\nset xtics 0, 0.005 "},
    {1, 12, CHART_LOG_IF_FAR, "set xrange [0:13.44]\nset format x '%.10g'\nset xtics 0, 5 "},
    {2, 40, CHART_LOG_IF_FAR, "set xrange [1.481481481:54]\n"},
    {2, 3, CHART_LOG, "set logscale x 10\nset xtics ('2' 2, '3' 3, '4' 4) "},
};

/* The axis of some least and largest value: its ends, and where its labels are. */
START_TEST(axes)
{
    struct chart chart;
    chart_begin(&chart, 1);
    struct chart_panel *panel = chart_panel(&chart, 400, 300);
    panel->x = (struct chart_axis){
        .label = "x", .scale = ranges[_i].scale, .is_real = ranges[_i].most < 1};
    struct chart_curve *curve = chart_subject(panel, CHART_LINE, "trees", "a 'title'");
    chart_point(curve, ranges[_i].least, 1);
    chart_point(curve, ranges[_i].most, 2);
    char *script = script_of(&chart);
    ck_assert_msg(strstr(script, ranges[_i].range) != NULL, "%s", script);
    ck_assert_ptr_nonnull(strstr(script, "title 'a ''title'''"));
    free(script);
}
END_TEST

/* The program for a mesh of 1 x `cols` on which these two nodes have the peak 7, all others 3. */
static char *heatmap_of(uint32_t cols, uint32_t one, uint32_t other)
{
    struct view view;
    struct view_plan plan = {.every = 0};
    struct chart chart;
    chart_begin(&chart, 1);
    ck_assert_int_eq(view_make(&view, (struct mesh){1, cols}, &plan, NULL), FAIL_NONE);
    for (uint32_t node = 0; node < cols; node++)
        view.peak[node] = node == one || node == other ? 7 : 3;
    heatmap_fill_chart(&(struct heatmap){.view = &view, .title = "by hand"}, &chart);
    view_free(&view);
    return script_of(&chart);
}

/* The title has the largest peak, and how many nodes have it. */
START_TEST(hottest)
{
    char *script = heatmap_of(9, 2, 6);
    ck_assert_ptr_nonnull(strstr(script, "peak of each node: 7 packets at most, at 2 nodes'"));
    free(script);
    script = heatmap_of(9, 5, 5);
    ck_assert_ptr_nonnull(strstr(script, "7 packets at most, at 1 node'"));
    free(script);
}
END_TEST

/* How many numbers of the first line of data are 7. */
static unsigned sevens(const char *script)
{
    static const char size[] = "array=(";
    unsigned count = 0, across = 0;
    const char *at = strstr(script, size);
    ck_assert(at != NULL && sscanf(at + strlen(size), "%u", &across) == 1);
    for (at = strchr(at, '\n') + 1; across > 0; across--, at += sizeof(float)) {
        float value;
        memcpy(&value, at, sizeof value);
        count += value == 7;
    }
    return count;
}

/* On a mesh that is too long for its dots each shows the largest of its nodes, whichever that is. */
START_TEST(dots)
{
    for (uint32_t node = 600; node < 606; node++) {
        char *one = heatmap_of(3000, node, node), *two = heatmap_of(3000, node, 1500);
        ck_assert_uint_gt(sevens(one), 0);
        ck_assert_uint_eq(sevens(two), 2 * sevens(one));
        free(one);
        free(two);
    }
}
END_TEST

/* Where a node holds much more than all others the scale is logarithmic, else linear. */
START_TEST(colours)
{
    struct view view;
    struct view_plan plan = {.every = 0};
    ck_assert_int_eq(view_make(&view, (struct mesh){30, 30}, &plan, NULL), FAIL_NONE);
    for (int is_skewed = 0; is_skewed < 2; is_skewed++) {
        struct chart chart;
        for (uint32_t node = 0; node < 900; node++)
            view.peak[node] = is_skewed ? 1 + node % 3 : node % 100;
        view.peak[17] = 500 * (uint32_t)is_skewed;
        chart_begin(&chart, 1);
        heatmap_fill_chart(&(struct heatmap){.view = &view, .title = "by hand"}, &chart);
        char *text = script_of(&chart);
        ck_assert_int_eq(strstr(text, "set logscale cb") != NULL, is_skewed);
        free(text);
    }
    view_free(&view);
}
END_TEST

Suite *chart_suite(void)
{
    Suite *suite = suite_create("chart");
    TCase *tests = tcase_create("chart");
    tcase_add_test(tests, palette);
    tcase_add_loop_test(tests, axes, 0, sizeof ranges / sizeof *ranges);
    tcase_add_test(tests, hottest);
    tcase_add_test(tests, dots);
    tcase_add_test(tests, colours);
    suite_add_tcase(suite, tests);
    return suite;
}
