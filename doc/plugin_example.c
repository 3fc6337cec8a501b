/* plugin_example.c - a router as a plugin: each message is one packet that visits its destinations.
 *
 *     cc -shared -fPIC -o tour.so plugin_example.c $(pkg-config --cflags meshcast)
 *     meshcast route west.mcast --router ./tour.so --param order=west
 *
 * A packet goes to the nearest row in which it has a destination, and there to the nearest one,
 * delivers it, and goes on. It never splits.
 */
#include <meshcast_own_router.h>

#include <stddef.h>

static uint32_t distance(uint32_t one, uint32_t other)
{
    return one > other ? one - other : other - one;
}

/* Returns the slot of the destination that the packet visits next; *east_first chooses between two
 * equally near ones. The choice depends only on the packet. */
static uint32_t next_slot(const uint32_t *east_first, const struct meshcast_routing *routing,
                          struct meshcast_site site, uint32_t packet)
{
    uint32_t best = packet;
    struct meshcast_site to = meshcast_slot_destination(routing, packet);
    for (uint32_t slot = meshcast_packet_first(routing, packet); slot < packet; slot++) {
        struct meshcast_site other = meshcast_slot_destination(routing, slot);
        uint32_t rows = distance(site.row, other.row), best_rows = distance(site.row, to.row);
        uint32_t cols = distance(site.col, other.col), best_cols = distance(site.col, to.col);
        bool is_nearer = rows != best_rows ? rows < best_rows : cols < best_cols;
        bool is_as_near = rows == best_rows && cols == best_cols;
        if (is_nearer || (is_as_near && (other.col > to.col) == (*east_first == 1))) {
            best = slot;
            to = other;
        }
    }
    return best;
}

/* On to the next destination: along the column first, then along its row. */
static unsigned parts(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                      uint32_t packet)
{
    uint32_t first = meshcast_packet_first(routing, packet);
    uint32_t slot = next_slot(context, routing, site, packet);
    struct meshcast_site to = meshcast_slot_destination(routing, slot);
    if (to.node == site.node)
        return slot == packet && first == packet ? MESHCAST_DELIVER
                                                 : MESHCAST_DELIVER | MESHCAST_AGAIN;
    if (to.row != site.row)
        return to.row > site.row ? MESHCAST_SOUTH : MESHCAST_NORTH;
    return to.col > site.col ? MESHCAST_EAST : MESHCAST_WEST;
}

/* A delivery takes its slot, which is brought to the front for that; the rest goes on. */
static uint32_t take(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part)
{
    uint32_t first = meshcast_packet_first(routing, packet);
    if (part != MESHCAST_DELIVER)
        return packet;
    meshcast_slots_swap(routing, packet, first, next_slot(context, routing, site, packet));
    return meshcast_packet_split(routing, packet, 1);
}

static uint32_t stop(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part)
{
    struct meshcast_site to =
        meshcast_slot_destination(routing, next_slot(context, routing, site, packet));
    return part == MESHCAST_NORTH || part == MESHCAST_SOUTH ? to.row : to.col;
}

static enum meshcast_status route(void *context, struct meshcast_routing *routing)
{
    uint32_t east_first = meshcast_parameter(routing, "order") == 1;
    struct meshcast_rule rule = {
        .context = &east_first, .parts = parts, .take = take, .stop = stop};
    enum meshcast_status status = meshcast_start(routing, 0);
    (void)context;
    return status != MESHCAST_OK ? status : meshcast_forward_last(routing, &rule, "tour", 1 << 20);
}

MESHCAST_PLUGIN const struct meshcast_router_plan *meshcast_plugin(uint32_t *abi)
{
    static const struct meshcast_parameter order = {"order", "west", 0, 0, "west east"};
    static const struct meshcast_router_plan plan = {
        .name = "tour",
        .summary = "one packet per message, which visits its destinations",
        .parameters_help = "order=west|east: which of two columns that are as near comes first",
        .parameter = &order,
        .parameters = 1,
        .route = route,
    };
    *abi = MESHCAST_ABI;
    return &plan;
}
