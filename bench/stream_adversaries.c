/* stream_adversaries.c - sets made against the permutation of a walk: a Markdown table.
 *
 *     stream_adversaries [-r ROUTER] [-f FAMILY] [-t THREADS] SIDE:CONGESTION ...
 *
 * For each mesh of SIDE x SIDE nodes and each CONGESTION c: the families of search/stream_adversary.h, or
 * those alone whose name begins with FAMILY, against router `stream` (default) with seed 1, free copies; or
 * against ROUTER `expander`, whose permutation is public. A row shows a set's steps without
 * synchronisation, their shares of 1.6 S + 4 m and of 2 S + 4 m, S = sqrt(c n), m the side, and the
 * largest number of packets at a node. A share above 1 is marked with !.
 */
#include "bench/must.h"
#include "routers/router.h"
#include "search/stream_adversary.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { RUN_SEED = 1 };

struct plan {
    const char *router, *family;
    uint32_t threads;
};

static void print_share(double share)
{
    printf(" | %.2f%s", share, share > 1 ? "!" : "");
}

static void measure(const struct plan *plan, const struct adversary_options *sets, uint32_t family)
{
    static struct router_result result;
    struct message_set set = {0};
    struct failure failure = {0};
    struct router_options options = router_options_default();
    options.threads = plan->threads;
    options.copy_is_free = true;
    options.seed = RUN_SEED;
    if (strcmp(plan->router, "expander") == 0)
        options.parameter[options.parameters++] = (struct router_parameter){"graph_seed", "1"};
    bench_must(adversary_make(family, sets, &set, &failure), &failure);
    bench_must(router_run(router_find(plan->router), &set, &options, &result, &failure), &failure);
    double side = sets->mesh.rows, root = sqrt((double)sets->congestion) * side;
    double steps = (double)(result.steps - result.sync_steps);
    printf("| %u | %u | %s | %.0f", sets->mesh.rows, sets->congestion, adversary_name(family),
           steps);
    print_share(steps / (1.6 * root + 4 * side));
    print_share(steps / (2 * root + 4 * side));
    printf(" | %u |\n", result.buffer_peak);
    fflush(stdout);
    message_set_free(&set);
}

static bool is_asked(const struct plan *plan, uint32_t family)
{
    return strncmp(adversary_name(family), plan->family, strlen(plan->family)) == 0;
}

static void measure_mesh(const struct plan *plan, const char *name)
{
    unsigned side, congestion;
    if (sscanf(name, "%u:%u", &side, &congestion) != 2 || side == 0 || congestion == 0) {
        fprintf(stderr, "%s: expected SIDE:CONGESTION\n", name);
        exit(2);
    }
    struct adversary_options sets = {{side, side}, congestion, RUN_SEED};
    for (uint32_t family = 0; family < adversary_count(); family++)
        if (is_asked(plan, family))
            measure(plan, &sets, family);
}

int main(int count, char *word[])
{
    struct plan plan = {"stream", "", 0};
    int option;
    while ((option = getopt(count, word, "r:f:t:")) != -1) {
        if (option == 'r')
            plan.router = optarg;
        else if (option == 'f')
            plan.family = optarg;
        else if (option == 't')
            plan.threads = (uint32_t)atoi(optarg);
        else
            return 2;
    }
    puts("| m | c | set | steps | / (1.6 S + 4 m) | / (2 S + 4 m) | peak |");
    puts("|---|---|---|---|---|---|---|");
    for (int i = optind; i < count; i++)
        measure_mesh(&plan, word[i]);
    return 0;
}
