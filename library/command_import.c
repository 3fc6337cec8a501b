/* command_import.c - the command `import`: the message set of a sparse matrix-vector product.
 *
 * Reading is workloads/import.h; this file reads the options, writes the set, and prints notes on
 * the file. The comment under the set's header names the matrix without its folder, so that the
 * set's bytes do not depend on where the matrix is.
 */
#include "library/command_set.h"
#include "library/handle_private.h"
#include "library/report.h"
#include "library/set_options.h"
#include "view/page_output.h"
#include "workloads/import.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct matrix_options {
    struct mesh_options mesh;   /* not given: the least square */
    uint32_t map, format;       /* an enum import_map, an enum import_format */
    uint32_t per_node, experts; /* 0: not given */
    uint32_t header, base;      /* an enum import_header; an index of bases */
    uint32_t layer, noc;        /* noc: an index of networks_on_chip */
    bool no_diagonal, is_symmetric;
    uint64_t seed;
    const char *output, *part, *place, *without;
    struct volume_options volume;
};

static const char *const bases[] = {"1", "0", NULL};

static const char *const networks_on_chip[] = {"0", "1", NULL};

static const struct meshcast_option rows[] = {
    OPTION_CHOICE("format", "FORMAT", COMMON, struct matrix_options, format, import_format_names,
                  "FILE's format ('meshcast help formats'); the default, auto, goes by the banner\n"
                  "%%MatrixMarket, then by the name"),
    OPTION_CHOICE("map", "ORDER", COMMON, struct matrix_options, map, import_map_names,
                  "the order in which nodes own items (indices of rows and columns, vertices,\n"
                  "tokens): row order (row, the default), snake, hilbert (of a mesh or torus of\n"
                  "two dimensions) or random"),
    OPTION_NUMBER("per-node", "K", COMMON, struct matrix_options, per_node, 1, MESH_MAX_NODES,
                  "K consecutive items per node; the default is 1"),
    OPTION_INPUT(
        "part", "PARTITION", COMMON, struct matrix_options, part,
        "a file says the node of each item instead; a number per line, as METIS,\nKaHyPar and "
        "PaToH write it"),
    OPTION_WITHOUT(RARE, struct matrix_options, without),
    OPTION_NUMBER("experts", "E", COMMON, struct matrix_options, experts, 1, EXPERTS_MOST,
                  "how many experts routes have; the default is what FILE needs"),
    {.name = "place",
     .value = "spread|block|FILE",
     .help = "of routes: an expert in the middle of each of E tiles (spread, the default),\n"
             "on the first E nodes of the order, or where FILE says: a line for each\n"
             "expert, of its nodes; of several a token goes to the nearest",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct matrix_options, place),
     .choices = expert_order_names,
     .is_file = true},
    OPTION_NUMBER("layer", "N", RARE, struct matrix_options, layer, 0, UINT16_MAX,
                  "of routes: the layer, as FILE numbers it (from 0 where it does not); needed\n"
                  "where FILE has several"),
    OPTION_CHOICE("noc", "0|1", RARE, struct matrix_options, noc, networks_on_chip,
                  "of tt-npe: the network on chip whose transfers are taken; needed where FILE\n"
                  "has both"),
    OPTION_FLAG("symmetric", RARE, struct matrix_options, is_symmetric,
                "each edge of an edge list or adjacency list goes both ways"),
    OPTION_CHOICE("header", "yes|no", RARE, struct matrix_options, header, import_header_names,
                  "whether the first line of an edge list is a header: names of columns, or\n"
                  "numbers 'n m' or 'n n m'; by default found out"),
    OPTION_CHOICE("base", "0|1", RARE, struct matrix_options, base, bases,
                  "the number of the first vertex of hgr and graph; the default is 1"),
    OPTION_FLAG("no-diagonal", COMMON, struct matrix_options, no_diagonal,
                "leave out what an item would send to itself: a matrix's diagonal"),
    OPTION_SEED(RARE, struct matrix_options, seed,
                "of --map random, decimal or 0x...; the default is 0"),
    OPTION_OUTPUT("output", "SET", 'o', COMMON, struct matrix_options, output,
                  "where the set goes; the default is standard output"),
};

/* True if the ids of an edge list were replaced by their ranks, as they are not 0 .. n - 1
 * already. */
static bool has_ranked_ids(const struct import_summary *summary)
{
    return summary->last_id > 0 && (summary->first_id > 0 || summary->last_id != summary->rows - 1);
}

/* True if a net is one message before it is packed: weights other than those of hyperedges split a
 * column. */
static bool has_whole_nets(const struct import_summary *summary, bool is_weighted)
{
    return !is_weighted || summary->format == IMPORT_HYPERGRAPH || summary->format == IMPORT_PATOH;
}

static void write_summary(const struct matrix_options *options, const char *path,
                          const struct import_summary *summary, const struct message_set *set,
                          const struct set_figures *figures, FILE *out)
{
    char text[SET_NOTE_SIZE];
    struct home_count home = message_set_count_home(set);
    bool is_weighted = options->volume.weights != WEIGHTS_IGNORED;
    import_text(summary, set, figures, path, text);
    fprintf(out, "%s\n", text);
    report_print_home(&home, set->messages, set->deliveries, out);
    if (options->part != NULL && has_whole_nets(summary, is_weighted))
        fprintf(out, "cut nets %" PRIu64 ", connectivity minus one %" PRIu64 "\n",
                summary->cut.nets, summary->cut.connectivity);
    for (unsigned i = 0; i < summary->notes.count; i++)
        fprintf(out, "its %s\n", summary->notes.text[i]);
    if (has_ranked_ids(summary) && summary->rows > 1)
        fprintf(out,
                "its %" PRIu64 " ids, %" PRIu64 " to %" PRIu64
                ", were numbered from 0 in ascending "
                "order\n",
                summary->rows, summary->first_id, summary->last_id);
}

static json_t *import_json(const struct matrix_options *options, const char *path,
                           const struct import_summary *summary, const struct message_set *set,
                           const struct set_figures *figures)
{
    struct report_object object = report_result_open();
    report_set(&object, "file", report_json_text(path));
    report_set_count(&object, "rows", summary->rows);
    report_set_count(&object, "cols", summary->cols);
    report_set_count(&object, "entries", summary->entries);
    report_set_count(&object, "nonzeros", summary->nonzeros);
    if (options->part != NULL) {
        report_set_count(&object, "cut_nets", summary->cut.nets);
        report_set_count(&object, "connectivity", summary->cut.connectivity);
    }
    report_set_figures(&object, set, figures);
    return report_object_close(&object);
}

/* Writes the set, prints notes on the file, and reports both. */
static enum failure_kind give_set(const struct meshcast_command *command,
                                  struct meshcast_report *report,
                                  const struct import_summary *summary, struct message_set *set,
                                  struct failure *failure)
{
    const struct matrix_options *options = command->options;
    const char *path = command->operand[0];
    char made_of[SET_NOTE_SIZE], ids[80] = "", *text = NULL;
    struct set_figures figures;
    size_t size;
    if (set_figures_measure(set, &figures, failure) != FAIL_NONE)
        return failure->kind;
    import_text(summary, set, &figures, page_file_name(path), made_of);
    if (has_ranked_ids(summary))
        snprintf(ids, sizeof ids, "; ids %" PRIu64 " to %" PRIu64 " numbered from 0",
                 summary->first_id, summary->last_id);
    char *comment = command_comment(command, false, (const char *[]){NULL}, "\n%s%s", made_of, ids);
    if (report_take_json(report, import_json(options, path, summary, set, &figures), NULL,
                         failure) == FAIL_NONE)
        command_write_set(command, set, comment, options->output, failure);
    free(comment);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return fail_memory(failure, "the summary");
    write_summary(options, path, summary, set, &figures, out);
    if (fclose(out) == 0)
        for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
            command_note(command, "%s", line);
    free(text);
    return report_take_set(command, report, set, failure);
}

static enum failure_kind find_options(const struct meshcast_command *command,
                                      struct import_options *options, struct failure *failure)
{
    const struct matrix_options *matrix = command->options;
    *options = (struct import_options){
        .map = (enum import_map)matrix->map,
        .drop_diagonal = matrix->no_diagonal,
        .seed = matrix->seed,
        .format = (enum import_format)matrix->format,
        .reading = {.header = (enum import_header)matrix->header,
                    .is_symmetric = matrix->is_symmetric,
                    .counts_from_zero = matrix->base > 0,
                    .has_layer = command_is_set(command, "layer"),
                    .layer = matrix->layer,
                    .noc = command_is_set(command, "noc") ? 1 + matrix->noc : 0},
        .per_node = matrix->per_node,
        .part = matrix->part,
        .experts = matrix->experts,
        .place = matrix->place,
        .volume = matrix->volume};
    return command_shape(command, &matrix->mesh, &options->shape, failure);
}

/* Makes a set without a file: of a matrix in memory, or of a given set, with other lengths. */
static enum failure_kind give_made(const struct meshcast_command *command,
                                   const struct import_options *options,
                                   struct meshcast_report *report, struct message_set *set,
                                   struct failure *failure)
{
    const struct meshcast_entries *given = command->entries;
    struct set_figures figures;
    struct report_object object = report_object_open();
    if (given != NULL) {
        struct import_entries matrix = {given->rows, given->cols, given->entries,
                                        given->row,  given->col,  given->weight};
        import_entries(&matrix, options, set, failure);
    } else if (volume_check(&options->volume, failure) == FAIL_NONE &&
               message_set_copy(set, set_given(command->set[0]), failure) == FAIL_NONE) {
        volume_apply(set, &options->volume, failure);
    }
    if (failure->kind == FAIL_NONE)
        set_figures_measure(set, &figures, failure);
    if (failure->kind == FAIL_NONE)
        report_set_figures(&object, set, &figures);
    json_t *json = report_object_close(&object);
    if (failure->kind != FAIL_NONE)
        json_decref(json);
    else if (report_take_json(report, json, NULL, failure) == FAIL_NONE)
        report_take_set(command, report, set, failure);
    return failure->kind;
}

/* Breaks the mesh or torus that the options name. */
static enum failure_kind break_topology(const struct meshcast_command *command,
                                        struct import_options *options, struct topology *topology,
                                        struct failure *failure)
{
    const struct matrix_options *matrix = command->options;
    if (matrix->without == NULL)
        return FAIL_NONE;
    if (options->shape.dimensions == 0 || options->shape.kind == TOPOLOGY_GRAPH)
        return fail(failure, FAIL_USAGE,
                    "--without needs a mesh or torus: --side M, --rows R --cols C or --topology T");
    *topology = topology_of_shape(&options->shape);
    command_break_topology(matrix->without, false, topology, failure);
    options->broken = topology_is_broken(topology) ? topology : NULL;
    return failure->kind;
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    struct import_options options;
    struct import_summary summary = {0};
    struct message_set set = {0};
    struct topology topology = {0};
    const char *path = command->operand[0];
    const struct matrix_options *matrix = command->options;
    if (find_options(command, &options, failure) != FAIL_NONE ||
        break_topology(command, &options, &topology, failure) != FAIL_NONE)
        return failure->kind;
    if (path == NULL)
        give_made(command, &options, report, &set, failure);
    else if (import_matrix(path, &options, &set, &summary, failure) == FAIL_NONE &&
             message_set_check_parts(&set, set_file_name(path), &topology, matrix->without,
                                     failure) == FAIL_NONE) {
        if (!message_set_is_timed(&set))
            command_note_parts(command, &topology);
        give_set(command, report, &summary, &set, failure);
    }
    message_set_free(&set);
    topology_free(&topology);
    return failure->kind;
}

void import_print_formats(uint32_t index, FILE *out)
{
    (void)index;
    fputs(
        "In y = A x column j is a message, from the node that owns j to the owners of the rows\n"
        "with a stored entry in it; an explicit zero counts. Formats:\n"
        "  mtx     Matrix Market coordinate files (.mtx); symmetric ones are expanded\n"
        "  edges   edge lists (.txt, .el, .edges, .edgelist, .csv, .tsv), lines 'u v' or 'u,v': u\n"
        "          sends to v; # and % begin comments; ids are numbers, ranked in ascending order, "
        "or\n"
        "          words; a first line 'n m' or 'n n m', names of columns, and the comments of "
        "KONECT\n"
        "          are understood\n"
        "  adjacency  lines 'u v w ..' (.adj, .adjlist): u sends to v, w, ..\n"
        "  hgr     hypergraphs of hMETIS (.hgr): a message for each hyperedge, from its first\n"
        "          vertex to the others\n"
        "  patoh   the same in the format of PaToH (.patoh, .u)\n"
        "  graph   graphs of METIS (.graph): a message for each vertex, to its neighbours\n"
        "  dimacs  graphs of DIMACS (.gr, .col, .clq, .dimacs): p sp, max, min, edge or col\n"
        "  rb      matrices in Rutherford-Boeing or Harwell-Boeing format (.rb, .hb, .rua, .rsa, "
        "..)\n"
        "  routes  JSON lines (.jsonl) with the experts of tokens, as servers of "
        "mixture-of-experts\n"
        "          models log them: a message for each token of one layer, to its experts\n"
        "            {\"topk_ids\":[3,5]}                       a token\n"
        "            {\"layer\":7,\"topk_ids\":[[3,5],[0,1]]}   tokens of a layer (or layer_id, "
        "layer_idx)\n"
        "            {\"token\":0,\"topk_ids\":[[3,5],[0,1]]}   the layers of a token, from 0; "
        "also "
        "\"layers\"\n"
        "            {\"topk_ids\":[[[3,5],[0,1]]]}           tokens, each with its layers; also\n"
        "                                                 \"routed_experts\"\n"
        "  timed   a table with named columns, a message per line: cycle, source, destination(s),\n"
        "          perhaps flits or bytes, id, after (ids of messages that the source must have "
        "first)\n"
        "          and delay (cycles from then on); several nodes or ids are set apart by blanks "
        "or "
        "';'\n"
        "  netrace packets of Netrace (.tra.bz2) with their dependencies\n"
        "  npe     transfers and events on Tenstorrent's networks on chip, the JSON of tt-npe\n"
        "The last three have nodes instead of items, and are found by their begin. Bytes become "
        "flits of\n"
        "16 bytes (npe: 32) unless import has another size, and one for the header.\n"
        "All may be compressed (gzip, bzip2, xz, zstd, lz4), or a file in a tar or zip archive;\n"
        "FILE:MEMBER names one of several. With several items per node there is a message for\n"
        "each of them; destinations on one node count once.\n"
        "Commands that read a set also read these files, with import's defaults, and say what it "
        "is.\n"
        "A file that leaves its format is read with a note, or refused with what to say.\n"
        "Weights are left out, or are lengths of messages if asked for: those of hyperedges and\n"
        "edges, values of a Matrix Market file, or sizes of a graph's vertices if it has any. "
        "Entries of a\n"
        "column with the same weight are one message; weights of an entry that comes again add.\n",
        out);
}

const struct meshcast_command_row command_import = {
    .name = "import",
    .summary = "make the message set of a matrix, graph, log of routes or trace",
    .examples = "  meshcast import west0479.mtx -o west.mcast\n"
                "  meshcast import web-graph.txt --map hilbert --no-diagonal -o web.mcast\n"
                "  meshcast import west0479.mtx --rows 16 --cols 30 -o west.mcast\n"
                "  meshcast import west0479.mtx --side 32 | meshcast info -\n"
                "  zcat web-graph.txt.gz | meshcast import - --format edges -o web.mcast\n"
                "  meshcast import circuit.hgr --part circuit.hgr.part.64 -o circuit.mcast\n"
                "  meshcast import routes.jsonl --experts 60 --per-node 4 -o routes.mcast\n"
                "  meshcast import layers.jsonl --layer 12 --place experts.txt -o moe.mcast\n"
                "  meshcast import routes.jsonl --bytes 14336 --flit-bytes 32 -o tokens.mcast\n"
                "  meshcast import routes.jsonl --per-node 4 --pack pairs -o packed.mcast\n",
    .synopsis = "FILE [--side M | --topology T] [options] [-o SET]",
    .operands = "FILE, the file to read ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct matrix_options),
    .options = {{mesh_option_rows, MESH_OPTION_ROWS, offsetof(struct matrix_options, mesh)},
                {rows, sizeof rows / sizeof rows[0], 0},
                {volume_rows, VOLUME_ROWS, offsetof(struct matrix_options, volume)}},
    .topics = "'meshcast help formats'",
    .run = run,
};
