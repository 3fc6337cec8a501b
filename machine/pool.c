/* pool.c - slots, and the algorithms' data per slot; arrays with an element per row or node.
 *
 * Packets that leave are in lists, one per number of slots, through their headers. Packets that
 * arrive use these first; usually about as many arrive as leave, so little is searched. On ranks
 * arrays have address space for twice the slots of the whole set, of which only the written part
 * uses memory. Slots that have gone are found again by their marks, in the order of their numbers,
 * cyclically. While they are few, no more than a share of all, unused slots are taken instead: so a
 * search passes over only a few slots, and that share is the room that is lost. Each thread counts
 * the slots that it has seen go, so no count is shared.
 * Cost: O(1) per slot that arrives or goes; it is marked in its header, which is in the cache when
 * it goes.
 */
#include "machine/pool.h"

#include "base/numbers.h"
#include "machine/machine_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A search looks at most at LOOKS slots per slot of a packet, and begins only if one of SHARE slots
 * has gone. */
enum { LOOKS = 128, SHARE = 16 };

bool pool_begin(struct pool *pool, const struct machine_config *config, bool is_split)
{
    enum { LEAST_VISITORS = 1 << 16 };
    *pool = (struct pool){.room = config->slots, .taken = config->slots, .own = config->slots};
    if (!is_split)
        return true;
    uint64_t room = 2 * (uint64_t)config->slots + LEAST_VISITORS;
    pool->room = (uint32_t)(room < MACHINE_NONE ? room : MACHINE_NONE);
    pool->taken = pool->own = config->own_slots;
    pool->gone = memory_allocate(config->threads, sizeof *pool->gone);
    pool->threads = config->threads;
    for (uint32_t i = 0; pool->gone != NULL && i < pool->threads; i++)
        memset(pool->gone[i].last, 0xff, sizeof pool->gone[i].last);
    return pool->gone != NULL;
}

void pool_drop(struct pool *pool, struct pool_gone *gone, uint32_t first, uint32_t last)
{
    if (gone == NULL)
        return;
    for (uint32_t slot = first; slot <= last; slot++) {
        assert(!pool->header[slot].is_gone);
        pool->header[slot].is_gone = true;
    }
    gone->marked += last + 1 - first;
}

void pool_trim(struct pool *pool)
{
    for (uint32_t i = 0; i < pool->threads; i++) {
        struct pool_gone *gone = &pool->gone[i];
        for (uint32_t slots = 1; gone->listed > pool->taken / SHARE / pool->threads; slots++) {
            uint32_t first;
            while ((first = pool_list_take(pool, gone, slots)) != MACHINE_NONE)
                pool_drop(pool, gone, first, first + slots - 1);
        }
    }
}

/* True if enough slots have gone to search for some. While those that are known are too few, the
 * threads are asked now and then, so that a packet costs one look at a thread's count. */
static bool has_gone(struct pool *pool)
{
    int64_t least = pool->taken / SHARE;
    if (pool->left >= least && pool->left > 0)
        return true;
    if (pool->takes++ % pool->threads != 0)
        return false;
    for (uint32_t i = 0; i < pool->threads; i++) {
        pool->left += pool->gone[i].marked;
        pool->gone[i].marked = 0;
    }
    return pool->left >= least && pool->left > 0;
}

/* Looks at `looks` slots, from the cursor on, for `slots` side by side that are marked; returns the
 * first. MACHINE_NONE: there are none. */
static uint32_t take_again(struct pool *pool, uint32_t slots, uint64_t looks)
{
    uint32_t slot = pool->cursor, run = 0;
    for (uint64_t i = 0; i < looks && run < slots; i++, slot++) {
        if (slot >= pool->taken)
            slot = run = 0;
        run = pool->header[slot].is_gone ? run + 1 : 0;
    }
    pool->cursor = slot;
    if (run < slots)
        return MACHINE_NONE;
    for (uint32_t i = 1; i <= slots; i++)
        pool->header[slot - i].is_gone = false;
    pool->left -= slots;
    return slot - slots;
}

/* Returns the first of `slots` slots that no packet has had; MACHINE_NONE: there is no room. */
static uint32_t take_behind(struct pool *pool, uint32_t slots)
{
    if (slots > pool->room - pool->taken)
        return MACHINE_NONE;
    pool->taken += slots;
    return pool->taken - slots;
}

uint32_t pool_take(struct pool *pool, uint32_t slots)
{
    uint32_t first = pool_list_take(pool, &pool->gone[0], slots);
    if (first != MACHINE_NONE)
        return first;
    if (has_gone(pool))
        first = take_again(pool, slots, (uint64_t)LOOKS * slots);
    if (first == MACHINE_NONE)
        first = take_behind(pool, slots);
    return first != MACHINE_NONE ? first : take_again(pool, slots, (uint64_t)pool->taken + slots);
}

/* Allocates memory; beyond the slots that are surely used, where reuse begins, it uses small
 * pages. */
void *pool_allocate(const struct pool *pool, size_t size)
{
    void *array = memory_allocate_sparse(pool->room, size);
    uint64_t likely = pool->own + (uint64_t)pool->own / SHARE;
    if (array == NULL || memory_expect_use(array, min_u64(likely, pool->room) * size))
        return array;
    free(array);
    return NULL;
}

bool pool_fill(struct pool *pool, struct pool_gone *gone, const uint32_t packets[POOL_LISTS])
{
    for (uint32_t slots = 1; slots <= POOL_LISTS; slots++) {
        while (gone->packets[slots - 1] < packets[slots - 1]) {
            uint32_t first = pool_take(pool, slots);
            if (first == MACHINE_NONE)
                return false;
            pool_list_add(pool, gone, first, first + slots - 1);
        }
    }
    return true;
}

void *machine_allocate_rows(const struct machine *machine, size_t of_row, size_t beside,
                            size_t size)
{
    size_t rows = machine->end_row - machine->first_row;
    char *array = memory_allocate_sparse(machine->config.mesh.rows * of_row + beside, size);
    if (array != NULL && !memory_expect_use(array + machine->first_row * of_row * size,
                                            (rows * of_row + beside) * size)) {
        free(array);
        return NULL;
    }
    return array;
}

void *machine_allocate_nodes(const struct machine *machine, size_t size)
{
    return machine_allocate_rows(machine, machine->config.mesh.cols, 0, size);
}

void *machine_slot_field(struct machine *machine, size_t size)
{
    struct pool *pool = &machine->pool;
    assert(pool->fields < POOL_FIELDS);
    struct slot_field *field = &pool->field[pool->fields];
    *field = (struct slot_field){pool_allocate(pool, size), size};
    if (field->array != NULL)
        pool->fields++;
    return field->array;
}

void machine_end_field(struct machine *machine, void *array)
{
    struct pool *pool = &machine->pool;
    for (uint32_t i = 0; array != NULL && i < pool->fields; i++) {
        if (pool->field[i].array != array)
            continue;
        free(array);
        pool->field[i] = pool->field[--pool->fields];
        return;
    }
    assert(array == NULL);
}

uint32_t machine_take_slots(struct machine *machine, uint32_t name, uint32_t slots)
{
    struct headers *header = &machine->header;
    if (!machine->is_split)
        return name;
    uint32_t first = pool_take(&machine->pool, slots);
    for (uint32_t i = 0; first != MACHINE_NONE && i < slots; i++) {
        header->packet[first + i] = (struct header){0};
        header->name[first + i] = name + 1 - slots + i;
    }
    return first == MACHINE_NONE ? MACHINE_NONE : first + slots - 1;
}

void machine_drop_slots(struct machine *machine, uint32_t packet, uint32_t slots)
{
    pool_drop(&machine->pool, &machine->pool.gone[0], packet + 1 - slots, packet);
}

void machine_set_cargo(struct machine *machine, const struct machine_cargo *cargo)
{
    machine->pool.cargo = cargo != NULL ? *cargo : (struct machine_cargo){0};
}

void pool_free(struct pool *pool)
{
    while (pool->fields > 0)
        free(pool->field[--pool->fields].array);
    free(pool->gone);
    pool->gone = NULL;
}
