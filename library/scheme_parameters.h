/* scheme_parameters.h - parameters that are given for several schemes: each takes those that it has. */
#ifndef MESHCAST_LIBRARY_SCHEME_PARAMETERS_H
#define MESHCAST_LIBRARY_SCHEME_PARAMETERS_H

#include "schemes/scheme.h"

enum { SCHEME_PARAMETERS_GIVEN = 16 };

/* The values of --param, NAME=VALUE. */
struct scheme_parameters {
    uint32_t count;
    const char *text[SCHEME_PARAMETERS_GIVEN];
};

/* Takes those of the parameters that the scheme has. */
enum failure_kind scheme_parameters_choose(const struct scheme_parameters *parameters,
                                           const struct scheme *scheme,
                                           struct scheme_choices *choices, struct failure *failure);

/* FAIL_USAGE if none of the schemes has one of the parameters. */
enum failure_kind scheme_parameters_check(const struct scheme_parameters *parameters,
                                          const struct scheme *const *schemes, uint32_t count,
                                          struct failure *failure);

#endif
