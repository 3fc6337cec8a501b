/* legs_model.c - two legs in plain lists. In each step every node looks at all packets for the one with
 * the most links to go over each of its links.
 */
#include "test/primitives/legs_model.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Links that are left of the leg, negative towards smaller numbers. */
static int64_t left(const struct legs_packet *packet, bool along_columns)
{
    if (along_columns)
        return (int64_t)packet->to_row - packet->row;
    return (int64_t)packet->to_col - packet->col;
}

static uint32_t most_at_a_node(struct mesh mesh, const struct legs_packet *packet, uint32_t packets)
{
    uint32_t *count = calloc(mesh_nodes(mesh), sizeof *count), most = 0;
    for (uint32_t i = 0; i < packets; i++) {
        uint32_t here = ++count[packet[i].row * mesh.cols + packet[i].col];
        most = here > most ? here : most;
    }
    free(count);
    return most;
}

/* One step; returns how many packets moved. */
static uint32_t step(struct mesh mesh, struct legs_packet *packet, uint32_t packets,
                     bool along_columns)
{
    uint32_t links = 2 * mesh_nodes(mesh), moved = 0;
    uint32_t *first = calloc(links, sizeof *first); /* of a link: a packet's number and one */
    for (uint32_t i = 0; i < packets; i++) {
        int64_t way = left(&packet[i], along_columns);
        uint32_t link = 2 * (packet[i].row * mesh.cols + packet[i].col) + (way > 0);
        if (way != 0 &&
            (first[link] == 0 || llabs(left(&packet[first[link] - 1], along_columns)) < llabs(way)))
            first[link] = i + 1;
    }
    for (uint32_t link = 0; link < links; link++)
        if (first[link] > 0) {
            struct legs_packet *moving = &packet[first[link] - 1];
            uint32_t *place = along_columns ? &moving->row : &moving->col;
            *place += link % 2 == 1 ? 1 : UINT32_MAX;
            moved++;
        }
    free(first);
    return moved;
}

static uint64_t run_leg(struct mesh mesh, struct legs_packet *packet, uint32_t packets,
                        bool along_columns, struct legs_seen *seen)
{
    uint64_t steps = 0;
    for (;;) {
        uint32_t most = most_at_a_node(mesh, packet, packets);
        seen->peak = most > seen->peak ? most : seen->peak;
        uint32_t moved = step(mesh, packet, packets, along_columns);
        if (moved == 0)
            return steps;
        seen->hops += moved;
        steps++;
    }
}

struct legs_seen legs_model_run(struct mesh mesh, struct legs_packet *packet, uint32_t packets)
{
    struct legs_seen seen = {.starting = most_at_a_node(mesh, packet, packets)};
    seen.row_steps = run_leg(mesh, packet, packets, false, &seen);
    seen.turning = most_at_a_node(mesh, packet, packets);
    seen.col_steps = run_leg(mesh, packet, packets, true, &seen);
    seen.ending = most_at_a_node(mesh, packet, packets);
    return seen;
}

static int by_target(const void *a, const void *b)
{
    const struct legs_packet *x = a, *y = b;
    if (x->to_col != y->to_col)
        return x->to_col < y->to_col ? -1 : 1;
    return (x->to_row > y->to_row) - (x->to_row < y->to_row);
}

/* Where part `i` of `parts` of a line begins: as even as can be, longer ones first. */
static uint32_t cut(uint32_t i, uint32_t length, uint32_t parts)
{
    return (i * length + parts - 1) / parts;
}

uint32_t legs_model_place(struct mesh mesh, struct mesh blocks, const node_index *target,
                          struct legs_packet *packet)
{
    uint32_t placed = 0;
    for (uint32_t block = 0; block < blocks.rows * blocks.cols; block++) {
        uint32_t down = block / blocks.cols, across = block % blocks.cols, first = placed;
        uint32_t top = cut(down, mesh.rows, blocks.rows),
                 west = cut(across, mesh.cols, blocks.cols);
        uint32_t height = cut(down + 1, mesh.rows, blocks.rows) - top;
        uint32_t east = cut(across + 1, mesh.cols, blocks.cols);
        uint32_t begin = mesh.cols > blocks.cols ? height / 2 : 0; /* else all have one column */
        for (uint32_t row = top; row < top + height; row++)
            for (uint32_t col = west; col < east; col++) {
                node_index to = target[row * mesh.cols + col];
                if (to != MESH_NO_NODE)
                    packet[placed++] =
                        (struct legs_packet){row, col, to / mesh.cols, to % mesh.cols};
            }
        qsort(packet + first, placed - first, sizeof *packet, by_target);
        for (uint32_t i = 0; i < placed - first; i++) {
            packet[first + i].row = top + (i + begin) % height;
            packet[first + i].col = west + i / height;
        }
    }
    return placed;
}

uint32_t legs_worst_turning(uint32_t blocks, uint32_t height, uint32_t packets)
{
    static uint32_t most[1 << 10];
    memset(most, 0, sizeof most);
    for (uint32_t block = 0; block < blocks; block++)
        for (uint32_t all = packets; all > 0; all--)
            for (uint32_t here = 1; here <= all; here++) {
                uint32_t turning = most[all - here] + (here + height - 1) / height;
                most[all] = turning > most[all] ? turning : most[all];
            }
    return most[packets];
}
