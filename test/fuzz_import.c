/* fuzz_import.c - libFuzzer's entry to the readers of matrices and edge lists.
 *
 * The first byte chooses: bit 0 the file's name (x.mtx or x.txt), bits 1 and 2 the map, bit 3
 * whether the diagonal is dropped, bit 4 a side of 64 instead of the least. The rest is the file,
 * plain or gzip. Maps that need a table get a side of 64 always, so that a declared size of
 * millions, which is right, does not make the run slow. Whatever is accepted must be a message set:
 * sources and destinations ascend and lie on the mesh, no message is empty; whatever is refused
 * must leave no set and one printable line.
 *
 *     clang -g -fsanitize=fuzzer,address,undefined -I. test/fuzz_import.c LIBRARY -lz
 *     cc -DFUZZ_STANDALONE -I. test/fuzz_import.c LIBRARY -lz      runs files, or standard input
 */
#include "workloads/import.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Failures must stop a build with NDEBUG too. */
static void require(bool truth)
{
    if (!truth)
        abort();
}

static void require_set(const struct message_set *set, const struct import_summary *summary)
{
    uint32_t nodes = mesh_nodes(set->mesh);
    require(mesh_is_valid(set->mesh.rows, set->mesh.cols) && set->offset[0] == 0);
    require(set->offset[set->messages] == set->deliveries);
    require(set->deliveries == summary->nonzeros);
    require(summary->nonzeros <= 2 * summary->entries);
    for (uint32_t i = 0; i < set->messages; i++) {
        require(set->source[i] < nodes && set->offset[i] < set->offset[i + 1]);
        require(i == 0 || set->source[i - 1] < set->source[i]);
        for (uint64_t d = set->offset[i]; d < set->offset[i + 1]; d++) {
            require(set->destination[d] < nodes);
            require(d == set->offset[i] || set->destination[d - 1] < set->destination[d]);
        }
    }
}

static void require_refusal(const struct message_set *set, const struct failure *failure)
{
    require(failure->kind == FAIL_INPUT || failure->kind == FAIL_USAGE);
    require(set->source == NULL && set->offset == NULL && set->destination == NULL);
    require(failure->text[0] != '\0');
    for (const char *c = failure->text; *c != '\0'; c++)
        require(*c >= ' ' && *c <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *name = data[0] & 1 ? "x.txt" : "x.mtx";
    struct import_options options = {
        .map = (enum import_map)(data[0] >> 1 & 3), .drop_diagonal = data[0] >> 3 & 1, .seed = 1};
    bool table = options.map == IMPORT_HILBERT || options.map == IMPORT_RANDOM;
    options.side = table || (data[0] >> 4 & 1) ? 64 : 0;

    struct message_set set;
    struct import_summary summary;
    struct failure failure = {0};
    if (import_memory(data + 1, size - 1, name, &options, &set, &summary, &failure) == FAIL_NONE)
        require_set(&set, &summary);
    else
        require_refusal(&set, &failure);
    message_set_free(&set);
    return 0;
}

#ifdef FUZZ_STANDALONE
static void run_stream(FILE *stream)
{
    enum { LIMIT = 1 << 20 };
    uint8_t *data = malloc(LIMIT);
    require(data != NULL);
    LLVMFuzzerTestOneInput(data, fread(data, 1, LIMIT, stream));
    free(data);
}

int main(int count, char **argument)
{
    if (count == 1)
        run_stream(stdin);
    for (int i = 1; i < count; i++) {
        FILE *stream = fopen(argument[i], "rb");
        if (stream == NULL) {
            perror(argument[i]);
            return EXIT_FAILURE;
        }
        run_stream(stream);
        fclose(stream);
    }
    return EXIT_SUCCESS;
}
#endif
