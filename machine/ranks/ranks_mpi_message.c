/* ranks_mpi_message.c - messages of any size from one process of MPI to another.
 *
 * MPI counts in `int`, so more than PIECE bytes are one item of a type that is made for them.
 *   A rank that waits looks, and lets others have its core, instead of having MPI wait: MPICH would spin until the
 * system takes its core away.
 */
#include "machine/ranks/ranks_mpi_private.h"

#include <sched.h>
#include <stdio.h>

/* How often a rank that has a core looks before it lets others go on. */
enum { LOOKS = 1000 };

bool mpi_is_wrong(int error, struct failure *failure)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (error == MPI_SUCCESS)
        return false;
    if (MPI_Error_string(error, text, &length) != MPI_SUCCESS)
        snprintf(text, sizeof text, "error %d", error);
    fail(failure, FAIL_SYSTEM, "MPI: %.400s", text);
    return true;
}

bool mpi_bytes_make(size_t bytes, struct mpi_bytes *made, struct failure *failure)
{
    *made = (struct mpi_bytes){(int)bytes, MPI_BYTE};
    if (bytes <= PIECE)
        return true;
    int counts[] = {(int)(bytes / PIECE), (int)(bytes % PIECE)};
    MPI_Aint places[] = {0, (MPI_Aint)(bytes - bytes % PIECE)};
    MPI_Datatype types[] = {MPI_DATATYPE_NULL, MPI_BYTE};
    *made = (struct mpi_bytes){1, MPI_DATATYPE_NULL};
    if (mpi_is_wrong(MPI_Type_contiguous(PIECE, MPI_BYTE, &types[0]), failure))
        return false;
    int error = MPI_Type_create_struct(2, counts, places, types, &made->type);
    MPI_Type_free(&types[0]);
    return !mpi_is_wrong(error, failure) && !mpi_is_wrong(MPI_Type_commit(&made->type), failure);
}

void mpi_bytes_free(struct mpi_bytes *made)
{
    if (made->type != MPI_BYTE && made->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&made->type);
}

bool mpi_begin_send(struct mpi_rank *rank, int to, int tag, const void *from, size_t bytes,
                    MPI_Request *request, struct failure *failure)
{
    struct mpi_bytes made;
    if (mpi_bytes_make(bytes, &made, failure))
        mpi_is_wrong(MPI_Isend(from, made.count, made.type, to, tag, rank->all, request), failure);
    mpi_bytes_free(&made);
    return failure->kind == FAIL_NONE;
}

bool mpi_begin_receive(struct mpi_rank *rank, int from, int tag, void *to, size_t bytes,
                       MPI_Request *request, struct failure *failure)
{
    struct mpi_bytes made;
    if (mpi_bytes_make(bytes, &made, failure))
        mpi_is_wrong(MPI_Irecv(to, made.count, made.type, from, tag, rank->all, request), failure);
    mpi_bytes_free(&made);
    return failure->kind == FAIL_NONE;
}

bool mpi_wait(const struct mpi_rank *rank, MPI_Request *request, struct failure *failure)
{
    int is_done = 0, error = MPI_SUCCESS;
    for (int looks = rank->is_crowded ? LOOKS : 0; !is_done && error == MPI_SUCCESS; looks++) {
        error = MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
        if (!is_done && looks >= LOOKS)
            sched_yield();
    }
    return !mpi_is_wrong(error, failure);
}
