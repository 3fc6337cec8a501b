/* test_cli_view.c - `route --heatmap` and `--timeline` through the program: their files, their
 * refusals, and that a file is whole or not there.
 */
#include "test/program_run.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Node 0 sends to 1, 2 and 3, node 3 to 0 and itself, which stays at home. */
static void make_set(void)
{
    program_run_file("set", "mcast 1 2 2\n0 1 2 3\n3 0 3\n");
    program_run_file("one", "mcast 1 1 1\n0 0\n");
    program_run_file("star", "mcast 1 3 3\n0 4 8\n1 4\n2 4\n3 4\n5 4\n6 4\n7 4\n");
}

static void check_file(const char *file, const char *expected)
{
    ck_assert_str_eq(program_run("cat $T/%s", file)->out, expected);
}

/* The numbers of a small run, worked out by hand. Step 1: node 0 copies its packet for node 2, the
 * packet of node 3 crosses to node 2. Step 2: the copy crosses to node 2 and ends, the packet to
 * node 1, that of node 3 to node 0, where it ends. Step 3: node 1 delivers. Step 4: the last
 * crosses to node 3 and ends. */
START_TEST(test_numbers)
{
    make_set();
    program_run_ends(0, "$M route $T/set --router trees --param tree=xy -q --heatmap $T/n.csv "
                        "--timeline $T/t.csv && $M route $T/set --router trees --param tree=xy "
                        "--heatmap-of links --heatmap $T/l.csv");
    check_file("n.csv", "row,col,peak\n0,0,2\n0,1,1\n1,0,1\n1,1,1\n");
    check_file("l.csv",
               "row,col,to_row,to_col,packets\n0,0,1,0,1\n0,0,0,1,1\n0,1,1,1,1\n0,1,0,0,0\n"
               "1,0,0,0,1\n1,0,1,1,0\n1,1,0,1,0\n1,1,1,0,1\n");
    check_file("t.csv", "step,packets,delivered,fullest,busy_links,packet_hops,word_hops,phase\n"
                        "0,2,0,1,0,0,0,start\n1,3,0,2,1,1,0,trees\n2,1,2,1,3,3,0,trees\n"
                        "3,1,3,1,0,0,0,trees\n4,0,4,0,1,1,0,trees\n");
}
END_TEST

/* With --json, --trace, --quiet and --timeline-every, all at once; the trace is that of a run
 * without, and the files are the same for every number of threads. */
START_TEST(test_together)
{
    program_run_ends(0, "$M gen --side 12 --pattern uniform --degree 4 --congestion 4 "
                        "-o $T/big");
    for (int threads = 1; threads <= 3; threads += 2) {
        const struct outcome *run = program_run_ends(
            0,
            "$M route $T/big --router random --json -q --threads %d --trace $T/%d.trace --heatmap "
            "$T/%d.csv --timeline $T/%dt.csv --timeline-every 10 --heatmap-of links",
            threads, threads, threads, threads);
        ck_assert_str_eq(run->err, "");
    }
    json_t *result = program_run_json();
    json_int_t steps = program_run_integer(result, "steps"), hops = 0;
    program_run_ends(0, "cmp $T/1.csv $T/3.csv && cmp $T/1t.csv $T/3t.csv && cmp "
                        "$T/1.trace $T/3.trace && $M route $T/big --router random --trace "
                        "- -q | cmp - $T/1.trace && $M audit $T/big $T/1.trace");
    sscanf(program_run("awk -F, 'NR > 1 {s += $5} END {print s}' $T/1.csv")->out, "%lld", &hops);
    ck_assert_int_eq(hops, program_run_integer(result, "packet_hops"));
    sscanf(program_run("wc -l <$T/1t.csv")->out, "%lld", &hops);
    ck_assert_int_eq(hops, 1 + 1 + (steps + 9) / 10);
    json_decref(result);
}
END_TEST

static const struct bad_case {
    const char *command, *expected;
    int status;
} bad_cases[] = {
    {"--heatmap $T/left.gif", ".png, FILE.svg, FILE.pdf, or FILE.csv", 2},
    {"--heatmap -", "FILE.csv", 2},
    {"--timeline $T/left", "a timeline is a FILE.png", 2},
    {"--heatmap-of links", "goes with --heatmap", 2},
    {"--heatmap $T/left.csv --heatmap-of hops", "of --heatmap-of are: nodes, links", 2},
    {"--timeline-every 5", "goes with --timeline", 2},
    {"--timeline $T/left.csv --timeline-every 0", "timeline-every", 2},
    {"--heatmap $T/left.csv --timeline $T/left.csv", "name one file", 2},
    {"--heatmap $T/left.csv --timeline $T/../${T##*/}/left.csv", "name one file", 2},
    {"--heatmap $T/left.csv --trace $T/left.csv", "name one file", 2},
    {"--heatmap $T/none/left.csv", "cannot open", 4},
    {"--heatmap $T/left.csv --timeline $T/none/left.csv", "cannot open", 4},
    {"--heatmap $T/left.csv --param slots=x", "slots", 2},
};

enum { BAD_CASES = sizeof bad_cases / sizeof bad_cases[0] };

/* Impossible options are refused in a line with their status, before the run, and leave no file. */
START_TEST(test_bad)
{
    const struct bad_case *row = &bad_cases[_i];
    make_set();
    program_run_fails(row->status, row->expected, "$M route $T/set --router trees %s",
                      row->command);
    ck_assert_str_eq(program_run("ls $T | grep left")->out, "");
}
END_TEST

/* The set is not overwritten, a mesh of one node has no links, a full disk is reported, and without
 * gnuplot a picture is refused before the run while numbers are not. */
START_TEST(test_refused)
{
    make_set();
    program_run("cp $T/set $T/set.csv");
    program_run_fails(2, "overwrite", "$M route $T/set.csv --router trees --timeline $T/set.csv");
    program_run_ends(0, "cmp $T/set $T/set.csv");

    program_run_fails(2, "one node",
                      "$M route $T/one --router trees --heatmap $T/l.csv --heatmap-of links");

    program_run_fails(4, "full.csv",
                      "ln -s /dev/full $T/full.csv; $M route $T/set --router trees --heatmap "
                      "$T/full.csv");

    program_run_fails(4, "gnuplot-nox",
                      "PATH=/nonexistent $M route $T/none --router trees --heatmap $T/l.png");
    program_run_fails(4, ".csv",
                      "PATH=/nonexistent $M route $T/none --router trees --heatmap $T/l.png");
    program_run_ends(0, "PATH=/nonexistent $M route $T/set --router trees --heatmap $T/l.csv");
}
END_TEST

/* A run that overflows leaves its files, which show where; one that gnuplot fails to draw leaves an
 * earlier file unchanged. */
START_TEST(test_broken_runs)
{
    make_set();
    program_run_ends(1, "$M route $T/star --router trees --param slots=0 --buffer 1 "
                        "--heatmap $T/n.csv --timeline $T/t.csv -q");
    program_run_ends(0, "grep -q ',2$' $T/n.csv && tail -n 1 $T/t.csv | cut -d, -f 4 | "
                        "grep -q 2");
    program_run_fails(4, "gnuplot failed",
                      "mkdir $T/bin; printf '#!/bin/sh\\nexit 3\\n' >$T/bin/gnuplot; chmod +x "
                      "$T/bin/gnuplot; echo old >$T/old.svg; PATH=$T/bin:$PATH $M route $T/set "
                      "--router trees --heatmap $T/old.svg --timeline $T/t.svg");
    check_file("old.svg", "old\n");
    ck_assert(!program_run_left("t.svg"));
    ck_assert_str_eq(program_run("ls $T | grep tmp")->out, "");
}
END_TEST

/* A run without a message, and so without a step, has a picture with a point for its beginning:
 * gnuplot's input holds numbers. */
START_TEST(test_empty_picture)
{
    program_run_file("empty", "mcast 1 3 3\n");
    program_run("mkdir $T/bin; printf '#!/bin/sh\ncat \"$@\" >%%s/script; exit 3\n' $T "
                ">$T/bin/gnuplot; chmod +x $T/bin/gnuplot; PATH=$T/bin:$PATH $M route $T/empty "
                "--router trees --timeline $T/t.svg -q");
    program_run_ends(0, "grep -q '^0 0 0 0 0.7$' $T/script");
    program_run_ends(1, "grep -iq nan $T/script");
}
END_TEST

/* For any name of a set, pictures are XML: no control characters but the end of a line, and
 * UTF-8. */
START_TEST(test_names)
{
    program_run_file("named", "mcast 1 2 2\n0 1 3\n");
    static const char *const names[] = {"a\\001b\\033[1m\\177.mcast", "\\377\\303.mcast",
                                        "\\300\\257\\355\\240\\200.mcast"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct outcome *run = program_run(
            "cp $T/named \"$T/$(printf '%s')\" && $M route \"$T/$(printf '%s')\" --router trees -q "
            "--heatmap $T/n.svg --timeline $T/t.svg --view $T/p.html >$T/o && cat $T/n.svg "
            "$T/t.svg "
            ">$T/both && iconv -f UTF-8 -t UTF-8 $T/both >$T/same && "
            "grep -v '^<script\\|^trace' $T/p.html | sed -n '/<title>/p' >>$T/both && "
            "LC_ALL=C tr -d '\\11\\12\\15\\40-\\176\\200-\\377' <$T/both | wc -c",
            names[i], names[i]);
        ck_assert_msg(run->status == 0 && atoi(run->out) == 0, "%s: status %d, %s%s", names[i],
                      run->status, run->out, run->err);
        program_run_ends(1, "grep -q '<title>.*&#[0-9];' $T/p.html");
    }
}
END_TEST

/* Pictures of every format: the file is of its format, gnuplot has nothing to say, the title names
 * the run; also meshes of one row or column, of one node and without messages. */
START_TEST(test_pictures)
{
    static const char *const formats[][2] = {{"png", "PNG"}, {"pdf", "%PDF"}, {"svg", "<?xml"}};
    make_set();
    program_run_file("row", "mcast 1 1 9\n0 8 4\n3 0\n");
    program_run_file("column", "mcast 1 9 1\n0 8 4\n3 0\n");
    program_run_file("empty", "mcast 1 3 3\n");
    for (size_t f = 0; f < 3; f++) {
        const struct outcome *run = program_run_ends(
            0,
            "$M route $T/set --router trees -q --heatmap $T/n.%s --timeline $T/t.%s >$T/table && "
            "head -c 5 $T/n.%s $T/t.%s | tr -d '\\211'",
            formats[f][0], formats[f][0], formats[f][0], formats[f][0]);
        ck_assert_str_eq(run->err, "");
        const char *first = strstr(run->out, formats[f][1]);
        ck_assert(first != NULL && strstr(first + 1, formats[f][1]) != NULL);
    }
    static const char title[] = "trees on set, 2 x 2, c = 1, copies cost a step";
    ck_assert_ptr_nonnull(strstr(program_run("cat $T/n.svg")->out, title));
    ck_assert_ptr_nonnull(strstr(program_run("cat $T/t.svg")->out, title));
    const struct outcome *run = program_run_ends(
        0,
        "for s in row one empty; do $M route $T/$s --router trees -q --heatmap $T/p.svg >$T/table "
        "|| exit 9; done; $M route $T/empty --router trees -q --timeline $T/p.svg >$T/table || "
        "exit "
        "9; for s in column set; do $M route $T/$s --router trees -q --heatmap-of links --heatmap "
        "$T/p.svg >$T/table || exit 9; done");
    ck_assert_str_eq(run->err, "");
}
END_TEST

void cli_view_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, test_numbers);
    tcase_add_test(tests, test_together);
    tcase_add_loop_test(tests, test_bad, 0, BAD_CASES);
    tcase_add_test(tests, test_refused);
    tcase_add_test(tests, test_broken_runs);
    tcase_add_test(tests, test_empty_picture);
    tcase_add_test(tests, test_names);
    tcase_add_test(tests, test_pictures);
}
