/* command_help.c - prints the help of `meshcast` alone, -h, --help and `meshcast help`.
 *
 * --help begins with examples, since most readers look for a line to change. Examples are printed as they are; the rest is
 * broken to the width of a terminal. -h is a summary that fits on one screen.
 */
#include "cli/command.h"
#include "cli/command_table.h"
#include "console/help_text.h"
#include "library/commands.h"
#include "library/network_options.h"
#include "library/run_options.h"
#include "routers/router.h"
#include "schemes/scheme.h"
#include "workloads/pattern.h"

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

/* Writes by print(), in lines that fit on a terminal; in lines as they come where there is no memory. */
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
        const char *group = command_group_at(i);
        if (group != NULL)
            fprintf(out, "%s%s:\n", i > 0 ? "\n" : "", group);
        fprintf(out, "  %-10s %s\n", command->name, command->summary);
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
    fprintf(out, "meshcast %s: %s\n", command->name, command->summary);
}

static void print_options(const struct command *command, FILE *out)
{
    fprintf(out, "\nUsage: meshcast %s %s\n\nOptions:\n", command->name, command->synopsis);
    option_print_help(command->options, out);
    if (command->print_more != NULL)
        command->print_more(out);
    if (command->topics != NULL)
        fprintf(out, "\nSee also: %s.\n", command->topics);
}

void command_print_help(const struct command *command, FILE *out)
{
    write_fitting(print_title, command, out);
    fprintf(out, "\nExamples:\n%s", command->examples);
    write_fitting(print_options, command, out);
}

enum { EXAMPLE_LINES = 2 /* of a summary */ };

/* Prints a command's first whole examples, up to EXAMPLE_LINES lines; a backslash continues an example. */
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

static void print_summary(const struct command *command, FILE *out)
{
    fprintf(out, "Usage: meshcast %s %s\n\nExamples:\n", command->name, command->synopsis);
    print_first_examples(command->examples, out);
    fputs("\nOptions:\n", out);
    option_print_summary(command->options, out);
    fprintf(out, "\n'meshcast %s --help' explains everything", command->name);
    if (command->topics != NULL)
        fprintf(out, "; see also %s", command->topics);
    fputs(".\n", out);
}

void command_print_summary(const struct command *command, FILE *out)
{
    write_fitting(print_title, command,
                  out); /* by itself, or its end and the usage would be one line */
    write_fitting(print_summary, command, out);
}

/* ---- topics: what commands can name ---- */

/* A subject of help that is no command: a list of names, and the help of each name. */
struct topic {
    const char *plural, *singular;
    const struct name_family *names; /* NULL: there is no list, and `print` ignores its index */
    const char *(*summary)(uint32_t index);
    void (*print)(uint32_t index, FILE *out);
};

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

static void print_formats(uint32_t index, FILE *out)
{
    (void)index;
    import_print_formats(out);
}

static const struct topic TOPICS[] = {
    {"routers", "router", &router_names, router_summary, run_print_router},
    {"schemes", "scheme", &scheme_names, scheme_summary, scheme_print},
    {"patterns", "pattern", &pattern_names, pattern_summary, gen_print_pattern},
    {"formats", "formats", NULL, NULL, print_formats},
};

enum { TOPIC_COUNT = sizeof TOPICS / sizeof TOPICS[0] };

/* Returns the names of the commands, then both names of the topics, each once. */
static const char *subject_at(const void *context, uint32_t index)
{
    for (uint32_t i = 0; command_names.name_at(context, i) != NULL; i++, index--)
        if (index == 0)
            return command_names.name_at(context, i);
    if (index < TOPIC_COUNT)
        return TOPICS[index].plural;
    index -= TOPIC_COUNT;
    return index < TOPIC_COUNT - 1 ? TOPICS[index].singular : NULL;
}

static const struct name_family subjects = {"subject", "subjects", "", subject_at, NULL};

static void print_list(const struct topic *topic, FILE *out)
{
    fprintf(out, "%c%s ('meshcast help %s NAME' says more about one):\n",
            topic->plural[0] - 'a' + 'A', topic->plural + 1, topic->singular);
    for (uint32_t i = 0; topic->names->name_at(topic->names->context, i) != NULL; i++)
        fprintf(out, "  %-11s %s\n", topic->names->name_at(topic->names->context, i),
                topic->summary(i));
}

/* Prints the topic's list, or the help of one name, in lines that fit on a terminal. */
static enum failure_kind print_topic(const struct topic *topic, const char *name,
                                     struct failure *failure)
{
    char *text = NULL;
    size_t size;
    uint32_t index = 0;
    if (name != NULL && topic->names == NULL)
        return fail(failure, FAIL_USAGE, "unexpected '%.80s'", name);
    if (name != NULL && name_family_find(topic->names, name, &index, failure) != FAIL_NONE)
        return failure->kind;
    FILE *page = open_memstream(&text, &size);
    if (page == NULL)
        return fail_memory(failure, "the help");
    if (topic->names == NULL || name != NULL)
        topic->print(index, page);
    else
        print_list(topic, page);
    fclose(page);
    help_text_write(text, stdout);
    free(text);
    return FAIL_NONE;
}

static const struct topic *find_topic(const char *subject)
{
    for (int i = 0; i < TOPIC_COUNT; i++)
        if (strcmp(subject, TOPICS[i].plural) == 0 || strcmp(subject, TOPICS[i].singular) == 0)
            return &TOPICS[i];
    return NULL;
}

/* Prints the help of all topics' names that are `name`; false if there are none. */
static bool print_named(const char *name, struct failure *failure)
{
    uint32_t found = 0;
    for (int i = 0; i < TOPIC_COUNT && failure->kind == FAIL_NONE; i++)
        if (TOPICS[i].names != NULL && name_family_index(TOPICS[i].names, name) != UINT32_MAX) {
            printf("%s%c%s:\n", found++ > 0 ? "\n" : "", TOPICS[i].singular[0] - 'a' + 'A',
                   TOPICS[i].singular + 1);
            print_topic(&TOPICS[i], name, failure);
        }
    return found > 0;
}

static const struct name_family *names_of_subject(const char *subject)
{
    const struct topic *topic = find_topic(subject);
    return topic == NULL ? NULL : topic->names;
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    (void)options;
    const char *subject = operands->count > 0 ? operands->operand[0] : NULL;
    const char *name = operands->count > 1 ? operands->operand[1] : NULL;
    if (subject == NULL) {
        command_print_program(stdout);
        return FAIL_NONE;
    }
    const struct topic *topic = find_topic(subject);
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

const struct command command_help = {
    .name = "help",
    .summary = "explain a command, or list routers, schemes, patterns or formats",
    .examples = "  meshcast help route\n"
                "  meshcast help routers\n"
                "  meshcast help router expander\n"
                "  meshcast help stream\n",
    .synopsis = "[COMMAND | routers | schemes | patterns | formats |\n"
                "           router NAME | scheme NAME | pattern NAME]",
    .operands = "one COMMAND, or router, scheme or pattern and a NAME",
    .operand_names = &subjects,
    .second_names = names_of_subject,
    .most = 2,
    .options_size = 1,
    .runs_on_ranks = true,
    .run = run,
};
