/* source_tree.c - reads the sources as text.
 *
 * Comments and the inside of literals are blanked out in a second copy, in which words are looked
 * for; lines keep their numbers. No parser.
 */
#include "test/source_tree.h"

#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct source_folder source_folders[SOURCE_FOLDERS] = {
    {"base", -1},
    {"chart", 1},
    {"network/topology", 1},
    {"network/schemes", 2},
    {"network", 3},
    {"machine", 1},
    {"machine/ranks", 0},
    {"machine/transit", 2},
    {"machine/forward", 3},
    {"machine/channel", 3},
    {"machine/cycle", 3},
    {"machine/plane", 3},
    {"machine/word", 3},
    {"expanders", 4},
    {"workloads", 4},
    {"primitives", 5},
    {"routers", 6},
    {"search", 7},
    {"place", 7},
    {"view", 7},
    {"library", LIBRARY_LAYER},
    {"audit", 9},
    {"lab", 11},
    {"cli", 13},
    {"bench", 14},
    {"test/reference", 14},
    {"test",
     15}, /* code for all suites; below it, a folder of suites for each folder of the code */
    {"test/base", 16},
    {"test/ranks", 16},
    {"test/chart", 22},
    {"test/mpi", 17},
    {"test/topology", 17},
    {"test/schemes", 18},
    {"test/network", 19},
    {"test/machine", 17},
    {"test/expanders", 18},
    {"test/workloads", 18},
    {"test/primitives", 19},
    {"test/routers", 20},
    {"test/library", 21},
    {"test/search", 22},
    {"test/place", 22},
    {"test/audit", 22},
    {"test/view", 22},
    {"test/lab", 24},
    {"test/cli", 26},
    {"test/fuzz", 28},
};

bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length > tail && strcmp(name + length - tail, end) == 0;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(size + 1, 1);
    ck_assert_uint_eq(fread(text, 1, size, file), size);
    fclose(file);
    return text;
}

/* Blanks comments, and the inside of string and character literals. */
static char *blank(const char *text)
{
    char *code = calloc(strlen(text) + 1, 1);
    char inside = 0; /* '*' or '/': a comment; '"' or '\'': a literal */
    for (size_t i = 0; text[i] != '\0'; i++) {
        char c = text[i], next = text[i + 1];
        code[i] = c == '\n' || inside == 0 ? c : ' ';
        if (inside == 0 && c == '/' && (next == '*' || next == '/')) {
            inside = next;
            code[i] = ' ';
            code[++i] = ' ';
        } else if (inside == 0 && (c == '"' || c == '\'')) {
            inside = c;
        } else if ((inside == '"' || inside == '\'') && c == '\\') {
            code[++i] = ' ';
        } else if (inside == '*' && c == '*' && next == '/') {
            code[++i] = ' ';
            inside = 0;
        } else if ((inside == '/' && c == '\n') || (inside != '*' && inside != 0 && c == inside)) {
            code[i] = c;
            inside = 0;
        }
    }
    return code;
}

static void read_folder(struct source_tree *tree, int folder)
{
    DIR *directory = opendir(source_folders[folder].name);
    if (directory == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (!ends_in(entry->d_name, ".c") && !ends_in(entry->d_name, ".h"))
            continue;
        ck_assert_int_lt(tree->count, SOURCES_MOST);
        struct source *source = &tree->source[tree->count++];
        snprintf(source->path, sizeof source->path, "%s/%s", source_folders[folder].name,
                 entry->d_name);
        source->folder = folder;
        source->text = read_text(source->path);
        source->code = blank(source->text);
    }
    closedir(directory);
}

struct source_tree *source_tree_read(void)
{
    struct source_tree *tree = calloc(1, sizeof *tree);
    for (int folder = 0; folder < SOURCE_FOLDERS; folder++)
        read_folder(tree, folder);
    ck_assert_int_gt(tree->count, 50);
    return tree;
}

void source_tree_end(struct source_tree *tree)
{
    int offences = tree->offences;
    for (int i = 0; i < tree->count; i++) {
        free(tree->source[i].text);
        free(tree->source[i].code);
    }
    free(tree);
    fflush(stdout);
    ck_assert_msg(offences == 0, "%d offences; they are listed on standard output", offences);
}

int line_of(const char *text, const char *place)
{
    int line = 1;
    for (; text < place; text++)
        line += *text == '\n';
    return line;
}

void offend(struct source_tree *tree, const struct source *source, int line, const char *what)
{
    tree->offences++;
    printf("sources: %s:%d: %s\n", source->path, line, what);
    fflush(stdout);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *find_word(const char *code, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = code; (at = strstr(at, name)) != NULL; at++)
        if ((at == code || !is_word(at[-1]) || !is_word(name[0])) &&
            (!is_word(at[length]) || !is_word(name[length - 1])))
            return at;
    return NULL;
}

void forbid(struct source_tree *tree, const struct source *source, const char *word,
            const char *what)
{
    const char *at = source->code;
    for (; (at = find_word(at, word)) != NULL; at++)
        offend(tree, source, line_of(source->code, at), what);
}
