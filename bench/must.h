/* must.h - ends a measurement if the measured code fails. */
#ifndef MESHCAST_BENCH_MUST_H
#define MESHCAST_BENCH_MUST_H

#include "base/failure.h"

#include <stdio.h>
#include <stdlib.h>

static inline void bench_must(enum failure_kind kind, const struct failure *failure)
{
    if (kind == FAIL_NONE)
        return;
    fprintf(stderr, "%s\n", failure->text);
    exit(EXIT_FAILURE);
}

#endif
