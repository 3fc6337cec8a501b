/* flits_shape.c - neighbours, labels and ways on the network of a trace: the audit's own arithmetic.
 *
 * A node is taken apart into its coordinates, and put together again. Source: doc/network.md and the
 * definitions of base routings: x-first (dimension by dimension, the shorter way round a ring, of two equal ones the
 * growing one if the coordinate on the ring, and those of node and target in later dimensions, have an even sum; on rings of
 * more than 3 nodes with a dateline) and label (the neighbour that is farthest along the
 * path without passing the target), and negative-first (to smaller coordinates before larger ones; along any dimension,
 * or, if it is fixed, along the first).
 */
#include "audit/flits_shape.h"

#include "base/text_scan.h"

#include <string.h>

/* ---- coordinates ---- */

static void take_apart(const struct flits_shape *shape, uint32_t node,
                       uint32_t at[FLITS_DIMENSIONS])
{
    for (uint32_t i = 0; i < shape->dimensions; i++) {
        at[i] = node % shape->size[i];
        node /= shape->size[i];
    }
}

static uint32_t put_together(const struct flits_shape *shape, const uint32_t at[FLITS_DIMENSIONS])
{
    uint32_t node = 0;
    for (uint32_t i = shape->dimensions; i > 0; i--)
        node = node * shape->size[i - 1] + at[i - 1];
    return node;
}

/* Where one hop along dimension i leads; false: nowhere. */
static bool step(const struct flits_shape *shape, uint32_t node, uint32_t i, bool grows,
                 uint32_t *to)
{
    uint32_t at[FLITS_DIMENSIONS], size = shape->size[i];
    take_apart(shape, node, at);
    bool is_last = at[i] == (grows ? size - 1 : 0);
    if (size == 1 || (is_last && shape->form == FORM_MESH))
        return false;
    at[i] = (at[i] + (grows ? 1 : size - 1)) % size;
    *to = put_together(shape, at);
    return true;
}

bool flits_joins(const struct flits_shape *shape, uint32_t from, uint32_t to)
{
    uint32_t next;
    if (shape->form == FORM_GRAPH)
        return from != to;
    for (uint32_t i = 0; i < 2 * shape->dimensions; i++)
        if (step(shape, from, i / 2, i % 2, &next) && next == to)
            return true;
    return false;
}

uint32_t flits_links_of(const struct flits_shape *shape, uint32_t node)
{
    uint32_t links = 0, up = 0, down = 0;
    if (shape->form == FORM_GRAPH)
        return UINT32_MAX;
    for (uint32_t i = 0; i < shape->dimensions; i++) {
        bool has_up = step(shape, node, i, true, &up),
             has_down = step(shape, node, i, false, &down);
        links += has_up + has_down - (has_up && has_down && up == down);
    }
    return links;
}

uint32_t flits_label(const struct flits_shape *shape, uint32_t node)
{
    uint32_t at[FLITS_DIMENSIONS], label = 0;
    take_apart(shape, node, at);
    for (uint32_t i = shape->dimensions; i > 0; i--) {
        uint32_t size = shape->size[i - 1], x = at[i - 1];
        label = label * size + (label % 2 == 0 ? x : size - 1 - x);
    }
    return label;
}

/* ---- ways ---- */

static bool conforms_x_first(const struct flits_shape *shape, const struct flits_hop *hop)
{
    uint32_t at[FLITS_DIMENSIONS], end[FLITS_DIMENSIONS], i = 0, next;
    bool has_classes = false;
    take_apart(shape, hop->from, at);
    take_apart(shape, hop->target, end);
    for (uint32_t j = 0; j < shape->dimensions; j++)
        has_classes |= shape->form == FORM_TORUS && shape->size[j] > 3;
    while (i < shape->dimensions && at[i] == end[i])
        i++;
    if (i == shape->dimensions)
        return false;

    bool is_ahead = end[i] > at[i], grows = is_ahead;
    if (shape->form == FORM_TORUS) {
        uint32_t up = (end[i] + shape->size[i] - at[i]) % shape->size[i];
        uint32_t sum = at[i];
        for (uint32_t j = i + 1; j < shape->dimensions; j++)
            sum += at[j] + end[j];
        grows = 2 * up < shape->size[i] || (2 * up == shape->size[i] && sum % 2 == 0);
    }
    if (!step(shape, hop->from, i, grows, &next) || next != hop->to)
        return false;
    /* The way goes over the wraparound link if it leads away from where the target stands in the row. */
    bool wraps = shape->form == FORM_TORUS && grows != is_ahead;
    bool is_on_it = at[i] == (grows ? shape->size[i] - 1 : 0);
    if (shape->size[i] == 2)
        wraps = false;
    uint32_t class = wraps && !is_on_it ? 0 : 1;
    return !has_classes || hop->vc * 2 / hop->vcs == class;
}

static bool conforms_label(const struct flits_shape *shape, const struct flits_hop *hop)
{
    uint32_t here = flits_label(shape, hop->from), end = flits_label(shape, hop->target), other;
    uint32_t there = flits_label(shape, hop->to);
    if (here < end ? there <= here || there > end : there >= here || there < end)
        return false;
    if (hop->is_first)
        return true;
    for (uint32_t i = 0; i < 2 * shape->dimensions && shape->form != FORM_GRAPH; i++) {
        if (!step(shape, hop->from, i / 2, i % 2, &other))
            continue;
        uint32_t label = flits_label(shape, other);
        if (here < end ? label > there && label <= end : label < there && label >= end)
            return false;
    }
    return true;
}

static bool conforms_negative_first(const struct flits_shape *shape, const struct flits_hop *hop,
                                    bool is_fixed)
{
    uint32_t at[FLITS_DIMENSIONS], end[FLITS_DIMENSIONS], next;
    bool has_smaller = false;
    take_apart(shape, hop->from, at);
    take_apart(shape, hop->target, end);
    for (uint32_t i = 0; i < shape->dimensions; i++)
        has_smaller |= end[i] < at[i];
    for (uint32_t i = 0; i < shape->dimensions; i++) {
        bool is_allowed = has_smaller ? end[i] < at[i] : end[i] > at[i];
        if (!is_allowed)
            continue;
        if (step(shape, hop->from, i, !has_smaller, &next) && next == hop->to)
            return true;
        if (is_fixed)
            return false;
    }
    return false;
}

bool flits_may_turn(enum flits_routing routing, uint32_t from, uint32_t at, uint32_t to)
{
    /* On a mesh a hop to a smaller coordinate is one to a smaller number */
    return !flits_is_negative_first(routing) || at < from || to > at;
}

/* In all dimensions but the last bit i of a virtual channel's class says that links of dimension i go down. */
static bool conforms_sides(const struct flits_shape *shape, const struct flits_hop *hop)
{
    uint32_t at[FLITS_DIMENSIONS], to[FLITS_DIMENSIONS], i = 0;
    uint32_t classes = UINT32_C(1) << (shape->dimensions - 1);
    take_apart(shape, hop->from, at);
    take_apart(shape, hop->to, to);
    while (i + 1 < shape->dimensions && at[i] == to[i])
        i++;
    uint32_t class = hop->vc * classes / hop->vcs;
    return i + 1 == shape->dimensions || (to[i] < at[i]) == (class >> i & 1);
}

bool flits_conforms(const struct flits_shape *shape, enum flits_routing routing,
                    const struct flits_hop *hop)
{
    if (routing == ROUTES_X_FIRST)
        return shape->form != FORM_GRAPH && conforms_x_first(shape, hop);
    if (flits_is_negative_first(routing))
        return conforms_negative_first(shape, hop, routing == ROUTES_NEGATIVE_FIRST_FIXED);
    if (routing == ROUTES_SIDES)
        return conforms_sides(shape, hop);
    return routing != ROUTES_LABEL || conforms_label(shape, hop);
}

/* ---- text ---- */

bool flits_shape_read(struct flits_shape *shape, const char *text, const char *end)
{
    static const char *const forms[] = {"mesh:", "torus:", "graph:"};
    uint32_t size[FLITS_DIMENSIONS];
    uint64_t nodes = 1;
    *shape = (struct flits_shape){.dimensions = 0};
    for (unsigned form = FORM_MESH; form <= FORM_GRAPH; form++) {
        size_t length = strlen(forms[form]);
        if ((size_t)(end - text) <= length || memcmp(text, forms[form], length) != 0)
            continue;
        shape->form = (enum flits_form)form;
        text += length;
        for (bool more = true; more; text += more) {
            uint64_t number = 0;
            const char *begin = text;
            for (; text < end && scan_is_digit(*text) && number <= FLITS_MOST_NODES; text++)
                number = number * 10 + (uint64_t)(*text - '0');
            nodes *= number;
            if (text == begin || nodes < 1 || nodes > FLITS_MOST_NODES ||
                shape->dimensions == FLITS_DIMENSIONS)
                return false;
            size[shape->dimensions++] = (uint32_t)number;
            more = text < end && *text == 'x' && shape->form != FORM_GRAPH;
        }
        for (uint32_t i = 0; i < shape->dimensions; i++)
            shape->size[i] = size[shape->dimensions - 1 - i];
        shape->nodes = (uint32_t)nodes;
        return text == end;
    }
    return false;
}
