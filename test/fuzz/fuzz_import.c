/* fuzz_import.c - libFuzzer's entry to the readers of matrices, graphs, hypergraphs, routes, traces
 * and partitions.
 *
 * Behind the head (test/fuzz/faults.h) a byte chooses: bit 0 the file's name (input.mtx or
 * input.txt), bits 1 and 2 the map, bit 3 whether the diagonal is dropped, bit 4 a side of 64
 * instead of the least, bit 5 whether the format is given (that of the name), bit 6 a name without
 * an end. With bit 7 a second byte follows: bits 0 and 1 the format (hgr, graph, routes, or another
 * file), bit 2 three items a node, bit 3 sixty experts, bit 4 experts in a block; bit 0 of the
 * first then counts for nothing. Bits 5 to 7 of routes: layer 1, a torus of 16 x 16 x 16 nodes in
 * the place of a side of 64, experts in a file that is not there. Of hgr and graph bits 5 to 7, if
 * not 0, are a format after routes instead, or 5: tt-npe, whose network bits 3 and 4 are, 6: an
 * edge list, 7: vertices from 0; bit 2 then makes edges go both ways, bits 3 and 4 are the header.
 * Of another file bits 2 and 3 say which: a partition of four items, populations, the second line
 * of counts of experts, or a matrix in memory: rows, columns, a choice as the first byte, bit 0
 * three items per node, then an entry of two bytes each; with bit 4 it is lines of nodes, with bit
 * 5 of which no node comes twice. The rest is the file, plain, compressed or archived. With
 * FUZZ_OWN a.mtx in it is asked for, weights are lengths, and messages are packed as the length of
 * the input says. Maps that need a table get a side of 64 always, so that a declared size of
 * millions, which is right, does not make the run slow. If 3 divides the input's length, shapes
 * that are not the least lack two nodes. Whatever is accepted must be a message set: sources, but
 * for those of messages with times, and destinations ascend and are nodes, no message is empty;
 * whatever is refused must leave no set and one printable line.
 */
#include "test/fuzz/faults.h"
#include "workloads/experts.h"
#include "workloads/import.h"
#include "workloads/import_formats.h"
#include "workloads/pattern_inputs.h"
#include "workloads/placement.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require_set(const struct message_set *set, const struct import_summary *summary,
                        bool may_repeat, bool is_packed)
{
    fuzz_require(shape_is_valid(&set->shape) && set->offset[0] == 0);
    uint32_t nodes = shape_nodes(&set->shape);
    fuzz_require(set->offset[set->messages] == set->deliveries);
    fuzz_require(is_packed || set->deliveries == summary->nonzeros);
    fuzz_require(summary->nonzeros <= 2 * summary->entries);
    for (uint32_t i = 0; i < set->messages; i++) {
        fuzz_require(set->length == NULL ||
                     (set->length[i] > 0 && set->length[i] <= MESSAGE_SET_MAX_LENGTH));
        fuzz_require(set->source[i] < nodes && set->offset[i] < set->offset[i + 1]);
        fuzz_require(i == 0 || summary->format >= IMPORT_TIMED ||
                     set->source[i - 1] < set->source[i] + may_repeat);
        for (uint64_t d = set->offset[i]; d < set->offset[i + 1]; d++) {
            fuzz_require(set->destination[d] < nodes);
            fuzz_require(d == set->offset[i] || set->destination[d - 1] < set->destination[d]);
        }
    }
}

/* Opens the file that is served, or the bytes. */
static enum failure_kind open_input(struct byte_source **source, const char *path,
                                    const uint8_t *data, size_t size, unsigned flags,
                                    struct failure *failure)
{
    return flags & FUZZ_FILE ? byte_source_open(source, path, failure)
                             : byte_source_open_memory(source, data, size, path, failure);
}

/* A partition of four items. */
static void read_partition(const uint8_t *data, size_t size, unsigned flags)
{
    enum { ITEMS = 4 };
    struct byte_source *source = NULL;
    struct failure failure = {0};
    const struct node_lines_format format = {.most = ITEMS, .is_partition = true};
    struct node_lines lines = {0};
    const char *path = fuzz_serve("input.part", data, size, flags);
    enum failure_kind kind = open_input(&source, path, data, size, flags, &failure);
    if (kind == FAIL_NONE)
        kind = node_lines_read_source(&lines, &format, source, path, &failure);
    bool has_struck = fuzz_end();
    if (kind != FAIL_NONE)
        fuzz_require_failure(kind, &failure, has_struck);
    fuzz_require((kind == FAIL_NONE) == (lines.node != NULL));
    for (int i = 0; i < ITEMS && lines.node != NULL; i++)
        fuzz_require(lines.node[i] <= lines.largest && lines.largest < MESH_MAX_NODES);
    node_lines_free(&lines);
}

static void read_populations(const uint8_t *data, size_t size, unsigned flags)
{
    struct population_table table = {0};
    struct failure failure = {0};
    const char *path = fuzz_serve("input.populations", data, size, flags);
    struct byte_source *source;
    enum failure_kind kind = open_input(&source, path, data, size, flags, &failure);
    if (kind == FAIL_NONE)
        kind = population_table_read(&table, source, &failure);
    bool has_struck = fuzz_end();
    uint64_t neurons = 0;
    if (kind != FAIL_NONE)
        fuzz_require_failure(kind, &failure, has_struck);
    fuzz_require((kind == FAIL_NONE) == (table.size != NULL && table.count > 0));
    for (uint32_t i = 0; i < table.count; i++)
        neurons += table.size[i];
    for (uint32_t i = 0; i < table.count * table.count; i++)
        fuzz_require(table.chance[i] >= 0 && table.chance[i] <= 1);
    fuzz_require(neurons == table.neurons && neurons <= MESH_MAX_NODES);
    population_table_free(&table);
}

/* The second line of counts. */
static void read_counts(const uint8_t *data, size_t size, unsigned flags)
{
    struct expert_load load = {0};
    struct failure failure = {0};
    uint64_t sum = 0;
    const char *path = fuzz_serve("input.counts", data, size, flags);
    struct byte_source *source;
    enum failure_kind kind = open_input(&source, path, data, size, flags, &failure);
    if (kind == FAIL_NONE)
        kind = expert_counts_read(&load, source, 2, &failure);
    bool has_struck = fuzz_end();
    if (kind != FAIL_NONE)
        fuzz_require_failure(kind, &failure, has_struck);
    fuzz_require((kind == FAIL_NONE) == (load.count != NULL));
    for (uint32_t i = 0; load.count != NULL && i < load.experts; i++)
        sum += load.count[i];
    fuzz_require(load.count == NULL || sum > 0);
    free(load.count);
}

/* Lines of nodes. */
static void read_nodes(const uint8_t *data, size_t size, unsigned flags, bool is_disjoint)
{
    const struct node_lines_format format = {
        .what = "expert", .most = 100, .is_disjoint = is_disjoint};
    struct node_lines lines = {0};
    struct failure failure = {0};
    struct byte_source *source;
    const char *path = fuzz_serve("input.nodes", data, size, flags);
    enum failure_kind kind = open_input(&source, path, data, size, flags, &failure);
    if (kind == FAIL_NONE)
        kind = node_lines_read_source(&lines, &format, source, path, &failure);
    struct shape shape = {TOPOLOGY_MESH, 2, {8, 8}};
    if (kind == FAIL_NONE)
        fuzz_require((node_lines_check(&lines, &shape, &failure) == FAIL_NONE) ==
                     (lines.largest < 64));
    bool has_struck = fuzz_end();
    if (kind != FAIL_NONE)
        fuzz_require_failure(kind, &failure, has_struck);
    fuzz_require((kind == FAIL_NONE) == (lines.node != NULL));
    for (uint32_t i = 0; i < lines.lines; i++)
        fuzz_require(lines.first[i] < lines.first[i + 1]);
    for (uint32_t i = 0; lines.node != NULL && i < lines.first[lines.lines]; i++)
        fuzz_require(lines.node[i] <= lines.largest);
    node_lines_free(&lines);
}

/* Chooses volumes: weights are flits, and some inputs give their bytes, which is refused. */
static struct volume_options choose_volume(size_t size)
{
    return (struct volume_options){
        .weights = WEIGHTS_FLITS, .pack = size % 3, .flit_bytes = size % 7 == 0 ? 8 : 0};
}

/* A matrix in memory; bit 4 of the choice: without weights. */
static void read_entries(const uint8_t *data, size_t size, unsigned flags)
{
    enum { HEAD = 3, MOST = 256 };
    uint32_t row[MOST], col[MOST], weight[MOST];
    if (size < HEAD)
        return;
    struct import_entries matrix = {.rows = data[0], .cols = data[1], .row = row, .col = col};
    struct import_options options = {.map = (enum import_map)(data[2] >> 1 & 3),
                                     .drop_diagonal = data[2] >> 3 & 1,
                                     .per_node = data[2] & 1 ? 3 : 0,
                                     .shape = shape_of_mesh((struct mesh){64, 64}),
                                     .seed = 1};
    for (size_t at = HEAD; at + 1 < size && matrix.entries < MOST; at += 2) {
        weight[matrix.entries] = (data[at] ^ data[at + 1]) & 7;
        row[matrix.entries] = data[at];
        col[matrix.entries++] = data[at + 1];
    }
    if (flags & FUZZ_OWN)
        options.volume = choose_volume(size);
    if (!(data[2] >> 4 & 1))
        matrix.weight = weight;
    struct message_set set;
    struct failure failure = {0};
    fuzz_serve("input", data, 0, flags);
    enum failure_kind kind = import_entries(&matrix, &options, &set, &failure);
    bool has_struck = fuzz_end();
    const struct import_summary summary = {.entries = matrix.entries, .nonzeros = set.deliveries};
    if (kind == FAIL_NONE)
        require_set(&set, &summary, true, options.volume.pack != PACK_NONE);
    else
        fuzz_require_failure(kind, &failure, has_struck);
    message_set_free(&set);
}

/* The name of a file of the second byte's format. */
static const char *choose_second(unsigned second, bool is_given, struct import_options *options)
{
    static const char *const NAMES[] = {"input.hgr", "input.graph", "input.jsonl"};
    static const enum import_format FORMATS[] = {IMPORT_HYPERGRAPH, IMPORT_GRAPH, IMPORT_ROUTES};
    static const struct {
        const char *name;
        enum import_format format;
    } LATER[] = {{"input.adj", IMPORT_ADJACENCY}, {"input.patoh", IMPORT_PATOH},
                 {"input.gr", IMPORT_DIMACS},     {"input.rb", IMPORT_RUTHERFORD_BOEING},
                 {"input.json", IMPORT_NPE},      {"input.csv", IMPORT_EDGE_LIST}};
    enum { ROUTES = 2 };
    unsigned later = (second & 3) == ROUTES ? 0 : second >> 5;
    options->format = IMPORT_BY_FILE;
    if (later == 5)
        options->reading.noc = (second >> 3 & 3) % 3;
    else if (later > 0 && later < 7) {
        options->reading.is_symmetric = second >> 2 & 1;
        options->reading.header = (enum import_header)((second >> 3 & 3) % 3);
    }
    if (later > 0 && later < 7) {
        if (is_given)
            options->format = LATER[later - 1].format;
        return LATER[later - 1].name;
    }
    options->reading.counts_from_zero = later == 7;
    options->reading.is_symmetric = later == 7 && second >> 3 & 1; /* refused */
    options->per_node = second >> 2 & 1 ? 3 : 0;
    options->experts = second >> 3 & 1 ? 60 : 0;
    if ((second & 3) == ROUTES) {
        options->place = second >> 7 ? "nowhere" : second >> 4 & 1 ? "block" : NULL;
        options->reading.has_layer = second >> 5 & 1;
        options->reading.layer = 1;
        if ((second >> 6 & 1) && options->shape.dimensions > 0)
            options->shape = (struct shape){TOPOLOGY_TORUS, 3, {16, 16, 16}};
    }
    if (is_given)
        options->format = FORMATS[second & 3];
    return NAMES[second & 3];
}

/* Reads the items to place: those of the file, or the nodes of a set. */
static void read_items(const char *name, const uint8_t *data, size_t size, unsigned flags,
                       const struct import_options *given)
{
    struct import_options options = *given;
    struct entry_list list = {0};
    struct node_lines experts = {0};
    struct import_summary summary;
    struct failure failure = {0};
    const char *path = fuzz_serve(name, data, size, flags);
    enum failure_kind kind = items_read(path, &options, &list, &experts, &summary, &failure);
    bool has_struck = fuzz_end();
    for (uint64_t i = 0; kind == FAIL_NONE && i < list.count; i++)
        fuzz_require(list.entry[i] >> 32 < list.cols && (uint32_t)list.entry[i] < list.rows);
    if (kind != FAIL_NONE)
        fuzz_require_failure(kind, &failure, has_struck);
    entry_list_free(&list);
    node_lines_free(&experts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned flags;
    if (!fuzz_begin(&data, &size, &flags) || size == 0)
        return 0;
    unsigned choice = *data, second = 0;
    if (choice >> 7 && size > 1) {
        data++;
        size--;
        second = *data;
        if ((second & 3) == 3 && (second >> 4 & 1)) {
            read_nodes(data + 1, size - 1, flags, second >> 5 & 1);
            return 0;
        }
        if ((second & 3) == 3) {
            void (*const readers[])(const uint8_t *, size_t, unsigned) = {
                read_partition, read_populations, read_counts, read_entries};
            readers[second >> 2 & 3](data + 1, size - 1, flags);
            return 0;
        }
    }
    const char *name = choice >> 6 & 1 ? "input" : choice & 1 ? "input.txt" : "input.mtx";
    struct import_options options = {
        .map = (enum import_map)(choice >> 1 & 3),
        .drop_diagonal = choice >> 3 & 1,
        .seed = 1,
    };
    bool table = options.map == IMPORT_HILBERT || options.map == IMPORT_RANDOM;
    if (table || (choice >> 4 & 1))
        options.shape = shape_of_mesh((struct mesh){64, 64});
    if (choice >> 5 & 1)
        options.format = choice & 1 ? IMPORT_EDGE_LIST : IMPORT_MATRIX_MARKET;
    if (choice >> 7)
        name = choose_second(second, choice >> 5 & 1, &options);
    if (flags & FUZZ_OWN)
        options.volume = choose_volume(size);

    static const char MISSING[] = "node 5\nnode 2080\n";
    struct topology broken = {0};
    struct message_set set = {0};
    struct byte_source *source;
    struct import_summary summary;
    struct failure failure = {0}, unbroken = {0};
    enum failure_kind kind;
    if (options.shape.dimensions > 0 && size % 3 == 0) {
        broken = topology_of_shape(&options.shape);
        if (topology_break_memory(&broken, MISSING, sizeof MISSING - 1, "missing", &unbroken) ==
            FAIL_NONE)
            options.broken = &broken;
    }
    const char *path = fuzz_serve(name, data + 1, size - 1, flags);
    char member[64];
    snprintf(member, sizeof member, "%s:a.mtx", name);
    if (flags & FUZZ_OWN && !(flags & FUZZ_STANDARD))
        path = member;
    if (flags & FUZZ_FILE)
        kind = import_matrix(path, &options, &set, &summary, &failure);
    else if ((kind = byte_source_open_memory(&source, data + 1, size - 1, name, &failure)) ==
             FAIL_NONE)
        kind = import_source(source, name, &options, &set, &summary, &failure);
    bool has_struck = fuzz_end();
    if (kind == FAIL_NONE) {
        require_set(&set, &summary, choice >> 7 || set.length != NULL,
                    options.volume.pack != PACK_NONE);
    } else {
        fuzz_require_failure(kind, &failure, has_struck);
        fuzz_require(set.source == NULL && set.offset == NULL && set.destination == NULL);
    }
    message_set_free(&set);
    read_items(name, data + 1, size - 1, flags, &options);
    topology_free(&broken);
    return 0;
}
