/* results_schema.c - the table of results, and the views over it.
 *
 * One table, `result`: a row has its key, its kind (a run of a sweep, a point of `load`), its
 * state, its specification and its figures, both as JSON. The views give members of these objects
 * as columns under the members' names, so the columns of `run` are the keys of `route --json`. A
 * new figure is a new line here; databases need no change. Any other change raises RESULTS_VERSION.
 *
 * The program trusts no view of a file: it makes its own ones, of the same text, for each
 * connection.
 */
#include "lab/results_schema.h"

#include "lab/results_database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Members of the JSON that are columns of the views, under their own names, with blanks between
 * them. */
static const char RUN_ASKED[] =
    "workload is_file input_hash asked_parameters asked_buffer asked_degree "
    "asked_congestion asked_per_node";
static const char RUN_FIGURES[] =
    "meshcast router copy rows cols nodes messages degree congestion messages_per_node "
    "deliveries seed ran_as steps sync_steps sqrt_cn steps_per_sqrt_cn lower_bound "
    "steps_per_lower_bound lower_bound_kind buffer_capacity buffer_peak buffer_peak_node "
    "buffer_peak_step buffer_peak_phase packet_hops word_hops copies delivered missing "
    "threads wall_seconds error";
static const char LOAD_FIGURES[] =
    "meshcast topology sizes graph nodes switching vcs buffer injection consumption startup "
    "startup_mode router_delay ports release header flit_bits traffic multicast_share arrivals "
    "order warmup "
    "measure finite seed scheme parameters rate destinations flits latency half_width "
    "median p95 p99 max accepted capacity saturated rising runs cycles messages startups "
    "channel_crossings buffer_peak unsent_peak deadlock error outcome";

static void write_columns(const char *object, const char *names, FILE *out)
{
    for (int length; *names != '\0'; names += length + (names[length] == ' ')) {
        length = (int)strcspn(names, " ");
        fprintf(out, ",\n  json_extract(%s, '$.%.*s') AS [%.*s]", object, length, names, length,
                names);
    }
}

/* Writes the views; `word` is TEMP for views of a connection, or "". */
static void write_views(const char *word, FILE *out)
{
    fprintf(out, "CREATE %s VIEW run AS SELECT id, key AS identity", word);
    write_columns("specification", RUN_ASKED, out);
    write_columns("figures", RUN_FIGURES, out);
    for (int i = 0; i < 3; i++) {
        static const char *const members[] = {"median", "p95", "p99"};
        fprintf(out, ",\n  json_extract(figures, '$.delivery_steps.%s') AS delivery_steps_%s",
                members[i], members[i]);
    }
    fputs(",\n  state AS outcome\n  FROM result WHERE kind = '" RESULTS_RUN "';\n", out);
    fprintf(out,
            "CREATE %s VIEW phase AS SELECT result.id AS run, part.key AS position,\n"
            "  json_extract(part.value, '$.name') AS name,\n"
            "  json_extract(part.value, '$.steps') AS steps\n"
            "  FROM result, json_each(figures, '$.phases') AS part\n"
            "  WHERE kind = '" RESULTS_RUN "';\n"
            "CREATE %s VIEW parameter AS SELECT result.id AS run, part.key AS name, part.value\n"
            "  FROM result, json_each(figures, '$.parameters') AS part\n"
            "  WHERE kind = '" RESULTS_RUN "';\n"
            "CREATE %s VIEW load_point AS SELECT id, key AS identity",
            word, word, word);
    write_columns("figures", LOAD_FIGURES, out);
    fputs("\n  FROM result WHERE kind = '" RESULTS_LOAD_POINT "';\n", out);
}

enum failure_kind results_make_schema(struct results_database *database, bool is_of_connection,
                                      struct failure *failure)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return fail_memory(failure, "the tables of the database");
    if (is_of_connection)
        fputs("PRAGMA temp_store = MEMORY;\n", out);
    else
        fprintf(out,
                "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n"
                "CREATE TABLE result (\n"
                "  id INTEGER PRIMARY KEY,\n"
                "  key TEXT NOT NULL UNIQUE,\n"
                "  kind TEXT NOT NULL,\n"
                "  state TEXT NOT NULL,\n"
                "  specification TEXT NOT NULL,\n"
                "  figures TEXT NOT NULL\n"
                ");\n",
                RESULTS_APPLICATION_ID, RESULTS_VERSION);
    write_views(is_of_connection ? "TEMP" : "", out);
    if (fclose(out) != 0)
        fail_memory(failure, "the tables of the database");
    else
        results_execute(database, text, failure);
    free(text);
    return failure->kind;
}
