/* kernel_spoiling.c - runs kernels, spoils their results, and lets them check these. */
#include "test/primitives/kernel_spoiling.h"

#include "machine/forward.h"
#include "primitives/multicast_tree.h"
#include "workloads/permutation.h"

#include <check.h>
#include <string.h>

struct spoiled {
    uint32_t packet;
    enum spoiling act;
    struct site to;
    struct headers *header;
    bool is_divided;
};

static unsigned spoil_outputs(void *context, struct site site, uint32_t packet)
{
    const struct spoiled *spoiled = context;
    uint32_t row = spoiled->to.row, col = spoiled->to.col;
    if (packet != spoiled->packet)
        return OUT_HOLD;
    if (spoiled->act == SPOIL_LOSE)
        return OUT_DISCARD;
    if (spoiled->act == SPOIL_DIVIDE)
        return spoiled->is_divided ? (unsigned)OUT_HOLD : OUT_HOLD | OUT_AGAIN;
    if (site.col != col)
        return site.col < col ? OUT_EAST : OUT_WEST;
    if (site.row != row)
        return site.row < row ? OUT_SOUTH : OUT_NORTH;
    return OUT_HOLD;
}

static uint32_t spoil_take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct spoiled *spoiled = context;
    (void)site, (void)output;
    spoiled->is_divided = true;
    return packet_split(spoiled->header, packet, spoiled->header->packet[packet].first + 1);
}

static uint32_t spoil_stop(void *context, struct site site, uint32_t packet, enum direction to)
{
    (void)context, (void)packet;
    return to == NORTH   ? site.row - 1
           : to == SOUTH ? site.row + 1
           : to == WEST  ? site.col - 1
                         : site.col + 1;
}

void spoil(struct kernel_case *run, uint32_t packet, enum spoiling act, node_index to)
{
    struct site place = machine_site(run->machine, to);
    struct spoiled spoiled = {packet, act, place, machine_headers(run->machine), false};
    struct routing_rule rule = {
        .context = &spoiled, .outputs = spoil_outputs, .take = spoil_take, .stop = spoil_stop};
    machine_begin_phase(run->machine, "spoil");
    ck_assert_int_eq(machine_forward(run->machine, &rule, true, 99, NULL), FAIL_NONE);
}

uint32_t spoil_packet_at(const struct kernel_case *run, node_index node, uint32_t number)
{
    uint32_t packet = machine_first_resting(run->machine, node);
    for (; packet != MACHINE_NONE && number > 0; number--)
        packet = machine_next_resting(run->machine, packet);
    return packet;
}

/* The kernel whose run is spoiled, and the damage; a test runs in a process of its own. */
static const struct kernel_row *spoiled_row;
static void (*spoiler)(struct kernel_case *run);

static enum failure_kind run_and_spoil(struct kernel_case *run, struct failure *failure)
{
    enum failure_kind kind = spoiled_row->run(run, failure);
    if (kind == FAIL_NONE)
        spoiler(run);
    return kind;
}

struct kernel_options spoil_options(const char *pattern, uint32_t k)
{
    struct kernel_options options = kernel_options_default();
    options.mesh = (struct mesh){SPOILED_SIDE, SPOILED_SIDE};
    options.pattern = permutation_find(pattern);
    options.k = k;
    options.threads = 1;
    options.copy_is_free = true;
    return options;
}

enum failure_kind spoil_run(const struct kernel_row *row, const struct kernel_options *options,
                            void (*act)(struct kernel_case *run), struct failure *failure)
{
    struct kernel_row wrong = *row;
    struct kernel_result result;
    spoiled_row = row;
    spoiler = act;
    wrong.run = run_and_spoil;
    return kernel_run_row(&wrong, options, &result, failure);
}

void spoil_expect(const struct kernel_row *row, struct kernel_options options,
                  void (*act)(struct kernel_case *run), const char *expected)
{
    struct failure failure = {0};
    ck_assert_int_eq(spoil_run(row, &options, act, &failure), FAIL_CHECK);
    ck_assert_msg(strstr(failure.text, expected) != NULL, "%s, expected %s", failure.text,
                  expected);
}
