/* run_encoder.c - reads the lines of a trace, or observes a running machine, and writes the lines
 * of a page's run around its frames.
 *
 * Method: the first line names the machine, whose functions read the other lines (struct run_kind
 * in run_encoder_private.h). Events of an observed run come as numbers.
 * Cost: the numbers of a line are read once, digit by digit.
 */
#include "view/run_encoder_private.h"

#include "base/text_scan.h"
#include "view/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1024 };

/* Scripts of a page count exactly up to here. */
static const uint64_t STEP_LIMIT = (uint64_t)1 << 53;

struct run_encoder {
    struct run_plan plan;
    const struct run_kind *kind; /* NULL before the first line */
    void *state;                 /* of the kind */
    uint64_t lines;
    struct failure kept; /* of an observed run, for run_encoder_end() */
};

static const struct run_kind *const kinds[] = {&run_of_machine, &run_of_network};

enum failure_kind run_encoder_make(struct run_encoder **encoder, const struct run_plan *plan,
                                   struct failure *failure)
{
    *encoder = memory_allocate(1, sizeof **encoder);
    if (*encoder == NULL)
        return fail_memory(failure, "the page of a run");
    (*encoder)->plan = *plan;
    return FAIL_NONE;
}

void run_encoder_free(struct run_encoder *encoder)
{
    if (encoder == NULL)
        return;
    if (encoder->kind != NULL)
        encoder->kind->free(encoder->state);
    free(encoder);
}

/* ---- lines ---- */

/* Reads "TIME LETTER FIELD .."; false: it is no such line. */
static bool read_line(const char *at, const char *end, struct trace_line *line)
{
    line->fields = 0;
    if (!scan_decimal(&at, end, &line->time) || at == end)
        return false;
    line->letter = *at++;
    if (!scan_at_gap(at, end))
        return false;
    at = scan_blanks(at, end);
    for (; at < end && line->fields < TRACE_FIELDS; line->fields++)
        if (!scan_decimal(&at, end, &line->field[line->fields]) ||
            line->field[line->fields] == UINT64_MAX)
            return false;
    return at == end;
}

/* Reads the first line, which determines the kind of the others. */
static enum failure_kind take_header(struct run_encoder *encoder, const char *header,
                                     struct failure *failure)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i]->first_word);
        if (strncmp(header, kinds[i]->first_word, length) != 0 || !scan_is_blank(header[length]))
            continue;
        if (kinds[i]->begin(&encoder->state, &encoder->plan, header, failure) != FAIL_NONE)
            return failure->kind;
        encoder->kind = kinds[i];
        fputs("meshcast-view 1\ntrace ", encoder->plan.out);
        run_write_text(header, encoder->plan.out);
        fputc('\n', encoder->plan.out);
        return FAIL_NONE;
    }
    return run_refuse(&encoder->plan, encoder->lines, failure,
                      "format: expected the first line of a trace, 'meshcast-trace 1 ROWS COLS ..' "
                      "or 'meshcast-network 1 TOPOLOGY ..'");
}

/* Reads a line of a trace. Comments before the header and blank lines are skipped. */
static enum failure_kind take_line(struct run_encoder *encoder, const struct byte_line *text,
                                   struct failure *failure)
{
    struct trace_line line = {.number = text->number};
    char copy[LONGEST_LINE];
    int length = (int)(text->end - text->text);
    encoder->lines = text->number;
    if (length >= LONGEST_LINE)
        return run_refuse(&encoder->plan, line.number, failure,
                          "format: expected a line of fewer than %d characters", LONGEST_LINE);
    bool is_comment = length > 0 && *text->text == '#';
    if (scan_blanks(text->text, text->end) == text->end || (is_comment && encoder->kind == NULL))
        return FAIL_NONE;
    if (encoder->kind == NULL || is_comment)
        snprintf(copy, sizeof copy, "%.*s", length, text->text);
    if (encoder->kind == NULL)
        return take_header(encoder, copy, failure);
    if (is_comment) {
        encoder->kind->comment(encoder->state, copy + 1);
        return FAIL_NONE;
    }
    if (!read_line(text->text, text->end, &line))
        return run_refuse(&encoder->plan, line.number, failure,
                          "format: expected a step, a letter and whole numbers");
    if (line.time >= STEP_LIMIT)
        return run_refuse(&encoder->plan, line.number, failure,
                          "expected a step below 2^53 (%" PRIu64 "), not %" PRIu64, STEP_LIMIT,
                          line.time);
    return encoder->kind->line(encoder->state, &line, failure);
}

enum failure_kind run_encoder_read(struct run_encoder *encoder, struct byte_source *trace,
                                   struct failure *failure)
{
    struct byte_line line;
    while (byte_source_line(trace, &line, failure) == FAIL_NONE && line.text != NULL)
        if (take_line(encoder, &line, failure) != FAIL_NONE)
            break;
    return failure->kind;
}

/* ---- a run that is observed ---- */

/* True until something has failed; then the encoder ignores events. */
static bool is_going_on(const struct run_encoder *encoder)
{
    return encoder->kept.kind == FAIL_NONE;
}

static void begin_attempt(void *context, const struct machine_beginning *beginning)
{
    struct run_encoder *encoder = context;
    if (is_going_on(encoder) && encoder->kind == NULL)
        take_header(encoder, beginning->header, &encoder->kept);
    if (is_going_on(encoder))
        machine_run_attempt(encoder->state, beginning, &encoder->kept);
}

static void take_machine_events(void *context, uint64_t step, const struct machine_event *event,
                                size_t count)
{
    struct run_encoder *encoder = context;
    if (is_going_on(encoder))
        machine_run_take(encoder->state, step, event, count, &encoder->kept);
}

static void take_phase(void *context, uint64_t step, const char *name)
{
    struct run_encoder *encoder = context;
    (void)step;
    if (is_going_on(encoder))
        machine_run_phase(encoder->state, name);
}

struct machine_observer run_encoder_observe_machine(struct run_encoder *encoder)
{
    return (struct machine_observer){encoder, take_machine_events, take_phase, begin_attempt};
}

static void take_network_events(void *context, uint64_t cycle, const struct network_event *event,
                                size_t count)
{
    struct run_encoder *encoder = context;
    if (is_going_on(encoder))
        network_run_take(encoder->state, cycle, event, count, &encoder->kept);
}

struct network_observer run_encoder_observe_network(struct run_encoder *encoder, const char *header)
{
    take_header(encoder, header, &encoder->kept);
    return (struct network_observer){encoder, take_network_events};
}

void run_encoder_note(struct run_encoder *encoder, const char *text)
{
    if (is_going_on(encoder))
        network_run_note(encoder->state, text);
}

/* ---- the end ---- */

/* Puts numbers that ascend, as gaps. */
static void put_gaps(struct column *column, const uint32_t *number, const uint32_t *end)
{
    for (uint32_t before = 0; number < end; before = *number++)
        column_put(column, *number - before);
}

/* Writes a line with a block, whose columns it frees. */
static enum failure_kind write_block(const char *word, struct column *column, size_t columns,
                                     FILE *out, struct failure *failure)
{
    fprintf(out, "%s ", word);
    bool is_written = columns_write(column, columns, out);
    fputc('\n', out);
    columns_free(column, columns);
    return is_written ? FAIL_NONE : fail_memory(failure, "a block of the page");
}

/* Writes the message set: a column each of the changes of sources, the numbers of destinations, the
 * lengths, and the gaps between destinations; in a set with times also of starts, the numbers of
 * waits, and the gaps between awaited messages. */
static enum failure_kind write_set(const struct message_set *set, FILE *out,
                                   struct failure *failure)
{
    enum { SOURCE, COUNT, LENGTH, GAP, COLUMNS, START = COLUMNS, WAITS, AWAITED, TIMED_COLUMNS };
    struct column column[TIMED_COLUMNS] = {{NULL, 0, 0, false}};
    int columns = message_set_is_timed(set) ? TIMED_COLUMNS : COLUMNS;
    uint32_t last = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        column_put_change(&column[SOURCE], last, set->source[i]);
        last = set->source[i];
        column_put(&column[COUNT], set->offset[i + 1] - set->offset[i]);
        if (set->length != NULL)
            column_put(&column[LENGTH], set->length[i]);
        put_gaps(&column[GAP], set->destination + set->offset[i],
                 set->destination + set->offset[i + 1]);
        if (set->start != NULL)
            column_put(&column[START], set->start[i]);
        if (set->wait_offset == NULL)
            continue;
        column_put(&column[WAITS], set->wait_offset[i + 1] - set->wait_offset[i]);
        put_gaps(&column[AWAITED], set->wait_on + set->wait_offset[i],
                 set->wait_on + set->wait_offset[i + 1]);
    }
    return write_block("set", column, columns, out, failure);
}

/* Writes the missing parts of a broken mesh: a column of the gaps between dead nodes; of links
 * between the others, by their senders, columns of the gaps between these and of the changes to
 * receivers. */
static enum failure_kind write_missing(const struct topology *broken, FILE *out,
                                       struct failure *failure)
{
    enum { DEAD, SENDER, RECEIVER, COLUMNS };
    struct column column[COLUMNS] = {{NULL, 0, 0, false}};
    uint32_t last[COLUMNS] = {0};
    uint64_t *link = topology_list_missing(broken);
    for (uint32_t node = 0; node < broken->nodes; node++)
        if (broken->part[node] == TOPOLOGY_NO_NODE) {
            column_put(&column[DEAD], node - last[DEAD]);
            last[DEAD] = node;
        }
    for (uint64_t i = 0; link != NULL && i < broken->missing_links; i++) {
        uint32_t from = (uint32_t)(link[i] >> 32), to = (uint32_t)link[i];
        if (broken->part[from] == TOPOLOGY_NO_NODE || broken->part[to] == TOPOLOGY_NO_NODE)
            continue;
        column_put(&column[SENDER], from - last[SENDER]);
        last[SENDER] = from;
        column_put_change(&column[RECEIVER], from, to);
    }
    enum failure_kind kind = write_block("missing", column, COLUMNS, out, failure);
    if (link == NULL)
        kind = fail_memory(failure, "the page's missing links");
    free(link);
    return kind;
}

/* Writes a column of the numbers of items' nodes, and one of the changes between the nodes. */
static enum failure_kind write_items(const struct node_lines *items, FILE *out,
                                     struct failure *failure)
{
    enum { COUNT, NODE, COLUMNS };
    struct column column[COLUMNS] = {{NULL, 0, 0, false}};
    for (uint32_t i = 0, last = 0; i < items->lines; i++) {
        column_put(&column[COUNT], items->first[i + 1] - items->first[i]);
        for (uint32_t k = items->first[i]; k < items->first[i + 1]; last = items->node[k++])
            column_put_change(&column[NODE], last, items->node[k]);
    }
    return write_block("items", column, COLUMNS, out, failure);
}

static void write_facts(const struct run_encoder *encoder, const struct run_facts *facts,
                        uint64_t steps, FILE *out)
{
    const struct message_set *set = encoder->plan.set;
    fputs("\"title\":", out);
    run_write_text(facts->title, out);
    fputs(",\"command\":", out);
    if (facts->command != NULL)
        run_write_text(facts->command, out);
    else
        fputs("null", out);
    fputs(",\"figures\":", out);
    for (const char *at = facts->figures == NULL ? "null" : facts->figures; *at != '\0'; at++)
        if (*at == '<') /* only strings hold it, and a page's script must not */
            fputs("\\u003c", out);
        else
            fputc(*at, out);
    if (set != NULL)
        fprintf(out, ",\"messages\":%" PRIu32 ",\"deliveries\":%" PRIu64 ",\"named_by_source\":%s",
                set->messages, set->deliveries,
                encoder->kind == &run_of_machine && message_set_version(set) == 1 ? "true"
                                                                                  : "false");
    else
        fputs(",\"messages\":null,\"deliveries\":null,\"named_by_source\":false", out);
    if (facts->lower_bound > 0)
        fprintf(out, ",\"lower_bound\":%" PRIu64, facts->lower_bound);
    else
        fputs(",\"lower_bound\":null", out);
    fprintf(out, ",\"steps\":%" PRIu64, facts->steps > steps ? facts->steps : steps);
}

enum failure_kind run_encoder_end(struct run_encoder *encoder, const struct run_facts *facts,
                                  struct failure *failure)
{
    FILE *out = encoder->plan.out;
    uint64_t steps = 0;
    if (!is_going_on(encoder)) {
        *failure = encoder->kept;
        return failure->kind;
    }
    if (encoder->kind == NULL)
        return run_refuse(&encoder->plan, encoder->lines + 1, failure,
                          "format: expected the first line of a trace");
    if (encoder->plan.set != NULL && write_set(encoder->plan.set, out, failure) != FAIL_NONE)
        return failure->kind;
    if (encoder->plan.broken != NULL &&
        write_missing(encoder->plan.broken, out, failure) != FAIL_NONE)
        return failure->kind;
    if (facts->items != NULL && write_items(facts->items, out, failure) != FAIL_NONE)
        return failure->kind;
    char *members = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&members, &size);
    if (stream == NULL)
        return fail_memory(failure, "the page of a run");
    encoder->kind->end(encoder->state, stream, &steps, failure);
    bool is_whole = fclose(stream) == 0;
    if (failure->kind == FAIL_NONE && !is_whole)
        fail_memory(failure, "the page of a run");
    if (failure->kind == FAIL_NONE) {
        fprintf(out, "run {%s", members);
        write_facts(encoder, facts, steps, out);
        fputs("}\n", out);
    }
    free(members);
    return failure->kind;
}
