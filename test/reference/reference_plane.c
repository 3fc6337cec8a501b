/* reference_plane.c - the golden models of the instructions on planes: each node has one packet or none, and
 * neighbours compare, exchange and pass on what they have.
 *
 * Instructions name cells, one for each node. Before lines are paired a cell is its node; while they are,
 * two neighbouring cells of a segment live at each node of its middle half. What stands in two cells of one
 * node changes places without a link.
 */
#include "test/reference/reference_private.h"

/* ---- lines of cells ---- */

static uint32_t line_count(const struct reference *model, bool are_columns)
{
    return are_columns ? model->config.mesh.cols : model->config.mesh.rows;
}

static uint32_t cell_at(const struct reference *model, bool are_columns, uint32_t line, uint32_t at)
{
    return are_columns ? at * model->config.mesh.cols + line : line * model->config.mesh.cols + at;
}

/* Where the cell lives. */
static node_index node_of(const struct reference *model, uint32_t cell)
{
    const struct reference_plane *plane = &model->plane;
    struct site site = reference_site(model, cell);
    if (!plane->is_paired)
        return cell;
    return plane->columns_are_paired ? cell_at(model, true, site.col, plane->home[site.row])
                                     : cell_at(model, false, site.row, plane->home[site.col]);
}

static bool runs_along_pairs(const struct reference *model, const struct lines *lines)
{
    return model->plane.is_paired && model->plane.columns_are_paired == lines->are_columns;
}

/* The packet, if there is one, goes on to `to`: over a link if that is another node. */
static void hop(struct reference *model, uint32_t packet, node_index to)
{
    if (packet != MACHINE_NONE && model->packet[packet].node != to)
        model_cross(model, packet, to, ON_PLANE);
}

/* ---- opening and closing ---- */

enum failure_kind reference_open_plane(struct reference *model,
                                       uint32_t (*key)(void *context, uint32_t packet),
                                       void *context)
{
    if (reference_steps_left(model) == 0)
        return FAIL_VOID;
    model->plane.is_open = true;
    model->plane.is_paired = false;
    for (node_index node = 0; node < model->nodes; node++) {
        uint32_t packet = model->plane.packet[node] = reference_first(model, node, RESTING);
        if (packet == MACHINE_NONE)
            continue;
        model->packet[packet].key =
            key ? key(context, packet) : model->header.packet[packet].target;
        model_move(model, packet, ON_PLANE);
        assert(reference_first(model, node, RESTING) == MACHINE_NONE);
    }
    return FAIL_NONE;
}

void reference_close_plane(struct reference *model)
{
    for (uint32_t cell = 0; cell < model->nodes; cell++)
        if (model->plane.packet[cell] != MACHINE_NONE)
            model_move(model, model->plane.packet[cell], RESTING);
    model->plane.is_open = false;
}

/* ---- comparisons ---- */

/* Whether x comes before y: by key, then by name; nothing is the greatest. */
static bool is_less(const struct reference *model, uint32_t x, uint32_t y)
{
    if (x == MACHINE_NONE || y == MACHINE_NONE)
        return x != MACHINE_NONE && y == MACHINE_NONE;
    uint32_t key_x = model->packet[x].key, key_y = model->packet[y].key;
    return key_x != key_y ? key_x < key_y : x < y;
}

static void send_item(struct reference *model, uint32_t packet, node_index from, node_index to)
{
    if (packet != MACHINE_NONE)
        model_cross(model, packet, to, ON_PLANE);
    else
        model_cross_word(model, from, to);
}

/* Rule 5: over a link both send an item, a packet where it changes hands, else a word. */
static void exchange(struct reference *model, uint32_t a, uint32_t b, bool descends)
{
    uint32_t x = model->plane.packet[a], y = model->plane.packet[b];
    node_index first = node_of(model, a), second = node_of(model, b);
    bool swaps = descends ? is_less(model, x, y) : is_less(model, y, x);
    if (first != second) {
        send_item(model, swaps ? x : MACHINE_NONE, first, second);
        send_item(model, swaps ? y : MACHINE_NONE, second, first);
    }
    model->plane.packet[a] = swaps ? y : x;
    model->plane.packet[b] = swaps ? x : y;
}

/* Where a segment's first round begins: its cells pair up as they do in nodes; across paired lines, those
 * of second cells use the links in the other steps. */
static uint32_t parity_of(const struct reference *model, const struct compare *compare,
                          uint32_t line, uint32_t s)
{
    uint32_t odd = compare->odd != NULL ? compare->odd[s] : 0, start = compare->lines.cut[s];
    if (!model->plane.is_paired || start == compare->lines.cut[s + 1])
        return odd;
    bool along = runs_along_pairs(model, &compare->lines);
    return odd + model->plane.is_second[along ? start : line];
}

static void compare_round(struct reference *model, const struct compare *compare, uint32_t round)
{
    const uint32_t *cut = compare->lines.cut;
    bool are_columns = compare->lines.are_columns;
    for (uint32_t line = 0; line < line_count(model, are_columns); line++)
        for (uint32_t s = 0; s < compare->lines.segments; s++) {
            bool descends = (compare->line_flag != NULL && compare->line_flag[line]) !=
                            (compare->segment_flag != NULL && compare->segment_flag[s]);
            uint32_t at = cut[s] + (round + parity_of(model, compare, line, s)) % 2;
            for (; at + 1 < cut[s + 1]; at += 2)
                exchange(model, cell_at(model, are_columns, line, at),
                         cell_at(model, are_columns, line, at + 1), descends);
        }
}

enum failure_kind reference_compare(struct reference *model, const struct compare *compare,
                                    struct failure *failure)
{
    bool along = runs_along_pairs(model, &compare->lines);
    enum failure_kind kind = FAIL_NONE;
    if (along)
        compare_round(model, compare, 0);
    for (uint32_t step = 0; step < compare->steps && kind == FAIL_NONE; step++) {
        model_advance(model, 1);
        compare_round(model, compare, along ? 2 * step + 1 : step);
        if (along)
            compare_round(model, compare, 2 * step + 2);
        kind = model_end_step(model, failure);
    }
    return kind;
}

/* A round along the snakes: within nodes, or over links; a snake goes back along every second line of its
 * band, and turns from the end of one line to the next. */
static void snake_round(struct reference *model, const struct snakes *snakes, bool over_links)
{
    bool are_columns = snakes->lines.are_columns;
    for (uint32_t band = 0; band < snakes->bands; band++)
        for (uint32_t line = snakes->band_cut[band]; line < snakes->band_cut[band + 1]; line++)
            for (uint32_t s = 0; s < snakes->lines.segments; s++) {
                uint32_t start = snakes->lines.cut[s], end = snakes->lines.cut[s + 1];
                bool goes_back = (line - snakes->band_cut[band]) % 2 == 1;
                uint32_t turn = goes_back ? start : end - 1;
                for (uint32_t at = start + over_links; at + 1 < end; at += 2)
                    exchange(model, cell_at(model, are_columns, line, at),
                             cell_at(model, are_columns, line, at + 1), goes_back);
                if (over_links && start < end && line + 1 < snakes->band_cut[band + 1])
                    exchange(model, cell_at(model, are_columns, line, turn),
                             cell_at(model, are_columns, line + 1, turn), false);
            }
}

enum failure_kind reference_compare_snakes(struct reference *model, const struct snakes *snakes,
                                           struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    snake_round(model, snakes, false);
    for (uint32_t step = 0; step < snakes->steps && kind == FAIL_NONE; step++) {
        model_advance(model, 1);
        snake_round(model, snakes, true);
        snake_round(model, snakes, false);
        kind = model_end_step(model, failure);
    }
    return kind;
}

/* ---- rotation ---- */

/* A segment in a step, from 1: in front of each stream a packet hops first. What began at distance x and
 * does not wrap is at x + step - 1; what wraps, at x - step + 1. */
static void rotate_segment(struct reference *model, const struct rotate *rotate, uint32_t line,
                           uint32_t s, uint32_t step)
{
    uint32_t start = rotate->lines.cut[s], length = rotate->lines.cut[s + 1] - start;
    uint32_t shift = rotate->shift(rotate->context, line, s), stay = length - shift;
    bool are_columns = rotate->lines.are_columns;
    for (uint32_t x = length; step <= shift && x-- > step;)
        if (x - step < stay)
            hop(model, model->plane.packet[cell_at(model, are_columns, line, start + x - step)],
                node_of(model, cell_at(model, are_columns, line, start + x)));
    for (uint32_t x = 0; shift > 0 && step <= stay && x + step < length; x++)
        if (x + step >= stay)
            hop(model, model->plane.packet[cell_at(model, are_columns, line, start + x + step)],
                node_of(model, cell_at(model, are_columns, line, start + x)));
}

/* Behind the last step each packet is given to the cell to which it has come. */
static void rename_segment(struct reference *model, const struct rotate *rotate, uint32_t line,
                           uint32_t s, uint32_t *room)
{
    uint32_t start = rotate->lines.cut[s], length = rotate->lines.cut[s + 1] - start;
    uint32_t shift = rotate->shift(rotate->context, line, s);
    bool are_columns = rotate->lines.are_columns;
    for (uint32_t x = 0; x < length; x++)
        room[(x + shift) % length] =
            model->plane.packet[cell_at(model, are_columns, line, start + x)];
    for (uint32_t x = 0; x < length; x++)
        model->plane.packet[cell_at(model, are_columns, line, start + x)] = room[x];
}

enum failure_kind reference_rotate(struct reference *model, const struct rotate *rotate,
                                   struct failure *failure)
{
    uint32_t lines = line_count(model, rotate->lines.are_columns), steps = 0;
    uint32_t segments = rotate->lines.segments, *room = calloc(model->nodes, sizeof *room);
    enum failure_kind kind = FAIL_NONE;
    assert(room != NULL);
    for (uint32_t i = 0; i < lines * segments; i++) {
        uint32_t shift = rotate->shift(rotate->context, i / segments, i % segments);
        uint32_t length = rotate->lines.cut[i % segments + 1] - rotate->lines.cut[i % segments];
        uint32_t most = shift > length - shift ? shift : length - shift;
        steps = shift > 0 && most > steps ? most : steps;
    }
    for (uint32_t step = 1; step <= steps && kind == FAIL_NONE; step++) {
        model_advance(model, 1);
        for (uint32_t i = 0; i < lines * segments; i++)
            rotate_segment(model, rotate, i / segments, i % segments, step);
        kind = model_end_step(model, failure);
    }
    for (uint32_t i = 0; i < lines * segments && kind == FAIL_NONE; i++)
        rename_segment(model, rotate, i / segments, i % segments, room);
    free(room);
    return kind;
}

/* ---- pairing ---- */

/* The packet of the cell at position `at` takes the walk's link number `link`, if it walks so far. */
static void walk_packet(struct reference *model, uint32_t line, uint32_t at, uint32_t link,
                        bool is_inward)
{
    bool are_columns = model->plane.columns_are_paired;
    uint32_t home = model->plane.home[at], links = home > at ? home - at : at - home;
    uint32_t far = home > at ? at + link : at - link, near = home > at ? far - 1 : far + 1;
    if (link <= links)
        hop(model, model->plane.packet[cell_at(model, are_columns, line, at)],
            cell_at(model, are_columns, line, is_inward ? far : near));
}

/* Of the packets that walk one way the one in front goes first. */
static enum failure_kind walk(struct reference *model, bool is_inward, struct failure *failure)
{
    const struct reference_plane *plane = &model->plane;
    uint32_t lines = line_count(model, plane->columns_are_paired), steps = 0;
    uint32_t length = line_count(model, !plane->columns_are_paired);
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t at = 0; at < length; at++) {
        uint32_t home = plane->home[at], links = home > at ? home - at : at - home;
        steps = links > steps ? links : steps;
    }
    for (uint32_t step = 1; step <= steps && kind == FAIL_NONE; step++) {
        uint32_t link = is_inward ? step : steps + 1 - step;
        model_advance(model, 1);
        for (uint32_t i = 0; i < lines * length; i++) {
            uint32_t line = i / length, here = i % length, there = length - 1 - here;
            uint32_t on = is_inward ? there : here, back = is_inward ? here : there;
            if (plane->home[on] > on)
                walk_packet(model, line, on, link, is_inward);
            if (plane->home[back] < back)
                walk_packet(model, line, back, link, is_inward);
        }
        kind = model_end_step(model, failure);
    }
    return kind;
}

enum failure_kind reference_pair(struct reference *model, const struct lines *lines,
                                 struct failure *failure)
{
    struct reference_plane *plane = &model->plane;
    plane->columns_are_paired = lines->are_columns;
    for (uint32_t s = 0; s < lines->segments; s++)
        for (uint32_t start = lines->cut[s], at = start; at < lines->cut[s + 1]; at++) {
            plane->home[at] = start + (lines->cut[s + 1] - start) / 2 / 2 + (at - start) / 2;
            plane->is_second[at] = (at - start) % 2;
        }
    enum failure_kind kind = walk(model, true, failure);
    plane->is_paired = kind == FAIL_NONE;
    return kind;
}

enum failure_kind reference_unpair(struct reference *model, struct failure *failure)
{
    model->plane.is_paired = false;
    return walk(model, false, failure);
}

/* ---- permutation ---- */

/* Of neighbouring cells, those of each node or those that a link joins, what has the farther target goes
 * behind. The packets stay where they are for now. */
static void permute_round(struct reference *model, const struct permute *permute, uint32_t line,
                          uint32_t *target, bool over_links)
{
    bool are_columns = model->plane.columns_are_paired;
    uint32_t length = line_count(model, !are_columns), period = permute->cut[permute->segments];
    for (uint32_t i = 0; i < length / period * permute->segments; i++) {
        uint32_t s = i % permute->segments, first = i / permute->segments * period;
        for (uint32_t x = permute->cut[s] + over_links; x + 1 < permute->cut[s + 1]; x += 2) {
            uint32_t a = cell_at(model, are_columns, line, first + x), held = target[a];
            uint32_t b = cell_at(model, are_columns, line, first + x + 1);
            uint32_t packet = model->plane.packet[a];
            if (target[a] < target[b])
                continue;
            target[a] = target[b];
            target[b] = held;
            model->plane.packet[a] = model->plane.packet[b];
            model->plane.packet[b] = packet;
        }
    }
}

/* Packets whose cell lives at another node now cross the link to it. */
static void follow_cells(struct reference *model, uint32_t line)
{
    bool are_columns = model->plane.columns_are_paired;
    for (uint32_t at = 0; at < line_count(model, !are_columns); at++) {
        uint32_t cell = cell_at(model, are_columns, line, at);
        hop(model, model->plane.packet[cell], node_of(model, cell));
    }
}

enum failure_kind reference_permute(struct reference *model, const struct permute *permute,
                                    struct failure *failure)
{
    bool are_columns = model->plane.columns_are_paired;
    uint32_t lines = line_count(model, are_columns), length = line_count(model, !are_columns);
    uint32_t period = permute->cut[permute->segments];
    uint32_t *target = calloc(model->nodes, sizeof *target); /* [cell]: where in its period */
    enum failure_kind kind = FAIL_NONE;
    assert(target != NULL);
    for (uint32_t i = 0; i < lines * length; i++)
        target[cell_at(model, are_columns, i / length, i % length)] =
            permute->target[permute->pattern[i / length] * period + i % length % period];
    for (uint32_t line = 0; line < lines; line++)
        permute_round(model, permute, line, target, false);
    for (uint32_t step = 0; step < permute->steps && kind == FAIL_NONE; step++) {
        model_advance(model, 1);
        for (uint32_t line = 0; line < lines; line++) {
            permute_round(model, permute, line, target, true);
            permute_round(model, permute, line, target, false);
            follow_cells(model, line);
        }
        kind = model_end_step(model, failure);
    }
    free(target);
    return kind;
}
