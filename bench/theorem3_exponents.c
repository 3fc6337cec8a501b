/* theorem3_exponents.c - how the steps of Theorem 3's routers grow with c and n: a Markdown table.
 *
 *     theorem3_exponents [-c MOST] [-t THREADS] [SIDE ...]     default 64 128, all cores
 *
 * Sets are uniform with d = c, copies free. For each router and each (m, c), c = 16, 64, ..
 * with s = m / sqrt(c) >= 8 and c n at most MOST times 65536 (default 64): steps after Step 1,
 * without synchronisation. Under them the exponents x of c and y of n of the least squares fit
 * log steps = a + x log c + y log n, with their standard errors. Theorem 3 says 1/2 for both; an
 * exponent off by more than 0.03 is marked with !.
 */
#include "bench/theorem3.h"

#include <math.h>
#include <unistd.h>

enum { LEAST_CONGESTION = 16, LEAST_SIDE_OF_TILE = 8, LEAST_POINTS = 4, MOST_POINTS = 64 };

static const double EXPECTED = 0.5, TOLERANCE = 0.03;

/* log c, log n, log steps. */
struct point {
    double c, n, steps;
};

struct sample {
    uint32_t count;
    struct point point[MOST_POINTS];
};

struct fit {
    double x, y, error_x, error_y;
};

static struct point mean_of(const struct sample *sample)
{
    struct point mean = {0};
    for (uint32_t i = 0; i < sample->count; i++) {
        mean.c += sample->point[i].c / sample->count;
        mean.n += sample->point[i].n / sample->count;
        mean.steps += sample->point[i].steps / sample->count;
    }
    return mean;
}

/* The normal equations of the two slopes about the means. */
static struct fit fit_of(const struct sample *sample)
{
    struct point mean = mean_of(sample);
    double cc = 0, cn = 0, nn = 0, cs = 0, ns = 0, ss = 0;
    for (uint32_t i = 0; i < sample->count; i++) {
        const struct point *point = &sample->point[i];
        double c = point->c - mean.c, n = point->n - mean.n, steps = point->steps - mean.steps;
        cc += c * c;
        cn += c * n;
        nn += n * n;
        cs += c * steps;
        ns += n * steps;
        ss += steps * steps;
    }
    double determinant = cc * nn - cn * cn;
    struct fit fit = {.x = (nn * cs - cn * ns) / determinant,
                      .y = (cc * ns - cn * cs) / determinant};
    double left = fmax(ss - fit.x * cs - fit.y * ns, 0); /* the sum of squared residuals */
    double variance = left / (sample->count - 3);
    fit.error_x = sqrt(variance * nn / determinant);
    fit.error_y = sqrt(variance * cc / determinant);
    return fit;
}

static void take_run(const struct subject *subject, const struct message_set *set, uint32_t threads,
                     struct sample *sample)
{
    static struct router_result result;
    struct run_plan plan = {.copy_is_free = true, .threads = threads};
    double nodes = mesh_nodes(set->mesh);
    if (sample->count == MOST_POINTS || !subject_run(subject, set, &plan, &result))
        return;
    double steps = (double)steps_after_step_1(&result), c = result.congestion;
    printf(" %.0f | %.3f |", steps, steps / sqrt(c * nodes));
    sample->point[sample->count++] = (struct point){log(c), log(nodes), log(steps)};
}

static void row_of(uint32_t side, uint32_t c, uint32_t threads, struct sample sample[SUBJECTS])
{
    struct pattern_options options = {
        .mesh = {side, side}, .degree = c, .congestion = c, .seed = 1};
    struct message_set set = {0};
    if (!set_make(pattern_find("uniform"), &options, &set))
        return;
    printf("| %u | %u | %.0f |", side, c, side / sqrt(c));
    for (int i = 0; i < SUBJECTS; i++)
        take_run(&subjects[i], &set, threads, &sample[i]);
    puts("");
    fflush(stdout);
    message_set_free(&set);
}

static void print_fits(const struct sample sample[SUBJECTS])
{
    if (sample[0].count < LEAST_POINTS)
        return;
    puts("\n| router | runs | exponent of c | standard error | exponent of n | standard error |");
    puts("|---|---|---|---|---|---|");
    for (int i = 0; i < SUBJECTS; i++) {
        if (sample[i].count < LEAST_POINTS)
            continue;
        struct fit fit = fit_of(&sample[i]);
        printf("| %s | %u | %.3f%s | %.3f | %.3f%s | %.3f |\n", subjects[i].name, sample[i].count,
               fit.x, fabs(fit.x - EXPECTED) > TOLERANCE ? "!" : "", fit.error_x, fit.y,
               fabs(fit.y - EXPECTED) > TOLERANCE ? "!" : "", fit.error_y);
    }
}

int main(int count, char **argument)
{
    static const uint32_t standard[] = {64, 128};
    static struct sample sample[SUBJECTS];
    uint32_t threads = 0, sides = 2;
    double most = 64.0 * 65536;
    for (int option; (option = getopt(count, argument, "c:t:")) != -1;) {
        if (option == 'c')
            most = strtod(optarg, NULL) * 65536;
        else if (option == 't')
            threads = (uint32_t)strtoul(optarg, NULL, 10);
        else
            return EXIT_FAILURE;
    }
    if (optind < count)
        sides = (uint32_t)(count - optind);
    puts("| m | c | s | random | / S | stream | / S |");
    puts("|---|---|---|---|---|---|---|");
    for (uint32_t i = 0; i < sides; i++) {
        uint32_t side =
            optind < count ? (uint32_t)strtoul(argument[optind + (int)i], NULL, 10) : standard[i];
        double nodes = (double)side * side;
        for (uint32_t c = LEAST_CONGESTION;
             nodes >= (double)LEAST_SIDE_OF_TILE * LEAST_SIDE_OF_TILE * c && nodes * c <= most;
             c *= 4)
            row_of(side, c, threads, sample);
    }
    print_fits(sample);
    return EXIT_SUCCESS;
}
