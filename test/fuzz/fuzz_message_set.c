/* fuzz_message_set.c - the reader of message sets against any bytes.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. Behind the head (test/fuzz/faults.h; FUZZ_OWN: the file's
 * name is longer than what is kept of one) comes the file, compressed or not. What the reader takes
 * must keep the invariants of struct message_set and come back from its own text; what it or the
 * mesh machine refuses must be refused with FAIL_INPUT and one printable line that names the line,
 * or with FAIL_SYSTEM where a call failed. Of two processes that share the file the second reads
 * what the first does.
 */
#include "base/byte_source.h"
#include "test/fuzz/faults.h"
#include "workloads/import.h"
#include "workloads/message_set.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Deflate's best is 1032 bytes for one, zstd's and bzip2's far more, and a delivery takes two. */
enum { MOST_DELIVERIES = 1 << 20, LONG_NAME = 320 };

/* Reads the set of a file. */
static enum failure_kind read_path(struct message_set *set, const char *path,
                                   struct failure *failure)
{
    struct byte_source *source;
    *set = (struct message_set){0};
    enum failure_kind kind = byte_source_open(&source, path, failure);
    return kind == FAIL_NONE ? message_set_read_source(set, source, set_file_name(path), failure)
                             : kind;
}

static void check_waits(const struct message_set *set, uint32_t message)
{
    uint64_t first = set->wait_offset[message];
    fuzz_require(first <= set->wait_offset[message + 1]);
    for (uint64_t j = first; j < set->wait_offset[message + 1]; j++) {
        uint32_t before = set->wait_on[j];
        fuzz_require(before < set->messages && (j == first || set->wait_on[j - 1] < before));
        fuzz_require(message_set_goes_to(set, before, set->source[message]) &&
                     set->source[before] != set->source[message]);
    }
}

static void check_set(const struct message_set *set, uint64_t most_deliveries)
{
    fuzz_require(shape_is_valid(&set->shape));
    uint32_t nodes = shape_nodes(&set->shape), most_sent = message_set_most_sent(set);
    struct mesh mesh = mesh_of_shape(&set->shape);
    fuzz_require(set->mesh.rows == mesh.rows && set->mesh.cols == mesh.cols);
    fuzz_require(set->offset[0] == 0 && set->offset[set->messages] == set->deliveries);
    fuzz_require(set->deliveries <= most_deliveries);
    fuzz_require(most_sent <= set->messages &&
                 (most_sent > 0) == (set->messages > message_set_count_home(set).messages));
    fuzz_require(set->wait_offset == NULL || set->wait_offset[0] == 0);
    for (uint32_t i = 0; i < set->messages; i++) {
        fuzz_require(set->start == NULL || set->start[i] <= MESSAGE_SET_MAX_START);
        if (set->wait_offset != NULL)
            check_waits(set, i);
        fuzz_require(set->source[i] < nodes);
        fuzz_require(set->length == NULL || set->length[i] <= MESSAGE_SET_MAX_LENGTH);
        fuzz_require(set->offset[i] < set->offset[i + 1]);
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            fuzz_require(set->destination[j] < nodes);
            fuzz_require(j == set->offset[i] || set->destination[j - 1] < set->destination[j]);
        }
    }
}

/* Returns the text of the set; the caller frees. */
static char *text_of(const struct message_set *set, size_t *size)
{
    char *text;
    FILE *out = open_memstream(&text, size);
    fuzz_require(out != NULL && message_set_write(set, NULL, out, NULL));
    fclose(out);
    return text;
}

/* The written text is read back, and written the same again. */
static void check_text(const struct message_set *set)
{
    struct message_set again;
    size_t size, size_again;
    char *text = text_of(set, &size);
    fuzz_require(message_set_read_memory(&again, text, size, "text", NULL) == FAIL_NONE);
    fuzz_require(!again.lacks_end && message_set_version(&again) == message_set_version(set));
    char *text_again = text_of(&again, &size_again);
    fuzz_require(size == size_again && memcmp(text, text_again, size) == 0);
    message_set_free(&again);
    free(text);
    free(text_again);
}

/* A set that the mesh machine accepts has no lengths and times; another one is refused in one line
 * with the command for it, or since its packets are too many. */
static void check_machine(struct message_set *set)
{
    enum { LIMIT = 1 << 26 };
    struct failure failure = {0};
    memory_limit(LIMIT);
    enum failure_kind kind = message_set_fit_machine(set, "input", &failure);
    memory_limit(MEMORY_NO_LIMIT);
    if (kind == FAIL_NONE)
        fuzz_require(set->mesh.rows > 0 && set->length == NULL && !message_set_is_timed(set));
    else if (!failure.is_memory_limit)
        fuzz_require_failure(kind, &failure, false);
}

/* ---- a file that two processes share ---- */

/* The reader, then the other one: the reader's bytes are kept for the other. */
struct pair {
    struct byte_sharing sharing;
    unsigned char *kept;
    size_t given, taken; /* bytes of it, by the reader and by the other */
};

static enum failure_kind pair_copy(void *context, void *bytes, size_t count,
                                   struct failure *failure)
{
    struct pair *pair = context;
    if (!pair->sharing.is_reader) {
        if (count > pair->given - pair->taken)
            return fail(failure, FAIL_SYSTEM, "the reader has ended");
        memcpy(bytes, pair->kept + pair->taken, count);
        pair->taken += count;
        return FAIL_NONE;
    }
    unsigned char *grown = realloc(pair->kept, pair->given + count);
    if (grown == NULL)
        return fail_memory(failure, "what the reader shares");
    pair->kept = grown;
    memcpy(pair->kept + pair->given, bytes, count);
    pair->given += count;
    return FAIL_NONE;
}

/* Reads the file to its end; *sum becomes a sum over its bytes. */
static enum failure_kind read_shared(struct pair *pair, const char *path, uint64_t *sum,
                                     struct failure *failure)
{
    struct byte_source *source;
    unsigned char block[512];
    size_t got = 0;
    enum failure_kind kind = byte_source_open_shared(&source, &pair->sharing, path, failure);
    *sum = 1;
    while (kind == FAIL_NONE) {
        kind = byte_source_read(source, block, sizeof block, &got, failure);
        if (got == 0)
            break;
        for (size_t i = 0; i < got; i++)
            *sum = 31 * *sum + block[i];
    }
    byte_source_close(source);
    return kind;
}

/* Takes the head again, so that a call also fails here. */
static void check_shared(const uint8_t *bytes, size_t length)
{
    unsigned flags;
    struct pair pair = {.sharing = {true, pair_copy, &pair}};
    struct failure first = {0}, second = {0};
    uint64_t sum, sum_again;
    fuzz_begin(&bytes, &length, &flags);
    const char *path = fuzz_serve("input", bytes, length, flags);
    enum failure_kind kind = read_shared(&pair, path, &sum, &first);
    fuzz_require(fuzz_end() || kind != FAIL_SYSTEM);
    pair.sharing.is_reader = false;
    enum failure_kind again = read_shared(&pair, path, &sum_again, &second);
    bool has_all = pair.taken == pair.given; /* the reader failed after it had shared the file */
    fuzz_require(again == kind || (kind == FAIL_SYSTEM && (again != FAIL_NONE || has_all)));
    fuzz_require(kind == FAIL_SYSTEM || strcmp(first.text, second.text) == 0);
    fuzz_require(kind != FAIL_NONE || (sum == sum_again && pair.taken == pair.given));
    free(pair.kept);
}

/* The machines refuse the same sets of the file, by a line or by a call. */
static void check_machines(const uint8_t *bytes, size_t length)
{
    enum { LIMIT = 1 << 26 };
    for (int is_network = 0; is_network < 2; is_network++) {
        const uint8_t *file = bytes;
        size_t left = length;
        struct message_set set;
        struct failure failure = {0};
        unsigned flags;
        fuzz_begin(&file, &left, &flags);
        const char *path = fuzz_serve("input", file, left, flags);
        memory_limit(LIMIT);
        enum failure_kind kind = read_path(&set, path, &failure);
        if (kind == FAIL_NONE)
            kind = is_network ? message_set_leave_home(&set, &failure)
                              : message_set_fit_machine(&set, set_file_name(path), &failure);
        bool has_struck = fuzz_end();
        memory_limit(MEMORY_NO_LIMIT);
        if (kind == FAIL_NONE)
            check_set(&set, LIMIT / sizeof *set.destination); /* long messages become many */
        else if (!failure.is_memory_limit)
            fuzz_require_failure(kind, &failure, has_struck);
        message_set_free(&set);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct message_set set;
    struct failure failure = {0};
    enum failure_kind kind;
    char name[LONG_NAME + 1] = "input";
    unsigned flags;
    const uint8_t *head = bytes;
    size_t length_with_head = length;
    if (!fuzz_begin(&bytes, &length, &flags))
        return 0;
    const char *path = fuzz_serve("input", bytes, length, flags);
    if (flags & FUZZ_OWN)
        memset(name + strlen(name), 'x', LONG_NAME - strlen(name));
    if (flags & FUZZ_FILE)
        kind = read_path(&set, path, &failure);
    else
        kind = message_set_read_memory(&set, bytes, length, name, &failure);
    bool has_struck = fuzz_end();
    if (kind == FAIL_NONE) {
        check_set(&set, length * MOST_DELIVERIES);
        check_text(&set);
        check_machine(&set);
    } else {
        fuzz_require_failure(kind, &failure, has_struck);
    }
    check_shared(head, length_with_head);
    check_machines(head, length_with_head);
    message_set_free(&set);
    return 0;
}
