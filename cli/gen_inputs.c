/* gen_inputs.c - the options of `gen` for experts, process groups and populations, and the files that they name.
 *
 * A pattern says what it takes (workloads/pattern.h); what it does not take is refused, not passed over. --skew is an
 * exponent if it is a number, else a file of counts.
 */
#include "cli/gen_inputs.h"

#include "base/line_scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A number above 0, at most 1. */
static enum failure_kind accept_active(void *field, char *value, struct failure *failure)
{
    const char *at = value;
    double *active = field;
    if (scan_fraction(&at, value + strlen(value), active) && *at == '\0' && *active > 0 &&
        *active <= 1)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--active takes a number above 0, at most 1, such as 0.04, not '%.40s'", value);
}

const struct option_row gen_input_rows[GEN_INPUT_ROWS] = {
    {.name = "per-node",
     .value = "L",
     .help = "so many messages a node where the pattern sends one: L sets, one over the\n"
             "other, of congestion K / L each; of moe tokens, of populations neurons",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct gen_inputs, per_node),
     .least = 1,
     .most = MESH_MAX_NODES},
    {.name = "experts",
     .value = "E",
     .help = "moe: how many experts there are",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct gen_inputs, experts),
     .least = 1,
     .most = EXPERTS_MOST},
    {.name = "place",
     .value = "spread|block",
     .help = "moe: the E experts in the middles of tiles, or on the first nodes",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct gen_inputs, place),
     .choices = expert_order_names},
    {.name = "skew",
     .value = "Z|FILE",
     .help = "moe: how unevenly experts are asked for: the exponent of a Zipf distribution,\n"
             "0 for none, or a file with the counts of all experts in a line",
     .type = OPTION_TEXT,
     .offset = offsetof(struct gen_inputs, skew),
     .is_file = true},
    {.name = "layer",
     .value = "N",
     .help = "moe: the line of --skew FILE, from 1; the default is 1",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct gen_inputs, layer),
     .least = 1,
     .most = INT32_MAX},
    {.name = "groups",
     .value = "G",
     .help = "allgather, alltoall: how many groups of consecutive nodes there are",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct gen_inputs, groups),
     .least = 1,
     .most = MESH_MAX_NODES},
    {.name = "matrix",
     .value = "FILE",
     .help = "populations: their names, sizes and chances of connections",
     .type = OPTION_TEXT,
     .offset = offsetof(struct gen_inputs, matrix),
     .is_file = true},
    {.name = "active",
     .value = "A",
     .help = "populations: the chance that a neuron sends; the default is 1",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct gen_inputs, active),
     .accept = accept_active},
};

/* The options that were given for each kind of input. */
static unsigned kinds_given(const struct gen_inputs *inputs)
{
    bool has_experts = inputs->experts != 0 || inputs->place != EXPERTS_SPREAD ||
                       inputs->skew != NULL || inputs->layer != 0;
    return (has_experts ? PATTERN_EXPERTS : 0) | (inputs->groups != 0 ? PATTERN_GROUPS : 0) |
           (inputs->matrix != NULL || inputs->active != 0 ? PATTERN_POPULATIONS : 0);
}

static enum failure_kind check_kinds(const struct gen_inputs *inputs, const struct pattern *pattern,
                                     struct failure *failure)
{
    static const struct {
        enum pattern_input kind;
        const char *text;
    } KINDS[] = {
        {PATTERN_EXPERTS, "--experts, --place, --skew and --layer are for pattern moe"},
        {PATTERN_GROUPS, "--groups is for patterns allgather and alltoall"},
        {PATTERN_POPULATIONS, "--matrix and --active are for pattern populations"},
    };
    unsigned surplus = kinds_given(inputs) & ~pattern->takes;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (surplus & KINDS[i].kind)
            return fail(failure, FAIL_USAGE, "%s", KINDS[i].text);
    if ((pattern->needs & PATTERN_POPULATIONS) && inputs->matrix == NULL)
        return fail(failure, FAIL_USAGE, "pattern %s needs --matrix FILE, a table of populations",
                    pattern->name);
    if (inputs->place != EXPERTS_SPREAD && inputs->experts == 0 && inputs->skew == NULL)
        return fail(failure, FAIL_USAGE, "--place needs --experts E");
    return FAIL_NONE;
}

static enum failure_kind read_load(const struct gen_inputs *inputs, struct expert_load *load,
                                   struct failure *failure)
{
    const char *at = inputs->skew;
    *load = (struct expert_load){.experts = inputs->experts,
                                 .place = (enum expert_order)inputs->place,
                                 .exponent = EXPERT_EXPONENT};
    bool is_file =
        at != NULL && !(scan_fraction(&at, at + strlen(at), &load->exponent) && *at == '\0');
    if (inputs->layer != 0 && !is_file)
        return fail(failure, FAIL_USAGE, "--layer needs --skew FILE");
    if (!is_file)
        return FAIL_NONE;
    uint32_t layer = inputs->layer != 0 ? inputs->layer : 1;
    if (expert_counts_read(load, inputs->skew, layer, failure) != FAIL_NONE)
        return failure->kind;
    if (inputs->experts != 0 && inputs->experts != load->experts)
        return fail(failure, FAIL_USAGE, "--experts %" PRIu32 " are not the %" PRIu32 " of %.200s",
                    inputs->experts, load->experts, inputs->skew);
    return FAIL_NONE;
}

enum failure_kind gen_inputs_read(const struct gen_inputs *inputs, const struct pattern *pattern,
                                  struct gen_workload *workload, struct pattern_options *options,
                                  struct failure *failure)
{
    *workload = (struct gen_workload){{0}, {0}};
    if (check_kinds(inputs, pattern, failure) != FAIL_NONE)
        return failure->kind;
    options->per_node = inputs->per_node;
    options->groups = inputs->groups;
    options->active = inputs->active;
    if (kinds_given(inputs) & PATTERN_EXPERTS) {
        read_load(inputs, &workload->load, failure);
        options->experts = &workload->load;
    }
    if (inputs->matrix != NULL) {
        population_table_read(&workload->populations, inputs->matrix, failure);
        options->populations = &workload->populations;
    }
    return failure->kind;
}

void gen_workload_free(struct gen_workload *workload)
{
    free(workload->load.count);
    population_table_free(&workload->populations);
    *workload = (struct gen_workload){{0}, {0}};
}

void gen_inputs_text(const struct gen_inputs *inputs, char *text, size_t size)
{
    const struct {
        const char *name;
        uint32_t value;
    } numbers[] = {{"per-node", inputs->per_node},
                   {"experts", inputs->experts},
                   {"layer", inputs->layer},
                   {"groups", inputs->groups}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value != 0)
            used += (size_t)snprintf(text + used, size - used, " --%s %" PRIu32, numbers[i].name,
                                     numbers[i].value);
    if (inputs->place != EXPERTS_SPREAD)
        used += (size_t)snprintf(text + used, size - used, " --place %s",
                                 expert_order_names[inputs->place]);
    if (inputs->skew != NULL)
        used += (size_t)snprintf(text + used, size - used, " --skew %.150s", inputs->skew);
    if (inputs->matrix != NULL)
        used += (size_t)snprintf(text + used, size - used, " --matrix %.150s", inputs->matrix);
    if (inputs->active != 0)
        snprintf(text + used, size - used, " --active %.9g", inputs->active);
}
