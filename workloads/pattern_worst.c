/* pattern_worst.c - patterns made against routers: worst, column, turning, adversary. */
#include "workloads/pattern_private.h"

#include "base/numbers.h"

#include <stdlib.h>

/* ---- `worst`: the instance of Theorem 1, with its square in a corner.
 *
 * A is the square of side floor(sqrt(n / (c + 1))) in the corner of node 0, so that the rest of the
 * mesh holds at least c |A| nodes. c |A| messages from random nodes outside have exactly one
 * destination each in A, and each node of A receives c: all of them must pass the 2 sqrt|A| links
 * into A, whence the lower bound of about .5 sqrt(c n) steps. A corner has half the links of an
 * interior square, so this is the hardest place.
 *
 * With a degree above 1 each of these messages has further destinations, outside A, random ones as
 * pattern_deal.c deals them; the bound does not depend on them.
 *
 * Cost: O(n) time and memory, and that of the deal.
 */

uint32_t theorem1_side(struct mesh mesh, uint32_t congestion)
{
    uint32_t side = whole_root(mesh_nodes(mesh) / ((uint64_t)congestion + 1));
    side = side < 1 ? 1 : side;
    side = side < mesh.rows ? side : mesh.rows;
    return side < mesh.cols ? side : mesh.cols;
}

/* Splits the nodes in row-major order: those of A to inside[], the others to outside[]. */
static void split_nodes(struct mesh mesh, uint32_t side, node_index *inside, node_index *outside)
{
    for (uint32_t row = 0; row < mesh.rows; row++)
        for (uint32_t col = 0; col < mesh.cols; col++)
            if (row < side && col < side)
                *inside++ = row * mesh.cols + col;
            else
                *outside++ = row * mesh.cols + col;
}

/* Adds `deal` of further destinations, outside A, to the first messages of source[]. */
static enum failure_kind add_outside(struct pair_list *list, const struct deal *deal,
                                     const node_index *source, const node_index *outside,
                                     struct pcg32 *random, struct failure *failure)
{
    uint32_t *place = memory_allocate((size_t)deal->messages * deal->degree, sizeof *place);
    if (place == NULL)
        return fail_memory(failure, "the destinations outside the square");
    enum failure_kind kind = deal_places(deal, random, place, failure);
    for (uint32_t i = 0; kind == FAIL_NONE && i < deal->messages; i++)
        for (uint32_t j = 0; j < deal->degree; j++)
            pair_list_add(list, source[i], outside[place[(size_t)i * deal->degree + j]]);
    free(place);
    return kind;
}

/* Returns the number of destinations outside A that each message can have. */
static uint32_t outside_degree(const struct pattern_options *options, uint32_t messages,
                               uint32_t outside)
{
    uint64_t fits = messages == 0 ? 0 : (uint64_t)options->congestion * outside / messages;
    uint32_t degree = options->degree - 1;
    degree = degree < outside ? degree : outside;
    return degree < fits ? degree : (uint32_t)fits;
}

enum failure_kind pattern_worst(const struct pattern_options *options, struct message_set *set,
                                struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_WORST);
    uint32_t nodes = mesh_nodes(options->mesh);
    uint32_t side = theorem1_side(options->mesh, options->congestion), area = side * side;
    uint32_t each = options->congestion < nodes - area ? options->congestion : nodes - area;
    struct deal deal = {.places = nodes - area,
                        .messages = each * area,
                        .degree = outside_degree(options, each * area, nodes - area),
                        .congestion = options->congestion};
    struct pair_list list = {0};
    node_index *inside = memory_allocate(area, sizeof *inside);
    node_index *outside = memory_allocate(nodes - area, sizeof *outside);
    uint32_t *order = shuffled_numbers(&random, nodes - area);
    enum failure_kind kind =
        pair_list_open(&list, (uint64_t)deal.messages * (1 + deal.degree),
                       inside != NULL && outside != NULL && order != NULL, failure);
    if (kind == FAIL_NONE)
        split_nodes(options->mesh, side, inside, outside);
    for (uint32_t i = 0; i < deal.messages && kind == FAIL_NONE; i++) {
        order[i] = outside[order[i]]; /* a random source for each message */
        pair_list_add(&list, order[i], inside[i % area]);
    }
    if (kind == FAIL_NONE && deal.degree > 0)
        kind = add_outside(&list, &deal, order, outside, &random, failure);
    kind = pair_list_close(&list, kind, options->shape, set, failure);
    free(inside);
    free(outside);
    free(order);
    return kind;
}

/* ---- `column`: the upper half of the mesh sends to the lower half of one column.
 *
 * The nodes of the first floor(ROWS / 2) rows send; the last ceil(ROWS / 2) nodes of column
 * floor(COLS / 2) receive. About n / 2 messages are for sqrt(n) / 2 nodes, sqrt(n) for each. A
 * router that sends packets along rows first pushes the packets from the upper half through the one
 * link of that column that leads down, and along columns first through its rows' few links; one
 * that spreads them over the lower half first has 2 sqrt(n) links for them.
 *
 * Cost: O(n) time and memory, and that of the deal.
 */

enum failure_kind pattern_column(const struct pattern_options *options, struct message_set *set,
                                 struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_COLUMN);
    struct mesh mesh = options->mesh;
    uint32_t top = mesh.rows / 2, receivers = mesh.rows - top, senders = top * mesh.cols;
    struct deal deal = {.places = receivers,
                        .degree = min_u32(options->degree, receivers),
                        .congestion = options->congestion};
    deal.messages = (uint32_t)((uint64_t)options->congestion * receivers / deal.degree);
    deal.messages = min_u32(deal.messages, senders);
    uint64_t pairs = (uint64_t)deal.messages * deal.degree;
    struct pair_list list;
    uint32_t *sender = shuffled_numbers(&random, senders);
    uint32_t *place = memory_allocate(pairs, sizeof *place);
    enum failure_kind kind = pair_list_open(&list, pairs, place != NULL && sender != NULL, failure);
    if (kind == FAIL_NONE && deal.messages > 0)
        kind = deal_places(&deal, &random, place, failure);
    for (uint64_t i = 0; i < pairs && kind == FAIL_NONE; i++)
        pair_list_add(&list, sender[i / deal.degree], (top + place[i]) * mesh.cols + mesh.cols / 2);
    kind = pair_list_close(&list, kind, options->shape, set, failure);
    free(sender);
    free(place);
    return kind;
}

/* ---- `turning`: all packets of a tile's row turn at one node of it.
 *
 * Let the mesh be cut into tiles of side s = floor(sqrt(n / c)), the c-tiles of the paper, and each
 * node send one message into the corner tile at node 0. A router that first brings each packet to
 * the same place in that tile as in its own, as Theorem 2 does, holds c packets at each node of the
 * tile, c s in each row. The message from row y of a tile is for column sigma(y) = (y + floor(s /
 * 2)) mod s, so that all of these turn there: they arrive from both sides, two per step, while rows
 * at the tile's edges let one leave per step. Per row the messages are dealt out to the rows of the
 * column in turn, c to each node at most, so every node of the tile receives about c, and on sides
 * that s divides exactly c. Nothing is drawn at random, and the set does not depend on a router's
 * seed.
 *
 * Cost: O(n) time, 8 bytes per node.
 */

/* Returns the side of a tile. */
static uint32_t tile_side(const struct pattern_options *options)
{
    uint32_t side = whole_root(mesh_nodes(options->mesh) / options->congestion);
    side = side < options->mesh.rows ? side : options->mesh.rows;
    return side < options->mesh.cols ? side : options->mesh.cols;
}

enum failure_kind pattern_turning(const struct pattern_options *options, struct message_set *set,
                                  struct failure *failure)
{
    struct mesh mesh = options->mesh;
    uint32_t side = tile_side(options);
    uint64_t most = (uint64_t)options->congestion * side; /* messages for a column of the tile */
    struct pair_list list;
    if (pair_list_open(&list, mesh_nodes(mesh), true, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t y = 0; y < side; y++) {
        uint32_t turn = (y + side / 2) % side;
        uint64_t messages = 0;
        for (uint32_t row = y; row < mesh.rows; row += side)
            for (uint32_t col = 0; col < mesh.cols && messages < most; col++)
                pair_list_add(&list, row * mesh.cols + col,
                              (uint32_t)(messages++ % side) * mesh.cols + turn);
    }
    return pair_list_close(&list, FAIL_NONE, options->shape, set, failure);
}

/* ---- `adversary`: each block receives from messages whose replicas share groups.
 *
 * Theorem 4 sends the replicas of a message to the groups given by a graph, and its proof is about
 * blocks that many messages with few groups want to reach. This pattern makes such blocks: the mesh
 * is halved into blocks as the router halves it, about sqrt(c n) of them; each takes one of a few
 * choices of groups, and is filled with c messages per node from those that have the most replicas
 * in these groups, as long as they have less than d destinations. A message goes to a block once.
 *
 * The message at place P of the mesh's snake is input P / kappa of the graph, kappa = ceil(n / m),
 * as in the router. The graph itself is outside of this folder, which needs only an order of its
 * inputs (struct adversary).
 *
 * Cost: O(CHOICES n + deliveries) time and that of the orders; CHOICES n words.
 */

enum { CHOICES = 48 };

static const double SHARES[] = {0.125, 0.25, 0.5};

enum { SHARE_COUNT = sizeof SHARES / sizeof *SHARES };

struct interval {
    uint32_t start, length;
};

/* The mesh halved `row_levels` and `col_levels` times: the first half gets the odd one. */
struct blocks {
    struct mesh mesh;
    uint32_t row_levels, col_levels;
};

static struct interval interval_at(uint32_t length, uint32_t levels, uint32_t index)
{
    struct interval interval = {0, length};
    for (uint32_t level = levels; level-- > 0;) {
        uint32_t first = (interval.length + 1) / 2;
        if ((index >> level & 1) != 0) {
            interval.start += first;
            interval.length -= first;
        } else {
            interval.length = first;
        }
    }
    return interval;
}

/* Returns at most `wanted` blocks: the longer side is halved, the rows of two equal ones. */
static struct blocks blocks_of(struct mesh mesh, uint32_t wanted)
{
    struct blocks blocks = {mesh, 0, 0};
    uint32_t height = mesh.rows, width = mesh.cols;
    for (uint64_t count = 2; count <= wanted; count *= 2) {
        bool rows = height >= width;
        uint32_t length = rows ? mesh.rows : mesh.cols;
        uint32_t levels = rows ? blocks.row_levels : blocks.col_levels;
        if (length >> (levels + 1) == 0)
            break; /* an interval would be empty */
        if (rows) {
            blocks.row_levels++;
            height = (height + 1) / 2;
        } else {
            blocks.col_levels++;
            width = (width + 1) / 2;
        }
    }
    return blocks;
}

/* ---- filling ---- */

struct filling {
    const struct pattern_options *options;
    struct pair_list *list;
    uint32_t kappa, choices; /* at most CHOICES, at most one choice per block */
    uint32_t *order;         /* [choices m]: the inputs, by choice */
    uint32_t first[CHOICES]; /* all messages of the inputs before it are used up */
    uint32_t *left;          /* [n]: destinations that a message can still get */
};

static node_index source_at(struct mesh mesh, uint32_t place)
{
    uint32_t row = place / mesh.cols, col = place % mesh.cols;
    return row * mesh.cols + (row % 2 == 0 ? col : mesh.cols - 1 - col);
}

/* Fills one block by the order of `choice`. */
static void fill_block(struct filling *f, uint32_t choice, struct interval rows,
                       struct interval cols)
{
    struct mesh mesh = f->options->mesh;
    uint32_t inputs = f->options->adversary->inputs, area = rows.length * cols.length;
    uint64_t room = (uint64_t)area * f->options->congestion, given = 0;
    const uint32_t *order = f->order + (size_t)choice * inputs;
    bool spent = true;
    for (uint32_t i = f->first[choice]; i < inputs && given < room; i++) {
        uint64_t place = (uint64_t)order[i] * f->kappa;
        for (uint32_t j = 0; j < f->kappa && given < room && place < mesh_nodes(mesh);
             j++, place++) {
            if (f->left[place] == 0)
                continue;
            uint32_t at = (uint32_t)(given % area);
            node_index to =
                (rows.start + at / cols.length) * mesh.cols + cols.start + at % cols.length;
            pair_list_add(f->list, source_at(mesh, (uint32_t)place), to);
            f->left[place]--;
            given++;
            spent = false;
        }
        if (spent)
            f->first[choice] = i + 1;
    }
}

static void fill_all(struct filling *f, const struct blocks *blocks)
{
    uint32_t down = 1U << blocks->row_levels, across = 1U << blocks->col_levels;
    for (uint32_t i = 0; i < down * across; i++)
        fill_block(f, i % f->choices,
                   interval_at(blocks->mesh.rows, blocks->row_levels, i / across),
                   interval_at(blocks->mesh.cols, blocks->col_levels, i % across));
}

/* Gets the orders of all choices; a block needs `wanted` inputs. */
static enum failure_kind ask_orders(struct filling *f, uint32_t wanted, struct failure *failure)
{
    const struct adversary *adversary = f->options->adversary;
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t i = 0; i < f->choices && kind == FAIL_NONE; i++) {
        double share = adversary->share > 0 ? adversary->share : SHARES[i % SHARE_COUNT];
        kind =
            adversary->order(adversary->context, share, (uint32_t)(f->options->seed * CHOICES + i),
                             wanted, f->order + (size_t)i * adversary->inputs, failure);
    }
    return kind;
}

enum failure_kind pattern_adversary(const struct pattern_options *options, struct message_set *set,
                                    struct failure *failure)
{
    uint32_t nodes = mesh_nodes(options->mesh);
    uint32_t inputs = options->adversary->inputs, kappa = (nodes + inputs - 1) / inputs;
    uint32_t count = whole_root((uint64_t)options->congestion * nodes);
    struct blocks blocks = blocks_of(options->mesh, count + count / 2);
    uint64_t a_block =
        (uint64_t)options->congestion * nodes >> (blocks.row_levels + blocks.col_levels);
    uint64_t most = options->degree < options->congestion ? options->degree : options->congestion;
    uint64_t number = (uint64_t)1 << (blocks.row_levels + blocks.col_levels);
    uint32_t choices = number < CHOICES ? (uint32_t)number : CHOICES;
    struct pair_list list = {0};
    struct filling filling = {.options = options,
                              .list = &list,
                              .kappa = kappa,
                              .choices = choices,
                              .order = memory_allocate((size_t)inputs * choices, sizeof(uint32_t)),
                              .left = memory_allocate(nodes, sizeof(uint32_t))};
    enum failure_kind kind =
        pair_list_open(&list, nodes * most, filling.order != NULL && filling.left != NULL, failure);
    if (kind == FAIL_NONE)
        kind = ask_orders(&filling, (uint32_t)(a_block / kappa) + 1, failure);
    for (uint32_t i = 0; i < nodes && kind == FAIL_NONE; i++)
        filling.left[i] = options->degree;
    if (kind == FAIL_NONE)
        fill_all(&filling, &blocks);
    kind = pair_list_close(&list, kind, options->shape, set, failure);
    free(filling.order);
    free(filling.left);
    return kind;
}
