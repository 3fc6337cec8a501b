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
    const bool *is_there; /* [plan->runs]: stored; tell() marks those of which it hears */
    void (*tell)(void *context, const struct sweep_message *message); /* of worker `rank - 1` */
    void *context;
};

/* Rank 0: has all runs of the plan done that are missing and that no other process is doing, and stores them. All
 * other ranks have returned from sweep_serve(), or will, whatever the outcome. FAIL_SYSTEM: the database fails, or a
 * rank is gone. */
enum failure_kind sweep_deal(const struct sweep_dealing *dealing, struct failure *failure);

/* Rank 0, which has no runs to deal out: the other ranks return. */
enum failure_kind sweep_dismiss(struct ranks *ranks, struct failure *failure);

/* The other ranks: have runs done by the deputy until rank 0 has no more, each in at most `memory` bytes. Without a deputy
 * the runner, which is the caller's, does them here. FAIL_SYSTEM: the deputy is gone, no memory, or a rank is gone. */
enum failure_kind sweep_serve(struct sweep_runner *runner, struct ranks *ranks,
                              struct deputy *deputy, uint64_t memory, struct failure *failure);

/* Does a run that a rank was given: a task of a deputy, whose context is a struct sweep_runner with plan and threads. */
deputy_task sweep_answer;

/* The bytes that a rank may take, when those of one machine share what it has. All ranks call it. */
enum failure_kind sweep_memory_of_rank(struct ranks *ranks, bool is_forced, uint64_t *memory,
                                       struct failure *failure);

#endif
