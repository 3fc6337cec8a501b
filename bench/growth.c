/* growth.c - how time and memory grow with n and with c, as rows of a table (CSV).
 *
 *     growth [-s SECONDS] [-m SIDE] [-t THREADS] [ROUTER ...]
 *
 * Uniform sets, d = c, unit copies: c = 16 on sides 64, 128 .. SIDE (512), then c = 1, 4, 16, 64 on
 * 256 x 256, of every router or those that are named. A router goes on as long as its next run
 * should take no more than SECONDS (20) of processor time, eight times the last one. Each run is a process of its own.
 * A hop is a packet or a word that crosses a link. bench/growth.sh makes tables of it.
 */
#include "bench/routes.h"

#include <malloc.h>

struct plan {
    double most_seconds;
    uint32_t most_side, threads;
};

/* Prints a run's row; returns its seconds of processor time. */
static double row(const struct plan *plan, const char *router, uint32_t side, uint32_t congestion)
{
    struct message_set set = {0};
    struct timing timing;
    make_set(&set, "uniform", side, congestion);
    run_apart(run_route, &(struct route){&set, router, plan->threads}, &timing, sizeof timing);
    uint64_t hops = timing.hops + timing.word_hops, nodes = (uint64_t)side * side;
    double bytes = 1024.0 * (double)timing.kibibytes;
    printf("%s,%u,%u,%u,%llu,%llu,%llu,%llu,%.4f,%.2f,%.0f\n", router, side, congestion,
           plan->threads, (unsigned long long)set.deliveries, (unsigned long long)timing.steps,
           (unsigned long long)timing.hops, (unsigned long long)timing.word_hops, timing.processor,
           1e9 * timing.processor / (double)hops, bytes / (double)nodes);
    fflush(stdout);
    message_set_free(&set);
    malloc_trim(0); /* what the parent keeps would count in the next child's memory */
    return timing.processor;
}

static void grow(const struct plan *plan, const char *router)
{
    enum { FIRST_SIDE = 64, CONGESTION = 16, MIDDLE_SIDE = 256, MOST_CONGESTION = 64, DEARER = 8 };
    double expected = 0;
    for (uint32_t side = FIRST_SIDE; side <= plan->most_side && expected <= plan->most_seconds;
         side *= 2)
        expected = DEARER * row(plan, router, side, CONGESTION);
    expected = 0;
    for (uint32_t congestion = 1; congestion <= MOST_CONGESTION && expected <= plan->most_seconds;
         congestion *= 4)
        expected = DEARER * row(plan, router, MIDDLE_SIDE, congestion);
}

static int usage(void)
{
    fputs("usage: growth [-s SECONDS] [-m SIDE] [-t THREADS] [ROUTER ...]\n", stderr);
    return EXIT_FAILURE;
}

int main(int count, char **argument)
{
    struct plan plan = {.most_seconds = 20, .most_side = 512, .threads = 1};
    int option;
    while ((option = getopt(count, argument, "s:m:t:")) != -1) {
        if (option == 's')
            plan.most_seconds = atof(optarg);
        else if (option == 'm')
            plan.most_side = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 't')
            plan.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else
            return usage();
    }
    for (int i = optind; i < count; i++)
        if (router_find(argument[i]) == NULL)
            return usage();
    if (plan.threads < 1 || plan.most_side > MESH_MAX_SIDE)
        return usage();
    puts("router,m,c,threads,deliveries,steps,packet_hops,word_hops,seconds,ns_per_hop,"
         "bytes_per_node");
    for (int i = optind; i < count; i++)
        grow(&plan, argument[i]);
    for (uint32_t i = 0; optind == count && i < router_count(); i++)
        grow(&plan, router_at(i)->name);
    return EXIT_SUCCESS;
}
