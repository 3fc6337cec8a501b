/* results_group.h - the runs of a database by workload and router, with medians over seeds, and
 * laws fitted to them. */
#ifndef MESHCAST_LAB_RESULTS_GROUP_H
#define MESHCAST_LAB_RESULTS_GROUP_H

#include "lab/option_lists.h"
#include "lab/results_database.h"

#include <stdbool.h>
#include <stdint.h>

/* The groups of a report, each of all runs that differ only in their seeds. The objects of `group`
 * and `point` have the keys of lab/results_tables.c under which programs see them, and: `method`,
 * the router with everything else that distinguishes the lines of one plot; `several`, true if some
 * node sends several messages; `file_hash`, "" unless the workload is a file. */
struct results_groups {
    json_t *group; /* by workload, mesh, c, d, l, copy, router */
    json_t *error; /* groups with runs that failed or were refused */
    /* groups with figures above 0; those of a `line`, a method on a workload, follow one
     * another */
    json_t *point;
    /* of all groups: runs, failed, refused, version, copy ("" if they differ), several */
    json_t *head;
};

/* Selects groups; an empty list selects all. */
struct results_selection {
    struct word_list routers, workloads, copies; /* a name that no run has is a failure */
    struct word_list meshes;
    struct word_list congestions; /* as requested of patterns; sets that are files have none */
};

/* True if not all groups are wanted. */
bool results_selects(const struct results_selection *selection);

/* Reads the groups; results_groups_free() in any case. FAIL_USAGE: the selection leaves nothing, or
 * has a name that the database does not know; FAIL_INPUT: there are no runs, or one has a figure
 * that no run can have; FAIL_SYSTEM, also: no memory for the groups and their tables. */
enum failure_kind results_groups_read(struct results_groups *groups,
                                      struct results_database *database,
                                      const struct results_selection *selection,
                                      struct failure *failure);
void results_groups_free(struct results_groups *groups);

/* Returns a number of a row; NAN: missing. */
double results_number(const json_t *row, const char *key);

/* Returns a text of a row, which owns it; "": missing. */
const char *results_text(const json_t *row, const char *key);

/* Returns "; copies are free" or "; copies cost a step"; "" if the groups differ in it. */
const char *results_copy_text(const struct results_groups *groups);

/* Returns l c, the c of Theorems 1 to 3 if each node sends one message. */
double results_group_load(const json_t *group);

/* Returns n, the nodes of the mesh. */
double results_group_nodes(const json_t *group);

/* Sets *fits to an array with two laws for every router on every pattern that has two points at
 * least: log steps = a + x log c + y log n, and steps = c1 S + c2 m, whose coefficients are not
 * below 0, with S = sqrt(l c n) and m half of rows and columns. The keys are those of the first
 * group and of the columns of lab/results_tables.c. A value that cannot be determined is missing:
 * if c, or n, is the same in all points its exponent; if both vary together all exponents; if S and
 * m are proportional the sum; if there are no more points than coefficients the errors and the
 * scatter. The caller owns the array, also after a failure. */
enum failure_kind results_fits_make(json_t **fits, const struct results_groups *groups,
                                    struct failure *failure);

#endif
