/* channel_border.c - what machine_channel exchanges with the ranks before and behind (machine/ranks/border.h).
 *
 * Before departures a rank is told which channels of the rows beside its own were full at the end of the last step. That
 * is written into the blocks of those rows, as if they were the rank's. Before arrivals packets in slots move on to the
 * rows of other ranks (conveyor.h). So departures and arrivals at a border are those of all other rows.
 * Cost: a step has two messages a border: 16 bytes for each block of a row, and 16 or, with express packets, 24 bytes
 * for each and the packets that cross.
 */
#include "machine/channel/channel_step_private.h"
#include "machine/ranks/border.h"

/* The row of this rank at the border that link `d` crosses, and the row behind that border. */
static uint32_t row_before(const struct machine *machine, enum direction d)
{
    return d == NORTH ? machine->first_row : machine->end_row - 1;
}

static uint32_t row_behind(const struct machine *machine, enum direction d)
{
    return d == NORTH ? machine->first_row - 1 : machine->end_row;
}

static struct channel_block *blocks_of(const struct channels *channels, uint32_t row)
{
    return &channels->block[(size_t)row * channels->blocks];
}

/* ---- credits ---- */

/* Tells the rank behind the border in direction `d` which of the channels that its packets enter are full, .. */
static void put_full(struct channel_worker *worker, enum direction d)
{
    const struct channels *channels = worker->channels;
    struct machine *machine = worker->machine;
    enum direction travel = direction_opposite(d);
    const struct channel_block *block = blocks_of(channels, row_before(machine, d));
    for (uint32_t i = 0; i < channels->blocks; i++) {
        uint64_t full[2] = {block[i].full[travel], block[i].full[4 + travel]};
        border_put(machine, border_side(d), full, sizeof full);
    }
}

/* .. and notes what that rank tells of the channels that this rank's packets enter. */
static void get_full(struct channel_worker *worker, enum direction d)
{
    const struct channels *channels = worker->channels;
    struct machine *machine = worker->machine;
    struct channel_block *block = blocks_of(channels, row_behind(machine, d));
    for (uint32_t i = 0; i < channels->blocks; i++) {
        uint64_t full[2];
        border_get(machine, border_side(d), full, sizeof full);
        block[i].full[d] = full[0];
        block[i].full[4 + d] = full[1];
    }
}

/* ---- a step ---- */

void border_before_departures(struct channel_worker *worker)
{
    struct machine *machine = worker->machine;
    for (enum direction d = NORTH; d <= SOUTH; d++)
        if (border_has(machine, border_side(d)))
            put_full(worker, d);
    border_exchange(machine);
    for (enum direction d = NORTH; d <= SOUTH; d++)
        if (border_has(machine, border_side(d)))
            get_full(worker, d);
}

void border_before_arrivals(struct channel_worker *worker, const struct team *team)
{
    struct machine *machine = worker->machine;
    conveyor_put_border(machine, &worker->bypass.leaving_view, team->rank);
    if (worker->has_express)
        conveyor_put_border(machine, &worker->express.leaving_view, team->rank);
    border_exchange_together(machine, team);
    conveyor_get_border(machine, &worker->bypass.coming_view, team->rank);
    if (worker->has_express)
        conveyor_get_border(machine, &worker->express.coming_view, team->rank);
}
