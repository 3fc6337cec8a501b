/* run.c - runs every suite and prints Check's closing line; status 1 if a test failed. */
#include "test/suites.h"

#include <stdlib.h>

int main(void)
{
    SRunner *runner = srunner_create(NULL);
    for (size_t i = 0; i < sizeof SUITES / sizeof SUITES[0]; i++)
        srunner_add_suite(runner, SUITES[i]());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
