/* crossing.c - the bound of a rectangle: messages over its links, with the distances before and
 * after.
 *
 * Let a message enter a rectangle with `links` links into it. Its first crossing of these links is
 * at step a or later, where a is the distance of its source from the rectangle. After it the
 * message needs at least q more steps, where q + 1 is the greatest depth of its destinations
 * inside, that is, the distance from the nearest node outside: its deliveries inside follow its
 * first crossing, on a path from outside. First crossings of different messages use a link and a
 * step of their own. So if k messages have a > before and q >= after, their crossings happen in
 * steps before + 1 and later, `links` per step at most, and the last of these is at step before +
 * ceil(k / links) at the earliest:
 *     steps >= before + ceil(k / links) + after.
 * Leaving is the same from inside: a is the depth of the source, q + 1 the distance from the
 * rectangle of the farthest destination outside. Only moves are counted, so this holds for any cost
 * of copies. With before = after = 0 it is Theorem 1's count.
 *
 * Method: one pass over the set fills, for each rectangle, a table of a by q (q in at most LEVELS
 * levels, rounded down); sums from its far corner give k for all (before, after) at once.
 *
 * The choice of rectangles is a guess from a sample of the messages.
 *
 * Cost: O(rectangles * (deliveries + (rows + cols) * LEVELS)) time; for each rectangle 4 (rows +
 * cols) LEVELS bytes.
 */
#include "workloads/crossing.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 64, FAR = 1 << 20 };

/* A rectangle's table of its messages by a - 1 and q. */
struct table {
    struct crossing crossing;
    int row, end_row, col, end_col;      /* end: the last one inside */
    int above, below, left_of, right_of; /* the lines next outside, FAR off if there are none */
    uint32_t links, heads, level;        /* heads: rows of the table; level: steps of q in one */
    uint32_t *count;                     /* [heads][LEVELS] */
};

uint32_t rectangle_links(struct mesh mesh, const struct rectangle *rectangle)
{
    uint32_t links = 0;
    links += rectangle->row > 0 ? rectangle->cols : 0;
    links += rectangle->row + rectangle->rows < mesh.rows ? rectangle->cols : 0;
    links += rectangle->col > 0 ? rectangle->rows : 0;
    links += rectangle->col + rectangle->cols < mesh.cols ? rectangle->rows : 0;
    return links;
}

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

static inline int greatest(int a, int b)
{
    return a > b ? a : b;
}

/* Returns the steps from a node inside to the nearest one outside. */
static inline int depth_of(const struct table *table, uint32_t place)
{
    int row = (int)place_row(place), col = (int)place_col(place);
    return least(least(row - table->above, table->below - row),
                 least(col - table->left_of, table->right_of - col));
}

/* Returns the steps from the rectangle to a node; 0 inside. */
static inline int distance_to(const struct table *table, uint32_t place)
{
    int row = (int)place_row(place), col = (int)place_col(place);
    return greatest(greatest(table->row - row, row - table->end_row), 0) +
           greatest(greatest(table->col - col, col - table->end_col), 0);
}

static bool table_open(struct table *table, struct mesh mesh, const struct crossing *crossing)
{
    const struct rectangle *rectangle = &crossing->rectangle;
    int row = (int)rectangle->row, end_row = row + (int)rectangle->rows - 1;
    int col = (int)rectangle->col, end_col = col + (int)rectangle->cols - 1;
    *table = (struct table){
        .crossing = *crossing,
        .row = row,
        .end_row = end_row,
        .col = col,
        .end_col = end_col,
        .above = row > 0 ? row - 1 : -FAR,
        .below = end_row + 1 < (int)mesh.rows ? end_row + 1 : FAR,
        .left_of = col > 0 ? col - 1 : -FAR,
        .right_of = end_col + 1 < (int)mesh.cols ? end_col + 1 : FAR,
        .links = rectangle_links(mesh, rectangle),
        .heads = mesh.rows + mesh.cols,
    };
    bool spans = rectangle->rows == mesh.rows || rectangle->cols == mesh.cols;
    uint32_t shorter = rectangle->rows < rectangle->cols ? rectangle->rows : rectangle->cols;
    table->level = (crossing->enters && !spans ? shorter : table->heads) / LEVELS + 1;
    table->count = memory_allocate((size_t)table->heads * LEVELS, sizeof *table->count);
    return table->count != NULL;
}

/* Returns q + 1 of a message: the greatest depth of a destination inside, or distance outside; 0:
 * it does not cross. Without branches, as most messages of a large set get here for nothing. */
static int tail_of(const struct table *table, const uint32_t *place, uint32_t count)
{
    int most = 0;
    if (table->crossing.enters)
        for (uint32_t i = 0; i < count; i++)
            most = greatest(most, depth_of(table, place[i])); /* not above 0 outside */
    else
        for (uint32_t i = 0; i < count; i++)
            most = greatest(most, distance_to(table, place[i]));
    return most;
}

/* Counts a message in the table, if it crosses. */
static void table_add(struct table *table, uint32_t source, const uint32_t *place, uint32_t count)
{
    bool enters = table->crossing.enters;
    if (rectangle_holds(&table->crossing.rectangle, source) == enters)
        return;
    int most = tail_of(table, place, count);
    if (most == 0)
        return;
    int head = enters ? distance_to(table, source) : depth_of(table, source);
    table->count[(size_t)(head - 1) * LEVELS + (uint32_t)(most - 1) / table->level]++;
}

/* Turns counts into counts of all messages that have as much or more of both. */
static void table_sum(struct table *table)
{
    for (size_t i = table->heads; i-- > 0;) {
        uint32_t *count = table->count + i * LEVELS, sum = 0;
        for (size_t j = LEVELS; j-- > 0;)
            count[j] = sum += count[j];
        for (size_t j = 0; j < LEVELS && i + 1 < table->heads; j++)
            count[j] += count[j + LEVELS];
    }
}

static void table_raise(const struct table *table, struct lower_bounds *bounds)
{
    enum lower_bound_kind kind = table->crossing.enters ? BOUND_ENTER : BOUND_LEAVE;
    for (uint32_t before = 0; before < table->heads; before++)
        for (uint32_t j = 0; j < LEVELS; j++) {
            uint32_t messages = table->count[(size_t)before * LEVELS + j];
            uint64_t steps = bounds->steps[kind], other = before + j * table->level;
            if (messages == 0)
                break;
            if (steps > other && messages <= (steps - other) * table->links)
                continue; /* without a division */
            lower_bound_raise(bounds, kind,
                              &(struct bound_reason){.rectangle = table->crossing.rectangle,
                                                     .messages = messages,
                                                     .links = table->links,
                                                     .before = before,
                                                     .after = j * table->level});
        }
}

/* Does one pass over the set, into all tables. */
static enum failure_kind fill(const struct message_set *set, struct table *table, uint32_t count,
                              struct failure *failure)
{
    uint32_t *place = memory_allocate(message_set_degree(set), sizeof *place);
    if (place == NULL)
        return fail_memory(failure, "the lower bounds");
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t degree = (uint32_t)(set->offset[i + 1] - set->offset[i]);
        uint32_t source = mesh_place(set->mesh, set->source[i]);
        for (uint32_t j = 0; j < degree; j++)
            place[j] = mesh_place(set->mesh, set->destination[set->offset[i] + j]);
        for (uint32_t k = 0; k < count; k++)
            table_add(&table[k], source, place, degree);
    }
    free(place);
    return FAIL_NONE;
}

enum failure_kind crossings_raise(const struct message_set *set, const struct crossing *crossing,
                                  uint32_t count, struct lower_bounds *bounds,
                                  struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    uint32_t open = 0;
    struct table *table = memory_allocate(count, sizeof *table);
    if (table == NULL)
        return fail_memory(failure, "the lower bounds");
    for (; open < count && kind == FAIL_NONE; open++)
        if (!table_open(&table[open], set->mesh, &crossing[open]))
            kind = fail_memory(failure, "the lower bounds");
    if (kind == FAIL_NONE)
        kind = fill(set, table, count, failure);
    for (uint32_t i = 0; i < open; i++) {
        if (kind == FAIL_NONE) {
            table_sum(&table[i]);
            table_raise(&table[i], bounds);
        }
        free(table[i].count);
    }
    free(table);
    return kind;
}

/* ---- a sample of messages ----
 *
 * It is chosen by a multiplicative hash of the messages' numbers, so that no regular set is missed
 * by its period, and it is the same on every machine. In the order of numbers messages are taken
 * until they have more deliveries than fit, so the last one may exceed the room. */

/* The choice: a share of the messages' numbers, in 2^32, without messages that by themselves fill
 * the room. */
struct choice {
    uint64_t room, share;
};

static struct choice choice_for(const struct message_set *set, uint64_t room)
{
    uint64_t all = UINT64_C(1) << 32, deliveries = set->deliveries;
    return (struct choice){room, deliveries <= room ? all : (room << 32) / deliveries};
}

static inline bool is_chosen(const struct message_set *set, struct choice choice, uint32_t index)
{
    return message_set_number(set, index) * UINT32_C(2654435769) < choice.share &&
           set->offset[index + 1] - set->offset[index] <= choice.room;
}

enum failure_kind sample_take(const struct message_set *set, uint64_t room,
                              struct message_set *sample, struct failure *failure)
{
    struct choice choice = choice_for(set, room);
    uint64_t deliveries = 0;
    uint32_t messages = 0, last = 0; /* the first message that is too many */
    for (; last < set->messages && deliveries <= room; last++)
        if (is_chosen(set, choice, last)) {
            messages++;
            deliveries += set->offset[last + 1] - set->offset[last];
        }
    if (message_set_allocate(sample, set->shape, messages, deliveries, failure) != FAIL_NONE)
        return failure->kind;
    messages = 0;
    deliveries = 0;
    for (uint32_t i = 0; i < last; i++) {
        uint64_t first = set->offset[i], count = set->offset[i + 1] - first;
        if (!is_chosen(set, choice, i))
            continue;
        sample->source[messages] = set->source[i];
        sample->offset[messages++] = deliveries;
        memcpy(sample->destination + deliveries, set->destination + first,
               count * sizeof *set->destination);
        deliveries += count;
    }
    return FAIL_NONE;
}

uint32_t crossing_count(const struct message_set *sample, const struct crossing *crossing)
{
    const struct rectangle *rectangle = &crossing->rectangle;
    struct mesh mesh = sample->mesh;
    uint32_t messages = 0;
    for (uint32_t i = 0; i < sample->messages; i++) {
        bool crosses = false;
        if (rectangle_holds(rectangle, mesh_place(mesh, sample->source[i])) == crossing->enters)
            continue;
        for (uint64_t j = sample->offset[i]; j < sample->offset[i + 1] && !crosses; j++)
            crosses = rectangle_holds(rectangle, mesh_place(mesh, sample->destination[j])) ==
                      crossing->enters;
        messages += crosses;
    }
    return messages;
}
