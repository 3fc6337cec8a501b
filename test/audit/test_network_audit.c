/* test_network_audit.c - the audit of the network's traces: good ones, and ones that are broken in
 * one place.
 *
 * The audit's arithmetic is compared with network/topology/ and network/schemes/, of which it knows
 * nothing; traces of random networks must be clean, with the network's own counts.
 */
#include "audit/flits_audit.h"
#include "audit/flits_reader.h"
#include "network/network_trace.h"
#include "test/length.h"
#include "test/network/network_case.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- traces with a fault ---- */

#include "test/audit/network_traces.inc"

/* The message set of WORMS and STORED. */
static const char SET[] = "mcast 1 1 4\n0 1 3\n2 0\n";

/* A change of `trace`: the first `from` becomes `to`, and the audit has `text` for that line. */
struct fault {
    const char *trace, *from, *to;
    enum failure_kind kind;
    int line;
    const char *text;
};

static const struct fault FAULTS[] = {
#include "test/audit/network_faults.inc"
};

/* Returns the trace with the fault; the caller frees it. */
static char *broken_trace(const struct fault *fault)
{
    const char *at = strstr(fault->trace, fault->from);
    ck_assert_msg(at != NULL, "%s is not in the trace", fault->from);
    size_t before = (size_t)(at - fault->trace), size = strlen(fault->trace) + strlen(fault->to);
    char *text = calloc(size + 1, 1);
    ck_assert_ptr_nonnull(text);
    snprintf(text, size + 1, "%.*s%s%s", (int)before, fault->trace, fault->to,
             at + strlen(fault->from));
    return text;
}

static enum failure_kind audit_text(const char *text, size_t length, const struct message_set *set,
                                    struct flits_audit_report *report, struct failure *failure)
{
    struct byte_source *source;
    ck_assert_int_eq(byte_source_open_memory(&source, text, length, "trace", failure), FAIL_NONE);
    enum failure_kind kind = audit_network(source, set, NULL, report, failure);
    byte_source_close(source);
    return kind;
}

static void read_set(struct message_set *set)
{
    struct failure failure = {0};
    ck_assert_int_eq(message_set_read_memory(set, SET, strlen(SET), "set", &failure), FAIL_NONE);
}

/* Each fault is found, with its line and rule. */
START_TEST(test_faults)
{
    struct message_set set;
    read_set(&set);
    int wrong = 0;
    for (size_t i = 0; i < sizeof FAULTS / sizeof FAULTS[0]; i++) {
        const struct fault *fault = &FAULTS[i];
        struct flits_audit_report report;
        struct failure failure = {0};
        char place[32], *text = broken_trace(fault);
        snprintf(place, sizeof place, "trace:%d: ", fault->line);
        bool has_set =
            (fault->trace == WORMS || fault->trace == STORED) && strstr(fault->to, "torus") == NULL;
        enum failure_kind kind =
            audit_text(text, strlen(text), has_set ? &set : NULL, &report, &failure);
        if (kind != fault->kind || strncmp(failure.text, place, strlen(place)) != 0 ||
            strstr(failure.text, fault->text) == NULL) {
            printf("'%s' for '%s': %d %s; expected %d %s%s\n", fault->to, fault->from, (int)kind,
                   failure.text, (int)fault->kind, place, fault->text);
            wrong++;
        }
        free(text);
    }
    message_set_free(&set);
    fflush(stdout);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

/* Traces of negative-first, label and circuits on small meshes are clean, also with a worm's first
 * hop over the port that it names. */
START_TEST(test_good_square)
{
    struct flits_audit_report report;
    struct failure failure = {0};
    const struct {
        const char *text;
        uint32_t deliveries;
    } good[] = {{ADAPTIVE, 2}, {TURNING, 2}, {FORCED, 1}, {CIRCUITS, 1}};
    for (int i = 0; i < 4; i++) {
        const char *text = good[i].text;
        ck_assert_msg(audit_text(text, strlen(text), NULL, &report, &failure) == FAIL_NONE, "%s",
                      failure.text);
        ck_assert(report.knows_routing);
        ck_assert_uint_eq(report.deliveries, good[i].deliveries);
    }
}
END_TEST

/* Both traces are clean, with and without the set, and counted. */
START_TEST(test_good)
{
    struct message_set set;
    struct flits_audit_report report;
    struct failure failure = {0};
    read_set(&set);
    for (int i = 0; i < 4; i++) {
        const char *text = i % 2 == 0 ? WORMS : STORED;
        ck_assert_msg(audit_text(text, strlen(text), i < 2 ? &set : NULL, &report, &failure) ==
                          FAIL_NONE,
                      "%s", failure.text);
        ck_assert_str_eq(report.topology, "mesh:1x4");
        ck_assert(report.knows_routing);
        ck_assert_uint_eq(report.messages, 2);
        ck_assert_uint_eq(report.deliveries, 3);
        ck_assert_uint_eq(report.worms, i % 2 == 0 ? 2 : 3);
        ck_assert_uint_eq(report.crossings, i % 2 == 0 ? 15 : 12);
        ck_assert_uint_eq(report.buffer_peak, 2);
        ck_assert_uint_eq(report.cycles, i % 2 == 0 ? 13 : 14);
        ck_assert_uint_eq(report.unfinished, 0);
    }
    message_set_free(&set);
}
END_TEST

/* ---- arithmetic ---- */

static const struct {
    enum flits_routing own;
    const struct routing *routing;
} ROUTINGS[] = {{ROUTES_X_FIRST, &routing_x_first},
                {ROUTES_LABEL, &routing_label},
                {ROUTES_NEGATIVE_FIRST, &routing_negative_first},
                {ROUTES_NEGATIVE_FIRST_FIXED, &routing_negative_first_fixed},
                {ROUTES_WEST_FIRST, &routing_west_first},
                {ROUTES_ODD_EVEN, &routing_odd_even}};

/* Compares all hops of a header at `from`, bound for `to`, by a row of ROUTINGS. */
static void compare_hops(const struct topology *topology, const struct flits_shape *own, size_t row,
                         uint32_t from, uint32_t to)
{
    const struct routing *routing = ROUTINGS[row].routing;
    struct routing_choice choice[ROUTING_CHOICES];
    uint32_t classes = routing->classes(topology);
    uint32_t count = classes == 0 ? 0 : routing->next(topology, from, to, choice);
    for (uint32_t port = 0; port < topology_node_ports(topology, from); port++)
        for (uint32_t vc = 0; vc < classes; vc++) {
            uint32_t next = topology_neighbour(topology, from, port);
            bool is_choice = false;
            for (uint32_t c = 0; c < count; c++)
                is_choice |= port == choice[c].port && vc == choice[c].class;
            struct flits_hop hop = {
                .from = from, .to = next, .target = to, .vc = vc, .vcs = classes};
            if (next != TOPOLOGY_NO_NODE)
                ck_assert_int_eq(flits_conforms(own, ROUTINGS[row].own, &hop), is_choice);
        }
}

static void compare_shape(const char *text, enum topology_kind kind)
{
    struct shape shape;
    struct flits_shape own;
    char name[TOPOLOGY_TEXT_SIZE];
    ck_assert(shape_read_sizes(text, kind, &shape));
    shape_text(&shape, name);
    ck_assert(flits_shape_read(&own, name, name + strlen(name)));
    struct topology topology = topology_of_shape(&shape);
    for (uint32_t from = 0; from < topology.nodes; from++) {
        ck_assert_uint_eq(flits_label(&own, from), topology_label(&topology, from));
        ck_assert_uint_eq(flits_links_of(&own, from), topology_degree(&topology, from));
        for (uint32_t to = 0; to < topology.nodes; to++) {
            ck_assert_int_eq(flits_joins(&own, from, to),
                             topology_port_to(&topology, from, to) != UINT32_MAX);
            for (size_t i = 0; i < sizeof ROUTINGS / sizeof ROUTINGS[0] && from != to; i++)
                compare_hops(&topology, &own, i, from, to);
        }
    }
}

/* Neighbours, labels, x-first with its datelines, label and negative-first agree with
 * network/topology/ and network/schemes/. */
START_TEST(test_shapes)
{
    static const char *const sizes[] = {"1",     "2",   "7",     "1x5", "3x4",
                                        "2x2x2", "5x4", "3x1x4", "6x2"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        compare_shape(sizes[i], TOPOLOGY_MESH);
        compare_shape(sizes[i], TOPOLOGY_TORUS);
    }
}
END_TEST

/* ---- traces of random networks ---- */

/* True if no stop is there only to pass, since such stops are not in a trace. */
static bool has_no_waypoints(const struct network_case *c)
{
    for (uint32_t i = 0; i < c->messages; i++)
        for (uint32_t s = 0; s < c->message[i].plan.stops; s++)
            if (!c->message[i].plan.stop[s].is_destination)
                return false;
    return true;
}

/* The visits of worms; a worm that is at a node twice has a trace that does not name the header
 * that goes on. */
struct visits {
    FILE *out;
    struct network_observer writer;
    bool is_twice;
    uint32_t count;
    uint32_t visit[1 << 14][3]; /* message, worm, node */
};

static void watch(void *context, uint64_t cycle, const struct network_event *event, size_t count)
{
    struct visits *visits = context;
    visits->writer.events(visits->writer.context, cycle, event, count);
    for (size_t i = 0; i < count; i++) {
        if (event[i].kind != 'H' && event[i].kind != 'W')
            continue;
        uint32_t node = event[i].field[event[i].kind == 'H' ? 3 : 2];
        const uint32_t visit[3] = {event[i].field[0], event[i].field[1], node};
        for (uint32_t v = 0; v < visits->count; v++)
            visits->is_twice |= memcmp(visits->visit[v], visit, sizeof visit) == 0;
        ck_assert_uint_lt(visits->count, 1 << 14);
        memcpy(visits->visit[visits->count++], visit, sizeof visit);
    }
}

/* Runs the case to its end and writes its trace. */
static enum failure_kind run_case(const struct network_case *c, struct visits *visits,
                                  struct network_counts *counts, size_t *deadlocked)
{
    struct network_observer observer = {visits, watch};
    struct routing routing = *c->routing;
    struct network *network;
    struct failure failure = {0};
    visits->is_twice = false;
    visits->count = 0;
    if (routing.name[0] != 'n' && !has_no_waypoints(c))
        routing.name = "with-waypoints";
    network_trace_begin(visits->out, &c->topology, &routing, &c->settings);
    visits->writer = network_trace_observer(visits->out);
    ck_assert_int_eq(
        network_make(&network, &c->topology, c->routing, &c->settings, &observer, &failure),
        FAIL_NONE);
    for (uint32_t i = 0; i < c->messages; i++) {
        const struct case_message *m = &c->message[i];
        ck_assert_int_eq(network_post(network, m->created, &m->multicast, &m->plan, &failure),
                         FAIL_NONE);
    }
    enum failure_kind kind = network_run(network, UINT64_MAX, &failure);
    *counts = network_counts(network);
    network_deadlock(network, deadlocked);
    network_free(network);
    return kind;
}

/* Counts the overflows that the audit finds. False: a worm meets itself, and the trace does not say
 * enough. */
static bool audit_case(const struct network_case *c, uint64_t number, uint64_t *overflows)
{
    static struct visits visits;
    struct network_counts counts;
    struct flits_audit_report report;
    struct failure failure = {0};
    char *text;
    size_t length, deadlocked;
    visits.out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(visits.out);
    enum failure_kind kind = run_case(c, &visits, &counts, &deadlocked);
    fclose(visits.out);
    if (!visits.is_twice) {
        bool has_overflow = kind == FAIL_CHECK && deadlocked == 0;
        enum failure_kind found = audit_text(text, length, NULL, &report, &failure);
        /* The trace of a run that is stopped does not show for which outputs a message still waits:
         * the audit may count it as gone. */
        ck_assert_msg(found == FAIL_NONE || has_overflow, "case %" PRIu64 ": %d %s", number,
                      (int)found, failure.text);
        *overflows += found == FAIL_CHECK;
        ck_assert_uint_eq(report.messages, counts.messages);
        ck_assert_uint_eq(report.crossings, counts.crossings);
        if (!has_overflow) {
            ck_assert(kind == FAIL_NONE ? report.buffer_peak == counts.buffer_peak
                                        : report.buffer_peak <= counts.buffer_peak);
            /* A worm that has its channel may still be in its startup when a deadlock ends the
             * run. */
            ck_assert(deadlocked > 0 ? report.worms >= counts.startups
                                     : report.worms == counts.startups);
            ck_assert(kind != FAIL_NONE || report.unfinished == 0);
        }
    }
    free(text);
    return !visits.is_twice;
}

/* The traces of the network are clean. */
START_TEST(test_random)
{
    static struct network_case c;
    uint64_t cases = TEST_IS_SHORT ? 500 : 10000, audited = 0, overflows = 0;
    for (uint64_t number = 0; number < cases; number++) {
        network_case_random(&c, number);
        audited += audit_case(&c, number, &overflows);
    }
    ck_assert_uint_gt(audited, cases / 10);
    ck_assert_uint_gt(overflows, 0);
}
END_TEST

void network_audit_suite(TCase *all)
{
    tcase_add_test(all, test_good);
    tcase_add_test(all, test_good_square);
    tcase_add_test(all, test_faults);
    tcase_add_test(all, test_shapes);
    tcase_add_test(all, test_random);
}
