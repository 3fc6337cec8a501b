/* soak.c - random small runs of a router, each traced and audited.
 *
 *     soak [ROUTER [RUNS [FIRST-SEED]]]       default stream 1000 1
 *
 * Everything about a run comes from its seed: sides 2 .. 24, the pattern, degree and congestion (of
 * every magnitude alike), copies free or unit, 1 .. 3 threads, parameters from a table, and the
 * capacity: none, the least that the router accepts, or up to 40 more. A router says the least when
 * it refuses a capacity of 1; one that does not refuse runs without a capacity.
 * A run counts as good if it ends, delivers everything once, stays within the capacity, and leaves
 * a trace whose audit finds no broken rule and counts what the result says. The first bad one ends
 * the program with its seed and status 1. What is run in a seed does not depend on the seed before,
 * so one run is repeated by RUNS = 1.
 */
#include "audit/audit.h"
#include "base/pcg.h"
#include "routers/router.h"
#include "workloads/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STREAM = 90, MOST_SIDE = 24, MOST_THREADS = 3, MOST_SPARE = 40, MOST_DELIVERIES = 60000 };

/* Parameters beside the defaults; a router without a row runs with its defaults alone. */
static const struct {
    const char *router;
    struct router_parameter parameter;
} VARIANTS[] = {
    {"stream", {"slots", "1"}},          {"stream", {"slots", "2"}},
    {"stream", {"slots", "5"}},          {"trees", {"slots", "1"}},
    {"replicate", {"variant", "paper"}}, {"random", {"variant", "paper"}},
};

enum { VARIANT_COUNT = sizeof VARIANTS / sizeof *VARIANTS };

/* Where traces go: a file without a name, empty before each run. */
struct store {
    FILE *file;
    char path[32];
};

struct soak {
    const struct router *router;
    struct store store;
    uint64_t good;
    uint32_t peak;
    struct message_set set;
    struct router_options options;
};

static bool store_open(struct store *store)
{
    const char *folder = getenv("TMPDIR");
    snprintf(store->path, sizeof store->path, "%s/meshcast-soak-XXXXXX",
             folder == NULL ? "/tmp" : folder);
    int descriptor = mkstemp(store->path);
    if (descriptor < 0)
        return false;
    store->file = fdopen(descriptor, "w");
    return store->file != NULL;
}

static bool store_clear(struct store *store)
{
    rewind(store->file);
    return ftruncate(fileno(store->file), 0) == 0;
}

/* 1 .. most, every magnitude about as often. */
static uint32_t draw_magnitude(struct pcg32 *random, uint32_t most)
{
    uint32_t end = 2;
    while (end <= most && pcg32_below(random, 4) != 0)
        end *= 2;
    return 1 + pcg32_below(random, end <= most ? end : most);
}

/* A set of a random pattern; draws again where the pattern refuses the mesh, d or c. */
static void draw_set(struct soak *soak, struct pcg32 *random)
{
    struct failure failure = {0};
    do {
        message_set_free(&soak->set);
        struct pattern_options options = {.mesh = {2 + pcg32_below(random, MOST_SIDE - 1),
                                                   2 + pcg32_below(random, MOST_SIDE - 1)},
                                          .seed = pcg32_next(random)};
        if (pcg32_below(random, 8) == 0)
            *(pcg32_below(random, 2) ? &options.mesh.rows : &options.mesh.cols) = 1;
        uint32_t nodes = mesh_nodes(options.mesh);
        options.congestion = draw_magnitude(random, nodes);
        options.degree = draw_magnitude(random, nodes);
        const struct pattern *pattern = pattern_at(pcg32_below(random, pattern_count()));
        if (pcg32_below(random, 3) == 0)
            options.degree = 0;
        if (pattern_generate(pattern, &options, &soak->set, &failure) != FAIL_NONE)
            soak->set = (struct message_set){0};
    } while (soak->set.messages == 0 || message_set_version(&soak->set) != 1 ||
             soak->set.deliveries > MOST_DELIVERIES);
}

static void draw_parameters(struct soak *soak, struct pcg32 *random)
{
    uint32_t row = pcg32_below(random, VARIANT_COUNT);
    if (strcmp(VARIANTS[row].router, soak->router->name) != 0)
        return;
    soak->options.parameter[soak->options.parameters++] = VARIANTS[row].parameter;
}

/* The least capacity that the router accepts with these options, from its refusal; 0 if it does not
 * refuse. */
static uint32_t least_capacity(const struct soak *soak)
{
    struct router_options options = soak->options;
    struct router_result result;
    struct failure failure = {0};
    options.buffer = 1;
    if (router_run(soak->router, &soak->set, &options, &result, &failure) != FAIL_USAGE)
        return 0;
    const char *least = strstr(failure.text, "the least is ");
    return least == NULL ? 0 : (uint32_t)strtoul(least + strlen("the least is "), NULL, 10);
}

static void draw_options(struct soak *soak, struct pcg32 *random)
{
    soak->options = router_options_default();
    soak->options.seed = pcg32_next(random);
    soak->options.threads = 1 + pcg32_below(random, MOST_THREADS);
    soak->options.copy_is_free = pcg32_below(random, 2);
    draw_parameters(soak, random);
    uint32_t least = least_capacity(soak), spare = pcg32_below(random, 3);
    if (least > 0 && spare > 0)
        soak->options.buffer = least + (spare == 1 ? 0 : pcg32_below(random, MOST_SPARE + 1));
    soak->options.trace = soak->store.file;
}

static bool is_confirmed(const struct router_result *result, const struct audit_report *audit)
{
    return result->missing == 0 && result->delivered == audit->delivered &&
           result->packet_hops == audit->packet_hops && result->copies == audit->copies &&
           result->word_hops == audit->word_hops && result->buffer_peak == audit->buffer_peak &&
           audit->steps <= result->steps &&
           (result->buffer_capacity == 0 || result->buffer_peak <= result->buffer_capacity);
}

/* The run of a seed; false, with a message, if anything about it is wrong. */
static bool run_seed(struct soak *soak, uint64_t seed)
{
    static struct router_result result;
    struct audit_report audit;
    struct failure failure = {0};
    struct pcg32 random = pcg32_seed(seed, STREAM);
    draw_set(soak, &random);
    draw_options(soak, &random);
    bool good =
        store_clear(&soak->store) &&
        router_run(soak->router, &soak->set, &soak->options, &result, &failure) == FAIL_NONE &&
        fflush(soak->store.file) == 0 &&
        audit_trace(soak->store.path, &soak->set, &audit, &failure) == FAIL_NONE;
    if (good && is_confirmed(&result, &audit)) {
        soak->peak = result.buffer_peak > soak->peak ? result.buffer_peak : soak->peak;
        soak->good++;
        return true;
    }
    fprintf(stderr,
            "soak: %s, seed %" PRIu64 ": %" PRIu32 " x %" PRIu32 ", d = %" PRIu32 ", c = %" PRIu32
            ", buffer %" PRIu32 ": %s\n",
            soak->router->name, seed, soak->set.mesh.rows, soak->set.mesh.cols,
            message_set_degree(&soak->set), message_set_congestion(&soak->set),
            soak->options.buffer, good ? "result and audit differ" : failure.text);
    return false;
}

int main(int count, char **argument)
{
    struct soak soak = {.router = router_find(count > 1 ? argument[1] : "stream")};
    uint64_t runs = count > 2 ? strtoull(argument[2], NULL, 10) : 1000;
    uint64_t first = count > 3 ? strtoull(argument[3], NULL, 10) : 1;
    if (soak.router == NULL || !store_open(&soak.store)) {
        fprintf(stderr, "soak: no such router, or no file for traces\n");
        return EXIT_FAILURE;
    }
    bool good = true;
    for (uint64_t seed = first; good && seed - first < runs; seed++)
        good = run_seed(&soak, seed);
    message_set_free(&soak.set);
    fclose(soak.store.file);
    printf("%s: %" PRIu64 " runs from seed %" PRIu64 " good, at most %" PRIu32
           " packets per node\n",
           soak.router->name, soak.good, first, soak.peak);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
