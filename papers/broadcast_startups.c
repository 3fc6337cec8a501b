/* broadcast_startups.c - E1: the startups of an all-to-all broadcast on n x n nodes, counted and in closed form. */
#include "papers/experiments.h"
#include "papers/figure.h"
#include "papers/startup_formulas.h"

enum { LEAST_SIDE = 2, MOST_SIDE = 16, SIDES = MOST_SIDE - LEAST_SIDE + 1 };

struct counting {
    uint32_t sides;
    struct startups of[SIDES][STARTUP_FORMULAS];
};

static void count(void *context, uint32_t index)
{
    struct counting *counting = context;
    uint32_t side = index / STARTUP_FORMULAS, scheme = index % STARTUP_FORMULAS;
    counting->of[side][scheme] =
        count_startups(&startup_formulas[scheme].contender, LEAST_SIDE + side);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

static void print_rational(uint64_t numerator, uint64_t denominator, FILE *text)
{
    uint64_t divisor = common_divisor(numerator, denominator);
    fprintf(text, " %llu", (unsigned long long)(numerator / divisor));
    if (denominator > divisor)
        fprintf(text, "/%llu", (unsigned long long)(denominator / divisor));
    fputs(" |", text);
}

static void print_formulas(FILE *text)
{
    fputs("Closed forms, n >= 2 (derived in "
          "[startup_formulas.h](../papers/startup_formulas.h)):\n\n"
          "| scheme | most of a source | mean of the sources |\n|---|---|---|\n",
          text);
    for (int i = 0; i < STARTUP_FORMULAS; i++)
        fprintf(text, "| %s | %s | %s |\n", startup_formulas[i].contender.title,
                startup_formulas[i].most, startup_formulas[i].mean);
    fputc('\n', text);
}

/* Most and mean of each scheme and n, counted; returns the cells that differ from the closed form. */
static uint32_t print_counts(const struct counting *counting, FILE *text)
{
    uint32_t different = 0;
    fputs("Counted, over all n^2 sources: the most worms of a source, and their mean, "
          "exactly:\n\n| n "
          "|",
          text);
    for (int i = 0; i < STARTUP_FORMULAS; i++)
        fprintf(text, " %s: most | mean |", startup_formulas[i].contender.title);
    fputs("\n|---:|", text);
    for (int i = 0; i < STARTUP_FORMULAS; i++)
        fputs("---:|---:|", text);
    fputc('\n', text);
    for (uint32_t side = 0; side < counting->sides; side++) {
        uint64_t n = LEAST_SIDE + side;
        fprintf(text, "| %llu |", (unsigned long long)n);
        for (int i = 0; i < STARTUP_FORMULAS; i++) {
            struct startups counted = counting->of[side][i], derived = startup_formulas[i].at(n);
            fprintf(text, " %llu |", (unsigned long long)counted.most);
            print_rational(counted.sum, n * n, text);
            different += (counted.most != derived.most) + (counted.sum != derived.sum);
        }
        fputc('\n', text);
    }
    fputc('\n', text);
    return different;
}

static void draw(const struct paper *paper, const struct counting *counting)
{
    double x[SIDES];
    struct contender contender[STARTUP_FORMULAS];
    struct grid most = {.title = "Most startups of a source",
                        .x_name = "n",
                        .y_name = "startups",
                        .points = counting->sides,
                        .curves = STARTUP_FORMULAS,
                        .x = x,
                        .contender = contender};
    struct grid mean = most;
    mean.title = "Mean startups of a source";
    grid_make(&most);
    grid_make(&mean);
    for (int i = 0; i < STARTUP_FORMULAS; i++)
        contender[i] = startup_formulas[i].contender;
    for (uint32_t side = 0; side < counting->sides; side++) {
        x[side] = LEAST_SIDE + side;
        for (uint32_t i = 0; i < STARTUP_FORMULAS; i++) {
            struct startups startups = counting->of[side][i];
            *grid_cell(&most, side, i) = (struct cell){(double)startups.most, 0, CELL_STEADY};
            *grid_cell(&mean, side, i) =
                (struct cell){(double)startups.sum / (x[side] * x[side]), 0, CELL_STEADY};
        }
    }
    figure_draw(paper, "papers-e1", (const struct grid *const[]){&most, &mean}, 2);
    grid_free(&most);
    grid_free(&mean);
}

static void run(const struct paper *paper)
{
    struct counting counting = {.sides = paper_sized(paper, 3, SIDES, SIDES)};
    paper_measure(paper, counting.sides * STARTUP_FORMULAS, count, &counting);
    print_formulas(paper->text);
    uint32_t different = print_counts(&counting, paper->text);
    draw(paper, &counting);
    paper_fact(paper, "least-n", "%d", LEAST_SIDE);
    paper_fact(paper, "most-n", "%u", LEAST_SIDE + counting.sides - 1);
    paper_fact(paper, "cells", "%u", 2 * counting.sides * STARTUP_FORMULAS);
    paper_fact(paper, "different", "%s", different == 0 ? "none" : "some");
    for (int i = 0; i < STARTUP_FORMULAS; i++) {
        struct startups last = counting.of[counting.sides - 1][i];
        static const char *const name[] = {"pure", "minimal", "printed", "dual", "column", "schl"};
        double n = LEAST_SIDE + counting.sides - 1;
        paper_fact(paper, name[i], "%.4g", (double)last.sum / (n * n));
    }
}

static const struct choice choices[] = {
    {"sources", "all n^2", "which sources count, each with all other nodes as destinations"},
    {NULL, NULL, NULL},
};

const struct experiment experiment_broadcast_startups = {
    "E1", "startups of an all-to-all broadcast, n x n", choices, run};
