/* expander_write.c - writes a graph file: a header line, a comment, and a line per input.
 *
 * A Reed-Solomon graph is its header alone. Cost: O(r p) time.
 */
#include "expanders/expander.h"

#include <inttypes.h>

static void write_table(const struct expander *graph, FILE *out)
{
    for (uint32_t i = 0; i < graph->inputs && !ferror(out); i++)
        for (uint32_t j = 0; j < graph->degree; j++)
            fprintf(out, "%" PRIu32 "%c", graph->entry[(size_t)i * graph->degree + j],
                    j + 1 == graph->degree ? '\n' : ' ');
}

bool expander_write(const struct expander *graph, const char *comment, FILE *out)
{
    fprintf(out, "expander 1 %s %" PRIu32, expander_kind_name(graph->kind), graph->inputs);
    if (graph->kind == EXPANDER_REED_SOLOMON)
        fprintf(out, " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", graph->degree, graph->field.q,
                graph->dimension);
    else
        fprintf(out, " %" PRIu32 " %" PRIu32 "\n", graph->groups, graph->degree);
    if (comment != NULL)
        fprintf(out, "# %s\n", comment);
    if (graph->kind != EXPANDER_REED_SOLOMON)
        write_table(graph, out);
    return !ferror(out) && fflush(out) == 0;
}
