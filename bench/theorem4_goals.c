/* theorem4_goals.c - router `expander`, measured: a Markdown table.
 *
 *     theorem4_goals [-a] [-c MOST] [-k C] [-t THREADS] [SIDE ...]
 *
 * For each side m, each c of 16, 64, 256 with s = m / sqrt(c) >= 4, both kinds of graph, and runs with and without the
 * walk: every pattern that has such a congestion, and sets made against the very graph, blocks filled from messages with
 * many replicas in 1/8, 1/4, 1/2 of the groups (for a Reed-Solomon graph a subspace). A row shows the set with most steps
 * with free copies and without synchronisation, S = sqrt(c n); the most with unit copies and synchronisation; the largest
 * share of the steps that are proven; the most phases that a class took; and the largest peaks. -a shows every set in a
 * row of its own. -k C: that c alone. c n is at most MOST times 65536 (default 16). Without sides: 64 128.
 */
#include "expanders/crowd.h"
#include "routers/router.h"
#include "workloads/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPLICAS = 4, NAME_SIZE = 32 };

struct plan {
    bool shows_all;
    uint32_t threads, congestion; /* 0: all */
    double most;                  /* c n */
};

struct row {
    uint32_t sets, failed, phases, peak[2]; /* [is unit] */
    double steps[2], of_proven;
    char worst[2][NAME_SIZE];
};

/* A mesh, a congestion, and the graph that the router makes for them. */
struct scene {
    const struct plan *plan;
    struct mesh mesh;
    uint32_t congestion;
    const char *graph;
    bool walks;
    struct expander expander;
};

/* ---- a run ---- */

/* The most phases of a class: the machine's phases are "step (class K phase I)". */
static uint32_t phases_of(const struct router_result *result)
{
    unsigned most = 0, class, phase;
    for (uint32_t i = 0; i < result->phases; i++) {
        const char *of = strchr(result->phase[i].name, '(');
        if (of != NULL && sscanf(of, "(class %u phase %u", &class, &phase) == 2 && phase > most)
            most = phase;
    }
    return most;
}

static bool run_once(const struct scene *scene, const struct message_set *set, bool is_unit,
                     struct router_result *result)
{
    struct router_options options = router_options_default();
    struct failure failure = {0};
    options.threads = scene->plan->threads;
    options.copy_is_free = !is_unit;
    options.parameter[options.parameters++] = (struct router_parameter){"graph", scene->graph};
    if (!scene->walks)
        options.parameter[options.parameters++] = (struct router_parameter){"walk", "0"};
    enum failure_kind kind = router_run(router_find("expander"), set, &options, result, &failure);
    if (kind != FAIL_NONE)
        fprintf(stderr, "expander, m = %u, c = %u: %s\n", scene->mesh.rows, scene->congestion,
                failure.text);
    return kind == FAIL_NONE;
}

static void measure(const struct scene *scene, const char *name, const struct message_set *set,
                    struct row *row)
{
    static struct router_result result;
    row->sets++;
    for (int is_unit = 0; is_unit < 2; is_unit++) {
        if (!run_once(scene, set, is_unit, &result)) {
            row->failed++;
            return;
        }
        double steps = (double)(is_unit ? result.steps : result.steps - result.sync_steps);
        if (steps > row->steps[is_unit]) {
            row->steps[is_unit] = steps;
            snprintf(row->worst[is_unit], NAME_SIZE, "%s", name);
        }
        row->of_proven = fmax(row->of_proven, (double)result.steps / (double)result.proven_steps);
        if (result.buffer_peak > row->peak[is_unit])
            row->peak[is_unit] = result.buffer_peak;
        if (phases_of(&result) > row->phases)
            row->phases = phases_of(&result);
    }
}

/* ---- the table ---- */

static void print_head(void)
{
    puts("| m | c | s | graph | walk | sets | worst, free | steps | / S | worst, unit + sync | "
         "steps | "
         "/ S | / proven | phases | peak, free | peak, unit |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
}

static void print_row(const struct scene *scene, const struct row *row)
{
    double n = mesh_nodes(scene->mesh), root = sqrt(scene->congestion * n);
    printf("| %u | %u | %.0f | %s | %s | %u", scene->mesh.rows, scene->congestion,
           sqrt(n / scene->congestion), scene->graph, scene->walks ? "yes" : "no", row->sets);
    if (row->failed > 0)
        printf(", %u failed!", row->failed);
    for (int is_unit = 0; is_unit < 2; is_unit++)
        printf(" | %s | %.0f | %.1f", row->worst[is_unit], row->steps[is_unit],
               row->steps[is_unit] / root);
    printf(" | %.4f | %u | %u | %u |\n", row->of_proven, row->phases, row->peak[0], row->peak[1]);
    fflush(stdout);
}

/* ---- the sets ---- */

static enum failure_kind order_inputs(const void *context, double share, uint32_t number,
                                      uint32_t wanted, uint32_t *order, struct failure *failure)
{
    return crowd_order(context, share, number, wanted, order, failure);
}

static void take_set(const struct scene *scene, const char *name, const struct pattern *pattern,
                     double share, struct row *row)
{
    struct adversary adversary = {scene->expander.inputs, share, order_inputs, &scene->expander};
    struct pattern_options options = {.mesh = scene->mesh,
                                      .congestion = scene->congestion,
                                      .seed = 1,
                                      .adversary =
                                          pattern->needs & PATTERN_GRAPH ? &adversary : NULL};
    struct message_set set = {0};
    struct failure failure = {0};
    struct row alone = {.sets = 0};
    if (pattern_generate(pattern, &options, &set, &failure) != FAIL_NONE)
        return;
    /* permutations have congestion 1 whatever is asked for */
    if (message_set_congestion(&set) == scene->congestion) {
        measure(scene, name, &set, scene->plan->shows_all ? &alone : row);
        if (scene->plan->shows_all)
            print_row(scene, &alone);
    }
    message_set_free(&set);
}

static void take_sets(const struct scene *scene, struct row *row)
{
    static const struct {
        double share;
        const char *name;
    } shares[] = {{0.125, "adversary 1/8"}, {0.25, "adversary 1/4"}, {0.5, "adversary 1/2"}};
    for (uint32_t i = 0; i < pattern_count(); i++) {
        const struct pattern *pattern = pattern_at(i);
        if (!pattern->needs && !pattern->sends_many)
            take_set(scene, pattern->name, pattern, 0, row);
        for (size_t j = 0; j < sizeof shares / sizeof *shares && pattern->needs & PATTERN_GRAPH;
             j++)
            take_set(scene, shares[j].name, pattern, shares[j].share, row);
    }
}

static void rows_of(const struct plan *plan, struct mesh mesh, uint32_t congestion)
{
    static const char *const graphs[] = {"random", "rs"};
    uint32_t inputs = (mesh_nodes(mesh) + REPLICAS - 1) / REPLICAS, q = congestion / REPLICAS;
    for (int kind = 0; kind < 4; kind++) {
        struct scene scene = {.plan = plan,
                              .mesh = mesh,
                              .congestion = congestion,
                              .graph = graphs[kind % 2],
                              .walks = kind < 2};
        struct row row = {.sets = 0};
        struct failure failure = {0};
        uint32_t rounded = (inputs + q - 1) / q * q;
        enum failure_kind made =
            kind % 2 ? expander_reed_solomon(&scene.expander, rounded, REPLICAS, q,
                                             expander_dimension(rounded, q), &failure)
                     : expander_random(&scene.expander, inputs, congestion, REPLICAS, 1, &failure);
        if (made != FAIL_NONE) {
            fprintf(stderr, "m = %u, c = %u: %s\n", mesh.rows, congestion, failure.text);
            continue;
        }
        take_sets(&scene, &row);
        if (!plan->shows_all)
            print_row(&scene, &row);
        expander_free(&scene.expander);
    }
}

static void rows_of_side(const struct plan *plan, uint32_t side)
{
    static const uint32_t congestion[] = {16, 64, 256};
    double nodes = (double)side * side;
    for (size_t i = 0; i < sizeof congestion / sizeof *congestion; i++)
        if (nodes >= 16.0 * congestion[i] && nodes * congestion[i] <= plan->most &&
            (plan->congestion == 0 || plan->congestion == congestion[i]))
            rows_of(plan, (struct mesh){side, side}, congestion[i]);
}

int main(int count, char **argument)
{
    struct plan plan = {.most = 16.0 * 65536};
    for (int option; (option = getopt(count, argument, "ac:k:t:")) != -1;) {
        if (option == 'a')
            plan.shows_all = true;
        else if (option == 'k')
            plan.congestion = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'c')
            plan.most = strtod(optarg, NULL) * 65536;
        else if (option == 't')
            plan.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else
            return EXIT_FAILURE;
    }
    print_head();
    for (int i = optind; i < count; i++)
        rows_of_side(&plan, (uint32_t)strtoul(argument[i], NULL, 10));
    for (uint32_t side = 64; side <= 128 && optind == count; side *= 2)
        rows_of_side(&plan, side);
    return EXIT_SUCCESS;
}
