/* test_library_sets.c - topologies and message sets by the public header: from arrays, files,
 * matrices.
 *
 * Oracle: the messages of a set one by one, and the program's files.
 */
#include "test/library_case.h"
#include "test/temporary.h"

#include <check.h>
#include <string.h>
#include <unistd.h>

static void check_message(const struct meshcast_set *set, uint32_t index, uint32_t from,
                          const char *to)
{
    uint32_t source;
    uint64_t count;
    char text[80] = "";
    const uint32_t *destination = meshcast_set_message(set, index, &source, &count);
    ck_assert_uint_eq(source, from);
    for (uint64_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %u", (unsigned)destination[i]);
    ck_assert_str_eq(text, to);
}

static void check_same_sets(const struct meshcast_set *set, const struct meshcast_set *other)
{
    ck_assert(set != NULL && other != NULL);
    ck_assert_str_eq(meshcast_set_topology(set), meshcast_set_topology(other));
    ck_assert_uint_eq(meshcast_set_messages(set), meshcast_set_messages(other));
    for (uint32_t i = 0; i < meshcast_set_messages(set); i++) {
        uint32_t source, other_source;
        uint64_t count, other_count;
        const uint32_t *to = meshcast_set_message(set, i, &source, &count);
        const uint32_t *other_to = meshcast_set_message(other, i, &other_source, &other_count);
        ck_assert_uint_eq(source, other_source);
        ck_assert_uint_eq(count, other_count);
        ck_assert_mem_eq(to, other_to, count * sizeof *to);
        ck_assert_uint_eq(meshcast_set_flits(set, i), meshcast_set_flits(other, i));
    }
}

/* a set from pairs, in any order and with repeats, has the messages of the pairs, with deliveries
 * at home */
START_TEST(set_from_pairs)
{
    const uint32_t from[] = {5, 0, 5, 5, 0}, to[] = {1, 2, 0, 1, 0};
    struct meshcast_topology *mesh = case_topology("mesh:2x3");
    struct meshcast_set *set = meshcast_set_from_pairs(mesh, 5, from, to, NULL);
    ck_assert_uint_eq(meshcast_set_messages(set), 2);
    ck_assert_uint_eq(meshcast_set_nodes(set), 6);
    ck_assert_str_eq(meshcast_set_topology(set), "mesh:2x3");
    ck_assert(meshcast_set_is_routable(set));
    check_message(set, 0, 0, " 0 2");
    check_message(set, 1, 5, " 0 1");
    struct meshcast_report *info = case_run(case_command("info", set, "copy=free"), NULL);
    ck_assert_uint_eq(case_figure(info, "deliveries"), 3);
    ck_assert_uint_eq(case_figure(info, "deliveries_at_home"), 1);
    ck_assert_uint_eq(case_figure(info, "lower_bound"), 3);
    meshcast_report_free(info);
    meshcast_set_free(set);
    meshcast_topology_free(mesh);
}
END_TEST

/* a set from messages keeps their order, and lengths make it one for networks */
START_TEST(set_from_messages)
{
    const uint32_t source[] = {3, 3, 1}, to[] = {2, 0, 1, 3}, flits[] = {0, 9, 4};
    const uint64_t offset[] = {0, 2, 3, 4};
    struct meshcast_topology *mesh = case_topology("mesh:2x2"), *ring = case_topology("torus:4");
    struct meshcast_set *set = meshcast_set_from_messages(mesh, 3, source, offset, to, NULL, NULL);
    struct meshcast_set *sized =
        meshcast_set_from_messages(ring, 3, source, offset, to, flits, NULL);
    check_message(set, 0, 3, " 0 2");
    check_message(set, 1, 3, " 1");
    check_message(set, 2, 1, " 3");
    ck_assert(meshcast_set_is_routable(set));
    ck_assert(!meshcast_set_is_routable(sized));
    ck_assert_uint_eq(meshcast_set_flits(set, 1), 0);
    ck_assert_uint_eq(meshcast_set_flits(sized, 1), 9);
    meshcast_set_free(set);
    meshcast_set_free(sized);
    meshcast_topology_free(mesh);
    meshcast_topology_free(ring);
}
END_TEST

/* written sets are read again, from a file and from memory */
START_TEST(set_files)
{
    char path[TEMPORARY_PATH], text[4096];
    struct meshcast_set *set = case_gen(_i == 0 ? "pattern=worst side=9"
                                                : "pattern=uniform topology=torus:3x4x5 degree=4");
    fclose(temporary_file(path));
    ck_assert_int_eq(meshcast_set_write(set, path, "a comment", NULL), MESHCAST_OK);
    struct meshcast_set *read = meshcast_set_read(path, NULL);
    FILE *file = fopen(path, "r");
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    unlink(path);
    ck_assert_uint_lt(length, sizeof text - 1);
    text[length] = '\0';
    ck_assert_ptr_nonnull(strstr(text, "\n# a comment\n"));
    struct meshcast_set *parsed = meshcast_set_parse(text, length, "memory", NULL);
    check_same_sets(set, read);
    check_same_sets(set, parsed);
    meshcast_set_free(set);
    meshcast_set_free(read);
    meshcast_set_free(parsed);
}
END_TEST

/* the sets of gen and import are the program's */
START_TEST(sets_of_commands)
{
    static const struct {
        const char *options, *line;
    } cases[] = {
        {"pattern=alltoall side=8 groups=8", "--pattern alltoall --side 8 --groups 8"},
        {"pattern=moe side=8 per-node=2 skew=test/data/deepseek-v3.counts layer=7",
         "--pattern moe --side 8 --per-node 2 --skew test/data/deepseek-v3.counts --layer 7"},
        {"pattern=uniform topology=torus:4x5 degree=3 per-node=2 seed=0x9",
         "--pattern uniform --topology torus:4x5 --degree 3 --per-node 2 --seed 9"},
    };
    struct meshcast_set *there = case_set(cases[_i].line), *here = case_gen(cases[_i].options);
    check_same_sets(here, there);
    meshcast_set_free(here);
    meshcast_set_free(there);
}
END_TEST

static struct meshcast_set *import(struct meshcast_command *command)
{
    struct meshcast_report *report = case_run(command, NULL);
    struct meshcast_set *set = meshcast_report_take_set(report);
    ck_assert_ptr_null(meshcast_report_take_set(report));
    meshcast_report_free(report);
    return set;
}

/* a matrix in memory is imported as its file, in any order and with repeats, with all options */
START_TEST(set_from_entries)
{
    static const char *const options[] = {"side=3", "side=4 map=hilbert no-diagonal per-node=1",
                                          "map=random seed=3 per-node=2", "topology=mesh:2x2x2"};
    const uint32_t row[] = {4, 0, 1, 2, 2, 0, 4}, col[] = {3, 0, 0, 0, 1, 3, 3};
    const struct meshcast_entries entries = {5, 4, 7, row, col, NULL};
    program_run("cat >$T/a.mtx <<'X'\n%%%%MatrixMarket matrix coordinate pattern general\n5 4 6\n"
                "1 1\n2 1\n3 1\n3 2\n1 4\n5 4\nX");
    struct meshcast_command *file = case_command("import", NULL, options[_i]);
    struct meshcast_command *memory = case_command("import", NULL, options[_i]);
    meshcast_command_add_operand(file, case_file("a.mtx"), NULL);
    ck_assert_int_eq(meshcast_command_give_entries(memory, &entries, NULL), MESHCAST_OK);
    struct meshcast_set *read = import(file), *made = import(memory);
    check_same_sets(made, read);
    meshcast_set_free(made);
    meshcast_set_free(read);
}
END_TEST

/* lengths: of the weights of entries, of bytes, and added where messages become one */
START_TEST(set_lengths)
{
    const uint32_t row[] = {1, 2, 1}, col[] = {0, 0, 3}, weight[] = {4, 4, 6};
    const struct meshcast_entries entries = {4, 4, 3, row, col, weight};
    struct meshcast_command *command =
        case_command("import", NULL, "weights=bytes flit-bytes=4 per-node=2");
    meshcast_command_give_entries(command, &entries, NULL);
    struct meshcast_set *set = import(command);
    ck_assert_uint_eq(meshcast_set_messages(set), 2);
    ck_assert_uint_eq(meshcast_set_flits(set, 0), 2);
    ck_assert_uint_eq(meshcast_set_flits(set, 1), 3);
    struct meshcast_set *packed = import(case_command("import", set, "pack=pairs"));
    ck_assert_uint_eq(meshcast_set_messages(packed), 3);
    struct meshcast_set *sized = import(case_command("import", packed, "bytes=64 flit-bytes=32"));
    ck_assert_uint_eq(meshcast_set_flits(sized, 2), 3);
    meshcast_set_free(set);
    meshcast_set_free(packed);
    meshcast_set_free(sized);
}
END_TEST

/* a graph from edges is that of their list, and plans on it are those of the file */
START_TEST(graphs)
{
    const uint32_t from[] = {0, 1, 2, 3, 4}, to[] = {1, 2, 3, 4, 0};
    uint32_t one = 9, other = 9;
    struct meshcast_topology *graph = meshcast_topology_from_edges(5, from, to, NULL);
    ck_assert_str_eq(meshcast_topology_text(graph), "graph:5");
    ck_assert_uint_eq(meshcast_topology_nodes(graph), 5);
    ck_assert_uint_eq(meshcast_topology_links(graph), 10);
    ck_assert(meshcast_topology_link(graph, 1, &one, &other) && one == 0 && other == 4);
    ck_assert(!meshcast_topology_link(graph, 10, &one, &other));
    program_run("printf '0 1\\n1 2\\n2 3\\n3 4\\n4 0\\n' >$T/g.el");
    const uint32_t source[] = {0, 2}, destination[] = {2, 3, 4};
    const uint64_t offset[] = {0, 2, 3};
    struct meshcast_set *set =
        meshcast_set_from_messages(graph, 2, source, offset, destination, NULL, NULL);
    meshcast_set_write(set, case_file("a.mcast"), NULL, NULL);
    struct meshcast_command *command = case_command("plan", set, "scheme=dual");
    meshcast_command_give_topology(command, graph);
    struct meshcast_report *report = case_run(command, NULL);
    json_t *json = case_program("$M plan $T/a.mcast --scheme dual --topology graph:$T/g.el --json");
    CHECK_PAIRS(json_array_get(json, 0), {"traffic", case_figure(report, "0.traffic")},
                {"startups", case_figure(report, "0.startups")});
    json_decref(json);
    meshcast_report_free(report);
    meshcast_set_free(set);
    meshcast_topology_free(graph);
}
END_TEST

void library_sets_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, set_from_pairs);
    tcase_add_test(tests, set_from_messages);
    tcase_add_loop_test(tests, set_files, 0, 2);
    tcase_add_loop_test(tests, sets_of_commands, 0, 3);
    tcase_add_loop_test(tests, set_from_entries, 0, 4);
    tcase_add_test(tests, set_lengths);
    tcase_add_test(tests, graphs);
}
