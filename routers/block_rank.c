/* block_rank.c - Step 4(a).i and Step 2(a): ranks select the masters that send copies to a block.
 *
 * The t-migration of Section 2.2 without its sorts: prefix sums along the tile's snake, one for
 * each of its b blocks, give each master its rank among those with destinations in the block. Ranks
 * below r A are selected, A the block's number of nodes and r the run's instances; rank q belongs
 * to node q mod A of the block's snake, so every node gets at most r copies: what the paper reaches
 * by r migrations with sorts, and a packet is selected once for a block by construction.
 *   A word holds the counts of four blocks, 16 bits each, so a visit takes b / 4 pipelined prefixes. Counts
 * stop at 65535: where r A is more, so many are selected, which is all in tiles of up to 65535 masters.
 *   A node keeps the words of its masters in a list, for this visit: no more of them than the slots
 * of destinations that they have here. Most words that pass find none (prefix_sparse.c).
 *
 * Steps, in tiles of side s with b = s blocks: 2 s + s / 4.
 * Source: Section 2.2, the t-migration, Step 1; Sections 4 and 5, the selection.
 * Cost: 4 bytes a destination slot and 24 a word that a node puts in, beside the machine's.
 */
#include "routers/random_rank.h"

#include "base/parallel.h"
#include "machine/fetch.h"
#include "machine/pool.h"
#include "primitives/prefix_lanes.h"

#include <stdlib.h>
#include <string.h>

/* ---- blocks ---- */

/* The number of the place's block among the blocks of its tile. */
static uint32_t block_number(const struct random_run *run, node_place place)
{
    return tessellation_block(&run->tiles, &run->blocks, place_row(place), place_col(place));
}

/* Ranks follow the masters' snake, so that copies of one row have much the same rank in every
 * block. If each block begins at another of its nodes, they do not all go to the same few columns.
 */
static uint32_t stagger(const struct random_run *run, node_place place, uint32_t area)
{
    const uint32_t golden = 0x9e3779b1; /* multiples of the golden ratio lie evenly modulo 1 */
    return (uint32_t)((uint64_t)(block_number(run, place) * golden) * area >> 32);
}

/* The node of rank `rank` in the block of `place`; MACHINE_NO_PLACE: not selected. */
static node_place place_of_rank(const struct random_run *run, node_place place, uint32_t rank)
{
    struct interval rows = axis_interval_at(&run->blocks.row, place_row(place));
    struct interval cols = axis_interval_at(&run->blocks.col, place_col(place));
    uint32_t area = interval_length(rows) * interval_length(cols);
    if (rank == PREFIX_LANE_MOST || rank / area >= run->instances)
        return MACHINE_NO_PLACE;
    return snake_place(rows, cols, (rank + stagger(run, place, area)) % area);
}

/* ---- before the prefixes: what each node puts in ---- */

static int compare_entries(const void *a, const void *b)
{
    const struct rank_entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->destination > y->destination) - (x->destination < y->destination);
}

void rank_sort_entries(struct rank_entry *entry, uint32_t count)
{
    enum { SHORT = 24 };
    if (count > SHORT) {
        qsort(entry, count, sizeof *entry, compare_entries);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct rank_entry moving = entry[i];
        uint32_t j = i;
        for (; j > 0 && compare_entries(&entry[j - 1], &moving) > 0; j--)
            entry[j] = entry[j - 1];
        entry[j] = moving;
    }
}

static void order_by_blocks(struct rank_work *work, uint32_t first, uint32_t count)
{
    node_place *destination = work->run->header->destination + first;
    if (count == 1)
        return;
    for (uint32_t i = 0; i < count; i++) {
        work->entry[i].destination = destination[i];
        work->entry[i].key = block_number(work->run, destination[i]);
    }
    rank_sort_entries(work->entry, count);
    for (uint32_t i = 0; i < count; i++)
        destination[i] = work->entry[i].destination;
}

/* The list of `count`, with room for one more; NULL: no memory, and the list is as it was. */
static void *with_room(void *list, uint32_t count, uint32_t *room, size_t size)
{
    enum { LEAST = 256 };
    if (count < *room)
        return list;
    uint32_t more = *room < LEAST ? LEAST : *room / 2 * 3;
    void *longer = memory_resize(list, more, size);
    if (longer != NULL)
        *room = more;
    return longer;
}

/* The node's word `item`, which is made if it has none; NULL: no memory. */
static struct prefix_entry *word_of(struct rank_work *work, node_index node, uint32_t item)
{
    struct rank_words *words = work->words;
    for (uint32_t i = work->first; i < words->count; i++)
        if (words->word[i].item == item)
            return &words->word[i];
    struct prefix_entry *word = with_room(words->word, words->count, &words->room, sizeof *word);
    if (word == NULL)
        return NULL;
    words->word = word;
    word[words->count] = (struct prefix_entry){.node = node, .item = item};
    return &word[words->count++];
}

/* The end of the slots of one word, from its first slot on; *sum: one for each of their blocks. */
static uint32_t word_end(const struct random_run *run, uint32_t slot, uint32_t end, uint64_t *sum)
{
    uint32_t before = UINT32_MAX, first = block_number(run, run->header->destination[slot]);
    for (*sum = 0; slot < end; slot++) {
        uint32_t block = block_number(run, run->header->destination[slot]);
        if (block / PREFIX_LANES != first / PREFIX_LANES)
            break;
        *sum += block != before ? prefix_one_in_lane(block) : 0;
        before = block;
    }
    return slot;
}

/* The master is noted, and adds what it wants to the node's words. False: no memory. */
static bool count_master(struct rank_work *work, struct site site, uint32_t packet)
{
    struct random_run *run = work->run;
    struct rank_words *words = work->words;
    uint32_t count = random_find_slots(run, site, packet),
             first = run->header->packet[packet].first;
    if (count == 0)
        return true;
    struct rank_master *master =
        with_room(words->master, words->masters, &words->master_room, sizeof *master);
    if (master == NULL)
        return false;
    words->master = master;
    master[words->masters++] = (struct rank_master){site.index, packet, count};
    order_by_blocks(work, first, count);
    for (uint32_t slot = first; slot < first + count;) {
        uint64_t sum;
        uint32_t item = block_number(run, run->header->destination[slot]) / PREFIX_LANES;
        struct prefix_entry *word = word_of(work, site.index, item);
        if (word == NULL)
            return false;
        slot = word_end(run, slot, first + count, &sum);
        word->value += sum;
    }
    return true;
}

/* ---- after the prefixes: selection ---- */

/* Each slot of the master gets its copy's node, from the ranks in the node's words. */
static void place_master(struct rank_work *work, const struct rank_master *master,
                         struct prefix_entry *of_node)
{
    struct random_run *run = work->run;
    const node_place *destination = run->header->destination;
    uint32_t slot = run->header->packet[master->packet].first, end = slot + master->count;
    while (slot < end) {
        uint64_t sum;
        uint32_t item = block_number(run, destination[slot]) / PREFIX_LANES;
        uint32_t next = word_end(run, slot, end, &sum);
        struct prefix_entry *word = of_node;
        while (word->item != item)
            word++;
        uint64_t ranks = word->value;
        for (; slot < next; slot++)
            work->ranking->place[slot] =
                place_of_rank(run, destination[slot],
                              prefix_lane_of(ranks, block_number(run, destination[slot])));
        word->value = prefix_lanes_sum.combine(ranks, sum);
    }
}

/* Slots that are not selected go to the end of the master's range. Returns how many are. */
static uint32_t keep_selected(struct rank_work *work, uint32_t packet, uint32_t count)
{
    struct headers *header = work->run->header;
    uint32_t first = header->packet[packet].first, selected = 0, left = 0;
    for (uint32_t i = 0; i < count; i++) {
        node_place place = work->ranking->place[first + i];
        if (place == MACHINE_NO_PLACE) {
            work->entry[left++].destination = header->destination[first + i];
            continue;
        }
        work->ranking->place[first + selected] = place;
        header->destination[first + selected++] = header->destination[first + i];
    }
    work->is_whole = left == 0;
    if (work->is_whole)
        return selected;
    memmove(header->destination + first + selected, header->destination + first + count,
            (packet + 1 - first - count) * sizeof *header->destination);
    for (uint32_t i = 0; i < left; i++) {
        header->destination[packet + 1 - left + i] = work->entry[i].destination;
        work->ranking->place[packet + 1 - left + i] = MACHINE_NO_PLACE;
    }
    return selected;
}

/* ---- all masters ---- */

enum { NEAR = 8, FAR = 16 }; /* how many nodes or masters ahead */

static void fetch_slots(const struct rank_work *work, uint32_t packet)
{
    const struct headers *header = work->run->header;
    fetch_has_effect();
    __builtin_prefetch(&header->destination[header->packet[packet].first], 1);
}

/* Headers lie far apart: those of nodes to come are fetched in time. */
static void fetch_ahead(const struct rank_work *work, node_index node, node_index end)
{
    const struct machine *machine = work->run->machine;
    if (node + FAR < end)
        machine_fetch_resting(machine, node + FAR);
    uint32_t packet =
        node + NEAR < end ? machine_first_resting(machine, node + NEAR) : MACHINE_NONE;
    if (packet != MACHINE_NONE)
        fetch_slots(work, packet);
}

static struct rank_work work_of(struct random_run *run, const struct team *team)
{
    struct ranking *ranking = run->own;
    return (struct rank_work){.run = run,
                              .ranking = ranking,
                              .entry = ranking->entry + (size_t)team->rank * ranking->most,
                              .words = &ranking->words[team->rank]};
}

/* False: no memory. */
static bool count_node(struct rank_work *work, node_index node)
{
    struct machine *machine = work->run->machine;
    work->first = work->words->count;
    for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
         packet = machine_next_resting(machine, packet))
        if (!count_master(work, machine_site(machine, node), packet))
            return false;
    return true;
}

/* The words of a band of rows, and then where each row's begin. */
static void count_band(void *context, const struct team *team)
{
    struct rank_work work = work_of(context, team);
    struct mesh mesh = work.run->routing->set->mesh;
    struct prefix_row *rows = work.ranking->row;
    struct row_range own = machine_rows(work.run->machine);
    uint32_t first = own.first + parallel_band_start(own.end - own.first, team->rank, team->size);
    uint32_t last =
        own.first + parallel_band_start(own.end - own.first, team->rank + 1, team->size);
    node_index node = first * mesh.cols, end = last * mesh.cols;
    for (uint32_t row = first; row < last; row++) {
        uint32_t before = work.words->count;
        for (; node < (row + 1) * mesh.cols && !work.words->is_lost; node++) {
            fetch_ahead(&work, node, end);
            work.words->is_lost = !count_node(&work, node);
        }
        rows[row].count = work.words->count - before;
    }
    struct prefix_entry *word = work.words->word;
    for (uint32_t row = first; row < last; word += rows[row++].count)
        rows[row].entry = word;
}

/* The selected slots of each master come first. */
static void select_masters(struct rank_work *work, const struct rank_words *words)
{
    struct prefix_entry *of_node = words->word;
    for (uint32_t i = 0; i < words->masters; i++) {
        const struct rank_master *master = &words->master[i];
        if (i + FAR < words->masters)
            __builtin_prefetch(&work->run->header->packet[words->master[i + FAR].packet]);
        if (i + NEAR < words->masters) {
            uint32_t packet = words->master[i + NEAR].packet;
            fetch_slots(work, packet);
            __builtin_prefetch(&work->ranking->place[work->run->header->packet[packet].first], 1);
        }
        while (of_node->node != master->node)
            of_node++;
        place_master(work, master, of_node);
        uint32_t count = keep_selected(work, master->packet, master->count);
        if (count > 0 && work->ranking->start != NULL)
            work->ranking->start(work, machine_site(work->run->machine, master->node),
                                 master->packet, count);
    }
}

static void select_band(void *context, const struct team *team)
{
    struct rank_work work = work_of(context, team);
    for (uint32_t i = team->rank; i < work.ranking->threads; i += team->size)
        select_masters(&work, &work.ranking->words[i]);
}

enum failure_kind rank_select(struct random_run *run, struct failure *failure)
{
    struct ranking *ranking = run->own;
    uint32_t threads = ranking->threads;
    for (uint32_t i = 0; i < threads; i++)
        ranking->words[i].count = ranking->words[i].masters = 0;
    parallel_run(run->routing->result->threads, count_band, run);
    for (uint32_t i = 0; i < threads; i++)
        if (ranking->words[i].is_lost)
            return fail_memory(failure, "the ranks");
    struct prefix_list list = {.operation = &prefix_lanes_sum,
                               .count = (run->block_count + PREFIX_LANES - 1) / PREFIX_LANES,
                               .row = ranking->row};
    enum failure_kind kind = prefix_sparse(run->machine, &run->tiles, &list, failure);
    if (kind == FAIL_NONE)
        parallel_run(run->routing->result->threads, select_band, run);
    return kind;
}

/* ---- life ---- */

enum failure_kind rank_make(struct random_run *run, struct failure *failure)
{
    uint32_t threads = run->routing->result->threads;
    uint32_t area = run->cycle.height * run->cycle.width, degree = run->routing->degree;
    struct ranking *ranking = run->own = memory_allocate(1, sizeof *ranking);
    if (ranking == NULL)
        return fail_memory(failure, "the ranks");
    ranking->most = degree < area ? degree : area;
    ranking->place = machine_slot_field(run->machine, sizeof *ranking->place);
    ranking->threads = threads;
    ranking->words = memory_allocate(threads, sizeof *ranking->words);
    ranking->row = memory_allocate(run->routing->set->mesh.rows, sizeof *ranking->row);
    ranking->entry = memory_allocate((size_t)threads * ranking->most, sizeof *ranking->entry);
    if (!ranking->place || !ranking->words || !ranking->row || !ranking->entry)
        return fail_memory(failure, "the ranks");
    return FAIL_NONE;
}

void rank_free(struct random_run *run)
{
    struct ranking *ranking = run->own;
    if (ranking == NULL)
        return;
    for (uint32_t i = 0; ranking->words != NULL && i < ranking->threads; i++) {
        free(ranking->words[i].word);
        free(ranking->words[i].master);
    }
    machine_end_field(run->machine, ranking->place);
    free(ranking->words);
    free(ranking->row);
    free(ranking->entry);
    free(ranking);
    run->own = NULL;
}
