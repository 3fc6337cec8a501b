/* fuzz_import.c - libFuzzer's entry to the readers of matrices and edge lists.
 *
 * Behind the head (test/fuzz/faults.h) a byte chooses: bit 0 the file's name (input.mtx or input.txt),
 * bits 1 and 2 the map, bit 3 whether the diagonal is dropped, bit 4 a side of 64 instead of the
 * least, bit 5 whether the format is given (that of the name), bit 6 a name without an end. The rest
 * is the file, plain or gzip. Maps that need a table get a side of 64 always, so that a declared size
 * of millions, which is right, does not make the run slow. Whatever is accepted must be a message
 * set: sources and destinations ascend and lie on the mesh, no message is empty; whatever is refused
 * must leave no set and one printable line.
 */
#include "test/fuzz/faults.h"
#include "workloads/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require_set(const struct message_set *set, const struct import_summary *summary)
{
    uint32_t nodes = mesh_nodes(set->mesh);
    fuzz_require(mesh_is_valid(set->mesh.rows, set->mesh.cols) && set->offset[0] == 0);
    fuzz_require(set->offset[set->messages] == set->deliveries);
    fuzz_require(set->deliveries == summary->nonzeros);
    fuzz_require(summary->nonzeros <= 2 * summary->entries);
    for (uint32_t i = 0; i < set->messages; i++) {
        fuzz_require(set->source[i] < nodes && set->offset[i] < set->offset[i + 1]);
        fuzz_require(i == 0 || set->source[i - 1] < set->source[i]);
        for (uint64_t d = set->offset[i]; d < set->offset[i + 1]; d++) {
            fuzz_require(set->destination[d] < nodes);
            fuzz_require(d == set->offset[i] || set->destination[d - 1] < set->destination[d]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned flags;
    if (!fuzz_begin(&data, &size, &flags) || size == 0)
        return 0;
    unsigned choice = *data;
    const char *name = choice >> 6 & 1 ? "input" : choice & 1 ? "input.txt" : "input.mtx";
    struct import_options options = {
        .map = (enum import_map)(choice >> 1 & 3),
        .drop_diagonal = choice >> 3 & 1,
        .seed = 1,
        .limit = MEMORY_NO_LIMIT,
    };
    bool table = options.map == IMPORT_HILBERT || options.map == IMPORT_RANDOM;
    options.side = table || (choice >> 4 & 1) ? 64 : 0;
    if (choice >> 5 & 1)
        options.format = choice & 1 ? IMPORT_EDGE_LIST : IMPORT_MATRIX_MARKET;

    struct message_set set;
    struct import_summary summary;
    struct failure failure = {0};
    enum failure_kind kind;
    const char *path = fuzz_serve(name, data + 1, size - 1, flags);
    if (flags & FUZZ_FILE)
        kind = import_matrix(path, &options, &set, &summary, &failure);
    else
        kind = import_memory(data + 1, size - 1, name, &options, &set, &summary, &failure);
    bool has_struck = fuzz_end();
    if (kind == FAIL_NONE) {
        require_set(&set, &summary);
    } else {
        fuzz_require_failure(kind, &failure, has_struck);
        fuzz_require(set.source == NULL && set.offset == NULL && set.destination == NULL);
    }
    message_set_free(&set);
    return 0;
}
