/* report_use.c - the reports of --tables and --top-links: tables, colours, busy links and their messages. */
#include "library/report_use.h"

#include "library/report_parts.h"

#include <stdlib.h>
#include <string.h>

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
    if (!wanted->tables && wanted->top_links == 0)
        return FAIL_NONE;
    return tree_use_make(&report->use, mesh, failure);
}

const struct machine_observer *use_report_observer(const struct use_report *report)
{
    return report->options.tables || report->options.top_links > 0 ? &report->use.observer : NULL;
}

static enum failure_kind find_links(struct use_report *report, struct failure *failure)
{
    uint32_t wanted = report->options.top_links;
    report->link = memory_allocate(wanted, sizeof *report->link);
    if (report->link == NULL)
        return fail_memory(failure, "the busiest links");
    if (tree_use_links(&report->use, wanted, report->link, &report->links, failure) != FAIL_NONE)
        report->links = 0;
    return failure->kind;
}

enum failure_kind use_report_end(struct use_report *report, bool has_figures,
                                 struct failure *failure)
{
    struct use_options *wanted = &report->options;
    if (!has_figures)
        *wanted = (struct use_options){.tables = false};
    if (use_report_observer(report) != NULL &&
        tree_use_finish(&report->use, failure) == FAIL_NONE &&
        (!wanted->tables || tree_use_tables(&report->use, wanted->table_limit, &report->tables,
                                            failure) == FAIL_NONE) &&
        wanted->top_links > 0)
        find_links(report, failure);
    tree_use_free(&report->use);
    report->use = (struct tree_use){.keys = 0};
    return failure->kind;
}

void use_report_free(struct use_report *report)
{
    tree_use_free(&report->use);
    tree_links_free(report->link, report->links);
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
    struct report_object row = {json_copy((json_t *)link), false};
    char list[LISTED * 12] = "";
    size_t used = 0;
    json_object_set(row.value, "cols", (json_t *)cols);
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
