/* message_set_write.c - the writer of message sets.
 *
 * An ordinary file (or one that is not there yet) is written under another name in the same folder
 * and renamed when it is whole and closed without an error; until then the old file stands as it
 * was, and after a failure nothing is left behind. A link is followed first, so that it stays a
 * link. Devices, pipes and `-` are written as they are.
 *
 * Text is put together in a block of our own and handed over block by block; the first error ends
 * the writing, and the close is checked, since a full disk may show only there.
 *
 * Cost: O(bytes) time, one block of 64 KiB.
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "workloads/message_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, NUMBER_ROOM = 24, NAME_TRIES = 100 };

struct writer {
    FILE *file;
    char *block; /* [BLOCK] */
    size_t used;
    int error; /* errno of the first failure, 0 so far */
};

/* Where the text goes: `made` (NULL if written in place) is renamed to `target`. */
struct target {
    FILE *file;
    char *target, *made;
};

static void flush_block(struct writer *writer)
{
    if (writer->error == 0 && fwrite(writer->block, 1, writer->used, writer->file) < writer->used)
        writer->error = errno != 0 ? errno : EIO;
    writer->used = 0;
}

static inline void put_byte(struct writer *writer, char byte)
{
    if (writer->used == BLOCK)
        flush_block(writer);
    writer->block[writer->used++] = byte;
}

static inline void put_number(struct writer *writer, uint32_t number)
{
    char digits[NUMBER_ROOM];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0)
        put_byte(writer, digits[--count]);
}

/* The comment, a `#` before each of its lines. */
static void put_comment(struct writer *writer, const char *comment)
{
    for (bool starts = true; *comment != '\0'; comment++) {
        if (starts) {
            put_byte(writer, '#');
            if (*comment != '\n')
                put_byte(writer, ' ');
        }
        put_byte(writer, *comment);
        starts = *comment == '\n';
        if (comment[1] == '\0' && !starts)
            put_byte(writer, '\n');
    }
}

static void put_set(struct writer *writer, const struct message_set *set, const char *comment)
{
    for (const char *byte = "mcast 1 "; *byte != '\0'; byte++)
        put_byte(writer, *byte);
    put_number(writer, set->mesh.rows);
    put_byte(writer, ' ');
    put_number(writer, set->mesh.cols);
    put_byte(writer, '\n');
    if (comment != NULL)
        put_comment(writer, comment);
    for (uint32_t i = 0; i < set->messages && writer->error == 0; i++) {
        put_number(writer, set->source[i]);
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            put_byte(writer, ' ');
            put_number(writer, set->destination[j]);
        }
        put_byte(writer, '\n');
    }
    flush_block(writer);
}

/* A new file beside target->target, with the mode of the old one if there is one. */
static FILE *open_beside(struct target *target, const struct stat *old)
{
    size_t size = strlen(target->target) + 48;
    int descriptor = -1;
    target->made = malloc(size);
    if (target->made == NULL)
        return NULL;
    for (int i = 0; i < NAME_TRIES && descriptor < 0; i++) {
        snprintf(target->made, size, "%s.%ld-%d.tmp", target->target, (long)getpid(), i);
        descriptor = open(target->made, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (file != NULL && old != NULL && fchmod(descriptor, old->st_mode & 0777) != 0)
        errno = 0; /* the mode is a courtesy */
    if (file == NULL) {
        int error = errno;
        if (descriptor >= 0) {
            close(descriptor);
            unlink(target->made);
        }
        free(target->made);
        target->made = NULL;
        errno = error;
    }
    return file;
}

/* Opens what `path` stands for; false with errno set if that fails. */
static bool open_target(struct target *target, const char *path)
{
    struct stat entry, old;
    bool exists = lstat(path, &entry) == 0;
    bool ordinary = exists && stat(path, &old) == 0 && S_ISREG(old.st_mode);
    *target = (struct target){0};
    if (exists && !ordinary) {
        target->file = fopen(path, "wb");
        return target->file != NULL;
    }
    target->target = ordinary ? realpath(path, NULL) : strdup(path);
    if (target->target == NULL)
        return false;
    target->file = open_beside(target, ordinary ? &old : NULL);
    if (target->file == NULL)
        free(target->target);
    return target->file != NULL;
}

/* Closes; puts the file in its place, or takes it away after an error. Returns errno or 0. */
static int close_target(struct target *target, int error)
{
    if (fclose(target->file) != 0 && error == 0)
        error = errno;
    if (target->made != NULL && error == 0 && rename(target->made, target->target) != 0)
        error = errno;
    if (target->made != NULL && error != 0)
        unlink(target->made);
    free(target->made);
    free(target->target);
    return error;
}

enum failure_kind message_set_write(const struct message_set *set, const char *path,
                                    const char *comment, struct failure *failure)
{
    bool standard = strcmp(path, "-") == 0;
    struct target target = {.file = stdout};
    struct writer writer = {.block = memory_allocate(BLOCK, 1)};
    if (writer.block == NULL)
        return fail_memory(failure, "writing a message set");
    if (!standard && !open_target(&target, path)) {
        enum failure_kind kind =
            fail(failure, FAIL_SYSTEM, "cannot create %.300s: %s", path, strerror(errno));
        free(writer.block);
        return kind;
    }
    writer.file = target.file;
    errno = 0;
    put_set(&writer, set, comment);
    if (writer.error == 0 && fflush(writer.file) != 0)
        writer.error = errno;
    if (!standard)
        writer.error = close_target(&target, writer.error);
    free(writer.block);
    if (writer.error != 0)
        return fail(failure, FAIL_SYSTEM, "cannot write %.300s: %s",
                    standard ? "standard output" : path, strerror(writer.error));
    return FAIL_NONE;
}
