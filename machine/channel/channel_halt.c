/* channel_halt.c - packets that are under way in bounded channels come to rest where they are.
 *
 * Nothing moves: a packet that waited in a channel, a register, or the slot for injection of a node rests at that
 * node from now on, responsible for what it has not delivered. All nodes do so by the clock, after a number of
 * steps that they know.
 *   Packets of a node come to rest in the order of their channels, those of one channel in their order there, then
 * those of the other sources. A packet that goes straight on is alone in its channel, in a slot that moves with it
 * (channel_bypass.c).
 * Cost: a look at each block of nodes that holds packets, O(1) a packet.
 */
#include "machine/channel/channel_step_private.h"

#include <assert.h>
#include <string.h>

struct halt {
    struct machine *machine;
    struct channels *channels;
    struct conveyor_view view;
    struct conveyor_line line[DIRECTIONS]; /* of the row at hand */
    uint64_t halted;                       /* packets that came to rest */
};

static void rest_word(struct halt *halt, struct site site, uint64_t word)
{
    machine_rest(halt->machine, site.index, (uint32_t)word);
    halt->halted++;
}

/* Brings the first packet of a source to rest, then those behind it. */
static void halt_source(struct halt *halt, struct site site, unsigned source)
{
    struct channels *channels = halt->channels;
    struct channel_block *block = block_of(channels, site);
    uint32_t i = site.col & (BLOCK - 1), behind = source < CHANNELS ? block->behind[source][i] : 0;
    uint64_t word[UINT8_MAX];
    word[0] = *front_of(channels, site, source);
    rest_word(halt, site, word[0]);
    if (behind == 0)
        return;
    channel_see_behind(channels, site, source, word);
    for (uint32_t k = 0; k < behind; k++)
        rest_word(halt, site, word[k]);
}

static bool is_in_slot(const struct halt *halt, struct site site, unsigned channel)
{
    enum direction d = (enum direction)(channel & 3);
    if (!conveyor_is_taken(halt->line, site, d))
        return false;
    bool is_class_1 = halt->line[d].mark[place_of_block(site)] & conveyor_bit(site);
    return is_class_1 == (channel >= 4);
}

static void halt_node(struct halt *halt, struct site site)
{
    struct channel_block *block = block_of(halt->channels, site);
    for (unsigned source = 0; source < SOURCES; source++) {
        if (source_taken(block, source) & conveyor_bit(site)) {
            halt_source(halt, site, source);
        } else if (source < CHANNELS && is_in_slot(halt, site, source)) {
            enum direction d = (enum direction)(source & 3);
            rest_word(halt, site, conveyor_clear(&halt->view, halt->line, site, d));
        }
    }
}

/* Returns the nodes of a block that hold packets under way. */
static uint64_t nodes_that_hold(const struct halt *halt, struct site first)
{
    const struct channel_block *block = block_of(halt->channels, first);
    uint64_t nodes = 0;
    for (unsigned left = block->holds; left != 0; left &= left - 1)
        nodes |= source_taken(block, (unsigned)__builtin_ctz(left));
    for (int d = 0; d < DIRECTIONS; d++)
        nodes |= halt->line[d].held[place_of_block(first)];
    return nodes;
}

static void halt_block(void *of_call, struct span span)
{
    struct halt *halt = of_call;
    struct channel_block *block = block_of(halt->channels, span.start);
    for (uint64_t nodes = nodes_that_hold(halt, span.start); nodes != 0; nodes &= nodes - 1)
        halt_node(halt, block_site(span.start, (unsigned)__builtin_ctzll(nodes)));
    memset(block->source, 0, sizeof block->source);
    memset(block->full, 0, sizeof block->full);
    memset(block->behind, 0, sizeof block->behind);
    memset(block->start, 0, sizeof block->start);
    block->holds = 0;
}

void machine_channel_halt(struct machine *machine)
{
    struct halt halt = {.machine = machine, .channels = machine->channels};
    if (halt.channels == NULL || machine->travelling == 0)
        return;
    halt.view = (struct conveyor_view){&halt.channels->bypass, halt.channels->clock};
    for (uint32_t row = machine->first_row; row < machine->end_row; row++) {
        conveyor_at_row(&halt.view, halt.line, row);
        for_blocks(machine, row, halt_block, &halt);
    }
    /* express packets are at their stops by then; what other ranks hold comes to rest there */
    assert(halt.halted == machine->travelling || machine->config.ranks != NULL);
    machine->resting += machine->travelling;
    machine->travelling = 0;
}
