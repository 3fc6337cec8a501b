/* page.h - a page from a template: "{{NAME}}" becomes the value of that name, a fact or the text of an experiment.
 *
 * The parts of an experiment stand in a folder: NAME.md, its text, and NAME.facts, a line "NAME VALUE" a fact. So
 * experiments can run one by one, and the page is put together from those that are there.
 */
#ifndef MESHCAST_PAPERS_PAGE_H
#define MESHCAST_PAPERS_PAGE_H

#include <stdio.h>

struct page_values {
    char **name, **value;
    size_t count, room;
};

void page_values_free(struct page_values *values);

/* Adds a value; copies both. No memory ends the program. */
void page_values_add(struct page_values *values, const char *name, const char *value);

/* Adds the lines of a file of facts. */
void page_values_add_facts(struct page_values *values, char *facts);

/* Fills the template. Returns NULL, or the first name without a value, for the caller to free; the text is then
 * incomplete. */
char *page_fill(const char *template, const struct page_values *values, FILE *out);

/* Reads the parts of all experiments that are in the folder. */
void page_values_read(struct page_values *values, const char *folder);

/* A whole file, ended by a zero, for the caller to free; NULL: it cannot be read. */
char *page_read_file(const char *path);

#endif
