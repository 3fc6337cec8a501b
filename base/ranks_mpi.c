/* ranks_mpi.c - ranks as processes of MPI. */
#include "base/ranks_private.h"

struct ranks *ranks_begin(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return NULL;
}

void ranks_finish(struct ranks *ranks)
{
    (void)ranks;
}
