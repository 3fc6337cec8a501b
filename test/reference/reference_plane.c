/* reference_plane.c - the golden models of the instructions on planes.
 *
 * Each node has a packet or none. An instruction tells every cell which one is later than it, along
 * a line or a snake: the later of two that are compared gets the packet of larger rank. Or it tells
 * how far packets walk along lines. While lines are paired two cells live at a node, and need no
 * link between them.
 */
#include "test/reference/reference.h"

#include <stdlib.h>

static struct cell *end_of(struct model *m)
{
    return m->cell + (m->end - m->node);
}

void model_open_plane(struct model *m, uint32_t (*key)(void *context, uint32_t packet),
                      void *context)
{
    m->is_paired = false;
    m->plane_is_open = model_steps_left(m) > 0;
    m->failure.kind = m->plane_is_open ? FAIL_NONE : FAIL_VOID;
    for (struct node *node = m->node; node < m->end && m->plane_is_open; node++) {
        struct packet *p = node->at[RESTING];
        m->cell[node->site.index] = (struct cell){.packet = p, .home = node};
        if (p == NULL)
            continue;
        p->rank = key ? key(context, p->name) : m->header.packet[p->name].target;
        p->rank = p->rank * MACHINE_NONE + p->name;
        put(p, node, ON_PLANE);
    }
}

void model_close_plane(struct model *m)
{
    m->plane_is_open = false;
    for (struct cell *cell = m->cell; cell < end_of(m); cell++)
        if (cell->packet != NULL)
            put(cell->packet, cell->home, RESTING);
}

/* Tells each cell where it is on the lines, along which their cuts repeat. Along pairs even rounds
 * are within nodes, odd ones over links. */
static void lay_out(struct model *m, const struct lines *lines)
{
    const uint32_t *cut = lines->cut;
    m->stride = lines->are_columns ? (int)m->config.mesh.cols : 1;
    m->is_along_pairs = m->is_paired && m->columns_are_paired == lines->are_columns;
    for (struct cell *cell = m->cell; cell < end_of(m); cell++) {
        struct site site = m->node[cell - m->cell].site;
        cell->line = lines->are_columns ? site.col : site.row;
        cell->at = (lines->are_columns ? site.row : site.col) % cut[lines->segments];
        for (cell->segment = 0; cut[cell->segment + 1] <= cell->at;)
            cell->segment++;
        cell->x = (int)(cell->at - cut[cell->segment]);
        cell->length = (int)(cut[cell->segment + 1] - cut[cell->segment]);
        cell->rank = cell->packet == NULL ? UINT64_MAX : cell->packet->rank;
        cell->later = cell->x + 1 < cell->length ? cell + m->stride : NULL;
        cell->is_odd = (cell->is_second + (m->is_along_pairs ? 0 : cell->x)) % 2;
    }
}

/* ---- comparisons ---- */

/* The same pairs are compared, but the one before is the later one. */
static void turn_round(const struct model *m, struct cell *cell)
{
    cell->later = cell->x > 0 ? cell - m->stride : NULL;
    cell->is_odd = !cell->is_odd;
}

/* Rule 5: over a link both send an item, their packet if it goes, else a word. Silent cells send no
 * words, since they know beforehand which packets go. */
static void send(struct model *m, const struct cell *from, const struct cell *to, bool goes)
{
    struct packet *p = goes ? from->packet : NULL;
    if (from->home != to->home && (p != NULL || !m->is_silent))
        cross(m, from->home, to->home, p, ON_PLANE);
}

static void compare(struct model *m, const struct node *node, bool round_is_odd)
{
    struct cell *a = &m->cell[node->site.index], *b = a->later, old = *a;
    if (b == NULL || a->is_odd != round_is_odd)
        return;
    bool swaps = b->rank < a->rank;
    send(m, a, b, swaps);
    send(m, b, a, swaps);
    if (swaps) {
        a->packet = b->packet;
        a->rank = b->rank;
        b->packet = old.packet;
        b->rank = old.rank;
    }
}

static void compare_over_links(struct model *m, struct node *node)
{
    compare(m, node, m->is_along_pairs || m->step % 2 == 0);
}

static void compare_within(struct model *m, struct node *node)
{
    if (m->is_along_pairs)
        compare(m, node, false);
}

static void compare_all(struct model *m, uint32_t steps, bool is_silent)
{
    static const struct instruction COMPARE = {compare_over_links, NULL, compare_within};
    m->is_silent = is_silent;
    each_node(m, compare_within);
    run(m, &COMPARE, steps, FIXED);
}

void model_compare(struct model *m, const struct compare *compare)
{
    lay_out(m, &compare->lines);
    for (struct cell *cell = m->cell; cell < end_of(m); cell++) {
        if (compare->line_flag && compare->line_flag[cell->line])
            turn_round(m, cell);
    }
    compare_all(m, compare->steps, false);
}

void model_compare_snakes(struct model *m, const struct snakes *snakes)
{
    lay_out(m, &snakes->lines);
    for (struct cell *cell = m->cell; cell < end_of(m); cell++) {
        const uint32_t *band = snakes->band_cut;
        while (band[1] <= cell->line)
            band++;
        if ((cell->line - band[0]) % 2 == 1)
            turn_round(m, cell);
        if (cell->later == NULL &&
            cell->line + 1 < band[1]) /* behind its end follows the next line */
            cell->later = cell + m->config.mesh.cols + 1 - m->stride;
    }
    compare_all(m, snakes->steps, false);
}

void model_permute(struct model *m, const struct permute *permute)
{
    struct lines lines = {m->columns_are_paired, permute->segments, permute->cut};
    uint32_t period = permute->cut[permute->segments];
    lay_out(m, &lines);
    for (struct cell *cell = m->cell; cell < end_of(m); cell++)
        cell->rank = permute->target[permute->pattern[cell->line] * period + cell->at];
    compare_all(m, permute->steps, true);
}

/* ---- walks ---- */

/* A packet has walked as many cells as there were steps, or its whole way. The way back is made of
 * the same steps in the opposite order: m->how is how many there are, or NULL. */
static void walk_on(struct model *m, struct node *node)
{
    const struct cell *cell = &m->cell[node->site.index];
    int walked = m->how == NULL ? (int)m->step : *(const int *)m->how - (int)m->step;
    int way = cell->way > walked ? walked : cell->way < -walked ? -walked : cell->way;
    struct packet *p = cell->packet;
    struct node *to = cell[way * m->stride].home;
    if (p != NULL && p->node != to)
        cross(m, p->node, to, p, ON_PLANE);
}

static void walk(struct model *m, bool is_back)
{
    static const struct instruction WALK = {walk_on, NULL, NULL};
    int steps = 0;
    for (const struct cell *cell = m->cell; cell < end_of(m); cell++)
        steps = abs(cell->way) > steps ? abs(cell->way) : steps;
    m->how = is_back ? &steps : NULL;
    run(m, &WALK, (uint64_t)steps, FIXED);
}

void model_pair(struct model *m, const struct lines *lines)
{
    lay_out(m, lines);
    for (struct cell *cell = m->cell; cell < end_of(m); cell++)
        cell->way = cell->length / 2 / 2 + cell->x / 2 - cell->x;
    walk(m, false);
    for (struct cell *cell = m->cell; cell < end_of(m); cell++) {
        cell->home += cell->way * m->stride;
        cell->is_second = cell->x % 2 == 1;
    }
    m->is_paired = true;
    m->columns_are_paired = lines->are_columns;
}

void model_unpair(struct model *m)
{
    m->stride = m->columns_are_paired ? (int)m->config.mesh.cols : 1;
    m->is_paired = false;
    for (struct cell *cell = m->cell; cell < end_of(m); cell++) {
        struct node *node = &m->node[cell - m->cell];
        cell->way = (int)(cell->home - node) / m->stride;
        cell->home = node;
        cell->is_second = false;
    }
    walk(m, true);
}
