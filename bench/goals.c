/* goals.c - the step and buffer goals of `replicate`, measured: a Markdown table, a row a set.
 *
 *     goals [SIDE ...]          default 64 128; the matrices of ../shared/data if they are there
 *
 * For each side m, each c of 16, 64, 256 with s = m / sqrt(c) >= 4, every pattern with d = c where
 * it takes a degree. With free copies the goal is S + 2 m steps, S = sqrt(c n), with unit copies 1.6
 * times that; a figure beyond its goal is marked with !. The capacity is enforced.
 * Nothing here decides anything: the figures are those of router_run.
 */
#include "routers/router.h"
#include "workloads/import.h"
#include "workloads/lower_bound.h"
#include "workloads/pattern.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char DATA_FOLDER[] = "../shared/data";

struct goals {
    double steps_free, steps_unit;
};

static struct goals goals_of(const struct message_set *set, uint32_t c)
{
    double m = set->mesh.rows, s = sqrt((double)c * mesh_nodes(set->mesh));
    double steps = s + 2 * m;
    return (struct goals){steps, 1.6 * steps};
}

static const char *mark(double figure, double goal)
{
    return figure > goal ? "!" : "";
}

static bool run(const struct message_set *set, bool copy_is_free, struct router_result *result)
{
    struct router_options options = router_options_default();
    options.copy_is_free = copy_is_free;
    struct failure failure = {0};
    if (router_run(router_find("replicate"), set, &options, result, &failure) == FAIL_NONE)
        return true;
    fprintf(stderr, "goals: %s\n", failure.text);
    return false;
}

static void print_row(const char *name, const struct message_set *set)
{
    static struct router_result unit, copying_free;
    struct lower_bounds bounds;
    struct failure failure = {0};
    if (!run(set, true, &copying_free) || !run(set, false, &unit) ||
        lower_bounds_compute(set, NULL, BOUNDS_LARGEST, &bounds, &failure) != FAIL_NONE)
        return;
    uint32_t c = unit.congestion, d = unit.degree;
    struct goals goals = goals_of(set, c);
    double s = sqrt((double)c * mesh_nodes(set->mesh));
    double moved = (double)copying_free.steps;
    uint32_t peak =
        copying_free.buffer_peak > unit.buffer_peak ? copying_free.buffer_peak : unit.buffer_peak;
    printf("| %u | %s | %u | %u | %.0f%s | %.2f | %.0f | %llu%s | %.0f | %u | %u | %.1f |\n",
           set->mesh.rows, name, d, c, moved, mark(moved, goals.steps_free), moved / s,
           goals.steps_free, (unsigned long long)unit.steps,
           mark((double)unit.steps, goals.steps_unit), goals.steps_unit, peak, unit.buffer_capacity,
           moved / (double)bounds.steps[lower_bound_best(&bounds, true)]);
    fflush(stdout);
}

static void rows_of_patterns(uint32_t side, uint32_t c)
{
    for (uint32_t i = 0; i < pattern_count(); i++) {
        const struct pattern *pattern = pattern_at(i);
        struct pattern_options options = {.mesh = {side, side}, .congestion = c, .seed = 1};
        struct message_set set = {0};
        struct failure failure = {0};
        if (!pattern->sends_many &&
            pattern_generate(pattern, &options, &set, &failure) == FAIL_NONE &&
            (message_set_congestion(&set) > 1 || c == 16))
            print_row(pattern->name, &set);
        message_set_free(&set);
    }
}

static void rows_of_matrices(void)
{
    DIR *folder = opendir(DATA_FOLDER);
    if (folder == NULL)
        return;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[512];
        const char *end = strrchr(entry->d_name, '.');
        if (end == NULL || (strcmp(end, ".mtx") != 0 && strcmp(end, ".txt") != 0))
            continue;
        snprintf(path, sizeof path, "%s/%s", DATA_FOLDER, entry->d_name);
        struct import_options options = {.limit = MEMORY_NO_LIMIT};
        struct message_set set = {0};
        struct failure failure = {0};
        if (import_matrix(path, &options, &set, NULL, &failure) == FAIL_NONE)
            print_row(entry->d_name, &set);
        message_set_free(&set);
    }
    closedir(folder);
}

int main(int count, char **argument)
{
    static const uint32_t standard[] = {64, 128}, congestion[] = {16, 64, 256};
    puts("| m | set | d | c | steps, free | / S | goal | steps, unit | goal | peak | "
         "capacity | "
         "/ lower bound |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|");
    uint32_t sides = count > 1 ? (uint32_t)count - 1 : 2;
    for (uint32_t i = 0; i < sides; i++) {
        uint32_t side = count > 1 ? (uint32_t)strtoul(argument[i + 1], NULL, 10) : standard[i];
        for (int j = 0; side > 0 && j < 3; j++)
            if (side * side >= 16 * congestion[j])
                rows_of_patterns(side, congestion[j]);
    }
    rows_of_matrices();
    return EXIT_SUCCESS;
}
