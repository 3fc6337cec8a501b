/* text_scan.h - a text as a sequence of items, mostly numbers, and line ends; lines may be of any length.
 *
 * All functions that return a kind fill scan->failure with `FILE:LINE: expected ..., found ...`
 * when they fail; after a read error they return its kind, and the text is the source's.
 */
#ifndef MESHCAST_BASE_TEXT_SCAN_H
#define MESHCAST_BASE_TEXT_SCAN_H

#include "base/byte_source.h"
#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_SCAN_WINDOW = 1 << 16 };

struct text_scan {
    struct byte_source *source;
    unsigned char *window; /* [TEXT_SCAN_WINDOW + 1], with a zero byte at *end */
    const unsigned char *at, *end;
    bool at_end;              /* nothing more will come into the window */
    enum failure_kind broken; /* the source could not be read on, and why; `failure` has the rest */
    const char *name;
    uint64_t line; /* from 1 */
    char comment;  /* what begins a comment, which goes to the line's end */
    struct failure *failure;
};

/* Makes a scan of the source from its first line; `name` stands for it in messages. FAIL_SYSTEM: no memory. The
 * caller closes the scan; the source stays open. */
enum failure_kind text_scan_open(struct text_scan *scan, struct byte_source *source, char comment,
                                 const char *name, struct failure *failure);
void text_scan_close(struct text_scan *scan);

/* Stands at the next item, on this or a later line; *found is false at the end of the text. */
enum failure_kind text_scan_find(struct text_scan *scan, bool *found);

/* Passes blanks and a comment: what follows is an item or the line's end. */
enum failure_kind text_scan_blanks(struct text_scan *scan);

/* Passes whole lines that are comments; to be called where a line begins. */
enum failure_kind text_scan_comment_lines(struct text_scan *scan);

/* Whether the text is at its end; to be asked behind a call that passes blanks or comments. */
static inline bool text_scan_at_end(const struct text_scan *scan)
{
    return scan->at == scan->end;
}

/* Whether a line end (LF, CR LF or the end of the text) stands here. */
bool text_scan_at_line_end(const struct text_scan *scan);

/* Passes a line's end; false, and nothing passed, at the end of the text. */
bool text_scan_next_line(struct text_scan *scan);

/* Passes `word` if it stands here as an item of its own. */
bool text_scan_word(struct text_scan *scan, const char *word);

/* Passes blanks and reads a decimal number from `least` to `most`; `what` names it in messages. */
enum failure_kind text_scan_number(struct text_scan *scan, const char *what, uint32_t least,
                                   uint32_t most, uint32_t *number);

/* The same, of a number that ends at a colon or as an item does; *has_colon says which. A colon is passed.
 * text_scan_number_behind() reads a number that must stand right here, without blanks before it. */
enum failure_kind text_scan_number_before(struct text_scan *scan, const char *what, uint32_t least,
                                          uint32_t most, uint32_t *number, bool *has_colon);
enum failure_kind text_scan_number_behind(struct text_scan *scan, const char *what, uint32_t least,
                                          uint32_t most, uint32_t *number);

/* Passes blanks and a number of any form: with a sign, a point, an exponent. */
enum failure_kind text_scan_skip_number(struct text_scan *scan, const char *what);

/* Fails: `expected` should stand here, and something else does, which the text shows. */
enum failure_kind text_scan_fail(struct text_scan *scan, const char *expected);

#endif
