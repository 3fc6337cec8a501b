/* run_options.c - the one place that knows the options of a run and the names of the routers.
 *
 * A zeroed struct run_options holds every default: seed 0, all cores, an unbounded buffer, copies
 * that cost a step. NAME=VALUE is split in place, so a parameter's strings live as long as argv.
 */
#include "cli/run_options.h"

#include "cli/suggestion.h"

#include <stddef.h>
#include <string.h>

static const char *const copy_names[] = {"unit", "free", NULL};

enum { COPY_FREE = 1 }; /* its place in copy_names */

static enum failure_kind accept_parameter(void *field, char *value, struct failure *failure)
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

const struct option_row run_option_row[RUN_OPTION_ROWS] = {
    {.name = "copy",
     .value = "unit|free",
     .help = "what a copy costs: a step of the packet and the node (unit, the default,\n"
             "the paper's rule), or nothing (free, hardware multicast)",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct run_options, copy),
     .choices = copy_names},
    {.name = "buffer",
     .value = "B",
     .help = "packets that a node can hold; the default is the router's own bound,\nor none",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct run_options, buffer),
     .least = 1,
     .most = UINT32_MAX},
    {.name = "param",
     .value = "NAME=VALUE",
     .help = "a constant of the router or kernel, see below; of a name given twice the\n"
             "last value counts",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct run_options, parameters),
     .accept = accept_parameter},
    {.name = "seed",
     .value = "S",
     .help = "of random choices, decimal or 0x...; the default is 0",
     .type = OPTION_SEED,
     .offset = offsetof(struct run_options, seed)},
    {.name = "threads",
     .value = "T",
     .help = "the default is a thread a core; results are the same for all T",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct run_options, threads),
     .least = 1,
     .most = 1024},
    {.name = "json",
     .help = "print JSON instead of a table",
     .type = OPTION_FLAG,
     .offset = offsetof(struct run_options, json)},
    {.name = "quiet",
     .letter = 'q',
     .help = "nothing on standard error but errors",
     .type = OPTION_FLAG,
     .offset = offsetof(struct run_options, quiet)},
};

const struct option_row run_congestion_row[1] = {
    {.name = "unknown-congestion",
     .help = "nodes do not know the set's congestion and guess it, in attempts of bounded\n"
             "length (Section 6 of the paper): replicate, random, stream, expander",
     .type = OPTION_FLAG,
     .offset = offsetof(struct run_options, congestion_is_unknown)},
};

struct router_options run_options_for_router(const struct run_options *options)
{
    struct router_options router = router_options_default();
    router.seed = options->seed;
    router.threads = options->threads;
    router.buffer = options->buffer;
    router.copy_is_free = run_copy_is_free(options);
    router.congestion_is_unknown = options->congestion_is_unknown;
    router.parameters = options->parameters.count;
    memcpy(router.parameter, options->parameters.parameter, sizeof router.parameter);
    return router;
}

bool run_copy_is_free(const struct run_options *options)
{
    return options->copy == COPY_FREE;
}

const char *run_copy_name(const struct run_options *options)
{
    return copy_names[options->copy];
}

static const char *router_name_at(const void *context, uint32_t index)
{
    (void)context;
    return router_at(index)->name;
}

enum failure_kind run_fail_unknown_router(struct failure *failure, const char *word)
{
    struct name_family family = {"router", "routers", "", router_count(), router_name_at, NULL};
    if (word != NULL)
        return fail_unknown_name(failure, &family, word);
    char names[320];
    name_family_list(&family, names, sizeof names);
    return fail(failure, FAIL_USAGE, "missing --router NAME; the routers are: %s", names);
}

static void print_lines(const char *text, FILE *out)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        fprintf(out, "               %.*s\n", length, text);
        text += length + (text[length] == '\n');
    }
}

void run_print_routers(FILE *out)
{
    fputs("\nRouters, and the constants that --param sets:\n", out);
    for (uint32_t i = 0; i < router_count(); i++) {
        const struct router *router = router_at(i);
        fprintf(out, "  %-10s %s\n", router->name, router->summary);
        print_lines(router->parameters, out);
    }
}
