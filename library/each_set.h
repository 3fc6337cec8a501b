/* each_set.h - a command that runs on one set, run on each of several: its operands, or the sets
 * that --parts makes from a file.
 */
#ifndef MESHCAST_LIBRARY_EACH_SET_H
#define MESHCAST_LIBRARY_EACH_SET_H

#include "library/commands.h"
#include "library/set_options.h"

/* The source of the sets. */
struct each_set {
    const struct part_list *parts;   /* count 0: the sets are the operands */
    const struct mesh_options *mesh; /* of sets that parts make */
    const char *without;             /* the file of --without, which parts must fit; or NULL */
    int (*run)(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure); /* on the only operand */
};

/* Returns the number of sets. */
uint32_t each_set_count(const struct meshcast_command *command, const struct each_set *sets);

/* Runs the command on each set. The report of one set is that of the command; of several its JSON
 * and rows are arrays, whose objects begin with the set and its part. A run without figures ends
 * all; an interrupt ends with the figures that are there. Otherwise the failure is the first check
 * that failed, or, if all sets were refused, the first refusal. */
enum failure_kind each_set_run(struct meshcast_command *command, const struct each_set *sets,
                               struct meshcast_report *report, struct failure *failure);

#endif
