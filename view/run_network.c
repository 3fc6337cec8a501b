/* run_network.c - a run of the network: the lines of its trace, column by column.
 *
 * A line of a network's trace may report many cycles (a run of flits), so no part of the trace is
 * complete by itself: a page reads all of it. A frame is a number of lines; in it each field of
 * each letter is a column of changes, because lines of a letter that follow one another resemble
 * one another.
 */
#include "view/run_encoder_private.h"

#include "view/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The letters of a network's trace, in the order of the format, and those of their fields that are
 * nodes. */
static const struct letter {
    char letter;
    int fields;
    int node[2]; /* fields that are nodes; -1: none */
} letters[] = {{'P', 3, {1, -1}}, {'W', 4, {2, -1}}, {'H', 5, {2, 3}},
               {'F', 6, {2, 3}},  {'I', 5, {2, -1}}, {'A', 5, {2, -1}}};

enum {
    LETTERS = sizeof letters / sizeof *letters,
    LETTER = 0,
    CYCLE = 1,
    FIELD = 2, /* the columns of the fields, TRACE_FIELDS per letter */
    COLUMNS = FIELD + LETTERS * TRACE_FIELDS,
    FRAME_LINES = 1 << 18
};

struct network_run {
    struct run_plan plan;
    uint64_t nodes, cycle, lines;
    uint32_t frame_lines;
    uint64_t last[COLUMNS]; /* the previous value of each column in this frame */
    struct column column[COLUMNS];
};

static void free_run(void *state)
{
    struct network_run *run = state;
    if (run == NULL)
        return;
    columns_free(run->column, COLUMNS);
    free(run);
}

/* Returns the number of nodes of a topology written "mesh:4x8", "torus:..", "graph:N", up to a
 * blank; 0: it is none. */
static uint64_t nodes_of(const char *text, char topology[TOPOLOGY_TEXT_SIZE])
{
    size_t length = strcspn(text, " ");
    if (length >= TOPOLOGY_TEXT_SIZE)
        return 0;
    memcpy(topology, text, length);
    topology[length] = '\0';
    for (int kind = 0; kind < TOPOLOGY_KINDS; kind++) {
        struct shape shape;
        size_t begin = strlen(topology_kind_names[kind]);
        if (strncmp(topology, topology_kind_names[kind], begin) == 0 && topology[begin] == ':' &&
            shape_read_sizes(topology + begin + 1, (enum topology_kind)kind, &shape) &&
            (kind != TOPOLOGY_GRAPH || shape.dimensions == 1))
            return shape_nodes(&shape);
    }
    return 0;
}

static enum failure_kind network_begin(void **state, const struct run_plan *plan,
                                       const char *header, struct failure *failure)
{
    static const char begin[] = "meshcast-network 1 ";
    char topology[TOPOLOGY_TEXT_SIZE], own[TOPOLOGY_TEXT_SIZE];
    struct network_run *run = memory_allocate(1, sizeof *run);
    *state = NULL;
    if (run == NULL)
        return fail_memory(failure, "the page of the run");
    run->plan = *plan;
    if (strncmp(header, begin, sizeof begin - 1) == 0)
        run->nodes = nodes_of(header + sizeof begin - 1, topology);
    if (run->nodes == 0)
        run_refuse(plan, 1, failure, "format: expected 'meshcast-network 1 TOPOLOGY ..'");
    else if (plan->set != NULL) {
        shape_text(&plan->set->shape, own);
        if (strcmp(own, topology) != 0)
            run_refuse(plan, 1, failure, "the trace is of %s, the set of %s", topology, own);
    }
    if (failure->kind != FAIL_NONE)
        free_run(run);
    else
        *state = run;
    return failure->kind;
}

static void put(struct network_run *run, int column, uint64_t value)
{
    column_put_change(&run->column[column], run->last[column], value);
    run->last[column] = value;
}

static enum failure_kind end_frame(struct network_run *run, struct failure *failure)
{
    if (run->frame_lines == 0)
        return FAIL_NONE;
    fputs("lines ", run->plan.out);
    if (!columns_write(run->column, COLUMNS, run->plan.out))
        fail_memory(failure, "the page of the run");
    fputc('\n', run->plan.out);
    memset(run->last, 0, sizeof run->last);
    run->frame_lines = 0;
    return failure->kind;
}

/* Returns the place of the letter in the table, or LETTERS. */
static int find_letter(uint32_t letter)
{
    int kind = 0;
    while (kind < LETTERS && (uint32_t)letters[kind].letter != letter)
        kind++;
    return kind;
}

static enum failure_kind put_line(struct network_run *run, uint64_t cycle, int kind,
                                  const uint64_t *field, struct failure *failure)
{
    run->cycle = cycle;
    column_put(&run->column[LETTER], (uint64_t)kind);
    put(run, CYCLE, cycle);
    for (int i = 0; i < letters[kind].fields; i++)
        put(run, FIELD + kind * TRACE_FIELDS + i, field[i]);
    run->lines++;
    if (++run->frame_lines == FRAME_LINES)
        return end_frame(run, failure);
    return FAIL_NONE;
}

static enum failure_kind network_line(void *state, const struct trace_line *line,
                                      struct failure *failure)
{
    struct network_run *run = state;
    int kind = find_letter((uint32_t)line->letter);
    if (kind == LETTERS || line->fields != letters[kind].fields)
        return run_refuse(&run->plan, line->number, failure,
                          "format: expected one of the letters P W H F I A and its fields");
    if (line->time < run->cycle)
        return run_refuse(&run->plan, line->number, failure,
                          "expected a cycle of %" PRIu64 " or later", run->cycle);
    for (int i = 0; i < 2; i++)
        if (letters[kind].node[i] >= 0 && line->field[letters[kind].node[i]] >= run->nodes)
            return run_refuse(&run->plan, line->number, failure, "expected nodes below %" PRIu64,
                              run->nodes);
    return put_line(run, line->time, kind, line->field, failure);
}

enum failure_kind network_run_take(struct network_run *run, uint64_t cycle,
                                   const struct network_event *event, size_t count,
                                   struct failure *failure)
{
    for (size_t e = 0; e < count && failure->kind == FAIL_NONE; e++) {
        uint64_t field[TRACE_FIELDS];
        for (int i = 0; i < TRACE_FIELDS; i++)
            field[i] = event[e].field[i];
        put_line(run, cycle, find_letter(event[e].kind), field, failure);
    }
    return failure->kind;
}

void network_run_note(struct network_run *run, const char *text)
{
    fputs("note ", run->plan.out);
    run_write_text(text, run->plan.out);
    fputc('\n', run->plan.out);
}

/* Keeps a comment that reports a deadlock. */
static void network_comment(void *state, const char *text)
{
    static const char begin[] = " deadlock ";
    if (strncmp(text, begin, sizeof begin - 1) == 0)
        network_run_note(state, text + 1);
}

static enum failure_kind network_end(void *state, FILE *members, uint64_t *steps,
                                     struct failure *failure)
{
    struct network_run *run = state;
    if (end_frame(run, failure) != FAIL_NONE)
        return failure->kind;
    fprintf(members, "\"kind\":\"network\",\"events\":%" PRIu64 ",", run->lines);
    *steps = run->cycle + 1;
    return failure->kind;
}

const struct run_kind run_of_network = {"meshcast-network", network_begin, network_line,
                                        network_comment,    network_end,   free_run};
