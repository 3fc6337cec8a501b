/* deputy.c - a deputy and its worker, joined by pairs of sockets.
 *
 * A letter is a length and so many bytes. The deputy receives a letter whole before it passes it on, so the other process
 * never gets half of one when a worker dies.
 *   A process finds that another one is gone when its socket ends. On Linux a deputy whose other process dies, and its worker,
 * are killed at once, even during a task.
 */
#include "sweep/deputy.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- letters ---- */

static bool send_bytes(int socket, const void *from, size_t bytes)
{
    const char *next = from;
    while (bytes > 0) {
        ssize_t sent = send(socket, next, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        next += sent > 0 ? sent : 0;
        bytes -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static bool receive_bytes(int socket, void *to, size_t bytes)
{
    char *next = to;
    while (bytes > 0) {
        ssize_t got = recv(socket, next, bytes, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        next += got > 0 ? got : 0;
        bytes -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool send_letter(int socket, const void *from, size_t bytes)
{
    uint64_t size = bytes;
    return send_bytes(socket, &size, sizeof size) && send_bytes(socket, from, bytes);
}

/* Receives a letter of *bytes bytes, which the caller frees. False: no letter will come, or there is no memory; *all is NULL. */
static bool receive_letter(int socket, void **all, size_t *bytes)
{
    uint64_t size = 0;
    *all = NULL;
    if (!receive_bytes(socket, &size, sizeof size))
        return false;
    *bytes = size;
    *all = malloc(size > 0 ? size : 1);
    if (*all != NULL && receive_bytes(socket, *all, size))
        return true;
    free(*all);
    *all = NULL;
    return false;
}

/* Forks a process that is connected with this one by the socket *socket, in both; on Linux the child dies with this one.
 * Returns what fork() returns. */
static pid_t fork_joined(int *socket)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return -1;
    fflush(NULL); /* or both would write what is buffered */
    pid_t process = fork();
    if (process == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        close(ends[0]);
    } else {
        close(ends[1]);
    }
    *socket = ends[process == 0];
    if (process < 0)
        close(*socket);
    return process;
}

/* Waits for a process that ends; returns its status. */
static int wait_for(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/* ---- the process that has a deputy ---- */

enum failure_kind deputy_begin(struct deputy *deputy, struct failure *failure)
{
    *deputy = (struct deputy){0};
    pid_t process = fork_joined(&deputy->socket);
    if (process < 0)
        return fail(failure, FAIL_SYSTEM, "cannot start a process: %s", strerror(errno));
    deputy->process = process;
    deputy->is_deputy = process == 0;
    return FAIL_NONE;
}

void deputy_end(struct deputy *deputy)
{
    if (deputy->process == 0)
        return;
    kill(deputy->process, SIGKILL);
    close(deputy->socket);
    wait_for(deputy->process);
    *deputy = (struct deputy){0};
}

enum failure_kind deputy_ask(struct deputy *deputy, const void *task, size_t bytes, void **answer,
                             size_t *length, bool *is_lost, struct failure *failure)
{
    char fate;
    assert(deputy->process != 0);
    *answer = NULL;
    if (!send_letter(deputy->socket, task, bytes) ||
        !receive_bytes(deputy->socket, &fate, sizeof fate) ||
        !receive_letter(deputy->socket, answer, length))
        return fail(failure, FAIL_SYSTEM, "the process that has runs done is gone");
    *is_lost = fate != 0;
    return FAIL_NONE;
}

/* ---- the deputy ---- */

struct worker {
    pid_t process; /* 0: there is none */
    int socket;
};

static void be_worker(int socket, deputy_task *task, void *context)
{
    void *letter, *answer;
    size_t bytes, length;
    while (receive_letter(socket, &letter, &bytes)) {
        task(context, letter, bytes, &answer, &length);
        free(letter);
        if (answer == NULL || !send_letter(socket, answer, length))
            break;
        free(answer);
    }
    _exit(0);
}

static bool begin_worker(struct worker *worker, const struct deputy *deputy, deputy_task *task,
                         void *context)
{
    if (worker->process > 0)
        return true;
    worker->process = fork_joined(&worker->socket);
    if (worker->process == 0) {
        close(deputy->socket);
        be_worker(worker->socket, task, context);
    }
    if (worker->process < 0)
        worker->process = 0;
    return worker->process > 0;
}

/* Writes what became of a worker that has ended. */
static void end_worker(struct worker *worker, char *text, size_t size)
{
    close(worker->socket);
    int status = wait_for(worker->process);
    *worker = (struct worker){0};
    if (WIFSIGNALED(status))
        snprintf(text, size, "died (signal %d, %s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(text, size, "ended early (status %d)",
                 WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

void deputy_serve(const struct deputy *deputy, deputy_task *task, void *context)
{
    struct worker worker = {0};
    void *letter, *answer = NULL;
    size_t bytes, length = 0;
    for (bool goes_on = true; goes_on && receive_letter(deputy->socket, &letter, &bytes);) {
        char text[160] = "could not be started", is_lost = 0;
        bool has_worker = begin_worker(&worker, deputy, task, context);
        if (!has_worker || !send_letter(worker.socket, letter, bytes) ||
            !receive_letter(worker.socket, &answer, &length)) {
            is_lost = 1;
            if (has_worker)
                end_worker(&worker, text, sizeof text);
        }
        goes_on = send_bytes(deputy->socket, &is_lost, sizeof is_lost) &&
                  (is_lost ? send_letter(deputy->socket, text, strlen(text) + 1)
                           : send_letter(deputy->socket, answer, length));
        free(answer);
        answer = NULL;
        free(letter);
    }
}
