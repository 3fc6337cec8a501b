/* crossing_climb.c - a rectangle's sides move to where most messages a link cross.
 *
 * Three sides stay, and the fourth may be at any line up to the one across from it. For each message
 * the lines at which it crosses are an interval, so one pass over the messages and one sum over the
 * lines find the best. The sides are taken in turn until none has moved, ROUNDS times at most. To
 * write this once the mesh is looked at with the side that moves as its first column: transposed,
 * mirrored, or both.
 *
 * Cost: O(deliveries of the sample + rows + cols) time a side.
 */
#include "workloads/crossing.h"

#include <stdlib.h>

enum { SIDES = 4, ROUNDS = 4 };

/* The mesh as seen with one side as its first column: `along` runs away from it, `across` the other
 * way. */
struct view {
    bool transposed, mirrored;
    uint32_t length;                /* lines along */
    uint32_t last;                  /* the rectangle's last line along */
    uint32_t across, across_length; /* its lines across: the first, how many */
};

static struct view view_of(struct mesh mesh, const struct rectangle *rectangle, uint32_t side)
{
    struct view view = {.transposed = side / 2 == 1, .mirrored = side % 2 == 1};
    uint32_t first = view.transposed ? rectangle->row : rectangle->col;
    uint32_t count = view.transposed ? rectangle->rows : rectangle->cols;
    view.length = view.transposed ? mesh.rows : mesh.cols;
    view.last = view.mirrored ? view.length - 1 - first : first + count - 1;
    view.across = view.transposed ? rectangle->col : rectangle->row;
    view.across_length = view.transposed ? rectangle->cols : rectangle->rows;
    return view;
}

static inline uint32_t along_of(const struct view *view, uint32_t place)
{
    uint32_t line = view->transposed ? row_of_place(place) : col_of_place(place);
    return view->mirrored ? view->length - 1 - line : line;
}

/* Whether a place lies in the rectangle, if its first line along is 0. */
static inline bool is_in_band(const struct view *view, uint32_t place)
{
    uint32_t across = view->transposed ? col_of_place(place) : row_of_place(place);
    return across - view->across < view->across_length && along_of(view, place) <= view->last;
}

/* The rectangle with its side at `line` along. */
static struct rectangle moved(const struct view *view, const struct rectangle *rectangle,
                              uint32_t line)
{
    struct rectangle result = *rectangle;
    uint32_t count = view->last - line + 1;
    uint32_t first = view->mirrored ? view->length - 1 - view->last : line;
    *(view->transposed ? &result.row : &result.col) = first;
    *(view->transposed ? &result.rows : &result.cols) = count;
    return result;
}

/* The lines at which the message crosses, from *from to before *to. */
static void lines_of(const struct message_sample *sample, const struct view *view, uint32_t message,
                     bool enters, uint32_t *from, uint32_t *to)
{
    bool starts_in = is_in_band(view, sample->source[message]), all_in = true;
    uint32_t source = along_of(view, sample->source[message]);
    uint32_t nearest = UINT32_MAX, end = 0; /* of the destinations in the band; end: one beyond */
    *from = *to = 0;
    if (!enters && !starts_in)
        return;
    for (uint32_t j = sample->offset[message]; j < sample->offset[message + 1]; j++) {
        uint32_t along = along_of(view, sample->place[j]);
        if (!is_in_band(view, sample->place[j])) {
            all_in = false;
            continue;
        }
        nearest = along < nearest ? along : nearest;
        end = along + 1 > end ? along + 1 : end;
    }
    if (enters) { /* the side lies behind the source, and before a destination */
        *from = starts_in ? source + 1 : 0;
        *to = end;
    } else { /* before the source, and behind a destination */
        *from = all_in ? nearest + 1 : 0;
        *to = source + 1;
    }
}

/* Moves a side; false if it stays. `change` has room for the lines. */
static bool move_side(const struct message_sample *sample, struct crossing *crossing, uint32_t side,
                      int32_t *change)
{
    struct rectangle best = crossing->rectangle;
    struct view view = view_of(sample->mesh, &best, side);
    uint64_t most = crossing_count(sample, crossing), links = rectangle_links(sample->mesh, &best);
    int64_t messages = 0;
    bool moves = false;
    for (uint32_t line = 0; line <= view.length; line++)
        change[line] = 0;
    for (uint32_t i = 0; i < sample->messages; i++) {
        uint32_t from, to;
        lines_of(sample, &view, i, crossing->enters, &from, &to);
        if (from < to) {
            change[from]++;
            change[to]--;
        }
    }
    for (uint32_t line = 0; line <= view.last; line++) {
        struct rectangle here = moved(&view, &crossing->rectangle, line);
        uint64_t links_here = rectangle_links(sample->mesh, &here);
        messages += change[line];
        if (links_here == 0 || (uint64_t)messages * links <= most * links_here)
            continue;
        most = (uint64_t)messages;
        links = links_here;
        best = here;
        moves = true;
    }
    crossing->rectangle = best;
    return moves;
}

uint32_t crossing_count(const struct message_sample *sample, const struct crossing *crossing)
{
    const struct rectangle *rectangle = &crossing->rectangle;
    uint32_t messages = 0;
    for (uint32_t i = 0; i < sample->messages; i++) {
        bool crosses = false;
        if (rectangle_holds(rectangle, sample->source[i]) == crossing->enters)
            continue;
        for (uint32_t j = sample->offset[i]; j < sample->offset[i + 1] && !crosses; j++)
            crosses = rectangle_holds(rectangle, sample->place[j]) == crossing->enters;
        messages += crosses;
    }
    return messages;
}

enum failure_kind crossing_climb(const struct message_sample *sample, struct crossing *crossing,
                                 struct failure *failure)
{
    uint32_t longer = sample->mesh.rows > sample->mesh.cols ? sample->mesh.rows : sample->mesh.cols;
    int32_t *change = memory_allocate(longer + 1, sizeof *change);
    if (change == NULL)
        return fail_memory(failure, "the lower bounds");
    for (uint32_t round = 0, still = 0; round < ROUNDS && still < SIDES; round++)
        for (uint32_t side = 0; side < SIDES && still < SIDES; side++)
            still = move_side(sample, crossing, side, change) ? 0 : still + 1;
    free(change);
    return FAIL_NONE;
}
