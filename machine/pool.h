/* pool.h - the slots of a machine: those of its own messages, and on ranks those of packets that visit it.
 *
 * Slots are numbered from 0; a rank's own messages have the first ones. A packet that comes from another rank gets
 * slots side by side that have gone, or that no packet has had yet. What algorithms keep for each slot is a field:
 * its elements go with the packet.
 *
 * A slot goes when it is delivered, when its packet is discarded, and when its packet leaves for another rank: once, and
 * no packet has it any more.
 */
#ifndef MESHCAST_MACHINE_POOL_H
#define MESHCAST_MACHINE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct header;
struct machine;
struct machine_config;

enum { POOL_FIELDS = 16 };

struct slot_field {
    char *array;
    size_t size; /* of an element, in bytes */
};

/* What packets carry beside their slots, in a table of the algorithm's. Both functions are called by one thread while
 * the others wait. */
struct machine_cargo {
    void *context;
    /* Returns what `packet`, which is on a link to another rank, carries: *bytes bytes, which live until the next call. */
    const void *(*show)(void *context, uint32_t packet, size_t *bytes);
    /* Keeps what `packet`, which has come from another rank, carries; it need not be aligned. False: no memory. */
    bool (*keep)(void *context, uint32_t packet, const void *cargo, size_t bytes);
};

/* The slots that have gone while a thread looked at them; on a line of the cache of its own. */
struct pool_count {
    uint32_t slots;
    char apart[60];
};

struct pool {
    uint32_t room;  /* slots that arrays have room for */
    uint32_t own;   /* slots 0 .. own - 1 are those of this machine's messages */
    uint32_t taken; /* slots 0 .. taken - 1 are or were in use */
    /* On ranks: */
    uint32_t cursor; /* where to look for slots that have gone next */
    int64_t
        left; /* slots that have gone and that no packet got since, so far as threads were asked */
    uint32_t takes; /* packets that came while these were few */
    uint32_t threads;
    struct pool_count *gone; /* [thread] */
    struct header *header;   /* [slot], the machine's: marks the slots that have gone */
    uint32_t fields;
    struct slot_field field[POOL_FIELDS];
    struct machine_cargo cargo; /* of NULLs: none */
};

/* Returns a new array with an element of `size` bytes for each slot that the machine can hold, all zero, whose elements
 * go with packets to other ranks. It is the machine's, until machine_end_field() or the machine is freed.
 * NULL: no memory. At most POOL_FIELDS at once. */
void *machine_slot_field(struct machine *machine, size_t size);
/* Frees the array; NULL has no effect. */
void machine_end_field(struct machine *machine, void *array);

/* From now on packets that go to other ranks carry the cargo, which is copied; NULL: they carry none. */
void machine_set_cargo(struct machine *machine, const struct machine_cargo *cargo);

/* On ranks, takes slots for a packet of `slots` slots and this name that is to be made at a node of this rank, and names
 * them; a router sets all else. For one thread, while the others wait. Returns the packet; MACHINE_NONE: no room. */
uint32_t machine_take_slots(struct machine *machine, uint32_t name, uint32_t slots);
/* Gives up the slots of machine_take_slots() from which no packet was made. */
void machine_drop_slots(struct machine *machine, uint32_t packet, uint32_t slots);

/* ---- for machine/ ---- */

/* Finds how many slots the machine's arrays have room for; whoever makes the headers then sets pool->header. False: no
 * memory; pool_free() frees what was made. */
bool pool_begin(struct pool *pool, const struct machine_config *config);
void pool_free(struct pool *pool);
/* Returns a new array with an element for each slot that there is room for, all zero, of which those that no packet gets
 * take no memory. The caller frees it. NULL: no memory. */
void *pool_allocate(const struct pool *pool, size_t size);
/* Takes `slots` slots side by side, and returns the first; MACHINE_NONE: there is no room. */
uint32_t pool_take(struct pool *pool, uint32_t slots);

/* On ranks, gives up the slots first .. last, which have not gone before, for good; `gone` is the thread's, NULL alone. */
void pool_drop(struct pool *pool, struct pool_count *gone, uint32_t first, uint32_t last);

#endif
