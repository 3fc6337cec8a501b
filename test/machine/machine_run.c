/* machine_run.c - a machine under test, and a rule that routes trees in the plainest way.
 *
 * The plain rule keeps no order in a packet's range: it looks at every slot and asks over which
 * link a dimension-ordered tree reaches it from here. It is slow and shares nothing with
 * primitives/multicast_tree.c, which is tested against the same definition.
 */
#include "test/machine/machine_run.h"

#include "audit/audit.h"
#include "base/numbers.h"
#include "test/machine/inject_one.h"

#include <check.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- deliveries ---- */

static void note_delivery(struct run_deliveries *deliveries, uint32_t message, node_index node)
{
    if (deliveries->count == deliveries->room) {
        deliveries->room = 2 * deliveries->room + 64;
        deliveries->delivery =
            realloc(deliveries->delivery, deliveries->room * sizeof *deliveries->delivery);
        ck_assert_ptr_nonnull(deliveries->delivery);
    }
    deliveries->delivery[deliveries->count++] = (uint64_t)message << 32 | node;
}

static void note_events(void *context, uint64_t step, const struct machine_event *event,
                        size_t count)
{
    struct machine_run *run = context;
    (void)step;
    for (size_t i = 0; i < count; i++)
        if (event[i].kind == 'D' || event[i].kind == 'E')
            note_delivery(&run->made, event[i].field[2], event[i].field[0]);
}

static void note_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

void run_ask(struct machine_run *run, uint32_t message, uint32_t count,
             const node_index *destination)
{
    for (uint32_t i = 0; i < count; i++)
        note_delivery(&run->asked, message, destination[i]);
}

void run_check_deliveries(struct machine_run *run)
{
    struct run_deliveries *asked = &run->asked, *made = &run->made;
    ck_assert_uint_eq(asked->count, made->count);
    ck_assert_uint_eq(asked->count, machine_counts(run->machine)->delivered);
    if (asked->count == 0)
        return; /* qsort takes no null pointer */
    qsort(asked->delivery, asked->count, sizeof *asked->delivery, compare_u64);
    qsort(made->delivery, made->count, sizeof *made->delivery, compare_u64);
    for (size_t i = 0; i < asked->count; i++)
        ck_assert_uint_eq(asked->delivery[i], made->delivery[i]);
}

/* ---- a run ---- */

void run_start(struct machine_run *run, uint32_t rows, uint32_t cols, struct machine_config config)
{
    *run = (struct machine_run){.machine = NULL};
    run->trace = temporary_file(run->path);
    config.mesh = (struct mesh){rows, cols};
    config.threads = config.threads > 0 ? config.threads : 1;
    config.trace = run->trace;
    config.kernel = "test";
    run->observer = (struct machine_observer){run, note_events, note_phase, NULL};
    config.observer = &run->observer;
    struct failure failure = {0};
    run->machine = machine_create(&config, &failure);
    ck_assert_msg(run->machine != NULL, "%s", failure.text);
}

static node_place place_of_node(const struct machine_run *run, node_index node)
{
    struct site site = machine_site(run->machine, node);
    return site_place(site);
}

uint32_t run_inject(struct machine_run *run, node_index source, uint32_t count,
                    const node_index *destination, bool row_first, struct failure *failure)
{
    struct headers *header = machine_headers(run->machine);
    uint32_t first = run->slots, packet = first + count - 1;
    ck_assert_uint_lt(packet, header->slots);
    run->slots += count;
    for (uint32_t i = 0; i < count; i++) {
        header->destination[first + i] = place_of_node(run, destination[i]);
        header->packet[first + i].message = packet;
    }
    header->packet[packet].first = first;
    header->packet[packet].state = row_first;
    run_ask(run, packet, count, destination);
    if (inject_one(run->machine, source, packet, failure) != FAIL_NONE)
        return MACHINE_NONE;
    return packet;
}

void run_inject_keys(struct machine *machine, const uint32_t *key, const bool *is_there)
{
    struct headers *header = machine_headers(machine);
    for (node_index node = 0; node < mesh_nodes(machine_config(machine)->mesh); node++) {
        if (!is_there[node])
            continue;
        header->packet[node].first = header->packet[node].message = node;
        header->destination[node] = MACHINE_NO_PLACE;
        header->packet[node].target = key[node];
        ck_assert_int_eq(inject_one(machine, node, node, NULL), FAIL_NONE);
    }
}

void run_check_same(const struct machine *machine, const struct machine *other)
{
    const struct machine_counts *a = machine_counts(machine), *b = machine_counts(other);
    ck_assert_uint_eq(a->steps, b->steps);
    ck_assert_uint_eq(a->packet_hops, b->packet_hops);
    ck_assert_uint_eq(a->word_hops, b->word_hops);
    ck_assert_uint_eq(a->peak, b->peak);
    ck_assert_uint_eq(a->peak_node, b->peak_node);
    ck_assert_uint_eq(a->peak_step, b->peak_step);
    ck_assert_str_eq(a->peak_phase, b->peak_phase);
    for (node_index node = 0; node < mesh_nodes(machine_config(machine)->mesh); node++) {
        uint32_t packet = machine_first_resting(machine, node);
        uint32_t same = machine_first_resting(other, node);
        for (; packet != MACHINE_NONE; packet = machine_next_resting(machine, packet)) {
            ck_assert_uint_eq(packet, same);
            same = machine_next_resting(other, same);
        }
        ck_assert_uint_eq(same, MACHINE_NONE);
    }
}

void run_check_threads(const struct machine *machine, struct machine_config config,
                       void (*act)(struct machine *machine, const void *scene), const void *scene)
{
    enum { MOST_THREADS = 4 };
    for (config.threads = 1; config.threads <= MOST_THREADS; config.threads++) {
        struct machine *other = machine_create(&config, NULL);
        ck_assert_ptr_nonnull(other);
        act(other, scene);
        run_check_same(machine, other);
        machine_free(other);
    }
}

uint32_t run_inject_target(struct machine_run *run, node_index source, node_index target,
                           bool column_first)
{
    struct headers *header = machine_headers(run->machine);
    uint32_t packet = run->slots++;
    ck_assert_uint_lt(packet, header->slots);
    header->packet[packet].first = packet;
    header->destination[packet] = MACHINE_NO_PLACE;
    header->packet[packet].message = packet;
    header->packet[packet].target = place_of_node(run, target);
    header->packet[packet].state = column_first;
    ck_assert_int_eq(inject_one(run->machine, source, packet, NULL), FAIL_NONE);
    return packet;
}

/* ---- the plain rule ---- */

static enum output way_to(node_place place, struct site site, bool row_first)
{
    uint32_t row = place_row(place), col = place_col(place);
    enum output vertical = row < site.row ? OUT_NORTH : OUT_SOUTH;
    enum output horizontal = col < site.col ? OUT_WEST : OUT_EAST;
    if (row == site.row && col == site.col)
        return OUT_EJECT;
    if (row_first)
        return col != site.col ? horizontal : vertical;
    return row != site.row ? vertical : horizontal;
}

static unsigned plain_outputs(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = context;
    unsigned outputs = 0;
    for (uint32_t slot = header->packet[packet].first; slot <= packet; slot++)
        outputs |= way_to(header->destination[slot], site, header->packet[packet].state & 1);
    return outputs;
}

static uint32_t plain_take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = context;
    uint32_t first = header->packet[packet].first, next = first;
    for (uint32_t slot = first; slot <= packet; slot++) {
        node_place place = header->destination[slot];
        if (way_to(place, site, header->packet[packet].state & 1) != output)
            continue;
        header->destination[slot] = header->destination[next];
        header->destination[next++] = place;
    }
    header->packet[next - 1].first = first;
    header->packet[next - 1].state = header->packet[packet].state;
    header->packet[packet].first = next;
    return next - 1;
}

static uint32_t plain_stop(void *context, struct site site, uint32_t packet, enum direction to)
{
    const struct headers *header = context;
    uint32_t here = direction_is_vertical(to) ? site.row : site.col;
    uint32_t nearest = UINT32_MAX, stop = here;
    for (uint32_t slot = header->packet[packet].first; slot <= packet; slot++) {
        node_place place = header->destination[slot];
        uint32_t there = direction_is_vertical(to) ? place_row(place) : place_col(place);
        uint32_t distance = there > here ? there - here : here - there;
        if (distance < nearest) {
            nearest = distance;
            stop = there;
        }
    }
    return stop;
}

struct routing_rule run_plain_rule(struct machine_run *run)
{
    return (struct routing_rule){.context = machine_headers(run->machine),
                                 .outputs = plain_outputs,
                                 .take = plain_take,
                                 .stop = plain_stop};
}

unsigned run_plain_class(void *context, uint32_t packet)
{
    const struct headers *header = context;
    return header->packet[packet].state & 1;
}

/* ---- what it did ---- */

void run_audit(struct machine_run *run)
{
    struct failure failure = {0};
    struct audit_report report;
    const struct machine_counts *counts = machine_counts(run->machine);
    ck_assert_int_eq(machine_finish_trace(run->machine, NULL), FAIL_NONE);
    enum failure_kind kind = audit_trace(run->path, NULL, &report, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    ck_assert_uint_le(report.steps, counts->steps);
    ck_assert_uint_eq(report.packet_hops, counts->packet_hops);
    ck_assert_uint_eq(report.word_hops, counts->word_hops);
    ck_assert_uint_eq(report.copies, counts->copies);
    ck_assert_uint_eq(report.delivered, counts->delivered);
    ck_assert_uint_eq(report.buffer_peak, counts->peak);
    if (counts->peak > 0) {
        ck_assert_uint_eq(report.buffer_peak_node, counts->peak_node);
        ck_assert_uint_eq(report.buffer_peak_step, counts->peak_step);
    }
}

char *run_text(struct machine_run *run)
{
    ck_assert_int_eq(machine_finish_trace(run->machine, NULL), FAIL_NONE);
    FILE *file = fopen(run->path, "r");
    ck_assert_ptr_nonnull(file);
    size_t room = (size_t)ftell(run->trace) + 1;
    char *text = malloc(room);
    ck_assert_ptr_nonnull(text);
    text[fread(text, 1, room - 1, file)] = '\0';
    fclose(file);
    return text;
}

void run_end(struct machine_run *run)
{
    machine_free(run->machine);
    free(run->asked.delivery);
    free(run->made.delivery);
    fclose(run->trace);
    unlink(run->path);
}
