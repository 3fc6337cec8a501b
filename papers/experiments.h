/* experiments.h - the experiments, each in a file of its own; paper.c has their table. */
#ifndef MESHCAST_PAPERS_EXPERIMENTS_H
#define MESHCAST_PAPERS_EXPERIMENTS_H

#include "papers/paper.h"

/* E1 to E5: R. Libeskind-Hadas, T. Hehre, A. Hutchings, M. Reyes, K. Watkins, 1997. */
extern const struct experiment experiment_broadcast_startups, experiment_random_startups,
    experiment_latency_of_rate, experiment_latency_of_destinations, experiment_burst_latency;
/* E6: the two-port paper. */
extern const struct experiment experiment_port_latency;
/* E7: S. Wang, 2005. */
extern const struct experiment experiment_lin_traffic;
/* X1 to X8: S. Wang, 2005. */
extern const struct experiment experiment_mesh_stems, experiment_mesh_trees, experiment_torus_trees,
    experiment_mesh_and_torus, experiment_cube_trees, experiment_cube_torus_trees,
    experiment_corner_paths, experiment_small_mesh_trees;
/* E8: our own, for the optima of V. Bouchitte, J. Cohen, E. Fleury, 1997. */
extern const struct experiment experiment_star_costs;

#endif
