/* fuzz_expander.c - the reader of graph files against any bytes.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. Behind the head (test/fuzz/faults.h) comes the file. What
 * the reader takes must be a graph whose neighbours are groups, and must be written and read back
 * the same; what it refuses must be refused with FAIL_INPUT and one printable line that names the
 * line and what was expected, or with FAIL_SYSTEM where a call failed.
 */
#include "expanders/expander.h"
#include "test/fuzz/faults.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_graph(const struct expander *graph, size_t length)
{
    uint32_t shown =
        graph->inputs < 4096 ? graph->inputs : 4096; /* a header may ask for millions */
    fuzz_require(graph->degree >= 1 && graph->degree <= graph->groups);
    fuzz_require(graph->groups <= graph->inputs);
    if (graph->entry != NULL)
        fuzz_require(2 * (uint64_t)graph->inputs * graph->degree <= length + 1);
    for (uint32_t u = 0; u < shown; u++)
        for (uint32_t j = 0; j < graph->degree; j++)
            fuzz_require(expander_neighbour(graph, u, j) < graph->groups);
}

static void check_again(const struct expander *graph)
{
    char *text = NULL;
    size_t size = 0;
    struct expander again;
    FILE *file = open_memstream(&text, &size);
    fuzz_require(file != NULL && expander_write(graph, NULL, file));
    fclose(file);
    fuzz_require(expander_read_memory(&again, text, size, "again", NULL) == FAIL_NONE);
    fuzz_require(again.inputs == graph->inputs && again.groups == graph->groups &&
                 again.degree == graph->degree && again.kind == graph->kind);
    expander_free(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct expander graph;
    struct failure failure = {0};
    enum failure_kind kind;
    unsigned flags;
    if (!fuzz_begin(&bytes, &length, &flags))
        return 0;
    const char *path = fuzz_serve("input", bytes, length, flags);
    if (flags & FUZZ_FILE)
        kind = expander_read(&graph, path, &failure);
    else
        kind = expander_read_memory(&graph, bytes, length, "input", &failure);
    bool has_struck = fuzz_end();
    if (kind == FAIL_NONE) {
        check_graph(&graph, length);
        check_again(&graph);
    } else {
        fuzz_require_failure(kind, &failure, has_struck);
        fuzz_require(kind == FAIL_SYSTEM || strstr(failure.text, "expected") != NULL);
    }
    expander_free(&graph);
    return 0;
}
