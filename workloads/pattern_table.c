/* pattern_table.c - the table of patterns: a row each, with its contract, its defaults and its maker.
 *
 * A new pattern is a file workloads/pattern_NAME.c and a row at the end; the order is that of the help.
 */
#include "workloads/pattern_private.h"

#include "base/numbers.h"

#define ONE_DESTINATION                                                                            \
    "Every node sends one message with one destination, and every node receives one, so any "      \
    "degree and congestion of 1 or more is kept (both default to 1). "

static const struct pattern_row TABLE[] = {
    {.pattern = {"permutation", "a random permutation of the nodes",
                 ONE_DESTINATION "The permutation is a uniformly random one. Any topology.",
                 .domain = PATTERN_ON_ALL},
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
    {.pattern = {"uniform", "d random destinations per message, at most c a node",
                 "With d <= c every node sends one message, otherwise floor(c n / d) random nodes "
                 "do; each message has exactly d distinct random destinations (its source may be "
                 "among them), and each node receives at most c messages, exactly c where d = c. "
                 "Both default to 16, or to the other one where only one is given. d and c above "
                 "n count as n. Any topology.",
                 .domain = PATTERN_ON_ALL},
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
                 "destinations in the rest B of the mesh, at most c a node. d defaults to 1, c to "
                 "16; both count as n if larger. Any mesh."},
     .degree = 1,
     .congestion = 16,
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
                 .domain = PATTERN_ON_ALL},
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
          "The node in the middle of an 8 x 8 tile is an expert, but for the last floor(t / "
          "16) of the t tiles; with --experts E there are E of them, in the middles of tiles "
          "(--place spread), on the first E nodes (block), or on those that a file has, a line "
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
                 "spikes of connected neurons: --matrix FILE, --per-node of them a node",
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
    {.pattern = {"allgather", "each node sends its block to all others of its group",
                 "The n nodes are cut into groups of consecutive ones: node v is in group floor(v "
                 "G / n) of G. With --stride S the n / G members of a group are S nodes apart, so "
                 "that S groups share each S n / G consecutive nodes; S divides G, and G divides "
                 "n. Or --groups names a file with a line for each group, of its nodes. Each sends "
                 "one message, to all others of its group, as in "
                 "MPI_Allgather. G is --groups, or the least that keeps d and c, which default "
                 "to 15. No random values. Any topology.",
                 .takes = PATTERN_GROUPS, .domain = PATTERN_ON_ALL},
     .degree = 15,
     .congestion = 15,
     .paired = true,
     .make = pattern_allgather},
    {.pattern = {"alltoall", "each node sends a block to each other node of its group",
                 "Groups are those of allgather, but each node sends a message to each other node "
                 "of its group, as in MPI_Alltoall and the dispatch and combine of experts: "
                 "l = c messages per node, of one destination. G is --groups, or the least that "
                 "keeps c, which defaults to 15. No random values. Any topology.",
                 .takes = PATTERN_GROUPS, .sends_many = true, .domain = PATTERN_ON_ALL},
     .degree = 1,
     .congestion = 15,
     .make = pattern_alltoall},
};

uint32_t pattern_count(void)
{
    return sizeof TABLE / sizeof *TABLE;
}

const struct pattern_row *pattern_row_at(uint32_t index)
{
    return &TABLE[index];
}
