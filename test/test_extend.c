/* test_extend.c - doc/extend.md: the code of its examples compiles against the tree as it is.
 *
 * Method: a block fenced with ```c whose first line is a banner "NAME - .." is that file; its
 * folder is in the path between backquotes in the last line before it. All files are written to a
 * folder of the same layout, and each .c file is compiled there, without a program coming out. The
 * fragments of tables, which have no banner, are ignored.
 */
#include "test/program_run.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CODE_SIZE = 16384, LINE_SIZE = 1024 };

/* Copies the path between the first two backquotes of a line; false if there is none. */
static bool quoted_path(const char *line, char path[LINE_SIZE])
{
    const char *start = strchr(line, '`'), *end = start == NULL ? NULL : strchr(start + 1, '`');
    if (end == NULL)
        return false;
    snprintf(path, LINE_SIZE, "%.*s", (int)(end - start - 1), start + 1);
    return true;
}

/* True if the banner of `code` begins with the name of the file at `path`. */
static bool is_file(const char *code, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : strlen(slash + 1);
    return length > 0 && strncmp(code, "/* ", 3) == 0 && strncmp(code + 3, slash + 1, length) == 0;
}

/* Writes the next file of the page to the folder $T and its path to `path`; false: no more. */
static bool next_file(FILE *page, char path[LINE_SIZE])
{
    static char line[LINE_SIZE], code[CODE_SIZE];
    char quoted[LINE_SIZE] = "";
    while (fgets(line, sizeof line, page) != NULL) {
        if (strcmp(line, "```c\n") != 0) {
            quoted_path(line, quoted);
            continue;
        }
        size_t used = 0;
        while (fgets(line, sizeof line, page) != NULL && strcmp(line, "```\n") != 0) {
            ck_assert(used + strlen(line) < CODE_SIZE);
            strcpy(code + used, line);
            used += strlen(line);
        }
        if (!is_file(code, quoted))
            continue;
        program_run_file(quoted, code);
        strcpy(path, quoted);
        return true;
    }
    return false;
}

/* every file of the page compiles without a warning */
START_TEST(examples_compile)
{
    char path[LINE_SIZE], sources[16][LINE_SIZE];
    int files = 0, count = 0;
    FILE *page = fopen("doc/extend.md", "r");
    ck_assert_ptr_nonnull(page);
    program_run_ends(0, "cd $T && mkdir machine primitives routers workloads");
    for (; next_file(page, path); files++)
        if (strstr(path, ".c") != NULL && count < 16)
            strcpy(sources[count++], path);
    fclose(page);
    ck_assert_int_ge(files, 2);
    ck_assert_int_ge(count, 2);
    for (int i = 0; i < count; i++) {
        program_run_ends(0,
                         "${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wshadow "
                         "-Werror -fsyntax-only -I$T -I. $T/%s",
                         sources[i]);
    }
}
END_TEST

void extend_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, examples_compile);
}
