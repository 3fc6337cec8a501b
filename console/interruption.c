/* interruption.c - how the program ends when it is ended from without.
 *
 * Method: the temporary files that are there are kept in a few slots, and a handler of the signals
 * removes them, gives the signal its default action and sends it again: shells and make see a program
 * that was killed by the signal. That takes no time, and a second signal finds the default action.
 * SIGPIPE is among them: a reader that has what it wanted ends the program without a word.
 *
 * kill -9 leaves FILE.PID-0.tmp behind, and FILE as it was.
 *
 * These are the mutable globals of the program; a handler has no other way to know. The system gives
 * a signal of the process to its first thread, which is also the one that opens and closes files, so
 * the handler meets a slot before or after a change and never in between: a name is in its slot
 * before the file is made and until it is gone. To remove a file that is not there does no harm.
 *
 * A program that waits for somebody to open a pipe, or to read from one, would not come to an end by itself: a signal
 * that a command defers ends it while a pipe is being opened, or once standard output or a pipe is found full a second
 * (or two, ..) after the signal.
 *
 * While a database is open, signals are held: SQLite's files beside it go when it is closed.
 *
 * A signal that was ignored from the start stays ignored (nohup, a script's background jobs). Where
 * that is SIGPIPE, writing fails, which main() turns into status 4, again without a word.
 */
#include "console/interruption.h"

#include "base/failure.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 8 };              /* a command has at most three files open at once */
enum { NONE = 0, OPENING = -1 }; /* of a slot of pipes */

/* Milliseconds in which a signal is still the one before: 'timeout' sends its own to the program and then to the
 * program's group, so that it comes twice. */
enum { SAME_SIGNAL = 1000 };

_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2 &&
                   ATOMIC_LLONG_LOCK_FREE == 2,
               "a handler may use atomic pointers and numbers");

static _Atomic(const char *) files[SLOTS];
static atomic_int pipes[SLOTS]; /* descriptors of pipes and devices that are written to */
static bool is_running;         /* a command is; its end is main()'s */
static atomic_int noted;        /* the signal that a command is to end by; 0: none */
static atomic_llong noted_at;
static atomic_int holders; /* of signals */
static atomic_int held;    /* the signal that waits for them; 0: none */

/* The first three a command may defer; batch systems send others before they kill. */
static const int SIGNALS[] = {SIGINT,  SIGTERM, SIGHUP,  SIGPIPE, SIGQUIT,
                              SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
enum { SIGNALS_COUNT = sizeof SIGNALS / sizeof *SIGNALS, DEFERRABLE = 3 };

static void keep(const char *name)
{
    for (int i = 0; i < SLOTS; i++) {
        const char *none = NULL;
        if (atomic_compare_exchange_strong(&files[i], &none, name))
            return;
    }
}

static void forget(const char *name)
{
    for (int i = 0; i < SLOTS; i++) {
        const char *same = name;
        if (atomic_compare_exchange_strong(&files[i], &same, NULL))
            return;
    }
}

static void replace(int old, int new)
{
    for (int i = 0; i < SLOTS; i++) {
        int same = old;
        if (atomic_compare_exchange_strong(&pipes[i], &same, new))
            return;
    }
}

static void open_pipe(void)
{
    replace(NONE, OPENING);
}

static void opened_pipe(int descriptor)
{
    replace(OPENING, descriptor > 0 ? descriptor : NONE);
}

static void close_pipe(int descriptor)
{
    replace(descriptor, NONE);
}

const struct output_watch interruption_watch = {keep, forget, open_pipe, opened_pipe, close_pipe};

static bool is_full(int descriptor)
{
    struct pollfd output = {.fd = descriptor, .events = POLLOUT};
    return poll(&output, 1, 0) == 0;
}

static bool is_opening(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (atomic_load(&pipes[i]) == OPENING)
            return true;
    return false;
}

static bool waits_for_reader(void)
{
    bool waits = is_opening() || is_full(STDOUT_FILENO);
    for (int i = 0; i < SLOTS && !waits; i++) {
        int descriptor = atomic_load(&pipes[i]);
        waits = descriptor != NONE && is_full(descriptor);
    }
    return waits;
}

static void remove_files(void)
{
    for (int i = 0; i < SLOTS; i++) {
        const char *name = atomic_exchange(&files[i], NULL);
        if (name != NULL)
            unlink(name);
    }
}

/* A handler's: calls nothing that POSIX forbids there. */
static void end_by(int number)
{
    int error = errno;
    atomic_store(&held, number);
    if (atomic_load(&holders) > 0)
        return;
    remove_files();
    signal(number, SIG_DFL);
    raise(number); /* comes when it is not blocked: as soon as a handler has returned */
    errno = error;
}

void interruption_end(int number)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    end_by(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static long long milliseconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Of SIGALRM, once a signal is noted: the program's own alarm. */
static void look_again(int number)
{
    int error = errno;
    (void)number;
    if (waits_for_reader())
        end_by(atomic_load(&noted));
    else
        alarm(1);
    errno = error;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void note(int number)
{
    int none = 0, error = errno;
    if (atomic_compare_exchange_strong(&noted, &none, number)) {
        atomic_store(&noted_at, milliseconds());
        if (is_opening())
            end_by(number);
        handle(SIGALRM, look_again);
        alarm(1);
    } else if (number != none || milliseconds() - atomic_load(&noted_at) >= SAME_SIGNAL)
        end_by(number);
    errno = error;
}

void interruption_defer(void)
{
    for (int i = 0; i < DEFERRABLE; i++)
        if (!is_ignored(SIGNALS[i]))
            handle(SIGNALS[i], note);
}

bool interruption_is_deferrable(int number)
{
    for (int i = 0; i < DEFERRABLE; i++)
        if (SIGNALS[i] == number)
            return true;
    return false;
}

void interruption_hold(void)
{
    atomic_fetch_add(&holders, 1);
}

void interruption_release(void)
{
    if (atomic_fetch_sub(&holders, 1) == 1 && interruption_is_due())
        interruption_end(atomic_load(&held));
}

bool interruption_is_due(void)
{
    return atomic_load(&held) != 0;
}

int interruption_noted(void)
{
    return atomic_load(&noted);
}

void interruption_end_noted(void)
{
    if (interruption_noted() == 0)
        return;
    fflush(stdout);
    interruption_end(interruption_noted());
}

void interruption_signals(sigset_t *signals)
{
    sigemptyset(signals);
    for (int i = 0; i < SIGNALS_COUNT; i++)
        if (SIGNALS[i] != SIGPIPE && !is_ignored(SIGNALS[i]))
            sigaddset(signals, SIGNALS[i]);
}

/* A file that was opened where a standard stream is closed would get what is meant for the stream.
 * What stands there instead of it refuses what the stream is for: reading, or writing. */
static void fill_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* The runtime of threads calls exit(1) if the system refuses it a thread or memory; 1 is a failed check's. */
static void end_early(void)
{
    if (!is_running)
        return;
    remove_files();
    _exit(FAIL_SYSTEM);
}

void interruption_set_running(bool runs)
{
    is_running = runs;
}

void interruption_prepare(void)
{
    fill_streams();
    for (int i = 0; i < SIGNALS_COUNT; i++)
        if (!is_ignored(SIGNALS[i]))
            handle(SIGNALS[i], end_by);
    atexit(end_early);
    signal(SIGXFSZ, SIG_IGN); /* a file beyond its limit is a failed write, told like any other */
}
