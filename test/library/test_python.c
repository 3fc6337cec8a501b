/* test_python.c - the Python module: its tests (test/library/python_module.py), with numpy and
 * without, the code of its page (test/library/python_page.py), and the experiments that are written
 * in it (test/library/papers.py).
 *
 * They are run by the Python that PYTHON names, else by Debian's, which has numpy and the others,
 * else by the first in PATH. The library is that of the build; one with sanitizers wants their own
 * library loaded first.
 */
#include "test/program_run.h"
#include "test/sanitized.h"

#include <check.h>
#include <string.h>

static void run_script(const char *script)
{
    const char *preload = SANITIZED ? "LD_PRELOAD=$(${CC:-cc} -print-file-name=libasan.so) "
                                      "ASAN_OPTIONS=detect_leaks=0 MESHCAST_SANITIZED=yes"
                                    : "";
    const struct outcome *run = program_run(
        "PYTHON=${PYTHON:-$(test -x /usr/bin/python3 && echo /usr/bin/python3 || echo python3)}\n"
        "MESHCAST=$M MESHCAST_LIBRARY=$(realpath "
        "\"${MESHCAST_OBJECTS:-build/threads}\"/libmeshcast.so.*)\n"
        "export MESHCAST MESHCAST_LIBRARY PYTHONDONTWRITEBYTECODE=yes\n"
        "unset PYTHONPATH PYTHONHOME\n"
        "%s \"$PYTHON\" test/library/%s",
        preload, script);
    size_t length = strlen(run->err);
    /* the failure is at the end */
    const char *end = run->err + (length > 3000 ? length - 3000 : 0);
    ck_assert_msg(run->status == 0, "%s: status %d\n%s", script, run->status, end);
}

/* the module's table is that of the headers, and its figures are the program's */
START_TEST(module)
{
    run_script("python_module.py");
}
END_TEST

/* the same without numpy, scipy, pandas and networkx */
START_TEST(plain_module)
{
    run_script("python_module.py --plain");
}
END_TEST

/* the code of doc/python.md prints the output shown below it */
START_TEST(page)
{
    run_script("python_page.py doc/python.md");
}
END_TEST

/* the experiments of the papers: closed forms, formulas, the same bytes, the tables of
 * doc/papers.md */
START_TEST(papers)
{
    run_script("papers.py");
}
END_TEST

void python_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, module);
    tcase_add_test(tests, plain_module);
    tcase_add_test(tests, page);
    tcase_add_test(tests, papers);
}
