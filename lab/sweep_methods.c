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
#include "library/plugin.h"
#include "library/run_options.h"

#include <stdlib.h>
#include <string.h>

/* The constants by name, with hashes of the files that their values name, and the routers. */
struct constants {
    struct constant_list list;
    uint64_t hash[ROUTER_MAX_PARAMETERS][OPTION_LIST_MAX];
    const struct router_list *routers; /* empty: all */
};

static int compare_constants(const void *left, const void *right)
{
    const struct constant_values *a = left, *b = right;
    return strcmp(a->name, b->name);
}

/* Returns router `index`, or NULL after the last one. */
static const struct router *router_of(const struct constants *constants, uint32_t index)
{
    if (constants->routers->count == 0)
        return index < router_count() ? router_at(index) : NULL;
    return index < constants->routers->count ? constants->routers->value[index] : NULL;
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
                                      const char *value, uint64_t hash, struct failure *failure)
{
    size_t used = strlen(method->text), size = sizeof method->text;
    char label[SWEEP_TEXT_SIZE];
    bool names_file = is_file(method->router, name, value);
    if (names_file)
        sweep_file_label(label, sizeof label, value, hash);
    else
        value = option_word_value(value);
    used += (size_t)snprintf(method->text + used, size - used, "%s%s=%s", used == 0 ? "" : " ",
                             name, names_file ? label : value);
    if (used >= size)
        return fail(failure, FAIL_USAGE, "the values of --param are too long: at most %d bytes",
                    SWEEP_TEXT_SIZE - 1);
    method->file_hash[method->parameters] = names_file ? hash : 0;
    method->parameter[method->parameters++] = (struct router_parameter){name, value};
    return FAIL_NONE;
}

/* Fills a method with choice `index` of the constants that the router has. */
static enum failure_kind fill_method(struct sweep_method *method, const struct router *router,
                                     const struct constants *constants, uint64_t index,
                                     struct failure *failure)
{
    const char *plugin = plugin_path(router);
    *method = (struct sweep_method){.router = router};
    if (plugin != NULL)
        sweep_hash_file(plugin, &method->plugin_hash, failure);
    for (uint32_t i = 0; i < constants->list.count && failure->kind == FAIL_NONE; i++) {
        const struct constant_values *constant = &constants->list.constant[i];
        if (!router_takes_parameter(router, constant->name))
            continue;
        uint64_t choice = index % constant->values.count;
        index /= constant->values.count;
        add_constant(method, constant->name, constant->values.value[choice],
                     constants->hash[i][choice], failure);
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

/* Reads the value's file if it names one. FAIL_USAGE: none of the routers that have the constant
 * accepts the value. */
static enum failure_kind check_value(const struct constants *constants, const char *name,
                                     const char *value, uint64_t *hash, struct failure *failure)
{
    struct failure refusal = {0};
    const struct router *router;
    bool is_accepted = false;
    for (uint32_t r = 0; (router = router_of(constants, r)) != NULL; r++) {
        if (*hash == 0 && is_file(router, name, value) &&
            sweep_hash_file(value, hash, failure) != FAIL_NONE)
            return failure->kind;
        if (!router_takes_parameter(router, name))
            continue;
        refusal = (struct failure){0};
        is_accepted |= router_check_value(router, name, value, &refusal) == FAIL_NONE;
    }
    if (!is_accepted)
        *failure = refusal;
    return failure->kind;
}

/* Sorts the constants and reads their files. A constant or a value that none of the routers has is
 * mistyped, and no wish for failed runs. */
static enum failure_kind read_constants(struct constants *constants,
                                        const struct sweep_request *request,
                                        struct failure *failure)
{
    struct constant_list *list = &constants->list;
    *list = request->constants;
    qsort(list->constant, list->count, sizeof list->constant[0], compare_constants);
    for (uint32_t i = 0; i < list->count && failure->kind == FAIL_NONE; i++) {
        const struct constant_values *constant = &list->constant[i];
        run_check_parameter(request->routers.value, request->routers.count, constant->name,
                            failure);
        for (uint32_t v = 0; v < constant->values.count && failure->kind == FAIL_NONE; v++)
            check_value(constants, constant->name, constant->values.value[v],
                        &constants->hash[i][v], failure);
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
    struct constants constants = {.routers = &request->routers};
    const struct router *router;
    uint64_t count = 0;
    if (read_constants(&constants, request, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t r = 0; (router = router_of(&constants, r)) != NULL; r++)
        count += count_choices(router, &request->constants);
    if (count > SWEEP_MOST_RUNS)
        return sweep_fail_too_many(failure);
    plan->method = memory_allocate(count, sizeof *plan->method);
    if (plan->method == NULL)
        return fail_memory(failure, "the routers of the sweep");
    for (uint32_t r = 0; (router = router_of(&constants, r)) != NULL; r++)
        for (uint64_t i = 0; i < count_choices(router, &request->constants); i++) {
            if (fill_method(&plan->method[plan->methods++], router, &constants, i, failure) !=
                FAIL_NONE)
                return failure->kind;
            plan->methods -= is_double(plan);
        }
    return FAIL_NONE;
}
