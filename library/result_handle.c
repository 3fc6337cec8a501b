/* result_handle.c - the results of runs as handles: figures are asked one by one, so that a later
 * version can have more of them without breaking a program that was built with this one.
 */
#include "library/handle_private.h"

#include <stdlib.h>

void meshcast_result_free(struct meshcast_result *result)
{
    if (result != NULL)
        result_clear(result);
    free(result);
}

uint64_t meshcast_result_figure(const struct meshcast_result *result, enum meshcast_figure figure)
{
    const struct router_result *inner = &result->result;
    switch (figure) {
    case MESHCAST_STEPS:
        return inner->steps;
    case MESHCAST_SYNC_STEPS:
        return inner->sync_steps;
    case MESHCAST_BUFFER_CAPACITY:
        return inner->buffer_capacity;
    case MESHCAST_BUFFER_PEAK:
        return inner->buffer_peak;
    case MESHCAST_BUFFER_PEAK_NODE:
        return inner->buffer_peak_node;
    case MESHCAST_BUFFER_PEAK_STEP:
        return inner->buffer_peak_step;
    case MESHCAST_PACKET_HOPS:
        return inner->packet_hops;
    case MESHCAST_WORD_HOPS:
        return inner->word_hops;
    case MESHCAST_COPIES:
        return inner->copies;
    case MESHCAST_DELIVERED:
        return inner->delivered;
    case MESHCAST_MISSING:
        return inner->missing;
    case MESHCAST_THREADS:
        return inner->threads;
    case MESHCAST_PROVEN_STEPS:
        return inner->proven_steps;
    }
    return 0;
}

double meshcast_result_wall_seconds(const struct meshcast_result *result)
{
    return result->result.wall_seconds;
}

const char *meshcast_result_peak_phase(const struct meshcast_result *result)
{
    return result->result.buffer_peak_phase;
}

const char *meshcast_result_ran_as(const struct meshcast_result *result)
{
    return result->result.ran_as;
}

uint32_t meshcast_result_phases(const struct meshcast_result *result)
{
    return result->result.phases;
}

const char *meshcast_result_phase(const struct meshcast_result *result, uint32_t index,
                                  uint64_t *steps)
{
    if (steps != NULL)
        *steps = result->result.phase[index].steps;
    return result->result.phase[index].name;
}

const uint64_t *meshcast_result_delivery_steps(const struct meshcast_result *result)
{
    return result->result.delivery_step;
}

const uint32_t *meshcast_result_node_peaks(const struct meshcast_result *result, uint64_t *nodes)
{
    *nodes = result->peak == NULL ? 0 : result->nodes;
    return result->peak;
}

const uint64_t *meshcast_result_link_loads(const struct meshcast_result *result, uint64_t *loads)
{
    *loads = result->load == NULL ? 0 : DIRECTIONS * result->nodes;
    return result->load;
}

const uint64_t *meshcast_result_timeline(const struct meshcast_result *result,
                                         enum meshcast_timeline_column column, uint64_t *rows)
{
    bool has = result->has_timeline && (unsigned)column < TIMELINE_COLUMNS;
    *rows = has ? result->rows : 0;
    return has ? result->timeline[column] : NULL;
}

uint32_t meshcast_result_foretold(const struct meshcast_result *result)
{
    return result->result.figures;
}

const char *meshcast_result_foretold_figure(const struct meshcast_result *result, uint32_t index,
                                            uint64_t *value)
{
    *value = result->result.figure[index].value;
    return result->result.figure[index].key;
}

uint32_t meshcast_result_parameters(const struct meshcast_result *result)
{
    return result->result.parameters;
}

const char *meshcast_result_parameter(const struct meshcast_result *result, uint32_t index,
                                      const char **value)
{
    if (value != NULL)
        *value = result->result.parameter[index].value;
    return result->result.parameter[index].name;
}

uint32_t meshcast_result_attempts(const struct meshcast_result *result)
{
    return result->result.attempts;
}

uint64_t meshcast_result_attempt(const struct meshcast_result *result, uint32_t index,
                                 enum meshcast_attempt_figure figure)
{
    const struct router_attempt *attempt = &result->result.attempt[index];
    switch (figure) {
    case MESHCAST_ATTEMPT_CONGESTION:
        return attempt->congestion;
    case MESHCAST_ATTEMPT_BUDGET:
        return attempt->budget;
    case MESHCAST_ATTEMPT_CAPACITY:
        return attempt->buffer_capacity;
    case MESHCAST_ATTEMPT_PEAK:
        return attempt->buffer_peak;
    case MESHCAST_ATTEMPT_STEPS:
        return attempt->steps;
    case MESHCAST_ATTEMPT_SYNC_STEPS:
        return attempt->sync_steps;
    case MESHCAST_ATTEMPT_DISCARDED:
        return attempt->discarded;
    case MESHCAST_ATTEMPT_STANDS:
        return attempt->stands;
    }
    return 0;
}
