/* choices.c - the choices of routers whose messages leave from their sources.
 */
#include "routers/choices.h"

#include "routers/routing.h"

#include <stdlib.h>

static void release(void *own)
{
    tessellation_free(own);
    free(own);
}

enum failure_kind choices_at_source(struct mesh mesh, struct router_choices *choices,
                                    struct handover (*handover)(const void *own, node_place source,
                                                                node_place destination),
                                    struct failure *failure)
{
    struct tessellation *tiles = memory_allocate(1, sizeof *tiles);
    if (tiles == NULL)
        return fail_memory(failure, "the choices of a router");
    *choices = (struct router_choices){
        .visits = 1, .groups = 1, .handover = handover, .own = tiles, .release = release};
    enum failure_kind kind = tessellation_make(tiles, mesh, 1, failure);
    choices->tiles = kind == FAIL_NONE ? tiles : NULL;
    return kind;
}
