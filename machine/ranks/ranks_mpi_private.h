/* ranks_mpi_private.h - ranks as processes of MPI: what the files ranks_mpi*.c share, which alone know MPI.
 */
#ifndef MESHCAST_MACHINE_RANKS_RANKS_MPI_PRIVATE_H
#define MESHCAST_MACHINE_RANKS_RANKS_MPI_PRIVATE_H

#include "machine/ranks/ranks_private.h"

#include <mpi.h>

/* The most bytes that one call of MPI is given: it counts in `int`. Tests make a piece small. */
#ifndef RANKS_PIECE
#define RANKS_PIECE (1 << 30)
#endif
enum { PIECE = RANKS_PIECE };

/* Of a border, each is that of the first side. */
enum { TAG_FIRST, TAG_REST = RANK_SIDES, TAG_MOVE = 2 * RANK_SIDES };

/* One way of a border: a persistent request, and for which bytes it was made. */
struct way {
    bool sends;
    int to, side;        /* the neighbour; the side on which the sender has the receiver */
    MPI_Request request; /* MPI_REQUEST_NULL: none */
    unsigned char *bytes;
    size_t made, first; /* the size of the first message: that of the request, and the next one */
    uint32_t calm;      /* for how many posts a quarter of it would have done */
    uint64_t number;    /* of the next post */
};

struct border {
    struct way send, receive;
    MPI_Request rest; /* of what is sent */
    struct ranks_message in;
    bool has_come; /* `in` is the message that is awaited */
};

struct mpi_rank {
    struct ranks ranks;
    MPI_Comm all, end; /* for everything, and for the end alone */
    bool is_crowded;   /* there are more ranks than cores here */
    struct border border[RANK_SIDES];
    uint64_t *sizes; /* [2 * size]: how much goes to each rank, then how much comes from it */
    struct rank_trade *trade; /* [size]: the same, and where it is */
    MPI_Request *request;     /* [2 * size]: what comes from each rank, then what goes to it */
};

static inline struct mpi_rank *mpi_rank(struct ranks *ranks)
{
    return (struct mpi_rank *)ranks;
}

/* ---- ranks_mpi_message.c ---- */

/* Turns an error of MPI into a failure; returns whether there is one. */
bool mpi_is_wrong(int error, struct failure *failure);

/* Any number of bytes, as a count of a type of MPI. */
struct mpi_bytes {
    int count;
    MPI_Datatype type;
};
/* Returns whether all is well; mpi_bytes_free() frees the type, after a failure too. */
bool mpi_bytes_make(size_t bytes, struct mpi_bytes *made, struct failure *failure);
void mpi_bytes_free(struct mpi_bytes *made);

/* Begin to send, or to receive, any number of bytes; wait for the end of it. They return whether all is well. */
bool mpi_begin_send(struct mpi_rank *rank, int to, int tag, const void *from, size_t bytes,
                    MPI_Request *request, struct failure *failure);
bool mpi_begin_receive(struct mpi_rank *rank, int from, int tag, void *to, size_t bytes,
                       MPI_Request *request, struct failure *failure);
bool mpi_wait(const struct mpi_rank *rank, MPI_Request *request, struct failure *failure);

/* ---- ranks_mpi_border.c ---- */

/* Begin a border, without requests, and free what it has. */
void mpi_border_begin(struct mpi_rank *rank, enum rank_side side);
void mpi_border_end(struct mpi_rank *rank, enum rank_side side);

/* Two functions of struct ranks_way. */
enum failure_kind mpi_border_post(struct ranks *ranks, enum rank_side side,
                                  struct failure *failure);
enum failure_kind mpi_border_wait(struct ranks *ranks, enum rank_side side, const void **message,
                                  size_t *bytes, struct failure *failure);

#endif
