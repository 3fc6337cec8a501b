/* fuzz_message_set.c - the reader of message sets against any bytes.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. Behind the head (test/fuzz/faults.h; FUZZ_OWN: the file's name
 * is longer than what is kept of one) comes the file, plain or gzip. What the reader takes must keep
 * the invariants of struct message_set; what it refuses must be refused with FAIL_INPUT and one
 * printable line that names the line, or with FAIL_SYSTEM where a call failed.
 */
#include "test/fuzz/faults.h"
#include "workloads/message_set.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Deflate's best is 1032 bytes for one. */
enum { MOST_INFLATION = 1032, LONG_NAME = 320 };

static void check_set(const struct message_set *set, size_t length)
{
    uint32_t nodes = mesh_nodes(set->mesh);
    fuzz_require(mesh_is_valid(set->mesh.rows, set->mesh.cols));
    fuzz_require(set->offset[0] == 0 && set->offset[set->messages] == set->deliveries);
    fuzz_require(2 * set->deliveries <= length * MOST_INFLATION);
    for (uint32_t i = 0; i < set->messages; i++) {
        fuzz_require(set->source[i] < nodes && (i == 0 || set->source[i - 1] < set->source[i]));
        fuzz_require(set->offset[i] < set->offset[i + 1]);
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            fuzz_require(set->destination[j] < nodes);
            fuzz_require(j == set->offset[i] || set->destination[j - 1] < set->destination[j]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct message_set set;
    struct failure failure = {0};
    enum failure_kind kind;
    char name[LONG_NAME + 1] = "input";
    unsigned flags;
    if (!fuzz_begin(&bytes, &length, &flags))
        return 0;
    const char *path = fuzz_serve("input", bytes, length, flags);
    if (flags & FUZZ_OWN)
        memset(name + strlen(name), 'x', LONG_NAME - strlen(name));
    if (flags & FUZZ_FILE)
        kind = message_set_read(&set, path, &failure);
    else
        kind = message_set_read_memory(&set, bytes, length, name, &failure);
    bool has_struck = fuzz_end();
    if (kind == FAIL_NONE)
        check_set(&set, length);
    else
        fuzz_require_failure(kind, &failure, has_struck);
    message_set_free(&set);
    return 0;
}
