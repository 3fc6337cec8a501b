/* expander_replica.c - Steps 1 and 6 of Theorem 4: one message, r replicas, one message.
 *
 * The kappa classes are interleaved along the mesh's snake: the message of position p is input
 * floor(p / kappa) of class p mod kappa. So of kappa nodes in a row each class has one, and there
 * lie the r <= kappa nodes of its segment: what the paper reaches by a prefix computation and a
 * routing, to be at the head of a segment of r nodes that no other message of the class uses, is so
 * from the start. The replicas are copied along the segment, node to node, both ways from the
 * source (the paper's segmented broadcast); Step 6 is the same backwards. Where n is no multiple of
 * kappa the last segment begins a few nodes earlier and shares them with the one before it.
 *   Names. A packet is named by a slot, and a slot stands for one delivery. So a message of d
 * destinations has r blocks of d slots, and replica j is named by the last slot of one of them,
 * that of the source's own replica by the last slot of all, which names the message. A replica
 * hands on the front of its range, so what it has left stands at the end of its block, and was
 * never delivered by any packet. What the replicas have all left, u slots or fewer of each block,
 * serves as the range of the next phase's replicas.
 *   Step 6: a replica that has nothing left has become the last of its clones, and does not come
 * home: then all is visited. Otherwise what is left is what all r replicas have left (a destination
 * is unvisited if no replica has it marked), found as each meets the source's own replica at the
 * source.
 *
 *   With kappa < r segments overlap, and a node has several replicas of a class; ways are longer then.
 *
 * Steps: r - 1 for each with free copies; Step 1 twice that and one with unit copies; twice as many
 * where n is no multiple of kappa; and Step 6 one more. Buffer: two replicas at a node, and one
 * more for an instant at the source. With kappa < r more of both: copying_steps, meeting_steps.
 * Source: Section 5, Steps 1(a), 1(b), 6; Definition 1.
 * Cost: that of expander_carry.c.
 */
#include "primitives/prefix.h"
#include "primitives/synchronise.h"
#include "routers/expander_private.h"

#include <stdlib.h>
#include <string.h>

/* header.state of a replica that still has to make the next one, along the snake or against it. */
enum { AHEAD = EXPANDER_AHEAD, BEHIND = EXPANDER_BEHIND };

/* ---- positions and names ---- */

static uint32_t nodes_of(const struct expander_run *run)
{
    return mesh_nodes(run->routing->set->mesh);
}

static uint32_t position_of(const struct expander_run *run, uint32_t row, uint32_t col)
{
    return (uint32_t)snake_number(row, col, run->routing->set->mesh.cols);
}

/* The node at a position along the mesh's snake. */
static node_place node_at(const struct expander_run *run, uint32_t position)
{
    struct mesh mesh = run->routing->set->mesh;
    return snake_place((struct interval){0, mesh.rows}, (struct interval){0, mesh.cols}, position);
}

static struct segment segment_of_source(const struct expander_run *run, node_index source)
{
    uint32_t cols = run->routing->set->mesh.cols, nodes = nodes_of(run);
    uint32_t position = position_of(run, source / cols, source % cols);
    struct segment segment = {position % run->classes, position / run->classes, 0, 0};
    segment.first = position - segment.class;
    if (segment.class >= run->replicas) /* kappa > r: the r nodes up to the source */
        segment.first = position + 1 - run->replicas;
    if (segment.first > nodes - run->replicas)
        segment.first = nodes - run->replicas;
    segment.own = position - segment.first;
    return segment;
}

struct expander_message *expander_message_of(const struct expander_run *run, uint32_t packet)
{
    return &run->message[run->message_at[run->masters.header->packet[packet].message] - 1];
}

struct segment expander_segment_of(const struct expander_run *run, uint32_t packet)
{
    return segment_of_source(run, expander_message_of(run, packet)->source);
}

uint32_t expander_replica(const struct expander_run *run, uint32_t packet)
{
    const struct expander_message *message = expander_message_of(run, packet);
    uint32_t block = (packet_name(run->masters.header, packet) - message->first) / message->size;
    return (block + 1 + expander_segment_of(run, packet).own) % run->replicas;
}

uint32_t expander_name_of(const struct expander_run *run, uint32_t packet, uint32_t replica)
{
    const struct expander_message *message = expander_message_of(run, packet);
    uint32_t own = expander_segment_of(run, packet).own;
    uint32_t block = (replica + 2 * run->replicas - 1 - own) % run->replicas;
    return message->first + (block + 1) * message->size - 1;
}

/* The packet that is replica `replica` of the packet's message. */
static uint32_t packet_of(const struct expander_run *run, uint32_t packet, uint32_t replica)
{
    return expander_packet_of_name(run, expander_name_of(run, packet, replica));
}

/* Where the master was made. */
static node_place birthplace(const struct expander_run *run, uint32_t packet)
{
    return node_at(run, expander_segment_of(run, packet).first + expander_replica(run, packet));
}

/* ---- along the snake ---- */

void expander_for_resting(struct expander_run *run,
                          void (*act)(struct expander_run *run, struct site site, uint32_t packet))
{
    struct machine *machine = run->masters.machine;
    struct node_range nodes = machine_nodes(machine);
    for (node_index node = nodes.first; node < nodes.end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            act(run, machine_site(machine, node), packet);
}

static unsigned link_to(struct site site, node_place place)
{
    if (place_row(place) != site.row)
        return place_row(place) > site.row ? OUT_SOUTH : OUT_NORTH;
    return place_col(place) > site.col ? OUT_EAST : OUT_WEST;
}

static unsigned link_along(const struct expander_run *run, struct site site, bool is_ahead)
{
    uint32_t position = position_of(run, site.row, site.col);
    return link_to(site, node_at(run, is_ahead ? position + 1 : position - 1));
}

/* Neighbours along the snake are neighbours of the mesh. */
static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    (void)context;
    (void)packet;
    switch (direction) {
    case NORTH:
        return site.row - 1;
    case SOUTH:
        return site.row + 1;
    case WEST:
        return site.col - 1;
    default:
        return site.col + 1;
    }
}

/* ---- Steps 1(a) and 1(b) ---- */

static unsigned replicate_outputs(void *context, struct site site, uint32_t packet)
{
    const struct expander_run *run = context;
    unsigned state = run->masters.header->packet[packet].state, outputs = OUT_HOLD;
    if (state & AHEAD)
        outputs |= link_along(run, site, true);
    if (state & BEHIND)
        outputs |= link_along(run, site, false);
    return outputs;
}

/* The next replica: a copy with the same destinations, under the next name. */
static uint32_t replicate_take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct expander_run *run = context;
    struct headers *header = run->masters.header;
    uint32_t replica = expander_replica(run, packet);
    bool is_ahead =
        (header->packet[packet].state & AHEAD) && (unsigned)output == link_along(run, site, true);
    uint32_t next = is_ahead ? replica + 1 : replica - 1, copy = packet_of(run, packet, next);
    uint32_t count = packet - header->packet[packet].first + 1;
    header->packet[copy].first = copy + 1 - count;
    memcpy(header->destination + header->packet[copy].first,
           header->destination + header->packet[packet].first, count * sizeof *header->destination);
    header->packet[packet].state &= (uint8_t) ~(is_ahead ? AHEAD : BEHIND);
    header->packet[copy].state = RANDOM_MASTER;
    if (is_ahead && next + 1 < run->replicas)
        header->packet[copy].state |= AHEAD;
    if (!is_ahead && next > 0)
        header->packet[copy].state |= BEHIND;
    return copy;
}

static void start_replicas(struct expander_run *run, struct site site, uint32_t packet)
{
    uint32_t own = expander_segment_of(run, packet).own;
    uint8_t *state = &run->masters.header->packet[packet].state;
    (void)site;
    expander_message_of(run, packet)->met = EXPANDER_ABSENT;
    *state = RANDOM_MASTER;
    if (own + 1 < run->replicas)
        *state |= AHEAD;
    if (own > 0)
        *state |= BEHIND;
}

/* Segments of a class that share a node, at most: those of kappa nodes each if kappa < r, and twice as
 * many at the end of the snake, where segments begin earlier; the last two if kappa does not divide n. */
static uint64_t sharing(const struct expander_run *run)
{
    uint64_t overlap = (run->replicas + run->classes - 1) / run->classes;
    if (overlap > 1)
        return 2 * overlap;
    return nodes_of(run) % run->classes == 0 ? 1 : 2;
}

/* Step 1. A link of a segment is crossed by a packet of each segment that shares it, so a hop takes `sharing`
 * steps at most; with unit copies its node makes as many copies before, and one more at a source. */
static uint64_t copying_steps(const struct expander_run *run, uint32_t a_hop)
{
    uint64_t links = run->replicas - 1, shared = sharing(run);
    if (shared > 2)
        return links * (a_hop > 1 ? 2 * shared + 1 : shared) + a_hop - 1;
    return shared * (links * a_hop + (a_hop > 1 ? 1 : 0));
}

/* Step 6. Packets that go one way along a line, whoever goes first: each is held up by others at most as
 * often as there are others that cross a link of its way. For say it has slot x of link k in step x + k; at
 * the link where it loses slot x another has it; charge the slot to the last one that has it on the way,
 * which has no other slot at that link. Those others belong to its own segment, where nobody waits, and
 * to segments that share a node with that: twice as many as share one node. */
static uint64_t meeting_steps(const struct expander_run *run)
{
    uint64_t links = run->replicas - 1, shared = sharing(run);
    return shared > 2 ? links * (1 + 2 * shared) : shared * links;
}

uint64_t expander_replicate_steps(const struct expander_run *run)
{
    return copying_steps(run, run->routing->options->copy_is_free ? 1 : 2);
}

enum failure_kind expander_replicate(struct expander_run *run, struct failure *failure)
{
    struct routing_rule rule = {
        .context = run, .outputs = replicate_outputs, .take = replicate_take, .stop = stop};
    expander_for_resting(run, start_replicas);
    if (!expander_reserve_all(run))
        return fail_memory(failure, "the replicas");
    expander_begin(run, "make replicas");
    run->is_replicating = true;
    enum failure_kind kind =
        forward_for(run->masters.machine, &rule, NULL, expander_replicate_steps(run), failure);
    run->is_replicating = false;
    enum failure_kind forgotten = expander_forget_names(run, failure);
    return kind == FAIL_NONE ? forgotten : kind;
}

/* ---- Step 1(c) ---- */

struct walk {
    const struct expander_run *run;
    bool is_back;
};

static unsigned walk_outputs(void *context, struct site site, uint32_t packet)
{
    const struct walk *walk = context;
    const struct expander_run *run = walk->run;
    node_place entry = expander_entry(&run->seats, expander_segment_of(run, packet).input,
                                      expander_replica(run, packet));
    node_place target = walk->is_back ? birthplace(run, packet) : entry;
    if (target == site_place(site))
        return OUT_HOLD;
    return link_along(run, site, walk->is_back);
}

uint64_t expander_walk_steps(const struct expander_run *run, uint32_t class)
{
    return class < run->replicas ? 0 : class + 1 - run->replicas;
}

/* Replicas of class r + k stand k + 1 nodes behind the entries. All go at once, each node's to the
 * next one, so nobody waits; at the end of the snake some are at their entries earlier. */
enum failure_kind expander_walk(struct expander_run *run, bool is_back, struct failure *failure)
{
    struct walk walk = {run, is_back};
    struct routing_rule rule = {.context = &walk, .outputs = walk_outputs, .stop = stop};
    uint64_t steps = expander_walk_steps(run, run->class);
    return steps == 0 ? FAIL_NONE : forward_for(run->masters.machine, &rule, NULL, steps, failure);
}

/* ---- Step 6 ---- */

static int compare_places(const void *a, const void *b)
{
    node_place x = *(const node_place *)a, y = *(const node_place *)b;
    return (x > y) - (x < y);
}

static uint32_t sort_range(struct headers *header, uint32_t packet)
{
    uint32_t first = header->packet[packet].first, count = packet + 1 - first;
    qsort(header->destination + first, count, sizeof *header->destination, compare_places);
    return count;
}

/* `kept` keeps the destinations that `other` has too, at the end of its block. */
static void intersect(struct headers *header, uint32_t kept, uint32_t other)
{
    node_place *slot = header->destination;
    uint32_t mine = sort_range(header, kept), others = sort_range(header, other);
    uint32_t end = kept + 1, i = kept, j = other;
    while (mine > 0 && others > 0) {
        if (slot[i] == slot[j])
            slot[--end] = slot[i];
        bool ahead = slot[i] >= slot[j], behind = slot[j] >= slot[i];
        if (ahead) {
            i--;
            mine--;
        }
        if (behind) {
            j--;
            others--;
        }
    }
    header->packet[kept].first = end;
}

static uint32_t *met_of(struct expander_run *run, uint32_t packet)
{
    return &expander_message_of(run, packet)->met;
}

static bool is_all_visited(struct expander_run *run, uint32_t packet)
{
    return *met_of(run, packet) & EXPANDER_ABSENT;
}

static unsigned coalesce_outputs(void *context, struct site site, uint32_t packet)
{
    struct expander_run *run = context;
    struct segment segment = expander_segment_of(run, packet);
    uint32_t source = segment.first + segment.own, here = position_of(run, site.row, site.col);
    if (here != source)
        return link_along(run, site, here < source);
    if (expander_replica(run, packet) == segment.own)
        return is_all_visited(run, packet) ? OUT_DISCARD : OUT_HOLD;
    uint32_t *met = met_of(run, packet), bit = 1u << expander_replica(run, packet);
    if (!(*met & (EXPANDER_ABSENT | bit))) {
        intersect(run->masters.header, packet_of(run, packet, segment.own), packet);
        *met |= bit;
    }
    return OUT_DISCARD;
}

static void begin_meeting(struct expander_run *run, struct site site, uint32_t packet)
{
    uint32_t own = expander_segment_of(run, packet).own;
    (void)site;
    if (expander_replica(run, packet) != own)
        return;
    *met_of(run, packet) = 1u << own;
    expander_note_name(run, packet);
}

/* At the source, when all have come that come. */
static void end_meeting(struct expander_run *run, struct site site, uint32_t packet)
{
    const struct headers *header = run->masters.header;
    uint32_t *met = met_of(run, packet), all = (uint32_t)((UINT64_C(1) << run->replicas) - 1);
    (void)site;
    if (*met != all || header->packet[packet].first > packet)
        *met = EXPANDER_ABSENT;
}

uint64_t expander_coalesce_steps(const struct expander_run *run)
{
    return meeting_steps(run) + 1;
}

enum failure_kind expander_coalesce(struct expander_run *run, struct failure *failure)
{
    struct machine *machine = run->masters.machine;
    struct routing_rule rule = {.context = run, .outputs = coalesce_outputs, .stop = stop};
    expander_for_resting(run, begin_meeting);
    if (run->lacks_memory)
        return expander_forget_names(run, failure);
    expander_begin(run, "merge replicas");
    enum failure_kind kind = forward_for(machine, &rule, NULL, meeting_steps(run), failure);
    expander_for_resting(run, end_meeting);
    enum failure_kind forgotten = expander_forget_names(run, failure);
    kind = kind == FAIL_NONE ? forgotten : kind;
    return kind == FAIL_NONE ? forward_for(machine, &rule, NULL, 1, failure) : kind;
}
