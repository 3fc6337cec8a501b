/* glide_credit_bits.c - what a row's packets may do that credits hold, 64 nodes a word and several
 * words at once.
 *
 * Everything here is plain arithmetic on rows of words: who must leave its slot and who may enter it,
 * who finds others where it comes to, which channels are full at the end of a step, and where a
 * buffer may be fuller than all before. glide_credit.c does the rest, packet by packet.
 * Cost: some thirty operations on words for 64 nodes and step.
 */
#include "machine/glide_private.h"

struct credit_sight credit_sight_of(const struct glide *glide, const struct slot_line *line,
                                    uint32_t row, uint32_t block)
{
    const uint32_t ahead[DIRECTIONS] = {row - 1, row + 1, row, row};
    struct credit_sight sight = {.most = glide->most + (size_t)row * glide->slots.blocks + block};
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        sight.held[d] = line[d].held + block;
        sight.stops[d] = line[d].stops == NULL ? NULL : line[d].stops + block;
        sight.standing[d] = credit_bits(glide, row, CREDIT_STANDING, d) + block;
        sight.closed[d] = credit_bits(glide, row, CREDIT_CLOSED, d) + block;
        sight.tight[d] = credit_bits(glide, row, CREDIT_TIGHT, d) + block;
        sight.full[d] = credit_bits(glide, row, CREDIT_FULL, d) + block;
        sight.ahead[d] = credit_bits(glide, ahead[d], CREDIT_FULL, d) + block;
    }
    return sight;
}

/* ---- departures ---- */

/* `ahead` 0: the links lead to the same columns of another row; 1 or -1: to those beside. */
UNROLLED void look_ahead(const struct credit_sight *sight, struct credit_leaving *leaving,
                         enum direction d, int ahead, uint32_t count)
{
    const uint64_t *restrict held = sight->held[d], *restrict standing = sight->standing[d];
    const uint64_t *restrict full = sight->ahead[d];
    uint64_t *restrict halted = leaving->halted[d], *restrict ready = leaving->ready[d];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t shut = full[i];
        if (ahead < 0)
            shut = shut << 1 | full[(ptrdiff_t)i - 1] >> (BLOCK - 1);
        if (ahead > 0)
            shut = shut >> 1 | full[i + 1] << (BLOCK - 1);
        halted[i] = held[i] & shut;
        ready[i] = standing[i] & ~shut;
    }
}

VECTORISED static void find_leaving(const struct credit_sight *sight,
                                    struct credit_leaving *leaving, uint32_t count)
{
    look_ahead(sight, leaving, NORTH, 0, count);
    look_ahead(sight, leaving, SOUTH, 0, count);
    look_ahead(sight, leaving, WEST, -1, count);
    look_ahead(sight, leaving, EAST, 1, count);
    for (uint32_t i = 0; i < count; i++)
        leaving->odd[i] = leaving->halted[NORTH][i] | leaving->halted[SOUTH][i] |
                          leaving->halted[WEST][i] | leaving->halted[EAST][i] |
                          leaving->ready[NORTH][i] | leaving->ready[SOUTH][i] |
                          leaving->ready[WEST][i] | leaving->ready[EAST][i];
}

void credit_find_leaving(const struct credit_sight *sight, struct credit_leaving *leaving,
                         uint32_t count)
{
    find_leaving(sight, leaving, count);
}

/* ---- arrivals ---- */

VECTORISED static void find_coming(const struct credit_sight *sight, uint64_t *restrict odd,
                                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        odd[i] = sight->stops[NORTH][i] | sight->stops[SOUTH][i] | sight->stops[WEST][i] |
                 sight->stops[EAST][i] | (sight->held[NORTH][i] & sight->standing[NORTH][i]) |
                 (sight->held[SOUTH][i] & sight->standing[SOUTH][i]) |
                 (sight->held[WEST][i] & sight->standing[WEST][i]) |
                 (sight->held[EAST][i] & sight->standing[EAST][i]);
}

void credit_find_coming(const struct credit_sight *sight, uint64_t *odd, uint32_t count)
{
    find_coming(sight, odd, count);
}

/* ---- the end of a step ---- */

UNROLLED void find_full(const struct credit_sight *sight, enum direction d, uint32_t count)
{
    const uint64_t *restrict held = sight->held[d], *restrict closed = sight->closed[d];
    const uint64_t *restrict tight = sight->tight[d];
    uint64_t *restrict full = sight->full[d];
    for (uint32_t i = 0; i < count; i++)
        full[i] = closed[i] | (tight[i] & held[i]);
}

/* No node of a block holds more than `most` and its slots, as many as are taken at one node. */
VECTORISED static uint64_t end_step(const struct credit_sight *sight, uint64_t *restrict is_peak,
                                    uint64_t peak, uint32_t count)
{
    find_full(sight, NORTH, count);
    find_full(sight, SOUTH, count);
    find_full(sight, WEST, count);
    find_full(sight, EAST, count);
    const uint64_t *restrict norths = sight->held[NORTH], *restrict souths = sight->held[SOUTH];
    const uint64_t *restrict wests = sight->held[WEST], *restrict easts = sight->held[EAST];
    const uint32_t *restrict most = sight->most;
    uint64_t any = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t north = norths[i], south = souths[i], west = wests[i], east = easts[i];
        uint64_t rows = north | south, cols = west | east, two = north & south, both = west & east;
        uint64_t sum = most[i];
        sum += (rows | cols) != 0;
        sum += (two | both | (rows & cols)) != 0;
        sum += ((two & cols) | (both & rows)) != 0;
        sum += (two & both) != 0;
        is_peak[i] = sum > peak;
        any |= is_peak[i];
    }
    return any;
}

bool credit_end_step(const struct credit_sight *sight, uint64_t *is_peak, uint32_t peak,
                     uint32_t count)
{
    return end_step(sight, is_peak, peak, count) != 0;
}
