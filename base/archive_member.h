/* archive_member.h - the text in a compressed file other than gzip, or of a file in a tar or zip archive. */
#ifndef MESHCAST_BASE_ARCHIVE_MEMBER_H
#define MESHCAST_BASE_ARCHIVE_MEMBER_H

#include "base/byte_layer.h"

struct archive_member;

/* Returns the name of the compression or the kind of archive that bytes at the begin of a file show; NULL: none that is
 * read here. Looks at ARCHIVE_MAGIC bytes, if there are so many. */
enum { ARCHIVE_MAGIC = 263 };
const char *archive_kind(const unsigned char *bytes, size_t length);

/* Starts on the input, which is of `kind`, as archive_kind() found. Its block is freed with the layer (or now, if this
 * fails). `wanted` is the file in the archive, or NULL for the only one that holds data: documents that go with data
 * (README, licences, pages) do not count. Both texts, and `place`, must outlive the layer. The caller closes it.
 * FAIL_INPUT: corrupt or truncated data, no such file, no archive where `wanted` is given. */
enum failure_kind archive_member_open(struct archive_member **member,
                                      const struct byte_input *input, const char *kind,
                                      const char *wanted, const struct byte_place *place,
                                      struct failure *failure);

/* Returns the name of the file in the archive; NULL: the input is not an archive, only compressed. */
const char *archive_member_name(const struct archive_member *member);

/* A byte_reader. Before it reports the end it goes on to the end of the archive. FAIL_INPUT: corrupt or
 * truncated data, or several files, of which none is wanted by name. */
byte_reader archive_member_read;

/* Reads the archive to its end, without the bytes of its files, and fails as archive_member_read() does. */
enum failure_kind archive_member_survey(struct archive_member *member, struct failure *failure);

/* Frees; NULL is fine. */
void archive_member_close(struct archive_member *member);

#endif
