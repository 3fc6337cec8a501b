/* test_family.c - what routers say about their choices, and the sets that are made of them.
 *
 * Oracles: runs of sets whose messages go to their own homes alone, so that no tree has a link to cross and every hop is
 * the walk's; first links, as an observer sees them; the deliveries of families, looked at one by one.
 */
#include "primitives/tile_cycle.h"
#include "routers/choices.h"
#include "search/candidate.h"
#include "search/seed_sets.h"
#include "test/router_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *family_suite(void);

/* The choices of a run's first attempt. */
struct chosen {
    struct mesh mesh;
    uint32_t congestion;
    struct router_options options;
    struct router_choices choices[ROUTER_KNOWN_ATTEMPTS];
    uint32_t attempts;
};

static void chosen_make(struct chosen *chosen, const struct family_case *against)
{
    *chosen = (struct chosen){.mesh = against->mesh, .congestion = against->congestion};
    chosen->options = router_options_default();
    chosen->options.seed = against->seed;
    ck_assert_int_eq(router_choices_make(router_find(against->router), &chosen->options,
                                         against->mesh, against->congestion, chosen->choices,
                                         &chosen->attempts, NULL),
                     FAIL_NONE);
}

static node_place place_at(struct mesh mesh, node_index node)
{
    return place_of(node / mesh.cols, node % mesh.cols);
}

static node_index node_at(struct mesh mesh, node_place place)
{
    return place_row(place) * mesh.cols + place_col(place);
}

/* Returns the first node of tile `index`. */
static node_place corner_at(const struct tessellation *tiles, uint32_t index)
{
    uint32_t across = axis_intervals(&tiles->col);
    return place_of(tiles->row.cut[index / across], tiles->col.cut[index % across]);
}

/* ---- what routers say ---- */

/* The hops of the walk of one message from home to home, up to the last one where it delivers; its homes become
 * destinations. */
static uint64_t walk(const struct chosen *chosen, node_index source, struct candidate *candidate)
{
    const struct router_choices *choices = &chosen->choices[0];
    uint32_t tiles = (uint32_t)tessellation_tiles(choices->tiles);
    node_place home[64], here = place_at(chosen->mesh, source);
    uint64_t hops = 0, farther = 0;
    ck_assert_uint_le(tiles, 64);
    for (uint32_t i = 0; i < tiles; i++) {
        struct handover handover =
            choices->handover(choices->own, here, corner_at(choices->tiles, i));
        ck_assert_uint_lt(handover.visit, choices->visits);
        ck_assert_uint_lt(handover.group, choices->groups);
        home[handover.visit] = handover.home;
    }
    for (uint32_t i = 0; i < tiles; i++) {
        node_index to = node_at(chosen->mesh, home[i]);
        farther += place_distance(here, home[i]);
        here = home[i];
        if (to == source)
            continue;
        ck_assert(candidate_add(candidate, source, to));
        hops += farther;
        farther = 0;
    }
    return hops;
}

/* Where every message goes to its own homes, packets cross the links of the walks and no others. */
START_TEST(homes_of_walks)
{
    static const struct {
        const char *parameters;
        struct family_case against;
    } known[] = {
        {"", {"stream", {16, 16}, 16, 3}},
        {"", {"stream", {24, 12}, 6, 5}},
        {"variant=direct", {"random", {64, 64}, 4, 7}},
        {"variant=direct", {"random", {64, 64}, 16, 1}},
        {"", {"expander", {16, 16}, 16, 4}},
    };
    struct chosen chosen;
    struct candidate candidate;
    struct message_set set;
    struct router_result result;
    struct router_case run = router_case_make(known[_i].against.router, known[_i].parameters);
    uint64_t hops = 0;
    chosen_make(&chosen, &known[_i].against);
    if (run.router == router_find("random")) {
        router_choices_free(chosen.choices);
        chosen.options.parameters = 1;
        chosen.options.parameter[0] = (struct router_parameter){"variant", "direct"};
        ck_assert_int_eq(router_choices_make(run.router, &chosen.options, chosen.mesh,
                                             chosen.congestion, chosen.choices, &chosen.attempts,
                                             NULL),
                         FAIL_NONE);
    }
    ck_assert_int_eq(candidate_make(&candidate, chosen.mesh, chosen.congestion, 1, NULL),
                     FAIL_NONE);
    for (node_index node = 0; node < mesh_nodes(chosen.mesh); node++)
        hops += walk(&chosen, node, &candidate);
    ck_assert_int_eq(candidate_set(&candidate, &set, NULL), FAIL_NONE);
    ck_assert_uint_eq(message_set_congestion(&set), chosen.congestion);
    run.copy_is_free = true;
    run.seed = known[_i].against.seed;
    router_case_check(&run, &set, &result);
    ck_assert_uint_eq(result.packet_hops, hops);
    message_set_free(&set);
    candidate_free(&candidate);
    router_choices_free(chosen.choices);
}
END_TEST

/* On equal tiles the homes of router `replicate` are the source's own place in every tile. */
START_TEST(homes_of_copies)
{
    static const struct family_case against = {"replicate", {32, 32}, 64, 0};
    struct chosen chosen;
    chosen_make(&chosen, &against);
    const struct router_choices *choices = &chosen.choices[0];
    uint32_t height = axis_longest(&choices->tiles->row),
             width = axis_longest(&choices->tiles->col);
    ck_assert_uint_lt(height, 32);
    for (node_index source = 0; source < mesh_nodes(chosen.mesh); source += 37)
        for (node_index to = 0; to < mesh_nodes(chosen.mesh); to += 11) {
            node_place from = place_at(chosen.mesh, source), place = place_at(chosen.mesh, to);
            node_place home = choices->handover(choices->own, from, place).home;
            ck_assert_uint_eq(place_row(home),
                              place_row(place) / height * height + place_row(from) % height);
            ck_assert_uint_eq(place_col(home),
                              place_col(place) / width * width + place_col(from) % width);
        }
    router_choices_free(chosen.choices);
}
END_TEST

struct first_hop {
    uint32_t from, to, hops;
};

static void note_hops(void *context, uint64_t step, const struct machine_event *event, size_t count)
{
    struct first_hop *first = context;
    (void)step;
    for (size_t i = 0; i < count; i++)
        if (event[i].kind == 'M' && first->hops++ == 0) {
            first->from = event[i].field[1];
            first->to = event[i].field[2];
        }
}

static void ignore_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

/* A lone message of a router without tiles leaves its source along the dimension that its handover says. */
START_TEST(first_links)
{
    static const char *const names[] = {"unicast", "trees"};
    struct family_case against = {names[_i], {6, 7}, 1, 0};
    struct router_case run = router_case_make(names[_i], NULL);
    struct chosen chosen;
    uint32_t along_rows = 0, count = 0;
    chosen_make(&chosen, &against);
    for (node_index source = 0; source < 42; source += 3)
        for (node_index to = 1; to < 42; to += 4) {
            char text[64];
            struct first_hop first = {0};
            struct message_set set;
            struct router_result result;
            const struct machine_observer observer = {&first, note_hops, ignore_phase, NULL};
            node_place from = place_at(against.mesh, source), place = place_at(against.mesh, to);
            if (source / 7 == to / 7 || source % 7 == to % 7)
                continue;
            snprintf(text, sizeof text, "mcast 1 6 7\n%u %u\n", source, to);
            router_case_set(&set, text);
            run.observer = &observer;
            ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, NULL), FAIL_NONE);
            struct handover handover =
                chosen.choices[0].handover(chosen.choices[0].own, from, place);
            ck_assert_uint_eq(handover.home, from);
            ck_assert_int_eq(handover.row_first, first.from / 7 == first.to / 7);
            along_rows += handover.row_first;
            count++;
            message_set_free(&set);
        }
    ck_assert(along_rows > 10 && along_rows + 10 < count);
    router_choices_free(chosen.choices);
}
END_TEST

/* Router `circulate` has nothing to choose, and router `random` has choices for each attempt, all different. */
START_TEST(attempts)
{
    static const struct family_case none = {"circulate", {16, 16}, 16, 0};
    static const struct family_case four = {"random", {64, 64}, 4, 0};
    struct chosen chosen;
    chosen_make(&chosen, &none);
    ck_assert_uint_eq(chosen.attempts, 0);
    router_choices_free(chosen.choices);
    chosen_make(&chosen, &four);
    ck_assert_uint_eq(chosen.attempts, ROUTER_KNOWN_ATTEMPTS);
    for (uint32_t i = 1; i < chosen.attempts; i++) {
        uint32_t same = 0;
        for (node_index node = 0; node < 4096; node++) {
            node_place place = place_at(chosen.mesh, node);
            same += chosen.choices[0].handover(chosen.choices[0].own, place, 0).home ==
                    chosen.choices[i].handover(chosen.choices[i].own, place, 0).home;
        }
        ck_assert_uint_lt(same, 1024);
    }
    router_choices_free(chosen.choices);
}
END_TEST

/* ---- families ---- */

static uint32_t family_named(const char *name)
{
    char found[FAMILY_NAME_SIZE];
    for (uint32_t i = 0; i < family_count(); i++) {
        family_name(i, found);
        if (strcmp(found, name) == 0)
            return i;
    }
    ck_abort_msg("no family is called %s", name);
}

/* True if the delivery is one of family `name`. */
static bool is_right(const struct chosen *chosen, const char *name, node_index source,
                     node_index to)
{
    const struct router_choices *choices = &chosen->choices[0];
    const struct axis *rows = &choices->tiles->row, *cols = &choices->tiles->col;
    node_place place = place_at(chosen->mesh, to);
    struct handover handover =
        choices->handover(choices->own, place_at(chosen->mesh, source), place);
    struct interval row = axis_interval_at(rows, place_row(place));
    struct interval col = axis_interval_at(cols, place_col(place));
    bool is_last_row = place_row(place) + 1 == row.end,
         is_last_col = place_col(place) + 1 == col.end;
    if (strcmp(name, "first visit") == 0)
        return handover.visit == 0;
    if (strcmp(name, "first visit, rows first") == 0)
        return handover.row_first;
    if (strcmp(name, "first visit, mirrored") == 0)
        return place_row(place) + place_row(handover.home) == row.start + row.end - 1 &&
               place_col(place) + place_col(handover.home) == col.start + col.end - 1;
    return handover.row_first ? is_last_col : is_last_row;
}

/* Every delivery of a family is as its name says; and nodes that ask have all that they may. */
START_TEST(deliveries)
{
    static const char *const names[] = {
        "first visit", "first visit, rows first", "first visit, mirrored",
        "first visit, to last lines, by lines, once a tile, backwards"};
    static const struct family_case against[] = {{"stream", {32, 32}, 4, 2},
                                                 {"random", {64, 64}, 4, 3}};
    struct chosen chosen;
    struct message_set set;
    char name[FAMILY_NAME_SIZE];
    chosen_make(&chosen, &against[_i]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        router_case_family(&set, &against[_i], family_named(names[i]), name);
        ck_assert_str_eq(name, names[i]);
        for (uint32_t j = 0; j < set.messages; j++)
            for (uint64_t k = set.offset[j]; k < set.offset[j + 1]; k++)
                ck_assert_msg(is_right(&chosen, name, set.source[j], set.destination[k]),
                              "%s: %u to %u", name, set.source[j], set.destination[k]);
        ck_assert_uint_eq(message_set_congestion(&set), against[_i].congestion);
        if (i < 2)
            ck_assert_uint_eq(set.deliveries,
                              (uint64_t)mesh_nodes(chosen.mesh) * against[_i].congestion);
        message_set_free(&set);
    }
    router_choices_free(chosen.choices);
}
END_TEST

/* A drawn family is the same whenever it is made, and a set for another seed is another one. */
START_TEST(drawn)
{
    static const struct family_case one = {"stream", {32, 32}, 16, 3},
                                    other = {"stream", {32, 32}, 16, 4};
    uint32_t differences = 0;
    for (uint32_t family = family_count(); family < family_count() + 20; family++) {
        struct message_set set[3];
        char name[FAMILY_NAME_SIZE];
        router_case_family(&set[0], &one, family, name);
        router_case_family(&set[1], &one, family, name);
        router_case_family(&set[2], &other, family, name);
        ck_assert_uint_eq(set[0].deliveries, set[1].deliveries);
        ck_assert_mem_eq(set[0].destination, set[1].destination,
                         set[0].deliveries * sizeof *set[0].destination);
        differences += set[0].deliveries != set[2].deliveries ||
                       memcmp(set[0].destination, set[2].destination,
                              set[0].deliveries * sizeof *set[0].destination) != 0;
        for (int i = 0; i < 3; i++)
            message_set_free(&set[i]);
    }
    ck_assert_uint_gt(differences, 15);
}
END_TEST

Suite *family_suite(void)
{
    Suite *suite = suite_create("family");
    TCase *tests = tcase_create("families");
    tcase_add_loop_test(tests, homes_of_walks, 0, 5);
    tcase_add_test(tests, homes_of_copies);
    tcase_add_loop_test(tests, first_links, 0, 2);
    tcase_add_test(tests, attempts);
    tcase_add_loop_test(tests, deliveries, 0, 2);
    tcase_add_test(tests, drawn);
    suite_add_tcase(suite, tests);
    return suite;
}
