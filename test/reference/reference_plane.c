/* reference_plane.c - the golden models of the instructions on planes.
 *
 * Each node has a packet or none. An instruction tells every cell of its lines what to do, and then either
 * cells that follow each other compare and exchange what they have, or packets walk along the lines. While
 * lines are paired two cells live at a node, and what they exchange needs no link.
 */
#include "test/reference/reference_private.h"

#include <stdlib.h>

/* Tells each cell where it is on lines that repeat these cuts. */
static void lay_out(struct model *m, bool are_columns, const uint32_t *cut, uint32_t segments)
{
    uint32_t period = cut[segments];
    m->stride = are_columns ? (int)m->config.mesh.cols : 1;
    m->is_along_pairs = m->is_paired && m->columns_are_paired == are_columns;
    m->is_silent = false;
    for (struct node *node = m->node; node < m->end; node++) {
        struct cell *cell = &node->cell;
        uint32_t at = are_columns ? node->site.row : node->site.col, s = 0;
        while (cut[s + 1] <= at % period)
            s++;
        *cell = (struct cell){.packet = cell->packet,
                              .home = cell->home,
                              .is_second = cell->is_second,
                              .line = are_columns ? node->site.col : node->site.row,
                              .segment = s,
                              .at = (int)at,
                              .start = (int)(at - at % period + cut[s]),
                              .end = (int)(at - at % period + cut[s + 1]),
                              .rank = cell->packet ? cell->packet->rank : UINT64_MAX};
    }
}

void model_open_plane(struct model *m, uint32_t (*key)(void *context, uint32_t packet),
                      void *context)
{
    m->is_paired = false;
    if (model_steps_left(m) == 0)
        m->failure.kind = FAIL_VOID;
    for (struct node *node = m->node; m->failure.kind == FAIL_NONE && node < m->end; node++) {
        struct packet *p = node->at[RESTING];
        m->plane_is_open = true;
        node->cell = (struct cell){.packet = p, .home = node};
        if (p == NULL)
            continue;
        p->rank = key ? key(context, p->name) : m->header.packet[p->name].target;
        p->rank = p->rank * MACHINE_NONE + p->name; /* by key, then by name */
        put(p, node, ON_PLANE);
    }
}

void model_close_plane(struct model *m)
{
    for (struct node *node = m->node; node < m->end; node++)
        if (node->cell.packet != NULL)
            put(node->cell.packet, node->cell.packet->node, RESTING);
    m->plane_is_open = false;
}

/* ---- comparisons ---- */

/* Rule 5: over a link each sends an item, its packet if that goes, else a word. */
static void exchange(struct model *m, struct cell *a, struct cell *b, bool descends)
{
    struct packet *held = a->packet;
    uint64_t rank = a->rank;
    bool swaps = descends ? a->rank < b->rank : b->rank < a->rank;
    if (a->home != b->home && (!m->is_silent || (swaps && a->packet != NULL)))
        cross(m, a->home, b->home, swaps ? a->packet : NULL, ON_PLANE);
    if (a->home != b->home && (!m->is_silent || (swaps && b->packet != NULL)))
        cross(m, b->home, a->home, swaps ? b->packet : NULL, ON_PLANE);
    a->packet = swaps ? b->packet : held;
    b->packet = swaps ? held : b->packet;
    a->rank = swaps ? b->rank : rank;
    b->rank = swaps ? rank : b->rank;
}

/* Along pairs even rounds are within nodes, odd ones over links, where snakes also turn. */
static void compare_round(struct model *m, uint64_t round)
{
    for (struct node *node = m->node; node < m->end; node++) {
        struct cell *cell = &node->cell;
        int x = m->is_along_pairs ? 0 : cell->at - cell->start;
        if ((round + cell->is_second + cell->is_odd + (uint64_t)x) % 2 == 0 &&
            cell->at + 1 < cell->end)
            exchange(m, cell, &node[m->stride].cell, cell->descends);
        if (cell->turns && round % 2 == 1)
            exchange(m, cell, &node[m->config.mesh.cols + 1 - m->stride].cell, false);
    }
}

static void compare_step(struct model *m, const void *how, uint64_t step)
{
    (void)how;
    compare_round(m, m->is_along_pairs ? 2 * step - 1 : step - 1);
    if (m->is_along_pairs)
        compare_round(m, 2 * step);
}

static void compare_all(struct model *m, uint32_t steps)
{
    if (m->is_along_pairs)
        compare_round(m, 0);
    run(m, steps, false, compare_step, NULL);
}

void model_compare(struct model *m, const struct compare *compare)
{
    lay_out(m, compare->lines.are_columns, compare->lines.cut, compare->lines.segments);
    for (struct node *node = m->node; node < m->end; node++) {
        struct cell *cell = &node->cell;
        cell->descends = (compare->line_flag && compare->line_flag[cell->line]) !=
                         (compare->segment_flag && compare->segment_flag[cell->segment]);
        cell->is_odd = compare->odd && compare->odd[cell->segment];
    }
    compare_all(m, compare->steps);
}

void model_compare_snakes(struct model *m, const struct snakes *snakes)
{
    lay_out(m, snakes->lines.are_columns, snakes->lines.cut, snakes->lines.segments);
    for (struct node *node = m->node; node < m->end; node++) {
        struct cell *cell = &node->cell;
        const uint32_t *band = snakes->band_cut;
        while (band[1] <= cell->line)
            band++;
        cell->descends = (cell->line - band[0]) % 2 == 1;
        cell->turns =
            cell->line + 1 < band[1] && cell->at == (cell->descends ? cell->start : cell->end - 1);
    }
    compare_all(m, snakes->steps);
}

void model_permute(struct model *m, const struct permute *permute)
{
    uint32_t period = permute->cut[permute->segments];
    lay_out(m, m->columns_are_paired, permute->cut, permute->segments);
    m->is_silent = true; /* all know what goes where */
    for (struct node *node = m->node; node < m->end; node++)
        node->cell.rank = permute->target[permute->pattern[node->cell.line] * period +
                                          (uint32_t)node->cell.at % period];
    compare_all(m, permute->steps);
}

/* ---- walks ---- */

/* Each packet is as far on its way as `walked` steps take it. */
static void walk_step(struct model *m, const void *how, uint64_t step)
{
    const int *steps = how; /* back: of the way there; NULL: forward */
    int walked = steps == NULL ? (int)step : *steps - (int)step;
    for (struct node *node = m->node; node < m->end; node++) {
        int way = node->cell.way;
        struct packet *p = node->cell.packet;
        way = way > walked ? walked : way < -walked ? -walked : way;
        struct node *to = node[way * m->stride].cell.home;
        if (p != NULL && p->node != to)
            cross(m, p->node, to, p, ON_PLANE);
    }
}

static void walk(struct model *m, bool is_back)
{
    int steps = 0;
    for (const struct node *node = m->node; node < m->end; node++)
        steps = abs(node->cell.way) > steps ? abs(node->cell.way) : steps;
    run(m, (uint64_t)steps, false, walk_step, is_back ? &steps : NULL);
}

void model_rotate(struct model *m, const struct rotate *rotate)
{
    lay_out(m, rotate->lines.are_columns, rotate->lines.cut, rotate->lines.segments);
    for (struct node *node = m->node; node < m->end; node++) {
        struct cell *cell = &node->cell;
        int shift = (int)rotate->shift(rotate->context, cell->line, cell->segment);
        cell->way = cell->at + shift < cell->end ? shift : shift - (cell->end - cell->start);
    }
    walk(m, false);
    for (struct node *node = m->node; node < m->end; node++)
        node[node->cell.way * m->stride].cell.coming = node->cell.packet;
    for (struct node *node = m->node; node < m->end; node++)
        node->cell.packet = node->cell.coming;
}

void model_pair(struct model *m, const struct lines *lines)
{
    lay_out(m, lines->are_columns, lines->cut, lines->segments);
    for (struct node *node = m->node; node < m->end; node++) {
        int x = node->cell.at - node->cell.start, length = node->cell.end - node->cell.start;
        node->cell.way = length / 2 / 2 + x / 2 - x;
        node->cell.is_second = x % 2 == 1;
    }
    walk(m, false);
    for (struct node *node = m->node; node < m->end; node++)
        node->cell.home = node + node->cell.way * m->stride;
    m->is_paired = true;
    m->columns_are_paired = lines->are_columns;
}

void model_unpair(struct model *m)
{
    m->stride = m->columns_are_paired ? (int)m->config.mesh.cols : 1;
    m->is_paired = false;
    for (struct node *node = m->node; node < m->end; node++) {
        node->cell.way = (int)(node->cell.home - node) / m->stride;
        node->cell.home = node;
        node->cell.is_second = false;
    }
    walk(m, true);
}
