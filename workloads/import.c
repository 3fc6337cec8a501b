/* import.c - from a matrix file to the message set of y = A x.
 *
 * Method: the reader of the file's format leaves a list of entries (column, row); each becomes one
 * word, the column's owner in its upper bits and the row's owner in its lower ones; the words are
 * sorted and repeats removed. What is left is the set: sources ascend, destinations ascend within
 * each, columns without an entry do not occur.
 * Format: if none is asked for, a file that begins with the banner %%MatrixMarket is Matrix Market;
 * others go by their names, with or without .gz. What neither tells (standard input without a banner)
 * is refused: a matrix that has lost its banner is an edge list to look at, and another matrix.
 * Invariant: the mesh and every count is checked before it sizes anything; memory follows the
 * entries that were read (and the mesh, for a random map).
 * Cost: reading, plus a sort of 8-byte words: about 16 bytes an entry at the peak, 4 in the set.
 */
#include "workloads/import.h"

#include "base/byte_source.h"
#include "base/line_scan.h"
#include "workloads/edge_list.h"
#include "workloads/entry_list.h"
#include "workloads/matrix_market.h"
#include "workloads/node_order.h"
#include "workloads/radix_sort.h"

#include <string.h>
#include <strings.h>

typedef enum failure_kind format_reader(struct byte_source *source, struct entry_list *list,
                                        struct failure *failure);

/* Formats that are told by the end of the file's name, behind which .gz may stand. */
static const struct format {
    const char *suffix;
    format_reader *read;
} FORMATS[] = {
    {".txt", edge_list_read}, {".el", edge_list_read},      {".edges", edge_list_read},
    {".tsv", edge_list_read}, {".mtx", matrix_market_read},
};

bool import_map_find(const char *name, enum import_map *map)
{
    return node_order_find(name, map);
}

/* NULL: the name does not tell. */
static format_reader *reader_by_name(const char *path)
{
    size_t length = strlen(path);
    if (length >= 3 && strcasecmp(path + length - 3, ".gz") == 0)
        length -= 3;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        size_t suffix = strlen(FORMATS[i].suffix);
        if (length >= suffix && strncasecmp(path + length - suffix, FORMATS[i].suffix, suffix) == 0)
            return FORMATS[i].read;
    }
    return NULL;
}

/* Fails: the first line is not what it should be. */
static enum failure_kind fail_at_first(struct byte_source *source, const char *expected,
                                       struct failure *failure)
{
    struct byte_line line;
    enum failure_kind kind = byte_source_line(source, &line, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (line.text == NULL)
        return fail(failure, FAIL_INPUT, "%s:1: expected %s, found an empty file", line.name,
                    expected);
    return scan_expected(&line, line.text, expected, failure);
}

static enum failure_kind read_entries(struct byte_source *source, const char *path,
                                      enum import_format format, struct entry_list *list,
                                      struct failure *failure)
{
    int banner, set;
    enum failure_kind kind = byte_source_begins(source, MATRIX_MARKET_BANNER, &banner, failure);
    if (kind == FAIL_NONE)
        kind = byte_source_begins(source, "mcast", &set, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (set)
        return fail_at_first(source,
                             "a matrix or a graph (a message set is the result of an import, and "
                             "needs none)",
                             failure);
    if (format == IMPORT_EDGE_LIST && banner)
        return fail_at_first(source, "an edge list (this is " MATRIX_MARKET_BANNER ")", failure);
    format_reader *read = format == IMPORT_EDGE_LIST                 ? edge_list_read
                          : format == IMPORT_MATRIX_MARKET || banner ? matrix_market_read
                                                                     : reader_by_name(path);
    if (read == NULL)
        return fail_at_first(
            source, "the banner " MATRIX_MARKET_BANNER " (an edge list needs --format edges)",
            failure);
    return read(source, list, failure);
}

/* The least side whose square holds `indices`. */
static uint32_t least_side(uint32_t indices)
{
    uint32_t side = 1;
    while (side * side < indices)
        side++;
    return side;
}

static enum failure_kind choose_mesh(const struct import_options *options, uint32_t indices,
                                     struct mesh *mesh, struct failure *failure)
{
    uint32_t least = least_side(indices);
    uint32_t side = options->side > 0 ? options->side : least;
    if (side < least)
        return fail(failure, FAIL_USAGE,
                    "a mesh of side %lu is too small for %lu indices: the side must be at least "
                    "%lu",
                    (unsigned long)side, (unsigned long)indices, (unsigned long)least);
    if (!mesh_is_valid(side, side))
        return fail(failure, FAIL_USAGE, "a square mesh has a side of at most %lu, not %lu",
                    (unsigned long)least_side(MESH_MAX_NODES), (unsigned long)side);
    *mesh = (struct mesh){side, side};
    return FAIL_NONE;
}

/* The number of bits that every node index of the mesh fits into. */
static unsigned node_bits(struct mesh mesh)
{
    unsigned bits = 1;
    while ((mesh_nodes(mesh) - 1) >> bits != 0)
        bits++;
    return bits;
}

/* Turns entries into words of source and destination, in place, without the diagonal if it is to
 * be dropped; sorts them and removes repeats. */
static enum failure_kind map_entries(const struct import_options *options, struct mesh mesh,
                                     struct entry_list *list, struct failure *failure)
{
    uint32_t indices = list->rows > list->cols ? list->rows : list->cols;
    struct node_order order;
    enum failure_kind kind =
        node_order_make(&order, options->map, mesh.cols, indices, options->seed, failure);
    if (kind != FAIL_NONE)
        return kind;
    unsigned bits = node_bits(mesh);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t col = entry_col(list->entry[i]), row = entry_row(list->entry[i]);
        if (col == row && options->drop_diagonal)
            continue;
        list->entry[kept++] =
            (uint64_t)node_order_at(&order, col) << bits | node_order_at(&order, row);
    }
    list->count = kept;
    node_order_free(&order);
    if (!radix_sort_distinct(list->entry, &list->count))
        return fail_memory(failure, "sorting the entries of a matrix");
    return FAIL_NONE;
}

/* Cuts the sorted words into messages. */
static enum failure_kind make_set(struct mesh mesh, const uint64_t *word, size_t words,
                                  struct message_set *set, struct failure *failure)
{
    unsigned bits = node_bits(mesh);
    if (words >= UINT32_MAX)
        return fail(failure, FAIL_INPUT,
                    "a message set has fewer than 2^32 - 1 deliveries, the matrix has %llu entries",
                    (unsigned long long)words);
    uint32_t messages = 0;
    for (size_t i = 0; i < words; i++)
        messages += i == 0 || word[i] >> bits != word[i - 1] >> bits;
    enum failure_kind kind =
        message_set_allocate(set, shape_of_mesh(mesh), messages, words, failure);
    if (kind != FAIL_NONE)
        return kind;
    uint32_t message = 0;
    for (size_t i = 0; i < words; i++) {
        if (i == 0 || word[i] >> bits != word[i - 1] >> bits) {
            set->offset[message] = i;
            set->source[message++] = (node_index)(word[i] >> bits);
        }
        set->destination[i] = (node_index)(word[i] & ((UINT64_C(1) << bits) - 1));
    }
    return FAIL_NONE;
}

/* Everything behind the opening; closes the source. */
static enum failure_kind import_source(struct byte_source *source, const char *name,
                                       const struct import_options *options,
                                       struct message_set *set, struct import_summary *summary,
                                       struct failure *failure)
{
    /* half, because sorting makes a copy */
    struct entry_list list = {.limit = options->limit / 2};
    struct mesh mesh = {0};
    enum failure_kind kind = read_entries(source, name, options->format, &list, failure);
    byte_source_close(source);
    if (kind == FAIL_NONE)
        kind = choose_mesh(options, list.rows > list.cols ? list.rows : list.cols, &mesh, failure);
    if (kind == FAIL_NONE)
        kind = map_entries(options, mesh, &list, failure);
    if (kind == FAIL_NONE)
        kind = make_set(mesh, list.entry, list.count, set, failure);
    if (kind == FAIL_NONE && summary != NULL)
        *summary = (struct import_summary){.rows = list.rows,
                                           .cols = list.cols,
                                           .entries = list.stored,
                                           .nonzeros = list.count,
                                           .first_id = list.first_id,
                                           .last_id = list.last_id};
    entry_list_free(&list);
    return kind;
}

enum failure_kind import_matrix(const char *path, const struct import_options *options,
                                struct message_set *set, struct import_summary *summary,
                                struct failure *failure)
{
    *set = (struct message_set){0};
    struct byte_source *source;
    enum failure_kind kind = byte_source_open(&source, path, failure);
    if (kind != FAIL_NONE)
        return kind;
    return import_source(source, path, options, set, summary, failure);
}

enum failure_kind import_memory(const void *bytes, size_t length, const char *name,
                                const struct import_options *options, struct message_set *set,
                                struct import_summary *summary, struct failure *failure)
{
    *set = (struct message_set){0};
    struct byte_source *source;
    enum failure_kind kind = byte_source_open_memory(&source, bytes, length, name, failure);
    if (kind != FAIL_NONE)
        return kind;
    return import_source(source, name, options, set, summary, failure);
}
