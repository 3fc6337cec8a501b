/* own_router_case.c - a right router of a user's own, and runs of wrong ones. */
#include "test/library/own_router_case.h"

#include <check.h>
#include <string.h>

unsigned right_parts(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet)
{
    uint32_t first = meshcast_packet_first(routing, packet);
    struct meshcast_site to = meshcast_slot_destination(routing, first);
    unsigned here = MESHCAST_DELIVER;
    (void)context;
    if (to.col != site.col)
        here = to.col < site.col ? MESHCAST_WEST : MESHCAST_EAST;
    else if (to.row != site.row)
        here = to.row < site.row ? MESHCAST_NORTH : MESHCAST_SOUTH;
    return here | (first < packet ? (unsigned)MESHCAST_AGAIN : 0u);
}

uint32_t right_take(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                    uint32_t packet, enum meshcast_part part)
{
    (void)context, (void)site, (void)part;
    return meshcast_packet_split(routing, packet, 1);
}

uint32_t right_stop(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                    uint32_t packet, enum meshcast_part part)
{
    struct meshcast_site to = meshcast_slot_destination(routing, packet);
    (void)context, (void)site;
    return part == MESHCAST_WEST || part == MESHCAST_EAST ? to.col : to.row;
}

const struct meshcast_rule right_rule = {NULL, right_parts, right_take, right_stop, NULL};

static struct meshcast_set *make_set(void)
{
    struct meshcast_generate plan = {
        .pattern = "uniform", .rows = OWN_SIDE, .cols = OWN_SIDE, .degree = 3, .seed = 4};
    struct meshcast_set *set = meshcast_set_generate(&plan, NULL);
    ck_assert_ptr_nonnull(set);
    return set;
}

void own_router_expect(const struct meshcast_router_plan *plan, enum meshcast_status status,
                       const char *expected)
{
    struct meshcast_router *router = meshcast_router_new(plan, NULL);
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_set *set = make_set();
    for (uint64_t variant = 0; variant < 4; variant++) {
        struct meshcast_error error = {.status = MESHCAST_OK};
        struct meshcast_result *result;
        meshcast_options_set(options, MESHCAST_MAX_THREADS, 1 + variant % 2, NULL);
        meshcast_options_set(options, MESHCAST_FREE_COPIES, variant / 2, NULL);
        ck_assert_int_eq(meshcast_run(router, set, options, &result, &error), status);
        ck_assert_int_eq(error.status, status);
        ck_assert_msg(strstr(error.text, expected) != NULL, "%s", error.text);
        ck_assert((result != NULL) == (status == MESHCAST_OK || status == MESHCAST_CHECK));
        meshcast_result_free(result);
    }
    meshcast_set_free(set);
    meshcast_options_free(options);
    meshcast_router_free(router);
}
