/* own_kernel.c - kernels of primitives/ for a router of the user's own: sorting, prefix, routing.
 *
 * Method: what a kernel demands of the packets is checked here, on the host, before it runs: inner
 * kernels hold it for an invariant. Tiles are made for each call: a tessellation is arithmetic that
 * every node could do.
 * Cost: the kernel's own steps, and a look at every resting packet.
 */
#include "library/own_router_private.h"
#include "primitives/prefix.h"
#include "primitives/sort.h"
#include "primitives/unicast_route.h"

#include <stdlib.h>

/* ---- what kernels demand ---- */

/* Where a packet goes in its tile, or rests. */
struct demand {
    const struct tessellation *tiles;
    uint32_t most;     /* packets of a node */
    uint32_t *arrives; /* [node]: packets that have it as their target; NULL: targets are numbers */
};

static bool is_same_tile(const struct tessellation *tiles, struct site site, node_place target)
{
    return tiles->row.tile[site.row] == tiles->row.tile[place_row(target)] &&
           tiles->col.tile[site.col] == tiles->col.tile[place_col(target)];
}

static void look_at(struct meshcast_routing *routing, const struct demand *demand, struct site site,
                    uint32_t packet)
{
    struct headers *header = machine_headers(routing->routing->machine);
    node_place target = header->packet[packet].target;
    uint32_t node = place_row(target) * routing->routing->set->mesh.cols + place_col(target);
    if (demand->arrives == NULL)
        return;
    header->packet[packet].state = 0;
    if (!is_same_tile(demand->tiles, site, target))
        own_break(routing, "packet %u at node %u has target %u, which is in another tile", packet,
                  site.index, node);
    else if (++demand->arrives[node] > demand->most)
        own_break(routing, "node %u is the target of more than %u packets", node, demand->most);
}

static void look_at_all(struct meshcast_routing *routing, const struct demand *demand)
{
    struct machine *machine = routing->routing->machine;
    struct node_range own = machine_nodes(machine);
    for (node_index node = own.first; node < own.end; node++) {
        uint32_t count = 0, packet = machine_first_resting(machine, node);
        for (; packet != MACHINE_NONE; packet = machine_next_resting(machine, packet), count++)
            look_at(routing, demand, machine_site(machine, node), packet);
        if (count > demand->most)
            own_break(routing, "%u packets rest at node %u; the kernel takes %u", count, node,
                      demand->most);
    }
}

/* Makes the tiles of a kernel, until end(); false: the run has failed already, or fails now. */
static bool begin(struct meshcast_routing *routing, const char *name, uint64_t tiles,
                  struct tessellation *tessellation)
{
    if (own_ready(routing) != MESHCAST_OK || !own_name_is_good(routing, name))
        return false;
    if (tiles == 0)
        own_break(routing, "a kernel in no tiles");
    else if (machine_travelling(routing->routing->machine) > 0)
        own_break(routing, "a kernel begins while packets are under way");
    else
        tessellation_make(tessellation, routing->routing->set->mesh, tiles, &routing->failure);
    routing->is_asking = own_status(routing) == MESHCAST_OK;
    return routing->is_asking;
}

static enum meshcast_status end(struct meshcast_routing *routing, struct tessellation *tessellation,
                                bool has_begun)
{
    tessellation_free(tessellation);
    if (!has_begun)
        return own_status(routing);
    routing->is_asking = false;
    return own_agree(routing);
}

/* ---- kernels ---- */

enum meshcast_status meshcast_sort(struct meshcast_routing *routing, const char *name,
                                   uint64_t tiles)
{
    struct tessellation tessellation = {0};
    bool has_begun = begin(routing, name, tiles, &tessellation);
    if (has_begun) {
        struct sort_plan plan = {.tiles = &tessellation};
        look_at_all(routing, &(struct demand){.tiles = &tessellation, .most = 1});
        if (own_agree(routing) == MESHCAST_OK) {
            machine_begin_phase(routing->routing->machine, name);
            sort_tiles(routing->routing->machine, &plan, &routing->failure);
        }
    }
    return end(routing, &tessellation, has_begun);
}

enum meshcast_status meshcast_prefix(struct meshcast_routing *routing, const char *name,
                                     uint64_t tiles, uint64_t *value, uint64_t identity,
                                     uint64_t (*combine)(uint64_t before, uint64_t after))
{
    struct tessellation tessellation = {0};
    bool has_begun = begin(routing, name, tiles, &tessellation);
    if (has_begun) {
        struct prefix_operator operation = {identity, combine};
        struct prefix_items items = {.operation = &operation, .count = 1, .value = value};
        if (value == NULL || combine == NULL) {
            own_break(routing, "a prefix computation without values or an operation");
        } else {
            machine_begin_phase(routing->routing->machine, name);
            prefix_snake(routing->routing->machine, &tessellation, &items, &routing->failure);
        }
    }
    return end(routing, &tessellation, has_begun);
}

enum { MOST_PACKETS = 12 }; /* a node, where packets have targets of their own */

static void route_packets(struct meshcast_routing *routing, const struct unicast_plan *plan)
{
    struct demand demand = {.tiles = plan->tiles, .most = plan->k};
    demand.arrives =
        memory_allocate(mesh_nodes(routing->routing->set->mesh), sizeof *demand.arrives);
    if (demand.arrives == NULL)
        fail_memory(&routing->failure, "the targets of packets");
    else
        look_at_all(routing, &demand);
    free(demand.arrives);
    if (own_status(routing) != MESHCAST_OK)
        return;
    if (plan->k == 1)
        unicast_blocks(routing->routing->machine, plan, MOST_PACKETS, &routing->failure);
    else
        unicast_spread(routing->routing->machine, plan, &routing->failure);
}

enum meshcast_status meshcast_route_packets(struct meshcast_routing *routing, const char *name,
                                            uint64_t tiles, uint32_t k)
{
    enum { MOST_WAVES = 1024 };
    struct tessellation tessellation = {0};
    bool has_begun = begin(routing, name, tiles, &tessellation);
    if (has_begun) {
        struct unicast_plan plan = {
            .tiles = &tessellation, .name = name, .k = k, .seed = routing->routing->options->seed};
        struct row_range rows = machine_rows(routing->routing->machine);
        if (rows.end - rows.first < routing->routing->set->mesh.rows)
            own_break(routing, "meshcast_route_packets() does not run on several ranks");
        else if (k == 0 || k > MOST_WAVES)
            own_break(routing, "packets are routed %u a node; expected 1 to %d", k, MOST_WAVES);
        else
            route_packets(routing, &plan);
    }
    return end(routing, &tessellation, has_begun);
}
