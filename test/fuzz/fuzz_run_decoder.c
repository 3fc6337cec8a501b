/* fuzz_run_decoder.c - the decoder of pages against any bytes.
 *
 * Behind the head (test/fuzz/faults.h) comes the page. A block may stand in it in plain, so that
 * what changes a byte of the input changes a number: "[1 2|3]" is a block of two columns, the first
 * of two numbers. With FUZZ_OWN the page's second run is read. A run that is taken must give a
 * text, twice the same.
 */
#include "base/byte_source.h"
#include "test/fuzz/faults.h"
#include "view/columns.h"
#include "view/run_decoder.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

FILE *__real_open_memstream(char **text, size_t *size);

enum { COLUMNS = 70 };

/* Writes the block that begins at `at` behind its '['; returns what is behind it. */
static const uint8_t *put_block(const uint8_t *at, const uint8_t *end, FILE *out)
{
    struct column column[COLUMNS] = {{NULL, 0, 0, false}};
    size_t count = 1;
    uint64_t number = 0;
    bool has_number = false;
    for (bool is_over = false; !is_over;) {
        uint8_t c = at < end ? *at++ : ']';
        is_over = c == ']';
        if (c >= '0' && c <= '9') {
            number = number * 10 + (uint64_t)(c - '0');
            has_number = true;
            continue;
        }
        if (has_number)
            column_put(&column[count - 1], number);
        number = 0;
        has_number = false;
        count += c == '|' && count < COLUMNS;
    }
    columns_write(column, count, out);
    columns_free(column, COLUMNS);
    return at;
}

static char *page_of(const uint8_t *bytes, size_t length, size_t *size)
{
    char *page = NULL;
    FILE *out = __real_open_memstream(&page, size);
    for (const uint8_t *at = bytes, *end = bytes + length; at < end;)
        if (*at == '[')
            at = put_block(at + 1, end, out);
        else
            fputc(*at++, out);
    fclose(out);
    return page;
}

/* The text, which the caller frees, or NULL with a failure. */
static char *decode(const char *path, int which, size_t *length, struct failure *failure)
{
    struct byte_source *source;
    char *text = NULL;
    if (byte_source_open(&source, path, failure) != FAIL_NONE)
        return NULL;
    FILE *out = __real_open_memstream(&text, length);
    run_decode(source, "input", which, out, failure);
    fclose(out);
    byte_source_close(source);
    if (failure->kind == FAIL_NONE)
        return text;
    free(text);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    unsigned flags;
    if (!fuzz_begin(&bytes, &length, &flags))
        return 0;
    struct failure failure = {0};
    size_t size, first = 0, second = 0;
    int which = flags & FUZZ_OWN ? 2 : 1;
    char *page = page_of(bytes, length, &size);
    const char *path = fuzz_serve("input", page, size, flags);
    char *text = decode(path, which, &first, &failure), *again = NULL;
    bool has_struck = fuzz_end();
    if (failure.kind != FAIL_NONE)
        fuzz_require_failure(failure.kind, &failure, has_struck || failure.is_memory_limit);
    else {
        path = fuzz_serve("input", page, size, 0);
        again = decode(path, which, &second, &failure);
        fuzz_end();
        fuzz_require(again != NULL && first == second && memcmp(text, again, first) == 0);
    }
    free(text);
    free(again);
    free(page);
    return 0;
}
