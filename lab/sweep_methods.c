/* sweep_methods.c - which methods a sweep compares: routers with their constants.
 *
 * Method: a router's methods are the product of the lists of those constants that it has, so a
 * router never has two methods that are the same. Zeros that lead a number are left out, since 01
 * and 1 are one value.
 *
 * Whether a value names a file is said by the router's own table of parameters, where --help has it
 * from: "graph=random|rs|FILE". Such a file is read here, once, for its hash.
 */
#include "lab/sweep_methods.h"

#include "console/plugin_routers.h"
#include "console/run_options.h"
#include "lab/sweep_hash.h"

#include <stdlib.h>
#include <string.h>

/* The constants by name, with hashes of the files that their values name. */
struct constants {
    struct constant_list list;
    uint64_t hash[ROUTER_MAX_PARAMETERS][OPTION_LIST_MAX];
};

static int compare_constants(const void *left, const void *right)
{
    const struct constant_values *a = left, *b = right;
    return strcmp(a->name, b->name);
}

/* ---- files ---- */

/* The alternatives behind "name=" in the router's table, "random|rs|FILE", or "". */
static const char *alternatives_of(const struct router *router, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = router->parameters; *line != '\0'; line += *line == '\n') {
        if (strncmp(line, name, length) == 0 && line[length] == '=')
            return line + length + 1;
        line += strcspn(line, "\n");
    }
    return "";
}

/* Whether the router takes the value for the name of a file. */
static bool is_file(const struct router *router, const char *name, const char *value)
{
    const char *word = alternatives_of(router, name);
    for (;;) {
        size_t length = strcspn(word, "| \n");
        if (length == strlen("FILE") && strncmp(word, "FILE", length) == 0)
            return true;
        if (word[length] != '|' || (strncmp(word, value, length) == 0 && value[length] == '\0'))
            return false;
        word += length + 1;
    }
}

uint64_t sweep_method_files(const struct sweep_method *method)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < method->parameters; i++)
        if (method->file_hash[i] != 0)
            hash = sweep_hash_both(hash, method->file_hash[i]);
    if (method->plugin_hash != 0)
        hash = sweep_hash_both(hash, method->plugin_hash);
    return hash;
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

/* Appends "name=value" to the method's text. */
static enum failure_kind add_text(struct sweep_method *method, uint32_t place,
                                  struct failure *failure)
{
    const struct router_parameter *parameter = &method->parameter[place];
    size_t used = strlen(method->text), size = sizeof method->text;
    used += (size_t)snprintf(method->text + used, size - used, "%s%s=", place == 0 ? "" : " ",
                             parameter->name);
    if (used < size && method->file_hash[place] != 0)
        used += sweep_file_label(method->text + used, size - used, parameter->value,
                                 method->file_hash[place]);
    else if (used < size)
        used += (size_t)snprintf(method->text + used, size - used, "%s", parameter->value);
    if (used < size)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE, "the values of --param are too long: at most %d bytes",
                SWEEP_TEXT_SIZE - 1);
}

/* Choice `index` of the constants that the router has. */
static enum failure_kind fill_method(struct sweep_method *method, const struct router *router,
                                     const struct constants *constants, uint64_t index,
                                     struct failure *failure)
{
    const char *plugin = plugin_path(router);
    *method = (struct sweep_method){.router = router};
    if (plugin != NULL && sweep_hash_file(plugin, &method->plugin_hash, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < constants->list.count; i++) {
        const struct constant_values *constant = &constants->list.constant[i];
        if (!router_takes_parameter(router, constant->name))
            continue;
        uint32_t place = method->parameters++, choice = (uint32_t)(index % constant->values.count);
        const char *value = constant->values.value[choice];
        index /= constant->values.count;
        bool names_file = is_file(router, constant->name, value);
        method->file_hash[place] = names_file ? constants->hash[i][choice] : 0;
        method->parameter[place] = (struct router_parameter){
            constant->name, names_file ? value : option_word_value(value)};
        if (add_text(method, place, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

/* Whether the plan's last method is there before: two paths may lead to the same file. */
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

/* How many choices of the constants a router has. */
static uint64_t count_choices(const struct router *router, const struct constant_list *constants)
{
    uint64_t choices = 1;
    for (uint32_t i = 0; i < constants->count && choices <= SWEEP_MOST_RUNS; i++)
        if (router_takes_parameter(router, constants->constant[i].name))
            choices *= constants->constant[i].values.count;
    return choices;
}

static uint32_t count_routers(const struct sweep_request *request)
{
    return request->routers.count == 0 ? router_count() : request->routers.count;
}

static const struct router *router_of(const struct sweep_request *request, uint32_t index)
{
    return request->routers.count == 0 ? router_at(index) : request->routers.value[index];
}

/* FAIL_USAGE: none of the routers that have the constant accepts the value. */
static enum failure_kind check_value(const struct sweep_request *request, const char *name,
                                     const char *value, struct failure *failure)
{
    struct failure refusal = {0};
    for (uint32_t r = 0; r < count_routers(request); r++) {
        const struct router *router = router_of(request, r);
        if (!router_takes_parameter(router, name))
            continue;
        refusal = (struct failure){0};
        if (router_check_value(router, name, value, &refusal) == FAIL_NONE)
            return FAIL_NONE;
    }
    *failure = refusal;
    return failure->kind;
}

/* Sorts the constants and reads their files. A constant or a value that none of the routers has is
 * a slip of the pen, not a wish for failed runs. */
static enum failure_kind read_constants(struct constants *constants,
                                        const struct sweep_request *request,
                                        struct failure *failure)
{
    struct constant_list *list = &constants->list;
    *list = request->constants;
    qsort(list->constant, list->count, sizeof list->constant[0], compare_constants);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct constant_values *constant = &list->constant[i];
        for (uint32_t r = 0; r < count_routers(request); r++) {
            const struct router *router = router_of(request, r);
            for (uint32_t v = 0; v < constant->values.count; v++)
                if (constants->hash[i][v] == 0 &&
                    is_file(router, constant->name, constant->values.value[v]) &&
                    sweep_hash_file(constant->values.value[v], &constants->hash[i][v], failure) !=
                        FAIL_NONE)
                    return failure->kind;
        }
        if (run_check_parameter(request->routers.value, request->routers.count, constant->name,
                                failure) != FAIL_NONE)
            return failure->kind;
        for (uint32_t v = 0; v < constant->values.count; v++)
            if (check_value(request, constant->name, constant->values.value[v], failure) !=
                FAIL_NONE)
                return failure->kind;
    }
    return FAIL_NONE;
}

enum failure_kind sweep_fail_too_many(struct failure *failure)
{
    return fail(failure, FAIL_USAGE, "a sweep has at most %d runs; make the lists shorter",
                SWEEP_MOST_RUNS);
}

static uint64_t count_methods(const struct sweep_request *request)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < count_routers(request); r++)
        count += count_choices(router_of(request, r), &request->constants);
    return count;
}

enum failure_kind sweep_make_methods(struct sweep_plan *plan, const struct sweep_request *request,
                                     struct failure *failure)
{
    struct constants constants = {0};
    if (read_constants(&constants, request, failure) != FAIL_NONE)
        return failure->kind;
    uint64_t count = count_methods(request);
    if (count > SWEEP_MOST_RUNS)
        return sweep_fail_too_many(failure);
    plan->method = memory_allocate(count, sizeof *plan->method);
    if (plan->method == NULL)
        return fail_memory(failure, "the routers of the sweep");
    for (uint32_t r = 0; r < count_routers(request); r++) {
        const struct router *router = router_of(request, r);
        uint64_t choices = count_choices(router, &request->constants);
        for (uint64_t i = 0; i < choices; i++) {
            if (fill_method(&plan->method[plan->methods++], router, &constants, i, failure) !=
                FAIL_NONE)
                return failure->kind;
            plan->methods -= is_double(plan);
        }
    }
    return FAIL_NONE;
}
