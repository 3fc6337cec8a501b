/* test_cli_network_audit.c - `meshcast audit` with the network's traces: told apart from the
 * machine's, and the statuses.
 */
#include "library/meshcast_command.h"
#include "test/program_run.h"

#include <check.h>
#include <string.h>

/* The trace of every scheme is clean on each topology on which it runs, with every switching; from
 * a file, a pipe, or compressed. */
START_TEST(test_clean)
{
    static const char *const topologies[] = {"mesh:6x7", "mesh:3x4x3", "torus:4x5"};
    /* All; those of every topology, the trees, pure and minimal; the same without these two */
    static const uint32_t expected[] = {19, 16, 14};
    static const char *const switchings[] = {"wormhole", "cut-through", "store-and-forward"};
    for (uint32_t t = 0; t < 3; t++) {
        uint32_t runs = 0;
        program_run("$M gen --topology %s --pattern uniform --degree 5 --seed 3 -o $T/s",
                    topologies[t]);
        const char *scheme;
        for (uint32_t s = 0; (scheme = meshcast_command_value_at("network", "scheme", s)) != NULL;
             s++) { /* also best */
            const struct outcome *o =
                program_run("$M network $T/s --scheme %s --switching %s --vcs 2 --flits 4 "
                            "--startup 3 --router-delay 1 --trace $T/t -q >/dev/null",
                            scheme, switchings[(s + t) % 3]);
            if (o->status == 2) /* not on this topology */
                continue;
            ck_assert_msg(o->status == 0, "%s", o->err);
            o = program_run("$M audit $T/s $T/t");
            ck_assert_msg(o->status == 0, "%s: %s", scheme, o->err);
            ck_assert_ptr_nonnull(strstr(o->out, topologies[t]));
            runs++;
        }
        ck_assert_uint_eq(runs, expected[t]);
    }
    program_run("$M network $T/s --scheme dual --trace $T/t -q >/dev/null");
    program_run_ends(0, "$M audit -q $T/s - <$T/t");
    program_run_ends(0, "gzip -c $T/t >$T/t.gz && $M audit -q $T/s $T/t.gz");
    const struct outcome *o = program_run("$M audit $T/t");
    ck_assert_int_eq(o->status, 0);
    ck_assert_ptr_nonnull(strstr(o->out, "no set was given"));
}
END_TEST

/* Labels of a broken mesh are not those of the whole one, and no broken rule. */
START_TEST(test_broken_mesh)
{
    static const char *const schemes[] = {"dual", "multi", "two-port", "unicast"};
    program_run_file("s", "mcast 2 mesh 2 3\n0 4\n4 2 3\n5 3\nend 3\n");
    program_run_file("w", "node 1\n");
    for (uint32_t s = 0; s < 4; s++) {
        const struct outcome *o = program_run(
            "$M network $T/s --without $T/w --scheme %s %s --trace $T/t -q >/dev/null && "
            "$M audit $T/s $T/t --without $T/w && $M audit $T/t",
            schemes[s], s == 3 ? "--routing label" : "");
        ck_assert_msg(o->status == 0, "%s: %s", schemes[s], o->err);
    }
}
END_TEST

/* With the set or without it the audit counts as many deliveries as `network`, without those to
 * messages' own sources. */
START_TEST(test_own_destinations)
{
    program_run_file("s", "mcast 2 mesh 2 3\n0 0 3 4\n2 2\n2 1\nend 3\n");
    program_run("$M network $T/s --scheme dual --trace $T/t --json -q");
    json_t *run = program_run_json();
    for (int has_set = 0; has_set < 2; has_set++) {
        program_run("$M audit --json %s $T/t", has_set ? "$T/s" : "");
        json_t *object = program_run_json();
        ck_assert_int_eq(program_run_integer(object, "delivered"), 3);
        ck_assert_int_eq(program_run_integer(object, "messages"), 2);
        json_decref(object);
    }
    ck_assert_int_eq(program_run_integer(run, "delivered"), 3);
    ck_assert_int_eq(program_run_integer(run, "messages_at_home"), 1);
    ck_assert_int_eq(program_run_integer(run, "deliveries_at_home"), 2);
    json_decref(run);
}
END_TEST

/* A set with times: every scheme runs it, whatever the number of threads, and the audit finds
 * messages that start too early or too late. */
START_TEST(test_times)
{
    program_run_file("s",
                     "mcast 3 mesh 4 4\n0@5 1 2\n1:4>0@3 5 2\n2>0,1 7\n5>1 0 5\n7>2@1 15\n7 0\n"
                     "end 6\n");
    const char *name;
    for (uint32_t s = 0; (name = meshcast_command_value_at("network", "scheme", s)) != NULL; s++) {
        const struct outcome *o = program_run(
            "$M network $T/s --scheme %s --threads 1 --trace $T/t --view $T/v -q "
            "&& $M network $T/s --scheme %s --threads 2 --trace $T/u -q && cmp $T/t $T/u",
            name, name);
        ck_assert_msg(o->status == 0, "%s: %s", name, o->err);
        o = program_run("$M audit $T/s $T/t && $M plan $T/s --scheme %s",
                        strcmp(name, "best") != 0 ? name : "dual");
        ck_assert_msg(o->status == 0, "%s: %s", name, o->err);
    }
    const struct outcome *o = program_run("$M network $T/s --scheme dual --trace $T/t --json -q");
    json_t *run = program_run_json();
    ck_assert_int_eq(program_run_integer(run, "cycles"), 26);
    ck_assert_int_eq(program_run_integer(run, "lower_bound"), 26);
    json_decref(run);
    o = program_run("sed 's/^5 P 0/4 P 0/' $T/t | sort -n -s -k1,1 | $M audit $T/s -");
    ck_assert_int_eq(o->status, 1);
    ck_assert_ptr_nonnull(strstr(o->err, ": rule start: message 0 must be created in cycle 5"));
    o = program_run("$M network $T/s --scheme dual --startup 9 --trace - -q 2>$T/report"
                    " | sed 's/^5 P 0/6 P 0/' | sort -n -s -k1,1 | $M audit $T/s -");
    ck_assert_int_eq(o->status, 1);
    ck_assert_ptr_nonnull(strstr(o->err, ": rule start: message 0 must be created in cycle 5"));
    o = program_run("sed -E 's/^[0-9]+ P 2/9 P 2/' $T/t | sort -n -s -k1,1 | $M audit $T/s -");
    ck_assert_int_eq(o->status, 1);
    o = program_run("$M network $T/s --scheme dual --sources 2");
    ck_assert_int_eq(o->status, 2);
    ck_assert_ptr_nonnull(strstr(o->err, "--sources leaves out messages"));
    o = program_run("$M route $T/s --router stream");
    ck_assert_int_eq(o->status, 2);
    ck_assert_ptr_nonnull(strstr(o->err, "meshcast network"));
    o = program_run("$M load --set $T/s --scheme dual --rate 0.001");
    ck_assert_int_eq(o->status, 2);
}
END_TEST

/* A flit too many is a broken rule, status 1, also in JSON; a line of no trace is status 3. */
START_TEST(test_statuses)
{
    program_run("$M gen --side 4 --pattern uniform --degree 3 -o $T/s && "
                "$M network $T/s --scheme dual --trace $T/t -q >/dev/null");
    const struct outcome *o =
        program_run("sed '$ s/ 1$/ 2/' $T/t >$T/broken && $M audit --json $T/s $T/broken");
    ck_assert_int_eq(o->status, 1);
    json_t *object = program_run_json();
    ck_assert(json_is_false(json_object_get(object, "clean")));
    ck_assert_ptr_nonnull(strstr(program_run_text(object, "error"), ": rule "));
    ck_assert_str_eq(program_run_text(object, "topology"), "mesh:4x4");
    ck_assert_int_gt(program_run_integer(object, "events"), 0);
    json_decref(object);
    o = program_run("sed '3 s/ / x /' $T/t >$T/bad && $M audit $T/s $T/bad");
    ck_assert_int_eq(o->status, 3);
    ck_assert_ptr_nonnull(strstr(o->err, "bad:3: expected one of the letters"));
    o = program_run("{ echo '# a note'; cat $T/t; } | $M audit -");
    ck_assert_int_eq(o->status, 3);
    ck_assert_ptr_nonnull(strstr(o->err, "a network's trace in the first line of the file"));
    o = program_run("$M audit $T/s");
    ck_assert_int_eq(o->status, 3);
    ck_assert_ptr_nonnull(strstr(o->err, "this is a message set, the trace comes after it"));
}
END_TEST

/* A trace on another topology than the set's is refused, and so is the machine's trace with a
 * torus. */
START_TEST(test_topologies)
{
    program_run("$M gen --topology torus:4x4 --pattern uniform --degree 3 -o $T/torus && "
                "$M gen --side 4 --pattern uniform --degree 3 -o $T/mesh");
    const struct outcome *o =
        program_run("$M network $T/torus --scheme dual --trace $T/t -q >/dev/null && "
                    "$M audit -q $T/torus $T/t && $M audit $T/mesh $T/t");
    ck_assert_int_eq(o->status, 3);
    ck_assert_ptr_nonnull(strstr(o->err, "expected the topology of the message set"));
    o = program_run("$M route $T/mesh --router trees --trace $T/t -q >/dev/null; "
                    "$M audit -q $T/mesh $T/t && $M audit $T/torus $T/t");
    ck_assert_int_eq(o->status, 3);
}
END_TEST

void cli_network_audit_suite(TCase *all)
{
    tcase_add_checked_fixture(all, program_run_setup, program_run_teardown);
    tcase_add_test(all, test_clean);
    tcase_add_test(all, test_broken_mesh);
    tcase_add_test(all, test_own_destinations);
    tcase_add_test(all, test_times);
    tcase_add_test(all, test_statuses);
    tcase_add_test(all, test_topologies);
}
