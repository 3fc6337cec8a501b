/* pool.c - slots, and what algorithms keep for each.
 *
 * On ranks arrays have address space for twice the slots of the whole set, of which only what is written takes memory.
 */
#include "machine/pool.h"

#include "machine/machine_private.h"

#include <assert.h>
#include <stdlib.h>

void pool_begin(struct machine *machine)
{
    enum { LEAST_VISITORS = 1 << 16 };
    const struct machine_config *config = &machine->config;
    bool is_alone = ranks_size(config->ranks) == 1;
    uint64_t room = is_alone ? config->slots : 2 * (uint64_t)config->slots + LEAST_VISITORS;
    machine->pool.taken = is_alone ? config->slots : config->own_slots;
    machine->pool.room = room < MACHINE_NONE ? (uint32_t)room : MACHINE_NONE;
}

uint32_t pool_take(struct machine *machine, uint32_t slots)
{
    struct pool *pool = &machine->pool;
    if (slots > pool->room - pool->taken)
        return MACHINE_NONE;
    pool->taken += slots;
    return pool->taken - slots;
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

void machine_set_cargo(struct machine *machine, const struct machine_cargo *cargo)
{
    machine->pool.cargo = cargo != NULL ? *cargo : (struct machine_cargo){0};
}

void pool_free(struct machine *machine)
{
    struct pool *pool = &machine->pool;
    while (pool->fields > 0)
        free(pool->field[--pool->fields].array);
}
