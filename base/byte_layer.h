/* byte_layer.h - what base/byte_source.c and the layers below its text agree on: who reads bytes
 * from whom, and the place that messages name.
 *
 * A layer takes bytes from the one below it and gives others, as a byte_reader: of gzip data, of
 * data compressed otherwise, or of a file in a tar or zip archive.
 */
#ifndef MESHCAST_BASE_BYTE_LAYER_H
#define MESHCAST_BASE_BYTE_LAYER_H

#include "base/failure.h"

enum { BYTE_BLOCK = 1 << 18, BYTE_NAME = 304 };

/* Reads up to `size` bytes, at least one, and their number into *got; 0 only after the last
 * byte. */
typedef enum failure_kind byte_reader(void *from, unsigned char *bytes, size_t size, size_t *got,
                                      struct failure *failure);

/* Input of a layer: `length` bytes at the front of `block`, which has room for BYTE_BLOCK, then
 * what `read` gives. */
struct byte_input {
    byte_reader *read;
    void *from;
    unsigned char *block;
    size_t length;
};

/* The place of the reading. */
struct byte_place {
    char name[BYTE_NAME]; /* of the source */
    uint64_t line;        /* ends of lines handed out */
};

/* ---- gzip ---- */

struct gunzip;

/* Starts on the input, whose block is freed with the layer (or now, if this fails). `place` must
 * outlive it. The caller closes it. */
enum failure_kind gunzip_open(struct gunzip **gunzip, const struct byte_input *input,
                              const struct byte_place *place, struct failure *failure);

/* A byte_reader. FAIL_INPUT: the data are cut off or corrupt. */
byte_reader gunzip_read;

/* Frees it. */
void gunzip_close(struct gunzip *gunzip);

/* ---- other compressions, and archives ---- */

struct archive_member;

/* Starts on the input, which is of `kind` by its magic number, "xz" for instance. Its block is
 * freed with the layer (or now, if this fails). `wanted` is the file in the archive, or NULL for
 * the only one that holds data: documents that go with data (README, licences, pages) do not count.
 * Both texts, and `place`, must outlive the layer. The caller closes it. FAIL_INPUT: corrupt or
 * truncated data, no such file, no archive where `wanted` is given. */
enum failure_kind archive_member_open(struct archive_member **member,
                                      const struct byte_input *input, const char *kind,
                                      const char *wanted, const struct byte_place *place,
                                      struct failure *failure);

/* Returns the name of the file in the archive; NULL: the input is not an archive, only
 * compressed. */
const char *archive_member_name(const struct archive_member *member);

/* A byte_reader. Before it reports the end it goes on to the end of the archive. FAIL_INPUT:
 * corrupt or truncated data, or several files, of which none is wanted by name. */
byte_reader archive_member_read;

/* Reads the archive to its end, without the bytes of its files, and fails as archive_member_read()
 * does. */
enum failure_kind archive_member_survey(struct archive_member *member, struct failure *failure);

/* Frees it. */
void archive_member_close(struct archive_member *member);

#endif
