/* test_best.c - `best`, which runs other schemes and takes the fastest.
 *
 * Oracle: every scheme of the table runs by itself, and none that arrives may be faster, except
 * xy-path, which is no candidate (doc/schemes.md).
 */
#include "library/meshcast_command.h"
#include "test/length.h"
#include "test/program_run.h"

#include <check.h>
#include <inttypes.h>
#include <string.h>

/* Writes the names of all schemes but best and xy-path, with commas. */
static void list_schemes(char *list, size_t size)
{
    const char *name;
    *list = '\0';
    for (uint32_t i = 0; (name = meshcast_command_value_at("network", "scheme", i)) != NULL; i++)
        if (strcmp(name, "best") != 0 && strcmp(name, "xy-path") != 0)
            snprintf(list + strlen(list), size - strlen(list), "%s%s", i == 0 ? "" : ",", name);
}

static const struct {
    const char *topology, *options;
} PLACES[] = {{"mesh:8x8", ""},
              {"mesh:8x8", "--vcs 4"},
              {"mesh:8x8", "--switching store-and-forward"},
              {"mesh:4x4x4", ""},
              {"torus:6x6", "--vcs 2"}};

/* Over loads, lengths and startups: a batch ends as early as by the fastest scheme, to the cycle.
 * Where one scheme is several candidates, by parameters, it may end earlier. */
START_TEST(batches)
{
    static const uint32_t sources[] = {10, 36}, flits[] = {1, 20, 448}, startups[] = {0, 100};
    char schemes[512];
    list_schemes(schemes, sizeof schemes);
    for (uint32_t i = 0; i < 12; i++) {
        char options[256];
        json_t *row;
        size_t at;
        if (TEST_IS_SHORT && (i + (uint32_t)_i) % 4 != 0)
            continue;
        snprintf(options, sizeof options,
                 "--sources %" PRIu32 " --flits %" PRIu32 " --startup %" PRIu32 " %s --json",
                 sources[i / 3 % 2], flits[i % 3], startups[i / 6], PLACES[_i].options);
        program_run_ends(0,
                         "$M gen --topology %s --pattern uniform --degree %" PRIu32
                         " --seed %" PRIu32 " -o $T/s && $M network $T/s --scheme best %s",
                         PLACES[_i].topology, 2 + i % 5 * 2, i, options);
        json_t *best = program_run_json();
        json_int_t cycles = program_run_integer(best, "cycles");
        program_run("$M network $T/s --schemes %s %s", schemes, options);
        json_t *all = program_run_json();
        ck_assert_uint_ge(json_array_size(all), 10);
        json_array_foreach(all, at, row) if (json_object_get(row, "error") == NULL)
            ck_assert_msg(cycles <= program_run_integer(row, "cycles"), "%s instead of %s on %s %s",
                          program_run_text(best, "scheme"), program_run_text(row, "scheme"),
                          PLACES[_i].topology, options);
        json_decref(best);
        json_decref(all);
    }
}
END_TEST

/* Over loads, lengths and startups, up to saturation and beyond: within a tenth of the lowest
 * latency of all schemes. */
START_TEST(open_loops)
{
    static const char *const rates[] = {"0.0005", "0.005", "0.02"};
    char schemes[512];
    json_t *point;
    size_t at;
    list_schemes(schemes, sizeof schemes);
    program_run(
        "$M load --topology mesh:4x4 --schemes best,%s --rate %s --destinations 5 --flits %d"
        " --startup %d --warmup 200 --measure %d --json",
        schemes, rates[_i % 3], _i / 3 % 2 == 0 ? 1 : 20, _i / 6 == 0 ? 0 : 50,
        TEST_IS_SHORT ? 500 : 4000);
    json_t *load = program_run_json(), *points = json_object_get(load, "points");
    json_t *best = json_array_get(points, 0);
    ck_assert_uint_ge(json_array_size(points), 10);
    json_array_foreach(points, at, point) if (json_is_false(json_object_get(point, "saturated")) &&
                                              json_is_number(json_object_get(point, "latency")))
    {
        ck_assert(json_is_false(json_object_get(best, "saturated")));
        ck_assert_msg(program_run_number(best, "latency") <=
                          1.1 * program_run_number(point, "latency"),
                      "worse than %s", program_run_text(point, "scheme"));
    }
    json_decref(load);
}
END_TEST

void best_suite(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, batches, 0, sizeof PLACES / sizeof *PLACES);
    tcase_add_loop_test(tests, open_loops, 0, 12);
}
