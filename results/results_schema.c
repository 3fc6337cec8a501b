/* results_schema.c - the tables of results.
 *
 * The columns of figures are the keys of `route --json`, so that who knows one knows the other, but for
 * what is foretold, which follows from them, l, which follows from sqrt_cn (results_group_load()), and when deliveries were
 * made. The object's parts that are not single values, phases and
 * parameters, have tables of their own. A seed has no type because it may exceed what SQLite calls an
 * integer; it is then text.
 *
 * A change of the tables raises RESULTS_VERSION.
 */
#include "results/results_schema.h"

#include <stdio.h>
#include <stdlib.h>

const struct results_figure results_figure[RESULTS_FIGURES] = {
    {"meshcast", "TEXT"},
    {"router", "TEXT"},
    {"copy", "TEXT"},
    {"rows", "INTEGER"},
    {"cols", "INTEGER"},
    {"nodes", "INTEGER"},
    {"messages", "INTEGER"},
    {"degree", "INTEGER"},
    {"congestion", "INTEGER"},
    {"deliveries", "INTEGER"},
    {"seed", ""},
    {"ran_as", "TEXT"},
    {"steps", "INTEGER"},
    {"sync_steps", "INTEGER"},
    {"sqrt_cn", "REAL"},
    {"steps_per_sqrt_cn", "REAL"},
    {"lower_bound", "INTEGER"},
    {"steps_per_lower_bound", "REAL"},
    {"lower_bound_kind", "TEXT"},
    {"buffer_capacity", "INTEGER"},
    {"buffer_peak", "INTEGER"},
    {"buffer_peak_node", "INTEGER"},
    {"buffer_peak_step", "INTEGER"},
    {"buffer_peak_phase", "TEXT"},
    {"packet_hops", "INTEGER"},
    {"word_hops", "INTEGER"},
    {"copies", "INTEGER"},
    {"delivered", "INTEGER"},
    {"missing", "INTEGER"},
    {"threads", "INTEGER"},
    {"wall_seconds", "REAL"},
    {"error", "TEXT"},
    {"outcome", "TEXT NOT NULL"},
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
    fputs("\n);\n"
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
