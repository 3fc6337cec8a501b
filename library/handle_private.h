/* handle_private.h - what stands behind the handles of the public headers. For library/ alone.
 *
 * A handle is the struct of an inner layer, or holds one; nothing is kept twice. A public status is
 * the failure_kind of the same number, since the public rule is the inner one.
 */
#ifndef MESHCAST_LIBRARY_HANDLE_PRIVATE_H
#define MESHCAST_LIBRARY_HANDLE_PRIVATE_H

#include "base/failure.h"
#include "base/interrupt.h"
#include "library/meshcast.h"
#include "library/meshcast_topology.h"
#include "machine/observer.h"
#include "routers/router.h"
#include "topology/topology.h"
#include "workloads/import.h"
#include "workloads/instance.h"
#include "workloads/pattern.h"

struct meshcast_interrupt {
    struct interrupt interrupt;
};

struct meshcast_set {
    struct instance
        instance; /* without what stays at home, and without bounds where it is not routable */
    struct message_set given; /* the set with what stays at home; zeroed where nothing does */
    bool is_routable;
    char topology[TOPOLOGY_TEXT_SIZE];
};

/* Every way to a set begins and ends so: the second takes the figures of a set that is there, or frees it; a
 * NULL set is fine. */
struct meshcast_set *set_new(struct failure *failure);
struct meshcast_set *set_measure(struct meshcast_set *set, struct failure *failure,
                                 struct meshcast_error *error);

/* The options that `volume` says, which may be NULL. FAIL_USAGE: a word is none. */
enum failure_kind set_find_volume(const struct meshcast_volume *volume,
                                  struct volume_options *options, struct failure *failure);
/* The set of these pairs on a shape. FAIL_USAGE: a node that it has not, or too many pairs. */
enum failure_kind set_from_pairs(struct message_set *set, struct shape shape, uint64_t pairs,
                                 const uint32_t *from, const uint32_t *to, struct failure *failure);
/* Keeps the set as it was given, and takes out of the instance's what stays at home. FAIL_SYSTEM: no memory. */
enum failure_kind set_leave_home(struct meshcast_set *set, struct failure *failure);

/* Returns the set as it was given, whose messages the caller knows by their indices. */
static inline const struct message_set *set_given(const struct meshcast_set *set)
{
    return set->given.offset != NULL ? &set->given : &set->instance.set;
}

enum { FILES = MESHCAST_TIMELINE + 1 };

struct meshcast_options {
    struct router_options router; /* its parameters' texts are those below */
    char parameter[ROUTER_MAX_PARAMETERS][2][ROUTER_NAME_SIZE]; /* name, value */
    char *file[FILES];                                          /* by enum meshcast_file; or NULL */
    bool copies_are_free; /* as asked; the router's also where it reduces */
    bool heatmap_is_of_links;
    uint32_t timeline_every; /* 0: each */
    bool is_observed;
    struct meshcast_observer observer;
    bool keeps_peaks, keeps_loads, keeps_timeline;
};

/* The options where the caller gave none. */
const struct meshcast_options *options_or_standard(const struct meshcast_options *options);

/* FAIL_USAGE: they ask for a reduction, which `what` does not have. */
enum failure_kind options_check_no_reduction(const struct meshcast_options *options,
                                             const char *what, struct failure *failure);

enum { TIMELINE_COLUMNS = MESHCAST_ROW_WORD_HOPS + 1 };

struct meshcast_result {
    struct router_result result;
    uint64_t nodes;
    uint32_t *peak;                       /* [nodes]; NULL: not kept */
    uint64_t *load;                       /* [4 nodes]; the same */
    uint64_t *timeline[TIMELINE_COLUMNS]; /* [rows]; the same */
    size_t rows, room;
    bool has_timeline;
};

/* Runs as meshcast_run() into an empty result, whose arrays the caller frees by result_clear(), with these
 * options and these files. */
struct run_outputs;
enum failure_kind result_run(const struct router *router, const struct meshcast_set *set,
                             const struct meshcast_options *options,
                             const struct router_options *inner, const struct run_outputs *outputs,
                             struct meshcast_result *result, struct failure *failure);
void result_clear(struct meshcast_result *result);

/* FAIL_USAGE: no router takes the set. */
enum failure_kind set_check_routable(const struct meshcast_set *set, struct failure *failure);

/* A router of the table or one of the user's own: the inner row, by another name. */
static inline const struct router *router_of(const struct meshcast_router *router)
{
    return (const struct router *)router;
}

static inline const struct meshcast_router *router_handle(const struct router *router)
{
    return (const struct meshcast_router *)router;
}

/* Hands a failure to the caller, whose `error` may be NULL; leaves it as it was if there is none.
 * Returns the failure's status. */
enum meshcast_status error_give(struct meshcast_error *error, const struct failure *failure);

#endif
