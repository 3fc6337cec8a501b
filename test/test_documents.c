/* test_documents.c - the documents against the tree: paths that are named and links lead somewhere,
 * every router is described, the map of the paper is complete and names suites that are there.
 */
#include "library/meshcast.h"
#include "library/meshcast_command.h"

#include "test/skipped.h"
#include "test/source_tree.h"

#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_path_char(char c)
{
    return islower((unsigned char)c) || isdigit((unsigned char)c) || c == '_' || c == '-' ||
           c == '/' || c == '.';
}

/* True if a page holds the file itself, as an example: a block of code that begins with its
 * banner. */
static bool is_example(const char *text, const char *path)
{
    char banner[SOURCE_PATH_SIZE + 16];
    const char *slash = strrchr(path, '/');
    snprintf(banner, sizeof banner, "\n```c\n/* %s - ", slash == NULL ? path : slash + 1);
    return strstr(text, banner) != NULL;
}

/* Checks the words of `text` that look like folder/name.c, .h or .md: such a file must exist, or be
 * in `text`. A capital letter stands for a name that varies. */
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

/* The pages: README.md, CONTRIBUTING.md, CHANGELOG.md, and those of doc/ and doc/notes/. */
enum { MOST_PAGES = 64 };

static int list_folder(const char *folder, char path[MOST_PAGES][SOURCE_PATH_SIZE], int count)
{
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        if (!ends_in(entry->d_name, ".md"))
            continue;
        ck_assert_int_lt(count, MOST_PAGES);
        snprintf(path[count++], SOURCE_PATH_SIZE, "%s/%s", folder, entry->d_name);
    }
    if (directory != NULL)
        closedir(directory);
    return count;
}

static int list_pages(char path[MOST_PAGES][SOURCE_PATH_SIZE])
{
    static const char *const ROOT[] = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"};
    int count = 0;
    for (; count < 3; count++)
        snprintf(path[count], SOURCE_PATH_SIZE, "%s", ROOT[count]);
    return list_folder("doc/notes", path, list_folder("doc", path, count));
}

/* Returns the text of one page; the caller frees it. */
static char *page_text(const char *path)
{
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(length + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, length, file), length);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* Returns the text of all pages, one after the other; `documents` counts those of doc/. */
static char *read_documents(int *documents)
{
    char path[MOST_PAGES][SOURCE_PATH_SIZE], *text = NULL;
    size_t length = 0;
    int count = list_pages(path);
    FILE *all = open_memstream(&text, &length);
    for (int i = 0; i < count; i++) {
        char *page = page_text(path[i]);
        fputs(page, all);
        free(page);
    }
    fclose(all);
    *documents = count - 3;
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
        test_skip("names of routers in documents: doc/ has none");
    const char *router;
    for (uint32_t i = 0; (router = meshcast_command_value_at("route", "router", i)) != NULL; i++) {
        char path[128];
        snprintf(path, sizeof path, "routers/%s.c", router);
        if (access(path, R_OK) != 0)
            snprintf(path, sizeof path, "routers/%s_route.c", router);
        ck_assert_msg(access(path, R_OK) == 0, "router %s has no file %s", router, path);
        ck_assert_msg(documents == 0 || find_word(text, router) != NULL,
                      "router %s stands in no document", router);
    }
    free(text);
}
END_TEST

/* True if a page has a heading with this anchor: its letters and digits in lower case, dashes for
 * blanks. */
static bool has_heading(const char *path, const char *anchor)
{
    char *text = page_text(path);
    bool found = false;
    for (const char *at = text; !found && (at = strstr(at, "\n#")) != NULL;) {
        char slug[256];
        size_t used = 0;
        for (at += 1 + strspn(at + 1, "# "); *at != '\n' && *at != '\0'; at++)
            if ((isalnum((unsigned char)*at) || *at == '-' || *at == '_') && used < sizeof slug - 1)
                slug[used++] = (char)tolower((unsigned char)*at);
            else if (*at == ' ' && used < sizeof slug - 1)
                slug[used++] = '-';
        slug[used] = '\0';
        found = strcmp(slug, anchor) == 0;
    }
    free(text);
    return found;
}

/* Checks the target of a link on `page`: a path from the page's folder, an anchor on it. */
static void check_link(const char *page, const char *target)
{
    char path[2 * SOURCE_PATH_SIZE];
    const char *anchor = strchr(target, '#');
    const char *slash = strrchr(page, '/');
    int folder = slash == NULL ? 0 : (int)(slash + 1 - page), length = (int)strcspn(target, "#");
    if (length == 0)
        snprintf(path, sizeof path, "%.*s", SOURCE_PATH_SIZE, page);
    else
        snprintf(path, sizeof path, "%.*s%.*s", folder, page, length, target);
    ck_assert_msg(access(path, R_OK) == 0, "%s: a link to %s, which is not there", page, target);
    ck_assert_msg(anchor == NULL || has_heading(path, anchor + 1), "%s: a link to no heading, %s",
                  page, target);
}

/* every link of a page leads to a file of the tree, and to a heading of it */
START_TEST(links_lead_somewhere)
{
    char path[MOST_PAGES][SOURCE_PATH_SIZE], target[SOURCE_PATH_SIZE];
    int count = list_pages(path), links = 0;
    for (int i = 0; i < count; i++) {
        char *text = page_text(path[i]);
        for (const char *at = text; (at = strstr(at, "](")) != NULL; links++) {
            at += 2;
            snprintf(target, sizeof target, "%.*s", (int)strcspn(at, ")\n"), at);
            if (strstr(target, "://") == NULL)
                check_link(path[i], target);
        }
        free(text);
    }
    ck_assert_int_gt(links, 100);
}
END_TEST

/* The parts of the paper that can be computed or tested. A row of doc/paper.md begins with each. */
static const char *const PARTS[] = {
    "Section 1:",    "Section 1.1:",  "Section 1.2:",  "Section 2.1:", "Fact 1:",
    "Proposition 1", "Proposition 2", "Proposition 3", "Theorem 1:",   "Lemma 1:",
    "Theorem 2",     "Section 4",     "Lemma 2",       "Lemma 3",      "Theorem 3",
    "Definition 1:", "Section 5",     "Lemma 4",       "Theorem 4",    "Section 6:",
    "Section 7:",    "Footnote 2:",   "Footnote 3:",   "Footnote 4:",  "Figure 1:",
};

/* True if a folder of test/ has the file of this suite. */
static bool is_suite(const char *name, int length)
{
    char path[2 * SOURCE_PATH_SIZE];
    for (int i = 0; i < SOURCE_FOLDERS; i++) {
        const char *folder = source_folders[i].name;
        snprintf(path, sizeof path, "%s/test_%.*s.c", folder, length, name);
        if (strncmp(folder, "test", 4) == 0 && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* Checks the suites between backquotes in the last cell of a table's row; returns their number. */
static int check_suites(const char *row)
{
    const char *end = row + strcspn(row, "\n"), *cell = row;
    for (const char *at = row; at + 2 < end; at++)
        if (*at == '|')
            cell = at;
    int suites = 0;
    for (const char *name = strchr(cell, '`'); name != NULL && name < end; suites++) {
        int length = (int)strcspn(name + 1, "`");
        ck_assert_msg(is_suite(name + 1, length), "doc/paper.md names suite %.*s", length,
                      name + 1);
        name = strchr(name + length + 2, '`');
    }
    return suites;
}

/* every part of the paper has a row in its map, and the suites of the rows are there */
START_TEST(paper_is_mapped)
{
    char *text = page_text("doc/paper.md"), row[64];
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        snprintf(row, sizeof row, "\n| %s", PARTS[i]);
        ck_assert_msg(strstr(text, row) != NULL, "doc/paper.md has no row for %s", PARTS[i]);
    }
    int suites = 0;
    for (const char *at = strstr(text, "\n| "); at != NULL; at = strstr(at + 1, "\n| "))
        suites += check_suites(at + 1);
    ck_assert_int_gt(suites, 40);
    free(text);
}
END_TEST

/* CITATION.cff has the fields of its format, and this version; lines are "key: value" or
 * indented. */
START_TEST(citation)
{
    static const char *const keys[] = {"cff-version: 1.2.0\n", "\nmessage: \"",
                                       "\ntitle: \"",          "\nauthors:\n  - name: \"",
                                       "\nlicense: MIT\n",     "\nversion: " MESHCAST_VERSION "\n"};
    char *text = page_text("CITATION.cff");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        ck_assert_msg(strstr(text, keys[i]) != NULL, "CITATION.cff lacks %s", keys[i]);
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        size_t key = strspn(line, "abcdefghijklmnopqrstuvwxyz-");
        ck_assert_msg(*line == ' ' || (key > 0 && line[key] == ':'), "%.60s", line);
        ck_assert_ptr_null(memchr(line, '\t', strcspn(line, "\n")));
    }
    free(text);
    text = page_text("doc/references.bib");
    ck_assert_ptr_nonnull(strstr(text, "version = {" MESHCAST_VERSION "}"));
    free(text);
}
END_TEST

/* Every entry is one of BibTeX: a type and a key that no other has and that the page cites, braces
 * that match, DOIs without an address. */
START_TEST(bibliography)
{
    char *text = page_text("doc/references.bib"), *page = page_text("doc/citing.md");
    int entries = 0;
    for (const char *at = text; (at = strstr(at, "\n@")) != NULL; entries++) {
        char entry[80];
        const char *end = strstr(at, "\n}\n");
        size_t type = strspn(at + 2, "abcdefghijklmnopqrstuvwxyz"), length = strcspn(at + 1, ",");
        ck_assert_msg(end != NULL && type > 0 && at[2 + type] == '{', "%.60s", at);
        int depth = 0;
        for (const char *c = at; c < end; c++)
            depth += (*c == '{') - (*c == '}');
        ck_assert_msg(depth == 1, "%.60s", at);
        snprintf(entry, sizeof entry, "%.*s", (int)(length - type - 1), at + 2 + type);
        ck_assert_ptr_null(strstr(end, entry));
        snprintf(entry, sizeof entry, "`%.*s`", (int)(length - type - 2), at + 3 + type);
        ck_assert_msg(strstr(page, entry) != NULL, "doc/citing.md cites no %s", entry);
        at = end;
    }
    ck_assert_int_gt(entries, 15);
    for (const char *at = text; (at = strstr(at, "doi ")) != NULL; at += 4) {
        const char *value = at + 4 + strspn(at + 4, " =");
        ck_assert_msg(strncmp(value, "{10.", 4) == 0, "%.60s", at);
    }
    free(page);
    free(text);
}
END_TEST

void documents_suite(TCase *tests)
{
    tcase_add_test(tests, named_files_exist);
    tcase_add_test(tests, routers_are_described);
    tcase_add_test(tests, links_lead_somewhere);
    tcase_add_test(tests, paper_is_mapped);
    tcase_add_test(tests, citation);
    tcase_add_test(tests, bibliography);
}
