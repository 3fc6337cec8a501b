/* meshcast_own_router.h - routers of the caller's own on the machine of meshcast, for programs and
 * as plugins.
 *
 * A router is a program of the machine's instructions: meshcast_start() makes the machine and puts
 * each message into it, the instructions below move packets. doc/own_router_example.c is a whole
 * program. The error, ownership and thread rules are in meshcast.h.
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

/* Goes before the function of a plugin, which is then found whatever the compiler's flags are. */
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

/* A parameter: one of `choices` (words separated by blanks), or with high > 0 a whole number low ..
 * high, or either. */
struct meshcast_parameter {
    const char *name, *standard; /* the value when none is given */
    uint32_t low, high;
    const char *choices; /* NULL: only numbers */
};

/* The definition of a router. `route` calls meshcast_start(), then the instructions below. It
 * returns the status of the one that failed, or MESHCAST_OK. Several runs may be under way at a
 * time, so each must own what it changes. */
struct meshcast_router_plan {
    const char *name, *summary;
    const char *parameters_help;                /* a line each, or NULL */
    const struct meshcast_parameter *parameter; /* [parameters] */
    uint32_t parameters;                        /* at most 16 */
    enum meshcast_status (*route)(void *context, struct meshcast_routing *routing);
    void *context; /* the caller's */
    /* True if sets in which a node sends several messages are accepted; else they are refused with
     * MESHCAST_USAGE. */
    bool takes_many;
};
/* Makes a router for meshcast_command_give_router(); the plan is copied, except for what `context`
 * points to. MESHCAST_USAGE: no route; a name that is not 1 to 63 letters, digits, '-', '_' and
 * '.'; a parameter whose standard is not one of its values. MESHCAST_SYSTEM: no memory. */
struct meshcast_router *meshcast_router_new(const struct meshcast_router_plan *plan,
                                            struct meshcast_error *error);
void meshcast_router_free(struct meshcast_router *router);

/* The knowledge that every node has of the run. */
struct meshcast_known {
    uint32_t rows, cols, degree, congestion;
    uint64_t seed;
    uint32_t buffer; /* the capacity that the user asked for; 0: none */
    bool copies_are_free;
    uint32_t messages_per_node; /* l: the most messages per node */
};
struct meshcast_known meshcast_known(const struct meshcast_routing *routing);

/* Returns the value of a parameter of the plan: a number, or the index of a choice. If both are
 * accepted, choices follow the numbers: high + 1 + index. */
uint32_t meshcast_parameter(const struct meshcast_routing *routing, const char *name);

/* Returns a pseudo-random number, a function of (seed, stream, index) only: a node's random
 * draw. */
uint32_t meshcast_random(const struct meshcast_routing *routing, uint64_t stream, uint64_t index);

/* Fails with the text and the status, MESHCAST_USAGE or MESHCAST_CHECK; `route` then returns the
 * result. */
enum meshcast_status meshcast_refuse(struct meshcast_routing *routing, enum meshcast_status status,
                                     const char *text);

/* Step 0: makes a machine whose nodes hold at most `capacity` packets (0: any number; a smaller
 * capacity of the user's prevails). Puts each message into it as one packet at rest at its source,
 * with a slot per destination. The messages of a source all rest there, and use room in its buffer.
 * Called once, before everything below. */
enum meshcast_status meshcast_start(struct meshcast_routing *routing, uint32_t capacity);

/* Packets. A packet stands for the destination slots first .. packet, all of one message, and is
 * named by the last; other numbers name none. A function of a rule may read and change only packets
 * at its own site. Between instructions the program may do only what each node could do by itself
 * with the packets that rest there; doc/model.md says what nodes know. */
#define MESHCAST_NONE UINT32_MAX

struct meshcast_site {
    uint32_t node, row, col;
};

uint32_t meshcast_packet_first(const struct meshcast_routing *routing, uint32_t packet);
/* Return the node that slot `slot` is a delivery to; the source of its message; the message's
 * number in the set, as meshcast_set_message() counts. */
struct meshcast_site meshcast_slot_destination(const struct meshcast_routing *routing,
                                               uint32_t slot);
uint32_t meshcast_slot_source(const struct meshcast_routing *routing, uint32_t slot);
uint32_t meshcast_slot_message(const struct meshcast_routing *routing, uint32_t slot);
/* Exchanges two slots of the packet. */
void meshcast_slots_swap(struct meshcast_routing *routing, uint32_t packet, uint32_t slot,
                         uint32_t other);
/* Only in a rule's take(): gives the first `count` slots, at least 1 and not all, to a new packet
 * with the same fields, and returns its name. */
uint32_t meshcast_packet_split(struct meshcast_routing *routing, uint32_t packet, uint32_t count);
/* Two fields for the router's own use, initially 0: a node, and 8 bits. */
uint32_t meshcast_packet_target(const struct meshcast_routing *routing, uint32_t packet);
void meshcast_packet_set_target(struct meshcast_routing *routing, uint32_t packet, uint32_t node);
uint8_t meshcast_packet_state(const struct meshcast_routing *routing, uint32_t packet);
void meshcast_packet_set_state(struct meshcast_routing *routing, uint32_t packet, uint8_t state);
/* Return the packets that rest at a node, oldest first, then MESHCAST_NONE; none at nodes of other
 * ranks (doc/ranks.md). */
uint32_t meshcast_first_resting(const struct meshcast_routing *routing, uint32_t node);
uint32_t meshcast_next_resting(const struct meshcast_routing *routing, uint32_t packet);

/* Parts into which a packet splits where it stops: copies over links, a delivery, one that rests
 * until the next instruction, one that is looked at again in the next step (never the only part).
 * Each part but the last is a copy. */
enum meshcast_part {
    MESHCAST_NORTH = 1,
    MESHCAST_SOUTH = 2,
    MESHCAST_WEST = 4,
    MESHCAST_EAST = 8,
    MESHCAST_DELIVER = 16,
    MESHCAST_AGAIN = 32,
    MESHCAST_PARK = 64,
};

/* The router's decisions where a packet stops. The functions are called by several threads at once,
 * for different nodes, and may not call instructions. A rule that breaks these conditions ends the
 * run with MESHCAST_CHECK. */
struct meshcast_rule {
    void *context;
    /* Returns the parts of `packet` at `site`: not empty; links only of the mesh; MESHCAST_DELIVER
     * only if the packet has a slot for this node; the same answer until a part is taken. */
    unsigned (*parts)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                      uint32_t packet);
    /* Splits `part` off the packet, which keeps at least one slot (meshcast_packet_split), and
     * returns the packet that carries it. For MESHCAST_DELIVER that packet has one slot, this
     * node's. NULL: packets never have more than one part. */
    uint32_t (*take)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part);
    /* Returns where `packet`, leaving over the link `part`, is looked at next: a column for WEST
     * and EAST, a row for NORTH and SOUTH, on that side of the site. In between it goes straight
     * on. */
    uint32_t (*stop)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part);
    /* Returns how urgent it is on its way there, 0 .. 131071: a link's queue sends the most urgent
     * first, equal ones in order of arrival. NULL: all are equal. */
    uint32_t (*urgency)(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                        uint32_t packet, enum meshcast_part part);
};

/* Instructions. All begin with the packets that rest, about which `parts` is asked. Each link has a
 * queue, bounded only by the capacity. A phase is named `name` (printable ASCII, of which 63
 * characters count).
 *
 * meshcast_forward_for() forwards for exactly `steps` steps, at most 2^40, which every node
 * computes beforehand; packets may still be under way at the end.
 *
 * meshcast_forward_in_rounds() forwards in as many rounds of known lengths as are needed, each
 * followed by a synchronisation of 2 floor(rows / 2) + 2 floor(cols / 2) steps, until no packet is
 * under way.
 *
 * meshcast_forward_last() forwards until nothing is under way. It is the last phase of a run, since
 * no node could know that it is over. After `limit` steps it ends as it is, and the check finds
 * what is missing. */
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
 * snake: its first row from west to east, its second from east to west. At most 4.2 m steps, where
 * m is the tile's side, for powers of two, and 5.8 m for other sides; two packets per node. */
enum meshcast_status meshcast_sort(struct meshcast_routing *routing, const char *name,
                                   uint64_t tiles);

/* Replaces value[node], one per node of the mesh, by the combination of the values before it in its
 * tile's snake; the first becomes `identity`. `combine` is associative, and need not commute.
 * 2 m - 1 steps. */
enum meshcast_status meshcast_prefix(struct meshcast_routing *routing, const char *name,
                                     uint64_t tiles, uint64_t *value, uint64_t identity,
                                     uint64_t (*combine)(uint64_t before, uint64_t after));

/* Routes the packets that rest to their targets, in their own tiles; each node sends and receives
 * at most k. k = 1: at most 2.93 m steps for powers of two, 3.16 m for other sides, and 12 packets
 * per node, for all targets. k > 1: about k m / 2 + 2 m steps. The states of the packets are 0
 * before and after. */
enum meshcast_status meshcast_route_packets(struct meshcast_routing *routing, const char *name,
                                            uint64_t tiles, uint32_t k);

/* ---- plugins ---- */

/* The one function of a plugin, defined by the plugin, not by the library. It sets *abi to
 * MESHCAST_ABI, which exposes a plugin that was built with a header of another number. It returns
 * the plan of its router, which lives as long as the plugin; NULL: it has no router. */
MESHCAST_PLUGIN const struct meshcast_router_plan *meshcast_plugin(uint32_t *abi);

/* Loads the shared object `path`, which must have a slash, and makes the router of its plan. The
 * caller frees it by meshcast_router_free(), which unloads the object. A plugin runs with all
 * rights of the program; its runs pass the same checks as those of every router. MESHCAST_INPUT:
 * the file cannot be loaded as a shared object, has no such function, or was built for another
 * MESHCAST_ABI. MESHCAST_USAGE: `path` has no slash, the plan is not valid, or the router has the
 * name of one of the table. MESHCAST_SYSTEM: the file cannot be read, or no memory. */
struct meshcast_router *meshcast_router_load(const char *path, struct meshcast_error *error);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
