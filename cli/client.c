/* client.c - runs commands of the library for a user at a terminal.
 *
 * Results go to standard output, or to standard error where an option's file is standard output;
 * notes, progress and errors go to standard error. Everything about a command is looked up by name,
 * so a new option, figure or command of the library needs no line here.
 */
#include "base/printable.h"
#include "base/stopwatch.h"
#include "cli/command.h"
#include "cli/interruption.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- options ---- */

/* Sets the limit of the process. FAIL_USAGE: `value` is not a size. `field` is not used. */
static int accept_memory(void *field, char *value, struct failure *failure)
{
    static const char units[] = "KMGT";
    char *end = value;
    uint64_t bytes = isdigit((unsigned char)*value) ? strtoull(value, &end, 10) : 0;
    (void)field;
    if (strcmp(value, "none") == 0) {
        meshcast_memory_limit(MESHCAST_NO_LIMIT);
        return FAIL_NONE;
    }
    const char *unit = *end == '\0' ? NULL : strchr(units, toupper((unsigned char)*end));
    if (bytes == 0 || bytes > UINT32_MAX || unit == NULL || end[1] != '\0')
        return fail(failure, FAIL_USAGE,
                    "--memory takes a number of kilobytes, megabytes, gigabytes or terabytes, as "
                    "512M or 4G, or none, not '%.40s'",
                    value);
    for (ptrdiff_t i = unit - units; i >= 0; i--)
        bytes *= 1000;
    meshcast_memory_limit(bytes);
    return FAIL_NONE;
}

static const struct meshcast_option own_rows[] = {
    {.name = "json",
     .help = "print JSON instead of a table",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct client_options, json)},
    {.name = "csv",
     .help = "print the figures of --json as CSV, below a line with their names",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct client_options, csv)},
    {.name = "quiet",
     .letter = 'q',
     .help = "nothing on standard error but errors",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct client_options, quiet)},
    {.name = "memory",
     .value = "SIZE",
     .help = "memory that may be used, as 512M or 4G, or none for no limit; the default is\n"
             "what is available",
     .type = MESHCAST_OPTION_OTHER,
     .accept = accept_memory},
};

const struct meshcast_option_table client_option_table = {own_rows,
                                                          sizeof own_rows / sizeof *own_rows, 0};

void client_name_limit(struct failure *failure)
{
    static const char remedy[] = "; --memory SIZE sets another limit";
    size_t length = strlen(failure->text);
    if (!failure->is_memory_limit)
        return;
    if (length > sizeof failure->text - sizeof remedy)
        length = sizeof failure->text - sizeof remedy;
    strcpy(failure->text + length, remedy);
    failure->is_memory_limit = false; /* reported once */
}

/* ---- progress ---- */

static const double PATIENCE = 1,
                    INTERVAL = 0.2; /* seconds before the first line, and between two lines */

enum { USUAL_COLUMNS = 80, MOST_COLUMNS = 1024 };

/* The progress line of a run, and its interrupt. */
struct client {
    const char *name;                     /* the command's */
    struct meshcast_interrupt *interrupt; /* NULL: the command does not end early */
    bool is_deferred, is_shown;           /* is_shown: a line must be erased */
    bool has_line; /* standard error is a terminal, and the run is not quiet */
    unsigned columns;
    double started, last; /* seconds */
};

static struct client begin_progress(const char *name, bool is_quiet)
{
    struct winsize size = {.ws_col = 0};
    struct client client = {.name = name,
                            .has_line = !is_quiet && isatty(STDERR_FILENO) == 1,
                            .started = stopwatch_seconds()};
    if (client.has_line)
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    client.columns = size.ws_col > 0 ? size.ws_col : USUAL_COLUMNS;
    return client;
}

static void erase_line(struct client *client)
{
    if (client->is_shown)
        fputs("\r\033[K", stderr);
    client->is_shown = false;
}

static void show_note(void *context, const char *line)
{
    erase_line(context);
    fprintf(stderr, "%s\n", line);
}

/* Writes the line anew, when it is time. It leaves the terminal's last column free, because only a
 * line that does not wrap can be overwritten. */
static void show_line(struct client *client, uint64_t done, uint64_t all, const char *what)
{
    char text[768], shown[MOST_COLUMNS];
    double now = stopwatch_seconds();
    if (!client->has_line || now - client->started < PATIENCE ||
        (client->is_shown && now - client->last < INTERVAL))
        return;
    int length = (int)strcspn(what, "\n");
    const char *more = what[length] == '\0' ? "" : what + length + 1;
    if (all == 0)
        snprintf(text, sizeof text, "%s: step %" PRIu64 ", %s, %.0f s", client->name, done, what,
                 now - client->started);
    else
        snprintf(text, sizeof text, "%.*s: %" PRIu64 " of %" PRIu64 "%s", length, what, done, all,
                 more);
    size_t room = client->columns < MOST_COLUMNS ? client->columns : MOST_COLUMNS;
    fprintf(stderr, "\r\033[K%s", printable_copy(shown, room, text));
    fflush(stderr);
    client->is_shown = true;
    client->last = now;
}

/* Until the run proper has begun, which its first progress shows, a signal ends the program:
 * nothing is lost while a set is read. */
static void show_progress(void *context, uint64_t done, uint64_t all, const char *what)
{
    struct client *client = context;
    if (what != NULL && client->interrupt != NULL && !client->is_deferred) {
        interruption_defer(client->interrupt);
        client->is_deferred = true;
    }
    if (what == NULL)
        erase_line(client);
    else
        show_line(client, done, all, what);
}

/* ---- results ---- */

static enum failure_kind check_form(const struct client_options *own, const char *output,
                                    struct failure *failure)
{
    if (own->json && own->csv)
        return fail(failure, FAIL_USAGE, "--json and --csv exclude each other");
    if ((own->json || own->csv) && output != NULL)
        return fail(failure, FAIL_USAGE,
                    "--%s - and %s both want standard output; name a file for --%s", output,
                    own->json ? "--json" : "--csv", output);
    return FAIL_NONE;
}

static enum failure_kind print_data(const struct client_options *own,
                                    struct meshcast_report *report, struct failure *failure)
{
    const char *text = own->json ? meshcast_report_json(report) : meshcast_report_csv(report);
    if (text == NULL)
        return fail_memory(failure, "the result");
    fputs(text, stdout);
    return FAIL_NONE;
}

/* Lets the first signal end the run with the results that it has so far. */
static void defer_signals(struct client *client, struct meshcast_command *command)
{
    static struct meshcast_interrupt *interrupt; /* lasts, since a signal may come late */
    if (interrupt == NULL)
        interrupt = meshcast_interrupt_new();
    client->interrupt = interrupt;
    meshcast_command_set_interrupt(command, interrupt);
}

enum failure_kind client_run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const struct client_options *own = options;
    struct meshcast_command *command = operands->command;
    const struct meshcast_command_row *row = operands->row;
    struct meshcast_report *report = NULL;
    struct meshcast_error error;
    for (int i = 0; i < operands->count; i++)
        if (command_take_error(meshcast_command_add_operand(command, operands->operand[i], &error),
                               &error, failure) != FAIL_NONE)
            return failure->kind;
    const char *output = meshcast_command_output(command);
    if (check_form(own, output, failure) != FAIL_NONE)
        return failure->kind;
    struct client client = begin_progress(row->name, own->quiet);
    if (row->ends_early)
        defer_signals(&client, command);
    meshcast_command_set_progress(command, show_progress, &client);
    if (!own->quiet)
        meshcast_command_set_note(command, show_note, &client);
    bool is_data = own->json || own->csv;
    if (!is_data && !(own->quiet && (output != NULL || row->is_check)))
        meshcast_command_set_table(command, output == NULL ? stdout : stderr);
    enum meshcast_status status = meshcast_command_run(command, &report, &error);
    erase_line(&client);
    if (is_data && report != NULL)
        print_data(own, report, failure);
    meshcast_report_free(report);
    command_take_error(status, &error, failure);
    return failure->kind;
}
