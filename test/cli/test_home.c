/* test_home.c - deliveries at home count in nothing: a set and its twin, which has some more of
 * them, have the same figures.
 *
 * Method: random sets, some with several messages per node and with lengths. The twin gets its
 * messages' own sources as further destinations, and messages only for their own sources between
 * the others. Every object that the program prints of both must be the same but for the counts of
 * deliveries at home; so must traces, and the audit holds the twin's against the twin.
 */
#include "library/meshcast_command.h"
#include "test/program_run.h"
#include "test/random.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, COLS = 6, NODES = ROWS * COLS, SETS = 4 };

/* Writes the set `base`, and its twin, of up to `per_node` messages per node, in random order. */
static void write_sets(uint64_t seed, uint32_t per_node, bool has_lengths)
{
    uint64_t random = seed;
    char *text[2];
    size_t size[2];
    uint32_t messages[2] = {0, 0}, sent[NODES] = {0};
    FILE *out[2] = {open_memstream(&text[0], &size[0]), open_memstream(&text[1], &size[1])};
    ck_assert(out[0] != NULL && out[1] != NULL);
    for (int i = 0; i < 2; i++)
        fprintf(out[i], "mcast 2 mesh %d %d\n", ROWS, COLS);
    for (int tries = 0; tries < 40; tries++) {
        uint32_t source = test_random_below(&random, NODES),
                 length = 1 + test_random_below(&random, 4);
        while (test_random_below(&random, 3) == 0 && ++messages[1] > 0)
            fprintf(out[1], "%u %u\n", source, source);
        if (sent[source]++ >= per_node)
            continue;
        bool is_own = test_random_below(&random, 2) == 0;
        uint32_t share = 1 + test_random_below(&random, 12), last = (source + 1) % NODES;
        for (int i = 0; i < 2; i++) {
            messages[i]++;
            fprintf(out[i], "%u", source);
            if (has_lengths)
                fprintf(out[i], ":%u", length);
            fprintf(out[i], " %u", last);
        }
        for (uint32_t node = 0; node < NODES; node++)
            if (node != last && node != source && test_random_below(&random, share) == 0)
                for (int i = 0; i < 2; i++)
                    fprintf(out[i], " %u", node);
        if (is_own)
            fprintf(out[1], " %u", source);
        fputs("\n", out[0]);
        fputs("\n", out[1]);
    }
    for (int i = 0; i < 2; i++) {
        fprintf(out[i], "end %u\n", messages[i]);
        fclose(out[i]);
        program_run_file(i == 0 ? "base" : "twin", text[i]);
        free(text[i]);
    }
}

/* Returns the output of `command` on the set, without its name, times, memory, and the counts of
 * deliveries at home. */
static json_t *told(const char *command, const char *set)
{
    program_run_ends(0, "$M %s $T/%s --json", command, set);
    json_t *value = program_run_json();
    json_t *object = json_is_array(value) ? json_array_get(value, 0) : value;
    static const char *const others[] = {"set", "wall_seconds", "messages_at_home",
                                         "deliveries_at_home", "memory"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        json_object_del(object, others[i]);
    return value;
}

static void check_same(const char *command)
{
    json_t *base = told(command, "base"), *twin = told(command, "twin");
    char *one = json_dumps(base, JSON_SORT_KEYS), *other = json_dumps(twin, JSON_SORT_KEYS);
    ck_assert_msg(json_equal(base, twin), "%s: %s\n%s", command, one, other);
    free(one);
    free(other);
    json_decref(base);
    json_decref(twin);
}

static void check_traces(const char *command)
{
    program_run("$M %s $T/base -q --trace $T/b >$T/log; $M %s $T/twin -q --trace $T/t >$T/log",
                command, command);
    ck_assert_msg(program_run("cmp $T/b $T/t")->status == 0, "%s", command);
    program_run_ends(0, "$M audit $T/twin $T/t");
}

/* Every router with both costs of a copy, schemes of the network, plans and `info`. */
START_TEST(figures_and_traces)
{
    static const char *const schemes[] = {"unicast", "dual", "u-mesh", "two-port"};
    bool has_lengths = _i == 3;
    uint32_t per_node = _i == 0 ? 1 : 3;
    char command[160];
    write_sets(11 + (uint64_t)_i, per_node, has_lengths);
    check_same("info");
    const char *router;
    for (uint32_t r = 0; (router = meshcast_command_value_at("route", "router", r)) != NULL; r++)
        for (int copy = 0; copy < 2; copy++) {
            snprintf(command, sizeof command, "route --router %s --copy %s", router,
                     copy == 0 ? "unit" : "free");
            check_same(command);
            check_traces(command);
        }
    check_same("route --router trees --reduce");
    check_same("route --router circulate --reduce");
    check_same("route --router stream --unknown-congestion");
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        snprintf(command, sizeof command, "network --scheme %s", schemes[s]);
        check_same(command);
        check_traces(command);
        snprintf(command, sizeof command, "plan --scheme %s", schemes[s]);
        check_same(command);
    }
    check_same("network --scheme dual --sources 7 --seed 3");
}
END_TEST

/* Two messages that leave, and a thousand that do not: the steps are those of the two. */
START_TEST(known_steps)
{
    static const struct {
        const char *router;
        int steps;
    } known[] = {{"stream", 4}, {"circulate", 4}, {"trees", 2}};
    char text[6000] = "mcast 2 mesh 2 2\n";
    size_t used = strlen(text);
    for (int i = 0; i < 1000; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "0 0\n");
    snprintf(text + used, sizeof text - used, "0 1\n0 3\nend 1002\n");
    program_run_file("s", text);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        program_run("$M route $T/s --router %s --json", known[i].router);
        json_t *object = program_run_json();
        ck_assert_int_eq(program_run_integer(object, "steps"), known[i].steps);
        ck_assert_int_eq(program_run_integer(object, "messages"), 2);
        ck_assert_int_eq(program_run_integer(object, "messages_at_home"), 1000);
        json_decref(object);
    }
    ck_assert_ptr_nonnull(strstr(program_run("$M route $T/s --router trees")->out,
                                 "1000 of 1002 messages and 1000 of 1002 deliveries stay on "
                                 "their node\n"));
}
END_TEST

/* Times of messages that stay at home leave bounds of the mesh machine as they are. */
START_TEST(times_at_home)
{
    program_run_file("s", "mcast 3 mesh 2 3\n0 5\n1@9 1\nend 2\n");
    program_run("$M info $T/s --json");
    json_t *object = program_run_json();
    ck_assert_int_eq(program_run_integer(object, "lower_bound"), 3);
    json_decref(object);
    ck_assert_ptr_nonnull(
        strstr(program_run("$M info $T/s")->out, "lower bound 3 steps (distance)"));
}
END_TEST

/* A partition of a small hypergraph: three of four nets are cut, one of them in three. */
START_TEST(cut_nets)
{
    program_run_file("a.hgr", "4 6\n1 2\n2 3\n1 4 6\n5 6\n");
    program_run_file("p", "0\n0\n1\n1\n2\n3\n");
    const struct outcome *run = program_run("$M import $T/a.hgr --part $T/p -o $T/s");
    ck_assert_ptr_nonnull(strstr(run->err,
                                 "d = 2, c = 2, l = 2\n1 of 4 messages and 1 of 5 deliveries "
                                 "stay on their node\ncut nets 3, connectivity minus "
                                 "one 4\n"));
}
END_TEST

void home_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, figures_and_traces, 0, SETS);
    tcase_add_test(tests, known_steps);
    tcase_add_test(tests, times_at_home);
    tcase_add_test(tests, cut_nets);
}
