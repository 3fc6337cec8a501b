/* sweep_patterns.c - the patterns of a sweep with their inputs: experts, process groups,
 * populations.
 *
 * A workload's name says what the pattern was made from, "moe:experts=60:skew=counts.txt@1a2b3c4d",
 * so that runs on other inputs are other runs. Messages a node are no part of it, as degree and
 * congestion are none: fits go over them.
 */
#include "lab/sweep_patterns.h"

#include "lab/sweep_hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct naming {
    struct sweep_pattern *pattern;
    size_t used;
    struct failure *failure;
};

/* Appends ":WHAT=TEXT". */
static void append(struct naming *naming, const char *what, const char *text)
{
    char *name = naming->pattern->workload;
    size_t room = sizeof naming->pattern->workload - naming->used;
    naming->used += (size_t)snprintf(name + naming->used, room, ":%s=%s", what, text);
    if (naming->used >= sizeof naming->pattern->workload) {
        naming->used = sizeof naming->pattern->workload - 1;
        fail(naming->failure, FAIL_USAGE, "the name %.40s... is too long", name);
    }
}

static void append_count(struct naming *naming, const char *what, uint32_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu32, count);
    if (count != 0)
        append(naming, what, text);
}

static void append_fraction(struct naming *naming, const char *what, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    append(naming, what, text);
}

static void append_file(struct naming *naming, const char *what, const char *path)
{
    char label[SWEEP_TEXT_SIZE];
    uint64_t hash;
    if (sweep_hash_file(path, &hash, naming->failure) != FAIL_NONE)
        return;
    sweep_file_label(label, sizeof label, path, hash);
    append(naming, what, label);
    naming->pattern->file_hash = sweep_hash_both(hash, naming->pattern->file_hash);
}

static void append_experts(struct naming *naming, const struct pattern_inputs *inputs,
                           const struct pattern_files *files)
{
    append_count(naming, "experts", inputs->experts);
    enum expert_order order;
    if (!expert_order_find(inputs->place, &order))
        append_file(naming, "place", inputs->place);
    else if (order != EXPERTS_SPREAD)
        append(naming, "place", expert_order_names[order]);
    if (files->load.count != NULL)
        append_file(naming, "skew", inputs->skew);
    else if (inputs->skew != NULL)
        append_fraction(naming, "skew", files->load.exponent);
    append_count(naming, "layer", inputs->layer);
}

static enum failure_kind name_pattern(struct sweep_pattern *asked, const struct sweep_plan *plan,
                                      struct failure *failure)
{
    const struct pattern_inputs *inputs = &plan->inputs;
    struct naming naming = {.pattern = asked, .failure = failure};
    naming.used =
        (size_t)snprintf(asked->workload, sizeof asked->workload, "%s", asked->pattern->name);
    if (asked->pattern->takes & PATTERN_EXPERTS)
        append_experts(&naming, inputs, &plan->files);
    if (asked->pattern->takes & PATTERN_GROUPS) {
        append_count(&naming, "groups", inputs->groups);
        append_count(&naming, "stride", inputs->stride);
    }
    if ((asked->pattern->takes & PATTERN_GROUPS) && inputs->group_file != NULL)
        append_file(&naming, "groups", inputs->group_file);
    if ((asked->pattern->takes & PATTERN_POPULATIONS) && inputs->matrix != NULL)
        append_file(&naming, "matrix", inputs->matrix);
    if ((asked->pattern->takes & PATTERN_POPULATIONS) && inputs->active != 0)
        append_fraction(&naming, "active", inputs->active);
    return failure->kind;
}

enum failure_kind sweep_make_patterns(struct sweep_plan *plan, const struct sweep_request *request,
                                      struct failure *failure)
{
    uint32_t count = request->patterns.count;
    plan->inputs = request->inputs;
    if (pattern_inputs_read(&plan->inputs, &plan->files, failure) != FAIL_NONE)
        return failure->kind;
    plan->pattern = memory_allocate(count, sizeof *plan->pattern);
    if (plan->pattern == NULL)
        return fail_memory(failure, "the patterns of the sweep");
    for (uint32_t p = 0; p < count; p++) {
        plan->pattern[p].pattern = request->patterns.value[p];
        if (name_pattern(&plan->pattern[p], plan, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}
