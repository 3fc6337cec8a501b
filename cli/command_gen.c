/* command_gen.c - `meshcast gen`: makes a message set of a named pattern.
 *
 * The patterns and their contracts are the table of workloads/pattern.h; this file only reads the
 * options and writes the set. The comment under the set's header is the command that makes it
 * again, byte for byte, and its d and c.
 */
#include "base/output_file.h"
#include "cli/command.h"
#include "console/interruption.h"
#include "console/progress.h"
#include "library/adversary_graph.h"
#include "library/available_memory.h"
#include "library/mesh_options.h"
#include "library/pattern_input_rows.h"
#include "library/volume_rows.h"
#include "workloads/pattern.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct gen_options {
    struct mesh_options mesh;
    uint32_t degree, congestion; /* 0: not given */
    uint64_t seed;
    const char *pattern, *output, *against;
    uint32_t share; /* an index of adversary_share_names */
    bool force;
    struct pattern_inputs inputs;
    struct volume_options volume;
};

static const struct meshcast_option rows[] = {
    {.name = "pattern",
     .value = "P",
     .is_common = true,
     .help = "which messages: 'meshcast help patterns'",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct gen_options, pattern),
     .names = &pattern_names},
    {.name = "degree",
     .value = "D",
     .is_common = true,
     .help = "at most D destinations per message; the pattern has a default",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct gen_options, degree),
     .least = 1,
     .most = MESH_MAX_NODES},
    {.name = "congestion",
     .value = "K",
     .is_common = true,
     .help = "at most K messages to a node; the pattern has a default",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct gen_options, congestion),
     .least = 1,
     .most = MESH_MAX_NODES},
    {.name = "seed",
     .value = "S",
     .is_common = true,
     .help = "of random choices, decimal or 0x...; the default is 0",
     .type = MESHCAST_OPTION_SEED,
     .offset = offsetof(struct gen_options, seed)},
    {.name = "against",
     .value = "GRAPHFILE",
     .help = "adversary: the graph, from 'meshcast expander make'",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct gen_options, against),
     .is_file = true},
    {.name = "share",
     .value = "all|1/8|1/4|1/2",
     .help = "adversary: of the graph's groups that a block's messages crowd into;\nall, the "
             "default: each in turn",
     .type = MESHCAST_OPTION_CHOICE,
     .offset = offsetof(struct gen_options, share),
     .choices = adversary_share_names},
    {.name = "output",
     .letter = 'o',
     .value = "SET",
     .is_common = true,
     .help = "where the set goes; the default is standard output",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct gen_options, output),
     .is_file = true},
    AVAILABLE_MEMORY_FORCE_ROW(struct gen_options, force),
};

static enum failure_kind find_pattern(const struct gen_options *options,
                                      const struct pattern **pattern, struct failure *failure)
{
    char names[320];
    if (options->pattern != NULL)
        return pattern_look_up(options->pattern, pattern, failure);
    name_family_list(&pattern_names, names, sizeof names);
    return fail(failure, FAIL_USAGE, "missing --pattern P; the patterns are: %s", names);
}

/* The topology of the set; `mesh` holds it too if the machine can run on it. */
static enum failure_kind find_shape(const struct gen_options *options,
                                    struct pattern_options *pattern, struct failure *failure)
{
    if (mesh_options_shape(&options->mesh, options->output, &pattern->shape, failure) != FAIL_NONE)
        return failure->kind;
    if (pattern->shape.dimensions == 0)
        return fail(
            failure, FAIL_USAGE,
            "missing --rows; a mesh needs --rows R --cols C, or --side M (others: --topology)");
    pattern->mesh = mesh_of_shape(&pattern->shape);
    return FAIL_NONE;
}

/* d, c and l of the set. */
struct figures {
    uint32_t degree, congestion, most_sent;
};

static enum failure_kind find_figures(const struct message_set *set, struct figures *figures,
                                      struct failure *failure)
{
    *figures = (struct figures){.degree = message_set_degree(set),
                                .congestion = message_set_congestion(set),
                                .most_sent = message_set_most_sent(set)};
    if (figures->congestion == UINT32_MAX || figures->most_sent == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    return FAIL_NONE;
}

/* Says where the set has less than what was asked for, which is a limit to some patterns and nothing to others. */
static void note_less(const struct gen_options *options, const struct figures *figures)
{
    bool less_degree = figures->degree < options->degree;
    bool less_congestion = figures->congestion < options->congestion;
    if (less_degree)
        fprintf(stderr, "meshcast gen: pattern %s has degree d = %" PRIu32 ", not %" PRIu32 "\n",
                options->pattern, figures->degree, options->degree);
    if (less_congestion)
        fprintf(stderr,
                "meshcast gen: pattern %s has congestion c = %" PRIu32 ", not %" PRIu32 "\n",
                options->pattern, figures->congestion, options->congestion);
}

struct writing {
    struct progress *progress;
    uint64_t deliveries; /* of the set */
};

static void show_written(void *context, uint64_t deliveries)
{
    const struct writing *writing = context;
    progress_count(writing->progress, deliveries, writing->deliveries);
}

static enum failure_kind write_set(const struct gen_options *options, const struct message_set *set,
                                   const struct figures *figures, struct ranks *ranks,
                                   struct progress *progress, struct failure *failure)
{
    struct writing writing = {progress, message_set_all_deliveries(set)};
    struct message_set_watch watch = {show_written, &writing};
    char comment[1800], on[260], degree[32] = "", congestion[32] = "", against[260] = "";
    char inputs[800], most[32] = "", volume[VOLUME_TEXT];
    if (ranks_rank(ranks) > 0)
        return message_set_write_parts(set, NULL, NULL, NULL, ranks, failure);
    pattern_inputs_text(&options->inputs, inputs, sizeof inputs);
    volume_options_text(&options->volume, volume);
    if (figures->most_sent > 1)
        snprintf(most, sizeof most, ", l = %" PRIu32, figures->most_sent);
    if (options->degree != 0)
        snprintf(degree, sizeof degree, " --degree %" PRIu32, options->degree);
    if (options->congestion != 0)
        snprintf(congestion, sizeof congestion, " --congestion %" PRIu32, options->congestion);
    if (options->against != NULL)
        snprintf(against, sizeof against, " --against %.200s --share %s", options->against,
                 adversary_share_names[options->share]);
    mesh_options_text(&options->mesh, &set->shape, on, sizeof on);
    snprintf(comment, sizeof comment,
             "meshcast gen %s --pattern %s%s%s%s%s%s --seed %" PRIu64
             "\npattern %s, degree d = %" PRIu32 ", congestion c = %" PRIu32 "%s",
             on, options->pattern, degree, congestion, inputs, against, volume, options->seed,
             options->pattern, figures->degree, figures->congestion, most);
    struct output_file file;
    const char *output = options->output == NULL ? "-" : options->output;
    if (output_file_open(&file, output, failure) != FAIL_NONE)
        return failure->kind;
    progress->what = "gen: deliveries written";
    /* the close tells what went wrong with the file */
    message_set_write_parts(set, comment, file.file, &watch, ranks, failure);
    progress_end(progress);
    output_file_close(&file, failure->kind == FAIL_NONE, failure);
    return failure->kind;
}

/* Reads the graph of --against, if the pattern wants one. */
static enum failure_kind find_graph(const struct gen_options *options,
                                    const struct pattern *pattern, struct adversary_graph *against,
                                    struct pattern_options *pattern_options,
                                    struct failure *failure)
{
    if (!(pattern->needs & PATTERN_GRAPH) && (options->against != NULL || options->share != 0))
        return fail(failure, FAIL_USAGE, "--against and --share are for pattern adversary");
    if (!(pattern->needs & PATTERN_GRAPH))
        return FAIL_NONE;
    if (path_is_same_file(options->against, options->output))
        return fail(failure, FAIL_USAGE, "the set would overwrite the graph %s", options->output);
    if (options->against == NULL)
        return fail(failure, FAIL_USAGE,
                    "pattern %s needs --against GRAPHFILE, from 'meshcast expander make'",
                    pattern->name);
    return adversary_graph_read(against, options->against, options->share,
                                available_memory_limit(options->force), pattern_options, failure);
}

/* The set must not overwrite what it is made from. */
static enum failure_kind check_files(const struct gen_options *options, struct failure *failure)
{
    const char *files[] = {options->inputs.skew, options->inputs.matrix, options->inputs.place,
                           options->inputs.group_file};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] != NULL && path_is_same_file(files[i], options->output))
            return fail(failure, FAIL_USAGE, "the set would overwrite %.200s", files[i]);
    return FAIL_NONE;
}

/* When all files are read, and before anything is generated. */
static enum failure_kind check_memory(const struct gen_options *gen, const struct pattern *pattern,
                                      const struct pattern_files *files,
                                      struct pattern_options *options, struct failure *failure)
{
    pattern_inputs_enter(&gen->inputs, files, pattern, options);
    struct memory_need need = {.limit = available_memory_limit(gen->force)};
    return memory_need_check_pattern(pattern, options, need, failure);
}

/* Makers tell nothing while they work, so where a set is large it is said beforehand. */
static enum failure_kind make_set(const struct pattern *pattern,
                                  const struct pattern_options *options, struct progress *progress,
                                  struct message_set *set, struct failure *failure)
{
    const uint64_t large = UINT64_C(1) << 29; /* bytes */
    uint64_t bytes = pattern_footprint(pattern, options);
    char text[96], memory[32];
    snprintf(text, sizeof text, "gen: the set is being made, in up to %s",
             memory_text(bytes, memory));
    if (bytes >= large)
        progress_line_show(&progress->line, text);
    enum failure_kind kind = pattern_generate(pattern, options, set, failure);
    progress_end(progress);
    return kind;
}

/* Returns whether each rank makes a part of the set. Rank 0 alone reads files, and so makes sets from them whole, and
 * packs messages. */
static bool is_in_parts(const struct gen_options *options)
{
    const struct pattern *pattern =
        options->pattern == NULL ? NULL : pattern_find(options->pattern);
    enum expert_order order;
    bool names_file =
        options->against != NULL || !expert_order_find(options->inputs.place, &order) ||
        options->inputs.skew != NULL || options->inputs.matrix != NULL ||
        options->inputs.group_file != NULL || topology_text_file(options->mesh.topology) != NULL;
    return pattern != NULL && pattern->in_parts && !names_file && options->volume.pack == PACK_NONE;
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const struct gen_options *gen = options;
    const struct pattern *pattern;
    struct ranks *ranks = is_in_parts(gen) ? operands->ranks : NULL;
    struct pattern_options pattern_options = {
        .degree = gen->degree, .congestion = gen->congestion, .seed = gen->seed, .ranks = ranks};
    struct message_set set = {0};
    struct adversary_graph against = {0};
    struct pattern_files files = {.load = {0}};
    struct figures figures;
    struct progress progress;
    if (ranks == NULL && ranks_rank(operands->ranks) > 0)
        return FAIL_NONE;
    progress_begin(&progress, "gen", false);

    if (find_shape(gen, &pattern_options, failure) == FAIL_NONE &&
        find_pattern(gen, &pattern, failure) == FAIL_NONE &&
        pattern_check_shape(pattern, &pattern_options.shape, failure) == FAIL_NONE &&
        find_graph(gen, pattern, &against, &pattern_options, failure) == FAIL_NONE &&
        check_files(gen, failure) == FAIL_NONE &&
        volume_check(&gen->volume, failure) == FAIL_NONE &&
        pattern_inputs_check(&gen->inputs, &pattern, 1, failure) == FAIL_NONE &&
        pattern_inputs_read(&gen->inputs, &files, failure) == FAIL_NONE &&
        check_memory(gen, pattern, &files, &pattern_options, failure) == FAIL_NONE &&
        make_set(pattern, &pattern_options, &progress, &set, failure) == FAIL_NONE &&
        volume_apply(&set, &gen->volume, available_memory_limit(gen->force), failure) ==
            FAIL_NONE &&
        find_figures(&set, &figures, failure) == FAIL_NONE &&
        write_set(gen, &set, &figures, ranks, &progress, failure) == FAIL_NONE)
        note_less(gen, &figures);
    pattern_files_free(&files);
    message_set_free(&set);
    adversary_graph_free(&against);
    return failure->kind;
}

/* A contract is one string; it is broken into lines between words. */
static void print_wrapped(const char *text, FILE *out)
{
    enum { INDENT = 14, WIDTH = 66 };
    size_t column = 0;
    fprintf(out, "%*s", INDENT, "");
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        if (column > 0 && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", INDENT, "");
            column = 0;
        }
        column += (size_t)fprintf(out, "%s%.*s", column == 0 ? "" : " ", (int)length, text);
        text += length;
        text += strspn(text, " \n");
    }
    fputc('\n', out);
}

void gen_print_pattern(uint32_t index, FILE *out)
{
    const struct pattern *pattern = pattern_at(index);
    fprintf(out, "  %-11s %s\n", pattern->name, pattern->summary);
    print_wrapped(pattern->contract, out);
}

const struct command command_gen = {
    .name = "gen",
    .summary = "make a message set of a named pattern",
    .examples = "  meshcast gen --side 32 --pattern uniform --degree 8 --congestion 8 -o u.mcast\n"
                "  meshcast gen --rows 20 --cols 31 --pattern permutation --seed 7\n"
                "  meshcast gen --side 64 --pattern worst --congestion 16 | meshcast info -\n"
                "  meshcast gen --topology torus:8x8x8 --pattern uniform -o torus.mcast\n"
                "  meshcast gen --side 64 --pattern moe --experts 60 --per-node 4 -o tokens.mcast\n"
                "  meshcast gen --side 32 --pattern populations --matrix microcircuit.txt \\\n"
                "      --per-node 80 --active 0.04 -o spikes.mcast\n"
                "  meshcast gen --side 32 --pattern alltoall --groups 64 -o blocks.mcast\n"
                "  meshcast gen --side 16 --pattern moe --bytes 7168 --flit-bytes 16 -o t.mcast\n"
                "  meshcast gen --side 32 --pattern allgather --groups 32 --stride 32 -o c.mcast\n"
                "  meshcast expander make --inputs 256 --c 16 --r 4 -o random.expander\n"
                "  meshcast gen --side 32 --pattern adversary --congestion 16 \\\n"
                "      --against random.expander -o bad.mcast\n"
                "  meshcast route bad.mcast --router expander --param graph=random.expander\n",
    .synopsis = "--side M | --topology T --pattern P [options] [-o SET]",
    .operands = "options alone",
    .options_size = sizeof(struct gen_options),
    .options = {{mesh_option_rows, MESH_OPTION_ROWS, offsetof(struct gen_options, mesh)},
                {rows, sizeof rows / sizeof rows[0], 0},
                {pattern_input_rows, PATTERN_INPUT_ROWS, offsetof(struct gen_options, inputs)},
                {volume_rows + 1, VOLUME_ROWS - 1, offsetof(struct gen_options, volume)}},
    .topics = "'meshcast help patterns'",
    .runs_on_ranks = true,
    .run = run,
};
