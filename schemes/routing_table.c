/* routing_table.c - the table of routings. */
#include "schemes/scheme.h"

#include <string.h>

static const struct routing *const TABLE[] = {&routing_x_first, &routing_label, &routing_link};

const struct routing *routing_find(const char *name)
{
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++)
        if (strcmp(TABLE[i]->name, name) == 0)
            return TABLE[i];
    return NULL;
}
