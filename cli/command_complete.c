/* command_complete.c - `meshcast complete`: what could stand next on a command line, for shells.
 *
 * cli/completion.bash, .zsh and .fish call it at every press of the key; a person can, to see what
 * there is.
 */
#include "cli/command.h"
#include "cli/completion.h"

struct complete_options {
    bool describe;
};

static const struct meshcast_option rows[] = {
    {.name = "describe",
     .help = "behind each command and option a tabulator and what it is",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct complete_options, describe)},
};

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const struct complete_options *complete = options;
    (void)failure;
    completion_print(operands->operand, operands->count, complete->describe, stdout);
    return FAIL_NONE;
}

static void print_more(FILE *out)
{
    fputs(
        "\nWORDs are a command line without its first word; the last of them has only begun, and\n"
        "may be empty. What could stand in its place is printed, a line each. A line FILE\n"
        "stands for the names of files; with a text behind it, for this text and names of\n"
        "files. Nothing to offer is no failure.\n",
        out);
}

const struct command command_complete = {
    .name = "complete",
    .summary = "what could stand next on a command line, for shells",
    .examples = "  meshcast complete -- ro\n"
                "  meshcast complete --describe -- route --he\n"
                "  meshcast complete -- route set.mcast --router ''\n"
                "  meshcast complete -- route set.mcast --router trees --param ''\n",
    .synopsis = "[options] -- WORD...",
    .operands = "the words of a command line",
    .least = 1,
    .most = 1000000,
    .options_size = sizeof(struct complete_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .is_for_programs = true,
    .print_more = print_more,
    .run = run,
};
