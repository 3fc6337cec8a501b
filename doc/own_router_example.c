/* own_router_example.c - a router that is not one of meshcast's, run beside one that is.
 *
 *     cc own_router_example.c $(pkg-config --cflags --libs meshcast) && ./a.out
 *
 * `peel`: a packet goes to its nearest destination, along its row and then its column, delivers
 * there, and goes on to the one that is then nearest, until none is left: a tour instead of a tree.
 */
#include <meshcast_command.h>
#include <meshcast_own_router.h>

#include <stdio.h>

static uint32_t gap(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

/* Puts the destination nearest to `site` into the packet's first slot, and gives it. */
static struct meshcast_site nearest(struct meshcast_routing *routing, struct meshcast_site site,
                                    uint32_t packet)
{
    uint32_t first = meshcast_packet_first(routing, packet), best = first, least = UINT32_MAX;
    for (uint32_t slot = first; slot <= packet; slot++) {
        struct meshcast_site to = meshcast_slot_destination(routing, slot);
        uint32_t distance = gap(site.row, to.row) + gap(site.col, to.col);
        if (distance < least) {
            least = distance;
            best = slot;
        }
    }
    meshcast_slots_swap(routing, packet, first, best);
    return meshcast_slot_destination(routing, first);
}

static unsigned link_towards(struct meshcast_site site, struct meshcast_site to)
{
    if (site.col != to.col)
        return to.col < site.col ? MESHCAST_WEST : MESHCAST_EAST;
    return to.row < site.row ? MESHCAST_NORTH : MESHCAST_SOUTH;
}

/* At the nearest destination: a delivery, and unless it was the last one the way to the next. */
static unsigned parts(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                      uint32_t packet)
{
    struct meshcast_site to = nearest(routing, site, packet);
    (void)context;
    if (to.node != site.node)
        return link_towards(site, to);
    return MESHCAST_DELIVER |
           (meshcast_packet_first(routing, packet) < packet ? (unsigned)MESHCAST_AGAIN : 0u);
}

static uint32_t take(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)site, (void)part; /* it is the delivery, in the first slot */
    return meshcast_packet_split(routing, packet, 1);
}

static uint32_t stop(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part)
{
    struct meshcast_site to = nearest(routing, site, packet);
    (void)context;
    return part == MESHCAST_WEST || part == MESHCAST_EAST ? to.col : to.row;
}

static enum meshcast_status route(void *context, struct meshcast_routing *routing)
{
    struct meshcast_rule rule = {context, parts, take, stop, NULL};
    enum meshcast_status status = meshcast_start(routing, 0);
    if (status != MESHCAST_OK)
        return status;
    return meshcast_forward_last(routing, &rule, "tours", UINT64_MAX);
}

/* Routes the set, by the router of that name or, if it is NULL, by `own`. */
static enum meshcast_status run(const char *name, const struct meshcast_router *own,
                                const struct meshcast_set *set, struct meshcast_error *error)
{
    struct meshcast_report *report = NULL;
    struct meshcast_command *route = meshcast_command_new("route", error);
    if (route == NULL)
        return error->status;
    meshcast_command_give_set(route, set, error);
    if (name != NULL)
        meshcast_command_set(route, "router", name, error);
    else
        meshcast_command_give_router(route, own);
    enum meshcast_status status = meshcast_command_run(route, &report, error);
    if (status == MESHCAST_OK)
        printf("%-6s %5.0f steps, %3.0f packets at a node at most, %6.0f hops\n",
               meshcast_report_word(report, "router"), meshcast_report_figure(report, "steps"),
               meshcast_report_figure(report, "buffer_peak"),
               meshcast_report_figure(report, "packet_hops"));
    meshcast_report_free(report);
    meshcast_command_free(route);
    return status;
}

static struct meshcast_set *make_set(struct meshcast_error *error)
{
    static const char *const option[][2] = {
        {"pattern", "uniform"}, {"side", "32"}, {"degree", "8"}, {"seed", "1"}};
    struct meshcast_report *report = NULL;
    struct meshcast_set *set = NULL;
    struct meshcast_command *gen = meshcast_command_new("gen", error);
    for (int i = 0; gen != NULL && i < 4; i++)
        meshcast_command_set(gen, option[i][0], option[i][1], error);
    if (gen != NULL && meshcast_command_run(gen, &report, error) == MESHCAST_OK)
        set = meshcast_report_take_set(report);
    meshcast_report_free(report);
    meshcast_command_free(gen);
    return set;
}

int main(void)
{
    struct meshcast_error error = {.status = MESHCAST_OK};
    struct meshcast_router_plan own = {
        .name = "peel", .summary = "a tour of the nearest destinations", .route = route};
    struct meshcast_set *set = make_set(&error);
    struct meshcast_router *peel = meshcast_router_new(&own, &error);
    if (set != NULL && peel != NULL && run(NULL, peel, set, &error) == MESHCAST_OK)
        run("trees", NULL, set, &error);
    if (error.status != MESHCAST_OK)
        fprintf(stderr, "own_router_example: %s\n", error.text);
    meshcast_router_free(peel);
    meshcast_set_free(set);
    return (int)error.status;
}
