/* pattern.c - the table of patterns, looking one up, and the one call that makes a set.
 *
 * The call fills in a row's defaults, clips degree and congestion to the number of nodes (no
 * message has more destinations, no node receives more messages) and leaves the rest to the maker,
 * which keeps the contract for every remaining d and c. Several messages per node are layers,
 * unless the maker makes them itself. A new pattern is a maker in one of the files
 * workloads/pattern_*.c and a row at the end of the table, whose order is that of the help.
 *
 * Cost: stated with each maker; none is worse than O(n log n + deliveries), except the deals.
 */
#include "workloads/pattern_private.h"

#include "base/numbers.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

#define ONE_DESTINATION                                                                            \
    "Every node sends one message with one destination, and every node receives one, so any "      \
    "degree and congestion of 1 or more is kept (both default to 1). "

static const struct pattern_row TABLE[] = {
    {.pattern = {"permutation", "a random permutation of the nodes",
                 ONE_DESTINATION "The permutation is a uniformly random one. Any topology.",
                 .domain = PATTERN_ANYWHERE},
     .degree = 1,
     .congestion = 1,
     .make = pattern_permutation},
    {.pattern = {"transpose", "node (row, col) sends to node (col, row)",
                 ONE_DESTINATION
                 "Node (row, col) sends to node number col * ROWS + row, which on a square mesh "
                 "is (col, row), and on others is where the transpose of a row-major ROWS x COLS "
                 "matrix has the entry. No random values. Any mesh or torus of two dimensions.",
                 .domain = PATTERN_ON_PLANES},
     .degree = 1,
     .congestion = 1,
     .make = pattern_transpose},
    {.pattern =
         {"bitreverse", "the bits of row and column in reverse order",
          ONE_DESTINATION
          "The row's ceil(log2 ROWS) bits are reversed, and the column's ceil(log2 COLS); "
          "a row (or column) number that this would take out of the mesh stays as it is. "
          "Where there are not two dimensions the node number's ceil(log2 n) bits are, by the "
          "same rule. No random values. Any topology.",
          .domain = PATTERN_ON_ALL},
     .degree = 1,
     .congestion = 1,
     .make = pattern_bitreverse},
    {.pattern = {"uniform", "d random destinations per message, at most c per node",
                 "With d <= c every node sends one message, otherwise floor(c n / d) random nodes "
                 "do; each message has exactly d distinct random destinations (its source may be "
                 "among them), and each node receives at most c messages, exactly c where d = c. "
                 "Both default to 16, or to the other one where only one is given. d and c above "
                 "n count as n. Any topology.",
                 .domain = PATTERN_ANYWHERE},
     .degree = 16,
     .congestion = 16,
     .paired = true,
     .make = pattern_uniform},
    {.pattern = {"worst", "Theorem 1's instance: c messages for each node of a corner square",
                 "A is the square of side floor(sqrt(n / (c + 1))) (at least 1, at most ROWS and "
                 "COLS) at node 0. c |A| random nodes outside A send one message each, with "
                 "exactly one destination in A, and each node of A receives exactly c (n - 1, if "
                 "there are no c nodes outside; one node alone has the empty set). With d > 1 "
                 "each of these messages also has min(d - 1, |B|, floor(|B| c / messages)) random "
                 "destinations in the rest B of the mesh, at most c per node. d defaults to 1, "
                 "c to 16; both count as n if larger. Any mesh."},
     .degree = 1,
     .congestion = 16,
     .make = pattern_worst},
    {.pattern = {"hotspot", "a few hot nodes receive c messages each, the others one at most",
                 "min(floor(sqrt n), floor(n d / c)) random hot nodes receive exactly c messages "
                 "each, in turn from all nodes in a random order. Every message that has fewer "
                 "than d of them also goes to one ordinary node, a different one each, unless a "
                 "random permutation of the nodes pairs it with a hot one. d defaults to 16, c to "
                 "64; both count as n if larger. Any topology.",
                 .domain = PATTERN_ANYWHERE},
     .degree = 16,
     .congestion = 64,
     .make = pattern_hotspot},
    {.pattern = {"block", "each message's destinations cluster in one tile",
                 "The mesh is cut into tiles of side floor(sqrt(n / c)), at least 1, smaller at "
                 "the lower and right edges. A tile of a nodes is the target of min(a, floor(c a / "
                 "d')) messages from random nodes anywhere, each with exactly d' = min(d, a) "
                 "distinct random destinations in the tile; a node receives at most c. With d <= c "
                 "every node sends a message. Both default to 16, or to the other one where only "
                 "one is given, and count as n if larger. Any mesh."},
     .degree = 16,
     .congestion = 16,
     .paired = true,
     .make = pattern_block},
    {.pattern = {"broadcast", "c messages go to all nodes, or to d random ones",
                 "c random nodes send one message each, to exactly d distinct random nodes. d "
                 "defaults to n (every node, the source included), c to 4; both count as n if "
                 "larger. Any topology with c d below 2^32 - 1.",
                 .domain = PATTERN_ANYWHERE},
     .degree = PATTERN_NO_LIMIT,
     .congestion = 4,
     .make = pattern_broadcast},
    {.pattern =
         {"scan", "c messages to d nodes each, met on walks over the nodes",
          "Nodes 0 .. c - 1 send one message each, to d other nodes. For each a walk passes "
          "these in the order of their numbers and takes each with probability d / n until "
          "it has d; if it ends with fewer, it starts afresh. So large numbers are met less "
          "often. d defaults to 16, c to 1; d counts as n - 1, c as n if larger. Any topology "
          "with c d below 2^32 - 1.",
          .domain = PATTERN_ON_ALL},
     .degree = 16,
     .congestion = 1,
     .make = pattern_scan},
    {.pattern = {"rmat", "a power-law graph (R-MAT), thinned to d and c",
                 "n min(16, d, c) edges are drawn with the R-MAT probabilities .57, .19, .19, .05 "
                 "over randomly renumbered nodes; repeated edges count once. A node's message "
                 "goes to the targets of its edges: to random d of them if they are more, and of "
                 "what a node then receives random c are kept if it is more. Nodes left without "
                 "a destination send nothing. Both default to 64 and count as n if larger. Any "
                 "topology.",
                 .domain = PATTERN_ON_ALL},
     .degree = 64,
     .congestion = 64,
     .make = pattern_rmat},
    {.pattern =
         {"column", "the upper half sends to the lower half of one column",
          "The nodes of the first floor(ROWS / 2) rows send one message each, to d' = min(d, "
          "ceil(ROWS / 2)) random ones of the nodes below them in column floor(COLS / 2), "
          "which receive at most c each; random senders, as many as c allows, if c allows "
          "no more. d defaults to 1, c to n: no limit. Both count as n if larger. Any mesh; "
          "of one row the set is empty."},
     .degree = 1,
     .congestion = PATTERN_NO_LIMIT,
     .make = pattern_column},
    {.pattern =
         {"turning", "all into the corner tile, a row's packets turn at one node",
          "s = floor(sqrt(n / c)), at most ROWS and COLS. Every node sends one message, of one "
          "destination: node (row, col) to column (row mod s + floor(s / 2)) mod s of the s x "
          "s nodes at node 0. The senders with the same row mod s are for the rows 0 .. s - 1 "
          "of that column in turn, in row-major order; beyond c s they send nothing. Each of "
          "the s x s nodes receives at most c, exactly c where s divides both sides and n = "
          "c s^2. No random values. d is 1 whatever is given, c defaults to 16 and counts as "
          "n if larger. Any mesh."},
     .degree = 1,
     .congestion = 16,
     .make = pattern_turning},
    {.pattern = {"adversary", "made against a graph of Theorem 4: --against GRAPHFILE",
                 "The mesh is halved into about sqrt(c n) blocks. Each is filled with c messages a "
                 "node from those that have the most replicas in some of the graph's groups, an "
                 "eighth, a quarter or a half of them (--share); for a Reed-Solomon graph a "
                 "subspace. A message goes to a block once, and to d nodes at most. The message of "
                 "place P along the mesh's snake is input P / ceil(n / m) of the graph. c defaults "
                 "to the graph's number of groups, d to c. Any mesh.",
                 .needs = PATTERN_GRAPH, .takes = PATTERN_GRAPH},
     .degree = 16,
     .congestion = 16,
     .paired = true,
     .make = pattern_adversary},
    {.pattern =
         {"moe", "tokens of a mixture-of-experts model, each for d experts",
          "There are --experts E experts, or t - floor(t / 16) for t tiles of 8 x 8 nodes, in the "
          "middles of as many tiles (--place spread), on the first E nodes (block), or on those "
          "that "
          "a file has, a line "
          "for each expert; of several a token goes to the nearest. Every node sends --per-node "
          "messages, each to d experts (all, if they are fewer), drawn in turn with chances "
          "that fall as rank^-Z, ranks dealt at random, or as counts (--skew Z|FILE; Z is "
          "0.15); one that has c messages gets no more, so the last nodes may send to "
          "fewer, or nothing. d defaults to 4, c is not limited. Any mesh.",
          .takes = PATTERN_EXPERTS},
     .degree = 4,
     .congestion = PATTERN_NO_LIMIT,
     .makes_all = true,
     .make = pattern_moe},
    {.pattern = {"populations",
                 "spikes of connected neurons: --matrix FILE, --per-node on each node",
                 "FILE has a line for each population of neurons: its name, its size, and the "
                 "chances that one of its neurons gets a connection from a neuron of each "
                 "population. A node holds --per-node consecutive neurons; each that is active "
                 "(--active) sends one message, to the nodes that hold a neuron with a connection "
                 "from it. Degree and congestion cannot be asked for. Any topology.",
                 .needs = PATTERN_POPULATIONS, .takes = PATTERN_POPULATIONS,
                 .domain = PATTERN_ON_ALL},
     .degree = PATTERN_NO_LIMIT,
     .congestion = PATTERN_NO_LIMIT,
     .makes_all = true,
     .make = pattern_populations},
    {.pattern =
         {"allgather", "each node sends its block to all others of its group",
          "The n nodes are cut into groups of consecutive ones: node v is in group floor(v "
          "G / n) of G. With --stride S the n / G members of a group are S nodes apart, so "
          "that S groups share each S n / G consecutive nodes; S divides G, and G divides "
          "n. Or --groups names a file with a line for each group, of its nodes. Each sends "
          "one message, to all others of its group, as in "
          "MPI_Allgather. G is --groups, or the least that keeps d and c, which default "
          "to 15. With --algorithm ring, halving or tree in steps that wait for one another, as of "
          "allreduce. No random values. Any topology.",
          .takes = PATTERN_GROUPS | PATTERN_ALGORITHM, .domain = PATTERN_ON_ALL},
     .degree = 15,
     .congestion = 15,
     .paired = true,
     .make = pattern_allgather},
    {.pattern = {"alltoall", "each node sends a block to each other node of its group",
                 "Groups are those of allgather, but each node sends a message to each other node "
                 "of its group, as in MPI_Alltoall and the dispatch and combine of experts: "
                 "l = c messages per node, of one destination. G is --groups, or the least that "
                 "keeps c, which defaults to 15. With --algorithm ring or halving in rounds that "
                 "wait for one "
                 "another. No random values. Any topology.",
                 .takes = PATTERN_GROUPS | PATTERN_ALGORITHM, .sends_many = true,
                 .domain = PATTERN_ON_ALL},
     .degree = 1,
     .congestion = 15,
     .make = pattern_alltoall},
    {.pattern =
         {"reducescatter", "the groups of nodes sum vectors, and each gets a chunk of the sum",
          "Groups are those of allgather, with c 15 by default. Each node has a vector of "
          "--bytes N and gets a chunk of N / g bytes of the sum, as in "
          "MPI_Reduce_scatter_block, by --algorithm: direct (a chunk to each other), ring "
          "(g - 1 rounds), halving (log g rounds), or tree (to the first of the group, "
          "which sends a chunk to each). A message waits for what its node must have received. "
          "No random values. Any topology.",
          .needs = PATTERN_ALGORITHM, .takes = PATTERN_GROUPS | PATTERN_ALGORITHM,
          .sends_many = true, .domain = PATTERN_ON_ALL},
     .degree = 1,
     .congestion = 15,
     .make = pattern_reducescatter},
    {.pattern = {"allreduce", "the groups of nodes sum vectors, and each node gets the sum",
                 "As reducescatter, but each node gets all N bytes of the sum, as in "
                 "MPI_Allreduce: by --algorithm direct (then its chunk of the sum to all others), "
                 "ring (2 (g - 1) rounds), halving (2 log g rounds), or tree (the first of the "
                 "group sends the sum to all others, in one message). No random values. Any "
                 "topology.",
                 .needs = PATTERN_ALGORITHM, .takes = PATTERN_GROUPS | PATTERN_ALGORITHM,
                 .sends_many = true, .domain = PATTERN_ON_ALL},
     .degree = 1,
     .congestion = 15,
     .make = pattern_allreduce},
};

uint32_t pattern_count(void)
{
    return sizeof TABLE / sizeof *TABLE;
}

/* ---- layers ---- */

/* l messages per node: l superposed sets of a pattern.
 *
 * Each layer is the pattern with one message per node and a congestion of floor(c / l), so that a
 * node receives at most c in all. The first layer has the seed itself, others have seeds drawn from
 * it; a pattern without draws gives the same messages l times. `worst` stays Theorem 1's instance:
 * its square has about l n / c nodes, and each of them receives c messages.
 * Cost: that of l sets, and twice that of the set of all.
 */

static uint64_t seed_of_layer(uint64_t seed, uint32_t layer)
{
    struct pcg32 random = pcg32_seed(seed, STREAM_LAYERS);
    pcg32_advance(&random, 2 * (uint64_t)layer);
    uint64_t upper = pcg32_next(&random);
    return layer == 0 ? seed : upper << 32 | pcg32_next(&random);
}

/* Makes the set of all layers' messages, those of one source in the order of layers. */
static enum failure_kind join(struct message_set *set, const struct message_set *layer,
                              uint32_t layers, struct failure *failure)
{
    uint64_t messages = 0, deliveries = 0;
    for (uint32_t j = 0; j < layers; j++) {
        messages += layer[j].messages;
        deliveries += layer[j].deliveries; /* no fewer than messages */
    }
    if (message_set_allocate(set, layer->shape, (uint32_t)messages, deliveries, failure) !=
        FAIL_NONE)
        return failure->kind;
    messages = deliveries = 0;
    for (uint32_t j = 0; j < layers; j++) {
        for (uint32_t i = 0; i < layer[j].messages; i++) {
            set->source[messages] = layer[j].source[i];
            set->offset[messages++] = deliveries + layer[j].offset[i];
        }
        memcpy(set->destination + deliveries, layer[j].destination,
               layer[j].deliveries * sizeof *set->destination);
        deliveries += layer[j].deliveries;
    }
    enum failure_kind kind = message_set_sort_sources(set, NULL, failure);
    if (kind != FAIL_NONE)
        message_set_free(set);
    return kind;
}

/* Makes per_node sets by `make` and superposes them. */
static enum failure_kind make_layers(const struct pattern_options *options, pattern_make *make,
                                     struct message_set *set, struct failure *failure)
{
    uint32_t layers = options->per_node;
    struct message_set *layer = memory_allocate(layers, sizeof *layer);
    if (layer == NULL)
        return fail_memory(failure, "the layers of a pattern");
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t j = 0; j < layers && kind == FAIL_NONE; j++) {
        struct pattern_options one = *options;
        one.seed = seed_of_layer(options->seed, j);
        kind = make(&one, &layer[j], failure);
    }
    if (kind == FAIL_NONE)
        kind = join(set, layer, layers, failure);
    for (uint32_t j = 0; j < layers; j++)
        message_set_free(&layer[j]);
    free(layer);
    return kind;
}

/* ---- the call ---- */

const struct pattern *pattern_at(uint32_t index)
{
    assert(index < pattern_count());
    return &TABLE[index].pattern;
}

const struct pattern *pattern_find(const char *name)
{
    for (uint32_t i = 0; i < pattern_count(); i++)
        if (strcmp(pattern_at(i)->name, name) == 0)
            return pattern_at(i);
    return NULL;
}

static const char *pattern_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < pattern_count() ? pattern_at(index)->name : NULL;
}

const struct name_family pattern_names = {"pattern", "patterns", "", pattern_name_at, NULL};

enum failure_kind pattern_look_up(const char *name, const struct pattern **pattern,
                                  struct failure *failure)
{
    *pattern = pattern_find(name);
    return *pattern != NULL ? FAIL_NONE : fail_unknown_name(failure, &pattern_names, name);
}

static struct shape shape_of_options(const struct pattern_options *options)
{
    return options->shape.dimensions > 0 ? options->shape : shape_of_mesh(options->mesh);
}

/* Returns the nodes in rows and columns; those of other than two dimensions in one row. */
static struct mesh mesh_of_nodes(const struct shape *shape)
{
    if (shape->dimensions == 2)
        return (struct mesh){shape->size[1], shape->size[0]};
    return (struct mesh){1, shape_nodes(shape)};
}

/* Returns the options with the row's defaults, clipped to possible values; mesh and shape are both
 * set. For a pattern that is made in layers they are those of a layer. */
static struct pattern_options options_whole(const struct pattern_row *row,
                                            const struct pattern_options *options)
{
    struct pattern_options full = *options;
    full.shape = shape_of_options(options);
    full.mesh = mesh_of_nodes(&full.shape);
    full.per_node = max_u32(options->per_node, 1);
    uint64_t most = mesh_nodes(full.mesh);
    if (row->makes_all)
        most = min_u64(most * full.per_node, UINT32_MAX);
    else
        full.congestion /= full.per_node;
    if (full.degree == 0)
        full.degree = row->paired && full.congestion != 0 ? full.congestion : row->degree;
    if (full.congestion == 0)
        full.congestion = row->paired ? full.degree : row->congestion;
    if (full.congestion == PATTERN_NO_LIMIT && row->makes_all)
        full.congestion = (uint32_t)most;
    if (full.active == 0)
        full.active = 1;
    full.degree = min_u32(full.degree, mesh_nodes(full.mesh));
    full.congestion = (uint32_t)min_u64(full.congestion, most);
    return full;
}

static bool options_are_valid(const struct pattern_options *options)
{
    struct shape shape = shape_of_options(options);
    return options->shape.dimensions > 0 ? shape_is_valid(&shape)
                                         : mesh_is_valid(options->mesh.rows, options->mesh.cols);
}

static bool is_on(const struct pattern *pattern, const struct shape *shape)
{
    bool is_plane = shape->dimensions == 2;
    return pattern->domain >= PATTERN_ON_ALL ||
           (pattern->domain == PATTERN_ON_PLANES && is_plane) || mesh_of_shape(shape).rows > 0;
}

enum failure_kind pattern_check_shape(const struct pattern *pattern, const struct shape *shape,
                                      struct failure *failure)
{
    char text[TOPOLOGY_TEXT_SIZE], names[240] = "";
    size_t used = 0;
    if (is_on(pattern, shape))
        return FAIL_NONE;
    shape_text(shape, text);
    for (uint32_t i = 0; i < pattern_count(); i++)
        if (is_on(pattern_at(i), shape))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used > 0 ? ", " : "", pattern_at(i)->name);
    return fail(failure, FAIL_USAGE,
                "pattern %s is for meshes%s of two dimensions; on %s there are: %s", pattern->name,
                pattern->domain == PATTERN_ON_PLANES ? " and tori" : "", text, names);
}

static enum failure_kind make(const struct pattern_row *row, const struct pattern_options *options,
                              struct message_set *set, struct failure *failure)
{
    struct pattern_options full = options_whole(row, options);
    if (row->makes_all || full.per_node == 1 || full.algorithm != ALGORITHM_NONE)
        return row->make(&full, set, failure);
    if (options->congestion != 0 && options->congestion < full.per_node)
        return fail(failure, FAIL_USAGE,
                    "a congestion of %u is less than the %u messages that each node sends",
                    options->congestion, full.per_node);
    return make_layers(&full, row->make, set, failure);
}

enum failure_kind pattern_generate(const struct pattern *pattern,
                                   const struct pattern_options *options, struct message_set *set,
                                   struct failure *failure)
{
    const struct pattern_row *row = (const struct pattern_row *)pattern;
    memset(set, 0, sizeof *set);
    if (!options_are_valid(options))
        return fail(failure, FAIL_USAGE,
                    "a mesh of %u x %u nodes: each side must be 1 to %d, the nodes at most %d",
                    options->mesh.rows, options->mesh.cols, MESH_MAX_SIDE, MESH_MAX_NODES);
    struct pattern_options full = options_whole(row, options);
    return pattern_check_shape(pattern, &full.shape, failure) == FAIL_NONE
               ? make(row, options, set, failure)
               : failure->kind;
}
