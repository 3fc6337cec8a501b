/* route_example.c - a message set made in memory, routed, and its report.
 *
 *     cc route_example.c $(pkg-config --cflags --libs meshcast) && ./a.out
 *
 * On an 8 x 8 mesh each node sends a message to the ends of its own diagonal: the corners.
 */
#include <meshcast_command.h>

#include <stdio.h>

enum { SIDE = 8, NODES = SIDE * SIDE, CORNERS = 4 };

static struct meshcast_set *make_set(struct meshcast_error *error)
{
    static const uint32_t corner[CORNERS] = {0, SIDE - 1, NODES - SIDE, NODES - 1};
    uint32_t from[NODES * CORNERS], to[NODES * CORNERS];
    for (uint32_t i = 0; i < NODES * CORNERS; i++) {
        from[i] = i / CORNERS;
        to[i] = corner[i % CORNERS];
    }
    struct meshcast_topology *mesh = meshcast_topology_parse("mesh:8x8", error);
    if (mesh == NULL)
        return NULL;
    struct meshcast_set *set = meshcast_set_from_pairs(mesh, NODES * CORNERS, from, to, error);
    meshcast_topology_free(mesh);
    return set;
}

static void print(const struct meshcast_report *report)
{
    printf("c = %.0f, no router needs fewer than %.0f steps (%s)\n",
           meshcast_report_figure(report, "congestion"),
           meshcast_report_figure(report, "lower_bound"),
           meshcast_report_word(report, "lower_bound_kind"));
    printf("%.0f steps, %.0f of them to synchronise, %.0f packets at a node at most\n",
           meshcast_report_figure(report, "steps"), meshcast_report_figure(report, "sync_steps"),
           meshcast_report_figure(report, "buffer_peak"));
    for (size_t i = 0; i < meshcast_report_size(report, "phases"); i++) {
        char name[40], steps[40];
        snprintf(name, sizeof name, "phases.%zu.name", i);
        snprintf(steps, sizeof steps, "phases.%zu.steps", i);
        printf("  %-30s %6.0f\n", meshcast_report_word(report, name),
               meshcast_report_figure(report, steps));
    }
}

int main(void)
{
    struct meshcast_error error = {.status = MESHCAST_OK};
    struct meshcast_report *report = NULL;
    struct meshcast_set *set = make_set(&error);
    struct meshcast_command *route = meshcast_command_new("route", &error);
    if (set != NULL && route != NULL &&
        meshcast_command_give_set(route, set, &error) == MESHCAST_OK &&
        meshcast_command_set(route, "router", "replicate", &error) == MESHCAST_OK &&
        meshcast_command_set(route, "seed", "7", &error) == MESHCAST_OK &&
        meshcast_command_set(route, "param", "variant=paper", &error) == MESHCAST_OK &&
        meshcast_command_run(route, &report, &error) == MESHCAST_OK)
        print(report);
    if (error.status != MESHCAST_OK)
        fprintf(stderr, "route_example: %s\n", error.text);
    meshcast_report_free(report);
    meshcast_command_free(route);
    meshcast_set_free(set);
    return (int)error.status;
}
