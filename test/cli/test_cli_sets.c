/* test_cli_sets.c - the sets and the output of gen, import and info.
 *
 * Oracles: small sets and matrices counted by hand; and the comment in a generated set, which must
 * make the same set again.
 */
#include "test/program_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static json_int_t histogram_total(const json_t *object, const char *key)
{
    json_int_t total = 0;
    size_t i;
    json_t *bucket;
    json_array_foreach(json_object_get(object, key), i, bucket)
    {
        ck_assert(program_run_integer(bucket, "from") <= program_run_integer(bucket, "to"));
        total += program_run_integer(bucket, "count");
    }
    return total;
}

struct bucket {
    json_int_t from, to, count;
};

static void check_bucket(const json_t *object, const char *key, size_t index,
                         struct bucket expected)
{
    const json_t *bucket = json_array_get(json_object_get(object, key), index);
    ck_assert_int_eq(program_run_integer(bucket, "from"), expected.from);
    ck_assert_int_eq(program_run_integer(bucket, "to"), expected.to);
    ck_assert_int_eq(program_run_integer(bucket, "count"), expected.count);
}

/* `info` counts a set that was counted by hand: d, c, both histograms, the named bounds of both
 * machines. */
START_TEST(test_info)
{
    program_run_file("s", "mcast 1 3 4\n# a comment\n0 1 2 3 4 11\n5 5 1\n\n7 1\n");
    program_run_ends(0, "$M info $T/s --json");
    json_t *object = program_run_json();
    ck_assert_int_eq(program_run_integer(object, "nodes"), 12);
    ck_assert_int_eq(program_run_integer(object, "messages"), 3);
    ck_assert_int_eq(program_run_integer(object, "degree"), 5);
    ck_assert_int_eq(program_run_integer(object, "congestion"), 3);
    ck_assert_int_eq(program_run_integer(object, "deliveries"), 7);
    ck_assert_int_eq(program_run_integer(object, "deliveries_at_home"), 1);
    ck_assert_int_eq(histogram_total(object, "degree_histogram"), 3);
    ck_assert_int_eq(histogram_total(object, "congestion_histogram"), 12);
    check_bucket(object, "congestion_histogram", 0, (struct bucket){0, 0, 7});
    check_bucket(object, "congestion_histogram", 1, (struct bucket){1, 1, 4});
    check_bucket(object, "congestion_histogram", 2, (struct bucket){2, 3, 1});
    check_bucket(object, "degree_histogram", 1, (struct bucket){4, 7, 1});
    const json_t *bounds = json_object_get(object, "lower_bounds");
    ck_assert_int_eq(program_run_integer(bounds, "distance"), 5);
    ck_assert_int_eq(program_run_integer(bounds, program_run_text(object, "lower_bound_kind")),
                     program_run_integer(object, "lower_bound"));
    ck_assert_str_eq(program_run_text(object, "lower_bound_unit"), "steps");
    const json_t *network = json_object_get(object, "network");
    bounds = json_object_get(network, "lower_bounds");
    ck_assert_int_eq(program_run_integer(bounds, "distance"), 5 + 1 + 1); /* 5 hops, 1 flit */
    ck_assert_int_eq(program_run_integer(bounds, program_run_text(network, "lower_bound_kind")),
                     program_run_integer(network, "lower_bound"));
    ck_assert_str_eq(program_run_text(network, "lower_bound_unit"), "cycles");
    json_decref(object);

    const struct outcome *run = program_run("$M info $T/s");
    ck_assert_ptr_nonnull(strstr(run->out, "* distance                  7"));
    ck_assert_ptr_nonnull(strstr(run->out, "3 x 4 nodes, 3 messages, 7 deliveries\n"
                                           "1 of 8 deliveries stay on their node\n"));
    ck_assert_ptr_nonnull(strstr(run->out, "distance                  5"));
}
END_TEST

/* `info` of a set that only the network accepts: every figure counted by hand. */
START_TEST(test_info_of_network)
{
    program_run_file("edges", "0 1\n1 2\n2 3\n3 4\n");
    program_run_file("s", "mcast 2 graph 5\n0:5 1 3\n0 0 4\n");
    const struct outcome *run =
        program_run_ends(0, "$M info $T/s --topology graph:$T/edges --json");
    ck_assert_ptr_nonnull(strstr(run->err, "/s has no last line 'end 2'"));
    json_t *object = program_run_json();
    ck_assert_str_eq(program_run_text(object, "topology"), "graph");
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(object, "sizes"), 0)), 5);
    ck_assert_int_eq(program_run_integer(object, "nodes"), 5);
    ck_assert_int_eq(program_run_integer(object, "messages"), 2);
    ck_assert_int_eq(program_run_integer(object, "degree"), 2);
    ck_assert_int_eq(program_run_integer(object, "congestion"), 1);
    ck_assert_int_eq(program_run_integer(object, "messages_per_node"), 2);
    ck_assert_int_eq(program_run_integer(object, "deliveries"), 3);
    ck_assert_int_eq(program_run_integer(object, "flits"), 6);
    check_bucket(object, "sent_histogram", 0, (struct bucket){0, 0, 4});
    check_bucket(object, "sent_histogram", 1, (struct bucket){2, 3, 1});
    check_bucket(object, "congestion_histogram", 1, (struct bucket){1, 1, 3});
    const json_t *bounds = json_object_get(object, "lower_bounds");
    ck_assert_int_eq(program_run_integer(bounds, "distance"), 3 + 1 + 5);
    /* the 6 flits cross one link from cycle 1 on, the last one with 2 hops and an absorption to
     * come */
    ck_assert_int_eq(program_run_integer(bounds, "injection"), 6 + 3 + 1);
    ck_assert_int_eq(program_run_integer(object, "lower_bound"), 10);
    ck_assert_str_eq(program_run_text(object, "lower_bound_kind"), "injection");
    ck_assert_int_eq(program_run_integer(json_object_get(object, "network"), "lower_bound"), 10);
    json_decref(object);

    run = program_run_ends(0, "$M info $T/s");
    ck_assert_ptr_nonnull(strstr(run->out, "/s: graph:5, 5 nodes, 2 messages, 3 deliveries, 6 "
                                           "flits\n1 of 4 deliveries stay on their node\n"
                                           "degree d = 2, congestion c = 1, l = 2 messages "
                                           "per node, sqrt(l c n) = 3.2\n"));
    ck_assert_ptr_nonnull(strstr(run->out, "they need the graph's edges: --topology graph:FILE"));
    program_run_ends(0, "$M info $T/s --json");
    object = program_run_json();
    ck_assert(json_is_null(json_object_get(object, "lower_bounds")) &&
              json_is_null(json_object_get(object, "lower_bound")));
    json_decref(object);
    program_run_ends(2, "$M info $T/s --topology torus:5");
    ck_assert_ptr_nonnull(strstr(program_run("$M info $T/s --topology torus:5")->err,
                                 "the topology is torus:5, but the set is of graph:5"));
}
END_TEST

/* A set of version 2 that the machine accepts is described as of version 1; a topology that is not
 * the set's is refused. */
START_TEST(test_info_of_second_version)
{
    program_run_file("s", "mcast 2 mesh 3 4\n7 1\n0:1 1 2 3 4 11\n5 5 1\nend 3\n");
    program_run_file("first", "mcast 1 3 4\n0 1 2 3 4 11\n5 5 1\n7 1\n");
    program_run_ends(0, "cd $T && $M info - <s >a && $M info - <first >b && cmp a b && "
                        "$M info - --topology mesh:3x4 <s | cmp - b");
    program_run_ends(2, "$M info $T/s --topology mesh:4x3");
}
END_TEST

/* `gen` writes its own command line into the set, and that line makes the same bytes. */
START_TEST(test_gen_comment)
{
    program_run_ends(0, "$M gen --rows 9 --cols 7 --pattern uniform --degree 5 "
                        "--congestion 6 --seed 5 -o $T/s");
    program_run_ends(0, "sed -n 's/^# meshcast //p' $T/s >$T/line && test -s $T/line && "
                        "grep -q ' d = ' $T/s && "
                        "$M $(cat $T/line) | cmp - $T/s && "
                        "$M gen --side 9x7 --pattern uniform --degree 5 --congestion 6 "
                        "--seed 5 | diff -I '^#' - $T/s");
}
END_TEST

/* On other topologies `gen` writes version 2, with the line that makes it again; a mesh of two
 * dimensions is what --rows and --cols make. */
START_TEST(test_gen_topology)
{
    program_run_file("ring", "0 1\n1 2\n2 3\n3 4\n4 0\n");
    program_run_ends(0, "cd $T && for t in torus:2x3x4 mesh:7 graph:ring; do "
                        "$M gen --topology $t --pattern uniform --degree 2 --seed 5 -o s && "
                        "head -1 s && tail -1 s && $M $(sed -n 's/^# meshcast //p' s) | cmp - s || "
                        "exit 9; done");
    ck_assert_str_eq(program_run("cd $T && for t in torus:2x3x4 mesh:7 graph:ring; do $M gen "
                                 "--topology $t --pattern uniform --degree 2 | sed -n '1p;$p'; "
                                 "done")
                         ->out,
                     "mcast 2 torus 2 3 4\nend 24\nmcast 2 mesh 7\nend 7\nmcast 2 graph 5\nend "
                     "5\n");
    program_run_ends(0, "$M gen --rows 4 --cols 6 --pattern block -o $T/mesh && $M gen "
                        "--topology mesh:4x6 --pattern block | diff -I '^#' - $T/mesh");
}
END_TEST

static const struct {
    const char *options;
    int status;
    const char *told;
} TOPOLOGY_ERRORS[] = {
    {"--topology torus:4x4 --pattern block", 2, "on torus:4x4 there are: permutation, transpose,"},
    {"--topology torus:4x4 --side 4 --pattern uniform", 2, "give one or the other"},
    {"--topology mesh:4x4 --rows 4 --pattern uniform", 2, "give one or the other"},
    {"--topology tours:4x4 --pattern uniform", 2, "did you mean 'torus'?"},
    {"--topology torus:4x --pattern uniform", 2, "expected torus:SIZExSIZE.."},
    {"--topology graph:$T/none --pattern uniform", 4, "none"},
    {"--topology graph:$T/bad --pattern uniform", 3, "bad:2: expected an edge 1 2"},
    {"--topology graph:$T/bad --pattern uniform -o $T/bad", 2, "--output would overwrite"},
    {"--cols 4 --pattern uniform", 2, "missing --rows"},
    {"--side 8 --faults nodes=2", 2, "--faults takes shares above 0, at most 1"},
    {"--side 8 --faults nodes=0.1,links=2", 2, "--faults takes shares above 0, at most 1"},
    {"--side 512 --pattern allreduce --algorithm ring --groups 1", 2, "at most 4294967294 fit"},
};

START_TEST(test_gen_topology_errors)
{
    program_run_file("bad", "0 1\n2 3\n");
    program_run_fails(TOPOLOGY_ERRORS[_i].status, TOPOLOGY_ERRORS[_i].told, "$M gen %s",
                      TOPOLOGY_ERRORS[_i].options);
}
END_TEST

/* `import` makes the set of a matrix counted by hand and tells on standard error what it read. */
START_TEST(test_import)
{
    program_run_file("a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n% comment\n"
                              "4 4 4\n1 1\n2 1\n3 1\n4 3\n");
    const struct outcome *run = program_run_ends(0, "$M import $T/a.mtx -o $T/s");
    ck_assert_str_eq(run->out, "");
    ck_assert_ptr_nonnull(
        strstr(run->err, "4 x 4, 4 entries, 7 nonzeros; side 2, d = 2, c = 2\n1 of 7 deliveries "
                         "stay on their node\n"));
    program_run_ends(0, "grep -v '^#' $T/s");
    ck_assert_str_eq(program_run("grep -v '^#' $T/s")->out,
                     "mcast 1 2 2\n0 0 1 2\n1 0\n2 0 3\n3 2\n");
    run = program_run("$M import $T/a.mtx --no-diagonal --quiet | grep -v '^#'");
    ck_assert_str_eq(run->out, "mcast 1 2 2\n0 1 2\n1 0\n2 0 3\n3 2\n");
    ck_assert_str_eq(run->err, "");
    program_run_ends(2, "$M import $T/a.mtx --side 1");
}
END_TEST

/* Commands of the mesh machine accept sets of version 2 if they can, say where a file may be cut,
 * and name the command for the rest. */
START_TEST(test_machine_of_second_version)
{
    static const char *const COMMANDS[] = {
        "route $T/s --router trees", "compare $T/s --routers trees", "stress $T/s --router unicast",
        "search --router trees --tries 2 $T/s", "sweep --router trees --set $T/s --db $T/runs.db"};
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        program_run_file("s", "mcast 2 mesh 3 3\n8 1\n0:1 2 4\n");
        const struct outcome *run = program_run_ends(0, "$M %s", COMMANDS[i]);
        ck_assert_ptr_nonnull(strstr(run->err, "/s has no last line 'end 2'; it may be cut off"));
        program_run_file("s", "mcast 2 torus 3 3\n8 1\nend 1\n");
        run = program_run_ends(3, "$M %s", COMMANDS[i]);
        ck_assert_ptr_nonnull(
            strstr(run->err, "found torus:3x3; 'meshcast network' takes such sets"));
        ck_assert_str_eq(run->out, "");
    }
}
END_TEST

/* Nodes that send several messages: routers that take these run, compare tells of the others, the
 * search takes none, and an audit knows the messages by their numbers. */
START_TEST(test_several_messages_a_node)
{
    program_run_file("s", "mcast 2 mesh 3 3\n8 1\n8:2 2 4\n0 8\nend 3\n");
    const struct outcome *run = program_run_ends(0, "$M route $T/s --router trees --trace $T/t");
    ck_assert_ptr_nonnull(strstr(run->out,
                                 "degree d = 2, congestion c = 2, l = 3 messages per node, "
                                 "sqrt(l c n) = 7.3"));
    ck_assert_ptr_nonnull(strstr(run->out, "steps / sqrt(l c n)"));
    run = program_run_ends(0, "$M audit $T/s $T/t");
    ck_assert_ptr_nonnull(strstr(run->out, "\n4 messages, "));
    run = program_run("$M route $T/s --router circulate --json --quiet");
    ck_assert_ptr_nonnull(strstr(run->out, "\"messages_per_node\": 3"));
    run = program_run_ends(0, "$M compare $T/s");
    ck_assert_ptr_null(strstr(run->out, "left out"));
    ck_assert_ptr_nonnull(strstr(run->out, "steps / sqrt(l c n)"));
    run = program_run_ends(0, "$M search --router trees --tries 2 $T/s");
    ck_assert_ptr_nonnull(strstr(run->out, "congestion 3 and 3 messages from a node at most"));
    program_run_ends(0, "$M stress $T/s --router unicast --quiet");
    program_run_ends(0, "$M sweep --router trees,random --set $T/s --db $T/many.db --quiet");
    program_run_ends(0, "$M route $T/s --router unicast --heatmap $T/h.csv --timeline $T/l.csv");
    run = program_run_ends(0, "$M info $T/s");
    ck_assert_ptr_nonnull(strstr(run->out, "messages from a node  nodes"));
    program_run_file("one", "mcast 1 1 2\n0 1\n");
    run = program_run("$M info $T/one && $M route $T/one --router trees --trace $T/t -q && "
                      "$M audit $T/one $T/t");
    ck_assert_ptr_null(strstr(run->out, "messages from a node"));
    ck_assert_ptr_nonnull(strstr(run->out, "lower bound 1 step ("));
    ck_assert_ptr_nonnull(
        strstr(run->out, "1 message, 1 packet, 1 delivery, 0 copies, 1 packet hop"));
}
END_TEST

/* Tables and busy links of a run: two messages that turn off at node 1 of a row, one that goes
 * straight on, with a timeline beside them. */
START_TEST(test_tables)
{
    program_run_file("s", "mcast 2 mesh 2 4\n0 5 3\n0 5\n0 3\nend 3\n");
    const struct outcome *run =
        program_run_ends(0, "$M route $T/s --router trees --copy free --tables "
                            "--table-limit 2 --top-links 1 --timeline $T/l.csv");
    ck_assert_ptr_nonnull(strstr(run->out, "entries                         3   at most, node 0"));
    ck_assert_ptr_nonnull(strstr(run->out, "1 node above 2"));
    ck_assert_ptr_nonnull(strstr(run->out, "colours                         3   of messages"));
    program_run_ends(0, "$M route $T/s --router trees --copy free --tables --table-limit 2 "
                        "--top-links 1 --json --quiet");
    json_t *json = program_run_json(), *tables = json_object_get(json, "tables");
    json_t *entries = json_object_get(tables, "entries");
    ck_assert_int_eq(program_run_integer(entries, "most"), 3);
    ck_assert_int_eq(program_run_integer(entries, "most_node"), 0);
    ck_assert_int_eq(program_run_integer(entries, "nodes_over_limit"), 1);
    ck_assert_int_eq(program_run_integer(tables, "colours"), 3);
    json_t *link = json_array_get(json_object_get(json, "top_links"), 0);
    ck_assert_int_eq(program_run_integer(link, "from"), 0);
    ck_assert_int_eq(program_run_integer(link, "packets"),
                     (long)json_array_size(json_object_get(link, "messages")));
    json_decref(json);
    run = program_run_ends(
        0, "$M compare $T/s --routers trees,random --copy free --tables --table-limit 2");
    ck_assert_ptr_nonnull(strstr(run->out, "\ntrees      3 "));
    ck_assert_ptr_nonnull(strstr(run->out, "  1       0\n"));
    program_run("$M compare $T/s --routers trees --copy free --tables --json");
    json = program_run_json();
    tables = json_object_get(json_array_get(json_object_get(json, "runs"), 0), "tables");
    ck_assert_int_eq(program_run_integer(json_object_get(tables, "entries"), "most"), 3);
    json_decref(json);
}
END_TEST

/* The network also accepts such a set as it is, and says where it may be cut. */
START_TEST(test_cut_set_on_network)
{
    static const char *const COMMANDS[] = {
        "network $T/s --scheme unicast",
        "load --set $T/s --topology mesh:3x3 --scheme unicast --rate 0.01 --measure 10"};
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        program_run_file("s", "mcast 2 mesh 3 3\n8 1\n8 2 4\n");
        const struct outcome *run = program_run_ends(0, "$M %s", COMMANDS[i]);
        ck_assert_ptr_nonnull(strstr(run->err, "/s has no last line 'end 2'; it may be cut off"));
        program_run_file("s", "mcast 2 mesh 3 3\n8 1\n8 2 4\nend 2\n");
        run = program_run_ends(0, "$M %s --quiet", COMMANDS[i]);
        ck_assert_str_eq(run->err, "");
    }
}
END_TEST

/* Returns the report of a command on a file's set, without times and the file's name; freed by the
 * caller. */
static char *report_of(const char *command, const char *file)
{
    const struct outcome *run =
        program_run_ends(0, "$M %s %s --json | grep -v -e '\"set\"' -e seconds", command, file);
    return strdup(run->out);
}

/* Every command takes what import reads for the set that import makes of it. */
START_TEST(test_inputs)
{
    static const char *const files[] = {"test/data/umlaut.zip",
                                        "test/data/matrix_in.rb",
                                        "test/data/jazz2double.graph",
                                        "test/data/alphabet.edgelist",
                                        "test/data/matrix_coordinate_real_general.mtx.bz2",
                                        "$T/t.tar:e.el",
                                        "$T/routes.jsonl"};
    static const char *const commands[] = {"info",
                                           "plan --scheme dual",
                                           "network --scheme dual",
                                           "route --router trees",
                                           "compare --routers trees",
                                           "stress --router trees"};
    program_run("echo '0 1' >$T/e.el; echo '0 2' >$T/f.el; tar cf $T/t.tar -C $T e.el f.el; "
                "printf '{\"topk_ids\":[3,5]}\\n{\"topk_ids\":[1,0]}\\n' >$T/routes.jsonl");
    const char *file = files[_i];
    program_run_ends(0, "$M import %s -o $T/s 2>$T/notes", file);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char *of_set = report_of(commands[i], "$T/s"), *of_file = report_of(commands[i], file);
        ck_assert_str_eq(of_file, of_set);
        free(of_set);
        free(of_file);
    }
    program_run_ends(0,
                     "head -n 1 $T/notes >$T/first; "
                     "$M info %s 2>&1 >$T/out | cut -d';' -f 1,2 | cmp - $T/first",
                     file);
    program_run_ends(0, "$M search --router trees --tries 4 %s -o $T/w -q", file);
    program_run_ends(0,
                     "$M route %s --router trees --trace $T/trace -q && "
                     "$M audit %s $T/trace && $M view %s $T/trace -o $T/page",
                     file, file, file);
}
END_TEST

/* Standard input is recognised only by its beginning, and an unknown text is a set with a wrong
 * header. */
START_TEST(test_inputs_by_begin)
{
    program_run_file("e", "0 1\n");
    program_run_file("mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n");
    program_run_file("s.txt", "# a set\n\n  # of its own\nmcast 1 2 2\n0 1\n");
    program_run_ends(0, "$M info - <$T/mtx && $M info $T/mtx && $M info $T/s.txt");
    ck_assert_ptr_nonnull(strstr(program_run("$M info $T/s.txt")->out, "2 x 2 nodes, 1 message"));
    program_run_fails(3, "expected the header", "$M info - <$T/e");
    program_run_file("trace.txt", "meshcast-trace 1\n");
    const struct outcome *run = program_run("$M info $T/trace.txt");
    ck_assert_ptr_nonnull(strstr(run->err, "found a trace"));
    program_run_file("x.json", "{\"name\": 1}\n");
    run = program_run("$M info $T/x.json");
    ck_assert_int_eq(run->status, 3);
    ck_assert_ptr_nonnull(strstr(run->err, "/x.json:1: expected a message set, a matrix"));
    ck_assert_ptr_nonnull(strstr(run->err, "this is JSON other than lines with"));
}
END_TEST

/* A partition of a set is one of its own mesh, unless options give another; one of a graph may need
 * a larger mesh than the graph's vertices do, which is noted. */
START_TEST(test_parts_off_the_mesh)
{
    program_run_file("set", "mcast 1 1 3\n0 1 2\n");
    program_run_file("edges.txt", "0 1\n1 2\n");
    program_run_file("far", "0\n5\n1\n");
    program_run_file("near", "2\n1\n0\n");
    const struct outcome *run = program_run("$M import $T/set --part $T/near -q");
    ck_assert_ptr_nonnull(strstr(run->out, "mcast 1 1 3\n"));
    ck_assert_ptr_nonnull(strstr(run->out, "\n2 0 1\n"));
    run = program_run("$M import $T/set --part $T/far -q");
    ck_assert_int_eq(run->status, 3);
    ck_assert_ptr_nonnull(strstr(run->err, "/far:2: expected a node of mesh:1x3, 0 to 2, found 5"));
    run = program_run("$M import $T/edges.txt --side 2 --part $T/far -q");
    ck_assert_int_eq(run->status, 3);
    ck_assert_ptr_nonnull(strstr(run->err, "/far:2: expected a node of mesh:2x2, 0 to 3, found 5"));
    for (int is_far = 0; is_far < 2; is_far++) {
        run = program_run("$M import $T/edges.txt --part $T/%s", is_far ? "far" : "near");
        ck_assert_ptr_nonnull(strstr(run->out, is_far ? "mcast 1 3 3\n" : "mcast 1 2 2\n"));
        ck_assert_int_eq(strstr(run->err, "its mesh is the least square one with all") != NULL,
                         is_far);
    }
}
END_TEST

void cli_sets_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_test(tcase, test_info);
    tcase_add_test(tcase, test_info_of_network);
    tcase_add_test(tcase, test_info_of_second_version);
    tcase_add_test(tcase, test_gen_comment);
    tcase_add_test(tcase, test_gen_topology);
    tcase_add_loop_test(tcase, test_gen_topology_errors, 0,
                        sizeof TOPOLOGY_ERRORS / sizeof *TOPOLOGY_ERRORS);
    tcase_add_test(tcase, test_import);
    tcase_add_test(tcase, test_machine_of_second_version);
    tcase_add_test(tcase, test_several_messages_a_node);
    tcase_add_test(tcase, test_tables);
    tcase_add_test(tcase, test_cut_set_on_network);
    tcase_add_loop_test(tcase, test_inputs, 0, 7);
    tcase_add_test(tcase, test_inputs_by_begin);
    tcase_add_test(tcase, test_parts_off_the_mesh);
}
