/* run.c - runs every suite and prints Check's closing line; status 1 if a test failed.
 *
 *     run [PART PARTS]       of every PARTS suites that of number PART, 0 .. PARTS-1, alone
 */
#include "test/suites.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **argument)
{
    size_t part = count == 3 ? strtoul(argument[1], NULL, 10) : 0;
    size_t parts = count == 3 ? strtoul(argument[2], NULL, 10) : 1;
    if (parts == 0 || part >= parts)
        return EXIT_FAILURE;
    SRunner *runner = srunner_create(NULL);
    for (size_t i = part; i < sizeof SUITES / sizeof SUITES[0]; i += parts)
        srunner_add_suite(runner, SUITES[i]());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    if (srunner_ntests_run(runner) == 0 && parts == 1) {
        fputs("no suite has the name in CK_RUN_SUITE\n", stderr);
        failed = 1;
    }
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
