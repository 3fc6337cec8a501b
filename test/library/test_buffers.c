/* test_buffers.c - `stress` and `compare --best` through the public headers, against runs of
 * `route` with each capacity.
 *
 * Oracle: `route --buffer B`, one by one. Routers are those of the table, and scripted ones, which
 * overflow, refuse and slow down at capacities that the test chooses. A scripted router gathers
 * packets at node 0 of a row of nodes, and delivers them.
 */
#include "test/length.h"
#include "test/library/own_router_case.h"
#include "test/library_case.h"
#include "test/random.h"
#include "test/sanitized.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 40 };

/* ---- scripted routers ---- */

struct script {
    uint32_t peak;           /* packets that it gathers without a capacity */
    uint32_t least;          /* delivers from this capacity on, .. */
    uint32_t hole;           /* .. but not with this one and the next; 0: no hole */
    uint32_t slow, per_step; /* steps that it waits; one less for `per_step` packets more */
    bool refuses;            /* a capacity that is too small; else it overflows */
    bool refuses_all,
        breaks; /* runs without a capacity too; runs with more than 2 packets fail otherwise */
    uint32_t runs;
};

/* The work of a packet in a phase: packets of nodes 1 .. gathered go to node 0. */
struct phase {
    uint32_t gathered;
    bool delivers, moves;
};

static unsigned phase_parts(void *context, struct meshcast_routing *routing,
                            struct meshcast_site site, uint32_t packet)
{
    const struct phase *phase = context;
    (void)routing, (void)packet;
    if (site.node == 0)
        return phase->delivers ? MESHCAST_DELIVER : MESHCAST_PARK;
    return phase->moves && site.node <= phase->gathered ? MESHCAST_WEST : MESHCAST_PARK;
}

static uint32_t phase_stop(void *context, struct meshcast_routing *routing,
                           struct meshcast_site site, uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)routing, (void)site, (void)packet, (void)part;
    return 0;
}

static bool script_delivers(const struct script *script, uint32_t capacity)
{
    bool is_hole = script->hole > 0 && (capacity == script->hole || capacity == script->hole + 1);
    return capacity == 0 || (capacity >= script->least && !is_hole);
}

static enum meshcast_status route_script(void *context, struct meshcast_routing *routing)
{
    struct script *script = context;
    uint32_t capacity = meshcast_known(routing).buffer;
    bool delivers = script_delivers(script, capacity);
    script->runs++;
    if (script->refuses_all || (!delivers && script->refuses))
        return meshcast_refuse(routing, MESHCAST_USAGE, "made up");
    bool is_free = capacity == 0 || capacity > script->peak;
    struct phase gather = {delivers ? (is_free ? script->peak : capacity) : capacity + 1, false,
                           true};
    struct phase wait = {0, false, false}, empty = {0, true, false}, last = {NODES, true, true};
    struct meshcast_rule rule = {&gather, phase_parts, NULL, phase_stop, NULL};
    meshcast_start(routing, 0);
    if (script->breaks && capacity > 2)
        return meshcast_refuse(routing, MESHCAST_CHECK, "broken");
    meshcast_forward_for(routing, &rule, "gather", 2 * NODES);
    rule.context = &wait;
    meshcast_forward_for(routing, &rule, "wait",
                         script->slow - (script->per_step > 0 ? capacity / script->per_step : 0));
    rule.context = &empty;
    meshcast_forward_for(routing, &rule, "empty", NODES);
    rule.context = &last;
    return meshcast_forward_last(routing, &rule, "last", UINT64_MAX);
}

static struct meshcast_router *make_router(struct script *script, const char *name)
{
    struct meshcast_error error = {0};
    struct meshcast_router_plan plan = {.name = name, .route = route_script, .context = script};
    struct meshcast_router *router = meshcast_router_new(&plan, &error);
    ck_assert_msg(router != NULL, "%s", error.text);
    script->slow += 400; /* so that it never waits less than no time */
    return router;
}

/* Returns the set in which each node of a row but node 0 sends to that. */
static struct meshcast_set *make_row(void)
{
    char text[NODES * 8];
    struct meshcast_error error = {0};
    size_t length = (size_t)snprintf(text, sizeof text, "mcast 1 1 %d\n", NODES);
    for (int i = 1; i < NODES; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%d 0\n", i);
    struct meshcast_set *set = meshcast_set_parse(text, length, "row", &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    return set;
}

/* ---- runs one by one ---- */

/* A router of the table by options ("router=trees param=slots=auto"), or one of the test's. */
struct subject {
    const struct meshcast_set *set;
    const struct meshcast_router *router; /* NULL: named by the options */
    const char *options;
};

static struct meshcast_command *command_for(const char *name, const struct subject *subject)
{
    struct meshcast_command *command = case_command(name, subject->set, subject->options);
    if (subject->router != NULL)
        meshcast_command_give_router(command, subject->router);
    return command;
}

/* Runs `stress`, which must end with this status, and frees the command. */
static void must_end(const struct subject *subject, enum meshcast_status status,
                     struct meshcast_error *error)
{
    struct meshcast_report *report = NULL;
    struct meshcast_command *command = command_for("stress", subject);
    ck_assert_int_eq(meshcast_command_run(command, &report, error), status);
    meshcast_report_free(report);
    meshcast_command_free(command);
}

/* Checks a run of a report against `route`. Returns whether it delivers. */
static bool check_run(const struct meshcast_report *report, const char *path,
                      const struct subject *subject, uint32_t capacity)
{
    static const char *const figures[] = {
        "steps", "sync_steps", "buffer_peak", "buffer_peak_node", "buffer_peak_step", "missing"};
    char at[96], option[32];
    struct meshcast_error error = {0};
    struct meshcast_report *route;
    struct meshcast_command *command = command_for("route", subject);
    snprintf(option, sizeof option, "buffer=%u", capacity);
    if (capacity > 0)
        case_set_options(command, option, NULL);
    enum meshcast_status status = meshcast_command_run(command, &route, &error);
    meshcast_command_free(command);
    snprintf(at, sizeof at, "%s.outcome", path);
    ck_assert_str_eq(meshcast_report_word(report, at), status == MESHCAST_OK      ? "delivers"
                                                       : status == MESHCAST_USAGE ? "refused"
                                                                                  : "overflow");
    snprintf(at, sizeof at, "%s.error", path);
    ck_assert_int_eq(meshcast_report_word(report, at) != NULL, status == MESHCAST_USAGE);
    if (status == MESHCAST_USAGE)
        ck_assert_ptr_nonnull(strstr(error.text, meshcast_report_word(report, at)));
    for (size_t i = 0; i < sizeof figures / sizeof *figures && status != MESHCAST_USAGE; i++) {
        snprintf(at, sizeof at, "%s.%s", path, figures[i]);
        ck_assert_msg(meshcast_report_figure(report, at) ==
                          meshcast_report_figure(route, figures[i]),
                      "%s of %s, capacity %u", at, subject->options, capacity);
    }
    size_t attempts = route == NULL ? 0 : meshcast_report_size(route, "attempts");
    if (attempts > 0) { /* the last one is reported */
        char of_last[64];
        snprintf(at, sizeof at, "%s.buffer_capacity", path);
        snprintf(of_last, sizeof of_last, "attempts.%zu.buffer_capacity", attempts - 1);
        ck_assert_uint_eq(case_figure(report, at), case_figure(route, of_last));
        snprintf(at, sizeof at, "%s.void_attempts", path);
        ck_assert_uint_eq(case_figure(report, at), attempts - 1);
    }
    snprintf(at, sizeof at, "%s.buffer_peak_phase", path);
    if (status == MESHCAST_CHECK) {
        ck_assert_str_eq(meshcast_report_word(report, at),
                         meshcast_report_word(route, "buffer_peak_phase"));
        ck_assert_ptr_nonnull(strstr(error.text, "buffer overflow"));
    }
    meshcast_report_free(route);
    return status == MESHCAST_OK;
}

static bool route_delivers(const struct subject *subject, uint32_t capacity)
{
    char option[32];
    struct meshcast_error error = {0};
    struct meshcast_command *command = command_for("route", subject);
    snprintf(option, sizeof option, "buffer=%u", capacity);
    case_set_options(command, option, NULL);
    meshcast_report_free(case_run(command, &error));
    return error.status == MESHCAST_OK;
}

/* ---- the least ---- */

static uint32_t capacity_at(const struct meshcast_report *report, size_t index)
{
    char path[48];
    snprintf(path, sizeof path, "runs.%zu.capacity", index);
    return (uint32_t)case_figure(report, path);
}

static struct meshcast_report *run_stress(const struct subject *subject, const char *options)
{
    struct meshcast_command *stress = command_for("stress", subject);
    case_set_options(stress, options, NULL);
    return case_run(stress, NULL);
}

/* Checks that runs ascend, that each is as `route` says, that the answer is the least of all that
 * deliver and its predecessor was run, and the counts. Returns the answer. */
static uint32_t check_stress(const struct meshcast_report *report, const struct subject *subject)
{
    uint32_t least = (uint32_t)case_figure(report, "least_capacity"), setbacks = 0, before = 0;
    uint64_t fewest = UINT64_MAX;
    check_run(report, "without_capacity", subject, 0);
    for (size_t i = 0; i < meshcast_report_size(report, "runs"); i++) {
        char path[48];
        uint32_t capacity = capacity_at(report, i);
        snprintf(path, sizeof path, "runs.%zu", i);
        ck_assert_uint_gt(capacity, before);
        bool delivers = check_run(report, path, subject, capacity);
        ck_assert(capacity >= least || !delivers);
        if (capacity == least)
            ck_assert(delivers && before == least - 1);
        setbacks += capacity > least && !delivers;
        snprintf(path, sizeof path, "runs.%zu.steps", i);
        if (delivers && case_figure(report, path) < fewest) {
            fewest = case_figure(report, path);
            ck_assert(fewest > case_figure(report, "fewest_steps") ||
                      capacity == case_figure(report, "fewest_steps_capacity"));
        }
        before = capacity;
    }
    ck_assert_uint_eq(setbacks, case_figure(report, "setbacks"));
    ck_assert_uint_eq(fewest, case_figure(report, "fewest_steps"));
    return least;
}

/* The threshold is found wherever it is, for any peak without a capacity, and no capacity is run
 * twice. */
START_TEST(thresholds)
{
    static const uint32_t peaks[] = {1, 2, 3, 7, 16, 31};
    struct meshcast_set *set = make_row();
    for (size_t p = 0; p < sizeof peaks / sizeof *peaks; p++)
        for (uint32_t least = 1 + (uint32_t)p % 2; least <= 34; least += TEST_IS_SHORT ? 3 : 1) {
            struct script script = {.peak = peaks[p], .least = least, .refuses = least % 2 == 0};
            struct subject subject = {set, make_router(&script, "script"), ""};
            struct meshcast_report *report = run_stress(&subject, "");
            ck_assert_uint_eq(script.runs, meshcast_report_size(report, "runs") + 1);
            ck_assert_uint_eq(check_stress(report, &subject), least);
            ck_assert_uint_eq(case_figure(report, "setbacks"), 0);
            meshcast_report_free(report);
            meshcast_router_free((struct meshcast_router *)subject.router);
        }
    meshcast_set_free(set);
}
END_TEST

/* Where some capacities above the least fail, bisection finds one whose predecessor fails and
 * reports the setbacks that it saw; an exhaustive search finds the least. */
START_TEST(setbacks)
{
    struct meshcast_set *set = make_row();
    for (uint32_t least = 2; least < 20; least += 4)
        for (uint32_t hole = least + 1; hole < 26; hole += 3) {
            struct script script = {.peak = hole + 3, .least = least, .hole = hole};
            struct subject subject = {set, make_router(&script, "script"), ""};
            struct meshcast_report *report = run_stress(&subject, "");
            uint32_t found = check_stress(report, &subject);
            ck_assert(found == least || found == hole + 2);
            meshcast_report_free(report);
            report = run_stress(&subject, "exhaustive");
            ck_assert_uint_eq(check_stress(report, &subject), least);
            ck_assert_str_eq(meshcast_report_word(report, "search"), "exhaustive");
            meshcast_report_free(report);
            meshcast_router_free((struct meshcast_router *)subject.router);
        }
    meshcast_set_free(set);
}
END_TEST

/* Capacities are doubled while that buys steps, and what is between is run; points go from 1 to the
 * largest in equal ratios. A router that always refuses, and one that fails otherwise, end the
 * search. */
START_TEST(points_and_failures)
{
    struct meshcast_report *report;
    struct meshcast_error error = {0};
    struct script script = {.peak = 5, .least = 5, .per_step = 4};
    struct subject subject = {make_row(), make_router(&script, "script"), ""};
    /* waits less and less to the largest of 12 doubles, but for the steps that it has */
    static const uint32_t tried[] = {1, 2, 4, 5, 7, 10, 15, 20, 30, 40, 60, 80, 120, 160};
    report = run_stress(&subject, "");
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        ck_assert_uint_eq(capacity_at(report, i), tried[i]);
    uint32_t most = capacity_at(report, meshcast_report_size(report, "runs") - 1);
    meshcast_report_free(report);
    report = run_stress(&subject, "points=3"); /* 1, the root of the largest, the largest */
    uint32_t root = 1, count = 0;
    while ((root + 1) * (root + 1) <= most)
        root++;
    for (size_t i = 0; i < meshcast_report_size(report, "runs"); i++)
        count += capacity_at(report, i) == root || capacity_at(report, i) == root + 1;
    ck_assert_uint_ge(count, 1);
    check_stress(report, &subject);
    meshcast_report_free(report);

    script.breaks = true;
    must_end(&subject, MESHCAST_CHECK, &error);
    ck_assert_msg(strstr(error.text, "broken") != NULL, "%s", error.text);
    script.refuses_all = true;
    must_end(&subject, MESHCAST_USAGE, &error);
    script = (struct script){.peak = 5, .least = UINT32_MAX, .slow = 400, .refuses = true};
    must_end(&subject, MESHCAST_CHECK, &error);
    ck_assert_ptr_nonnull(strstr(error.text, "no buffer capacity"));
    meshcast_router_free((struct meshcast_router *)subject.router);
    meshcast_set_free((struct meshcast_set *)subject.set);
}
END_TEST

static const char *const routers[] = {
    "router=replicate",
    "router=random",
    "router=random unknown-congestion",
    "router=stream",
    "router=stream unknown-congestion",
    "router=circulate",
    "router=unicast",
    "router=unicast param=slots=3",
    "router=expander",
    "router=trees",
    "router=trees param=slots=auto",
};

/* Routers of the table, on odd meshes, both costs of a copy: each run is what `route` says, and the
 * answer is that of an exhaustive search, or a capacity above it whose predecessor fails. */
START_TEST(table)
{
    static const char *const sets[] = {"pattern=uniform rows=3 cols=3 congestion=3",
                                       "pattern=hotspot rows=1 cols=9 congestion=4",
                                       "pattern=uniform rows=7 cols=5 degree=3 congestion=4 seed=2",
                                       "pattern=worst side=9 congestion=4"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets - TEST_IS_SHORT; i++) {
        char options[96];
        struct meshcast_set *set = case_gen(sets[i]);
        snprintf(options, sizeof options, "%s copy=%s threads=1", routers[_i],
                 (_i + (int)i) % 2 == 0 ? "unit" : "free");
        struct subject subject = {set, NULL, options};
        struct meshcast_report *quick = run_stress(&subject, "");
        struct meshcast_report *all = run_stress(&subject, "exhaustive");
        uint32_t least = check_stress(all, &subject), found = check_stress(quick, &subject);
        ck_assert_uint_ge(found, least);
        for (uint32_t capacity = 1; capacity < least; capacity++)
            ck_assert(!route_delivers(&subject, capacity));
        meshcast_report_free(quick);
        meshcast_report_free(all);
        meshcast_set_free(set);
    }
}
END_TEST

/* A capacity for which there is no memory ends the search only above it, and is named; in a
 * comparison it is refused. */
START_TEST(too_large)
{
    bool was_named = false;
    if (SANITIZED) /* counts its own memory in the limit */
        return;
    program_run("$M gen --side 16 --pattern uniform --degree 8 --congestion 8 -o $T/u");
    for (int limit = 550; limit < 1500; limit += 50) {
        if (program_run("$M stress $T/u --router unicast --threads 1 --memory %dK --json", limit)
                ->status != 0)
            continue;
        json_t *object = program_run_json(), *runs = json_object_get(object, "runs");
        json_int_t most =
            program_run_integer(json_array_get(runs, json_array_size(runs) - 1), "capacity");
        if (json_is_integer(json_object_get(object, "too_large_capacity"))) {
            ck_assert_int_gt(program_run_integer(object, "too_large_capacity"), most / 2);
            was_named = true;
        }
        json_decref(object);
    }
    ck_assert(was_named);
    program_run_ends(0, "$M compare $T/u --best --routers trees,unicast --threads 1 --memory "
                        "600K --csv | grep -q '^[0-9]*,unicast,0,refused.*fit into 600'");
}
END_TEST

/* ---- the fastest with each ---- */

enum { ROUTERS = 4 };

static const char *const names[ROUTERS] = {"a", "b", "c", "d"};

static struct meshcast_command *best_of(const struct meshcast_set *set, struct script *script,
                                        struct meshcast_router **router)
{
    struct meshcast_command *best = case_command("compare", set, "best");
    for (int i = 0; i < ROUTERS; i++) {
        router[i] = make_router(&script[i], names[i]);
        meshcast_command_give_router(best, router[i]);
    }
    return best;
}

/* Returns the name of the fastest router by `route`, of equal ones with the lower peak, then the
 * first; NULL: none delivers. */
static const char *fastest_at(const struct meshcast_set *set, struct meshcast_router **router,
                              uint32_t capacity)
{
    double steps = 0, peak = 0;
    const char *fastest = NULL;
    for (int i = 0; i < ROUTERS; i++) {
        char option[32] = "";
        struct meshcast_error error = {0};
        struct subject subject = {set, router[i], option};
        if (capacity > 0)
            snprintf(option, sizeof option, "buffer=%u", capacity);
        struct meshcast_report *route = case_run(command_for("route", &subject), &error);
        if (error.status == MESHCAST_OK) {
            double own = meshcast_report_figure(route, "steps");
            double own_peak = meshcast_report_figure(route, "buffer_peak");
            if (fastest == NULL || own < steps || (own == steps && own_peak < peak))
                fastest = names[i];
            steps = fastest == names[i] ? own : steps;
            peak = fastest == names[i] ? own_peak : peak;
        }
        meshcast_report_free(route);
    }
    return fastest;
}

static bool is_same_word(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Checks that every capacity that was run has the right winner, that each change is found to a
 * packet, and nothing is run twice. */
static void check_best(const struct meshcast_report *report, const struct meshcast_set *set,
                       struct meshcast_router **router)
{
    size_t count = meshcast_report_size(report, "capacities");
    const char *before = NULL;
    uint32_t capacity = 0;
    for (size_t i = 0; i < count; i++) {
        char path[64];
        uint32_t last = capacity;
        snprintf(path, sizeof path, "capacities.%zu.capacity", i);
        capacity = (uint32_t)case_figure(report, path);
        ck_assert_uint_gt(capacity, last);
        snprintf(path, sizeof path, "capacities.%zu.fastest", i);
        const char *winner = meshcast_report_word(report, path);
        ck_assert(is_same_word(winner, fastest_at(set, router, capacity)));
        ck_assert(i == 0 || is_same_word(winner, before) || capacity == last + 1);
        ck_assert(i > 0 || capacity == 1);
        before = winner;
    }
    ck_assert(is_same_word(meshcast_report_word(report, "not_limited.fastest"),
                           fastest_at(set, router, 0)));
}

/* Checks the last line of the table: the fastest router without a capacity, and the next fastest,
 * which is another one. */
static void check_next(struct meshcast_report *report)
{
    char winner[8], next[8];
    const char *line = strstr(meshcast_report_text(report), "\nnot limited ");
    ck_assert_ptr_nonnull(line);
    ck_assert_int_eq(sscanf(line, " not limited %7s %*s %*s %7[a-d],", winner, next), 2);
    ck_assert_str_eq(winner, meshcast_report_word(report, "not_limited.fastest"));
    ck_assert_str_ne(winner, next);
}

/* Routers that are drawn; one of them may refuse its options, and then takes no part. */
START_TEST(fastest)
{
    uint64_t random = 5 + ((uint64_t)_i << 32);
    struct meshcast_set *set = make_row();
    struct script script[ROUTERS] = {{0}};
    struct meshcast_router *router[ROUTERS];
    for (int i = 0; i < ROUTERS; i++)
        script[i] = (struct script){.least = 1 + test_random_below(&random, 34),
                                    .slow = test_random_below(&random, 12),
                                    .per_step = test_random_below(&random, 4),
                                    .peak = 1 + test_random_below(&random, 34),
                                    .refuses = test_random_below(&random, 2) == 1};
    script[2].refuses_all = _i % 4 == 3;
    struct meshcast_report *report = case_run(best_of(set, script, router), NULL);
    ck_assert_uint_eq(script[0].runs, meshcast_report_size(report, "capacities") + 1);
    ck_assert_uint_eq(script[2].runs, script[2].refuses_all ? 1 : script[0].runs);
    check_best(report, set, router);
    check_next(report);
    if (script[2].refuses_all) {
        ck_assert_str_eq(meshcast_report_word(report, "not_limited.routers.c.error"),
                         "router c: made up");
        ck_assert_str_eq(meshcast_report_word(report, "capacities.3.routers.c.outcome"), "refused");
    }
    meshcast_report_free(report);
    for (int i = 0; i < ROUTERS; i++)
        meshcast_router_free(router[i]);
    meshcast_set_free(set);
}
END_TEST

/* Where all refuse, or one fails otherwise, the comparison ends with that. */
START_TEST(fastest_fails)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = make_row();
    struct script script[ROUTERS] = {
        {.refuses_all = true}, {.refuses_all = true}, {.refuses_all = true}, {.refuses_all = true}};
    struct meshcast_router *router[ROUTERS];
    ck_assert_ptr_null(case_run(best_of(set, script, router), &error));
    ck_assert_int_eq(error.status, MESHCAST_USAGE);
    ck_assert_msg(strstr(error.text, "no router runs with these options; the first says: ") != NULL,
                  "%s", error.text);
    for (int i = 0; i < ROUTERS; i++)
        meshcast_router_free(router[i]);
    script[1] = (struct script){.peak = 9, .least = 1, .breaks = true};
    error = (struct meshcast_error){0};
    ck_assert_ptr_null(case_run(best_of(set, script, router), &error));
    ck_assert_int_eq(error.status, MESHCAST_CHECK);
    ck_assert_msg(strstr(error.text, "broken") != NULL, "%s", error.text);
    for (int i = 0; i < ROUTERS; i++)
        meshcast_router_free(router[i]);
    meshcast_set_free(set);
}
END_TEST

void buffers_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, thresholds);
    tcase_add_test(tests, setbacks);
    tcase_add_test(tests, points_and_failures);
    tcase_add_loop_test(tests, table, 0, (int)(sizeof routers / sizeof *routers));
    tcase_add_test(tests, too_large);
    tcase_add_loop_test(tests, fastest, 0, TEST_IS_SHORT ? 12 : 60);
    tcase_add_test(tests, fastest_fails);
}
