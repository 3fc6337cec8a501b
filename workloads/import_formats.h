/* import_formats.h - the readers of files' formats, and the list of entries that each makes: one
 * table for `import`.
 *
 * A column is a message and its rows are its destinations: items, which nodes own (rows and columns
 * of a matrix, vertices), or experts. The item that sends column j is j itself, or source[j] if the
 * format has sources. Repeats are allowed. Symmetric files are already expanded.
 */
#ifndef MESHCAST_WORKLOADS_IMPORT_FORMATS_H
#define MESHCAST_WORKLOADS_IMPORT_FORMATS_H

#include "base/text_scan.h"
#include "workloads/import.h"

#include <stdlib.h>

/* A square mesh must have a node for every index. */
enum { ENTRY_MAX_SIDE = MESH_MAX_NODES };

struct entry_list {
    uint32_t rows, cols; /* of the matrix, 1 .. ENTRY_MAX_SIDE */
    uint32_t items;      /* owned by nodes; 0: the larger of rows and cols */
    bool is_to_experts;  /* rows are experts; before reading, their number may be in `rows` */
    uint64_t lines;      /* of routes, that are not blank */
    uint64_t first_id, last_id; /* the ids of indices 0 and rows - 1 in the file */
    uint64_t stored;            /* entries in the file, including repeats, without mirror images */
    size_t count, capacity;
    uint64_t weights;     /* weights in the file, which are left out */
    uint32_t most_weight; /* the largest weight that is allowed; 0: weights are left out */
    uint32_t next_weight; /* weight of the entries that are added next */
    uint32_t *weight;     /* [count], unless they are left out */
    uint32_t *source;     /* [cols], the item that sends each column; NULL: its own number */
    size_t source_room;
    uint64_t *entry;               /* [count], column << 32 | row, both from 0 */
    struct import_reading reading; /* set before reading */
    struct import_notes notes;
};

static inline uint64_t entry_pack(uint32_t col, uint32_t row)
{
    return (uint64_t)col << 32 | row;
}

static inline uint32_t entry_col(uint64_t entry)
{
    return (uint32_t)(entry >> 32);
}

static inline uint32_t entry_row(uint64_t entry)
{
    return (uint32_t)entry;
}

/* Makes room for one more entry. Memory depends on the content, not on a declared size. False: no
 * memory. */
bool entry_list_grow(struct entry_list *list);

/* Adds an entry, with the weight that was read last. False as above. */
static inline bool entry_list_add(struct entry_list *list, uint64_t entry)
{
    if (list->count == list->capacity && !entry_list_grow(list))
        return false;
    if (list->weight != NULL)
        list->weight[list->count] = list->next_weight;
    list->entry[list->count++] = entry;
    return true;
}

/* Adds an entry that the file stores, and its mirror image if asked for and not the same.
 * FAIL_SYSTEM: no memory for `purpose`. */
static inline enum failure_kind entry_list_store(struct entry_list *list, uint32_t col,
                                                 uint32_t row, bool is_mirrored,
                                                 const char *purpose, struct failure *failure)
{
    if (!entry_list_add(list, entry_pack(col, row)) ||
        (is_mirrored && col != row && !entry_list_add(list, entry_pack(row, col))))
        return fail_memory(failure, purpose);
    list->stored++;
    return FAIL_NONE;
}

/* Sets the sender of column `col` to `item`; columns ascend from call to call. False as above. */
bool entry_list_set_source(struct entry_list *list, uint32_t col, uint32_t item);

/* Returns how many items nodes own. */
static inline uint32_t entry_list_items(const struct entry_list *list)
{
    return list->items > 0 ? list->items : list->rows > list->cols ? list->rows : list->cols;
}

/* The item that sends the column. */
static inline uint32_t entry_list_sender(const struct entry_list *list, uint32_t col)
{
    return list->source != NULL ? list->source[col] : col;
}

/* Reads a weight, which is counted and left out. */
enum failure_kind entry_list_skip_weight(struct entry_list *list, struct text_scan *scan);

/* Reads the weight of the entries that are added next, a positive integer; without most_weight,
 * skips it as above. */
enum failure_kind entry_list_read_weight(struct entry_list *list, struct text_scan *scan);

/* Does the same for one that must be at `at` in a line; for lists that keep weights. */
enum failure_kind entry_list_scan_weight(struct entry_list *list, const struct byte_line *line,
                                         const char **at, struct failure *failure);

/* Sets the weight of the entries that are added next to `weight`, which is at `at` in a line.
 * FAIL_INPUT: it is not allowed. */
enum failure_kind entry_list_set_weight(struct entry_list *list, uint64_t weight,
                                        const struct byte_line *line, const char *at,
                                        struct failure *failure);

/* Fails at a vertex 0 of a file whose vertices count from 1, unless --base says otherwise. */
enum failure_kind entry_list_zero_found(const struct entry_list *list, struct text_scan *scan,
                                        const char *what);

/* Reads the vertex that must be here, without blanks before it. */
static inline enum failure_kind entry_list_read_vertex(const struct entry_list *list,
                                                       struct text_scan *scan, const char *what,
                                                       uint32_t *vertex)
{
    uint32_t base = !list->reading.counts_from_zero;
    *vertex = 0;
    if (base == 1 && *scan->at == '0')
        return entry_list_zero_found(list, scan, what);
    uint64_t number = 0;
    char end;
    enum failure_kind kind =
        text_scan_number_part(scan, what, base, list->rows - 1 + base, "", &number, &end);
    *vertex = (uint32_t)number - base;
    return kind;
}

/* Frees the arrays and clears the list; a zeroed list is fine. */
static inline void entry_list_free(struct entry_list *list)
{
    free(list->entry);
    free(list->source);
    free(list->weight);
    *list = (struct entry_list){0};
}

/* ---- readers ---- */

/* Reads the whole of `source` into the empty `list`, by list->reading. FAIL_INPUT names the file,
 * the line and what was expected. FAIL_USAGE: the file does not fit the options. On failure the
 * list may hold a part; the caller frees it anyway. */
typedef enum failure_kind format_reader(struct byte_source *source, struct entry_list *list,
                                        struct failure *failure);

/* reader                  format                             column              rows
 * matrix_market_read      Matrix Market, coordinates         column              rows with an entry
 * rutherford_boeing_read  Rutherford-Boeing, Harwell-Boeing  column              rows with an entry
 * edge_list_read          an edge `u v` per line             id u                ids v
 * adjacency_list_read     a vertex `u v w ..` per line       id u                the other ids
 * metis_graph_read        METIS                              vertex              its neighbours
 * dimacs_read             DIMACS's challenges                vertex              its neighbours
 * hypergraph_read         hMETIS                             hyperedge           all but the first
 * patoh_read              PaToH                              hyperedge           all but the first
 * expert_routes_read      JSON lines of routes               token of one layer  its experts
 *
 * Ids that are numbers are compacted in ascending order; the first vertex of a hyperedge sends; the
 * number of experts may be in list->rows. */
format_reader matrix_market_read, rutherford_boeing_read, edge_list_read, adjacency_list_read,
    metis_graph_read, dimacs_read, hypergraph_read, patoh_read, expert_routes_read;

/* Reads the entries of any file that import reads, and the nodes of experts if the options name a
 * file of them; or of a message set: its nodes are the items, its messages the columns, without
 * times. If the options have no shape they get the set's. Fails as import_matrix(); the caller
 * frees the list and the nodes in any case. */
enum failure_kind items_read(const char *path, struct import_options *options,
                             struct entry_list *list, struct node_lines *experts,
                             struct import_summary *summary, struct failure *failure);

/* The word that begins every Matrix Market file. */
#define MATRIX_MARKET_BANNER "%%MatrixMarket"

/* True if the line is one of DIMACS that names a file's problem: "p sp", "p edge", .. */
bool dimacs_begins(const struct byte_line *line);

/* Adds a note; drops one beyond IMPORT_NOTES_MOST. Characters that do not print become '?'. */
void import_note(struct import_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Examined bytes at the beginning of a file. */
enum { FOREIGN_FORMAT_BYTES = 2048 };

/* Returns the kind of a file that begins with these bytes, such as "GraphML", and its remedy (NULL:
 * none) in *help; NULL if the file may be of a format that is read. JSON counts only if
 * `may_be_json` is false. */
const char *foreign_format(const char *text, size_t length, bool may_be_json, const char **help);

/* True if lines of numbers name each other, as those of a METIS graph do: each pair (line, number)
 * adds a hash of the two in ascending order, with the sign of their order. If line i holds j as
 * often as line j holds i, the sum is zero; otherwise it is zero only with probability about
 * 2^-64. */
struct twin_sum {
    uint64_t sum, pairs, loops; /* pairs of two numbers; those of one */
};

static inline void twin_sum_add(struct twin_sum *twins, uint32_t line, uint32_t number)
{
    uint64_t pair = line < number ? (uint64_t)line << 32 | number : (uint64_t)number << 32 | line;
    pair = (pair ^ pair >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    pair = (pair ^ pair >> 32) * UINT64_C(0x94d049bb133111eb);
    twins->sum += line < number ? pair : -pair;
    twins->pairs += line != number;
    twins->loops += line == number;
}

#endif
