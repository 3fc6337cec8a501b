/* message_scan.h - the text of a message set as a sequence of items and line ends (private to the
 * reader of message sets).
 *
 * All functions that return a kind fill scan->failure with `FILE:LINE: expected ..., found ...`
 * when they fail; after a read error they return its kind, and the text is the source's.
 */
#ifndef MESHCAST_WORKLOADS_MESSAGE_SCAN_H
#define MESHCAST_WORKLOADS_MESSAGE_SCAN_H

#include "base/byte_source.h"
#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_SCAN_WINDOW = 1 << 16 };

struct message_scan {
    struct byte_source *source;
    unsigned char *window; /* [MESSAGE_SCAN_WINDOW + 1], with a zero byte at *end */
    const unsigned char *at, *end;
    bool at_end;              /* nothing more will come into the window */
    enum failure_kind broken; /* the source could not be read on, and why; `failure` has the rest */
    const char *name;
    uint64_t line; /* from 1 */
    struct failure *failure;
};

/* Stands at the next item, on this or a later line; *found is false at the end of the text. */
enum failure_kind message_scan_find(struct message_scan *scan, bool *found);

/* Passes blanks and a comment: what follows is an item or the line's end. */
enum failure_kind message_scan_blanks(struct message_scan *scan);

/* Whether a line end (LF, CR LF or the end of the text) stands here. */
bool message_scan_at_line_end(const struct message_scan *scan);

/* Passes a line's end; false, and nothing passed, at the end of the text. */
bool message_scan_next_line(struct message_scan *scan);

/* Passes `word` if it stands here as an item of its own. */
bool message_scan_word(struct message_scan *scan, const char *word);

/* Passes blanks and reads a decimal number from `least` to `most`; `what` names it in messages. */
enum failure_kind message_scan_number(struct message_scan *scan, const char *what, uint32_t least,
                                      uint32_t most, uint32_t *number);

/* The same, of a number that ends at a colon or as an item does; *has_colon says which. A colon is passed.
 * message_scan_number_behind() reads a number that must stand right here, without blanks before it. */
enum failure_kind message_scan_number_before(struct message_scan *scan, const char *what,
                                             uint32_t least, uint32_t most, uint32_t *number,
                                             bool *has_colon);
enum failure_kind message_scan_number_behind(struct message_scan *scan, const char *what,
                                             uint32_t least, uint32_t most, uint32_t *number);

/* Fails: `expected` should stand here, and something else does, which the text shows. */
enum failure_kind message_scan_fail(struct message_scan *scan, const char *expected);

#endif
