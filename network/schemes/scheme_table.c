/* scheme_table.c - the table of schemes: names, parameters, and the rules of every plan. */
#include "network/schemes/scheme_private.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct scheme *const TABLE[] = {
    &scheme_unicast, &scheme_u_mesh, &scheme_dual,     &scheme_lin,    &scheme_multi,
    &scheme_ocms,    &scheme_otms,   &scheme_two_port, &scheme_d_port, &scheme_pure,
    &scheme_minimal, &scheme_column, &scheme_schl,     &scheme_vh,     &scheme_diag,
    &scheme_dds,     &scheme_min,    &scheme_xy_path,  &scheme_best,
};

enum { SCHEMES = sizeof TABLE / sizeof TABLE[0], NO_WORM = UINT32_MAX };

uint32_t scheme_count(void)
{
    return SCHEMES - 1;
}

const struct scheme *scheme_at(uint32_t index)
{
    return TABLE[index];
}

static const char *name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < SCHEMES ? TABLE[index]->name : NULL;
}

const struct name_family scheme_names = {"scheme", "schemes", "", name_at, NULL};

enum failure_kind scheme_find(const char *name, const struct scheme **scheme,
                              struct failure *failure)
{
    uint32_t index;
    if (name_family_find(&scheme_names, name, &index, failure) != FAIL_NONE)
        return failure->kind;
    *scheme = TABLE[index];
    return FAIL_NONE;
}

/* ---- parameters ---- */

static const char *parameter_at(const void *context, uint32_t index)
{
    const struct scheme *scheme = context;
    return index < SCHEME_PARAMETERS ? scheme->parameter[index].name : NULL;
}

enum failure_kind scheme_choose(const struct scheme *scheme, const char *text,
                                struct scheme_choices *choices, struct failure *failure)
{
    const struct name_family parameters = {"parameter", "parameters", "", parameter_at, scheme};
    const char *equals = strchr(text, '=');
    char name[64];
    if (equals == NULL)
        return fail(failure, FAIL_USAGE, "a parameter is NAME=VALUE, not '%.40s'", text);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    if (scheme->parameter[0].name == NULL)
        return fail(failure, FAIL_USAGE, "scheme %s has no parameters, so no '%.40s'", scheme->name,
                    name);
    uint32_t index, choice;
    if (name_family_find(&parameters, name, &index, failure) != FAIL_NONE)
        return failure->kind;
    char one[96], many[96];
    snprintf(one, sizeof one, "value of %s", name);
    snprintf(many, sizeof many, "values of %s", name);
    const struct name_family words = {one, many, "", name_of_array,
                                      scheme->parameter[index].choice};
    if (name_family_find(&words, equals + 1, &choice, failure) != FAIL_NONE)
        return failure->kind;
    choices->choice[index] = choice;
    return FAIL_NONE;
}

/* ---- topologies of a scheme ---- */

/* True if the scheme's paths are those of up-down, or the topology has the shape that it needs. */
static bool meets_needs(const struct scheme *scheme, const struct topology *topology,
                        const struct scheme_choices *choices)
{
    if (scheme->routing(choices) == &routing_up_down)
        return true;
    if (topology_is_broken(topology))
        return scheme->needs == NEEDS_NOTHING;
    switch (scheme->needs) {
    case NEEDS_RINGS_OR_MESH:
        return topology->shape.kind != TOPOLOGY_GRAPH;
    case NEEDS_MESH:
        return topology->shape.kind == TOPOLOGY_MESH;
    case NEEDS_FLAT_MESH:
        return topology->shape.kind == TOPOLOGY_MESH && topology->shape.dimensions <= 2;
    default:
        return true;
    }
}

/* Writes "parameter NAME=VALUE" of the first parameter with which the scheme could run there;
 * false: there is none. */
static bool other_choice(const struct scheme *scheme, const struct topology *topology,
                         const struct scheme_choices *choices, char *text, size_t size)
{
    for (uint32_t i = 0; i < SCHEME_PARAMETERS && scheme->parameter[i].name != NULL; i++)
        for (uint32_t j = 0; scheme->parameter[i].choice[j] != NULL; j++) {
            struct scheme_choices other = *choices;
            other.choice[i] = j;
            if (!meets_needs(scheme, topology, &other) ||
                scheme->routing(&other)->classes(topology) == 0)
                continue;
            snprintf(text, size, "parameter %s=%s", scheme->parameter[i].name,
                     scheme->parameter[i].choice[j]);
            return true;
        }
    return false;
}

/* Checks the needs of the scheme itself. */
static enum failure_kind check_needs(const struct scheme *scheme, const struct topology *topology,
                                     const struct scheme_choices *choices, struct failure *failure)
{
    static const char *const needs[] = {
        [NEEDS_RINGS_OR_MESH] = "a mesh or torus; scheme ocms",
        [NEEDS_MESH] = "a mesh; scheme dual",
        [NEEDS_FLAT_MESH] = "a mesh of one or two dimensions; scheme dual",
    };
    char text[TOPOLOGY_LONG_TEXT_SIZE], other[80];
    if (scheme->plan == NULL)
        return fail(failure, FAIL_USAGE,
                    "scheme %s has no plans of its own: `network` and `load` run the others and "
                    "take the fastest that can run there",
                    scheme->name);
    if (meets_needs(scheme, topology, choices))
        return FAIL_NONE;
    topology_text(topology, text);
    if (topology_is_broken(topology))
        return fail(failure, FAIL_USAGE,
                    "scheme %s cannot run on %s: it needs a whole mesh or torus; %s would do",
                    scheme->name, text,
                    other_choice(scheme, topology, choices, other, sizeof other)
                        ? other
                        : "scheme unicast with routing=up-down");
    return fail(failure, FAIL_USAGE, "scheme %s cannot run on %s: it needs %s would do",
                scheme->name, text, needs[scheme->needs]);
}

enum failure_kind scheme_check(const struct scheme *scheme, const struct topology *topology,
                               const struct scheme_choices *choices, uint32_t vcs,
                               struct failure *failure)
{
    const struct routing *routing = scheme->routing(choices);
    const char *whole = topology_is_broken(topology) ? "whole " : "";
    if (check_needs(scheme, topology, choices, failure) != FAIL_NONE)
        return failure->kind;
    uint32_t classes = routing->classes(topology);
    char shape[TOPOLOGY_LONG_TEXT_SIZE], other[80];
    topology_text(topology, shape);
    if (classes == 0 && topology->no_path != NULL && routing == &routing_label)
        return fail(
            failure, FAIL_USAGE,
            "scheme %s cannot run on %s: its label routing needs a Hamiltonian path of what "
            "remains, and %s; scheme unicast with routing=up-down would do",
            scheme->name, shape, topology->no_path);
    if (classes == 0 && other_choice(scheme, topology, choices, other, sizeof other))
        return fail(failure, FAIL_USAGE,
                    "scheme %s cannot run on %s: its %s routing needs %s%s; %s would do",
                    scheme->name, shape, routing->name, whole, routing->runs_on, other);
    if (classes == 0)
        return fail(failure, FAIL_USAGE, "scheme %s cannot run on %s: its %s routing needs %s%s",
                    scheme->name, shape, routing->name, whole, routing->runs_on);
    if (vcs < classes)
        return fail(
            failure, FAIL_USAGE,
            "scheme %s with %s routing needs %u virtual channels on %s, %s; --vcs %u would do",
            scheme->name, routing->name, classes, shape,
            topology->shape.kind == TOPOLOGY_TORUS ? "one for each side of a dateline"
                                                   : "one for each class of ways",
            classes);
    return FAIL_NONE;
}

/* ---- rules of every plan ---- */

static void check_multicast(const struct topology *topology, const struct multicast *multicast)
{
    assert(multicast->source < topology->nodes && multicast->flits >= 1);
    for (uint32_t i = 0; i < multicast->destinations; i++) {
        assert(multicast->destination[i] < topology->nodes);
        assert(multicast->destination[i] != multicast->source);
        assert(i == 0 || multicast->destination[i - 1] < multicast->destination[i]);
    }
}

/* Checks the hops from a stop, or the sender, to the stops that follow it: children first .. end -
 * 1, with their spans. */
static void check_children(const struct plan *plan, const struct topology *topology, uint32_t from,
                           uint32_t first, uint32_t end)
{
    for (uint32_t child = first; child < end; child += plan->stop[child].span) {
        assert(plan->stop[child].span >= 1 && plan->stop[child].span <= end - child);
        assert(plan->stop[child].node < topology->nodes && plan->stop[child].node != from);
        assert((plan->routing != &routing_link && plan->routing != &routing_sides &&
                plan->routing != &routing_up_down) ||
               topology_port_to(topology, from, plan->stop[child].node) != UINT32_MAX);
    }
}

/* Checks that the stops of a worm are one tree, and that each destination among them is served for
 * the first time. */
static void check_worm(const struct plan *plan, const struct topology *topology,
                       const struct multicast *multicast, bool is_stepwise, uint32_t index)
{
    const struct worm *worm = &plan->worm[index];
    uint32_t end = worm->first + worm->stops;
    assert(worm->stops >= 1 && end <= plan->stops);
    assert(worm->step > 0 || !is_stepwise);
    assert(plan->stop[worm->first].span == worm->stops);
    if (worm->sender != multicast->source) {
        uint32_t place = multicast_place(multicast, worm->sender);
        assert(place != UINT32_MAX && plan->server[place] < index);
    }
    /* A worm that branches at its sender begins there */
    if (plan->stop[worm->first].node != worm->sender)
        check_children(plan, topology, worm->sender, worm->first, end);
    else
        assert(worm->stops > 1 && !plan->stop[worm->first].is_destination);
    for (uint32_t i = worm->first; i < end; i++) {
        const struct stop *stop = &plan->stop[i];
        check_children(plan, topology, stop->node, i + 1, i + stop->span);
        if (!stop->is_destination)
            continue;
        uint32_t place = multicast_place(multicast, stop->node);
        assert(place != UINT32_MAX && plan->server[place] == NO_WORM);
        plan->server[place] = index;
    }
}

static void check_plan(const struct plan *plan, const struct topology *topology,
                       const struct multicast *multicast, bool is_stepwise)
{
    for (uint32_t i = 0; i < multicast->destinations; i++)
        plan->server[i] = NO_WORM;
    for (uint32_t i = 0; i < plan->worms; i++)
        check_worm(plan, topology, multicast, is_stepwise, i);
    for (uint32_t i = 0; i < multicast->destinations; i++)
        assert(plan->server[i] != NO_WORM);
}

/* Makes room for the servers of so many destinations. */
static void make_room(struct plan *plan, uint32_t destinations)
{
    if (destinations <= plan->server_room)
        return;
    uint32_t *server = memory_resize(plan->server, destinations, sizeof *server);
    plan->lacks_memory = server == NULL;
    if (server == NULL)
        return;
    plan->server = server;
    plan->server_room = destinations;
}

enum failure_kind scheme_plan(const struct scheme *scheme, const struct topology *topology,
                              const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *plan,
                              struct failure *failure)
{
    plan_empty(plan);
    plan->routing = scheme->routing(choices);
    check_multicast(topology, multicast);
    if (multicast->destinations == 0)
        return FAIL_NONE;
    if (scheme->plan == NULL)
        return check_needs(scheme, topology, choices, failure);
    make_room(plan, multicast->destinations);
    if (!plan->lacks_memory)
        scheme->plan(&(struct planning){topology, multicast, choices, plan});
    if (plan->lacks_memory)
        fail_memory(failure, "the plan of a multicast");
    plan_free_scratch(plan);
    if (plan->lacks_memory)
        return FAIL_SYSTEM;
    check_plan(plan, topology, multicast, scheme->is_stepwise);
    return FAIL_NONE;
}
