/* flits_state.c - the contents of a replayed network: pools and maps; failures of a replay.
 *
 * The value of a map (audit/tables.h) is an index in a pool, plus 1.
 */
#include "audit/flits_replay.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

uint32_t flits_find(const struct audit_map *map, uint64_t high, uint64_t low)
{
    const uint64_t *value = audit_map_find(map, high, low);
    return value == NULL ? FLITS_NONE : (uint32_t)(*value - 1);
}

uint32_t flits_find_or_add(struct flits_state *state, struct audit_map *map,
                           struct flits_pool *pool, uint64_t high, uint64_t low, bool *is_new)
{
    uint64_t *value = audit_map_add(map, high, low);
    *is_new = value != NULL && *value == 0;
    if (value == NULL)
        state->is_out_of_memory = true;
    if (!*is_new)
        return value == NULL ? FLITS_NONE : (uint32_t)(*value - 1);
    uint32_t place = flits_add(state, pool);
    if (place != FLITS_NONE)
        *value = place + UINT64_C(1);
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
