/* fuzz_message_set.c - the reader of message sets against any bytes.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. What the reader takes must keep the invariants of struct
 * message_set; what it refuses must be refused with FAIL_INPUT and one printable line that names
 * the line. With -DFUZZ_STANDALONE a main() reads files (or standard input) instead, so that the
 * corpus can be replayed without libFuzzer.
 */
#include "workloads/message_set.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(int holds)
{
    if (!holds)
        abort();
}

static void check_set(const struct message_set *set, size_t length)
{
    uint32_t nodes = mesh_nodes(set->mesh);
    require(mesh_is_valid(set->mesh.rows, set->mesh.cols));
    require(set->offset[0] == 0 && set->offset[set->messages] == set->deliveries);
    require(2 * set->deliveries <= length);
    for (uint32_t i = 0; i < set->messages; i++) {
        require(set->source[i] < nodes && (i == 0 || set->source[i - 1] < set->source[i]));
        require(set->offset[i] < set->offset[i + 1]);
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            require(set->destination[j] < nodes);
            require(j == set->offset[i] || set->destination[j - 1] < set->destination[j]);
        }
    }
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
    struct message_set set;
    struct failure failure = {0};
    enum failure_kind kind = message_set_read_memory(&set, bytes, length, "input", &failure);
    if (kind == FAIL_NONE)
        check_set(&set, length);
    else
        check_failure(kind, &failure);
    message_set_free(&set);
    return 0;
}

#ifdef FUZZ_STANDALONE
enum { LARGEST = 1 << 20 };

static void run_file(FILE *file)
{
    uint8_t *bytes = malloc(LARGEST);
    require(file != NULL && bytes != NULL);
    LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, LARGEST, file));
    free(bytes);
}

int main(int count, char **names)
{
    if (count == 1)
        run_file(stdin);
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(names[i], "rb");
        run_file(file);
        fclose(file);
    }
    return 0;
}
#endif
