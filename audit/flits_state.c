/* flits_state.c - what is where in a replayed network: pools and maps; how a replay fails.
 *
 * A map is a hash table with linear probing, at most half full. Cost: O(1) expected.
 */
#include "audit/flits_replay.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flits_entry {
    uint64_t high, low;
    uint32_t place; /* plus 1; 0: empty */
};

void flits_state_init(struct flits_state *state)
{
    *state = (struct flits_state){.is_out_of_memory = false};
    state->messages.size = sizeof(struct flits_message);
    state->holds.size = sizeof(struct flits_hold);
    state->worms.size = sizeof(struct flits_worm);
    state->parts.size = sizeof(struct flits_part);
    state->outputs.size = sizeof(struct flits_output);
    state->channels.size = sizeof(struct flits_channel_state);
    state->places.size = sizeof(struct flits_place);
}

void flits_state_free(struct flits_state *state)
{
    free(state->messages.item);
    free(state->holds.item);
    free(state->worms.item);
    free(state->parts.item);
    free(state->outputs.item);
    free(state->channels.item);
    free(state->places.item);
    free(state->message_map.entry);
    free(state->worm_map.entry);
    free(state->hold_map.entry);
    free(state->channel_map.entry);
    free(state->place_map.entry);
    flits_state_init(state);
}

uint32_t flits_add(struct flits_state *state, struct flits_pool *pool)
{
    void *item = pool->count + 1 == FLITS_NONE
                     ? NULL
                     : memory_grow(pool->item, &pool->room, pool->count + (size_t)1, pool->size);
    if (item == NULL) {
        state->is_out_of_memory = true;
        return FLITS_NONE;
    }
    pool->item = item;
    memset((char *)pool->item + pool->count * pool->size, 0, pool->size);
    return pool->count++;
}

static uint64_t mix(uint64_t high, uint64_t low)
{
    uint64_t hash = high * UINT64_C(0x9e3779b97f4a7c15) + low;
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 29;
}

/* Where the key is, or where it would be. The map has an empty entry. */
static struct flits_entry *entry_of(const struct flits_map *map, uint64_t high, uint64_t low)
{
    uint64_t i = mix(high, low);
    for (;; i++) {
        struct flits_entry *entry = &map->entry[i & (map->room - 1)];
        if (entry->place == 0 || (entry->high == high && entry->low == low))
            return entry;
    }
}

uint32_t flits_find(const struct flits_map *map, uint64_t high, uint64_t low)
{
    uint32_t place = map->room == 0 ? 0 : entry_of(map, high, low)->place;
    return place == 0 ? FLITS_NONE : place - 1;
}

static bool grow(struct flits_map *map)
{
    struct flits_map grown = {.count = map->count, .room = map->room == 0 ? 16 : 2 * map->room};
    grown.entry = grown.room == 0 ? NULL : memory_allocate(grown.room, sizeof *grown.entry);
    if (grown.entry == NULL)
        return false;
    for (uint32_t i = 0; i < map->room; i++)
        if (map->entry[i].place != 0)
            *entry_of(&grown, map->entry[i].high, map->entry[i].low) = map->entry[i];
    free(map->entry);
    *map = grown;
    return true;
}

uint32_t flits_find_or_add(struct flits_state *state, struct flits_map *map,
                           struct flits_pool *pool, uint64_t high, uint64_t low, bool *is_new)
{
    uint32_t place = flits_find(map, high, low);
    *is_new = place == FLITS_NONE;
    if (!*is_new)
        return place;
    if (2 * map->count >= map->room && !grow(map)) {
        state->is_out_of_memory = true;
        return FLITS_NONE;
    }
    place = flits_add(state, pool);
    if (place == FLITS_NONE)
        return place;
    *entry_of(map, high, low) = (struct flits_entry){high, low, place + 1};
    map->count++;
    return place;
}

/* ---- failures ---- */

enum failure_kind flits_broken(struct flits_replay *replay, const struct flits_line *line,
                               const char *rule, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail(replay->failure, FAIL_CHECK, "%s:%" PRIu64 ": rule %s: %s", replay->name,
                line->line, rule, text);
}

enum failure_kind flits_no_memory(struct flits_replay *replay)
{
    return fail_memory(replay->failure, "the audit's replay");
}
