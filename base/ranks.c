#include "base/ranks.h"
#define U(x) (void)x
uint32_t ranks_size(const struct ranks *ranks)
{
    U(ranks);
    return 1;
}
uint32_t ranks_rank(const struct ranks *ranks)
{
    U(ranks);
    return 0;
}
uint32_t ranks_start(const struct ranks *ranks, uint32_t count)
{
    U(ranks);
    U(count);
    return 0;
}
uint32_t ranks_end(const struct ranks *ranks, uint32_t count)
{
    U(ranks);
    return count;
}
bool ranks_has(const struct ranks *ranks, enum rank_side side, bool wraps)
{
    U(ranks);
    U(side);
    U(wraps);
    return false;
}
enum failure_kind ranks_sum(struct ranks *ranks, uint64_t *number, size_t count,
                            struct failure *failure)
{
    U(ranks);
    U(number);
    U(count);
    U(failure);
    return FAIL_NONE;
}
enum failure_kind ranks_most(struct ranks *ranks, uint64_t *number, size_t count,
                             struct failure *failure)
{
    U(ranks);
    U(number);
    U(count);
    U(failure);
    return FAIL_NONE;
}
enum failure_kind ranks_any(struct ranks *ranks, bool *flag, struct failure *failure)
{
    U(ranks);
    U(flag);
    U(failure);
    return FAIL_NONE;
}
enum failure_kind ranks_collect(struct ranks *ranks, const void *from, size_t bytes, void **all,
                                size_t *count, struct failure *failure)
{
    U(ranks);
    U(from);
    U(bytes);
    U(all);
    U(count);
    U(failure);
    return FAIL_NONE;
}
enum failure_kind ranks_put(struct ranks *ranks, enum rank_side side, const void *from,
                            size_t bytes, struct failure *failure)
{
    U(ranks);
    U(side);
    U(from);
    U(bytes);
    U(failure);
    return FAIL_NONE;
}
enum failure_kind ranks_post(struct ranks *ranks, enum rank_side side, struct failure *failure)
{
    U(ranks);
    U(side);
    U(failure);
    return FAIL_NONE;
}
enum failure_kind ranks_wait(struct ranks *ranks, enum rank_side side, const void **message,
                             size_t *bytes, struct failure *failure)
{
    U(ranks);
    U(side);
    U(message);
    U(bytes);
    U(failure);
    return FAIL_NONE;
}
