/* pattern_adversary.c - `adversary`: each block receives from messages whose replicas share groups.
 *
 * Theorem 4 sends the replicas of a message to the groups that a graph says, and its proof is about
 * blocks that many messages with few groups want to reach. This pattern makes such blocks: the mesh
 * is halved into blocks as the router halves it, about sqrt(c n) of them; each takes one of a few
 * choices of groups, and is filled with c messages per node from those that have the most replicas in
 * these groups, as long as they have less than d destinations. A message goes to a block once.
 *
 * The message at place P of the mesh's snake is input P / kappa of the graph, kappa = ceil(n / m),
 * as the router has it. The graph itself lies outside of this folder: what is asked of it is an
 * order of its inputs (struct adversary).
 *
 * Cost: O(CHOICES n + deliveries) time and what the orders take; CHOICES n words.
 */
#include "workloads/pattern_private.h"

#include <stdlib.h>

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

/* At most `wanted` blocks: the longer side is halved, the rows of two equal ones. */
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
    uint32_t kappa, choices; /* at most CHOICES, at most a choice a block */
    uint32_t *order;         /* [choices m]: the inputs, by choice */
    uint32_t first[CHOICES]; /* before these all messages of the inputs are spent */
    uint32_t *left;          /* [n]: what a message can still take */
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

/* The orders of all choices; a block takes `wanted` inputs. */
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
    if (options->adversary == NULL)
        return fail(failure, FAIL_USAGE, "pattern adversary needs --against GRAPHFILE");
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
    enum failure_kind kind = pair_list_open(&list, nodes * most, failure);
    if (kind == FAIL_NONE && (filling.order == NULL || filling.left == NULL))
        kind = fail_memory(failure, "the adversary's orders");
    if (kind == FAIL_NONE)
        kind = ask_orders(&filling, (uint32_t)(a_block / kappa) + 1, failure);
    for (uint32_t i = 0; i < nodes && kind == FAIL_NONE; i++)
        filling.left[i] = options->degree;
    if (kind == FAIL_NONE) {
        fill_all(&filling, &blocks);
        kind = pair_list_close(&list, options->shape, set, failure);
    }
    free(list.from);
    free(list.to);
    free(filling.order);
    free(filling.left);
    return kind;
}
