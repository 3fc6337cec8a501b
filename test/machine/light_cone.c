/* light_cone.c - compares two traces outside the light cone of a difference.
 *
 * Method: each trace becomes a list of the sights of single nodes: node, step, letter, the node at
 * the other end of a link, the message. Events inside the light cone are left out, the lists are
 * sorted and must be equal. The message of a packet follows from its I line and from the C lines
 * above; a table indexed by packet id holds it, so ids must be small, as the machine's are.
 * Cost: O(events log events) for the events of the steps before the light has filled the mesh.
 */
#include "test/machine/light_cone.h"

#include <check.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACKET_LIMIT = 1 << 24, DEPARTS = 0x20 }; /* DEPARTS makes m of M, x of X */

static const uint64_t NO_MESSAGE = UINT64_MAX;

/* A sight of a node. `other` and `message` are 0 if the letter has none. */
struct sight {
    uint64_t step, node, letter, other, message;
};

struct sights {
    struct sight *sight;
    size_t count, room;
    uint64_t *message; /* of each packet id */
    uint64_t packets;  /* the table's size */
    const uint32_t *distance;
    uint32_t nodes;
};

static uint32_t distance_between(struct grid mesh, uint32_t a, uint32_t b)
{
    uint32_t rows = a / mesh.cols > b / mesh.cols ? a / mesh.cols - b / mesh.cols
                                                  : b / mesh.cols - a / mesh.cols;
    uint32_t cols = a % mesh.cols > b % mesh.cols ? a % mesh.cols - b % mesh.cols
                                                  : b % mesh.cols - a % mesh.cols;
    return rows + cols;
}

/* Returns the distance of each node from the nearest changed one. The caller frees. */
static uint32_t *distances(struct grid mesh, const uint32_t *changed, size_t count)
{
    uint32_t *distance = malloc(grid_nodes(mesh) * sizeof *distance);
    ck_assert_ptr_nonnull(distance);
    for (uint32_t node = 0; node < grid_nodes(mesh); node++) {
        distance[node] = UINT32_MAX;
        for (size_t i = 0; i < count; i++) {
            uint32_t there = distance_between(mesh, node, changed[i]);
            distance[node] = there < distance[node] ? there : distance[node];
        }
    }
    return distance;
}

/* ---- sights of nodes ---- */

static void see(struct sights *sights, struct sight sight)
{
    ck_assert(sight.node < sights->nodes);
    if (sight.step >= sights->distance[sight.node])
        return;
    if (sights->count == sights->room) {
        sights->room = sights->room == 0 ? 1024 : 2 * sights->room;
        sights->sight = realloc(sights->sight, sights->room * sizeof *sights->sight);
        ck_assert_ptr_nonnull(sights->sight);
    }
    sights->sight[sights->count++] = sight;
}

/* Returns the place of the message of `packet`. */
static uint64_t *message_of(struct sights *sights, uint64_t packet)
{
    ck_assert(packet < PACKET_LIMIT);
    if (packet >= sights->packets) {
        uint64_t packets = 2 * packet + 1024;
        sights->message = realloc(sights->message, packets * sizeof *sights->message);
        ck_assert_ptr_nonnull(sights->message);
        for (uint64_t i = sights->packets; i < packets; i++)
            sights->message[i] = NO_MESSAGE;
        sights->packets = packets;
    }
    return &sights->message[packet];
}

/* Adds the sights of one line of a trace: field[] has the numbers after the letter. */
static void see_event(struct sights *sights, uint64_t step, char letter, const uint64_t field[3])
{
    uint64_t kind = (uint64_t)letter, message;
    switch (letter) {
    case 'X':
        see(sights, (struct sight){step, field[0], kind | DEPARTS, field[1], 0});
        see(sights, (struct sight){step, field[1], kind, field[0], 0});
        return;
    case 'M':
        message = *message_of(sights, field[0]);
        see(sights, (struct sight){step, field[1], kind | DEPARTS, field[2], message});
        see(sights, (struct sight){step, field[2], kind, field[1], message});
        return;
    case 'I':
        *message_of(sights, field[1]) = field[2];
        break;
    case 'C':
        message = *message_of(sights, field[1]);
        *message_of(sights, field[2]) = message;
        break;
    case 'D':
    case 'E':
        see(sights, (struct sight){step, field[0], kind, 0, field[2]});
        return;
    default:
        ck_assert(letter == 'R' || letter == 'G');
    }
    see(sights, (struct sight){step, field[0], kind, 0, *message_of(sights, field[1])});
}

/* Reads the events of all steps before `end`, where the light has filled the mesh. */
static void see_trace(struct sights *sights, const char *trace, uint64_t end)
{
    for (const char *line = trace; *line != '\0'; line += *line == '\n') {
        char *at;
        uint64_t step = strtoull(line, &at, 10), field[3] = {0};
        if (at != line && step >= end)
            return;
        if (at != line) { /* the header and comments begin with no number */
            char letter = at[1];
            at += 2;
            for (int i = 0; i < 3 && *at == ' '; i++)
                field[i] = strtoull(at, &at, 10);
            see_event(sights, step, letter, field);
        }
        line += strcspn(line, "\n");
    }
}

static int compare_sights(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b; /* five fields of one type, the most important first */
    for (size_t i = 0; i < sizeof(struct sight) / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] > y[i] ? 1 : -1;
    return 0;
}

/* Returns the sorted list of sights outside the light cone. */
static struct sights sights_of(const char *trace, struct grid mesh, const uint32_t *distance,
                               uint64_t end)
{
    struct sights sights = {.distance = distance, .nodes = grid_nodes(mesh)};
    see_trace(&sights, trace, end);
    if (sights.count > 0)
        qsort(sights.sight, sights.count, sizeof *sights.sight, compare_sights);
    free(sights.message);
    return sights;
}

/* ---- the comparison ---- */

static void describe(const struct sight *sight, const char *which, char text[LIGHT_CONE_TEXT])
{
    bool on_link = strchr("MmXx", (int)sight->letter) != NULL;
    size_t length = (size_t)snprintf(
        text, LIGHT_CONE_TEXT, "only the %s trace has at node %" PRIu64 " in step %" PRIu64 ": %c",
        which, sight->node, sight->step, (int)sight->letter & ~DEPARTS);
    if (on_link)
        length += (size_t)snprintf(text + length, LIGHT_CONE_TEXT - length, " %s node %" PRIu64,
                                   sight->letter & DEPARTS ? "to" : "from", sight->other);
    snprintf(text + length, LIGHT_CONE_TEXT - length, ", message %" PRIu64, sight->message);
}

bool light_cone_agrees(const char *trace, const char *other, struct grid mesh,
                       const uint32_t *changed, size_t count, size_t *events,
                       char text[LIGHT_CONE_TEXT])
{
    uint32_t *distance = distances(mesh, changed, count);
    uint64_t end = count == 0 ? UINT64_MAX : (uint64_t)mesh.rows + mesh.cols;
    struct sights a = sights_of(trace, mesh, distance, end);
    struct sights b = sights_of(other, mesh, distance, end);
    size_t i = 0;
    while (i < a.count && i < b.count && compare_sights(&a.sight[i], &b.sight[i]) == 0)
        i++;
    bool agrees = i == a.count && i == b.count;
    if (!agrees) {
        bool is_first =
            i == b.count || (i < a.count && compare_sights(&a.sight[i], &b.sight[i]) < 0);
        describe(is_first ? &a.sight[i] : &b.sight[i], is_first ? "first" : "second", text);
    }
    if (events != NULL)
        *events = a.count;
    free(a.sight);
    free(b.sight);
    free(distance);
    return agrees;
}
