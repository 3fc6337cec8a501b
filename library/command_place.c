/* command_place.c - the command `place`: assigns a node to each item of a file.
 *
 * The search: place/place.h. Each start is measured, the best is improved, and both are reported
 * side by side. The file of the placement is opened before the search, and renamed when the search
 * is over, or was interrupted.
 */
#include "base/numbers.h"
#include "base/output_file.h"
#include "base/parallel.h"
#include "base/printable.h"
#include "base/stopwatch.h"
#include "library/command_set.h"
#include "library/report_network.h"
#include "library/set_options.h"
#include "library/table.h"
#include "place/place.h"
#include "workloads/placement.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct place_options {
    struct mesh_options mesh;   /* not given: the least square, or the set's own */
    uint32_t format, objective; /* an enum import_format, an enum place_objective */
    uint32_t per_node, experts, replicas, layer;
    uint32_t seconds, threads; /* 0: not given */
    uint32_t moves;
    uint64_t seed;
    const char *output, *without;
    struct part_list parts;
};

/* Default moves per copy; and the most that a node may hold. */
enum { DEFAULT_MOVES = 1000, MOST_SEATS = 1 << 30 };

static const struct meshcast_option rows[] = {
    OPTION_CHOICE("objective", "hops|busiest-link|bound", COMMON, struct place_options, objective,
                  place_objective_names,
                  "what is to be small: the links that all multicast trees cross (hops, the\n"
                  "default), the trees that cross one link, or, on a mesh of two dimensions and\n"
                  "slowly, the lower bound of steps"),
    OPTION_NUMBER("per-node", "K", COMMON, struct place_options, per_node, 1, MESH_MAX_NODES,
                  "at most so many items per node, or so many consecutive tokens; the default is\n"
                  "as few as the topology needs, or 1"),
    OPTION_NUMBER("experts", "E", RARE, struct place_options, experts, 1, EXPERTS_MOST,
                  "how many experts routes have; the default is what FILE needs"),
    OPTION_NUMBER("replicas", "R", RARE, struct place_options, replicas, 1, EXPERTS_MOST,
                  "of routes: R more copies, of those experts where they help most"),
    OPTION_NUMBER("layer", "N", RARE, struct place_options, layer, 0, UINT16_MAX,
                  "of routes: the layer, as FILE numbers it"),
    OPTION_CHOICE("format", "FORMAT", RARE, struct place_options, format, import_format_names,
                  "FILE's format ('meshcast help formats'); the default goes by the file"),
    OPTION_WITHOUT(RARE, struct place_options, without),
    OPTION_PARTS(RARE, struct place_options, parts,
                 "further starts: files with a node number per item and line"),
    OPTION_NUMBER("moves", "N", COMMON, struct place_options, moves, 0, UINT32_MAX,
                  "how many moves are tried (0: none, the best start is the result); the same N\n"
                  "finds the same placement on any machine; the default is 1000 per item"),
    OPTION_NUMBER("seconds", "N", COMMON, struct place_options, seconds, 1, UINT32_MAX,
                  "moves are tried for so many seconds, or up to --moves if that is earlier"),
    OPTION_SEED(RARE, struct place_options, seed,
                "of random choices, decimal or 0x...; the default is 0"),
    OPTION_NUMBER("threads", "T", RARE, struct place_options, threads, 1, 1024,
                  "the default is a thread per free core; results are the same for all T"),
    OPTION_OUTPUT("output", "PART", 'o', COMMON, struct place_options, output,
                  "where the placement goes, for 'import --part' (of experts '--place'); the\n"
                  "default is nowhere"),
};

/* A start, or the result. */
struct placed {
    const char *name;
    struct place_cost cost;
};

enum { STARTS_MOST = PARTS_MOST + 8 };

/* A search under way. */
struct placing {
    const struct meshcast_command *command;
    const struct place_options *options;
    struct import_summary summary;
    struct topology whole, topology; /* before and after it was broken */
    struct path_table paths;
    struct item_traffic traffic;
    struct place_plan plan;
    struct assignment best;
    struct placed start[STARTS_MOST], found;
    uint32_t starts, from; /* from: the best start */
    struct place_result result;
    double began, seconds;
};

/* ---- items and traffic ---- */

static enum failure_kind find_options(const struct meshcast_command *command,
                                      struct import_options *options, struct failure *failure)
{
    const struct place_options *own = command->options;
    *options = (struct import_options){
        .format = (enum import_format)own->format,
        .reading = {.has_layer = command_is_set(command, "layer"), .layer = own->layer},
        .per_node = own->per_node,
        .experts = own->experts};
    return command_shape(command, &own->mesh, &options->shape, failure);
}

/* Finds the topology, once its shape is known. */
static enum failure_kind find_topology(struct placing *own, const struct shape *shape,
                                       struct failure *failure)
{
    if (shape->kind == TOPOLOGY_GRAPH) {
        const char *text = own->options->mesh.topology;
        if (text == NULL && own->command->topology == NULL)
            return fail(failure, FAIL_USAGE,
                        "the set is of a graph of %" PRIu32
                        " nodes; give its edges as topology graph:FILE",
                        shape_nodes(shape));
        if (command_read_topology(own->command, text, &own->whole, failure) != FAIL_NONE)
            return failure->kind;
    } else {
        own->whole = topology_of_shape(shape);
    }
    own->topology = own->whole;
    if (command_break_topology(own->options->without, false, &own->topology, failure) == FAIL_NONE)
        command_note_parts(own->command, &own->topology);
    return failure->kind;
}

/* Finds the items per node and the nodes of tokens, and makes the traffic. */
static enum failure_kind make_traffic(struct placing *own, struct import_options *options,
                                      struct entry_list *list, struct node_lines *experts,
                                      struct failure *failure)
{
    struct placement placement;
    uint32_t items = entry_list_items(list), *token_node = NULL;
    bool has_shape = options->shape.dimensions > 0;
    if (!has_shape)
        options->shape = least_square((uint32_t)divide_up(items, max_u32(1, options->per_node)));
    if (find_topology(own, &options->shape, failure) != FAIL_NONE)
        return failure->kind;
    options->broken = topology_is_broken(&own->topology) ? &own->topology : NULL;
    if (options->per_node == 0 && has_shape)
        options->per_node = (uint32_t)divide_up(items, topology_main_nodes(&own->topology));
    enum failure_kind kind = placement_make(&placement, options, list, *experts, failure);
    *experts = (struct node_lines){0};
    if (kind == FAIL_NONE && list->is_to_experts) {
        token_node = memory_allocate(items, sizeof *token_node);
        for (uint32_t i = 0; token_node != NULL && i < items; i++)
            token_node[i] = placement_item(&placement, i);
        if (token_node == NULL)
            kind = fail_memory(failure, "the nodes of tokens");
    }
    own->plan.per_node = placement.per_node;
    if (kind == FAIL_NONE)
        kind = item_traffic_make(&own->traffic, list, token_node, failure);
    free(token_node);
    placement_free(&placement);
    return kind;
}

static enum failure_kind read_traffic(struct placing *own, struct failure *failure)
{
    struct import_options options;
    struct entry_list list = {0};
    struct node_lines experts = {0};
    if (find_options(own->command, &options, failure) == FAIL_NONE &&
        items_read(own->command->operand[0], &options, &list, &experts, &own->summary, failure) ==
            FAIL_NONE)
        make_traffic(own, &options, &list, &experts, failure);
    node_lines_free(&experts);
    entry_list_free(&list);
    return failure->kind;
}

/* ---- starts ---- */

/* Measures an assignment as one more start, and keeps it if it is the best; else frees it. */
static enum failure_kind add_start(struct placing *own, const char *name,
                                   struct assignment *assignment, struct failure *failure)
{
    struct placed *start = &own->start[own->starts++], *best = &own->start[own->from];
    start->name = name;
    if (place_measure(&own->plan, assignment, &start->cost, failure) == FAIL_NONE &&
        (own->best.node == NULL ||
         place_figure(&own->plan, &start->cost) < place_figure(&own->plan, &best->cost))) {
        assignment_free(&own->best);
        own->best = *assignment;
        own->from = own->starts - 1;
    } else {
        assignment_free(assignment);
    }
    return failure->kind;
}

static enum failure_kind make_starts(struct placing *own, struct failure *failure)
{
    const struct place_start *start;
    for (uint32_t i = 0; (start = place_start_at(&own->plan, i)) != NULL; i++) {
        struct assignment assignment;
        command_progress(own->command, 0, 0, start->name);
        if (interrupt_check(own->command->interrupt, failure) != FAIL_NONE ||
            assignment_make(&assignment, &own->plan, failure) != FAIL_NONE)
            return failure->kind;
        if (start->fill(&own->plan, &assignment, failure) != FAIL_NONE)
            assignment_free(&assignment);
        else
            add_start(own, start->name, &assignment, failure);
        if (failure->kind != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

/* Fails if a node of a partition has more items than it may have. */
static enum failure_kind check_part(const struct placing *own, const char *path,
                                    const struct node_lines *lines, struct failure *failure)
{
    uint32_t *count = memory_allocate(own->topology.nodes, sizeof *count);
    if (count == NULL)
        return fail_memory(failure, "the items of nodes");
    for (uint32_t i = 0; i < own->traffic.items && failure->kind == FAIL_NONE; i++)
        if (++count[lines->node[i]] > own->plan.per_node)
            fail(failure, FAIL_USAGE,
                 "%.200s has more than %" PRIu32 " item%s on node %" PRIu32 "; give --per-node",
                 path, own->plan.per_node, own->plan.per_node == 1 ? "" : "s", lines->node[i]);
    free(count);
    return failure->kind;
}

/* Adds a partition to the starts. */
static enum failure_kind read_part(struct placing *own, const char *path, struct failure *failure)
{
    const struct node_lines_format format = {
        .most = own->traffic.items, .is_partition = true, .broken = &own->topology};
    struct byte_source *source;
    struct node_lines lines = {0};
    struct assignment assignment = {0};
    if (own->plan.copies != own->traffic.items)
        return fail(failure, FAIL_USAGE, "--parts has one node per item, --replicas several");
    if (byte_source_open(&source, path, failure) == FAIL_NONE &&
        node_lines_read_source(&lines, &format, source, path, failure) == FAIL_NONE &&
        node_lines_check(&lines, &own->topology.shape, failure) == FAIL_NONE &&
        check_part(own, path, &lines, failure) == FAIL_NONE &&
        assignment_make(&assignment, &own->plan, failure) == FAIL_NONE) {
        memcpy(assignment.node, lines.node, own->traffic.items * sizeof *lines.node);
        add_start(own, path, &assignment, failure);
    }
    node_lines_free(&lines);
    return failure->kind;
}

/* ---- the search ---- */

static double time_used(void *context, uint64_t tried, const struct place_cost *least)
{
    struct placing *own = context;
    double seconds = stopwatch_seconds() - own->began, all = own->options->seconds;
    char text[96];
    snprintf(text, sizeof text, "place: %" PRIu64 " moves, %" PRIu64 " %s", tried,
             place_figure(&own->plan, least), place_objective_names[own->plan.objective]);
    if (own->plan.moves < UINT64_MAX)
        command_progress(own->command, tried, own->plan.moves, text);
    else
        command_progress(own->command, (uint64_t)seconds, (uint64_t)all, text);
    return all > 0 ? seconds / all : 0;
}

static enum failure_kind make_plan(struct placing *own, struct failure *failure)
{
    const struct place_options *options = own->options;
    const struct item_traffic *traffic = &own->traffic;
    struct place_plan *plan = &own->plan;
    uint32_t nodes = topology_main_nodes(&own->topology);
    if (options->replicas > 0 && !traffic->has_tokens)
        return fail(failure, FAIL_USAGE, "--replicas is for --format routes");
    if (options->replicas > 0 && own->topology.shape.kind == TOPOLOGY_GRAPH)
        return fail(failure, FAIL_USAGE,
                    "--replicas is for meshes and tori, where import knows the nearest copy");
    if (options->replicas > (uint64_t)traffic->items * (nodes - 1))
        return fail(failure, FAIL_USAGE,
                    "%" PRIu32 " replicas of %" PRIu32 " experts are more than one copy per node",
                    options->replicas, traffic->items);
    plan->traffic = traffic;
    plan->topology = &own->topology;
    plan->whole = &own->whole;
    plan->paths = &own->paths;
    plan->copies = traffic->items + options->replicas;
    if (traffic->has_tokens)
        plan->per_node = (uint32_t)divide_up(plan->copies, nodes);
    if ((uint64_t)own->topology.nodes * plan->per_node > MOST_SEATS)
        return fail(failure, FAIL_USAGE,
                    "%" PRIu32 " items on each of %" PRIu32 " nodes are too many", plan->per_node,
                    own->topology.nodes);
    plan->objective = (enum place_objective)options->objective;
    if (plan->objective == PLACE_BOUND && !place_has_bound(plan))
        return fail(failure, FAIL_USAGE, "--objective bound is for meshes of two dimensions");
    plan->seed = options->seed;
    plan->moves = command_is_set(own->command, "moves") ? options->moves
                  : options->seconds > 0                ? UINT64_MAX
                                                        : (uint64_t)plan->copies * DEFAULT_MOVES;
    plan->threads = parallel_threads_for(UINT32_MAX, UINT32_MAX, options->threads);
    plan->time_used = time_used;
    plan->context = own;
    plan->interrupt = own->command->interrupt;
    return path_table_make(&own->paths, plan->topology, plan->threads, plan->interrupt, failure);
}

/* Writes a line per item, of its nodes. */
static void write_part(const struct placing *own, FILE *out)
{
    const struct assignment *best = &own->best;
    for (uint32_t i = 0; i < own->traffic.items; i++) {
        fprintf(out, "%" PRIu32, best->node[i]);
        for (uint32_t copy = best->next[i]; copy != PLACE_NONE; copy = best->next[copy])
            fprintf(out, " %" PRIu32, best->node[copy]);
        putc('\n', out);
    }
}

/* ---- the report ---- */

static void set_placed(struct report_object *object, const struct placing *own,
                       const struct placed *placed)
{
    report_set_count(object, "hops", placed->cost.hops);
    report_set_count(object, "busiest_link", placed->cost.busiest_link);
    report_set_if(object, KEY_LOWER_BOUND, place_has_bound(&own->plan), placed->cost.bound);
}

static json_t *placed_json(const struct placing *own, const struct placed *placed)
{
    struct report_object object = report_object_open();
    report_set(&object, "name", report_json_text(placed->name));
    set_placed(&object, own, placed);
    report_set_ratio(&object, "hops_per_row_order", (double)placed->cost.hops,
                     (double)own->start[0].cost.hops);
    return report_object_close(&object);
}

static json_t *place_json(const struct placing *own)
{
    struct report_object object = report_result_open();
    json_t *starts = json_array();
    report_set(&object, "file", report_json_text(own->command->operand[0]));
    report_set_count(&object, "items", own->traffic.items);
    report_set_count(&object, "messages", own->traffic.messages);
    report_set_shape(&object, &own->topology.shape);
    report_set_missing(&object, &own->topology);
    report_set_count(&object, "nodes", own->topology.nodes);
    report_set_count(&object, "per_node", own->plan.per_node);
    report_set_count(&object, "replicas", own->options->replicas);
    report_set_word(&object, "objective", place_objective_names[own->plan.objective]);
    report_set_seed(&object, own->options->seed);
    for (uint32_t i = 0; i < own->starts; i++)
        report_append(&starts, placed_json(own, &own->start[i]));
    report_append(&starts, placed_json(own, &own->found));
    report_set(&object, "placements", starts);
    report_set(&object, "best_start", report_json_text(own->start[own->from].name));
    set_placed(&object, own, &own->found);
    report_set_count(&object, "least_hops", place_least_hops(&own->plan));
    report_set_count(&object, "moves", own->result.tried);
    report_set_count(&object, "kept", own->result.kept);
    report_set_count(&object, "threads", own->result.threads);
    report_set(&object, KEY_WALL_SECONDS, json_real(own->seconds));
    return report_object_close(&object);
}

static const struct figure PLACED[] = {
    {"name", "placement", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"hops", "hops", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"hops_per_row_order", "/row", FIGURE_RATIO, FIGURE_ALL, NULL},
    {"busiest_link", "busiest link", FIGURE_COUNT, FIGURE_ALL, NULL},
    {KEY_LOWER_BOUND, "lower bound", FIGURE_COUNT, FIGURE_ALL, NULL},
    {0}};
static const struct figures placed_figures = {{PLACED}};

static void print_placed(const json_t *json, FILE *out)
{
    figures_print_text(json,
                       "{file}: {items:item}, {messages:message}; {topology} {sizes}" MISSING_TEXT
                       ", at most {per_node} per node[, {replicas:replica}]\n\n",
                       out);
    table_print_text(&(struct table){&placed_figures, json_object_get(json, "placements"), false},
                     out);
    figures_print_text(json,
                       "\nhops: links that all trees cross, of which no placement has fewer than "
                       "{least_hops};\nbusiest link: trees that cross one link; lower bound: steps "
                       "of any router\n{moves:move} from {best_start}, {kept} of them made, "
                       "{wall_seconds:.3} s\n",
                       out);
}

static enum failure_kind finish(struct placing *own, struct output_file *file,
                                struct meshcast_report *report, struct failure *failure)
{
    own->found.name = "result";
    if (place_measure(&own->plan, &own->best, &own->found.cost, failure) != FAIL_NONE)
        return failure->kind;
    if (file->file != NULL) {
        write_part(own, file->file);
        if (output_file_close(file, true, failure) != FAIL_NONE)
            return failure->kind;
    }
    if (report_take_json(report, place_json(own), "placements", failure) != FAIL_NONE)
        return failure->kind;
    print_placed(report->json, command_table(report));
    if (interrupt_is_sent(own->command->interrupt))
        fail(failure, FAIL_INTERRUPTED, "interrupted");
    return failure->kind;
}

static enum failure_kind place(struct placing *own, struct meshcast_report *report,
                               struct failure *failure)
{
    struct output_file file;
    if (read_traffic(own, failure) != FAIL_NONE || make_plan(own, failure) != FAIL_NONE ||
        output_file_open(&file, own->options->output, failure) != FAIL_NONE)
        return failure->kind;
    make_starts(own, failure);
    for (uint32_t i = 0; i < own->options->parts.count && failure->kind == FAIL_NONE; i++)
        read_part(own, own->options->parts.file[i], failure);
    if (failure->kind == FAIL_NONE) {
        own->began = stopwatch_seconds();
        if (place_improve(&own->plan, &own->best, &own->result, failure) == FAIL_NONE) {
            own->seconds = stopwatch_seconds() - own->began;
            finish(own, &file, report, failure);
        }
    }
    output_file_close(&file, false, failure); /* of a search without a result */
    return failure->kind;
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    struct placing *own = memory_allocate(1, sizeof *own);
    if (own == NULL)
        return fail_memory(failure, "a placement");
    own->command = command;
    own->options = command->options;
    place(own, report, failure);
    assignment_free(&own->best);
    item_traffic_free(&own->traffic);
    path_table_free(&own->paths);
    if (own->topology.offset != own->whole.offset)
        topology_free(&own->topology);
    command_topology_free(own->command, &own->whole);
    free(own);
    return failure->kind;
}

const struct meshcast_command_row command_place = {
    .name = "place",
    .summary = "which node each item of a matrix, a graph or a set should have",
    .examples = "  meshcast place west0479.mtx -o west.part\n"
                "  meshcast import west0479.mtx --part west.part -o west.mcast\n"
                "  meshcast place circuit.hgr --topology mesh:8x8 --moves 100000 -o circuit.part\n"
                "  meshcast place routes.jsonl --per-node 4 --replicas 12 -o experts.txt\n",
    .synopsis = "FILE [--side M | --topology T] [options] [-o PART]",
    .operands = "FILE, what import reads, or a message set, whose nodes are the items",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct place_options),
    .options = {{mesh_option_rows, MESH_OPTION_ROWS, offsetof(struct place_options, mesh)},
                {rows, sizeof rows / sizeof rows[0], 0}},
    .topics = "'meshcast help formats'",
    .ends_early = true,
    .run = run,
};
