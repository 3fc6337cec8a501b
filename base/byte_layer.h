/* byte_layer.h - the interface of base/byte_source.c and the layers below its text: readers of
 * bytes, and the place that messages name.
 *
 * A layer reads bytes from the one below it and returns decoded ones, as a byte_reader: from gzip
 * data, from data compressed otherwise, or from a file in a tar or zip archive.
 */
#ifndef MESHCAST_BASE_BYTE_LAYER_H
#define MESHCAST_BASE_BYTE_LAYER_H

#include "base/failure.h"

enum { BYTE_BLOCK = 1 << 18, BYTE_NAME = 304 };

/* Reads up to `size` bytes, at least one, and sets *got to their number; 0 only after the last
 * byte. */
typedef enum failure_kind byte_reader(void *from, unsigned char *bytes, size_t size, size_t *got,
                                      struct failure *failure);

/* The input of a layer: `length` bytes at the front of `block`, which has room for BYTE_BLOCK, then
 * the bytes that `read` returns. */
struct byte_input {
    byte_reader *read;
    void *from;
    unsigned char *block;
    size_t length;
};

/* The place of the reading. */
struct byte_place {
    char name[BYTE_NAME]; /* the source's name */
    uint64_t line;        /* line ends returned so far */
};

/* ---- gzip ---- */

struct gunzip;

/* Starts on the input, whose block is freed with the layer (or now, on failure). `place` must
 * outlive it. The caller closes it. */
enum failure_kind gunzip_open(struct gunzip **gunzip, const struct byte_input *input,
                              const struct byte_place *place, struct failure *failure);

/* Reads as a byte_reader. FAIL_INPUT: the data are truncated or corrupt. */
byte_reader gunzip_read;

/* Frees it. */
void gunzip_close(struct gunzip *gunzip);

/* ---- other compressions, and archives ---- */

struct archive_member;

/* Starts on the input, whose `kind` is known by its magic number, "xz" for instance. Its block is
 * freed with the layer (or now, on failure). `wanted` is the file in the archive, or NULL for the
 * only one with data: documents that accompany data (README, licences, pages) do not count. Both
 * texts, and `place`, must outlive the layer. The caller closes it. FAIL_INPUT: corrupt or
 * truncated data, no such file, `wanted` is given but the input is no archive. */
enum failure_kind archive_member_open(struct archive_member **member,
                                      const struct byte_input *input, const char *kind,
                                      const char *wanted, const struct byte_place *place,
                                      struct failure *failure);

/* Returns the name of the file in the archive; NULL: the input is not an archive, only
 * compressed. */
const char *archive_member_name(const struct archive_member *member);

/* Reads as a byte_reader. Before it reports the end it reads to the end of the archive. FAIL_INPUT:
 * corrupt or truncated data, or several files and no name in `wanted`. */
byte_reader archive_member_read;

/* Reads the archive to its end, without the bytes of its files, and fails as archive_member_read()
 * does. */
enum failure_kind archive_member_survey(struct archive_member *member, struct failure *failure);

/* Frees it. */
void archive_member_close(struct archive_member *member);

#endif
