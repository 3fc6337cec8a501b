/* test_interruption.c - signals that are noted or held: when they end the program.
 *
 * Method: a process of its own sends itself signals.
 */
#include "cli/interruption.h"

#include <check.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *interruption_suite(void);

/* How a process ends in which a signal comes and then another. */
static int end_of_two(int first, int second)
{
    pid_t child = fork();
    if (child == 0) {
        signal(first, SIG_DFL);
        signal(second, SIG_DFL);
        interruption_defer(NULL);
        raise(first);
        raise(second);
        _exit(interruption_noted() == first ? 0 : 3);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

/* 'timeout' sends a signal twice: that is one. Another one ends the program. A slow machine may let a second pass
 * between two signals; then the test tries again. */
START_TEST(test_doubled_signal)
{
    enum { TRIES = 20 };
    int tries = 0;
    while (end_of_two(SIGINT, SIGINT) != 0)
        ck_assert_int_lt(++tries, TRIES);
    int status = end_of_two(SIGINT, SIGTERM);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}
END_TEST

/* While signals are held one that comes is due and nothing more; the release ends the program by it. */
START_TEST(test_held_signal)
{
    pid_t child = fork();
    if (child == 0) {
        signal(SIGUSR1, SIG_DFL);
        interruption_prepare();
        interruption_hold();
        interruption_hold();
        if (interruption_is_due())
            _exit(1);
        raise(SIGUSR1);
        interruption_release();
        if (!interruption_is_due())
            _exit(2);
        interruption_release();
        _exit(3);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1, "status %d", status);
}
END_TEST

Suite *interruption_suite(void)
{
    Suite *suite = suite_create("interruption");
    TCase *tests = tcase_create("interruption");
    tcase_add_test(tests, test_doubled_signal);
    tcase_add_test(tests, test_held_signal);
    suite_add_tcase(suite, tests);
    return suite;
}
