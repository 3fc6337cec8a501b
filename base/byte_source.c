/* byte_source.c - lines, or blocks, out of a plain or gzip file, a descriptor or memory.
 *
 * Method: raw bytes are read in blocks; gzip is inflated by zlib from one block into another. A
 * line is handed out as a pointer into the block: where no line end is left in the block, the rest
 * is moved to its front and the block is filled up behind it. Since a line is at most a quarter of
 * a block, there is always room.
 * Invariant: block[begin .. end-1] is text not yet handed out; `finished` says that no text comes
 * after it. A truncated or corrupt gzip file fails before its last, partial line is handed out, and its
 * checksum has been compared before `finished` is set. Gzip files may have several members and
 * zeros behind the last (as tapes leave them); other bytes there are corruption.
 * Source: RFC 1952 (gzip); the inflating itself is zlib's.
 * Cost: two blocks of 256 KiB whatever the file's size; each byte is copied at most once more than
 * the system or zlib does.
 */
#include "base/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK_SIZE = 4 * BYTE_SOURCE_LONGEST_LINE, NAME_SIZE = 304, GZIP_WINDOW = 15 + 16 };

struct byte_source {
    char name[NAME_SIZE];
    struct ranks *ranks;         /* which share the raw bytes; NULL: alone */
    int descriptor;              /* -1: memory */
    const unsigned char *memory; /* what is left of it */
    size_t memory_left;
    bool raw_finished, finished;
    bool has_returns; /* CR ends lines */
    bool gzip, member_ended;
    z_stream inflater;
    unsigned char *raw, *block; /* BLOCK_SIZE bytes each; raw only for gzip */
    size_t begin, end;
    uint64_t line; /* ends of lines handed out */
};

/* Names longer than the field keep their end, which tells files apart. */
static void set_name(struct byte_source *source, const char *name)
{
    size_t length = strlen(name);
    if (strcmp(name, "-") == 0 || length == 0)
        snprintf(source->name, NAME_SIZE, "%s", length == 0 ? "''" : "standard input");
    else if (length < NAME_SIZE)
        snprintf(source->name, NAME_SIZE, "%s", name);
    else
        snprintf(source->name, NAME_SIZE, "...%s", name + length - (NAME_SIZE - 4));
}

static enum failure_kind read_here(struct byte_source *source, unsigned char *bytes, size_t size,
                                   size_t *got, struct failure *failure)
{
    if (source->descriptor < 0) {
        *got = size < source->memory_left ? size : source->memory_left;
        if (*got > 0)
            memcpy(bytes, source->memory, *got);
        source->memory += *got;
        source->memory_left -= *got;
    } else {
        ssize_t count;
        do
            count = read(source->descriptor, bytes, size);
        while (count < 0 && errno == EINTR);
        if (count < 0)
            return fail(failure, FAIL_SYSTEM, "cannot read %s: %s", source->name, strerror(errno));
        *got = (size_t)count;
    }
    return FAIL_NONE;
}

/* Makes the outcome of rank 0, which may have failed with `kind`, that of all. */
static enum failure_kind broadcast_failure(struct ranks *ranks, enum failure_kind kind,
                                           struct failure *failure)
{
    struct failure first = {.kind = FAIL_NONE};
    if (kind != FAIL_NONE && failure != NULL)
        first = *failure;
    first.kind = kind;
    enum failure_kind shared = ranks_broadcast(ranks, &first, sizeof first, failure);
    if (shared != FAIL_NONE || first.kind == FAIL_NONE)
        return shared;
    if (failure != NULL)
        *failure = first;
    return first.kind;
}

/* Reads up to `size` raw bytes; *got is 0 only at the end, where raw_finished is set. */
static enum failure_kind read_raw(struct byte_source *source, unsigned char *bytes, size_t size,
                                  size_t *got, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    uint64_t count = 0;
    if (ranks_rank(source->ranks) == 0)
        kind = read_here(source, bytes, size, got, failure);
    if (source->ranks != NULL) {
        count = ranks_rank(source->ranks) == 0 && kind == FAIL_NONE ? *got : 0;
        kind = broadcast_failure(source->ranks, kind, failure);
        if (kind == FAIL_NONE)
            kind = ranks_broadcast(source->ranks, &count, sizeof count, failure);
        if (kind == FAIL_NONE)
            kind = ranks_broadcast(source->ranks, bytes, count, failure);
        *got = (size_t)count;
    }
    source->raw_finished = kind == FAIL_NONE && *got == 0;
    return kind;
}

/* Between two members: skips padding, then ends the text or begins the next member. */
static void pass_member_end(struct byte_source *source)
{
    z_stream *inflater = &source->inflater;
    while (inflater->avail_in > 0 && *inflater->next_in == 0) {
        inflater->next_in++;
        inflater->avail_in--;
    }
    if (inflater->avail_in > 0) {
        inflateReset(inflater);
        source->member_ended = false;
    } else if (source->raw_finished) {
        source->finished = true;
    }
}

static enum failure_kind inflate_failed(struct byte_source *source, int status,
                                        struct failure *failure)
{
    if (status == Z_MEM_ERROR)
        return fail_memory(failure, "inflating gzip data");
    bool cut = status == Z_BUF_ERROR;
    return fail(failure, FAIL_INPUT, "%s:%llu: expected whole gzip data, found %s", source->name,
                (unsigned long long)source->line + 1,
                cut ? "their end in the middle (a truncated file)" : "corrupt ones");
}

/* Inflates at least one byte into block[end ..], or sets `finished`. */
static enum failure_kind inflate_some(struct byte_source *source, struct failure *failure)
{
    z_stream *inflater = &source->inflater;
    unsigned char *start = source->block + source->end;
    inflater->next_out = start;
    inflater->avail_out = (uInt)(BLOCK_SIZE - source->end);
    while (inflater->next_out == start && !source->finished) {
        if (inflater->avail_in == 0 && !source->raw_finished) {
            size_t got;
            enum failure_kind kind = read_raw(source, source->raw, BLOCK_SIZE, &got, failure);
            if (kind != FAIL_NONE)
                return kind;
            inflater->next_in = source->raw;
            inflater->avail_in = (uInt)got;
        }
        if (source->member_ended) {
            pass_member_end(source);
            continue;
        }
        int status = inflate(inflater, Z_NO_FLUSH);
        source->member_ended = status == Z_STREAM_END;
        bool starved = status == Z_BUF_ERROR && !source->raw_finished;
        bool failed = status != Z_OK && status != Z_STREAM_END && !starved;
        if (failed && inflater->next_out == start)
            return inflate_failed(source, status, failure);
        /* the text before the fault is handed out first; the next call fails again */
    }
    source->end = (size_t)(inflater->next_out - source->block);
    return FAIL_NONE;
}

static void replace_returns(char *at, const char *end)
{
    while ((at = memchr(at, '\r', (size_t)(end - at))) != NULL)
        *at = '\n';
}

/* Moves the rest of the text to the block's front and adds at least a byte, or sets `finished`. */
static enum failure_kind fill(struct byte_source *source, struct failure *failure)
{
    size_t got, begin = source->end - source->begin;
    enum failure_kind kind;
    memmove(source->block, source->block + source->begin, begin);
    source->end = begin;
    source->begin = 0;
    if (source->gzip) {
        kind = inflate_some(source, failure);
    } else {
        kind =
            read_raw(source, source->block + source->end, BLOCK_SIZE - source->end, &got, failure);
        source->end += kind == FAIL_NONE ? got : 0;
        source->finished = source->raw_finished;
    }
    if (source->has_returns)
        replace_returns((char *)source->block + begin, (char *)source->block + source->end);
    return kind;
}

/* Reads the first bytes and, where they are gzip's, makes them the inflater's input. */
static enum failure_kind start(struct byte_source *source, struct failure *failure)
{
    source->block = malloc(BLOCK_SIZE);
    if (source->block == NULL)
        return fail_memory(failure, "reading a file");
    while (source->end < 2 && !source->finished) {
        enum failure_kind kind = fill(source, failure);
        if (kind != FAIL_NONE)
            return kind;
    }
    if (source->end < 2 || source->block[0] != 0x1f || source->block[1] != 0x8b)
        return FAIL_NONE;

    source->raw = source->block;
    source->block = malloc(BLOCK_SIZE);
    if (source->block == NULL || inflateInit2(&source->inflater, GZIP_WINDOW) != Z_OK)
        return fail_memory(failure, "reading a gzip file");
    source->gzip = true;
    source->inflater.next_in = source->raw;
    source->inflater.avail_in = (uInt)source->end;
    source->end = 0;
    source->finished = false;
    return FAIL_NONE;
}

static enum failure_kind open_with(struct byte_source **source, struct byte_source *opened,
                                   struct failure *failure)
{
    enum failure_kind kind = start(opened, failure);
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
    set_name(opened, name);
    opened->descriptor = descriptor;
    return open_with(source, opened, failure);
}

static int open_path(const char *path)
{
    return strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY);
}

static enum failure_kind fail_open(const struct byte_source *source, struct failure *failure)
{
    return fail(failure, FAIL_SYSTEM, "cannot open %s: %s", source->name, strerror(errno));
}

enum failure_kind byte_source_open(struct byte_source **source, const char *path,
                                   struct failure *failure)
{
    *source = NULL;
    int descriptor = open_path(path);
    if (descriptor >= 0)
        return byte_source_open_descriptor(source, descriptor, path, failure);
    struct byte_source unopened;
    set_name(&unopened, path);
    return fail_open(&unopened, failure);
}

enum failure_kind byte_source_open_memory(struct byte_source **source, const void *bytes,
                                          size_t length, const char *name, struct failure *failure)
{
    *source = NULL;
    struct byte_source *opened = memory_allocate(1, sizeof *opened);
    if (opened == NULL)
        return fail_memory(failure, "reading a file");
    set_name(opened, name);
    opened->descriptor = -1;
    opened->memory = bytes;
    opened->memory_left = length;
    return open_with(source, opened, failure);
}

enum failure_kind byte_source_open_shared(struct byte_source **source, struct ranks *ranks,
                                          const char *path, struct failure *failure)
{
    int descriptor = -1;
    enum failure_kind kind = FAIL_NONE;
    *source = NULL;
    if (ranks_size(ranks) == 1)
        return byte_source_open(source, path, failure);
    struct byte_source *opened = memory_allocate(1, sizeof *opened);
    if (opened == NULL)
        return fail_memory(failure, "reading a file");
    set_name(opened, path);
    if (ranks_rank(ranks) == 0 && (descriptor = open_path(path)) < 0)
        kind = fail_open(opened, failure);
    opened->ranks = ranks;
    opened->descriptor = descriptor;
    kind = broadcast_failure(ranks, kind, failure);
    if (kind == FAIL_NONE)
        return open_with(source, opened, failure);
    byte_source_close(opened);
    return kind;
}

const char *byte_source_name(const struct byte_source *source)
{
    return source->name;
}

void byte_source_close(struct byte_source *source)
{
    if (source == NULL)
        return;
    if (source->gzip)
        inflateEnd(&source->inflater);
    if (source->descriptor > STDIN_FILENO)
        close(source->descriptor);
    free(source->raw);
    free(source->block);
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

enum failure_kind byte_source_line(struct byte_source *source, struct byte_line *line,
                                   struct failure *failure)
{
    const char *newline = NULL;
    size_t have = 0;
    for (;;) {
        const char *text = (const char *)source->block + source->begin;
        size_t seen = have;
        have = source->end - source->begin;
        newline = memchr(text + seen, '\n', have - seen);
        if (newline != NULL || source->finished || have > BYTE_SOURCE_LONGEST_LINE + 1)
            break;
        enum failure_kind kind = fill(source, failure);
        if (kind != FAIL_NONE)
            return kind;
    }

    const char *text = (const char *)source->block + source->begin;
    const char *end = newline != NULL ? newline : text + have;
    source->begin += (size_t)(end - text) + (newline != NULL);
    if (end > text && end[-1] == '\r')
        end--;
    if (end - text > BYTE_SOURCE_LONGEST_LINE)
        return fail(failure, FAIL_INPUT,
                    "%s:%llu: expected a line of at most %d bytes, found a longer one",
                    source->name, (unsigned long long)source->line + 1, BYTE_SOURCE_LONGEST_LINE);
    bool none = have == 0;
    source->line += !none;
    *line = (struct byte_line){.name = source->name,
                               .number = source->line,
                               .text = none ? NULL : text,
                               .end = none ? NULL : end};
    return FAIL_NONE;
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
        source->line++; /* a fault of the compression is told with its line */
        at++;
    }
    return FAIL_NONE;
}
