/* test_cli_workloads.c - import and gen of several messages per node, through the program.
 *
 * Oracles: small sets by hand, and the comment in a generated set, which must make the same set
 * again.
 */
#include "test/program_run.h"

#include <check.h>
#include <string.h>

/* Wrong usage: the status is 2, the text on standard error names what is right, and no file is
 * left. */
static const struct {
    const char *command, *fragment;
} USAGE[] = {
    {"$M import $T/a.hgr --per-node 0", "--per-node takes a whole number from 1"},
    {"$M import $T/a.hgr --per-node 2 --part $T/p", "give --part or --per-node"},
    {"$M import $T/a.hgr --experts 3", "--experts, --place and --layer are for --format routes"},
    {"$M import $T/a.hgr --place block", "--experts, --place and --layer are for --format routes"},
    {"$M import $T/r.jsonl --place blok",
     "--place is spread, block or a file, and: cannot open blok"},
    {"$M import $T/a.hgr --layer 0", "--experts, --place and --layer are for --format routes"},
    {"$M import $T/r.jsonl --layer x", "--layer takes a whole number from 0 to 65535, not 'x'"},
    {"$M import $T/r.jsonl --layer 65536", "--layer takes a whole number from 0 to 65535"},
    {"$M import $T/r.jsonl --layer 1", "names no layers; leave --layer out"},
    {"$M import $T/l.jsonl", "l.jsonl has 2 layers, 3, 7; choose one with --layer N"},
    {"$M import $T/r.jsonl --experts 1048577", "from 1 to 1048576"},
    {"$M import $T/r.jsonl --no-diagonal", "routes have none"},
    {"$M import $T/a.hgr --per-node 2 --side 1", "room for 1 of 4 nodes"},
    {"$M import $T/a.hgr --part $T/p -o $T/p", "--output would overwrite"},
    {"$M import $T/r.jsonl --weights flits", "tokens have --bytes N"},
    {"$M import $T/a.hgr --weights bytes", "--weights bytes needs --flit-bytes B"},
    {"$M import $T/a.hgr --weights flits --flit-bytes 8", "--flit-bytes needs bytes"},
    {"$M import $T/a.hgr --weights flits --bytes 8 --flit-bytes 8", "give one"},
    {"$M gen --side 8 --pattern uniform --bytes 64", "--bytes needs --flit-bytes B"},
    {"$M gen --side 8 --pattern uniform --flit-bytes 64", "--flit-bytes needs bytes"},
    {"$M import $T/a.hgr --format metis", "the values of --format are: auto, mtx, edges, hgr"},
    {"$M gen --side 8 --pattern uniform --experts 4", "are for pattern moe"},
    {"$M gen --side 8 --pattern uniform --skew 1", "are for pattern moe"},
    {"$M gen --side 8 --pattern moe --groups 4", "--groups and --stride are for patterns"},
    {"$M gen --side 8 --pattern moe --matrix $T/m", "are for pattern populations"},
    {"$M gen --side 8 --pattern moe --layer 2", "--layer needs --skew FILE"},
    {"$M gen --side 8 --pattern moe --skew -1", "--skew takes an exponent from 0 in digits"},
    {"$M gen --side 8 --pattern moe --skew nan", "or a FILE of counts, not 'nan'"},
    {"$M gen --side 8 --pattern moe --skew $T/c --experts 4", "--experts 4 are not the 3 of"},
    {"$M gen --side 8 --pattern moe --skew $T/c -o $T/c", "--output would overwrite"},
    {"$M gen --side 8 --pattern populations", "needs --matrix FILE"},
    {"$M gen --side 8 --pattern populations --matrix $T/m -o $T/m", "--output would overwrite"},
    {"$M gen --side 8 --pattern populations --matrix $T/m --active 0", "--active takes a number"},
    {"$M gen --side 8 --pattern populations --matrix $T/m --active 1.5", "not '1.5'"},
    {"$M gen --side 1 --pattern populations --matrix $T/m", "7 neurons, 1 per node, need 7 nodes"},
    {"$M gen --side 2 --pattern alltoall --groups 5", "5 groups are more than the 4 nodes"},
    {"$M gen --side 4 --pattern alltoall --groups 0", "--groups takes a whole number from 1"},
    {"$M gen --side 4 --pattern alltoall --groups -3", "or a file, not '-3'"},
    {"$M gen --side 4 --pattern alltoall --stride 2", "--stride needs --groups G, a number"},
    {"$M gen --side 4 --pattern alltoall --groups $T/g --stride 2", "--stride needs --groups G"},
    {"$M gen --side 4 --pattern alltoall --groups 8 --stride 3", "and is divided by the stride"},
    {"$M gen --side 3 --pattern alltoall --groups 4 --stride 2", "divides that of nodes, 9"},
    {"$M gen --side 4 --pattern alltoall --groups $T/g -o $T/g", "--output would overwrite"},
    {"$M gen --side 4 --pattern uniform --groups $T/g", "--groups and --stride are for patterns"},
    {"$M gen --side 4 --pattern moe --place $T/e -o $T/e", "--output would overwrite"},
    {"$M gen --side 4 --pattern moe --place $T/e --experts 3", "--experts 3 are not the 2 of"},
    {"$M gen --side 4 --pattern moe --place $T/e --skew $T/c", "c has 3 experts, "},
    {"$M gen --side 4 --pattern moe --place blok", "--place is spread, block or a file"},
    {"$M import $T/r.jsonl --place $T/e -o $T/e", "--output would overwrite"},
    {"$M import $T/r.jsonl --place $T/e --experts 3", "--experts 3 are not the 2 of"},
    {"$M gen --side 8 --pattern uniform --congestion 2 --per-node 3", "a congestion of 2 is less"},
    {"$M sweep --router trees --pattern populations --side 8 --db $T/d", "needs --matrix FILE"},
};

static void write_files(void)
{
    program_run_file("a.hgr", "4 7 1\n9 1 2\n9 1 7 5 6\n9 5 6 4\n9 2 3 4\n");
    program_run_file("p", "0\n0\n1\n1\n2\n2\n3\n");
    program_run_file("r.jsonl", "{\"topk_ids\":[1,2]}\n{\"topk_ids\":[0]}\n");
    program_run_file("l.jsonl", "{\"layer\":3,\"topk_ids\":[[1],[2]]}\n"
                                "{\"layer\":7,\"topk_ids\":[[0],[3]]}\n");
    program_run_file("g", "0 5 10\n1 2\n");
    program_run_file("e", "0 15\n6\n");
    program_run_file("c", "1 2 3\n6 1 0\n");
    program_run_file("m", "A 5 0.5 0.1\nB 2 1 0\n");
}

START_TEST(usage)
{
    write_files();
    program_run_fails(2, USAGE[_i].fragment, "%s", USAGE[_i].command);
    program_run_ends(0, "cmp $T/p - <<X\n0\n0\n1\n1\n2\n2\n3\nX\n");
}
END_TEST

/* A partition makes a set of version 2 and reports the cut, and one line on standard error says
 * that weights are left out, unless it is quiet. */
START_TEST(partition)
{
    write_files();
    const struct outcome *run = program_run("$M import $T/a.hgr --part $T/p | grep -v '^#'");
    ck_assert_str_eq(run->out, "mcast 2 mesh 2 2\n0 0\n0 2 3\n0 1\n2 1 2\nend 4\n");
    ck_assert_ptr_nonnull(strstr(run->err, "7 x 4, 8 entries, 6 nonzeros; side 2, d = 2, c = 2, "
                                           "l = 2\n1 of 4 messages and 2 of 6 deliveries stay on "
                                           "their node\ncut nets 3, connectivity minus one 4\n"
                                           "its 4 weights were left out"));
    run = program_run("$M import $T/a.hgr --part $T/p --weights flits --pack pairs");
    ck_assert_ptr_nonnull(strstr(run->err, "cut nets 3, connectivity minus one 4\n"));
    run = program_run("$M import $T/a.hgr --part $T/p -q");
    ck_assert_str_eq(run->err, "");
    ck_assert_ptr_nonnull(strstr(run->out, "# meshcast import a.hgr --part p\n"));
}
END_TEST

/* Columns after an edge's ids are counted; without any, and for a matrix's values, nothing is
 * said. */
START_TEST(weights)
{
    program_run_file("w.txt", "1 2 0.5\n2 3 0.25\n");
    program_run_file("n.txt", "1 2\n2 3 \n");
    ck_assert_ptr_nonnull(strstr(program_run("$M import $T/w.txt")->err,
                                 "its columns after the ids (weights) were left out, in 2 lines"));
    ck_assert_ptr_null(strstr(program_run("$M import $T/n.txt")->err, "weights"));
    ck_assert_ptr_null(strstr(program_run("$M import test/data/west0479.mtx")->err, "weights"));
}
END_TEST

/* Bytes, weights and packing give lengths, and the comment in the set makes the same set again. */
START_TEST(volumes)
{
    write_files();
    const struct outcome *run = program_run(
        "$M import $T/a.hgr --part $T/p --weights flits --pack pairs -q | grep -v '^#'");
    ck_assert_str_eq(run->out,
                     "mcast 2 mesh 2 2\n0:9 0\n0:9 1\n0:9 2\n0:9 3\n2:9 1\n2:9 2\nend 6\n");
    run = program_run("$M import $T/r.jsonl --bytes 14336 --flit-bytes 32 -q | grep -v '^#'");
    ck_assert_str_eq(run->out, "mcast 2 mesh 2 2\n0:449 1 2\n1:449 0\nend 2\n");
    program_run_ends(
        0, "$M gen --side 8 --pattern moe --per-node 40 --bytes 100 --flit-bytes 32 --pack "
           "destinations "
           "-o $T/one && $M $(sed -n 's/^# meshcast //p' $T/one) -o $T/two && cmp $T/one $T/two && "
           "awk '/^[0-9]/ { split($1, s, \":\"); $1 = s[1]; if ($0 in seen) exit 1; seen[$0] }' "
           "$T/one");
}
END_TEST

/* Where a set stays below the degree or congestion that was asked for, one line each says so; else
 * none. */
START_TEST(less_than_asked)
{
    ck_assert_str_eq(
        program_run("$M gen --side 64 --pattern uniform --degree 1 --congestion 64")->err,
        "note: pattern uniform reaches congestion c = 6 here; 64 was asked for\n");
    ck_assert_str_eq(program_run("$M gen --side 8 --pattern permutation --congestion 5")->err,
                     "note: pattern permutation reaches congestion c = 1 here; 5 was asked for\n");
    ck_assert_str_eq(program_run("$M gen --side 8 --pattern transpose --degree 2")->err,
                     "note: pattern transpose reaches degree d = 1 here; 2 was asked for\n");
    ck_assert_str_eq(
        program_run("$M gen --side 8 --pattern uniform --degree 4 --congestion 4")->err, "");
    ck_assert_str_eq(program_run("$M gen --side 8 --pattern uniform")->err, "");
}
END_TEST

/* The comment of each such set makes it again. */
START_TEST(remade)
{
    static const char *const OPTIONS[] = {
        "--pattern uniform --degree 3 --per-node 4 --seed 5",
        "--pattern moe --experts 5 --place block --skew 0.7 --per-node 2",
        "--pattern moe --skew $T/c --layer 2 --degree 2",
        "--pattern alltoall --groups 9",
        "--pattern allgather --per-node 2",
        "--pattern alltoall --groups 12 --stride 6",
        "--pattern allgather --groups $T/g",
        "--pattern moe --place $T/e --degree 2 --per-node 2",
        "--pattern populations --matrix $T/m --active 0.5 --per-node 2 --seed 3",
    };
    write_files();
    program_run_ends(0, "$M gen --side 6 %s -o $T/s", OPTIONS[_i]);
    program_run_ends(0, "set -e\nfirst=$(sed -n '2s/^# meshcast/$M/p' $T/s)\n"
                        "eval \"$first -o $T/t\"\ncmp $T/s $T/t");
}
END_TEST

/* A layer of a log: its tokens, the option in the set's comment, and a note where nothing says what
 * nested lists are. */
START_TEST(layer)
{
    write_files();
    const struct outcome *run =
        program_run_ends(0, "$M import $T/l.jsonl --layer 7 --experts 4 --side 4");
    ck_assert_ptr_nonnull(strstr(run->out, "--experts 4 --layer 7\n"));
    program_run_file("n.jsonl", "{\"topk_ids\":[[1],[2]]}\n");
    ck_assert_ptr_nonnull(strstr(program_run("$M import $T/n.jsonl")->err,
                                 "its lists of lists were taken for tokens"));
    ck_assert_str_eq(program_run("$M import $T/n.jsonl --layer 1 -q")->err, "");
}
END_TEST

/* info of a set with several messages per node: l, and S = sqrt(l c n). */
START_TEST(info)
{
    program_run_file("s", "mcast 2 mesh 2 2\n0 1\n0 2 3\n3 0 1\nend 3\n");
    program_run_ends(0, "$M info $T/s --json");
    json_t *object = program_run_json();
    ck_assert_int_eq(program_run_integer(object, "messages_per_node"), 2);
    ck_assert_double_eq(json_real_value(json_object_get(object, "sqrt_cn")), 4);
    const json_t *words = json_object_get(object, "header_words");
    ck_assert_int_eq(program_run_integer(words, "bits_per_word"), 2);
    ck_assert_int_eq(program_run_integer(json_object_get(words, "rectangle"), "messages"), 3);
    ck_assert_int_eq(program_run_integer(json_object_get(words, "smallest"), "largest"), 2);
    json_decref(object);
    ck_assert_ptr_nonnull(strstr(program_run("$M info $T/s")->out, "words of 2 bits"));
}
END_TEST

/* On a ring nobody blocks the messages of a ring allreduce: 2 (g - 1) rounds, each of the time of
 * one hop. */
START_TEST(ring_allreduce)
{
    for (int g = 3; g <= 16; g += 13) {
        program_run("$M gen --topology torus:%d --pattern allreduce --groups 1 --algorithm ring "
                    "--bytes 1000 --flit-bytes 8 -o $T/s -q",
                    g);
        const struct outcome *o = program_run(
            "$M network $T/s --scheme unicast --vcs 2 --startup 9 --router-delay 2 --json");
        ck_assert_msg(o->status == 0, "%s", o->err);
        json_t *object = program_run_json();
        int chunk = (1000 + g - 1) / g, flits = 1 + (chunk + 7) / 8;
        ck_assert_int_eq(program_run_integer(object, "cycles"), 2 * (g - 1) * (9 + 2 * 3 + flits));
        ck_assert_int_eq(program_run_integer(object, "lower_bound"),
                         2 * (g - 1) * (9 + 2 * 3 + flits));
        json_decref(object);
    }
}
END_TEST

void cli_workloads_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, usage, 0, (int)(sizeof USAGE / sizeof *USAGE));
    tcase_add_test(tests, partition);
    tcase_add_test(tests, weights);
    tcase_add_test(tests, volumes);
    tcase_add_test(tests, less_than_asked);
    tcase_add_loop_test(tests, remade, 0, 9);
    tcase_add_test(tests, layer);
    tcase_add_test(tests, ring_allreduce);
    tcase_add_test(tests, info);
}
