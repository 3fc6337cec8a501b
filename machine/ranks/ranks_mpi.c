/* ranks_mpi.c - ranks as processes of MPI, for make MPI=1. Other builds have ranks_alone.c instead.
 *
 * Sums and broadcasts use MPI's collectives. Where ranks give different numbers of bytes, only the sizes do; the bytes
 * go as single messages (ranks_mpi_message.c). Where ranks share cores, a rank that waits for a sum lets others have its
 * core, as it does where it waits for a message; elsewhere MPI's own sums are faster.
 *   Errors of MPI are failures, of kind FAIL_SYSTEM. A process that dies without a word is noticed by mpirun, which
 * ends the others.
 */
#define _GNU_SOURCE /* sched_getaffinity */

#include "machine/ranks/ranks_mpi_private.h"

#include "base/failure.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The upper half of all numbers has it. */
#define UPPER (UINT64_C(1) << 63)

/* How long a rank that has failed waits for the others to fail as well, in milliseconds, and how much longer each of
 * some ranks, so that of two one speaks first. */
enum { PATIENCE = 1000, TURN = 25, TURNS = 64 };

/* The same for a check, which all ranks find out together, unless one has called ranks_break(): rank 0 may have much to
 * write before it comes, and if it dies mpirun ends all. An hour, so that no fault of the program makes ranks wait for ever. */
enum { PATIENCE_OF_CHECKS = 3600000 };

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

static enum failure_kind sum(struct ranks *ranks, uint64_t *number, size_t count,
                             struct failure *failure)
{
    return reduce(ranks, number, count, MPI_UINT64_T, MPI_SUM, failure);
}

/* MPICH 4.0 compares numbers without a sign as if they had one. So they get one: the order is the same when the upper
 * half comes to lie below 0. */
static enum failure_kind most(struct ranks *ranks, uint64_t *number, size_t count,
                              struct failure *failure)
{
    for (size_t i = 0; i < count; i++)
        number[i] ^= UPPER;
    reduce(ranks, number, count, MPI_INT64_T, MPI_MAX, failure);
    for (size_t i = 0; i < count; i++)
        number[i] ^= UPPER;
    return failure->kind;
}

/* Nothing is sent where there is none, so whoever has little to say to few ranks pays for these alone, as no collective does
 * whose sizes differ. */
static enum failure_kind trade_all(struct ranks *ranks, const struct rank_trade *trade,
                                   struct failure *failure)
{
    struct mpi_rank *rank = mpi_rank(ranks);
    uint32_t size = ranks->size, own = ranks->rank;
    for (uint32_t r = 0; r < size && failure->kind == FAIL_NONE; r++)
        if (r != own && trade[r].in > 0)
            mpi_begin_receive(rank, (int)r, TAG_MOVE, trade[r].to, trade[r].in, &rank->request[r],
                              failure);
    for (uint32_t r = 0; r < size && failure->kind == FAIL_NONE; r++)
        if (r != own && trade[r].out > 0)
            mpi_begin_send(rank, (int)r, TAG_MOVE, trade[r].from, trade[r].out,
                           &rank->request[size + r], failure);
    if (trade[own].out > 0)
        memcpy(trade[own].to, trade[own].from, trade[own].out);
    for (uint32_t r = 0; r < 2 * size && failure->kind == FAIL_NONE; r++)
        mpi_wait(rank, &rank->request[r], failure);
    return failure->kind;
}

/* Sends out[r] bytes to each rank r and receives in[r] from it, both one behind the other. */
static enum failure_kind move(struct mpi_rank *rank, const unsigned char *from, const uint64_t *out,
                              unsigned char *all, const uint64_t *in, struct failure *failure)
{
    for (uint32_t r = 0; r < rank->ranks.size; from += out[r], all += in[r++])
        rank->trade[r] = (struct rank_trade){from, out[r], all, in[r]};
    return trade_all(&rank->ranks, rank->trade, failure);
}

/* Makes room for in[r] bytes of each rank, which count[] gets. */
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

static enum failure_kind collect(struct ranks *ranks, const void *from, size_t bytes, void **all,
                                 size_t *count, struct failure *failure)
{
    struct mpi_rank *rank = mpi_rank(ranks);
    uint64_t *out = rank->sizes, *in = out + ranks->size;
    memset(out, 0, 2 * ranks->size * sizeof *out);
    out[0] = bytes;
    if (!mpi_is_wrong(MPI_Gather(out, 1, MPI_UINT64_T, in, 1, MPI_UINT64_T, 0, rank->all),
                      failure) &&
        (ranks->rank > 0 || expect(rank, in, all, count, failure) == FAIL_NONE))
        move(rank, from, out, *all, in, failure);
    return failure->kind;
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

/* Ends all ranks, a moment later: mpirun must first pass on what this one has written, or it can be lost. */
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
    .post = mpi_border_post,
    .wait = mpi_border_wait,
    .sum = sum,
    .most = most,
    .collect = collect,
    .swap = swap,
    .trade = trade_all,
    .broadcast = broadcast,
    .fail = fail_all,
};

static void free_rank(struct mpi_rank *rank)
{
    ranks_release(&rank->ranks);
    for (int side = 0; side < RANK_SIDES; side++)
        mpi_border_end(rank, side);
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
    for (int side = 0; side < RANK_SIDES; side++)
        mpi_border_begin(rank, side);
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

/* Returns how many cores a rank may have that can run on `own` cores, where `ranks` ranks share `all` cores of a machine;
 * 0: it is not known. */
static uint32_t share_of(int own, int all, int ranks)
{
    int share = all / ranks < own ? all / ranks : own;
    return (uint32_t)(share > 0 || own == 0 ? share : 1);
}

/* Finds how many ranks are on this machine, this one's share of its cores, and whether some machine has more ranks than
 * the cores on which they may run: all ranks must know the same of that, as they choose by it how to add up. */
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

/* Whether the mpirun of another MPI has started several processes, of which each would take itself for the only one: they
 * have its variables. */
static bool is_of_another_mpi(void)
{
    const char *openmpi = getenv("OMPI_COMM_WORLD_SIZE"), *mpich = getenv("PMI_SIZE");
    return (openmpi != NULL && strcmp(openmpi, "1") != 0) ||
           (mpich != NULL && strcmp(mpich, "1") != 0);
}

/* Ends a program that was started so. The message names the MPI that the program was built with as that MPI names itself,
 * without what follows its version. */
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

/* Returns how many tasks Slurm's srun has started, if this process is one of them; else 0. A task hands its variables on to
 * all that it starts. What the shell of an allocation or a script starts is to run alone, and what an mpirun starts has ranks
 * of its own; so a process counts only if its number is that of the task. A batch script is a task, too, but of no step. */
static long tasks_of_srun(void)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS"), *process = getenv("SLURM_TASK_PID");
    if (tasks == NULL || process == NULL || strtol(process, NULL, 10) != (long)getpid())
        return 0;
    return strtol(tasks, NULL, 10);
}

/* Ends a program that is alone, though it was to be one of several ranks. */
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

/* Threads beside this one never call MPI. Whatever fails here ends all ranks. An mpirun may give a rank a terminal of
 * its own, though nobody has one: so there are no colours. */
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

/* The most of all: the first rank that failed, with its kind; 0 if none did. */
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
