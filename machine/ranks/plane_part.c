/* plane_part.c - the parts of a plane on which a rank works.
 *
 * Lines along rows are a rank's own. Segments of columns within its rows are also its own. The rest
 * cross borders: for each instruction their words go to the ranks that share out the columns, all
 * rows of a column to one of them, which does all steps at once, and back. So a word crosses twice,
 * for any number of steps, nothing is computed twice, and every hop is counted by one rank.
 * (Borders several rows deep, which each rank would compute beside its own rows, are slower for
 * every depth.)
 *
 * Snakes turn from line to line, so there each rank also needs lines beside its own; see snake.c.
 *
 * Columns are shared out some at a time, as many as keep the threads busy, so that copies need
 * little memory.
 * Cost: on several ranks 16 bytes per node of the columns at a time. A word that goes to another
 * rank is copied before it is sent and when it is back; one that stays goes to the columns and
 * back.
 */
#include "machine/plane/plane_private.h"

#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

/* Rows of segments that cross borders, one after the other. */
struct stretch {
    uint32_t start, end;
};

struct sharing {
    struct machine *machine;
    const uint32_t *band; /* of ranks: see struct plane */
    uint32_t ranks, rank, mesh_cols;
    struct stretch *stretch;
    uint32_t stretches;
    uint32_t beside;
    uint32_t first_col, cols; /* that are shared out now */
    uint64_t *word;           /* of this rank's columns in all stretches, row after row */
    uint64_t *crossing;       /* of other ranks' columns in its rows, rank after rank */
    struct rank_trade *trade; /* [ranks] */
};

/* ---- shares of rows and columns ---- */

/* Returns the rows of a rank within a stretch; start >= end: none. */
static struct stretch rows_of(const struct sharing *sharing, uint32_t rank, uint32_t number)
{
    const struct stretch *stretch = &sharing->stretch[number];
    return (struct stretch){max_u32(stretch->start, sharing->band[rank]),
                            min_u32(stretch->end, sharing->band[rank + 1])};
}

/* Returns the number of rows of a rank that are in stretches. */
static size_t shared_rows(const struct sharing *sharing, uint32_t rank)
{
    size_t rows = 0;
    for (uint32_t i = 0; i < sharing->stretches; i++) {
        struct stretch own = rows_of(sharing, rank, i);
        rows += own.start < own.end ? own.end - own.start : 0;
    }
    return rows;
}

/* Returns the columns that a rank gets, with or without those beside them. */
static struct stretch columns_of(const struct sharing *sharing, uint32_t rank, bool with_beside)
{
    uint32_t first = sharing->first_col, beside = with_beside ? sharing->beside : 0;
    uint32_t start = first + parallel_band_start(sharing->cols, rank, sharing->ranks);
    uint32_t end = first + parallel_band_start(sharing->cols, rank + 1, sharing->ranks);
    uint32_t room = sharing->mesh_cols - end;
    return (struct stretch){start - min_u32(beside, start), end + min_u32(beside, room)};
}

/* Finds the stretches of these columns, cut as `lines` are. */
static void find_stretches(struct sharing *sharing, const struct lines *lines)
{
    uint32_t rank = 0;
    for (uint32_t s = 0; s < lines->segments; s++) {
        struct stretch segment = {lines->cut[s], lines->cut[s + 1]};
        while (rank + 1 < sharing->ranks && sharing->band[rank + 1] <= segment.start)
            rank++;
        if (segment.start == segment.end || segment.end <= sharing->band[rank + 1])
            continue;
        struct stretch *last = &sharing->stretch[sharing->stretches];
        if (sharing->stretches > 0 && last[-1].end == segment.start)
            last[-1].end = segment.end;
        else
            sharing->stretch[sharing->stretches++] = segment;
    }
}

/* ---- messages ---- */

/* Exchanges the words of sharing->trade, and clears it. False: it failed, now or before. */
static bool trade(const struct sharing *sharing)
{
    struct machine *machine = sharing->machine;
    if (machine->rank_failure.kind == FAIL_NONE)
        ranks_trade(machine->config.ranks, sharing->trade, &machine->rank_failure);
    memset(sharing->trade, 0, sharing->ranks * sizeof *sharing->trade);
    return machine->rank_failure.kind == FAIL_NONE;
}

/* Copies columns of this rank's rows in stretches from the plane to contiguous words, or back;
 * returns their number. */
static size_t copy_columns(const struct sharing *sharing, struct stretch columns, uint64_t *plane,
                           uint64_t *words, bool back)
{
    size_t width = columns.end - columns.start, count = 0;
    for (uint32_t s = 0; s < sharing->stretches; s++) {
        struct stretch own = rows_of(sharing, sharing->rank, s);
        for (uint32_t row = own.start; row < own.end; row++, count += width) {
            uint64_t *at = plane + (size_t)row * sharing->mesh_cols + columns.start;
            memcpy(back ? at : words + count, back ? words + count : at, width * sizeof *at);
        }
    }
    return count;
}

/* Brings the words of this rank's columns. */
static bool bring_columns(const struct sharing *sharing, uint64_t *plane, uint64_t *words)
{
    struct stretch own = columns_of(sharing, sharing->rank, true);
    uint64_t *out = sharing->crossing;
    for (uint32_t i = 0; i < sharing->ranks; i++) {
        size_t count = shared_rows(sharing, i) * (own.end - own.start);
        if (i == sharing->rank) {
            copy_columns(sharing, own, plane, words, false);
        } else {
            size_t sent = copy_columns(sharing, columns_of(sharing, i, true), plane, out, false);
            sharing->trade[i] =
                (struct rank_trade){out, sent * sizeof *out, words, count * sizeof *words};
            out += sent;
        }
        words += count;
    }
    return trade(sharing);
}

/* Leaves out the columns beside this rank's own. */
static void narrow_columns(const struct sharing *sharing, uint64_t *words)
{
    struct stretch own = columns_of(sharing, sharing->rank, false);
    struct stretch with_beside = columns_of(sharing, sharing->rank, true);
    size_t width = own.end - own.start, stride = with_beside.end - with_beside.start, rows = 0;
    for (uint32_t i = 0; i < sharing->ranks; i++)
        rows += shared_rows(sharing, i);
    for (size_t row = 0; width < stride && row < rows; row++)
        memmove(words + row * width, words + row * stride + own.start - with_beside.start,
                width * sizeof *words);
}

/* Sends back the words of bring_columns(), except columns beside. */
static void return_columns(const struct sharing *sharing, uint64_t *words, uint64_t *plane)
{
    struct stretch own = columns_of(sharing, sharing->rank, false);
    size_t own_rows = shared_rows(sharing, sharing->rank);
    uint64_t *in = sharing->crossing;
    narrow_columns(sharing, words);
    for (uint32_t i = 0; i < sharing->ranks; i++) {
        struct stretch columns = columns_of(sharing, i, false);
        size_t count = shared_rows(sharing, i) * (own.end - own.start);
        size_t got = own_rows * (columns.end - columns.start);
        if (i == sharing->rank) {
            copy_columns(sharing, own, plane, words, true);
        } else {
            sharing->trade[i] =
                (struct rank_trade){words, count * sizeof *words, in, got * sizeof *in};
            in += got;
        }
        words += count;
    }
    in = sharing->crossing;
    bool whole = trade(sharing);
    for (uint32_t i = 0; whole && i < sharing->ranks; i++)
        if (i != sharing->rank)
            in += copy_columns(sharing, columns_of(sharing, i, false), plane, in, true);
}

/* ---- columns ---- */

typedef void part_act(void *work, const struct plane_part *part);

/* Does the columns' segments within the rank's rows. */
static void act_within(const struct sharing *sharing, part_act *act, void *work)
{
    struct plane *plane = sharing->machine->plane;
    uint32_t start = sharing->machine->first_row, end = sharing->machine->end_row;
    for (uint32_t s = 0; s < sharing->stretches; s++) {
        struct stretch own = rows_of(sharing, sharing->rank, s);
        if (own.start < own.end && own.start == start)
            start = own.end;
        else if (own.start < own.end)
            end = own.start;
    }
    size_t first = (size_t)start * sharing->mesh_cols;
    struct plane_part part = {.word = plane->word + first,
                              .end_line = sharing->mesh_cols,
                              .end_own = sharing->mesh_cols,
                              .start = start,
                              .end = end,
                              .along = sharing->mesh_cols,
                              .across = 1};
    if (start < end)
        act(work, &part);
}

/* Does this rank's columns in all stretches. */
static void act_across(const struct sharing *sharing, part_act *act, void *work)
{
    struct stretch own = columns_of(sharing, sharing->rank, false);
    struct stretch lines = columns_of(sharing, sharing->rank, true);
    struct plane_part part = {.word = sharing->word,
                              .first_line = lines.start,
                              .end_line = lines.end,
                              .own_line = own.start,
                              .end_own = own.end,
                              .along = lines.end - lines.start,
                              .across = 1};
    for (uint32_t s = 0; own.start < own.end && s < sharing->stretches; s++) {
        part.start = sharing->stretch[s].start;
        part.end = sharing->stretch[s].end;
        act(work, &part);
        part.word += (part.end - part.start) * part.along;
    }
}

/* Makes room for so many columns of all ranks at a time. */
static bool make_room(struct sharing *sharing, uint32_t cols)
{
    size_t rows = 0, width = (size_t)cols / sharing->ranks + 1 + 2 * (size_t)sharing->beside;
    for (uint32_t i = 0; i < sharing->ranks; i++)
        rows += shared_rows(sharing, i);
    size_t own = shared_rows(sharing, sharing->rank) * sharing->ranks;
    sharing->word = memory_allocate(rows * width, sizeof *sharing->word);
    sharing->crossing = memory_allocate(own * width, sizeof *sharing->crossing);
    return sharing->word && sharing->crossing;
}

static void act_on_columns(struct sharing *sharing, part_act *act, void *work)
{
    enum { WORTH = 128 }; /* columns of a thread */
    uint64_t *plane = sharing->machine->plane->word;
    uint32_t mesh_cols = sharing->mesh_cols;
    uint32_t step = WORTH * sharing->machine->most_threads * sharing->ranks;
    act_within(sharing, act, work);
    if (sharing->stretches == 0)
        return;
    if (sharing->beside > 0) /* the other ranks' columns as they were */
        step = mesh_cols;
    if (!make_room(sharing, min_u32(step, mesh_cols))) {
        machine_rank_fails(sharing->machine, "words of other ranks");
        return;
    }
    for (uint32_t col = 0; col < mesh_cols; col += step) {
        sharing->first_col = col;
        sharing->cols = min_u32(step, mesh_cols - col);
        if (!bring_columns(sharing, plane, sharing->word))
            return;
        act_across(sharing, act, work);
        return_columns(sharing, sharing->word, plane);
    }
}

/* ---- rows ---- */

/* Returns the rows of rank `from` that rank `to` has beside its own. */
static struct stretch rows_beside(const struct sharing *sharing, uint32_t from, uint32_t to)
{
    const uint32_t *band = sharing->band;
    uint32_t start = band[to] - min_u32(band[to], sharing->beside);
    uint32_t rows = band[sharing->ranks] - band[to + 1];
    uint32_t end = band[to + 1] + min_u32(rows, sharing->beside);
    struct stretch rows_of_both = {max_u32(start, band[from]), min_u32(end, band[from + 1])};
    if (from == to || rows_of_both.start >= rows_of_both.end)
        rows_of_both = (struct stretch){0, 0};
    return rows_of_both;
}

/* Puts the rows beside the rank's own into the plane. */
static void bring_rows(const struct sharing *sharing)
{
    uint64_t *plane = sharing->machine->plane->word;
    size_t cols = sharing->mesh_cols, bytes = cols * sizeof *plane;
    for (uint32_t i = 0; i < sharing->ranks; i++) {
        struct stretch out = rows_beside(sharing, sharing->rank, i);
        struct stretch in = rows_beside(sharing, i, sharing->rank);
        sharing->trade[i] =
            (struct rank_trade){plane + out.start * cols, (out.end - out.start) * bytes,
                                plane + in.start * cols, (in.end - in.start) * bytes};
    }
    trade(sharing);
}

static void act_on_rows(const struct sharing *sharing, part_act *act, void *work)
{
    struct machine *machine = sharing->machine;
    struct plane *plane = machine->plane;
    size_t cols = sharing->mesh_cols;
    uint32_t first = machine->first_row - min_u32(machine->first_row, sharing->beside);
    uint32_t room = machine->config.mesh.rows - machine->end_row;
    struct plane_part part = {.word = plane->word + first * cols,
                              .first_line = first,
                              .end_line = machine->end_row + min_u32(room, sharing->beside),
                              .own_line = machine->first_row,
                              .end_own = machine->end_row,
                              .end = (uint32_t)cols,
                              .along = 1,
                              .across = cols};
    if (sharing->beside > 0)
        bring_rows(sharing);
    act(work, &part);
}

/* ---- all parts ---- */

static void act_alone(struct machine *machine, const struct lines *lines, part_act *act, void *work)
{
    struct line_shape shape = line_shape(machine, lines->are_columns);
    struct plane_part part = {.word = machine->plane->word,
                              .end_line = shape.count,
                              .end_own = shape.count,
                              .end = shape.length,
                              .along = shape.along,
                              .across = shape.across};
    act(work, &part);
}

void plane_each_part(struct machine *machine, const struct lines *lines, uint32_t beside,
                     part_act *act, void *work)
{
    struct plane *plane = machine->plane;
    if (plane->band == NULL) {
        act_alone(machine, lines, act, work);
        return;
    }
    uint32_t ranks = ranks_size(machine->config.ranks);
    struct sharing sharing = {.machine = machine,
                              .band = plane->band,
                              .ranks = ranks,
                              .rank = ranks_rank(machine->config.ranks),
                              .mesh_cols = machine->config.mesh.cols,
                              .stretch = memory_allocate(ranks, sizeof *sharing.stretch),
                              .beside = beside,
                              .trade = memory_allocate(ranks, sizeof *sharing.trade)};
    if (sharing.stretch == NULL || sharing.trade == NULL) {
        machine_rank_fails(machine, "words of other ranks");
    } else if (lines->are_columns) {
        find_stretches(&sharing, lines);
        act_on_columns(&sharing, act, work);
    } else {
        act_on_rows(&sharing, act, work);
    }
    free(sharing.stretch);
    free(sharing.trade);
    free(sharing.word);
    free(sharing.crossing);
}

bool plane_make_parts(struct machine *machine)
{
    struct plane *plane = machine->plane;
    uint32_t ranks = ranks_size(machine->config.ranks), rows = machine->config.mesh.rows;
    struct node_range own = machine_nodes(machine);
    if (ranks == 1)
        return true;
    plane->band = memory_allocate((size_t)ranks + 1, sizeof *plane->band);
    plane->opened = memory_allocate(own.end - own.first, sizeof *plane->opened);
    for (uint32_t i = 0; plane->band != NULL && i <= ranks; i++)
        plane->band[i] = parallel_band_start(rows, i, ranks);
    return plane->band != NULL && plane->opened != NULL;
}

void plane_collect(struct machine *machine, const uint64_t *from, uint64_t *to)
{
    uint32_t ranks = ranks_size(machine->config.ranks);
    struct node_range own = machine_nodes(machine);
    size_t *bytes = memory_allocate(ranks, sizeof *bytes), words = 0;
    void *all = NULL;
    if (bytes == NULL)
        machine_rank_fails(machine, "words of other ranks");
    if (machine->rank_failure.kind == FAIL_NONE)
        ranks_collect(machine->config.ranks, from + own.first, (own.end - own.first) * sizeof *from,
                      &all, bytes, &machine->rank_failure);
    for (uint32_t i = 0; all != NULL && i < ranks; i++)
        words += bytes[i] / sizeof *to;
    if (all != NULL)
        memcpy(to, all, words * sizeof *to);
    free(all);
    free(bytes);
}

/* ---- nodes of paired columns ---- */

/* Returns the rows of nodes where a rank's cells may be. */
static struct stretch node_rows(const struct plane *plane, uint32_t rank)
{
    const uint32_t *place = plane->pairing.place;
    return (struct stretch){place[plane->band[rank]], place[plane->band[rank + 1] - 1] + 1};
}

/* Returns those of them that are another rank's own; start >= end: none. */
static struct stretch node_rows_at(const struct plane *plane, uint32_t rank, uint32_t other)
{
    struct stretch rows = node_rows(plane, rank);
    rows.start = max_u32(rows.start, plane->band[other]);
    rows.end = rank == other ? 0 : min_u32(rows.end, plane->band[other + 1]);
    return rows.start < rows.end ? rows : (struct stretch){0, 0};
}

void plane_begin_crossing(struct machine *machine)
{
    uint32_t own = ranks_rank(machine->config.ranks), ranks = ranks_size(machine->config.ranks);
    size_t cols = machine->config.mesh.cols;
    for (uint32_t i = 0; i < ranks; i++) {
        struct stretch rows = node_rows_at(machine->plane, own, i);
        memset(machine->occupancy + rows.start * cols, 0,
               (rows.end - rows.start) * cols * sizeof *machine->occupancy);
    }
}

void plane_end_crossing(struct machine *machine)
{
    uint32_t own = ranks_rank(machine->config.ranks), ranks = ranks_size(machine->config.ranks);
    size_t cols = machine->config.mesh.cols, bytes = cols * sizeof *machine->occupancy, counts = 0;
    uint32_t *occupancy = machine->occupancy, *counted;
    struct sharing sharing = {
        .machine = machine, .ranks = ranks, .trade = memory_allocate(ranks, sizeof *sharing.trade)};
    for (uint32_t i = 0; i < ranks; i++) {
        struct stretch rows = node_rows_at(machine->plane, i, own);
        counts += (rows.end - rows.start) * cols;
    }
    uint32_t *all = counted = memory_allocate(counts, sizeof *all);
    if (sharing.trade == NULL || all == NULL)
        machine_rank_fails(machine, "counts of other ranks");
    for (uint32_t i = 0; sharing.trade != NULL && i < ranks; i++) {
        struct stretch out = node_rows_at(machine->plane, own, i);
        struct stretch in = node_rows_at(machine->plane, i, own);
        sharing.trade[i] =
            (struct rank_trade){occupancy + out.start * cols, (out.end - out.start) * bytes,
                                counted, (in.end - in.start) * bytes};
        counted += all != NULL ? (in.end - in.start) * cols : 0;
    }
    bool whole = sharing.trade != NULL && trade(&sharing);
    counted = all;
    for (uint32_t i = 0; whole && i < ranks; i++) {
        struct stretch out = node_rows_at(machine->plane, own, i);
        struct stretch in = node_rows_at(machine->plane, i, own);
        memset(occupancy + out.start * cols, 0, (out.end - out.start) * bytes);
        for (size_t node = in.start * cols; node < in.end * cols; node++)
            occupancy[node] += *counted++;
    }
    free(all);
    free(sharing.trade);
}
