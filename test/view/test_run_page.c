/* test_run_page.c - pages of runs: their contents, the refusals of encoder and decoder, and their
 * display in a browser.
 *
 * The decoder shares no code with the encoder, so a trace that comes back whole was encoded by the
 * format. The page's own scripts are a third reader: a browser runs them over every step, and the
 * sums are held against the program's timeline and heatmap, which are counted elsewhere.
 */
#include "test/program_run.h"
#include "test/skipped.h"

#include <check.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if the trace of page $T/p is, line by line and sorted, the trace $T/t. */
#define SAME_TRACE                                                                                 \
    "$M view $T/p --decode 1 -o $T/d && "                                                          \
    "grep -v '^#' $T/t | LC_ALL=C sort >$T/ts && grep -v '^#' $T/d | LC_ALL=C sort | cmp - $T/ts " \
    "&& "                                                                                          \
    "head -1 $T/t >$T/th && head -1 $T/d | cmp - $T/th"

static void check(const char *command)
{
    program_run_ends(0, "%s", command);
}

/* Every router, with either cost of copies, on a square mesh, an oblong one, a row and a column:
 * `route --view` makes the page that `view` makes of the trace; the trace comes back with its
 * phases, and the audit accepts the page. */
START_TEST(routers)
{
    static const char *const meshes[] = {"8 --cols 8", "5 --cols 7", "1 --cols 24", "24 --cols 1"};
    static const char *const names[] = {"replicate", "random",   "stream", "circulate",
                                        "unicast",   "expander", "trees"};
    const char *mesh = meshes[_i];
    program_run_ends(0,
                     "$M gen --rows %s --pattern uniform --degree 3 --congestion 3 -o "
                     "$T/set",
                     mesh);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        program_run_ends(
            0,
            "$M route $T/set --router %s --copy %s -q --trace $T/t --view $T/r >$T/o && "
            "$M view $T/set $T/t -o $T/p && grep '^frame\\|^phase\\|^time' $T/p >$T/pf && "
            "grep '^frame\\|^phase\\|^time' $T/r | cmp - $T/pf",
            names[i], i % 2 == 0 ? "free" : "unit");
        check(SAME_TRACE " && grep '^#' $T/t >$T/tc; grep '^#' $T/d | cmp - $T/tc && "
                         "$M audit $T/set $T/p && $M audit $T/set $T/r");
    }
}
END_TEST

/* The same of sets in which nodes send several messages, and of attempts at them. */
START_TEST(several)
{
    static const char *const names[] = {"trees --param tree=spread", "replicate", "stream",
                                        "circulate", "replicate --unknown-congestion"};
    check("$M gen --side 7 --pattern uniform --degree 3 --congestion 12 --per-node 4 -o $T/set");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        program_run_ends(
            0,
            "$M route $T/set --router %s --copy free -q --trace $T/t --view $T/r >$T/o && "
            "$M view $T/set $T/t -o $T/p && grep '^frame\\|^phase\\|^time' $T/p >$T/pf && "
            "grep '^frame\\|^phase\\|^time' $T/r | cmp - $T/pf",
            names[i]);
        check(SAME_TRACE " && $M audit $T/set $T/p && $M audit $T/set $T/r");
    }
}
END_TEST

/* The network's trace comes back byte for byte, of every topology and switching, with a deadlock's
 * comments. */
START_TEST(networks)
{
    static const char *const runs[] = {
        "mesh:6x5 dual --flits 7",
        "torus:4x4x3 unicast --vcs 2 --switching cut-through --buffer 9 --flits 5",
        "mesh:3x3x2 u-mesh --flits 1:9", "mesh:8x8 dual --consumption 1 --flits 20",
        "mesh:4x4 diag --switching store-and-forward"};
    char topology[32], rest[128];
    sscanf(runs[_i], "%31s %127[^\n]", topology, rest);
    program_run("$M gen --topology %s --pattern %s --degree 4 -o $T/set", topology,
                _i == 3 ? "block" : "uniform");
    program_run_ends(0,
                     "$M network $T/set --scheme %s -q --trace $T/t --view "
                     "$T/p >$T/o; $M view $T/p --decode 1 -o "
                     "$T/d && grep -v '^#' $T/d >$T/dd && grep -v '^#' $T/t "
                     "| cmp - $T/dd && "
                     "{ $M audit $T/set $T/p || test %d = 3; }",
                     rest, _i);
    program_run_ends(_i == 3 ? 0 : 1, "grep -c '^# deadlock' $T/d");
}
END_TEST

/* After --view-events a page keeps sums, says where they begin, and does not pretend to give a
 * trace back. */
START_TEST(sums)
{
    check("$M gen --side 32 --pattern uniform --degree 8 --congestion 8 -o $T/set && $M route "
          "$T/set --router "
          "random -q --trace $T/t >$T/o && $M view $T/set $T/t --view-events 1 -o $T/p && grep -q "
          "'\"detail_ends\":[0-9]' $T/p && grep -q '^sums ' $T/p");
    program_run_fails(3, "keeps only sums", "$M view $T/p --decode 1 -o $T/d");
    ck_assert(!program_run_left("d"));
}
END_TEST

/* ---- refusals ---- */

static const struct bad_trace {
    const char *text, *expected;
} bad_traces[] = {
    {"", "t:1: format: expected the first line of a trace"},
    {"nonsense\n", "t:1: format: expected the first line of a trace"},
    {"meshcast-trace 2 2 2 copy=unit buffer=none\n", "t:1: format: expected 'meshcast-trace 1"},
    {"meshcast-trace 1 0 2 copy=unit buffer=none\n", "t:1: format"},
    {"meshcast-trace 1 -2 2 copy=unit buffer=none\n", "t:1: format"},
    {"meshcast-trace 1 99999 99999 copy=unit\n", "t:1: format"},
    {"meshcast-trace 1 3 2 copy=unit buffer=none\n", "t:1: the trace is of 3 x 2 nodes"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 1\n", "t:2: format: expected one of"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 Q 0 1 2\n", "t:2: format: expected one of"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\nx I 0 1 2\n", "t:2: format: expected a step"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 1 99999999999999999999\n", "t:2: format"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 1 2 3 4 5 6 7\n", "t:2: format"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n9007199254740992 I 0 1 2\n",
     "t:2: expected a step below 2^53 (9007199254740992), not 9007199254740992"},
    {"meshcast-network 1 mesh:2x2 x\n9007199254740993 P 0 0 1\n",
     "t:2: expected a step below 2^53 (9007199254740992), not 9007199254740993"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 4 1 0\n", "t:2: expected a node below 4"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 1 4294967295\n", "t:2: expected a node"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 1 0\n0 I 0 1 0\n", "t:3: packet 1 is in"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 1 0\n1 M 2 0 1\n", "t:3: no packet 2"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 1 0\n1 M 1 1 0\n", "t:3: packet 1 is at"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 1 0\n1 M 1 0 3\n", "t:3: expected a move"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 1 1 1\n1 M 1 1 2\n", "t:3: expected a move"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n2 I 0 1 0\n1 M 1 0 1\n", "t:3: expected a step"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 1 0\n0 E 0 1 3\n", "t:3: packet 1 is of"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 1 0\n0 C 0 1 1\n", "t:3: packet 1 is in"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 1 0\n0 G 0 1 1\n", "t:3: expected a merge"},
    {"meshcast-trace 1 2 2 copy=unit buffer=none\n1 X 0 3\n", "t:2: expected a word"},
    {"meshcast-network 1 mesh:3x3 x\n", "t:1: the trace is of mesh:3x3, the set of mesh:2x2"},
    {"meshcast-network 1 blob:3x3 x\n", "t:1: format: expected 'meshcast-network 1"},
    {"meshcast-network 1 mesh:2x2 x\n0 P 0 0\n", "t:2: format: expected one of the letters P"},
    {"meshcast-network 1 mesh:2x2 x\n1 P 0 0 1\n0 P 1 1 1\n", "t:3: expected a cycle of 1"},
    {"meshcast-network 1 mesh:2x2 x\n0 P 0 4 1\n", "t:2: expected nodes below 4"},
};

/* A trace that no page could show is refused; the message names the line, and no page is left. */
START_TEST(traces_refused)
{
    const struct bad_trace *bad = &bad_traces[_i];
    program_run_file("set", "mcast 1 2 2\n0 1 2 3\n");
    program_run_file("t", bad->text);
    program_run_fails(3, bad->expected, "$M view $T/set $T/t -o $T/p");
    ck_assert(!program_run_left("p"));
}
END_TEST

/* Lines may end with CR LF, blank lines and comments are ignored, and a last line needs no end. */
START_TEST(lines)
{
    program_run_file("set", "mcast 1 2 2\n0 1\n");
    program_run_file("t",
                     "# before\n\nmeshcast-trace 1 2 2 copy=unit buffer=none\r\n# phase <&\"x\n"
                     "0 I 0 7 0\r\n\n#\n5  M 7 0 1\n5 E 1 7 0");
    check("$M view $T/set $T/t -o $T/p && $M view $T/p --decode 1 -o $T/d");
    ck_assert_str_eq(program_run("cat $T/d")->out,
                     "meshcast-trace 1 2 2 copy=unit buffer=none\n# phase <&\"x\n0 I 0 7 0\n"
                     "5 M 7 0 1\n5 E 1 7 0\n");
    program_run_ends(1, "grep -c '<&' $T/p"); /* no '<' in a run */
}
END_TEST

/* A run that fails while text of its trace is still on its way leaves no file; sanitizers see
 * whether that text goes to a file that was closed. */
START_TEST(run_fails)
{
    check("$M gen --side 4 --pattern uniform --degree 2 --congestion 4 -o $T/set");
    program_run_fails(2, "cannot run with a buffer",
                      "$M route $T/set --router replicate --unknown-congestion --buffer 8 "
                      "--trace $T/t --view $T/p");
    ck_assert(!program_run_left("p") && !program_run_left("t"));
}
END_TEST

static const struct bad_use {
    const char *words, *expected;
    int status;
} bad_uses[] = {
    {"$T/set $T/t", "missing -o FILE", 2},
    {"$T/set -o $T/p", "missing TRACE", 2},
    {"$T/set $T/t $T/t $T/t -o $T/p", "unexpected", 2},
    {"$T/set $T/t -o $T/t", "would overwrite", 2},
    {"$T/set $T/t -o $T/set", "would overwrite", 2},
    {"- - -o $T/p", "only one file can be standard input", 2},
    {"$T/set $T/none -o $T/p", "cannot open", 4},
    {"$T/set $T/t -o $T/none/p", "cannot", 4},
    {"$T/set --decode 1 -o $T/p", "expected a page", 3},
    {"$T/set $T/t --decode 1 -o $T/p", "there is one file", 2},
    {"$T/page --decode 1 --without $T/w -o $T/p", "--without goes with SET TRACE", 2},
    {"$T/set $T/t --without $T/w -o $T/p", "node 0", 3},
    {"$T/page --decode 1 --part $T/far -o $T/p", "--part goes with SET TRACE", 2},
    {"$T/set $T/t --part $T/none -o $T/p", "cannot open", 4},
    {"$T/set $T/t --part $T/w -o $T/p", "w:1: ", 3},
    {"$T/set $T/t --part $T/far -o $T/p", "far:2: expected a node of mesh:2x2, 0 to 3, found 4", 3},
    {"$T/set $T/t --part $T/near -o $T/p", "near: no line has node 0, which sends messages of ", 3},
    {"$T/set $T/t --part $T/own --without $T/dead -o $T/p", "own:2: node 3 is dead in ", 3},
    {"$T/page --decode 2 -o $T/p", "with a run of that number", 3},
};

START_TEST(uses_refused)
{
    program_run_file("set", "mcast 1 2 2\n0 1\n");
    program_run_file(
        "t", "meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 7 0\n1 M 7 0 1\n1 E 1 7 0\n");
    program_run_file("w", "node 0\n");
    program_run_file("far", "3\n4\n");
    program_run_file("near", "2\n3\n");
    program_run_file("own", "0\n3\n1\n");
    program_run_file("dead", "node 3\n");
    check("$M view $T/set $T/t -o $T/page");
    char command[256];
    snprintf(command, sizeof command, "$M view %s", bad_uses[_i].words);
    const struct outcome *run = program_run("%s", command);
    ck_assert_msg(run->status == bad_uses[_i].status &&
                      strstr(run->err, bad_uses[_i].expected) != NULL,
                  "%s: status %d: %s", command, run->status, run->err);
    ck_assert(!program_run_left("p"));
}
END_TEST

/* A page of which some bytes are lost or changed is refused with its line, or still gives a trace;
 * it never ends the program otherwise. Every piece of a run's lines is cut out or changed in
 * turn. */
START_TEST(damage)
{
    check("$M gen --side 4 --pattern uniform --degree 2 -o $T/set && $M route $T/set --router "
          "replicate -q "
          "--view $T/page >$T/o && sed -n '/^meshcast-view/,/^<.script/p' $T/page >$T/run && wc -c "
          "<$T/run");
    int size = atoi(program_run("wc -c <$T/run")->out), refused = 0, step = size / 60 + 1;
    for (int at = 0; at < size; at += step)
        for (int kind = 0; kind < 3; kind++) {
            const char *const harm[] = {
                "(head -c %d $T/run; tail -c +%d $T/run) >$T/bad", /* three bytes are lost */
                "(head -c %d $T/run; printf AAA; tail -c +%d $T/run) >$T/bad",
                "head -c %d $T/run >$T/bad; : %d", /* the rest is lost */
            };
            char make[128];
            snprintf(make, sizeof make, harm[kind], at, at + 4);
            const struct outcome *run =
                program_run("%s; $M view $T/bad --decode 1 -o - >$T/d", make);
            ck_assert_msg(run->status == 0 ||
                              (run->status == 3 && strstr(run->err, "bad:") != NULL),
                          "%s: status %d: %s", make, run->status, run->err);
            refused += run->status == 3;
        }
    ck_assert_int_gt(refused, 60);
}
END_TEST

/* ---- in a browser ---- */

/* Debian's chromium, headless. The page's scripts go to every step of its runs, forth and back, and
 * report their findings. */
#define BROWSER                                                                                    \
    "HOME=$T chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "        \
    "--disable-background-networking --disable-component-update --disable-sync "                   \
    "--disable-dev-shm-usage "                                                                     \
    "--user-data-dir=$T/browser --virtual-time-budget=60000 --dump-dom "

/* True if a browser is wanted and runs, which needs more of a system than any other test: in a
 * folder without /proc none does. If not, `what` is skipped. */
static bool browser_runs(const char *what)
{
    const char *wanted = getenv("BROWSER"); /* `make test BROWSER=0` */
    if (wanted != NULL && strcmp(wanted, "0") == 0) {
        test_skip("%s: BROWSER=0", what);
        return false;
    }
    program_run_file("plain.html", "<!doctype html><p id=it>works</p>");
    bool runs = strstr(program_run(BROWSER "file://$T/plain.html 2>$T/log")->out, "works") != NULL;
    if (!runs)
        test_skip("%s: no chromium runs here", what);
    return runs;
}

/* Returns the page's findings on run `which`; the caller decrefs. NULL: the run is not there. */
static json_t *self_test(const char *page)
{
    program_run(
        BROWSER
        "\"file://$T/%s#selftest\" 2>$T/log | grep -o '<pre id=\"selftest\">.*</pre>' | sed "
        "'s/<[^>]*>//g' >$T/self.json",
        page);
    json_t *found = json_loads(program_run("cat $T/self.json")->out, 0, NULL);
    ck_assert_msg(found != NULL, "the page said nothing: %s",
                  program_run("tail -c 1000 $T/log")->out);
    return found;
}

/* The page's packets in the network and fullest buffer, step by step, its peaks and its links'
 * loads are those of --timeline and --heatmap; in a multicast all deliveries are made, in a
 * reduction beside it all contributions come in, also those of message 0 alone. */
START_TEST(browser_machine)
{
    if (!browser_runs("packets, buffers and loads that a browser shows of a machine's run"))
        return;
    check("$M gen --side 9 --pattern uniform --degree 3 --congestion 3 -o $T/set && $M route "
          "$T/set --router "
          "replicate -q --trace $T/t --timeline $T/time.csv --heatmap $T/nodes.csv >$T/o && $M "
          "route $T/set "
          "--router replicate -q --heatmap $T/links.csv --heatmap-of links >$T/o && $M route "
          "$T/set --router trees --reduce -q --trace $T/sums --timeline $T/sums.csv >$T/o && "
          "$M view $T/set $T/t $T/sums -o $T/p.html");
    json_t *all = self_test("p.html"), *run = json_array_get(all, 0);
    int deliveries = atoi(program_run("awk '/^[0-9]/ {for (i = 2; i <= NF; i++) n += $i != $1} "
                                      "END {print n}' $T/set")
                              ->out);
    ck_assert_int_eq(atoi(program_run("tail -n 1 $T/time.csv | cut -d, -f3")->out), deliveries);
    ck_assert_int_eq(atoi(program_run("tail -n 1 $T/sums.csv | cut -d, -f3")->out), deliveries);
    for (size_t i = 0; i < 2; i++) {
        json_t *each = json_array_get(all, i), *followed = json_object_get(each, "followed");
        ck_assert_int_eq(program_run_integer(each, "delivered"), deliveries);
        ck_assert_uint_gt(json_array_size(followed), 1);
        ck_assert(json_equal(followed, json_object_get(run, "followed")));
    }
    ck_assert(json_is_true(json_object_get(run, "isStable")));
    json_t *rows = json_object_get(run, "rows");
    ck_assert_uint_gt(json_array_size(rows), 10);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        int step = (int)json_integer_value(json_array_get(row, 0)), packets = -1, fullest = -1;
        const struct outcome *line = program_run("sed -n %dp $T/time.csv", step + 2);
        ck_assert_int_eq(sscanf(line->out, "%*d,%d,%*d,%d", &packets, &fullest), 2);
        ck_assert_int_eq(json_integer_value(json_array_get(row, 1)), packets);
        ck_assert_int_eq(json_integer_value(json_array_get(row, 2)), fullest);
    }
    char *text = json_dumps(json_object_get(run, "peak"), JSON_COMPACT);
    program_run_file("peaks", text);
    free(text);
    check("tr -d '[]' <$T/peaks | tr , '\\n' >$T/mine; echo >>$T/mine; tail -n +2 $T/nodes.csv | "
          "cut -d, -f3 | cmp - $T/mine");
    json_int_t hops = 0, drawn = 0;
    json_t *links = json_object_get(run, "links");
    for (size_t i = 0; i < json_array_size(links); i++)
        drawn += json_integer_value(json_array_get(links, i));
    sscanf(program_run("awk -F, 'NR > 1 {s += $5} END {print s}' $T/links.csv")->out, "%lld",
           &hops);
    ck_assert_int_eq(drawn, hops);
    json_decref(all);
}
END_TEST

/* A burst's flits over links and deliveries, as the network counted them; two runs on one page;
 * sums alone. */
START_TEST(browser_network)
{
    if (!browser_runs("flits that a browser shows of a network's run"))
        return;
    check("$M gen --side 6 --pattern uniform --degree 4 -o $T/set && $M network $T/set --scheme "
          "dual --flits 6 -q --json "
          "--view $T/n.html >$T/n.json && $M network $T/set --scheme unicast --flits 6 -q --trace "
          "$T/u >$T/o && $M route "
          "$T/set --router trees -q --trace $T/t >$T/o && $M view $T/set $T/t $T/u --view-events 1 "
          "-o $T/two.html");
    json_t *all = self_test("n.html"), *run = json_array_get(all, 0);
    program_run("cat $T/n.json");
    json_t *counted = program_run_json();
    json_t *links = json_object_get(run, "links");
    json_int_t crossings = 0;
    for (size_t i = 0; i < json_array_size(links); i++)
        crossings += json_integer_value(json_array_get(links, i));
    ck_assert_int_eq(crossings, program_run_integer(counted, "channel_crossings"));
    ck_assert(json_is_true(json_object_get(run, "isStable")));
    json_decref(all);
    json_decref(counted);
    all = self_test("two.html");
    ck_assert_uint_eq(json_array_size(all), 2);
    json_decref(all);
}
END_TEST

/* Returns the sum of the numbers of a list. */
static json_int_t sum_of(const json_t *list)
{
    json_int_t sum = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        sum += json_integer_value(json_array_get(list, i));
    return sum;
}

/* Chains of waits as a browser follows them: each message waits for those that the set names,
 * begins `delay` cycles after its source has the last of them, and each that it waits for knows it
 * as one that comes next. */
START_TEST(browser_chains)
{
    if (!browser_runs("chains of messages that a browser follows"))
        return;
    check("$M gen --side 4 --pattern allreduce --algorithm tree | sed 's/^0>[0-9,]*/&@7/' >$T/set "
          "&& $M network $T/set --scheme unicast --flits 3 -q --view $T/p.html >$T/o");
    json_t *all = self_test("p.html");
    json_t *chains = json_object_get(json_array_get(all, 0), "chains"), *chain;
    size_t i, k, waits = 0, delays = 0;
    json_int_t next = 0, begun = 0;
    json_array_foreach(chains, i, chain)
    {
        json_t *before = json_object_get(chain, "before"), *here = json_object_get(chain, "here");
        json_int_t last = -1, delay = program_run_integer(chain, "delay");
        char *text = json_dumps(before, JSON_COMPACT);
        program_run_file("mine", text);
        free(text);
        check("tr -d '[]' <$T/mine >$T/found; echo >>$T/found");
        const struct outcome *named = program_run(
            "grep '^[0-9]' $T/set | sed -n '%zup' | sed 's/ .*//; s/@.*//; s/^[0-9]*>*//' | "
            "cmp - $T/found",
            i + 1);
        ck_assert_msg(named->status == 0, "message %zu: %s", i, named->out);
        for (k = 0; k < json_array_size(here); k++) {
            json_int_t time = json_integer_value(json_array_get(here, k));
            last = time > last ? time : last;
        }
        ck_assert_int_eq(program_run_integer(chain, "begins"), last + 1 + delay);
        waits += k;
        delays += delay > 0;
        next += sum_of(json_object_get(chain, "next"));
        begun += (json_int_t)k * program_run_integer(chain, "begins");
    }
    ck_assert_uint_eq(i, 16);
    ck_assert_uint_gt(waits, 10);
    ck_assert_uint_gt(delays, 0);
    ck_assert_int_eq(next, begun);
    json_decref(all);
}
END_TEST

/* Pages of both machines list the missing nodes and links of a broken mesh, as `view` does; pages
 * of whole meshes do not. */
START_TEST(broken)
{
    program_run_file("w", "node 4\nlink 0 1\nlink 8>7\n");
    program_run_file("none", "# nothing\n");
    check("$M gen --side 3 --without $T/w --pattern uniform --degree 2 -o $T/set && "
          "$M route $T/set --without $T/w --router trees -q --trace $T/t --view $T/r >$T/o && "
          "$M network $T/set --without $T/w --scheme u-mesh --routing up-down -q --trace $T/u "
          "--view $T/n >$T/o && $M view $T/set $T/t $T/u --without $T/w -o $T/p && "
          "grep -h '^missing ' $T/r $T/n >$T/two && grep '^missing ' $T/p | cmp - $T/two && "
          "test $(sort -u $T/two | wc -l) = 1 && grep -oE '\"lower_bound\":[0-9]+' $T/r >$T/b && "
          "grep -oE '\"lower_bound\":[0-9]+' $T/p | cmp - $T/b && " SAME_TRACE);
    check("$M view $T/set $T/t -o $T/p && ! grep '^missing ' $T/p && "
          "$M view $T/set $T/t --without $T/none -o $T/p && ! grep '^missing ' $T/p");
    if (!browser_runs("missing nodes and links that a browser shows"))
        return;
    check("cp $T/r $T/r.html");
    json_t *all = self_test("r.html"),
           *missing = json_object_get(json_array_get(all, 0), "missing");
    char *text = json_dumps(missing, JSON_COMPACT | JSON_SORT_KEYS);
    ck_assert_str_eq(text, "{\"links\":[[0,1],[1,0],[8,7]],\"nodes\":[4]}");
    free(text);
    json_decref(all);
}
END_TEST

/* The lines of the part file on each node, in pages of both machines: of experts, some of them on
 * several nodes, and of a placement with several items per node. A trace comes back as without
 * them. */
START_TEST(items)
{
    program_run_file("experts", "# of three experts\n5 0\n3\n8 5 1\n");
    program_run_file("set", "mcast 1 3 3\n0 1 8\n2 0 3\n4 3 5\n7 5 8\n8 0 1\n");
    check("$M route $T/set --router trees -q --trace $T/t >$T/o && "
          "$M network $T/set --scheme u-mesh -q --trace $T/u >$T/o && "
          "$M view $T/set $T/t $T/u --part $T/experts -o $T/p && " SAME_TRACE);
    check("seq 0 24 | awk '{print 2, $1 % 24}' >$T/edges && "
          "seq 0 23 | awk '{print 5 * $1 % 9}' >$T/part && "
          "$M import $T/edges --format edges --side 3 --part $T/part -q -o $T/placed && "
          "$M route $T/placed --router trees -q --trace $T/v >$T/o && "
          "$M view $T/placed $T/v --part $T/part -o $T/q.html && "
          "$M view $T/placed $T/v -o $T/w && ! grep '^items ' $T/w && "
          "awk '{on[$1] = on[$1] (on[$1] ? \",\" : \"\") NR} END {for (v = 0; v < 9; v++) "
          "printf \"%s[%s]\", v ? \",\" : \"[\", on[v]; printf \"]\"}' $T/part >$T/lines");
    if (!browser_runs("items that a browser shows"))
        return;
    check("cp $T/p $T/p.html");
    json_t *all = self_test("p.html"), *run;
    size_t i;
    ck_assert_uint_eq(json_array_size(all), 2);
    json_array_foreach(all, i, run)
    {
        char *text = json_dumps(json_object_get(run, "items"), JSON_COMPACT);
        ck_assert_str_eq(text, "[[1],[3],null,[2],null,[1,3],null,null,[3]]");
        free(text);
        text = json_dumps(json_object_get(run, "first"), JSON_COMPACT);
        ck_assert_str_eq(text, "[1,3,0,2,0,1,0,0,3]");
        free(text);
    }
    json_decref(all);
    all = self_test("q.html");
    char *text = json_dumps(json_object_get(json_array_get(all, 0), "items"), JSON_COMPACT);
    ck_assert_str_eq(text, program_run("cat $T/lines")->out);
    free(text);
    json_decref(all);
}
END_TEST

void run_page_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, routers, 0, 4);
    tcase_add_test(tests, several);
    tcase_add_loop_test(tests, networks, 0, 5);
    tcase_add_test(tests, sums);
    tcase_add_loop_test(tests, traces_refused, 0, sizeof bad_traces / sizeof *bad_traces);
    tcase_add_test(tests, lines);
    tcase_add_test(tests, run_fails);
    tcase_add_loop_test(tests, uses_refused, 0, sizeof bad_uses / sizeof *bad_uses);
    tcase_add_test(tests, damage);
    tcase_add_test(tests, browser_machine);
    tcase_add_test(tests, browser_network);
    tcase_add_test(tests, browser_chains);
    tcase_add_test(tests, broken);
    tcase_add_test(tests, items);
}
