/* page_output.c - hands the text that is written to a stream to the encoder, and to a second stream.
 *
 * The C library's streams with functions of one's own (fopencookie) do that without a pipe, a thread or a file.
 */
#define _GNU_SOURCE
#include "view/page_output.h"

#include "view/run_page.h"

#include <string.h>
#include <sys/types.h>

const char *page_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "standard input" : slash == NULL ? path : slash + 1;
}

/* What was taken counts as written, also where the encoder failed: the run goes on, and page_output_end() tells. */
static ssize_t take(void *context, const char *text, size_t count)
{
    struct page_output *page = context;
    if (page->is_left)
        return (ssize_t)count;
    if (page->failure.kind == FAIL_NONE)
        run_encoder_take(page->encoder, text, count, &page->failure);
    if (page->also != NULL && fwrite(text, 1, count, page->also) < count)
        return 0;
    return (ssize_t)count;
}

enum failure_kind page_output_open(struct page_output *page, const char *path,
                                   const struct output_watch *watch, struct failure *failure)
{
    memset(page, 0, sizeof *page);
    return output_file_open(&page->file, path, watch, failure);
}

FILE *page_output_begin(struct page_output *page, const char *title, const struct run_plan *plan,
                        FILE *also, struct failure *failure)
{
    struct run_plan own = *plan;
    if (page->file.file == NULL)
        return also;
    own.out = page->file.file;
    page->also = also;
    if (run_encoder_make(&page->encoder, &own, failure) != FAIL_NONE)
        return NULL;
    page->stream = fopencookie(page, "w", (cookie_io_functions_t){.write = take});
    if (page->stream == NULL) {
        fail_memory(failure, "the page of a run");
        return NULL;
    }
    run_page_begin(title, page->file.file);
    run_page_begin_run(page->file.file);
    return page->stream;
}

enum failure_kind page_output_end(struct page_output *page, const struct run_facts *facts,
                                  struct failure *failure)
{
    if (page->stream == NULL)
        return FAIL_NONE;
    bool is_lost = fclose(page->stream) != 0;
    page->stream = NULL;
    if (page->failure.kind == FAIL_NONE)
        run_encoder_end(page->encoder, facts, &page->failure);
    run_page_end_run(page->file.file);
    run_page_end(page->file.file);
    if (page->failure.kind != FAIL_NONE)
        return fail(failure, page->failure.kind, "%s", page->failure.text);
    return is_lost ? fail(failure, FAIL_SYSTEM, "cannot write the trace (is the disk full?)")
                   : FAIL_NONE;
}

void page_output_free(struct page_output *page)
{
    page->is_left = true;
    if (page->stream != NULL)
        fclose(page->stream);
    run_encoder_free(page->encoder);
}
