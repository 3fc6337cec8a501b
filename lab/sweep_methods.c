/* sweep_methods.c - which methods a sweep compares: routers with their constants.
 *
 * Method: a router's methods are the product of the lists of those constants that it has, so a
 * router never has two methods that are the same. Zeros that lead a number are left out, since 01
 * and 1 are one value.
 *
 * Whether a value names a file is in the router's own table of parameters, where --help has it
 * from: "graph=random|rs|FILE". Such a file is read here, once, for its hash.
 */
#include "lab/sweep_hash.h"
#include "lab/sweep_plan.h"
#include "library/run_options.h"

#include <stdlib.h>
#include <string.h>

/* The routers, and the constants by name. */
struct choices {
    struct constant_list constants;
    uint32_t routers;
    const struct router *router[OPTION_LIST_MAX];
};

static int compare_constants(const void *left, const void *right)
{
    const struct constant_values *a = left, *b = right;
    return strcmp(a->name, b->name);
}

/* True if the router takes the value for the name of a file: "name=random|rs|FILE" in its table,
 * and the value is not one of the words before. */
static bool is_file(const struct router *router, const char *name, const char *value)
{
    size_t length = strlen(name);
    const char *word = router->parameters;
    while (*word != '\0' && !(strncmp(word, name, length) == 0 && word[length] == '=')) {
        word += strcspn(word, "\n");
        word += *word == '\n';
    }
    for (word += *word == '\0' ? 0 : length + 1;; word += length + 1) {
        length = strcspn(word, "| \n");
        if (length == strlen("FILE") && strncmp(word, "FILE", length) == 0)
            return true;
        if (word[length] != '|' || (strncmp(word, value, length) == 0 && value[length] == '\0'))
            return false;
    }
}

uint64_t sweep_method_files(const struct sweep_method *method)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < method->parameters; i++)
        if (method->file_hash[i] != 0)
            hash = sweep_hash_both(hash, method->file_hash[i]);
    return method->plugin_hash == 0 ? hash : sweep_hash_both(hash, method->plugin_hash);
}

enum failure_kind sweep_check_method(const struct sweep_method *method, struct failure *failure)
{
    for (uint32_t i = 0; i < method->parameters && failure->kind == FAIL_NONE; i++)
        if (method->file_hash[i] != 0)
            sweep_check_file(method->parameter[i].value, method->file_hash[i], failure);
    if (method->plugin_hash != 0 && failure->kind == FAIL_NONE)
        sweep_check_file(plugin_path(method->router), method->plugin_hash, failure);
    return failure->kind;
}

/* ---- a method ---- */

/* Adds a constant with one of its values to the method. */
static enum failure_kind add_constant(struct sweep_method *method, const char *name,
                                      const char *value, struct failure *failure)
{
    size_t used = strlen(method->text), size = sizeof method->text;
    char label[SWEEP_TEXT_SIZE];
    uint64_t hash = 0;
    bool names_file = is_file(method->router, name, value);
    if (names_file && sweep_hash_file(value, &hash, failure) != FAIL_NONE)
        return failure->kind;
    sweep_file_label(label, sizeof label, value, hash);
    used += (size_t)snprintf(method->text + used, size - used, "%s%s=%s", used == 0 ? "" : " ",
                             name, names_file ? label : value);
    if (used >= size)
        return fail(failure, FAIL_USAGE, "the values of --param are too long: at most %d bytes",
                    SWEEP_TEXT_SIZE - 1);
    method->file_hash[method->parameters] = hash;
    method->parameter[method->parameters++] = (struct router_parameter){name, value};
    return FAIL_NONE;
}

/* Fills a method with choice `index` of the constants that the router has. */
static enum failure_kind fill_method(struct sweep_method *method, const struct router *router,
                                     const struct constant_list *constants, uint64_t index,
                                     struct failure *failure)
{
    const char *plugin = plugin_path(router);
    *method = (struct sweep_method){.router = router};
    if (plugin != NULL)
        sweep_hash_file(plugin, &method->plugin_hash, failure);
    for (uint32_t i = 0; i < constants->count && failure->kind == FAIL_NONE; i++) {
        const struct constant_values *constant = &constants->constant[i];
        if (!router_takes_parameter(router, constant->name))
            continue;
        add_constant(method, constant->name, constant->values.value[index % constant->values.count],
                     failure);
        index /= constant->values.count;
    }
    return failure->kind;
}

/* True if the plan's last method is there before: two paths may lead to the same file. */
static bool is_double(const struct sweep_plan *plan)
{
    const struct sweep_method *last = &plan->method[plan->methods - 1];
    uint64_t files = sweep_method_files(last);
    for (uint32_t i = 0; files != 0 && i + 1 < plan->methods; i++)
        if (plan->method[i].router == last->router &&
            strcmp(plan->method[i].text, last->text) == 0 &&
            sweep_method_files(&plan->method[i]) == files)
            return true;
    return false;
}

/* ---- all of them ---- */

/* Returns how many choices of the constants a router has. */
static uint64_t count_choices(const struct router *router, const struct constant_list *constants)
{
    uint64_t choices = 1;
    for (uint32_t i = 0; i < constants->count && choices <= SWEEP_MOST_RUNS; i++)
        if (router_takes_parameter(router, constants->constant[i].name))
            choices *= constants->constant[i].values.count;
    return choices;
}

/* FAIL_USAGE: none of the routers that have the constant accepts the value. */
static enum failure_kind check_value(const struct choices *choices, const char *name,
                                     const char *value, struct failure *failure)
{
    struct failure refusal = {0};
    for (uint32_t r = 0; r < choices->routers; r++) {
        if (!router_takes_parameter(choices->router[r], name))
            continue;
        refusal = (struct failure){0};
        if (router_check_value(choices->router[r], name, value, &refusal) == FAIL_NONE)
            return FAIL_NONE;
    }
    return fail_as(failure, &refusal);
}

/* Finds the routers and sorts the constants. A constant or a value that none of the routers has is mistyped, and no wish for
 * failed runs. */
static enum failure_kind read_choices(struct choices *choices, const struct sweep_request *request,
                                      struct failure *failure)
{
    struct constant_list *list = &choices->constants;
    const struct word_list *names = &request->routers;
    *choices = (struct choices){.constants = request->constants,
                                .routers = names->count == 0 ? router_count() : names->count};
    for (uint32_t r = 0; r < choices->routers; r++)
        if (names->count == 0)
            choices->router[r] = router_at(r);
        else if (run_find_router(names->value[r], &choices->router[r], failure) != FAIL_NONE)
            return failure->kind;
    qsort(list->constant, list->count, sizeof list->constant[0], compare_constants);
    for (uint32_t i = 0; i < list->count && failure->kind == FAIL_NONE; i++) {
        const struct constant_values *constant = &list->constant[i];
        run_check_parameter(choices->router, choices->routers, constant->name, failure);
        for (uint32_t v = 0; v < constant->values.count && failure->kind == FAIL_NONE; v++)
            check_value(choices, constant->name, constant->values.value[v], failure);
    }
    return failure->kind;
}

enum failure_kind sweep_fail_too_many(struct failure *failure)
{
    return fail(failure, FAIL_USAGE, "a sweep has at most %d runs; make the lists shorter",
                SWEEP_MOST_RUNS);
}

enum failure_kind sweep_make_methods(struct sweep_plan *plan, const struct sweep_request *request,
                                     struct failure *failure)
{
    struct choices choices;
    uint64_t count = 0;
    if (read_choices(&choices, request, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t r = 0; r < choices.routers; r++)
        count += count_choices(choices.router[r], &choices.constants);
    if (count > SWEEP_MOST_RUNS)
        return sweep_fail_too_many(failure);
    plan->method = memory_allocate(count, sizeof *plan->method);
    if (plan->method == NULL)
        return fail_memory(failure, "the routers of the sweep");
    for (uint32_t r = 0; r < choices.routers; r++)
        for (uint64_t i = 0; i < count_choices(choices.router[r], &choices.constants); i++) {
            if (fill_method(&plan->method[plan->methods++], choices.router[r], &choices.constants,
                            i, failure) != FAIL_NONE)
                return failure->kind;
            plan->methods -= is_double(plan);
        }
    return FAIL_NONE;
}
