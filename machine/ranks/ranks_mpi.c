/* ranks_mpi.c - ranks as processes of MPI, for make MPI=1. Other builds have the weak functions of
 * ranks.c.
 *
 * Sums and broadcasts use MPI's collectives. If ranks send different numbers of bytes, only the
 * sizes use collectives; the bytes go as single messages. MPI counts in `int`, so more than PIECE
 * bytes are one item of a type that is made for them. Neighbours do not know a message's size: they
 * probe it before they receive it.
 *   A rank that waits polls, and yields its core, instead of having MPI wait: MPICH would
 * spin until the system takes its core away. If ranks share cores, a rank that waits for a sum also
 * yields its core, as for a message; otherwise MPI's own sums are faster.
 *   Errors of MPI are failures, of kind FAIL_SYSTEM. A process that dies silently is noticed
 * by mpirun, which ends the others.
 */
#define _GNU_SOURCE /* sched_getaffinity */

#include "machine/ranks/ranks_private.h"

#include "base/failure.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The upper half of all numbers has this bit. */
#define UPPER (UINT64_C(1) << 63)

/* The time that a failed rank waits for the others to fail as well, in milliseconds, and how much
 * longer each of some ranks waits, so that of two one reports first. */
enum { PATIENCE = 1000, TURN = 25, TURNS = 64 };

/* The same for a check, which all ranks find out together, unless one has called ranks_break():
 * rank 0 may have much to write before it arrives, and if it dies mpirun ends all. An hour, so that
 * no fault of the program makes ranks wait for ever. */
enum { PATIENCE_OF_CHECKS = 3600000 };

/* The most bytes for one call of MPI. Tests make a piece small. */
#ifndef RANKS_PIECE
#define RANKS_PIECE (1 << 30)
#endif
enum { PIECE = RANKS_PIECE };

/* A message to the neighbour before its sender, to that after it, or of a trade. */
enum { TAG_BEFORE, TAG_BEHIND, TAG_TRADE };

struct mpi_rank {
    struct ranks ranks;
    MPI_Comm all, end;        /* for everything, and only for the end */
    bool is_crowded;          /* there are more ranks than cores here */
    void *in[RANK_SIDES];     /* received by ranks_exchange(), .. */
    size_t room[RANK_SIDES];  /* .. with room for so many bytes */
    uint64_t *sizes;          /* [2 * size]: bytes to each rank, then from each rank */
    struct rank_trade *trade; /* [size]: the same, and their places */
    MPI_Request *request;     /* [2 * size]: receives from each rank, then sends to it */
};

static struct mpi_rank *mpi_rank(struct ranks *ranks)
{
    return (struct mpi_rank *)ranks;
}

/* ---- messages of any size ---- */

/* Polls by a rank that has its own core before it yields. */
enum { LOOKS = 1000 };

/* Turns an error of MPI into a failure; true if there is one. */
static bool mpi_is_wrong(int error, struct failure *failure)
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

/* Any number of bytes, as a count of a type of MPI. */
struct mpi_bytes {
    int count;
    MPI_Datatype type;
};

/* Makes a count of a type for so many bytes; true if all is well. mpi_bytes_free() frees the type,
 * also after a failure. */
static bool mpi_bytes_make(size_t bytes, struct mpi_bytes *made, struct failure *failure)
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

static void mpi_bytes_free(struct mpi_bytes *made)
{
    if (made->type != MPI_BYTE && made->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&made->type);
}

/* Begin to send, or to receive, any number of bytes; wait for the end of it. They return true if
 * all is well. */
static bool mpi_begin_send(struct mpi_rank *rank, int to, int tag, const void *from, size_t bytes,
                           MPI_Request *request, struct failure *failure)
{
    struct mpi_bytes made;
    if (mpi_bytes_make(bytes, &made, failure))
        mpi_is_wrong(MPI_Isend(from, made.count, made.type, to, tag, rank->all, request), failure);
    mpi_bytes_free(&made);
    return failure->kind == FAIL_NONE;
}

static bool mpi_begin_receive(struct mpi_rank *rank, int from, int tag, void *to, size_t bytes,
                              MPI_Request *request, struct failure *failure)
{
    struct mpi_bytes made;
    if (mpi_bytes_make(bytes, &made, failure))
        mpi_is_wrong(MPI_Irecv(to, made.count, made.type, from, tag, rank->all, request), failure);
    mpi_bytes_free(&made);
    return failure->kind == FAIL_NONE;
}

static bool mpi_wait(const struct mpi_rank *rank, MPI_Request *request, struct failure *failure)
{
    int is_done = 0, error = MPI_SUCCESS;
    for (int looks = rank->is_crowded ? LOOKS : 0; !is_done && error == MPI_SUCCESS; looks++) {
        error = MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
        if (!is_done && looks >= LOOKS)
            sched_yield();
    }
    return !mpi_is_wrong(error, failure);
}

/* ---- neighbours ---- */

/* Waits for a message from the neighbour on `side`, and finds its number of bytes. */
static bool find_message(const struct mpi_rank *rank, enum rank_side side, MPI_Message *message,
                         size_t *bytes, struct failure *failure)
{
    int from = (int)rank->ranks.rank + (side == RANK_BEFORE ? -1 : 1), is_there = 0;
    int tag = side == RANK_BEFORE ? TAG_BEHIND : TAG_BEFORE, error = MPI_SUCCESS;
    MPI_Status status;
    MPI_Count count = 0;
    for (int looks = rank->is_crowded ? LOOKS : 0; !is_there && error == MPI_SUCCESS; looks++) {
        error = MPI_Improbe(from, tag, rank->all, &is_there, message, &status);
        if (!is_there && looks >= LOOKS)
            sched_yield();
    }
    if (error == MPI_SUCCESS)
        error = MPI_Get_elements_x(&status, MPI_BYTE, &count);
    *bytes = (size_t)count;
    return !mpi_is_wrong(error, failure);
}

static bool take_in(struct mpi_rank *rank, enum rank_side side, struct rank_message *in,
                    struct failure *failure)
{
    MPI_Message message;
    MPI_Request request;
    struct mpi_bytes made;
    size_t bytes;
    if (!find_message(rank, side, &message, &bytes, failure))
        return false;
    if (rank->in[side] == NULL || bytes > rank->room[side]) {
        free(rank->in[side]);
        rank->room[side] = 2 * bytes + 1;
        rank->in[side] = memory_allocate(rank->room[side], 1);
    }
    if (rank->in[side] == NULL) {
        fail_memory(failure, "a message of another rank");
        return false;
    }
    *in = (struct rank_message){rank->in[side], bytes};
    bool whole =
        mpi_bytes_make(bytes, &made, failure) &&
        !mpi_is_wrong(MPI_Imrecv(rank->in[side], made.count, made.type, &message, &request),
                      failure) &&
        mpi_wait(rank, &request, failure);
    mpi_bytes_free(&made);
    return whole;
}

/* Exchanges messages with both neighbours. A long message may leave only when its receiver receives
 * it, so both are received before the end of this rank's sends is awaited. */
static enum failure_kind exchange(struct ranks *ranks, const struct rank_message *out,
                                  struct rank_message *in, struct failure *failure)
{
    struct mpi_rank *rank = mpi_rank(ranks);
    MPI_Request sent[RANK_SIDES] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    bool whole = true;
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        if (whole && ranks_has(ranks, side))
            whole = mpi_begin_send(rank, (int)ranks->rank + (side == RANK_BEFORE ? -1 : 1),
                                   side == RANK_BEFORE ? TAG_BEFORE : TAG_BEHIND, out[side].bytes,
                                   out[side].count, &sent[side], failure);
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        if (whole && ranks_has(ranks, side))
            whole = take_in(rank, side, &in[side], failure);
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        whole = whole && mpi_wait(rank, &sent[side], failure);
    return failure->kind;
}

/* ---- all ranks together ---- */

/* Reduces at most PIECE bytes of numbers. */
static bool reduce_piece(struct mpi_rank *rank, uint64_t *number, int numbers, MPI_Datatype type,
                         MPI_Op how, struct failure *failure)
{
    MPI_Request request;
    if (!rank->is_crowded)
        return !mpi_is_wrong(MPI_Allreduce(MPI_IN_PLACE, number, numbers, type, how, rank->all),
                             failure);
    return !mpi_is_wrong(
               MPI_Iallreduce(MPI_IN_PLACE, number, numbers, type, how, rank->all, &request),
               failure) &&
           mpi_wait(rank, &request, failure);
}

static enum failure_kind reduce(struct ranks *ranks, uint64_t *number, size_t count,
                                MPI_Datatype type, MPI_Op how, struct failure *failure)
{
    const size_t most = PIECE / sizeof *number;
    for (size_t at = 0; at < count; at += most)
        if (!reduce_piece(mpi_rank(ranks), number + at,
                          (int)(count - at < most ? count - at : most), type, how, failure))
            break;
    return failure->kind;
}

/* Sums or compares numbers. MPICH 4.0 compares unsigned numbers as if they were signed. So they are
 * shifted: the order is the same when the upper half is below 0. */
static enum failure_kind sum(struct ranks *ranks, uint64_t *number, size_t count, bool finds_most,
                             struct failure *failure)
{
    if (!finds_most)
        return reduce(ranks, number, count, MPI_UINT64_T, MPI_SUM, failure);
    for (size_t i = 0; i < count; i++)
        number[i] ^= UPPER;
    reduce(ranks, number, count, MPI_INT64_T, MPI_MAX, failure);
    for (size_t i = 0; i < count; i++)
        number[i] ^= UPPER;
    return failure->kind;
}

/* Trades bytes. Empty messages are not sent, so a rank with little for few ranks pays only for
 * these, unlike in any collective with different sizes. */
static enum failure_kind trade_all(struct ranks *ranks, const struct rank_trade *trade,
                                   struct failure *failure)
{
    struct mpi_rank *rank = mpi_rank(ranks);
    uint32_t size = ranks->size, own = ranks->rank;
    for (uint32_t r = 0; r < size && failure->kind == FAIL_NONE; r++)
        if (r != own && trade[r].in > 0)
            mpi_begin_receive(rank, (int)r, TAG_TRADE, trade[r].to, trade[r].in, &rank->request[r],
                              failure);
    for (uint32_t r = 0; r < size && failure->kind == FAIL_NONE; r++)
        if (r != own && trade[r].out > 0)
            mpi_begin_send(rank, (int)r, TAG_TRADE, trade[r].from, trade[r].out,
                           &rank->request[size + r], failure);
    if (trade[own].out > 0)
        memcpy(trade[own].to, trade[own].from, trade[own].out);
    for (uint32_t r = 0; r < 2 * size && failure->kind == FAIL_NONE; r++)
        mpi_wait(rank, &rank->request[r], failure);
    return failure->kind;
}

/* Sends out[r] bytes to each rank r and receives in[r] from it, both one after the other. */
static enum failure_kind move(struct mpi_rank *rank, const unsigned char *from, const uint64_t *out,
                              unsigned char *all, const uint64_t *in, struct failure *failure)
{
    for (uint32_t r = 0; r < rank->ranks.size; from += out[r], all += in[r++])
        rank->trade[r] = (struct rank_trade){from, out[r], all, in[r]};
    return trade_all(&rank->ranks, rank->trade, failure);
}

/* Makes room for in[r] bytes of each rank, and copies the numbers to count[]. */
static enum failure_kind expect(const struct mpi_rank *rank, const uint64_t *in, void **all,
                                size_t *count, struct failure *failure)
{
    size_t bytes = 0;
    for (uint32_t r = 0; r < rank->ranks.size; r++) {
        bytes += in[r];
        count[r] = in[r];
    }
    *all = memory_allocate(bytes, 1);
    return *all == NULL ? fail_memory(failure, "what the ranks give") : FAIL_NONE;
}

static enum failure_kind swap(struct ranks *ranks, const void *from, size_t *count, void **all,
                              struct failure *failure)
{
    struct mpi_rank *rank = mpi_rank(ranks);
    uint64_t *out = rank->sizes, *in = out + ranks->size;
    for (uint32_t r = 0; r < ranks->size; r++)
        out[r] = count[r];
    if (!mpi_is_wrong(MPI_Alltoall(out, 1, MPI_UINT64_T, in, 1, MPI_UINT64_T, rank->all),
                      failure) &&
        expect(rank, in, all, count, failure) == FAIL_NONE)
        move(rank, from, out, *all, in, failure);
    return failure->kind;
}

static enum failure_kind broadcast(struct ranks *ranks, void *bytes, size_t count,
                                   struct failure *failure)
{
    struct mpi_bytes made;
    if (mpi_bytes_make(count, &made, failure))
        mpi_is_wrong(MPI_Bcast(bytes, made.count, made.type, 0, mpi_rank(ranks)->all), failure);
    mpi_bytes_free(&made);
    return failure->kind;
}

/* ---- life ---- */

/* Ends all ranks, a moment later: mpirun must first pass on what this one has written, or it can be
 * lost. */
static void end_all(enum failure_kind kind)
{
    struct timespec pause = {.tv_nsec = 100000000};
    nanosleep(&pause, NULL);
    MPI_Abort(MPI_COMM_WORLD, (int)kind);
}

static enum failure_kind fail_all(struct ranks *ranks, enum failure_kind kind,
                                  struct failure *failure)
{
    if (failure != NULL)
        fprintf(stderr, "meshcast: rank %u: %s\n", ranks->rank, failure->text);
    end_all(kind);
    return kind;
}

static const struct ranks_way mpi_way = {
    .exchange = exchange,
    .sum = sum,
    .swap = swap,
    .trade = trade_all,
    .broadcast = broadcast,
    .fail = fail_all,
};

static void free_rank(struct mpi_rank *rank)
{
    for (int side = 0; side < RANK_SIDES; side++)
        free(rank->in[side]);
    free(rank->sizes);
    free(rank->trade);
    free(rank->request);
    free(rank);
}

static struct mpi_rank *make_rank(uint32_t size, uint32_t own)
{
    struct mpi_rank *rank = memory_allocate(1, sizeof *rank);
    if (rank == NULL)
        return NULL;
    rank->ranks = (struct ranks){.way = &mpi_way, .size = size, .rank = own, .here = 1};
    rank->sizes = memory_allocate(2 * (size_t)size, sizeof *rank->sizes);
    rank->trade = memory_allocate(size, sizeof *rank->trade);
    rank->request = memory_allocate(2 * (size_t)size, sizeof *rank->request);
    if (rank->sizes == NULL || rank->trade == NULL || rank->request == NULL) {
        free_rank(rank);
        return NULL;
    }
    for (uint32_t r = 0; r < 2 * size; r++)
        rank->request[r] = MPI_REQUEST_NULL;
    return rank;
}

/* Returns the number of cores for a rank that can run on `own` cores, if `ranks` ranks share `all`
 * cores of a machine; 0: it is not known. */
static uint32_t share_of(int own, int all, int ranks)
{
    int share = all / ranks < own ? all / ranks : own;
    return (uint32_t)(share > 0 || own == 0 ? share : 1);
}

/* Finds the number of ranks on this machine and this one's share of its cores. True if some machine
 * has more ranks than the cores on which they may run: all ranks must agree on that, as it chooses
 * their way to add up. */
static bool is_crowded(struct ranks *rank, struct failure *failure)
{
    MPI_Comm here;
    cpu_set_t cores;
    int ranks = 1;
    CPU_ZERO(&cores);
    if (mpi_is_wrong(
            MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here),
            failure))
        return false;
    sched_getaffinity(0, sizeof cores, &cores);
    int own = CPU_COUNT(&cores);
    if (!mpi_is_wrong(MPI_Comm_size(here, &ranks), failure))
        mpi_is_wrong(MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, here),
                     failure);
    MPI_Comm_free(&here);
    rank->here = (uint32_t)ranks;
    rank->cores = share_of(own, CPU_COUNT(&cores), ranks);
    int crowded = ranks > CPU_COUNT(&cores);
    mpi_is_wrong(MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD),
                 failure);
    return crowded;
}

static struct ranks *connect(int size, int own, struct failure *failure)
{
    struct mpi_rank *rank = make_rank((uint32_t)size, (uint32_t)own);
    if (rank == NULL) {
        fail_memory(failure, "ranks");
        return NULL;
    }
    if (mpi_is_wrong(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), failure) ||
        mpi_is_wrong(MPI_Comm_dup(MPI_COMM_WORLD, &rank->all), failure) ||
        mpi_is_wrong(MPI_Comm_dup(MPI_COMM_WORLD, &rank->end), failure)) {
        free_rank(rank);
        return NULL;
    }
    rank->is_crowded = is_crowded(&rank->ranks, failure);
    return &rank->ranks;
}

/* True if the mpirun of another MPI has started several processes, of which each would consider
 * itself the only one: they have its variables. */
static bool is_of_another_mpi(void)
{
    const char *openmpi = getenv("OMPI_COMM_WORLD_SIZE"), *mpich = getenv("PMI_SIZE");
    return (openmpi != NULL && strcmp(openmpi, "1") != 0) ||
           (mpich != NULL && strcmp(mpich, "1") != 0);
}

/* Ends a program that was started in that way. The message names the MPI of the build as it names
 * itself, without the words after its version. */
static _Noreturn void refuse_other_mpi(void)
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(name, &length);
    name[strcspn(name, ",\n")] = '\0';
    for (char *tab = name; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
    fprintf(stderr,
            "meshcast: the mpirun of another MPI started this program, which was built with %s; "
            "start it with the mpirun of that\n",
            name);
    exit(FAIL_USAGE);
}

/* Returns the number of tasks that Slurm's srun has started, if this process is one of them; else
 * 0. A task passes its variables on to all that it starts. A process started by the shell of an
 * allocation or a script runs without ranks, and one started by mpirun has ranks of its own; so a
 * process counts only if its number is that of the task. A batch script is also a task, but of no
 * step. */
static long tasks_of_srun(void)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS"), *process = getenv("SLURM_TASK_PID");
    if (tasks == NULL || process == NULL || strtol(process, NULL, 10) != (long)getpid())
        return 0;
    return strtol(tasks, NULL, 10);
}

/* Ends a program that is the only process, though it was to be one of several ranks. */
static void check_alone(void)
{
    if (is_of_another_mpi())
        refuse_other_mpi();
    long tasks = tasks_of_srun();
    if (tasks <= 1)
        return;
    fprintf(stderr,
            "meshcast: srun started %ld programs that do not know of each other; start one on %ld "
            "ranks with mpirun or, if it was built with OpenMPI, with srun --mpi=pmix\n",
            tasks, tasks);
    exit(FAIL_USAGE);
}

/* Begins the ranks. Threads beside this one never call MPI. Any failure here ends all ranks. An
 * mpirun may give a rank a terminal of its own, though nobody reads it: so there are no colours. */
struct ranks *ranks_begin(int *argc, char ***argv)
{
    setenv("NO_COLOR", "1", 1);
    struct failure failure = {0};
    struct ranks *ranks = NULL;
    int given, size = 1, own = 0;
    if (!mpi_is_wrong(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given), &failure) &&
        !mpi_is_wrong(MPI_Comm_size(MPI_COMM_WORLD, &size), &failure) &&
        !mpi_is_wrong(MPI_Comm_rank(MPI_COMM_WORLD, &own), &failure) && size == 1) {
        MPI_Finalize();
        check_alone();
        return NULL;
    }
    if (failure.kind == FAIL_NONE && given < MPI_THREAD_FUNNELED)
        fail(&failure, FAIL_SYSTEM, "this MPI takes no program that has threads");
    if (failure.kind == FAIL_NONE)
        ranks = connect(size, own, &failure);
    if (failure.kind != FAIL_NONE) {
        fprintf(stderr, "meshcast: %s\n", failure.text);
        end_all(failure.kind);
    }
    return ranks;
}

/* the maximum: the first rank that failed, with its kind; 0 if none did */
bool ranks_settle(struct ranks *ranks, enum failure_kind *kind, bool *has_come)
{
    bool has_failed = *kind != FAIL_NONE;
    *has_come = true;
    if (ranks == NULL)
        return has_failed;
    int64_t own = has_failed ? (int64_t)(ranks->size - ranks->rank) << 8 | *kind : 0, most = own;
    bool comes_from_all = *kind == FAIL_CHECK && ranks->failure.kind == FAIL_NONE;
    int is_done = 0, left = comes_from_all ? PATIENCE_OF_CHECKS : PATIENCE;
    left += TURN * (int)(ranks->rank % TURNS);
    MPI_Request request;
    int error =
        MPI_Iallreduce(&own, &most, 1, MPI_INT64_T, MPI_MAX, mpi_rank(ranks)->end, &request);
    if (error == MPI_SUCCESS && !has_failed)
        is_done = mpi_wait(mpi_rank(ranks), &request, NULL);
    for (; error == MPI_SUCCESS && !is_done && left > 0; left--) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        error = MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    }
    *has_come = is_done;
    if (!is_done && !has_failed)
        *kind = FAIL_SYSTEM; /* of MPI */
    if (!is_done)
        return has_failed;
    *kind = (enum failure_kind)(most & 255);
    return has_failed && most == own;
}

void ranks_finish(struct ranks *ranks)
{
    if (ranks == NULL)
        return;
    struct mpi_rank *rank = mpi_rank(ranks);
    MPI_Comm_free(&rank->all);
    MPI_Comm_free(&rank->end);
    free_rank(rank);
    MPI_Finalize();
}
