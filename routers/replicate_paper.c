/* replicate_paper.c - router `replicate`, variant=paper: the two steps of Theorem 2, one after the other.
 *
 * Step 1 replicates every packet into the c-tiles (sibling.c), to its end, which a word tells all nodes. Step 2 delivers
 * in each tile.
 *   Tiles: the largest power of two that is at most c / l and whose bounds below fit into 2 c + 16 packets.
 * Buffer, proven for every set (doc/replicate.md) and enforced: the larger of Step 1's bound, 2 t + 3 with t equal tiles
 * (seat.c), and M + 8 k + 1 for k slots per channel, M the seats of a cell; 3 more in Step 2 with unit copies.
 * Steps, S = sqrt(l c n), m the longer side: Step 1 3/4 S + 2 m, and the words.
 * Source: Theorem 2 of the paper.
 */
#include "machine/channel.h"
#include "primitives/synchronise.h"
#include "routers/replicate_private.h"
#include "routers/sibling.h"

enum { MOST_SLOTS = 4 }; /* of a channel; more gain no steps */

/* ---- the plan ---- */

/* The plan with that many tiles and as many slots as fit into `limit`. */
static struct replicate_plan plan_of(const struct routing *routing, uint64_t tiles, uint64_t limit)
{
    struct replicate_seats seats = replicate_seats_of(routing, tiles);
    struct replicate_plan plan = {.tiles = tiles, .slots = MOST_SLOTS + 1};
    do {
        plan.slots--;
        plan.buffer = seats.at_cell + machine_channel_capacity(CHANNELS_OF_BOTH, plan.slots,
                                                               routing->options->copy_is_free);
    } while (plan.slots > 0 && plan.buffer > limit);
    if (seats.step_1 > plan.buffer)
        plan.buffer = seats.step_1;
    return plan;
}

/* With c / l tiles, or with the half of them, or .., as soon as they fit. */
static struct replicate_plan paper_plan(const struct routing *routing)
{
    enum { BESIDE = 16, BESIDE_UNIT = 19 };
    uint64_t congestion = routing->congestion > 0 ? routing->congestion : 1;
    uint64_t limit = 2 * congestion + (routing->options->copy_is_free ? BESIDE : BESIDE_UNIT);
    uint64_t tiles = congestion / (routing->most_sent > 0 ? routing->most_sent : 1);
    tiles = tiles > 0 ? tiles : 1;
    if (routing->options->buffer > 0)
        limit = routing->options->buffer;
    struct replicate_plan plan = plan_of(routing, tiles, limit);
    while (tiles > 1 && (plan.slots == 0 || plan.buffer > limit)) {
        tiles /= 2;
        plan = plan_of(routing, tiles, limit);
    }
    return plan;
}

static uint32_t paper_least_buffer(const struct routing *routing)
{
    return 1 + machine_channel_capacity(CHANNELS_OF_BOTH, 1, routing->options->copy_is_free);
}

/* ---- Step 1: replicate the entire set of packets in every c-tile ---- */

static enum failure_kind step_1(struct replicate *replicate, struct failure *failure)
{
    struct routing *routing = replicate->routing;
    struct sibling_rule sibling = {replicate->header, &replicate->seats};
    struct routing_rule rule = sibling_routing(&sibling);
    struct mesh mesh = routing->set->mesh;
    uint64_t tiles = tessellation_tiles(&replicate->tiles), root = 1;
    while (root * root < tiles)
        root++;
    uint64_t side = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    /* literally 3/4 (root - 1) side and the distances; pruned it is often over after a quarter */
    uint64_t quarter = (3 * routing->most_sent * (root - 1) * side / 4 + 3) / 4;
    uint64_t copies = routing->options->copy_is_free ? 0 : routing->most_sent * tiles / 4;
    struct rounds rounds = {quarter + copies + mesh.rows + mesh.cols, quarter + copies + side};
    if (tiles == 1)
        return FAIL_NONE;
    return forward_in_rounds(routing->machine, &rule, "copy into tiles", rounds, failure);
}

/* ---- the algorithm ---- */

static enum failure_kind paper_run(struct replicate *replicate, struct failure *failure)
{
    enum failure_kind kind = step_1(replicate, failure);
    return kind == FAIL_NONE ? replicate_deliver(replicate, failure) : kind;
}

static unsigned paper_uses(const struct replicate_plan *plan)
{
    return USE_CHANNELS | (plan->tiles > 1 ? USE_FORWARD | USE_WORDS | USE_EXPRESS : 0);
}

const struct replicate_variant replicate_paper = {
    paper_plan, paper_least_buffer, paper_run, paper_uses, 1.5, 8,
};
