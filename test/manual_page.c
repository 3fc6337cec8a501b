/* manual_page.c - reads manual pages as far as tests need it. */
#include "test/manual_page.h"

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

static const struct escape {
    const char *roff, *text;
} escapes[] = {
    {"\\-", "-"},    {"\\&", ""},    {"\\e", "\\"}, {"\\(aq", "'"}, {"\\(lq", "\""},
    {"\\(rq", "\""}, {"\\fR", ""},   {"\\fI", ""},  {"\\fB", ""},   {"\\fP", ""},
    {"\\(ti", "~"},  {"\\(ha", "^"}, {"\\ ", " "},  {"\\%", ""},
};

static const struct escape *escape_at(const char *at)
{
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
        if (strncmp(at, escapes[i].roff, strlen(escapes[i].roff)) == 0)
            return &escapes[i];
    return NULL;
}

static char *read_text(const char *path)
{
    char *raw = NULL, *text = NULL;
    size_t raw_size = 0, size = 0;
    FILE *file = fopen(path, "r"), *plain = open_memstream(&text, &size);
    ck_assert_msg(file != NULL && plain != NULL, "%s cannot be read", path);
    while (getline(&raw, &raw_size, file) != -1) {
        bool is_comment = strncmp(raw, ".\\\"", 3) == 0;
        for (const char *at = raw; *at != '\0' && !is_comment;) {
            const struct escape *escape = *at == '\\' && at[1] != '\n' ? escape_at(at) : NULL;
            ck_assert_msg(*at != '\\' || at[1] == '\n' || escape != NULL, "%s: unknown escape: %s",
                          path, at);
            fputs(escape == NULL ? (char[]){*at, '\0'} : escape->text, plain);
            at += escape == NULL ? 1 : strlen(escape->roff);
        }
        if (is_comment)
            fputc('\n', plain);
    }
    free(raw);
    fclose(file);
    fclose(plain);
    return text;
}

/* ---- examples ---- */

static void append(char *text, size_t size, const char *line, size_t length)
{
    size_t used = strlen(text);
    ck_assert_uint_lt(used + length + 2, size);
    snprintf(text + used, size - used, "%.*s\n", (int)length, line);
}

/* True if the command goes on in the next line; `end` is the word that ends a here-document. */
static bool goes_on(const char *command, char end[16])
{
    const char *mark = strstr(command, "<<");
    size_t length = strlen(command) - 1; /* its newline apart */
    if (mark != NULL) {
        snprintf(end, 16, "%.*s", (int)strcspn(mark + 2, " \n"), mark + 2);
        char last[24];
        snprintf(last, sizeof last, "\n%s\n", end);
        return strstr(command, last) == NULL;
    }
    return command[length - 1] == '\\' || command[length - 1] == '|';
}

static void read_examples(struct manual_page *page)
{
    bool inside = false, open = false;
    char end[16];
    int number = 1;
    struct manual_example *example = NULL;
    for (const char *line = page->text; *line != '\0'; number++) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, ".EX", 3) == 0 || strncmp(line, ".EE", 3) == 0) {
            inside = line[2] == 'X';
            ck_assert_msg(!open, "%s:%d: a command without an end", page->path, number);
            example = NULL;
        } else if (inside && !open && strncmp(line, "$ ", 2) == 0) {
            ck_assert_int_lt(page->examples, MANUAL_EXAMPLES);
            example = &page->example[page->examples++];
            example->line = number;
            append(example->command, sizeof example->command, line + 2, length - 2);
            open = goes_on(example->command, end);
        } else if (open) {
            append(example->command, sizeof example->command, line, length);
            open = goes_on(example->command, end);
        } else if (inside) {
            ck_assert_msg(example != NULL, "%s:%d: output of nothing", page->path, number);
            append(example->output, sizeof example->output, line, length);
        }
        if (inside && (int)length > page->widest)
            page->widest = (int)length;
        line += length + (line[length] == '\n');
    }
}

struct manual_page *manual_page_read(const char *path)
{
    struct manual_page *page = calloc(1, sizeof *page);
    ck_assert_ptr_nonnull(page);
    page->path = path;
    page->text = read_text(path);
    read_examples(page);
    return page;
}

void manual_page_free(struct manual_page *page)
{
    free(page->text);
    free(page);
}

/* ---- output ---- */

/* Returns the end of a number that is a time ("0.014 s") or a speed ("3.2e+08"), else NULL. */
static const char *end_of_time(const char *at)
{
    char *end;
    if (!isdigit((unsigned char)*at))
        return NULL;
    size_t digits = strspn(at, "0123456789");
    if (at[digits] != '.')
        return NULL;
    strtod(at, &end);
    bool is_speed = memchr(at, 'e', (size_t)(end - at)) != NULL;
    const char *unit = end + strspn(end, " ");
    bool is_time = *unit == 's' && unit > end && !isalnum((unsigned char)unit[1]);
    return is_speed || is_time ? end : NULL;
}

/* Copies a line: runs of blanks as one, times as '#'. */
static void normalise(char *to, size_t size, const char *from, size_t length)
{
    size_t used = 0;
    const char *end = from + length;
    while (from < end && used + 2 < size) {
        const char *after = used == 0 || to[used - 1] == ' ' ? end_of_time(from) : NULL;
        if (after != NULL && after <= end) {
            to[used++] = '#';
            from = after;
        } else if (*from == ' ') {
            to[used++] = ' ';
            from += strspn(from, " ");
        } else {
            to[used++] = *from++;
        }
    }
    while (used > 0 && to[used - 1] == ' ')
        used--;
    to[used] = '\0';
}

static bool line_matches(const char *shown, size_t shown_length, const char *printed)
{
    char left[512], right[512];
    normalise(left, sizeof left, shown, shown_length);
    normalise(right, sizeof right, printed, strcspn(printed, "\n"));
    size_t length = strlen(left);
    if (length >= 3 && strcmp(left + length - 3, "...") == 0)
        return strncmp(left, right, length - 3) == 0;
    return strcmp(left, right) == 0;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

bool manual_output_matches(const char *shown, const char *printed)
{
    if (*shown == '\0')
        return *printed == '\0';
    size_t length = strcspn(shown, "\n");
    if (length == 3 && strncmp(shown, "...", 3) == 0)
        return manual_output_matches(next_line(shown), printed) ||
               (*printed != '\0' && manual_output_matches(shown, next_line(printed)));
    return *printed != '\0' && line_matches(shown, length, printed) &&
           manual_output_matches(next_line(shown), next_line(printed));
}
