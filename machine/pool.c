/* pool.c - slots, and what algorithms keep for each.
 *
 * On ranks arrays have address space for twice the slots of the whole set, of which only what is written takes memory.
 * Each thread counts the slots that have gone while it looked at them, page by page, so no count is shared.
 * Cost: O(1) a slot that comes or goes; it is marked in its header, which is in the cache when it goes.
 */
#include "machine/pool.h"

#include "machine/machine_private.h"

#include <assert.h>
#include <stdlib.h>

bool pool_begin(struct pool *pool, const struct machine_config *config)
{
    enum { LEAST_VISITORS = 1 << 16 };
    *pool = (struct pool){.room = config->slots, .taken = config->slots};
    if (ranks_size(config->ranks) == 1)
        return true;
    uint64_t room = 2 * (uint64_t)config->slots + LEAST_VISITORS;
    pool->room = (uint32_t)((room < MACHINE_NONE ? room : MACHINE_NONE) / POOL_PAGE * POOL_PAGE);
    pool->taken = (config->own_slots + POOL_PAGE - 1) / POOL_PAGE * POOL_PAGE;
    pool->next = config->own_slots; /* what is left of the last page of own messages */
    pool->end = pool->taken;
    pool->gone = memory_allocate(config->threads, sizeof *pool->gone);
    bool whole = pool->gone != NULL;
    for (; whole && pool->threads < config->threads; pool->threads++) {
        pool->gone[pool->threads] = memory_allocate(pool->room / POOL_PAGE, sizeof *pool->gone[0]);
        whole = pool->gone[pool->threads] != NULL;
    }
    return whole;
}

void pool_drop(struct pool *pool, uint32_t *gone, uint32_t first, uint32_t last)
{
    for (uint32_t slot = first; gone != NULL && slot <= last; slot++) {
        gone[slot / POOL_PAGE] += !pool->header[slot].is_gone;
        pool->header[slot].is_gone = true;
    }
}

/* Empties a page from which all slots have gone. False: some are still there. */
static bool page_empty(struct pool *pool, uint32_t page)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < pool->threads; i++)
        gone += pool->gone[i][page];
    if (gone < POOL_PAGE)
        return false;
    for (uint32_t i = 0; i < pool->threads; i++)
        pool->gone[i][page] = 0;
    for (uint32_t slot = page * POOL_PAGE; slot < (page + 1) * POOL_PAGE; slot++)
        pool->header[slot].is_gone = false;
    return true;
}

/* Returns the first slot of a page that is empty; MACHINE_NONE: some pages in turn were not. Pages empty about in the
 * order in which they were filled, so a few looks are enough. */
static uint32_t page_again(struct pool *pool)
{
    enum { LOOKS = 64 };
    for (uint32_t i = 0; i < LOOKS; i++) {
        uint32_t page = pool->cursor < pool->taken / POOL_PAGE ? pool->cursor : 0;
        pool->cursor = page + 1;
        if (page_empty(pool, page))
            return page * POOL_PAGE;
    }
    return MACHINE_NONE;
}

/* Returns the first slot of `pages` pages behind all others. */
static uint32_t pages_behind(struct pool *pool, uint32_t pages)
{
    uint32_t first = pool->taken;
    if (pages > (pool->room - pool->taken) / POOL_PAGE)
        return MACHINE_NONE;
    pool->taken += pages * POOL_PAGE;
    return first;
}

uint32_t pool_take(struct pool *pool, uint32_t slots)
{
    if (slots > pool->end - pool->next) {
        uint32_t pages = (uint32_t)(((uint64_t)slots + POOL_PAGE - 1) / POOL_PAGE);
        uint32_t first = pages == 1 ? page_again(pool) : MACHINE_NONE;
        if (first == MACHINE_NONE)
            first = pages_behind(pool, pages);
        if (first == MACHINE_NONE)
            return MACHINE_NONE;
        if (pool->next < pool->end)
            pool_drop(pool, pool->gone[0], pool->next, pool->end - 1);
        pool->next = first;
        pool->end = first + pages * POOL_PAGE;
    }
    pool->next += slots;
    return pool->next - slots;
}

void *machine_slot_field(struct machine *machine, size_t size)
{
    struct pool *pool = &machine->pool;
    assert(pool->fields < POOL_FIELDS);
    struct slot_field *field = &pool->field[pool->fields];
    *field = (struct slot_field){memory_allocate(pool->room, size), size};
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
    uint32_t first = pool_take(&machine->pool, slots);
    for (uint32_t i = 0; first != MACHINE_NONE && i < slots; i++) {
        header->name[first + i] = name + 1 - slots + i;
        header->slot_of_name[header->name[first + i]] = first + i;
    }
    return first == MACHINE_NONE ? MACHINE_NONE : first + slots - 1;
}

void machine_drop_slots(struct machine *machine, uint32_t packet, uint32_t slots)
{
    pool_drop(&machine->pool, machine->pool.gone[0], packet + 1 - slots, packet);
}

void machine_set_cargo(struct machine *machine, const struct machine_cargo *cargo)
{
    machine->pool.cargo = cargo != NULL ? *cargo : (struct machine_cargo){0};
}

void pool_free(struct pool *pool)
{
    while (pool->fields > 0)
        free(pool->field[--pool->fields].array);
    while (pool->threads > 0)
        free(pool->gone[--pool->threads]);
    free(pool->gone);
    pool->gone = NULL;
}
