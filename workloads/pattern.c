/* pattern.c - the table of patterns, and the one call that makes a set.
 *
 * A row holds what a pattern promises, its default degree and congestion, and its maker. The call
 * fills in the defaults, clips both to the number of nodes (no message has more destinations, no
 * node receives more messages) and leaves the rest to the maker, which keeps the contract for every
 * d and c that remain.
 *
 * Cost: stated with each maker; none is worse than O(n log n + deliveries) but for the deals.
 */
#include "workloads/pattern_private.h"

#include "base/extremes.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ALL_NODES = MESH_MAX_NODES };

/* How many deliveries there are, or pairs before repeats and surplus are taken off: at most. */
typedef uint64_t pattern_pairs(struct mesh mesh, uint64_t degree, uint64_t congestion);

struct pattern_row {
    struct pattern pattern; /* first, so that a pointer to it is one to the row */
    pattern_pairs *pairs;
    uint32_t pair_bytes, node_bytes; /* that making and the set take, for each */
    uint32_t degree, congestion;     /* the defaults, before clipping */
    bool paired;                     /* if only one of the two is given, the other equals it */
    pattern_make *make;
};

#define ONE_DESTINATION                                                                            \
    "Every node sends one message with one destination, and every node receives one, so any "      \
    "degree and congestion of 1 or more is kept (both default to 1). "

static uint64_t one_a_node(struct mesh mesh, uint64_t degree, uint64_t congestion)
{
    (void)degree;
    (void)congestion;
    return mesh_nodes(mesh);
}

static uint64_t dealt(struct mesh mesh, uint64_t degree, uint64_t congestion)
{
    return mesh_nodes(mesh) * lesser_wide(degree, congestion);
}

/* One in the square for each message, and what others in the rest can take. */
static uint64_t dealt_beside(struct mesh mesh, uint64_t degree, uint64_t congestion)
{
    return mesh_nodes(mesh) * lesser_wide(degree, congestion + 1);
}

static uint64_t hot(struct mesh mesh, uint64_t degree, uint64_t congestion)
{
    (void)degree;
    return whole_root(mesh_nodes(mesh)) * congestion + mesh_nodes(mesh);
}

static uint64_t all_together(struct mesh mesh, uint64_t degree, uint64_t congestion)
{
    (void)mesh;
    return degree * congestion;
}

/* To one node of each 8 x 8, or part of it. */
static uint64_t to_experts(struct mesh mesh, uint64_t degree, uint64_t congestion)
{
    uint64_t tiles = (uint64_t)((mesh.rows + 7) / 8) * ((mesh.cols + 7) / 8);
    return lesser_wide(mesh_nodes(mesh) * lesser_wide(degree, tiles), tiles * congestion);
}

/* From the upper half to a column's lower half. */
static uint64_t to_column(struct mesh mesh, uint64_t degree, uint64_t congestion)
{
    uint64_t senders = (uint64_t)(mesh.rows / 2) * mesh.cols, below = mesh.rows - mesh.rows / 2;
    return lesser_wide(senders * lesser_wide(degree, below), below * congestion);
}

static uint64_t drawn(struct mesh mesh, uint64_t degree, uint64_t congestion)
{
    enum { EDGES_A_NODE = 16 };
    return mesh_nodes(mesh) * lesser_wide(EDGES_A_NODE, lesser_wide(degree, congestion));
}

static uint64_t crowded(struct mesh mesh, uint64_t degree, uint64_t congestion)
{
    (void)degree;
    return mesh_nodes(mesh) * congestion;
}

static const struct pattern_row TABLE[] = {
    {.pattern = {"permutation", "a random permutation of the nodes",
                 ONE_DESTINATION "The permutation is a uniformly random one. Any topology.",
                 .domain = PATTERN_ON_ALL},
     .degree = 1,
     .congestion = 1,
     .pairs = one_a_node,
     .pair_bytes = 4,
     .node_bytes = 24,
     .make = pattern_permutation},
    {.pattern = {"transpose", "node (row, col) sends to node (col, row)",
                 ONE_DESTINATION
                 "Node (row, col) sends to node number col * ROWS + row, which on a square mesh "
                 "is (col, row), and on others is where the transpose of a row-major ROWS x COLS "
                 "matrix has the entry. No random values. Any mesh or torus of two dimensions.",
                 .domain = PATTERN_ON_PLANES},
     .degree = 1,
     .congestion = 1,
     .pairs = one_a_node,
     .pair_bytes = 4,
     .node_bytes = 24,
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
     .pairs = one_a_node,
     .pair_bytes = 4,
     .node_bytes = 24,
     .make = pattern_bitreverse},
    {.pattern = {"uniform", "d random destinations a message, at most c a node",
                 "With d <= c every node sends one message, otherwise floor(c n / d) random nodes "
                 "do; each message has exactly d distinct random destinations (its source may be "
                 "among them), and each node receives at most c messages, exactly c where d = c. "
                 "Both default to 16, or to the other one where only one is given. d and c above "
                 "n count as n. Any topology.",
                 .domain = PATTERN_ON_ALL},
     .degree = 16,
     .congestion = 16,
     .paired = true,
     .pairs = dealt,
     .pair_bytes = 4,
     .node_bytes = 24,
     .make = pattern_uniform},
    {.pattern = {"worst", "Theorem 1's instance: c messages for each node of a corner square",
                 "A is the square of side floor(sqrt(n / (c + 1))) (at least 1, at most ROWS and "
                 "COLS) at node 0. c |A| random nodes outside A send one message each, with "
                 "exactly one destination in A, and each node of A receives exactly c (n - 1, if "
                 "there are no c nodes outside; one node alone has the empty set). With d > 1 "
                 "each of these messages also has min(d - 1, |B|, floor(|B| c / messages)) random "
                 "destinations in the rest B of the mesh, at most c a node. d defaults to 1, c to "
                 "16; both count as n if larger. Any mesh."},
     .degree = 1,
     .congestion = 16,
     .pairs = dealt_beside,
     .pair_bytes = 16,
     .node_bytes = 32,
     .make = pattern_worst},
    {.pattern = {"hotspot", "a few hot nodes receive c messages each, the others one at most",
                 "min(floor(sqrt n), floor(n d / c)) random hot nodes receive exactly c messages "
                 "each, in turn from all nodes in a random order. Every message that has less "
                 "than d of them also goes to one ordinary node, a different one each, unless a "
                 "random permutation of the nodes pairs it with a hot one. d defaults to 16, c to "
                 "64; both count as n if larger. Any topology.",
                 .domain = PATTERN_ON_ALL},
     .degree = 16,
     .congestion = 64,
     .pairs = hot,
     .pair_bytes = 16,
     .node_bytes = 32,
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
     .pairs = dealt,
     .pair_bytes = 16,
     .node_bytes = 24,
     .make = pattern_block},
    {.pattern = {"broadcast", "c messages go to all nodes, or to d random ones",
                 "c random nodes send one message each, to exactly d distinct random nodes. d "
                 "defaults to n (every node, the source included), c to 4; both count as n if "
                 "larger. Any topology with c d below 2^32 - 1.",
                 .domain = PATTERN_ON_ALL},
     .degree = ALL_NODES,
     .congestion = 4,
     .pairs = all_together,
     .pair_bytes = 16,
     .node_bytes = 24,
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
     .pairs = all_together,
     .pair_bytes = 24,
     .node_bytes = 12,
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
     .pairs = drawn,
     .pair_bytes = 16,
     .node_bytes = 24,
     .make = pattern_rmat},
    {.pattern =
         {"column", "the upper half sends to the lower half of one column",
          "The nodes of the first floor(ROWS / 2) rows send one message each, to d' = min(d, "
          "ceil(ROWS / 2)) random ones of the nodes below them in column floor(COLS / 2), "
          "which receive at most c each; random senders, as many as c allows, if c allows "
          "no more. d defaults to 1, c to n: no limit. Both count as n if larger. Any mesh; "
          "of one row the set is empty."},
     .degree = 1,
     .congestion = ALL_NODES,
     .pairs = to_column,
     .pair_bytes = 16,
     .node_bytes = 24,
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
     .pairs = one_a_node,
     .pair_bytes = 16,
     .node_bytes = 24,
     .make = pattern_turning},
    {.pattern = {"adversary", "made against a graph of Theorem 4: --against GRAPHFILE",
                 "The mesh is halved into about sqrt(c n) blocks. Each is filled with c messages a "
                 "node from those that have the most replicas in some of the graph's groups, an "
                 "eighth, a quarter or a half of them (--share); for a Reed-Solomon graph a "
                 "subspace. A message goes to a block once, and to d nodes at most. The message of "
                 "place P along the mesh's snake is input P / ceil(n / m) of the graph. c defaults "
                 "to the graph's number of groups, d to c. Any mesh.",
                 .needs_graph = true},
     .degree = 16,
     .congestion = 16,
     .paired = true,
     .pairs = crowded,
     .pair_bytes = 16,
     .node_bytes = 32,
     .make = pattern_adversary},
    {.pattern =
         {"moe", "tokens of a mixture-of-experts model, each for d experts",
          "The node in the middle of an 8 x 8 tile is an expert, but for the last floor(t / "
          "16) of the t tiles. Every node sends one message, to d experts (all, if they are "
          "fewer), drawn in turn with chances that fall as rank^(-3/20), ranks dealt at "
          "random; one that has c messages gets no more, so the last nodes may send to "
          "fewer, or nothing. d defaults to 4, c to n; both count as n if larger. Any mesh."},
     .degree = 4,
     .congestion = ALL_NODES,
     .pairs = to_experts,
     .pair_bytes = 16,
     .node_bytes = 20,
     .make = pattern_moe},
};

uint32_t pattern_count(void)
{
    return sizeof TABLE / sizeof *TABLE;
}

const struct pattern *pattern_at(uint32_t index)
{
    assert(index < pattern_count());
    return &TABLE[index].pattern;
}

const struct pattern *pattern_find(const char *name)
{
    for (uint32_t i = 0; i < pattern_count(); i++)
        if (strcmp(TABLE[i].pattern.name, name) == 0)
            return &TABLE[i].pattern;
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

/* The nodes in rows and columns; those of other than two dimensions in one row. */
static struct mesh mesh_of_nodes(const struct shape *shape)
{
    if (shape->dimensions == 2)
        return (struct mesh){shape->size[1], shape->size[0]};
    return (struct mesh){1, shape_nodes(shape)};
}

/* The options with the row's defaults, clipped to the nodes; mesh and shape are both set. */
static struct pattern_options options_whole(const struct pattern_row *row,
                                            const struct pattern_options *options)
{
    struct pattern_options full = *options;
    full.shape = shape_of_options(options);
    full.mesh = mesh_of_nodes(&full.shape);
    if (full.degree == 0)
        full.degree = row->paired && full.congestion != 0 ? full.congestion : row->degree;
    if (full.congestion == 0)
        full.congestion = row->paired ? full.degree : row->congestion;
    full.degree = lesser(full.degree, mesh_nodes(full.mesh));
    full.congestion = lesser(full.congestion, mesh_nodes(full.mesh));
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
    return pattern->domain == PATTERN_ON_ALL ||
           (pattern->domain == PATTERN_ON_PLANES && is_plane) || mesh_of_shape(shape).rows > 0;
}

enum failure_kind pattern_check_shape(const struct pattern *pattern, const struct shape *shape,
                                      struct failure *failure)
{
    char text[TOPOLOGY_TEXT_SIZE], names[160] = "";
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

uint64_t pattern_footprint(const struct pattern *pattern, const struct pattern_options *options)
{
    const struct pattern_row *row = (const struct pattern_row *)pattern;
    if (!options_are_valid(options))
        return 0;
    struct pattern_options full = options_whole(row, options);
    uint64_t nodes = mesh_nodes(full.mesh);
    return nodes * row->node_bytes +
           row->pairs(full.mesh, full.degree, full.congestion) * row->pair_bytes;
}

enum failure_kind pattern_generate(const struct pattern *pattern,
                                   const struct pattern_options *options, struct message_set *set,
                                   struct failure *failure)
{
    const struct pattern_row *row = (const struct pattern_row *)pattern;
    memset(set, 0, sizeof *set);
    if (!options_are_valid(options))
        return fail(failure, FAIL_USAGE,
                    "a mesh of %lu x %lu nodes: each side must be 1 to %d, the nodes at most %d",
                    (unsigned long)options->mesh.rows, (unsigned long)options->mesh.cols,
                    MESH_MAX_SIDE, MESH_MAX_NODES);
    struct pattern_options full = options_whole(row, options);
    enum failure_kind kind = pattern_check_shape(pattern, &full.shape, failure);
    return kind == FAIL_NONE ? row->make(&full, set, failure) : kind;
}
