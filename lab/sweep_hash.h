/* sweep_hash.h - the contents that are part of a run's identity, as numbers of 64 bits. */
#ifndef MESHCAST_LAB_SWEEP_HASH_H
#define MESHCAST_LAB_SWEEP_HASH_H

#include "base/failure.h"
#include "workloads/message_set.h"

#include <stddef.h>
#include <stdint.h>

/* Of a message set's contents, the same however its file is written. */
uint64_t sweep_hash_set(const struct message_set *set);

/* Of a file's bytes. FAIL_USAGE: the path is "-"; FAIL_SYSTEM: it cannot be read. */
enum failure_kind sweep_hash_file(const char *path, uint64_t *hash, struct failure *failure);

/* FAIL_INPUT unless the file's bytes still have that hash. */
enum failure_kind sweep_check_file(const char *path, uint64_t hash, struct failure *failure);

/* Of a line of text. */
uint64_t sweep_hash_text(const char *text);

/* Of two hashes, in this order. */
uint64_t sweep_hash_both(uint64_t first, uint64_t second);

/* A path without its folders. */
const char *sweep_file_name(const char *path);

/* Writes "NAME@1a2b3c4d", a file as people read of it: its name and a part of its hash. Returns
 * what snprintf() does. */
size_t sweep_file_label(char *text, size_t size, const char *path, uint64_t hash);

#endif
