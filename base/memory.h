/* memory.h - the one allocator, and the limit of the process's memory.
 *
 * Memory in use is what the process has requested and not given back, as the system counts it, so
 * blocks are freed with free(). Of sparse blocks only the touched part counts. A request that does
 * not fit into the limit gets NULL, and fail_memory() reports the figures.
 *
 * The limit holds for the whole process. By default it is the available memory, read again when a
 * request does not fit into the last figure.
 */
#ifndef MESHCAST_BASE_MEMORY_H
#define MESHCAST_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_NO_LIMIT UINT64_MAX

/* Limits the process to `bytes` more than it uses now; MEMORY_NO_LIMIT lifts the limit. */
void memory_limit(uint64_t bytes);

/* Restores the default limit. */
void memory_limit_default(void);

/* Limits this process, one of `processes` on this machine, to its share of a limit: of the default
 * one if none was set. */
void memory_limit_share(uint32_t processes);

/* Returns the bytes that the process can still get: the least that the system has, its control
 * groups allow, and its own limits leave; MEMORY_NO_LIMIT if none of them is known. */
uint64_t available_memory(void);

/* Returns the bytes that the system and the control groups leave, from the files below `root` (""
 * for the real ones): /proc/meminfo, /proc/self/cgroup and the files of control groups, version 1
 * or 2, below /sys/fs/cgroup. */
uint64_t available_memory_in(const char *root);

/* A request that was refused, in bytes. */
struct memory_refusal {
    uint64_t limit, in_use, asked;
};

/* True if the limit refused the last request that got no memory; false if the system did. */
bool memory_refused(struct memory_refusal *refusal);

/* Writes a number of bytes, such as "21.3 GB", "4.0 MB", "12 kB", to `text`, and returns it. */
const char *memory_text(uint64_t bytes, char text[32]);

/* Allocates cleared memory as calloc(), with the product checked; NULL if `count * size` overflows
 * or memory is out. A zero count gives a pointer that may be freed. The caller frees with
 * free(). */
void *memory_allocate(size_t count, size_t size);

/* Allocates a block of which little may ever be written. The limit counts only the written part,
 * and the system gives it memory in small pages. */
void *memory_allocate_sparse(size_t count, size_t size);

/* Counts `bytes` of a sparse block, from `block` on, as requested, in large pages. False: they do
 * not fit into the limit; the caller then frees the block. */
bool memory_expect_use(void *block, size_t bytes);

/* Frees a sparse block, or NULL; `bytes` are those whose use was not expected. free() would also
 * free the block, but then the process could write that many bytes more before they count. */
void memory_free_sparse(void *block, size_t bytes);

/* Advises the system to give a block of `bytes` large pages. */
void memory_prefer_large_pages(void *block, size_t bytes);

/* Returns `block` with room for at least `count` elements, contents kept. If the old room, *room
 * elements, is too small, it becomes at least twice as large, and *room is set. `block` may be
 * NULL. New elements are not cleared. Returns NULL on overflow or without memory; then both are
 * unchanged. If arrays share one room, give all but the last a copy of it, and grow none after one
 * that failed: else the room is larger than an array. */
void *memory_grow(void *block, size_t *room, size_t count, size_t size);

/* Does the same with the block that the pointer at `array` points to; false: the block is
 * unchanged. */
bool memory_make_room(void *array, size_t *room, size_t count, size_t size);

/* Resizes to `count` elements, contents kept; NULL (and `block` unchanged) on overflow or no
 * memory. Elements beyond the old end are not cleared. */
void *memory_resize(void *block, size_t count, size_t size);

#endif
