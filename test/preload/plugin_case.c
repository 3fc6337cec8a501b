/* plugin_case.c - plugins that are wrong in one way each, by CASE. */
#include <meshcast_own_router.h>

#include <stddef.h>

enum {
    RIGHT,
    NO_ABI,
    OTHER_ABI,
    NO_PLAN,
    NAME_OF_TABLE,
    NO_ROUTE,
    NO_FUNCTION,
    NO_START,
    VARIABLE = 9,
    CONSTANT,
    OF_A_THREAD,
    STARTS_TWICE
};

static enum meshcast_status route(void *context, struct meshcast_routing *routing)
{
    (void)context;
    (void)routing;
    if (CASE == STARTS_TWICE && meshcast_start(routing, 0) == MESHCAST_OK)
        return meshcast_start(routing, 0);
    return MESHCAST_OK; /* without meshcast_start(), which a run reports */
}

#if CASE == 9
MESHCAST_PLUGIN extern int variable __asm__("meshcast_plugin");
int variable;
#elif CASE == 10
MESHCAST_PLUGIN extern const int variable[2] __asm__("meshcast_plugin");
const int variable[2] = {1, 2};
#elif CASE == 11
MESHCAST_PLUGIN extern _Thread_local int variable __asm__("meshcast_plugin");
_Thread_local int variable;
#endif

#if CASE == 6 || (CASE >= 9 && CASE <= 11)
#define meshcast_plugin meshcast_plugin_by_another_name
MESHCAST_PLUGIN const struct meshcast_router_plan *meshcast_plugin(uint32_t *abi);
#endif

MESHCAST_PLUGIN const struct meshcast_router_plan *meshcast_plugin(uint32_t *abi)
{
    static const struct meshcast_router_plan plan = {
        .name = CASE == NAME_OF_TABLE ? "trees" : "case",
        .route = CASE == NO_ROUTE ? NULL : route,
    };
    if (CASE != NO_ABI)
        *abi = CASE == OTHER_ABI ? MESHCAST_ABI + 77 : MESHCAST_ABI;
    return CASE == NO_PLAN ? NULL : &plan;
}
