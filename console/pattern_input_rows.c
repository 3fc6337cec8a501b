/* pattern_input_rows.c - the options for what patterns are made from. */
#include "console/pattern_input_rows.h"

#include "base/line_scan.h"

#include <inttypes.h>
#include <stddef.h>
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

const struct option_row pattern_input_rows[PATTERN_INPUT_ROWS] = {
    {.name = "per-node",
     .value = "L",
     .is_common = true,
     .help = "so many messages a node where the pattern sends one: L sets, one over the\n"
             "other, of congestion K / L each; of moe tokens, of populations neurons",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct pattern_inputs, per_node),
     .least = 1,
     .most = MESH_MAX_NODES},
    {.name = "experts",
     .value = "E",
     .help = "moe: how many experts there are",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct pattern_inputs, experts),
     .least = 1,
     .most = EXPERTS_MOST},
    {.name = "place",
     .value = "spread|block",
     .help = "moe: the E experts in the middles of tiles, or on the first nodes",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct pattern_inputs, place),
     .choices = expert_order_names},
    {.name = "skew",
     .value = "Z|FILE",
     .help = "moe: how unevenly experts are asked for: the exponent of a Zipf distribution,\n"
             "0 for none, or a file with the counts of all experts in a line",
     .type = OPTION_TEXT,
     .offset = offsetof(struct pattern_inputs, skew),
     .is_file = true},
    {.name = "layer",
     .value = "N",
     .help = "moe: the line of --skew FILE, from 1; the default is 1",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct pattern_inputs, layer),
     .least = 1,
     .most = INT32_MAX},
    {.name = "groups",
     .value = "G",
     .help = "allgather, alltoall: how many groups of consecutive nodes there are",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct pattern_inputs, groups),
     .least = 1,
     .most = MESH_MAX_NODES},
    {.name = "matrix",
     .value = "FILE",
     .help = "populations: their names, sizes and chances of connections",
     .type = OPTION_TEXT,
     .offset = offsetof(struct pattern_inputs, matrix),
     .is_file = true},
    {.name = "active",
     .value = "A",
     .help = "populations: the chance that a neuron sends; the default is 1",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct pattern_inputs, active),
     .accept = accept_active},
};

void pattern_inputs_text(const struct pattern_inputs *inputs, char *text, size_t size)
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
