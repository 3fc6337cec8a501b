/* results_group.h - the runs of a database by workload and router, with medians over seeds. */
#ifndef MESHCAST_RESULTS_RESULTS_GROUP_H
#define MESHCAST_RESULTS_RESULTS_GROUP_H

#include "library/option_lists.h"
#include "results/results_database.h"

#include <stdbool.h>
#include <stdint.h>

/* Median, least and greatest of a figure over a group's good runs; NAN where there are none. */
struct results_spread {
    double median, least, most;
};

/* The figures of a run that groups are made of, in the order of the query. */
enum results_measure {
    MEASURE_DEGREE,
    MEASURE_CONGESTION,
    MEASURE_STEPS,
    MEASURE_SYNC,
    MEASURE_SQRT_CN,
    MEASURE_PER_SQRT_CN,
    MEASURE_BOUND,
    MEASURE_PER_BOUND,
    MEASURE_BUFFER,
    MEASURE_SECONDS,
    MEASURE_PER_NODE, /* l */
    MEASURE_HALF,     /* steps in which half, 95 and 99 percent were delivered */
    MEASURE_P95,
    MEASURE_P99,
    MEASURES
};

/* All runs that differ in nothing but their seeds. */
struct results_group {
    char version[32], router[64], ran_as[64], parameters[512], copy[8], workload[512];
    char method[640];   /* router, parameters, what else tells lines of one plot apart */
    char error[512];    /* of the first run that did not go well, or "" */
    char file_hash[32]; /* of a workload that is a file, or "" */
    uint32_t rows, cols, asked_degree, asked_congestion, asked_per_node,
        asked_buffer;               /* 0: not asked */
    uint32_t runs, failed, refused; /* runs: the good ones */
    struct results_spread measure[MEASURES];
};

struct results_groups {
    uint32_t count;
    struct results_group *group; /* by workload, mesh, c, d, copy, then router */
    uint32_t versions;           /* of the program, in the groups */
    uint64_t runs, failed, refused;
};

/* Which groups; an empty list takes all. */
struct results_selection {
    struct word_list routers, workloads; /* a name that no run has is a failure */
    struct mesh_list meshes;
    struct number_list congestions; /* as asked of patterns; sets that are files have none */
    struct number_list copies;
};

/* Whether not all groups are wanted. */
bool results_selects(const struct results_selection *selection);

/* Reads the groups; results_groups_free() when done. FAIL_USAGE: the selection leaves nothing, or has
 * a name that the database does not know. FAIL_SYSTEM, too: with what tables are made of they take
 * more than `limit` bytes. */
enum failure_kind results_groups_read(struct results_groups *groups,
                                      struct results_database *database,
                                      const struct results_selection *selection, uint64_t limit,
                                      struct failure *failure);

/* Returns l c: what Theorems 1 to 3 call c where each node sends one message. */
double results_group_load(const struct results_group *group);

/* The text of a column, cut to its size, with ? for control characters. */
void results_copy_text(char *to, size_t size, sqlite3_stmt *row, int column);

void results_groups_free(struct results_groups *groups);

#endif
