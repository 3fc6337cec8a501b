/* gen_inputs.h - options of `gen` for patterns that are workloads: experts, process groups, populations. */
#ifndef MESHCAST_CLI_GEN_INPUTS_H
#define MESHCAST_CLI_GEN_INPUTS_H

#include "console/option_parser.h"
#include "workloads/pattern.h"

/* What was given; 0 or NULL: nothing. */
struct gen_inputs {
    uint32_t per_node, experts, place, layer, groups; /* place: an enum expert_order */
    const char *skew, *matrix;
    double active;
};

enum { GEN_INPUT_ROWS = 8 };
extern const struct option_row gen_input_rows[GEN_INPUT_ROWS];

/* What was read. */
struct gen_workload {
    struct expert_load load;
    struct population_table populations;
};

/* Checks that the pattern takes what was given and has what it needs, reads the files, and enters all into `options`,
 * which point into `workload`. The caller frees the workload, also after a failure. */
enum failure_kind gen_inputs_read(const struct gen_inputs *inputs, const struct pattern *pattern,
                                  struct gen_workload *workload, struct pattern_options *options,
                                  struct failure *failure);
void gen_workload_free(struct gen_workload *workload);

/* Writes them as they are given again: " --per-node 4 ..", or nothing. */
void gen_inputs_text(const struct gen_inputs *inputs, char *text, size_t size);

#endif
