/* command_help.c - prints the help of `meshcast` without a command, -h, --help and `meshcast help`.
 *
 * --help begins with examples, since most readers look for a line to change. Examples are printed
 * as they are; the rest is broken to the width of a terminal. -h is a summary that fits on one
 * screen.
 */
#include "cli/command.h"
#include "cli/help_text.h"

#include <stdlib.h>
#include <string.h>

static const char program_examples[] =
    "  meshcast import west0479.mtx -o west.mcast   the messages of y = A x\n"
    "  meshcast info west.mcast                     what the set asks of a mesh\n"
    "  meshcast compare west.mcast                  every router on it, a row each\n"
    "  meshcast route west.mcast --router replicate --json\n"
    "  meshcast stress west.mcast --router stream   the least buffer that suffices\n"
    "  meshcast kernel sort --side 256              one primitive by itself\n"
    "  meshcast network west.mcast --scheme dual    as worms, on a network of flits\n"
    "  meshcast load --topology torus:8x8 --scheme unicast --vcs 2 --rate 0.1,0.2,0.3\n"
    "  meshcast expander check --inputs 1024 --c 32 --r 4   how well it expands\n"
    "  meshcast gen --side 32 --pattern uniform --degree 8 --congestion 8 -o u.mcast\n";

/* Writes by print(), in lines that fit on a terminal; in the lines as printed if there is no
 * memory. */
static void write_fitting(void (*print)(const struct command *command, FILE *out),
                          const struct command *command, FILE *out)
{
    char *text = NULL;
    size_t size;
    FILE *page = open_memstream(&text, &size);
    if (page != NULL)
        print(command, page);
    bool is_whole = page != NULL && ferror(page) == 0;
    if (page != NULL && fclose(page) == 0 && is_whole)
        help_text_write(text, out);
    else
        print(command, out);
    free(text);
}

/* Prints the commands for people, by group. */
static void print_commands(FILE *out)
{
    const struct command *command;
    for (uint32_t i = 0; (command = command_at(i)) != NULL && !command->is_for_programs; i++) {
        if (command->group != NULL)
            fprintf(out, "%s%s:\n", i > 0 ? "\n" : "", command->group);
        fprintf(out, "  %-10s %s\n", command->name, command_row(command)->summary);
    }
}

static void print_program(const struct command *command, FILE *out)
{
    (void)command;
    fputs("\nUsage: meshcast COMMAND [options] [files]\n\nCommands:\n\n", out);
    print_commands(out);
    fputs("\nOptions:\n"
          "  -h, --help     print this; after a command: -h a summary, --help everything\n"
          "  -V, --version  print the program's version\n"
          "\n'-' as a file name is standard input or output. meshcast-mpi, which 'make MPI=1'\n"
          "builds, is the same program for MPI: mpirun starts it, and its processes share one\n"
          "run.\n"
          "\nExit status: 0 success; 1 the run ended but a check failed; 2 wrong usage;\n"
          "3 bad input; 4 the system failed (cannot open, disk full, out of memory).\n"
          "A program that a signal ends (Ctrl-C; a reader that went away) dies of that\n"
          "signal and leaves no temporary file; load, network and search first write what\n"
          "they have, into their files too.\n"
          "\nThe manual: man meshcast, man meshcast-set.\n",
          out);
}

void command_print_program(FILE *out)
{
    fprintf(out,
            "meshcast measures how long multicast traffic takes on a mesh, on a synchronous\n"
            "mesh machine or on a network of flits, beside lower bounds.\n\nExamples:\n%s",
            program_examples);
    write_fitting(print_program, NULL, out);
}

void command_print_overview(FILE *out)
{
    fputs("usage: meshcast COMMAND [options] [files]\n\n", out);
    print_commands(out);
    fputs("\n'meshcast COMMAND -h' is a summary of a command, '--help' everything about it;\n"
          "'meshcast help routers|schemes|patterns|formats' lists what commands can name.\n",
          out);
}

static void print_title(const struct command *command, FILE *out)
{
    fprintf(out, "meshcast %s: %s\n", command->name, command_row(command)->summary);
}

/* ---- of a command ---- */

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

static void print_options(const struct command *command, FILE *out)
{
    static const struct meshcast_option help = {
        .name = "help", .letter = 'h', .help = "print this; -h: a summary"};
    const struct meshcast_command_row *row = command_row(command);
    const struct meshcast_option *option;
    fprintf(out, "\nUsage: meshcast %s %s\n\nOptions:\n", row->name, row->synopsis);
    for (uint32_t i = 0; (option = command_option(command, i, NULL)) != NULL; i++)
        if (option->help != NULL)
            print_row(option, option->help, out);
    print_row(&help, help.help, out);
    if (row->print_more != NULL)
        row->print_more(out);
    if (row->topics != NULL)
        fprintf(out, "\nSee also: %s.\n", row->topics);
}

void command_print_help(const struct command *command, FILE *out)
{
    write_fitting(print_title, command, out);
    fprintf(out, "\nExamples:\n%s", command_row(command)->examples);
    write_fitting(print_options, command, out);
}

enum { EXAMPLE_LINES = 2 /* lines of a summary */ };

/* Prints a command's first complete examples, up to EXAMPLE_LINES lines; a backslash continues an
 * example. */
static void print_first_examples(const char *examples, FILE *out)
{
    const char *line = examples, *end = examples;
    for (int lines = 0; lines < EXAMPLE_LINES && *line != '\0'; lines++) {
        line += strcspn(line, "\n") + 1;
        if (line[-2] != '\\')
            end = line;
    }
    fprintf(out, "%.*s", (int)(end - examples), examples);
}

/* Writes the summary of a help text to `line`, for -h: all of it if that is one line, else the
 * first clause, which ends before " (", or with ";", ":" or ".". */
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

/* Prints a line for each common option, then the names of the others. */
static void print_option_summaries(const struct command *command, FILE *out)
{
    char line[HELP_WIDTH];
    bool has_others = false;
    const struct meshcast_option *option;
    for (uint32_t i = 0; (option = command_option(command, i, NULL)) != NULL; i++)
        if (option->is_common) {
            write_summary(option->help, line);
            print_row(option, line, out);
        }
    for (uint32_t i = 0; (option = command_option(command, i, NULL)) != NULL; i++)
        if (!option->is_common && option->help != NULL) {
            fprintf(out, "%s--%s", has_others ? ", " : "  also  ", option->name);
            has_others = true;
        }
    if (has_others)
        fputc('\n', out);
}

static void print_summary(const struct command *command, FILE *out)
{
    const struct meshcast_command_row *row = command_row(command);
    fprintf(out, "Usage: meshcast %s %s\n\nExamples:\n", row->name, row->synopsis);
    print_first_examples(row->examples, out);
    fputs("\nOptions:\n", out);
    print_option_summaries(command, out);
    fprintf(out, "\n'meshcast %s --help' explains everything", row->name);
    if (row->topics != NULL)
        fprintf(out, "; see also %s", row->topics);
    fputs(".\n", out);
}

void command_print_summary(const struct command *command, FILE *out)
{
    /* apart, or the title's end and the usage would be joined to one line */
    write_fitting(print_title, command, out);
    write_fitting(print_summary, command, out);
}

/* ---- topics: names that commands accept ---- */

/* Returns the names of the commands, then both names of the topics, each once. */
static const char *subject_at(const void *context, uint32_t index)
{
    for (uint32_t i = 0; command_names.name_at(context, i) != NULL; i++, index--)
        if (index == 0)
            return command_names.name_at(context, i);
    const struct meshcast_topic *topic;
    for (uint32_t i = 0; (topic = meshcast_topic_at(i)) != NULL; i++, index--)
        if (index == 0)
            return topic->plural;
    for (uint32_t i = 0; (topic = meshcast_topic_at(i)) != NULL; i++)
        if (topic->names != NULL && index-- == 0)
            return topic->singular;
    return NULL;
}

static const struct name_family subjects = {"subject", "subjects", "", subject_at, NULL};

static void print_list(const struct meshcast_topic *topic, FILE *out)
{
    fprintf(out, "%c%s ('meshcast help %s NAME' says more about one):\n",
            topic->plural[0] - 'a' + 'A', topic->plural + 1, topic->singular);
    for (uint32_t i = 0; topic->names->name_at(topic->names->context, i) != NULL; i++)
        fprintf(out, "  %-11s %s\n", topic->names->name_at(topic->names->context, i),
                topic->summary(i));
}

/* Prints the topic's list, or the help of one name, in lines that fit on a terminal. */
static enum failure_kind print_topic(const struct meshcast_topic *topic, const char *name,
                                     struct failure *failure)
{
    char *text = NULL;
    size_t size;
    uint32_t index = 0;
    if (name != NULL && topic->names == NULL)
        return fail(failure, FAIL_USAGE, "unexpected '%.80s'", name);
    bool is_file = name != NULL && topic->print_file != NULL && strchr(name, '/') != NULL;
    if (name != NULL && !is_file &&
        name_family_find(topic->names, name, &index, failure) != FAIL_NONE)
        return failure->kind;
    FILE *page = open_memstream(&text, &size);
    if (page == NULL)
        return fail_memory(failure, "the help");
    if (is_file)
        topic->print_file(name, page, failure);
    else if (topic->names == NULL || name != NULL)
        topic->print(index, page);
    else
        print_list(topic, page);
    fclose(page);
    help_text_write(text, stdout);
    free(text);
    return failure->kind;
}

static const struct meshcast_topic *find_topic(const char *subject)
{
    const struct meshcast_topic *topic = NULL;
    for (uint32_t i = 0; (topic = meshcast_topic_at(i)) != NULL; i++)
        if (strcmp(subject, topic->plural) == 0 || strcmp(subject, topic->singular) == 0)
            break;
    return topic;
}

/* Prints the help of `name` in all topics that have it; false if none has. */
static bool print_named(const char *name, struct failure *failure)
{
    const struct meshcast_topic *topic;
    uint32_t found = 0;
    for (uint32_t i = 0; (topic = meshcast_topic_at(i)) != NULL && failure->kind == FAIL_NONE; i++)
        if (topic->names != NULL && name_family_index(topic->names, name) != UINT32_MAX) {
            printf("%s%c%s:\n", found++ > 0 ? "\n" : "", topic->singular[0] - 'a' + 'A',
                   topic->singular + 1);
            print_topic(topic, name, failure);
        }
    return found > 0;
}

static const struct name_family *names_of_subject(const char *subject)
{
    const struct meshcast_topic *topic = find_topic(subject);
    return topic == NULL ? NULL : topic->names;
}

enum failure_kind command_help_run(void *options, const struct operands *operands,
                                   struct failure *failure)
{
    (void)options;
    const char *subject = operands->count > 0 ? operands->operand[0] : NULL;
    const char *name = operands->count > 1 ? operands->operand[1] : NULL;
    if (subject == NULL) {
        command_print_program(stdout);
        return FAIL_NONE;
    }
    const struct meshcast_topic *topic = find_topic(subject);
    if (topic != NULL)
        return print_topic(topic, name, failure);
    const struct command *command = command_find(subject);
    if (command == NULL && name == NULL && print_named(subject, failure))
        return failure->kind;
    if (command == NULL)
        return fail_unknown_name(failure, &subjects, subject);
    if (name != NULL)
        return fail(failure, FAIL_USAGE, "unexpected '%.80s'; expected one COMMAND", name);
    command_print_help(command, stdout);
    return FAIL_NONE;
}

const struct meshcast_command_row command_help = {
    .name = "help",
    .summary = "explain a command, or list routers, schemes, patterns or formats",
    .examples = "  meshcast help route\n"
                "  meshcast help routers\n"
                "  meshcast help router expander\n"
                "  meshcast help stream\n",
    .synopsis = "[COMMAND | routers | schemes | patterns | formats |\n"
                "           router NAME | scheme NAME | pattern NAME]",
    .operands = "one COMMAND, or router, scheme or pattern and a NAME (of a plugin: its path)",
    .operand_names = &subjects,
    .second_names = names_of_subject,
    .most = 2,
    .options_size = 1,
    .runs_on_ranks = true,
};
