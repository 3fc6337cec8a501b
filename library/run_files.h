/* run_files.h - a run of a router with the files that it writes: its trace, and what shows it. */
#ifndef MESHCAST_LIBRARY_RUN_FILES_H
#define MESHCAST_LIBRARY_RUN_FILES_H

#include "base/output_file.h"
#include "library/view_files.h"
#include "routers/router.h"

/* Somebody who makes a file of what a trace would show. */
struct run_taker {
    void *context;
    /* Opens the file before the run, and sets *observer to the taker's observer. */
    enum failure_kind (*begin)(void *context, const struct machine_observer **observer,
                               struct failure *failure);
    /* Writes what is left after a run that has figures. */
    enum failure_kind (*end)(void *context, const struct router_result *result,
                             struct failure *failure);
    struct output_file *file; /* takes its place together with the others */
};

/* Two observers of one run; which may be both, one or none of them. */
struct observer_pair {
    const struct machine_observer *observer[2];
    struct machine_observer both;
};

/* The observer that tells both, which lives as long as the pair; one of them, if the other is NULL; NULL if
 * both are. */
const struct machine_observer *observer_pair_make(struct observer_pair *pair,
                                                  const struct machine_observer *one,
                                                  const struct machine_observer *other);

/* Which files. */
struct run_outputs {
    const char *trace; /* NULL: none; "-": standard output */
    struct view_request view;
    const struct run_taker *taker; /* NULL: none */
    const char *set_name;          /* for the pictures' titles; NULL: they name none */
};

/* Whether a run that ended so got so far that its result holds figures, and its files show it. */
bool run_has_figures(const struct failure *failure);

/* router_run() with files: opens them before, so that one that cannot be written costs no run, and
 * puts them in their places after it. `options` has no trace; it may have an observer where nothing
 * is to show the run, else FAIL_USAGE. Files of a run that fails a check show how far it went; a file
 * that cannot be written outweighs the check. A run that did not start, or did not end for another
 * reason, leaves no file. */
enum failure_kind run_with_files(const struct router *router, const struct message_set *set,
                                 const struct router_options *options,
                                 const struct run_outputs *outputs, struct router_result *result,
                                 struct failure *failure);

#endif
