/* engine_draw.c - the random choices of trials: sizes, costs, attempts, destinations. */
#include "test/machine/engine_draw.h"

#include "machine/ranks/ranks.h"

uint32_t draw(struct trial *trial, uint32_t bound)
{
    return pcg32_below(&trial->random, bound);
}

bool draw_one_in(struct trial *trial, uint32_t n)
{
    return pcg32_below(&trial->random, n) == 0;
}

/* Draws a mesh: small ones, and some that are longer than a block of nodes, or have rows for
 * several threads. */
static struct mesh draw_mesh(struct trial *trial)
{
    static const struct mesh long_ones[] = {{1, 70}, {70, 1}, {3, 66}, {40, 3}, {2, 130}, {18, 18}};
    if (draw_one_in(trial, 8))
        return long_ones[draw(trial, sizeof long_ones / sizeof *long_ones)];
    uint32_t most = draw_one_in(trial, 4) ? 12 : 6;
    return (struct mesh){1 + draw(trial, most), 1 + draw(trial, most)};
}

/* Draws a mesh with a row for each rank at least, and in some trials bands with rows for a wave of
 * several steps. */
static struct mesh mesh_for(struct trial *trial, uint32_t ranks, struct mesh mesh)
{
    enum { MOST_COLS = 66 }; /* more than a block */
    if (ranks > 1 && draw_one_in(trial, 3))
        return (struct mesh){ranks * (2 + draw(trial, 15)), 1 + draw(trial, 4)};
    if (mesh.rows >= ranks)
        return mesh;
    return (struct mesh){ranks, mesh.cols < MOST_COLS ? mesh.cols : MOST_COLS};
}

void draw_trial(struct trial *trial, uint64_t seed, struct ranks *ranks, uint32_t slots_of_node)
{
    *trial = (struct trial){.seed = seed, .random = pcg32_seed(seed, 27)};
    trial->config.ranks = ranks;
    trial->config.mesh = mesh_for(trial, ranks_size(ranks), draw_mesh(trial));
    trial->config.slots = slots_of_node * mesh_nodes(trial->config.mesh) + 8;
    trial->config.threads = 1 + draw(trial, 3);
    trial->config.copy_is_free = draw(trial, 2);
    trial->expects = pcg32_at(seed, 28, 1) % 4 > 0;
    trial->stores_elsewhere = pcg32_at(seed, 28, 0) % 2;
}

/* Makes some trials attempts, with a budget or without, that discard or overflow, and with nodes
 * that hold messages. */
void draw_attempt(struct trial *trial)
{
    if (draw(trial, 4) > 0)
        return;
    trial->attempt.name = "try 1";
    trial->attempt.budget = draw_one_in(trial, 4) ? 0 : 1 + draw(trial, 60);
    trial->attempt.discards = draw(trial, 4) > 0;
    trial->holds = draw(trial, 2);
    trial->config.attempt = &trial->attempt;
}

node_index draw_node(struct trial *trial, node_index crowd)
{
    return draw_one_in(trial, 3) ? crowd : draw(trial, trial_nodes(trial));
}

/* Draws different destinations, of which one may be `crowd`. */
uint32_t draw_destinations(struct trial *trial, node_index crowd, uint32_t most, node_place *place)
{
    uint32_t nodes = trial_nodes(trial), count = 1 + draw(trial, most < nodes ? most : nodes);
    uint32_t start = draw_node(trial, crowd), room = nodes / count;
    for (uint32_t i = 0; i < count; i++)
        place[i] = trial_place(trial, (start + i * room) % nodes);
    return count;
}
