/* word.c - control words: one step in which words cross links.
 *
 * Each directed link has an inbox at its far end, twice: what crossed in the last step is read
 * while this step's words are written. An inbox has one writer (the neighbour on its side), so
 * bands of rows need no lock. An inbox bears the number of the word step in which it was filled, so
 * nothing has to be emptied; sending twice in a step, or off the mesh, stops the program (rule 1 of
 * the model).
 * Cost: 160 bytes a node, from the first word step on, and what the visited nodes do.
 */
#include "machine/machine_private.h"

#include <assert.h>
#include <stdlib.h>

struct words {
    struct word *inbox[2][DIRECTIONS]; /* [parity][side of the sender][node] */
    uint32_t *filled[2][DIRECTIONS];   /* when: a number of `tick` */
    uint32_t tick;                     /* counts word steps from 1; its parity picks the inbox */
};

struct word_port {
    struct machine *machine;
    struct band *band;
    bool read_only;
};

void words_free(struct machine *machine)
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

enum failure_kind machine_prepare_words(struct machine *machine, struct failure *failure)
{
    if (machine->words != NULL) {
        machine->words->tick += 2; /* what was sent before is never `the step before` again */
        return FAIL_NONE;
    }
    machine->words = memory_allocate(1, sizeof *machine->words);
    bool whole = machine->words != NULL;
    for (int parity = 0; whole && parity < 2; parity++) {
        for (int side = 0; side < DIRECTIONS; side++) {
            struct words *words = machine->words;
            words->inbox[parity][side] = memory_allocate(machine->nodes, sizeof(struct word));
            words->filled[parity][side] = memory_allocate(machine->nodes, sizeof(uint32_t));
            whole = whole && words->inbox[parity][side] && words->filled[parity][side];
        }
    }
    if (whole) {
        machine->words->tick = 2; /* no inbox bears a number */
        return FAIL_NONE;
    }
    words_free(machine);
    return fail_memory(failure, "the links' words");
}

bool word_received(const struct word_port *port, struct site site, enum direction side,
                   struct word *word)
{
    const struct words *words = port->machine->words;
    uint32_t before = words->tick - 1;
    if (words->filled[before % 2][side][site.index] != before)
        return false;
    *word = words->inbox[before % 2][side][site.index];
    return true;
}

static node_index neighbour(const struct machine *machine, struct site site, enum direction side)
{
    struct mesh mesh = machine->config.mesh;
    switch (side) {
    case NORTH:
        return site.row > 0 ? site.index - mesh.cols : MESH_NO_NODE;
    case SOUTH:
        return site.row + 1 < mesh.rows ? site.index + mesh.cols : MESH_NO_NODE;
    case WEST:
        return site.col > 0 ? site.index - 1 : MESH_NO_NODE;
    default:
        return site.col + 1 < mesh.cols ? site.index + 1 : MESH_NO_NODE;
    }
}

void word_send(struct word_port *port, struct site site, enum direction side, struct word word)
{
    struct words *words = port->machine->words;
    node_index to = neighbour(port->machine, site, side);
    enum direction from = direction_opposite(side);
    uint32_t tick = words->tick;
    assert(!port->read_only && to != MESH_NO_NODE && words->filled[tick % 2][from][to] != tick);
    words->filled[tick % 2][from][to] = tick;
    words->inbox[tick % 2][from][to] = word;
    port->band->word_hops++;
    band_event(port->machine, port->band, DEPARTURES,
               (struct machine_event){{site.index, to, 0}, 'X'});
}

struct word_act {
    struct machine *machine;
    void (*act)(void *context, struct word_port *port, uint32_t first_row, uint32_t end_row);
    void *context;
    bool read_only;
};

static void act_on_band(void *context, const struct team *team)
{
    struct word_act *act = context;
    uint32_t rows = act->machine->config.mesh.rows;
    struct word_port port = {act->machine, &act->machine->band[team->rank], act->read_only};
    act->act(act->context, &port, parallel_band_start(rows, team->rank, team->size),
             parallel_band_start(rows, team->rank + 1, team->size));
}

void machine_word_step(struct machine *machine,
                       void (*act)(void *context, struct word_port *port, uint32_t first_row,
                                   uint32_t end_row),
                       void *context)
{
    struct words *words = machine->words;
    assert(words != NULL);
    struct word_act work = {machine, act, context, false};
    parallel_run(machine->config.threads, act_on_band, &work);
    words->tick++;
    machine_end_step(machine, NULL);
}

void machine_word_read(struct machine *machine,
                       void (*act)(void *context, struct word_port *port, uint32_t first_row,
                                   uint32_t end_row),
                       void *context)
{
    struct word_act work = {machine, act, context, true};
    parallel_run(machine->config.threads, act_on_band, &work);
}
