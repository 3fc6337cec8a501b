/* test_allocation.c - commands of which one allocation fails, each in its turn.
 *
 * Method: test/preload/failing_allocation.c is loaded before the program. The allocations of
 * libraries count as the program's own do; those that are made before main() is reached are
 * reported by them.
 *
 * Oracle: the command undisturbed. A success has all its output; a failure is no signal, and of
 * what the system failed the program says that it was memory.
 */
#include "test/program_run.h"

#include <check.h>
#include <stdbool.h>
#include <string.h>

/* `stride`: every so manieth allocation fails; SQLite makes hundreds, much alike. `varies`: the
 * output holds times. */
static const struct allocation_case {
    const char *command;
    int stride;
    bool varies;
} CASES[] = {
    {"expander check --inputs 40 --c 32 --r 2 --threads 1", 1, true},
    {"expander make --inputs 40 --c 32 --r 2", 1, false},
    {"place $T/s --moves 99 --threads 1", 97, true},
    {"info $T/s", 1, false},
    {"info $T/s --json", 11, false},
    {"info $T/second --topology graph:$T/edges --json", 5, false},
    {"gen --topology graph:$T/edges --pattern uniform", 1, false},
    {"route $T/s --router trees --threads 1 --trace - -q", 1, false},
    {"route $T/s --router trees --threads 2 --trace - -q", 3, false},
    {"report $T/db --csv", 13, false},
    {"plan $T/s --scheme ocms,two-port --each - -q", 7, false},
    {"plan $T/s --scheme dual,u-mesh --json", 29, false},
    {"network $T/s --scheme u-mesh --threads 1 --trace - -q", 2, false},
    {"network $T/s --scheme dual --threads 1 --json", 7, true},
    {"network $T/s --scheme pure --threads 1 -q", 29, true},
    {"network $T/s --scheme minimal --threads 1 -q", 29, true},
    {"network $T/s --scheme schl --threads 1 -q", 29, true},
    {"audit $T/s $T/trace", 1, false},
    {"audit $T/s $T/page.html", 1, false},
    {"view $T/page.html --decode 1 -o -", 1, false},
    {"route $T/s --router $T/tour.so --threads 1 --trace - -q", 1, false},
    {"route $T/s --router trees --threads 1 --view - -q", 1, true},
    {"network $T/s --scheme otms --threads 1 --json", 41, true},
    {"load --topology mesh:3x3 --scheme u-mesh --rate 0.01 --destinations 3 --warmup 5 "
     "--measure 20 --runs 1 --threads 1 --json",
     5, true},
    {"load --topology mesh:3x3 --scheme dual --rate 0.01 --measure 20 --runs 1 --db $T/new -q", 67,
     false},
    {"sweep --router trees --pattern uniform --side 4 --db $T/new -q", 11, false},
};

enum { CASES_COUNT = sizeof CASES / sizeof *CASES };

/* The library, or false where a sanitizer replaces the allocator itself. */
static bool make_preload(void)
{
#ifdef __SANITIZE_ADDRESS__
    return false;
#else
    program_run_ends(0,
                     "${CC:-cc} -shared -fPIC -o $T/preload.so test/preload/failing_allocation.c");
    return true;
#endif
}

/* No allocation that fails makes a command crash, lie, or name another reason. */
START_TEST(failing_allocations)
{
    const struct allocation_case *row = &CASES[_i];
    static char whole[65536];
    if (!make_preload())
        return;
    program_run_file("edges", "0 1\n1 2\n0 2\n2 3\n");
    program_run_file("second", "mcast 2 graph 4\n0:7 3 1\n0 2\n3 0\nend 3\n");
    program_run_ends(0, "$M gen --side 6 --pattern uniform -o $T/s && "
                        "$M network $T/s --scheme dual --trace $T/trace -q >/dev/null && "
                        "$M route $T/s --router trees --view $T/page.html -q >$T/o && "
                        "${CC:-cc} -std=c11 -shared -fPIC -Ilibrary -o $T/tour.so "
                        "doc/plugin_example.c && "
                        "$M sweep --router trees --pattern uniform --side 4 --db $T/db -q");
    const struct outcome *run = program_run_ends(0, "$M %s", row->command);
    memcpy(whole, run->out, sizeof whole);
    for (int i = 1; i == 1 || program_run_left("note"); i += row->stride) {
        run = program_run("rm -f $T/new* $T/note; LD_PRELOAD=$T/preload.so FAIL_AT=%d "
                          "FAIL_NOTE=$T/note $M %s",
                          i, row->command);
        ck_assert_msg(run->status < 128, "%s, %d: status %d", row->command, i, run->status);
        if (run->status == 0)
            ck_assert_msg(row->varies || strcmp(run->out, whole) == 0, "%s, %d", row->command, i);
        else
            ck_assert_msg(strstr(run->err, "emory") != NULL && run->status != 3,
                          "%s, %d: status %d: %s", row->command, i, run->status, run->err);
    }
}
END_TEST

void allocation_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, failing_allocations, 0, CASES_COUNT);
}
