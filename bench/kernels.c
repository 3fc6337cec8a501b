/* kernels.c - steps and buffers of the kernels beneath `replicate`: a Markdown table.
 *
 *     kernels [SIDE ...]        default 64 128 256
 *
 * Whole mesh as one tile, free copies, synchronisation left out. Prefix and synchronisation are
 * functions of the side alone. Routing takes k packets a node to random or fixed permutations;
 * the broadcast's segments have random lengths up to twice the nodes of four rows.
 */
#include "machine/pcg.h"
#include "primitives/prefix.h"
#include "primitives/segmented_broadcast.h"
#include "primitives/unicast_route.h"

#include <stdlib.h>

static struct machine *machine_of(uint32_t side, uint32_t slots)
{
    struct machine_config config = {
        .mesh = {side, side}, .slots = slots, .copy_is_free = true, .threads = 1};
    struct failure failure = {0};
    struct machine *machine = machine_create(&config, &failure);
    if (machine == NULL) {
        fprintf(stderr, "kernels: %s\n", failure.text);
        exit(EXIT_FAILURE);
    }
    return machine;
}

static void print_row(const char *kernel, uint32_t side, struct machine *machine)
{
    const struct machine_counts *counts = machine_counts(machine);
    uint64_t steps = counts->steps - counts->sync_steps;
    printf("| %s | %u | %llu | %.2f | %u | %llu |\n", kernel, side, (unsigned long long)steps,
           (double)steps / side, counts->peak,
           (unsigned long long)(counts->packet_hops + counts->word_hops));
    machine_free(machine);
}

static void measure_prefix(uint32_t side, uint32_t sums)
{
    char name[64];
    struct machine *machine = machine_of(side, 1);
    struct tessellation whole;
    struct failure failure = {0};
    uint64_t *value = calloc((size_t)side * side * sums, sizeof *value);
    uint64_t *total = calloc((size_t)side * side * sums, sizeof *total);
    struct prefix_items items = {&prefix_sum, sums, value, total, NULL, NULL};
    machine_begin_phase(machine, "prefix");
    if (value != NULL && total != NULL &&
        tessellation_make(&whole, (struct mesh){side, side}, 1, &failure) == FAIL_NONE) {
        prefix_snake(machine, &whole, &items, &failure);
        tessellation_free(&whole);
    }
    free(value);
    free(total);
    snprintf(name, sizeof name, "prefix, %u sum%s", sums, sums == 1 ? "" : "s");
    print_row(name, side, machine);
}

static void measure_synchronisation(uint32_t side)
{
    struct machine *machine = machine_of(side, 1);
    struct failure failure = {0};
    bool busy;
    synchronise(machine, 0, &busy, &failure);
    printf("| synchronisation | %u | %llu | %.2f | 0 | %llu |\n", side,
           (unsigned long long)machine_counts(machine)->steps,
           (double)machine_counts(machine)->steps / side,
           (unsigned long long)machine_counts(machine)->word_hops);
    machine_free(machine);
}

/* A packet of slots first .. last at `node` that delivers nothing. */
static void inject(struct machine *machine, node_index node, uint32_t first, uint32_t last)
{
    struct headers *header = machine_headers(machine);
    struct failure failure = {0};
    for (uint32_t slot = first; slot <= last; slot++)
        header->destination[slot] = MACHINE_NO_PLACE;
    header->first[last] = first;
    machine_inject(machine, node, last, &failure);
}

static void measure_route(uint32_t side, uint32_t k, const char *pattern)
{
    char name[64];
    uint32_t nodes = side * side;
    struct machine *machine = machine_of(side, nodes * k);
    struct headers *header = machine_headers(machine);
    struct failure failure = {0};
    struct pcg32 random = pcg32_seed(1, k);
    node_index *target = calloc(nodes, sizeof *target);
    for (uint32_t copy = 0; target != NULL && copy < k; copy++) {
        for (node_index v = 0; v < nodes; v++)
            target[v] = *pattern == 't' ? v % side * side + v / side : nodes - 1 - v;
        for (uint32_t i = nodes - 1; *pattern == 'r' && i > 0; i--) {
            uint32_t j = pcg32_below(&random, i + 1);
            node_index other = target[i];
            target[i] = target[j];
            target[j] = other;
        }
        for (node_index v = 0; v < nodes; v++) {
            uint32_t packet = copy * nodes + v;
            header->target[packet] = site_place(machine_site(machine, target[v]));
            header->state[packet] = (uint8_t)((v / side + v + copy) % 2);
            inject(machine, v, packet, packet);
        }
    }
    free(target);
    uint64_t length = (uint64_t)(k + 2) * side;
    unicast_route(machine, "route", (struct rounds){length, length}, &failure);
    snprintf(name, sizeof name, "(k,k)-routing, k = %u, %s", k, pattern);
    print_row(name, side, machine);
}

static void measure_broadcast(uint32_t side)
{
    uint32_t nodes = side * side, next = 0;
    struct machine *machine = machine_of(side, nodes);
    struct headers *header = machine_headers(machine);
    struct tessellation whole;
    struct failure failure = {0};
    struct pcg32 random = pcg32_seed(1, side);
    struct halves all = {0, 0, side};
    while (next < nodes) {
        uint32_t copies = 1 + pcg32_below(&random, 8 * side);
        copies = copies < nodes - next ? copies : nodes - next;
        node_place place = snake_place(all, all, next);
        header->target[next + copies - 1] = next;
        inject(machine, place_row(place) * side + place_col(place), next, next + copies - 1);
        next += copies;
    }
    if (tessellation_make(&whole, (struct mesh){side, side}, 1, &failure) == FAIL_NONE) {
        struct segments segments = {&whole, 1, 1};
        segmented_broadcast(machine, segments, "broadcast", (struct rounds){4 * side, 4 * side},
                            &failure);
        tessellation_free(&whole);
    }
    print_row("segmented broadcast", side, machine);
}

int main(int count, char **argument)
{
    static const uint32_t standard[] = {64, 128, 256}, load[] = {1, 4, 16};
    static const char *const pattern[] = {"random", "transpose", "inversion"};
    puts("| kernel | m | steps | / m | peak | hops |\n|---|---|---|---|---|---|");
    for (int i = 0; i < (count > 1 ? count - 1 : 3); i++) {
        uint32_t side = count > 1 ? (uint32_t)strtoul(argument[i + 1], NULL, 10) : standard[i];
        if (side == 0 || side > 1024)
            continue;
        measure_prefix(side, 1);
        measure_prefix(side, 8);
        measure_broadcast(side);
        for (int j = 0; j < 3; j++)
            for (int p = 0; p < 3; p++)
                measure_route(side, load[j], pattern[p]);
        measure_synchronisation(side);
    }
    return EXIT_SUCCESS;
}
