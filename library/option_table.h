/* option_table.h - tables of options: rows are found by name, values are read into the struct that
 * the rows describe. */
#ifndef MESHCAST_LIBRARY_OPTION_TABLE_H
#define MESHCAST_LIBRARY_OPTION_TABLE_H

#include "base/failure.h"
#include "base/suggestion.h"
#include "library/meshcast_command.h"
#include "machine/mesh.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Fields by type: FLAG bool; TEXT const char *, the value itself; NUMBER uint32_t; SEED uint64_t;
 * CHOICE uint32_t, the index of the value. */

/* Rows of tables: the option's name, the value's name in help, whether a summary shows it, its
 * field in the struct `of`, the needs of the type, and the help; options whose values are names
 * have an alias (`other`) or NULL. OPTION_INPUT is a file that is read, OPTION_OUTPUT one that is
 * written. */
#define OPTION_ROW(option, word, shown, of, field, kind, text)                                     \
    .name = option, .value = word, .is_common = shown, .help = text,                               \
    .type = MESHCAST_OPTION_##kind, .offset = offsetof(of, field)
#define OPTION_FLAG(option, shown, of, field, text)                                                \
    {                                                                                              \
        OPTION_ROW(option, NULL, shown, of, field, FLAG, text)                                     \
    }
#define OPTION_NUMBER(option, word, shown, of, field, low, high, text)                             \
    {                                                                                              \
        OPTION_ROW(option, word, shown, of, field, NUMBER, text), .least = low, .most = high       \
    }
#define OPTION_SEED(shown, of, field, text)                                                        \
    {                                                                                              \
        OPTION_ROW("seed", "S", shown, of, field, SEED, text)                                      \
    }
#define OPTION_CHOICE(option, word, shown, of, field, words, text)                                 \
    {                                                                                              \
        OPTION_ROW(option, word, shown, of, field, CHOICE, text), .choices = words                 \
    }
#define OPTION_OTHER(option, word, shown, of, field, function, text)                               \
    {                                                                                              \
        OPTION_ROW(option, word, shown, of, field, OTHER, text), .accept = function                \
    }
#define OPTION_LIST(option, other, word, shown, of, field, function, family, text)                 \
    {                                                                                              \
        OPTION_ROW(option, word, shown, of, field, OTHER, text),                                   \
            .alias = other, .accept = function, .names = family, .is_list = true                   \
    }
#define OPTION_NAME(option, other, word, shown, of, field, family, text)                           \
    {                                                                                              \
        OPTION_ROW(option, word, shown, of, field, TEXT, text), .alias = other, .names = family    \
    }
#define OPTION_TOPOLOGY(shown, of, field, text)                                                    \
    {                                                                                              \
        OPTION_ROW("topology", "T", shown, of, field, TEXT, text), .is_topology = true             \
    }
#define OPTION_WITHOUT(shown, of, field)                                                           \
    OPTION_INPUT("without", "FILE", shown, of, field,                                              \
                 "a broken mesh or torus: FILE lists what is missing, a line each: node I,\n"      \
                 "link A B (both directions), link A>B; 'meshcast gen --faults' draws one")
#define OPTION_INPUT(option, word, shown, of, field, text)                                         \
    {                                                                                              \
        OPTION_ROW(option, word, shown, of, field, TEXT, text), .is_file = true                    \
    }
#define OPTION_OUTPUT(option, word, short_form, shown, of, field, text)                            \
    {                                                                                              \
        OPTION_ROW(option, word, shown, of, field, TEXT, text), .letter = short_form,              \
                                                                .is_file = true, .is_output = true \
    }

/* The values of `shown`. */
enum { RARE = false, COMMON = true };

/* Reads the value into the field. FAIL_USAGE: the text says which values are accepted. */
enum failure_kind option_take_value(const struct meshcast_option *row, char *value, void *field,
                                    struct failure *failure);

/* Finds the row of the option by meshcast_option_is(); *base is its table's. NULL: none. */
const struct meshcast_option *option_find(const struct meshcast_option_table *tables,
                                          const char *name, size_t length, size_t *base);

/* Finds a value of the option `name` in `choices`, which ends with NULL; for an accept() that needs
 * more than the index. FAIL_USAGE: the text names the nearest, and all. */
enum failure_kind option_take_choice(const char *name, const char *const *choices,
                                     const char *value, uint32_t *index, struct failure *failure);

/* Reads only digits, a number 1 .. most; the rest begins at *end. 0: no such number. */
uint32_t option_scan_number(const char *text, uint32_t most, const char **end);

/* Reads M, a square mesh, or ROWSxCOLS, the value of the option `name`. */
enum failure_kind option_take_mesh(const char *name, const char *value, struct mesh *mesh,
                                   struct failure *failure);

/* Accepts the value of --side: the accept(), whose field is a struct mesh. */
int option_parse_side(void *field, char *value, struct failure *failure);

#endif
