/* command_list.c - the commands of the library and the topics of help, by name.
 *
 * The only object that needs every command, so that commands and their shared helpers need only
 * each other.
 */
#include "library/commands.h"
#include "library/handle_private.h"
#include "library/network_options.h"
#include "library/option_table.h"
#include "library/run_options.h"
#include "network/schemes/scheme.h"
#include "workloads/pattern.h"

#include <string.h>

extern const struct meshcast_command_row command_gen;
extern const struct meshcast_command_row command_import;
extern const struct meshcast_command_row command_info;
extern const struct meshcast_command_row command_place;
extern const struct meshcast_command_row command_route;
extern const struct meshcast_command_row command_compare;
extern const struct meshcast_command_row command_stress;
extern const struct meshcast_command_row command_search;
extern const struct meshcast_command_row command_kernel;
extern const struct meshcast_command_row command_expander;
extern const struct meshcast_command_row command_plan;
extern const struct meshcast_command_row command_network;
extern const struct meshcast_command_row command_load;
extern const struct meshcast_command_row command_audit;
extern const struct meshcast_command_row command_view;

static const struct meshcast_command_row *const COMMANDS[] = {
    &command_gen,     &command_import,  &command_info,   &command_place,  &command_route,
    &command_compare, &command_stress,  &command_search, &command_kernel, &command_expander,
    &command_plan,    &command_network, &command_load,   &command_audit,  &command_view,
};

enum { COUNT = sizeof COMMANDS / sizeof *COMMANDS };

static const struct meshcast_command_row *const *commands_of_program;

void meshcast_set_commands(const struct meshcast_command_row *const *commands)
{
    commands_of_program = commands;
}

const struct meshcast_command_row *meshcast_command_at(uint32_t index)
{
    if (index < COUNT)
        return COMMANDS[index];
    return commands_of_program == NULL ? NULL : commands_of_program[index - COUNT];
}

static const char *name_at(const void *context, uint32_t index)
{
    (void)context;
    const struct meshcast_command_row *row = meshcast_command_at(index);
    return row == NULL ? NULL : row->name;
}

static const struct name_family command_names = {"command", "commands", "", name_at, NULL};

const char *meshcast_command_value_at(const char *command, const char *option, uint32_t index)
{
    uint32_t place = name_family_index(&command_names, command);
    const struct meshcast_command_row *row =
        place == UINT32_MAX ? NULL : meshcast_command_at(place);
    const struct name_family *names = row == NULL ? NULL : row->operand_names;
    size_t base;
    if (row != NULL && option != NULL) {
        const struct meshcast_option *found =
            option_find(row->options, option, strlen(option), &base);
        names = found == NULL ? NULL : found->names;
    }
    return names == NULL ? NULL : names->name_at(names->context, index);
}

struct meshcast_command *meshcast_command_new(const char *name, struct meshcast_error *error)
{
    struct failure failure = {0};
    uint32_t index;
    struct meshcast_command *command = NULL;
    if (name_family_find(&command_names, name, &index, &failure) == FAIL_NONE) {
        const struct meshcast_command_row *row = meshcast_command_at(index);
        command = memory_allocate(1, sizeof *command);
        if (command != NULL) {
            command->row = row;
            command->options = memory_allocate(1, row->options_size);
            command->operand = memory_allocate((size_t)row->most + 1, sizeof *command->operand);
        }
        if (command == NULL || command->options == NULL || command->operand == NULL) {
            fail_memory(&failure, "a command");
            meshcast_command_free(command);
            command = NULL;
        }
    }
    error_give(error, &failure);
    return command;
}

/* ---- subjects of help that are not commands: names that commands accept ---- */

static const char *router_summary(uint32_t index)
{
    return router_at(index)->summary;
}

static const char *scheme_summary(uint32_t index)
{
    return scheme_at(index)->summary;
}

static const char *pattern_summary(uint32_t index)
{
    return pattern_at(index)->summary;
}

static const struct meshcast_topic TOPICS[] = {
    {"routers", "router", &router_names, router_summary, run_print_router, run_print_plugin},
    {"schemes", "scheme", &scheme_names, scheme_summary, scheme_print, NULL},
    {"patterns", "pattern", &pattern_names, pattern_summary, gen_print_pattern, NULL},
    {"formats", "formats", NULL, NULL, import_print_formats, NULL},
};

enum { TOPICS_COUNT = sizeof TOPICS / sizeof *TOPICS };

const struct meshcast_topic *meshcast_topic_at(uint32_t index)
{
    return index < TOPICS_COUNT ? &TOPICS[index] : NULL;
}
