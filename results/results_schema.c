/* results_schema.c - the tables of results.
 *
 * The columns of figures are the keys of `route --json`, so that who knows one knows the other, but for
 * what is foretold, which follows from them. Of when deliveries were made there are three steps, and not the whole curve.
 * The object's parts that are not single values, phases and parameters, have tables of their own. A seed has no type
 * because it may exceed what SQLite calls an integer; it is then text.
 *
 * A column that comes to the tables is one that older databases lack (results/results_columns.h): readers take NULL
 * for it, writers add it. Any other change of the tables raises RESULTS_VERSION.
 */
#include "results/results_schema.h"

#include "results/results_columns.h"

#include <stdio.h>
#include <stdlib.h>

const struct results_figure results_figure[RESULTS_FIGURES] = {
    {"meshcast", "TEXT", NULL, NULL},
    {"router", "TEXT", NULL, NULL},
    {"copy", "TEXT", NULL, NULL},
    {"rows", "INTEGER", NULL, NULL},
    {"cols", "INTEGER", NULL, NULL},
    {"nodes", "INTEGER", NULL, NULL},
    {"messages", "INTEGER", NULL, NULL},
    {"degree", "INTEGER", NULL, NULL},
    {"congestion", "INTEGER", NULL, NULL},
    {"deliveries", "INTEGER", NULL, NULL},
    {"seed", "", NULL, NULL},
    {"ran_as", "TEXT", NULL, NULL},
    {"steps", "INTEGER", NULL, NULL},
    {"sync_steps", "INTEGER", NULL, NULL},
    {"sqrt_cn", "REAL", NULL, NULL},
    {"steps_per_sqrt_cn", "REAL", NULL, NULL},
    {"lower_bound", "INTEGER", NULL, NULL},
    {"steps_per_lower_bound", "REAL", NULL, NULL},
    {"lower_bound_kind", "TEXT", NULL, NULL},
    {"buffer_capacity", "INTEGER", NULL, NULL},
    {"buffer_peak", "INTEGER", NULL, NULL},
    {"buffer_peak_node", "INTEGER", NULL, NULL},
    {"buffer_peak_step", "INTEGER", NULL, NULL},
    {"buffer_peak_phase", "TEXT", NULL, NULL},
    {"packet_hops", "INTEGER", NULL, NULL},
    {"word_hops", "INTEGER", NULL, NULL},
    {"copies", "INTEGER", NULL, NULL},
    {"delivered", "INTEGER", NULL, NULL},
    {"missing", "INTEGER", NULL, NULL},
    {"threads", "INTEGER", NULL, NULL},
    {"wall_seconds", "REAL", NULL, NULL},
    {"error", "TEXT", NULL, NULL},
    {"outcome", "TEXT NOT NULL", NULL, NULL},
    /* RESULTS_NEWER */
    {"messages_per_node", "INTEGER", NULL, NULL},
    {"delivery_steps_median", "INTEGER", "delivery_steps", "median"},
    {"delivery_steps_p95", "INTEGER", "delivery_steps", "p95"},
    {"delivery_steps_p99", "INTEGER", "delivery_steps", "p99"},
};

char *results_schema_text(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return NULL;
    fprintf(out, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n", RESULTS_APPLICATION_ID,
            RESULTS_VERSION);
    fputs("CREATE TABLE run (\n"
          "  id INTEGER PRIMARY KEY,\n"
          "  identity TEXT NOT NULL UNIQUE,\n"
          "  workload TEXT NOT NULL,\n" /* a pattern, or a file */
          "  is_file INTEGER NOT NULL DEFAULT 0,\n"
          "  input_hash TEXT,\n" /* of the message set */
          "  asked_parameters TEXT NOT NULL,\n"
          "  asked_buffer INTEGER,\n"
          "  asked_degree INTEGER,\n"
          "  asked_congestion INTEGER",
          out);
    for (int i = 0; i < RESULTS_FIGURES; i++)
        fprintf(out, ",\n  %s %s", results_figure[i].key, results_figure[i].type);
    fputs(",\n  " RESULTS_NEWER_ASKED " INTEGER\n);\n"
          "CREATE TABLE phase (\n"
          "  run INTEGER NOT NULL REFERENCES run(id),\n"
          "  position INTEGER NOT NULL,\n"
          "  name TEXT NOT NULL,\n"
          "  steps INTEGER NOT NULL,\n"
          "  PRIMARY KEY (run, position)\n"
          ") WITHOUT ROWID;\n"
          "CREATE TABLE parameter (\n"
          "  run INTEGER NOT NULL REFERENCES run(id),\n"
          "  name TEXT NOT NULL,\n"
          "  value TEXT NOT NULL,\n"
          "  PRIMARY KEY (run, name)\n"
          ") WITHOUT ROWID;\n",
          out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

enum failure_kind results_schema_complete(struct results_database *database,
                                          struct failure *failure)
{
    for (int i = RESULTS_FIGURES - RESULTS_NEWER; i < RESULTS_FIGURES; i++)
        if (results_complete_column(database, "run", results_figure[i].key, results_figure[i].type,
                                    failure) != FAIL_NONE)
            return failure->kind;
    return results_complete_column(database, "run", RESULTS_NEWER_ASKED, "INTEGER", failure);
}
