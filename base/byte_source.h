/* byte_source.h - the text of a file, compressed, archived or neither: its lines with their
 * numbers, or blocks of it.
 *
 * The readers of matrices, graphs and message sets take their text from here, so that one place
 * deals with compression and archives (gzip, bzip2, xz, zstd, lz4; tar, zip), CRLF, over-long lines
 * and failures of the system.
 */
#ifndef MESHCAST_BASE_BYTE_SOURCE_H
#define MESHCAST_BASE_BYTE_SOURCE_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BYTE_SOURCE_LONGEST_LINE = 65536 /* bytes, line end excluded */ };

struct byte_source;

/* A line without its end; text is NULL after the last line (`number` is then the last line's, 0 in
 * an empty text). `text` is valid until the next call for a line. */
struct byte_line {
    const char *name; /* the source's name, for messages; at most 303 bytes */
    uint64_t number;  /* from 1 */
    const char *text, *end;
};

/* Opens the file `path` ("-": standard input, which is not closed). Compressed files and archives
 * are recognised by their magic numbers, whatever the name. In an archive the only candidate is
 * read (base/byte_layer.h), or MEMBER if the path is FILE:MEMBER and no file has the whole path as
 * its name. FAIL_SYSTEM: it cannot be opened or read, no memory. FAIL_INPUT: a corrupt file; an
 * archive with several files, or none. The caller closes the source. */
enum failure_kind byte_source_open(struct byte_source **source, const char *path,
                                   struct failure *failure);

/* Shares one file among several processes: one of them reads it, and the rest get copies. */
struct byte_sharing {
    bool is_reader;
    /* Copies the reader's bytes to all processes. All call it, with the same count. NULL: only one
     * process. */
    enum failure_kind (*copy)(void *context, void *bytes, size_t count, struct failure *failure);
    void *context;
};

/* Does the same for several processes (NULL: one), each of which gets the whole text. All must read
 * the same from their sources. If the reader fails, all fail with its failure. */
enum failure_kind byte_source_open_shared(struct byte_source **source,
                                          const struct byte_sharing *sharing, const char *path,
                                          struct failure *failure);

/* Reads from an open descriptor, which belongs to the source from here on; `name` replaces the
 * file's name in messages. */
enum failure_kind byte_source_open_descriptor(struct byte_source **source, int descriptor,
                                              const char *name, struct failure *failure);

/* Opens `length` bytes in memory, which must outlive the source. */
enum failure_kind byte_source_open_memory(struct byte_source **source, const void *bytes,
                                          size_t length, const char *name, struct failure *failure);

/* Returns the name that messages use: the path, or FILE:MEMBER for a file in an archive; at most
 * 303 bytes. */
const char *byte_source_name(const struct byte_source *source);

/* Frees and closes; NULL is fine. */
void byte_source_close(struct byte_source *source);

/* Finds if the text begins with `prefix` (at most 64 bytes, compared without regard to case) and
 * then a blank, a line end or nothing. Must be called before the first line is read. */
enum failure_kind byte_source_begins(struct byte_source *source, const char *prefix, int *begins,
                                     struct failure *failure);

/* Shows the text that follows: `size` bytes (at most BYTE_SOURCE_LONGEST_LINE), fewer if it ends or
 * fails before, which the next calls for text report. Valid until then. */
void byte_source_peek(struct byte_source *source, size_t size, const char **text, size_t *length);

/* Passes a UTF-8 mark. Makes CR the end of lines if the first line, or as many bytes as a line may
 * have, has no LF. Sets *has_mark and *has_returns. Must be called before the first line is
 * read. */
enum failure_kind byte_source_pass_mark(struct byte_source *source, bool *has_mark,
                                        bool *has_returns, struct failure *failure);

/* Reads up to `size` bytes of the text, at least one, and sets *got to their number; 0 only after
 * the last byte. Must not be mixed with calls for lines. Fails as byte_source_line() does, but no
 * line is too long. */
enum failure_kind byte_source_read(struct byte_source *source, void *bytes, size_t size,
                                   size_t *got, struct failure *failure);

/* Reads the next line, which ends with LF, CRLF or the end of the text. FAIL_INPUT: the line is too
 * long, or the compressed data are truncated or corrupt; FAIL_SYSTEM: it cannot be read. */
enum failure_kind byte_source_line(struct byte_source *source, struct byte_line *line,
                                   struct failure *failure);

/* Reads the next line, of any length, for which the source grows. FAIL_SYSTEM: also no memory. */
enum failure_kind byte_source_long_line(struct byte_source *source, struct byte_line *line,
                                        struct failure *failure);

#endif
