/* run_options.c - the options of a run and the names of the routers.
 *
 * A zeroed struct run_options holds every default: seed 0, all cores, an unbounded buffer, copies
 * that cost a step. NAME=VALUE is split in place, so a parameter's strings live as long as argv.
 */
#include "library/run_options.h"

#include "base/output_file.h"
#include "network/schemes/scheme.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *const run_copy_names[RUN_COPIES + 1] = {"unit", "free", NULL};

enum { COPY_FREE = 1 }; /* its index in run_copy_names */

static int accept_parameter(void *field, char *value, struct failure *failure)
{
    struct parameter_list *list = field;
    char *equals = strchr(value, '=');
    if (equals == NULL || equals == value || equals[1] == '\0')
        return fail(failure, FAIL_USAGE, "--param takes NAME=VALUE, not '%.40s'", value);
    if (list->count == ROUTER_MAX_PARAMETERS)
        return fail(failure, FAIL_USAGE, "--param may be given %d times at most",
                    ROUTER_MAX_PARAMETERS);
    *equals = '\0';
    list->parameter[list->count++] = (struct router_parameter){.name = value, .value = equals + 1};
    return FAIL_NONE;
}

const struct meshcast_option run_option_row[RUN_OPTION_ROWS] = {
    OPTION_CHOICE("copy", "unit|free", COMMON, struct run_options, copy, run_copy_names,
                  "what a copy costs: a step of the packet and the node (unit, the default,\n"
                  "the paper's rule), or nothing (free, hardware multicast)"),
    OPTION_NUMBER("buffer", "B", COMMON, struct run_options, buffer, 1, UINT32_MAX,
                  "packets that a node can hold; the default is the router's own bound,\nor none"),
    {.name = "param",
     .value = "NAME=VALUE",
     .is_common = true,
     .help = "a constant of the router ('meshcast help router NAME') or kernel; of a\n"
             "name given twice the last value counts",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct run_options, parameters),
     .accept = accept_parameter,
     .is_parameter = true},
    OPTION_SEED(RARE, struct run_options, seed,
                "of random choices, decimal or 0x...; the default is 0"),
    OPTION_NUMBER(
        "threads", "T", RARE, struct run_options, threads, 1, 1024,
        "the default is a thread for each 8192 nodes, up to the cores that are free; results\n"
        "are the same for all T. If the system refuses threads, one does all the work"),
};

const struct meshcast_option run_congestion_row[1] = {
    OPTION_FLAG("unknown-congestion", RARE, struct run_options, congestion_is_unknown,
                "nodes do not know the set's congestion and guess it, in attempts of bounded\n"
                "length (Section 6 of the paper): replicate, random, stream, expander"),
};

const struct meshcast_option run_reduce_row[1] = {
    OPTION_FLAG("reduce", RARE, struct run_options, reduces,
                "the other way round: each destination of a message holds a contribution,\n"
                "and its source receives their sum, combined on the way without cost"),
};

enum failure_kind run_options_check_output(const struct run_options *options, const char *path,
                                           struct failure *failure)
{
    for (uint32_t i = 0; i < options->parameters.count; i++)
        if (path_is_same_file(options->parameters.parameter[i].value, path))
            return fail(failure, FAIL_USAGE, "%s would be overwritten, which a parameter names",
                        path);
    return FAIL_NONE;
}

struct router_options run_options_for_router(const struct run_options *options,
                                             const struct topology *broken)
{
    struct router_options router = router_options_default();
    router.seed = options->seed;
    router.threads = options->threads;
    router.buffer = options->buffer;
    router.reduces = options->reduces;
    router.broken = broken;
    router.copy_is_free = run_copy_is_free(options);
    router.congestion_is_unknown = options->congestion_is_unknown;
    router.parameters = options->parameters.count;
    memcpy(router.parameter, options->parameters.parameter, sizeof router.parameter);
    return router;
}

bool run_copy_is_free(const struct run_options *options)
{
    return options->copy == COPY_FREE || options->reduces;
}

const char *run_copies_text(const struct run_options *options)
{
    return options->reduces
               ? "reduced without copies"
               : (run_copy_is_free(options) ? "copies are free" : "copies cost a step");
}

const char *run_copy_name(const struct run_options *options)
{
    return run_copy_names[run_copy_is_free(options) ? COPY_FREE : 0];
}

/* ---- names ---- */

enum failure_kind run_find_router(const char *name, const struct router **router,
                                  struct failure *failure)
{
    char names[320];
    size_t length = name == NULL ? 0 : strlen(name);
    if (name != NULL && strchr(name, '/') != NULL && strchr(name, ',') == NULL) {
        *router = plugin_router(name, failure);
        return failure->kind;
    }
    *router = name == NULL ? NULL : router_find(name);
    if (*router != NULL)
        return FAIL_NONE;
    if (length > 3 && strcmp(name + length - 3, ".so") == 0)
        return fail(failure, FAIL_USAGE, "a plugin is named by a path with a slash: ./%.200s",
                    name);
    if (name != NULL && strchr(name, ',') != NULL)
        return fail(failure, FAIL_USAGE,
                    "--router takes one router, not '%.40s'; 'meshcast compare' takes several",
                    name);
    if (name != NULL && *name == '\0')
        return fail(failure, FAIL_USAGE, "a list has an empty word; write A,B without blanks");
    if (name != NULL && name_family_index(&scheme_names, name) != UINT32_MAX)
        return fail(failure, FAIL_USAGE, "'%s' is a scheme: meshcast network --scheme %s", name,
                    name);
    if (name != NULL)
        return fail_unknown_name(failure, &router_names, name);
    name_family_list(&router_names, names, sizeof names);
    return fail(failure, FAIL_USAGE, "missing --router NAME; the routers are: %s", names);
}

enum { SPECS_MOST = 64 };

/* The parameters of several routers, each name once. */
struct specs {
    uint32_t count;
    const char *name[SPECS_MOST + 1]; /* ended by NULL */
};

static void add_specs(struct specs *specs, const struct router *router)
{
    const char *name;
    for (uint32_t i = 0; (name = router_parameter_name(router, i)) != NULL; i++) {
        uint32_t place = 0;
        while (place < specs->count && strcmp(specs->name[place], name) != 0)
            place++;
        if (place == specs->count && place < SPECS_MOST)
            specs->name[specs->count++] = name;
    }
}

enum failure_kind run_check_parameter(const struct router *const *routers, uint32_t count,
                                      const char *name, struct failure *failure)
{
    struct specs specs = {0};
    uint32_t place;
    for (uint32_t i = 0; i < (count == 0 ? router_count() : count); i++)
        add_specs(&specs, count == 0 ? router_at(i) : routers[i]);
    struct name_family family = {"parameter", "parameters of these routers", "", name_of_array,
                                 specs.name};
    if (specs.count == 0)
        return fail(failure, FAIL_USAGE, "none of these routers has a parameter, as '%.40s'", name);
    return name_family_find(&family, name, &place, failure);
}

/* ---- completion and help ---- */

void run_offer_parameters(const struct meshcast_offers *offers)
{
    bool names_some = offers->gives(offers->line, &router_names, NULL);
    for (uint32_t i = 0; i < router_count(); i++) {
        const struct router *router = router_at(i);
        const char *name;
        if (names_some && !offers->gives(offers->line, &router_names, router->name))
            continue;
        for (uint32_t p = 0; (name = router_parameter_name(router, p)) != NULL; p++) {
            char word[ROUTER_NAME_SIZE];
            for (uint32_t v = 0; router_parameter_choice(router, p, v, word); v++)
                offers->offer(offers->line, name, word);
            offers->offer(offers->line, name, NULL);
        }
    }
}

static void print_lines(const char *text, FILE *out)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        fprintf(out, "               %.*s\n", length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_router(const struct router *router, FILE *out)
{
    fprintf(out, "  %-10s %s\n", router->name, router->summary);
    if (router->parameters[0] != '\0')
        fputs("\nConstants, which --param NAME=VALUE sets:\n", out);
    print_lines(router->parameters, out);
}

void run_print_router(uint32_t index, FILE *out)
{
    print_router(router_at(index), out);
}

int run_print_plugin(const char *path, FILE *out, struct failure *failure)
{
    const struct router *router = plugin_router(path, failure);
    if (router != NULL)
        print_router(router, out);
    return failure->kind;
}
