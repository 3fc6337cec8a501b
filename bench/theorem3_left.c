/* theorem3_left.c - what variant=rank leaves behind after one round of visits: a Markdown table.
 *
 *     theorem3_left [-n SEEDS] [-c C] [SIDE ...]      default 5 seeds, 64; sides are powers of two; with -c C
 *                                                     the rows of that congestion alone
 *
 * For s = m / sqrt(c) = 4, 8, 16 and r = 1, 2, 3, sets "uniform" with d = c (each node receives c
 * messages) and "block" with d = c (destinations crowd in a tile), copies free: the run's trace
 * says which deliveries were made before Phase 1, or before Step 3's first repetition where there
 * is no Phase 1. Of the others: their share of all deliveries; the share of pairs of a packet and
 * a b_0-block where it has destinations that keep some; and the most packets that keep
 * destinations in one b_1-block, which Lemma 2 bounds by b_1 c_1 = s c / 4, with high probability
 * and for r >= 150; more are marked with !. "Least r" is what Lemmas 2 and 3 want for a probability of
 * 1 - 1/n (routers/random_lemmas.c). Shares are of all seeds together, the most is that of
 * any. Blocks are cut as router `random` cuts them. Each run is a process of its own, whose trace
 * comes through a pipe.
 */
#include "bench/theorem3.h"
#include "primitives/tessellation.h"
#include "routers/random_lemmas.h"

#include <inttypes.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_SIZE = 256 };

/* Deliveries by the step in which they were made. */
struct log {
    const struct message_set *set;
    uint64_t logged;             /* deliveries */
    uint64_t *step;              /* [delivery] */
    uint32_t *message_at;        /* [node]: index of the message that starts there */
    struct router_result phases; /* names and steps alone, as the trace tells them */
};

struct tally {
    uint64_t deliveries, left, pairs, pairs_left;
    uint32_t most_in_block, in_one_round, runs;
};

/* ---- the trace ---- */

static void log_delivery(struct log *log, const char *line, uint64_t step)
{
    uint32_t node, packet, source;
    const struct message_set *set = log->set;
    if (sscanf(line, "%" SCNu32 " %" SCNu32 " %" SCNu32, &node, &packet, &source) != 3)
        return;
    uint32_t message = log->message_at[source];
    uint64_t low = set->offset[message], high = set->offset[message + 1];
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (set->destination[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    log->step[low] = step;
    log->logged++;
}

static void log_phase(struct log *log, const char *name, uint64_t step)
{
    struct router_result *phases = &log->phases;
    uint32_t i = phases->phases;
    if (i == MACHINE_MAX_PHASES)
        return;
    snprintf(phases->phase[i].name, sizeof phases->phase[i].name, "%.*s", (int)strcspn(name, "\n"),
             name);
    phases->phase[i].steps = step; /* where it begins, for now */
    phases->phases++;
}

/* A phase begins behind the last event before its line. */
static void log_trace(struct log *log, FILE *trace)
{
    static const char PHASE[] = "# phase ";
    char line[LINE_SIZE];
    uint64_t step = 0;
    while (fgets(line, sizeof line, trace) != NULL) {
        if (strncmp(line, PHASE, strlen(PHASE)) == 0)
            log_phase(log, line + strlen(PHASE), step);
        else if (line[0] >= '0' && line[0] <= '9') {
            char *end;
            step = strtoull(line, &end, 10);
            if (end[0] == ' ' && (end[1] == 'D' || end[1] == 'E'))
                log_delivery(log, end + 2, step);
        }
    }
    for (uint32_t i = 0; i < log->phases.phases; i++) {
        uint64_t next = i + 1 < log->phases.phases ? log->phases.phase[i + 1].steps : step;
        log->phases.phase[i].steps = next - log->phases.phase[i].steps;
    }
}

/* The last step of the first round of visits and of what was under way behind it. */
static uint64_t first_round_end(const struct router_result *phases)
{
    uint64_t step = 0;
    for (uint32_t i = 0, rounds = 0; i < phases->phases; step += phases->phase[i++].steps) {
        rounds += begins_round(phases, i);
        if (rounds == 2)
            return step;
    }
    return step;
}

/* ---- what is left ---- */

/* Of all blocks of `area` nodes: pairs of a packet and a block where it has destinations, those of
 * them with one that was made after step `end`, and the most of these in one block. Blocks are
 * stamped with the message that was there last, above it with the one that left something. */
static uint32_t count_left(const struct log *log, uint32_t area, uint64_t end, uint64_t *pairs,
                           uint64_t *left)
{
    const struct message_set *set = log->set;
    uint32_t most = 0, blocks = mesh_nodes(set->mesh) / area;
    struct tessellation cut = {0};
    struct failure failure = {0};
    uint32_t *count = memory_allocate(3ul * blocks, sizeof *count);
    if (!count || tessellation_make(&cut, set->mesh, blocks, &failure) != FAIL_NONE)
        exit(EXIT_FAILURE);
    uint32_t *stamp = count + blocks, *stamp_left = stamp + blocks;
    for (uint32_t message = 0; message < set->messages; message++)
        for (uint64_t i = set->offset[message]; i < set->offset[message + 1]; i++) {
            node_index node = set->destination[i];
            uint32_t block = cut.row.tile[node / set->mesh.cols] * axis_intervals(&cut.col) +
                             cut.col.tile[node % set->mesh.cols];
            *pairs += stamp[block] != message + 1;
            stamp[block] = message + 1;
            if (log->step[i] <= end || stamp_left[block] == message + 1)
                continue;
            stamp_left[block] = message + 1;
            (*left)++;
            if (++count[block] > most)
                most = count[block];
        }
    tessellation_free(&cut);
    free(count);
    return most;
}

static void take_log(const struct log *log, uint32_t tile_side, struct tally *tally)
{
    uint64_t end = first_round_end(&log->phases), ignored = 0;
    for (uint64_t i = 0; i < log->set->deliveries; i++)
        tally->left += log->step[i] > end;
    tally->deliveries += log->set->deliveries;
    count_left(log, tile_side, end, &tally->pairs, &tally->pairs_left);
    uint32_t most = count_left(log, 4 * tile_side, end, &ignored, &ignored);
    if (most > tally->most_in_block)
        tally->most_in_block = most;
    tally->in_one_round += rounds_of(&log->phases) == 1;
    tally->runs++;
}

/* ---- one run ---- */

/* In a process of its own, which ends here. */
static void run_traced(const struct message_set *set, const struct run_plan *plan, int pipe_end)
{
    static struct router_result result;
    struct run_plan traced = *plan;
    traced.trace = fdopen(pipe_end, "w");
    bool done = traced.trace != NULL && subject_run(&subjects[0], set, &traced, &result);
    done = done && fclose(traced.trace) == 0;
    _exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool run(const struct message_set *set, const struct run_plan *plan, struct log *log)
{
    int ends[2], status = EXIT_FAILURE;
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_traced(set, plan, ends[1]);
    }
    close(ends[1]);
    FILE *trace = fdopen(ends[0], "r");
    if (trace != NULL) {
        log_trace(log, trace);
        fclose(trace);
    }
    if (child <= 0 || waitpid(child, &status, 0) != child || status != EXIT_SUCCESS)
        return false;
    return log->logged == set->deliveries;
}

static void measure(const struct pattern_options *options, const char *pattern, const char *r,
                    struct tally *tally)
{
    static struct log log;
    struct message_set set = {0};
    struct run_plan plan = {.copy_is_free = true, .seed = options->seed, .threads = 1, .r = r};
    if (!set_make(pattern_find(pattern), options, &set))
        return;
    struct failure failure = {0};
    if (message_set_leave_home(&set, &failure) != FAIL_NONE ||
        message_set_congestion(&set) != options->congestion) { /* the tiles would be others */
        message_set_free(&set);
        return;
    }
    uint32_t nodes = mesh_nodes(set.mesh);
    log = (struct log){.set = &set};
    log.step = memory_allocate(set.deliveries, sizeof *log.step);
    log.message_at = memory_allocate(nodes, sizeof *log.message_at);
    if (log.step == NULL || log.message_at == NULL)
        exit(EXIT_FAILURE);
    for (uint32_t i = 0; i < set.messages; i++)
        log.message_at[set.source[i]] = i;
    if (run(&set, &plan, &log))
        take_log(&log, (uint32_t)(options->mesh.rows / sqrt(options->congestion)), tally);
    else
        fputs("theorem3_left: a run failed\n", stderr);
    free(log.step);
    free(log.message_at);
    message_set_free(&set);
}

/* ---- the table ---- */

static void row_of(struct pattern_options options, const char *pattern, const char *r,
                   uint32_t seeds)
{
    struct tally tally = {0};
    uint32_t c = options.congestion, tile_side = (uint32_t)(options.mesh.rows / sqrt(c));
    uint32_t bound = tile_side * c / 4; /* b_1 c_1 */
    for (options.seed = 1; options.seed <= seeds; options.seed++)
        measure(&options, pattern, r, &tally);
    if (tally.runs == 0)
        return;
    printf("| %u | %u | %u | %s | %s | %u | %.1e | %.1e | %u%s | %u | %u of %u |\n",
           options.mesh.rows, c, tile_side, pattern, r, lemma_least_r(options.mesh, c, 1).both,
           (double)tally.left / (double)tally.deliveries,
           (double)tally.pairs_left / (double)tally.pairs, tally.most_in_block,
           tally.most_in_block > bound ? "!" : "", bound, tally.in_one_round, tally.runs);
    fflush(stdout);
}

static void rows_of(uint32_t side, uint32_t seeds, uint32_t only)
{
    static const char *const pattern[] = {"uniform", "block"}, *const r[] = {"1", "2", "3"};
    for (uint32_t tile_side = 4; 4 * tile_side <= side; tile_side *= 2)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++) {
                uint32_t c = side / tile_side * (side / tile_side);
                struct pattern_options options = {
                    .mesh = {side, side}, .degree = c, .congestion = c};
                if (only == 0 ? tile_side <= 16 : c == only)
                    row_of(options, pattern[i], r[j], seeds);
            }
}

int main(int count, char **argument)
{
    uint32_t seeds = 5, only = 0;
    for (int option; (option = getopt(count, argument, "n:c:")) != -1;) {
        if (option != 'n' && option != 'c')
            return EXIT_FAILURE;
        *(option == 'n' ? &seeds : &only) = (uint32_t)strtoul(optarg, NULL, 10);
    }
    puts("| m | c | s | pattern | r | least r | deliveries left | pairs left | most in a block | "
         "b_1 c_1 | in one round |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|");
    for (int i = optind; i == optind || i < count; i++) {
        uint32_t side = i < count ? (uint32_t)strtoul(argument[i], NULL, 10) : 64;
        if (side == 0 || (side & (side - 1)) != 0) {
            fputs("theorem3_left: sides are powers of two\n", stderr);
            return EXIT_FAILURE;
        }
        rows_of(side, seeds, only);
    }
    return EXIT_SUCCESS;
}
