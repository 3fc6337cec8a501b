/* own_router.c - a router of the user's own: its row, made from a plan, and the frame of its runs.
 *
 * Method: the row has the same head as those of the table of routers/, so a run of it is router_run()
 * as for any other: parameters are checked before it, deliveries after it. In between own_route()
 * calls the user's function with a handle through which all instructions go. A user's function that
 * ignores a failure cannot hide it: the run has the first one.
 */
#include "library/own_router_private.h"

#include "machine/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the row ---- */

static struct own_router *own_of(const struct router_method *method)
{
    static_assert(offsetof(struct own_router, method) == 0, "a row begins with its method");
    return (struct own_router *)method;
}

/* Runs a router of this row. */
static enum failure_kind own_route(struct routing *inner, struct failure *failure)
{
    const struct own_router *router = own_of(inner->method);
    struct meshcast_routing routing = {.routing = inner, .router = router};
    inner->is_own = true;
    enum meshcast_status status = router->route(router->context, &routing);
    if (own_status(&routing) == MESHCAST_OK && status != MESHCAST_OK)
        fail(&routing.failure, FAIL_USAGE, "router %s ended with status %d, which no call returned",
             router->method.shown.name, (int)status);
    if (routing.failure.kind == FAIL_NONE && inner->machine == NULL)
        fail(&routing.failure, FAIL_USAGE, "router %s did not call meshcast_start()",
             router->method.shown.name);
    if (routing.is_packet != NULL)
        machine_end_field(inner->machine, routing.is_packet);
    if (routing.failure.kind != FAIL_NONE)
        *failure = routing.failure;
    return routing.failure.kind;
}

/* Returns a copy of `text`, "" for NULL; NULL: no memory. */
static const char *text_copy(const char *text)
{
    return strdup(text == NULL ? "" : text);
}

/* True if titles, tables and the trace of phases can show the name. */
static bool name_is_good(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t length = name == NULL ? 0 : strlen(name);
    return length > 0 && length < ROUTER_NAME_SIZE && strspn(name, letters) == length;
}

static bool is_listed(const struct parameter_spec *spec, const char *name)
{
    while (spec->name != NULL && strcmp(spec->name, name) != 0)
        spec++;
    return spec->name != NULL;
}

/* True if each value of the parameter has one meaning. */
static bool values_are_good(const struct meshcast_parameter *given)
{
    const char *choices = given->choices;
    return given->high < UINT32_MAX / 2 && given->low <= given->high &&
           (choices == NULL || (*choices != ' ' && *choices != '\0'));
}

static enum failure_kind take_parameter(const struct meshcast_parameter *given,
                                        struct parameter_spec *spec, struct failure *failure)
{
    if (!name_is_good(given->name) || given->standard == NULL ||
        strlen(given->standard) >= ROUTER_NAME_SIZE)
        return fail(failure, FAIL_USAGE,
                    "a parameter wants a name of letters, digits, '-', '_' and '.', and a standard "
                    "value, of at most %d bytes each",
                    ROUTER_NAME_SIZE - 1);
    if (!values_are_good(given))
        return fail(failure, FAIL_USAGE,
                    "parameter %s: low is at most high, high is below 2^31, choices are words",
                    given->name);
    *spec = (struct parameter_spec){.name = text_copy(given->name),
                                    .standard = text_copy(given->standard),
                                    .low = given->low,
                                    .high = given->high,
                                    .choices =
                                        given->choices == NULL ? NULL : text_copy(given->choices)};
    if (spec->name == NULL || spec->standard == NULL ||
        (given->choices != NULL && spec->choices == NULL))
        return fail_memory(failure, "a router");
    if (!parameter_takes(spec, spec->standard))
        return fail(failure, FAIL_USAGE,
                    "the standard '%.40s' of parameter %.40s is not one of its values",
                    spec->standard, spec->name);
    return FAIL_NONE;
}

static enum failure_kind take_plan(const struct meshcast_router_plan *plan,
                                   struct own_router *router, struct failure *failure)
{
    if (!name_is_good(plan->name) || plan->route == NULL)
        return fail(
            failure, FAIL_USAGE,
            "a router wants a function that routes, and a name of at most %d letters, digits, "
            "'-', '_' and '.'",
            ROUTER_NAME_SIZE - 1);
    if (plan->parameters > ROUTER_MAX_PARAMETERS)
        return fail(failure, FAIL_USAGE, "%u parameters; a router has %d at most", plan->parameters,
                    ROUTER_MAX_PARAMETERS);
    router->method = (struct router_method){
        {text_copy(plan->name), text_copy(plan->summary), text_copy(plan->parameters_help)},
        router->spec,
        own_route,
        NULL,
        plan->takes_many,
        NULL,
        NULL};
    router->route = plan->route;
    router->context = plan->context;
    const struct router *shown = &router->method.shown;
    if (shown->name == NULL || shown->summary == NULL || shown->parameters == NULL)
        return fail_memory(failure, "a router");
    enum failure_kind kind = FAIL_NONE;
    if (plan->parameters > 0 && plan->parameter == NULL)
        return fail(failure, FAIL_USAGE, "%u parameters, and none is given", plan->parameters);
    for (uint32_t i = 0; kind == FAIL_NONE && i < plan->parameters; i++) {
        const char *name = plan->parameter[i].name;
        if (name != NULL && is_listed(router->spec, name))
            kind = fail(failure, FAIL_USAGE, "two parameters are named %.60s", name);
        else
            kind = take_parameter(&plan->parameter[i], &router->spec[i], failure);
    }
    return kind;
}

struct meshcast_router *meshcast_router_new(const struct meshcast_router_plan *plan,
                                            struct meshcast_error *error)
{
    struct failure failure = {0};
    struct own_router *router = memory_allocate(1, sizeof *router);
    struct meshcast_router *handle = (struct meshcast_router *)router;
    if (router == NULL)
        fail_memory(&failure, "a router");
    else
        take_plan(plan, router, &failure);
    if (error_give(error, &failure) == MESHCAST_OK)
        return handle;
    meshcast_router_free(handle);
    return NULL;
}

/* The texts are copies of our own; the rows of the table, whose type has them constant, never come
 * here. */
void meshcast_router_free(struct meshcast_router *handle)
{
    struct own_router *router = (struct own_router *)handle;
    if (router == NULL)
        return;
    for (uint32_t i = 0; i < ROUTER_MAX_PARAMETERS; i++) {
        free((char *)router->spec[i].name);
        free((char *)router->spec[i].standard);
        free((char *)router->spec[i].choices);
    }
    free((char *)router->method.shown.name);
    free((char *)router->method.shown.summary);
    free((char *)router->method.shown.parameters);
    own_unload(router->object);
    free(router);
}

/* ---- a run ---- */

void own_break(struct meshcast_routing *routing, const char *format, ...)
{
    char text[sizeof routing->broken.text];
    va_list arguments;
    if (atomic_exchange(&routing->is_broken, true))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bool has_begun = routing->routing->machine != NULL;
    fail(&routing->broken, has_begun ? FAIL_CHECK : FAIL_USAGE, "router %.60s: %.400s",
         routing->router->method.shown.name, text);
}

bool own_name_is_good(struct meshcast_routing *routing, const char *name)
{
    bool is_good = name != NULL && *name != '\0' && strcmp(name, "sync") != 0;
    for (const char *at = name; is_good && *at != '\0'; at++)
        is_good = *at >= ' ' && *at <= '~';
    if (!is_good)
        own_break(routing,
                  "a phase wants a name of printable ASCII, and \"sync\" is for synchronisations");
    return is_good;
}

enum meshcast_status own_status(struct meshcast_routing *routing)
{
    if (routing->failure.kind == FAIL_NONE)
        routing->failure = routing->broken;
    return (enum meshcast_status)routing->failure.kind;
}

enum meshcast_status own_agree(struct meshcast_routing *routing)
{
    enum failure_kind kind = (enum failure_kind)own_status(routing);
    if (!routing->is_agreed)
        kind = routing_agree(routing->routing, kind, &routing->failure);
    routing->is_agreed = kind != FAIL_NONE;
    return own_status(routing);
}

enum meshcast_status own_ready(struct meshcast_routing *routing)
{
    if (own_agree(routing) != MESHCAST_OK)
        return own_status(routing);
    if (routing->routing->machine == NULL)
        own_break(routing, "an instruction before meshcast_start()");
    else if (routing->is_asking)
        own_break(routing, "an instruction inside of a rule");
    else if (routing->is_over)
        own_break(routing, "an instruction after meshcast_forward_last(), whose end no node knows");
    return own_status(routing);
}

struct meshcast_known meshcast_known(const struct meshcast_routing *routing)
{
    const struct routing *inner = routing->routing;
    return (struct meshcast_known){.rows = inner->set->mesh.rows,
                                   .cols = inner->set->mesh.cols,
                                   .degree = inner->degree,
                                   .congestion = inner->congestion,
                                   .seed = inner->options->seed,
                                   .buffer = inner->options->buffer,
                                   .copies_are_free = inner->options->copy_is_free,
                                   .messages_per_node = inner->most_sent};
}

uint32_t meshcast_parameter(const struct meshcast_routing *routing, const char *name)
{
    const struct own_router *router = routing->router;
    if (router_takes_parameter(&router->method.shown, name))
        return routing_parameter(routing->routing, router->spec, name);
    /* const promises that the run stays as it is, except that it is over */
    own_break((struct meshcast_routing *)routing,
              "asked for its parameter '%.40s', which is not in "
              "its plan",
              name);
    return 0;
}

uint32_t meshcast_random(const struct meshcast_routing *routing, uint64_t stream, uint64_t index)
{
    return routing_random(routing->routing, stream, index);
}

enum meshcast_status meshcast_refuse(struct meshcast_routing *routing, enum meshcast_status status,
                                     const char *text)
{
    bool is_check = status == MESHCAST_CHECK && routing->routing->machine != NULL;
    fail(&routing->failure, is_check ? FAIL_CHECK : FAIL_USAGE, "router %.60s: %.400s",
         routing->router->method.shown.name, text == NULL ? "gives up" : text);
    return own_status(routing);
}

/* Notes that each message is a packet, named by its last slot. */
static void note_packets(struct meshcast_routing *routing)
{
    const struct routing *inner = routing->routing;
    routing->is_packet = machine_slot_field(inner->machine, 1);
    if (routing->is_packet == NULL)
        fail_memory(&routing->failure, "the names of packets");
    for (uint32_t i = 0; routing->is_packet != NULL && i < inner->set->messages; i++)
        routing->is_packet[routing_packet(inner, i)] = 1;
}

enum meshcast_status meshcast_start(struct meshcast_routing *routing, uint32_t capacity)
{
    uint32_t wanted = routing->routing->options->buffer;
    if (own_status(routing) != MESHCAST_OK)
        return own_status(routing);
    if (routing->routing->machine != NULL) {
        own_break(routing, "meshcast_start() a second time");
        return own_status(routing);
    }
    if (capacity == 0 || (wanted > 0 && wanted < capacity))
        capacity = wanted;
    if (routing_start(routing->routing, capacity, NULL, &routing->failure) == FAIL_NONE)
        note_packets(routing);
    return own_status(routing);
}
