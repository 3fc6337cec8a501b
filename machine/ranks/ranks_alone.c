/* ranks_alone.c - ranks of MPI in a build without MPI: there are none. */
#include "machine/ranks/ranks.h"

struct ranks *ranks_begin(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return NULL;
}

void ranks_finish(struct ranks *ranks)
{
    (void)ranks;
}

bool ranks_settle(struct ranks *ranks, enum failure_kind *kind, bool *has_come)
{
    (void)ranks;
    *has_come = true;
    return *kind != FAIL_NONE;
}
