/* main.c - finds the command, reads its arguments, runs it, and turns failures into statuses.
 *
 * The options that the program keeps are in a zeroed block (cli/command.c); zero is every option's
 * default, or denotes it.
 *
 * Exit status: a failure_kind (base/failure.h). Standard output is flushed and checked before the
 * program ends, so that a full disk is a failure (status 4) and not a short file. If the reader has
 * gone, the program ends without a message: by SIGPIPE or, if that is ignored, with status 4.
 * Signals: cli/interruption.c.
 *
 * On several ranks (machine/ranks/ranks.h) rank 0 writes the results, and all ranks end with the
 * same status. If all fail for the same reason, rank 0 reports it; if only one rank fails, it
 * reports its failure and ends the rest.
 */
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/silence.h"
#include "machine/ranks/ranks.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the list among whose names the word is; NULL: there is none. */
static const struct meshcast_option *list_of(const struct meshcast_command_row *row,
                                             const char *word)
{
    const struct meshcast_option *option;
    for (uint32_t i = 0; (option = meshcast_command_option(row, i)) != NULL; i++)
        if (option->is_list && option->names != NULL &&
            name_family_index(option->names, word) != UINT32_MAX)
            return option;
    return NULL;
}

static enum failure_kind check_operands(const struct meshcast_command_row *row,
                                        const struct operands *operands, struct failure *failure)
{
    if (operands->count < row->least)
        return fail(failure, FAIL_USAGE, "missing %s", row->operands);
    for (int i = operands->count <= row->most; i < operands->count; i++) {
        const struct meshcast_option *list = list_of(row, operands->operand[i]);
        if (list != NULL)
            return fail(failure, FAIL_USAGE,
                        "unexpected '%.80s'; names of a list have commas between them, not blanks: "
                        "--%s %s",
                        operands->operand[i], list->name, list->value);
    }
    if (operands->count > row->most)
        return fail(failure, FAIL_USAGE, "unexpected '%.80s'; expected %s",
                    operands->operand[row->most], row->operands);
    return FAIL_NONE;
}

/* FAIL_USAGE: there are several ranks, and the command runs on one. */
static enum failure_kind check_ranks(const struct meshcast_command_row *row,
                                     const struct ranks *ranks, struct failure *failure)
{
    char names[160];
    if (ranks_size(ranks) == 1 || row->runs_on_ranks)
        return FAIL_NONE;
    name_family_list(&rank_command_names, names, sizeof names);
    return fail(failure, FAIL_USAGE,
                "runs on one rank, not on %u: start it without mpirun; commands that run on "
                "several are %s",
                ranks_size(ranks), names);
}

/* Warns that the command is reading the terminal, in case the file was forgotten. */
static void warn_of_terminal(const struct command *command, const void *options,
                             const struct operands *operands)
{
    bool reads = false;
    for (int i = 0; i < operands->count; i++)
        reads |= strcmp(operands->operand[i], "-") == 0;
    if (reads && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 &&
        !command_flag_is_set(command, options, "quiet"))
        fprintf(stderr, "meshcast %s: reading from the terminal; Ctrl-D on a new line ends it\n",
                command->name);
}

/* Writes a word as a shell would read it. */
static void write_word(const char *word, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%^";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

/* Returns the words that started the program as a line, which the caller frees; NULL: no memory. */
static char *command_line(const char *command, int argc, char **argv)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "meshcast %s", command);
    for (int i = 0; i < argc; i++) {
        fputc(' ', out);
        write_word(argv[i], out);
    }
    fclose(out);
    return line;
}

/* Runs the command whose line has been read, or prints its help. */
static enum failure_kind run_read(const struct command *command, void *options,
                                  const struct operands *operands, const struct ranks *ranks,
                                  struct failure *failure)
{
    const struct meshcast_command_row *row = command_row(command);
    if (operands->help == HELP_SUMMARY)
        command_print_summary(command, stdout);
    else if (operands->help == HELP_FULL)
        command_print_help(command, stdout);
    else if (check_operands(row, operands, failure) == FAIL_NONE &&
             check_ranks(row, ranks, failure) == FAIL_NONE) {
        warn_of_terminal(command, options, operands);
        (command->run == NULL ? client_run : command->run)(options, operands, failure);
    }
    return failure->kind;
}

/* Runs the command; argv[0 .. argc-1] are the words after its name. */
static enum failure_kind run_command(const struct command *command, struct ranks *ranks, int argc,
                                     char **argv, struct failure *failure)
{
    void *options = memory_allocate(1, command_options_size(command));
    char *line = command_line(command->name, argc, argv); /* NULL without memory */
    struct operands operands = {.command = NULL};
    if (command->row == NULL)
        operands.command = meshcast_command_new(command->name, NULL);
    if (operands.command != NULL)
        meshcast_command_set_program(operands.command, line, ranks);
    if (options == NULL || (command->row == NULL && operands.command == NULL))
        fail_memory(failure, "the command's options");
    else if (command_line_read(argc, argv, command, options, &operands, failure) == FAIL_NONE)
        run_read(command, options, &operands, ranks, failure);
    meshcast_command_free(operands.command);
    free(options);
    free(line);
    return failure->kind;
}

static void print_failure(const struct command *command, const struct failure *failure)
{
    const char *name = command == NULL ? "" : command->name;
    fprintf(stderr, "meshcast%s%s: %s", command == NULL ? "" : " ", name, failure->text);
    if (failure->kind == FAIL_USAGE && failure->topic[0] != '\0')
        fprintf(stderr, " (see 'meshcast help %s')", failure->topic);
    else if (failure->kind == FAIL_USAGE)
        fprintf(stderr, " (see 'meshcast %s%s--help')", name, command == NULL ? "" : " ");
    fputc('\n', stderr);
}

/* Flushes standard output. Returns 0, or the error's number, or -1 if that is no longer known. */
static int flush_output(void)
{
    bool failed = ferror(stdout) != 0;
    errno = 0;
    failed = fflush(stdout) != 0 || failed;
    if (!failed)
        return 0;
    return errno != 0 ? errno : -1;
}

/* Closes standard output; some systems report a full disk only there. Nothing was lost if it was
 * not open. */
static int close_output(void)
{
    return fclose(stdout) == 0 || errno == EBADF ? 0 : errno;
}

/* True if standard output is a pipe that nobody reads. */
static bool reader_is_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

/* Fails for standard output, without a message for a closed pipe. */
static enum failure_kind output_failure(int reason)
{
    if (reason != EPIPE && !reader_is_gone())
        fprintf(stderr, "meshcast: cannot write to standard output: %s\n",
                reason > 0 ? strerror(reason) : "a write failed (is the disk full?)");
    return FAIL_SYSTEM;
}

/* Ends the program. Results precede the failure, so that both read well on one terminal. A failure
 * of standard output is reported once; after a signal it is not reported. */
static enum failure_kind finish(struct ranks *ranks, const struct command *command,
                                const struct failure *failure)
{
    if (failure->kind == FAIL_NONE || failure->kind == FAIL_INTERRUPTED ||
        failure->kind == FAIL_SYSTEM)
        interruption_end_noted();
    int reason = flush_output();
    bool is_told_below = reason != 0 && failure->kind == FAIL_SYSTEM, has_come;
    if (reason == 0)
        reason = close_output();
    enum failure_kind kind = reason == 0 ? failure->kind : FAIL_SYSTEM;
    if (ranks_settle(ranks, &kind, &has_come)) {
        silence_end();
        if (failure->kind != FAIL_NONE && !is_told_below)
            print_failure(command, failure);
        if (reason != 0)
            kind = output_failure(reason);
    }
    if (!has_come)
        ranks_fail(ranks, kind, NULL);
    ranks_finish(ranks);
    return kind;
}

static bool is_either(const char *word, const char *name, const char *letter)
{
    return strcmp(word, name) == 0 || strcmp(word, letter) == 0;
}

static const char *const own_option_names[] = {"help", "version", NULL};
static const struct name_family own_options = {"option", "options without a command", "--",
                                               name_of_array, own_option_names};

int main(int argc, char **argv)
{
    interruption_prepare();
    struct failure failure = {0};
    const struct command *command = argc < 2 ? NULL : command_find(argv[1]);
    struct ranks *ranks = ranks_begin(&argc, &argv);
    if (ranks_rank(ranks) != 0)
        silence_begin();
    if (argc < 2) {
        command_print_overview(stderr);
        ranks_finish(ranks);
        return FAIL_USAGE;
    }
    interruption_set_running(true);
    if (strcmp(argv[1], "-h") == 0)
        command_print_overview(stdout);
    else if (strcmp(argv[1], "--help") == 0)
        command_print_program(stdout);
    else if (is_either(argv[1], "--version", "-V"))
        puts("meshcast " MESHCAST_VERSION);
    else if (command == NULL)
        fail_unknown_name(&failure, argv[1][0] == '-' ? &own_options : &command_names, argv[1]);
    else
        run_command(command, ranks, argc - 2, argv + 2, &failure);
    client_name_limit(&failure);

    enum failure_kind kind = finish(ranks, command, &failure);
    interruption_set_running(false);
    return (int)kind;
}
