/* option_parser.c - the command line's grammar, the same for every command.
 *
 * Method: one pass over argv. Operands are moved to its front as they are found, which never
 * overtakes the reading. Numbers are read strictly: digits alone, no sign, no space, nothing after
 * them, within the range that the message names. Names of options are not abbreviated, so that a
 * new option never changes what an old script means; a near miss is answered with the right name.
 *
 * Invariant: every value goes through take_value(), and from there by its row's type.
 */
#include "console/option_parser.h"

#include "base/suggestion.h"
#include "console/help_text.h"

#include <inttypes.h>
#include <string.h>

/* Where the reading stands. */
struct reader {
    int argc, next; /* argv[next] is read next */
    char **argv;
    const struct option_table *tables;
    void *options;
    struct operands *operands;
    struct failure *failure;
};

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

static const char *option_name_at(const void *context, uint32_t index)
{
    const struct option_table *tables = context;
    for (uint32_t t = 0; t < OPTION_TABLES; t++) {
        if (index < tables[t].rows)
            return tables[t].row[index].name;
        index -= tables[t].rows;
    }
    return index == 0 ? "help" : NULL;
}

const struct option_row *option_find(const struct option_table *tables, const char *name,
                                     size_t length, size_t *base)
{
    for (uint32_t t = 0; t < OPTION_TABLES; t++) {
        const struct option_table *table = &tables[t];
        for (uint32_t i = 0; i < table->rows; i++) {
            const struct option_row *row = &table->row[i];
            *base = table->base;
            if (strncmp(row->name, name, length) == 0 && row->name[length] == '\0')
                return row;
        }
    }
    return NULL;
}

const struct option_row *option_find_letter(const struct option_table *tables, char letter,
                                            size_t *base)
{
    for (uint32_t t = 0; t < OPTION_TABLES; t++) {
        const struct option_table *table = &tables[t];
        for (uint32_t i = 0; i < table->rows; i++) {
            *base = table->base;
            if (table->row[i].letter == letter)
                return &table->row[i];
        }
    }
    return NULL;
}

struct name_family option_names(const struct option_table *tables)
{
    return (struct name_family){"option", "options", "--", option_name_at, tables};
}

static enum failure_kind fail_unknown_option(const struct reader *reader, const char *word)
{
    struct name_family family = option_names(reader->tables);
    return fail_unknown_name(reader->failure, &family, word);
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

static enum failure_kind take_number(const struct option_row *row, const char *value,
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

static enum failure_kind take_text(const struct option_row *row, const char *value,
                                   const char **field, struct failure *failure)
{
    if (*value == '\0')
        return fail(failure, FAIL_USAGE, "--%s takes a %s, not an empty word", row->name,
                    row->value);
    *field = value;
    return FAIL_NONE;
}

enum failure_kind option_take_seed(const char *name, const char *value, uint64_t *seed,
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

static enum failure_kind take_value(const struct option_row *row, char *value, void *field,
                                    struct failure *failure)
{
    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return FAIL_NONE;
    case OPTION_TEXT:
        return take_text(row, value, field, failure);
    case OPTION_NUMBER:
        return take_number(row, value, field, failure);
    case OPTION_SEED:
        return option_take_seed(row->name, value, field, failure);
    case OPTION_CHOICE:
        return option_take_choice(row->name, row->choices, value, field, failure);
    case OPTION_ACCEPT:
        break;
    }
    return row->accept(field, value, failure);
}

/* `attached` is the value in the same word, NULL if there is none. */
static enum failure_kind take_option(struct reader *reader, const struct option_row *row,
                                     size_t base, char *attached)
{
    char *value = attached;
    if (row->type == OPTION_FLAG && attached != NULL)
        return fail(reader->failure, FAIL_USAGE, "--%s takes no value, not '%.40s'", row->name,
                    attached);
    if (row->type != OPTION_FLAG && value == NULL) {
        if (reader->next == reader->argc)
            return fail(reader->failure, FAIL_USAGE, "--%s needs a value: --%s %s", row->name,
                        row->name, row->value);
        value = reader->argv[reader->next++];
    }
    return take_value(row, value, (char *)reader->options + base + row->offset, reader->failure);
}

/* `word` begins with two dashes and is longer than them. */
static enum failure_kind take_long(struct reader *reader, char *word)
{
    char *name = word + 2;
    size_t length = strcspn(name, "="), base;
    const struct option_row *row = option_find(reader->tables, name, length, &base);
    if (row == NULL) {
        name[length] = '\0';
        return fail_unknown_option(reader, word);
    }
    return take_option(reader, row, base, name[length] == '=' ? name + length + 1 : NULL);
}

/* `word` is a dash and a letter, perhaps followed by the value. */
static enum failure_kind take_short(struct reader *reader, char *word)
{
    size_t base;
    const struct option_row *row = option_find_letter(reader->tables, word[1], &base);
    if (row == NULL)
        return fail_unknown_option(reader, word);
    return take_option(reader, row, base, word[2] != '\0' ? word + 2 : NULL);
}

static void take_operand(struct reader *reader, char *word)
{
    reader->operands->operand[reader->operands->count++] = word;
}

enum failure_kind option_parse(int argc, char **argv, const struct option_table *tables,
                               void *options, struct operands *operands, struct failure *failure)
{
    struct reader reader = {argc, 0, argv, tables, options, operands, failure};
    *operands =
        (struct operands){.operand = argv, .line = operands->line, .ranks = operands->ranks};
    bool options_ended = false;
    while (reader.next < argc) {
        char *word = argv[reader.next++];
        enum failure_kind kind = FAIL_NONE;
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            take_operand(&reader, word);
        } else if (strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            operands->help = word[1] == '-' ? HELP_FULL : HELP_SUMMARY;
            return FAIL_NONE;
        } else {
            kind = word[1] == '-' ? take_long(&reader, word) : take_short(&reader, word);
        }
        if (kind != FAIL_NONE)
            return kind;
    }
    return FAIL_NONE;
}

static void print_row(const struct option_row *row, const char *text, FILE *out)
{
    char left[40], letter[5] = "";
    if (row->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, row->value == NULL ? "" : " ",
             row->value == NULL ? "" : row->value);
    const char *line = text;
    for (;;) {
        int length = (int)strcspn(line, "\n");
        if (strlen(left) > 22) { /* has a line of its own */
            fprintf(out, "  %s\n", left);
            left[0] = '\0';
        }
        fprintf(out, "  %-22s %.*s\n", left, length, line);
        if (line[length] == '\0')
            return;
        line += length + 1;
        left[0] = '\0';
    }
}

void option_print_help(const struct option_table *tables, FILE *out)
{
    static const struct option_row help = {
        .name = "help", .letter = 'h', .help = "print this; -h: a summary"};
    for (uint32_t t = 0; t < OPTION_TABLES; t++)
        for (uint32_t i = 0; i < tables[t].rows; i++)
            print_row(&tables[t].row[i], tables[t].row[i].help, out);
    print_row(&help, help.help, out);
}

/* Writes what -h shows of a help text to `line`. */
static void write_summary(const char *help, char line[HELP_WIDTH])
{
    enum { ROOM = HELP_WIDTH - 26 }; /* beside the names of options */
    size_t end = strlen(help);
    if (end > ROOM || strchr(help, '\n') != NULL)
        for (end = 0; help[end] != '\n' && help[end] != '\0'; end++)
            if (strncmp(help + end, " (", 2) == 0 ||
                (strchr(";:.", help[end]) != NULL && strchr(" \n", help[end + 1]) != NULL))
                break;
    snprintf(line, HELP_WIDTH, "%.*s", (int)end, help);
}

void option_print_summary(const struct option_table *tables, FILE *out)
{
    char line[HELP_WIDTH];
    bool has_others = false;
    for (uint32_t t = 0; t < OPTION_TABLES; t++)
        for (uint32_t i = 0; i < tables[t].rows; i++)
            if (tables[t].row[i].is_common) {
                write_summary(tables[t].row[i].help, line);
                print_row(&tables[t].row[i], line, out);
            }
    for (uint32_t t = 0; t < OPTION_TABLES; t++)
        for (uint32_t i = 0; i < tables[t].rows; i++)
            if (!tables[t].row[i].is_common) {
                fprintf(out, "%s--%s", has_others ? ", " : "  also  ", tables[t].row[i].name);
                has_others = true;
            }
    if (has_others)
        fputc('\n', out);
}

bool option_flag_is_set(const struct option_table *tables, const void *options, const char *name)
{
    size_t base;
    const struct option_row *row = option_find(tables, name, strlen(name), &base);
    return row != NULL && row->type == OPTION_FLAG &&
           *(const bool *)((const char *)options + base + row->offset);
}
