/* assertion_mark.c - assertions that hold, told to Check once in a while.
 *
 * Check has each assertion that holds write a line to a file, and reads the file when the test
 * ends, so that it can name the last point that a test passed. In loops this took most of the time
 * of many suites, and ever more memory of the runner, from which later tests fork. Of a process
 * that asserts often only every 1024th line is written (Makefile, TEST_WRAPPED): a test still died
 * after the point that is named, but maybe not right behind it.
 */
#include <stdatomic.h>

void __real__mark_point(const char *file, int line); /* NOLINT: the linker's names */
void __wrap__mark_point(const char *file, int line); /* NOLINT */

void __wrap__mark_point(const char *file, int line) /* NOLINT */
{
    enum { FIRST = 64, STRIDE = 1024 };
    static atomic_uint all; /* threads also assert */
    unsigned marks = atomic_fetch_add_explicit(&all, 1, memory_order_relaxed);
    if (marks < FIRST || marks % STRIDE == 0)
        __real__mark_point(file, line);
}
