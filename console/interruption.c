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
 * A command that defers signals looks for one between two pieces of its work, which it never does while it waits for
 * somebody to open or read the pipe that it writes to. From a second after the signal an alarm therefore makes
 * whatever waits in open() or write() fail with EINTR, again and again, until the command has come to its end.
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
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 8 }; /* a command has at most three files open at once */

/* Milliseconds in which a signal is still the one before: 'timeout' sends its own to the program and then to the
 * program's group, so that it comes twice. */
enum { SAME_SIGNAL = 1000 };

_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2 &&
                   ATOMIC_LLONG_LOCK_FREE == 2,
               "a handler may use atomic pointers and numbers");

static _Atomic(const char *) files[SLOTS];
static bool is_running;  /* a command is; its end is main()'s */
static atomic_int noted; /* the signal that a command is to end by; 0: none */
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

const struct output_watch interruption_watch = {keep, forget};

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

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* Handles the alarm, which does its work by coming: see above. */
static void wake(int number)
{
    (void)number;
}

static void note(int number)
{
    static const struct itimerval alarms = {.it_value = {.tv_sec = 1},
                                            .it_interval = {.tv_usec = 1000}};
    int none = 0, error = errno;
    if (atomic_compare_exchange_strong(&noted, &none, number)) {
        atomic_store(&noted_at, milliseconds());
        handle(SIGALRM, wake, 0);
        setitimer(ITIMER_REAL, &alarms, NULL); /* on Linux a handler may */
    } else if (number != none || milliseconds() - atomic_load(&noted_at) >= SAME_SIGNAL)
        end_by(number);
    errno = error;
}

void interruption_defer(void)
{
    for (int i = 0; i < DEFERRABLE; i++)
        if (!is_ignored(SIGNALS[i]))
            handle(SIGNALS[i], note, SA_RESTART);
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
            handle(SIGNALS[i], end_by, SA_RESTART);
    atexit(end_early);
    signal(SIGXFSZ, SIG_IGN); /* a file beyond its limit is a failed write, told like any other */
}
