/* load_store.h - the points of `load --db` in a database of results. */
#ifndef MESHCAST_LAB_LOAD_STORE_H
#define MESHCAST_LAB_LOAD_STORE_H

#include "library/meshcast_command.h"

extern const struct meshcast_store load_store;

#endif
