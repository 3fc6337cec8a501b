/* command.c - the commands, rows of one static table, their options, and the command line's
 * grammar, the same for all.
 *
 * Method: one pass over argv. Operands are moved to its front as they are found, which never
 * overtakes the reading. Names of options are not abbreviated, so that a new option never changes
 * the meaning of an old script; a near miss is answered with the right name.
 */
#include "cli/command.h"

#include <string.h>

/* The commands in the order in which --help lists them. */
static const struct command COMMANDS[] = {
    {.group = "Message sets", .name = "gen"},
    {.name = "import"},
    {.name = "info"},
    {.name = "place"},
    {.group = "Mesh machine (synchronous, store and forward)", .name = "route"},
    {.name = "compare"},
    {.name = "stress"},
    {.name = "search"},
    {.name = "kernel"},
    {.name = "expander"},
    {.group = "Network (flits, virtual channels, wormhole switching)", .name = "plan"},
    {.name = "network"},
    {.name = "load"},
    {.group = "Results", .name = "audit"},
    {.name = "view"},
    {.name = "sweep"},
    {.name = "report"},
    {.group = "Help", .name = "help", .row = &command_help, .run = command_help_run},
    {.name = "complete",
     .row = &command_complete,
     .run = command_complete_run,
     .is_for_programs = true},
};

enum { COMMANDS_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

const struct command *command_at(uint32_t index)
{
    return index < COMMANDS_COUNT ? &COMMANDS[index] : NULL;
}

const struct command *command_find(const char *name)
{
    for (uint32_t i = 0; i < COMMANDS_COUNT; i++)
        if (strcmp(COMMANDS[i].name, name) == 0)
            return &COMMANDS[i];
    return NULL;
}

const struct meshcast_command_row *command_row(const struct command *command)
{
    const struct meshcast_command_row *row = command->row;
    for (uint32_t i = 0; row == NULL || strcmp(row->name, command->name) != 0; i++)
        row = meshcast_command_at(i);
    return row;
}

static const char *name_at(const void *context, uint32_t index)
{
    (void)context;
    const struct command *command = command_at(index);
    return command == NULL || command->is_for_programs ? NULL : command->name;
}

static const char *rank_name_at(const void *context, uint32_t index)
{
    (void)context;
    for (uint32_t i = 0; i < COMMANDS_COUNT; i++)
        if (command_row(&COMMANDS[i])->runs_on_ranks && index-- == 0)
            return COMMANDS[i].name;
    return NULL;
}

const struct name_family command_names = {"command", "commands", "", name_at, NULL};
const struct name_family rank_command_names = {"command", "commands that run on ranks", "",
                                               rank_name_at, NULL};

/* ---- options ---- */

size_t command_options_size(const struct command *command)
{
    return command->row == NULL ? sizeof(struct client_options) : command->row->options_size;
}

const struct meshcast_option *command_option(const struct command *command, uint32_t index,
                                             size_t *base)
{
    const struct meshcast_option_table *tables = command_row(command)->options;
    for (uint32_t t = 0; t <= MESHCAST_OPTION_TABLES; t++) {
        const struct meshcast_option_table *table =
            t < MESHCAST_OPTION_TABLES ? &tables[t] : &client_option_table;
        if (t == MESHCAST_OPTION_TABLES && command->row != NULL)
            break;
        if (base != NULL)
            *base = table->base;
        if (index < table->rows)
            return &table->row[index];
        index -= table->rows;
    }
    return NULL;
}

const struct meshcast_option *command_find_option(const struct command *command, const char *name,
                                                  size_t length, size_t *base)
{
    const struct meshcast_option *row;
    for (uint32_t i = 0; (row = command_option(command, i, base)) != NULL; i++)
        if (meshcast_option_is(row, name, length))
            return row;
    return NULL;
}

const struct meshcast_option *command_find_letter(const struct command *command, char letter,
                                                  size_t *base)
{
    const struct meshcast_option *row;
    for (uint32_t i = 0; (row = command_option(command, i, base)) != NULL; i++)
        if (row->letter == letter)
            return row;
    return NULL;
}

static const char *option_name_at(const void *command, uint32_t index)
{
    const struct meshcast_option *row;
    for (uint32_t i = 0; (row = command_option(command, i, NULL)) != NULL; i++)
        if (row->help != NULL && index-- == 0)
            return row->name;
    return index == 0 ? "help" : NULL;
}

struct name_family command_option_names(const struct command *command)
{
    return (struct name_family){"option", "options", "--", option_name_at, command};
}

/* ---- the command line ---- */

/* The state of the reading. */
struct reader {
    int argc, next; /* argv[next] is read next */
    char **argv;
    const struct command *command;
    void *options;
    struct operands *operands;
    struct failure *failure;
};

enum failure_kind command_take_error(enum meshcast_status status,
                                     const struct meshcast_error *error, struct failure *failure)
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
    struct name_family family = command_option_names(reader->command);
    return fail_unknown_name(reader->failure, &family, word);
}

/* Reads an option's value; `attached` is the value in the same word, or NULL. */
static enum failure_kind take_option(struct reader *reader, const struct meshcast_option *row,
                                     size_t base, char *attached)
{
    struct meshcast_command *command = reader->operands->command;
    struct meshcast_error error;
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
    if (command != NULL && meshcast_command_takes(command, row->name))
        return command_take_error(meshcast_command_set(command, row->name, value, &error), &error,
                                  reader->failure);
    void *field = (char *)reader->options + base + row->offset;
    if (row->type != MESHCAST_OPTION_FLAG)
        return (enum failure_kind)row->accept(field, value, reader->failure);
    *(bool *)field = true;
    return FAIL_NONE;
}

/* Reads a `word` that begins with two dashes and is longer than them. */
static enum failure_kind take_long(struct reader *reader, char *word)
{
    char *name = word + 2;
    size_t length = strcspn(name, "="), base;
    const struct meshcast_option *row = command_find_option(reader->command, name, length, &base);
    if (row == NULL) {
        name[length] = '\0';
        return fail_unknown_option(reader, word);
    }
    return take_option(reader, row, base, name[length] == '=' ? name + length + 1 : NULL);
}

/* Reads a `word` that is a dash and a letter, perhaps followed by the value. */
static enum failure_kind take_short(struct reader *reader, char *word)
{
    size_t base;
    const struct meshcast_option *row = command_find_letter(reader->command, word[1], &base);
    if (row == NULL)
        return fail_unknown_option(reader, word);
    return take_option(reader, row, base, word[2] != '\0' ? word + 2 : NULL);
}

enum failure_kind command_line_read(int argc, char **argv, const struct command *command,
                                    void *options, struct operands *operands,
                                    struct failure *failure)
{
    struct reader reader = {argc, 0, argv, command, options, operands, failure};
    operands->row = command_row(command);
    operands->operand = argv;
    operands->count = 0;
    operands->help = HELP_NONE;
    bool options_ended = false;
    while (reader.next < argc) {
        char *word = argv[reader.next++];
        enum failure_kind kind = FAIL_NONE;
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            operands->operand[operands->count++] = word;
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

bool command_flag_is_set(const struct command *command, const void *options, const char *name)
{
    size_t base;
    const struct meshcast_option *row = command_find_option(command, name, strlen(name), &base);
    return row != NULL && row->type == MESHCAST_OPTION_FLAG &&
           *(const bool *)((const char *)options + base + row->offset);
}
