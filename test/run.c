/* run.c - runs every suite and prints Check's closing line; status 1 if a test failed.
 *
 *     run [FOLDER]       with a folder: shares the suites with others that were given the same one
 *
 * Who shares takes the next suite that nobody has: a file of its number in the folder is made by one
 * process alone. Suites that take long come first in the list, so that all end at about one time.
 */
#include "test/suites.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = sizeof SUITES / sizeof SUITES[0] };

/* Runs so many suites from `first` on; how many tests failed, and how many there were. */
static int run_suites(size_t first, size_t count, int *tests)
{
    SRunner *runner = srunner_create(NULL);
    for (size_t i = first; i < first + count; i++)
        srunner_add_suite(runner, SUITES[i]());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    *tests += srunner_ntests_run(runner);
    srunner_free(runner);
    return failed;
}

static bool is_mine(const char *folder, size_t suite)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%zu", folder, suite);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file >= 0)
        close(file);
    return file >= 0;
}

int main(int count, char **argument)
{
    int failed = 0, tests = 0;
    if (count < 2)
        failed = run_suites(0, COUNT, &tests);
    for (size_t i = 0; i < COUNT && count > 1; i++)
        if (is_mine(argument[1], i))
            failed += run_suites(i, 1, &tests);
    if (tests == 0 && count < 2) {
        fputs("no suite has the name in CK_RUN_SUITE\n", stderr);
        failed = 1;
    }
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
