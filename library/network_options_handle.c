/* network_options_handle.c - the options of plans, networks and loads as a handle.
 *
 * Numbers are kept as they were set, 0 being each one's default, and judged where they are used; a row of
 * NUMBERS says what a number may be by itself.
 */
#include "base/parallel.h"
#include "library/scheme_handle_private.h"
#include "network/open_loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct meshcast_network_options *
network_options_or_standard(const struct meshcast_network_options *options)
{
    static const struct meshcast_network_options standard;
    return options == NULL ? &standard : options;
}

struct meshcast_network_options *meshcast_network_options_new(void)
{
    return memory_allocate(1, sizeof(struct meshcast_network_options));
}

void meshcast_network_options_free(struct meshcast_network_options *options)
{
    free(options);
}

/* The name of a number in messages, and its largest value. */
static const struct {
    const char *name;
    uint64_t most;
} NUMBERS[NETWORK_NUMBERS] = {
    [MESHCAST_NETWORK_SEED] = {"seed", UINT64_MAX},
    [MESHCAST_NETWORK_SOURCES] = {"number of sources", TOPOLOGY_MAX_NODES},
    [MESHCAST_NETWORK_FLITS] = {"number of flits", NETWORK_MAX_FLITS},
    [MESHCAST_NETWORK_MOST_FLITS] = {"number of flits", NETWORK_MAX_FLITS},
    [MESHCAST_NETWORK_SWITCHING] = {"switching", MESHCAST_CIRCUIT},
    [MESHCAST_NETWORK_VCS] = {"number of virtual channels", NETWORK_MAX_VCS},
    [MESHCAST_NETWORK_BUFFER] = {"buffer", NETWORK_MAX_BUFFER},
    [MESHCAST_NETWORK_INJECTION] = {"number of injection channels", NETWORK_MAX_CHANNELS},
    [MESHCAST_NETWORK_CONSUMPTION] = {"number of consumption channels", NETWORK_MAX_CHANNELS},
    [MESHCAST_NETWORK_STARTUP] = {"startup", NETWORK_MAX_DELAY},
    [MESHCAST_NETWORK_STARTUP_PER_PORT] = {"choice of a startup a port", 1},
    [MESHCAST_NETWORK_ROUTER_DELAY] = {"router delay", NETWORK_MAX_DELAY},
    [MESHCAST_NETWORK_ONE_PORT] = {"choice of one port", 1},
    [MESHCAST_NETWORK_RELEASE_WHEN_LEFT] = {"choice of a release", 1},
    [MESHCAST_NETWORK_MAX_THREADS] = {"number of threads", 1024},
    [MESHCAST_NETWORK_KEEP_LINKS] = {"choice of links that are kept", 1},
    [MESHCAST_NETWORK_ORDER] = {"order", OPEN_LOOP_MAX_ORDER},
    [MESHCAST_NETWORK_WARMUP] = {"warm-up", OPEN_LOOP_MAX_MESSAGES},
    [MESHCAST_NETWORK_MEASURE] = {"number of measured messages", OPEN_LOOP_MAX_MESSAGES},
    [MESHCAST_NETWORK_MOST_RUNS] = {"number of runs", 1000},
    [MESHCAST_NETWORK_FINITE] = {"choice of finite runs", 1},
    [MESHCAST_NETWORK_HEADER] = {"form of headers", MESHCAST_HEADER_BITMAP},
    [MESHCAST_NETWORK_FLIT_BITS] = {"number of bits per flit", NETWORK_MAX_FLIT_BITS},
    [MESHCAST_NETWORK_UNTIL_DONE] = {"choice of runs until all are done", 1},
};

enum meshcast_status meshcast_network_options_set(struct meshcast_network_options *options,
                                                  enum meshcast_network_number number,
                                                  uint64_t value, struct meshcast_error *error)
{
    struct failure failure = {0};
    if ((unsigned)number >= NETWORK_NUMBERS)
        fail(&failure, FAIL_USAGE, "no option of networks has the number %u", (unsigned)number);
    else if (value > NUMBERS[number].most)
        fail(&failure, FAIL_USAGE, "a %s of %" PRIu64 "; the most is %" PRIu64,
             NUMBERS[number].name, value, NUMBERS[number].most);
    else
        options->number[number] = value;
    return error_give(error, &failure);
}

enum meshcast_status
meshcast_network_options_set_parameter(struct meshcast_network_options *options, const char *name,
                                       const char *value, struct meshcast_error *error)
{
    struct failure failure = {0};
    if (*name == '\0' || *value == '\0' || strchr(name, '=') != NULL)
        fail(&failure, FAIL_USAGE, "a parameter wants a name and a value");
    else if (strlen(name) >= SCHEME_NAME_SIZE || strlen(value) >= SCHEME_NAME_SIZE)
        fail(&failure, FAIL_USAGE, "the parameter %.20s has a name or value of more than %d bytes",
             name, SCHEME_NAME_SIZE - 1);
    else if (options->parameters == SCHEME_PARAMETERS_GIVEN)
        fail(&failure, FAIL_USAGE, "%d parameters are the most", SCHEME_PARAMETERS_GIVEN);
    else
        snprintf(options->parameter[options->parameters++], SCHEME_TEXT_SIZE, "%s=%s", name, value);
    return error_give(error, &failure);
}

void meshcast_network_options_set_progress(struct meshcast_network_options *options,
                                           void (*progress)(void *context, uint64_t done,
                                                            uint64_t all, uint64_t cycle),
                                           void *context)
{
    options->progress = progress;
    options->progress_context = context;
}

void meshcast_network_options_set_interrupt(struct meshcast_network_options *options,
                                            const struct meshcast_interrupt *interrupt)
{
    options->interrupt = interrupt == NULL ? NULL : &interrupt->interrupt;
}

/* ---- as they are used ---- */

enum failure_kind network_options_choose(const struct meshcast_network_options *options,
                                         const struct scheme *scheme,
                                         struct scheme_choices *choices, struct failure *failure)
{
    struct scheme_parameters parameters = {.count = options->parameters};
    for (uint32_t i = 0; i < options->parameters; i++)
        parameters.text[i] = options->parameter[i];
    if (scheme_parameters_check(&parameters, &scheme, 1, failure) != FAIL_NONE)
        return failure->kind;
    return scheme_parameters_choose(&parameters, scheme, choices, failure);
}

enum failure_kind network_options_flits(const struct meshcast_network_options *options,
                                        struct flits_range *flits, struct failure *failure)
{
    const uint64_t *number = options->number;
    *flits = (struct flits_range){(uint32_t)number[MESHCAST_NETWORK_FLITS],
                                  (uint32_t)number[MESHCAST_NETWORK_MOST_FLITS]};
    if (flits->most == 0)
        flits->most = flits->least;
    if (flits->most < flits->least || (flits->least == 0 && flits->most > 0))
        return fail(failure, FAIL_USAGE,
                    "messages of %" PRIu32 " to %" PRIu32 " flits; the longest is at least as long "
                    "as the shortest, which has one flit at least",
                    flits->least, flits->most);
    return FAIL_NONE;
}

struct network_settings network_options_settings_of(const struct meshcast_network_options *options,
                                                    const struct topology *topology)
{
    const uint64_t *number = options->number;
    struct network_settings settings = network_settings_default();
    uint32_t lines = topology->nodes / topology->shape.size[0];
    settings.switching = (enum switching)number[MESHCAST_NETWORK_SWITCHING];
    settings.is_one_port = number[MESHCAST_NETWORK_ONE_PORT] == 1;
    settings.releases_when_left = number[MESHCAST_NETWORK_RELEASE_WHEN_LEFT] == 1;
    settings.startup_is_per_port = number[MESHCAST_NETWORK_STARTUP_PER_PORT] == 1;
    if (number[MESHCAST_NETWORK_VCS] > 0)
        settings.vcs = (uint32_t)number[MESHCAST_NETWORK_VCS];
    if (number[MESHCAST_NETWORK_BUFFER] > 0 || settings.switching == SWITCHING_STORE_AND_FORWARD)
        settings.buffer = (uint32_t)number[MESHCAST_NETWORK_BUFFER];
    settings.header = (enum header_form)number[MESHCAST_NETWORK_HEADER];
    if (number[MESHCAST_NETWORK_FLIT_BITS] > 0)
        settings.flit_bits = (uint32_t)number[MESHCAST_NETWORK_FLIT_BITS];
    settings.injection = (uint32_t)number[MESHCAST_NETWORK_INJECTION];
    settings.consumption = (uint32_t)number[MESHCAST_NETWORK_CONSUMPTION];
    settings.startup = (uint32_t)number[MESHCAST_NETWORK_STARTUP];
    settings.router_delay = (uint32_t)number[MESHCAST_NETWORK_ROUTER_DELAY];
    settings.threads = parallel_threads_for(topology->nodes, lines,
                                            (uint32_t)number[MESHCAST_NETWORK_MAX_THREADS]);
    return settings;
}

bool network_options_watcher(void *options, uint64_t done, uint64_t all, uint64_t cycle)
{
    const struct meshcast_network_options *given = options;
    if (given->progress != NULL)
        given->progress(given->progress_context, done, all, cycle);
    return interrupt_is_sent(given->interrupt);
}

enum failure_kind network_options_messages(const struct meshcast_network_options *options,
                                           const struct meshcast_set *set,
                                           struct chosen_messages *chosen, struct failure *failure)
{
    struct message_choice choice = {.sources = (uint32_t)options->number[MESHCAST_NETWORK_SOURCES],
                                    .seed = options->number[MESHCAST_NETWORK_SEED]};
    if (network_options_flits(options, &choice.flits, failure) != FAIL_NONE)
        return failure->kind;
    return chosen_messages_make(chosen, &set->instance.set, &choice, failure);
}

struct meshcast_wait *waits_of(const struct network_wait *wait, size_t waits,
                               const uint32_t *message, struct failure *failure)
{
    struct meshcast_wait *given = waits == 0 ? NULL : memory_allocate(waits, sizeof *given);
    if (waits > 0 && given == NULL)
        fail_memory(failure, "a deadlock");
    for (size_t i = 0; given != NULL && i < waits; i++)
        given[i] = (struct meshcast_wait){.message = message == NULL ? wait[i].message
                                                                     : message[wait[i].message],
                                          .worm = wait[i].worm,
                                          .node = wait[i].node,
                                          .waits_for = wait[i].waits_for,
                                          .source = wait[i].source,
                                          .to = wait[i].to,
                                          .needs = network_need_names[wait[i].need]};
    return given;
}
