/* word.c - control words: steps in which words cross links.
 *
 * Each directed link has two inboxes at its far end: nodes read the words of the last step in one
 * of them while they write this step's into the other. An inbox has one writer (the neighbour on
 * its side), so bands of rows need no lock. It has the number of the word step in which it was
 * filled, so inboxes need not be emptied; sending twice in a step, or off the mesh, stops the
 * program (rule 1 of the model). A node acts on words that its neighbours sent in the step before,
 * so a row can be as many steps ahead of another as it is rows away. Rows do up to 16 steps while
 * they are in cache; two inboxes per link are enough, as each row acts before a neighbour is two
 * steps ahead. Words that only pass through nodes of a row are moved for all of them at once
 * (word_pass). A word that goes to another rank (machine/ranks/ranks.h) is put into the inbox in
 * the row beside the rank's own ones; before the next step the ranks send one another the inboxes
 * there that were filled.
 * Cost: 160 bytes per node, from the first word step on, and the work of the visited nodes.
 */
#include "machine/word.h"

#include "machine/machine_private.h"
#include "machine/ranks/border.h"
#include "machine/transit/conveyor.h"
#include "machine/transit/wavefront.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct words {
    struct word *inbox[2][DIRECTIONS]; /* [parity][side of the sender][node] */
    uint32_t *filled[2][DIRECTIONS];   /* the `tick` in which the inbox was filled */
    uint32_t tick; /* of the next word step; the parity of a tick picks the inbox */
};

struct word_port {
    struct machine *machine;
    struct tally *tally;
    uint32_t tick;
    bool read_only;
};

static void words_free(struct machine *machine)
{
    struct words *words = machine->words;
    if (words == NULL)
        return;
    for (int parity = 0; parity < 2; parity++) {
        for (int side = 0; side < DIRECTIONS; side++) {
            free(words->inbox[parity][side]);
            free(words->filled[parity][side]);
        }
    }
    free(words);
    machine->words = NULL;
}

static const struct machine_part WORD_PART = {.free = words_free};

enum failure_kind machine_prepare_words(struct machine *machine, struct failure *failure)
{
    enum failure_kind kind = machine_judge_steps(machine, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (machine->words != NULL) {
        machine->words->tick += 2; /* no word sent before counts as sent in the last step */
        return FAIL_NONE;
    }
    machine->words = memory_allocate(1, sizeof *machine->words);
    bool whole = machine->words != NULL;
    for (int parity = 0; whole && parity < 2; parity++) {
        for (int side = 0; side < DIRECTIONS; side++) {
            struct words *words = machine->words;
            words->inbox[parity][side] = machine_allocate_nodes(machine, sizeof(struct word));
            words->filled[parity][side] = machine_allocate_nodes(machine, sizeof(uint32_t));
            whole = whole && words->inbox[parity][side] && words->filled[parity][side];
        }
    }
    if (whole) {
        machine->words->tick = 2; /* no inbox has a number */
        machine_register(machine, &WORD_PART);
        return FAIL_NONE;
    }
    words_free(machine);
    return fail_memory(failure, "the links' words");
}

bool word_received(const struct word_port *port, struct site site, enum direction side,
                   struct word *word)
{
    const struct words *words = port->machine->words;
    uint32_t before = port->tick - 1;
    if (words->filled[before % 2][side][site.index] != before)
        return false;
    *word = words->inbox[before % 2][side][site.index];
    return true;
}

void word_send(struct word_port *port, struct site site, enum direction side, struct word word)
{
    struct words *words = port->machine->words;
    node_index to = mesh_beside(port->machine->config.mesh, site.row, site.col, side);
    enum direction from = direction_opposite(side);
    uint32_t tick = port->tick;
    assert(!port->read_only && to != MESH_NO_NODE && words->filled[tick % 2][from][to] != tick);
    words->filled[tick % 2][from][to] = tick;
    words->inbox[tick % 2][from][to] = word;
    port->tally->word_hops++;
    tally_event(port->machine, port->tally, DEPARTURES,
                (struct machine_event){{site.index, to, 0}, 'X'});
}

/* Forwards, in step `tick`, words that arrived in the step before. False: a word was missing, or
 * its link carries another. */
VECTORISED static bool pass_words(const uint32_t *restrict arrived, uint32_t *restrict goes,
                                  uint32_t count, uint32_t tick)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        wrong |= (arrived[i] ^ (tick - 1)) | (goes[i] == tick);
        goes[i] = tick;
    }
    return wrong == 0;
}

void word_pass(struct word_port *port, struct site site, uint32_t count, enum direction side)
{
    struct words *words = port->machine->words;
    enum direction from = direction_opposite(side);
    uint32_t parity = port->tick % 2, cols = port->machine->config.mesh.cols;
    size_t to = side == WEST ? site.index - 1 : site.index + 1;
    if (count == 0)
        return;
    assert(!port->read_only);
    assert(side == WEST ? site.col > 0 : side == EAST && site.col + count < cols);
    bool may_pass = pass_words(words->filled[!parity][from] + site.index,
                               words->filled[parity][from] + to, count, port->tick);
    assert(may_pass);
    (void)may_pass;
    memcpy(words->inbox[parity][from] + to, words->inbox[!parity][from] + site.index,
           count * sizeof(struct word));
    port->tally->word_hops += count;
    for (uint32_t i = 0; machine_is_observed(port->machine) && i < count; i++) {
        node_index here = site.index + i, there = side == WEST ? here - 1 : here + 1;
        tally_event(port->machine, port->tally, DEPARTURES,
                    (struct machine_event){{here, there, 0}, 'X'});
    }
}

/* ---- steps ---- */

struct word_run {
    struct machine *machine;
    word_act *act;
    void *context;
    uint64_t first; /* the number of the first step of this wave */
    uint32_t steps; /* of this wave */
    bool read_only;
};

/* One thread's part of a wave. */
struct word_worker {
    const struct word_run *run;
    struct word_port port;
};

static void act_on_row(void *of_thread, uint32_t step, uint32_t row)
{
    struct word_worker *worker = of_thread;
    worker->port.tick = worker->run->machine->words->tick + step;
    worker->run->act(worker->run->context, &worker->port, row, worker->run->first + step);
}

/* ---- borders of ranks ---- */

/* The inboxes of a border row, with the words of tick `tick` from `side`. */
struct border_inboxes {
    struct word *inbox; /* [column] */
    uint32_t *filled;   /* [column] */
    uint32_t cols, tick;
};

static struct border_inboxes inboxes_of(const struct machine *machine, uint32_t row,
                                        enum direction side, uint32_t tick)
{
    const struct words *words = machine->words;
    uint32_t cols = machine->config.mesh.cols;
    size_t first = (size_t)row * cols;
    return (struct border_inboxes){words->inbox[tick % 2][side] + first,
                                   words->filled[tick % 2][side] + first, cols, tick};
}

/* Puts a message: per 64 columns the filled inboxes, then their words. */
static void put_words(struct machine *machine, enum rank_side side,
                      const struct border_inboxes *inboxes)
{
    for (uint32_t col = 0; col < inboxes->cols; col += BLOCK) {
        uint32_t left = inboxes->cols - col, later;
        uint64_t filled =
            due_now(inboxes->filled + col, left < BLOCK ? left : BLOCK, inboxes->tick, &later);
        border_put(machine, side, &filled, sizeof filled);
        for (; filled != 0; filled &= filled - 1)
            border_put(machine, side, &inboxes->inbox[col + (uint32_t)__builtin_ctzll(filled)],
                       sizeof *inboxes->inbox);
    }
}

static void get_words(struct machine *machine, enum rank_side side,
                      const struct border_inboxes *inboxes)
{
    for (uint32_t col = 0; col < inboxes->cols; col += BLOCK) {
        uint64_t filled;
        border_get(machine, side, &filled, sizeof filled);
        for (; filled != 0; filled &= filled - 1) {
            uint32_t at = col + (uint32_t)__builtin_ctzll(filled);
            border_get(machine, side, &inboxes->inbox[at], sizeof *inboxes->inbox);
            inboxes->filled[at] = inboxes->tick;
        }
    }
}

/* Exchanges, before step `step` of a wave, the words of the step before that crossed the rank's
 * borders. */
static void cross_borders(void *of_thread, uint32_t step, const struct team *team)
{
    const struct word_worker *worker = of_thread;
    struct machine *machine = worker->run->machine;
    uint32_t tick = machine->words->tick + step - 1;
    if (team->rank > 0)
        return;
    for (enum direction d = NORTH; d <= SOUTH; d++) {
        uint32_t row = d == NORTH ? machine->first_row - 1 : machine->end_row;
        if (!border_has(machine, border_side(d)))
            continue;
        struct border_inboxes inboxes = inboxes_of(machine, row, direction_opposite(d), tick);
        put_words(machine, border_side(d), &inboxes);
    }
    border_exchange(machine);
    for (enum direction d = NORTH; d <= SOUTH; d++) {
        uint32_t row = d == NORTH ? machine->first_row : machine->end_row - 1;
        if (!border_has(machine, border_side(d)))
            continue;
        struct border_inboxes inboxes = inboxes_of(machine, row, d, tick);
        get_words(machine, border_side(d), &inboxes);
    }
}

static void word_rows(void *of_run, const struct team *team)
{
    const struct word_run *run = of_run;
    struct machine *machine = run->machine;
    struct word_worker worker = {run, {machine, &machine->tally[team->rank], 0, run->read_only}};
    wave_go(machine, act_on_row, cross_borders, &worker, run->steps, team);
}

enum failure_kind machine_word_steps(struct machine *machine, uint64_t steps, word_act *act,
                                     void *context, struct failure *failure)
{
    enum { MOST = 16 };
    assert(machine->words != NULL);
    struct word_run run = {machine, act, context, .first = 1};
    for (; run.first <= steps && machine->rank_failure.kind == FAIL_NONE; run.first += run.steps) {
        run.steps = wave_steps(machine, 1, MOST, steps - run.first + 1);
        parallel_run(machine->config.threads, word_rows, &run);
        machine->words->tick += run.steps;
        machine_end_steps(machine, run.steps, NULL);
    }
    return machine_rank_kept(machine, failure);
}

void machine_word_read(struct machine *machine, uint64_t step, word_act *act, void *context)
{
    struct word_run run = {machine, act, context, .first = step, .steps = 1, .read_only = true};
    parallel_run(machine->config.threads, word_rows, &run);
}
