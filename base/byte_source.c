/* byte_source.c - lines, or blocks, out of a file, a descriptor or memory.
 *
 * Method: bytes are read in blocks; data that begin like a compressed file or an archive go through
 * layers (base/byte_layer.h); plain text is read straight from the system. A line is returned as a
 * pointer into the block: if the block has no line end left, the rest is moved to its front and the
 * block is filled up after it. There is room, since a line is at most a quarter of a block, or the
 * block grows for long lines. An archive is read twice if possible, first to see that it has only
 * one candidate: the first file could be the wrong one, and fail in a reader with a misleading
 * message. In a pipe a second candidate is found only at the end.
 * Invariant: block[begin .. end-1] is text not yet returned; `finished` says that no text comes
 * after it. A truncated or corrupt file fails before its last, partial line is returned, and its
 * checksum has been compared before `finished` is set.
 * Cost: a block of 256 KiB, and one for each layer, whatever the file's size; each byte is copied
 * at most once more than the system or the layers do.
 */
#include "base/byte_source.h"

#include "base/byte_layer.h"
#include "base/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>
#include <unistd.h>

_Static_assert(BYTE_BLOCK >= 4 * BYTE_SOURCE_LONGEST_LINE, "a line leaves room in a block");

struct byte_source {
    struct byte_place place;
    struct byte_sharing sharing; /* the readers of the raw bytes */
    int descriptor;              /* -1: the source is in memory */
    off_t first; /* the descriptor's position at the beginning; -1: it cannot go back */
    const unsigned char *memory;
    size_t memory_size, memory_at;
    bool raw_finished, finished;
    bool has_returns;  /* CR ends lines */
    char *wanted;      /* the path's file in the archive; NULL: none is named */
    byte_reader *read; /* reads the text, from `from`: the source itself, or its last layer */
    void *from;
    struct gunzip *gunzip;
    struct archive_member *member;
    unsigned char *block; /* [room], at least BYTE_BLOCK */
    size_t room, begin, end;
};

enum { GZIP, TAR_MAGIC_AT = 257, MOST_MAGIC = TAR_MAGIC_AT + 6 };

static const struct magic {
    const char *kind;
    size_t at, length;
    const char *bytes;
} MAGICS[] = {
    [GZIP] = {"gzip", 0, 2, "\x1f\x8b"},
    {"bzip2", 0, 3, "BZh"},
    {"xz", 0, 6, "\xfd\x37zXZ"},
    {"zstd", 0, 4, "\x28\xb5\x2f\xfd"},
    {"lz4", 0, 4, "\x04\x22\x4d\x18"},
    {"zip", 0, 4, "PK\3\4"},
    {"zip", 0, 4, "PK\5\6"}, /* an empty archive */
    {"tar", TAR_MAGIC_AT, 5, "ustar"},
};

/* Names longer than the field keep their end, which tells files apart. */
static void set_name(struct byte_source *source, const char *name, size_t length)
{
    size_t cut = length < BYTE_NAME ? 0 : length - (BYTE_NAME - 4);
    if (length == 0 || (length == 1 && *name == '-'))
        snprintf(source->place.name, BYTE_NAME, "%s", length == 0 ? "''" : "standard input");
    else
        snprintf(source->place.name, BYTE_NAME, "%s%.*s", cut > 0 ? "..." : "", (int)(length - cut),
                 name + cut);
}

static enum failure_kind read_here(struct byte_source *source, unsigned char *bytes, size_t size,
                                   size_t *got, struct failure *failure)
{
    if (source->descriptor < 0) {
        size_t left = source->memory_size - source->memory_at;
        *got = size < left ? size : left;
        if (*got > 0)
            memcpy(bytes, source->memory + source->memory_at, *got);
        source->memory_at += *got;
    } else {
        ssize_t count;
        do
            count = read(source->descriptor, bytes, size);
        while (count < 0 && errno == EINTR);
        if (count < 0)
            return fail(failure, FAIL_SYSTEM, "cannot read %s: %s", source->place.name,
                        strerror(errno));
        *got = (size_t)count;
    }
    return FAIL_NONE;
}

/* True if this process reads the file itself. */
static bool reads_itself(const struct byte_source *source)
{
    return source->sharing.copy == NULL || source->sharing.is_reader;
}

/* Copies the reader's bytes to the other processes, unless something has failed. */
static enum failure_kind share(const struct byte_source *source, enum failure_kind kind,
                               void *bytes, size_t count, struct failure *failure)
{
    const struct byte_sharing *sharing = &source->sharing;
    if (kind != FAIL_NONE || sharing->copy == NULL)
        return kind;
    return sharing->copy(sharing->context, bytes, count, failure);
}

/* Makes the reader's outcome, failed with `kind` or not, the outcome of all processes. */
static enum failure_kind share_failure(const struct byte_source *source, enum failure_kind kind,
                                       struct failure *failure)
{
    struct failure first = {.kind = FAIL_NONE};
    if (kind != FAIL_NONE && failure != NULL)
        first = *failure;
    first.kind = kind;
    enum failure_kind shared = share(source, FAIL_NONE, &first, sizeof first, failure);
    if (shared != FAIL_NONE || first.kind == FAIL_NONE)
        return shared;
    if (failure != NULL)
        *failure = first;
    return first.kind;
}

/* Reads the bytes of the file as they are; a byte_reader. Sets raw_finished at their end. */
static enum failure_kind read_raw(void *from, unsigned char *bytes, size_t size, size_t *got,
                                  struct failure *failure)
{
    struct byte_source *source = from;
    enum failure_kind kind = FAIL_NONE;
    uint64_t count = 0;
    *got = 0;
    if (source->raw_finished)
        return FAIL_NONE;
    if (reads_itself(source))
        kind = read_here(source, bytes, size, got, failure);
    count = kind == FAIL_NONE ? *got : 0;
    kind = share_failure(source, kind, failure);
    kind = share(source, kind, &count, sizeof count, failure);
    kind = share(source, kind, bytes, (size_t)count, failure);
    *got = (size_t)count;
    source->raw_finished = kind == FAIL_NONE && *got == 0;
    return kind;
}

static void replace_returns(char *at, const char *end)
{
    while ((at = memchr(at, '\r', (size_t)(end - at))) != NULL)
        *at = '\n';
}

/* Moves the rest of the text to the block's front and adds at least one byte, or sets
 * `finished`. */
static enum failure_kind fill(struct byte_source *source, struct failure *failure)
{
    size_t got = 0, left = source->end - source->begin;
    memmove(source->block, source->block + source->begin, left);
    source->begin = 0;
    enum failure_kind kind =
        source->read(source->from, source->block + left, source->room - left, &got, failure);
    source->end = left + got;
    source->finished = kind == FAIL_NONE && got == 0;
    if (source->has_returns)
        replace_returns((char *)source->block + left, (char *)source->block + source->end);
    return kind;
}

/* Reads enough bytes to tell text from compressed data; a line end is also enough. */
static enum failure_kind fill_magic(struct byte_source *source, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    while (kind == FAIL_NONE && source->end < MOST_MAGIC && !source->finished &&
           (source->end == 0 || memchr(source->block, '\n', source->end) == NULL))
        kind = fill(source, failure);
    return kind;
}

/* Returns the magic number that the text begins with; NULL: none. */
static const struct magic *find_magic(const struct byte_source *source)
{
    const unsigned char *bytes = source->block;
    size_t length = source->end;
    for (size_t i = 0; i < sizeof MAGICS / sizeof *MAGICS; i++) {
        const struct magic *magic = &MAGICS[i];
        if (length < magic->at + magic->length ||
            memcmp(bytes + magic->at, magic->bytes, magic->length) != 0)
            continue;
        /* text that begins with the letters of bzip2, or has "ustar" somewhere, is text */
        bool is_text = strcmp(magic->kind, "bzip2") == 0
                           ? length < 4 || bytes[3] < '1' || bytes[3] > '9' ||
                                 (length > 4 && bytes[4] != 0x31 && bytes[4] != 0x17)
                           : memchr(bytes, '\n', magic->at) != NULL;
        if (!is_text)
            return magic;
    }
    return NULL;
}

static enum failure_kind make_block(struct byte_source *source, struct failure *failure)
{
    source->room = BYTE_BLOCK;
    source->block = malloc(source->room);
    return source->block != NULL ? FAIL_NONE : fail_memory(failure, "reading a file");
}

/* Makes the block the input of a layer for its magic number, and a new block the layer's text. */
static enum failure_kind add_layer(struct byte_source *source, const struct magic *magic,
                                   struct failure *failure)
{
    struct byte_input input = {source->read, source->from, source->block, source->end};
    enum failure_kind status;
    source->block = NULL;
    source->end = 0;
    source->finished = false;
    if (magic == &MAGICS[GZIP]) {
        status = gunzip_open(&source->gunzip, &input, &source->place, failure);
        source->read = gunzip_read;
        source->from = source->gunzip;
    } else {
        status = archive_member_open(&source->member, &input, magic->kind, source->wanted,
                                     &source->place, failure);
        source->read = archive_member_read;
        source->from = source->member;
    }
    if (status == FAIL_NONE)
        status = make_block(source, failure);
    return status == FAIL_NONE && source->member == NULL ? fill_magic(source, failure) : status;
}

/* Reads the first bytes and adds the layers that they need: at most one of gzip, then one of
 * another kind. */
static enum failure_kind start(struct byte_source *source, struct failure *failure)
{
    source->read = read_raw;
    source->from = source;
    enum failure_kind kind = make_block(source, failure);
    if (kind == FAIL_NONE)
        kind = fill_magic(source, failure);
    const struct magic *magic;
    while (kind == FAIL_NONE && source->member == NULL && (magic = find_magic(source)) != NULL &&
           (magic != &MAGICS[GZIP] || source->gunzip == NULL))
        kind = add_layer(source, magic, failure);
    if (kind == FAIL_NONE && source->wanted != NULL && source->member == NULL)
        kind = fail(failure, FAIL_INPUT, "%s:1: expected an archive with the file '%s', found none",
                    source->place.name, source->wanted);
    return kind;
}

/* Frees what start() made. */
static void stop(struct byte_source *source)
{
    if (source->member != NULL)
        archive_member_close(source->member);
    if (source->gunzip != NULL)
        gunzip_close(source->gunzip);
    free(source->block);
    source->member = NULL;
    source->gunzip = NULL;
    source->block = NULL;
    source->begin = source->end = 0;
    source->raw_finished = source->finished = false;
}

/* Checks that an archive has only one candidate, and starts anew, if the source can be read
 * again. */
static enum failure_kind survey(struct byte_source *source, struct failure *failure)
{
    enum failure_kind kind = archive_member_survey(source->member, failure);
    if (kind != FAIL_NONE)
        return kind;
    stop(source);
    source->memory_at = 0;
    if (source->descriptor >= 0 && lseek(source->descriptor, source->first, SEEK_SET) < 0)
        kind =
            fail(failure, FAIL_SYSTEM, "cannot read %s: %s", source->place.name, strerror(errno));
    kind = share_failure(source, kind, failure);
    return kind == FAIL_NONE ? start(source, failure) : kind;
}

/* Appends the name of the file in an archive to the archive's name in messages. */
static void name_member(struct byte_source *source, const char *member)
{
    char shown[BYTE_NAME], name[2 * BYTE_NAME];
    size_t length = strlen(member);
    printable_copy(shown, sizeof shown, length < BYTE_NAME ? member : member + length - BYTE_NAME);
    snprintf(name, sizeof name, "%s:%s", source->place.name, shown);
    set_name(source, name, strlen(name));
}

static enum failure_kind open_layers(struct byte_source *source, struct failure *failure)
{
    enum failure_kind kind = start(source, failure);
    if (kind == FAIL_NONE && source->member != NULL &&
        archive_member_name(source->member) != NULL) {
        if (source->wanted == NULL && source->first >= 0)
            kind = survey(source, failure);
        if (kind == FAIL_NONE)
            name_member(source, archive_member_name(source->member));
    }
    return kind;
}

static enum failure_kind open_with(struct byte_source **source, struct byte_source *opened,
                                   struct failure *failure)
{
    enum failure_kind kind = open_layers(opened, failure);
    if (kind != FAIL_NONE) {
        byte_source_close(opened);
        opened = NULL;
    }
    *source = opened;
    return kind;
}

enum failure_kind byte_source_open_descriptor(struct byte_source **source, int descriptor,
                                              const char *name, struct failure *failure)
{
    *source = NULL;
    struct byte_source *opened = memory_allocate(1, sizeof *opened);
    if (opened == NULL) {
        if (descriptor > STDIN_FILENO)
            close(descriptor);
        return fail_memory(failure, "reading a file");
    }
    set_name(opened, name, strlen(name));
    opened->descriptor = descriptor;
    opened->first = lseek(descriptor, 0, SEEK_CUR);
    return open_with(source, opened, failure);
}

enum failure_kind byte_source_open_memory(struct byte_source **source, const void *bytes,
                                          size_t length, const char *name, struct failure *failure)
{
    *source = NULL;
    struct byte_source *opened = memory_allocate(1, sizeof *opened);
    if (opened == NULL)
        return fail_memory(failure, "reading a file");
    set_name(opened, name, strlen(name));
    opened->descriptor = -1;
    opened->memory = bytes;
    opened->memory_size = length;
    return open_with(source, opened, failure);
}

/* Opens the file at the path, or at the part of it before a colon: the first that exists. Sets
 * *length to the length of its name. Returns -1, with errno set, if none exists. */
static int open_path(const char *path, uint64_t *length)
{
    char file[FILENAME_MAX];
    *length = strlen(path);
    int descriptor = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY), error = errno;
    const char *colon = error == ENOENT ? strchr(path, ':') : NULL;
    for (; descriptor < 0 && colon != NULL; colon = strchr(colon + 1, ':')) {
        size_t size = (size_t)(colon - path);
        if (size == 0 || size >= sizeof file || colon[1] == '\0')
            continue;
        snprintf(file, sizeof file, "%.*s", (int)size, path);
        descriptor = open(file, O_RDONLY);
        *length = descriptor < 0 ? *length : size;
    }
    errno = error;
    return descriptor;
}

/* Opens the file in the reader; all processes learn whether the path also names a file in it. */
static enum failure_kind open_file(struct byte_source *source, const char *path,
                                   struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    struct {
        uint64_t length;
        int64_t first;
    } shared = {0, 0};
    source->descriptor = -1;
    if (reads_itself(source)) {
        source->descriptor = open_path(path, &shared.length);
        if (source->descriptor < 0)
            kind = fail(failure, FAIL_SYSTEM, "cannot open %s: %s", source->place.name,
                        strerror(errno));
        else
            shared.first = lseek(source->descriptor, 0, SEEK_CUR);
    }
    kind = share_failure(source, kind, failure);
    kind = share(source, kind, &shared, sizeof shared, failure);
    if (kind != FAIL_NONE)
        return kind;
    source->first = (off_t)shared.first;
    if (path[shared.length] == '\0')
        return FAIL_NONE;
    set_name(source, path, shared.length);
    source->wanted = strdup(path + shared.length + 1);
    return source->wanted != NULL ? FAIL_NONE : fail_memory(failure, "the name of a file");
}

enum failure_kind byte_source_open_shared(struct byte_source **source,
                                          const struct byte_sharing *sharing, const char *path,
                                          struct failure *failure)
{
    *source = NULL;
    struct byte_source *opened = memory_allocate(1, sizeof *opened);
    if (opened == NULL)
        return fail_memory(failure, "reading a file");
    set_name(opened, path, strlen(path));
    if (sharing != NULL)
        opened->sharing = *sharing;
    enum failure_kind kind = open_file(opened, path, failure);
    if (kind == FAIL_NONE)
        return open_with(source, opened, failure);
    byte_source_close(opened);
    return kind;
}

enum failure_kind byte_source_open(struct byte_source **source, const char *path,
                                   struct failure *failure)
{
    return byte_source_open_shared(source, NULL, path, failure);
}

const char *byte_source_name(const struct byte_source *source)
{
    return source->place.name;
}

void byte_source_close(struct byte_source *source)
{
    if (source == NULL)
        return;
    stop(source);
    if (source->descriptor > STDIN_FILENO)
        close(source->descriptor);
    free(source->wanted);
    free(source);
}

enum failure_kind byte_source_begins(struct byte_source *source, const char *prefix, int *begins,
                                     struct failure *failure)
{
    size_t length = strlen(prefix);
    while (source->end - source->begin <= length && !source->finished) {
        enum failure_kind kind = fill(source, failure);
        if (kind != FAIL_NONE)
            return kind;
    }
    const char *text = (const char *)source->block + source->begin;
    size_t have = source->end - source->begin;
    *begins = have >= length && strncasecmp(text, prefix, length) == 0 &&
              (have == length || memchr(" \t\r\n", text[length], 4) != NULL);
    return FAIL_NONE;
}

void byte_source_peek(struct byte_source *source, size_t size, const char **text, size_t *length)
{
    while (source->end - source->begin < size && !source->finished)
        if (fill(source, NULL) != FAIL_NONE)
            break;
    *text = (const char *)source->block + source->begin;
    *length = source->end - source->begin < size ? source->end - source->begin : size;
}

enum failure_kind byte_source_pass_mark(struct byte_source *source, bool *has_mark,
                                        bool *has_returns, struct failure *failure)
{
    static const char MARK[] = "\xef\xbb\xbf";
    char *text;
    size_t have;
    for (;;) {
        text = (char *)source->block + source->begin;
        have = source->end - source->begin;
        if (source->finished || have > BYTE_SOURCE_LONGEST_LINE || memchr(text, '\n', have) != NULL)
            break;
        enum failure_kind kind = fill(source, failure);
        if (kind != FAIL_NONE)
            return kind;
    }
    *has_mark = have >= 3 && memcmp(text, MARK, 3) == 0;
    *has_returns = memchr(text, '\n', have) == NULL && memchr(text, '\r', have) != NULL;
    source->begin += *has_mark ? 3 : 0;
    source->has_returns = *has_returns;
    if (*has_returns)
        replace_returns(text, text + have);
    return FAIL_NONE;
}

/* Reads a line of at most `longest` bytes. */
static enum failure_kind read_line(struct byte_source *source, size_t longest,
                                   struct byte_line *line, struct failure *failure)
{
    const char *newline = NULL;
    size_t have = 0;
    for (;;) {
        const char *text = (const char *)source->block + source->begin;
        size_t seen = have;
        have = source->end - source->begin;
        newline = memchr(text + seen, '\n', have - seen);
        if (newline != NULL || source->finished || have > longest + 1)
            break;
        if (have == source->room) {
            unsigned char *grown = memory_grow(source->block, &source->room, have + 1, 1);
            if (grown == NULL)
                return fail_memory(failure, "a long line");
            source->block = grown;
        }
        enum failure_kind kind = fill(source, failure);
        if (kind != FAIL_NONE)
            return kind;
    }

    const char *text = (const char *)source->block + source->begin;
    const char *end = newline != NULL ? newline : text + have;
    source->begin += (size_t)(end - text) + (newline != NULL);
    if (end > text && end[-1] == '\r')
        end--;
    if ((size_t)(end - text) > longest)
        return fail(failure, FAIL_INPUT,
                    "%s:%llu: expected a line of at most %d bytes, found a longer one",
                    source->place.name, (unsigned long long)source->place.line + 1,
                    BYTE_SOURCE_LONGEST_LINE);
    bool none = have == 0;
    source->place.line += !none;
    *line = (struct byte_line){.name = source->place.name,
                               .number = source->place.line,
                               .text = none ? NULL : text,
                               .end = none ? NULL : end};
    return FAIL_NONE;
}

enum failure_kind byte_source_line(struct byte_source *source, struct byte_line *line,
                                   struct failure *failure)
{
    return read_line(source, BYTE_SOURCE_LONGEST_LINE, line, failure);
}

enum failure_kind byte_source_long_line(struct byte_source *source, struct byte_line *line,
                                        struct failure *failure)
{
    return read_line(source, SIZE_MAX - 1, line, failure);
}

enum failure_kind byte_source_read(struct byte_source *source, void *bytes, size_t size,
                                   size_t *got, struct failure *failure)
{
    *got = 0;
    while (source->begin == source->end && !source->finished) {
        enum failure_kind kind = fill(source, failure);
        if (kind != FAIL_NONE)
            return kind;
    }
    *got = source->end - source->begin < size ? source->end - source->begin : size;
    memcpy(bytes, source->block + source->begin, *got);
    source->begin += *got;
    const char *at = bytes, *end = at + *got;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        source->place.line++; /* a fault of the compression is reported with its line */
        at++;
    }
    return FAIL_NONE;
}
