/* paper.h - experiments of the literature: what they share, and their table.
 *
 * An experiment measures points, each by itself, on as many threads as there are; the same seed gives the same bytes for
 * any number of them. It prints Markdown (its tables and pictures) and facts, which are figures with a name. The
 * prose of the page stands in a template (page.h) that names facts and writes no figure of its own.
 *
 * To add an experiment: a file that defines a `struct experiment`, a row of the table in paper.c, and a line of the
 * template.
 */
#ifndef MESHCAST_PAPERS_PAPER_H
#define MESHCAST_PAPERS_PAPER_H

#include "schemes/plan_cost.h"
#include "schemes/scheme.h"
#include "topology/topology.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a paper leaves open, and what is taken. */
struct choice {
    const char *name, *value; /* NULL behind the last; the value if nothing else is set */
    const char *help;
};

enum paper_size { PAPER_TINY, PAPER_QUICK, PAPER_WHOLE };

struct experiment;

/* One run of one experiment. */
struct paper {
    enum paper_size size;
    uint32_t threads; /* 1 .. */
    uint64_t seed;
    const struct experiment *experiment;
    const char *const *setting; /* "NAME=VALUE", for the experiment's choices; ended by NULL */
    FILE *text, *facts;
    /* Takes a picture: its name, without folder and ending, and a program for gnuplot. */
    void (*draw)(void *context, const char *name, FILE *script);
    void *draw_context;
};

struct experiment {
    const char *name; /* "E1" */
    const char *title;
    const struct choice *choices;
    void (*run)(const struct paper *paper);
};

uint32_t experiment_count(void);
const struct experiment *experiment_at(uint32_t index);

/* The experiment of that name; NULL: there is none. */
const struct experiment *experiment_find(const char *name);

/* Whether "NAME=VALUE" sets a choice of the experiment. */
bool experiment_has_choice(const struct experiment *experiment, const char *setting);

/* Prints the heading and the table of choices, and runs the experiment. What fails ends the program. */
void paper_run(const struct paper *paper);

/* The value of a choice of the experiment that runs. A number that is none ends the program. */
const char *paper_word(const struct paper *paper, const char *name);
double paper_number(const struct paper *paper, const char *name);

/* The place of a choice's value among words, which NULL ends. A value that is none of them ends the program. */
uint32_t paper_one_of(const struct paper *paper, const char *name, const char *const *word);

/* One of three values, by the size of the run. */
uint32_t paper_sized(const struct paper *paper, uint32_t tiny, uint32_t quick, uint32_t whole);

/* Calls measure(context, i) for each i below `count`, on all threads, in any order. Calls of different i write
 * different places. */
void paper_measure(const struct paper *paper, uint32_t count,
                   void (*measure)(void *context, uint32_t index), void *context);

/* Tells a fact: its name is that of the experiment, a dot, and `name`; its value is printed as by printf(). */
__attribute__((format(printf, 3, 4))) void paper_fact(const struct paper *paper, const char *name,
                                                      const char *format, ...);

/* ---- schemes that are compared ---- */

enum { CONTENDER_PARAMETERS = 2 };

/* A scheme under the title that tables and pictures give it. */
struct contender {
    const char *title, *scheme;
    const char *parameter[CONTENDER_PARAMETERS]; /* "NAME=VALUE"; NULL: none */
};

/* The scheme and its choices. A name that is none ends the program. */
const struct scheme *contender_scheme(const struct contender *contender,
                                      struct scheme_choices *choices);

/* Sets the parameters of a scheme that are choices of the experiment, too. */
void paper_choose(const struct paper *paper, const struct scheme *scheme,
                  struct scheme_choices *choices);

/* A square mesh of two dimensions. */
struct topology paper_mesh(uint32_t side);

#endif
