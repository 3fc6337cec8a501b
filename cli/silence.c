/* silence.c - redirects standard output to /dev/null, standard error to a file without a name.
 *
 * The file is read when the program is aborted: the text of a failed assertion is in it and must
 * not be lost. If a file cannot be made, standard error also goes to /dev/null.
 */
#include "cli/silence.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int error_stream = -1; /* the former standard error */

/* Prints the file's text. A handler's: calls nothing that POSIX forbids there. */
static void tell(int number)
{
    char text[4096];
    off_t end = lseek(STDERR_FILENO, 0, SEEK_END);
    ssize_t length = pread(STDERR_FILENO, text, sizeof text,
                           end > (off_t)sizeof text ? end - (off_t)sizeof text : 0);
    if (length > 0)
        (void)!write(error_stream, text, (size_t)length);
    signal(number, SIG_DFL);
    raise(number);
}

void silence_begin(void)
{
    int nowhere = open("/dev/null", O_WRONLY);
    FILE *file = tmpfile();
    int errors = file == NULL ? nowhere : fileno(file);
    error_stream = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (nowhere < 0 || error_stream < 0)
        return;
    fflush(stdout);
    dup2(nowhere, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    close(nowhere);
    if (file != NULL) {
        fclose(file);
        sigaction(SIGABRT, &(struct sigaction){.sa_handler = tell}, NULL);
    }
}

void silence_end(void)
{
    if (error_stream >= 0)
        dup2(error_stream, STDERR_FILENO);
}
