/* theorem3_goals.c - the steps of `random` and `stream` beside their goals: a Markdown table.
 *
 *     theorem3_goals [-a] [-c MOST] [-t THREADS] [SIDE ...]      default 64 128
 *
 * For each side m, each c of 1, 16, 64, 256, 1024 with s = m / sqrt(c) >= 4, every pattern that has such a congestion:
 * `random` and `stream`, with free and with unit copies, on all cores or THREADS. A row per router shows the set that
 * comes nearest to the goal, or goes farthest beyond it, and the largest peaks over all sets; -a shows every run in a
 * row of its own. c n is at most MOST times 65536 (default 64).
 * Goals, S = sqrt(l c n): random 6 S + 10 m l, stream 1.6 S + 4 m l; with unit copies and synchronisation 1.6 times these; 12
 * packets with free copies; fewer steps than `circulate` for s >= 64. A figure beyond its goal is marked with !.
 * The steps of `circulate` depend on the mesh alone: one run per side.
 */
#include "bench/theorem3.h"

#include <math.h>
#include <unistd.h>

enum { MOST_PEAK = 12, LEAST_SIDE_OF_TILE = 4, FASTER_FROM_SIDE = 64, NAME_SIZE = 64 };

static const double UNIT_ALLOWANCE = 1.6;

struct plan {
    bool shows_all;
    uint32_t threads;
    double most; /* c n */
};

/* One copy cost of a run. */
struct figure {
    char set[NAME_SIZE];
    uint32_t congestion;        /* as the set has it */
    double steps, per_s, share; /* share of the goal; 0 where there is none */
};

struct row {
    struct figure worst[2]; /* [is unit] */
    uint32_t sets, failed, peak[2];
};

/* ---- one run ---- */

/* sqrt(l c n). */
static double root_of(const struct router_result *result, double nodes)
{
    return sqrt(nodes * result->congestion * result->most_sent);
}

static double goal_of(const struct subject *subject, const struct router_result *result,
                      double nodes)
{
    uint32_t l = result->most_sent;
    if (sqrt(nodes * l / result->congestion) < LEAST_SIDE_OF_TILE)
        return 0;
    return subject->per_s * root_of(result, nodes) + subject->per_m * sqrt(nodes) * l;
}

static struct figure figure_of(const struct subject *subject, const struct router_result *result,
                               double nodes, bool is_unit)
{
    double goal = goal_of(subject, result, nodes) * (is_unit ? UNIT_ALLOWANCE : 1);
    uint64_t steps = is_unit ? result->steps : result->steps - result->sync_steps;
    struct figure figure = {.congestion = result->congestion, .steps = (double)steps};
    figure.per_s = figure.steps / root_of(result, nodes);
    figure.share = goal > 0 ? figure.steps / goal : 0;
    return figure;
}

static bool is_worse(const struct figure *a, const struct figure *b)
{
    return a->share != b->share ? a->share > b->share : a->per_s > b->per_s;
}

/* Runs both copy costs and takes the figures into the row. */
static void measure(const struct subject *subject, const char *name, const struct message_set *set,
                    uint32_t threads, struct row *row)
{
    static struct router_result result;
    bool done = true;
    for (int is_unit = 0; is_unit < 2 && done; is_unit++) {
        struct run_plan plan = {.copy_is_free = !is_unit, .threads = threads};
        done = subject_run(subject, set, &plan, &result);
        if (!done)
            break;
        struct figure figure = figure_of(subject, &result, mesh_nodes(set->mesh), is_unit);
        snprintf(figure.set, sizeof figure.set, "%s", name);
        if (row->worst[is_unit].steps == 0 || is_worse(&figure, &row->worst[is_unit]))
            row->worst[is_unit] = figure;
        if (result.buffer_peak > row->peak[is_unit])
            row->peak[is_unit] = result.buffer_peak;
    }
    row->sets++;
    row->failed += !done;
}

/* ---- the table ---- */

static void print_head(void)
{
    puts(
        "| m | c | router | sets | worst, free | steps | / S | / goal | worst, unit + sync | steps "
        "| / S | / goal | peak, free | peak, unit | circulate |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
}

static void print_figure(const struct figure *figure, uint32_t c)
{
    printf(" %s", figure->set);
    if (figure->congestion != c)
        printf(", c = %u", figure->congestion);
    printf(" | %.0f | %.2f | ", figure->steps, figure->per_s);
    if (figure->share > 0)
        printf("%.2f%s |", figure->share, figure->share > 1 ? "!" : "");
    else
        printf("- |");
}

static void print_row(const struct subject *subject, struct mesh mesh, uint32_t c,
                      const struct row *row)
{
    static uint64_t circulate; /* of the side before: the same for all sets */
    static uint32_t circulate_side;
    static const struct subject tour = {"circulate", 0, 0};
    if (circulate_side != mesh.rows) {
        struct router_result result;
        struct run_plan plan = {.copy_is_free = true};
        struct pattern_options options = {.mesh = mesh, .congestion = 1, .seed = 1};
        struct message_set set = {0};
        circulate_side = mesh.rows;
        circulate = set_make(pattern_find("broadcast"), &options, &set) &&
                            subject_run(&tour, &set, &plan, &result)
                        ? result.steps
                        : 0;
        message_set_free(&set);
    }
    printf("| %u | %u | %s | %u", mesh.rows, c, subject->name, row->sets);
    if (row->failed > 0)
        printf(", %u failed!", row->failed);
    printf(" |");
    print_figure(&row->worst[0], c);
    print_figure(&row->worst[1], c);
    bool is_slow = sqrt((double)mesh_nodes(mesh) / c) >= FASTER_FROM_SIDE &&
                   row->worst[0].steps >= (double)circulate;
    printf(" %u%s | %u | %llu%s |\n", row->peak[0], row->peak[0] > MOST_PEAK ? "!" : "",
           row->peak[1], (unsigned long long)circulate, is_slow ? "!" : "");
    fflush(stdout);
}

/* ---- the sets ---- */

static void take_set(const struct plan *plan, const char *name, const struct message_set *set,
                     struct row row[SUBJECTS])
{
    for (int i = 0; i < SUBJECTS; i++) {
        struct row alone = {.sets = 0};
        measure(&subjects[i], name, set, plan->threads, plan->shows_all ? &alone : &row[i]);
        if (plan->shows_all)
            print_row(&subjects[i], set->mesh, message_set_congestion(set), &alone);
    }
}

/* Permutations have congestion 1 whatever is asked for, so they have rows of their own. */
static void rows_of_patterns(const struct plan *plan, struct mesh mesh, uint32_t c)
{
    struct row row[SUBJECTS] = {{.sets = 0}};
    for (uint32_t i = 0; i < pattern_count(); i++) {
        struct pattern_options options = {.mesh = mesh, .congestion = c, .seed = 1};
        struct message_set set = {0};
        if (set_make(pattern_at(i), &options, &set) &&
            (message_set_congestion(&set) == 1) == (c == 1))
            take_set(plan, pattern_at(i)->name, &set, row);
        message_set_free(&set);
    }
    for (int i = 0; i < SUBJECTS && !plan->shows_all; i++)
        print_row(&subjects[i], mesh, c, &row[i]);
}

static void rows_of_side(const struct plan *plan, uint32_t side)
{
    static const uint32_t congestion[] = {1, 16, 64, 256, 1024};
    double nodes = (double)side * side;
    for (size_t i = 0; i < sizeof congestion / sizeof congestion[0]; i++)
        if (nodes >= 16.0 * congestion[i] && nodes * congestion[i] <= plan->most)
            rows_of_patterns(plan, (struct mesh){side, side}, congestion[i]);
}

int main(int count, char **argument)
{
    static const uint32_t standard[] = {64, 128};
    struct plan plan = {.most = 64.0 * 65536};
    for (int option; (option = getopt(count, argument, "ac:t:")) != -1;) {
        if (option == 'a')
            plan.shows_all = true;
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
    for (int i = 0; i < 2 && optind == count; i++)
        rows_of_side(&plan, standard[i]);
    return EXIT_SUCCESS;
}
