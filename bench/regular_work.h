/* regular_work.h - regular work of the emulator, timed for bench/speed.c: sorting, tours,
 * sibling exchange, on a mesh of SIDE x SIDE nodes with a packet at each.
 */
#ifndef MESHCAST_BENCH_REGULAR_WORK_H
#define MESHCAST_BENCH_REGULAR_WORK_H

#include "base/stopwatch.h"
#include "bench/must.h"
#include "machine/forward.h"
#include "machine/rule.h"
#include "primitives/kernel.h"
#include "primitives/tessellation.h"
#include "routers/block_tour.h"
#include "routers/sibling.h"

#include <stdio.h>
#include <stdlib.h>

/* The work done, and its time. */
struct timed_work {
    uint64_t steps;
    double moves; /* words compared, or links crossed by packets */
    double seconds;
};

static inline struct timed_work sort_work(uint32_t side, uint32_t threads, const char *method)
{
    static struct kernel_result result;
    struct kernel_options options = kernel_options_default();
    struct failure failure = {0};
    options.mesh = (struct mesh){side, side};
    options.threads = threads;
    options.method = method;
    bench_must(kernel_run(kernel_find("sort"), &options, &result, &failure), &failure);
    return (struct timed_work){result.counts.steps, (double)result.counts.steps * side * side,
                               result.wall_seconds};
}

/* Returns a machine on which each node holds a packet of `slots` slots, to the places given by
 * `place`. */
static inline struct machine *work_machine(uint32_t side, uint32_t threads, uint32_t slots,
                                           node_place (*place)(uint32_t side, node_index node,
                                                               uint32_t slot))
{
    struct failure failure = {0};
    struct machine_config config = {.mesh = {side, side},
                                    .slots = slots * side * side,
                                    .copy_is_free = true,
                                    .threads = threads,
                                    .kernel = "speed"};
    struct machine *machine = machine_create(&config, &failure);
    if (machine == NULL)
        bench_must(FAIL_SYSTEM, &failure);
    struct headers *header = machine_headers(machine);
    for (node_index node = 0; node < side * side; node++) {
        uint32_t packet = (node + 1) * slots - 1;
        header->packet[packet].first = node * slots;
        for (uint32_t i = 0; i < slots; i++) {
            header->destination[node * slots + i] = place(side, node, i);
            header->packet[node * slots + i].message = node;
        }
        machine_inject(machine, node, packet);
    }
    bench_must(machine_end_injection(machine, &failure), &failure);
    return machine;
}

static inline struct timed_work work_end(struct machine *machine, double start)
{
    const struct machine_counts *counts = machine_counts(machine);
    struct timed_work work = {counts->steps, (double)counts->packet_hops,
                              stopwatch_seconds() - start};
    machine_free(machine);
    return work;
}

static inline node_place nowhere(uint32_t side, node_index node, uint32_t slot)
{
    (void)side, (void)node, (void)slot;
    return MACHINE_NO_PLACE;
}

/* ---- tours ---- */

/* Returns one destination, which the packet meets half-way around its block of 32 x 32. */
static inline node_place across_block(uint32_t side, node_index node, uint32_t slot)
{
    uint32_t row = node / side, col = node % side;
    (void)slot;
    return place_of(row ^ 16, col ^ 16);
}

static inline struct timed_work tour_work(uint32_t side, uint32_t threads)
{
    struct mesh mesh = {side, side};
    struct tessellation blocks = {0};
    struct block_tour tour = {0};
    struct failure failure = {0};
    bench_must(tessellation_make(&blocks, mesh, (uint64_t)side * side / 1024, &failure), &failure);
    bench_must(block_tour_make(&tour, &blocks, &failure), &failure);
    struct machine *machine = work_machine(side, threads, 1, across_block);
    machine_begin_phase(machine, "tour");
    double start = stopwatch_seconds();
    bench_must(block_tour_run(machine, &tour, 0, &failure), &failure);
    block_tour_free(&tour);
    tessellation_free(&blocks);
    return work_end(machine, start);
}

/* ---- sibling exchange ---- */

/* Returns the same place of each of 16 tiles. */
static inline node_place in_each_tile(uint32_t side, node_index node, uint32_t slot)
{
    uint32_t row = node / side, col = node % side, tile = side / 4;
    return place_of(slot / 4 * tile + row % tile, slot % 4 * tile + col % tile);
}

static inline struct timed_work sibling_work(uint32_t side, uint32_t threads)
{
    struct mesh mesh = {side, side};
    struct tessellation tiles = {0};
    struct failure failure = {0};
    bench_must(tessellation_make(&tiles, mesh, 16, &failure), &failure);
    struct machine *machine = work_machine(side, threads, 16, in_each_tile);
    struct seats seats = seats_make(&tiles);
    struct sibling_rule sibling = {machine_headers(machine), &seats};
    struct routing_rule rule = sibling_routing(&sibling);
    machine_begin_phase(machine, "sibling");
    double start = stopwatch_seconds();
    bench_must(machine_forward(machine, &rule, true, UINT64_MAX, &failure), &failure);
    tessellation_free(&tiles);
    return work_end(machine, start);
}

#endif
