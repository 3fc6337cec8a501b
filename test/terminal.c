/* terminal.c - a pair of descriptors, the master the test's and the slave the program's.
 */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include "test/terminal.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool terminal_open(struct terminal *terminal)
{
    *terminal = (struct terminal){.master = posix_openpt(O_RDWR | O_NOCTTY), .slave = -1};
    const char *name =
        terminal->master >= 0 && grantpt(terminal->master) == 0 && unlockpt(terminal->master) == 0
            ? ptsname(terminal->master)
            : NULL;
    if (name != NULL)
        terminal->slave = open(name, O_RDWR | O_NOCTTY);
    if (terminal->slave >= 0)
        return true;
    printf("no terminal can be made here (%s): what needs one is left out\n", strerror(errno));
    if (terminal->master >= 0)
        close(terminal->master);
    return false;
}

void terminal_start(struct terminal *terminal, const char *command)
{
    char line[1024];
    snprintf(line, sizeof line, "exec %s", command);
    terminal->child = fork();
    if (terminal->child == 0) {
        setsid();
        for (int stream = 0; stream < 3; stream++)
            dup2(terminal->slave, stream);
        close(terminal->slave);
        close(terminal->master);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_gt(terminal->child, 0);
    close(terminal->slave);
}

void terminal_type(struct terminal *terminal, const char *text)
{
    ck_assert_int_eq(write(terminal->master, text, strlen(text)), (ssize_t)strlen(text));
}

/* Reads what there is, waiting for it; false at the end. */
static bool take(struct terminal *terminal)
{
    size_t length = strlen(terminal->text), half = TERMINAL_TEXT / 2;
    if (length > half) {
        memmove(terminal->text, terminal->text + length - half / 2, half / 2 + 1);
        length = half / 2;
    }
    ssize_t more;
    do
        more = read(terminal->master, terminal->text + length, TERMINAL_TEXT - 1 - length);
    while (more < 0 && errno == EINTR);
    terminal->text[length + (size_t)(more > 0 ? more : 0)] = '\0';
    return more > 0;
}

bool terminal_wait_for(struct terminal *terminal, const char *text)
{
    while (strstr(terminal->text, text) == NULL)
        if (!take(terminal))
            return false;
    return true;
}

int terminal_end(struct terminal *terminal)
{
    int status;
    while (take(terminal))
        continue;
    ck_assert_int_eq(waitpid(terminal->child, &status, 0), terminal->child);
    close(terminal->master);
    return status;
}
