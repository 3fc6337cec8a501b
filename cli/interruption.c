/* interruption.c - ends the program when a signal does, without temporary files.
 *
 * Method: the names of the temporary files are kept in a few slots. The signals' handler removes
 * the files, restores the signal's default action and raises it again, so that shells and make see
 * a program that was killed by the signal. A second signal finds the default action. SIGPIPE is one
 * of them: if the reader has gone, the program ends without a message.
 *
 * kill -9 leaves FILE.PID-0.tmp, and FILE as it was.
 *
 * These are the program's mutable globals, since a handler has no other state. The system delivers
 * a process's signal to its first thread, which also opens and closes files, so the handler never
 * meets a half-changed slot. A name is in its slot from before the file exists until after it is
 * gone; removing a missing file does no harm.
 *
 * A command that defers signals checks for one between two pieces of its work, and so not while it
 * waits for its pipe to be opened or read. From a second after the signal an alarm therefore makes
 * waiting calls of open() and write() fail with EINTR, until the command has ended.
 *
 * While a database is open, signals are held, because SQLite's files beside it are removed when it
 * is closed.
 *
 * A signal that was ignored from the start stays ignored (nohup, a script's background jobs). If
 * that is SIGPIPE, writing fails, which main() turns into status 4, also without a message.
 */
#include "cli/interruption.h"

#include "lab/lab.h"
#include "library/meshcast_command.h"

#include "base/failure.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 8 }; /* a command has at most three files open at once */

/* Milliseconds within which the same signal counts once: 'timeout' sends one to the program and one
 * to its group. */
enum { SAME_SIGNAL = 1000 };

_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2 &&
                   ATOMIC_LLONG_LOCK_FREE == 2,
               "a handler may use atomic pointers and numbers");

static _Atomic(const char *) files[SLOTS];
static bool is_running;  /* a command runs, whose end main() handles */
static atomic_int noted; /* the signal by which a command is to end; 0: none */
static _Atomic(struct meshcast_interrupt *) told; /* is sent when `noted` is set; NULL: none */
static atomic_llong noted_at;                     /* milliseconds */
static atomic_int holders;                        /* calls of hold() that are not yet released */
static atomic_int held;                           /* the signal that waits for them; 0: none */

/* A command may defer the first three; batch systems send the others before they kill. */
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

static void remove_files(void)
{
    for (int i = 0; i < SLOTS; i++) {
        const char *name = atomic_exchange(&files[i], NULL);
        if (name != NULL)
            unlink(name);
    }
}

/* Ends the program unless signals are held. Handlers may call it: it calls nothing that POSIX
 * forbids there. */
static void end_by(int number)
{
    int error = errno;
    atomic_store(&held, number);
    if (atomic_load(&holders) > 0)
        return;
    remove_files();
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler has returned and unblocked it */
    errno = error;
}

/* Removes the temporary files and ends the program as killed by the signal. */
static void end_now(int number)
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

/* Handles the alarm, whose arrival is its effect. */
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
        struct meshcast_interrupt *interrupt = atomic_load(&told);
        if (interrupt != NULL)
            meshcast_interrupt_send(interrupt); /* an atomic store */
        atomic_store(&noted_at, milliseconds());
        handle(SIGALRM, wake, 0);
        setitimer(ITIMER_REAL, &alarms, NULL); /* a plain system call on Linux */
    } else if (number != none || milliseconds() - atomic_load(&noted_at) >= SAME_SIGNAL)
        end_by(number);
    errno = error;
}

void interruption_defer(struct meshcast_interrupt *interrupt)
{
    atomic_store(&told, interrupt);
    for (int i = 0; i < DEFERRABLE; i++)
        if (!is_ignored(SIGNALS[i]))
            handle(SIGNALS[i], note, SA_RESTART);
}

/* Holds signals: one that arrives before the release ends the program at the release. */
static void hold(void)
{
    atomic_fetch_add(&holders, 1);
}

static bool is_due(void)
{
    return atomic_load(&held) != 0;
}

static void release(void)
{
    if (atomic_fetch_sub(&holders, 1) == 1 && is_due())
        end_now(atomic_load(&held));
}

static bool is_noted(void)
{
    return atomic_load(&noted) != 0;
}

void interruption_end_noted(void)
{
    if (!is_noted())
        return;
    fflush(stdout);
    end_now(atomic_load(&noted));
}

/* Opens /dev/null instead of a closed standard stream, whose number a file would otherwise get. It
 * is opened the wrong way round, so that reading or writing the stream fails. */
static void fill_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Gives an exit() outside main() its status: OpenMP's runtime calls exit(1) if the system refuses
 * it a thread or memory, but status 1 means that a check failed. */
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
    static const struct lab_signals signals = {hold, release, is_due, is_noted};
    fill_streams();
    meshcast_watch_files(keep, forget);
    lab_begin(&signals);
    for (int i = 0; i < SIGNALS_COUNT; i++)
        if (!is_ignored(SIGNALS[i]))
            handle(SIGNALS[i], end_by, SA_RESTART);
    atexit(end_early);
    /* a file beyond its limit is a failed write, reported like any other */
    signal(SIGXFSZ, SIG_IGN);
}
