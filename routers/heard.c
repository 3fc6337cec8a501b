/* heard.c - sources tell those in their row and column where they send to.
 *
 * Method. In the first step each source sends a word over each of its links: the degree of its message and three of
 * its destinations, others over each link where it has so many. Where it sends several messages, each word is about
 * another one, as far as they go, and stands for all: it has the number of them, as a share of l. In each further
 * step every node passes on what has come, straight ahead. So after t steps a node has heard of the t nodes on each
 * side. It keeps no words but counts:
 *   - for each destination of its own message, how often that node was named, and how often nodes near it on each
 *     side. Where both lie in a crowd of nodes that is wide and high, the links into that crowd limit, and are used
 *     alike if half of the packets come in along rows and half along columns, as trees xy do;
 *   - how many messages are for that destination's column, and its row. Where they are many in the whole mesh, if it is
 *     everywhere as near the source, links of that line limit, which trees xy would all use.
 * What a source hears is a sample, of what nodes near it send. Other sources hear other samples and may decide otherwise;
 * trees of any kinds deliver together.
 * Knowledge: c, d, the sides; after t steps, words of nodes at most t links away.
 * Cost: the steps; 10 numbers a destination at its source, and O(n t d) time on the host.
 */
#include "routers/heard.h"

#include "machine/word.h"
#include "routers/tree_choice.h"

#include <stdlib.h>

enum { DRAW_FIRST = 0x68656101 };

enum { NAMED = 3, NEAR = 2, MOST_STEPS = 64 };

/* Messages are counted in sixths, as a third or a half of one may be for a line. */
enum { UNITS = 6 };

/* A line is crowded if more messages are for it, in sums of the sides. Trees xy send an eighth of them over its middle
 * link, one way: half of them turn into the line, half of these on one side of the middle, and half of these for the
 * other side. So that link takes longer than the longest way. */
enum { MOST_IN_LINE = 8 };

/* Few nodes receive if they are fewer than one of so many. Then ways that go on from destination to destination, as
 * those of near do, crowd the links between them. */
enum { FEW = 8 };

#define NO_DESTINATION UINT32_MAX

struct heard_counts {
    uint16_t here, side[DIRECTIONS]; /* named destinations: it, and near it on that side */
    uint16_t named;                  /* destinations of words */
    uint32_t messages[2];            /* heard of along the source's row [0] and column [1] */
    uint64_t in_row, in_col;         /* of these, in UNITS */
};

/* A source sends share * l / SHARES messages, at most 2^25 of which each has 2^26 destinations at most. */
enum { SHARES = 31, DEGREE_BITS = 27 };

struct hearing {
    struct heard *heard;
    const struct routing *routing;
    /* packet[start[v] ..]: of the messages that leave the rank's node v */
    uint32_t *start, *packet;
    struct node_range own;
    struct headers *header;
    struct mesh mesh;
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t sides_of(const struct routing *routing)
{
    return (uint64_t)routing->set->mesh.rows + routing->set->mesh.cols;
}

bool is_worth_hearing(const struct routing *routing)
{
    struct mesh mesh = routing->set->mesh;
    uint64_t side = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    return routing->congestion * side > MOST_IN_LINE * sides_of(routing) &&
           4 * (uint64_t)routing->degree <= mesh_nodes(mesh);
}

/* No words where four nodes cannot be crowded: all messages together have fewer destinations than 4 c. */
static uint64_t steps_of(const struct routing *routing)
{
    uint64_t messages = (uint64_t)mesh_nodes(routing->set->mesh) * routing->most_sent;
    uint64_t deliveries = messages * routing->degree;
    bool are_crowded = nodes_are_crowded(routing);
    if (are_crowded && UINT64_C(4) * routing->congestion > deliveries)
        return 0;
    uint64_t sides = sides_of(routing), steps = sides / 16;
    if (are_crowded)
        steps = smaller(sides * sides / 512, sides / 8);
    return smaller(steps, MOST_STEPS);
}

/* ---- a word about a message ---- */

/* About one of the `count` messages of the node. */
static struct word word_about(const struct hearing *hearing, struct site site,
                              const uint32_t *packets, uint32_t count, enum direction side)
{
    const struct headers *header = hearing->header;
    uint32_t draw = routing_random(hearing->routing, DRAW_FIRST, site.index);
    uint32_t packet = packets[count > 1 ? (draw + side) % count : 0];
    uint32_t first = header->packet[packet].first, degree = packet - first + 1;
    uint32_t most = hearing->routing->most_sent, start = draw % degree;
    uint64_t share = ((uint64_t)SHARES * count + most - 1) / most;
    node_place named[NAMED];
    for (uint32_t i = 0; i < NAMED; i++) {
        uint32_t number = (uint32_t)((start + (uint64_t)NAMED * side + i) % degree);
        named[i] = i < degree ? header->destination[first + number] : NO_DESTINATION;
    }
    return (struct word){(int64_t)((share << DEGREE_BITS | degree) << 32 | named[0]),
                         (int64_t)((uint64_t)named[1] << 32 | named[2])};
}

static void count_named(struct heard_counts *counts, node_place own, node_place named)
{
    int32_t down = (int32_t)place_row(named) - (int32_t)place_row(own);
    int32_t right = (int32_t)place_col(named) - (int32_t)place_col(own);
    if (abs(down) > NEAR || abs(right) > NEAR)
        return;
    if (down == 0 && right == 0)
        counts->here++;
    if (down != 0)
        counts->side[down < 0 ? NORTH : SOUTH]++;
    if (right != 0)
        counts->side[right < 0 ? WEST : EAST]++;
}

/* A message of which all destinations that were named are in a line is one message for it; else as many as if each of its
 * destinations there had its own: then they are few on each line. */
static uint64_t for_line(uint32_t degree, uint32_t named, uint32_t in_line)
{
    return in_line == named ? UNITS : (uint64_t)in_line * degree * (UNITS / named);
}

/* Where copies cost a step, the nodes of a line take as long to copy messages that are for many of them as its links
 * take to carry them; to leave the line does not help. */
static bool is_copied_along(const struct hearing *hearing, uint32_t degree)
{
    return degree > NAMED && !hearing->heard->routing->options->copy_is_free;
}

static void count_word(const struct hearing *hearing, uint32_t packet, struct word word,
                       bool along_column)
{
    const struct headers *header = hearing->header;
    uint32_t head = (uint32_t)((uint64_t)word.value >> 32);
    uint32_t degree = head & ((UINT32_C(1) << DEGREE_BITS) - 1);
    uint64_t most = hearing->routing->most_sent;
    uint64_t share = ((head >> DEGREE_BITS) * most + SHARES - 1) / SHARES;
    uint32_t named = degree < NAMED ? degree : NAMED;
    const node_place place[NAMED] = {
        (node_place)word.value, (node_place)((uint64_t)word.extra >> 32), (node_place)word.extra};
    for (uint32_t slot = header->packet[packet].first; slot <= packet; slot++) {
        struct heard_counts *counts = &hearing->heard->counts[slot];
        node_place own = header->destination[slot];
        uint32_t in_row = 0, in_col = 0;
        for (uint32_t i = 0; i < named; i++) {
            count_named(counts, own, place[i]);
            in_row += place_row(place[i]) == place_row(own);
            in_col += place_col(place[i]) == place_col(own);
        }
        counts->messages[along_column] += (uint32_t)share;
        counts->named += (uint16_t)named;
        if (is_copied_along(hearing, degree) && (in_row == named || in_col == named))
            continue;
        counts->in_row += share * for_line(degree, named, in_row);
        counts->in_col += share * for_line(degree, named, in_col);
    }
}

/* ---- the steps ---- */

static bool has_link(struct mesh mesh, struct site site, enum direction side)
{
    switch (side) {
    case NORTH:
        return site.row > 0;
    case SOUTH:
        return site.row + 1 < mesh.rows;
    case WEST:
        return site.col > 0;
    default:
        return site.col + 1 < mesh.cols;
    }
}

static void act_at(const struct hearing *hearing, struct word_port *port, struct site site,
                   uint64_t step)
{
    const uint32_t *start = hearing->start + (site.index - hearing->own.first);
    const uint32_t *packets = hearing->packet + start[0];
    uint32_t count = start[1] - start[0];
    for (enum direction side = 0; side < DIRECTIONS; side++) {
        struct word word;
        enum direction ahead = direction_opposite(side);
        if (step == 1 && count > 0 && has_link(hearing->mesh, site, side))
            word_send(port, site, side, word_about(hearing, site, packets, count, side));
        if (step == 1 || !word_received(port, site, side, &word))
            continue;
        for (uint32_t i = 0; i < count; i++)
            count_word(hearing, packets[i], word, direction_is_vertical(side));
        if (step <= hearing->heard->steps && has_link(hearing->mesh, site, ahead))
            word_send(port, site, ahead, word);
    }
}

static void act_on_row(void *context, struct word_port *port, uint32_t row, uint64_t step)
{
    const struct hearing *hearing = context;
    struct site site = {row * hearing->mesh.cols, row, 0};
    for (; site.col < hearing->mesh.cols; site.col++, site.index++)
        act_at(hearing, port, site, step);
}

/* Each node knows its own. False: no memory. */
static bool list_messages(struct hearing *hearing)
{
    const struct message_set *set = hearing->routing->set;
    uint32_t first = hearing->own.first, nodes = hearing->own.end - first;
    hearing->start = memory_allocate(nodes + (size_t)2, sizeof *hearing->start);
    hearing->packet = memory_allocate(set->messages, sizeof *hearing->packet);
    if (hearing->start == NULL || hearing->packet == NULL)
        return false;
    for (uint32_t i = 0; i < set->messages; i++)
        hearing->start[set->source[i] - first + 2]++;
    for (uint32_t v = 2; v <= nodes; v++)
        hearing->start[v + 1] += hearing->start[v];
    for (uint32_t i = 0; i < set->messages; i++)
        hearing->packet[hearing->start[set->source[i] - first + 1]++] =
            routing_packet(hearing->routing, i);
    return true;
}

enum failure_kind hear(struct heard *heard, const struct routing *routing, struct failure *failure)
{
    struct machine *machine = routing->machine;
    struct hearing hearing = {.heard = heard,
                              .routing = routing,
                              .header = machine_headers(machine),
                              .own = machine_nodes(machine),
                              .mesh = routing->set->mesh};
    heard->routing = routing;
    heard->steps = steps_of(routing);
    heard->counts = memory_allocate(routing->set->deliveries + 1, sizeof *heard->counts);
    if (heard->counts == NULL || !list_messages(&hearing)) {
        free(hearing.start);
        free(hearing.packet);
        return fail_memory(failure, "what sources hear");
    }
    machine_begin_phase(machine, "hear");
    enum failure_kind kind = machine_prepare_words(machine, failure);
    if (kind == FAIL_NONE && heard->steps > 0) {
        kind = machine_word_steps(machine, heard->steps, act_on_row, &hearing, failure);
        machine_word_read(machine, heard->steps + 1, act_on_row, &hearing);
    }
    free(hearing.start);
    free(hearing.packet);
    return kind;
}

void heard_free(struct heard *heard)
{
    free(heard->counts);
    heard->counts = NULL;
}

uint64_t heard_footprint(const struct message_set *set)
{
    return (set->deliveries + 1) * sizeof(struct heard_counts) +
           ((uint64_t)mesh_nodes(set->mesh) + set->messages) * sizeof(uint32_t);
}

/* ---- what a source makes of it ---- */

/* The nodes of a line of `nodes` nodes that one of them has heard. Near the line's ends they are fewer, and those that
 * are missing count as silent. */
static uint64_t nodes_heard(const struct heard *heard, uint64_t nodes)
{
    return smaller(2 * heard->steps, nodes - 1);
}

/* `count` of `nodes` nodes, of all nodes of the mesh. */
static uint64_t in_mesh(const struct heard *heard, uint64_t count, uint64_t nodes)
{
    return nodes == 0 ? UINT64_MAX : count * mesh_nodes(heard->routing->set->mesh) / nodes;
}

/* The messages for a line are at most all messages: as many as were heard along the row, and along the column. */
static bool lines_are_crowded(const struct heard *heard, uint32_t packet)
{
    struct mesh mesh = heard->routing->set->mesh;
    uint32_t first = machine_headers(heard->routing->machine)->packet[packet].first;
    uint64_t in_row = 0, in_col = 0, degree = packet - first + 1;
    uint64_t row = nodes_heard(heard, mesh.cols), col = nodes_heard(heard, mesh.rows);
    for (uint32_t slot = first; slot <= packet; slot++) {
        in_row += heard->counts[slot].in_row;
        in_col += heard->counts[slot].in_col;
    }
    uint64_t most = in_row > in_col ? in_row : in_col;
    const uint32_t *messages = heard->counts[first].messages;
    uint64_t all = smaller(in_mesh(heard, messages[0], row), in_mesh(heard, messages[1], col));
    return row + col > 0 && smaller(in_mesh(heard, most / degree / UNITS, row + col), all) >
                                MOST_IN_LINE * sides_of(heard->routing);
}

/* Whether few nodes receive: the destinations of `packet` are named FEW times as often as if all nodes were named
 * alike. */
static bool are_few(const struct heard *heard, uint32_t packet)
{
    uint32_t first = machine_headers(heard->routing->machine)->packet[packet].first;
    uint64_t here = 0, degree = packet - first + 1;
    for (uint32_t slot = first; slot <= packet; slot++)
        here += heard->counts[slot].here;
    return here * mesh_nodes(heard->routing->set->mesh) > FEW * heard->counts[first].named * degree;
}

enum tree_growth heard_growth(const struct heard *heard, uint32_t packet)
{
    if (nodes_are_crowded(heard->routing))
        return GROW_SPREAD;
    if (!lines_are_crowded(heard, packet))
        return GROW_XY;
    bool has_few = 8 * (uint64_t)heard->routing->degree <= sides_of(heard->routing);
    return has_few || are_few(heard, packet) ? GROW_SPREAD : GROW_NEAR;
}

static bool is_crowded(const struct heard_counts *counts, enum direction side)
{
    return counts->side[side] >= 2 && 4 * counts->side[side] >= counts->here;
}

bool heard_is_in_square(const struct heard *heard, uint32_t slot)
{
    const struct heard_counts *counts = &heard->counts[slot];
    return (is_crowded(counts, NORTH) || is_crowded(counts, SOUTH)) &&
           (is_crowded(counts, WEST) || is_crowded(counts, EAST));
}
