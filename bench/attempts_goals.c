/* attempts_goals.c - runs with an unknown congestion against their goal: a Markdown table.
 *
 *     attempts_goals [-u] [-t THREADS] [SIDE ...]
 *
 * For each side m, each router that guesses and each c of 4, 16, 64 with c <= n / 16: every pattern
 * that has such a congestion (broadcast's is its average: its first guess is right), and a set in
 * which c nodes send to node 0 and all to one other each, so that the first guess is 1 or 2. A row
 * shows the set whose attempts together take the largest share of what is allowed: free copies,
 * without synchronisation, 4 times the router's goal for the true c and 4 m for each guess; and over
 * all sets of the row the most guesses, and the least and the most ratio to the steps of the run that
 * knows c. -u: unit copies, for which 1.6 times the goal is allowed. Without sides: 32 64.
 */
#include "routers/router.h"
#include "workloads/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SIZE = 32 };

struct plan {
    bool is_unit;
    uint32_t threads;
};

struct row {
    const struct plan *plan;
    const char *router;
    struct mesh mesh;
    uint32_t congestion;
    uint32_t sets, failed, guesses, peak;
    double share, steps, least_ratio, most_ratio;
    char worst[NAME_SIZE];
};

static double goal_of(const struct row *row)
{
    double n = mesh_nodes(row->mesh), m = row->mesh.rows, c = row->congestion;
    double root = sqrt(c * n), goal = 0.4 * root * log2(n) * log2(n);
    if (strcmp(row->router, "replicate") == 0)
        goal = 1.5 * root + 8 * m;
    else if (strcmp(row->router, "random") == 0)
        goal = (n < 64 * c ? 12 : 9) * root + 10 * m;
    else if (strcmp(row->router, "stream") == 0)
        goal = 1.6 * root + 4 * m;
    return row->plan->is_unit ? 1.6 * goal : goal;
}

static bool run_once(struct row *row, const struct message_set *set, bool is_unknown,
                     struct router_result *result)
{
    struct router_options options = router_options_default();
    struct failure failure = {0};
    options.threads = row->plan->threads;
    options.copy_is_free = !row->plan->is_unit;
    options.congestion_is_unknown = is_unknown;
    if (router_run(router_find(row->router), set, &options, result, &failure) == FAIL_NONE)
        return true;
    fprintf(stderr, "%s, m = %u, c = %u: %s\n", row->router, row->mesh.rows, row->congestion,
            failure.text);
    row->failed++;
    return false;
}

static void take_set(struct row *row, const char *name, const struct message_set *set)
{
    static struct router_result known, guessed;
    if (!run_once(row, set, false, &known) || !run_once(row, set, true, &guessed))
        return;
    double steps = (double)(guessed.steps - guessed.sync_steps);
    double ratio = steps / (double)(known.steps - known.sync_steps);
    double share = steps / (4 * goal_of(row) + 4.0 * row->mesh.rows * guessed.attempts);
    row->least_ratio = row->sets == 0 || ratio < row->least_ratio ? ratio : row->least_ratio;
    row->most_ratio = ratio > row->most_ratio ? ratio : row->most_ratio;
    row->guesses = guessed.attempts > row->guesses ? guessed.attempts : row->guesses;
    row->peak = guessed.buffer_peak > row->peak ? guessed.buffer_peak : row->peak;
    row->sets++;
    if (share <= row->share)
        return;
    row->share = share;
    row->steps = steps;
    snprintf(row->worst, NAME_SIZE, "%s", name);
}

/* c nodes, spread over the mesh, send to node 0; every node sends to one other. */
static void take_wanted_node(struct row *row)
{
    char *text = NULL;
    size_t size = 0;
    uint32_t nodes = mesh_nodes(row->mesh);
    struct message_set set;
    struct failure failure = {0};
    FILE *stream = open_memstream(&text, &size);
    fprintf(stream, "mcast 1 %u %u\n", row->mesh.rows, row->mesh.cols);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t other = (7 * i + 5) % nodes; /* a permutation: 7 divides no power of two */
        bool sends = i % (nodes / row->congestion) == 0;
        fprintf(stream, sends && other != 0 ? "%u %u 0\n" : "%u %u\n", i, other);
    }
    fclose(stream);
    if (message_set_read_memory(&set, text, size, "one wanted node", &failure) == FAIL_NONE) {
        take_set(row, "one wanted node", &set);
        message_set_free(&set);
    }
    free(text);
}

static void take_sets(struct row *row)
{
    for (uint32_t i = 0; i < pattern_count(); i++) {
        const struct pattern *pattern = pattern_at(i);
        struct pattern_options options = {
            .mesh = row->mesh, .congestion = row->congestion, .seed = 1};
        struct message_set set = {0};
        if (pattern->needs || pattern->sends_many ||
            pattern_generate(pattern, &options, &set, NULL) != FAIL_NONE)
            continue;
        if (message_set_congestion(&set) == row->congestion)
            take_set(row, pattern->name, &set);
        message_set_free(&set);
    }
    take_wanted_node(row);
}

static void print_row(const struct row *row)
{
    printf("| %s | %u | %u | %u", row->router, row->mesh.rows, row->congestion, row->sets);
    if (row->failed > 0)
        printf(", %u failed!", row->failed);
    printf(" | %s | %.0f | %.2f%s | %u | %.2f | %.2f | %u |\n", row->worst, row->steps, row->share,
           row->share > 1 ? "!" : "", row->guesses, row->least_ratio, row->most_ratio, row->peak);
    fflush(stdout);
}

static void rows_of_side(const struct plan *plan, uint32_t side)
{
    static const uint32_t congestion[] = {4, 16, 64};
    for (uint32_t i = 0; i < router_count(); i++)
        for (size_t j = 0; j < sizeof congestion / sizeof *congestion; j++) {
            struct row row = {.plan = plan,
                              .router = router_at(i)->name,
                              .mesh = {side, side},
                              .congestion = congestion[j]};
            if (!router_guesses_congestion(router_at(i)) ||
                mesh_nodes(row.mesh) < 16 * congestion[j])
                continue;
            take_sets(&row);
            print_row(&row);
        }
}

int main(int argc, char **argv)
{
    struct plan plan = {.threads = 1};
    for (int option; (option = getopt(argc, argv, "ut:")) != -1;) {
        if (option == 't')
            plan.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'u')
            plan.is_unit = true;
        else
            return 2;
    }
    puts("| router | m | c | sets | worst set | steps | / allowed | guesses | least / known | most "
         "/ "
         "known | peak |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|");
    for (int i = optind; i < argc; i++)
        rows_of_side(&plan, (uint32_t)strtoul(argv[i], NULL, 10));
    if (optind == argc) {
        rows_of_side(&plan, 32);
        rows_of_side(&plan, 64);
    }
    return 0;
}
