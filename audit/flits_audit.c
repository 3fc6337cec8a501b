/* flits_audit.c - replays a network's trace and checks every rule that it shows.
 *
 * Method: a line reports flits that moved one per cycle until its own cycle, so it is replayed from
 * the cycle of its first flit on, perhaps before lines that are earlier in the trace. Therefore the
 * whole trace is read first, and sorted by first cycles. In each cycle messages, grants and flits
 * that begin are looked up, then all flits are checked and moved (flits_rules.c). Cycles in which
 * nothing moves are passed over. The first rule that is broken ends the replay.
 *
 * Two choices are not in the trace and not checked: the first grant of a channel, and the link that
 * carried a flit, of those that could. Under cut-through and store-and-forward a header gets its
 * outputs one after the other; their number is counted beforehand. If a worm visits a node twice it
 * is not known, and a slot counts as free when the outputs so far have passed the flit on.
 *
 * Source: only doc/network.md.
 * Cost: expected O(1) per flit, O(log lines) per line; 64 bytes per line, some 200 bytes per hop.
 */
#include "audit/flits_audit.h"

#include "audit/flits_replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lines of a trace, and the start of each. */
struct start {
    uint64_t cycle;
    uint32_t line;
};

struct lines {
    struct flits_line *line;
    struct start *start;
    uint32_t count, room;
    struct flits_line last; /* the trace's end */
};

/* ---- reading ---- */

/* Returns the meaning of each field of a line: n a node, v a virtual channel, f flits, k a number
 * of flits, - anything. */
static const char *meaning(char letter)
{
    switch (letter) {
    case 'A':
    case 'I':
        return "--n-k";
    case 'F':
        return "--nnvk";
    case 'H':
        return "--nnv";
    case 'P':
        return "-nf";
    default:
        return "--n-";
    }
}

static enum failure_kind check_fields(struct flits_replay *replay, const struct flits_line *line)
{
    const struct flits_header *header = &replay->header;
    const char *kind = meaning(line->letter);
    if (line->cycle >> 62 != 0)
        return flits_broken(replay, line, "trace", "cycles are below 2^62");
    for (int i = 0; kind[i] != '\0'; i++) {
        uint32_t value = line->field[i];
        if (kind[i] == 'n' && value >= header->shape.nodes)
            return flits_broken(replay, line, "trace",
                                "node %" PRIu32 " is not one of the %" PRIu32, value,
                                header->shape.nodes);
        if (kind[i] == 'v' && value >= header->vcs)
            return flits_broken(replay, line, "trace",
                                "virtual channel %" PRIu32 " is not one of the %" PRIu32, value,
                                header->vcs);
        if (kind[i] == 'f' && (value < 1 || value > 1 << 24))
            return flits_broken(replay, line, "trace", "a message has 1 to 2^24 flits");
        if (kind[i] == 'k' && (value < 1 || value > line->cycle + 1))
            return flits_broken(replay, line, "trace",
                                "%" PRIu32 " flits cannot have moved until cycle %" PRIu64, value,
                                line->cycle);
        if (value == UINT32_MAX)
            return flits_broken(replay, line, "trace", "numbers are below 2^32 - 1");
    }
    return FAIL_NONE;
}

static enum failure_kind check_order(struct flits_replay *replay, const struct flits_line *last,
                                     const struct flits_line *line)
{
    if (line->cycle != last->cycle)
        return line->cycle > last->cycle
                   ? FAIL_NONE
                   : flits_broken(replay, line, "trace",
                                  "cycle %" PRIu64 " comes after cycle %" PRIu64, line->cycle,
                                  last->cycle);
    int difference = line->letter - last->letter;
    for (int i = 0; i < FLITS_FIELDS && difference == 0; i++)
        difference = line->field[i] < last->field[i] ? -1 : line->field[i] > last->field[i];
    return difference > 0
               ? FAIL_NONE
               : flits_broken(replay, line, "trace", "the lines of a cycle are not in their order");
}

static enum failure_kind add_line(struct flits_replay *replay, struct lines *lines,
                                  const struct flits_line *line)
{
    if (lines->count == lines->room) {
        uint32_t room = lines->room == 0 ? 256 : 2 * lines->room;
        struct flits_line *grown = memory_resize(lines->line, room, sizeof *grown);
        if (grown != NULL)
            lines->line = grown;
        struct start *start = memory_resize(lines->start, room, sizeof *start);
        if (start != NULL)
            lines->start = start;
        if (grown == NULL || start == NULL || room > UINT32_MAX / 2)
            return flits_no_memory(replay);
        lines->room = room;
    }
    bool is_run = line->letter == 'A' || line->letter == 'F' || line->letter == 'I';
    uint64_t flits = is_run ? line->field[flits_fields(line->letter) - 1] : 1;
    lines->start[lines->count] = (struct start){line->cycle + 1 - flits, lines->count};
    lines->line[lines->count++] = *line;
    return FAIL_NONE;
}

/* Returns the rank of a letter: in a cycle messages come first, then grants, then flits; else the
 * lines' order. */
static int rank(char letter)
{
    return letter == 'P' ? 0 : letter == 'W' ? 1 : 2;
}

static const struct flits_line *line_of(const struct lines *lines, uint32_t place)
{
    return &lines->line[lines->start[place].line];
}

static int compare_starts(const void *one, const void *other)
{
    const struct start *a = one, *b = other;
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static enum failure_kind read_lines(struct flits_replay *replay, struct flits_reader *reader,
                                    struct lines *lines)
{
    for (;;) {
        struct flits_line line;
        bool found;
        if (flits_reader_next(reader, &line, &found, replay->failure) != FAIL_NONE)
            return replay->failure->kind;
        if (!found)
            break;
        enum failure_kind kind = check_fields(replay, &line);
        if (kind == FAIL_NONE && lines->count > 0)
            kind = check_order(replay, &lines->line[lines->count - 1], &line);
        if (kind == FAIL_NONE)
            kind = add_line(replay, lines, &line);
        if (kind != FAIL_NONE)
            return kind;
        replay->report->lines++;
    }
    lines->last = (struct flits_line){.line = reader->line};
    if (lines->count > 0)
        qsort(lines->start, lines->count, sizeof *lines->start, compare_starts);
    return FAIL_NONE;
}

/* Counts a worm's acts at a node: a grant or hop that leads there, a hop away, a consumption. */
static enum failure_kind count_visit(struct flits_replay *replay, const struct flits_line *line,
                                     uint32_t node, bool is_entry)
{
    bool is_new;
    uint32_t place =
        flits_find_or_add(&replay->state, &replay->visit_map, &replay->visits,
                          (uint64_t)line->field[0] << 32 | line->field[1], node, &is_new);
    if (place == FLITS_NONE)
        return flits_no_memory(replay);
    struct flits_visit *visit = (struct flits_visit *)replay->visits.item + place;
    if (is_entry)
        visit->entries++;
    else if (line->letter == 'H' || !visit->consumes)
        visit->outputs++;
    visit->consumes |= line->letter == 'A';
    return FAIL_NONE;
}

static enum failure_kind count_visits(struct flits_replay *replay, const struct lines *lines)
{
    enum failure_kind kind = FAIL_NONE;
    if (flits_is_lockstep(&replay->header))
        return kind;
    for (uint32_t i = 0; i < lines->count && kind == FAIL_NONE; i++) {
        const struct flits_line *line = &lines->line[i];
        if (line->letter == 'W' || line->letter == 'A' || line->letter == 'H')
            kind = count_visit(replay, line, line->field[2], line->letter == 'W');
        if (kind == FAIL_NONE && line->letter == 'H')
            kind = count_visit(replay, line, line->field[3], true);
    }
    return kind;
}

/* ---- replaying ---- */

/* Begins with a line whose first flit moves in this cycle. */
static enum failure_kind begin_line(struct flits_replay *replay, const struct flits_line *line)
{
    if (line->letter == 'P')
        return flits_create(replay, line);
    if (line->letter == 'W')
        return flits_grant(replay, line);
    if (!memory_make_room(&replay->flow, &replay->flow_room, replay->flows + 1,
                          sizeof *replay->flow))
        return flits_no_memory(replay);
    return flits_locate(replay, line, &replay->flow[replay->flows++]);
}

static enum failure_kind begin_cycle(struct flits_replay *replay, const struct lines *lines,
                                     uint32_t *at)
{
    enum failure_kind kind = FAIL_NONE;
    uint32_t end = *at;
    while (end < lines->count && lines->start[end].cycle == replay->cycle)
        end++;
    for (int r = 0; r <= 2; r++)
        for (uint32_t i = *at; i < end && kind == FAIL_NONE; i++)
            if (rank(line_of(lines, i)->letter) == r)
                kind = begin_line(replay, line_of(lines, i));
    *at = end;
    return kind == FAIL_NONE ? flits_check_startups(replay) : kind;
}

/* Forgets the lines whose last flit has moved. */
static void end_lines(struct flits_replay *replay)
{
    size_t kept = 0;
    for (size_t i = 0; i < replay->flows; i++)
        if (replay->flow[i].line->cycle > replay->cycle)
            replay->flow[kept++] = replay->flow[i];
    replay->flows = kept;
}

static enum failure_kind replay_lines(struct flits_replay *replay, const struct lines *lines)
{
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t at = 0; kind == FAIL_NONE && (at < lines->count || replay->flows > 0);) {
        replay->cycle = replay->flows > 0 ? replay->cycle + 1 : lines->start[at].cycle;
        kind = begin_cycle(replay, lines, &at);
        if (kind == FAIL_NONE)
            kind = flits_move(replay);
        end_lines(replay);
        replay->report->cycles = replay->cycle + 1;
    }
    return kind == FAIL_NONE ? flits_check_end(replay, &lines->last) : kind;
}

/* ---- the set ---- */

static bool is_of_shape(const struct shape *one, const struct flits_shape *other)
{
    if ((int)one->kind != (int)other->form || one->dimensions != other->dimensions)
        return false;
    for (uint32_t i = 0; i < one->dimensions; i++)
        if (one->size[i] != other->size[i])
            return false;
    return true;
}

/* Begins the set. Sorts messages of one source by themselves, since numbers ascend within it. */
static enum failure_kind begin_set(struct flits_replay *replay, const struct message_set *set)
{
    if (set == NULL)
        return FAIL_NONE;
    if (!is_of_shape(&set->shape, &replay->header.shape))
        return fail(replay->failure, FAIL_INPUT,
                    "%s:1: a trace on %s: expected the topology of the message set", replay->name,
                    replay->report->topology);
    set = message_set_away(set, &replay->room, NULL);
    if (set == NULL || !messages_init(&replay->messages, set))
        return flits_no_memory(replay);
    struct start *sorted = memory_allocate(set->messages, sizeof *sorted);
    replay->order = memory_allocate(set->messages, sizeof *replay->order);
    bool has_memory = sorted != NULL && replay->order != NULL;
    if (has_memory) {
        for (uint32_t i = 0; i < set->messages; i++)
            sorted[i] = (struct start){set->source[i], i};
        if (set->messages > 0)
            qsort(sorted, set->messages, sizeof *sorted, compare_starts);
        for (uint32_t i = 0; i < set->messages; i++)
            replay->order[i] = sorted[i].line;
    }
    free(sorted);
    return has_memory ? FAIL_NONE : flits_no_memory(replay);
}

/* ---- the replay of a trace ---- */

static void begin_report(struct flits_replay *replay)
{
    static const char *const forms[] = {"mesh", "torus", "graph"};
    const struct flits_shape *shape = &replay->header.shape;
    struct flits_audit_report *report = replay->report;
    size_t length =
        (size_t)snprintf(report->topology, sizeof report->topology, "%s:", forms[shape->form]);
    for (uint32_t i = shape->dimensions; i > 0; i--)
        length += (size_t)snprintf(report->topology + length, sizeof report->topology - length,
                                   "%" PRIu32 "%s", shape->size[i - 1], i > 1 ? "x" : "");
    snprintf(report->routing, sizeof report->routing, "%s", replay->header.routing_name);
    report->knows_routing = replay->header.routing != ROUTES_UNKNOWN;
}

enum failure_kind audit_network(struct byte_source *source, const struct message_set *set,
                                const struct audit_missing *missing,
                                struct flits_audit_report *report, struct failure *failure)
{
    struct failure own = {0};
    struct flits_replay replay = {
        .report = report, .missing = missing, .failure = failure ? failure : &own};
    struct flits_reader reader;
    struct lines lines = {.count = 0};
    *report = (struct flits_audit_report){.lines = 0};
    if (flits_reader_begin(&reader, source, &replay.header, replay.failure) != FAIL_NONE)
        return failure->kind;
    memcpy(replay.name, reader.name, sizeof replay.name);
    flits_state_init(&replay.state);
    replay.visits.size = sizeof(struct flits_visit);
    begin_report(&replay);

    enum failure_kind kind = begin_set(&replay, set);
    if (kind == FAIL_NONE)
        kind = read_lines(&replay, &reader, &lines);
    if (kind == FAIL_NONE)
        kind = count_visits(&replay, &lines);
    if (kind == FAIL_NONE)
        kind = replay_lines(&replay, &lines);

    free(lines.line);
    free(lines.start);
    free(replay.flow);
    free(replay.startup);
    free(replay.order);
    free(replay.visit_map.entry);
    free(replay.visits.item);
    messages_free(&replay.messages);
    message_set_free(&replay.room);
    flits_state_free(&replay.state);
    return kind;
}
