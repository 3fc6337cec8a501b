/* channel_bypass.c - packets of channels that go straight on.
 *
 * Of a hundred hops of a tree some ninety-five lead straight through a node whose channel is empty
 * (`stream`, uniform sets, 512 x 512). So the first packet of a channel that waits for the link
 * straight ahead is in a slot that moves with it (conveyor.c), and takes part in the arbitration for
 * that link (channel_arbiter.c) as a bit. If it gets the link it is at the next node without being
 * touched. If it does not, because the channel behind the link was full or another packet had
 * priority, it goes back from its slot into its channel. Every packet that takes a link enters the link's slot, so
 * after the departures of a step the packets in slots are those that cross links.
 *
 * A link brings one packet, so one slot is enough for both classes; a mark that moves with it tells
 * the class. channel_conveyor.c says what departures and arrivals read and write.
 * Cost: a hop is a sixty-fourth of some operations on words; O(1) where a packet stops, stays
 * or meets others.
 */
#include "machine/channel/channel_conveyor_private.h"
#include "machine/channel/channel_step_private.h"

/* ---- departures ---- */

void bypass_fetch(const struct channel_worker *worker, struct site first, enum direction d,
                  uint64_t nodes)
{
    const struct worker_conveyor *conveyor = &worker->bypass;
    fetch_has_effect();
    for (; nodes != 0; nodes &= nodes - 1) {
        uint32_t col = first.col + (unsigned)__builtin_ctzll(nodes);
        __builtin_prefetch(
            &conveyor->leaving[d].word[conveyor_place(&conveyor->leaving_view, d, col)]);
    }
}

void bypass_stay(struct channel_worker *worker, struct site first, enum direction d, uint64_t nodes)
{
    const struct worker_conveyor *conveyor = &worker->bypass;
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint64_t word = conveyor_clear(&conveyor->leaving_view, conveyor->leaving, site, d);
        worker->machine->occupancy[site.index]++;
        source_set(worker, site, 4 * word_class(word) + d, word);
    }
}

/* ---- arrivals ---- */

static uint64_t leave_slot(struct channel_worker *worker, struct site site, enum direction d)
{
    worker->machine->occupancy[site.index]++;
    return conveyor_clear(&worker->bypass.coming_view, worker->bypass.coming, site, d);
}

static void stop_at(struct channel_worker *worker, struct site first, enum direction d,
                    uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint64_t word = leave_slot(worker, site, d);
        unsigned channel = 4 * word_class(word) + d;
        word = channel_settle(worker, ARRIVALS, site, (uint32_t)word);
        if (word != 0)
            channel_push(worker, site, channel, word);
    }
}

static void go_behind(struct channel_worker *worker, struct site first, enum direction d,
                      unsigned channel, uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        channel_push(worker, site, channel, leave_slot(worker, site, d));
    }
}

/* Fetches, for all packets that stop at a block, the memory that the rule reads. */
static void fetch_for_rule(const struct channel_worker *worker, struct site first)
{
    const struct routing_rule *rule = &worker->rule->routing;
    const struct worker_conveyor *conveyor = &worker->bypass;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t nodes = conveyor->coming[d].stops[place_of_block(first)];
        for (; nodes != 0; nodes &= nodes - 1) {
            struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
            rule->fetch(rule->context,
                        (uint32_t)conveyor_word(&conveyor->coming_view, conveyor->coming, site, d));
        }
    }
}

void bypass_arrive(struct channel_worker *worker, struct span span)
{
    if (worker->rule->routing.fetch != NULL)
        fetch_for_rule(worker, span.start);
    struct channel_block *block = block_of(worker->channels, span.start);
    uint32_t place = place_of_block(span.start);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct conveyor_line *line = &worker->bypass.coming[d];
        uint64_t stops = line->stops[place];
        if (line->held[place] == 0)
            continue;
        block->is_busy = true;
        line->stops[place] = 0;
        stop_at(worker, span.start, d, stops);
        for (unsigned class = 0; class < 2; class ++) {
            unsigned channel = 4 * class + d;
            if (block->holds >> channel & 1)
                go_behind(worker, span.start, d, channel,
                          bypass_of(line, place, class) & source_taken(block, channel));
        }
    }
}

void bypass_fetch_coming(const struct channel_worker *worker, struct site first)
{
    const struct worker_conveyor *conveyor = &worker->bypass;
    const struct channel_block *block = block_of(worker->channels, first);
    fetch_has_effect();
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t nodes = conveyor->coming[d].stops[place_of_block(first)];
        for (; nodes != 0; nodes &= nodes - 1) {
            unsigned i = (unsigned)__builtin_ctzll(nodes);
            uint64_t word =
                conveyor_word(&conveyor->coming_view, conveyor->coming, block_site(first, i), d);
            header_fetch(worker->machine, (uint32_t)word);
            expected_fetch(worker->machine->config.expected, first.index + i);
            __builtin_prefetch(&block->front[4 * word_class(word) + d][i], 1);
        }
    }
}
