/* options_handle.c - the options of a run as a handle.
 *
 * Numbers and files are named by an enum, so that a later version can have more of them; what needs
 * the router or the set to be judged is judged by the run.
 */
#include "library/handle_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct meshcast_options *options_or_standard(const struct meshcast_options *options)
{
    static const struct meshcast_options standard;
    return options == NULL ? &standard : options;
}

enum failure_kind options_check_no_reduction(const struct meshcast_options *options,
                                             const char *what, struct failure *failure)
{
    if (!options->router.reduces)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE, "%s has no reductions; leave that option out", what);
}

struct meshcast_options *meshcast_options_new(void)
{
    struct meshcast_options *options = memory_allocate(1, sizeof *options);
    if (options != NULL)
        options->router = router_options_default();
    return options;
}

void meshcast_options_free(struct meshcast_options *options)
{
    for (int file = 0; options != NULL && file < FILES; file++)
        free(options->file[file]);
    free(options);
}

/* A number of the options: its name in messages, and its largest value. */
static const struct {
    const char *name;
    uint64_t most;
} NUMBERS[] = {
    [MESHCAST_SEED] = {"seed", UINT64_MAX},
    [MESHCAST_MAX_THREADS] = {"number of threads", 1024},
    [MESHCAST_BUFFER] = {"capacity", UINT32_MAX},
    [MESHCAST_FREE_COPIES] = {"choice of free copies", 1},
    [MESHCAST_UNKNOWN_CONGESTION] = {"choice of an unknown congestion", 1},
    [MESHCAST_HEATMAP_OF_LINKS] = {"choice of a heatmap of links", 1},
    [MESHCAST_TIMELINE_EVERY] = {"number of steps", UINT32_MAX},
    [MESHCAST_KEEP_NODE_PEAKS] = {"choice of peaks that are kept", 1},
    [MESHCAST_KEEP_LINK_LOADS] = {"choice of loads that are kept", 1},
    [MESHCAST_KEEP_TIMELINE] = {"choice of a timeline that is kept", 1},
    [MESHCAST_REDUCES] = {"choice of a reduction", 1},
};

static enum failure_kind check_number(enum meshcast_number number, uint64_t value,
                                      struct failure *failure)
{
    if ((size_t)number >= sizeof NUMBERS / sizeof *NUMBERS)
        return fail(failure, FAIL_USAGE, "no option has the number %u", (unsigned)number);
    if (value > NUMBERS[number].most)
        return fail(failure, FAIL_USAGE, "a %s of %" PRIu64 "; the most is %" PRIu64,
                    NUMBERS[number].name, value, NUMBERS[number].most);
    return FAIL_NONE;
}

static void set_number(struct meshcast_options *options, enum meshcast_number number,
                       uint64_t value)
{
    switch (number) {
    case MESHCAST_SEED:
        options->router.seed = value;
        break;
    case MESHCAST_MAX_THREADS:
        options->router.threads = (uint32_t)value;
        break;
    case MESHCAST_BUFFER:
        options->router.buffer = (uint32_t)value;
        break;
    case MESHCAST_FREE_COPIES:
        options->copies_are_free = value == 1;
        break;
    case MESHCAST_UNKNOWN_CONGESTION:
        options->router.congestion_is_unknown = value == 1;
        break;
    case MESHCAST_HEATMAP_OF_LINKS:
        options->heatmap_is_of_links = value == 1;
        break;
    case MESHCAST_TIMELINE_EVERY:
        options->timeline_every = (uint32_t)value;
        break;
    case MESHCAST_KEEP_NODE_PEAKS:
        options->keeps_peaks = value == 1;
        break;
    case MESHCAST_KEEP_LINK_LOADS:
        options->keeps_loads = value == 1;
        break;
    case MESHCAST_KEEP_TIMELINE:
        options->keeps_timeline = value == 1;
        break;
    case MESHCAST_REDUCES:
        options->router.reduces = value == 1;
        break;
    }
    options->router.copy_is_free = options->copies_are_free || options->router.reduces;
}

enum meshcast_status meshcast_options_set(struct meshcast_options *options,
                                          enum meshcast_number number, uint64_t value,
                                          struct meshcast_error *error)
{
    struct failure failure = {0};
    if (check_number(number, value, &failure) == FAIL_NONE)
        set_number(options, number, value);
    return error_give(error, &failure);
}

/* The place of the parameter: where it was given before, or behind the last. */
static uint32_t index_of(const struct meshcast_options *options, const char *name)
{
    uint32_t index = 0;
    while (index < options->router.parameters && strcmp(options->parameter[index][0], name) != 0)
        index++;
    return index;
}

static enum failure_kind check_parameter(const struct meshcast_options *options, const char *name,
                                         const char *value, struct failure *failure)
{
    if (*name == '\0' || *value == '\0')
        return fail(failure, FAIL_USAGE, "a parameter wants a name and a value");
    if (strlen(name) >= ROUTER_NAME_SIZE || strlen(value) >= ROUTER_NAME_SIZE)
        return fail(failure, FAIL_USAGE,
                    "the parameter %.20s has a name or value of more than %d bytes", name,
                    ROUTER_NAME_SIZE - 1);
    if (index_of(options, name) == ROUTER_MAX_PARAMETERS)
        return fail(failure, FAIL_USAGE, "%d parameters are the most", ROUTER_MAX_PARAMETERS);
    return FAIL_NONE;
}

enum meshcast_status meshcast_options_set_parameter(struct meshcast_options *options,
                                                    const char *name, const char *value,
                                                    struct meshcast_error *error)
{
    struct failure failure = {0};
    if (check_parameter(options, name, value, &failure) == FAIL_NONE) {
        uint32_t index = index_of(options, name);
        options->router.parameters += index == options->router.parameters;
        char(*text)[ROUTER_NAME_SIZE] = options->parameter[index];
        strcpy(text[0], name);
        strcpy(text[1], value);
        options->router.parameter[index] = (struct router_parameter){text[0], text[1]};
    }
    return error_give(error, &failure);
}

enum meshcast_status meshcast_options_set_file(struct meshcast_options *options,
                                               enum meshcast_file file, const char *path,
                                               struct meshcast_error *error)
{
    struct failure failure = {0};
    char *copy = NULL;
    if ((unsigned)file >= FILES)
        fail(&failure, FAIL_USAGE, "no file has the number %u", (unsigned)file);
    else if (path != NULL && *path == '\0')
        fail(&failure, FAIL_USAGE, "a path is empty");
    else if (path != NULL && (copy = strdup(path)) == NULL)
        fail_memory(&failure, "a path");
    if (failure.kind == FAIL_NONE) {
        free(options->file[file]);
        options->file[file] = copy;
    }
    return error_give(error, &failure);
}

void meshcast_options_set_progress(struct meshcast_options *options,
                                   void (*progress)(void *context, uint64_t steps,
                                                    const char *phase),
                                   void *context)
{
    options->router.progress = progress;
    options->router.progress_context = context;
}

void meshcast_options_set_interrupt(struct meshcast_options *options,
                                    const struct meshcast_interrupt *interrupt)
{
    options->router.interrupt = interrupt == NULL ? NULL : &interrupt->interrupt;
}

void meshcast_options_set_observer(struct meshcast_options *options,
                                   const struct meshcast_observer *observer)
{
    options->is_observed = observer != NULL;
    if (observer != NULL)
        options->observer = *observer;
}
