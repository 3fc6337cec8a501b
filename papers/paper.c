/* paper.c - the table of experiments; their choices, points and facts.
 *
 * Method: threads take the next point from a counter, and a point writes its own places alone. So results do not depend
 * on which thread measured a point, or when.
 */
#include "papers/paper.h"

#include "base/parallel.h"
#include "bench/must.h"
#include "papers/experiments.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

static const struct experiment *const TABLE[] = {
    &experiment_broadcast_startups, &experiment_random_startups,
    &experiment_latency_of_rate,    &experiment_latency_of_destinations,
    &experiment_burst_latency,      &experiment_port_latency,
    &experiment_lin_traffic,        &experiment_star_costs,
    &experiment_mesh_stems,         &experiment_mesh_trees,
    &experiment_torus_trees,        &experiment_mesh_and_torus,
    &experiment_cube_trees,         &experiment_cube_torus_trees,
    &experiment_corner_paths,       &experiment_small_mesh_trees,
};

enum { EXPERIMENTS = sizeof TABLE / sizeof TABLE[0] };

uint32_t experiment_count(void)
{
    return EXPERIMENTS;
}

const struct experiment *experiment_at(uint32_t index)
{
    return TABLE[index];
}

const struct experiment *experiment_find(const char *name)
{
    for (uint32_t i = 0; i < EXPERIMENTS; i++)
        if (strcmp(TABLE[i]->name, name) == 0)
            return TABLE[i];
    return NULL;
}

/* ---- choices ---- */

/* The value in "NAME=VALUE"; NULL: another name. */
static const char *value_of(const char *setting, const char *name)
{
    size_t length = strlen(name);
    return strncmp(setting, name, length) == 0 && setting[length] == '=' ? setting + length + 1
                                                                         : NULL;
}

bool experiment_has_choice(const struct experiment *experiment, const char *setting)
{
    for (const struct choice *choice = experiment->choices; choice->name != NULL; choice++)
        if (value_of(setting, choice->name) != NULL)
            return true;
    return false;
}

const char *paper_word(const struct paper *paper, const char *name)
{
    const struct choice *choice = paper->experiment->choices;
    const char *value;
    while (choice->name != NULL && strcmp(choice->name, name) != 0)
        choice++;
    if (choice->name == NULL) {
        fprintf(stderr, "%s has no choice %s\n", paper->experiment->name, name);
        exit(EXIT_FAILURE);
    }
    for (uint32_t i = 0; paper->setting != NULL && paper->setting[i] != NULL; i++)
        if ((value = value_of(paper->setting[i], name)) != NULL)
            return value;
    return choice->value;
}

double paper_number(const struct paper *paper, const char *name)
{
    const char *word = paper_word(paper, name);
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end != '\0' || !(value >= 0)) {
        fprintf(stderr, "%s of %s must be a number, not %s\n", name, paper->experiment->name, word);
        exit(EXIT_FAILURE);
    }
    return value;
}

uint32_t paper_one_of(const struct paper *paper, const char *name, const char *const *word)
{
    const struct name_family family = {.singular = name,
                                       .plural = "choices",
                                       .prefix = "",
                                       .name_at = name_of_array,
                                       .context = word};
    struct failure failure = {0};
    uint32_t index = 0;
    bench_must(name_family_find(&family, paper_word(paper, name), &index, &failure), &failure);
    return index;
}

uint32_t paper_sized(const struct paper *paper, uint32_t tiny, uint32_t quick, uint32_t whole)
{
    return paper->size == PAPER_TINY ? tiny : paper->size == PAPER_QUICK ? quick : whole;
}

/* ---- points ---- */

struct measuring {
    void (*measure)(void *context, uint32_t index);
    void *context;
    uint32_t count;
    _Atomic uint32_t next;
};

static void measure_some(void *context, const struct team *team)
{
    struct measuring *measuring = context;
    uint32_t index;
    (void)team;
    while ((index = atomic_fetch_add(&measuring->next, 1)) < measuring->count)
        measuring->measure(measuring->context, index);
}

void paper_measure(const struct paper *paper, uint32_t count,
                   void (*measure)(void *context, uint32_t index), void *context)
{
    struct measuring measuring = {.measure = measure, .context = context, .count = count};
    parallel_run(parallel_begin(paper->threads), measure_some, &measuring);
}

/* ---- a run ---- */

void paper_run(const struct paper *paper)
{
    const struct experiment *experiment = paper->experiment;
    fprintf(paper->text, "### %s: %s\n\n", experiment->name, experiment->title);
    if (paper->size != PAPER_WHOLE)
        fputs("This is a quick run: its points are fewer, or shorter than told here.\n\n",
              paper->text);
    fputs("| open in the paper | here | meaning |\n|---|---|---|\n", paper->text);
    for (const struct choice *choice = experiment->choices; choice->name != NULL; choice++)
        fprintf(paper->text, "| `%s` | %s | %s |\n", choice->name, paper_word(paper, choice->name),
                choice->help);
    fputc('\n', paper->text);
    experiment->run(paper);
}

void paper_fact(const struct paper *paper, const char *name, const char *format, ...)
{
    va_list arguments;
    fprintf(paper->facts, "%s.%s ", paper->experiment->name, name);
    va_start(arguments, format);
    vfprintf(paper->facts, format, arguments);
    va_end(arguments);
    fputc('\n', paper->facts);
}

/* ---- schemes ---- */

const struct scheme *contender_scheme(const struct contender *contender,
                                      struct scheme_choices *choices)
{
    struct failure failure = {0};
    const struct scheme *scheme;
    *choices = (struct scheme_choices){{0}};
    bench_must(scheme_find(contender->scheme, &scheme, &failure), &failure);
    for (int i = 0; i < CONTENDER_PARAMETERS && contender->parameter[i] != NULL; i++)
        bench_must(scheme_choose(scheme, contender->parameter[i], choices, &failure), &failure);
    return scheme;
}

void paper_choose(const struct paper *paper, const struct scheme *scheme,
                  struct scheme_choices *choices)
{
    for (int i = 0; i < SCHEME_PARAMETERS && scheme->parameter[i].name != NULL; i++) {
        const char *name = scheme->parameter[i].name;
        for (const struct choice *choice = paper->experiment->choices; choice->name != NULL;
             choice++)
            if (strcmp(choice->name, name) == 0)
                choices->choice[i] = paper_one_of(paper, name, scheme->parameter[i].choice);
    }
}

struct topology paper_mesh(uint32_t side)
{
    const struct shape shape = {.kind = TOPOLOGY_MESH, .dimensions = 2, .size = {side, side}};
    return topology_of_shape(&shape);
}
