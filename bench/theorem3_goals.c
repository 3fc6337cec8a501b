/* theorem3_goals.c - the goals of `random` and `stream`, measured: Markdown tables.
 *
 *     theorem3_goals [-a] [-m] [-c MOST] [-t THREADS] [SIDE ...]
 *
 * For each side m, each c of 1, 16, 64, 256, 1024 with s = m / sqrt(c) >= 4, every pattern that has
 * such a congestion: rank and direct (`random`) and stream, with free and with unit copies, on all
 * cores or THREADS. A row a router shows the set that comes nearest to the goal, or goes farthest
 * beyond it, and the largest peaks over all sets; -a shows every run in a row of its own. c n is at
 * most MOST times 65536 (default 64: with m = 256 no c above that); larger ones take long. -m:
 * the matrices of ../shared/data, if they are there. Without sides or -m: 64 128 256 and matrices.
 * Goals, S = sqrt(c n): rank 9 S + 10 m for s >= 8 and 12 S + 10 m below; direct 4 S + 10 m for
 * s >= 8; stream 1.6 S + 4 m; with unit copies and synchronisation 1.6 times these; 12 packets with
 * free copies; fewer steps than `circulate` for s >= 64. A figure beyond its goal is marked with !.
 * The steps of `circulate` depend on the mesh alone: one run a side.
 */
#include "bench/theorem3.h"
#include "workloads/import.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

enum { MOST_PEAK = 12, LEAST_SIDE_OF_TILE = 4, FASTER_FROM_SIDE = 64, NAME_SIZE = 64 };

static const char DATA_FOLDER[] = "../shared/data";
static const double UNIT_ALLOWANCE = 1.6;

struct plan {
    bool shows_all, has_matrices;
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

static double goal_of(const struct subject *subject, double nodes, uint32_t c)
{
    double side_of_tile = sqrt(nodes / c);
    double per_s = side_of_tile >= 8 ? subject->per_s : subject->per_s_small;
    if (side_of_tile < LEAST_SIDE_OF_TILE || per_s == 0)
        return 0;
    return per_s * sqrt(c * nodes) + subject->per_m * sqrt(nodes);
}

static struct figure figure_of(const struct subject *subject, const struct router_result *result,
                               double nodes, bool is_unit)
{
    double goal = goal_of(subject, nodes, result->congestion) * (is_unit ? UNIT_ALLOWANCE : 1);
    uint64_t steps = is_unit ? result->steps : result->steps - result->sync_steps;
    struct figure figure = {.congestion = result->congestion, .steps = (double)steps};
    figure.per_s = figure.steps / sqrt(result->congestion * nodes);
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
    static const struct subject tour = {"circulate", "circulate", NULL, 0, 0, 0};
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

static void row_of_matrix(const struct plan *plan, const char *name)
{
    char path[512];
    struct import_options options = {.limit = MEMORY_NO_LIMIT};
    struct message_set set = {0};
    struct failure failure = {0};
    struct row row[SUBJECTS] = {{.sets = 0}};
    snprintf(path, sizeof path, "%s/%s", DATA_FOLDER, name);
    if (import_matrix(path, &options, &set, NULL, &failure) == FAIL_NONE) {
        take_set(plan, name, &set, row);
        for (int i = 0; i < SUBJECTS && !plan->shows_all; i++)
            print_row(&subjects[i], set.mesh, message_set_congestion(&set), &row[i]);
    }
    message_set_free(&set);
}

static void rows_of_matrices(const struct plan *plan)
{
    struct dirent **entry;
    int count = scandir(DATA_FOLDER, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (name_ends(entry[i]->d_name, ".mtx") || name_ends(entry[i]->d_name, ".txt"))
            row_of_matrix(plan, entry[i]->d_name);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
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
    static const uint32_t standard[] = {64, 128, 256};
    struct plan plan = {.most = 64.0 * 65536};
    for (int option; (option = getopt(count, argument, "amc:t:")) != -1;) {
        if (option == 'a')
            plan.shows_all = true;
        else if (option == 'm')
            plan.has_matrices = true;
        else if (option == 'c')
            plan.most = strtod(optarg, NULL) * 65536;
        else if (option == 't')
            plan.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else
            return EXIT_FAILURE;
    }
    bool is_standard = optind == count && !plan.has_matrices;
    print_head();
    for (int i = optind; i < count; i++)
        rows_of_side(&plan, (uint32_t)strtoul(argument[i], NULL, 10));
    for (int i = 0; i < 3 && is_standard; i++)
        rows_of_side(&plan, standard[i]);
    if (is_standard || plan.has_matrices)
        rows_of_matrices(&plan);
    return EXIT_SUCCESS;
}
