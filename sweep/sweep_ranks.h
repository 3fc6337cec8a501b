/* sweep_ranks.h - a sweep on several ranks (base/ranks.h): rank 0 has the database, the others do runs. */
#ifndef MESHCAST_SWEEP_SWEEP_RANKS_H
#define MESHCAST_SWEEP_SWEEP_RANKS_H

#include "base/ranks.h"
#include "sweep/deputy.h"
#include "sweep/sweep_runner.h"
#include "sweep/sweep_worker.h"

/* What rank 0 deals out. */
struct sweep_dealing {
    const struct sweep_plan *plan;
    const char *path; /* of the database, which is there */
    struct ranks *ranks;
    const bool *is_there; /* [plan->runs]: the run is stored; tell() sets it when it is told so */
    void (*tell)(void *context, const struct sweep_message *message); /* of worker `rank - 1` */
    void *context;
};

/* Rank 0: has all missing runs of the plan done, except those that another sweep does, and stores them. Then it lets the
 * other ranks return from sweep_serve(), also after a failure. FAIL_SYSTEM: the database fails, or a rank is gone. */
enum failure_kind sweep_deal(const struct sweep_dealing *dealing, struct failure *failure);

/* Rank 0, without any runs to deal out: lets the other ranks return from sweep_serve(). */
enum failure_kind sweep_dismiss(struct ranks *ranks, struct failure *failure);

/* The other ranks: have runs done by the deputy until rank 0 has no more, each in at most `memory` bytes. Without a deputy
 * the runner, which is the caller's, does them here. FAIL_SYSTEM: the deputy is gone, no memory, or a rank is gone. */
enum failure_kind sweep_serve(struct sweep_runner *runner, struct ranks *ranks,
                              struct deputy *deputy, uint64_t memory, struct failure *failure);

/* Does the run that an order names, in the worker of a rank's deputy. The context is a struct sweep_runner, whose plan and
 * threads are set. */
deputy_task sweep_answer;

/* Sets *memory to the bytes that a rank may take, if the ranks of a machine share its memory. All ranks call it. */
enum failure_kind sweep_memory_of_rank(struct ranks *ranks, bool is_forced, uint64_t *memory,
                                       struct failure *failure);

#endif
