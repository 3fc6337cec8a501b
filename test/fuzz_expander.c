/* fuzz_expander.c - the reader of graph files against any bytes.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. What the reader takes must be a graph whose neighbours are
 * groups, and must be written and read back the same; what it refuses must be refused with
 * FAIL_INPUT and one printable line that names the line and what was expected.
 */
#include "expanders/expander.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(int holds)
{
    if (!holds)
        abort();
}

static void check_graph(const struct expander *graph, size_t length)
{
    uint32_t shown =
        graph->inputs < 4096 ? graph->inputs : 4096; /* a header may ask for millions */
    require(graph->degree >= 1 && graph->degree <= graph->groups);
    require(graph->groups <= graph->inputs);
    if (graph->entry != NULL)
        require(2 * (uint64_t)graph->inputs * graph->degree <= length + 1);
    for (uint32_t u = 0; u < shown; u++)
        for (uint32_t j = 0; j < graph->degree; j++)
            require(expander_neighbour(graph, u, j) < graph->groups);
}

static void check_again(const struct expander *graph)
{
    char *text = NULL;
    size_t size = 0;
    struct expander again;
    FILE *file = open_memstream(&text, &size);
    require(file != NULL && expander_write(graph, NULL, file));
    fclose(file);
    require(expander_read_memory(&again, text, size, "again", NULL) == FAIL_NONE);
    require(again.inputs == graph->inputs && again.groups == graph->groups &&
            again.degree == graph->degree && again.kind == graph->kind);
    expander_free(&again);
    free(text);
}

static void check_failure(enum failure_kind kind, const struct failure *failure)
{
    require(kind == FAIL_INPUT && failure->kind == kind);
    require(strncmp(failure->text, "input:", 6) == 0);
    require(strstr(failure->text, "expected") != NULL && strstr(failure->text, "found") != NULL);
    for (const char *c = failure->text; *c != '\0'; c++)
        require(*c >= ' ' && *c <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct expander graph;
    struct failure failure = {0};
    enum failure_kind kind = expander_read_memory(&graph, bytes, length, "input", &failure);
    if (kind == FAIL_NONE) {
        check_graph(&graph, length);
        check_again(&graph);
    } else {
        check_failure(kind, &failure);
    }
    expander_free(&graph);
    return 0;
}
