/* scheme_handle_private.h - what stands behind the handles of schemes, plans, networks and loads. For
 * library/ alone. */
#ifndef MESHCAST_LIBRARY_SCHEME_HANDLE_PRIVATE_H
#define MESHCAST_LIBRARY_SCHEME_HANDLE_PRIVATE_H

#include "library/chosen_messages.h"
#include "library/meshcast_network.h"
#include "library/network_options.h"
#include "library/topology_private.h"
#include "network/network.h"

enum {
    NETWORK_NUMBERS = MESHCAST_NETWORK_FLIT_BITS + 1,
    SCHEME_NAME_SIZE = 64,
    SCHEME_TEXT_SIZE = 2 * SCHEME_NAME_SIZE
};

struct meshcast_network_options {
    uint64_t number[NETWORK_NUMBERS];
    uint32_t parameters;
    char parameter[SCHEME_PARAMETERS_GIVEN][SCHEME_TEXT_SIZE]; /* NAME=VALUE */
    void (*progress)(void *context, uint64_t done, uint64_t all, uint64_t cycle);
    void *progress_context;
    const struct interrupt *interrupt;
};

static inline const struct scheme *scheme_of(const struct meshcast_scheme *scheme)
{
    return (const struct scheme *)scheme;
}

static inline const struct meshcast_scheme *scheme_handle(const struct scheme *scheme)
{
    return (const struct meshcast_scheme *)scheme;
}

/* The options where the caller gave none. */
const struct meshcast_network_options *
network_options_or_standard(const struct meshcast_network_options *options);

/* The words of the scheme's parameters. FAIL_USAGE: it has no such parameter or word. */
enum failure_kind network_options_choose(const struct meshcast_network_options *options,
                                         const struct scheme *scheme,
                                         struct scheme_choices *choices, struct failure *failure);

/* FAIL_USAGE: the longest length is below the shortest. */
enum failure_kind network_options_flits(const struct meshcast_network_options *options,
                                        struct flits_range *flits, struct failure *failure);

struct network_settings network_options_settings_of(const struct meshcast_network_options *options,
                                                    const struct topology *topology);

/* A network_watcher, whose context are the options: tells the progress, and ends the run when an interrupt
 * was sent. */
bool network_options_watcher(void *options, uint64_t done, uint64_t all, uint64_t cycle);

/* The messages of the set that are sent. FAIL_USAGE: too few sources, or as network_options_flits(). */
enum failure_kind network_options_messages(const struct meshcast_network_options *options,
                                           const struct meshcast_set *set,
                                           struct chosen_messages *chosen, struct failure *failure);

/* A copy of a deadlock for the caller, who frees; `message` names the messages of the set by those of the
 * run, NULL: as they are. NULL where there is none, or no memory, which is a failure. */
struct meshcast_wait *waits_of(const struct network_wait *wait, size_t waits,
                               const uint32_t *message, struct failure *failure);

#endif
