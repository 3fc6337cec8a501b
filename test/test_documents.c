/* test_documents.c - the documents against the tree: paths that are named exist, every router is
 * described.
 */
#include "routers/router.h"

#include "test/source_tree.h"

#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *documents_suite(void);

static bool is_path_char(char c)
{
    return islower((unsigned char)c) || isdigit((unsigned char)c) || c == '_' || c == '-' ||
           c == '/' || c == '.';
}

/* Whether a page holds the file itself, as an example: a block of code that begins with its banner. */
static bool is_example(const char *text, const char *path)
{
    char banner[SOURCE_PATH_SIZE + 16];
    const char *slash = strrchr(path, '/');
    snprintf(banner, sizeof banner, "\n```c\n/* %s - ", slash == NULL ? path : slash + 1);
    return strstr(text, banner) != NULL;
}

/* Checks the words of `text` that look like folder/name.c, .h or .md: such a file must exist, or
 * stand in `text`. A capital letter stands for a name that varies. */
static void check_paths(struct source_tree *tree, const struct source *source, const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t length = 0;
        while (is_path_char(at[length]))
            length++;
        char path[SOURCE_PATH_SIZE];
        if (length > 0 && length < sizeof path) {
            snprintf(path, sizeof path, "%.*s", (int)length, at);
            if (path[length - 1] == '.')
                path[length - 1] = '\0';
            bool in_tree = strncmp(path, "doc/", 4) == 0;
            for (int i = 0; i < SOURCE_FOLDERS; i++) {
                size_t name = strlen(source_folders[i].name);
                in_tree |= strncmp(path, source_folders[i].name, name) == 0 && path[name] == '/';
            }
            bool is_file = ends_in(path, ".c") || ends_in(path, ".h") || ends_in(path, ".md");
            if (in_tree && is_file && access(path, R_OK) != 0 && !is_example(text, path))
                offend(tree, source, line_of(text, at), path);
        }
        at += length + (at[length] != '\0');
    }
}

/* The text of README.md and of all documents, one behind the other; `documents` counts those. */
static char *read_documents(int *documents)
{
    char paths[64][SOURCE_PATH_SIZE] = {"README.md"};
    int count = 1;
    DIR *directory = opendir("doc");
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        if (ends_in(entry->d_name, ".md") && count < 64)
            snprintf(paths[count++], SOURCE_PATH_SIZE, "doc/%s", entry->d_name);
    if (directory != NULL)
        closedir(directory);
    *documents = count - 1;
    char *text = NULL;
    size_t length = 0;
    FILE *all = open_memstream(&text, &length);
    for (int i = 0; i < count; i++) {
        FILE *file = fopen(paths[i], "r");
        ck_assert_ptr_nonnull(file);
        for (int c; (c = getc(file)) != EOF;)
            putc(c, all);
        fclose(file);
    }
    fclose(all);
    return text;
}

/* a file that a comment or a document names is there */
START_TEST(named_files_exist)
{
    struct source_tree *tree = source_tree_read();
    int documents;
    char *text = read_documents(&documents);
    struct source document = {.path = "README.md and doc/"};
    check_paths(tree, &document, text);
    for (int i = 0; i < tree->count; i++)
        if (strstr(tree->source[i].path, "test_") == NULL)
            check_paths(tree, &tree->source[i], tree->source[i].text);
    free(text);
    source_tree_end(tree);
}
END_TEST

/* every router of the table has its own file, NAME.c or, where another folder has that,
 * NAME_route.c, and is named in the documents */
START_TEST(routers_are_described)
{
    int documents;
    char *text = read_documents(&documents);
    if (documents == 0)
        printf("test_documents: doc/ has no documents: names of routers in them skipped\n");
    for (uint32_t i = 0; i < router_count(); i++) {
        char path[128];
        const struct router *router = router_at(i);
        snprintf(path, sizeof path, "routers/%s.c", router->name);
        if (access(path, R_OK) != 0)
            snprintf(path, sizeof path, "routers/%s_route.c", router->name);
        ck_assert_msg(access(path, R_OK) == 0, "router %s has no file %s", router->name, path);
        ck_assert_msg(documents == 0 || find_word(text, router->name) != NULL,
                      "router %s stands in no document", router->name);
    }
    free(text);
}
END_TEST

Suite *documents_suite(void)
{
    Suite *suite = suite_create("documents");
    TCase *tests = tcase_create("documents");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, named_files_exist);
    tcase_add_test(tests, routers_are_described);
    suite_add_tcase(suite, tests);
    return suite;
}
