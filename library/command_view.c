/* command_view.c - the command `view`: a run, or two beside each other, as one page for a browser.
 *
 * The page's run is made by view/run_encoder.h from the text of a trace; view/run_page.h puts the
 * page around it. The page's other facts are computed here: the set's lower bound, and a title.
 */
#include "base/byte_source.h"
#include "base/output_file.h"
#include "library/command_set.h"
#include "library/commands.h"
#include "library/meshcast.h"
#include "library/report_parts.h"
#include "view/page_output.h"
#include "view/run_decoder.h"
#include "view/run_encoder.h"
#include "view/run_page.h"
#include "workloads/instance.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct view_options {
    const char *output;
    uint32_t events; /* 0: the default */
    const char *without, *part;
    uint32_t decode; /* number of a page's run; 0: none, a page is made */
};

static const struct meshcast_option rows[] = {
    OPTION_OUTPUT("output", "FILE", 'o', COMMON, struct view_options, output,
                  "the page, such as run.html; '-' is standard output"),
    OPTION_NUMBER("view-events", "N", COMMON, struct view_options, events, 1, UINT32_MAX,
                  "how many events of the mesh machine a page keeps; of what comes later it has\n"
                  "sums over a few hundred steps each; the default is 20000000"),
    OPTION_WITHOUT(RARE, struct view_options, without),
    OPTION_INPUT("part", "FILE", COMMON, struct view_options, part,
                 "the file with a line per item, of its nodes, by which SET was made ('import\n"
                 "--part' or '--place'): the mesh can be coloured by items"),
    OPTION_NUMBER("decode", "I", COMMON, struct view_options, decode, 1, 2,
                  "write the trace of run I (1, 2) of a page to FILE, its lines in another order\n"
                  "within a step"),
};

/* Finds the largest lower bound of the set for the machine's trace; 0: not a set for the
 * machine. */
static enum failure_kind bound_of(const struct run_plan *plan, bool is_network, bool copy_is_free,
                                  uint64_t *bound, struct failure *failure)
{
    const struct message_set *set = plan->set;
    struct lower_bounds bounds;
    *bound = 0;
    if (is_network || set->mesh.rows == 0 || message_set_version(set) != 1)
        return FAIL_NONE;
    enum lower_bound_extent extent = plan->broken == NULL ? BOUNDS_LARGEST : BOUNDS_ALL;
    if (lower_bounds_compute(set, extent, &bounds, failure) == FAIL_NONE &&
        (plan->broken == NULL ||
         lower_bounds_raise_broken(set, plan->broken, &bounds, failure) == FAIL_NONE))
        *bound = bounds.steps[lower_bound_best(&bounds, copy_is_free)];
    return failure->kind;
}

/* True if the trace's first line says that copies are free. Called before the first line is
 * read. */
static bool says_copy_is_free(struct byte_source *source)
{
    enum { FIRST_LINE = 1024 };
    char line[FIRST_LINE];
    const char *text;
    size_t length;
    byte_source_peek(source, sizeof line - 1, &text, &length);
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    line[strcspn(line, "\n")] = '\0';
    return strstr(line, " copy=free") != NULL;
}

/* The contents of the files beside the set and the traces. */
struct surroundings {
    struct topology topology; /* of --without; else zeroed */
    struct node_lines items;  /* of --part; else zeroed */
};

/* Fails if the file has no line with some sender and none with some destination: items are where
 * messages begin, experts where they end, and a partition has both. */
static enum failure_kind check_items(const struct message_set *set, const char *set_name,
                                     const struct node_lines *items, struct failure *failure)
{
    uint32_t sender = TOPOLOGY_NO_NODE, receiver = TOPOLOGY_NO_NODE;
    bool *has = memory_allocate(shape_nodes(&set->shape), sizeof *has);
    if (has == NULL)
        return fail_memory(failure, "the nodes of items");
    for (uint32_t k = 0; k < items->first[items->lines]; k++)
        has[items->node[k]] = true;
    for (uint32_t i = set->messages; i-- > 0;)
        sender = has[set->source[i]] ? sender : set->source[i];
    for (uint64_t j = set->deliveries; j-- > 0;)
        receiver = has[set->destination[j]] ? receiver : set->destination[j];
    free(has);
    if (sender == TOPOLOGY_NO_NODE || receiver == TOPOLOGY_NO_NODE)
        return FAIL_NONE;
    return fail(failure, FAIL_INPUT,
                "%.200s: no line has node %u, which sends messages of %.200s, nor node %u, which "
                "receives some",
                items->path, sender, set_name, receiver);
}

static enum failure_kind read_surroundings(const struct meshcast_command *command,
                                           const struct message_set *set, const char *set_name,
                                           struct surroundings *around, struct failure *failure)
{
    const struct node_lines_format format = {
        .what = "item", .most = UINT32_MAX, .broken = &around->topology};
    const struct view_options *options = command->options;
    struct byte_source *source;
    if (options->without != NULL &&
        (command_set_topology(command, set, NULL, &around->topology, failure) != FAIL_NONE ||
         command_break_set_topology(command, set, set_name, options->without, false,
                                    &around->topology, failure) != FAIL_NONE))
        return failure->kind;
    if (options->part != NULL && byte_source_open(&source, options->part, failure) == FAIL_NONE &&
        node_lines_read_source(&around->items, &format, source, options->part, failure) ==
            FAIL_NONE &&
        node_lines_check(&around->items, &set->shape, failure) == FAIL_NONE)
        check_items(set, set_name, &around->items, failure);
    return failure->kind;
}

static enum failure_kind write_run(const struct view_options *options, struct message_set *set,
                                   const struct surroundings *around, const char *set_name,
                                   const char *path, const char *line, FILE *out,
                                   struct failure *failure)
{
    struct byte_source *source;
    struct run_encoder *encoder = NULL;
    struct run_plan plan = {set, NULL, options->events == 0 ? PAGE_EVENTS : options->events, out,
                            topology_is_broken(&around->topology) ? &around->topology : NULL};
    struct run_facts facts = {.command = line,
                              .items = options->part != NULL ? &around->items : NULL};
    char title[256];
    int is_network = 0;
    if (byte_source_open(&source, path, failure) != FAIL_NONE)
        return failure->kind;
    plan.name = byte_source_name(source);
    snprintf(title, sizeof title, "%s, %s", page_file_name(set_name), page_file_name(path));
    facts.title = title;
    bool copy_is_free = says_copy_is_free(source);
    run_page_begin_run(out);
    if (byte_source_begins(source, "meshcast-network", &is_network, failure) == FAIL_NONE &&
        (is_network ? message_set_leave_home(set, failure)
                    : message_set_fit_machine(set, set_name, failure)) == FAIL_NONE &&
        run_encoder_make(&encoder, &plan, failure) == FAIL_NONE &&
        run_encoder_read(encoder, source, failure) == FAIL_NONE &&
        bound_of(&plan, is_network, copy_is_free, &facts.lower_bound, failure) == FAIL_NONE)
        run_encoder_end(encoder, &facts, failure);
    run_page_end_run(out);
    run_encoder_free(encoder);
    byte_source_close(source);
    return failure->kind;
}

/* Writes the trace from which a page was made. */
static enum failure_kind decode(const struct view_options *options, const char *page,
                                struct failure *failure)
{
    struct byte_source *source;
    struct output_file output;
    if (byte_source_open(&source, page, failure) != FAIL_NONE)
        return failure->kind;
    if (output_file_open_held(&output, options->output, failure) == FAIL_NONE) {
        run_decode(source, byte_source_name(source), (int)options->decode, output.file, failure);
        output_file_close(&output, failure->kind == FAIL_NONE, failure);
    }
    byte_source_close(source);
    return failure->kind;
}

static enum failure_kind check_files(const struct meshcast_command *command,
                                     struct failure *failure)
{
    const struct view_options *options = command->options;
    if (options->output == NULL)
        return fail(failure, FAIL_USAGE, "missing -o FILE, the file to write");
    if (options->decode > 0 && command->operands > 1)
        return fail(failure, FAIL_USAGE, "with --decode there is one file, the page");
    if (options->decode > 0 && options->without != NULL)
        return fail(failure, FAIL_USAGE, "--without goes with SET TRACE, not with --decode");
    if (options->decode > 0 && options->part != NULL)
        return fail(failure, FAIL_USAGE, "--part goes with SET TRACE, not with --decode");
    if (options->decode == 0 && command->operands == 1)
        return fail(failure, FAIL_USAGE, "missing TRACE, a trace of a run on the set");
    for (int i = options->decode > 0 ? 0 : 1; i < command->operands; i++)
        if (command->operand[i] == NULL)
            return fail(failure, FAIL_USAGE, "a set stands in the place of a file");
    return FAIL_NONE;
}

/* Writes the page of the runs on the set. */
static enum failure_kind write_page(const struct meshcast_command *command, struct message_set *set,
                                    struct failure *failure)
{
    const struct view_options *options = command->options;
    const char *set_name = command->operand[0] == NULL ? "set" : command->operand[0];
    struct surroundings around = {.topology = {.nodes = 0}};
    struct output_file output;
    char title[128];
    if (read_surroundings(command, set, set_name, &around, failure) == FAIL_NONE &&
        output_file_open_held(&output, options->output, failure) == FAIL_NONE) {
        snprintf(title, sizeof title, "%s - meshcast", page_file_name(set_name));
        run_page_begin(title, output.file);
        for (int i = 1; i < command->operands && failure->kind == FAIL_NONE; i++)
            write_run(options, set, &around, set_name, command->operand[i],
                      i == 1 ? command->line : NULL, output.file, failure);
        run_page_end(output.file);
        output_file_close(&output, failure->kind == FAIL_NONE, failure);
    }
    node_lines_free(&around.items);
    command_topology_free(command, &around.topology);
    return failure->kind;
}

static json_t *report_json(const struct meshcast_command *command)
{
    const struct view_options *options = command->options;
    struct report_object object = report_result_open();
    report_set(&object, "output", report_json_text(options->output));
    report_set_count(&object, "runs", options->decode > 0 ? 1 : (uint64_t)command->operands - 1);
    return report_object_close(&object);
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    const struct view_options *options = command->options;
    struct message_set set = {0};
    if (check_files(command, failure) != FAIL_NONE)
        return failure->kind;
    if (options->decode > 0)
        decode(options, command->operand[0], failure);
    else if (command_read_set(command, 0, &set, failure) == FAIL_NONE)
        write_page(command, &set, failure);
    message_set_free(&set);
    return failure->kind == FAIL_NONE
               ? report_take_json(report, report_json(command), NULL, failure)
               : failure->kind;
}

const struct meshcast_command_row command_view = {
    .name = "view",
    .summary = "a run as one page for a browser: every step, message and buffer",
    .examples = "  meshcast route west.mcast --router trees --trace trees.trace\n"
                "  meshcast view west.mcast trees.trace -o trees.html\n"
                "  meshcast route west.mcast --router stream --trace stream.trace\n"
                "  meshcast view west.mcast trees.trace stream.trace -o both.html\n"
                "  meshcast route west.mcast --router unicast --trace - | \\\n"
                "      meshcast view west.mcast - -o u.html\n"
                "  meshcast view trees.html --decode 1 -o trees.trace\n",
    .synopsis = "SET TRACE [TRACE2] [--part FILE] [--without FILE] -o FILE.html",
    .operands = "SET and one or two traces of runs on it ('-' is standard input)",
    .least = 1,
    .most = 3,
    .options_size = sizeof(struct view_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .run = run,
};
