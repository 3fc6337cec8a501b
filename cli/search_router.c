/* search_router.c - when a search for bad sets ends, what its progress line shows, what memory it may need.
 * What a set is worth: library/set_probe.c.
 */
#include "cli/search_router.h"

#include "console/interruption.h"
#include "library/run_options.h"

#include <inttypes.h>
#include <stdio.h>

static void show(struct search_router *router, uint64_t tried, const struct search_find *worst)
{
    char text[256];
    struct progress_line *line = &router->progress.line;
    snprintf(router->name, sizeof router->name, "%s, set %" PRIu64, router->probe.router->name,
             tried + 1);
    if (!progress_line_is_due(line))
        return;
    snprintf(text, sizeof text, "search %s: %" PRIu64 " sets, worst %" PRIu64 " %s, %s, %.0f s",
             router->probe.router->name, tried, worst->figure.figure,
             router->probe.objective == OBJECTIVE_BUFFER ? "packets" : "steps", worst->name,
             progress_line_seconds(line));
    progress_line_show(line, text);
}

bool search_router_is_over(void *context, uint64_t tried, const struct search_find *worst)
{
    struct search_router *router = context;
    show(router, tried, worst);
    if (interruption_noted() != 0)
        return true;
    return router->seconds > 0 && router->clock() - router->started >= router->seconds;
}

/* The densest set that the search can come to: c messages for every node, l from each. */
enum failure_kind search_router_check_memory(const struct search_router *router,
                                             const struct making *making, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(making->mesh), per_node = made_per_node(making);
    uint32_t messages = nodes * per_node;
    uint32_t congestion = making->congestion < messages ? making->congestion : messages;
    struct instance densest = {
        .name = "", .degree = nodes, .congestion = congestion, .most_sent = per_node};
    struct memory_need need = {.limit = router->limit};
    densest.set = (struct message_set){.shape = shape_of_mesh(making->mesh),
                                       .mesh = making->mesh,
                                       .messages = messages,
                                       .deliveries = (uint64_t)nodes * congestion};
    return run_check_memory(router->probe.router, &densest, &router->probe.options,
                            &(struct run_outputs){0}, need, failure);
}
