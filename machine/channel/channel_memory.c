/* channel_memory.c - the arrays of machine_channel: made once, when packets first move; packets may then wait in
 * them between instructions.
 *
 * Cost: 64 (slots + spare) + 112 bytes per node, of which only those that are ever written take memory; 101 more once
 * there are express packets. 127 of them are for whole blocks, also where the last one of a row is not full.
 */
#include "machine/channel/channel_private.h"

#include <assert.h>
#include <stdlib.h>

/* Returns how many blocks are allocated before the first one, and as many behind the last one. */
static size_t blocks_around(const struct channels *channels)
{
    return channels->blocks + 1;
}

static void express_release(struct channels *channels)
{
    conveyor_free(&channels->express.conveyor);
    link_queues_free(&channels->express.queues);
}

static void channels_release(struct channels *channels)
{
    if (channels == NULL)
        return;
    free(channels->behind);
    conveyor_free(&channels->bypass);
    free(channels->block_memory);
    wave_tallies_free(&channels->counts);
    express_release(channels);
    free(channels);
}

void channels_free(struct machine *machine)
{
    channels_release(machine->channels);
    machine->channels = NULL;
}

static bool channels_allocate(struct machine *machine, struct channels *channels)
{
    size_t behind = channels->slots + channels->spare - 1;
    channels->blocks = blocks_of_row(machine);
    size_t around = blocks_around(channels);
    /* one more, so that blocks can begin with a line of the cache */
    channels->block_memory =
        machine_allocate_rows(machine, channels->blocks, 2 * around + 1, sizeof *channels->block);
    if (channels->block_memory != NULL) {
        struct channel_block *first = first_line(channels->block_memory);
        channels->block = first + around;
    }
    channels->behind =
        machine_allocate_nodes(machine, CHANNELS * behind * sizeof *channels->behind);
    return channels->block && channels->behind &&
           conveyor_allocate(machine, &channels->bypass, true) &&
           wave_tallies_allocate(machine, &channels->counts, WAVE_STEPS);
}

static enum failure_kind express_prepare(struct machine *machine, struct channels *channels,
                                         struct failure *failure)
{
    channels->has_express = conveyor_allocate(machine, &channels->express.conveyor, false) &&
                            link_queues_allocate(machine, &channels->express.queues, 1);
    if (channels->has_express)
        return FAIL_NONE;
    express_release(channels);
    return fail_memory(failure, "the express packets");
}

enum failure_kind channels_prepare(struct machine *machine, const struct channel_rule *rule,
                                   struct failure *failure)
{
    struct channels *channels = machine->channels;
    if (channels == NULL) {
        channels = memory_allocate(1, sizeof *channels);
        if (channels != NULL) {
            channels->slots = rule->slots;
            channels->spare = rule->spare;
        }
        if (channels == NULL || !channels_allocate(machine, channels)) {
            channels_release(channels);
            return fail_memory(failure, "the channels");
        }
        machine->channels = channels;
    }
    assert(channels->slots == rule->slots && channels->spare >= rule->spare);
    bool lacks_express = (rule->inject != NULL || rule->has_express) && !channels->has_express;
    return lacks_express ? express_prepare(machine, channels, failure) : FAIL_NONE;
}
