/* pattern_inputs.c - experts, process groups and populations for patterns, and the files that they are read from.
 *
 * A pattern says what it takes (workloads/pattern.h); what it does not take is refused, not passed over. A skew is an
 * exponent if it is a number, else a file of counts.
 */
#include "workloads/pattern_inputs.h"

#include "base/line_scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The options that were given for each kind of input. */
static unsigned kinds_given(const struct pattern_inputs *inputs)
{
    bool has_experts =
        inputs->experts != 0 || inputs->place != NULL || inputs->skew != NULL || inputs->layer != 0;
    bool has_groups = inputs->groups != 0 || inputs->stride != 0 || inputs->group_file != NULL;
    return (has_experts ? PATTERN_EXPERTS : 0) | (has_groups ? PATTERN_GROUPS : 0) |
           (inputs->matrix != NULL || inputs->active != 0 ? PATTERN_POPULATIONS : 0);
}

static enum failure_kind check_needs(const struct pattern_inputs *inputs,
                                     const struct pattern *pattern, struct failure *failure)
{
    if ((pattern->needs & PATTERN_POPULATIONS) && inputs->matrix == NULL)
        return fail(failure, FAIL_USAGE, "pattern %s needs --matrix FILE, a table of populations",
                    pattern->name);
    return FAIL_NONE;
}

enum failure_kind pattern_inputs_check(const struct pattern_inputs *inputs,
                                       const struct pattern *const *pattern, uint32_t patterns,
                                       struct failure *failure)
{
    static const struct {
        enum pattern_input kind;
        const char *text;
    } KINDS[] = {
        {PATTERN_EXPERTS, "--experts, --place, --skew and --layer are for pattern moe"},
        {PATTERN_GROUPS, "--groups and --stride are for patterns allgather and alltoall"},
        {PATTERN_POPULATIONS, "--matrix and --active are for pattern populations"},
    };
    unsigned surplus = kinds_given(inputs);
    for (uint32_t i = 0; i < patterns; i++)
        surplus &= ~pattern[i]->takes;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (surplus & KINDS[i].kind)
            return fail(failure, FAIL_USAGE, "%s", KINDS[i].text);
    for (uint32_t i = 0; i < patterns; i++)
        if (check_needs(inputs, pattern[i], failure) != FAIL_NONE)
            return failure->kind;
    enum expert_order order;
    if (inputs->place != NULL && expert_order_find(inputs->place, &order) && inputs->experts == 0 &&
        inputs->skew == NULL)
        return fail(failure, FAIL_USAGE, "--place needs --experts E");
    if (inputs->stride != 0 && inputs->groups == 0)
        return fail(failure, FAIL_USAGE, "--stride needs --groups G, a number");
    return FAIL_NONE;
}

/* Whether the text is a number that C would read, such as -1, 1e9 or inf. */
static bool is_any_number(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end != text && *end == '\0';
}

/* Reads where experts are, if a file says so; it says how many there are, too. */
static enum failure_kind read_place(const struct pattern_inputs *inputs, struct expert_load *load,
                                    struct failure *failure)
{
    *load = (struct expert_load){.experts = inputs->experts, .exponent = EXPERT_EXPONENT};
    (void)expert_order_find(inputs->place, &load->place);
    if (expert_nodes_read(&load->nodes, inputs->place, inputs->experts, failure) == FAIL_NONE &&
        load->nodes.node != NULL)
        load->experts = load->nodes.lines;
    return failure->kind;
}

static enum failure_kind read_groups(const struct pattern_inputs *inputs, struct node_lines *groups,
                                     struct failure *failure)
{
    static const struct node_lines_format FORMAT = {
        .what = "group", .most = MESH_MAX_NODES, .is_disjoint = true};
    struct byte_source *source;
    if (byte_source_open(&source, inputs->group_file, failure) != FAIL_NONE)
        return failure->kind;
    return node_lines_read_source(groups, &FORMAT, source, inputs->group_file, failure);
}

/* Reads how unevenly experts are asked for. */
static enum failure_kind read_load(const struct pattern_inputs *inputs, struct expert_load *load,
                                   struct failure *failure)
{
    const char *at = inputs->skew;
    bool is_file =
        at != NULL && !(scan_fraction(&at, at + strlen(at), &load->exponent) && *at == '\0');
    if (inputs->layer != 0 && !is_file)
        return fail(failure, FAIL_USAGE, "--layer needs --skew FILE");
    if (!is_file)
        return FAIL_NONE;
    uint32_t layer = inputs->layer != 0 ? inputs->layer : 1;
    struct failure unread = {0};
    uint32_t experts = load->experts;
    expert_counts_read(load, inputs->skew, layer, &unread);
    if (unread.kind == FAIL_SYSTEM && is_any_number(inputs->skew))
        return fail(failure, FAIL_USAGE,
                    "--skew wants an exponent from 0 in digits, or a FILE of counts, not '%.200s'",
                    inputs->skew);
    if (unread.kind != FAIL_NONE)
        return fail_as(failure, &unread);
    if (load->nodes.node != NULL && load->nodes.lines != load->experts)
        return fail(failure, FAIL_USAGE,
                    "%.200s has %" PRIu32 " experts, %.200s %" PRIu32 ", which differ",
                    inputs->skew, load->experts, inputs->place, experts);
    if (experts != 0 && experts != load->experts)
        return fail(failure, FAIL_USAGE, "--experts %" PRIu32 " are not the %" PRIu32 " of %.200s",
                    experts, load->experts, inputs->skew);
    return FAIL_NONE;
}

enum failure_kind pattern_inputs_read(const struct pattern_inputs *inputs,
                                      struct pattern_files *files, struct failure *failure)
{
    *files = (struct pattern_files){.load = {0}};
    if ((kinds_given(inputs) & PATTERN_EXPERTS) &&
        (read_place(inputs, &files->load, failure) != FAIL_NONE ||
         read_load(inputs, &files->load, failure) != FAIL_NONE))
        return failure->kind;
    if (inputs->group_file != NULL && read_groups(inputs, &files->groups, failure) != FAIL_NONE)
        return failure->kind;
    if (inputs->matrix != NULL)
        population_table_read(&files->populations, inputs->matrix, failure);
    return failure->kind;
}

void pattern_inputs_enter(const struct pattern_inputs *inputs, const struct pattern_files *files,
                          const struct pattern *pattern, struct pattern_options *options)
{
    options->per_node = inputs->per_node;
    if (pattern->takes & PATTERN_GROUPS) {
        options->groups = inputs->groups;
        options->stride = inputs->stride;
        options->group_lines = inputs->group_file != NULL ? &files->groups : NULL;
    }
    if (kinds_given(inputs) & pattern->takes & PATTERN_EXPERTS)
        options->experts = &files->load;
    if (inputs->matrix != NULL && (pattern->takes & PATTERN_POPULATIONS)) {
        options->populations = &files->populations;
        options->active = inputs->active;
    }
}

void pattern_files_free(struct pattern_files *files)
{
    free(files->load.count);
    node_lines_free(&files->load.nodes);
    node_lines_free(&files->groups);
    population_table_free(&files->populations);
    *files = (struct pattern_files){.load = {0}};
}
