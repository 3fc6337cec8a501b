/* pool.h - the slots of a machine: those of its own messages, and on ranks those of packets that
 * visit it.
 *
 * Slots are numbered from 0; a rank's own messages have the first ones. A packet that arrives from
 * another rank gets consecutive slots that have gone, or that no packet has had yet. Algorithms'
 * data per slot are a field: its elements go with the packet.
 *
 * A slot goes when it is delivered, when its packet is discarded, and when its packet leaves for
 * another rank: once, and no packet has it any more. The slots of a packet that leaves are for the
 * next arriving packet of equal size, since they are in the cache; all other slots that go are
 * marked, and found by their marks.
 */
#ifndef MESHCAST_MACHINE_POOL_H
#define MESHCAST_MACHINE_POOL_H

#include "machine/header.h"

#include <stdbool.h>

struct machine;
struct machine_config;

enum { POOL_FIELDS = 16 };

struct slot_field {
    char *array;
    size_t size; /* of an element, in bytes */
};

/* The cargo of packets beside their slots, in the algorithm's table. Both functions are called by
 * one thread while the others wait. */
struct machine_cargo {
    void *context;
    /* Returns the cargo of `packet`, which is on a link to another rank: *bytes bytes, which live
     * until the next call. */
    const void *(*show)(void *context, uint32_t packet, size_t *bytes);
    /* Keeps the cargo of `packet`, which has arrived from another rank; it need not be aligned.
     * False: no memory. */
    bool (*keep)(void *context, uint32_t packet, const void *cargo, size_t bytes);
};

/* The slots of packets that leave are kept in lists, one per number of slots 1 .. POOL_LISTS; of
 * larger packets each slot is marked. */
enum { POOL_LISTS = 15 };

/* The slots that a thread has seen go: two cache lines, so that two threads seldom write to one. */
struct pool_gone {
    uint32_t marked;              /* slots, since pool_take() asked */
    uint32_t listed;              /* slots in all lists */
    uint32_t packets[POOL_LISTS]; /* [slots - 1]: in the list */
    /* [slots - 1]: the first slot of the packet that was added last; the header there has that of
     * the one added before as its `first`. MACHINE_NONE: there is none. */
    uint32_t last[POOL_LISTS];
};

struct pool {
    uint32_t room;  /* slots that arrays have room for */
    uint32_t own;   /* slots 0 .. own - 1 are those of this machine's messages */
    uint32_t taken; /* slots 0 .. taken - 1 are or were in use */
    /* On ranks: */
    uint32_t cursor; /* where the search for slots that have gone continues */
    /* Marked slots, as far as threads were asked. */
    int64_t left;
    uint32_t takes; /* packets that arrived while these were few */
    uint32_t threads;
    struct pool_gone *gone; /* [thread] */
    struct header *header;  /* [slot], the machine's: marks the slots that have gone */
    uint32_t fields;
    struct slot_field field[POOL_FIELDS];
    struct machine_cargo cargo; /* of NULLs: none */
};

/* Returns a new array with an element of `size` bytes for each slot that the machine can hold, all
 * zero, whose elements go with packets to other ranks. It is the machine's, until
 * machine_end_field() or the machine is freed. NULL: no memory. At most POOL_FIELDS at once. */
void *machine_slot_field(struct machine *machine, size_t size);
/* Frees the array; NULL has no effect. */
void machine_end_field(struct machine *machine, void *array);

/* Sets the cargo of packets that go to other ranks, which is copied; NULL: none. */
void machine_set_cargo(struct machine *machine, const struct machine_cargo *cargo);

/* Takes slots for a packet of `slots` slots and this name that is to be made at a node of this
 * machine, and names them; a router sets all else. Without ranks they are those that the name says.
 * For one thread, while the others wait. Returns the packet; MACHINE_NONE: no room. */
uint32_t machine_take_slots(struct machine *machine, uint32_t name, uint32_t slots);
/* Gives up the slots of machine_take_slots() from which no packet was made. */
void machine_drop_slots(struct machine *machine, uint32_t packet, uint32_t slots);

/* ---- for machine/ ---- */

/* Finds the number of slots that the machine's arrays have room for; the caller that makes the
 * headers then sets pool->header. False: no memory; pool_free() frees what was made. */
bool pool_begin(struct pool *pool, const struct machine_config *config, bool is_split);
void pool_free(struct pool *pool);
/* Returns a new array with an element per slot that there is room for, all zero; elements of unused
 * slots use no memory. The caller frees it. NULL: no memory. */
void *pool_allocate(const struct pool *pool, size_t size);
/* Takes `slots` consecutive slots, and returns the first; MACHINE_NONE: no room. */
uint32_t pool_take(struct pool *pool, uint32_t slots);

/* On ranks, gives up the slots first .. last, which have not gone before, for good; `gone` is the
 * thread's, NULL without ranks. */
void pool_drop(struct pool *pool, struct pool_gone *gone, uint32_t first, uint32_t last);
/* Takes slots until a thread's lists have packets[slots - 1] packets of `slots` slots each. False:
 * there is no room. For one thread, while the others wait. */
bool pool_fill(struct pool *pool, struct pool_gone *gone, const uint32_t packets[POOL_LISTS]);
/* Marks the slots in lists, if they are more than a share of all. For one thread, while the others
 * wait. */
void pool_trim(struct pool *pool);

/* Does the same as pool_drop() for all slots of a packet that leaves for another rank: adds them to
 * the thread's list of that size, if there is one. */
static inline void pool_list_add(struct pool *pool, struct pool_gone *gone, uint32_t first,
                                 uint32_t last)
{
    uint32_t slots = last + 1 - first;
    if (slots > POOL_LISTS) {
        pool_drop(pool, gone, first, last);
        return;
    }
    pool->header[first].first = gone->last[slots - 1];
    gone->last[slots - 1] = first;
    gone->packets[slots - 1]++;
    gone->listed += slots;
}

/* Takes the slots of the packet that was added last to the thread's list of that size, and returns
 * the first; MACHINE_NONE: none. */
static inline uint32_t pool_list_take(struct pool *pool, struct pool_gone *gone, uint32_t slots)
{
    uint32_t first = slots <= POOL_LISTS ? gone->last[slots - 1] : MACHINE_NONE;
    if (first == MACHINE_NONE)
        return MACHINE_NONE;
    uint32_t before = pool->header[first].first;
    if (before != MACHINE_NONE)
        __builtin_prefetch(&pool->header[before], 1);
    gone->last[slots - 1] = before;
    gone->packets[slots - 1]--;
    gone->listed -= slots;
    return first;
}

#endif
