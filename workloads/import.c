/* import.c - from a file to a message set.
 *
 * Method: the reader of the file's format leaves a list of entries (column, row), each column a
 * message; placement.c gives each item a node, and entry_set.c makes the set. Format: if none is
 * given, a file that begins with the banner %%MatrixMarket is Matrix Market. Otherwise it is that
 * of the name of the file, of the file in an archive or of the archive, without endings of
 * compressions. A file whose format is unknown (standard input without a banner) is refused: a
 * matrix that has lost its banner looks like an edge list, and would become a different matrix.
 * Invariant: the mesh and every count are checked before they size anything; memory depends on the
 * entries that were read (and the mesh, for a random map).
 * Cost: that of reading and of workloads/entry_set.c.
 */
#include "workloads/import.h"

#include "base/byte_source.h"
#include "base/numbers.h"
#include "workloads/import_formats.h"
#include "workloads/placement.h"
#include "workloads/timed_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* `suffixes` are ends of names of such files, each followed by a blank. */
static const struct format {
    const char *suffixes;
    format_reader *read;
    timed_reader *read_timed; /* used instead */
    bool (*begins)(const char *text, size_t length);
} FORMATS[] = {
    [IMPORT_BY_FILE] = {""},
    [IMPORT_MATRIX_MARKET] = {".mtx ", matrix_market_read},
    [IMPORT_EDGE_LIST] = {".txt .el .edges .edgelist .tsv .csv .konect ", edge_list_read},
    [IMPORT_HYPERGRAPH] = {".hgr ", hypergraph_read},
    [IMPORT_GRAPH] = {".graph ", metis_graph_read},
    [IMPORT_ROUTES] = {".jsonl ", expert_routes_read},
    [IMPORT_ADJACENCY] = {".adj .adjlist ", adjacency_list_read},
    [IMPORT_PATOH] = {".patoh .u ", patoh_read},
    [IMPORT_DIMACS] = {".gr .col .clq .dimacs ", dimacs_read},
    [IMPORT_RUTHERFORD_BOEING] = {".rb .hb .rua .rsa .pua .psa ", rutherford_boeing_read},
    [IMPORT_TIMED] = {"", NULL, timed_table_read, timed_table_begins},
    [IMPORT_NETRACE] = {".tra ", NULL, netrace_read, netrace_begins},
    [IMPORT_NPE] = {"", NULL, npe_read, npe_begins},
};

const char *const import_format_names[] = {[IMPORT_BY_FILE] = "auto",
                                           [IMPORT_MATRIX_MARKET] = "mtx",
                                           [IMPORT_EDGE_LIST] = "edges",
                                           [IMPORT_HYPERGRAPH] = "hgr",
                                           [IMPORT_GRAPH] = "graph",
                                           [IMPORT_ROUTES] = "routes",
                                           [IMPORT_ADJACENCY] = "adjacency",
                                           [IMPORT_PATOH] = "patoh",
                                           [IMPORT_DIMACS] = "dimacs",
                                           [IMPORT_RUTHERFORD_BOEING] = "rb",
                                           [IMPORT_TIMED] = "timed",
                                           [IMPORT_NETRACE] = "netrace",
                                           [IMPORT_NPE] = "npe",
                                           NULL};

const char *const import_map_names[] = {[IMPORT_ROW] = "row",
                                        [IMPORT_SNAKE] = "snake",
                                        [IMPORT_HILBERT] = "hilbert",
                                        [IMPORT_RANDOM] = "random",
                                        NULL};

const char *const import_header_names[] = {
    [IMPORT_HEADER_GUESSED] = "auto", [IMPORT_HEADER_YES] = "yes", [IMPORT_HEADER_NO] = "no", NULL};

/* True if the first `length` characters of the path end in one of the suffixes. */
static bool has_suffix(const char *path, size_t length, const char *suffixes)
{
    for (size_t size; *suffixes != '\0'; suffixes += size + 1) {
        size = strcspn(suffixes, " ");
        if (length >= size && strncasecmp(path + length - size, suffixes, size) == 0)
            return true;
    }
    return false;
}

/* Endings of compressed files and archives. */
static const char PACKED[] = ".gz .bz2 .xz .zst .lz4 .tar .tgz .zip ";

/* Returns the format by the name; IMPORT_BY_FILE: unknown. */
static enum import_format format_by_name(const char *path)
{
    size_t length = strlen(path);
    while (has_suffix(path, length, PACKED))
        while (path[--length] != '.')
            continue;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (has_suffix(path, length, FORMATS[i].suffixes))
            return (enum import_format)i;
    return IMPORT_BY_FILE;
}

/* Returns the format of a text, from which nothing has been read, by its beginning; IMPORT_BY_FILE:
 * unknown. */
static enum import_format format_by_begin(struct byte_source *source)
{
    const char *text;
    size_t length;
    byte_source_peek(source, BYTE_SOURCE_LONGEST_LINE, &text, &length);
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (FORMATS[i].begins != NULL && FORMATS[i].begins(text, length))
            return (enum import_format)i;
    return IMPORT_BY_FILE;
}

/* Fails: the first line is wrong; NULL: the format is unknown. */
static enum failure_kind fail_at_first(struct byte_source *source, const char *expected,
                                       struct failure *failure)
{
    struct byte_line line;
    if (byte_source_line(source, &line, failure) != FAIL_NONE)
        return failure->kind;
    if (expected == NULL && line.text != NULL && line.text[0] == '{')
        expected = "a name that ends in .jsonl, or --format routes";
    else if (expected == NULL && line.text != NULL && line.text[0] >= '0' && line.text[0] <= '9')
        expected = "a format's name by --format (edges for lines 'u v')";
    else if (expected == NULL)
        expected = "the banner " MATRIX_MARKET_BANNER ", or a format's name by --format";
    if (line.text == NULL)
        return fail(failure, FAIL_INPUT, "%s:1: expected %s, found an empty file", line.name,
                    expected);
    return scan_expected(&line, line.text, expected, failure);
}

static enum failure_kind begins_with_banner(struct byte_source *source, bool *has_banner,
                                            struct failure *failure)
{
    int banner = 0;
    enum failure_kind kind = byte_source_begins(source, MATRIX_MARKET_BANNER, &banner, failure);
    if (kind == FAIL_NONE && !banner) /* as in some files */
        kind = byte_source_begins(source, &MATRIX_MARKET_BANNER[1], &banner, failure);
    *has_banner = banner;
    return kind;
}

/* Examines the beginning of the file: the banner of Matrix Market, or a message set, which is
 * refused. */
static enum failure_kind look_at_begin(struct byte_source *source, bool *has_banner,
                                       struct failure *failure)
{
    int set = 0;
    enum failure_kind kind = begins_with_banner(source, has_banner, failure);
    if (kind == FAIL_NONE)
        kind = byte_source_begins(source, "mcast", &set, failure);
    if (kind == FAIL_NONE && set)
        return fail_at_first(source,
                             "a matrix or a graph (a message set is the result of an import; only "
                             "--part gives its nodes other ones)",
                             failure);
    return kind;
}

/* True if the format is found by the beginning of the text, from which nothing has been read, or by
 * a name. */
static bool is_known(struct byte_source *source, const char *path)
{
    bool has_banner = false;
    return (begins_with_banner(source, &has_banner, NULL) == FAIL_NONE && has_banner) ||
           format_by_begin(source) != IMPORT_BY_FILE ||
           format_by_name(byte_source_name(source)) != IMPORT_BY_FILE ||
           format_by_name(path) != IMPORT_BY_FILE;
}

/* Fails if the file is of a format that is known not to be read. `others`: what is read besides. */
static enum failure_kind refuse_foreign(struct byte_source *source, enum import_format format,
                                        const char *others, struct failure *failure)
{
    const char *text, *help;
    size_t length;
    byte_source_peek(source, FOREIGN_FORMAT_BYTES, &text, &length);
    bool may_be_json = format == IMPORT_ROUTES || format == IMPORT_NPE;
    const char *what = foreign_format(text, length, may_be_json, &help);
    if (what == NULL)
        return FAIL_NONE;
    return fail(
        failure, FAIL_INPUT,
        "%s:1: expected %sa matrix, a graph, routes or a trace; this is %s, which is not read%s%s",
        byte_source_name(source), others, what, help != NULL ? "; " : "", help != NULL ? help : "");
}

/* Fails if an option is not for messages with times. */
static enum failure_kind check_timed(const struct import_options *options, struct failure *failure)
{
    if (options->map != IMPORT_ROW || options->per_node > 0 || options->part != NULL ||
        options->drop_diagonal || options->broken != NULL ||
        options->volume.weights != WEIGHTS_IGNORED)
        return fail(failure, FAIL_USAGE,
                    "--map, --per-node, --part, --without, --no-diagonal and --weights are for "
                    "matrices, graphs and routes; messages with times go from node to node");
    return FAIL_NONE;
}

/* Fails if an option is not for the format. */
static enum failure_kind check_options(const struct import_options *options,
                                       enum import_format format, struct failure *failure)
{
    bool has_experts = options->experts > 0 || options->place != NULL;
    if (format != IMPORT_ROUTES && (has_experts || options->reading.has_layer))
        return fail(failure, FAIL_USAGE, "--experts, --place and --layer are for --format routes");
    if (format == IMPORT_ROUTES && options->drop_diagonal)
        return fail(failure, FAIL_USAGE,
                    "--no-diagonal is for matrices and graphs; routes have none");
    bool has_ids = format == IMPORT_EDGE_LIST || format == IMPORT_ADJACENCY;
    if (!has_ids &&
        (options->reading.is_symmetric || options->reading.header != IMPORT_HEADER_GUESSED))
        return fail(failure, FAIL_USAGE,
                    "--symmetric and --header are for --format edges and adjacency");
    if (options->reading.counts_from_zero && format != IMPORT_HYPERGRAPH && format != IMPORT_GRAPH)
        return fail(failure, FAIL_USAGE, "--base is for --format hgr and graph");
    if (options->volume.weights != WEIGHTS_IGNORED && format == IMPORT_RUTHERFORD_BOEING)
        return fail(failure, FAIL_USAGE,
                    "--weights is for other formats than rb, whose values are not read");
    if (format == IMPORT_ROUTES && options->volume.weights != WEIGHTS_IGNORED)
        return fail(failure, FAIL_USAGE,
                    "--weights is for matrices and graphs; tokens have --bytes N");
    if (options->reading.noc > 0 && format != IMPORT_NPE)
        return fail(failure, FAIL_USAGE, "--noc is for --format npe");
    return format < IMPORT_TIMED ? FAIL_NONE : check_timed(options, failure);
}

static enum failure_kind pass_mark(struct byte_source *source, struct import_notes *notes,
                                   struct failure *failure)
{
    bool has_mark = false, has_returns = false;
    enum failure_kind kind = byte_source_pass_mark(source, &has_mark, &has_returns, failure);
    if (has_mark)
        import_note(notes, "text has a UTF-8 mark before it");
    if (has_returns)
        import_note(notes, "lines end with CR alone");
    return kind;
}

static void note_weights(struct entry_list *list, bool are_columns)
{
    bool is_one = list->weights == 1;
    const char *more = list->most_weight > 0 ? "" : "; with --weights they are lengths of messages";
    if (are_columns)
        import_note(&list->notes,
                    "columns after the ids (weights) were left out, in %" PRIu64 " line%s%s",
                    list->weights, is_one ? "" : "s", more);
    else
        import_note(&list->notes, "%" PRIu64 " weight%s left out%s", list->weights,
                    is_one ? " was" : "s were", more);
}

/* Finds the format, if none was given, and passes marks before the first line. */
static enum failure_kind find_format(struct byte_source *source, const char *path,
                                     const struct import_options *options,
                                     enum import_format *format, struct import_notes *notes,
                                     struct failure *failure)
{
    bool has_banner;
    bool may_be_netrace = *format == IMPORT_BY_FILE || *format == IMPORT_NETRACE;
    if (may_be_netrace && format_by_begin(source) == IMPORT_NETRACE) { /* binary */
        *format = IMPORT_NETRACE;
        return check_options(options, *format, failure);
    }
    enum failure_kind kind = pass_mark(source, notes, failure);
    if (kind == FAIL_NONE)
        kind = look_at_begin(source, &has_banner, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (*format != IMPORT_BY_FILE && *format != IMPORT_MATRIX_MARKET && has_banner) {
        char expected[96];
        snprintf(expected, sizeof expected, "%s (this is %s, for --format mtx)",
                 *format == IMPORT_EDGE_LIST ? "an edge list" : "the format that was given",
                 MATRIX_MARKET_BANNER);
        return fail_at_first(source, expected, failure);
    }
    if (*format == IMPORT_BY_FILE)
        *format = has_banner ? IMPORT_MATRIX_MARKET : format_by_begin(source);
    if (*format == IMPORT_BY_FILE)
        *format = format_by_name(byte_source_name(source));
    if (*format == IMPORT_BY_FILE)
        *format = format_by_name(path);
    if (refuse_foreign(source, *format, "", failure) != FAIL_NONE)
        return failure->kind;
    if (*format == IMPORT_BY_FILE)
        return fail_at_first(source, NULL, failure);
    return check_options(options, *format, failure);
}

/* Reads the entries in their format. */
static enum failure_kind read_entries(struct byte_source *source,
                                      const struct import_options *options,
                                      enum import_format format, struct entry_list *list,
                                      struct node_lines *experts, struct failure *failure)
{
    if (expert_nodes_read(experts, options->place, options->experts, options->broken, failure) !=
        FAIL_NONE)
        return failure->kind;
    list->rows = max_u32(list->rows, experts->lines);
    enum failure_kind kind = FORMATS[format].read(source, list, failure);
    if (list->weights > 0)
        note_weights(list, format == IMPORT_EDGE_LIST);
    if (kind == FAIL_NONE && list->most_weight > 0 && list->count > 0 && list->next_weight == 0)
        return fail(failure, FAIL_INPUT, "%s: expected weights, as --weights says, found none",
                    byte_source_name(source));
    return kind;
}

/* Makes the set from the entries; they and the nodes of experts are used up. */
static enum failure_kind make_set(struct entry_list *list, const struct import_options *options,
                                  struct node_lines experts, struct message_set *set,
                                  struct import_summary *summary, struct failure *failure)
{
    struct placement placement = {0};
    const char *path = options->part != NULL ? options->part : experts.path;
    enum failure_kind kind = placement_make(&placement, options, list, experts, failure);
    if (kind == FAIL_NONE && options->shape.dimensions == 0 && path != NULL &&
        placement.shape.size[0] > least_square(entry_list_items(list)).size[0])
        import_note(&summary->notes, "mesh is the least square one with all nodes of %s", path);
    if (kind == FAIL_NONE)
        kind = entry_set_make(set, list, &placement, options->drop_diagonal, failure);
    if (kind == FAIL_NONE && options->part != NULL) {
        struct home_count home = message_set_count_home(set);
        summary->cut = (struct import_cut){.nets = set->messages - home.messages,
                                           .connectivity = set->deliveries - home.deliveries};
    }
    if (kind == FAIL_NONE && volume_apply(set, &options->volume, failure) != FAIL_NONE) {
        kind = failure->kind;
        message_set_free(set);
    }
    placement_free(&placement);
    return kind;
}

/* Reads the entries, and the facts for the report. The caller frees the list and the nodes in any
 * case. */
static enum failure_kind read_list(struct byte_source *source, const struct import_options *options,
                                   struct entry_list *list, struct node_lines *experts,
                                   struct import_summary *summary, struct failure *failure)
{
    *list = (struct entry_list){.most_weight = volume_most_weight(&options->volume),
                                .rows = options->experts,
                                .reading = options->reading,
                                .notes = summary->notes};
    list->reading.is_format_given = options->format != IMPORT_BY_FILE;
    enum failure_kind kind = volume_check(&options->volume, failure);
    if (kind == FAIL_NONE)
        kind = read_entries(source, options, summary->format, list, experts, failure);
    summary->rows = list->rows;
    summary->cols = list->cols;
    summary->entries = list->stored;
    summary->first_id = list->first_id;
    summary->last_id = list->last_id;
    summary->notes = list->notes;
    return kind;
}

static enum failure_kind import_entry_list(struct byte_source *source,
                                           const struct import_options *options,
                                           struct message_set *set, struct import_summary *summary,
                                           struct failure *failure)
{
    struct entry_list list;
    struct node_lines experts = {0};
    enum failure_kind kind = read_list(source, options, &list, &experts, summary, failure);
    if (kind == FAIL_NONE)
        kind = make_set(&list, options, experts, set, summary, failure);
    else
        node_lines_free(&experts);
    summary->nonzeros = list.count;
    entry_list_free(&list);
    return kind;
}

static enum failure_kind import_timed(struct byte_source *source,
                                      const struct import_options *options, struct message_set *set,
                                      struct import_summary *summary, struct failure *failure)
{
    struct timed_list list = {.name = byte_source_name(source),
                              .shape = options->shape,
                              .flit_bytes = options->volume.flit_bytes,
                              .noc = options->reading.noc,
                              .notes = summary->notes};
    enum failure_kind kind = FORMATS[summary->format].read_timed(source, &list, failure);
    if (kind == FAIL_NONE && list.uses_bytes && options->volume.bytes > 0)
        kind = fail(failure, FAIL_USAGE, "%s has bytes for each message: leave --bytes out",
                    list.name);
    if (kind == FAIL_NONE && !list.uses_bytes)
        kind = volume_check(&options->volume, failure);
    if (kind == FAIL_NONE)
        kind = timed_list_make(&list, set, failure);
    if (kind == FAIL_NONE && !list.uses_bytes &&
        (kind = volume_apply(set, &options->volume, failure)) != FAIL_NONE)
        message_set_free(set);
    if (kind == FAIL_NONE)
        summary->rows = shape_nodes(&set->shape);
    summary->cols = list.messages;
    summary->entries = summary->nonzeros = list.deliveries;
    summary->notes = list.notes;
    timed_list_free(&list);
    return kind;
}

/* ---- sets whose nodes are items ---- */

/* Passes blanks and comments; NULL: the text, or its examined part, has nothing else. */
static const char *first_word(const char *text, const char *end)
{
    while (text != NULL && text < end && strchr(" \t\r\n#", *text) != NULL)
        text = *text == '#' ? memchr(text, '\n', (size_t)(end - text)) : text + 1;
    return text == end ? NULL : text;
}

/* True if the text is the program's own: a set, or one that is refused as such by its name. */
static bool is_own(struct byte_source *source)
{
    static const char *const words[] = {"mcast", "meshcast-", "expander"};
    const char *text;
    size_t length;
    byte_source_peek(source, BYTE_SOURCE_LONGEST_LINE, &text, &length);
    const char *end = text + length, *word = first_word(text, end);
    for (size_t i = 0; word != NULL && i < sizeof words / sizeof *words; i++)
        if ((size_t)(end - word) >= strlen(words[i]) &&
            memcmp(word, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* Makes the entries of a set: its nodes are the items, its messages the columns. */
static enum failure_kind list_set(const struct message_set *set, struct entry_list *list,
                                  struct failure *failure)
{
    uint32_t nodes = shape_nodes(&set->shape);
    *list = (struct entry_list){.rows = nodes,
                                .items = nodes,
                                .most_weight = set->length != NULL ? MESSAGE_SET_MAX_LENGTH : 0,
                                .stored = set->deliveries};
    for (uint32_t m = 0; m < set->messages; m++) {
        list->next_weight = set->length != NULL ? max_u32(set->length[m], 1) : 0;
        bool is_added = entry_list_set_source(list, list->cols++, set->source[m]);
        for (uint64_t j = set->offset[m]; j < set->offset[m + 1] && is_added; j++)
            is_added = entry_list_add(list, entry_pack(m, set->destination[j]));
        if (!is_added)
            return fail_memory(failure, "the messages of a set");
    }
    return FAIL_NONE;
}

/* Gives the nodes of a set those of options->part; closes the source. */
static enum failure_kind import_set(struct byte_source *source, const char *path,
                                    const struct import_options *options, struct message_set *set,
                                    struct import_summary *summary, struct failure *failure)
{
    struct import_options own = *options;
    struct message_set given;
    struct entry_list list;
    if (message_set_read_source(&given, source, set_file_name(path), failure) != FAIL_NONE)
        return failure->kind;
    if (own.shape.dimensions == 0)
        own.shape = given.shape;
    enum failure_kind kind = list_set(&given, &list, failure);
    if (kind == FAIL_NONE && message_set_is_timed(&given))
        kind = fail(failure, FAIL_INPUT, "%.200s has messages with times; --part expects none",
                    set_file_name(path));
    message_set_free(&given);
    if (kind == FAIL_NONE)
        kind = make_set(&list, &own, (struct node_lines){0}, set, summary, failure);
    summary->rows = list.rows;
    summary->cols = list.cols;
    summary->entries = list.stored;
    summary->nonzeros = list.count;
    entry_list_free(&list);
    return kind;
}

enum failure_kind items_read(const char *path, struct import_options *options,
                             struct entry_list *list, struct node_lines *experts,
                             struct import_summary *summary, struct failure *failure)
{
    struct import_options own = *options;
    struct message_set set = {0};
    struct byte_source *source;
    if (byte_source_open(&source, path, failure) != FAIL_NONE)
        return failure->kind;
    *summary = (struct import_summary){.format = options->format};
    own.shape = (struct shape){0}; /* it and --per-node are for where items go */
    own.per_node = 0;
    bool is_set = is_own(source);
    if (is_set) {
        message_set_read_source(&set, source, set_file_name(path), failure);
    } else if (find_format(source, path, &own, &summary->format, &summary->notes, failure) ==
               FAIL_NONE) {
        is_set = FORMATS[summary->format].read_timed != NULL;
        if (is_set)
            import_timed(source, &own, &set, summary, failure);
        else
            read_list(source, options, list, experts, summary, failure);
        byte_source_close(source);
    } else {
        byte_source_close(source);
    }
    /* a set's nodes are items, as those of a matrix */
    if (failure->kind == FAIL_NONE && is_set &&
        check_options(options, IMPORT_MATRIX_MARKET, failure) == FAIL_NONE)
        list_set(&set, list, failure);
    if (is_set && options->shape.dimensions == 0)
        options->shape = set.shape;
    message_set_free(&set);
    return failure->kind;
}

/* ---- files ---- */

enum failure_kind import_source(struct byte_source *source, const char *path,
                                const struct import_options *options, struct message_set *set,
                                struct import_summary *summary, struct failure *failure)
{
    struct import_summary found = {.format = options->format};
    bool is_set = options->part != NULL && is_own(source);
    if (is_set)
        import_set(source, path, options, set, &found, failure);
    if (is_set && failure->kind == FAIL_NONE && summary != NULL)
        *summary = found;
    if (is_set)
        return failure->kind;
    enum failure_kind kind =
        find_format(source, path, options, &found.format, &found.notes, failure);
    if (kind == FAIL_NONE)
        kind = (FORMATS[found.format].read_timed != NULL ? import_timed : import_entry_list)(
            source, options, set, &found, failure);
    byte_source_close(source);
    if (kind == FAIL_NONE && summary != NULL)
        *summary = found;
    return kind;
}

enum failure_kind import_matrix(const char *path, const struct import_options *options,
                                struct message_set *set, struct import_summary *summary,
                                struct failure *failure)
{
    *set = (struct message_set){0};
    struct byte_source *source;
    if (byte_source_open(&source, path, failure) != FAIL_NONE)
        return failure->kind;
    return import_source(source, path, options, set, summary, failure);
}

static enum failure_kind check_matrix(const struct import_entries *matrix, struct failure *failure)
{
    if (matrix->rows < 1 || matrix->cols < 1 || matrix->rows > ENTRY_MAX_SIDE ||
        matrix->cols > ENTRY_MAX_SIDE)
        return fail(failure, FAIL_USAGE, "a matrix of %u x %u; expected sides of 1 to %d",
                    matrix->rows, matrix->cols, ENTRY_MAX_SIDE);
    for (uint64_t i = 0; i < matrix->entries; i++)
        if (matrix->row[i] >= matrix->rows || matrix->col[i] >= matrix->cols)
            return fail(failure, FAIL_USAGE,
                        "entry %" PRIu64 " is in row %u and column %u of a matrix of %u x %u", i,
                        matrix->row[i], matrix->col[i], matrix->rows, matrix->cols);
    return FAIL_NONE;
}

static enum failure_kind check_weights(const struct import_entries *matrix,
                                       const struct volume_options *volume, struct failure *failure)
{
    uint32_t most = volume_most_weight(volume);
    if (most > 0 && matrix->weight == NULL && matrix->entries > 0)
        return fail(failure, FAIL_USAGE, "weights are asked for, but the entries have none");
    for (uint64_t i = 0; most > 0 && i < matrix->entries; i++)
        if (matrix->weight[i] == 0 || matrix->weight[i] > most)
            return fail(failure, FAIL_USAGE,
                        "entry %" PRIu64 " has the weight %u; expected an integer from 1 to %u", i,
                        matrix->weight[i], most);
    return volume_check(volume, failure);
}

enum failure_kind import_entries(const struct import_entries *matrix,
                                 const struct import_options *options, struct message_set *set,
                                 struct failure *failure)
{
    uint32_t most_weight = volume_most_weight(&options->volume);
    *set = (struct message_set){0};
    if (check_matrix(matrix, failure) != FAIL_NONE ||
        check_weights(matrix, &options->volume, failure) != FAIL_NONE)
        return failure->kind;
    struct entry_list list = {.most_weight = most_weight,
                              .rows = matrix->rows,
                              .cols = matrix->cols,
                              .stored = matrix->entries};
    enum failure_kind kind = FAIL_NONE;
    for (uint64_t i = 0; i < matrix->entries && kind == FAIL_NONE; i++) {
        list.next_weight = most_weight > 0 ? matrix->weight[i] : 0;
        if (!entry_list_add(&list, entry_pack(matrix->col[i], matrix->row[i])))
            kind = fail_memory(failure, "the entries of a matrix");
    }
    if (kind == FAIL_NONE)
        kind = make_set(&list, options, (struct node_lines){0}, set, &(struct import_summary){0},
                        failure);
    entry_list_free(&list);
    return kind;
}

/* ---- sets and files of other formats ---- */

const char *set_file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

enum failure_kind set_file_read(struct message_set *set, struct import_summary *summary,
                                const char *path, const struct byte_sharing *sharing,
                                struct failure *failure)
{
    const struct import_options options = {0};
    struct byte_source *source;
    *set = (struct message_set){0};
    *summary = (struct import_summary){.format = IMPORT_BY_FILE};
    if (byte_source_open_shared(&source, sharing, path, failure) != FAIL_NONE)
        return failure->kind;
    bool is_set = is_own(source);
    if (!is_set && is_known(source, path))
        return import_source(source, path, &options, set, summary, failure);
    if (!is_set &&
        refuse_foreign(source, IMPORT_BY_FILE, "a message set, ", failure) != FAIL_NONE) {
        byte_source_close(source);
        return failure->kind;
    }
    return message_set_read_source(set, source, set_file_name(path), failure);
}
