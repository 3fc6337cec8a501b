/* own_router_case.c - a right router of a user's own, and runs of wrong ones. */
#include "test/library/own_router_case.h"

#include "test/library_case.h"

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

struct meshcast_report *own_router_run(const struct meshcast_router *router,
                                       const struct meshcast_set *set, const char *options,
                                       struct meshcast_error *error)
{
    struct meshcast_command *command = case_command("route", set, options);
    meshcast_command_give_router(command, router);
    return case_run(command, error);
}

void own_router_expect(const struct meshcast_router_plan *plan, enum meshcast_status status,
                       const char *expected)
{
    static const char *const options[] = {"threads=1", "threads=2", "threads=1 copy=free",
                                          "threads=2 copy=free"};
    struct meshcast_router *router = meshcast_router_new(plan, NULL);
    struct meshcast_set *set = case_gen("pattern=uniform side=6 degree=3 seed=4");
    ck_assert_uint_eq(meshcast_set_nodes(set), OWN_NODES);
    for (int variant = 0; variant < 4; variant++) {
        struct meshcast_error error = {.status = MESHCAST_OK};
        struct meshcast_report *report = own_router_run(router, set, options[variant], &error);
        ck_assert_int_eq(error.status, status);
        ck_assert_msg(strstr(error.text, expected) != NULL, "%s", error.text);
        ck_assert((report != NULL) == (status == MESHCAST_OK || status == MESHCAST_CHECK));
        meshcast_report_free(report);
    }
    meshcast_set_free(set);
    meshcast_router_free(router);
}
