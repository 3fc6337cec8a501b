/* option_table.c - finds options and reads their values.
 *
 * Numbers are read strictly: only digits, no sign, no space, nothing after them, within the range
 * that the message names.
 */
#include "library/option_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool parse_uint64(const char *text, bool may_be_hexadecimal, uint64_t *value)
{
    uint64_t base = 10, sum = 0;
    if (may_be_hexadecimal && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *found = strchr(digits, *text);
        uint64_t digit = found == NULL ? base : (uint64_t)(found - digits) % 16;
        if (digit >= base || sum > (UINT64_MAX - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    *value = sum;
    return true;
}

bool meshcast_option_is(const struct meshcast_option *option, const char *name, size_t length)
{
    const char *const names[] = {option->name, option->alias};
    for (int i = 0; i < 2; i++)
        if (names[i] != NULL && strncmp(names[i], name, length) == 0 && names[i][length] == '\0')
            return true;
    return false;
}

const struct meshcast_option *option_find(const struct meshcast_option_table *tables,
                                          const char *name, size_t length, size_t *base)
{
    for (uint32_t t = 0; t < MESHCAST_OPTION_TABLES; t++) {
        const struct meshcast_option_table *table = &tables[t];
        for (uint32_t i = 0; i < table->rows; i++) {
            const struct meshcast_option *row = &table->row[i];
            *base = table->base;
            if (meshcast_option_is(row, name, length))
                return row;
        }
    }
    return NULL;
}

enum failure_kind option_take_choice(const char *name, const char *const *choices,
                                     const char *value, uint32_t *index, struct failure *failure)
{
    char singular[64], plural[64];
    snprintf(singular, sizeof singular, "value of --%s", name);
    snprintf(plural, sizeof plural, "values of --%s", name);
    struct name_family family = {singular, plural, "", name_of_array, choices};
    return name_family_find(&family, value, index, failure);
}

static enum failure_kind take_number(const struct meshcast_option *row, const char *value,
                                     uint32_t *field, struct failure *failure)
{
    uint64_t number;
    if (!parse_uint64(value, false, &number) || number < row->least || number > row->most)
        return fail(failure, FAIL_USAGE,
                    "--%s takes a whole number from %" PRIu32 " to %" PRIu32 ", not '%.40s'",
                    row->name, row->least, row->most, value);
    *field = (uint32_t)number;
    return FAIL_NONE;
}

static enum failure_kind take_text(const struct meshcast_option *row, const char *value,
                                   const char **field, struct failure *failure)
{
    if (*value == '\0')
        return fail(failure, FAIL_USAGE, "--%s takes a %s, not an empty word", row->name,
                    row->value);
    *field = value;
    return FAIL_NONE;
}

static enum failure_kind take_seed(const char *name, const char *value, uint64_t *seed,
                                   struct failure *failure)
{
    if (parse_uint64(value, true, seed))
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--%s takes a whole number from 0 to 2^64-1, decimal or hexadecimal after 0x, "
                "not '%.40s'",
                name, value);
}

uint32_t option_scan_number(const char *text, uint32_t most, const char **end)
{
    uint64_t number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && number <= most; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    *end = at;
    return at == text || number > most ? 0 : (uint32_t)number;
}

enum failure_kind option_take_mesh(const char *name, const char *value, struct mesh *mesh,
                                   struct failure *failure)
{
    const char *end;
    mesh->rows = option_scan_number(value, MESH_MAX_SIDE, &end);
    mesh->cols = mesh->rows;
    if (*end == 'x')
        mesh->cols = option_scan_number(end + 1, MESH_MAX_SIDE, &end);
    if (*end == '\0' && mesh_is_valid(mesh->rows, mesh->cols))
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--%s takes a side from 1 to %d, or ROWSxCOLS, of at most %d nodes, not '%.40s'",
                name, MESH_MAX_SIDE, MESH_MAX_NODES, value);
}

int option_parse_side(void *field, char *value, struct failure *failure)
{
    return option_take_mesh("side", value, field, failure);
}

enum failure_kind option_take_value(const struct meshcast_option *row, char *value, void *field,
                                    struct failure *failure)
{
    switch (row->type) {
    case MESHCAST_OPTION_FLAG:
        *(bool *)field = true;
        return FAIL_NONE;
    case MESHCAST_OPTION_TEXT:
        return take_text(row, value, field, failure);
    case MESHCAST_OPTION_NUMBER:
        return take_number(row, value, field, failure);
    case MESHCAST_OPTION_SEED:
        return take_seed(row->name, value, field, failure);
    case MESHCAST_OPTION_CHOICE:
        return option_take_choice(row->name, row->choices, value, field, failure);
    case MESHCAST_OPTION_OTHER:
        break;
    }
    return (enum failure_kind)row->accept(field, value, failure);
}
