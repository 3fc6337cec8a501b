/* command_import.c - `meshcast import`: the message set of a sparse matrix-vector product.
 *
 * Reading is workloads/import.h; this file reads the options, writes the set, and tells on standard
 * error what was found. The comment under the set's header names the matrix without its folder, so
 * that the set's bytes do not depend on where the matrix lies.
 */
#include "cli/command.h"
#include "console/available_memory.h"
#include "console/interruption.h"
#include "library/output_file.h"
#include "workloads/import.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct matrix_options {
    uint32_t side, map, format; /* side 0: not given; an enum import_map, an enum import_format */
    bool no_diagonal, quiet, force;
    uint64_t seed;
    const char *output;
};

static const char *const maps[] = {[IMPORT_ROW] = "row",
                                   [IMPORT_SNAKE] = "snake",
                                   [IMPORT_HILBERT] = "hilbert",
                                   [IMPORT_RANDOM] = "random",
                                   NULL};

static const char *const formats[] = {
    [IMPORT_BY_FILE] = "auto", [IMPORT_MATRIX_MARKET] = "mtx", [IMPORT_EDGE_LIST] = "edges", NULL};

enum { LARGEST_SQUARE = 8192 }; /* its nodes are MESH_MAX_NODES */

static const struct option_row rows[] = {
    {.name = "format",
     .value = "FORMAT",
     .help = "of MATRIX: mtx or edges; the default, auto, goes by the banner\n"
             "%%MatrixMarket, then by the name",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct matrix_options, format),
     .choices = formats},
    {.name = "side",
     .value = "M",
     .help = "of the square mesh; the default is the least that holds the matrix",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct matrix_options, side),
     .least = 1,
     .most = LARGEST_SQUARE},
    {.name = "map",
     .value = "ORDER",
     .help = "how nodes own rows and columns, one each: in row order (row, the\n"
             "default), snake, hilbert or random",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct matrix_options, map),
     .choices = maps},
    {.name = "no-diagonal",
     .help = "leave out the entries of the diagonal",
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

/* Comments and summaries are printable ASCII whatever a file is called. */
static void make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

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

static void write_summary(const char *path, const struct import_summary *summary,
                          const struct message_set *set, uint32_t congestion)
{
    char name[160];
    snprintf(name, sizeof name, "%s", strcmp(path, "-") == 0 ? file_name(path) : path);
    make_printable(name);
    fprintf(stderr,
            "%s: %" PRIu64 " x %" PRIu64 ", %" PRIu64 " %s, %" PRIu64 " %s; side %" PRIu32
            ", d = %" PRIu32 ", c = %" PRIu32 "\n",
            name, summary->rows, summary->cols, summary->entries,
            summary->entries == 1 ? "entry" : "entries", summary->nonzeros,
            summary->nonzeros == 1 ? "nonzero" : "nonzeros", set->mesh.rows,
            message_set_degree(set), congestion);
    if (has_ranked_ids(summary) && summary->rows > 1)
        fprintf(stderr,
                "its %" PRIu64 " ids, %" PRIu64 " to %" PRIu64
                ", were numbered from 0 in ascending "
                "order\n",
                summary->rows, summary->first_id, summary->last_id);
}

static enum failure_kind write_set(const struct matrix_options *options, const char *path,
                                   const struct import_summary *summary,
                                   const struct message_set *set, struct failure *failure)
{
    char comment[480], seed[32] = "", format[32] = "", ids[80] = "";
    uint32_t congestion = message_set_congestion(set);
    if (congestion == UINT32_MAX)
        return fail_memory(failure, "the congestion of the nodes");
    if (options->map == IMPORT_RANDOM)
        snprintf(seed, sizeof seed, " --seed %" PRIu64, options->seed);
    if (options->format != IMPORT_BY_FILE)
        snprintf(format, sizeof format, " --format %s", formats[options->format]);
    if (has_ranked_ids(summary))
        snprintf(ids, sizeof ids, ", ids %" PRIu64 " to %" PRIu64 " numbered from 0",
                 summary->first_id, summary->last_id);
    snprintf(comment, sizeof comment,
             "%.120s, %" PRIu64 " x %" PRIu64 ", %" PRIu64 " nonzeros%s; degree d = %" PRIu32
             ", congestion c = %" PRIu32 "; meshcast import --side %" PRIu32 " --map %s%s%s%s",
             file_name(path), summary->rows, summary->cols, summary->nonzeros, ids,
             message_set_degree(set), congestion, set->mesh.rows, maps[options->map], seed,
             options->no_diagonal ? " --no-diagonal" : "", format);
    make_printable(comment);
    struct output_file file;
    const char *output = options->output == NULL ? "-" : options->output;
    if (output_file_open(&file, output, &interruption_watch, failure) != FAIL_NONE)
        return failure->kind;
    bool is_written = message_set_write(set, comment, file.file);
    if (output_file_close(&file, true, failure) != FAIL_NONE) /* tells what went wrong */
        return failure->kind;
    if (is_written && !options->quiet)
        write_summary(path, summary, set, congestion);
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
                                    .limit = available_memory_limit(matrix->force)};
    struct import_summary summary = {0};
    struct message_set set = {0};
    if (path_is_same_file(path, matrix->output))
        return fail(failure, FAIL_USAGE, "the set would overwrite the matrix %s", path);
    if (import_matrix(path, &import, &set, &summary, failure) == FAIL_NONE)
        write_set(matrix, path, &summary, &set, failure);
    message_set_free(&set);
    return failure->kind;
}

static void print_formats(FILE *out)
{
    fputs(
        "\nIn y = A x column j is a message, from the node that owns j to the owners of the rows\n"
        "with a stored entry in it; an explicit zero counts. Formats:\n"
        "  mtx     Matrix Market coordinate files (.mtx); symmetric ones are expanded\n"
        "  edges   edge lists (.txt, .el, .edges, .tsv), lines 'u v': u sends to v; # and %\n"
        "          begin comments; ids are numbered from 0 in ascending order\n"
        "Both may be compressed by gzip, from a file (.gz) or a pipe.\n",
        out);
}

const struct command command_import = {
    .name = "import",
    .summary = "make the message set of y = A x from a sparse matrix or a graph",
    .examples = "  meshcast import west0479.mtx -o west.mcast\n"
                "  meshcast import web-graph.txt --map hilbert --no-diagonal -o web.mcast\n"
                "  meshcast import west0479.mtx --side 32 | meshcast info -\n"
                "  zcat web-graph.txt.gz | meshcast import - --format edges -o web.mcast\n",
    .synopsis = "MATRIX [--format mtx|edges] [--side M] [--map row|snake|hilbert|random]\n"
                "           [--no-diagonal] [--seed S] [-o SET]",
    .operands = "MATRIX, the file to read ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct matrix_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .print_more = print_formats,
    .run = run,
};
