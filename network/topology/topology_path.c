/* topology_path.c - a Hamiltonian path of what remains of a broken mesh or torus, for labels.
 *
 * It is proven that there is none if live nodes are cut off, if three nodes have one link, or if no
 * ring is odd and the colours of the chessboard, which alternate along a path, differ by two nodes
 * or more; and on up to SMALL nodes by a search of all paths.
 * Method: a cover of paths, at first the pieces of the snake (topology.c). In each step a random
 * end of a path is joined to a random neighbour. If that is another path's end, there is a path
 * less; else the neighbour's old link is cut, so that the node beyond it becomes an end. In the
 * end's own path that must be the link on the end's side.
 * Cost: O(nodes) per step, at most MOST_WALKED hops along paths in all, half a second; 21 bytes per
 * node.
 */
#include "network/topology/topology.h"

#include "base/pcg.h"

#include <stdlib.h>

enum { SMALL = 24, MOST_TRIED = 1 << 20, MOST_WALKED = 1 << 27, NONE = TOPOLOGY_NO_NODE };

struct cover {
    const struct topology *topology;
    uint32_t (*beside)[2]; /* [nodes] the neighbours on the node's path, NONE where there is none */
    uint32_t paths;
    uint64_t walked;
};

static bool joins(const struct topology *topology, uint32_t one, uint32_t other)
{
    return topology_port_to(topology, one, other) != UINT32_MAX &&
           topology_port_to(topology, other, one) != UINT32_MAX;
}

static bool is_live(const struct topology *topology, uint32_t node)
{
    return topology->part[node] != NONE;
}

/* ---- proofs that there is none ---- */

static bool has_odd_ring(const struct topology *topology)
{
    bool is_odd = false;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++)
        is_odd |= topology->shape.size[i] % 2 == 1 && topology->shape.size[i] > 1;
    return is_odd && topology->shape.kind == TOPOLOGY_TORUS;
}

/* Returns why there is no path, or NULL. */
static const char *find_proof(const struct topology *topology)
{
    int64_t excess = 0;
    uint32_t leaves = 0;
    if (topology->main_nodes + topology->dead_nodes < topology->nodes)
        return "there is none, since nodes are cut off";
    for (uint32_t node = 0; node < topology->nodes; node++) {
        uint32_t sum = 0, links = 0;
        if (!is_live(topology, node))
            continue;
        for (uint32_t i = 0; i < topology->shape.dimensions; i++)
            sum += topology_coordinate(topology, node, i);
        for (uint32_t port = 0; port < topology_node_ports(topology, node); port++)
            links += joins(topology, node, topology_neighbour(topology, node, port));
        excess += sum % 2 == 0 ? 1 : -1;
        leaves += links == 1;
    }
    if (leaves > 2)
        return "there is none, since three nodes have one link";
    if ((excess < -1 || excess > 1) && !has_odd_ring(topology))
        return "there is none, since colours alternate along it as on a chessboard, and too many "
               "nodes of one colour are dead";
    return NULL;
}

/* ---- all paths of a small mesh ---- */

struct search {
    const struct topology *topology;
    uint32_t node[SMALL], visited, tried;
    bool *is_visited;
};

/* Goes on from the last node; true if the path has all nodes. */
static bool go_on(struct search *search)
{
    const struct topology *topology = search->topology;
    uint32_t last = search->node[search->visited - 1];
    if (search->visited == topology->main_nodes)
        return true;
    for (uint32_t port = 0; port < topology_node_ports(topology, last); port++) {
        uint32_t next = topology_neighbour(topology, last, port);
        if (search->is_visited[next] || !joins(topology, last, next) ||
            search->tried++ >= MOST_TRIED)
            continue;
        search->is_visited[next] = true;
        search->node[search->visited++] = next;
        if (go_on(search))
            return true;
        search->visited--;
        search->is_visited[next] = false;
    }
    return false;
}

/* ---- covers of a larger mesh ---- */

static void link_nodes(struct cover *cover, uint32_t one, uint32_t other)
{
    cover->beside[one][cover->beside[one][0] != NONE] = other;
    cover->beside[other][cover->beside[other][0] != NONE] = one;
    cover->paths--;
}

static void cut(struct cover *cover, uint32_t one, uint32_t other)
{
    cover->beside[one][cover->beside[one][0] != other] = NONE;
    cover->beside[other][cover->beside[other][0] != one] = NONE;
    cover->paths++;
}

static bool is_end(const struct cover *cover, uint32_t node)
{
    return cover->beside[node][0] == NONE || cover->beside[node][1] == NONE;
}

/* Returns the node before `node` on the path from the end `from`; NONE: it is on another path. */
static uint32_t find_before(struct cover *cover, uint32_t from, uint32_t node)
{
    uint32_t before = NONE, at = from;
    while (at != NONE && at != node) {
        const uint32_t *beside = cover->beside[at];
        uint32_t next = beside[0] != NONE && beside[0] != before ? beside[0] : beside[1];
        next = next == before ? NONE : next;
        before = at;
        at = next;
        cover->walked++;
    }
    return at == node ? before : NONE;
}

/* Joins an end to a neighbour, and cuts the neighbour's path where it must. */
static void join(struct cover *cover, uint32_t end, uint32_t node, struct pcg32 *random)
{
    uint32_t before = find_before(cover, end, node);
    if (before == end)
        return; /* they are beside each other */
    if (before != NONE)
        cut(cover, node, before);
    else if (!is_end(cover, node))
        cut(cover, node, cover->beside[node][pcg32_below(random, 2)]);
    link_nodes(cover, end, node);
}

static void lay_snake(struct cover *cover, const uint32_t *at_label)
{
    const struct topology *topology = cover->topology;
    for (uint32_t node = 0; node < topology->nodes; node++) {
        cover->beside[node][0] = cover->beside[node][1] = NONE;
        cover->paths += is_live(topology, node);
    }
    for (uint32_t label = 0; label + 1 < topology->nodes; label++)
        if (joins(topology, at_label[label], at_label[label + 1]))
            link_nodes(cover, at_label[label], at_label[label + 1]);
}

/* Joins ends until one path is left; false: it took too long. */
static bool unite(struct cover *cover)
{
    const struct topology *topology = cover->topology;
    struct pcg32 random = pcg32_seed(0, 0x70617468);
    while (cover->paths > 1 && cover->walked < MOST_WALKED) {
        uint32_t end = pcg32_below(&random, topology->nodes);
        cover->walked++;
        if (!is_live(topology, end) || !is_end(cover, end))
            continue;
        uint32_t port = pcg32_below(&random, topology_node_ports(topology, end));
        uint32_t node = topology_neighbour(topology, end, port);
        if (joins(topology, end, node))
            join(cover, end, node, &random);
    }
    return cover->paths == 1;
}

/* Labels the nodes along the one path, from its lesser end. */
static void label_path(const struct cover *cover, uint32_t *label)
{
    uint32_t at = 0, before = NONE;
    while (!is_live(cover->topology, at) || !is_end(cover, at))
        at++;
    for (uint32_t next = 0; at != NONE;) {
        const uint32_t *beside = cover->beside[at];
        uint32_t beyond = beside[0] != NONE && beside[0] != before ? beside[0] : beside[1];
        label[at] = next++;
        beyond = beyond == before ? NONE : beyond;
        before = at;
        at = beyond;
    }
}

/* ---- both ---- */

/* Searches all paths from each node. *is_all: all were tried. */
static bool find_small(const struct topology *topology, bool *is_visited, uint32_t *label,
                       bool *is_all)
{
    struct search search = {.topology = topology, .is_visited = is_visited};
    bool is_found = false;
    for (uint32_t node = 0; node < topology->nodes && !is_found; node++) {
        if (!is_live(topology, node))
            continue;
        search.node[0] = node;
        search.visited = 1;
        is_visited[node] = true;
        is_found = go_on(&search);
        is_visited[node] = false;
    }
    for (uint32_t i = 0; is_found && i < search.visited; i++)
        label[search.node[i]] = i;
    *is_all = search.tried < MOST_TRIED;
    return is_found;
}

static bool find_large(const struct topology *topology, uint32_t *at_label, uint32_t (*beside)[2],
                       uint32_t *label)
{
    struct cover cover = {.topology = topology, .beside = beside};
    const struct topology whole = topology_of_shape(&topology->shape);
    for (uint32_t node = 0; node < topology->nodes; node++)
        at_label[topology_label(&whole, node)] = node;
    lay_snake(&cover, at_label);
    bool is_found = unite(&cover);
    if (is_found)
        label_path(&cover, label);
    return is_found;
}

enum failure_kind topology_find_path(struct topology *topology, struct failure *failure)
{
    static const char none[] = "there is none, as a search of all paths shows";
    topology->no_path = find_proof(topology);
    if (topology->no_path != NULL)
        return FAIL_NONE;
    size_t nodes = topology->nodes;
    bool *is_visited = memory_allocate(nodes, sizeof *is_visited), is_all = false, is_found = false;
    uint32_t *at_label = memory_allocate(nodes, sizeof *at_label);
    uint32_t(*beside)[2] = memory_allocate(nodes, sizeof *beside);
    uint32_t *label = memory_allocate(nodes, sizeof *label);
    bool has_memory = is_visited != NULL && at_label != NULL && beside != NULL && label != NULL;
    if (has_memory && topology->main_nodes <= SMALL)
        is_found = find_small(topology, is_visited, label, &is_all);
    else if (has_memory)
        is_found = find_large(topology, at_label, beside, label);
    topology->no_path = is_found ? NULL : is_all ? none : "none was found, though there may be one";
    topology->label = is_found ? label : NULL;
    if (!is_found)
        free(label);
    free(is_visited);
    free(at_label);
    free(beside);
    return has_memory ? FAIL_NONE : fail_memory(failure, "a Hamiltonian path");
}
