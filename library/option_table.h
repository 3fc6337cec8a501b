/* option_table.h - tables of options: rows are found by name, values are read into the struct that the rows describe. */
#ifndef MESHCAST_LIBRARY_OPTION_TABLE_H
#define MESHCAST_LIBRARY_OPTION_TABLE_H

#include "base/failure.h"
#include "base/suggestion.h"
#include "library/meshcast_command.h"
#include "machine/mesh.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fields by type: FLAG bool, TEXT const char *, the value itself, NUMBER uint32_t, SEED uint64_t, CHOICE uint32_t, the index
 * of the value. */

/* Reads the value into the field. FAIL_USAGE: the text says what is accepted. */
enum failure_kind option_take_value(const struct meshcast_option *row, char *value, void *field,
                                    struct failure *failure);

/* Finds the row of the option `name` (without dashes, `length` bytes); *base is its table's. NULL: there is none. */
const struct meshcast_option *option_find(const struct meshcast_option_table *tables,
                                          const char *name, size_t length, size_t *base);

/* Finds a value of the option `name` in `choices`, which ends with NULL; for an accept() that wants
 * to know more. FAIL_USAGE: the text names the nearest, and all. */
enum failure_kind option_take_choice(const char *name, const char *const *choices,
                                     const char *value, uint32_t *index, struct failure *failure);

/* Reads the value of a seed named `name`; for an accept() that wants to know more. */
enum failure_kind option_take_seed(const char *name, const char *value, uint64_t *seed,
                                   struct failure *failure);

/* Reads digits alone, 1 .. most; what follows them begins at *end. 0: it is not such a number. */
uint32_t option_scan_number(const char *text, uint32_t most, const char **end);

/* Reads M, a square mesh, or ROWSxCOLS, the value of the option `name`. */
enum failure_kind option_take_mesh(const char *name, const char *value, struct mesh *mesh,
                                   struct failure *failure);

#endif
