/* run_machine_lines.c - turns the lines of a mesh machine's trace into events.
 *
 * A trace's packet numbers may be large and leave gaps. A hash with open addressing gives the packets in the network the
 * names 0, 1, .. in the order in which they come.
 * Invariant: at most half of the slots are taken, and none is empty between a packet's first slot and its own.
 */
#include "view/run_machine_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static uint32_t first_slot(const struct packet_names *names, uint64_t number)
{
    return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (names->slots - 1);
}

/* Returns the slot of the number, or the empty one where it belongs; the hash must have slots. */
static struct packet_name *find(const struct packet_names *names, uint64_t number)
{
    uint32_t at = first_slot(names, number);
    while (names->slot[at].name != NO_PACKET && names->slot[at].number != number)
        at = (at + 1) & (names->slots - 1);
    return &names->slot[at];
}

static bool make_room(struct machine_run *run, struct failure *failure)
{
    enum { FIRST_SLOTS = 2048 };
    struct packet_names old = run->names, *names = &run->names;
    if (names->living < names->slots / 2)
        return true;
    uint32_t slots = old.slots == 0 ? FIRST_SLOTS : old.slots * 2;
    struct packet_name *grown = slots == 0 ? NULL : memory_allocate(slots, sizeof *grown);
    if (grown == NULL) {
        fail_memory(failure, "the page of the run");
        return false;
    }
    for (uint32_t i = 0; i < slots; i++)
        grown[i].name = NO_PACKET;
    names->slot = grown;
    names->slots = slots;
    for (uint32_t i = 0; i < old.slots; i++)
        if (old.slot[i].name != NO_PACKET)
            *find(names, old.slot[i].number) = old.slot[i];
    free(old.slot);
    return true;
}

/* Removes a number from the hash, and moves up the numbers after it that a search would otherwise miss. */
static void remove_number(struct packet_names *names, uint64_t number)
{
    uint32_t mask = names->slots - 1, hole = (uint32_t)(find(names, number) - names->slot);
    for (uint32_t at = (hole + 1) & mask; names->slot[at].name != NO_PACKET; at = (at + 1) & mask) {
        uint32_t home = first_slot(names, names->slot[at].number);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        names->slot[hole] = names->slot[at];
        hole = at;
    }
    names->slot[hole].name = NO_PACKET;
    names->living--;
}

/* ---- lines ---- */

enum field_kind { PLAIN, PACKET, NEW_PACKET };

static const struct letter {
    char letter;
    int fields;
    enum field_kind field[3];
    bool ends; /* the packet of field 1 leaves the network */
} letters[] = {
    {'M', 3, {PACKET, PLAIN, PLAIN}, false},      {'X', 2, {PLAIN, PLAIN, PLAIN}, false},
    {'C', 3, {PLAIN, PACKET, NEW_PACKET}, false}, {'D', 3, {PLAIN, PACKET, PLAIN}, false},
    {'E', 3, {PLAIN, PACKET, PLAIN}, true},       {'I', 3, {PLAIN, NEW_PACKET, PLAIN}, false},
    {'R', 2, {PLAIN, PACKET, PLAIN}, true},       {'G', 3, {PLAIN, PACKET, PACKET}, true}};

/* Fills the event's fields with a line's plain numbers and its packets' names. A plain number that is too large for an event
 * becomes UINT32_MAX, which is no node and no message. */
static enum failure_kind find_names(struct machine_run *run, const struct letter *letter,
                                    const struct trace_line *line, struct machine_event *event,
                                    struct failure *failure)
{
    struct packet_names *names = &run->names;
    for (int i = 0; i < letter->fields; i++) {
        uint64_t number = line->field[i];
        if (letter->field[i] == PLAIN) {
            event->field[i] = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
            continue;
        }
        const struct packet_name *slot = names->slots == 0 ? NULL : find(names, number);
        bool is_there = slot != NULL && slot->name != NO_PACKET;
        if (letter->field[i] == PACKET && !is_there)
            return run_refuse(&run->plan, line->number, failure,
                              "no packet %" PRIu64 " is in the network", number);
        if (letter->field[i] == NEW_PACKET && is_there)
            return run_refuse(&run->plan, line->number, failure,
                              "packet %" PRIu64 " is in the network already", number);
        if (letter->field[i] == NEW_PACKET)
            run->born_number = number;
        event->field[i] = is_there ? slot->name : run->packets;
    }
    return FAIL_NONE;
}

/* Enters the event's new packet in the hash, and removes the packet that ends. */
static enum failure_kind keep_names(struct machine_run *run, const struct letter *letter,
                                    const struct trace_line *line,
                                    const struct machine_event *event, struct failure *failure)
{
    for (int i = 0; i < letter->fields; i++)
        if (letter->field[i] == NEW_PACKET) {
            if (!make_room(run, failure))
                return failure->kind;
            *find(&run->names, line->field[i]) =
                (struct packet_name){line->field[i], event->field[i]};
            run->names.living++;
        }
    if (letter->ends)
        remove_number(&run->names, line->field[1]);
    return FAIL_NONE;
}

enum failure_kind machine_run_line(void *state, const struct trace_line *line,
                                   struct failure *failure)
{
    struct machine_run *run = state;
    struct machine_event event = {.kind = (uint32_t)line->letter};
    const struct letter *letter = letters, *end = letters + sizeof letters / sizeof *letters;
    while (letter < end && (letter->letter != line->letter || letter->fields != line->fields))
        letter++;
    if (letter == end)
        return run_refuse(&run->plan, line->number, failure,
                          "format: expected one of the letters I M X C D E R G and its fields");
    run->line = line->number;
    if (find_names(run, letter, line, &event, failure) != FAIL_NONE ||
        machine_run_names(run, run->packets + 1, failure) != FAIL_NONE ||
        machine_run_take(run, line->time, &event, 1, failure) != FAIL_NONE)
        return failure->kind;
    return keep_names(run, letter, line, &event, failure);
}
