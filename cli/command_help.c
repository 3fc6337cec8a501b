/* command_help.c - `meshcast help`, which is --help by another name, and what --help prints.
 *
 * Help begins with examples, since most readers look for a line to change. Those are written as they are; the rest is
 * broken to the width of a terminal.
 */
#include "cli/command.h"
#include "cli/command_table.h"
#include "console/help_text.h"

#include <stdlib.h>

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

static void print_program(const struct command *command, FILE *out)
{
    fputs("\nUsage: meshcast COMMAND [options] [files]\n\nCommands:\n", out);
    for (uint32_t i = 0; (command = command_at(i)) != NULL && !command->is_for_programs; i++)
        fprintf(out, "  %-10s %s\n", command->name, command->summary);
    fputs("\nOptions:\n"
          "  -h, --help     print this and leave; after a command, tell about the command\n"
          "  -V, --version  print the program's version and leave\n"
          "\n'-' as a file name is standard input or output. 'meshcast help COMMAND' tells about\n"
          "a command. meshcast-mpi, which 'make MPI=1' builds, is the same program for MPI:\n"
          "mpirun starts it, and its processes share one run.\n"
          "\nExit status: 0 success; 1 the run ended but a check failed; 2 wrong usage;\n"
          "3 bad input; 4 the system failed (cannot open, disk full, out of memory).\n"
          "A program that a signal ends (Ctrl-C; a reader that went away) dies of that\n"
          "signal, and leaves no unfinished file.\n"
          "\nThe manual: man meshcast, man meshcast-set.\n",
          out);
}

void command_print_program(FILE *out)
{
    fprintf(out,
            "meshcast runs multicast messages on an emulated mesh machine and on a network\n"
            "of flits, and counts what they cost.\n\nExamples:\n%s",
            program_examples);
    write_fitting(print_program, NULL, out);
}

static void print_head(const struct command *command, FILE *out)
{
    fprintf(out, "meshcast %s: %s\n\nExamples:\n", command->name, command->summary);
}

static void print_options(const struct command *command, FILE *out)
{
    fprintf(out, "\nUsage: meshcast %s %s\n\nOptions:\n", command->name, command->synopsis);
    option_print_help(command->options, out);
    if (command->print_more != NULL)
        command->print_more(out);
}

void command_print_help(const struct command *command, FILE *out)
{
    write_fitting(print_head, command, out);
    fputs(command->examples, out);
    write_fitting(print_options, command, out);
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    (void)options;
    if (operands->count == 0) {
        command_print_program(stdout);
        return FAIL_NONE;
    }
    const struct command *command = command_find(operands->operand[0]);
    if (command == NULL)
        return fail_unknown_name(failure, &command_names, operands->operand[0]);
    command_print_help(command, stdout);
    return FAIL_NONE;
}

const struct command command_help = {
    .name = "help",
    .summary = "tell about the program, or about a command",
    .examples = "  meshcast help\n"
                "  meshcast help route\n",
    .synopsis = "[COMMAND]",
    .operands = "one COMMAND",
    .operand_names = &command_names,
    .most = 1,
    .options_size = 1,
    .runs_on_ranks = true,
    .run = run,
};
