/* unicast_spread.c - (k,k)-routing with O(k) buffers: random lines nearby, packets in waves.
 *
 * A packet makes three legs. Row-first ones: along their column to a random row of the strip that
 * holds them, a quarter of the tile's rows; along that row to the target's column; along that. The
 * others with rows and columns exchanged; half of the packets are of either kind, by the parity of
 * node and number. So the packets of one row that all go to one column turn at all of a strip's
 * nodes there, and not at one. In each wave the nodes of a column within a strip take its rows in
 * order, rotated by an offset that is drawn for that column, so no row gets more of them than
 * another; from wave to wave a node takes rows at equal distances, or the next one where it has
 * more packets than rows. Of a queue the packet with the most steps to go leaves first. Packets
 * wait at their source: each node sends its packets one by one, at equal times. A wave, a packet
 * per node, keeps the links across the tile's middle busy for m / 2 steps (the longer side; rounded
 * up where it is odd), and waves start a little more than that apart, so few packets are under way
 * at once: all at once they pile up behind the turns, 4 k and more.
 *
 * Steps: waves start ((2 k - 1) / (4 k - 4)) m apart, k m / 2 - m / 4 in all; the last is over
 * after 2.1 m more: measured at most k m / 2 + 2 m on every pattern of workloads/permutation.h (for
 * k = 1 2.14 m), with m + 1 for m in the first term where m is odd. No fewer than k m / 2 are
 * enough where all packets cross the middle.
 * Buffer: measured at most k + 10 for k up to 16, and k + 17 for k up to 512, of which k wait at a
 * source or rest at a target. After Rajasekaran (random lines nearby) and Kaufmann, Sibeyn and Suel
 * 1994 (orders of dimensions); the waves are ours. No proof of the constants: they hold with high
 * probability.
 * Cost: two bytes per packet.
 */
#include "base/pcg.h"
#include "machine/forward.h"
#include "machine/pool.h"
#include "primitives/unicast_route.h"

/* header.state of a packet */
enum { COLUMN_FIRST = 1, TO_LINE = 2, WAITING = 4 };

enum { STRIPS = 4, STREAM_LINES = 0x6c696e65, STREAM_WAVES = 0x77617665 };

struct spreading {
    struct machine *machine;
    struct headers *header;
    const struct unicast_plan *plan;
    uint16_t *line; /* [packet]: the row, or column, to which it goes first */
};

/* ---- the rule ---- */

static bool is_row_first(const struct spreading *spreading, uint32_t packet)
{
    return !(spreading->header->packet[packet].state & COLUMN_FIRST);
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    struct spreading *spreading = context;
    uint8_t *state = &spreading->header->packet[packet].state;
    bool row_first = is_row_first(spreading, packet);
    if (*state & WAITING)
        return OUT_HOLD;
    uint32_t here = row_first ? site.row : site.col, line = spreading->line[packet];
    if (*state & TO_LINE && line != here)
        return link_along(row_first, here, line);
    *state &= (uint8_t)~TO_LINE;
    unsigned output = unicast_outputs(spreading->header, site, packet, row_first);
    return output == OUT_HOLD && spreading->plan->delivers ? (unsigned)OUT_EJECT : output;
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct spreading *spreading = context;
    (void)site;
    if (spreading->header->packet[packet].state & TO_LINE)
        return spreading->line[packet];
    return unicast_stop(spreading->header, packet, direction);
}

static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct spreading *spreading = context;
    node_place target = spreading->header->packet[packet].target;
    uint32_t row = site.row, col = site.col, remaining = 0;
    if (spreading->header->packet[packet].state & TO_LINE) {
        uint32_t *moving = is_row_first(spreading, packet) ? &row : &col;
        remaining = difference(*moving, spreading->line[packet]);
        *moving = spreading->line[packet];
    }
    remaining += place_distance(place_of(row, col), target);
    return unicast_urgency(machine_config(spreading->machine)->mesh, site, remaining, direction);
}

/* ---- waves ---- */

/* Returns the lines among which those through `coordinate` are spread: a quarter of its tile's. */
static struct interval strip_of(const struct axis *axis, uint32_t coordinate)
{
    struct interval tile = axis_interval_at(axis, coordinate);
    uint32_t length = interval_length(tile), strip = (coordinate - tile.start) * STRIPS / length;
    return (struct interval){tile.start + (strip * length + STRIPS - 1) / STRIPS,
                             tile.start + ((strip + 1) * length + STRIPS - 1) / STRIPS};
}

/* Returns the line of the strip for packet `number` of the node at `coordinate`, whose line across
 * has this `offset` in the strip. */
static uint16_t line_near(const struct spreading *spreading, struct interval strip,
                          uint32_t coordinate, uint32_t number, uint32_t offset)
{
    uint64_t height = interval_length(strip), of_kind = (spreading->plan->k + 1) / 2;
    uint64_t turn = of_kind > height ? number / 2 : number / 2 * height / of_kind;
    uint64_t shift = (offset * height >> 32) + coordinate - strip.start + turn;
    return (uint16_t)(strip.start + shift % height);
}

/* Returns the line of packet `wave` of the node. */
static uint16_t draw_line(const struct spreading *spreading, struct site site, uint32_t wave,
                          bool row_first)
{
    const struct unicast_plan *plan = spreading->plan;
    uint32_t coordinate = row_first ? site.row : site.col, across = row_first ? site.col : site.row;
    struct interval strip = strip_of(row_first ? &plan->tiles->row : &plan->tiles->col, coordinate);
    uint32_t offset = pcg32_at(plan->seed, STREAM_LINES + !row_first,
                               (uint64_t)strip.start * MESH_MAX_SIDE + across);
    return line_near(spreading, strip, coordinate, wave, offset);
}

/* Returns packet number `number` of those that wait at the node, the first that rests being 0;
 * MACHINE_NONE: there are fewer. */
static uint32_t waiting_packet(const struct spreading *spreading, node_index node, uint32_t number)
{
    uint32_t packet = machine_first_resting(spreading->machine, node);
    for (; packet != MACHINE_NONE; packet = machine_next_resting(spreading->machine, packet))
        if (spreading->header->packet[packet].state & WAITING && number-- == 0)
            break;
    return packet;
}

/* Returns the packet that the node starts in this wave. With drawn waves the number is drawn among
 * all remaining waves, so that each packet gets each of them with equal probability. */
static uint32_t next_packet(const struct spreading *spreading, node_index node, uint32_t wave)
{
    const struct unicast_plan *plan = spreading->plan;
    uint32_t left = plan->k - wave, nodes = mesh_nodes(machine_config(spreading->machine)->mesh);
    if (!plan->draws_waves)
        return waiting_packet(spreading, node, 0);
    uint32_t drawn = pcg32_at(plan->seed, STREAM_WAVES, (uint64_t)wave * nodes + node);
    return waiting_packet(spreading, node, (uint32_t)((uint64_t)drawn * left >> 32));
}

static void release(struct spreading *spreading, uint32_t wave)
{
    struct headers *header = spreading->header;
    struct node_range nodes = machine_nodes(spreading->machine);
    for (node_index node = nodes.first; node < nodes.end; node++) {
        uint32_t packet = next_packet(spreading, node, wave);
        if (packet == MACHINE_NONE)
            continue;
        struct site site = machine_site(spreading->machine, node);
        bool row_first = (site.row + site.col + wave) % 2 == 0;
        header->packet[packet].state = (uint8_t)(TO_LINE | (row_first ? 0 : COLUMN_FIRST));
        spreading->line[packet] = draw_line(spreading, site, wave, row_first);
    }
}

static void set_states(struct spreading *spreading, uint8_t state)
{
    for (struct resting at = resting_of(spreading->machine); resting_next(&at);)
        spreading->header->packet[at.packet].state = state;
}

static enum failure_kind send_waves(struct spreading *spreading, struct failure *failure)
{
    const struct unicast_plan *plan = spreading->plan;
    struct routing_rule rule = {
        .context = spreading, .outputs = outputs, .stop = stop, .urgency = urgency};
    uint64_t rows = axis_longest(&plan->tiles->row), cols = axis_longest(&plan->tiles->col);
    uint64_t side = rows > cols ? rows : cols, k = plan->k;
    uint64_t apart = k == 1 ? 0 : (2 * k - 1) * (side + side % 2) / (4 * k - 4);
    enum failure_kind kind = FAIL_NONE;
    machine_begin_phase(spreading->machine, plan->name);
    for (uint32_t wave = 0; kind == FAIL_NONE && wave < k; wave++) {
        release(spreading, wave);
        if (wave + 1 < k)
            kind = forward_wave(spreading->machine, &rule, apart, failure);
    }
    struct rounds rounds = {rows + cols + side / 4, side / 2 + 1};
    if (kind == FAIL_NONE && plan->delivers)
        kind = machine_forward(spreading->machine, &rule, true, UINT64_MAX, failure);
    else if (kind == FAIL_NONE)
        kind = forward_in_rounds(spreading->machine, &rule, plan->name, rounds, failure);
    return kind;
}

enum failure_kind unicast_spread(struct machine *machine, const struct unicast_plan *plan,
                                 struct failure *failure)
{
    struct spreading spreading = {
        .machine = machine, .header = machine_headers(machine), .plan = plan};
    spreading.line = machine_slot_field(machine, sizeof *spreading.line);
    if (spreading.line == NULL)
        return fail_memory(failure, "the lines to which packets are spread");
    set_states(&spreading, WAITING);
    enum failure_kind kind = send_waves(&spreading, failure);
    set_states(&spreading, 0);
    machine_end_field(machine, spreading.line);
    return kind;
}
