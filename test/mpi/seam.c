/* seam.c - a program that checks every function of machine/ranks/ranks.h where the ranks are
 * processes of MPI, and so a file with a main() of its own. Suite `mpi` starts it with mpirun.
 */
#include "test/ranks/ranks_case.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct ranks *ranks = ranks_begin(&argc, &argv);
    struct failure failure = {0};
    for (int i = 0; i < RANKS_CHECKS; i++)
        if (ranks_check[i](NULL, ranks, &failure) != FAIL_NONE) {
            if (ranks == NULL)
                fprintf(stderr, "%s\n", failure.text);
            return (int)ranks_fail(ranks, failure.kind, &failure);
        }
    if (ranks_rank(ranks) == 0)
        printf("%u ranks\n", ranks_size(ranks));
    ranks_finish(ranks);
    return 0;
}
