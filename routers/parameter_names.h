/* parameter_names.h - the names of a router's parameters and of their values, and what to say about
 * one that is unknown. For routers/ only.
 */
#ifndef MESHCAST_ROUTERS_PARAMETER_NAMES_H
#define MESHCAST_ROUTERS_PARAMETER_NAMES_H

#include "base/failure.h"
#include "routers/routing.h"

/* A name_at() of the family of `specs`, a parameter_spec[] that ends with a NULL name. */
const char *parameter_name_at(const void *specs, uint32_t index);

/* Writes word `index` of the parameter's choices; false behind the last. */
bool parameter_choice(const struct parameter_spec *spec, uint32_t index,
                      char word[ROUTER_NAME_SIZE]);

/* Fails with FAIL_USAGE: the router has no parameter `name`. */
enum failure_kind fail_unknown_parameter(struct failure *failure, const struct router *router,
                                         const struct parameter_spec *specs, const char *name);

/* Fails with FAIL_USAGE: the parameter takes other values. */
enum failure_kind fail_parameter_value(struct failure *failure, const struct router *router,
                                       const struct parameter_spec *spec, const char *value);

#endif
