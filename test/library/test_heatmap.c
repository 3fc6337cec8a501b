/* test_heatmap.c - what a heatmap's program for gnuplot says of peaks that are set by hand. */
#include "library/view_heatmap.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *heatmap_suite(void);

/* The program for a mesh of 1 x `cols` on which these two nodes have the peak 7, all others 3. */
static char *script_of(uint32_t cols, uint32_t one, uint32_t other)
{
    struct view view;
    struct view_plan plan = {.every = 0};
    char *text = NULL;
    size_t size = 0;
    ck_assert_int_eq(view_make(&view, (struct mesh){1, cols}, &plan, NULL), FAIL_NONE);
    for (uint32_t node = 0; node < cols; node++)
        view.peak[node] = node == one || node == other ? 7 : 3;
    struct heatmap heatmap = {.view = &view, .title = "by hand"};
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    heatmap_write_script(&heatmap, PLOT_SVG, out);
    fclose(out);
    view_free(&view);
    return text;
}

/* The title has the largest peak, and how many nodes have it. */
START_TEST(title)
{
    char *script = script_of(9, 2, 6);
    ck_assert_ptr_nonnull(strstr(script, "peak of each node: 7 packets at most, at 2 nodes\""));
    free(script);
    script = script_of(9, 5, 5);
    ck_assert_ptr_nonnull(strstr(script, "7 packets at most, at 1 node\""));
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
        char *one = script_of(3000, node, node), *two = script_of(3000, node, 1500);
        ck_assert_ptr_nonnull(strstr(one, "a dot shows the largest of 4 x 4"));
        ck_assert_uint_gt(sevens(one), 0);
        ck_assert_uint_eq(sevens(two), 2 * sevens(one));
        free(one);
        free(two);
    }
}
END_TEST

/* Where a node holds much more than all others the scale is logarithmic, else linear. */
START_TEST(scale)
{
    struct view view;
    struct view_plan plan = {.every = 0};
    ck_assert_int_eq(view_make(&view, (struct mesh){30, 30}, &plan, NULL), FAIL_NONE);
    for (int is_skewed = 0; is_skewed < 2; is_skewed++) {
        char *text = NULL;
        size_t size = 0;
        for (uint32_t node = 0; node < 900; node++)
            view.peak[node] = is_skewed ? 1 + node % 3 : node % 100;
        view.peak[17] = 500 * (uint32_t)is_skewed;
        struct heatmap heatmap = {.view = &view, .title = "by hand"};
        FILE *out = open_memstream(&text, &size);
        heatmap_write_script(&heatmap, PLOT_SVG, out);
        fclose(out);
        ck_assert_int_eq(strstr(text, "set logscale cb") != NULL, is_skewed);
        free(text);
    }
    view_free(&view);
}
END_TEST

Suite *heatmap_suite(void)
{
    Suite *suite = suite_create("heatmap");
    TCase *tests = tcase_create("heatmap");
    tcase_add_test(tests, title);
    tcase_add_test(tests, dots);
    tcase_add_test(tests, scale);
    suite_add_tcase(suite, tests);
    return suite;
}
