/* command_import.c - `meshcast import`: the message set of a sparse matrix-vector product.
 *
 * Reading is workloads/import.h; this file reads the options, writes the set, and tells on standard
 * error what was found. The comment under the set's header names the matrix without its folder, so
 * that the set's bytes do not depend on where the matrix lies.
 */
#include "base/printable.h"
#include "cli/command.h"
#include "console/available_memory.h"
#include "console/interruption.h"
#include "console/report.h"
#include "library/output_file.h"
#include "workloads/import.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct matrix_options {
    uint32_t side, map, format; /* side 0: not given; an enum import_map, an enum import_format */
    uint32_t per_node, experts, place; /* 0: not given; an enum expert_order */
    bool no_diagonal, quiet, force;
    uint64_t seed;
    const char *output, *part;
};

static const char *const maps[] = {[IMPORT_ROW] = "row",
                                   [IMPORT_SNAKE] = "snake",
                                   [IMPORT_HILBERT] = "hilbert",
                                   [IMPORT_RANDOM] = "random",
                                   NULL};

enum { LARGEST_SQUARE = 8192 }; /* its nodes are MESH_MAX_NODES */

static const struct option_row rows[] = {
    {.name = "format",
     .value = "FORMAT",
     .brief = "mtx, edges, hgr, graph or routes; by default guessed",
     .help = "of FILE: mtx, edges, hgr, graph or routes; the default, auto,\n"
             "goes by the banner %%MatrixMarket, then by the name",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct matrix_options, format),
     .choices = import_format_names},
    {.name = "side",
     .value = "M",
     .brief = "the mesh: M x M nodes; the default is the least",
     .help = "of the square mesh; the default is the least that holds all items",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct matrix_options, side),
     .least = 1,
     .most = LARGEST_SQUARE},
    {.name = "map",
     .value = "ORDER",
     .brief = "the order in which nodes own items",
     .help = "the order in which nodes own items (indices of rows and columns, vertices,\n"
             "tokens): row order (row, the default), snake, hilbert or random",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct matrix_options, map),
     .choices = maps},
    {.name = "per-node",
     .value = "K",
     .brief = "K consecutive items per node; the default is 1",
     .help = "so many consecutive items a node; the default is 1",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct matrix_options, per_node),
     .least = 1,
     .most = MESH_MAX_NODES},
    {.name = "part",
     .value = "PARTITION",
     .brief = "a partitioner's file: a node number per item",
     .help = "instead: a file with a line for each item, the number of its node, as METIS,\n"
             "KaHyPar and PaToH write it",
     .type = OPTION_TEXT,
     .offset = offsetof(struct matrix_options, part),
     .is_file = true},
    {.name = "experts",
     .value = "E",
     .brief = "of routes: the number of experts",
     .help = "of routes: how many experts there are; the default is what FILE needs",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct matrix_options, experts),
     .least = 1,
     .most = EXPERTS_MOST},
    {.name = "place",
     .value = "spread|block",
     .help = "of routes: an expert in the middle of each of E tiles (spread, the default),\n"
             "or on the first E nodes of the order",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct matrix_options, place),
     .choices = expert_order_names},
    {.name = "no-diagonal",
     .brief = "leave out what an item would send to itself",
     .help = "leave out what an item would send to itself: a matrix's diagonal",
     .type = OPTION_FLAG,
     .offset = offsetof(struct matrix_options, no_diagonal)},
    {.name = "seed",
     .value = "S",
     .help = "of --map random, decimal or 0x...; the default is 0",
     .type = OPTION_SEED,
     .offset = offsetof(struct matrix_options, seed)},
    {.name = "output",
     .letter = 'o',
     .value = "SET",
     .brief = "the set; the default is standard output",
     .help = "where the set goes; the default is standard output",
     .type = OPTION_TEXT,
     .offset = offsetof(struct matrix_options, output),
     .is_file = true},
    {.name = "quiet",
     .letter = 'q',
     .help = "no summary on standard error",
     .type = OPTION_FLAG,
     .offset = offsetof(struct matrix_options, quiet)},
    AVAILABLE_MEMORY_FORCE_ROW(struct matrix_options, force),
};

static const char *file_name(const char *path)
{
    if (strcmp(path, "-") == 0)
        return "standard input";
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Ids of an edge list that are not 0 .. n - 1 already are replaced by their ranks. */
static bool has_ranked_ids(const struct import_summary *summary)
{
    return summary->last_id > 0 && (summary->first_id > 0 || summary->last_id != summary->rows - 1);
}

/* c, and l where nodes have several messages. */
struct load {
    uint32_t congestion;
    char text[32]; /* ", l = 4", or nothing */
};

static enum failure_kind find_load(const struct message_set *set, struct load *load,
                                   struct failure *failure)
{
    uint32_t most = message_set_most_sent(set);
    *load = (struct load){.congestion = message_set_congestion(set)};
    if (load->congestion == UINT32_MAX || most == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    if (most > 1)
        snprintf(load->text, sizeof load->text, ", l = %" PRIu32, most);
    return FAIL_NONE;
}

/* What partitioners make small, where each message is a net with a pin on its node and on those of its destinations: nets with
 * pins on several nodes, and the sum over nets of the nodes that they have pins on, but one. */
static void write_cut(const struct message_set *set, const struct home_count *home)
{
    fprintf(stderr, "cut nets %" PRIu32 ", connectivity minus one %" PRIu64 "\n",
            set->messages - home->messages, set->deliveries - home->deliveries);
}

static void write_summary(const struct matrix_options *options, const char *path,
                          const struct import_summary *summary, const struct message_set *set,
                          const struct load *load)
{
    char name[PRINTABLE_NAME];
    struct home_count home = message_set_count_home(set);
    fprintf(stderr,
            "%s: %" PRIu64 " x %" PRIu64 ", %" PRIu64 " %s, %" PRIu64 " %s; side %" PRIu32
            ", d = %" PRIu32 ", c = %" PRIu32 "%s\n",
            printable_name(path, name), summary->rows, summary->cols, summary->entries,
            summary->entries == 1 ? "entry" : "entries", summary->nonzeros,
            summary->nonzeros == 1 ? "nonzero" : "nonzeros", set->mesh.rows,
            message_set_degree(set), load->congestion, load->text);
    report_print_home(&home, set->messages, set->deliveries, stderr);
    if (options->part != NULL)
        write_cut(set, &home);
    if (summary->weights > 0)
        fprintf(stderr, "its %s were left out: they make no message longer\n",
                summary->format == IMPORT_EDGE_LIST ? "columns behind the ids (weights)"
                                                    : "weights");
    if (has_ranked_ids(summary) && summary->rows > 1)
        fprintf(stderr,
                "its %" PRIu64 " ids, %" PRIu64 " to %" PRIu64
                ", were numbered from 0 in ascending "
                "order\n",
                summary->rows, summary->first_id, summary->last_id);
}

/* The options that a set was imported with, but the file's name and the output's. */
static void write_options(const struct matrix_options *options, uint32_t side, char *text,
                          size_t size)
{
    char numbers[5][48] = {"", "", "", "", ""}, part[120] = "";
    if (options->map == IMPORT_RANDOM)
        snprintf(numbers[0], sizeof numbers[0], " --seed %" PRIu64, options->seed);
    if (options->per_node != 0)
        snprintf(numbers[1], sizeof numbers[1], " --per-node %" PRIu32, options->per_node);
    if (options->experts != 0)
        snprintf(numbers[2], sizeof numbers[2], " --experts %" PRIu32, options->experts);
    if (options->place != EXPERTS_SPREAD)
        snprintf(numbers[3], sizeof numbers[3], " --place %s", expert_order_names[options->place]);
    if (options->format != IMPORT_BY_FILE)
        snprintf(numbers[4], sizeof numbers[4], " --format %s",
                 import_format_names[options->format]);
    if (options->part != NULL)
        snprintf(part, sizeof part, " --part %.100s", file_name(options->part));
    snprintf(text, size, "--side %" PRIu32 " --map %s%s%s%s%s%s%s%s", side, maps[options->map],
             numbers[0], options->no_diagonal ? " --no-diagonal" : "", numbers[1], part, numbers[2],
             numbers[3], numbers[4]);
}

static enum failure_kind write_set(const struct matrix_options *options, const char *path,
                                   const struct import_summary *summary,
                                   const struct message_set *set, struct failure *failure)
{
    char comment[900], ids[80] = "", given[400];
    struct load load;
    if (find_load(set, &load, failure) != FAIL_NONE)
        return failure->kind;
    if (has_ranked_ids(summary))
        snprintf(ids, sizeof ids, ", ids %" PRIu64 " to %" PRIu64 " numbered from 0",
                 summary->first_id, summary->last_id);
    write_options(options, set->mesh.rows, given, sizeof given);
    snprintf(comment, sizeof comment,
             "%.120s, %" PRIu64 " x %" PRIu64 ", %" PRIu64 " nonzeros%s; degree d = %" PRIu32
             ", congestion c = %" PRIu32 "%s; meshcast import %s",
             file_name(path), summary->rows, summary->cols, summary->nonzeros, ids,
             message_set_degree(set), load.congestion, load.text, given);
    struct output_file file;
    const char *output = options->output == NULL ? "-" : options->output;
    if (output_file_open(&file, output, &interruption_watch, failure) != FAIL_NONE)
        return failure->kind;
    bool is_written = message_set_write(set, comment, file.file);
    if (output_file_close(&file, true, failure) != FAIL_NONE) /* tells what went wrong */
        return failure->kind;
    if (is_written && !options->quiet)
        write_summary(options, path, summary, set, &load);
    return FAIL_NONE;
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const struct matrix_options *matrix = options;
    const char *path = operands->operand[0];
    struct import_options import = {.side = matrix->side,
                                    .map = (enum import_map)matrix->map,
                                    .drop_diagonal = matrix->no_diagonal,
                                    .seed = matrix->seed,
                                    .format = (enum import_format)matrix->format,
                                    .per_node = matrix->per_node,
                                    .part = matrix->part,
                                    .experts = matrix->experts,
                                    .place = (enum expert_order)matrix->place,
                                    .limit = available_memory_limit(matrix->force)};
    struct import_summary summary = {0};
    struct message_set set = {0};
    if (path_is_same_file(path, matrix->output))
        return fail(failure, FAIL_USAGE, "the set would overwrite the matrix %s", path);
    if (matrix->part != NULL && path_is_same_file(matrix->part, matrix->output))
        return fail(failure, FAIL_USAGE, "the set would overwrite the partition %s", matrix->part);
    if (import_matrix(path, &import, &set, &summary, failure) == FAIL_NONE)
        write_set(matrix, path, &summary, &set, failure);
    message_set_free(&set);
    return failure->kind;
}

void import_print_formats(FILE *out)
{
    fputs(
        "In y = A x column j is a message, from the node that owns j to the owners of the rows\n"
        "with a stored entry in it; an explicit zero counts. Formats:\n"
        "  mtx     Matrix Market coordinate files (.mtx); symmetric ones are expanded\n"
        "  edges   edge lists (.txt, .el, .edges, .tsv), lines 'u v': u sends to v; # and %\n"
        "          begin comments; ids are numbered from 0 in ascending order\n"
        "  hgr     hypergraphs of hMETIS (.hgr): a message for each hyperedge, from its first\n"
        "          vertex to the others\n"
        "  graph   graphs of METIS (.graph): a message for each vertex, to its neighbours\n"
        "  routes  JSON lines {\"topk_ids\":[..]} (.jsonl), the experts of a token each, as "
        "servers of\n"
        "          mixture-of-experts models log them: a message for each token, to its experts\n"
        "All may be compressed by gzip, from a file (.gz) or a pipe. Weights are left out. With "
        "several\n"
        "items a node there is a message for each of them; destinations on one node count once.\n",
        out);
}

const struct command command_import = {
    .name = "import",
    .summary = "make the message set of a matrix, a graph or a log of expert routes",
    .examples = "  meshcast import west0479.mtx -o west.mcast\n"
                "  meshcast import web-graph.txt --map hilbert --no-diagonal -o web.mcast\n"
                "  meshcast import west0479.mtx --side 32 | meshcast info -\n"
                "  zcat web-graph.txt.gz | meshcast import - --format edges -o web.mcast\n"
                "  meshcast import circuit.hgr --part circuit.hgr.part.64 -o circuit.mcast\n"
                "  meshcast import routes.jsonl --experts 60 --per-node 4 -o routes.mcast\n",
    .synopsis = "FILE [options] [-o SET]",
    .operands = "FILE, the file to read ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct matrix_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .topics = "'meshcast help formats'",
    .run = run,
};
