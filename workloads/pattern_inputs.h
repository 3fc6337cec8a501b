/* pattern_inputs.h - the inputs of patterns that are workloads: experts, process groups,
 * populations. */
#ifndef MESHCAST_WORKLOADS_PATTERN_INPUTS_H
#define MESHCAST_WORKLOADS_PATTERN_INPUTS_H

#include "workloads/pattern.h"

/* The given inputs; 0 or NULL: not given. */
struct pattern_inputs {
    uint32_t per_node, experts, layer, groups, stride;
    const char *group_file; /* instead of groups: a line of nodes for each */
    const char *place;      /* spread, block, or a file of nodes; NULL: spread */
    const char *skew, *matrix;
    double active;
    uint32_t algorithm; /* an enum collective_algorithm */
};

/* The contents of the files that the options name. */
struct pattern_files {
    struct expert_load load;
    struct node_lines groups;
    struct population_table populations;
};

/* FAIL_USAGE: none of the patterns accepts a given input, or one needs an input that was not
 * given. */
enum failure_kind pattern_inputs_check(const struct pattern_inputs *inputs,
                                       const struct pattern *const *pattern, uint32_t patterns,
                                       struct failure *failure);

/* Reads the files. pattern_files_free() when done, also after a failure. */
enum failure_kind pattern_inputs_read(const struct pattern_inputs *inputs,
                                      struct pattern_files *files, struct failure *failure);
void pattern_files_free(struct pattern_files *files);

/* Enters the inputs that the pattern accepts into `options`, which point into `files`. */
void pattern_inputs_enter(const struct pattern_inputs *inputs, const struct pattern_files *files,
                          const struct pattern *pattern, struct pattern_options *options);

/* Reads the counts in line number `layer` (from 1; blank lines, and those that begin with # or %,
 * are not counted) of a source, which is closed, into load->count and their number into
 * load->experts. FAIL_INPUT names the file, the line and what was expected. The caller frees
 * load->count. */
enum failure_kind expert_counts_read(struct expert_load *load, struct byte_source *source,
                                     uint32_t layer, struct failure *failure);

/* Reads a table from a source, which is closed: a line per population, of its name, its size, and
 * the chances from each population in the order of lines; # begins a comment. FAIL_INPUT names the
 * file, the line and what was expected. The caller frees the table. */
enum failure_kind population_table_read(struct population_table *table, struct byte_source *source,
                                        struct failure *failure);

/* Frees the arrays and clears the table; a zeroed one is fine. */
void population_table_free(struct population_table *table);

#endif
