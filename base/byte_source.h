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

/* A line without its end, or text NULL behind the last line (`number` is then that of the last
 * line, 0 in an empty text). `text` is valid until the next call for a line. */
struct byte_line {
    const char *name; /* of the source, for messages; at most 303 bytes */
    uint64_t number;  /* from 1 */
    const char *text, *end;
};

/* Opens the file `path` ("-": standard input, which is not closed). Compressed files and archives
 * are told by their magic numbers, whatever the name. Of an archive the only file that can be meant
 * is read (base/byte_layer.h), or MEMBER where the path is FILE:MEMBER and no file has the whole
 * path as its name. FAIL_SYSTEM: it cannot be opened or read, no memory. FAIL_INPUT: a corrupt
 * file, several files in an archive, or none. The caller closes the source. */
enum failure_kind byte_source_open(struct byte_source **source, const char *path,
                                   struct failure *failure);

/* Shares one file among several processes: one of them reads it, and the others get copies. */
struct byte_sharing {
    bool is_reader;
    /* Copies the reader's bytes to all others. All call it, with the same count. NULL: there are no
     * others. */
    enum failure_kind (*copy)(void *context, void *bytes, size_t count, struct failure *failure);
    void *context;
};

/* The same for several processes (NULL: one), each of which gets the whole text. All must take the
 * same from their sources. If the reader fails, all fail with its failure. */
enum failure_kind byte_source_open_shared(struct byte_source **source,
                                          const struct byte_sharing *sharing, const char *path,
                                          struct failure *failure);

/* Reads from an open descriptor, which is the source's from here on; `name` stands for the file's
 * name in messages. */
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

/* Finds whether the text begins with `prefix` (at most 64 bytes, compared without regard to case)
 * and then a blank, a line end or nothing. To be called before the first line is taken. */
enum failure_kind byte_source_begins(struct byte_source *source, const char *prefix, int *begins,
                                     struct failure *failure);

/* Shows what comes next of the text: `size` bytes (at most BYTE_SOURCE_LONGEST_LINE), fewer if it
 * ends before, or fails there, which the next calls for text report. Valid until then. */
void byte_source_peek(struct byte_source *source, size_t size, const char **text, size_t *length);

/* Passes a UTF-8 mark, and takes CR for the end of lines if the first line, or what a line may be
 * long, has no LF; says in *has_mark and *has_returns if it did. To be called before the first line
 * is taken. */
enum failure_kind byte_source_pass_mark(struct byte_source *source, bool *has_mark,
                                        bool *has_returns, struct failure *failure);

/* Reads up to `size` bytes of the text, at least one, and their number into *got; 0 only behind the
 * last byte. Not to be mixed with calls for lines. Fails as byte_source_line() does, but no line is
 * too long. */
enum failure_kind byte_source_read(struct byte_source *source, void *bytes, size_t size,
                                   size_t *got, struct failure *failure);

/* Reads the next line, which ends with LF, CRLF or the end of the text. FAIL_INPUT: the line is too
 * long, or the compressed data are cut off or corrupt; FAIL_SYSTEM: it cannot be read. */
enum failure_kind byte_source_line(struct byte_source *source, struct byte_line *line,
                                   struct failure *failure);

/* The same for lines of any length, for which the source grows. FAIL_SYSTEM: also no memory. */
enum failure_kind byte_source_long_line(struct byte_source *source, struct byte_line *line,
                                        struct failure *failure);

#endif
