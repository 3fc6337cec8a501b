/* migrate_scene.c - demands on a migration, and what must come of them, by brute force. */
#include "test/primitives/migrate_scene.h"

#include <check.h>
#include <stdlib.h>

/* ---- what the packets want ---- */

static node_place random_place(const struct scene *scene, struct pcg32 *random)
{
    return place_of(pcg32_below(random, scene->shape.rows), pcg32_below(random, scene->shape.cols));
}

/* Anywhere on the mesh, some slots without a destination, a tenth of the nodes without a packet. */
uint32_t demand_anywhere(const struct scene *scene, struct pcg32 *random, struct site site,
                         node_place *place)
{
    uint32_t count = pcg32_below(random, 10) == 0 ? 0 : 1 + pcg32_below(random, 12);
    (void)site;
    for (uint32_t i = 0; i < count; i++)
        place[i] = pcg32_below(random, 9) == 0 ? MACHINE_NO_PLACE : random_place(scene, random);
    return count;
}

/* Few packets, each with one destination. */
uint32_t demand_few(const struct scene *scene, struct pcg32 *random, struct site site,
                    node_place *place)
{
    (void)site;
    place[0] = random_place(scene, random);
    return pcg32_below(random, 6) == 0;
}

/* The first node of every block: the first packets of the snake are selected everywhere. */
uint32_t demand_everywhere(const struct scene *scene, struct pcg32 *random, struct site site,
                           node_place *place)
{
    const struct axis *row = &scene->blocks.row, *col = &scene->blocks.col;
    uint32_t count = 0;
    (void)random;
    (void)site;
    for (uint32_t y = 0; y < axis_intervals(row); y++)
        for (uint32_t x = 0; x < axis_intervals(col) && count < MOST_DEGREE; x++)
            place[count++] = place_of(row->cut[y], col->cut[x]);
    return count;
}

/* All want the corner of the mesh. */
uint32_t demand_corner(const struct scene *scene, struct pcg32 *random, struct site site,
                       node_place *place)
{
    (void)random;
    (void)site;
    place[0] = place_of(scene->shape.rows - 1, scene->shape.cols - 1);
    return 1;
}

/* Packets of the first rows want random blocks, so that ranks differ from block to block; then the
 * last row wants all: its packets fill the same columns of many blocks. */
uint32_t demand_last_row(const struct scene *scene, struct pcg32 *random, struct site site,
                         node_place *place)
{
    if (site.row + 1 == scene->shape.rows)
        return demand_everywhere(scene, random, site, place);
    place[0] = random_place(scene, random);
    return pcg32_below(random, scene->shape.rows) == 0;
}

/* Every packet wants a random share of all blocks. */
uint32_t demand_shares(const struct scene *scene, struct pcg32 *random, struct site site,
                       node_place *place)
{
    node_place all[MOST_DEGREE];
    uint32_t count = 0, blocks = demand_everywhere(scene, random, site, all);
    uint32_t share = pcg32_below(random, blocks + 1);
    for (uint32_t i = 0; i < blocks; i++)
        if (pcg32_below(random, blocks) < share)
            place[count++] = all[i];
    return count;
}

/* ---- a run ---- */

static uint32_t tile_number(const struct tessellation *tiles, node_place place)
{
    return tiles->row.tile[place_row(place)] * axis_intervals(&tiles->col) +
           tiles->col.tile[place_col(place)];
}

static void inject(struct scene *scene, node_index node, uint32_t count, const node_place *place)
{
    struct headers *header = machine_headers(scene->run.machine);
    node_index elsewhere[MOST_DEGREE]; /* nothing may be delivered at once */
    for (uint32_t i = 0; i < count; i++)
        elsewhere[i] = node == 0;
    ck_assert_uint_ne(run_inject(&scene->run, node, count, elsewhere, false, NULL), MACHINE_NONE);
    for (uint32_t i = 0; i < count; i++) {
        header->destination[scene->slots + i] = scene->destination[scene->slots + i] = place[i];
        if (place[i] != MACHINE_NO_PLACE)
            scene->wants[node][tile_number(&scene->blocks, place[i])] = true;
    }
    scene->slots += count;
}

static uint32_t column_of_region(const struct scene *scene, uint32_t col)
{
    const struct axis *cols = &scene->regions.col;
    return col - cols->cut[cols->tile[col]];
}

struct scene *scene_make(struct shape shape, struct migration_plan plan, bool copy_is_free,
                         uint32_t buffer)
{
    struct scene *scene = calloc(1, sizeof *scene);
    struct mesh mesh = {shape.rows, shape.cols};
    scene->shape = shape;
    scene->nodes = mesh_nodes(mesh);
    ck_assert_uint_le(scene->nodes, MOST_NODES);
    run_start(&scene->run, shape.rows, shape.cols,
              (struct machine_config){.slots = MOST_NODES * MOST_DEGREE,
                                      .buffer = buffer,
                                      .threads = shape.rows == 9 ? 2 : 1,
                                      .copy_is_free = copy_is_free});
    ck_assert_int_eq(tessellation_make(&scene->regions, mesh, shape.regions, NULL), FAIL_NONE);
    ck_assert_int_eq(tessellation_make(&scene->blocks, mesh, shape.blocks, NULL), FAIL_NONE);
    plan.regions = &scene->regions;
    plan.blocks = &scene->blocks;
    scene->plan = plan;
    return scene;
}

void scene_fill(struct scene *scene, demand demands, uint64_t seed, node_index without)
{
    for (node_index node = 0; node < scene->nodes; node++) {
        node_place place[MOST_DEGREE];
        struct pcg32 random = pcg32_seed(seed, node);
        struct site site = machine_site(scene->run.machine, node);
        uint32_t count = demands(scene, &random, site, place);
        if (scene->most_col > 0 && column_of_region(scene, site.col) >= scene->most_col)
            count = 0;
        scene->first[node] = scene->slots;
        scene->count[node] = node == without ? 0 : count;
        if (scene->count[node] > 0) {
            inject(scene, node, count, place);
        } else { /* so that the other packets keep their names */
            scene->slots += count;
            scene->run.slots += count;
        }
    }
}

void scene_free(struct scene *scene)
{
    tessellation_free(&scene->regions);
    tessellation_free(&scene->blocks);
    run_end(&scene->run);
    free(scene);
}

/* ---- the oracle ---- */

/* A node's number in the snake of its tile, and the number of the tile's nodes. */
static uint32_t number_in(const struct tessellation *tiles, node_place place, uint32_t *area)
{
    const struct axis *row = &tiles->row, *col = &tiles->col;
    uint32_t y = row->tile[place_row(place)], x = col->tile[place_col(place)];
    uint32_t width = col->cut[x + 1] - col->cut[x];
    uint32_t down = place_row(place) - row->cut[y], across = place_col(place) - col->cut[x];
    *area = width * (row->cut[y + 1] - row->cut[y]);
    return down * width + (down % 2 == 0 ? across : width - 1 - across);
}

/* The rank of the packet of `node` among those of its region that want the block. */
static uint32_t brute_rank(const struct scene *scene, node_index node, uint32_t block)
{
    uint32_t rank = 0, area;
    node_place here = site_place(machine_site(scene->run.machine, node));
    for (node_index other = 0; other < scene->nodes; other++) {
        node_place there = site_place(machine_site(scene->run.machine, other));
        rank +=
            tile_number(&scene->regions, there) == tile_number(&scene->regions, here) &&
            number_in(&scene->regions, there, &area) < number_in(&scene->regions, here, &area) &&
            scene->wants[other][block];
    }
    return rank;
}

/* Where the copy of `node`'s packet for a destination must be: *instance and the number in the
 * block; false if it stays. */
static bool is_selected(const struct scene *scene, node_index node, node_place destination,
                        uint32_t *instance, uint32_t *number)
{
    node_place here = site_place(machine_site(scene->run.machine, node));
    uint32_t area;
    bool visits = scene->plan.visit_of != NULL; /* all regions */
    if (destination == MACHINE_NO_PLACE || (!visits && tile_number(&scene->regions, destination) !=
                                                           tile_number(&scene->regions, here)))
        return false;
    number_in(&scene->blocks, destination, &area);
    uint32_t rank = brute_rank(scene, node, tile_number(&scene->blocks, destination));
    *instance = rank / area;
    *number = rank % area;
    return *instance < scene->plan.instances;
}

/* The source of the message that a packet carries. */
static node_index source_of(const struct scene *scene, uint32_t packet)
{
    uint32_t message = machine_headers(scene->run.machine)->packet[packet].message;
    node_index node = 0;
    while (scene->count[node] == 0 || message < scene->first[node] ||
           message >= scene->first[node] + scene->count[node])
        node++;
    return node;
}

static uint32_t times(const node_place *place, uint32_t count, node_place wanted)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += place[i] == wanted;
    return found;
}

/* A copy: all of its packet's destinations in one block, at the node of its rank. A bit of
 * *instances for the one that it belongs to. */
static void check_copy(const struct scene *scene, struct site site, uint32_t packet,
                       uint32_t *instances)
{
    const struct headers *header = machine_headers(scene->run.machine);
    node_index source = source_of(scene, packet);
    const node_place *before = scene->destination + scene->first[source];
    const node_place *now = header->destination + header->packet[packet].first;
    uint32_t count = packet - header->packet[packet].first + 1, in_block = 0, area, instance,
             number;
    ck_assert(is_selected(scene, source, now[0], &instance, &number));
    uint32_t block = tile_number(&scene->blocks, now[0]);
    ck_assert_uint_eq(tile_number(&scene->blocks, site_place(site)), block);
    ck_assert_uint_eq(number_in(&scene->blocks, site_place(site), &area), number);
    ck_assert_uint_eq(*instances >> instance & 1, 0); /* one a node and instance */
    *instances |= 1u << instance;
    for (uint32_t i = 0; i < scene->count[source]; i++) {
        if (before[i] == MACHINE_NO_PLACE || tile_number(&scene->blocks, before[i]) != block)
            continue;
        in_block++;
        ck_assert_uint_eq(times(before, scene->count[source], before[i]),
                          times(now, count, before[i]));
    }
    ck_assert_uint_eq(count, in_block);
}

/* What stays: nothing that is selected, at its own node. */
static void check_master(const struct scene *scene, struct site site, uint32_t packet)
{
    const struct headers *header = machine_headers(scene->run.machine);
    uint32_t instance, number;
    ck_assert_uint_eq(source_of(scene, packet), site.index);
    for (uint32_t slot = header->packet[packet].first; slot <= packet; slot++)
        ck_assert(!is_selected(scene, site.index, header->destination[slot], &instance, &number));
}

/* No slot is lost, so every selected destination went with a copy. */
void scene_check(const struct scene *scene)
{
    struct machine *machine = scene->run.machine;
    const struct headers *header = machine_headers(machine);
    uint32_t slots = 0;
    for (node_index node = 0; node < scene->nodes; node++) {
        uint32_t instances = 0, masters = 0;
        struct site site = machine_site(machine, node);
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet)) {
            slots += packet - header->packet[packet].first + 1;
            if (header->packet[packet].state & MIGRATE_IS_COPY) {
                check_copy(scene, site, packet, &instances);
            } else {
                check_master(scene, site, packet);
                masters++;
            }
        }
        ck_assert_uint_le(masters, 1);
        slots -= scene->count[node];
    }
    ck_assert_uint_eq(slots, 0);
    ck_assert_uint_eq(machine_travelling(machine), 0);
}

/* The visit at which a packet from `source` comes to the region of `place`. */
static uint32_t visit_of(const struct scene *scene, node_index source, node_place place)
{
    const uint32_t *region = scene->regions.col.tile, count = axis_intervals(&scene->regions.col);
    return (region[place_col(place)] + count - region[source % scene->shape.cols]) % count;
}

void scene_check_visit(const struct scene *scene)
{
    struct machine *machine = scene->run.machine;
    const struct headers *header = machine_headers(machine);
    uint32_t found = 0, instance, number;
    for (node_index node = 0; node < scene->nodes; node++) {
        uint32_t instances = 0;
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet)) {
            node_index source = source_of(scene, packet);
            const node_place *place = header->destination + header->packet[packet].first;
            uint32_t count = packet - header->packet[packet].first + 1;
            bool is_copy = header->packet[packet].state & MIGRATE_IS_COPY;
            found += count;
            if (is_copy) {
                check_copy(scene, machine_site(machine, node), packet, &instances);
                ck_assert_uint_eq(visit_of(scene, source, place[0]), scene->visit);
            }
            for (uint32_t i = 0; !is_copy && i < count; i++)
                ck_assert(!is_selected(scene, source, place[i], &instance, &number) ||
                          visit_of(scene, source, place[i]) > scene->visit);
        }
    }
    for (node_index node = 0; node < scene->nodes; node++) /* none is lost */
        for (uint32_t i = 0; i < scene->count[node]; i++) {
            node_place place = scene->destination[scene->first[node] + i];
            bool is_over = is_selected(scene, node, place, &instance, &number) &&
                           visit_of(scene, node, place) < scene->visit;
            found += is_over;
            found--;
        }
    ck_assert_uint_eq(found, 0);
}
