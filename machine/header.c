/* header.c - the memory of packets' headers.
 *
 * Cost: 20 bytes per slot, with names 24 on ranks and 28 alone.
 */
#include "machine/header_private.h"

#include "base/failure.h"

#include <stdlib.h>

bool headers_allocate(struct headers *header, const struct pool *pool, bool has_names,
                      bool finds_names)
{
    header->slots = pool->room;
    header->packet = pool_allocate(pool, sizeof *header->packet);
    header->destination = pool_allocate(pool, sizeof *header->destination);
    if (has_names)
        header->name = pool_allocate(pool, sizeof *header->name);
    if (has_names && finds_names)
        header->slot_of_name = pool_allocate(pool, sizeof *header->slot_of_name);
    return header->packet && header->destination && (header->name || !has_names) &&
           (header->slot_of_name || !has_names || !finds_names);
}

void headers_free(struct headers *header)
{
    free(header->packet);
    free(header->destination);
    free(header->name);
    free(header->slot_of_name);
    *header = (struct headers){.slots = header->slots};
}
