/* ranks_mpi_border.c - messages to the neighbours, by persistent requests of MPI.
 *
 * Each border has a request that sends and one that receives. The first message of a post has a size that both sides know:
 * it begins with the number of bytes in all, and if there are more than fit, a second one brings the rest. Both sides
 * take the size of the next first message by the same rule, from what has gone: if more than fits, the least power of two
 * into which it would have gone, at most FIRST_MOST, which takes as long as an empty message (2 us at 10 GB/s), so that
 * what is sent for nothing costs less than a second message would; and half, if CALM messages in a row would have gone
 * into a quarter.
 *   A long message may leave only when its receiver takes it in. So that no rank waits for one that waits for it, all messages are taken in before the end of what this rank sends is awaited.
 */
#include "machine/ranks/ranks_mpi_private.h"

#include "base/failure.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_LEAST = 512, FIRST_MOST = 16384, CALM = 16 };

/* The beginning of a border's first message. */
struct head {
    uint64_t bytes;  /* of both messages, with this */
    uint64_t number; /* of the post */
};

_Static_assert(sizeof(struct head) == RANKS_HEAD, "a message begins with its head");

/* Makes room; what is new is zeros. */
static bool reserves(struct ranks_message *message, size_t bytes, struct failure *failure)
{
    if (bytes <= message->room)
        return true;
    unsigned char *grown = memory_resize(message->bytes, bytes, 1);
    if (grown == NULL) {
        fail_memory(failure, "a message of another rank");
        return false;
    }
    memset(grown + message->room, 0, bytes - message->room);
    message->bytes = grown;
    message->room = bytes;
    return true;
}

/* Takes the size of the next first message, when one of so many bytes in all has gone. */
static void adapt(struct way *way, size_t bytes)
{
    way->calm = bytes > way->first / 4 ? 0 : way->calm + 1;
    while (way->first < bytes && way->first < FIRST_MOST)
        way->first *= 2;
    if (way->calm == CALM && way->first > FIRST_LEAST) {
        way->first /= 2;
        way->calm = 0;
    }
}

/* Makes the request if there is none for this message, and starts it. */
static bool starts(const struct mpi_rank *rank, struct way *way, struct ranks_message *message,
                   struct failure *failure)
{
    if (!reserves(message, way->first, failure))
        return false;
    bool is_made = way->bytes == message->bytes && way->made == way->first;
    if (!is_made && way->request != MPI_REQUEST_NULL &&
        mpi_is_wrong(MPI_Request_free(&way->request), failure))
        return false;
    way->bytes = message->bytes;
    way->made = way->first;
    int made = (int)way->made, tag = TAG_FIRST + way->side, error = MPI_SUCCESS;
    if (!is_made && way->sends)
        error = MPI_Send_init(way->bytes, made, MPI_BYTE, way->to, tag, rank->all, &way->request);
    else if (!is_made)
        error = MPI_Recv_init(way->bytes, made, MPI_BYTE, way->to, tag, rank->all, &way->request);
    return !mpi_is_wrong(error, failure) && !mpi_is_wrong(MPI_Start(&way->request), failure);
}

enum failure_kind mpi_border_post(struct ranks *ranks, enum rank_side side, struct failure *failure)
{
    struct border *border = &mpi_rank(ranks)->border[side];
    struct ranks_message *out = &ranks->out[side];
    struct way *way = &border->send;
    struct head head = {out->used, way->number++};
    memcpy(out->bytes, &head, sizeof head);
    if (starts(mpi_rank(ranks), &border->receive, &border->in, failure) &&
        starts(mpi_rank(ranks), way, out, failure) && out->used > way->made)
        mpi_begin_send(mpi_rank(ranks), way->to, TAG_REST + way->side, out->bytes + way->made,
                       out->used - way->made, &border->rest, failure);
    adapt(way, out->used);
    return failure->kind;
}

/* Takes in the neighbour's messages, if they have not been taken in. */
static bool takes(struct mpi_rank *rank, struct border *border, struct failure *failure)
{
    if (border->has_come)
        return true;
    border->has_come = true;
    struct ranks_message *in = &border->in;
    struct way *way = &border->receive;
    struct head head;
    MPI_Request rest;
    if (!mpi_wait(rank, &way->request, failure))
        return false;
    memcpy(&head, in->bytes, sizeof head);
    assert(head.number == way->number && head.bytes >= sizeof head);
    way->number++;
    adapt(way, head.bytes);
    in->used = head.bytes;
    if (in->used <= way->made)
        return true;
    return reserves(in, in->used, failure) &&
           mpi_begin_receive(rank, way->to, TAG_REST + way->side, in->bytes + way->made,
                             in->used - way->made, &rest, failure) &&
           mpi_wait(rank, &rest, failure);
}

enum failure_kind mpi_border_wait(struct ranks *ranks, enum rank_side side, const void **message,
                                  size_t *bytes, struct failure *failure)
{
    struct mpi_rank *rank = mpi_rank(ranks);
    struct border *border = &rank->border[side];
    for (enum rank_side other = 0; other < RANK_SIDES; other++)
        if ((other == side || ranks->is_posted[other]) &&
            !takes(rank, &rank->border[other], failure))
            return failure->kind;
    border->has_come = false;
    if (!mpi_wait(rank, &border->send.request, failure) || !mpi_wait(rank, &border->rest, failure))
        return failure->kind;
    *message = border->in.bytes + RANKS_HEAD;
    *bytes = border->in.used - RANKS_HEAD;
    return FAIL_NONE;
}

void mpi_border_begin(struct mpi_rank *rank, enum rank_side side)
{
    struct border *border = &rank->border[side];
    struct way way = {.to = (int)ranks_neighbour(&rank->ranks, side),
                      .request = MPI_REQUEST_NULL,
                      .first = FIRST_LEAST};
    border->send = border->receive = way;
    border->send.sends = true;
    border->send.side = (int)side;
    border->receive.side = (int)ranks_opposite(side);
    border->rest = MPI_REQUEST_NULL;
}

void mpi_border_end(struct mpi_rank *rank, enum rank_side side)
{
    struct border *border = &rank->border[side];
    if (border->send.request != MPI_REQUEST_NULL)
        MPI_Request_free(&border->send.request);
    if (border->receive.request != MPI_REQUEST_NULL)
        MPI_Request_free(&border->receive.request);
    free(border->in.bytes);
}
