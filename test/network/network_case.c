/* network_case.c - random small networks with random messages, for tests. */
#include "test/network/network_case.h"

#include "test/topology/broken_case.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- routings ---- */

static uint32_t one_class(const struct topology *topology)
{
    (void)topology;
    return 1;
}

static uint32_t two_classes(const struct topology *topology)
{
    (void)topology;
    return 2;
}

/* Lists the ports that lead nearer, from a port on that depends on the node. */
static uint32_t nearer_ports(const struct topology *topology, uint32_t node, uint32_t target,
                             uint32_t port[ROUTING_CHOICES])
{
    uint32_t count = 0, ports = topology_node_ports(topology, node);
    uint32_t distance = topology_distance(topology, node, target);
    for (uint32_t i = 0; i < ports && count < ROUTING_CHOICES; i++) {
        uint32_t p = (i + node) % ports, next = topology_neighbour(topology, node, p);
        if (next != TOPOLOGY_NO_NODE && topology_distance(topology, next, target) < distance)
            port[count++] = p;
    }
    return count;
}

static uint32_t next_any(const struct topology *topology, uint32_t node, uint32_t target,
                         struct routing_choice choice[ROUTING_CHOICES])
{
    uint32_t port[ROUTING_CHOICES], count = nearer_ports(topology, node, target, port);
    for (uint32_t i = 0; i < count; i++)
        choice[i] = (struct routing_choice){.port = port[i], .class = 0};
    return count;
}

static uint32_t next_by_side(const struct topology *topology, uint32_t node, uint32_t target,
                             struct routing_choice choice[ROUTING_CHOICES])
{
    uint32_t count = next_any(topology, node, target, choice);
    for (uint32_t i = 0; i < count; i++)
        choice[i].class = node < target;
    return count;
}

static uint32_t next_with_classes(const struct topology *topology, uint32_t node, uint32_t target,
                                  struct routing_choice choice[ROUTING_CHOICES])
{
    uint32_t port[ROUTING_CHOICES], all = nearer_ports(topology, node, target, port), count = 0;
    for (uint32_t i = 0; i < all && count + 2 <= ROUTING_CHOICES; i++) {
        choice[count++] = (struct routing_choice){.port = port[i], .class = 1};
        choice[count++] = (struct routing_choice){.port = port[i], .class = 0};
    }
    return count;
}

#define NEARER(word, how_many, how)                                                                \
    {                                                                                              \
        .name = word, .runs_on = "every topology", .classes = how_many, .next = how                \
    }

const struct routing nearer_any = NEARER("nearer-any", one_class, next_any);
const struct routing nearer_by_side = NEARER("nearer-by-side", two_classes, next_by_side);
const struct routing nearer_with_classes =
    NEARER("nearer-with-classes", two_classes, next_with_classes);

/* ---- topologies ---- */

void network_case_graph(struct network_case *c, uint32_t nodes, uint32_t more_edges,
                        struct pcg32 *random)
{
    bool is_edge[CASE_NODES][CASE_NODES] = {{false}};
    for (uint32_t i = 0; i + 1 < nodes; i++)
        is_edge[i][i + 1] = is_edge[i + 1][i] = true;
    for (uint32_t i = 0; i < more_edges; i++) {
        uint32_t u = pcg32_below(random, nodes), v = pcg32_below(random, nodes);
        is_edge[u][v] = is_edge[v][u] = u != v;
    }
    struct topology *t = &c->topology;
    *t = (struct topology){.nodes = nodes, .stride = {1}};
    t->shape = (struct shape){.kind = TOPOLOGY_GRAPH, .dimensions = 1, .size = {nodes}};
    for (uint32_t u = 0; u < nodes; u++) {
        c->offset[u] = t->links;
        for (uint32_t v = 0; v < nodes; v++)
            if (is_edge[u][v]) {
                assert(t->links < CASE_LINKS);
                c->neighbour[t->links++] = v;
            }
        if (t->links - c->offset[u] > t->ports)
            t->ports = (uint32_t)(t->links - c->offset[u]);
    }
    c->offset[nodes] = t->links;
    t->offset = c->offset;
    t->neighbour = c->neighbour;
}

/* Takes links out, but not so many that nodes are cut off; the arrays become those of the case. */
static void break_some(struct network_case *c, struct pcg32 *random)
{
    struct topology broken = c->topology;
    if (broken_case(&broken, 0, 8, random) && broken.main_nodes == broken.nodes) {
        assert(broken.links <= CASE_LINKS);
        memcpy(c->offset, broken.offset, (broken.nodes + 1) * sizeof *c->offset);
        memcpy(c->neighbour, broken.neighbour, broken.links * sizeof *c->neighbour);
        memcpy(c->part, broken.part, broken.nodes * sizeof *c->part);
        c->topology = broken; /* which is freed */
        c->topology.offset = c->offset;
        c->topology.neighbour = c->neighbour;
        c->topology.part = c->part;
        memset(c->topology.level, 0, sizeof c->topology.level);
    }
    topology_free(&broken);
}

static void random_topology(struct network_case *c, struct pcg32 *random)
{
    if (pcg32_below(random, 4) == 0) {
        uint32_t nodes = 1 + pcg32_below(random, 9);
        network_case_graph(c, nodes, pcg32_below(random, 8), random);
        return;
    }
    struct shape shape = {.kind = pcg32_below(random, 2) ? TOPOLOGY_MESH : TOPOLOGY_TORUS};
    shape.dimensions = 1 + pcg32_below(random, 4);
    for (uint32_t i = 0, nodes = 1; i < shape.dimensions; i++) {
        uint32_t most = 16 / nodes;
        shape.size[i] = 1 + pcg32_below(random, most < 6 ? most : 6);
        nodes *= shape.size[i];
    }
    c->topology = topology_of_shape(&shape);
    if (pcg32_below(random, 4) == 0)
        break_some(c, random);
}

/* ---- settings ---- */

static void random_settings(struct network_case *c, uint32_t flits, struct pcg32 *random)
{
    struct network_settings *s = &c->settings;
    uint32_t classes = c->routing->classes(&c->topology);
    *s = (struct network_settings){.threads = 1 + pcg32_below(random, 3)};
    s->switching = pcg32_below(random, SWITCHING_CIRCUIT + (c->topology.has_one_way ? 0 : 1));
    s->vcs = classes + pcg32_below(random, 3);
    s->buffer = 1 + pcg32_below(random, 4);
    if (s->switching == SWITCHING_CUT_THROUGH)
        s->buffer = flits - 1 + s->buffer;
    if (s->switching == SWITCHING_STORE_AND_FORWARD)
        s->buffer = pcg32_below(random, 4) ? 0 : 1 + pcg32_below(random, 12);
    s->consumption = pcg32_below(random, 4);
    s->is_one_port = pcg32_below(random, 3) == 0;
    s->injection = s->is_one_port ? 1 : pcg32_below(random, 4);
    s->startup = pcg32_below(random, 2) ? 0 : pcg32_below(random, 6);
    s->startup_is_per_port = pcg32_below(random, 2);
    s->router_delay = pcg32_below(random, 2) ? 0 : pcg32_below(random, 4);
    s->releases_when_left = s->switching != SWITCHING_STORE_AND_FORWARD && pcg32_below(random, 2);
}

/* ---- plans ---- */

/* The tree of a worm that grows: stops with their parents. */
struct growing {
    uint32_t count;
    uint32_t node[CASE_STOPS], parent[CASE_STOPS], children[CASE_STOPS];
    bool is_destination[CASE_STOPS];
};

/* True if a header at `node` that is bound for both may want one and the same link. */
static bool share_a_link(const struct network_case *c, uint32_t node, uint32_t one, uint32_t other)
{
    struct routing_choice a[ROUTING_CHOICES], b[ROUTING_CHOICES];
    uint32_t as = c->routing->next(&c->topology, node, one, a);
    uint32_t bs = c->routing->next(&c->topology, node, other, b);
    for (uint32_t i = 0; i < as * bs; i++)
        if (a[i / bs].port == b[i % bs].port)
            return true;
    return false;
}

/* True if stop `parent` may get `node` as its next child. */
static bool may_grow(const struct network_case *c, const struct growing *g, uint32_t parent,
                     uint32_t node)
{
    const struct network_settings *s = &c->settings;
    if (g->node[parent] == node)
        return false;
    if (g->children[parent] == 0 || s->switching == SWITCHING_CUT_THROUGH ||
        s->switching == SWITCHING_STORE_AND_FORWARD)
        return true;
    for (uint32_t i = 0; i < g->count; i++)
        if (i > 0 && g->parent[i] == parent && share_a_link(c, g->node[parent], g->node[i], node))
            return false;
    return !s->is_one_port && s->switching != SWITCHING_CIRCUIT;
}

static uint32_t grow(struct growing *g, uint32_t parent, uint32_t node, bool is_destination)
{
    g->node[g->count] = node;
    g->parent[g->count] = parent;
    g->children[g->count] = 0;
    g->is_destination[g->count] = is_destination;
    g->children[parent] += g->count > 0;
    return g->count++;
}

/* Writes stop `at` and those below it, in preorder; returns their number. */
static uint32_t write_stops(const struct growing *g, uint32_t at, struct case_message *m)
{
    uint32_t place = m->plan.stops++, span = 1;
    assert(place < CASE_STOPS);
    for (uint32_t i = at + 1; i < g->count; i++)
        if (g->parent[i] == at)
            span += write_stops(g, i, m);
    m->stop[place] =
        (struct stop){.node = g->node[at], .span = span, .is_destination = g->is_destination[at]};
    return span;
}

/* Adds a worm from `sender` to destinations first .. end - 1 of `list`. */
static void random_worm(const struct network_case *c, struct case_message *m, uint32_t sender,
                        const uint32_t *list, uint32_t first, uint32_t end, struct pcg32 *random)
{
    bool is_tree = pcg32_below(random, 2), has_waypoints = pcg32_below(random, 3) == 0;
    struct growing g = {.count = 0};
    grow(&g, 0, sender, false);
    for (uint32_t d = first, last = 0; d < end; d++) {
        uint32_t parent = is_tree ? pcg32_below(random, g.count) : last;
        uint32_t by = pcg32_below(random, c->topology.nodes);
        if (!may_grow(c, &g, parent, list[d]))
            parent = last;
        if (has_waypoints && by != list[d] && may_grow(c, &g, parent, by))
            parent = grow(&g, parent, by, false);
        if (g.node[parent] == list[d]) { /* a stop on the way was there already */
            g.is_destination[parent] = true;
            last = parent;
        } else {
            last = grow(&g, parent, list[d], true);
        }
    }
    /* The first stop is the sender's own node only where the worm branches there, or now and
     * then. */
    uint32_t root = g.children[0] > 1 || pcg32_below(random, 4) == 0 ? 0 : 1;
    struct worm *worm = &m->worm[m->plan.worms++];
    *worm = (struct worm){.sender = sender, .first = m->plan.stops};
    worm->stops = write_stops(&g, root, m);
}

/* `last` may have got a child meanwhile; a chain goes on from a leaf. */
static void random_plan(const struct network_case *c, struct case_message *m, struct pcg32 *random)
{
    uint32_t list[CASE_NODES], count = m->multicast.destinations;
    memcpy(list, m->destination, sizeof list);
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = pcg32_below(random, i), swap = list[i - 1];
        list[i - 1] = list[j];
        list[j] = swap;
    }
    m->plan = (struct plan){.routing = c->routing};
    for (uint32_t done = 0; done < count;) {
        uint32_t end = done + 1 + pcg32_below(random, 4);
        if (end > count || m->plan.worms + 1 == CASE_WORMS)
            end = count;
        bool other = done > 0 && pcg32_below(random, 2);
        uint32_t sender = other ? list[pcg32_below(random, done)] : m->multicast.source;
        random_worm(c, m, sender, list, done, end, random);
        done = end;
    }
    m->plan.worm_room = CASE_WORMS;
    m->plan.stop_room = CASE_STOPS;
}

static void random_message(const struct network_case *c, struct case_message *m, uint32_t flits,
                           uint32_t created, struct pcg32 *random)
{
    uint32_t nodes = c->topology.nodes, count = 0;
    *m = (struct case_message){.created = created};
    m->posted = pcg32_below(random, 2) ? 0 : pcg32_below(random, created + 1);
    m->multicast.source = pcg32_below(random, nodes);
    uint32_t most = pcg32_below(random, 3) ? 3 : nodes;
    for (uint32_t i = 0; i < nodes; i++)
        if (i != m->multicast.source && count < 12 && pcg32_below(random, nodes) < most)
            m->destination[count++] = i;
    m->multicast.destinations = count;
    m->multicast.flits = 1 + pcg32_below(random, flits);
    random_plan(c, m, random);
}

void network_case_random(struct network_case *c, uint64_t number)
{
    static const struct routing *const routings[] = {
        &nearer_any,      &nearer_by_side,     &nearer_with_classes, &routing_label,
        &routing_x_first, &routing_west_first, &routing_odd_even};
    struct pcg32 random = pcg32_seed(number, 28);
    random_topology(c, &random);
    do
        c->routing = routings[pcg32_below(&random, sizeof routings / sizeof routings[0])];
    while (c->routing->classes(&c->topology) == 0);
    uint32_t flits = 1 + pcg32_below(&random, pcg32_below(&random, 6) ? 6 : 40);
    random_settings(c, flits, &random);
    if (number % 5 == 4 && c->settings.switching != SWITCHING_CUT_THROUGH)
        c->settings.header = number / 5 % 2 == 0 ? STOPS_LISTED : STOPS_MARKED;
    c->settings.flit_bits = 1 + (uint32_t)number % 11;
    c->messages = 1 + pcg32_below(&random, pcg32_below(&random, 4) ? 12 : CASE_MESSAGES);
    /* Sometimes much happens about cycle 256, in which deadlocks are searched for while flits
     * move. */
    uint32_t span = 1 + pcg32_below(&random, pcg32_below(&random, 12) ? 20 : 600);
    uint32_t start = pcg32_below(&random, 5) ? 0 : 256 - pcg32_below(&random, 30);
    for (uint32_t i = 0; i < c->messages; i++)
        random_message(c, &c->message[i], flits, start + pcg32_below(&random, span), &random);
    for (uint32_t i = 1; i < c->messages; i++) /* posted in the order of their numbers */
        if (c->message[i].posted < c->message[i - 1].posted) {
            c->message[i].posted = c->message[i - 1].posted;
            if (c->message[i].created < c->message[i].posted)
                c->message[i].created = c->message[i].posted;
        }
    for (uint32_t i = 0; i < c->messages; i++) {
        struct case_message *m = &c->message[i];
        m->multicast.destination = m->destination;
        m->plan.worm = m->worm;
        m->plan.stop = m->stop;
    }
}

void network_case_print(const struct network_case *c)
{
    static const char *const switching[] = {"wormhole", "cut-through", "store-and-forward",
                                            "circuit"};
    const struct network_settings *s = &c->settings;
    char shape[TOPOLOGY_TEXT_SIZE];
    shape_text(&c->topology.shape, shape);
    printf("%s routing=%s %s vcs=%" PRIu32 " buffer=%" PRIu32 " injection=%" PRIu32
           " consumption=%" PRIu32 " startup=%" PRIu32 "%s delay=%" PRIu32 "%s%s threads=%" PRIu32
           "\n",
           shape, c->routing->name, switching[s->switching], s->vcs, s->buffer, s->injection,
           s->consumption, s->startup, s->startup_is_per_port ? " per-port" : "", s->router_delay,
           s->is_one_port ? " one-port" : "", s->releases_when_left ? " release=left" : "",
           s->threads);
    for (uint32_t u = 0; u < c->topology.nodes && c->topology.offset != NULL; u++) {
        printf("  node %" PRIu32 ":", u);
        for (uint64_t l = c->topology.offset[u]; l < c->topology.offset[u + 1]; l++)
            printf(" %" PRIu32, c->topology.neighbour[l]);
        printf("\n");
    }
    for (uint32_t i = 0, number = 0; i < c->messages; i++) {
        const struct case_message *m = &c->message[i];
        if (m->is_left_out)
            continue;
        printf("  message %" PRIu32 ": posted %" PRIu64 " created %" PRIu64 " source %" PRIu32
               " flits %" PRIu32 "\n",
               number++, m->posted, m->created, m->multicast.source, m->multicast.flits);
        for (uint32_t w = 0; w < m->plan.worms; w++) {
            printf("    worm %" PRIu32 " from %" PRIu32 ":", w, m->worm[w].sender);
            for (uint32_t k = m->worm[w].first; k < m->worm[w].first + m->worm[w].stops; k++)
                printf(" %" PRIu32 "%s(span %" PRIu32 ")", m->stop[k].node,
                       m->stop[k].is_destination ? "*" : "", (uint32_t)m->stop[k].span);
            printf("\n");
        }
    }
}
