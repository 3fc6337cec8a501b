/* fuzz_own_router.c - routers of a user's own whose functions lie.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. Behind the head (test/fuzz/faults.h) the input is a tape:
 * first the mesh, the set, the options, the plan, then the instructions, and in between every
 * answer of the rule. A byte below HONEST is a right answer (dimension order, one packet per
 * destination), as is every answer behind the tape's end, so that a run comes to an end; other
 * bytes choose lies.
 *
 * Whatever the router does the run must end with a status, and a router that lies must not be taken
 * for one that delivered: what the observer saw is written as a trace and audited, and MESHCAST_OK
 * needs a clean audit against the set. Of a run that failed the trace may lack deliveries, overflow
 * a buffer or end early, but must keep every other rule: the machine keeps the model whoever asks.
 */
#include "audit/audit.h"
#include "library/meshcast_command.h"
#include "library/meshcast_own_router.h"
#include "test/fuzz/faults.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { HONEST = 224, MOST_SIDE = 6, MOST_PAIRS = 31, MOST_INSTRUCTIONS = 12, MOST_EVENTS = 20000 };

/* The part of the input that has been read, and the state of the run. */
struct tape {
    const uint8_t *at, *end;
    uint32_t nodes;
    FILE *trace;
    uint64_t events;
};

static uint8_t next(struct tape *tape)
{
    return tape->at < tape->end ? *tape->at++ : 0;
}

/* A number up to `most`, or far beyond. */
static uint64_t number(struct tape *tape, uint32_t most)
{
    uint8_t byte = next(tape);
    return byte >= 250 ? UINT64_C(1) << (byte - 250) * 8 << 16 : byte % (most + UINT64_C(1));
}

/* ---- the rule ---- */

/* Does things that a function of a rule may not do, or may do only in another one. */
static void meddle(struct tape *tape, struct meshcast_routing *routing, uint32_t packet)
{
    uint32_t other = (uint32_t)number(tape, 40);
    switch (next(tape) % 10) {
    case 0:
        meshcast_packet_split(routing, packet, (uint32_t)number(tape, 3));
        break;
    case 1:
        if (other % 2)
            meshcast_slots_swap(routing, packet, other, packet);
        else
            meshcast_slots_swap(routing, packet, packet, other);
        break;
    case 2:
        meshcast_slots_swap(routing, packet, packet, meshcast_packet_first(routing, packet));
        break;
    case 3:
        meshcast_packet_set_target(routing, other % 2 ? other : packet, other % 2 ? 0 : other);
        break;
    case 4:
        meshcast_packet_set_state(routing, other, 255);
        break;
    case 5:
        meshcast_packet_first(routing, other);
        meshcast_slot_source(routing, other);
        meshcast_slot_message(routing, other);
        meshcast_packet_target(routing, other);
        meshcast_packet_state(routing, other);
        meshcast_first_resting(routing, other);
        meshcast_next_resting(routing, other);
        break;
    case 6:
        meshcast_start(routing, 1);
        break;
    case 7:
        meshcast_refuse(routing, (enum meshcast_status)(other % 6), other % 2 ? "no" : NULL);
        break;
    case 8:
        meshcast_parameter(routing, other % 2 ? "p" : "q");
        meshcast_slot_destination(routing, other);
        break;
    default:
        meshcast_sort(routing, "inner", 1);
    }
}

static unsigned parts(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                      uint32_t packet)
{
    struct tape *tape = context;
    uint32_t first = meshcast_packet_first(routing, packet);
    struct meshcast_site to = meshcast_slot_destination(routing, first);
    unsigned here = MESHCAST_DELIVER, again = first < packet ? (unsigned)MESHCAST_AGAIN : 0u;
    if (to.col != site.col)
        here = to.col < site.col ? MESHCAST_WEST : MESHCAST_EAST;
    else if (to.row != site.row)
        here = to.row < site.row ? MESHCAST_NORTH : MESHCAST_SOUTH;
    uint8_t answer = next(tape);
    if (answer < HONEST)
        return here | again;
    if (answer % 4 == 0)
        meddle(tape, routing, packet);
    return answer % 4 == 1 ? (unsigned)next(tape) << 5 : next(tape) & 127u;
}

static uint32_t take(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part)
{
    struct tape *tape = context;
    uint8_t answer = next(tape);
    (void)site, (void)part;
    if (answer < HONEST)
        return meshcast_packet_split(routing, packet, 1);
    if (answer % 4 == 0)
        meddle(tape, routing, packet);
    if (answer % 4 == 1)
        return (uint32_t)number(tape, 40);
    return meshcast_packet_split(routing, packet, (uint32_t)number(tape, 4));
}

static uint32_t stop(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                     uint32_t packet, enum meshcast_part part)
{
    struct tape *tape = context;
    uint32_t first = meshcast_packet_first(routing, packet);
    struct meshcast_site to = meshcast_slot_destination(routing, first);
    uint8_t answer = next(tape);
    (void)site;
    if (answer < HONEST)
        return part == MESHCAST_WEST || part == MESHCAST_EAST ? to.col : to.row;
    if (answer % 4 == 0)
        meddle(tape, routing, packet);
    return (uint32_t)number(tape, MOST_SIDE);
}

static uint32_t urgency(void *context, struct meshcast_routing *routing, struct meshcast_site site,
                        uint32_t packet, enum meshcast_part part)
{
    struct tape *tape = context;
    (void)site, (void)part;
    uint8_t answer = next(tape);
    if (answer >= HONEST && answer % 4 == 0)
        meddle(tape, routing, packet);
    return answer < HONEST ? answer : (uint32_t)number(tape, 200);
}

static uint64_t combine(uint64_t before, uint64_t after)
{
    return before * 3 - after; /* not associative */
}

/* ---- the program ---- */

/* Gives every resting packet a target, right ones for kernels if the tape says so. */
static void set_targets(struct tape *tape, struct meshcast_routing *routing)
{
    uint8_t kind = next(tape);
    for (uint32_t node = 0; node < tape->nodes; node++) {
        uint32_t packet = meshcast_first_resting(routing, node);
        for (int i = 0; packet != MESHCAST_NONE && i < 64; i++) {
            uint32_t target = kind % 2 ? (node * 5 + kind) % tape->nodes : next(tape) % 37u;
            meshcast_packet_set_target(routing, packet, target);
            fuzz_require(target >= tape->nodes || kind % 2 == 0 ||
                         meshcast_packet_target(routing, packet) == target ||
                         meshcast_packet_state(routing, packet) != 0 || packet > tape->nodes);
            packet = meshcast_next_resting(routing, packet);
        }
    }
}

static const char *phase_name(struct tape *tape)
{
    static const char *const names[] = {"go", "go on", "sync", "", "a\nb", NULL, "\x80", "~"};
    uint8_t byte = next(tape);
    return names[byte < HONEST ? 0 : byte % 8];
}

static void prefix(struct tape *tape, struct meshcast_routing *routing)
{
    uint64_t value[MOST_SIDE * MOST_SIDE] = {0};
    uint8_t kind = next(tape);
    meshcast_prefix(routing, phase_name(tape), number(tape, 5), kind == 7 ? NULL : value, 1,
                    kind == 8 ? NULL : combine);
}

static enum meshcast_status instruct(struct tape *tape, struct meshcast_routing *routing)
{
    struct meshcast_rule rule = {tape, parts, take, stop, urgency};
    uint8_t kind = next(tape);
    rule.take = kind & 64 ? NULL : rule.take;
    rule.urgency = kind & 32 ? NULL : rule.urgency;
    rule.parts = kind == 255 ? NULL : rule.parts;
    rule.stop = kind == 254 ? NULL : rule.stop;
    const struct meshcast_rule *given = kind == 253 ? NULL : &rule;
    switch (kind % 10) {
    case 0:
        return meshcast_start(routing, (uint32_t)number(tape, 9));
    case 1:
        return meshcast_forward_for(routing, given, phase_name(tape), number(tape, 30));
    case 2: {
        uint64_t first = number(tape, 20), further = number(tape, 20);
        return meshcast_forward_in_rounds(routing, given, phase_name(tape), first, further);
    }
    case 3:
        return meshcast_forward_last(routing, given, phase_name(tape), number(tape, 200));
    case 4:
        return meshcast_sort(routing, phase_name(tape), number(tape, 5));
    case 5:
        prefix(tape, routing);
        return MESHCAST_OK;
    case 6:
        return meshcast_route_packets(routing, phase_name(tape), number(tape, 5),
                                      (uint32_t)number(tape, 4));
    case 7:
        set_targets(tape, routing);
        return MESHCAST_OK;
    case 8:
        meddle(tape, routing, (uint32_t)number(tape, 40));
        return MESHCAST_OK;
    default:
        return (enum meshcast_status)(next(tape) % 6); /* a status that perhaps no call returned */
    }
}

/* A router may go on after an instruction that failed; the run must not hide the failure. */
static enum meshcast_status route(void *context, struct meshcast_routing *routing)
{
    struct tape *tape = context;
    struct meshcast_rule rule = {tape, parts, take, stop, NULL};
    struct meshcast_known known = meshcast_known(routing);
    enum meshcast_status status = MESHCAST_OK;
    fuzz_require(known.rows * known.cols == tape->nodes);
    meshcast_random(routing, 1, 2);
    uint8_t head = next(tape);
    if (head < HONEST)
        status = meshcast_start(routing, 0);
    for (int i = 0; i < head % MOST_INSTRUCTIONS; i++)
        status = instruct(tape, routing);
    return head < HONEST ? meshcast_forward_last(routing, &rule, "end", 2000) : status;
}

/* ---- the run ---- */

static void note_events(void *context, uint64_t step, const struct meshcast_event *event,
                        size_t count)
{
    struct tape *tape = context;
    for (size_t i = 0; i < count && tape->events < MOST_EVENTS; i++, tape->events++) {
        int fields = event[i].kind == 'X' || event[i].kind == 'R' ? 2 : 3;
        fprintf(tape->trace, "%" PRIu64 " %c", step, event[i].kind);
        for (int f = 0; f < fields; f++)
            fprintf(tape->trace, " %" PRIu32, event[i].field[f]);
        fputc('\n', tape->trace);
    }
}

static void note_phase(void *context, uint64_t step, const char *name)
{
    struct tape *tape = context;
    (void)step;
    fprintf(tape->trace, "# phase %s\n", name);
}

/* The same set by the format of its files, which the audit wants. */
static void read_set(const struct meshcast_set *set, struct message_set *same)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fuzz_require(out != NULL);
    unsigned rows, cols;
    fuzz_require(sscanf(meshcast_set_topology(set), "mesh:%ux%u", &rows, &cols) == 2);
    fprintf(out, "mcast 1 %u %u\n", rows, cols);
    for (uint32_t i = 0; i < meshcast_set_messages(set); i++) {
        uint64_t count;
        uint32_t source;
        const uint32_t *to = meshcast_set_message(set, i, &source, &count);
        fprintf(out, "%u", (unsigned)source);
        for (uint64_t j = 0; j < count; j++)
            fprintf(out, " %u", (unsigned)to[j]);
        fputc('\n', out);
    }
    fclose(out);
    struct failure failure = {0};
    fuzz_require(message_set_read_memory(same, text, size, "set", NULL) == FAIL_NONE);
    fuzz_require(message_set_leave_home(same, &failure) == FAIL_NONE);
    free(text);
}

static void audit(const struct meshcast_set *set, const char *text, size_t size, bool is_good)
{
    struct message_set same;
    struct audit_report report;
    struct failure failure = {0};
    read_set(set, &same);
    const char *path = fuzz_serve("input", text, size, 0);
    enum failure_kind kind = audit_trace(path, &same, &report, &failure);
    fuzz_end();
    message_set_free(&same);
    bool is_short = strstr(failure.text, ": rule delivery: the trace ends") != NULL ||
                    strstr(failure.text, ": rule buffer: ") != NULL;
    if (kind != FAIL_NONE && (is_good || !is_short)) {
        fprintf(stderr, "%s\n%.*s", failure.text, (int)size, text);
        abort();
    }
}

static struct meshcast_set *make_set(struct tape *tape)
{
    uint32_t from[MOST_PAIRS], to[MOST_PAIRS];
    uint32_t rows = 1 + next(tape) % MOST_SIDE, cols = 1 + next(tape) % MOST_SIDE;
    uint32_t pairs = next(tape) % (MOST_PAIRS + 1u);
    tape->nodes = rows * cols;
    for (uint32_t i = 0; i < pairs; i++) {
        from[i] = next(tape) % tape->nodes;
        to[i] = next(tape) % tape->nodes;
    }
    char text[32];
    snprintf(text, sizeof text, "mesh:%ux%u", (unsigned)rows, (unsigned)cols);
    struct meshcast_topology *mesh = meshcast_topology_parse(text, NULL);
    struct meshcast_set *set =
        mesh == NULL ? NULL : meshcast_set_from_pairs(mesh, pairs, from, to, NULL);
    meshcast_topology_free(mesh);
    return set;
}

/* A plan with two parameters at most, which may be wrong in every way. */
static struct meshcast_router *make_router(struct tape *tape)
{
    static const char *const names[] = {"p", "q", "a b", "", NULL, "p"};
    static const char *const standards[] = {"1", "x", NULL, "", "99999999999", "b"};
    static const char *const choices[] = {NULL, "", " x", "a b", "b", "x y z"};
    struct meshcast_parameter parameter[2];
    struct meshcast_router_plan plan = {
        .name = "own", .summary = "s", .route = route, .context = tape};
    uint8_t kind = next(tape);
    if (kind >= HONEST) {
        plan.parameters = kind % 4 == 3 ? UINT32_MAX : kind % 4;
        plan.parameter = kind % 8 == 1 ? NULL : parameter;
        plan.name = kind % 16 == 0 ? names[next(tape) % 6] : "own";
        plan.route = kind == 255 ? NULL : route;
        plan.summary = kind % 2 ? NULL : "s";
        for (int i = 0; i < 2; i++)
            parameter[i] = (struct meshcast_parameter){
                names[next(tape) % 6], standards[next(tape) % 6], (uint32_t)number(tape, 3),
                (uint32_t)number(tape, 200), choices[next(tape) % 6]};
    }
    return meshcast_router_new(&plan, NULL);
}

/* Sets the options that a byte chooses; a failure can only be for want of memory. */
static void set_options(struct meshcast_command *command, uint8_t kind)
{
    char buffer[16];
    meshcast_command_set(command, "threads", "1", NULL);
    meshcast_command_set(command, "copy", kind & 1 ? "free" : "unit", NULL);
    snprintf(buffer, sizeof buffer, "%u", 1u + (kind >> 4));
    if (kind & 2)
        meshcast_command_set(command, "buffer", buffer, NULL);
    if ((kind & 28) == 28)
        meshcast_command_set(command, "unknown-congestion", NULL, NULL);
    if ((kind & 12) == 12)
        meshcast_command_set(command, "param",
                             kind & 16 ? (kind & 32 ? "p=1" : "p=x") : (kind & 32 ? "q=1" : "q=x"),
                             NULL);
}

static void run(struct tape *tape, const struct meshcast_router *router,
                const struct meshcast_set *set, struct meshcast_command *command)
{
    struct meshcast_error error = {MESHCAST_OK, "", ""};
    struct meshcast_report *report = NULL;
    char *text = NULL;
    size_t size = 0;
    uint8_t kind = next(tape);
    struct meshcast_observer observer = {tape, note_events, note_phase};
    set_options(command, kind);
    tape->trace = open_memstream(&text, &size);
    if (tape->trace == NULL || meshcast_command_give_set(command, set, NULL) != MESHCAST_OK) {
        if (tape->trace != NULL)
            fclose(tape->trace);
        free(text);
        return;
    }
    unsigned rows, cols;
    fuzz_require(sscanf(meshcast_set_topology(set), "mesh:%ux%u", &rows, &cols) == 2);
    fprintf(tape->trace, "meshcast-trace 1 %u %u copy=%s buffer=none\n", rows, cols,
            kind & 1 ? "free" : "unit");
    meshcast_command_give_router(command, router);
    meshcast_command_set_observer(command, &observer);
    enum meshcast_status status = meshcast_command_run(command, &report, &error);
    bool has_struck = fuzz_end();
    fclose(tape->trace);
    fuzz_require(status == error.status && (status == MESHCAST_OK) == (*error.text == '\0'));
    fuzz_require(status != MESHCAST_INPUT && (status != MESHCAST_SYSTEM || has_struck));
    fuzz_require((report != NULL) == (status == MESHCAST_OK || status == MESHCAST_CHECK));
    fuzz_require(status != MESHCAST_OK || meshcast_report_figure(report, "delivered") ==
                                              meshcast_report_figure(report, "deliveries"));
    if (tape->events < MOST_EVENTS && !has_struck)
        audit(set, text, size, status == MESHCAST_OK);
    meshcast_report_free(report);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    unsigned flags;
    if (!fuzz_begin(&bytes, &length, &flags))
        return 0;
    struct tape tape = {.at = bytes, .end = bytes + length};
    fuzz_arm();
    struct meshcast_set *set = make_set(&tape);
    struct meshcast_router *router = make_router(&tape);
    struct meshcast_command *command = meshcast_command_new("route", NULL);
    if (set != NULL && router != NULL && command != NULL)
        run(&tape, router, set, command);
    fuzz_end();
    meshcast_command_free(command);
    meshcast_router_free(router);
    meshcast_set_free(set);
    return 0;
}
