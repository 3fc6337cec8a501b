/* source_tree.h - the sources of the checkout as text, for the guards over them. */
#ifndef MESHCAST_TEST_SOURCE_TREE_H
#define MESHCAST_TEST_SOURCE_TREE_H

#include <stdbool.h>

enum { SOURCES_MOST = 2400, SOURCE_PATH_SIZE = 320 };

/* A folder of sources and its layer: includes go to a lower layer or stay in the folder. */
struct source_folder {
    const char *name;
    int layer;
};
enum {
    SOURCE_FOLDERS = 47,
    LIBRARY_LAYER = 8 /* up to here: the library */,
    COMMAND_LAYER = 13 /* of its commands */
};
extern const struct source_folder source_folders[SOURCE_FOLDERS];

struct source {
    char path[SOURCE_PATH_SIZE]; /* "folder/name" */
    int folder;
    char *text, *code; /* as it is; without comments and literals, lines kept */
};

/* All .c and .h files, and the offences found in them so far. */
struct source_tree {
    struct source source[SOURCES_MOST];
    int count, offences;
};

/* Reads all sources; the current folder is the root of the checkout. */
struct source_tree *source_tree_read(void);
/* Frees the tree and fails the test if there were offences. */
void source_tree_end(struct source_tree *tree);

/* Prints an offence and counts it. */
void offend(struct source_tree *tree, const struct source *source, int line, const char *what);

/* Returns the line, from 1, of a place in `text`. */
int line_of(const char *text, const char *place);
bool ends_in(const char *name, const char *end);

/* Returns the next place of `name` as a whole word in `code`, or NULL. */
const char *find_word(const char *code, const char *name);

/* Reports an offence for each place of the source with the word. */
void forbid(struct source_tree *tree, const struct source *source, const char *word,
            const char *what);

#endif
