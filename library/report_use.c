/* report_use.c - the reports of --tables and --top-links: tables, colours, busy links and their messages. */
#include "library/report_use.h"

#include "library/report_parts.h"

#include <inttypes.h>
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

static void print_entries(const struct use_report *report, const char *name, uint64_t all,
                          uint32_t most, node_index node, uint32_t over, FILE *out)
{
    uint32_t cols = report->mesh.cols;
    fprintf(out,
            "  %-16s %10" PRIu32 " at most, node %" PRIu32 " (row %" PRIu32 ", column %" PRIu32
            "); %.1f on average",
            name, most, node, node / cols, node % cols, (double)all / mesh_nodes(report->mesh));
    if (report->options.table_limit > 0)
        fprintf(out, "; %" PRIu32 " node%s above %" PRIu32, over, over == 1 ? "" : "s",
                report->options.table_limit);
    fputc('\n', out);
}

static void print_tables(const struct use_report *report, FILE *out)
{
    const struct tree_tables *tables = &report->tables;
    fputc('\n', out);
    report_print_heading("routing tables, if the trees of this run were static", out);
    print_entries(report, "entries", tables->entries, tables->most, tables->most_node, tables->over,
                  out);
    print_entries(report, "equal ones merged", tables->merged, tables->most_merged,
                  tables->merged_node, tables->over_merged, out);
    fprintf(out,
            "  %-16s %10" PRIu32 " of messages that share no node; %" PRIu32 " come to one node\n",
            "colours", tables->colours, tables->messages);
}

static void print_links(const struct use_report *report, FILE *out)
{
    enum { LISTED = 8 };
    uint32_t cols = report->mesh.cols;
    fputc('\n', out);
    report_print_heading("busiest links: packets, messages, the first of these", out);
    for (uint32_t i = 0; i < report->links; i++) {
        const struct tree_link *link = &report->link[i];
        fprintf(out,
                "  (%" PRIu32 ", %" PRIu32 ") to (%" PRIu32 ", %" PRIu32 ") %8" PRIu64 " %8" PRIu32
                "  ",
                link->from / cols, link->from % cols, link->to / cols, link->to % cols,
                link->packets, link->messages);
        for (uint32_t k = 0; k < link->messages && k < LISTED; k++)
            fprintf(out, " %" PRIu32, link->message[k]);
        fputs(link->messages > LISTED ? " ..\n" : "\n", out);
    }
}

void use_report_print(const struct use_report *report, FILE *out)
{
    if (report->options.tables)
        print_tables(report, out);
    if (report->options.top_links > 0)
        print_links(report, out);
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
