/* run_machine.c - a run of the mesh machine: its memory, the first line of its trace, its phases and its end.
 *
 * What it keeps grows by doubling.
 * Cost: 20 bytes per packet that ever was, 8 per name, 34 per node.
 */
#include "view/run_machine_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static void machine_free(void *state)
{
    struct machine_run *run = state;
    if (run == NULL)
        return;
    free(run->names.slot);
    free(run->number);
    free(run->name);
    free(run->message);
    free(run->last_move);
    free(run->contributions);
    free(run->place);
    free(run->links);
    free(run->occupancy);
    free(run->peak);
    free(run->before);
    free(run->load);
    free(run->changed);
    free(run->is_changed);
    free(run->holders);
    free(run->event);
    free(run->further);
    free(run->word);
    columns_free(run->key, KEY_COLUMNS);
    columns_free(run->born, BORN_COLUMNS);
    columns_free(run->sum, SUM_COLUMNS);
    columns_free(run->events_of, EVENT_COLUMNS);
    columns_free(run->rest, REST_COLUMNS);
    columns_free(run->time, TIME_COLUMNS);
    free(run);
}

/* ---- the first line ---- */

static enum failure_kind read_mesh(struct machine_run *run, const char *header,
                                   struct failure *failure)
{
    unsigned rows = 0, cols = 0;
    char plain[sizeof "meshcast-trace 1 4294967295 4294967295"];
    sscanf(header, "meshcast-trace 1 %u %u", &rows, &cols);
    /* The page holds the line as it is, for readers that take plain numbers alone: no signs, no zeros before them. */
    size_t length = (size_t)snprintf(plain, sizeof plain, "meshcast-trace 1 %u %u", rows, cols);
    if (!mesh_is_valid(rows, cols) || strncmp(header, plain, length) != 0 ||
        (header[length] != ' ' && header[length] != '\0'))
        return run_refuse(&run->plan, 1, failure,
                          "format: expected 'meshcast-trace 1 ROWS COLS ..' with sides of 1 to %d",
                          MESH_MAX_SIDE);
    run->mesh = (struct mesh){rows, cols};
    const struct message_set *set = run->plan.set;
    if (set != NULL && (set->mesh.rows != rows || set->mesh.cols != cols))
        return run_refuse(&run->plan, 1, failure, "the trace is of %u x %u nodes, the set is not",
                          rows, cols);
    return FAIL_NONE;
}

/* Notes which links there are. */
static void find_links(struct machine_run *run)
{
    uint32_t rows = run->mesh.rows, cols = run->mesh.cols;
    for (uint32_t row = 0, node = 0; row < rows; row++)
        for (uint32_t col = 0; col < cols; col++)
            run->links[node++] = (uint8_t)((row > 0) << NORTH | (row + 1 < rows) << SOUTH |
                                           (col > 0) << WEST | (col + 1 < cols) << EAST);
    run->step_to[NORTH] = -(int32_t)cols;
    run->step_to[SOUTH] = (int32_t)cols;
    run->step_to[WEST] = -1;
    run->step_to[EAST] = 1;
}

static enum failure_kind machine_begin(void **state, const struct run_plan *plan,
                                       const char *header, struct failure *failure)
{
    struct machine_run *run = memory_allocate(1, sizeof *run);
    *state = run;
    if (run == NULL)
        return fail_memory(failure, "the page of the run");
    run->plan = *plan;
    run->reduces = strstr(header, " reduce=sum") != NULL;
    if (read_mesh(run, header, failure) != FAIL_NONE) {
        machine_free(run);
        *state = NULL;
        return failure->kind;
    }
    uint32_t nodes = mesh_nodes(run->mesh);
    run->links = memory_allocate(nodes, sizeof *run->links);
    run->occupancy = memory_allocate(nodes, sizeof *run->occupancy);
    run->peak = memory_allocate(nodes, sizeof *run->peak);
    run->before = memory_allocate(nodes, sizeof *run->before);
    run->changed = memory_allocate((size_t)nodes + 1, sizeof *run->changed);
    run->is_changed = memory_allocate(nodes, sizeof *run->is_changed);
    run->load = memory_allocate((size_t)nodes * DIRECTIONS, sizeof *run->load);
    if (run->links == NULL || run->occupancy == NULL || run->peak == NULL || run->before == NULL ||
        run->changed == NULL || run->is_changed == NULL || run->load == NULL ||
        !machine_run_grow(&run->holders, 1, &run->holders_room, sizeof *run->holders, failure)) {
        machine_free(run);
        *state = NULL;
        return fail_memory(failure, "the page of the run");
    }
    find_links(run);
    memset(run->holders, 0, run->holders_room * sizeof *run->holders);
    run->holders[0] = nodes;
    return FAIL_NONE;
}

enum failure_kind machine_run_attempt(struct machine_run *run,
                                      const struct machine_beginning *beginning,
                                      struct failure *failure)
{
    machine_run_forget(run, 0);
    run->first_number = beginning->first;
    run->slots = beginning->slots;
    return machine_run_names(run, beginning->slots, failure);
}

/* ---- phases, the end ---- */

/* A phase begins behind the rows so far. */
void machine_run_phase(struct machine_run *run, const char *name)
{
    fprintf(run->plan.out, "phase %" PRIu32 " ", run->rows + run->has_row);
    run_write_text(name, run->plan.out);
    fputc('\n', run->plan.out);
}

static void machine_comment(void *state, const char *text)
{
    static const char begin[] = " phase ";
    if (strncmp(text, begin, sizeof begin - 1) == 0)
        machine_run_phase(state, text + sizeof begin - 1);
}

static enum failure_kind machine_end(void *state, FILE *members, uint64_t *steps,
                                     struct failure *failure)
{
    struct machine_run *run = state;
    if (run_rows_end(run, failure) != FAIL_NONE)
        return failure->kind;
    fputs("time", run->plan.out);
    run_write_block(run, run->time, TIME_COLUMNS, failure);
    fputc('\n', run->plan.out);
    fprintf(members,
            "\"kind\":\"machine\",\"rows\":%" PRIu32 ",\"cols\":%" PRIu32 ",\"packets\":%" PRIu32
            ",\"events\":%" PRIu64 ",\"reduces\":%s,\"detail_ends\":",
            run->mesh.rows, run->mesh.cols, run->packets, run->all_events,
            run->reduces ? "true" : "false");
    if (run->is_summary && run->detail_ends < run->last_step)
        fprintf(members, "%" PRIu64, run->detail_ends);
    else
        fputs("null", members);
    fputc(',', members);
    *steps = run->rows > 0 ? run->last_step : 0;
    return failure->kind;
}

const struct run_kind run_of_machine = {"meshcast-trace", machine_begin, machine_run_line,
                                        machine_comment,  machine_end,   machine_free};
