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
    bool has_experts = inputs->experts != 0 || inputs->place != EXPERTS_SPREAD ||
                       inputs->skew != NULL || inputs->layer != 0;
    return (has_experts ? PATTERN_EXPERTS : 0) | (inputs->groups != 0 ? PATTERN_GROUPS : 0) |
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
        {PATTERN_GROUPS, "--groups is for patterns allgather and alltoall"},
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
    if (inputs->place != EXPERTS_SPREAD && inputs->experts == 0 && inputs->skew == NULL)
        return fail(failure, FAIL_USAGE, "--place needs --experts E");
    return FAIL_NONE;
}

/* Whether the text is a number that C would read, such as -1, 1e9 or inf. */
static bool is_any_number(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end != text && *end == '\0';
}

static enum failure_kind read_load(const struct pattern_inputs *inputs, struct expert_load *load,
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
    struct failure unread = {0};
    expert_counts_read(load, inputs->skew, layer, &unread);
    if (unread.kind == FAIL_SYSTEM && is_any_number(inputs->skew))
        return fail(failure, FAIL_USAGE,
                    "--skew wants an exponent from 0 in digits, or a FILE of counts, not '%.200s'",
                    inputs->skew);
    if (unread.kind != FAIL_NONE)
        return fail(failure, unread.kind, "%s", unread.text);
    if (inputs->experts != 0 && inputs->experts != load->experts)
        return fail(failure, FAIL_USAGE, "--experts %" PRIu32 " are not the %" PRIu32 " of %.200s",
                    inputs->experts, load->experts, inputs->skew);
    return FAIL_NONE;
}

enum failure_kind pattern_inputs_read(const struct pattern_inputs *inputs,
                                      struct pattern_files *files, struct failure *failure)
{
    *files = (struct pattern_files){{0}, {0}};
    if ((kinds_given(inputs) & PATTERN_EXPERTS) &&
        read_load(inputs, &files->load, failure) != FAIL_NONE)
        return failure->kind;
    if (inputs->matrix != NULL)
        population_table_read(&files->populations, inputs->matrix, failure);
    return failure->kind;
}

void pattern_inputs_enter(const struct pattern_inputs *inputs, const struct pattern_files *files,
                          const struct pattern *pattern, struct pattern_options *options)
{
    options->per_node = inputs->per_node;
    if (pattern->takes & PATTERN_GROUPS)
        options->groups = inputs->groups;
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
    population_table_free(&files->populations);
    *files = (struct pattern_files){{0}, {0}};
}
