/* test_ranks_planes.c - planes of words on several ranks.
 *
 * Random programs of instructions on planes, of lines cut in any way, on meshes that ranks split in any
 * way: the same trace, counters and packets at the same nodes as alone, or the same failure. A packet that has
 * come to another rank must still have all that it had, and of its slots none may be left behind.
 */
#include "base/pcg.h"
#include "machine/plane.h"
#include "machine/pool.h"
#include "machine/ranks/ranks.h"
#include "test/length.h"
#include "test/ranks/ranks_threads.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *ranks_planes_suite(void);

#ifdef MESHCAST_SERIAL
enum { MOST_RANKS = 1 };
#else
enum { MOST_RANKS = 5 };
#endif

/* Some meshes are so wide that their columns are shared out in several turns (machine/ranks/plane_part.c). */
enum {
    SIDE = 72,
    WIDE = 520,
    MOST_SIDE = WIDE + 20,
    MOST_CUTS = MOST_SIDE + 3,
    SLOTS = 2, /* of a packet at most */
    STREAM = 61
};

/* A run: what it is, and what came of it. */
struct plane_run {
    uint64_t seed;
    struct mesh mesh;
    uint32_t load, threads, buffer, asides; /* percent of nodes with a packet, with one set aside */
    bool is_traced;
    char *trace;
    size_t length;
    struct machine_counts counts[MOST_RANKS];
    bool is_whole[MOST_RANKS]; /* all packets have what they had at the start */
    uint64_t slots;            /* of all ranks that packets have in the end */
    uint32_t *rests;           /* [node][4]: the names of packets that rest there in the end */
};

/* Names are numbers of slots: those of node v are 2 SLOTS v and on, first the packet that is sorted, then the one that
 * is set aside. */
static uint32_t name_at(node_index node, bool is_aside)
{
    return 2 * SLOTS * node + (is_aside ? SLOTS : 0) + SLOTS - 1;
}

static uint32_t token(uint32_t name)
{
    return pcg32_at(99, STREAM, name);
}

/* Packets have different numbers of slots; the others of a name's SLOTS are no packet's. */
static uint32_t slots_of(uint32_t name)
{
    return 1 + token(name) / 64 % SLOTS;
}

/* ---- a program ---- */

/* What all ranks draw alike. */
struct drawing {
    struct pcg32 random;
    struct mesh mesh;
    struct lines lines;
    uint32_t cut[MOST_CUTS], band_cut[MOST_CUTS];
    uint8_t line_flag[MOST_SIDE];
    uint32_t target[2 * MOST_SIDE], pattern[MOST_SIDE];
};

static uint32_t draw(struct drawing *drawing, uint32_t below)
{
    return pcg32_below(&drawing->random, below);
}

static uint32_t side_of(const struct drawing *drawing, bool of_columns)
{
    return of_columns ? drawing->mesh.rows : drawing->mesh.cols;
}

/* Cuts lines anywhere, and where those of `outer`, which may be NULL, are cut; into parts of even numbers of
 * `unit` cells. */
static void draw_cuts(struct drawing *drawing, const struct lines *outer, uint32_t unit)
{
    uint32_t length = side_of(drawing, drawing->lines.are_columns), share = draw(drawing, 7);
    uint32_t segments = 0, start = 0;
    for (uint32_t at = 1; at <= length; at++) {
        bool is_outer = at == length;
        for (uint32_t s = 0; outer != NULL && s <= outer->segments; s++)
            is_outer |= outer->cut[s] == at;
        bool is_cut = draw(drawing, 24) < share && (at - start) % unit == 0;
        if (is_cut || is_outer)
            drawing->cut[++segments] = at;
        start = is_outer ? at : start;
    }
    drawing->cut[segments + 1] = length; /* an empty one */
    drawing->lines.segments = segments + draw(drawing, 2);
    drawing->lines.cut = drawing->cut;
}

static enum failure_kind compare(struct drawing *drawing, struct machine *machine,
                                 struct failure *failure)
{
    for (uint32_t i = 0; i < MOST_SIDE; i++)
        drawing->line_flag[i] = (uint8_t)draw(drawing, 2);
    struct compare compare = {.lines = drawing->lines,
                              .steps = draw(drawing, draw(drawing, 2) ? 4 : 60),
                              .line_flag = draw(drawing, 3) ? drawing->line_flag : NULL};
    return machine_compare(machine, &compare, failure);
}

static enum failure_kind permute(struct drawing *drawing, struct machine *machine,
                                 struct failure *failure)
{
    uint32_t length = side_of(drawing, drawing->lines.are_columns), longest = 0;
    bool repeats = length % 4 == 0 && drawing->lines.segments == 1 && draw(drawing, 2);
    struct permute permute = {.segments = drawing->lines.segments,
                              .cut = drawing->cut,
                              .patterns = 2,
                              .target = drawing->target,
                              .pattern = drawing->pattern};
    length = drawing->cut[permute.segments] = repeats ? length / 2 : length;
    for (uint32_t p = 0; p < permute.patterns; p++)
        for (uint32_t s = 0; s < permute.segments; s++) {
            uint32_t start = drawing->cut[s], count = drawing->cut[s + 1] - start;
            uint32_t *target = drawing->target + p * length + start;
            longest = count > longest ? count : longest;
            for (uint32_t x = 0; x < count; x++) {
                uint32_t other = draw(drawing, x + 1);
                target[x] = target[other];
                target[other] = start + x;
            }
        }
    for (uint32_t line = 0; line < MOST_SIDE; line++)
        drawing->pattern[line] = draw(drawing, 2);
    permute.steps = longest / 2 + draw(drawing, 2);
    return machine_permute(machine, &permute, failure);
}

static enum failure_kind snakes(struct drawing *drawing, struct machine *machine,
                                struct failure *failure)
{
    uint32_t lines = side_of(drawing, !drawing->lines.are_columns), bands = 0;
    drawing->band_cut[0] = 0;
    for (uint32_t line = 1; line <= lines; line++)
        if (line == lines || draw(drawing, 12) == 0)
            drawing->band_cut[++bands] = line;
    struct snakes snakes = {drawing->lines, bands, drawing->band_cut,
                            draw(drawing, draw(drawing, 2) ? 3 : 40)};
    return machine_compare_snakes(machine, &snakes, failure);
}

/* One instruction while lines are paired. */
static enum failure_kind act_paired(struct drawing *drawing, struct machine *machine,
                                    const struct lines *paired, bool is_even,
                                    struct failure *failure)
{
    uint32_t kind = draw(drawing, is_even ? 4 : 3);
    bool is_along = kind > 0;
    drawing->lines.are_columns = is_along == paired->are_columns;
    draw_cuts(drawing, is_along ? paired : NULL, kind >= 2 ? 2 : 1);
    switch (kind) {
    case 0:
    case 1:
        return compare(drawing, machine, failure);
    case 2:
        return permute(drawing, machine, failure);
    default:
        return snakes(drawing, machine, failure);
    }
}

static enum failure_kind pair_and_act(struct drawing *drawing, struct machine *machine,
                                      struct failure *failure)
{
    uint32_t cut[MOST_CUTS];
    drawing->lines.are_columns = draw(drawing, 3) == 0;
    bool is_even = side_of(drawing, drawing->lines.are_columns) % 2 == 0;
    draw_cuts(drawing, NULL, is_even ? 2 : 1);
    struct lines paired = drawing->lines;
    memcpy(cut, drawing->cut, sizeof cut);
    paired.cut = cut;
    enum failure_kind kind = machine_pair(machine, &paired, failure);
    for (uint32_t left = 1 + draw(drawing, 5); left > 0 && kind == FAIL_NONE; left--)
        kind = act_paired(drawing, machine, &paired, is_even, failure);
    if (kind == FAIL_NONE && draw(drawing, 4) > 0)
        kind = machine_unpair(machine, failure);
    return kind;
}

/* Opens a plane, works on it, and closes it. */
static enum failure_kind open_and_act(struct drawing *drawing, struct machine *machine,
                                      struct failure *failure)
{
    enum failure_kind kind = machine_open_plane(machine, NULL, NULL, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (draw(drawing, 4) > 0)
        kind = pair_and_act(drawing, machine, failure);
    machine_close_plane(machine, NULL);
    return kind;
}

/* ---- a run ---- */

/* The packets' field, and for set_aside. */
struct packets {
    const struct headers *header;
    uint32_t *field;
};

static bool stays(void *context, uint32_t packet)
{
    const struct packets *packets = context;
    return packet_name(packets->header, packet) / SLOTS % 2 == 1;
}

static bool is_there(const struct plane_run *run, node_index node, bool is_aside)
{
    uint32_t percent = is_aside ? run->asides : run->load;
    return pcg32_at(run->seed, STREAM + 1 + (uint64_t)is_aside, node) % 100 < percent;
}

static void inject(const struct plane_run *run, struct machine *machine, uint32_t *field)
{
    struct headers *header = machine_headers(machine);
    struct node_range own = machine_nodes(machine);
    uint32_t slot = 0;
    for (node_index node = own.first; node < own.end; node++)
        for (int aside = 0; aside < 2; aside++) {
            uint32_t last = slot + SLOTS - 1;
            for (uint32_t i = 0; i < SLOTS; i++, slot++) {
                uint32_t name = name_at(node, aside) + 1 + i - SLOTS;
                header_name_slot(header, slot, name);
                header->destination[slot] = token(name);
                header->packet[slot].message = name / SLOTS;
                field[slot] = ~token(name);
            }
            header->packet[last].first = last + 1 - slots_of(header->name[last]);
            header->packet[last].target = token(header->name[last]) % 40;
            header->packet[last].state = (uint8_t)token(header->name[last]);
            if (is_there(run, node, aside))
                machine_inject(machine, node, last);
        }
}

/* Notes what rests at the rank's nodes; whether all packets have what they had at the start. */
static bool note_rests(const struct plane_run *run, struct machine *machine, const uint32_t *field)
{
    const struct headers *header = machine_headers(machine);
    struct node_range own = machine_nodes(machine);
    bool whole = true;
    for (node_index node = own.first; node < own.end; node++) {
        uint32_t packet = machine_first_resting(machine, node), count = 0;
        for (; packet != MACHINE_NONE; packet = machine_next_resting(machine, packet)) {
            uint32_t name = packet_name(header, packet), first = header->packet[packet].first;
            whole &= first + slots_of(name) - 1 == packet &&
                     header->packet[packet].target == token(name) % 40 &&
                     header->packet[packet].state == (uint8_t)token(name);
            for (uint32_t slot = first; whole && slot <= packet; slot++)
                whole &= header->destination[slot] == token(name - (packet - slot)) &&
                         field[slot] == ~token(name - (packet - slot)) &&
                         header->packet[slot].message == name / SLOTS;
            if (count < 4)
                run->rests[4 * node + count++] = name;
        }
    }
    return whole;
}

/* Returns how many slots of this rank some packet still has. So many at once have no room between others, so they come
 * behind all. Of those that are not marked some have left with packets (pool.h): they are given out first. */
static uint64_t count_slots(struct machine *machine)
{
    const struct header *header = machine_headers(machine)->packet;
    uint32_t many = machine_config(machine)->slots;
    uint32_t behind = machine_take_slots(machine, 0, many) + 1 - many;
    uint8_t *is_marked = calloc(behind + 1, 1);
    uint64_t count = 0;
    for (uint32_t slot = 0; slot < behind; slot++) {
        is_marked[slot] = header[slot].is_gone;
        count += !header[slot].is_gone;
    }
    for (uint32_t slots = 1; slots <= SLOTS; slots++)
        for (;;) {
            uint32_t last = machine_take_slots(machine, 0, slots);
            if (last >= behind || is_marked[last])
                break;
            count -= slots;
        }
    free(is_marked);
    return count;
}

static enum failure_kind run_program(struct plane_run *run, struct machine *machine,
                                     struct failure *failure)
{
    struct drawing drawing = {.random = pcg32_seed(run->seed, STREAM), .mesh = run->mesh};
    uint32_t *field = machine_slot_field(machine, sizeof *field);
    struct packets packets = {machine_headers(machine), field};
    if (field == NULL)
        return fail_memory(failure, "the field");
    inject(run, machine, field);
    enum failure_kind kind = machine_end_injection(machine, failure);
    if (kind == FAIL_NONE)
        kind = machine_set_aside(machine, stays, &packets, failure);
    machine_begin_phase(machine, "test");
    for (int i = 0; i < 3 && kind == FAIL_NONE; i++) {
        kind = open_and_act(&drawing, machine, failure);
        for (node_index node = machine_nodes(machine).first; node < machine_nodes(machine).end;
             node++) /* a plane left paired cannot be opened again */
            if (machine_first_resting(machine, node) != MACHINE_NONE &&
                machine_next_resting(machine, machine_first_resting(machine, node)) != MACHINE_NONE)
                i = 3;
        uint64_t ends = i >= 3;
        if (kind == FAIL_NONE)
            kind = machine_add_up(machine, &ends, failure);
        i = ends > 0 ? 3 : i;
    }
    if (kind != FAIL_NONE)
        return kind;
    machine_take_back(machine);
    uint64_t lost = !note_rests(run, machine, field);
    kind = machine_add_up(machine, &lost, failure);
    struct ranks *ranks = machine_config(machine)->ranks;
    run->is_whole[ranks_rank(ranks)] = lost == 0;
    uint64_t slots = ranks_size(ranks) > 1 ? count_slots(machine) : machine_config(machine)->slots;
    if (kind == FAIL_NONE)
        kind = machine_add_up(machine, &slots, failure);
    if (ranks_rank(ranks) == 0)
        run->slots = slots;
    machine_end_field(machine, field);
    return kind == FAIL_NONE ? machine_finish_trace(machine, failure) : kind;
}

static enum failure_kind run_rank(void *context, struct ranks *ranks, struct failure *failure)
{
    struct plane_run *run = context;
    uint32_t rows = run->mesh.rows;
    uint32_t own = (ranks_rows(ranks, rows).end - ranks_rows(ranks, rows).first) * run->mesh.cols;
    struct machine_config config = {.mesh = run->mesh,
                                    .slots = 2 * SLOTS * mesh_nodes(run->mesh),
                                    .has_names = true,
                                    .ranks = ranks,
                                    .own_slots = 2 * SLOTS * own,
                                    .buffer = run->buffer,
                                    .threads = run->threads,
                                    .kernel = "test"};
    if (run->is_traced && ranks_rank(ranks) == 0)
        config.trace = open_memstream(&run->trace, &run->length);
    struct machine *machine = machine_create(&config, failure);
    enum failure_kind kind = machine == NULL ? FAIL_SYSTEM : run_program(run, machine, failure);
    if (machine != NULL)
        run->counts[ranks_rank(ranks)] = *machine_counts(machine);
    machine_free(machine);
    if (config.trace != NULL)
        fclose(config.trace);
    return kind;
}

/* ---- comparisons ---- */

static bool is_same(const struct machine_counts *a, const struct machine_counts *b)
{
    return a->steps == b->steps && a->packet_hops == b->packet_hops &&
           a->word_hops == b->word_hops && a->peak == b->peak && a->peak_node == b->peak_node &&
           a->peak_step == b->peak_step && strcmp(a->peak_phase, b->peak_phase) == 0;
}

static void check_ranks(const struct plane_run *alone, enum failure_kind kind, const char *text,
                        uint32_t ranks, uint32_t threads, bool is_traced)
{
    struct plane_run run = *alone;
    struct failure failure = {0};
    char what[100];
    size_t rests = 4 * (size_t)mesh_nodes(run.mesh);
    snprintf(what, sizeof what, "seed %u, %u x %u nodes, %u ranks of %u threads%s",
             (unsigned)run.seed, run.mesh.rows, run.mesh.cols, ranks, threads,
             is_traced ? ", traced" : "");
    run.threads = threads;
    run.is_traced = is_traced;
    run.rests = calloc(rests, sizeof *run.rests);
    enum failure_kind together = ranks_run_threads(ranks, run_rank, &run, &failure);
    ck_assert_msg(kind == together && strcmp(text, failure.text) == 0, "%s: \"%s\" is \"%s\"", what,
                  text, failure.text);
    if (is_traced)
        ck_assert_msg(strcmp(alone->trace, run.trace) == 0, "%s: another trace", what);
    for (uint32_t i = 0; i < ranks && kind == FAIL_NONE; i++)
        ck_assert_msg(is_same(&alone->counts[0], &run.counts[i]) && run.is_whole[i],
                      "%s: other counts, or a packet has lost something", what);
    if (kind == FAIL_NONE)
        ck_assert_msg(run.slots == alone->slots, "%s: %d slots more that packets have", what,
                      (int)(run.slots - alone->slots));
    if (kind == FAIL_NONE)
        ck_assert_msg(memcmp(alone->rests, run.rests, rests * sizeof *run.rests) == 0,
                      "%s: packets elsewhere", what);
    if (is_traced)
        free(run.trace);
    free(run.rests);
}

static void check_seed(uint64_t seed)
{
    struct pcg32 random = pcg32_seed(seed, STREAM + 3);
    struct mesh mesh = {MOST_RANKS + pcg32_below(&random, seed % 7 == 0 ? SIDE - 4 : 20),
                        1 + pcg32_below(&random, seed % 5 == 0 ? SIDE : 24)};
    if (seed % 12 == 5)
        mesh = (struct mesh){MOST_RANKS + pcg32_below(&random, 3),
                             WIDE + pcg32_below(&random, MOST_SIDE - WIDE + 1)};
    struct failure failure = {0};
    struct plane_run alone = {.seed = seed,
                              .mesh = mesh,
                              .load = pcg32_below(&random, 3) ? 100 : pcg32_below(&random, 100),
                              .threads = 1,
                              .buffer = pcg32_below(&random, 6) ? 0 : 1 + pcg32_below(&random, 3),
                              .asides = pcg32_below(&random, 3) ? 0 : 30,
                              .is_traced = true,
                              .rests = calloc(4 * mesh_nodes(mesh), sizeof *alone.rests)};
    enum failure_kind kind = run_rank(&alone, NULL, &failure);
    for (uint32_t ranks = 2; ranks <= MOST_RANKS; ranks++) {
        uint32_t way = pcg32_below(&random, 4);
        if (TEST_IS_SHORT && ranks % 2 == seed % 2)
            continue;
        check_ranks(&alone, kind, failure.text, ranks, 1 + way % 2, way < 2);
        if (!TEST_IS_SHORT)
            check_ranks(&alone, kind, failure.text, ranks, 2 - way % 2, way >= 2);
    }
    free(alone.trace);
    free(alone.rests);
}

/* so few that the threads of a test, which test_threads.c counts, are enough */
enum { SEEDS = 6, SHORT_PARTS = 6, LONG_PARTS = 20 };
/* On its wide mesh a snake turns from column to column: those beside a rank's own may not be shared out in turns. */
enum { TURNS = 77 };

START_TEST(programs)
{
    for (int i = 0; i < SEEDS; i++)
        check_seed((uint64_t)(_i * SEEDS + i));
    if (_i == 0)
        check_seed(TURNS);
}
END_TEST

Suite *ranks_planes_suite(void)
{
    Suite *suite = suite_create("ranks_planes");
    TCase *planes = tcase_create("planes");
    tcase_add_loop_test(planes, programs, 0, TEST_IS_SHORT ? SHORT_PARTS : LONG_PARTS);
    suite_add_tcase(suite, planes);
    return suite;
}
