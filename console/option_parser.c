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
    const struct meshcast_option_table *tables;
    void *options;
    struct operands *operands;
    struct failure *failure;
};

enum failure_kind option_take_error(enum meshcast_status status, const struct meshcast_error *error,
                                    struct failure *failure)
{
    if (status == MESHCAST_OK)
        return FAIL_NONE;
    fail(failure, (enum failure_kind)status, "%s", error->text);
    memcpy(failure->topic, error->topic, sizeof failure->topic);
    failure->is_memory_limit = status == MESHCAST_SYSTEM && strcmp(error->topic, "memory") == 0;
    return failure->kind;
}

static enum failure_kind fail_unknown_option(const struct reader *reader, const char *word)
{
    struct name_family family = option_names(reader->tables);
    return fail_unknown_name(reader->failure, &family, word);
}

/* `attached` is the value in the same word, NULL if there is none. */
static enum failure_kind take_option(struct reader *reader, const struct meshcast_option *row,
                                     size_t base, char *attached)
{
    char *value = attached;
    if (row->type == MESHCAST_OPTION_FLAG && attached != NULL)
        return fail(reader->failure, FAIL_USAGE, "--%s takes no value, not '%.40s'", row->name,
                    attached);
    if (row->type != MESHCAST_OPTION_FLAG && value == NULL) {
        if (reader->next == reader->argc)
            return fail(reader->failure, FAIL_USAGE, "--%s needs a value: --%s %s", row->name,
                        row->name, row->value);
        value = reader->argv[reader->next++];
    }
    if (base == OPTION_OF_LIBRARY) {
        struct meshcast_error error;
        return option_take_error(
            meshcast_command_set(reader->operands->command, row->name, value, &error), &error,
            reader->failure);
    }
    return option_take_value(row, value, (char *)reader->options + base + row->offset,
                             reader->failure);
}

/* `word` begins with two dashes and is longer than them. */
static enum failure_kind take_long(struct reader *reader, char *word)
{
    char *name = word + 2;
    size_t length = strcspn(name, "="), base;
    const struct meshcast_option *row = option_find(reader->tables, name, length, &base);
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
    const struct meshcast_option *row = option_find_letter(reader->tables, word[1], &base);
    if (row == NULL)
        return fail_unknown_option(reader, word);
    return take_option(reader, row, base, word[2] != '\0' ? word + 2 : NULL);
}

static void take_operand(struct reader *reader, char *word)
{
    reader->operands->operand[reader->operands->count++] = word;
}

enum failure_kind option_parse(int argc, char **argv, const struct meshcast_option_table *tables,
                               void *options, struct operands *operands, struct failure *failure)
{
    struct reader reader = {argc, 0, argv, tables, options, operands, failure};
    operands->operand = argv;
    operands->count = 0;
    operands->help = HELP_NONE;
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

static void print_row(const struct meshcast_option *row, const char *text, FILE *out)
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

void option_print_help(const struct meshcast_option_table *tables, FILE *out)
{
    static const struct meshcast_option help = {
        .name = "help", .letter = 'h', .help = "print this; -h: a summary"};
    for (uint32_t t = 0; t < MESHCAST_OPTION_TABLES; t++)
        for (uint32_t i = 0; i < tables[t].rows; i++)
            if (tables[t].row[i].help != NULL)
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

void option_print_summary(const struct meshcast_option_table *tables, FILE *out)
{
    char line[HELP_WIDTH];
    bool has_others = false;
    for (uint32_t t = 0; t < MESHCAST_OPTION_TABLES; t++)
        for (uint32_t i = 0; i < tables[t].rows; i++)
            if (tables[t].row[i].is_common) {
                write_summary(tables[t].row[i].help, line);
                print_row(&tables[t].row[i], line, out);
            }
    for (uint32_t t = 0; t < MESHCAST_OPTION_TABLES; t++)
        for (uint32_t i = 0; i < tables[t].rows; i++)
            if (!tables[t].row[i].is_common && tables[t].row[i].help != NULL) {
                fprintf(out, "%s--%s", has_others ? ", " : "  also  ", tables[t].row[i].name);
                has_others = true;
            }
    if (has_others)
        fputc('\n', out);
}

bool option_flag_is_set(const struct meshcast_option_table *tables, const void *options,
                        const char *name)
{
    size_t base;
    const struct meshcast_option *row = option_find(tables, name, strlen(name), &base);
    return row != NULL && row->type == MESHCAST_OPTION_FLAG &&
           *(const bool *)((const char *)options + base + row->offset);
}
