/* parameters.h - the names of a router's parameters and of their values, and the check of those that are given. For
 * routers/ only; what routers call is in routing.h.
 */
#ifndef MESHCAST_ROUTERS_PARAMETERS_H
#define MESHCAST_ROUTERS_PARAMETERS_H

#include "base/failure.h"
#include "routers/routing.h"

/* Returns a name: the name_at() of the family of `specs`, a parameter_spec[] that ends with a NULL name. */
const char *parameter_name_at(const void *specs, uint32_t index);

/* Writes word `index` of the parameter's choices; false after the last. */
bool parameter_choice(const struct parameter_spec *spec, uint32_t index,
                      char word[ROUTER_NAME_SIZE]);

/* Sets *found to the parameter. FAIL_USAGE: the method has none of that name, or it does not accept the value. */
enum failure_kind parameter_value_check(const struct router_method *method, const char *name,
                                        const char *value, const struct parameter_spec **found,
                                        struct failure *failure);

/* FAIL_USAGE: a parameter of the options is none of the method's, has a value that it does not accept, or has no effect. */
enum failure_kind parameters_check(const struct router_method *method,
                                   const struct router_options *options, struct failure *failure);

#endif
