/* reference_plane.c - the golden models of the instructions on planes.
 *
 * Each node has a packet or none. An instruction gives every cell a duty; then either cells that follow
 * each other compare and exchange what they have, or packets walk along the lines. While lines are paired two
 * cells live at a node, and need no link between them.
 */
#include "test/reference/reference_private.h"

#include <stdlib.h>

/* Tells each cell where it is on the lines of an instruction, along which these cuts repeat. */
static void lay_out(struct model *m, bool are_columns, const uint32_t *cut, uint32_t segments)
{
    uint32_t period = cut[segments];
    m->stride = are_columns ? (int)m->config.mesh.cols : 1;
    m->is_along_pairs = m->is_paired && m->columns_are_paired == are_columns;
    for (struct node *node = m->node; node < m->end; node++) {
        uint32_t at = are_columns ? node->site.row : node->site.col, s = 0;
        while (cut[s + 1] <= at % period)
            s++;
        node->duty = (struct duty){.line = are_columns ? node->site.col : node->site.row,
                                   .segment = s,
                                   .x = (int)(at % period - cut[s]),
                                   .length = (int)(cut[s + 1] - cut[s]),
                                   .at = at % period};
        node->cell.rank = node->cell.packet == NULL ? UINT64_MAX : node->cell.packet->rank;
    }
}

void model_open_plane(struct model *m, uint32_t (*key)(void *context, uint32_t packet),
                      void *context)
{
    m->is_paired = false;
    m->plane_is_open = model_steps_left(m) > 0;
    m->failure.kind = m->plane_is_open ? FAIL_NONE : FAIL_VOID;
    for (struct node *node = m->node; node < m->end && m->plane_is_open; node++) {
        struct packet *p = node->at[RESTING];
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
    m->plane_is_open = false;
    for (struct node *node = m->node; node < m->end; node++)
        if (node->cell.packet != NULL)
            put(node->cell.packet, node->cell.home, RESTING);
}

/* ---- comparisons ---- */

/* Rule 5: over a link both send an item, their packet if it goes, else a word. Silent cells send no words, since
 * they know beforehand what goes. */
static void exchange(struct model *m, struct cell *a, struct cell *b, bool descends)
{
    struct cell old[] = {*a, *b};
    bool swaps = descends ? a->rank < b->rank : b->rank < a->rank;
    for (int i = 0; i < 2 && a->home != b->home; i++) {
        struct packet *p = swaps ? old[i].packet : NULL;
        if (p != NULL || !m->is_silent)
            cross(m, old[i].home, old[1 - i].home, p, ON_PLANE);
    }
    a->packet = old[swaps].packet;
    a->rank = old[swaps].rank;
    b->packet = old[!swaps].packet;
    b->rank = old[!swaps].rank;
}

/* Along pairs even rounds are within nodes, odd ones over links, where snakes turn, too. */
static void compare_round(struct model *m, uint64_t round)
{
    for (struct node *node = m->node; node < m->end; node++) {
        const struct duty *duty = &node->duty;
        uint64_t x = node->cell.is_second + (m->is_along_pairs ? 0 : duty->x) + duty->is_odd;
        if ((x + round) % 2 == 0 && duty->x + 1 < duty->length)
            exchange(m, &node->cell, &node[m->stride].cell, duty->descends);
        if (round % 2 == 1 && duty->turns)
            exchange(m, &node->cell, &node[m->config.mesh.cols + 1 - m->stride].cell, false);
    }
}

static void compare_step(struct model *m, const void *how, uint64_t step)
{
    (void)how;
    compare_round(m, m->is_along_pairs ? 2 * step - 1 : step - 1);
    if (m->is_along_pairs)
        compare_round(m, 2 * step);
}

static void compare_all(struct model *m, uint32_t steps, bool is_silent)
{
    m->is_silent = is_silent;
    if (m->is_along_pairs)
        compare_round(m, 0);
    run(m, steps, FIXED, compare_step, NULL);
}

void model_compare(struct model *m, const struct compare *compare)
{
    lay_out(m, compare->lines.are_columns, compare->lines.cut, compare->lines.segments);
    for (struct node *node = m->node; node < m->end; node++) {
        struct duty *duty = &node->duty;
        duty->descends = (compare->line_flag && compare->line_flag[duty->line]) !=
                         (compare->segment_flag && compare->segment_flag[duty->segment]);
        duty->is_odd = compare->odd && compare->odd[duty->segment];
    }
    compare_all(m, compare->steps, false);
}

void model_compare_snakes(struct model *m, const struct snakes *snakes)
{
    lay_out(m, snakes->lines.are_columns, snakes->lines.cut, snakes->lines.segments);
    for (struct node *node = m->node; node < m->end; node++) {
        struct duty *duty = &node->duty;
        const uint32_t *band = snakes->band_cut;
        while (band[1] <= duty->line)
            band++;
        duty->descends = (duty->line - band[0]) % 2 == 1;
        bool is_end = duty->x == (duty->descends ? 0 : duty->length - 1);
        duty->turns = is_end && duty->line + 1 < band[1];
    }
    compare_all(m, snakes->steps, false);
}

void model_permute(struct model *m, const struct permute *permute)
{
    uint32_t period = permute->cut[permute->segments];
    lay_out(m, m->columns_are_paired, permute->cut, permute->segments);
    for (struct node *node = m->node; node < m->end; node++) {
        uint32_t pattern = permute->pattern[node->duty.line];
        node->cell.rank = permute->target[pattern * period + node->duty.at];
    }
    compare_all(m, permute->steps, true);
}

/* ---- walks ---- */

/* A packet has walked as many cells as there were steps, or its whole way. The way back is made of the same
 * steps in the opposite order. */
static void walk_step(struct model *m, const void *how, uint64_t step)
{
    const int *steps = how; /* of the way back; NULL: it is the way there */
    int walked = steps == NULL ? (int)step : *steps - (int)step;
    for (struct node *node = m->node; node < m->end; node++) {
        int way = node->duty.way;
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
        steps = abs(node->duty.way) > steps ? abs(node->duty.way) : steps;
    run(m, (uint64_t)steps, FIXED, walk_step, is_back ? &steps : NULL);
}

void model_rotate(struct model *m, const struct rotate *rotate)
{
    lay_out(m, rotate->lines.are_columns, rotate->lines.cut, rotate->lines.segments);
    for (struct node *node = m->node; node < m->end; node++) {
        struct duty *duty = &node->duty;
        int shift = (int)rotate->shift(rotate->context, duty->line, duty->segment);
        duty->way = duty->x + shift < duty->length ? shift : shift - duty->length;
    }
    walk(m, false);
    for (struct node *node = m->node; node < m->end; node++)
        node[node->duty.way * m->stride].duty.coming = node->cell.packet;
    for (struct node *node = m->node; node < m->end; node++)
        node->cell.packet = node->duty.coming;
}

void model_pair(struct model *m, const struct lines *lines)
{
    lay_out(m, lines->are_columns, lines->cut, lines->segments);
    for (struct node *node = m->node; node < m->end; node++) {
        int x = node->duty.x;
        node->duty.way = node->duty.length / 2 / 2 + x / 2 - x;
        node->cell.is_second = x % 2 == 1;
    }
    walk(m, false);
    for (struct node *node = m->node; node < m->end; node++)
        node->cell.home = node + node->duty.way * m->stride;
    m->is_paired = true;
    m->columns_are_paired = lines->are_columns;
}

void model_unpair(struct model *m)
{
    m->stride = m->columns_are_paired ? (int)m->config.mesh.cols : 1;
    m->is_paired = false;
    for (struct node *node = m->node; node < m->end; node++) {
        node->duty.way = (int)(node->cell.home - node) / m->stride;
        node->cell.home = node;
        node->cell.is_second = false;
    }
    walk(m, true);
}
