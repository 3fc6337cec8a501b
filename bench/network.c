/* network.c - the speed of the network: link hops per second, two threads, one message: Markdown
 * tables.
 *
 *     network [-r RUNS] [-s SECONDS] [-a LOAD] [-k SIDE] [-f FLITS] [hops|threads|single ...]
 *
 * The default is everything with five runs of a second each, at 0.2 of capacity, on sides 8 to 256,
 * with messages of one and of five flits. Messages are unicast, x-first, to uniform destinations,
 * made by each node at random (Bernoulli), V = 1, B = 4; the capacity of a k x k mesh is 4/k flits
 * per node and cycle. Runs warm up for 4 k cycles. Posting a message is part of the time, drawing
 * it is not. Figures are medians, with the least and the largest in brackets.
 *
 *     hops      millions of link hops per second of the processor, one thread; goals: 40 for
 *               single flits on 8^2 to 64^2, 25 on 128^2, 100 for five flits
 *     threads   seconds of one and two threads, one after the other; goal: 1.6 times as fast on
 *               256^2
 *     single    milliseconds of a burst of one message across 1024 x 1024, making the network
 *               included
 */
#include "network/network.h"
#include "base/pcg.h"
#include "base/stopwatch.h"
#include "bench/must.h"

#include <string.h>
#include <time.h>

enum { MOST_RUNS = 99, WINDOW = 64, WARM = 4 };

struct options {
    int runs;
    uint32_t least, most; /* sides */
    uint32_t flits[2];    /* per message; 0: none */
    double seconds, load;
};

/* ---- traffic ---- */

struct arrival {
    uint64_t cycle;
    uint32_t source, target;
};

/* Returns the next message of a Bernoulli process in each node, counted through all nodes of all
 * cycles. */
static struct arrival next_arrival(struct pcg32 *random, uint64_t *place, uint32_t nodes,
                                   double log_rest)
{
    double uniform = (pcg32_next(random) + 1.0) / 4294967297.0;
    *place += 1 + (uint64_t)(__builtin_log(uniform) / log_rest);
    struct arrival arrival = {*place / nodes, (uint32_t)(*place % nodes), 0};
    do
        arrival.target = pcg32_below(random, nodes);
    while (arrival.target == arrival.source);
    return arrival;
}

struct traffic {
    struct network *network;
    struct pcg32 random;
    uint64_t place;
    uint32_t nodes, flits;
    double log_rest;
    struct arrival next;
    struct arrival *arrival; /* of a window */
    uint32_t room;
};

/* Runs a window of cycles; returns the seconds of posting and running. */
static double run_window(struct traffic *traffic, bool is_wall)
{
    struct failure failure = {0};
    uint64_t end = network_counts(traffic->network).cycle / WINDOW * WINDOW + WINDOW;
    uint32_t count = 0;
    for (; traffic->next.cycle < end; count++) {
        if (count == traffic->room) {
            traffic->room = traffic->room * 2 + 64;
            traffic->arrival =
                memory_resize(traffic->arrival, traffic->room, sizeof *traffic->arrival);
            if (traffic->arrival == NULL)
                exit(EXIT_FAILURE);
        }
        traffic->arrival[count] = traffic->next;
        traffic->next =
            next_arrival(&traffic->random, &traffic->place, traffic->nodes, traffic->log_rest);
    }
    struct timespec start, stop;
    clockid_t which = is_wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    clock_gettime(which, &start);
    for (uint32_t i = 0; i < count; i++) {
        struct worm worm = {.sender = traffic->arrival[i].source, .stops = 1};
        uint32_t node = traffic->arrival[i].target;
        struct stop target = {node, 0, 1, 1};
        struct plan plan = {
            .routing = &routing_x_first, .worms = 1, .stops = 1, .worm = &worm, .stop = &target};
        struct multicast multicast = {worm.sender, 1, &node, traffic->flits};
        bench_must(
            network_post(traffic->network, traffic->arrival[i].cycle, &multicast, &plan, &failure),
            &failure);
    }
    bench_must(network_run(traffic->network, end, &failure), &failure);
    clock_gettime(which, &stop);
    size_t done;
    network_take_done(traffic->network, &done);
    return (double)(stop.tv_sec - start.tv_sec) + 1e-9 * (double)(stop.tv_nsec - start.tv_nsec);
}

static struct topology mesh(uint32_t side)
{
    struct shape shape = {TOPOLOGY_MESH, 2, {side, side}};
    return topology_of_shape(&shape);
}

static void start(struct traffic *traffic, const struct topology *topology, uint32_t flits,
                  double load, uint32_t threads)
{
    struct failure failure = {0};
    struct network_settings settings = network_settings_default();
    settings.threads = threads;
    double rate = load * 4 / topology->shape.size[0] / flits;
    *traffic = (struct traffic){.random = pcg32_seed(1, flits),
                                .nodes = topology->nodes,
                                .flits = flits,
                                .log_rest = __builtin_log1p(-rate)};
    bench_must(
        network_make(&traffic->network, topology, &routing_x_first, &settings, NULL, &failure),
        &failure);
    traffic->next =
        next_arrival(&traffic->random, &traffic->place, traffic->nodes, traffic->log_rest);
    while (network_counts(traffic->network).cycle < WARM * topology->shape.size[0])
        run_window(traffic, false);
}

static void end(struct traffic *traffic)
{
    network_free(traffic->network);
    free(traffic->arrival);
}

/* ---- figures ---- */

static int compare_figures(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return a < b ? -1 : a > b;
}

static void print_figures(double *figure, int count, const char *format)
{
    qsort(figure, (size_t)count, sizeof *figure, compare_figures);
    printf(format, figure[count / 2]);
    printf(" (");
    printf(format, figure[0]);
    printf(" .. ");
    printf(format, figure[count - 1]);
    printf(") |");
    fflush(stdout);
}

/* Returns millions of link hops per second. */
static double measure_hops(const struct options *options, uint32_t side, uint32_t flits)
{
    struct topology topology = mesh(side);
    struct traffic traffic;
    start(&traffic, &topology, flits, options->load, 1);
    uint64_t before = network_counts(traffic.network).crossings;
    double seconds = 0;
    while (seconds < options->seconds)
        seconds += run_window(&traffic, false);
    uint64_t hops = network_counts(traffic.network).crossings - before;
    end(&traffic);
    return 1e-6 * (double)hops / seconds;
}

static void print_hops(const struct options *options)
{
    double figure[MOST_RUNS];
    printf("| k |");
    for (int f = 0; f < 2 && options->flits[f] > 0; f++)
        printf(" flits %u |", options->flits[f]);
    printf("\n|---|---|---|\n");
    for (uint32_t side = options->least; side <= options->most && side <= 128; side *= 2) {
        printf("| %u |", side);
        for (int f = 0; f < 2 && options->flits[f] > 0; f++) {
            for (int i = 0; i < options->runs; i++)
                figure[i] = measure_hops(options, side, options->flits[f]);
            putchar(' ');
            print_figures(figure, options->runs, "%.1f");
        }
        putchar('\n');
    }
}

static void print_threads(const struct options *options)
{
    double one[MOST_RUNS], two[MOST_RUNS], ratio[MOST_RUNS];
    printf("\n| k | flits | one thread, s | two, s | ratio |\n|---|---|---|---|---|\n");
    for (uint32_t side = options->least < 64 ? 64 : options->least; side <= options->most;
         side *= 2) {
        for (int f = 0; f < 2 && options->flits[f] > 0; f++) {
            uint32_t flits = options->flits[f];
            struct topology topology = mesh(side);
            struct traffic traffic[2];
            for (uint32_t t = 0; t < 2; t++)
                start(&traffic[t], &topology, flits, options->load, t + 1);
            for (int i = 0; i < options->runs; i++) {
                one[i] = two[i] = 0;
                while (one[i] < options->seconds) {
                    one[i] += run_window(&traffic[0], true);
                    two[i] += run_window(&traffic[1], true);
                }
                ratio[i] = one[i] / two[i];
            }
            printf("| %u | %u | ", side, flits);
            print_figures(one, options->runs, "%.2f");
            putchar(' ');
            print_figures(two, options->runs, "%.2f");
            putchar(' ');
            print_figures(ratio, options->runs, "%.2f");
            putchar('\n');
            end(&traffic[0]);
            end(&traffic[1]);
        }
    }
}

static void print_single(const struct options *options)
{
    enum { SIDE = 1024 };
    double figure[MOST_RUNS];
    struct topology topology = mesh(SIDE);
    struct failure failure = {0};
    struct network_settings settings = network_settings_default();
    struct worm worm = {.sender = 0, .stops = 1};
    uint32_t last = topology.nodes - 1;
    struct stop target = {last, 0, 1, 1};
    struct plan plan = {
        .routing = &routing_x_first, .worms = 1, .stops = 1, .worm = &worm, .stop = &target};
    struct multicast multicast = {0, 1, &last, 5};
    for (int i = 0; i < options->runs; i++) {
        struct network *network;
        uint32_t from, to;
        double begin = stopwatch_seconds();
        bench_must(network_make(&network, &topology, &routing_x_first, &settings, NULL, &failure),
                   &failure);
        bench_must(network_post(network, 0, &multicast, &plan, &failure), &failure);
        bench_must(network_run(network, UINT64_MAX, &failure), &failure);
        network_busiest_link(network, &from, &to);
        network_free(network);
        figure[i] = 1e3 * (stopwatch_seconds() - begin);
    }
    printf("\nOne message of 5 flits across 1024 x 1024, milliseconds: ");
    print_figures(figure, options->runs, "%.2f");
    putchar('\n');
}

int main(int argc, char **argv)
{
    struct options options = {5, 8, 256, {1, 5}, 1, 0.2};
    bool has_word = false, hops = false, threads = false, single = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-r") == 0 && i + 1 < argc)
            options.runs = atoi(argv[++i]);
        else if (strcmp(argv[i], "-s") == 0 && i + 1 < argc)
            options.seconds = atof(argv[++i]);
        else if (strcmp(argv[i], "-a") == 0 && i + 1 < argc)
            options.load = atof(argv[++i]);
        else if (strcmp(argv[i], "-k") == 0 && i + 1 < argc)
            options.least = options.most = (uint32_t)atoi(argv[++i]);
        else if (strcmp(argv[i], "-f") == 0 && i + 1 < argc)
            options.flits[0] = (uint32_t)atoi(argv[++i]), options.flits[1] = 0;
        else
            has_word = true;
        hops |= strcmp(argv[i], "hops") == 0;
        threads |= strcmp(argv[i], "threads") == 0;
        single |= strcmp(argv[i], "single") == 0;
    }
    if (options.runs < 1 || options.runs > MOST_RUNS || options.least < 2 || options.flits[0] < 1 ||
        (has_word && !hops && !threads && !single)) {
        fputs("usage: network [-r RUNS] [-s SECONDS] [-a LOAD] [-k SIDE] [-f FLITS] "
              "[hops|threads|single ...]\n",
              stderr);
        return EXIT_FAILURE;
    }
    if (hops || !has_word)
        print_hops(&options);
    if (threads || !has_word)
        print_threads(&options);
    if (single || !has_word)
        print_single(&options);
    return EXIT_SUCCESS;
}
