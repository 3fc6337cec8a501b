/* plan_study.h - costs of plans for random multicasts: means over sets that all schemes share. */
#ifndef MESHCAST_PAPERS_PLAN_STUDY_H
#define MESHCAST_PAPERS_PLAN_STUDY_H

#include "papers/figure.h"
#include "papers/random_set.h"

enum { PLAN_STUDY_GRIDS = 4 };

struct plan_study {
    const struct paper *paper;
    struct topology topology;
    const bool *on_torus; /* which contenders plan on the torus of its shape; NULL: none */
    bool is_from_corner;  /* the source is node 0, not a random one */
    enum set_draw draw;   /* of destinations */
    uint32_t sets;        /* a point */
    /* What each grid measures; all have the same x, which are numbers of destinations, and the same contenders. */
    uint32_t grids;
    enum plan_cost cost[PLAN_STUDY_GRIDS];
    struct grid *grid[PLAN_STUDY_GRIDS];
};

/* Fills the grids, which grid_make() has made. */
void plan_study_run(const struct plan_study *study);

#endif
