/* fuzz_run_encoder.c - the encoder of pages against any trace, and the decoder against what it
 * made.
 *
 * Behind the head (test/fuzz/faults.h) comes the trace; with FUZZ_OWN a message set, a zero byte,
 * and then the trace. FUZZ_STANDARD keeps sums behind the first event. A trace that is taken must
 * come back: as many events, with the same sum over all of a hash of each. FUZZ_FILE has a trace
 * that was taken observed, too; any other text then fills a large block of columns.
 */
#define _DEFAULT_SOURCE /* strsep */
#include "base/byte_source.h"
#include "test/fuzz/faults.h"
#include "test/fuzz/set_input.h"
#include "view/columns.h"
#include "view/run_decoder.h"
#include "view/run_encoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

FILE *__real_open_memstream(char **text, size_t *size);

struct sum {
    uint64_t lines, hash;
};

/* Over the lines of a trace that begin with a number; numbers count by their values. */
static struct sum sum_of(const uint8_t *at, size_t length)
{
    struct sum sum = {0, 0};
    const uint8_t *end = at + length;
    while (at < end) {
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at)),
                      *stop = newline == NULL ? end : newline;
        uint64_t hash = 0, number = 0;
        bool has_number = false, is_event = false;
        for (const uint8_t *c = at; c <= stop; c++) {
            bool is_digit = c < stop && *c >= '0' && *c <= '9';
            if (is_digit)
                number = number * 10 + (uint64_t)(*c - '0');
            else if (has_number)
                hash = (hash + number + 1) * UINT64_C(0x9e3779b97f4a7c15), number = 0;
            if (c < stop && *c >= 'A' && *c <= 'Z')
                hash = (hash + *c) * UINT64_C(0xc2b2ae3d27d4eb4f);
            has_number = is_digit;
            if (c == at)
                is_event = is_digit || *c == ' ' || *c == '\t';
        }
        for (const uint8_t *c = at; is_event && c < stop; c++) {
            is_event = *c >= '0' && *c <= '9';
            if (is_event || (*c != ' ' && *c != '\t'))
                break;
        }
        sum.lines += is_event;
        sum.hash += is_event ? hash : 0;
        at = newline == NULL ? end : newline + 1;
    }
    return sum;
}

static void check_page(const char *page, size_t size, struct sum expected)
{
    struct byte_source *source;
    struct failure failure = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *out = __real_open_memstream(&text, &length);
    fuzz_require(byte_source_open_memory(&source, page, size, "page", &failure) == FAIL_NONE);
    if (run_decode(source, "page", 1, out, &failure) != FAIL_NONE)
        fprintf(stderr, "%s\n", failure.text);
    byte_source_close(source);
    fclose(out);
    fuzz_require(failure.kind == FAIL_NONE);
    struct sum found = sum_of((const uint8_t *)text, length);
    fuzz_require(found.lines == expected.lines && found.hash == expected.hash);
    free(text);
}

static enum failure_kind encode(const struct run_plan *plan, const uint8_t *bytes, size_t length,
                                struct failure *failure)
{
    struct run_encoder *encoder;
    struct byte_source *source;
    static uint32_t first[] = {0, 1, 3};
    static node_index node[] = {2, 0, 1};
    static const struct node_lines items = {.lines = 2, .first = first, .node = node};
    const struct run_facts facts = {
        "<title>", "a \"command\"", "{\"a<b\":1}", length % 3, 0, length % 2 == 0 ? &items : NULL};
    if (byte_source_open_memory(&source, bytes, length, "input", failure) != FAIL_NONE)
        return failure->kind;
    if (run_encoder_make(&encoder, plan, failure) == FAIL_NONE &&
        run_encoder_read(encoder, source, failure) == FAIL_NONE)
        run_encoder_end(encoder, &facts, failure);
    run_encoder_free(encoder);
    byte_source_close(source);
    return failure->kind;
}

/* Reads the event of a line that the encoder has taken; false: the line is none. Numbers are below
 * 2^32 in a run. */
static bool read_event(const char *line, uint64_t *cycle, struct network_event *event)
{
    char *at;
    *cycle = strtoull(line, &at, 10);
    if (at == line)
        return false;
    at += strspn(at, " \t");
    event->kind = (unsigned char)*at++;
    for (int i = 0; i < 6; i++)
        event->field[i] = (uint32_t)strtoull(at, &at, 10);
    return true;
}

/* Hands lines of a trace that was taken to an encoder's observer, as if it ran; packets' numbers
 * are their names. */
static enum failure_kind observe(const struct run_plan *plan, bool is_network, char *text,
                                 struct failure *failure)
{
    const struct run_facts facts = {"<title>", NULL, NULL, 0, 0, NULL};
    struct run_encoder *encoder;
    char *rest = text, *line = strsep(&rest, "\n");
    if (run_encoder_make(&encoder, plan, failure) != FAIL_NONE)
        return failure->kind;
    struct network_observer network = {0};
    struct machine_observer machine = run_encoder_observe_machine(encoder);
    const struct machine_beginning beginning = {line, 1, 8};
    if (is_network)
        network = run_encoder_observe_network(encoder, line);
    else
        machine.begin(machine.context, &beginning);
    while ((line = strsep(&rest, "\n")) != NULL) {
        struct network_event event = {0};
        uint64_t time;
        if (*line == '#' && !is_network)
            machine.phase(machine.context, 0, line + 1);
        if (*line == '#' || !read_event(line, &time, &event))
            continue;
        const struct machine_event same = {{event.field[0], event.field[1], event.field[2]},
                                           event.kind};
        if (is_network)
            network.events(network.context, time, &event, 1);
        else
            machine.events(machine.context, time, &same, 1);
    }
    if (is_network)
        run_encoder_note(encoder, "deadlock <");
    else if (strchr(beginning.header, 'z') != NULL)
        machine.begin(machine.context, &beginning);
    run_encoder_end(encoder, &facts, failure);
    run_encoder_free(encoder);
    return failure->kind;
}

static void try_observed(const struct message_set *set, bool is_network, const uint8_t *bytes,
                         size_t length)
{
    char *page = NULL, *text = NULL;
    size_t size = 0, room = 0;
    struct failure failure = {0};
    FILE *out = __real_open_memstream(&page, &size), *copy = __real_open_memstream(&text, &room);
    fwrite(bytes, 1, length, copy);
    fclose(copy);
    struct run_plan plan = {set, "input", UINT32_MAX, out, NULL};
    fuzz_serve("input", "", 0, 0);
    observe(&plan, is_network, text, &failure);
    bool has_struck = fuzz_end();
    fclose(out);
    if (failure.kind != FAIL_NONE &&
        failure.kind != FAIL_CHECK) /* a machine's names are others than numbers */
        fuzz_require_failure(failure.kind, &failure, has_struck);
    free(page);
    free(text);
}

/* Fills a block with the bytes over and over, in an order of chance, so that it is large enough for
 * a choice. */
static void try_columns(const uint8_t *bytes, size_t length)
{
    enum { LARGE = 300000 };
    struct column column[2] = {{NULL, 0, 0, false}};
    char *text = NULL;
    size_t size = 0;
    uint32_t chance = 1;
    FILE *out = __real_open_memstream(&text, &size);
    fuzz_serve("input", "", 0, 0);
    for (size_t i = 0; i < LARGE; i++) {
        chance = chance * 1664525 + 1013904223;
        column_put(&column[0], bytes[(bytes[0] & 1 ? chance >> 20 : i) % length] & 127);
    }
    bool is_written = columns_write(column, 2, out), has_struck = fuzz_end();
    fuzz_require(is_written || has_struck);
    columns_free(column, 2);
    fclose(out);
    free(text);
}

static void try_trace(const uint8_t *bytes, size_t length, unsigned flags,
                      const struct message_set *set)
{
    static const char network[] = "meshcast-network ";
    char *page = NULL;
    size_t size = 0;
    bool keeps_events = !(flags & FUZZ_STANDARD);
    if (flags & FUZZ_FILE && length > 0 && bytes[0] != network[0]) {
        try_columns(bytes, length);
        return;
    }
    struct failure failure = {0};
    FILE *out = __real_open_memstream(&page, &size);
    struct run_plan plan = {set, "input", keeps_events ? UINT32_MAX : 1, out, NULL};
    fuzz_serve("input", "", 0, 0);
    encode(&plan, bytes, length, &failure);
    bool has_struck = fuzz_end();
    fclose(out);
    if (failure.kind == FAIL_NONE && keeps_events)
        check_page(page, size, sum_of(bytes, length));
    else if (failure.kind != FAIL_NONE)
        fuzz_require_failure(failure.kind, &failure, has_struck || failure.is_memory_limit);
    free(page);
    bool is_network = length > sizeof network && memcmp(bytes, network, sizeof network - 1) == 0;
    if (!(flags & FUZZ_FILE) || length == 0 || memchr(bytes, 0, length) != NULL)
        return;
    static const char machine[] = "meshcast-trace 1 2 2 ";
    bool is_machine = length > sizeof machine && memcmp(bytes, machine, sizeof machine - 1) == 0;
    if (failure.kind == FAIL_NONE || (is_machine && failure.kind == FAIL_INPUT))
        try_observed(set, is_network, bytes, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    return fuzz_try_with_set(bytes, length, try_trace);
}
