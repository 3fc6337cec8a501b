/* sweep_hash.c - hashes of message sets, files and texts.
 *
 * Method: 64-bit FNV-1a. Of a message set its numbers are hashed, not its file: comments and the
 * order of lines do not change what is routed. Of other files the bytes are, because what a line of
 * them means is not known here. Folders are left out of all names, since moving a file changes no
 * run.
 */
#include "lab/sweep_hash.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint64_t HASH_BASIS = UINT64_C(0xcbf29ce484222325);

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t sweep_hash_set(const struct message_set *set)
{
    const uint32_t head[] = {set->mesh.rows, set->mesh.cols, set->messages};
    uint64_t hash = hash_bytes(HASH_BASIS, head, sizeof head);
    hash = hash_bytes(hash, set->source, set->messages * sizeof *set->source);
    hash = hash_bytes(hash, set->offset, (set->messages + (size_t)1) * sizeof *set->offset);
    return hash_bytes(hash, set->destination, set->deliveries * sizeof *set->destination);
}

enum failure_kind sweep_hash_file(const char *path, uint64_t *hash, struct failure *failure)
{
    char part[16384];
    size_t got;
    *hash = HASH_BASIS;
    if (strcmp(path, "-") == 0)
        return fail(failure, FAIL_USAGE, "a sweep takes files; standard input is read only once");
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot open %.300s: %s", path, strerror(errno));
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        *hash = hash_bytes(*hash, part, got);
    if (ferror(file))
        fail(failure, FAIL_SYSTEM, "cannot read %.300s: %s", path, strerror(errno));
    fclose(file);
    return failure->kind;
}

enum failure_kind sweep_check_file(const char *path, uint64_t hash, struct failure *failure)
{
    uint64_t now;
    if (sweep_hash_file(path, &now, failure) == FAIL_NONE && now != hash)
        fail(failure, FAIL_INPUT, "%.200s has changed since the sweep began", path);
    return failure->kind;
}

uint64_t sweep_hash_text(const char *text)
{
    return hash_bytes(HASH_BASIS, text, strlen(text));
}

uint64_t sweep_hash_both(uint64_t first, uint64_t second)
{
    return hash_bytes(first, &second, sizeof second);
}

const char *sweep_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

size_t sweep_file_label(char *text, size_t size, const char *path, uint64_t hash)
{
    return (size_t)snprintf(text, size, "%s@%08x", sweep_file_name(path),
                            (unsigned)(hash ^ hash >> 32));
}
