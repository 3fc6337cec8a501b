/* quiet_check.h - assertions for loops: those of Check write a line to a file each time that they
 * hold, which takes longer than what most loops do.
 */
#ifndef MESHCAST_TEST_QUIET_CHECK_H
#define MESHCAST_TEST_QUIET_CHECK_H

#include <check.h>

#define CHECK_QUIETLY(condition)                                                                   \
    do {                                                                                           \
        if (!(condition))                                                                          \
            ck_abort_msg("%s", #condition);                                                        \
    } while (0)

#endif
