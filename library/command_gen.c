/* command_gen.c - the command `gen`: makes a message set of a named pattern.
 *
 * The patterns and their contracts are the table of workloads/pattern.h; this file only reads the
 * options and writes the set. The comment under the set's header is the command that makes it
 * again, byte for byte, and its d and c.
 */
#include "base/output_file.h"
#include "base/text_scan.h"
#include "library/adversary_graph.h"
#include "library/command_set.h"
#include "library/set_options.h"
#include "workloads/faults.h"
#include "workloads/pattern.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct gen_options {
    struct mesh_options mesh;
    uint32_t degree, congestion; /* 0: not given */
    uint64_t seed;
    const char *pattern, *output, *against, *without;
    struct fault_shares faults; /* both 0: not given */
    uint32_t share;             /* an index of adversary_share_names */
    struct pattern_inputs inputs;
    struct volume_options volume;
};

/* Parses "nodes=0.02,links=0.01", or one of both. */
static int parse_faults(void *field, char *value, struct failure *failure)
{
    struct fault_shares *shares = field;
    const char *at = value, *end = value + strlen(value);
    *shares = (struct fault_shares){0};
    bool is_share = at < end;
    while (at < end && is_share) {
        bool is_nodes = strncmp(at, "nodes=", 6) == 0;
        double *share = is_nodes ? &shares->nodes : &shares->links;
        const char *stop = memchr(at, ',', (size_t)(end - at));
        if (stop == NULL)
            stop = end;
        is_share = is_nodes || strncmp(at, "links=", 6) == 0;
        at += 6;
        is_share =
            is_share && scan_fraction(&at, stop, share) && *share > 0 && *share <= 1 && at == stop;
        at = stop + (stop < end);
    }
    if (is_share)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--faults takes shares above 0, at most 1, such as nodes=0.02,links=0.01, not "
                "'%.40s'",
                value);
}

static const struct meshcast_option rows[] = {
    OPTION_NAME("pattern", NULL, "P", COMMON, struct gen_options, pattern, &pattern_names,
                "which messages: 'meshcast help patterns'"),
    OPTION_NUMBER("degree", "D", COMMON, struct gen_options, degree, 1, MESH_MAX_NODES,
                  "at most D destinations per message; the pattern has a default"),
    OPTION_NUMBER("congestion", "K", COMMON, struct gen_options, congestion, 1, MESH_MAX_NODES,
                  "at most K messages to a node; the pattern has a default"),
    OPTION_SEED(COMMON, struct gen_options, seed,
                "of random choices, decimal or 0x...; the default is 0"),
    OPTION_INPUT("against", "GRAPHFILE", RARE, struct gen_options, against,
                 "adversary: the graph, from 'meshcast expander make'"),
    OPTION_CHOICE("share", "all|1/8|1/4|1/2", RARE, struct gen_options, share,
                  adversary_share_names,
                  "adversary: of the graph's groups that a block's messages crowd into;\nall, the "
                  "default: each in turn"),
    OPTION_WITHOUT(RARE, struct gen_options, without),
    OPTION_OTHER("faults", "SHARES", RARE, struct gen_options, faults, parse_faults,
                 "instead of a pattern: what is missing of a broken mesh or torus, for --without;\n"
                 "nodes=0.02,links=0.01 draws 2 % of the nodes, 1 % of the pairs of neighbours"),
    OPTION_OUTPUT("output", "SET", 'o', COMMON, struct gen_options, output,
                  "where the set goes; the default is standard output"),
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

/* Finds the topology of the set, without its faults. */
static enum failure_kind find_topology(const struct meshcast_command *command,
                                       struct topology *topology, struct failure *failure)
{
    const struct gen_options *options = command->options;
    struct shape shape;
    if (command_shape(command, &options->mesh, &shape, failure) != FAIL_NONE)
        return failure->kind;
    if (shape.dimensions == 0)
        return fail(failure, FAIL_USAGE,
                    "missing --side M, the mesh; or --rows R --cols C, or --topology T");
    if (shape.kind != TOPOLOGY_GRAPH)
        *topology = topology_of_shape(&shape);
    else if (options->without != NULL || options->faults.nodes + options->faults.links > 0)
        return fail(failure, FAIL_USAGE,
                    "--without and --faults are for meshes and tori; leave edges out of a graph's "
                    "file");
    topology->shape = shape;
    return command_break_topology(options->without, false, topology, failure);
}

/* Chooses the shape on which the pattern is drawn; `mesh` is the same shape if the machine can run
 * on it. */
static void set_shape(struct pattern_options *pattern, const struct topology *topology,
                      enum pattern_domain domain)
{
    pattern->shape = topology->shape;
    if (topology_is_broken(topology) && domain == PATTERN_ANYWHERE)
        pattern->shape = (struct shape){.dimensions = 1, .size = {topology->main_nodes}};
    pattern->mesh = mesh_of_shape(&pattern->shape);
}

/* Draws the missing parts of a broken mesh. */
static enum failure_kind draw_faults(const struct meshcast_command *command,
                                     const struct topology *topology,
                                     struct meshcast_report *report, struct failure *failure)
{
    const struct gen_options *options = command->options;
    struct fault_counts counts = {0};
    struct output_file file;
    if (options->pattern != NULL || topology_is_broken(topology))
        return fail(failure, FAIL_USAGE,
                    "--faults draws what is missing, --pattern and --without make a set: give one "
                    "or the other");
    char *comment = command_comment(command, true, (const char *[]){NULL}, "%s", "");
    if (comment == NULL)
        return fail_memory(failure, "the comment of a file");
    if (options->output == NULL && command->table == NULL)
        fail(failure, FAIL_USAGE, "--faults needs --output FILE");
    else if (output_file_open(&file, options->output, failure) == FAIL_NONE) {
        FILE *out = options->output != NULL ? file.file : command->table;
        bool is_drawn = faults_draw(topology, &options->faults, options->seed, comment, out,
                                    &counts, failure) == FAIL_NONE;
        bool is_written = !is_drawn || fflush(out) == 0;
        if (output_file_close(&file, is_drawn, failure) == FAIL_NONE && !is_written)
            fail(failure, FAIL_SYSTEM, "cannot write what is missing");
    }
    free(comment);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    struct report_object object = report_result_open();
    report_set_shape(&object, &topology->shape);
    report_set_seed(&object, options->seed);
    report_set_count(&object, "dead_nodes", counts.dead);
    report_set_count(&object, "cut_off_nodes", counts.cut_off);
    report_set_count(&object, "missing_pairs", counts.pairs);
    command_note(command,
                 "note: %" PRIu32 " node%s dead, %" PRIu64 " pair%s of neighbours apart, %" PRIu32
                 " node%s cut off by this and named as dead",
                 counts.dead, counts.dead == 1 ? "" : "s", counts.pairs,
                 counts.pairs == 1 ? "" : "s", counts.cut_off, counts.cut_off == 1 ? "" : "s");
    return report_take_json(report, report_object_close(&object), NULL, failure);
}

/* Notes that the set has less than was requested, which is a limit to some patterns and irrelevant
 * to others. */
static void note_less(const struct meshcast_command *command, const struct set_figures *figures)
{
    const struct gen_options *options = command->options;
    bool less_degree = figures->degree < options->degree;
    bool less_congestion = figures->congestion < options->congestion;
    if (less_degree)
        command_note(command,
                     "note: pattern %s reaches degree d = %" PRIu32 " here; %" PRIu32
                     " was asked for",
                     options->pattern, figures->degree, options->degree);
    if (less_congestion)
        command_note(command,
                     "note: pattern %s reaches congestion c = %" PRIu32 " here; %" PRIu32
                     " was asked for",
                     options->pattern, figures->congestion, options->congestion);
}

/* Writes the set and reports it. */
static enum failure_kind give_set(const struct meshcast_command *command,
                                  struct meshcast_report *report, struct message_set *set,
                                  struct failure *failure)
{
    const struct gen_options *options = command->options;
    struct report_object object = report_result_open();
    struct set_figures figures = {0};
    char asks[SET_FIGURES_SIZE];
    set_figures_measure(set, &figures, failure);
    report_set(&object, "pattern", json_string(options->pattern));
    report_set_seed(&object, options->seed);
    report_set_figures(&object, set, &figures);
    char *comment = command_comment(command, true, (const char *[]){NULL}, "\npattern %s, %s",
                                    options->pattern, set_figures_text(&figures, asks));
    if (report_take_json(report, report_object_close(&object), NULL, failure) == FAIL_NONE &&
        command_write_set(command, set, comment, options->output, failure) == FAIL_NONE) {
        note_less(command, &figures);
        report_take_set(command, report, set, failure);
    }
    free(comment);
    return failure->kind;
}

/* Reads the graph of --against, if the pattern needs one. */
static enum failure_kind find_graph(const struct gen_options *options,
                                    const struct pattern *pattern, struct adversary_graph *against,
                                    struct pattern_options *pattern_options,
                                    struct failure *failure)
{
    if (!(pattern->needs & PATTERN_GRAPH) && (options->against != NULL || options->share != 0))
        return fail(failure, FAIL_USAGE, "--against and --share are for pattern adversary");
    if (!(pattern->needs & PATTERN_GRAPH))
        return FAIL_NONE;
    if (options->against == NULL)
        return fail(failure, FAIL_USAGE,
                    "pattern %s needs --against GRAPHFILE, from 'meshcast expander make'",
                    pattern->name);
    return adversary_graph_read(against, options->against, options->share, pattern_options,
                                failure);
}

/* Fits a set to the rest of a broken mesh, and notes its losses. */
static enum failure_kind fit_to_main(const struct meshcast_command *command,
                                     const struct pattern *pattern, const struct topology *topology,
                                     struct message_set *set, struct failure *failure)
{
    uint64_t drawn = set->deliveries;
    if (!topology_is_broken(topology))
        return FAIL_NONE;
    command_note_parts(command, topology);
    if (pattern->domain == PATTERN_ANYWHERE)
        return message_set_deal_to_main(set, topology, failure);
    if (message_set_keep_main(set, topology, pattern->takes & PATTERN_EXPERTS, failure) ==
            FAIL_NONE &&
        set->deliveries < drawn)
        command_note(command,
                     "note: %" PRIu64 " of %" PRIu64
                     " deliveries are left out, since nodes are dead or cut off",
                     drawn - set->deliveries, drawn);
    return failure->kind;
}

static enum failure_kind make_set(const struct gen_options *options, const struct pattern *pattern,
                                  const struct pattern_files *files,
                                  struct pattern_options *pattern_options, struct message_set *set,
                                  struct failure *failure)
{
    struct volume_options volume = options->volume;
    pattern_inputs_enter(&options->inputs, files, pattern, pattern_options);
    if (pattern_options->algorithm != ALGORITHM_NONE && volume.bytes > 0) {
        pattern_options->bytes = volume.bytes; /* the messages that have parts */
        volume.bytes = 0;
        volume.weights = WEIGHTS_BYTES;
    }
    return pattern_generate(pattern, pattern_options, set, failure) == FAIL_NONE
               ? volume_apply(set, &volume, failure)
               : failure->kind;
}

static enum failure_kind generate(const struct meshcast_command *command,
                                  const struct topology *topology, struct meshcast_report *report,
                                  struct failure *failure)
{
    const struct gen_options *gen = command->options;
    const struct pattern *pattern;
    struct pattern_options pattern_options = {
        .degree = gen->degree, .congestion = gen->congestion, .seed = gen->seed};
    struct message_set set = {0};
    struct adversary_graph against = {0};
    struct pattern_files files = {.load = {0}};
    if (find_pattern(gen, &pattern, failure) != FAIL_NONE)
        return failure->kind;
    set_shape(&pattern_options, topology, pattern->domain);
    if (pattern_check_shape(pattern, &pattern_options.shape, failure) == FAIL_NONE &&
        find_graph(gen, pattern, &against, &pattern_options, failure) == FAIL_NONE &&
        volume_check(&gen->volume, failure) == FAIL_NONE &&
        pattern_inputs_check(&gen->inputs, &pattern, 1, failure) == FAIL_NONE &&
        pattern_inputs_read(&gen->inputs, &files, failure) == FAIL_NONE &&
        make_set(gen, pattern, &files, &pattern_options, &set, failure) == FAIL_NONE &&
        fit_to_main(command, pattern, topology, &set, failure) == FAIL_NONE)
        give_set(command, report, &set, failure);
    pattern_files_free(&files);
    message_set_free(&set);
    adversary_graph_free(&against);
    return failure->kind;
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    const struct gen_options *gen = command->options;
    struct topology topology = {0};
    if (path_is_same_file(gen->inputs.group_file, gen->output) ||
        path_is_same_file(gen->without, gen->output))
        return fail(failure, FAIL_USAGE, "--output would overwrite %.300s", gen->output);
    if (find_topology(command, &topology, failure) != FAIL_NONE)
        return failure->kind;
    if (gen->faults.nodes + gen->faults.links > 0)
        draw_faults(command, &topology, report, failure);
    else
        generate(command, &topology, report, failure);
    topology_free(&topology);
    return failure->kind;
}

/* Prints a contract, which is one string, broken into lines between words. */
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

const struct meshcast_command_row command_gen = {
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
                "  meshcast gen --side 16 --pattern allreduce --algorithm ring -o sum.mcast\n"
                "  meshcast gen --side 16 --pattern moe --bytes 7168 --flit-bytes 16 -o t.mcast\n"
                "  meshcast gen --side 32 --pattern allgather --groups 32 --stride 32 -o c.mcast\n"
                "  meshcast gen --side 32 --faults nodes=0.02,links=0.01 -o broken.txt\n"
                "  meshcast gen --side 32 --without broken.txt --pattern uniform -o u.mcast\n"
                "  meshcast expander make --inputs 256 --c 16 --r 4 -o random.expander\n"
                "  meshcast gen --side 32 --pattern adversary --congestion 16 \\\n"
                "      --against random.expander -o bad.mcast\n"
                "  meshcast route bad.mcast --router expander --param graph=random.expander\n",
    .synopsis = "--side M | --topology T --pattern P [options] [-o SET]",
    .operands = "only options, as -o FILE for the set",
    .options_size = sizeof(struct gen_options),
    .options = {{mesh_option_rows, MESH_OPTION_ROWS, offsetof(struct gen_options, mesh)},
                {rows, sizeof rows / sizeof rows[0], 0},
                {pattern_input_rows, PATTERN_INPUT_ROWS, offsetof(struct gen_options, inputs)},
                {volume_rows + 1, VOLUME_ROWS - 1, offsetof(struct gen_options, volume)}},
    .topics = "'meshcast help patterns'",
    .run = run,
};
