/* test_library_errors.c - the error rule of the public headers: mistakes are statuses with a line
 * that names the remedy, and without the dashes of the command line.
 *
 * Oracle: none but the headers' promises, written down here row by row.
 */
#include "test/library_case.h"

#include <check.h>
#include <string.h>

/* ---- sets, topologies, routers ---- */

static const uint32_t zero[] = {0}, four[] = {4};

static bool from_pairs(uint64_t pairs, const uint32_t *from, const uint32_t *to,
                       struct meshcast_error *error)
{
    struct meshcast_topology *mesh = case_topology("mesh:2x2");
    struct meshcast_set *set = meshcast_set_from_pairs(mesh, pairs, from, to, error);
    bool is_made = set != NULL;
    meshcast_topology_free(mesh);
    meshcast_set_free(set);
    return is_made;
}

static bool fail_pair(struct meshcast_error *error)
{
    return from_pairs(1, zero, four, error);
}

static bool fail_many(struct meshcast_error *error)
{
    return from_pairs(UINT64_MAX, zero, zero, error);
}

static bool from_message(uint32_t source, uint32_t first, uint32_t second, uint64_t end,
                         uint32_t flits, struct meshcast_error *error)
{
    const uint32_t to[] = {first, second};
    const uint64_t offset[] = {0, end};
    struct meshcast_topology *mesh = case_topology("mesh:4x4");
    struct meshcast_set *set =
        meshcast_set_from_messages(mesh, 1, &source, offset, to, &flits, error);
    bool is_made = set != NULL;
    meshcast_topology_free(mesh);
    meshcast_set_free(set);
    return is_made;
}

static bool fail_source(struct meshcast_error *error)
{
    return from_message(16, 1, 2, 2, 0, error);
}

static bool fail_empty(struct meshcast_error *error)
{
    return from_message(1, 1, 2, 0, 0, error);
}

static bool fail_destination(struct meshcast_error *error)
{
    return from_message(1, 1, 16, 2, 0, error);
}

static bool fail_twice(struct meshcast_error *error)
{
    return from_message(1, 7, 7, 2, 0, error);
}

static bool fail_flits(struct meshcast_error *error)
{
    return from_message(1, 2, 7, 2, (1 << 24) + 1, error);
}

static bool fail_read(struct meshcast_error *error)
{
    return meshcast_set_read("/nowhere/at/all", error) != NULL;
}

static bool fail_parse(struct meshcast_error *error)
{
    static const char text[] = "mcast 1 2 2\n0 1\n0 2\n";
    return meshcast_set_parse(text, sizeof text - 1, "text", error) != NULL;
}

static bool fail_write(struct meshcast_error *error)
{
    struct meshcast_set *set = case_gen("pattern=uniform side=4");
    enum meshcast_status status = meshcast_set_write(set, "/dev/full", NULL, error);
    meshcast_set_free(set);
    return status == MESHCAST_OK;
}

static bool fail_topology(struct meshcast_error *error)
{
    return meshcast_topology_parse("ring:5", error) != NULL;
}

static bool fail_nodes(struct meshcast_error *error)
{
    return meshcast_topology_parse("mesh:32768x32768", error) != NULL;
}

static bool fail_edge(struct meshcast_error *error)
{
    const uint32_t from[] = {0, 1}, to[] = {1, 1};
    return meshcast_topology_from_edges(2, from, to, error) != NULL;
}

static bool fail_router(struct meshcast_error *error)
{
    return meshcast_router_find("tree", error) != NULL;
}

static const struct error_case {
    bool (*run)(struct meshcast_error *error); /* returns true on success */
    enum meshcast_status status;
    const char *expected;
} error_cases[] = {
    {fail_pair, MESHCAST_USAGE, "pair 0 goes from node 0 to node 4; the nodes are 0 to 3"},
    {fail_many, MESHCAST_USAGE, "18446744073709551615 pairs; the most is 4294967294"},
    {fail_source, MESHCAST_USAGE, "message 0 is from node 16; the nodes are 0 to 15"},
    {fail_empty, MESHCAST_USAGE, "message 0 has no destination"},
    {fail_destination, MESHCAST_USAGE, "message 0 goes to node 16"},
    {fail_twice, MESHCAST_USAGE, "message 0 goes to node 7 twice"},
    {fail_flits, MESHCAST_USAGE, "the most is 16777216"},
    {fail_read, MESHCAST_SYSTEM, "/nowhere/at/all"},
    {fail_parse, MESHCAST_INPUT, "text:3: "},
    {fail_write, MESHCAST_SYSTEM, "/dev/full"},
    {fail_topology, MESHCAST_USAGE, "unknown topology 'ring'"},
    {fail_nodes, MESHCAST_USAGE, "67108864"},
    {fail_edge, MESHCAST_INPUT, "edges:2"},
    {fail_router, MESHCAST_USAGE, "unknown router 'tree'; did you mean 'trees'?"},
};

/* a mistake is a status with a line that names the remedy, or only a status */
START_TEST(errors)
{
    const struct error_case *row = &error_cases[_i];
    struct meshcast_error error = {.status = MESHCAST_OK, .text = "as it was"};
    ck_assert(!row->run(NULL));
    ck_assert(!row->run(&error));
    ck_assert_int_eq(error.status, row->status);
    ck_assert_msg(strstr(error.text, row->expected) != NULL, "%s", error.text);
}
END_TEST

/* ---- commands ---- */

/* Options, on a set of 4 x 4 nodes if there is one, that are refused as they are set or in the
 * run. */
static const struct wrong {
    const char *name;
    const char *set; /* options of gen; NULL: none is given */
    const char *options;
    enum meshcast_status status;
    const char *expected;
} wrong_cases[] = {
    {"route", "side=4", "router=trees bufer=3", MESHCAST_USAGE,
     "unknown option 'bufer'; did you mean 'buffer'?"},
    {"route", "side=4", "router=trees buffer", MESHCAST_USAGE, "buffer needs a value"},
    {"route", "side=4", "router=trees buffer=", MESHCAST_USAGE,
     "buffer takes a whole number from 1 to 4294967295, not ''"},
    {"route", "side=4", "router=trees threads=1025", MESHCAST_USAGE, "from 1 to 1024, not '1025'"},
    {"route", "side=4", "router=trees copy=cheap", MESHCAST_USAGE, "unknown value of copy"},
    {"route", "side=4", "router=trees unknown-congestion=2", MESHCAST_USAGE, "takes no value"},
    {"route", "side=4", "router=trees unknown-congestion", MESHCAST_USAGE, "trees"},
    {"route", "side=4", "router=tree", MESHCAST_USAGE, "did you mean 'trees'?"},
    {"route", "side=4", "router=trees param=slot=1", MESHCAST_USAGE,
     "unknown parameter of router trees: 'slot'; did you mean 'slots'?"},
    {"route", "side=4", "router=trees param=slots=1000", MESHCAST_USAGE, "0 .. 255"},
    {"route", "side=4", "router=trees trace=/nowhere/trace", MESHCAST_SYSTEM,
     "cannot open /nowhere/trace for writing"},
    {"route", "side=4", "router=trees heatmap=/tmp/heat.jpg", MESHCAST_USAGE, "FILE.png"},
    {"route", NULL, "router=trees", MESHCAST_USAGE, "missing "},
    {"route", "topology=torus:4x4", "router=trees", MESHCAST_USAGE, "the set is on torus:4x4"},
    {"kernel", "side=4", "side=4", MESHCAST_USAGE, "unexpected 'set'"},
    {"kernel", NULL, "side=4", MESHCAST_USAGE, "missing NAME of a kernel; the kernels are: sort"},
    {"gen", NULL, "pattern=unifrom side=2", MESHCAST_USAGE, "did you mean 'uniform'?"},
    {"gen", NULL, "pattern=uniform rows=40000 cols=2", MESHCAST_USAGE, "rows takes a whole number"},
    {"gen", NULL, "pattern=uniform side=8 groups=2", MESHCAST_USAGE, "allgather"},
    {"gen", NULL, "pattern=uniform side=8 experts=6", MESHCAST_USAGE, "are for pattern moe"},
    {"gen", NULL, "pattern=populations side=8", MESHCAST_USAGE, "matrix"},
    {"gen", NULL, "pattern=moe side=8 skew=/nowhere/at/all", MESHCAST_SYSTEM, "/nowhere/at/all"},
    {"gen", NULL, "pattern=adversary side=8", MESHCAST_USAGE, "needs against GRAPHFILE"},
    {"import", "side=4", "bytes=3", MESHCAST_USAGE, "bytes needs flit-bytes"},
    {"import", "side=4", "map=rows", MESHCAST_USAGE, "did you mean 'row'?"},
    {"import", "side=4", "pack=all", MESHCAST_USAGE, "none, destinations, pairs"},
    {"stress", "side=4", "router=trees points=1", MESHCAST_USAGE, "from 2 to 1000"},
    {"compare", "side=4", "routers=trees:vh", MESHCAST_USAGE, "NAME=VALUE"},
    {"compare", "side=4", "routers=trees param=rr=2", MESHCAST_USAGE, "'rr'"},
    {"search", "side=4", "router=trees tries=3 congestion=1", MESHCAST_USAGE, "1"},
    {"plan", "side=4", "scheme=duel", MESHCAST_USAGE, "did you mean 'dual'?"},
    {"plan", "side=4", "scheme=dual topology=torus:4x4", MESHCAST_USAGE, "torus:4x4"},
    {"plan", "side=4", "scheme=dual sources=17", MESHCAST_USAGE, "sources"},
    {"network", "side=4", "scheme=unicast vcs=65", MESHCAST_USAGE, "from 1 to 64"},
    {"network", "side=4", "scheme=unicast trace=/nowhere/trace", MESHCAST_SYSTEM, "/nowhere/trace"},
    {"load", NULL, "topology=mesh:4x4 scheme=unicast rate=0", MESHCAST_USAGE, "above 0"},
};

/* a command that is wrong has no report, and its message names the fault without dashes */
START_TEST(wrong_commands)
{
    const struct wrong *row = &wrong_cases[_i];
    char options[80];
    struct meshcast_error error = {.text = ""};
    struct meshcast_report *report = NULL;
    struct meshcast_set *set = NULL;
    snprintf(options, sizeof options, "pattern=uniform degree=3 %s", row->set);
    if (row->set != NULL)
        set = case_gen(options);
    struct meshcast_command *command = meshcast_command_new(row->name, NULL);
    enum meshcast_status status = MESHCAST_OK;
    if (set != NULL)
        status = meshcast_command_give_set(command, set, &error);
    if (status == MESHCAST_OK)
        status = case_set_options(command, row->options, &error);
    if (status == MESHCAST_OK)
        status = meshcast_command_run(command, &report, &error);
    ck_assert_int_eq(status, row->status);
    ck_assert_int_eq(error.status, row->status);
    ck_assert_msg(strstr(error.text, row->expected) != NULL, "%s %s: %s", row->name, row->options,
                  error.text);
    ck_assert_msg(strstr(error.text, "--") == NULL, "%s", error.text);
    ck_assert_ptr_null(report);
    meshcast_command_free(command);
    meshcast_set_free(set);
}
END_TEST

/* there is no command of such a name, no matrix for it, and no second operand */
START_TEST(no_command)
{
    struct meshcast_error error = {.text = ""};
    const struct meshcast_entries entries = {2, 4, 2, four, four, NULL};
    struct meshcast_report *report;
    ck_assert_ptr_null(meshcast_command_new("rout", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "did you mean 'route'?"));
    struct meshcast_command *command = case_command("route", NULL, "");
    ck_assert_int_eq(meshcast_command_give_entries(command, &entries, &error), MESHCAST_USAGE);
    ck_assert_int_eq(meshcast_command_add_operand(command, "a", &error), MESHCAST_OK);
    ck_assert_int_eq(meshcast_command_add_operand(command, "b", &error), MESHCAST_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "unexpected 'b'"));
    meshcast_command_free(command);
    command = case_command("import", NULL, "");
    ck_assert_int_eq(meshcast_command_give_entries(command, &entries, &error), MESHCAST_OK);
    ck_assert_int_eq(meshcast_command_run(command, &report, &error), MESHCAST_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "entry 0 is in row 4 and column 4"));
    meshcast_command_free(command);
}
END_TEST

/* success leaves an error as it was */
START_TEST(error_unchanged)
{
    struct meshcast_error error = {.status = MESHCAST_INPUT, .text = "as it was"};
    struct meshcast_topology *mesh = meshcast_topology_parse("mesh:2x2", &error);
    struct meshcast_set *set = meshcast_set_from_pairs(mesh, 1, zero, zero, &error);
    ck_assert_ptr_nonnull(set);
    ck_assert_int_eq(error.status, MESHCAST_INPUT);
    ck_assert_str_eq(error.text, "as it was");
    meshcast_topology_free(mesh);
    meshcast_set_free(set);
}
END_TEST

void library_errors_suite(TCase *tests)
{
    tcase_add_loop_test(tests, errors, 0, sizeof error_cases / sizeof *error_cases);
    tcase_add_loop_test(tests, wrong_commands, 0, sizeof wrong_cases / sizeof *wrong_cases);
    tcase_add_test(tests, no_command);
    tcase_add_test(tests, error_unchanged);
}
