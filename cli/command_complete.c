/* command_complete.c - `meshcast complete`: what could stand next on a command line, for shells.
 *
 * cli/completion.bash calls it at every press of the key; a person can, to see what there is.
 */
#include "cli/command.h"
#include "cli/completion.h"

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    (void)options, (void)failure;
    completion_print(operands->operand, operands->count, stdout);
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
                "  meshcast complete -- route set.mcast --router ''\n"
                "  meshcast complete -- route set.mcast --router trees --param ''\n",
    .synopsis = "-- WORD...",
    .operands = "the words of a command line",
    .least = 1,
    .most = 1000000,
    .options_size = 1,
    .is_for_programs = true,
    .print_more = print_more,
    .run = run,
};
