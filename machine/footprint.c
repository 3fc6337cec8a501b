/* footprint.c - the memory of a machine: its own arrays, and those of the instructions that are used.
 *
 * Arrays in which packets may wait between calls stay until the machine is freed, so they add up.
 * Those of a march or a gathering are freed when it ends, so only the larger of the two counts.
 */
#include "machine/footprint_private.h"
#include "machine/header_private.h"
#include "machine/tally_private.h"

#include <stddef.h>

static const struct {
    unsigned uses; /* any of these */
    uint64_t (*footprint)(const struct machine_needs *needs);
    bool passes; /* freed when the instruction ends */
} PARTS[] = {
    {USE_FORWARD, forward_footprint, false}, {USE_CHANNELS, channel_footprint, false},
    {USE_WORDS, word_footprint, false},      {USE_PLANE, plane_footprint, false},
    {USE_MARCH, march_footprint, true},      {USE_GATHER, gather_footprint, true},
};

static uint64_t core_footprint(const struct machine_needs *needs)
{
    const struct machine *machine = NULL;
    uint64_t of_node = sizeof *machine->occupancy + sizeof *machine->resting_first +
                       sizeof *machine->resting_last + needs->discards;
    if (needs->has_input)
        of_node += sizeof *machine->input_first + sizeof *machine->input_last +
                   (needs->discards ? sizeof *machine->attempt.awaited : 0);
    uint64_t of_slot = sizeof *machine->next;
    return sizeof *machine + needs->threads * sizeof *machine->tally +
           needs_nodes(needs) * of_node + needs->slots * of_slot +
           headers_footprint(needs->slots, needs->has_names, !needs->is_on_ranks) +
           (needs->is_observed ? trace_footprint() : 0);
}

uint64_t machine_footprint(const struct machine_needs *needs)
{
    uint64_t bytes = core_footprint(needs), passing = 0;
    if (needs->aside_levels > 0)
        bytes += aside_footprint(needs);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        uint64_t part = needs->uses & PARTS[i].uses ? PARTS[i].footprint(needs) : 0;
        if (!PARTS[i].passes)
            bytes += part;
        else if (part > passing)
            passing = part;
    }
    return bytes + passing;
}
