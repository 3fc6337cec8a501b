/* run_files.c - the order of a run and its files, for `meshcast route` and for the library alike.
 *
 * Pictures are drawn by a program that wants its numbers with a point: whatever locale the caller has
 * set, this thread is without one while they are written.
 */
#include "library/run_files.h"

#include "base/printable.h"

#include <locale.h>
#include <stdio.h>

bool run_has_figures(const struct failure *failure)
{
    return failure->kind == FAIL_NONE || failure->kind == FAIL_CHECK;
}

enum { TITLE_SIZE = 200, FILES = 4 /* of a run */ };

/* The line above the pictures. */
static void write_title(const struct router *router, const struct message_set *set,
                        const struct router_options *options, const char *set_name,
                        const struct router_result *result, char title[TITLE_SIZE])
{
    const char *ran_as = result->ran_as;
    snprintf(title, TITLE_SIZE, "%s%s%s%s on %.40s%s%u x %u, c = %u, copies %s", router->name,
             *ran_as == '\0' ? "" : " (run as ", ran_as, *ran_as == '\0' ? "" : ")",
             set_name == NULL ? "" : set_name, set_name == NULL ? "" : ", ", set->mesh.rows,
             set->mesh.cols, result->congestion,
             options->copy_is_free ? "are free" : "cost a step");
    printable_make(title);
}

uint64_t run_footprint(const struct router *router, const struct instance *instance,
                       const struct router_options *options, const struct run_outputs *outputs)
{
    static const struct machine_observer any_observer;
    struct router_options inner = *options;
    bool is_shown = view_request_is_any(&outputs->view);
    if (is_shown || outputs->trace != NULL || outputs->taker != NULL)
        inner.observer = &any_observer; /* it is never called here */
    return router_footprint(router, instance, &inner) +
           (is_shown
                ? view_footprint(instance->set.mesh, router_contributions(options, &instance->set))
                : 0);
}

static void tell_events(void *of_pair, uint64_t step, const struct machine_event *event,
                        size_t count)
{
    const struct observer_pair *pair = of_pair;
    for (int i = 0; i < 2; i++)
        pair->observer[i]->events(pair->observer[i]->context, step, event, count);
}

static void tell_phase(void *of_pair, uint64_t step, const char *name)
{
    const struct observer_pair *pair = of_pair;
    for (int i = 0; i < 2; i++)
        pair->observer[i]->phase(pair->observer[i]->context, step, name);
}

static void tell_beginning(void *of_pair, const struct machine_beginning *beginning)
{
    const struct observer_pair *pair = of_pair;
    for (int i = 0; i < 2; i++)
        if (pair->observer[i]->begin != NULL)
            pair->observer[i]->begin(pair->observer[i]->context, beginning);
}

const struct machine_observer *observer_pair_make(struct observer_pair *pair,
                                                  const struct machine_observer *one,
                                                  const struct machine_observer *other)
{
    *pair = (struct observer_pair){{one, other}, {pair, tell_events, tell_phase, tell_beginning}};
    return one == NULL ? other : other == NULL ? one : &pair->both;
}

enum failure_kind run_with_files(const struct router *router, const struct message_set *set,
                                 const struct router_options *options,
                                 const struct run_outputs *outputs, struct router_result *result,
                                 struct failure *failure)
{
    const struct run_taker *taker = outputs->taker;
    if (outputs->trace == NULL && taker == NULL && !view_request_is_any(&outputs->view)) {
        router_run(router, set, options, result, failure);
        return failure->kind;
    }
    struct output_file trace;
    struct view_files view;
    struct router_options inner = *options;
    struct output_file none = {.path = NULL};
    struct output_file *const files[] = {&trace, &view.heatmap, &view.timeline,
                                         taker == NULL ? &none : taker->file};
    struct failure unwritten = {0};
    struct observer_pair pair, taken;
    char title[TITLE_SIZE] = "";
    if (output_file_open(&trace, outputs->trace, failure) != FAIL_NONE)
        return failure->kind;
    if (view_files_open(&view, &outputs->view, set->mesh, router_contributions(options, set),
                        failure) == FAIL_NONE) {
        const struct machine_observer *of_taker = NULL;
        inner.trace = trace.file;
        inner.observer = observer_pair_make(&pair, view_files_observer(&view), options->observer);
        if (taker == NULL || taker->begin(taker->context, &of_taker, failure) == FAIL_NONE) {
            inner.observer = observer_pair_make(&taken, inner.observer, of_taker);
            router_run(router, set, &inner, result, failure);
        }
        write_title(router, set, options, outputs->set_name, result, title);
    }
    bool keep = run_has_figures(failure);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), users = uselocale(plain);
    if (keep)
        view_files_write(&view, title, result, &unwritten);
    if (keep && taker != NULL)
        taker->end(taker->context, result, &unwritten);
    uselocale(users);
    if (plain != (locale_t)0)
        freelocale(plain);
    output_files_close(files, FILES, keep && unwritten.kind == FAIL_NONE, &unwritten);
    view_files_free(&view);
    if (unwritten.kind != FAIL_NONE)
        *failure = unwritten;
    return failure->kind;
}
