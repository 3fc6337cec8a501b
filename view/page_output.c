/* page_output.c - writes the file of a page: its head, the run and its foot. */
#include "view/page_output.h"

#include "view/run_page.h"

#include <string.h>

const char *page_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "standard input" : slash == NULL ? path : slash + 1;
}

enum failure_kind page_output_begin(struct page_output *page, const char *path, const char *title,
                                    const struct run_plan *plan, struct failure *failure)
{
    struct run_plan own = *plan;
    *page = (struct page_output){.encoder = NULL};
    if (output_file_open_held(&page->file, path, failure) != FAIL_NONE || path == NULL)
        return failure->kind;
    own.out = page->file.file;
    if (run_encoder_make(&page->encoder, &own, failure) != FAIL_NONE)
        return failure->kind;
    run_page_begin(title, page->file.file);
    run_page_begin_run(page->file.file);
    return FAIL_NONE;
}

enum failure_kind page_output_end(struct page_output *page, const struct run_facts *facts,
                                  struct failure *failure)
{
    if (page->encoder == NULL)
        return FAIL_NONE;
    run_encoder_end(page->encoder, facts, failure);
    run_page_end_run(page->file.file);
    run_page_end(page->file.file);
    return failure->kind;
}

void page_output_free(struct page_output *page)
{
    run_encoder_free(page->encoder);
}
