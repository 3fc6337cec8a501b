/* stream_family.h - families of sets against the streaming router: the table, for stream_adversary.c alone. */
#ifndef MESHCAST_SEARCH_STREAM_FAMILY_H
#define MESHCAST_SEARCH_STREAM_FAMILY_H

#include "search/cell_map.h"

#include <stdbool.h>

/* From which visit on a node gets its messages. */
enum when { FIRST_VISIT, HALF_WAY, LATE, LAST_VISIT, FROM_ONE_TILE };

/* Which cells of the tiles are destinations. */
enum where { ALL_CELLS, ONE_ROW, ONE_COLUMN, ONE_CORNER, ONE_NODE, HALF_OF_COLUMNS };

/* Which masters are asked. */
enum who { ANYBODY, IN_ORDER, ACROSS_COLUMNS, ACROSS_ROWS, ROW_FIRST, FORWARD, ONE_LINE };

/* Linear maps of cells, and what they do to a tile. */
enum linear {
    NO_MAP,
    MIRROR, /* mirrored in its centre */
    TURN,   /* turned by a right angle */
    TURN_AND_SHIFT,
    HALF_SHIFT,     /* along both sides */
    TO_ROW,         /* the middle one */
    TO_COLUMN,      /* the middle one, and its rows shifted by half */
    ROWS_TO_COLUMN, /* a row to three nodes of a column */
    TO_NODE,        /* that moves along a side */
    SHEAR,
    MOVING_SHEAR,
};

enum { MAPS_MOST = 4 };

struct stream_family {
    const char *name;
    enum when when;
    enum where where;
    enum who who;
    bool is_single;  /* one destination a message */
    bool by_columns; /* nodes get their messages column by column, not row by row */
    /* If any: a node asks the masters alone of whose cells its own is an image. */
    enum linear map[MAPS_MOST];
};

/* The number of families, and one of them. */
uint32_t stream_family_count(void);
const struct stream_family *stream_family_at(uint32_t index);

/* A map; not NO_MAP. */
const struct cell_map *linear_map(enum linear map);

#endif
