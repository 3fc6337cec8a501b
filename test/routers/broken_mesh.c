/* broken_mesh.c - broken meshes in their plainest form: all searches go on in rounds over all links
 * until nothing changes. */
#include "test/routers/broken_mesh.h"

#include <stdio.h>
#include <string.h>

static uint32_t neighbour(const struct broken_mesh *broken, uint32_t node, enum direction d)
{
    uint32_t cols = broken->mesh.cols, row = node / cols, col = node % cols;
    const bool is_edge[] = {row == 0, row + 1 == broken->mesh.rows, col == 0, col + 1 == cols};
    const uint32_t to[] = {node - cols, node + cols, node - 1, node + 1};
    return is_edge[d] ? BROKEN_NOWHERE : to[d];
}

enum direction broken_mesh_direction(const struct broken_mesh *broken, uint32_t from, uint32_t to)
{
    enum direction d = NORTH;
    while (neighbour(broken, from, d) != to)
        d++;
    return d;
}

static bool is_joined(const struct broken_mesh *broken, uint32_t node, enum direction d)
{
    return broken->has_link[node][d] &&
           broken->has_link[neighbour(broken, node, d)][direction_opposite(d)];
}

/* Gives each node the least node of its part as its root, or with `greatest` the greatest. */
static void find_roots(const struct broken_mesh *broken, bool greatest, uint32_t root[BROKEN_NODES])
{
    bool has_changed = true;
    for (uint32_t node = 0; node < broken->nodes; node++)
        root[node] = node;
    while (has_changed) {
        has_changed = false;
        for (uint32_t node = 0; node < broken->nodes; node++)
            for (enum direction d = 0; d < DIRECTIONS; d++) {
                uint32_t other =
                    is_joined(broken, node, d) ? root[neighbour(broken, node, d)] : root[node];
                if (greatest ? other > root[node] : other < root[node]) {
                    root[node] = other;
                    has_changed = true;
                }
            }
    }
}

static void find_levels(struct broken_mesh *broken, bool greatest)
{
    uint32_t root[BROKEN_NODES], *level = broken->level[greatest];
    find_roots(broken, greatest, root);
    for (uint32_t node = 0; node < broken->nodes; node++)
        level[node] = root[node] == node ? 0 : BROKEN_NODES;
    for (uint32_t round = 0; round < broken->nodes; round++)
        for (uint32_t node = 0; node < broken->nodes; node++)
            for (enum direction d = 0; d < DIRECTIONS; d++)
                if (is_joined(broken, node, d) &&
                    level[neighbour(broken, node, d)] + 1 < level[node])
                    level[node] = level[neighbour(broken, node, d)] + 1;
}

static void find_main(struct broken_mesh *broken)
{
    uint32_t root[BROKEN_NODES], size[BROKEN_NODES] = {0}, best = 0;
    find_roots(broken, false, root);
    for (uint32_t node = 0; node < broken->nodes; node++)
        size[root[node]] += !broken->is_dead[node];
    for (uint32_t node = 0; node < broken->nodes; node++)
        best = size[node] > size[best] ? node : best;
    broken->main_nodes = 0;
    for (uint32_t node = 0; node < broken->nodes; node++)
        if (root[node] == best && !broken->is_dead[node])
            broken->main[broken->main_nodes++] = node;
}

/* Removes nodes and links, some in one direction; returns 0 if it removed none. */
static uint32_t take_out(struct broken_mesh *broken, uint32_t one_in, struct pcg32 *random)
{
    uint32_t missing = 0;
    for (uint32_t node = 0; node < broken->nodes; node++)
        broken->is_dead[node] = pcg32_below(random, 14) == 0;
    for (uint32_t node = 0; node < broken->nodes; node++)
        for (enum direction d = 0; d < DIRECTIONS; d++) {
            uint32_t to = neighbour(broken, node, d);
            if (to == BROKEN_NOWHERE || !broken->has_link[node][d])
                continue;
            bool is_out = pcg32_below(random, one_in) == 0, is_apart = pcg32_below(random, 2) == 0;
            bool dies = broken->is_dead[node] || broken->is_dead[to];
            broken->has_link[node][d] = !is_out && !dies;
            if ((is_out && is_apart) || dies)
                broken->has_link[to][direction_opposite(d)] = false;
            missing += is_out || dies;
        }
    return missing;
}

void broken_mesh_draw(struct broken_mesh *broken, struct mesh mesh, bool is_whole,
                      struct pcg32 *random)
{
    uint32_t missing;
    do {
        *broken = (struct broken_mesh){.mesh = mesh, .nodes = mesh_nodes(mesh)};
        for (uint32_t node = 0; node < broken->nodes; node++)
            for (enum direction d = 0; d < DIRECTIONS; d++)
                broken->has_link[node][d] = neighbour(broken, node, d) != BROKEN_NOWHERE;
        missing = is_whole ? 1 : take_out(broken, 4 + pcg32_below(random, 12), random);
        find_main(broken);
    } while (missing == 0 || broken->main_nodes < 2);
    find_levels(broken, false);
    find_levels(broken, true);
}

void broken_mesh_write(const struct broken_mesh *broken, char path[TEMPORARY_PATH])
{
    FILE *file = temporary_file(path);
    for (uint32_t node = 0; node < broken->nodes; node++) {
        if (broken->is_dead[node])
            fprintf(file, "node %u\n", node);
        for (enum direction d = 0; d < DIRECTIONS; d++) {
            uint32_t to = neighbour(broken, node, d);
            if (to != BROKEN_NOWHERE && !broken->has_link[node][d] && !broken->is_dead[node] &&
                !broken->is_dead[to])
                fprintf(file, "link %u>%u\n", node, to);
        }
    }
    fclose(file);
}

void broken_mesh_cut(const struct broken_mesh *broken, struct model *model)
{
    for (uint32_t node = 0; node < broken->nodes; node++)
        for (enum direction d = 0; d < DIRECTIONS; d++)
            if (!broken->has_link[node][d])
                model->node[node].link[d].to = NULL;
}

/* ---- paths ---- */

/* Returns a number that decides between equally short paths: the larger one wins. */
static uint32_t preference(uint32_t source, uint32_t from, uint32_t to)
{
    uint64_t x = ((uint64_t)source << 32) ^ ((uint64_t)from << 16) ^ to;
    x *= 11400714819323198485u;
    x = (x ^ (x >> 29)) * 13787848793156543929u;
    return (uint32_t)(x >> 33);
}

static bool leads_up(const struct broken_mesh *broken, unsigned class, uint32_t from, uint32_t to)
{
    const uint32_t *level = broken->level[class];
    return level[to] != level[from] ? level[to] < level[from] : to < from;
}

/* Lengthens paths by links of one kind, in rounds, to nodes that are not `fixed`. */
static void relax(const struct broken_mesh *broken, const bool allows[BROKEN_NODES][DIRECTIONS],
                  const bool fixed[BROKEN_NODES], uint32_t source, struct broken_paths *paths)
{
    for (uint32_t round = 0; round < broken->nodes; round++)
        for (uint32_t from = 0; from < broken->nodes; from++)
            for (enum direction d = 0; d < DIRECTIONS; d++) {
                uint32_t to = neighbour(broken, from, d);
                if (paths->links[from] == BROKEN_NOWHERE || !broken->has_link[from][d] ||
                    !allows[from][d] || fixed[to] || to == source)
                    continue;
                uint32_t links = paths->links[from] + 1;
                bool ties =
                    links == paths->links[to] &&
                    preference(source, from, to) > preference(source, paths->before[to], to);
                if (links < paths->links[to] || ties) {
                    paths->links[to] = links;
                    paths->before[to] = from;
                }
            }
}

void broken_mesh_paths(const struct broken_mesh *broken, enum broken_kind kind, unsigned class,
                       uint32_t source, struct broken_paths *paths)
{
    bool up[BROKEN_NODES][DIRECTIONS], down[BROKEN_NODES][DIRECTIONS],
        fixed[BROKEN_NODES] = {false};
    memset(paths, 0xff, sizeof *paths);
    paths->links[source] = 0;
    for (uint32_t from = 0; from < broken->nodes; from++)
        for (enum direction d = 0; d < DIRECTIONS; d++) {
            bool is_up = broken->has_link[from][d] &&
                         leads_up(broken, class, from, neighbour(broken, from, d));
            up[from][d] = kind == BROKEN_SHORTEST || is_up;
            down[from][d] = !is_up;
        }
    relax(broken, up, fixed, source, paths);
    if (kind == BROKEN_SHORTEST)
        return;
    for (uint32_t node = 0; node < broken->nodes; node++)
        fixed[node] = paths->links[node] != BROKEN_NOWHERE;
    relax(broken, down, fixed, source, paths);
}
