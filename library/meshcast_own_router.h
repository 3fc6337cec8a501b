/* meshcast_own_router.h - routers of one's own on the machine of meshcast, for programs and as plugins.
 *
 * A router is a program of the machine's instructions: meshcast_start() makes the machine and puts each
 * message into it, the instructions below move packets. doc/own_router_example.c is a whole program. The
 * error rule, ownership and threads are those of meshcast.h.
 *
 * A plugin is a shared object with one function, meshcast_plugin(), which `meshcast route --router
 * ./mine.so` and meshcast_router_load() look for:
 *
 *     MESHCAST_PLUGIN const struct meshcast_router_plan *meshcast_plugin(uint32_t *abi)
 *     {
 *         static const struct meshcast_router_plan plan = {.name = "mine", .route = route};
 *         *abi = MESHCAST_ABI;
 *         return &plan;
 *     }
 *
 *     cc -shared -fPIC -o mine.so mine.c $(pkg-config --cflags meshcast)
 */
#ifndef MESHCAST_OWN_ROUTER_H
#define MESHCAST_OWN_ROUTER_H

#include "meshcast.h"

/* Before the function of a plugin: it can be found whatever the compiler's flags are. */
#if defined(__GNUC__)
#define MESHCAST_PLUGIN __attribute__((visibility("default")))
#else
#define MESHCAST_PLUGIN
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* ---- a router of one's own ---- */

/* A run under way, as a router sees it. */
struct meshcast_routing;

/* A parameter: one of `choices` (words apart by blanks), or with high > 0 a whole number low ..
 * high, or either. */
struct meshcast_parameter {
    const char *name, *standard; /* the value when none is given */
    uint32_t low, high;
    const char *choices; /* NULL: numbers alone */
};

/* What makes a router. `route` begins with meshcast_start(), goes on with the instructions below,
 * and returns what the one that failed returned, or MESHCAST_OK. A run may be one of several at a
 * time, so what it changes it must own. */
struct meshcast_router_plan {
    const char *name, *summary;
    const char *parameters_help;                /* a line each, or NULL */
    const struct meshcast_parameter *parameter; /* [parameters] */
    uint32_t parameters;                        /* at most 16 */
    enum meshcast_status (*route)(void *context, struct meshcast_routing *routing);
    void *context; /* the caller's */
    /* True if it takes sets in which a node sends several messages; false: they are refused with MESHCAST_USAGE. */
    bool takes_many;
};
/* Makes a router, which meshcast_command_give_router() gives to a command; the plan is copied, but for what `context` points to.
 * MESHCAST_USAGE: no route; a name that is not of at most 63 letters, digits, '-', '_' and '.'; a
 * parameter whose standard is not one of its values.
 * MESHCAST_SYSTEM: no memory. */
struct meshcast_router *meshcast_router_new(const struct meshcast_router_plan *plan,
                                            struct meshcast_error *error);
void meshcast_router_free(struct meshcast_router *router);

/* What every node knows of the run. */
struct meshcast_known {
    uint32_t rows, cols, degree, congestion;
    uint64_t seed;
    uint32_t buffer; /* the capacity that the user asked for; 0: none */
    bool copies_are_free;
    uint32_t messages_per_node; /* l: a node sends so many at most */
};
struct meshcast_known meshcast_known(const struct meshcast_routing *routing);

/* The value of a parameter of the plan: a number, or the index of a choice, behind the numbers (high
 * + 1 + index) where both are taken. */
uint32_t meshcast_parameter(const struct meshcast_routing *routing, const char *name);

/* A number that looks random, a function of (seed, stream, index) alone: what a node draws. */
uint32_t meshcast_random(const struct meshcast_routing *routing, uint64_t stream, uint64_t index);

/* Fails with MESHCAST_USAGE, or MESHCAST_CHECK, and the text: what `route` then returns. */
enum meshcast_status meshcast_refuse(struct meshcast_routing *routing, enum meshcast_status status,
                                     const char *text);

/* Step 0: makes a machine whose nodes hold `capacity` packets at most (0: any number; one that is
 * smaller by the user's wish is), and puts each message into it as one packet at rest at its source,
 * with a slot per destination; where a node sends several, all rest there, and take room in its buffer. Once, before
 * everything below. */
enum meshcast_status meshcast_start(struct meshcast_routing *routing, uint32_t capacity);

/* Packets. A packet stands for the destination slots first .. packet, all of one message, and is
 * named by the last; other numbers name none. A function of a rule may read and change only packets at
 * its own site, and between instructions the program may only do what each node could do alone with the
 * packets that rest there: doc/model.md says what nodes know. */
#define MESHCAST_NONE UINT32_MAX

struct meshcast_site {
    uint32_t node, row, col;
};

uint32_t meshcast_packet_first(const struct meshcast_routing *routing, uint32_t packet);
/* The node that slot `slot` is a delivery to; the source of its message; the number of that in the set, as
 * meshcast_set_message() counts. */
struct meshcast_site meshcast_slot_destination(const struct meshcast_routing *routing,
                                               uint32_t slot);
uint32_t meshcast_slot_source(const struct meshcast_routing *routing, uint32_t slot);
uint32_t meshcast_slot_message(const struct meshcast_routing *routing, uint32_t slot);
/* Exchanges two slots of the packet. */
void meshcast_slots_swap(struct meshcast_routing *routing, uint32_t packet, uint32_t slot,
                         uint32_t other);
/* In a rule's take() alone: hands the first `count` slots, at least 1 and not all, to a new packet
 * with the same fields, whose name is returned. */
uint32_t meshcast_packet_split(struct meshcast_routing *routing, uint32_t packet, uint32_t count);
/* Two fields for the router's own use, 0 at first: a node, and 8 bits. */
uint32_t meshcast_packet_target(const struct meshcast_routing *routing, uint32_t packet);
void meshcast_packet_set_target(struct meshcast_routing *routing, uint32_t packet, uint32_t node);
uint8_t meshcast_packet_state(const struct meshcast_routing *routing, uint32_t packet);
void meshcast_packet_set_state(struct meshcast_routing *routing, uint32_t packet, uint8_t state);
/* The packets that rest at a node, oldest first, MESHCAST_NONE at the end; none at nodes of other ranks (doc/ranks.md). */
uint32_t meshcast_first_resting(const struct meshcast_routing *routing, uint32_t node);
uint32_t meshcast_next_resting(const struct meshcast_routing *routing, uint32_t packet);

/* Parts into which a packet falls where it stops: copies over links, a delivery, one that rests
 * until the next instruction, one that is looked at again in the next step (never alone). Each part
 * but the last is a copy. */
enum meshcast_part {
    MESHCAST_NORTH = 1,
    MESHCAST_SOUTH = 2,
    MESHCAST_WEST = 4,
    MESHCAST_EAST = 8,
    MESHCAST_DELIVER = 16,
    MESHCAST_AGAIN = 32,
    MESHCAST_PARK = 64,
};

/* What the router decides where a packet stops. Called by several threads at once, for different
 * nodes; no instruction may be called from here. A rule that breaks what is said here ends the run
 * with MESHCAST_CHECK. */
struct meshcast_rule {
    void *context;
    /* The parts of `packet` at `site`, not empty, links of the mesh; MESHCAST_DELIVER only of a
     * packet with a slot for this node; the same answer until a part is taken. */
    unsigned (*parts)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                      uint32_t packet);
    /* Splits `part` off the packet, which keeps at least a slot (meshcast_packet_split), and returns
     * the packet that carries it; for MESHCAST_DELIVER one with one slot, that of this node. NULL:
     * packets never have more than one part. */
    uint32_t (*take)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part);
    /* Where `packet`, leaving over the link `part`, is looked at next: a column for WEST and EAST, a
     * row for NORTH and SOUTH, on that side of the site. In between it goes straight on. */
    uint32_t (*stop)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part);
    /* How urgent it is on its way there, 0 .. 131071: of a link's queue the most urgent leaves first,
     * of equals the first come. NULL: all alike. */
    uint32_t (*urgency)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                        uint32_t packet, enum meshcast_part part);
};

/* Instructions. All begin with the packets that rest, which `parts` is asked about; queues are one a
 * link, unbounded but for the capacity. A phase named `name` (printable ASCII, of which 63 characters count)
 * has
 *     exactly `steps` steps, at most 2^40, which every node computes beforehand; packets may still be
 *       under way;
 *     as many rounds of known lengths as are needed, each followed by a synchronisation of 2
 *       floor(rows / 2) + 2 floor(cols / 2) steps, until no packet is under way;
 *     until nothing is under way: the last phase of a run, since no node could tell that it is over.
 *       With more than `limit` steps it ends as it is, and the check finds what is missing. */
enum meshcast_status meshcast_forward_for(struct meshcast_routing *routing,
                                          const struct meshcast_rule *rule, const char *name,
                                          uint64_t steps);
enum meshcast_status meshcast_forward_in_rounds(struct meshcast_routing *routing,
                                                const struct meshcast_rule *rule, const char *name,
                                                uint64_t first, uint64_t further);
enum meshcast_status meshcast_forward_last(struct meshcast_routing *routing,
                                           const struct meshcast_rule *rule, const char *name,
                                           uint64_t limit);

/* Kernels, in all of `tiles` tiles at once (rounded down to a power of two; the mesh's longer side
 * is halved first). No packet may be under way.
 *
 * Sorts the packets that rest, at most one per node, by their targets as numbers, along each tile's
 * snake: its first row from west to east, the second back. At most 4.2 m steps, m
 * the tile's side, for powers of two, and 5.8 m for other sides; two packets per node. */
enum meshcast_status meshcast_sort(struct meshcast_routing *routing, const char *name,
                                   uint64_t tiles);

/* Of value[node], one per node of the mesh, the combination of those before it in its tile's snake;
 * `identity` at the first. `combine` is associative, and need not commute. 2 m - 1 steps. */
enum meshcast_status meshcast_prefix(struct meshcast_routing *routing, const char *name,
                                     uint64_t tiles, uint64_t *value, uint64_t identity,
                                     uint64_t (*combine)(uint64_t before, uint64_t after));

/* Routes the packets that rest to their targets, in their own tiles; nodes send and receive at most
 * k each. k = 1: at most 2.93 m steps for powers of two, 3.16 m for other sides, and 12 packets per node,
 * whatever their targets; more: about k m / 2 + 2 m steps. The states of the packets are 0 before and
 * after. */
enum meshcast_status meshcast_route_packets(struct meshcast_routing *routing, const char *name,
                                            uint64_t tiles, uint32_t k);

/* ---- plugins ---- */

/* The one function of a plugin, which it defines and the library does not: sets *abi to MESHCAST_ABI, by
 * which a plugin that was built with a header of another number is found out, and returns the plan of its
 * router, which lives as long as the plugin. NULL: it has none to give. */
MESHCAST_PLUGIN const struct meshcast_router_plan *meshcast_plugin(uint32_t *abi);

/* Loads the shared object `path`, in which there is a slash, and makes the router of its plan. The caller
 * frees it by meshcast_router_free(), which unloads the object. A plugin runs with all rights of the
 * program; its runs pass the same checks as those of every router. MESHCAST_INPUT: it is no shared object
 * that can be loaded, has no such function, or was built for another MESHCAST_ABI. MESHCAST_USAGE: no
 * slash, its plan is none, or its router has the name of one of the table. MESHCAST_SYSTEM: the file cannot
 * be read, no memory. */
struct meshcast_router *meshcast_router_load(const char *path, struct meshcast_error *error);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
