/* report_use.c - the demands of a run's multicast trees on routers with tables, and on links: the
 * reports of --tables and --top-links.
 *
 * Method: each hop and delivery is a key of node, message and a way of use; keys are sorted, and
 * double ones dropped, whenever the list is full, so it holds no more than twice the different
 * ones. A link's load is a counter. At the end the keys of a node are contiguous, and within these
 * those of a message.
 *   If the trees were static, a node would find in its table, by the message's number, the links of
 * a packet, and whether it goes to the node itself. It needs no entry for a message whose packets
 * only go straight on: from one link to the opposite one. Entries with the same outputs are equal;
 * merging all of them is the most that any scheme of masks can do.
 *   Colours: messages in the order of their numbers; each takes the least colour that no message
 * before it has at one of its nodes. A node has a bit per used colour.
 * Cost: O(1) per event and the sorts; 16 bytes per (node, message, way).
 */
#include "library/report_use.h"

#include "library/report_parts.h"

#include <stdlib.h>
#include <string.h>

enum { WAY_BITS = 4, NODE_BITS = 26, INTO = DIRECTIONS, EJECTED = 2 * DIRECTIONS };
enum { NODE_SHIFT = 32 + WAY_BITS };
_Static_assert(1 << NODE_BITS == MESH_MAX_NODES, "a node fits");

static uint64_t key_of(node_index node, uint32_t message, unsigned way)
{
    return (uint64_t)node << NODE_SHIFT | (uint64_t)message << WAY_BITS | way;
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t sort_unique(uint64_t *key, uint64_t keys)
{
    uint64_t kept = 0;
    if (keys == 0)
        return 0; /* perhaps there is no list yet */
    qsort(key, keys, sizeof *key, compare_keys);
    for (uint64_t i = 0; i < keys; i++)
        if (kept == 0 || key[kept - 1] != key[i])
            key[kept++] = key[i];
    return kept;
}

/* ---- the events ---- */

static void add_key(struct use_report *use, uint64_t key)
{
    enum { FIRST_ROOM = 1 << 14 };
    if (use->is_short)
        return;
    if (use->keys == use->room) {
        use->keys = sort_unique(use->key, use->keys);
        if (use->keys >= use->room / 2) {
            uint64_t room = use->room == 0 ? FIRST_ROOM : 2 * use->room;
            uint64_t *grown = memory_resize(use->key, room, sizeof key);
            use->is_short = grown == NULL;
            if (grown == NULL)
                return;
            use->key = grown;
            use->room = room;
        }
    }
    use->key[use->keys++] = key;
}

static void name_packet(struct use_report *use, uint32_t packet, uint32_t message)
{
    if (packet >= use->packets && !use->is_short) {
        uint32_t room = packet < UINT32_MAX / 2 ? 2 * packet + 64 : UINT32_MAX;
        uint32_t *grown = memory_resize(use->message, room, sizeof *grown);
        use->is_short = grown == NULL;
        if (grown == NULL)
            return;
        use->message = grown;
        use->packets = room;
    }
    if (packet < use->packets)
        use->message[packet] = message;
}

static uint32_t message_of(const struct use_report *use, uint32_t packet)
{
    return packet < use->packets ? use->message[packet] : 0;
}

static enum direction direction_of(node_index from, node_index to)
{
    if (to == from + 1)
        return EAST;
    if (to + 1 == from)
        return WEST;
    return to > from ? SOUTH : NORTH;
}

/* in a mesh of one column the node below has the next number */
static enum direction direction_in(struct mesh mesh, node_index from, node_index to)
{
    if (mesh.cols == 1)
        return to > from ? SOUTH : NORTH;
    return direction_of(from, to);
}

static void take_move(struct use_report *use, const uint32_t *field)
{
    enum direction d = direction_in(use->mesh, field[1], field[2]);
    uint32_t message = message_of(use, field[0]);
    use->load[(size_t)field[1] * DIRECTIONS + d]++;
    add_key(use, key_of(field[1], message, d));
    add_key(use, key_of(field[2], message, INTO + d));
}

static void take_events(void *of_use, uint64_t step, const struct machine_event *event,
                        size_t count)
{
    struct use_report *use = of_use;
    (void)step;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *field = event[i].field;
        if (event[i].kind == 'M')
            take_move(use, field);
        else if (event[i].kind == 'I')
            name_packet(use, field[1], field[2]);
        else if (event[i].kind == 'C')
            name_packet(use, field[2], message_of(use, field[1]));
        else if (event[i].kind == 'D' || event[i].kind == 'E')
            add_key(use, key_of(field[0], field[2], EJECTED));
    }
}

static void take_phase(void *of_use, uint64_t step, const char *name)
{
    (void)of_use, (void)step, (void)name;
}

/* ---- tables ---- */

/* The keys of one message at one node, from `at` on. */
struct visit {
    node_index node;
    uint32_t message;
    unsigned into, out; /* bits of directions; `out` also has EJECTED_BIT */
};
enum { EJECTED_BIT = 1 << DIRECTIONS, OUTPUTS = 1 << (DIRECTIONS + 1) };

static uint64_t next_visit(const struct use_report *use, uint64_t at, struct visit *visit)
{
    uint64_t place = use->key[at] >> WAY_BITS;
    *visit = (struct visit){(node_index)(place >> 32), (uint32_t)place, 0, 0};
    for (; at < use->keys && use->key[at] >> WAY_BITS == place; at++) {
        unsigned way = use->key[at] & ((1 << WAY_BITS) - 1);
        if (way == EJECTED)
            visit->out |= EJECTED_BIT;
        else if (way >= INTO)
            visit->into |= 1u << (way - INTO);
        else
            visit->out |= 1u << way;
    }
    return at;
}

static bool needs_entry(const struct visit *visit)
{
    bool is_one_way = visit->into != 0 && (visit->into & (visit->into - 1)) == 0;
    return !(is_one_way && visit->into == visit->out);
}

struct node_count {
    node_index node;
    uint32_t messages, entries, merged;
    bool has[OUTPUTS];
};

static void count_node(const struct node_count *count, uint32_t limit, struct tree_tables *tables)
{
    tables->entries += count->entries;
    tables->merged += count->merged;
    if (count->entries > tables->most) {
        tables->most = count->entries;
        tables->most_node = count->node;
    }
    if (count->merged > tables->most_merged) {
        tables->most_merged = count->merged;
        tables->merged_node = count->node;
    }
    if (count->messages > tables->messages)
        tables->messages = count->messages;
    tables->over += limit > 0 && count->entries > limit;
    tables->over_merged += limit > 0 && count->merged > limit;
}

/* ---- colours ---- */

struct colours {
    uint32_t nodes, words; /* of 64 colours per node */
    uint64_t *taken;
};

static bool widen(struct colours *colours)
{
    uint32_t words = 2 * colours->words;
    uint64_t *taken = memory_allocate((size_t)colours->nodes * words, sizeof *taken);
    if (taken == NULL)
        return false;
    for (uint32_t node = 0; node < colours->nodes; node++)
        memcpy(taken + (size_t)node * words, colours->taken + (size_t)node * colours->words,
               colours->words * sizeof *taken);
    free(colours->taken);
    colours->taken = taken;
    colours->words = words;
    return true;
}

/* Returns the least colour that is free at all of these nodes; 64 words: none. */
static uint32_t free_colour(const struct colours *colours, const uint64_t *visit, uint64_t count)
{
    for (uint32_t word = 0; word < colours->words; word++) {
        uint64_t taken = 0;
        for (uint64_t i = 0; i < count && taken != UINT64_MAX; i++)
            taken |= colours->taken[(visit[i] & (MESH_MAX_NODES - 1)) * colours->words + word];
        if (taken != UINT64_MAX)
            return 64 * word + (uint32_t)__builtin_ctzll(~taken);
    }
    return 64 * colours->words;
}

/* Colours all messages; `visit` has message << NODE_BITS | node, ascending. */
static bool colour_all(struct colours *colours, const uint64_t *visit, uint64_t visits,
                       uint32_t *used)
{
    for (uint64_t first = 0, end; first < visits; first = end) {
        for (end = first; end < visits && visit[end] >> NODE_BITS == visit[first] >> NODE_BITS;)
            end++;
        uint32_t colour = free_colour(colours, visit + first, end - first);
        if (colour == 64 * colours->words && !widen(colours))
            return false;
        for (uint64_t i = first; i < end; i++)
            colours->taken[(visit[i] & (MESH_MAX_NODES - 1)) * colours->words + colour / 64] |=
                UINT64_C(1) << colour % 64;
        *used = colour + 1 > *used ? colour + 1 : *used;
    }
    return true;
}

static enum failure_kind find_tables(struct use_report *use, struct failure *failure)
{
    struct tree_tables *tables = &use->tables;
    enum { FIRST_WORDS = 4 };
    struct node_count count = {.node = MESH_NO_NODE};
    struct colours colours = {.nodes = mesh_nodes(use->mesh), .words = FIRST_WORDS};
    struct visit visit;
    uint64_t visits = 0, *by_message = memory_allocate(use->keys, sizeof *by_message);
    colours.taken = memory_allocate((size_t)colours.nodes * colours.words, sizeof *colours.taken);
    bool has_memory = by_message != NULL && colours.taken != NULL;
    for (uint64_t at = 0; at < use->keys && has_memory;) {
        at = next_visit(use, at, &visit);
        if (visit.node != count.node) {
            count_node(&count, use->options.table_limit, tables);
            count = (struct node_count){.node = visit.node};
        }
        count.messages++;
        if (needs_entry(&visit)) {
            count.entries++;
            count.merged += !count.has[visit.out];
            count.has[visit.out] = true;
        }
        by_message[visits++] = (uint64_t)visit.message << NODE_BITS | visit.node;
    }
    count_node(&count, use->options.table_limit, tables);
    if (has_memory) {
        qsort(by_message, visits, sizeof *by_message, compare_keys);
        has_memory = colour_all(&colours, by_message, visits, &tables->colours);
    }
    free(by_message);
    free(colours.taken);
    return has_memory ? FAIL_NONE : fail_memory(failure, "routing tables");
}

/* ---- links ---- */

/* Returns the index of the first key at or after `key`. */
static uint64_t find_key(const struct use_report *use, uint64_t key)
{
    uint64_t low = 0, high = use->keys;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (use->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool list_messages(const struct use_report *use, struct tree_link *link, enum direction d)
{
    uint64_t first = find_key(use, key_of(link->from, 0, 0));
    uint64_t end = find_key(use, (uint64_t)(link->from + 1) << NODE_SHIFT);
    for (uint64_t at = first; at < end; at++)
        link->messages += (use->key[at] & ((1 << WAY_BITS) - 1)) == d;
    link->message = memory_allocate(link->messages, sizeof *link->message);
    uint32_t next = 0;
    for (uint64_t at = first; at < end && link->message != NULL; at++)
        if ((use->key[at] & ((1 << WAY_BITS) - 1)) == d)
            link->message[next++] = (uint32_t)(use->key[at] >> WAY_BITS);
    return link->message != NULL;
}

static node_index neighbour(struct mesh mesh, node_index node, enum direction d)
{
    const uint32_t cols = mesh.cols;
    return d == NORTH ? node - cols : d == SOUTH ? node + cols : d == WEST ? node - 1 : node + 1;
}

/* Finds the busiest links; of several with as many packets those of the first nodes. */
static enum failure_kind find_links(struct use_report *use, struct failure *failure)
{
    uint32_t wanted = use->options.top_links;
    struct tree_link *link = use->link = memory_allocate(wanted, sizeof *link);
    size_t links = (size_t)mesh_nodes(use->mesh) * DIRECTIONS;
    for (size_t i = 0; i < links && link != NULL; i++) {
        uint32_t at = use->links;
        if (use->load[i] == 0 || (at == wanted && use->load[i] <= link[wanted - 1].packets))
            continue;
        at = at < wanted ? use->links++ : wanted - 1;
        for (; at > 0 && link[at - 1].packets < use->load[i]; at--)
            link[at] = link[at - 1];
        node_index from = (node_index)(i / DIRECTIONS);
        link[at] =
            (struct tree_link){from, neighbour(use->mesh, from, (enum direction)(i % DIRECTIONS)),
                               use->load[i], 0, NULL};
    }
    bool has_memory = link != NULL;
    for (uint32_t i = 0; i < use->links && has_memory; i++)
        has_memory =
            list_messages(use, &link[i], direction_in(use->mesh, link[i].from, link[i].to));
    return has_memory ? FAIL_NONE : fail_memory(failure, "the busiest links");
}

/* ---- the report of a run ---- */

enum failure_kind use_options_check(const struct use_options *options, bool reduces,
                                    struct failure *failure)
{
    if (options->table_limit > 0 && !options->tables)
        return fail(failure, FAIL_USAGE, "--table-limit goes with --tables");
    if (reduces && options->tables)
        return fail(failure, FAIL_USAGE, "--tables is for multicasts, without --reduce");
    return FAIL_NONE;
}

enum failure_kind use_report_begin(struct use_report *report, const struct use_options *wanted,
                                   struct mesh mesh, struct failure *failure)
{
    *report = (struct use_report){.options = *wanted, .mesh = mesh};
    report->observer = (struct machine_observer){report, take_events, take_phase, NULL};
    if (use_report_observer(report) == NULL)
        return FAIL_NONE;
    report->load = memory_allocate((size_t)mesh_nodes(mesh) * DIRECTIONS, sizeof *report->load);
    return report->load != NULL ? FAIL_NONE : fail_memory(failure, "the use of links and nodes");
}

const struct machine_observer *use_report_observer(const struct use_report *report)
{
    return report->options.tables || report->options.top_links > 0 ? &report->observer : NULL;
}

enum failure_kind use_report_end(struct use_report *report, bool has_figures,
                                 struct failure *failure)
{
    if (!has_figures)
        report->options = (struct use_options){.tables = false};
    if (use_report_observer(report) == NULL)
        return FAIL_NONE;
    if (report->is_short)
        return fail_memory(failure, "the use of links and nodes");
    report->keys = sort_unique(report->key, report->keys);
    if (report->options.tables && find_tables(report, failure) != FAIL_NONE)
        return failure->kind;
    return report->options.top_links > 0 ? find_links(report, failure) : FAIL_NONE;
}

void use_report_free(struct use_report *report)
{
    free(report->message);
    free(report->load);
    free(report->key);
    for (uint32_t i = 0; i < report->links; i++)
        free(report->link[i].message);
    free(report->link);
}

/* ---- text ---- */

static const struct figure table_lines[] = {
    {"tables.entries.most", "entries", FIGURE_COUNT, FIGURE_LINE,
     "at most, node {tables.entries.most_node} (row {tables.entries.most_node/cols}, column "
     "{tables.entries.most_node%cols}); {tables.entries.mean:.1} on average"
     "[; {tables.entries.nodes_over_limit:node} above {tables.limit}]"
     "[{!tables.entries.nodes_over_limit}; none above {tables.limit}]"},
    {"tables.merged.most", "equal ones merged", FIGURE_COUNT, FIGURE_LINE,
     "at most, node {tables.merged.most_node} (row {tables.merged.most_node/cols}, column "
     "{tables.merged.most_node%cols}); {tables.merged.mean:.1} on average"
     "[; {tables.merged.nodes_over_limit:node} above {tables.limit}]"
     "[{!tables.merged.nodes_over_limit}; none above {tables.limit}]"},
    {"tables.colours", "colours", FIGURE_COUNT, FIGURE_LINE,
     "of messages that share no node; {tables.messages_at_node} come to one node"},
    {0}};

static const struct figure link_columns[] = {
    {"from_node", "from", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"to_node", "to", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"packets", "packets", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"count", "messages", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"list", "the first of them", FIGURE_TEXT, FIGURE_ALL, NULL},
    {0}};

const struct figure use_columns[] = {
    {"tables.entries.most", "most", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"tables.entries.mean", "mean", FIGURE_RATIO, FIGURE_ALL, NULL},
    {"tables.merged.most", "merged", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"tables.merged.mean", "mean", FIGURE_RATIO, FIGURE_ALL, NULL},
    {"tables.colours", "colours", FIGURE_COUNT, FIGURE_ALL, NULL},
    {0}};

const struct figure use_limit_columns[] = {
    {"tables.entries.nodes_over_limit", "nodes above the limit", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"tables.merged.nodes_over_limit", "merged", FIGURE_COUNT, FIGURE_ALL, NULL},
    {0}};

/* Returns the row of a link for people; `cols` are those of the mesh. */
static json_t *link_row(const json_t *link, const json_t *cols)
{
    enum { LISTED = 8 };
    const json_t *messages = json_object_get(link, "messages");
    struct report_object row = report_object_copy(link);
    char list[LISTED * 12] = "";
    size_t used = 0;
    report_set(&row, "cols", json_incref((json_t *)cols));
    report_set(&row, "from_node", figures_text(row.value, "({from/cols}, {from%cols})"));
    report_set(&row, "to_node", figures_text(row.value, "({to/cols}, {to%cols})"));
    report_set_count(&row, "count", json_array_size(messages));
    for (size_t i = 0; i < json_array_size(messages) && i < LISTED; i++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%" JSON_INTEGER_FORMAT,
                             i == 0 ? "" : " ", json_integer_value(json_array_get(messages, i)));
    report_set(&row, "list",
               json_sprintf("%s%s", list, json_array_size(messages) > LISTED ? " .." : ""));
    return report_object_close(&row);
}

void use_report_print(const json_t *run, FILE *out)
{
    static const struct figures lines = {{table_lines}}, columns = {{link_columns}};
    const json_t *links = json_object_get(run, "top_links");
    json_t *rows = json_array(), *link;
    size_t i;
    if (json_object_get(run, "tables") != NULL) {
        fputc('\n', out);
        report_print_heading("routing tables, if the trees of this run were static", out);
        figures_print(&lines, run, out);
    }
    json_array_foreach(links, i, link)
    {
        report_append(&rows, link_row(link, json_object_get(run, "cols")));
    }
    if (links != NULL) {
        fputc('\n', out);
        report_print_heading("busiest links", out);
        table_print_text(&(struct table){&columns, rows, false}, out);
    }
    json_decref(rows);
}

/* ---- JSON ---- */

static json_t *entries_json(const struct use_report *report, uint64_t all, uint32_t most,
                            node_index node, uint32_t over)
{
    struct report_object object = report_object_open();
    report_set_count(&object, "most", most);
    report_set_count(&object, "most_node", node);
    report_set(&object, "mean", json_real((double)all / mesh_nodes(report->mesh)));
    if (report->options.table_limit > 0)
        report_set_count(&object, "nodes_over_limit", over);
    return report_object_close(&object);
}

static json_t *tables_json(const struct use_report *report)
{
    const struct tree_tables *tables = &report->tables;
    struct report_object object = report_object_open();
    report_set(
        &object, "entries",
        entries_json(report, tables->entries, tables->most, tables->most_node, tables->over));
    report_set(&object, "merged",
               entries_json(report, tables->merged, tables->most_merged, tables->merged_node,
                            tables->over_merged));
    report_set_nonzero(&object, "limit", report->options.table_limit);
    report_set_count(&object, "colours", tables->colours);
    report_set_count(&object, "messages_at_node", tables->messages);
    return report_object_close(&object);
}

static json_t *link_json(const struct tree_link *link)
{
    struct report_object object = report_object_open();
    json_t *messages = json_array();
    for (uint32_t i = 0; i < link->messages; i++)
        report_append(&messages, json_integer((json_int_t)link->message[i]));
    report_set_count(&object, "from", link->from);
    report_set_count(&object, "to", link->to);
    report_set_count(&object, "packets", link->packets);
    report_set(&object, "messages", messages);
    return report_object_close(&object);
}

static json_t *links_json(const struct use_report *report)
{
    json_t *links = json_array();
    for (uint32_t i = 0; i < report->links; i++)
        report_append(&links, link_json(&report->link[i]));
    return links;
}

json_t *use_report_add(const struct use_report *report, json_t *run)
{
    if ((report->options.tables && json_object_set_new(run, "tables", tables_json(report)) != 0) ||
        (report->options.top_links > 0 &&
         json_object_set_new(run, "top_links", links_json(report)) != 0)) {
        json_decref(run);
        return NULL;
    }
    return run;
}
