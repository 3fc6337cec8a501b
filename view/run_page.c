/* run_page.c - writes view/page.html, with styles, runs and scripts for its lines @style, @runs,
 * @script.
 *
 * The sources of the page are files of their own, which make turns into lists of bytes (Makefile,
 * "page parts").
 */
#include "view/run_page.h"

#include <stddef.h>
#include <string.h>

#define PART(name) static const char name[] = {
PART(html)
#include "view/page.html.inc"
}
;
PART(style)
#include "view/page.css.inc"
}
;
PART(script)
#include "view/page_script.inc"
}
;
#undef PART

static void write_escaped(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            fputs("&#xfffd;",
                  out); /* no page may hold control characters, not even by their numbers */
        else if (strchr("<>&\"", *text) != NULL)
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
}

/* Returns the position of `mark` in the page. */
static size_t place_of(const char *mark)
{
    return (size_t)(strstr(html, mark) - html);
}

/* Writes the page from `from` to `mark`; returns what follows it. */
static size_t write_up_to(size_t from, const char *mark, FILE *out)
{
    size_t to = place_of(mark);
    fwrite(html + from, 1, to - from, out);
    return to + strlen(mark);
}

void run_page_begin(const char *title, FILE *out)
{
    size_t at = write_up_to(0, "@title", out);
    write_escaped(title, out);
    at = write_up_to(at, "@style\n", out);
    fputs(style, out);
    write_up_to(at, "@runs\n", out);
}

void run_page_begin_run(FILE *out)
{
    fputs("<script type=\"application/meshcast-view\">\n", out);
}

void run_page_end_run(FILE *out)
{
    fputs("</script>\n", out);
}

void run_page_end(FILE *out)
{
    size_t at = write_up_to(place_of("@runs\n") + strlen("@runs\n"), "@script\n", out);
    fputs(script, out);
    fputs(html + at, out);
}
