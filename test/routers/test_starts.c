/* test_starts.c - messages that start later, or wait for others, on the mesh machine: runs of
 * `unicast` and `trees` on whole and broken meshes against the golden model, which starts each
 * message by what its source has received, and against times that are known.
 */
#include "base/pcg.h"
#include "test/length.h"
#include "test/ranks/ranks_case.h"
#include "test/routers/broken_mesh.h"
#include "test/routers/router_case.h"
#include "test/routers/router_ranks.h"
#include "test/temporary.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef fail /* a macro of Check's */

enum { MESSAGES = 20, NODES = 36, MOST_WAITS = 3, MOST_DEGREE = 5, MOST_LENGTH = 3 };
enum { PACKETS = MESSAGES * MOST_LENGTH, TEXT = 1 << 14, MOST_EVENTS = 1 << 15 };

/* ---- sets ---- */

struct drawn {
    uint32_t source, degree, length, waits, first; /* first: the number of its first packet */
    uint64_t start;
    uint32_t destination[MOST_DEGREE], wait_on[MOST_WAITS];
    bool has_started;
};

struct timed {
    struct mesh mesh;
    struct broken_mesh broken; /* or whole */
    uint32_t messages, packets;
    struct drawn message[MESSAGES];
};

static bool goes_to(const struct drawn *message, uint32_t node)
{
    for (uint32_t i = 0; i < message->degree; i++)
        if (message->destination[i] == node)
            return true;
    return false;
}

/* Draws messages that wait for those drawn before, within the main part; `is_reversed` numbers them
 * the other way round. */
static void draw(struct timed *timed, bool is_whole, bool is_reversed, struct pcg32 *random)
{
    timed->mesh = (struct mesh){1 + pcg32_below(random, 6),
                                (is_whole ? 2 : 3) + pcg32_below(random, is_whole ? 5 : 4)};
    broken_mesh_draw(&timed->broken, timed->mesh, is_whole, random);
    timed->messages = 2 + pcg32_below(random, MESSAGES - 1);
    const uint32_t *node_at = timed->broken.main;
    uint32_t nodes = timed->broken.main_nodes, last = timed->messages - 1;
    for (uint32_t drawn = 0; drawn <= last; drawn++) {
        struct drawn *made = &timed->message[is_reversed ? last - drawn : drawn];
        *made = (struct drawn){.source = node_at[pcg32_below(random, nodes)],
                               .length = 1 + pcg32_below(random, 2) * pcg32_below(random, 3),
                               .start = pcg32_below(random, 3) * pcg32_below(random, 12)};
        if (drawn > 0 && pcg32_below(random, 4) > 0) { /* it is sent by a receiver */
            uint32_t i = pcg32_below(random, drawn);
            const struct drawn *got = &timed->message[is_reversed ? last - i : i];
            made->source = got->destination[pcg32_below(random, got->degree)];
        }
        for (uint32_t i = 0; i < drawn && made->waits < MOST_WAITS; i++) {
            uint32_t before = is_reversed ? last - i : i;
            if (goes_to(&timed->message[before], made->source) && pcg32_below(random, 3) > 0)
                made->wait_on[made->waits++] = before;
        }
        uint32_t wanted = 1 + pcg32_below(random, MOST_DEGREE);
        for (uint32_t i = 0; i < wanted || made->degree == 0; i++) {
            uint32_t node = node_at[pcg32_below(random, nodes)];
            if (node != made->source && !goes_to(made, node))
                made->destination[made->degree++] = node;
        }
    }
    timed->packets = 0;
    for (uint32_t i = 0; i <= last; i++) {
        timed->message[i].first = timed->packets;
        timed->packets += timed->message[i].length;
    }
}

static void write_text(const struct timed *timed, char text[TEXT])
{
    int at = snprintf(text, TEXT, "mcast 3 mesh %u %u\n", timed->mesh.rows, timed->mesh.cols);
    for (uint32_t i = 0; i < timed->messages; i++) {
        const struct drawn *message = &timed->message[i];
        at += snprintf(text + at, (size_t)(TEXT - at), "%u:%u", message->source, message->length);
        for (uint32_t k = 0; k < message->waits; k++)
            at += snprintf(text + at, (size_t)(TEXT - at), "%c%u", k == 0 ? '>' : ',',
                           message->wait_on[k]);
        at += snprintf(text + at, (size_t)(TEXT - at), "@%" PRIu64, message->start);
        for (uint32_t k = 0; k < message->degree; k++)
            at += snprintf(text + at, (size_t)(TEXT - at), " %u", message->destination[k]);
        at += snprintf(text + at, (size_t)(TEXT - at), "\n");
    }
    snprintf(text + at, (size_t)(TEXT - at), "end %u\n", timed->messages);
}

static bool is_timed(const struct timed *timed)
{
    bool is_later = false;
    for (uint32_t i = 0; i < timed->messages; i++)
        is_later |= timed->message[i].waits > 0 || timed->message[i].start > 0;
    return is_later;
}

/* ---- events of a run ---- */

struct heard {
    uint64_t delivered[PACKETS][NODES]; /* steps, and 1; 0: not yet */
    uint32_t events;
    struct heard_event {
        uint64_t step;
        struct machine_event event;
    } event[MOST_EVENTS];
};

static int compare_events(const void *one, const void *other)
{
    const struct heard_event *a = one, *b = other;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return memcmp(&a->event, &b->event, sizeof a->event);
}

/* Fails unless both heard the same, in any order within a step. */
static void compare_heard(struct heard *one, struct heard *other)
{
    qsort(one->event, one->events, sizeof *one->event, compare_events);
    qsort(other->event, other->events, sizeof *other->event, compare_events);
    for (uint32_t i = 0; i < one->events && i < other->events; i++)
        ck_assert_mem_eq(&one->event[i], &other->event[i], sizeof *one->event);
    ck_assert_uint_eq(one->events, other->events);
}

static void hear(void *context, uint64_t step, const struct machine_event *event, size_t count)
{
    struct heard *heard = context;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *field = event[i].field;
        ck_assert_uint_lt(heard->events, MOST_EVENTS);
        heard->event[heard->events++] = (struct heard_event){step, event[i]};
        if (event[i].kind == 'D' || event[i].kind == 'E')
            heard->delivered[field[2]][field[0]] = step + 1;
    }
}

static void hear_trace(struct heard *heard, const char *trace)
{
    for (const char *line = trace; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        struct machine_event event;
        uint64_t step;
        char kind;
        line += *line == '\n';
        if (sscanf(line, "%" SCNu64 " %c %u %u %u", &step, &kind, &event.field[0], &event.field[1],
                   &event.field[2]) == 5) {
            event.kind = (uint32_t)kind;
            hear(heard, step, &event, 1);
        }
    }
}

/* ---- the two routers, in their plainest form ---- */

struct plain {
    struct headers *header;
    bool is_unicast, alternates;
    node_place source[PACKETS];
    const struct broken_mesh *broken; /* NULL: whole */
    struct broken_paths paths[PACKETS];
};

/* True if a packet goes along its row first. Each copy of unicast, else each message, has its order
 * of dimensions. */
static bool is_row_first(const struct plain *plain, uint32_t packet)
{
    uint32_t message = plain->header->packet[packet].message;
    node_place from = plain->source[message], to = plain->header->destination[packet];
    uint32_t sum = place_row(from) + place_col(from);
    if (plain->is_unicast)
        sum += place_row(to) + place_col(to);
    else
        sum += plain->alternates ? message : 0;
    return sum % 2 == 0;
}

static unsigned output_to(struct site site, node_place to, bool row_first)
{
    bool differ[2] = {place_row(to) != site.row, place_col(to) != site.col};
    if (!differ[0] && !differ[1])
        return OUT_EJECT;
    if (differ[row_first] ? row_first : !row_first)
        return place_col(to) < site.col ? OUT_WEST : OUT_EAST;
    return place_row(to) < site.row ? OUT_NORTH : OUT_SOUTH;
}

static uint32_t node_of(const struct plain *plain, uint32_t slot)
{
    node_place place = plain->header->destination[slot];
    return place_row(place) * plain->broken->mesh.cols + place_col(place);
}

/* Returns the node after `node` on the path of a slot on a broken mesh; the node itself if it ends
 * there. */
static uint32_t next_on_path(const struct plain *plain, uint32_t node, uint32_t slot)
{
    const struct broken_paths *paths = &plain->paths[plain->header->packet[slot].message];
    uint32_t at = node_of(plain, slot);
    while (at != node && paths->before[at] != node)
        at = paths->before[at];
    return at;
}

static unsigned output_of(const struct plain *plain, struct site site, uint32_t packet,
                          uint32_t slot)
{
    if (plain->broken == NULL)
        return output_to(site, plain->header->destination[slot], is_row_first(plain, packet));
    uint32_t next = next_on_path(plain, site.index, slot);
    return next == site.index ? (unsigned)OUT_EJECT
                              : 1u << broken_mesh_direction(plain->broken, site.index, next);
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct plain *plain = context;
    unsigned all = 0;
    for (uint32_t slot = plain->header->packet[packet].first; slot <= packet; slot++)
        all |= output_of(plain, site, packet, slot);
    return all;
}

/* The slots of the output become the first ones of the packet, and a packet of their own. */
static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct plain *plain = context;
    struct header *header = plain->header->packet;
    node_place *slot = plain->header->destination, rest[NODES];
    uint32_t first = header[packet].first, taken = first, left = 0;
    unsigned goes[NODES];
    for (uint32_t i = first; i <= packet; i++)
        goes[i - first] = output_of(plain, site, packet, i);
    for (uint32_t i = first; i <= packet; i++) {
        if (goes[i - first] == (unsigned)output)
            slot[taken++] = slot[i];
        else
            rest[left++] = slot[i];
    }
    memcpy(slot + taken, rest, left * sizeof *slot);
    header[packet].first = taken;
    header[taken - 1].first = first;
    return taken - 1;
}

/* Stops at the next line on which a destination is. */
static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct plain *plain = context;
    uint32_t nearest = 0, best = UINT32_MAX;
    for (uint32_t slot = plain->header->packet[packet].first; slot <= packet; slot++) {
        uint32_t line = line_of_place(plain->header->destination[slot], direction);
        uint32_t far = difference(line, direction_is_vertical(direction) ? site.row : site.col);
        if (far > 0 && far < best) {
            best = far;
            nearest = line;
        }
    }
    return nearest;
}

/* On a broken mesh: where what goes over the link ends, turns or branches. */
static uint32_t stop_on_path(void *context, struct site site, uint32_t packet,
                             enum direction direction)
{
    const struct plain *plain = context;
    uint32_t cols = plain->broken->mesh.cols;
    const uint32_t by[] = {-cols, cols, UINT32_MAX, 1};
    struct site at = site;
    unsigned all;
    do {
        all = 0;
        at.index += by[direction];
        for (uint32_t slot = plain->header->packet[packet].first; slot <= packet; slot++)
            if (output_of(plain, site, packet, slot) == 1u << direction)
                all |= output_of(plain, at, packet, slot);
    } while (all == 1u << direction);
    return direction_is_vertical(direction) ? at.index / cols : at.index % cols;
}

/* On a broken mesh: the links to the farthest destination over the link. */
static uint32_t links_left(void *context, struct site site, uint32_t packet,
                           enum direction direction)
{
    const struct plain *plain = context;
    uint32_t most = 0;
    for (uint32_t slot = plain->header->packet[packet].first; slot <= packet; slot++) {
        const struct broken_paths *paths = &plain->paths[plain->header->packet[slot].message];
        uint32_t links = paths->links[node_of(plain, slot)] - paths->links[site.index];
        bool goes = output_of(plain, site, packet, slot) == 1u << direction;
        most = goes && links > most ? links : most;
    }
    return most;
}

static unsigned class_of(void *context, uint32_t packet)
{
    const struct plain *plain = context;
    return plain->broken != NULL ? plain->header->packet[packet].message % 2
                                 : is_row_first(plain, packet);
}

static uint32_t inject(void *context, struct site site, uint32_t packet)
{
    struct header *header = ((const struct plain *)context)->header->packet;
    uint32_t first = header[packet].first;
    (void)site;
    if (first == packet)
        return packet;
    header[packet].first = first + 1;
    header[first].first = first;
    return first;
}

/* ---- the golden run ---- */

struct golden {
    struct timed *timed;
    struct plain plain;
    struct heard heard;
    struct model *model;
    uint32_t slots; /* per channel; 0: queues */
    enum broken_kind kind;
    uint32_t packet[PACKETS];
};

static int by_node(const void *one, const void *other)
{
    const uint32_t *a = one, *b = other;
    return (*a > *b) - (*a < *b);
}

/* Puts the destinations of a tree in the order of a walk that takes the directions in turn. */
static uint32_t walk_tree(const struct golden *golden, const struct drawn *message, uint32_t packet,
                          uint32_t node, uint32_t *order)
{
    const struct broken_mesh *broken = golden->plain.broken;
    const uint32_t *before = golden->plain.paths[packet].before;
    uint32_t count = 0;
    if (goes_to(message, node))
        order[count++] = node;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        for (uint32_t kid = 0; kid < broken->nodes; kid++)
            if (before[kid] == node && broken_mesh_direction(broken, node, kid) == d)
                count += walk_tree(golden, message, packet, kid, order + count);
    return count;
}

/* Finds the paths of a packet on a broken mesh, and the order of its destinations if they are a
 * tree. */
static void find_paths(struct golden *golden, struct drawn *message, uint32_t packet)
{
    uint32_t order[NODES];
    broken_mesh_paths(golden->plain.broken, golden->kind, packet % 2, message->source,
                      &golden->plain.paths[packet]);
    if (golden->plain.is_unicast)
        return;
    ck_assert_uint_eq(walk_tree(golden, message, packet, message->source, order), message->degree);
    memcpy(message->destination, order, message->degree * sizeof *order);
}

/* Lays out the slots of each packet's destinations by their numbers; unicast begins after the
 * source. On a broken mesh trees have an order of their own. */
static void lay_out(struct golden *golden)
{
    struct timed *timed = golden->timed;
    uint32_t cols = timed->mesh.cols, slot = 0, sent[NODES] = {0};
    struct headers *header = golden->plain.header = &golden->model->header;
    for (uint32_t i = 0; i < timed->messages; i++) {
        struct drawn *message = &timed->message[i];
        uint32_t degree = message->degree, after = 0, source = message->source;
        qsort(message->destination, degree, sizeof *message->destination, by_node);
        while (golden->plain.is_unicast && after < degree && message->destination[after] < source)
            after++;
        sent[source] += message->length;
        golden->plain.alternates |= sent[source] > 1;
        for (uint32_t number = message->first; number < message->first + message->length;
             number++) {
            if (golden->plain.broken != NULL)
                find_paths(golden, message, number);
            golden->plain.source[number] = place_of(source / cols, source % cols);
            header->packet[slot + degree - 1].first = slot;
            for (uint32_t k = 0; k < degree; k++, slot++) {
                uint32_t node = message->destination[(after + k) % degree];
                header->destination[slot] = place_of(node / cols, node % cols);
                header->packet[slot].message = number;
            }
            golden->packet[number] = slot - 1;
        }
    }
}

/* True if a message may start now: its source has all that it waits for, some time ago. */
static bool may_start(const struct golden *golden, const struct drawn *message)
{
    uint64_t last = 0, now = golden->model->counts.steps;
    for (uint32_t k = 0; k < message->waits; k++) {
        const struct drawn *awaited = &golden->timed->message[message->wait_on[k]];
        for (uint32_t i = awaited->first; i < awaited->first + awaited->length; i++) {
            uint64_t came = golden->heard.delivered[i][message->source];
            if (came == 0)
                return false;
            last = came - 1 > last ? came - 1 : last;
        }
    }
    return !message->has_started && last + message->start <= now;
}

/* Starts all messages that may; returns the number of those that have not started yet. */
static uint32_t start_messages(struct golden *golden)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < golden->timed->messages; i++) {
        struct drawn *message = &golden->timed->message[i];
        if (may_start(golden, message)) {
            message->has_started = true;
            for (uint32_t k = message->first; k < message->first + message->length; k++)
                (golden->slots > 0 ? model_queue : model_inject)(golden->model, message->source,
                                                                 golden->packet[k]);
        }
        left += !message->has_started;
    }
    return left;
}

/* Runs step by step, and starts messages between steps. */
static void run_golden(struct golden *golden)
{
    struct model *m = golden->model;
    bool is_broken = golden->plain.broken != NULL;
    const struct routing_rule rule = {.context = &golden->plain,
                                      .outputs = outputs,
                                      .take = take,
                                      .stop = is_broken ? stop_on_path : stop,
                                      .urgency = is_broken ? links_left : NULL};
    const struct channel_rule channel = {.routing = rule,
                                         .class_of = class_of,
                                         .channels = CHANNELS_OF_BOTH,
                                         .slots = golden->slots,
                                         .inject = golden->plain.is_unicast ? inject : NULL};
    model_begin_phase(m, "run");
    while (start_messages(golden) > 0 || model_travelling(m) + model_resting(m) > 0) {
        uint64_t before = m->counts.steps;
        ck_assert_uint_lt(before, 10000);
        if (golden->slots > 0)
            model_channel(m, &channel, false, 1);
        else
            model_forward(m, &rule, true, 1);
        if (m->counts.steps == before)
            model_idle(m, 1);
    }
}

static const struct {
    const char *router, *parameters;
    uint32_t slots;
    bool is_broken;
    enum broken_kind kind;
} WAYS[] = {{"unicast", "slots=1", 1, false, 0},
            {"unicast", "slots=2", 2, false, 0},
            {"trees", "tree=xy slots=0", 0, false, 0},
            {"trees", "tree=xy slots=1", 1, false, 0},
            {"trees", "tree=xy slots=3", 3, false, 0},
            {"unicast", "slots=1", 1, true, BROKEN_UP_DOWN},
            {"unicast", "slots=3", 3, true, BROKEN_UP_DOWN},
            {"trees", NULL, 0, true, BROKEN_SHORTEST},
            {"trees", "tree=up-down", 0, true, BROKEN_UP_DOWN},
            {"trees", "slots=1", 1, true, BROKEN_UP_DOWN},
            {"trees", "slots=3", 3, true, BROKEN_UP_DOWN}};

/* random messages of several packets that wait for one another: whatever happens to a packet
 * happens when the golden model says */
START_TEST(as_the_golden_model)
{
    uint32_t cases = TEST_IS_SHORT ? 150 : 1500;
    for (uint32_t number = 0; number < cases; number++) {
        static struct golden golden;
        static struct heard heard;
        static struct timed timed;
        static char text[TEXT];
        struct pcg32 random = pcg32_seed(number, (uint64_t)_i);
        struct router_case run = router_case_make(WAYS[_i].router, WAYS[_i].parameters);
        struct plain_set set;
        struct case_result result;
        char path[TEMPORARY_PATH];
        draw(&timed, !WAYS[_i].is_broken, number % 2 == 1, &random);
        if (!is_timed(&timed))
            continue;
        write_text(&timed, text);
        plain_set_parse(&set, text);
        run.copy_is_free = number / 2 % 2;
        if (WAYS[_i].is_broken) {
            broken_mesh_write(&timed.broken, path);
            run.without = path;
            run.copy_is_free |= WAYS[_i].slots > 0 && strcmp(run.router, "trees") == 0;
        }
        router_case_check(&run, &set, &result);
        run.threads = 1 + number % 3;
        heard = (struct heard){0};
        char *trace = router_case_trace(&run, &set, &result, NULL);
        hear_trace(&heard, trace);
        free(trace);

        golden = (struct golden){.timed = &timed,
                                 .plain.is_unicast = strcmp(WAYS[_i].router, "unicast") == 0,
                                 .plain.broken = WAYS[_i].is_broken ? &timed.broken : NULL,
                                 .kind = WAYS[_i].kind,
                                 .slots = WAYS[_i].slots};
        const struct machine_observer observer = {&golden.heard, hear, NULL, NULL};
        struct machine_config config = {.mesh = timed.mesh,
                                        .slots = (uint32_t)result.delivered,
                                        .copy_is_free = run.copy_is_free,
                                        .observer = &observer};
        golden.model = model_create(&config, NULL);
        broken_mesh_cut(&timed.broken, golden.model);
        lay_out(&golden);
        run_golden(&golden);
        const struct machine_counts *counts = &golden.model->counts;
        compare_heard(&heard, &golden.heard);
        ck_assert_uint_eq(result.steps, counts->steps);
        ck_assert_uint_eq(result.packet_hops, counts->packet_hops);
        ck_assert_uint_eq(result.copies, counts->copies);
        ck_assert_uint_eq(result.buffer_peak, counts->peak);
        ck_assert_uint_eq(result.buffer_peak_step, counts->peak_step);
        free(golden.model);
        plain_set_free(&set);
        if (run.without != NULL)
            unlink(path);
    }
}
END_TEST

/* ---- known times ---- */

static const struct {
    const char *router, *parameters;
} RUNS[] = {{"unicast", NULL},      {"unicast", "slots=4"}, {"trees", NULL},
            {"trees", "tree=xy"},   {"trees", "slots=1"},   {"trees", "tree=spread"},
            {"trees", "tree=diag"}, {"trees", "tree=dds"}};
enum { RUN_COUNT = sizeof RUNS / sizeof *RUNS };

/* a chain of unicasts lasts the sum of their distances and pauses, which is the bound */
START_TEST(chain_of_unicasts)
{
    struct router_case run = router_case_make(RUNS[_i].router, RUNS[_i].parameters);
    bool is_shortest = RUNS[_i].parameters == NULL || strstr(RUNS[_i].parameters, "spread") == NULL;
    for (uint32_t number = 0; number < 10; number++) {
        struct pcg32 random = pcg32_seed(number, 5);
        char text[TEXT];
        uint32_t node = pcg32_below(&random, 54);
        uint64_t sum = 0;
        int at = snprintf(text, TEXT, "mcast 3 mesh 6 9\n");
        for (uint32_t i = 0; i < 30; i++) {
            uint32_t pause = pcg32_below(&random, 40) * (i % 3), to = pcg32_below(&random, 53);
            to += to >= node;
            sum += pause + difference(node / 9, to / 9) + difference(node % 9, to % 9);
            at += snprintf(text + at, (size_t)(TEXT - at), i == 0 ? "%u" : "%u>%u", node, i - 1);
            at += snprintf(text + at, (size_t)(TEXT - at), "@%u %u\n", pause, to);
            node = to;
        }
        snprintf(text + at, (size_t)(TEXT - at), "end 30\n");
        struct plain_set set;
        struct case_result result;
        plain_set_parse(&set, text);
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.lower_bound, sum);
        ck_assert_msg(!is_shortest || result.steps == sum, "%" PRIu64 " steps", result.steps);
        plain_set_free(&set);
    }
}
END_TEST

/* an all-reduce around a ring of p neighbours, in messages of P packets, lasts 2 (p - 1) P steps: a
 * link carries all of a message before its receiver sends on */
START_TEST(ring_of_neighbours)
{
    struct router_case run = router_case_make(RUNS[_i].router, RUNS[_i].parameters);
    if (RUNS[_i].parameters != NULL && strstr(RUNS[_i].parameters, "spread") != NULL)
        return; /* it makes detours */
    for (uint32_t packets = 1; packets <= 3; packets++) {
        enum { COLS = 5, RING = 2 * COLS, ROUNDS = 2 * (RING - 1) };
        uint32_t node[RING];
        char text[TEXT];
        int at = snprintf(text, TEXT, "mcast 3 mesh 2 %d\n", COLS);
        for (uint32_t i = 0; i < RING; i++)
            node[i] = i < COLS ? i : COLS + RING - 1 - i;
        for (uint32_t round = 0; round < ROUNDS; round++)
            for (uint32_t i = 0; i < RING; i++) {
                at += snprintf(text + at, (size_t)(TEXT - at), "%u:%u", node[i], packets);
                if (round > 0)
                    at += snprintf(text + at, (size_t)(TEXT - at), ">%u",
                                   (round - 1) * RING + (i + RING - 1) % RING);
                at += snprintf(text + at, (size_t)(TEXT - at), " %u\n", node[(i + 1) % RING]);
            }
        snprintf(text + at, (size_t)(TEXT - at), "end %d\n", ROUNDS * RING);
        struct plain_set set;
        struct case_result result;
        plain_set_parse(&set, text);
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.steps, (uint64_t)ROUNDS * packets);
        plain_set_free(&set);
    }
}
END_TEST

/* a start 2^48 steps away costs no more than another one */
START_TEST(far_starts)
{
    struct router_case run = router_case_make(RUNS[_i].router, RUNS[_i].parameters);
    struct plain_set set;
    struct case_result result;
    plain_set_parse(&set, "mcast 3 mesh 3 3\n0@281474976710656 8\n8>0@281474976710656 7\nend 2\n");
    router_case_check(&run, &set, &result);
    ck_assert_uint_ge(result.steps, ((uint64_t)2 << 48) + 5);
    ck_assert_uint_le(result.steps, ((uint64_t)2 << 48) + 12);
    plain_set_free(&set);
}
END_TEST

/* messages that start while the slot for injection is taken wait in the input queue: all of 25 nodes
 * send a broadcast in each of the first steps, and channels of one slot fill up */
START_TEST(starts_behind_the_slot)
{
    enum { SIDE = 5, SENT = 4 };
    struct router_case run = router_case_make("trees", "tree=xy slots=1");
    static char text[TEXT];
    struct plain_set set;
    struct case_result result;
    int at = snprintf(text, TEXT, "mcast 3 mesh %d %d\n", SIDE, SIDE);
    for (uint32_t i = 0; i < SIDE * SIDE * SENT; i++) {
        at += snprintf(text + at, (size_t)(TEXT - at), "%u@%u", i / SENT, i % SENT);
        for (uint32_t to = 0; to < SIDE * SIDE; to++)
            if (to != i / SENT)
                at += snprintf(text + at, (size_t)(TEXT - at), " %u", to);
        at += snprintf(text + at, (size_t)(TEXT - at), "\n");
    }
    snprintf(text + at, (size_t)(TEXT - at), "end %d\n", SIDE * SIDE * SENT);
    plain_set_parse(&set, text);
    run.copy_is_free = true;
    router_case_check(&run, &set, &result);
    ck_assert_uint_eq(result.buffer_capacity, 9);
    ck_assert_uint_eq(result.buffer_peak, 9);
    plain_set_free(&set);
}
END_TEST

/* Writes a set with several messages per node, all of which start in step `start`. */
static void write_even(char text[TEXT], const char *version, const char *start)
{
    struct pcg32 random = pcg32_seed(1, 2);
    int at = snprintf(text, TEXT, "mcast %s mesh 5 7\n", version);
    for (uint32_t i = 0; i < 90; i++) {
        uint32_t to = pcg32_below(&random, 30);
        at += snprintf(text + at, (size_t)(TEXT - at), "%u%s %u %u %u\n",
                       pcg32_below(&random, 5) + 30, start, to, (to + 3) % 30, (to + 7) % 30);
    }
    snprintf(text + at, (size_t)(TEXT - at), "end 90\n");
}

/* Cuts off the next line of a trace that is an event; NULL and false: there are no more. */
static bool next_event(char **rest, char **line)
{
    do
        *line = strtok_r(NULL, "\n", rest);
    while (*line != NULL && (**line < '0' || **line > '9'));
    return *line != NULL;
}

/* written with starts of 0 a set is the same; starts that are all the same only shift the trace, by
 * two turns of the classes that have priority */
START_TEST(equal_starts)
{
    struct router_case run = router_case_make(RUNS[_i].router, RUNS[_i].parameters);
    static const char *const FORMS[][2] = {{"2", ""}, {"3", "@0"}, {"3", "@64"}};
    char *trace[3];
    if (strcmp(run.router, "trees") == 0 && run.parameters == NULL)
        run.parameters = "tree=halves"; /* which is not chosen without times */
    for (size_t i = 0; i < 3; i++) {
        static char text[TEXT];
        struct plain_set set;
        struct case_result result;
        write_even(text, FORMS[i][0], FORMS[i][1]);
        plain_set_parse(&set, text);
        trace[i] = router_case_trace(&run, &set, &result, NULL);
        plain_set_free(&set);
    }
    ck_assert_str_eq(trace[0], trace[1]);
    char *rest[2] = {trace[0], trace[2]}, *line[2];
    while (next_event(&rest[0], &line[0]) && next_event(&rest[1], &line[1])) {
        uint64_t step = strtoull(line[0], &line[0], 10), later = strtoull(line[1], &line[1], 10);
        ck_assert_uint_eq(step + 64, later);
        ck_assert_str_eq(line[0], line[1]);
    }
    ck_assert(line[0] == NULL && !next_event(&rest[1], &line[1]));
    for (size_t i = 0; i < 3; i++)
        free(trace[i]);
}
END_TEST

/* any number of threads and ranks gives the same bytes, with and without a trace */
START_TEST(threads_and_ranks)
{
    struct router_case run = router_case_make(RUNS[_i].router, RUNS[_i].parameters);
    for (uint32_t number = 0; number < (TEST_IS_SHORT ? 6 : 60); number++) {
        static struct timed timed;
        static char text[TEXT];
        struct pcg32 random = pcg32_seed(number, 77);
        struct plain_set set;
        do
            draw(&timed, true, number % 2 == 1, &random);
        while (timed.mesh.rows < 3);
        write_text(&timed, text);
        run.copy_is_free = number / 2 % 2;
        run.threads = 1;
        plain_set_parse(&set, text);
        for (uint32_t ranks = 2; ranks <= 3 && MOST_RANKS > 1; ranks++)
            router_ranks_case(run, &set, ranks);
        router_case_check_threads(run, &set);
        plain_set_free(&set);
    }
}
END_TEST

/* ---- refusals ---- */

START_TEST(refusals)
{
    struct plain_set set;
    plain_set_parse(&set, "mcast 3 mesh 4 4\n0@3 5 9\n");
    for (uint32_t i = 0; i < case_router_count(); i++) {
        struct router_case run = router_case_make(case_router_at(i), NULL);
        struct case_result result;
        struct meshcast_error error;
        bool takes = strcmp(run.router, "trees") == 0 || strcmp(run.router, "unicast") == 0;
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &error),
                         takes ? MESHCAST_OK : MESHCAST_USAGE);
        ck_assert(takes || strstr(error.text, "unicast, trees") != NULL);
        run.reduces = true;
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &error), MESHCAST_USAGE);
        ck_assert(strstr(error.text, "has starts or waits") != NULL);
    }
    plain_set_free(&set);
}
END_TEST

/* Traces that break rule "start", on "0@3 1; 1>0@2 0 2". */
static const struct {
    const char *capacity, *events, *expected;
} BROKEN[] = {
    {"none", "2 I 0 0 0\n", "message 0 must be injected in step 3"},
    {"none", "4 I 0 0 0\n", "message 0 must be injected in step 3"},
    {"9", "2 I 0 0 0\n", "message 0 must be injected in step 3"},
    {"9", "4 I 0 0 0\n", "message 0 may start in step 3, since when its source had nothing else"},
    {"none", "3 I 0 0 0\n3 I 1 2 1\n", "message 1 waits for message 0, which its source does not"},
    {"none", "3 I 0 0 0\n4 M 0 0 1\n4 E 1 0 0\n5 I 1 2 1\n",
     "message 1 must be injected in step 6"},
    {"9", "3 I 0 0 0\n4 M 0 0 1\n4 E 1 0 0\n8 I 1 2 1\n", "message 1 may start in step 6, since"},
};

START_TEST(audit_of_starts)
{
    struct plain_set set;
    struct meshcast_error error;
    char path[TEMPORARY_PATH];
    plain_set_parse(&set, "mcast 3 mesh 1 3\n0@3 1\n1>0@2 0 2\n");
    FILE *trace = temporary_file(path);
    fprintf(trace, "meshcast-trace 1 1 3 copy=free buffer=%s\n# phase run\n%s", BROKEN[_i].capacity,
            BROKEN[_i].events);
    fclose(trace);
    ck_assert_int_eq(router_case_audit(path, &set, NULL, NULL, &error), MESHCAST_CHECK);
    ck_assert_msg(strstr(error.text, "rule start: ") != NULL &&
                      strstr(error.text, BROKEN[_i].expected) != NULL,
                  "%s", error.text);
    unlink(path);
    plain_set_free(&set);
}
END_TEST

void starts_suite(TCase *tests)
{
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, as_the_golden_model, 0, sizeof WAYS / sizeof *WAYS);
    tcase_add_loop_test(tests, chain_of_unicasts, 0, RUN_COUNT);
    tcase_add_loop_test(tests, ring_of_neighbours, 0, RUN_COUNT);
    tcase_add_loop_test(tests, far_starts, 0, RUN_COUNT);
    tcase_add_test(tests, starts_behind_the_slot);
    tcase_add_loop_test(tests, equal_starts, 0, RUN_COUNT);
    tcase_add_loop_test(tests, threads_and_ranks, 0, RUN_COUNT);
    tcase_add_test(tests, refusals);
    tcase_add_loop_test(tests, audit_of_starts, 0, sizeof BROKEN / sizeof *BROKEN);
}
