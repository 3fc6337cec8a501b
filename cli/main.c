/* main.c - finds the command, reads its arguments, runs it, and turns failures into statuses.
 *
 * The commands are rows of one static table. A command's options live in a zeroed block of the size
 * that its row names; zero is every option's default, or stands for it.
 *
 * Exit status: a failure_kind (machine/failure.h). Whatever was written to standard output is
 * flushed and checked before the program ends, so that a full disk is a failure (status 4) and not
 * a short file. A reader that went away ends the program without a word.
 */
#include "cli/command.h"
#include "cli/suggestion.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_gen,      &command_import, &command_info,   &command_route,
    &command_compare,  &command_stress, &command_kernel, &command_audit,
    &command_expander, &command_sweep,  &command_report,
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char program_examples[] =
    "  meshcast import west0479.mtx -o west.mcast   the messages of y = A x, from a matrix\n"
    "  meshcast info west.mcast                     what the set asks of a mesh\n"
    "  meshcast compare west.mcast                  every router on it, a row each\n"
    "  meshcast route west.mcast --router replicate --json\n"
    "  meshcast stress west.mcast --router stream   the least buffer with which it delivers\n"
    "  meshcast kernel sort --side 1024             one primitive by itself\n"
    "  meshcast expander check --m 1024 --c 64 --r 4   how well a random graph expands\n"
    "  meshcast gen --side 32 --pattern uniform --degree 8 --congestion 8 -o set.mcast\n";

static void print_program_help(FILE *out)
{
    fprintf(out,
            "meshcast routes multicast messages on an emulated mesh machine and counts the "
            "steps.\n\nExamples:\n%s\nUsage: meshcast COMMAND [options] [files]\n\nCommands:\n",
            program_examples);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nOptions:\n"
          "  -h, --help     print this and leave; after a command, tell about the command\n"
          "  -V, --version  print the program's version and leave\n"
          "\n'-' as a file name is standard input or output.\n"
          "\nExit status: 0 success; 1 the run ended but a check failed; 2 wrong usage;\n"
          "3 bad input; 4 the system failed (cannot open, disk full, out of memory).\n",
          out);
}

static void print_command_help(const struct command *command, FILE *out)
{
    fprintf(out, "meshcast %s: %s\n\nExamples:\n%s\nUsage: meshcast %s %s\n\nOptions:\n",
            command->name, command->summary, command->examples, command->name, command->synopsis);
    option_print_help(command->options, out);
    if (command->print_more != NULL)
        command->print_more(out);
}

static enum failure_kind check_operands(const struct command *command,
                                        const struct operands *operands, struct failure *failure)
{
    if (operands->count < command->least)
        return fail(failure, FAIL_USAGE, "missing %s", command->operands);
    if (operands->count > command->most)
        return fail(failure, FAIL_USAGE, "unexpected '%.80s'; expected %s",
                    operands->operand[command->most], command->operands);
    return FAIL_NONE;
}

/* argv[0 .. argc-1] are the words after the command's name. */
static enum failure_kind run_command(const struct command *command, int argc, char **argv,
                                     struct failure *failure)
{
    void *options = memory_allocate(1, command->options_size);
    if (options == NULL)
        return fail_memory(failure, "the command's options");
    struct operands operands;
    enum failure_kind kind =
        option_parse(argc, argv, command->options, options, &operands, failure);
    if (kind == FAIL_NONE && operands.help)
        print_command_help(command, stdout);
    else if (kind == FAIL_NONE && check_operands(command, &operands, failure) == FAIL_NONE)
        command->run(options, &operands, failure);
    free(options);
    return failure->kind;
}

static const char *command_name_at(const void *context, uint32_t index)
{
    (void)context;
    return commands[index]->name;
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static void print_failure(const struct command *command, const struct failure *failure)
{
    const char *name = command == NULL ? "" : command->name;
    fprintf(stderr, "meshcast%s%s: %s", command == NULL ? "" : " ", name, failure->text);
    if (failure->kind == FAIL_USAGE)
        fprintf(stderr, " (see 'meshcast %s%s--help')", name, command == NULL ? "" : " ");
    fputc('\n', stderr);
}

/* Flushes standard output; 0, or the error's number, or -1 where that is not known any more. */
static int flush_output(void)
{
    bool failed = ferror(stdout) != 0;
    errno = 0;
    failed = fflush(stdout) != 0 || failed;
    if (!failed)
        return 0;
    return errno != 0 ? errno : -1;
}

/* Some systems report a full disk only at the close. Nothing was lost where none was open. */
static int close_output(void)
{
    return fclose(stdout) == 0 || errno == EBADF ? 0 : errno;
}

/* A command that wrote to standard output itself has told already; a closed pipe is no news. */
static enum failure_kind output_failure(enum failure_kind kind, int reason)
{
    if (kind != FAIL_SYSTEM && reason != EPIPE)
        fprintf(stderr, "meshcast: cannot write to standard output: %s\n",
                reason > 0 ? strerror(reason) : "an earlier write failed");
    return FAIL_SYSTEM;
}

/* Results come before the failure, so that both read well on one terminal. */
static enum failure_kind finish(const struct command *command, const struct failure *failure)
{
    int reason = flush_output();
    if (failure->kind != FAIL_NONE)
        print_failure(command, failure);
    if (reason == 0)
        reason = close_output();
    return reason == 0 ? failure->kind : output_failure(failure->kind, reason);
}

static bool is_either(const char *word, const char *name, const char *letter)
{
    return strcmp(word, name) == 0 || strcmp(word, letter) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: meshcast COMMAND [options] [files]; see 'meshcast --help'\n", stderr);
        return FAIL_USAGE;
    }

    signal(SIGXFSZ, SIG_IGN); /* a file beyond its limit is a failed write, told like any other */
    struct failure failure = {0};
    const struct command *command = find_command(argv[1]);
    struct name_family family = {"command", "commands", "", COMMANDS, command_name_at, NULL};
    if (is_either(argv[1], "--help", "-h"))
        print_program_help(stdout);
    else if (is_either(argv[1], "--version", "-V"))
        puts("meshcast " MESHCAST_VERSION);
    else if (command == NULL)
        fail_unknown_name(&failure, &family, argv[1]);
    else
        run_command(command, argc - 2, argv + 2, &failure);

    return (int)finish(command, &failure);
}
