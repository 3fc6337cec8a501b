/* pattern_input_rows.c - the options for what patterns are made from. */
#include "library/pattern_input_rows.h"

#include "base/text_scan.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* A number above 0, at most 1. */
static int accept_active(void *field, char *value, struct failure *failure)
{
    const char *at = value;
    double *active = field;
    if (scan_fraction(&at, value + strlen(value), active) && *at == '\0' && *active > 0 &&
        *active <= 1)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--active takes a number above 0, at most 1, such as 0.04, not '%.40s'", value);
}

/* A number of groups, or the name of a file that has them. */
static int accept_groups(void *field, char *value, struct failure *failure)
{
    struct pattern_inputs *inputs = field;
    const char *end;
    inputs->groups = option_scan_number(value, MESH_MAX_NODES, &end);
    if (*end != '\0')
        inputs->groups = 0;
    inputs->group_file = inputs->groups > 0 ? NULL : value;
    if (inputs->groups > 0 || value[strspn(value, "+-0123456789")] != '\0')
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--groups takes a whole number from 1 to %d or a file, not '%.40s'", MESH_MAX_NODES,
                value);
}

const struct meshcast_option pattern_input_rows[PATTERN_INPUT_ROWS] = {
    OPTION_NUMBER("per-node", "L", COMMON, struct pattern_inputs, per_node, 1, MESH_MAX_NODES,
                  "so many messages per node where the pattern sends one: L sets, one over the\n"
                  "other, of congestion K / L each; of moe tokens, of populations neurons"),
    OPTION_NUMBER("experts", "E", RARE, struct pattern_inputs, experts, 1, EXPERTS_MOST,
                  "moe: how many experts there are"),
    {.name = "place",
     .value = "spread|block|FILE",
     .help = "moe: the E experts in the middles of tiles, on the first nodes, or where\n"
             "FILE says: a line for each expert, of its nodes; of several the nearest is taken",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct pattern_inputs, place),
     .choices = expert_order_names,
     .is_file = true},
    OPTION_INPUT("skew", "Z|FILE", RARE, struct pattern_inputs, skew,
                 "moe: how unevenly experts are asked for: the exponent of a Zipf distribution,\n"
                 "0 for none, or a file with the counts of all experts in a line"),
    OPTION_NUMBER("layer", "N", RARE, struct pattern_inputs, layer, 1, INT32_MAX,
                  "moe: the line of --skew FILE, from 1; the default is 1"),
    {.name = "groups",
     .value = "G|FILE",
     .help = "allgather, alltoall: how many groups of consecutive nodes there are, or a file\n"
             "with a line for each, of its nodes; a node in none sends nothing",
     .type = MESHCAST_OPTION_OTHER,
     .offset = 0,
     .accept = accept_groups,
     .is_file = true},
    OPTION_NUMBER("stride", "S", RARE, struct pattern_inputs, stride, 1, MESH_MAX_NODES,
                  "of G groups: the members of a group are S nodes apart; the default is 1"),
    OPTION_INPUT("matrix", "FILE", RARE, struct pattern_inputs, matrix,
                 "populations: their names, sizes and chances of connections"),
    OPTION_OTHER("active", "A", RARE, struct pattern_inputs, active, accept_active,
                 "populations: the chance that a neuron sends; the default is 1"),
};

void pattern_inputs_text(const struct pattern_inputs *inputs, char *text, size_t size)
{
    const struct {
        const char *name;
        uint32_t value;
    } numbers[] = {{"per-node", inputs->per_node},
                   {"experts", inputs->experts},
                   {"layer", inputs->layer},
                   {"groups", inputs->groups},
                   {"stride", inputs->stride}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value != 0)
            used += (size_t)snprintf(text + used, size - used, " --%s %" PRIu32, numbers[i].name,
                                     numbers[i].value);
    if (inputs->place != NULL)
        used += (size_t)snprintf(text + used, size - used, " --place %.150s", inputs->place);
    if (inputs->group_file != NULL)
        used += (size_t)snprintf(text + used, size - used, " --groups %.150s", inputs->group_file);
    if (inputs->skew != NULL)
        used += (size_t)snprintf(text + used, size - used, " --skew %.150s", inputs->skew);
    if (inputs->matrix != NULL)
        used += (size_t)snprintf(text + used, size - used, " --matrix %.150s", inputs->matrix);
    if (inputs->active != 0)
        snprintf(text + used, size - used, " --active %.9g", inputs->active);
}
